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

    /// Appends a number in decimal. An event line holds five and its reply four more: two digits a division.
    public mutating func append(decimal number: UInt64) {
        if number < 10 {
            append(0x30 + UInt8(truncatingIfNeeded: number))
            return
        }
        let size = decimalDigits(number)
        let place = claim(size)
        var rest = number
        var at = size
        while rest >= 100 {
            at -= 2
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            store(pair: pair, at: place + at)
            rest = quotient
        }
        if at == 2 {
            store(pair: rest, at: place)
        } else {
            place.storeBytes(of: 0x30 + UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
    }

    /// A number below 100 as two digits.
    @inline(__always)
    private func store(pair: UInt64, at place: UnsafeMutableRawPointer) {
        let tens = (pair * 103) >> 10  // pair / 10, exact below 100
        let units = pair - tens * 10
        place.storeBytes(
            of: (0x3030 + UInt16(truncatingIfNeeded: tens | units << 8)).littleEndian, as: UInt16.self)
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

/// How many digits a number has in decimal, 1 for 0.
private func decimalDigits(_ number: UInt64) -> Int {
    var size = 1
    var bound: UInt64 = 10
    while number >= bound {
        size += 1
        if size == 20 { break }
        bound *= 10
    }
    return size
}
