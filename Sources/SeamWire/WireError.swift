/// An error as it goes over the wire: a kind for programs, a sentence for people, and the facts behind both.
public struct WireError: Error, Equatable, Sendable {
    /// One fact in `data`.
    public enum Fact: Equatable, Sendable {
        case text(String)
        case texts([String])
        case integer(UInt64)
    }

    public let kind: ErrorKind
    /// What happened, to what, what was expected, and what to do.
    public let message: String
    /// The members of `data` after `kind`, in the order they are written.
    public private(set) var facts: [(name: StaticString, fact: Fact)]

    public var code: Int { kind.code }

    public init(_ kind: ErrorKind, _ message: String, _ facts: [(name: StaticString, fact: Fact)] = []) {
        self.kind = kind
        self.message = message
        self.facts = facts
    }

    public static func == (one: WireError, other: WireError) -> Bool {
        one.kind == other.kind && one.message == other.message
            && one.facts.elementsEqual(other.facts) { "\($0.name)" == "\($1.name)" && $0.fact == $1.fact }
    }

    /// The fact of this name, if the error has it.
    public subscript(_ name: String) -> Fact? {
        facts.first { "\($0.name)" == name }?.fact
    }

    /// The same error with one more fact.
    public func with(_ name: StaticString, _ fact: Fact) -> WireError {
        var copy = self
        copy.facts.append((name, fact))
        return copy
    }
}

// MARK: the line

extension WireError {
    /// The line is not JSON, too deep, or holds a number no one can hold.
    static func unreadable(_ kind: ErrorKind, offset: Int, expected: String, near: String, limits: Limits)
        -> WireError
    {
        let place = near.isEmpty ? "at byte \(offset)" : "at byte \(offset), near \u{201C}\(near)\u{201D}"
        let message =
            switch kind {
            case .tooDeep:
                "The line is nested more than \(limits.depth) levels deep \(place); send it flatter."
            case .numberRange:
                "A number \(place) does not fit into 64 bits; send it as text, in double quotes."
            default:
                "The line is not JSON: expected \(expected) \(place)."
            }
        return WireError(
            kind, message,
            [("offset", .integer(UInt64(offset))), ("expected", .text(expected)), ("near", .text(near))])
    }

    /// What editors of some systems put before a text, and cannot be seen in `near`.
    static func byteOrderMark(near: String) -> WireError {
        WireError(
            .parse,
            "The line is not JSON: it begins with a UTF-8 byte order mark (EF BB BF) where a value is expected; send it"
                + " without that mark.",
            [("offset", .integer(0)), ("expected", .text("a value")), ("near", .text(near))])
    }

    /// A line longer than the daemon reads.
    public static func lineTooLong(limits: Limits) -> WireError {
        WireError(
            .tooLarge,
            "The line is longer than \(limits.lineBytes) bytes and was passed over; send it in several requests.",
            [("limit", .integer(UInt64(limits.lineBytes)))])
    }

    static func invalidRequest(_ message: String, expected: String) -> WireError {
        WireError(.invalidRequest, message, [("expected", .text(expected))])
    }

    static func batchTooLong(_ count: Int, limits: Limits) -> WireError {
        WireError(
            .limit,
            "A batch of \(count) requests is more than the \(limits.batch) allowed; send several batches.",
            [("limit", .integer(UInt64(limits.batch)))])
    }
}

// MARK: the call

extension WireError {
    static func unknownMethod(_ name: String) -> WireError {
        let known = nearest(name, among: Method.allCases.lazy.map(\.name))
        return WireError(
            .unknownMethod,
            "There is no method \(excerpt(name)); the nearest is \(known[0]). rpc.discover lists them all.",
            [("known", .texts(known))])
    }

    /// A parameter, or a part of one, that is not what the method takes.
    public static func badParam(
        _ kind: ErrorKind, path: String, expected: String, _ message: String, known: [String]? = nil
    ) -> WireError {
        var facts: [(name: StaticString, fact: Fact)] = [
            ("path", .text(path)), ("expected", .text(expected)),
        ]
        if let known { facts.append(("known", .texts(known))) }
        return WireError(kind, message, facts)
    }

