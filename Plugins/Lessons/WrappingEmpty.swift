import SeamKit

/// A declarative screen wraps the old list, and the update that the framework calls does nothing.
final class WrappingEmpty: Scenario {
    struct ListRepresentable: UIViewRepresentable {
        let title: String
        let rows: [String]

        func makeUIView(context: Context) -> LegacyListView {
            LegacyListView(title: title, rows: rows)
        }

        func updateUIView(_ list: LegacyListView, context: Context) {
            // The line that carries the value is not there: list.reloadData(rows: rows)
        }
    }

    static let about = About(
        "lessons.wrapping-empty", title: "The update has an empty body",
        summary: """
            A list made by imperative code sits in a declarative screen. It is made with three rows; when the model \
            has more, update is called as it should be, and writes nothing. rowCount is stale, though no call is \
            missing.
            """)
    static let parameters = [Parameter.integer("rowCount", "Rows at the start", initial: 3, in: 0...10_000)]

    static let screen = Screen("LegacyListView", .declarative, fields: ["title", "rowCount"])
    static let wrapping = Wrapping(
        "list", title: "The wrapped list", on: screen, carrying: ListState.self
    ) { ListRepresentable(title: $0.title, rows: $0.rows) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [.set("rowCount", 5), .check("wrapping-empty")]
    static let checks = [
        Check("wrapping-empty", of: screen, expecting: ["title": .matching, "rowCount": .stale])
    ]

    @Model private var list = ListState()

    init(_ parameters: Values) throws { list.rowCount = try parameters.value("rowCount") }
}
