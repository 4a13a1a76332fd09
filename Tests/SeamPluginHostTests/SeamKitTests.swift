import CSeamABI
import Foundation
import SeamKernel
import SeamKit
@testable import SeamPluginHost
import SeamTestSupport
import Testing

private struct DraftState: ModelState {
    var text = "one"
    var note: String?

    static var keys: [Key<Self>] {
        [Key("text", \.text), Key("note", \.note), Key("length", computed: \.text.count)]
    }
}

/// A text control with a delegate, as far as a simulation has one.
private final class TextView: NativeView {
    weak var delegate: DraftCoordinator?
    var text = "" { didSet { screen["text"] = text } }

    func type(_ typed: String) {
        text = typed
        delegate?.textViewDidChange(self)
    }
}

@MainActor
private final class DraftCoordinator {
    var parent: NativeDraft
    var observer: PendingWork?

    init(_ parent: NativeDraft) { self.parent = parent }

    func textViewDidChange(_ view: TextView) {
        if parent.text != view.text { parent.text = view.text }
    }
}

private struct NativeDraft: UIViewRepresentable {
    @SeamKit.Binding var text: String
    /// Which line of the good editor is missing.
    let fault: String

    func makeCoordinator() -> DraftCoordinator { DraftCoordinator(self) }

    func makeUIView(context: Context) -> TextView {
        let view = TextView()
        view.delegate = context.coordinator
        context.coordinator.observer = observe(of: "background") { view.text = "observed" }
        if fault == "timer" { after(milliseconds: 5) { view.text = "late" } }
        return view
    }

    func updateUIView(_ view: TextView, context: Context) {
        if fault != "stale" { context.coordinator.parent = self }
        if fault == "recreated" {
            let other = TextView()
            other.text = text
            context.replaceView(with: other)
            return
        }
        if fault == "unguarded" || view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: TextView, coordinator: DraftCoordinator) {
        if coordinator.parent.fault != "leak" { coordinator.observer?.cancel() }
        view.delegate = nil
    }
}

private struct DraftView: SeamKit.View {
    let state: DraftState

    var body: some SeamKit.View {
        Field("length", state.text.count)
        if let note = state.note {
            Field("note", note)
        } else {
            Field("note", String?.none)
        }
    }
}

private final class Draft: SeamKit.Scenario {
    static var fault = ""

    static let about = About("test.draft", title: "Draft", summary: "An editor, and its length beside it.")
    static let parameters = [Parameter.text("text", "Text", initial: "one")]
    static let editor = SeamKit.Screen("Editor", .declarative, fields: ["text"])
    static let strip = SeamKit.Screen("Strip", .imperative, fields: ["length", "note"])
    static let screens = [editor, strip]
    static let wrapping = Wrapping(
        "draft", on: editor, carrying: DraftState.self,
        events: [
            NativeEvent("type", "Somebody types", arguments: [.text("text", "Text")]) { view, arguments in
                view.type(try arguments.value("text"))
            }
        ]
    ) { NativeDraft(text: $0.binding(\.text), fault: Draft.fault) }
    static let embedding = Embedding("strip", on: strip, carrying: DraftState.self) {
        DraftView(state: $0.state)
    }
    static let bridges: [SeamKit.Bridge] = [wrapping, embedding]
    static let events: [SeamKit.Event<Draft>] = [
        .init("refresh", "Refresh") { draft, _ in draft.host?.rootView = DraftView(state: draft.draft) },
        .init("note", "Note", arguments: [.text("text", "Text")]) { draft, arguments in
            draft.draft.note = arguments["text"]
        },
        .init("background", "The app goes to the background") { _, _ in post(notification: "background") },
        .init("task", "Task") { _, _ in _ = task { log("never") } },
        .init("later", "Later") { draft, _ in later { draft.draft.text = "later" } },
        .init("throw", "Throw") { _, _ in throw ScenarioError("the disk is full") },
        .init("leave", "Leave") { draft, _ in draft.mount?.unmount() },
        .init("hide", "Hide") { draft, _ in draft.host?.removeFromParent() },
        .init("post", "Post") { draft, _ in
            let poster = poster { draft.draft.text = "posted" }
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                poster.post()
                isDone.signal()
            }
            isDone.wait()
        },
    ]
    static let script: [SeamKit.Step] = [
        .set("text", "two"), .send("note", ["text": "n"]), .send("type", ["text": "three"]), .assign("strip"),
        .update("draft"), .advance(milliseconds: 3), .mount("draft", label: "m"),
        .unmount("draft", mount: "m"),
        .clear("note"), .check("draft"),
    ]
    static let checks = [
        SeamKit.Check("draft", of: editor, fields: ["text"]),
        SeamKit.Check("draft", of: strip, expecting: ["length": .matching]),
    ]

    @Model var draft = DraftState()
    var host: HostingController<DraftView>?
    var mount: SeamKit.Mount?

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }

    func start() throws {
        mount = try Self.wrapping.mount()
        host = try HostingController(Self.embedding, rootView: DraftView(state: draft))
    }
}