    /// Something named in the params that the scenario does not declare. `kind` is one of the unknown-… kinds of
    /// -32602, `what` the word for it ("bridge"), `owner` who should have had it ("counter.observed").
    public static func unknown(
        _ kind: ErrorKind, what: String, _ name: String, of owner: String, path: String,
        among candidates: some Sequence<String>
    ) -> WireError {
        let known = nearest(name, among: candidates)
        return badParam(
            kind, path: path, expected: "\(article(what)) \(what) of \(owner)",
            "\(owner.prefix(1).uppercased())\(owner.dropFirst()) has no \(what) \(excerpt(name)); \(list(known)).",
            known: known)
    }

    /// The bridge has several mounts and none was named, or not the one named.
    public static func whichMount(bridge: String, asked: UInt64?, mounts: [UInt64]) -> WireError {
        let known = mounts.prefix(20).map { "\($0)" }
        let message =
            if let asked {
                "The bridge \(bridge) has no mount \(asked); it has \(mountList(known))."
            } else if mounts.isEmpty {
                "The bridge \(bridge) is not mounted; mount it with bridge.mount first."
            } else {
                "The bridge \(bridge) has \(mountList(known)); name one with mount."
            }
        return badParam(
            .whichMount, path: "mount", expected: "a mount of the bridge \(bridge)", message, known: known)
    }

    /// A request only `live` takes, for a simulation of another scenario.
    public static func notLive(sim: String, scenario: String) -> WireError {
        badParam(
            .notLive, path: "sim", expected: "a simulation of the scenario live",
            "The simulation \(sim) plays \(scenario), whose screens are drawn by its plug-in; only a simulation of the"
                + " scenario live takes what a client says is shown.")
    }

    /// The past of a simulation that does not keep it.
    public static func notTraced(sim: String, scenario: String) -> WireError {
        badParam(
            .notTraced, path: "sim", expected: "a simulation that keeps a trace",
            "The simulation \(sim) (\(scenario)) keeps no trace; create it with trace: true.")
    }
}

// MARK: the daemon

extension WireError {
    /// The daemon's own fault.
    public static func internalFault(_ what: String) -> WireError {
        WireError(.internal, "The daemon failed: \(what). Please report it with the line that was sent.")
    }

    public static func unknownSim(_ sim: String, among candidates: some Sequence<String>) -> WireError {
        let known = nearest(sim, among: candidates)
        return WireError(
            .unknownSim, "There is no simulation \(excerpt(sim)); \(list(known)). Make one with sim.create.",
            [("sim", .text(excerpt(sim))), ("known", .texts(known))])
    }

    public static func unknownScenario(_ scenario: String, among candidates: some Sequence<String>)
        -> WireError
    {
        let known = nearest(scenario, among: candidates)
        return WireError(
            .unknownScenario,
            "There is no scenario \(excerpt(scenario)); \(list(known)). scenario.list names them all.",
            [("scenario", .text(excerpt(scenario))), ("known", .texts(known))])
    }

    public static func unknownSub(_ sub: UInt64) -> WireError {
        WireError(
            .unknownSub,
            "This connection has no open subscription \(sub); a subscription ends with its simulation and belongs to"
                + " the connection that opened it.",
            [("sub", .integer(sub))])
    }

    /// A plug-in that failed, or a simulation it left failed.
    public static func pluginFailed(sim: String?, text: String) -> WireError {
        let subject = sim.map { "The simulation \($0) has failed" } ?? "The plug-in failed"
        var facts: [(name: StaticString, fact: Fact)] = []
        if let sim { facts.append(("sim", .text(sim))) }
        facts.append(("text", .text(text)))
        let remedy = sim == nil ? "" : " It can still be read and destroyed."
        return WireError(.pluginFailed, "\(subject): \(text).\(remedy)", facts)
    }

