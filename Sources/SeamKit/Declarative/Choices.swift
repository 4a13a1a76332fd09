// Views with a value that a person turns: the value is their field.

/// One of several values: its field is the tag that is chosen. A script turns it to a tag, or to what an option says.
public struct Picker<Label: View, Selection: Hashable, Content: View>: Part {
    let selection: Binding<Selection>
    let content: Content
    let label: Label

    public init(
        selection: Binding<Selection>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
    ) {
        self.selection = selection
        self.content = content()
        self.label = label()
    }

    public static func _render(_ view: Picker, in node: _Node) throws {
        let label = node.child(0)
        try label.render(view.label)
        // The options are there, and on no screen until somebody opens them.
        let options = node.child(1)
        options.isSilent = true
        try options.render(view.content)
        let control = Control()
        let selection = view.selection
        control.set = { [weak node, weak options] text in
            guard let node, let options else { return }
            for (tag, says) in options.options {
                guard let tag = tag.base as? Selection ?? (tag.base as? Selection?) ?? nil,
                    Self.text(tag) == text || says.contains(text)
                else { continue }
                return node.act { selection.wrappedValue = tag }
            }
        }
        node.show("picker", Self.text(selection.wrappedValue), control: control)
        control.names += label.fieldTexts()
    }

    private static func text(_ tag: Selection) -> String { (tag as? any ModelText)?.modelText ?? "\(tag)" }
}

extension Picker where Label == Text {
    public init(
        _ title: LocalizedStringKey, selection: Binding<Selection>, @ViewBuilder content: () -> Content
    ) { self.init(selection: selection, content: content) { Text(title) } }
    @_disfavoredOverload
    public init<Title: StringProtocol>(
        _ title: Title, selection: Binding<Selection>, @ViewBuilder content: () -> Content
    ) { self.init(selection: selection, content: content) { Text(title) } }
}

extension View {
    /// What a choice stands for.
    public func tag(_ tag: some Hashable) -> some View {
        ModifiedView(content: self) { $0.attachments["tag"] = Tag(AnyHashable(tag)) }
    }
}

private final class Tag {
    let value: AnyHashable
    init(_ value: AnyHashable) { self.value = value }
}

extension _Node {
    /// The tags below, each with what its option says. A row without one goes by its id.
    var options: [(tag: AnyHashable, says: [String])] {
        if let tag = attachments["tag"] as? Tag { return [(tag.value, fieldTexts())] }
        return children.flatMap(\.options)
            + keyedRows.flatMap { key, row in
                let inside = row.options
                return inside.isEmpty ? [(key, row.fieldTexts())] : inside
            }
    }
}

/// A number that goes up and down by steps: turned to a value, or by a tap on "Increment" or "Decrement".
public struct Stepper<Label: View>: Part {
    let label: Label
    let value: String?
    let turn: (@MainActor (String) -> Void)?
    let increment: (@MainActor () -> Void)?
    let decrement: (@MainActor () -> Void)?

    @preconcurrency
    public init(
        @ViewBuilder label: () -> Label, onIncrement: (@MainActor () -> Void)?,
        onDecrement: (@MainActor () -> Void)?
    ) {
        self.label = label()
        (value, turn) = (nil, nil)
        (increment, decrement) = (onIncrement, onDecrement)
    }

    public init<Value: Strideable & ModelText>(
        value: Binding<Value>, in bounds: ClosedRange<Value>? = nil, step: Value.Stride = 1,
        @ViewBuilder label: () -> Label
    ) {
        self.label = label()
        self.value = value.wrappedValue.modelText
        func write(_ new: Value) {
            if let bounds, !bounds.contains(new) { return }
            value.wrappedValue = new
        }
        turn = { text in if let new = Value(modelText: text) { write(new) } }
        increment = { write(value.wrappedValue.advanced(by: step)) }
        decrement = { write(value.wrappedValue.advanced(by: -step)) }
    }

    public static func _render(_ view: Stepper, in node: _Node) throws {
        let label = node.child(0)
        try label.render(view.label)
        let control = Control()
        if let turn = view.turn { control.set = { [weak node] text in node?.act { turn(text) } } }
        let names = (node.identifier.map { [$0] } ?? []) + label.fieldTexts()
        let parts = [("Increment", view.increment), ("Decrement", view.decrement)].compactMap {
            name, action in
            action.map { action in
                let part = Control()
                part.names = names.map { "\($0) \(name)" } + [name]
                part.tap = { [weak node] in node?.act { action() } }
                return part
            }
        }
        control.parts = { parts }
        if let value = view.value {
            node.show("stepper", value, control: control)
            control.names += names
        } else {
            control.names = names
            node.tree.put(control, under: names.first ?? "stepper", at: node)
        }
    }
}

