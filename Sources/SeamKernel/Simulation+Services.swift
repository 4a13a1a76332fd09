/// The engine's services for a scenario's code, beside the basic ones of `Simulation+Host`: placement, environment,
/// ownership, bindings, late work. Each looks into the state table first, as those do.
extension Simulation {
    // MARK: Placement

    /// A mount inside another: nested bridges. From a body of the parent it takes that body's environment (R19).
    public func mountIn(
        _ parent: MountID, _ bridge: Int, item: Item? = nil, style: String? = nil, _ out: inout MountID
    ) -> CallResult {
        guard permits(.mountIn) else { return .badState }
        guard bridges.indices.contains(bridge) else {
            misbehaved("there is no bridge \(bridge): the scenario declares \(bridges.count)")
            return .badArgument
        }
        guard hasRoom(forMountsOf: bridge) else { return .limit }
        var above: Mount?
        if parent != 0 {
            above = knownMount(parent)
            if above == nil { return .badArgument }
        }
        if let above, above.depth >= Self.deepestNesting {
            misbehaved("mount_in: mounts lie in one another \(Self.deepestNesting) deep, no deeper")
            return .limit
        }
        out = place(bridge, in: above, item: item, style: style).id
        return .ok
    }

    /// Views of a real screen lie a few dozen deep; each level is a call on the stack when the outermost goes.
    private static let deepestNesting = 256

    public func setActivity(_ id: MountID, _ change: ActivityChange) -> CallResult {
        guard permits(.setActivity) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        // Its first body is to find it where it is, and not where a mount is that nothing is said of (R14).
        if !mount.isMade, bridges[mount.bridge].kind == .embed { begin(mount, at: change) }
        pending.append(.activity(mount, change))
        return .ok
    }

    public func identify(_ id: MountID, as identity: String) -> CallResult {
        guard permits(.identify) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        identify(mount, as: identity)
        return .ok
    }

    public func setItems(_ bridge: Int, in parent: MountID = 0, _ items: [Item]) -> CallResult {
        guard permits(.setItems) else { return .badState }
        guard bridges.indices.contains(bridge) else {
            misbehaved("there is no bridge \(bridge): the scenario declares \(bridges.count)")
            return .badArgument
        }
        guard hasRoom(forMountsOf: bridge, items.count - bridges[bridge].mounts.count) else { return .limit }
        var above: Mount?
        if parent != 0 {
            above = knownMount(parent)
            if above == nil { return .badArgument }
        }
        show(items, of: bridge, in: above)
        return .ok
    }

    /// The same control for another item, with no identity of its own: a recycled cell.
    public func rebind(_ id: MountID, to owner: String, item: String? = nil) -> CallResult {
        guard permits(.rebind) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        rebind(mount, to: owner, item: item)
        return .ok
    }

    public func dismiss(_ id: MountID) -> CallResult {
        guard permits(.dismiss) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        dismiss(mount)
        return .ok
    }

    /// The item that a control shows, and its value.
    public func item(of id: MountID) -> Item? { mounts[id].flatMap(item) }

    private func item(of mount: Mount) -> Item? { mount.owner.map { Item(id: $0, value: mount.item) } }

    public func itemGet(_ id: MountID, _ out: inout Item?) -> CallResult {
        guard permits(.itemGet) else { return .badState }
        guard let mount = knownMount(id, isLast: true) else { return .badArgument }
        out = item(of: mount)
        return out == nil ? .absent : .ok
    }

    /// All of an activity is said.
    public func activityGet(_ id: MountID, _ out: inout ActivityChange) -> CallResult {
        guard permits(.activityGet) else { return .badState }
        guard let mount = knownMount(id, isLast: true) else { return .badArgument }
        out = ActivityChange(
            window: mount.activity.hasWindow, scene: mount.activity.scene, hidden: mount.activity.isHidden,
            size: mount.activity.hasSize, parked: mount.isParked)
        return .ok
    }

    public func activity(of id: MountID) -> Activity? { mounts[id]?.activity }

    // MARK: Root views

