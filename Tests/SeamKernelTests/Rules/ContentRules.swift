import SeamKernel
import Testing

/// R12, R23, R40, R49–R52, R54, R58, R76: what a mount's own control holds, whatever another one shows in its field, and
/// wherever the control is.
@Suite struct ContentRules {
    /// Two mounts of one bridge, and so two controls that show one field; update is called by hand.
    private func pair(_ policies: [String] = []) throws -> Stage {
        let stage = try Stage(.wrap, ["updates=manual"] + policies)
        try stage.apply(.mount(0))
        return stage
    }

    /// A body that writes what it is given, equal or not.
    private func writes(_ stage: Stage) {
        stage.body.onUpdate = { simulation, _, inputs, _ in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
    }

    private func leavesAll(_ stage: Stage) {
        stage.body.onMake = { _, _, _ in .ok }
        stage.body.onUpdate = { _, _, _, _ in .ok }
    }

    private func type(_ text: String?, _ mount: MountID, _ stage: Stage) throws {
        try stage.handle { _ = $0.nativeChange(mount, "a", text) }
    }

    private func writeLater(_ mount: MountID, _ text: String?, isReread: Bool, _ stage: Stage) throws {
        try stage.handle {
            _ = $0.writeLater(mount, "a", captured: text, isReread: isReread, delay: 5_000_000)
        }
    }

    private func advance(_ stage: Stage) throws -> [Diagnostic] {
        var found: [Diagnostic] = []
        try stage.simulation.advance(to: stage.simulation.nanoseconds + 5_000_000) { found += $0.diagnostics }
        return found
    }

    // MARK: Late writes

    @Test func `R23: a write that reads the control again reads its own`() throws {
        let covered = try pair()
        try type("one", 1, covered)
        try writeLater(1, "", isReread: true, covered)
        try type("two", 2, covered)
        #expect(try advance(covered).isEmpty && covered.simulation.modelValue("a") == "one")
        #expect(covered.simulation.shown("a") == "two")
        for change in [ActivityChange(hidden: true), ActivityChange(parked: true)] {
            let hidden = try Stage(.wrap, ["updates=manual"])
            try type("sea", 1, hidden)
            try writeLater(1, "", isReread: true, hidden)
            try hidden.host(change)
            #expect(try advance(hidden).isEmpty && hidden.simulation.modelValue("a") == "sea")
        }
    }

    @Test func `R23, R60: before there is a control nothing is read of it, and nothing can change in it`()
        throws
    {
        let stage = try Stage(.wrap, ["updates=manual", "make=needs-size"])
        #expect(!stage.calls().contains { $0.hasPrefix("make") })
        try stage.handle { #expect($0.nativeChange(1, "a", "ghost") == .absent) }
        try writeLater(1, "", isReread: true, stage)
        #expect(try advance(stage).isEmpty && stage.simulation.modelValue("a") == "1")
    }

    @Test(arguments: [["replace-order=old-first"], ["replace-order=new-first"]])
    func `R23: of a control that has gone it reads what that held last`(policies: [String]) throws {
        let gone = try pair(policies)
        try type("one", 1, gone)
        try writeLater(1, "", isReread: true, gone)
        try gone.apply(.unmount(0, mount: 1))
        #expect(try advance(gone).map(\.code) == ["callback-after-dismantle"])
        #expect(gone.simulation.modelValue("a") == "one")
        let replaced = try Stage(.wrap, ["updates=manual"] + policies)
        try replaced.apply(.identify(0, mount: nil, id: "k"))
        try type("one", 1, replaced)
        try writeLater(1, "", isReread: true, replaced)
        try replaced.apply(.identify(0, mount: nil, id: "m"))
        try type("other", 1, replaced)
        _ = try advance(replaced)
        #expect(replaced.simulation.modelValue("a") == "one" && replaced.simulation.shown("a") == "other")
    }

    @Test(arguments: [("deliver", ["reuse-leak"], "typed"), ("drop", [], "1")])
    func `R50: a deferred write carries its owner, and finds another one`(
        policy: String, codes: [String], model: String
    ) throws {
        let stage = try Stage(.wrap, ["updates=manual", "queued-work=\(policy)"])
        try stage.apply(.rebind(0, mount: nil, owner: "x"))
        try writeLater(1, "typed", isReread: false, stage)
        try stage.apply(.rebind(0, mount: nil, owner: "y"))
        #expect(try advance(stage).map(\.code) == codes && stage.simulation.modelValue("a") == model)
        // Its own owner again: nothing is late.
        try writeLater(1, "mine", isReread: false, stage)
        try stage.apply(.rebind(0, mount: nil, owner: "x"))
        try stage.apply(.rebind(0, mount: nil, owner: "y"))
        #expect(try advance(stage).isEmpty && stage.simulation.modelValue("a") == "mine")
    }

    @Test(arguments: [("deliver", ["reuse-leak", "reuse-leak"], "new"), ("drop", [], "1")])
    func `R50: late work follows a control from the pool, and finds another mount`(
        policy: String, codes: [String], model: String
    ) throws {
        let stage = try Stage(
            .wrap, ["updates=manual", "host-detach=pool", "queued-work=\(policy)"])
        try stage.handle { simulation in
            var token: UInt64 = 0
            var timer: UInt64 = 0
            _ = simulation.own(1, "load", &token)
            _ = simulation.atTime(5_000_000, token, &timer)
            _ = simulation.writeLater(1, "a", captured: "", isReread: true, delay: 5_000_000)
        }
        try stage.apply(.unmount(0, mount: 1))
        try stage.apply(.mount(0))
        var count = 0
        try stage.handle { _ = $0.inFlight(2, "a", &count) }
        #expect(count == 1)
        try type("new", 2, stage)
        let found = try advance(stage)
        #expect(found.map(\.code) == codes && stage.simulation.modelValue("a") == model)
        #expect(found.allSatisfy { $0.text.contains("that mount 1 asked for") && $0.mount == 2 })
        try stage.handle { _ = $0.inFlight(2, "a", &count) }
        #expect(count == 0)
    }

    @Test(arguments: [
        (["queued-work=drop"], "its control was dismantled in turn 4"),
        (["queued-work=drop", "host-detach=dispose"], "its control was dismantled in turn 4"),
        (["queued-work=drop", "host-detach=pool"], "the mount is gone"),
        (["write-back=drop"], "the model changed since"),
    ])
    func `R50, R74: an edit of a person that is dropped on its way is lost, and told`(
        policies: [String], why: String
    ) throws {
        let stage = try Stage(.wrap, ["updates=manual"] + policies)
        stage.body.onNative = { simulation, _, _, arguments in
            _ = simulation.nativeChange(1, "a", arguments[0])
            _ = simulation.writeLater(1, "a", captured: arguments[0], isReread: false, delay: 5_000_000)
            return .ok
        }
        try stage.apply(.identify(0, mount: nil, id: "1"))
        try stage.apply(.send(1, arguments: ["typed"], mount: nil))
        switch policies.last {
        case "queued-work=drop": try stage.apply(.identify(0, mount: nil, id: "2"))
        case "host-detach=dispose": try stage.host(ActivityChange(window: false))
        case "host-detach=pool": try stage.apply(.unmount(0, mount: nil))
        default: try stage.set("a", "2")
        }
        let found = try advance(stage)
        let model = policies == ["write-back=drop"] ? "2" : "1"
        #expect(found.map(\.code) == ["lost-edit"] && stage.simulation.modelValue("a") == model)
        #expect(
            found.first?.text.hasPrefix(
                "the edit a=typed in b, made in turn 3, was dropped on its way to the model: ")
                == true && found.first?.text.contains(why) == true)
        let sentence = stage.simulation.sentence(about: 0)
        #expect(
            sentence.contains("set it to in turn 3 was dropped in turn 5") && sentence.contains(why),
            "\(sentence)")
        // What the model says already is not lost.
        let plain = try Stage(.wrap, ["updates=manual"] + policies)
        plain.body.onNative = stage.body.onNative
        try plain.apply(.send(1, arguments: ["1"], mount: nil))
        try plain.apply(policies == ["write-back=drop"] ? .settle : .unmount(0, mount: nil))
        #expect(try advance(plain).isEmpty)
    }

