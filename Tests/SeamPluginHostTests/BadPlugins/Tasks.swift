// A plug-in in Swift against seam_plugin.h alone, with work of its own on the main queue. It shows on which thread
// a callback, a task, what follows an `await` and a main-queue block run, and what the host answers them:
//
//     swiftc -swift-version 6 -emit-library -import-objc-header seam_plugin.h Tasks.swift -o libTasks.so
//
// `tasks.turn` has its main-queue work run inside its turns, `tasks.late` between them. Its event "go" starts the work;
// each piece posts, and the tick writes down what was found.
import Dispatch
import Glibc

/// Whether the caller is on the process's main thread: its thread number is the process's.
private func isMainThread() -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &name, 63)
    let link = String(decoding: name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return link.split(separator: "/").last.flatMap { Int32($0) } == getpid()
}

// Each `!` in this file is on what the header promises: a table without holes, the instance that create left.

private let pieces = ["callback", "block", "task", "resumed"]

// Sendable: everything but the context is touched on the main thread alone, which is what this is about.
private final class Instance: @unchecked Sendable {
    let context: OpaquePointer?
    let host: UnsafePointer<seam_host_v1>
    var found: [String: String] = [:]

    init(_ context: OpaquePointer?, _ host: UnsafePointer<seam_host_v1>) {
        self.context = context
        self.host = host
    }

    /// One piece: its thread, what a write to the model answers, and a post for the tick.
    func note(_ piece: String) {
        let thread = isMainThread() ? "main" : "other"
        let answer = "k".withSeam { key in piece.withSeam { host.pointee.model_set!(context, key, $0) } }
        found[piece] = "\(thread) \(answer)"
        _ = host.pointee.post!(context, 1)
    }

    func go() {
        note("callback")
        DispatchQueue.main.async { self.note("block") }
        Task { @MainActor in
            self.note("task")
            await Task.yield()
            self.note("resumed")
        }
    }

    func show() {
        for piece in pieces {
            guard let text = found[piece] else { continue }
            _ = piece.withSeam { key in text.withSeam { host.pointee.screen_set!(context, 0, key, $0) } }
        }
    }
}

extension String {
    fileprivate func withSeam(_ body: (seam_str) -> seam_status) -> seam_status {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body(seam_str(ptr: $0.baseAddress, len: $0.count)) }
        }
    }
}

private func instance(_ object: OpaquePointer?) -> Instance {
    Unmanaged<Instance>.fromOpaque(UnsafeRawPointer(object!)).takeUnretainedValue()
}

private func create(
    _ scenario: UnsafePointer<seam_scenario_v1>?, _ context: OpaquePointer?,
    _ host: UnsafePointer<seam_host_v1>?, _ parameters: UnsafePointer<seam_args_v1>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> seam_status {
    out!.pointee = OpaquePointer(Unmanaged.passRetained(Instance(context, host!)).toOpaque())
    return 0
}

private func event(
    _ object: OpaquePointer?, _ index: UInt32, _ arguments: UnsafePointer<seam_args_v1>?
) -> seam_status {
    instance(object).go()
    return 0
}

private func tick(_ object: OpaquePointer?, _ token: UInt64) -> seam_status {
    instance(object).show()
    return 0
}

private func text(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func keep<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
    let kept = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    kept.initialize(to: value)
    return kept
}

private func scenario(_ id: StaticString, flags: Int) -> UnsafePointer<seam_scenario_v1> {
    let fields = UnsafeMutablePointer<seam_field_v1>.allocate(capacity: 5)
    for (index, key) in (["callback", "block", "task", "resumed", "k"] as [StaticString]).enumerated() {
        (fields + index).initialize(
            to: seam_field_v1(key: text(key), title: text(key), kind: text("text"), flags: 0, reserved: 0))
    }
    let calls = seam_inst_v1(
        size: UInt32(MemoryLayout<seam_inst_v1>.size), reserved: 0, start: nil, event: event, tick: tick,
        snapshot: nil, restore: nil, destroy: nil, get_interface: nil)
    let screen = seam_screen_v1(
        id: text("Threads"), title: text("Threads"), side: UInt32(SEAM_SIDE_DECLARATIVE), field_count: 5,
        fields: fields)
    let go = seam_event_v1(
        id: text("go"), title: text("Go"), origin: UInt32(SEAM_FROM_MODEL), bridge: SEAM_NONE, arg_count: 0,
        reserved: 0, args: nil)
    return UnsafePointer(
        keep(
            seam_scenario_v1(
                size: UInt32(MemoryLayout<seam_scenario_v1>.size), flags: UInt32(flags), revision: 0,
                reserved: 0,
                id: text(id), title: text("Tasks"), summary: text("Where the work of a plug-in runs."),
                params: nil,
                screens: keep(screen), bridges: nil, events: keep(go), param_count: 0, screen_count: 1,
                bridge_count: 0, event_count: 1, script: nil, checks: nil, script_count: 0, check_count: 0,
                calls: keep(calls), user: nil, create: create, policies: nil)))
}

// Written once, at the first call of the entry.
nonisolated(unsafe) private let plugin: UnsafePointer<seam_plugin_v1> = {
    let scenarios = UnsafeMutablePointer<UnsafePointer<seam_scenario_v1>?>.allocate(capacity: 2)
    scenarios[0] = scenario("tasks.turn", flags: SEAM_SCENARIO_MAIN_QUEUE)
    scenarios[1] = scenario("tasks.late", flags: 0)
    return UnsafePointer(
        keep(
            seam_plugin_v1(
                magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_plugin_v1>.size), abi: 1, scenario_count: 2,
                id: text("test.tasks"), name: text("Tasks"), version: text("1"), vendor: nil, license: nil,
                url: nil,
                scenarios: scenarios, interfaces: nil, user: nil, get_interface: nil, shutdown: nil)))
}()

@c(seam_plugin_entry)
public func entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? { plugin }
