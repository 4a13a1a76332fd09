#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One line of input, or why there is none.
public enum InputLine {
    /// The line without its LF and without a CR before that. Valid until the buffer is touched again; 64 bytes behind it
    /// are readable.
    case line(UnsafeRawBufferPointer)
    /// A line longer than `Limits.lineBytes` came. It is passed over up to its LF; said once for each such line.
    case tooLong
    /// That line has gone on for `Limits.discardBytes`: the sender is not going to stop, close the connection.
    case flooded
}

/// The block all connections of a loop read into. Reads happen one after the other and a connection that is between two
/// lines holds nothing, so ten thousand idle connections need one block.
public final class ReadBlock {
    let memory: UnsafeMutableRawBufferPointer

    public init(bytes: Int = 64 << 10) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes + linePadding, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        memory.deallocate()
    }

    var usable: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory.dropLast(linePadding))
    }
}

/// What the parser may read behind a line.
public let linePadding = 64

/// The line splitter of one connection: bytes in, lines out, in place.
///
/// The order of calls for each read: `space` gives the memory to read into, `filled` says how much came, then `nextLine`
/// until it returns nil, or `keepRest` to go on in a later loop turn. Lines lie in the shared block and are never copied;
/// only a line that is not complete yet moves into memory of the connection's own, and the search for its LF goes on
/// where it stopped, so that a line of a megabyte sent byte by byte costs a megabyte of work.
///
/// Pure: no descriptor, no clock. One thread.
public struct InputBuffer: ~Copyable {
    private let lineBytes: Int
    private let discardBytes: Int
    /// Where the unread bytes lie: in the shared block during a read, else in `own`.
    private var base: UnsafeMutableRawPointer?
    private var start = 0
    private var end = 0
    /// Up to here there is no LF after `start`.
    private var scanned = 0
    private var own: UnsafeMutableRawPointer?
    private var ownCapacity = 0
    /// Bytes passed over of an over-long line, or nil.
    private var discarded: Int?
    private var isFlooded = false

    public init(limits: Limits = Limits()) {
        lineBytes = limits.lineBytes
        discardBytes = limits.discardBytes
    }

    deinit {
        free(own)
    }

    /// Whether `nextLine` may have something without another read, after `keepRest`.
    public var hasUnread: Bool { scanned < end }

    /// Memory the connection holds of its own, for `seam.stats`.
    public var heldBytes: Int { ownCapacity }

    // MARK: reading

    /// The memory to read into: `block`, or behind an incomplete line. Never empty. Valid until `filled`.
    public mutating func space(_ block: ReadBlock) -> UnsafeMutableRawBufferPointer {
        if start == end {
            releaseOwn()
            base = block.memory.baseAddress
            return block.usable
        }
        precondition(base == own, "unread bytes in the shared block: keepRest was not called")
        if end - start <= min(smallestOwn, block.usable.count / 2) { return spaceBehindRest(block) }
        makeRoom()
        // Safe: `makeRoom` leaves a block with room.
        return UnsafeMutableRawBufferPointer(start: own! + end, count: ownCapacity - end)
    }

    /// A client that sends without a pause leaves half a line behind each full block. Reading on behind that half in
    /// memory of its own would be one read for 4 KiB ever after: it goes back to the front of the block instead.
    private mutating func spaceBehindRest(_ block: ReadBlock) -> UnsafeMutableRawBufferPointer {
        let rest = end - start
        // Safe: there are unread bytes, and they are in `own`; a block has an address and is larger.
        memcpy(block.memory.baseAddress!, own! + start, rest)
        base = block.memory.baseAddress
        scanned -= start
        start = 0
        end = rest
        return UnsafeMutableRawBufferPointer(rebasing: block.usable[rest...])
    }

    /// `bytes` were read into what `space` returned. When nothing was, `keepRest` has to be called all the same.
    public mutating func filled(_ bytes: Int) {
        end += bytes
    }

