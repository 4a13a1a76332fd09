internal import CSeamABI
internal import CSeamHost
internal import SeamKernel

/// The host's services for whoever stands between them and a plug-in.
public enum HostServices {
    /// The one `seam_host_v1` of the process, to its end.
    public static var table: UnsafeRawPointer { UnsafeRawPointer(HostTable.shared) }
}

/// The table of services that every instance is given. One for the process, to its end.
///
/// Each entry is a function at top level, never a closure: a literal stored into a field of a C struct gets
/// no thread check from the compiler, and any of these may be called from any thread. So each asks the thread
/// flag first, then finds its instance by the context, then lets the kernel decide.
enum HostTable {
    /// Filled once and never written again, so that every thread may read it.
    nonisolated(unsafe) static let shared: UnsafePointer<seam_host_v1> = {
        // Raw memory of the size this build knows: Swift's own record of the C struct is shared by every
        // image in the process and may have been made by another.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<seam_host_v1>.size, alignment: 8)
        let table = memory.assumingMemoryBound(to: seam_host_v1.self)
        table.pointee.size = UInt32(MemoryLayout<seam_host_v1>.size)
        table.pointee.abi = SEAM_ABI_MAJOR
        table.pointee.model_set = modelSet
        table.pointee.model_clear = modelClear
        table.pointee.model_get = modelGet
        table.pointee.screen_set = screenSet
        table.pointee.screen_clear = screenClear
        table.pointee.screen_get = screenGet
        table.pointee.mount = mount
        table.pointee.unmount = unmount
        table.pointee.assign_root = assignRoot
        table.pointee.invalidate = invalidate
        table.pointee.bind = bindValue
        table.pointee.own = own
        table.pointee.disown = disown
        table.pointee.next_turn = nextTurn
        table.pointee.at_time = atTime
        table.pointee.cancel = cancel
        table.pointee.now = now
        table.pointee.random = randomNumber
        table.pointee.log = log
        table.pointee.post = post
        table.pointee.diagnose = diagnose
        table.pointee.fail = fail
        table.pointee.get_interface = getInterface
        return UnsafePointer(table)
    }()
}

extension CallResult {
    var status: seam_status {
        switch self {
        case .ok: Status.ok
        case .absent: Status.absent
        case .badArgument: Status.argument
        case .badState: Status.state
        case .limit: Status.limit
        }
    }
}

/// Finds the simulation that the context leads to, and turns what goes wrong on the way into a status and,
/// where a person should know, a finding.
@inline(__always)
func serve(
    _ context: OpaquePointer?, _ service: StaticString,
    _ body: (PluginInstance, Simulation) throws(Refused) -> seam_status
) -> seam_status {
    guard seam_on_main_thread() else { return refuseThread(context, service) }
    guard let instance = PluginInstance.of(context), let simulation = instance.simulation else {
        return Status.state
    }
    do {
        return try body(instance, simulation)
    } catch {
        return refuseText(simulation, service, error)
    }
}

/// Off the main thread nothing of a simulation may even be looked at: the report is handed over.
func refuseThread(_ context: OpaquePointer?, _ service: StaticString) -> seam_status {
    guard seam_ctx_slot(context) != nil else { return Status.state }
    if seam_ctx_report_begin(context) {
        let text =
            "\(service) was called from thread \(seam_thread_id()): off the main thread a plug-in may only call log "
            + "and post, and let a tick do the rest"
        if !Inbox.shared.put(.breach(context: UInt(bitPattern: context), text: text)) {
            seam_ctx_report_end(context)
        }
    }
    return Status.thread
}

private func refuseText(_ simulation: Simulation, _ service: StaticString, _ refused: Refused) -> seam_status
{
    let what =
        refused.status == Status.limit
        ? "longer than allowed (a name 128 bytes, a value 65536, other text 4096)"
        : "missing (NULL) or not UTF-8"
    simulation.misbehaved("\(service) was given a text that is \(what)")
    return refused.status
}

