/// Two-way values: what a control reads and writes through, when the write arrives, and whose copy it was made from.
extension Simulation {
    /// What a binding gives now.
    func value(of binding: Binding) -> String? {
        switch binding.kind {
        case .live, .derived: store.keys[binding.key].model
        case .snapshot: binding.memory
        case .unwrapped: store.keys[binding.key].model ?? binding.memory
        case .enumCase:
            payload(of: store.keys[binding.key].model, when: binding.argument) ?? binding.memory
        case .constant: binding.argument
        }
    }

    private func payload(of value: String?, when name: String?) -> String? {
        guard let value, let name, let colon = value.firstIndex(of: ":"), value[..<colon] == name else {
            return nil
        }
        return String(value[value.index(after: colon)...])
    }

    /// Writes through; whether there was anything to write into. A constant, an unwrapped value that is gone and another
    /// case take nothing (R80).
    func write(_ value: String?, through id: UInt64, _ binding: Binding) -> Bool {
        switch binding.kind {
        case .live, .derived, .snapshot: write(binding.key, value)
        case .constant: return false
        case .unwrapped:
            guard store.keys[binding.key].model != nil else { return false }
            seam.bindings[id]?.memory = value
            write(binding.key, value)
        case .enumCase:
            guard let name = binding.argument, payload(of: store.keys[binding.key].model, when: name) != nil
            else {
                return false
            }
            seam.bindings[id]?.memory = value
            write(binding.key, value.map { "\(name):\($0)" })
        }
        return true
    }

    /// Remembers what an unwrapped binding or one of a case would go on giving.
    func noteBinding(_ id: UInt64, _ value: String?) {
        guard let kind = seam.bindings[id]?.kind, kind == .unwrapped || kind == .enumCase, let value else {
            return
        }
        seam.bindings[id]?.memory = value
    }

    // MARK: Deferred writes

    /// A write that reaches the model later, with the value of now or the one that the control holds by then (R23).
    func enqueue(_ writeBack: WriteBack, when: WriteBack.When) {
        let number = seam.writeBackCount
        seam.writeBackCount += 1
        seam.writeBacks[number] = writeBack
        mounts[writeBack.mount]?.count(writeBack.key, by: 1)
        switch when {
        case .round: pending.append(.writeBack(number))
        case .nextTurn: seam.laterTurn.append(.writeBack(number))
        case .at(let due):
            _ = clock.set(token: Self.writeBackToken | UInt64(number), due: max(due, clock.now))
        }
    }

    func deliverWriteBack(_ number: Int) {
        guard let write = seam.writeBacks.removeValue(forKey: number) else { return }
        let mount = mounts[write.mount]
        let control = mount ?? pooled(write.mount)
        control?.count(write.key, by: -1)
        let value = value(of: write, from: control)
        let ways = bridge(of: write.mount).map { seam.bridges[$0].ways }
        let former = mount.flatMap { isAnother($0, than: write.owner, ofMount: write.maker) ? $0 : nil }
        if ways?.queuedWork == .drop {
            if mount == nil { return traceDropped(write, value, "the mount is gone") }
            if let former {
                return traceDropped(write, value, whoseControl(former, than: write.owner, write.maker))
            }
        }
        if write.isReread, !write.isKept, let control, !hasControl(control) {
            return traceDropped(write, nil, "there is no control yet to read")
        }
        let changedAt = store.keys[write.key].changedAt
        if ways?.writeBack == .drop, changedAt > write.madeAt {
            return traceDropped(write, value, "the model changed since")
        }
        // With a mount that lives a key that has no value yet may get its first one.
        let isGone =
            store.keys[write.key].model == nil && value != nil && (mount == nil || changedAt > write.madeAt)
        reportLate(write, value, mount, former, isGone: isGone)
        if isGone { return traceDropped(write, value, "the key is gone") }
        traceWriteBack(write, assignment(store.keys[write.key].name, value))
        trace?.set(write.key)
        seam.earlierAuthor = late(write.author, as: .writeBack)
        defer { seam.earlierAuthor = nil }
        writeModel(write.key, value)
    }

    /// A write that was made now or then reads its own control, wherever that is by now (R23).
    private func value(of write: WriteBack, from control: Mount?) -> String? {
        guard write.isReread, !write.isKept, let control,
            let field = store.field(screen: seam.bridges[control.bridge].screen, key: write.key)
        else { return write.value }
        return content(of: control, in: field)
    }

    /// The native view of a wrapping; what an embedding shows it draws itself.
    func hasControl(_ mount: Mount) -> Bool { mount.hasControl || bridges[mount.bridge].kind != .wrap }

