/// A value that a tree inherits.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// What a view inherits. The values are Swift's; that they were set, read, inherited and cut is the host's to keep.
public struct EnvironmentValues {
    /// One value that somebody has set in this tree, with what the host calls it.
    private struct Entry {
        let value: Any
        let name: String
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var reader: Reader?
    var aroundBox: AroundBox?

    /// Whose reads these are. An object, since a weak reference makes each copy of a struct expensive.
    private final class Reader {
        let mount: Mount
        /// The place in a hosted tree.
        weak var node: _Node?
        /// A wrapped control has a mount of its own, so the host knows what was set above it. The views of one hosted
        /// tree share theirs: what was set inside of the tree never gets to the host.
        let isControl: Bool

        init(mount: Mount, node: _Node?) {
            self.mount = mount
            self.node = node
            isControl = node == nil
        }
    }

    public init() {}

    /// Surely nothing but the same; where values were set it is not looked into them.
    func isSame(as other: EnvironmentValues) -> Bool {
        entries.isEmpty && other.entries.isEmpty && reader === other.reader
    }

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            let own = entries[ObjectIdentifier(key)]?.value as? Key.Value
            guard let reader else { return own ?? Key.defaultValue }
            if let own, !reader.isControl { return own }
            let found = onMain("the environment", with: (reader, Self.name(of: key), own)) {
                reader, name, own in
                reader.mount.instance.readEnvironment(
                    reader.mount, name, own, Key.Value.self, at: reader.node)
            }
            return (found ?? nil) ?? Key.defaultValue
        }
        set {
            entries[ObjectIdentifier(key)] = Entry(value: newValue, name: Self.name(of: key))
        }
    }

    /// An object is found by its type.
    subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
        get { entries[ObjectIdentifier(type)]?.value as? Object }
        set {
            entries[ObjectIdentifier(type)] = newValue.map { Entry(value: $0, name: shortName(of: type)) }
        }
    }

    /// As a body of this mount sees it: each read is tracked there.
    func reading(for mount: Mount, at node: _Node? = nil) -> EnvironmentValues {
        var values = self
        values.reader = Reader(mount: mount, node: node)
        return values
    }

    /// Tells the host what was set above a control.
    @MainActor func tell(_ mount: UInt64, of instance: Instance) {
        for entry in entries.values.sorted(by: { $0.name < $1.name }) {
            let text = instance.environmentText(of: entry.value)
            instance.environmentValues["\(entry.name)=\(text)"] = entry.value
            instance.setEnvironmentOnce(mount, entry.name, text)
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
}

extension Instance {
    /// What the host says is inherited here, as the value that stands for it.
    func readEnvironment<Value>(
        _ mount: Mount, _ name: String, _ own: Value?, _ type: Value.Type, at node: _Node?
    ) -> Value? {
        // Without a host nothing is cut.
        if isRehearsal {
            return own ?? environmentValues.first { $0.key.hasPrefix("\(name)=") }?.value as? Value
        }
        let text = mount[environment: name]
        node?.noteInherited(name, text)
        guard let text else { return nil }
        if let own, environmentText(of: own) == text { return own }
        if let known = environmentValues["\(name)=\(text)"] as? Value { return known }
        return (type as? any ModelText.Type)?.init(modelText: text) as? Value
    }

    /// The text that stands for a Swift value on the host's side; an object has a number, the same in each run.
    func environmentText(of value: Any) -> String {
        if let value = value as? any ModelText { return value.modelText }
        let type = type(of: value)
        if type is AnyClass { return "\(shortName(of: type))#\(number(of: value as AnyObject))" }
        return "\(value)"
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
    private let object: (@MainActor (_Node) -> Value?)?
    private var value: Value?

    public init(_ path: KeyPath<EnvironmentValues, Value>) {
        self.path = path
        object = nil
    }

    /// An `@Observable` object, by its type.
    public init(_ type: Value.Type) where Value: AnyObject {
        path = nil
        object = { $0.findObject(type) }
    }

    /// The same for an object that may not be there.
    public init<Object: AnyObject>(_ type: Object.Type) where Value == Object? {
        path = nil
        object = { .some($0.findObject(type)) }
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
            value = object(place.node)
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
            : environment.reading(for: Mount(instance: tree.instance, id: tree.mount), at: self)
    }

    /// A value that came from outside of the tree: looked at again whenever the host draws.
    func noteInherited(_ name: String, _ text: String?) {
        inherited[name] = .some(text)
        tree.readers[ObjectIdentifier(self)] = Unchecked(self)
    }
}
