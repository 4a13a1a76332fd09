import SeamKernel
import SeamWire

/// One thing that happened, compact until a cursor first passes it, and a line from then on.
nonisolated struct RingEntry {
    enum Kind: UInt8 {
        case change, finding
        /// What became of a simulation; only who watches the daemon hears of it.
        case created, destroyed, failed
    }

    enum Content {
        case values(model: String?, shown: String?)
        case finding(Finding)
        case none
        case line(StoredLine)
    }

    /// A diagnostic on the heap: they are rare, and an entry stays small without them.
    final class Finding {
        let diagnostic: Diagnostic
        init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }
    }

    var content: Content
    let kind: Kind
    let from: Verdict
    let to: Verdict
    /// -1 when it is of no field.
    let field: Int32
    /// What the entry costs its ring.
    fileprivate(set) var bytes: Int32
    let seq: UInt64
    let turn: UInt64
    let nanoseconds: Int64
    /// Nil in the ring of a simulation, which knows whose it is.
    let source: HostedSimulation?

    init(_ change: borrowing Change, turn: UInt64, nanoseconds: Int64, source: HostedSimulation?) {
        content = .values(model: change.model, shown: change.shown)
        kind = .change
        from = change.from
        to = change.to
        field = Int32(truncatingIfNeeded: change.field)
        bytes = Self.stride + Self.heapBytes(change.model) + Self.heapBytes(change.shown)
        seq = change.seq
        self.turn = turn
        self.nanoseconds = nanoseconds
        self.source = source
    }

    init(_ diagnostic: Diagnostic, turn: UInt64, nanoseconds: Int64, source: HostedSimulation?) {
        content = .finding(Finding(diagnostic))
        kind = .finding
        from = .outOfScope
        to = .outOfScope
        field = diagnostic.field.map { Int32(truncatingIfNeeded: $0) } ?? -1
        bytes = Self.stride + 128 + Self.heapBytes(diagnostic.text)
        seq = diagnostic.seq
        self.turn = turn
        self.nanoseconds = nanoseconds
        self.source = source
    }

    init(_ kind: Kind, of source: HostedSimulation, seq: UInt64) {
        content = .none
        self.kind = kind
        from = .outOfScope
        to = .outOfScope
        field = -1
        bytes = Self.stride
        self.seq = seq
        turn = 0
        nanoseconds = 0
        self.source = source
    }

    /// Whether it tells no new verdict.
    var keepsVerdict: Bool { kind == .change && from == to }

    static let stride = Int32(MemoryLayout<RingEntry>.stride)

    /// A text of up to 15 bytes lies in the entry itself.
    private static func heapBytes(_ text: String?) -> Int32 {
        guard let size = text?.utf8.count, size > 15 else { return 0 }
        return Int32(clamping: size)
    }
}

/// The history that cursors read: bounded, numbered without holes, the oldest entry gives way to the newest.
///
/// The position of an entry is its number: `seq` in the ring of a simulation, `dseq` in the daemon's.
nonisolated final class Ring {
    /// Position of the oldest entry that is kept.
    private(set) var first: UInt64 = 1
    /// Position that the next entry will have.
    private(set) var next: UInt64 = 1
    private(set) var bytes = 0

    private var entries: UnsafeMutablePointer<RingEntry>?
    /// A power of two, or 0.
    private var capacity: UInt64 = 0
    private var lines = LineStore()
    private let entryLimit: UInt64
    private let byteLimit: Int

    init(limits: Limits) {
        entryLimit = UInt64(limits.ringEntries)
        byteLimit = limits.ringBytes
    }

    deinit {
        forget()
    }

    var isEmpty: Bool { first == next }
    /// Position of the newest entry, or the number before the first.
    var last: UInt64 { next - 1 }

    /// Takes the newest entry in; older ones go to make room.
    func append(_ entry: consuming RingEntry) {
        let size = Int(entry.bytes)
        while first < next && (next - first >= entryLimit || bytes + size > byteLimit) { dropOldest() }
        if next - first == capacity { grow() }
        place(next).initialize(to: entry)
        next += 1
        bytes += size
    }

    /// Forgets everything, as if `count` more entries had come and gone: whoever resumes from before is told
    /// so.
    func forget(skipping count: UInt64 = 0) {
        while first < next { dropOldest() }
        first += count
        next = first
        entries?.deallocate()
        entries = nil
        capacity = 0
    }

    /// The entry at a position that is kept; valid until the ring is changed.
    func entry(at position: UInt64) -> UnsafePointer<RingEntry> {
        precondition(position >= first && position < next, "the ring does not hold \(position)")
        return UnsafePointer(place(position))
    }

    /// Appends the line of an entry to `out`: encoded by `encode` when the first cursor passes, copied from
    /// then on.
    @inline(__always)
    func append(
        lineOf position: UInt64, to out: inout ByteBuffer,
        encode: (UnsafePointer<RingEntry>, inout ByteBuffer) -> Void
    ) {
        let entry = place(position)
        if case .line(let line) = entry.pointee.content {
            out.append(line.bytes)
            return
        }
        let before = out.count
        encode(UnsafePointer(entry), &out)
        let line = lines.keep(UnsafeRawBufferPointer(rebasing: out.bytes[before...]))
        bytes += line.count + Int(RingEntry.stride) - Int(entry.pointee.bytes)
        entry.pointee.bytes = RingEntry.stride + Int32(line.count)
        entry.pointee.content = .line(line)
    }

    @inline(__always)
    private func place(_ position: UInt64) -> UnsafeMutablePointer<RingEntry> {
        // Only asked for positions that are kept, so that there is a block.
        entries.unsafelyUnwrapped + Int(truncatingIfNeeded: position & (capacity - 1))
    }

    private func dropOldest() {
        let oldest = place(first)
        bytes -= Int(oldest.pointee.bytes)
        if case .line(let line) = oldest.pointee.content { lines.drop(line) }
        oldest.deinitialize(count: 1)
        first += 1
    }

    /// From four entries on by doubling, so that ten thousand quiet simulations hold little.
    private func grow() {
        let larger = max(4, capacity * 2)
        let block = UnsafeMutablePointer<RingEntry>.allocate(capacity: Int(larger))
        for position in first..<next {
            (block + Int(position & (larger - 1))).moveInitialize(from: place(position), count: 1)
        }
        entries?.deallocate()
        entries = block
        capacity = larger
    }
}
