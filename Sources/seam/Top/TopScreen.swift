internal import SeamClient
internal import SeamWire

/// The screen of `seam top`: lines for a size, made of the model and a moment. Only what is visible is looked at.
struct TopScreen {
    static let (fewestColumns, fewestRows) = (20, 6)

    let model: TopModel
    let style: Style
    let columns: Int
    let rows: Int
    let now: Moment

    /// Lines above the table, with its header, and below it.
    private static let above = 4
    private static func below(rows: Int) -> Int { rows >= 12 ? 1 : 0 }

    /// How many rows of the table a screen has.
    static func tableHeight(rows: Int) -> Int { max(1, rows - above - below(rows: rows)) }
    /// How many lines of the details.
    static func detailsHeight(rows: Int) -> Int { max(1, rows - 1 - below(rows: rows)) }

    /// Whether the screen is too small for anything but saying so.
    static func isTooSmall(columns: Int, rows: Int) -> Bool {
        columns < fewestColumns || rows < fewestRows
    }

    /// The lines from the top, and where the cursor stands while something is typed.
    func draw() -> (lines: [ScreenLine], cursor: (row: Int, column: Int)?) {
        if Self.isTooSmall(columns: columns, rows: rows) {
            var line = ScreenLine(width: columns)
            line.add("\(columns)x\(rows): too small")
            return ([line], nil)
        }
        switch model.mode {
        case .help: return (help(), nil)
        case .details: return (details(), nil)
        case .table:
            var cursor: (Int, Int)?
            let conditions = conditions(cursor: &cursor)
            var lines = [statusLine(), countsLine(), conditions, headerLine()]
            lines += tableLines()
            if Self.below(rows: rows) > 0 {
                while lines.count < rows - 1 { lines.append(ScreenLine(width: columns)) }
                lines.append(keysLine())
            }
            return (lines, cursor)
        }
    }

    // MARK: Above the table

    private func statusLine() -> ScreenLine {
        var line = ScreenLine(width: columns)
        line.add("seam top", .bold)
        line.add("  ")
        let (word, look) = linkWords
        line.add(cells(word), look)
        if let simulation = model.simulation {
            line.add("  ")
            line.add(cells(simulation), .bold)
            if !model.scenarios.keys.contains(Bytes(simulation)), case .live = model.link {
                line.add(" is not there; waiting for it")
            }
        }
        var facts: [String] = []
        if model.simulation == nil {
            facts.append(
                model.simulationCount == 1 ? "1 simulation" : "\(grouped(model.simulationCount)) simulations")
        }
        facts.append("\(grouped(model.board.count)) field\(model.board.count == 1 ? "" : "s")")
        facts.append("\(grouped(model.rate.perSecond(at: now))) events/s")
        if !model.daemon.isEmpty { facts.append(model.daemon) }
        for fact in facts where fact.count + 2 <= line.left { line.add("  \(fact)") }
        return line
    }

    private var linkWords: (String, Look) {
        switch model.link {
        case .connecting: ("connecting", .dim)
        case .loading(let count):
            ("loading \(grouped(min(model.board.count, count))) of \(grouped(count))", .dim)
        case .live where now - model.heardAt > TopModel.silenceMilliseconds:
            ("the daemon is silent, \(Self.duration(now - model.heardAt))", Look(.red).union(.bold))
        case .live: ("live", Look(.green))
        case .away(let since, let reason):
            ("\(reason); waiting, \(Self.duration(now - since))", Look(.red).union(.bold))
        }
    }

    /// A counter for each verdict, the ones that are filtered for in brackets.
    private func countsLine() -> ScreenLine {
        let isNarrow = columns < 90
        var line = ScreenLine(width: columns)
        for (index, verdict) in Verdict.allCases.enumerated() {
            let count = grouped(model.board.counts[verdict] ?? 0)
            let isChosen = model.board.filter.verdicts.contains(verdict)
            let words =
                isNarrow
                ? "\(verdict.sign(style))\(count)" : "\(verdict.sign(style)) \(verdict.rawValue) \(count)"
            line.add(isChosen ? "[" : " ")
            if !isNarrow { line.add("\(index + 1)", .dim) }
            line.add(words, isChosen ? Look(verdict.color).union(.bold) : Look(verdict.color))
            line.add(isChosen ? "]" : " ")
        }
        return line
    }

