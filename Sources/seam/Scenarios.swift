internal import SeamClient
internal import SeamWire

/// `seam scenarios`: what there is to play.
func listScenarios(_ session: Session) throws -> Exit {
    let client = try session.connectOrStart()
    let words = session.arguments.words("GLOB")
    let globs = words.map(Glob.init)
    let all = try session.list(client, "scenario.list", "scenarios")
    let ids = all.map { $0["id"]?.text ?? "" }
    let found = all.filter { scenario in
        globs.isEmpty || globs.contains { $0.matches(scenario["id"]?.text ?? "") }
    }
    if session.printsJSON {
        found.forEach(session.print)
    } else {
        session.printTable(
            found.map { [printable($0["id"]?.text ?? ""), printable($0["title"]?.text ?? "")] })
    }
    for (word, glob) in zip(words, globs) where !ids.contains(where: glob.matches) {
        session.note("no scenario matches '\(word)'")
    }
    // As grep has it: an empty answer to a question is a no.
    let exit: Exit = found.isEmpty && !globs.isEmpty ? .finding : .fine
    // A private daemon has said it already.
    guard session.privateDaemon == nil else { return exit }
    let page = try session.call(client, "scenario.list", ["limit": 1])
    for failed in page["failed"]?.elements ?? [] {
        session.note("\(failed["file"]?.text ?? "?"): \(failed["reason"]?.text ?? "?")")
    }
    return exit
}

/// `seam describe`: everything that a scenario says of itself.
func describeScenario(_ session: Session) throws -> Exit {
    let client = try session.connectOrStart()
    let scenario = session.arguments.word("SCENARIO")
    let description = try session.call(client, "scenario.describe", ["scenario": .string(scenario)])
    if session.printsJSON {
        session.print(description)
    } else {
        Description(description, session).print()
    }
    return .fine
}

/// `seam policies`: every policy, or what one profile sets.
func listPolicies(_ session: Session) throws -> Exit {
    let book = try session.call(session.connectOrStart(), "policy.list", [:])
    let policies = book["policies"]?.elements ?? []
    let profiles = book["profiles"]?.elements ?? []
    guard let name = session.arguments.optionalWord("PROFILE") else {
        if session.printsJSON {
            (policies + profiles).forEach(session.print)
            return .fine
        }
        for policy in policies {
            let scope = policy["scope"]?.text == "simulation" ? ", for the whole simulation" : ""
            session.print(
                session.style.paint(policy["name"]?.text ?? "", .bold) + ": \(policyValues(policy))\(scope)")
            session.print("    \(policy["meaning"]?.text ?? "")")
        }
        session.print("")
        session.print("profiles: " + profiles.compactMap { $0["name"]?.text }.joined(separator: " "))
        return .fine
    }
    guard let profile = profiles.first(where: { $0["name"]?.text == name }) else {
        let known = profiles.compactMap { $0["name"]?.text }
        throw NothingMatches(
            message: "there is no profile '\(name)'; there are \(known.joined(separator: ", "))")
    }
    if session.printsJSON {
        session.print(profile)
        return .fine
    }
    let settings = profile["policies"]?.members ?? []
    // The first profile is the book of defaults itself.
    if settings.isEmpty { session.print("every policy has its default") }
    session.printTable(
        settings.map { setting in
            let policy = policies.first { $0["name"]?.text == setting.name }
            let usual = policy?["default"]?.text ?? ""
            return ["\(setting.name)=\(setting.value.text ?? "")", "else \(usual.isEmpty ? "none" : usual)"]
        })
    return .fine
}

/// The default, then the other values.
private func policyValues(_ policy: JSON) -> String {
    let usual = policy["default"]?.text ?? ""
    switch policy["kind"]?.text {
    case "words":
        let words = policy["words"]?.elements?.compactMap(\.text) ?? []
        return ([usual] + words.filter { $0 != usual }).joined(separator: " | ")
    case "integer":
        return "\(usual), from \(policy["minimum"]?.scalar ?? "") to \(policy["maximum"]?.scalar ?? "")"
    default: return "names with commas between them" + (usual.isEmpty ? "; none" : "; \(usual)")
    }
}

/// A scenario's description set as a page.
struct Description {
    let json: JSON
    let session: Session

    init(_ json: JSON, _ session: Session) {
        self.json = json
        self.session = session
    }

