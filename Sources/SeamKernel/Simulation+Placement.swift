/// Where a mounted view is, whose it is, and what becomes of it when that changes: windows and scenes, identity, lists
/// and pools.
extension Simulation {
    // MARK: Activity

    /// Window, scene, size, hidden and parked. What could not be drawn meanwhile is drawn on return (R14).
    func move(_ mount: Mount, to change: ActivityChange) {
        let hadWindow = mount.activity.hasWindow
        if let window = change.window { mount.activity.hasWindow = window }
        if let scene = change.scene { mount.activity.scene = scene }
        if let hidden = change.hidden { mount.activity.isHidden = hidden }
        if let size = change.size { mount.activity.hasSize = size }
        if hadWindow && !mount.activity.hasWindow { leaveWindow(mount) }
        if !hadWindow, mount.activity.hasWindow, seam.bridges[mount.bridge].ways.hostDetach == .pool {
            mount.isParked = false
        }
        if let parked = change.parked, parked != mount.isParked {
            if parked {
                park(mount)
            } else {
                mount.isParked = false
                if mount.isMade { mount.withheld = mount.withheld ?? .returned }
            }
        }
        settleVisibility(mount)
        guard mount.activity.hasWindow, !mount.isParked else { return }
        // A size is given where there is a place to fill: off the window the make goes on waiting (R60).
        if mount.waitsForSize && mount.activity.hasSize {
            mount.waitsForSize = false
            return pending.append(.make(mount))
        }
        if !mount.isMade { return enterAgain(mount) }
        comeBack(mount)
    }

    /// Where an embedding is before anything has run for it: nothing has to leave or to come back.
    func begin(_ mount: Mount, at change: ActivityChange) {
        if let window = change.window { mount.activity.hasWindow = window }
        if let scene = change.scene { mount.activity.scene = scene }
        if let hidden = change.hidden { mount.activity.isHidden = hidden }
        mount.wasVisible = isVisible(mount)
    }

    private func leaveWindow(_ mount: Mount) {
        switch seam.bridges[mount.bridge].ways.hostDetach {
        case .keep: detach(mount)
        case .dispose: dispose(mount)
        case .endOfTurn:
            detach(mount)
            seam.leaving.append(mount)
        case .pool: park(mount)
        }
    }

    /// A control that was disposed of is made anew; one whose make is under way is not.
    private func enterAgain(_ mount: Mount) {
        if mount.makeCause == .restore, !mount.isLeaving {
            capture(mount)
            pending.append(.make(mount))
        }
    }

    private func comeBack(_ mount: Mount) {
        let attachFirst = seam.bridges[mount.bridge].ways.onReturn == .attachFirst
        if !mount.isAttached && attachFirst { attach(mount) }
        if let withheld = mount.withheld, mount.displays(seam.bridges[mount.bridge].kind) {
            mount.withheld = nil
            request(withheld, of: mount)
        }
        if !mount.isAttached { pending.append(.attach(mount)) }
        giveCommands(to: mount)
    }

    /// Reset, then detach (R55). Reset comes once between two uses, and what is parked hears of nothing (R56).
    private func park(_ mount: Mount) {
        if mount.isParked { return }
        mount.isParked = true
        // Nothing was used yet that a reset could clear: its control arrives parked.
        guard mount.isMade else { return settleVisibility(mount) }
        mount.pending = nil
        mount.sealed = []
        mount.withheld = .returned
        settleVisibility(mount)
        hook(.reset, mount)
        detach(mount)
    }

    /// Whether the turn has still something to dispose of: controls that did not come back to a window (R59).
    func disposeAtEndOfTurn() -> Bool {
        if seam.leaving.isEmpty { return false }
        var leaving: [Mount] = []
        swap(&leaving, &seam.leaving)
        for mount in leaving where !mount.activity.hasWindow { dispose(mount) }
        return true
    }

    // MARK: Visibility

    /// Shown means visible: what a control holds without a window, a size, or behind others is not shown (R54).
    func isVisible(_ mount: Mount) -> Bool {
        if mount.isMeasured { return false }
        if mount.isParked { return false }
        if seam.bridges[mount.bridge].ways.offscreen == .clear, !mount.activity.isVisible { return false }
        // What lies in a view that is not visible is not visible either.
        return mount.parent == 0 || mounts[mount.parent].map(isVisible) ?? true
    }

    /// Brings what is shown of a mount and of all that lies in it in step with where it is.
    private func settleVisibility(_ mount: Mount) {
        let isVisible = isVisible(mount)
        if isVisible != mount.wasVisible {
            mount.wasVisible = isVisible
            if isVisible { reveal(mount) } else { hide(mount) }
        }
        for child in mount.children { if let child = mounts[child] { settleVisibility(child) } }
    }

