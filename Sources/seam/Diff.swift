internal import SeamClient
internal import SeamWire

// `seam diff`: a fault beside its repair, and the first call that only one of them makes.

func diffScenarios(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let client = try session.connectOrStart()
    func play(_ scenario: String) throws -> Played {
        let params = creationParams(scenario, arguments).adding("why", true).adding("trace", true)
        return Played(scenario: scenario, result: try session.call(client, "sim.run", params))
    }
    let comparison = Comparison(try play(arguments.word("SCENARIO")), try play(arguments.word("OTHER")))
    for played in [comparison.first, comparison.second] where played.dropped > 0 {
        session.note(
            "\(played.scenario): its first \(played.dropped) calls and writes are no longer kept and not compared; "
                + "start a seamd with a larger --trace-bytes")
    }
    session.printsJSON ? session.print(comparison.json) : comparison.print(session)
    return comparison.isSame ? .fine : .finding
}

/// One scenario's run, to be compared.
private struct Played {
    let report: RunReport
    let records: [JSON]
    /// Older ones that the daemon no longer had.
    let dropped: Int

    init(scenario: String, result: JSON) {
        report = RunReport(scenario: scenario, result: result)
        records = result["trace"]?.elements ?? []
        dropped = result["dropped"]?.integer ?? 0
    }

    var scenario: String { report.scenario }

    /// The fields of all checks in order, each under the number of its check.
    var fields: [(key: String, field: JSON)] {
        report.checks.enumerated().flatMap { index, check in
            (check["fields"]?.elements ?? []).map { ("\(index) \(fieldName($0))", $0) }
        }
    }
}

private struct Comparison {
    let first: Played
    let second: Played
    /// How many records both have before they part, and what each does there.
    private(set) var common = 0
    private(set) var parting: (first: JSON?, second: JSON?)?
    /// The fields that came out differently.
    private(set) var fields: [(first: JSON?, second: JSON?)] = []
    /// The diagnostics that only one has.
    private(set) var diagnostics: (first: [JSON], second: [JSON])

    init(_ first: Played, _ second: Played) {
        self.first = first
        self.second = second
        diagnostics = Self.difference(first.report.diagnostics, second.report.diagnostics) { finding in
            ["code", "screen", "field", "bridge", "mount", "severity"].map { finding[$0]?.encoded ?? "" }
        }
        compareRecords()
        compareFields()
    }

    var isSame: Bool {
        parting == nil && fields.isEmpty && diagnostics.first.isEmpty && diagnostics.second.isEmpty
    }

    // MARK: Calls

    /// What a record did, wherever it stood in time: turns are counted differently once a step is missing.
    private static func deed(_ record: JSON) -> String {
        let source = record["source"]?.removing("turn").encoded ?? ""
        return record.removing("turn").removing("ms").removing("round").removing("source").encoded + source
    }

    private mutating func compareRecords() {
        let (ours, theirs) = (first.records.map(Self.deed), second.records.map(Self.deed))
        while common < ours.count, common < theirs.count, ours[common] == theirs[common] { common += 1 }
        if common == ours.count && common == theirs.count { return }
        let (own, other) = Self.lead(Array(ours[common...]), Array(theirs[common...]))
        // Nil alone would be JSON's null.
        parting = (own ? first.records[common] : JSON?.none, other ? second.records[common] : JSON?.none)
    }

    /// Which of two lists that begin differently has something the other lacks: by the longest sequence that both have.
    private static func lead(_ ours: [String], _ theirs: [String]) -> (ours: Bool, theirs: Bool) {
        if ours.isEmpty || theirs.isEmpty { return (!ours.isEmpty, !theirs.isEmpty) }
        // Beyond that it is no comparison that a person would read.
        guard ours.count <= largestTable / theirs.count else { return (true, true) }
        var below = [Int32](repeating: 0, count: theirs.count + 1)
        var withoutOurs: Int32 = 0
        for one in ours.reversed() {
            withoutOurs = below[0]
            var row = below
            for place in theirs.indices.reversed() {
                row[place] = one == theirs[place] ? below[place + 1] + 1 : max(below[place], row[place + 1])
            }
            below = row
        }
        // Nothing is lost by leaving it out: then it has no partner.
        let withoutTheirs = below[1]
        return (withoutOurs >= withoutTheirs, withoutTheirs >= withoutOurs)
    }

