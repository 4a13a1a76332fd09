internal import SeamClient
internal import SeamWire

/// All that `seam top` is about: what came from the daemon, what of it is shown, and what keys do to that. A value, which
/// knows neither the terminal nor the connection.
struct TopModel {
    /// How it stands with the daemon.
    enum Link: Equatable {
        case connecting
        /// The snapshot is coming.
        case loading(of: Int)
        case live
        case away(since: Moment, reason: String)
    }

    enum Mode: Equatable { case table, details, help }

    /// What a key asks of the program around the model.
    enum Effect: Equatable { case nothing, redraw, quit }

    enum Key: Equatable {
        case character(Unicode.Scalar)
        case up, down, left, right, pageUp, pageDown, home, end, enter, backspace, escape, other
    }

    struct Diagnostic {
        let moment: Moment
        let simulation: String
        /// `Screen.field` when it is about one.
        let field: String?
        let severity: String
        let code: String
        let text: String
    }

    static let mostDiagnostics = 1000

    /// The simulation that is watched; nil for all.
    let simulation: String?

    // MARK: What came

    private var live = Board()
    /// What is shown while paused, as it was when that began.
    private var frozen: Board?
    private var pausedAt: Moment?
    /// What has come since the pause began.
    private(set) var heldBack = 0
    private(set) var scenarios: [Bytes: String] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var link = Link.connecting
    private(set) var rate = Rate()
    /// When the daemon was last heard of. It says something every five seconds, if only that it is there.
    private(set) var heardAt: Moment = 0
    /// After so long it is stuck, or stopped.
    static let silenceMilliseconds = 12_000
    /// The daemon, as it names itself.
    var daemon = ""
    /// What the person should know of the stream: a restart, a gap.
    private(set) var notice: String?
    private var noticeAt: Moment = 0
    private static let noticeMilliseconds = 15_000

    // MARK: What is looked at

    private(set) var mode = Mode.table
    /// The first row of the table that is on the screen, and the first line of the details.
    private(set) var top = 0
    private(set) var detailsTop = 0
    /// While the search is typed: what it was before.
    private(set) var searchBefore: String?
    /// nil is the first row, whichever that is.
    private var selectedName: String?
    private var lastPosition = 0
    /// How wide each column's texts have been: it grows with what it has held, so that a live table stays aligned.
    private(set) var widths: [RowOrder.Key: Int] = [:]
    /// `sim.explain`, or why there is none, of the row that it names.
    private var explanation: (name: String, result: Result<JSON, Refusal>)?

    struct Refusal: Error { let text: String }

    init(simulation: String?, verdicts: Set<Verdict>) {
        self.simulation = simulation
        var filter = RowFilter()
        filter.verdicts = verdicts
        live.show(filter)
    }

    var board: Board { frozen ?? live }
    var isPaused: Bool { frozen != nil }
    var isTyping: Bool { searchBefore != nil }
    var simulationCount: Int { scenarios.count }

    /// The moment that is shown: while paused, that of the pause.
    func shownMoment(_ now: Moment) -> Moment { pausedAt ?? now }
    func shownNotice(_ now: Moment) -> String? {
        now - noticeAt < Self.noticeMilliseconds ? notice : nil
    }

    // MARK: From the daemon

    mutating func connected() { link = .connecting }

    mutating func lost(_ reason: String, at now: Moment) {
        if case .away(let since, _) = link {
            link = .away(since: since, reason: reason)
        } else {
            link = .away(since: now, reason: reason)
        }
    }

    /// A snapshot of so many fields follows. What was known goes, since nobody saw what happened meanwhile.
    mutating func beginAnew(fields: Int, isRestart: Bool, at now: Moment) {
        if live.count > 0 || !scenarios.isEmpty {
            tell(
                isRestart
                    ? "the daemon was restarted: this is its new state"
                    : "the history is gone: a new snapshot, what happened since is not known", at: now)
        }
        live.removeAll()
        scenarios = [:]
        link = .loading(of: fields)
    }

