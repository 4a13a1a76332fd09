/// A value that a tree inherits.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// What a view inherits. The values are Swift's; that they were set, read, inherited and cut is the host's to keep.
public struct EnvironmentValues {
    /// One value that somebody has set in this tree, with what the host is told of it.
    private struct Entry {
        let value: Any
        let name: String
        let text: String
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var reader: Reader?

    /// Whose reads these are.
    private struct Reader {
        let mount: Mount
        /// A wrapped control has a mount of its own, so the host knows what was set above it. The views of one hosted
        /// tree share theirs: what was set inside of the tree never gets to the host.
        let isControl: Bool
    }

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            let own = entries[ObjectIdentifier(key)]?.value as? Key.Value
            guard let reader else { return own ?? Key.defaultValue }
            if let own, !reader.isControl { return own }
            let found = onMain("the environment", with: (reader.mount, Self.name(of: key), own)) {
                mount, name, own in mount.instance.readEnvironment(mount, name, own, Key.Value.self)
            }
            return (found ?? nil) ?? Key.defaultValue
        }
        set {
            let name = Self.name(of: key)
            entries[ObjectIdentifier(key)] = Entry(value: newValue, name: name, text: Self.text(of: newValue))
        }
    }

    /// An object is found by its type.
    subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
        get { entries[ObjectIdentifier(type)]?.value as? Object }
        set {
            entries[ObjectIdentifier(type)] = newValue.map {
                Entry(value: $0, name: shortName(of: type), text: Self.text(of: $0))
            }
        }
    }

    /// As a body of this mount sees it: each read is tracked there.
    func reading(for mount: Mount, isControl: Bool) -> EnvironmentValues {
        var values = self
        values.reader = Reader(mount: mount, isControl: isControl)
        return values
    }

    /// Tells the host what was set above a control.
    @MainActor func tell(_ mount: UInt64, of instance: Instance) {
        for entry in entries.values.sorted(by: { $0.name < $1.name }) {
            instance.environmentValues["\(entry.name)=\(entry.text)"] = entry.value
            instance.setEnvironmentOnce(mount, entry.name, entry.text)
        }
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

    /// The text that stands for a Swift value on the host's side.
    static func text<Value>(of value: Value) -> String {
        if let value = value as? any ModelText { return value.modelText }
        if type(of: value as Any) is AnyClass {
            return
                "\(shortName(of: Value.self))@\(UInt(bitPattern: ObjectIdentifier(value as AnyObject).hashValue))"
        }
        return "\(value)"
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
        guard let text = mount[environment: name] else { return nil }
        if let own, EnvironmentValues.text(of: own) == text { return own }
        if let known = environmentValues["\(name)=\(text)"] as? Value { return known }
        return (type as? any ModelText.Type)?.init(modelText: text) as? Value
    }

    func setEnvironmentOnce(_ mount: UInt64, _ name: String, _ text: String) {
        let key = "\(mount).\(name)"
        if environmentTexts[key] == text { return }
        environmentTexts[key] = text
        setEnvironment(mount, name, text)
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
            ? environment
            : environment.reading(for: Mount(instance: tree.instance, id: tree.mount), isControl: false)
    }
}
