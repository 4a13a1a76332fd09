internal import Glibc
internal import SeamClient
internal import SeamWire

/// What a run came to, as a test suite for CI: `--report junit=FILE,tap=-`.
///
/// A test case is one checked field: that is what goes stale, and a name that stays the same from run to run. It counts
/// when its scenario expects something of it, or --fail-on names a verdict. So the report fails where the exit code
/// says so, and for the same reasons.
final class TestReports {
    enum Form: String, CaseIterable { case junit, tap }

    private struct Target {
        let form: Form
        let path: String
        let descriptor: CInt
    }

    private let targets: [Target]
    private var suites: [TestSuite] = []

    /// Whether standard output belongs to a report, so that nothing else may be printed there.
    let takesOutput: Bool

    /// Opens the files, so that one which can't be written is told before anything runs, and the report of an earlier
    /// run is never taken for that of this one.
    init(_ arguments: Arguments) throws {
        var wanted: [(form: Form, path: String)] = []
        for piece in arguments.values(.report).flatMap({
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }) {
            let divider = piece.firstIndex(of: "=") ?? piece.endIndex
            let path = piece[divider...].dropFirst()
            if let form = Form(rawValue: String(piece[..<divider])), divider < piece.endIndex {
                wanted.append((form, String(path)))
            } else if let last = wanted.popLast() {
                // A comma in a file's name.
                wanted.append((last.form, "\(last.path),\(piece)"))
            } else {
                throw Self.misuse(
                    "is written junit=FILE or tap=FILE, - for standard output, not '\(piece)'", arguments)
            }
        }
        if let empty = wanted.first(where: { $0.path.isEmpty }) {
            throw Self.misuse("\(empty.form.rawValue)= needs a file, or - for standard output", arguments)
        }
        let toOutput = wanted.filter { $0.path == "-" }
        takesOutput = !toOutput.isEmpty
        if toOutput.count > 1 {
            let forms = toOutput.map { "\($0.form.rawValue)=-" }.joined(separator: " and ")
            throw Self.misuse("\(forms) would both write to standard output: name a file for one", arguments)
        }
        if takesOutput && arguments.has(.json) {
            throw Self.misuse("and --json have one standard output between them: name a file", arguments)
        }
        targets = try wanted.map { form, path in
            if path == "-" { return Target(form: form, path: path, descriptor: STDOUT_FILENO) }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw ReportFailure(path: path, number: errno) }
            return Target(form: form, path: path, descriptor: descriptor)
        }
    }

    private static func misuse(_ text: String, _ arguments: Arguments) -> UsageFailure {
        UsageFailure(message: "--report \(text)", command: arguments.command)
    }

    func add(_ suite: TestSuite) { suites.append(suite) }

    /// Writes all of them; `rest` are scenarios that did not get their turn, since `reason`.
    func write(_ session: Session, rest: ArraySlice<String> = [], reason: String = "") throws {
        for scenario in rest {
            suites.append(
                TestSuite(
                    scenario: scenario, cases: [TestCase(name: "run", outcome: .error(reason, detail: ""))]))
        }
        for target in targets {
            let text = target.form == .junit ? JUnit.text(of: suites) : TAP.text(of: suites)
            if target.path == "-" {
                session.output.text(text)
                session.output.flush()
                continue
            }
            defer { close(target.descriptor) }
            if let number = writeAll(Array(text.utf8), to: target.descriptor) {
                throw ReportFailure(path: target.path, number: number)
            }
        }
    }
}

struct ReportFailure: Error, CustomStringConvertible {
    let path: String
    let number: CInt
    var description: String { "the report \(path) can't be written: \(errorText(number))" }
}

struct TestCase {
    enum Outcome {
        case passed
        /// Not as expected: one sentence, and what there is to know.
        case failed(String, detail: String)
        /// It could not be found out.
        case error(String, detail: String)
        case skipped(String)
    }

    var name: String
    var outcome: Outcome
}

/// One scenario's run.
struct TestSuite {
    let scenario: String
    var cases: [TestCase]
    /// All that it had to say, a line each.
    var diagnostics: [String] = []
    var milliseconds = 0

    init(scenario: String, cases: [TestCase]) {
        self.scenario = scenario
        self.cases = cases
    }

    init(_ report: RunReport, _ session: Session, failOn: FailOn, milliseconds: Int) {
        scenario = report.scenario
        self.milliseconds = milliseconds
        cases = []
        func line(_ diagnostic: JSON) -> String {
            let place = session.place(of: diagnostic).map { "\($0): " } ?? ""
            return "\(diagnostic["code"]?.text ?? "diagnostic"): \(place)\(diagnostic["text"]?.text ?? "")"
        }
        diagnostics = report.diagnostics.map(line)
        var seen: [String: Int] = [:]
        for check in report.checks {
            for field in check["fields"]?.elements ?? [] {
                let expected = field["expected"]?.text
                if expected == nil && failOn.verdicts.isEmpty { continue }
                var name = "\(check["label"]?.text ?? "") | \(fieldName(field))"
                seen[name, default: 0] += 1
                if let count = seen[name], count > 1 { name += " (\(count))" }
                // What speaks of this field, and what speaks of none.
                let related = report.diagnostics.filter { diagnostic in
                    diagnostic["field"] == nil
                        || (diagnostic["field"] == field["field"] && diagnostic["screen"] == field["screen"])
                }
                let why = field["why"]?.text.map { [$0] } ?? []
                let detail = ([session.verdictLine(field, of: check)] + why + related.map(line)).joined(
                    separator: "\n")
                cases.append(
                    TestCase(name: name, outcome: Self.judge(field, expected, failOn, detail: detail)))
            }
        }
        if failOn.diagnostics {
            let bad = report.diagnostics.filter(failOn.isHit(byDiagnostic:)).map(line)
            cases.append(
                TestCase(
                    name: "diagnostics",
                    outcome: bad.isEmpty
                        ? .passed : .failed("\(bad.count) diagnostics", detail: bad.joined(separator: "\n"))))
        }
        if report.hasFailed {
            cases.append(
                TestCase(
                    name: "run",
                    outcome: .error("the simulation failed", detail: diagnostics.joined(separator: "\n"))))
        } else if !report.misses.isEmpty {
            cases.append(
                TestCase(
                    name: "run",
                    outcome: .failed(
                        report.misses.joined(separator: "; "), detail: diagnostics.joined(separator: "\n"))))
        } else if cases.isEmpty {
            cases.append(TestCase(name: "run", outcome: .skipped("none of its checks expects anything")))
        }
    }

