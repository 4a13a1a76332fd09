#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Bytes on their way out: appended behind, taken from the front, grown by doubling.
///
/// It owns one block of `malloc` memory, so that appending is a bounds check and a copy, and `bytes` can be handed to
/// `write` as it is. It cannot be copied: two owners of one out buffer would be a mistake. Not for use from two threads
/// at once.
///
/// `ByteBuffer+JSON.swift` writes JSON into it. There the comma before a member or an element is decided by the last
/// byte written, hence no writer object with a stack of its own.
public struct ByteBuffer: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private var start = 0
    private var end = 0

    public init() {}

    public init(reserving bytes: Int) {
        reserve(bytes)
    }

    /// A copy of the bytes, in a block of their size.
    public init(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        guard let block = malloc(bytes.count) else { fatalError("no memory for \(bytes.count) bytes") }
        memcpy(block, source, bytes.count)
        base = block
        capacity = bytes.count
        end = bytes.count
    }

    deinit {
        free(base)
    }

    public var count: Int { end - start }
    public var isEmpty: Bool { end == start }

    /// What is in the buffer. Valid until the next change of it.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + start }, count: end - start)
    }

    /// The bytes as text, for tests and logs.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    var lastByte: UInt8? {
        // Safe: `end > start` only once there is a block.
        isEmpty ? nil : base!.load(fromByteOffset: end - 1, as: UInt8.self)
    }

    // MARK: appending

    /// Makes room for `bytes` more without moving later.
    public mutating func reserve(_ bytes: Int) {
        if capacity - end >= bytes { return }
        grow(bytes)
    }

    private mutating func grow(_ bytes: Int) {
        let used = end - start
        if start > 0 {
            // Safe: `start > 0` only once there is a block. Half empty before it is moved: each byte moves once.
            if used <= start && capacity - used >= bytes {
                memcpy(base!, base! + start, used)
                start = 0
                end = used
                return
            }
        }
        var wanted = max(256, capacity)
        while wanted - used < bytes { wanted *= 2 }
        guard let block = malloc(wanted) else {
            fatalError("no memory for an out buffer of \(wanted) bytes")
        }
        if let base {
            memcpy(block, base + start, used)
            free(base)
        }
        base = block
        capacity = wanted
        start = 0
        end = used
    }

    /// Room for exactly `bytes` at the end, to be filled by the caller.
    @inline(__always)
    private mutating func claim(_ bytes: Int) -> UnsafeMutableRawPointer {
        reserve(bytes)
        // Safe: `reserve` leaves a block; for no bytes the pointer is not used.
        let place = base.unsafelyUnwrapped + end
        end += bytes
        return place
    }

    public mutating func append(_ byte: UInt8) {
        claim(1).storeBytes(of: byte, as: UInt8.self)
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        memcpy(claim(bytes.count), source, bytes.count)
    }

    public mutating func append(_ text: StaticString) {
        let size = text.utf8CodeUnitCount
        if size == 0 { return }
        memcpy(claim(size), text.utf8Start, size)
    }

    /// The same where it is called for every event: the compiler sees the size and copies in a few moves.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        let size = text.utf8CodeUnitCount
        claim(size).copyMemory(from: text.utf8Start, byteCount: size)
    }

    /// Appends the bytes of `text` as they are, without escaping.
    public mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    public mutating func append(_ other: borrowing ByteBuffer) {
        append(other.bytes)
    }

    /// Appends the text of a word or two between quotes: the first `size` bytes, of which `tail` are the last eight
    /// where there are more than eight.
    @inline(__always)
    mutating func append(quoted head: UInt64, _ tail: UInt64, size: Int) {
        reserve(20)
        // Safe: there is a block, with room for two words and two quotes.
        let place = base.unsafelyUnwrapped + end
        place.storeBytes(of: 0x22, as: UInt8.self)
        (place + 1).storeBytes(of: head, as: UInt64.self)
        if size > 8 { (place + (size &- 7)).storeBytes(of: tail, as: UInt64.self) }
        (place + (size &+ 1)).storeBytes(of: 0x22, as: UInt8.self)
        end &+= size &+ 2
    }

    /// Appends a number in decimal. An event line holds five and its reply four more: eight digits are made at once.
    @inline(__always)
    public mutating func append(decimal number: UInt64) {
        if number < 10 {
            append(0x30 + UInt8(truncatingIfNeeded: number))
        } else {
            append(longDecimal: number)
        }
    }

    private mutating func append(longDecimal number: UInt64) {
        reserve(24)
        if number < 100_000_000 { return store(digits: number) }
        let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
        if high < 100_000_000 {
            store(digits: high)
        } else {
            let (highest, middle) = high.quotientAndRemainder(dividingBy: 100_000_000)
            store(digits: highest)
            store(eight: eightDigits(middle), from: 0)
        }
        store(eight: eightDigits(low), from: 0)
    }

    /// A number below 10^8 without leading zeros. There is room.
    @inline(__always)
    private mutating func store(digits number: UInt64) {
        let digits = eightDigits(number)
        // The last digit stands in the highest byte and is written in any case.
        store(eight: digits, from: (digits | 1 << 56).trailingZeroBitCount / 8)
    }

    @inline(__always)
    private mutating func store(eight digits: UInt64, from first: Int) {
        // Safe: there is a block, with room for more than eight bytes.
        (base.unsafelyUnwrapped + end).storeBytes(
            of: ((digits | 0x3030_3030_3030_3030) &>> UInt64(first &* 8)).littleEndian, as: UInt64.self)
        end += 8 - first
    }

    // MARK: taking

    /// Takes `bytes` from the front, after they were written to the socket.
    public mutating func consume(_ bytes: Int) {
        precondition(bytes >= 0 && bytes <= count, "consumed \(bytes) of \(count) bytes")
        start += bytes
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Drops everything after the first `count` bytes: what was begun and turned out not to fit.
    public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count, "truncated \(self.count) bytes to \(count)")
        end = start + count
    }

    /// Empties the buffer; a block larger than `keeping` is given back.
    public mutating func removeAll(keeping bytes: Int = 64 << 10) {
        start = 0
        end = 0
        if capacity > bytes {
            free(base)
            base = nil
            capacity = 0
        }
    }

    /// Hands over the contents and leaves the buffer empty: for a write that outlives this loop turn while more is
    /// appended.
    public mutating func take() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &self)
        return taken
    }
}

extension String {
    /// Calls `body` with the UTF-8 of the string where it lies. Every Swift string that did not come from Foundation is
    /// stored so; the others are copied first.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// The eight digits of a number below 10^8, the first in the lowest byte: halves, then quarters, then digits are parted
/// side by side, and a division by a constant is a multiplication that is exact for numbers so small.
@inline(__always)
private func eightDigits(_ number: UInt64) -> UInt64 {
    let (high, low) = number.quotientAndRemainder(dividingBy: 10_000)
    let halves = high | low << 32
    let hundreds = ((halves &* 10_486) >> 20) & 0x7F_0000_007F
    let pairs = hundreds | (halves &- hundreds &* 100) << 16
    let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
    return tens | (pairs &- tens &* 10) << 8
}
