/// Why a field is as it is: what happened to both sides, and which call would have carried the value across. Facts that
/// the simulation kept, no guess.
public struct Explanation {
    /// A side's last write.
    public struct Write {
        public var turn: UInt64
        /// The simulation's clock; nil once that is forgotten.
        public var milliseconds: UInt64?
        /// `client`, `script`, an event's id, or the call.
        public var by: String
        public var bridge: BridgeID?
        public var mount: MountID?
        /// The call that asked for it, when that was earlier: of a value that came late, was lifted or shown again.
        public var source: TraceRecord.Source?
    }

    /// A mount whose call carries the field's value, or a bridge without a mount that would.
    public struct Carrier {
        public var bridge: BridgeID
        /// What makes it carry: `assign`, `draw`, `update`, or `call` where the plug-in decides.
        public var call: StaticString
        public var mount: MountID?
        public var lastTurn: UInt64?
        /// How often it ran since the model value changed, as far as the trace reaches back.
        public var since: Int
    }

    public var view: FieldView
    /// All of it in one sentence.
    public var sentence: String
    public var modelChanged: Write?
    public var shownWritten: Write?
    public var carriers: [Carrier]
    /// What the carriers did, and whoever else wrote the field, since the model value changed: the newest.
    public var calls: [TraceRecord]
    /// Older ones that are not listed.
    public var omittedCalls: Int
}

extension Simulation {
    /// Calls that an explanation lists.
    private static let explainedCalls = 100

    public func explain(_ id: FieldID) -> Explanation {
        let field = store.fields[id]
        let key = store.keys[Int(field.key)]
        let bearing = bearing(id)
        let counts = callsSince(key.changedAt, of: bearing, assigning: Int(field.key))
        let (calls, omitted) = calls(about: id, bearing)
        var carriers: [Explanation.Carrier] = []
        for bridge in bearing {
            let word = carryingWord(of: bridge, Int(field.key))
            if bridges[bridge].mounts.isEmpty {
                carriers.append(.init(bridge: bridge, call: word, mount: nil, lastTurn: nil, since: 0))
            }
            for mount in bridges[bridge].mounts {
                let last = lastCarry(of: mount, Int(field.key))
                // The answer of an asynchronous make, and a control from a pool, carry as well, and are no makes.
                let named = isMadeAnew(bridge) && bridges[bridge].kind == .wrap ? mount.lastMake : last
                carriers.append(
                    .init(
                        bridge: bridge, call: word, mount: mount.id,
                        lastTurn: named == .never ? nil : named.turn,
                        since: last > key.changedAt ? max(counts[mount.id] ?? 0, 1) : 0))
            }
        }
        return Explanation(
            view: self.field(id), sentence: sentence(about: id),
            modelChanged: key.changedAt == .never ? nil : modelWrite(Int(field.key)),
            shownWritten: field.writtenAt == .never ? nil : shownWrite(id), carriers: carriers, calls: calls,
            omittedCalls: omitted)
    }

    // MARK: Who carries it

    /// The bridges that carry the field's key to its screen: as an input, or because the newest evaluation of
    /// theirs has read it from the model or from its environment, or has written the field last.
    func bearing(_ id: FieldID) -> [BridgeID] {
        if seam.carriers.isEmpty { return [] }
        let field = store.fields[id]
        let key = Int(field.key)
        let screen = Int(field.screen)
        let author = seam.authors?.ofShown[id]
        let writer = author?.call.carries == true ? bridge(of: MountID(author?.mount ?? 0)) : nil
        let lifts = author?.via == TraceCall(.lifted).raw
        return bridges.indices.filter { position in
            // What is lifted comes from another screen.
            if lifts, position == writer { return true }
            guard bridges[position].screen == screen else { return false }
            return position == writer || bridges[position].inputs.contains(key)
                || bridges[position].mounts.contains {
                    reads(key, in: $0) || environmentRead(key, by: $0) != nil
                }
        }
    }

    /// Whether the newest evaluation of a mount, or of one that lies in it, has read the key from the model.
    private func reads(_ key: FieldStore.KeyID, in mount: Mount) -> Bool {
        mount.reads.contains { $0.key == key }
            || mount.children.contains { mounts[$0].map { reads(key, in: $0) } ?? false }
    }

