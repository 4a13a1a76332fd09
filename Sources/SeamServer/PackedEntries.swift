// Changes that nobody has read yet, a few bytes each.
//
// For each `unsafelyUnwrapped` in here: there is a block whenever a record lies in it, and none is read but those.

import Glibc
import SeamKernel

/// The changes of a ring without readers, oldest first: numbers of variable length and the bytes of the two values.
///
/// Ten thousand simulations that nobody watches keep their history so, in a tenth of the memory that entries take
/// (14 bytes for a short value instead of 80). Texts are copied: long ones stay entries, which share theirs.
nonisolated struct PackedEntries: ~Copyable {
    private var block: UnsafeMutablePointer<UInt8>?
    private var capacity: UInt32 = 0
    private var start: UInt32 = 0
    private var end: UInt32 = 0
    private(set) var count: UInt32 = 0

    /// A text of more bytes is not packed.
    static let longestText = 64
    /// The first block, as malloc cuts it: half a dozen short changes.
    private static let smallestBlock: UInt32 = 56

    init() {}

    deinit { free(block) }

    /// Bytes of the records.
    var bytes: Int { Int(end - start) }

    /// Whether a change can be packed at all.
    static func takes(_ entry: borrowing RingEntry) -> Bool {
        guard entry.source == nil, case .values(let model, let shown) = entry.content else { return false }
        return (model?.utf8.count ?? 0) <= longestText && (shown?.utf8.count ?? 0) <= longestText
    }

    /// Takes a change in that `takes` has let pass.
    mutating func append(_ entry: borrowing RingEntry) {
        guard case .values(let model, let shown) = entry.content else { return }
        let numbers = (
            UInt64(entry.field), UInt64(entry.age), entry.turn, UInt64(bitPattern: entry.nanoseconds)
        )
        let texts = 2 + (model?.utf8.count ?? 0) + (shown?.utf8.count ?? 0)
        let size =
            1 + Self.size(of: numbers.0) + Self.size(of: numbers.1) + Self.size(of: numbers.2)
            + Self.size(of: numbers.3) + UInt32(texts)
        if capacity - end < size { makeRoom(for: size) }
        count += 1
        put(entry.from.rawValue << 4 | entry.to.rawValue)
        put(number: numbers.0)
        put(number: numbers.1)
        put(number: numbers.2)
        put(number: numbers.3)
        put(model)
        if let model, let shown, entry.to == .matching, model.utf8.elementsEqual(shown.utf8) {
            put(Self.sameText)
        } else {
            put(shown)
        }
    }

    /// Drops the oldest; what it would take as an entry.
    mutating func dropFirst() -> Int {
        var reader = reader
        let cost = reader.skipRecord()
        start = reader.place
        count -= 1
        return cost
    }

    /// The age of the oldest.
    var oldestAge: UInt32 {
        var reader = reader
        _ = reader.byte()
        _ = reader.number()
        return UInt32(truncatingIfNeeded: reader.number())
    }

    /// All of them as entries, the first with this position.
    func forEach(from position: UInt64, _ body: (consuming RingEntry) -> Void) {
        var reader = reader
        var position = position
        while reader.place < end {
            body(reader.record(at: position))
            position += 1
        }
    }

    /// Gives back everything.
    mutating func removeAll() {
        free(block)
        block = nil
        capacity = 0
        start = 0
        end = 0
        count = 0
    }

    // MARK: Bytes

    /// In the place of a text's length: none, and the same text as the model's. Lengths begin behind them.
    private static let noText: UInt8 = 0
    private static let sameText: UInt8 = 1
    private static let firstLength: UInt8 = 2

    private mutating func put(_ byte: UInt8) {
        block.unsafelyUnwrapped[Int(end)] = byte
        end += 1
    }

    /// Seven bits a byte, the lowest first.
    private mutating func put(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    private static func size(of number: UInt64) -> UInt32 {
        UInt32((max(1, 64 - number.leadingZeroBitCount) + 6) / 7)
    }

    private mutating func put(_ text: String?) {
        guard let text else { return put(Self.noText) }
        let bytes = text.utf8
        put(Self.firstLength + UInt8(truncatingIfNeeded: bytes.count))
        let rest = UnsafeMutableBufferPointer(
            start: block.unsafelyUnwrapped + Int(end), count: Int(capacity - end))
        end += UInt32(rest.update(fromContentsOf: bytes))
    }

    private struct Reader {
        let block: UnsafeMutablePointer<UInt8>
        var place: UInt32

        mutating func byte() -> UInt8 {
            defer { place += 1 }
            return block[Int(place)]
        }

        mutating func number() -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while true {
                let byte = byte()
                value |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
        }

        mutating func text(model: String?) -> String? {
            let length = byte()
            if length == PackedEntries.noText { return nil }
            if length == PackedEntries.sameText { return model }
            let count = Int(length - PackedEntries.firstLength)
            defer { place += UInt32(count) }
            return String(
                decoding: UnsafeBufferPointer(start: block + Int(place), count: count), as: UTF8.self)
        }

        /// Passes over a record; what it would take as an entry.
        mutating func skipRecord() -> Int {
            place += 1
            for _ in 0..<4 { _ = number() }
            let model = skipText()
            let shown = skipText() ?? model
            return Int(RingEntry.stride) + heapBytes(ofText: model ?? 0) + heapBytes(ofText: shown ?? 0)
        }

        /// Bytes of the text, none for one that is the same as the model's.
        private mutating func skipText() -> Int? {
            let length = byte()
            if length == PackedEntries.sameText { return nil }
            let count = Int(max(length, PackedEntries.firstLength) - PackedEntries.firstLength)
            place += UInt32(count)
            return count
        }

        mutating func record(at position: UInt64) -> RingEntry {
            let verdicts = byte()
            let field = Int32(truncatingIfNeeded: number())
            let age = UInt32(truncatingIfNeeded: number())
            let turn = number()
            let nanoseconds = Int64(bitPattern: number())
            let model = text(model: nil)
            return RingEntry(
                model: model, shown: text(model: model),
                // Written above from verdicts.
                from: Verdict(rawValue: verdicts >> 4).unsafelyUnwrapped,
                to: Verdict(rawValue: verdicts & 0xF).unsafelyUnwrapped, field: field, age: age,
                seq: position,
                turn: turn, nanoseconds: nanoseconds)
        }
    }

    private var reader: Reader { Reader(block: block.unsafelyUnwrapped, place: start) }

    /// Room for one more record: what was dropped in front, or half as much again.
    private mutating func makeRoom(for size: UInt32) {
        let used = end - start
        if start > capacity / 2 && capacity - used >= size {
            // Dropped from, so there is a block.
            memmove(block.unsafelyUnwrapped, block.unsafelyUnwrapped + Int(start), Int(used))
            start = 0
            end = used
        } else {
            move(to: max(Self.smallestBlock, used + max(used / 2, size)))
        }
    }

    /// Makes the block smaller if less than half of it is used.
    mutating func trim() {
        let used = end - start
        if used < capacity / 2, used > Self.smallestBlock { move(to: used) }
    }

    private mutating func move(to wanted: UInt32) {
        let used = end - start
        guard let grown = malloc(Int(wanted)) else { fatalError("no memory for \(wanted) bytes of history") }
        let bytes = grown.bindMemory(to: UInt8.self, capacity: Int(wanted))
        if let block { memcpy(bytes, block + Int(start), Int(used)) }
        free(block)
        block = bytes
        capacity = wanted
        start = 0
        end = used
    }
}
