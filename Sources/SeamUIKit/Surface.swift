internal import SeamKit

extension _ControlSurface {
    /// The surface of the code that runs now.
    @MainActor static var current: _ControlSurface? { .ofRunningCode }

    /// The identifier, or the property that holds the view, or its kind with a number.
    @MainActor func name(of view: UIView) -> String {
        let name: String
        if let identifier = view.accessibilityIdentifier {
            name = identifier
        } else if let identifier, view.superview?.surface == nil || isAlone(view) {
            name = identifier
        } else {
            name = unused(property(of: view), view._kind)
        }
        declare(name)
        return name
    }

    /// The first field below a representable takes the identifier that the representable was given.
    @MainActor private func isAlone(_ view: UIView) -> Bool { take(identifierFor: ObjectIdentifier(view)) }

    /// `titleLabel` for a view that something around it holds in a property of that name.
    @MainActor private func property(of view: UIView) -> String? {
        var here: UIResponder? = view.superview ?? view.owner
        while let holder = here {
            var mirror: Mirror? = Mirror(reflecting: holder)
            while let level = mirror {
                for (label, value) in level.children {
                    guard let label, (value as AnyObject) === view else { continue }
                    return label.hasPrefix("$__lazy_storage_$_") ? String(label.dropFirst(18)) : label
                }
                mirror = level.superclassMirror
            }
            here = holder.next
        }
        return nil
    }
}
