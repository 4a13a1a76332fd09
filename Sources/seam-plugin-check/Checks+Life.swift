internal import CSeamCheck
internal import SeamKernel
internal import SeamPluginHost

// 14 to 22: the life of its instances.

extension Checks {
    // MARK: 14

    private static let warmUp = 200
    private static let rounds = 1000
    /// Less is the host's own: a table that grows once more.
    private static let leakedBytesAllowed = 16_384

    static func leaks(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            subject.doing("\(scenario.id): create and destroy, \(rounds) times")
            func once() -> Bool {
                guard let stage = try? Stage(scenario, of: subject) else { return false }
                stage.destroy()
                return true
            }
            guard (0..<warmUp).allSatisfy({ _ in once() }) else { continue }
            let (heap, files, threads) = (
                check_heap_bytes(), check_descriptor_count(), check_thread_count()
            )
            for _ in 0..<rounds { _ = once() }
            // Threads that are on their way out are not left behind.
            for _ in 0..<50 where check_thread_count() > threads { check_let_pass(10) }
            let growth = Int(check_heap_bytes()) - Int(heap)
            if growth > leakedBytesAllowed {
                findings.fail(
                    "\(scenario.id): \(rounds) instances, each of them destroyed, left \(growth) bytes behind, "
                        + "\(growth / rounds) each: free in destroy what create, start and the bodies allocated"
                )
            }
            if check_descriptor_count() > files {
                findings.fail(
                    "\(scenario.id): \(rounds) instances left \(check_descriptor_count() - files) descriptors open"
                )
            }
            if check_thread_count() > threads {
                findings.fail(
                    "\(scenario.id): \(rounds) instances left \(check_thread_count() - threads) threads running"
                )
            }
        }
    }

    // MARK: 15

    static func separation(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            subject.doing("\(scenario.id): one instance alone")
            guard let alone = try? Stage(scenario, of: subject, keepsTrace: true) else { continue }
            alone.play()
            alone.destroy()
            subject.doing("\(scenario.id): two instances, step by step in turn")
            guard let one = try? Stage(scenario, of: subject, keepsTrace: true) else { continue }
            guard let two = try? Stage(scenario, of: subject, keepsTrace: true) else {
                one.destroy()
                findings.fail("\(scenario.id): a second instance beside the first can't be created")
                continue
            }
            for index in scenario.script.indices {
                one.play(index)
                two.play(index)
            }
            // The first goes while the second still has to.
            one.destroy()
            two.destroy()
            for stage in [one, two] {
                if let difference = firstDifference(alone.trace, stage.trace) {
                    findings.fail(
                        "\(scenario.id): beside another instance it did something else than alone: keep nothing in "
                            + "globals; \(difference)")
                }
            }
        }
    }

    // MARK: 16

    static func parameters(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            let initial = scenario.parameters.map(\.initial)
            for (index, parameter) in scenario.parameters.enumerated() {
                for value in Trial.values(for: parameter) {
                    var values = initial
                    values[index] = value
                    subject.doing("\(scenario.id): create with \(parameter.id)=\(Trial.shown(value))")
                    do throws(Simulation.CreateFailure) {
                        let stage = try Stage(scenario, of: subject, parameters: values)
                        stage.play()
                        stage.destroy()
                        note(stage, "with \(parameter.id)=\(Trial.shown(value))", &findings)
                    } catch {
                        if error.text.contains("did not say why") {
                            findings.fail(
                                "\(scenario.id): with \(parameter.id)=\(Trial.shown(value)) \(error.text)")
                        }
                    }
                }
            }
        }
    }

    /// What the stage found that no plug-in may do, or should not.
    private static func note(_ stage: Stage, _ when: String, _ findings: inout Findings) {
        for breach in stage.breaches { findings.fail("\(stage.scenario.id): \(when): \(breach)") }
        for failure in stage.silentFailures { findings.warn("\(stage.scenario.id): \(when): \(failure)") }
    }

    // MARK: 17

    static func events(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let deadline = ContinuousClock.now + .seconds(5)
        for scenario in try subject.scenarios() {
            for index in scenario.events.indices {
                for state in Trial.State.allCases {
                    for arguments in Trial.arguments(for: scenario.events[index], state) {
                        let event = scenario.events[index]
                        let list = zip(event.arguments, arguments).map { " \($0.id)=\(Trial.shown($1))" }
                            .joined()
                        let what = "send \(event.id)\(list) \(state.rawValue)"
                        subject.doing("\(scenario.id): \(what)")
                        guard let stage = try? Stage(scenario, of: subject) else { continue }
                        Trial.bring(stage, to: state)
                        let mount = event.bridge.flatMap { stage.simulation.mounts(of: $0).first }
                        stage.apply(.send(index, arguments: arguments, mount: mount))
                        stage.destroy()
                        note(stage, what, &findings)
                    }
                }
            }
            subject.doing("\(scenario.id): a run in which every hook is told")
            if let stage = try? Stage(scenario, of: subject, tellsHooks: true) {
                stage.play()
                Trial.tellHooks(stage)
                stage.destroy()
                note(stage, "with every hook told", &findings)
            }
            var random = SplitMix(seed: subject.seed)
            for sequence in 1...sequences where ContinuousClock.now < deadline {
                guard let stage = try? Stage(scenario, of: subject, seed: random.next(), tellsHooks: true)
                else { break }
                for step in 1...steps where stage.isRunning {
                    let found = stage.breaches.count
                    let (what, event) = Trial.random(in: stage, &random)
                    let place = "\(what) (step \(step) of random sequence \(sequence), seed \(subject.seed))"
                    subject.doing("\(scenario.id): \(place)")
                    if let event { stage.apply(event) } else { stage.advance(nanoseconds: 100_000_000) }
                    if stage.breaches.count > found { note(stage, place, &findings) }
                }
                subject.doing(
                    "\(scenario.id): destroy after random sequence \(sequence), seed \(subject.seed)")
                stage.destroy()
                note(stage, "destroy after random sequence \(sequence), seed \(subject.seed)", &findings)
            }
        }
    }

    private static let sequences = 12
    private static let steps = 30

    // MARK: 18

    private static let failuresPerScenario: UInt64 = 200

    static func refusedServices(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            check_services_reset()
            run(scenario, subject)
            let calls = min(check_services_calls(), failuresPerScenario)
            var silent: [String] = []
            for call in 0..<calls {
                check_services_reset()
                check_services_fail_at(call + 1)
                subject.doing("\(scenario.id): service call \(call + 1) answers SEAM_E_LIMIT")
                let hasReported = run(scenario, subject)
                guard let service = check_services_failed().map({ String(cString: $0) }) else { continue }
                let callback = check_services_failed_in().map { String(cString: $0) } ?? "?"
                // These can't report: they have no answer, or run for nobody.
                if hasReported || ["dismantle", "destroy", "main queue"].contains(callback) { continue }
                // A text that is too long is the only limit of the others, and that the host reports itself.
                guard
                    ["mount", "own", "next_turn", "at_time", "post", "mount_in", "set_items", "write_later"]
                        .contains(service)
                else { continue }
                let place = "\(service) in \(callback)"
                if !silent.contains(place) { silent.append(place) }
            }
            check_services_reset()
            if !silent.isEmpty {
                findings.warn(
                    "\(scenario.id): it goes on as if nothing had happened when a service answers SEAM_E_LIMIT: "
                        + silent.prefix(5).joined(separator: ", ") + (silent.count > 5 ? ", …" : "")
                        + "; return the status, or diagnose")
            }
        }
    }

    /// Plays a scenario to its end. Whether it told anybody of an error.
    @discardableResult
    private static func run(_ scenario: Scenario, _ subject: Subject) -> Bool {
        guard let stage = try? Stage(scenario, of: subject) else { return true }
        stage.play()
        stage.destroy()
        let told = ["plugin-failed", "plugin-misbehaving"]
        return stage.simulation.status != .running
            || stage.findings.contains { told.contains($0.code) || $0.text.contains("SEAM_E_LIMIT") }
    }

    // MARK: 19

    static func unknown(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            guard let stage = try? Stage(scenario, of: subject) else { continue }
            // Without an event of its own the callback may be missing, and is then never called.
            if scenario.events.contains(where: { $0.bridge == nil }) {
                for event in [scenario.events.count, 0x7fff_ffff] {
                    subject.doing("\(scenario.id): event \(event), which it does not declare")
                    if case .ok = stage.body.event(event, arguments: []) {
                        findings.fail(
                            "\(scenario.id): event answers SEAM_OK for index \(event), which the scenario does not "
                                + "declare: answer SEAM_E_ARG")
                    }
                }
            }
            for token: UInt64 in [0x7fff_ffff_ffff_fff0, 1 << 63 | 0xffff_fff0] {
                subject.doing("\(scenario.id): a tick for a token that nobody asked for")
                // It may well be forgotten work, so any answer will do.
                _ = stage.body.tick(token)
            }
            subject.doing("\(scenario.id): destroy after unknown events and tokens")
            stage.destroy()
        }
    }

    // MARK: 20

    static func threads(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            subject.doing("\(scenario.id): a run, watched for calls from other threads and after the end")
            check_services_reset()
            let threads = check_thread_count()
            guard let stage = try? Stage(scenario, of: subject) else { continue }
            stage.play()
            exercise(stage)
            stage.advance(nanoseconds: 10_000_000_000)
            stage.pump(waiting: 20)
            stage.destroy()
            check_services_over()
            while check_run_main_queue(50) {}
            for _ in 0..<20 where check_thread_count() > threads { check_let_pass(10) }
            for (breach, text) in [
                (
                    CHECK_OFF_THREAD,
                    "from another thread than the main one, where only log and post are allowed"
                ),
                (CHECK_LATE, "after destroy: join threads and forget the context there"),
            ] where check_services_breaches(breach) > 0 {
                let service = String(cString: check_services_first_breach(breach))
                findings.fail(
                    "\(scenario.id): it called \(service) \(text) (\(check_services_breaches(breach)) such calls)"
                )
            }
            if check_thread_count() > threads {
                findings.warn(
                    "\(scenario.id): \(check_thread_count() - threads) threads run on after destroy, which has to join "
                        + "those of the plug-in")
            }
        }
        check_services_reset()
    }

    /// Every event once, with its initial arguments.
    private static func exercise(_ stage: Stage) {
        for (index, event) in stage.scenario.events.enumerated() where stage.isRunning {
            let mount = event.bridge.flatMap { stage.simulation.mounts(of: $0).first }
            stage.apply(.send(index, arguments: event.arguments.map(\.initial), mount: mount))
        }
    }

    // MARK: 21

    static func declared(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for scenario in try subject.scenarios() {
            subject.doing("\(scenario.id): a run, watched for fields that were not declared")
            check_services_reset()
            guard let stage = try? Stage(scenario, of: subject) else { continue }
            stage.play()
            exercise(stage)
            stage.advance(nanoseconds: 10_000_000_000)
            stage.destroy()
            if check_services_breaches(CHECK_UNDECLARED) > 0 {
                let call = String(cString: check_services_first_breach(CHECK_UNDECLARED))
                findings.fail(
                    "\(scenario.id): \(call): no such field or key is declared; "
                        + (stage.breaches.first ?? "declare it, or write another"))
            }
        }
        check_services_reset()
    }

    // MARK: 22

    /// Lines of a run that another process compares.
    private static let traceLines = 4_000

    static func determinism(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        func traces() throws(NotReached) -> [(scenario: String, lines: [String])] {
            var traces: [(scenario: String, lines: [String])] = []
            for scenario in try subject.scenarios() {
                subject.doing("\(scenario.id): a run, watched for being the same each time")
                guard let stage = try? Stage(scenario, of: subject, keepsTrace: true) else { continue }
                stage.play()
                stage.advance(nanoseconds: 1_000_000_000)
                stage.destroy()
                traces.append((scenario.id, stage.trace))
            }
            return traces
        }
        let first = try traces()
        // A clock that counts seconds has to show another one.
        check_let_pass(1_050)
        for (one, other) in zip(first, try traces()) {
            if let difference = firstDifference(one.lines, other.lines) {
                findings.fail(
                    "\(one.scenario): the same seed and script came to something else in a second run: take time and "
                        + "randomness from now and random; \(difference)")
            }
        }
        findings.traces = first.map { ($0.scenario, Array($0.lines.prefix(traceLines))) }
    }

    private static func firstDifference(_ one: [String], _ other: [String]) -> String? {
        for (left, right) in zip(one, other) where left != right {
            return "first \(left.trimmed), then \(right.trimmed)"
        }
        if one.count == other.count { return nil }
        let more = one.count > other.count ? one[other.count] : other[one.count]
        return "only one of the runs has \(more.trimmed)"
    }
}

extension String {
    fileprivate var trimmed: String {
        let text = drop { $0 == " " }
        return text.count > 300 ? "\(text.prefix(300))…" : String(text)
    }
}
