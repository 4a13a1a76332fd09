import CSimdjson

/// A JSON value as a client or a test handles it. Members keep their order and numbers their text, so that reading and
/// writing again gives the same line.
///
/// The daemon does not use it: requests become `Call`s without one.
public enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// As it was written, like `1.50`.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Equatable, Sendable {
        public var name: String
        public var value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Reads one text. For many lines keep a `JSONReader`.
    public init(parsing text: String) throws(WireError) {
        var limits = Limits()
        limits.lineBytes = max(256, text.utf8.count)
        self = try JSONReader(limits: limits).read(text)
    }

    /// The member of this name; nil for everything that has none.
    public subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The element at this place; nil for everything that has none.
    public subscript(_ index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    public var unsigned: UInt64? {
        guard case .number(let text) = self else { return nil }
        return UInt64(text)
    }

    public var double: Double? {
        guard case .number(let text) = self else { return nil }
        return Double(text)
    }

    public var boolean: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    public var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    public var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    public var isNull: Bool { self == .null }

    /// The value as one line of JSON.
    public var encoded: String {
        var buffer = ByteBuffer()
        buffer.value(self)
        return buffer.text
    }
}

extension ByteBuffer {
    public mutating func value(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let flag): value(flag)
        case .number(let text):
            divide()
            append(text)
        case .string(let text): value(text)
        case .array(let elements):
            array { array in
                for element in elements { array.value(element) }
            }
        case .object(let members):
            object { object in
                for member in members {
                    object.key(member.name)
                    object.value(member.value)
                }
            }
        }
    }

    /// Writes a request line, for clients. Without an id it is a notification.
    public mutating func request(_ id: RequestID?, _ method: String, _ params: JSON? = nil) {
        append("{\"jsonrpc\":\"2.0\"")
        if let id {
            append(",\"id\":")
            id.write(into: &self)
        }
        member("method", method)
        if let params {
            key("params")
            value(params)
        }
        append("}\n")
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int) { self = .number("\(number)") }
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}

/// Reads lines into `JSON`: replies and event lines on the client's side. One thread.
public final class JSONReader {
    private let parser: JSONLineParser
    private let limits: Limits

    /// `limits.lineBytes` is the longest line read.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        parser = JSONLineParser(limits: limits)
    }

    /// Reads one line as `InputBuffer` hands it out: 64 bytes behind it are readable. A repeated key is an error here
    /// as it is for requests.
    public func read(_ line: UnsafeRawBufferPointer) throws(WireError) -> JSON {
        defer { parser.trim() }
        let nodes = try parser.parse(line)
        if nodes.repeatedKeys > 0, let repeated = nodes.repeatedKey(in: 0) {
            throw WireError(
                .duplicateKey, "The member \(repeated.path) is there twice.", [("path", .text(repeated.path))]
            )
        }
        var position = 0
        return value(nodes, &position)
    }

    /// Reads a text; copies it first.
    public func read(_ text: String) throws(WireError) -> JSON {
        let size = text.utf8.count
        let padded = UnsafeMutableRawBufferPointer.allocate(byteCount: size + linePadding, alignment: 1)
        defer { padded.deallocate() }
        text.withBytes { padded.copyMemory(from: $0) }
        return try read(UnsafeRawBufferPointer(rebasing: padded[..<size]))
    }

    /// Recursion is safe: the parser refuses what is nested deeper than `limits.depth`.
    private func value(_ nodes: JSONNodes, _ position: inout Int) -> JSON {
        let at = position
        position += 1
        switch nodes.kind(at) {
        case SEAM_JSON_NULL: return .null
        case SEAM_JSON_FALSE: return .bool(false)
        case SEAM_JSON_TRUE: return .bool(true)
        case SEAM_JSON_NUMBER: return .number(nodes.text(at))
        case SEAM_JSON_ARRAY:
            var elements: [JSON] = []
            elements.reserveCapacity(nodes.count(at))
            while position < nodes.after(at) { elements.append(value(nodes, &position)) }
            return .array(elements)
        case SEAM_JSON_OBJECT:
            var members: [JSON.Member] = []
            members.reserveCapacity(nodes.count(at))
            while position < nodes.after(at) {
                let name = nodes.text(position)
                position += 1
                members.append(JSON.Member(name, value(nodes, &position)))
            }
            return .object(members)
        default: return .string(nodes.text(at))
        }
    }
}
