internal import Observation

/// What a hosted view has become: places, and what they show on one screen.
///
/// It asks for an evaluation and never runs one by itself: that is up to the host, which calls back with `draw`.
@MainActor
package final class Tree {
    package let instance: Instance
    // `!`: made in init, right after what it refers to.
    package private(set) var root: _Node!
    /// The mount that draws it; 0 for what the scenario itself puts up.
    package var mount: UInt64 = 0
    package let screen: UInt32
    /// What the bindings that are linked now were handed over with.
    var stamp: BindingStamp?

    /// Somebody in it has given a size; most trees have none, and are not searched for one.
    var hasSizes = false

    private var dirty: [_Node] = []
    private var isEvaluating = false
    /// What is wrapped in it, in the order of coming in.
    private(set) var wraps: [AnyWrap] = []
    private var entered: [_Node] = []
    /// The places that have read what came from outside of the tree.
    var readers: [ObjectIdentifier: Unchecked<_Node>] = [:]

    package init(instance: Instance, screen: UInt32, scope: String, environment: EnvironmentValues = .init())
    {
        self.instance = instance
        self.screen = screen
        root = _Node(tree: self, parent: nil, environment: environment, scope: scope)
    }

    // MARK: Evaluating

    /// The root view, which was assigned or is new.
    package func draw<Content: View>(_ view: Content) throws {
        try evaluate { try root.render(view) }
    }

    /// What has changed since, the outer ones first: an inner one may go with them.
    package func redraw() throws {
        noteOtherEnvironment()
        try evaluate {
            while !dirty.isEmpty {
                let next = dirty.removeFirst()
                if next.isDirty { try next.evaluation?() }
            }
        }
    }

    /// The host draws: maybe for a value of the environment, or for something else with one of them changed as well.
    private func noteOtherEnvironment() {
        if readers.isEmpty || mount == 0 { return }
        let here = Mount(instance: instance, id: mount)
        for (place, reader) in readers {
            guard let node = reader.value, !node.inherited.isEmpty else {
                readers[place] = nil
                continue
            }
            guard let view = node.enclosingView, !view.isDirty,
                node.inherited.contains(where: { here[environment: $0.key] != $0.value })
            else { continue }
            view.isDirty = true
            dirty.append(view)
        }
    }

    private func evaluate(_ body: () throws -> Void) throws {
        isEvaluating = true
        defer { isEvaluating = false }
        try body()
        dirty.removeAll { !$0.isDirty }
        try placeWraps()
    }

    package func note(_ node: _Node, _ cause: Why) {
        dirty.append(node)
        // What its own evaluation touched waits for the next one.
        instance.ask(for: self, cause)
    }

    /// The end of all that stands here. Inside `destroy` nothing is unmounted: the host has done so.
    package func clear() {
        root.clear()
        if instance.phase != .dismantling { try? placeWraps() }
    }

    func didEnter(_ node: _Node) { entered.append(node) }

    var givenSize: (width: Double?, height: Double?)? { hasSizes ? root.givenSize : nil }

    // MARK: Fields

    package func show(_ key: String, _ text: String?) { instance.show(screen, key, text) }
    package func release(_ field: ShownField) {
        if instance.phase != .dismantling { instance.show(screen, field.name, nil) }
    }
    package func declare(_ key: String) { instance.declare(key, on: screen) }
    package func put(_ control: Control, under name: String, at node: _Node) {
        if instance.controls.updateValue(control, forKey: name) == nil, node.attachments["control"] == nil {
            node.attachments["control"] = control
            node.onRemoval.append { [instance] in instance.controls[name] = nil }
        }
    }

    // MARK: What is wrapped

    func add(_ wrap: AnyWrap) { wraps.append(wrap) }

    /// Something that was wrapped has gone outside of an evaluation of the whole.
    func lostWrap() {}

    /// What it read has changed: an update, which the host runs.
    func touched(_ wrap: AnyWrap) {
        if instance.isInBody || wrap.mount == 0 { return }
        instance.invalidate(wrap.mount, .observed)
    }

    /// Tells the host what is there to wrap, and what of it has another value.
    private func placeWraps() throws {
        if wraps.isEmpty { return }
        if instance.isInBody {
            try placeAsItems()
        } else {
            try placeOneByOne()
        }
        wraps.removeAll(where: \.isGone)
        for wrap in wraps { wrap.isChanged = false }
    }

    private func placeOneByOne() throws {
        for wrap in wraps where !wrap.isOut {
            if wrap.isGone {
                if wrap.mount != 0 { instance.unmount(wrap.mount) }
            } else if wrap.mount == 0 {
                wrap.mount = try instance.mount(wrap.bridge, in: mount, item: nil, style: nil)
                instance.placements[wrap.mount] = wrap
                if let identity = wrap.identity { instance.identify(wrap.mount, identity) }
            } else {
                if let identity = wrap.identity { instance.identify(wrap.mount, identity) }
                if wrap.isChanged { instance.invalidate(wrap.mount, .input) }
            }
        }
    }

    /// Inside a body nothing is mounted or unmounted by itself: the list of what is there is told as a whole. That one of
    /// them has another value is told in the next round.
    private func placeAsItems() throws {
        if wraps.contains(where: { $0.isGone || $0.mount == 0 && !$0.isAwaited }) { try tellItems() }
        for wrap in wraps where wrap.mount != 0 && !wrap.isGone && !wrap.isOut {
            if let identity = wrap.identity { instance.identify(wrap.mount, identity) }
            if wrap.isChanged {
                instance.runAfterBody { [instance] in
                    if !wrap.isGone, !wrap.isOut { instance.invalidate(wrap.mount, .input) }
                }
            }
        }
    }

    private func tellItems() throws {
        var bridges: [WrapBridge] = []
        for wrap in wraps where !bridges.contains(where: { $0 === wrap.bridge }) {
            bridges.append(wrap.bridge)
        }
        for bridge in bridges {
            let present = wraps.filter { $0.bridge === bridge && !$0.isGone && !$0.isOut }
            for wrap in present where wrap.mount == 0 {
                instance.awaited[wrap.itemID] = wrap
                wrap.isAwaited = true
            }
            try instance.show(present.map { Item(id: $0.itemID) }, of: bridge, in: mount)
        }
    }
}

extension _Node {
    /// Runs a body; whatever `@Observable` it reads causes another evaluation.
    func tracked<Result>(_ body: () -> Result) -> Result {
        // The callback comes before the value is stored, once, and may come from any thread.
        let place = Unchecked(self)
        return withObservationTracking(body) {
            onMain("an observable object") { place.value?.invalidate(.observed) }
        }
    }

    func enter(branch: Int) {
        let known = attachments["branch"] as? Branch
        if let known, known.number == branch { return }
        if known != nil { removeChildren(from: 0) }
        attachments["branch"] = Branch(branch)
    }
}

private final class Branch {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// A reference on its way to the main thread.
struct Unchecked<Value: AnyObject>: @unchecked Sendable {
    // Sendable: looked into on the main thread alone.
    weak var value: Value?
    init(_ value: Value) { self.value = value }
}
