internal import SeamClient
internal import SeamWire

/// `seam run`: plays the scripts of scenarios and prints their checks.
func runScenarios(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let failOn = FailOn(arguments.value(.failOn), default: [])
    let suites = try TestReports(arguments)
    let client: Client
    let scenarios: [String]
    do {
        client = try session.connectOrStart()
        scenarios = try expand(arguments.words("SCENARIO"), client, session)
    } catch {
        try suites.write(session, rest: arguments.words("SCENARIO")[...], reason: "it was not played")
        throw error
    }
    var exit = Exit.fine
    for (index, scenario) in scenarios.enumerated() {
        let params = creationParams(scenario, arguments).adding("steps", arguments.has(.steps) ? true : nil)
            .adding("why", arguments.has(.why) || arguments.has(.report) ? true : nil)
        let start = ContinuousClock.now
        do {
            let result = try session.call(client, "sim.run", params)
            var report = RunReport(scenario: scenario, result: result)
            if report.checks.isEmpty && !report.hasFailed {
                report.whatToCheck = try whatToCheck(scenario, client, session)
            }
            let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            suites.add(TestSuite(report, session, failOn: failOn, milliseconds: milliseconds))
            if suites.takesOutput {
                report.note(session)
            } else {
                session.printsJSON ? report.printJSON(session) : report.print(session)
            }
            if report.hasFailed {
                exit = .refused
            } else if exit == .fine && (!report.misses.isEmpty || report.isHit(by: failOn)) {
                exit = .finding
            }
        } catch let refused as Refused {
            // The scenarios after a broken one still run, as tests after a failing test do.
            session.note(refused, about: scenarios.count > 1 ? scenario : nil)
            let outcome = TestCase.Outcome.error(session.sentence(of: refused), detail: "")
            suites.add(TestSuite(scenario: scenario, cases: [TestCase(name: "run", outcome: outcome)]))
            exit = .refused
        } catch {
            // A plug-in took the daemon with it, or somebody ended this: CI sees what there was, and what there was not.
            try suites.write(session, rest: scenarios[index...], reason: "it did not come to its end")
            throw error
        }
        session.output.flush()
    }
    try suites.write(session)
    return exit
}

/// What to write where a script checks nothing: with the fields that there are, or in the words of C where there are none.
private func whatToCheck(_ scenario: String, _ client: Client, _ session: Session) throws -> String {
    let description = try session.call(client, "scenario.describe", ["scenario": .string(scenario)])
    let fields = (description["screens"]?.elements ?? []).flatMap { screen in
        (screen["fields"]?.elements ?? []).compactMap { $0["key"]?.text }
    }
    guard let first = fields.first else {
        return "its screens have no field either: what is shown has to be one before it can be checked"
    }
    let rest = fields.count - 8
    let list = fields.prefix(8).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    return
        "say in its script what ought to be on the screen, .check(\"start\", [\"\(first)\": .matching]) in Swift, "
        + "where the model has a value for it, SEAM_STEP_CHECK in C; its fields are \(list)"
}

/// The members that `sim.run` and `sim.create` share.
func creationParams(_ scenario: String, _ arguments: Arguments) -> JSON {
    func texts(_ option: Option) -> JSON? {
        arguments.has(option) ? .texts(Arguments.pairs(arguments.values(option))) : nil
    }
    return JSON.texts([("scenario", scenario)])
        .adding("id", arguments.value(.identifier).map { .string($0) })
        .adding("params", texts(.parameter))
        .adding("policies", texts(.policy))
        .adding("profile", arguments.value(.profile).map { .string($0) })
        .adding("seed", arguments.number(.seed).map { .integer($0) })
        .adding("clock", arguments.value(.clock).map { .string($0) })
        .adding("trace", arguments.value(.trace).map { .bool(OnOff.isOn($0) == true) })
}

/// The scenarios that the words name; a word with a `*` stands for all that match it.
func expand(_ words: [String], _ client: Client, _ session: Session) throws -> [String] {
    guard words.contains(where: { $0.contains("*") }) else { return words }
    let known = try session.list(client, "scenario.list", "scenarios").compactMap { $0["id"]?.text }
    return try words.flatMap { word in
        guard word.contains("*") else { return [word] }
        // `live` has no script, so a glob never means it.
        let glob = Glob(word)
        let found = known.filter { $0 != "live" && glob.matches($0) }
        if found.isEmpty {
            throw NothingMatches(scenario: word, known: known)
        }
        return found
    }
}

/// A glob over names of the daemon that fits none: as if the daemon had been asked for a wrong name.
struct NothingMatches: Error {
    let message: String

    init(message: String) {
        self.message = message
    }

    init(scenario glob: String, known: [String]) {
        let near = nearOnes(glob, among: known)
        let list = near.isEmpty ? "" : "; near it: \(near.joined(separator: ", "))"
        self.init(message: "no scenario matches '\(glob)'\(list); `seam scenarios` names them all")
    }
}

struct RunReport {
    let scenario: String
    let steps: [JSON]
    let checks: [JSON]
    /// Those of the whole run and those that only its checks could tell, each once, in that order.
    let diagnostics: [JSON]
    /// For a run without a check.
    var whatToCheck: String?

    init(scenario: String, result: JSON) {
        self.scenario = scenario
        steps = result["steps"]?.elements ?? []
        checks = result["checks"]?.elements ?? []
        diagnostics =
            (result["diagnostics"]?.elements ?? []) + checks.flatMap { $0["diagnostics"]?.elements ?? [] }
    }

    /// Whether the simulation failed, so that the rest of its script and checks are not there: never a success.
    /// A failure that names a mount ended that mount alone, and its fields tell.
    var hasFailed: Bool {
        diagnostics.contains { $0["code"]?.text == "plugin-failed" && $0["mount"] == nil }
    }

    /// Why it is no success, although no check says so: none was made, or a step did not do what it says.
    var misses: [String] {
        var misses: [String] = []
        if let whatToCheck { misses.append("no check was made, so nothing is known of it: \(whatToCheck)") }
        let undone = diagnostics.filter { diagnostic in
            ["no-such-control", "plugin-misbehaving"].contains(diagnostic["code"]?.text)
        }
        if !undone.isEmpty {
            misses.append("it did not go as its script says (\(undone[0]["code"]?.text ?? ""))")
        }
        return misses
    }

    func isHit(by failOn: FailOn) -> Bool {
        checks.contains(where: failOn.isHit(by:)) || diagnostics.contains(where: failOn.isHit(byDiagnostic:))
    }

    func print(_ session: Session) {
        if !steps.isEmpty {
            session.print(session.style.paint(scenario, .bold))
            // The scenario is made before the first line of its script.
            for (index, step) in steps.enumerated() { session.printStep(step, number: index) }
            session.print("")
        }
        for check in checks {
            session.printCheck(check)
            session.noteUnmet(check)
        }
        diagnostics.forEach(session.noteDiagnostic)
        noteMisses(session)
    }

    private func noteMisses(_ session: Session) { misses.forEach { session.note("\(scenario): \($0)") } }

    /// What belongs on standard error, when standard output is a report's.
    func note(_ session: Session) {
        checks.forEach(session.noteUnmet)
        diagnostics.forEach(session.noteDiagnostic)
        noteMisses(session)
    }

    /// Steps, checks and diagnostics as lines of their own, told apart by `step`, `label` and `code`.
    func printJSON(_ session: Session) {
        for json in steps + checks.map({ $0.removing("diagnostics") }) + diagnostics {
            session.print(JSON.texts([("scenario", scenario)]).adding(json))
        }
        noteMisses(session)
    }
}
