import SeamKernel
import Testing

/// An embedding that draws every input from the copy it was given.
private func embedding(
    fields: [String], observed: Bool = false, policies: [(name: String, value: String)] = []
)
    throws -> (Simulation, ScriptedBody)
{
    let body = ScriptedBody()
    body.onStart = { simulation in
        _ = simulation.modelSet(fields[0], "3")
        var mount: MountID = 0
        _ = simulation.mount(0, &mount)
        return .ok
    }
    body.onDraw = { simulation, _, inputs in
        for (key, value) in zip(fields, inputs.values) { _ = simulation.screenSet(0, key, value) }
        return .ok
    }
    let simulation = Simulation(
        id: "s", scenario: scenario(.embed, fields: fields, observed: observed),
        settings: .init(policies: policies),
        body: body)
    _ = try simulation.started()
    return (simulation, body)
}

/// A wrapping whose update is the test's own.
private func wrapping(
    fields: [String] = ["text"], echoes: Bool = false, policies: [(name: String, value: String)] = [],
    update: @escaping (Simulation, BridgeCall, Inputs, inout ObjectID) -> Outcome
) throws -> (Simulation, ScriptedBody) {
    let body = ScriptedBody()
    body.onStart = { simulation in
        _ = simulation.modelSet(fields[0], "3")
        var mount: MountID = 0
        _ = simulation.mount(0, &mount)
        return .ok
    }
    body.onMake = { simulation, _, inputs in
        for (key, value) in zip(fields, inputs.values) { _ = simulation.screenSet(0, key, value) }
        return .ok
    }
    body.onUpdate = update
    let simulation = Simulation(
        id: "s", scenario: scenario(.wrap, fields: fields, echoes: echoes),
        settings: .init(policies: policies),
        body: body)
    _ = try simulation.started()
    return (simulation, body)
}

@Sendable private func unguarded(
    _ simulation: Simulation, _: BridgeCall, _ inputs: Inputs, _: inout ObjectID
) -> Outcome {
    _ = simulation.screenSet(0, "text", inputs.values[0])
    return .ok
}

@Sendable private func guarded(
    _ simulation: Simulation, _: BridgeCall, _ inputs: Inputs, _: inout ObjectID
) -> Outcome {
    var shown: String?
    _ = simulation.screenGet(0, "text", &shown)
    if shown != inputs.values[0] { _ = simulation.screenSet(0, "text", inputs.values[0]) }
    return .ok
}

@Suite struct EmbeddingTests {
    @Test func `a copied input waits for the assignment (BR1, R16)`() throws {
        let (simulation, body) = try embedding(fields: ["openCount"])
        #expect(simulation.verdict("S", "openCount") == "matching")
        #expect(try simulation.apply(.modelWrite([("openCount", "5")])).verdicts == ["matching>stale"])
        let findings = simulation.check([0])
        #expect(findings.map(\.code) == ["update-never-arrived"])
        #expect(
            findings[0].text
                == "the model value of S.openCount changed in turn 2, and no assignment of b has run since turn 1"
        )
        #expect(try simulation.apply(.assign(0, mount: nil)).verdicts == ["stale>matching"])
        #expect(simulation.check([0]).isEmpty)
        #expect(body.log == ["create()", "draw 1 first", "draw 1 input"])
    }

    @Test func `an assignment takes the copy of its own moment (R13, R17)`() throws {
        let (simulation, body) = try embedding(fields: ["a"])
        body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("a", "4")
            _ = simulation.assignRoot(1)
            _ = simulation.modelSet("a", "5")
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(turn.verdicts == ["matching>stale"] && turn.changes[0].shown == "4")
    }

    @Test func `an observed input redraws by itself, once for several writes (R16, R20)`() throws {
        let (simulation, body) = try embedding(fields: ["a"], observed: true)
        body.log = []
        let turn = try simulation.apply(.modelWrite([("a", "4"), ("a", "5")]))
        #expect(turn.verdicts == ["matching>matching"] && body.log == ["draw 1 input"])
    }

    @Test func `a repeated assignment says so, and redraws nothing new`() throws {
        let (simulation, body) = try embedding(fields: ["a"])
        body.log = []
        #expect(try simulation.apply(.assign(0, mount: 1)).changes.isEmpty)
        #expect(body.log == ["draw 1 repeat"])
    }

    @Test func `an unmounted bridge shows nothing, or keeps what it showed by policy (R54)`() throws {
        let (simulation, _) = try embedding(fields: ["a"])
        #expect(try simulation.apply(.unmount(0, mount: nil)).verdicts == ["matching>missing"])
        let (keeping, _) = try embedding(fields: ["a"], policies: [("b.unmounted", "keep")])
        #expect(try keeping.apply(.unmount(0, mount: nil)).changes.isEmpty)
        #expect(try keeping.apply(.modelWrite([("a", nil)])).verdicts == ["matching>leftover"])
    }
}

