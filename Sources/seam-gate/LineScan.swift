// Members of an event line, as they stand in it. The daemon writes objects without blanks and in a fixed order; what is
// passed on to browsers is copied, not decoded and encoded again.

import SeamWire

/// The members of one flat JSON object: names and raw values, in the order of the line.
///
/// It checks bounds and nesting, not JSON: the lines come from the daemon. Whatever does not look like a member ends it.
struct LineScan {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0

    /// `bytes` begin behind the opening brace, or at any member.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    struct Member {
        let name: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
        /// Where in the bytes the member begins.
        let start: Int

        func isNamed(_ text: StaticString) -> Bool { name.equals(text) }
    }

    mutating func next() -> Member? {
        if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
        let start = at
        guard at < bytes.count, bytes[at] == quote, let nameEnd = endOfText(from: at),
            nameEnd < bytes.count, bytes[nameEnd] == UInt8(ascii: ":"),
            let valueEnd = endOfValue(from: nameEnd + 1)
        else { return nil }
        at = valueEnd
        return Member(
            name: UnsafeRawBufferPointer(rebasing: bytes[(start + 1)..<(nameEnd - 1)]),
            value: UnsafeRawBufferPointer(rebasing: bytes[(nameEnd + 1)..<valueEnd]), start: start)
    }

    /// The place behind the closing quote of the text that begins at `from`.
    private func endOfText(from: Int) -> Int? {
        var place = from + 1
        while place < bytes.count {
            switch bytes[place] {
            case quote: return place + 1
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
            }
        }
        return nil
    }

    private func endOfValue(from: Int) -> Int? {
        guard from < bytes.count else { return nil }
        var place = from
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case quote:
                guard let end = endOfText(from: place) else { return nil }
                place = end
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place > from ? place : nil }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ",") where depth == 0: return place > from ? place : nil
            default: break
            }
            place += 1
        }
        return depth == 0 && place > from ? place : nil
    }
}

private let quote = UInt8(ascii: "\"")

extension UnsafeRawBufferPointer {
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// The text of a raw value that is one, unescaped; nil for null and for what is no text.
    var unquoted: String? {
        guard count >= 2, first == quote, last == quote else { return nil }
        let inner = UnsafeRawBufferPointer(rebasing: self[1..<(count - 1)])
        if inner.contains(UInt8(ascii: "\\")) { return try? JSON(parsing: text).text }
        return String(decoding: inner, as: UTF8.self)
    }

    /// An unsigned number as it stands.
    var number: UInt64? {
        guard count > 0, count < 20 else { return nil }
        var value: UInt64 = 0
        for byte in self {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + UInt64(byte - 0x30)
        }
        return value
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
