/// A value that the model can hold, as the text that stands for it there.
public protocol ModelText {
    /// Nil for a text that stands for no such value.
    init?(modelText: String)
    var modelText: String { get }
    /// Whether that is `modelText`: what a number has to be written out for need not be found out so.
    func isModelText(_ text: String) -> Bool
}

extension ModelText {
    public func isModelText(_ text: String) -> Bool { modelText == text }
}

extension String: ModelText {
    public init?(modelText: String) { self = modelText }
    public var modelText: String { self }
}

extension Int: ModelText {
    public init?(modelText: String) { self.init(modelText) }
    public var modelText: String { String(self) }
    /// From the last digit on. Asked of each key after each piece of code, where nearly always nothing has changed.
    public func isModelText(_ text: String) -> Bool {
        let digits = text.utf8Span.span
        var rest = magnitude
        var place = digits.count
        let first = self < 0 ? 1 : 0
        repeat {
            place -= 1
            if place < first || digits[place] != UInt8(48 + rest % 10) { return false }
            rest /= 10
        } while rest != 0
        return place == first && (first == 0 || digits[0] == UInt8(ascii: "-"))
    }
}

extension Bool: ModelText {
    public init?(modelText: String) { self.init(modelText) }
    public var modelText: String { self ? "true" : "false" }
}

extension Double: ModelText {
    public init?(modelText: String) { self.init(modelText) }
    public var modelText: String { String(self) }
}

/// A state struct whose properties are keys of the model.
///
///     struct SummaryState: ModelState {
///         var title = "Tasks"
///         var openCount = 3
///         static var keys: [Key<Self>] { [Key("title", \.title), Key("openCount", \.openCount)] }
///     }
@MainActor
public protocol ModelState {
    init()
    static var keys: [Key<Self>] { get }
}

/// One key of the model and the property that stands for it.
///
/// Keys are read after each callback. A key path that is written where the key is made, and gets here as a closure, is
/// looked through by the optimiser: the property is read as if the code said so, where a key path takes 2,400 instructions.
@MainActor
public struct Key<State> {
    @usableFromInline let name: String
    @usableFromInline let path: PartialKeyPath<State>
    @usableFromInline let read: @MainActor (State) -> String?
    /// Whether the property of the state that lies there says this text. Told by the address: a state handed over as a value of
    /// an open type is copied for each key.
    @usableFromInline let says: @MainActor (UnsafeRawPointer, String?) -> Bool
    /// Whether the text could be taken over; none for a property that is computed from others.
    @usableFromInline let write: (@MainActor (inout State, String?) -> Bool)?

    @inlinable @inline(__always)
    public init<Value: ModelText>(
        _ name: String, _ path: @autoclosure @escaping @MainActor () -> WritableKeyPath<State, Value>
    ) {
        self.name = name
        self.path = path()
        read = { $0[keyPath: path()].modelText }
        says = { state, text in
            guard let text else { return false }
            // Whoever asks gives the address of a `State`.
            return state.assumingMemoryBound(to: State.self).pointee[keyPath: path()].isModelText(text)
        }
        write = { state, text in
            guard let text, let value = Value(modelText: text) else { return false }
            state[keyPath: path()] = value
            return true
        }
    }

    /// Nil is no value in the model, which is not the empty text.
    @inlinable @inline(__always)
    public init<Value: ModelText>(
        _ name: String, _ path: @autoclosure @escaping @MainActor () -> WritableKeyPath<State, Value?>
    ) {
        self.name = name
        self.path = path()
        read = { $0[keyPath: path()]?.modelText }
        says = { state, text in
            // As above.
            guard let value = state.assumingMemoryBound(to: State.self).pointee[keyPath: path()] else {
                return text == nil
            }
            guard let text else { return false }
            return value.isModelText(text)
        }
        write = { state, text in
            guard let text else {
                state[keyPath: path()] = nil
                return true
            }
            guard let value = Value(modelText: text) else { return false }
            state[keyPath: path()] = value
            return true
        }
    }

    /// A key that is computed: published with the others, never read back.
    @inlinable @inline(__always)
    public init<Value: ModelText>(
        _ name: String, computed path: @autoclosure @escaping @MainActor () -> KeyPath<State, Value>
    ) {
        self.name = name
        self.path = path()
        read = { $0[keyPath: path()].modelText }
        says = { state, text in
            guard let text else { return false }
            // Whoever asks gives the address of a `State`.
            return state.assumingMemoryBound(to: State.self).pointee[keyPath: path()].isModelText(text)
        }
        write = nil
    }
}

/// The keys of a state type, made once: the requirement builds a new array each time it is asked.
@MainActor
enum Keys {
    private static var known: [ObjectIdentifier: Any] = [:]

