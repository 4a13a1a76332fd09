internal import Glibc
internal import SeamClient
internal import SeamWire

// What happened in a simulation, and why a field is as it is.

/// `seam trace`: a line for every call and write.
func printTrace(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    var next = arguments.number(.from)
    let last = arguments.number(.to)
    if arguments.has(.follow), last != nil {
        throw UsageFailure(
            message: "--to is an end, and --follow has none: leave one of them out",
            command: arguments.command)
    }
    let deadline = session.deadline()
    let client = try session.connect(until: deadline)
    // Subscribed before anything is read: no turn between the two is missed.
    var subscription: Subscription?
    if arguments.has(.follow) {
        var request = SubscriptionRequest(simulation: arguments.word("SIM"))
        request.withSnapshot = false
        client.output = STDOUT_FILENO
        subscription = try session.subscribe(request, on: client, until: deadline)
    }
    let trace = TraceReader(session, client, simulation: arguments.word("SIM"))
    next = try trace.print(from: next, to: last)
    guard let subscription else { return .fine }
    func noteEnd() -> Exit {
        session.note("the simulation has ended")
        return .fine
    }
    do {
        while !session.output.isClosed {
            session.output.flush()
            if let deadline, deadline <= .now { return .timedOut }
            let event = try client.nextEvent(until: deadline)
            guard event["sub"]?.integer == subscription.number else { continue }
            if event.kind == .end { return noteEnd() }
            // One look for all lines of a turn: those before it is answered are already told.
            if let turn = event["turn"]?.integer, let next, turn < next { continue }
            next = try trace.print(from: next, to: nil)
        }
    } catch ClientFailure.interrupted {
    } catch ClientFailure.timedOut {
        return .timedOut
    } catch let refused as Refused where refused.failure.kind == "unknown-sim" {
        // The lines of its last turn came, and it had gone before the turn could be asked for.
        return noteEnd()
    }
    return .fine
}

private struct TraceReader {
    let session: Session
    let client: Client
    let simulation: String

    init(_ session: Session, _ client: Client, simulation: String) {
        self.session = session
        self.client = client
        self.simulation = simulation
    }

    /// Prints these turns, page by page; the turn after the last.
    func print(from first: Int?, to last: Int?) throws -> Int? {
        var from = first
        var skip = 0
        while true {
            let params = JSON.texts([("sim", simulation)])
                .adding("from", from.map { .integer($0) })
                .adding("to", last.map { .integer($0) })
                .adding("skip", skip > 0 ? .integer(skip) : nil)
            let page = try session.call(client, "sim.trace", params)
            if from == first && skip == 0 { noteLoss(page, asked: first) }
            let records = page["records"]?.elements ?? []
            session.printsJSON ? records.forEach(session.print) : session.printRecords(records)
            if page["omitted"] != nil, let turn = page["from"]?.integer {
                from = turn
                skip += records.count
            } else if let next = page["next"]?.integer {
                from = next
                skip = 0
            } else {
                return page["to"]?.integer.map { $0 + 1 }
            }
        }
    }

    private func noteLoss(_ page: JSON, asked: Int?) {
        guard let dropped = page["dropped"]?.integer, dropped > 0, let oldest = page["oldest"]?.integer,
            asked.map({ $0 <= oldest }) ?? true
        else { return }
        session.note("\(dropped) older records are no longer kept; the trace begins in turn \(oldest)")
    }
}

extension Session {
    /// Records as rows: when, what was called and why, on which objects, and what came of it.
    func printRecords(_ records: [JSON], indent: String = "") {
        printTable(records.map { RecordLine($0).cells }, indent: indent)
    }
}

/// One record of a trace in columns.
struct RecordLine {
    let json: JSON

    init(_ json: JSON) { self.json = json }

    var cells: [String] {
        [
            "turn \(number("turn") ?? "?").\(number("round") ?? "?")", "\(number("ms") ?? "?") ms", call,
            objects, effect,
        ]
    }

    /// `list.update (input)`, `model.set (client)`.
    var call: String {
        let bridge = text("bridge")
        let call = text("call") ?? "?"
        let reason = (text("cause") ?? text("origin")).map { " (\($0))" } ?? ""
        // A request names its method, and then the bridge.
        if call.contains(".") { return call + (bridge.map { " \($0)" } ?? "") + reason }
        return (bridge.map { "\($0)." } ?? "") + call + reason
    }

    private var objects: String {
        [("mount", "mount"), ("control", "control"), ("coordinator", "coordinator")]
            .compactMap { member, word in number(member).map { "\(word) \($0)" } }.joined(separator: ", ")
    }

