// `sim.run`: a scenario plays its own script, and its checks are the answer.

import SeamKernel
import SeamWire

extension Daemon {
    func play(_ run: SimRun, _ ticket: Ticket) throws(WireError) {
        var create = run.create
        // Nobody can ask for an earlier moment of one that is gone when the answer comes.
        if !run.keeps { create.history = 0 }
        let (hosted, firstTurn) = try make(
            create, try build(create), ticket, recordsCalls: run.reportsSteps)
        var play = Play(
            hosted, firstTurn, daemon: self, reportsSteps: run.reportsSteps, explains: run.explains)
        hosted.simulation.requester = .script
        play.run()
        hosted.simulation.requester = .client
        hosted.simulation.recordsCalls = false
        if run.keeps {
            // The script has played in virtual time; the real clock goes on from there.
            if run.create.clock == .real { startRealClock(of: hosted) }
        } else {
            play.reportEnd(destroy(hosted))
        }
        let longest = ticket.longestAnswer
        ticket.answer(
            after: hosted, hint: "leave out steps, why or trace, or raise maxLine with seam.hello"
        ) {
            play.write(
                to: &$0, keepsSimulation: run.keeps, reportsTrace: run.reportsTrace, end: $0.count + longest)
        }
    }
}

/// One playing of a script: its steps one by one, and what came of them.
private struct Play {
    private struct Report {
        var step: Scenario.Step?
        var calls: [CallRecord] = []
        var changes: [Change] = []
        var diagnostics: [(turn: UInt64, finding: Diagnostic)] = []
    }

    private let hosted: HostedSimulation
    private let daemon: Daemon
    private let reportsSteps: Bool
    private let explains: Bool
    private var checks: [Check] = []
    private var diagnostics: [(turn: UInt64, finding: Diagnostic)] = []
    private var reports: [Report] = []
    /// What the `mount` steps made, by their labels.
    private var mounts: [String: MountID] = [:]
    /// Why the script could not be played to its end.
    private var stop: String?

    init(
        _ hosted: HostedSimulation, _ firstTurn: Turn, daemon: Daemon, reportsSteps: Bool, explains: Bool
    ) {
        self.hosted = hosted
        self.daemon = daemon
        self.reportsSteps = reportsSteps
        self.explains = explains
        report(nil)
        take(firstTurn)
    }

    private var simulation: Simulation { hosted.simulation }

    mutating func run() {
        let script = simulation.scenario.script
        for (index, step) in script.enumerated() {
            guard simulation.status == .running else { return }
            report(step)
            let next = index + 1 < script.count ? script[index + 1] : nil
            perform(step, interim: next?.interimLabel)
            collectWaiting()
        }
        for part in simulation.scenario.checks where !checks.contains(where: { $0.label == part.label }) {
            report(.check(label: part.label))
            check(part.label)
        }
    }

    /// What a step left on the main queue, or another thread of the plug-in posted, has its turn before the next
    /// step, as it would between two requests.
    private mutating func collectWaiting() {
        for _ in 0..<Self.roundsBetweenSteps where simulation.status == .running {
            guard daemon.loop.drainMainQueue() || !hosted.posted.isEmpty else { break }
            for token in hosted.takePosted() { apply(.tick(token)) }
        }
        if hosted.takeWaiting() { apply(.settle) }
    }

    private static let roundsBetweenSteps = 100

    /// - Parameter interim: the label of a check that looks into this step's turn before it settles.
    private mutating func perform(_ step: Scenario.Step, interim: String?) {
        switch step {
        case .advance(let nanoseconds):
            var turns: [Turn] = []
            try? daemon.advance(hosted, to: simulation.nanoseconds + nanoseconds, isRequest: true) { turn in
                daemon.enter(turn, of: hosted)
                turns.append(turn)
            }
            for turn in turns { take(turn) }
        case .check(let label):
            // An interim read was made in the turn of the step before it.
            if step.interimLabel == nil { check(label) }
        default:
            guard let event = step.event(placed: placed) else { return }
            let mount = apply(event, interim: interim)
            if case .mount(_, let label?) = step { mounts[label] = mount }
        }
    }

    private func placed(_ label: String?) -> MountID? {
        label.flatMap { mounts[$0] }
    }

