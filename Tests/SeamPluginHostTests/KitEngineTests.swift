import CSeamABI
import Foundation
import SeamKernel
import SeamKit
@testable import SeamPluginHost
import Testing

// The engine's tables through SeamKit: each event says one thing, and what the host made of it is in the fields.

private struct RowState: ModelState {
    var title = "Ann"
    static var keys: [Key<Self>] { [Key("title", \.title)] }
}

/// A row that hears of its life, and shows state of its own beside what it carries.
private final class RowView: NativeView {
    var moments: [Moment] = []

    override func hear(_ moment: Moment) {
        moments.append(moment)
        if moment == .reset { screen["title"] = nil }
    }
}

private struct Row: UIViewRepresentable {
    let title: String

    func makeUIView(context: Context) -> RowView { RowView() }

    func updateUIView(_ view: RowView, context: Context) {
        if let mount = SeamKit.Mount.current {
            view.screen["open"] = mount.startState("open", "no")
            view.screen["owner"] = mount.item?.id
            view.screen["locale"] = mount[environment: "locale"]
        }
        if view.screen["title"] != title { view.screen["title"] = title }
        EngineScenario.current?.view = view
    }
}

private final class EngineScenario: SeamKit.Scenario {
    static let about = About(
        "test.engine", title: "Engine", summary: "What SeamKit says of the engine's tables.")
    static let screen = SeamKit.Screen(
        "Row", .declarative, fields: ["title", "open", "owner", "locale", "said"])
    static let screens = [screen]
    static let wrapping = Wrapping("row", on: screen, carrying: RowState.self, policies: ["hooks=told"]) {
        Row(title: $0.state.title)
    }
    static let bridges: [SeamKit.Bridge] = [wrapping]
    static let script: [SeamKit.Step] = [
        .activity("row", window: false, scene: .inactive, hidden: true, size: false, parked: true),
        .check("@now"),
        .identify("row", as: "x"), .items("row", [SeamKit.Item(id: "a", value: "1"), SeamKit.Item(id: "b")]),
        .rebind("row", to: "y"), .dismiss("row"), .environment("locale", "de"),
        .environment("locale", nil, bridge: "row"), .updateFor("row", reason: "layout"),
    ]
    static let checks = [SeamKit.Check("@now", of: screen, fields: ["title"])]
    /// The one that a test runs.
    static weak var current: EngineScenario?

    @Model var row = RowState()
    var mount: SeamKit.Mount?
    weak var view: RowView?
    private var object: SharedObject?
    private var subscription: ObjectSubscription?
    private var bound: HostBinding?

    init(_ parameters: Values) { Self.current = self }

    func start() throws {
        setEnvironment("locale", "en")
        mount = try Self.wrapping.mount(in: nil, item: SeamKit.Item(id: "ann"))
    }

    static let events: [SeamKit.Event<EngineScenario>] = [
        .init("do", "Do", arguments: [.text("what", "What")]) { scenario, values in
            try scenario.act(try values.value("what"))
        }
    ]

    private func say(_ text: String) { row.title = text }

    private func act(_ what: String) throws {
        guard let mount else { return }
        switch what {
        case "park": mount.activity.isParked = true
        case "return": mount.activity.isParked = false
        case "where":
            let activity = mount.activity
            say("\(activity.hasWindow) \(activity.scene) \(activity.isHidden) \(activity.isParked)")
        case "open": mount[state: "open"] = "yes"
        case "identify": mount.identify("ann")
        case "identify-other": mount.identify("bo")
        case "rebind": mount.rebind(to: SeamKit.Item(id: "bo", value: "2"))
        case "locale": mount[environment: "locale"] = "fr"
        case "items":
            try Self.wrapping.show((0..<300).map { SeamKit.Item(id: "item \($0)", value: "\($0)") })
        case "object":
            guard let made = SharedObject() else { return }
            object = mount.hold(made, in: "store", owned: true)
            subscription = mount.subscribe(to: made)
            say("\(object?.isSame(as: made) == true)")
        case "publish": object?.publish()
        case "cancel":
            subscription?.cancel()
            object?.drop()
        case "bind":
            bound = mount.binding(.live, to: "title")
            bound?.value = "bound"
            transaction()
        case "bind-constant":
            bound = mount.binding(.constant("same"), to: "title")
            bound?.value = "other"
            say(bound?.value ?? "none")
            bound?.unbind()
        case "differs":
            let answers = [
                mount.differs("title", "a"), mount.differs("title", "a"), mount.differs("title", "b"),
            ]
            mount.forgetDiffBase("title")
            say("\(answers) \(mount.differs("title", "b"))")
        case "write-later":
            mount.writeLater("title", "late", after: .milliseconds(5))
            mount.setDraft("title", String?.none)
            log("\(mount.inFlight("title"))")
        case "reread":
            mount.nativeChange("title", "typed")
            mount.rereadLater("title", after: .nextTurn)
        case "watch": mount.watch("title") { mount[state: "open"] = "watched" }
        case "command": mount.command { mount[state: "open"] = "commanded" }
        case "ask": say(mount.ask("title", from: 1) ?? "none")
        case "measured": mount.measured()
        case "lift": mount.lift("said", "from below", to: Self.screen)
        case "dismiss": mount.dismiss()
        default: throw ScenarioError("nothing is called \(what)")
        }
    }
}

extension PluginHost {
    @MainActor @Suite struct KitEngine {
        private static let plugin = Plugin(
            "test.kit-engine", name: "Kit", version: "1", scenarios: [EngineScenario.self])

