/// A view with something said of it.
public struct ModifiedView<Content: View>: Part {
    let content: Content
    let change: @MainActor (_Node) throws -> Void

    public static func _render(_ view: ModifiedView, in node: _Node) throws {
        try view.change(node)
        try node.content().render(view.content)
    }
}

public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let horizontal: Set = [.leading, .trailing]
        public static let vertical: Set = [.top, .bottom]
        public static let all: Set = [.horizontal, .vertical]
    }
}

/// A view with the name of its field.
public struct NamedView<Content: View>: Part {
    @usableFromInline let content: Content
    @usableFromInline let identifier: String

    @inlinable init(content: Content, identifier: String) {
        self.content = content
        self.identifier = identifier
    }

    // A text with a name is most of what screens are made of; here the type is not looked up.
    @specialized(where Content == Text)
    public static func _render(_ view: NamedView, in node: _Node) throws {
        node.identifier = view.identifier
        try node.content().render(view.content)
    }
}

/// A view that has its identity from its data.
public struct IdentifiedView<Content: View, ID: Hashable>: Part {
    let content: Content
    let id: ID

    public static func _render(_ view: IdentifiedView, in node: _Node) throws {
        if isBare(Content.self) {
            // A control with another id in the same place: the host makes it anew.
            node.identity = "\(view.id)"
            return try node.content().render(view.content)
        }
        node.beginKeyed()
        let child = node.child(for: AnyHashable(view.id), scope: node.scope)
        child.identifier = node.identifier
        try child.render(view.content)
        node.endKeyed()
    }
}

extension ModifiedView: BareContent {
    static var isBareContent: Bool { isBare(Content.self) }
}

extension NamedView: BareContent {
    static var isBareContent: Bool { isBare(Content.self) }
}

extension IdentifiedView: BareContent {
    static var isBareContent: Bool { isBare(Content.self) }
}

@MainActor
protocol BareContent {
    static var isBareContent: Bool { get }
}

/// Whether nothing but a representable stands there: it needs no host of its own, the screen can hold it.
@MainActor
func isBare(_ type: Any.Type) -> Bool {
    if type is any _Representable.Type { return true }
    return (type as? any BareContent.Type)?.isBareContent ?? false
}

extension View {
    private func modified(_ change: @escaping @MainActor (_Node) throws -> Void) -> ModifiedView<Self> {
        ModifiedView(content: self, change: change)
    }

    /// What the view is called by those who look for it: the name of its field.
    @inlinable public func accessibilityIdentifier(_ identifier: String) -> some View {
        NamedView(content: self, identifier: identifier)
    }

    /// Another id is another view: its state begins anew, its control is made again.
    public func id(_ id: some Hashable) -> some View { IdentifiedView(content: self, id: id) }

    public func environment<Value>(
        _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View {
        modified { $0.environment[keyPath: path] = value }
    }

    /// An `@Observable` object, for `@Environment(Object.self)` below.
    public func environment<Object: AnyObject>(_ object: Object?) -> some View {
        modified { $0.environment[object: Object.self] = object }
    }

    public func environmentObject<Object: ObservableObject>(_ object: Object) -> some View {
        modified { $0.environment[object: Object.self] = object }
    }

    /// Runs when the view has come into the tree.
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        let action = SendableAction(action ?? {})
        return modified { node in
            if let known = node.attachments["appearing"] as? LatestAction { return known.action = action }
            node.attachments["appearing"] = LatestAction(action)
            node.tree.instance.runAfterBody { action.run() }
        }
    }

