/// A model object that the view looks at: whichever its value holds now. It is not the view's own.
@propertyWrapper
@dynamicMemberLookup
public struct ObservedObject<Object: ObservableObject>: DynamicProperty {
    public var wrappedValue: Object

    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
    public init(initialValue: Object) { wrappedValue = initialValue }

    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }

    public subscript<Subject>(
        dynamicMember path: ReferenceWritableKeyPath<Object, Subject>
    ) -> Binding<Subject> { projectedValue[dynamicMember: path] }

    /// Leads to bindings of the object's properties.
    @dynamicMemberLookup
    public struct Wrapper {
        let object: Object
        public subscript<Subject>(
            dynamicMember path: ReferenceWritableKeyPath<Object, Subject>
        ) -> Binding<Subject> {
            let object = object
            return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
        }
    }

    @MainActor public mutating func _link(_ place: _Place) throws {
        place.node.observe(wrappedValue, in: place.name, isOwned: false)
    }
}

extension ObservedObject: Comparison {
    package func differs(from other: Any) -> Bool {
        (other as? ObservedObject<Object>)?.wrappedValue !== wrappedValue
    }
}

/// Leads to bindings of an `@Observable` object that is somebody else's. Who reads such a binding in a body has read the
/// property: that body is evaluated when it changes, and no other.
@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Object: AnyObject>: DynamicProperty {
    public var wrappedValue: Object

    public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
    public init(_ object: Object) { wrappedValue = object }
    public init(projectedValue: Bindable<Object>) { self = projectedValue }

    public var projectedValue: Bindable<Object> { self }

    public subscript<Subject>(
        dynamicMember path: ReferenceWritableKeyPath<Object, Subject>
    ) -> Binding<Subject> {
        let object = wrappedValue
        return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
    }

    @MainActor public mutating func _link(_ place: _Place) {}
}

extension Bindable: Comparison {
    package func differs(from other: Any) -> Bool {
        (other as? Bindable<Object>)?.wrappedValue !== wrappedValue
    }
}

/// A model object of the view's own: made once for each identity, whatever is constructed later.
@propertyWrapper
public struct StateObject<Object: ObservableObject>: DynamicProperty {
    private let make: () -> Object
    private var holder: ObjectHolder<Object>?

    public init(wrappedValue: @autoclosure @escaping () -> Object) { make = wrappedValue }

    public var wrappedValue: Object { holder?.object ?? make() }
    public var projectedValue: ObservedObject<Object>.Wrapper { .init(object: wrappedValue) }

    @MainActor public mutating func _link(_ place: _Place) throws {
        let make = make
        let holder = place.storage { ObjectHolder(make()) }
        self.holder = holder
        place.node.observe(holder.object, in: place.name, isOwned: true)
    }
}

final class ObjectHolder<Object> {
    let object: Object
    init(_ object: Object) { self.object = object }
}

/// A model object that somebody above has put into the environment, found by its type.
@propertyWrapper
public struct EnvironmentObject<Object: ObservableObject>: DynamicProperty {
    private var object: Object?

    public init() {}

    public var wrappedValue: Object {
        guard let object else { fatalError(MissingObject(type: "\(Object.self)").description) }
        return object
    }
    public var projectedValue: ObservedObject<Object>.Wrapper { .init(object: wrappedValue) }

    @MainActor public mutating func _link(_ place: _Place) throws {
        guard let found = place.node.findObject(Object.self) else {
            throw MissingObject(type: "\(Object.self)")
        }
        object = found
        place.node.observe(found, in: place.name, isOwned: false)
    }
}

/// What ends a subscription of a place.
@MainActor
package final class ObjectSubscriptionRecord {
    let object: ObjectIdentifier
    private let cancellable: AnyCancellable

    init(_ object: AnyObject, _ cancellable: AnyCancellable) {
        self.object = ObjectIdentifier(object)
        self.cancellable = cancellable
    }

    func cancel() { cancellable.cancel() }
}

extension _Node {
    /// The view that stands here is evaluated when the object says that it will change. The host is told who holds it.
    func observe<Object: ObservableObject>(_ object: Object, in slot: String, isOwned: Bool) {
        if subscriptions[slot]?.object == ObjectIdentifier(object) { return }
        subscriptions[slot]?.cancel()
        let place = Unchecked(self)
        subscriptions[slot] = ObjectSubscriptionRecord(
            object,
            object.objectWillChange.sink { _ in
                onMain("an observable object") { place.value?.invalidate(.observed) }
            })
        tree.instance.hold(object, in: "\(scope).\(slot)", owned: isOwned, tree.mount)
    }

    func findObject<Object: AnyObject>(_ type: Object.Type) -> Object? {
        if let own = environment[object: type] { return own }
        guard tree.mount != 0 else { return nil }
        let mount = Mount(instance: tree.instance, id: tree.mount)
        return tree.instance.readEnvironment(mount, shortName(of: type), nil, type, at: self)
    }
}
