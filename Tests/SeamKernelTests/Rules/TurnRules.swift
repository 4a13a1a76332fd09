import SeamKernel
import Testing

/// R20–R26 and R73: what one turn is, and when in it something happens.
@Suite struct TurnRules {
    @Test func `R20: several writes in one handler are one update with the last values`() throws {
        let stage = try Stage(.wrap)
        _ = stage.calls()
        try stage.handle { simulation in
            _ = simulation.modelSet("a", "2")
            _ = simulation.modelSet("a", "3")
            _ = simulation.modelSet("a", "4")
        }
        #expect(stage.calls() == ["update 1 input gen 2"])
        #expect(stage.simulation.shown("a") == "4")
    }

    @Test func `R20: by policy each write is an update of its own, with the value of its moment`() throws {
        let stage = try Stage(.wrap, ["coalesce=write"])
        var seen: [String?] = []
        stage.body.onUpdate = { _, _, inputs, _ in
            seen.append(inputs.values[0])
            return .ok
        }
        try stage.handle { simulation in
            for value in ["2", "3", "4"] { _ = simulation.modelSet("a", value) }
        }
        #expect(seen == ["2", "3", "4"])
    }

    /// Plain writes fold into one change, a transaction is a border: 0, then 2, then 4.
    @Test func `R20: what a transaction separates is two updates`() throws {
        let stage = try Stage(.wrap)
        var seen: [String?] = []
        stage.body.onUpdate = { _, _, inputs, _ in
            seen.append(inputs.values[0])
            return .ok
        }
        try stage.handle { simulation in
            _ = simulation.modelSet("a", "1.5")
            _ = simulation.modelSet("a", "2")
            _ = simulation.transaction()
            _ = simulation.modelSet("a", "3")
            _ = simulation.modelSet("a", "4")
        }
        #expect(seen == ["2", "4"])
    }

    @Test(arguments: [(["change-test=value"], []), (["change-test=publish"], ["update 1 input gen 2"])])
    func `R21: set and reset in one turn is no update, unless every write counts`(
        policies: [String], calls: [String]
    ) throws {
        let stage = try Stage(.wrap, policies)
        _ = stage.calls()
        try stage.handle { simulation in
            _ = simulation.modelSet("a", "2")
            _ = simulation.modelSet("a", "1")
        }
        #expect(stage.calls() == calls)
    }

    @Test func `R22: publishing an equal value signals, a change test by value hears nothing`() throws {
        let publishing = try Stage(.wrap, ["change-test=publish"])
        _ = publishing.calls()
        try publishing.set("a", "1")
        #expect(publishing.calls() == ["update 1 input gen 2"])
        let testing = try Stage(.wrap)
        _ = testing.calls()
        try testing.set("a", "1")
        #expect(testing.calls() == [])
    }

    @Test func `R22: whoever draws at the signal draws the value before`() throws {
        let stage = try Stage(.embed, ["capture=signal"], observed: true)
        try stage.set("a", "2")
        #expect(stage.simulation.shown("a") == "1" && stage.verdict("a") == "stale")
        try stage.set("a", "3")
        #expect(stage.simulation.shown("a") == "2")
        let settled = try Stage(.embed, observed: true)
        try settled.set("a", "2")
        #expect(settled.simulation.shown("a") == "2" && settled.verdict("a") == "matching")
    }

    @Test func `R23: a deferred write carries the value of its moment, or reads the control again`() throws {
        for (isReread, model) in [(false, "first"), (true, "second")] {
            let stage = try Stage(.wrap, ["updates=manual"])
            try stage.handle { simulation in
                _ = simulation.nativeChange(1, "a", "first")
                _ = simulation.writeLater(1, "a", captured: "first", isReread: isReread, delay: 5_000_000)
                _ = simulation.nativeChange(1, "a", "second")
            }
            #expect(stage.simulation.modelValue("a") == "1")
            try stage.simulation.advance(to: 5_000_000) { _ in }
            #expect(stage.simulation.modelValue("a") == model)
        }
    }

    @Test func `R24: writes in flight are counted, and an update says how many it looked past`() throws {
        let stage = try Stage(.wrap)
        var count = 0
        try stage.handle { simulation in
            _ = simulation.writeLater(1, "a", captured: "x", isReread: false, delay: 1_000_000)
            _ = simulation.writeLater(1, "a", captured: "y", isReread: false, delay: 2_000_000)
            _ = simulation.inFlight(1, "a", &count)
        }
        #expect(count == 2)
        let turn = try stage.apply(.update(0, mount: nil))
        #expect(turn.calls.map(\.inFlight) == [2])
        try stage.simulation.advance(to: 2_000_000) { _ in }
        try stage.handle { _ = $0.inFlight(1, "a", &count) }
        #expect(count == 0)
    }

    @Test(arguments: [10, 11])
    func `R24: a turn that is cut off leaves no write in flight for ever`(limit: Int) throws {
        let stage = try Stage(.wrap, ["round-limit=\(limit)"])
        var count = 0
        stage.body.onUpdate = { simulation, _, _, _ in
            _ = simulation.writeLater(
                1, "a", captured: "\(simulation.turn).\(count)", isReread: false, delay: 0)
            count += 1
            return .ok
        }
        let turn = try stage.set("a", "2")
        #expect(turn.codes.contains("feedback-loop"))
        try stage.handle { _ = $0.inFlight(1, "a", &count) }
        #expect(count == 0)
    }

