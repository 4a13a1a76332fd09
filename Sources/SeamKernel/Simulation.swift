/// One running instance of a scenario: a model, screens that should show it, and the bridges between them.
///
/// Everything goes through `apply`: an event comes in, what it invalidated runs in rounds until nothing is
/// pending, then each touched field is judged. There is no IO, no clock of its own, no thread and no JSON in
/// here, and nothing that a user sends can make it fail: it answers with a refusal or a diagnostic.
/// Used from one thread; not `Sendable`, and the compiler holds everybody to it.
public final class Simulation {
    public enum Status: Equatable {
        case running
        /// The plug-in's error; the simulation can still be read and destroyed.
        case failed(String)
    }

    /// What a creator decides, all of it given so that the same settings make the same run.
    public struct Settings {
        public var epoch: UInt64
        public var seed: UInt64
        /// The client's policies: "name" for the simulation, "bridge.name" for one bridge.
        public var policies: [(name: String, value: String)]
        public var profile: String

        public init(
            epoch: UInt64 = 0, seed: UInt64 = 0, policies: [(name: String, value: String)] = [],
            profile: String = "lesson"
        ) {
            self.epoch = epoch
            self.seed = seed
            self.policies = policies
            self.profile = profile
        }
    }

    /// The scenario could not be created: there is nothing to read afterwards.
    public struct CreateFailure: Error {
        public var status: Int32
        public var text: String
    }

    public let id: String
    public var scenario: Scenario { _read { yield shared.scenario } }
    private let shared: SharedScenario
    public let epoch: UInt64
    /// Number of the last change or diagnostic.
    public private(set) var seq: UInt64 = 0
    /// Number of the last turn.
    public private(set) var turn: UInt64 = 0
    public internal(set) var status = Status.running
    public internal(set) var phase = Phase.idle
    /// Fills `Turn.calls`; off, a call leaves no record and costs nothing.
    public var recordsCalls = false
    /// Fields this simulation may have, the simulation's share of a daemon-wide limit.
    public var fieldLimit = Int.max
    /// Who sends the events, for the trace: a client, or the scenario's own script.
    public var requester = TraceOrigin.client
    /// Mounts that it may have at a time.
    public var mountLimit: Int {
        get { seam.mountLimit }
        set { if seam !== scratch.noSeam { seam.mountLimit = newValue } }
    }
    /// Told when something outside a turn waits for one (`settle`): the next turn reports it.
    public var onWaiting: ((Simulation) -> Void)?

    let store = FieldStore()
    var clock = Clock()
    let body: (any ScenarioBody)?

    // What is kept of the past.
    var trace: Trace? { didSet { keepsPast = trace != nil || seam.authors != nil } }
    var clockMarks: [ClockMark] = []
    var hasForgottenClock = false
    /// Whether there is a trace, or authors: asked at the beginning of each turn.
    private(set) var keepsPast = false

    /// What only a simulation with code has. Live screens share one that stays empty, and so cost a third of one with
    /// bridges; a constant all the same, since a turn with a body in it looks here forty times (3,000 instructions a turn
    /// as a lazy variable, which retains it each time).
    let seam: Seam
    let hasSeam: Bool

    /// Of the turn under way, or of what was found since the last one.
    var findings: [Diagnostic] = []
    /// The rest of the turn under way.
    let scratch: Scratch

    /// Asked before a simulation is made of them; the initialiser takes the settings to be good.
    public static func problem(of settings: Settings, scenario: Scenario) -> PolicyProblem? {
        PolicyBook.problem(client: settings.policies, profile: settings.profile, scenario: scenario)
    }

    /// What a turn needs while it is under way, kept for the next one. Turns never nest: one will do for all
    /// simulations of a thread.
    public final class Scratch {
        /// The turn under way: nothing of it is left when the turn is over.
        fileprivate var moment = Moment.never
        fileprivate var pending: [Work] = []
        fileprivate var round = 0
        fileprivate var touchedCount = 0
        /// What its event wants to see before it settles.
        fileprivate var interim: Interim?
        fileprivate var interimFields: [(id: FieldID, seen: FieldView)]?

