import SwiftUI
import UIKit

/// What waits to be sent. A draft that was thrown away is no text, which is not an empty one.
@Observable
final class Outbox {
    var draft: String? = "Dear Ada"
}

/// The row of the draft in the list, with a copy of it.
struct OutboxRow: View {
    let draft: String?

    var body: some View {
        if let draft { Text(draft).accessibilityIdentifier("text") }
    }
}

/// The editor of a draft: it shows the text that it is made with, also an empty one.
struct OutboxDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.text = text
        view.delegate = context.coordinator
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        view.delegate = nil
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: OutboxDraft

        init(_ parent: OutboxDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }
    }
}

/// What unfolds below the row.
struct OutboxEditor: View {
    let outbox: Outbox

    var body: some View {
        OutboxDraft(text: Binding(get: { outbox.draft ?? "" }, set: { outbox.draft = $0 }))
            .accessibilityIdentifier("text")
    }
}

/// A list with an editor that comes and goes, and a draft that is not the editor's.
class OutboxController: UIViewController {
    let outbox = Outbox()
    private var row: UIHostingController<OutboxRow>?
    private var editor: UIHostingController<OutboxEditor>?

    override func viewDidLoad() {
        super.viewDidLoad()
        let row = UIHostingController(rootView: OutboxRow(draft: outbox.draft))
        show(row)
        self.row = row
        expand()
    }

    func expand() {
        guard editor == nil else { return }
        let editor = UIHostingController(rootView: OutboxEditor(outbox: outbox))
        show(editor)
        self.editor = editor
    }

    func collapse() {
        guard let editor else { return }
        row?.rootView = OutboxRow(draft: outbox.draft)
        editor.willMove(toParent: nil)
        editor.view.removeFromSuperview()
        editor.removeFromParent()
        self.editor = nil
    }

    private func show(_ child: UIViewController) {
        addChild(child)
        view.addSubview(child.view)
        child.didMove(toParent: self)
    }
}

/// It cleans up behind the editor, and too much.
final class DiscardingOutboxController: OutboxController {
    override func collapse() {
        super.collapse()
        outbox.draft = nil
    }
}
