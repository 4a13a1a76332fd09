/// One bridge of a running simulation: what the scenario says of it, resolved, and its live mounts.
struct Bridge {
    var name: String
    var kind: Scenario.BridgeKind
    var screen: ScreenID
    var inputs: [FieldStore.KeyID]
    /// Per input, whether a change of it redraws an embedding without an assignment (R16).
    var observes: [Bool]
    var isObserved: Bool
    var ways: Ways
    /// What a program's write into the native view comes back as, when the bridge echoes.
    var echoEvent: Int?
    /// The field whose writes come back: the one that the event's argument is called after; none for all of them.
    var echoField: FieldID?
    /// Live, in order of mounting; those of a list in the order of its items.
    var mounts: [Mount] = []

    /// Takes a mount out. Lists go from one of their ends as a rule: the search begins there, or ten thousand would be
    /// searched ten thousand times.
    mutating func take(_ mount: Mount) {
        if mounts.last === mount {
            mounts.removeLast()
        } else if let place = mounts.firstIndex(where: { $0 === mount }) {
            mounts.remove(at: place)
        }
    }

    /// Whether a change of this input redraws an embedding by itself.
    func observes(_ key: FieldStore.KeyID) -> Bool {
        if isObserved { return true }
        guard let position = inputs.firstIndex(of: key) else { return false }
        return observes[position]
    }
}

/// Where the system has put a mounted view. It draws only while all of it is as it is at first (R14).
public struct Activity: Equatable, Sendable {
    public enum Scene: String, CaseIterable, Sendable { case active, inactive }

    public var hasWindow = true
    public var scene = Scene.active
    /// Hidden for reuse: off screen, with its content kept.
    public var isHidden = false
    /// A size other than zero.
    public var hasSize = true

    var isVisible: Bool { hasWindow && !isHidden && hasSize }
}

/// What a client changes of an activity; nil leaves it as it is.
public struct ActivityChange: Sendable {
    public var window: Bool?
    public var scene: Activity.Scene?
    public var hidden: Bool?
    public var size: Bool?
    public var parked: Bool?

    public init(
        window: Bool? = nil, scene: Activity.Scene? = nil, hidden: Bool? = nil, size: Bool? = nil,
        parked: Bool? = nil
    ) {
        self.window = window
        self.scene = scene
        self.hidden = hidden
        self.size = size
        self.parked = parked
    }
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
    /// When that copy was taken: a draw of an older one carries nothing that is newer.
    var capturedAt = Moment.never
    /// When the root view was assigned last; making the place, or what stands in it anew, is an assignment too.
    var assignedAt = Moment.never
    /// A root view that a builder has made and nobody has assigned yet (R17).
    var built: (values: [String?], at: Moment)?
    /// A copy of the parent that nobody holds any more, to be filled with the next one: its block would be given back
    /// only to be asked for again (500 instructions a draw).
    var spare: [String?] = []
    /// The copy that was drawn or carried last, to tell a new value from a repetition.
    var drawn: [String?] = []
    /// The copies of the parent by generation that a coordinator may still hold (R31): a ring, so that a new one moves
    /// none of the others.
    private var copies: [(generation: UInt32, values: [String?])] = []
    private var newestCopy = 0
    var isMade = false
    /// An asynchronous make has begun and its view has not come yet (R60).
    var isArriving = false
    var waitsForSize = false
    /// Make returned a control that is not dismantled yet.
    var hasControl = false
    /// The make under way is that of a hidden twin.
    var isMeasured = false
    /// The next update follows straight on a make, or the control has changed hands: to write all of it is right, and
    /// what it writes again is no redundant write.
    var isSettlingIn = false
    /// The make to come is not the first.
    var makeCause = Cause.first
    /// The control is to be replaced by another one.
    var remake: Cause?
    /// What waits is a changed input, to be compared with what was carried last.
    var isTested = false
    /// The error of a body and its turn: since then nothing but dismantle is called.
    var failure: (turn: UInt64, text: String)?
    var isFailed: Bool { failure != nil }
    var isLeaving = false
    /// The draw or update that is waiting for its round.
    var pending: Cause?
    /// The call that asked for it, of view state, an object or a value that a body has read.
    var asked: Author?
    /// Calls with copies of their own that wait before it: closed by a transaction, or one for each write.
    var sealed: [(cause: Cause, values: [String?])] = []
    /// What was asked for while nothing could be drawn.
    var withheld: Cause?
    /// When a body that could carry a value last ran, and which it was.
    var lastCall = Moment.never
    var lastBody = CallRecord.Kind.make
    var lastMake = Moment.never
    /// When update last ran.
    var lastUpdate = Moment.never
    /// Fields that a body wrote into a view that is not the one on screen, and when: `wrong-instance` has said so.
    var astray: [(field: FieldID, at: Moment)] = []
    var measuredAt = Moment.never
    var tokens: [UInt64] = []
    /// Which of the controls of this place, one after the other: what an earlier one has asked for comes too late (R50).
    var life: UInt32 = 1
    /// The ends of the controls before, the newest last. Eight are more than any late work outlives.
    private(set) var endings: [Ending] = []
    var tracedView = TracedObject()
    var tracedCoordinator = TracedObject()

