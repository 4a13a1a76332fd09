// Playing what came into a simulation to a new one: for an earlier moment, for a fork, and to see whether a recording
// comes out the same. A piece a round, so that the other clients are served meanwhile.

import CLibuv
import SeamKernel
import SeamWire

/// A simulation on its way to where another one was.
final class Replay {
    /// Where the inputs come from.
    enum Source {
        case history(InputReader)
        case recording(RecordingReader)
    }

    enum Moment {
        /// The end of the inputs.
        case now
        /// The end of the turn that this seq belongs to.
        case seq(UInt64)
        /// The end of this turn.
        case turn(UInt64)

        init(at seq: UInt64?, atTurn turn: UInt64?) {
            self = seq.map { .seq($0) } ?? turn.map { .turn($0) } ?? .now
        }
    }

    enum Goal {
        case moment(Moment)
        /// Every line of the recording has to come out as it stands. Until `turn` nothing is known but the inputs.
        case same(after: UInt64, isKept: Bool)
    }

    enum Outcome {
        case arrived
        case compared(Comparison)
        case failed(WireError)
        /// Nobody waits for it any more.
        case abandoned
    }

    struct Comparison {
        var lines: UInt64 = 0
        var isTorn = false
        /// Its last line is a full one, and no `end`.
        var isUnfinished = false
        var difference: Difference?
    }

    struct Difference {
        var line: UInt64
        var turn: UInt64
        var expected: String?
        var got: String?
        /// What a person should know beyond the two lines.
        var text: String?
    }

    enum Progress { case goesOn, waits, isOver }

    /// The simulation, in the form in which it can be asked like any other; the daemon does not list it.
    let hosted: HostedSimulation
    let origin: Origin
    /// All that went into it, for who forks it in turn.
    private(set) var history: History
    /// The id under which the simulation will be listed; none when it is only looked at.
    let reservedID: String?
    let ticket: Ticket
    private let daemon: Daemon
    private var source: Source
    private let goal: Goal
    /// What it is about, for messages.
    private let subject: String
    private let whenOver: (Replay, Outcome) -> Void

    private var comparison = Comparison()
    /// The recording's `end` has come.
    private var hasEnded = false
    private var isComparing = false
    /// Lines that came out of the last input, as far as they are not compared.
    private var produced = ByteBuffer()
    private var pending: (input: Input, line: String?)?
    /// Until when a plug-in's own thread is waited for.
    private var patienceEnds: UInt64?
    private var waited: UInt64 = 0
    private var outcome: Outcome?
    private var isOver = false

    /// For one hand-over of a plug-in's thread, and for all of them, in nanoseconds.
    private static let patience: UInt64 = 1_000_000_000
    private static let allPatience: UInt64 = 5_000_000_000

    init(
        _ simulation: Simulation, origin: Origin, from source: Source, to goal: Goal, historyLimit: Int,
        of subject: String, reserving id: String?, daemon: Daemon, ticket: Ticket,
        whenOver: @escaping (Replay, Outcome) -> Void
    ) {
        hosted = HostedSimulation(
            simulation, origin: origin, history: History(limit: 0), ordinal: 0, in: daemon.memory)
        self.origin = origin
        history = History(limit: historyLimit)
        self.source = source
        self.goal = goal
        self.subject = subject
        reservedID = id
        self.daemon = daemon
        self.ticket = ticket
        self.whenOver = whenOver
        switch goal {
        case .moment: break
        case .same(let turn, _): isComparing = turn == 0
        }
        // Without a recording nothing says so: a history begins behind the creation.
        if case .history = source { pending = (.create, nil) }
        simulation.onWaiting = { [unowned self] _ in hosted.wantsTurn = true }
    }

    var simulation: Simulation { hosted.simulation }

    /// Plays inputs until `deadline`, on libuv's clock.
    func run(until deadline: UInt64) -> Progress {
        if isOver { return .isOver }
        if !ticket.isWaitedFor {
            finish(.abandoned)
            return .isOver
        }
        var progress = Progress.goesOn
        repeat { progress = step() } while progress == .goesOn && uv_hrtime() < deadline
        hosted.count(in: daemon.memory)
        // Also of the last piece: what is kept now has to have room.
        if let error = daemon.refusalForWantOfRoom(for: self) {
            finish(.failed(error))
            return .isOver
        }
        if let outcome { finish(outcome) }
        return progress
    }

    /// Ends it where it is.
    func stop(_ error: WireError) {
        finish(.failed(error))
    }

    private func finish(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
        simulation.onWaiting = nil
        whenOver(self, outcome)
    }

    /// The simulation is of no use any more.
    func discard() {
        if simulation.phase != .destroyed { _ = simulation.destroy() }
        history.close(in: daemon.memory)
        leave()
    }

