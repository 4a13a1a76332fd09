internal import Glibc
@_spi(Reflection) import Swift

/// Where the stored properties of a struct lie, asked of the runtime once for each type.
///
/// A view's dynamic properties are given their storage in place, before its body runs, and two values of a
/// representable are compared property by property: neither can be asked of the type itself.
@MainActor
package final class FieldLayout {
    package struct Property {
        let name: String
        let offset: Int
        let size: Int
        let type: Any.Type
    }

    package let properties: [Property]
    /// Those that have a storage of their own.
    let dynamic: [(property: Property, type: any DynamicProperty.Type)]
    private let type: Any.Type
    private let isEmpty: Bool
    /// The first that has an id.
    private let item: (property: Property, type: any Identifiable.Type)?
    /// What a modifier stands around.
    private let content: (property: Property, type: any View.Type)?
    /// Those that hold a control.
    private let controls: [(property: Property, type: any _NativeControl.Type)]

    /// Found when somebody writes through an older one: most types are never asked.
    private lazy var bindings: [(property: Property, type: any AnyBinding.Type)] = properties.compactMap {
        property in (property.type as? any AnyBinding.Type).map { (property, $0) }
    }

    private static var known: [ObjectIdentifier: FieldLayout] = [:]

    package static func of(_ type: Any.Type) -> FieldLayout {
        if let layout = known[ObjectIdentifier(type)] { return layout }
        let layout = FieldLayout(type)
        known[ObjectIdentifier(type)] = layout
        return layout
    }

    private init(_ type: Any.Type) {
        func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
        self.type = type
        isEmpty = _openExistential(type, do: size) == 0
        var properties: [Property] = []
        // Nothing but structs and tuples is taken apart: a class is compared by its identity, and of an existential type the
        // runtime would look for a value that is not there.
        let isTakenApart = [.struct, .tuple].contains(Self.kind(of: type))
        _ =
            isTakenApart
            && _forEachField(of: type) { name, offset, type, _ in
                properties.append(
                    Property(
                        name: Self.plain(String(cString: name)), offset: offset,
                        size: _openExistential(type, do: size), type: type))
                return true
            }
        self.properties = properties
        dynamic = properties.compactMap { property in
            (property.type as? any DynamicProperty.Type).map { (property, $0) }
        }
        // Objects have no other id than their address.
        item =
            properties.lazy.compactMap { property in
                property.type is AnyClass
                    ? nil : (property.type as? any Identifiable.Type).map { (property, $0) }
            }.first
        content =
            type is any Part.Type
            ? properties.first { $0.name == "content" }.flatMap { property in
                (property.type as? any View.Type).map { (property, $0) }
            } : nil
        controls = properties.compactMap { property in
            (property.type as? any _NativeControl.Type).map { (property, $0) }
        }
    }

    /// The first word of each type's metadata, a part of Swift's ABI.
    private static func kind(of type: Any.Type) -> _MetadataKind? {
        _MetadataKind(rawValue: unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee)
    }

    /// A wrapper's storage is called after its property, with an underscore before it.
    private static func plain(_ name: String) -> String {
        name.hasPrefix("_") ? String(name.dropFirst()) : name
    }

    // MARK: Linking

    /// Gives each dynamic property of the value its storage at this place.
    static func link<Value>(_ value: inout Value, at node: _Node, prefix: String = "") throws {
        let layout = of(Value.self)
        if layout.dynamic.isEmpty { return }
        try withUnsafeMutablePointer(to: &value) { pointer in
            let base = UnsafeMutableRawPointer(pointer)
            for (property, type) in layout.dynamic {
                try link(type, base + property.offset, node, prefix + property.name)
            }
        }
    }

    private static func link<Property: DynamicProperty>(
        _ type: Property.Type, _ at: UnsafeMutableRawPointer, _ node: _Node, _ name: String
    ) throws {
        // The runtime's own word for where this property lies and of what type it is.
        try at.assumingMemoryBound(to: type).pointee._link(_Place(node: node, name: name))
    }

    // MARK: Comparing

    /// What makes two values of a type different ones; found out once, since asking the runtime what a type conforms to
    /// costs more than most comparisons.
    private enum Likeness {
        case optional(any AnyOptional.Type)
        case itself
        case object
        case equatable(any Equatable.Type)
        case properties
        /// Nothing inside to differ.
        case always
        /// The type says nothing of what is in there: `any P`, a closure, an enumeration without `==`.
        case byValue
    }

    private lazy var likeness = Self.likeness(of: type, isEmpty: isEmpty, hasProperties: !properties.isEmpty)

    private static func likeness(of type: Any.Type, isEmpty: Bool, hasProperties: Bool) -> Likeness {
        if let optional = type as? any AnyOptional.Type { return .optional(optional) }
        if type is any Comparison.Type { return .itself }
        if type is AnyClass { return .object }
        if let equatable = type as? any Equatable.Type { return .equatable(equatable) }
        return hasProperties ? .properties : isEmpty ? .always : .byValue
    }

    /// Whether two values differ, property by property: values by `==`, objects by identity. A closure is another one
    /// each time (R5).
    package static func differ<Value>(_ old: Value, _ new: Value) -> Bool {
        withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { new in differ(old, new) } }
    }

    /// The same where the values lie: one of a type that is known at run time alone is not copied to be looked at.
    static func differ<Value>(_ old: UnsafePointer<Value>, _ new: UnsafePointer<Value>) -> Bool {
        compare(of(Value.self), old, new) ?? true
    }

    /// Nil for what can't be compared.
    fileprivate static func compare<Value>(
        _ layout: FieldLayout, _ old: UnsafePointer<Value>, _ new: UnsafePointer<Value>
    ) -> Bool? {
        switch layout.likeness {
        case .optional(let optional): return optional.differ(old, new)
        case .itself: return (old.pointee as? any Comparison)?.differs(from: new.pointee)
        case .object:
            return ObjectIdentifier(old.pointee as AnyObject) != ObjectIdentifier(new.pointee as AnyObject)
        case .equatable(let type): return isOther(type, old, new)
        case .always: return false
        case .byValue: return compareByValue(old.pointee, new.pointee)
        case .properties:
            for property in layout.properties {
                let (old, new) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
                let differs = open(property.type, old + property.offset, new + property.offset)
                if differs ?? true { return true }
            }
            return false
        }
    }

    /// Where a property's type leaves open what is in it, each value is asked. A closure has no answer.
    private static func compareByValue<Value>(_ old: Value, _ new: Value) -> Bool? {
        if let same = (old as? any Comparison) { return same.differs(from: new) }
        if Swift.type(of: old as Any) is AnyClass {
            return ObjectIdentifier(old as AnyObject) != ObjectIdentifier(new as AnyObject)
        }
        if let old = old as? any Equatable { return isOther(old, new) }
        return nil
    }

    private static func open(
        _ type: Any.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) -> Bool? {
        func compared<Value>(_ type: Value.Type) -> Bool? {
            // As above: the runtime has said what lies there.
            compare(of(type), old.assumingMemoryBound(to: type), new.assumingMemoryBound(to: type))
        }
        return _openExistential(type, do: compared)
    }

    // MARK: Items and controls in a value

    /// The id of the item that a view shows: of its first property that has one, or that of the view that a modifier
    /// stands around.
    static func itemID<Value>(in value: Value, of instance: Instance) -> String? {
        let layout = of(Value.self)
        if layout.item == nil, layout.content == nil { return nil }
        // As above: the runtime has said what lies there.
        func id<Item: Identifiable>(_ type: Item.Type, _ at: UnsafeRawPointer) -> String {
            instance.itemName(at.assumingMemoryBound(to: type).pointee.id)
        }
        func inner<Content: View>(_ type: Content.Type, _ at: UnsafeRawPointer) -> String? {
            itemID(in: at.assumingMemoryBound(to: type).pointee, of: instance)
        }
        return withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            if let (property, type) = layout.item { return id(type, base + property.offset) }
            return layout.content.flatMap { property, type in inner(type, base + property.offset) }
        }
    }

    /// The controls that the properties of a value hold, in order.
    static func controls<Value>(in value: Value) -> [any _NativeControl] {
        let held = of(Value.self).controls
        if held.isEmpty { return [] }
        return withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return [] }
            func load<Native: _NativeControl>(_ type: Native.Type, _ at: UnsafeRawPointer) -> Native {
                // As above: the runtime has said what lies there.
                at.assumingMemoryBound(to: type).pointee
            }
            return held.map { property, type in load(type, base + property.offset) }
        }
    }

    /// The bindings among the properties of a value.
    static func bindings<Value>(in value: Value) -> [any AnyBinding] {
        let bindings = of(Value.self).bindings
        if bindings.isEmpty { return [] }
        return withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return [] }
            func load<Found: AnyBinding>(_ type: Found.Type, _ at: UnsafeRawPointer) -> Found {
                // As above: the runtime has said what lies there.
                at.assumingMemoryBound(to: type).pointee
            }
            return bindings.map { property, type in load(type, base + property.offset) }
        }
    }

    private static func isOther<Value: Equatable>(_ old: Value, _ new: Any) -> Bool {
        (new as? Value).map { $0 != old } ?? true
    }

    private static func isOther<Same: Equatable>(
        _ type: Same.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) -> Bool {
        // The type conforms, and it is that of both values.
        old.assumingMemoryBound(to: type).pointee != new.assumingMemoryBound(to: type).pointee
    }
}

