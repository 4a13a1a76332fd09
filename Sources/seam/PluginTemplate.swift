/// The files of a new plug-in.
///
/// As texts of the program: they are there wherever it is, and no folder of templates can be of another version.
enum PluginTemplate {
    struct File {
        let path: String
        let text: String
        var isScript = false
    }

    // MARK: Swift

    static func swift(_ name: PluginName, kit: String, program: String) -> [File] {
        [
            File(path: "Package.swift", text: package(name, kit: kit)),
            File(path: "Sources/\(name.module)/\(name.module).swift", text: swiftSource(name)),
            File(path: "entry.map", text: "{ global: seam_plugin_entry; local: *; };\n"),
            File(path: "test.sh", text: swiftTest(name, program: program), isScript: true),
            File(
                path: "README.md",
                text: readme(name, build: "swift build", test: "./test.sh", library: ".build/debug/")),
            File(path: ".gitignore", text: ".build/\n"),
        ]
    }

    /// The pasted file second and the scenario third.
    static func around(
        _ name: PluginName, kit: String, program: String, pasted: String, text: String, scenario: String,
        id: String
    ) -> [File] {
        // A file of this name would make a program of the library.
        let copy = pasted == "main.swift" ? "Pasted.swift" : pasted
        let own = pasted == "Scenarios.swift" ? "SeamScenarios.swift" : "Scenarios.swift"
        let library = ".build/debug/lib\(name.module).so"
        return [
            File(
                path: "Package.swift",
                text: package(
                    name, kit: kit, product: "SeamUILibrary",
                    modes: """
                        ,
                            // The pasted file as most apps have it; .v6 for one that is written for Swift 6.
                            swiftLanguageModes: [.v5]
                        """)),
            File(path: "Sources/\(name.module)/\(copy)", text: text),
            File(path: "Sources/\(name.module)/\(own)", text: scenario),
            File(path: "entry.map", text: "{ global: seam_plugin_entry; local: *; };\n"),
            File(path: "test.sh", text: swiftTest(name, program: program), isScript: true),
            File(
                path: "README.md",
                text: """
                    # \(name.module)

                    \(copy) under measurement: the file is as it was pasted, the scenario around it is in \(own).

                        swift build
                        seam run --plugin \(library) \(id)
                        seam run --plugin \(library) --steps --why \(id)

                    The script says what ought to be on the screen after each step; `seam run` ends with 1 when it is not.
                    Put the fault right in \(copy), and the same script says so. `./test.sh` is the check for CI.

                    """),
            File(path: ".gitignore", text: ".build/\n"),
        ]
    }

    private static func package(
        _ name: PluginName, kit: String, product: String = "SeamKitLibrary", modes: String = ""
    ) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        // SeamKit lies with the seam that made this package; on another machine: SEAM_KIT=FOLDER swift build
        let seamKit = Context.environment["SEAM_KIT"] ?? "\(escaped(kit))"

        let package = Package(
            name: "\(name.module)",
            products: [.library(name: "\(name.module)", type: .dynamic, targets: ["\(name.module)"])],
            dependencies: [.package(name: "seam", path: seamKit)],
            targets: [
                .target(
                    name: "\(name.module)", dependencies: [.product(name: "\(product)", package: "seam")],
                    // Only the entry leaves the library, so that no name of it meets one of another plug-in.
                    linkerSettings: [
                        .unsafeFlags(["-Xlinker", "--version-script=\\(Context.packageDirectory)/entry.map"])
                    ])
            ]\(modes)
        )

        """
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "\\\"".contains($0) ? ["\\", $0] : [$0] })
    }

    private static func swiftSource(_ name: PluginName) -> String {
        """
        public import CSeamABI
        import SeamKit

        /// What the model knows of a contact.
        struct Contact: ModelState {
            var name = "Ann"
            static var keys: [Key<Self>] { [Key("name", \\.name)] }
        }

