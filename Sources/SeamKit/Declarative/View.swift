/// A declarative view: a value whose body says what it shows. It is drawn when the host decides.
@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }

    /// How the parts that a body is made of come into the tree; a view of one's own has a body instead.
    static func _render(_ view: Self, in node: _Node) throws
}

extension View {
    public static func _render(_ view: Self, in node: _Node) throws {
        try node.evaluate(view)
    }
}

extension _Node {
    /// Runs the body of a view that stands here, with its storage linked.
    fileprivate func evaluate<Content: View>(_ view: Content) throws {
        let isNew = evaluation == nil
        if isNew { scope = Self.scope(of: Content.self, in: scope) }
        isDirty = false
        evaluation = { [unowned self] in try evaluate(view) }
        var linked = view
        try FieldLayout.link(&linked, at: self)
        let body = tracked { linked.body }
        try content().render(body)
        if isNew { tree.didEnter(self) }
    }

    /// A row keeps its key: "Row[7]".
    private static func scope(of type: Any.Type, in outer: String) -> String {
        if type is any Scopeless.Type { return outer }
        let name = shortName(of: type)
        guard outer.hasSuffix("]"), let bracket = outer.lastIndex(of: "[") else { return name }
        return name + outer[bracket...]
    }
}

extension Never: View {
    public var body: Never { fatalError("a part without a body was asked for one") }
}

/// A part of a body that comes into the tree by itself.
@MainActor
@preconcurrency
public protocol Part: View where Body == Never {}

extension Part {
    public var body: Never { fatalError("a part without a body was asked for one") }
}

/// A field of the screen, and the value that this view shows in it. Nil shows nothing.
public struct Field: Part {
    let key: String
    let text: String?

    public init(_ key: String, _ value: (some ModelText)?) {
        self.key = key
        text = value?.modelText
    }

    public static func _render(_ view: Field, in node: _Node) {
        node.tree.show(view.key, view.text)
    }
}

/// Shows nothing.
public nonisolated struct EmptyView: Part {
    public init() {}
    @MainActor public static func _render(_ view: EmptyView, in node: _Node) {}
}

/// Several views in order.
public nonisolated struct TupleView<each Content: View>: Part {
    @usableFromInline let content: (repeat each Content)

    @inlinable init(content: (repeat each Content)) { self.content = content }

    @MainActor public static func _render(_ view: TupleView, in node: _Node) throws {
        var index = 0
        for content in repeat each view.content {
            try place(content, at: &index, of: node)
        }
    }

    @MainActor private static func place<One: View>(_ view: One, at index: inout Int, of node: _Node) throws {
        let child = node.child(index)
        index += 1
        try child.render(view)
    }
}

/// One of two views, each with an identity of its own.
public nonisolated enum ConditionalView<First: View, Second: View>: Part {
    case first(First)
    case second(Second)

    @MainActor public static func _render(_ view: ConditionalView, in node: _Node) throws {
        switch view {
        case .first(let first):
            node.enter(branch: 0)
            try node.content().render(first)
        case .second(let second):
            node.enter(branch: 1)
            try node.content().render(second)
        }
    }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { fatalError("a part without a body was asked for one") }

    public static func _render(_ view: Wrapped?, in node: _Node) throws {
        guard let view else { return node.removeChildren(from: 0) }
        try node.content().render(view)
    }
}

/// A view whose type is not told. Another type in it is another view.
public struct AnyView: Part {
    let render: @MainActor (_Node) throws -> Void

    public init(_ view: some View) { self.init(erasing: view) }
    public init<Content: View>(erasing view: Content) {
        render = { node in try node.render(view) }
    }

    public static func _render(_ view: AnyView, in node: _Node) throws {
        try view.render(node.content())
    }
}

/// Inlined into the code whose views they put together: there the types are known, and nothing is looked up.
@resultBuilder
public enum ViewBuilder {
    @inlinable public static func buildBlock() -> EmptyView { EmptyView() }
    @inlinable public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    @inlinable public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> {
        TupleView(content: (repeat each content))
    }
    @inlinable public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    @inlinable public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    @inlinable public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalView<First, Second> { .first(first) }
    @inlinable public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalView<First, Second> { .second(second) }
    @MainActor public static func buildLimitedAvailability(_ content: some View) -> AnyView {
        AnyView(content)
    }
}

/// The fields of one screen, as the code that draws sees them: a text for what is shown, nil for nothing.
@MainActor
public struct Surface {
    let instance: Instance?
    let screen: UInt32

    /// The surface of the bridge whose body is running.
    static var current: Surface { Surface(instance: Instance.current, screen: Instance.currentScreen) }

    public subscript(_ key: String) -> String? {
        get { instance?.shown(screen, key) }
        nonmutating set { instance?.show(screen, key, newValue) }
    }
}

/// The name of a type without its module and what it is nested in: "CounterView" for "Demo.Screen.CounterView".
package func shortName(of type: Any.Type) -> String {
    let name = "\(type)"
    return name.firstIndex(of: "<").map { String(name[..<$0]) } ?? name
}
