import SeamKernel

/// One bridge over the keys of a screen "S", with a body that carries everything, unless a test says otherwise.
/// Key "other" is a model key and a field that no bridge carries.
final class Stage {
    let body = ScriptedBody()
    let simulation: Simulation
    let keys: [String]

    init(
        _ kind: Scenario.BridgeKind, _ policies: [String] = [], profile: String = "lesson",
        keys: [String] = ["a"], observed: Bool = false, bridges: Int = 1, screens: [String] = ["S"],
        isMounted: Bool = true
    ) throws {
        self.keys = keys
        var made = Stage.scenario(kind, keys: keys, observed: observed, bridges: bridges, screens: screens)
        made.policies = []
        let pairs = policies.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        let settings = Simulation.Settings(policies: pairs, profile: profile)
        if let problem = Simulation.problem(of: settings, scenario: made) {
            preconditionFailure("\(problem)")
        }
        simulation = Simulation(id: "s", scenario: made, settings: settings, body: body)
        simulation.recordsCalls = true
        let write = { (simulation: Simulation, call: BridgeCall, inputs: Inputs) in
            let screen = min(call.bridge, screens.count - 1)
            for (key, value) in zip(keys, inputs.values) { _ = simulation.screenSet(screen, key, value) }
        }
        body.onStart = { simulation in
            for key in keys { _ = simulation.modelSet(key, "1") }
            var mount: MountID = 0
            if isMounted { _ = simulation.mount(0, &mount) }
            return .ok
        }
        body.onMake = { simulation, call, inputs in
            write(simulation, call, inputs)
            return .ok
        }
        body.onUpdate = { simulation, call, inputs, _ in
            // Guarded, so that a test of something else is not told of redundant writes.
            let screen = min(call.bridge, screens.count - 1)
            for (key, value) in zip(keys, inputs.values)
            where simulation.shown(key, on: screens[screen]) != value {
                _ = simulation.screenSet(screen, key, value)
            }
            return .ok
        }
        body.onDraw = { simulation, call, inputs in
            write(simulation, call, inputs)
            return .ok
        }
        _ = try simulation.start(parameters: [])
    }

    private static func scenario(
        _ kind: Scenario.BridgeKind, keys: [String], observed: Bool, bridges: Int, screens: [String]
    ) -> Scenario {
        var scenario = Scenario(id: "test.rules", title: "", summary: "")
        scenario.screens = screens.map { id in
            .init(
                id: id, title: "", side: .declarative,
                fields: (keys + ["other", "title"]).map { .init(key: $0, title: $0) })
        }
        scenario.screens.append(
            .init(id: "Above", title: "", side: .imperative, fields: [.init(key: "title", title: "")]))
        for number in 0..<bridges {
            scenario.bridges.append(
                .init(
                    id: number == 0 ? "b" : "b\(number)", title: "", kind: kind,
                    screen: min(number, screens.count - 1), inputs: keys,
                    isObserved: observed))
        }
        scenario.events = [
            .init(id: "go", title: "", origin: .model),
            .init(
                id: "edit", title: "", origin: .native, bridge: 0,
                arguments: [.init(id: "text", title: "", kind: "text")]),
        ]
        return scenario
    }

    /// Code of an event handler, in a turn of its own.
    @discardableResult
    func handle(_ code: @escaping (Simulation) -> Void) throws -> Turn {
        body.onEvent = { simulation, _, _ in
            code(simulation)
            return .ok
        }
        return try simulation.apply(.send(0, arguments: [], mount: nil))
    }

    @discardableResult
    func set(_ key: String, _ value: String?) throws -> Turn {
        try simulation.apply(.modelWrite([(key, value)]))
    }

    @discardableResult
    func apply(_ event: Event) throws -> Turn { try simulation.apply(event) }

    @discardableResult
    func host(_ change: ActivityChange, mount: MountID? = nil) throws -> Turn {
        try simulation.apply(.activity(0, mount: mount, change))
    }

    /// The calls since the last look, as "make 1" or "update 1 input gen 2".
    func calls() -> [String] {
        let calls = body.log.filter { $0 != "create()" }
        body.log = []
        return calls
    }

    func verdict(_ key: String, on screen: String = "S") -> String { simulation.verdict(screen, key) }

    func codes(_ keys: [String], on screen: String = "S") -> [String] {
        let fields = keys.compactMap { key in
            simulation.screen(named: screen).flatMap { simulation.field(screen: $0, key: key) }
        }
        return simulation.check(fields).map(\.code)
    }
}

extension Simulation {
    /// What a field of screen "S" shows.
    func shown(_ key: String, on screen: String = "S") -> String? {
        guard let screen = self.screen(named: screen), let id = field(screen: screen, key: key) else {
            return nil
        }
        return field(id).shown
    }

    func modelValue(_ key: String) -> String? { fields(ofKey: key).first.map { field($0).model } ?? nil }
}

extension Turn {
    /// "kind cause" of each call.
    var trace: [String] {
        calls.map { call in
            call.cause.map { "\(call.kind.word) \($0.word)" } ?? "\(call.kind.word)"
        }
    }
}
