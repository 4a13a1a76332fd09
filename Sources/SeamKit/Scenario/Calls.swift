internal import CSeamABI
internal import Glibc

// The functions behind every table that SeamKit makes: one set for all scenarios and all bridges, which find
// theirs through `user` and the instance. They are functions, not closures: a closure stored into a C struct
// has no thread check. The host calls them on its main thread alone.

/// What a callback was given, on its way to main-actor code on the same thread.
private struct Call: @unchecked Sendable {
    // Sendable: made and used within one callback, on one thread.
    var bridge: UnsafePointer<seam_bridge_v1>?
    var instance: OpaquePointer?
    var mount: UInt64 = 0
    var arguments: UnsafePointer<seam_args_v1>?
    var index: UInt32 = 0
    var token: UInt64 = 0
    var out: UnsafeMutablePointer<OpaquePointer?>?
    var view: OpaquePointer?

    var inputs: Inputs { Inputs(pointer: arguments) }

    /// Runs the code of the scenario as this callback's, and turns what it throws into a status and a text.
    func run(
        _ phase: CodePhase = .dispatching, _ body: @MainActor (Call, Instance) throws -> Void
    ) -> seam_status {
        onMainThread(self) { call in
            // The host hands back what createInstance gave it.
            let instance = Unmanaged<Instance>.fromOpaque(UnsafeRawPointer(call.instance!))
                .takeUnretainedValue()
            Instance.current = instance
            Instance.currentMount = call.mount
            Instance.currentScreen = call.bridge?.pointee.screen ?? 0
            instance.phase = phase
            defer { instance.phase = .between }
            do {
                try body(call, instance)
                if instance.stage != nil {
                    try instance.publishModel()
                    instance.tellPlaces()
                }
                return seam_status(SEAM_OK)
            } catch {
                return instance.fail(error)
            }
        }
    }

    /// The same for a bridge's callback.
    func runBridge(
        _ phase: CodePhase = .body, _ body: @MainActor (Call, Bridge, Mount) throws -> Void
    ) -> seam_status {
        run(phase) { call, instance in
            // `user` was set when the table was made.
            let bridge = Unmanaged<Bridge>.fromOpaque(call.bridge!.pointee.user!).takeUnretainedValue()
            try body(call, bridge, Mount(instance: instance, id: call.mount))
        }
    }
}

// MARK: Instances

