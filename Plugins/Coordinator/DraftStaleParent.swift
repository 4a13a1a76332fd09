import SeamKit

/// The editor of `Draft` without the first line of its update.
final class DraftStaleParent: Scenario {
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
            // The line that hands over the newest value is not there: context.coordinator.latest = self
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
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.draft-stale-parent", title: "The coordinator keeps the first value",
        summary: """
            The coordinator was made with the first value of the wrapper and never gets a newer one: it answers with \
            the binding, the settings and the closures of then. Here the old binding still leads to the same model, \
            so the text matches; with another binding the edit would go where nobody looks.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let events: [Event<DraftStaleParent>] = resigning()
    static let script: [Step] = [
        .set("text", "Dear Grace"), .send("type", ["text": "Dear Grace, thank you"]),
        .check("draft-stale-parent"),
    ]
    static let checks = [
        Check("draft-stale-parent", of: draftScreen, expecting: ["text": .matching])
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
