/// A pattern over names in which only `*` is special: any characters, none too, dots and slashes included.
///
/// Matching is over bytes, which for UTF-8 is the same as over characters, and takes at most pattern × name steps: it
/// never backs up further than the last `*`.
public struct Glob: Equatable, Sendable {
    /// The text the glob was made of.
    public let pattern: String
    /// What every match begins with: an index over names looks only at these.
    public let literalPrefix: String
    /// Whether there is no `*`: the glob matches `literalPrefix` and nothing else.
    public let isLiteral: Bool
    /// Whether the glob matches everything.
    public let matchesAll: Bool
    private let bytes: [UInt8]
    /// Bytes that every match has at the least, and those after the last `*`: most names are told apart by them alone.
    private let least: Int
    private let tail: Int

    public init(_ pattern: String) {
        self.pattern = pattern
        var bytes: [UInt8] = []
        for byte in pattern.utf8 where byte != star || bytes.last != star { bytes.append(byte) }
        self.bytes = bytes
        let prefix = bytes.prefix { $0 != star }
        literalPrefix = String(decoding: prefix, as: UTF8.self)
        isLiteral = prefix.count == bytes.count
        matchesAll = bytes == [star]
        least = bytes.count { $0 != star }
        tail = bytes.reversed().prefix { $0 != star }.count
    }

    public func matches(_ name: String) -> Bool {
        if matchesAll { return true }
        return name.withBytes { matches($0) }
    }

    /// Matches "Screen.field" without the text being made first.
    public func matches(screen: String, field: String) -> Bool {
        if matchesAll { return true }
        return matches(joined: [(screen, nil), (field, dot)])
    }

    /// Matches "sim/Screen.field".
    public func matches(sim: String, screen: String, field: String) -> Bool {
        if matchesAll { return true }
        return matches(joined: [(sim, nil), (screen, slash), (field, dot)])
    }

    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        if name.count < least || !name.suffix(tail).elementsEqual(bytes.suffix(tail)) { return false }
        var at = 0
        var inPattern = 0
        var lastStar = -1
        var resume = 0
        return bytes.withUnsafeBufferPointer { pattern in
            while at < name.count {
                if inPattern < pattern.count && pattern[inPattern] == star {
                    lastStar = inPattern
                    resume = at
                    inPattern += 1
                } else if inPattern < pattern.count && pattern[inPattern] == name[at] {
                    inPattern += 1
                    at += 1
                } else if lastStar >= 0 {
                    // The last `*` takes one byte more.
                    resume += 1
                    at = resume
                    inPattern = lastStar + 1
                } else {
                    return false
                }
            }
            while inPattern < pattern.count && pattern[inPattern] == star { inPattern += 1 }
            return inPattern == pattern.count
        }
    }

    private func matches(joined parts: [(text: String, before: UInt8?)]) -> Bool {
        let size = parts.reduce(0) { $0 + $1.text.utf8.count + 1 }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { name in
            var end = 0
            for part in parts {
                if let before = part.before {
                    name[end] = before
                    end += 1
                }
                part.text.withBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: name[end...]).copyMemory(from: bytes)
                    end += bytes.count
                }
            }
            return matches(UnsafeRawBufferPointer(rebasing: name[..<end]))
        }
    }
}

private let star = UInt8(ascii: "*")
private let dot = UInt8(ascii: ".")
private let slash = UInt8(ascii: "/")
