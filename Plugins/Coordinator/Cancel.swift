import SeamKit

/// An editor whose draft is its own until somebody is done with it.
final class Cancel: Scenario {
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
                if view.text != latest.text { view.text = latest.text }
            }
        }
    }

    static let about = About(
        "coordinator.cancel", title: "A cancelled draft leaves the screen",
        summary: """
            What is typed reaches the model when the editing ends, and not before. A draft that is cancelled never \
            gets there; so no change of the model comes back to put the text view right, and the coordinator does \
            that itself.
            """)
    static let parameters = draftParameters

    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: draftScreen, carrying: DraftState.self, echoes: true,
        events: editing
    ) { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [
        .send("type", ["text": "Dear Ada, thank you"]), .send("endEditing"), .check("cancel-committed"),
        .send("type", ["text": "Dear Ada, no thank you"]), .send("cancelEditing"), .check("cancel-cancelled"),
    ]
    static let checks = [
        Check("cancel-committed", of: draftScreen, expecting: ["text": .matching]),
        Check("cancel-cancelled", of: draftScreen, expecting: ["text": .matching]),
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
