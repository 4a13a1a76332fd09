/// A crossing between the two worlds: what is declared of it once, for all instances.
@MainActor
public class Bridge {
    public let id: String
    let title: String
    let screen: Screen
    let policies: [String]
    var inputs: [String]
    var kind: BridgeKind { fatalError("a Bridge is an Embedding or a Wrapping") }

    init(id: String, title: String?, screen: Screen, inputs: [String], policies: [String]) {
        self.id = id
        self.title = title ?? id
        self.screen = screen
        self.inputs = inputs
        self.policies = policies
    }

    /// One more placement of this bridge in the instance whose code is running; its bodies run when that code
    /// has returned.
    @discardableResult
    public func mount() throws -> Mount {
        guard let instance = Instance.current else {
            throw ScenarioError("\(id) was mounted outside of a scenario")
        }
        return Mount(instance: instance, id: try instance.mount(self))
    }

    // What the host calls, through one set of functions for all bridges.
    func makeCoordinator(_ mount: Mount) throws -> AnyObject? { nil }
    func make(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws -> AnyObject {
        throw Unexpected.callback
    }
    func update(
        _ mount: Mount, _ view: OpaquePointer?, _ inputs: Inputs, _ cause: UInt32
    ) throws -> AnyObject { throw Unexpected.callback }
    func dismantle(_ mount: Mount, _ view: OpaquePointer?) {}
    func tell(_ moment: Moment, to mount: Mount, _ view: OpaquePointer?) throws {}
    func draw(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws { throw Unexpected.callback }
    func native(_ mount: Mount, _ view: OpaquePointer?, event: Int, _ texts: [String?]) throws {
        throw Unexpected.callback
    }
    var nativeEvents: [(id: String, title: String, arguments: [Parameter])] { [] }
}

enum BridgeKind { case embedding(isObserved: Bool), wrapping(echoes: Bool, hasCoordinator: Bool) }

enum Unexpected: Error { case callback }

/// One placement of a bridge.
@MainActor
public struct Mount {
    package let instance: Instance
    package let id: UInt64

    /// Takes it off its screen, after the code that is running has returned.
    public func unmount() { instance.unmount(id) }
    /// Something that its bodies read has changed, though no key of the model did.
    public func invalidate() { instance.invalidate(id, .input) }
}

/// A declarative view inside an imperative screen. What the view gets is a copy: it is drawn again when the
/// root view is assigned, and not when the model changes; an observed one is drawn each time.
@MainActor
public final class Embedding<State: ModelState, Content: View>: Bridge {
    private let keys: [Key<State>]
    private let isObserved: Bool
    private let content: @MainActor (Carried<State>) -> Content

    /// - Parameters:
    ///   - id: what scripts and clients call it.
    ///   - title: the id when left out.
    ///   - screen: the screen that it draws on.
    ///   - state: whose keys it carries.
    ///   - observed: drawn again with each change of the model.
    ///   - policies: where frameworks differ, as "name=value".
    ///   - content: the root view for a copy of the state, for when the host assigns it.
    public init(
        _ id: String, title: String? = nil, on screen: Screen, carrying state: State.Type,
        observed: Bool = false,
        policies: [String] = [], content: @escaping @MainActor (Carried<State>) -> Content
    ) {
        keys = Keys.of(state)
        isObserved = observed
        self.content = content
        super.init(id: id, title: title, screen: screen, inputs: keys.map(\.name), policies: policies)
    }

    override var kind: BridgeKind { .embedding(isObserved: isObserved) }

    override func draw(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws {
        if let controller = mount.instance.placements[mount.id] as? HostingController<Content> {
            if !controller.takeAssignment() {
                controller.replace(content(Carried(keys, inputs, mount: mount)))
            }
            try controller.draw()
        } else {
            // Mounted by the host: nobody holds a controller for it.
            let tree = Tree(instance: mount.instance, screen: Instance.currentScreen, scope: "")
            tree.mount = mount.id
            try tree.draw(content(Carried(keys, inputs, mount: mount)))
        }
    }
}

/// Holds the root view of an embedding. The view has a copy of the state that it was made with; assigning the
/// root view is what carries a newer one across.
@MainActor
public final class HostingController<Content: View> {
    private let mount: Mount
    private var root: Content
    /// The root view was assigned here and is to be drawn as it is; otherwise the host took a copy, to make
    /// it of.
    private var isAssigned = true
    private var tree: Tree?

    /// Puts the embedding up, in the scenario whose code is running.
    public init<State>(_ embedding: Embedding<State, Content>, rootView: Content) throws {
        root = rootView
        mount = try embedding.mount()
        mount.instance.placements[mount.id] = self
    }

    public var rootView: Content {
        get { root }
        set {
            root = newValue
            isAssigned = mount.instance.assignRoot(mount.id)
        }
    }

    /// Takes the hosted view off the screen.
    public func removeFromParent() {
        mount.instance.placements[mount.id] = nil
        mount.unmount()
    }

    func takeAssignment() -> Bool {
        defer { isAssigned = false }
        return isAssigned
    }

    func replace(_ view: Content) { root = view }

    func draw() throws {
        let tree = tree ?? Tree(instance: mount.instance, screen: Instance.currentScreen, scope: "")
        tree.mount = mount.id
        self.tree = tree
        try tree.draw(root)
    }
}
