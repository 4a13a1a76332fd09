import CSimdjson

/// The parser behind both readers, `RequestDecoder` and `JSONReader`: one line in, flat nodes out. One thread.
final class JSONLineParser {
    private let parser: OpaquePointer
    private let limits: Limits

    init(limits: Limits) {
        guard let parser = seam_json_parser_create(limits.lineBytes, UInt32(limits.depth)) else {
            fatalError("no memory for a parser of \(limits.lineBytes) bytes")
        }
        self.parser = parser
        self.limits = limits
    }

    deinit {
        seam_json_parser_destroy(parser)
    }

    /// Parses one line in place; `SEAM_JSON_PADDING` bytes behind it must be readable. The nodes live until the next
    /// call, `trim` included, and as long as the line.
    func parse(_ line: UnsafeRawBufferPointer) throws(WireError) -> JSONNodes {
        var document = seam_json_document()
        var fault = seam_json_fault()
        // An empty line has no address; a parser that is given none must not look at it either.
        let start = line.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status =
            start == nil
            ? SEAM_JSON_MALFORMED : Int(seam_json_parse(parser, start, line.count, &document, &fault))
        switch status {
        case SEAM_JSON_OK:
            // Safe: a document has at least one node.
            return JSONNodes(line: start!, nodes: document.nodes!, repeatedKeys: Int(document.repeated_keys))
        case SEAM_JSON_TOO_LONG:
            throw .lineTooLong(limits: limits)
        default:
            let kind: ErrorKind =
                switch status {
                case SEAM_JSON_TOO_DEEP: .tooDeep
                case SEAM_JSON_NUMBER_RANGE: .numberRange
                default: .parse
                }
            let offset = Int(fault.offset)
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { throw .byteOrderMark(near: near(line, offset)) }
            throw .unreadable(
                kind, offset: offset, expected: fault.expected.map { String(cString: $0) } ?? "a value",
                near: near(line, offset), limits: limits)
        }
    }

    /// Gives back what a long line left resident. The nodes are gone after it.
    func trim() {
        seam_json_parser_trim(parser)
    }

    /// A few characters around a place in the line, safe to print.
    private func near(_ line: UnsafeRawBufferPointer, _ offset: Int) -> String {
        var from = max(0, min(offset, line.count) - 16)
        while from > 0 && from < line.count && line[from] & 0xC0 == 0x80 { from -= 1 }
        let to = characterBorder(line, atMost: min(line.count, offset + 16))
        guard from < to else { return "" }
        // Repairs bytes that are not UTF-8, which is what the line may be refused for.
        return WireError.excerpt(String(decoding: line[from..<to], as: UTF8.self))
    }
}

/// One parsed line: nodes in document order. Borrowed memory, see `JSONLineParser.parse`.
struct JSONNodes {
    let line: UnsafePointer<UInt8>
    let nodes: UnsafePointer<seam_json_node>
    let repeatedKeys: Int

    @inline(__always)
    subscript(_ position: Int) -> seam_json_node { nodes[position] }

    /// Where the node after this one and all it holds lies.
    @inline(__always)
    func after(_ position: Int) -> Int { Int(nodes[position].end) }

    @inline(__always)
    func kind(_ position: Int) -> Int { Int(nodes[position].kind) }

    @inline(__always)
    func count(_ position: Int) -> Int { Int(nodes[position].count) }

    /// The text of a string or key, unescaped; of a number, true, false or null as it came.
    @inline(__always)
    func bytes(_ position: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: nodes[position].text, count: Int(nodes[position].text_length))
    }

    @inline(__always)
    func text(_ position: Int) -> String { String(wire: bytes(position)) }

    /// A value as it stands in the line.
    func raw(_ position: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: line + Int(nodes[position].raw_offset), count: Int(nodes[position].raw_length))
    }

    /// What a value is, for a message.
    func typeName(_ position: Int) -> String {
        switch kind(position) {
        case SEAM_JSON_NULL: "null"
        case SEAM_JSON_FALSE, SEAM_JSON_TRUE: "a boolean"
        case SEAM_JSON_NUMBER: "a number"
        case SEAM_JSON_ARRAY: "an array"
        case SEAM_JSON_OBJECT: "an object"
        default: "a text"
        }
    }

    /// An integer from 0 to `Limits.largestInteger`. 5.0 and 5e0 are integers too, as JSON Schema has it; a client whose
    /// language knows only doubles writes them so.
    func integer(_ position: Int) -> UInt64? {
        guard kind(position) == SEAM_JSON_NUMBER else { return nil }
        var value: UInt64 = 0
        for byte in bytes(position) {
            guard byte >= 0x30 && byte <= 0x39 else { return integralDouble(position) }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
            if overflow || carry { return nil }
            value = sum
        }
        return value <= Limits.largestInteger ? value : nil
    }

    private func integralDouble(_ position: Int) -> UInt64? {
        guard let value = Double(text(position)), value >= 0, value <= Double(Limits.largestInteger),
            value == value.rounded(.towardZero)
        else { return nil }
        return UInt64(value)
    }

    /// The path of the first repeated key inside the value at `position`, like `params.values.openCount`, and whether
    /// it is a member of that value itself.
    func repeatedKey(in position: Int) -> (path: String, isOwnMember: Bool)? {
        if kind(position) == SEAM_JSON_OBJECT {
            var key = position + 1
            while key < after(position) {
                if nodes[key].is_repeated != 0 { return (WireError.excerpt(text(key)), true) }
                if let inner = repeatedKey(in: key + 1) {
                    return (joined(WireError.excerpt(text(key)), inner.path), false)
                }
                key = after(key + 1)
            }
        } else if kind(position) == SEAM_JSON_ARRAY {
            var element = position + 1
            var index = 0
            while element < after(position) {
                if let inner = repeatedKey(in: element) { return (joined("[\(index)]", inner.path), false) }
                element = after(element)
                index += 1
            }
        }
        return nil
    }

    private func joined(_ head: String, _ tail: String) -> String {
        tail.hasPrefix("[") ? head + tail : "\(head).\(tail)"
    }
}

