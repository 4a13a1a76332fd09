import SeamKernel
import Testing

/// R27–R34, R74, R80–R82, R85, R86, R88: what a view owns, observes, binds and answers.
@Suite struct OwnershipRules {
    // MARK: State and objects

    @Test func `R27: an owned object is made once for an identity; new inputs do not replace it`() throws {
        let stage = try Stage(.wrap, isMounted: false)
        var held: [UInt64] = []
        stage.body.onUpdate = { simulation, call, _, _ in
            var object: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.objectHold(call.mount, "store", object, isOwned: true, &object)
            held.append(object)
            return .ok
        }
        try stage.apply(.mount(0))
        try stage.set("a", "2")
        #expect(held.count == 2 && held[0] == held[1])
        // The one that was constructed for nothing is gone.
        #expect(stage.simulation.liveCounts.objects == 1)
        try stage.apply(.identify(0, mount: nil, id: "one"))
        try stage.apply(.identify(0, mount: nil, id: "two"))
        #expect(held.count == 3 && held[2] != held[0] && stage.simulation.liveCounts.objects == 1)
    }

    @Test func `R27: an initial value counts once, whatever it is later`() throws {
        let stage = try Stage(.wrap)
        var state: String?
        try stage.handle { _ = $0.stateStart(1, "page", "0", &state) }
        try stage.handle { _ = $0.stateStart(1, "page", "7", &state) }
        #expect(state == "0")
    }

    @Test func `R28: an observed object is the one held now, and its subscription moves with it`() throws {
        let stage = try Stage(.wrap)
        var first: UInt64 = 0
        var second: UInt64 = 0
        try stage.handle { simulation in
            _ = simulation.objectMake(&first)
            _ = simulation.objectMake(&second)
            var held: UInt64 = 0
            _ = simulation.objectHold(1, "store", first, isOwned: false, &held)
            _ = simulation.objectHold(1, "store", second, isOwned: false, &held)
        }
        _ = stage.calls()
        try stage.handle { _ = $0.objectPublish(first) }
        #expect(stage.calls() == [])
        try stage.handle { _ = $0.objectPublish(second) }
        #expect(stage.calls() == ["update 1 observed gen 3"])
        #expect(stage.simulation.liveCounts.subscriptions == 1)
    }

    @Test func `R28: a subscription of its own stays on the object that is held no longer`() throws {
        let stage = try Stage(.wrap)
        var first: UInt64 = 0
        var subscription: UInt64 = 0
        try stage.handle { simulation in
            var second: UInt64 = 0
            _ = simulation.objectMake(&first)
            _ = simulation.objectMake(&second)
            var held: UInt64 = 0
            _ = simulation.objectHold(1, "store", first, isOwned: false, &held)
            _ = simulation.subscribe(1, first, &subscription)
            _ = simulation.objectHold(1, "store", second, isOwned: false, &held)
        }
        _ = stage.calls()
        #expect(try stage.handle { _ = $0.objectPublish(first) }.codes == ["dangling-subscription"])
        #expect(stage.calls() == [])
        #expect(try stage.handle { _ = $0.unsubscribe(subscription) }.codes.isEmpty)
        #expect(try stage.handle { _ = $0.objectPublish(first) }.codes.isEmpty)
    }

    @Test func `R28: a subscription outlives its mount, unless it is ended`() throws {
        let stage = try Stage(.wrap)
        var object: UInt64 = 0
        try stage.handle { simulation in
            var subscription: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.subscribe(1, object, &subscription)
        }
        try stage.apply(.unmount(0, mount: nil))
        #expect(try stage.handle { _ = $0.objectPublish(object) }.codes == ["callback-after-dismantle"])
    }

    @Test func `R29: a removal destroys state; a place in a list hands it to another item`() throws {
        let removed = try Stage(.wrap, isMounted: false)
        try removed.apply(.items(0, [Item(id: "x"), Item(id: "y")]))
        try removed.handle { _ = $0.stateSet(1, "text", "hello") }
        try removed.apply(.items(0, [Item(id: "y")]))
        try removed.apply(.items(0, [Item(id: "x"), Item(id: "y")]))
        var state: String?
        try removed.handle { _ = $0.stateGet(3, "text", &state) }
        #expect(state == nil)
        let byPlace = try Stage(.wrap, ["identity=place"], isMounted: false)
        try byPlace.apply(.items(0, [Item(id: "x"), Item(id: "y")]))
        try byPlace.handle { _ = $0.stateSet(1, "text", "hello") }
        let turn = try byPlace.apply(.items(0, [Item(id: "y")]))
        #expect(turn.codes == ["identity-carried-state"])
        try byPlace.handle { _ = $0.stateGet(1, "text", &state) }
        #expect(state == "hello" && byPlace.simulation.item(of: 1)?.id == "y")
    }

