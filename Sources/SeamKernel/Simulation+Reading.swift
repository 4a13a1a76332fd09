/// One field as it is now.
public struct FieldView {
    public var screen: String
    public var key: String
    public var model: String?
    public var shown: String?
    public var verdict: Verdict
}

/// What a text takes beyond its place: nothing up to 15 bytes, which lie in the place itself, else a block of the heap
/// with its head.
@inlinable @inline(__always)
public func heapBytes(_ text: String?) -> Int {
    guard let text else { return 0 }
    return heapBytes(ofText: text.utf8.count)
}

/// The same for a text of so many bytes.
@inlinable @inline(__always)
public func heapBytes(ofText count: Int) -> Int { count > 15 ? (count + 32 + 8 + 15) & ~15 : 0 }

/// A key, a field or a screen in its array, with the room to grow and its share of an index (measured on a million of
/// them: 124 bytes for a field and its key together).
let placeBytes = 64

/// What can be asked of a simulation between turns.
extension Simulation {
    /// What it takes in memory, near enough for a limit: itself, its names and its values. A value that the model and
    /// a matching field share counts on both sides.
    public var bytes: Int {
        Self.ownBytes + store.bytes + (hasSeam ? Seam.ownBytes + seam.bytes : 0)
            + (seam.authors?.bytes ?? 0)
            + clockMarks.capacity * MemoryLayout<ClockMark>.stride
    }

    /// A simulation without a field, with what a daemon keeps beside it (measured on ten thousand).
    public static let ownBytes = 800

    /// How much `bytes` may grow by an event: exact for what a client writes, nothing for what a plug-in may do. Takes
    /// a look-up for each name.
    public func growth(by event: Event) -> Int {
        switch event {
        case .modelWrite(let values):
            values.reduce(0) { sum, entry in
                guard let key = store.key(named: entry.key) else {
                    return sum + placeBytes + heapBytes(entry.key) + heapBytes(entry.value)
                }
                return sum + heapBytes(entry.value) - heapBytes(store.keys[key].model)
            }
        case .screenDeclare(let screen, let keys):
            keys.reduce(growth(byScreen: screen)) { $0 + growth(byField: $1, on: screen, showing: nil) }
        case .screenWrite(let screen, let values):
            values.reduce(growth(byScreen: screen)) {
                $0 + growth(byField: $1.key, on: screen, showing: .some($1.value))
            }
        case .environment(let values, let bridge, _):
            values.reduce(0) {
                $1.value == nil ? $0 : $0 + placeBytes + heapBytes($1.key) + heapBytes($1.value)
            }
                + (bridge == nil
                    ? growth(by: .modelWrite(values.filter { store.key(named: $0.key) != nil })) : 0)
        case .items(let bridge, let items): hasSeam ? growth(byItems: items, of: bridge) : 0
        case .send, .assign, .update, .mount, .unmount, .settle, .tick, .build, .assignBuilt, .activity,
            .identify, .rebind, .dismiss, .note:
            0
        }
    }

    private func growth(byScreen name: String) -> Int {
        store.screen(named: name) == nil ? placeBytes + heapBytes(name) : 0
    }

    private func growth(byField name: String, on screen: String, showing value: String??) -> Int {
        let key = store.key(named: name)
        let own = key == nil ? placeBytes + heapBytes(name) : 0
        guard let key, let place = store.screen(named: screen),
            let field = store.field(screen: place, key: key)
        else { return own + placeBytes + heapBytes(value ?? nil) }
        guard let value else { return own }
        return own + heapBytes(value) - heapBytes(store.fields[field].shown)
    }

    /// Nanoseconds of the simulation's clock since it was created.
    public var nanoseconds: Int64 { clock.now }
    /// The earliest timer, in the simulation's time.
    public var nextDeadline: Int64? { hasLaterWork ? clock.now : clock.nextDeadline }

    public var fieldCount: Int { store.fields.count }

