internal import CSeamABI
internal import CSeamHost
internal import Glibc
internal import SeamKernel

/// The further tables that `get_interface` leads to, one for each area of the engine. Each is one for the process, to
/// its end; its entries are made as those of `HostTable` are.
enum EngineTables {
    /// The table of an id, nil for one that nobody has heard of.
    static func table(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? {
        all.first { strcmp($0.id, id) == 0 }?.table
    }

    // Filled once and never written again, so that every thread may read it; the ids are literals.
    nonisolated(unsafe) private static let all: [(id: UnsafePointer<CChar>, table: UnsafeRawPointer)] = [
        (literal("seam.placement/1"), placement), (literal("seam.control/1"), control),
        (literal("seam.environment/1"), environment), (literal("seam.ownership/1"), ownership),
        (literal("seam.binding/1"), binding), (literal("seam.late/1"), late),
        (literal("seam.turn/1"), turn),
    ]

    private static func literal(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Raw memory of the size this build knows, as for `HostTable`.
    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return memory
    }

    private static var placement: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_placement_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_placement_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_placement_v1>.size)
        table.pointee.mount_in = mountIn
        table.pointee.set_activity = setActivity
        table.pointee.activity_get = activityGet
        table.pointee.identify = identify
        table.pointee.set_items = setItems
        table.pointee.item_get = itemGet
        table.pointee.rebind = rebind
        table.pointee.dismiss = dismiss
        return UnsafeRawPointer(memory)
    }

    private static var control: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_control_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_control_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_control_v1>.size)
        table.pointee.build_root = buildRoot
        table.pointee.assign_built = assignBuilt
        table.pointee.lift = lift
        table.pointee.measured = measured
        table.pointee.screen_set_on = screenSetOn
        table.pointee.native_change = nativeChange
        table.pointee.set_draft = setDraft
        table.pointee.differs = differs
        table.pointee.forget_diff_base = forgetDiffBase
        table.pointee.transaction = transaction
        return UnsafeRawPointer(memory)
    }

    private static var environment: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_environment_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_environment_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_environment_v1>.size)
        table.pointee.environment_set = environmentSet
        table.pointee.environment_get = environmentGet
        table.pointee.environment_take = environmentTake
        return UnsafeRawPointer(memory)
    }

    private static var ownership: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_ownership_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_ownership_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_ownership_v1>.size)
        table.pointee.state_start = stateStart
        table.pointee.state_get = stateGet
        table.pointee.state_set = stateSet
        table.pointee.object_make = objectMake
        table.pointee.object_hold = objectHold
        table.pointee.object_publish = objectPublish
        table.pointee.object_drop = objectDrop
        table.pointee.subscribe = subscribe
        table.pointee.unsubscribe = unsubscribe
        return UnsafeRawPointer(memory)
    }

    private static var binding: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_binding_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_binding_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_binding_v1>.size)
        table.pointee.binding_make = bindingMake
        table.pointee.binding_get = bindingGet
        table.pointee.binding_set = bindingSet
        table.pointee.binding_rebind = bindingRebind
        table.pointee.binding_unbind = bindingUnbind
        table.pointee.ask = ask
        return UnsafeRawPointer(memory)
    }

    private static var late: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_late_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_late_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_late_v1>.size)
        table.pointee.write_later = writeLater
        table.pointee.in_flight = inFlight
        table.pointee.watch = watch
        table.pointee.command = command
        return UnsafeRawPointer(memory)
    }

    private static var turn: UnsafeRawPointer {
        let memory = allocate(MemoryLayout<seam_turn_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_turn_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_turn_v1>.size)
        table.pointee.is_open = isOpen
        return UnsafeRawPointer(memory)
    }
}

/// Answers a text: the rest of what every service that reads one does.
@inline(__always)
private func answer(
    _ context: OpaquePointer?, _ service: StaticString, _ out: UnsafeMutablePointer<seam_str>?,
    _ body: (Simulation, inout String?) throws(Refused) -> CallResult
) -> seam_status {
    serve(context, service) { (instance, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, service) }
        var value: String?
        let result = try body(simulation, &value)
        out.pointee = instance.view(value)
        return result.status
    }
}

// MARK: Placement

private func mountIn(
    _ context: OpaquePointer?, _ parent: seam_mount, _ bridge: UInt32, _ item: UnsafePointer<seam_item_v1>?,
    _ style: seam_str, _ out: UnsafeMutablePointer<seam_mount>?
) -> seam_status {
    serve(context, "mount_in") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "mount_in") }
        let item = try item.map { item throws(Refused) in try read(item, 0) }
        let style = try style.value(limit: TextLimit.name)
        return simulation.mountIn(parent, Int(bridge), item: item, style: style, &out.pointee).status
    }
}

