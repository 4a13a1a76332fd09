/// What is noted of the past while it happens: the trace, and who wrote each value last.
extension Simulation {
    /// Keeps a trace from now on, of so many bytes at the most.
    public func keepTrace(bytes: Int) { trace = Trace(limit: bytes) }

    public var keepsTrace: Bool { trace != nil }
    public var traceBytes: Int { trace?.bytes ?? 0 }

    /// The oldest turn of which records are kept. The first of them may be gone when some were dropped.
    public var oldestTracedTurn: UInt64 {
        trace.map { $0.oldestTurn ?? (droppedRecords > 0 ? turn + 1 : 1) } ?? turn + 1
    }
    /// Records that gave way to newer ones.
    public var droppedRecords: UInt64 { trace?.dropped ?? 0 }

    /// Gives up the older half of the trace; whether there was any.
    public func shedTrace() -> Bool { trace?.shed() ?? false }

    /// The records of these turns in their order, until `body` answers false.
    public func forEachRecord(from first: UInt64, to last: UInt64, _ body: (TraceRecord) -> Bool) {
        trace?.forEach(from: first, to: last) { body(record($0)) }
    }

    func record(_ packed: PackedRecord) -> TraceRecord {
        TraceRecord(
            turn: packed.turn, milliseconds: packed.milliseconds, round: packed.round, call: packed.call.word,
            bridge: bridge(of: packed.mount), mount: packed.mount == 0 ? nil : packed.mount,
            control: packed.control == 0 ? nil : packed.control,
            coordinator: packed.coordinator == 0 ? nil : packed.coordinator,
            cause: Cause(rawValue: packed.cause)?.word ?? Lateness(rawValue: packed.cause)?.word,
            origin: TraceOrigin(rawValue: packed.origin), wrote: packed.wrote, held: packed.held,
            set: packed.set.map { store.keys[$0].name }, assigned: packed.assigned,
            source: packed.source.map(source), omitted: packed.omitted, text: text(of: packed))
    }

    func source(_ author: Author) -> TraceRecord.Source {
        let mount = author.mount == 0 ? nil : MountID(author.mount)
        return .init(
            turn: author.turn,
            by: author.event >= 0 ? scenario.events[Int(author.event)].id : "\(author.call.word)",
            bridge: mount.flatMap { bridge(of: $0) }, mount: mount)
    }

    private func text(of packed: PackedRecord) -> String? {
        if packed.event < 0 { return packed.text }
        let event = scenario.events[packed.event].id
        return packed.text.map { "\(event): \($0)" } ?? event
    }

    // MARK: Recording

    var milliseconds: UInt64 { UInt64(clock.now / 1_000_000) }