    /// What the newest evaluation of a mount found when it asked its environment for the value of this name; nil if it
    /// did not.
    func environmentRead(_ key: FieldStore.KeyID, by mount: Mount) -> EnvironmentRead? {
        mount.environmentReads.first { haveSameBytes($0.name, store.keys[key].name) }
    }

    /// Whether nothing but an assignment brings the key to the root view.
    func isCopied(_ key: FieldStore.KeyID, by bridge: BridgeID) -> Bool {
        bridges[bridge].kind == .embed && bridges[bridge].inputs.contains(key)
            && !bridges[bridge].observes(key)
    }

    private func carryingWord(of bridge: BridgeID, _ key: FieldStore.KeyID) -> StaticString {
        switch bridges[bridge].kind {
        case .embed: isCopied(key, by: bridge) ? "assign" : "draw"
        case .wrap: isMadeAnew(bridge) ? "make" : "update"
        case .custom: "call"
        }
    }

    /// When the call that would carry the key last ran for a mount.
    private func lastCarry(of mount: Mount, _ key: FieldStore.KeyID) -> Moment {
        if isCopied(key, by: mount.bridge) { return mount.assignedAt }
        return isUpdated(mount.bridge) ? mount.lastUpdate : mount.lastCall
    }

    /// Whether a wrapping has no update that would carry anything: the making of its control does.
    private func isMadeAnew(_ bridge: BridgeID) -> Bool {
        bridges[bridge].ways.updateBody == .absent || bridges[bridge].ways.updates == .restart
    }

    /// Whether it is update that carries a value.
    func isUpdated(_ bridge: BridgeID) -> Bool { bridges[bridge].kind == .wrap && !isMadeAnew(bridge) }

    // MARK: From the trace

    private func isSince(_ changed: Moment, _ record: PackedRecord) -> Bool {
        (record.turn, record.step) >= (changed.turn, changed.step)
    }

    /// How often what carries the key ran, by mount: assignments where the root view holds a copy, else bodies.
    private func callsSince(_ changed: Moment, of bearing: [BridgeID], assigning key: FieldStore.KeyID)
        -> [MountID: Int]
    {
        var counts: [MountID: Int] = [:]
        // The update that follows on a make is one call with it; after none, the control has come from a pool.
        var made: Set<MountID> = []
        trace?.forEach(from: changed.turn, to: turn) { record in
            guard isSince(changed, record) else { return true }
            for mount in record.assigned where bridge(of: mount).map({ isCopied(key, by: $0) }) ?? false {
                counts[mount, default: 0] += 1
            }
            guard let bridge = bridge(of: record.mount), bearing.contains(bridge) else { return true }
            if isCopied(key, by: bridge) {
                if givesRootView(record) { counts[record.mount, default: 0] += 1 }
            } else if record.cause == Cause.measure.rawValue {
                return true
            } else if isMadeAnew(bridge), bridges[bridge].kind == .wrap {
                switch record.call.kind {
                case .make:
                    counts[record.mount, default: 0] += 1
                    made.insert(record.mount)
                case .update: if made.remove(record.mount) == nil { counts[record.mount, default: 0] += 1 }
                case .dismantle: made.remove(record.mount)
                default: break
                }
            } else if record.call.carries, record.call.kind != .make || !isUpdated(bridge) {
                counts[record.mount, default: 0] += 1
            }
            return true
        }
        return counts
    }

    /// An assignment by a request; to make what stands in the place is one too.
    private func givesRootView(_ record: PackedRecord) -> Bool {
        if record.call == TraceCall(.assign) { return true }
        // Its draw comes with it, or later where it has no window.
        if record.call == TraceCall(.cleared) { return record.cause == Cause.identity.rawValue }
        let made: [Cause] = [.first, .restore]
        return record.call.kind == .draw && made.contains { $0.rawValue == record.cause }
    }

