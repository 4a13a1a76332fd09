/// A named setting where frameworks differ, so that no contradiction is decided in code.
///
/// Who may say it, from first to last: the client, the bridge, the scenario, the profile, the default.
public struct Policy: Sendable {
    public enum Scope: Sendable { case bridge, simulation }
    public enum Values: Sendable {
        case words([String])
        case integer(ClosedRange<Int>)
        /// Names, with commas between them; none when empty.
        case names(Named)
    }
    /// What the names of a policy are names of.
    public enum Named: Sendable {
        /// Inputs of the bridge.
        case inputs
        /// One model key.
        case key
        /// Whatever its author likes.
        case anything
    }

    public var name: String
    public var scope: Scope
    public var values: Values
    /// What holds when nobody says anything: the `lesson` profile.
    public var initial: String
    public var meaning: String

    public func accepts(_ value: String) -> Bool {
        switch values {
        case .words(let words): words.contains(value)
        case .integer(let range): Int(value).map(range.contains) ?? false
        case .names: value.utf8.count <= 1024
        }
    }

    /// The first name in the value that nothing of the scenario has.
    /// - Parameter bridge: whose policy it is; none: of the simulation, where any bridge may have the name.
    func stranger(
        in value: String, said: String, of bridge: Scenario.Bridge?, in scenario: Scenario
    ) -> PolicyProblem? {
        guard case .names(let named) = values, !value.isEmpty else { return nil }
        let bridges = bridge.map { [$0] } ?? scenario.bridges
        let inputs = bridges.flatMap(\.inputs)
        switch named {
        case .anything: return nil
        case .inputs:
            for name in value.split(separator: ",").map(String.init) where !inputs.contains(name) {
                return .unknownInput(name, policy: said, bridge: bridge?.id, known: inputs)
            }
        case .key:
            let known = scenario.screens.flatMap { $0.fields.map(\.key) } + scenario.bridges.flatMap(\.inputs)
            if !known.contains(value) { return .unknownKey(value, policy: said, known: known) }
        }
        return nil
    }

    /// What the value may be, for a person.
    public var expected: String {
        switch values {
        case .words(let words): "one of " + words.joined(separator: ", ")
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .names: "names with commas between them, at most 1024 bytes"
        }
    }

