// One browser's stream: a position in the ring, and while its snapshot is under way a place in the board.

import SeamWire

/// What an `EventSource` reads.
final class Stream {
    struct Request {
        var globs: [Glob] = []
        var wantsSnapshot = true
        /// How many of the events before the snapshot are told to whoever does not resume.
        var history = 0
        /// From `Last-Event-ID`, as it came.
        var lastID: String?
        var allowsControl = false
    }

    private enum Phase {
        /// Nothing was sent.
        case new
        /// The board is not complete.
        case waiting
        /// Events from before the snapshot; then that.
        case recalling
        /// Simulations, then fields, from these places on.
        case copying(simulation: Int, field: Int)
        case live
    }

    private let hub: Hub
    private let request: Request
    /// Asks for a call of `fill` when the socket takes more.
    private let askToWrite: () -> Void
    private var phase = Phase.new
    private var position: UInt64
    private var generation: Int
    private var isAsking = false
    private var owesBeat = false
    private var owesHistory: Bool
    private(set) var lastWrite = monotonicMilliseconds()
    /// Where the hub keeps it.
    var place = -1

    /// Rows that are looked at in one go: a filter may leave all of them out.
    private static let rowsPerTurn = 4096

    init(_ request: Request, of hub: Hub, askToWrite: @escaping () -> Void) {
        self.request = request
        self.hub = hub
        self.askToWrite = askToWrite
        owesHistory = request.history > 0
        position = hub.ring.next
        generation = hub.generation
        hub.add(self)
        wake()
    }

    func close() { hub.remove(self) }

    /// There may be something to send.
    func wake() {
        guard !isAsking else { return }
        isAsking = true
        askToWrite()
    }

    func beat() {
        owesBeat = true
        wake()
    }

    /// Events for the socket, up to about `limit` bytes.
    func fill(_ out: inout ByteBuffer, limit: Int) {
        isAsking = false
        let before = out.count
        let end = before + limit
        if case .new = phase { begin(&out) }
        if generation != hub.generation { startAnew(&out) }
        if case .waiting = phase, hub.isComplete {
            phase = owesHistory && hub.ring.count > 0 ? startRecall(&out) : startCopy()
        }
        if case .live = phase {
            sendEvents(&out, end: end)
        } else if case .recalling = phase {
            sendHistory(&out, end: end)
        } else if case .copying(let simulation, let field) = phase {
            sendSnapshot(&out, end: end, simulation, field)
        }
        if out.count > before {
            lastWrite = monotonicMilliseconds()
        } else if owesBeat {
            out.append(":\n\n")
            lastWrite = monotonicMilliseconds()
        }
        owesBeat = false
        if hasMore { wake() }
    }

    private var hasMore: Bool {
        switch phase {
        case .new, .recalling, .copying: true
        case .waiting: hub.isComplete
        case .live: position < hub.ring.next
        }
    }

    // MARK: beginnings

    private func begin(_ out: inout ByteBuffer) {
        out.append("retry: 1000\n\n")
        phase = .waiting
        guard let lastID = request.lastID else { return greet(&out) }
        guard hub.isComplete else {
            // Whether it can be resumed is not known before the daemon is.
            if hub.epoch.isEmpty { return greet(&out) }
            return gap("restarted", &out)
        }
        guard let (epoch, dseq) = Self.parsed(lastID), epoch == hub.epoch else {
            return gap("restarted", &out)
        }
        guard dseq <= hub.dseq, let found = hub.ring.position(behind: dseq) else {
            return gap("aged-out", missed: dseq <= hub.dseq ? hub.dseq - dseq : nil, &out)
        }
        position = found
        phase = .live
        out.append("event: resumed\ndata: {")
        out.member("missed", hub.ring.next - found)
        out.append("}\n\n")
        // Was it told before the stream broke off? Twice does no harm.
        if !hub.isLive { Hub.writeDaemon(hub.absence, epoch: hub.epoch, to: &out) }
    }

    private static func parsed(_ id: String) -> (epoch: Substring, dseq: UInt64)? {
        guard let dash = id.lastIndex(of: "-"), let dseq = UInt64(id[id.index(after: dash)...]) else {
            return nil
        }
        return (id[..<dash], dseq)
    }

    private func greet(_ out: inout ByteBuffer) {
        out.append("event: hello\ndata: {")
        out.member("daemonEpoch", hub.epoch)
        out.member("allowControl", request.allowsControl)
        out.member("version", seamVersion)
        out.member("connected", hub.isLive)
        out.append("}\n\n")
    }