    /// A request or whatever else began a turn, before it does anything.
    @inline(never)
    func noteArrival(_ event: Event) {
        switch event {
        case .modelWrite(let values):
            begin(values.allSatisfy { $0.value == nil } ? .modelClear : .modelSet)
            guard let trace else { return }
            for (name, _) in values { if let key = store.key(named: name) { trace.set(key) } }
        case .screenDeclare(let screen, let keys):
            begin(.screenDeclare)
            trace?.note(keys.map { "\(screen).\($0)" }.joined(separator: ", "))
        case .screenWrite(_, let values):
            // The fields follow one by one, since some of them begin with this write.
            begin(values.allSatisfy { $0.value == nil } ? .screenClear : .screenSet)
        case .assign(let bridge, let mount): begin(.assign, only(mount, of: bridge))
        case .update(let bridge, let mount, let cause):
            begin(.update, only(mount, of: bridge))
            if cause != .repeat { trace?.note("\(cause.word)") }
        case .build(let bridge, let mount): begin(.build, only(mount, of: bridge))
        case .assignBuilt(let bridge, let mount):
            begin(.assign, only(mount, of: bridge))
            trace?.note("what was built")
        case .activity(let bridge, let mount, let change):
            begin(.activity, only(mount, of: bridge))
            trace?.note(change.words)
        case .identify(let bridge, let mount, let id):
            begin(.identify, only(mount, of: bridge))
            trace?.note(id)
        case .rebind(let bridge, let mount, let owner):
            begin(.rebind, only(mount, of: bridge))
            trace?.note(owner)
        case .items(let bridge, let items):
            begin(.items)
            guard let trace else { return }
            let list = items.map { $0.value == nil ? $0.id : assignment($0.id, $0.value) }
            trace.note(
                "\(scenario.bridges[bridge].id): " + (list.isEmpty ? "none" : list.joined(separator: ", ")))
        case .dismiss(let bridge, let mount): begin(.dismiss, only(mount, of: bridge))
        case .environment(let values, let bridge, let mount):
            begin(.environment, bridge.map { only(mount, of: $0) } ?? 0)
            trace?.note(values.map { assignment($0.key, $0.value) }.joined(separator: ", "))
        case .unmount(let bridge, let mount): begin(.unmount, only(mount, of: bridge))
        case .mount: begin(.mount, UInt64(seam.bridgeOfMount.count + 1))
        case .tick: begin(.post, origin: .plugin)
        case .settle: begin(.settle, origin: .plugin)
        case .note(let code, _, _):
            // It comes from the daemon itself, which none of the origins is.
            trace?.begin(TraceCall(.note), mount: nil, round: 0, at: moment, milliseconds: milliseconds)
            trace?.note(code)
        case .send: break
        }
    }

    /// The same for a request that sets one key of the model, as most do.
    func noteArrival(setting key: FieldStore.KeyID, to value: String?) {
        begin(value == nil ? .modelClear : .modelSet)
        trace?.set(key)
    }

    func noteArrival(assigning mount: Mount) { begin(.assign, mount.id) }

    private func begin(_ call: TraceCall.Other, _ mount: MountID = 0, origin: TraceOrigin? = nil) {
        noteBeginning(call, mount, origin: origin)
        trace?.begin(
            TraceCall(call), mount: nil, number: mount, origin: origin ?? requester, round: 0, at: moment,
            milliseconds: milliseconds)
    }

    private func only(_ mount: MountID?, of bridge: BridgeID) -> MountID {
        mount ?? bridges[bridge].mounts.first?.id ?? 0
    }

    /// What is written in this turn by no body and for no earlier call is the work of what began it.
    func noteBeginning(_ call: TraceCall.Other, _ mount: MountID = 0, origin: TraceOrigin? = nil) {
        // Nobody asks for it elsewhere.
        guard seam.authors != nil else { return }
        var author = Author(milliseconds: milliseconds)
        author.turn = turn
        author.call = TraceCall(call)
        author.mount = UInt32(truncatingIfNeeded: mount)
        author.origin = (origin ?? requester).rawValue
        seam.beginning = author
    }

    /// A turn that the clock began.
    func traceClock(isEvent: Bool) {
        let (call, origin): (TraceCall.Other, TraceOrigin) =
            isEvent ? (.advance, requester) : (.clock, .clock)
        if keepsPast { begin(call, origin: origin) }
    }

    /// The turn in which everything goes.
    func traceDestroy() {
        if keepsPast { begin(.destroy) }
    }

    /// A body is about to run.
    func traceCall(_ call: OpenCall, _ mount: Mount?) {
        guard let trace else { return }
        let arrival = seam.arrival
        let isStart = call.kind == .event && arrival.event < 0
        trace.begin(
            isStart ? TraceCall(.start) : TraceCall(call.kind), mount: mount, number: arrival.mount,
            cause: call.cause?.rawValue ?? arrival.lateness?.rawValue ?? 0,
            origin: isStart ? requester : arrival.origin, event: arrival.event, from: source(of: call, mount),
            round: call.round, at: moment, milliseconds: milliseconds)
    }