/// An optional, whatever is in it.
@MainActor
private protocol AnyOptional {
    static func differ(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool?
}

extension Optional: AnyOptional {
    fileprivate static func differ(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer) -> Bool? {
        // The caller has asked the type of what lies there.
        let (old, new) = (old.assumingMemoryBound(to: Self.self), new.assumingMemoryBound(to: Self.self))
        guard let one = old.pointee, let other = new.pointee else {
            return (old.pointee == nil) != (new.pointee == nil)
        }
        return withUnsafePointer(to: one) { one in
            withUnsafePointer(to: other) { other in
                FieldLayout.compare(FieldLayout.of(Wrapped.self), one, other)
            }
        }
    }
}

/// A property that knows by itself what makes it another one.
@MainActor
package protocol Comparison {
    func differs(from other: Any) -> Bool
}

/// By what to tell the last copies of a value that were handed out, as many as the host keeps: what their properties are
/// in memory. That keeps nothing alive.
@MainActor
final class HandedCopies<Value> {
    private static var count: Int { 8 }
    private let layout = FieldLayout.of(Value.self)
    private let bits: UnsafeMutableRawPointer
    private var generations: [UInt32] = []
    /// Where the next one goes.
    private var next = 0

    init() {
        bits = .allocate(
            byteCount: Self.count * MemoryLayout<Value>.stride, alignment: MemoryLayout<Value>.alignment)
    }

