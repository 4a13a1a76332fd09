import SeamKit

/// The editor of `Draft` with an empty dismantle.
final class DraftNotDismantled: Scenario {
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
            // The lines that undo what make did are not there: view.delegate = nil, and
            // coordinator.resigning?.cancel()
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
        "coordinator.draft-not-dismantled", title: "The editor goes, its observer stays",
        summary: """
            The screen drops the editor, and nobody takes back what it had registered for. The observer keeps \
            coordinator and text view alive, and the next time the app goes to the background it is called: on behalf \
            of an editor that is no longer there.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let events: [Event<DraftNotDismantled>] = resigning()
    static let script: [Step] = [
        .send("resignActive"), .check("draft-not-dismantled"), .unmount("draft"), .send("resignActive"),
    ]
    static let checks = [
        Check("draft-not-dismantled", of: draftScreen, expecting: ["text": .matching])
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