@Suite struct WrappingTests {
    @Test func `coordinator, make and update run in one evaluation (R1, R2)`() throws {
        let (_, body) = try wrapping(update: guarded)
        #expect(body.log == ["create()", "coordinator 1", "make 1", "update 1 first gen 1"])
    }

    @Test func `update runs by itself when an input changed (BR2), once for several writes (R20)`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.log = []
        #expect(
            try simulation.apply(.modelWrite([("text", "4"), ("text", "5")])).verdicts == [
                "matching>matching"
            ])
        #expect(body.log == ["update 1 input gen 2"])
    }

    @Test func `an equal write invalidates nothing (R5)`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.log = []
        _ = try simulation.apply(.modelWrite([("text", "3")]))
        #expect(body.log.isEmpty)
    }

    @Test func `a body that writes nothing is an empty update, told by a check alone`() throws {
        let (simulation, _) = try wrapping { _, _, _, _ in .ok }
        let turn = try simulation.apply(.modelWrite([("text", "5")]))
        #expect(turn.verdicts == ["matching>stale"] && turn.codes.isEmpty)
        let findings = simulation.check([0])
        #expect(findings.map(\.code) == ["empty-update"] && findings[0].seq == 0)
        #expect(findings[0].text.contains("update of b ran since, in turn 2, and did not write it"))
    }

    @Test func `updates by hand leave bridge update as the only call`() throws {
        let (simulation, _) = try wrapping(policies: [("updates", "manual")], update: guarded)
        #expect(try simulation.apply(.modelWrite([("text", "5")])).verdicts == ["matching>stale"])
        #expect(simulation.check([0]).map(\.code) == ["update-never-arrived"])
        #expect(try simulation.apply(.update(0, mount: nil)).verdicts == ["stale>matching"])
    }

    @Test func `an unguarded equal write is redundant, but not in the first evaluation (R40)`() throws {
        let (simulation, _) = try wrapping(update: unguarded)
        #expect(try simulation.apply(.update(0, mount: nil)).codes == ["redundant-write"])
        #expect(try simulation.apply(.modelWrite([("text", "4")])).codes.isEmpty)
        let (clean, _) = try wrapping(update: guarded)
        #expect(try clean.apply(.update(0, mount: nil)).codes.isEmpty)
    }

    @Test func `another object in the place of the view is a recreated control`() throws {
        let (simulation, _) = try wrapping { _, call, _, view in
            if call.cause != .first { view += 100 }
            return .ok
        }
        #expect(try simulation.apply(.modelWrite([("text", "4")])).codes == ["recreated-control"])
    }

    @Test func `an edit goes outward through the current copy, or a stale one (R31)`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        var generation: UInt32 = 1
        body.onNative = { simulation, call, _, arguments in
            _ = simulation.screenSet(0, "text", arguments[0])
            _ = simulation.bind(call.mount, generation: generation, key: "text", value: arguments[0])
            return .ok
        }
        let first = try simulation.apply(.send(1, arguments: ["typed"], mount: nil))
        #expect(first.verdicts == ["matching>matching"] && first.codes.isEmpty)
        // The write of the edit was an update already: the coordinator's copy is one behind now.
        let second = try simulation.apply(.send(1, arguments: ["again"], mount: nil))
        #expect(second.codes == ["stale-parent"] && second.changes[0].model == "again")
        generation = 3
        #expect(try simulation.apply(.send(1, arguments: ["more"], mount: nil)).codes.isEmpty)
    }

    @Test func `a write from update waits for the next round, and a loop is named and cut (R7)`() throws {
        let (simulation, _) = try wrapping { simulation, call, inputs, _ in
            if call.cause != .first, inputs.values[0] != "3" {
                _ = simulation.modelSet("text", (inputs.values[0] ?? "") + "!")
            }
            return .ok
        }
        let turn = try simulation.apply(.modelWrite([("text", "go")]))
        #expect(turn.codes == ["state-write-during-update", "feedback-loop"])
        #expect(turn.diagnostics[1].text.contains("b.update -> model.text -> b.update"))
        #expect(turn.diagnostics[1].text.contains("100 rounds"))
        // It lives on.
        #expect(try simulation.apply(.modelWrite([("text", "3")])).verdicts.count == 1)
    }

    @Test func `what the program writes comes back when the bridge echoes (R38)`() throws {
        let (simulation, body) = try wrapping(echoes: true, update: unguarded)
        body.log = []
        _ = try simulation.apply(.modelWrite([("text", "5")]))
        #expect(body.log == ["update 1 input gen 2", "native 1"])
    }

    @Test func `of several fields the one comes back that the event's argument is called after`() throws {
        let (simulation, body) = try wrapping(fields: ["text", "state"], echoes: true) {
            simulation, _, inputs, _ in
            for (key, value) in zip(["text", "state"], inputs.values) {
                _ = simulation.screenSet(0, key, value)
            }
            return .ok
        }
        var echoed: [String?] = []
        body.onNative = { _, _, _, arguments in
            echoed += arguments
            return .ok
        }
        _ = try simulation.apply(.modelWrite([("text", "5"), ("state", "edited")]))
        #expect(echoed == ["5"])
        #expect(simulation.verdict("S", "state") == "matching")
    }

    @Test func `nothing is unhooked by itself (R9): a leak, and then a late callback`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        var token: UInt64 = 0
        body.onNative = { simulation, call, _, _ in
            _ = simulation.own(call.mount, "observer", &token)
            var other: UInt64 = 0
            _ = simulation.own(call.mount, "timer", &other)
            return .ok
        }
        _ = try simulation.apply(.send(1, arguments: ["x"], mount: nil))
        let removed = try simulation.apply(.unmount(0, mount: nil))
        #expect(removed.codes == ["leaked-observer", "leaked-resource"])
        #expect(body.log.last == "dismantle 1")
        body.onTick = { simulation, _ in
            _ = simulation.bind(1, generation: 1, key: "text", value: "late")
            return .ok
        }
        let late = try simulation.apply(.tick(token))
        #expect(late.codes == ["callback-after-dismantle", "callback-after-dismantle"])
        #expect(late.changes.map(\.model) == ["late"])
        // A late write never brings a removed key back (R51).
        _ = try simulation.apply(.modelWrite([("text", nil)]))
        #expect(try simulation.apply(.tick(token)).changes.isEmpty)
    }

    @Test func `what a mount's timer writes goes with the mount; its error fails the simulation`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        var token: UInt64 = 0
        body.onNative = { simulation, call, _, _ in
            _ = simulation.own(call.mount, "timer", &token)
            return .ok
        }
        _ = try simulation.apply(.send(1, arguments: ["x"], mount: nil))
        body.onTick = { simulation, token in
            _ = simulation.disown(token)
            _ = simulation.screenSet(0, "text", "later")
            return .ok
        }
        #expect(try simulation.apply(.tick(token)).verdicts == ["matching>stale"])
        #expect(try simulation.apply(.unmount(0, mount: nil)).verdicts == ["stale>missing"])

        let (failing, other) = try wrapping(update: guarded)
        other.onNative = body.onNative
        _ = try failing.apply(.send(1, arguments: ["x"], mount: nil))
        other.onTick = { _, _ in .failed(status: -7, text: "the disk is full") }
        #expect(try failing.apply(.tick(token)).failure == "the disk is full")
    }

    @Test func `a dismantle that undoes its registrations leaks nothing`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        var token: UInt64 = 0
        body.onNative = { simulation, call, _, _ in
            _ = simulation.own(call.mount, "observer", &token)
            return .ok
        }
        body.onDismantle = { simulation, _ in _ = simulation.disown(token) }
        _ = try simulation.apply(.send(1, arguments: ["x"], mount: nil))
        #expect(try simulation.apply(.unmount(0, mount: nil)).codes.isEmpty)
    }

    @Test func `two mounts need to be told apart`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        let turn = try simulation.apply(.mount(0))
        #expect(turn.mount == 2 && simulation.mounts(of: 0) == [1, 2])
        #expect(throws: Refusal.self) { try simulation.apply(.update(0, mount: nil)) }
        _ = try simulation.apply(.update(0, mount: 2))
        #expect(body.log.last == "update 2 repeat gen 2")
        #expect(throws: Refusal.self) { try simulation.apply(.update(0, mount: 9)) }
    }

    @Test func `every make has one dismantle, also at destroy`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        _ = try simulation.apply(.mount(0))
        _ = try simulation.apply(.unmount(0, mount: 1))
        _ = simulation.destroy()
        #expect(body.log.filter { $0.hasPrefix("make") } == ["make 1", "make 2"])
        #expect(body.log.suffix(3) == ["dismantle 1", "dismantle 2", "destroy"])
        #expect(simulation.phase == .destroyed)
    }
}

