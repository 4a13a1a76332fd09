/// Which field somebody types into: the view writes it, and so does whoever types.
@propertyWrapper
public struct FocusState<Value: Hashable>: DynamicProperty {
    private var state: State<Value>

    public init() where Value == Bool { state = State(wrappedValue: false) }
    public init<Field: Hashable>() where Value == Field? { state = State(wrappedValue: nil) }

    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }
    public var projectedValue: Binding { Binding(binding: state.projectedValue) }

    @propertyWrapper
    public struct Binding {
        let binding: SeamKit.Binding<Value>
        public var wrappedValue: Value {
            get { binding.wrappedValue }
            nonmutating set { binding.wrappedValue = newValue }
        }
        public var projectedValue: Binding { self }
        init(binding: SeamKit.Binding<Value>) { self.binding = binding }
    }

    @MainActor public mutating func _link(_ place: _Place) throws { try state._link(place) }
}

extension View {
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View {
        focused(condition, equals: true, without: false)
    }
    public func focused<Value: Hashable>(_ binding: FocusState<Value?>.Binding, equals value: Value?)
        -> some View
    {
        focused(binding, equals: value, without: nil)
    }

    private func focused<Value: Hashable>(
        _ binding: FocusState<Value>.Binding, equals value: Value, without none: Value
    ) -> some View {
        ModifiedView(content: self) { node in
            node.environment.around.didFocus = { binding.wrappedValue = value }
            // Unless the view has moved it on to another field.
            node.environment.around.didBlur = {
                if binding.wrappedValue == value { binding.wrappedValue = none }
            }
        }
    }

    /// Runs when somebody types the line break that ends a text.
    public func onSubmit(_ action: @escaping @MainActor () -> Void) -> some View {
        ModifiedView(content: self) { $0.environment.around.submit = action }
    }
}

/// A value that outlives the view: kept for one simulation, which begins with none.
@propertyWrapper
public struct AppStorage<Value>: DynamicProperty {
    private let initial: Value
    private let key: String
    private var location: StoredLocation<Value>?

    public init(wrappedValue: Value, _ key: String) { (initial, self.key) = (wrappedValue, key) }
    public init(_ key: String) where Value: ExpressibleByNilLiteral { (initial, self.key) = (nil, key) }

    public var wrappedValue: Value {
        get { location?.get() ?? initial }
        nonmutating set { location?.set(newValue) }
    }
    public var projectedValue: Binding<Value> {
        location.map { Binding(location: $0) } ?? .constant(initial)
    }

    @MainActor public mutating func _link(_ place: _Place) throws {
        location = StoredLocation(key, initial, place.node.tree.instance)
        location?.isRead(by: place.node)
    }
}

/// The same for one scene; here there is one.
public typealias SceneStorage = AppStorage

/// What was stored in one simulation under one name, and who has read it.
@MainActor
final class StoredValue {
    var value: Any?
    var readers: [Unchecked<_Node>] = []
}

// `@unchecked Sendable`: what it leads to is read and written on the main thread alone; elsewhere that is reported.
private final class StoredLocation<Value>: BindingLocation<Value>, @unchecked Sendable {
    private let stored: StoredValue
    private let key: String
    private let initial: Value

    @MainActor init(_ key: String, _ initial: Value, _ instance: Instance) {
        (self.key, self.initial) = (key, initial)
        stored = instance.stored[key] ?? StoredValue()
        instance.stored[key] = stored
    }

    @MainActor func isRead(by node: _Node) {
        if !stored.readers.contains(where: { $0.value === node }) { stored.readers.append(Unchecked(node)) }
    }

    override func get() -> Value {
        onMain("the stored value \(key)", with: stored) { $0.value as? Value }.flatMap { $0 } ?? initial
    }

    override func set(_ value: Value) {
        onMain("the stored value \(key)", with: (stored, value)) { stored, value in
            stored.value = value
            stored.readers.removeAll { $0.value == nil }
            for reader in stored.readers { reader.value?.invalidate(.state) }
        }
    }
}

/// A size that grows with the type that somebody asks for. Nobody does here, so it stays as it is.
@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    public let wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(wrappedValue: Value, relativeTo style: Font.TextStyle) { self.wrappedValue = wrappedValue }
    @MainActor public mutating func _link(_ place: _Place) {}
}
