/// Late work: ticks, watches, commands and deferred writes. It carries the id of whoever asked for it, and whoever is gone
/// by the time that it comes is told apart: it is dropped, or delivered and reported (R50, R74).
extension Simulation {
    // MARK: Whose it is

    /// The control that asks: inside one of its own calls it may be one that goes, with the next in its place already.
    func beingCalled(_ mount: Mount) -> Mount {
        if let currentMount, currentMount.id == mount.id { return currentMount }
        return mount
    }

    func life(of mount: Mount) -> Life { Life(mount: mount.id, number: beingCalled(mount).life) }

    func workOwner(_ mount: Mount) -> WorkOwner {
        WorkOwner(life: life(of: mount), maker: mount.id, item: beingCalled(mount).owner)
    }

    // MARK: What has become of it

    /// What has become of a control that was there; nil while it, or its place, is as it was.
    func former(_ life: Life) -> Former? {
        let mount = mounts[life.mount]
        guard let here = mount ?? pooled(life.mount) else { return .gone }
        if here.life != life.number { return .dismantled(here.endings.last { $0.life == life.number }) }
        if mount == nil { return .gone }
        return here.failure.map { .failed(turn: $0.turn) }
    }

    func former(_ owner: WorkOwner) -> Former? {
        if let former = former(owner.life) { return former }
        return mounts[owner.life.mount].flatMap { isAnother($0, than: owner) ? .passedOn : nil }
    }

    /// Whether the control has changed hands since somebody asked for late work: another item, or, where there are no
    /// items, another mount of a pool (R50).
    private func isAnother(_ mount: Mount, than owner: WorkOwner) -> Bool {
        let item = item(of: owner, in: mount)
        if !haveSameBytes(item, mount.owner) { return true }
        return item == nil && owner.maker != mount.id
    }

    /// The item that it was asked for: before the first one that the mount was given, that one.
    private func item(of owner: WorkOwner, in mount: Mount) -> String? {
        owner.item ?? (owner.maker == mount.id ? mount.firstOwner : nil)
    }

    /// A control from the pool brings its late work along: what it asked for there is the mount's now, with the item that
    /// it was for.
    func handOnWork(of old: Mount, to mount: Mount) {
        func handOn(_ owner: WorkOwner) -> WorkOwner {
            let number = owner.life.number == old.life ? mount.life : 0
            return WorkOwner(
                life: Life(mount: mount.id, number: number), maker: owner.maker,
                item: item(of: owner, in: old))
        }
        for token in old.tokens {
            if let owner = registrations[token]?.owner { registrations[token]?.owner = handOn(owner) }
        }
        if old.inFlight.isEmpty { return }
        for (key, count) in old.inFlight { mount.count(key, by: count) }
        for (number, write) in seam.writeBacks where write.owner.life.mount == old.id {
            seam.writeBacks[number]?.owner = handOn(write.owner)
        }
    }

    /// A mount whose control waits in a pool.
    func pooled(_ id: MountID) -> Mount? {
        guard seam.pooled.contains(id) else { return nil }
        for pool in seam.pools { if let mount = pool.controls.first(where: { $0.id == id }) { return mount } }
        return nil
    }

    /// The control is dismantled: what it has asked for comes too late from now on. What the kernel keeps up for it ends
    /// with it.
    /// - Parameter place: where the next control is, or is to be; it may be there already.
    func endLife(of mount: Mount, in place: Mount?, control: UInt32) {
        if !seam.watches.isEmpty {
            let life = Life(mount: mount.id, number: mount.life)
            seam.watches.removeAll { $0.life == life }
        }
        guard let place else { return }
        place.note(Ending(life: mount.life, turn: turn, control: control))
        if place === mount { mount.life += 1 }
    }

    /// Commands that waited for a control which never came, or never got as far (R84).
    func loseCommands(of mount: Mount) {
        let commands = mount.commands
        mount.commands = []
        for (_, author) in commands {
            drop(
                Drop(
                    call: .tick, why: .command, mount: mount.id, author: author, round: round,
                    at: tickMoment(),
                    text: "a command was dropped: there was no control to come",
                    clause:
                        "a command of \(scenario.bridges[mount.bridge].id) was dropped in turn \(turn): there was no "
                        + "control to come"))
            report(
                .noControl, .warning,
                "a command that \(phrase(author)) gave in turn \(author.turn) was dropped: mount \(mount.id) of "
                    + "\(scenario.bridges[mount.bridge].id) went before its control was made",
                bridge: mount.bridge, mount: mount.id)
        }
    }