    mutating func resumed(at now: Moment) {
        link = .live
        heardAt = now
        tell("resumed, nothing was missed", at: now)
    }

    mutating func tell(_ text: String, at now: Moment) {
        notice = text
        noticeAt = now
    }

    /// The simulations that there are.
    mutating func listed(_ simulations: [JSON]) {
        for item in simulations {
            guard let id = item["sim"]?.text, isWatched(id) else { continue }
            scenarios[Bytes(id)] = item["scenario"]?.text ?? ""
        }
    }

    mutating func take(_ event: Event, at now: Moment) {
        let params = event.params
        heardAt = now
        guard let kind = event.kind else { return }
        switch kind {
        case .sync: link = .live
        case .mark, .end: return
        case .lag:
            let number = (params["collapsed"] ?? params["lost"])?.scalar ?? "some"
            tell(
                params["lost"] == nil
                    ? "this terminal was slow: \(number) changes became the newest of each field"
                    : "this terminal was slow: \(number) lines are lost", at: now)
        case .state, .verdict:
            guard let sim = params["sim"]?.text, let screen = params["screen"]?.text,
                let field = params["field"]?.text,
                let verdict = params[kind == .state ? "verdict" : "to"]?.text.flatMap(Verdict.init)
            else { return }
            live.set(
                "\(sim)/\(screen).\(field)", verdict, model: ShownValue(params, "model"),
                shown: ShownValue(params, "shown"), seq: params["seq"]?.unsigned ?? 0, at: now,
                isChange: kind == .verdict)
        case .diagnostic:
            let screen = params["screen"]?.text
            diagnostics.append(
                Diagnostic(
                    moment: now, simulation: params["sim"]?.text ?? "?",
                    field: screen.flatMap { screen in params["field"]?.text.map { "\(screen).\($0)" } },
                    severity: params["severity"]?.text ?? "?", code: params["code"]?.text ?? "?",
                    text: params["text"]?.text ?? ""))
            if diagnostics.count > 2 * Self.mostDiagnostics {
                diagnostics.removeFirst(diagnostics.count - Self.mostDiagnostics)
            }
        case .sim:
            guard let id = params["sim"]?.text, isWatched(id) else { return }
            if params["what"]?.text == "destroyed" {
                scenarios[Bytes(id)] = nil
                live.removeSimulation(id)
            } else {
                scenarios[Bytes(id)] = params["scenario"]?.text ?? ""
            }
        }
        if kind == .verdict || kind == .diagnostic || kind == .sim {
            // What a snapshot names has not just happened.
            if kind != .sim || params["what"]?.text != "exists" { rate.count(at: now) }
            if isPaused { heldBack += 1 }
        }
    }

    private func isWatched(_ id: String) -> Bool {
        simulation.map { Bytes($0) == Bytes(id) } ?? true
    }

    mutating func explained(_ name: String, _ result: Result<JSON, Refusal>) {
        explanation = (name, result)
    }

    /// What the daemon says of a row; nil while it has not said anything.
    func explanation(of row: Row) -> Result<JSON, Refusal>? {
        guard let explanation, Bytes(explanation.name) == Bytes(row.name) else { return nil }
        return explanation.result
    }

    /// Diagnostics that name the row, and those of its simulation that name no field, the newest first.
    func diagnostics(of row: Row) -> [Diagnostic] {
        let parts = row.parts
        let field = "\(parts.screen).\(parts.field)"
        return diagnostics.reversed().filter { diagnostic in
            Bytes(diagnostic.simulation) == Bytes(String(parts.simulation))
                && (diagnostic.field.map { Bytes($0) == Bytes(field) } ?? true)
        }
    }

    // MARK: The selected row

    /// Where it stands; nil when there is no row.
    var position: Int? {
        let board = board
        guard board.seenCount > 0 else { return nil }
        guard let selectedName else { return 0 }
        return board.number(of: selectedName).flatMap(board.position)
            ?? min(lastPosition, board.seenCount - 1)
    }

