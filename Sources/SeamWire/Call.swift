/// What a request asks for, decoded and checked as far as that can be done without knowing what exists: the types,
/// sizes and shapes are right, the names may still be of nothing.
///
/// Closed, one case per method, so that the daemon's one `switch` over it is its table of contents. The big ones
/// are indirect: they are rare, and every other call stays small.
public enum Call: Equatable, Sendable {
    case hello(Hello)
    case ping
    case stats
    case shutdown
    case discover
    case scenarioList(Page)
    case scenarioDescribe(scenario: String)
    indirect case simCreate(SimCreate)
    case simList(Page)
    case simGet(SimGet)
    case simDestroy(sim: String)
    case simSend(SimSend)
    case simAdvance(SimAdvance)
    case simCheck(SimCheck)
    indirect case simRun(SimRun)
    case simFork(SimFork)
    case simTrace(SimTrace)
    case simExplain(SimExplain)
    case modelSet(ModelSet)
    case modelClear(ModelClear)
    case screenDeclare(ScreenNames)
    case screenSet(ScreenSet)
    case screenClear(ScreenNames)
    indirect case bridgeAssign(BridgeCall, built: Bool)
    indirect case bridgeUpdate(BridgeCall, cause: UpdateCause)
    case bridgeUnmount(BridgeCall)
    case bridgeMount(BridgeMount)
    case bridgeBuild(BridgeCall)
    indirect case bridgeIdentify(BridgeCall, identity: String)
    indirect case bridgeRebind(BridgeCall, owner: String)
    indirect case bridgeItems(BridgeItems)
    case bridgeDismiss(BridgeCall)
    case bridgeList(BridgeList)
    indirect case hostSet(BridgeCall, HostChange)
    indirect case environmentSet(EnvironmentSet)
    case policyList
    indirect case subOpen(SubOpen)
    case subClose(sub: UInt64)
    case recStart(RecStart)
    case recStop(sim: String)
    case recReplay(RecReplay)

    public var method: Method {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .stats: .stats
        case .shutdown: .shutdown
        case .discover: .discover
        case .scenarioList: .scenarioList
        case .scenarioDescribe: .scenarioDescribe
        case .simCreate: .simCreate
        case .simList: .simList
        case .simGet: .simGet
        case .simDestroy: .simDestroy
        case .simSend: .simSend
        case .simAdvance: .simAdvance
        case .simCheck: .simCheck
        case .simRun: .simRun
        case .simFork: .simFork
        case .simTrace: .simTrace
        case .simExplain: .simExplain
        case .modelSet: .modelSet
        case .modelClear: .modelClear
        case .screenDeclare: .screenDeclare
        case .screenSet: .screenSet
        case .screenClear: .screenClear
        case .bridgeAssign: .bridgeAssign
        case .bridgeUpdate: .bridgeUpdate
        case .bridgeUnmount: .bridgeUnmount
        case .bridgeMount: .bridgeMount
        case .bridgeBuild: .bridgeBuild
        case .bridgeIdentify: .bridgeIdentify
        case .bridgeRebind: .bridgeRebind
        case .bridgeItems: .bridgeItems
        case .bridgeDismiss: .bridgeDismiss
        case .bridgeList: .bridgeList
        case .hostSet: .hostSet
        case .environmentSet: .environmentSet
        case .policyList: .policyList
        case .subOpen: .subOpen
        case .subClose: .subClose
        case .recStart: .recStart
        case .recStop: .recStop
        case .recReplay: .recReplay
        }
    }
}

/// A name and the text it is given; no text is none, which differs from the empty text.
public struct Entry: Equatable, Sendable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

/// A name and the text it is set to.
public struct Setting: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Which part of a list: from element `from`, at most `limit` of them, else as many as fit into a reply.
public struct Page: Equatable, Sendable {
    public var from = 0
    public var limit: Int?

    public init(from: Int = 0, limit: Int? = nil) {
        self.from = from
        self.limit = limit
    }
}

