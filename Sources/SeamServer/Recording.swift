// A recording: JSON Lines of what came into a simulation and what came of it. Lines are put together here, on the main
// thread, and handed to the file's queue once a round.
//
// Nothing in a recording depends on when or where it was made, so that the same scenario, parameters, seed and events
// give the same bytes, and two recordings can be compared with cmp.

import Dispatch
import SeamKernel
import SeamPluginHost
import SeamWire
import Synchronization

/// How a simulation was made: what another one takes to be the same.
final class Origin {
    /// The code it runs; a sibling of it is made for another.
    let body: (any ScenarioBody)?
    let parameters: [String?]
    let seed: UInt64
    let policies: [(name: String, value: String)]
    let profile: String
    let clock: Clock

    init(body: (any ScenarioBody)?, parameters: [String?], settings: Simulation.Settings, clock: Clock) {
        self.body = body
        self.parameters = parameters
        seed = settings.seed
        policies = settings.policies
        profile = settings.profile
        self.clock = clock
    }

    /// Whether it says no more than that: without code, and with nothing that a creator chose.
    var isPlain: Bool {
        body == nil && parameters.isEmpty && seed == 0 && policies.isEmpty && clock == .virtual
            && profile == Simulation.Settings().profile
    }

    /// The same with an epoch of its own, or of the simulation that is made again.
    func settings(epoch: UInt64) -> Simulation.Settings {
        Simulation.Settings(epoch: epoch, seed: seed, policies: policies, profile: profile)
    }
}

/// The first line.
nonisolated struct RecordingHeader: Sendable {
    var scenario: Scenario
    var plugin: PluginInfo?
    var parameters: [String?]
    var policies: [(name: String, value: String)]
    var profile: String
    var seed: UInt64
    var clock: Clock
    /// The last turn before the recording began; 0 when it began with the simulation.
    var turn: UInt64

    static let version = 1

    func write(to out: inout ByteBuffer) {
        out.object { out in
            out.member("seam", "recording" as StaticString)
            out.member("version", Self.version)
            out.member("scenario", scenario.id)
            out.member("revision", UInt64(scenario.revision))
            out.key("plugin")
            if let plugin {
                out.object {
                    $0.member("id", plugin.id)
                    $0.member("version", plugin.version)
                    $0.member("file", plugin.file)
                }
            } else {
                out.null()
            }
            out.inputValues("params", Array(zip(scenario.parameters.lazy.map(\.id), parameters)))
            out.inputValues("policies", policies.map { ($0.name, $0.value) })
            out.member("profile", profile)
            out.member("seed", seed)
            out.member("clock", clock == .real ? "real" as StaticString : "virtual")
            out.member("turn", turn)
        }
        out.append(0x0A)
    }
}

nonisolated extension ByteBuffer {
    /// What came of a turn, a line each; how many.
    mutating func resultLines(of turn: Turn, in simulation: Simulation) -> UInt64 {
        for finding in turn.diagnostics {
            object { out in
                out.resultHead("diagnostic", seq: finding.seq, turn)
                out.member("code", finding.code)
                out.member("severity", finding.severity.word)
                if let field = finding.field {
                    let names = simulation.names(of: field)
                    out.member("screen", names.screen)
                    out.member("field", names.key)
                }
                if let bridge = finding.bridge {
                    out.member("bridge", simulation.scenario.bridges[bridge].id)
                }
                if let mount = finding.mount { out.member("mount", mount) }
                out.member("text", finding.text)
            }
            append(0x0A)
        }
        for change in turn.changes {
            let names = simulation.names(of: change.field)
            object { out in
                out.resultHead("verdict", seq: change.seq, turn)
                out.member("screen", names.screen)
                out.member("field", names.key)
                out.member("from", change.from.word)
                out.member("to", change.to.word)
                out.member("model", orNull: change.model)
                out.member("shown", orNull: change.shown)
            }
            append(0x0A)
        }
        if let failure = turn.failure {
            object { out in
                out.resultHead("failed", seq: simulation.seq, turn)
                out.member("text", failure)
            }
            append(0x0A)
        }
        return UInt64(turn.diagnostics.count + turn.changes.count + (turn.failure == nil ? 0 : 1))
    }

    private mutating func resultHead(_ kind: StaticString, seq: UInt64, _ turn: Turn) {
        member("out", kind)
        member("seq", seq)
        member("turn", turn.number)
        member("ms", milliseconds(turn.nanoseconds))
    }

    /// How the simulation stands: where the results begin, or end.
    mutating func standLine(_ kind: String, of simulation: Simulation, reason: String? = nil) {
        object { out in
            out.member("out", kind)
            out.member("seq", simulation.seq)
            out.member("turn", simulation.turn)
            out.member("ms", milliseconds(simulation.nanoseconds))
            if let reason { out.member("reason", reason) }
        }
        append(0x0A)
    }
}