    private func calls(about id: FieldID, _ bearing: [BridgeID]) -> (newest: [TraceRecord], omitted: Int) {
        let key = Int(store.fields[id].key)
        let changed = store.keys[key].changedAt
        var found: [PackedRecord] = []
        var omitted = 0
        func isCarriers(_ mount: MountID) -> Bool { bridge(of: mount).map(bearing.contains) ?? false }
        // Where the values were set that bodies have found in their environment, also before the model changed.
        let overrides = bearing.flatMap { bridges[$0].mounts }.compactMap { environmentRead(key, by: $0) }
            .filter { $0.holder != 0 }
        let first = min(changed.turn, overrides.map(\.setIn).min() ?? .max)
        trace?.forEach(from: first, to: turn) { record in
            let concerns =
                isCarriers(record.mount) || record.assigned.contains(where: isCarriers)
                || record.wrote.contains(id) || record.held.contains(id)
            let isOverride =
                record.call == TraceCall(.environment)
                && overrides.contains { $0.holder == record.mount && $0.setIn == record.turn }
            if isSince(changed, record) && concerns || isOverride
                || record.turn >= changed.turn && record.set.contains(key)
            {
                found.append(record)
                // In halves, so that dropping from the front costs nothing to speak of.
                if found.count == 2 * Self.explainedCalls {
                    found.removeFirst(Self.explainedCalls)
                    omitted += Self.explainedCalls
                }
            }
            return true
        }
        let surplus = max(found.count - Self.explainedCalls, 0)
        return (found.dropFirst(surplus).map(record), omitted + surplus)
    }

    // MARK: Who and when

    private func modelWrite(_ key: FieldStore.KeyID) -> Explanation.Write {
        let turn = store.keys[key].changedAt.turn
        guard let authors = seam.authors else {
            return .init(turn: turn, milliseconds: milliseconds(atTurn: turn), by: "client")
        }
        let author = authors.ofModel[key]
        return .init(
            turn: turn, milliseconds: author.milliseconds, by: name(of: author),
            source: author.via == 0 ? nil : source(author))
    }

    private func shownWrite(_ id: FieldID) -> Explanation.Write {
        let field = store.fields[id]
        let turn = field.writtenAt.turn
        guard let authors = seam.authors else {
            return .init(turn: turn, milliseconds: milliseconds(atTurn: turn), by: "client")
        }
        let author = authors.ofShown[id]
        guard author.via == 0 else {
            // What is lifted belongs to no mount, and comes from one.
            let place = field.writer == 0 ? author.mount : field.writer
            let mount = place == 0 ? nil : MountID(place)
            return .init(
                turn: turn, milliseconds: author.milliseconds, by: "\(TraceCall(raw: author.via).word)",
                bridge: mount.flatMap { bridge(of: $0) }, mount: mount, source: source(author))
        }
        let source = source(author)
        return .init(
            turn: turn, milliseconds: author.milliseconds, by: source.by, bridge: source.bridge,
            mount: source.mount)
    }

    /// `update of list`, `summaryDidChange`, `client`.
    private func name(of author: Author) -> String {
        if author.via == TraceCall(.writeBack).raw { return "\(TraceCall(.writeBack).word)" }
        if author.call == TraceCall(.modelSet) || author.call == TraceCall(.modelClear) {
            return author.origin == TraceOrigin.script.rawValue ? "script" : "client"
        }
        return called(author)
    }

    private func called(_ author: Author) -> String {
        (author.event >= 0 ? scenario.events[Int(author.event)].id : "\(author.call.word)") + ofBridge(author)
    }

    private func ofBridge(_ author: Author) -> String {
        bridge(of: MountID(author.mount)).map { " of \(scenario.bridges[$0].id)" } ?? ""
    }

    /// The call inside a sentence, whenever its value came to where it is.
    func phrase(_ author: Author?) -> String {
        guard let author else { return "a client" }
        switch author.call {
        case TraceCall(.modelSet), TraceCall(.modelClear): return requester(author)
        case TraceCall(.environment): return "\(requester(author)), as a value of the environment"
        case TraceCall(.start): return "the scenario's start"
        case TraceCall(.mainQueue): return "the main queue"
        case TraceCall(.committed): return "the draft\(ofBridge(author)), committed"
        case TraceCall(.tick):
            return switch Lateness(rawValue: author.lateness) {
            case .timer: "a timer\(ofBridge(author))"
            case .watch: "a watch\(ofBridge(author))"
            case .command: "a command\(ofBridge(author))"
            case .post: "posted work\(ofBridge(author))"
            default: "deferred work\(ofBridge(author))"
            }
        default: return called(author)
        }
    }

    private func requester(_ author: Author) -> String {
        author.origin == TraceOrigin.script.rawValue ? "the script" : "a client"
    }

    // MARK: The sentence

