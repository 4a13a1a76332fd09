internal import Foundation
internal import SeamClient
internal import SeamWire

// Recordings, and simulations that begin where another one was.

/// `seam record`: begins a recording, or ends it with --stop.
func record(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let simulation = arguments.word("SIM")
    let path = arguments.optionalWord("PATH")
    if arguments.has(.stop) {
        if let path {
            throw UsageFailure(
                message: "--stop has no use for '\(path)': a simulation has one recording",
                command: arguments.command)
        }
        let stopped = try session.call(session.connect(), "rec.stop", ["sim": .string(simulation)])
        if session.printsJSON {
            session.print(stopped)
        } else {
            session.print(
                "\(printable(stopped["path"]?.text ?? "?")): \(stopped["lines"]?.integer ?? 0) lines, "
                    + "\(stopped["bytes"]?.integer ?? 0) bytes")
        }
        return .fine
    }
    guard let path else {
        throw UsageFailure(
            message: "record needs PATH, the new file, or --stop", command: arguments.command)
    }
    let started = try session.call(
        session.connect(), "rec.start", ["sim": .string(simulation), "path": .string(absolutePath(path))])
    if session.printsJSON {
        session.print(started)
    } else {
        session.print("recording to \(printable(started["path"]?.text ?? "?"))")
    }
    return .fine
}

/// The file of the plug-in that a recording was made with, as its header has it; nil when that can't be told.
private func recordedPlugin(_ path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let head = try? file.read(upToCount: 64 << 10),
        let line = String(decoding: head, as: UTF8.self).split(separator: "\n").first
    else { return nil }
    return (try? JSON(parsing: String(line)))?["plugin"]?["file"]?.text
}

/// `seam replay`: whether a recording comes out the same.
func replay(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let path = arguments.word("PATH")
    // A simulation that stays needs a daemon that stays.
    let client = try arguments.has(.keep) ? session.connect() : session.connectOrStart()
    let params = JSON.texts([("path", absolutePath(path))])
        .adding("id", arguments.value(.identifier).map { .string($0) })
        .adding("keep", arguments.has(.keep) ? true : nil)
    let result: JSON
    do {
        result = try session.call(client, "rec.replay", params)
    } catch let refused as Refused where refused.failure.kind == "unknown-scenario" {
        if let file = recordedPlugin(path) {
            session.note(
                "\(path) was recorded with the plug-in \(printable(file)); load it with --plugin")
        }
        throw refused
    }
    let isSame = result["same"]?.boolean == true
    if session.printsJSON {
        session.print(result)
        return isSame ? .fine : .finding
    }
    let name = printable(path)
    let counts = "\(result["lines"]?.integer ?? 0) lines, \(result["turns"]?.integer ?? 0) turns"
    if let difference = result["difference"] {
        session.print(
            "\(name): differs in line \(difference["line"]?.integer ?? 0), turn \(difference["turn"]?.integer ?? 0)"
        )
        session.print("  recorded: \(RecordedLine(difference["expected"]).words)")
        session.print("  now:      \(RecordedLine(difference["got"]).words)")
        if let text = difference["text"]?.text { session.print("  since \(printable(text))") }
    } else {
        session.print("\(name): same, \(counts)")
    }
    if let simulation = result["sim"]?.text { session.print("kept as \(printable(simulation))") }
    if result["torn"]?.boolean == true {
        session.note("\(path): the last line was cut off, and is left out")
    } else if result["unfinished"]?.boolean == true {
        session.note("\(path): its end is missing: it was cut off after a full line, or is still being made")
    }
    return isSame ? .fine : .finding
}

/// `seam fork`: prints the new simulation's id alone, so that a script can keep it.
func forkSimulation(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    let params = JSON.texts([("sim", arguments.word("SIM"))])
        .adding("id", arguments.value(.identifier).map { .string($0) })
        .adding(try moment(of: arguments))
    let forked = try session.call(session.connect(), "sim.fork", params)
    session.printsJSON ? session.print(forked) : session.print(printable(forked["sim"]?.text ?? ""))
    return .fine
}

/// The moment that --at or --at-turn names, as a member of a request.
func moment(of arguments: Arguments) throws -> JSON {
    let (seq, turn) = (arguments.number(.at), arguments.number(.atTurn))
    if seq != nil && turn != nil {
        throw UsageFailure(
            message: "--at and --at-turn each name a moment; give one of them", command: arguments.command)
    }
    return JSON.object([]).adding("at", seq.map { .integer($0) }).adding("atTurn", turn.map { .integer($0) })
}

/// The daemon has a folder of its own: a path is meant from where the command was typed.
func absolutePath(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

/// A line of a recording, for a person.
private struct RecordedLine {
    private let text: String?

    init(_ line: JSON?) { text = line?.text }

    var words: String {
        guard let text else { return "nothing" }
        // One that was cut is no JSON any more, and is shown as it is.
        guard let line = try? JSON(parsing: text) else { return printable(text) }
        if let result = line["out"]?.text { return words(of: result, line) }
        guard let input = line["in"]?.text else { return printable(text) }
        let rest = (line.members ?? []).filter { !["in", "turn", "ms"].contains($0.name) }
        return ([printable(input)] + rest.map { "\(printable($0.name))=\(value($0.value))" }).joined(
            separator: " ")
            + place(of: line)
    }

    private func words(of result: String, _ line: JSON) -> String {
        switch result {
        case "verdict":
            "\(fieldName(line)) \(line["from"]?.text ?? "?") -> \(line["to"]?.text ?? "?"), "
                + "model=\(shownValue(line["model"])) screen=\(shownValue(line["shown"]))" + place(of: line)
        case "diagnostic":
            "\(printable(line["code"]?.text ?? "?")): \(printable(line["text"]?.text ?? ""))"
                + place(of: line)
        case "failed": "the simulation fails: \(printable(line["text"]?.text ?? ""))" + place(of: line)
        case "end": "the end" + place(of: line)
        default: "the recording begins" + place(of: line)
        }
    }

    private func place(of line: JSON) -> String {
        let places = ["turn", "seq", "ms"].compactMap { member in
            line[member]?.integer.map { "\(member) \($0)" }
        }
        return places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
    }

    private func value(_ json: JSON) -> String { json.scalar.map(printable) ?? printable(json.encoded) }
}
