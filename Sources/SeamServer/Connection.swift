// One client. Bytes come in here (stop 1 of an event's path), lines are split off (stop 2), and everything
// for the client goes out in one write a round (stop 7).
//
// For each `!` in here: libuv hands a callback the handle or request that was started, and its `data` is what we put
// there; a buffer that is not empty has an address.

import CLibuv
import SeamWire

/// One client's socket: its lines in, its replies and event lines out, its subscriptions.
final class Connection {
    let daemon: Daemon
    /// The longest reply the client takes; `seam.hello` may raise it.
    var replyLimit: Int
    /// What the client calls itself.
    var clientName: String?
    private(set) var subscriptions: [Subscription] = []
    /// Some simulations end with it.
    var ownsSimulations = false

    private let pipe: UnsafeMutablePointer<uv_pipe_t>
    private let writeRequest = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    private var input: InputBuffer
    /// What is left of it when the round has no more time.
    private var ahead = ReadAhead()
    private var out = ByteBuffer()
    /// What libuv is writing; its memory must not move meanwhile.
    private var sending = ByteBuffer()
    private var isWriting = false
    /// Subscriptions with something to send.
    private var due: [Subscription] = []
    /// A reply that stands behind event lines for which there was no room. No request is taken before it is
    /// out.
    private var held: Held?
    /// A batch whose elements were more than one round has time for. No request is taken before all are performed.
    private var batch: Batch?

    /// Requests whose answers come in a later round. No other is taken before they have come.
    private var awaited = 0

    private(set) var isOpen = true
    private var isReading = false
    /// Lines that were read wait for their turn, or for the client to take replies.
    private var isPaused = false
    private var inputHasEnded = false
    /// Close once everything is written.
    private var isLeaving = false
    private var readRound: UInt64 = 0
    private var unsentBefore = 0
    private var lastProgress: UInt64 = 0

    /// The daemon's lists of connections to be looked at when the round ends.
    var isInFlushQueue = false
    var isInBacklog = false

    private struct Held: ~Copyable {
        var bytes: ByteBuffer
        /// Where each of these has to be first.
        let places: [(subscription: Subscription, position: UInt64)]
        /// Subscriptions whose lines follow this reply.
        let opened: [Subscription]
    }

    /// Event lines are added only while less than this is unsent.
    static let eventBytes = 256 << 10
    /// With so much unsent the client's requests are not read.
    static let unreadBytes = 1 << 20
    /// Time for one connection's requests in one round, in nanoseconds.
    private static let roundNanoseconds: UInt64 = 2_000_000
    /// Behind a line of more bytes nothing is decoded ahead: what waits stays small.
    private static let shortLine = 512
    /// A client that takes nothing for so long while something is waiting is given up, in milliseconds.
    static let stallMilliseconds: UInt64 = 30_000

    var loop: Loop { daemon.loop }
    var limits: Limits { daemon.limits }

    /// Takes over an accepted pipe and begins to read.
    init(_ pipe: UnsafeMutablePointer<uv_pipe_t>, daemon: Daemon) {
        self.pipe = pipe
        self.daemon = daemon
        replyLimit = daemon.limits.replyBytes
        input = InputBuffer(limits: daemon.limits)
        // Released in the close callback, after which libuv calls nothing with it.
        pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
        writeRequest.pointee.data = pipe.pointee.data
        startReading()
    }

