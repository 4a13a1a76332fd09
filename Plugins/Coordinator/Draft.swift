import SeamKit

/// An editor of the old world in a declarative screen: what is typed goes out, what the model says comes in.
final class Draft: Scenario {
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
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.draft", title: "An editor that carries both ways",
        summary: """
            A declarative screen wraps a text view, and a coordinator hears what happens in it. Typing reaches the \
            model, a change of the model reaches the text view, and neither is sent back as news: both ways are \
            compared first. Update hands the newest value to the coordinator, dismantle undoes what was registered.
            """)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let events: [Event<Draft>] = resigning()
    static let script: [Step] = [
        .check("draft-made"),
        .send("type", ["text": "Dear Ada, thank you"]), .check("draft-typed"),
        .set("text", "Dear Grace"), .check("draft-replaced"),
        .update("draft"), .check("draft-repeated"),
        .send("resignActive"), .unmount("draft"), .send("resignActive"),
    ]
    static let checks = [
        Check("draft-made", of: draftScreen, expecting: ["text": .matching]),
        Check("draft-typed", of: draftScreen, expecting: ["text": .matching]),
        Check("draft-replaced", of: draftScreen, expecting: ["text": .matching]),
        Check("draft-repeated", of: draftScreen, expecting: ["text": .matching]),
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
