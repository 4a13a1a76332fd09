internal import CSeamABI

// The engine's tables, as Swift would say it. There is no rule in here: each of these says that something has happened,
// and the host decides what comes of it. What is out of place is refused there, and reported.
// Each `!` stands on the header's promise that a frozen table has every function.

/// Where a mounted view is. It draws only while it has a window, is active, not hidden and not parked.
public struct Activity: Sendable, Equatable {
    public enum Scene: Sendable { case active, inactive }

    public var hasWindow = true
    public var scene = Scene.active
    /// Off screen, its content kept.
    public var isHidden = false
    public var hasSize = true
    /// Put away for later use.
    public var isParked = false

    public init() {}
}

/// One item of a list: the id decides identity, the value equality.
public struct Item: Sendable, Equatable {
    public var id: String
    public var value: String?

    public init(id: String, value: String? = nil) {
        self.id = id
        self.value = value
    }
}

/// A moment in the life of a control, beside make, update and dismantle.
public enum Moment: UInt32, Sendable {
    case attach = 1
    case detach, reset, appear, disappear, endEditing, move, save, restore
}

extension Mount {
    /// The placement whose code runs, or ran last; nil in code of the scenario's own.
    public static var current: Mount? {
        guard let instance = Instance.current, Instance.currentMount != 0 else { return nil }
        return Mount(instance: instance, id: Instance.currentMount)
    }

    private var context: OpaquePointer? { instance.context }

    // MARK: Placement

    public var activity: Activity {
        get {
            var raw = seam_activity_v1()
            _ = instance.placement?.pointee.activity_get!(context, id, &raw)
            var activity = Activity()
            activity.hasWindow = raw.window != UInt32(SEAM_NO)
            activity.scene = raw.scene == UInt32(SEAM_SCENE_INACTIVE) ? .inactive : .active
            activity.isHidden = raw.hidden == UInt32(SEAM_YES)
            activity.hasSize = raw.has_size != UInt32(SEAM_NO)
            activity.isParked = raw.parked == UInt32(SEAM_YES)
            return activity
        }
        nonmutating set {
            func word(_ flag: Bool) -> UInt32 { UInt32(flag ? SEAM_YES : SEAM_NO) }
            var raw = seam_activity_v1(
                window: word(newValue.hasWindow),
                scene: UInt32(newValue.scene == .active ? SEAM_SCENE_ACTIVE : SEAM_SCENE_INACTIVE),
                hidden: word(newValue.isHidden), has_size: word(newValue.hasSize),
                parked: word(newValue.isParked), reserved: 0)
            _ = instance.placement?.pointee.set_activity!(context, id, &raw)
        }
    }

    /// The id of what stands here. Another one is another view: it is made anew, and its state begins anew.
    public func identify(_ identity: String) {
        identity.withSeam { _ = instance.placement?.pointee.identify!(context, id, $0) }
    }

    /// The item that the control shows; nil when it shows none.
    public var item: Item? {
        var raw = seam_item_v1()
        guard instance.placement?.pointee.item_get!(context, id, &raw) == 0, let id = raw.id.text else {
            return nil
        }
        return Item(id: id, value: raw.value.text)
    }

    /// The same control for another item, with no identity of its own: a recycled cell.
    public func rebind(to item: Item) {
        item.id.withSeam { owner in
            item.value.withSeam { _ = instance.placement?.pointee.rebind!(context, id, owner, $0) }
        }
    }

    /// Closed from outside the model.
    public func dismiss() { _ = instance.placement?.pointee.dismiss!(context, id) }

    // MARK: Root views and controls

    /// The builder runs; what it made waits for `assignBuilt`.
    public func buildRoot() { _ = instance.control?.pointee.build_root!(context, id) }
    public func assignBuilt() { _ = instance.control?.pointee.assign_built!(context, id) }

