import SeamKernel
import Testing

/// R49–R54, R75: controls that are used again, and work that comes late.
@Suite struct ReuseRules {
    /// A pool, and a body that writes what it is given and nothing else.
    private func pooled(_ policies: [String] = [], bridges: Int = 1) throws -> Stage {
        try Stage(.wrap, ["host-detach=pool", "hooks=told"] + policies, bridges: bridges, isMounted: false)
    }

    @Test func `R49: only provided keys are written; what reset leaves is reported`() throws {
        for isReset in [false, true] {
            let stage = try pooled()
            stage.body.onMake = { simulation, _, _ in
                _ = simulation.screenSet(0, "other", "stretch")
                return .ok
            }
            stage.body.onHook = { simulation, hook, _ in
                if hook == .reset, isReset { _ = simulation.screenSet(0, "other", nil) }
                return .ok
            }
            try stage.apply(.items(0, [Item(id: "x")]))
            try stage.apply(.items(0, []))
            #expect(stage.simulation.shown("other") == nil && stage.simulation.liveCounts.pooled == 1)
            _ = stage.calls()
            let turn = try stage.apply(.items(0, [Item(id: "y")]))
            #expect(stage.calls() == ["update 2 returned gen 2", "attach 2", "appear 2"])
            #expect(turn.codes == (isReset ? [] : ["reuse-leak"]))
            #expect(stage.simulation.shown("other") == (isReset ? nil : "stretch"))
            #expect(stage.verdict("a") == "matching")
        }
    }

    @Test func `R49: control and diff base are reset together, or the base lies`() throws {
        for forgets in [false, true] {
            let stage = try pooled()
            var differs = false
            stage.body.onMake = { _, _, _ in .ok }
            stage.body.onUpdate = { simulation, call, inputs, _ in
                _ = simulation.differs(call.mount, "a", inputs.values[0], &differs)
                if differs { _ = simulation.screenSet(0, "a", inputs.values[0]) }
                return .ok
            }
            stage.body.onHook = { simulation, hook, call in
                guard hook == .reset else { return .ok }
                _ = simulation.screenSet(0, "a", nil)
                if forgets { _ = simulation.forgetDiffBase(call.mount, nil) }
                return .ok
            }
            try stage.apply(.items(0, [Item(id: "x")]))
            #expect(stage.verdict("a") == "matching")
            try stage.apply(.items(0, []))
            let turn = try stage.apply(.items(0, [Item(id: "y")]))
            #expect(turn.codes == (forgets ? [] : ["diff-base-out-of-step"]))
            #expect(stage.verdict("a") == (forgets ? "matching" : "missing"))
        }
    }

    @Test(arguments: [("deliver", ["reuse-leak"]), ("drop", [])])
    func `R50: late work carries the id of its owner, and finds another one`(policy: String, codes: [String])
        throws
    {
        let stage = try pooled(["queued-work=\(policy)"])
        var token: UInt64 = 0
        try stage.apply(.items(0, [Item(id: "x")]))
        try stage.handle { simulation in
            var timer: UInt64 = 0
            _ = simulation.own(1, "load", &token)
            _ = simulation.atTime(5, token, &timer)
        }
        try stage.apply(.items(0, []))
        try stage.apply(.items(0, [Item(id: "y")]))
        _ = stage.calls()
        var late: [String] = []
        try stage.simulation.advance(to: 5) { late += $0.codes }
        #expect(late == codes && stage.calls() == (policy == "deliver" ? ["tick"] : []))
    }

    @Test func `R51: a late write never brings a removed key back`() throws {
        let stage = try Stage(.wrap)
        var binding: UInt64 = 0
        try stage.handle { _ = $0.bindingMake(1, .live, "a", nil, &binding) }
        try stage.handle { simulation in
            _ = simulation.writeLater(1, "a", captured: "late", isReread: false, delay: 1_000_000)
            _ = simulation.modelSet("a", nil)
            _ = simulation.unmount(1)
        }
        var codes: [String] = []
        try stage.simulation.advance(to: 1_000_000) { codes += $0.codes }
        #expect(codes == ["callback-after-dismantle"] && stage.simulation.modelValue("a") == nil)
        let turn = try stage.handle { _ = $0.bindingSet(binding, "late") }
        #expect(turn.codes == ["callback-after-dismantle"] && stage.simulation.modelValue("a") == nil)
    }

    @Test(arguments: [("commit", "draft", []), ("drop", "1", ["lost-edit"]), ("carry", "1", [])])
    func `R52: a draft is committed to its own key before the control is given away`(
        policy: String, model: String, codes: [String]
    ) throws {
        let stage = try Stage(.wrap, ["draft=\(policy)"])
        try stage.apply(.rebind(0, mount: nil, owner: "x"))
        try stage.handle { _ = $0.setDraft(1, "a", "draft") }
        let turn = try stage.apply(.rebind(0, mount: nil, owner: "y"))
        #expect(turn.codes == codes && stage.simulation.modelValue("a") == model)
    }