    /// `missed` is how many events nobody will tell this reader any more.
    private func gap(_ reason: StaticString, missed: UInt64? = nil, _ out: inout ByteBuffer) {
        // What came before does not lead to what follows.
        owesHistory = false
        out.append("event: gap\ndata: {")
        out.member("reason", reason)
        if let missed { out.member("missed", missed) }
        out.append("}\n\n")
    }

    /// The board began anew under it.
    private func startAnew(_ out: inout ByteBuffer) {
        generation = hub.generation
        phase = .waiting
        switch hub.reset {
        case .first: Hub.writeDaemon("back", epoch: hub.epoch, to: &out)
        case .restarted:
            Hub.writeDaemon("restarted", epoch: hub.epoch, to: &out)
            gap("restarted", &out)
        case .agedOut:
            Hub.writeDaemon("back", epoch: hub.epoch, to: &out)
            gap("aged-out", &out)
        }
    }

    private func startRecall(_ out: inout ByteBuffer) -> Phase {
        owesHistory = false
        let count = min(request.history, hub.ring.count)
        position = hub.ring.next - UInt64(count)
        out.append("event: past\ndata: {")
        out.member("events", UInt64(count))
        out.append("}\n\n")
        return .recalling
    }

    private func startCopy() -> Phase {
        position = hub.ring.next
        return request.wantsSnapshot
            ? .copying(simulation: 0, field: 0)
            : .copying(simulation: hub.board.simulations.count, field: hub.board.fields.count)
    }

    // MARK: events

    private func wants(_ name: String) -> Bool {
        request.globs.isEmpty || request.globs.contains { $0.matches(name) }
    }

    /// Whether the ring has overtaken this reader, which then reads all of it anew.
    private func isOvertaken(_ out: inout ByteBuffer) -> Bool {
        guard position < hub.ring.first else { return false }
        gap("aged-out", missed: hub.ring.next - position, &out)
        phase = startCopy()
        return true
    }

    /// What was before the snapshot. No event has its id: nobody may resume from the past.
    private func sendHistory(_ out: inout ByteBuffer, end: Int) {
        if isOvertaken(&out) { return }
        while position < hub.ring.next, out.count < end {
            let event = hub.ring.event(at: position)
            if event.subject.map(wants) ?? true { out.append(event.withoutID) }
            position += 1
        }
        guard position == hub.ring.next else { return }
        out.append("event: present\ndata: {}\n\n")
        phase = startCopy()
    }

    private func sendEvents(_ out: inout ByteBuffer, end: Int) {
        if isOvertaken(&out) { return }
        while position < hub.ring.next, out.count < end {
            let event = hub.ring.event(at: position)
            if event.subject.map(wants) ?? true { out.append(event.text) }
            position += 1
        }
    }

    // MARK: the snapshot

    /// Rows as they are now, a few at a time. What changes meanwhile among those that were sent is sent again, so that
    /// with the last row everything that was sent is of one moment.
    private func sendSnapshot(_ out: inout ByteBuffer, end: Int, _ simulation: Int, _ field: Int) {
        if isOvertaken(&out) { return }
        while position < hub.ring.next, out.count < end {
            let event = hub.ring.event(at: position)
            position += 1
            if event.row < 0 {
                if event.subject.map(wants) ?? true { out.append(event.withoutID) }
            } else if event.row < field, hub.board.fields[Int(event.row)].isThere,
                wants(hub.board.fields[Int(event.row)].name)
            {
                hub.board.writeState(Int(event.row), to: &out)
            }
        }
        guard position == hub.ring.next else { return }

        var (simulation, field, left) = (simulation, field, Self.rowsPerTurn)
        while simulation < hub.board.simulations.count, out.count < end, left > 0 {
            hub.board.writeSimulation(simulation, to: &out)
            simulation += 1
            left -= 1
        }
        if simulation >= hub.board.simulations.count {
            while field < hub.board.fields.count, out.count < end, left > 0 {
                if hub.board.fields[field].isThere, wants(hub.board.fields[field].name) {
                    hub.board.writeState(field, to: &out)
                }
                field += 1
                left -= 1
            }
        }
        if simulation >= hub.board.simulations.count, field >= hub.board.fields.count {
            hub.writeID(hub.dseq, to: &out)
            out.append("event: sync\ndata: {")
            out.member("dseq", hub.dseq)
            out.append("}\n\n")
            // What was read is whole, and nobody knows whether it still holds.
            if !hub.isLive { Hub.writeDaemon(hub.absence, epoch: hub.epoch, to: &out) }
            phase = .live
        } else {
            phase = .copying(simulation: simulation, field: field)
        }
    }
}