    /// The builder runs again; what it made waits for an assignment (R17).
    public func buildRoot(_ id: MountID) -> CallResult {
        guard permits(.buildRoot) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        build(mount)
        return .ok
    }

    public func assignBuilt(_ id: MountID) -> CallResult {
        guard permits(.assignBuilt) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        noteAssigned(mount)
        assignBuilt(mount)
        return .ok
    }

    /// A value for the screen above, from inside the hosted view: it arrives after the hosted tree is drawn, by a
    /// carrier of its own or not at all (R18).
    public func lift(_ id: MountID, screen: Int, key: String, value: String?) -> CallResult {
        guard permits(.lift) else { return .badState }
        guard let mount = knownMount(id), let field = knownField(screen, key) else { return .badArgument }
        guard seam.bridges[mount.bridge].ways.upward == .carried else {
            let text = "was dropped: nothing flows up (upward=cut)"
            seam.droppedLifts[field] = drop(
                Drop(
                    call: TraceCall(.lifted), why: .deferred, mount: MountID(author.mount), author: author,
                    round: round, at: tickMoment(),
                    text: "\(assignment(store.name(of: field), value)) \(text)",
                    clause: "what \(phrase(author)) lifted in turn \(turn) \(text)"))
            return .absent
        }
        seam.post.append(.lift(field, value: value, by: author))
        return .ok
    }

    /// The size of the view was asked for and kept. Drawn again since and not measured: `size-not-remeasured`.
    public func measured(_ id: MountID) -> CallResult {
        guard permits(.measured) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        mount.measuredAt = tickMoment()
        return .ok
    }

    // MARK: Writes

    /// A write into one particular native view. Only the one that make returned is on screen (R8).
    public func screenSet(on view: ObjectID, _ screen: Int, _ key: String, _ value: String?) -> CallResult {
        guard permits(.screenSetOn) else { return .badState }
        guard let field = knownField(screen, key) else { return .badArgument }
        guard let mount = currentMount, view != mount.view, mount.view != 0 else {
            return screenSet(screen, key, value)
        }
        mount.astray.removeAll { $0.field == field }
        mount.astray.append((field, tickMoment()))
        report(
            DiagnosticCode.wrongInstance, .warning,
            "\(current.map { "\($0.kind.word)" } ?? "a call") of \(scenario.bridges[mount.bridge].id) wrote "
                + "\(store.name(of: field)) into a view that is not the one on screen: write into the view that it is "
                + "given",
            field: field, bridge: mount.bridge, mount: mount.id)
        return .absent
    }

    /// The control changes what it shows by itself; its event, if there is one, comes later (R85, R88).
    public func nativeChange(_ id: MountID, _ key: String, _ value: String?) -> CallResult {
        guard permits(.nativeChange) else { return .badState }
        guard let mount = knownMount(id), let field = knownField(bridges[mount.bridge].screen, key) else {
            return .badArgument
        }
        guard hasControl(mount) else { return .absent }
        put(value, in: field, of: mount)
        mount.isEditing = true
        mount.nativeEdits.removeAll { $0.field == field }
        mount.nativeEdits.append((field, tickMoment()))
        return .ok
    }

    /// An edit that is not committed yet, for a key of its own (R52). None forgets it.
    public func setDraft(_ id: MountID, _ key: String, _ value: String?) -> CallResult {
        guard permits(.setDraft) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        mount.drafts.removeAll { $0.key == key }
        if let value { mount.drafts.append((key, value)) }
        return .ok
    }

    /// Whether a value differs from the diff base of the control, which it replaces. A base that says "the same" over
    /// a control that shows something else is out of step: reset cleared the one and not the other (R49).
    public func differs(_ id: MountID, _ key: String, _ value: String?, _ out: inout Bool) -> CallResult {
        guard permits(.differs) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        guard let position = mount.diffBase.firstIndex(where: { $0.key == key }) else {
            mount.diffBase.append((key, value))
            out = true
            return .ok
        }
        out = !haveSameBytes(mount.diffBase[position].value, value)
        mount.diffBase[position].value = value
        if !out, let field = store.field(screen: bridges[mount.bridge].screen, key: key),
            case let held = content(of: mount, in: field), !haveSameBytes(held, value)
        {
            let word = isVisible(mount) && haveSameBytes(held, store.fields[field].shown) ? "shows" : "holds"
            report(
                DiagnosticCode.diffBaseOutOfStep, .warning,
                "the diff base of \(store.name(of: field)) says that nothing changed, and the control \(word) "
                    + "\(held ?? "nothing"): reset the control and its base together",
                field: field, bridge: mount.bridge, mount: mount.id)
        }
        return .ok
    }

