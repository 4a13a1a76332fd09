import SwiftUI
import UIKit

// Editors that a declarative screen wraps, and what their update leaves out.

// MARK: The update was left empty, since writing there reset the editor while somebody typed

struct RichTextEditor: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> RichTextCoordinator { RichTextCoordinator(text: $text) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        view.text = text
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {}
}

final class RichTextCoordinator: NSObject, UITextViewDelegate {
    var text: Binding<String>

    init(text: Binding<String>) { self.text = text }

    func textViewDidChange(_ view: UITextView) { text.wrappedValue = view.text }
}

/// The repair: what comes from outside is written, what the editor itself has said is not.
struct GuardedRichTextEditor: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> RichTextCoordinator { RichTextCoordinator(text: $text) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        view.text = text
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.text = $text
        if view.text != text { view.text = text }
    }
}

// MARK: The update carries the cursor and the configuration, and not the text

struct CursorPosition: Equatable {
    var line = 1
    var column = 1
    var label: String { "\(line):\(column)" }
}

final class SourceEditorView: UIView {
    let code = UITextView()
    let cursorLabel = UILabel()
    var wrapsLines = true

    init(code text: String) {
        super.init(frame: .zero)
        code.accessibilityIdentifier = "code"
        cursorLabel.accessibilityIdentifier = "cursor"
        addSubview(code)
        addSubview(cursorLabel)
        code.text = text
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    var cursor = CursorPosition() {
        didSet { if cursorLabel.text != cursor.label { cursorLabel.text = cursor.label } }
    }
}

struct SourceEditor: UIViewRepresentable {
    @Binding var code: String
    var cursor: CursorPosition
    var wrapsLines: Bool

    func makeUIView(context: Context) -> SourceEditorView { SourceEditorView(code: code) }

    func updateUIView(_ editor: SourceEditorView, context: Context) {
        editor.cursor = cursor
        if editor.wrapsLines != wrapsLines { editor.wrapsLines = wrapsLines }
    }
}

struct CompleteSourceEditor: UIViewRepresentable {
    @Binding var code: String
    var cursor: CursorPosition
    var wrapsLines: Bool

    func makeUIView(context: Context) -> SourceEditorView { SourceEditorView(code: code) }

    func updateUIView(_ editor: SourceEditorView, context: Context) {
        if editor.code.text != code { editor.code.text = code }
        editor.cursor = cursor
        if editor.wrapsLines != wrapsLines { editor.wrapsLines = wrapsLines }
    }
}

/// A document, and a button that writes into it.
struct SourceScreen<Editor: View>: View {
    @Binding var code: String
    let editor: (Binding<String>) -> Editor

    var body: some View {
        VStack {
            editor($code)
            Button("Append") { code += "b" }
        }
    }
}
