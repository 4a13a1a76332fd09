import SeamKernel
import SeamWire

/// A standing wish for changes: a cursor into a ring, and what has to be said before it can go on.
///
/// `fill` is the only place where event lines come from. It writes as long as the connection has room, and
/// goes on where it stopped the next time.
final class Subscription {
    let number: UInt64
    let stream: Stream
    /// What it watches; nil is the daemon.
    let hosted: HostedSimulation?
    let filter: Filter
    let mode: SubOpen.Mode
    unowned let connection: Connection

    /// The state that is still being sent.
    private(set) var snapshot: Snapshot?
    /// Position of the next entry to look at; the head while `isBehind` is off.
    private var cursor: UInt64
    /// There is something to send.
    private(set) var isBehind = false
    /// Where it stands in its stream's list.
    var place = 0
    /// In its stream's list of those that are behind.
    var isListedBehind = false
    private var passedOver: PassedOver?
    private var end: EndReason?
    private var owesSync: Bool
    /// When its last line was written, in the loop's milliseconds.
    private(set) var lastLine: UInt64
    /// The oldest entry of the ring when it was opened.
    private let oldest: UInt64
    /// Opened by a batch that has not been answered yet: its lines follow the answer.
    var isHeldBack = false

    /// Entries that a reader in `latest` may be behind before it gets the newest of each field instead.
    static let longestWayBehind: UInt64 = 4096
    /// Bytes of state lines in one round of the loop.
    static let stateBytesPerRound = 64 << 10

    /// - Parameter cursor: the position of the first change to be sent.
    init(
        _ number: UInt64, of hosted: HostedSimulation?, stream: Stream, on connection: Connection,
        filter: Filter,
        mode: SubOpen.Mode, snapshot: Snapshot?, cursor: UInt64, now: UInt64
    ) {
        self.number = number
        self.hosted = hosted
        self.stream = stream
        self.connection = connection
        self.filter = filter
        self.mode = mode
        self.snapshot = snapshot
        self.cursor = cursor
        owesSync = true
        lastLine = now
        oldest = stream.ring.first
    }

    /// The number up to which everything wanted was sent.
    var position: UInt64 { isBehind ? cursor - 1 : stream.ring.last }

    /// Everything up to `position` was sent, and all that comes before it.
    func hasPassed(_ position: UInt64) -> Bool {
        !isBehind || (cursor > position && snapshot == nil && passedOver == nil)
    }

    /// Nothing of it is sent any more.
    func isGone() {
        isBehind = false
        snapshot = nil
        passedOver = nil
        // Asked about the fields of a simulation that is gone, it was noted there once more.
        if let hosted, hosted.isDestroyed { hosted.forgetInterest() }
    }

    // MARK: News

    /// Something wanted stands at `position` or later, and nothing that is wanted between the cursor and
    /// there.
    func hasNews(at position: UInt64) {
        if isBehind { return }
        // The cursor may have passed it already: a flush between the news and this call sends what is in the
        // ring.
        let next = max(cursor, position)
        guard next < stream.ring.next else { return }
        cursor = next
        becomeBehind()
    }

    /// The first lines are due.
    func begin() {
        becomeBehind()
    }

    /// No more changes after those in the ring; then the reason is told, and the subscription is over.
    func finish(_ reason: EndReason) {
        guard end == nil else { return }
        end = reason
        if !isBehind {
            cursor = stream.ring.next
            becomeBehind()
        }
    }

    private func becomeBehind() {
        guard !isBehind else { return }
        isBehind = true
        stream.isBehind(self)
        connection.isDue(self)
    }

    /// Keeps a reader in `latest` that is not read by its client from losing track: what the ring is about to
    /// forget is noted, an entry for each field.
    func keepUp() {
        guard isBehind, mode == .latest else { return }
        let ring = stream.ring
        if cursor < ring.first {
            startAnew()
            return
        }
        let way = ring.next - cursor
        let isForgetting = ring.first > oldest || ring.isNearlyFull
        let isLosing = isForgetting && cursor - ring.first < (ring.next - ring.first) / 4
        // A snapshot goes on as long as the ring still knows what came after it.
        if isLosing || (snapshot == nil && way > Self.longestWayBehind) { passOver() }
    }