    isolated deinit { bits.deallocate() }

    func note(_ value: Value, _ generation: UInt32) {
        withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return }
            let place = bits + next * MemoryLayout<Value>.stride
            for property in layout.properties {
                (place + property.offset).copyMemory(from: base + property.offset, byteCount: property.size)
            }
        }
        if generations.count < Self.count {
            generations.append(generation)
        } else {
            generations[next] = generation
        }
        next = (next + 1) % Self.count
    }

    /// Which copy that is, if it is an older one than the last: the newest that is the same, or else one from before the
    /// oldest.
    func olderGeneration(of value: Value) -> UInt32? {
        if generations.isEmpty { return nil }
        let newest = next + generations.count - 1
        let back = (0..<generations.count).first { back in isSame(value, (newest - back) % generations.count)
        }
        if back == 0 { return nil }
        return generations[(back.map { newest - $0 } ?? next) % generations.count]
    }

    private func isSame(_ value: Value, _ index: Int) -> Bool {
        withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return true }
            let place = bits + index * MemoryLayout<Value>.stride
            return layout.properties.allSatisfy { property in
                memcmp(place + property.offset, base + property.offset, property.size) == 0
            }
        }
    }
}

/// A value, once there is one. Not an optional: of a type that is known at run time alone each look into one takes 400
/// instructions.
@MainActor
final class LastValue<Value> {
    private let place: UnsafeMutablePointer<Value> = .allocate(capacity: 1)
    private var isThere = false

    isolated deinit {
        if isThere { place.deinitialize(count: 1) }
        place.deallocate()
    }

    /// Where it lies, if there is one.
    var kept: UnsafePointer<Value>? { isThere ? UnsafePointer(place) : nil }

    func keep(_ value: Value) {
        if isThere { place.pointee = value } else { place.initialize(to: value) }
        isThere = true
    }

    func differs(from other: Value) -> Bool {
        isThere && withUnsafePointer(to: other) { other in FieldLayout.differ(UnsafePointer(place), other) }
    }
}