    /// Forgets the diff base, of one key or of all: the half of a reset that is easily left out.
    public func forgetDiffBase(_ id: MountID, _ key: String?) -> CallResult {
        guard permits(.forgetDiffBase) else { return .badState }
        guard let mount = knownMount(id, isLast: true) else { return .badArgument }
        guard let key else {
            mount.diffBase = []
            return .ok
        }
        guard let known = knownKey(key) else { return .badArgument }
        mount.diffBase.removeAll { $0.key == known }
        return .ok
    }

    // MARK: Transactions

    /// A border: what was written before it and what is written after it are two changes (R20).
    public func transaction() -> CallResult {
        guard permits(.transaction) else { return .badState }
        sealAll()
        return .ok
    }

    // MARK: Environment

    /// - Parameter mount: 0 is the root.
    public func environmentSet(_ id: MountID, _ name: String, _ value: String?) -> CallResult {
        guard permits(.environmentSet) else { return .badState }
        if id == 0 {
            setEnvironment([(name, value)], of: nil)
            return .ok
        }
        guard let mount = knownMount(id) else { return .badArgument }
        setEnvironment([(name, value)], of: mount)
        return .ok
    }

    /// A read that counts: the key is tracked from now on (R3).
    public func environmentGet(_ id: MountID, _ name: String, _ out: inout String?) -> CallResult {
        guard permits(.environmentGet) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        out = readEnvironment(name, of: mount)
        return out == nil ? .absent : .ok
    }

    public func environmentTake(_ id: MountID) -> CallResult {
        guard permits(.environmentTake) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        captureEnvironment(mount)
        for read in mount.environmentReads { note(read, of: mount) }
        return .ok
    }

    // MARK: State and objects

    public func stateStart(_ id: MountID, _ name: String, _ initial: String?, _ out: inout String?)
        -> CallResult
    {
        guard permits(.stateStart) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        out = startState(name, initial, of: mount)
        return out == nil ? .absent : .ok
    }

    public func stateGet(_ id: MountID, _ name: String, _ out: inout String?) -> CallResult {
        guard permits(.stateGet) else { return .badState }
        guard let mount = knownMount(id, isLast: true) else { return .badArgument }
        out = mount.state.first { $0.name == name }?.value
        return out == nil ? .absent : .ok
    }

    public func stateSet(_ id: MountID, _ name: String, _ value: String?) -> CallResult {
        guard permits(.stateSet) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        guard isUpdatePhase else {
            storeState(name, value, of: mount)
            return .ok
        }
        switch admitWriteInUpdate("state \(name)") {
        case .accept: storeState(name, value, of: mount)
        case .deferred: pending.append(.state(mount, life: mount.life, name: name, value: value, by: author))
        case .reject:
            drop(rejected(TraceCall(.state), name, value))
            return .absent
        }
        return .ok
    }

    /// A new object; made in a body it belongs to that evaluation.
    public func objectMake(_ out: inout UInt64) -> CallResult {
        guard permits(.objectMake) else { return .badState }
        out = makeObject(for: phase == .bridging ? currentMount : nil)
        return .ok
    }

    public func objectHold(
        _ id: MountID, _ slot: String, _ object: UInt64, isOwned: Bool, _ out: inout UInt64
    ) -> CallResult {
        guard permits(.objectHold) else { return .badState }
        guard let mount = knownMount(id), knownObject(object) else { return .badArgument }
        out = hold(object, in: slot, isOwned: isOwned, of: mount)
        return .ok
    }

