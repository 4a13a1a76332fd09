internal import CSeamABI

/// The inputs of a body as the host hands them over: valid while that body runs.
struct Inputs {
    let pointer: UnsafePointer<seam_args_v1>?

    var generation: UInt32 { pointer?.pointee.generation ?? 0 }
    var count: Int { Int(pointer?.pointee.count ?? 0) }

    subscript(_ index: Int) -> String? {
        guard index < count, let values = pointer?.pointee.values else { return nil }
        let at = UnsafeRawPointer(values) + index * MemoryLayout<seam_str_v1>.stride
        return at.assumingMemoryBound(to: seam_str_v1.self).pointee.text
    }

    var texts: [String?] { (0..<count).map { self[$0] } }
}

extension seam_str_v1 {
    /// The host has found it to be UTF-8.
    var text: String? {
        guard let ptr else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: ptr, count: len), as: UTF8.self)
    }
}

extension String {
    func withSeam<Result>(_ body: (seam_str) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8 { bytes in
            // An empty text may have no address; without one it would be no value.
            if let base = bytes.baseAddress {
                return try body(
                    seam_str(
                        ptr: UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), len: bytes.count))
            }
            return try withUnsafePointer(to: CChar(0)) { try body(seam_str(ptr: $0, len: 0)) }
        }
    }
}

