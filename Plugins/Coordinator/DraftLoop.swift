import SeamKit

/// The editor of `Draft` whose callback takes every change for a finished sentence.
final class DraftLoop: Scenario {
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
            if text != view.text { view.text = text }
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
                latest.text = (view.text ?? "") + "."
            }
        }
    }

    static let about = About(
        "coordinator.draft-loop", title: "Each change causes the next",
        summary: """
            The callback puts a full stop behind whatever the text view reports and never asks whether that is news. \
            The text view reports what update writes too, so each update comes back as an edit, and each edit causes \
            an update. The turn never settles: it is cut off, and the text has grown by a row of full stops. Its \
            repair is coordinator.draft.
            """)
    static let parameters = draftParameters
    /// Enough to see the cycle, and odd: the turn is cut off behind an update, where model and screen agree.
    static let policies = ["round-limit=25"]

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let events: [Event<DraftLoop>] = resigning()
    static let script: [Step] = [
        .send("type", ["text": "Thank you"]), .check("draft-loop"),
    ]
    static let checks = [
        Check("draft-loop", of: draftScreen, expecting: ["text": .matching])
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