    /// One more than the daemon keeps. `option` is the `seamd` option that raises the limit, if there is one.
    public static func limit(_ what: String, _ limit: Int, option: String?) -> WireError {
        var facts: [(name: StaticString, fact: Fact)] = [("limit", .integer(UInt64(limit)))]
        if let option { facts.append(("option", .text(option))) }
        let remedy = option.map { "close some, or start seamd with a larger \($0)" } ?? "close some"
        return WireError(.limit, "The daemon keeps no more than \(limit) \(what); \(remedy).", facts)
    }

    /// One more mount, or a list of more items, than a simulation may have.
    public static func tooManyMounts(_ limit: Int) -> WireError {
        WireError(
            .limit,
            "A simulation has at most \(limit) mounts, and each item of a list is one; unmount some, show fewer, or "
                + "start seamd with a larger --max-mounts.",
            [("limit", .integer(UInt64(limit))), ("option", .text("--max-mounts"))])
    }

    static func valueTooLarge(path: String, bytes: Int, limit: Int) -> WireError {
        WireError(
            .tooLarge, "The value at \(path) has \(bytes) bytes; a value has at most \(limit).",
            [("path", .text(path)), ("limit", .integer(UInt64(limit)))])
    }

    /// A reply that would not fit into a line. `hint` says how to ask for less.
    public static func replyTooLarge(limit: Int, hint: String = defaultReplyHint) -> WireError {
        WireError(
            .tooLarge, "The reply would be longer than \(limit) bytes; \(hint).",
            [("limit", .integer(UInt64(limit)))])
    }

    public static let defaultReplyHint = "raise maxLine with seam.hello"

    /// History that is no longer there, or is of another `asked` epoch.
    public static func gone(asked: String, oldest: UInt64, latest: UInt64, epoch: String) -> WireError {
        let reason =
            asked == epoch
            ? "The changes after that point are no longer kept"
            : "That point is of the epoch \(excerpt(asked)), and what is here now is another, made since: its epoch is \(epoch)"
        return WireError(
            .gone, "\(reason); open the subscription without after and start from the state.",
            [("oldest", .integer(oldest)), ("latest", .integer(latest)), ("epoch", .text(epoch))])
    }

    /// An earlier moment that cannot be made again, since not all that came into the simulation is kept.
    public static func pastGone(_ sim: String, _ why: String, latest: UInt64, epoch: String) -> WireError {
        WireError(
            .gone,
            "What came into the simulation \(sim) is no longer known from its creation on: \(why). Create it with a "
                + "larger history, or with record, for earlier moments, forks and recordings.",
            [("oldest", .integer(latest)), ("latest", .integer(latest)), ("epoch", .text(epoch))])
    }

    public static func seqInFuture(asked: UInt64, latest: UInt64, epoch: String) -> WireError {
        WireError(
            .seqInFuture, "The change \(asked) has not happened yet; the latest is \(latest).",
            [("latest", .integer(latest)), ("epoch", .text(epoch))])
    }

    public static func denied(_ text: String) -> WireError {
        WireError(.denied, text)
    }

    public static func shuttingDown() -> WireError {
        WireError(
            .shuttingDown, "The daemon is shutting down and takes no new requests; connect to the next one.")
    }

    /// `ifSeq` named another seq than the simulation has.
    public static func conflict(sim: String, asked: UInt64, seq: UInt64) -> WireError {
        WireError(
            .conflict,
            "The simulation \(sim) is at seq \(seq), not \(asked); nothing was changed. Read it again.",
            [("seq", .integer(seq))])
    }

    public static func recorded(_ sim: String, path: String) -> WireError {
        WireError(
            .recorded,
            "The simulation \(sim) is being recorded already, to \(path); stop that with rec.stop first.",
            [("sim", .text(sim)), ("path", .text(path))])
    }

    public static func notRecorded(_ sim: String) -> WireError {
        WireError(
            .notRecorded, "The simulation \(sim) is not being recorded; rec.start begins a recording.",
            [("sim", .text(sim))])
    }