    @discardableResult
    private mutating func apply(_ event: Event, interim label: String? = nil) -> MountID? {
        do throws(Refusal) {
            let fields = label.map(fields(of:)) ?? []
            let turn = try daemon.apply(
                event, interim: label == nil ? nil : Interim(fields: fields.map(\.id)), to: hosted)
            if let label, let seen = turn.interim {
                checks.append(Check(label, seen, expected: fields.map(\.expected)))
            }
            daemon.enter(turn, of: hosted)
            take(turn)
            return turn.mount
        } catch {
            // The plug-in wrote a script that its own scenario refuses: the step did nothing, and the reader
            // sees why.
            let problem = daemon.wireError(error, event, naming: "script", in: hosted).message
            note(
                simulation.turn,
                Diagnostic(
                    code: "plugin-misbehaving", severity: .error,
                    text: "a step of the script was refused: \(problem)"))
            return nil
        }
    }

    private mutating func check(_ label: String) {
        var check = Check(label, explains: explains)
        check.judge(fields(of: label), in: simulation)
        checks.append(check)
    }

    /// The fields that a check names, each with what is expected of it.
    private func fields(of label: String) -> [(id: FieldID, expected: Verdict?)] {
        simulation.scenario.checks.filter { $0.label == label }.flatMap { part in
            // Whoever read the description made sure of screen and keys.
            part.keys.enumerated().compactMap { index, key in
                simulation.field(screen: part.screen, key: key).map { ($0, part.expected?[index]) }
            }
        }
    }

    // MARK: What came of it

    private mutating func report(_ step: Scenario.Step?) {
        if reportsSteps { reports.append(Report(step: step)) }
    }

    private mutating func take(_ turn: Turn) {
        for finding in turn.diagnostics { note(turn.number, finding) }
        guard reportsSteps else { return }
        let last = reports.count - 1
        reports[last].calls += turn.calls
        reports[last].changes += turn.changes
    }

    private mutating func note(_ turn: UInt64, _ finding: Diagnostic) {
        diagnostics.append((turn, finding))
        if reportsSteps { reports[reports.count - 1].diagnostics.append((turn, finding)) }
    }

    /// The last turn, in which the simulation was destroyed: its leaks belong to the run, not to a step.
    mutating func reportEnd(_ turn: Turn) {
        for finding in turn.diagnostics { diagnostics.append((turn.number, finding)) }
    }

    /// Writes the answer. What is beyond `end` is not written to its end, only to be taken back.
    func write(to out: inout ByteBuffer, keepsSimulation: Bool, reportsTrace: Bool, end: Int) {
        let limits = daemon.limits
        out.object { out in
            if keepsSimulation { out.member("sim", hosted.id) }
            out.array("checks") { out in
                for check in checks where out.count <= end {
                    out.check(check, in: simulation, limits: limits, end: end)
                }
            }
            out.array("diagnostics") { out in
                for (turn, finding) in diagnostics where out.count <= end {
                    out.finding(finding, turn: turn, in: simulation, limits: limits)
                }
            }
            if reportsSteps {
                out.array("steps") { out in
                    for report in reports where out.count <= end { write(report, to: &out) }
                }
            }
            guard reportsTrace else { return }
            out.member("dropped", simulation.droppedRecords)
            out.array("trace") { out in
                simulation.forEachRecord(from: 0, to: simulation.turn) { record in
                    out.record(record, of: simulation)
                    return out.count <= end
                }
            }
        }
    }

    private func write(_ report: Report, to out: inout ByteBuffer) {
        let limits = daemon.limits
        out.object { out in
            if let step = report.step {
                out.key("step")
                out.step(step, of: simulation.scenario)
            } else {
                out.object("step") { $0.member("step", "create" as StaticString) }
            }
            out.array("calls") { out in
                for call in report.calls { write(call, to: &out) }
            }
            out.array("changes") { out in
                for change in report.changes {
                    let names = simulation.names(of: change.field)
                    out.object {
                        $0.member("screen", names.screen)
                        $0.member("field", names.key)
                        $0.member("from", change.from.word)
                        $0.member("to", change.to.word)
                        $0.modelAndShown(change.model, change.shown, limit: limits.shownValueBytes)
                    }
                }
            }
            out.array("diagnostics") { out in
                for (turn, finding) in report.diagnostics {
                    out.finding(finding, turn: turn, in: simulation, limits: limits)
                }
            }
        }
    }

    private func write(_ call: CallRecord, to out: inout ByteBuffer) {
        out.object {
            $0.member("call", call.kind.word)
            if let bridge = call.bridge { $0.member("bridge", simulation.scenario.bridges[bridge].id) }
            if let mount = call.mount { $0.member("mount", mount) }
            if let why = call.why { $0.member("why", why) }
            $0.member("round", call.round)
            $0.member(
                "wrote",
                call.wrote.map { field in
                    let names = simulation.names(of: field)
                    return "\(names.screen).\(names.key)"
                })
            $0.member("set", call.set)
        }
    }
}
