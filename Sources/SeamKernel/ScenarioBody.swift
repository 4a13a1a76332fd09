/// The code of a scenario, called by the kernel when its rules say so. The plug-in host implements it over the
/// C ABI, a kernel test in plain Swift. Called on the main thread only, never re-entered.
public protocol ScenarioBody: AnyObject {
    func create(in simulation: Simulation, parameters: [String?]) -> Outcome
    func start() -> Outcome
    func event(_ event: Int, arguments: [String?]) -> Outcome
    func tick(_ token: UInt64) -> Outcome
    func coordinator(_ call: BridgeCall, out coordinator: inout ObjectID) -> Outcome
    func make(_ call: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome
    /// Another object left in `view` is a control created anew.
    func update(_ call: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome
    func dismantle(_ call: BridgeCall)
    func draw(_ call: BridgeCall, inputs: Inputs) -> Outcome
    /// A moment in the life of a control beside make, update and dismantle; only asked where `hooks` is told.
    func hook(_ hook: Hook, _ call: BridgeCall) -> Outcome
    func native(_ call: BridgeCall, event: Int, arguments: [String?]) -> Outcome
    func destroy()
    /// Runs what the main queue holds for this turn; whether anything ran. Only asked when the scenario
    /// drains the main queue.
    func drainMainQueue() -> Bool
}

extension ScenarioBody {
    /// Few bodies have anything to do at these moments.
    public func hook(_ hook: Hook, _ call: BridgeCall) -> Outcome { .ok }
}

/// Which placement of which bridge a body is called for, and why.
public struct BridgeCall {
    public var bridge: BridgeID
    public var mount: MountID
    public var coordinator: ObjectID
    public var view: ObjectID
    public var cause: Cause
    /// The item that the control shows, in a list or a pool.
    public var owner: String?
}

/// The model values that a bridge carries, in the order of its inputs, as one copy of the parent.
public struct Inputs {
    public var values: [String?]
    /// Which copy of the parent this is: a coordinator that keeps an older one is `stale-parent`.
    public var generation: UInt32
}

public enum Outcome {
    case ok
    case failed(status: Int32, text: String)
}

/// What a call of the plug-in to the host answers.
public enum CallResult: Equatable {
    case ok
    /// There is no value.
    case absent
    /// An index, key, token or mount that does not exist.
    case badArgument
    /// Not allowed in this state of the simulation (`StateTable`).
    case badState
    case limit
}
