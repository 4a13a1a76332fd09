/// The services that a scenario's code may ask for while it is being called. Each looks into the state table
/// first: a call that is out of place does nothing, is answered with "state", and is reported.
extension Simulation {
    /// Whether the call is allowed now; files the finding when it is not.
    public func permits(_ call: HostCall) -> Bool {
        if hasSeam { seam.asked = call }
        if StateTable.permits(call, in: phase) { return true }
        misbehaved("\(call.name) was called \(whereabouts): not allowed there")
        return false
    }

    /// Whether a turn is under way, so that services may be asked for: inside a callback, or while the main queue is
    /// drained.
    public var isInTurn: Bool {
        switch phase {
        case .dispatching, .bridging, .dismantling, .destroying: true
        case .creating, .created, .idle, .failed, .destroyed: false
        }
    }

    /// Files a breach of the plug-in contract. Outside a turn it is kept for the next one.
    public func misbehaved(_ text: String) {
        // How often it calls between two turns is a matter of the machine's speed.
        if seam.isRunaway, current == nil, phase == .idle { return }
        report(
            DiagnosticCode.pluginMisbehaving, .error, text, bridge: currentMount?.bridge,
            mount: currentMount?.id)
        if hasSeam, seam.breaches.count < Self.breachLimit, phase != .destroyed {
            seam.breaches.append(
                Diagnostic(
                    code: DiagnosticCode.pluginMisbehaving, severity: .error, bridge: currentMount?.bridge,
                    mount: currentMount?.id, text: "in turn \(turn), \(text)"))
        }
        if current == nil, phase == .idle || phase == .failed { onWaiting?(self) }
    }

    /// The first few are enough to know that a plug-in breaks its contract.
    private static let breachLimit = 8

    /// The body under way, for messages: "inside update of list".
    public var whereabouts: String {
        guard let current else {
            return switch phase {
            case .creating: "inside create"
            case .destroying: "inside destroy"
            case .destroyed: "after destroy"
            case .failed: "after the simulation failed"
            default: "between two turns"
            }
        }
        let name = "inside \(current.kind)"
        return current.bridge.map { "\(name) of \(scenario.bridges[$0].id)" } ?? name
    }

    // MARK: Model and screens

    public func modelSet(_ key: String, _ value: String?) -> CallResult {
        guard permits(value == nil ? .modelClear : .modelSet) else { return .badState }
        guard let key = knownKey(key) else { return .badArgument }
        write(key, value)
        return .ok
    }

    public func modelGet(_ key: String, _ out: inout String?) -> CallResult {
        guard permits(.modelGet) else { return .badState }
        guard let key = knownKey(key) else { return .badArgument }
        out = store.keys[key].model
        noteRead(key)
        return out == nil ? .absent : .ok
    }

    /// A read inside a body is tracked where the bridge says so (R4), one in a callback that runs later is not (R81).
    private func noteRead(_ key: FieldStore.KeyID) {
        guard let mount = currentMount, bridges[mount.bridge].ways.reads != .none else { return }
        guard phase == .bridging else {
            guard bridges[mount.bridge].ways.reads == .lexical else { return }
            report(
                DiagnosticCode.untrackedRead, .info,
                "\(store.keys[key].name) was read \(whereabouts), outside any body: a later change of it causes no update "
                    + "of \(scenario.bridges[mount.bridge].id); read it in the body",
                bridge: mount.bridge, mount: mount.id)
            return
        }
        if let known = mount.reads.firstIndex(where: { $0.key == key }) {
            mount.reads[known].generation = mount.generation
        } else {
            mount.reads.append((key, mount.generation))
            seam.readers[key, default: []].append(mount)
        }
    }

