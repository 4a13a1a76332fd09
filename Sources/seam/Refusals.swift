internal import SeamClient
internal import SeamWire

// The daemon's refusals in the words of the command line. The daemon speaks to whoever writes requests, in names of
// methods and members; here commands and options take their place. Sentences are made of the error's kind and facts:
// its message is for people and may change, so nothing reads it.

/// What the daemon said no to.
struct Refused: Error {
    let failure: WireFailure
    let params: JSON
}

/// A refusal as a person at a shell can use it. A kind without a sentence of its own keeps the daemon's.
struct Refusal {
    let failure: WireFailure
    /// What was asked; empty when that is not known.
    let params: JSON
    let arguments: Arguments

    var sentence: String {
        // Who sends requests by hand speaks of them.
        if arguments.command.name == "call" { return ofRequest }
        switch failure.kind {
        case "unknown-sim":
            let simulation = fact("sim")
            return
                "There is no simulation \(simulation); \(choice(simulation, command: "seam list")). Make one with: "
                + "seam create SCENARIO --id \(shellQuoted(simulation))"
        case "unknown-scenario":
            let scenario = fact("scenario")
            return "There is no scenario \(scenario); \(choice(scenario, command: "seam scenarios"))."
        case "which-mount": return ofMounts ?? failure.message
        case "unknown-bridge": return ofBridge ?? unknownName ?? failure.message
        // A policy by its right name, with a bridge that it does not take.
        case "unknown-policy" where failure.data["expected"]?.text?.hasSuffix(", without a bridge") == true:
            return failure.message
        // Its path is the policy's, and the name stands in the policy's value.
        case "unknown-key" where failure.data["path"]?.text?.hasPrefix("policies.") == true:
            return failure.message
        case "unknown-screen", "unknown-field", "unknown-event", "unknown-key", "unknown-arg",
            "unknown-policy",
            "unknown-profile":
            return unknownName ?? failure.message
        case "gone": return params["after"] == nil ? failure.message : ofHistory
        case "seq-in-future" where params["at"] != nil:
            return
                "--at names a moment that is yet to come; the simulation is at seq \(fact("latest"))."
        case "seq-in-future":
            return
                "--after names a place that is yet to come; the stream is at \(fact("epoch")):\(fact("latest"))."
        case "sim-exists":
            let simulation = fact("sim")
            return "There is a simulation \(simulation) already; choose another --id, or end it first: "
                + "seam destroy \(shellQuoted(simulation))"
        case "recorded":
            return
                "The simulation \(fact("sim")) is being recorded already, to \(fact("path")); end that with: "
                + "seam record \(shellQuoted(fact("sim"))) --stop"
        case "not-recorded" where failure.data["turn"] != nil:
            return
                "The recording of \(fact("sim")) to \(fact("file")) ended by itself in turn \(fact("turn")), since it "
                + fact("reason")
                + (failure.data["lines"].map { "; it holds \($0.scalar ?? "?") whole lines" } ?? "")
                + ". Begin another with: "
                + "seam record \(shellQuoted(fact("sim"))) FILE"
        case "not-recorded":
            return "The simulation \(fact("sim")) is not being recorded; begin with: "
                + "seam record \(shellQuoted(fact("sim"))) FILE"
        case "conflict":
            let simulation = params["sim"]?.text ?? "?"
            return
                "The simulation \(simulation) is at seq \(fact("seq")), not \(params["ifSeq"]?.scalar ?? "?"); "
                + "nothing was changed. Look at it again: seam check \(shellQuoted(simulation))"
        case "not-traced":
            let simulation = shellQuoted(params["sim"]?.text ?? "SIM")
            return
                "The simulation \(params["sim"]?.text ?? "?") keeps no trace; make one that does: "
                + "seam create SCENARIO --id \(simulation) --trace on"
        case "too-large": return ofSize ?? failure.message
        default: return failure.message
        }
    }

