/// One representable in a tree, whatever its type: from its coming in to its dismantle.
@MainActor
class AnyWrap {
    let bridge: WrapBridge
    let itemID: String
    var mount: UInt64 = 0
    var identity: String?
    var isChanged = true
    var isGone = false
    /// Its mount was ended from outside; only somebody outside can put it up again.
    var isOut = false
    /// The host was told of it, and has not made it yet.
    var isAwaited = false
    /// Controls that were made here and dismantled, one after the other: of another identity there is another one, and the
    /// next one may come before the last one goes.
    var makes = 0
    var ends = 0

    init(bridge: WrapBridge, itemID: String) {
        self.bridge = bridge
        self.itemID = itemID
    }

    func makeCoordinator(_ mount: Mount) -> AnyObject? { nil }
    func noteQuestion(to answerer: AnyObject) {}
    /// Whether somebody has a binding of its own to this place, and no older copy of the representable with it.
    func isLive(_ place: any BindingPlace) -> Bool { false }
    var generation: UInt32 { 0 }
    func make(_ mount: Mount, _ generation: UInt32, _ box: AnyObject?) throws -> AnyControlBox {
        throw Unexpected.callback
    }
    func update(_ mount: Mount, _ generation: UInt32, _ box: AnyControlBox) throws {
        throw Unexpected.callback
    }
}

/// A control and its coordinator, which outlive the mount where a pool keeps them.
@MainActor
@usableFromInline class AnyControlBox {
    /// What the host tells it by. Kept while an update runs: another control could get the address of one that has gone.
    var identity: AnyObject?
    var native: (any _NativeControl)? { nil }
    func dismantle() {}
}

@MainActor
@usableFromInline final class ControlBox<Content: _Representable>: AnyControlBox {
    let coordinator = LastValue<Content.Coordinator>()
    var view: (any _NativeControl)?

    override var native: (any _NativeControl)? { view }

    override func dismantle() {
        guard let view, let coordinator = coordinator.kept else { return }
        Content._dismantle(view, coordinator: coordinator.pointee)
    }

    func placement(_ environment: EnvironmentValues) throws -> _RepresentablePlacement<Content> {
        guard let coordinator = coordinator.kept else { throw Unexpected.callback }
        return _RepresentablePlacement(
            coordinator: coordinator.pointee, environment: environment, control: self)
    }
}

@MainActor
final class Wrap<Content: _Representable>: AnyWrap {
    private var value: Content
    /// The copy that a body got last: what a newer one is compared with.
    private let handed = LastValue<Content>()
    private lazy var copies = HandedCopies<Content>()
    private unowned let node: _Node
    /// Which of the controls that a value holds make returned, if it was one of them.
    private var ownControl: Int?
    /// The value came with another one than that.
    private var bringsControl = false
    private weak var box: ControlBox<Content>?
    private var newest: UInt32 = 0
    override var generation: UInt32 { newest }

    init(_ value: Content, at node: _Node, bridge: WrapBridge, itemID: String) {
        self.value = value
        self.node = node
        super.init(bridge: bridge, itemID: itemID)
    }

    /// Another value of the same place. Whether it differs is all that the host is told.
    func offer(_ new: Content) {
        if handed.differs(from: new) { isChanged = true }
        if let ownControl {
            let (was, now) = (
                FieldLayout.controls(in: value)[ownControl], FieldLayout.controls(in: new)[ownControl]
            )
            if was !== now { bringsControl = true }
        }
        value = new
    }

    private func linked(_ mount: Mount, _ generation: UInt32) throws -> Content {
        let (node, tree) = (node, node.tree)
        tree.stamp = BindingStamp(mount: mount, generation: generation)
        defer { tree.stamp = nil }
        newest = generation
        var linked = value
        try FieldLayout.link(&linked, at: node)
        handed.keep(linked)
        if Content.Coordinator.self != Void.self {
            copies.note(linked, generation)
        }
        return linked
    }

    override func makeCoordinator(_ mount: Mount) -> AnyObject? { ControlBox<Content>() }

    // MARK: Copies of the parent

