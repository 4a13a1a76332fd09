internal import CSeamABI
internal import CSeamHost
public import SeamKernel

/// What the plug-in host asks of the daemon. The closures are set before the first body is made and called on
/// the main thread.
public final class PluginHooks {
    /// A plug-in asked for a tick. Only to be marked: it comes inside a main-queue block or a callback, and
    /// the turn, `apply(.tick(token))`, starts from a loop callback.
    public var post: (_ simulation: Simulation, _ token: UInt64) -> Void = { _, _ in }
    /// A line for the people who run the daemon: level 1 info, 2 warning, 3 error. Without a simulation it is
    /// about a file.
    public var log: (_ simulation: Simulation?, _ level: Int32, _ text: String) -> Void = { _, _, _ in }
    /// Runs what the main queue holds, once; whether anything ran. Asked from inside a turn of a scenario
    /// that drains the main queue.
    public var drainMainQueue: () -> Bool = { false }

    /// The `seam_host_v1` that instances are given; nil for the host's own. A checker puts one between that lets
    /// services fail; it leads on to `HostServices.table`, and lives to the end of the process.
    public var services: UnsafeRawPointer?

    /// One for all instances: callbacks never nest.
    var arena = Arena()

    public init() {}

    deinit { arena.free() }
}

extension ScenarioBody {
    /// The table that a plug-in's running instance has for the id of an interface; nil for other bodies.
    public func pluginInterface(_ id: String) -> UnsafeRawPointer? {
        (self as? PluginInstance)?.interface(id)
    }
}

/// One instance of a plug-in's scenario: the kernel's calls go out through the C tables, and the plug-in's
/// calls to its host come back in through `HostTable`.
final class PluginInstance: ScenarioBody {
    let table: ScenarioTable
    let hooks: PluginHooks
    /// The simulation owns its body, so it is there whenever the body is called. Between create and destroy.
    private(set) unowned(unsafe) var simulation: Simulation?
    private var context: OpaquePointer?
    private var instance: OpaquePointer?
    /// What it wants to hear of in the life of its controls; nil when it has not said.
    private var moments: UnsafePointer<seam_hooks_v1>?
    /// Why the callback under way is about to return an error.
    private var failText: String?
    /// Posts handed to the daemon whose tick has not come yet, by token: their places are given back one by
    /// one, so that a plug-in which posts two for each tick meets the limit.
    private var posted: [UInt64: Int] = [:]

    init(table: ScenarioTable, hooks: PluginHooks) {
        self.table = table
        self.hooks = hooks
    }

    deinit {
        // A simulation dropped without its destroy: the plug-in's own instance is lost, its context must not
        // lead here any more.
        if let context { seam_ctx_close(context) }
    }

    static func of(_ context: UInt) -> PluginInstance? { of(OpaquePointer(bitPattern: context)) }