    /// One sentence on the field: the last change of the model, and what became of it on the screen.
    public func sentence(about id: FieldID) -> String {
        let verdict = store.verdict(of: id)
        let field = store.fields[id]
        let key = store.keys[Int(field.key)]
        let name = store.name(of: id)
        var sentence: String
        switch verdict {
        case .outOfScope:
            return "\(name) is out of scope: \(modelClause(id)), and \(screenClause(id))"
        case .matching where field.writtenAt > key.changedAt:
            sentence = "\(name) matches: \(wrote(id)), after \(modelClause(id))"
            return sentence + droppedWrite(id) + sourceGone(id)
        case .matching:
            sentence = "\(name) matches: \(modelClause(id)) to what \(hadWritten(id))"
            return sentence + droppedWrite(id) + sourceGone(id)
        case .stale, .missing, .leftover:
            let cause = field.writtenAt > key.changedAt ? astray(id, verdict) : notCarried(id, verdict)
            sentence = "\(name) is \(verdict.word): \(modelClause(id)), and \(cause)"
        }
        for clause in drops(about: id, since: key.changedAt, bearing(id)) { sentence += "; \(clause)" }
        sentence += sourceGone(id)
        if hasSeam, seam.cutOffIn >= max(key.changedAt.turn, 1) {
            sentence +=
                "; turn \(seam.cutOffIn) was cut off before it had settled, and what was still to run in it was dropped"
        }
        if case .failed(let text) = status { sentence += "; the simulation has failed: \(text)" }
        return sentence
    }

    /// What was lifted stays when the view that it came from goes, and nothing brings the next value.
    private func sourceGone(_ id: FieldID) -> String {
        guard let author = seam.authors?.ofShown[id], author.via == TraceCall(.lifted).raw, author.mount != 0,
            store.fields[id].shown != nil, mounts[MountID(author.mount)] == nil
        else { return "" }
        return "; \(called(MountID(author.mount))), from which it was lifted, has gone"
    }

    private func modelClause(_ id: FieldID) -> String {
        let key = Int(store.fields[id].key)
        if store.keys[key].changedAt == .never { return "the model has never had a value for it" }
        let done = store.keys[key].model == nil ? "was cleared" : "changed"
        let turn = store.keys[key].changedAt.turn
        let author = seam.authors?.ofModel[key]
        var by = phrase(author)
        if let author, author.via == TraceCall(.writeBack).raw, author.turn != turn {
            by = "a late write that \(by) made in turn \(author.turn)"
        }
        return "the model \(done) in turn \(turn) (by \(by))"
    }

    /// The write that stands, or what brought it to the screen again.
    private func wrote(_ id: FieldID, _ what: String = "it") -> String {
        let field = store.fields[id]
        let turn = field.writtenAt.turn
        let author = seam.authors?.ofShown[id]
        switch author?.via {
        case TraceCall(.revealed).raw: return shownAgain(id)
        case TraceCall(.lifted).raw: return "\(phrase(author)) lifted \(what) in turn \(turn)"
        default: return "\(phrase(author)) wrote \(what) in turn \(turn)"
        }
    }

    private func shownAgain(_ id: FieldID) -> String {
        let field = store.fields[id]
        let author = seam.authors?.ofShown[id]
        let own = MountID(field.writer)
        let how =
            switch author?.way {
            case .pooled: ", with a control from the pool,"
            case .restored: ", restored by its id,"
            case .own, nil: ""
            }
        return
            "\(called(own))\(how) showed again in turn \(field.writtenAt.turn) what \(phrase(author)) had "
            + "written in turn \(author?.turn ?? 0)"
    }

    /// The same where it stands in a clause of its own: `draw of b had written in turn 1`.
    private func hadWritten(_ id: FieldID) -> String {
        let turn = store.fields[id].writtenAt.turn
        let author = seam.authors?.ofShown[id]
        switch author?.via {
        case TraceCall(.revealed).raw:
            return "\(phrase(author)) had written in turn \(author?.turn ?? 0) and "
                + "\(called(MountID(store.fields[id].writer))) showed again in turn \(turn)"
        case TraceCall(.lifted).raw: return "\(phrase(author)) had lifted in turn \(turn)"
        default: return "\(phrase(author)) had written in turn \(turn)"
        }
    }

    /// `mount 1 of list`
    private func called(_ mount: MountID) -> String {
        bridge(of: mount).map { "mount \(mount) of \(scenario.bridges[$0].id)" } ?? "mount \(mount)"
    }

