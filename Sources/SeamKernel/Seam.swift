/// What only a simulation with code has: bridges and their mounts, what they own, and the work that waits between
/// the passes of a turn. One object, so that a live screen carries a single pointer for all of it.
final class Seam {
    var bridges = Table<Bridge>()
    var mounts: [MountID: Mount] = [:]
    /// Which bridge each mount ever made belongs to, by number less one: a dead mount still has a name.
    var bridgeOfMount: [Int32] = []
    /// Those whose control has gone into a pool.
    var pooled = MountSet()
    var registrations: [UInt64: Registration] = [:]
    var registrationCount: UInt64 = 0

    /// Per key, the bridges that carry it.
    var carriers: [[BridgeID]] = []
    /// Who wrote what; none in a live simulation.
    var authors: Authors?
    var generator: Random
    var roundLimit = 100
    var mountLimit = Int.max
    /// The plug-in's error that ended the simulation in this turn.
    var failure: String?
    /// Findings of this turn beyond those that are listed.
    var droppedFindings = 0

    // The call under way.
    /// The service that was asked for last.
    var asked: HostCall?
    var arrival = Arrival()
    /// What began the turn, as the author of what it writes itself; kept up where there are authors.
    var beginning = Author(milliseconds: 0)
    /// Who asked for the write that is carried out now, when that was in an earlier round.
    var earlierAuthor: Author?
    var current: OpenCall?
    var currentMount: Mount?
    /// What it has written so far, for its record; filled only while calls are recorded.
    var wrote: [FieldID] = []
    var set: [String] = []
    var records: [CallRecord] = []
    /// Times in a row that the main queue had something, and nothing came of it for this simulation.
    var idleDrains = 0
    /// What ran in the rounds near the limit, to name a cycle.
    var trail: [TrailStep] = []
    /// Code on the main queue would not come to an end, which was told when its turn was cut off.
    var isRunaway = false

    /// Breaches of the plug-in contract, told in the stream once and to every check: whoever comes later has to know
    /// that the verdicts are those of a plug-in that did not play by the rules.
    var breaches: [Diagnostic] = []

    // Work beside that of the round.
    /// Inside the event, before its first round.
    var urgent: [Work] = []
    /// Callbacks that come before the bodies of the round.
    var prior: [Work] = []
    var layout: [Work] = []
    var frame: [Work] = []
    /// Callbacks after the draw.
    var post: [Work] = []
    /// Off the window, to be dismantled unless they are back by the end of the turn.
    var leaving: [Mount] = []
    var laterTurn: [Work] = []

    /// What a policy dropped in this turn, told when it is over: a record of its own must not end that of the body which
    /// is under way.
    var drops: [Drop] = []
    // The last of them, for whoever asks why a field is as it is.
    var droppedLifts: [FieldID: Drop] = [:]
    var droppedWrites: [FieldStore.KeyID: Drop] = [:]
    var droppedWork: [BridgeID: Drop] = [:]
    /// The last turn that was cut off.
    var cutOffIn: UInt64 = 0
    /// Who asked for each timer.
    var timerAuthors: [UInt64: Author] = [:]
    /// Per field, the mounts whose value lies under another one's, the newest last. Some of them have gone since.
    var covered: [FieldID: [Covered]] = [:]
    /// Per key, the mounts whose own bodies have read it in their newest evaluation.
    var readers: [Int: [Mount]] = [:]
    var watches: [Watch] = []
    /// Bridges to whom each evaluation of the parent is a change.
    var closureBridges: [BridgeID] = []

    var rootEnvironment: [String: String] = [:]
    /// Goes up with each change of it.
    var environmentVersion: UInt64 = 0
    var objects: [UInt64: SharedObject] = [:]
    var objectCount: UInt64 = 0
    var subscriptions: [UInt64: Subscription] = [:]
    var subscriptionCount: UInt64 = 0
    var bindings: [UInt64: Binding] = [:]
    var bindingCount: UInt64 = 0
    var writeBacks: [Int: WriteBack] = [:]
    var writeBackCount = 0
    var pools: [Pool] = []
    /// Native state saved at removal, by bridge and identity (R58).
    var saved: [(bridge: BridgeID, id: String, held: Held)] = []