    private func hide(_ mount: Mount) {
        var hidden: [FieldID] = []
        for field in store.fields(of: seam.bridges[mount.bridge].screen) {
            guard store.fields[field].writer == UInt32(truncatingIfNeeded: mount.id),
                let value = store.fields[field].shown
            else { continue }
            mount.hold(value, key: Int(store.fields[field].key), by: heldAuthor(of: field))
            show(nil, in: field, of: mount, as: .hidden, by: nil)
            hidden.append(field)
        }
        // Once all of them are gone: one record for what goes, one for what comes to light.
        for field in hidden { fallBack(field) }
    }

    private func reveal(_ mount: Mount) {
        let held = mount.held
        mount.held = []
        for held in held {
            guard let field = store.field(screen: seam.bridges[mount.bridge].screen, key: held.key) else {
                continue
            }
            if isBehind(held, of: mount, in: field) {
                mount.held.append(held)
                note(Covered(mount: mount.id, at: held.at), in: field)
                continue
            }
            cover(field, by: mount.id)
            show(held.value, in: field, of: mount, as: .revealed, by: held.author)
        }
    }

    // MARK: Identity

    /// Another id in the same place is another view: state goes, the control is made again (R10). The same id, or a
    /// first one, changes nothing (R15).
    func identify(_ mount: Mount, as id: String) {
        if mount.identity == id { return }
        let isFirst = mount.identity == nil
        seam.isUnweighed = true
        mount.identity = id
        // The control that stands there goes under the id that it has, until it is made again.
        if isFirst { mount.controlIdentity = id }
        if isFirst || !mount.isMade || mount.isLeaving { return }
        let isKeyedByValue = values(of: mount.bridge).contains { $0 == id }
        if seam.bridges[mount.bridge].kind == .wrap, !isKeyedByValue {
            report(
                DiagnosticCode.recreatedControl, .warning,
                "\(scenario.bridges[mount.bridge].id) got the new identity \(id), which is no value of its inputs: the "
                    + "control is made again for it; take the id from the data, not from the evaluation",
                bridge: mount.bridge, mount: mount.id)
        }
        if mount.remake == nil { pending.append(.make(mount)) }
        mount.remake = .identity
    }

    /// The same control, another item: a recycled cell. State that belongs to the view stays, and so may be wrong.
    func rebind(_ mount: Mount, to owner: String, item: String? = nil) {
        settleDrafts(mount)
        if mount.owner != owner, mount.owner != nil, !mount.state.isEmpty {
            let names = mount.state.map(\.name).joined(separator: ", ")
            report(
                DiagnosticCode.identityCarriedState, .warning,
                "the control of \(scenario.bridges[mount.bridge].id) went from \(mount.owner ?? "nothing") to \(owner) "
                    + "with its identity, and so with its view state (\(names)): give the content an id of its item",
                bridge: mount.bridge, mount: mount.id)
        }
        if mount.owner != owner, mount.owner != nil { inherit(mount) }
        if mount.owner == nil { mount.firstOwner = owner }
        mount.owner = owner
        mount.item = item
        seam.isUnweighed = true
        // To write everything is what such an update is for.
        mount.isSettlingIn = true
        request(.input, of: mount)
    }

    /// Drafts belong to a key and are committed before the control is given away (R52).
    private func settleDrafts(_ mount: Mount) {
        let drafts = mount.drafts
        if drafts.isEmpty { return }
        switch seam.bridges[mount.bridge].ways.draft {
        case .carry: return
        case .commit:
            mount.drafts = []
            for draft in drafts { commit(draft, of: mount) }
        case .drop:
            mount.drafts = []
            for draft in drafts where !haveSameBytes(store.keys[draft.key].model, draft.value) {
                report(
                    DiagnosticCode.lostEdit, .warning,
                    "the edit \(draft.value) of \(store.keys[draft.key].name) was not committed when the control of "
                        + "\(scenario.bridges[mount.bridge].id) was given to another item: commit it first",
                    bridge: mount.bridge, mount: mount.id)
            }
        }
    }

    /// What update writes over an edit that was not committed; the same value is its commit, come back.
    func overwriteDraft(of field: FieldID, with value: String?, _ mount: Mount) {
        let key = Int(store.fields[field].key)
        guard let position = mount.drafts.firstIndex(where: { $0.key == key }) else { return }
        let draft = mount.drafts.remove(at: position)
        if haveSameBytes(draft.value, value) { return }
        report(
            DiagnosticCode.lostEdit, .warning,
            "update of \(scenario.bridges[mount.bridge].id) wrote \(value ?? "nothing") over the edit \(draft.value) of "
                + "\(store.keys[key].name), which was not committed: commit it first, and leave the field alone while it is "
                + "edited", field: field, bridge: mount.bridge, mount: mount.id)
    }