/// One running instance of a scenario, as the SDK sees it: the way to the host, and what the SDK keeps for
/// it.
@MainActor
package class Instance {
    let context: OpaquePointer?
    /// After `destroy` there is none, and code of the scenario that comes later talks to nobody.
    private(set) var host: UnsafePointer<seam_host_v1>
    let tables: ScenarioTables
    /// The scenario's object; gone after destroy, which breaks the circles through it.
    var scenario: AnyObject?
    var models: [any Publishable] = []
    /// What the SDK holds for a mount: a hosting controller, or a wrapping's view and coordinator.
    var placements: [UInt64: AnyObject] = [:]
    /// What a tick brings back.
    var work: [UInt64: PendingWork] = [:]
    private var lastToken: UInt64 = 0

    // What the code of a screen scenario has become.
    var phase = CodePhase.between
    /// The controls that there are, by the object that the host tells them by; they may outlive their mounts.
    private(set) var boxes: [OpaquePointer: AnyControlBox] = [:]
    /// Made for a coordinator, before there is a control.
    var newBoxes: [UInt64: AnyObject] = [:]
    /// What the host was told of as an item and has not made yet.
    var awaited: [String: AnyWrap] = [:]
    /// What a person can act on, by the name of its field.
    package var controls: [String: Control] = [:]
    private var itemNumbers: [String: Int] = [:]
    /// What is being typed into: one at a time.
    package weak var firstResponder: (any Responding)?
    var environmentValues: [String: Any] = [:]
    var environmentTexts: [String: String] = [:]
    /// What `AppStorage` keeps, by its keys.
    var stored: [String: StoredValue] = [:]
    /// The host's numbers of the code's objects, which the code alone keeps alive.
    private var objects: [ObjectIdentifier: KnownObject] = [:]
    private struct KnownObject {
        let number: UInt64
        weak var object: AnyObject?
        /// The host drops it with the view that owns it.
        var isOwned = false
    }
    /// Have gone, and the host has not been told.
    private var goneObjects: [UInt64] = []
    private var objectsUntilSweep = Instance.objectsKept
    private static let objectsKept = 64
    package var stage: Stage?
    var waitingTrees: [(tree: Tree, why: Why)] = []
    var hasAskedForFlush = false
    /// Whether code of the scenario ran between two turns, and whether that has been said; nil when none has.
    var isRealTime: Bool?
    /// What was shown between two turns: in the next one.
    var lateShows: [(screen: UInt32, key: String, value: String?)] = []
    var afterFlush: [@MainActor () throws -> Void] = []
    /// Hosts whose views have come, gone or been hidden.
    var movedHosts: [Hosting] = []
    /// Moves from one screen to another whose second half is to come.
    var moves: [@MainActor () -> Void] = []
    var currentStamp: BindingStamp?
    var undeclared: Set<String> = []
    /// What the body that runs has written into views that are not on the screen, while others of their names are.
    var offScreen: [(screen: UInt32, key: String, value: String?, view: any _NativeControl)] = []
    /// The identifier of a representable, and the view below it that is called so.
    var identifiersTaken: [String: (view: ObjectIdentifier, name: String)] = [:]
    /// Hosts that were made before the model was there.
    var early: [@MainActor () throws -> Void] = []
    var isModelThere = false
    /// The host has taken it down: nothing may be asked of it any more.
    private(set) var isOver = false
    var registrations: [UInt64: Registration] = [:]
    /// Those that there are, for what is taken back from outside of their code.
    ///
    /// Not weak, which would make each retain of an instance a slow one: each is taken out where it ends, and the last of its
    /// references takes out one that never got there.
    private static var alive: [ObjectIdentifier: Unmanaged<Instance>] = [:]
    package static var all: [Instance] { alive.values.map { $0.takeUnretainedValue() } }
    /// Which view shows a field, by screen and name.
    var fieldOwners: [String: FieldOwner] = [:]
    struct FieldOwner {
        let view: ObjectIdentifier
        let mount: UInt64
    }
    private var lastItem = 0
    var stageTables: StageTables? { tables.stageTables }
    var isRehearsal: Bool { false }
    /// Whether what runs is part of a turn: inside a callback, or on the main queue that the turn drains.
    var isTurnOpen: Bool { phase != .between || turnTable?.pointee.is_open!(context) == 1 }

    // MARK: Controls

    /// The host tells controls apart by their address; the object behind one is kept here.
    func keep(_ box: AnyControlBox) throws -> AnyObject {
        guard let identity = box.native?._identity else { throw Unexpected.callback }
        box.identity = identity
        boxes[pointer(identity)] = box
        return identity
    }

    func box(_ view: OpaquePointer?) -> AnyControlBox? {
        guard let view else { return nil }
        return boxes[view]
    }
    func forget(_ view: OpaquePointer?) { if let view { boxes[view] = nil } }

    func pointer(_ object: AnyObject) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// What an item is called. An id that is another one in each run, as that of `let id = UUID()` and of an object, is no
    /// name: such items have numbers, in the order in which they come up.
    func itemName<ID>(_ id: ID) -> String {
        let text = "\(id)"
        guard text.utf8.count == 36, isUUID(text) || text.hasPrefix("ObjectIdentifier(0x") else {
            return text
        }
        if let known = itemNumbers[text] { return "#\(known)" }
        itemNumbers[text] = itemNumbers.count + 1
        return "#\(itemNumbers.count)"
    }

    private func isUUID(_ text: String) -> Bool {
        text.utf8.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default:
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        }
    }

    func newItemID(_ scope: String) -> String {
        lastItem += 1
        return scope.isEmpty ? "\(lastItem)" : "\(scope)-\(lastItem)"
    }

    /// The instance, mount and screen whose code runs, or ran last: a view made in a task that this code
    /// started belongs there too. The host refuses what is out of place.
    package static var current: Instance?
    static var currentMount: UInt64 = 0
    static var currentScreen: UInt32 = 0

    init(context: OpaquePointer?, host: UnsafePointer<seam_host_v1>, tables: ScenarioTables) {
        self.context = context
        self.host = host
        self.tables = tables
        Self.alive[ObjectIdentifier(self)] = Unmanaged.passUnretained(self)
    }

    isolated deinit { Self.alive[ObjectIdentifier(self)] = nil }

    // MARK: Further tables, each asked for when it is needed first

    private(set) lazy var placement: UnsafePointer<seam_placement_v1>? = table(SEAM_PLACEMENT)
    private(set) lazy var control: UnsafePointer<seam_control_v1>? = table(SEAM_CONTROL)
    private(set) lazy var environment: UnsafePointer<seam_environment_v1>? = table(SEAM_ENVIRONMENT)
    private(set) lazy var ownership: UnsafePointer<seam_ownership_v1>? = table(SEAM_OWNERSHIP)
    private(set) lazy var binding: UnsafePointer<seam_binding_v1>? = table(SEAM_BINDING)
    private(set) lazy var turnTable: UnsafePointer<seam_turn_v1>? = table(SEAM_TURN)
    private(set) lazy var late: UnsafePointer<seam_late_v1>? = table(SEAM_LATE)

    func table<Table>(_ id: String) -> UnsafePointer<Table>? {
        // A frozen table has every function.
        let found = host.pointee.get_interface!(context, id)
        if found == nil { report(2, "host-too-old", Self.tooOld) }
        return found?.assumingMemoryBound(to: Table.self)
    }

    // A frozen table has every function: each `!` stands on the header's promise.

    // MARK: Model and screens

    func setModel(_ key: String, _ value: String?) throws {
        let status = key.withSeam { key in
            if let value {
                value.withSeam { host.pointee.model_set!(context, key, $0) }
            } else {
                host.pointee.model_clear!(context, key)
            }
        }
        try check(status, "writing the model key \(key)")
    }

    func model(_ key: String) -> String? {
        var value = seam_str(ptr: nil, len: 0)
        return key.withSeam { host.pointee.model_get!(context, $0, &value) } == 0 ? value.text : nil
    }

    func show(_ screen: UInt32, _ key: String, _ value: String?) {
        // Somebody may hold a view for longer than there is a screen.
        if isOver { return }
        // Reported when it came up; the host knows no such field.
        if !undeclared.isEmpty, undeclared.contains("\(screen).\(key)") { return }
        if phase == .between, stage != nil {
            askForFlush()
            if !isTurnOpen { return lateShows.append((screen, key, value)) }
        }
        _ = key.withSeam { key in
            if let value {
                value.withSeam { host.pointee.screen_set!(context, screen, key, $0) }
            } else {
                host.pointee.screen_clear!(context, screen, key)
            }
        }
    }

    /// A write into one particular native view.
    func show(on view: AnyObject, _ screen: UInt32, _ key: String, _ value: String?) {
        guard let control else { return }
        key.withSeam { key in
            value.withSeam {
                _ = control.pointee.screen_set_on!(context, pointer(view), screen, key, $0)
            }
        }
    }

    func shown(_ screen: UInt32, _ key: String) -> String? {
        var value = seam_str(ptr: nil, len: 0)
        return key.withSeam { host.pointee.screen_get!(context, screen, $0, &value) } == 0 ? value.text : nil
    }

    func bind(_ mount: UInt64, _ generation: UInt32, _ key: String, _ value: String) {
        _ = key.withSeam { key in value.withSeam { host.pointee.bind!(context, mount, generation, key, $0) } }
    }

    // MARK: Mounts

    func mount(_ bridge: Bridge) throws -> UInt64 {
        guard let index = tables.index(of: bridge) else {
            throw ScenarioError("\(bridge.id) is not among the bridges of \(tables.id)")
        }
        var mount: UInt64 = 0
        try check(host.pointee.mount!(context, UInt32(index), &mount), "mounting \(bridge.id)")
        return mount
    }

    func mount(_ bridge: Bridge, in parent: UInt64, item: Item?, style: String?) throws -> UInt64 {
        guard let index = tables.index(of: bridge) else {
            throw ScenarioError("\(bridge.id) is not among the bridges of \(tables.id)")
        }
        guard let mountIn = placement?.pointee.mount_in else { throw ScenarioError(Self.tooOld) }
        var mount: UInt64 = 0
        let status = style.withSeam { style in
            guard let item else { return mountIn(context, parent, UInt32(index), nil, style, &mount) }
            return item.withSeam { raw in
                withUnsafePointer(to: raw) { mountIn(context, parent, UInt32(index), $0, style, &mount) }
            }
        }
        try check(status, "mounting \(bridge.id)")
        return mount
    }

    func show(_ items: [Item], of bridge: Bridge, in parent: UInt64) throws {
        guard let index = tables.index(of: bridge) else {
            throw ScenarioError("\(bridge.id) is not among the bridges of \(tables.id)")
        }
        guard let setItems = placement?.pointee.set_items else { throw ScenarioError(Self.tooOld) }
        // The items, and behind them their texts, which have to stay where they are until the host has copied them.
        let stride = MemoryLayout<seam_item_v1>.stride
        let texts = items.reduce(0) { $0 + $1.id.utf8.count + ($1.value?.utf8.count ?? 0) }
        let row = UnsafeMutableRawPointer.allocate(byteCount: items.count * stride + texts + 1, alignment: 8)
        defer { row.deallocate() }
        var next = row + items.count * stride
        func place(_ text: String?) -> seam_str {
            guard let text else { return seam_str(ptr: nil, len: 0) }
            let start = next
            for byte in text.utf8 {
                next.storeBytes(of: byte, as: UInt8.self)
                next += 1
            }
            return seam_str(ptr: start.assumingMemoryBound(to: CChar.self), len: next - start)
        }
        for (position, item) in items.enumerated() {
            let at = (row + position * stride).assumingMemoryBound(to: seam_item_v1.self)
            at.pointee = seam_item_v1(id: place(item.id), value: place(item.value))
        }
        let status = setItems(
            context, UInt32(index), parent, row.assumingMemoryBound(to: seam_item_v1.self), items.count)
        try check(status, "showing \(bridge.id)")
    }

    func unmount(_ mount: UInt64) { _ = host.pointee.unmount!(context, mount) }

    func assignRoot(_ mount: UInt64) -> Bool { host.pointee.assign_root!(context, mount) == 0 }

    func invalidate(_ mount: UInt64, _ why: Why) {
        _ = host.pointee.invalidate!(context, mount, why.rawValue)
    }

    func item(of mount: UInt64) -> Item? { Mount(instance: self, id: mount).item }
    func identify(_ mount: UInt64, _ identity: String) { Mount(instance: self, id: mount).identify(identity) }
    func screenIndex(of screen: Screen) -> UInt32 { UInt32(tables.index(of: screen) ?? 0) }

    /// The host's number of an object of the code, which it is told by.
    func number(of object: AnyObject) -> UInt64 {
        // Another object may have come where one has been.
        if let known = objects[ObjectIdentifier(object)], known.object === object { return known.number }
        var number: UInt64 = 0
        _ = ownership?.pointee.object_make!(context, &number)
        let former = objects.updateValue(
            KnownObject(number: number, object: object), forKey: ObjectIdentifier(object))
        if let former, !former.isOwned { goneObjects.append(former.number) }
        objectsUntilSweep -= 1
        if objectsUntilSweep <= 0, phase != .between { sweepObjects(last: number) }
        return number
    }

    /// Objects that have gone are forgotten here and by the host, at numbers of objects that are the same in each run.
    private func sweepObjects(last: UInt64) {
        for (identity, known) in objects where known.object == nil {
            objects[identity] = nil
            if !known.isOwned { goneObjects.append(known.number) }
        }
        // The last ones may be what the host compares the next with, to find out that each evaluation makes another.
        let isRecent = { (number: UInt64) in number + UInt64(Self.objectsKept) > last }
        for number in goneObjects where number != 0 && !isRecent(number) {
            _ = ownership?.pointee.object_drop!(context, number)
        }
        goneObjects.removeAll { !isRecent($0) }
        objectsUntilSweep = max(Self.objectsKept, objects.count)
    }

    /// A view holds the object: the host is told, and finds out when one is made anew in each evaluation.
    func hold(_ object: AnyObject, in slot: String, owned: Bool, _ mount: UInt64) {
        guard mount != 0, let ownership else { return }
        let number = number(of: object)
        if number == 0 { return }
        if owned { objects[ObjectIdentifier(object)]?.isOwned = true }
        var held = number
        slot.withSeam { _ = ownership.pointee.object_hold!(context, mount, $0, number, owned ? 1 : 0, &held) }
    }

    // MARK: Later

    func newToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// - Returns: 0 when the host refused.
    func own(_ mount: UInt64, _ what: String) -> UInt64 {
        var token: UInt64 = 0
        let status = what.withSeam { host.pointee.own!(context, mount, $0, &token) }
        reportLimit(status, "registering \(what)")
        return status == 0 ? token : 0
    }

    func disown(_ token: UInt64) { _ = host.pointee.disown!(context, token) }

    func post(_ token: UInt64) { _ = host.pointee.post!(context, token) }

    func nextTurn(_ token: UInt64) {
        reportLimit(host.pointee.next_turn!(context, token), "work for the next round")
    }

    func setTimer(_ token: UInt64, milliseconds: Int) -> UInt64 {
        var timer: UInt64 = 0
        let due = host.pointee.now!(context) + Int64(milliseconds) * 1_000_000
        let status = host.pointee.at_time!(context, due, token, &timer)
        reportLimit(status, "a timer")
        return status == 0 ? timer : 0
    }

    /// The one refusal that the host does not report itself: too many of them. The code that asked goes on without.
    func reportLimit(_ status: seam_status, _ what: String) {
        if status == SEAM_E_LIMIT {
            report(2, "work-refused", "\(what) was refused, since too much waits already (SEAM_E_LIMIT)")
        }
    }

    func cancelTimer(_ timer: UInt64) { _ = host.pointee.cancel!(context, timer) }

    func tick(_ token: UInt64) throws {
        if token == Self.flushToken { return try flush() }
        if token == Self.watchToken { return try pullModel() }
        if token == Self.strayToken { return reportStrays() }
        if let registration = registrations[token] { return registration.arrive() }
        try work[token]?.run()
    }

    /// The end: the scenario's objects lead to the instance and it to them, and here the circle is opened.
    func clear() {
        defer { isOver = true }
        // Hosts that go with what holds them find that they are up no more.
        placements.removeAll()
        movedHosts.removeAll()
        moves.removeAll()
        afterFlush.removeAll()
        scenario = nil
        stage?.end()
        stage = nil
        for registration in registrations.values.sorted(by: { $0.token < $1.token }) { registration.forget() }
        Self.alive[ObjectIdentifier(self)] = nil
        models.removeAll()
        boxes.removeAll()
        newBoxes.removeAll()
        awaited.removeAll()
        controls.removeAll()
        objects.removeAll()
        environmentValues.removeAll()
        waitingTrees.removeAll()
        let left = work.values
        work.removeAll()
        for work in left { work.breakOff() }
    }

    /// The end, inside `destroy`: whatever runs from here on (a block on the main queue, a task) finds no host, and what the
    /// hosts of declarative views hold is let go of.
    func end() {
        let hosts = placements.values.compactMap { $0 as? Hosting }
        // There is no next round.
        hasAskedForFlush = true
        clear()
        host = silentHost
        (placement, control, environment, ownership, binding) = (nil, nil, nil, nil, nil)
        (turnTable, late) = (nil, nil)
        for host in hosts { host.endHosted() }
        (afterFlush, early, offScreen, lateShows) = ([], [], [], [])
        identifiersTaken.removeAll()
        fieldOwners.removeAll()
        registrations.removeAll()
        if Self.current === self { Self.current = nil }
    }

    // MARK: What a person is told

    func reportUnreadable(_ key: String, _ text: String) {
        report(
            2, "unreadable-value",
            "the model key \(key) holds \"\(text)\", which the scenario's state has no value for")
    }

    package func report(_ severity: Int32, _ code: String, _ text: String) {
        _ = code.withSeam { code in
            Self.cut(text).withSeam { text in
                host.pointee.diagnose!(
                    context, severity, code, text, Instance.currentMount, SEAM_NONE,
                    seam_str(ptr: nil, len: 0))
            }
        }
    }

    /// As much of a text as the host takes, which may hold a value sixteen times as long.
    private static func cut(_ text: String) -> String {
        var bytes = 4_096
        while bytes < text.utf8.count {
            let end = text.utf8.index(text.startIndex, offsetBy: bytes)
            if let end = end.samePosition(in: text.unicodeScalars) { return String(text[..<end]) }
            bytes -= 1
        }
        return text
    }

    func log(_ level: Int32, _ text: String) { text.withSeam { host.pointee.log!(context, level, $0) } }

    /// An error on its way to the host: what it says, then the status to return.
    func fail(_ error: any Error) -> seam_status {
        "\(error)".withSeam { host.pointee.fail!(context, seam_status(SEAM_E_PLUGIN), $0) }
    }

    private func check(_ status: seam_status, _ what: String) throws {
        if status >= 0 { return }
        let name = status == SEAM_E_LIMIT ? ", SEAM_E_LIMIT: there is too much already" : ""
        throw ScenarioError("\(what): the host answered status \(status)\(name)")
    }
}
