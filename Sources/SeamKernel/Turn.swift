/// Position of a field in its simulation, in order of declaration. Never reused while the simulation lives.
public typealias FieldID = Int
/// Index of a screen in order of declaration.
public typealias ScreenID = Int
/// Index of a bridge in its scenario.
public typealias BridgeID = Int
/// One live placement of a bridge, numbered from 1 within its simulation; 0 is none.
public typealias MountID = UInt64
/// A pointer of the plug-in (coordinator, native view), kept only to be told from another; 0 is none.
public typealias ObjectID = UInt

/// What one event did: judged at settle, so nothing that the same turn repaired is in it.
public struct Turn {
    public var number: UInt64 = 0
    /// The simulation's clock at settle, in nanoseconds.
    public var nanoseconds: Int64 = 0
    /// Findings in the order they were made; their seqs come before those of the changes.
    public var diagnostics: [Diagnostic] = []
    /// One for each touched field whose verdict, model value or shown value differs from before the turn.
    public var changes: [Change] = []
    /// Every call of the turn, filled only while `Simulation.recordsCalls` is on.
    public var calls: [CallRecord] = []
    /// What a `mount` event made.
    public var mount: MountID?
    /// The plug-in's error that ended the simulation in this turn.
    public var failure: String?
}

/// One field that differs at settle from what it was before the turn.
public struct Change {
    public var seq: UInt64
    public var field: FieldID
    public var from: Verdict
    public var to: Verdict
    public var model: String?
    public var shown: String?
    /// The values before the turn, for whoever still owes somebody the earlier state.
    public var previousModel: String?
    public var previousShown: String?
}

public enum Severity: UInt8, Sendable {
    case info = 1
    case warning, error

    public var word: StaticString {
        switch self {
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// A named finding that end states cannot show: reported beside the verdicts, never mixed into them.
public struct Diagnostic {
    /// 0 for one that answers a check: between two requests nobody knows whether the call is still to come.
    public var seq: UInt64 = 0
    public var code: String
    public var severity: Severity
    public var field: FieldID?
    public var bridge: BridgeID?
    public var mount: MountID?
    public var text: String

    public init(
        seq: UInt64 = 0, code: String, severity: Severity, field: FieldID? = nil, bridge: BridgeID? = nil,
        mount: MountID? = nil, text: String
    ) {
        self.seq = seq
        self.code = code
        self.severity = severity
        self.field = field
        self.bridge = bridge
        self.mount = mount
        self.text = text
    }
}

/// Why a body ran.
public enum Cause: UInt8, Sendable {
    case first = 1
    case input, `repeat`, restore, removed

    public var word: StaticString {
        switch self {
        case .first: "first"
        case .input: "input"
        case .repeat: "repeat"
        case .restore: "restore"
        case .removed: "removed"
        }
    }
}

/// One call into the scenario's bodies and what it wrote.
public struct CallRecord {
    public enum Kind: UInt8, Sendable {
        case event, tick, coordinator, make, update, dismantle, draw, native

        public var word: StaticString {
            switch self {
            case .event: "event"
            case .tick: "tick"
            case .coordinator: "coordinator"
            case .make: "make"
            case .update: "update"
            case .dismantle: "dismantle"
            case .draw: "draw"
            case .native: "native"
            }
        }
    }
    public var kind: Kind
    /// Round of the turn, from 0: the event itself.
    public var round: Int
    public var bridge: BridgeID?
    public var mount: MountID?
    public var cause: Cause?
    /// Fields that the body wrote, also with an equal value.
    public var wrote: [FieldID] = []
    /// Model keys that the body set, cleared or bound.
    public var set: [String] = []
}

/// What comes into a simulation. Names are resolved before anything happens: a refused event did nothing.
public enum Event {
    case modelWrite([(key: String, value: String?)])
    case screenDeclare(screen: String, keys: [String])
    case screenWrite(screen: String, [(key: String, value: String?)])
    /// An event the scenario declares, by its index.
    case send(Int, arguments: [String?], mount: MountID?)
    case assign(BridgeID, mount: MountID?)
    case update(BridgeID, mount: MountID?)
    case mount(BridgeID)
    case unmount(BridgeID, mount: MountID?)
    /// Nothing of its own: a turn for what was kept outside one.
    case settle
    /// Work that the plug-in handed over with a token (`post`, another thread).
    case tick(UInt64)
    /// A finding of whoever hosts the simulation: it takes its place in the order of everything else.
    case note(code: String, severity: Severity, text: String)
}

/// Why an event was not applied: a fact about the names in it, for the server to word.
public enum Refusal: Error {
    case unknownKey(String)
    case unknownScreen(String)
    case unknownField(screen: String, key: String)
    /// The bridge has no such mount (`mounts` = those it has), or several and none was named.
    case whichMount(BridgeID, mounts: [MountID])
    /// A body of the mount failed, and nothing but dismantle is called on it.
    case failedMount(BridgeID, MountID)
    /// Assign needs an embedding, update a wrapping.
    case wrongBridgeKind(BridgeID, Scenario.BridgeKind)
    case notLive
    case tooManyFields(limit: Int)
    case failed(String)
}