@Suite struct FailureTests {
    @Test func `a body that fails takes its mount with it, the run goes on`() throws {
        let (simulation, body) = try wrapping { _, call, _, _ in
            call.cause == .first ? .ok : .failed(status: -7, text: "out of rows")
        }
        let turn = try simulation.apply(.modelWrite([("text", "5")]))
        #expect(turn.codes == ["plugin-failed"] && turn.diagnostics[0].text.hasPrefix("out of rows"))
        #expect(turn.failure == nil && simulation.status == .running)
        body.log = []
        _ = try simulation.apply(.modelWrite([("text", "6")]))
        #expect(body.log.isEmpty)
        // Who comes later is told of the failure, and not of a call that is missing.
        #expect(simulation.check([0]).map(\.code) == ["plugin-failed"])
        #expect(
            simulation.check([0])[0].text.contains("failed in turn 2 and gets no more calls: out of rows"))
        #expect(throws: Refusal.self) { try simulation.apply(.update(0, mount: nil)) }
        _ = try simulation.apply(.unmount(0, mount: nil))
        #expect(body.log == ["dismantle 1"])
    }

    @Test func `an event that fails ends the simulation, which can still be read and destroyed`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("text", "9")
            return .failed(status: -7, text: "no network")
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(turn.failure == "no network" && turn.codes == ["plugin-failed"])
        #expect(turn.verdicts == ["matching>stale"])
        #expect(throws: Refusal.self) { try simulation.apply(.modelWrite([("text", "1")])) }
        #expect(simulation.verdict("S", "text") == "stale" && simulation.check([0]).count == 1)
        _ = simulation.destroy()
        #expect(body.log.suffix(2) == ["dismantle 1", "destroy"])
    }

    @Test func `a create that fails leaves nothing`() {
        let body = ScriptedBody()
        body.createOutcome = .failed(status: -7, text: "no licence")
        let simulation = Simulation(id: "s", scenario: scenario(.embed, fields: ["a"]), body: body)
        #expect(throws: Simulation.CreateFailure.self) { try simulation.start(parameters: ["x", nil]) }
        #expect(body.log == ["create(x,-)"])
    }

    @Test func `undeclared names and calls out of place are reported, never a trap`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        var answers: [CallResult] = []
        body.onEvent = { simulation, _, _ in
            var mount: MountID = 0
            var token: UInt64 = 0
            answers = [
                simulation.screenSet(0, "nope", "1"), simulation.screenSet(7, "text", "1"),
                simulation.modelSet("nope", "1"), simulation.mount(4, &mount), simulation.unmount(99),
                simulation.assignRoot(1), simulation.bind(99, generation: 0, key: "text", value: ""),
                simulation.own(99, "timer", &token), simulation.disown(5), simulation.cancel(77),
                simulation.nextTurn(1 << 63 | 40),
                simulation.diagnose(
                    severity: 9, code: "x", text: "", mount: 0, screen: nil, key: nil),
            ]
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(answers.allSatisfy { $0 == .badArgument })
        #expect(turn.codes == Array(repeating: "plugin-misbehaving", count: 11))
        #expect(turn.diagnostics[0].text == "screen S declares no field \"nope\"")

        body.onUpdate = { simulation, _, _, _ in
            var mount: MountID = 0
            answers = [simulation.mount(0, &mount), simulation.unmount(1), simulation.assignRoot(1)]
            return .ok
        }
        let refused = try simulation.apply(.update(0, mount: nil))
        #expect(answers.allSatisfy { $0 == .badState })
        #expect(refused.diagnostics[0].text == "mount was called inside update of b: not allowed there")
    }

    @Test func `a call between two turns is kept for the next one`() throws {
        let (simulation, _) = try wrapping(update: guarded)
        var told = 0
        simulation.onWaiting = { _ in told += 1 }
        #expect(simulation.modelSet("text", "9") == .badState && told == 1)
        #expect(simulation.verdict("S", "text") == "matching")
        #expect(try simulation.apply(.settle).codes == ["plugin-misbehaving"])
    }

    @Test func `the findings of one turn are bounded`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.onEvent = { simulation, _, _ in
            for _ in 0..<5_000 { _ = simulation.disown(3) }
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(turn.diagnostics.count == 1_001 && turn.diagnostics[1_000].text.hasPrefix("4000 more"))
    }
}

