/// Several mounts may write one field: what is on the screen is the newest of what their controls hold and a person can
/// see. What lies under it comes to light again when the mount above goes.
extension Simulation {
    /// What a mount's control holds for a field: what is on the screen where its own write is on top, else what it keeps
    /// under another one's or off the screen. What no mount has written stands in whatever can be seen there.
    func content(of mount: Mount, in field: FieldID) -> String? {
        let top = store.fields[field].writer
        if top == UInt32(truncatingIfNeeded: mount.id) { return store.fields[field].shown }
        if top == 0, let shown = store.fields[field].shown, isVisible(mount) { return shown }
        if mount.held.isEmpty || Int(store.fields[field].screen) != bridges[mount.bridge].screen {
            return nil
        }
        let key = Int(store.fields[field].key)
        return mount.held.first { $0.key == key }?.value
    }

    /// The same with its author.
    func holding(of mount: Mount, in field: FieldID) -> Held? {
        let key = Int(store.fields[field].key)
        guard store.fields[field].writer == UInt32(truncatingIfNeeded: mount.id) else {
            return mount.held.first { $0.key == key }
        }
        return store.fields[field].shown.map { Held(key: key, value: $0, author: heldAuthor(of: field)) }
    }

    /// Puts a value into a mount's control: on the screen, or for its return where it cannot be seen (R54).
    /// - Returns: whether it is on the screen.
    @discardableResult
    func put(_ value: String?, in field: FieldID, of mount: Mount) -> Bool {
        if isVisible(mount) {
            show(value, in: field, writer: mount)
            return true
        }
        var author = author
        author.step = tickMoment().step
        mount.hold(value, key: Int(store.fields[field].key), by: author)
        // What a hidden twin writes is never seen.
        if !mount.isMeasured { noteHeld(field) }
        return false
    }

    /// A mount is about to write a field that another one shows: the other's control holds its value all the same.
    func cover(_ field: FieldID, by writer: MountID) {
        let other = MountID(store.fields[field].writer)
        guard other != 0, other != writer, let value = store.fields[field].shown, let mount = mounts[other],
            bridges[mount.bridge].screen == Int(store.fields[field].screen)
        else { return }
        mount.hold(value, key: Int(store.fields[field].key), by: heldAuthor(of: field))
        note(Covered(mount: other, at: written(field)), in: field)
    }

    /// The author of what a field shows, with the moment of the write, also when it was shown again since.
    func heldAuthor(of field: FieldID) -> Author {
        var author = seam.authors?.ofShown[field] ?? Author(milliseconds: 0)
        let at = written(field)
        author.turn = at.turn
        author.step = at.step
        author.via = 0
        return author
    }

    /// When the value that a field shows was written: it may have been shown again since.
    func written(_ field: FieldID) -> Moment {
        guard let author = seam.authors?.ofShown[field], author.via == TraceCall(.revealed).raw else {
            return store.fields[field].writtenAt
        }
        return Moment(turn: author.turn, step: author.step)
    }

    /// Whether a mount that comes back stays behind what another one, which can be seen, has written since.
    func isBehind(_ held: Held, of mount: Mount, in field: FieldID) -> Bool {
        store.fields[field].shown != nil && written(field) > held.at
            && store.fields[field].writer != UInt32(truncatingIfNeeded: mount.id)
    }

    /// Nobody shows the field any more: the newest of the mounts that hold a value and can be seen shows its own again.
    func fallBack(_ field: FieldID) {
        guard seam.covered[field] != nil, store.fields[field].shown == nil else { return }
        while let next = seam.covered[field]?.popLast() {
            // One that is off the screen comes to the front by itself on its return.
            guard let held = held(next, in: field), let mount = mounts[next.mount], !mount.isLeaving,
                isVisible(mount)
            else { continue }
            mount.held.removeAll { $0.key == held.key }
            show(held.value, in: field, of: mount, as: .revealed, by: held.author)
            return
        }
        seam.covered[field] = nil
    }

    func note(_ covered: Covered, in field: FieldID) {
        var list = seam.covered[field] ?? []
        seam.covered[field] = nil
        // As a rule the newest is covered: the place is at the end.
        var place = list.count
        while place > 0, list[place - 1].at > covered.at { place -= 1 }
        if place == 0 || list[place - 1] != covered { list.insert(covered, at: place) }
        // Entries of values that were written over since stay until there are as many of them as there can be others.
        if list.count > 2 * mounts.count + 16 { list.removeAll { held($0, in: field) == nil } }
        seam.covered[field] = list
    }

    private func held(_ covered: Covered, in field: FieldID) -> Held? {
        mounts[covered.mount]?.held.first { $0.key == Int(store.fields[field].key) && $0.at == covered.at }
    }
}

extension Simulation {
    /// Something was asked for, and a policy has it dropped.
    @discardableResult
    func drop(_ drop: Drop) -> Drop {
        if keepsPast, seam.drops.count < Self.dropLimit { seam.drops.append(drop) }
        return drop
    }

    /// Records of what was dropped in one turn: a body may go on and on.
    private static let dropLimit = 1_000

    /// The records of what was dropped, at the end of the turn.
    func traceDrops() {
        for drop in seam.drops {
            let mount = drop.mount
            trace?.begin(
                drop.call, mount: mounts[mount], number: mount, cause: drop.why.rawValue,
                // A tick has none, dropped or delivered: nobody sent it.
                origin: drop.call == .tick ? nil : TraceOrigin(rawValue: drop.author.origin),
                from: drop.author, round: drop.round,
                at: drop.at, milliseconds: UInt64(clock.now / 1_000_000))
            trace?.note(drop.text)
        }
        seam.drops.removeAll()
    }

    /// Of a field that matches: what its key was to be set to as well, since it was set last.
    func droppedWrite(_ id: FieldID) -> String {
        let key = Int(store.fields[id].key)
        guard hasSeam, let drop = seam.droppedWrites[key], drop.at >= store.keys[key].changedAt else {
            return ""
        }
        return "; \(drop.clause)"
    }

    /// What was dropped of a field since a moment, in clauses of its sentence.
    func drops(about id: FieldID, since moment: Moment, _ bearing: [BridgeID]) -> [String] {
        guard hasSeam else { return [] }
        let found =
            [seam.droppedLifts[id], seam.droppedWrites[Int(store.fields[id].key)]]
            + bearing.map { seam.droppedWork[$0] }
        return found.compactMap { $0 }.filter { $0.at >= moment }.map(\.clause)
    }
}

/// What a call has asked for, and a policy does not let through.
struct Drop {
    var call: TraceCall
    var why: Lateness
    /// Whose it was.
    var mount: MountID
    /// Who had asked for it.
    var author: Author
    var round: Int
    var at: Moment
    /// What and why, as the record says it.
    var text: String
    /// The same as a clause of an explanation.
    var clause: String
}

/// A mount whose value lies under another one's, and when it was written.
struct Covered: Equatable {
    var mount: MountID
    var at: Moment
}
