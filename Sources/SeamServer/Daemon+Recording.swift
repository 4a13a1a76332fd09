// Recordings as a client asks for them: begun, ended and played again.

import Dispatch
import Glibc
import SeamKernel
import SeamPluginHost
import SeamWire

extension Daemon {
    /// Does what may wait for a disk away from the main thread, and goes on with what came of it in a later round.
    func offMain<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value,
        then: @escaping @MainActor (Result<Value, Failure>) -> Void
    ) {
        fileQueue.async {
            let result = Result(catching: work)
            DispatchQueue.main.async { MainActor.assumeIsolated { self.arrive { then(result) } } }
        }
    }

    /// Makes the file of a recording, with its header where that is known. `next` throws when it is of no use, and the file
    /// is removed again.
    private func makeFile(
        _ path: String, in param: String, header: RecordingHeader? = nil, _ ticket: Ticket,
        next: @escaping @MainActor (RecordingFile) throws(WireError) -> Void
    ) {
        ticket.hold()
        offMain { () throws(FileProblem) in
            let file = try RecordingFile.make(path) { problem, file in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { self.arrive { self.recordings.failed(file, problem) } }
                }
            }
            guard let header else { return file }
            // On the disk before anybody is told that there is a recording: a full disk may have room for a name.
            file.write(header)
            file.sync()
            if let problem = file.problem {
                file.remove()
                throw problem
            }
            return file
        } then: { [self] result in
            defer { ticket.release() }
            switch result {
            case .failure(let problem): ticket.answer(problem.wireError(of: path, in: param))
            case .success(let file):
                do throws(WireError) {
                    if shutdown != nil { throw .shuttingDown() }
                    try next(file)
                } catch {
                    fileQueue.async { file.remove() }
                    ticket.answer(error)
                }
            }
        }
    }

    func createRecorded(_ create: SimCreate, to path: String, _ ticket: Ticket) throws(WireError) {
        // What is wrong with the rest is said before there is a file.
        let built = try build(create)
        let header = recordings.header(of: built.simulation, built.origin)
        makeFile(path, in: "record", header: header, ticket) { [self] file throws(WireError) in
            if isTaken(built.simulation.id) { throw .simExists(built.simulation.id) }
            try finishCreation(create, built, recordingTo: file, ticket)
        }
    }

    func startRecording(_ start: RecStart, _ ticket: Ticket) throws(WireError) {
        _ = try findRecordable(start.sim)
        makeFile(start.path, in: "path", ticket) { [self] file throws(WireError) in
            // Others have had their turns meanwhile.
            let hosted = try findRecordable(start.sim)
            followRealClock(hosted)
            let recording = recordings.begin(hosted, to: file)
            let turn = hosted.simulation.turn
            ticket.hold()
            offMain {
                file.sync()
                if file.problem != nil { file.remove() }
                return file.problem
            } then: { (result: Result<FileProblem?, Never>) in
                defer { ticket.release() }
                recording.isStarting = false
                if let problem = result.get() {
                    return ticket.answer(problem.wireError(of: file.path, in: "path"))
                }
                ticket.answer(after: hosted) { out in
                    out.object {
                        $0.member("sim", hosted.id)
                        $0.member("path", file.path)
                        $0.member("turn", turn)
                    }
                }
            }
        }
    }

    private func findRecordable(_ sim: String) throws(WireError) -> HostedSimulation {
        let hosted = try find(sim)
        if let failure = hosted.failure { throw .pluginFailed(sim: sim, text: failure) }
        if let recording = hosted.recording { throw .recorded(sim, path: recording.path) }
        guard hosted.history.state == .kept else { throw pastGone(hosted) }
        return hosted
    }

    func stopRecording(_ sim: String, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(sim)
        guard let recording = hosted.recording else {
            guard let ended = hosted.endedRecording else { throw .notRecorded(sim) }
            throw .recordingEnded(
                sim, path: ended.path, turn: ended.turn, ended.reason, lines: ended.size?.lines,
                bytes: ended.size.map { UInt64($0.bytes) })
        }
        followRealClock(hosted)
        ticket.hold()
        let file = recording.file
        recordings.end(hosted, because: "stopped") { problem, place in
            defer { ticket.release() }
            if let problem { return ticket.answer(problem.wireError(of: file.path, in: "path")) }
            ticket.answer(after: hosted) { out in
                out.object {
                    $0.member("sim", sim)
                    $0.member("path", place)
                    $0.member("lines", file.lines)
                    $0.member("bytes", file.end)
                }
            }
        }
    }

    // MARK: Replay

    func replay(_ replay: RecReplay, _ ticket: Ticket) throws(WireError) {
        if let id = replay.id, isTaken(id) { throw .simExists(id) }
        ticket.hold()
        let path = replay.path
        offMain { () throws(FileProblem) in
            let file = try ReadableFile.open(path)
            return (file, try file.readFirstLine())
        } then: { [self] result in
            do throws(WireError) {
                switch result {
                case .failure(let problem): throw problem.wireError(of: path, in: "path")
                case .success(let (file, first)):
                    try begin(replay, RecordingReader(file, first: first, daemon: self), ticket)
                }
            } catch {
                ticket.answer(error)
                ticket.release()
            }
        }
    }

    private func begin(
        _ replay: RecReplay, _ reader: RecordingReader, _ ticket: Ticket
    ) throws(WireError) {
        if shutdown != nil { throw .shuttingDown() }
        if let id = replay.id, isTaken(id) { throw .simExists(id) }
        let (create, turn) = try readHeader(reader, id: replay.id, keeps: replay.keeps)
        let (simulation, origin) = try build(create)
        replays.add(
            Replay(
                simulation, origin: origin, from: .recording(reader),
                to: .same(after: turn, isKept: replay.keeps),
                historyLimit: replay.keeps ? limits.historyBytes : 0,
                of: replay.path, reserving: simulation.id, daemon: self, ticket: ticket
            ) { [self] replayed, outcome in
                switch outcome {
                case .compared(let comparison):
                    tell(comparison, of: replayed, keepsSimulation: replay.keeps, ticket)
                case .failed(let error):
                    ticket.answer(error)
                    replayed.discard()
                case .arrived, .abandoned: replayed.discard()
                }
                ticket.release()
            })
    }

    private func tell(
        _ comparison: Replay.Comparison, of replayed: Replay, keepsSimulation: Bool, _ ticket: Ticket
    ) {
        let simulation = replayed.simulation
        let turns = simulation.turn
        if keepsSimulation && simulation.turn > 0 {
            _ = adopt(replayed)
        } else {
            replayed.discard()
        }
        ticket.answer { out in
            out.object { out in
                if keepsSimulation && turns > 0 { out.member("sim", simulation.id) }
                out.member("turns", turns)
                out.member("lines", comparison.lines)
                out.member("same", comparison.difference == nil)
                if comparison.isTorn { out.member("torn", true) }
                if comparison.isUnfinished { out.member("unfinished", true) }
                guard let difference = comparison.difference else { return }
                out.object("difference") {
                    $0.member("line", difference.line)
                    $0.member("turn", difference.turn)
                    $0.member("expected", orNull: difference.expected.map(limits.shown))
                    $0.member("got", orNull: difference.got.map(limits.shown))
                    if let text = difference.text { $0.member("text", text) }
                }
            }
        }
    }

    /// The settings of the recorded simulation, and the last turn before its results begin.
    private func readHeader(
        _ reader: RecordingReader, id: String?, keeps: Bool
    ) throws(WireError) -> (SimCreate, UInt64) {
        let path = reader.file.path
        guard case .line(let line) = reader.next() else {
            throw .badRecording(path, line: 1, "the file has no full line")
        }
        guard let header = try? read(recordedLine: line), header["seam"]?.text == "recording" else {
            throw .badRecording(path, line: 1, "it is not the header of a recording")
        }
        guard let version = header["version"]?.integer else {
            throw .badRecording(path, line: 1, "it names no version")
        }
        guard version == RecordingHeader.version else {
            throw .badRecording(
                path, line: 1,
                "the recording is of version \(version), and this daemon reads \(RecordingHeader.version)")
        }
        guard let scenario = header["scenario"]?.text, let params = header["params"]?.members,
            let policies = header["policies"]?.members, let profile = header["profile"]?.text,
            let seed = header["seed"]?.unsigned, let clock = header["clock"]?.text,
            let turn = header["turn"]?.unsigned
        else { throw .badRecording(path, line: 1, "a member of the header is missing") }
        guard clock == "virtual" || clock == "real" else {
            throw .badRecording(
                path, line: 1, "its clock is \(limits.shown(clock)), where virtual or real was expected")
        }
        let declared = catalogue.entry(scenario)?.scenario.parameters ?? []
        var create = SimCreate(scenario: scenario, id: id, profile: profile, seed: seed)
        for param in params {
            // No value where there is none from the start was not given by anybody.
            let isInitial = declared.contains { $0.id == param.name && $0.initial == nil }
            if param.value.isNull && isInitial { continue }
            let value = param.value.text
            if let size = value?.utf8.count, size > limits.valueBytes {
                throw .badRecording(
                    path, line: 1,
                    "the value of its parameter \(WireError.excerpt(param.name)) has \(size) bytes, where at most "
                        + "\(limits.valueBytes) can be")
            }
            create.params.append(Entry(param.name, value))
        }
        create.policies = policies.map { Setting($0.name, $0.value.text ?? "") }
        create.clock = clock == "real" ? .real : .virtual
        // Nobody can ask one that goes with the answer.
        if !keeps { create.keepsTrace = false }
        return (create, turn)
    }

    /// Parses a line of a recording, whatever its length.
    func read(recordedLine line: UnsafeRawBufferPointer) throws(WireError) -> JSON {
        if line.count <= limits.lineBytes { return try replays.lineReader.read(line) }
        return try JSON(parsing: String(decoding: line, as: UTF8.self))
    }
}

