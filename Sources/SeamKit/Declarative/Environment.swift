/// A value that a tree inherits.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// What a view inherits. The values are Swift's; that they were set, read, inherited and cut is the host's to keep.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    private var reader: Mount?

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            let own = values[ObjectIdentifier(key)] as? Key.Value
            guard let reader else { return own ?? Key.defaultValue }
            let found = onMain("the environment", with: (reader, Self.name(of: key), own)) {
                reader, name, own in
                reader.instance.readEnvironment(reader, name, own, Key.Value.self)
            }
            return (found ?? own) ?? Key.defaultValue
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// As a body of this mount sees it: each read is tracked there.
    func reading(for mount: Mount) -> EnvironmentValues {
        var values = self
        values.reader = mount
        return values
    }

    /// An object is found by its type.
    subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
        get { values[ObjectIdentifier(type)] as? Object }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    /// "locale" for a `LocaleKey`.
    static func name(of key: Any.Type) -> String {
        var name = shortName(of: key)
        for suffix in ["EnvironmentKey", "Key"] where name.hasSuffix(suffix) && name.count > suffix.count {
            name.removeLast(suffix.count)
            break
        }
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}

extension Instance {
    /// What the host says is inherited here, as the value that stands for it.
    func readEnvironment<Value>(
        _ mount: Mount, _ name: String, _ own: Value?, _ type: Value.Type
    ) -> Value? {
        // Without a host nothing is cut.
        if isRehearsal {
            return own ?? environmentValues.first { $0.key.hasPrefix("\(name)=") }?.value as? Value
        }
        if let own { setEnvironmentOnce(mount.id, name, text(of: own)) }
        guard let text = mount[environment: name] else { return nil }
        if let own, self.text(of: own) == text { return own }
        if let known = environmentValues["\(name)=\(text)"] as? Value { return known }
        return (type as? any ModelText.Type)?.init(modelText: text) as? Value
    }

    /// The text that stands for a Swift value on the host's side.
    private func text<Value>(of value: Value) -> String {
        if let value = value as? any ModelText { return value.modelText }
        if Value.self is AnyObject.Type {
            return "\(shortName(of: Value.self))#\(number(of: value as AnyObject))"
        }
        return "\(value)"
    }

    private func setEnvironmentOnce(_ mount: UInt64, _ name: String, _ text: String) {
        let key = "\(mount).\(name)"
        if environmentTexts[key] == text { return }
        environmentTexts[key] = text
        setEnvironment(mount, name, text)
    }

    func provide<Value>(_ name: String, _ value: Value) {
        environmentValues["\(name)=\(text(of: value))"] = value
    }
}

/// A value that the view inherits; a later change of it evaluates the view again.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>?
    private let object: (@MainActor (EnvironmentValues) -> Value?)?
    private var value: Value?

    public init(_ path: KeyPath<EnvironmentValues, Value>) {
        self.path = path
        object = nil
    }

    /// An `@Observable` object, by its type.
    public init(_ type: Value.Type) where Value: AnyObject {
        path = nil
        object = { $0[object: type] }
    }

    public var wrappedValue: Value {
        if let value { return value }
        if let path { return EnvironmentValues()[keyPath: path] }
        fatalError("no object of type \(Value.self) was put into the environment above this view")
    }

    @MainActor public mutating func _link(_ place: _Place) throws {
        if let path {
            value = place.node.readableEnvironment[keyPath: path]
        } else if let object {
            value = object(place.node.environment)
            if value == nil { throw MissingObject(type: "\(Value.self)") }
        }
    }
}

struct MissingObject: Error, CustomStringConvertible {
    let type: String
    var description: String {
        "the view reads its state (\(type)) from the environment, and nobody called environmentObject(_:) above it"
    }
}

extension _Node {
    var readableEnvironment: EnvironmentValues {
        tree.mount == 0
            ? environment : environment.reading(for: Mount(instance: tree.instance, id: tree.mount))
    }
}
