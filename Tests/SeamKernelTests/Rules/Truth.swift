import SeamKernel
import Testing

/// Holds what explanations say against the trace and against a recomputation from outside: whoever looks for the call
/// that is missing has nothing but these sentences.
struct Truth {
    /// Records with their words as texts, made once.
    private struct Line {
        var record: TraceRecord
        var call: String
        var cause: String

        init(_ record: TraceRecord) {
            self.record = record
            call = "\(record.call)"
            cause = record.cause.map { "\($0)" } ?? ""
        }

        /// Whether it is of a body that can carry a value to a screen.
        var isBody: Bool { (call == "make" || call == "update" || call == "draw") && cause != "measure" }

        /// What an explanation calls it: an event by its id.
        var word: String {
            guard call == "native" || call == "event", let text = record.text else { return call }
            return String(text.prefix { $0 != ":" })
        }
    }

    private var records: [Line] = []
    private var models: [String: String?] = [:]
    /// The last turn at whose end a model value was another one than before.
    private var lastChange: [String: UInt64] = [:]

    mutating func check(_ simulation: Simulation, after turn: Turn, seed: UInt64) {
        simulation.forEachRecord(from: turn.number, to: turn.number) { record in
            records.append(Line(record))
            return true
        }
        for id in 0..<simulation.fieldCount {
            let view = simulation.field(id)
            if models[view.key] ?? nil != view.model {
                models[view.key] = view.model
                lastChange[view.key] = turn.number
            }
        }
        guard simulation.phase != .destroyed else { return }
        for id in 0..<simulation.fieldCount {
            for claim in falseClaims(about: id, simulation) {
                let past = records.suffix(30).map { text($0, simulation) }.joined(separator: "\n")
                let sentence = simulation.explain(id).sentence
                Issue.record("seed \(seed), turn \(turn.number): \(claim)\n\(sentence)\n\(past)")
            }
        }
    }

    private func falseClaims(about id: FieldID, _ simulation: Simulation) -> [String] {
        let explanation = simulation.explain(id)
        return [
            model(explanation, simulation), shown(id, explanation, simulation),
            carriers(id, explanation, simulation), claims(id, explanation, simulation),
            checked(id, explanation.sentence, simulation),
        ].flatMap { $0 }
    }

    private let isEmpty =
        /changed in turn (\d+); (make|update|draw|assignment|call) of b\d ran since, in turn (\d+), and (did not write it|its control holds nothing)/

    /// A call that a check says has run is in the trace, and what it says has not run is what the sentence says.
    private func checked(_ id: FieldID, _ sentence: String, _ simulation: Simulation) -> [String] {
        var claims: [String] = []
        for found in simulation.check([id]) where found.field == id {
            if found.code == "update-never-arrived" {
                let words =
                    found.text.replacing(": mount it", with: "")
                    .split(separator: ", and ", maxSplits: 1).last ?? ""
                if !sentence.contains(words) { claims.append("a check says: \(found.text)") }
            }
            guard found.code == "empty-update" else { continue }
            guard let mount = found.mount, let match = found.text.firstMatch(of: isEmpty),
                let changed = UInt64(match.1)
            else {
                claims.append("a check names no call: \(found.text)")
                continue
            }
            let calls = bodies(of: [mount]).filter { $0.turn >= changed }
            let isNamed = calls.contains { call in
                "\(call.turn)" == match.3
                    && (match.2 == "assignment" || match.2 == "call" || "\(call.call)" == match.2)
            }
            if !isNamed { claims.append("no such call has run, and a check says: \(found.text)") }
            if match.4 == "did not write it",
                calls.contains(where: {
                    $0.turn > changed && "\($0.turn)" == match.3 && $0.wrote.contains(id)
                })
            {
                claims.append("it did write it, and a check says: \(found.text)")
            }
        }
        return claims
    }

    // MARK: Facts

    private func model(_ explanation: Explanation, _ simulation: Simulation) -> [String] {
        let key = explanation.view.key
        guard let change = explanation.modelChanged else {
            return lastChange[key] == nil ? [] : ["the model has changed in turn \(lastChange[key] ?? 0)"]
        }
        if change.turn < lastChange[key] ?? 0 {
            return ["the model changed later, in turn \(lastChange[key] ?? 0)"]
        }
        let writers = records.filter { $0.record.turn == change.turn && $0.record.set.contains(key) }
        let names = writers.map { name(of: $0, simulation) }
        guard names.contains(change.by) else {
            return ["\(change.by) is none of those that set it in turn \(change.turn): \(names)"]
        }
        if let source = change.source, !asked(source, before: change.turn) {
            return ["nobody asked for it in turn \(source.turn) as \(source.by)"]
        }
        return []
    }

