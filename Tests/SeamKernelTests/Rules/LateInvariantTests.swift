import SeamKernel
import Testing

/// Random ends of mounts and of their controls, and late work asked for at any moment: a reference that sees no more than a
/// plug-in does says for each piece that comes whether whoever asked for it is still there.
@Suite struct LateInvariantTests {
    @Test(arguments: UInt64(1)...60)
    func `R50: late work comes to the instance that asked for it, or is told`(seed: UInt64) throws {
        var run = try LateRun(seed: seed)
        for _ in 0..<120 { try run.step() }
        try run.end()
    }
}

private struct Dice {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}

/// One piece of late work, and who was there when it was asked for.
private struct Piece {
    let number: Int
    let mount: MountID
    let view: ObjectID
    /// Dismantled controls of the mount by then.
    let ends: Int
    let item: String?
}

/// What a plug-in can see of its mounts from inside its bodies.
private final class Witness {
    var dice: Dice
    var pieces: [Int: Piece] = [:]
    var tokens: [UInt64: Int] = [:]
    var views: [MountID: ObjectID] = [:]
    var holders: [ObjectID: MountID] = [:]
    var ends: [MountID: Int] = [:]
    var dismantled: Set<ObjectID> = []
    var lastDismantled: [MountID: ObjectID] = [:]
    var firstItems: [MountID: String] = [:]
    var failed: Set<MountID> = []
    var newest: ObjectID = 0
    /// Pieces that came in this turn, and whether whoever asked was still there.
    var came: [(number: Int, isThere: Bool)] = []
    /// Writes that carry their number.
    var captured: Set<Int> = []
    var accounted: Set<Int> = []
    var failsNext = false

    init(seed: UInt64) { dice = Dice(state: seed) }

    func see(_ mount: MountID, _ view: ObjectID) {
        if view == 0 || dismantled.contains(view) { return }
        views[mount] = view
        holders[view] = mount
    }

    /// Asks for a tick or a write of this mount, by its own number.
    func ask(_ simulation: Simulation, of mount: MountID, from call: BridgeCall? = nil) {
        let number = pieces.count
        let delay = Int64(1 + dice.below(40)) * 1_000_000 + Int64(number)
        let isWrite = dice.below(3) == 0
        var token: UInt64 = 0
        var timer: UInt64 = 0
        if isWrite {
            let way = dice.below(2) == 0
            guard
                simulation.writeLater(mount, "w", captured: "w\(number)", isReread: way, delay: delay) == .ok
            else {
                return
            }
            if !way { captured.insert(number) }
        } else {
            guard simulation.own(mount, "w\(number)", &token) == .ok else { return }
            tokens[token] = number
            let isNow = dice.below(4) == 0
            _ =
                isNow
                ? simulation.nextTurn(token)
                : simulation.atTime(simulation.nanoseconds + delay, token, &timer)
        }
        let view = call?.view ?? 0
        pieces[number] = Piece(
            number: number, mount: mount, view: view != 0 ? view : views[mount] ?? 0, ends: ends[mount] ?? 0,
            item: call == nil ? simulation.item(of: mount)?.id : call?.owner)
    }

    /// Whether the same instance is still there.
    func isThere(_ piece: Piece, _ simulation: Simulation) -> Bool {
        var mount = piece.mount
        if piece.view != 0 {
            guard !dismantled.contains(piece.view), let holder = holders[piece.view] else { return false }
            mount = holder
        } else if ends[mount] ?? 0 != piece.ends {
            return false
        }
        guard simulation.mount(mount) != nil, !failed.contains(mount) else { return false }
        let item = piece.item ?? firstItems[piece.mount]
        return item == simulation.item(of: mount)?.id && (item != nil || mount == piece.mount)
    }
}