    /// Of a screen that shows nothing.
    private func screenClause(_ id: FieldID) -> String {
        let field = store.fields[id]
        if field.writtenAt == .never { return "the screen was never written" }
        let turn = field.writtenAt.turn
        guard let author = seam.authors?.ofShown[id] else {
            return "a client cleared it on the screen in turn \(turn)"
        }
        let mount = MountID(author.mount)
        switch author.call {
        case TraceCall(.unmounted) where author.via == 0:
            return "\(called(mount)), which showed it, was unmounted in turn \(turn)"
        case TraceCall(.cleared) where author.via == 0:
            return "the control of \(called(mount)), which showed it, was dismantled in turn \(turn)"
        case TraceCall(.hidden) where author.via == 0:
            return "\(called(mount)), which showed it, went off the screen in turn \(turn)"
        default:
            return author.isIdle
                ? "\(phrase(author)) left it empty on the screen in turn \(turn)"
                : "\(phrase(author)) cleared it on the screen in turn \(turn)"
        }
    }

    /// Written after the model changed, and not with its value.
    private func astray(_ id: FieldID, _ verdict: Verdict) -> String {
        let field = store.fields[id]
        let key = Int(field.key)
        if let held = heldOffScreen(id) {
            return screenClause(id) + (isKernels(seam.authors?.ofShown[id]) ? ": " : "; ") + held.words
        }
        let author = seam.authors?.ofShown[id]
        var clause: String
        switch verdict {
        case .missing:
            if let old = drawnFromOldCopy(id) { return old.clause }
            clause = screenClause(id)
        case .leftover where store.keys[key].changedAt == .never: clause = wrote(id)
        case .leftover: clause = wrote(id) + (author?.via == TraceCall(.revealed).raw ? "" : " all the same")
        default:
            if let old = drawnFromOldCopy(id) { return old.clause }
            clause = wrote(id, "something else")
        }
        if store.keys[key].changedAt == .never { return clause }
        if let mount = author.flatMap({ mounts[MountID($0.mount)] }), isKeptNative(id, by: mount) {
            return clause + ", which stands against update (native-state=keep-newest)"
        }
        // A carrying body that wrote it itself is the whole story.
        if let author, author.via == 0, author.call.carries, author.mount != 0,
            let bridge = bridge(of: MountID(author.mount)), bearing(id).contains(bridge)
        {
            return clause + (wroteWhatItFound(id).map { ": it \($0.found)" } ?? "")
        }
        // With the mount its bridge has gone: that has been said.
        let isGone = isKernels(author)
        let missed = bearing(id).filter { !(isGone && bridges[$0].mounts.isEmpty) }
            .map { missedCall(of: $0, id, verdict, since: field.writtenAt).words }
        return missed.isEmpty ? clause : clause + "; " + missed.joined(separator: ", and ")
    }

    private func isKernels(_ author: Author?) -> Bool {
        guard let author, author.via == 0 else { return false }
        return [TraceCall(.unmounted), TraceCall(.cleared), TraceCall(.hidden)].contains(author.call)
    }

    private func isKeptNative(_ id: FieldID, by mount: Mount) -> Bool {
        bridges[mount.bridge].kind == .wrap && keepsNative(id, of: mount)
    }

    /// The mount that wrote what it had found in its environment, or nothing, and no more of the model than that.
    func wroteWhatItFound(_ id: FieldID) -> (mount: Mount, found: String)? {
        let field = store.fields[id]
        guard let author = seam.authors?.ofShown[id], author.via == 0, author.call.carries,
            let mount = mounts[MountID(author.mount)],
            let read = environmentRead(Int(field.key), by: mount), haveSameBytes(read.value, field.shown),
            !haveSameBytes(read.value, store.keys[Int(field.key)].model)
        else { return nil }
        return (mount, found(read))
    }

    /// The mount that wrote the field from a copy of the model that is older than its value, and that it did.
    func drawnFromOldCopy(_ id: FieldID) -> (mount: Mount, clause: String)? {
        let field = store.fields[id]
        guard let author = seam.authors?.ofShown[id], author.via == 0, author.call.carries,
            let mount = mounts[MountID(author.mount)], drew(mount, field)
        else { return nil }
        let atSignal = bridges[mount.bridge].kind == .embed && bridges[mount.bridge].ways.capture == .signal
        return (
            mount,
            "\(phrase(author)) \(field.shown == nil ? "left it empty" : "wrote it") in turn \(field.writtenAt.turn) from a copy of the model that is older than "
                + "that" + (atSignal ? ", taken when the change was signalled (capture=signal)" : "")
        )
    }

