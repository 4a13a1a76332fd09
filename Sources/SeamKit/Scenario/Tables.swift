internal import CSeamABI

/// Memory of the descriptors: never freed, since they live to the end of the process.
///
/// Every struct is put there by an assignment of its own concrete type. Arrays of C structs and generic
/// stores ask Swift's record of the type for its size, and that record is one per C tag and process: another
/// plug-in that was built with a larger struct of that name would set it for all.
enum Raw {
    static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        .allocate(byteCount: max(bytes, 8), alignment: 8)
    }

    static func text(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8)
        let copy = allocate(bytes.count + 1)
        for (index, byte) in bytes.enumerated() {
            copy.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
        copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
    }

    static func texts(_ texts: [String?], endsWithNull: Bool = true) -> UnsafePointer<UnsafePointer<CChar>?> {
        let row = allocate((texts.count + 1) * 8).assumingMemoryBound(to: UnsafePointer<CChar>?.self)
        for (index, text) in texts.enumerated() { row[index] = text.map(Self.text) }
        row[texts.count] = nil
        return UnsafePointer(row)
    }
}

/// What the functions of the tables find behind `user`: one scenario type, without its name.
@MainActor
final class ScenarioTables {
    let id: String
    let drainsMainQueue: Bool
    let parameters: [String]
    let screens: [String]
    let bridges: [Bridge]
    /// For each event of the scenario its index among those of its bridge, or among the scenario's own.
    let eventIndex: [Int]
    let create: @MainActor ([String?]) throws -> AnyObject
    let start: @MainActor (AnyObject) throws -> Void
    let send: @MainActor (AnyObject, Int, [String?]) throws -> Void

    let stageTables: StageTables?

    init(_ description: ScenarioDescription, eventIndex: [Int]) {
        id = description.about.id
        drainsMainQueue = description.about.drainsMainQueue
        parameters = description.parameters.map(\.id)
        screens = description.screens.map(\.id)
        bridges = description.bridges
        stageTables = description.stageTables
        self.eventIndex = eventIndex
        create = description.create
        start = description.start
        send = description.send
    }

    func index(of bridge: Bridge) -> Int? { bridges.firstIndex { $0 === bridge } }
    func index(of screen: Screen) -> Int? { screens.firstIndex(of: screen.id) }
}

extension ScenarioDescription {
    func makeTable() throws -> UnsafePointer<seam_scenario_v1> {
        do {
            var maker = TableMaker(self)
            return try maker.make()
        } catch {
            throw ScenarioError("scenario \(about.id): \(error)")
        }
    }
}

/// Writes one scenario's description as the C tables have it, and resolves the names in its script and
/// checks.
@MainActor
private struct TableMaker {
    private let description: ScenarioDescription
    private let screens: [Screen]
    private let bridges: [Bridge]
    private let checks: [Check]
    private var eventIDs: [String] = []
    private var eventArguments: [[Parameter]] = []
    private var eventIndex: [Int] = []

    init(_ description: ScenarioDescription) {
        self.description = description
        screens = description.screens
        bridges = description.bridges
        checks = description.checks
    }

    mutating func make() throws -> UnsafePointer<seam_scenario_v1> {
        let about = description.about
        let parameters = description.parameters
        let eventTable = makeEvents()
        let bridgeTable = try makeBridges()
        let steps = description.script
        let tables = ScenarioTables(description, eventIndex: eventIndex)
        let memory = Raw.allocate(MemoryLayout<seam_scenario_v1>.size)
        let table = memory.assumingMemoryBound(to: seam_scenario_v1.self)
        table.pointee = seam_scenario_v1(
            size: UInt32(MemoryLayout<seam_scenario_v1>.size),
            flags: about.drainsMainQueue ? UInt32(SEAM_SCENARIO_MAIN_QUEUE) : 0, revision: 0, reserved: 0,
            id: Raw.text(about.id), title: Raw.text(about.title), summary: Raw.text(about.summary),
            params: makeParameters(parameters), screens: makeScreens(), bridges: bridgeTable,
            events: eventTable,
            param_count: UInt32(parameters.count), screen_count: UInt32(screens.count),
            bridge_count: UInt32(bridges.count), event_count: UInt32(eventIDs.count),
            script: try makeScript(steps),
            checks: try makeChecks(), script_count: UInt32(steps.count), check_count: UInt32(checks.count),
            calls: instanceCalls, user: Unmanaged.passRetained(tables).toOpaque(), create: createInstance,
            policies: description.policies.isEmpty ? nil : Raw.texts(description.policies))
        return UnsafePointer(table)
    }

