import SeamKit

/// What the model knows of the list: its title and how many rows there should be.
struct ListState: ModelState {
    var title = "Tasks"
    var rowCount = 3

    static var keys: [Key<Self>] { [Key("title", \.title), Key("rowCount", \.rowCount)] }

    /// The rows themselves never cross the border of a simulation; their number is what the screen is checked
    /// for. A client may set any number, and no memory would hold the rows of some.
    var rows: [String] { (0..<min(max(0, rowCount), 10_000)).map { "task \($0 + 1)" } }
}

/// The old list, which has worked for years: it shows what it was told last.
final class LegacyListView: NativeView {
    init(title: String, rows: [String]) {
        super.init()
        screen["title"] = title
        reloadData(rows: rows)
    }

    func reloadData(rows: [String]) {
        screen["rowCount"] = String(rows.count)
    }
}