/// An element of an array, by the stride that this build knows.
private func read(_ items: UnsafePointer<seam_item_v1>, _ index: Int) throws(Refused) -> Item {
    let at = UnsafeRawPointer(items) + index * MemoryLayout<seam_item_v1>.stride
    let item = at.assumingMemoryBound(to: seam_item_v1.self).pointee
    return Item(id: try nameText(item.id), value: try item.value.value())
}

private func setActivity(
    _ context: OpaquePointer?, _ mount: seam_mount, _ change: UnsafePointer<seam_activity_v1>?
) -> seam_status {
    serve(context, "set_activity") { (_, simulation) throws(Refused) in
        guard let change = change?.pointee else {
            simulation.misbehaved("set_activity was given NULL for the change")
            return Status.argument
        }
        var members: [Bool?] = []
        for (name, value) in [
            ("window", change.window), ("scene", change.scene), ("hidden", change.hidden),
            ("has_size", change.has_size), ("parked", change.parked),
        ] {
            guard value <= 2, change.reserved == 0 else {
                simulation.misbehaved(
                    value <= 2
                        ? "set_activity was given reserved = \(change.reserved), expected 0"
                        : "set_activity was given \(name) = \(value), expected 1 (SEAM_NO, SEAM_SCENE_ACTIVE), 2 "
                            + "(SEAM_YES, SEAM_SCENE_INACTIVE), or 0 to leave it as it is")
                return Status.argument
            }
            members.append(value == 0 ? nil : value == 2)
        }
        return simulation.setActivity(
            mount,
            ActivityChange(
                window: members[0], scene: members[1].map { $0 ? .inactive : .active }, hidden: members[2],
                size: members[3], parked: members[4])
        ).status
    }
}

private func activityGet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ out: UnsafeMutablePointer<seam_activity_v1>?
) -> seam_status {
    serve(context, "activity_get") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "activity_get") }
        var activity = ActivityChange()
        let result = simulation.activityGet(mount, &activity)
        func word(_ flag: Bool?) -> UInt32 { flag.map { $0 ? 2 : 1 } ?? 0 }
        out.pointee = seam_activity_v1(
            window: word(activity.window), scene: word(activity.scene.map { $0 == .inactive }),
            hidden: word(activity.hidden), has_size: word(activity.size), parked: word(activity.parked),
            reserved: 0)
        return result.status
    }
}

private func identify(_ context: OpaquePointer?, _ mount: seam_mount, _ id: seam_str) -> seam_status {
    serve(context, "identify") { (_, simulation) throws(Refused) in
        simulation.identify(mount, as: try nameText(id)).status
    }
}

private func setItems(
    _ context: OpaquePointer?, _ bridge: UInt32, _ parent: seam_mount, _ items: UnsafePointer<seam_item_v1>?,
    _ count: Int
) -> seam_status {
    serve(context, "set_items") { (_, simulation) throws(Refused) in
        guard (0...itemLimit).contains(count) else {
            simulation.misbehaved(
                "set_items was given \(UInt(bitPattern: count)) items, at most \(itemLimit) are allowed")
            return Status.limit
        }
        guard count == 0 || items != nil else {
            simulation.misbehaved("set_items was given NULL for \(count) items")
            return Status.argument
        }
        var list: [Item] = []
        list.reserveCapacity(count)
        if let items { for index in 0..<count { list.append(try read(items, index)) } }
        return simulation.setItems(Int(bridge), in: parent, list).status
    }
}

private let itemLimit = 65_536

private func itemGet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ out: UnsafeMutablePointer<seam_item_v1>?
) -> seam_status {
    serve(context, "item_get") { (instance, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "item_get") }
        var item: Item?
        let result = simulation.itemGet(mount, &item)
        out.pointee = seam_item_v1(id: instance.view(item?.id), value: instance.view(item?.value))
        return result.status
    }
}

private func rebind(
    _ context: OpaquePointer?, _ mount: seam_mount, _ owner: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "rebind") { (_, simulation) throws(Refused) in
        simulation.rebind(mount, to: try nameText(owner), item: try value.value()).status
    }
}

private func dismiss(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "dismiss") { (_, simulation) throws(Refused) in simulation.dismiss(mount).status }
}

