internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam plugin ACTION …`: for those who write plug-ins.
func plugin(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let action = arguments.word("ACTION")
    let belonging: [(option: Option, action: String)] = [
        (.language, "new"), (.around, "new"), (.root, "new"), (.only, "check"), (.inProcess, "check"),
        (.checkSeed, "check"),
    ]
    for (option, owner) in belonging where owner != action && arguments.has(option) {
        throw UsageFailure(
            message: "--\(option.name) is for `seam plugin \(owner)`", command: arguments.command)
    }
    switch action {
    case "new": return try newPlugin(session)
    case "describe": return try describePlugin(session)
    default: return try checkPlugin(session)
    }
}

/// The library that is named, as an absolute path, as every message about it has it.
/// - Throws: when there is none: a word that was typed wrongly, of which no more can be said.
func pluginFile(_ session: Session) throws -> String {
    let given = session.arguments.word("NAME|FILE")
    guard let path = resolvedPath(given) else {
        let reason = errorText(errno)
        throw UsageFailure(
            message: "there is no plug-in \(given): \(reason)", command: session.arguments.command)
    }
    guard FileStatus(of: path)?.kind == .file else {
        throw UsageFailure(
            message: "\(path) is no file, so it is no plug-in", command: session.arguments.command)
    }
    return path
}

/// `seam plugin describe FILE`: everything that a plug-in says of itself, asked in a daemon of its own.
private func describePlugin(_ session: Session) throws -> Exit {
    let path = try pluginFile(session)
    let client = try session.start(PrivateDaemon.Plugins(files: [path]))
    var about: JSON?
    var scenarios: [JSON] = []
    // The daemon's own folders hold others.
    for item in try session.list(client, "scenario.list", "scenarios") where item["plugin"]?.text != nil {
        let description = try session.call(client, "scenario.describe", ["scenario": item["id"] ?? .null])
        guard let plugin = description["plugin"], plugin["file"]?.text == path else { continue }
        about = plugin
        scenarios.append(description.removing("plugin"))
    }
    guard let about else {
        session.note("\(path): none of its scenarios is served")
        return .refused
    }
    if session.printsJSON {
        session.print(about.adding("scenarios", .array(scenarios)))
        return .fine
    }
    func text(_ member: String) -> String { printable(about[member]?.text ?? "") }
    session.print(session.style.paint("\(text("name")) \(text("version")) (\(text("id")))", .bold))
    session.printTable(
        ["vendor", "license", "url", "file"].filter { !text($0).isEmpty }.map { [$0, text($0)] }, indent: "  "
    )
    for scenario in scenarios {
        session.print("")
        Description(scenario, session).print()
    }
    return .fine
}
