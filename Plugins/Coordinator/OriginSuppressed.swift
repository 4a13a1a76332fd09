import SeamKit

/// The editor of `Origin` that silences its callback instead of asking.
final class OriginSuppressed: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String
        @Binding var isEdited: Bool

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            context.coordinator.ignoresNextChange = true
            if text != view.text { view.text = text }
            if view.isEdited != isEdited { view.isEdited = isEdited }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft
            var ignoresNextChange = false

            init(for latest: NativeDraft) { self.latest = latest }

            func textDidChange(in view: TextView) {
                if ignoresNextChange {
                    ignoresNextChange = false
                    return
                }
                guard let typed = view.text, typed != latest.text else { return }
                view.isEdited = true
                latest.text = typed
                latest.isEdited = true
            }
        }
    }

    static let about = About(
        "coordinator.origin-suppressed", title: "A flag swallows what somebody types",
        summary: """
            Update raises a flag, and the callback that follows is dropped as the echo of the program's own write. An \
            update with nothing new raises it too, and no echo comes: the flag waits for the next change, which is a \
            person's. The screen shows what was typed, and the model never hears of it.
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
        Event<OriginSuppressed>(
            "reload", "The file has changed on disk", arguments: [.text("text", "Text", initial: "")]
        ) {
            scenario, arguments in
            scenario.letter.text = arguments["text"] ?? ""
            scenario.letter.isEdited = false
        }
    ]
    static let script = Origin.script
    static let checks = [
        Check("origin-reloaded", of: screen, expecting: ["text": .matching, "isEdited": .matching]),
        Check("origin-typed", of: screen, expecting: ["text": .stale, "isEdited": .matching]),
    ]

    @Model private var letter = LetterState()

    init(_ parameters: Values) throws { letter.text = try parameters.value("text") }
}