        /// The touched fields, each with what it was before the turn, then the changes of the last turn. Whoever
        /// holds that turn still holds these too, and the next turn gets others.
        fileprivate var touched: [Change] = []
        fileprivate var resolvedKeys: [FieldStore.KeyID] = []
        fileprivate var work: [Work] = []
        /// Of simulations without code. Nothing is written into it: there is no body that could ask for it, and a breach
        /// of the plug-in contract is kept only where there is a plug-in.
        fileprivate let noSeam = Seam()
        /// The one scenario of most simulations.
        private var live: SharedScenario?
        /// A larger list is not kept.
        fileprivate static let longestList = 256

        public init() {}

        /// Live simulations hold one scenario together, the first that came here; 120 bytes of each otherwise.
        fileprivate func share(_ scenario: Scenario) -> SharedScenario {
            let shared = live ?? SharedScenario(scenario)
            live = shared
            return shared
        }
    }

    fileprivate final class SharedScenario {
        let scenario: Scenario
        init(_ scenario: Scenario) { self.scenario = scenario }
    }

    /// - Parameter body: the scenario's code; none for the built-in `live`.
    public init(
        id: String, scenario: Scenario, settings: Settings = Settings(), body: (any ScenarioBody)? = nil,
        scratch: Scratch = Scratch()
    ) {
        let isBare =
            body == nil && scenario.isLive && scenario.screens.isEmpty && scenario.bridges.isEmpty
        self.id = id
        self.scratch = scratch
        shared = isBare ? scratch.share(scenario) : SharedScenario(scenario)
        self.body = body
        hasSeam = body != nil
        seam = isBare ? scratch.noSeam : Seam(seed: settings.seed)
        epoch = settings.epoch
        if isBare { return }
        let policies = PolicyBook(
            client: settings.policies, scenario: scenario, profile: settings.profile)
        seam.roundLimit = Int(policies.value(of: .roundLimit)) ?? 100
        phase = body == nil ? .idle : .creating
        declare(policies)
        seam.authors?.settings = Self.words(for: settings)
    }

    private func declare(_ policies: PolicyBook) {
        for screen in scenario.screens {
            let id = store.declareScreen(screen.id)
            for field in screen.fields {
                _ = store.declareField(screen: id, key: store.declareKey(field.key))
            }
        }
        for bridge in scenario.bridges { for key in bridge.inputs { _ = store.declareKey(key) } }
        if !scenario.isLive {
            seam.authors = Authors(
                keys: store.keys.count, fields: store.fields.count, bridges: scenario.bridges.count)
            keepsPast = true
        }
        if scenario.bridges.isEmpty { return }
        for (position, bridge) in scenario.bridges.enumerated() {
            let ways = Ways(policies, of: bridge)
            if ways.changeTest == .closure { seam.closureBridges.append(position) }
            bridges.append(
                Bridge(
                    name: bridge.id, kind: bridge.kind, screen: bridge.screen,
                    inputs: bridge.inputs.map { store.declareKey($0) },
                    observes: bridge.inputs.map {
                        bridge.isObserved || ways.observedInputs.contains($0)
                    },
                    isObserved: bridge.isObserved, ways: ways,
                    echoEvent: bridge.echoes ? echoEvent(of: position) : nil))
            if let event = bridges[position].echoEvent,
                let key = store.key(named: scenario.events[event].arguments[0].id)
            {
                bridges[position].echoField = store.field(screen: bridge.screen, key: key)
            }
        }
        seam.carriers = Array(repeating: [], count: store.keys.count)
        for position in bridges.indices {
            for key in bridges[position].inputs { seam.carriers[key].append(position) }
        }
    }

    private func echoEvent(of bridge: BridgeID) -> Int? {
        scenario.events.firstIndex { $0.bridge == bridge && $0.origin == .native && $0.arguments.count == 1 }
    }

    // MARK: Events

