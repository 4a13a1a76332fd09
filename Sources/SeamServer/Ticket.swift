import SeamWire

/// Where the answer to one request goes. It can be kept: whoever has the answer later gives it the ticket.
struct Ticket {
    let connection: Connection
    /// Nil for a notification, which is not answered.
    let id: RequestID?
    /// The batch that the request is an element of.
    let batch: Batch?

    /// Answers with what `result` writes; the event lines that the request caused on `hosted` come first. `hint` says
    /// what to do when that is too long.
    func answer(
        after hosted: HostedSimulation? = nil, hint: String = WireError.defaultReplyHint,
        _ result: (inout ByteBuffer) -> Void
    ) {
        // The client of an answer that took its time may have gone.
        guard let id, connection.isOpen else { return }
        if let batch {
            batch.reply(id, result)
        } else {
            connection.reply(id, after: hosted, hint: hint, result)
        }
    }

    func answer(_ error: WireError) {
        guard let id else {
            connection.daemon.statistics.failedNotifications += 1
            return
        }
        guard connection.isOpen else { return }
        if let batch {
            batch.reply(id, error)
        } else {
            connection.reply(id, error)
        }
    }

    /// The answer comes in a later round. Until then the client's next requests wait, since replies keep the order of
    /// their requests; `release` follows the answer.
    func hold() {
        connection.awaitAnswer()
        batch?.awaitAnswer()
    }

    func release() {
        batch?.answerHasCome()
        connection.answerHasCome()
    }

    /// Whether the client is still there.
    var isWaitedFor: Bool { connection.isOpen && !connection.isHungUp }

    /// How long an answer may be: what would be longer need not be made at all.
    var longestAnswer: Int {
        guard let id else { return 0 }
        return batch?.room(for: id) ?? connection.replyLimit
    }

    /// What is said in place of an answer that is too long.
    func tooLong(hint: String) -> WireError {
        batch == nil
            ? .replyTooLarge(limit: connection.replyLimit, hint: "\(hint), or raise maxLine with seam.hello")
            : .replyTooLarge(
                limit: connection.limits.batchReplyBytes,
                hint: "\(hint), or send fewer requests in one batch")
    }

    /// The longest list that fits: how far the buffer may be filled, asked when the reply begins.
    func pageEnd(_ buffer: borrowing ByteBuffer) -> Int {
        // Room for the members after the list, and what the reply's frame takes.
        buffer.count + connection.replyLimit - (id?.longestBytes ?? 0) - 512
    }

    /// The same for an answer that must not become an error, since what it answers is done: in a batch it has what the
    /// others leave.
    func certainEnd(_ buffer: borrowing ByteBuffer) -> Int {
        let end = pageEnd(buffer)
        guard let batch else { return end }
        return min(end, buffer.count + batch.room - (id?.longestBytes ?? 0) - 512)
    }
}

/// The answers to the requests of one batch, until all of them are there.
final class Batch {
    private let connection: Connection
    private var answer: BatchReply?
    /// How long the answer that is being written may be. Kept from before it, since `answer` is taken by the writing.
    private(set) var room = 0
    /// Subscriptions opened by the batch: their lines follow its answer.
    private var opened: [Subscription] = []
    /// Answers that come in a later round.
    private var awaited = 0
    private var isPerformed = false
    /// The elements that are still to be performed, the next one last.
    private var waiting: [Incoming]

    init(_ elements: [Incoming], on connection: Connection) {
        self.connection = connection
        waiting = elements.reversed()
        answer = BatchReply(to: elements, limit: connection.limits.batchReplyBytes)
    }

    var hasNext: Bool { !waiting.isEmpty }

    /// The next element, once.
    func next() -> Incoming? { waiting.popLast() }

    /// How long the answer to one of its requests may be.
    func room(for id: RequestID) -> Int { answer?.room(for: id) ?? 0 }

    func reply(_ id: RequestID, _ result: (inout ByteBuffer) -> Void) {
        room = answer?.room(for: id) ?? 0
        answer?.reply(id, result)
    }

    func reply(_ id: RequestID, _ error: WireError) {
        answer?.reply(id, error)
        connection.daemon.statistics.errors += 1
    }

    func holdBack(_ subscription: Subscription) {
        subscription.isHeldBack = true
        opened.append(subscription)
    }

    func awaitAnswer() { awaited += 1 }

    func answerHasCome() {
        awaited -= 1
        if isPerformed { finish() }
    }

    /// Sends the line once every element has been performed and answered.
    func finish() {
        isPerformed = true
        guard awaited == 0, connection.isOpen else { return }
        guard let answer = answer.take() else { return }
        connection.reply(answer, opened: opened)
    }
}