    /// A value for the screen above, from inside the hosted view.
    public func lift(_ key: String, _ value: (some ModelText)?, to screen: Screen) {
        guard let index = instance.tables.index(of: screen) else {
            return instance.report(
                2, "unknown-screen", "\(screen.id) is not among the screens of \(instance.tables.id)")
        }
        key.withSeam { key in
            (value?.modelText).withSeam {
                _ = instance.control?.pointee.lift!(context, id, UInt32(index), key, $0)
            }
        }
    }

    /// The size of the view was asked for, and is kept.
    public func measured() { _ = instance.control?.pointee.measured!(context, id) }

    /// The control has changed what it shows by itself.
    public func nativeChange(_ key: String, _ value: (some ModelText)?) {
        key.withSeam { key in
            (value?.modelText).withSeam { _ = instance.control?.pointee.native_change!(context, id, key, $0) }
        }
    }

    /// An edit that is not committed yet; nil forgets it.
    public func setDraft(_ key: String, _ value: (some ModelText)?) {
        key.withSeam { key in
            (value?.modelText).withSeam { _ = instance.control?.pointee.set_draft!(context, id, key, $0) }
        }
    }

    /// Whether the value differs from the one that was asked about last, which it replaces.
    public func differs(_ key: String, _ value: (some ModelText)?) -> Bool {
        var differs: UInt32 = 1
        key.withSeam { key in
            (value?.modelText).withSeam {
                _ = instance.control?.pointee.differs!(context, id, key, $0, &differs)
            }
        }
        return differs != 0
    }

    /// Forgets what `differs` compares with, of one key or of all.
    public func forgetDiffBase(_ key: String? = nil) {
        key.withSeam { _ = instance.control?.pointee.forget_diff_base!(context, id, $0) }
    }

    // MARK: Environment

    /// A value that this host inherits or has: reading it is tracked, setting it is for all that lies below.
    public subscript(environment name: String) -> String? {
        get {
            var value = seam_str(ptr: nil, len: 0)
            name.withSeam { _ = instance.environment?.pointee.environment_get!(context, id, $0, &value) }
            return value.text
        }
        nonmutating set { instance.setEnvironment(id, name, newValue) }
    }

    /// Takes the environment from above anew.
    public func takeEnvironment() { _ = instance.environment?.pointee.environment_take!(context, id) }

    // MARK: Ownership

    /// State that lives as long as the view's identity: the initial value counts once.
    public func startState(_ name: String, _ initial: (some ModelText)?) -> String? {
        var value = seam_str(ptr: nil, len: 0)
        name.withSeam { name in
            (initial?.modelText).withSeam {
                _ = instance.ownership?.pointee.state_start!(context, id, name, $0, &value)
            }
        }
        return value.text
    }

    public subscript(state name: String) -> String? {
        get {
            var value = seam_str(ptr: nil, len: 0)
            name.withSeam { _ = instance.ownership?.pointee.state_get!(context, id, $0, &value) }
            return value.text
        }
        nonmutating set {
            name.withSeam { name in
                newValue.withSeam { _ = instance.ownership?.pointee.state_set!(context, id, name, $0) }
            }
        }
    }

    /// The view holds the object: the first of its identity if it owns it, else the one that came last.
    /// - Returns: the object that the view goes on with.
    public func hold(_ object: SharedObject, in slot: String, owned: Bool) -> SharedObject {
        var held = object.number
        slot.withSeam {
            _ = instance.ownership?.pointee.object_hold!(context, id, $0, object.number, owned ? 1 : 0, &held)
        }
        return SharedObject(instance: instance, number: held)
    }

    /// A subscription of one's own: `cancel` alone ends it.
    public func subscribe(to object: SharedObject) -> ObjectSubscription {
        var number: UInt64 = 0
        _ = instance.ownership?.pointee.subscribe!(context, id, object.number, &number)
        return ObjectSubscription(instance: instance, number: number)
    }

    // MARK: Bindings