extension String {
    /// A text from bytes the parser has found to be UTF-8, which are a node's: behind them 16 more can be read.
    ///
    /// Up to 15 bytes lie in the string itself. Those are put there as they are, three instructions where the standard
    /// library takes a hundred and an event has three such texts; only if this build's standard library keeps them so.
    @inline(__always)
    init(wire bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= 15, ShortText.isAsExpected else {
            self.init(decoding: bytes, as: UTF8.self)
            return
        }
        // Safe: it was tried on texts of every such length, and a node's text has an address.
        let short = ShortText(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), bytes.count)
        self = unsafeBitCast(short, to: String.self)
    }
}

/// A string of up to 15 bytes as Swift keeps it: the bytes, and in the last one how many they are and whether all of
/// them are ASCII.
private struct ShortText {
    private let head: UInt64
    private let tail: UInt64

    @inline(__always)
    init(_ bytes: UnsafeRawPointer, _ count: Int) {
        let loaded = (
            UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
        let kept = UInt64(count) &* 8
        let head = loaded.0 & (kept >= 64 ? .max : (1 &<< kept) &- 1)
        let tail = loaded.1 & (kept <= 64 ? 0 : (1 &<< (kept &- 64)) &- 1)
        let isASCII = (head | tail) & 0x8080_8080_8080_8080 == 0
        self.head = UInt64(littleEndian: head)
        self.tail = UInt64(littleEndian: tail | UInt64((isASCII ? 0xE0 : 0xA0) | count) << 56)
    }

    static let isAsExpected: Bool = {
        guard MemoryLayout<String>.size == MemoryLayout<ShortText>.size else { return false }
        let texts =
            (0...15).map { String("abcdefghijklmno".prefix($0)) } + [
                "é", "aé€", "\u{0}b\u{7F}", "€😀😀", "😀€€éé",
            ]
        return texts.allSatisfy { text in
            let padded = Array(text.utf8) + Array(repeating: 0xC3, count: 16)
            let ours = padded.withUnsafeBytes { ShortText($0.baseAddress.unsafelyUnwrapped, text.utf8.count) }
            // Safe: they have the same size.
            let theirs = unsafeBitCast(text, to: (UInt64, UInt64).self)
            return (ours.head, ours.tail) == theirs
        }
    }()
}

/// A name of the protocol, ready to be compared with text of a line: most differ, or are equal, in their first eight
/// bytes, and those are one number.
struct WireName: Sendable {
    let text: StaticString
    fileprivate let head: UInt64

    init(_ text: StaticString) {
        self.text = text
        var head: UInt64 = 0
        for index in 0..<min(8, text.utf8CodeUnitCount) {
            head |= UInt64(text.utf8Start[index]) << (8 * index)
        }
        self.head = UInt64(littleEndian: head)
    }

    var count: Int { text.utf8CodeUnitCount }
}

/// Text of a line, ready to be compared with names.
struct WireText {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The first eight bytes; zeros behind the last.
    private let head: UInt64

    /// `bytes` must be the text of a node: behind it at least eight bytes can be read, in the parser's buffer as in the
    /// line.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        // Safe: a node's text has an address, even when it is empty.
        let word = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped).loadUnaligned(as: UInt64.self)
        head = bytes.count >= 8 ? word : word & UInt64(littleEndian: (1 << (8 * UInt64(bytes.count))) - 1)
    }

    @inline(__always)
    func equals(_ name: WireName) -> Bool {
        guard head == name.head, bytes.count == name.count else { return false }
        guard bytes.count > 8 else { return true }
        // Safe: both have more than eight bytes.
        return isSame(bytes.baseAddress.unsafelyUnwrapped + 8, name.text.utf8Start + 8, bytes.count - 8)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are exactly the bytes of `text`.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        guard let baseAddress else { return count == 0 }
        return isSame(baseAddress, text.utf8Start, count)
    }
}

/// Compares a handful of bytes without a call: names are short.
@inline(__always)
private func isSame(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where one[index] != other[index] { return false }
    return true
}