    // MARK: Lines

    /// Writes what is due until `out` holds `limit` bytes, and at most `stateBytes` of state lines.
    func fill(_ out: inout ByteBuffer, limit: Int, stateBytes: inout Int) {
        let before = out.count
        defer { if out.count > before { lastLine = connection.loop.milliseconds } }
        keepUp()
        guard isBehind else { return }
        if cursor < stream.ring.first {
            endSlow(&out)
            return
        }
        guard sendPassedOver(&out, limit: limit) else { return }
        guard sendState(&out, limit: limit, stateBytes: &stateBytes) else { return }
        if owesSync {
            sendSync(&out)
            owesSync = false
        }
        guard sendEntries(&out, limit: limit) else { return }
        isBehind = false
        if let end { sendEnd(end, to: &out) }
    }

    /// "Everything up to here was sent", when nothing else was for a while. Asked while it is not behind.
    func mark(_ out: inout ByteBuffer) {
        lastLine = connection.loop.milliseconds
        guard let hosted else {
            out.eventHead(sub: number, dseq: stream.ring.last)
            out.daemonMarkTail()
            return
        }
        out.eventHead(sub: number)
        out.markTail(sim: hosted.id, seq: stream.ring.last)
    }

    /// The line that answers `sub.close`: what was not sent is not sent any more.
    func close(_ out: inout ByteBuffer) {
        sendEnd(.closed, to: &out)
    }

    private func sendEntries(_ out: inout ByteBuffer, limit: Int) -> Bool {
        let ring = stream.ring
        let isOpen = filter.isOpen
        while cursor < ring.next {
            if out.count >= limit { return false }
            if isOpen {
                appendLine(at: cursor, to: &out)
            } else {
                guard let isWanted = wants(ring.entry(at: cursor)) else { return false }
                if isWanted { appendLine(at: cursor, to: &out) }
            }
            cursor += 1
        }
        return true
    }

    private func appendLine(at position: UInt64, to out: inout ByteBuffer) {
        let limits = connection.limits
        let keeps = !stream.hasLoneReader
        if let hosted {
            out.eventHead(sub: number)
            stream.ring.append(lineOf: position, to: &out, keeps: keeps) { entry, out in
                out.tail(of: entry, in: hosted, limits: limits)
            }
        } else {
            out.eventHead(sub: number, dseq: position)
            stream.ring.append(lineOf: position, to: &out, keeps: keeps) { entry, out in
                // An entry of the daemon's ring knows its simulation.
                out.tail(of: entry, in: entry.pointee.source!, limits: limits)
            }
        }
    }

    /// Nil when that is not known yet, and this round has no time left to find out.
    private func wants(_ entry: UnsafePointer<RingEntry>) -> Bool? {
        let field = Int(entry.pointee.field)
        if field < 0 { return true }
        if filter.onlyVerdicts && entry.pointee.keepsVerdict { return false }
        if filter.globs.isEmpty { return true }
        guard let owner = hosted ?? entry.pointee.source else { return true }
        return wants(field, of: owner)
    }

    private func wants(_ field: Int, of owner: HostedSimulation) -> Bool? {
        owner.interested(in: field, on: stream, within: &connection.daemon.filterSteps)?.containsSorted(self)
    }

    private func sendState(_ out: inout ByteBuffer, limit: Int, stateBytes: inout Int) -> Bool {
        guard let snapshot else { return true }
        while true {
            if out.count >= limit || stateBytes <= 0 { return false }
            guard let item = snapshot.next() else { break }
            let before = out.count
            var steps = 0
            switch item {
            case .simulation(let hosted, let hasFailed):
                out.eventHead(sub: number, dseq: cursor - 1)
                out.simTail(
                    existing: hosted.id, scenario: hosted.simulation.scenario.id, epoch: hosted.epoch,
                    hasFailed: hasFailed)
            case .field(let state):
                let isWanted = filter.wants(state.view, of: state.hosted, counting: &steps)
                if isWanted { appendState(state, to: &out) }
            }
            // Looking takes time as well as writing.
            stateBytes -= max(out.count - before, steps * Self.stateBytesPerRound / Filter.stepsPerRound, 1)
        }
        self.snapshot = nil
        stream.stopCopying(self)
        return true
    }