/// How a recording came to an end that nobody had asked for. An object, since few simulations have one, and all of them
/// room for it.
final class RecordingEnd {
    let path: String
    /// The last turn of the simulation then.
    let turn: UInt64
    let reason: String
    /// What the file holds, all of it whole; none while the disk still has some to take, and without a file.
    let size: (lines: UInt64, bytes: Int)?

    init(path: String, turn: UInt64, reason: String, size: (lines: UInt64, bytes: Int)?) {
        self.path = path
        self.turn = turn
        self.reason = reason
        self.size = size
    }
}

/// The recording of one simulation, from the main thread's side.
final class Recording {
    let file: RecordingFile
    /// Handed over once a round, or when this much is waiting.
    nonisolated static let pieceBytes = 256 << 10
    /// So much may wait for the disk, of one recording.
    static let backlogBytes = 16 << 20

    /// In the daemon's list of recordings with lines to be handed over.
    var isListed = false
    /// Nobody was told yet that it has begun: should it end now, the answer says so, and nothing else.
    var isStarting = false
    private var pending = ByteBuffer()
    private var pendingLines: UInt64 = 0

    init(to file: RecordingFile) {
        self.file = file
    }

    var path: String { file.path }
    var isPieceFull: Bool { pending.count >= Self.pieceBytes }

    /// Begins with the header and what is known of the time before.
    func begin(_ header: RecordingHeader, before: InputReader, of simulation: Simulation) {
        var begin = ByteBuffer()
        begin.standLine("begin", of: simulation)
        let beginLine = [UInt8](begin.bytes)
        let file = file
        fileQueue.async {
            // Millions of inputs may be kept: they become lines here, and a piece at a time.
            var out = ByteBuffer()
            var lines: UInt64 = 1
            header.write(to: &out)
            var before = before
            var next: Input? = .create
            while let input = next {
                out.inputLine(input, at: nil, of: header.scenario)
                lines += 1
                if out.count >= Self.pieceBytes {
                    file.write(out.bytes, lines: lines)
                    out.removeAll()
                    lines = 0
                }
                next = before.next()
            }
            beginLine.withUnsafeBytes { out.append($0) }
            file.write(out.bytes, lines: lines + 1)
        }
    }

    func take(_ input: Input, at moment: InputMoment, of scenario: Scenario) {
        pending.inputLine(input, at: moment, of: scenario)
        pendingLines += 1
    }

    func take(_ turn: Turn, of simulation: Simulation) {
        pendingLines += pending.resultLines(of: turn, in: simulation)
    }

    func end(_ simulation: Simulation, because reason: String) {
        pending.standLine("end", of: simulation, reason: reason)
        pendingLines += 1
    }

    /// Gives what is pending to the file's queue. False when the disk is too far behind: nothing more should come.
    func handOver() -> Bool {
        guard !pending.isEmpty else { return true }
        // A copy of its own, which another thread may have.
        let piece = [UInt8](pending.bytes)
        let lines = pendingLines
        pending.removeAll()
        pendingLines = 0
        let waiting = file.backlog.add(piece.count, ordering: .relaxed).newValue
        let file = file
        fileQueue.async {
            piece.withUnsafeBytes { file.write($0, lines: lines) }
            file.backlog.subtract(piece.count, ordering: .relaxed)
        }
        return waiting <= Self.backlogBytes
    }
}
