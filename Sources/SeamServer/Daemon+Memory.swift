// The bound on what all simulations take together: refused beforehand where a client writes values, made room for
// afterwards at the cost of history.

import SeamKernel
import SeamWire

extension Daemon {
    /// What is told to whoever sends an event for whose values there is no room. What takes nothing more, or gives
    /// back, always passes: a full daemon can be emptied.
    @inline(never)
    func refusalForWantOfRoom(_ event: Event, in hosted: HostedSimulation) -> WireError? {
        switch event {
        case .modelWrite, .screenDeclare, .screenWrite:
            let growth = hosted.simulation.growth(by: event)
            return growth > 0 && !memory.hasRoom(for: growth) ? memoryIsFull(growth) : nil
        case .environment(_, bridge: nil, mount: _), .items:
            let growth = hosted.simulation.growth(by: event)
            return growth > 0 && !memory.hasRoom(for: growth) ? memoryIsFull(growth) : nil
        case .send, .assign, .update, .mount, .build, .assignBuilt, .identify, .rebind, .environment:
            // What the plug-in will write is not known: it may go beyond once, and not again.
            return memory.hasRoom(for: 0) ? nil : memoryIsFull(0)
        case .unmount, .settle, .tick, .activity, .dismiss, .note:
            return nil
        }
    }

    func requireRoom(forSimulationOf scenario: Scenario) throws(WireError) {
        guard memory.hasRoom(for: Simulation.ownBytes) else { throw memoryIsFull(Simulation.ownBytes) }
    }

    func requireRoom(for filter: Filter) throws(WireError) {
        let bytes = filter.memoryBytes
        guard bytes == 0 || memory.hasRoom(for: bytes) else { throw memoryIsFull(bytes) }
    }

    private func memoryIsFull(_ growth: Int) -> WireError {
        let more = growth > 0 ? ", and this would add \(growth)" : ""
        return WireError(
            .limit,
            "The values of all simulations, and the patterns of subscriptions, take \(memory.values) bytes of the "
                + "\(memory.valueLimit) that are for them\(more); clear some or destroy a simulation, or start seamd "
                + "with a larger --memory.",
            [
                ("limit", .integer(UInt64(memory.limit))), ("what", .text("memory")),
                ("option", .text("--memory")),
            ])
    }

    /// The same for a simulation that is being made again and is not listed yet.
    func refusalForWantOfRoom(for replay: Replay) -> WireError? {
        if fieldCount + replay.simulation.fieldCount > limits.fields {
            return .limit("fields", limits.fields, option: "--max-fields")
        }
        return memory.hasRoom(for: 0) ? nil : memoryIsFull(0)
    }

    /// Takes room from what is kept of the past until there is enough again: all traces, half by half, then the inputs
    /// of simulations, all of one at a time and the longest first, since without its beginning none is of use, then the
    /// oldest entries of all rings.
    func makeRoom() {
        // Those that are being made again count too, and so they give too.
        let traced = (simulationsInOrder + replays.hosted).filter(\.simulation.keepsTrace)
        while memory.used > memory.target, memory.traces > 0 {
            // Every one of them, so that no simulation pays for another.
            if traced.count(where: { $0.shedTrace(in: memory) }) == 0 { break }
        }
        shedHistories()
        var rings = RingsByAge((simulationsInOrder.map(\.stream) + [everything]).map(\.ring))
        let before = memory.shed
        while memory.used > memory.target, let (age, ring) = rings.next() {
            ring.forget(upTo: age)
            rings.put(ring)
        }
        Log.debug("\(memory.shed - before) changes gave way to the limit of memory")
    }

    private func shedHistories() {
        guard memory.used > memory.target, memory.histories > 0 else { return }
        for hosted in simulationsInOrder.sorted(by: { $0.history.bytes > $1.history.bytes }) {
            if memory.used <= memory.target || hosted.history.bytes == 0 { return }
            hosted.history.giveWay(in: memory)
        }
    }
}
