extension ScreenScenario {
    /// What the model says, as a whole: each stored property of the value is a key, that of a value inside it
    /// "outer.inner". A client's write reaches the property. A list is no text, and no key.
    ///
    ///     ScreenScenario("mine.note") { NoteController() }.model(\.note)
    ///     ScreenScenario("mine.note", model: Note()) { $note in NoteView(note: note) }.model(\.self)
    public func model<Value: Codable>(_ path: WritableKeyPath<Source, Value>) -> Self {
        adding { box in
            let whole = WholeValue(
                read: { box.value[keyPath: path] }, write: { box.value[keyPath: path] = $0 })
            return try whole.keys()
        }
    }

    /// What the model says, as the state object itself: each of its stored properties that is a text, a number or a flag.
    /// A client's write reaches those that are `@Published`; the others do not hear of it.
    ///
    ///     ScreenScenario("mine.tasks", object: Store()) { store in TasksView(store: store) }.model(\.self)
    @_disfavoredOverload
    public func model<Object: AnyObject>(_ path: KeyPath<Source, Object>) -> Self {
        adding { box in
            let names = ObjectText.names(of: box.value[keyPath: path])
            if names.isEmpty {
                throw ScenarioError(
                    "\(Object.self) has no stored property that is a text, a number or a flag: say what the model knows, "
                        + ".model(Key(\"name\", \\.property))")
            }
            return names.map { name, isPublished in
                let read: @MainActor () -> String? = { ObjectText.text(name, in: box.value[keyPath: path]) }
                var write: (@MainActor (String?) -> Bool)?
                if isPublished { write = { ObjectText.take($0, name, in: box.value[keyPath: path]) } }
                return Stage.ModelKey(name: name, read: read, write: write)
            }
        }
    }
}

/// A value that is read and written as a whole, key by key.
@MainActor
private final class WholeValue<Value: Codable> {
    private let read: @MainActor () -> Value
    private let write: @MainActor (Value) -> Void

    init(read: @escaping @MainActor () -> Value, write: @escaping @MainActor (Value) -> Void) {
        self.read = read
        self.write = write
    }

    func keys() throws -> [Stage.ModelKey] {
        let tree = try ModelTree(read())
        let asked = AskedKeys()
        do { _ = try tree.decoded(Value.self, asked: asked) } catch {
            throw ScenarioError("\(Value.self) can't be made again from what it was encoded to: \(error)")
        }
        let keys = asked.paths.compactMap { path -> Stage.ModelKey? in
            switch tree[path[...]] {
            case .keyed?, .list?: nil
            case .text?, ModelTree.none?, nil: key(path)
            }
        }
        if keys.isEmpty {
            throw ScenarioError(
                "\(Value.self) has no stored property that is one text: say what the model knows, "
                    + ".model(Key(\"name\", \\.property))")
        }
        return keys
    }

    private func key(_ path: [String]) -> Stage.ModelKey {
        Stage.ModelKey(
            name: path.joined(separator: "."),
            read: { [self] in (try? ModelTree(read()))?[path[...]]?.text },
            write: { [self] text in
                let new = text.map(ModelTree.text) ?? ModelTree.none
                guard let tree = try? ModelTree(read()).replacing(path[...], with: new),
                    let value = try? tree.decoded(Value.self)
                else { return false }
                write(value)
                return true
            })
    }
}

/// The stored properties of an object, as texts.
@MainActor
private enum ObjectText {
    private static func properties(of object: AnyObject) -> [(name: String, value: Any)] {
        var all: [(String, Any)] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        var levels: [Mirror] = []
        while let level = mirror {
            levels.insert(level, at: 0)
            mirror = level.superclassMirror
        }
        for (label, value) in levels.flatMap(\.children) {
            // Wrapped and observed properties have an underscore before their storage.
            if let label { all.append((label.hasPrefix("_") ? String(label.dropFirst()) : label, value)) }
        }
        return all
    }

    static func names(of object: AnyObject) -> [(name: String, isPublished: Bool)] {
        properties(of: object).compactMap { name, value in
            if let published = value as? any AnyPublished {
                return published.anyBox.isText ? (name, true) : nil
            }
            return isText(type(of: value)) ? (name, false) : nil
        }
    }

    static func text(_ name: String, in object: AnyObject) -> String? {
        guard let value = properties(of: object).first(where: { $0.name == name })?.value else { return nil }
        return SeamKit.text(of: (value as? any AnyPublished)?.anyBox.held ?? value)
    }

    static func take(_ text: String?, _ name: String, in object: AnyObject) -> Bool {
        let value = properties(of: object).first { $0.name == name }?.value
        return (value as? any AnyPublished)?.anyBox.take(text) ?? false
    }
}

/// Whether a value of the type is a text in the model, or none.
func isText(_ type: Any.Type) -> Bool { type is any ModelText.Type || type is any OptionalText.Type }

func text(of value: Any) -> String? {
    if let optional = value as? any OptionalText { return optional.innerText }
    return (value as? any ModelText)?.modelText
}

/// The value of the type that a text stands for; nil for none.
func value<Value>(_ type: Value.Type, from text: String?) -> Value? {
    if let optional = type as? any OptionalText.Type { return optional.make(text) as? Value }
    return text.flatMap { (type as? any ModelText.Type)?.init(modelText: $0) as? Value }
}

/// An optional of something that is a text.
protocol OptionalText {
    var innerText: String? { get }
    /// An optional in the outcome: the inner one may well be none.
    static func make(_ text: String?) -> Any?
}

extension Optional: OptionalText where Wrapped: ModelText {
    var innerText: String? { self?.modelText }
    static func make(_ text: String?) -> Any? {
        guard let text else { return Self.none as Any }
        return Wrapped(modelText: text).map { Self.some($0) as Any }
    }
}
