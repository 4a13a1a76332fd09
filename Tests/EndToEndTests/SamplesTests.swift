import Foundation
import enum SeamKernel.HostCall
import enum SeamKernel.Phase
import enum SeamKernel.StateTable
import SeamTestSupport
import SeamWire
import Testing

/// The files of this checkout, for tests that build them as a stranger would.
enum Checkout {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    static func path(_ name: String) -> String { "\(root)/\(name)" }
    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// The folder of seam_plugin.h.
    static let header = path("Sources/CSeamABI/include")
}

/// Runs a compiler; it has to succeed and has nothing to say.
func compile(_ tool: String, _ arguments: [String]) throws {
    let outcome = try run(tool, arguments, within: .seconds(120))
    let said = outcome.stdout + outcome.stderr
    try #require(outcome.code == 0 && said.isEmpty, "\(tool) \(arguments): \(said)")
}

/// The names that a library defines for others.
func exported(by library: String) throws -> [String] {
    let outcome = try run("nm", ["-D", "--extern-only", "--defined-only", "--format=posix", library])
    try #require(outcome.code == 0, "\(outcome)")
    return outcome.stdout.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
}

/// Plugins/Samples: the same ABI from languages that have other ways to go wrong.
@Suite struct SamplesTests {
    private static let rustVersion: [Int] = {
        // "rustc 1.95.0 (…)"
        guard let said = try? run("rustc", ["--version"]), said.code == 0 else { return [] }
        return said.stdout.split(separator: " ").dropFirst().first?.split(separator: ".").compactMap {
            Int($0)
        } ?? []
    }()
    private static var hasRust: Bool { rustVersion.count >= 2 && (rustVersion[0], rustVersion[1]) >= (1, 83) }

