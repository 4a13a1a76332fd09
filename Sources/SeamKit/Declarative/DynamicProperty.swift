/// A property of a view that has its storage outside of the view's value.
public protocol DynamicProperty {
    mutating func update()
    /// Finds the storage at the place where the view stands.
    @MainActor mutating func _link(_ place: _Place) throws
}

extension DynamicProperty {
    public mutating func update() {}

    /// One that is made of others: each of them has its own.
    @MainActor public mutating func _link(_ place: _Place) throws {
        try FieldLayout.link(&self, at: place.node, prefix: place.name + ".")
        update()
    }
}

/// Where a dynamic property of a view has its storage.
@MainActor
public struct _Place {
    package let node: _Node
    package let name: String

    func storage<Storage: AnyObject>(_ make: () -> Storage) -> Storage {
        if let known = node.locations[name] as? Storage { return known }
        let made = make()
        node.locations[name] = made
        return made
    }
}

/// One value that a view keeps for itself, as long as it has its identity.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let initial: Value
    private var location: StateLocation<Value>?

    public init(wrappedValue: Value) { initial = wrappedValue }
    public init(initialValue: Value) { initial = initialValue }

    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.set(newValue) }
    }

    public var projectedValue: Binding<Value> {
        guard let location else { return .constant(initial) }
        return Binding(location: location)
    }

    @MainActor public mutating func _link(_ place: _Place) throws {
        location = place.storage { StateLocation(initial, node: place.node, name: place.name) }
    }
}

// Sendable: the storage is read and written on the main thread alone; whoever does so elsewhere is reported.
extension State: @unchecked Sendable where Value: Sendable {}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

/// Where a view's own value lies. Views are values and come and go; this stays with the place.
final class StateLocation<Value>: BindingLocation<Value>, @unchecked Sendable {
    // Sendable: see `State`.
    private(set) var value: Value
    @MainActor private weak var node: _Node?
    private let name: String

    @MainActor init(_ value: Value, node: _Node, name: String) {
        self.value = value
        self.node = node
        self.name = name
    }

    override func get() -> Value { value }

    override func set(_ new: Value) {
        onMain("the state \(name)", with: (self, new)) { location, new in location.store(new) }
    }

    @MainActor private func store(_ new: Value) {
        guard let node else { return }
        guard node.tree.instance.admitsWrite(to: "\(node.scope).\(name)", "\(new)") else { return }
        let isOther = (value as? any Equatable).map { Self.isOther($0, new) } ?? true
        value = new
        if isOther {
            node.tree.instance.noteState(of: node, "\(node.scope).\(name)", "\(new)")
            node.invalidate(.state)
        }
    }

    private static func isOther<Old: Equatable>(_ old: Old, _ new: Any) -> Bool {
        (new as? Old).map { $0 != old } ?? true
    }
}