    /// Whoever takes the simulation over counts its memory too.
    func leave() {
        hosted.markDestroyed()
        hosted.count(in: daemon.memory)
    }

    private func step() -> Progress {
        if pending == nil {
            switch source {
            case .history(var reader):
                guard let input = reader.next() else { return arrive() }
                source = .history(reader)
                pending = (input, nil)
            case .recording(let reader):
                switch reader.next() {
                case .waiting: return .waits
                case .failed(let error): return end(.failed(error))
                case .end(let isTorn):
                    comparison.isTorn = isTorn
                    return arrive()
                case .line(let line): return take(line, number: reader.line, reader)
                }
            }
        }
        return perform()
    }

    private func arrive() -> Progress {
        switch goal {
        case .moment: return end(.arrived)
        case .same:
            comparison.isUnfinished = !hasEnded && !comparison.isTorn
            return end(.compared(comparison))
        }
    }

    private func end(_ outcome: Outcome) -> Progress {
        self.outcome = outcome
        return .isOver
    }

    // MARK: Lines

    private func take(_ line: UnsafeRawBufferPointer, number: UInt64, _ reader: RecordingReader) -> Progress {
        let isResult = line.starts(with: "{\"out\":".utf8)
        switch goal {
        case .moment:
            // The first is the header.
            if isResult || number == 1 { return .goesOn }
        case .same:
            comparison.lines += 1
            if hasEnded { return differ(line, number, got: nil, "the recording has ended before it") }
            if !produced.isEmpty { return compare(with: line, number) }
        }
        let json: JSON
        do throws(WireError) {
            json = try daemon.read(recordedLine: line)
        } catch {
            return end(.failed(.badRecording(reader.file.path, line: number, "it is not JSON")))
        }
        if isResult { return takeResult(json, line, number) }
        do throws(Unreadable) {
            let input = try Input.read(json, of: simulation.scenario, within: daemon.limits)
            if case .destroy = input, case .same(_, isKept: true) = goal {
                // Kept as it was before its end.
                comparison.lines -= 1
                return end(.compared(comparison))
            }
            pending = (input, String(decoding: line, as: UTF8.self))
            return perform()
        } catch {
            return end(.failed(.badRecording(reader.file.path, line: number, error.text)))
        }
    }

    /// A result for which no input is left: how the simulation stands, or one too many.
    private func takeResult(_ json: JSON, _ line: UnsafeRawBufferPointer, _ number: UInt64) -> Progress {
        switch json["out"]?.text {
        case "begin":
            isComparing = true
            produced.standLine("begin", of: simulation)
        case "end":
            hasEnded = true
            produced.standLine("end", of: simulation, reason: json["reason"]?.text)
        default: return differ(line, number, got: nil, "nothing more came of the input before it")
        }
        return compare(with: line, number)
    }

    /// The line against the first that came out.
    private func compare(with line: UnsafeRawBufferPointer, _ number: UInt64) -> Progress {
        let got = produced.bytes
        let length = got.firstIndex(of: 0x0A) ?? got.count
        let isSame = length == line.count && got[..<length].elementsEqual(line)
        if isSame {
            produced.consume(length + 1)
            return .goesOn
        }
        return differ(line, number, got: String(decoding: got[..<length], as: UTF8.self), nil)
    }

    private func differ(
        _ line: UnsafeRawBufferPointer, _ number: UInt64, got: String?, _ text: String?
    ) -> Progress {
        differ(String(decoding: line, as: UTF8.self), number, got: got, text)
    }

    private func differ(_ line: String, _ number: UInt64, got: String?, _ text: String?) -> Progress {
        comparison.difference = Difference(
            line: number, turn: simulation.turn, expected: line, got: got, text: text)
        return end(.compared(comparison))
    }

    // MARK: Inputs

    /// Applies the pending input, once the plug-in is as far as it was.
    private func perform() -> Progress {
        guard let (input, line) = pending else { return .goesOn }
        if !isReady(for: input) {
            if case .event(.tick(let token)) = input, isOutOfPatience {
                return refuse("the plug-in has not posted \(token) this time", line)
            }
            if !isOutOfPatience { return .waits }
        }
        patienceEnds = nil
        pending = nil
        let moment = InputMoment(turn: simulation.turn + 1, nanoseconds: simulation.nanoseconds)
        if isComparing { produced.inputLine(input, at: moment, of: simulation.scenario) }
        do throws(Unreadable) {
            try apply(input)
        } catch {
            produced.removeAll()
            return refuse(error.text, line)
        }
        if let line, isComparing, case .recording(let reader) = source {
            var line = line
            let progress = line.withUTF8 { compare(with: UnsafeRawBufferPointer($0), reader.line) }
            if progress != .goesOn { return progress }
        }
        return isThere ? arrive() : .goesOn
    }

