internal import SeamClient
internal import SeamWire

// The commands that make, drive and read the simulations of a running daemon.

/// `seam create`: prints the simulation's id alone, so that a script can keep it.
func createSimulation(_ session: Session) throws -> Exit {
    let client = try session.connect()
    let arguments = session.arguments
    let params = creationParams(arguments.word("SCENARIO"), arguments)
        .adding("history", arguments.number(.history).map { .integer($0) })
        .adding("record", arguments.value(.recordTo).map { .string(absolutePath($0)) })
    let created = try session.call(client, "sim.create", params)
    session.printsJSON ? session.print(created) : session.print(printable(created["sim"]?.text ?? ""))
    return .fine
}

func listSimulations(_ session: Session) throws -> Exit {
    let client = try session.connect()
    let simulations = try session.list(client, "sim.list", "sims")
    if session.printsJSON {
        simulations.forEach(session.print)
        return .fine
    }
    session.printTable(
        simulations.map { simulation in
            ["sim", "scenario", "status", "seq", "epoch"].map { member in
                let text = printable(simulation[member]?.scalar ?? "")
                return member == "seq" ? "seq=\(text)" : text
            }
        })
    return .fine
}

func destroySimulation(_ session: Session) throws -> Exit {
    let client = try session.connect()
    let destroyed = try session.call(client, "sim.destroy", target(session))
    if session.printsJSON { session.print(destroyed) }
    return .fine
}

func setModel(_ session: Session) throws -> Exit {
    try change(session, "model.set", ["values": pairs(session)])
}

/// `seam clear`: the model's values, or with --screen what a live screen shows.
func clearValues(_ session: Session) throws -> Exit {
    let keys = JSON.texts(session.arguments.words("KEY"))
    guard let screen = session.arguments.value(.screen) else {
        return try change(session, "model.clear", ["keys": keys])
    }
    return try change(session, "screen.clear", ["screen": .string(screen), "keys": keys])
}

func showValues(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let screen: JSON = ["screen": .string(arguments.word("SCREEN"))]
    let declared = arguments.values(.declare)
    let showsNothing = arguments.words("K=V").isEmpty
    if declared.isEmpty && showsNothing {
        throw UsageFailure(message: "show needs K=V: what the screen shows", command: arguments.command)
    }
    let client = try session.connect()
    var ifSeq = arguments.number(.ifSeq)
    if !declared.isEmpty {
        let answer = try change(
            session, "screen.declare", screen.adding("fields", .texts(declared)), on: client, ifSeq: ifSeq)
        // Both turns or, when somebody else's came between them, the first alone: its own seq is the next condition.
        if ifSeq != nil { ifSeq = answer["seq"]?.integer }
    }
    if !showsNothing {
        _ = try change(
            session, "screen.set", screen.adding("values", pairs(session)), on: client, ifSeq: ifSeq)
    }
    return .fine
}

func sendEvent(_ session: Session) throws -> Exit {
    let event: JSON = ["event": .string(session.arguments.word("EVENT"))]
    let arguments = session.arguments.words("K=V").isEmpty ? nil : pairs(session)
    return try change(session, "sim.send", event.adding("args", arguments))
}

/// `assign`, `update`, `mount` and `unmount` are the protocol's own words.
func callBridge(_ session: Session) throws -> Exit {
    try change(
        session, "bridge.\(session.arguments.command.name)",
        ["bridge": .string(session.arguments.word("BRIDGE"))])
}

func advanceClock(_ session: Session) throws -> Exit {
    // The table has checked that it is a number; a JSON number has no leading zeros or sign, hence not the word.
    try change(session, "sim.advance", ["ms": .integer(Int(session.arguments.word("MS")) ?? 0)])
}

/// `seam check`: judges the fields as they are now.
func checkSimulation(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let fields = arguments.words("FIELD")
    let params = target(session)
        .adding("label", arguments.value(.label).map { .string($0) })
        .adding("screen", arguments.value(.screen).map { .string($0) })
        .adding("fields", fields.isEmpty ? nil : .texts(fields))
        .adding("at", arguments.number(.at).map { .integer($0) })
    let client = try session.connect()
    let check = try session.call(client, "sim.check", params)
    let diagnostics = check["diagnostics"]?.elements ?? []
    if session.printsJSON {
        session.print(check.removing("diagnostics"))
        diagnostics.forEach(session.print)
    } else {
        session.printCheck(check)
        diagnostics.forEach(session.noteDiagnostic)
    }
    let failOn = FailOn(arguments.value(.failOn), default: ["stale", "missing", "leftover"])
    let isHit = failOn.isHit(by: check) || diagnostics.contains(where: failOn.isHit(byDiagnostic:))
    return isHit ? .finding : .fine
}

/// The simulation that the command names.
private func target(_ session: Session) -> JSON {
    ["sim": .string(session.arguments.word("SIM"))]
}

/// The command's `K=V` words as an object of texts.
private func pairs(_ session: Session) -> JSON {
    .texts(Arguments.pairs(session.arguments.words("K=V")))
}

/// A request that changes a simulation: with the options that all of them share, and its answer printed.
private func change(_ session: Session, _ method: String, _ members: JSON) throws -> Exit {
    _ = try change(
        session, method, members, on: session.connect(), ifSeq: session.arguments.number(.ifSeq))
    return .fine
}

private func change(
    _ session: Session, _ method: String, _ members: JSON, on client: Client, ifSeq: Int?
) throws -> JSON {
    let params = target(session).adding(members)
        .adding("mount", session.arguments.number(.mount).map { .integer($0) })
        .adding("ifSeq", ifSeq.map { .integer($0) })
    let answer = try session.call(client, method, params)
    session.printChange(answer)
    return answer
}
