import SeamWire

/// Where the answer to one request goes. It can be kept: whoever has the answer later gives it the ticket.
struct Ticket {
    let connection: Connection
    /// Nil for a notification, which is not answered.
    let id: RequestID?
    /// The batch that the request is an element of.
    let batch: Batch?

    /// Answers with what `result` writes; the event lines that the request caused on `hosted` come first.
    func answer(after hosted: HostedSimulation? = nil, _ result: (inout ByteBuffer) -> Void) {
        guard let id else { return }
        if let batch {
            batch.reply(id, result)
        } else {
            connection.reply(id, after: hosted, result)
        }
    }

    func answer(_ error: WireError) {
        guard let id else {
            connection.daemon.statistics.failedNotifications += 1
            return
        }
        if let batch {
            batch.reply(id, error)
        } else {
            connection.reply(id, error)
        }
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

    init(_ elements: [Incoming], on connection: Connection) {
        self.connection = connection
        answer = BatchReply(to: elements, limit: connection.limits.batchReplyBytes)
    }

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

    /// Sends the line once every element has been performed.
    func finish() {
        guard let answer = answer.take() else { return }
        connection.reply(answer, opened: opened)
    }
}