    /// What keeps rows from being seen, or the search as it is typed.
    private func conditions(cursor: inout (Int, Int)?) -> ScreenLine {
        var line = ScreenLine(width: columns)
        let filter = model.board.filter
        let typed = cells(filter.search)
        if model.isTyping {
            line.add("/", .bold)
            // The end is where it grows.
            line.add(Excerpt(typed, columns: max(1, columns - 2), showing: typed.count - 1).cells)
            cursor = (2, line.columns)
            let hidden = hiddenWords
            if !hidden.isEmpty, hidden.count + 3 <= line.left {
                line.add("   \(hidden)", .dim)
            }
            return line
        }
        var parts: [([Cell], Look)] = []
        if model.isPaused { parts.append((cells("paused, +\(grouped(model.heldBack))"), [.bold, .reverse])) }
        if !hiddenWords.isEmpty { parts.append((cells(hiddenWords), .bold)) }
        if !filter.verdicts.isEmpty {
            let words = Verdict.allCases.filter(filter.verdicts.contains).map(\.rawValue)
            let only =
                filter.verdicts == RowFilter.wrong
                ? "only what is wrong" : "only \(words.joined(separator: ", "))"
            parts.append((cells(only), []))
        }
        if !filter.search.isEmpty { parts.append((cells("/") + typed, [])) }
        if let notice = model.shownNotice(now) { parts.append((cells(notice), .dim)) }
        for (index, part) in parts.enumerated() {
            if index > 0 { line.add("  ") }
            line.add(excerpt(part.0, line.left), part.1)
        }
        return line
    }

    private var hiddenWords: String {
        let hidden = model.board.hiddenCount
        return hidden == 0 ? "" : "\(grouped(hidden)) hidden by filter"
    }

    // MARK: The table

    private struct Column {
        let key: RowOrder.Key
        let title: String
        let width: Int
    }

    /// Columns with their widths: as wide as what they have held when there is room, else the widest ones give way.
    private var layout: [Column] {
        let verdict = columns >= 60 ? 14 : 10
        let age = columns >= 50 ? 5 : 0
        // In a narrow window the parts of a name share a column.
        var keys: [RowOrder.Key] =
            columns < 80
            ? [.field] : model.simulation == nil ? [.simulation, .screen, .field] : [.screen, .field]
        keys += [.verdict, .model, .shown] + (age > 0 ? [.age] : [])
        func held(_ key: RowOrder.Key) -> Int { model.widths[key] ?? 0 }
        let isOneName = columns < 80
        var widths = keys.map { key in
            switch key {
            case .verdict: verdict
            case .age: age
            case .field where isOneName:
                held(.field) + held(.screen) + (model.simulation == nil ? held(.simulation) + 2 : 1)
            default: max(held(key), Self.title(key).count + 1)
            }
        }
        // What is left for the others between the margin and the gaps.
        let flexible = keys.indices.filter { keys[$0] != .verdict && keys[$0] != .age }
        var excess = widths.reduce(0, +) + keys.count - 1 + 2 - columns
        while excess > 0 {
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 else {
                break
            }
            widths[widest] -= 1
            excess -= 1
        }
        // And what is too much, for both values alike.
        for (index, key) in keys.enumerated() where excess < 0 {
            if key == .model { widths[index] -= excess / 2 }
            if key == .shown { widths[index] -= excess - excess / 2 }
        }
        return zip(keys, widths).map { Column(key: $0, title: Self.title($0), width: $1) }
    }

    private static func title(_ key: RowOrder.Key) -> String { key.rawValue.uppercased() }

    private func headerLine() -> ScreenLine {
        var line = ScreenLine(width: columns)
        line.add("  ", .underline)
        let order = model.board.order
        let layout = layout
        for (index, column) in layout.enumerated() {
            if index > 0 { line.add(" ", .underline) }
            let end = line.columns + column.width
            // The order by simulation is that of whole names, whichever columns they are shown in.
            let isOrder =
                column.key == order.key
                || (index == 0 && !layout.contains { $0.key == order.key })
            let mark =
                !isOrder
                ? "" : style.hasUnicode ? (order.isReversed ? "▾" : "▴") : order.isReversed ? "v" : "^"
            line.add(
                Array(cells(column.title).prefix(max(0, column.width - 1))) + cells(mark),
                [.bold, .underline])
            line.fill(to: end, .underline)
        }
        line.fill(to: columns, .underline)
        return line
    }

    private func tableLines() -> [ScreenLine] {
        let board = model.board
        let height = Self.tableHeight(rows: rows)
        guard let position = model.position else { return emptyLines(height) }
        let layout = layout
        return board.seenRows(from: model.top, count: height).enumerated().compactMap { index, number in
            board.row(number).map { rowLine($0, layout, isSelected: model.top + index == position) }
        }
    }

    private func emptyLines(_ height: Int) -> [ScreenLine] {
        let text: String
        if model.board.count > 0 {
            text = "no field passes the filter; Esc takes it away"
        } else if case .live = model.link {
            text = "no field yet; try: seam create lessons.hosting-unassigned"
        } else {
            text = ""
        }
        var line = ScreenLine(width: columns)
        line.add("  ")
        line.add(excerpt(cells(text), line.left), .dim)
        return height > 1 ? [ScreenLine(width: columns), line] : [line]
    }