    /// The call that asked for this one.
    private func source(of call: OpenCall, _ mount: Mount?) -> Author? {
        if let source = seam.arrival.source { return source }
        guard call.cause == .state || call.cause == .observed, let mount else { return nil }
        return mount.asked.take()
    }

    func traceFailure(_ text: String) { trace?.note(text) }

    // MARK: What the kernel does for a call that came before

    /// Something that a call has asked for is carried out, or is not: with what it is, and who asked.
    func traceLate(
        _ call: TraceCall.Other, of mount: MountID, _ why: Lateness, _ text: String?, by author: Author
    ) {
        guard let trace else { return }
        trace.begin(
            TraceCall(call), mount: mounts[mount], number: mount, cause: why.rawValue,
            origin: TraceOrigin(rawValue: author.origin), from: author, round: round, at: moment,
            milliseconds: milliseconds)
        if let text { trace.note(text) }
    }

    /// The kernel brings a value to the screen, or takes it away: for a mount, with no body of it under way.
    func show(
        _ value: String?, in field: FieldID, of mount: Mount, as call: TraceCall.Other, by earlier: Author?
    ) {
        touch(field)
        let isNew = store.setShown(
            field, value, at: tickMoment(),
            writer: value == nil ? 0 : UInt32(truncatingIfNeeded: mount.id))
        let own = TraceCall(call)
        if let authors = seam.authors {
            var author = earlier ?? Author(milliseconds: 0)
            author.milliseconds = milliseconds
            author.isIdle = !isNew
            if earlier == nil {
                author.call = own
                author.turn = turn
                author.mount = UInt32(truncatingIfNeeded: mount.id)
            } else {
                author.via = own.raw
            }
            authors.ofShown[field] = author
        }
        guard let trace else { return }
        if !trace.isOpen(own, of: mount.id, from: earlier, in: turn, round: round) {
            trace.begin(
                own, mount: mount, from: earlier, round: round, at: moment, milliseconds: milliseconds)
            if call == .hidden { trace.note(whyOffScreen(mount)) }
        }
        trace.wrote(field)
    }

    /// What keeps a mount off the screen, in words that follow its name: `has no window`.
    func whyOffScreen(_ mount: Mount) -> String {
        if mount.isParked { return "is parked" }
        if bridges[mount.bridge].ways.offscreen == .clear {
            if !mount.activity.hasWindow { return "has no window" }
            if mount.activity.isHidden { return "is hidden" }
            if !mount.activity.hasSize { return "has no size" }
        }
        if let parent = mounts[mount.parent] {
            return "lies in mount \(parent.id), which \(whyOffScreen(parent))"
        }
        return "is off the screen"
    }

    /// A mount goes into the pool with its control.
    func tracePooled(_ mount: Mount) {
        trace?.begin(
            TraceCall(.pooled), mount: mount, cause: Cause.removed.rawValue, round: round, at: moment,
            milliseconds: milliseconds)
    }

    /// A control is gone, and with it what it has shown; its mount too, unless another control takes the place.
    func traceUnmounted(_ mount: Mount, _ cause: Cause, cleared: [FieldID]) {
        guard let trace else { return }
        trace.begin(
            TraceCall(isReplaced(mount) ? .cleared : .unmounted), mount: mount, cause: cause.rawValue,
            round: round,
            at: moment, milliseconds: milliseconds)
        for field in cleared { trace.wrote(field) }
        trace.forget(mount)
    }

    /// Whether the place lives on when the control goes.
    private func isReplaced(_ mount: Mount) -> Bool { mounts[mount.id].map { !$0.isLeaving } ?? false }

    // MARK: Who wrote what

