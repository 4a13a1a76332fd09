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
    /// What the event's interim read saw, when it came with one.
    public var interim: InterimView?
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

    /// Judges a touched field as it is at settle. Whether it changed; else the rest of it says nothing.
    @inline(__always)
    mutating func settle(model: String?, shown: String?, seq: UInt64) -> Bool {
        if haveSameBytes(model, previousModel), haveSameBytes(shown, previousShown) { return false }
        self.seq = seq
        from = Verdict.of(model: previousModel, shown: previousShown)
        to = Verdict.of(model: model, shown: shown)
        self.model = model
        self.shown = shown
        return true
    }
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

    /// One that the kernel makes by itself.
    init(
        code: DiagnosticCode, severity: Severity, field: FieldID? = nil, bridge: BridgeID? = nil,
        mount: MountID? = nil, text: String
    ) {
        self.init(
            code: code.rawValue, severity: severity, field: field, bridge: bridge, mount: mount, text: text)
    }
}

/// Why a body ran.
public enum Cause: UInt8, Sendable, CaseIterable {
    case first = 1
    case input, `repeat`, restore, removed
    /// View state of its own was written (a dynamic property).
    case state
    /// A model value that the body itself has read.
    case observed
    /// An environment key that was read before.
    case environment
    /// Causes that are none of the bridge's inputs (R6).
    case layout, focus, unrelated, container
    /// Another id in the same place.
    case identity
    /// Back from a window, a scene or a pool.
    case returned
    /// Pushed out of its pool.
    case evicted
    /// A hidden control that is only measured (R78).
    case measure

    /// Those that somebody outside may give an update; the others are the kernel's own to find.
    public static let reasons: [Cause] = [
        .input, .state, .observed, .environment, .layout, .focus, .unrelated, .container,
    ]

    public var word: StaticString {
        switch self {
        case .first: "first"
        case .input: "input"
        case .repeat: "repeat"
        case .restore: "restore"
        case .removed: "removed"
        case .state: "state"
        case .observed: "observed"
        case .environment: "environment"
        case .layout: "layout"
        case .focus: "focus"
        case .unrelated: "unrelated"
        case .container: "container"
        case .identity: "identity"
        case .returned: "returned"
        case .evicted: "evicted"
        case .measure: "measure"
        }
    }
}

/// One call into the scenario's bodies and what it wrote.
public struct CallRecord {
    public enum Kind: UInt8, Sendable, CaseIterable {
        case event, tick, coordinator, make, update, dismantle, draw, native
        case attach, detach, reset, appear, disappear, endEditing, move, save, restore, question

        public var word: StaticString {
            switch self {
            case .attach: "attach"
            case .detach: "detach"
            case .reset: "reset"
            case .appear: "appear"
            case .disappear: "disappear"
            case .endEditing: "end-editing"
            case .move: "move"
            case .save: "save"
            case .restore: "restore"
            case .question: "question"
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
    /// What brought a tick.
    var lateness: Lateness?
    public var why: StaticString? { cause?.word ?? lateness?.word }
    /// Fields that the body wrote, also with an equal value.
    public var wrote: [FieldID] = []
    /// Model keys that the body set, cleared or bound.
    public var set: [String] = []
    /// Deferred writes of the mount that were under way: the call looked at an older model (R24).
    public var inFlight = 0
}

/// A moment in the life of a control that a body may want to hear of, beside make, update and dismantle.
public enum Hook: UInt32, Sendable, CaseIterable {
    case attach = 1
    case detach, reset, appear, disappear, endEditing, move, save, restore

    var kind: CallRecord.Kind {
        switch self {
        case .attach: .attach
        case .detach: .detach
        case .reset: .reset
        case .appear: .appear
        case .disappear: .disappear
        case .endEditing: .endEditing
        case .move: .move
        case .save: .save
        case .restore: .restore
        }
    }
}

/// A look at some fields before the turn has settled: labelled, answered with the event, never in the stream (R25).
public struct Interim {
    public enum After: String, CaseIterable, Sendable {
        /// The event is applied, no round has run.
        case event
        case layout, frame
    }
    public var after: After
    /// None: every field that there is at that moment, also one that the event itself declares.
    public var fields: [FieldID]?

    public init(after: After = .event, fields: [FieldID]?) {
        self.after = after
        self.fields = fields
    }
}

/// What an interim read saw.
public struct InterimView {
    public var fields: [FieldView]
    public var diagnostics: [Diagnostic]
}

/// One item of a list: the id decides identity, the value equality (R53).
public struct Item: Sendable {
    public var id: String
    public var value: String?

    public init(id: String, value: String? = nil) {
        self.id = id
        self.value = value
    }
}

/// What comes into a simulation. Names are resolved before anything happens: a refused event did nothing.
public enum Event {
    case modelWrite([(key: String, value: String?)])
    case screenDeclare(screen: String, keys: [String])
    case screenWrite(screen: String, [(key: String, value: String?)])
    /// An event the scenario declares, by its index.
    case send(Int, arguments: [String?], mount: MountID?)
    case assign(BridgeID, mount: MountID?)
    /// One more update, or one for a reason that is none of the inputs (R6).
    case update(BridgeID, mount: MountID?, cause: Cause = .repeat)
    /// The builder runs and its value is kept: no assignment (R17).
    case build(BridgeID, mount: MountID?)
    /// `rootView = ` what the builder made last.
    case assignBuilt(BridgeID, mount: MountID?)
    case mount(BridgeID)
    /// Window, scene, size, hidden and parked of one mount.
    case activity(BridgeID, mount: MountID?, ActivityChange)
    /// The id of what stands in this place: another one is another view (R10, R15).
    case identify(BridgeID, mount: MountID?, id: String)
    /// The items of a list, each shown by a mount of the bridge.
    case items(BridgeID, [Item])
    /// The control in this place is given to another item, with no identity of its own (a recycled cell).
    case rebind(BridgeID, mount: MountID?, owner: String)
    /// The user closes the view; the model did not ask for it (R89).
    case dismiss(BridgeID, mount: MountID?)
    /// Environment values, of the root, or of one mount.
    case environment([(key: String, value: String?)], bridge: BridgeID?, mount: MountID?)
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
    case tooManyMounts(limit: Int)
    case failed(String)
}