    var selectedRow: Row? {
        if mode == .details, let selectedName {
            // Whatever the filter: who looks at a row that comes to match does not lose it.
            return board.number(of: selectedName).flatMap(board.row)
        }
        return position.flatMap { board.seenRows(from: $0, count: 1).first }.flatMap(board.row)
    }

    /// Sees to it that the selected row is on the screen, which has so many, and that the columns suit what it shows.
    mutating func settle(height: Int) {
        let height = max(1, height)
        defer { measure(height) }
        guard let position else {
            top = 0
            return
        }
        lastPosition = position
        if position < top { top = position }
        if position >= top + height { top = position - height + 1 }
        top = max(0, min(top, board.seenCount - height))
    }

    private mutating func measure(_ height: Int) {
        let board = board
        for row in board.seenRows(from: top, count: height).compactMap(board.row) {
            let parts = row.parts
            for (key, text) in [
                (.simulation, parts.simulation), (.screen, parts.screen), (.field, parts.field),
                (.model, Substring(row.model.text ?? "")), (.shown, Substring(row.shown.text ?? "")),
            ] as [(RowOrder.Key, Substring)] {
                // Wide characters and escapes take more; a column is never made for one value that is a whole page.
                let width = min(
                    Self.widest, Cell.cells(String(text.prefix(Self.widest)), hasUnicode: true).columns)
                widths[key] = max(widths[key] ?? 0, width)
            }
        }
    }

    private static let widest = 40

    private mutating func select(position: Int) {
        let board = board
        let place = max(0, min(position, board.seenCount - 1))
        selectedName = board.seenRows(from: place, count: 1).first.flatMap(board.row)?.name
        lastPosition = place
    }

    // MARK: Keys

    /// `page` is how many rows are on the screen.
    mutating func press(_ key: Key, page: Int, at now: Moment) -> Effect {
        if isTyping { return type(key) }
        switch key {
        case .character("q"): return .quit
        case .character("\u{c}"): return .redraw
        case .character(" "):
            mode == .help ? mode = .table : togglePause(now)
        default:
            switch mode {
            case .help: mode = .table
            case .details: pressInDetails(key, page: page)
            case .table: pressInTable(key, page: page)
            }
        }
        return .nothing
    }

    private mutating func pressInDetails(_ key: Key, page: Int) {
        switch key {
        case .escape, .enter, .backspace, .left: mode = .table
        case .character("?"): mode = .help
        case .up, .character("k"): detailsTop -= 1
        case .down, .character("j"): detailsTop += 1
        case .pageUp, .character("\u{2}"): detailsTop -= page
        case .pageDown, .character("\u{6}"): detailsTop += page
        case .character("\u{15}"): detailsTop -= page / 2
        case .character("\u{4}"): detailsTop += page / 2
        case .home, .character("g"): detailsTop = 0
        case .end, .character("G"): detailsTop = .max / 2
        default: break
        }
        detailsTop = max(0, detailsTop)
    }

    /// Sees to it that the details do not run out of the screen.
    mutating func settleDetails(lines: Int, height: Int) {
        detailsTop = max(0, min(detailsTop, lines - height))
    }

    private mutating func pressInTable(_ key: Key, page: Int) {
        let position = position ?? 0
        switch key {
        case .up, .character("k"): select(position: position - 1)
        case .down, .character("j"): select(position: position + 1)
        case .pageUp, .character("\u{2}"): select(position: position - page)
        case .pageDown, .character("\u{6}"): select(position: position + page)
        case .character("\u{15}"): select(position: position - page / 2)
        case .character("\u{4}"): select(position: position + page / 2)
        case .home, .character("g"):
            selectedName = nil
            lastPosition = 0
        case .end, .character("G"): select(position: .max)
        case .enter:
            guard board.seenCount > 0 else { break }
            select(position: position)
            detailsTop = 0
            mode = .details
        case .escape:
            var filter = board.filter
            if filter.search.isEmpty { filter.verdicts = [] } else { filter.search = "" }
            show(filter)
        case .left: sort(step: -1)
        case .right: sort(step: 1)
        case .character(let scalar): pressInTable(scalar)
        case .backspace, .other: break
        }
    }