    @Test func `R25: verdicts are told at settle; a read before it is labelled and answered apart`() throws {
        let stage = try Stage(.wrap)
        let turn = try stage.simulation.apply(
            .modelWrite([("a", "2")]), interim: Interim(after: .event, fields: [0]))
        #expect(turn.verdicts == ["matching>matching"])
        let seen = try #require(turn.interim)
        #expect(seen.fields.map(\.verdict) == [.stale] && seen.fields[0].shown == "1")
        #expect(seen.diagnostics.map(\.code) == ["unsettled-read"] && turn.codes.isEmpty)
        #expect(seen.diagnostics[0].text.contains("stale then, matching at settle"))
        // A read that holds is no finding.
        let quiet = try stage.simulation.apply(.settle, interim: Interim(fields: [0]))
        #expect(quiet.interim?.diagnostics.isEmpty == true && quiet.interim?.fields[0].verdict == .matching)
    }

    @Test(
        arguments: [
            ("draw=round", [.stale, .matching, .matching]), ("draw=layout", [.stale, .matching, .matching]),
            ("draw=frame", [.stale, .stale, .matching]),
        ] as [(String, [Verdict])])
    func `R25: idle covers the layout and the frame pass`(policy: String, verdicts: [Verdict]) throws {
        for (after, verdict) in zip(Interim.After.allCases, verdicts) {
            let stage = try Stage(.embed, [policy], observed: true)
            let turn = try stage.simulation.apply(
                .modelWrite([("a", "2")]), interim: Interim(after: after, fields: [0]))
            #expect(turn.interim?.fields.map(\.verdict) == [verdict], "\(policy) \(after)")
            #expect(stage.verdict("a") == "matching")
        }
    }

    @Test func `R26: an asynchronous bridge is behind for one turn, and says that this is by design`() throws
    {
        let stage = try Stage(.wrap, ["inward=next-turn"])
        let first = try stage.set("a", "2")
        #expect(first.verdicts == ["matching>stale"] && first.codes == ["transient-divergence"])
        #expect(stage.simulation.nextDeadline == 0)
        let second = try stage.apply(.settle)
        #expect(second.verdicts == ["stale>matching"] && second.codes.isEmpty)
        #expect(stage.simulation.nextDeadline == nil)
    }

    @Test func `R73: a value event is flushed inside the event, before its first round`() throws {
        for (policy, verdict) in [("flush=in-event", Verdict.matching), ("flush=later", .stale)] {
            let stage = try Stage(.wrap, [policy])
            let turn = try stage.simulation.apply(
                .modelWrite([("a", "2")]), interim: Interim(after: .event, fields: [0]))
            #expect(turn.interim?.fields.map(\.verdict) == [verdict], "\(policy)")
        }
    }

    @Test(
        arguments: [
            ("sync", ["tick", "update 1 input gen 2"]), ("pre", ["tick", "update 1 input gen 2"]),
            ("post", ["update 1 input gen 2", "tick"]),
        ])
    func `R73: a callback comes before the draw, after it, or at the write`(phase: String, calls: [String])
        throws
    {
        let stage = try Stage(.wrap, ["callback-phase=\(phase)"])
        try stage.handle { _ = $0.watch(1, "a", 7) }
        _ = stage.calls()
        let turn = try stage.simulation.apply(
            .modelWrite([("a", "2")]), interim: Interim(after: .event, fields: [0]))
        #expect(stage.calls() == calls)
        // Only at the write has it run before the first round.
        #expect(turn.calls[0].kind == (phase == "post" ? .update : .tick))
        #expect((turn.calls.first { $0.kind == .tick }?.round == 1) == (phase != "post"))
    }

    @Test func `R73: a callback at the write sees the model and no draw yet`() throws {
        let stage = try Stage(.embed, ["callback-phase=sync"], observed: true)
        var seen: [String?] = []
        stage.body.onTick = { simulation, _ in
            var value: String?
            _ = simulation.modelGet("a", &value)
            seen = [value, simulation.shown("a")]
            return .ok
        }
        try stage.handle { _ = $0.watch(1, "a", 7) }
        try stage.set("a", "2")
        #expect(seen == ["2", "1"])
    }

    @Test func `a model that is watched for its changes from outside is so without a bridge as well`() throws
    {
        let stage = try Stage(.wrap, bridges: 0, isMounted: false)
        var seen: [String?] = []
        stage.body.onTick = { simulation, _ in
            var value: String?
            _ = simulation.modelGet("a", &value)
            seen.append(value)
            return .ok
        }
        try stage.handle { _ = $0.watch(0, "a", 7) }
        try stage.set("a", "2")
        try stage.set("a", "2")
        try stage.handle { _ = $0.modelSet("a", "3") }
        try stage.set("other", "4")
        #expect(seen == ["2"])
    }

    @Test(arguments: [Scenario.BridgeKind.wrap, .embed])
    func
        `R26: what an asynchronous bridge carries is of the turn before, also while the next change is on its way`(
            kind: Scenario.BridgeKind
        ) throws
    {
        let stage = try Stage(kind, ["inward=next-turn"], observed: kind == .embed)
        try stage.apply(.settle)
        try stage.set("a", "7")
        for (value, shown) in [("8", "7"), ("9", "8")] {
            let turn = try stage.set("a", value)
            #expect(stage.simulation.shown("a") == shown && stage.verdict("a") == "stale")
            #expect(turn.codes == ["transient-divergence"] && stage.codes(["a"]) == [])
        }
        try stage.apply(.settle)
        #expect(stage.simulation.shown("a") == "9" && stage.verdict("a") == "matching")
        #expect(try stage.apply(.settle).calls.isEmpty)
    }
}
