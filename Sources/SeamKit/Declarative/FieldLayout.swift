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
        let type: Any.Type
    }

    package let properties: [Property]
    /// Those that have a storage of their own.
    let dynamic: [(property: Property, type: any DynamicProperty.Type)]

    private static var known: [ObjectIdentifier: FieldLayout] = [:]

    package static func of(_ type: Any.Type) -> FieldLayout {
        if let layout = known[ObjectIdentifier(type)] { return layout }
        let layout = FieldLayout(type)
        known[ObjectIdentifier(type)] = layout
        return layout
    }

    private init(_ type: Any.Type) {
        var properties: [Property] = []
        // Nothing but structs is taken apart: a class is compared by its identity.
        _ = _forEachField(of: type) { name, offset, type, _ in
            properties.append(Property(name: Self.plain(String(cString: name)), offset: offset, type: type))
            return true
        }
        self.properties = properties
        dynamic = properties.compactMap { property in
            (property.type as? any DynamicProperty.Type).map { (property, $0) }
        }
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

    /// Whether two values differ, property by property: values by `==`, objects by identity. A closure is another one
    /// each time (R5).
    package static func differ<Value>(_ old: Value, _ new: Value) -> Bool {
        compare(Value.self, old, new) ?? true
    }

    /// Nil for what can't be compared.
    fileprivate static func compare<Value>(_ type: Value.Type, _ old: Value, _ new: Value) -> Bool? {
        if let optional = type as? any AnyOptional.Type {
            return withUnsafePointer(to: old) { old in
                withUnsafePointer(to: new) { new in optional.differ(old, new) }
            }
        }
        if let same = (old as? any Comparison) { return same.differs(from: new) }
        if Swift.type(of: old as Any) is AnyClass {
            return ObjectIdentifier(old as AnyObject) != ObjectIdentifier(new as AnyObject)
        }
        if let old = old as? any Equatable { return isOther(old, new) }
        let layout = of(type)
        if layout.properties.isEmpty {
            // Nothing inside to differ, or something that says nothing of its inside: a closure, an enumeration.
            return MemoryLayout<Value>.size == 0 ? false : nil
        }
        return withUnsafeBytes(of: old) { old in
            withUnsafeBytes(of: new) { new in
                for property in layout.properties {
                    guard let old = old.baseAddress, let new = new.baseAddress else { return nil }
                    let differs = open(property.type, old + property.offset, new + property.offset)
                    if differs ?? true { return true }
                }
                return false
            }
        }
    }

    private static func open(
        _ type: Any.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) -> Bool? {
        func compared<Value>(_ type: Value.Type) -> Bool? {
            // As above: the runtime has said what lies there.
            compare(
                type, old.assumingMemoryBound(to: type).pointee, new.assumingMemoryBound(to: type).pointee)
        }
        return _openExistential(type, do: compared)
    }

    /// What the properties of a value are in memory: the same for copies of one value.
    static func bits<Value>(of value: Value) -> [UInt8] {
        withUnsafeBytes(of: value) { bytes in
            of(Value.self).properties.flatMap { property in
                func size<Property>(_ type: Property.Type) -> Int { MemoryLayout<Property>.size }
                return bytes[property.offset..<property.offset + _openExistential(property.type, do: size)]
            }
        }
    }

    // MARK: Items and controls in a value

    /// The id of the item that a view shows: of its first property that has one, or that of the view that a modifier
    /// stands around. Objects have no other than their address.
    static func itemID<Value>(in value: Value) -> String? {
        let properties = of(Value.self).properties
        // As above: the runtime has said what lies there.
        func id<Item: Identifiable>(_ type: Item.Type, _ at: UnsafeRawPointer) -> String {
            "\(at.assumingMemoryBound(to: type).pointee.id)"
        }
        func inner<Content: View>(_ type: Content.Type, _ at: UnsafeRawPointer) -> String? {
            itemID(in: at.assumingMemoryBound(to: type).pointee)
        }
        return withUnsafeBytes(of: value) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            for property in properties where !(property.type is AnyClass) {
                if let type = property.type as? any Identifiable.Type {
                    return id(type, base + property.offset)
                }
            }
            guard Value.self is any Part.Type,
                let content = properties.first(where: { $0.name == "content" }),
                let type = content.type as? any View.Type
            else { return nil }
            return inner(type, base + content.offset)
        }
    }

    /// The controls that the properties of a value hold, in order.
    static func controls<Value>(in value: Value) -> [any _NativeControl] {
        let held = of(Value.self).properties.compactMap { property in
            (property.type as? any _NativeControl.Type).map { (property, $0) }
        }
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

    private static func isOther<Value: Equatable>(_ old: Value, _ new: Any) -> Bool {
        (new as? Value).map { $0 != old } ?? true
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
        let (old, new) = (
            old.assumingMemoryBound(to: Self.self).pointee, new.assumingMemoryBound(to: Self.self).pointee
        )
        guard let old, let new else { return (old == nil) != (new == nil) }
        return FieldLayout.compare(Wrapped.self, old, new)
    }
}

/// A property that knows by itself what makes it another one.
@MainActor
package protocol Comparison {
    func differs(from other: Any) -> Bool
}
