/// One bridge of a running simulation: what the scenario says of it, resolved, and its live mounts.
struct Bridge {
    var kind: Scenario.BridgeKind
    var screen: ScreenID
    var inputs: [FieldStore.KeyID]
    var isObserved: Bool
    var updatesAutomatically: Bool
    var keepsWhenUnmounted: Bool
    /// What a program's write into the native view comes back as, when the bridge echoes.
    var echoEvent: Int?
    /// The field whose writes come back: the one that the event's argument is called after; none for all of them.
    var echoField: FieldID?
    /// Live, in order of mounting.
    var mounts: [Mount] = []
}

/// One live placement of a bridge. What a body is called with and what it left behind.
final class Mount {
    let id: MountID
    let bridge: BridgeID
    var coordinator: ObjectID = 0
    var view: ObjectID = 0
    /// Which copy of the parent the bodies were last given.
    var generation: UInt32 = 0
    /// The copy that an embedding draws from: taken at mount and at each assignment, never by itself.
    var captured: [String?] = []
    /// The copy that was drawn last, to tell a new value from a repetition.
    var drawn: [String?] = []
    var isMade = false
    /// The error of a body and its turn: since then nothing but dismantle is called.
    var failure: (turn: UInt64, text: String)?
    var isFailed: Bool { failure != nil }
    var isLeaving = false
    /// The draw or update that is waiting for its round.
    var pending: Cause?
    /// When a body that could carry a value last ran.
    var lastCall = Moment.never
    var tokens: [UInt64] = []
    var tracedView = TracedObject()
    var tracedCoordinator = TracedObject()

    init(id: MountID, bridge: BridgeID) {
        self.id = id
        self.bridge = bridge
    }
}

/// A registration that the plug-in made for a mount and has to undo by itself: nothing is unhooked for it (R9).
struct Registration {
    var what: String
    var mount: MountID
    var bridge: BridgeID?

    /// The finding when it outlives its mount.
    var leak: String {
        switch what {
        case "observer", "delegate": DiagnosticCode.leakedObserver
        case "coordinator": DiagnosticCode.leakedCoordinator
        default: DiagnosticCode.leakedResource
        }
    }
}

/// What waits for a round of the turn.
enum Work {
    case make(Mount)
    case draw(Mount)
    case update(Mount)
    case dismantle(Mount)
    case echo(Mount, value: String?)
    case write(FieldStore.KeyID, value: String?, by: Author)
    case tick(UInt64)
}

/// The names of the findings that the kernel makes by itself. A plug-in may add its own.
public enum DiagnosticCode {
    public static let feedbackLoop = "feedback-loop"
    public static let staleParent = "stale-parent"
    public static let callbackAfterDismantle = "callback-after-dismantle"
    public static let leakedObserver = "leaked-observer"
    public static let leakedCoordinator = "leaked-coordinator"
    public static let leakedResource = "leaked-resource"
    public static let recreatedControl = "recreated-control"
    public static let updateNeverArrived = "update-never-arrived"
    public static let emptyUpdate = "empty-update"
    public static let redundantWrite = "redundant-write"
    public static let pluginMisbehaving = "plugin-misbehaving"
    public static let pluginFailed = "plugin-failed"
}