    /// A policy of words is the enumeration that the kernel switches over: no word without a behaviour.
    private static func words<Word: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ initial: Word, _ meaning: String
    ) -> Policy {
        Policy(
            name: name, scope: .bridge, values: .words(Word.allCases.map(\.rawValue)),
            initial: initial.rawValue, meaning: meaning)
    }

    private static func names(_ name: String, of named: Named, _ meaning: String) -> Policy {
        Policy(name: name, scope: .bridge, values: .names(named), initial: "", meaning: meaning)
    }

    // MARK: Turns and time

    /// Rounds after which a turn that does not settle is cut off.
    static let roundLimit = Policy(
        name: "round-limit", scope: .simulation, values: .integer(1...10_000), initial: "100",
        meaning: "rounds of one turn after which it is cut off as a feedback-loop")
    static let updates = words(
        "updates", Ways.Updates.automatic,
        "whether update runs by itself in the turn that changed an input, by bridge.update alone, or never: "
            + "the inputs are applied when the control is made, at the next restart")
    static let changeTest = words(
        "change-test", Ways.ChangeTest.value,
        "what counts as a change: a value other than the one carried last, another object (identity: a "
            + "change inside the same one is none), every write even of an equal value (publish), or "
            + "every evaluation of the parent, since a closure is new each time")
    static let coalesce = words(
        "coalesce", Ways.Coalesce.turn,
        "whether the writes of one turn are one call with the last values, or each write is a call of its own; "
            + "a transaction is a border in both")
    static let flush = words(
        "flush", Ways.Flush.later,
        "whether what a value event invalidated runs inside the event, ahead of all else, or later in the turn"
    )
    static let draw = words(
        "draw", Ways.Draw.round,
        "when an embedding draws after its assignment: in the next round, in the turn's layout pass, or in its "
            + "frame pass after that")
    static let inward = words(
        "inward", Ways.Inward.sameTurn,
        "whether a changed input reaches the other side in the same turn, or one turn later over an asynchronous "
            + "bridge")
    static let capture = words(
        "capture", Ways.Capture.settle,
        "whether an observed embedding draws the values as they are when it draws, or as they were when the change "
            + "was signalled, which is before it was stored")
    static let callbackPhase = words(
        "callback-phase", Ways.CallbackPhase.pre,
        "when a watch of a model value is called: before the bodies of the turn, after them, or right at the write"
    )
    static let queuedWork = words(
        "queued-work", Ways.QueuedWork.deliver,
        "whether work queued by an owner that is gone or has changed is still delivered, and reported, or dropped"
    )
    static let writeBack = words(
        "write-back", Ways.WriteBack.deliver,
        "whether a deferred write into the model that was overtaken by another change of the same key is delivered "
            + "or dropped")

    // MARK: Wrapping

    static let firstUpdate = words(
        "first-update", Ways.YesNo.yes, "whether update runs straight after make or not")
    static let updateBody = words(
        "update-body", Ways.UpdateBody.present,
        "whether a change updates the control, or, for want of an update (also after make), dismantles it and makes it again"
    )
    static let make = words(
        "make", Ways.Make.plain,
        "whether make runs at once, waits until the control has a size (needs-size), answers one turn later "
            + "(async), or is run once more on a hidden control that is measured and never shown (measuring)"
    )
    static let reads = words(
        "reads", Ways.Reads.none,
        "whether a model value read inside make or update causes a later update; lexical also reports a read "
            + "in a callback that runs later, which nobody tracks")
    static let writeInUpdate = words(
        "write-in-update", Ways.WriteInUpdate.deferred,
        "what becomes of a write to the model or to view state from inside a body: carried out in the next round, at "
            + "once, or not at all; all three are reported")
    static let replaceOrder = words(
        "replace-order", Ways.ReplaceOrder.oldFirst,
        "when a control takes another's place: whether the old one is torn down before the new one is made"
    )
    static let teardownOrder = words(
        "teardown-order", Ways.TeardownOrder.dismantleFirst,
        "which of dismantle, the disappear callback and the end-editing callback comes first at a removal"
    )
    static let hooks = words(
        "hooks", Ways.Hooks.silent,
        "whether attach, detach, reset, appear, disappear, end-editing and move are told to the bodies and to the trace"
    )
    static let onReturn = words(
        "on-return", Ways.OnReturn.updateFirst,
        "when a parked control returns: whether update or attach comes first")
    static let moveEmits = words(
        "move-emits", Ways.YesNo.no, "whether a move within the list is told by detach and attach")
    static let nativeState = words(
        "native-state", Ways.NativeState.none,
        "what becomes of what the native side changed by itself: nothing is kept for it, it is saved at removal and "
            + "restored by id, update leaves it alone while it is newer than the model (keep-newest), or update "
            + "puts the model's value back where its body does not write (roll-back)")
    static let onceInputs = names(
        "once-inputs", of: .inputs, "inputs that make alone applies: a later change is a write-once-input")

    // MARK: Embedding

    static let hostDetach = words(
        "host-detach", Ways.HostDetach.keep,
        "what a removal from the window does to the control: keeps it, dismantles it, dismantles it at the end "
            + "of the turn unless it is back, or puts it into the pool, also at an unmount")
    static let unmounted = words(
        "unmounted", Ways.Unmounted.clear,
        "whether what a mount wrote is cleared when it is unmounted, since a view that is gone shows nothing, "
            + "or kept")
    static let offscreen = words(
        "offscreen", Ways.Unmounted.clear,
        "whether what a mount wrote counts as shown while it has no window, no size or is hidden")
    static let observedInputs = names(
        "observed-inputs", of: .inputs,
        "inputs of a copied embedding that are observed all the same: they redraw without an assignment"
    )
    static let upward = words(
        "upward", Ways.Upward.carried,
        "whether a value that flows up from the hosted view (a title, a preference) reaches the screen above, after "
            + "the hosted tree was drawn, or is cut")
    static let dismissal = words(
        "dismissal", Ways.Dismissal.writes,
        "whether a dismissal that did not come from the model writes the model")
    static let presentedBy = names(
        "presented-by", of: .key,
        "the model key whose value presents the view; a dismissal that writes clears it")

    // MARK: Environment

    static let environment = words(
        "environment", Ways.Environment.inherit,
        "whether a host sees the environment of its parent, or only what was set on itself")
    static let environmentCapture = words(
        "environment-capture", Ways.EnvironmentCapture.live,
        "when a host, or a wrapping for itself, takes its environment: at each read, once when it is created, again in "
            + "a layout pass after its ancestors changed, or only on request")
    static let environmentPrecedence = words(
        "environment-precedence", Ways.EnvironmentPrecedence.native,
        "whether a host's own traits or the inherited values win")

    // MARK: Identity and reuse

    static let identity = words(
        "identity", Ways.Identity.id,
        "whether the controls of a list belong to the id of their item or to their place in it")
    static let poolKey = names(
        "pool-key", of: .anything,
        "the pool that a control goes into and comes from; the bridge's own when empty")
    static let poolLimit = Policy(
        name: "pool-limit", scope: .bridge, values: .integer(0...1_000_000), initial: "64",
        meaning:
            "controls that the bridge's pool holds; the one used longest ago is dismantled for another")
    static let draft = words(
        "draft", Ways.Draft.commit,
        "what becomes of an uncommitted edit when its control is given to another item: it is committed to the old "
            + "one first, dropped, or carried to the new one")

    public static let all = [
        roundLimit, updates, changeTest, coalesce, flush, draw, inward, capture, callbackPhase, queuedWork,
        writeBack, firstUpdate, updateBody, make, reads, writeInUpdate, replaceOrder, teardownOrder, hooks,
        onReturn, moveEmits, nativeState, onceInputs, hostDetach, unmounted, offscreen, observedInputs,
        upward,
        dismissal, presentedBy, environment, environmentCapture, environmentPrecedence, identity, poolKey,
        poolLimit, draft,
    ]

    /// Sets of policies by name, as the suites of these frameworks assert them. `lesson` is every default: BR1 and
    /// BR2 as the lesson states them.
    public static let profiles = profileBook.map(\.name)

    /// What a profile sets beyond the defaults, in the order of the book; none for a name that is no profile.
    public static func settings(of profile: String) -> [(name: String, value: String)] {
        (profileBook.first { $0.name == profile }?.settings ?? []).map { ($0.0, $0.1) }
    }

    static func value(of policy: Policy, in profile: String) -> String? {
        profileBook.first { $0.name == profile }?.settings.first { $0.0 == policy.name }?.1
    }

    private static let profileBook: [(name: String, settings: [(String, String)])] = [
        ("lesson", []),
        (
            "uikit",
            [
                ("hooks", "told"), ("draw", "layout"), ("reads", "update"),
                ("environment-capture", "creation"),
            ]
        ),
        (
            "appkit",
            [
                ("hooks", "told"), ("draw", "layout"), ("reads", "update"), ("environment-capture", "layout"),
                ("teardown-order", "end-editing-first"),
            ]
        ),
        (
            "compose",
            [
                ("hooks", "told"), ("draw", "frame"), ("reads", "update"), ("on-return", "attach-first"),
                ("host-detach", "dispose"), ("write-in-update", "accept"),
                ("teardown-order", "disappear-first"),
            ]
        ),
        (
            "react",
            [
                ("hooks", "told"), ("flush", "in-event"),
                ("callback-phase", "post"), ("teardown-order", "disappear-first"),
            ]
        ),
        (
            "react-native",
            [
                ("hooks", "told"), ("inward", "next-turn"),
                ("callback-phase", "post"), ("host-detach", "pool"),
            ]
        ),
        ("vue", [("hooks", "told"), ("queued-work", "drop")]),
        ("flutter", [("hooks", "told"), ("draw", "frame"), ("host-detach", "end-of-turn")]),
        ("elm", [("draw", "frame")]),
        ("workflow", [("first-update", "no"), ("environment-capture", "request")]),
        ("blueprint", [("make", "measuring")]),
        ("prosemirror", [("update-body", "absent")]),
    ]
}