    /// Runs when the view has left the tree.
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        let action = SendableAction(action ?? {})
        return modified { node in
            let instance = node.tree.instance
            if node.attachments["disappearing"] == nil {
                let latest = LatestAction(action)
                node.attachments["disappearing"] = latest
                node.onRemoval.append { instance.runAfterBody { latest.action.run() } }
            } else {
                (node.attachments["disappearing"] as? LatestAction)?.action = action
            }
        }
    }

    /// Runs when the value is another one than at the evaluation before.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
    ) -> some View {
        modified { node in
            let known = node.attachments["change"] as? Seen<Value>
            node.attachments["change"] = Seen(value)
            if let known {
                if known.value != value {
                    let action = SendableAction { action(known.value, value) }
                    node.tree.instance.runAfterBody { action.run() }
                }
            } else if initial {
                let action = SendableAction { action(value, value) }
                node.tree.instance.runAfterBody { action.run() }
            }
        }
    }

    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { onChange(of: value, initial: initial) { _, _ in action() } }

    public func onChange<Value: Equatable>(
        of value: Value, perform action: @escaping (Value) -> Void
    ) -> some View { onChange(of: value) { _, new in action(new) } }

    /// Each value of the publisher, as long as the view is there.
    public func onReceive<Source: Publisher>(
        _ publisher: Source, perform action: @escaping (Source.Output) -> Void
    ) -> some View where Source.Failure == Never {
        modified { node in
            guard node.attachments["receiving"] == nil else { return }
            let cancellable = publisher.sink(receiveValue: action)
            node.attachments["receiving"] = cancellable
            node.onRemoval.append { cancellable.cancel() }
        }
    }

    /// Asynchronous work of the view's: begins when it appears, is cancelled when it disappears.
    public func task(
        priority: TaskPriority = .userInitiated, _ action: @escaping @MainActor () async -> Void
    ) -> some View {
        modified { $0.keepTask(0, action) }
    }

    /// The same, begun anew whenever the value is another one.
    public func task<Value: Equatable>(
        id value: Value, priority: TaskPriority = .userInitiated,
        _ action: @escaping @MainActor () async -> Void
    ) -> some View {
        modified { $0.keepTask(value, action) }
    }

    /// Nobody gets at what is disabled; what is in it can't be enabled from inside.
    public func disabled(_ isDisabled: Bool) -> some View {
        modified { node in if isDisabled { node.environment.isEnabled = false } }
    }

    /// There, with its state, and nothing of it is shown.
    public func hidden() -> some View { modified { $0.isSilent = true } }

    /// Nobody closes the sheet around it; the code still can.
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
        modified { $0.environment.around.sheet?.isHeld = isDisabled }
    }

    /// A tap, by the identifier of what is tapped, or by what it says.
    @preconcurrency
    public func onTapGesture(count: Int = 1, perform action: @escaping @MainActor () -> Void) -> some View {
        TappedView(content: self, kind: count == 1 ? nil : "doubleTap", action: action)
    }

    /// A long press: a tap on the name with "longPress" behind it.
    @preconcurrency
    public func onLongPressGesture(
        minimumDuration: Double = 0.5, perform action: @escaping @MainActor () -> Void
    ) -> some View { TappedView(content: self, kind: "longPress", action: action) }

    /// Another view over this one, as long as the value is true. Closed by a person it writes the value.
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        SheetView(content: self, isPresented: isPresented, onDismiss: onDismiss, sheet: content)
    }

    /// Another view over this one, as long as there is an item. Closed by a person it takes the item away.
    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        SheetView(content: self, isPresented: Binding(presenting: item), onDismiss: onDismiss) {
            item.wrappedValue.map { IdentifiedView(content: content($0), id: $0.id) }
        }
    }

    /// A size that is given is known without a layout: what a host measures.
    public func frame(width: Double? = nil, height: Double? = nil, alignment: Alignment = .center)
        -> some View
    {
        modified {
            $0.size = (width, height)
            $0.tree.hasSizes = true
        }
    }
}

/// An action on its way to the next round.
struct SendableAction: @unchecked Sendable {
    // Sendable: made and run on the main thread.
    private let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    func run() { action() }
}

private final class LatestAction {
    var action: SendableAction
    init(_ action: SendableAction) { self.action = action }
}

private final class Seen<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// A view with another one over it. What is over it is closed by a tap on "dismiss".
public struct SheetView<Content: View, Sheet: View>: Part {
    let content: Content
    let isPresented: Binding<Bool>
    let onDismiss: (() -> Void)?
    let sheet: () -> Sheet
    /// What somebody taps to close it.
    var closing = "dismiss"

    public static func _render(_ view: SheetView, in node: _Node) throws {
        let below = node.child(0)
        below.identifier = node.identifier
        try below.render(view.content)
        let above = node.child(1)
        guard view.isPresented.wrappedValue else {
            if !above.isNew, let onDismiss = view.onDismiss {
                let action = SendableAction(onDismiss)
                node.tree.instance.runAfterBody { action.run() }
            }
            return above.clear()
        }
        above.become(SheetView.self)
        let control = Control()
        control.names = [view.closing]
        let close = Closing(isPresented: view.isPresented, node: node)
        let sheet = above.attachments["sheet"] as? PresentedSheet ?? PresentedSheet()
        above.attachments["sheet"] = sheet
        above.environment.around.sheet = sheet
        // A person can't, where the code says so; the code itself always can.
        control.tap = { if !sheet.isHeld { close.run() } }
        above.environment.around.dismiss = DismissAction { _ in close.run() }
        above.tree.put(control, under: view.closing, at: above)
        try above.content().render(view.sheet())
    }
}