    /// Whether the body that ran last took the field as it is from a copy that is older than the model.
    private func drew(_ mount: Mount, _ field: FieldStore.Field) -> Bool {
        guard let place = bridges[mount.bridge].inputs.firstIndex(of: Int(field.key)),
            mount.drawn.indices.contains(place), mount.lastCall <= field.writtenAt
        else { return false }
        return haveSameBytes(mount.drawn[place], field.shown)
            && !haveSameBytes(mount.drawn[place], store.keys[Int(field.key)].model)
    }

    /// A mount that holds a value for the field and is off the screen.
    func heldOffScreen(_ id: FieldID) -> (words: String, isCurrent: Bool)? {
        let field = store.fields[id]
        guard field.shown == nil, hasSeam else { return nil }
        for bridge in bridges.indices where bridges[bridge].screen == Int(field.screen) {
            for mount in bridges[bridge].mounts where !isVisible(mount) {
                guard let held = mount.held.first(where: { $0.key == Int(field.key) }) else { continue }
                let isCurrent = haveSameBytes(held.value, store.keys[Int(field.key)].model)
                let what = isCurrent ? "it" : "another value"
                return ("\(called(mount.id)) holds \(what) and \(whyOffScreen(mount))", isCurrent)
            }
        }
        return nil
    }

    /// Not written since the model changed.
    private func notCarried(_ id: FieldID, _ verdict: Verdict) -> String {
        let field = store.fields[id]
        let before = "in turn \(field.writtenAt.turn), before that"
        if scenario.isLive {
            if field.writtenAt == .never { return "nothing was ever reported of the screen" }
            return verdict == .missing
                ? "a client cleared it on the screen \(before)" : "the screen was last reported \(before)"
        }
        let changed = store.keys[Int(field.key)].changedAt
        if let held = heldOffScreen(id) {
            let missed = bearing(id).map { missedCall(of: $0, id, verdict, since: changed).words }
            return held.isCurrent || missed.isEmpty
                ? held.words : held.words + "; " + missed.joined(separator: ", and ")
        }
        if verdict == .leftover, let author = seam.authors?.ofShown[id], field.writer != 0,
            mounts[MountID(field.writer)] == nil
        {
            let what = author.via == 0 ? "had written it" : "had shown it"
            return
                "\(called(MountID(field.writer))), which \(what) in turn \(field.writtenAt.turn), was unmounted and "
                + "left it there"
        }
        let bearing = bearing(id)
        if bearing.isEmpty {
            let (screen, key) = names(of: id)
            return "no bridge carries \(key) to \(screen); \(lastWrite(id))"
        }
        return bearing.map { missedCall(of: $0, id, verdict, since: changed).words }.joined(
            separator: ", and ")
    }

    /// `go last wrote it in turn 3`, `nothing ever wrote it`
    private func lastWrite(_ id: FieldID) -> String {
        let field = store.fields[id]
        if field.writtenAt == .never { return "nothing ever wrote it" }
        if field.shown == nil { return screenClause(id) }
        let author = seam.authors?.ofShown[id]
        if author?.via == TraceCall(.revealed).raw { return shownAgain(id) }
        return "\(phrase(author)) last wrote it in turn \(field.writtenAt.turn)"
    }

    // MARK: The call that was missed

    struct MissedCall {
        var words: String
        /// The mount that the words are about; of several that are alike the one whose value the field shows.
        var mount: MountID?
    }