    private func shown(_ id: FieldID, _ explanation: Explanation, _ simulation: Simulation) -> [String] {
        let line = records.last { $0.record.wrote.contains(id) }
        guard let write = explanation.shownWritten else {
            return line == nil ? [] : ["it was written in turn \(line?.record.turn ?? 0)"]
        }
        guard let line else { return ["no record has written it"] }
        let last = line.record
        if write.turn != last.turn || write.by != line.word || write.mount != last.mount
            || write.bridge != last.bridge
        {
            return ["it was written last by \(text(line, simulation))"]
        }
        guard let source = write.source else { return [] }
        if let own = last.source, own.turn == source.turn, own.by == source.by, own.mount == source.mount {
            return asked(source, before: write.turn) ? [] : ["nobody wrote it in turn \(source.turn)"]
        }
        return ["its record names another source"]
    }

    /// Whether a call of this kind ran in that turn.
    private func asked(_ source: TraceRecord.Source, before turn: UInt64) -> Bool {
        source.turn <= turn
            && records.contains {
                $0.record.turn == source.turn && $0.record.mount == source.mount && $0.word == source.by
            }
    }

    private func carriers(_ id: FieldID, _ explanation: Explanation, _ simulation: Simulation) -> [String] {
        let changed = explanation.modelChanged?.turn ?? 0
        return explanation.carriers.compactMap { carrier -> String? in
            guard let mount = carrier.mount else {
                return simulation.mounts(of: carrier.bridge).isEmpty ? nil : "the bridge has mounts"
            }
            let calls =
                switch "\(carrier.call)" {
                case "assign": assignments(of: mount)
                // To make the control is no update.
                case "update": bodies(of: [mount]).filter { "\($0.call)" == "update" }
                case "make": makes(of: mount)
                default: bodies(of: [mount])
                }
            let counted = (
                least: calls.count { $0.turn > changed }, most: calls.count { $0.turn >= changed }
            )
            // What a control from the pool is updated with carries, and is no make.
            let last =
                "\(carrier.call)" == "make"
                ? records.last { $0.record.mount == mount && $0.call == "make" && $0.cause != "measure" }?
                    .record
                : calls.last
            if carrier.lastTurn != last?.turn {
                return
                    "mount \(mount) was last called in turn \(last?.turn ?? 0), not \(carrier.lastTurn ?? 0)"
            }
            return carrier.since < counted.least || carrier.since > counted.most
                ? "mount \(mount) was called \(counted) times since" : nil
        }
    }

    private func bodies(of mounts: [MountID]) -> [TraceRecord] {
        records.filter { line in line.isBody && line.record.mount.map(mounts.contains) ?? false }.map(
            \.record)
    }

    /// Each make by its last record: the update that follows on it belongs to it, one without it is of a control from
    /// the pool.
    private func makes(of mount: MountID) -> [TraceRecord] {
        var calls: [TraceRecord] = []
        var isMade = false
        for line in records where line.record.mount == mount {
            if line.call == "dismantle" { isMade = line.cause == "measure" && isMade }
            guard line.isBody else { continue }
            if line.call == "update", isMade { calls.removeLast() }
            calls.append(line.record)
            isMade = line.call == "make"
        }
        return calls
    }

    /// What gave a mount its root view: its making, a new control in its place, an assignment.
    private func assignments(of mount: MountID) -> [TraceRecord] {
        records.filter { line in
            if line.record.assigned.contains(mount) { return true }
            guard line.record.mount == mount else { return false }
            return line.call == "bridge.assign"
                || line.call == "draw" && ["first", "restore"].contains(line.cause)
                // Its draw comes with it, or later where it has no window.
                || line.call == "cleared" && line.cause == "identity"
        }.map(\.record)
    }

    // MARK: Sentences

    // As Swift compiles them: once for a run, not once for a field.
    private let hasNotRun =
        /(update|draw) of (b\d)(?: for mount (\d+)| for its \d+ \w+)?(?:, w[^,]*,)? has (?:not )?run since (make in )?turn (\d+)/
    private let neverRan = /(update|draw) of (b\d)(?: for mount \d+| for its \d+ mounts)? has (?:n?ever) run/
    private let didNotWrite =
        /(make|update|draw) of (b\d)(?: for mount \d+)? ran since, last in turn (\d+), and did not/
    private let notAssigned =
        /no assignment of (b\d)(?: for mount \d+| for its \d+ mounts)? has run since turn (\d+)/
    private let notMounted = /(b\d), which carries it, (was never mounted|has no mount since turn (\d+))/
    private let holds = /mount (\d+) of b\d holds (it|another value) and/

