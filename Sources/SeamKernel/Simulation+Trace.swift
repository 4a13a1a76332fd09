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
            cause: Cause(rawValue: packed.cause)?.word, origin: TraceOrigin(rawValue: packed.origin),
            wrote: packed.wrote, set: packed.set.map { store.keys[$0].name },
            omitted: packed.omitted,
            text: text(of: packed))
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
    func traceArrival(_ event: Event) {
        guard let trace else { return }
        func begin(_ call: TraceCall.Other, mount: MountID = 0, origin: TraceOrigin? = nil) {
            trace.begin(
                TraceCall(call), mount: nil, number: mount, origin: origin ?? requester, round: 0, at: moment,
                milliseconds: milliseconds)
        }
        func only(_ mount: MountID?, of bridge: BridgeID) -> MountID {
            mount ?? bridges[bridge].mounts.first?.id ?? 0
        }
        switch event {
        case .modelWrite(let values):
            begin(values.allSatisfy { $0.value == nil } ? .modelClear : .modelSet)
            for (name, _) in values { if let key = store.key(named: name) { trace.set(key) } }
        case .screenDeclare(let screen, let keys):
            begin(.screenDeclare)
            trace.note(keys.map { "\(screen).\($0)" }.joined(separator: ", "))
        case .screenWrite(_, let values):
            // The fields follow one by one, since some of them begin with this write.
            begin(values.allSatisfy { $0.value == nil } ? .screenClear : .screenSet)
        case .assign(let bridge, let mount): begin(.assign, mount: only(mount, of: bridge))
        case .update(let bridge, let mount, _): begin(.update, mount: only(mount, of: bridge))
        case .build(let bridge, let mount): begin(.build, mount: only(mount, of: bridge))
        case .assignBuilt(let bridge, let mount): begin(.assign, mount: only(mount, of: bridge))
        case .activity(let bridge, let mount, _): begin(.activity, mount: only(mount, of: bridge))
        case .identify(let bridge, let mount, let id):
            begin(.identify, mount: only(mount, of: bridge))
            trace.note(id)
        case .rebind(let bridge, let mount, let owner):
            begin(.rebind, mount: only(mount, of: bridge))
            trace.note(owner)
        case .items(_, let items):
            begin(.items)
            trace.note(items.map(\.id).joined(separator: ", "))
        case .dismiss(let bridge, let mount): begin(.dismiss, mount: only(mount, of: bridge))
        case .environment(let values, let bridge, let mount):
            begin(.environment, mount: bridge.map { only(mount, of: $0) } ?? 0)
            trace.note(values.map(\.key).joined(separator: ", "))
        case .unmount(let bridge, let mount): begin(.unmount, mount: only(mount, of: bridge))
        case .mount: begin(.mount, mount: UInt64(seam.bridgeOfMount.count + 1))
        case .tick: begin(.post, origin: .plugin)
        case .settle: begin(.settle, origin: .plugin)
        case .note(let code, _, _):
            // It comes from the daemon itself, which none of the origins is.
            trace.begin(
                TraceCall(.note), mount: nil, round: 0, at: moment, milliseconds: milliseconds)
            trace.note(code)
        case .send: break
        }
    }

    /// A turn that the clock began.
    func traceClock(isEvent: Bool) {
        trace?.begin(
            TraceCall(isEvent ? .advance : .clock), mount: nil, origin: isEvent ? requester : .clock,
            round: 0,
            at: moment, milliseconds: milliseconds)
    }

    /// A body is about to run.
    func traceCall(_ call: OpenCall, _ mount: Mount?) {
        guard let trace else { return }
        let isStart = call.kind == .event && seam.arrival.event < 0
        trace.begin(
            isStart ? TraceCall(.start) : TraceCall(call.kind), mount: mount, cause: call.cause,
            origin: isStart ? requester : seam.arrival.origin, event: seam.arrival.event, round: call.round,
            at: moment, milliseconds: milliseconds)
    }

    func traceFailure(_ text: String) { trace?.note(text) }

    /// A mount is dismantled: which fields were cleared with it.
    func traceUnmounted(_ mount: Mount, cleared: [FieldID]) {
        seam.authors?.unmounted[mount.bridge] = turn
        guard let trace else { return }
        trace.begin(
            TraceCall(.unmounted), mount: mount, cause: .removed, round: round, at: moment,
            milliseconds: milliseconds)
        for field in cleared { trace.wrote(field) }
        trace.forget(mount)
    }

    // MARK: Who wrote what

    /// What is being done now, as the author of what it writes.
    var author: Author {
        var author = Author(milliseconds: milliseconds)
        if let current {
            let isStart = current.kind == .event && seam.arrival.event < 0
            author.call = isStart ? TraceCall(.start) : TraceCall(current.kind)
            author.event = seam.arrival.event
            author.mount = UInt32(truncatingIfNeeded: current.mount ?? 0)
        } else if phase == .dispatching {
            author.call = TraceCall(.mainQueue)
        } else {
            author.isScript = requester == .script
        }
        return author
    }

    func noteModelChanged(_ key: FieldStore.KeyID) {
        seam.authors?.ofModel[key] = seam.earlierAuthor ?? author
    }

    /// A body wrote a field, or cleared it.
    func noteShown(_ field: FieldID) {
        seam.authors?.ofShown[field] = author
        guard let trace else { return }
        openMainQueueRecord(of: trace)
        trace.wrote(field)
    }

    /// A body set, cleared or bound a key of the model.
    func noteSet(_ key: FieldStore.KeyID) {
        guard let trace else { return }
        openMainQueueRecord(of: trace)
        trace.set(key)
    }

    /// What is written while the main queue drains belongs to no body.
    private func openMainQueueRecord(of trace: Trace) {
        let call = TraceCall(.mainQueue)
        guard current == nil, phase == .dispatching, !trace.isOpen(call, in: turn, round: round) else {
            return
        }
        trace.begin(call, mount: nil, round: round, at: moment, milliseconds: milliseconds)
    }

    /// What an unmounted mount left behind is cleared by the kernel.
    func noteCleared(_ field: FieldID, of mount: Mount) {
        guard let authors = seam.authors else { return }
        var author = Author(milliseconds: milliseconds)
        author.call = TraceCall(.unmounted)
        author.mount = UInt32(truncatingIfNeeded: mount.id)
        authors.ofShown[field] = author
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
}

/// Who wrote a value, and when in the simulation's time.
struct Author {
    var call = TraceCall(.modelSet)
    var isScript = false
    var event: Int32 = -1
    /// 0 for none.
    var mount: UInt32 = 0
    var milliseconds: UInt64
}

/// Who last changed each model value and who last wrote each field: kept for scenarios, whose names are declared once.
/// In a live simulation that is always the client.
final class Authors {
    var ofModel: [Author]
    var ofShown: [Author]
    /// The turn in which a mount of each bridge was last unmounted; 0 is never.
    var unmounted: [UInt64]

    init(keys: Int, fields: Int, bridges: Int) {
        ofModel = Array(repeating: Author(milliseconds: 0), count: keys)
        ofShown = Array(repeating: Author(milliseconds: 0), count: fields)
        unmounted = Array(repeating: 0, count: bridges)
    }

    var bytes: Int {
        (ofModel.count + ofShown.count) * MemoryLayout<Author>.stride + unmounted.count * 8 + 128
    }
}
