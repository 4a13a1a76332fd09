import SeamKit

/// A draft that may be thrown away: then there is no text, which is not an empty one.
struct OutboxState: ModelState {
    var text: String?

    static var keys: [Key<Self>] { [Key("text", \.text)] }
}

/// A row in the list of what waits to be sent, in an imperative screen. It has a copy, as rows do.
struct OutboxRow: View {
    let text: String?

    var body: some View { Field("text", text) }
}

/// An editor that comes and goes, and a draft that is not its own.
final class ModelKept: Scenario {
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

            func textDidChange(in view: TextView) {
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.model", title: "The draft outlives its editor",
        summary: """
            The draft belongs to the outbox. Folding the editor up removes the editor, and nothing more: the row in \
            the list goes on showing the draft, and the editor that unfolds later begins where the last one ended.
            """)
    static let parameters = draftParameters

    static let outbox = Screen("OutboxRow", .imperative, fields: ["text"])
    static let wrapping = Wrapping(
        "draft", title: "The wrapped editor", on: draftScreen, carrying: OutboxState.self, echoes: true,
        events: typing
    ) { NativeDraft(text: $0.binding(\.text, or: "")) }
    static let embedding = Embedding(
        "row", title: "The hosted row", on: outbox, carrying: OutboxState.self
    ) { OutboxRow(text: $0.text) }

    static let screens = [draftScreen, outbox]
    static let bridges: [Bridge] = [wrapping, embedding]
    static let events = [
        Event<ModelKept>("collapse", "The editor folds up into the list", lifecycle: true) { scenario, _ in
            scenario.collapse()
        },
        Event<ModelKept>("expand", "The editor unfolds", lifecycle: true) { scenario, _ in
            try scenario.expand()
        },
    ]
    static let script: [Step] = [
        .send("type", ["text": "Dear Ada, thank you"]), .send("collapse"), .check("model-collapsed"),
        .send("expand"), .check("model-expanded"),
    ]
    static let checks = [
        Check("model-collapsed", of: outbox, expecting: ["text": .matching]),
        Check("model-expanded", of: draftScreen, expecting: ["text": .matching]),
        Check("model-expanded", of: outbox, expecting: ["text": .matching]),
    ]

    @Model private var draft = OutboxState()
    private var editor: Mount?
    private var row: HostingController<OutboxRow>?

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }

    func start() throws {
        row = try HostingController(Self.embedding, rootView: OutboxRow(text: draft.text))
        try expand()
    }

    func expand() throws {
        if editor == nil { editor = try Self.wrapping.mount() }
    }

    func collapse() {
        guard let editor else { return }
        row?.rootView = OutboxRow(text: draft.text)
        editor.unmount()
        self.editor = nil
    }
}
