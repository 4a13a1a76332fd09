/// The judgement of one field: two values and no cause.
///
/// | model | shown | verdict |
/// |---|---|---|
/// | none | none | out of scope, never counted |
/// | none | some | leftover |
/// | some | none | missing |
/// | some | same | matching |
/// | some | other | stale |
public enum Verdict: UInt8, Sendable, CaseIterable {
    case outOfScope, leftover, missing, matching, stale

    /// Judges a field. None is no value, which is not the empty text.
    ///
    /// "Same" is Swift's `==` on text, canonical equivalence: a person reads the same letters whether an accent
    /// is one scalar or two. Whether a field *changed* is asked byte by byte instead (`hasSameBytes`).
    public static func of(model: String?, shown: String?) -> Verdict {
        switch (model, shown) {
        case (nil, nil): .outOfScope
        case (nil, _?): .leftover
        case (_?, nil): .missing
        case (let wanted?, let displayed?): wanted == displayed ? .matching : .stale
        }
    }

    /// The verdict as the protocol and the command line spell it.
    public var word: StaticString {
        switch self {
        case .outOfScope: "out-of-scope"
        case .leftover: "leftover"
        case .missing: "missing"
        case .matching: "matching"
        case .stale: "stale"
        }
    }
}