    /// Creates and starts the scenario and lets its first turn settle.
    /// - Throws: when the scenario's own create says no; an error of its start comes in `Turn.failure`.
    public func start(parameters: [String?]) throws(CreateFailure) -> Turn {
        begin()
        guard let body else { return finish() }
        phase = .creating
        if case .failed(let status, let text) = body.create(in: self, parameters: parameters) {
            phase = .destroyed
            throw CreateFailure(status: status, text: text)
        }
        phase = .created
        noteBeginning(.start)
        enter(.event, phase: .dispatching)
        if let settings = seam.authors?.settings { trace?.note(settings) }
        leave(body.start())
        return finish()
    }

    /// One event, one turn: applied, settled and judged.
    /// - Parameter interim: fields to look at before the turn has settled; what was seen comes in `Turn.interim`.
    /// - Throws: a refusal, before anything has happened.
    public func apply(_ event: Event, interim: Interim) throws(Refusal) -> Turn {
        scratch.interim = interim
        defer {
            scratch.interim = nil
            scratch.interimFields = nil
        }
        return try apply(event)
    }

    /// One event, one turn: applied, settled and judged.
    /// - Throws: a refusal, before anything has happened.
    public func apply(_ event: Event) throws(Refusal) -> Turn {
        if case .failed(let text) = status { throw .failed(text) }
        switch event {
        case .modelWrite(let values):
            // Most events set one value, and need no list of keys.
            if values.count == 1 {
                let key = try resolve(key: values[0].key)
                begin()
                if keepsPast { noteArrival(setting: key, to: values[0].value) }
                writeModel(key, values[0].value)
                return finish()
            }
            try resolveKeys(values)
            begin(event)
            for (position, key) in scratch.resolvedKeys.enumerated() {
                writeModel(key, values[position].value)
            }
            return finish()

        case .screenDeclare(let screen, let keys):
            try requireLive(screen, room: keys.count) { isField(keys[$0], on: $1) }
            begin(event)
            for key in keys { touchDeclared(screen, key) }
            return finish()

        case .screenWrite(let screen, let values):
            try requireLive(screen, room: values.count) { isField(values[$0].key, on: $1) }
            begin(event)
            for (key, value) in values {
                let field = touchDeclared(screen, key)
                _ = store.setShown(field, value, at: tickMoment(), writer: 0)
                trace?.wrote(field)
            }
            return finish()

        case .send(let index, let arguments, let mount):
            return try send(index, arguments, mount)

        case .assign(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: .embed, isCalled: true)
            begin()
            if keepsPast { noteArrival(assigning: mount) }
            assign(mount)
            return finish()

        case .update(let bridge, let mount, let cause):
            if bridges[bridge].kind == .custom { throw .wrongBridgeKind(bridge, .custom) }
            let mount = try resolve(
                mount, of: bridge, kind: cause == .repeat ? .wrap : nil, isCalled: true)
            begin(event)
            request(cause, of: mount)
            return finish()

        case .build(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: .embed, isCalled: true)
            begin(event)
            build(mount)
            return finish()

        case .assignBuilt(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: .embed, isCalled: true)
            begin(event)
            assignBuilt(mount)
            return finish()

        case .activity(let bridge, let mount, let change):
            let mount = try resolve(mount, of: bridge, kind: nil, isCalled: true)
            begin(event)
            move(mount, to: change)
            return finish()

        case .identify(let bridge, let mount, let id):
            let mount = try resolve(mount, of: bridge, kind: nil, isCalled: true)
            begin(event)
            identify(mount, as: id)
            return finish()

        case .rebind(let bridge, let mount, let owner):
            let mount = try resolve(mount, of: bridge, kind: nil, isCalled: true)
            begin(event)
            rebind(mount, to: owner)
            return finish()

        case .dismiss(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: nil)
            begin(event)
            dismiss(mount)
            return finish()

        case .items(let bridge, let items):
            guard hasSeam else { throw .notLive }
            let others = mounts.count - bridges[bridge].mounts.count
            guard others + items.count <= mountLimit else { throw .tooManyMounts(limit: mountLimit) }
            begin(event)
            show(items, of: bridge)
            return finish()

        case .environment(let values, let bridge, let mount):
            guard hasSeam else { throw .notLive }
            let mount = try bridge.map { bridge throws(Refusal) in
                try resolve(mount, of: bridge, kind: nil)
            }
            begin(event)
            setEnvironment(values, of: mount)
            return finish()

        case .mount(let bridge):
            guard mounts.count < mountLimit else { throw .tooManyMounts(limit: mountLimit) }
            begin(event)
            let mount = place(bridge)
            var turn = finish()
            turn.mount = mount.id
            return turn

        case .unmount(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: nil)
            begin(event)
            remove(mount)
            return finish()

        case .tick(let token):
            begin(event)
            pending.append(.tick(token, .post, by: registrations[token]?.author))
            return finish()

        case .settle:
            begin(event)
            return finish()

        case .note(let code, let severity, let text):
            begin(event)
            report(code, severity, text)
            return finish()
        }
    }

