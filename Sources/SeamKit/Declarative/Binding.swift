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
                stamp.current(for: location).write { location.set(value) }
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

/// A binding, whatever its value is.
protocol AnyBinding {
    var place: any BindingPlace { get }
}

extension Binding: AnyBinding {
    var place: any BindingPlace { location }
}

/// Where a binding leads to, whatever the value there is.
protocol BindingPlace: AnyObject {
    /// What tells it from other places; nil where its functions alone know.
    var identity: AnyHashable? { get }
    /// What it is a part of.
    var whole: (any BindingPlace)? { get }
}

extension BindingPlace {
    /// Whether a write there is one here, or in a part of this; as far as can be told.
    func contains(_ other: any BindingPlace) -> Bool {
        guard let identity else { return true }
        var here: (any BindingPlace)? = other
        while let place = here {
            guard let known = place.identity else { return true }
            if known == identity { return true }
            here = place.whole
        }
        return false
    }
}

/// What a binding leads to.
class BindingLocation<Value>: BindingPlace {
    func get() -> Value { fatalError("a location without a value") }
    func set(_ value: Value) { fatalError("a location without a value") }
    var identity: AnyHashable? { AnyHashable(ObjectIdentifier(self)) }
    var whole: (any BindingPlace)? { nil }
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
    override var identity: AnyHashable? { nil }
}

private final class MemberLocation<Whole, Value>: BindingLocation<Value> {
    private let outer: BindingLocation<Whole>
    private let path: WritableKeyPath<Whole, Value>

    init(_ outer: BindingLocation<Whole>, _ path: WritableKeyPath<Whole, Value>) {
        self.outer = outer
        self.path = path
    }

    override func get() -> Value { outer.get()[keyPath: path] }
    override func set(_ value: Value) {
        var changed = outer.get()
        changed[keyPath: path] = value
        outer.set(changed)
    }
    /// Made anew in each evaluation, and the same place as long as it is the same part of the same whole.
    override var identity: AnyHashable? { outer.identity.map { AnyHashable([$0, AnyHashable(path)]) } }
    override var whole: (any BindingPlace)? { outer }
}