    public func field(_ id: FieldID) -> FieldView {
        let field = store.fields[id]
        let model = store.model(of: id)
        return FieldView(
            screen: store.screens[Int(field.screen)].name, key: store.keys[Int(field.key)].name, model: model,
            shown: field.shown, verdict: Verdict.of(model: model, shown: field.shown))
    }

    /// A field's names alone, without judging it.
    public func names(of id: FieldID) -> (screen: String, key: String) {
        store.names(of: id)
    }

    /// The bridge of this name.
    public func bridge(named name: String) -> BridgeID? {
        bridges.indices.first { bridges[$0].name == name }
    }

    /// Made one after the other: there may be millions, and who asks may stop at any of them.
    public var screenNames: some Sequence<String> {
        store.screens.indices.lazy.map { [store] in store.screens[$0].name }
    }
    public var keyNames: [String] { store.keys.indices.map { store.keys[$0].name } }

    public func screen(named name: String) -> ScreenID? { store.screen(named: name) }

    /// The fields of a screen in order of declaration.
    public func fields(of screen: ScreenID) -> [FieldID] { store.fields(of: screen) }

    public func field(screen: ScreenID, key: String) -> FieldID? {
        store.key(named: key).flatMap { store.field(screen: screen, key: $0) }
    }

    /// The fields of a key on every screen, in order of declaration; none when there is no such key.
    public func fields(ofKey name: String) -> [FieldID] {
        guard let key = store.key(named: name) else { return [] }
        var fields: [FieldID] = []
        store.forEachField(of: key) { fields.append($0) }
        return fields.reversed()
    }

    /// The live mounts of a bridge, in order of mounting.
    public func mounts(of bridge: BridgeID) -> [MountID] { bridges[bridge].mounts.map(\.id) }

    /// Which bridge a mount belongs to, also when it is gone.
    public func bridge(of mount: MountID) -> BridgeID? {
        guard hasSeam, mount > 0, mount <= UInt64(seam.bridgeOfMount.count) else { return nil }
        return Int(seam.bridgeOfMount[Int(mount) - 1])
    }

    /// What only a check can tell: between two requests nobody knows whether the call is still to come. The
    /// findings answer the check; they take no seq and never stream.
    public func check(_ fields: [FieldID]) -> [Diagnostic] {
        fields.compactMap(missedCarry) + (hasSeam ? staleSizes() + seam.breaches : [])
    }

    /// Views whose size was asked for before they were drawn last.
    private func staleSizes() -> [Diagnostic] {
        mounts.values.filter { $0.measuredAt != .never && $0.lastCall > $0.measuredAt }
            .sorted { $0.id < $1.id }
            .map { mount in
                Diagnostic(
                    code: DiagnosticCode.sizeNotRemeasured, severity: .warning, bridge: mount.bridge,
                    mount: mount.id,
                    text:
                        "\(scenario.bridges[mount.bridge].id) was measured in turn \(mount.measuredAt.turn) and drawn "
                        + "in turn \(mount.lastCall.turn): its size is that of the content before; measure again"
                )
            }
    }

