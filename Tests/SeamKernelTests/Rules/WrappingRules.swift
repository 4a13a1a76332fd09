import SeamKernel
import Testing

/// R1–R12, R55–R60, R78, R79 and R84: the life of an imperative view in a declarative screen.
@Suite struct WrappingRules {
    @Test func `R1: one coordinator for each live control, made before make; a new value makes no other`()
        throws
    {
        let stage = try Stage(.wrap)
        var coordinators: Set<ObjectID> = []
        stage.body.onUpdate = { _, call, _, _ in
            coordinators.insert(call.coordinator)
            return .ok
        }
        for value in ["2", "3", "4"] { try stage.set("a", value) }
        #expect(coordinators.count == 1 && !coordinators.contains(0))
        let calls = stage.calls()
        #expect(Array(calls.prefix(3)) == ["coordinator 1", "make 1", "update 1 first gen 1"])
        #expect(calls.filter { $0.hasPrefix("coordinator") }.count == 1)
        #expect(stage.simulation.liveCounts.coordinators == 1)
    }

    @Test func `R2: update runs straight after make, in the same evaluation`() throws {
        let stage = try Stage(.wrap, isMounted: false)
        let turn = try stage.apply(.mount(0))
        #expect(turn.trace == ["coordinator first", "make first", "update first"])
        #expect(Set(turn.calls.map(\.round)).count == 1)
    }

    @Test func `R79: the first update can be off, and update can be absent`() throws {
        let without = try Stage(.wrap, ["first-update=no"])
        #expect(without.calls() == ["coordinator 1", "make 1"])
        try without.set("a", "2")
        #expect(without.calls() == ["update 1 input gen 2"])
        let absent = try Stage(.wrap, ["update-body=absent", "first-update=no"])
        _ = absent.calls()
        let turn = try absent.set("a", "2")
        #expect(absent.calls() == ["dismantle 1", "coordinator 1", "make 1"])
        #expect(turn.trace == ["dismantle input", "coordinator input", "make input"])
        #expect(absent.verdict("a") == "matching" && absent.simulation.liveCounts.controls == 1)
    }

    @Test func `R3: without a change of what it depends on there is no update`() throws {
        let stage = try Stage(.wrap)
        _ = stage.calls()
        try stage.set("other", "x")
        try stage.set("a", "1")
        try stage.apply(.environment([("theme", "dark")], bridge: nil, mount: nil))
        #expect(stage.calls() == [])
    }

    @Test func `R3: state of its own and an environment key read before do cause one`() throws {
        let stage = try Stage(.wrap)
        stage.body.onUpdate = { simulation, call, _, _ in
            var theme: String?
            _ = simulation.environmentGet(call.mount, "theme", &theme)
            return .ok
        }
        try stage.apply(.environment([("theme", "dark")], bridge: nil, mount: nil))
        _ = stage.calls()
        // Not read yet: make and the first update were before the closure was set.
        try stage.apply(.update(0, mount: nil))
        #expect(stage.calls() == ["update 1 repeat gen 2"])
        try stage.apply(.environment([("theme", "light")], bridge: nil, mount: nil))
        #expect(stage.calls() == ["update 1 environment gen 3"])
        try stage.apply(.environment([("theme", "light"), ("size", "big")], bridge: nil, mount: nil))
        #expect(stage.calls() == [])
        try stage.handle { _ = $0.stateSet(1, "open", "yes") }
        #expect(stage.calls() == ["update 1 state gen 4"])
        try stage.handle { _ = $0.stateSet(1, "open", "yes") }
        #expect(stage.calls() == [])
    }

    @Test func `R4: a model value read inside the body is tracked, by policy`() throws {
        for (policy, calls) in [("reads=update", ["update 1 observed gen 2"]), ("reads=none", [])] {
            let stage = try Stage(.wrap, [policy], isMounted: false)
            stage.body.onUpdate = { simulation, _, _, _ in
                var value: String?
                _ = simulation.modelGet("other", &value)
                return .ok
            }
            try stage.apply(.mount(0))
            _ = stage.calls()
            try stage.set("other", "x")
            #expect(stage.calls() == calls, "\(policy)")
        }
    }