private final class Wrong: SeamKit.Scenario {
    static let about = About("test.wrong", title: "Wrong", summary: "Its script names what is not there.")
    static let screens = [SeamKit.Screen("S", .declarative, fields: ["f"])]
    static let script: [SeamKit.Step] = [.assign("host")]
    init(_ parameters: Values) {}
}

/// The SDK's tables as the host reads them, without a library between: the test links both sides.
@MainActor
private enum Linked {
    static let plugin = Plugin("test.kit", name: "Kit", version: "1", scenarios: [Draft.self])
    static let wrong = Plugin("test.wrong", name: "Wrong", version: "1", scenarios: [Wrong.self])

    static func offer(_ low: UInt32 = 1, _ high: UInt32 = 1, box: UnsafeMutablePointer<String>)
        -> seam_offer_v1
    {
        seam_offer_v1(
            magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_offer_v1>.size), abi_min: low, abi_max: high,
            host_name: nil, host_version: nil, library_path: nil, self: box,
            explain: { box, why in
                let bytes = UnsafeRawBufferPointer(start: why.ptr, count: why.len)
                box?.assumingMemoryBound(to: String.self).pointee = String(decoding: bytes, as: UTF8.self)
            })
    }

    static func simulation(_ hooks: PluginHooks = PluginHooks()) throws -> (Simulation, Turn) {
        var said = ""
        var offer = offer(box: &said)
        let answer = try #require(plugin.answer(&offer), "\(said)")
        #expect(plugin.answer(&offer) == answer)
        let path = PathText.of("/test/kit")
        let descriptor: Descriptor
        do { descriptor = try Descriptor(answer, path: path, file: "/test/kit") } catch {
            Issue.record("\(error.text)")
            throw error
        }
        let table = descriptor.scenarios[0]
        let simulation = Simulation(
            id: "s1", scenario: table.scenario, body: PluginInstance(table: table, hooks: hooks))
        opened.append(simulation)
        return (simulation, try simulation.start(parameters: ["one"]))
    }
}

extension PluginHost {
    @MainActor @Suite struct Kit {
        func event(_ simulation: Simulation, _ id: String, _ arguments: [String?] = []) throws -> Turn {
            let index = try #require(simulation.scenario.events.firstIndex { $0.id == id })
            return try simulation.apply(.send(index, arguments: arguments, mount: nil))
        }

        func run(_ fault: String, _ body: (Simulation, Turn) throws -> Void) throws {
            try asHost {
                Draft.fault = fault
                let (simulation, turn) = try Linked.simulation()
                try body(simulation, turn)
            }
        }

        @Test("an editor that works: in, out, repeated, removed, without a finding")
        func good() throws {
            try run("") { (simulation, start) throws in
                #expect(start.said.isEmpty && start.failure == nil)
                #expect(
                    simulation.shown("Editor", "text") == "one" && simulation.shown("Strip", "length") == "3")
                #expect(try simulation.apply(.modelWrite([("text", "inward")])).said.isEmpty)
                #expect(simulation.shown("Editor", "text") == "inward")
                #expect(try event(simulation, "type", ["outward"]).said.isEmpty)
                #expect(simulation.field(0).model == "outward" && simulation.field(0).shown == "outward")
                #expect(try simulation.apply(.update(0, mount: nil)).said.isEmpty)
                #expect(simulation.shown("Strip", "length") == "3")
                #expect(try event(simulation, "refresh").said.isEmpty)
                #expect(simulation.shown("Strip", "length") == "7")
                #expect(try event(simulation, "leave").said.isEmpty)
                #expect(simulation.shown("Editor", "text") == nil)
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        @Test(
            "each missing line has its finding",
            arguments: [
                ("stale", "stale-parent"), ("recreated", "recreated-control"),
                ("unguarded", "redundant-write"),
                ("leak", "leaked-observer"), ("timer", "leaked-resource"),
            ])
        func faults(_ fault: String, _ code: String) throws {
            try run(fault) { (simulation, _) throws in
                var codes = try simulation.apply(.modelWrite([("text", "inward")])).diagnostics.map(\.code)
                codes += try event(simulation, "type", ["outward"]).diagnostics.map(\.code)
                codes += try simulation.apply(.update(0, mount: nil)).diagnostics.map(\.code)
                codes += try event(simulation, "leave").diagnostics.map(\.code)
                #expect(Set(codes) == [code])
                try simulation.advance(to: 10_000_000) { turn in
                    #expect(
                        turn.diagnostics.map(\.code) == (fault == "timer" ? ["callback-after-dismantle"] : [])
                    )
                }
            }
        }

