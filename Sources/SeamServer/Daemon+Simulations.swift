// Simulations as a client sees them: made, listed, read, driven and destroyed.

import CLibuv
import SeamKernel
import SeamPluginHost
import SeamWire

extension Daemon {
    // MARK: create and destroy

    func create(_ create: SimCreate, _ ticket: Ticket) throws(WireError) {
        if let path = create.record { return try createRecorded(create, to: path, ticket) }
        try finishCreation(create, try build(create), ticket)
    }

    func finishCreation(
        _ create: SimCreate, _ built: Built, recordingTo file: RecordingFile? = nil, _ ticket: Ticket
    ) throws(WireError) {
        let (hosted, _) = try make(create, built, ticket, recordingTo: file)
        if create.clock == .real { startRealClock(of: hosted) }
        tellCreated(hosted, ticket)
    }

    func tellCreated(_ hosted: HostedSimulation, _ ticket: Ticket) {
        ticket.answer(after: hosted) { out in
            out.object {
                $0.member("sim", hosted.id)
                $0.member("epoch", hosted.epoch)
                $0.member("seq", hosted.simulation.seq)
                $0.member("turn", hosted.simulation.turn)
            }
        }
    }

    /// Creates and starts a simulation, with the virtual clock: started, mounted and drawn, its script not
    /// played. Its first turn comes with it.
    func make(
        _ create: SimCreate, _ built: Built, _ ticket: Ticket, recordsCalls: Bool = false,
        recordingTo file: RecordingFile? = nil
    ) throws(WireError) -> (HostedSimulation, Turn) {
        let (simulation, origin) = built
        simulation.recordsCalls = recordsCalls
        let hosted = host(
            simulation, origin: origin, history: History(limit: create.history ?? limits.historyBytes))
        if let file { recordings.goOn(hosted, to: file) }
        if create.lifetime == .connection {
            hosted.owner = ticket.connection
            ticket.connection.ownsSimulations = true
        }
        do throws(Simulation.CreateFailure) {
            return (hosted, try start(hosted, parameters: origin.parameters))
        } catch {
            throw .pluginFailed(
                sim: nil, text: "the scenario \(create.scenario) could not be created: \(error.text)")
        }
    }

    /// A simulation that is not started, and not taken in yet.
    typealias Built = (simulation: Simulation, origin: Origin)

    /// Makes one as a client describes it.
    func build(_ create: SimCreate) throws(WireError) -> Built {
        guard let entry = catalogue.entry(create.scenario) else {
            throw .unknownScenario(create.scenario, among: catalogue.entries.map(\.scenario.id))
        }
        if let id = create.id, isTaken(id) { throw .simExists(id) }
        try requirePlace()
        let scenario = entry.scenario
        guard fieldCount + scenario.screens.reduce(0, { $0 + $1.fields.count }) <= limits.fields else {
            throw .limit("fields", limits.fields, option: "--max-fields")
        }
        if memory.isTight { try requireRoom(forSimulationOf: scenario) }
        let parameters = try values(
            create.params, for: scenario.parameters, path: "params", of: "the scenario \(scenario.id)")
        var settings = Simulation.Settings(epoch: .random(in: .min ... .max), seed: create.seed ?? 0)
        settings.policies = create.policies.map { ($0.name, $0.value) }
        if let profile = create.profile { settings.profile = profile }
        if let problem = Simulation.problem(of: settings, scenario: scenario) { throw wireError(problem) }
        let body = catalogue.makeBody(scenario.id)
        let simulation = Simulation(
            id: create.id ?? freshID(), scenario: scenario, settings: settings, body: body, scratch: scratch)
        if create.keepsTrace ?? !scenario.isLive { simulation.keepTrace(bytes: limits.traceBytes) }
        simulation.mountLimit = limits.mounts
        var origin = Origin(body: body, parameters: parameters, settings: settings, clock: create.clock)
        if origin.isPlain {
            // One for all: it says nothing of any of them.
            plainOrigin = plainOrigin ?? origin
            origin = plainOrigin ?? origin
        }
        return (simulation, origin)
    }