    private static let largestTable = 25_000_000

    // MARK: Fields and diagnostics

    private mutating func compareFields() {
        var theirs = Dictionary(second.fields.map { ($0.key, $0.field) }) { first, _ in first }
        for (key, field) in first.fields {
            let other = theirs.removeValue(forKey: key)
            let differs = ["verdict", "model", "shown"].contains { field[$0] != other?[$0] }
            if differs { fields.append((field, other)) }
        }
        for (key, field) in second.fields where theirs.removeValue(forKey: key) != nil {
            fields.append((JSON?.none, field))
        }
    }

    private static func difference(
        _ ours: [JSON], _ theirs: [JSON], by key: (JSON) -> [String]
    ) -> (first: [JSON], second: [JSON]) {
        var left: [[String]: Int] = [:]
        for one in theirs { left[key(one), default: 0] += 1 }
        var own: [JSON] = []
        for one in ours {
            if let count = left[key(one)], count > 0 { left[key(one)] = count - 1 } else { own.append(one) }
        }
        var other: [JSON] = []
        for one in theirs.reversed() {
            guard let count = left[key(one)], count > 0 else { continue }
            left[key(one)] = count - 1
            other.append(one)
        }
        return (own, other.reversed())
    }

    // MARK: Telling

    func print(_ session: Session) {
        if isSame {
            session.print("no difference: \(common) calls and writes, \(first.fields.count) checked fields")
            return
        }
        session.print(session.style.paint("--- \(printable(first.scenario))", .bold))
        session.print(session.style.paint("+++ \(printable(second.scenario))", .bold))
        func lines(_ pair: (first: JSON?, second: JSON?), _ text: (JSON) -> [String]) {
            for (sign, color, json) in [("-", Style.Color.red, pair.first), ("+", .green, pair.second)] {
                guard let json else { continue }
                for line in text(json) { session.print(session.style.paint("\(sign) \(line)", color)) }
            }
        }
        if let parting {
            session.print(
                common == 0 ? "from the start:" : "after \(common) calls and writes that both make:")
            lines(parting) { [RecordLine($0).line] }
        }
        if !fields.isEmpty { session.print("at the checks:") }
        for pair in fields {
            lines(pair) { field in
                let verdict =
                    "\(fieldName(field)): model=\(shownValue(field["model"])) screen=\(shownValue(field["shown"])) -> "
                    + (field["verdict"]?.text ?? "?")
                return [verdict] + (field["why"]?.text.map { ["  \(printable($0))"] } ?? [])
            }
        }
        if !diagnostics.first.isEmpty || !diagnostics.second.isEmpty { session.print("diagnostics:") }
        for (index, list) in [diagnostics.first, diagnostics.second].enumerated() {
            for finding in list {
                lines(index == 0 ? (finding, JSON?.none) : (JSON?.none, finding)) {
                    let place = session.place(of: $0).map { "\($0): " } ?? ""
                    return [
                        printable("\($0["code"]?.text ?? "diagnostic"): \(place)\($0["text"]?.text ?? "")")
                    ]
                }
            }
        }
    }

    var json: JSON {
        func pair(_ first: JSON?, _ second: JSON?) -> JSON {
            ["first": first ?? .null, "second": second ?? .null]
        }
        return [
            "first": .string(first.scenario), "second": .string(second.scenario), "common": .integer(common),
            "call": parting.map { pair($0.first, $0.second) } ?? .null,
            "fields": .array(fields.map { pair($0.first, $0.second) }),
            "diagnostics": pair(.array(diagnostics.first), .array(diagnostics.second)),
        ]
    }
}