    // MARK: Ticks

    func tick(_ token: UInt64, _ why: Lateness, by author: Author?, of life: Life) {
        guard let body else { return }
        let registration = registrations[token]
        if registration == nil, token & Self.mintedToken != 0 {
            // A timer that was not cancelled with it.
            return dropTick("late work", why, of: life.mount, by: author) { _ in "its registration was undone"
            }
        }
        // A watch and a command are of the control that they were asked for, whatever their token is.
        let owner = life.mount == 0 ? registration?.owner : nil
        let place = owner?.life.mount ?? life.mount
        let what = registration?.what ?? "\(why.word)"
        var mount = place == 0 ? nil : mounts[place]
        var whose = ""
        if place != 0, let former = owner.map(former) ?? former(life) {
            let maker = owner?.maker ?? place
            let bridge = bridge(of: maker)
            if let bridge, seam.bridges[bridge].ways.queuedWork == .drop {
                return dropTick(what, why, of: place, by: author ?? registration?.author, bridge) {
                    "\(reason(former, owner, in: mount, isTraced: $0)) (queued-work=drop)"
                }
            }
            report(
                former, maker, mount, owner, late: "its \(what) was delivered", work: "late work (\(what))")
            whose = self.whose(former, owner, in: mount)
            if case .passedOn = former {} else { mount = nil }
        }
        // What it writes is the mount's, and goes when the mount does.
        seam.arrival.lateness = why
        seam.arrival.source = author
        seam.arrival.mount = place
        enter(.tick, mount, phase: .dispatching)
        if registration != nil || !whose.isEmpty { trace?.note(what + whose) }
        leave(body.tick(token))
    }

    /// Late work that does not come, with its reason as a record has it, and as a sentence does.
    private func dropTick(
        _ what: String, _ why: Lateness, of mount: MountID, by author: Author?, _ bridge: BridgeID? = nil,
        _ reason: (_ isTraced: Bool) -> String
    ) {
        let name = bridge.map { "late work (\(what)) of \(scenario.bridges[$0].id)" } ?? what
        let dropped = drop(
            Drop(
                call: .tick, why: why, mount: mount, author: author ?? seam.beginning, round: round,
                at: tickMoment(), text: "\(what) was dropped: \(reason(true))",
                clause: "\(name) was dropped in turn \(turn): \(reason(false))"))
        if let bridge { seam.droppedWork[bridge] = dropped }
    }

    // MARK: Deferred writes

    /// A write that reaches the model later, with the value of now or the one that the control holds by then (R23).
    func enqueue(_ writeBack: WriteBack, when: WriteBack.When) {
        let number = seam.writeBackCount
        seam.writeBackCount += 1
        seam.writeBacks[number] = writeBack
        mounts[writeBack.owner.life.mount]?.count(writeBack.key, by: 1)
        switch when {
        case .round: pending.append(.writeBack(number))
        case .nextTurn: seam.laterTurn.append(.writeBack(number))
        case .at(let due):
            _ = clock.set(token: Self.writeBackToken | UInt64(number), due: max(due, clock.now))
        }
    }

    func deliverWriteBack(_ number: Int) {
        guard let write = seam.writeBacks.removeValue(forKey: number) else { return }
        let mount = mounts[write.owner.life.mount]
        let control = mount ?? pooled(write.owner.life.mount)
        control?.count(write.key, by: -1)
        let former = former(write.owner)
        let whose = former.map { self.whose($0, write.owner, in: mount) } ?? ""
        let value = value(of: write, from: control)
        let ways = bridge(of: write.owner.maker).map { seam.bridges[$0].ways }
        if ways?.queuedWork == .drop, let former {
            return traceDropped(write, value, "", reason(former, write.owner, in: mount, isTraced: true))
        }
        if write.isReread, !write.isKept, control.map({ !holds(write, $0) }) ?? true {
            return traceDropped(write, nil, whose, "there is no control to read")
        }
        let changedAt = store.keys[write.key].changedAt
        if ways?.writeBack == .drop, changedAt > write.madeAt {
            return traceDropped(write, value, whose, "the model changed since")
        }
        // With a mount that lives a key that has no value yet may get its first one.
        let isGone =
            store.keys[write.key].model == nil && value != nil && (mount == nil || changedAt > write.madeAt)
        reportLate(write, value, former, in: mount, isGone: isGone)
        if isGone { return traceDropped(write, value, whose, "the key is gone") }
        traceWriteBack(write, assignment(store.keys[write.key].name, value) + whose)
        trace?.set(write.key)
        seam.earlierAuthor = late(write.author, as: .writeBack)
        defer { seam.earlierAuthor = nil }
        writeModel(write.key, value)
    }