    @Test func `R52: a draft that update writes over, or that goes with its control, is a lost edit`() throws
    {
        let stage = try Stage(.wrap)
        stage.body.onUpdate = { simulation, _, inputs, _ in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
        try stage.handle { _ = $0.setDraft(1, "a", "draft") }
        #expect(try stage.set("a", "2").codes == ["lost-edit"])
        // Told once: the edit is gone.
        #expect(try stage.set("a", "3").codes == [])
        // What comes back is the edit itself, committed.
        try stage.handle { _ = $0.setDraft(1, "a", "mine") }
        #expect(try stage.set("a", "mine").codes == [])
        try stage.handle { _ = $0.setDraft(1, "a", "half") }
        #expect(try stage.apply(.unmount(0, mount: nil)).codes == ["lost-edit"])
        // Nor is anything lost to the end of the simulation.
        try stage.apply(.mount(0))
        try stage.handle { _ = $0.setDraft(2, "a", "half") }
        #expect(stage.simulation.destroy().codes == [])
    }

    @Test func `R53: the id decides identity, the value equality`() throws {
        let stage = try Stage(.wrap, isMounted: false)
        try stage.apply(.items(0, [Item(id: "1", value: "on-time"), Item(id: "2", value: "on-time")]))
        _ = stage.calls()
        try stage.apply(.items(0, [Item(id: "1", value: "late"), Item(id: "2", value: "on-time")]))
        #expect(stage.calls() == ["update 1 input gen 2"])
        // The whole value as id: the changed row is another row.
        try stage.apply(.items(0, [Item(id: "1 later"), Item(id: "2", value: "on-time")]))
        #expect(stage.calls() == ["dismantle 1", "coordinator 3", "make 3", "update 3 first gen 1"])
    }

    @Test(
        arguments: [
            ActivityChange(window: false), ActivityChange(hidden: true), ActivityChange(size: false),
        ])
    func `R54: shown means visible`(change: ActivityChange) throws {
        let stage = try Stage(.wrap)
        #expect(try stage.host(change).verdicts == ["matching>missing"])
        let kept = try Stage(.wrap, ["offscreen=keep"])
        #expect(try kept.host(change).verdicts == [])
        try stage.host(ActivityChange(window: true, hidden: false, size: true))
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R54: what lies in a view that is not visible is not visible either`() throws {
        let stage = try Stage(.wrap, keys: ["a"], bridges: 2, screens: ["Outer", "Inner"])
        try stage.handle { simulation in
            var inner: MountID = 0
            _ = simulation.mountIn(1, 1, &inner)
        }
        #expect(stage.verdict("a", on: "Inner") == "matching")
        for change in [ActivityChange(window: false), ActivityChange(window: true, parked: true)] {
            try stage.host(change)
            #expect(stage.verdict("a", on: "Inner") == "missing")
        }
        try stage.host(ActivityChange(parked: false))
        #expect(
            stage.verdict("a", on: "Inner") == "matching" && stage.verdict("a", on: "Outer") == "matching")
    }

    @Test func `mounts lie in one another only so deep`() throws {
        let stage = try Stage(.wrap)
        var results: [CallResult] = []
        var deepest: MountID = 1
        try stage.handle { simulation in
            for _ in 0..<300 { results.append(simulation.mountIn(deepest, 0, &deepest)) }
        }
        #expect(results.filter { $0 == .ok }.count == 256 && results.last == .limit)
        _ = stage.simulation.destroy()
        #expect(stage.simulation.liveCounts.mounts == 0)
    }

    @Test func `R54: what is written while nothing is visible shows on return`() throws {
        let stage = try Stage(.wrap)
        try stage.host(ActivityChange(size: false))
        try stage.set("a", "2")
        #expect(stage.verdict("a") == "missing")
        try stage.host(ActivityChange(size: true))
        #expect(stage.simulation.shown("a") == "2")
    }

    @Test func `R75: the pool has a limit, and the control used longest ago goes`() throws {
        let stage = try pooled(["pool-limit=2"])
        let items = ["x", "y", "z"].map { Item(id: $0) }
        try stage.apply(.items(0, items))
        _ = stage.calls()
        try stage.apply(.items(0, []))
        let calls = stage.calls()
        #expect(calls.filter { $0.hasPrefix("dismantle") } == ["dismantle 1"])
        #expect(calls.filter { $0 == "reset 1" || $0 == "detach 1" } == ["reset 1", "detach 1"])
        #expect(stage.simulation.liveCounts.pooled == 2 && stage.simulation.liveCounts.controls == 2)
    }

    @Test func `R75: the pool key is kind and style, with a fallback to no style`() throws {
        let stage = try pooled(["pool-key=rows"], bridges: 2)
        var mount: MountID = 0
        var views: [ObjectID] = []
        stage.body.onUpdate = { _, call, _, _ in
            views.append(call.view)
            return .ok
        }
        for style in ["big", nil] {
            try stage.handle { _ = $0.mountIn(0, 0, style: style, &mount) }
        }
        let plain = mount
        try stage.handle { _ = $0.unmount(mount - 1) }
        try stage.handle { _ = $0.unmount(plain) }
        _ = stage.calls()
        // Another bridge of the same pool and style: no make.
        try stage.handle { _ = $0.mountIn(0, 1, style: "big", &mount) }
        #expect(!stage.calls().contains { $0.hasPrefix("make") })
        try stage.handle { _ = $0.mountIn(0, 1, style: "small", &mount) }
        #expect(!stage.calls().contains { $0.hasPrefix("make") })
        // First the big one, then the one without a style.
        #expect(views.count == 4 && views[2] == views[0] && views[3] == views[1])
        try stage.handle { _ = $0.mountIn(0, 1, style: "small", &mount) }
        #expect(stage.calls().contains { $0.hasPrefix("make") })
    }
}
