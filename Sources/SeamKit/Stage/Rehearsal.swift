internal import CSeamABI

/// A first run of a screen scenario's code, without a host, to find out what there is to describe. Whatever was asked
/// for runs once, in order; nothing is judged, and nothing of it is kept.
@MainActor
final class Rehearsal {
    private let tables: StageTables
    private let instance: RehearsalInstance

    init(_ tables: StageTables) {
        self.tables = tables
        instance = RehearsalInstance(tables)
    }

    func play(_ make: (Instance) throws -> Stage) throws {
        let outer = (Instance.current, Instance.currentMount, Instance.currentScreen)
        defer { (Instance.current, Instance.currentMount, Instance.currentScreen) = outer }
        Instance.current = instance
        Instance.currentMount = 0
        instance.phase = .dispatching
        try instance.begin { try make(instance) }
        try instance.runQueue()
        collectActs()
        instance.phase = .dismantling
        instance.dismantleAll()
        instance.end()
    }

    private func collectActs() {
        for act in [Act.tap, .type, .set, .endEditing] {
            let own = instance.controls.sorted { $0.key < $1.key }.flatMap { $0.value.all(act) }
            add(act, nil, own)
            for case let bridge as WrapBridge in tables.bridges {
                add(act, bridge.id, instance.natives(of: bridge).flatMap { $0.all(act) })
            }
        }
    }

    private func add(_ act: Act, _ bridge: String?, _ controls: [Control]) {
        if controls.isEmpty { return }
        var titles: [String] = []
        for control in controls {
            let title = control.names.first ?? ""
            // In a pool, or in several mounts, one control is there more than once.
            if bridge == nil || !titles.contains(title) { titles.append(title) }
        }
        tables.acts.append((bridge, act, controls.flatMap(\.names), titles))
    }
}

extension Control {
    /// Those in it that take such an act.
    func all(_ act: Act) -> [Control] { (takes(act) ? [self] : []) + parts().flatMap { $0.all(act) } }
}

/// The host's part in a rehearsal: a queue.
@MainActor
private final class RehearsalInstance: Instance {
    private enum Work {
        case body(UInt64)
        case tick(UInt64)
        case dismantle(UInt64)
    }

    private let rehearsed: StageTables
    private var queue: [Work] = []
    private var bridges: [UInt64: (bridge: Bridge, item: String?)] = [:]
    private var views: [UInt64: OpaquePointer] = [:]
    private var listed: [String: UInt64] = [:]
    private var lastMount: UInt64 = 0

    override var stageTables: StageTables? { rehearsed }
    override var isRehearsal: Bool { true }

    init(_ tables: StageTables) {
        rehearsed = tables
        let description = ScenarioDescription(
            about: About(tables.owner, title: "", summary: ""), stageTables: tables, create: { _ in Keep() },
            start: { _ in }, send: { _, _, _ in })
        super.init(
            context: nil, host: silentHost, tables: ScenarioTables(description, eventIndex: []))
    }

    private final class Keep {}

    func runQueue() throws {
        var rounds = 0
        while !queue.isEmpty {
            rounds += 1
            // Code that never settles is the host's to judge, in a simulation.
            if rounds > 10_000 { return queue.removeAll() }
            let next = queue.removeFirst()
            switch next {
            // What a body throws is for a simulation to report, where somebody reads it.
            case .body(let mount): try? runBody(of: mount)
            case .tick(let token):
                phase = .dispatching
                Instance.currentMount = 0
                try tick(token)
                try publishModel()
            case .dismantle(let mount):
                phase = .dismantling
                bridges.removeValue(forKey: mount)?.bridge.dismantle(
                    Mount(instance: self, id: mount), views.removeValue(forKey: mount))
            }
        }
        phase = .dispatching
    }

    private func runBody(of id: UInt64) throws {
        guard let (bridge, _) = bridges[id] else { return }
        phase = .body
        Instance.currentMount = id
        let mount = Mount(instance: self, id: id)
        switch bridge.kind {
        case .embedding: try bridge.draw(mount, Inputs(pointer: nil), 1)
        case .wrapping:
            if views[id] == nil {
                _ = try bridge.makeCoordinator(mount)
                views[id] = address(try bridge.make(mount, Inputs(pointer: nil), 1))
            }
            views[id] = address(try bridge.update(mount, views[id], Inputs(pointer: nil), 1))
        }
        try publishModel()
    }