    /// What is being done now, as the author of what it writes.
    var author: Author {
        if let current {
            var author = Author(milliseconds: milliseconds)
            author.turn = turn
            let arrival = seam.arrival
            let isStart = current.kind == .event && arrival.event < 0
            author.call = isStart ? TraceCall(.start) : TraceCall(current.kind)
            author.event = arrival.event
            author.mount = UInt32(truncatingIfNeeded: current.mount ?? arrival.mount)
            author.origin = (isStart ? requester : arrival.origin)?.rawValue ?? 0
            author.lateness = arrival.lateness?.rawValue ?? 0
            return author
        }
        if phase == .dispatching {
            var author = Author(milliseconds: milliseconds)
            author.turn = turn
            author.call = TraceCall(.mainQueue)
            return author
        }
        var author = seam.beginning
        author.milliseconds = milliseconds
        return author
    }

    func noteModelChanged(_ key: FieldStore.KeyID) {
        seam.authors?.ofModel[key] = seam.earlierAuthor ?? author
    }

    /// A body wrote a field, or cleared it.
    func noteShown(_ field: FieldID, isNew: Bool) {
        if let authors = seam.authors {
            var author = author
            author.isIdle = !isNew
            authors.ofShown[field] = author
        }
        guard let trace else { return }
        openMainQueueRecord(of: trace)
        trace.wrote(field)
    }

    /// A body wrote into a control that is off the screen.
    func noteHeld(_ field: FieldID) { trace?.wrote(field, isHeld: true) }

    /// A body set, cleared or bound a key of the model.
    func noteSet(_ key: FieldStore.KeyID) {
        if recordsCalls, current != nil { seam.set.append(store.keys[key].name) }
        noteStep(key)
        guard let trace else { return }
        openMainQueueRecord(of: trace)
        trace.set(key)
    }

    /// A body assigned a root view.
    func noteAssigned(_ mount: Mount) {
        guard let trace else { return }
        openMainQueueRecord(of: trace)
        trace.assigned(mount.id)
    }

    /// What is written while the main queue drains belongs to no body.
    private func openMainQueueRecord(of trace: Trace) {
        let call = TraceCall(.mainQueue)
        guard current == nil, phase == .dispatching, !trace.isOpen(call, in: turn, round: round) else {
            return
        }
        trace.begin(call, mount: nil, round: round, at: moment, milliseconds: milliseconds)
    }

    /// What a control that is gone has shown is cleared by the kernel.
    func noteCleared(_ field: FieldID, of mount: Mount) {
        guard let authors = seam.authors else { return }
        var author = Author(milliseconds: milliseconds)
        author.turn = turn
        author.call = TraceCall(isReplaced(mount) ? .cleared : .unmounted)
        author.mount = UInt32(truncatingIfNeeded: mount.id)
        authors.ofShown[field] = author
    }

    /// A late value comes to the model: who asked for it, then, and that it is now.
    func late(_ author: Author, as call: TraceCall.Other) -> Author {
        var author = author
        author.via = TraceCall(call).raw
        author.milliseconds = milliseconds
        return author
    }

    // MARK: Words

    /// `locale=de`; a value that is none is `-`.
    func assignment(_ name: String, _ value: String?) -> String {
        "\(name)=" + (value.map(excerpt) ?? "-")
    }

    /// A value as it stands in a sentence: the beginning of a long one.
    func excerpt(_ value: String) -> String {
        let excerpt =
            value.utf8.count <= Self.longestExcerpt ? value : "\(value.prefix(Self.longestExcerpt / 2))…"
        let isPlain = !value.isEmpty && value != "-" && !value.contains { ",=\"".contains($0) }
        return isPlain ? excerpt : "\"\(excerpt)\""
    }

    private static let longestExcerpt = 64