    /// What a control reads and writes through.
    public func binding(_ kind: HostBinding.Kind, to key: String) -> HostBinding {
        var number: UInt64 = 0
        let (raw, argument) = kind.raw
        key.withSeam { key in
            argument.withSeam {
                _ = instance.binding?.pointee.binding_make!(context, id, raw, key, $0, &number)
            }
        }
        return HostBinding(instance: instance, number: number)
    }

    /// The control asks its coordinator, which answers from the copy of the parent that it holds.
    public func ask(_ key: String, from generation: UInt32) -> String? {
        var value = seam_str(ptr: nil, len: 0)
        key.withSeam { _ = instance.binding?.pointee.ask!(context, id, generation, $0, &value) }
        return value.text
    }

    // MARK: Late work

    /// When a deferred write arrives.
    public enum Delay: Sendable { case nextRound, nextTurn, milliseconds(Int) }

    /// A write into the model that arrives later, with the value of now.
    public func writeLater(_ key: String, _ value: (some ModelText)?, after delay: Delay = .nextRound) {
        instance.writeLater(id, key, value?.modelText, SEAM_WRITE_CAPTURED, delay)
    }

    /// A write into the model that arrives later, with what the control shows by then.
    public func rereadLater(_ key: String, after delay: Delay = .nextRound) {
        instance.writeLater(id, key, nil, SEAM_WRITE_REREAD, delay)
    }

    /// How many deferred writes of the key are on their way.
    public func inFlight(_ key: String) -> Int {
        var count: UInt32 = 0
        key.withSeam { _ = instance.late?.pointee.in_flight!(context, id, $0, &count) }
        return Int(count)
    }

    /// Lets the work happen whenever the model value changes, as long as the mount lives; asked for in a call of its
    /// control, as long as that control does.
    public func watch(_ key: String, perform: @escaping @MainActor () throws -> Void) {
        let work = PendingWork(what: nil, repeats: true, perform: perform)
        key.withSeam { _ = instance.late?.pointee.watch!(context, id, $0, work.token) }
    }

    /// Lets the work happen after make and attach, also when the control is still to be made.
    public func command(perform: @escaping @MainActor () throws -> Void) {
        let work = PendingWork(what: nil, repeats: false, perform: perform)
        _ = instance.late?.pointee.command!(context, id, work.token)
    }
}

extension Bridge {
    /// One more placement, inside another one.
    ///
    /// - Parameters:
    ///   - parent: what it lies in; nothing when left out.
    ///   - item: whose it is, for a row of a list.
    ///   - style: the second key of a pool.
    @discardableResult
    public func mount(in parent: Mount?, item: Item? = nil, style: String? = nil) throws -> Mount {
        guard let instance = Instance.current else {
            throw ScenarioError("\(id) was mounted outside of a scenario")
        }
        let mount = try instance.mount(self, in: parent?.id ?? 0, item: item, style: style)
        return Mount(instance: instance, id: mount)
    }

    /// The items of a list, each shown by a mount of this bridge.
    public func show(_ items: [Item], in parent: Mount? = nil) throws {
        guard let instance = Instance.current else {
            throw ScenarioError("items of \(id) were shown outside of a scenario")
        }
        try instance.show(items, of: self, in: parent?.id ?? 0)
    }
}

/// Something with an identity of its own that views hold: a model object, a store.
@MainActor
public struct SharedObject {
    let instance: Instance
    let number: UInt64

    /// A new object; made in a body it belongs to that evaluation. Nil outside of a scenario.
    public init?() {
        guard let instance = Instance.current else { return nil }
        var number: UInt64 = 0
        guard instance.ownership?.pointee.object_make!(instance.context, &number) == 0 else { return nil }
        self.init(instance: instance, number: number)
    }

    init(instance: Instance, number: UInt64) {
        self.instance = instance
        self.number = number
    }

    /// Whoever is subscribed is evaluated.
    public func publish() { _ = instance.ownership?.pointee.object_publish!(instance.context, number) }
    public func drop() { _ = instance.ownership?.pointee.object_drop!(instance.context, number) }