    /// Nothing commits an edit by itself when its control goes.
    func loseDrafts(of mount: Mount) {
        for draft in mount.drafts where !haveSameBytes(store.keys[draft.key].model, draft.value) {
            report(
                DiagnosticCode.lostEdit, .warning,
                "the edit \(draft.value) of \(store.keys[draft.key].name) was not committed when the control of "
                    + "\(scenario.bridges[mount.bridge].id) went: commit it first", bridge: mount.bridge,
                mount: mount.id)
        }
        mount.drafts = []
    }

    /// The kernel's own write, unless a body has asked for it and is under way.
    private func commit(_ draft: (key: FieldStore.KeyID, value: String), of mount: Mount) {
        guard current == nil else {
            noteSet(draft.key)
            return writeModel(draft.key, draft.value)
        }
        trace?.begin(
            TraceCall(.committed), mount: mount, round: round, at: moment,
            milliseconds: UInt64(clock.now / 1_000_000))
        trace?.note(assignment(store.keys[draft.key].name, draft.value))
        trace?.set(draft.key)
        var author = author
        author.call = TraceCall(.committed)
        author.mount = UInt32(truncatingIfNeeded: mount.id)
        seam.earlierAuthor = author
        defer { seam.earlierAuthor = nil }
        writeModel(draft.key, draft.value)
    }

    /// The items of a list: who stays, who comes, who goes, who moves.
    func show(_ items: [Item], of bridge: BridgeID, in parent: Mount? = nil) {
        // Another parent's rows are another list.
        let old = seam.bridges[bridge].mounts.filter { !$0.isLeaving && $0.parent == parent?.id ?? 0 }
        seam.isUnweighed = true
        switch seam.bridges[bridge].ways.identity {
        case .place: showByPlace(items, old, bridge, parent)
        case .id: showByID(items, old, bridge, parent)
        }
    }

    private func showByPlace(_ items: [Item], _ old: [Mount], _ bridge: BridgeID, _ parent: Mount?) {
        for (mount, item) in zip(old, items)
        where !haveSameBytes(mount.owner, item.id) || !haveSameBytes(mount.item, item.value) {
            rebind(mount, to: item.id, item: item.value)
        }
        for mount in old.dropFirst(items.count) { remove(mount) }
        for item in items.dropFirst(old.count) { _ = place(bridge, in: parent, item: item) }
    }

    private func showByID(_ items: [Item], _ old: [Mount], _ bridge: BridgeID, _ parent: Mount?) {
        // By the bytes of the id, as all names are told apart.
        var owned: [[UInt8]: Mount] = [:]
        for mount in old {
            if let id = mount.owner.map({ Array($0.utf8) }), owned[id] == nil { owned[id] = mount }
        }
        let wanted = Set(items.map { Array($0.id.utf8) })
        var kept: [Mount] = []
        var keptIDs: Set<MountID> = []
        var order: [Mount] = []
        let oldFirst = seam.bridges[bridge].ways.replaceOrder == .oldFirst
        let gone = old.filter { mount in mount.owner.map { !wanted.contains(Array($0.utf8)) } ?? true }
        if oldFirst { for mount in gone { remove(mount) } }
        for item in items {
            if let mount = owned[Array(item.id.utf8)], keptIDs.insert(mount.id).inserted {
                kept.append(mount)
                order.append(mount)
                // A changed copy with the same id: seen by value, missed by identity (R82).
                if !haveSameBytes(mount.item, item.value) {
                    mount.item = item.value
                    if seam.bridges[bridge].ways.changeTest != .identity { request(.input, of: mount) }
                }
            } else {
                order.append(place(bridge, in: parent, item: item))
            }
        }
        if !oldFirst { for mount in gone { remove(mount) } }
        let before = old.filter { keptIDs.contains($0.id) }
        for (was, now) in zip(before, kept) where was !== now { pending.append(.moved(now)) }
        let others = seam.bridges[bridge].mounts.filter { $0.isLeaving || $0.parent != parent?.id ?? 0 }
        seam.bridges[bridge].mounts = order + others
    }

    /// A move keeps control and text; what it tells differs by framework (R57).
    func moved(_ mount: Mount) {
        if mount.isLeaving { return }
        if seam.bridges[mount.bridge].ways.moveEmits == .yes {
            detach(mount)
            hook(.move, mount)
            attach(mount)
        } else {
            hook(.move, mount)
        }
    }

