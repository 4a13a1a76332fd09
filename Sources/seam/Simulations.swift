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
            session, "screen.declare", screen.adding("fields", .texts(declared)), on: client, ifSeq: ifSeq,
            readsInterim: showsNothing)
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

/// `mount`, `unmount`, `build` and `dismiss` are the protocol's own words.
func callBridge(_ session: Session) throws -> Exit {
    try change(
        session, "bridge.\(session.arguments.command.name)",
        ["bridge": .string(session.arguments.word("BRIDGE"))])
}

func assignRoot(_ session: Session) throws -> Exit {
    try changeBridge(session, "bridge.assign", "built", session.arguments.has(.built) ? true : nil)
}

func updateBridge(_ session: Session) throws -> Exit {
    try changeBridge(session, "bridge.update", "cause", session.arguments.value(.cause).map { .string($0) })
}

func identifyMount(_ session: Session) throws -> Exit {
    try changeBridge(session, "bridge.identify", "identity", .string(session.arguments.word("ID")))
}

func rebindMount(_ session: Session) throws -> Exit {
    try changeBridge(session, "bridge.rebind", "owner", .string(session.arguments.word("OWNER")))
}

func setItems(_ session: Session) throws -> Exit {
    let items = session.arguments.words("ITEM").map { word -> JSON in
        guard word.contains("=") else { return .string(word) }
        let (id, value) = Arguments.pairs([word])[0]
        return .texts([("id", id), ("value", value)])
    }
    return try changeBridge(session, "bridge.items", "items", .array(items))
}

func setHost(_ session: Session) throws -> Exit {
    // The table has checked each word.
    let states = Arguments.pairs(session.arguments.words("STATE")).map { name, value in
        JSON.Member(name, name == "scene" ? .string(value) : .bool(OnOff.isOn(value) == true))
    }
    let bridge: JSON = ["bridge": .string(session.arguments.word("BRIDGE"))]
    return try change(session, "host.set", bridge.adding(.object(states)))
}

func setEnvironment(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let values = Arguments.pairs(arguments.words("K=V")).map { JSON.Member($0.name, .string($0.value)) }
    let cleared = arguments.values(.unset)
    if values.isEmpty && cleared.isEmpty {
        throw UsageFailure(message: "env needs K=V, or --unset KEY", command: arguments.command)
    }
    if let twice = cleared.first(where: { key in values.contains { $0.name == key } }) {
        throw UsageFailure(
            message: "env gives '\(twice)' a value and takes it away", command: arguments.command)
    }
    if arguments.has(.mount) && !arguments.has(.host) {
        throw UsageFailure(message: "--mount needs --bridge", command: arguments.command)
    }
    let members: JSON = ["values": .object(values + cleared.map { JSON.Member($0, .null) })]
    return try change(
        session, "environment.set", members.adding("bridge", arguments.value(.host).map { .string($0) }))
}

/// `seam mounts`: a line each, with what is not as it is at first.
func listMounts(_ session: Session) throws -> Exit {
    let client = try session.connect()
    let params = target(session).adding(
        "bridge", session.arguments.optionalWord("BRIDGE").map { .string($0) })
    let mounts = try session.list(client, "bridge.list", "mounts", params)
    if session.printsJSON {
        mounts.forEach(session.print)
        return .fine
    }
    session.printTable(
        mounts.map { mount in
            let value = mount["item"]?.text.map { "=\(printable($0))" } ?? ""
            return [
                printable(mount["bridge"]?.text ?? ""), "mount \(mount["mount"]?.scalar ?? "?")",
                mount["owner"]?.text.map { printable($0) + value } ?? "-", peculiarities(of: mount),
            ]
        })
    return .fine
}

private func peculiarities(of mount: JSON) -> String {
    func text(_ member: String, _ name: String) -> String? {
        mount[member]?.scalar.map { "\(name)=\(printable($0))" }
    }
    func flag(_ member: String, _ usual: Bool) -> String? {
        mount[member]?.boolean == usual ? nil : "\(member)=\(usual ? "off" : "on")"
    }
    let scene = mount["scene"]?.text == "inactive" ? "scene=inactive" : nil
    let made = mount["made"]?.boolean == false ? "not-made" : nil
    return [
        text("identity", "id"), text("parent", "in"), flag("window", true), scene, flag("hidden", false),
        flag("size", true), flag("parked", false), made, text("withheld", "waiting"),
        text("failure", "failed"),
    ].compactMap { $0 }.joined(separator: " ")
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
        .adding("why", arguments.has(.why) ? true : nil)
        .adding(try moment(of: arguments))
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

/// A change of one bridge, with a member that only its method has.
private func changeBridge(_ session: Session, _ method: String, _ member: String, _ value: JSON?) throws
    -> Exit
{
    let bridge: JSON = ["bridge": .string(session.arguments.word("BRIDGE"))]
    return try change(session, method, bridge.adding(member, value))
}

/// A request that changes a simulation: with the options that all of them share, and its answer printed.
private func change(_ session: Session, _ method: String, _ members: JSON) throws -> Exit {
    _ = try change(
        session, method, members, on: session.connect(), ifSeq: session.arguments.number(.ifSeq))
    return .fine
}

private func change(
    _ session: Session, _ method: String, _ members: JSON, on client: Client, ifSeq: Int?,
    readsInterim: Bool = true
) throws -> JSON {
    let interim = readsInterim ? try interimRead(session.arguments) : nil
    let params = target(session).adding(members)
        .adding("mount", session.arguments.number(.mount).map { .integer($0) })
        .adding("ifSeq", ifSeq.map { .integer($0) })
        .adding("interim", interim)
    let answer = try session.call(client, method, params)
    session.printChange(answer)
    return answer
}

/// `--interim LABEL:FIELD,… --after MOMENT` as the protocol has it.
private func interimRead(_ arguments: Arguments) throws -> JSON? {
    guard let text = arguments.value(.interim) else {
        if arguments.has(.moment) {
            throw UsageFailure(
                message: "--after says when --interim reads; give that as well", command: arguments.command)
        }
        return nil
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let fields = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : nil
    if parts[0].isEmpty || fields?.isEmpty == true {
        throw UsageFailure(
            message: "--interim is a label, alone or with fields behind it, such as at-once:openCount,title; "
                + "not '\(text)'", command: arguments.command)
    }
    return JSON.texts([("label", parts[0])])
        .adding("fields", fields.map { .texts($0) })
        .adding("after", arguments.value(.moment).map { .string($0) })
}