public struct Hello: Equatable, Sendable {
    /// What the client calls itself.
    public var client: String?
    /// The protocol major the client speaks.
    public var protocolMajor: Int?
    /// The longest reply the client takes.
    public var maxLine: Int?
}

public enum Clock: Equatable, Sendable {
    case virtual
    case real
}

public enum Lifetime: Equatable, Sendable {
    /// Until it is destroyed.
    case daemon
    /// Until the connection that created it closes.
    case connection
}

public struct SimCreate: Equatable, Sendable {
    public var scenario: String
    public var id: String?
    public var params: [Entry] = []
    public var policies: [Setting] = []
    public var profile: String?
    public var seed: UInt64?
    public var clock = Clock.virtual
    public var lifetime = Lifetime.daemon
    /// Whether a trace is kept; nil leaves it to the scenario.
    public var keepsTrace: Bool?
    /// Bytes of its inputs that are kept in memory; nil is what the daemon keeps of any.
    public var history: Int?
    /// The file it is recorded to from its first turn on.
    public var record: String?

    public init(
        scenario: String, id: String? = nil, params: [Entry] = [], policies: [Setting] = [],
        profile: String? = nil, seed: UInt64? = nil, clock: Clock = .virtual, lifetime: Lifetime = .daemon,
        keepsTrace: Bool? = nil, history: Int? = nil, record: String? = nil
    ) {
        self.scenario = scenario
        self.id = id
        self.params = params
        self.policies = policies
        self.profile = profile
        self.seed = seed
        self.clock = clock
        self.lifetime = lifetime
        self.keepsTrace = keepsTrace
        self.history = history
        self.record = record
    }
}

public struct SimRun: Equatable, Sendable {
    public var create: SimCreate
    /// The simulation stays afterwards.
    public var keeps = false
    /// Each step of the script is reported.
    public var reportsSteps = false
    /// Each field that does not match comes with the reason.
    public var explains = false
    /// Every call and write comes with the result.
    public var reportsTrace = false
}

public struct SimTrace: Equatable, Sendable {
    public var sim: String
    /// The first turn; nil is the oldest that is kept.
    public var from: UInt64?
    /// The last turn; nil is the newest.
    public var to: UInt64?
    public var limit: Int?
    /// Records of the first turn that are passed over.
    public var skip = 0
}

public struct SimExplain: Equatable, Sendable {
    public var sim: String
    public var screen: String
    public var field: String
}

public struct SimGet: Equatable, Sendable {
    public var sim: String
    public var screen: String?
    public var page = Page()
    /// An earlier moment by its seq, or by its turn; neither is now.
    public var at: UInt64?
    public var atTurn: UInt64?
    /// Values are not cut.
    public var isWhole = false
}

public struct SimFork: Equatable, Sendable {
    public var sim: String
    public var id: String?
    /// An earlier moment by its seq, or by its turn; neither is now.
    public var at: UInt64?
    public var atTurn: UInt64?
}

public struct SimSend: Equatable, Sendable {
    public var sim: String
    public var event: String
    public var arguments: [Entry] = []
    public var mount: UInt64?
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

public struct SimAdvance: Equatable, Sendable {
    public var sim: String
    public var ms: UInt64
    public var ifSeq: UInt64?
}

public struct SimCheck: Equatable, Sendable {
    public var sim: String
    public var label: String?
    public var screen: String?
    /// Nil is every field; with `screen` these are its keys, else "Screen.field" or a key of any screen.
    public var fields: [String]?
    /// Each field that does not match comes with the reason.
    public var explains = false
    /// An earlier moment by its seq, or by its turn; neither is now.
    public var at: UInt64?
    public var atTurn: UInt64?
    /// Values are not cut.
    public var isWhole = false
}

public struct RecStart: Equatable, Sendable {
    public var sim: String
    public var path: String
}

public struct RecReplay: Equatable, Sendable {
    public var path: String
    public var id: String?
    /// The simulation stays afterwards.
    public var keeps = false
}

/// A key and the text it is set to, none to clear it. A tuple, which belongs to no module: whoever performs the call
/// passes the array on as it is (a copy into another type was a tenth of an event).
public typealias KeyValue = (key: String, value: String?)

public struct ModelSet: Equatable, Sendable {
    public var sim: String
    public var values: [KeyValue]
    public var ifSeq: UInt64?
    public var interim: InterimRead?

