/// A way to read and to write a value that lies elsewhere.
///
/// A binding that a bridge handed over remembers which copy of its parent it came with: a coordinator that keeps an
/// old one is found out when it writes.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
    let location: BindingLocation<Value>
    /// The copy of the parent that it came with.
    var stamp: BindingStamp?
    /// What it gave when the bridge handed it over.
    private var seen: Value?

    init(location: BindingLocation<Value>) { self.location = location }

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        location = ComputedLocation(get: get, set: set)
    }

    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }

    public var wrappedValue: Value {
        get { location.get() }
        nonmutating set {
            guard let stamp else { return location.set(newValue) }
            onMain("a binding", with: (stamp, location, newValue)) { stamp, location, value in
                stamp.write { location.set(value) }
            }
        }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(
        dynamicMember path: WritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        var made = Binding<Subject>(location: MemberLocation(location, path))
        made.stamp = stamp
        return made
    }

    /// The same value, as one that may be missing.
    public init<Wrapped>(_ base: Binding<Wrapped>) where Value == Wrapped? {
        self.init(get: { base.wrappedValue }, set: { if let new = $0 { base.wrappedValue = new } })
    }

    /// The value inside, as long as there is one; nil when there is none now.
    public init?(_ base: Binding<Value?>) {
        guard let first = base.wrappedValue else { return nil }
        self.init(get: { base.wrappedValue ?? first }, set: { base.wrappedValue = $0 })
    }

    @MainActor public mutating func _link(_ place: _Place) throws {
        seen = location.get()
        stamp = place.node.tree.stamp
    }
}

// Sendable: what it leads to is read and written on the main thread alone; elsewhere it is reported.
extension Binding: @unchecked Sendable where Value: Sendable {}

extension Binding: Identifiable where Value: Identifiable {
    public var id: Value.ID { wrappedValue.id }
}

extension Binding: Comparison {
    /// Another one when it gives another value than the one that was handed over: the binding itself is made anew in each
    /// evaluation.
    package func differs(from other: Any) -> Bool {
        guard let other = other as? Binding<Value>, let seen else { return true }
        return FieldLayout.differ(seen, other.location.get())
    }
}

/// What a binding leads to.
class BindingLocation<Value> {
    func get() -> Value { fatalError("a location without a value") }
    func set(_ value: Value) { fatalError("a location without a value") }
}

private final class ComputedLocation<Value>: BindingLocation<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        read = get
        write = set
    }

    override func get() -> Value { read() }
    override func set(_ value: Value) { write(value) }
}

private final class MemberLocation<Whole, Value>: BindingLocation<Value> {
    private let whole: BindingLocation<Whole>
    private let path: WritableKeyPath<Whole, Value>

    init(_ whole: BindingLocation<Whole>, _ path: WritableKeyPath<Whole, Value>) {
        self.whole = whole
        self.path = path
    }

    override func get() -> Value { whole.get()[keyPath: path] }
    override func set(_ value: Value) {
        var changed = whole.get()
        changed[keyPath: path] = value
        whole.set(changed)
    }
}
