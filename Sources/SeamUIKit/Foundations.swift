@_exported public import Foundation
public import SeamKit

// Declarative views whose values are Foundation's.

extension Text {
    /// What it says, without its looks.
    @_disfavoredOverload
    public init(_ attributed: AttributedString) { self.init(verbatim: String(attributed.characters)) }
    public init<Format: FormatStyle>(_ input: Format.FormatInput, format: Format)
    where Format.FormatOutput == String { self.init(verbatim: format.format(input)) }
}

extension TextField {
    /// A value that is typed as a text: a text that stands for no value changes nothing.
    public init<Format: ParseableFormatStyle>(
        _ title: LocalizedStringKey, value: Binding<Format.FormatInput>, format: Format
    ) where Format.FormatOutput == String {
        self.init(
            title,
            text: Binding(
                get: { format.format(value.wrappedValue) },
                set: { if let new = try? format.parseStrategy.parse($0) { value.wrappedValue = new } }))
    }
}

extension Color {
    public init(_ color: UIColor) { self.init(name: color.description) }
    public init(uiColor color: UIColor) { self.init(name: color.description) }
}

extension Image {
    public init(uiImage image: UIImage) { self.init(image.description) }
}

/// A date: its field is that in ISO 8601.
public struct DatePicker<Label: View>: Part {
    let selection: Binding<Date>
    let range: ClosedRange<Date>?
    let label: Label

    public init(
        selection: Binding<Date>, in range: ClosedRange<Date>? = nil,
        displayedComponents: DatePickerComponents = [.date, .hourAndMinute], @ViewBuilder label: () -> Label
    ) { (self.selection, self.range, self.label) = (selection, range, label()) }

    public static func _render(_ view: DatePicker, in node: _Node) throws {
        let control = Control()
        let (selection, range) = (view.selection, view.range)
        control.set = { [weak node] text in
            guard let new = Date(modelText: text) else { return }
            node?.act {
                selection.wrappedValue = range.map { min(max(new, $0.lowerBound), $0.upperBound) } ?? new
            }
        }
        node.show("datePicker", selection.wrappedValue.modelText, control: control)
        let label = node.child(0)
        try label.render(view.label)
        control.names += label.fieldTexts()
    }
}

extension DatePicker where Label == Text {
    public init(
        _ title: LocalizedStringKey, selection: Binding<Date>, in range: ClosedRange<Date>? = nil,
        displayedComponents: DatePickerComponents = [.date, .hourAndMinute]
    ) {
        self.init(selection: selection, in: range, displayedComponents: displayedComponents) { Text(title) }
    }
}

public struct DatePickerComponents: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hourAndMinute = DatePickerComponents(rawValue: 1)
    public static let date = DatePickerComponents(rawValue: 2)
}

/// A view made of the room that it gets. Nothing is laid out here, so that is none.
public struct GeometryReader<Content: View>: Container {
    public let content: Content
    public init(@ViewBuilder content: (GeometryProxy) -> Content) { self.content = content(GeometryProxy()) }
}

public struct GeometryProxy: Sendable {
    public var size: CGSize { .zero }
    public var safeAreaInsets: EdgeInsets { EdgeInsets() }
    public func frame(in space: CoordinateSpace) -> CGRect { .zero }
}

public enum CoordinateSpace: Sendable { case global, local }

extension ForEach {
    /// Takes elements away: a script taps "delete 0" for the first.
    public func onDelete(perform action: ((IndexSet) -> Void)?) -> DeletableRows<Self> {
        DeletableRows(rows: self, count: data.count, action: action)
    }
    // Nobody moves a row here.
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self { self }
}

extension DeletableRows {
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self { self }
}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
    public mutating func remove(atOffsets offsets: IndexSet) {
        for offset in offsets.reversed() { remove(at: startIndex + offset) }
    }
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self[startIndex + $0] }
        remove(atOffsets: source)
        insert(contentsOf: moved, at: startIndex + destination - source.count(in: 0..<destination))
    }
}

/// A place outside of the app: nobody goes there.
public struct Link<Label: View>: Container {
    public let content: Label
    public let destination: URL
    public init(destination: URL, @ViewBuilder label: () -> Label) {
        (content, self.destination) = (label(), destination)
    }
}

extension Link where Label == Text {
    public init(_ title: LocalizedStringKey, destination: URL) {
        self.init(destination: destination) { Text(title) }
    }
}

extension View {
    public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    public func textContentType(_ type: UITextContentType?) -> some View { self }
    public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { self }
}

public struct DeletableRows<Rows: View>: Part {
    let rows: Rows
    let count: Int
    let action: ((IndexSet) -> Void)?

    public static func _render(_ view: DeletableRows, in node: _Node) throws {
        try node.content().render(view.rows)
        guard let action = view.action else { return }
        let control = Control()
        let deletions = (0..<view.count).map { index in
            let part = Control()
            part.names = ["delete \(index)"]
            part.tap = { [weak node] in node?.act { action(IndexSet(integer: index)) } }
            return part
        }
        control.parts = { deletions }
        node.tree.put(control, under: "\u{1}delete \(node.scope)", at: node)
    }
}
