public import SeamWire

/// A place in a stream from which it can be resumed: a simulation's, or the daemon's own.
public struct Cursor: Sendable, Equatable, CustomStringConvertible {
    public let epoch: String
    public var seq: UInt64

    public init(epoch: String, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads `EPOCH:SEQ`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 16, parts[0].allSatisfy(\.isHexDigit),
            let seq = UInt64(parts[1])
        else { return nil }
        self.init(epoch: String(parts[0]), seq: seq)
    }

    public var description: String { "\(epoch):\(seq)" }
}

/// A line of a stream.
public struct Event {
    public enum Kind: String, Sendable { case state, sync, verdict, diagnostic, mark, lag, end, sim }

    /// nil for a kind that this version does not know.
    public let kind: Kind?
    /// The line's `params` as they came.
    public let params: JSON

    init(_ params: JSON) {
        self.params = params
        kind = params["kind"]?.text.flatMap(Kind.init)
    }

    public subscript(_ member: String) -> JSON? { params[member] }
}

/// What to subscribe to; without `simulation` the whole daemon.
public struct SubscriptionRequest {
    public var simulation: String?
    /// Globs over "Screen.field", or "sim/Screen.field" for the daemon; none = all.
    public var match: [String] = []
    public var keepsEveryChange = false
    public var onlyVerdicts = false
    public var after: Cursor?
    public var withSnapshot = true

    public init(simulation: String?) {
        self.simulation = simulation
    }

    /// As the protocol has it.
    public var params: JSON {
        let place: JSON? = after.map {
            JSON.texts([("epoch", $0.epoch)]).adding(simulation == nil ? "dseq" : "seq", .integer($0.seq))
        }
        return JSON.object([])
            .adding("sim", simulation.map { .string($0) })
            .adding("match", match.isEmpty ? nil : .texts(match))
            .adding("mode", keepsEveryChange ? "all" : nil)
            .adding("only", onlyVerdicts ? "verdicts" : nil)
            .adding("after", place)
            .adding("start", after == nil && !withSnapshot ? "now" : nil)
    }
}

/// An open subscription: follows its lines and knows from where it could be resumed.
public struct Subscription {
    public let number: Int
    /// nil until the snapshot is complete: there is no place to resume from before.
    public private(set) var cursor: Cursor?
    private let start: Cursor
    private let seqMember: String

    /// Opens it; lines of the snapshot follow as events of the client.
    public init(
        _ request: SubscriptionRequest, on client: Client, until deadline: Deadline = nil
    ) throws {
        try self.init(request, opened: client.call("sub.open", request.params, until: deadline))
    }

    /// One that was opened by whoever sent the request and has the reply to it.
    public init(_ request: SubscriptionRequest, opened reply: JSON) throws {
        seqMember = request.simulation == nil ? "dseq" : "seq"
        guard let number = reply["sub"]?.integer, let epoch = reply["epoch"]?.text,
            let seq = reply[seqMember]?.unsigned
        else { throw ClientFailure.notTheProtocol(excerpt: "sub.open answered \(reply.encoded)") }
        self.number = number
        start = Cursor(epoch: epoch, seq: seq)
        // Without a snapshot nothing is missing before the first line.
        cursor = request.after ?? (request.withSnapshot ? nil : start)
    }

    /// Moves the cursor past a line that has been dealt with.
    public mutating func passed(_ event: Event) {
        guard let seq = event[seqMember]?.unsigned else { return }
        switch event.kind {
        // A line of a snapshot is no place to resume from before all of it is here.
        case .sim where event["what"]?.text == "exists": break
        case .sync, .mark:
            cursor = Cursor(epoch: start.epoch, seq: max(seq, cursor?.seq ?? 0))
        case .verdict, .diagnostic, .sim:
            // A jump of mode `latest` sends each field's newest line with its own, lower seq: only forward.
            if let last = cursor?.seq, last < seq { cursor?.seq = seq }
        case .state, .lag, .end, nil:
            break
        }
    }
}