extension Limits {
    /// As much of a line as an answer shows.
    fileprivate func shown(_ line: String) -> String {
        if line.utf8.count <= shownValueBytes { return line }
        var cut = line.utf8.index(line.startIndex, offsetBy: shownValueBytes)
        while cut.samePosition(in: line) == nil { cut = line.utf8.index(before: cut) }
        return "\(line[..<cut])…"
    }
}

/// The recordings that are being made.
final class Recordings {
    private unowned let daemon: Daemon
    /// With lines to be handed over when the round ends.
    private var listed: [(hosted: HostedSimulation, recording: Recording)] = []

    private static let patienceSeconds = 2

    init(of daemon: Daemon) {
        self.daemon = daemon
    }

    func header(of simulation: Simulation, _ origin: Origin) -> RecordingHeader {
        RecordingHeader(
            scenario: simulation.scenario, plugin: daemon.catalogue.plugin(of: origin.body),
            parameters: origin.parameters, policies: origin.policies, profile: origin.profile,
            seed: origin.seed, clock: origin.clock, turn: simulation.turn)
    }

    /// Records from now on, behind what came in until now. Nobody is told yet.
    func begin(_ hosted: HostedSimulation, to file: RecordingFile) -> Recording {
        let recording = Recording(to: file)
        recording.isStarting = true
        recording.begin(
            header(of: hosted.simulation, hosted.origin), before: hosted.history.reader, of: hosted.simulation
        )
        take(recording, of: hosted)
        return recording
    }