/// The policies of one bridge, resolved once at creation.
struct Ways {
    enum YesNo: String, CaseIterable { case yes, no }
    enum Updates: String, CaseIterable { case automatic, manual, restart }
    enum ChangeTest: String, CaseIterable { case value, identity, publish, closure }
    enum Coalesce: String, CaseIterable { case turn, write }
    enum Flush: String, CaseIterable {
        case later
        case inEvent = "in-event"
    }
    enum Draw: String, CaseIterable { case round, layout, frame }
    enum Inward: String, CaseIterable {
        case sameTurn = "same-turn"
        case nextTurn = "next-turn"
    }
    enum Capture: String, CaseIterable { case settle, signal }
    enum CallbackPhase: String, CaseIterable { case pre, post, sync }
    enum QueuedWork: String, CaseIterable { case deliver, drop }
    enum WriteBack: String, CaseIterable { case deliver, drop }
    enum UpdateBody: String, CaseIterable { case present, absent }
    enum Make: String, CaseIterable {
        case plain
        case needsSize = "needs-size"
        case async, measuring
    }
    enum Reads: String, CaseIterable { case none, update, lexical }
    enum WriteInUpdate: String, CaseIterable {
        case deferred = "defer"
        case accept, reject
    }
    enum ReplaceOrder: String, CaseIterable {
        case oldFirst = "old-first"
        case newFirst = "new-first"
    }
    enum TeardownOrder: String, CaseIterable {
        case dismantleFirst = "dismantle-first"
        case disappearFirst = "disappear-first"
        case endEditingFirst = "end-editing-first"
    }
    enum Hooks: String, CaseIterable { case silent, told }
    enum OnReturn: String, CaseIterable {
        case updateFirst = "update-first"
        case attachFirst = "attach-first"
    }
    enum NativeState: String, CaseIterable {
        case none, save
        case keepNewest = "keep-newest"
        case rollBack = "roll-back"
    }
    enum HostDetach: String, CaseIterable {
        case keep, dispose
        case endOfTurn = "end-of-turn"
        case pool
    }
    enum Unmounted: String, CaseIterable { case clear, keep }
    enum Upward: String, CaseIterable { case carried, cut }
    enum Dismissal: String, CaseIterable { case writes, silent }
    enum Environment: String, CaseIterable { case inherit, own }
    enum EnvironmentCapture: String, CaseIterable { case live, creation, layout, request }
    enum EnvironmentPrecedence: String, CaseIterable { case native, inherited }
    enum Identity: String, CaseIterable { case id, place }
    enum Draft: String, CaseIterable { case commit, drop, carry }

