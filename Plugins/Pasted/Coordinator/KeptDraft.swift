import SwiftUI
import UIKit

/// A text and two buttons with pictures on them: a tick, and a cross.
final class LetterEditor: UIView {
    let editor = UITextView()
    let tick = UIButton(type: .custom)
    let cross = UIButton(type: .custom)

    override init(frame: CGRect) {
        super.init(frame: frame)
        tick.accessibilityIdentifier = "tick"
        cross.accessibilityIdentifier = "cross"
        addSubview(editor)
        addSubview(tick)
        addSubview(cross)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }
}

/// An editor that keeps what is typed to itself until somebody is done with it.
struct KeptDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> LetterEditor {
        let view = LetterEditor()
        view.editor.delegate = context.coordinator
        view.tick.addAction(
            UIAction { [weak view] _ in view?.editor.resignFirstResponder() }, for: .touchUpInside)
        view.cross.addAction(
            UIAction { [weak view, coordinator = context.coordinator] _ in
                if let view { coordinator.giveUp(in: view.editor) }
            }, for: .touchUpInside)
        return view
    }

    func updateUIView(_ view: LetterEditor, context: Context) {
        context.coordinator.parent = self
        if view.editor.text != text { view.editor.text = text }
    }

    static func dismantleUIView(_ view: LetterEditor, coordinator: Coordinator) {
        view.editor.delegate = nil
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: KeptDraft

        init(_ parent: KeptDraft) { self.parent = parent }

        func textViewDidEndEditing(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }

        /// No change of the model will come and put the old text back: it has not changed.
        func giveUp(in view: UITextView) {
            if view.text != parent.text { view.text = parent.text }
        }
    }
}

/// The same, waiting for an update that nobody causes.
struct UnrestoredDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> LetterEditor {
        let view = LetterEditor()
        view.editor.delegate = context.coordinator
        view.tick.addAction(
            UIAction { [weak view] _ in view?.editor.resignFirstResponder() }, for: .touchUpInside)
        // The cross is there, and nothing is behind it.
        return view
    }

    func updateUIView(_ view: LetterEditor, context: Context) {
        context.coordinator.parent = self
        if view.editor.text != text { view.editor.text = text }
    }

    static func dismantleUIView(_ view: LetterEditor, coordinator: Coordinator) {
        view.editor.delegate = nil
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: UnrestoredDraft

        init(_ parent: UnrestoredDraft) { self.parent = parent }

        func textViewDidEndEditing(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }
    }
}