    private static let verdictKeys: [Unicode.Scalar: Verdict] = [
        "1": .matching, "2": .stale, "3": .missing, "4": .leftover, "5": .outOfScope,
        "m": .matching, "s": .stale, "i": .missing, "l": .leftover, "o": .outOfScope,
    ]
    private static let orderKeys: [Unicode.Scalar: RowOrder.Key] = [
        "S": .simulation, "C": .screen, "F": .field, "V": .verdict, "M": .model, "W": .shown, "A": .age,
    ]

    private mutating func pressInTable(_ scalar: Unicode.Scalar) {
        var filter = board.filter
        if let verdict = Self.verdictKeys[scalar] {
            filter.verdicts.formSymmetricDifference([verdict])
            // All of them is none of them.
            if filter.verdicts.count == Verdict.allCases.count { filter.verdicts = [] }
            show(filter)
            return
        }
        if let key = Self.orderKeys[scalar] {
            sort(by: key)
            return
        }
        switch scalar {
        case "!":
            filter.verdicts = filter.verdicts == RowFilter.wrong ? [] : RowFilter.wrong
            show(filter)
        case "0", "a":
            filter.verdicts = []
            show(filter)
        case "/": searchBefore = filter.search
        case "<": sort(step: -1)
        case ">": sort(step: 1)
        case "r": sort(by: board.order.key)
        case "?": mode = .help
        default: break
        }
    }

    private mutating func type(_ key: Key) -> Effect {
        var filter = board.filter
        switch key {
        case .enter: searchBefore = nil
        case .escape:
            filter.search = searchBefore ?? ""
            searchBefore = nil
        case .backspace:
            if filter.search.isEmpty { searchBefore = nil } else { filter.search.removeLast() }
        case .character("\u{15}"): filter.search = ""
        case .character(let scalar) where scalar.properties.generalCategory != .control:
            filter.search.unicodeScalars.append(scalar)
        case .up, .down, .pageUp, .pageDown, .home, .end:
            // The list can be moved in while its filter is being typed.
            pressInTable(key, page: 1)
        default: break
        }
        show(filter)
        return .nothing
    }

    private mutating func show(_ filter: RowFilter) {
        frozen?.show(filter)
        live.show(filter)
    }

    /// By this key; the other way round when it is by it already.
    private mutating func sort(by key: RowOrder.Key) {
        var order = board.order
        if order.key == key { order.isReversed.toggle() } else { order = RowOrder(key: key) }
        frozen?.sort(by: order)
        live.sort(by: order)
    }

    private mutating func sort(step: Int) {
        let keys = RowOrder.Key.allCases.filter { simulation == nil || $0 != .simulation }
        let at = keys.firstIndex(of: board.order.key) ?? 0
        let next = at + step
        if keys.indices.contains(next) { sort(by: keys[next]) }
    }

    private mutating func togglePause(_ now: Moment) {
        if frozen == nil {
            frozen = live
            pausedAt = now
        } else {
            frozen = nil
            pausedAt = nil
        }
        heldBack = 0
    }
}

/// How many events a second, over the last few.
struct Rate {
    private static let window = 3
    private var counts = [Int](repeating: 0, count: window + 1)
    private var second = 0
    private var first: Int?

    mutating func count(at now: Moment) {
        advance(to: now / 1000)
        if first == nil { first = second }
        counts[second % counts.count] += 1
    }

    private mutating func advance(to now: Int) {
        guard now > second else { return }
        for passed in (second + 1)...max(second + 1, min(now, second + counts.count)) {
            counts[passed % counts.count] = 0
        }
        if now - second > counts.count { counts = [Int](repeating: 0, count: counts.count) }
        second = now
    }

    /// Of the whole seconds before this one.
    func perSecond(at now: Moment) -> Int {
        var rate = self
        rate.advance(to: now / 1000)
        let seconds = min(Self.window, max(1, rate.second - (rate.first ?? rate.second)))
        let all = rate.counts.reduce(0, +) - rate.counts[rate.second % rate.counts.count]
        return (all + seconds / 2) / seconds
    }
}
