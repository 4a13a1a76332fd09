import SeamKit

/// The editor of `Cancel` that waits for an update which nobody causes.
final class CancelNotShown: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            if text != view.text { view.text = text }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft

            init(for latest: NativeDraft) { self.latest = latest }

            func editingDidEnd(in view: TextView) {
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }

            func editingWasCancelled(in view: TextView) {
                // The line that puts the old text back is not there: view.text = latest.text
            }
        }
    }

    static let about = About(
        "coordinator.cancel-not-shown", title: "A cancelled draft stays on the screen",
        summary: """
            The draft is cancelled, so nothing is handed to the model; the model has not changed, so no update comes; \
            and the screen goes on showing what was given up.
            """)
    static let parameters = draftParameters

    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: draftScreen, carrying: DraftState.self, echoes: true,
        events: editing
    ) { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script = Cancel.script
    static let checks = [
        Check("cancel-committed", of: draftScreen, expecting: ["text": .matching]),
        Check("cancel-cancelled", of: draftScreen, expecting: ["text": .stale]),
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