    /// The call that should have carried a stale or missing field across, and did not.
    private func missedCarry(_ id: FieldID) -> Diagnostic? {
        let verdict = store.verdict(of: id)
        guard verdict == .stale || verdict == .missing, !seam.carriers.isEmpty else { return nil }
        let field = store.fields[id]
        let key = store.keys[Int(field.key)]
        // Who has but read it, or written it once, owes nothing.
        let bearing = bearing(id).filter { position in
            bridges[position].inputs.contains(Int(field.key))
                || bridges[position].mounts.contains { environmentRead(Int(field.key), by: $0) != nil }
        }
        guard let first = bearing.first else { return nil }
        // It is on its way: an asynchronous bridge calls in the next turn (R26).
        let isUnderWay = seam.laterTurn.contains { work in
            switch work {
            case .draw(let mount), .update(let mount), .arrive(let mount): bearing.contains(mount.bridge)
            default: false
            }
        }
        if isUnderWay { return nil }
        // Written after the model changed: the value went astray, no call is missing. Unless an older copy was drawn
        // and is what is shown.
        let isOldCopy = bearing.allSatisfy { position in
            isCopied(Int(field.key), by: position) && !bridges[position].mounts.isEmpty
                && bridges[position].mounts.allSatisfy { mount in
                    mount.capturedAt < key.changedAt
                        && haveSameBytes(copied(Int(field.key), by: mount), field.shown)
                }
        }
        if !isOldCopy, written(id) > key.changedAt {
            if let (mount, found) = wroteWhatItFound(id), bearing.contains(mount.bridge) {
                return Diagnostic(
                    code: DiagnosticCode.environmentNotPropagated, severity: .warning, field: id,
                    bridge: mount.bridge, mount: mount.id,
                    text:
                        "the model value of \(store.name(of: id)) changed in turn \(key.changedAt.turn), and "
                        + "\(mount.lastBody.word) of \(scenario.bridges[mount.bridge].id) ran since, in turn "
                        + "\(field.writtenAt.turn), and \(found)")
            }
            // A draw at the signal is one before the store, and none comes after it (R22).
            guard heldOffScreen(id) == nil, let (mount, clause) = drawnFromOldCopy(id),
                bearing.contains(mount.bridge),
                !isCopied(Int(field.key), by: mount.bridge)
            else { return nil }
            return Diagnostic(
                code: DiagnosticCode.updateNeverArrived, severity: .warning, field: id, bridge: mount.bridge,
                mount: mount.id,
                text:
                    "the model value of \(store.name(of: id)) changed in turn \(key.changedAt.turn), and \(clause)"
            )
        }
        // Nothing is missing where the control has it and is off the screen.
        if heldOffScreen(id)?.isCurrent == true { return nil }
        let name = store.name(of: id)
        let failures = bearing.lazy.compactMap { self.bridges[$0].mounts.first { $0.isFailed } }
        if let failed = failures.first, let failure = failed.failure {
            return Diagnostic(
                code: DiagnosticCode.pluginFailed, severity: .error, field: id, bridge: failed.bridge,
                mount: failed.id,
                text:
                    "mount \(failed.id) of \(scenario.bridges[failed.bridge].id) failed in turn \(failure.turn) and gets no "
                    + "more calls: \(failure.text)")
        }
        // It was written, into another view: `wrong-instance` has said so, and no call is missing.
        let wentAstray = bearing.contains { position in
            bridges[position].mounts.contains { mount in
                mount.astray.contains { $0.field == id && $0.at > key.changedAt }
            }
        }
        if wentAstray { return nil }
        if let early = appliedOnce(id, first) { return early }
        let since = "the model value of \(name) changed in turn \(key.changedAt.turn)"
        // What was shown again is an older value of one mount's: that one's calls are the question, and those of others are
        // no answer to it.
        let shower =
            field.writtenAt > key.changedAt
            ? shownAgain(in: id).flatMap { bearing.contains($0.bridge) ? $0 : nil } : nil
        for position in shower.map({ [$0.bridge] }) ?? bearing {
            let copied = isCopied(Int(field.key), by: position)
            let called = bridges[position].mounts.filter {
                $0.lastCall > key.changedAt && !(copied && $0.capturedAt < key.changedAt)
                    && (shower == nil || $0 === shower)
            }
            let moment = shower == nil ? key.changedAt : field.writtenAt
            let missed = missedCall(of: position, id, verdict, since: moment)
            // The mount that the sentence is about, unless another one has had its update and left the field alone.
            guard var mount = called.first(where: { $0.id == missed.mount }) ?? called.first else { continue }
            if let read = environmentRead(Int(field.key), by: mount), !haveSameBytes(read.value, key.model) {
                return Diagnostic(
                    code: DiagnosticCode.environmentNotPropagated, severity: .warning, field: id,
                    bridge: position, mount: mount.id, text: "\(since), and \(missed.words)")
            }
            if isUpdated(position), mount.lastUpdate < key.changedAt {
                // No update has run at all: make alone is no empty one.
                guard let updated = called.first(where: { $0.lastUpdate > key.changedAt }) else {
                    return Diagnostic(
                        code: DiagnosticCode.updateNeverArrived, severity: .warning, field: id,
                        bridge: position, mount: mount.id, text: "\(since), and \(missed.words)")
                }
                mount = updated
            }
            return Diagnostic(
                code: DiagnosticCode.emptyUpdate, severity: .warning, field: id, bridge: position,
                mount: mount.id,
                text: "\(since); \(verb(of: mount)) of \(scenario.bridges[position].id) ran since, "
                    + "in turn \(mount.lastCall.turn), and \(omission(of: id, by: mount))")
        }
        // The same words as in `explain`: there is one account of what a call waits for.
        let missed = missedCall(
            of: shower?.bridge ?? first, id, verdict, since: shower == nil ? key.changedAt : field.writtenAt)
        return Diagnostic(
            code: DiagnosticCode.updateNeverArrived, severity: .warning, field: id,
            bridge: shower?.bridge ?? first,
            mount: missed.mount,
            text: "\(since), and \(missed.words)" + (bridges[first].mounts.isEmpty ? ": mount it" : ""))
    }

