import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Plugins/Pasted: the lesson, the counter and the representables once more, as code with `import SwiftUI` and
/// `import UIKit` at its top. What comes of it has to be what comes of the scenarios that say the same by hand.
@Suite struct PastedTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        var byHand: String
        var pasted: String
        var testDescription: String { pasted }
    }

    static let pairs = [
        ("lessons.hosting-unassigned", "pasted.hosting-unassigned"),
        ("lessons.hosting-assigned", "pasted.hosting-assigned"),
        ("lessons.own-state", "pasted.own-state"),
        ("lessons.wrapping-empty", "pasted.wrapping-empty"),
        ("lessons.wrapping-filled", "pasted.wrapping-filled"),
        ("counter.observed", "pasted.counter-observed"),
        ("counter.copied", "pasted.counter-copied"),
        ("counter.not-captured", "pasted.counter-not-captured"),
        ("counter.notification", "pasted.counter-notification"),
        ("counter.environment", "pasted.counter-environment"),
        ("counter.controller", "pasted.counter-controller"),
        ("coordinator.label", "pasted.label"),
        ("coordinator.label-recreated", "pasted.label-recreated"),
        ("coordinator.draft", "pasted.draft"),
        ("coordinator.draft-stale-parent", "pasted.draft-stale-parent"),
        ("coordinator.draft-unguarded", "pasted.draft-unguarded"),
        ("coordinator.draft-not-dismantled", "pasted.draft-not-dismantled"),
        ("coordinator.draft-loop", "pasted.draft-loop"),
        ("coordinator.cancel", "pasted.cancel"),
        ("coordinator.cancel-not-shown", "pasted.cancel-not-shown"),
        ("coordinator.model", "pasted.model"),
        ("coordinator.model-discarded", "pasted.model-discarded"),
        ("coordinator.timer", "pasted.timer"),
        ("coordinator.timer-not-cancelled", "pasted.timer-not-cancelled"),
        ("coordinator.task", "pasted.task"),
        ("coordinator.task-not-cancelled", "pasted.task-not-cancelled"),
        ("coordinator.origin", "pasted.origin"),
        ("coordinator.origin-suppressed", "pasted.origin-suppressed"),
        ("coordinator.origin-unknown", "pasted.origin-unknown"),
        ("coordinator.validation", "pasted.validation"),
        ("coordinator.validation-in-callback", "pasted.validation-in-callback"),
    ].map(Pair.init)

    /// Every line that a run of the scenario's own script leaves in the stream, and its reply with the checks. What is
    /// new for each run, and the scenario's name, are taken out.
    private func played(_ scenario: String) throws -> [String] {
        let daemon = try SeamProcess()
        let client = try TestClient(path: daemon.socket, of: daemon)
        _ = try client.call("sub.open", #"{"mode":"all"}"#)
        let reply = try client.call("sim.run", #"{"scenario":"\#(scenario)","id":"s"}"#)
        _ = try client.call("seam.ping")
        let lines = client.takeEvents().filter { $0.kind != "mark" && $0.kind != "sync" }.map(\.line)
        return (lines + [reply.encoded]).map {
            $0.replacing(/"epoch":"[0-9a-f]{16}"/, with: "").replacing(scenario, with: "SCENARIO")
        }
    }

    @Test("ordinary code gives the stream of the scenario that says the same by hand", arguments: pairs)
    func same(_ pair: Pair) throws {
        let (byHand, pasted) = (try played(pair.byHand), try played(pair.pasted))
        #expect(byHand.count > 3)
        for (index, lines) in zip(byHand, pasted).enumerated() where lines.0 != lines.1 {
            Issue.record("line \(index + 1)\n  by hand \(lines.0)\n  pasted  \(lines.1)")
        }
        #expect(
            byHand.count == pasted.count,
            "\(byHand.dropFirst(pasted.count)) \(pasted.dropFirst(byHand.count))")
    }

    @Test("each scenario of Lessons, Counter and Coordinator has its twin")
    func complete() throws {
        let daemon = try SeamProcess()
        let client = try TestClient(path: daemon.socket, of: daemon)
        let byHand = try client.scenarios().compactMap { $0["id"]?.text }.filter {
            ["lessons", "counter", "coordinator"].contains($0.prefix { $0 != "." })
        }
        #expect(byHand.count > 20)
        #expect(Set(byHand) == Set(Self.pairs.map(\.byHand)))
    }

    /// The mount lives on under another identity, and with it the observer of the control that it had before.
    @Test(
        "an observer that a former control left behind is told when it is called, and the next one's is not",
        arguments: ["coordinator", "pasted"], ["old-first", "new-first"])
    func leftBehind(by family: String, order: String) throws {
        let daemon = try SeamProcess()
        let client = try TestClient(path: daemon.socket, of: daemon)
        _ = try client.call("sub.open", #"{"mode":"all"}"#)
        _ = try client.call(
            "sim.create",
            #"{"scenario":"\#(family).draft-not-dismantled","id":"s","policies":{"replace-order":"\#(order)"}}"#
        )
        func codes(_ method: String, _ params: String) throws -> [String] {
            _ = client.takeEvents()
            _ = try client.call(method, params)
            _ = try client.call("seam.ping")
            return client.takeEvents().compactMap { $0.kind == "diagnostic" ? $0.params?["code"]?.text : nil }
        }
        #expect(try codes("bridge.identify", #"["s","draft","first"]"#) == [])
        #expect(
            try codes("bridge.identify", #"["s","draft","second"]"#) == [
                "recreated-control", "leaked-observer",
            ])
        #expect(
            try codes("sim.send", #"{"sim":"s","event":"resignActive"}"#) == ["callback-after-dismantle"])
        // The new control is there, and goes on.
        _ = try client.call("model.set", #"{"sim":"s","values":{"text":"Dear Grace"}}"#)
        let field = try client.call("sim.get", #"["s"]"#)["fields"]?[0]
        #expect(field?["verdict"] == "matching" && field?["shown"] == "Dear Grace")
    }

    @Test(
        "a host that goes with what it lies in is nobody's late work: another mount has its place by then",
        arguments: [("fieldcases.fc-006-fixed", "pages"), ("fieldcases.fc-008-fixed", "panel")])
    func goneWithItsPlace(scenario: String, bridge: String) throws {
        let daemon = try SeamProcess()
        let client = try TestClient(path: daemon.socket, of: daemon)
        _ = try client.call("sub.open", #"{"mode":"all"}"#)
        _ = try client.call("sim.create", #"{"scenario":"\#(scenario)","id":"s"}"#)
        _ = client.takeEvents()
        _ = try client.call("bridge.items", #"{"sim":"s","bridge":"\#(bridge)","items":["c"]}"#)
        // What ends with its last owner is posted: it is there before the next turn but one.
        for _ in 0..<2 { _ = try client.call("sim.advance", #"{"sim":"s","ms":1}"#) }
        #expect(client.takeEvents().filter { $0.kind == "diagnostic" }.map(\.line) == [])
    }
}
