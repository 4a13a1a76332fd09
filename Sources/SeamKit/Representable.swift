/// An imperative view inside a declarative screen: made once, updated when the state changes, dismantled at
/// the end. The value itself is made anew for each of these calls, from a copy of the state.
@MainActor
@preconcurrency
public protocol UIViewRepresentable {
    associatedtype UIViewType: NativeView
    associatedtype Coordinator = Void
    typealias Context = UIViewRepresentableContext<Self>

    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
    func makeCoordinator() -> Coordinator
}

extension UIViewRepresentable {
    public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) {}
}

extension UIViewRepresentable where Coordinator == Void {
    public func makeCoordinator() {}
}

/// What a representable is told about its placement.
@MainActor
public struct UIViewRepresentableContext<Content: UIViewRepresentable> {
    public let coordinator: Content.Coordinator
    let placement: Placement<Content>

    /// Puts another view in the place of the one on screen, as wrappers do that build their control anew on
    /// each update. The fault is reported; nothing in this call hides it.
    public func replaceView(with view: Content.UIViewType) { placement.view = view }
}

/// A native control: a class whose properties write what the control shows.
@MainActor
open class NativeView {
    /// The fields of the screen that this control is on.
    public let screen: Surface

    /// Made inside `makeUIView` or `updateUIView`, a view belongs to the screen of that bridge.
    public init() { screen = .current }

    /// A moment in its life, where the bridge's policy `hooks` is told. After its dismantle it hears of nothing.
    open func hear(_ moment: Moment) throws {}
}

/// What a live wrapping holds between calls.
@MainActor
final class Placement<Content: UIViewRepresentable> {
    var coordinator: Content.Coordinator?
    var view: Content.UIViewType?
}

/// A representable, placed in a declarative screen. Its update runs by itself when a key that it carries
/// changes; what its body writes is another matter.
@MainActor
public final class Wrapping<State: ModelState, Content: UIViewRepresentable>: Bridge {
    private let keys: [Key<State>]
    private let echoes: Bool
    private let events: [NativeEvent<Content.UIViewType>]
    private let content: @MainActor (Carried<State>) -> Content

    /// - Parameters:
    ///   - screen: the screen that its native view is on.
    ///   - state: whose keys it carries.
    ///   - echoes: what the program writes into the native view comes back as a native event.
    ///   - events: what people can do in the native view.
    ///   - content: the representable for a copy of the state.
    public init(
        _ id: String, title: String? = nil, on screen: Screen, carrying state: State.Type,
        echoes: Bool = false,
        events: [NativeEvent<Content.UIViewType>] = [], policies: [String] = [],
        content: @escaping @MainActor (Carried<State>) -> Content
    ) {
        keys = Keys.of(state)
        self.echoes = echoes
        self.events = events
        self.content = content
        super.init(id: id, title: title, screen: screen, inputs: keys.map(\.name), policies: policies)
    }

    override var kind: BridgeKind {
        .wrapping(echoes: echoes, hasCoordinator: Content.Coordinator.self != Void.self)
    }

    override var nativeEvents: [(id: String, title: String, arguments: [Parameter])] {
        events.map { ($0.id, $0.title, $0.arguments) }
    }

    /// The host asks for a coordinator before it has inputs to give, and a coordinator is made by the
    /// representable: so this is the place that will hold it, filled first thing in make.
    override func makeCoordinator(_ mount: Mount) -> AnyObject? { place(mount) }

    private func place(_ mount: Mount) -> Placement<Content> {
        if let placed = placement(mount) { return placed }
        let placement = Placement<Content>()
        mount.instance.placements[mount.id] = placement
        return placement
    }

    private func placement(_ mount: Mount) -> Placement<Content>? {
        mount.instance.placements[mount.id] as? Placement<Content>
    }

    override func make(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws -> AnyObject {
        let placement = place(mount)
        let representable = content(Carried(keys, inputs, mount: mount))
        let coordinator = representable.makeCoordinator()
        placement.coordinator = coordinator
        let view = representable.makeUIView(
            context: Content.Context(coordinator: coordinator, placement: placement))
        placement.view = view
        return view
    }

    override func update(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws -> AnyObject {
        guard let placement = placement(mount), let view = placement.view,
            let coordinator = placement.coordinator
        else { throw Unexpected.callback }
        content(Carried(keys, inputs, mount: mount))
            .updateUIView(view, context: Content.Context(coordinator: coordinator, placement: placement))
        return placement.view ?? view
    }

    override func dismantle(_ mount: Mount) {
        guard let placement = placement(mount) else { return }
        mount.instance.placements[mount.id] = nil
        if let view = placement.view, let coordinator = placement.coordinator {
            Content.dismantleUIView(view, coordinator: coordinator)
        }
    }

    override func tell(_ moment: Moment, to mount: Mount) throws { try placement(mount)?.view?.hear(moment) }

    override func native(_ mount: Mount, event: Int, _ texts: [String?]) throws {
        guard let view = placement(mount)?.view else { throw Unexpected.callback }
        let event = events[event]
        try event.perform(view, Values(names: event.arguments.map(\.id), texts: texts))
    }
}