    /// Puts unread bytes aside so that the shared block is free for the next connection. Needed only when the caller
    /// stops before `nextLine` has returned nil.
    public mutating func keepRest() {
        guard let base, base != own else { return }
        let size = end - start
        if size > 0 {
            resizeOwn(size)
            // Safe: `resizeOwn` leaves a block of that size.
            memcpy(own!, base + start, size)
        }
        self.base = own
        scanned -= start
        start = 0
        end = size
    }

    // MARK: lines

    /// The next line; nil when another read is needed.
    public mutating func nextLine() -> InputLine? {
        while start < end, !isFlooded, let base {
            let lineFeed = memchr(base + scanned, 0x0A, end - scanned)
            if discarded != nil {
                if let flood = passOver(to: lineFeed) { return flood }
                continue
            }
            guard let lineFeed else {
                scanned = end
                if isTooLong(end - start) {
                    discarded = end - start
                    start = end
                    return .tooLong
                }
                keepRest()
                return nil
            }
            let found = UnsafeMutableRawPointer(mutating: lineFeed) - base
            let line = trimmed(start, found)
            start = found + 1
            scanned = start
            if line.count > lineBytes { return .tooLong }
            if !isBlank(line) { return .line(line) }
        }
        if start == end || isFlooded {
            releaseOwn()
            base = nil
        }
        return nil
    }

    /// The last line at the end of the input, which may lack its LF. Call after `nextLine` has returned nil.
    public mutating func lastLine() -> InputLine? {
        guard let base, start < end, discarded == nil, !isFlooded else { return nil }
        let line = UnsafeRawBufferPointer(start: base + start, count: end - start)
        start = end
        scanned = end
        if isBlank(line) { return nil }
        return line.count > lineBytes ? .tooLong : .line(line)
    }

    /// A line of spaces and tabs says nothing. Any other line is told apart by its first byte.
    private func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }

    private func trimmed(_ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
        // Safe: only called with `base` set.
        let line = UnsafeRawBufferPointer(start: base! + from, count: to - from)
        return line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }

    /// Whether a line that has `size` bytes so far cannot become one of `lineBytes` any more: its last byte may be the
    /// CR that does not count.
    private func isTooLong(_ size: Int) -> Bool {
        if size <= lineBytes { return false }
        // Safe: only called with `base` set.
        return size > lineBytes + 1 || base!.load(fromByteOffset: end - 1, as: UInt8.self) != 0x0D
    }

    private mutating func passOver(to lineFeed: UnsafeMutableRawPointer?) -> InputLine? {
        // Safe: only called with `base` set and while passing over.
        let stop = lineFeed.map { $0 - base! } ?? end
        discarded! += stop - start
        if discarded! > discardBytes {
            isFlooded = true
            start = end
            return .flooded
        }
        if lineFeed != nil {
            discarded = nil
            start = stop + 1
        } else {
            start = end
        }
        scanned = start
        return nil
    }

    // MARK: the connection's own memory

    private mutating func makeRoom() {
        if start > 0 {
            // Safe: there are unread bytes in `own`. They are the rest of one read, so each byte moves once.
            memmove(own!, own! + start, end - start)
            end -= start
            scanned -= start
            start = 0
        }
        if ownCapacity - end < max(end, smallestOwn / 2) { resizeOwn(ownCapacity * 2) }
        base = own
    }

    private mutating func resizeOwn(_ bytes: Int) {
        var wanted = smallestOwn
        while wanted < bytes { wanted *= 2 }
        if wanted <= ownCapacity { return }
        guard let block = realloc(own, wanted + linePadding) else {
            fatalError("no memory for a line of \(wanted) bytes")
        }
        own = block
        ownCapacity = wanted
    }

    private mutating func releaseOwn() {
        start = 0
        end = 0
        scanned = 0
        guard own != nil else { return }
        free(own)
        own = nil
        ownCapacity = 0
    }
}

private let smallestOwn = 4096