    public static func == (one: ModelSet, other: ModelSet) -> Bool {
        one.sim == other.sim && one.values.elementsEqual(other.values, by: ==) && one.ifSeq == other.ifSeq
            && one.interim == other.interim
    }
}

public struct ModelClear: Equatable, Sendable {
    public var sim: String
    public var keys: [String]
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

public struct ScreenSet: Equatable, Sendable {
    public var sim: String
    public var screen: String
    public var values: [KeyValue]
    public var ifSeq: UInt64?
    public var interim: InterimRead?

    public static func == (one: ScreenSet, other: ScreenSet) -> Bool {
        one.sim == other.sim && one.screen == other.screen && one.values.elementsEqual(other.values, by: ==)
            && one.ifSeq == other.ifSeq && one.interim == other.interim
    }
}

/// Names on a screen: fields to declare, or keys to clear.
public struct ScreenNames: Equatable, Sendable {
    public var sim: String
    public var screen: String
    public var names: [String]
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

public struct BridgeCall: Equatable, Sendable {
    public var sim: String
    public var bridge: String
    public var mount: UInt64?
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

public struct BridgeMount: Equatable, Sendable {
    public var sim: String
    public var bridge: String
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

/// Why an update is asked for from outside.
public enum UpdateCause: String, CaseIterable, Sendable {
    case `repeat`, layout, focus, unrelated, container
}

public struct BridgeItems: Equatable, Sendable {
    public var sim: String
    public var bridge: String
    /// By their ids, in the order of the list; no id twice.
    public var items: [Entry]
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

public struct BridgeList: Equatable, Sendable {
    public var sim: String
    public var bridge: String?
    public var page = Page()
}

/// What is to become of a host; nil leaves it as it is.
public struct HostChange: Equatable, Sendable {
    public var window: Bool?
    public var sceneIsActive: Bool?
    public var hidden: Bool?
    public var size: Bool?
    public var parked: Bool?
}

public struct EnvironmentSet: Equatable, Sendable {
    public var sim: String
    public var values: [Entry]
    /// Nil is the root.
    public var bridge: String?
    public var mount: UInt64?
    public var ifSeq: UInt64?
    public var interim: InterimRead?
}

/// Fields to read before a turn has settled. An object, so that the calls that nearly never carry one stay small.
public final class InterimRead: Equatable, Sendable {
    public enum Moment: String, CaseIterable, Sendable {
        /// The event is applied, no round has run.
        case event
        case layout, frame
    }

    public let label: String
    /// As in `SimCheck`, without a screen; nil is every field.
    public let fields: [String]?
    public let after: Moment

    public init(label: String, fields: [String]? = nil, after: Moment = .event) {
        self.label = label
        self.fields = fields
        self.after = after
    }

    public static func == (one: InterimRead, other: InterimRead) -> Bool {
        one.label == other.label && one.fields == other.fields && one.after == other.after
    }
}

public struct SubOpen: Equatable, Sendable {
    public enum Mode: Equatable, Sendable {
        /// A reader that falls behind gets the newest change of each field.
        case latest
        /// Every change or an end.
        case all
    }

    /// Where the stream begins.
    public enum Start: Equatable, Sendable {
        /// The state of every field, then changes.
        case state
        /// Only what changes from now on.
        case now
        /// The changes after this one. The number counts `seq` of the simulation, or `dseq` of the daemon.
        case after(epoch: String, seq: UInt64)
    }

    /// Nil watches the daemon: every simulation, also later ones.
    public var sim: String?
    /// Any of these, or everything when there are none.
    public var match: [Glob] = []
    public var mode = Mode.latest
    /// Leave out changes that keep the verdict.
    public var onlyVerdicts = false
    public var start = Start.state
}
