// The daemon: what exists, the one `switch` over what can be asked for (stop 4 of an event's path), the
// hand-over to a simulation (stop 5), and what comes back from it entering the streams (stop 6).

import CLibuv
import SeamKernel
import SeamPluginHost
import SeamWire

/// Everything the daemon holds, and everything it does. Main thread, on the loop.
final class Daemon {
    let loop: Loop
    let limits: Limits
    let memory: Memory
    let epoch = ByteBuffer.hexadecimal(.random(in: .min ... .max))
    let catalogue: PluginCatalogue
    let allowedGroup: UInt32?
    let started = uv_hrtime()
    var statistics = Statistics()

    // What exists.
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var simulations: [String: HostedSimulation] = [:]
    /// In the order of creation; nil when it has to be put together again.
    private var ordered: [HostedSimulation]? = []
    private var lastFound: HostedSimulation?
    /// One closure for all simulations: there may be a hundred thousand.
    private lazy var noteWaiting: (Simulation) -> Void = { [unowned self] in wait($0) }
    private var createdCount: UInt32 = 0
    private var namedCount: UInt64 = 0
    /// Fields of all simulations.
    private var fieldTotal = 0
    var subscriptionCount = 0
    var lastSubscription: UInt64 = 0
    /// The stream of those who watch the daemon: every change of every simulation.
    let everything: Stream
    /// Until when that stream is kept after its last reader went, in the loop's milliseconds; nil while there
    /// is one or it is not kept at all.
    private var everythingEnds: UInt64?
    var recordsEverything = false

    // What the round has to do before it ends.
    private(set) var round: UInt64 = 1
    private var listed: [HostedSimulation] = []
    private var streamsWithNews: [Stream] = []
    private var flushQueue: [Connection] = []
    private var backlog: [Connection] = []
    private var orphans: [HostedSimulation] = []
    /// What goes on when something off the main thread is done.
    private var arrivals: [() -> Void] = []

    /// How most simulations without code were made.
    var plainOrigin: Origin?

    lazy var replays = Replays(of: self)
    lazy var recordings = Recordings(of: self)

    // Shared by all connections.
    let readBlock = ReadBlock()
    /// Goes round among the connections, empty.
    var ahead = ReadAhead()
    private let decoder: RequestDecoder
    /// Turns of different simulations never nest.
    let scratch = Simulation.Scratch()
    private var spareBuffer = ByteBuffer(reserving: 512 << 10)
    private var hasSpareBuffer = true

    private var listeners: [Listener] = []
    private var ticks: LoopTimer?
    private var realClock: RealClock?
    var shutdown: Shutdown?
    /// What is left of this round's steps for the question which subscriptions want a field.
    var filterSteps = Filter.stepsPerRound

    /// Posts of one simulation that are taken in one round.
    private static let postsPerRound = 1024
    static let markMilliseconds: UInt64 = 5_000
    private static let everythingMilliseconds: UInt64 = 60_000

    init(loop: Loop, limits: Limits, catalogue: PluginCatalogue, hooks: PluginHooks, allowedGroup: UInt32?) {
        self.loop = loop
        self.limits = limits
        self.catalogue = catalogue
        self.allowedGroup = allowedGroup
        memory = Memory(limits)
        everything = Stream(in: memory)
        decoder = RequestDecoder(limits: limits)
        hooks.post = { [unowned self] simulation, token in post(token, to: simulation) }
        hooks.drainMainQueue = { loop.drainMainQueue() }
        hooks.log = { simulation, level, text in Daemon.log(simulation, level, text) }
        ticks = LoopTimer(on: loop) { [unowned self] in tick() }
        realClock = RealClock(on: loop) { [unowned self] hosted in advanceReal(hosted) }
        loop.endOfRound = { [unowned self] in endRound() }
    }

    func listen(on descriptor: Int32) throws(SocketFile.Refusal) {
        listeners.append(try Listener(descriptor, daemon: self))
    }

