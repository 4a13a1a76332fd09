internal import Glibc

/// A text: what it says is a field.
public struct Text: Part {
    let content: String

    // A literal is a key, as in SwiftUI: what only a key interpolates would be printed as any value is.
    @_disfavoredOverload
    public init<Content: StringProtocol>(_ content: Content) { self.content = String(content) }
    public init(_ content: LocalizedStringKey) { self.content = content.text }
    public init(verbatim content: String) { self.content = content }

    public static func _render(_ view: Text, in node: _Node) {
        node.show("text", view.content)
    }

    public static func + (one: Text, other: Text) -> Text { Text(verbatim: one.content + other.content) }
}

/// A literal text as a view takes it. No table of translations is looked into: it says what it says.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable, Sendable {
    let text: String
    public init(_ value: String) { text = value }
    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// With what a plain text has not: `\(total, specifier: "%.2f")`, in the words of C's printf.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation<Value>(_ value: Value) { text += "\(value)" }
        public mutating func appendInterpolation(_ value: Text) { text += value.content }
        public mutating func appendInterpolation<Value: CVarArg>(_ value: Value, specifier: String) {
            text += printed(value, specifier)
        }
    }
}

private func printed(_ value: any CVarArg, _ specifier: String) -> String {
    withVaList([value]) { arguments in
        // No number is as long: what is longer is cut off, as vsnprintf does.
        let bytes = [CChar](unsafeUninitializedCapacity: 512) { buffer, count in
            count = max(
                0,
                min(Int(vsnprintf(buffer.baseAddress, buffer.count, specifier, arguments)), buffer.count - 1))
        }
        return String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// An image: what it is called is a field.
public struct Image: Part {
    let name: String
    public init(_ name: String) { self.name = name }
    public init(systemName: String) { name = systemName }
    public static func _render(_ view: Image, in node: _Node) {
        node.show("image", view.name)
    }
}

/// A title with a picture beside it, of which the title is shown.
public struct Label<Title: View, Icon: View>: Part {
    let title: Title
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) { self.title = title() }
    public static func _render(_ view: Label, in node: _Node) throws {
        try node.content().render(view.title)
    }
}

extension Label where Title == Text, Icon == Image {
    public init(_ title: LocalizedStringKey, systemImage name: String) { self.title = Text(title) }
    public init(_ title: LocalizedStringKey, image name: String) { self.title = Text(title) }
    @_disfavoredOverload
    public init<Content: StringProtocol>(_ title: Content, systemImage name: String) {
        self.title = Text(title)
    }
}

/// A button. What it says is a field; a tap runs its action.
public struct Button<Label: View>: Part {
    let action: @MainActor () -> Void
    let label: Label
    var role: ButtonRole?

    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    @preconcurrency
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
        self.role = role
    }

    public static func _render(_ view: Button, in node: _Node) throws {
        let control = Control()
        let action = view.action
        let end = node.environment.around.endDialog
        control.tap = { [weak node] in
            guard node?.isEnabled ?? true else { return }
            end?()
            action()
        }
        node.control = control
        let content = node.content()
        if let style = node.environment.around.buttonStyle {
            let configuration = ButtonStyleConfiguration(label: AnyView(view.label), role: view.role)
            try content.render(style(configuration))
        } else {
            try content.render(view.label)
        }
        // A button is called after its identifier, or after what it says.
        let texts = content.fieldTexts()
        if let name = node.identifier { control.names.append(name) }
        control.names += texts
        if control.names.isEmpty { control.names = ["button"] }
        node.tree.put(control, under: control.names[0], at: node)
    }
}

extension Button where Label == Text {
    @preconcurrency
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
    @preconcurrency
    public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
    @preconcurrency
    public init(_ title: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        self.init(role: role, action: action) { Text(title) }
    }
    @_disfavoredOverload
    @preconcurrency
    public init<Title: StringProtocol>(
        _ title: Title, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { self.init(role: role, action: action) { Text(title) } }
}

extension Button where Label == SeamKit.Label<Text, Image> {
    @preconcurrency
    public init(
        _ title: LocalizedStringKey, systemImage name: String, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    ) { self.init(role: role, action: action) { SeamKit.Label(title, systemImage: name) } }
}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
    let name: String
}

