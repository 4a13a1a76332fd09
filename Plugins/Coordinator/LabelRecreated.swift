import SeamKit

/// Making and updating are one thing here: each update has a label of its own.
final class LabelRecreated: Scenario {
    struct NativeLabel: UIViewRepresentable {
        let text: String

        func makeUIView(context: Context) -> Label { makeLabel() }

        func updateUIView(_ label: Label, context: Context) {
            guard label.text != text else { return }
            context.replaceView(with: makeLabel())
        }

        private func makeLabel() -> Label {
            let label = Label()
            label.text = text
            return label
        }
    }

    static let about = About(
        "coordinator.label-recreated", title: "Each update makes another label",
        summary: """
            The same label and the same change as in coordinator.label, but update puts a new label in the place of \
            the one on the screen. Every field matches, and whatever the old label had is gone with it: focus, \
            selection, a running animation. Only the identity of the control shows it.
            """)
    static let parameters = LabelMadeOnce.parameters

    static let screen = LabelMadeOnce.screen
    static let wrapping = Wrapping(
        "label", title: "The wrapped label", on: screen, carrying: LabelState.self
    ) { NativeLabel(text: $0.text) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let script = LabelMadeOnce.script
    static let checks = LabelMadeOnce.checks

    @Model private var label = LabelState()

    init(_ parameters: Values) throws { label.text = try parameters.value("text") }
}
