import SeamKit
import SwiftUI
import UIKit

// Editors with something under way. SeamKit's clock stands for that of the system: a wait takes no time in a test.

/// Hands the text over when nobody has typed for a while.
@MainActor
final class PauseCoordinator: NSObject, UITextViewDelegate {
    var text: Binding<String>
    private(set) var typingPause: PendingWork?

    init(_ text: Binding<String>) { self.text = text }

    func textViewDidChange(_ view: UITextView) {
        typingPause?.cancel()
        typingPause = after(milliseconds: 300) { [self] in
            if text.wrappedValue != view.text { text.wrappedValue = view.text }
        }
    }
}

struct PausingDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> PauseCoordinator { PauseCoordinator($text) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.text = $text
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: PauseCoordinator) {
        view.delegate = nil
        coordinator.typingPause?.cancel()
    }
}

/// Leaves its timer running when it goes.
struct UnstoppedPausingDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> PauseCoordinator { PauseCoordinator($text) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.text = $text
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: PauseCoordinator) {
        view.delegate = nil
    }
}

/// Asks a server for a closing line, and appends it to the draft.
@MainActor
final class ClosingCoordinator: NSObject, UITextViewDelegate {
    var text: Binding<String>
    private(set) var asking: PendingWork?

    init(_ text: Binding<String>) { self.text = text }

    func askForClosing() {
        asking = SeamKit.task { [self] in
            try await pause(milliseconds: 200)
            text.wrappedValue += ", yours sincerely"
        }
    }

    func textViewDidChange(_ view: UITextView) {
        if text.wrappedValue != view.text { text.wrappedValue = view.text }
    }
}

struct ClosingDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> ClosingCoordinator { ClosingCoordinator($text) }

    func makeUIView(context: Context) -> UITextView {
        context.coordinator.askForClosing()
        let view = UITextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.text = $text
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: ClosingCoordinator) {
        view.delegate = nil
        coordinator.asking?.cancel()
    }
}

/// Lets its task go on when it goes.
struct UncancelledClosingDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> ClosingCoordinator { ClosingCoordinator($text) }

    func makeUIView(context: Context) -> UITextView {
        context.coordinator.askForClosing()
        let view = UITextView()
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.text = $text
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: ClosingCoordinator) {
        view.delegate = nil
    }
}
