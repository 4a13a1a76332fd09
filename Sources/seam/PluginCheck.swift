internal import Glibc
internal import SeamClient
internal import SeamWire

/// What `seam plugin check` looks for. The work is done by seam-plugin-check, which opens the plug-in; this program
/// never does.
struct PluginCheck: Sendable {
    let number: Int
    let name: String

    init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
    }

    /// Numbered from 1 without a gap. The numbers are for good: scripts name them.
    static let all: [PluginCheck] = [
        PluginCheck(1, "it opens as a shared library, and nobody else can have changed it"),
        PluginCheck(2, "it exports seam_plugin_entry and nothing else"),
        PluginCheck(3, "it needs no library that other machines lack"),
        PluginCheck(4, "opening it and asking its entry takes under 100 ms"),
        PluginCheck(5, "its entry answers the same description each time"),
        PluginCheck(6, "it declines hosts that it can't work with, and says why"),
        PluginCheck(7, "loading it changes nothing around it: signals, locale, output, threads"),
        PluginCheck(8, "it has tables for the interfaces that it lists, and for no others"),
        PluginCheck(9, "magic, sizes, counts and flags are those of the header"),
        PluginCheck(10, "ids are unique and plain, texts are UTF-8 and not too long"),
        PluginCheck(11, "initial values lie within their bounds and choices"),
        PluginCheck(12, "indexes, keys and labels lead somewhere, needed callbacks are there"),
        PluginCheck(13, "the description is the same after a run"),
        PluginCheck(14, "a thousand instances leave nothing behind"),
        PluginCheck(15, "two instances at once do what one does alone"),
        PluginCheck(16, "every value of a parameter is survived"),
        PluginCheck(17, "every event in every state is survived, and random sequences"),
        PluginCheck(18, "every service that fails is survived, and told"),
        PluginCheck(19, "events and tokens that nobody declared are refused"),
        PluginCheck(20, "it calls the host on the main thread alone, and not after destroy"),
        PluginCheck(21, "it writes only what it declares"),
        PluginCheck(22, "the same seed and script come to the same, also in another process"),
    ]
}

/// `seam plugin check FILE`.
func checkPlugin(_ session: Session) throws -> Exit {
    let program = try HelperProcess.find("seam-plugin-check")
    // A crash is a finding here; the toolchain's own report of it takes seconds and says no more.
    setenv("SWIFT_BACKTRACE", "enable=no", 0)
    let file = try pluginFile(session)
    var run = PluginCheckRun(session, program: program, file: file)
    let only = session.arguments.value(.only).map { $0.split(separator: ",").compactMap { Int($0) } }
    let checks = PluginCheck.all.filter { only?.contains($0.number) ?? true }
    if session.arguments.has(.inProcess) {
        try run.together(checks)
    } else {
        for check in checks { try run.alone(check) }
    }
    run.conclude()
    return run.failures == 0 ? .fine : .finding
}

private struct PluginCheckRun {
    /// How long one check may take, unless --timeout says so.
    private static let milliseconds = 60_000
    /// A busy machine is no fault of the plug-in: the quickest of these counts.
    private static let attemptsOfTimedCheck = 3

    let session: Session
    let program: String
    let file: String
    let seed: Int
    let limit: Int
    private(set) var failures = 0
    private var counts: [String: Int] = [:]

    init(_ session: Session, program: String, file: String) {
        self.session = session
        self.program = program
        self.file = file
        seed = session.arguments.number(.checkSeed) ?? 1
        limit = session.arguments.number(.timeout) ?? Self.milliseconds
    }

    private struct Result {
        var word: String
        var errors: [String] = []
        var warnings: [String] = []
        /// Why it was skipped.
        var reason: String?
        /// The runs of the scenarios, for a comparison.
        var traces: JSON?
    }

    // MARK: Running