    @inline(__always)
    static func of(_ context: OpaquePointer?) -> PluginInstance? {
        // Open means alive: whoever closes the context is destroy or deinit of the instance.
        seam_ctx_instance(context).map { Unmanaged<PluginInstance>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Life

    func create(in simulation: Simulation, parameters: [String?]) -> Outcome {
        self.simulation = simulation
        guard let context = seam_ctx_open(Unmanaged.passUnretained(self).toOpaque()) else {
            return .failed(status: Status.limit, text: "no context is left for one more instance")
        }
        self.context = context
        let descriptor = table.descriptor
        let outcome = call("create") {
            var arguments = arguments(parameters, generation: 0)
            // Each `!` here and below is on a callback that was found to be there when the plug-in was opened.
            let services = hooks.services?.assumingMemoryBound(to: seam_host_v1.self) ?? HostTable.shared
            return descriptor.pointee.create!(descriptor, context, services, &arguments, &instance)
        }
        if case .failed = outcome {
            instance = nil
            close()
            return outcome
        }
        return findHooks()
    }

    /// What the instance answers for the id of an interface; nil also without a get_interface.
    fileprivate func interface(_ id: String) -> UnsafeRawPointer? {
        guard let ask = table.calls.pointee.get_interface else { return nil }
        var found: UnsafeRawPointer?
        _ = call("get_interface") {
            found = ask(instance, id)
            return Status.ok
        }
        return found
    }

    /// Asks for `seam.hooks/1`. A table that can't be used ends an instance that is there already.
    private func findHooks() -> Outcome {
        guard let found = interface(SEAM_HOOKS) else { return .ok }
        let hooks = found.assumingMemoryBound(to: seam_hooks_v1.self)
        let expected = MemoryLayout<seam_hooks_v1>.size
        var problem: String?
        if hooks.pointee.size != UInt32(expected) {
            problem = "size of its seam_hooks_v1 is \(hooks.pointee.size), expected \(expected) (sizeof)"
        } else if hooks.pointee.reserved != 0 {
            problem = "reserved of seam_hooks_v1 is \(hooks.pointee.reserved); major 1 has it 0"
        } else if hooks.pointee.hook == nil {
            problem = "hook of seam_hooks_v1 is missing (NULL)"
        }
        if let problem {
            destroy()
            return .failed(status: Status.argument, text: problem)
        }
        moments = hooks
        return .ok
    }

    func start() -> Outcome {
        guard let start = table.calls.pointee.start else { return .ok }
        return call("start") { start(instance) }
    }

    func event(_ event: Int, arguments values: [String?]) -> Outcome {
        call("event") {
            var arguments = arguments(values, generation: 0)
            return table.calls.pointee.event!(instance, UInt32(event), &arguments)
        }
    }

    func tick(_ token: UInt64) -> Outcome {
        if !posted.isEmpty { settlePost(token) }
        guard let tick = table.calls.pointee.tick else { return .ok }
        return call("tick") { tick(instance, token) }
    }

    func destroy() {
        guard context != nil else { return }
        if let destroy = table.calls.pointee.destroy {
            _ = call("destroy") {
                destroy(instance)
                return Status.ok
            }
        }
        instance = nil
        close()
    }

    private func close() {
        if let context { seam_ctx_close(context) }
        context = nil
        simulation = nil
    }

    // MARK: Bodies

    func coordinator(_ bridgeCall: BridgeCall, out coordinator: inout ObjectID) -> Outcome {
        let bridge = table.bridges[bridgeCall.bridge]
        guard let make = bridge.pointee.coordinator else { return .ok }
        var object: OpaquePointer?
        let outcome = call("coordinator", of: bridgeCall.bridge) {
            make(bridge, instance, bridgeCall.mount, &object)
        }
        coordinator = UInt(bitPattern: object)
        return outcome
    }

    func make(_ bridgeCall: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome {
        let bridge = table.bridges[bridgeCall.bridge]
        var object: OpaquePointer?
        let outcome = call("make", of: bridgeCall.bridge) {
            var arguments = arguments(inputs.values, generation: inputs.generation)
            return bridge.pointee.make!(
                bridge, instance, bridgeCall.mount, OpaquePointer(bitPattern: bridgeCall.coordinator),
                &arguments,
                UInt32(bridgeCall.cause.rawValue), &object)
        }
        view = UInt(bitPattern: object)
        return outcome
    }

    func update(_ bridgeCall: BridgeCall, inputs: Inputs, view: inout ObjectID) -> Outcome {
        let bridge = table.bridges[bridgeCall.bridge]
        var object = OpaquePointer(bitPattern: view)
        let outcome = call("update", of: bridgeCall.bridge) {
            var arguments = arguments(inputs.values, generation: inputs.generation)
            return bridge.pointee.update!(
                bridge, instance, bridgeCall.mount, OpaquePointer(bitPattern: bridgeCall.coordinator),
                &object,
                &arguments, UInt32(bridgeCall.cause.rawValue))
        }
        view = UInt(bitPattern: object)
        return outcome
    }

    func dismantle(_ bridgeCall: BridgeCall) {
        let bridge = table.bridges[bridgeCall.bridge]
        guard let dismantle = bridge.pointee.dismantle else { return }
        _ = call("dismantle", of: bridgeCall.bridge) {
            dismantle(
                bridge, instance, bridgeCall.mount, OpaquePointer(bitPattern: bridgeCall.coordinator),
                OpaquePointer(bitPattern: bridgeCall.view), UInt32(bridgeCall.cause.rawValue))
            return Status.ok
        }
    }

    func draw(_ bridgeCall: BridgeCall, inputs: Inputs) -> Outcome {
        let bridge = table.bridges[bridgeCall.bridge]
        return call("draw", of: bridgeCall.bridge) {
            var arguments = arguments(inputs.values, generation: inputs.generation)
            return bridge.pointee.draw!(
                bridge, instance, bridgeCall.mount, &arguments, UInt32(bridgeCall.cause.rawValue))
        }
    }

    func native(_ bridgeCall: BridgeCall, event: Int, arguments values: [String?]) -> Outcome {
        let bridge = table.bridges[bridgeCall.bridge]
        return call("native", of: bridgeCall.bridge) {
            var arguments = arguments(values, generation: 0)
            return bridge.pointee.native!(
                bridge, instance, bridgeCall.mount, OpaquePointer(bitPattern: bridgeCall.coordinator),
                OpaquePointer(bitPattern: bridgeCall.view), UInt32(event), &arguments)
        }
    }

    func hook(_ hook: Hook, _ bridgeCall: BridgeCall) -> Outcome {
        guard let moments else { return .ok }
        let bridge = table.bridges[bridgeCall.bridge]
        return call("hook", of: bridgeCall.bridge) {
            moments.pointee.hook!(
                bridge, instance, bridgeCall.mount, OpaquePointer(bitPattern: bridgeCall.coordinator),
                OpaquePointer(bitPattern: bridgeCall.view), hook.rawValue)
        }
    }

    func drainMainQueue() -> Bool {
        dropBreadcrumb("main queue")
        defer {
            seam_breadcrumb_pick_up()
            hooks.arena.reset()
        }
        return hooks.drainMainQueue()
    }

    // MARK: The way out

    @inline(__always)
    private func call(_ callback: StaticString, of bridge: BridgeID? = nil, _ body: () -> seam_status)
        -> Outcome
    {
        dropBreadcrumb(callback)
        let status = body()
        seam_breadcrumb_pick_up()
        hooks.arena.reset()
        if status >= 0 && failText == nil { return .ok }
        return outcome(of: callback, bridge, status)
    }

    @inline(__always)
    private func dropBreadcrumb(_ callback: StaticString) {
        SeamPluginHost.dropBreadcrumb(
            callback, of: table.path, scenario: table.descriptor.pointee.id, turn: simulation?.turn ?? 0)
    }

    private func outcome(of callback: StaticString, _ bridge: BridgeID?, _ status: seam_status) -> Outcome {
        let said = failText
        failText = nil
        if status >= 0 { return .ok }
        let place = bridge.map { "\(callback) of bridge \(table.scenario.bridges[$0].id)" } ?? "\(callback)"
        return .failed(
            status: status,
            text: said.map { "\(place): \($0)" }
                ?? "\(place) returned \(Status.name(status)) and did not say why (fail)")
    }

    /// Values for the plug-in, good until the callback returns.
    @inline(__always)
    private func arguments(_ values: [String?], generation: UInt32) -> seam_args_v1 {
        seam_args_v1(values: hooks.arena.views(values), count: UInt32(values.count), generation: generation)
    }

    // MARK: The way in, beside the kernel's part

    var canTick: Bool { table.calls.pointee.tick != nil }

    func setFailText(_ text: String) { failText = text }

    func view(_ text: String?) -> seam_str_v1 { hooks.arena.view(text) }

    func deliverPost(_ token: UInt64) {
        guard let simulation else { return }
        posted[token, default: 0] += 1
        hooks.post(simulation, token)
    }

    private func settlePost(_ token: UInt64) {
        guard let count = posted[token] else { return }
        posted[token] = count == 1 ? nil : count - 1
        seam_ctx_post_end(context)
    }

    func deliverLog(_ level: Int32, _ text: String) {
        guard let simulation, simulation.permits(.log) else { return }
        hooks.log(simulation, min(max(level, 1), 3), text)
    }
}