    /// Moves the simulation's clock. Each moment at which something is due is a turn of its own; with nothing due
    /// the event is one empty turn, unless `isEvent` is off (the real clock, which nobody sent). Where `isFarEnough`
    /// says so after a turn, the clock stays at its moment.
    public func advance(
        to nanoseconds: Int64, isEvent: Bool = true, until isFarEnough: () -> Bool = { false },
        each: (Turn) -> Void
    ) throws(Refusal) {
        if case .failed(let text) = status { throw .failed(text) }
        var turns = 0
        while let due = clock.nextDeadline, due <= nanoseconds, status == .running {
            if turns == Self.dueTurnLimit {
                begin()
                traceClock(isEvent: isEvent)
                report(
                    DiagnosticCode.feedbackLoop, .error,
                    "\(turns) timers came due in one advance and the next one is set already, "
                        + "at \(due / 1_000_000) ms: the clock stops there")
                each(finish())
                return
            }
            clock.move(to: due)
            begin()
            traceClock(isEvent: isEvent)
            for timer in clock.takeDue() {
                let isWriteBack = timer.token & Self.writeBackToken == Self.writeBackToken
                let author = hasSeam ? seam.timerAuthors.removeValue(forKey: timer.id) : nil
                pending.append(
                    isWriteBack
                        ? .writeBack(Int(timer.token & ~Self.writeBackToken))
                        : .tick(timer.token, .timer, by: author))
            }
            each(finish())
            turns += 1
            if isFarEnough() { return }
        }
        if status != .running { return }
        clock.move(to: nanoseconds)
        if scenario.isLive { markClock() }
        if turns == 0 && (isEvent || hasLaterWork) {
            begin()
            traceClock(isEvent: isEvent)
            each(finish())
        }
    }

    /// Turns of timers that one advance may run.
    private static let dueTurnLimit = 10_000

    /// The end: every mount is dismantled, then the scenario destroyed. Findings of that last turn come back.
    public func destroy() -> Turn {
        guard phase != .destroyed else { return Turn() }
        begin()
        traceDestroy()
        pending.removeAll()
        if let body {
            // Nobody who edits loses anything to the end of a simulation.
            for mount in mounts.values {
                mount.drafts = []
                mount.commands = []
            }
            // Nothing comes to light when everything goes.
            seam.covered = [:]
            for mount in mounts.values.sorted(by: { $0.id < $1.id }) { tearDown(mount, .removed) }
            seam.dropWork()
            emptyPools()
            phase = .destroying
            body.destroy()
            reportLeaks(of: nil)
            seam.forgetObjects()
        }
        let turn = finish()
        phase = .destroyed
        return turn
    }

    // MARK: The turn

    private func begin() {
        precondition(body == nil || current == nil, "an event inside a turn: the caller has to queue it")
        turn += 1
        moment = Moment(turn: turn)
        round = 0
        if hasLaterWork {
            // With the values of the turn that has ended: what this one writes comes across in the next (R26).
            for work in seam.laterTurn { if case .update(let mount) = work.asEvaluation { seal(mount) } }
            swap(&pending, &seam.laterTurn)
        }
    }

    /// Work that an asynchronous bridge has left for the next turn (R26).
    var hasLaterWork: Bool { hasSeam && !seam.laterTurn.isEmpty }

    private func begin(_ event: Event) {
        begin()
        if keepsPast { noteArrival(event) }
    }

