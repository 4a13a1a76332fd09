/// Replies: one line each, or one element each of a batch's line.
extension ByteBuffer {
    /// Writes a reply line. When it would be longer than `limit` bytes it is taken back and an error of kind too-large
    /// is sent in its place; false says so.
    @discardableResult
    public mutating func reply(
        _ id: RequestID, limit: Int, hint: String = WireError.defaultReplyHint,
        _ result: (inout ByteBuffer) -> Void
    ) -> Bool {
        let mark = count
        replyElement(id, result)
        append(0x0A)
        if count - mark <= limit { return true }
        truncate(to: mark)
        reply(id, .replyTooLarge(limit: limit, hint: hint))
        return false
    }

    /// Writes an error line.
    public mutating func reply(_ id: RequestID, _ error: WireError) {
        errorElement(id, error)
        append(0x0A)
    }

    mutating func replyElement(_ id: RequestID, _ result: (inout ByteBuffer) -> Void) {
        divide()
        literal("{\"jsonrpc\":\"2.0\",\"id\":")
        id.write(into: &self)
        literal(",\"result\":")
        result(&self)
        append(0x7D)
    }

    mutating func errorElement(_ id: RequestID, _ error: WireError) {
        divide()
        literal("{\"jsonrpc\":\"2.0\",\"id\":")
        id.write(into: &self)
        literal(",\"error\":{\"code\":")
        signed(Int64(error.code))
        member("message", error.message)
        object("data") { data in
            data.member("kind", error.kind.rawValue)
            for (name, fact) in error.facts {
                switch fact {
                case .text(let text): data.member(name, text)
                case .texts(let texts): data.member(name, texts)
                case .integer(let number): data.member(name, number)
                }
            }
        }
        append("}}")
    }

    // MARK: results several methods share

    /// What every changing call answers; `mount` only for `bridge.mount`.
    public mutating func change(
        seq: UInt64, turn: UInt64, changes: Int, diagnostics: Int, mount: UInt64? = nil
    ) {
        // By literals, as an event line: this is half of what an event sends.
        divide()
        literal("{\"seq\":")
        append(decimal: seq)
        literal(",\"turn\":")
        append(decimal: turn)
        literal(",\"changes\":")
        append(decimal: UInt64(changes))
        literal(",\"diagnostics\":")
        append(decimal: UInt64(diagnostics))
        if let mount {
            literal(",\"mount\":")
            append(decimal: mount)
        }
        append(0x7D)
    }

    /// As many elements as fit in front of `end`, none when not even the first does; how many that are.
    public mutating func beginning(
        _ name: StaticString, of total: Int, end: Int, _ element: (inout ByteBuffer, Int) -> Void
    ) -> Int {
        key(name)
        append(0x5B)
        var written = 0
        while written < total {
            let mark = count
            element(&self, written)
            if count > end {
                truncate(to: mark)
                break
            }
            written += 1
        }
        append(0x5D)
        return written
    }

    /// A text that is cut, and its size behind it as `size` when it was.
    public mutating func member(_ name: StaticString, _ text: String?, size: StaticString, limits: Limits) {
        key(name)
        if let bytes = cut(text, limit: limits.shownValueBytes) { member(size, bytes) }
    }

    /// A field as `sim.get` and `sim.check` show it.
    public mutating func field(
        screen: String, field: String, verdict: StaticString, model: String?, shown: String?,
        expected: StaticString? = nil, why: String? = nil, limits: Limits
    ) {
        object { result in
            result.member("screen", screen)
            result.member("field", field)
            result.member("verdict", verdict)
            result.modelAndShown(model, shown, limit: limits.shownValueBytes)
            if let expected { result.member("expected", expected) }
            if let why { result.member("why", why) }
        }
    }

    /// The limits `seam.hello` tells, as one object. `replyBytes` is what holds for this connection.
    public mutating func limits(_ limits: Limits, replyBytes: Int) {
        object { result in
            result.member("lineBytes", limits.lineBytes)
            result.member("depth", limits.depth)
            result.member("batch", limits.batch)
            result.member("replyBytes", replyBytes)
            result.member("batchReplyBytes", limits.batchReplyBytes)
            result.member("valueBytes", limits.valueBytes)
            result.member("shownValueBytes", limits.shownValueBytes)
            result.member("nameBytes", limits.nameBytes)
            result.member("connections", limits.connections)
            result.member("subscriptionsPerConnection", limits.subscriptionsPerConnection)
            result.member("subscriptions", limits.subscriptions)
            result.member("simulations", limits.simulations)
            result.member("fields", limits.fields)
            result.member("mounts", limits.mounts)
            result.member("ringEntries", limits.ringEntries)
            result.member("ringBytes", limits.ringBytes)
            result.member("memoryBytes", limits.memory)
            result.member("traceBytes", limits.traceBytes)
            result.member("historyBytes", limits.historyBytes)
            result.member("roundLimit", limits.roundLimit)
        }
    }
}

/// The answer to a batch while it is put together: one line, the elements in the order they are given.
///
/// It never grows beyond the limit. Room for an error is kept for every request not answered yet, so an element that
/// does not fit can always be replaced by one that says so.
public struct BatchReply: ~Copyable {
    private var line = ByteBuffer()
    private let limit: Int
    /// Bytes kept for those still to come.
    private var reserved = 0
    private var open = 0

    /// An answer to these elements. `limit` counts the whole line with its LF.
    public init(to elements: [Incoming], limit: Int) {
        self.limit = limit
        line.append(0x5B)
        for element in elements {
            switch element {
            case .request(let id, _), .failure(let id, _):
                reserved += Self.room(for: id)
                open += 1
            case .notification, .failedNotification:
                break
            }
        }
    }

    /// How many elements still have to be answered.
    public var unanswered: Int { open }

    /// How long the answer to one request may be, with its frame: the others keep room for an error.
    public func room(for id: RequestID) -> Int {
        // A comma before it, and the bracket and the LF at the end.
        limit - line.count - (reserved - Self.room(for: id)) - 3
    }

    /// Answers one request. False when the result did not fit and an error went in its place.
    @discardableResult
    public mutating func reply(_ id: RequestID, _ result: (inout ByteBuffer) -> Void) -> Bool {
        let mark = line.count
        line.replyElement(id, result)
        return close(id, mark)
    }

    /// Answers one request with an error.
    @discardableResult
    public mutating func reply(_ id: RequestID, _ error: WireError) -> Bool {
        let mark = line.count
        line.errorElement(id, error)
        return close(id, mark)
    }

    /// Appends the finished line; nothing when the batch held only notifications.
    public consuming func finish(into out: inout ByteBuffer) {
        if line.count == 1 { return }
        out.append(line)
        out.append("]\n")
    }

    private mutating func close(_ id: RequestID, _ mark: Int) -> Bool {
        open -= 1
        reserved -= Self.room(for: id)
        // The bracket and the LF at the end take two.
        if line.count + reserved + 2 <= limit { return true }
        line.truncate(to: mark)
        line.errorElement(id, .replyTooLarge(limit: limit, hint: "send fewer requests in one batch"))
        return false
    }

    /// An error of kind too-large with its id and its comma.
    private static func room(for id: RequestID) -> Int { id.longestBytes + 256 }
}
