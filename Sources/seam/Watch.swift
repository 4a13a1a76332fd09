internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam watch`: the live stream, a line per change.
func watch(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    if arguments.has(.reload) { return try watchBuilds(session) }
    if arguments.has(.pluginFolder) {
        throw UsageFailure(message: "--plugin-dir is for --reload", command: arguments.command)
    }
    if let extra = arguments.words("SIM").dropFirst().first {
        throw UsageFailure(
            message:
                "watch has no use for '\(extra)': one simulation, or all; several words are scenarios for --reload",
            command: arguments.command)
    }
    var watcher = try Watcher(session)
    return try watcher.run()
}

private struct Watcher {
    /// Why following a subscription came to an end.
    enum Ending {
        case end(reason: String, resume: Cursor?)
        case connectionLost
        case lostEvents
        case interrupted
        case readerGone
        case timedOut
    }

    let session: Session
    let isStrict: Bool
    let reconnects: Bool
    var request: SubscriptionRequest
    var lines: StreamLines
    /// How far the stream has been printed; nil before the first snapshot was complete.
    var cursor: Cursor?
    /// The run of the daemon that `cursor` is a place in: no other can resume from there.
    var home: String?
    /// The end of it all, whatever comes meanwhile.
    let deadline: Deadline

    /// How long a daemon may take to show that it is still there.
    private static let probeMilliseconds = 1_000

    init(_ session: Session) throws {
        let arguments = session.arguments
        self.session = session
        deadline = session.deadline()
        isStrict = arguments.has(.strict)
        reconnects = arguments.has(.reconnect)
        request = SubscriptionRequest(simulation: arguments.optionalWord("SIM"))
        request.match = arguments.values(.match)
        request.keepsEveryChange = arguments.value(.mode) == "all"
        request.onlyVerdicts = arguments.has(.verdicts)
        if let text = arguments.value(.after) {
            guard let after = Cursor(text) else {
                throw UsageFailure(
                    message: "--after is written EPOCH:SEQ (16 hex digits, then a number), not '\(text)'",
                    command: arguments.command)
            }
            cursor = after
        }
        lines = StreamLines(session.style, namesSimulations: request.simulation == nil)
    }

    mutating func run() throws -> Exit {
        var client = try connect()
        guard var subscription = try open(on: client, again: false) else { return .lostEvents }
        if isatty(STDERR_FILENO) == 1 {
            session.note("watching \(request.simulation ?? "every simulation"); Ctrl-C ends")
        }
        while true {
            switch try follow(&subscription, on: client) {
            case .readerGone:
                return .fine
            case .interrupted:
                noteCursor()
                return .fine
            case .timedOut:
                noteCursor()
                return .timedOut
            case .lostEvents:
                session.note("events were lost, and --strict allows none")
                noteCursor()
                return .lostEvents
            case .end(let reason, let resume):
                session.note("the stream ended: \(Self.sentence(reason))")
                cursor = resume ?? cursor
                if reason == "slow" && isStrict { return .lostEvents }
                guard reconnects && (reason == "slow" || reason == "shutdown") else {
                    // A daemon that ends takes its history with it, and so does a simulation.
                    if reason == "slow" { noteCursor() }
                    return reason == "failed" || reason == "slow" ? .finding : .fine
                }
                // A slow reader goes on over the same connection, from where the daemon says.
                if reason == "slow" { break }
                fallthrough
            case .connectionLost:
                guard reconnects else {
                    if isHomeThere { noteCursor() }
                    throw ClientFailure.lost(client.path)
                }
                guard let found = try reconnect(to: client.path) else {
                    session.note("ended; the daemon has gone, and nothing can be resumed from another")
                    return .fine
                }
                client = found
            }
            do {
                guard let resumed = try open(on: client, again: true) else { return .lostEvents }
                subscription = resumed
            } catch ClientFailure.interrupted {
                if session.daemonEpoch == home { noteCursor() }
                return .fine
            } catch ClientFailure.timedOut {
                if session.daemonEpoch == home { noteCursor() }
                return .timedOut
            } catch ClientFailure.lost {
                // It went again between coming back and answering: the next round of the loop waits for it anew.
                continue
            } catch let refused as Refused where refused.failure.code == WireFailure.shuttingDown {
                continue
            }
        }
    }

    /// Whether the daemon that the stream came from still answers, after a connection to it was lost.
    private var isHomeThere: Bool {
        let client = try? session.connect(until: .after(milliseconds: Self.probeMilliseconds))
        return client != nil && session.daemonEpoch == home
    }

    private func connect() throws -> Client {
        let client = try session.connect(until: deadline)
        client.output = STDOUT_FILENO
        return client
    }

    /// Prints lines until the stream ends in one way or another.
    private mutating func follow(_ subscription: inout Subscription, on client: Client) throws -> Ending {
        cursor = subscription.cursor
        home = session.daemonEpoch
        do {
            return try printLines(of: &subscription, on: client)
        } catch ClientFailure.interrupted {
            return .interrupted
        } catch ClientFailure.readerGone {
            return .readerGone
        } catch ClientFailure.timedOut {
            return .timedOut
        } catch ClientFailure.lost {
            return .connectionLost
        }
    }

    private mutating func printLines(of subscription: inout Subscription, on client: Client) throws -> Ending
    {
        while true {
            guard let event = try client.nextEventRead() else {
                // All that came in one burst goes out in one write.
                if let ending = flush(subscription) { return ending }
                // Also when more has come: a stream that never rests has to end as well.
                if let deadline, deadline <= .now { return .timedOut }
                try client.wait(until: deadline)
                continue
            }
            // Another subscription of this connection may still have its last line under way.
            guard event["sub"]?.integer == subscription.number else { continue }
            show(event)
            subscription.passed(event)
            if event.kind == .lag && isStrict { return flush(subscription) ?? .lostEvents }
            if event.kind == .end {
                return flush(subscription) ?? .end(reason: event["reason"]?.text ?? "", resume: event.resume)
            }
        }
    }

    /// Writes what has been printed; only then has the stream come that far.
    private mutating func flush(_ subscription: Subscription) -> Ending? {
        session.output.flush()
        if session.output.isInterrupted {
            _ = session.interrupts.take()
            return .interrupted
        }
        if session.output.isClosed { return .readerGone }
        cursor = subscription.cursor
        return nil
    }

    private mutating func show(_ event: Event) {
        if session.printsJSON {
            session.print(event.params)
        } else if event.kind == .lag {
            session.note(Self.sentence(lag: event))
        } else if let line = lines.line(for: event) {
            session.print(line)
        }
    }

    // MARK: Coming back

    /// Waits for a daemon at the same path. Nothing tells when a socket will be bound, so this looks again at
    /// growing intervals of up to a second. nil when a signal ends the waiting.
    private func reconnect(to path: SocketPath) throws -> Client? {
        var pause = 20
        var hasWaited = false
        while true {
            do {
                let client = try connect()
                // One that took nothing for too long is closed by a daemon that is as well as ever.
                if !hasWaited, session.daemonEpoch == home {
                    session.note("the daemon at \(path.path) closed this connection; connected again")
                }
                return client
            } catch ClientFailure.cannotConnect {
            } catch ClientFailure.lost {
            } catch ClientFailure.refused(let refusal) where refusal.code == WireFailure.shuttingDown {
            }
            if !hasWaited {
                session.note("the daemon at \(path.path) is gone; waiting for it to come back")
                hasWaited = true
            }
            if let deadline, deadline <= .now { throw ClientFailure.timedOut }
            let look = ContinuousClock.Instant.after(milliseconds: pause)
            if session.interrupts.sleep(until: min(look, deadline ?? look)) != nil { return nil }
            pause = min(pause * 2, 1000)
        }
    }

    /// Subscribes behind the last printed line; under --reconnect with a new snapshot when that is impossible, and
    /// when it is not the first time also after waiting for the simulation. nil when --strict allows no gap.
    private func open(on client: Client, again: Bool) throws -> Subscription? {
        var request = request
        request.after = cursor
        var opened: Subscription?
        while opened == nil {
            do {
                opened = try session.subscribe(request, on: client, until: deadline)
            } catch let refused as Refused
                where refused.failure.code == WireFailure.unknownSimulation && again
            {
                try waitForSimulation(on: client)
            } catch let refused as Refused
                where refused.failure.code == WireFailure.gone && reconnects && request.after != nil
            {
                let place = request.after.map { "\($0)" } ?? ""
                session.note("the history behind \(place) is gone; what happened since is not known")
                if isStrict { return nil }
                request.after = nil
            }
        }
        if again {
            session.note(request.after.map { "resumed behind \($0)" } ?? "began anew, with a snapshot")
        }
        return opened
    }

    /// After a restart the simulation is there again only when somebody makes it: the daemon's own stream tells.
    private func waitForSimulation(on client: Client) throws {
        guard let name = request.simulation else { return }
        var everything = SubscriptionRequest(simulation: nil)
        everything.match = ["\(name)/*"]
        everything.withSnapshot = false
        let subscription = try session.subscribe(everything, on: client, until: deadline)
        defer { client.send("sub.close", ["sub": .integer(subscription.number)]) }
        // It may have been made between the refusal and this subscription.
        let exists = try session.list(client, "sim.list", "sims").contains { $0["sim"]?.text == name }
        if exists { return }
        session.note("the daemon is back without \(name); waiting for it to be created")
        while true {
            let event = try client.nextEvent(until: deadline)
            if event.kind == .sim, event["sim"]?.text == name, event["what"]?.text == "created" { return }
            if event.kind == .end { throw ClientFailure.lost(client.path) }
        }
    }

    // MARK: Words

    private func noteCursor() {
        guard let cursor else {
            session.note("ended before the snapshot was complete; there is no place to resume from")
            return
        }
        var given: [(Option, String)] = []
        // The variable may have been set for this one call.
        if let socket = try? session.socketPath(), socket.rule == .seamSocket {
            given.append((.socket, socket.path))
        }
        given.append((.after, "\(cursor)"))
        session.note("ended; to resume: \(session.arguments.line(giving: given))")
    }

    static func sentence(_ reason: String) -> String {
        switch reason {
        case "closed": "it was closed"
        case "destroyed": "the simulation was destroyed"
        case "failed": "the simulation has failed"
        case "slow": "this reader was too slow for every change"
        case "shutdown": "the daemon is shutting down"
        default: printable(reason)
        }
    }

    private static func sentence(lag: Event) -> String {
        let from = (lag["fromDseq"] ?? lag["fromSeq"])?.scalar ?? "?"
        let to = (lag["toDseq"] ?? lag["toSeq"])?.scalar ?? "?"
        var parts: [String] = []
        if let collapsed = lag["collapsed"]?.scalar {
            parts.append("\(collapsed) changes became the newest of each field")
        }
        if let lost = lag["lost"]?.scalar { parts.append("\(lost) lines are lost") }
        return "this reader was slow: between seq \(from) and \(to) \(parts.joined(separator: ", "))"
    }
}

extension Event {
    /// From where the daemon says that a stream it ended can be resumed.
    var resume: Cursor? {
        guard let place = self["resume"], let epoch = place["epoch"]?.text,
            let seq = (place["dseq"] ?? place["seq"])?.unsigned
        else { return nil }
        return Cursor(epoch: epoch, seq: seq)
    }
}

/// Event lines for eyes: in columns that grow with what they have held, so that a live stream stays aligned.
struct StreamLines {
    let style: Style
    let namesSimulations: Bool
    private var nameWidth: Int

    init(_ style: Style, namesSimulations: Bool) {
        self.style = style
        self.namesSimulations = namesSimulations
        nameWidth = namesSimulations ? 36 : 28
    }

    /// nil for lines that say nothing to a person: marks, and the boundary of the snapshot.
    mutating func line(for event: Event) -> String? {
        let params = event.params
        switch event.kind {
        case .state:
            return field(params, verdict: params["verdict"]?.text ?? "?", was: nil)
        case .verdict:
            return field(params, verdict: params["to"]?.text ?? "?", was: params["from"]?.text)
        case .diagnostic:
            let severity = params["severity"]?.text ?? "?"
            let text = "\(params["code"]?.text ?? "?"): \(params["text"]?.text ?? "")"
            let color: Style.Color = severity == "error" ? .red : severity == "warning" ? .yellow : .dim
            let place =
                params["field"] != nil
                ? fieldName(params) : printable((params["screen"] ?? params["bridge"])?.text ?? "-")
            return columns(params, "!", printable(severity), color, place, printable(text))
        case .sim:
            let what = printable(params["what"]?.text ?? "?")
            return columns(
                params, style.hasUnicode ? "◆" : "#", what, .bold, nil,
                printable(params["scenario"]?.text ?? ""))
        case .sync, .mark, .lag, .end, nil:
            return nil
        }
    }

    private mutating func field(_ params: JSON, verdict word: String, was: String?) -> String {
        let verdict = Verdict(rawValue: word)
        let change = was.flatMap { $0 == word ? nil : "  (was \(printable($0)))" } ?? ""
        return columns(
            params, verdict?.sign(style) ?? "?", printable(word), verdict?.color, fieldName(params),
            "model=\(value(params, "model")) screen=\(value(params, "shown"))\(change)")
    }

    /// A value that was cut says how long it really is.
    private func value(_ params: JSON, _ member: String) -> String {
        shownValue(params[member]) + (params["\(member)Bytes"]?.scalar.map { "… (\($0) bytes)" } ?? "")
    }

    private mutating func columns(
        _ params: JSON, _ sign: String, _ word: String, _ color: Style.Color?, _ name: String?,
        _ rest: String
    ) -> String {
        let simulation = namesSimulations ? params["sim"]?.text.map(printable) : nil
        let fullName = [simulation, name].compactMap(\.self).joined(separator: "/")
        nameWidth = min(max(nameWidth, fullName.count), 60)
        let seq = params["seq"]?.scalar ?? ""
        let mark = style.hasSigns ? "\(sign) " : ""
        let padding = String(repeating: " ", count: max(0, 6 - seq.count))
        return "\(padding)\(seq)  \(style.paint(mark + padded(word, to: 12), color))  "
            + "\(padded(fullName, to: nameWidth))  \(rest)"
    }
}
