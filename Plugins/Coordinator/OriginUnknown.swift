import SeamKit

/// The editor of `Origin` that sets the mark before it asks.
final class OriginUnknown: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String
        @Binding var isEdited: Bool

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            if text != view.text { view.text = text }
            if view.isEdited != isEdited { view.isEdited = isEdited }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft

            init(for latest: NativeDraft) { self.latest = latest }

            func textDidChange(in view: TextView) {
                view.isEdited = true
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
                latest.isEdited = true
            }
        }
    }

    static let about = About(
        "coordinator.origin-unknown", title: "Every change counts as a person's",
        summary: """
            The file is loaded again, update writes the new text, and the text view reports it like any other change. \
            The callback puts the mark on at once: the screen says that there is something to save, and the model \
            knows of nothing.
            """)
    static let parameters = draftParameters

    static let screen = Origin.screen
    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: screen, carrying: LetterState.self, echoes: true,
        events: typing
    ) { NativeDraft(text: $0.binding(\.text), isEdited: $0.binding(\.isEdited)) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let events = [
        Event<OriginUnknown>(
            "reload", "The file has changed on disk", arguments: [.text("text", "Text", initial: "")]
        ) {
            scenario, arguments in
            scenario.letter.text = arguments["text"] ?? ""
            scenario.letter.isEdited = false
        }
    ]
    static let script = Origin.script
    static let checks = [
        Check("origin-reloaded", of: screen, expecting: ["text": .matching, "isEdited": .stale]),
        Check("origin-typed", of: screen, expecting: ["text": .matching, "isEdited": .matching]),
    ]

    @Model private var letter = LetterState()

    init(_ parameters: Values) throws { letter.text = try parameters.value("text") }
}
