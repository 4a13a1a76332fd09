import SeamKernel
import SeamWire

/// Fields judged together at one moment, under a label.
struct Check {
    struct Row {
        var view: FieldView
        var expected: Verdict?
        /// Why it does not match, when that was asked.
        var why: String?
    }

    let label: String
    private let explains: Bool
    private(set) var rows: [Row] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ label: String, explains: Bool = false) {
        self.label = label
        self.explains = explains
    }

    /// An interim read: what a turn saw before it settled.
    init(_ label: String, _ seen: InterimView, expected: [Verdict?]) {
        self.label = label
        explains = false
        rows = zip(seen.fields, expected).map { Row(view: $0, expected: $1) }
        diagnostics = seen.diagnostics
    }

    /// Judges these fields as they are now, each with what is expected of it.
    mutating func judge(_ fields: [(id: FieldID, expected: Verdict?)], in simulation: Simulation) {
        for (id, expected) in fields {
            var row = Row(view: simulation.field(id), expected: expected)
            if explains, row.view.verdict != .matching { row.why = simulation.sentence(about: id) }
            rows.append(row)
        }
        diagnostics += simulation.check(fields.map(\.id))
    }

    /// Whether every expectation is met; nil when there is none.
    var isMet: Bool? {
        let expecting = rows.filter { $0.expected != nil }
        return expecting.isEmpty ? nil : expecting.allSatisfy { $0.view.verdict == $0.expected }
    }

    func count(_ verdict: Verdict) -> Int {
        rows.count { $0.view.verdict == verdict }
    }
}

extension ByteBuffer {
    /// A check, as far as a reply that ends at `end` has room: what is beyond it is not written to its end, only to be
    /// taken back.
    mutating func check(_ check: Check, in simulation: Simulation, limits: Limits, end: Int) {
        object { out in
            out.member("label", check.label)
            out.array("fields") { out in
                for row in check.rows where out.count <= end {
                    out.field(row.view, expected: row.expected, why: row.why, limits: limits)
                }
            }
            out.object("counts") {
                $0.member("matching", check.count(.matching))
                $0.member("stale", check.count(.stale))
                $0.member("missing", check.count(.missing))
                $0.member("leftover", check.count(.leftover))
            }
            if let isMet = check.isMet { out.member("met", isMet) }
            out.array("diagnostics") { out in
                for finding in check.diagnostics where out.count <= end {
                    out.finding(finding, in: simulation, limits: limits)
                }
            }
        }
    }

    mutating func finding(
        _ finding: Diagnostic, turn: UInt64? = nil, in simulation: Simulation, limits: Limits
    ) {
        let names = finding.field.map { simulation.names(of: $0) }
        diagnostic(
            turn: turn, code: finding.code, severity: finding.severity.word, screen: names?.screen,
            field: names?.key,
            bridge: finding.bridge.map { simulation.scenario.bridges[$0].id }, mount: finding.mount,
            text: finding.text, limits: limits)
    }
}

// MARK: sim.check

extension Daemon {
    func check(_ check: SimCheck, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(check.sim)
        let moment = Replay.Moment(at: check.at, atTurn: check.atTurn)
        if case .now = moment { return try tell(check, of: hosted, ticket) }
        try goBack(to: moment, of: hosted, ticket) { [self] past throws(WireError) in
            try tell(check, of: past, ticket)
        }
    }

    private func tell(_ check: SimCheck, of hosted: HostedSimulation, _ ticket: Ticket) throws(WireError) {
        // More fields than a reply holds are not judged first, for nothing: there may be millions.
        let most = ticket.longestAnswer / Self.leastFieldBytes
        guard
            let fields = try fields(
                named: check.fields, on: check.screen, in: hosted, atMost: most, path: "fields")
        else {
            throw ticket.tooLong(hint: "name fewer fields, or one screen")
        }
        var answer = Check(check.label ?? hosted.id, explains: check.explains)
        answer.judge(fields.map { ($0, nil) }, in: hosted.simulation)
        let longest = ticket.longestAnswer
        let limits = check.isWhole ? limits.showingWholeValues : limits
        ticket.answer(hint: "name fewer fields, or one screen, or raise maxLine with seam.hello") {
            $0.check(answer, in: hosted.simulation, limits: limits, end: $0.count + longest)
        }
    }

    /// What a field takes at the least in an answer.
    static let leastFieldBytes = 64

    /// The fields that a check names, in its order; every field when it names none. Nil when they are more than
    /// `most`: a key may be on every screen, and be named again and again.
    func fields(
        named names: [String]?, on screen: String? = nil, in hosted: HostedSimulation, atMost most: Int,
        path list: String
    ) throws(WireError) -> [FieldID]? {
        let simulation = hosted.simulation
        var onScreen: (id: ScreenID, name: String)?
        if let name = screen {
            guard let id = simulation.screen(named: name) else { throw unknownScreen(name, of: hosted) }
            onScreen = (id, name)
        }
        guard let names else {
            let fields = onScreen.map { simulation.fields(of: $0.id) }
            guard (fields?.count ?? simulation.fieldCount) <= most else { return nil }
            return fields ?? Array(0..<simulation.fieldCount)
        }
        var fields: [FieldID] = []
        for (index, name) in names.enumerated() {
            let path = "\(list)[\(index)]"
            if let onScreen {
                guard let field = simulation.field(screen: onScreen.id, key: name) else {
                    throw unknownField(name, on: onScreen.name, of: hosted, path: path)
                }
                fields.append(field)
            } else {
                fields += try self.fields(named: name, in: hosted, path: path)
            }
            if fields.count > most { return nil }
        }
        return fields
    }

    /// "Screen.field", or a key of any screen: keys may hold dots, so a screen of the first part decides.
    private func fields(
        named name: String, in hosted: HostedSimulation, path: String
    ) throws(WireError) -> [FieldID] {
        let simulation = hosted.simulation
        if let dot = name.firstIndex(of: "."), let screen = simulation.screen(named: String(name[..<dot])),
            let field = simulation.field(screen: screen, key: String(name[name.index(after: dot)...]))
        {
            return [field]
        }
        let everywhere = simulation.fields(ofKey: name)
        guard everywhere.isEmpty else { return everywhere }
        // Whoever named a key alone is offered keys, each once.
        let isKey = !name.contains(".")
        var seen: Set<String> = []
        let known = (0..<min(simulation.fieldCount, 4096)).map { field in
            let names = simulation.names(of: field)
            return isKey ? names.key : "\(names.screen).\(names.key)"
        }.filter { seen.insert($0).inserted }
        throw .unknown(.unknownField, what: "field", name, of: owner(hosted), path: path, among: known)
    }
}
