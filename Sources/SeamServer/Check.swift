import SeamKernel
import SeamWire

/// Fields judged together at one moment, under a label.
struct Check {
    struct Row {
        var view: FieldView
        var expected: Verdict?
    }

    let label: String
    private(set) var rows: [Row] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ label: String) {
        self.label = label
    }

    /// Judges these fields as they are now, each with what is expected of it.
    mutating func judge(_ fields: [(id: FieldID, expected: Verdict?)], in simulation: Simulation) {
        rows += fields.map { Row(view: simulation.field($0.id), expected: $0.expected) }
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
    mutating func check(_ check: Check, in simulation: Simulation, limits: Limits) {
        object { out in
            out.member("label", check.label)
            out.array("fields") { out in
                for row in check.rows { out.field(row.view, expected: row.expected, limits: limits) }
            }
            out.object("counts") {
                $0.member("matching", check.count(.matching))
                $0.member("stale", check.count(.stale))
                $0.member("missing", check.count(.missing))
                $0.member("leftover", check.count(.leftover))
            }
            if let isMet = check.isMet { out.member("met", isMet) }
            out.array("diagnostics") { out in
                for finding in check.diagnostics { out.finding(finding, in: simulation, limits: limits) }
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
        guard let at = check.at else { return try tell(check, of: hosted, ticket) }
        try goBack(to: at, of: hosted, ticket) { [self] past throws(WireError) in
            try tell(check, of: past, ticket)
        }
    }

    private func tell(_ check: SimCheck, of hosted: HostedSimulation, _ ticket: Ticket) throws(WireError) {
        var answer = Check(check.label ?? hosted.id)
        let fields = try fields(of: check, in: hosted)
        answer.judge(fields.map { ($0, nil) }, in: hosted.simulation)
        ticket.answer { $0.check(answer, in: hosted.simulation, limits: limits) }
    }

    /// The fields that a check names, in its order; every field when it names none.
    private func fields(of check: SimCheck, in hosted: HostedSimulation) throws(WireError) -> [FieldID] {
        let simulation = hosted.simulation
        var onScreen: (id: ScreenID, name: String)?
        if let name = check.screen {
            guard let id = simulation.screen(named: name) else { throw unknownScreen(name, of: hosted) }
            onScreen = (id, name)
        }
        guard let names = check.fields else {
            return onScreen.map { simulation.fields(of: $0.id) } ?? Array(0..<simulation.fieldCount)
        }
        var fields: [FieldID] = []
        for (index, name) in names.enumerated() {
            let path = "fields[\(index)]"
            if let onScreen {
                guard let field = simulation.field(screen: onScreen.id, key: name) else {
                    throw unknownField(name, on: onScreen.name, of: hosted, path: path)
                }
                fields.append(field)
            } else {
                fields += try self.fields(named: name, in: hosted, path: path)
            }
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
        let known = (0..<min(simulation.fieldCount, 4096)).lazy.map { field in
            let names = simulation.names(of: field)
            return "\(names.screen).\(names.key)"
        }
        throw .unknown(.unknownField, what: "field", name, of: owner(hosted), path: path, among: known)
    }
}