    // The place in the tree.
    var parent: MountID = 0
    var children: [MountID] = []
    var activity = Activity()
    var isAttached = false
    var isParked = false
    /// As of the last change of where it is: what it wrote is on the screen.
    var wasVisible = true
    /// How many mounts it lies in.
    var depth = 0
    var appeared = false
    /// The user has done something in it: it has an editing to end.
    var isEditing = false
    /// What the control holds while it is not visible, by key: it comes back with it (R54).
    var held: [Held] = []
    /// What a control from the pool, or one that was given another item, still holds of its former owner, until a body
    /// has written it (R49).
    var inherited: [FieldStore.KeyID] = []

    // Identity.
    /// The item that the control shows, in a list or a pool.
    var owner: String?
    /// The first one that it was given: what was asked for before was asked for it.
    var firstOwner: String?
    /// The value of the item, which decides equality; the id decides identity (R53).
    var item: String?
    var identity: String?
    /// The id under which the control was made: another one while it is still to be made again.
    var controlIdentity: String?
    /// The pool's second key.
    var style: String?
    /// State that belongs to the view: it lives as long as the identity (R29).
    var state: [(name: String, value: String?)] = []
    var slots: [Slot] = []
    var drafts: [(key: FieldStore.KeyID, value: String)] = []
    var diffBase: [(key: FieldStore.KeyID, value: String?)] = []
    /// Fields that the native side has changed by itself, and when (R85).
    var nativeEdits: [(field: FieldID, at: Moment)] = []
    var commands: [(token: UInt64, author: Author)] = []
    /// The turn in which a write during its update was reported.
    var reportedWriteIn: UInt64 = 0

    // What it reads.
    /// Keys of the model, each with the evaluation that read it last: a make with the update after it, an update, a
    /// draw (by the number of its copy of the parent).
    var reads: [(key: FieldStore.KeyID, generation: UInt32)] = []
    var traits: [String: String] = [:]
    var environment: [String: String] = [:]
    /// Which state of the root the captured environment shares its storage with; nil is one of its own.
    var environmentVersion: UInt64?
    var environmentReads: [EnvironmentRead] = []
    /// In which turn each trait was set.
    var traitTurns: [String: UInt64] = [:]
    var environmentIsDirty = false
    /// Deferred writes of this mount that have not reached the model yet, by key (R24).
    var inFlight: [(key: FieldStore.KeyID, count: Int)] = []

    init(id: MountID, bridge: BridgeID) {
        self.id = id
        self.bridge = bridge
    }

    /// Keeps the copy of the parent for a coordinator that may still hold it. Eight are more than any keeps.
    func remember(_ inputs: Inputs) {
        if copies.isEmpty || copies[newestCopy].generation != inputs.generation {
            if copies.count < 8 {
                newestCopy = copies.count
                return copies.append((inputs.generation, inputs.values))
            }
            newestCopy = (newestCopy + 1) % copies.count
            spare = copies[newestCopy].values
        }
        copies[newestCopy] = (inputs.generation, inputs.values)
    }

    /// What was remembered last.
    var lastCopy: [String?]? { copies.isEmpty ? nil : copies[newestCopy].values }

    func copy(ofGeneration generation: UInt32) -> [String?]? {
        copies.first { $0.generation == generation }?.values
    }

    func note(_ ending: Ending) {
        if endings.count == 8 { endings.removeFirst() }
        endings.append(ending)
    }

    func takeCopies(of other: Mount) {
        copies = other.copies
        newestCopy = other.newestCopy
    }

    /// The control with all that hangs on it; the place stays with the other.
    func takeControl(of other: Mount) {
        coordinator = other.coordinator
        view = other.view
        hasControl = other.hasControl
        isMade = other.isMade
        isAttached = other.isAttached
        appeared = other.appeared
        isEditing = other.isEditing
        tracedView = other.tracedView
        tracedCoordinator = other.tracedCoordinator
        other.tracedView = TracedObject()
        other.tracedCoordinator = TracedObject()
        // What was registered for the place before the control came is its own still.
        tokens = other.tokens + tokens
        activity = other.activity
        other.coordinator = 0
        other.view = 0
        other.hasControl = false
        other.isMade = false
        other.isAttached = false
        other.appeared = false
        other.isEditing = false
        other.tokens = []
    }

    /// What lives as long as the identity, for the end of the old control beside the new one.
    func takeView(of other: Mount) {
        owner = other.owner
        swap(&state, &other.state)
        swap(&slots, &other.slots)
        swap(&drafts, &other.drafts)
        swap(&diffBase, &other.diffBase)
        swap(&astray, &other.astray)
        swap(&nativeEdits, &other.nativeEdits)
        swap(&environmentReads, &other.environmentReads)
    }

    /// Whether its bodies run now, or wait for its return (R11, R56). Scene and hidden are a host's: R14 is a rule of
    /// the layout path of an embedding, and a wrapping is evaluated with the tree that it lies in (R3).
    func displays(_ kind: Scenario.BridgeKind) -> Bool {
        if isParked || !activity.hasWindow { return false }
        return kind != .embed || (activity.scene == .active && !activity.isHidden)
    }
}

