/// Every bound the daemon holds itself and its clients to, in one place. `seam.hello` reports those a client can meet.
///
/// Bytes are bytes of UTF-8 unless a line says otherwise.
public struct Limits: Sendable, Equatable {
    /// The longest line read, without its LF.
    public var lineBytes = 1 << 20
    /// How much of one over-long line is passed over before the connection is given up.
    public var discardBytes = 16 << 20
    /// The deepest nesting of a line.
    public var depth = 64
    /// The most requests in one batch.
    public var batch = 256
    /// The longest request id, as it came. A full batch of such ids still leaves room for every answer.
    public var idBytes = 1024

    /// The longest reply with its LF: one less than the line limit of Python's asyncio.
    public var replyBytes = (64 << 10) - 1
    /// The longest reply to `rpc.discover`.
    public var documentBytes = 1 << 20
    /// The longest reply to a batch.
    public var batchReplyBytes = 1 << 20
    /// What `seam.hello {maxLine}` can raise `replyBytes` to.
    public var replyBytesCeiling = 16 << 20

    /// The longest value a field takes.
    public var valueBytes = 64 << 10
    /// How much of a value a line shows.
    public var shownValueBytes = 4 << 10
    /// The longest name of anything.
    public var nameBytes = 128
    /// The longest label or client name.
    public var labelBytes = 256
    /// The longest glob, and how many one subscription takes.
    public var globBytes = 512
    public var globs = 64

    public var connections = 4096
    public var subscriptionsPerConnection = 256
    public var subscriptions = 65_536
    public var simulations = 100_000
    public var fields = 4_000_000
    /// Mounts of one simulation, and so items of one list.
    public var mounts = 10_000

    /// The history one simulation keeps for its subscribers.
    public var ringEntries = 65_536
    public var ringBytes = 16 << 20
    /// What one simulation keeps of its calls and writes.
    public var traceBytes = 256 << 10
    /// What the values and rings of all simulations take together. Rings make room for the rest, the oldest entries
    /// first.
    public var memory = 1 << 30
    /// What one simulation keeps in memory of what came into it, from its creation on.
    public var historyBytes = 4 << 20
    /// The longest path of a file.
    public var pathBytes = 4095
    /// Rounds of one turn before it counts as a feedback loop.
    public var roundLimit = 100

    public init() {}

    /// The same, but that values are shown to their end.
    public var showingWholeValues: Limits {
        var limits = self
        limits.shownValueBytes = .max
        return limits
    }

    /// The largest integer taken or sent: what a double holds exactly, so that a client in any language can keep it.
    public static let largestInteger: UInt64 = (1 << 53) - 1
}

extension Limits {
    /// What is wrong with a name, or nil. A plain one, of a screen, a bridge or a simulation, stands in paths and
    /// patterns.
    public func fault(inName bytes: UnsafeBufferPointer<UInt8>, isPlain: Bool, longest: Int? = nil) -> String?
    {
        if bytes.isEmpty { return "is empty" }
        if bytes.count > longest ?? nameBytes { return "has \(bytes.count) bytes" }
        var allASCII = true
        for byte in bytes {
            if byte >= 0x7F {
                allASCII = false
            } else if byte < 0x20 {
                return "holds a control character"
            } else if isPlain && (byte == 0x2E || byte == 0x2F || byte == 0x3D || byte == 0x2A) {
                return "holds \(Character(Unicode.Scalar(byte)))"
            }
        }
        return allASCII || bytes.isPrintable ? nil : "holds a character that cannot be printed"
    }
}

extension UnsafeBufferPointer<UInt8> {
    var isPrintable: Bool {
        String(decoding: self, as: UTF8.self).unicodeScalars.allSatisfy { SeamWire.isPrintable($0) }
    }
}
