import SeamKernel

/// A scenario's code as closures, so that a test reads as the bridging code that it is about.
final class ScriptedBody: ScenarioBody {
    /// Set in create, and always before any other call.
    private(set) weak var simulation: Simulation?
    var log: [String] = []
    var onStart: (Simulation) -> Outcome = { _ in .ok }
    var onEvent: (Simulation, Int, [String?]) -> Outcome = { _, _, _ in .ok }
    var onTick: (Simulation, UInt64) -> Outcome = { _, _ in .ok }
    var onMake: (Simulation, BridgeCall, Inputs) -> Outcome = { _, _, _ in .ok }
    var onUpdate: (Simulation, BridgeCall, Inputs, inout ObjectID) -> Outcome = { _, _, _, _ in .ok }
    var onDraw: (Simulation, BridgeCall, Inputs) -> Outcome = { _, _, _ in .ok }
    var onHook: (Simulation, Hook, BridgeCall) -> Outcome = { _, _, _ in .ok }
    var onDismantle: (Simulation, BridgeCall) -> Void = { _, _ in }
    var onNative: (Simulation, BridgeCall, Int, [String?]) -> Outcome = { _, _, _, _ in .ok }
    var onDestroy: (Simulation) -> Void = { _ in }
    /// Told the number that a make has given its view.
    var onViewMade: (ObjectID) -> Void = { _ in }
    var createOutcome = Outcome.ok
    var queue: [(Simulation) -> Void] = []
    private var lastObject: ObjectID = 0

    private func live() -> Simulation {
        guard let simulation else { preconditionFailure("called before create") }
        return simulation
    }

    func create(in simulation: Simulation, parameters: [String?]) -> Outcome {
        self.simulation = simulation
        log.append("create(\(parameters.map { $0 ?? "-" }.joined(separator: ",")))")
        return createOutcome
    }
    func start() -> Outcome { onStart(live()) }
    func event(_ event: Int, arguments: [String?]) -> Outcome { onEvent(live(), event, arguments) }
    func tick(_ token: UInt64) -> Outcome {
        log.append("tick")
        return onTick(live(), token)
    }
    func coordinator(_ call: BridgeCall, out coordinator: inout ObjectID) -> Outcome {
        lastObject += 1
        coordinator = lastObject
        log.append("coordinator \(call.mount)")
        return .ok
    }
    func make(_ call: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome {
        lastObject += 1
        view = lastObject
        onViewMade(view)
        log.append("make \(call.mount)")
        return onMake(live(), call, inputs)
    }
    func update(_ call: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome {
        log.append("update \(call.mount) \(call.cause) gen \(inputs.generation)")
        return onUpdate(live(), call, inputs, &view)
    }
    func dismantle(_ call: BridgeCall) {
        log.append("dismantle \(call.mount)")
        onDismantle(live(), call)
    }
    func hook(_ hook: Hook, _ call: BridgeCall) -> Outcome {
        log.append("\(hook) \(call.mount)")
        return onHook(live(), hook, call)
    }
    func draw(_ call: BridgeCall, inputs: Inputs) -> Outcome {
        log.append("draw \(call.mount) \(call.cause)")
        return onDraw(live(), call, inputs)
    }
    func native(_ call: BridgeCall, event: Int, arguments: [String?]) -> Outcome {
        log.append("native \(call.mount)")
        return onNative(live(), call, event, arguments)
    }
    func destroy() {
        log.append("destroy")
        if let simulation { onDestroy(simulation) }
    }
    func drainMainQueue() -> Bool {
        let work = queue
        queue.removeAll()
        for block in work { block(live()) }
        return !work.isEmpty
    }
}

/// A screen with some fields and one bridge that carries them all.
func scenario(_ kind: Scenario.BridgeKind, fields: [String], observed: Bool = false, echoes: Bool = false)
    -> Scenario
{
    var scenario = Scenario(id: "test.case", title: "", summary: "")
    scenario.screens = [
        .init(id: "S", title: "", side: .imperative, fields: fields.map { .init(key: $0, title: $0) })
    ]
    scenario.bridges = [
        .init(id: "b", title: "", kind: kind, screen: 0, inputs: fields, isObserved: observed, echoes: echoes)
    ]
    scenario.events = [
        .init(id: "go", title: "", origin: .model),
        .init(
            id: "edit", title: "", origin: .native, bridge: 0,
            arguments: [.init(id: "text", title: "", kind: "text")]),
    ]
    return scenario
}

extension Turn {
    var codes: [String] { diagnostics.map(\.code) }
    /// "from>to" of each change in order.
    var verdicts: [String] { changes.map { "\($0.from.word)>\($0.to.word)" } }
}

extension Simulation {
    func verdict(_ screen: String, _ key: String) -> String {
        guard let screen = self.screen(named: screen), let id = field(screen: screen, key: key) else {
            return "?"
        }
        return "\(field(id).verdict.word)"
    }

    func started(parameters: [String?] = []) throws -> Turn { try start(parameters: parameters) }
}