    /// What became of the call of a bridge that should have carried the value since: since the model changed, or since
    /// something else was written over it.
    func missedCall(of position: BridgeID, _ id: FieldID, _ verdict: Verdict, since moment: Moment)
        -> MissedCall
    {
        let bridge = bridges[position]
        let key = Int(store.fields[id].key)
        let name = scenario.bridges[position].id
        if bridge.mounts.isEmpty {
            let turn = seam.authors?.unmounted[position] ?? 0
            return MissedCall(
                words: turn == 0
                    ? "\(name), which carries it, was never mounted"
                    : "\(name), which carries it, has no mount since turn \(turn)")
        }
        let kept = verdict == .leftover ? "clear" : "write"
        let isCopied = isCopied(key, by: position)
        let called = bridge.mounts.filter { mount in
            !mount.isFailed && !mount.isArriving && mount.lastCall > moment
                && (!isCopied || mount.capturedAt > store.keys[key].changedAt)
        }
        // What is written into a control that is off the screen is not seen, and no write is missing there.
        let seen = called.filter(isVisible)
        let guilty = verdict == .leftover ? seen.filter { !isCleared(id, by: $0) } : seen
        if let mount = (guilty.isEmpty ? seen : guilty).max(by: { $0.lastCall < $1.lastCall }) {
            let ran =
                "\(mount.lastBody.word) of \(name)\(forMount(mount)) ran since, last in turn "
                + "\(mount.lastCall.turn), and "
            func missed(_ what: String) -> MissedCall { MissedCall(words: ran + what, mount: mount.id) }
            if guilty.isEmpty { return missed("its control holds nothing") }
            if let read = environmentRead(key, by: mount), !haveSameBytes(read.value, store.keys[key].model) {
                return missed(found(read))
            }
            let isMadeOnly = mount.lastBody == .make && isUpdated(position)
            return missed(
                omission(of: id, by: mount, kept) + (isMadeOnly ? ", and no update has run since" : ""))
        }
        if let mount = called.max(by: { $0.lastCall < $1.lastCall }) {
            return MissedCall(
                words:
                    "\(mount.lastBody.word) of \(name) ran since, last in turn \(mount.lastCall.turn), for mount "
                    + "\(mount.id), which \(whyOffScreen(mount))", mount: mount.id)
        }
        if isCopied, let mount = latest(of: bridge, by: \.assignedAt), mount.assignedAt > moment {
            let isAnew = mount.withheld == .identity || mount.withheld == .restore
            let assigned =
                isAnew
                ? "the root view of \(name)\(forMount(mount)) was made anew in turn \(mount.assignedAt.turn)"
                : "an assignment of \(name)\(forMount(mount)) ran since, in turn \(mount.assignedAt.turn)"
            if mount.capturedAt < store.keys[key].changedAt {
                return MissedCall(
                    words: assigned
                        + ", of a root view that was made in turn \(mount.capturedAt.turn), before that",
                    mount: mount.id)
            }
            return MissedCall(
                words: assigned + ", and its draw has not" + (reason(mount).map { ": \($0)" } ?? ""),
                mount: mount.id)
        }
        if let failed = bridge.mounts.first(where: { $0.isFailed }), let failure = failed.failure {
            return MissedCall(
                words: "mount \(failed.id) of \(name) failed in turn \(failure.turn) and gets no more calls: "
                    + failure.text, mount: failed.id)
        }
        return notRun(position, id, verdict, since: moment)
    }

    /// Whether what the field shows is another mount's, and this one's control holds nothing for it.
    private func isCleared(_ id: FieldID, by mount: Mount) -> Bool {
        store.fields[id].writer != UInt32(truncatingIfNeeded: mount.id) && content(of: mount, in: id) == nil
    }

    /// What a call that ran has left to do. Under another mount's value a control may have been cleared or never written:
    /// it holds nothing.
    func omission(of id: FieldID, by mount: Mount, _ kept: String = "write") -> String {
        let isOthers = mounts[MountID(store.fields[id].writer)] != nil && isCleared(id, by: mount)
        return isOthers && kept == "write" ? "its control holds nothing" : "did not \(kept) it"
    }

    /// Of which mounts a bridge's calls are meant, where it has, or had, more than one.
    private func forMounts(of bridge: Bridge) -> String {
        guard bridge.mounts.count == 1, let mount = bridge.mounts.first else {
            return " for its \(bridge.mounts.count) mounts"
        }
        return forMount(mount)
    }

    /// Told where the bridge has, or had, other mounts: what is true of one need not be true of them.
    private func forMount(_ mount: Mount) -> String {
        isOnly(mount) ? "" : " for mount \(mount.id)"
    }

    private func isOnly(_ mount: Mount) -> Bool {
        let bridge = Int32(mount.bridge)
        return seam.bridgeOfMount.lazy.filter { $0 == bridge }.prefix(2).count < 2
    }

    /// What a body found in its environment, and whose value it was.
    private func found(_ read: EnvironmentRead) -> String {
        guard let value = read.value else { return "found none in its environment" }
        let found = "found \(excerpt(value)) in its environment"
        guard read.holder != 0, let bridge = bridge(of: read.holder) else { return found }
        return found + ", set on \(scenario.bridges[bridge].id) (mount \(read.holder)) in turn \(read.setIn)"
    }

    private func latest(of bridge: Bridge, by moment: KeyPath<Mount, Moment>) -> Mount? {
        bridge.mounts.filter { !$0.isFailed }.max { $0[keyPath: moment] < $1[keyPath: moment] }
    }