// MARK: Root views and controls

private func buildRoot(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "build_root") { (_, simulation) throws(Refused) in simulation.buildRoot(mount).status }
}

private func assignBuilt(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "assign_built") { (_, simulation) throws(Refused) in simulation.assignBuilt(mount).status }
}

private func lift(
    _ context: OpaquePointer?, _ mount: seam_mount, _ screen: UInt32, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "lift") { (_, simulation) throws(Refused) in
        simulation.lift(mount, screen: Int(screen), key: try nameText(key), value: try value.value()).status
    }
}

private func measured(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "measured") { (_, simulation) throws(Refused) in simulation.measured(mount).status }
}

private func screenSetOn(
    _ context: OpaquePointer?, _ view: OpaquePointer?, _ screen: UInt32, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "screen_set_on") { (_, simulation) throws(Refused) in
        simulation.screenSet(
            on: UInt(bitPattern: view), Int(screen), try nameText(key), try value.value()
        ).status
    }
}

private func nativeChange(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "native_change") { (_, simulation) throws(Refused) in
        simulation.nativeChange(mount, try nameText(key), try value.value()).status
    }
}

private func setDraft(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "set_draft") { (_, simulation) throws(Refused) in
        simulation.setDraft(mount, try nameText(key), try value.value()).status
    }
}

private func differs(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str,
    _ out: UnsafeMutablePointer<UInt32>?
) -> seam_status {
    serve(context, "differs") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "differs") }
        var isDifferent = false
        let result = simulation.differs(mount, try nameText(key), try value.value(), &isDifferent)
        out.pointee = isDifferent ? 1 : 0
        return result.status
    }
}

private func forgetDiffBase(_ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str) -> seam_status {
    serve(context, "forget_diff_base") { (_, simulation) throws(Refused) in
        simulation.forgetDiffBase(mount, try key.value(limit: TextLimit.name)).status
    }
}

private func transaction(_ context: OpaquePointer?) -> seam_status {
    serve(context, "transaction") { (_, simulation) throws(Refused) in simulation.transaction().status }
}

// MARK: Environment

private func environmentSet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "environment_set") { (_, simulation) throws(Refused) in
        simulation.environmentSet(mount, try nameText(key), try value.value()).status
    }
}

private func environmentGet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    answer(context, "environment_get", out) { (simulation, value) throws(Refused) in
        simulation.environmentGet(mount, try nameText(key), &value)
    }
}

private func environmentTake(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "environment_take") { (_, simulation) throws(Refused) in
        simulation.environmentTake(mount).status
    }
}

// MARK: Ownership

private func stateStart(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ initial: seam_str,
    _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    answer(context, "state_start", out) { (simulation, value) throws(Refused) in
        simulation.stateStart(mount, try nameText(key), try initial.value(), &value)
    }
}

private func stateGet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    answer(context, "state_get", out) { (simulation, value) throws(Refused) in
        simulation.stateGet(mount, try nameText(key), &value)
    }
}

private func stateSet(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "state_set") { (_, simulation) throws(Refused) in
        simulation.stateSet(mount, try nameText(key), try value.value()).status
    }
}

private func objectMake(_ context: OpaquePointer?, _ out: UnsafeMutablePointer<seam_object>?) -> seam_status {
    serve(context, "object_make") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "object_make") }
        return simulation.objectMake(&out.pointee).status
    }
}

private func objectHold(
    _ context: OpaquePointer?, _ mount: seam_mount, _ slot: seam_str, _ object: seam_object, _ owned: UInt32,
    _ out: UnsafeMutablePointer<seam_object>?
) -> seam_status {
    serve(context, "object_hold") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "object_hold") }
        guard owned <= 1 else {
            simulation.misbehaved("object_hold was given owned = \(owned), expected 0 or 1")
            return Status.argument
        }
        return simulation.objectHold(
            mount, try nameText(slot), object, isOwned: owned == 1, &out.pointee
        ).status
    }
}

private func objectPublish(_ context: OpaquePointer?, _ object: seam_object) -> seam_status {
    serve(context, "object_publish") { (_, simulation) throws(Refused) in
        simulation.objectPublish(object).status
    }
}

private func objectDrop(_ context: OpaquePointer?, _ object: seam_object) -> seam_status {
    serve(context, "object_drop") { (_, simulation) throws(Refused) in simulation.objectDrop(object).status }
}

