internal import SeamWire

// Help texts, set from the option table.

/// `seam --help`.
func generalHelp() -> String {
    var page = Page()
    page.paragraph("usage: seam [--socket PATH] [--json] [--color WHEN] COMMAND …")
    page.paragraph(Commands.introduction)
    page.section("Commands", Commands.shown.map { ($0.name, $0.summary) })
    page.section("Options of every command", Option.global.map { ($0.usage, $0.summary) })
    page.section("Exit codes", Exit.all.map { ("\($0.rawValue)", $0.meaning) })
    page.section("Examples", Commands.firstSteps)
    page.section("Environment", Commands.environment.map { ($0.name, $0.meaning) })
    page.paragraph("`seam COMMAND --help` tells more of a command.")
    return page.text
}

/// `seam COMMAND --help`.
func help(for command: Command) -> String {
    var page = Page()
    page.paragraph("usage: \(command.usage)")
    for form in command.usages.dropFirst() { page.line("   or: \(form)") }
    page.paragraph(command.sentence)
    command.details.forEach { page.paragraph($0) }
    page.section("Arguments", command.positionals.map { ($0.usage, $0.summary) })
    page.section("Options", command.options.map { ($0.usage, $0.summary) })
    page.section("Options of every command", Option.global.map { ($0.usage, $0.summary) })
    page.section("Exit codes", command.exits.map { ("\($0.rawValue)", $0.meaning) })
    page.section("Examples", command.examples)
    return page.text
}

/// The usage line that follows a usage error.
func usageHint(for command: Command?) -> String {
    guard let command else { return "try 'seam --help'" }
    return "usage: \(command.usages.joined(separator: ", or ")); try 'seam \(command.name) --help'"
}

extension Command {
    /// The summary as a sentence.
    var sentence: String { "\(summary.prefix(1).uppercased())\(summary.dropFirst())." }
}

extension Option {
    /// As it stands in a help text.
    var usage: String {
        let long = value.map { "--\(name) \($0)" } ?? "--\(name)"
        return short.map { "-\($0), \(long)" } ?? long
    }
}

/// Text in lines of at most 80 columns.
private struct Page {
    static let width = 80
    private(set) var text = ""

    /// A paragraph; one that begins with a blank keeps its lines.
    mutating func paragraph(_ words: String) {
        if !text.isEmpty { text += "\n" }
        text += words.hasPrefix(" ") ? words + "\n" : Self.wrap(words, indent: 0)
    }

    mutating func line(_ words: String) { text += words + "\n" }

    mutating func section(_ title: String, _ rows: [(String, String)]) {
        guard !rows.isEmpty else { return }
        text += "\n\(title):\n"
        let column = min(rows.map(\.0.count).max() ?? 0, 24) + 4
        for (name, summary) in rows {
            let start = "  " + name
            // A name too long for its column stands on a line of its own.
            if start.count + 2 > column {
                text += start + "\n" + Self.wrap(summary, indent: column)
            } else {
                text += padded(start, to: column) + Self.wrap(summary, indent: column).drop { $0 == " " }
            }
        }
    }

    mutating func section(_ title: String, _ examples: [Example]) {
        guard !examples.isEmpty else { return }
        text += "\n\(title):\n"
        for example in examples { text += "  \(example.line)\n" + Self.wrap(example.says, indent: 6) }
    }

    private static func wrap(_ words: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in words.split(separator: " ") {
            if !line.isEmpty && indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return (lines + [margin + line]).map { $0 + "\n" }.joined()
    }
}
