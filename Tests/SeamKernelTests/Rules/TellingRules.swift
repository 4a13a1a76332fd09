import SeamKernel
import Testing

/// What an explanation, a finding and a record say where several mounts, policies and late work meet: each of it has
/// to be true of the mount that it is about, and nothing goes without a word.
@Suite struct TellingRules {
    private static let offWindow = ActivityChange(window: false)

    private func calls(of field: FieldID, _ simulation: Simulation) -> [String] {
        simulation.explain(field).calls.map { "\($0.turn) \($0.call)" }
    }

    private func records(_ simulation: Simulation, _ call: String) -> [TraceRecord] {
        var found: [TraceRecord] = []
        simulation.forEachRecord(from: 0, to: .max) { record in
            if "\(record.call)" == call { found.append(record) }
            return true
        }
        return found
    }

    private func traced(_ stage: Stage) -> Stage {
        stage.simulation.keepTrace(bytes: 1 << 18)
        return stage
    }

    // MARK: Several mounts of one field

    @Test(arguments: ["hide", "unmount", "dispose", "park"])
    func `when the mount in front goes, the one behind it is shown again`(how: String) throws {
        let stage = traced(
            try Stage(.wrap, how == "dispose" ? ["host-detach=dispose"] : []))
        let second = try #require(try stage.apply(.mount(0)).mount)
        #expect(stage.verdict("a") == "matching")
        switch how {
        case "hide", "dispose": try stage.host(Self.offWindow, mount: second)
        case "park": try stage.host(ActivityChange(parked: true), mount: second)
        default: try stage.apply(.unmount(0, mount: second))
        }
        #expect(stage.simulation.shown("a") == "1" && stage.verdict("a") == "matching")
        #expect(stage.codes(["a"]) == [])
        let revealed = records(stage.simulation, "revealed")
        #expect(revealed.map(\.mount) == [1] && revealed[0].wrote == [0])
        #expect(revealed[0].source?.turn == 1)
        #expect(
            stage.simulation.explain(0).sentence.contains(
                "mount 1 of b showed again in turn 3"))
    }

    @Test func `two bridges onto one field fall back on each other, to the newest of them`() throws {
        let stage = try Stage(.wrap, bridges: 3)
        let second = try #require(try stage.apply(.mount(1)).mount)
        try stage.apply(.update(0, mount: nil, cause: .layout))
        stage.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(0, "a", call.mount == 1 ? inputs.values[0] : "second")
            return .ok
        }
        try stage.set("a", "2")
        let third = try #require(try stage.apply(.mount(2)).mount)
        try stage.apply(.unmount(2, mount: third))
        #expect(stage.simulation.shown("a") == "second")
        try stage.apply(.unmount(1, mount: second))
        #expect(stage.simulation.shown("a") == "2")
        try stage.apply(.unmount(0, mount: nil))
        #expect(stage.simulation.shown("a") == nil)
    }

    @Test func `what comes back stays behind what was written since, and one that is hidden is no fallback`()
        throws
    {
        let stage = try Stage(.wrap)
        let second = try #require(try stage.apply(.mount(0)).mount)
        try stage.host(Self.offWindow, mount: 1)
        try stage.set("a", "2")
        try stage.host(ActivityChange(window: true), mount: 1)
        #expect(stage.simulation.shown("a") == "2")
        try stage.host(Self.offWindow, mount: 1)
        try stage.host(Self.offWindow, mount: second)
        #expect(stage.simulation.shown("a") == nil)
        try stage.host(ActivityChange(window: true), mount: 1)
        // Its body compares with the screen, and so has never written it into this control.
        #expect(stage.simulation.shown("a") == "1" && stage.verdict("a") == "stale")
        try stage.host(ActivityChange(window: true), mount: second)
        #expect(stage.simulation.shown("a") == "2")
    }

    @Test func `many rows on one field, all written again and all but one gone`() throws {
        let stage = try Stage(.wrap, isMounted: false)
        stage.body.onUpdate = { simulation, _, inputs, _ in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
        try stage.apply(.items(0, (0..<2_000).map { Item(id: "\($0)") }))
        for value in 0..<5 { try stage.set("a", "\(value)") }
        try stage.apply(.items(0, [Item(id: "7")]))
        #expect(stage.simulation.shown("a") == "4")
        try stage.apply(.items(0, []))
        #expect(stage.simulation.shown("a") == nil)
    }

    @Test func `a sentence names the mount where there were others`() throws {
        let stage = traced(try Stage(.wrap))
        let second = try #require(try stage.apply(.mount(0)).mount)
        try stage.host(Self.offWindow, mount: 1)
        try stage.set("a", "9")
        try stage.apply(.unmount(0, mount: second))
        try stage.set("a", "8")
        let why = stage.simulation.explain(0).sentence
        #expect(
            why.contains("update of b for mount 1 has not run since turn 1: mount 1 has no window"), "\(why)")
        let third = try #require(try stage.apply(.mount(0)).mount)
        try stage.host(Self.offWindow, mount: third)
        try stage.set("a", "10")
        let both = stage.simulation.explain(0).sentence
        #expect(both.contains("no update of b for its 2 mounts has run since turn 7"), "\(both)")
    }

    // MARK: A check says what an explanation says

    @Test func `a bridge without a mount has run, and is to be mounted`() throws {
        let stage = traced(try Stage(.embed))
        try stage.apply(.assign(0, mount: nil))
        try stage.apply(.unmount(0, mount: nil))
        try stage.set("a", "9")
        let finding = try #require(stage.simulation.check([0]).first)
        #expect(finding.code == "update-never-arrived")
        #expect(
            finding.text
                == "the model value of S.a changed in turn 4, and b, which carries it, has no mount since turn 3: mount it"
        )
    }

    @Test func `a draw that waits is told with its one cause, as by explain`() throws {
        let stage = traced(try Stage(.embed))
        try stage.host(ActivityChange(scene: .inactive))
        try stage.set("a", "9")
        try stage.apply(.assign(0, mount: nil))
        let words =
            "an assignment of b ran since, in turn 4, and its draw has not: mount 1 is in an inactive scene"
        #expect(stage.simulation.explain(0).sentence.contains(words))
        let finding = try #require(stage.simulation.check([0]).first)
        #expect(finding.text == "the model value of S.a changed in turn 3, and \(words)")
    }

    // MARK: Turns that were cut off

    @Test func `a cycle names who takes part in it, and the turn that was cut off`() throws {
        let stage = traced(try Stage(.wrap))
        var count = 0
        try stage.handle { _ = $0.watch(1, "a", 5) }
        stage.body.onUpdate = { _, _, _, _ in .ok }
        stage.body.onTick = { simulation, _ in
            count += 1
            _ = simulation.modelSet("a", "\(count)")
            return .ok
        }
        let turn = try stage.set("a", "x")
        let loop = try #require(turn.diagnostics.first { $0.code == "feedback-loop" })
        #expect(loop.text.contains("the cycle: tick -> model.a -> tick"), "\(loop.text)")
        #expect(loop.bridge == 0 && loop.mount == 1 && loop.field == 0)
        let why = stage.simulation.explain(0).sentence
        #expect(why.contains("turn \(turn.number) was cut off before it had settled"), "\(why)")
        stage.body.onTick = { _, _ in .ok }
        try stage.set("a", "y")
        #expect(!stage.simulation.explain(0).sentence.contains("cut off"))
    }

    // MARK: What a policy drops

    @Test func `a lifted value that nothing carries up`() throws {
        let stage = traced(try Stage(.embed, ["upward=cut"]))
        stage.body.onDraw = { simulation, call, inputs in
            _ = simulation.lift(call.mount, screen: 1, key: "title", value: "t")
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
        try stage.set("title", "t")
        try stage.apply(.assign(0, mount: nil))
        let record = try #require(records(stage.simulation, "lifted").first)
        #expect(record.text == "Above.title=t was dropped: nothing flows up (upward=cut)")
        #expect(record.wrote == [] && record.source?.by == "draw" && record.mount == 1)
        // The record of the body has what it wrote afterwards.
        #expect(records(stage.simulation, "draw").last?.wrote == [0])
        let field = try #require(
            stage.simulation.screen(named: "Above").flatMap {
                stage.simulation.field(screen: $0, key: "title")
            })
        let why = stage.simulation.explain(field).sentence
        #expect(
            why.contains("what draw of b lifted in turn 3 was dropped: nothing flows up (upward=cut)"),
            "\(why)")
    }

    @Test func `late work and writes that a policy rejects`() throws {
        let stage = traced(try Stage(.wrap, ["queued-work=drop", "write-in-update=reject"]))
        try stage.handle { simulation in
            var (token, timer): (UInt64, UInt64) = (0, 0)
            _ = simulation.own(1, "observer", &token)
            _ = simulation.atTime(1_000_000, token, &timer)
        }
        stage.body.onUpdate = { simulation, call, _, _ in
            _ = simulation.modelSet("other", "x")
            _ = simulation.stateSet(call.mount, "open", "yes")
            return .ok
        }
        try stage.set("a", "2")
        let write = try #require(records(stage.simulation, "write-back").first)
        #expect(write.text == "other=x was dropped: a body may not write (write-in-update=reject)")
        #expect(write.turn == 3 && write.set == [] && write.source?.by == "update")
        #expect(records(stage.simulation, "state").first?.text?.contains("open=yes was dropped") == true)
        try stage.apply(.unmount(0, mount: nil))
        stage.body.log = []
        try stage.simulation.advance(to: 5_000_000) { _ in }
        #expect(!stage.body.log.contains("tick"))
        let tick = try #require(records(stage.simulation, "tick").first)
        #expect(tick.text == "observer was dropped: the mount is gone (queued-work=drop)")
        #expect(tick.source?.turn == 2 && tick.cause.map { "\($0)" } == "timer")
        let why = stage.simulation.explain(0).sentence
        #expect(
            why.contains(
                "late work (observer) of b was dropped in turn 5: the mount is gone (queued-work=drop)"),
            "\(why)")
    }

    // MARK: Lifted values

    @Test func `who lifts a value carries it, and its end is told`() throws {
        let stage = traced(try Stage(.wrap))
        stage.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.lift(call.mount, screen: 1, key: "title", value: inputs.values[0])
            return .ok
        }
        try stage.set("a", "9")
        try stage.set("title", "8")
        let field = try #require(
            stage.simulation.screen(named: "Above").flatMap {
                stage.simulation.field(screen: $0, key: "title")
            })
        let explanation = stage.simulation.explain(field)
        #expect(explanation.carriers.map(\.bridge) == [0])
        #expect(!explanation.sentence.contains("no bridge carries"), "\(explanation.sentence)")
        try stage.set("title", "7")
        try stage.set("a", "7")
        #expect(calls(of: field, stage.simulation).contains("5 update"))
        try stage.apply(.unmount(0, mount: nil))
        let why = stage.simulation.explain(field).sentence
        #expect(why.contains("mount 1 of b, from which it was lifted, has gone"), "\(why)")
    }

    // MARK: The environment

    @Test func `an override on the way is named, with its request`() throws {
        let stage = traced(try Stage(.wrap, ["b1.environment=inherit"], bridges: 2, screens: ["S", "T"]))
        var inner: MountID = 0
        try stage.apply(.environment([("title", "de")], bridge: nil, mount: nil))
        try stage.apply(.environment([("title", "fr")], bridge: 0, mount: nil))
        stage.body.onMake = { simulation, call, _ in
            var value: String?
            if call.bridge == 1 { _ = simulation.environmentGet(call.mount, "title", &value) }
            return .ok
        }
        try stage.handle { _ = $0.mountIn(1, 1, &inner) }
        let field = try #require(
            stage.simulation.screen(named: "T").flatMap {
                stage.simulation.field(screen: $0, key: "title")
            })
        let why = stage.simulation.explain(field).sentence
        #expect(why.contains("found fr in its environment, set on b (mount 1) in turn 3"), "\(why)")
        #expect(calls(of: field, stage.simulation).contains("3 environment.set"))
        #expect(stage.simulation.check([field]).map(\.code) == ["environment-not-propagated"])
    }

    @Test func `a value captured too early is told once, with its field and its policy`() throws {
        let stage = try Stage(.wrap, ["environment-capture=creation"])
        let read = { (simulation: Simulation, call: BridgeCall) in
            var value: String?
            _ = simulation.environmentGet(call.mount, "title", &value)
        }
        stage.body.onUpdate = { simulation, call, _, _ in
            read(simulation, call)
            read(simulation, call)
            return .ok
        }
        try stage.apply(.environment([("title", "de")], bridge: nil, mount: nil))
        let findings = try stage.set("a", "2").diagnostics.filter { $0.code == "environment-not-propagated" }
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.text.contains("(environment-capture=creation)"), "\(finding.text)")
        #expect(finding.field.map { stage.simulation.field($0).key } == "title")
    }

    // MARK: Reuse

    @Test(arguments: ["rebind", "place"])
    func `a control given to another item, that nobody writes`(how: String) throws {
        let stage = try Stage(.wrap, ["identity=place"], isMounted: false)
        try stage.apply(.items(0, [Item(id: "x")]))
        stage.body.onUpdate = { _, _, _, _ in .ok }
        let reuse: Event =
            how == "rebind" ? .rebind(0, mount: nil, owner: "y") : .items(0, [Item(id: "y")])
        #expect(try stage.apply(reuse).codes == [])
        // What matched by chance at first is the former owner's all the same.
        let turn = try stage.set("a", "2")
        #expect(turn.codes == ["reuse-leak"])
        #expect(turn.diagnostics.first?.text.contains("update of b did not write it; write or clear") == true)
        #expect(try stage.set("a", "3").codes == [])
    }

    @Test func `a control that writes all that belongs to another item writes nothing twice`() throws {
        let stage = try Stage(.wrap, isMounted: false)
        try stage.apply(.items(0, [Item(id: "x")]))
        stage.body.onUpdate = { simulation, _, inputs, _ in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
        #expect(try stage.apply(.rebind(0, mount: nil, owner: "y")).codes == [])
        #expect(try stage.apply(.update(0, mount: nil)).codes == ["redundant-write"])
    }

    // MARK: Who asked

    @Test func `late work carries the call that asked for it`() throws {
        let stage = traced(try Stage(.wrap))
        try stage.handle { simulation in
            var timer: UInt64 = 0
            _ = simulation.atTime(1_000_000, 3, &timer)
            _ = simulation.watch(1, "a", 4)
            _ = simulation.nextTurn(6)
        }
        try stage.set("a", "2")
        try stage.simulation.advance(to: 5_000_000) { _ in }
        let ticks = records(stage.simulation, "tick")
        #expect(ticks.map { $0.cause.map { "\($0)" } } == ["next-turn", "watch", "timer"])
        #expect(ticks.map { $0.source?.by } == ["go", "go", "go"])
        #expect(ticks.map { $0.source?.turn } == [2, 2, 2])
    }

    @Test func `an update for view state or an object has the event as its source`() throws {
        let stage = traced(try Stage(.wrap))
        var object: UInt64 = 0
        try stage.handle { _ = $0.stateSet(1, "open", "yes") }
        try stage.handle { simulation in
            var subscription: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.subscribe(1, object, &subscription)
            _ = simulation.objectPublish(object)
        }
        let updates = records(stage.simulation, "update")
        #expect(updates.map { $0.cause.map { "\($0)" } } == ["state", "observed"])
        #expect(updates.map { $0.source?.by } == ["go", "go"])
        #expect(updates.map { $0.source?.turn } == [2, 3])
    }

    @Test func `a breach names the service and the body`() throws {
        let stage = try Stage(.wrap)
        let turn = try stage.handle { _ = $0.setActivity(77, ActivityChange(hidden: true)) }
        #expect(
            turn.diagnostics.map(\.text) == [
                "there is no mount 77, for which set_activity was called inside event"
            ])
    }
}
