/// A `Codable` value as texts, and back: each stored property is a key, that of a value inside it "outer.inner".
///
/// A list is no text. It is kept for the way back, and no key.
indirect enum ModelTree {
    case text(String)
    case none
    case keyed([(key: String, value: ModelTree)])
    case list([ModelTree])

    init(_ value: some Encodable) throws {
        let slot = ModelSlot()
        try slot.put(value, at: [])
        self = slot.tree
    }

    func decoded<Value: Decodable>(_ type: Value.Type, asked: AskedKeys? = nil) throws -> Value {
        try ModelDecoder(tree: self, codingPath: [], asked: asked).value(of: type)
    }

    subscript(_ path: ArraySlice<String>) -> ModelTree? {
        guard let first = path.first else { return self }
        guard case .keyed(let members) = self else { return nil }
        return members.first { $0.key == first }?.value[path.dropFirst()]
    }

    /// With another text in one place.
    func replacing(_ path: ArraySlice<String>, with new: ModelTree) -> ModelTree {
        guard let first = path.first else { return new }
        guard case .keyed(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.key == first }) {
            members[index].value = members[index].value.replacing(path.dropFirst(), with: new)
        } else if path.count == 1 {
            members.append((first, new))
        }
        return .keyed(members)
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// Which keys a value is made from, in the order in which it asks for them: also those of which it has none now.
final class AskedKeys {
    private(set) var paths: [[String]] = []
    private var known: Set<[String]> = []

    func note(_ path: [String]) { if known.insert(path).inserted { paths.append(path) } }
}

/// A key that may be any.
private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?
    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

/// The texts that the standard library's values are, and the way back.
private protocol TextValue { init?(_ text: String) }
extension String: TextValue {}
extension Bool: TextValue {}
extension Double: TextValue {}
extension Float: TextValue {}
extension Int: TextValue {}
extension Int8: TextValue {}
extension Int16: TextValue {}
extension Int32: TextValue {}
extension Int64: TextValue {}
extension UInt: TextValue {}
extension UInt8: TextValue {}
extension UInt16: TextValue {}
extension UInt32: TextValue {}
extension UInt64: TextValue {}

// MARK: Encoding

/// Where one value is put while it is encoded.
private final class ModelSlot {
    private enum Content { case none, text(String), keyed, list }
    private var content = Content.none
    private var members: [(key: String, slot: ModelSlot)] = []

    var tree: ModelTree {
        switch content {
        case .none: .none
        case .text(let text): .text(text)
        case .keyed: .keyed(members.map { ($0.key, $0.slot.tree) })
        case .list: .list(members.map(\.slot.tree))
        }
    }

    var count: Int { members.count }

    func put<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws {
        if value is any TextValue {
            content = .text("\(value)")
        } else {
            try value.encode(to: ModelEncoder(slot: self, codingPath: path))
        }
    }

    func becomeKeyed() { content = .keyed }
    func becomeList() { content = .list }
    func becomeNone() { content = .none }

    func member(_ key: String) -> ModelSlot {
        if let known = members.first(where: { $0.key == key }) { return known.slot }
        return add(key)
    }

    func add(_ key: String = "") -> ModelSlot {
        let made = ModelSlot()
        members.append((key, made))
        return made
    }
}

private struct ModelEncoder: Encoder {
    let slot: ModelSlot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.becomeKeyed()
        return KeyedEncodingContainer(Keyed<Key>(slot: slot, codingPath: codingPath))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.becomeList()
        return Unkeyed(slot: slot, codingPath: codingPath)
    }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(slot: slot, codingPath: codingPath)
    }

    // One generic method stands for the requirement of each type.
    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let slot: ModelSlot
        let codingPath: [any CodingKey]

        func encodeNil(forKey key: Key) { slot.member(key.stringValue).becomeNone() }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try slot.member(key.stringValue).put(value, at: codingPath + [key])
        }
        private func encoder(_ key: any CodingKey) -> ModelEncoder {
            ModelEncoder(slot: slot.member(key.stringValue), codingPath: codingPath + [key])
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(key).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { encoder(AnyKey(stringValue: "super")) }
        func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let slot: ModelSlot
        let codingPath: [any CodingKey]
        var count: Int { slot.count }

        private func encoder() -> ModelEncoder { ModelEncoder(slot: slot.add(), codingPath: codingPath) }
        func encodeNil() { slot.add().becomeNone() }
        func encode<Value: Encodable>(_ value: Value) throws { try slot.add().put(value, at: codingPath) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder() }
    }

    private struct Single: SingleValueEncodingContainer {
        let slot: ModelSlot
        let codingPath: [any CodingKey]

        func encodeNil() { slot.becomeNone() }
        func encode<Value: Encodable>(_ value: Value) throws { try slot.put(value, at: codingPath) }
    }
}

// MARK: Decoding

private struct ModelDecoder: Decoder {
    let tree: ModelTree
    let codingPath: [any CodingKey]
    let asked: AskedKeys?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private func mismatch(_ type: Any.Type, _ what: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: what))
    }

    func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        guard let plain = type as? any TextValue.Type else { return try Value(from: self) }
        guard let text = tree.text, let value = plain.init(text) as? Value else {
            throw mismatch(type, "no text of a \(type)")
        }
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .keyed(let members) = tree else { throw mismatch(type, "no value with keys") }
        return KeyedDecodingContainer(
            Keyed<Key>(members: members, codingPath: codingPath, asked: asked, decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements) = tree else { throw mismatch([Any].self, "no list") }
        return Unkeyed(elements: elements, codingPath: codingPath)
    }
    func singleValueContainer() -> any SingleValueDecodingContainer {
        Single(decoder: self, codingPath: codingPath)
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let members: [(key: String, value: ModelTree)]
        let codingPath: [any CodingKey]
        let asked: AskedKeys?
        let decoder: ModelDecoder

        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

        private func find(_ key: any CodingKey) -> ModelTree? {
            asked?.note((codingPath + [key]).map(\.stringValue))
            return members.first { $0.key == key.stringValue }?.value
        }
        func contains(_ key: Key) -> Bool { find(key) != nil }
        func decodeNil(forKey key: Key) -> Bool { if case .none? = find(key) { true } else { false } }

        private func decoder(_ key: any CodingKey) throws -> ModelDecoder {
            guard let tree = find(key) else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: codingPath, debugDescription: "no value for \(key.stringValue)"))
            }
            return ModelDecoder(tree: tree, codingPath: codingPath + [key], asked: asked)
        }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key).value(of: type)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { try decoder(AnyKey(stringValue: "super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    /// What lies in a list is no key of its own.
    private struct Unkeyed: UnkeyedDecodingContainer {
        let elements: [ModelTree]
        let codingPath: [any CodingKey]
        var currentIndex = 0
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        init(elements: [ModelTree], codingPath: [any CodingKey]) {
            self.elements = elements
            self.codingPath = codingPath
        }

        private mutating func next() throws -> ModelDecoder {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    Any.self, .init(codingPath: codingPath, debugDescription: "the list is at its end"))
            }
            defer { currentIndex += 1 }
            return ModelDecoder(tree: elements[currentIndex], codingPath: codingPath, asked: nil)
        }
        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, case .none = elements[currentIndex] else { return false }
            currentIndex += 1
            return true
        }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try next().value(of: type)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }
        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: ModelDecoder
        let codingPath: [any CodingKey]

        func decodeNil() -> Bool { if case .none = decoder.tree { true } else { false } }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(of: type) }
    }
}
