internal import CSeamCheck
internal import SeamKernel

/// One running simulation of the plug-in, kept going as the daemon keeps it going, and what it did.
final class Stage {
    let scenario: Scenario
    let simulation: Simulation
    let body: any ScenarioBody
    /// Everything that a client could see of it, and every call; a line each, where that was asked for.
    private(set) var trace: [String] = []
    private let keepsTrace: Bool
    private(set) var findings: [Diagnostic] = []
    /// Errors that came without a reason, neither of the plug-in's nor of the host's.
    private(set) var silentFailures: [String] = []
    private let subject: Subject
    private var wantsTurn = false
    /// What the script's mount steps made.
    private var mounts: [String: MountID] = [:]

    /// Creates and starts it.
    /// - Throws: when its create says no; there is nothing to be destroyed then.
    init(
        _ scenario: Scenario, of subject: Subject, parameters: [String?]? = nil, seed: UInt64? = nil,
        tellsHooks: Bool = false, keepsTrace: Bool = false
    ) throws(Simulation.CreateFailure) {
        self.scenario = scenario
        self.subject = subject
        self.keepsTrace = keepsTrace
        body = subject.makeBody(scenario)
        simulation = Simulation(
            id: "check", scenario: scenario,
            settings: Simulation.Settings(
                seed: seed ?? subject.seed, policies: tellsHooks ? [("hooks", "told")] : []),
            body: body)
        simulation.recordsCalls = keepsTrace
        simulation.onWaiting = { [unowned self] _ in wantsTurn = true }
        take(try simulation.start(parameters: parameters ?? scenario.parameters.map(\.initial)))
        pump()
    }

    var isRunning: Bool { simulation.status == .running }

    // MARK: Events

    /// Applies one event, and what it left to be done.
    /// - Returns: whether the simulation took it.
    @discardableResult
    func apply(_ event: Event, interim label: String? = nil) -> MountID?? {
        do throws(Refusal) {
            let turn =
                label == nil
                ? try simulation.apply(event)
                : try simulation.apply(event, interim: Interim(fields: Array(0..<simulation.fieldCount)))
            if let label, let seen = turn.interim {
                for field in seen.fields { note("check \(label): \(field)") }
            }
            take(turn)
            pump()
            return .some(turn.mount)
        } catch {
            note("refused: \(error)")
            return nil
        }
    }

    func advance(nanoseconds: Int64) {
        var turns: [Turn] = []
        do throws(Refusal) {
            try simulation.advance(to: simulation.nanoseconds + nanoseconds) { turns.append($0) }
        } catch {
            note("refused: \(error)")
        }
        for turn in turns { take(turn) }
        pump()
    }

    func play() {
        for index in scenario.script.indices { play(index) }
    }

    /// One step of the script, unless the simulation has failed before it.
    func play(_ index: Int) {
        guard isRunning else { return }
        let next = index + 1 < scenario.script.count ? scenario.script[index + 1] : nil
        perform(scenario.script[index], interim: next?.interimLabel)
    }

    /// - Parameter interim: the label of a check that looks into this step's turn before it settles.
    private func perform(_ step: Scenario.Step, interim: String?) {
        switch step {
        case .advance(let nanoseconds): advance(nanoseconds: nanoseconds)
        case .check(let label):
            if step.interimLabel != nil { return }
            for field in 0..<simulation.fieldCount {
                note("check \(label): \(simulation.field(field))")
            }
        default:
            guard let event = step.event(placed: { $0.flatMap { mounts[$0] } }) else { return }
            let made = apply(event, interim: interim)
            if case .mount(_, let label?) = step, let made, let made { mounts[label] = made }
        }
    }

    func destroy() {
        take(simulation.destroy())
        _ = subject.takePosts(of: simulation)
    }

    /// Does what waits between two events: posts, late reports, the main queue.
    /// - Parameter milliseconds: how long to wait for something, from another thread for example.
    func pump(waiting milliseconds: Int32 = 0) {
        for _ in 0..<Self.roundLimit {
            var hasMoved = check_run_main_queue(milliseconds)
            for token in subject.takePosts(of: simulation) where isRunning {
                hasMoved = true
                turn(.tick(token))
            }
            if wantsTurn && isRunning {
                wantsTurn = false
                hasMoved = true
                turn(.settle)
            }
            if !hasMoved { return }
        }
    }

    /// A plug-in that posts again on every tick never comes to rest, which is allowed.
    private static let roundLimit = 200

    private func turn(_ event: Event) {
        do throws(Refusal) {
            take(try simulation.apply(event))
        } catch {
            note("refused: \(error)")
        }
    }

    // MARK: What came of it

    /// Writing a turn out costs more than the turn.
    private func note(_ line: @autoclosure () -> String) {
        if keepsTrace { trace.append(line()) }
    }

    private func take(_ turn: Turn) {
        note("turn \(turn.number) at \(turn.nanoseconds) ns")
        for call in turn.calls { note("  \(call)") }
        for finding in turn.diagnostics {
            note("  \(finding)")
            findings.append(finding)
            // A status that a service answered may be handed on as it is: the host has said why.
            if finding.text.contains("did not say why"),
                turn.diagnostics.allSatisfy({ $0.code == "plugin-failed" })
            {
                silentFailures.append(finding.text)
            }
        }
        for change in turn.changes { note("  \(change)") }
        if let failure = turn.failure { note("  failed: \(failure)") }
    }

    /// What the plug-in did that the contract forbids.
    var breaches: [String] {
        findings.filter { $0.code == "plugin-misbehaving" }.map(\.text)
    }
}