        @Test("no value in the model is nil in the state, and comes back as no value")
        func optional() throws {
            try run("") { (simulation, _) throws in
                _ = try event(simulation, "note", ["hello"])
                _ = try event(simulation, "refresh")
                #expect(simulation.shown("Strip", "note") == "hello")
                _ = try event(simulation, "note", [nil])
                #expect(simulation.field(2).model == nil)
                _ = try event(simulation, "refresh")
                #expect(simulation.shown("Strip", "note") == nil)
            }
        }

        @Test("later is a round of the same turn, a post a turn of its own")
        func later() throws {
            try asHost {
                Draft.fault = ""
                let hooks = PluginHooks()
                var posts: [UInt64] = []
                hooks.post = { posts.append($1) }
                let (simulation, _) = try Linked.simulation(hooks)
                _ = try event(simulation, "later")
                #expect(simulation.shown("Editor", "text") == "later")
                _ = try event(simulation, "post")
                Inbox.shared.deliver()
                #expect(posts.count == 1)
                for token in posts { _ = try simulation.apply(.tick(token)) }
                #expect(simulation.shown("Editor", "text") == "posted")
            }
        }

        @Test("a notification reaches whoever observes it by name, until they stop")
        func notification() throws {
            try run("") { (simulation, _) throws in
                #expect(try event(simulation, "background").said.isEmpty)
                #expect(simulation.shown("Editor", "text") == "observed")
                _ = try event(simulation, "leave")
                #expect(try event(simulation, "background").said.isEmpty)
                #expect(simulation.shown("Editor", "text") == nil)
            }
            try run("leak") { (simulation, _) throws in
                _ = try event(simulation, "leave")
                #expect(
                    try event(simulation, "background").diagnostics.map(\.code) == [
                        "callback-after-dismantle"
                    ])
            }
        }

        @Test("a task has no turn to run in unless the scenario drains the main queue, and is told so")
        func task() throws {
            try run("") { (simulation, _) throws in
                let turn = try event(simulation, "task")
                #expect(turn.diagnostics.map(\.code) == ["task-not-run"])
                #expect(turn.said[0].contains("say drainsMainQueue in its About"))
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        @Test("what an event throws fails the simulation with its words")
        func throwing() throws {
            try run("") { (simulation, _) throws in
                #expect(try event(simulation, "throw").failure == "event: the disk is full")
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        @Test("a hosted view that is taken off shows nothing, and its controller can be used without harm")
        func hidden() throws {
            try run("") { (simulation, _) throws in
                #expect(try event(simulation, "hide").said.isEmpty)
                #expect(simulation.shown("Strip", "length") == nil)
                #expect(
                    try event(simulation, "refresh").diagnostics.map(\.code) == ["callback-after-dismantle"])
                #expect(simulation.status == .running)
            }
        }

        @Test("the script's names become indexes")
        func script() throws {
            try run("") { (simulation, _) throws in
                let scenario = simulation.scenario
                #expect(scenario.script.count == 10)
                #expect(scenario.events.map(\.bridge) == [nil, nil, nil, nil, nil, nil, nil, nil, nil, 0])
                guard case .event(9, let arguments, nil) = scenario.script[2] else {
                    Issue.record("\(scenario.script[2])")
                    return
                }
                #expect(arguments == ["three"])
                #expect(scenario.checks.map(\.screen) == [0, 1])
                #expect(scenario.checks[0].expected == nil && scenario.checks[1].expected == [.matching])
            }
        }

        @Test("a plug-in declines another ABI, and a script that names what is not there")
        func declines() throws {
            asHost {
                var said = ""
                var other = Linked.offer(2, 3, box: &said)
                #expect(Linked.plugin.answer(&other) == nil)
                #expect(said == "Kit is built for ABI major 1, the host offers 2 to 3")
                var offer = Linked.offer(box: &said)
                #expect(Linked.wrong.answer(&offer) == nil)
                #expect(
                    said == "scenario test.wrong: step 1 of the script names the bridge host; there is none")
            }
        }
    }
}