        private func simulation(_ hooks: PluginHooks = PluginHooks()) throws -> Simulation {
            var offer = seam_offer_v1(
                magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_offer_v1>.size), abi_min: 1, abi_max: 1,
                host_name: nil, host_version: nil, library_path: nil, self: nil, explain: nil)
            let answer = try #require(Self.plugin.answer(&offer))
            let descriptor: Descriptor
            do {
                descriptor = try Descriptor(answer, path: PathText.of("/test/kit"), file: "/test/kit")
            } catch {
                Issue.record("\(error.text)")
                throw error
            }
            let table = descriptor.scenarios[0]
            let simulation = Simulation(
                id: "s1", scenario: table.scenario, body: PluginInstance(table: table, hooks: hooks))
            opened.append(simulation)
            #expect(try simulation.start(parameters: []).said.isEmpty)
            return simulation
        }

        private func fields(_ simulation: Simulation) -> [String?] {
            ["title", "open", "owner", "locale"].map { simulation.shown("Row", $0) }
        }

        @Test("what a scenario says of its controls, the host carries out")
        func sayings() throws {
            // What is done, what the fields show then, and the codes that were found beside a write of an equal value.
            let rows: [(what: String, fields: [String?], codes: [String])] = [
                ("where", ["true active false false", "no", "ann", "en"], []),
                ("open", ["Ann", "yes", "ann", "en"], []),
                ("identify", ["Ann", "no", "ann", "en"], []),
                ("rebind", ["Ann", "no", "bo", "en"], ["identity-carried-state"]),
                ("locale", ["Ann", "no", "ann", "fr"], []),
                ("object", ["true", "no", "ann", "en"], []),
                ("bind", ["bound", "no", "ann", "en"], []),
                ("bind-constant", ["same", "no", "ann", "en"], []),
                ("differs", ["[true, false, true] true", "no", "ann", "en"], ["diff-base-out-of-step"]),
                ("command", ["Ann", "commanded", "ann", "en"], []),
                ("ask", ["Ann", "no", "ann", "en"], []),
                ("measured", ["Ann", "no", "ann", "en"], []),
                ("dismiss", [nil, nil, nil, nil], []),
            ]
            for row in rows {
                try asHost {
                    let simulation = try simulation()
                    let turn = try simulation.act(row.what)
                    #expect(turn.failure == nil, "\(row.what)")
                    #expect(fields(simulation) == row.fields, "\(row.what)")
                    let codes = turn.diagnostics.map(\.code).filter { $0 != "redundant-write" }
                    #expect(codes == row.codes, "\(row.what): \(turn.said)")
                    #expect(simulation.destroy().said.isEmpty)
                }
            }
        }

        @Test("parked and back, a view hears of each moment")
        func moments() throws {
            try asHost {
                let simulation = try simulation()
                let view = try #require(EngineScenario.current?.view)
                _ = try simulation.act("park")
                #expect(fields(simulation) == [nil, nil, nil, nil])
                _ = try simulation.act("return")
                #expect(view.moments == [.attach, .appear, .reset, .detach, .attach])
                #expect(fields(simulation) == ["Ann", "no", "ann", "en"])
            }
        }

        @Test("another identity is another view, with state of its own")
        func identity() throws {
            try asHost {
                let simulation = try simulation()
                for what in ["identify", "open", "identify-other"] { _ = try simulation.act(what) }
                #expect(simulation.shown("Row", "open") == "no")
            }
        }

        @Test("a list of many items, an object that signals, a watch, and what flows up")
        func more() throws {
            try asHost {
                let simulation = try simulation()
                #expect(try simulation.act("object").failure == nil)
                #expect(try simulation.act("publish").calls.isEmpty)
                #expect(try simulation.act("cancel").failure == nil)
                _ = try simulation.act("watch")
                _ = try simulation.apply(.modelWrite([("title", "Bo")]))
                #expect(simulation.shown("Row", "open") == "watched")
                _ = try simulation.act("lift")
                #expect(simulation.shown("Row", "said") == "from below")
                #expect(try simulation.act("items").failure == nil)
                #expect(simulation.mounts(of: 0).count == 300)
                #expect(simulation.item(of: simulation.mounts(of: 0)[299])?.id == "item 299")
                #expect(simulation.destroy().failure == nil && simulation.liveCounts.mounts == 0)
            }
        }

        @Test("a late write arrives when it is due, with the value of then or of now")
        func late() throws {
            try asHost {
                let hooks = PluginHooks()
                var lines: [String] = []
                hooks.log = { lines.append($2) }
                let simulation = try simulation(hooks)
                _ = try simulation.act("write-later")
                #expect(lines == ["1"] && simulation.shown("Row", "title") == "Ann")
                try simulation.advance(to: 5_000_000) { _ in }
                #expect(simulation.shown("Row", "title") == "late")
                _ = try simulation.act("reread")
                #expect(simulation.field(0).model == "late" && simulation.field(0).shown == "typed")
                _ = try simulation.apply(.settle)
                #expect(simulation.field(0).model == "typed")
            }
        }

        @Test("the script says what the kernel is to do")
        func script() throws {
            try asHost {
                let steps = try simulation().scenario.script.map { "\($0)" }
                #expect(steps.count == 9)
                #expect(steps[1] == "check(label: \"@now\")")
                #expect(steps[2] == "identify(bridge: 0, mount: nil, id: \"x\")")
                #expect(steps[4] == "rebind(bridge: 0, mount: nil, owner: \"y\")")
                #expect(steps[5] == "dismiss(bridge: 0, mount: nil)")
                #expect(
                    steps[6].hasPrefix("environment(key: \"locale\", value: Optional(\"de\"), bridge: nil"))
                #expect(steps[7].hasPrefix("environment(key: \"locale\", value: nil, bridge: Optional(0)"))
                #expect(steps[8].contains("layout"))
                for part in ["false", "inactive", "true"] { #expect(steps[0].contains(part)) }
            }
        }
    }
}
