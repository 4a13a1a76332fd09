internal import SeamClient
internal import SeamWire

/// The connection of `seam top`, which is never waited for: it comes, goes and comes again while keys are answered.
///
/// One subscription to the whole daemon, also when one simulation is watched: so its end and its return are seen.
final class TopFeed {
    private enum Phase {
        /// No connection; the next try is due then.
        case away(next: ContinuousClock.Instant)
        case greeting(id: Int)
        case subscribing(id: Int, SubscriptionRequest)
        case following(Subscription)
    }

    private let session: Session
    private let path: SocketPath
    private let simulation: String?
    private var client: Client?
    private var phase = Phase.away(next: .now)
    private var pause = TopFeed.firstPause
    /// From where the stream can go on, and the run of the daemon that knows the place.
    private var cursor: Cursor?
    private var epoch: String?
    /// Whether the connection has ended, and only what was read before that is left.
    private var isLost = false
    /// Whether the daemon is another one than before.
    private var isRestart = false
    private var listing: Int?
    private var asking: (id: Int, name: String, seq: UInt64)?
    /// The row, and its state, that was asked about last.
    private var asked: (name: String, seq: UInt64, at: ContinuousClock.Instant)?

    private static let firstPause = 50
    private static let longestPause = 1000
    /// A row that changes all the time is asked about no more often; one that does not, for calls that change nothing.
    private static let (askAfterChange, askAgain) = (Duration.milliseconds(300), Duration.seconds(2))

    /// Takes a connection over that has already been made.
    init(_ session: Session, _ client: Client, simulation: String?) {
        self.session = session
        self.client = client
        self.simulation = simulation
        path = client.path
        phase = greet(client)
    }

    /// When it has something to do without being told.
    var due: ContinuousClock.Instant? {
        if case .away(let next) = phase { return next }
        return nil
    }

    /// Waits until something came, `other` can be read, or the deadline; whether `other` can.
    func wait(also other: CInt, until deadline: ContinuousClock.Instant) throws -> Bool {
        guard let client else {
            if let signal = session.interrupts.wait(also: other, until: deadline) {
                throw ClientFailure.interrupted(signal: signal)
            }
            // Whoever looks there finds nothing, if it was the deadline.
            return true
        }
        do {
            return try client.wait(also: other, until: deadline)
        } catch ClientFailure.timedOut {
            return false
        } catch ClientFailure.lost {
            // What came before is still to be read; the reading finds the end.
            isLost = true
            return false
        }
    }

    /// Deals with all that has come; whether anything has.
    func take(into model: inout TopModel, at now: Moment) throws -> Bool {
        if case .away(let next) = phase {
            if next > .now { return false }
            try connect(&model, at: now)
        }
        guard let client else { return true }
        var hasNews = false
        do {
            while let arrival = try client.nextArrival() {
                hasNews = true
                switch arrival {
                case .event(let event): take(event, into: &model, at: now)
                case .reply(let id, let result): try take(id, result, into: &model, at: now)
                }
                if self.client == nil { return true }
            }
        } catch let failure as ClientFailure {
            switch failure {
            case .interrupted: throw failure
            case .refused(let refusal): lost("it said no: \(refusal.message)", &model, at: now)
            case .notTheProtocol: lost("what listens there is no seamd", &model, at: now)
            case .cannotConnect, .lost, .timedOut, .readerGone: lost("the daemon is gone", &model, at: now)
            }
            return true
        }
        if isLost {
            lost("the daemon is gone", &model, at: now)
            return true
        }
        return hasNews
    }

    // MARK: Coming and going

    private func connect(_ model: inout TopModel, at now: Moment) throws {
        do {
            let made = try Client(to: path, interrupts: session.interrupts, until: .now)
            client = made
            phase = greet(made)
            model.connected()
        } catch ClientFailure.interrupted(let signal) {
            throw ClientFailure.interrupted(signal: signal)
        } catch {
            lost("the daemon is gone", &model, at: now)
        }
    }