    /// What a creator has said of profile and policies; nil for nothing.
    static func words(for settings: Settings) -> String? {
        var words = settings.policies.map { "\($0.name)=\($0.value)" }
        if settings.profile != "lesson" { words.insert("profile=\(settings.profile)", at: 0) }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    // MARK: The clock of a live simulation

    /// The clock moved: from the next turn on. Kept so that a turn's time can be told without one for each value.
    func markClock() {
        let mark = ClockMark(turn: turn + 1, milliseconds: milliseconds)
        if let last = clockMarks.last {
            if last.milliseconds == mark.milliseconds { return }
            if last.turn == mark.turn { clockMarks.removeLast() }
        } else if mark.milliseconds == 0 {
            return
        }
        if clockMarks.count == Self.clockMarkLimit {
            clockMarks.removeFirst(Self.clockMarkLimit / 2)
            hasForgottenClock = true
        }
        clockMarks.append(mark)
    }

    private static let clockMarkLimit = 4096

    /// The simulation's time at a turn; nil when that is forgotten.
    func milliseconds(atTurn turn: UInt64) -> UInt64? {
        var (low, high) = (0, clockMarks.count)
        while low < high {
            let middle = (low + high) / 2
            if clockMarks[middle].turn <= turn { low = middle + 1 } else { high = middle }
        }
        if low > 0 { return clockMarks[low - 1].milliseconds }
        return hasForgottenClock ? nil : 0
    }
}

/// Since which turn the clock shows a time.
struct ClockMark {
    var turn: UInt64
    var milliseconds: UInt64
}

/// Which event is being handed to its body, and where it came from; taken up by the call that it makes.
struct Arrival {
    var event: Int32 = -1
    var origin: TraceOrigin?
    /// Why it comes only now, and for which mount, also for one that is gone.
    var lateness: Lateness?
    /// The call that asked for it.
    var source: Author?
    var mount: MountID = 0
}

/// Who wrote a value, and when in the simulation's time.
struct Author {
    var call = TraceCall(.modelSet)
    var origin: UInt8 = 0
    var lateness: UInt8 = 0
    /// What brought it to where it is, when that was later than the call itself: a `TraceCall`, 0 for nothing.
    var via: UInt8 = 0
    /// The write changed nothing.
    var isIdle = false
    /// How the value has come to the control that holds it now, when it is not the one that it was written into.
    var way = Way.own
    var event: Int32 = -1
    /// 0 for none.
    var mount: UInt32 = 0
    /// When it came to where it is.
    var milliseconds: UInt64
    /// The turn of the call.
    var turn: UInt64 = 0
    /// Of a value that a control holds, or that is shown again: with the turn the moment of its write.
    var step: UInt64 = 0

    enum Way: UInt8 {
        case own
        /// Saved with its control, and restored into a new one (R58).
        case restored
        /// The control has come from a pool, to another mount (R49).
        case pooled
    }

    /// Whether both are of a call that reads the same.
    static func isSame(_ one: Author?, _ other: Author?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.turn == other.turn && one.call == other.call && one.event == other.event
            && one.mount == other.mount
    }
}

/// Who last changed each model value and who last wrote each field: kept for scenarios, whose names are declared once.
/// In a live simulation that is always the client.
final class Authors {
    var ofModel: [Author]
    var ofShown: [Author]
    /// The turn in which a mount of each bridge was last unmounted; 0 is never.
    var unmounted: [UInt64]
    /// What the creator has said of profile and policies.
    var settings: String?

    init(keys: Int, fields: Int, bridges: Int) {
        ofModel = Array(repeating: Author(milliseconds: 0), count: keys)
        ofShown = Array(repeating: Author(milliseconds: 0), count: fields)
        unmounted = Array(repeating: 0, count: bridges)
    }

    var bytes: Int {
        (ofModel.count + ofShown.count) * MemoryLayout<Author>.stride + unmounted.count * 8 + 128
            + heapBytes(settings)
    }
}

extension ActivityChange {
    /// What of it is said: `window=false, parked=true`.
    var words: String {
        var words: [String] = []
        for (name, flag) in [("window", window), ("hidden", hidden), ("size", size), ("parked", parked)] {
            if let flag { words.append("\(name)=\(flag)") }
        }
        if let scene { words.insert("scene=\(scene.rawValue)", at: window == nil ? 0 : 1) }
        return words.joined(separator: ", ")
    }
}