    /// The call that would have carried it has not run: when it last did, and what it waits for.
    private func notRun(_ position: BridgeID, _ id: FieldID, _ verdict: Verdict, since moment: Moment)
        -> MissedCall
    {
        let bridge = bridges[position]
        let key = Int(store.fields[id].key)
        let name = scenario.bridges[position].id
        let shower = bridge.mounts.first { $0.id == MountID(store.fields[id].writer) }
        if isCopied(key, by: position) {
            let assigned = latest(of: bridge, by: \.assignedAt)
            let last = assigned?.assignedAt ?? .never
            let none =
                "no assignment of \(name)\(forMounts(of: bridge)) has "
                + (last == .never ? "ever run" : "run since turn \(last.turn)")
            if let drawn = latest(of: bridge, by: \.lastCall), drawn.lastCall > moment {
                return MissedCall(
                    words: none
                        + "; draw of \(name)\(forMount(drawn)) ran, last in turn \(drawn.lastCall.turn), from the copy "
                        + "of turn \(drawn.capturedAt.turn)", mount: drawn.id)
            }
            let builders = bridge.mounts.filter { ($0.built?.at ?? .never) > moment }
            if let built = builders.max(by: { $0.built?.at ?? .never < $1.built?.at ?? .never }),
                let at = built.built?.at
            {
                return MissedCall(
                    words: none + "; a root view was built in turn \(at.turn), and nobody has assigned it",
                    mount: built.id)
            }
            return MissedCall(words: none, mount: (shower ?? assigned)?.id)
        }
        let mount = latest(of: bridge, by: \.lastCall)
        let meant = shower ?? mount ?? bridge.mounts.first
        if bridge.kind == .custom {
            return MissedCall(
                words: "\(name), which the plug-in drives by itself, has not "
                    + "\(verdict == .leftover ? "cleared" : "written") it since; \(lastWrite(id))",
                mount: meant?.id)
        }
        if bridge.kind == .wrap, bridge.ways.updates == .restart {
            return MissedCall(
                words: "\(name) applies it when its control is made, at the next restart (updates=restart)",
                mount: meant?.id)
        }
        let last = mount?.lastCall ?? .never
        let isManual = bridge.kind == .wrap && bridge.ways.updates == .manual
        let areSeveral = bridge.mounts.count > 1
        var clause = "\(areSeveral ? "no " : "")\(bridge.kind == .wrap ? "update" : "draw") of \(name)"
        clause += forMounts(of: bridge)
        if isManual { clause += ", which bridge.update alone calls (updates=manual)," }
        if last == .never {
            clause += areSeveral ? " has ever run" : " has never run"
        } else {
            clause += areSeveral ? " has run since " : " has not run since "
            clause += mount?.lastBody == .make ? "make in turn \(last.turn)" : "turn \(last.turn)"
        }
        if let mount, let read = environmentRead(key, by: mount) { clause += ", when it \(found(read))" }
        // What one of them waits for is the better lead.
        for mount in bridge.mounts {
            if let why = reason(mount) { return MissedCall(words: "\(clause): \(why)", mount: mount.id) }
        }
        return MissedCall(words: clause, mount: meant?.id)
    }

    /// What a mount's next call waits for; nil when nothing keeps it from running.
    private func reason(_ mount: Mount) -> String? {
        let kind = bridges[mount.bridge].kind
        if mount.waitsForSize, !mount.activity.hasSize {
            return "mount \(mount.id) has no size, and its control is not made without one"
        }
        if mount.isArriving { return "the control of mount \(mount.id) is still being made" }
        if !mount.displays(kind) {
            if mount.isParked { return "mount \(mount.id) is parked" }
            if !mount.activity.hasWindow { return "mount \(mount.id) has no window" }
            if mount.activity.scene == .inactive { return "mount \(mount.id) is in an inactive scene" }
            return "mount \(mount.id) is hidden"
        }
        if seam.laterTurn.contains(where: { work in
            if case .update(let other) = work.asEvaluation { other === mount } else { false }
        }) {
            return "it is asynchronous and comes in the next turn (inward=next-turn)"
        }
        if kind == .embed, bridges[mount.bridge].ways.capture == .signal, mount.captured == mount.drawn {
            return
                "the change was signalled before it was stored, with what is drawn already (capture=signal)"
        }
        return nil
    }
}
