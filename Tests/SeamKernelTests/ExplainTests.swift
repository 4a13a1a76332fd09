import SeamKernel
import Testing

/// A simulation of one bridge on screen S that carries the fields; its body writes what `carries` says.
private func bridged(
    _ kind: Scenario.BridgeKind, fields: [String] = ["a"], observed: Bool = false,
    policies: [(name: String, value: String)] = [], trace: Int? = 1 << 16, mounts: Int = 1,
    carries: @escaping ([String?]) -> [String?]? = { $0 }, onUpdate: (() -> Outcome)? = nil
) throws -> (Simulation, ScriptedBody) {
    let body = ScriptedBody()
    body.onStart = { simulation in
        _ = simulation.modelSet(fields[0], "3")
        var mount: MountID = 0
        for _ in 0..<mounts { _ = simulation.mount(0, &mount) }
        return .ok
    }
    func write(_ simulation: Simulation, _ values: [String?]?) {
        for (key, value) in zip(fields, values ?? []) { _ = simulation.screenSet(0, key, value) }
    }
    body.onMake = { simulation, _, inputs in
        write(simulation, inputs.values)
        return .ok
    }
    body.onUpdate = { simulation, call, inputs, _ in
        if call.cause != .first, let onUpdate { return onUpdate() }
        if call.cause != .first { write(simulation, carries(inputs.values)) }
        return .ok
    }
    body.onDraw = { simulation, call, inputs in
        write(simulation, call.cause == .first ? inputs.values : carries(inputs.values))
        return .ok
    }
    let simulation = Simulation(
        id: "s", scenario: scenario(kind, fields: fields, observed: observed),
        settings: .init(policies: policies), body: body)
    if let trace { simulation.keepTrace(bytes: trace) }
    _ = try simulation.started()
    return (simulation, body)
}

extension Simulation {
    fileprivate func set(_ key: String, _ value: String?) throws {
        _ = try apply(.modelWrite([(key, value)]))
    }

    fileprivate func why(_ field: FieldID = 0) -> String { explain(field).sentence }
}

/// Every verdict, on every kind of bridge, in the words that a person reads.
@Suite struct ExplainTests {
    // MARK: Embeddings