    private func address(_ object: AnyObject) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    func dismantleAll() {
        for (id, entry) in bridges.sorted(by: { $0.key > $1.key }) {
            entry.bridge.dismantle(Mount(instance: self, id: id), views[id])
        }
        bridges = [:]
        views = [:]
    }

    func natives(of bridge: WrapBridge) -> [Control] {
        bridges.sorted { $0.key < $1.key }.filter { $0.value.bridge === bridge }
            .compactMap { box(views[$0.key])?.native?._control() }
    }

    // MARK: What the code asks for

    private func add(_ bridge: Bridge, item: String?) -> UInt64 {
        lastMount += 1
        bridges[lastMount] = (bridge, item)
        queue.append(.body(lastMount))
        return lastMount
    }

    override func mount(_ bridge: Bridge) throws -> UInt64 { add(bridge, item: nil) }
    override func mount(_ bridge: Bridge, in parent: UInt64, item: Item?, style: String?) throws -> UInt64 {
        add(bridge, item: item?.id)
    }
    override func show(_ items: [Item], of bridge: Bridge, in parent: UInt64) throws {
        for item in items {
            if let known = listed[item.id] {
                queue.append(.body(known))
            } else {
                listed[item.id] = add(bridge, item: item.id)
            }
        }
    }
    override func item(of mount: UInt64) -> Item? { bridges[mount]?.item.map { Item(id: $0) } }
    override func unmount(_ mount: UInt64) { queue.append(.dismantle(mount)) }
    override func assignRoot(_ mount: UInt64) -> Bool {
        queue.append(.body(mount))
        return true
    }
    override func invalidate(_ mount: UInt64, _ why: Why) { queue.append(.body(mount)) }
    override func identify(_ mount: UInt64, _ identity: String) {}
    override func setModel(_ key: String, _ value: String?) throws {}
    override func model(_ key: String) -> String? { nil }
    override var isTurnOpen: Bool { true }
    override func show(_ screen: UInt32, _ key: String, _ value: String?) {
        rehearsed.declare(key, on: Int(screen))
    }
    override func shown(_ screen: UInt32, _ key: String) -> String? { nil }
    override func bind(_ mount: UInt64, _ generation: UInt32, _ key: String, _ value: String) {}
    override func own(_ mount: UInt64, _ what: String) -> UInt64 { newToken() }
    override func disown(_ token: UInt64) {}
    override func nextTurn(_ token: UInt64) { queue.append(.tick(token)) }
    override func post(_ token: UInt64) { queue.append(.tick(token)) }
    override func setTimer(_ token: UInt64, milliseconds: Int) -> UInt64 { 0 }
    override func cancelTimer(_ timer: UInt64) {}
    override func table<Table>(_ id: String) -> UnsafePointer<Table>? { nil }
    package override func report(_ severity: Int32, _ code: String, _ text: String) {}
    override func log(_ level: Int32, _ text: String) {}
    override func screenIndex(of screen: Screen) -> UInt32 {
        UInt32(rehearsed.screens.firstIndex { $0.id == screen.id } ?? 0)
    }
}

/// A host that does nothing: for what a rehearsal does not answer by itself, and for code that goes on after the end.
/// Written once, before the first of them.
nonisolated(unsafe) let silentHost: UnsafePointer<seam_host_v1> = {
    let memory = Raw.allocate(MemoryLayout<seam_host_v1>.size)
    let host = memory.assumingMemoryBound(to: seam_host_v1.self)
    host.pointee = seam_host_v1(
        size: UInt32(MemoryLayout<seam_host_v1>.size), abi: SEAM_ABI_MAJOR,
        model_set: { _, _, _ in 0 }, model_clear: { _, _ in 0 }, model_get: { _, _, _ in 1 },
        screen_set: { _, _, _, _ in 0 }, screen_clear: { _, _, _ in 0 }, screen_get: { _, _, _, _ in 1 },
        mount: { _, _, _ in 0 }, unmount: { _, _ in 0 }, assign_root: { _, _ in 0 },
        invalidate: { _, _, _ in 0 },
        bind: { _, _, _, _, _ in 0 }, own: { _, _, _, _ in 0 }, disown: { _, _ in 0 },
        next_turn: { _, _ in 0 },
        at_time: { _, _, _, _ in 0 }, cancel: { _, _ in 0 }, now: { _ in 0 }, random: { _ in 0 },
        log: { _, _, _ in }, post: { _, _ in 0 }, diagnose: { _, _, _, _, _, _, _ in 0 },
        fail: { _, status, _ in status }, get_interface: { _, _ in nil })
    return UnsafePointer(host)
}()