    static func of<State: ModelState>(_ type: State.Type) -> [Key<State>] {
        if let keys = known[ObjectIdentifier(type)] as? [Key<State>] { return keys }
        let keys = State.keys
        known[ObjectIdentifier(type)] = keys
        return keys
    }
}

/// The scenario's state, kept in the model: reading it reads the model as it is now, writing it writes the
/// keys that differ. Clients write the same keys, so a copy of it grows old: that is the point.
@MainActor
@propertyWrapper
public struct Model<State: ModelState> {
    private let store: ModelStore<State>

    public init(wrappedValue: State) { store = ModelStore(wrappedValue) }

    public var wrappedValue: State {
        get { store.load() }
        nonmutating set { store.save(newValue) }
    }
}

/// What a running instance does with its models without knowing their types.
@MainActor
protocol Publishable: AnyObject {
    func publish() throws
}

@MainActor
final class ModelStore<State: ModelState>: Publishable {
    private let keys = Keys.of(State.self)
    private let instance = Instance.current
    /// The value before the model is there, then the last one read: what a text that can't be read leaves in
    /// place.
    private var latest: State
    private var isPublished = false

    init(_ initial: State) {
        latest = initial
        instance?.models.append(self)
    }

    func publish() throws {
        guard let instance else { return }
        for key in keys { try instance.setModel(key.name, key.read(latest)) }
        isPublished = true
    }

    func load() -> State {
        guard isPublished, let instance else { return latest }
        for key in keys {
            guard let write = key.write, let text = instance.model(key.name) else { continue }
            if !write(&latest, text) { instance.reportUnreadable(key.name, text) }
        }
        return latest
    }

    func save(_ state: State) {
        guard isPublished, let instance else {
            latest = state
            return
        }
        for key in keys {
            let text = key.read(state)
            // A refusal has been reported by the host, with the place; a property can't throw.
            if text != instance.model(key.name) { try? instance.setModel(key.name, text) }
        }
        latest = state
    }
}

/// What a bridge carried across: one copy of the state, and bindings back to the model. A property whose key
/// has no value, or a text that is none of its type (which is reported), has its initial value in the copy.
@MainActor
@dynamicMemberLookup
public struct Carried<State: ModelState> {
    public let state: State
    let mount: Mount
    let generation: UInt32

    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { state[keyPath: path] }

    /// A way back to the model, through this copy: whoever keeps it while newer copies come is found out.
    public func binding<Value: ModelText>(_ path: WritableKeyPath<State, Value>) -> Binding<Value> {
        binding(path, snapshot: state[keyPath: path])
    }

    /// The same for a value that may not be there, as an editor that always shows something needs it.
    public func binding<Value: ModelText>(
        _ path: WritableKeyPath<State, Value?>, or missing: Value
    ) -> Binding<Value> {
        binding(path, snapshot: state[keyPath: path] ?? missing)
    }

    private func binding<Value: ModelText>(_ path: PartialKeyPath<State>, snapshot: Value) -> Binding<Value> {
        guard let key = Keys.of(State.self).first(where: { $0.path == path }) else {
            fatalError("\(State.self).keys has no key for \(path)")
        }
        return Binding(location: ModelLocation(mount, generation, key.name, snapshot))
    }

    /// - Parameter keys: those of the inputs, in their order.
    init(_ keys: [Key<State>], _ inputs: Inputs, mount: Mount) {
        var state = State()
        // Not `keys.indices`: for keys of any state that is a generic type, looked up each time (1,300 instructions).
        for index in 0..<keys.count {
            guard let write = keys[index].write else { continue }
            let text = inputs[index]
            if !write(&state, text), let text { mount.instance.reportUnreadable(keys[index].name, text) }
        }
        self.state = state
        self.mount = mount
        generation = inputs.generation
    }
}

/// A value of the model, held by a copy of a view.
///
/// Reading gives the model's value of now, as a binding to living storage does; writing goes to the model,
/// and says through which copy it went.
final class ModelLocation<Value: ModelText>: BindingLocation<Value>, @unchecked Sendable {
    // Sendable: what it leads to is asked on the main thread alone.
    private let mount: Mount
    private let generation: UInt32
    private let key: String
    private let snapshot: Value

    init(_ mount: Mount, _ generation: UInt32, _ key: String, _ snapshot: Value) {
        self.mount = mount
        self.generation = generation
        self.key = key
        self.snapshot = snapshot
    }

    override func get() -> Value {
        onMain("a binding") {
            guard let text = mount.instance.model(key), let value = Value(modelText: text) else {
                return snapshot
            }
            return value
        } ?? snapshot
    }

    override func set(_ value: Value) {
        onMain("a binding", with: value.modelText) { text in
            mount.instance.bind(mount.id, generation, key, text)
        }
    }
}