    func stopListening() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
    }

    // MARK: Stop 3: a line becomes calls

    func decode(_ line: UnsafeRawBufferPointer) -> Decoded { decoder.decode(line) }

    /// Takes one line of a client. What is no request is answered here and goes no further.
    func take(_ line: consuming Decoded, from connection: Connection) {
        switch consume line {
        case .single(let incoming):
            take(incoming, from: connection, in: nil)
        case .batch(let elements):
            connection.begin(Batch(elements, on: connection))
        }
    }

    /// Takes one request, of a line of its own or of a batch.
    func take(_ incoming: consuming Incoming, from connection: Connection, in batch: Batch?) {
        statistics.requests += 1
        switch consume incoming {
        case .request(let id, let call):
            perform(call, Ticket(connection: connection, id: id, batch: batch))
        case .notification(let call):
            perform(call, Ticket(connection: connection, id: nil, batch: batch))
        case .failure(let id, let error):
            Ticket(connection: connection, id: id, batch: batch).answer(error)
        case .failedNotification(let error):
            Log.debug("a notification failed: \(error.message)")
            statistics.failedNotifications += 1
        }
    }

    // MARK: Stop 4: the switch

    /// Does what was asked for. Everything the daemon can do is in here.
    private func perform(_ call: consuming Call, _ ticket: Ticket) {
        if shutdown != nil { return ticket.answer(.shuttingDown()) }
        do throws(WireError) {
            switch consume call {
            case .hello(let hello): try sayHello(hello, ticket)
            case .ping: ticket.answer { $0.object { $0.member("daemonEpoch", epoch) } }
            case .stats: tellStatistics(ticket)
            case .shutdown: requestShutdown(ticket)
            case .discover: discover(ticket)
            case .scenarioList(let page): listScenarios(page, ticket)
            case .scenarioDescribe(let scenario): try describe(scenario, ticket)
            case .simCreate(let create): try self.create(create, ticket)
            case .simList(let page): listSimulations(page, ticket)
            case .simGet(let get): try self.get(get, ticket)
            case .simDestroy(let sim): try destroy(sim, ticket)
            case .simSend(let send):
                let hosted = try find(send.sim, send.ifSeq)
                hand(try event(send, for: hosted), to: hosted, interim: send.interim, ticket)
            case .simAdvance(let advance): try self.advance(advance, ticket)
            case .simCheck(let check): try self.check(check, ticket)
            case .simRun(let run): try play(run, ticket)
            case .simTrace(let trace): try tell(trace, ticket)
            case .simExplain(let explain): try self.explain(explain, ticket)
            case .simFork(let fork): try self.fork(fork, ticket)
            case .modelSet(let set):
                let hosted = try find(set.sim, set.ifSeq)
                hand(.modelWrite(set.values), to: hosted, naming: "values", interim: set.interim, ticket)
            case .modelClear(let clear):
                let hosted = try find(clear.sim, clear.ifSeq)
                hand(
                    .modelWrite(clear.keys.cleared), to: hosted, naming: "keys", interim: clear.interim,
                    ticket)
            case .screenDeclare(let declare):
                let hosted = try find(declare.sim, declare.ifSeq)
                hand(
                    .screenDeclare(screen: declare.screen, keys: declare.names), to: hosted, naming: "fields",
                    interim: declare.interim, ticket)
            case .screenSet(let set):
                let hosted = try find(set.sim, set.ifSeq)
                hand(
                    .screenWrite(screen: set.screen, set.values), to: hosted,
                    naming: "values", interim: set.interim, ticket)
            case .screenClear(let clear):
                let hosted = try find(clear.sim, clear.ifSeq)
                try requireFields(clear, of: hosted)
                hand(
                    .screenWrite(screen: clear.screen, clear.names.cleared), to: hosted, naming: "keys",
                    interim: clear.interim, ticket)
            case .bridgeAssign(let call, let built):
                try drive(call, ticket) { built ? .assignBuilt($0, mount: $1) : .assign($0, mount: $1) }
            case .bridgeUpdate(let call, let cause):
                try drive(call, ticket) { .update($0, mount: $1, cause: cause.kernel) }
            case .bridgeUnmount(let call): try drive(call, ticket) { .unmount($0, mount: $1) }
            case .bridgeMount(let call):
                let hosted = try find(call.sim, call.ifSeq)
                hand(.mount(try bridge(call.bridge, of: hosted)), to: hosted, interim: call.interim, ticket)
            case .bridgeBuild(let call): try drive(call, ticket) { .build($0, mount: $1) }
            case .bridgeIdentify(let call, let identity):
                try drive(call, ticket) { .identify($0, mount: $1, id: identity) }
            case .bridgeRebind(let call, let owner):
                try drive(call, ticket) { .rebind($0, mount: $1, owner: owner) }
            case .bridgeItems(let list):
                let hosted = try find(list.sim, list.ifSeq)
                let items = list.items.map { Item(id: $0.name, value: $0.value) }
                hand(
                    .items(try bridge(list.bridge, of: hosted), items), to: hosted, interim: list.interim,
                    ticket)
            case .bridgeDismiss(let call): try drive(call, ticket) { .dismiss($0, mount: $1) }
            case .bridgeList(let list): try listMounts(list, ticket)
            case .hostSet(let call, let change):
                try drive(call, ticket) { .activity($0, mount: $1, change.kernel) }
            case .environmentSet(let set): try setEnvironment(set, ticket)
            case .policyList: listPolicies(ticket)
            case .subOpen(let open): try self.open(open, ticket)
            case .subClose(let sub): try closeSubscription(sub, ticket)
            case .recStart(let start): try startRecording(start, ticket)
            case .recStop(let sim): try stopRecording(sim, ticket)
            case .recReplay(let replay): try self.replay(replay, ticket)
            }
        } catch {
            ticket.answer(error)
        }
    }

    // MARK: Stop 5: the hand-over

    /// Hands an event to its simulation. The turn comes back to `settled`: in this process at once, from a
    /// worker process later; whoever writes a method must not count on the difference. `names` is the
    /// parameter that the event's keys came in, for the errors about them.
    func hand(
        _ event: Event, to hosted: HostedSimulation, naming names: StaticString = "",
        interim: InterimRead? = nil, _ ticket: Ticket
    ) {
        if memory.isTight, let refusal = refusalForWantOfRoom(event, in: hosted) {
            return ticket.answer(refusal)
        }
        followRealClock(hosted)
        if hosted.isLive { hosted.simulation.fieldLimit = fieldRoom(for: hosted) }
        let fieldsBefore = hosted.simulation.fieldCount
        do throws(Refusal) {
            var read: Interim?
            if let interim {
                do throws(WireError) {
                    read = try self.read(interim, of: hosted)
                } catch {
                    return ticket.answer(error)
                }
            }
            let turn = try apply(event, interim: read, to: hosted)
            fieldTotal += hosted.simulation.fieldCount - fieldsBefore
            settled(turn, of: hosted, interim: interim, ticket)
        } catch {
            ticket.answer(wireError(error, event, naming: names, in: hosted))
        }
    }

    /// Applies an event, and keeps it for whoever wants the simulation once more. An interim read changes nothing and is
    /// not kept.
    @inline(__always)
    func apply(
        _ event: Event, interim: Interim? = nil, to hosted: HostedSimulation
    ) throws(Refusal) -> Turn {
        let turn: Turn
        if let interim {
            turn = try hosted.simulation.apply(event, interim: interim)
        } else {
            turn = try hosted.simulation.apply(event)
        }
        hosted.history.append(event, in: memory)
        if hosted.recording != nil { recordings.take(event, of: turn, in: hosted) }
        return turn
    }

    /// A turn is back: its changes enter the streams, then its request is answered.
    private func settled(
        _ turn: Turn, of hosted: HostedSimulation, interim: InterimRead?, _ ticket: Ticket
    ) {
        enter(turn, of: hosted)
        if let interim { return answer(turn, of: hosted, interim, ticket) }
        let (number, mount) = (turn.number, turn.mount)
        let (changes, diagnostics) = (turn.changes.count, turn.diagnostics.count)
        let seq = hosted.simulation.seq
        ticket.answer(after: hosted) {
            $0.change(seq: seq, turn: number, changes: changes, diagnostics: diagnostics, mount: mount)
        }
    }

    // MARK: Stop 6: changes enter the streams

    /// Takes a turn's findings and changes into the ring of its simulation, and into the daemon's while
    /// somebody watches it; an ended simulation ends its subscriptions.
    func enter(_ turn: Turn, of hosted: HostedSimulation) {
        statistics.turns += 1
        statistics.changes += UInt64(turn.changes.count)
        statistics.diagnostics += UInt64(turn.diagnostics.count)
        let (number, nanoseconds) = (turn.number, turn.nanoseconds)
        if hosted.recording != nil { recordings.take(turn, of: hosted) }
        for finding in turn.diagnostics {
            enter(hosted) { RingEntry(finding, turn: number, nanoseconds: nanoseconds, source: $0) }
        }
        let changes = turn.changes.span
        for index in changes.indices {
            // Field by field: a change that is passed on is copied whole, with its four texts.
            if changes[index].from == .matching { hosted.shares(less: changes[index].previousModel) }
            if changes[index].to == .matching { hosted.shares(more: changes[index].model) }
            if hosted.stream.isCopied || everything.isCopied {
                save(changes[index], of: hosted)
            }
            enter(hosted) { RingEntry(changes[index], turn: number, nanoseconds: nanoseconds, source: $0) }
        }
        hosted.count(in: memory)
        if memory.isFull { makeRoom() }
        realClock?.look(at: hosted)
        if let failure = turn.failure { fail(hosted, failure) }
    }

    /// One entry, made for the simulation's ring and once more for the daemon's.
    @inline(__always)
    private func enter(_ hosted: HostedSimulation, _ entry: (HostedSimulation?) -> RingEntry) {
        if recordsEverything { enter(entry(hosted), into: everything, from: hosted) }
        enter(entry(nil), into: hosted.stream, from: hosted)
    }

    private func enter(_ entry: consuming RingEntry, into stream: Stream, from hosted: HostedSimulation) {
        if stream.enter(entry, from: hosted, within: &filterSteps) { streamsWithNews.append(stream) }
        if stream.isFullOfNews { flushNews() }
    }

    /// The snapshots that have not sent this field yet keep what it was.
    private func save(_ change: Change, of hosted: HostedSimulation) {
        for subscription in hosted.stream.copying { subscription.snapshot?.save(change, of: hosted) }
        for subscription in everything.copying { subscription.snapshot?.save(change, of: hosted) }
    }

    private func announce(_ kind: RingEntry.Kind, _ hosted: HostedSimulation) {
        guard recordsEverything else { return }
        enter(RingEntry(kind, of: hosted, seq: hosted.simulation.seq), into: everything, from: hosted)
    }

    private func fail(_ hosted: HostedSimulation, _ text: String) {
        Log.warning("the simulation \(hosted.id) failed: \(text)")
        announce(.failed, hosted)
        hosted.stream.finish(.failed)
    }

    // MARK: The round

    /// What the callbacks of this round noted. Answers whether something is left for the next one.
    private func endRound() -> Bool {
        round += 1
        for listener in listeners { listener.beginRound() }
        filterSteps = Filter.stepsPerRound
        for arrival in take(&arrivals) { arrival() }
        for hosted in take(&listed) { runWaiting(hosted) }
        for connection in take(&backlog) {
            connection.isInBacklog = false
            connection.takeLines()
        }
        for hosted in take(&orphans) where !hosted.isDestroyed { destroy(hosted) }
        replays.run()
        recordings.handOver()
        flushNews()
        seam_heap_advise()
        shutdown?.look()
        return replays.goOn || !arrivals.isEmpty || !listed.isEmpty || !backlog.isEmpty || !orphans.isEmpty
            || !flushQueue.isEmpty
    }

    /// Tells the readers what came, and writes to every connection that has something. Event lines before replies was
    /// tried: an event was no sooner at its reader (p50 of 14 runs 41.2 µs, so 40.1), since the wake-up is what takes
    /// the time.
    private func flushNews() {
        for stream in take(&streamsWithNews) { stream.spread() }
        for connection in take(&flushQueue) {
            connection.isInFlushQueue = false
            connection.flush()
        }
    }

    private func take<Element>(_ list: inout [Element]) -> [Element] {
        if list.isEmpty { return [] }
        var taken: [Element] = []
        swap(&taken, &list)
        return taken
    }

    /// Tells the readers of one stream at once, because a reply has to stand behind their lines.
    func spread(_ stream: Stream) {
        if stream.newsCount > 0 { stream.spread() }
    }

    func flushLater(_ connection: Connection) {
        guard !connection.isInFlushQueue else { return }
        connection.isInFlushQueue = true
        flushQueue.append(connection)
    }

    func takeLinesLater(_ connection: Connection) {
        guard !connection.isInBacklog else { return }
        connection.isInBacklog = true
        backlog.append(connection)
    }

    // MARK: Turns that nobody requested

    private func post(_ token: UInt64, to simulation: Simulation) {
        guard let hosted = simulations[simulation.id], hosted.simulation === simulation else {
            return replays.post(token, to: simulation)
        }
        hosted.posted.append(token)
        list(hosted)
    }

    private func wait(_ simulation: Simulation) {
        guard let hosted = simulations[simulation.id], hosted.simulation === simulation else { return }
        hosted.wantsTurn = true
        list(hosted)
    }

    /// Goes on with `next` in a loop callback, never inside the block of the main queue that brings it.
    func arrive(_ next: @escaping () -> Void) {
        arrivals.append(next)
    }

    /// A finding of the daemon about the simulation, as soon as it can have a turn.
    func note(_ event: Event, in hosted: HostedSimulation) {
        hosted.notes.append(event)
        list(hosted)
    }

    func list(_ hosted: HostedSimulation) {
        guard !hosted.isListed else { return }
        hosted.isListed = true
        listed.append(hosted)
    }

    private func runWaiting(_ hosted: HostedSimulation) {
        hosted.isListed = false
        guard !hosted.isDestroyed, hosted.failure == nil else { return hosted.posted.removeAll() }
        followRealClock(hosted)
        for note in hosted.notes {
            if let turn = try? apply(note, to: hosted) { enter(turn, of: hosted) }
        }
        hosted.notes.removeAll()
        let tokens = hosted.posted.prefix(Self.postsPerRound)
        hosted.posted.removeFirst(tokens.count)
        for token in tokens {
            // Refused only once the simulation has failed.
            guard let turn = try? apply(.tick(token), to: hosted) else { return }
            enter(turn, of: hosted)
        }
        if hosted.takeWaiting() {
            if tokens.isEmpty, let turn = try? apply(.settle, to: hosted) { enter(turn, of: hosted) }
        }
        if !hosted.posted.isEmpty { list(hosted) }
    }

    private func advanceReal(_ hosted: HostedSimulation) {
        guard !hosted.isDestroyed else { return }
        followRealClock(hosted)
        realClock?.look(at: hosted)
    }

    /// Lets a simulation with the real clock catch up with it before anything else happens to it.
    func followRealClock(_ hosted: HostedSimulation) {
        guard let now = hosted.realNanoseconds else { return }
        try? advance(hosted, to: now, isRequest: false) { enter($0, of: hosted) }
    }

    /// Moves the clock of a simulation, and keeps that for whoever wants it once more.
    func advance(
        _ hosted: HostedSimulation, to moment: Int64, isRequest: Bool, each: (Turn) -> Void
    ) throws(Refusal) {
        if hosted.failure == nil {
            let advance = Advance(moment: moment, isRequest: isRequest)
            hosted.history.append(advance, in: memory)
            if hosted.recording != nil { recordings.take(.advance(advance), in: hosted) }
        }
        try hosted.simulation.advance(to: moment, isEvent: isRequest, each: each)
    }

    // MARK: What exists

    var connectionCount: Int { connections.count }
    var simulationCount: Int { simulations.count }
    var fieldCount: Int { fieldTotal }

    func take(_ pipe: UnsafeMutablePointer<uv_pipe_t>) {
        statistics.connections += 1
        let connection = Connection(pipe, daemon: self)
        connections[ObjectIdentifier(connection)] = connection
    }

    func forget(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        // Destroying runs plug-in code and writes to others: not in the middle of whatever closed this one.
        guard connection.ownsSimulations else { return }
        orphans.append(contentsOf: simulationsInOrder.filter { $0.owner === connection })
    }

    /// The simulation of this id, at `seq` if one is named.
    func find(_ sim: String, _ ifSeq: UInt64? = nil) throws(WireError) -> HostedSimulation {
        let hosted: HostedSimulation
        if let lastFound, lastFound.id == sim {
            hosted = lastFound
        } else if let found = simulations[sim] {
            lastFound = found
            hosted = found
        } else {
            throw .unknownSim(sim, among: simulations.keys.prefix(4096).sorted())
        }
        if let ifSeq, ifSeq != hosted.simulation.seq {
            throw .conflict(sim: sim, asked: ifSeq, seq: hosted.simulation.seq)
        }
        return hosted
    }

    var simulationsInOrder: [HostedSimulation] {
        if let ordered { return ordered }
        let sorted = simulations.values.sorted { $0.ordinal < $1.ordinal }
        ordered = sorted
        return sorted
    }

    func isTaken(_ id: String) -> Bool { simulations[id] != nil || replays.hasReserved(id) }

    /// `s1`, `s2`, …: the first that is free.
    func freshID() -> String {
        repeat { namedCount += 1 } while isTaken("s\(namedCount)")
        return "s\(namedCount)"
    }

    /// Takes a simulation in that has not started yet: what its plug-in posts from the first turn must find
    /// it.
    func host(_ simulation: Simulation, origin: Origin, history: History) -> HostedSimulation {
        createdCount += 1
        let hosted = HostedSimulation(
            simulation, origin: origin, history: history, ordinal: createdCount, in: memory)
        simulation.onWaiting = noteWaiting
        simulations[simulation.id] = hosted
        ordered?.append(hosted)
        fieldTotal += simulation.fieldCount
        return hosted
    }

    /// Takes in one that was made again and has its first turns behind it: as if its subscribers had seen them.
    func adopt(_ replay: Replay) -> HostedSimulation {
        replay.leave()
        let simulation = replay.simulation
        let hosted = host(simulation, origin: replay.origin, history: replay.history)
        hosted.stream.ring.forget(skipping: simulation.seq)
        hosted.countShared()
        announce(.created, hosted)
        if recordsEverything { tellState(of: hosted) }
        if hosted.failure != nil { announce(.failed, hosted) }
        hosted.posted = replay.hosted.posted
        hosted.wantsTurn = replay.hosted.wantsTurn
        if !hosted.posted.isEmpty || hosted.wantsTurn { list(hosted) }
        if hosted.origin.clock == .real { startRealClock(of: hosted) }
        hosted.count(in: memory)
        if memory.isFull { makeRoom() }
        return hosted
    }

    /// Who watches the daemon has not seen how the fields came to be what they are.
    private func tellState(of hosted: HostedSimulation) {
        let simulation = hosted.simulation
        for field in 0..<simulation.fieldCount {
            let view = simulation.field(field)
            if view.verdict == .outOfScope { continue }
            let entry = RingEntry(
                model: view.model, shown: view.shown, from: .outOfScope, to: view.verdict,
                field: Int32(truncatingIfNeeded: field), age: 0, seq: simulation.seq, turn: simulation.turn,
                nanoseconds: simulation.nanoseconds, source: hosted)
            enter(entry, into: everything, from: hosted)
        }
    }

    /// Runs the first turn. One that cannot be created is taken out again, and nobody has heard of it.
    func start(_ hosted: HostedSimulation, parameters: [String?]) throws(Simulation.CreateFailure) -> Turn {
        do throws(Simulation.CreateFailure) {
            let turn = try hosted.simulation.start(parameters: parameters)
            if hosted.recording != nil { recordings.take(.create, at: 1, in: hosted) }
            announce(.created, hosted)
            enter(turn, of: hosted)
            return turn
        } catch {
            hosted.markDestroyed()
            hosted.history.close(in: memory)
            remove(hosted)
            throw error
        }
    }

    /// Ends a simulation: its last turn, then the end of its subscriptions.
    @discardableResult
    func destroy(_ hosted: HostedSimulation) -> Turn {
        if hosted.recording != nil { recordings.take(.destroy, in: hosted) }
        let turn = hosted.simulation.destroy()
        hosted.markDestroyed()
        enter(turn, of: hosted)
        if hosted.recording != nil { recordings.end(hosted, because: "destroyed") }
        hosted.history.close(in: memory)
        announce(.destroyed, hosted)
        hosted.stream.finish(.destroyed)
        remove(hosted)
        return turn
    }

    private func remove(_ hosted: HostedSimulation) {
        simulations[hosted.id] = nil
        if lastFound === hosted { lastFound = nil }
        fieldTotal -= hosted.simulation.fieldCount
        if ordered?.last === hosted { ordered?.removeLast() } else { ordered = nil }
        realClock?.forget(hosted)
        hosted.forgetInterest()
        hosted.count(in: memory)
    }

    func startRealClock(of hosted: HostedSimulation) {
        hosted.startRealClock()
        realClock?.look(at: hosted)
    }

    /// How many fields the simulation may have, with what all others have.
    func fieldRoom(for hosted: HostedSimulation) -> Int {
        limits.fields - (fieldTotal - hosted.simulation.fieldCount)
    }

    // MARK: Time

    /// Once a second while somebody subscribes or is slow to read; an idle daemon does not wake up.
    private func tick() {
        let now = loop.milliseconds
        for connection in connections.values {
            connection.closeIfStalled(now)
            if now >= Self.markMilliseconds { connection.mark(silentSince: now - Self.markMilliseconds) }
        }
        if let end = everythingEnds, now >= end {
            everythingEnds = nil
            recordsEverything = false
            // A number is left out, so that nobody resumes across what was not recorded.
            everything.ring.forget(skipping: 1)
        }
        if subscriptionCount == 0 && everythingEnds == nil && !connections.values.contains(where: \.isWaiting)
        {
            ticks?.stop()
        }
    }

    func needsTicks() {
        guard let ticks, !ticks.isRunning else { return }
        ticks.start(after: 1000, every: 1000)
    }

    /// Whether its stream holds all that happened since the last one who watched it came: before the first one there
    /// is nothing in it, whatever has happened.
    var keepsEverything: Bool { recordsEverything || createdCount == 0 }

    /// Somebody begins to watch the daemon.
    func watchEverything() {
        recordsEverything = true
        everythingEnds = nil
    }

    /// Whether anybody still watches the daemon is asked when a subscription went.
    func subscriptionIsGone() {
        subscriptionCount -= 1
        if recordsEverything && !everything.isWatched && everythingEnds == nil {
            everythingEnds = loop.milliseconds + Self.everythingMilliseconds
        }
    }

    // MARK: The lent buffer

    func lend(_ buffer: inout ByteBuffer) {
        guard hasSpareBuffer else { return }
        hasSpareBuffer = false
        swap(&buffer, &spareBuffer)
    }

    func giveBack(_ buffer: inout ByteBuffer) {
        if hasSpareBuffer {
            buffer.removeAll(keeping: 0)
        } else {
            buffer.removeAll(keeping: 2 << 20)
            hasSpareBuffer = true
            swap(&buffer, &spareBuffer)
        }
    }

    private static func log(_ simulation: Simulation?, _ level: Int32, _ text: String) {
        let line = simulation.map { "\($0.id) (\($0.scenario.id)): \(text)" } ?? text
        switch level {
        case 3: Log.error(line)
        case 2: Log.warning(line)
        default: Log.info(line)
        }
    }
}