    /// One more simulation may be made.
    func requirePlace() throws(WireError) {
        guard simulationCount + replays.count < limits.simulations else {
            throw .limit("simulations", limits.simulations, option: "--max-simulations")
        }
    }

    func destroy(_ sim: String, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(sim)
        destroy(hosted)
        ticket.answer(after: hosted) { out in
            out.object {
                $0.member("sim", sim)
                $0.member("seq", hosted.simulation.seq)
            }
        }
    }

    /// Named values in the order of their declarations; what is left out has its initial value.
    func values(
        _ given: [Entry], for declared: [Scenario.Parameter], path: String, of owner: String
    ) throws(WireError) -> [String?] {
        var values = declared.map(\.initial)
        for entry in given {
            guard let place = declared.firstIndex(where: { $0.id == entry.name }) else {
                throw .unknown(
                    .unknownArg, what: path == "params" ? "parameter" : "argument", entry.name, of: owner,
                    path: "\(path).\(WireError.excerpt(entry.name))", among: declared.map(\.id))
            }
            if let expected = ParameterRule.expectation(for: declared[place], unmetBy: entry.value) {
                throw .badParam(
                    .outOfRange, path: "\(path).\(entry.name)", expected: expected,
                    "\(entry.name) of \(owner) is \(expected), not \(WireError.excerpt(entry.value ?? "null"))."
                )
            }
            values[place] = entry.value
        }
        return values
    }

    // MARK: drive

    func event(_ send: SimSend, for hosted: HostedSimulation) throws(WireError) -> Event {
        let events = hosted.simulation.scenario.events
        guard let index = events.firstIndex(where: { $0.id == send.event }) else {
            throw .unknown(
                .unknownEvent, what: "event", send.event, of: owner(hosted), path: "event",
                among: events.map(\.id))
        }
        let arguments = try values(
            send.arguments, for: events[index].arguments, path: "args", of: "the event \(send.event)")
        if send.mount != nil && events[index].bridge == nil {
            throw .badParam(
                .conflictingParams, path: "mount", expected: "no mount",
                "The event \(send.event) comes from no bridge, so it has no mount; leave mount out.")
        }
        return .send(index, arguments: arguments, mount: send.mount)
    }

    func bridge(_ name: String, of hosted: HostedSimulation) throws(WireError) -> BridgeID {
        guard let index = hosted.simulation.bridge(named: name) else {
            throw .unknown(
                .unknownBridge, what: "bridge", name, of: owner(hosted), path: "bridge",
                among: hosted.simulation.scenario.bridges.map(\.id))
        }
        return index
    }

    func advance(_ advance: SimAdvance, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(advance.sim, advance.ifSeq)
        if let failure = hosted.failure { throw .pluginFailed(sim: hosted.id, text: failure) }
        guard hosted.realStart == nil else {
            throw .badParam(
                .conflictingParams, path: "sim", expected: "a simulation with the virtual clock",
                "The simulation \(hosted.id) follows the real clock, which nobody moves.")
        }
        let simulation = hosted.simulation
        // The protocol's largest integer of milliseconds does not fit into 64 bits of nanoseconds.
        let (span, isTooLong) = Int64(advance.ms).multipliedReportingOverflow(by: 1_000_000)
        let (moment, isTooLate) = simulation.nanoseconds.addingReportingOverflow(span)
        guard !isTooLong, !isTooLate else {
            throw .badParam(
                .outOfRange, path: "ms", expected: "a time before the year 292 of the simulation",
                "The clock of \(hosted.id) cannot be moved by \(advance.ms) ms.")
        }
        var (changes, diagnostics) = (0, 0)
        try? self.advance(hosted, to: moment, isRequest: true) { turn in
            changes += turn.changes.count
            diagnostics += turn.diagnostics.count
            enter(turn, of: hosted)
        }
        ticket.answer(after: hosted) {
            $0.change(seq: simulation.seq, turn: simulation.turn, changes: changes, diagnostics: diagnostics)
        }
    }