    @Test("C++: the fault and its repair")
    func cpp() throws {
        let folder = try TemporaryFolder()
        let library = try buildBadge(folder)
        #expect(try exported(by: library) == ["seam_plugin_entry"])
        let outcome = try run("seam", ["run", "--plugin", library, "badge.*"])
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.stdout.split(separator: "\n").filter { $0.contains(" | ") } == [
                "more | BadgeView.unread: model=5 screen=5 -> matching",
                "fewer | BadgeView.unread: model=2 screen=2 -> matching",
                "more | BadgeView.unread: model=5 screen=5 -> matching",
                "fewer | BadgeView.unread: model=2 screen=5 -> stale",
            ])
        #expect(outcome.stderr.contains("empty-update: BadgeView.unread"))
    }

    @Test("C++: an exception is caught at the border and told, and everything else goes on")
    func exception() throws {
        let folder = try TemporaryFolder()
        let daemon = try SeamProcess(["--plugin", try buildBadge(folder)])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"badge.follows","id":"bad"}"#)
        try client.call("sim.create", #"{"scenario":"badge.follows","id":"good"}"#)
        try client.call("sub.open", #"{"sim":"bad","start":"now"}"#)
        try client.call("model.set", #"{"sim":"bad","values":{"unread":"many"}}"#)
        let finding = try #require(try client.events(through: "diagnostic").last?.params)
        #expect(finding["code"]?.text == "plugin-failed")
        #expect(finding["text"]?.text?.contains(#"unread is "many", expected a number"#) == true)
        try client.call("model.set", #"{"sim":"good","values":{"unread":7}}"#)
        let field = try client.call("sim.get", #"{"sim":"good"}"#)["fields"]?[0]
        #expect(field?["shown"]?.text == "7")
        try client.call("sim.destroy", #"{"sim":"bad"}"#)
        #expect(try daemon.stop() == .exit(0))
    }

    private func buildBadge(_ folder: TemporaryFolder) throws -> String {
        let library = "\(folder.path)/libbadge.so"
        try compile(
            "g++",
            [
                "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC",
                "-fvisibility=hidden",
            ]
                + ["-I\(Checkout.header)", "-Wl,--version-script=\(Checkout.path("Plugins/entry.map"))"]
                + [Checkout.path("Plugins/Samples/badge.cpp"), "-o", library])
        return library
    }

    @Test(
        "Rust: the fault and its repair, and a panic that is caught at the border",
        .enabled(
            "NOT TESTED: there is no rustc 1.83 or later here, so Plugins/Samples/rename.rs is not built"
        ) {
            hasRust
        })
    func rust() throws {
        let folder = try TemporaryFolder()
        let library = "\(folder.path)/librename.so"
        try compile(
            "rustc",
            ["--edition", "2021", "--crate-type", "cdylib", "-D", "warnings", "--out-dir", folder.path]
                + [Checkout.path("Plugins/Samples/rename.rs")])
        #expect(try exported(by: library) == ["seam_plugin_entry"])
        let outcome = try run("seam", ["run", "--plugin", library, "rename.*"])
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.stdout.split(separator: "\n").filter { $0.contains(" | ") } == [
                "renamed | Detail.name: model=Anna screen=Anna -> matching",
                "renamed | Sidebar.name: model=Anna screen=Ann -> stale",
                "renamed | Detail.name: model=Anna screen=Anna -> matching",
                "renamed | Sidebar.name: model=Anna screen=Anna -> matching",
            ])

        let daemon = try SeamProcess(["--plugin", library], environment: ["RUST_BACKTRACE": "0"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"rename.everywhere","id":"bad"}"#)
        try client.call("sim.send", #"{"sim":"bad","event":"rename","args":{"name":" "}}"#)
        let refusal = try client.refusal("sim.send", #"{"sim":"bad","event":"rename"}"#)
        #expect(refusal.code == -32005)
        #expect(refusal.json.encoded.contains("a person needs a name"))
        try client.call("sim.destroy", #"{"sim":"bad"}"#)
        try client.call("sim.run", #"{"scenario":"rename.everywhere"}"#)
        #expect(try daemon.stop() == .exit(0))
    }
}

/// Plugins/README.md: what stands there in code is built and run, what stands there as a table is compared.
@Suite struct PluginPageTests {
    private static let page =
        (try? String(contentsOfFile: Checkout.path("Plugins/README.md"), encoding: .utf8)) ?? ""

    /// The lines of the block whose fence says `name` last: "```c mine.c".
    private func block(_ name: String) throws -> String {
        let lines = Self.page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(
            lines.firstIndex { $0.hasPrefix("```") && $0.split(separator: " ").last == Substring(name) },
            "the page has no block \(name)")
        return lines[(start + 1)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
    }

    /// The first block of plain text behind the block `name`: what it prints.
    private func output(after name: String) throws -> String {
        let behind = try #require(Self.page.components(separatedBy: " \(name)\n").last)
        let block = try #require(behind.components(separatedBy: "```text\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    /// A folder with the checkout in it, under the name that the page gives it.
    private func desk() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/seam", withDestinationPath: Checkout.root)
        return folder
    }

    /// Types the lines of a block into a shell.
    private func type(_ commands: String, in folder: TemporaryFolder) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            "env", ["-C", folder.path, "sh", "-e", "-c", commands],
            environment: ["PATH": "\(Products.folder):\(path)"], within: .seconds(300))
    }

    @Test("the C sample is complete, has 60 lines, and does what the page says")
    func c() throws {
        let folder = try desk()
        let source = try block("mine.c")
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 60)
        try folder.write(source, to: "mine.c")
        let outcome = try type(try block("build-c"), in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.stdout == (try output(after: "build-c")))
        #expect(outcome.stderr.contains("update-never-arrived: NoteScreen.title: "))
        try compile(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                "-I\(Checkout.header)",
            ]
                + ["\(folder.path)/mine.c"])
    }

    @Test("the sample of the engine's tables is complete, and does what the page says")
    func engine() throws {
        let folder = try desk()
        try folder.write(try block("inherits.c"), to: "inherits.c")
        let outcome = try type(try block("build-inherits"), in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.stdout == (try output(after: "build-inherits")))
        #expect(outcome.stderr.contains("environment-not-propagated: View.locale: host read"), "\(outcome)")
        try compile(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                "-I\(Checkout.header)", "\(folder.path)/inherits.c",
            ])
    }

    @Test(
        "the Swift sample is complete, has 60 lines, builds outside the tree, and does the same",
        .enabled("there is no swift in PATH to build a package with") {
            (try? run("swift", ["--version"]))?.code == 0
        })
    func swift() throws {
        let folder = try desk()
        let source = try block("Mine.swift")
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 60)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/mine/Sources/Mine", withIntermediateDirectories: true)
        try folder.write(try block("Package.swift"), to: "mine/Package.swift")
        try folder.write(source, to: "mine/Sources/Mine/Mine.swift")
        // What the build says goes aside: it is about files and seconds.
        let commands = try block("build-swift").replacing(
            "swift build\n", with: "swift build >build.log 2>&1 || cat build.log\n")
        let outcome = try type(commands, in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.stdout == (try output(after: "build-c")), "\(outcome)")
    }

    @Test(
        "code with its imports as they stand builds outside the tree, and is measured",
        .enabled("there is no swift in PATH to build a package with") {
            (try? run("swift", ["--version"]))?.code == 0
        })
    func pasted() throws {
        let folder = try desk()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/notes/Sources/Notes", withIntermediateDirectories: true)
        try folder.write(try block("notes-Package.swift"), to: "notes/Package.swift")
        for file in ["Note.swift", "Scenarios.swift"] {
            try folder.write(try block(file), to: "notes/Sources/Notes/\(file)")
        }
        let commands = try block("build-notes").replacing(
            "swift build\n", with: "swift build >build.log 2>&1 || cat build.log\n")
        let outcome = try type(commands, in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.stdout == (try output(after: "build-notes")), "\(outcome)")
    }

    // MARK: Mistakes

    /// A change to mine.c, and what then has to be said; the page says it too.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var change: [(from: String, to: String)]
        var said: String
        var testDescription: String { said }
    }

    private static let startEnd = "    return status < 0 ? status : self->host->mount"
    private static let eventEnd = "return status < 0 || !self->carries ?"

    static let mistakes = [
        Mistake(
            change: [("*seam_plugin_entry(", "*mine_plugin_entry(")],
            said: "it exports no seam_plugin_entry, so it is no plug-in"),
        Mistake(
            change: [(".size = sizeof embedding, ", "")],
            said: "size of bridge 0 is 0, expected 104 (sizeof)"),
        Mistake(
            change: [(", .draw = draw}", "}"), ("static seam_status draw(", "seam_status draw(")],
            said: "draw of bridge host is missing (NULL): an embedding needs it"),
        Mistake(
            change: [(#"keys[] = {"title", NULL}"#, #"keys[] = {"name", NULL}"#)],
            said: "check renamed names name, which screen NoteScreen does not declare"),
        Mistake(
            change: [
                (#"model_set(self->ctx, TEXT("title"), args"#, #"model_set(self->ctx, TEXT("name"), args"#)
            ],
            said: #"plugin-misbehaving: the model key "name" is neither a field nor an input"#),
        Mistake(
            change: [("sizeof(literal) - 1", "sizeof(literal)")],
            said: "is neither a field nor an input that the scenario declares"),
        Mistake(
            change: [
                (
                    "    *out = ",
                    #"    self->host->model_set(ctx, TEXT("title"), TEXT("Draft"));"# + "\n    *out = "
                )
            ],
            said: "inside create: not allowed there"),
        Mistake(
            change: [
                (
                    "    seam_status status = self->host->model_set(self->ctx, TEXT(\"title\"), TEXT(\"Draft\"));\n",
                    ""
                ),
                (
                    "    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);\n",
                    "    seam_status status = self->host->mount(self->ctx, 0, &self->mount);\n"
                        + "    return status < 0 ? status"
                        + " : self->host->model_set(self->ctx, TEXT(\"title\"), TEXT(\"Draft\"));\n"
                ),
            ],
            said: "NoteScreen.title should be stale, it is missing"),
        Mistake(
            change: [
                (eventEnd, "self->host->next_turn(self->ctx, 1);\n    " + eventEnd)
            ],
            said: "next_turn was called, but seam_inst_v1 has no tick"),
        Mistake(
            change: [("return status < 0 || !self->carries ? status", "return status == 0 ? SEAM_E_PLUGIN")],
            said: "event returned SEAM_E_PLUGIN (-7) and did not say why (fail)"),
        Mistake(
            change: [
                (
                    startEnd,
                    "    seam_token token;\n    self->host->own(self->ctx, 0, TEXT(\"observer\"), &token);\n"
                        + startEnd
                )
            ],
            said: "leaked-observer: destroy left a registration behind: observer"),
    ]

    @Test("a common mistake is answered as the page says", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        #expect(Self.page.contains("`\(mistake.said)`"), "the page does not say it")
        let folder = try desk()
        try folder.write(try broken(mistake), to: "mine.c")
        let outcome = try type(
            try block("build-c").replacing("'mine.*'", with: "mine.forgotten"), in: folder)
        #expect(outcome.stderr.contains(mistake.said), "\(outcome)")
    }

    @Test("a thread that calls the host is found, in a turn of its own")
    func thread() throws {
        let mistake = Mistake(
            change: [
                (
                    "static seam_status event(",
                    """
                    #include <pthread.h>
                    static void *thread(void *note) {
                        struct note *self = note;
                        self->host->screen_set(self->ctx, 0, TEXT("title"), TEXT("early"));
                        return NULL;
                    }
                    static seam_status event(
                    """
                ),
                (
                    Self.eventEnd,
                    "pthread_t other;\n    if (pthread_create(&other, NULL, thread, self) == 0) pthread_join(other, NULL);\n    "
                        + Self.eventEnd
                ),
            ],
            said: "off the main thread a plug-in may only call log and post")
        #expect(Self.page.contains("`\(mistake.said)`"))
        let folder = try desk()
        let library = "\(folder.path)/libmine.so"
        try folder.write(try broken(mistake), to: "mine.c")
        try compile(
            "gcc",
            ["-shared", "-fPIC", "-pthread", "-I\(Checkout.header)", "\(folder.path)/mine.c", "-o", library])
        let client = try SeamProcess(["--plugin", library]).connect()
        try client.call("sim.create", #"{"scenario":"mine.carried","id":"m"}"#)
        try client.call("sub.open", #"{"sim":"m","start":"now"}"#)
        try client.call("sim.send", #"{"sim":"m","event":"rename"}"#)
        let finding = try #require(try client.events(through: "diagnostic").last?.params)
        #expect(finding["code"]?.text == "plugin-misbehaving")
        #expect(finding["text"]?.text?.contains(mistake.said) == true)
        #expect(try client.call("sim.get", #"{"sim":"m"}"#)["fields"]?[0]?["shown"]?.text == "Final")
    }

    /// mine.c with the mistake in it.
    private func broken(_ mistake: Mistake) throws -> String {
        var source = try block("mine.c")
        for (from, to) in mistake.change {
            try #require(source.components(separatedBy: from).count == 2, "mine.c has not one \(from)")
            source = source.replacing(from, with: to)
        }
        return source
    }

    // MARK: Tables

    @Test("the table of who may call what is that of the kernel")
    func states() throws {
        let columns: [[Phase]] = [
            [.creating], [.dispatching], [.bridging], [.dismantling], [.destroying], [.created, .idle],
            [.failed],
        ]
        // Nothing after destroy, as the page says above the table.
        #expect(HostCall.allCases.allSatisfy { !StateTable.permits($0, in: .destroyed) })
        #expect(Set(columns.joined() + [.destroyed]) == Set(Phase.allCases))

        let lines = Self.page.split(separator: "\n", omittingEmptySubsequences: false)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| | create |") })
        var told: Set<String> = []
        for line in lines[(head + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == columns.count + 1, "\(line)")
            for name in cells[0].matches(of: /`([a-z_]+)`/).map({ String($0.1) }) {
                let call = try #require(
                    HostCall.allCases.first { snakeCase("\($0)") == name }, "\(name) is no service")
                #expect(told.insert(name).inserted, "\(name) is there twice")
                for (cell, phases) in zip(cells.dropFirst(), columns) {
                    for phase in phases {
                        #expect(StateTable.permits(call, in: phase) == !cell.isEmpty, "\(name) in \(phase)")
                    }
                }
            }
        }
        #expect(told == Set(HostCall.allCases.map { snakeCase("\($0)") }))
    }

    @Test("what to call when speaks of every service, and of none that the header does not have")
    func services() throws {
        let section = try #require(
            Self.page.components(separatedBy: "## What to call when").last?
                .components(separatedBy: "\n## ").first)
        let cells = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map {
            $0.split(separator: "|")[1]
        }
        let names = Set(cells.flatMap { $0.matches(of: /`([a-z_]+)`/).map { String($0.1) } })
        let header = try String(contentsOfFile: "\(Checkout.header)/seam_plugin.h", encoding: .utf8)
        for name in names { #expect(header.contains("(*\(name))("), "\(name) is in no table of the header") }
        let known = Set(HostCall.allCases.map { snakeCase("\($0)") })
        // fail stands there as the line of code that it is; screen_clear and the three that read explain themselves.
        let rest = ["fail", "screen_clear", "screen_get", "model_get", "get_interface"]
        #expect(known.subtracting(names).subtracting(rest) == [])
    }

    private func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
    }
}
