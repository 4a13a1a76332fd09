import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State

// MARK: Tables

private struct Rows {
    var texts = ["a", "b"]
}

private struct TableView: UIViewRepresentable {
    let texts: [String]
    let renews: Bool

    func makeCoordinator() -> Coordinator { Coordinator(self) }
    func makeUIView(context: Context) -> UITableView {
        let table = UITableView()
        table.register(BadgeCell.self, forCellReuseIdentifier: "row")
        table.dataSource = context.coordinator
        return table
    }
    func updateUIView(_ table: UITableView, context: Context) {
        if renews { context.coordinator.parent = self }
        table.reloadData()
    }

    final class Coordinator: NSObject, UITableViewDataSource {
        var parent: TableView
        init(_ parent: TableView) { self.parent = parent }
        func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int { parent.texts.count }
        func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
            let cell = table.dequeueReusableCell(withIdentifier: "row", for: path)
            cell.textLabel?.accessibilityIdentifier = "row\(path.row)"
            cell.textLabel?.text = parent.texts[path.row]
            // Only what there is: a badge of the row before stays.
            if parent.texts[path.row] == "a" {
                cell.detailTextLabel?.accessibilityIdentifier = "badge"
                cell.detailTextLabel?.text = "new"
            }
            return cell
        }
    }
}

private final class BadgeCell: UITableViewCell {}

@MainActor
private func table(_ id: String, renews: Bool) -> ScreenScenario<Rows> {
    ScreenScenario(id, screen: "Table", model: Rows()) { $rows in TableView(texts: rows.texts, renews: renews)
    }
    .model { ["row0": $0.texts.first, "row1": $0.texts.dropFirst().first] }
    .event("replace") { rows, _ in rows.texts = ["c", "d"] }
}

private let tables = Plugin("test.tables", name: "tables", version: "1") {
    table("test.table", renews: true)
    table("test.table-stale", renews: false)
}

// MARK: Hosts

private struct Item: Identifiable {
    let id: Int
    var note = ""
}

private struct ItemView: View {
    let item: Item
    @State private var touched = "no"

    var body: some View {
        VStack {
            Text("\(item.id)").accessibilityIdentifier("item")
            Text(touched).accessibilityIdentifier("touched")
            Button("Touch") { touched = "yes" }
        }
    }
}

private final class ItemController: UIViewController {
    var item = Item(id: 1)
    lazy var host = UIHostingController(rootView: ItemView(item: item))

    override func viewDidLoad() {
        super.viewDidLoad()
        addChild(host)
        view.addSubview(host.view)
    }

    func show(_ item: Item) {
        self.item = item
        host.rootView = ItemView(item: item)
    }
}

private let itemHosts = Plugin("test.items", name: "items", version: "1") {
    ScreenScenario("test.items", screen: "Items") { ItemController() }
        .model { ["item": $0.item.id] }
        .event("other") { controller, _ in controller.show(Item(id: 2)) }
        .event("same") { controller, _ in controller.show(Item(id: 1, note: "x")) }
}

private struct ShadeKey: EnvironmentKey {
    static let defaultValue = "none"
}

extension EnvironmentValues {
    fileprivate var shade: String {
        get { self[ShadeKey.self] }
        set { self[ShadeKey.self] = newValue }
    }
}

private struct ShadeText: View {
    @Environment(\.shade) private var shade
    var body: some View { Text(shade).accessibilityIdentifier("shade") }
}

/// Makes its host where a representable is made, so that it lies in the representable's environment.
private struct HostingView: UIViewControllerRepresentable {
    func makeUIViewController(context: Context) -> UIViewController {
        UIHostingController(rootView: ShadeText())
    }
    func updateUIViewController(_ controller: UIViewController, context: Context) {}
}

private struct Shade {
    var shade = "light"
}

