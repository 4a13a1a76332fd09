import SeamKernel
import Testing

/// Random policies, random events, a body that does random things: whatever happens, these hold.
@Suite struct InvariantTests {
    @Test(arguments: UInt64(1)...60)
    func `every make has one dismantle, dead instances are reported, verdicts equal a recomputation`(
        seed: UInt64
    ) throws {
        var run = try RandomRun(seed: seed)
        for _ in 0..<80 { try run.step() }
        run.end()
    }

    @Test(arguments: [UInt64(3), 17, 29])
    func `the same seed and events give the same changes, diagnostics and calls`(seed: UInt64) throws {
        var texts: [String] = []
        for _ in 0..<2 {
            var run = try RandomRun(seed: seed)
            for _ in 0..<80 { try run.step() }
            run.end()
            texts.append(run.told.joined(separator: "\n"))
        }
        #expect(texts[0] == texts[1] && texts[0].count > 1000)
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

/// What a body may do at random, shared by the closures of one run.
private final class Player {
    var dice: Dice
    var tokens: [UInt64] = []
    var objects: [UInt64] = []
    var bindings: [UInt64] = []
    var views: [ObjectID: Int] = [:]
    /// Calls on an instance whose dismantle has been.
    var dead: [String] = []
    var gone: Set<MountID> = []

    init(seed: UInt64) { dice = Dice(state: seed) }

    func play(_ simulation: Simulation, mount: MountID) {
        var text: String?
        var number: UInt64 = 0
        var flag = false
        let value = dice.pick(["1", "2", "3", "a value of more than fifteen bytes", nil])
        let key = dice.pick(["a", "b", "other"])
        switch dice.below(28) {
        case 0: _ = simulation.modelSet(key, value)
        case 1: _ = simulation.modelGet(key, &text)
        case 2: _ = simulation.screenSet(0, key, value)
        case 3:
            if simulation.own(mount, dice.pick(["observer", "timer"]), &number) == .ok {
                tokens.append(number)
            }
        case 4: if let token = tokens.popLast() { _ = simulation.disown(token) }
        case 5:
            if !tokens.isEmpty { _ = simulation.atTime(Int64(dice.below(50)), dice.pick(tokens), &number) }
        case 6: _ = simulation.nextTurn(UInt64(1 + dice.below(9)))
        case 7: _ = simulation.stateSet(mount, "s\(dice.below(2))", value)
        case 8: _ = simulation.stateStart(mount, "s\(dice.below(2))", value, &text)
        case 9: _ = simulation.environmentGet(mount, dice.pick(["theme", "other"]), &text)
        case 10: _ = simulation.environmentSet(mount, dice.pick(["theme", "other"]), value)
        case 11: if simulation.objectMake(&number) == .ok { objects.append(number) }
        case 12:
            if let object = objects.last {
                _ = simulation.objectHold(mount, "o", object, isOwned: dice.below(2) == 0, &number)
            }
        case 13: if let object = objects.last { _ = simulation.objectPublish(object) }
        case 14:
            let kind = dice.pick(BindingKind.allCases)
            if simulation.bindingMake(mount, kind, key, "open", &number) == .ok { bindings.append(number) }
        case 15: if !bindings.isEmpty { _ = simulation.bindingSet(dice.pick(bindings), value) }
        case 16: if !bindings.isEmpty { _ = simulation.bindingGet(dice.pick(bindings), &text) }
        case 17:
            _ = simulation.writeLater(
                mount, key, captured: value, isReread: dice.below(2) == 0, delay: Int64(dice.below(20) - 5))
        case 18: _ = simulation.watch(mount, key, 3)
        case 19: _ = simulation.differs(mount, "a", value, &flag)
        case 20: _ = simulation.nativeChange(mount, "a", value)
        case 21: _ = simulation.assignRoot(mount)
        case 22: _ = dice.below(2) == 0 ? simulation.buildRoot(mount) : simulation.assignBuilt(mount)
        case 23: _ = simulation.lift(mount, screen: 0, key: key, value: value)
        case 24: _ = simulation.setDraft(mount, key, value)
        case 25: _ = simulation.setActivity(mount, ActivityChange(parked: dice.below(2) == 0))
        case 26: _ = simulation.rebind(mount, to: "x\(dice.below(4))")
        default: _ = simulation.transaction()
        }
    }
}

private struct RandomRun {
    let simulation: Simulation
    let body = ScriptedBody()
    let player: Player
    var dice: Dice
    var told: [String] = []
    let seed: UInt64
    /// What the explanations say, held against the trace.
    var truth = Truth()

    init(seed: UInt64) throws {
        self.seed = seed
        dice = Dice(state: seed &* 31)
        let player = Player(seed: seed)
        self.player = player
        var scenario = Scenario(id: "test.random", title: "", summary: "")
        scenario.screens = [
            .init(
                id: "S", title: "", side: .declarative,
                fields: ["a", "b", "other"].map { .init(key: $0, title: $0) })
        ]
        for number in 0..<3 {
            scenario.bridges.append(
                .init(
                    id: "b\(number)", title: "", kind: dice.pick([.wrap, .wrap, .embed]), screen: 0,
                    inputs: ["a", "b"], isObserved: dice.below(2) == 0))
        }
        scenario.events = [
            .init(id: "go", title: "", origin: .model),
            .init(
                id: "edit", title: "", origin: .native, bridge: 0,
                arguments: [.init(id: "text", title: "", kind: "text")]),
        ]
        // A random setting of every policy of words.
        var policies: [(name: String, value: String)] = [("round-limit", "40"), ("pool-limit", "2")]
        for number in 0..<3 {
            for policy in Policy.all {
                guard case .words(let words) = policy.values, dice.below(3) == 0 else { continue }
                policies.append(("b\(number).\(policy.name)", dice.pick(words)))
            }
        }
        simulation = Simulation(
            id: "s", scenario: scenario,
            settings: .init(seed: seed, policies: policies, profile: dice.pick(Policy.profiles)), body: body)
        simulation.recordsCalls = true
        simulation.keepTrace(bytes: 1 << 24)
        wire()
        note(try simulation.start(parameters: []))
    }

    private func wire() {
        let player = player
        func alive(_ call: BridgeCall, _ what: String) {
            if call.view != 0, player.views[call.view] != 1 { player.dead.append("\(what) of \(call.mount)") }
        }
        body.onStart = { simulation in
            _ = simulation.modelSet("a", "1")
            var mount: MountID = 0
            for bridge in 0..<3 { _ = simulation.mount(bridge, &mount) }
            return .ok
        }
        body.onEvent = { simulation, _, _ in
            for _ in 0..<player.dice.below(4) {
                player.play(simulation, mount: MountID(1 + player.dice.below(6)))
            }
            return .ok
        }
        body.onTick = { simulation, _ in
            player.play(simulation, mount: MountID(1 + player.dice.below(6)))
            return .ok
        }
        body.onMake = { simulation, call, inputs in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            player.play(simulation, mount: call.mount)
            return .ok
        }
        body.onUpdate = { simulation, call, inputs, _ in
            alive(call, "update")
            _ = simulation.screenSet(0, "b", inputs.values[1])
            if player.dice.below(2) == 0 { player.play(simulation, mount: call.mount) }
            return .ok
        }
        body.onDraw = { simulation, call, inputs in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            if player.dice.below(3) == 0 { player.play(simulation, mount: call.mount) }
            return .ok
        }
        body.onNative = { simulation, call, _, arguments in
            alive(call, "native")
            _ = simulation.bind(call.mount, generation: 1, key: "a", value: arguments[0])
            return .ok
        }
        body.onDismantle = { _, call in
            if call.view != 0 { player.views[call.view, default: 0] -= 1 }
        }
        // ScriptedBody numbers views as they are made; a view is alive from then on.
        body.onViewMade = { player.views[$0, default: 0] += 1 }
    }

    mutating func step() throws {
        let bridge = dice.below(3)
        let mounts = simulation.mounts(of: bridge)
        let mount = mounts.isEmpty ? nil : dice.pick(mounts)
        let value = dice.pick(["1", "2", "3", nil])
        let event: Event
        switch dice.below(18) {
        case 0, 1, 2: event = .modelWrite([(dice.pick(["a", "b", "other"]), value)])
        case 3: event = .send(0, arguments: [], mount: nil)
        case 4: event = .send(1, arguments: [value], mount: simulation.mounts(of: 0).last)
        case 5: event = .assign(bridge, mount: mount)
        case 6: event = .update(bridge, mount: mount, cause: dice.pick([.layout, .focus, .container]))
        case 7: event = .mount(bridge)
        case 8: event = .unmount(bridge, mount: mount)
        case 9, 10:
            var change = ActivityChange()
            switch dice.below(5) {
            case 0: change.window = dice.below(2) == 0
            case 1: change.scene = dice.pick([.active, .inactive])
            case 2: change.hidden = dice.below(2) == 0
            case 3: change.size = dice.below(2) == 0
            default: change.parked = dice.below(2) == 0
            }
            event = .activity(bridge, mount: mount, change)
        case 11: event = .identify(bridge, mount: mount, id: "i\(dice.below(3))")
        case 12:
            event = .items(
                bridge,
                (0..<dice.below(4)).map { Item(id: "x\(($0 + dice.below(2)) % 4)", value: value) }.uniqued)
        case 13: event = .rebind(bridge, mount: mount, owner: "x\(dice.below(4))")
        case 14: event = .environment([(dice.pick(["theme", "other"]), value)], bridge: nil, mount: nil)
        case 15:
            event = dice.below(2) == 0 ? .build(bridge, mount: mount) : .assignBuilt(bridge, mount: mount)
        case 16: event = .dismiss(bridge, mount: mount)
        default:
            try simulation.advance(to: simulation.nanoseconds + Int64(dice.below(30))) { note($0) }
            return
        }
        do {
            note(
                try simulation.apply(
                    event, interim: Interim(after: dice.pick(Interim.After.allCases), fields: [0, 1, 2])))
        } catch {
            // A refusal (a wrong bridge kind, no such mount): nothing happened.
        }
    }

    private mutating func note(_ turn: Turn) {
        for change in turn.changes {
            let field = simulation.field(change.field)
            #expect(
                change.to == field.verdict
                    && field.verdict == Verdict.of(model: field.model, shown: field.shown))
            told.append("\(turn.number) \(field.key) \(change.from.word)>\(change.to.word)")
        }
        for finding in turn.diagnostics { told.append("\(turn.number) \(finding.code) \(finding.text)") }
        for call in turn.calls {
            told.append("\(turn.number) \(call.round) \(call.kind.word) \(call.mount ?? 0)")
        }
        // What is judged by each change is what a full look sees.
        for id in 0..<simulation.fieldCount {
            let field = simulation.field(id)
            #expect(field.verdict == Verdict.of(model: field.model, shown: field.shown), "seed \(seed)")
        }
        truth.check(simulation, after: turn, seed: seed)
        #expect(player.dead.isEmpty, "seed \(seed)")
        let counts = simulation.liveCounts
        let alive = player.views.values.filter { $0 == 1 }.count
        #expect(counts.controls == alive, "seed \(seed) turn \(turn.number)")
        #expect(
            player.views.values.allSatisfy { $0 == 0 || $0 == 1 }, "seed \(seed): one dismantle for each make"
        )
    }

    mutating func end() {
        note(simulation.destroy())
        #expect(simulation.liveCounts.isEmpty, "seed \(seed): \(simulation.liveCounts)")
        #expect(player.views.values.allSatisfy { $0 == 0 }, "seed \(seed)")
    }
}

extension LiveCounts {
    fileprivate var isEmpty: Bool {
        mounts == 0 && controls == 0 && coordinators == 0 && objects == 0 && subscriptions == 0
            && registrations == 0 && pooled == 0
    }
}

extension [Item] {
    fileprivate var uniqued: [Item] {
        reduce(into: []) { items, item in
            if !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
    }
}
