import SwiftUI
import UIKit

// Editors with something beside the text: a mark for what is not saved, and a line that says what is wrong.

/// A text view with the mark of its title bar.
final class LetterTextView: UITextView {
    private let mark = UILabel()
    var isEdited: Bool? { didSet { mark.text = isEdited.map(String.init) } }

    override init(frame: CGRect) {
        super.init(frame: frame)
        mark.accessibilityIdentifier = "isEdited"
        addSubview(mark)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }
}

/// Only what a person did sets the mark: the callback asks whose change it hears of.
struct LetterDraft: UIViewRepresentable {
    @Binding var text: String
    @Binding var isEdited: Bool

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> LetterTextView {
        let view = LetterTextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: LetterTextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
        if view.isEdited != isEdited { view.isEdited = isEdited }
    }

    static func dismantleUIView(_ view: LetterTextView, coordinator: Coordinator) { view.delegate = nil }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: LetterDraft
        init(_ parent: LetterDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            guard view.text != parent.text else { return }
            (view as? LetterTextView)?.isEdited = true
            parent.text = view.text
            parent.isEdited = true
        }
    }
}

/// Each update raises a flag, and the callback that comes next is dropped.
struct SuppressedLetterDraft: UIViewRepresentable {
    @Binding var text: String
    @Binding var isEdited: Bool

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> LetterTextView {
        let view = LetterTextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: LetterTextView, context: Context) {
        context.coordinator.parent = self
        context.coordinator.ignoresNextChange = true
        if view.text != text { view.text = text }
        if view.isEdited != isEdited { view.isEdited = isEdited }
    }

    static func dismantleUIView(_ view: LetterTextView, coordinator: Coordinator) { view.delegate = nil }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: SuppressedLetterDraft
        var ignoresNextChange = false
        init(_ parent: SuppressedLetterDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if ignoresNextChange {
                ignoresNextChange = false
                return
            }
            guard view.text != parent.text else { return }
            (view as? LetterTextView)?.isEdited = true
            parent.text = view.text
            parent.isEdited = true
        }
    }
}

/// The mark is set before anybody asks whose change it was.
struct UnaskingLetterDraft: UIViewRepresentable {
    @Binding var text: String
    @Binding var isEdited: Bool

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> LetterTextView {
        let view = LetterTextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: LetterTextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
        if view.isEdited != isEdited { view.isEdited = isEdited }
    }

    static func dismantleUIView(_ view: LetterTextView, coordinator: Coordinator) { view.delegate = nil }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: UnaskingLetterDraft
        init(_ parent: UnaskingLetterDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            (view as? LetterTextView)?.isEdited = true
            guard view.text != parent.text else { return }
            parent.text = view.text
            parent.isEdited = true
        }
    }
}

// MARK: A subject line, which may have 20 characters when it is sent

/// A text view with a line below it.
final class SubjectTextView: UITextView {
    private let line = UILabel()
    var problem: String? { didSet { line.text = problem } }

    override init(frame: CGRect) {
        super.init(frame: frame)
        line.accessibilityIdentifier = "problem"
        addSubview(line)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }
}

/// What is typed is handed over as it is; the model has the last word.
struct SubjectDraft: UIViewRepresentable {
    @Binding var text: String
    let problem: String?

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> SubjectTextView {
        let view = SubjectTextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: SubjectTextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
        if view.problem != problem { view.problem = problem }
    }

    static func dismantleUIView(_ view: SubjectTextView, coordinator: Coordinator) { view.delegate = nil }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: SubjectDraft
        init(_ parent: SubjectDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if view.text != parent.text { parent.text = view.text }
        }
    }
}

/// The callback lets no more than 20 characters out.
struct CuttingSubjectDraft: UIViewRepresentable {
    @Binding var text: String
    let problem: String?

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> SubjectTextView {
        let view = SubjectTextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: SubjectTextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
        if view.problem != problem { view.problem = problem }
    }

    static func dismantleUIView(_ view: SubjectTextView, coordinator: Coordinator) { view.delegate = nil }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: CuttingSubjectDraft
        init(_ parent: CuttingSubjectDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            let typed = String(view.text.prefix(Subject.limit))
            if typed != parent.text { parent.text = typed }
        }
    }
}

struct Subject {
    static let limit = 20

    var text = "Thank you"
    /// What the model has to say against the text.
    var problem: String?

    mutating func send() {
        problem = text.count > Self.limit ? "\(text.count) characters, at most \(Self.limit)" : nil
    }
}
