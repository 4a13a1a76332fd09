import SeamKit

/// The editor of `TaskCancelled` that lets its task go on.
final class TaskNotCancelled: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            context.coordinator.askForClosing()
            return TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            if text != view.text { view.text = text }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
            // The line that ends the task is not there: coordinator.asking?.cancel()
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft
            private(set) var asking: PendingWork?

            init(for latest: NativeDraft) { self.latest = latest }

            func askForClosing() {
                asking = SeamKit.task { [self] in
                    try await pause(milliseconds: 200)  // a server is thinking
                    latest.text += ", yours sincerely"
                }
            }

            func textDidChange(in view: TextView) {
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.task-not-cancelled", title: "The task outlives the editor",
        summary: """
            The same editor is removed before the answer is there, and its task goes on: it appends the closing line \
            to the draft of an editor that is gone. The editor that is put up next asks again, and the draft ends \
            with the same line twice. Every field matches.
            """, drainsMainQueue: true)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script = TaskCancelled.script
    static let checks = TaskCancelled.checks

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