    private func fact(_ name: String) -> String { failure.data[name]?.scalar ?? "?" }

    /// The names to choose from: those that are near; all, when a person can read them; else where they are listed.
    private func choice(_ name: String, command: String?) -> String {
        let known = failure.known
        let lookUp = command.map { "; `\($0)` names them all" } ?? ""
        switch known.count {
        case 0: return "there is none"
        case 1: return "the only one is \(known[0])"
        default:
            let near = nearOnes(name, among: known)
            if !near.isEmpty { return "near it: \(near.joined(separator: ", "))\(lookUp)" }
            // The daemon sends the nearest 20 at most, so few are all that there are.
            if known.count <= 8 || command == nil {
                return "there are \(known.prefix(8).joined(separator: ", "))" + (known.count > 8 ? ", …" : "")
            }
            return "`\(command ?? "")` names those that there are"
        }
    }

    // MARK: Names of the scenario

    /// `NAME is not a bridge of the simulation …; near it: …`.
    private var unknownName: String? {
        guard let name = namedByPath, let expected = failure.data["expected"]?.text else { return nil }
        // Policies and profiles are Seam's own, and few.
        let isDescribed = !["unknown-policy", "unknown-profile"].contains(failure.kind)
        let isField = ["unknown-field", "unknown-screen", "unknown-key"].contains(failure.kind)
        var command: String?
        if let scenario = params["scenario"]?.text, isDescribed {
            command = "seam describe \(shellQuoted(scenario))"
        } else if let simulation = params["sim"]?.text, isField {
            command = "seam check \(shellQuoted(simulation)) --fail-on none"
        }
        return "\(name) is not \(expected); \(choice(name, command: command))."
    }

    /// What stands in the params where the error points: `bridge`, `keys[0]`, or a member's own name, `values.openCount`.
    private var namedByPath: String? {
        guard let path = failure.data["path"]?.text else { return nil }
        if let text = params[path]?.text { return text }
        if path.hasSuffix("]"), let bracket = path.lastIndex(of: "["),
            let index = Int(path[bracket...].dropFirst().dropLast())
        {
            let list = path[..<bracket].split(separator: ".").reduce(JSON?.some(params)) { $0?[String($1)] }
            return list?[index]?.text
        }
        guard let dot = path.firstIndex(of: "."), params[String(path[..<dot])]?.members != nil else {
            return nil
        }
        return String(path[dot...].dropFirst())
    }

    // MARK: Bridges and mounts

    private var ofMounts: String? {
        guard let bridge = params["bridge"]?.text ?? bridgeOfExpectation else { return nil }
        let asked = params["mount"]?.scalar
        let simulation = shellQuoted(params["sim"]?.text ?? "SIM")
        // A mount that is there, and of no use any more.
        if failure.data["known"] == nil {
            let mount =
                asked.map { "Mount \($0) of the bridge \(bridge)" } ?? "The mount of the bridge \(bridge)"
            let number = asked.map { " --mount \($0)" } ?? ""
            return
                "\(mount) has failed and gets no more calls; `seam check \(simulation)` says why. To place it anew: "
                + "seam unmount \(simulation) \(shellQuoted(bridge))\(number), then "
                + "seam mount \(simulation) \(shellQuoted(bridge))"
        }
        let known = failure.known
        if known.isEmpty {
            return
                "The bridge \(bridge) is not mounted; mount it first: seam mount \(simulation) \(shellQuoted(bridge))"
        }
        let list =
            known.count == 1
            ? "mount \(known[0])"
            : "mounts \(known.dropLast().joined(separator: ", ")) and \(known[known.count - 1])"
        return asked.map { "The bridge \(bridge) has no mount \($0); it has \(list)." }
            ?? "The bridge \(bridge) has \(list); say which with --mount N."
    }

