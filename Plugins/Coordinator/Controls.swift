import SeamKit

/// The native controls of these scenarios, as far as a bridge has to do with them.

final class Label: NativeView {
    var text: String? { didSet { screen["text"] = text } }
}

/// A text view that reports each change to its delegate, those that the program makes too. Not every control does;
/// a good bridge works with both kinds.
final class TextView: NativeView {
    weak var delegate: (any TextViewDelegate)?
    var text: String? { didSet { screen["text"] = text } }
    /// The mark in the title bar: there is something to save.
    var isEdited: Bool? { didSet { screen["isEdited"] = isEdited?.modelText } }
    /// The line below the text that says what is wrong with it.
    var problem: String? { didSet { screen["problem"] = problem } }

    init(delegate: any TextViewDelegate) {
        self.delegate = delegate
        super.init()
    }

    func type(_ typed: String) {
        text = typed
        delegate?.textDidChange(in: self)
    }

    func endEditing() { delegate?.editingDidEnd(in: self) }
    func cancelEditing() { delegate?.editingWasCancelled(in: self) }
}

@MainActor
protocol TextViewDelegate: AnyObject {
    func textDidChange(in view: TextView)
    func editingDidEnd(in view: TextView)
    func editingWasCancelled(in view: TextView)
}

extension TextViewDelegate {
    func textDidChange(in view: TextView) {}
    func editingDidEnd(in view: TextView) {}
    func editingWasCancelled(in view: TextView) {}
}

/// What people can do in a text view. What the program writes comes back as the first of these.
@MainActor let typing = [
    NativeEvent<TextView>(
        "type", "Somebody types, and this is the text now", arguments: [.text("text", "Text", initial: "")]
    ) { view, arguments in view.type(arguments["text"] ?? "") }
]
@MainActor let editing =
    typing + [
        NativeEvent<TextView>("endEditing", "Somebody is done: the return key, or a tap elsewhere") {
            view, _ in
            view.endEditing()
        },
        NativeEvent<TextView>("cancelEditing", "Somebody thinks better of it: the escape key") { view, _ in
            view.cancelEditing()
        },
    ]