    /// A write that was made now or then reads its own control, wherever that is by now (R23).
    private func value(of write: WriteBack, from control: Mount?) -> String? {
        guard write.isReread, !write.isKept, let control, holds(write, control),
            let field = store.field(screen: seam.bridges[control.bridge].screen, key: write.key)
        else { return write.value }
        return content(of: control, in: field)
    }

    /// Whether it is there to be read: the native view of a wrapping, and the one that the write was made for. What an
    /// embedding shows it draws itself.
    private func holds(_ write: WriteBack, _ control: Mount) -> Bool {
        control.life == write.owner.life.number && hasControl(control)
    }

    func hasControl(_ mount: Mount) -> Bool { mount.hasControl || bridges[mount.bridge].kind != .wrap }

    /// The control goes: what its late writes will read is what it held last.
    func keepRereads(of mount: Mount) {
        for (number, write) in seam.writeBacks
        where write.owner.life.mount == mount.id && write.isReread && !write.isKept && holds(write, mount) {
            seam.writeBacks[number]?.value = value(of: write, from: mount)
            seam.writeBacks[number]?.isKept = true
        }
    }

    /// The turn was cut off: a counter that stayed up would hold external changes back for ever (R24).
    func dropWriteBack(_ number: Int) {
        guard let write = seam.writeBacks.removeValue(forKey: number) else { return }
        let mount = write.owner.life.mount
        (mounts[mount] ?? pooled(mount))?.count(write.key, by: -1)
        traceDropped(write, write.value, "", "the turn was cut off")
    }

    /// In a timer's token: a deferred write, by its number. No token of the plug-in's has both bits: those that it
    /// chooses lack the first, and registrations do not come that far.
    static let writeBackToken: UInt64 = mintedToken | 1 << 62

    private func traceWriteBack(_ write: WriteBack, _ text: String) {
        traceLate(
            .writeBack, of: write.owner.life.mount, write.isReread ? .reread : .captured, text,
            by: write.author)
    }

    private func traceDropped(_ write: WriteBack, _ value: String?, _ whose: String, _ why: String) {
        let (name, bridge) = (store.keys[write.key].name, bridge(of: write.owner.maker))
        if write.author.call == TraceCall(.native), let value, let bridge,
            !haveSameBytes(store.keys[write.key].model, value)
        {
            report(
                DiagnosticCode.lostEdit, .warning,
                "the edit \(assignment(name, value)) in \(scenario.bridges[bridge].id), made in turn "
                    + "\(write.madeAt.turn), was dropped on its way to the model: \(why); commit it before its "
                    + "control goes, or let late work be delivered",
                bridge: bridge, mount: write.owner.maker)
        }
        if keepsPast {
            seam.droppedWrites[write.key] = Drop(
                call: TraceCall(.writeBack), why: write.isReread ? .reread : .captured,
                mount: write.owner.maker,
                author: write.author, round: round, at: tickMoment(), text: why,
                clause:
                    "what \(phrase(write.author)) set it to in turn \(write.madeAt.turn) was dropped in turn "
                    + "\(turn): \(why)")
        }
        guard trace != nil else { return }
        traceWriteBack(write, "\(assignment(store.keys[write.key].name, value))\(whose) was dropped: \(why)")
    }

    // MARK: Findings and words

    /// Whom a late write finds: nobody, another control or owner, or no key (R50, R51).
    private func reportLate(
        _ write: WriteBack, _ value: String?, _ former: Former?, in mount: Mount?, isGone: Bool
    ) {
        let name = store.keys[write.key].name
        if let former, mount == nil || !isGone {
            return report(
                former, write.owner.maker, mount, write.owner,
                late: isGone
                    ? "a late write of \(name) was dropped (the key is gone)"
                    : "its deferred write of \(name) came",
                work: "a deferred write of \(name)")
        }
        guard isGone, let mount else { return }
        report(
            DiagnosticCode.lostEdit, .warning,
            "a late write of \(assignment(name, value)) by \(scenario.bridges[mount.bridge].id) was dropped (the key "
                + "is gone): it was removed in turn \(store.keys[write.key].changedAt.turn), after the write was made "
                + "in turn \(write.madeAt.turn); take such a write back when its key is removed",
            bridge: mount.bridge, mount: mount.id)
    }