    /// The mount whose value the field shows again, since it came to light.
    private func shownAgain(in id: FieldID) -> Mount? {
        guard let author = seam.authors?.ofShown[id], author.via == TraceCall(.revealed).raw else {
            return nil
        }
        return mounts[MountID(store.fields[id].writer)]
    }

    private func copied(_ key: FieldStore.KeyID, by mount: Mount) -> String? {
        bridges[mount.bridge].inputs.firstIndex(of: key).map { mount.captured[$0] } ?? nil
    }

    /// An input that only the making of the control applies: update is not the place to look.
    private func appliedOnce(_ id: FieldID, _ bridge: BridgeID) -> Diagnostic? {
        let ways = bridges[bridge].ways
        let key = Int(store.fields[id].key)
        let name = store.name(of: id)
        let since = "the model value of \(name) changed in turn \(store.keys[key].changedAt.turn)"
        if ways.onceInputs.contains(store.keys[key].name) {
            return Diagnostic(
                code: DiagnosticCode.writeOnceInput, severity: .warning, field: id, bridge: bridge,
                mount: bridges[bridge].mounts.first?.id,
                text:
                    "\(since); \(scenario.bridges[bridge].id) applies it in make alone: write it in update as well, or "
                    + "give the view an id of that value")
        }
        guard ways.updates == .restart else { return nil }
        var isSplit = false
        store.forEachField(of: key) { isSplit = isSplit || store.verdict(of: $0) == .matching }
        return Diagnostic(
            code: isSplit ? DiagnosticCode.splitApplication : DiagnosticCode.writeOnceInput,
            severity: .warning,
            field: id, bridge: bridge, mount: bridges[bridge].mounts.first?.id,
            text: "\(since); \(scenario.bridges[bridge].id) applies it when it is made, at the next restart"
                + (isSplit ? ", and another screen shows it already" : ""))
    }

    /// Fields that wait for a bridge which answers a turn later: stale by design, once (R26).
    func reportTransients() {
        for work in seam.laterTurn {
            guard case .update(let mount) = work.asEvaluation else { continue }
            for field in store.fields(of: seam.bridges[mount.bridge].screen) {
                guard store.fields[field].touched != 0, store.verdict(of: field) == .stale,
                    seam.bridges[mount.bridge].inputs.contains(Int(store.fields[field].key))
                else { continue }
                report(
                    DiagnosticCode.transientDivergence, .info,
                    "\(store.name(of: field)) is behind by design: \(scenario.bridges[mount.bridge].id) is asynchronous and "
                        + "answers in the next turn",
                    field: field, bridge: mount.bridge, mount: mount.id)
            }
        }
    }

    /// The call that ran: without a body of update to make the control anew is what carries (R79).
    private func verb(of mount: Mount) -> String {
        switch bridges[mount.bridge].kind {
        case .embed: bridges[mount.bridge].isObserved ? "draw" : "assignment"
        case .wrap: "\(mount.lastBody.word)"
        case .custom: "call"
        }
    }
}
