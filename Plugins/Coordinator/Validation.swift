import SeamKit

/// A subject line, which may have 20 characters when it is sent.
struct SubjectState: ModelState {
    static let limit = 20

    var text = ""
    /// What the model has to say against the text.
    var problem: String?

    static var keys: [Key<Self>] { [Key("text", \.text), Key("problem", \.problem)] }
}

/// An editor that hands over what is typed as it is.
final class Validation: Scenario {
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
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.validation", title: "The model judges, the callback carries",
        summary: """
            A subject may have 20 characters. While somebody types it has what it has, and the model has the same; \
            when it is sent, the model says what is wrong with it, and the editor shows that below the text.
            """)
    static let parameters = [Parameter.text("text", "Text at the start", initial: "Thank you")]

    static let screen = Screen("NativeDraft", .declarative, fields: ["text", "problem"])
    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: screen, carrying: SubjectState.self, echoes: true,
        events: typing
    ) { NativeDraft(text: $0.binding(\.text), problem: $0.problem) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let events = [
        Event<Validation>("send", "The subject is sent, and the model looks at it") { scenario, _ in
            scenario.subject.send()
        }
    ]
    static let script: [Step] = [
        .send("type", ["text": "Thank you for all of it"]), .check("validation-typed"),
        .send("type", ["text": "Thank you for all of!"]), .check("validation-typed-on"),
        .send("send"), .check("validation-sent"),
    ]
    static let checks = [
        Check("validation-typed", of: screen, expecting: ["text": .matching]),
        Check("validation-typed-on", of: screen, expecting: ["text": .matching]),
        Check("validation-sent", of: screen, expecting: ["text": .matching, "problem": .matching]),
    ]

    @Model private var subject = SubjectState()

    init(_ parameters: Values) throws { subject.text = try parameters.value("text") }
}

extension SubjectState {
    mutating func send() {
        problem = text.count > Self.limit ? "\(text.count) characters, at most \(Self.limit)" : nil
    }
}