private struct LateRun {
    let simulation: Simulation
    let body = ScriptedBody()
    let witness: Witness
    let seed: UInt64
    let drops: Bool
    var dice: Dice
    /// Writes that are under way, and whether whoever asked was there when the turn began.
    private var wereThere: [Int: Bool] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        dice = Dice(state: seed &* 131)
        witness = Witness(seed: seed &* 17)
        var scenario = Scenario(id: "test.late", title: "", summary: "")
        scenario.screens = [
            .init(
                id: "S", title: "", side: .imperative, fields: ["a", "w"].map { .init(key: $0, title: $0) })
        ]
        for number in 0..<2 {
            scenario.bridges.append(.init(id: "b\(number)", title: "", kind: .wrap, screen: 0, inputs: ["a"]))
        }
        scenario.events = [.init(id: "go", title: "", origin: .model)]
        drops = dice.below(2) == 0
        var policies: [(name: String, value: String)] = [
            ("hooks", "told"), ("queued-work", drops ? "drop" : "deliver"),
            ("pool-limit", dice.pick(["0", "1", "3"])),
        ]
        if dice.below(2) == 0 { policies.append(("pool-key", "shared")) }
        let varied = [
            "host-detach", "replace-order", "update-body", "updates", "make", "teardown-order", "offscreen",
            "identity",
            "first-update", "on-return", "unmounted", "native-state",
        ]
        for number in 0..<2 {
            for policy in Policy.all where varied.contains(policy.name) {
                guard case .words(let words) = policy.values, dice.below(2) == 0 else { continue }
                policies.append(("b\(number).\(policy.name)", dice.pick(words)))
            }
            // The ends that are the point of it come often.
            policies.append(
                ("b\(number).host-detach", dice.pick(["keep", "dispose", "dispose", "pool", "pool"])))
        }
        simulation = Simulation(
            id: "s", scenario: scenario, settings: .init(seed: seed, policies: policies), body: body)
        simulation.keepTrace(bytes: 1 << 22)
        wire()
        try note(simulation.start(parameters: []))
    }

    private func wire() {
        let witness = witness
        func chance(_ simulation: Simulation, _ call: BridgeCall, _ odds: Int) {
            if witness.dice.below(odds) == 0 { witness.ask(simulation, of: call.mount, from: call) }
        }
        body.onStart = { simulation in
            var mount: MountID = 0
            _ = simulation.modelSet("a", "1")
            for bridge in 0..<2 { _ = simulation.mount(bridge, &mount) }
            return .ok
        }
        body.onViewMade = { witness.newest = $0 }
        body.onMake = { simulation, call, inputs in
            if call.cause == .measure { return .ok }
            witness.see(call.mount, witness.newest)
            _ = simulation.screenSet(0, "a", inputs.values[0])
            var own = call
            own.view = witness.newest
            chance(simulation, own, 6)
            return .ok
        }
        body.onUpdate = { simulation, call, inputs, _ in
            witness.see(call.mount, call.view)
            _ = simulation.screenSet(0, "a", inputs.values[0])
            chance(simulation, call, 5)
            if witness.failsNext {
                witness.failsNext = false
                witness.failed.insert(call.mount)
                return .failed(status: -7, text: "broken")
            }
            return .ok
        }
        body.onHook = { simulation, hook, call in
            var asking = call
            // After its dismantle it is still the former control that disappears.
            if call.view == 0, hook == .disappear || hook == .endEditing {
                asking.view = witness.lastDismantled[call.mount] ?? 0
            }
            chance(simulation, asking, 8)
            return .ok
        }
        body.onDismantle = { _, call in
            if call.cause == .measure { return }
            witness.dismantled.insert(call.view)
            witness.lastDismantled[call.mount] = call.view
            witness.ends[call.mount, default: 0] += 1
            if witness.views[call.mount] == call.view { witness.views[call.mount] = nil }
        }
        body.onTick = { simulation, token in
            guard let number = witness.tokens[token], let piece = witness.pieces[number] else { return .ok }
            witness.came.append((number, witness.isThere(piece, simulation)))
            return .ok
        }
        body.onEvent = { simulation, _, _ in
            let mounts = (0..<2).flatMap { simulation.mounts(of: $0) }
            if !mounts.isEmpty { witness.ask(simulation, of: witness.dice.pick(mounts)) }
            return .ok
        }
    }

    mutating func step() throws {
        let bridge = dice.below(2)
        let mounts = simulation.mounts(of: bridge)
        let mount = mounts.isEmpty ? nil : dice.pick(mounts)
        let event: Event
        switch dice.below(17) {
        case 0, 1, 2, 3: event = .send(0, arguments: [], mount: nil)
        case 4: event = .modelWrite([("a", "\(dice.below(3))")])
        case 5: event = .mount(bridge)
        case 6: event = .unmount(bridge, mount: mount)
        case 7, 8: event = .identify(bridge, mount: mount, id: "i\(dice.below(4))")
        case 9: event = .activity(bridge, mount: mount, ActivityChange(window: dice.below(3) == 0))
        case 10:
            event = .activity(bridge, mount: mount, ActivityChange(window: true, size: true, parked: false))
        case 11:
            event = .activity(
                bridge, mount: mount, ActivityChange(size: dice.below(2) == 0, parked: dice.below(2) == 0))
        case 12:
            let count = dice.below(4)
            event = .items(bridge, (0..<count).map { Item(id: "x\($0 + dice.below(1 + bridge))") }.unique)
        case 13: event = .rebind(bridge, mount: mount, owner: "x\(dice.below(3))")
        case 14:
            witness.failsNext = dice.below(4) == 0
            event = .update(bridge, mount: mount, cause: .layout)
        default: return try advance(by: Int64(dice.below(20)) * 1_000_000)
        }
        look()
        if let turn = try? simulation.apply(event) { try note(turn) }
    }

    private mutating func advance(by nanoseconds: Int64) throws {
        look()
        var turns: [Turn] = []
        // One moment after the other, so that each turn begins with what was seen before it.
        let end = simulation.nanoseconds + nanoseconds
        while let due = simulation.nextDeadline, due <= end {
            try simulation.advance(to: due, until: { true }) { turns.append($0) }
            for turn in turns { try note(turn) }
            turns = []
            look()
        }
        try simulation.advance(to: end) { turns.append($0) }
        for turn in turns { try note(turn) }
    }

    private mutating func look() {
        for mount in (0..<2).flatMap({ simulation.mounts(of: $0) }) where witness.firstItems[mount] == nil {
            witness.firstItems[mount] = simulation.item(of: mount)?.id
        }
        for (number, piece) in witness.pieces where !witness.accounted.contains(number) {
            wereThere[number] = witness.isThere(piece, simulation)
        }
    }

    private mutating func note(_ turn: Turn) throws {
        let told = turn.diagnostics.filter {
            $0.code == "callback-after-dismantle" || $0.code == "reuse-leak"
        }
        for (number, isThere) in witness.came {
            witness.accounted.insert(number)
            let own = told.filter {
                $0.text.hasPrefix("late work (w\(number))") || $0.text.contains(" its w\(number) was")
            }
            let piece = witness.pieces[number].map { "\($0)" } ?? "w\(number)"
            let words = "seed \(seed), turn \(turn.number): \(piece), \(own.map(\.text))"
            #expect(own.count == (isThere ? 0 : 1), "\(words)")
            #expect(isThere || !drops, "dropped it should be: \(words)")
        }
        witness.came = []
        var late = told.filter { $0.text.contains("deferred write of w") }.count
        simulation.forEachRecord(from: turn.number, to: turn.number) { record in
            guard let text = record.text else { return true }
            let isDropped = text.contains("was dropped")
            if "\(record.call)" == "tick", isDropped, let number = text.number(behind: "w") {
                witness.accounted.insert(number)
                if let piece = witness.pieces[number], wereThere[number] == true,
                    witness.isThere(piece, simulation)
                {
                    Issue.record("seed \(seed), turn \(turn.number): \(piece) was there: \(text)")
                }
            }
            guard "\(record.call)" == "write-back", let number = text.number(behind: "w=w") else {
                return true
            }
            witness.accounted.insert(number)
            guard !isDropped, let piece = witness.pieces[number] else { return true }
            let isThere = witness.isThere(piece, simulation)
            if wereThere[number] == isThere, !isThere {
                if drops { Issue.record("seed \(seed), turn \(turn.number): \(piece) came: \(text)") }
                if late == 0 {
                    Issue.record("seed \(seed), turn \(turn.number): \(piece) is not told: \(text)")
                }
                late -= 1
            }
            return true
        }
    }

    mutating func end() throws {
        try advance(by: 200_000_000)
        // Of each piece there is a trace: it came, or was dropped.
        let lost = witness.captured.union(witness.tokens.values).subtracting(witness.accounted)
        #expect(lost.isEmpty, "seed \(seed): \(lost.compactMap { witness.pieces[$0] })")
        _ = simulation.destroy()
        let counts = simulation.liveCounts
        #expect(counts.registrations == 0 && counts.controls == 0 && counts.mounts == 0)
    }
}

extension String {
    fileprivate func number(behind prefix: String) -> Int? {
        guard hasPrefix(prefix) else { return nil }
        return Int(dropFirst(prefix.count).prefix { $0.isNumber })
    }
}

extension [Item] {
    fileprivate var unique: [Item] {
        reduce(into: []) { items, item in
            if !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
    }
}