func createInstance(
    _ scenario: UnsafePointer<seam_scenario_v1>?, _ context: OpaquePointer?,
    _ host: UnsafePointer<seam_host_v1>?,
    _ parameters: UnsafePointer<seam_args_v1>?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> seam_status {
    guard let scenario, let host, let user = scenario.pointee.user else { return seam_status(SEAM_E_ARG) }
    return onMainThread((user, context, host, Inputs(pointer: parameters), out)) { given in
        let (user, context, host, parameters, out) = given
        let tables = Unmanaged<ScenarioTables>.fromOpaque(user).takeUnretainedValue()
        let instance = Instance(context: context, host: host, tables: tables)
        mainThread = pthread_self()
        Strays.expect(context, host)
        Instance.current = instance
        Instance.currentMount = 0
        do {
            instance.scenario = try tables.create(parameters.texts)
        } catch {
            instance.clear()
            return instance.fail(error)
        }
        // Balanced in destroyInstance.
        out?.pointee = OpaquePointer(Unmanaged.passRetained(instance).toOpaque())
        return seam_status(SEAM_OK)
    }
}

private func startInstance(_ instance: OpaquePointer?) -> seam_status {
    Call(instance: instance).run { _, instance in
        for model in instance.models { try model.publish() }
        if let scenario = instance.scenario { try instance.tables.start(scenario) }
    }
}

private func sendEvent(
    _ instance: OpaquePointer?, _ event: UInt32, _ arguments: UnsafePointer<seam_args_v1>?
) -> seam_status {
    Call(instance: instance, arguments: arguments, index: event).run { call, instance in
        guard let scenario = instance.scenario else { return }
        guard call.index < instance.tables.eventIndex.count else {
            throw ScenarioError("there is no event \(call.index)")
        }
        try instance.tables.send(scenario, instance.tables.eventIndex[Int(call.index)], call.inputs.texts)
    }
}

private func tick(_ instance: OpaquePointer?, _ token: UInt64) -> seam_status {
    Call(instance: instance, token: token).run { call, instance in try instance.tick(call.token) }
}

private func destroyInstance(_ instance: OpaquePointer?) {
    guard let instance else { return }
    _ = Call(instance: instance).run(.dismantling) { _, instance in
        instance.end()
    }
    Unmanaged<Instance>.fromOpaque(UnsafeRawPointer(instance)).release()
}

/// Written once, before the first scenario's table is handed out.
nonisolated(unsafe) let instanceCalls: UnsafePointer<seam_inst_v1> = {
    let memory = Raw.allocate(MemoryLayout<seam_inst_v1>.size)
    let calls = memory.assumingMemoryBound(to: seam_inst_v1.self)
    calls.pointee = seam_inst_v1(
        size: UInt32(MemoryLayout<seam_inst_v1>.size), reserved: 0, start: startInstance, event: sendEvent,
        tick: tick, snapshot: nil, restore: nil, destroy: destroyInstance, get_interface: findInterface)
    return UnsafePointer(calls)
}()

private func findInterface(_ instance: OpaquePointer?, _ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    guard let id, strcmp(id, SEAM_HOOKS) == 0 else { return nil }
    return UnsafeRawPointer(hooks)
}

/// Written once, before the first instance is asked for it.
nonisolated(unsafe) private let hooks: UnsafePointer<seam_hooks_v1> = {
    let memory = Raw.allocate(MemoryLayout<seam_hooks_v1>.size)
    let hooks = memory.assumingMemoryBound(to: seam_hooks_v1.self)
    hooks.pointee = seam_hooks_v1(
        size: UInt32(MemoryLayout<seam_hooks_v1>.size), reserved: 0, hook: tellMoment)
    return UnsafePointer(hooks)
}()

// MARK: Bridges

func makeCoordinator(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> seam_status {
    Call(bridge: bridge, instance: instance, mount: mount, out: out).runBridge { call, bridge, mount in
        call.out?.pointee = pointer(try bridge.makeCoordinator(mount))
    }
}

func makeView(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ coordinator: OpaquePointer?,
    _ inputs: UnsafePointer<seam_args_v1>?, _ why: UInt32, _ view: UnsafeMutablePointer<OpaquePointer?>?
) -> seam_status {
    Call(bridge: bridge, instance: instance, mount: mount, arguments: inputs, index: why, out: view)
        .runBridge { call, bridge, mount in
            call.out?.pointee = pointer(try bridge.make(mount, call.inputs, call.index))
        }
}

func updateView(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ coordinator: OpaquePointer?,
    _ view: UnsafeMutablePointer<OpaquePointer?>?, _ inputs: UnsafePointer<seam_args_v1>?, _ why: UInt32
) -> seam_status {
    Call(bridge: bridge, instance: instance, mount: mount, arguments: inputs, index: why, out: view)
        .runBridge { call, bridge, mount in
            call.out?.pointee = pointer(
                try bridge.update(mount, call.out?.pointee, call.inputs, call.index))
        }
}

func dismantleView(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ coordinator: OpaquePointer?,
    _ view: OpaquePointer?, _ why: UInt32
) {
    _ = Call(bridge: bridge, instance: instance, mount: mount, view: view).runBridge(.dismantling) {
        call, bridge, mount in
        bridge.dismantle(mount, call.view)
    }
}

func drawRootView(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ inputs: UnsafePointer<seam_args_v1>?, _ why: UInt32
) -> seam_status {
    Call(bridge: bridge, instance: instance, mount: mount, arguments: inputs, index: why)
        .runBridge { call, bridge, mount in try bridge.draw(mount, call.inputs, call.index) }
}

func nativeEvent(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ coordinator: OpaquePointer?,
    _ view: OpaquePointer?, _ event: UInt32, _ arguments: UnsafePointer<seam_args_v1>?
) -> seam_status {
    Call(bridge: bridge, instance: instance, mount: mount, arguments: arguments, index: event, view: view)
        .runBridge(.dispatching) { call, bridge, mount in
            let index = mount.instance.tables.eventIndex[Int(call.index)]
            try bridge.native(mount, call.view, event: index, call.inputs.texts)
        }
}

private func tellMoment(
    _ bridge: UnsafePointer<seam_bridge_v1>?, _ instance: OpaquePointer?, _ mount: UInt64,
    _ coordinator: OpaquePointer?, _ view: OpaquePointer?, _ hook: UInt32
) -> seam_status {
    let isCallback = hook >= UInt32(SEAM_HOOK_APPEAR) && hook <= UInt32(SEAM_HOOK_END_EDITING)
    return Call(bridge: bridge, instance: instance, mount: mount, index: hook, view: view)
        .runBridge(isCallback ? .dispatching : .body) { call, bridge, mount in
            // One that this build does not know is nobody's here.
            if let moment = Moment(rawValue: call.index) { try bridge.tell(moment, to: mount, call.view) }
        }
}

/// A mark for the host to tell one object from another. The SDK holds the object itself, in its placement.
private func pointer(_ object: AnyObject?) -> OpaquePointer? {
    object.map { OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) }
}