    private func claims(_ id: FieldID, _ explanation: Explanation, _ simulation: Simulation) -> [String] {
        let sentence = explanation.sentence
        var claims: [String] = []
        func live(_ bridge: Substring) -> [MountID] {
            simulation.scenario.bridges.firstIndex { $0.id == bridge }.map { simulation.mounts(of: $0) } ?? []
        }
        for match in sentence.matches(of: hasNotRun) {
            let mounts = match.3.flatMap { MountID($0) }.map { [$0] }
            let newest = bodies(of: mounts ?? live(match.2)).last
            if mounts == nil, live(match.2).count < 2,
                records.contains(where: {
                    $0.isBody && $0.record.turn > UInt64(match.5) ?? 0
                        && $0.record.bridge.map { simulation.scenario.bridges[$0].id } == String(match.2)
                })
            {
                claims.append("\(match.2) ran later, for another mount")
            }
            if newest.map({ "\($0.turn)" }) != String(match.5)
                || (match.4 != nil) != (newest.map { "\($0.call)" } == "make")
            {
                claims.append(
                    "\(match.2) ran last as \(newest.map { text(Line($0), simulation) } ?? "never")")
            }
        }
        for match in sentence.matches(of: neverRan)
        where !bodies(of: live(match.2)).isEmpty { claims.append("\(match.2) has run") }
        for match in sentence.matches(of: didNotWrite) {
            let calls = bodies(of: live(match.2)).filter {
                "\($0.turn)" == match.3 && "\($0.call)" == match.1
            }
            if calls.isEmpty { claims.append("\(match.0): it did not run then") }
            if calls.allSatisfy({ $0.wrote.contains(id) || $0.held.contains(id) }) {
                claims.append("\(match.0): it did write it")
            }
        }
        for match in sentence.matches(of: notAssigned) {
            let last = live(match.1).flatMap(assignments).map(\.turn).max()
            if last.map({ "\($0)" }) != String(match.2) {
                claims.append("\(match.1) was assigned last in turn \(last ?? 0)")
            }
        }
        for match in sentence.matches(of: notMounted) {
            let own = records.map(\.record).filter {
                $0.bridge.map { simulation.scenario.bridges[$0].id } == String(match.1)
            }
            if !live(match.1).isEmpty { claims.append("\(match.1) has a mount") }
            if let turn = match.3, !own.contains(where: { "\($0.turn)" == turn }) {
                claims.append("nothing became of \(match.1) in turn \(turn)")
            }
            if match.3 == nil, !own.isEmpty { claims.append("\(match.1) was mounted") }
        }
        for match in sentence.matches(of: holds) {
            let mount = MountID(match.1)
            let wrote = records.contains { line in
                // A control from the pool keeps what it was given as another mount's.
                (line.record.mount == mount || line.record.source?.mount == mount)
                    && (line.record.wrote.contains(id) || line.record.held.contains(id))
            }
            if !wrote { claims.append("mount \(match.1) never wrote it") }
        }
        if sentence.contains("all the same"), explanation.view.shown == nil {
            claims.append("it shows nothing")
        }
        return claims
    }

    // MARK: Words

    private func name(of line: Line, _ simulation: Simulation) -> String {
        if line.call == "model.set" || line.call == "model.clear" { return "client" }
        if line.call == "write-back" { return "write-back" }
        return line.word + (line.record.bridge.map { " of \(simulation.scenario.bridges[$0].id)" } ?? "")
    }

    private func text(_ line: Line, _ simulation: Simulation) -> String {
        let record = line.record
        var text = "\(record.turn).\(record.round) \(name(of: line, simulation))"
        if let mount = record.mount { text += " #\(mount)" }
        if !line.cause.isEmpty { text += " (\(line.cause))" }
        if !record.wrote.isEmpty { text += " wrote \(record.wrote)" }
        if !record.held.isEmpty { text += " held \(record.held)" }
        if !record.set.isEmpty { text += " set \(record.set)" }
        if !record.assigned.isEmpty { text += " assigned \(record.assigned)" }
        if let source = record.source {
            text += " from \(source.by) #\(source.mount ?? 0) in \(source.turn)"
        }
        if let own = record.text { text += " \"\(own)\"" }
        return text
    }
}