    /// Closed by the user: the model did not ask for it, and hears of it only if the bridge says so (R89).
    func dismiss(_ mount: Mount) {
        remove(mount)
        let ways = seam.bridges[mount.bridge].ways
        guard ways.dismissal == .writes, let key = store.key(named: ways.presentedBy) else { return }
        noteSet(key)
        writeModel(key, nil)
    }

    // MARK: Native state

    /// What the native side changed by itself, saved under the mount's id for a new control (R58).
    func saveNativeState(_ mount: Mount) {
        guard seam.bridges[mount.bridge].ways.nativeState == .save, mount.hasControl,
            let id = mount.controlIdentity ?? mount.owner
        else { return }
        for edit in mount.nativeEdits {
            guard var held = holding(of: mount, in: edit.field) else { continue }
            held.author.way = .restored
            seam.saved.removeAll { $0.bridge == mount.bridge && $0.id == id && $0.held.key == held.key }
            seam.saved.append((mount.bridge, id, held))
        }
        if !mount.nativeEdits.isEmpty { hook(.save, mount) }
    }

    func restoreNativeState(_ mount: Mount) {
        guard seam.bridges[mount.bridge].ways.nativeState == .save, let id = mount.identity ?? mount.owner
        else {
            return
        }
        let saved = seam.saved.filter { $0.bridge == mount.bridge && $0.id == id }
        if saved.isEmpty { return }
        seam.saved.removeAll { $0.bridge == mount.bridge && $0.id == id }
        hook(.restore, mount)
        for (_, _, held) in saved {
            guard let field = store.field(screen: seam.bridges[mount.bridge].screen, key: held.key) else {
                continue
            }
            // What came back is the native side's own still, and is saved with the next removal.
            mount.nativeEdits.append((field, tickMoment()))
            guard isVisible(mount) else {
                mount.hold(held.value, key: held.key, by: held.author)
                continue
            }
            cover(field, by: mount.id)
            show(held.value, in: field, of: mount, as: .revealed, by: held.author)
        }
    }

    /// Whether the native side's own value stands against what update writes (R85).
    func keepsNative(_ field: FieldID, of mount: Mount) -> Bool {
        guard seam.bridges[mount.bridge].ways.nativeState == .keepNewest,
            let edit = mount.nativeEdits.last(where: { $0.field == field })
        else { return false }
        return edit.at > store.keys[Int(store.fields[field].key)].changedAt
    }

    func rollsBack(_ mount: Mount) -> Bool { seam.bridges[mount.bridge].ways.nativeState == .rollBack }

    /// What the native side changed, and the body of update that ends here did not write, goes back to what the model
    /// says (R85).
    func rollBack(_ mount: Mount) {
        for edit in mount.nativeEdits {
            let field = store.fields[edit.field]
            let key = store.keys[Int(field.key)]
            if haveSameBytes(content(of: mount, in: edit.field), key.model) { continue }
            _ = screenSet(Int(field.screen), key.name, key.model)
        }
        mount.nativeEdits = []
    }

    // MARK: Pools

    private func poolKey(of bridge: BridgeID) -> String {
        let named = seam.bridges[bridge].ways.poolKey
        return named.isEmpty ? scenario.bridges[bridge].id : named
    }

    /// The control waits for another owner: hidden, reset, detached, but not dismantled (R49, R55).
    func putIntoPool(_ mount: Mount) {
        endChildren(mount.children, .removed)
        seam.bridges[mount.bridge].take(mount)
        if !mount.drafts.isEmpty { loseDrafts(of: mount) }
        seam.authors?.unmounted[mount.bridge] = turn
        // A removal in all but the dismantle: its callbacks come in the order of the policy (R12).
        let order = seam.bridges[mount.bridge].ways.teardownOrder
        if order == .dismantleFirst, !mount.isParked { park(mount) }
        if order == .endEditingFirst { endEditing(mount) }
        disappear(mount)
        endEditing(mount)
        if !mount.isParked { park(mount) }
        tracePooled(mount)
        seam.pooled.insert(mount.id)
        mounts.removeValue(forKey: mount.id)
        mounts[mount.parent]?.children.removeAll { $0 == mount.id }
        forget(mount)
        let limit = seam.bridges[mount.bridge].ways.poolLimit
        let key = poolKey(of: mount.bridge)
        let position: Int
        if let known = seam.pools.firstIndex(where: { $0.key == key }) {
            position = known
        } else {
            position = seam.pools.count
            seam.pools.append(Pool(key: key))
        }
        seam.pools[position].controls.append(mount)
        while seam.pools[position].controls.count > limit {
            end(seam.pools[position].controls.removeFirst(), .evicted)
        }
    }

