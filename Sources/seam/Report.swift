internal import SeamWire

/// The words of the verdict table, as the daemon says them.
enum Verdict: String, CaseIterable {
    case matching, stale, missing, leftover
    case outOfScope = "out-of-scope"

    static let words = allCases.map(\.rawValue)
    /// Those that are counted.
    static let counted: [Verdict] = [.matching, .stale, .missing, .leftover]

    var color: Style.Color {
        switch self {
        case .matching: .green
        case .stale: .red
        case .missing: .yellow
        case .leftover: .magenta
        case .outOfScope: .dim
        }
    }

    /// The signs of the dashboard's page, so that whoever knows one knows both.
    func sign(_ style: Style) -> String {
        switch self {
        case .matching: style.hasUnicode ? "✓" : "="
        case .stale: style.hasUnicode ? "≠" : "x"
        case .missing: style.hasUnicode ? "○" : "o"
        case .leftover: "+"
        case .outOfScope: style.hasUnicode ? "–" : "-"
        }
    }
}

/// A value as it is printed: `-` for none.
func shownValue(_ json: JSON?) -> String {
    json?.text.map(printable) ?? "-"
}

/// `Screen.field` of anything that names both.
func fieldName(_ json: JSON) -> String {
    "\(printable(json["screen"]?.text ?? "?")).\(printable(json["field"]?.text ?? "?"))"
}

extension Session {
    /// One block: a line for each checked field, then the four counts.
    func printCheck(_ check: JSON) {
        for field in check["fields"]?.elements ?? [] {
            print(verdictLine(field, of: check, paints: true))
            if arguments.has(.why), let why = field["why"]?.text { print("  \(printable(why))") }
        }
        for verdict in Verdict.counted {
            print("\(verdict.rawValue): \(check["counts"]?[verdict.rawValue]?.integer ?? 0)")
        }
    }

    /// The line of one checked field.
    func verdictLine(_ field: JSON, of check: JSON, paints: Bool = false) -> String {
        let label = printable(check["label"]?.text ?? "")
        let word = field["verdict"]?.text ?? "?"
        let shown = paints ? style.paint(word, Verdict(rawValue: word)?.color) : word
        return "\(label) | \(fieldName(field)): model=\(shownValue(field["model"])) "
            + "screen=\(shownValue(field["shown"])) -> \(shown)"
    }

    /// What a check should have been and was not, a line for each field.
    func noteUnmet(_ check: JSON) {
        for field in check["fields"]?.elements ?? [] {
            guard let expected = field["expected"]?.text, let verdict = field["verdict"]?.text,
                expected != verdict
            else { continue }
            note("\(check["label"]?.text ?? ""): \(fieldName(field)) should be \(expected), it is \(verdict)")
        }
    }

    func noteDiagnostic(_ diagnostic: JSON) {
        let code = diagnostic["code"]?.text ?? "diagnostic"
        let place = place(of: diagnostic).map { "\($0): " } ?? ""
        note("\(code): \(place)\(diagnostic["text"]?.text ?? "")")
    }

    /// What a diagnostic is about: a field, a screen, or a bridge and its mount.
    func place(of diagnostic: JSON) -> String? {
        if diagnostic["field"] != nil { return fieldName(diagnostic) }
        if let screen = diagnostic["screen"]?.text { return printable(screen) }
        guard let bridge = diagnostic["bridge"]?.text else { return nil }
        return printable(bridge) + (diagnostic["mount"]?.integer.map { " (mount \($0))" } ?? "")
    }

    /// The answer of a request that changed something.
    func printChange(_ change: JSON) {
        if printsJSON { return print(change) }
        let members = ["mount", "seq", "turn", "changes", "diagnostics"]
        print(
            members.compactMap { member in change[member]?.integer.map { "\(member)=\($0)" } }.joined(
                separator: " "))
        guard let interim = change["interim"], interim.members != nil else { return }
        printCheck(interim)
        if let omitted = interim["omitted"]?.integer {
            note("\(omitted) fields and diagnostics of the interim read are not listed; name fewer fields")
        }
        interim["diagnostics"]?.elements?.forEach(noteDiagnostic)
    }
}

/// What makes a run or a check fail.
struct FailOn {
    let verdicts: Set<String>
    let diagnostics: Bool

    init(_ words: String?, default fallback: [String]) {
        let chosen = words.map { $0.split(separator: ",").map(String.init) } ?? fallback
        // `none` alone means none; beside others it would be a contradiction, in which the others win.
        verdicts = Set(chosen).subtracting(["none", "diagnostic"])
        diagnostics = chosen.contains("diagnostic")
    }

    /// Whether a check's fields hold what was named, or are not what the scenario expects.
    func isHit(by check: JSON) -> Bool {
        if check["met"]?.boolean == false { return true }
        return (check["fields"]?.elements ?? []).contains { verdicts.contains($0["verdict"]?.text ?? "") }
    }

    /// Only warnings and errors count; an `info` is told and forgiven.
    func isHit(byDiagnostic diagnostic: JSON) -> Bool {
        diagnostics && ["warning", "error"].contains(diagnostic["severity"]?.text ?? "")
    }
}
