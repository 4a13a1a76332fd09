/// A native control: a class whose properties write what the control shows.
@MainActor
open class NativeView: _NativeControl {
    /// The fields of the screen that this control is on.
    public let screen: Surface

    /// Made inside `makeUIView` or `updateUIView`, a view belongs to the screen of that bridge.
    public init() { screen = .current }

    /// A moment in its life, where the bridge's policy `hooks` is told. After its dismantle it hears of nothing.
    open func hear(_ moment: Moment) throws {}

    public func _hear(_ moment: Moment) throws { try hear(moment) }
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
    ///   - id: what scripts and clients call it.
    ///   - title: the id when left out.
    ///   - screen: the screen that its native view is on.
    ///   - state: whose keys it carries.
    ///   - echoes: what the program writes into the native view comes back as a native event.
    ///   - events: what people can do in the native view.
    ///   - policies: where frameworks differ, as "name=value".
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
    override func makeCoordinator(_ mount: Mount) -> AnyObject? {
        let box = ControlBox<Content>()
        mount.instance.newBoxes[mount.id] = box
        return box
    }

    override func make(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws -> AnyObject {
        let made = mount.instance.newBoxes.removeValue(forKey: mount.id)
        let box = (made as? ControlBox<Content>) ?? ControlBox<Content>()
        let representable = content(Carried(keys, inputs, mount: mount))
        box.coordinator.keep(representable.makeCoordinator())
        box.view = representable._make(try box.placement(EnvironmentValues()))
        return try mount.instance.keep(box)
    }

    override func update(
        _ mount: Mount, _ view: OpaquePointer?, _ inputs: Inputs, _ cause: UInt32
    ) throws -> AnyObject {
        guard let box = mount.instance.box(view) as? ControlBox<Content>, let native = box.view else {
            throw Unexpected.callback
        }
        content(Carried(keys, inputs, mount: mount))
            ._update(native, try box.placement(EnvironmentValues()))
        mount.instance.forget(view)
        return try mount.instance.keep(box)
    }

    override func dismantle(_ mount: Mount, _ view: OpaquePointer?) {
        mount.instance.newBoxes[mount.id] = nil
        guard let box = mount.instance.box(view) else { return }
        mount.instance.forget(view)
        box.dismantle()
    }

    override func tell(_ moment: Moment, to mount: Mount, _ view: OpaquePointer?) throws {
        try mount.instance.box(view)?.native?._hear(moment)
    }

    override func native(_ mount: Mount, _ view: OpaquePointer?, event: Int, _ texts: [String?]) throws {
        guard let native = mount.instance.box(view)?.native as? Content.UIViewType else {
            throw Unexpected.callback
        }
        let event = events[event]
        try event.perform(native, Values(names: event.arguments.map(\.id), texts: texts))
    }
}