/// A field to type into. It shows what its binding gives.
public struct TextField: Part {
    let title: String
    let text: Binding<String>
    let onEditingChanged: ((Bool) -> Void)?
    let onCommit: (() -> Void)?

    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        (self.title, self.text, onEditingChanged, onCommit) = (title.text, text, nil, nil)
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {
        (self.title, self.text, onEditingChanged, onCommit) = (String(title), text, nil, nil)
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, axis: Axis) {
        self.init(title, text: text)
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        self.init(title, text: text)
    }
    public init(
        _ title: LocalizedStringKey, text: Binding<String>,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }, onCommit: @escaping () -> Void = {}
    ) {
        (self.title, self.text, self.onEditingChanged, self.onCommit) = (
            title.text, text, onEditingChanged, onCommit
        )
    }

    public static func _render(_ view: TextField, in node: _Node) {
        showEditor(
            "textField", view.title, view.text, in: node, isLine: true,
            onEditingChanged: view.onEditingChanged, onCommit: view.onCommit)
    }
}

public struct SecureField: Part {
    let title: String
    let text: Binding<String>
    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        (self.title, self.text) = (title.text, text)
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {
        (self.title, self.text) = (String(title), text)
    }
    public static func _render(_ view: SecureField, in node: _Node) {
        showEditor("secureField", view.title, view.text, in: node, isLine: true)
    }
}

public struct TextEditor: Part {
    let text: Binding<String>
    public init(text: Binding<String>) { self.text = text }
    public static func _render(_ view: TextEditor, in node: _Node) {
        showEditor("textEditor", "", view.text, in: node)
    }
}

/// What is typed goes through the binding; what comes back through it is what the field shows.
///
/// - Parameter isLine: a line break at its end is none of the text: it submits, and ends the editing.
@MainActor
private func showEditor(
    _ kind: String, _ title: String, _ text: Binding<String>, in node: _Node, isLine: Bool = false,
    onEditingChanged: ((Bool) -> Void)? = nil, onCommit: (() -> Void)? = nil
) {
    let editor = node.attachments["editor"] as? Editor ?? Editor(at: node)
    node.attachments["editor"] = editor
    editor.onEditingChanged = onEditingChanged
    let control = Control()
    control.type = { [weak node] typed in
        guard node?.isEnabled ?? true, editor.begin() else { return }
        let isSubmit = isLine && typed.last == "\n"
        let typed = isSubmit ? String(typed.dropLast()) : typed
        if let node, let field = node.field { node.tree.show(field.name, typed) }
        text.wrappedValue = typed
        if isSubmit {
            onCommit?()
            node?.environment.around.submit?()
            editor.resignFirstResponder()
        }
        node?.enclosingView?.invalidate(.input)
    }
    control.endEditing = {
        guard editor.isFirstResponder else { return false }
        return editor.resignFirstResponder()
    }
    if !title.isEmpty { control.names.append(title) }
    node.show(kind, text.wrappedValue, control: control)
}

/// Whether somebody types into the text at a place, from one evaluation to the next.
@MainActor
private final class Editor: Responding {
    private(set) var isFirstResponder = false
    var onEditingChanged: ((Bool) -> Void)?
    private weak var node: _Node?

    init(at node: _Node) {
        self.node = node
        node.onRemoval.append { [weak self] in self?.isFirstResponder = false }
    }

    /// False when what was typed into before may not be left.
    func begin() -> Bool {
        if isFirstResponder { return true }
        guard let node, node.tree.instance.makeFirst(self) else { return false }
        isFirstResponder = true
        node.environment.around.didFocus?()
        onEditingChanged?(true)
        return true
    }