    func print() {
        session.print(session.style.paint("\(text(json, "id")): \(text(json, "title"))", .bold))
        if !text(json, "summary").isEmpty { session.print(text(json, "summary")) }
        if let plugin = json["plugin"], plugin["id"] != nil {
            session.print(
                "plug-in \(text(plugin, "name")) \(text(plugin, "version")), \(text(plugin, "file"))")
        }
        section("parameters", items("params").map { [text($0, "id"), kind(of: $0), text($0, "title")] })
        section(
            "screens",
            items("screens").flatMap { screen in
                [[text(screen, "id"), text(screen, "side"), ownTitle(screen, beside: "id")]]
                    + (screen["fields"]?.elements ?? []).map {
                        ["  .\(text($0, "key"))", text($0, "kind"), ownTitle($0, beside: "key")]
                    }
            })
        section("bridges", items("bridges").map { [text($0, "id"), role(of: $0), text($0, "title")] })
        section("events", items("events").map { [text($0, "id"), origin(of: $0), text($0, "title")] })
        section("policies", (json["policies"]?.elements ?? []).compactMap { $0.text.map { [printable($0)] } })
        section("script", items("script").map { [Session.stepTitle($0)] })
        section("checks", items("checks").map { [text($0, "label"), expectation(of: $0)] })
    }

    private func items(_ member: String) -> [JSON] { json[member]?.elements ?? [] }
    private func text(_ json: JSON, _ member: String) -> String { printable(json[member]?.text ?? "") }
    /// The title, unless it only repeats the name.
    private func ownTitle(_ json: JSON, beside name: String) -> String {
        text(json, "title") == text(json, name) ? "" : text(json, "title")
    }
    private func texts(_ json: JSON?) -> [String] {
        json?.elements?.compactMap { $0.text.map(printable) } ?? []
    }

    private func section(_ title: String, _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        session.print("")
        session.print(session.style.paint(title, .bold))
        session.printTable(rows, indent: "  ")
    }

    /// `integer 0…10, at first 3`, or the choices.
    private func kind(of parameter: JSON) -> String {
        var parts = [text(parameter, "kind")]
        if case let choices = texts(parameter["choices"]), !choices.isEmpty {
            parts = [choices.joined(separator: " | ")]
        } else if let minimum = parameter["minimum"]?.scalar, let maximum = parameter["maximum"]?.scalar {
            parts[0] += " \(printable(minimum))…\(printable(maximum))"
        }
        if let initial = parameter["initial"]?.scalar { parts.append("at first \(printable(initial))") }
        return parts.joined(separator: ", ")
    }

    private func role(of bridge: JSON) -> String {
        var parts = ["\(text(bridge, "kind")) on \(text(bridge, "screen"))"]
        if case let inputs = texts(bridge["inputs"]), !inputs.isEmpty {
            parts.append("inputs \(inputs.joined(separator: " "))")
        }
        if bridge["observed"]?.boolean == true { parts.append("observed") }
        if bridge["echo"]?.boolean == true { parts.append("echo") }
        parts += texts(bridge["policies"])
        return parts.joined(separator: ", ")
    }

    private func origin(of event: JSON) -> String {
        let bridge = event["bridge"]?.text.map { " on \(printable($0))" } ?? ""
        let arguments = (event["args"]?.elements ?? []).map { " \(text($0, "id"))=<\(kind(of: $0))>" }
            .joined()
        return text(event, "origin") + bridge + arguments
    }

    private func expectation(of check: JSON) -> String {
        let fields = texts(check["fields"])
        let expected = texts(check["expected"])
        let wishes =
            expected.isEmpty
            ? fields : zip(fields, expected).map { "\($0) \($1)" }
        return "\(text(check, "screen")): \(wishes.joined(separator: ", "))"
    }
}

extension Session {
    /// Rows with their columns aligned; the last column is not filled up.
    func printTable(_ rows: [[String]], indent: String = "") {
        tableLines(rows, indent: indent).forEach { print($0) }
    }
}

/// Rows as lines, in columns.
func tableLines(_ rows: [[String]], indent: String = "") -> [String] {
    var widths: [Int] = []
    for row in rows {
        for (column, cell) in row.enumerated() where column < row.count - 1 {
            if column == widths.count { widths.append(0) }
            widths[column] = max(widths[column], cell.count)
        }
    }
    return rows.map { row in
        let cells = row.enumerated().map { column, cell in
            column < row.count - 1 ? padded(cell, to: widths[column]) : cell
        }
        let line = cells.joined(separator: "  ")
        // A row whose last cells are empty would end in blanks.
        return indent + line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
    }
}