@Suite struct TimeTests {
    @Test func `each due moment is a turn of its own`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.onEvent = { simulation, _, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(20_000_000, 2, &timer)
            _ = simulation.atTime(10_000_000, 1, &timer)
            _ = simulation.atTime(0, 3, &timer)
            return .ok
        }
        body.onTick = { simulation, token in
            _ = simulation.modelSet("text", "t\(token)")
            return .ok
        }
        #expect(try simulation.apply(.send(0, arguments: [], mount: nil)).changes.map(\.model) == ["t3"])
        var turns: [Turn] = []
        try simulation.advance(to: 15_000_000) { turns.append($0) }
        try simulation.advance(to: 30_000_000) { turns.append($0) }
        try simulation.advance(to: 40_000_000) { turns.append($0) }
        #expect(turns.map(\.nanoseconds) == [10_000_000, 20_000_000, 40_000_000])
        #expect(turns.map { $0.changes.first?.model } == ["t1", "t2", nil])
        #expect(simulation.nextDeadline == nil)
    }

    @Test func `a timer that always sets itself anew stops the clock, not the daemon`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.onTick = { simulation, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(simulation.now() + 1, 1, &timer)
            return .ok
        }
        _ = try simulation.apply(.tick(1))
        var last: Turn?
        try simulation.advance(to: 1_000_000_000) { last = $0 }
        #expect(last?.codes == ["feedback-loop"] && simulation.nanoseconds == 10_000)
    }

    @Test func `a cancelled timer never comes`() throws {
        let (simulation, body) = try wrapping(update: guarded)
        body.onEvent = { simulation, _, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(10, 1, &timer)
            return simulation.cancel(timer) == .ok && simulation.cancel(timer) == .absent
                ? .ok : .failed(status: -1, text: "cancel")
        }
        #expect(try simulation.apply(.send(0, arguments: [], mount: nil)).failure == nil)
        body.log = []
        try simulation.advance(to: 100) { _ in }
        #expect(body.log.isEmpty)
    }

    @Test func `the main queue belongs to the turn, up to the round limit`() throws {
        var description = scenario(.wrap, fields: ["text"])
        description.drainsMainQueue = true
        let body = ScriptedBody()
        let simulation = Simulation(id: "s", scenario: description, body: body)
        _ = try simulation.started()
        body.onEvent = { _, _, _ in
            body.queue.append { _ = $0.modelSet("text", "later") }
            return .ok
        }
        #expect(try simulation.apply(.send(0, arguments: [], mount: nil)).changes.map(\.model) == ["later"])
        body.onEvent = { _, _, _ in
            func again(_ simulation: Simulation) { body.queue.append(again) }
            body.queue.append(again)
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(turn.codes == ["feedback-loop"])
        #expect(
            turn.diagnostics[0].text
                == "did not settle in 100 rounds, the rest of the turn was dropped; the cycle: main-queue -> main-queue; "
                + "the main queue does not come to an end either: what is called from it between two turns does nothing "
                + "and is not reported")
        // What it does between two turns depends on the machine, and so nothing comes of it.
        for _ in 0..<3 {
            _ = body.drainMainQueue()
            #expect(simulation.modelSet("text", "between") == .badState)
        }
        body.queue = []
        body.onEvent = { _, _, _ in .ok }
        #expect(try simulation.apply(.send(0, arguments: [], mount: nil)).codes == [])
        #expect(simulation.modelSet("text", "between") == .badState)
        #expect(try simulation.apply(.settle).codes == ["plugin-misbehaving"])
    }

    @Test
    func `what a turn that is cut off left on the main queue runs in it, and what that causes is dropped`()
        throws
    {
        for limit in 1...3 {
            var description = scenario(.wrap, fields: ["text"])
            description.drainsMainQueue = true
            let body = ScriptedBody()
            let settings = Simulation.Settings(policies: [("round-limit", "\(limit)")])
            let simulation = Simulation(id: "s", scenario: description, settings: settings, body: body)
            _ = try simulation.started()
            var waits: [Bool] = []
            simulation.onWaiting = { _ in waits.append(true) }
            var timer: UInt64 = 0
            body.onEvent = { _, _, _ in
                func hop(_ left: Int) {
                    body.queue.append { simulation in
                        _ = simulation.modelSet("text", "\(left)")
                        if left > 0 { return hop(left - 1) }
                        #expect(simulation.atTime(5, 1, &timer) == .ok)
                    }
                }
                hop(5)
                return .ok
            }
            let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
            #expect(turn.codes == ["feedback-loop"] && body.queue.isEmpty && waits.isEmpty)
            #expect(turn.changes.map(\.model) == ["0"] && simulation.nextDeadline == 5)
            #expect(
                turn.diagnostics[0].text
                    == "did not settle in \(limit == 1 ? "1 round" : "\(limit) rounds"), the rest of the turn was dropped; "
                    + "the cycle: main-queue -> model.text -> main-queue")
            #expect(try simulation.apply(.settle).diagnostics.isEmpty)
        }
    }

    @Test(arguments: [
        (1, "no cycle shows yet: b.update -> tick, where it was cut off"),
        (2, "the cycle: b.update -> tick -> model.text -> b.update"),
        (3, "the cycle: tick -> model.text -> b.update -> tick"),
        (50, "the cycle: b.update -> tick -> model.text -> b.update"),
    ])
    func `a turn that is cut off names its cycle, or that there is none yet`(limit: Int, words: String) throws
    {
        for flush in ["later", "in-event"] {
            let body = ScriptedBody()
            let settings = Simulation.Settings(policies: [("round-limit", "\(limit)"), ("flush", flush)])
            let simulation = Simulation(
                id: "s", scenario: scenario(.wrap, fields: ["text"]), settings: settings, body: body)
            body.onStart = { simulation in
                var mount: MountID = 0
                _ = simulation.mount(0, &mount)
                return .ok
            }
            _ = try simulation.started()
            var count = 0
            body.onUpdate = { simulation, _, _, _ in
                _ = simulation.nextTurn(1)
                return .ok
            }
            body.onTick = { simulation, _ in
                count += 1
                _ = simulation.modelSet("text", "\(count)")
                return .ok
            }
            let turn = try simulation.apply(.modelWrite([("text", "go")]))
            let text = turn.diagnostics.last?.text ?? ""
            #expect(turn.codes == ["feedback-loop"] && text.hasSuffix("; \(words)"), "\(flush): \(text)")
        }
    }

    @Test func `the same seed gives the same numbers`() throws {
        func numbers(_ seed: UInt64) throws -> [UInt64] {
            let body = ScriptedBody()
            var drawn: [UInt64] = []
            body.onStart = { simulation in
                drawn = [simulation.random(), simulation.random()]
                return .ok
            }
            let simulation = Simulation(
                id: "s", scenario: scenario(.embed, fields: ["a"]), settings: .init(seed: seed), body: body)
            _ = try simulation.started()
            return drawn
        }
        #expect(try numbers(7) == numbers(7))
        #expect(try numbers(7) != numbers(8))
        // The published first value of SplitMix64 for seed 0.
        #expect(try numbers(0)[0] == 0xE220_A839_7B1D_CDAF)
    }
}