private func subscribe(
    _ context: OpaquePointer?, _ mount: seam_mount, _ object: seam_object,
    _ out: UnsafeMutablePointer<seam_subscription>?
) -> seam_status {
    serve(context, "subscribe") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "subscribe") }
        return simulation.subscribe(mount, object, &out.pointee).status
    }
}

private func unsubscribe(_ context: OpaquePointer?, _ subscription: seam_subscription) -> seam_status {
    serve(context, "unsubscribe") { (_, simulation) throws(Refused) in
        simulation.unsubscribe(subscription).status
    }
}

// MARK: Bindings

private func bindingMake(
    _ context: OpaquePointer?, _ mount: seam_mount, _ kind: UInt32, _ key: seam_str, _ argument: seam_str,
    _ out: UnsafeMutablePointer<seam_binding>?
) -> seam_status {
    serve(context, "binding_make") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "binding_make") }
        guard let known = BindingKind(rawValue: kind) else {
            simulation.misbehaved("binding_make was given the kind \(kind), expected 1 to 6 (SEAM_BINDING_)")
            return Status.argument
        }
        return simulation.bindingMake(
            mount, known, try nameText(key), try argument.value(), &out.pointee
        ).status
    }
}

private func bindingGet(
    _ context: OpaquePointer?, _ binding: seam_binding, _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    answer(context, "binding_get", out) { (simulation, value) throws(Refused) in
        simulation.bindingGet(binding, &value)
    }
}

private func bindingSet(_ context: OpaquePointer?, _ binding: seam_binding, _ value: seam_str) -> seam_status
{
    serve(context, "binding_set") { (_, simulation) throws(Refused) in
        simulation.bindingSet(binding, try value.value()).status
    }
}

private func bindingRebind(_ context: OpaquePointer?, _ binding: seam_binding, _ key: seam_str) -> seam_status
{
    serve(context, "binding_rebind") { (_, simulation) throws(Refused) in
        simulation.bindingRebind(binding, try nameText(key)).status
    }
}

private func bindingUnbind(_ context: OpaquePointer?, _ binding: seam_binding) -> seam_status {
    serve(context, "binding_unbind") { (_, simulation) throws(Refused) in
        simulation.bindingUnbind(binding).status
    }
}

private func ask(
    _ context: OpaquePointer?, _ mount: seam_mount, _ generation: UInt32, _ key: seam_str,
    _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    answer(context, "ask", out) { (simulation, value) throws(Refused) in
        simulation.ask(mount, generation: generation, try nameText(key), &value)
    }
}

// MARK: Late work

private func writeLater(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ value: seam_str, _ how: UInt32,
    _ delay: Int64
) -> seam_status {
    serve(context, "write_later") { (_, simulation) throws(Refused) in
        guard how == UInt32(SEAM_WRITE_CAPTURED) || how == UInt32(SEAM_WRITE_REREAD) else {
            simulation.misbehaved(
                "write_later was given how = \(how), expected 1 (SEAM_WRITE_CAPTURED) or 2 (SEAM_WRITE_REREAD)"
            )
            return Status.argument
        }
        let isReread = how == UInt32(SEAM_WRITE_REREAD)
        return simulation.writeLater(
            mount, try nameText(key), captured: isReread ? nil : try value.value(), isReread: isReread,
            delay: delay
        ).status
    }
}

private func inFlight(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ out: UnsafeMutablePointer<UInt32>?
) -> seam_status {
    serve(context, "in_flight") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "in_flight") }
        var count = 0
        let result = simulation.inFlight(mount, try nameText(key), &count)
        out.pointee = UInt32(clamping: count)
        return result.status
    }
}

private func watch(
    _ context: OpaquePointer?, _ mount: seam_mount, _ key: seam_str, _ token: seam_token
) -> seam_status {
    serve(context, "watch") { (instance, simulation) throws(Refused) in
        guard instance.canTick else { return refuseTick(simulation, "watch") }
        return simulation.watch(mount, try nameText(key), token).status
    }
}

private func command(_ context: OpaquePointer?, _ mount: seam_mount, _ token: seam_token) -> seam_status {
    serve(context, "command") { (instance, simulation) throws(Refused) in
        guard instance.canTick else { return refuseTick(simulation, "command") }
        return simulation.command(mount, token).status
    }
}

/// No answer but yes and no: a question asked in the wrong place is no breach.
private func isOpen(_ context: OpaquePointer?) -> Int32 {
    guard seam_on_main_thread(), let simulation = PluginInstance.of(context)?.simulation else { return 0 }
    return simulation.isInTurn ? 1 : 0
}
