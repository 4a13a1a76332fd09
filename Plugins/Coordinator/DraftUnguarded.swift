import SeamKit

/// The editor of `Draft` whose update does not compare.
final class DraftUnguarded: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            let coordinator = context.coordinator
            let view = TextView(delegate: coordinator)
            coordinator.resigning = observe(of: "willResignActive") { coordinator.textDidChange(in: view) }
            return view
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            view.text = text
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
            coordinator.resigning?.cancel()
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft
            var resigning: PendingWork?

            init(for latest: NativeDraft) { self.latest = latest }

            func textDidChange(in view: TextView) {
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.draft-unguarded", title: "The editor is written to at each update",
        summary: """
            What somebody types goes to the model, the change of the model causes an update, and the update writes \
            the same text into the text view once more. The text matches all along; a real text view takes it for a \
            new one, moves the caret to the end and forgets what could be undone.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let events: [Event<DraftUnguarded>] = resigning()
    static let script: [Step] = [
        .send("type", ["text": "Dear Ada, thank you"]), .check("draft-unguarded"),
    ]
    static let checks = [
        Check("draft-unguarded", of: draftScreen, expecting: ["text": .matching])
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