    private func rowLine(_ row: Row, _ layout: [Column], isSelected: Bool) -> ScreenLine {
        var line = ScreenLine(width: columns)
        line.add(isSelected ? "> " : "  ")
        let parts = row.parts
        let values = ValuePair(row, style)
        let isOneName = !layout.contains { $0.key == .screen }
        for (index, column) in layout.enumerated() {
            if index > 0 { line.add(" ") }
            let end = line.columns + column.width
            switch column.key {
            case .simulation: line.add(excerpt(cells(String(parts.simulation)), column.width))
            case .screen: line.add(excerpt(cells(String(parts.screen)), column.width))
            case .field where isOneName:
                // The end of a name says more than its beginning.
                let name = cells(model.simulation == nil ? row.name : "\(parts.screen).\(parts.field)")
                addExcerpt(Excerpt(name, columns: column.width, showing: name.count - 1), to: &line)
            case .field: line.add(excerpt(cells(String(parts.field)), column.width))
            case .verdict:
                line.add(
                    excerpt(cells("\(row.verdict.sign(style)) \(row.verdict.rawValue)"), column.width),
                    Look(row.verdict.color))
            case .model: add(values.model, values.difference, column.width, to: &line)
            case .shown: add(values.shown, values.difference, column.width, to: &line)
            case .age:
                let age = Self.duration(model.shownMoment(now) - row.moment)
                // Found as it is: then it is at least that old.
                let words = row.wasFound ? ">\(age)" : age
                line.fill(to: end - words.count)
                line.add(words, .dim)
            }
            line.fill(to: end)
        }
        if isSelected { line.select() }
        return line
    }

    /// A value with the first place at which the two differ marked, and in sight.
    private func add(_ value: [Cell], _ difference: Int?, _ width: Int, to line: inout ScreenLine) {
        let excerpt = Excerpt(
            value, columns: width, showing: difference.flatMap { $0 < value.count ? $0 : nil })
        addExcerpt(excerpt, marking: difference, to: &line)
    }

    private func addExcerpt(_ excerpt: Excerpt, marking place: Int? = nil, to line: inout ScreenLine) {
        let cut = style.hasUnicode ? "…" : "~"
        if excerpt.isCutBefore { line.add(cut, .dim) }
        if let place, excerpt.cells.indices.contains(place) {
            line.add(excerpt.cells[..<place])
            line.add([excerpt.cells[place]], [.bold, .underline])
            line.add(excerpt.cells[(place + 1)...])
        } else {
            line.add(excerpt.cells)
        }
        if excerpt.isCutBehind { line.add(cut, .dim) }
    }

    // MARK: Below it, and instead of it

    private func keysLine() -> ScreenLine {
        var line = ScreenLine(width: columns)
        let keys =
            model.isTyping
            ? [("Enter", "keep"), ("Esc", "as before"), ("Ctrl-U", "empty")]
            : model.mode == .details
                ? [("Esc", "back"), ("j k", "scroll"), ("space", "pause"), ("?", "help"), ("q", "quit")]
                : [
                    ("?", "help"), ("q", "quit"), ("!", "only wrong"), ("/", "search"), ("space", "pause"),
                    ("Enter", "details"), ("< >", "sort"), ("r", "reverse"),
                ]
        for (key, meaning) in keys where key.count + meaning.count + 3 <= line.left {
            line.add(" \(key)", .bold)
            line.add(" \(meaning) ")
        }
        return line
    }

    /// The keys, for the sheet on the screen, the help text and the manual.
    static let keys: [(keys: String, meaning: String)] = [
        ("j k, arrows", "next and previous row; Ctrl-F Ctrl-B: a page"),
        ("g G, Home End", "first and last row"),
        ("Enter", "details: why, which calls, what happened; Esc: back"),
        ("!", "only stale, missing and leftover; again: all"),
        ("1 to 5", "this verdict, or no longer; m s i l o do the same"),
        ("0, a", "every verdict"),
        ("/", "search names and values; with a * the whole name"),
        ("Esc", "without the search, then without the verdicts"),
        ("space", "pause: nothing moves, nothing is lost; again: go on"),
        ("< >, arrows", "sort by the column before or behind"),
        ("S C F V M W A", "sort by a column: simulation, sCreen, field, …, shoWn"),
        ("r", "sort the other way round"),
        ("Ctrl-L", "draw the screen anew"),
        ("q, Ctrl-C", "quit"),
    ]

