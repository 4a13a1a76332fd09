internal import SeamWire

/// The manual page seam(1) in the notation of scdoc, from the option table; `make install` formats it.
///
/// The hidden command `__manual` prints it, so that the page cannot fall behind the program.
func printManual(_ session: Session) throws -> Exit {
    session.output.text(Manual().page)
    return .fine
}

private struct Manual {
    private(set) var page = ""

    init() {
        page += "seam(1)\n"
        heading("NAME")
        line("seam - \(Commands.tagline)")
        heading("SYNOPSIS")
        line("*seam* [_options_] _command_ …")
        heading("DESCRIPTION")
        paragraph(Commands.introduction)
        heading("COMMANDS")
        Commands.shown.forEach { add($0) }
        heading("OPTIONS OF EVERY COMMAND")
        Option.global.forEach { add(term: $0.usage, $0.summary) }
        heading("EXIT STATUS")
        Exit.all.forEach { add(term: "\($0.rawValue)", $0.meaning) }
        heading("ENVIRONMENT")
        Commands.environment.forEach { add(term: $0.name, $0.meaning) }
        heading("SEE ALSO")
        line("*seamd*(8), *seam-gate*(8)")
    }

    private mutating func add(_ command: Command) {
        page += "\n## \(plain(command.usage.drop { $0 != " " }.dropFirst()))\n"
        if let form = command.otherForm { paragraph("Or: \(command.name) \(form)") }
        paragraph(command.sentence)
        command.details.forEach { paragraph($0) }
        command.positionals.forEach { add(term: $0.name, $0.summary) }
        command.options.forEach { add(term: $0.usage, $0.summary) }
        for example in command.examples { add(term: example.line, example.says) }
    }

    private mutating func heading(_ title: String) {
        page += "\n# \(title)\n\n"
    }

    private mutating func line(_ text: String) {
        page += text + "\n"
    }

    private mutating func paragraph(_ text: String) {
        page += text.hasPrefix(" ") ? "\n```\n\(text)\n```\n" : "\n\(plain(text))\n"
    }

    private mutating func add(term: String, _ meaning: String) {
        page += "\n*\(plain(term))*\n\t\(plain(meaning))\n"
    }

    /// What scdoc would take for emphasis, as it stands.
    private func plain(_ text: some StringProtocol) -> String {
        String(text.flatMap { "*_\\".contains($0) ? ["\\", $0] : [$0] })
    }
}