    public func objectPublish(_ object: UInt64) -> CallResult {
        guard permits(.objectPublish) else { return .badState }
        guard knownObject(object) else { return .badArgument }
        publish(object)
        return .ok
    }

    public func objectDrop(_ object: UInt64) -> CallResult {
        guard permits(.objectDrop) else { return .badState }
        guard knownObject(object) else { return .badArgument }
        seam.objects[object] = nil
        return .ok
    }

    /// A subscription of the plug-in's own: nothing moves or ends it but `unsubscribe` (R28).
    public func subscribe(_ id: MountID, _ object: UInt64, _ out: inout UInt64) -> CallResult {
        guard permits(.subscribe) else { return .badState }
        guard let mount = knownMount(id), knownObject(object) else { return .badArgument }
        out = subscribe(mount, object, isManual: true)
        return .ok
    }

    public func unsubscribe(_ subscription: UInt64) -> CallResult {
        guard permits(.unsubscribe) else { return .badState }
        guard seam.subscriptions.removeValue(forKey: subscription) != nil else {
            misbehaved("there is no subscription \(subscription)")
            return .badArgument
        }
        return .ok
    }

    private func knownObject(_ object: UInt64) -> Bool {
        if seam.objects[object] != nil { return true }
        misbehaved("there is no object \(object)")
        return false
    }

    // MARK: Bindings

    public func bindingMake(
        _ id: MountID, _ kind: BindingKind, _ key: String, _ argument: String?, _ out: inout UInt64
    ) -> CallResult {
        guard permits(.bindingMake) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        seam.bindingCount += 1
        out = seam.bindingCount
        seam.bindings[out] = Binding(
            life: life(of: mount), kind: kind, key: key, argument: argument,
            memory: kind == .snapshot ? copy(of: key, in: mount) : nil)
        return .ok
    }

    /// What a body sees of a key: the copy that it was given, else the model.
    private func copy(of key: FieldStore.KeyID, in mount: Mount) -> String? {
        if let position = bridges[mount.bridge].inputs.firstIndex(of: key), let copy = mount.lastCopy {
            return copy[position]
        }
        return store.keys[key].model
    }

    public func bindingGet(_ id: UInt64, _ out: inout String?) -> CallResult {
        guard permits(.bindingGet) else { return .badState }
        guard let binding = knownBinding(id) else { return .badArgument }
        out = value(of: binding)
        noteBinding(id, out)
        return out == nil ? .absent : .ok
    }

    /// - Returns: `absent` when there was nothing to write into.
    public func bindingSet(_ id: UInt64, _ value: String?) -> CallResult {
        guard permits(.bindingSet) else { return .badState }
        guard let binding = knownBinding(id) else { return .badArgument }
        if mounts[binding.life.mount]?.life != binding.life.number {
            let name = store.keys[binding.key].name
            let isGone = store.keys[binding.key].model == nil
            reportLateCallback(
                binding.life,
                isGone ? "a late write of \(name) was dropped (the key is gone)" : "its binding wrote \(name)"
            )
            if isGone { return .absent }
        }
        return write(value, through: id, binding) ? .ok : .absent
    }

    /// The same control on another key, with no change of identity. A binding made before goes on to the old one (R33).
    public func bindingRebind(_ id: UInt64, _ key: String) -> CallResult {
        guard permits(.bindingRebind) else { return .badState }
        guard knownBinding(id) != nil, let key = knownKey(key) else { return .badArgument }
        seam.bindings[id]?.key = key
        seam.bindings[id]?.memory = nil
        if let mount = seam.bindings[id].flatMap({ mounts[$0.life.mount] }) { request(.input, of: mount) }
        return .ok
    }

    /// Cuts both directions (R80).
    public func bindingUnbind(_ id: UInt64) -> CallResult {
        guard permits(.bindingUnbind) else { return .badState }
        guard knownBinding(id) != nil else { return .badArgument }
        seam.bindings[id] = nil
        return .ok
    }

