/// A declarative view: a value whose body says what its fields show. It is drawn when the host decides.
@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }

    /// How the parts that a body is made of draw themselves; a view of one's own has a body instead.
    static func _draw(_ view: Self, on surface: Surface)
}

extension View {
    public static func _draw(_ view: Self, on surface: Surface) { Body._draw(view.body, on: surface) }
}

extension Never: View {
    public var body: Never { fatalError("a part without a body was asked for one") }
}

/// A part of a body that draws itself.
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

    public static func _draw(_ view: Field, on surface: Surface) { surface[view.key] = view.text }
}

/// Shows nothing.
public struct EmptyView: Part {
    public init() {}
    public static func _draw(_ view: EmptyView, on surface: Surface) {}
}

/// Several views in order.
public struct TupleView<each Content: View>: Part {
    let content: (repeat each Content)

    public static func _draw(_ view: TupleView, on surface: Surface) {
        repeat (each Content)._draw(each view.content, on: surface)
    }
}

/// One of two views.
public enum ConditionalView<First: View, Second: View>: Part {
    case first(First)
    case second(Second)

    public static func _draw(_ view: ConditionalView, on surface: Surface) {
        switch view {
        case .first(let first): First._draw(first, on: surface)
        case .second(let second): Second._draw(second, on: surface)
        }
    }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { fatalError("a part without a body was asked for one") }

    public static func _draw(_ view: Wrapped?, on surface: Surface) {
        if let view { Wrapped._draw(view, on: surface) }
    }
}

@MainActor
@preconcurrency
@resultBuilder
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> {
        TupleView(content: (repeat each content))
    }
    public static func buildOptional<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalView<First, Second> { .first(first) }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalView<First, Second> { .second(second) }
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