    /// Runs the rounds, then judges.
    private func finish() -> Turn {
        runRounds()
        let view = scratch.interim == nil ? nil : interimView()
        if hasSeam {
            if !seam.drops.isEmpty { traceDrops() }
            if seam.isUnweighed { weigh() }
            if !seam.laterTurn.isEmpty { reportTransients() }
            if !seam.trail.isEmpty { seam.trail.removeAll(keepingCapacity: true) }
        }
        assert(pending.isEmpty, "the next turn, maybe of another simulation, would do the rest of this one")
        // Its parts one by one: a turn that is filled bit by bit is copied on its way out.
        let diagnostics = findings.isEmpty ? [] : judgeFindings()
        let changes = scratch.touchedCount == 0 ? [] : judge()
        let calls = recordsCalls && hasSeam ? seam.takeRecords() : []
        return Turn(
            number: turn, nanoseconds: clock.now, diagnostics: diagnostics, changes: changes, calls: calls,
            interim: view, failure: hasSeam ? seam.failure.take() : nil)
    }

    private func runRounds() {
        // A live screen has no code: what was written is all that happens.
        guard hasSeam else {
            if scratch.interim != nil { for after in Interim.After.allCases { read(after: after) } }
            return
        }
        runUrgent()
        read(after: .event)
        repeat {
            guard runUntilQuiet() else { break }
        } while startPass()
        read(after: .layout)
        read(after: .frame)
    }

    /// What a value event flushes and a watch wants at the write: inside the event, before its first round (R73).
    private func runUrgent() {
        while !seam.urgent.isEmpty, status == .running {
            round += 1
            if round > seam.roundLimit { return cutOff() }
            var work: [Work] = []
            swap(&work, &seam.urgent)
            for item in work where status == .running {
                if isNearLimit { runNoted(item) } else { run(item) }
            }
        }
    }

    /// Rounds until nothing is pending; whether the turn goes on.
    private func runUntilQuiet() -> Bool {
        var work: [Work] = []
        swap(&work, &scratch.work)
        defer { swap(&work, &scratch.work) }
        if hasSeam { seam.idleDrains = 0 }
        while true {
            if pending.isEmpty && !hasPriorWork {
                guard scenario.drainsMainQueue, drainMainQueue() || !pending.isEmpty || hasPriorWork else {
                    return status == .running
                }
                if isNearLimit { seam.trail.append(TrailStep(label: Self.mainQueueLabel)) }
                if pending.isEmpty && !hasPriorWork {
                    // No round: the queue is the process's, and what ran there may have been another simulation's.
                    seam.idleDrains += 1
                    if seam.idleDrains > seam.roundLimit { return stop() }
                    continue
                }
                seam.idleDrains = 0
            }
            round += 1
            if round > seam.roundLimit { return stop() }
            swap(&work, &pending)
            if hasPriorWork { work = seam.takePrior() + work }
            run(work)
            work.removeAll(keepingCapacity: true)
            if status != .running {
                pending.removeAll()
                seam.dropWork()
                return false
            }
        }
    }

    private func run(_ work: [Work]) {
        // Through a span: each piece would be copied.
        let pieces = work.span
        for index in pieces.indices {
            guard status == .running else { break }
            if isNearLimit { runNoted(pieces[index]) } else { run(pieces[index]) }
        }
    }

    private var hasPriorWork: Bool { seam.hasPrior }

    private func stop() -> Bool {
        cutOff()
        return false
    }

    /// The passes that follow the rounds of a turn, each followed by rounds of its own: layout, frame, callbacks after
    /// the draw, and what goes at the end of the turn. False when nothing is left: the turn is settled.
    private func startPass() -> Bool {
        if layOut() { return true }
        read(after: .layout)
        if Seam.move(&seam.frame, into: &pending) { return true }
        read(after: .frame)
        if Seam.move(&seam.post, into: &pending) { return true }
        return disposeAtEndOfTurn()
    }

    @inline(__always)
    private func read(after: Interim.After) { if scratch.interim != nil { readNow(after: after) } }