    /// Records from the creation on, into a file that has its header.
    func goOn(_ hosted: HostedSimulation, to file: RecordingFile) {
        take(Recording(to: file), of: hosted)
    }

    private func take(_ recording: Recording, of hosted: HostedSimulation) {
        hosted.recording = recording
        hosted.endedRecording = nil
    }

    func take(_ event: Event, of turn: Turn, in hosted: HostedSimulation) {
        take(.event(event), at: turn.number, in: hosted)
    }

    /// An input that was applied, or is about to be; `turn` is the first that it makes.
    func take(_ input: Input, at turn: UInt64? = nil, in hosted: HostedSimulation) {
        guard let recording = hosted.recording else { return }
        let simulation = hosted.simulation
        let moment = InputMoment(turn: turn ?? simulation.turn + 1, nanoseconds: simulation.nanoseconds)
        recording.take(input, at: moment, of: simulation.scenario)
        list(hosted, recording)
    }

    func take(_ turn: Turn, of hosted: HostedSimulation) {
        guard let recording = hosted.recording else { return }
        recording.take(turn, of: hosted.simulation)
        list(hosted, recording)
    }

    private func list(_ hosted: HostedSimulation, _ recording: Recording) {
        if recording.isPieceFull { handOver(hosted, recording) }
        if recording.isListed { return }
        recording.isListed = true
        listed.append((hosted, recording))
    }