@Suite struct PolicyTests {
    @Test(
        arguments: [
            ([("updates", "manual")], "lesson", nil),
            ([("b.updates", "manual")], "lesson", nil),
            ([("upd", "manual")], "lesson", .unknownPolicy("upd", known: Policy.all.map(\.name))),
            ([("c.updates", "manual")], "lesson", .unknownBridge("c", known: ["b"])),
            (
                [("updates", "never")], "lesson",
                .badValue(policy: "updates", value: "never", expected: "one of automatic, manual, restart")
            ),
            (
                [("round-limit", "0")], "lesson",
                .badValue(policy: "round-limit", value: "0", expected: "an integer from 1 to 10000")
            ),
            ([], "nope", .unknownProfile("nope", known: Policy.profiles)),
            (
                [("b.round-limit", "5")], "lesson",
                .notOfBridge("b.round-limit", policy: "round-limit")
            ),
            ([("once-inputs", "")], "lesson", nil),
            ([("once-inputs", "a,b"), ("b.observed-inputs", "b")], "lesson", nil),
            (
                [("once-inputs", "a,c")], "lesson",
                .unknownInput("c", policy: "once-inputs", bridge: nil, known: ["a", "b"])
            ),
            (
                [("b.once-inputs", "a, b")], "lesson",
                .unknownInput(" b", policy: "b.once-inputs", bridge: "b", known: ["a", "b"])
            ),
            (
                [("observed-inputs", "A")], "lesson",
                .unknownInput("A", policy: "observed-inputs", bridge: nil, known: ["a", "b"])
            ),
            ([("b.presented-by", "b")], "lesson", nil),
            (
                [("b.presented-by", "a,b")], "lesson",
                .unknownKey("a,b", policy: "b.presented-by", known: ["a", "b", "a", "b"])
            ),
            ([("pool-key", "what you like")], "lesson", nil),
        ] as [([(String, String)], String, PolicyProblem?)])
    func `settings are judged before anything is made`(
        policies: [(String, String)], profile: String, problem: PolicyProblem?
    ) {
        let settings = Simulation.Settings(
            policies: policies.map { (name: $0.0, value: $0.1) }, profile: profile)
        #expect(Simulation.problem(of: settings, scenario: scenario(.wrap, fields: ["a", "b"])) == problem)
    }