@MainActor
final class PresentedSheet {
    /// Whether a person is kept from closing it.
    var isHeld = false
}

/// How what is presented is closed from inside of it.
@MainActor
private final class Closing {
    private let isPresented: Binding<Bool>
    private weak var node: _Node?

    init(isPresented: Binding<Bool>, node: _Node) { (self.isPresented, self.node) = (isPresented, node) }

    func run() {
        isPresented.wrappedValue = false
        node?.enclosingView?.invalidate(.input)
    }
}

/// A tap, for `gesture(_:)`.
public struct TapGesture {
    let count: Int
    var action: (@MainActor () -> Void)?
    public init(count: Int = 1) { self.count = count }
    @preconcurrency
    public func onEnded(_ action: @escaping @MainActor () -> Void) -> TapGesture {
        var gesture = self
        gesture.action = action
        return gesture
    }
}

extension View {
    public func gesture(_ gesture: TapGesture) -> some View {
        onTapGesture(count: gesture.count, perform: gesture.action ?? {})
    }
}

/// A view that somebody taps who is no button.
public struct TappedView<Content: View>: Part {
    let content: Content
    /// Another gesture than a plain tap.
    let kind: String?
    let action: @MainActor () -> Void

    public static func _render(_ view: TappedView, in node: _Node) throws {
        let content = node.content()
        try content.render(view.content)
        let names = (node.identifier.map { [$0] } ?? []) + content.fieldTexts()
        let control = Control()
        if let kind = view.kind {
            control.names = names.isEmpty ? [kind] : names.map { "\($0) \(kind)" }
        } else {
            control.names = names.isEmpty ? ["tap"] : names
        }
        let action = view.action
        control.tap = { [weak node] in if node?.isEnabled ?? true { action() } }
        node.tree.put(control, under: "\(control.names[0])\u{1}", at: node)
    }
}

extension _Node {
    /// The task of this place: the one before is cancelled, this one when the place goes.
    fileprivate func keepTask<Value: Equatable>(
        _ value: Value, _ action: @escaping @MainActor () async -> Void
    ) {
        if let known = attachments["task"] as? PlacedTask {
            known.action = action
            guard (known.value as? Value) != value else { return }
            known.value = value
            return known.begin(tree.instance)
        }
        let made = PlacedTask(value, action)
        attachments["task"] = made
        onRemoval.append { made.end() }
        made.begin(tree.instance)
    }
}

/// The asynchronous work of a place, as long as that is on the screen.
@MainActor
private final class PlacedTask {
    /// What it goes by: another value begins it anew.
    var value: Any
    var action: @MainActor () async -> Void
    private var task: Task<Void, Never>?
    private var number = 0

    init(_ value: Any, _ action: @escaping @MainActor () async -> Void) {
        (self.value, self.action) = (value, action)
    }

    func begin(_ instance: Instance) {
        end()
        let turn = number
        instance.runAfterBody { [weak self] in
            guard let self, number == turn else { return }
            task = Task { [action] in await action() }
        }
    }

    func end() {
        number += 1
        task?.cancel()
        task = nil
    }
}

extension _Node {
    /// What stands here and below leaves the screen, or is back on it, with the view of its host.
    func hear(_ moment: Moment) {
        let name = moment == .appear ? "appearing" : "disappearing"
        if let latest = attachments[name] as? LatestAction {
            tree.instance.runAfterBody { latest.action.run() }
        }
        if let task = attachments["task"] as? PlacedTask {
            if moment == .appear { task.begin(tree.instance) } else { task.end() }
        }
        for child in children + keyedChildren { child.hear(moment) }
    }
}

extension Instance {
    /// The second half of a move from one screen to another: in the next round, or before another move begins.
    package func finishLater(_ finish: @escaping @MainActor () -> Void) {
        moves.append(finish)
        runAfterBody { [weak self] in self?.finishMoves() }
    }

    package func finishMoves() {
        let begun = moves
        moves = []
        for finish in begun { finish() }
    }

    /// Code of the scenario's own: not inside the body that brought it up.
    package func runAfterBody(_ action: @escaping @MainActor () throws -> Void) {
        afterFlush.append(action)
        askForFlush()
    }
}