    @inline(never)
    private func readNow(after: Interim.After) {
        guard let interim = scratch.interim, interim.after == after, scratch.interimFields == nil else {
            return
        }
        scratch.interimFields = (interim.fields ?? Array(0..<fieldCount)).map { ($0, field($0)) }
    }

    /// What the interim read saw, and whether it holds (R25).
    private func interimView() -> InterimView? {
        guard let interimFields = scratch.interimFields else { return nil }
        var view = InterimView(fields: interimFields.map(\.seen), diagnostics: [])
        for (id, seen) in interimFields {
            let settled = field(id)
            if haveSameBytes(seen.shown, settled.shown), haveSameBytes(seen.model, settled.model) { continue }
            view.diagnostics.append(
                Diagnostic(
                    code: DiagnosticCode.unsettledRead, severity: .info, field: id,
                    text: "\(store.name(of: id)) was read before the turn had settled: "
                        + "\(seen.verdict.word) then, \(settled.verdict.word) at settle; wait for settle before "
                        + "reading"))
        }
        return view
    }

    /// In the last rounds before the limit what runs is noted, to name a cycle.
    private var isNearLimit: Bool { max(round, seam.idleDrains) > seam.roundLimit - 12 }

    private static let mainQueueLabel = "main-queue"
    /// Times that the main queue may still have something after a turn was cut off.
    private static let drainLimit = 100

    private func drainMainQueue() -> Bool {
        guard let body, phase == .idle else { return false }
        phase = .dispatching
        defer { settlePhase() }
        let hadWork = body.drainMainQueue()
        if !hadWork { seam.isRunaway = false }
        return hadWork
    }

    /// The turn does not settle: says why, and drops the rest of it.
    private func cutOff() {
        let cycle = whatWentOn()
        var text =
            "did not settle in \(seam.roundLimit) round\(seam.roundLimit == 1 ? "" : "s"), the rest of the turn was dropped; "
            + cycle.text
        dropRest()
        if hasSeam { seam.cutOffIn = turn }
        if scenario.drainsMainQueue {
            // What lies there is code that nobody can take back. Later it would run between two turns, at a moment that
            // depends on the machine.
            var drains = 0
            while !seam.isRunaway, drainMainQueue() {
                dropRest()
                drains += 1
                seam.isRunaway = drains == Self.drainLimit
            }
            if seam.isRunaway {
                text +=
                    "; the main queue does not come to an end either: what is called from it between two turns does "
                    + "nothing and is not reported"
            }
        }
        report(
            DiagnosticCode.feedbackLoop, .error, text, field: cycle.field, bridge: cycle.bridge,
            mount: cycle.mount)
    }

    /// Runs a piece of work, and notes whether it caused anything: what only reacts is in no cycle.
    private func runNoted(_ item: Work) {
        let place = seam.trail.count
        let (mount, key) = subject(of: item)
        seam.trail.append(TrailStep(label: label(of: item), mount: mount, key: key))
        let waiting = pending.count + seam.waiting
        run(item)
        seam.trail[place].isCause =
            pending.count + seam.waiting > waiting || seam.trail.count > place + 1
    }

    /// Near the limit: a body has set a key of the model.
    func noteStep(_ key: FieldStore.KeyID) {
        guard hasSeam, isNearLimit else { return }
        seam.trail.append(TrailStep(label: "model.\(store.keys[key].name)", key: key))
    }

    /// The cycle, from the first time that what was to come next ran; or that there is none yet. With the bridge, the
    /// mount and the field that are in it.
    private func whatWentOn() -> (text: String, bridge: BridgeID?, mount: MountID?, field: FieldID?) {
        let trail = hasSeam ? seam.trail.filter(\.isCause) : []
        let work = pending + (hasSeam ? seam.urgent + seam.prior + seam.layout + seam.frame + seam.post : [])
        let waiting = work.map { label(of: $0) }
        let ran = Set(trail.map(\.label))
        let next = waiting.first(where: ran.contains) ?? waiting.first ?? Self.mainQueueLabel
        let start = trail.firstIndex(where: { $0.label == next })
        var steps: [TrailStep] = []
        for step in trail[(start ?? 0)...] where !steps.contains(where: { $0.label == step.label }) {
            steps.append(step)
        }
        let mount: MountID? = steps.lazy.compactMap(\.mount).first
        let bridge: BridgeID? = mount.flatMap { self.bridge(of: $0) }
        var field: FieldID?
        if let key = steps.lazy.compactMap(\.key).first {
            if let bridge { field = store.field(screen: bridges[bridge].screen, key: key) }
            if field == nil { store.forEachField(of: key) { field = $0 } }
        }
        let path = (steps.map(\.label) + [next]).joined(separator: " -> ")
        let text = start == nil ? "no cycle shows yet: \(path), where it was cut off" : "the cycle: \(path)"
        return (text, bridge, mount, field)
    }