    public func screenSet(_ screen: Int, _ key: String, _ value: String?) -> CallResult {
        guard permits(value == nil ? .screenClear : .screenSet) else { return .badState }
        guard let field = knownField(screen, key) else { return .badArgument }
        let mount = currentMount
        let isUpdate = current?.kind == .update && mount != nil
        if let mount, !mount.inherited.isEmpty { mount.inherited.removeAll { $0 == store.fields[field].key } }
        if isUpdate, let mount, !mount.nativeEdits.isEmpty {
            if keepsNative(field, of: mount) { return .ok }
            mount.nativeEdits.removeAll { $0.field == field && rollsBack(mount) }
        }
        if isUpdate, let mount, !mount.drafts.isEmpty { overwriteDraft(of: field, with: value, mount) }
        if isUpdate, let mount, !mount.isSettlingIn, let value,
            haveSameBytes(content(of: mount, in: field), value)
        {
            reportRedundantWrite(field)
        }
        if recordsCalls, current != nil { seam.wrote.append(field) }
        guard let mount else {
            show(value, in: field, writer: nil)
            return .ok
        }
        guard put(value, in: field, of: mount) else { return .ok }
        if isUpdate || current?.kind == .make, bridges[mount.bridge].echoEvent != nil,
            bridges[mount.bridge].echoField ?? field == field
        {
            pending.append(.echo(mount, life: mount.life, value: value))
        }
        return .ok
    }

    public func screenGet(_ screen: Int, _ key: String, _ out: inout String?) -> CallResult {
        guard permits(.screenGet) else { return .badState }
        guard let field = knownField(screen, key) else { return .badArgument }
        // A body reads its own control, whatever lies over it or keeps it off the screen.
        if let mount = currentMount, Int(store.fields[field].screen) == bridges[mount.bridge].screen {
            out = content(of: mount, in: field)
        } else {
            out = store.fields[field].shown
        }
        return out == nil ? .absent : .ok
    }

    /// Inside coordinator, make, update, draw, dismantle and their kin (R7).
    var isUpdatePhase: Bool { phase == .bridging || phase == .dismantling }

    /// A write to the model from wherever the code is: from inside a body it is reported, and carried out as the
    /// bridge's policy says (R7).
    func write(_ key: FieldStore.KeyID, _ value: String?) {
        guard isUpdatePhase else {
            noteSet(key)
            return writeModel(key, value)
        }
        switch admitWriteInUpdate("model \(store.keys[key].name)") {
        case .accept:
            noteSet(key)
            writeModel(key, value)
        case .deferred:
            noteSet(key)
            pending.append(.write(key, value: value, by: author))
        case .reject:
            seam.droppedWrites[key] = drop(rejected(TraceCall(.writeBack), store.keys[key].name, value))
        }
    }

    /// What a body wrote and the bridge's policy does not take.
    func rejected(_ call: TraceCall, _ name: String, _ value: String?) -> Drop {
        let text = "was dropped: a body may not write (write-in-update=reject)"
        return Drop(
            call: call, why: .deferred, mount: MountID(author.mount), author: author, round: round,
            at: tickMoment(),
            text: "\(assignment(name, value)) \(text)",
            clause: "what \(phrase(author)) set it to in turn \(turn) \(text)")
    }

    func admitWriteInUpdate(_ what: String) -> Ways.WriteInUpdate {
        guard let mount = currentMount else { return .deferred }
        let way = bridges[mount.bridge].ways.writeInUpdate
        let outcome =
            switch way {
            case .deferred: "carried out in the next round"
            case .accept: "taken at once"
            case .reject: "dropped"
            }
        // Once in a turn for a mount: a loop is not told a hundred times.
        if mount.reportedWriteIn == turn { return way }
        mount.reportedWriteIn = turn
        report(
            DiagnosticCode.stateWriteDuringUpdate, .warning,
            "\(current.map { "\($0.kind.word)" } ?? "a body") of \(scenario.bridges[mount.bridge].id) wrote \(what) "
                + "during the update: \(outcome); write from an event, or defer it",
            bridge: mount.bridge, mount: mount.id)
        return way
    }

    private func reportRedundantWrite(_ field: FieldID) {
        report(
            DiagnosticCode.redundantWrite, .warning,
            "update wrote into \(store.name(of: field)) what the control held already: a control takes an equal value for "
                + "a new one (caret, selection, undo); compare first",
            field: field, bridge: currentMount?.bridge, mount: currentMount?.id)
    }