    private var stream: UnsafeMutablePointer<uv_stream_t> {
        // Every libuv handle type begins with the members of the one it extends.
        UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> Connection {
        // Set by init and valid until the close callback has run.
        Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
    }

    private var unsent: Int { out.count + sending.count }

    // MARK: Reading

    private func startReading() {
        guard !isReading, isOpen, !inputHasEnded else { return }
        isReading = true
        uv_read_start(
            stream, { handle, _, buffer in Connection.of(handle!.pointee.data).offerSpace(buffer!) },
            { handle, count, _ in Connection.of(handle!.pointee.data).didRead(count) })
    }

    private func stopReading() {
        guard isReading else { return }
        isReading = false
        uv_read_stop(stream)
    }

    /// One read a round: libuv would go on as long as the block comes back full, and other clients would
    /// wait.
    private func offerSpace(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
        if readRound == daemon.round {
            buffer.pointee = uv_buf_init(nil, 0)
            return
        }
        readRound = daemon.round
        let space = input.space(daemon.readBlock)
        buffer.pointee = uv_buf_init(
            space.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(space.count))
    }

    private func didRead(_ count: Int) {
        if count > 0 {
            daemon.statistics.bytesIn += UInt64(count)
            input.filled(count)
            takeLines()
        } else if count == Int(UV_EOF.rawValue) {
            endInput()
        } else if count == 0 {
            // Nothing came after all; what was unread must leave the shared block.
            input.keepRest()
        } else if count != Int(UV_ENOBUFS.rawValue) {
            Log.debug("a client is gone: \(describe(Int32(count)))")
            close()
        }
    }

    /// Takes the lines that were read, as far as this round has time for them and the client takes its
    /// replies.
    func takeLines() {
        guard isOpen else { return }
        beginTurn()
        isPaused = false
        if ahead.isEmpty { swap(&ahead, &daemon.ahead) }
        // A daemon that shuts down still answers what was read, if only to say so.
        while isOpen && (!isLeaving || daemon.shutdown != nil) {
            if !goOnWithBatch() { return pause(untilWritten: false) }
            if held != nil || awaited > 0 || unsent >= Self.unreadBytes { return pause(untilWritten: true) }
            if !hasTime { return pause(untilWritten: false) }
            if ahead.isEmpty { readAhead() }
            if ahead.isEmpty { break }
            take(ahead.take())
        }
        giveAheadBack()
        if isOpen && !isLeaving { startReading() }
        daemon.flushLater(self)
    }

    /// When this round's time for the client's requests is over, on libuv's clock.
    private var endOfTurn: UInt64 = 0

    private func beginTurn() { endOfTurn = uv_hrtime() + Self.roundNanoseconds }

    /// Asked behind each request, since one may take as long as a thousand others: reading the clock takes a few
    /// hundredths of a microsecond, the smallest request ten.
    private var hasTime: Bool { uv_hrtime() < endOfTurn }

    /// Performs the elements of a batch as far as the round has time for them: the rest has its turn in the next one.
    func begin(_ batch: Batch) {
        self.batch = batch
        _ = goOnWithBatch()
    }

    /// Whether there is no element of a batch left to perform.
    private func goOnWithBatch() -> Bool {
        guard let batch else { return true }
        while isOpen {
            guard let element = batch.next() else {
                self.batch = nil
                batch.finish()
                return true
            }
            daemon.take(element, from: self, in: batch)
            if !hasTime && batch.hasNext { return false }
        }
        return true
    }

    private func readAhead() {
        while !ahead.isFull, let line = input.nextLine() {
            ahead.append(decode(line))
            guard case .line(let bytes) = line, bytes.count <= Self.shortLine else { return }
        }
    }

    private func decode(_ line: InputLine) -> ReadAhead.Line {
        switch line {
        case .line(let bytes): .decoded(daemon.decode(bytes))
        case .tooLong: .tooLong
        case .flooded: .flooded
        }
    }

    private func giveAheadBack() {
        if ahead.isEmpty { swap(&ahead, &daemon.ahead) }
    }

    private func take(_ line: consuming ReadAhead.Line) {
        switch consume line {
        case .decoded(let decoded): daemon.take(decoded, from: self)
        case .tooLong: out.reply(.null, .lineTooLong(limits: limits))
        case .flooded:
            Log.info("closing a connection: one line went on for more than \(limits.discardBytes) bytes")
            leave()
        }
    }

    private func pause(untilWritten: Bool) {
        isPaused = true
        giveAheadBack()
        stopReading()
        input.keepRest()
        daemon.flushLater(self)
        if !untilWritten { daemon.takeLinesLater(self) }
    }

    /// The client will send no more. What it asked for is answered, and open subscriptions go on until a
    /// write fails.
    private func endInput() {
        stopReading()
        inputHasEnded = true
        beginTurn()
        if let line = input.lastLine() { take(decode(line)) }
        if batch != nil { pause(untilWritten: false) }
        // Half a close leaves the stream open; a client that is gone altogether would be noticed at the next write
        // only, and hold its place until then.
        if isHungUp { while let subscription = subscriptions.last { drop(subscription) } }
        daemon.flushLater(self)
    }

    var isHungUp: Bool {
        var descriptor: Int32 = -1
        guard
            uv_fileno(UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_handle_t.self), &descriptor)
                == 0
        else { return false }
        return seam_is_hung_up(descriptor) != 0
    }

    /// Takes nothing more, and closes once everything is written.
    func leave() {
        isLeaving = true
        stopReading()
        input.keepRest()
        daemon.flushLater(self)
    }

    // MARK: Replies

