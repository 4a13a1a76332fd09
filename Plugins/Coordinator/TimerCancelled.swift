import SeamKit

/// An editor that waits for a pause in the typing before it tells the model.
final class TimerCancelled: Scenario {
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
            coordinator.typingPause?.cancel()
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
        "coordinator.timer", title: "The timer goes with the editor",
        summary: """
            The coordinator hands the text over 300 ms after the last key. Until then the model is behind, which is \
            meant. The editor is removed in the middle of a word, and dismantle stops the clock: what was typed since \
            the last pause goes with the editor, and what the model got meanwhile stays.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [
        .send("type", ["text": "Dear Ada, thank you"]), .advance(milliseconds: 300), .check("timer-settled"),
        .send("type", ["text": "Dear Ada, thank you for"]), .unmount("draft"),
        .set("text", "Dear Grace"), .advance(milliseconds: 300),
        .mount("draft"), .check("timer-back"),
    ]
    static let checks = [
        Check("timer-settled", of: draftScreen, expecting: ["text": .matching]),
        Check("timer-back", of: draftScreen, expecting: ["text": .matching]),
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