    private func knownBinding(_ id: UInt64) -> Binding? {
        if let binding = seam.bindings[id] { return binding }
        misbehaved("there is no binding \(id), or it was unbound")
        return nil
    }

    // MARK: The parent's copy

    /// The control asks its coordinator, which answers from the copy of the parent that it holds (R34). An older one is
    /// answered too, and reported (R31).
    public func ask(_ id: MountID, generation: UInt32, _ key: String, _ out: inout String?) -> CallResult {
        guard permits(.ask) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        guard let position = bridges[mount.bridge].inputs.firstIndex(of: key) else {
            misbehaved("\(store.keys[key].name) is no input of \(scenario.bridges[mount.bridge].id)")
            return .badArgument
        }
        if recordsCalls {
            seam.records.append(
                CallRecord(kind: .question, round: round, bridge: mount.bridge, mount: mount.id))
        }
        guard let copy = mount.copy(ofGeneration: generation) else { return .absent }
        out = copy[position]
        if generation != mount.generation {
            report(
                DiagnosticCode.staleParent, .warning,
                "the coordinator of \(scenario.bridges[mount.bridge].id) was asked for \(store.keys[key].name) and "
                    + "answered from copy \(generation) of its parent, the current one is \(mount.generation): refresh "
                    + "the parent first thing in update",
                bridge: mount.bridge, mount: mount.id)
        }
        return out == nil ? .absent : .ok
    }

    // MARK: Late work

    /// A write into the model that arrives later. `captured`: the value of now; else what the control holds by then.
    /// - Parameter delay: nanoseconds of the simulation's clock; 0 is the next round, below 0 the next turn.
    public func writeLater(
        _ id: MountID, _ key: String, captured value: String?, isReread: Bool, delay: Int64
    ) -> CallResult {
        guard permits(.writeLater) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        guard clock.timerCount < Self.timerLimit else { return .limit }
        let when: WriteBack.When
        if delay == 0 {
            when = .round
        } else if delay < 0 {
            when = .nextTurn
        } else {
            let (due, overflow) = clock.now.addingReportingOverflow(delay)
            when = .at(overflow ? .max : due)
        }
        enqueue(
            WriteBack(
                owner: workOwner(mount), key: key, value: value, isReread: isReread, madeAt: tickMoment(),
                author: author),
            when: when)
        return .ok
    }

    /// Deferred writes of a key that have not arrived: above 0, an update is looking at an old model (R24).
    public func inFlight(_ id: MountID, _ key: String, _ out: inout Int) -> CallResult {
        guard permits(.inFlight) else { return .badState }
        guard let mount = knownMount(id), let key = knownKey(key) else { return .badArgument }
        out = mount.inFlight.first { $0.key == key }?.count ?? 0
        return .ok
    }

    /// A tick whenever the model value changes, in the bridge's callback phase (R73). With mount 0 as long as the
    /// instance lives, and for changes from outside alone: of a state that mirrors the model.
    public func watch(_ id: MountID, _ key: String, _ token: UInt64) -> CallResult {
        guard permits(.watch) else { return .badState }
        if id == 0 {
            guard let key = knownKey(key), isKnown(token) else { return .badArgument }
            seam.watches.append(Watch(life: Life(), key: key, token: token, author: author))
            return .ok
        }
        guard let mount = knownMount(id), let key = knownKey(key), isKnown(token) else { return .badArgument }
        // What a control asks for in a call of its own ends with it; what others ask for is the mount's.
        let isOwn = currentMount?.id == mount.id
        seam.watches.append(
            Watch(
                life: isOwn ? life(of: mount) : Life(mount: mount.id), key: key, token: token, author: author)
        )
        return .ok
    }

    /// A tick that comes after make and attach, also when the control is still to be made (R84).
    public func command(_ id: MountID, _ token: UInt64) -> CallResult {
        guard permits(.command) else { return .badState }
        guard let mount = knownMount(id), isKnown(token) else { return .badArgument }
        if mount.isMade {
            pending.append(.tick(token, .command, by: author, of: life(of: mount)))
        } else {
            mount.commands.append((token, author))
        }
        return .ok
    }
}