    var updates: Updates
    var changeTest: ChangeTest
    var coalesce: Coalesce
    var flush: Flush
    var draw: Draw
    var inward: Inward
    var capture: Capture
    var callbackPhase: CallbackPhase
    var queuedWork: QueuedWork
    var writeBack: WriteBack
    var firstUpdate: YesNo
    var updateBody: UpdateBody
    var make: Make
    var reads: Reads
    var writeInUpdate: WriteInUpdate
    var replaceOrder: ReplaceOrder
    var teardownOrder: TeardownOrder
    var hooks: Hooks
    var onReturn: OnReturn
    var moveEmits: YesNo
    var nativeState: NativeState
    var hostDetach: HostDetach
    var unmounted: Unmounted
    var offscreen: Unmounted
    var upward: Upward
    var dismissal: Dismissal
    var environment: Environment
    var environmentCapture: EnvironmentCapture
    var environmentPrecedence: EnvironmentPrecedence
    var identity: Identity
    var draft: Draft
    var poolKey: String
    var poolLimit: Int
    var presentedBy: String
    var observedInputs: [String]
    var onceInputs: [String]

    /// A value that is no word of its policy is read as the default; a client's was refused before (`PolicyBook.problem`).
    init(_ book: PolicyBook, of bridge: Scenario.Bridge) {
        func word<Word: RawRepresentable<String> & CaseIterable>(_ policy: Policy) -> Word {
            Word(rawValue: book.value(of: policy, bridge: bridge)) ?? Word(rawValue: policy.initial)
                ?? Word.allCases[Word.allCases.startIndex]
        }
        func names(_ policy: Policy) -> [String] {
            book.value(of: policy, bridge: bridge).split(separator: ",").map(String.init)
        }
        updates = word(.updates)
        changeTest = word(.changeTest)
        coalesce = word(.coalesce)
        flush = word(.flush)
        draw = word(.draw)
        inward = word(.inward)
        capture = word(.capture)
        callbackPhase = word(.callbackPhase)
        queuedWork = word(.queuedWork)
        writeBack = word(.writeBack)
        firstUpdate = word(.firstUpdate)
        updateBody = word(.updateBody)
        make = word(.make)
        reads = word(.reads)
        writeInUpdate = word(.writeInUpdate)
        replaceOrder = word(.replaceOrder)
        teardownOrder = word(.teardownOrder)
        hooks = word(.hooks)
        onReturn = word(.onReturn)
        moveEmits = word(.moveEmits)
        nativeState = word(.nativeState)
        hostDetach = word(.hostDetach)
        unmounted = word(.unmounted)
        offscreen = word(.offscreen)
        upward = word(.upward)
        dismissal = word(.dismissal)
        environment = word(.environment)
        environmentCapture = word(.environmentCapture)
        environmentPrecedence = word(.environmentPrecedence)
        identity = word(.identity)
        draft = word(.draft)
        poolKey = book.value(of: .poolKey, bridge: bridge)
        poolLimit = Int(book.value(of: .poolLimit, bridge: bridge)) ?? 64
        presentedBy = book.value(of: .presentedBy, bridge: bridge)
        observedInputs = names(.observedInputs)
        onceInputs = names(.onceInputs)
    }
}