    @Test func `a scenario's own policies are judged as a client's are`() {
        var described = scenario(.wrap, fields: ["a"])
        described.policies = ["round-limit=3", "once-inputs=a", "presented-by=a"]
        described.bridges[0].policies = ["updates=manual", "observed-inputs=a", "pool-key=x"]
        #expect(described.policyProblem == nil)
        described.bridges[0].policies.append("once-inputs=z")
        #expect(described.policyProblem?.bridge == "b")
        #expect(
            described.policyProblem?.problem
                == .unknownInput("z", policy: "once-inputs", bridge: "b", known: ["a"]))
        described.policies.append("upates=manual")
        #expect(described.policyProblem?.bridge == nil)
        #expect(
            described.policyProblem?.problem == .unknownPolicy("upates", known: Policy.all.map(\.name)))
    }
}

@Suite struct CallRecordTests {
    @Test func `a call that ran and wrote nothing is on record`() throws {
        let (simulation, _) = try wrapping { _, _, _, _ in .ok }
        simulation.recordsCalls = true
        let calls = try simulation.apply(.modelWrite([("text", "5")])).calls
        #expect(calls.map { "\($0.kind.word)" } == ["update"])
        #expect(calls[0].wrote.isEmpty && calls[0].cause == .input && calls[0].round == 1)
        simulation.recordsCalls = false
        #expect(try simulation.apply(.modelWrite([("text", "6")])).calls.isEmpty)
    }
}

