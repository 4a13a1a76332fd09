/// A view with another one beside, before or behind it: both are there.
public struct LayeredView<Content: View, Other: View>: Part {
    let content: Content
    let other: Other
    /// The other one is on no screen until somebody opens it.
    var isSilent = false

    public static func _render(_ view: LayeredView, in node: _Node) throws {
        node.become(LayeredView.self)
        try Content._render(view.content, in: node.content())
        let other = node.child(1)
        other.isSilent = node.isSilent || view.isSilent
        try Other._render(view.other, in: other)
    }
}

/// A view that asks something: while the value is true a script taps an answer by what it says, which closes it.
public struct DialogView<Content: View, Actions: View>: Part {
    let content: Content
    let isPresented: Binding<Bool>
    let actions: () -> Actions

    public static func _render(_ view: DialogView, in node: _Node) throws {
        node.become(DialogView.self)
        try Content._render(view.content, in: node.content())
        let dialog = node.child(1)
        let isPresented = view.isPresented
        guard isPresented.wrappedValue else { return dialog.clear() }
        dialog.become(DialogView.self)
        dialog.isSilent = true
        let end: @MainActor () -> Void = { [weak node] in
            isPresented.wrappedValue = false
            node?.enclosingView?.invalidate(.input)
        }
        dialog.environment.around.endDialog = end
        let actions = dialog.child(0)
        try Actions._render(view.actions(), in: actions)
        // Without an answer of its own it has one.
        guard !actions.hasControls else { return }
        let control = Control()
        control.names = ["OK"]
        control.tap = end
        dialog.tree.put(control, under: "OK", at: dialog)
    }
}

extension _Node {
    fileprivate var hasControls: Bool { control != nil || children.contains(where: \.hasControls) }
}

/// An alert as code of iOS 14 has it.
@MainActor
@preconcurrency
public struct Alert {
    @MainActor
    @preconcurrency
    public struct Button {
        let title: String
        let role: ButtonRole?
        let action: @MainActor () -> Void
        @preconcurrency
        public static func `default`(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
            Button(title: label.content, role: nil, action: action ?? {})
        }
        @preconcurrency
        public static func cancel(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
            Button(title: label.content, role: .cancel, action: action ?? {})
        }
        @preconcurrency
        public static func cancel(_ action: (@MainActor () -> Void)? = {}) -> Button {
            cancel(Text(verbatim: "Cancel"), action: action)
        }
        @preconcurrency
        public static func destructive(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
            Button(title: label.content, role: .destructive, action: action ?? {})
        }
    }

    let buttons: [Button]
    public init(title: Text, message: Text? = nil, dismissButton: Button? = nil) {
        buttons = [dismissButton ?? .default(Text(verbatim: "OK"))]
    }
    public init(title: Text, message: Text? = nil, primaryButton: Button, secondaryButton: Button) {
        buttons = [primaryButton, secondaryButton]
    }

    @ViewBuilder var actions: some View {
        ForEach(0..<buttons.count) { index in
            SeamKit.Button(action: buttons[index].action) { Text(verbatim: buttons[index].title) }
        }
    }
}

public enum Visibility: Sendable { case automatic, visible, hidden }

extension View {
    private func dialog<Actions: View>(
        _ isPresented: Binding<Bool>, _ actions: @escaping () -> Actions
    ) -> DialogView<Self, Actions> { DialogView(content: self, isPresented: isPresented, actions: actions) }

    private func dialog<Data, Actions: View>(
        _ isPresented: Binding<Bool>, _ data: Data?, _ actions: @escaping (Data) -> Actions
    ) -> DialogView<Self, Actions?> { dialog(isPresented) { data.map { actions($0) } } }