    /// Some mount has an environment that the layout pass is to capture anew.
    var hasDirtyEnvironment = false

    /// What mounts and environment take in memory, as of the last turn that changed it.
    var bytes = 0
    /// The object itself.
    static let ownBytes = 544
    var isUnweighed = false

    var controlCount = 0
    var coordinatorCount = 0

    init(seed: UInt64 = 0) { generator = Random(seed: seed) }

    func takeRecords() -> [CallRecord] {
        let taken = records
        records.removeAll()
        return taken
    }

    var hasPrior: Bool { !urgent.isEmpty || !prior.isEmpty }

    func takePrior() -> [Work] {
        let work = urgent + prior
        urgent.removeAll()
        prior.removeAll()
        return work
    }

    /// Moves a pass's work into the round; whether there was any.
    static func move(_ pass: inout [Work], into pending: inout [Work]) -> Bool {
        if pass.isEmpty { return false }
        pending.append(contentsOf: pass)
        pass = []
        return true
    }

    /// Pieces of work beside those of the round.
    var waiting: Int {
        urgent.count + prior.count + layout.count + frame.count + post.count + laterTurn.count
    }

    var allWork: [Work] { urgent + prior + layout + frame + post + laterTurn }

    func dropWork() {
        urgent = []
        prior = []
        layout = []
        frame = []
        post = []
        leaving = []
        laterTurn = []
    }

    func forgetObjects() {
        objects = [:]
        subscriptions = [:]
        bindings = [:]
        writeBacks = [:]
        watches = []
        timerAuthors = [:]
    }
}

/// Numbers of mounts that are gone, a bit for each.
struct MountSet {
    private var words: [UInt64] = []

    func contains(_ mount: MountID) -> Bool {
        let word = Int(mount / 64)
        return word < words.count && words[word] & 1 << (mount % 64) != 0
    }

    mutating func insert(_ mount: MountID) {
        let word = Int(mount / 64)
        while words.count <= word { words.append(0) }
        words[word] |= 1 << (mount % 64)
    }
}

/// One piece of work near the limit of rounds, or a key of the model that it set.
struct TrailStep {
    var label: String
    var mount: MountID?
    var key: FieldStore.KeyID?
    /// It set something, or made something else run.
    var isCause = true
}

/// The body under way: what its `CallRecord` will say but for what it writes. Without a list in it, since every look
/// at the call under way would copy them.
struct OpenCall {
    var kind: CallRecord.Kind
    var round: Int
    var bridge: BridgeID?
    var mount: MountID?
    var cause: Cause?
    var inFlight = 0
}

/// How many of each there are now: all of them zero after destroy.
public struct LiveCounts: Equatable, Sendable {
    public var mounts: Int
    public var controls: Int
    public var coordinators: Int
    public var objects: Int
    public var subscriptions: Int
    public var registrations: Int
    /// Controls in pools; they count among the controls.
    public var pooled: Int
}

extension Simulation {
    var bridges: Table<Bridge> {
        _read { yield seam.bridges }
        _modify { yield &seam.bridges }
    }
    var mounts: [MountID: Mount] {
        get { seam.mounts }
        _modify { yield &seam.mounts }
    }
    var registrations: [UInt64: Registration] {
        get { seam.registrations }
        _modify { yield &seam.registrations }
    }
    var current: OpenCall? {
        get { seam.current }
        _modify { yield &seam.current }
    }
    var currentMount: Mount? {
        get { seam.currentMount }
        _modify { yield &seam.currentMount }
    }

    public var liveCounts: LiveCounts {
        guard hasSeam else {
            return LiveCounts(
                mounts: 0, controls: 0, coordinators: 0, objects: 0, subscriptions: 0, registrations: 0,
                pooled: 0)
        }
        return LiveCounts(
            mounts: seam.mounts.count, controls: seam.controlCount, coordinators: seam.coordinatorCount,
            objects: seam.objects.count, subscriptions: seam.subscriptions.count,
            registrations: seam.registrations.count, pooled: seam.pools.reduce(0) { $0 + $1.controls.count })
    }
}