    @Test func `R5: the same object is unchanged whatever is in it, a closure is always changed`() throws {
        let reference = try Stage(.wrap, ["change-test=identity"])
        _ = reference.calls()
        try reference.set("a", "2")
        #expect(reference.calls() == [] && reference.verdict("a") == "stale")
        try reference.handle { simulation in
            var object: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.objectHold(1, "store", object, isOwned: false, &object)
            _ = simulation.objectMake(&object)
            _ = simulation.objectHold(1, "store", object, isOwned: false, &object)
        }
        #expect(reference.calls() == ["update 1 input gen 2"] && reference.verdict("a") == "matching")
        let closure = try Stage(.wrap, ["change-test=closure"])
        _ = closure.calls()
        try closure.set("other", "x")
        #expect(closure.calls() == ["update 1 unrelated gen 2"])
    }

    @Test(arguments: [Cause.layout, .focus, .unrelated, .container])
    func `R6: an update for another reason than an input carries its cause`(cause: Cause) throws {
        let stage = try Stage(.wrap)
        let turn = try stage.apply(.update(0, mount: nil, cause: cause))
        #expect(turn.trace == ["update \(cause.word)"])
        let said = try stage.handle { _ = $0.invalidate(1, cause: UInt32(cause.rawValue)) }
        #expect(said.trace == ["event", "update \(cause.word)"])
    }

    @Test(
        arguments: [
            ("defer", ["stale", "matching"], "2"), ("accept", ["matching"], "2"), ("reject", [], nil),
        ] as [(String, [String], String?)])
    func `R7: a write during the update is reported, and deferred, taken or dropped`(
        way: String, _: [String], model: String?
    ) throws {
        let stage = try Stage(.wrap, ["write-in-update=\(way)"])
        var after: String?
        stage.body.onUpdate = { simulation, _, _, _ in
            _ = simulation.modelSet("other", "2")
            _ = simulation.modelGet("other", &after)
            return .ok
        }
        let turn = try stage.set("a", "2")
        #expect(turn.codes == ["state-write-during-update"])
        #expect(after == (way == "accept" ? "2" : nil))
        #expect(stage.simulation.modelValue("other") == model)
    }

    @Test func `R7: dismantle is inside the update phase too`() throws {
        let stage = try Stage(.wrap)
        stage.body.onDismantle = { simulation, _ in _ = simulation.modelSet("other", "gone") }
        let turn = try stage.apply(.unmount(0, mount: nil))
        #expect(turn.codes == ["state-write-during-update"])
        #expect(stage.simulation.modelValue("other") == "gone")
    }

