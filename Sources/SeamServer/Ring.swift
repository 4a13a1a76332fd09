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
    /// How old it is among the entries of all rings (`Memory.age`).
    fileprivate(set) var age: UInt32 = 0
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
        bytes = Self.stride + Int32(heapBytes(change.model) + heapBytes(change.shown))
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
        bytes = Self.stride + 128 + Int32(heapBytes(diagnostic.text))
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

    /// A change that was packed, as it was, or one that tells how a field stands.
    init(
        model: String?, shown: String?, from: Verdict, to: Verdict, field: Int32, age: UInt32, seq: UInt64,
        turn: UInt64, nanoseconds: Int64, source: HostedSimulation? = nil
    ) {
        content = .values(model: model, shown: shown)
        kind = .change
        self.from = from
        self.to = to
        self.field = field
        bytes = Self.stride + Int32(heapBytes(model) + heapBytes(shown))
        self.age = age
        self.seq = seq
        self.turn = turn
        self.nanoseconds = nanoseconds
        self.source = source
    }

    /// Whether it tells no new verdict.
    var keepsVerdict: Bool { kind == .change && from == to }

    static let stride = Int32(MemoryLayout<RingEntry>.stride)
}

/// The history that cursors read: bounded, numbered without holes, the oldest entry gives way to the newest.
///
/// The position of an entry is its number: `seq` in the ring of a simulation, `dseq` in the daemon's.
/// What comes while nobody reads is packed; it becomes entries when the first cursor looks at one of them, and nothing
/// is packed behind an entry.
nonisolated final class Ring {
    /// Position of the oldest entry that is kept.
    private(set) var first: UInt64 = 1
    /// Position that the next entry will have.
    private(set) var next: UInt64 = 1
    /// What the entries take, or would take where they are packed: what is kept for a reader does not depend on
    /// whether there is one.
    private(set) var bytes = 0

    /// From `first` on.
    private var packed = PackedEntries()
    /// From `packedEnd` to before `next`.
    private var entries: UnsafeMutablePointer<RingEntry>?
    /// A power of two, or 0.
    private var capacity: UInt64 = 0
    private var lines = LineStore()
    private let memory: Memory

    init(in memory: Memory) {
        self.memory = memory
    }

    deinit {
        forget()
        lines.trim(in: memory)
    }

    var isEmpty: Bool { first == next }
    /// Old entries soon give way to new ones, or do already.
    var isNearlyFull: Bool {
        next - first >= memory.ringEntries / 4 * 3 || bytes >= memory.ringBytes / 4 * 3
    }
    /// Whether so much is told at once that it would run over readers who keep up.
    func isTooMuch(entries: Int, bytes: Int) -> Bool {
        entries >= memory.newsEntries || bytes >= memory.newsBytes
    }
    /// Position of the newest entry, or the number before the first.
    var last: UInt64 { next - 1 }

    private var packedEnd: UInt64 { first + UInt64(packed.count) }

    /// The age of the oldest entry; nil without one.
    var oldestAge: UInt32? {
        if isEmpty { return nil }
        return packed.count > 0 ? packed.oldestAge : place(first).pointee.age
    }

    /// Takes the newest entry in; older ones go to make room. `isRead` says whether any cursor reads this ring.
    func append(_ entry: consuming RingEntry, isRead: Bool = true) {
        entry.age = memory.age
        if !isRead && next == packedEnd && PackedEntries.takes(entry) { return pack(entry) }
        let size = Int(entry.bytes)
        makeRoom(for: size)
        if next - packedEnd == capacity { resize(to: max(4, capacity * 2)) }
        place(next).initialize(to: entry)
        next += 1
        took(size)
        memory.ringsGrew(by: size)
    }

    private func pack(_ entry: borrowing RingEntry) {
        makeRoom(for: Int(entry.bytes))
        let before = packed.bytes
        packed.append(entry)
        memory.ringsGrew(by: packed.bytes - before)
        next += 1
        took(Int(entry.bytes))
    }

    @inline(__always)
    private func took(_ size: Int) {
        bytes += size
        memory.recorded(size)
    }

    @inline(__always)
    private func makeRoom(for size: Int) {
        while first < next && (next - first >= memory.ringEntries || bytes + size > memory.ringBytes) {
            dropOldest()
        }
    }

    /// Forgets everything, as if `count` more entries had come and gone: whoever resumes from before is told
    /// so.
    func forget(skipping count: UInt64 = 0) {
        while first < next { dropOldest() }
        first += count
        next = first
        releaseEntries()
    }

    /// Forgets the entries of this age and older, and gives back the memory that they had: what is counted is what the
    /// entries take, and a block that is half empty is made smaller.
    func forget(upTo age: UInt32) {
        while first < next, let oldest = oldestAge, oldest <= age {
            memory.shed += 1
            dropOldest()
        }
        lines.trim(in: memory)
        if isEmpty {
            releaseEntries()
        } else {
            packed.trim()
            if capacity > 4, next - packedEnd <= capacity / 2 { resize(to: capacity / 2) }
        }
    }

    /// The entry at a position that is kept; valid until the ring is changed.
    func entry(at position: UInt64) -> UnsafePointer<RingEntry> {
        precondition(position >= first && position < next, "the ring does not hold \(position)")
        if position < packedEnd { unpack() }
        return UnsafePointer(place(position))
    }

    /// Appends the line of an entry to `out`: encoded by `encode` when the first cursor passes, and copied from then on
    /// if it `keeps` the line, for others to come.
    @inline(__always)
    func append(
        lineOf position: UInt64, to out: inout ByteBuffer, keeps: Bool = true,
        encode: (UnsafePointer<RingEntry>, inout ByteBuffer) -> Void
    ) {
        if position < packedEnd { unpack() }
        let entry = place(position)
        if case .line(let line) = entry.pointee.content {
            out.append(line.bytes)
            return
        }
        let before = out.count
        encode(UnsafePointer(entry), &out)
        if keeps { keep(UnsafeRawBufferPointer(rebasing: out.bytes[before...]), as: entry) }
    }

    private func keep(_ text: UnsafeRawBufferPointer, as entry: UnsafeMutablePointer<RingEntry>) {
        let line = lines.keep(text, in: memory)
        bytes += line.count + Int(RingEntry.stride) - Int(entry.pointee.bytes)
        memory.ringsGrew(by: Int(RingEntry.stride) - Int(entry.pointee.bytes))
        entry.pointee.bytes = RingEntry.stride + Int32(line.count)
        entry.pointee.content = .line(line)
    }

    @inline(__always)
    private func place(_ position: UInt64) -> UnsafeMutablePointer<RingEntry> {
        // Only asked for positions that are kept, so that there is a block.
        entries.unsafelyUnwrapped + Int(truncatingIfNeeded: position & (capacity - 1))
    }

    private func dropOldest() {
        if packed.count > 0 {
            let before = packed.bytes
            bytes -= packed.dropFirst()
            memory.ringsGrew(by: packed.bytes - before)
            first += 1
            if packed.count == 0 { packed.removeAll() }
            return
        }
        let oldest = place(first)
        let size = Int(oldest.pointee.bytes)
        bytes -= size
        if case .line(let line) = oldest.pointee.content {
            lines.drop(line, in: memory)
            memory.ringsGrew(by: -Int(RingEntry.stride))
        } else {
            memory.ringsGrew(by: -size)
        }
        oldest.deinitialize(count: 1)
        first += 1
    }

    /// A cursor reads what was packed. It will read the rest too, so all of it becomes entries.
    private func unpack() {
        var wanted: UInt64 = 4
        while wanted < next - first { wanted *= 2 }
        resize(to: wanted)
        var position = first
        var size = 0
        packed.forEach(from: first) { entry in
            size += Int(entry.bytes)
            place(position).initialize(to: entry)
            position += 1
        }
        memory.ringsGrew(by: size - packed.bytes)
        packed.removeAll()
    }

    private func releaseEntries() {
        entries?.deallocate()
        entries = nil
        capacity = 0
    }

    /// Moves the entries to a block for `count` of them.
    private func resize(to count: UInt64) {
        let block = UnsafeMutablePointer<RingEntry>.allocate(capacity: Int(count))
        for position in packedEnd..<next {
            (block + Int(position & (count - 1))).moveInitialize(from: place(position), count: 1)
        }
        entries?.deallocate()
        entries = block
        capacity = count
    }
}
