// Between the one subscription and the many streams: lines come in, become events of the ring and rows of the board,
// and every stream is told that there is something to read.

import SeamWire

/// What all streams read from.
final class Hub {
    let board = Board()
    let ring = EventRing()
    let metrics: Metrics

    /// Why there is nothing before what the ring has now.
    enum Reset { case first, restarted, agedOut }

    /// The daemon's epoch; empty until it was reached for the first time.
    private(set) var epoch = ""
    private(set) var daemonVersion = ""
    private(set) var daemonPID = 0
    /// Whether the connection stands and the snapshot is complete.
    private(set) var isLive = false
    /// The connection stands, and nothing comes over it, not even an answer.
    private(set) var isSilent = false
    /// Whether the board shows one moment of the daemon, be it a past one.
    private(set) var isComplete = false
    /// Everything up to here is in the board.
    private(set) var dseq: UInt64 = 0
    /// Changes whenever the board began anew.
    private(set) var generation = 0
    private(set) var reset = Reset.first
    private(set) var streams: [Stream] = []

    /// Asks the daemon which plug-in a scenario comes from.
    var askForPlugin: (String) -> Void = { _ in }

    /// After a lag: which simulations were named since. A snapshot that follows names all that there are, and those
    /// that it does not have gone among what was passed over.
    private var present: Set<String>?
    private var isNamingAll = false
    private var hasNews = false
    private var scratch = ByteBuffer()

    init(metrics: Metrics) {
        self.metrics = metrics
        board.spellEnded = { [metrics] in metrics.staleSpellEnded(milliseconds: $0) }
    }

    // MARK: streams

    func add(_ stream: Stream) {
        stream.place = streams.count
        streams.append(stream)
    }

    func remove(_ stream: Stream) {
        guard streams.indices.contains(stream.place), streams[stream.place] === stream else { return }
        let last = streams.removeLast()
        guard last !== stream else { return }
        last.place = stream.place
        streams[stream.place] = last
    }

    /// Called once a round: a burst costs each stream one visit.
    func spread() {
        guard hasNews else { return }
        hasNews = false
        for stream in streams { stream.wake() }
    }

    /// Has each stream that said nothing for a while say so, or its reader's end would never be noticed.
    func beat(silentSince moment: Int) {
        for stream in streams where stream.lastWrite <= moment { stream.beat() }
    }

    // MARK: the daemon

    /// It was reached; whether what the board shows can be gone on with.
    func met(epoch: String, version: String, pid: Int) -> (epoch: String, dseq: UInt64)? {
        daemonVersion = version
        daemonPID = pid
        if isComplete && epoch == self.epoch { return (epoch, dseq) }
        beginAnew(epoch: epoch)
        return nil
    }

    /// The history in between is gone, or it is another daemon: a snapshot comes.
    func beginAnew(epoch: String) {
        reset = self.epoch.isEmpty ? .first : epoch == self.epoch ? .agedOut : .restarted
        self.epoch = epoch
        generation += 1
        isComplete = false
        (present, isNamingAll) = (nil, false)
        dseq = 0
        board.removeAll()
        metrics.forgetPlugins()
        ring.removeAll(behind: 0)
        hasNews = true
    }

    /// The subscription goes on where it was.
    func resumed() {
        (isLive, isSilent) = (true, false)
        tell(state: "back", isResumed: true)
    }

    /// The connection is gone.
    func lost() {
        guard isLive || isSilent else { return }
        (isLive, isSilent) = (false, false)
        tell(state: "away")
    }

    /// The connection stands, and the daemon does not answer.
    func fellSilent() {
        guard isLive else { return }
        (isLive, isSilent) = (false, true)
        tell(state: "silent")
    }

    /// It answers again; whatever it has to say follows, and nothing is lost.
    func spoke() {
        guard isSilent else { return }
        resumed()
    }

    /// How streams are told that the daemon is not followed.
    var absence: StaticString { isSilent ? "silent" : "away" }

    private func tell(state: StaticString, isResumed: Bool = false) {
        scratch.removeAll()
        Hub.writeDaemon(state, epoch: epoch, isResumed: isResumed, to: &scratch)
        ring.append(scratch.bytes, idBytes: 0, dseq: dseq, row: -1, subject: nil)
        hasNews = true
    }

    static func writeDaemon(
        _ state: StaticString, epoch: String, isResumed: Bool = false, to out: inout ByteBuffer
    ) {
        out.append("event: daemon\ndata: {")
        out.member("state", state)
        out.member("epoch", epoch)
        if isResumed { out.member("resumed", true) }
        out.append("}\n\n")
    }

