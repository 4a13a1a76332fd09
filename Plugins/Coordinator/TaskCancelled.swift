import SeamKit

/// An editor that asks a server for a closing line when it is made.
final class TaskCancelled: Scenario {
    struct NativeDraft: UIViewRepresentable {
        @Binding var text: String

        func makeCoordinator() -> Coordinator { Coordinator(for: self) }

        func makeUIView(context: Context) -> TextView {
            context.coordinator.askForClosing()
            return TextView(delegate: context.coordinator)
        }

        func updateUIView(_ view: TextView, context: Context) {
            context.coordinator.latest = self
            if text != view.text { view.text = text }
        }

        static func dismantleUIView(_ view: TextView, coordinator: Coordinator) {
            view.delegate = nil
            coordinator.asking?.cancel()
        }

        final class Coordinator: TextViewDelegate {
            var latest: NativeDraft
            private(set) var asking: PendingWork?

            init(for latest: NativeDraft) { self.latest = latest }

            func askForClosing() {
                asking = SeamKit.task { [self] in
                    try await pause(milliseconds: 200)  // a server is thinking
                    latest.text += ", yours sincerely"
                }
            }

            func textDidChange(in view: TextView) {
                guard let typed = view.text, typed != latest.text else { return }
                latest.text = typed
            }
        }
    }

    static let about = About(
        "coordinator.task", title: "The task goes with the editor",
        summary: """
            Make starts a task that waits for an answer and appends it to the draft. The editor is removed before the \
            answer is there, and dismantle cancels the task: the draft gets its closing line once, from the editor \
            that is on the screen when the answer comes.
            """, drainsMainQueue: true)
    static let parameters = draftParameters

    static let wrapping = editor { NativeDraft(text: $0.binding(\.text)) }

    static let screens = [draftScreen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [
        .unmount("draft"), .set("text", "Dear Grace"), .advance(milliseconds: 200),
        .mount("draft"), .check("task-back"), .advance(milliseconds: 200), .check("task-answered"),
    ]
    static let checks = [
        Check("task-back", of: draftScreen, expecting: ["text": .matching]),
        Check("task-answered", of: draftScreen, expecting: ["text": .matching]),
    ]

    @Model private var draft = DraftState()

    init(_ parameters: Values) throws { draft.text = try parameters.value("text") }
}
