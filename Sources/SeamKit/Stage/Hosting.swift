internal import CSeamABI

/// Something that holds a root view: a hosting controller, or the root of a screen.
@MainActor
package class Hosting {
    /// The host lets it be drawn.
    func drawHosted(isAnother: Bool) throws { throw Unexpected.callback }
    /// Its place is gone.
    package func endHosted() {}
    /// Whether its view is somewhere else than the host was told.
    var hasMoved: Bool { false }
    func tellPlace() {}
}

/// Keeps a root up: without anybody to hold this, it is taken down.
@MainActor
package final class HostedPlace<Content: View> {
    package let root: HostedRoot<Content>

    package init(_ root: HostedRoot<Content>) { self.root = root }

    deinit { onMain("a host that goes") { [root] in root.remove() } }
}

extension Instance {
    func moved(_ host: Hosting) {
        if phase == .between { askForFlush() }
        if !movedHosts.contains(where: { $0 === host }) { movedHosts.append(host) }
    }

    /// At the end of each piece of code.
    func tellPlaces() {
        if movedHosts.isEmpty { return }
        guard phase == .dispatching else {
            if movedHosts.contains(where: \.hasMoved) { askForFlush() }
            return
        }
        let moved = movedHosts
        movedHosts = []
        for host in moved { host.tellPlace() }
    }
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
        try host.drawHosted(
            isAnother: cause == UInt32(SEAM_WHY_IDENTITY) || cause == UInt32(SEAM_WHY_RESTORE))
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
    /// One row among several of its kind: a field without a name of its own is called after the item.
    package var isRow = false
    private var scopedItem: String?
    /// Somebody around it depends on its size.
    package var didResize: (@MainActor () -> Void)?
    private let instance: Instance
    private let bridge: HostBridge
    /// What it lies in; 0 for one that was made outside of any body.
    private var parent: UInt64 = 0
    /// Which of that mount's controls it lies in.
    private var parentControl = 0
    /// Its mount has gone with the control that it lay in.
    private var isGone: Bool { parent != 0 && !instance.isLive(parent, parentControl) }

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
        parent = isInside ? Instance.currentMount : 0
        parentControl = instance.control(of: parent)
        mount =
            isInside
            ? try instance.mount(bridge, in: parent, item: nil, style: nil)
            : try instance.mount(bridge)
        tree.mount = mount
        instance.placements[mount] = self
        if !instance.isInBody { tellItem() } else { shownItem = FieldLayout.itemID(in: view, of: instance) }
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
        // The host's copy of the model is that of this moment, with what this code has written until now.
        if instance.phase == .dispatching { try? instance.publishModel() }
        tellItem()
        _ = instance.assignRoot(mount)
    }

    /// The same view in the same place, for another item: a recycled cell.
    private func tellItem() {
        guard let item = FieldLayout.itemID(in: view, of: instance), item != shownItem else { return }
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

    /// - Parameter isAnother: what stood here has ended with its control; nothing of it is carried over.
    override func drawHosted(isAnother: Bool) throws {
        let before = size
        if isAnother {
            tree.clear()
            isAssigned = true
        }
        if isAssigned {
            isAssigned = false
            nameRow()
            try tree.draw(view)
        } else {
            try tree.redraw()
        }
        let isOther = before.width != size.width || before.height != size.height
        if let didResize, isOther || isLaidOut { instance.runAfterBody { didResize() } }
        isLaidOut = false
    }

    /// What another item's row shows is another field.
    private func nameRow() {
        guard isRow, let item = FieldLayout.itemID(in: view, of: instance), item != scopedItem else { return }
        scopedItem = item
        tree.root.changeRow(to: item)
    }

    package func remove() {
        // At the end of the instance everything goes, in the order of its host.
        guard mount != 0, instance.placements[mount] === self else { return }
        instance.placements[mount] = nil
        let gone = mount
        mount = 0
        if !isGone {
            if instance.phase == .dispatching {
                instance.unmount(gone)
            } else {
                instance.runAfterBody { [instance] in instance.unmount(gone) }
            }
        }
        endHosted()
    }

    // MARK: Where it is

    private var isInWindow = true
    private var isHidden = false
    private var told = (isInWindow: true, isHidden: false)

    /// Where its view is now. The host is told when the code that moves it has returned: what comes and goes within
    /// that was never anywhere else.
    package func move(isInWindow: Bool, isHidden: Bool) {
        (self.isInWindow, self.isHidden) = (isInWindow, isHidden)
        if isInWindow != told.isInWindow || isHidden != told.isHidden { instance.moved(self) }
    }

    override var hasMoved: Bool {
        mount != 0 && !isGone && (isInWindow != told.isInWindow || isHidden != told.isHidden)
    }

    override func tellPlace() {
        guard hasMoved, !instance.isOver else { return }
        let wasInWindow = told.isInWindow
        told = (isInWindow, isHidden)
        let place = Mount(instance: instance, id: mount)
        var activity = place.activity
        (activity.hasWindow, activity.isHidden) = told
        place.activity = activity
        if wasInWindow != isInWindow { tree.root.hear(isInWindow ? .appear : .disappear) }
    }

    override package func endHosted() {
        mount = 0
        tree.clear()
    }
}
