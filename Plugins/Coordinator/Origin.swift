import SeamKit

/// A letter with a mark for what is not saved yet.
struct LetterState: ModelState {
    var text = ""
    var isEdited = false

    static var keys: [Key<Self>] { [Key("text", \.text), Key("isEdited", \.isEdited)] }
}

/// An editor whose callback asks whose change it hears of.
final class Origin: Scenario {
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
                guard let typed = view.text, typed != latest.text else { return }
                view.isEdited = true
                latest.text = typed
                latest.isEdited = true
            }
        }
    }

    static let about = About(
        "coordinator.origin", title: "A change by the program is told from one by a person",
        summary: """
            The text view reports every change, and only what a person did may set the mark for unsaved changes. The \
            callback compares: a text that the model has already is what the program wrote, and not an edit. The file \
            is loaded again and the mark stays off; somebody types and it goes on.
            """)
    static let parameters = draftParameters

    static let screen = Screen("NativeDraft", .declarative, fields: ["text", "isEdited"])
    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: screen, carrying: LetterState.self, echoes: true,
        events: typing
    ) { NativeDraft(text: $0.binding(\.text), isEdited: $0.binding(\.isEdited)) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let events = [
        Event<Origin>(
            "reload", "The file has changed on disk", arguments: [.text("text", "Text", initial: "")]
        ) {
            scenario, arguments in
            scenario.letter.text = arguments["text"] ?? ""
            scenario.letter.isEdited = false
        }
    ]
    static let script: [Step] = [
        .send("reload", ["text": "Dear Grace"]), .check("origin-reloaded"), .update("draft"),
        .send("type", ["text": "Dear Grace, thank you"]), .check("origin-typed"),
    ]
    static let checks = [
        Check("origin-reloaded", of: screen, expecting: ["text": .matching, "isEdited": .matching]),
        Check("origin-typed", of: screen, expecting: ["text": .matching, "isEdited": .matching]),
    ]

    @Model private var letter = LetterState()

    init(_ parameters: Values) throws { letter.text = try parameters.value("text") }
}
