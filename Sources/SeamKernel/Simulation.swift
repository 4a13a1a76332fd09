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
    public let scenario: Scenario
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
    /// Told when something outside a turn waits for one (`settle`): the next turn reports it.
    public var onWaiting: ((Simulation) -> Void)?

    let store = FieldStore()
    var clock = Clock()
    var generator: Random
    let body: (any ScenarioBody)?
    let roundLimit: Int

    // The seam.
    var bridges: [Bridge] = []
    /// Per key, the bridges that carry it.
    var carriers: [[BridgeID]] = []
    var mounts: [MountID: Mount] = [:]
    /// Which bridge each mount ever made belongs to, by number less one: a dead mount still has a name.
    var bridgeOfMount: [Int32] = []
    var registrations: [UInt64: Registration] = [:]
    var registrationCount: UInt64 = 0

    // The turn under way.
    var moment = Moment.never
    var pending: [Work] = []
    var round = 0
    var current: CallRecord?
    var currentMount: Mount?
    var records: [CallRecord] = []
    var findings: [Diagnostic] = []
    var droppedFindings = 0
    var failure: String?
    private var touched: [Touched] = []
    private var resolvedKeys: [FieldStore.KeyID] = []
    /// What ran in the rounds near the limit, to name a cycle.
    private var trail: [String] = []

    private struct Touched {
        var field: FieldID
        var model: String?
        var shown: String?
    }

    /// Asked before a simulation is made of them; the initialiser takes the settings to be good.
    public static func problem(of settings: Settings, scenario: Scenario) -> PolicyProblem? {
        PolicyBook.problem(client: settings.policies, profile: settings.profile, scenario: scenario)
    }

    /// - Parameter body: the scenario's code; none for the built-in `live`.
    public init(
        id: String, scenario: Scenario, settings: Settings = Settings(), body: (any ScenarioBody)? = nil
    ) {
        self.id = id
        self.scenario = scenario
        self.body = body
        epoch = settings.epoch
        generator = Random(seed: settings.seed)
        let policies = PolicyBook(client: settings.policies, scenario: scenario)
        roundLimit = Int(policies.value(of: .roundLimit)) ?? 100
        phase = body == nil ? .idle : .creating
        declare(policies)
    }

    private func declare(_ policies: PolicyBook) {
        for screen in scenario.screens {
            let id = store.declareScreen(screen.id)
            for field in screen.fields {
                _ = store.declareField(screen: id, key: store.declareKey(field.key))
            }
        }
        for (position, bridge) in scenario.bridges.enumerated() {
            bridges.append(
                Bridge(
                    kind: bridge.kind, screen: bridge.screen,
                    inputs: bridge.inputs.map { store.declareKey($0) },
                    isObserved: bridge.isObserved,
                    updatesAutomatically: policies.value(of: .updates, bridge: bridge) == "automatic",
                    keepsWhenUnmounted: policies.value(of: .unmounted, bridge: bridge) == "keep",
                    echoEvent: bridge.echoes ? echoEvent(of: position) : nil))
            if let event = bridges[position].echoEvent,
                let key = store.key(named: scenario.events[event].arguments[0].id)
            {
                bridges[position].echoField = store.field(screen: bridge.screen, key: key)
            }
        }
        if bridges.isEmpty { return }
        carriers = Array(repeating: [], count: store.keys.count)
        for (position, bridge) in bridges.enumerated() {
            for key in bridge.inputs { carriers[key].append(position) }
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
        enter(.event, phase: .dispatching)
        leave(body.start())
        return finish()
    }

    /// One event, one turn: applied, settled and judged.
    /// - Throws: a refusal, before anything has happened.
    public func apply(_ event: Event) throws(Refusal) -> Turn {
        if case .failed(let text) = status { throw .failed(text) }
        switch event {
        case .modelWrite(let values):
            try resolveKeys(values)
            begin()
            for (position, key) in resolvedKeys.enumerated() { writeModel(key, values[position].value) }
            return finish()

        case .screenDeclare(let screen, let keys):
            try requireLive(room: keys.count)
            begin()
            for key in keys { touchDeclared(screen, key) }
            return finish()

        case .screenWrite(let screen, let values):
            try requireLive(room: values.count)
            begin()
            for (key, value) in values {
                let field = touchDeclared(screen, key)
                _ = store.setShown(field, value, at: tickMoment(), writer: 0)
            }
            return finish()

        case .send(let index, let arguments, let mount):
            return try send(index, arguments, mount)

        case .assign(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: .embed, isCalled: true)
            begin()
            assign(mount)
            return finish()

        case .update(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: .wrap, isCalled: true)
            begin()
            request(.repeat, of: mount)
            return finish()

        case .mount(let bridge):
            begin()
            let mount = place(bridge)
            var turn = finish()
            turn.mount = mount.id
            return turn

        case .unmount(let bridge, let mount):
            let mount = try resolve(mount, of: bridge, kind: nil)
            begin()
            remove(mount)
            return finish()

        case .tick(let token):
            begin()
            pending.append(.tick(token))
            return finish()

        case .settle:
            begin()
            return finish()

        case .note(let code, let severity, let text):
            begin()
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
                report(
                    DiagnosticCode.feedbackLoop, .error,
                    "\(turns) timers came due in one advance and the next one is set already, "
                        + "at \(due / 1_000_000) ms: the clock stops there")
                each(finish())
                return
            }
            clock.move(to: due)
            begin()
            for token in clock.takeDue() { pending.append(.tick(token)) }
            each(finish())
            turns += 1
            if isFarEnough() { return }
        }
        if status != .running { return }
        clock.move(to: nanoseconds)
        if turns == 0 && isEvent {
            begin()
            each(finish())
        }
    }

    /// Turns of timers that one advance may run.
    private static let dueTurnLimit = 10_000

    /// The end: every mount is dismantled, then the scenario destroyed. Findings of that last turn come back.
    public func destroy() -> Turn {
        guard phase != .destroyed else { return Turn() }
        begin()
        for mount in mounts.values.sorted(by: { $0.id < $1.id }) { dismantle(mount) }
        pending.removeAll()
        if let body {
            phase = .destroying
            body.destroy()
            reportLeaks(of: nil)
        }
        let turn = finish()
        phase = .destroyed
        return turn
    }

    // MARK: The turn

    private func begin() {
        precondition(current == nil, "an event inside a turn: the caller has to queue it")
        turn += 1
        moment = Moment(turn: turn)
        round = 0
    }

    /// Runs the rounds, then judges.
    private func finish() -> Turn {
        runRounds()
        var settled = Turn()
        settled.number = turn
        settled.nanoseconds = clock.now
        judge(into: &settled)
        if recordsCalls { swap(&records, &settled.calls) }
        settled.failure = failure
        failure = nil
        return settled
    }

    private func runRounds() {
        var work: [Work] = []
        while true {
            if pending.isEmpty {
                guard scenario.drainsMainQueue, drainMainQueue() || !pending.isEmpty else { return }
                if pending.isEmpty {
                    round += 1
                    if round > roundLimit { return cutOff() }
                    continue
                }
            }
            round += 1
            if round > roundLimit { return cutOff() }
            swap(&work, &pending)
            for item in work {
                guard status == .running else { break }
                if round > roundLimit - Self.trailRounds { trail.append(label(of: item)) }
                run(item)
            }
            work.removeAll(keepingCapacity: true)
            if status != .running { pending.removeAll() }
        }
    }

    private static let trailRounds = 12

    private func drainMainQueue() -> Bool {
        guard let body, phase == .idle else { return false }
        phase = .dispatching
        defer { settlePhase() }
        return body.drainMainQueue()
    }

    private func cutOff() {
        for mount in mounts.values { mount.pending = nil }
        var leaving: [Mount] = []
        for case .dismantle(let mount) in pending { leaving.append(mount) }
        pending.removeAll()
        // One dismantle for each make, whatever else is dropped.
        for mount in leaving { dismantle(mount) }
        var cycle: [String] = []
        for step in trail where !cycle.contains(step) { cycle.append(step) }
        trail.removeAll()
        report(
            DiagnosticCode.feedbackLoop, .error,
            "did not settle in \(roundLimit) rounds, the rest of the turn was dropped; the cycle: "
                + (cycle + cycle.prefix(1)).joined(separator: " -> "))
        pending.removeAll()
    }

    /// Compares each touched field with what it was before the turn. Here a verdict changes.
    private func judge(into settled: inout Turn) {
        trail.removeAll(keepingCapacity: true)
        if !findings.isEmpty { judgeFindings(into: &settled) }
        for before in touched {
            store.setTouched(before.field, 0)
            let model = store.model(of: before.field)
            let shown = store.fields[before.field].shown
            if haveSameBytes(model, before.model), haveSameBytes(shown, before.shown) { continue }
            seq += 1
            settled.changes.append(
                Change(
                    seq: seq, field: before.field, from: Verdict.of(model: before.model, shown: before.shown),
                    to: Verdict.of(model: model, shown: shown), model: model, shown: shown,
                    previousModel: before.model, previousShown: before.shown))
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func judgeFindings(into settled: inout Turn) {
        if droppedFindings > 0 {
            let last = findings[findings.count - 1]
            findings.append(
                Diagnostic(
                    code: last.code, severity: last.severity,
                    text: "\(droppedFindings) more findings of this turn are not listed"))
            droppedFindings = 0
        }
        for var finding in findings {
            seq += 1
            finding.seq = seq
            settled.diagnostics.append(finding)
        }
        findings.removeAll(keepingCapacity: true)
    }

    /// Remembers what a field was before this turn, the first time it is touched.
    func touch(_ field: FieldID) {
        if store.fields[field].touched != 0 { return }
        touched.append(Touched(field: field, model: store.model(of: field), shown: store.fields[field].shown))
        store.setTouched(field, Int32(touched.count))
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
        guard store.setModel(key, value, at: tickMoment()), !carriers.isEmpty else { return }
        for position in carriers[key] {
            let bridge = bridges[position]
            switch bridge.kind {
            case .embed where !bridge.isObserved, .custom: continue
            case .wrap where !bridge.updatesAutomatically: continue
            case .embed, .wrap: for mount in bridge.mounts { request(.input, of: mount) }
            }
        }
    }

    // MARK: Names

    private func resolveKeys(_ values: [(key: String, value: String?)]) throws(Refusal) {
        resolvedKeys.removeAll(keepingCapacity: true)
        for (name, _) in values {
            if let known = store.key(named: name) {
                resolvedKeys.append(known)
            } else if scenario.isLive {
                guard store.keys.count < fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
                resolvedKeys.append(store.declareKey(name))
            } else {
                throw .unknownKey(name)
            }
        }
    }

    private func requireLive(room: Int) throws(Refusal) {
        guard scenario.isLive else { throw .notLive }
        guard store.fields.count + room <= fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
    }

    /// The field, touched; one that begins here was out of scope until now, whatever the model holds for its key.
    @discardableResult
    private func touchDeclared(_ screen: String, _ key: String) -> FieldID {
        let known = store.fields.count
        let field = store.declareField(screen: store.declareScreen(screen), key: store.declareKey(key))
        if field < known {
            touch(field)
        } else {
            touched.append(Touched(field: field, model: nil, shown: nil))
            store.setTouched(field, Int32(touched.count))
        }
        return field
    }

    private func send(_ index: Int, _ arguments: [String?], _ mount: MountID?) throws(Refusal) -> Turn {
        let event = scenario.events[index]
        guard let body else { throw .notLive }
        if let bridge = event.bridge {
            let mount = try resolve(mount, of: bridge, kind: nil, isCalled: true)
            begin()
            callNative(mount, event: index, arguments: arguments)
        } else {
            begin()
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
        let live = bridges[bridge].mounts
        if let number {
            if let mount = live.first(where: { $0.id == number }) { return mount }
        } else if live.count == 1 {
            return live[0]
        }
        throw .whichMount(bridge, mounts: live.map(\.id))
    }
}