func refuseNull(_ simulation: Simulation, _ service: StaticString) -> seam_status {
    simulation.misbehaved("\(service) was given NULL for the place of its answer")
    return Status.argument
}

func nameText(_ text: seam_str) throws(Refused) -> String { try text.text(limit: TextLimit.name) }

// MARK: Model and screens

private func modelSet(_ context: OpaquePointer?, _ key: seam_str, _ value: seam_str) -> seam_status {
    serve(context, "model_set") { (_, simulation) throws(Refused) in
        simulation.modelSet(try nameText(key), try value.value()).status
    }
}

private func modelClear(_ context: OpaquePointer?, _ key: seam_str) -> seam_status {
    serve(context, "model_clear") { (_, simulation) throws(Refused) in
        simulation.modelSet(try nameText(key), nil).status
    }
}

private func modelGet(_ context: OpaquePointer?, _ key: seam_str, _ out: UnsafeMutablePointer<seam_str>?)
    -> seam_status
{
    serve(context, "model_get") { (instance, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "model_get") }
        var value: String?
        let result = simulation.modelGet(try nameText(key), &value)
        out.pointee = instance.view(value)
        return result.status
    }
}

private func screenSet(
    _ context: OpaquePointer?, _ screen: UInt32, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "screen_set") { (_, simulation) throws(Refused) in
        simulation.screenSet(Int(screen), try nameText(key), try value.value()).status
    }
}

private func screenClear(_ context: OpaquePointer?, _ screen: UInt32, _ key: seam_str) -> seam_status {
    serve(context, "screen_clear") { (_, simulation) throws(Refused) in
        simulation.screenSet(Int(screen), try nameText(key), nil).status
    }
}

private func screenGet(
    _ context: OpaquePointer?, _ screen: UInt32, _ key: seam_str, _ out: UnsafeMutablePointer<seam_str>?
) -> seam_status {
    serve(context, "screen_get") { (instance, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "screen_get") }
        var value: String?
        let result = simulation.screenGet(Int(screen), try nameText(key), &value)
        out.pointee = instance.view(value)
        return result.status
    }
}

// MARK: Mounts

private func mount(_ context: OpaquePointer?, _ bridge: UInt32, _ out: UnsafeMutablePointer<seam_mount>?)
    -> seam_status
{
    serve(context, "mount") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "mount") }
        return simulation.mount(Int(bridge), &out.pointee).status
    }
}

private func unmount(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "unmount") { (_, simulation) throws(Refused) in simulation.unmount(mount).status }
}

private func assignRoot(_ context: OpaquePointer?, _ mount: seam_mount) -> seam_status {
    serve(context, "assign_root") { (_, simulation) throws(Refused) in simulation.assignRoot(mount).status }
}

private func invalidate(_ context: OpaquePointer?, _ mount: seam_mount, _ cause: UInt32) -> seam_status {
    serve(context, "invalidate") { (_, simulation) throws(Refused) in
        simulation.invalidate(mount, cause: cause).status
    }
}

private func bindValue(
    _ context: OpaquePointer?, _ mount: seam_mount, _ generation: UInt32, _ key: seam_str, _ value: seam_str
) -> seam_status {
    serve(context, "bind") { (_, simulation) throws(Refused) in
        simulation.bind(mount, generation: generation, key: try nameText(key), value: try value.value())
            .status
    }
}

// MARK: Registrations and time

private func own(
    _ context: OpaquePointer?, _ mount: seam_mount, _ what: seam_str, _ out: UnsafeMutablePointer<seam_token>?
) -> seam_status {
    serve(context, "own") { (_, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "own") }
        return simulation.own(mount, try nameText(what), &out.pointee).status
    }
}

private func disown(_ context: OpaquePointer?, _ token: seam_token) -> seam_status {
    serve(context, "disown") { (_, simulation) throws(Refused) in simulation.disown(token).status }
}

private func nextTurn(_ context: OpaquePointer?, _ token: seam_token) -> seam_status {
    serve(context, "next_turn") { (instance, simulation) throws(Refused) in
        guard instance.canTick else { return refuseTick(simulation, "next_turn") }
        return simulation.nextTurn(token).status
    }
}

