import SeamKit

/// The editor of `TimerCancelled` that leaves its timer running.
final class TimerNotCancelled: Scenario {
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
            // The line that stops the clock is not there: coordinator.typingPause?.cancel()
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft
            private(set) var typingPause: PendingWork?

            init(for latest: NativeDraft) { self.latest = latest }

            func textDidChange(in view: TextView) {
                typingPause?.cancel()
                typingPause = after(milliseconds: 300) { [self] in
                    guard let typed = view.text, typed != latest.text else { return }
                    latest.text = typed
                }
            }
        }
    }

    static let about = About(
        "coordinator.timer-not-cancelled", title: "The timer outlives the editor",
        summary: """
            The same editor is removed in the middle of a word, the model gets another text, and then the timer runs \
            out: the old text is written over the new one, by an editor that has been gone for 300 ms. Put up again, \
            the editor shows it, and every field matches.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script = TimerCancelled.script
    static let checks = TimerCancelled.checks

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