    func handOver() {
        if listed.isEmpty { return }
        let taken = listed
        listed.removeAll(keepingCapacity: true)
        for (hosted, recording) in taken {
            recording.isListed = false
            handOver(hosted, recording)
        }
    }

    private func handOver(_ hosted: HostedSimulation, _ recording: Recording) {
        if recording.handOver() { return }
        giveUp(
            hosted, recording,
            "cannot be written as fast as it grows: \(Recording.backlogBytes >> 20) MiB wait for the disk",
            size: nil)
    }

    /// Hands over what a reader of the file is about to look for.
    func handOver(of hosted: HostedSimulation) {
        if let recording = hosted.recording { handOver(hosted, recording) }
    }

    /// Nothing more can be written.
    func failed(_ file: RecordingFile, _ problem: FileProblem) {
        guard
            let hosted = daemon.simulationsInOrder.first(where: { $0.recording?.file === file }),
            let recording = hosted.recording
        else { return }
        // Whoever asked for it is told by the answer, and there is no file.
        if recording.isStarting {
            hosted.recording = nil
        } else {
            var size: (UInt64, Int)? = (file.lines, file.end)
            if case .deleted = problem.kind { size = nil }
            giveUp(hosted, recording, problem.text, size: size)
        }
    }

    /// The recording ends, the simulation goes on.
    private func giveUp(
        _ hosted: HostedSimulation, _ recording: Recording, _ reason: String,
        size: (lines: UInt64, bytes: Int)?
    ) {
        guard hosted.recording === recording else { return }
        hosted.recording = nil
        hosted.endedRecording = RecordingEnd(
            path: recording.path, turn: hosted.simulation.turn, reason: reason, size: size)
        Log.warning("the recording of \(hosted.id) to \(recording.path) has stopped: \(reason)")
        daemon.note(
            .note(
                code: "recording-stopped", severity: .warning,
                text: "the recording to \(recording.path) has stopped: \(reason); the simulation goes on"),
            in: hosted)
    }

    /// The last line; `then` is told when all of it is on the disk, or why it is not.
    func end(
        _ hosted: HostedSimulation, because reason: String,
        then: (@MainActor (FileProblem?, _ place: String) -> Void)? = nil
    ) {
        guard let recording = hosted.recording else { return }
        recording.end(hosted.simulation, because: reason)
        hosted.recording = nil
        _ = recording.handOver()
        let file = recording.file
        daemon.offMain {
            file.sync()
            return (file.problem, file.place())
        } then: { (result: Result<(FileProblem?, String), Never>) in
            let (problem, place) = result.get()
            if let then { return then(problem, place) }
            if let problem { Log.warning("the recording to \(file.path) is not whole: \(problem.text)") }
        }
    }

    /// When the daemon ends: waits for the disk, but not for ever.
    func endAll() {
        for hosted in daemon.simulationsInOrder where hosted.recording != nil {
            end(hosted, because: "shutdown")
        }
        // Also when none is being recorded: one that has just been destroyed may have its last lines to write.
        let done = DispatchSemaphore(value: 0)
        fileQueue.async { done.signal() }
        if done.wait(timeout: .now() + .seconds(Self.patienceSeconds)) == .timedOut {
            Log.warning("the disk does not take the recordings; not waiting for it")
        }
    }
}