private func atTime(
    _ context: OpaquePointer?, _ moment: Int64, _ token: seam_token, _ out: UnsafeMutablePointer<seam_timer>?
) -> seam_status {
    serve(context, "at_time") { (instance, simulation) throws(Refused) in
        guard let out else { return refuseNull(simulation, "at_time") }
        guard instance.canTick else { return refuseTick(simulation, "at_time") }
        return simulation.atTime(moment, token, &out.pointee).status
    }
}

private func cancel(_ context: OpaquePointer?, _ timer: seam_timer) -> seam_status {
    serve(context, "cancel") { (_, simulation) throws(Refused) in simulation.cancel(timer).status }
}

func refuseTick(_ simulation: Simulation, _ service: StaticString) -> seam_status {
    simulation.misbehaved("\(service) was called, but seam_inst_v1 has no tick to bring the token back to")
    return Status.unsupported
}

private func now(_ context: OpaquePointer?) -> Int64 {
    guard seam_on_main_thread() else {
        _ = refuseThread(context, "now")
        return 0
    }
    return PluginInstance.of(context)?.simulation?.now() ?? 0
}

private func randomNumber(_ context: OpaquePointer?) -> UInt64 {
    guard seam_on_main_thread() else {
        _ = refuseThread(context, "random")
        return 0
    }
    return PluginInstance.of(context)?.simulation?.random() ?? 0
}

// MARK: From any thread

private func log(_ context: OpaquePointer?, _ level: Int32, _ text: seam_str) {
    let text = text.readable(limit: TextLimit.text)
    if seam_on_main_thread() {
        PluginInstance.of(context)?.deliverLog(level, text)
    } else if seam_ctx_slot(context) != nil {
        // A line too many for the inbox is dropped: the daemon's memory is worth more.
        _ = Inbox.shared.put(.log(context: UInt(bitPattern: context), level: level, text: text))
    }
}

private func post(_ context: OpaquePointer?, _ token: seam_token) -> seam_status {
    if seam_on_main_thread() {
        guard let instance = PluginInstance.of(context), let simulation = instance.simulation,
            simulation.permits(.post)
        else { return Status.state }
        guard instance.canTick else { return refuseTick(simulation, "post") }
    }
    let status = seam_ctx_post_begin(context)
    if status != Status.ok { return status }
    if Inbox.shared.put(.post(context: UInt(bitPattern: context), token: token)) { return Status.ok }
    seam_ctx_post_end(context)
    return Status.limit
}

// MARK: Findings and failure

private func diagnose(
    _ context: OpaquePointer?, _ severity: Int32, _ code: seam_str, _ text: seam_str, _ mount: seam_mount,
    _ screen: UInt32, _ key: seam_str
) -> seam_status {
    serve(context, "diagnose") { (_, simulation) throws(Refused) in
        simulation.diagnose(
            severity: severity, code: try nameText(code), text: try text.text(limit: TextLimit.text),
            mount: mount,
            screen: screen == SEAM_NONE ? nil : Int(screen), key: try key.value(limit: TextLimit.name)
        ).status
    }
}

private func fail(_ context: OpaquePointer?, _ code: seam_status, _ text: seam_str) -> seam_status {
    let code = code < 0 ? code : Status.plugin
    guard seam_on_main_thread() else {
        _ = refuseThread(context, "fail")
        return code
    }
    if let instance = PluginInstance.of(context), instance.simulation?.permits(.fail) == true {
        instance.setFailText(text.readable(limit: TextLimit.text))
    }
    return code
}

private func getInterface(_ context: OpaquePointer?, _ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    guard seam_on_main_thread() else {
        _ = refuseThread(context, "get_interface")
        return nil
    }
    guard let simulation = PluginInstance.of(context)?.simulation, simulation.permits(.getInterface) else {
        return nil
    }
    guard let id else {
        simulation.misbehaved("get_interface was given NULL for the id")
        return nil
    }
    return EngineTables.table(id)
}