    private func appendState(_ state: Snapshot.State, to out: inout ByteBuffer) {
        out.eventHead(sub: number, dseq: hosted == nil ? cursor - 1 : nil)
        out.stateTail(
            sim: state.hosted.id, seq: state.seq, screen: state.view.screen, field: state.view.key,
            verdict: state.view.verdict.word, model: state.view.model, shown: state.view.shown,
            limits: connection.limits)
    }

    private func sendSync(_ out: inout ByteBuffer) {
        if let hosted {
            out.eventHead(sub: number)
            out.syncTail(sim: hosted.id, seq: cursor - 1)
        } else {
            out.eventHead(sub: number, dseq: cursor - 1)
            out.daemonSyncTail()
        }
    }

    private func sendLag(_ what: Lag, from: UInt64, to: UInt64, _ out: inout ByteBuffer) {
        out.eventHead(sub: number)
        if let hosted {
            out.lagTail(sim: hosted.id, fromSeq: from, toSeq: to, what)
        } else {
            out.daemonLagTail(fromDseq: from, toDseq: to, what)
        }
    }

    private func sendEnd(_ reason: EndReason, to out: inout ByteBuffer) {
        let last = position
        let resumes = reason == .slow
        if let hosted {
            out.eventHead(sub: number)
            out.endTail(
                sim: hosted.id, reason: reason, seq: last, resume: resumes ? (hosted.epoch, last) : nil)
        } else {
            out.eventHead(sub: number, dseq: last)
            out.daemonEndTail(reason: reason, resume: resumes ? (connection.daemon.epoch, last) : nil)
        }
        connection.drop(self)
    }

    // MARK: Falling behind

    /// `all`: what was lost is counted, and the client is told where to go on.
    private func endSlow(_ out: inout ByteBuffer) {
        let first = stream.ring.first
        sendLag(.lost(first - cursor), from: cursor, to: first - 1, &out)
        cursor = first
        connection.daemon.statistics.slowEnds += 1
        sendEnd(.slow, to: &out)
    }

    /// `latest`: notes the newest entry of each field up to the head, and goes on from there.
    private func passOver() {
        let ring = stream.ring
        var passed = passedOver ?? PassedOver(from: cursor)
        while cursor < ring.next {
            let entry = ring.entry(at: cursor)
            if let isWanted = wants(entry) {
                if isWanted { pass(entry.pointee, count: 1, into: &passed) }
            } else if let owner = hosted ?? entry.pointee.source {
                passed.noteUnsure(entry.pointee, of: owner)
                pass(entry.pointee, count: 0, into: &passed)
            }
            cursor += 1
        }
        passed.to = ring.last
        passedOver = passed
        snapshot?.moveToNow()
    }

    /// `count` is 0 as long as it is not known whether the entry is wanted.
    private func pass(_ entry: borrowing RingEntry, count: UInt64, into passed: inout PassedOver) {
        switch entry.kind {
        case .finding: passed.lost += count
        case .change, .created, .destroyed, .failed:
            // Which simulation an entry is of is known to it or to the subscription.
            guard let owner = hosted ?? entry.source else { return }
            passed.collapsed += count
            // What the snapshot still owes comes from there, as it is then.
            if let snapshot, entry.field >= 0, snapshot.owes(Int(entry.field), of: owner) { return }
            passed.newest[FieldKey(owner, entry.field)] = PassedOver.Place(
                position: cursor, seq: entry.seq, hosted: owner, field: entry.field)
        }
    }

    /// The ring forgot entries before they could be noted: everything is sent once more, as it is now.
    private func startAnew() {
        let ring = stream.ring
        var passed = PassedOver(from: passedOver?.from ?? cursor)
        passed.collapsed = ring.next - passed.from
        passed.to = ring.last
        passedOver = passed
        cursor = ring.next
        let anew = connection.daemon.snapshot(of: hosted)
        if snapshot == nil { stream.startCopying(self) }
        snapshot = anew
        owesSync = true
    }

