import SeamWire

/// The newest events, encoded once, for every browser: a reader is a position in it, and nobody has a queue.
final class EventRing {
    static let mostEntries = 65_536
    static let mostBytes = 16 << 20

    private struct Entry {
        /// Where it begins, counted from the first byte ever.
        var offset: UInt64
        var length: UInt32
        /// Bytes of the line with the id that it begins with; 0 when it has none.
        var idBytes: UInt32
        var row: Int32
        var dseq: UInt64
        /// `sim/Screen.field`, when it is about one.
        var subject: String?
    }

    /// Position of the oldest event kept, and of the one that comes next.
    private(set) var first: UInt64 = 0
    private(set) var next: UInt64 = 0
    /// Everything behind this dseq is kept.
    private(set) var floor: UInt64 = 0

    /// The event at position p is at p modulo its capacity, which is reached by growing.
    private var entries: [Entry] = []
    /// Memory that was never written to costs nothing. There is one ring, which lives as long as the process.
    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: EventRing.mostBytes, alignment: 64)
    private var end: UInt64 = 0
    /// How many there were when the numbering began anew.
    private var base: UInt64 = 0

    var count: Int { Int(next - first) }
    /// Bytes from the oldest event to the newest.
    var heldBytes: Int { count == 0 ? 0 : Int(end - entry(first).offset) }

    private func slot(_ position: UInt64) -> Int { Int((position - base) % UInt64(Self.mostEntries)) }
    private func entry(_ position: UInt64) -> Entry { entries[slot(position)] }

    /// Forgets everything; what comes is numbered from behind `dseq`.
    func removeAll(behind dseq: UInt64) {
        first = next
        base = next
        entries = []
        floor = dseq
    }

    /// - Parameters:
    ///   - idBytes: how much of the text is the line with its id.
    ///   - row: the field that it changed, -1 for none.
    func append(
        _ text: UnsafeRawBufferPointer, idBytes: Int, dseq: UInt64, row: Int32, subject: String?
    ) {
        let capacity = UInt64(Self.mostBytes)
        guard let source = text.baseAddress, text.count <= Self.mostBytes / 4 else {
            // Nothing that the daemon sends is so long. Everybody reads anew rather than lack it.
            next += 1
            removeAll(behind: dseq)
            return
        }
        let size = UInt64(text.count)
        var start = end
        // No event lies across the end of the memory.
        if start % capacity + size > capacity { start += capacity - start % capacity }
        while count > 0, count >= Self.mostEntries || entry(first).offset + capacity < start + size {
            floor = max(floor, entry(first).dseq)
            entries[slot(first)].subject = nil
            first += 1
        }
        (bytes + Int(start % capacity)).copyMemory(from: source, byteCount: text.count)
        end = start + size
        let made = Entry(
            offset: start, length: UInt32(text.count), idBytes: UInt32(idBytes), row: row, dseq: dseq,
            subject: subject)
        let place = slot(next)
        if place == entries.count { entries.append(made) } else { entries[place] = made }
        next += 1
    }

    struct Event {
        let text: UnsafeRawBufferPointer
        let idBytes: Int
        let row: Int32
        let subject: String?
        /// The text without its id: a browser must not resume from the middle of a snapshot.
        var withoutID: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[idBytes...]) }
    }

    /// The event at a position that is kept. Its text is valid until the next change.
    func event(at position: UInt64) -> Event {
        let entry = entry(position)
        let start = bytes + Int(entry.offset % UInt64(Self.mostBytes))
        return Event(
            text: UnsafeRawBufferPointer(start: start, count: Int(entry.length)), idBytes: Int(entry.idBytes),
            row: entry.row, subject: entry.subject)
    }

    /// Where a reader goes on that has everything up to `dseq`; nil when something behind it is gone.
    func position(behind dseq: UInt64) -> UInt64? {
        guard dseq >= floor else { return nil }
        var (low, high) = (first, next)
        while low < high {
            let middle = low + (high - low) / 2
            if entry(middle).dseq < dseq { low = middle + 1 } else { high = middle }
        }
        // What has no id of its own stands behind the one that has: it may not have been read.
        if low < next, entry(low).dseq == dseq, entry(low).idBytes > 0 { low += 1 }
        return low
    }
}
