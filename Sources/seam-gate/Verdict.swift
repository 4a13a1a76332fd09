import SeamWire

/// The five words of the protocol.
enum Verdict: UInt8, CaseIterable {
    case matching, stale, missing, leftover, outOfScope

    var word: StaticString {
        switch self {
        case .matching: "matching"
        case .stale: "stale"
        case .missing: "missing"
        case .leftover: "leftover"
        case .outOfScope: "out-of-scope"
        }
    }

    /// From a raw value of a line.
    init?(_ raw: UnsafeRawBufferPointer?) {
        guard let raw, raw.count > 2 else { return nil }
        let word = UnsafeRawBufferPointer(rebasing: raw[1..<(raw.count - 1)])
        guard let found = Verdict.allCases.first(where: { word.equals($0.word) }) else { return nil }
        self = found
    }
}