    @Test func `a copied input that was never assigned again`() throws {
        let (simulation, body) = try bridged(.embed)
        body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("a", "5")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        let explanation = simulation.explain(0)
        #expect(
            explanation.sentence
                == "S.a is stale: the model changed in turn 2 (by go), and no assignment of b has run since turn 1"
        )
        #expect(explanation.modelChanged?.turn == 2 && explanation.modelChanged?.by == "go")
        #expect(explanation.shownWritten?.turn == 1 && explanation.shownWritten?.by == "draw")
        #expect(explanation.shownWritten?.bridge == 0 && explanation.shownWritten?.mount == 1)
        #expect(explanation.carriers.count == 1)
        let carrier = try #require(explanation.carriers.first)
        #expect(
            "\(carrier.call)" == "assign" && carrier.mount == 1 && carrier.lastTurn == 1 && carrier.since == 0
        )
        #expect(explanation.calls.map { "\($0.turn) \($0.call)" } == ["2 event"])
        #expect(explanation.view.verdict == .stale)
    }

    @Test func `an assignment that came matches, and says who and when`() throws {
        let (simulation, _) = try bridged(.embed)
        try simulation.set("a", "5")
        _ = try simulation.apply(.assign(0, mount: nil))
        let explanation = simulation.explain(0)
        #expect(
            explanation.sentence
                == "S.a matches: draw of b wrote it in turn 3, after the model changed in turn 2 (by a client)"
        )
        #expect(explanation.carriers[0].since == 1 && explanation.carriers[0].lastTurn == 3)
        #expect(explanation.calls.map { "\($0.call)" } == ["model.set", "bridge.assign", "draw"])
    }

    @Test func `a model that comes back to what is shown matches without a call`() throws {
        let (simulation, _) = try bridged(.embed)
        try simulation.set("a", "5")
        try simulation.set("a", "3")
        #expect(
            simulation.why()
                == "S.a matches: the model changed in turn 3 (by a client) to what draw of b had written in turn 1"
        )
    }

    @Test func `a copy taken before the last write of the same turn`() throws {
        let (simulation, body) = try bridged(.embed)
        body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("a", "4")
            _ = simulation.assignRoot(1)
            _ = simulation.modelSet("a", "5")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by go), and draw of b wrote it in turn 2 from a copy of "
                + "the model that is older than that")
    }

    @Test func `an observed embedding whose draw leaves the field out`() throws {
        let (simulation, _) = try bridged(.embed, observed: true, carries: { _ in nil })
        try simulation.set("a", "5")
        try simulation.set("a", "6")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 3 (by a client), and draw of b ran since, last in turn 3, and "
                + "did not write it")
        #expect("\(simulation.explain(0).carriers[0].call)" == "draw")
    }

    @Test func `a body that writes something else`() throws {
        let (simulation, _) = try bridged(.embed, observed: true, carries: { _ in ["?"] })
        try simulation.set("a", "5")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and draw of b wrote something else in turn 2"
        )
    }

    // MARK: Wrappings

    @Test func `an empty update ran and wrote nothing, however often`() throws {
        let (simulation, _) = try bridged(.wrap, carries: { _ in nil })
        try simulation.set("a", "5")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and update of b ran since, last in turn 2, and "
                + "did not write it")
        _ = try simulation.apply(.update(0, mount: nil))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and update of b ran since, last "
                + "in turn 3, and did not write it")
        let explanation = simulation.explain(0)
        #expect(explanation.carriers[0].since == 2)
        #expect(explanation.calls.map { "\($0.call)" } == ["model.set", "update", "bridge.update", "update"])
        #expect(explanation.calls[3].cause.map { "\($0)" } == "repeat" && explanation.calls[3].wrote.isEmpty)
    }

    @Test func `a manual update that nobody asked for`() throws {
        let (simulation, _) = try bridged(.wrap, policies: [("updates", "manual")])
        try simulation.set("a", "5")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and update of b, which bridge.update "
                + "alone calls (updates=manual), has not run since turn 1")
    }

    @Test func `a value that was made and a value that was cleared`() throws {
        let (simulation, _) = try bridged(.wrap, fields: ["a", "b"], carries: { _ in nil })
        try simulation.set("b", "x")
        #expect(
            simulation.why(1)
                == "S.b is missing: the model changed in turn 2 (by a client), and update of b ran since, last in turn 2, "
                + "and did not write it")
        try simulation.set("a", nil)
        #expect(
            simulation.why(0)
                == "S.a is leftover: the model was cleared in turn 3 (by a client), and update of b ran since, last in "
                + "turn 3, and did not clear it")
    }

    @Test func `a failed mount gets no more calls`() throws {
        let (simulation, _) = try bridged(
            .wrap, onUpdate: { .failed(status: 1, text: "no room") })
        try simulation.set("a", "5")
        try simulation.set("a", "6")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 3 (by a client), and mount 1 of b failed in turn 2 and "
                + "gets no more calls: no room")
    }

    @Test func `a write out of a body is its body's, also when it comes a round later (R7)`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onMake = { simulation, _, _ in
            _ = simulation.modelSet("a", "late")
            return .ok
        }
        let simulation = Simulation(id: "s", scenario: scenario(.wrap, fields: ["a"]), body: body)
        _ = try simulation.started()
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by make of b), and update of b ran since, last in turn 1, "
                + "and did not write it")
    }

    @Test func `an edit of the user is the event's`() throws {
        let (simulation, body) = try bridged(.wrap)
        body.onNative = { simulation, call, _, arguments in
            _ = simulation.screenSet(0, "a", arguments[0])
            return .ok
        }
        _ = try simulation.apply(.send(1, arguments: ["typed"], mount: nil))
        let explanation = simulation.explain(0)
        #expect(
            explanation.sentence
                == "S.a is stale: the model changed in turn 1 (by the scenario's start), and edit of b wrote something "
                + "else in turn 2; update of b has not run since turn 1")
        #expect(explanation.shownWritten?.by == "edit" && explanation.shownWritten?.mount == 1)
    }

    // MARK: Mounts that are gone

    @Test func `an unmounted bridge shows nothing, and carries nothing`() throws {
        let (simulation, _) = try bridged(.wrap)
        _ = try simulation.apply(.unmount(0, mount: nil))
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and mount 1 of b, which "
                + "showed it, was unmounted in turn 2")
        try simulation.set("a", "5")
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 3 (by a client), and b, which carries it, has no mount "
                + "since turn 2")
        let carrier = try #require(simulation.explain(0).carriers.first)
        #expect(carrier.mount == nil && carrier.lastTurn == nil && carrier.since == 0)
        try simulation.set("a", nil)
        #expect(
            simulation.why()
                == "S.a is out of scope: the model was cleared in turn 4 (by a client), and mount 1 of b, which showed "
                + "it, was unmounted in turn 2")
    }

    @Test func `what a mount left behind`() throws {
        let (simulation, _) = try bridged(.embed, policies: [("unmounted", "keep")])
        _ = try simulation.apply(.unmount(0, mount: nil))
        try simulation.set("a", nil)
        #expect(
            simulation.why()
                == "S.a is leftover: the model was cleared in turn 3 (by a client), and mount 1 of b, which had written "
                + "it in turn 1, was unmounted and left it there")
    }

    @Test func `a bridge that was never mounted`() throws {
        let (simulation, _) = try bridged(.wrap, mounts: 0)
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and b, which carries it, was "
                + "never mounted")
    }

    @Test func `a mount that is off the screen holds what it was given`() throws {
        let (simulation, _) = try bridged(.wrap)
        _ = try simulation.apply(.activity(0, mount: nil, .init(hidden: true)))
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and mount 1 of b, which "
                + "showed it, went off the screen in turn 2: mount 1 of b holds it and is hidden")
        try simulation.set("a", "5")
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 3 (by a client), and mount 1 of b holds it and is hidden"
        )
        #expect(simulation.check([0]).isEmpty)
        _ = try simulation.apply(.activity(0, mount: nil, .init(hidden: false)))
        #expect(
            simulation.why()
                == "S.a matches: mount 1 of b showed again in turn 4 what update of b had written in turn 3, after the "
                + "model changed in turn 3 (by a client)")
        let written = try #require(simulation.explain(0).shownWritten)
        #expect(written.turn == 4 && written.by == "revealed" && written.mount == 1)
        #expect(written.source?.turn == 3 && written.source?.by == "update" && written.source?.mount == 1)
    }

    @Test(arguments: [
        (ActivityChange(parked: true), Scenario.BridgeKind.wrap, "is parked"),
        (ActivityChange(window: false), .embed, "has no window"),
    ])
    func `what a call waits for`(change: ActivityChange, kind: Scenario.BridgeKind, words: String) throws {
        let (simulation, _) = try bridged(kind, observed: true)
        _ = try simulation.apply(.activity(0, mount: nil, change))
        try simulation.set("a", "5")
        let body = kind == .wrap ? "update" : "draw"
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 3 (by a client), and mount 1 of b holds another value and "
                + "\(words); \(body) of b has not run since turn 1: mount 1 \(words)")
    }

    @Test func `a call that waits says for what`() throws {
        let (inactive, _) = try bridged(.embed, observed: true)
        _ = try inactive.apply(.activity(0, mount: nil, .init(scene: .inactive)))
        try inactive.set("a", "5")
        #expect(
            inactive.why()
                == "S.a is stale: the model changed in turn 3 (by a client), and draw of b has not run since turn 1: "
                + "mount 1 is in an inactive scene")
        let (later, _) = try bridged(.wrap, policies: [("inward", "next-turn")])
        try later.set("a", "5")
        #expect(
            later.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and update of b has not run since turn 1: it "
                + "is asynchronous and comes in the next turn (inward=next-turn)")
    }

    @Test func `a draw for another reason is no assignment`() throws {
        let (simulation, _) = try bridged(.embed)
        try simulation.set("a", "5")
        _ = try simulation.apply(.update(0, mount: nil, cause: .unrelated))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and draw of b wrote it in turn 3 from a copy "
                + "of the model that is older than that")
        let carrier = simulation.explain(0).carriers[0]
        #expect(carrier.lastTurn == 1 && carrier.since == 0)
        let (empty, _) = try bridged(.embed, carries: { _ in nil })
        try empty.set("a", "5")
        _ = try empty.apply(.update(0, mount: nil, cause: .unrelated))
        #expect(
            empty.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and no assignment of b has run since turn 1; "
                + "draw of b ran, last in turn 3, from the copy of turn 1")
    }

    @Test func `what was built before the change carries nothing that is newer`() throws {
        let (simulation, _) = try bridged(.embed, carries: { _ in nil })
        _ = try simulation.apply(.build(0, mount: nil))
        try simulation.set("a", "5")
        _ = try simulation.apply(.assignBuilt(0, mount: nil))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 3 (by a client), and an assignment of b ran since, in turn 4, "
                + "of a root view that was made in turn 2, before that")
        try simulation.set("a", "6")
        _ = try simulation.apply(.build(0, mount: nil))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 5 (by a client), and no assignment of b has run since turn 4; "
                + "a root view was built in turn 6, and nobody has assigned it")
    }

    @Test func `a control from the pool shows what its former owner was given`() throws {
        let (simulation, _) = try bridged(.wrap, policies: [("host-detach", "pool")], onUpdate: { .ok })
        _ = try simulation.apply(.unmount(0, mount: nil))
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and mount 1 of b, which "
                + "showed it, went off the screen in turn 2")
        try simulation.set("a", nil)
        _ = try simulation.apply(.mount(0))
        #expect(
            simulation.why()
                == "S.a is leftover: the model was cleared in turn 3 (by a client), and mount 2 of b, with a control from "
                + "the pool, showed again in turn 4 what make of b had written in turn 1; update of b for mount 2 ran since, "
                + "last in turn 4, and did not clear it")
    }

    @Test func `a new control that comes first is the author of what it wrote (R76)`() throws {
        let (simulation, body) = try bridged(
            .wrap, policies: [("replace-order", "new-first")], onUpdate: { .ok })
        body.onMake = { simulation, _, _ in
            _ = simulation.screenSet(0, "a", "busy")
            return .ok
        }
        _ = try simulation.apply(.identify(0, mount: nil, id: "i"))
        _ = try simulation.apply(.identify(0, mount: nil, id: "j"))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 1 (by the scenario's start), and make of b wrote something "
                + "else in turn 3")
        let (oldFirst, other) = try bridged(.wrap, onUpdate: { .ok })
        other.onMake = { _, _, _ in .ok }
        _ = try oldFirst.apply(.identify(0, mount: nil, id: "i"))
        _ = try oldFirst.apply(.identify(0, mount: nil, id: "j"))
        #expect(
            oldFirst.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and the control of mount 1 of "
                + "b, which showed it, was dismantled in turn 3; update of b ran since, last in turn 3, and did not "
                + "write it")
    }

    @Test func `a late write is that of the call that made it (R23)`() throws {
        let (simulation, body) = try bridged(.wrap, carries: { _ in nil })
        body.onNative = { simulation, call, _, arguments in
            _ = simulation.writeLater(
                call.mount, "a", captured: arguments[0], isReread: false, delay: 5_000_000)
            return .ok
        }
        _ = try simulation.apply(.send(1, arguments: ["4"], mount: nil))
        try simulation.advance(to: 5_000_000) { _ in }
        let explanation = simulation.explain(0)
        #expect(
            explanation.sentence
                == "S.a is stale: the model changed in turn 3 (by a late write that edit of b made in turn 2), and update "
                + "of b ran since, last in turn 3, and did not write it")
        let change = try #require(explanation.modelChanged)
        #expect(change.by == "write-back" && change.turn == 3 && change.milliseconds == 5)
        #expect(change.source?.by == "edit" && change.source?.turn == 2 && change.source?.mount == 1)
        #expect(explanation.calls.map { "\($0.call)" } == ["write-back", "update"])
    }

    @Test func `what a body reads of the model or of its environment, it carries`() throws {
        var scenario = scenario(.embed, fields: [], observed: true)
        scenario.screens[0].fields = [.init(key: "locale", title: ""), .init(key: "user", title: "")]
        let body = ScriptedBody()
        body.onStart = { simulation in
            var mount: MountID = 0
            return simulation.mount(0, &mount) == .ok ? .ok : .failed(status: 1, text: "mount")
        }
        body.onDraw = { simulation, call, _ in
            var text: String?
            _ = simulation.environmentGet(call.mount, "locale", &text)
            if let text { _ = simulation.screenSet(0, "locale", text) }
            _ = simulation.modelGet("user", &text)
            return .ok
        }
        let simulation = Simulation(
            id: "s", scenario: scenario,
            settings: .init(policies: [("environment", "own"), ("reads", "lexical")]), body: body)
        _ = try simulation.started()
        _ = try simulation.apply(.environment([("locale", "de")], bridge: nil, mount: nil))
        #expect(
            simulation.why()
                == "S.locale is missing: the model changed in turn 2 (by a client, as a value of the environment), and "
                + "draw of b has not run since turn 1, when it found none in its environment")
        #expect(simulation.explain(0).modelChanged?.by == "environment.set")
        try simulation.set("user", "Ann")
        #expect(
            simulation.why(1)
                == "S.user is missing: the model changed in turn 3 (by a client), and draw of b ran since, last in turn 3, "
                + "and did not write it")
        #expect(
            simulation.why()
                == "S.locale is missing: the model changed in turn 2 (by a client, as a value of the environment), and "
                + "draw of b ran since, last in turn 3, and found none in its environment")
    }

    // MARK: Without a carrier

    @Test func `a custom bridge is driven by its plug-in`() throws {
        let (simulation, body) = try bridged(.custom)
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 1 (by the scenario's start), and b, which the plug-in "
                + "drives by itself, has not written it since; nothing ever wrote it")
        body.onEvent = { simulation, _, _ in
            _ = simulation.screenSet(0, "a", "3")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            simulation.why()
                == "S.a matches: go wrote it in turn 2, after the model changed in turn 1 (by the scenario's start)"
        )
        try simulation.set("a", "4")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 3 (by a client), and b, which the plug-in drives by itself, "
                + "has not written it since; go last wrote it in turn 2")
        #expect("\(simulation.explain(0).carriers[0].call)" == "call")
    }

    @Test func `a field that no bridge carries`() throws {
        var scenario = scenario(.wrap, fields: ["a"])
        scenario.screens[0].fields.append(.init(key: "own", title: ""))
        let body = ScriptedBody()
        let simulation = Simulation(id: "s", scenario: scenario, body: body)
        _ = try simulation.started()
        #expect(
            simulation.why(1)
                == "S.own is out of scope: the model has never had a value for it, and the screen was never written"
        )
        try simulation.set("own", "1")
        #expect(
            simulation.why(1)
                == "S.own is missing: the model changed in turn 2 (by a client), and no bridge carries own to S; "
                + "nothing ever wrote it")
        body.onEvent = { simulation, _, _ in
            _ = simulation.screenSet(0, "own", "0")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            simulation.why(1)
                == "S.own is stale: the model changed in turn 2 (by a client), and go wrote something else in turn 3"
        )
        try simulation.set("own", "2")
        #expect(
            simulation.why(1)
                == "S.own is stale: the model changed in turn 4 (by a client), and no bridge carries own to S; go last "
                + "wrote it in turn 3")
        #expect(simulation.explain(1).carriers.isEmpty)
    }

    @Test func `a screen that shows what the model never had`() throws {
        let (simulation, body) = try bridged(.wrap, fields: ["a", "b"])
        body.onEvent = { simulation, _, _ in
            _ = simulation.screenSet(0, "b", "?")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            simulation.why(1)
                == "S.b is leftover: the model has never had a value for it, and go wrote it in turn 2")
        #expect(simulation.explain(1).modelChanged == nil)
    }

    @Test func `a simulation that has failed says so`() throws {
        let (simulation, body) = try bridged(.embed)
        try simulation.set("a", "5")
        body.onEvent = { _, _, _ in .failed(status: 1, text: "out of luck") }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 2 (by a client), and no assignment of b has run since turn "
                + "1; the simulation has failed: out of luck")
    }

    @Test func `a timer's write is the timer's`() throws {
        let (simulation, body) = try bridged(.embed)
        body.onEvent = { simulation, _, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(250_000_000, 7, &timer)
            return .ok
        }
        body.onTick = { simulation, _ in
            _ = simulation.modelSet("a", "later")
            return .ok
        }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        try simulation.advance(to: 400_000_000) { _ in }
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 3 (by a timer), and no assignment of b has run since turn 1"
        )
        #expect(simulation.explain(0).modelChanged?.milliseconds == 250)
    }

    @Test func `a script is told from a client`() throws {
        let (simulation, _) = try bridged(.embed)
        simulation.requester = .script
        try simulation.set("a", "5")
        #expect(simulation.explain(0).modelChanged?.by == "script")
        #expect(simulation.why().contains("(by the script)"))
    }

    // MARK: Live

    private func live() throws -> Simulation {
        let simulation = Simulation(id: "s", scenario: .live)
        _ = try simulation.started()
        return simulation
    }

    private func show(_ simulation: Simulation, _ value: String?) throws {
        _ = try simulation.apply(.screenWrite(screen: "S", [("a", value)]))
    }

    @Test func `a live field says which side was reported last`() throws {
        let simulation = try live()
        _ = try simulation.apply(.screenDeclare(screen: "S", keys: ["a"]))
        #expect(
            simulation.why()
                == "S.a is out of scope: the model has never had a value for it, and the screen was never written"
        )
        try simulation.set("a", "1")
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 3 (by a client), and nothing was ever reported of the screen"
        )
        try show(simulation, "1")
        #expect(
            simulation.why()
                == "S.a matches: a client wrote it in turn 4, after the model changed in turn 3 (by a client)"
        )
        try simulation.set("a", "2")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 5 (by a client), and the screen was last reported in turn 4, "
                + "before that")
        try show(simulation, "0")
        #expect(
            simulation.why()
                == "S.a is stale: the model changed in turn 5 (by a client), and a client wrote something else in turn 6"
        )
        try show(simulation, nil)
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 5 (by a client), and a client cleared it on the screen in turn 7"
        )
        try simulation.set("a", "3")
        #expect(
            simulation.why()
                == "S.a is missing: the model changed in turn 8 (by a client), and a client cleared it on the screen in turn 7, "
                + "before that")
        try show(simulation, "3")
        try simulation.set("a", nil)
        #expect(
            simulation.why()
                == "S.a is leftover: the model was cleared in turn 10 (by a client), and the screen was last reported in "
                + "turn 9, before that")
        try show(simulation, "4")
        #expect(
            simulation.why()
                == "S.a is leftover: the model was cleared in turn 10 (by a client), and a client wrote it in turn 11 all "
                + "the same")
        let explanation = simulation.explain(0)
        #expect(explanation.carriers.isEmpty && explanation.calls.isEmpty)
        #expect(explanation.modelChanged?.by == "client" && explanation.shownWritten?.by == "client")
    }

    @Test func `a live simulation knows the time of its turns without one for each value`() throws {
        let simulation = try live()
        try simulation.set("a", "1")
        try simulation.advance(to: 40_000_000) { _ in }
        try show(simulation, "1")
        try simulation.advance(to: 90_000_000) { _ in }
        let explanation = simulation.explain(0)
        #expect(explanation.modelChanged?.milliseconds == 0 && explanation.shownWritten?.milliseconds == 40)
    }

    @Test func `the times of turns long ago are forgotten, never guessed`() throws {
        let simulation = try live()
        try show(simulation, "1")
        try simulation.set("a", "1")
        for moment in 1...10_000 {
            try simulation.advance(to: Int64(moment) * 1_000_000) { _ in }
            if moment == 9_000 { try simulation.set("a", "2") }
        }
        let explanation = simulation.explain(0)
        #expect(explanation.shownWritten?.milliseconds == nil && explanation.shownWritten?.turn == 2)
        #expect(explanation.modelChanged?.milliseconds == 9_000)
        #expect(simulation.bytes < 200_000)
    }

    // MARK: Bounds

    @Test func `an explanation lists the newest hundred calls and counts the rest`() throws {
        let (simulation, _) = try bridged(.wrap, trace: 1 << 20, carries: { _ in nil })
        try simulation.set("a", "5")
        for _ in 0..<300 { _ = try simulation.apply(.update(0, mount: nil)) }
        let explanation = simulation.explain(0)
        #expect(explanation.calls.count == 100 && explanation.omittedCalls == 502)
        #expect(explanation.calls[99].turn == 302 && explanation.carriers[0].since == 301)
    }

    @Test func `without a trace the facts are the same, only the calls are not listed`() throws {
        let (simulation, _) = try bridged(.wrap, trace: nil, carries: { _ in nil })
        try simulation.set("a", "5")
        let explanation = simulation.explain(0)
        #expect(
            explanation.sentence
                == "S.a is stale: the model changed in turn 2 (by a client), and update of b ran since, last in turn 2, and "
                + "did not write it")
        #expect(explanation.calls.isEmpty && explanation.carriers[0].since == 1)
    }
}
