/// The id of a request: a JSON string, number or null, kept as it came and sent back unchanged.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable, Sendable {
        /// A plain integer, which is what most clients count with. Written back it gives the digits that came.
        case integer(UInt64)
        /// The bytes of anything else: `"a"`, `1.50`, `-1`, `null`.
        case json(String)
    }

    private let form: Form

    /// What a request without an id is answered with.
    public static let null = RequestID(json: "null")

    /// A number, for clients that make ids.
    public init(_ number: UInt64) {
        form = .integer(number)
    }

    /// JSON text of a scalar.
    init(json: String) {
        form =
            json.withBytes { Self.integer($0.bindMemory(to: UInt8.self)) }.map { .integer($0) } ?? .json(json)
    }

    /// The bytes of a scalar as they stand in a line that was parsed.
    init(_ raw: UnsafeBufferPointer<UInt8>) {
        form = Self.integer(raw).map { .integer($0) } ?? .json(String(wire: raw))
    }

    /// The number these digits write, if writing the number gives these digits.
    private static func integer(_ raw: UnsafeBufferPointer<UInt8>) -> UInt64? {
        // 19 digits always fit, and JSON has no leading zeros.
        guard raw.count >= 1 && raw.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in raw {
            guard byte >= 0x30 && byte <= 0x39 else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number
    }

    /// The JSON text.
    public var description: String {
        switch form {
        case .integer(let number): "\(number)"
        case .json(let text): text
        }
    }

    /// An upper bound of the bytes it takes in a line.
    public var longestBytes: Int {
        switch form {
        case .integer: 20
        case .json(let text): text.utf8.count
        }
    }

    func write(into buffer: inout ByteBuffer) {
        switch form {
        case .integer(let number): buffer.append(decimal: number)
        case .json(let text): buffer.append(text)
        }
    }
}