    /// The control goes: what its late writes will read is what it held last.
    func keepRereads(of mount: Mount) {
        for (number, write) in seam.writeBacks
        where write.mount == mount.id && write.isReread && !write.isKept {
            seam.writeBacks[number]?.value = value(of: write, from: mount)
            seam.writeBacks[number]?.isKept = true
        }
    }

    /// A control from the pool brings its late writes along, as it does its registrations.
    func handOnWriteBacks(of old: Mount, to mount: Mount) {
        mount.inFlight = old.inFlight
        for (number, write) in seam.writeBacks where write.mount == old.id {
            seam.writeBacks[number]?.mount = mount.id
        }
    }

    /// A mount whose control waits in a pool.
    private func pooled(_ id: MountID) -> Mount? {
        guard seam.pooled.contains(id) else { return nil }
        for pool in seam.pools { if let mount = pool.controls.first(where: { $0.id == id }) { return mount } }
        return nil
    }

    /// Whom a late write finds: nobody, another owner, or no key (R50, R51).
    private func reportLate(
        _ write: WriteBack, _ value: String?, _ mount: Mount?, _ former: Mount?, isGone: Bool
    ) {
        let name = store.keys[write.key].name
        guard let mount else {
            return reportLateCallback(
                write.mount,
                isGone
                    ? "a late write of \(name) was dropped (the key is gone)"
                    : "its deferred write of \(name) came")
        }
        if isGone {
            report(
                DiagnosticCode.lostEdit, .warning,
                "a late write of \(assignment(name, value)) by \(scenario.bridges[mount.bridge].id) was dropped (the key "
                    + "is gone): it was removed in turn \(store.keys[write.key].changedAt.turn), after the write was made "
                    + "in turn \(write.madeAt.turn); take such a write back when its key is removed",
                bridge: mount.bridge, mount: mount.id)
        } else if former != nil {
            reportFormerOwner(mount, "a deferred write of \(name)", write.owner, write.maker)
        }
    }

    private func traceWriteBack(_ write: WriteBack, _ text: String) {
        traceLate(
            .writeBack, of: write.mount, write.isReread ? .reread : .captured, text, by: write.author)
    }

    private func traceDropped(_ write: WriteBack, _ value: String?, _ why: String) {
        guard trace != nil else { return }
        traceWriteBack(write, "\(assignment(store.keys[write.key].name, value)) was dropped: \(why)")
    }

    /// The turn was cut off: a counter that stayed up would hold external changes back for ever (R24).
    func dropWriteBack(_ number: Int) {
        guard let write = seam.writeBacks.removeValue(forKey: number) else { return }
        (mounts[write.mount] ?? pooled(write.mount))?.count(write.key, by: -1)
        traceDropped(write, write.value, "the turn was cut off")
    }

    /// In a timer's token: a deferred write, by its number. No token of the plug-in's has both bits: those that it
    /// chooses lack the first, and registrations do not come that far.
    static let writeBackToken: UInt64 = mintedToken | 1 << 62
}

/// What a control reads and writes through (R32, R80).
struct Binding {
    var mount: MountID
    var kind: BindingKind
    var key: FieldStore.KeyID
    /// The name of a case, the value of a constant.
    var argument: String?
    /// What a snapshot captured, what an unwrapped value or a case gave last.
    var memory: String?
}

public enum BindingKind: UInt32, CaseIterable, Sendable {
    /// The storage itself.
    case live = 1
    /// Another key of the model than the one the control is named after.
    case derived
    /// A getter over a captured copy: it lies until the parent is evaluated again.
    case snapshot
    /// Of an optional: gives the last value once there is none, and takes nothing then.
    case unwrapped
    /// Of one case of an enumeration, in a model value "case:payload".
    case enumCase
    case constant
}

/// A deferred write on its way.
struct WriteBack {
    enum When {
        case round, nextTurn
        /// Nanoseconds of the simulation's clock.
        case at(Int64)
    }

    /// Whose control it belongs to now, and whose it was, with its item, when it was made.
    var mount: MountID
    let maker: MountID
    var owner: String?
    var key: FieldStore.KeyID
    var value: String?
    /// Takes what the control holds when it arrives, in place of `value`.
    var isReread: Bool
    /// The control is gone, and `value` is what it held last.
    var isKept = false
    var madeAt: Moment
    var author: Author
}

extension Mount {
    func count(_ key: FieldStore.KeyID, by step: Int) {
        guard let position = inFlight.firstIndex(where: { $0.key == key }) else {
            inFlight.append((key, step))
            return
        }
        inFlight[position].count += step
        if inFlight[position].count == 0 { inFlight.remove(at: position) }
    }
}