    private func dropRest() {
        for mount in mounts.values {
            mount.pending = nil
            mount.sealed = []
        }
        var leaving: [Mount] = []
        var arriving: [Work] = []
        for work in pending + (hasSeam ? seam.allWork : []) {
            switch work {
            case .dismantle(let mount): leaving.append(mount)
            case .arrive: arriving.append(work)
            case .writeBack(let number): dropWriteBack(number)
            default: break
            }
        }
        pending.removeAll()
        // One dismantle for each make, whatever else is dropped.
        for mount in leaving { tearDown(mount, .removed) }
        if hasSeam {
            seam.dropWork()
            seam.laterTurn = arriving
        }
        pending.removeAll()
    }

    /// Compares each touched field with what it was before the turn: those that differ are the turn's changes. Here a
    /// verdict changes.
    private func judge() -> [Change] {
        var kept = 0
        for index in 0..<scratch.touchedCount {
            let field = scratch.touched[index].field
            store.setTouched(field, 0)
            let (model, shown) = (store.model(of: field), store.shown(of: field))
            if scratch.touched[index].settle(model: model, shown: shown, seq: seq + 1) {
                seq += 1
                if kept != index { scratch.touched.swapAt(kept, index) }
                kept += 1
            }
        }
        scratch.touchedCount = 0
        if kept < scratch.touched.count { scratch.touched.removeLast(scratch.touched.count - kept) }
        defer { if kept > Scratch.longestList { scratch.touched = [] } }
        return scratch.touched
    }

    private func judgeFindings() -> [Diagnostic] {
        if hasSeam, seam.droppedFindings > 0 {
            let last = findings[findings.count - 1]
            findings.append(
                Diagnostic(
                    code: last.code, severity: last.severity,
                    text: "\(seam.droppedFindings) more findings of this turn are not listed"))
            seam.droppedFindings = 0
        }
        for index in findings.indices {
            seq += 1
            findings[index].seq = seq
        }
        defer { findings.removeAll() }
        return findings
    }

    /// Remembers what a field was before this turn, the first time it is touched.
    func touch(_ field: FieldID) {
        if store.isTouched(field) { return }
        touch(field, model: store.model(of: field), shown: store.shown(of: field))
    }

    @inline(__always)
    private func touch(_ field: FieldID, model: String?, shown: String?) {
        let change = Change(
            seq: 0, field: field, from: .outOfScope, to: .outOfScope, model: nil, shown: nil,
            previousModel: model, previousShown: shown)
        // Over the changes of an earlier turn where there are any.
        if scratch.touchedCount < scratch.touched.count {
            scratch.touched[scratch.touchedCount] = change
        } else {
            scratch.touched.append(change)
        }
        scratch.touchedCount += 1
        store.setTouched(field, Int32(scratch.touchedCount))
    }

    var moment: Moment {
        get { scratch.moment }
        _modify { yield &scratch.moment }
    }
    var pending: [Work] {
        get { scratch.pending }
        _modify { yield &scratch.pending }
    }
    var round: Int {
        get { scratch.round }
        _modify { yield &scratch.round }
    }

    /// The next step in the order of everything that happened.
    func tickMoment() -> Moment {
        moment.advance()
        return moment
    }