    /// Answers a request with what `result` writes. The event lines that it caused come first when this
    /// client subscribes to `hosted`.
    func reply(
        _ id: RequestID, after hosted: HostedSimulation?, hint: String, _ result: (inout ByteBuffer) -> Void
    ) {
        if let hosted, !subscriptions.isEmpty, let places = linesFirst(of: hosted) {
            var bytes = ByteBuffer()
            bytes.reply(id, limit: replyLimit, hint: hint, result)
            held = Held(bytes: bytes, places: places, opened: [])
        } else {
            borrowBuffer()
            out.reply(id, limit: replyLimit, hint: hint, result)
        }
        daemon.flushLater(self)
    }

    func reply(_ id: RequestID, _ error: WireError) {
        borrowBuffer()
        out.reply(id, error)
        daemon.statistics.errors += 1
        daemon.flushLater(self)
    }

    /// The one document that may be longer than a reply.
    func reply(_ id: RequestID, limit: Int, _ result: (inout ByteBuffer) -> Void) {
        borrowBuffer()
        out.reply(id, limit: limit, result)
        daemon.flushLater(self)
    }

    /// The answer to a batch: one line, behind the event lines that the batch caused on older subscriptions
    /// and before those of the subscriptions that it opened.
    func reply(_ batch: consuming BatchReply, opened: [Subscription]) {
        if let places = linesFirst(of: nil) {
            var bytes = ByteBuffer()
            batch.finish(into: &bytes)
            held = Held(bytes: bytes, places: places, opened: opened)
        } else {
            borrowBuffer()
            batch.finish(into: &out)
            for subscription in opened { subscription.isHeldBack = false }
        }
        daemon.flushLater(self)
    }

    /// Brings the cursors of this client that read `hosted`, or all of them, to the head. Nil when they are
    /// there; else where they have yet to come.
    private func linesFirst(of hosted: HostedSimulation?) -> [(subscription: Subscription, position: UInt64)]?
    {
        if let hosted {
            daemon.spread(hosted.stream)
            daemon.spread(daemon.everything)
        } else {
            for subscription in subscriptions { daemon.spread(subscription.stream) }
        }
        fill()
        func comesFirst(_ subscription: Subscription) -> Bool {
            subscription.isBehind && !subscription.isHeldBack
                && (hosted == nil || subscription.hosted == nil || subscription.hosted === hosted)
        }
        guard subscriptions.contains(where: comesFirst) else { return nil }
        return subscriptions.filter(comesFirst).map { ($0, $0.stream.ring.last) }
    }

    func awaitAnswer() { awaited += 1 }

    func answerHasCome() {
        awaited -= 1
        if isPaused && awaited == 0 { daemon.takeLinesLater(self) }
        daemon.flushLater(self)
    }

    // MARK: Subscriptions

    func add(_ subscription: Subscription) {
        subscriptions.append(subscription)
    }

    /// The subscription is over and its `end` written.
    func drop(_ subscription: Subscription) {
        subscriptions.removeAll { $0 === subscription }
        subscription.stream.remove(subscription)
        subscription.isGone()
        daemon.memory.values -= subscription.filter.memoryBytes
        daemon.subscriptionIsGone()
    }

    func isDue(_ subscription: Subscription) {
        due.append(subscription)
        daemon.flushLater(self)
    }

    /// Ends a subscription on its client's wish; its `end` comes before the reply.
    func close(_ subscription: Subscription) {
        borrowBuffer()
        subscription.close(&out)
        due.removeAll { $0 === subscription }
    }

    /// Writes a `mark` for each subscription that was silent since `deadline`.
    func mark(silentSince deadline: UInt64) {
        guard isOpen, !isWriting, held == nil else { return }
        for subscription in subscriptions where !subscription.isBehind && subscription.lastLine <= deadline {
            borrowBuffer()
            subscription.mark(&out)
            daemon.flushLater(self)
        }
    }

    private func fill() {
        guard !due.isEmpty else { return }
        borrowBuffer()
        var stateBytes = Subscription.stateBytesPerRound
        // By index: what ends while it is filled stays in `due` until the loop is done.
        var index = 0
        let limit = Self.eventBytes - sending.count
        while index < due.count && out.count < limit {
            let subscription = due[index]
            if !subscription.isHeldBack { subscription.fill(&out, limit: limit, stateBytes: &stateBytes) }
            index += 1
        }
        // A loop and not `removeAll(where:)`, for the reason given in `Stream.spread`.
        var kept = 0
        for index in due.indices where due[index].isBehind {
            due[kept] = due[index]
            kept += 1
        }
        due.removeLast(due.count - kept)
        // In turn: who came last this time comes first the next time.
        if due.count > 1 { due.append(due.removeFirst()) }
    }

