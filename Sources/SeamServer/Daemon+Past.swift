// Earlier moments of a simulation and forks of it: what came into it is played to a new one.

import CLibuv
import SeamKernel
import SeamPluginHost
import SeamWire

extension Daemon {
    func fork(_ fork: SimFork, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(fork.sim)
        if let id = fork.id, isTaken(id) { throw .simExists(id) }
        try remake(
            hosted, at: Replay.Moment(at: fork.at, atTurn: fork.atTurn), id: fork.id ?? freshID(),
            epoch: .random(in: .min ... .max),
            historyLimit: hosted.history.limit, ticket
        ) { [self] replay in
            tellCreated(adopt(replay), ticket)
        }
    }

    /// Answers with what `answer` finds in the simulation as it was.
    func goBack(
        to moment: Replay.Moment, of hosted: HostedSimulation, _ ticket: Ticket,
        answer: @escaping (HostedSimulation) throws(WireError) -> Void
    ) throws(WireError) {
        try remake(
            hosted, at: moment, id: hosted.id, epoch: hosted.simulation.epoch, historyLimit: 0, ticket
        ) { replay in
            do throws(WireError) {
                try answer(replay.hosted)
            } catch {
                ticket.answer(error)
            }
            replay.discard()
        }
    }

    private func remake(
        _ hosted: HostedSimulation, at moment: Replay.Moment, id: String, epoch: UInt64, historyLimit: Int,
        _ ticket: Ticket, then: @escaping (Replay) -> Void
    ) throws(WireError) {
        followRealClock(hosted)
        let original = hosted.simulation
        let end = (seq: original.seq, turn: original.turn)
        switch moment {
        case .now: break
        case .seq(let seq):
            guard seq > end.seq else { break }
            throw .seqInFuture(asked: seq, latest: end.seq, epoch: hosted.epoch)
        case .turn(let turn):
            guard turn > end.turn else { break }
            throw .badParam(
                .outOfRange, path: "atTurn", expected: "a turn up to \(end.turn)",
                "The simulation \(hosted.id) is at turn \(end.turn); turn \(turn) is yet to come.")
        }
        try requirePlace()
        let source = try past(of: hosted)
        let origin = hosted.origin
        let simulation = Simulation(
            id: id, scenario: original.scenario, settings: origin.settings(epoch: epoch),
            body: catalogue.sibling(of: origin.body), scratch: scratch)
        // From its first turn on, so that it can tell the past of the original too.
        if original.keepsTrace { simulation.keepTrace(bytes: limits.traceBytes) }
        simulation.mountLimit = limits.mounts
        ticket.hold()
        replays.add(
            Replay(
                simulation, origin: origin, from: source, to: .moment(moment), historyLimit: historyLimit,
                of: hosted.id, reserving: id == hosted.id ? nil : id, daemon: self, ticket: ticket
            ) { replay, outcome in
                switch outcome {
                case .arrived:
                    let (seq, turn) = (replay.simulation.seq, replay.simulation.turn)
                    let missed: String? =
                        switch moment {
                        case .now: (seq, turn) == end ? nil : "seq \(end.seq) in turn \(end.turn)"
                        case .seq(let wanted): seq >= wanted ? nil : "seq \(wanted)"
                        case .turn(let wanted): turn == wanted ? nil : "turn \(wanted)"
                        }
                    if let missed {
                        ticket.answer(
                            .notRepeatable(
                                hosted.id, "they lead to seq \(seq) in turn \(turn), not to \(missed)"))
                        replay.discard()
                    } else {
                        then(replay)
                    }
                case .failed(let error):
                    ticket.answer(error)
                    replay.discard()
                case .compared, .abandoned: replay.discard()
                }
                ticket.release()
            })
    }

    /// Where all that came into the simulation can be had.
    private func past(of hosted: HostedSimulation) throws(WireError) -> Replay.Source {
        if hosted.history.state == .kept { return .history(hosted.history.reader) }
        guard hosted.recording != nil else { throw pastGone(hosted) }
        // It may have to end here, when the disk is behind.
        recordings.handOver(of: hosted)
        guard let recording = hosted.recording else { throw pastGone(hosted) }
        return .recording(RecordingReader(recording.file.readable(), daemon: self))
    }

    func pastGone(_ hosted: HostedSimulation) -> WireError {
        let why =
            switch hosted.history.state {
            case .outgrown: "it is more than the \(hosted.history.limit) bytes that are kept"
            case .shed: "it gave way to the limit of the daemon's memory"
            case .off, .kept: "it was created with history 0"
            }
        return .pastGone(hosted.id, why, latest: hosted.simulation.seq, epoch: hosted.epoch)
    }
}

/// The simulations that are being made again.
final class Replays {
    private unowned let daemon: Daemon
    private var running: [Replay] = []
    private var timer: LoopTimer?
    /// Work is left for the next round.
    private(set) var goOn = false
    /// One parser for the lines of all of them.
    lazy var lineReader = JSONReader(limits: daemon.limits)

    /// Of one round; the other clients wait for so long.
    private static let roundNanoseconds: UInt64 = 2_000_000
    /// How often is looked whether what is waited for has come, or the client has gone.
    private static let waitMilliseconds: UInt64 = 10

    init(of daemon: Daemon) {
        self.daemon = daemon
        timer = LoopTimer(on: daemon.loop) {}
    }

    var count: Int { running.count }
    /// Their simulations, which the daemon does not list.
    var hosted: [HostedSimulation] { running.map(\.hosted) }

    func add(_ replay: Replay) {
        running.append(replay)
        goOn = true
        timer?.start(after: 0)
    }

    /// The id of a simulation that will be listed when it is there.
    func hasReserved(_ id: String) -> Bool { running.contains { $0.reservedID == id } }

    func post(_ token: UInt64, to simulation: Simulation) {
        running.first { $0.simulation === simulation }?.hosted.posted.append(token)
    }

    /// A piece of one of them; those that wait are only looked at.
    func run() {
        goOn = false
        if running.isEmpty { return }
        for _ in 0..<running.count {
            guard let replay = running.first else { break }
            let progress = replay.run(until: uv_hrtime() + Self.roundNanoseconds)
            if daemon.memory.isFull { daemon.makeRoom() }
            // It stands first: whoever comes while it runs comes behind it.
            running.removeFirst()
            if progress != .isOver { running.append(replay) }
            if progress != .waits {
                goOn = !running.isEmpty
                return
            }
        }
        if !running.isEmpty { timer?.start(after: Self.waitMilliseconds) }
    }

    func stopAll(_ error: WireError) {
        let stopped = running
        running.removeAll()
        for replay in stopped { replay.stop(error) }
    }
}