    private func help() -> [ScreenLine] {
        var lines: [ScreenLine] = []
        var title = ScreenLine(width: columns)
        title.add("seam top: keys", .bold)
        lines.append(title)
        let column = columns >= 60 ? 20 : 4
        for (keys, meaning) in Self.keys {
            var line = ScreenLine(width: columns)
            line.add("  ")
            line.add(cells(keys), .bold)
            if column > 4 { line.fill(to: column) } else { lines.append(line) }
            let wrapped = Self.wrapped(cells(meaning), columns - column)
            for (index, part) in wrapped.enumerated() {
                if index > 0 || column == 4 { line = ScreenLine(width: columns) }
                line.fill(to: column)
                line.add(part)
                lines.append(line)
            }
        }
        return Array(lines.prefix(rows))
    }

    private func details() -> [ScreenLine] {
        let all = TopDetails(model: model, style: style, columns: columns, now: now).lines()
        var lines = [statusLine()]
        lines += all.dropFirst(model.detailsTop).prefix(Self.detailsHeight(rows: rows))
        if Self.below(rows: rows) > 0 {
            while lines.count < rows - 1 { lines.append(ScreenLine(width: columns)) }
            lines.append(keysLine())
        }
        return lines
    }

    // MARK: Words

    private func cells(_ text: String) -> [Cell] { Cell.cells(text, hasUnicode: style.hasUnicode) }

    private func excerpt(_ cells: [Cell], _ width: Int) -> [Cell] {
        let excerpt = Excerpt(cells, columns: max(0, width), showing: nil)
        let cut = Cell(text: style.hasUnicode ? "…" : "~", columns: 1)
        return excerpt.isCutBehind ? excerpt.cells + [cut] : Array(excerpt.cells)
    }

    /// 7s, 12m, 3h, 2d.
    static func duration(_ milliseconds: Int) -> String {
        let seconds = max(0, milliseconds) / 1000
        if seconds < 100 { return "\(seconds)s" }
        if seconds < 100 * 60 { return "\(seconds / 60)m" }
        if seconds < 48 * 3600 { return "\(seconds / 3600)h" }
        return "\(seconds / 86400)d"
    }

    /// Cells in lines, divided at blanks where there are any; an indent is that of every line.
    static func wrapped(_ cells: [Cell], _ width: Int) -> [[Cell]] {
        let indent = cells.prefix { $0.text == " " }
        if !indent.isEmpty && indent.count < width / 2 && cells.columns > width {
            return wrapped(Array(cells[indent.count...]), width - indent.count).map { Array(indent) + $0 }
        }
        var lines: [[Cell]] = []
        var rest = cells[...]
        while rest.columns > width {
            var end = rest.startIndex
            var used = 0
            var blank: Int?
            while end < rest.endIndex, used + rest[end].columns <= width {
                used += rest[end].columns
                if rest[end].text == " " { blank = end }
                end += 1
            }
            // A blank right behind the edge divides as well.
            if end < rest.endIndex, rest[end].text == " " { blank = end }
            if end == rest.startIndex { end += 1 }
            if let blank, blank > rest.startIndex {
                lines.append(Array(rest[..<blank]))
                rest = rest[(blank + 1)...]
            } else {
                lines.append(Array(rest[..<end]))
                rest = rest[end...]
            }
        }
        if !rest.isEmpty || lines.isEmpty { lines.append(Array(rest)) }
        return lines
    }
}

/// Digits in groups of three.
func grouped(_ number: Int) -> String {
    let digits = Array(String(number))
    guard digits.count > 4 else { return String(digits) }
    return String(
        digits.enumerated().flatMap { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
        })
}

/// Both values of a row in cells, and where they part.
struct ValuePair {
    let model: [Cell]
    let shown: [Cell]
    /// The first cell that is another; nil when none is, or one side has no value.
    let difference: Int?

    init(_ row: Row, _ style: Style) {
        model = Self.cells(row.model, style)
        shown = Self.cells(row.shown, style)
        guard row.verdict != .matching, row.model.text != nil, row.shown.text != nil else {
            difference = nil
            return
        }
        let same = zip(model, shown).prefix { $0 == $1 }.count
        difference = same < max(model.count, shown.count) ? same : nil
    }

    /// None is a dash, the empty text a pair of quotes, and a value that was cut says how long it is.
    private static func cells(_ value: ShownValue, _ style: Style) -> [Cell] {
        guard let text = value.text else { return [Cell(text: "-", columns: 1)] }
        if text.isEmpty { return Cell.cells("\"\"", hasUnicode: style.hasUnicode) }
        var cells = Cell.cells(text, hasUnicode: style.hasUnicode)
        if let bytes = value.bytes {
            cells += Cell.cells("… (\(bytes) bytes)", hasUnicode: style.hasUnicode)
        }
        return cells
    }
}