    /// A parked control is dismantled with no second reset or detach (R55).
    private func end(_ pooled: Mount, _ cause: Cause) {
        mounts[pooled.id] = pooled
        endControl(pooled, cause)
        mounts.removeValue(forKey: pooled.id)
    }

    /// A control of the pool in place of a make: same kind and style, else one without a style (R75).
    func adoptFromPool(_ mount: Mount) -> Bool {
        // Without an update nothing could give it the new owner's values (R79).
        guard seam.bridges[mount.bridge].ways.hostDetach == .pool,
            seam.bridges[mount.bridge].ways.updateBody != .absent,
            let pool = seam.pools.firstIndex(where: { $0.key == poolKey(of: mount.bridge) }),
            let position = seam.pools[pool].position(for: mount.style)
        else { return false }
        let old = seam.pools[pool].controls.remove(at: position)
        handOnWork(of: old, to: mount)
        let held = old.held.map { held in
            var held = held
            held.author.way = .pooled
            return held
        }
        mount.takeControl(of: old)
        mount.isAttached = false
        mount.appeared = false
        mount.activity = Activity()
        mount.wasVisible = isVisible(mount)
        mount.isMade = true
        mount.generation = old.generation
        mount.takeCopies(of: old)
        mount.drawn = old.drawn
        mount.diffBase = old.diffBase
        mount.state = old.state
        mount.held = held
        mount.inherited = Array(Set(old.inherited + held.map(\.key))).sorted()
        if mount.owner != old.owner, !mount.state.isEmpty {
            mount.owner.map { owner in
                let next = mount.item
                mount.owner = old.owner
                rebind(mount, to: owner, item: next)
                mount.pending = nil
            }
        }
        reveal(mount)
        let attachFirst = seam.bridges[mount.bridge].ways.onReturn == .attachFirst
        if attachFirst { attach(mount) }
        mount.generation &+= 1
        mount.isSettlingIn = true
        runUpdate(
            mount, .returned, Inputs(values: values(of: mount.bridge), generation: mount.generation))
        attach(mount)
        giveCommands(to: mount)
        return true
    }

    func emptyPools() {
        for position in seam.pools.indices {
            for pooled in seam.pools[position].controls { end(pooled, .removed) }
            seam.pools[position].controls = []
        }
    }

    /// What the control shows is its former owner's until a body writes it.
    private func inherit(_ mount: Mount) {
        for field in store.fields(of: seam.bridges[mount.bridge].screen) {
            let key = Int(store.fields[field].key)
            guard holding(of: mount, in: field) != nil, !mount.inherited.contains(key) else { continue }
            mount.inherited.append(key)
        }
    }

    /// After an evaluation: what a control that has changed hands still shows of its former owner (R49). What happens
    /// to match now may be wrong later, as long as nobody writes it.
    func finishEvaluation(_ mount: Mount) {
        mount.isSettlingIn = false
        if !mount.reads.isEmpty || !mount.environmentReads.isEmpty { dropOldReads(of: mount) }
        if mount.inherited.isEmpty { return }
        let isPooled = seam.bridges[mount.bridge].ways.hostDetach == .pool
        let body = mount.lastBody.word
        mount.inherited.removeAll { key in
            guard let field = store.field(screen: seam.bridges[mount.bridge].screen, key: key),
                holding(of: mount, in: field) != nil
            else { return true }
            // What lies under another control, or off the screen, shows when it comes to light.
            if store.fields[field].writer != UInt32(truncatingIfNeeded: mount.id) { return false }
            if store.verdict(of: field) == .matching { return false }
            report(
                DiagnosticCode.reuseLeak, .warning,
                "\(store.name(of: field)) still shows what the control's former owner left: \(body) of "
                    + "\(scenario.bridges[mount.bridge].id) did not write it"
                    + (isPooled
                        ? ", reset did not clear it; clear in reset whatever update may leave out"
                        : "; write or clear there whatever belongs to the item"),
                field: field, bridge: mount.bridge, mount: mount.id)
            return true
        }
    }
}

/// Controls that wait for another owner, the one used longest ago first.
struct Pool {
    var key: String
    var controls: [Mount] = []

    func position(for style: String?) -> Int? {
        controls.lastIndex { $0.style == style } ?? controls.lastIndex { $0.style == nil }
    }
}

extension Mount {
    func hold(_ value: String?, key: FieldStore.KeyID, by author: Author) {
        held.removeAll { $0.key == key }
        if let value { held.append(Held(key: key, value: value, author: author)) }
    }
}