    /// The recording has come to an end by itself; `lines` and `bytes` of it are in the file.
    public static func recordingEnded(
        _ sim: String, path: String, turn: UInt64, _ reason: String, lines: UInt64?, bytes: UInt64?
    ) -> WireError {
        var facts: [(name: StaticString, fact: Fact)] = [
            ("sim", .text(sim)), ("file", .text(path)), ("turn", .integer(turn)), ("reason", .text(reason)),
        ]
        if let lines { facts.append(("lines", .integer(lines))) }
        if let bytes { facts.append(("bytes", .integer(bytes))) }
        let rest = lines.map { "; it holds \($0) whole line\($0 == 1 ? "" : "s")" } ?? ""
        return WireError(
            .notRecorded,
            "The simulation \(sim) is not being recorded: the recording to \(excerpt(path, limit: 4095)) ended by itself in "
                + "turn \(turn), since it \(reason)\(rest). rec.start begins another one.", facts)
    }

    /// A file of a recording that cannot be made or read where the client said.
    public static func badPath(_ path: String, _ what: String, in param: String, expected: String)
        -> WireError
    {
        badParam(.badPath, path: param, expected: expected, "\(excerpt(path, limit: 4095)): \(what).")
    }

    /// Writing or reading failed in the middle.
    public static func fileFailed(_ path: String, _ what: String) -> WireError {
        WireError(.fileFailed, "\(excerpt(path, limit: 4095)): \(what).", [("file", .text(path))])
    }

    /// A line of a recording that no recording has; the header is line 1.
    public static func badRecording(_ path: String, line: UInt64, _ what: String) -> WireError {
        WireError(
            .badRecording, "\(excerpt(path, limit: 4095)), line \(line): \(what).",
            [
                ("path", .text("path")), ("expected", .text("a recording made by rec.start")),
                ("line", .integer(line)),
            ])
    }

    /// The scenario was given the inputs of a simulation again, and has gone another way.
    public static func notRepeatable(_ sim: String, _ what: String) -> WireError {
        WireError(
            .notRepeatable,
            "The inputs of the simulation \(sim) do not make it again: \(what). Its plug-in is not deterministic.",
            [("sim", .text(sim)), ("text", .text(what))])
    }

    public static func simExists(_ sim: String) -> WireError {
        WireError(
            .simExists, "There is a simulation \(sim) already; choose another id, or destroy it first.",
            [("sim", .text(sim))])
    }
}

// MARK: words for people

extension WireError {
    /// Text of a client as it may stand in a sentence and on a terminal: printable, and no longer than a name.
    public static func excerpt(_ text: String, limit: Int = 64) -> String {
        // A name that is nothing would leave a hole in the sentence.
        if text.isEmpty { return "\"\"" }
        var shown = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > limit {
                shown.append("\u{2026}")
                break
            }
            shown.append(isPrintable(scalar) ? scalar : "\u{FFFD}")
        }
        return String(shown)
    }

    static func list(_ known: [String]) -> String {
        switch known.count {
        case 0: "there is none"
        case 1: "the only one is \(known[0])"
        default: "the nearest are \(known.prefix(5).joined(separator: ", "))"
        }
    }

    private static func mountList(_ known: [String]) -> String {
        switch known.count {
        case 0: "no mount"
        case 1: "mount \(known[0])"
        default: "mounts \(known.dropLast().joined(separator: ", ")) and \(known[known.count - 1])"
        }
    }

    private static func article(_ noun: String) -> String {
        "aeiou".contains(noun.prefix(1)) ? "an" : "a"
    }
}

/// Whether a character can stand in a name: no control or separator, and nothing that changes how its neighbours are
/// drawn. The joiners stay, since Persian, Hindi and most emoji are written with them.
func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value >= 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
    case .format: return scalar.value == 0x200C || scalar.value == 0x200D
    default: return true
    }
}