    /// Writes the model and notes what reads it: an observed embedding redraws, a wrapping updates (BR2).
    func writeModel(_ key: FieldStore.KeyID, _ value: String?) {
        // The chain is walked here: a closure that touches would hold, and so copy, the whole store.
        var field = store.keys[key].firstField
        while field >= 0 {
            touch(Int(field))
            field = store.fields[Int(field)].nextOfKey
        }
        let isCarried = !seam.carriers.isEmpty
        if isCarried { signal(key) }
        let isNew = store.setModel(key, value, at: tickMoment())
        if isNew, seam.authors != nil { noteModelChanged(key) }
        if isCarried {
            carry(key, isNew: isNew)
        } else if isNew, !seam.watches.isEmpty {
            // A scenario without a bridge may watch its model all the same.
            callWatches(of: key)
        }
    }

    // MARK: Names

    private func resolveKeys(_ values: [(key: String, value: String?)]) throws(Refusal) {
        scratch.resolvedKeys.removeAll(keepingCapacity: values.count <= Scratch.longestList)
        for index in values.indices { scratch.resolvedKeys.append(try resolve(key: values[index].key)) }
    }

    private func resolve(key name: String) throws(Refusal) -> FieldStore.KeyID {
        if let known = store.key(named: name) { return known }
        guard scenario.isLive else { throw .unknownKey(name) }
        guard store.keys.count < fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
        return store.declareKey(name)
    }

    /// A field that is there already takes no room: a screen at its limit can still be written and cleared.
    private func requireLive(_ screen: String, room: Int, isKnown: (_ key: Int, ScreenID) -> Bool)
        throws(Refusal)
    {
        guard scenario.isLive else { throw .notLive }
        if store.fields.count + room <= fieldLimit { return }
        var fresh = room
        if let screen = store.screen(named: screen) {
            for key in 0..<room where isKnown(key, screen) { fresh -= 1 }
        }
        guard store.fields.count + fresh <= fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
    }

    private func isField(_ name: String, on screen: ScreenID) -> Bool {
        store.key(named: name).map { store.field(screen: screen, key: $0) != nil } ?? false
    }

    /// The field, touched; one that begins here was out of scope until now, whatever the model holds for its key.
    @discardableResult
    private func touchDeclared(_ screen: String, _ key: String) -> FieldID {
        let known = store.fields.count
        let field = store.declareField(screen: store.declareScreen(screen), key: store.declareKey(key))
        if field < known {
            touch(field)
        } else {
            touch(field, model: nil, shown: nil)
        }
        return field
    }

    private func send(_ index: Int, _ arguments: [String?], _ mount: MountID?) throws(Refusal) -> Turn {
        let event = scenario.events[index]
        guard let body else { throw .notLive }
        if let bridge = event.bridge {
            let mount = try resolve(mount, of: bridge, kind: nil, isCalled: true)
            begin()
            seam.arrival = Arrival(event: Int32(index), origin: requester)
            callNative(mount, event: index, arguments: arguments)
            // A mount without a control was not called, and the next call is not the event's.
            seam.arrival = Arrival()
        } else {
            begin()
            seam.arrival = Arrival(event: Int32(index), origin: requester)
            enter(.event, phase: .dispatching)
            leave(body.event(index, arguments: arguments))
        }
        return finish()
    }

    private func resolve(
        _ number: MountID?, of bridge: BridgeID, kind: Scenario.BridgeKind?, isCalled: Bool = false
    ) throws(Refusal) -> Mount {
        let mount = try find(number, of: bridge, kind: kind)
        if isCalled, mount.isFailed { throw .failedMount(bridge, mount.id) }
        return mount
    }

    private func find(
        _ number: MountID?, of bridge: BridgeID, kind: Scenario.BridgeKind?
    ) throws(Refusal) -> Mount {
        if let kind, bridges[bridge].kind != kind { throw .wrongBridgeKind(bridge, bridges[bridge].kind) }
        if let number {
            if let mount = bridges[bridge].mounts.first(where: { $0.id == number }) { return mount }
        } else if bridges[bridge].mounts.count == 1 {
            return bridges[bridge].mounts[0]
        }
        throw .whichMount(bridge, mounts: bridges[bridge].mounts.map(\.id))
    }
}