    /// What is cleared has to be there: a typing error would otherwise declare it.
    func requireFields(_ clear: ScreenNames, of hosted: HostedSimulation) throws(WireError) {
        guard hosted.isLive else { throw .notLive(sim: hosted.id, scenario: hosted.simulation.scenario.id) }
        guard let screen = hosted.simulation.screen(named: clear.screen) else {
            throw unknownScreen(clear.screen, of: hosted)
        }
        for (index, key) in clear.names.enumerated()
        where hosted.simulation.field(screen: screen, key: key) == nil {
            throw unknownField(key, on: clear.screen, of: hosted, path: "keys[\(index)]")
        }
    }

    // MARK: read

    func listSimulations(_ page: Page, _ ticket: Ticket) {
        let all = simulationsInOrder
        ticket.answer { out in
            let end = ticket.pageEnd(out)
            out.object { out in
                let next = out.page("sims", from: page.from, total: all.count, limit: page.limit, end: end) {
                    out, index in
                    let hosted = all[index]
                    out.object {
                        $0.member("sim", hosted.id)
                        $0.member("scenario", hosted.simulation.scenario.id)
                        $0.member("epoch", hosted.epoch)
                        $0.member("seq", hosted.simulation.seq)
                        $0.member("turn", hosted.simulation.turn)
                        $0.member("status", hosted.statusWord)
                    }
                }
                if let next { out.member("next", next) }
            }
        }
    }

    func get(_ get: SimGet, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(get.sim)
        let moment = Replay.Moment(at: get.at, atTurn: get.atTurn)
        if case .now = moment { return try tell(get, of: hosted, ticket) }
        try goBack(to: moment, of: hosted, ticket) { [self] past throws(WireError) in
            try tell(get, of: past, ticket)
        }
    }

    private func tell(_ get: SimGet, of hosted: HostedSimulation, _ ticket: Ticket) throws(WireError) {
        let simulation = hosted.simulation
        var picked: [FieldID]?
        if let name = get.screen {
            guard let screen = simulation.screen(named: name) else { throw unknownScreen(name, of: hosted) }
            picked = simulation.fields(of: screen)
        }
        let total = picked?.count ?? simulation.fieldCount
        let limits = get.isWhole ? limits.showingWholeValues : limits
        let hint =
            get.isWhole
            ? "leave whole out, or raise maxLine with seam.hello" : WireError.defaultReplyHint
        ticket.answer(hint: hint) { out in
            let end = ticket.pageEnd(out)
            out.object { out in
                out.member("sim", hosted.id)
                out.member("scenario", simulation.scenario.id)
                out.member("epoch", hosted.epoch)
                out.member("seq", simulation.seq)
                out.member("turn", simulation.turn)
                out.member("ms", milliseconds(hosted.realNanoseconds ?? simulation.nanoseconds))
                out.member("status", hosted.statusWord)
                if !hosted.isLive { out.liveCounts(simulation.liveCounts) }
                let next = out.page(
                    "fields", from: get.page.from, total: total, limit: get.page.limit, end: end
                ) {
                    out, index in
                    out.field(simulation.field(picked?[index] ?? index), limits: limits)
                }
                if let next { out.member("next", next) }
            }
        }
    }
}

extension HostedSimulation {
    var statusWord: StaticString { failure == nil ? "running" : "failed" }
}

extension ByteBuffer {
    mutating func field(_ view: FieldView, expected: Verdict? = nil, why: String? = nil, limits: Limits) {
        field(
            screen: view.screen, field: view.key, verdict: view.verdict.word, model: view.model,
            shown: view.shown,
            expected: expected?.word, why: why, limits: limits)
    }
}