@Suite struct BreachTests {
    @Test func `a breach is told in the stream once, and to every check`() throws {
        let (simulation, body) = try wrapping { _, _, _, _ in .ok }
        body.onEvent = { simulation, _, _ in
            for _ in 0..<20 { _ = simulation.screenSet(0, "nope", "1") }
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(turn.codes.count == 20 && Set(turn.codes) == ["plugin-misbehaving"])
        #expect(try simulation.apply(.settle).codes.isEmpty)
        for _ in 0..<2 {
            let found = simulation.check([0])
            #expect(found.count == 8 && found.allSatisfy { $0.code == "plugin-misbehaving" && $0.seq == 0 })
            #expect(found[0].text.hasPrefix("in turn 2, ") && found[0].text.contains("nope"))
        }
    }
}

@Suite struct StateTableTests {
    /// The published table, row by row: what a plug-in may call in each phase.
    @Test(
        arguments: [
            (.creating, "fail getInterface log now random"),
            (.created, "log post"), (.idle, "log post"),
            (
                .dismantling,
                "activityGet bind bindingSet bindingUnbind cancel diagnose disown getInterface itemGet log "
                    + "modelClear modelSet now objectDrop post screenClear stateGet unsubscribe"
            ),
            (.destroying, "cancel diagnose disown log now post screenClear"),
            (.failed, "log"), (.destroyed, ""),
        ] as [(Phase, String)])
    func `what may be called when`(phase: Phase, calls: String) {
        let allowed = HostCall.allCases.filter { StateTable.permits($0, in: phase) }
        #expect(allowed.map { "\($0)" }.sorted().joined(separator: " ") == calls)
    }

    @Test func `a body may do everything but place, remove, assign and what is the user's`() {
        let refused = HostCall.allCases.filter { !StateTable.permits($0, in: .bridging) }
        #expect(
            refused.map { "\($0)" } == [
                "mount", "unmount", "assignRoot", "invalidate", "setActivity", "rebind", "dismiss",
                "buildRoot", "assignBuilt", "nativeChange", "setDraft", "transaction", "objectPublish",
            ])
        #expect(HostCall.allCases.allSatisfy { StateTable.permits($0, in: .dispatching) })
    }
}