    private func makeParameters(_ parameters: [Parameter]) -> UnsafePointer<seam_param_v1>? {
        if parameters.isEmpty { return nil }
        let row = Raw.allocate(parameters.count * MemoryLayout<seam_param_v1>.stride)
        for (index, parameter) in parameters.enumerated() {
            let at = row + index * MemoryLayout<seam_param_v1>.stride
            at.assumingMemoryBound(to: seam_param_v1.self).pointee = seam_param_v1(
                id: Raw.text(parameter.id), title: Raw.text(parameter.title), kind: Raw.text(parameter.kind),
                initial: parameter.initial.map(Raw.text), minimum: parameter.minimum.map(Raw.text),
                maximum: parameter.maximum.map(Raw.text), choices: parameter.choices.map { Raw.texts($0) })
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_param_v1.self))
    }

    private func makeScreens() -> UnsafePointer<seam_screen_v1>? {
        if screens.isEmpty { return nil }
        let row = Raw.allocate(screens.count * MemoryLayout<seam_screen_v1>.stride)
        for (index, screen) in screens.enumerated() {
            let at = row + index * MemoryLayout<seam_screen_v1>.stride
            at.assumingMemoryBound(to: seam_screen_v1.self).pointee = seam_screen_v1(
                id: Raw.text(screen.id), title: Raw.text(screen.title),
                side: UInt32(screen.side == .imperative ? SEAM_SIDE_IMPERATIVE : SEAM_SIDE_DECLARATIVE),
                field_count: UInt32(screen.fields.count), fields: makeFields(screen.fields))
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_screen_v1.self))
    }

    private func makeFields(_ keys: [String]) -> UnsafePointer<seam_field_v1>? {
        if keys.isEmpty { return nil }
        let row = Raw.allocate(keys.count * MemoryLayout<seam_field_v1>.stride)
        for (index, key) in keys.enumerated() {
            let at = row + index * MemoryLayout<seam_field_v1>.stride
            at.assumingMemoryBound(to: seam_field_v1.self).pointee = seam_field_v1(
                key: Raw.text(key), title: Raw.text(key), kind: Raw.text("text"), flags: 0, reserved: 0)
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_field_v1.self))
    }

    private mutating func makeEvents() -> UnsafePointer<seam_event_v1>? {
        var table: [(origin: Int, bridge: UInt32, title: String)] = []
        for (index, event) in description.events.enumerated() {
            eventIDs.append(event.id)
            eventArguments.append(event.arguments)
            eventIndex.append(index)
            table.append((event.isLifecycle ? SEAM_FROM_LIFECYCLE : SEAM_FROM_MODEL, SEAM_NONE, event.title))
        }
        for (position, bridge) in bridges.enumerated() {
            for (index, event) in bridge.nativeEvents.enumerated() {
                eventIDs.append(event.id)
                eventArguments.append(event.arguments)
                eventIndex.append(index)
                table.append((SEAM_FROM_NATIVE, UInt32(position), event.title))
            }
        }
        if table.isEmpty { return nil }
        let row = Raw.allocate(table.count * MemoryLayout<seam_event_v1>.stride)
        for (index, event) in table.enumerated() {
            let at = row + index * MemoryLayout<seam_event_v1>.stride
            at.assumingMemoryBound(to: seam_event_v1.self).pointee = seam_event_v1(
                id: Raw.text(eventIDs[index]), title: Raw.text(event.title), origin: UInt32(event.origin),
                bridge: event.bridge, arg_count: UInt32(eventArguments[index].count), reserved: 0,
                args: makeParameters(eventArguments[index]))
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_event_v1.self))
    }

    private func makeBridges() throws -> UnsafePointer<UnsafePointer<seam_bridge_v1>?>? {
        if bridges.isEmpty { return nil }
        let row = Raw.allocate(bridges.count * 8).assumingMemoryBound(to: UnsafePointer<seam_bridge_v1>?.self)
        for (index, bridge) in bridges.enumerated() {
            let memory = Raw.allocate(MemoryLayout<seam_bridge_v1>.size)
            let table = memory.assumingMemoryBound(to: seam_bridge_v1.self)
            table.pointee.size = UInt32(MemoryLayout<seam_bridge_v1>.size)
            table.pointee.screen = UInt32(try screenIndex(bridge.screen.id, of: "bridge \(bridge.id)"))
            table.pointee.id = UnsafePointer(Raw.text(bridge.id))
            table.pointee.title = UnsafePointer(Raw.text(bridge.title))
            table.pointee.inputs = Raw.texts(bridge.inputs)
            table.pointee.user = Unmanaged.passRetained(bridge).toOpaque()
            table.pointee.policies = bridge.policies.isEmpty ? nil : Raw.texts(bridge.policies)
            table.pointee.native = bridge.nativeEvents.isEmpty ? nil : nativeEvent
            switch bridge.kind {
            case .embedding(let isObserved):
                table.pointee.kind = UInt32(SEAM_BRIDGE_EMBED)
                table.pointee.flags = isObserved ? UInt32(SEAM_BRIDGE_OBSERVED) : 0
                table.pointee.draw = drawRootView
                (table.pointee.coordinator, table.pointee.make) = (nil, nil)
                (table.pointee.update, table.pointee.dismantle) = (nil, nil)
            case .wrapping(let echoes, let hasCoordinator):
                table.pointee.kind = UInt32(SEAM_BRIDGE_WRAP)
                table.pointee.flags = echoes ? UInt32(SEAM_BRIDGE_ECHO) : 0
                table.pointee.draw = nil
                table.pointee.coordinator = hasCoordinator ? makeCoordinator : nil
                table.pointee.make = makeView
                table.pointee.update = updateView
                table.pointee.dismantle = dismantleView
            }
            row[index] = UnsafePointer(table)
        }
        return UnsafePointer(row)
    }

    private func makeChecks() throws -> UnsafePointer<seam_check_v1>? {
        if checks.isEmpty { return nil }
        let row = Raw.allocate(checks.count * MemoryLayout<seam_check_v1>.stride)
        for (index, check) in checks.enumerated() {
            let expected = check.fields.map(\.expected?.rawValue)
            let isExpected = expected.contains { $0 != nil }
            let at = row + index * MemoryLayout<seam_check_v1>.stride
            at.assumingMemoryBound(to: seam_check_v1.self).pointee = seam_check_v1(
                label: Raw.text(check.label),
                screen: UInt32(try screenIndex(check.screen, of: "check \(check.label)")),
                key_count: UInt32(check.fields.count), keys: Raw.texts(check.fields.map(\.key)),
                expected: isExpected ? Raw.texts(expected) : nil)
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_check_v1.self))
    }

    // MARK: The script

    private func makeScript(_ steps: [Step]) throws -> UnsafePointer<seam_step_v1>? {
        if steps.isEmpty { return nil }
        let row = Raw.allocate(steps.count * MemoryLayout<seam_step_v1>.stride)
        for (index, step) in steps.enumerated() {
            let at = row + index * MemoryLayout<seam_step_v1>.stride
            at.assumingMemoryBound(to: seam_step_v1.self).pointee = try makeStep(
                step, "step \(index + 1) of the script")
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_step_v1.self))
    }

    private func makeStep(_ step: Step, _ who: String) throws -> seam_step_v1 {
        var made = seam_step_v1(
            kind: 0, bridge: SEAM_NONE, event: SEAM_NONE, arg_count: 0, virtual_ns: 0, key: nil, value: nil,
            mount: nil, args: nil)
        func use(_ kind: Int, bridge: String, mount: String?) throws {
            made.kind = UInt32(kind)
            made.bridge = UInt32(try index(of: bridge, in: bridges.map(\.id), "bridge", who))
            made.mount = mount.map(Raw.text)
        }
        switch step {
        case .set(let key, let value):
            made.kind = UInt32(SEAM_STEP_MODEL_SET)
            made.key = UnsafePointer(Raw.text(key))
            made.value = UnsafePointer(Raw.text(value.modelText))
        case .clear(let key):
            made.kind = UInt32(SEAM_STEP_MODEL_CLEAR)
            made.key = UnsafePointer(Raw.text(key))
        case .send(let event, let arguments, let mount):
            let index = try index(of: event, in: eventIDs, "event", who)
            let declared = eventArguments[index].map(\.id)
            for name in arguments.keys.sorted() where !declared.contains(name) {
                throw ScenarioError("\(who) gives \(event) an argument \(name); it has " + list(declared))
            }
            made.kind = UInt32(SEAM_STEP_EVENT)
            made.event = UInt32(index)
            made.mount = mount.map(Raw.text)
            made.arg_count = UInt32(declared.count)
            made.args = Raw.texts(
                eventArguments[index].map { arguments[$0.id]?.modelText ?? $0.initial })
        case .assign(let bridge, let mount): try use(SEAM_STEP_ASSIGN, bridge: bridge, mount: mount)
        case .update(let bridge, let mount): try use(SEAM_STEP_UPDATE, bridge: bridge, mount: mount)
        case .mount(let bridge, let label): try use(SEAM_STEP_MOUNT, bridge: bridge, mount: label)
        case .unmount(let bridge, let mount): try use(SEAM_STEP_UNMOUNT, bridge: bridge, mount: mount)
        case .advance(let milliseconds):
            made.kind = UInt32(SEAM_STEP_ADVANCE)
            made.virtual_ns = Int64(milliseconds) * 1_000_000
        case .check(let label):
            _ = try index(of: label, in: checks.map(\.label), "check", who)
            made.kind = UInt32(SEAM_STEP_CHECK)
            made.key = UnsafePointer(Raw.text(label))
        case .activity(let bridge, let window, let scene, let hidden, let size, let parked, let mount):
            try use(SEAM_STEP_ACTIVITY, bridge: bridge, mount: mount)
            let flags = [("window", window), ("hidden", hidden), ("size", size), ("parked", parked)]
            var parts = flags.compactMap { name, flag in flag.map { "\(name)=\($0 ? "yes" : "no")" } }
            if let scene { parts.append("scene=\(scene)") }
            made.value = UnsafePointer(Raw.text(parts.joined(separator: ",")))
        case .identify(let bridge, let id, let mount):
            try use(SEAM_STEP_IDENTIFY, bridge: bridge, mount: mount)
            made.value = UnsafePointer(Raw.text(id))
        case .items(let bridge, let items):
            try use(SEAM_STEP_ITEMS, bridge: bridge, mount: nil)
            for item in items where item.id.contains("=") {
                throw ScenarioError("\(who) names the item \(item.id): an id can't hold =")
            }
            made.arg_count = UInt32(items.count)
            made.args = Raw.texts(items.map { item in item.value.map { "\(item.id)=\($0)" } ?? item.id })
        case .rebind(let bridge, let owner, let mount):
            try use(SEAM_STEP_REBIND, bridge: bridge, mount: mount)
            made.value = UnsafePointer(Raw.text(owner))
        case .dismiss(let bridge, let mount): try use(SEAM_STEP_DISMISS, bridge: bridge, mount: mount)
        case .environment(let name, let value, let bridge, let mount):
            if let bridge { try use(SEAM_STEP_ENVIRONMENT, bridge: bridge, mount: mount) }
            made.kind = UInt32(SEAM_STEP_ENVIRONMENT)
            made.key = UnsafePointer(Raw.text(name))
            made.value = value.map { UnsafePointer(Raw.text($0.modelText)) }
        case .build(let bridge, let mount): try use(SEAM_STEP_BUILD, bridge: bridge, mount: mount)
        case .assignBuilt(let bridge, let mount):
            try use(SEAM_STEP_ASSIGN_BUILT, bridge: bridge, mount: mount)
        case .updateFor(let bridge, let reason, let mount):
            try use(SEAM_STEP_UPDATE_FOR, bridge: bridge, mount: mount)
            made.value = UnsafePointer(Raw.text(reason))
        case .tap, .type, .endEditing, .turn, .expect:
            throw ScenarioError("\(who) speaks of controls, which a ScreenScenario alone has")
        }
        return made
    }

    private func screenIndex(_ id: String, of who: String) throws -> Int {
        try index(of: id, in: screens.map(\.id), "screen", who)
    }

    private func index(of id: String, in ids: [String], _ noun: String, _ who: String) throws -> Int {
        if let index = ids.firstIndex(of: id) { return index }
        throw ScenarioError("\(who) names the \(noun) \(id); there is " + list(ids))
    }

    private func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
