import CSimdjson

/// JSON written straight into the out buffer.
///
/// A comma is due unless the last byte opens something or already divides, so `member` and the values can be called in
/// any place where JSON allows them, and pieces encoded elsewhere can be joined in between. Objects and arrays are
/// written by closures, which cannot be left open.
///
/// Text is escaped as RFC 8259 asks, and DEL, the C1 controls, U+2028 and U+2029 beyond that: a line shown on a
/// terminal or pasted into JavaScript then does what its letters say and nothing else.
extension ByteBuffer {
    // MARK: containers

    public mutating func object(_ body: (inout ByteBuffer) -> Void) {
        divide()
        append(0x7B)
        body(&self)
        append(0x7D)
    }

    public mutating func array(_ body: (inout ByteBuffer) -> Void) {
        divide()
        append(0x5B)
        body(&self)
        append(0x5D)
    }

    public mutating func object(_ name: StaticString, _ body: (inout ByteBuffer) -> Void) {
        key(name)
        object(body)
    }

    public mutating func array(_ name: StaticString, _ body: (inout ByteBuffer) -> Void) {
        key(name)
        array(body)
    }

    // MARK: members

    /// A key that needs no escaping, and its colon.
    public mutating func key(_ name: StaticString) {
        divide()
        append(0x22)
        append(name)
        literal("\":")
    }

    public mutating func key(_ name: String) {
        value(name)
        append(0x3A)
    }