    /// The host is asked in the answerer's place, through the copy that it holds; which is the current one or an older one.
    override func noteQuestion(to answerer: AnyObject) {
        guard mount != 0, let held = heldCopy(in: answerer), let key = bridge.inputs.first else { return }
        guard let generation = copies.olderGeneration(of: held), handed.differs(from: held) else { return }
        _ = Mount(instance: node.tree.instance, id: mount).ask(key, from: generation)
    }

    /// A binding is live: it writes where the newest one does, whichever copy it came with (R32). An older copy of the
    /// whole representable is none: what else it holds is of then (R31).
    override func isLive(_ place: any BindingPlace) -> Bool {
        guard let coordinator = box?.coordinator.kept?.pointee, type(of: coordinator) is AnyClass,
            heldCopy(in: coordinator as AnyObject) == nil
        else { return false }
        let bindings = FieldLayout.bindings(in: value)
        return bindings.isEmpty || bindings.contains { $0.place.contains(place) }
    }

    private func heldCopy(in answerer: AnyObject) -> Content? {
        var mirror: Mirror? = Mirror(reflecting: answerer)
        while let level = mirror {
            for (_, value) in level.children { if let copy = value as? Content { return copy } }
            mirror = level.superclassMirror
        }
        return nil
    }

    override func make(_ mount: Mount, _ generation: UInt32, _ box: AnyObject?) throws -> AnyControlBox {
        let box = (box as? ControlBox<Content>) ?? ControlBox<Content>()
        self.box = box
        let content = try linked(mount, generation)
        box.coordinator.keep(content.makeCoordinator())
        node.environment.tell(mount.id, of: mount.instance)
        let placement = try box.placement(node.environment.reading(for: mount))
        let view = node.tracked { content._make(placement) }
        box.view = view
        mount.instance.offScreen = []
        ownControl = FieldLayout.controls(in: content).firstIndex { $0 === view }
        show(view, mount)
        return box
    }

    override func update(_ mount: Mount, _ generation: UInt32, _ box: AnyControlBox) throws {
        guard let box = box as? ControlBox<Content>, let view = box.view else { throw Unexpected.callback }
        let node = node
        let content = try linked(mount, generation)
        let placement = try box.placement(node.environment.reading(for: mount))
        node.tracked { content._update(view, placement) }
        mount.instance.settleOffScreen()
        if bringsControl {
            bringsControl = false
            mount.instance.report(
                2, "recreated-control",
                "each value of \(Content.self) makes a control of its own, and the first of them is what is on screen: "
                    + "make it once, in the method that returns it, not in a property")
        }
        if let now = box.view, now !== view { show(now, mount) }
    }

    private func show(_ view: any _NativeControl, _ mount: Mount) {
        let surface = _ControlSurface(
            instance: mount.instance, screen: mount.instance.screenIndex(of: bridge.screen), mount: mount.id,
            scope: shortName(of: Content.self), identifier: node.identifier)
        if makes > ends + 1 { surface.handOverNames() }
        view._enter(surface)
        guard view._hasControllers else { return }
        mount.instance.runAfterBody { [weak self, instance = mount.instance, id = mount.id] in
            if let self, self.mount == id, instance.isLive(id) { try view._hear(.appear) }
        }
    }
}

extension _Node {
    /// A representable stands here: new, or with another value.
    func wrap<Content: _Representable>(_ view: Content) throws {
        if let known = attachments["wrap"] as? Wrap<Content> {
            known.identity = identity
            if known.mount != 0, !known.isOut { environment.tell(known.mount, of: tree.instance) }
            return known.offer(view)
        }
        let instance = tree.instance
        let bridge = try instance.wrapBridge(for: Content.self, on: tree.screen)
        let made = Wrap(view, at: self, bridge: bridge, itemID: instance.newItemID(scope))
        made.identity = identity
        attachments["wrap"] = made
        tree.add(made)
        onRemoval.append { [unowned tree] in
            made.isGone = true
            // Taken down from outside before: no dismantle will come for it.
            if made.isOut, tree.instance.placements[made.mount] === made {
                tree.instance.placements[made.mount] = nil
            }
            tree.lostWrap()
        }
        evaluation = { [unowned tree] in tree.touched(made) }
    }
}

