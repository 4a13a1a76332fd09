import SeamKit

/// The repair of `WrappingEmpty`: one line.
final class WrappingFilled: Scenario {
    struct ListRepresentable: UIViewRepresentable {
        let title: String
        let rows: [String]

        func makeUIView(context: Context) -> LegacyListView {
            LegacyListView(title: title, rows: rows)
        }

        func updateUIView(_ list: LegacyListView, context: Context) {
            list.reloadData(rows: rows)
        }
    }

    static let about = About(
        "lessons.wrapping-filled", title: "The update reloads the list",
        summary: """
            The same list and the same change of the model as in lessons.wrapping-empty. This time the body of update \
            hands the rows on to the list, and every field matches.
            """)
    static let parameters = WrappingEmpty.parameters

    static let screen = WrappingEmpty.screen
    static let wrapping = Wrapping(
        "list", title: "The wrapped list", on: screen, carrying: ListState.self
    ) { ListRepresentable(title: $0.title, rows: $0.rows) }

    static let screens = [screen]
    static let bridges: [Bridge] = [wrapping]
    static let script: [Step] = [.set("rowCount", 5), .check("wrapping-filled")]
    static let checks = [
        Check("wrapping-filled", of: screen, expecting: ["title": .matching, "rowCount": .matching])
    ]

    @Model private var list = ListState()

    init(_ parameters: Values) throws { list.rowCount = try parameters.value("rowCount") }
}
