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
    public func bold() -> Text { self }
    public func italic() -> Text { self }
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
    public func resizable() -> Image { self }
}

/// A button. What it says is a field; a tap runs its action.
public struct Button<Label: View>: Part {
    let action: @MainActor () -> Void
    let label: Label

    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    @preconcurrency
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    public static func _render(_ view: Button, in node: _Node) throws {
        let control = Control()
        let action = view.action
        control.tap = { action() }
        node.control = control
        let content = node.content()
        try content.render(view.label)
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
        self.init(action: action) { Text(title) }
    }
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
    let onCommit: (() -> Void)?

    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {
        self.title = String(title)
        self.text = text
        onCommit = nil
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        self.title = title.text
        self.text = text
        onCommit = nil
    }

    public static func _render(_ view: TextField, in node: _Node) {
        showEditor("textField", view.title, view.text, in: node)
    }
}

public struct SecureField: Part {
    let title: String
    let text: Binding<String>
    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        self.title = title.text
        self.text = text
    }
    public static func _render(_ view: SecureField, in node: _Node) {
        showEditor("secureField", view.title, view.text, in: node)
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
@MainActor
private func showEditor(_ kind: String, _ title: String, _ text: Binding<String>, in node: _Node) {
    let control = Control()
    control.type = { [weak node] typed in
        if let node, let field = node.field { node.tree.show(field.name, typed) }
        text.wrappedValue = typed
        node?.enclosingView?.invalidate(.input)
    }
    if !title.isEmpty { control.names.append(title) }
    node.show(kind, text.wrappedValue, control: control)
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
        control.set = { [weak node] value in
            isOn.wrappedValue = value == "true"
            node?.enclosingView?.invalidate(.input)
        }
        control.tap = { [weak node] in
            isOn.wrappedValue.toggle()
            node?.enclosingView?.invalidate(.input)
        }
        node.show("toggle", isOn.wrappedValue.modelText, control: control)
        let label = node.child(0)
        try label.render(view.label)
        control.names += label.fieldTexts()
    }
}

extension Toggle where Label == Text {
    public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) { self.init(isOn: isOn) { Text(title) } }
    public init<Title: StringProtocol>(_ title: Title, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(title) }
    }
}

/// A value on a scale.
public struct Slider<Value: BinaryFloatingPoint & ModelText>: Part {
    let value: Binding<Value>
    public init(value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1) { self.value = value }
    public static func _render(_ view: Slider, in node: _Node) {
        let control = Control()
        let value = view.value
        control.set = { [weak node] text in
            guard let new = Value(modelText: text) else { return }
            value.wrappedValue = new
            node?.enclosingView?.invalidate(.input)
        }
        node.show("slider", value.wrappedValue.modelText, control: control)
    }
}

// MARK: Containers. What they arrange is not laid out; their content is there.

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom, firstTextBaseline, lastTextBaseline }
public enum Alignment: Sendable {
    case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading, bottomTrailing
}

public struct VStack<Content: View>: Part {
    @usableFromInline let content: Content
    @inlinable public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public static func _render(_ view: VStack, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct HStack<Content: View>: Part {
    @usableFromInline let content: Content
    @inlinable public init(
        alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public static func _render(_ view: HStack, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct ZStack<Content: View>: Part {
    @usableFromInline let content: Content
    @inlinable public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
    public static func _render(_ view: ZStack, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct Group<Content: View>: Part {
    @usableFromInline let content: Content
    @inlinable public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public static func _render(_ view: Group, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct Form<Content: View>: Part {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public static func _render(_ view: Form, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct ScrollView<Content: View>: Part {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public static func _render(_ view: ScrollView, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct NavigationStack<Content: View>: Part {
    let content: Content
    public init(@ViewBuilder root: () -> Content) { content = root() }
    public static func _render(_ view: NavigationStack, in node: _Node) throws {
        try node.content().render(view.content)
    }
}

public struct Section<Content: View>: Part {
    let header: AnyView?
    let footer: AnyView?
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.init(nil, nil, content()) }
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(AnyView(Text(title)), nil, content())
    }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {
        self.init(AnyView(Text(title)), nil, content())
    }
    public init<Header: View>(header: Header, @ViewBuilder content: () -> Content) {
        self.init(AnyView(header), nil, content())
    }
    public init<Footer: View>(footer: Footer, @ViewBuilder content: () -> Content) {
        self.init(nil, AnyView(footer), content())
    }
    public init<Header: View, Footer: View>(
        header: Header, footer: Footer, @ViewBuilder content: () -> Content
    ) { self.init(AnyView(header), AnyView(footer), content()) }
    public init<Header: View>(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header
    ) { self.init(AnyView(header()), nil, content()) }
    public init<Footer: View>(
        @ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer
    ) { self.init(nil, AnyView(footer()), content()) }
    public init<Header: View, Footer: View>(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header,
        @ViewBuilder footer: () -> Footer
    ) { self.init(AnyView(header()), AnyView(footer()), content()) }

    private init(_ header: AnyView?, _ footer: AnyView?, _ content: Content) {
        (self.header, self.footer, self.content) = (header, footer, content)
    }

    public static func _render(_ view: Section, in node: _Node) throws {
        try node.child(0).render(view.content)
        try node.child(1).render(view.header)
        try node.child(2).render(view.footer)
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
    let data: Data
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

public struct List<Content: View>: Part {
    let content: Content
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

    public static func _render(_ view: List, in node: _Node) throws {
        try node.content().render(view.content)
    }
}