    @Test func `R30: an id per evaluation is a control per evaluation; an id by value is meant`() throws {
        let stage = try Stage(.wrap)
        try stage.apply(.identify(0, mount: nil, id: "k1"))
        try stage.set("a", "typed")
        let turn = try stage.apply(.identify(0, mount: nil, id: "k2"))
        #expect(turn.codes == ["recreated-control"] && turn.diagnostics[0].text.contains("k2"))
        try stage.set("a", "expanded")
        let meant = try stage.apply(.identify(0, mount: nil, id: "expanded"))
        #expect(meant.codes.isEmpty && meant.trace.contains("make identity"))
    }

    @Test func `R30: an observed object made anew in each evaluation is recreated`() throws {
        let stage = try Stage(.wrap)
        stage.body.onUpdate = { simulation, call, _, _ in
            var object: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.objectHold(call.mount, "store", object, isOwned: false, &object)
            return .ok
        }
        #expect(try stage.set("a", "2").codes.isEmpty)
        let turn = try stage.set("a", "3")
        #expect(turn.codes == ["object-recreated"] && turn.diagnostics[0].text.contains("input"))
    }

    // MARK: Coordinator and bindings

    @Test func `R31: the parent is a copy; a coordinator that keeps an old one is told apart`() throws {
        let stage = try Stage(.wrap)
        var generation: UInt32 = 1
        stage.body.onUpdate = { simulation, call, inputs, _ in
            // The refresh comes first, or not at all.
            if inputs.values[0] != "3" { generation = inputs.generation }
            var rows: String?
            _ = simulation.ask(call.mount, generation: generation, "a", &rows)
            _ = simulation.screenSet(0, "a", rows)
            return .ok
        }
        #expect(try stage.set("a", "2").codes.isEmpty && stage.verdict("a") == "matching")
        let turn = try stage.set("a", "3")
        #expect(turn.codes.first == "stale-parent" && stage.simulation.shown("a") == "2")
    }