    private func releaseHeld() {
        guard held?.places.allSatisfy({ $0.subscription.hasPassed($0.position) }) ?? false else { return }
        guard let released = held.take() else { return }
        borrowBuffer()
        out.append(released.bytes)
        for subscription in released.opened { subscription.isHeldBack = false }
    }

    // MARK: Writing

    /// Writes what there is, once; libuv goes on with the rest when the socket takes more.
    func flush() {
        guard isOpen, !isWriting else { return }
        fill()
        if held != nil {
            releaseHeld()
            fill()
        }
        write()
        guard isOpen, !isWriting else { return }
        if !due.isEmpty && due.contains(where: { !$0.isHeldBack }) { daemon.flushLater(self) }
        if isPaused && held == nil && awaited == 0 { daemon.takeLinesLater(self) }
        closeIfDone()
    }

    private func write() {
        guard !out.isEmpty else { return giveBufferBack() }
        var buffer = Self.buffer(out.bytes)
        let written = uv_try_write(stream, &buffer, 1)
        if written >= 0 {
            daemon.statistics.bytesOut += UInt64(written)
            out.consume(Int(written))
        } else if written != Int32(UV_EAGAIN.rawValue) {
            Log.debug("a client cannot be written to: \(describe(written))")
            return close()
        }
        if out.isEmpty { giveBufferBack() } else { writeRest() }
    }

    private func writeRest() {
        // What waits gets a block of its size, and the one that was lent goes back: a client that reads nothing would
        // keep it, and the next one to write let another grow.
        sending = ByteBuffer(out.bytes)
        out.removeAll(keeping: .max)
        giveBufferBack()
        isWriting = true
        unsentBefore = sending.count
        lastProgress = loop.milliseconds
        var buffer = Self.buffer(sending.bytes)
        let status = uv_write(writeRequest, stream, &buffer, 1) { request, status in
            Connection.of(request!.pointee.data).didWrite(status)
        }
        if status < 0 {
            isWriting = false
            return close()
        }
        daemon.needsTicks()
    }

    private func didWrite(_ status: Int32) {
        isWriting = false
        daemon.statistics.bytesOut += UInt64(sending.count)
        sending.removeAll(keeping: 0)
        if status < 0 {
            Log.debug("a client cannot be written to: \(describe(status))")
            return close()
        }
        daemon.flushLater(self)
    }

    /// Gives up a client that takes nothing, at `now` in the loop's milliseconds.
    func closeIfStalled(_ now: UInt64) {
        guard isOpen, isWriting else { return }
        let unsentNow = uv_stream_get_write_queue_size(stream)
        if unsentNow != unsentBefore {
            unsentBefore = unsentNow
            lastProgress = now
        } else if now - lastProgress >= Self.stallMilliseconds {
            Log.info("closing a connection: its client took nothing for \(Self.stallMilliseconds / 1000) s")
            daemon.statistics.stalledConnections += 1
            close()
        }
    }

    /// Whether there is nothing left to write.
    var isFlushed: Bool {
        !isOpen
            || (!isWriting && out.isEmpty && due.isEmpty && held == nil && awaited == 0 && batch == nil)
    }
    var isWaiting: Bool { isOpen && isWriting }

    private func closeIfDone() {
        guard inputHasEnded || isLeaving, isFlushed, isLeaving || subscriptions.isEmpty else { return }
        close()
    }

    /// Closes at once; what was not written is lost.
    func close() {
        guard isOpen else { return }
        isOpen = false
        isReading = false
        while let subscription = subscriptions.last { drop(subscription) }
        due.removeAll()
        held = nil
        ahead = ReadAhead()
        batch = nil
        giveBufferBack()
        daemon.forget(self)
        uv_close(UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            // Balances init. Any write under way has been called back by now.
            Unmanaged<Connection>.fromOpaque(handle!.pointee.data).takeRetainedValue().free()
        }
    }

    private func free() {
        pipe.deallocate()
        writeRequest.deallocate()
    }

    // MARK: The lent buffer

    private var hasBorrowed = false

    /// One large buffer goes round among the connections: whoever has written everything gives it back, so
    /// that a thousand readers who keep up need the memory of one.
    private func borrowBuffer() {
        guard !hasBorrowed, out.isEmpty else { return }
        hasBorrowed = true
        daemon.lend(&out)
    }

    private func giveBufferBack() {
        hasBorrowed = false
        daemon.giveBack(&out)
    }

    private static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
        // libuv reads from it only, whatever the type says.
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
        return uv_buf_init(start.assumingMemoryBound(to: CChar.self), UInt32(bytes.count))
    }
}
