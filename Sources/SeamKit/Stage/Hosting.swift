/// Something that holds a root view: a hosting controller, or the root of a screen.
@MainActor
package class Hosting {
    /// The host lets it be drawn.
    func drawHosted() throws { throw Unexpected.callback }
    /// Its place is gone.
    package func endHosted() {}
}

/// The bridge of all hosts of one type in the code of a scenario.
@MainActor
package final class HostBridge: Bridge {
    let type: ObjectIdentifier

    init(type: Any.Type, id: String, screen: Screen, inputs: [String], policies: [String]) {
        self.type = ObjectIdentifier(type)
        startsAlone = policies.contains("environment=own")
        super.init(id: id, title: "\(type)", screen: screen, inputs: inputs, policies: policies)
    }

    override var kind: BridgeKind { .embedding(isObserved: false) }
    fileprivate let startsAlone: Bool

    override func draw(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws {
        guard let host = mount.instance.placements[mount.id] as? Hosting else {
            throw ScenarioError(
                "\(id) was mounted from outside: the code of the scenario has no place for it")
        }
        try host.drawHosted()
    }
}

/// A root view, its tree and its mount.
@MainActor
package final class HostedRoot<Content: View>: Hosting {
    package private(set) var view: Content
    private let tree: Tree
    package private(set) var mount: UInt64 = 0
    private var isAssigned = true
    /// It was laid out by force, before the host has drawn it.
    private var isLaidOut = false
    private var shownItem: String?
    /// Somebody around it depends on its size.
    package var didResize: (@MainActor () -> Void)?
    private let instance: Instance
    private let bridge: HostBridge

    /// - Parameter type: what its bridge is found by: the class of the controller, or the type of the root view.
    package init(_ view: Content, instance: Instance, type: Any.Type, screen: String? = nil) throws {
        self.view = view
        self.instance = instance
        bridge = try instance.hostBridge(for: type, screen: screen)
        tree = Tree(
            instance: instance, screen: instance.screenIndex(of: bridge.screen), scope: "")
    }

    /// Puts it up. Made inside a body, it lies in the mount of that body and takes its environment; made anywhere else it
    /// starts with none, and lies in a mount only if its bridge keeps out what that would hand on.
    package func place() throws {
        let isInside = instance.isInBody || bridge.startsAlone && instance.isLive(Instance.currentMount)
        mount =
            isInside
            ? try instance.mount(bridge, in: Instance.currentMount, item: nil, style: nil)
            : try instance.mount(bridge)
        tree.mount = mount
        instance.placements[mount] = self
        if !instance.isInBody { tellItem() } else { shownItem = FieldLayout.itemID(in: view) }
    }

    package func assign(_ new: Content) {
        view = new
        isAssigned = true
        isLaidOut = false
        if mount == 0 { return }
        if instance.isInBody {
            // Inside a body an assignment can only be noted.
            instance.afterFlush.append { [weak self] in self?.tellAssigned() }
            instance.askForFlush()
        } else {
            tellAssigned()
        }
    }

    private func tellAssigned() {
        if mount == 0 { return }
        tellItem()
        _ = instance.assignRoot(mount)
    }

    /// The same view in the same place, for another item: a recycled cell.
    private func tellItem() {
        guard let item = FieldLayout.itemID(in: view), item != shownItem else { return }
        shownItem = item
        Mount(instance: instance, id: mount).rebind(to: Item(id: item))
    }

    // MARK: Sizes, as far as code gives them

    /// The size of what was drawn last, or laid out since.
    package var size: (width: Double?, height: Double?) { tree.givenSize ?? (nil, nil) }

    /// Forces what is assigned to be there now. The host draws it once more when it comes to it.
    package func layOutNow() throws {
        if mount == 0 || !isAssigned || instance.isInBody { return }
        isLaidOut = true
        try tree.draw(view)
        isAssigned = true
    }

    /// The root of a screen is compared: an equal value is no assignment.
    package func offer(_ new: Content) {
        if FieldLayout.differ(view, new) { assign(new) } else { view = new }
    }

    override func drawHosted() throws {
        let before = size
        if isAssigned {
            isAssigned = false
            try tree.draw(view)
        } else {
            try tree.redraw()
        }
        let isOther = before.width != size.width || before.height != size.height
        if let didResize, isOther || isLaidOut { instance.runAfterBody { didResize() } }
        isLaidOut = false
    }

    package func remove() {
        if mount == 0 { return }
        instance.placements[mount] = nil
        if instance.isInBody {
            let gone = mount
            instance.afterFlush.append { [instance] in instance.unmount(gone) }
            instance.askForFlush()
        } else {
            instance.unmount(mount)
        }
        mount = 0
        endHosted()
    }

    override package func endHosted() {
        mount = 0
        tree.clear()
    }
}