private let shades = Plugin("test.shades", name: "shades", version: "1") {
    ScreenScenario("test.shades", screen: "Shades", model: Shade()) { $state in
        HostingView().environment(\.shade, state.shade)
    }
    .model(Key("shade", \.shade))
}

// MARK: Controls in a value

private final class NamedView: UIView {
    let label = UILabel()
    override init(frame: CGRect) {
        super.init(frame: frame)
        label.accessibilityIdentifier = "text"
        addSubview(label)
    }
    required init?(coder: NSCoder) { super.init(coder: coder) }
}

private struct OwnView: UIViewRepresentable {
    let text: String
    let own = NamedView(frame: .zero)

    init(text: String) { self.text = text }
    func makeUIView(context: Context) -> NamedView { own }
    func updateUIView(_ view: NamedView, context: Context) { own.label.text = text }
}

/// Fills another content before it puts it in the place of the one before.
private struct RefillingView: UIViewRepresentable {
    let text: String

    func makeUIView(context: Context) -> UIView { UIView() }
    func updateUIView(_ view: UIView, context: Context) {
        let content = NamedView(frame: .zero)
        content.label.text = text
        let former = view.subviews
        view.addSubview(content)
        former.forEach { $0.removeFromSuperview() }
    }
}

private struct Caption {
    var text = "one"
}

private let captions = Plugin("test.captions", name: "captions", version: "1") {
    ScreenScenario("test.own", screen: "S", model: Caption()) { $caption in OwnView(text: caption.text) }
        .model(Key("text", \.text))
    ScreenScenario("test.refilled", screen: "S", model: Caption()) { $caption in
        RefillingView(text: caption.text)
    }
    .model(Key("text", \.text))
}

@Suite @MainActor struct ContainerTests {
    @Test("R49: a cell that comes out of the queue has what the row before left in it")
    func leftovers() throws {
        let table = try Running(tables)
        #expect(table.shown("row0") == "a" && table.shown("row1") == "b" && table.shown("badge") == "new")
        let turn = try table.send("replace")
        #expect(turn.codes == [])
        #expect(table.verdict("row0") == .matching && table.verdict("row1") == .matching)
        #expect(table.shown("badge") == "new" && table.verdict("badge") == .leftover)
        table.end()
    }

    @Test(
        "R31, R34: a question that is answered from an old copy of the parent is reported, from the newest it is not"
    )
    func questions() throws {
        let stale = try Running(tables, 1)
        #expect(try stale.send("replace").codes == ["stale-parent"])
        #expect(stale.shown("row0") == "a" && stale.verdict("row0") == .stale)
        stale.end()
    }

    @Test("R15: a root view of the same type for another item keeps its state, and the host is told")
    func items() throws {
        let cell = try Running(itemHosts)
        #expect(try cell.send("same").codes == [])
        _ = try cell.tap("Touch")
        #expect(try cell.send("same").codes == [])
        #expect(try cell.send("other").codes == ["identity-carried-state"])
        #expect(cell.shown("item") == "2" && cell.shown("touched") == "yes")
        cell.end()
    }

    @Test("R19: a host that is made in a representable has its environment, and hears of a change")
    func inherited() throws {
        let host = try Running(shades)
        #expect(host.shown("shade") == "light")
        #expect(try host.set("shade", "dark").codes == [])
        #expect(host.shown("shade") == "dark")
        host.end()
    }

    @Test(
        "R8: a control that comes with each value is made again, and written into instead of the one on the screen"
    )
    func ownControl() throws {
        let own = try Running(captions)
        #expect(own.shown("text") == "one")
        #expect(Set(try own.set("text", "two").codes) == ["recreated-control", "wrong-instance"])
        #expect(own.verdict("text") == .stale)
        own.end()
    }

    @Test("R8: what is filled first and shown then is no other instance")
    func refilled() throws {
        let view = try Running(captions, 1)
        #expect(try view.set("text", "two").codes == ["recreated-control"])
        #expect(view.verdict("text") == .matching)
        view.end()
    }
}
