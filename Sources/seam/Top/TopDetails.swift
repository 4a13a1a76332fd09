internal import SeamClient
internal import SeamWire

/// Everything of one row: what it is, why, and what happened to it.
struct TopDetails {
    let model: TopModel
    let style: Style
    let columns: Int
    let now: Moment

    /// All lines; the screen shows a part of them.
    func lines() -> [ScreenLine] {
        guard let row = model.selectedRow else { return plain("the field is gone; Esc goes back", .bold) }
        var lines = plain(row.name, .bold)
        let age = TopScreen.duration(model.shownMoment(now) - row.moment)
        lines += plain(
            "\(row.verdict.sign(style)) \(row.verdict.rawValue), "
                + (row.wasFound ? "for \(age) or longer" : "changed \(age) ago") + ", seq \(row.seq)",
            Look(row.verdict.color))
        lines += values(row)
        lines += explanation(row)
        lines += history(row)
        lines += diagnostics(row)
        return lines
    }

    private func values(_ row: Row) -> [ScreenLine] {
        let pair = ValuePair(row, style)
        var lines = value("model", pair.model, pair.difference) + value("shown", pair.shown, pair.difference)
        if let difference = pair.difference {
            lines += plain("       they part at character \(difference + 1)", .dim)
        }
        let scenario = model.scenarios[Bytes(String(row.parts.simulation))] ?? ""
        if !scenario.isEmpty { lines += plain("of the scenario \(scenario)", .dim) }
        return lines
    }

    private func value(_ title: String, _ value: [Cell], _ difference: Int?) -> [ScreenLine] {
        let indent = 7
        let width = max(1, columns - indent)
        var lines: [ScreenLine] = []
        var at = 0
        while at < value.count {
            var line = ScreenLine(width: columns)
            if at == 0 { line.add(title, .bold) }
            line.fill(to: indent)
            var used = 0
            let start = at
            while at < value.count, at == start || used + value[at].columns <= width {
                used += value[at].columns
                line.add([value[at]], at == difference ? [.bold, .underline] : [])
                at += 1
            }
            lines.append(line)
        }
        return lines
    }

    private func explanation(_ row: Row) -> [ScreenLine] {
        var lines = heading(model.isPaused ? "Why, as it is now" : "Why")
        switch model.explanation(of: row) {
        case .success(let json):
            lines += plain("  \(json["sentence"]?.text ?? "")")
            for line in explanationLines(json) { lines += plain(line) }
        case .failure(let refusal): lines += plain("  \(refusal.text)")
        case nil:
            if case .away = model.link {
                lines += plain("  the daemon is away, and nobody else knows", .dim)
            } else {
                lines += plain("  asking the daemon", .dim)
            }
        }
        return lines
    }

    private func history(_ row: Row) -> [ScreenLine] {
        var lines = heading("History")
        let moment = model.shownMoment(now)
        for change in row.changes.reversed() {
            let verdicts =
                change.from == change.to
                ? "\(change.to.sign(style)) \(change.to.rawValue)"
                : "\(change.from.sign(style)) \(change.from.rawValue) -> \(change.to.sign(style)) \(change.to.rawValue)"
            lines += plain(
                "  \(TopScreen.duration(moment - change.moment)) ago  seq \(change.seq)  \(verdicts)  "
                    + "model=\(text(change.model)) shown=\(text(change.shown))")
        }
        lines += plain(
            row.changes.count == Row.mostChanges
                ? "  what came before is not kept"
                : row.changes.isEmpty
                    ? "  no change since this began to look" : "  before that, this was not looking yet", .dim
        )
        return lines
    }

    private func diagnostics(_ row: Row) -> [ScreenLine] {
        let found = model.diagnostics(of: row)
        if found.isEmpty { return [] }
        let moment = model.shownMoment(now)
        var lines = heading("Diagnostics")
        for diagnostic in found.prefix(20) {
            lines += plain(
                "  \(TopScreen.duration(moment - diagnostic.moment)) ago  \(diagnostic.severity)  "
                    + "\(diagnostic.code): \(diagnostic.text)")
        }
        return lines
    }

    private func text(_ value: ShownValue) -> String {
        guard let text = value.text else { return "-" }
        return text.isEmpty ? "\"\"" : text + (value.bytes.map { "… (\($0) bytes)" } ?? "")
    }

    private func heading(_ text: String) -> [ScreenLine] { [ScreenLine(width: columns)] + plain(text, .bold) }

    private func plain(_ text: String, _ look: Look = []) -> [ScreenLine] {
        TopScreen.wrapped(Cell.cells(text, hasUnicode: style.hasUnicode), columns).map { part in
            var line = ScreenLine(width: columns)
            line.add(part, look)
            return line
        }
    }
}
