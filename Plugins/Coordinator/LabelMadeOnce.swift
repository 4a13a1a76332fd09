import SeamKit

struct LabelState: ModelState {
    var text = ""

    static var keys: [Key<Self>] { [Key("text", \.text)] }
}

/// A label of the old world in a declarative screen: made once, then written into.
final class LabelMadeOnce: Scenario {
    struct NativeLabel: UIViewRepresentable {
        let text: String

        func makeUIView(context: Context) -> Label { Label() }

        func updateUIView(_ label: Label, context: Context) {
            guard label.text != text else { return }
            label.text = text
        }
    }

    static let about = About(
        "coordinator.label", title: "The label is made once",
        summary: """
            A declarative screen wraps a native label. The value that describes it is a new one each time; the label is \
            the same from its make to its end, and update writes into it what has changed. One more update with \
            nothing new writes nothing.
            """)
    static let parameters = [Parameter.text("text", "Text at the start", initial: "Good morning")]

    static let screen = Screen("NativeLabel", .declarative, fields: ["text"])
    static let wrapping = Wrapping(
        "label", title: "The wrapped label", on: screen, carrying: LabelState.self
    ) { NativeLabel(text: $0.text) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [
        .check("label-made"), .set("text", "Good evening"), .check("label-changed"), .update("label"),
        .check("label-repeated"),
    ]
    static let checks = [
        Check("label-made", of: screen, expecting: ["text": .matching]),
        Check("label-changed", of: screen, expecting: ["text": .matching]),
        Check("label-repeated", of: screen, expecting: ["text": .matching]),
    ]

    @Model private var label = LabelState()

    init(_ parameters: Values) throws { label.text = try parameters.value("text") }
}