    private func greet(_ client: Client) -> Phase {
        .greeting(
            id: client.send(
                "seam.hello", ["client": "seam top", "maxLine": .integer(Limits().replyBytesCeiling)]))
    }

    private func lost(_ reason: String, _ model: inout TopModel, at now: Moment) {
        if case .following(let subscription) = phase { cursor = subscription.cursor }
        client = nil
        isLost = false
        listing = nil
        asking = nil
        asked = nil
        phase = .away(next: .now + .milliseconds(pause))
        pause = min(pause * 2, Self.longestPause)
        model.lost(reason, at: now)
    }

    private func subscribe(_ client: Client, after: Cursor?) {
        var request = SubscriptionRequest(simulation: nil)
        if let simulation { request.match = ["\(simulation)/*"] }
        request.after = after
        phase = .subscribing(id: client.send("sub.open", request.params), request)
    }

    private func take(
        _ id: Int, _ result: Result<JSON, WireFailure>, into model: inout TopModel, at now: Moment
    ) throws {
        guard let client else { return }
        if let asking, asking.id == id {
            self.asking = nil
            model.explained(asking.name, result.mapError { TopModel.Refusal(text: $0.message) })
            return
        }
        if listing == id {
            let page = try result.get(orAs: ClientFailure.refused)
            model.listed(page["sims"]?.elements ?? [])
            listing = page["next"].map { client.send("sim.list", ["from": $0]) }
            return
        }
        switch phase {
        case .greeting(id):
            let terms = try result.get(orAs: ClientFailure.refused)
            guard terms["protocol"]?["major"]?.integer == protocolMajor else {
                return lost("the daemon there speaks another protocol", &model, at: now)
            }
            let version = terms["version"]?.text ?? "?"
            model.daemon = "seamd \(version), process \(terms["pid"]?.scalar ?? "?")"
            let isHome = terms["daemonEpoch"]?.text == epoch
            if !isHome {
                isRestart = epoch != nil
                cursor = nil
            }
            epoch = terms["daemonEpoch"]?.text
            subscribe(client, after: cursor)
        case .subscribing(id, let request):
            switch result {
            case .success(let reply):
                phase = .following(try Subscription(request, opened: reply))
                pause = Self.firstPause
                if request.after != nil {
                    model.resumed(at: now)
                } else {
                    model.beginAnew(fields: reply["count"]?.integer ?? 0, isRestart: isRestart, at: now)
                    isRestart = false
                    // The snapshot has fields alone; what comes and goes from here on is told by lines behind the list.
                    listing = client.send("sim.list", [:])
                }
            case .failure(let failure) where failure.code == WireFailure.gone && request.after != nil:
                cursor = nil
                subscribe(client, after: nil)
            case .failure(let failure): throw ClientFailure.refused(failure)
            }
        case .away, .greeting, .subscribing, .following: break
        }
    }

    private func take(_ event: Event, into model: inout TopModel, at now: Moment) {
        guard case .following(var subscription) = phase, event["sub"]?.integer == subscription.number else {
            return
        }
        model.take(event, at: now)
        subscription.passed(event)
        // `slow` ends no stream of mode latest; whatever the reason, what is missing comes after a new connection.
        phase = .following(subscription)
        if event.kind == .end { lost("the daemon is shutting down", &model, at: now) }
    }

    // MARK: Asking

    /// Asks why a row is as it is, unless that is known.
    func explain(_ row: Row) {
        guard let client, case .following = phase, asking == nil else { return }
        if let asked, Bytes(asked.name) == Bytes(row.name) {
            let pause = asked.seq == row.seq ? Self.askAgain : Self.askAfterChange
            if asked.at + pause > .now { return }
        }
        let parts = row.parts
        let id = client.send(
            "sim.explain",
            .texts([
                ("sim", String(parts.simulation)), ("screen", String(parts.screen)),
                ("field", String(parts.field)),
            ]))
        asking = (id, row.name, row.seq)
        asked = (row.name, row.seq, .now)
    }
}

extension Result {
    fileprivate func get<Other: Error>(orAs other: (Failure) -> Other) throws -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let failure): throw other(failure)
        }
    }
}