        /// The declarative view. It shows the copy of the contact that it was made with.
        struct CardView: View {
            let contact: Contact
            var body: some View { Field("name", contact.name) }
        }

        /// The imperative screen that hosts it: what both scenarios have in common.
        @MainActor
        class CardScreen {
            static let screens = [Screen("CardScreen", .imperative, fields: ["name"])]
            static let embedding = Embedding("host", on: screens[0], carrying: Contact.self) {
                CardView(contact: $0.state)
            }
            static let bridges: [Bridge] = [embedding]
            static let newName = Parameter.text("name", "The new name", initial: "Anna")
            /// What `seam run` plays.
            static let script: [Step] = [.send("rename", ["name": "Anna"]), .check("renamed")]

            @Model var contact = Contact()
            var host: HostingController<CardView>?

            init(_ parameters: Values) {}

            func start() throws {
                host = try HostingController(Self.embedding, rootView: CardView(contact: contact))
            }
        }

        /// The fault: the model is told of the new name, the view is not.
        final class Forgotten: CardScreen, Scenario {
            static let about = About(
                "\(name.group).forgotten", title: "The root view is not assigned again",
                summary: "A contact is renamed, and the card goes on showing the copy that it was made with.")
            static let checks = [Check("renamed", of: screens[0], expecting: ["name": .stale])]
            static let events = [
                Event<Forgotten>("rename", "The contact is renamed", arguments: [newName]) { screen, values in
                    screen.contact.name = values["name"] ?? ""
                }
            ]
        }

        /// The repair: one line more.
        final class Carried: CardScreen, Scenario {
            static let about = About(
                "\(name.group).carried", title: "The root view is assigned again",
                summary: "The same, and the hosting controller is given a root view with the new name.")
            static let checks = [Check("renamed", of: screens[0], expecting: ["name": .matching])]
            static let events = [
                Event<Carried>("rename", "The contact is renamed", arguments: [newName]) { screen, values in
                    screen.contact.name = values["name"] ?? ""
                    screen.host?.rootView = CardView(contact: screen.contact)
                }
            ]
        }

        private let plugin = Plugin(
            "\(name.group)", name: "\(name.module)", version: "0.1.0", scenarios: [Forgotten.self, Carried.self])

