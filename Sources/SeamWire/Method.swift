/// Every method of the protocol. The raw value is its place in the table.
public enum Method: Int, CaseIterable, Sendable {
    case hello
    case ping
    case stats
    case shutdown
    case discover
    case scenarioList
    case scenarioDescribe
    case simCreate
    case simList
    case simGet
    case simDestroy
    case simSend
    case simAdvance
    case simCheck
    case simRun
    case simFork
    case simTrace
    case simExplain
    case modelSet
    case modelClear
    case screenDeclare
    case screenSet
    case screenClear
    case bridgeAssign
    case bridgeUpdate
    case bridgeUnmount
    case bridgeMount
    case bridgeBuild
    case bridgeIdentify
    case bridgeRebind
    case bridgeItems
    case bridgeDismiss
    case bridgeList
    case hostSet
    case environmentSet
    case policyList
    case subOpen
    case subClose
    case recStart
    case recStop
    case recReplay

    /// The name on the wire.
    public var name: String { "\(spec.name)" }

    /// The method of this name.
    public init?(name: String) {
        guard let method = Method.allCases.first(where: { $0.name == name }) else { return nil }
        self = method
    }

    /// What the table says about the method.
    public var spec: MethodSpec { MethodTable.specs[rawValue] }
}

/// One method as a client sees it: all of the contract but what it does.
public struct MethodSpec: Sendable {
    public let method: Method
    public let name: StaticString
    /// One sentence.
    public let summary: StaticString
    /// In positional order.
    public let params: [ParamSpec]
    /// JSON Schema of the result.
    public let result: StaticString
    /// The kinds this method can answer with beyond those every method can: `MethodTable.commonErrors`.
    public let errors: [ErrorKind]
    /// The protocol version that brought it.
    public let since: StaticString
}

/// One parameter. Trivial on purpose: decoding reads these a hundred thousand times a second.
public struct ParamSpec: Sendable {
    let wireName: WireName
    public let kind: ParamKind
    public let isRequired: Bool
    /// One sentence.
    public let doc: StaticString

    public var name: StaticString { wireName.text }

    static func required(_ name: StaticString, _ kind: ParamKind, _ doc: StaticString) -> ParamSpec {
        ParamSpec(wireName: WireName(name), kind: kind, isRequired: true, doc: doc)
    }

    static func optional(_ name: StaticString, _ kind: ParamKind, _ doc: StaticString) -> ParamSpec {
        ParamSpec(wireName: WireName(name), kind: kind, isRequired: false, doc: doc)
    }
}

/// What a parameter may be. The decoder checks it, the generated document describes it.
public enum ParamKind: Sendable, Equatable {
    /// A name without `. / = *`: a simulation, a screen, a bridge.
    case plainName
    /// Any name: a scenario, an event, a profile.
    case name
    /// Printable text for people.
    case label
    case integer(from: UInt64, to: UInt64)
    case boolean
    case word(WordList)
    /// Names to texts; null is no value.
    case values
    /// Names to texts, none of them null.
    case settings
    /// A list of names, at least one.
    case names
    /// A list of names, maybe none.
    case fieldNames
    case globs
    /// `{epoch, seq}` or `{epoch, dseq}`.
    case resumePoint
    /// Ids of items, each alone or as `{id, value}`; no id twice.
    case items
    /// `{label, fields, after}`.
    case interim
    /// A file, from the root of the file system on.
    case path
}

/// The closed word lists a parameter can be chosen from.
public enum WordList: Sendable {
    case cause
    case clock
    case lifetime
    case scene
    case mode
    case only
    case start

    public var words: [StaticString] {
        switch self {
        case .cause: ["repeat", "layout", "focus", "unrelated", "container"]
        case .clock: ["virtual", "real"]
        case .scene: ["active", "inactive"]
        case .lifetime: ["daemon", "connection"]
        case .mode: ["latest", "all"]
        case .only: ["verdicts"]
        case .start: ["state", "now"]
        }
    }
}