    @Test func `R8: a write into another instance is not on the screen`() throws {
        let stage = try Stage(.wrap)
        stage.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(on: call.view + 100, 0, "a", inputs.values[0])
            return .ok
        }
        let turn = try stage.set("a", "2")
        #expect(turn.codes == ["wrong-instance"] && stage.verdict("a") == "stale")
        stage.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(on: call.view, 0, "a", inputs.values[0])
            return .ok
        }
        #expect(try stage.apply(.update(0, mount: nil)).codes.isEmpty && stage.verdict("a") == "matching")
    }

    @Test func `R9: dismantle gets view and coordinator, then both are dropped, and nothing is unhooked`()
        throws
    {
        let stage = try Stage(.wrap, ["hooks=told"])
        var given: [(ObjectID, ObjectID)] = []
        stage.body.onDismantle = { _, call in given.append((call.coordinator, call.view)) }
        stage.body.onHook = { _, hook, call in
            if hook == .disappear { given.append((call.coordinator, call.view)) }
            return .ok
        }
        var token: UInt64 = 0
        try stage.handle { simulation in
            _ = simulation.own(1, "observer", &token)
            _ = simulation.atTime(5, token, &token)
        }
        let turn = try stage.apply(.unmount(0, mount: nil))
        #expect(given.count == 2 && given[0].0 != 0 && given[0].1 != 0 && given[1] == (0, 0))
        #expect(turn.codes == ["leaked-observer"])
        var late: [String] = []
        try stage.simulation.advance(to: 5) { late += $0.codes }
        #expect(late == ["callback-after-dismantle"])
    }

    @Test func `R10: another identity resets state, dismantles, and makes again`() throws {
        let stage = try Stage(.wrap, ["hooks=told"])
        try stage.apply(.identify(0, mount: nil, id: "one"))
        try stage.handle { _ = $0.stateSet(1, "open", "yes") }
        _ = stage.calls()
        let turn = try stage.apply(.identify(0, mount: nil, id: "two"))
        #expect(
            stage.calls() == [
                "detach 1", "dismantle 1", "disappear 1", "coordinator 1", "make 1",
                "update 1 identity gen 3",
                "attach 1", "appear 1",
            ])
        #expect(turn.codes == ["recreated-control"])
        var state: String?
        try stage.handle { _ = $0.stateGet(1, "open", &state) }
        #expect(state == nil && stage.simulation.liveCounts.controls == 1)
    }

    @Test func `R11: a detach keeps coordinator, control and state; the return updates once`() throws {
        let stage = try Stage(.wrap, ["hooks=told"])
        try stage.handle { _ = $0.stateSet(1, "open", "yes") }
        _ = stage.calls()
        try stage.host(ActivityChange(window: false))
        #expect(stage.calls() == ["detach 1"] && stage.verdict("a") == "missing")
        try stage.set("a", "2")
        try stage.set("a", "3")
        #expect(stage.calls() == [])
        try stage.host(ActivityChange(window: true))
        #expect(stage.calls() == ["update 1 input gen 3", "attach 1"] && stage.verdict("a") == "matching")
        var state: String?
        try stage.handle { _ = $0.stateGet(1, "open", &state) }
        #expect(state == "yes" && stage.simulation.liveCounts.controls == 1)
    }

    @Test(
        arguments: [
            ("dismantle-first", ["detach 1", "dismantle 1", "disappear 1", "endEditing 1"]),
            ("disappear-first", ["disappear 1", "endEditing 1", "detach 1", "dismantle 1"]),
            ("end-editing-first", ["endEditing 1", "disappear 1", "detach 1", "dismantle 1"]),
        ])
    func `R12: the order of the end differs by platform`(order: String, calls: [String]) throws {
        let stage = try Stage(.wrap, ["hooks=told", "teardown-order=\(order)"])
        try stage.apply(.send(1, arguments: ["x"], mount: nil))
        _ = stage.calls()
        try stage.apply(.unmount(0, mount: nil))
        #expect(stage.calls() == calls)
    }

    @Test(
        arguments: [
            ("compose", ["reset 1", "detach 1"], ["attach 1", "update 1 returned gen 2"]),
            ("uikit", ["reset 1", "detach 1"], ["update 1 returned gen 2", "attach 1"]),
        ])
    func `R55: park is reset and detach; the return differs by framework`(
        profile: String, parking: [String], returning: [String]
    ) throws {
        let stage = try Stage(.wrap, profile: profile)
        #expect(
            stage.calls() == ["coordinator 1", "make 1", "update 1 first gen 1", "attach 1", "appear 1"])
        try stage.host(ActivityChange(parked: true))
        #expect(stage.calls() == parking)
        try stage.host(ActivityChange(parked: false))
        #expect(stage.calls() == returning)
    }

    @Test func `R55: reset comes once between two uses, and none at a removal while active`() throws {
        let parked = try Stage(.wrap, ["hooks=told"])
        try parked.host(ActivityChange(parked: true))
        try parked.host(ActivityChange(parked: true))
        _ = parked.calls()
        try parked.apply(.unmount(0, mount: nil))
        #expect(parked.calls() == ["dismantle 1", "disappear 1"])
        // Parked, and then off its window as well.
        let pooled = try Stage(.wrap, ["hooks=told", "host-detach=pool"])
        _ = pooled.calls()
        try pooled.host(ActivityChange(parked: true))
        try pooled.host(ActivityChange(window: false))
        #expect(pooled.calls() == ["reset 1", "detach 1"])
        let active = try Stage(.wrap, ["hooks=told"])
        _ = active.calls()
        try active.apply(.unmount(0, mount: nil))
        #expect(active.calls() == ["detach 1", "dismantle 1", "disappear 1"])
    }

    @Test func `R56: a parked control hears of nothing; one update comes on return`() throws {
        let stage = try Stage(.wrap, ["reads=update"])
        try stage.host(ActivityChange(parked: true))
        _ = stage.calls()
        for value in ["2", "3"] { try stage.set("a", value) }
        try stage.apply(.update(0, mount: nil, cause: .layout))
        #expect(stage.calls() == [] && stage.verdict("a") == "missing")
        try stage.host(ActivityChange(parked: false))
        #expect(stage.calls() == ["update 1 returned gen 2"] && stage.verdict("a") == "matching")
        // Without any change as well.
        try stage.host(ActivityChange(parked: true))
        try stage.host(ActivityChange(parked: false))
        #expect(stage.calls() == ["update 1 returned gen 3"])
    }

    @Test(arguments: [("no", ["move 2"]), ("yes", ["detach 2", "move 2", "attach 2"])])
    func `R57: a move keeps control and text`(emits: String, calls: [String]) throws {
        let stage = try Stage(.wrap, ["hooks=told", "move-emits=\(emits)"], isMounted: false)
        try stage.apply(.items(0, [Item(id: "x"), Item(id: "y")]))
        _ = stage.calls()
        try stage.apply(.items(0, [Item(id: "y"), Item(id: "x")]))
        #expect(stage.calls().filter { $0.hasSuffix(" 2") } == calls)
        #expect(stage.simulation.mounts(of: 0) == [2, 1] && stage.simulation.liveCounts.controls == 2)
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R58: native state is saved by id at a removal and restored into a new control`() throws {
        for (policy, shown) in [("native-state=save", "typed"), ("native-state=none", nil)] {
            let stage = try Stage(.wrap, [policy, "hooks=told"], isMounted: false)
            stage.body.onMake = { _, _, _ in .ok }
            stage.body.onUpdate = { _, _, _, _ in .ok }
            try stage.apply(.items(0, [Item(id: "x")]))
            try stage.handle { _ = $0.nativeChange(1, "other", "typed") }
            try stage.apply(.items(0, []))
            #expect(stage.simulation.shown("other") == nil)
            try stage.apply(.items(0, [Item(id: "x")]))
            #expect(stage.simulation.shown("other") == shown, "\(policy)")
        }
    }

    @Test(
        arguments: [
            ("keep", ["detach 1"], ["update 1 input gen 2", "attach 1"]),
            (
                "dispose", ["detach 1", "dismantle 1", "disappear 1"],
                ["coordinator 1", "make 1", "update 1 restore gen 2", "attach 1", "appear 1"]
            ),
            (
                "end-of-turn", ["detach 1", "dismantle 1", "disappear 1"],
                ["coordinator 1", "make 1", "update 1 restore gen 2", "attach 1", "appear 1"]
            ),
            ("pool", ["reset 1", "detach 1"], ["update 1 returned gen 2", "attach 1"]),
        ])
    func `R59: what leaving the window does is a policy`(policy: String, leaving: [String], back: [String])
        throws
    {
        let stage = try Stage(.wrap, ["hooks=told", "host-detach=\(policy)"])
        _ = stage.calls()
        try stage.host(ActivityChange(window: false))
        #expect(stage.calls() == leaving)
        try stage.set("a", "2")
        try stage.host(ActivityChange(window: true))
        #expect(stage.calls() == back && stage.verdict("a") == "matching")
    }

    /// Two controls in a third one, and what becomes of them when that one ends and its place stays.
    @Test(arguments: [
        (
            "R10, replace-order=old-first",
            ["dismantle 3", "dismantle 2", "dismantle 1", "coordinator 1", "make 1"]
        ),
        (
            "R76, replace-order=new-first",
            [
                "coordinator 1", "make 1", "update 1 identity gen 2", "dismantle 3", "dismantle 2",
                "dismantle 1",
            ]
        ),
        ("R59, host-detach=dispose", ["dismantle 3", "dismantle 2", "dismantle 1"]),
        ("R59, host-detach=end-of-turn", ["dismantle 3", "dismantle 2", "dismantle 1"]),
        ("R49, host-detach=pool", ["dismantle 3", "dismantle 2"]),
    ])
    func `R10, R49, R59, R76: what lies in a control ends with it`(policy: String, calls: [String]) throws {
        let stage = try Stage(
            .wrap, [String(policy.split(separator: " ")[1])], bridges: 2, screens: ["S", "T"])
        try stage.handle { simulation in
            var inner: MountID = 0
            _ = simulation.mountIn(1, 1, &inner)
            _ = simulation.mountIn(1, 1, &inner)
        }
        #expect(stage.verdict("a", on: "T") == "matching")
        _ = stage.calls()
        if policy.hasSuffix("pool") {
            try stage.apply(.unmount(0, mount: nil))
        } else if policy.contains("replace") {
            try stage.apply(.identify(0, mount: nil, id: "1"))
            try stage.apply(.identify(0, mount: nil, id: "2"))
        } else {
            try stage.host(ActivityChange(window: false))
        }
        #expect(Array(stage.calls().prefix(calls.count)) == calls)
        // Nothing is shown of what is gone, nothing of it is counted, and nothing comes for it.
        #expect(stage.verdict("a", on: "T") == "missing")
        #expect(stage.simulation.mount(2) == nil && stage.simulation.mount(3) == nil)
        _ = stage.calls()
        try stage.set("a", "2")
        #expect(stage.calls().allSatisfy { !["2", "3"].contains($0.split(separator: " ")[1]) })
        // Whoever takes it off the screen once more has done nothing wrong.
        let codes = try stage.handle { simulation in
            #expect(simulation.unmount(3) == .ok && simulation.unmount(2) == .ok)
            #expect(simulation.unmount(99) == .badArgument)
        }.codes
        #expect(codes == ["plugin-misbehaving"])
        _ = stage.simulation.destroy()
        #expect(stage.simulation.liveCounts.controls == 0)
    }

    @Test func `R59: out and in again within the turn disposes of nothing at its end`() throws {
        let stage = try Stage(.wrap, ["hooks=told", "host-detach=end-of-turn"])
        _ = stage.calls()
        try stage.handle { simulation in
            _ = simulation.setActivity(1, ActivityChange(window: false))
            _ = simulation.setActivity(1, ActivityChange(window: true))
        }
        #expect(stage.calls() == ["detach 1", "attach 1"])
    }

    @Test func `R59: nothing comes from a control that was disposed of`() throws {
        let stage = try Stage(.wrap, ["host-detach=dispose"])
        try stage.host(ActivityChange(window: false))
        _ = stage.calls()
        #expect(try stage.apply(.send(1, arguments: ["x"], mount: nil)).codes == ["no-control"])
        #expect(stage.calls() == [])
        try stage.host(ActivityChange(window: true))
        #expect(try stage.apply(.send(1, arguments: ["x"], mount: nil)).codes.isEmpty)
    }

    @Test func `R59: disposal happens once`() throws {
        let stage = try Stage(.wrap, ["host-detach=dispose"])
        try stage.host(ActivityChange(window: false))
        _ = stage.calls()
        try stage.apply(.unmount(0, mount: nil))
        _ = stage.simulation.destroy()
        #expect(stage.calls() == ["destroy"] && stage.simulation.liveCounts.controls == 0)
    }

    @Test func `R60: a make that needs a size waits for it`() throws {
        let stage = try Stage(.wrap, ["make=needs-size"])
        #expect(stage.calls() == [] && stage.verdict("a") == "missing")
        try stage.host(ActivityChange(size: true))
        #expect(stage.calls() == ["coordinator 1", "make 1", "update 1 first gen 1"])
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R60: an asynchronous make that ends after the removal is dismantled at once`() throws {
        let stage = try Stage(.wrap, ["make=async"], isMounted: false)
        try stage.apply(.mount(0))
        #expect(stage.calls() == ["coordinator 1", "make 1"])
        try stage.apply(.settle)
        #expect(stage.calls() == ["update 1 first gen 1"])
        try stage.apply(.mount(0))
        _ = stage.calls()
        // Begun and removed in one turn: the view comes afterwards, and goes at once.
        stage.body.onTick = { simulation, _ in
            _ = simulation.unmount(3)
            return .ok
        }
        try stage.handle { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            _ = simulation.nextTurn(4)
        }
        #expect(stage.calls() == ["update 2 first gen 1", "coordinator 3", "make 3", "tick"])
        try stage.apply(.settle)
        #expect(stage.calls() == ["dismantle 3"] && stage.simulation.liveCounts.controls == 2)
        try stage.apply(.mount(0))
        _ = stage.calls()
        // Removed in the turn in which its view comes.
        try stage.apply(.unmount(0, mount: 4))
        #expect(stage.calls().filter { $0.hasSuffix(" 4") && $0.hasPrefix("dismantle") }.count == 1)
        #expect(stage.simulation.liveCounts.controls == 2)
    }

    @Test(arguments: [
        (
            ActivityChange(parked: true), ActivityChange(parked: false), "keep", [],
            ["update 1 first gen 2", "attach 1", "appear 1"]
        ),
        (
            ActivityChange(window: false), ActivityChange(window: true), "keep", [],
            ["update 1 first gen 2", "attach 1", "appear 1"]
        ),
        (
            ActivityChange(window: false), ActivityChange(window: true), "pool", [],
            ["update 1 first gen 2", "attach 1", "appear 1"]
        ),
        (
            ActivityChange(window: false), ActivityChange(window: true), "dispose", ["dismantle 1"],
            ["coordinator 1", "make 1"]
        ),
        (
            ActivityChange(window: false), ActivityChange(window: true), "end-of-turn", ["dismantle 1"],
            ["coordinator 1", "make 1"]
        ),
    ])
    func `R56, R60: a place that has gone while its control was made is as it was asked for when it comes`(
        leaving: ActivityChange, back: ActivityChange, policy: String, arriving: [String], returned: [String]
    ) throws {
        let stage = try Stage(.wrap, ["make=async", "hooks=told", "host-detach=\(policy)"], isMounted: false)
        var mount: MountID = 0
        // Mounted, and gone again in the same turn: the view comes afterwards.
        try stage.handle { simulation in
            _ = simulation.mount(0, &mount)
            _ = simulation.setActivity(mount, leaving)
        }
        #expect(stage.calls() == ["coordinator 1", "make 1"])
        try stage.apply(.settle)
        #expect(stage.calls() == arriving)
        #expect(stage.verdict("a") == "missing" && stage.simulation.mount(1)?.isAttached == false)
        try stage.set("a", "2")
        #expect(stage.calls() == [])
        try stage.host(back)
        try stage.apply(.settle)
        #expect(Array(stage.calls().prefix(returned.count)) == returned && stage.verdict("a") == "matching")
        #expect(stage.simulation.liveCounts.controls == 1)
        // Back before its control has come: as if nothing had been.
        try stage.handle { simulation in
            _ = simulation.mount(0, &mount)
            _ = simulation.setActivity(mount, leaving)
            _ = simulation.setActivity(mount, back)
        }
        _ = stage.calls()
        try stage.apply(.settle)
        #expect(stage.calls() == ["update 2 first gen 1", "attach 2", "appear 2"])
    }

    @Test(arguments: [
        (ActivityChange(parked: true), ActivityChange(parked: false)),
        (ActivityChange(window: false), ActivityChange(window: true)),
    ])
    func `R56, R60: a make that waits for a size waits for its place as well`(
        leaving: ActivityChange, back: ActivityChange
    ) throws {
        let stage = try Stage(.wrap, ["make=needs-size", "hooks=told"])
        try stage.host(leaving)
        try stage.host(ActivityChange(size: true))
        #expect(stage.calls() == [] && stage.verdict("a") == "missing")
        try stage.host(back)
        #expect(
            stage.calls() == ["coordinator 1", "make 1", "update 1 first gen 1", "attach 1", "appear 1"])
        #expect(stage.verdict("a") == "matching" && stage.simulation.mount(1)?.withheld == nil)
    }

    @Test(arguments: [["first-update=no"], ["update-body=absent"], ["first-update=yes"]])
    func `R60, R79: what has changed while a control was made is carried when it has come`(policies: [String])
        throws
    {
        let stage = try Stage(.wrap, ["make=async"] + policies)
        _ = stage.calls()
        try stage.set("a", "2")
        // Made again, where there is no update, and that takes a turn of its own.
        for _ in 0..<2 { try stage.apply(.settle) }
        #expect(stage.verdict("a") == "matching")
        let updates = stage.calls().filter { $0.hasPrefix("update") }.count
        #expect(updates == (policies == ["update-body=absent"] ? 0 : 1))
        let manual = try Stage(.wrap, ["make=async", "updates=manual"] + policies)
        try manual.set("a", "2")
        for _ in 0..<2 { try manual.apply(.settle) }
        #expect((manual.verdict("a") == "matching") == (policies == ["first-update=yes"]))
    }

    @Test func `R79: a bridge without update has none after make, and none for a control from the pool`()
        throws
    {
        let stage = try Stage(.wrap, ["update-body=absent", "host-detach=pool"])
        #expect(stage.calls() == ["coordinator 1", "make 1"])
        try stage.apply(.unmount(0, mount: nil))
        try stage.set("a", "2")
        try stage.apply(.mount(0))
        #expect(stage.calls() == ["coordinator 2", "make 2"] && stage.verdict("a") == "matching")
    }

    @Test func `R78: a measuring make is one that is never shown`() throws {
        let stage = try Stage(.wrap, ["make=measuring"], isMounted: false)
        var made = 0
        stage.body.onMake = { simulation, call, inputs in
            made += 1
            _ = simulation.screenSet(0, "a", call.cause == .measure ? "measured" : inputs.values[0])
            if call.cause == .measure { _ = simulation.screenSet(0, "other", "measured") }
            return .ok
        }
        var ended: [(ObjectID, ObjectID)] = []
        stage.body.onDismantle = { _, call in ended.append((call.coordinator, call.view)) }
        let turn = try stage.apply(.mount(0))
        // The coordinator is not the twin's: it lives on.
        #expect(ended.count == 1 && ended[0].0 == 0 && ended[0].1 != 0)
        #expect(
            turn.trace == [
                "coordinator first", "make measure", "dismantle measure", "make first", "update first",
            ])
        #expect(stage.simulation.shown("other") == nil)
        #expect(made == 2 && stage.verdict("a") == "matching" && stage.simulation.liveCounts.controls == 1)
    }

    @Test func `R84: a command given during the mount comes after make and attach`() throws {
        let stage = try Stage(.wrap, ["hooks=told"], isMounted: false)
        try stage.handle { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            _ = simulation.command(mount, 9)
        }
        #expect(
            stage.calls() == [
                "coordinator 1", "make 1", "update 1 first gen 1", "attach 1", "appear 1", "tick",
            ])
    }
}