    /// One check in a process of its own.
    mutating func alone(_ check: PluginCheck) throws {
        announce(check)
        let start = ContinuousClock.now
        var result = try perform(check)
        if check.number == 4 {
            for _ in 1..<Self.attemptsOfTimedCheck where result.word == "failed" {
                result = try perform(check)
            }
        }
        if check.number == 22, result.errors.isEmpty, let traces = result.traces {
            let other = try perform(check)
            result.errors += other.errors + Self.differences(traces, other.traces ?? .null)
            if !result.errors.isEmpty { result.word = "failed" }
        }
        tell(check, result, start)
    }

    private func perform(_ check: PluginCheck) throws -> Result {
        var result: Result?
        var doing: String?
        let (ending, errors) = try HelperProcess.run(
            program, [file, "\(seed)", "\(check.number)"], milliseconds: limit, interrupts: session.interrupts
        ) { line in
            switch Self.read(line) {
            case .doing(let text): doing = text
            case .end(_, let found): result = found
            case nil: break
            }
        }
        return result ?? died(ending, errors, doing)
    }

    /// All checks in one process, for a debugger or a memory checker: the first that ends the process is the last.
    mutating func together(_ checks: [PluginCheck]) throws {
        var start = ContinuousClock.now
        var doing: String?
        var left = checks[...]
        if let first = left.first { announce(first) }
        // The calls of the closure come one after the other, within this call.
        var this = self
        let (ending, errors) = try HelperProcess.run(
            program, [file, "\(seed)"] + checks.map { "\($0.number)" }, milliseconds: limit * checks.count,
            interrupts: session.interrupts
        ) { line in
            switch Self.read(line) {
            case .doing(let text): doing = text
            case .end(let number, let found):
                guard let check = left.first, check.number == number else { return }
                left.removeFirst()
                doing = nil
                this.tell(check, found, start)
                start = .now
                if let next = left.first { this.announce(next) }
            case nil: break
            }
        }
        self = this
        if let check = left.popFirst() { tell(check, died(ending, errors, doing), start) }
        for check in left {
            announce(check)
            tell(check, Result(word: "skipped", reason: "the process has ended before it"), .now)
        }
    }

    private enum Line {
        case doing(String)
        case end(Int, Result)
    }

    /// A line of the program: what it is about to do, or how a check came out.
    private static func read(_ line: String) -> Line? {
        guard let json = try? JSON(parsing: line) else { return nil }
        if let text = json["doing"]?.text { return .doing(text) }
        guard let number = json["check"]?.integer, let word = json["result"]?.text else { return nil }
        func texts(_ member: String) -> [String] { json[member]?.elements?.compactMap(\.text) ?? [] }
        return .end(
            number,
            Result(
                word: word, errors: texts("errors"), warnings: texts("warnings"),
                reason: json["reason"]?.text, traces: json["traces"]))
    }

    /// What is known of a process that did not come to its result.
    private func died(_ ending: HelperProcess.Ending, _ errors: String, _ doing: String?) -> Result {
        var text: String
        switch ending {
        case .timedOut: text = "it did not come to an end within \(limit) ms and was killed"
        case .signal(let number):
            text = "it crashed: signal \(number) (\(String(cString: strsignal(number))))"
        case .exit(70): text = "it ended the process (exit)"
        case .exit(let code): text = "it ended the process with exit code \(code)"
        }
        // The host's own report, which begins with a line for seamd.
        let lines = errors.split(separator: "\n")
        func said(_ name: String) -> String? {
            lines.last { $0.hasPrefix("  \(name): ") }.map {
                String($0.dropFirst(name.count + 4).drop { $0 == " " })
            }
        }
        if let callback = said("callback") {
            text += ", inside \(callback)"
            if let scenario = said("scenario"), scenario != "?" { text += " of \(scenario)" }
        }
        if let doing { text += "; it was at: \(doing)" }
        let own = lines.filter { line in
            !line.hasPrefix("seamd: ")
                && !["plug-in", "scenario", "callback", "turn"].contains { line.hasPrefix("  \($0): ") }
        }
        if let message = lastWords(own.map(String.init)) { text += "; it said: \(message.prefix(300))" }
        return Result(word: "failed", errors: [text])
    }

