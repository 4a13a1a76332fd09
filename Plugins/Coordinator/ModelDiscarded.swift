import SeamKit

/// The outbox of `ModelKept` that cleans up behind the editor, and too much.
final class ModelDiscarded: Scenario {
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
        "coordinator.model-discarded", title: "The draft goes with its editor",
        summary: """
            Folding the editor up throws the draft away, as if it had been the editor's. The row in the list still \
            shows what no longer is there, and the editor that unfolds later offers an empty text for a draft that \
            does not exist.
            """)
    static let parameters = draftParameters

    static let outbox = ModelKept.outbox
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
        Event<ModelDiscarded>("collapse", "The editor folds up into the list", lifecycle: true) {
            scenario, _ in
            scenario.collapse()
        },
        Event<ModelDiscarded>("expand", "The editor unfolds", lifecycle: true) { scenario, _ in
            try scenario.expand()
        },
    ]
    static let script = ModelKept.script
    static let checks = [
        Check("model-collapsed", of: outbox, expecting: ["text": .leftover]),
        Check("model-expanded", of: draftScreen, expecting: ["text": .leftover]),
        Check("model-expanded", of: outbox, expecting: ["text": .leftover]),
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
        draft.text = nil  // as if it had been the editor's
    }
}