    private static func judge(
        _ field: JSON, _ expected: String?, _ failOn: FailOn, detail: String
    ) -> TestCase.Outcome {
        let verdict = field["verdict"]?.text ?? "?"
        if let expected, expected != verdict {
            return .failed("should be \(expected), it is \(verdict)", detail: detail)
        }
        if failOn.verdicts.contains(verdict) {
            return .failed("it is \(verdict), which --fail-on names", detail: detail)
        }
        return .passed
    }
}

// MARK: JUnit

/// The XML that Jenkins, GitLab and their like read: a suite for each scenario.
enum JUnit {
    static func text(of suites: [TestSuite]) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text +=
            "<testsuites name=\"seam\"\(counts(suites.flatMap(\.cases), suites.reduce(0) { $0 + $1.milliseconds }))>\n"
        for suite in suites {
            text +=
                "  <testsuite name=\"\(attribute(suite.scenario))\"\(counts(suite.cases, suite.milliseconds))>\n"
            for test in suite.cases {
                text +=
                    "    <testcase classname=\"\(attribute(suite.scenario))\" name=\"\(attribute(test.name))\""
                switch test.outcome {
                case .passed: text += "/>\n"
                case .failed(let message, let detail): text += element("failure", message, detail)
                case .error(let message, let detail): text += element("error", message, detail)
                case .skipped(let message):
                    text += ">\n      <skipped message=\"\(attribute(message))\"/>\n    </testcase>\n"
                }
            }
            if !suite.diagnostics.isEmpty {
                text += "    <system-err>\(content(suite.diagnostics.joined(separator: "\n")))</system-err>\n"
            }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func element(_ name: String, _ message: String, _ detail: String) -> String {
        ">\n      <\(name) message=\"\(attribute(message))\">\(content(detail))</\(name)>\n    </testcase>\n"
    }

    private static func counts(_ cases: [TestCase], _ milliseconds: Int) -> String {
        func count(_ matches: (TestCase.Outcome) -> Bool) -> Int { cases.count { matches($0.outcome) } }
        let failures = count { if case .failed = $0 { true } else { false } }
        let errors = count { if case .error = $0 { true } else { false } }
        let skipped = count { if case .skipped = $0 { true } else { false } }
        let thousandths = String("\(1000 + milliseconds % 1000)".dropFirst())
        return
            " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
            + " time=\"\(milliseconds / 1000).\(thousandths)\""
    }

    private static func attribute(_ text: String) -> String { escaped(printable(text)) }

    /// Lines stay lines; what else drives a terminal, or may not stand in XML at all, is spelled out.
    private static func content(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(printable(String($0))) }
            .joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // The two that Unicode calls no characters and XML 1.0 no text.
            case "\u{FFFE}", "\u{FFFF}": result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

// MARK: TAP

/// The Test Anything Protocol, version 13, which every consumer reads.
enum TAP {
    static func text(of suites: [TestSuite]) -> String {
        let count = suites.reduce(0) { $0 + $1.cases.count }
        var text = "TAP version 13\n1..\(count)\n"
        var number = 0
        for suite in suites {
            for test in suite.cases {
                number += 1
                let name = "\(number) - \(description("\(suite.scenario): \(test.name)"))"
                switch test.outcome {
                case .passed: text += "ok \(name)\n"
                case .skipped(let message): text += "ok \(name) # SKIP \(printable(message))\n"
                case .failed(let message, let detail):
                    text += "not ok \(name)\n\(block("fail", message, detail))"
                case .error(let message, let detail):
                    text += "not ok \(name)\n\(block("error", message, detail))"
                }
            }
        }
        return text
    }

    /// A `#` would begin a directive.
    private static func description(_ text: String) -> String {
        String(printable(text).flatMap { "#\\".contains($0) ? ["\\", $0] : [$0] })
    }

    /// In as much YAML as perl's own reader knows. A text of JSON is one of YAML too.
    private static func block(_ severity: String, _ message: String, _ detail: String) -> String {
        var text = "  ---\n  message: \(JSON.string(printable(message)).encoded)\n  severity: \(severity)\n"
        if !detail.isEmpty {
            text += "  details: |\n"
            for line in detail.split(separator: "\n") { text += "    \(printable(String(line)))\n" }
        }
        return text + "  ...\n"
    }
}