    public mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        quoted(text)
    }

    /// A member that is `null` when there is no text: a model or shown value.
    public mutating func member(_ name: StaticString, orNull text: String?) {
        key(name)
        if let text { quoted(text) } else { append("null") }
    }

    public mutating func member(_ name: StaticString, _ word: StaticString) {
        key(name)
        quoted(word)
    }

    public mutating func member(_ name: StaticString, _ number: UInt64) {
        key(name)
        append(decimal: number)
    }

    public mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        signed(Int64(number))
    }

    public mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        append(flag ? "true" : "false")
    }

    public mutating func member(_ name: StaticString, _ texts: some Sequence<String>) {
        key(name)
        append(0x5B)
        for text in texts { value(text) }
        append(0x5D)
    }

    // MARK: values

    public mutating func value(_ text: String) {
        divide()
        quoted(text)
    }

    public mutating func value(_ word: StaticString) {
        divide()
        quoted(word)
    }

    public mutating func value(_ number: UInt64) {
        divide()
        append(decimal: number)
    }

    public mutating func value(_ number: Int) {
        divide()
        signed(Int64(number))
    }

    public mutating func value(_ flag: Bool) {
        divide()
        append(flag ? "true" : "false")
    }

    public mutating func null() {
        divide()
        append("null")
    }

    /// JSON that was written before, as one value.
    public mutating func raw(_ json: StaticString) {
        divide()
        append(json)
    }

    // MARK: values that are cut

    /// At most `limit` bytes of the text as a value, whose comma or colon is written already. Says the full size when
    /// something was left out.
    mutating func cut(_ text: String?, limit: Int) -> Int? {
        guard let text else {
            literal("null")
            return nil
        }
        return text.withBytes { bytes in
            if bytes.count <= limit {
                quote(bytes)
                return nil
            }
            quote(UnsafeRawBufferPointer(rebasing: bytes[..<characterBorder(bytes, atMost: limit)]))
            return bytes.count
        }
    }

    /// The members `model` and `shown` behind another one, and `modelBytes` and `shownBytes` behind them where one was cut.
    public mutating func modelAndShown(_ model: String?, _ shown: String?, limit: Int) {
        literal(",\"model\":")
        let modelBytes = cut(model, limit: limit)
        literal(",\"shown\":")
        let shownBytes = cut(shown, limit: limit)
        if let modelBytes { member("modelBytes", modelBytes) }
        if let shownBytes { member("shownBytes", shownBytes) }
    }

    // MARK: pages

    /// An array of as many elements as fit, from number `from` on: at most `limit` of them, and none that would take
    /// the buffer beyond `end` bytes; the first is written in any case. The number of the first element left out is
    /// returned, nil when none was.
    public mutating func page(
        _ name: StaticString, from: Int, total: Int, limit: Int? = nil, end: Int,
        _ element: (inout ByteBuffer, Int) -> Void
    ) -> Int? {
        key(name)
        append(0x5B)
        let first = min(max(0, from), total)
        let last = limit.map { first + min(max(0, $0), total - first) } ?? total
        var next = first
        while next < last {
            let mark = count
            element(&self, next)
            if count > end && next > first {
                truncate(to: mark)
                break
            }
            next += 1
        }
        append(0x5D)
        return next < total ? next : nil
    }

    // MARK: the pieces

    @inline(__always)
    mutating func divide() {
        switch lastByte {
        case nil, 0x7B, 0x5B, 0x2C, 0x3A, 0x0A: return  // { [ , : LF
        default: append(0x2C)
        }
    }

    mutating func signed(_ number: Int64) {
        if number < 0 { append(0x2D) }
        append(decimal: number.magnitude)
    }

    mutating func quoted(_ text: String) {
        text.withBytes { quote($0) }
    }

    mutating func quoted(_ text: StaticString) {
        quote(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Text as a JSON string. `bytes` must be valid UTF-8.
    private mutating func quote(_ bytes: UnsafeRawBufferPointer) {
        let size = bytes.count
        if size <= 16 {
            // Names and most values: one or two words, which may overlap.
            let head = size >= 8 ? bytes.loadUnaligned(as: UInt64.self) : shortWord(bytes)
            let tail = size > 8 ? bytes.loadUnaligned(fromByteOffset: size - 8, as: UInt64.self) : head
            let spaces = size >= 8 ? 0 : (0x2020_2020_2020_2020 &<< UInt64(size &* 8)).littleEndian
            if seam_json_is_clean(head | spaces, tail | spaces) != 0 {
                return append(quoted: head, tail, size: size)
            }
        }
        append(0x22)
        escape(bytes)
        append(0x22)
    }

    /// The text of a JSON string without its quotes. Clean runs are copied whole.
    private mutating func escape(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count + 2)
        let size = bytes.count
        var run = 0
        var at = 0
        while at < size {
            while at + 16 <= size, isClean(bytes, at) { at += 16 }
            guard at < size else { break }
            let byte = bytes[at]
            let width = escapedWidth(byte, in: bytes, at: at)
            if width > 0 {
                append(UnsafeRawBufferPointer(rebasing: bytes[run..<at]))
                escapeCharacter(byte, in: bytes, at: at)
                at += width
                run = at
            } else {
                at += 1
            }
        }
        append(UnsafeRawBufferPointer(rebasing: bytes[run..<size]))
    }

    /// How many bytes at `at` form a character that must be escaped, 0 if none must.
    @inline(__always)
    private func escapedWidth(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, at: Int) -> Int {
        switch byte {
        case 0x00...0x1F, 0x22, 0x5C, 0x7F: 1
        case 0xC2: at + 1 < bytes.count && bytes[at + 1] < 0xA0 ? 2 : 0  // U+0080 … U+009F
        case 0xE2:  // U+2028 and U+2029 are E2 80 A8 and E2 80 A9
            at + 2 < bytes.count && bytes[at + 1] == 0x80 && bytes[at + 2] & 0xFE == 0xA8 ? 3 : 0
        default: 0
        }
    }

    private mutating func escapeCharacter(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, at: Int) {
        switch byte {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        case 0xC2: unicode(UInt16(bytes[at + 1]))
        case 0xE2: unicode(0x2000 | UInt16(bytes[at + 2] & 0x3F))
        default: unicode(UInt16(byte))
        }
    }

    private mutating func unicode(_ value: UInt16) {
        append("\\u")
        for shift in stride(from: UInt16(12), through: 0, by: -4) {
            append(hexDigit(UInt8(value >> shift & 0xF)))
        }
    }

    /// An epoch as it is written: 16 lower-case hexadecimal digits.
    public static func hexadecimal(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for index in 0..<16 {
                digits[index] = hexDigit(UInt8(number >> UInt64(60 - 4 * index) & 0xF))
            }
            return 16
        }
    }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x61 + value - 10
}

/// Whether none of the 16 bytes at `at` needs a second look.
@inline(__always)
private func isClean(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Bool {
    seam_json_is_clean(
        bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)) != 0
}

/// Fewer than eight bytes as a word that holds them in their order; what is behind them is 0.
@inline(__always)
private func shortWord(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let size = bytes.count
    func byte(_ place: Int) -> UInt64 { UInt64(bytes[place]) &<< UInt64(place &* 8) }
    if size >= 4 {
        let head = UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        let tail = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self))
        return (head | UInt64(tail) &<< UInt64((size &- 4) &* 8)).littleEndian
    }
    return size == 0 ? 0 : (byte(0) | byte(size &>> 1) | byte(size &- 1)).littleEndian
}

/// The largest cut of at most `limit` bytes that does not divide a character.
func characterBorder(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    if bytes.count <= limit { return bytes.count }
    var cut = limit
    while cut > 0 && bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
    return cut
}
