public import SeamWire

extension JSON {
    public static func integer(_ number: some BinaryInteger) -> JSON {
        .number("\(number)")
    }

    /// Texts by name, in the order given.
    public static func texts(_ pairs: [(name: String, value: String)]) -> JSON {
        .object(pairs.map { Member($0.name, .string($0.value)) })
    }

    public static func texts(_ list: [String]) -> JSON {
        .array(list.map { .string($0) })
    }

    /// A text, number or truth value as it stands; nil for none and for what holds others.
    public var scalar: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let flag): "\(flag)"
        case .null, .array, .object: nil
        }
    }

    /// An object with one more member, if there is a value; anything else as it is.
    public func adding(_ name: String, _ value: JSON?) -> JSON {
        guard let members, let value else { return self }
        return .object(members + [Member(name, value)])
    }

    /// An object with another's members behind its own.
    public func adding(_ other: JSON) -> JSON {
        .object((members ?? []) + (other.members ?? []))
    }

    /// An object without a member; anything else as it is.
    public func removing(_ name: String) -> JSON {
        members.map { .object($0.filter { $0.name != name }) } ?? self
    }
}
