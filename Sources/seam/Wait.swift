internal import SeamClient
internal import SeamWire

/// `seam wait`: until a field has a verdict. Listens to the stream, and asks nothing twice.
func waitForVerdict(_ session: Session) throws -> Exit {
    let simulation = session.arguments.word("SIM")
    let condition = Condition(session.arguments.word("FIELD=VERDICT"))
    let deadline = session.deadline()
    let client = try session.connect()

    var request = SubscriptionRequest(simulation: simulation)
    request.match = [condition.glob]
    let subscription = try session.subscribe(request, on: client, until: deadline)
    var last: JSON?
    do {
        while true {
            let event = try client.nextEvent(until: deadline)
            guard event["sub"]?.integer == subscription.number else { continue }
            switch event.kind {
            case .state, .verdict:
                guard condition.isAbout(event.params) else { continue }
                last = event.params
                if condition.isMet(by: event.params) {
                    if session.printsJSON { session.print(event.params) }
                    return .fine
                }
            case .sync:
                if last == nil { try refuseUnknown(condition, of: simulation, client, session) }
            case .end:
                session.note(
                    "\(simulation) ended before \(condition.field) was \(condition.verdict)\(condition.state(last))"
                )
                return .finding
            case .diagnostic, .mark, .lag, .sim, nil:
                continue
            }
        }
    } catch ClientFailure.timedOut {
        let milliseconds = session.arguments.number(.timeout) ?? 0
        session.note(
            "\(condition.field) was not \(condition.verdict) within \(milliseconds) ms\(condition.state(last))"
        )
        return .timedOut
    }
}

/// A field that a scenario does not declare will never get a verdict; only a live simulation may still show it.
private func refuseUnknown(
    _ condition: Condition, of simulation: String, _ client: Client, _ session: Session
) throws {
    let sim: JSON = ["sim": .string(simulation)]
    let state = try session.call(client, "sim.get", sim.adding("limit", 1))
    if state["scenario"]?.text == "live" { return }
    let known = try session.list(client, "sim.get", "fields", sim).map(fieldName)
    let list = known.isEmpty ? "it has none" : "it has \(known.prefix(20).joined(separator: ", "))"
    throw NothingMatches(
        message:
            "\(simulation) has no field \(condition.field)\(didYouMean(condition.field, among: known)) (\(list))"
    )
}

/// `Screen.field=verdict`, or `field=verdict` for that field on any screen.
private struct Condition {
    let field: String
    let verdict: String

    init(_ word: String) {
        // The word was checked for a '='; the last divides, since a key may hold one.
        let divider = word.lastIndex(of: "=") ?? word.endIndex
        field = String(word[..<divider])
        verdict = String(word[divider...].dropFirst())
    }

    /// Never too narrow; a `*` in a name makes it wider, so ``isAbout(_:)`` looks again.
    var glob: String { field.contains(".") ? field : "*.\(field)" }

    func isAbout(_ params: JSON) -> Bool {
        guard let screen = params["screen"]?.text, let key = params["field"]?.text else { return false }
        return field.contains(".") ? field == "\(screen).\(key)" : field == key
    }

    func isMet(by params: JSON) -> Bool {
        (params["to"] ?? params["verdict"])?.text == verdict
    }

    /// What it was when it was last seen, as the end of a sentence.
    func state(_ last: JSON?) -> String {
        guard let last, let word = (last["to"] ?? last["verdict"])?.text else { return "; it was never seen" }
        return "; it is \(word), model=\(shownValue(last["model"])) screen=\(shownValue(last["shown"]))"
    }
}