    func knownKey(_ name: String) -> FieldStore.KeyID? {
        if let key = store.key(named: name) { return key }
        misbehaved("the model key \"\(name)\" is neither a field nor an input that the scenario declares")
        return nil
    }

    func knownField(_ screen: Int, _ name: String) -> FieldID? {
        guard store.screens.indices.contains(screen) else {
            misbehaved("there is no screen \(screen): the scenario declares \(store.screens.count)")
            return nil
        }
        if let key = store.key(named: name), let field = store.field(screen: screen, key: key) {
            return field
        }
        misbehaved("screen \(store.screens[screen].name) declares no field \"\(name)\"")
        return nil
    }

    // MARK: Mounts

    public func mount(_ bridge: Int, _ out: inout MountID) -> CallResult {
        guard permits(.mount) else { return .badState }
        guard bridges.indices.contains(bridge) else {
            misbehaved("there is no bridge \(bridge): the scenario declares \(bridges.count)")
            return .badArgument
        }
        guard hasRoom(forMountsOf: bridge) else { return .limit }
        out = place(bridge).id
        return .ok
    }

    /// One that has gone already, with the control that it lay in or by an earlier call, is left alone, as
    /// `removeFromSuperview` leaves a view without a superview alone.
    public func unmount(_ id: MountID) -> CallResult {
        guard permits(.unmount) else { return .badState }
        if mounts[id] == nil, bridge(of: id) != nil { return .ok }
        guard let mount = mounts[id] ?? knownMount(id) else { return .badArgument }
        remove(mount)
        return .ok
    }

    public func assignRoot(_ id: MountID) -> CallResult {
        guard permits(.assignRoot) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        guard bridges[mount.bridge].kind == .embed else {
            misbehaved("assign_root on \(scenario.bridges[mount.bridge].id), which is no embedding")
            return .badArgument
        }
        noteAssigned(mount)
        assign(mount)
        return .ok
    }

    public func invalidate(_ id: MountID, cause: UInt32) -> CallResult {
        guard permits(.invalidate) else { return .badState }
        guard let mount = knownMount(id) else { return .badArgument }
        let bridge = seam.bridges[mount.bridge]
        if bridge.kind == .custom || bridge.ways.updates != .automatic { return .ok }
        request(Cause(rawValue: UInt8(truncatingIfNeeded: cause)) ?? .input, of: mount)
        return .ok
    }

    /// The coordinator writes the model through the binding it holds. An old copy of the parent, or one whose
    /// mount is gone, is delivered and reported: that is what happens on a device too (R31, R32).
    public func bind(_ id: MountID, generation: UInt32, key name: String, value: String?) -> CallResult {
        guard permits(.bind) else { return .badState }
        guard let key = knownKey(name) else { return .badArgument }
        guard let mount = mounts[id] else {
            guard bridge(of: id) != nil else {
                misbehaved(noMount(id))
                return .badArgument
            }
            let isRemoved = store.keys[key].model == nil
            reportLateCallback(
                id,
                isRemoved
                    ? "a late write of \(name) was dropped (the key is gone)" : "its callback wrote \(name)")
            // A late write never brings a removed key back (R51).
            if !isRemoved { write(key, value) }
            return .ok
        }
        if generation != mount.generation {
            report(
                DiagnosticCode.staleParent, .warning,
                "the coordinator of \(scenario.bridges[mount.bridge].id) wrote \(name) through copy \(generation) of "
                    + "its parent, the current one is \(mount.generation): refresh the parent first thing in update",
                bridge: mount.bridge, mount: mount.id)
        }
        write(key, value)
        return .ok
    }

    /// - Parameter isLast: also the mount whose end is under way, inside its own body: it can still be read.
    func knownMount(_ id: MountID, isLast: Bool = false) -> Mount? {
        if isLast, let mount = currentMount, mount.id == id { return mount }
        if let mount = mounts[id], !mount.isLeaving { return mount }
        if bridge(of: id) != nil {
            reportLateCallback(id, "the plug-in used it \(whereabouts)")
        } else {
            misbehaved(noMount(id))
        }
        return nil
    }

    private func noMount(_ id: MountID) -> String {
        "there is no mount \(id), for which \(seam.asked?.name ?? "a service") was called \(whereabouts)"
    }