    public func isSame(as other: SharedObject) -> Bool { number == other.number }
}

@MainActor
public struct ObjectSubscription {
    let instance: Instance
    let number: UInt64

    public func cancel() { _ = instance.ownership?.pointee.unsubscribe!(instance.context, number) }
}

/// A binding that the host keeps.
@MainActor
public struct HostBinding {
    public enum Kind: Sendable {
        /// The storage itself.
        case live
        /// Another key than the one the control is named after.
        case derived
        /// A getter over a captured copy: lies until the parent is evaluated again.
        case snapshot
        /// Of an optional: goes on giving the last value, takes nothing once there is none.
        case unwrapped
        /// Of one case of an enumeration, in a model value "case:payload".
        case enumCase(String)
        case constant(String?)

        fileprivate var raw: (kind: UInt32, argument: String?) {
            switch self {
            case .live: (UInt32(SEAM_BINDING_LIVE), nil)
            case .derived: (UInt32(SEAM_BINDING_DERIVED), nil)
            case .snapshot: (UInt32(SEAM_BINDING_SNAPSHOT), nil)
            case .unwrapped: (UInt32(SEAM_BINDING_UNWRAPPED), nil)
            case .enumCase(let name): (UInt32(SEAM_BINDING_CASE), name)
            case .constant(let value): (UInt32(SEAM_BINDING_CONSTANT), value)
            }
        }
    }

    let instance: Instance
    let number: UInt64

    public var value: String? {
        get {
            var value = seam_str(ptr: nil, len: 0)
            _ = instance.binding?.pointee.binding_get!(instance.context, number, &value)
            return value.text
        }
        nonmutating set {
            newValue.withSeam { _ = instance.binding?.pointee.binding_set!(instance.context, number, $0) }
        }
    }

    /// The same control on another key.
    public func rebind(to key: String) {
        key.withSeam { _ = instance.binding?.pointee.binding_rebind!(instance.context, number, $0) }
    }

    public func unbind() { _ = instance.binding?.pointee.binding_unbind!(instance.context, number) }
}

/// A border between the writes before it and those after it, for the code that is running.
@MainActor
public func transaction() {
    guard let instance = Instance.current else { return }
    _ = instance.control?.pointee.transaction!(instance.context)
}

/// Sets or clears an environment value of the root; a model key of that name follows.
@MainActor
public func setEnvironment(_ name: String, _ value: (some ModelText)?) {
    Instance.current?.setEnvironment(0, name, value?.modelText)
}

// MARK: The instance's part

extension Instance {
    func setEnvironment(_ mount: UInt64, _ name: String, _ value: String?) {
        name.withSeam { name in
            value.withSeam { _ = environment?.pointee.environment_set!(context, mount, name, $0) }
        }
    }

    func writeLater(_ mount: UInt64, _ key: String, _ value: String?, _ how: Int, _ delay: Mount.Delay) {
        let nanoseconds: Int64 =
            switch delay {
            case .nextRound: Int64(SEAM_NEXT_ROUND)
            case .nextTurn: Int64(SEAM_NEXT_TURN)
            case .milliseconds(let count): Int64(max(count, 0)) * 1_000_000
            }
        key.withSeam { key in
            value.withSeam {
                _ = late?.pointee.write_later!(context, mount, key, $0, UInt32(how), nanoseconds)
            }
        }
    }

    static let tooOld = "this host does not offer the tables of the engine (seam.placement/1 and its like)"
}

extension Item {
    func withSeam<Result>(_ body: (seam_item_v1) throws -> Result) rethrows -> Result {
        try id.withSeam { id in try value.withSeam { try body(seam_item_v1(id: id, value: $0)) } }
    }
}

extension String? {
    /// No value for the host when there is none.
    func withSeam<Result>(_ body: (seam_str) throws -> Result) rethrows -> Result {
        guard let self else { return try body(seam_str(ptr: nil, len: 0)) }
        return try self.withSeam(body)
    }
}