        @c @implementation
        public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
            plugin.answer(offer)
        }

        """
    }

    private static func swiftTest(_ name: PluginName, program: String) -> String {
        """
        #!/bin/sh
        # Builds the plug-in, plays its scenarios, and looks for what a plug-in must not do. Options go to `seam run`:
        #     ./test.sh --report junit=report.xml
        set -e
        cd "$(dirname "$0")"
        seam=${SEAM:-$(command -v seam || echo \(shellQuoted(program)))}
        swift build
        library=$(swift build --show-bin-path)/lib\(name.module).so
        "$seam" run --plugin "$library" "$@" '\(name.group).*'
        "$seam" plugin check "$library"

        """
    }

    private static func readme(_ name: PluginName, build: String, test: String, library: String) -> String {
        """
        # \(name.module)

        A plug-in for Seam with one fault and its repair.

            \(build)
            seam run --plugin \(library)lib\(name.module).so '\(name.group).*'
            seam run --plugin \(library)lib\(name.module).so --steps \(name.group).forgotten

        `\(test)` plays both scenarios, each of which says what is to be expected of it, and has
        `seam plugin check` look for what a plug-in must not do.

        While you change it, in another terminal:

            seam watch --plugin-dir \(library.isEmpty ? "." : String(library.dropLast())) --reload '\(name.group).*'

        """
    }

    // MARK: C

    static func c(_ name: PluginName, header: String, program: String) -> [File] {
        [
            File(path: "Makefile", text: makefile(name, program: program)),
            File(path: "\(name.group).c", text: cSource(name)),
            File(path: "include/seam_plugin.h", text: header),
            File(path: "README.md", text: readme(name, build: "make", test: "make test", library: "")),
            File(path: ".gitignore", text: "*.so\n"),
        ]
    }

    private static func makefile(_ name: PluginName, program: String) -> String {
        // A dollar is doubled for make, and a name with a blank can't be a target; ours have none.
        let fallback = shellQuoted(program).replacing("$", with: "$$")
        return """
            # make         builds lib\(name.module).so, with the header alone
            # make test    plays its scenarios, and looks for what a plug-in must not do;
            #              RUN_FLAGS='--report junit=report.xml' goes to `seam run`

            CFLAGS ?= -O2 -g -Wall -Wextra
            SEAM ?= $(shell command -v seam || echo \(fallback))

            lib\(name.module).so: \(name.group).c include/seam_plugin.h
            \t$(CC) -std=c11 $(CFLAGS) -shared -fPIC -fvisibility=hidden -Iinclude $< -o $@

            test: lib\(name.module).so
            \t"$(SEAM)" run --plugin ./lib\(name.module).so $(RUN_FLAGS) '\(name.group).*'
            \t"$(SEAM)" plugin check ./lib\(name.module).so

            clean:
            \trm -f lib\(name.module).so

            .PHONY: test clean

            """
    }

    private static func cSource(_ name: PluginName) -> String {
        """
        /* \(name.group).c - a contact's card in a hosting controller: one scenario forgets to carry a new name across,
         * the other does not. Written against seam_plugin.h, which says what may be called when.
         */
        #include <stdlib.h>
        #include <string.h>

        #include "seam_plugin.h"

        #define TEXT(literal) ((seam_str){.ptr = (literal), .len = sizeof(literal) - 1})
        #define COUNT(array) (sizeof(array) / sizeof *(array))

        /* Indexes into the tables below. */
        enum { CARD_SCREEN = 0 };
        enum { HOST = 0 };
        enum { RENAME = 0 };

        /* One running instance. The name itself is in the model, which the host keeps. */
        struct card {
            seam_ctx *ctx;
            const seam_host_v1 *host;
            seam_mount mount;
            int carries; /* whether rename assigns the root view: the whole difference */
        };

        static struct card *card(seam_obj *inst) { return (struct card *)inst; }

        static seam_status create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                                  const seam_args_v1 *params, seam_obj **out)
        {
            (void)params; /* none is declared */
            struct card *self = calloc(1, sizeof *self);
            if (self == NULL)
                return host->fail(ctx, SEAM_E_PLUGIN, TEXT("there is no memory for one more card"));
            self->ctx = ctx;
            self->host = host;
            self->carries = scenario->user != NULL;
            *out = (seam_obj *)self;
            return SEAM_OK;
        }

        /* The model first: the mount takes its copy of it. */
        static seam_status start(seam_obj *inst)
        {
            struct card *self = card(inst);
            seam_status status = self->host->model_set(self->ctx, TEXT("name"), TEXT("Ann"));
            return status < 0 ? status : self->host->mount(self->ctx, HOST, &self->mount);
        }

        static seam_status event(seam_obj *inst, uint32_t event, const seam_args_v1 *args)
        {
            struct card *self = card(inst);
            if (event != RENAME)
                return self->host->fail(self->ctx, SEAM_E_ARG, TEXT("there is no such event"));
            seam_status status = self->host->model_set(self->ctx, TEXT("name"), args->values[0]);
            if (status < 0 || !self->carries)
                return status;
            return self->host->assign_root(self->ctx, self->mount); /* rootView = CardView(contact: contact) */
        }

        static void destroy(seam_obj *inst) { free(inst); }

        /* The body of the root view: shows the copy that it was given. */
        static seam_status draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                                uint32_t why)
        {
            struct card *self = card(inst);
            (void)m, (void)why;
            return self->host->screen_set(self->ctx, bridge->screen, TEXT("name"), inputs->values[0]);
        }

        /* ---- What can be read before anything is created ---- */

        static const char *const keys[] = {"name", NULL};

        static const seam_field_v1 fields[] = {{.key = "name", .title = "The name", .kind = "text"}};
        static const seam_screen_v1 screens[] = {
            [CARD_SCREEN] = {.id = "CardScreen", .title = "The screen with the hosted card",
                             .side = SEAM_SIDE_IMPERATIVE, .field_count = COUNT(fields), .fields = fields},
        };

        static const seam_bridge_v1 hosting = {
            .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .screen = CARD_SCREEN, .id = "host",
            .title = "The hosting controller", .inputs = keys, .draw = draw,
        };
        static const seam_bridge_v1 *const bridges[] = {[HOST] = &hosting};

        static const seam_param_v1 rename_args[] = {
            {.id = "name", .title = "The new name", .kind = "text", .initial = "Anna"},
        };
        static const seam_event_v1 events[] = {
            [RENAME] = {.id = "rename", .title = "The contact is renamed", .origin = SEAM_FROM_MODEL,
                        .bridge = SEAM_NONE, .arg_count = COUNT(rename_args), .args = rename_args},
        };

        /* What `seam run` plays, and what it is to come to. */
        static const char *const anna[] = {"Anna"};
        static const seam_step_v1 script[] = {
            {.kind = SEAM_STEP_EVENT, .event = RENAME, .arg_count = COUNT(anna), .args = anna},
            {.kind = SEAM_STEP_CHECK, .key = "renamed"},
        };
        static const char *const stale[] = {"stale"};
        static const char *const matching[] = {"matching"};
        static const seam_check_v1 is_stale[] = {
            {.label = "renamed", .screen = CARD_SCREEN, .key_count = 1, .keys = keys, .expected = stale},
        };
        static const seam_check_v1 is_matching[] = {
            {.label = "renamed", .screen = CARD_SCREEN, .key_count = 1, .keys = keys, .expected = matching},
        };

        static const seam_inst_v1 calls = {
            .size = sizeof(seam_inst_v1), .start = start, .event = event, .destroy = destroy,
        };

        #define PARTS(checks_)                                                                             \\
            .size = sizeof(seam_scenario_v1), .screens = screens, .screen_count = COUNT(screens),          \\
            .bridges = bridges, .bridge_count = COUNT(bridges), .events = events,                          \\
            .event_count = COUNT(events), .script = script, .script_count = COUNT(script),                 \\
            .checks = checks_, .check_count = COUNT(checks_), .calls = &calls, .create = create

        static const seam_scenario_v1 forgotten = {
            PARTS(is_stale),
            .id = "\(name.group).forgotten",
            .title = "The root view is not assigned again",
            .summary = "A contact is renamed, and the card goes on showing the copy that it was made with.",
        };

        static const seam_scenario_v1 carried = {
            PARTS(is_matching),
            .id = "\(name.group).carried",
            .title = "The root view is assigned again",
            .summary = "The same, and the hosting controller is given a root view with the new name.",
            .user = (void *)&carried, /* found by create: this one carries the name across */
        };

        static const seam_scenario_v1 *const scenarios[] = {&forgotten, &carried};

        static const seam_plugin_v1 plugin = {
            .magic = SEAM_MAGIC, .size = sizeof(seam_plugin_v1), .abi = SEAM_ABI_MAJOR,
            .scenario_count = COUNT(scenarios), .id = "\(name.group)", .name = "\(name.module)", .version = "0.1.0",
            .scenarios = scenarios,
        };

        SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer)
        {
            if (offer->magic != SEAM_MAGIC || offer->size != sizeof(seam_offer_v1))
                return NULL;
            if (offer->abi_min <= SEAM_ABI_MAJOR && SEAM_ABI_MAJOR <= offer->abi_max)
                return &plugin;
            offer->explain(offer->self, TEXT("it is built for ABI major 1"));
            return NULL;
        }

        """
    }
}