    // MARK: Registrations and time

    /// Registers something that outlives the call: an observer, a timer, a delegate. Mount 0 is the instance.
    public func own(_ id: MountID, _ what: String, _ token: inout UInt64) -> CallResult {
        guard permits(.own) else { return .badState }
        var mount: Mount?
        if id != 0 {
            mount = knownMount(id)
            if mount == nil { return .badArgument }
        }
        seam.registrationCount += 1
        token = Self.mintedToken | seam.registrationCount
        let owner = mount.map(workOwner) ?? WorkOwner(life: Life(), maker: 0)
        registrations[token] = Registration(what: what, owner: owner, author: author)
        mount.map(beingCalled)?.tokens.append(token)
        return .ok
    }

    public func disown(_ token: UInt64) -> CallResult {
        guard permits(.disown) else { return .badState }
        guard let registration = registrations.removeValue(forKey: token) else {
            misbehaved("there is no registration \(token & ~Self.mintedToken) to disown")
            return .badArgument
        }
        mounts[registration.owner.life.mount].map(beingCalled)?.tokens.removeAll { $0 == token }
        return .ok
    }

    /// A tick after everything that is queued already, before the verdicts are judged.
    public func nextTurn(_ token: UInt64) -> CallResult {
        guard permits(.nextTurn) else { return .badState }
        guard isKnown(token) else { return .badArgument }
        pending.append(.tick(token, .nextTurn, by: author))
        return .ok
    }

    /// A tick when the simulation's clock reaches the moment; one that has passed already is due now.
    public func atTime(_ nanoseconds: Int64, _ token: UInt64, _ timer: inout UInt64) -> CallResult {
        guard permits(.atTime) else { return .badState }
        guard isKnown(token) else { return .badArgument }
        guard clock.timerCount < Self.timerLimit else { return .limit }
        timer = clock.set(token: token, due: nanoseconds)
        if nanoseconds <= clock.now {
            _ = clock.cancel(timer)
            pending.append(.tick(token, .timer, by: author))
        } else {
            seam.timerAuthors[timer] = author
        }
        return .ok
    }

    /// Takes a timer back; one that has run already is no error.
    public func cancel(_ timer: UInt64) -> CallResult {
        guard permits(.cancel) else { return .badState }
        if clock.cancel(timer) {
            seam.timerAuthors[timer] = nil
            return .ok
        }
        if clock.everSet(timer) { return .absent }
        misbehaved("there is no timer \(timer) to cancel")
        return .badArgument
    }

    /// The simulation's time in nanoseconds; 0 where it may not be asked.
    public func now() -> Int64 { permits(.now) ? clock.now : 0 }

    /// The next seeded number; 0 where it may not be asked.
    public func random() -> UInt64 { permits(.random) ? seam.generator.next() : 0 }

    /// A token that `own` gave has this bit; smaller numbers are the plug-in's own to choose.
    static let mintedToken: UInt64 = 1 << 63
    static let timerLimit = 65_536

    func isKnown(_ token: UInt64) -> Bool {
        if token & Self.mintedToken == 0 || registrations[token] != nil { return true }
        misbehaved("there is no registration \(token & ~Self.mintedToken)")
        return false
    }

    // MARK: The plug-in's own findings

    /// - Parameters:
    ///   - mount: 0 for none.
    ///   - screen: none when the finding is about no field.
    public func diagnose(
        severity: Int32, code: String, text: String, mount: MountID, screen: Int?, key: String?
    ) -> CallResult {
        guard permits(.diagnose) else { return .badState }
        guard let severity = UInt8(exactly: severity).flatMap(Severity.init(rawValue:)) else {
            return .badArgument
        }
        if mount != 0, bridge(of: mount) == nil {
            misbehaved(noMount(mount))
            return .badArgument
        }
        var field: FieldID?
        if let screen, let key {
            field = knownField(screen, key)
            if field == nil { return .badArgument }
        }
        report(code, severity, text, field: field, bridge: bridge(of: mount), mount: mount == 0 ? nil : mount)
        return .ok
    }
}