    /// Takes a line of the subscription in. False when the subscription is over.
    func take(_ event: DaemonEvent) -> Bool {
        let now = monotonicMilliseconds()
        switch event.kind {
        case .state:
            guard let row = board.take(event, at: now)?.row else { break }
            // After the snapshot it stands for changes that the daemon has passed over.
            if isComplete {
                enter(event, as: "state", row: row, subject: board.fields[Int(row)].name, hasID: false)
            }
        case .sync:
            advance(to: event.dseq)
            snapshotIsWhole(at: now)
        case .verdict:
            let wall = wallMilliseconds()
            guard let taken = board.take(event, at: now, wall: wall) else { break }
            metrics.changed(event)
            if isComplete {
                enter(
                    event, as: "verdict", row: taken.row, subject: board.fields[Int(taken.row)].name,
                    taken: taken, wall: wall)
            }
        case .diagnostic:
            metrics.found(event)
            if isComplete { enter(event, as: "diagnostic", subject: board.name(of: event)) }
        case .sim:
            let what = event.what?.unquoted
            if let id = event.sim?.unquoted {
                if what == "destroyed" { present?.remove(id) } else { present?.insert(id) }
            }
            if present != nil && what == "exists" { isNamingAll = true }
            let failed = board.failedCount
            guard board.takeSimulation(event, at: now) else { break }
            if let scenario = event.scenario?.unquoted {
                if metrics.met(scenario: scenario) { askForPlugin(scenario) }
                if isComplete, board.failedCount > failed { metrics.failed(scenario: scenario) }
            }
            if isComplete { enter(event, as: "sim", hasID: what != "exists") }
        case .lag:
            if isComplete && !isNamingAll { present = [] }
            metrics.lagged(event)
            enter(event, as: "lag", hasID: false)
        case .mark: advance(to: event.dseq)
        case .end: return false
        case nil: break
        }
        return true
    }

    private func snapshotIsWhole(at now: Int) {
        guard isComplete else {
            isComplete = true
            (isLive, isSilent) = (true, false)
            ring.removeAll(behind: dseq)
            hasNews = true
            return
        }
        guard let present else { return }
        self.present = nil
        isNamingAll = false
        board.removeAll(but: present, at: now) { line in
            line.append(",\"at\":")
            line.append(decimal: wallMilliseconds())
            line.append("}\n\n")
            ring.append(line.bytes, idBytes: 0, dseq: dseq, row: -1, subject: nil)
            hasNews = true
        }
    }

    private func advance(to dseq: UInt64?) {
        if let dseq, dseq > self.dseq { self.dseq = dseq }
    }

    private func enter(
        _ event: DaemonEvent, as name: StaticString, row: Int32 = -1, subject: String? = nil,
        hasID: Bool = true, taken: Board.Taken? = nil, wall: UInt64 = wallMilliseconds()
    ) {
        advance(to: event.dseq)
        scratch.removeAll()
        if hasID, let dseq = event.dseq { writeID(dseq, to: &scratch) }
        let idBytes = scratch.count
        scratch.append("event: ")
        scratch.append(name)
        scratch.append("\ndata: {")
        scratch.append(event.members)
        scratch.append(",\"at\":")
        scratch.append(decimal: wall)
        if let taken { writeBefore(taken) }
        scratch.append("}\n\n")
        ring.append(scratch.bytes, idBytes: idBytes, dseq: event.dseq ?? dseq, row: row, subject: subject)
        hasNews = true
    }

    /// What the change has replaced, so that whoever reads the line alone can take it back.
    private func writeBefore(_ taken: Board.Taken) {
        if taken.isNew { return scratch.append(",\"was\":null") }
        guard taken.model != nil || taken.shown != nil else { return }
        scratch.append(",\"was\":")
        var lead: StaticString = "{\""
        func write(_ name: StaticString, _ value: String?, _ size: String?) {
            guard let value else { return }
            scratch.append(lead)
            lead = ",\""
            scratch.append(name)
            scratch.append("\":")
            scratch.append(value)
            guard let size else { return }
            scratch.append(",\"")
            scratch.append(name)
            scratch.append("Bytes\":")
            scratch.append(size)
        }
        write("model", taken.model, taken.sizes.model)
        write("shown", taken.shown, taken.sizes.shown)
        scratch.append("}")
    }

    func writeID(_ dseq: UInt64, to out: inout ByteBuffer) {
        out.append("id: ")
        out.append(epoch)
        out.append("-")
        out.append(decimal: dseq)
        out.append("\n")
    }
}