    @discardableResult
    func resignFirstResponder() -> Bool {
        if !isFirstResponder { return true }
        isFirstResponder = false
        guard let node else { return true }
        if node.tree.instance.firstResponder === self { node.tree.instance.firstResponder = nil }
        node.environment.around.didBlur?()
        onEditingChanged?(false)
        node.enclosingView?.invalidate(.input)
        return true
    }
}

/// A switch: "true" or "false".
public struct Toggle<Label: View>: Part {
    let isOn: Binding<Bool>
    let label: Label

    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        self.isOn = isOn
        self.label = label()
    }

    public static func _render(_ view: Toggle, in node: _Node) throws {
        let control = Control()
        let isOn = view.isOn
        control.set = { [weak node] value in node?.act { isOn.wrappedValue = value == "true" } }
        control.tap = { [weak node] in node?.act { isOn.wrappedValue.toggle() } }
        node.show("toggle", isOn.wrappedValue.modelText, control: control)
        let label = node.child(0)
        try label.render(view.label)
        control.names += label.fieldTexts()
    }
}

extension Toggle where Label == Text {
    public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) { self.init(isOn: isOn) { Text(title) } }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(title) }
    }
}

/// A value on a scale.
public struct Slider<Label: View, Value: BinaryFloatingPoint & ModelText>: Part {
    let value: Binding<Value>
    let bounds: ClosedRange<Value>
    let label: Label

    public init(
        value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1, @ViewBuilder label: () -> Label
    ) { (self.value, self.bounds, self.label) = (value, bounds, label()) }

    public init(
        value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value, @ViewBuilder label: () -> Label
    ) { self.init(value: value, in: bounds, label: label) }

    public static func _render(_ view: Slider, in node: _Node) throws {
        let control = Control()
        let (value, bounds) = (view.value, view.bounds)
        control.set = { [weak node] text in
            guard node?.isEnabled ?? true, let new = Value(modelText: text) else { return }
            value.wrappedValue = min(max(new, bounds.lowerBound), bounds.upperBound)
            node?.enclosingView?.invalidate(.input)
        }
        node.show("slider", value.wrappedValue.modelText, control: control)
        let label = node.child(0)
        try label.render(view.label)
        control.names += label.fieldTexts()
    }
}

extension Slider where Label == EmptyView {
    public init(value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1) {
        self.init(value: value, in: bounds) { EmptyView() }
    }
    public init(value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value) {
        self.init(value: value, in: bounds) { EmptyView() }
    }
}

// MARK: Containers. What they arrange is not laid out; their content is there.

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom, firstTextBaseline, lastTextBaseline }
public enum Alignment: Sendable {
    case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading, bottomTrailing
}

/// What stands around a content, and is nothing by itself.
public protocol Container: Part {
    associatedtype Content: View
    var content: Content { get }
}

