/// What was pushed onto a stack of views.
@MainActor
final class Navigator {
    /// What a link leads to: as the link says it now.
    final class Way {
        var destination: @MainActor () -> AnyView
        init(_ destination: @escaping @MainActor () -> AnyView) { self.destination = destination }
    }

    enum Element {
        case way(Way)
        case value(AnyHashable)
    }

    private weak var node: _Node?
    /// A path that somebody else keeps.
    fileprivate var path: Binding<[AnyHashable]>?
    private var own: [Element] = []
    fileprivate var destinations: [ObjectIdentifier: @MainActor (AnyHashable) -> AnyView?] = [:]
    fileprivate var isRendering = false
    /// Which of them is on top, counted from the root.
    fileprivate var top = 0

    init(_ node: _Node) { self.node = node }

    var elements: [Element] { own + (path?.wrappedValue.map { .value($0) } ?? []) }

    func push(_ element: Element) {
        if case .value(let value) = element, let path {
            path.wrappedValue.append(value)
        } else {
            own.append(element)
        }
        changed()
    }

    func pop() {
        if let path, !path.wrappedValue.isEmpty {
            path.wrappedValue.removeLast()
        } else if !own.isEmpty {
            own.removeLast()
        }
        changed()
    }

    fileprivate func changed() { node?.enclosingView?.invalidate(.state) }

    fileprivate func has(_ way: Way) -> Bool {
        own.contains { if case .way(let other) = $0 { other === way } else { false } }
    }

    fileprivate func view(for element: Element) -> AnyView? {
        switch element {
        case .way(let way): way.destination()
        case .value(let value): destinations[ObjectIdentifier(type(of: value.base))]?(value)
        }
    }
}

extension _Node {
    /// The root of a stack, and over it what was pushed: each with its state for as long as it stays.
    fileprivate func showStack<Root: View>(_ root: Root, path: Binding<[AnyHashable]>?) throws {
        let navigator = attachments["navigator"] as? Navigator ?? Navigator(self)
        attachments["navigator"] = navigator
        navigator.path = path
        navigator.isRendering = true
        // First what has gone: a field of the same name further down is shown after that.
        removeChildren(from: navigator.elements.count + 1)
        defer { navigator.isRendering = false }
        let bottom = content()
        bottom.environment.around.navigator = navigator
        try bottom.render(root)
        let elements = navigator.elements
        for (index, element) in elements.enumerated() {
            let place = child(index + 1)
            place.environment.around.navigator = navigator
            place.environment.around.dismiss = DismissAction { [weak navigator] _ in navigator?.pop() }
            place.beginKeyed()
            if let view = navigator.view(for: element) {
                let key: AnyHashable =
                    switch element {
                    case .way(let way): AnyHashable(ObjectIdentifier(way))
                    case .value(let value): value
                    }
                try place.child(for: key, scope: place.scope).render(view)
            }
            place.endKeyed()
        }
        putBack(elements.isEmpty ? nil : navigator)
        tellCovered(navigator, elements.count)
    }

    private func putBack(_ navigator: Navigator?) {
        guard let navigator else {
            if attachments.removeValue(forKey: "back") != nil { tree.instance.controls["Back"] = nil }
            return
        }
        let back = Control()
        back.names = ["Back"]
        back.tap = { [weak navigator] in navigator?.pop() }
        if attachments["back"] == nil {
            onRemoval.append { [weak self] in self?.tree.instance.controls["Back"] = nil }
        }
        attachments["back"] = back
        tree.instance.controls["Back"] = back
    }

    /// What is covered has disappeared, what comes to light again appears.
    private func tellCovered(_ navigator: Navigator, _ top: Int) {
        let former = navigator.top
        navigator.top = top
        if top > former { child(former).hear(.disappear) }
        if top < former { child(top).hear(.appear) }
    }
}

/// Views one over the other: a link pushes one, "Back" or `dismiss` takes it away. What is covered stays as it is.
public struct NavigationStack<Root: View>: Part {
    let path: Binding<[AnyHashable]>?
    let root: Root

    public init(@ViewBuilder root: () -> Root) { (path, self.root) = (nil, root()) }

    public init<Element: Hashable>(path: Binding<[Element]>, @ViewBuilder root: () -> Root) {
        self.root = root()
        self.path = Binding(
            get: { path.wrappedValue.map { AnyHashable($0) } },
            set: { path.wrappedValue = $0.compactMap { $0.base as? Element } })
    }

