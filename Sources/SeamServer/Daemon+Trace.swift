// What happened in a simulation, and why a field is as it is.

import SeamKernel
import SeamWire

extension Daemon {
    func tell(_ trace: SimTrace, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(trace.sim)
        let simulation = hosted.simulation
        guard simulation.keepsTrace else {
            throw .notTraced(sim: hosted.id, scenario: simulation.scenario.id)
        }
        let oldest = simulation.oldestTracedTurn
        let newest = simulation.turn
        // The turn after the newest is where a follower waits.
        for (path, turn, last) in [("from", trace.from, newest + 1), ("to", trace.to, newest)] {
            if let turn, turn > last {
                throw .badParam(
                    .outOfRange, path: path, expected: "a turn up to \(last)",
                    "The simulation \(hosted.id) is at turn \(newest); turn \(turn) is yet to come.")
            }
        }
        let from = trace.from ?? oldest
        let to = trace.to ?? newest
        if let asked = trace.to, from > asked {
            throw .badParam(
                .outOfRange, path: "from", expected: "a turn up to \(asked), which is to",
                "The turns from \(from) to \(asked) are none; "
                    + (trace.from == nil ? "the oldest that is kept is \(oldest)." : "from comes before to."))
        }
        ticket.answer { out in
            let end = ticket.pageEnd(out)
            out.object { out in
                out.member("sim", hosted.id)
                out.member("from", from)
                out.member("to", to)
                out.member("oldest", oldest)
                out.member("dropped", simulation.droppedRecords)
                var page = TurnPage(limit: trace.limit, end: end)
                var skipped = 0
                out.array("records") { out in
                    simulation.forEachRecord(from: from, to: to) { record in
                        if record.turn == from && skipped < trace.skip {
                            skipped += 1
                            return true
                        }
                        return page.take(turn: record.turn, into: &out) { $0.record(record, of: simulation) }
                    }
                }
                if page.omitted > 0 { out.member("omitted", page.omitted) }
                if let next = page.next { out.member("next", next) }
            }
        }
    }

    func explain(_ explain: SimExplain, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(explain.sim)
        let simulation = hosted.simulation
        guard let screen = simulation.screen(named: explain.screen) else {
            throw unknownScreen(explain.screen, of: hosted)
        }
        guard let field = simulation.field(screen: screen, key: explain.field) else {
            throw unknownField(explain.field, on: explain.screen, of: hosted, path: "field")
        }
        let explanation = simulation.explain(field)
        ticket.answer { out in
            let end = ticket.pageEnd(out)
            out.object { out in
                let view = explanation.view
                out.member("sim", hosted.id)
                out.member("screen", view.screen)
                out.member("field", view.key)
                out.member("verdict", view.verdict.word)
                out.modelAndShown(view.model, view.shown, limit: limits.shownValueBytes)
                out.member("sentence", explanation.sentence)
                out.write("modelChanged", explanation.modelChanged, of: simulation)
                out.write("shownWritten", explanation.shownWritten, of: simulation)
                out.array("carriers") { out in
                    // As many as leave room: a bridge may have a hundred thousand mounts.
                    for carrier in explanation.carriers.prefix(Self.listedCarriers) {
                        out.carrier(carrier, of: simulation)
                    }
                }
                // The newest tell the most: when they do not all fit, the oldest are left out.
                let calls = explanation.calls
                var room = end - out.count
                var first = calls.count
                while first > 0 {
                    room -= size(of: calls[first - 1], in: simulation)
                    if room < 0 { break }
                    first -= 1
                }
                out.array("calls") { out in
                    for record in calls[first...] { out.record(record, of: simulation) }
                }
                let omitted = explanation.omittedCalls + first
                if omitted > 0 { out.member("omitted", omitted) }
            }
        }
    }

    private static let listedCarriers = 100

    /// What a record takes in a reply, with its comma.
    private func size(of record: TraceRecord, in simulation: Simulation) -> Int {
        var scratch = ByteBuffer(reserving: 256)
        scratch.record(record, of: simulation)
        return scratch.count + 1
    }
}

extension ByteBuffer {
    /// One thing that happened; what does not apply is left out.
    mutating func record(_ record: TraceRecord, of simulation: Simulation) {
        object { out in
            out.member("turn", record.turn)
            out.member("ms", record.milliseconds)
            out.member("round", record.round)
            out.member("call", record.call)
            if let bridge = record.bridge { out.member("bridge", simulation.scenario.bridges[bridge].id) }
            if let mount = record.mount { out.member("mount", mount) }
            if let control = record.control { out.member("control", control) }
            if let coordinator = record.coordinator { out.member("coordinator", coordinator) }
            if let cause = record.cause { out.member("cause", cause) }
            if let origin = record.origin { out.member("origin", origin.word) }
            for (name, fields) in [("wrote", record.wrote), ("held", record.held)]
                as [(StaticString, [FieldID])]
            where !fields.isEmpty {
                out.member(
                    name,
                    fields.map { field in
                        let names = simulation.names(of: field)
                        return "\(names.screen).\(names.key)"
                    })
            }
            if !record.set.isEmpty { out.member("set", record.set) }
            if !record.assigned.isEmpty {
                out.array("assigned") { out in for mount in record.assigned { out.value(mount) } }
            }
            if let source = record.source { out.source(source, of: simulation) }
            if record.omitted > 0 { out.member("omitted", record.omitted) }
            if let text = record.text { out.member("text", text) }
        }
    }

    fileprivate mutating func write(
        _ name: StaticString, _ write: Explanation.Write?, of simulation: Simulation
    ) {
        key(name)
        guard let write else { return null() }
        object { out in
            out.member("turn", write.turn)
            if let milliseconds = write.milliseconds { out.member("ms", milliseconds) }
            out.member("by", write.by)
            if let bridge = write.bridge { out.member("bridge", simulation.scenario.bridges[bridge].id) }
            if let mount = write.mount { out.member("mount", mount) }
            if let source = write.source { out.source(source, of: simulation) }
        }
    }

    /// The call that asked for something earlier.
    private mutating func source(_ source: TraceRecord.Source, of simulation: Simulation) {
        key("source")
        object { out in
            out.member("turn", source.turn)
            out.member("by", source.by)
            if let bridge = source.bridge { out.member("bridge", simulation.scenario.bridges[bridge].id) }
            if let mount = source.mount { out.member("mount", mount) }
        }
    }

    fileprivate mutating func carrier(_ carrier: Explanation.Carrier, of simulation: Simulation) {
        object { out in
            out.member("bridge", simulation.scenario.bridges[carrier.bridge].id)
            out.member("call", carrier.call)
            if let mount = carrier.mount { out.member("mount", mount) }
            out.key("lastTurn")
            if let turn = carrier.lastTurn { out.value(turn) } else { out.null() }
            out.member("since", carrier.since)
        }
    }
}
