import SeamKit

/// The editor of `Validation` whose callback lets no more than 20 characters out.
final class ValidationInCallback: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String
        let problem: String?

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            if text != view.text { view.text = text }
            if view.problem != problem { view.problem = problem }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft

            init(for latest: NativeDraft) { self.latest = latest }

            func textDidChange(in view: TextView) {
                let typed = String((view.text ?? "").prefix(SubjectState.limit))
                if typed != latest.text { latest.text = typed }
            }
        }
    }

    static let about = About(
        "coordinator.validation-in-callback", title: "The callback cuts what is typed",
        summary: """
            A text that is too long reaches the model cut off. The first time that is a change, the update that \
            follows it cuts the text view too, under the fingers of whoever types. The second time the model has that \
            text already: nothing changes, no update comes, and the screen is one letter ahead for good.
            """)
    static let parameters = Validation.parameters

    static let screen = Validation.screen
    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: screen, carrying: SubjectState.self, echoes: true,
        events: typing
    ) { NativeDraft(text: $0.binding(\.text), problem: $0.problem) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let events = [
        Event<ValidationInCallback>("send", "The subject is sent, and the model looks at it") { scenario, _ in
            scenario.subject.send()
        }
    ]
    static let script = Validation.script
    static let checks = [
        Check("validation-typed", of: screen, expecting: ["text": .matching]),
        Check("validation-typed-on", of: screen, expecting: ["text": .stale]),
        Check("validation-sent", of: screen, expecting: ["text": .stale, "problem": .outOfScope]),
    ]

    @Model private var subject = SubjectState()

    init(_ parameters: Values) throws { subject.text = try parameters.value("text") }
}