    /// An event does not name its bridge; the error does.
    private var bridgeOfExpectation: String? {
        let words = "a mount of the bridge "
        guard let expected = failure.data["expected"]?.text, expected.hasPrefix(words) else { return nil }
        return String(expected.dropFirst(words.count))
    }

    /// A bridge that is there, and of the other kind.
    private var ofBridge: String? {
        guard let bridge = params["bridge"]?.text, let simulation = params["sim"]?.text,
            let (done, expected, other) = [
                "the bridge of an embedding": ("assigned", "embedding", "update"),
                "the bridge of a wrapping": ("updated", "wrapping", "assign"),
            ][failure.data["expected"]?.text ?? ""]
        else { return nil }
        let others = failure.known.isEmpty ? "" : ", as \(failure.known.joined(separator: ", ")) can"
        let verb = arguments.command.name == "build" ? "built" : done
        return "The bridge \(bridge) cannot be \(verb)\(others), since it is no \(expected); try: "
            + "seam \(other) \(shellQuoted(simulation)) \(shellQuoted(bridge))"
    }

    // MARK: The rest

    private var ofHistory: String {
        let after = params["after"]
        let place = (after?["dseq"] ?? after?["seq"])?.scalar.map {
            " behind \(after?["epoch"]?.text ?? "?"):\($0)"
        }
        let reason =
            switch (after?["epoch"]?.text, failure.data["epoch"]?.text) {
            case (let asked?, let now?) where asked != now:
                "There are no changes\(place ?? " behind that place"): what is here now is of the epoch \(now), "
                    + "begun since"
            default: "The changes\(place ?? " behind that place") are no longer kept"
            }
        return "\(reason); watch without --after, which begins with the fields as they are."
    }

    private var ofRequest: String {
        guard failure.kind == "unknown-method" else { return failure.message }
        let method = arguments.optionalWord("METHOD") ?? "?"
        let near = nearOnes(method, among: failure.known)
        let list = near.isEmpty ? "" : "; near it: \(near.joined(separator: ", "))"
        return "There is no method \(method)\(list). `seam call rpc.discover` describes them all."
    }

    /// An answer that would be too long. What was sent and is too long has a path, or is longer than the limit.
    private var ofSize: String? {
        guard failure.data["path"] == nil, arguments.command.name != "feed",
            let limit = failure.data["limit"]?.integer,
            params.encoded.utf8.count < limit / 2
        else { return nil }
        let remedy =
            switch arguments.command.name {
            case "check": "; check one --screen, or name fields"
            case "run" where arguments.has(.steps): "; leave out --steps"
            default: ""
            }
        return "The answer would be longer than \(limit) bytes\(remedy)."
    }
}

/// Those of the names that a person may have meant, five at most: the ones that hold the word or are part of it, then
/// those that are few edits away for its length. Where there are neither, those with the same beginning.
func nearOnes(_ word: String, among known: [String]) -> [String] {
    let wanted = word.lowercased().filter { $0 != "*" }
    guard !wanted.isEmpty else { return [] }
    let edits = max(1, wanted.count / 4)
    // As many edits away as a near name may be; a name behind it is too far.
    let limit = String(repeating: "\u{0}", count: edits) + wanted.dropFirst(edits)
    let ranked = nearest(wanted, among: known + [limit], limit: known.count + 1)
    let close = ranked.prefix { $0 != limit }
    let others = ranked.dropFirst(close.count + 1)
    // Two letters are part of too much.
    let related = (Array(close) + others).filter {
        let name = $0.lowercased()
        return wanted.count >= 3 && name.contains(wanted) || name.count >= 3 && wanted.contains(name)
    }
    let near = related + close.filter { !related.contains($0) }
    if !near.isEmpty { return Array(near.prefix(5)) }
    let beginning = max(4, wanted.count / 2)
    return Array(
        others.filter { zip($0.lowercased(), wanted).prefix { $0 == $1 }.count >= beginning }.prefix(5))
}
