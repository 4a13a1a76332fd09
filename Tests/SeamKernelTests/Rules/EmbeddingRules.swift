import SeamKernel
import Testing

/// R13–R19, R54, R76, R77, R89: a declarative view in an imperative screen, and its environment.
@Suite struct EmbeddingRules {
    @Test func `R13: an assignment marks the host, drawing is a later layout pass`() throws {
        let stage = try Stage(.embed, ["draw=layout"])
        try stage.set("a", "2")
        let turn = try stage.simulation.apply(
            .assign(0, mount: nil), interim: Interim(after: .event, fields: [0]))
        #expect(turn.interim?.fields[0].shown == "1" && stage.simulation.shown("a") == "2")
        // After the rounds of the turn, so after the update of whatever else was invalidated.
        var order: [String] = []
        stage.body.onDraw = { _, _, _ in
            order.append("draw")
            return .ok
        }
        stage.body.onTick = { _, _ in
            order.append("tick")
            return .ok
        }
        try stage.handle { simulation in
            _ = simulation.assignRoot(1)
            _ = simulation.nextTurn(5)
        }
        #expect(order == ["tick", "draw"])
    }

    @Test(
        arguments: [
            (ActivityChange(window: false), ActivityChange(window: true)),
            (ActivityChange(scene: .inactive), ActivityChange(scene: .active)),
            (ActivityChange(hidden: true), ActivityChange(hidden: false)),
        ])
    func `R14: without a window, in an inactive scene or hidden nothing is drawn; the mark stays`(
        away: ActivityChange, back: ActivityChange
    ) throws {
        let stage = try Stage(.embed)
        try stage.host(away)
        _ = stage.calls()
        try stage.set("a", "2")
        try stage.apply(.assign(0, mount: nil))
        #expect(stage.calls() == [] && stage.verdict("a") != "matching")
        #expect(stage.codes(["a"]) == ["update-never-arrived"])
        try stage.host(back)
        #expect(stage.calls() == ["draw 1 input"] && stage.verdict("a") == "matching")
        // Nothing was asked for meanwhile: nothing is drawn.
        try stage.host(away)
        try stage.host(back)
        #expect(stage.calls() == [])
    }

    @Test(
        arguments: [
            (ActivityChange(scene: .inactive), ["update 1 input gen 2"], "matching"),
            (ActivityChange(hidden: true), ["update 1 input gen 2"], "missing"),
            (ActivityChange(window: false), [], "missing"), (ActivityChange(parked: true), [], "missing"),
        ])
    func `R14: a scene or what hides it holds no wrapping up, the tree around it goes on; a window does`(
        away: ActivityChange, calls: [String], verdict: String
    ) throws {
        let stage = try Stage(.wrap)
        try stage.host(away)
        _ = stage.calls()
        try stage.set("a", "2")
        #expect(stage.calls() == calls && stage.verdict("a") == verdict)
        try stage.host(ActivityChange(window: true, scene: .active, hidden: false, parked: false))
        #expect(stage.verdict("a") == "matching" && stage.calls().count == 1 - calls.count)
    }