    /// Late work that came all the same.
    private func report(
        _ former: Former, _ maker: MountID, _ mount: Mount?, _ owner: WorkOwner?, late: String, work: String
    ) {
        guard case .passedOn = former, let mount, let owner else {
            return reportLateCallback(maker, late, former)
        }
        let isOfMounts = isOfMounts(mount, owner)
        let asked = isOfMounts ? "mount \(owner.maker)" : item(of: owner, in: mount) ?? "nobody"
        let now = isOfMounts ? "is mount \(mount.id)'s now" : "shows \(mount.owner ?? "nothing") now"
        report(
            DiagnosticCode.reuseLeak, .warning,
            "\(work) that \(asked) asked for came to the control of \(scenario.bridges[mount.bridge].id) that \(now): "
                + "keep the owner's id with the work and drop it when it differs",
            bridge: mount.bridge, mount: mount.id)
    }

    func reportLateCallback(_ life: Life, _ what: String) {
        reportLateCallback(life.mount, what, former(life) ?? .gone)
    }

    func reportLateCallback(_ mount: MountID, _ what: String, _ former: Former = .gone) {
        let bridge = bridge(of: mount)
        let name = "mount \(mount) of \(bridge.map { scenario.bridges[$0].id } ?? "a bridge")"
        let text: String
        switch former {
        case .dismantled(let ending):
            text =
                "\(ending == nil ? "an earlier" : "a") control of \(name) was dismantled\(inTurn(ending)), and \(what) "
                + "afterwards: stop it in dismantle"
        case .failed(let turn):
            text =
                "\(name) failed in turn \(turn), and \(what) afterwards: nothing but dismantle is called on it"
        case .gone, .passedOn:
            text =
                seam.pooled.contains(mount)
                ? "\(name) gave its control to the pool, and \(what) afterwards: stop it in reset"
                : "\(name) was dismantled, and \(what) afterwards: stop it in dismantle"
        }
        report(DiagnosticCode.callbackAfterDismantle, .error, text, bridge: bridge, mount: mount)
    }

    /// Why it was dropped.
    /// - Parameter isTraced: for a record, where controls have numbers.
    private func reason(_ former: Former, _ owner: WorkOwner?, in mount: Mount?, isTraced: Bool = false)
        -> String
    {
        switch former {
        case .gone: return "the mount is gone"
        case .dismantled(let ending):
            let number = isTraced ? ending?.control ?? 0 : 0
            return "its control \(number == 0 ? "" : "\(number) ")was dismantled\(inTurn(ending))"
        case .failed(let turn): return "the mount failed in turn \(turn)"
        case .passedOn:
            guard let mount, let owner else { return "the control is another's now" }
            return isOfMounts(mount, owner)
                ? "the control is mount \(mount.id)'s now"
                : "the control shows another item than \(item(of: owner, in: mount) ?? "none")"
        }
    }

    /// Whose it was, behind what a record says of it, where its mount alone does not tell.
    private func whose(_ former: Former, _ owner: WorkOwner?, in mount: Mount?) -> String {
        switch former {
        case .gone, .failed: return ""
        case .dismantled(let ending):
            let number = ending?.control ?? 0
            return number == 0
                ? ", of a control that was dismantled\(inTurn(ending))"
                : ", of control \(number), dismantled\(inTurn(ending))"
        case .passedOn:
            guard let mount, let owner else { return "" }
            return isOfMounts(mount, owner)
                ? ", of mount \(owner.maker)" : ", of \(item(of: owner, in: mount).map(excerpt) ?? "no item")"
        }
    }

    private func inTurn(_ ending: Ending?) -> String { ending.map { " in turn \($0.turn)" } ?? "" }

    private func isOfMounts(_ mount: Mount, _ owner: WorkOwner) -> Bool {
        owner.item == nil && mount.owner == nil && owner.maker != mount.id
    }
}