    /// One `lag` for what was passed over, then the newest line of each field, in the order of their numbers.
    private func sendPassedOver(_ out: inout ByteBuffer, limit: Int) -> Bool {
        guard passedOver != nil else { return true }
        // Taken out while it is worked on: it is written to here and nowhere else.
        var passed = passedOver!
        passedOver = nil
        if out.count >= limit || !askUnsure(&passed) {
            passedOver = passed
            return false
        }
        if passed.collapsed > 0 {
            sendLag(.collapsed(passed.collapsed), from: passed.from, to: passed.to, &out)
        }
        if passed.lost > 0 { sendLag(.lost(passed.lost), from: passed.from, to: passed.to, &out) }
        passed.isTold()
        while let place = passed.next() {
            if out.count >= limit {
                passed.putBack(place)
                passedOver = passed
                return false
            }
            if place.position >= stream.ring.first {
                appendLine(at: place.position, to: &out)
            } else {
                appendForgotten(place, to: &out)
            }
        }
        return true
    }

    /// Finds out which of the fields that were passed over are wanted. False when that goes on in the next round.
    private func askUnsure(_ passed: inout PassedOver) -> Bool {
        for (key, unsure) in passed.unsure {
            guard let isWanted = wants(Int(unsure.field), of: unsure.hosted) else { return false }
            passed.unsure[key] = nil
            if isWanted {
                passed.collapsed += unsure.changes
                passed.lost += unsure.findings
            } else {
                passed.newest[key] = nil
            }
        }
        return true
    }

    /// A newest entry that the ring has forgotten meanwhile: nothing came after it, so the field is as it was
    /// then.
    private func appendForgotten(_ place: PassedOver.Place, to out: inout ByteBuffer) {
        out.eventHead(sub: number, dseq: hosted == nil ? place.position : nil)
        if place.field < 0 {
            let what: SimChange =
                place.hosted.isDestroyed ? .destroyed : place.hosted.failure == nil ? .created : .failed
            out.simTail(place.hosted, what)
        } else {
            let view = place.hosted.simulation.field(Int(place.field))
            out.stateTail(
                sim: place.hosted.id, seq: place.seq, screen: view.screen, field: view.key,
                verdict: view.verdict.word,
                model: view.model, shown: view.shown, limits: connection.limits)
        }
    }
}

/// What a reader in `latest` was too slow for: the newest entry of each field, waiting for room.
private struct PassedOver {
    struct Place {
        let position: UInt64
        let seq: UInt64
        let hosted: HostedSimulation
        let field: Int32
    }

    struct Unsure {
        let hosted: HostedSimulation
        let field: Int32
        var changes: UInt64 = 0
        var findings: UInt64 = 0
    }

    var from: UInt64
    var to: UInt64 = 0
    var collapsed: UInt64 = 0
    var lost: UInt64 = 0
    var newest: [FieldKey: Place] = [:]
    /// Fields in `newest`, or with findings, of which it is not known yet whether they are wanted, and what of them is
    /// not counted yet.
    var unsure: [FieldKey: Unsure] = [:]
    /// `newest` in order, the next to be sent last.
    private var queue: [Place] = []

    init(from: UInt64) {
        self.from = from
    }

    mutating func noteUnsure(_ entry: borrowing RingEntry, of hosted: HostedSimulation) {
        let key = FieldKey(hosted, entry.field)
        var known = unsure[key] ?? Unsure(hosted: hosted, field: entry.field)
        if entry.kind == .finding { known.findings += 1 } else { known.changes += 1 }
        unsure[key] = known
    }

    /// The `lag` was sent: what is passed over from now on is told by another.
    mutating func isTold() {
        from = to + 1
        collapsed = 0
        lost = 0
    }

    mutating func next() -> Place? {
        if !newest.isEmpty {
            // More was passed over since the queue was made: a field in both goes out once, as its newest.
            for place in queue {
                let key = FieldKey(place.hosted, place.field)
                if newest[key] == nil { newest[key] = place }
            }
            queue = newest.values.sorted { $0.position > $1.position }
            newest.removeAll()
        }
        return queue.popLast()
    }

    mutating func putBack(_ place: Place) {
        queue.append(place)
    }
}

extension [Subscription] {
    /// Whether the subscription is among these, which stand in the order of their numbers.
    func containsSorted(_ subscription: Subscription) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < subscription.number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] === subscription
    }
}
