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
        let counts = callsSince(key.changedAt, of: bearing)
        let (calls, omitted) = calls(about: id, bearing)
        var carriers: [Explanation.Carrier] = []
        for bridge in bearing {
            let word = carryingWord(of: bridge)
            if bridges[bridge].mounts.isEmpty {
                carriers.append(.init(bridge: bridge, call: word, mount: nil, lastTurn: nil, since: 0))
            }
            for mount in bridges[bridge].mounts {
                carriers.append(
                    .init(
                        bridge: bridge, call: word, mount: mount.id,
                        lastTurn: mount.lastCall == .never ? nil : mount.lastCall.turn,
                        since: mount.lastCall > key.changedAt ? max(counts[mount.id] ?? 0, 1) : 0))
            }
        }
        return Explanation(
            view: self.field(id), sentence: sentence(about: id),
            modelChanged: key.changedAt == .never ? nil : modelWrite(Int(field.key)),
            shownWritten: field.writtenAt == .never ? nil : shownWrite(id), carriers: carriers, calls: calls,
            omittedCalls: omitted)
    }

    /// The bridges that carry the field's key to its screen.
    private func bearing(_ id: FieldID) -> [BridgeID] {
        if seam.carriers.isEmpty { return [] }
        let field = store.fields[id]
        return seam.carriers[Int(field.key)].filter { bridges[$0].screen == Int(field.screen) }
    }

    private func carryingWord(of bridge: BridgeID) -> StaticString {
        switch bridges[bridge].kind {
        case .embed: bridges[bridge].isObserved ? "draw" : "assign"
        case .wrap: "update"
        case .custom: "call"
        }
    }

    // MARK: From the trace

    private func isSince(_ changed: Moment, _ record: PackedRecord) -> Bool {
        (record.turn, record.step) >= (changed.turn, changed.step)
    }

    /// How often the bodies that carry ran, by mount.
    private func callsSince(_ changed: Moment, of bearing: [BridgeID]) -> [MountID: Int] {
        var counts: [MountID: Int] = [:]
        trace?.forEach(from: changed.turn, to: turn) { record in
            if record.call.carries, isSince(changed, record),
                let bridge = bridge(of: record.mount), bearing.contains(bridge)
            {
                counts[record.mount, default: 0] += 1
            }
            return true
        }
        return counts
    }

    private func calls(about id: FieldID, _ bearing: [BridgeID]) -> (newest: [TraceRecord], omitted: Int) {
        let key = Int(store.fields[id].key)
        let changed = store.keys[key].changedAt
        var found: [PackedRecord] = []
        var omitted = 0
        trace?.forEach(from: changed.turn, to: turn) { record in
            let isCarriers = bridge(of: record.mount).map(bearing.contains) ?? false
            let isSince = isSince(changed, record) && (isCarriers || record.wrote.contains(id))
            if isSince || record.set.contains(key) {
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
        return .init(turn: turn, milliseconds: author.milliseconds, by: name(of: author))
    }

    private func shownWrite(_ id: FieldID) -> Explanation.Write {
        let turn = store.fields[id].writtenAt.turn
        guard let authors = seam.authors else {
            return .init(turn: turn, milliseconds: milliseconds(atTurn: turn), by: "client")
        }
        let author = authors.ofShown[id]
        let mount = author.mount == 0 ? nil : MountID(author.mount)
        return .init(
            turn: turn, milliseconds: author.milliseconds,
            by: author.event >= 0 ? scenario.events[Int(author.event)].id : "\(author.call.word)",
            bridge: mount.flatMap { bridge(of: $0) }, mount: mount)
    }

    /// `update of list`, `summaryDidChange`, `client`.
    private func name(of author: Author) -> String {
        if author.call == TraceCall(.modelSet) { return author.isScript ? "script" : "client" }
        let what = author.event >= 0 ? scenario.events[Int(author.event)].id : "\(author.call.word)"
        return bridge(of: MountID(author.mount)).map { "\(what) of \(scenario.bridges[$0].id)" } ?? what
    }

    /// The same inside a sentence.
    private func phrase(_ author: Author?) -> String {
        guard let author else { return "a client" }
        switch author.call {
        case TraceCall(.modelSet): return author.isScript ? "the script" : "a client"
        case TraceCall(.start): return "the scenario's start"
        case TraceCall(.mainQueue): return "the main queue"
        case TraceCall(.tick):
            return bridge(of: MountID(author.mount)).map { "a timer of \(scenario.bridges[$0].id)" }
                ?? "a timer"
        default: return name(of: author)
        }
    }

    // MARK: The sentence

    /// One sentence on the field: the last change of the model, and what became of it on the screen.
    public func sentence(about id: FieldID) -> String {
        let verdict = store.verdict(of: id)
        let field = store.fields[id]
        let key = store.keys[Int(field.key)]
        let name = store.name(of: id)
        let wasWrittenSince = field.writtenAt > key.changedAt
        var sentence: String
        switch verdict {
        case .outOfScope:
            return "\(name) is out of scope: \(modelClause(id)), and \(screenClause(id))"
        case .matching where wasWrittenSince:
            return
                "\(name) matches: \(writer(id)) wrote it in turn \(field.writtenAt.turn), after \(modelClause(id))"
        case .matching:
            return "\(name) matches: \(modelClause(id)) to what \(writer(id)) had written in turn "
                + "\(field.writtenAt.turn)"
        case .leftover where key.changedAt == .never:
            return
                "\(name) is leftover: \(modelClause(id)), and \(writer(id)) wrote it in turn \(field.writtenAt.turn)"
        case .stale, .missing, .leftover:
            let cause = wasWrittenSince ? astray(id, verdict) : notCarried(id, verdict)
            sentence = "\(name) is \(verdict.word): \(modelClause(id)), and \(cause)"
        }
        if case .failed(let text) = status { sentence += "; the simulation has failed: \(text)" }
        return sentence
    }

    private func writer(_ id: FieldID) -> String { phrase(seam.authors?.ofShown[id]) }

    private func modelClause(_ id: FieldID) -> String {
        let key = Int(store.fields[id].key)
        if store.keys[key].changedAt == .never { return "the model has never had a value for it" }
        let done = store.keys[key].model == nil ? "was cleared" : "changed"
        return
            "the model \(done) in turn \(store.keys[key].changedAt.turn) (by \(phrase(seam.authors?.ofModel[key])))"
    }

    /// Of a screen that shows nothing.
    private func screenClause(_ id: FieldID) -> String {
        let field = store.fields[id]
        if field.writtenAt == .never { return "the screen was never written" }
        if let gone = unmounted(id) { return "\(gone) in turn \(field.writtenAt.turn)" }
        return "\(writer(id)) cleared it on the screen in turn \(field.writtenAt.turn)"
    }

    /// `mount 1 of list, which showed it, was unmounted`, when that cleared the field.
    private func unmounted(_ id: FieldID) -> String? {
        guard let author = seam.authors?.ofShown[id], author.call == TraceCall(.unmounted),
            let bridge = bridge(of: MountID(author.mount))
        else { return nil }
        return "mount \(author.mount) of \(scenario.bridges[bridge].id), which showed it, was unmounted"
    }

    /// Written after the model changed, and not with its value.
    private func astray(_ id: FieldID, _ verdict: Verdict) -> String {
        let field = store.fields[id]
        let turn = field.writtenAt.turn
        if verdict == .missing { return screenClause(id) }
        if verdict == .leftover { return "\(writer(id)) wrote it in turn \(turn) all the same" }
        if let author = seam.authors?.ofShown[id], author.call == TraceCall(.draw),
            let mount = mounts[MountID(author.mount)], drew(mount, field)
        {
            return "\(writer(id)) wrote it in turn \(turn) from a copy of the model that is older than that"
        }
        return "\(writer(id)) wrote something else in turn \(turn)"
    }

    /// Whether an embedding that holds a copy drew the field as it is from there.
    private func drew(_ mount: Mount, _ field: FieldStore.Field) -> Bool {
        let bridge = bridges[mount.bridge]
        guard bridge.kind == .embed, !bridge.isObserved,
            let place = bridge.inputs.firstIndex(of: Int(field.key)),
            mount.drawn.indices.contains(place)
        else { return false }
        return haveSameBytes(mount.drawn[place], field.shown)
            && !haveSameBytes(mount.drawn[place], store.keys[Int(field.key)].model)
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
        if verdict == .leftover, let author = seam.authors?.ofShown[id], author.mount != 0,
            mounts[MountID(author.mount)] == nil, let bridge = bridge(of: MountID(author.mount))
        {
            return "mount \(author.mount) of \(scenario.bridges[bridge].id), which had written it in turn "
                + "\(field.writtenAt.turn), was unmounted and left it there"
        }
        let bearing = bearing(id)
        if bearing.isEmpty {
            let (screen, key) = names(of: id)
            let last =
                field.writtenAt == .never
                ? "nothing ever wrote it" : "\(writer(id)) last wrote it in turn \(field.writtenAt.turn)"
            return "no bridge carries \(key) to \(screen); \(last)"
        }
        return bearing.map { missedCall(of: $0, id, verdict) }.joined(separator: ", and ")
    }

    /// What became of the call that should have carried the value.
    private func missedCall(of position: BridgeID, _ id: FieldID, _ verdict: Verdict) -> String {
        let bridge = bridges[position]
        let name = scenario.bridges[position].id
        let changed = store.keys[Int(store.fields[id].key)].changedAt
        if bridge.mounts.isEmpty {
            let turn = seam.authors?.unmounted[position] ?? 0
            return turn == 0
                ? "\(name), which carries it, was never mounted"
                : "\(name), which carries it, has no mount since turn \(turn)"
        }
        let kept = verdict == .leftover ? "clear" : "write"
        let call =
            switch bridge.kind {
            case .embed: bridge.isObserved ? "draw of \(name)" : "an assignment of \(name)"
            case .wrap: "update of \(name)"
            case .custom: name
            }
        if let mount = bridge.mounts.last(where: { $0.lastCall > changed && !$0.isFailed }) {
            return "\(call) ran since, last in turn \(mount.lastCall.turn), and did not \(kept) it"
        }
        if let failed = bridge.mounts.first(where: { $0.isFailed }), let failure = failed.failure {
            return "mount \(failed.id) of \(name) failed in turn \(failure.turn) and gets no more calls: "
                + failure.text
        }
        let last = bridge.mounts.map(\.lastCall).max() ?? .never
        let since = last == .never ? "" : " since turn \(last.turn)"
        switch bridge.kind {
        case .custom:
            let field = store.fields[id]
            let last =
                field.writtenAt == .never
                ? "nothing ever wrote it" : "\(writer(id)) last wrote it in turn \(field.writtenAt.turn)"
            return
                "\(name), which the plug-in drives by itself, has not \(verdict == .leftover ? "cleared" : "written") "
                + "it since; \(last)"
        case .embed where !bridge.isObserved:
            return "no assignment of \(name) has \(last == .never ? "ever run" : "run\(since)")"
        case .wrap where bridge.ways.updates == .restart:
            return "\(name) applies it when its control is made, at the next restart (updates=restart)"
        case .wrap where bridge.ways.updates != .automatic:
            return "update of \(name), which bridge.update alone calls (updates=manual), "
                + (last == .never ? "has never run" : "has not run\(since)")
        case .embed, .wrap:
            return "\(call) \(last == .never ? "has never run" : "has not run\(since)")"
        }
    }
}