    public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) {
        self.root = root()
        self.path = Binding(
            get: { path.wrappedValue.elements }, set: { path.wrappedValue.elements = $0 })
    }

    public static func _render(_ view: NavigationStack, in node: _Node) throws {
        try node.showStack(view.root, path: view.path)
    }
}

public struct NavigationView<Root: View>: Part {
    let root: Root
    public init(@ViewBuilder content: () -> Root) { root = content() }

    public static func _render(_ view: NavigationView, in node: _Node) throws {
        try node.showStack(view.root, path: nil)
    }
}

/// Values of any type that stand for what was pushed.
public struct NavigationPath: Equatable {
    fileprivate var elements: [AnyHashable] = []
    public init() {}
    public var count: Int { elements.count }
    public var isEmpty: Bool { elements.isEmpty }
    public mutating func append(_ value: some Hashable) { elements.append(AnyHashable(value)) }
    public mutating func removeLast(_ count: Int = 1) { elements.removeLast(count) }
}

/// Leads to another view: tapped by what it says, or by its identifier.
public struct NavigationLink<Label: View, Destination: View>: Part {
    let label: Label
    let value: AnyHashable?
    let destination: @MainActor () -> Destination

    public init(
        @ViewBuilder destination: @escaping @MainActor () -> Destination, @ViewBuilder label: () -> Label
    ) { (self.label, value, self.destination) = (label(), nil, destination) }

    public init(destination: Destination, @ViewBuilder label: () -> Label) {
        (self.label, value, self.destination) = (label(), nil, { destination })
    }

    public static func _render(_ view: NavigationLink, in node: _Node) throws {
        let content = node.content()
        try content.render(view.label)
        let destination = view.destination
        let way = node.attachments["way"] as? Navigator.Way ?? Navigator.Way { AnyView(destination()) }
        way.destination = { AnyView(destination()) }
        node.attachments["way"] = way
        let navigator = node.environment.around.navigator
        // Evaluated without the stack around it: what it leads to may be on the screen, and is another value now.
        if let navigator, !navigator.isRendering, navigator.has(way) {
            node.tree.instance.runAfterBody { navigator.changed() }
        }
        let control = Control()
        let value = view.value
        control.tap = { [weak node, weak navigator] in
            guard let node, node.isEnabled else { return }
            navigator?.push(value.map { .value($0) } ?? .way(way))
        }
        control.names = (node.identifier.map { [$0] } ?? []) + content.fieldTexts()
        if control.names.isEmpty { control.names = ["link"] }
        node.tree.put(control, under: control.names[0], at: node)
    }
}

extension NavigationLink where Destination == EmptyView {
    public init(value: (some Hashable)?, @ViewBuilder label: () -> Label) {
        (self.label, self.value, destination) = (label(), value.map { AnyHashable($0) }, { EmptyView() })
    }
}

extension NavigationLink where Destination == EmptyView, Label == Text {
    public init(_ title: LocalizedStringKey, value: (some Hashable)?) {
        self.init(value: value) { Text(title) }
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, value: (some Hashable)?) {
        self.init(value: value) { Text(title) }
    }
}

extension NavigationLink where Label == Text {
    public init(_ title: LocalizedStringKey, @ViewBuilder destination: @escaping @MainActor () -> Destination)
    {
        self.init(destination: destination) { Text(title) }
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(
        _ title: Title, @ViewBuilder destination: @escaping @MainActor () -> Destination
    ) { self.init(destination: destination) { Text(title) } }
    public init(_ title: LocalizedStringKey, destination: Destination) {
        self.init(destination: destination) { Text(title) }
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, destination: Destination) {
        self.init(destination: destination) { Text(title) }
    }
}

extension View {
    /// What a value of that type in the path leads to.
    public func navigationDestination<Value: Hashable, Destination: View>(
        for type: Value.Type, @ViewBuilder destination: @escaping @MainActor (Value) -> Destination
    ) -> some View {
        ModifiedView(content: self) { node in
            node.environment.around.navigator?.destinations[ObjectIdentifier(type)] = { value in
                (value.base as? Value).map { AnyView(destination($0)) }
            }
        }
    }
}