    @Test func `R15: a root view of the same type keeps state and appears once; another id does neither`()
        throws
    {
        let stage = try Stage(.embed, ["hooks=told"])
        try stage.apply(.identify(0, mount: nil, id: "day 3"))
        try stage.handle { _ = $0.stateSet(1, "derived", "3") }
        _ = stage.calls()
        try stage.set("a", "19")
        try stage.apply(.assign(0, mount: nil))
        try stage.apply(.identify(0, mount: nil, id: "day 3"))
        var state: String?
        try stage.handle { _ = $0.stateGet(1, "derived", &state) }
        #expect(stage.calls() == ["draw 1 input"] && state == "3")
        try stage.apply(.identify(0, mount: nil, id: "day 19"))
        #expect(
            stage.calls() == ["detach 1", "disappear 1", "draw 1 identity", "attach 1", "appear 1"])
        try stage.handle { _ = $0.stateGet(1, "derived", &state) }
        #expect(state == nil && stage.verdict("a") == "matching")
    }

    @Test func `R16: copied and observed inputs are told apart field by field`() throws {
        let stage = try Stage(.embed, ["observed-inputs=b"], keys: ["a", "b"])
        _ = stage.calls()
        try stage.set("a", "2")
        #expect(stage.calls() == [] && stage.verdict("a") == "stale")
        try stage.set("b", "2")
        #expect(stage.calls() == ["draw 1 input"])
        #expect(stage.verdict("a") == "stale" && stage.verdict("b") == "matching")
        try stage.apply(.assign(0, mount: nil))
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R17: a builder that runs again is no assignment, and its value is of its moment`() throws {
        let stage = try Stage(.embed)
        try stage.set("a", "2")
        _ = stage.calls()
        try stage.apply(.build(0, mount: nil))
        #expect(stage.calls() == [] && stage.verdict("a") == "stale")
        try stage.set("a", "3")
        try stage.apply(.assignBuilt(0, mount: nil))
        #expect(stage.simulation.shown("a") == "2" && stage.verdict("a") == "stale")
        // In one handler: the content was built before the writes.
        try stage.handle { simulation in
            _ = simulation.buildRoot(1)
            _ = simulation.modelSet("a", "4")
            _ = simulation.assignBuilt(1)
        }
        #expect(stage.simulation.shown("a") == "3")
    }

    @Test func `R18: a value that flows up arrives after the draw, by a carrier of its own`() throws {
        for (policy, verdict) in [("upward=carried", "matching"), ("upward=cut", "missing")] {
            let stage = try Stage(.embed, [policy])
            stage.body.onDraw = { simulation, call, inputs in
                _ = simulation.lift(call.mount, screen: 1, key: "title", value: inputs.values[0])
                return .ok
            }
            try stage.set("title", "2")
            try stage.set("a", "2")
            let turn = try stage.simulation.apply(
                .assign(0, mount: nil),
                interim: Interim(after: .frame, fields: stage.simulation.fields(ofKey: "title")))
            #expect(stage.verdict("title", on: "Above") == verdict, "\(policy)")
            #expect(turn.interim?.fields.last?.shown == nil)
        }
    }

    @Test(arguments: [("old-first", true), ("new-first", false)])
    func `R76: on a replacement the old goes before the new comes, or after`(order: String, isOldFirst: Bool)
        throws
    {
        let stage = try Stage(.wrap, ["hooks=told", "replace-order=\(order)", "update-body=absent"])
        _ = stage.calls()
        try stage.set("a", "2")
        let calls = stage.calls()
        let make = try #require(calls.firstIndex(of: "make 1"))
        let dismantle = try #require(calls.firstIndex(of: "dismantle 1"))
        #expect((dismantle < make) == isOldFirst && calls.filter { $0 == "dismantle 1" }.count == 1)
        #expect(stage.verdict("a") == "matching" && stage.simulation.liveCounts.controls == 1)
        // In a list too.
        let list = try Stage(.wrap, ["replace-order=\(order)"], isMounted: false)
        try list.apply(.items(0, [Item(id: "x")]))
        _ = list.calls()
        try list.apply(.items(0, [Item(id: "y")]))
        #expect((list.calls().first == "dismantle 1") == isOldFirst)
    }

    @Test(arguments: [("writes", nil), ("silent", "1")] as [(String, String?)])
    func `R89: a dismissal that did not come from the model writes it, or leaves it behind`(
        policy: String, model: String?
    ) throws {
        let stage = try Stage(.embed, ["dismissal=\(policy)", "presented-by=a"])
        try stage.apply(.dismiss(0, mount: nil))
        #expect(stage.simulation.modelValue("a") == model)
        #expect(stage.verdict("a") == (model == nil ? "out-of-scope" : "missing"))
        #expect(stage.simulation.liveCounts.mounts == 0)
    }

    // MARK: Environment

    /// A body that shows the environment value "theme" in the field "other"; the root's is the model's too.
    private func themed(_ policies: [String], bridges: Int = 1) throws -> Stage {
        let stage = try Stage(.wrap, policies, bridges: bridges, isMounted: false)
        stage.body.onUpdate = { simulation, call, _, _ in
            var theme: String?
            _ = simulation.environmentGet(call.mount, "other", &theme)
            _ = simulation.screenSet(0, "other", theme)
            return .ok
        }
        try stage.apply(.environment([("other", "dark")], bridge: nil, mount: nil))
        return stage
    }

    @Test func `R19: the environment is a carrier of its own, cut at a host that does not hand it on`() throws
    {
        let inherited = try themed([])
        #expect(try inherited.apply(.mount(0)).codes.isEmpty)
        #expect(inherited.verdict("other") == "matching")
        let cut = try themed(["environment=own"])
        let turn = try cut.apply(.mount(0))
        #expect(turn.codes == ["environment-not-propagated"] && cut.verdict("other") == "missing")
        // Injected on the host itself.
        try cut.apply(.environment([("other", "dark")], bridge: 0, mount: nil))
        #expect(cut.verdict("other") == "matching")
    }

    @Test(arguments: ["creation", "live"])
    func `R19: a host made in a body takes the environment of that body's view`(capture: String) throws {
        let stage = try themed(["b1.environment-capture=\(capture)"], bridges: 2)
        var inner: MountID = 0
        stage.body.onMake = { simulation, call, _ in
            if call.bridge == 0 {
                _ = simulation.environmentSet(call.mount, "other", "blue")
                _ = simulation.mountIn(call.mount, 1, &inner)
            }
            return .ok
        }
        try stage.apply(.mount(0))
        #expect(inner == 2 && stage.simulation.shown("other") == "blue")
        // Made elsewhere it starts from the root alone.
        let elsewhere = try themed([], bridges: 2)
        try elsewhere.apply(.mount(0))
        try elsewhere.apply(.environment([("other", "blue")], bridge: 0, mount: 1))
        try elsewhere.apply(.mount(1))
        #expect(elsewhere.simulation.shown("other") == "dark")
    }

    @Test(
        arguments: [
            ("live", "light", "light"), ("creation", "dark", "dark"), ("layout", "light", "light"),
            ("request", nil, "light"),
        ] as [(String, String?, String)])
    func `R77: the environment is captured live, at creation, at layout, or on request`(
        capture: String, shown: String?, asked: String
    ) throws {
        let stage = try themed(["environment-capture=\(capture)"])
        try stage.apply(.mount(0))
        try stage.apply(.environment([("other", "light")], bridge: nil, mount: nil))
        #expect(stage.simulation.shown("other") == shown)
        if capture != "creation" { try stage.handle { _ = $0.environmentTake(1) } }
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("other") == asked)
    }

    @Test(arguments: [("native", "own"), ("inherited", "dark")])
    func `R77: a host's own traits or the inherited values win`(precedence: String, shown: String) throws {
        let stage = try themed(["environment-precedence=\(precedence)"])
        try stage.apply(.mount(0))
        try stage.apply(.environment([("other", "own")], bridge: 0, mount: nil))
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("other") == shown)
    }
}