    @Test func `R34: the control asks its coordinator, also in the middle of an update`() throws {
        let stage = try Stage(.wrap)
        stage.body.onUpdate = { simulation, call, inputs, _ in
            var rows: String?
            _ = simulation.ask(call.mount, generation: inputs.generation, "a", &rows)
            _ = simulation.screenSet(0, "a", rows)
            return .ok
        }
        let turn = try stage.set("a", "4")
        #expect(turn.calls.map { "\($0.kind.word)" } == ["question", "update"] && turn.codes.isEmpty)
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R32: live, derived and snapshot bindings read different things`() throws {
        let stage = try Stage(.wrap, keys: ["a", "b"])
        var live: UInt64 = 0
        var derived: UInt64 = 0
        var snapshot: UInt64 = 0
        try stage.handle { simulation in
            _ = simulation.bindingMake(1, .live, "a", nil, &live)
            _ = simulation.bindingMake(1, .derived, "b", nil, &derived)
            _ = simulation.bindingMake(1, .snapshot, "a", nil, &snapshot)
            _ = simulation.modelSet("a", "2")
        }
        var values: [String?] = [nil, nil, nil]
        try stage.handle { simulation in
            _ = simulation.bindingGet(live, &values[0])
            _ = simulation.bindingGet(derived, &values[1])
            _ = simulation.bindingGet(snapshot, &values[2])
            _ = simulation.bindingSet(derived, "9")
        }
        #expect(values == ["2", "1", "1"])
        #expect(stage.simulation.modelValue("b") == "9" && stage.simulation.modelValue("a") == "2")
    }

    @Test func `R33: edits through an old binding go to the old key`() throws {
        let stage = try Stage(.wrap, keys: ["a", "b"])
        var old: UInt64 = 0
        var now: UInt64 = 0
        try stage.handle { simulation in
            _ = simulation.bindingMake(1, .live, "a", nil, &old)
            _ = simulation.bindingMake(1, .live, "a", nil, &now)
            _ = simulation.bindingRebind(now, "b")
        }
        _ = stage.calls()
        try stage.handle { simulation in
            _ = simulation.bindingSet(old, "old")
            _ = simulation.bindingSet(now, "new")
        }
        #expect(stage.simulation.modelValue("a") == "old" && stage.simulation.modelValue("b") == "new")
        #expect(!stage.calls().contains("make 1"))
    }

    @Test func `R80: unwrapped remembers, a case takes its own payload, a constant takes nothing`() throws {
        let stage = try Stage(.wrap)
        var unwrapped: UInt64 = 0
        var enumCase: UInt64 = 0
        var constant: UInt64 = 0
        try stage.handle { simulation in
            _ = simulation.bindingMake(1, .unwrapped, "a", nil, &unwrapped)
            _ = simulation.modelSet("other", "open:yes")
            _ = simulation.bindingMake(1, .enumCase, "other", "open", &enumCase)
            _ = simulation.bindingMake(1, .constant, "a", "fixed", &constant)
        }
        var value: String?
        var results: [CallResult] = []
        try stage.handle { simulation in
            _ = simulation.bindingGet(unwrapped, &value)
            _ = simulation.modelSet("a", nil)
            results.append(simulation.bindingSet(unwrapped, "lost"))
            _ = simulation.bindingGet(unwrapped, &value)
        }
        #expect(value == "1" && results == [.absent] && stage.simulation.modelValue("a") == nil)
        try stage.handle { simulation in
            results = [simulation.bindingSet(enumCase, "no"), simulation.bindingSet(constant, "x")]
            _ = simulation.bindingGet(enumCase, &value)
        }
        #expect(results == [.ok, .absent] && value == "no")
        #expect(stage.simulation.modelValue("other") == "open:no")
        try stage.handle { simulation in
            _ = simulation.modelSet("other", "closed:")
            results = [simulation.bindingSet(enumCase, "again")]
            _ = simulation.bindingGet(constant, &value)
        }
        #expect(results == [.absent] && value == "fixed")
        #expect(stage.simulation.modelValue("other") == "closed:")
    }

    @Test func `R80: unbind cuts both directions`() throws {
        let stage = try Stage(.wrap)
        var binding: UInt64 = 0
        var results: [CallResult] = []
        try stage.handle { simulation in
            _ = simulation.bindingMake(1, .live, "a", nil, &binding)
            _ = simulation.bindingUnbind(binding)
            var value: String?
            results = [simulation.bindingGet(binding, &value), simulation.bindingSet(binding, "x")]
        }
        #expect(results == [.badArgument, .badArgument] && stage.simulation.modelValue("a") == "1")
    }

    @Test func `R81: a read in a callback that runs later is not tracked, and can be reported`() throws {
        for (policy, codes) in [("reads=lexical", ["untracked-read"]), ("reads=update", [])] {
            let stage = try Stage(.wrap, [policy])
            stage.body.onNative = { simulation, _, _, _ in
                var value: String?
                _ = simulation.modelGet("other", &value)
                return .ok
            }
            #expect(try stage.apply(.send(1, arguments: ["x"], mount: nil)).codes == codes, "\(policy)")
            _ = stage.calls()
            try stage.set("other", "x")
            #expect(stage.calls() == [])
        }
    }

    @Test func `R81: the reads of a nested body count for the one around it`() throws {
        let stage = try Stage(.wrap, ["reads=update"], bridges: 2, isMounted: false)
        stage.body.onUpdate = { simulation, call, _, _ in
            var value: String?
            if call.bridge == 1 { _ = simulation.modelGet("other", &value) }
            return .ok
        }
        try stage.apply(.mount(0))
        try stage.handle { simulation in
            var inner: MountID = 0
            _ = simulation.mountIn(1, 1, &inner)
        }
        _ = stage.calls()
        try stage.set("other", "x")
        #expect(stage.calls() == ["update 2 observed gen 2", "update 1 observed gen 2"])
    }

    @Test func `R82: a test by identity misses a changed copy with the same id`() throws {
        for (policy, calls) in [
            ("change-test=value", ["update 1 input gen 2"]), ("change-test=identity", []),
        ] {
            let stage = try Stage(.wrap, [policy], isMounted: false)
            try stage.apply(.items(0, [Item(id: "x", value: "old")]))
            _ = stage.calls()
            try stage.apply(.items(0, [Item(id: "x", value: "new")]))
            #expect(stage.calls() == calls, "\(policy)")
        }
    }

    // MARK: Late and native

    @Test(arguments: [("deliver", ["callback-after-dismantle"]), ("drop", [])])
    func `R74: work queued by the write that removes its owner is delivered or dropped`(
        policy: String, codes: [String]
    ) throws {
        let stage = try Stage(.wrap, ["queued-work=\(policy)"])
        var token: UInt64 = 0
        try stage.handle { _ = $0.own(1, "watcher", &token) }
        _ = stage.calls()
        stage.body.onDismantle = { simulation, _ in _ = simulation.cancel(0) }
        let turn = try stage.handle { simulation in
            _ = simulation.unmount(1)
            _ = simulation.nextTurn(token)
        }
        #expect(turn.codes.filter { $0 == "callback-after-dismantle" } == codes)
        #expect(stage.calls().contains("tick") == (policy == "deliver"))
    }

    @Test(arguments: [("keep-newest", "scrolled"), ("roll-back", "2"), ("none", "2")])
    func `R85: what the native side changed is kept while it is newer, or rolled back`(
        policy: String, shown: String
    ) throws {
        let stage = try Stage(.wrap, ["native-state=\(policy)", "updates=manual"])
        try stage.set("a", "2")
        try stage.handle { _ = $0.nativeChange(1, "a", "scrolled") }
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("a") == shown)
        // A change of the model that comes after it wins everywhere.
        try stage.set("a", "3")
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("a") == "3")
    }

    @Test(arguments: [("keep-newest", "scrolled"), ("roll-back", "2"), ("none", "scrolled")])
    func `R85: what update does not write is put back by a framework that rolls back, and by no other`(
        policy: String, shown: String
    ) throws {
        let stage = try Stage(.wrap, ["native-state=\(policy)", "updates=manual"])
        try stage.set("a", "2")
        try stage.apply(.update(0, mount: nil))
        stage.body.onUpdate = { _, _, _, _ in .ok }
        try stage.handle { _ = $0.nativeChange(1, "a", "scrolled") }
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("a") == shown)
        // What the control shows already is not written once more.
        try stage.handle { _ = $0.nativeChange(1, "a", "2") }
        #expect(try stage.apply(.update(0, mount: nil)).codes.isEmpty)
        // Once put back it is the model's value again: the next update finds nothing to do.
        try stage.handle { _ = $0.screenSet(0, "a", "elsewhere") }
        try stage.apply(.update(0, mount: nil))
        #expect(stage.simulation.shown("a") == "elsewhere")
    }

    @Test func `R85: an update that fails puts nothing back`() throws {
        for fails in [false, true] {
            let stage = try Stage(.wrap, ["native-state=roll-back"])
            stage.body.onUpdate = { _, _, _, _ in fails ? .failed(status: -7, text: "broken") : .ok }
            try stage.handle { _ = $0.nativeChange(1, "a", "typed") }
            try stage.apply(.update(0, mount: nil))
            #expect(stage.simulation.shown("a") == (fails ? "typed" : "1"))
        }
    }

    @Test(arguments: [("deliver", "edit"), ("drop", "replaced")])
    func `R86: a pending edit that no longer fits is dropped, one that fits is adopted`(
        policy: String, model: String
    ) throws {
        let stage = try Stage(.wrap, ["write-back=\(policy)"])
        try stage.handle { _ = $0.writeLater(1, "a", captured: "edit", isReread: false, delay: 1_000_000) }
        try stage.set("a", "replaced")
        try stage.simulation.advance(to: 1_000_000) { _ in }
        #expect(stage.simulation.modelValue("a") == model)
        try stage.handle { _ = $0.writeLater(1, "a", captured: "fits", isReread: false, delay: 1_000_000) }
        try stage.simulation.advance(to: 2_000_000) { _ in }
        #expect(stage.simulation.modelValue("a") == "fits")
    }

    @Test func `R88: a redraw between a toggle and its event does not undo the toggle`() throws {
        for (policy, shown) in [("native-state=keep-newest", "on"), ("native-state=none", "1")] {
            let stage = try Stage(.wrap, [policy])
            try stage.handle { _ = $0.nativeChange(1, "a", "on") }
            try stage.apply(.update(0, mount: nil, cause: .layout))
            #expect(stage.simulation.shown("a") == shown, "\(policy)")
            stage.body.onNative = { simulation, call, _, arguments in
                _ = simulation.bind(call.mount, generation: 2, key: "a", value: arguments[0])
                return .ok
            }
            try stage.apply(.send(1, arguments: ["on"], mount: nil))
            #expect(stage.verdict("a") == "matching" && stage.simulation.shown("a") == "on")
        }
    }
}
