// What came into a simulation since its creation, kept in memory: packed bytes in blocks that are never moved, so that
// whoever reads them, on this thread or another, needs no copy.

import Glibc
import SeamKernel
import SeamWire

/// A block of packed inputs. Inputs do not go from one block into the next.
///
/// Sendable: bytes are written below a length that nobody was given yet, and never again.
nonisolated final class InputBlock: @unchecked Sendable {
    let bytes: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(_ capacity: Int) {
        self.capacity = capacity
        bytes = .allocate(capacity: capacity)
    }

    deinit { bytes.deallocate() }
}

/// The inputs up to one moment; what comes later does not change them.
nonisolated struct InputReader: Sendable {
    private var blocks: ArraySlice<(block: InputBlock, end: Int)>
    private var place = 0

    fileprivate init(_ blocks: [(block: InputBlock, end: Int)]) {
        self.blocks = blocks[...]
    }

    var isEmpty: Bool { blocks.allSatisfy { $0.end == 0 } }

    mutating func next() -> Input? {
        while let first = blocks.first {
            if place < first.end {
                var reader = PackedInput.Reader(place: first.block.bytes + place)
                let input = PackedInput.read(from: &reader)
                place = reader.place - UnsafePointer(first.block.bytes)
                return input
            }
            blocks.removeFirst()
            place = 0
        }
        return nil
    }
}

/// All that came into one simulation, or nothing: without its beginning the rest is of no use.
nonisolated struct History {
    enum State: Equatable {
        case kept
        /// `history: 0`.
        case off
        /// It was longer than its limit.
        case outgrown
        /// It gave way to the limit of the daemon's memory.
        case shed
    }

    private(set) var state: State
    let limit: Int
    /// Inputs taken in.
    private(set) var count: UInt64 = 0
    /// What the blocks take.
    private(set) var bytes = 0

    /// Full ones.
    private var blocks: [(block: InputBlock, end: Int)] = []
    /// The one that is written, beside the list: most simulations have no other.
    private var newest: InputBlock?
    /// In that one.
    private var place: UnsafeMutablePointer<UInt8>?
    private var room = 0

    private static let smallestBlock = 64
    private static let largestBlock = 64 << 10

    init(limit: Int) {
        self.limit = limit
        state = limit == 0 ? .off : .kept
    }

    @inline(never)
    mutating func append(_ event: Event, in memory: Memory) {
        guard state == .kept else { return }
        // Most events by themselves: the code for all of them at once prepares for each before it knows which it is.
        if case .modelWrite(let values) = event {
            var writer = PackedInput.Writer(at: place, room: room)
            PackedInput.writeModel(values, to: &writer)
            if writer.fits { return take(writer.count) }
        }
        appendAny(event, in: memory)
    }

    @inline(never)
    private mutating func appendAny(_ event: Event, in memory: Memory) {
        append(in: memory) { PackedInput.write(event, to: &$0) }
    }

    mutating func append(_ advance: Advance, in memory: Memory) {
        guard state == .kept else { return }
        append(in: memory) { PackedInput.write(advance, to: &$0) }
    }

    @inline(__always)
    private mutating func append(in memory: Memory, _ write: (inout PackedInput.Writer) -> Void) {
        while true {
            var writer = PackedInput.Writer(at: place, room: room)
            write(&writer)
            if writer.fits { return take(writer.count) }
            guard makeRoom(for: writer.count, in: memory) else { return }
        }
    }

    /// So many bytes more were written.
    @inline(__always)
    private mutating func take(_ bytes: Int) {
        place? += bytes
        room -= bytes
        count += 1
    }

    /// What has come in until now.
    var reader: InputReader {
        InputReader(newest.map { blocks + [($0, $0.capacity - room)] } ?? blocks)
    }

    mutating func giveWay(in memory: Memory) {
        drop(.shed, in: memory)
    }

    /// The simulation is gone, and nobody will ask.
    mutating func close(in memory: Memory) {
        drop(.off, in: memory)
    }

    private mutating func drop(_ reason: State, in memory: Memory) {
        guard state == .kept else { return }
        state = reason
        memory.historiesGrew(by: -bytes)
        bytes = 0
        blocks = []
        newest = nil
        place = nil
        room = 0
    }

    /// A block in which there is room; false when that would be beyond the limit.
    @inline(never)
    private mutating func makeRoom(for size: Int, in memory: Memory) -> Bool {
        let wanted = min(Self.largestBlock, max(Self.smallestBlock, 2 * (newest?.capacity ?? 0)))
        let capacity = max(size, min(wanted, limit - bytes))
        guard bytes + capacity <= limit else {
            drop(.outgrown, in: memory)
            return false
        }
        if let newest { blocks.append((newest, newest.capacity - room)) }
        let block = InputBlock(capacity)
        newest = block
        bytes += capacity
        memory.historiesGrew(by: capacity)
        place = block.bytes
        room = capacity
        return true
    }
}
