/// Something that is said of views again and again: a body around whatever it is said of.
@MainActor
@preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifierContent<Self>
    @ViewBuilder func body(content: Content) -> Body
}

/// What a modifier stands around, as its body sees it.
public struct _ViewModifierContent<Modifier: ViewModifier>: Part {
    let content: AnyView

    public static func _render(_ view: _ViewModifierContent, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

/// A view with a modifier of somebody's own around it: the modifier may keep state, and reads the environment.
public struct ModifiedContent<Content: View, Modifier: ViewModifier>: View {
    let content: Content
    let modifier: Modifying<Modifier>

    public var body: some View { modifier.modifier.body(content: .init(content: AnyView(content))) }
}

/// A modifier where a view has its dynamic properties, so that its own get their storage.
struct Modifying<Modifier: ViewModifier>: DynamicProperty {
    var modifier: Modifier

    @MainActor mutating func _link(_ place: _Place) throws {
        try FieldLayout.link(&modifier, at: place.node, prefix: place.name + ".")
    }
}

/// What lies in it is named as if it was not there.
@MainActor
protocol Scopeless {}
extension ModifiedContent: Scopeless {}

extension View {
    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
        ModifiedContent(content: self, modifier: Modifying(modifier: modifier))
    }
}