    @Test func `R50: what comes for a control in the pool is stopped in reset, not in dismantle`() throws {
        let stage = try Stage(.wrap, ["updates=manual", "host-detach=pool"])
        try type("typed", 1, stage)
        try writeLater(1, "", isReread: true, stage)
        try stage.apply(.unmount(0, mount: 1))
        let found = try advance(stage)
        #expect(found.map(\.code) == ["callback-after-dismantle"])
        #expect(
            found.first?.text
                == "mount 1 of b gave its control to the pool, and its deferred write of a came afterwards: stop it in "
                + "reset")
        #expect(stage.simulation.modelValue("a") == "typed")
        let other = try Stage(.wrap, ["updates=manual"])
        try writeLater(1, "x", isReread: false, other)
        try other.apply(.unmount(0, mount: 1))
        #expect(
            try advance(other).first?.text
                == "mount 1 of b was dismantled, and its deferred write of a came afterwards: stop it in dismantle"
        )
    }

    @Test func `R51: a late write never brings a removed key back, also while its mount lives`() throws {
        let stage = try Stage(.wrap, ["updates=manual"])
        try writeLater(1, "late", isReread: false, stage)
        try stage.set("a", nil)
        let found = try advance(stage)
        #expect(found.map(\.code) == ["lost-edit"] && stage.simulation.modelValue("a") == nil)
        #expect(found.first?.text.contains("the key is gone") == true)
        // A key that had no value when the write was made gets its first one.
        try writeLater(1, "first", isReread: false, stage)
        #expect(try advance(stage).isEmpty && stage.simulation.modelValue("a") == "first")
        // Nothing is lost with a write that clears.
        try writeLater(1, nil, isReread: false, stage)
        try stage.set("a", nil)
        #expect(try advance(stage).isEmpty)
    }

    // MARK: On the screen

    @Test(arguments: [
        ActivityChange(window: false), ActivityChange(hidden: true), ActivityChange(size: false),
    ])
    func `R54: what the native side changes off the screen is held there`(change: ActivityChange) throws {
        let stage = try Stage(.wrap, ["updates=manual"])
        stage.simulation.keepTrace(bytes: 1 << 16)
        try stage.host(change)
        try type("typed", 1, stage)
        #expect(stage.simulation.shown("a") == nil)
        var held: [FieldID] = []
        stage.simulation.forEachRecord(from: stage.simulation.turn, to: stage.simulation.turn) {
            held += $0.held
            return true
        }
        #expect(held.count == 1)
        try stage.host(ActivityChange(window: true, hidden: false, size: true))
        #expect(stage.simulation.shown("a") == "typed")
        // It was an event of nobody's that changed it, and no pool.
        #expect(
            stage.simulation.sentence(about: 0).contains(
                "mount 1 of b showed again in turn 4 what go had written in turn 3"))
    }

    @Test func `R54: who clears what another control shows clears its own`() throws {
        let stage = try pair()
        try type("one", 1, stage)
        try type("two", 2, stage)
        try type(nil, 1, stage)
        #expect(stage.simulation.shown("a") == "two")
        try stage.apply(.unmount(0, mount: 2))
        #expect(stage.simulation.shown("a") == nil)
    }

    // MARK: Guards

    @Test func `R40: a write is redundant by what its own control holds`() throws {
        let stage = try Stage(.wrap)
        writes(stage)
        try stage.apply(.mount(0))
        // Each control gets it once, whatever the other one has put into the field before.
        #expect(try stage.set("a", "9").codes == [])
        let again = try stage.apply(.update(0, mount: 1))
        #expect(again.codes == ["redundant-write"] && again.diagnostics[0].mount == 1)
        try stage.host(ActivityChange(hidden: true), mount: 2)
        #expect(try stage.apply(.update(0, mount: 2)).codes == ["redundant-write"])
        // Under another text, and equal to its own.
        try type("typed", 1, stage)
        try stage.host(ActivityChange(hidden: false), mount: 2)
        #expect(try stage.apply(.update(0, mount: 2)).codes == ["redundant-write"])
        #expect(try stage.apply(.update(0, mount: 1)).codes == [])
    }

    @Test func `R35: a body reads its own control`() throws {
        let stage = try pair()
        var seen: [MountID: String?] = [:]
        stage.body.onUpdate = { simulation, call, _, _ in
            var text: String?
            _ = simulation.screenGet(0, "a", &text)
            seen[call.mount] = .some(text)
            return .ok
        }
        try type("one", 1, stage)
        try type("two", 2, stage)
        for mount in [MountID(1), 2] { try stage.apply(.update(0, mount: mount)) }
        #expect(seen == [1: "one", 2: "two"])
        try stage.host(ActivityChange(hidden: true), mount: 2)
        try stage.apply(.update(0, mount: 2))
        #expect(seen[2] == "two")
    }

    @Test func `R49: the diff base is held against its own control`() throws {
        let stage = try pair()
        stage.body.onUpdate = { simulation, call, inputs, _ in
            var differs = false
            _ = simulation.differs(call.mount, "a", inputs.values[0], &differs)
            if differs { _ = simulation.screenSet(0, "a", inputs.values[0]) }
            return .ok
        }
        for mount in [MountID(1), 2] { try stage.apply(.update(0, mount: mount)) }
        // The other one's text is none of its business, nor is that it cannot be seen.
        try type("typed", 2, stage)
        #expect(try stage.apply(.update(0, mount: 1)).codes == [])
        try stage.host(ActivityChange(hidden: true), mount: 1)
        #expect(try stage.apply(.update(0, mount: 1)).codes == [])
        let lies = try stage.apply(.update(0, mount: 2))
        #expect(lies.codes == ["diff-base-out-of-step"] && lies.diagnostics[0].text.contains("shows typed"))
        try stage.host(ActivityChange(hidden: false), mount: 1)
        // Covered, and out of step all the same.
        try type("under", 1, stage)
        try type("over", 2, stage)
        #expect(try stage.apply(.update(0, mount: 1)).diagnostics.first?.text.contains("holds under") == true)
    }

    @Test func `R49: what lies under another control at a rebind is its former owner's all the same`() throws
    {
        let stage = try pair()
        leavesAll(stage)
        try stage.apply(.rebind(0, mount: 1, owner: "x"))
        try type("of x", 1, stage)
        try type("over", 2, stage)
        #expect(try stage.apply(.rebind(0, mount: 1, owner: "y")).codes == [])
        #expect(try stage.apply(.unmount(0, mount: 2)).codes == [])
        #expect(stage.simulation.shown("a") == "of x")
        #expect(try stage.apply(.update(0, mount: 1)).codes == ["reuse-leak"])
    }

    // MARK: Native state

    @Test(arguments: [["replace-order=old-first"], ["replace-order=new-first"]])
    func `R58: native state is saved under the id that its control had`(policies: [String]) throws {
        let stage = try Stage(.wrap, ["native-state=save"] + policies)
        leavesAll(stage)
        try stage.apply(.identify(0, mount: nil, id: "k"))
        try type("of k", 1, stage)
        try stage.apply(.identify(0, mount: nil, id: "m"))
        #expect(stage.simulation.shown("a") != "of k" || policies == ["replace-order=new-first"])
        try type("of m", 1, stage)
        try stage.apply(.identify(0, mount: nil, id: "k"))
        #expect(stage.simulation.shown("a") == "of k")
        #expect(
            stage.simulation.sentence(about: 0).contains(
                "mount 1 of b, restored by its id, showed again in turn 6 what go had written in turn 3"))
        // Untouched since, it is saved again.
        try stage.apply(.identify(0, mount: nil, id: "m"))
        #expect(stage.simulation.shown("a") == "of m")
        try stage.apply(.identify(0, mount: nil, id: "k"))
        #expect(stage.simulation.shown("a") == "of k")
    }

    @Test func `R58: native state is the control's own, and its bridge's`() throws {
        let stage = try Stage(.wrap, ["native-state=save"], bridges: 2, isMounted: false)
        leavesAll(stage)
        let rows = ["p", "q"].map { Item(id: $0) }
        try stage.apply(.items(0, rows))
        try type("of p", 1, stage)
        try type("of q", 2, stage)
        // Saved off the screen as well.
        try stage.host(ActivityChange(hidden: true), mount: 2)
        try stage.apply(.items(0, []))
        try stage.apply(.items(1, [rows[0]]))
        #expect(stage.simulation.shown("a") == nil)
        try stage.apply(.items(1, []))
        try stage.apply(.items(0, [rows[0]]))
        #expect(stage.simulation.shown("a") == "of p")
        #expect(stage.simulation.sentence(about: 0).contains("restored by its id"))
        try stage.apply(.items(0, rows))
        #expect(stage.simulation.shown("a") == "of q")
    }

    @Test func `R58: what comes back to a control off the screen is held there`() throws {
        let stage = try Stage(.wrap, ["native-state=save", "host-detach=dispose"], isMounted: false)
        leavesAll(stage)
        try stage.apply(.items(0, [Item(id: "p")]))
        try type("of p", 1, stage)
        try stage.host(ActivityChange(window: false, hidden: true))
        try stage.host(ActivityChange(window: true))
        #expect(stage.simulation.shown("a") == nil)
        try stage.host(ActivityChange(hidden: false))
        #expect(stage.simulation.shown("a") == "of p")
    }

    @Test
    func `R76: state, drafts and native state go with the old control, also when the new one comes first`()
        throws
    {
        let stage = try Stage(.wrap, ["replace-order=new-first"])
        leavesAll(stage)
        try stage.apply(.identify(0, mount: nil, id: "k"))
        try stage.handle { simulation in
            _ = simulation.stateSet(1, "page", "3")
            _ = simulation.setDraft(1, "a", "half")
        }
        let turn = try stage.apply(.identify(0, mount: nil, id: "m"))
        #expect(turn.codes == ["recreated-control", "lost-edit"])
        var page: String?
        try stage.handle { _ = $0.stateGet(1, "page", &page) }
        #expect(page == nil)
    }

    // MARK: Leaving

    @Test func `R52: a dropped draft that the model has already is no lost edit`() throws {
        let stage = try Stage(.wrap, ["draft=drop", "updates=manual"])
        try stage.apply(.rebind(0, mount: nil, owner: "x"))
        try stage.handle { _ = $0.setDraft(1, "a", "5") }
        try stage.set("a", "5")
        #expect(try stage.apply(.rebind(0, mount: nil, owner: "y")).codes == [])
    }

    @Test(arguments: [
        ("dismantle-first", ["reset 1", "detach 1", "disappear 1", "endEditing 1"]),
        ("disappear-first", ["disappear 1", "endEditing 1", "reset 1", "detach 1"]),
        ("end-editing-first", ["endEditing 1", "disappear 1", "reset 1", "detach 1"]),
    ])
    func `R12: what has appeared disappears once, also into the pool`(order: String, leaving: [String]) throws
    {
        let stage = try Stage(.wrap, ["hooks=told", "host-detach=pool", "teardown-order=\(order)"])
        try stage.apply(.send(1, arguments: ["x"], mount: nil))
        _ = stage.calls()
        try stage.apply(.unmount(0, mount: nil))
        #expect(stage.calls() == leaving)
        try stage.apply(.mount(0))
        #expect(stage.calls() == ["update 2 returned gen 2", "attach 2", "appear 2"])
        try stage.apply(.unmount(0, mount: nil))
        // Nobody has edited anything since.
        #expect(stage.calls().filter { $0 == "disappear 2" || $0 == "endEditing 2" } == ["disappear 2"])
    }
}