/// Why settings do not fit a scenario.
public enum PolicyProblem: Equatable, Sendable {
    case unknownPolicy(String, known: [String])
    case unknownBridge(String, known: [String])
    case badValue(policy: String, value: String, expected: String)
    case unknownProfile(String, known: [String])
    /// A policy of the whole simulation, said of one bridge.
    case notOfBridge(String, policy: String)
    /// `bridge` is none where no bridge of the scenario has such an input.
    case unknownInput(String, policy: String, bridge: String?, known: [String])
    case unknownKey(String, policy: String, known: [String])
}

/// The policies of one simulation, asked once at creation.
struct PolicyBook {
    private var client: [(name: String, value: String)]
    private var scenario: [(name: String, value: String)]
    private var profile: String

    init(client: [(name: String, value: String)], scenario: Scenario, profile: String) {
        self.client = client
        self.scenario = scenario.policies.compactMap(Self.pair)
        self.profile = profile
    }

    func value(of policy: Policy, bridge: Scenario.Bridge? = nil) -> String {
        if let bridge {
            if let said = last(of: "\(bridge.id).\(policy.name)", in: client) { return said }
        }
        if let said = last(of: policy.name, in: client) { return said }
        if let bridge, let said = last(of: policy.name, in: bridge.policies.compactMap(Self.pair)) {
            return said
        }
        return last(of: policy.name, in: scenario) ?? Policy.value(of: policy, in: profile) ?? policy.initial
    }

    private func last(of name: String, in pairs: [(name: String, value: String)]) -> String? {
        pairs.last { $0.name == name }?.value
    }

    /// Splits "name=value"; nil for a text without "=".
    static func pair(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// The first setting that names no policy, gives it no value of its kind, or a name that the scenario has not.
    static func problem(client: [(name: String, value: String)], profile: String, scenario: Scenario)
        -> PolicyProblem?
    {
        if !Policy.profiles.contains(profile) { return .unknownProfile(profile, known: Policy.profiles) }
        for (name, value) in client {
            guard let dot = name.lastIndex(of: ".") else {
                if let problem = problem(name, value, of: nil, said: name, in: scenario) { return problem }
                continue
            }
            let id = String(name[..<dot])
            guard let bridge = scenario.bridges.first(where: { $0.id == id }) else {
                return .unknownBridge(id, known: scenario.bridges.map(\.id))
            }
            let policy = String(name[name.index(after: dot)...])
            if let problem = problem(policy, value, of: bridge, said: name, in: scenario) { return problem }
        }
        return nil
    }

    private static func problem(
        _ name: String, _ value: String, of bridge: Scenario.Bridge?, said: String, in scenario: Scenario
    ) -> PolicyProblem? {
        guard let policy = Policy.all.first(where: { $0.name == name }) else {
            return .unknownPolicy(said, known: Policy.all.map(\.name))
        }
        if policy.scope == .simulation && bridge != nil { return .notOfBridge(said, policy: name) }
        if !policy.accepts(value) {
            return .badValue(policy: said, value: value, expected: policy.expected)
        }
        return policy.stranger(in: value, said: said, of: bridge, in: scenario)
    }

    /// What is wrong with the policies that a scenario declares itself.
    /// - Parameter bridge: whose `policies` they are; none: the scenario's.
    static func problem(declared: [String], of bridge: Scenario.Bridge?, in scenario: Scenario)
        -> PolicyProblem?
    {
        for case let (name, value)? in declared.map(pair) {
            if let problem = problem(name, value, of: bridge, said: name, in: scenario) { return problem }
        }
        return nil
    }
}

extension Scenario {
    /// The first of its own policies that is none: the bridge that declares it, and why.
    public var policyProblem: (bridge: String?, problem: PolicyProblem)? {
        if let problem = PolicyBook.problem(declared: policies, of: nil, in: self) { return (nil, problem) }
        for bridge in bridges {
            if let problem = PolicyBook.problem(declared: bridge.policies, of: bridge, in: self) {
                return (bridge.id, problem)
            }
        }
        return nil
    }
}