    public func alert<Actions: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions
    ) -> some View { dialog(isPresented, actions) }
    @_disfavoredOverload
    public func alert<Title: StringProtocol, Actions: View>(
        _ title: Title, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions
    ) -> some View { dialog(isPresented, actions) }
    public func alert<Actions: View, Message: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>,
        @ViewBuilder actions: @escaping () -> Actions, @ViewBuilder message: () -> Message
    ) -> some View { dialog(isPresented, actions) }
    @_disfavoredOverload
    public func alert<Title: StringProtocol, Actions: View, Message: View>(
        _ title: Title, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { dialog(isPresented, actions) }
    public func alert<Data, Actions: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Data?,
        @ViewBuilder actions: @escaping (Data) -> Actions
    ) -> some View { dialog(isPresented, data, actions) }
    public func alert<Data, Actions: View, Message: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Data?,
        @ViewBuilder actions: @escaping (Data) -> Actions, @ViewBuilder message: (Data) -> Message
    ) -> some View { dialog(isPresented, data, actions) }

    public func alert(isPresented: Binding<Bool>, content: @escaping () -> Alert) -> some View {
        dialog(isPresented) { content().actions }
    }
    public func alert<Item: Identifiable>(item: Binding<Item?>, content: @escaping (Item) -> Alert)
        -> some View
    { dialog(Binding(presenting: item)) { item.wrappedValue.map { content($0).actions } } }

    public func confirmationDialog<Actions: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: @escaping () -> Actions
    ) -> some View { dialog(isPresented, actions) }
    public func confirmationDialog<Actions: View, Message: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: @escaping () -> Actions, @ViewBuilder message: () -> Message
    ) -> some View { dialog(isPresented, actions) }

    public func fullScreenCover<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View { sheet(isPresented: isPresented, onDismiss: onDismiss, content: content) }
    public func fullScreenCover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { sheet(item: item, onDismiss: onDismiss, content: content) }
    public func popover<Content: View>(
        isPresented: Binding<Bool>, arrowEdge: Edge = .top, @ViewBuilder content: @escaping () -> Content
    ) -> some View { sheet(isPresented: isPresented, content: content) }
    public func popover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, arrowEdge: Edge = .top, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { sheet(item: item, content: content) }

    /// Another view pushed over this one, as long as the value is true.
    public func navigationDestination<Destination: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> Destination
    ) -> some View {
        SheetView(
            content: self, isPresented: isPresented, onDismiss: nil, sheet: destination, closing: "Back")
    }

    // MARK: What is open when somebody opens it

    public func contextMenu<Items: View>(@ViewBuilder menuItems: () -> Items) -> some View {
        LayeredView(content: self, other: menuItems(), isSilent: true)
    }
    public func swipeActions<Actions: View>(
        edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> Actions
    ) -> some View { LayeredView(content: self, other: content(), isSilent: true) }

    // MARK: What is in the bars

    public func toolbar<Items: View>(@ViewBuilder content: () -> Items) -> some View {
        LayeredView(content: self, other: content())
    }
    public func navigationBarItems<Leading: View, Trailing: View>(leading: Leading, trailing: Trailing)
        -> some View
    {
        LayeredView(
            content: self, other: LayeredView(content: leading, other: trailing))
    }
    public func navigationBarItems<Trailing: View>(trailing: Trailing) -> some View {
        LayeredView(content: self, other: trailing)
    }
    public func navigationBarItems<Leading: View>(leading: Leading) -> some View {
        LayeredView(content: self, other: leading)
    }
    public func safeAreaInset<Other: View>(
        edge: Edge, spacing: Double? = nil, @ViewBuilder content: () -> Other
    ) -> some View { LayeredView(content: self, other: content()) }

    /// A field to search by, which a script types into by "Search" or its prompt.
    public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic,
        prompt: LocalizedStringKey = "Search"
    ) -> some View { LayeredView(content: self, other: TextField(prompt, text: text)) }

    /// Asked for by a tap on "refresh".
    public func refreshable(action: @escaping @MainActor @Sendable () async -> Void) -> some View {
        ModifiedView(content: self) { node in
            node.environment.around.refresh = RefreshAction(perform: action)
            let control = Control()
            control.names = ["refresh"]
            control.tap = { Task { await action() } }
            node.tree.put(control, under: "refresh", at: node)
        }
    }
}

extension Binding where Value == Bool {
    /// Whether there is an item; to write that there is none takes it away.
    init<Item>(presenting item: Binding<Item?>) {
        self.init(get: { item.wrappedValue != nil }, set: { if !$0 { item.wrappedValue = nil } })
    }
}

public enum HorizontalEdge: Sendable { case leading, trailing }

public struct SearchFieldPlacement: Sendable {
    public static let automatic = SearchFieldPlacement()
    public static let toolbar = SearchFieldPlacement()
    public static let navigationBarDrawer = SearchFieldPlacement()
}

/// Where an item stands in the bars: it is there, wherever that is.
public struct ToolbarItemPlacement: Sendable {
    public static let automatic = ToolbarItemPlacement()
    public static let principal = ToolbarItemPlacement()
    public static let navigation = ToolbarItemPlacement()
    public static let primaryAction = ToolbarItemPlacement()
    public static let confirmationAction = ToolbarItemPlacement()
    public static let cancellationAction = ToolbarItemPlacement()
    public static let destructiveAction = ToolbarItemPlacement()
    public static let navigationBarLeading = ToolbarItemPlacement()
    public static let navigationBarTrailing = ToolbarItemPlacement()
    public static let topBarLeading = ToolbarItemPlacement()
    public static let topBarTrailing = ToolbarItemPlacement()
    public static let bottomBar = ToolbarItemPlacement()
    public static let status = ToolbarItemPlacement()
    public static let keyboard = ToolbarItemPlacement()
}

public struct ToolbarItem<Content: View>: Container {
    public let content: Content
    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

public struct ToolbarItemGroup<Content: View>: Container {
    public let content: Content
    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}
