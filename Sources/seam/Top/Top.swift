internal import CCurses
internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam top`: every field with its verdict, live, at the terminal.
func top(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    if session.printsJSON {
        throw UsageFailure(
            message:
                "top draws on a terminal and prints nothing; for lines of JSON there is seam watch --json",
            command: arguments.command)
    }
    let watch =
        "for lines instead: seam watch\(arguments.optionalWord("SIM").map { " \(shellQuoted($0))" } ?? "")"
    func needsTerminal(_ why: String) -> Exit {
        session.note("top needs a terminal that it can draw on, and \(why); \(watch)")
        return .usage
    }
    for (descriptor, name) in [(STDOUT_FILENO, "standard output"), (STDIN_FILENO, "standard input")]
    where isatty(descriptor) == 0 {
        return needsTerminal("\(name) is none")
    }
    let type = Environment.value("TERM") ?? ""
    if type.isEmpty { return needsTerminal("TERM does not say what this one is") }
    if type == "dumb" { return needsTerminal("TERM=dumb says that this one can print and no more") }

    let simulation = arguments.optionalWord("SIM")
    let client = try session.connect()
    // A name that was mistyped would be waited for without end.
    if let simulation {
        _ = try session.call(client, "sim.get", JSON.texts([("sim", simulation)]).adding("limit", 1))
    }

    var style = session.style
    style.hasUnicode = ccurses_locale() == 1
    switch Int(ccurses_open(style.hasColors ? 1 : 0)) {
    case 0: break
    case CCURSES_POOR_TERMINAL: return needsTerminal("TERM=\(type) can print and no more")
    default: return needsTerminal("this system does not know TERM=\(type)")
    }
    let ending: TopProgram.Ending
    do {
        defer { ccurses_close() }
        var program = TopProgram(
            session, client, style, verdicts: chosenVerdicts(arguments.value(.onlyVerdicts)))
        ending = try program.run()
    }
    switch ending {
    case .quit: return .fine
    // Ctrl-C is how some people quit; other signals end it as they end any program.
    case .signal(SIGINT): return .fine
    case .signal(let number): session.end(bySignal: number)
    }
}

private func chosenVerdicts(_ words: String?) -> Set<Verdict> {
    Set(
        (words ?? "").split(separator: ",").flatMap { word in
            word == "wrong" ? Array(RowFilter.wrong) : Verdict(rawValue: String(word)).map { [$0] } ?? []
        })
}

/// The loop: what comes from the daemon and from the keyboard goes into the model, and the model onto the screen.
private struct TopProgram {
    enum Ending { case quit, signal(CInt) }

    /// No more pictures a second than eyes can use; a key is answered at once.
    private static let drawEvery = Duration.milliseconds(70)

    private let feed: TopFeed
    private let style: Style
    private let start = ContinuousClock.now
    private var model: TopModel

    init(_ session: Session, _ client: Client, _ style: Style, verdicts: Set<Verdict>) {
        let simulation = session.arguments.optionalWord("SIM")
        feed = TopFeed(session, client, simulation: simulation)
        model = TopModel(simulation: simulation, verdicts: verdicts)
        self.style = style
    }

    private var now: Moment { Int((ContinuousClock.now - start) / .milliseconds(1)) }

    mutating func run() throws -> Ending {
        var isDirty = true
        var nextDraw = ContinuousClock.now
        while true {
            if isDirty && nextDraw <= .now {
                // A terminal that has been halted (Ctrl-S) must not halt what is behind it.
                if ccurses_is_writable() == 1 {
                    draw()
                    isDirty = false
                }
                nextDraw = .now + Self.drawEvery
            }
            // Ages and rates go on when nothing happens.
            var deadline = isDirty ? nextDraw : ContinuousClock.now + .seconds(1)
            if let due = feed.due { deadline = min(deadline, due) }
            do {
                let hasInput = try feed.wait(also: ccurses_events(), until: deadline)
                let hasNews = try feed.take(into: &model, at: now)
                if hasNews || deadline <= .now { isDirty = true }
                if hasInput {
                    if ccurses_is_there() == 0 { return .quit }
                    switch takeInput() {
                    case .quit: return .quit
                    case .redraw:
                        isDirty = true
                        nextDraw = .now
                    case .nothing: break
                    }
                }
            } catch ClientFailure.interrupted(let signal) {
                return .signal(signal)
            }
        }
    }

    /// Signals of the terminal, and keys; `redraw` when there were any.
    private mutating func takeInput() -> TopModel.Effect {
        var effect: TopModel.Effect = ccurses_take_signals() == 1 ? .redraw : .nothing
        let page =
            model.mode == .details
            ? TopScreen.detailsHeight(rows: Int(ccurses_rows()))
            : TopScreen.tableHeight(rows: Int(ccurses_rows()))
        while case let code = ccurses_key(), Int(code) != CCURSES_NONE {
            switch model.press(Self.key(code), page: page, at: now) {
            case .quit: return .quit
            case .redraw:
                ccurses_forget()
                effect = .redraw
            case .nothing: effect = .redraw
            }
        }
        return effect
    }

    private static func key(_ code: Int32) -> TopModel.Key {
        switch Int(code) {
        case CCURSES_UP: .up
        case CCURSES_DOWN: .down
        case CCURSES_LEFT: .left
        case CCURSES_RIGHT: .right
        case CCURSES_PAGE_UP: .pageUp
        case CCURSES_PAGE_DOWN: .pageDown
        case CCURSES_HOME: .home
        case CCURSES_END: .end
        case CCURSES_ENTER: .enter
        case CCURSES_BACKSPACE: .backspace
        case CCURSES_ESCAPE: .escape
        default: UInt32(exactly: code).flatMap(Unicode.Scalar.init).map { .character($0) } ?? .other
        }
    }

    private mutating func draw() {
        let (columns, rows) = (Int(ccurses_columns()), Int(ccurses_rows()))
        model.settle(height: TopScreen.tableHeight(rows: rows))
        if model.mode == .details {
            if let row = model.selectedRow { feed.explain(row) }
            let details = TopDetails(model: model, style: style, columns: columns, now: now)
            model.settleDetails(
                lines: details.lines().count, height: TopScreen.detailsHeight(rows: rows))
        }
        let screen = TopScreen(model: model, style: style, columns: columns, rows: rows, now: now).draw()
        ccurses_erase()
        for (row, line) in screen.lines.prefix(rows).enumerated() {
            var column = 0
            for piece in line.pieces {
                let text = piece.text.unicodeScalars.map { Int32(bitPattern: $0.value) }
                ccurses_put(CInt(row), CInt(column), text, CInt(text.count), piece.look.rawValue)
                column += piece.columns
            }
        }
        ccurses_show(CInt(screen.cursor?.row ?? -1), CInt(screen.cursor?.column ?? -1))
    }
}