extension Container {
    public static func _render(_ view: Self, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct VStack<Content: View>: Container {
    public let content: Content
    @inlinable public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct HStack<Content: View>: Container {
    public let content: Content
    @inlinable public init(
        alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct ZStack<Content: View>: Container {
    public let content: Content
    @inlinable public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

public struct LazyVStack<Content: View>: Container {
    public let content: Content
    public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct LazyHStack<Content: View>: Container {
    public let content: Content
    public init(
        alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct GridItem: Sendable {
    public enum Size: Sendable {
        case fixed(Double)
        case flexible(minimum: Double = 10, maximum: Double = .infinity)
        case adaptive(minimum: Double, maximum: Double = .infinity)
    }
    public var size: Size
    public init(_ size: Size = .flexible(), spacing: Double? = nil, alignment: Alignment? = nil) {
        self.size = size
    }
}

public struct LazyVGrid<Content: View>: Container {
    public let content: Content
    public init(
        columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: Double? = nil,
        @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct Group<Content: View>: Container {
    public let content: Content
    @inlinable public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct GroupBox<Content: View>: Container {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct Form<Content: View>: Container {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct ScrollView<Content: View>: Container {
    public let content: Content
    public init(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content
    ) { self.content = content() }
}

public struct Section<Header: View, Content: View, Footer: View>: Part {
    let header: Header
    let content: Content
    let footer: Footer

    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header,
        @ViewBuilder footer: () -> Footer
    ) { (self.header, self.content, self.footer) = (header(), content(), footer()) }

    public init(header: Header, footer: Footer, @ViewBuilder content: () -> Content) {
        (self.header, self.content, self.footer) = (header, content(), footer)
    }

    public static func _render(_ view: Section, in node: _Node) throws {
        try node.child(0).render(view.content)
        try node.child(1).render(view.header)
        try node.child(2).render(view.footer)
    }
}

extension Section where Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header) {
        self.init(content: content, header: header) { EmptyView() }
    }
    public init(header: Header, @ViewBuilder content: () -> Content) {
        self.init(header: header, footer: EmptyView(), content: content)
    }
}

extension Section where Header == EmptyView {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
        self.init(content: content, header: { EmptyView() }, footer: footer)
    }
    public init(footer: Footer, @ViewBuilder content: () -> Content) {
        self.init(header: EmptyView(), footer: footer, content: content)
    }
}

extension Section where Header == EmptyView, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content) {
        self.init(header: EmptyView(), footer: EmptyView(), content: content)
    }
}

extension Section where Header == Text, Footer == EmptyView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(header: Text(title), footer: EmptyView(), content: content)
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {
        self.init(header: Text(title), footer: EmptyView(), content: content)
    }
}

public struct Spacer: Part {
    public init(minLength: Double? = nil) {}
    public static func _render(_ view: Spacer, in node: _Node) {}
}

public struct Divider: Part {
    public init() {}
    public static func _render(_ view: Divider, in node: _Node) {}
}

/// A view for each element. The id decides identity: the same id is the same view, with its state, wherever it stands.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Part {
    package let data: Data
    let id: (Data.Element) -> ID
    let content: @MainActor (Data.Element) -> Content

    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping @MainActor (Data.Element) -> Content
    ) {
        self.data = data
        self.id = { $0[keyPath: id] }
        self.content = content
    }

    public static func _render(_ view: ForEach, in node: _Node) throws {
        node.beginKeyed()
        for element in view.data {
            let id = view.id(element)
            let child = node.child(
                for: AnyHashable(id), scope: "\(node.scope)[\(node.tree.instance.itemName(id))]")
            try child.render(view.content(element))
        }
        node.endKeyed()
    }
}

extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping @MainActor (Data.Element) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

extension ForEach where Data == Range<Int>, ID == Int {
    public init(_ data: Range<Int>, @ViewBuilder content: @escaping @MainActor (Int) -> Content) {
        self.init(data, id: \.self, content: content)
    }
}

extension ForEach {
    /// Each element with a binding that leads back into its collection.
    public init<Elements: MutableCollection & RandomAccessCollection>(
        _ data: Binding<Elements>,
        @ViewBuilder content: @escaping @MainActor (Binding<Elements.Element>) -> Content
    ) where Data == [Binding<Elements.Element>], Elements.Element: Identifiable, ID == Elements.Element.ID {
        let elements = data.wrappedValue
        let bindings = elements.indices.map { index in
            let now = elements[index]
            return Binding<Elements.Element>(
                get: { data.wrappedValue.indices.contains(index) ? data.wrappedValue[index] : now },
                set: { data.wrappedValue[index] = $0 })
        }
        self.init(bindings, id: \.id, content: content)
    }
}

public struct List<Content: View>: Container {
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping @MainActor (Data.Element) -> Row
    ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {
        content = ForEach(data, content: rowContent)
    }

    public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder rowContent: @escaping @MainActor (Data.Element) -> Row
    ) where Content == ForEach<Data, ID, Row> {
        content = ForEach(data, id: id, content: rowContent)
    }
}