    private static func differences(_ one: JSON, _ other: JSON) -> [String] {
        (one.members ?? []).compactMap { scenario in
            let (left, right) = (scenario.value.elements ?? [], other[scenario.name]?.elements ?? [])
            guard left != right else { return nil }
            let pair = zip(left, right).first { $0 != $1 }
            let place =
                pair.map { "; first \($0.text?.trimmed ?? ""), then \($1.text?.trimmed ?? "")" } ?? ""
            return
                "\(scenario.name): the same seed and script came to something else in another process: take "
                + "time and randomness from now and random, and no order from a hash table\(place)"
        }
    }

    // MARK: Telling

    private func announce(_ check: PluginCheck) {
        if session.printsJSON {
            session.print(["check": .integer(check.number), "name": .string(check.name)])
        } else {
            let name = "\(check.number < 10 ? " " : "")\(check.number)  \(check.name) "
            session.output.text(padded(name, to: 80))
        }
        // Before anything happens: whatever it does, its name is there.
        session.output.flush()
    }

    private mutating func tell(_ check: PluginCheck, _ result: Result, _ start: ContinuousClock.Instant) {
        counts[result.word, default: 0] += 1
        if result.word == "failed" { failures += 1 }
        if session.printsJSON {
            let line: JSON = [
                "check": .integer(check.number), "name": .string(check.name), "result": .string(result.word),
                "ms": .integer(Int((ContinuousClock.now - start) / .milliseconds(1))),
                "errors": .texts(result.errors), "warnings": .texts(result.warnings),
            ]
            session.print(line.adding("reason", result.reason.map { .string($0) }))
        } else {
            let color: Style.Color =
                switch result.word {
                case "ok": .green
                case "failed": .red
                case "warning": .yellow
                default: .dim
                }
            session.print(session.style.paint(result.word, color))
            for error in result.errors { session.print("      \(printable(error))") }
            for warning in result.warnings { session.print("      warning: \(printable(warning))") }
            if let reason = result.reason { session.print("      \(printable(reason))") }
        }
        session.output.flush()
    }

    func conclude() {
        guard !session.printsJSON else { return }
        let words = ["ok", "warning", "failed", "skipped"].compactMap { word in
            counts[word].map { "\($0) \(word)" }
        }
        session.print("\(printable(file)): \(words.joined(separator: ", "))")
    }
}

/// Why a process has ended, out of what it wrote: the message of its runtime, and not the frames and registers after it.
func lastWords(_ lines: [String]) -> String? {
    let beginnings = [
        "Fatal error: ", "Precondition failed", "Assertion failed", "Assertion `", "panicked at ",
        "terminate called ", "ERROR: AddressSanitizer", "ERROR: ThreadSanitizer", "runtime error: ", "*** ",
    ]
    // In the order of the list: Swift's backtracer says *** after the message.
    for beginning in beginnings {
        guard let index = lines.firstIndex(where: { $0.contains(beginning) }) else { continue }
        // C++ and Rust say the reason in the next line.
        let hasMore = ["panicked at ", "terminate called "].contains(beginning) && index + 1 < lines.count
        return ([lines[index]] + (hasMore ? [lines[index + 1]] : []))
            .map { String($0.drop { $0 == " " }) }.joined(separator: " ")
    }
    func isFrame(_ line: String) -> Bool {
        line.contains("0x") || line.hasPrefix(" ") || line.hasSuffix(":") || line.isEmpty
    }
    return lines.last { !isFrame($0) }
}

extension String {
    /// Without the blanks at its beginning, and no longer than a person reads.
    fileprivate var trimmed: String {
        let text = drop { $0 == " " }
        return text.count > 300 ? "\(text.prefix(300))…" : String(text)
    }
}
