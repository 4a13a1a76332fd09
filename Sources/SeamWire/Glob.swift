/// A pattern over names in which only `*` is special: any characters, none too, dots and slashes included.
///
/// Matching is over bytes, which for UTF-8 is the same as over characters. It takes at most twice as many steps as the
/// name has bytes, whatever the pattern: each part between two `*` is sought where the part before it ended, by the way
/// of Knuth, Morris and Pratt, which never looks back.
public struct Glob: Equatable, Sendable {
    /// The text the glob was made of.
    public let pattern: String
    /// Whether the glob matches everything.
    public let matchesAll: Bool
    /// Whether there is no `*`.
    private let isLiteral: Bool
    private let bytes: [UInt8]
    /// Bytes that every match has at the least, those before the first `*`, and those after the last.
    private let least: Int
    private let head: Int
    private let tail: Int
    /// For each byte between the first `*` and the last: how much of its part still fits when the next byte does not.
    /// Empty when nothing lies between them.
    private let fallback: [UInt16]

    /// No name is longer; so neither is a part that is ever sought.
    private static let longest = Int(UInt16.max)

    public init(_ pattern: String) {
        self.pattern = pattern
        var bytes: [UInt8] = []
        for byte in pattern.utf8 where byte != star || bytes.last != star { bytes.append(byte) }
        self.bytes = bytes
        head = bytes.prefix { $0 != star }.count
        isLiteral = head == bytes.count
        matchesAll = bytes == [star]
        least = bytes.count { $0 != star }
        tail = isLiteral ? 0 : bytes.reversed().prefix { $0 != star }.count
        fallback = least <= Self.longest ? Self.fallback(bytes, head..<(bytes.count - tail)) : []
    }

    private static func fallback(_ bytes: [UInt8], _ middle: Range<Int>) -> [UInt16] {
        guard middle.count > 1 else { return [] }
        var fits = [UInt16](repeating: 0, count: middle.count)
        var start = middle.lowerBound
        for place in middle {
            if bytes[place] == star {
                start = place + 1
                continue
            }
            if place == start { continue }
            var length = Int(fits[place - 1 - middle.lowerBound])
            while length > 0 && bytes[start + length] != bytes[place] {
                length = Int(fits[start + length - 1 - middle.lowerBound])
            }
            if bytes[start + length] == bytes[place] { length += 1 }
            fits[place - middle.lowerBound] = UInt16(length)
        }
        return fits
    }

    /// Memory that it takes, its tables included.
    public var memoryBytes: Int {
        MemoryLayout<Glob>.stride + pattern.utf8.count + bytes.count + 2 * fallback.count
    }

    public func matches(_ name: String) -> Bool {
        if matchesAll { return true }
        return name.withBytes { matches($0) }
    }

    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        var steps = 0
        return matches(name, counting: &steps)
    }

    /// The same, and adds how many bytes it compared.
    public func matches(_ name: UnsafeRawBufferPointer, counting steps: inout Int) -> Bool {
        steps += 1
        if matchesAll { return true }
        if name.count < least || name.count > Self.longest || (isLiteral && name.count != least) {
            return false
        }
        return bytes.withUnsafeBufferPointer { pattern in
            // The two do not overlap: the name is as long as everything in the pattern that is no star.
            for place in 0..<head {
                steps += 1
                if name[place] != pattern[place] { return false }
            }
            for place in 0..<tail {
                steps += 1
                if name[name.count - tail + place] != pattern[pattern.count - tail + place] { return false }
            }
            if fallback.isEmpty { return true }
            return fallback.withUnsafeBufferPointer { fits in
                matchesMiddle(name, head..<(name.count - tail), pattern, fits, &steps)
            }
        }
    }

    /// Seeks the parts between stars one behind the other, each where it first comes.
    private func matchesMiddle(
        _ name: UnsafeRawBufferPointer, _ range: Range<Int>, _ pattern: UnsafeBufferPointer<UInt8>,
        _ fits: UnsafeBufferPointer<UInt16>, _ steps: inout Int
    ) -> Bool {
        // Behind the star that ends the prefix.
        var part = head + 1
        let end = pattern.count - tail
        var at = range.lowerBound
        while part < end {
            var found = 0
            while pattern[part + found] != star {
                if at == range.upperBound { return false }
                steps += 1
                if pattern[part + found] == name[at] {
                    found += 1
                    at += 1
                } else if found > 0 {
                    found = Int(fits[part + found - 1 - head])
                } else {
                    at += 1
                }
            }
            part += found + 1
        }
        return true
    }
}

/// Whether one of the globs matches "Screen.field", or "sim/Screen.field"; none matches everything. Adds to `steps` what
/// it took.
public func matchesAny(
    of globs: [Glob], sim: String?, screen: String, field: String, counting steps: inout Int
) -> Bool {
    if globs.isEmpty { return true }
    let size = (sim?.utf8.count ?? 0) + screen.utf8.count + field.utf8.count + 2
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { name in
        var end = 0
        func append(_ text: String, then divider: UInt8?) {
            text.withBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: name[end...]).copyMemory(from: bytes)
                end += bytes.count
            }
            if let divider {
                name[end] = divider
                end += 1
            }
        }
        if let sim { append(sim, then: UInt8(ascii: "/")) }
        append(screen, then: UInt8(ascii: "."))
        append(field, then: nil)
        let whole = UnsafeRawBufferPointer(rebasing: name[..<end])
        // A loop and not `contains(where:)`: the closure would take `steps` along.
        for glob in globs where glob.matches(whole, counting: &steps) { return true }
        return false
    }
}

private let star = UInt8(ascii: "*")