    private var effect: String {
        var parts: [String] = []
        if let text = text("text") { parts.append(text) }
        if case let wrote = texts("wrote"), !wrote.isEmpty {
            parts.append("wrote \(wrote.joined(separator: ", "))")
        }
        if case let held = texts("held"), !held.isEmpty {
            parts.append("wrote off the screen \(held.joined(separator: ", "))")
        }
        if case let set = texts("set"), !set.isEmpty { parts.append("set \(set.joined(separator: ", "))") }
        if let assigned = json["assigned"]?.elements?.compactMap(\.integer), !assigned.isEmpty {
            parts.append(
                "assigned the root view of mount \(assigned.map { "\($0)" }.joined(separator: ", "))")
        }
        if let source = json["source"] { parts.append("from \(Self.call(source))") }
        if let omitted = number("omitted") { parts.append("and \(omitted) more") }
        if parts.isEmpty, ["make", "update", "draw"].contains(json["call"]?.text) {
            parts.append("wrote nothing")
        }
        return parts.joined(separator: "; ")
    }

    /// A call by its turn: `type of search, mount 1, in turn 2`.
    static func call(_ source: JSON) -> String {
        let bridge = source["bridge"]?.text.map { " of \(printable($0))" } ?? ""
        let mount = source["mount"]?.integer.map { ", mount \($0)," } ?? ""
        return
            "\(printable(source["by"]?.text ?? "?"))\(bridge)\(mount) in turn \(source["turn"]?.scalar ?? "?")"
    }

    /// All of it on one line.
    var line: String { cells.filter { !$0.isEmpty }.joined(separator: "  ") }

    private func text(_ member: String) -> String? { json[member]?.text.map(printable) }
    private func number(_ member: String) -> String? { json[member]?.integer.map { "\($0)" } }
    private func texts(_ member: String) -> [String] {
        json[member]?.elements?.compactMap { $0.text.map(printable) } ?? []
    }
}

// MARK: - explain

/// `seam explain`: why fields are as they are.
func explainFields(_ session: Session) throws -> Exit {
    let names = session.arguments.words("FIELD")
    let simulation = session.arguments.word("SIM")
    let client = try session.connect()
    // The check knows what a name may mean, and which are near one that means nothing.
    let check = try session.call(
        client, "sim.check",
        JSON.texts([("sim", simulation)]).adding("fields", names.isEmpty ? nil : .texts(names)))
    let fields = (check["fields"]?.elements ?? []).filter { field in
        !names.isEmpty || !["matching", "out-of-scope"].contains(field["verdict"]?.text)
    }
    if fields.isEmpty && !session.printsJSON {
        session.note("every field of \(simulation) matches, or is out of scope")
    }
    for (index, field) in fields.enumerated() {
        let explanation = try session.call(
            client, "sim.explain",
            .texts([
                ("sim", simulation), ("screen", field["screen"]?.text ?? ""),
                ("field", field["field"]?.text ?? ""),
            ]))
        if session.printsJSON {
            session.print(explanation)
        } else {
            if index > 0 { session.print("") }
            session.printExplanation(explanation)
        }
    }
    return .fine
}

extension Session {
    fileprivate func printExplanation(_ json: JSON) {
        print(style.paint(printable(json["sentence"]?.text ?? ""), .bold))
        explanationLines(json).forEach { print($0) }
    }
}

/// What stands behind the sentence of an explanation: who wrote both sides, the calls that carry the field, and what
/// happened since.
func explanationLines(_ json: JSON) -> [String] {
    var lines = tableLines(
        [
            ["model", shownValue(json["model"]), written(json["modelChanged"], "never changed")],
            ["screen", shownValue(json["shown"]), written(json["shownWritten"], "never written")],
        ], indent: "  ")
    let carriers = json["carriers"]?.elements ?? []
    if carriers.isEmpty { lines.append("  no bridge carries it") }
    lines += tableLines(
        carriers.map { carrier in
            let bridge = printable(carrier["bridge"]?.text ?? "?")
            let call = carrier["call"]?.text ?? "?"
            guard let mount = carrier["mount"]?.integer else {
                return ["carried by \(bridge)", call, "which has no mount"]
            }
            let last = carrier["lastTurn"]?.integer.map { "last ran in turn \($0)" } ?? "never ran"
            let since = carrier["since"]?.integer ?? 0
            return [
                "carried by \(bridge)", call, "mount \(mount)", last,
                since == 0 ? "not since the model changed" : "\(since)x since the model changed",
            ]
        }, indent: "  ")
    let calls = json["calls"]?.elements ?? []
    if calls.isEmpty { return lines }
    let omitted = json["omitted"]?.integer.map { ", after \($0) older ones" } ?? ""
    lines.append("  since then\(omitted):")
    return lines + tableLines(calls.map { RecordLine($0).cells }, indent: "    ")
}

/// `turn 2 (0 ms) by draw of host, mount 1`.
private func written(_ write: JSON?, _ never: String) -> String {
    guard let write, let turn = write["turn"]?.integer else { return never }
    let time = write["ms"]?.integer.map { " (\($0) ms)" } ?? ""
    let by = printable(write["by"]?.text ?? "?")
    let bridge = write["bridge"]?.text.map { " of \(printable($0))" } ?? ""
    let mount = write["mount"]?.integer.map { ", mount \($0)" } ?? ""
    let source = write["source"].map { ", from \(RecordLine.call($0))" } ?? ""
    return "turn \(turn)\(time) by \(by)\(bridge)\(mount)\(source)"
}