/// A registration that the plug-in made for a mount and has to undo by itself: nothing is unhooked for it (R9).
struct Registration {
    var what: String
    /// Mount 0 is the instance.
    var owner: WorkOwner
    /// The call that registered it.
    var author: Author

    /// The finding when it outlives its mount.
    var leak: DiagnosticCode {
        switch what {
        case "observer", "delegate": DiagnosticCode.leakedObserver
        case "coordinator": DiagnosticCode.leakedCoordinator
        default: DiagnosticCode.leakedResource
        }
    }
}

/// One of the controls that a mount has had, has, or is to have.
struct Life: Equatable {
    /// 0 is the instance.
    var mount: MountID = 0
    /// `Mount.life`; 0 is one that has ended.
    var number: UInt32 = 0
}

/// Whose late work it is: whoever was there when it was asked for (R50).
struct WorkOwner {
    /// The control; a pool hands it on to another mount.
    var life: Life
    /// Whose it was then, and the item that it showed.
    let maker: MountID
    var item: String?
}

/// What has become of whoever asked for late work.
enum Former {
    /// The mount is gone, with its control or without.
    case gone
    /// The mount has had another control since, or is to get one; nil: too long ago to know when.
    case dismantled(Ending?)
    case failed(turn: UInt64)
    /// The control is there, and another's.
    case passedOn
}

/// When a control was dismantled whose mount lives on.
struct Ending {
    var life: UInt32
    var turn: UInt64
    /// As the trace counts it; 0 without a trace, or of a view that has no native control.
    var control: UInt32
}

/// What waits for a round of the turn.
enum Work {
    case make(Mount)
    /// The view of an asynchronous make has come.
    case arrive(Mount)
    case draw(Mount)
    case update(Mount)
    case dismantle(Mount)
    case attach(Mount)
    case activity(Mount, ActivityChange)
    case moved(Mount)
    case echo(Mount, life: UInt32, value: String?)
    case write(FieldStore.KeyID, value: String?, by: Author)
    case writeBack(Int)
    /// The largest of them, and rare: in place it would make all of them larger.
    indirect case state(Mount, life: UInt32, name: String, value: String?, by: Author)
    /// A value that flows up, after the hosted tree was drawn (R18).
    case lift(FieldID, value: String?, by: Author)
    /// With the call that asked for it, where that is known, and for which control: of a watch or a command. Any other
    /// token is its registration's, or the instance's own.
    case tick(UInt64, Lateness, by: Author?, of: Life = Life())
}

/// What a body found when it last asked its environment for a name.
struct EnvironmentRead {
    var name: String
    var value: String?
    /// The mount on which the value was set, and when; 0 is the root, or none that is known: a captured environment
    /// does not say whose its values were.
    var holder: MountID = 0
    var setIn: UInt64 = 0
    /// The turn in which it was reported that the value did not arrive.
    var reportedIn: UInt64 = 0
    /// The evaluation that read it.
    var generation: UInt32 = 0
}

/// A value in a control that is not on the screen, and whose write it is.
struct Held {
    var key: FieldStore.KeyID
    var value: String
    var author: Author

    /// When it was written.
    var at: Moment { Moment(turn: author.turn, step: author.step) }
}

extension Work {
    /// A draw or an update, as an update.
    var asEvaluation: Work {
        if case .draw(let mount) = self { return .update(mount) }
        return self
    }

    func isArrival(of mount: Mount) -> Bool {
        if case .arrive(let other) = self { return other === mount }
        return false
    }
}

/// The names of the findings that the kernel makes by itself. A plug-in may add its own.
public enum DiagnosticCode: String, CaseIterable, Sendable {
    case feedbackLoop = "feedback-loop"
    case staleParent = "stale-parent"
    case callbackAfterDismantle = "callback-after-dismantle"
    case leakedObserver = "leaked-observer"
    case leakedCoordinator = "leaked-coordinator"
    case leakedResource = "leaked-resource"
    case recreatedControl = "recreated-control"
    case objectRecreated = "object-recreated"
    case danglingSubscription = "dangling-subscription"
    case updateNeverArrived = "update-never-arrived"
    case emptyUpdate = "empty-update"
    case writeOnceInput = "write-once-input"
    case splitApplication = "split-application"
    case sizeNotRemeasured = "size-not-remeasured"
    case wrongInstance = "wrong-instance"
    case redundantWrite = "redundant-write"
    case stateWriteDuringUpdate = "state-write-during-update"
    case reuseLeak = "reuse-leak"
    case diffBaseOutOfStep = "diff-base-out-of-step"
    case identityCarriedState = "identity-carried-state"
    case environmentNotPropagated = "environment-not-propagated"
    case noControl = "no-control"
    case lostEdit = "lost-edit"
    case untrackedRead = "untracked-read"
    case unsettledRead = "unsettled-read"
    case transientDivergence = "transient-divergence"
    case pluginMisbehaving = "plugin-misbehaving"
    case pluginFailed = "plugin-failed"
}