/// The bridge of all representables of one type in the code of a scenario.
@MainActor
package final class WrapBridge: Bridge {
    let type: ObjectIdentifier
    let echoes: Bool
    package var events: [(id: String, title: String, arguments: [Parameter])] = []

    init(
        type: Any.Type, id: String, screen: Screen, inputs: [String], echoes: Bool, policies: [String]
    ) {
        self.type = ObjectIdentifier(type)
        self.echoes = echoes
        // Whether a value differs is seen here, and said by `invalidate`: the host has no say in what a Swift value is.
        super.init(
            id: id, title: "\(type)", screen: screen, inputs: inputs,
            policies: ["change-test=identity"] + policies)
    }

    override var kind: BridgeKind { .wrapping(echoes: echoes, hasCoordinator: true) }
    override var nativeEvents: [(id: String, title: String, arguments: [Parameter])] { events }

    private func wrap(_ mount: Mount) throws -> AnyWrap {
        let instance = mount.instance
        if let known = instance.placements[mount.id] as? AnyWrap { return known }
        let wrap: AnyWrap
        if let id = instance.item(of: mount.id)?.id, let awaited = instance.awaited.removeValue(forKey: id) {
            wrap = awaited
        } else if let out = instance.outWrap(of: self) {
            // The mount that it had has gone, with all that lies in it.
            if instance.placements[out.mount] === out { instance.placements[out.mount] = nil }
            wrap = out
        } else {
            throw ScenarioError(
                "\(self.id) was mounted from outside: the code of the scenario has no place for it")
        }
        wrap.mount = mount.id
        instance.placements[mount.id] = wrap
        return wrap
    }

    override func makeCoordinator(_ mount: Mount) throws -> AnyObject? {
        let box = try wrap(mount).makeCoordinator(mount)
        mount.instance.newBoxes[mount.id] = box
        return box
    }

    override func make(_ mount: Mount, _ inputs: Inputs, _ cause: UInt32) throws -> AnyObject {
        let wrap = try wrap(mount)
        (wrap.isOut, wrap.isAwaited) = (false, false)
        wrap.makes += 1
        let box = try wrap.make(
            mount, inputs.generation, mount.instance.newBoxes.removeValue(forKey: mount.id))
        return try mount.instance.keep(box)
    }

    override func update(
        _ mount: Mount, _ view: OpaquePointer?, _ inputs: Inputs, _ cause: UInt32
    ) throws -> AnyObject {
        guard let box = mount.instance.box(view) else { throw Unexpected.callback }
        try wrap(mount).update(mount, inputs.generation, box)
        mount.instance.forget(view)
        return try mount.instance.keep(box)
    }

    override func dismantle(_ mount: Mount, _ view: OpaquePointer?) {
        if let wrap = mount.instance.placements[mount.id] as? AnyWrap {
            wrap.ends += 1
            if wrap.isGone {
                mount.instance.placements[mount.id] = nil
            } else {
                // Unless another one is in its place already.
                wrap.isOut = wrap.ends == wrap.makes
            }
        }
        mount.instance.newBoxes[mount.id] = nil
        guard let box = mount.instance.box(view) else { return }
        mount.instance.forget(view)
        box.dismantle()
        box.native?._leave()
    }

    override func tell(_ moment: Moment, to mount: Mount, _ view: OpaquePointer?) throws {
        try mount.instance.box(view)?.native?._hear(moment)
    }

    override func native(_ mount: Mount, _ view: OpaquePointer?, event: Int, _ texts: [String?]) throws {
        guard let native = mount.instance.box(view)?.native else { throw Unexpected.callback }
        let event = events[event]
        try mount.instance.perform(
            event.id, Values(names: event.arguments.map(\.id), texts: texts), in: native._control())
    }
}

/// What the bindings of one copy of a parent were handed over with.
struct BindingStamp {
    let mount: Mount
    let generation: UInt32

    /// The stamp of a write to this place: that of the newest copy, where it makes no difference through which it is.
    @MainActor func current(for place: any BindingPlace) -> BindingStamp {
        guard let wrap = mount.instance.placements[mount.id] as? AnyWrap, wrap.generation != generation,
            wrap.isLive(place)
        else { return self }
        return BindingStamp(mount: mount, generation: wrap.generation)
    }
}
