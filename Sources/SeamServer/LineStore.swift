import Glibc
import SeamWire

/// Where a kept line lies: from behind its `"sub":N,` to its LF.
nonisolated struct StoredLine {
    fileprivate let chunk: UnsafeMutablePointer<LineStore.Chunk>
    fileprivate let offset: Int32
    fileprivate let size: Int32

    var count: Int { Int(size) }

    /// Valid until the line is dropped from its store.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(chunk) + Int(offset), count: Int(size))
    }
}

/// The encoded lines of one ring, in chunks; a chunk is used again once none of its lines is kept.
///
/// Lines are encoded in the order in which cursors pass them, and a resumed cursor comes late: hence chunks
/// that count their lines, and not one circular buffer.
nonisolated struct LineStore: ~Copyable {
    fileprivate struct Chunk {
        var capacity: Int
        var used: Int
        var kept: Int
    }

    private var current: UnsafeMutablePointer<Chunk>?
    /// One chunk to be used again: a full ring lives on that and gives every other back.
    private var spare: UnsafeMutablePointer<Chunk>?

    private static let header = MemoryLayout<Chunk>.stride
    /// A simulation that speaks little takes little; one that streams gets there in five steps.
    private static let smallestChunk = 2 << 10
    private static let largestChunk = 64 << 10

    init() {}

    /// All lines must have been dropped before: only then are these two all that is left.
    deinit {
        free(current)
        free(spare)
    }

    /// Copies the line in. Chunks are counted as bytes of rings in `memory`, here and below.
    mutating func keep(_ line: UnsafeRawBufferPointer, in memory: Memory) -> StoredLine {
        let chunk = chunk(withRoomFor: line.count, in: memory)
        let offset = chunk.pointee.used
        // A line is never empty: it has its LF.
        memcpy(UnsafeMutableRawPointer(chunk) + offset, line.baseAddress!, line.count)
        chunk.pointee.used += line.count
        chunk.pointee.kept += 1
        return StoredLine(chunk: chunk, offset: Int32(offset), size: Int32(line.count))
    }

    mutating func drop(_ line: StoredLine, in memory: Memory) {
        let chunk = line.chunk
        chunk.pointee.kept -= 1
        guard chunk.pointee.kept == 0 else { return }
        if chunk == current {
            chunk.pointee.used = Self.header
        } else if spare == nil && chunk.pointee.capacity == Self.largestChunk {
            spare = chunk
        } else {
            Self.release(chunk, in: memory)
        }
    }

    /// Gives back what holds no line.
    mutating func trim(in memory: Memory) {
        if let spare { Self.release(spare, in: memory) }
        spare = nil
        if let current, current.pointee.kept == 0 {
            Self.release(current, in: memory)
            self.current = nil
        }
    }

    private static func release(_ chunk: UnsafeMutablePointer<Chunk>, in memory: Memory) {
        memory.ringsGrew(by: -chunk.pointee.capacity)
        free(chunk)
    }

    private mutating func chunk(withRoomFor bytes: Int, in memory: Memory) -> UnsafeMutablePointer<Chunk> {
        if let current, current.pointee.capacity - current.pointee.used >= bytes { return current }
        let grown = min(Self.largestChunk, (current?.pointee.capacity ?? Self.smallestChunk / 2) * 2)
        if let current, current.pointee.kept == 0 { Self.release(current, in: memory) }
        if let reused = spare, reused.pointee.capacity - Self.header >= bytes {
            spare = nil
            reused.pointee.used = Self.header
            current = reused
            return reused
        }
        let capacity = max(grown, Self.header + bytes)
        guard let block = malloc(capacity) else { fatalError("no memory for \(capacity) bytes of lines") }
        memory.ringsGrew(by: capacity)
        let chunk = block.bindMemory(to: Chunk.self, capacity: 1)
        chunk.initialize(to: Chunk(capacity: capacity, used: Self.header, kept: 0))
        current = chunk
        return chunk
    }
}