extension Stepper where Label == Text {
    public init<Value: Strideable & ModelText>(
        _ title: LocalizedStringKey, value: Binding<Value>, in bounds: ClosedRange<Value>? = nil,
        step: Value.Stride = 1
    ) { self.init(value: value, in: bounds, step: step) { Text(title) } }
    @_disfavoredOverload
    public init<Title: StringProtocol, Value: Strideable & ModelText>(
        _ title: Title, value: Binding<Value>, in bounds: ClosedRange<Value>? = nil, step: Value.Stride = 1
    ) { self.init(value: value, in: bounds, step: step) { Text(title) } }
    @preconcurrency
    public init(
        _ title: LocalizedStringKey, onIncrement: (@MainActor () -> Void)?,
        onDecrement: (@MainActor () -> Void)?
    ) { self.init(label: { Text(title) }, onIncrement: onIncrement, onDecrement: onDecrement) }
}

/// How far something is, or that something is going on, which shows no value.
public struct ProgressView<Label: View>: Part {
    let label: Label
    let value: String?

    public init(@ViewBuilder label: () -> Label) { (self.label, value) = (label(), nil) }
    public init<Value: BinaryFloatingPoint & ModelText>(
        value: Value?, total: Value = 1, @ViewBuilder label: () -> Label
    ) { (self.label, self.value) = (label(), value?.modelText) }

    public static func _render(_ view: ProgressView, in node: _Node) throws {
        if let value = view.value { node.show("progress", value) }
        try node.child(0).render(view.label)
    }
}

extension ProgressView where Label == EmptyView {
    public init() { self.init { EmptyView() } }
    public init<Value: BinaryFloatingPoint & ModelText>(value: Value?, total: Value = 1) {
        self.init(value: value, total: total) { EmptyView() }
    }
}

extension ProgressView where Label == Text {
    public init(_ title: LocalizedStringKey) { self.init { Text(title) } }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title) { self.init { Text(title) } }
    public init<Value: BinaryFloatingPoint & ModelText>(
        _ title: LocalizedStringKey, value: Value?, total: Value = 1
    ) { self.init(value: value, total: total) { Text(title) } }
}

/// Buttons that are on no screen until somebody opens them: a script taps each by what it says.
public struct Menu<Label: View, Content: View>: Part {
    let label: Label
    let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.content, self.label) = (content(), label())
    }

    public static func _render(_ view: Menu, in node: _Node) throws {
        try node.content().render(view.label)
        let items = node.child(1)
        items.isSilent = true
        try items.render(view.content)
    }
}

extension Menu where Label == Text {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
}

/// A content that somebody unfolds: it is there, folded or not.
public struct DisclosureGroup<Label: View, Content: View>: Part {
    let label: Label
    let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.content, self.label) = (content(), label())
    }

    public static func _render(_ view: DisclosureGroup, in node: _Node) throws {
        try node.child(0).render(view.label)
        try node.child(1).render(view.content)
    }
}

extension DisclosureGroup where Label == Text {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
}

extension Picker {
    public init(selection: Binding<Selection>, label: Label, @ViewBuilder content: () -> Content) {
        self.init(selection: selection, content: content) { label }
    }
}

// MARK: Views that hold others

/// A value with what it is called.
public struct LabeledContent<Label: View, Content: View>: Part {
    let label: Label
    let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.content, self.label) = (content(), label())
    }

    public static func _render(_ view: LabeledContent, in node: _Node) throws {
        try node.child(0).render(view.label)
        try node.child(1).render(view.content)
    }
}

extension LabeledContent where Label == Text {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
}

extension LabeledContent where Label == Text, Content == Text {
    public init<Value: StringProtocol>(_ title: LocalizedStringKey, value: Value) {
        self.init(content: { Text(value) }) { Text(title) }
    }
}

/// What stands there when there is nothing to show.
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: Part {
    let label: Label
    let description: Description
    let actions: Actions

    public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) { (self.label, self.description, self.actions) = (label(), description(), actions()) }

    public static func _render(_ view: ContentUnavailableView, in node: _Node) throws {
        try node.child(0).render(view.label)
        try node.child(1).render(view.description)
        try node.child(2).render(view.actions)
    }
}

extension ContentUnavailableView
where Label == SeamKit.Label<Text, Image>, Description == Text?, Actions == EmptyView {
    public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil) {
        self.init(label: { SeamKit.Label(title, systemImage: name) }, description: { description })
    }
}