    private func apply(_ input: Input) throws(Unreadable) {
        guard (simulation.turn == 0) == input.isCreation else {
            throw Unreadable(input.isCreation ? "it is created twice" : "it is not created yet")
        }
        switch input {
        case .create: try start()
        case .destroy: take(simulation.destroy())
        case .event, .advance:
            if case .advance(let advance) = input, advance.moment < simulation.nanoseconds {
                throw Unreadable(
                    "its moment lies before \(milliseconds(simulation.nanoseconds)) ms, where the clock stands"
                )
            }
            do throws(Refusal) {
                try drive(input)
            } catch {
                throw Unreadable("it is refused: \(words(for: error))")
            }
        }
    }

    private func start() throws(Unreadable) {
        do throws(Simulation.CreateFailure) {
            take(try simulation.start(parameters: origin.parameters))
        } catch {
            throw Unreadable("the scenario could not be created: \(error.text)")
        }
    }

    private func drive(_ input: Input) throws(Refusal) {
        switch input {
        case .create, .destroy: break
        case .event(let event):
            let turn = try simulation.apply(event)
            history.append(event, in: daemon.memory)
            take(turn)
        case .advance(var advance):
            let before = simulation.turn
            var isStopped = false
            try simulation.advance(to: advance.moment, isEvent: advance.isRequest) {
                isStopped = isThere || simulation.turn - before == advance.turns
                return isStopped
            } each: {
                take($0)
            }
            if isStopped { advance.turns = simulation.turn - before }
            history.append(advance, in: daemon.memory)
        }
    }

    private func take(_ turn: Turn) {
        if isComparing { _ = produced.resultLines(of: turn, in: simulation) }
    }

    private var isThere: Bool {
        switch goal {
        case .moment(.seq(let seq)): simulation.seq >= seq
        case .moment(.turn(let turn)): simulation.turn >= turn
        case .moment(.now), .same: false
        }
    }

    private func refuse(_ text: String, _ line: String?) -> Progress {
        if case .same = goal, let line, case .recording(let reader) = source {
            return differ(line, reader.line, got: nil, text)
        }
        return end(.failed(.notRepeatable(subject, text)))
    }

    private func words(for refusal: Refusal) -> String {
        let scenario = simulation.scenario
        return switch refusal {
        case .unknownKey(let key): "there is no model key \(WireError.excerpt(key))"
        case .unknownScreen(let screen): "there is no screen \(WireError.excerpt(screen))"
        case .unknownField(let screen, let key):
            "there is no field \(WireError.excerpt(key)) on \(WireError.excerpt(screen))"
        case .whichMount(let bridge, let mounts):
            "the bridge \(scenario.bridges[bridge].id) has the mounts \(mounts)"
        case .failedMount(let bridge, let mount):
            "mount \(mount) of the bridge \(scenario.bridges[bridge].id) has failed"
        case .wrongBridgeKind(let bridge, let kind):
            "the bridge \(scenario.bridges[bridge].id) is of kind \(kind)"
        case .notLive: "the scenario \(scenario.id) is not live"
        case .tooManyFields(let limit): "there are more than \(limit) fields"
        case .tooManyMounts(let limit): "there are more than \(limit) mounts"
        case .failed(let text): "the simulation has failed: \(text)"
        }
    }

    // MARK: What a plug-in does beside its turns

    /// A token that the instance has not posted itself is never brought to it: it may be the address of something
    /// that only the instance of then had.
    private func isReady(for input: Input) -> Bool {
        guard origin.body != nil else { return true }
        // What a turn left on the main queue has run before the next input, as it has between two requests.
        if !simulation.scenario.drainsMainQueue { daemon.loop.drainMainQueue() }
        switch input {
        case .event(.tick(let token)):
            if takePost(token) { return true }
            daemon.loop.drainMainQueue()
            return takePost(token)
        case .event(.settle):
            if hosted.takeWaiting() { return true }
            daemon.loop.drainMainQueue()
            return hosted.takeWaiting()
        case .create, .event, .advance, .destroy: return true
        }
    }

    private func takePost(_ token: UInt64) -> Bool {
        guard let place = hosted.posted.firstIndex(of: token) else { return false }
        hosted.posted.remove(at: place)
        return true
    }

    /// Whether a thread of the plug-in has had its time. Asked each time nothing has come of it.
    private var isOutOfPatience: Bool {
        let now = uv_hrtime()
        guard let end = patienceEnds else {
            let left = Self.allPatience - min(waited, Self.allPatience)
            patienceEnds = now + min(Self.patience, left)
            return left == 0
        }
        if now < end { return false }
        waited += Self.patience
        return true
    }
}
