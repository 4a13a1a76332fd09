import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State

// MARK: Hosting configurations in a table

private struct Task: Identifiable, Equatable {
    let id: Int
    var title: String
}

/// A row that keeps something to itself.
private struct TaskRow: View {
    let task: Task
    @State private var isOpen = false

    var body: some View {
        VStack {
            Text(task.title)
            Text(isOpen ? "open" : "shut").accessibilityIdentifier("state\(task.id)")
            Button("Open \(task.id)") { isOpen = true }
        }
    }
}

private struct PlainRow: View {
    let text: String
    var body: some View { Text(text).accessibilityIdentifier("other") }
}

private class TasksController: UIViewController, UITableViewDataSource {
    var tasks = [Task(id: 1, title: "Milk")]
    let table = UITableView()

    override func viewDidLoad() {
        super.viewDidLoad()
        table.register(UITableViewCell.self, forCellReuseIdentifier: "task")
        table.dataSource = self
        view.addSubview(table)
    }

    func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int { tasks.count }

    func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
        let cell = table.dequeueReusableCell(withIdentifier: "task", for: path)
        configure(cell, tasks[path.row])
        return cell
    }

    func configure(_ cell: UITableViewCell, _ task: Task) {
        cell.contentConfiguration = UIHostingConfiguration { TaskRow(task: task) }
    }
}

/// The repair: another task is another view.
private final class IdentifiedTasksController: TasksController {
    override func configure(_ cell: UITableViewCell, _ task: Task) {
        cell.contentConfiguration = UIHostingConfiguration { TaskRow(task: task).id(task.id) }
    }
}

/// Sometimes another kind of content.
private final class MixedTasksController: TasksController {
    override func configure(_ cell: UITableViewCell, _ task: Task) {
        if task.id == 9 {
            cell.contentConfiguration = UIHostingConfiguration { PlainRow(text: task.title) }
        } else {
            super.configure(cell, task)
        }
    }
}

@MainActor
private func tasks<Controller: TasksController>(
    _ id: String, _ make: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario(id, screen: "Tasks", root: make)
        .model {
            [
                "TaskRow[1].text": $0.tasks.first { $0.id == 1 }?.title,
                "TaskRow[2].text": $0.tasks.first { $0.id == 2 }?.title,
            ]
        }
        .fields("state1", "state2", "TaskRow[2].text-2", "other").bridge(PlainRow.self)
        .event("replace") { screen, _ in
            screen.tasks = [Task(id: 2, title: "Bread")]
            screen.table.reloadData()
        }
        .event("back") { screen, _ in
            screen.tasks = [Task(id: 1, title: "Milk")]
            screen.table.reloadData()
        }
        .event("rename") { screen, _ in
            screen.tasks[0].title += "!"
            screen.table.reconfigureRows(at: [IndexPath(row: 0, section: 0)])
        }
        .event("other") { screen, _ in
            screen.tasks = [Task(id: 9, title: "other")]
            screen.table.reloadData()
        }
        .event("empty") { screen, _ in
            screen.table.deleteRows(at: [IndexPath(row: 0, section: 0)], with: .automatic)
            screen.tasks = []
        }
}

private let hosted = Plugin("test.cells", name: "cells", version: "1") {
    tasks("test.cells") { TasksController() }
    tasks("test.cells-identified") { IdentifiedTasksController() }
    tasks("test.cells-mixed") { MixedTasksController() }
}

// MARK: What a cell's own configuration says

private final class ListController: UIViewController, UITableViewDataSource {
    var rows: [(text: String, note: String?)] = [("a", "new")]
    let table = UITableView()

    override func viewDidLoad() {
        super.viewDidLoad()
        table.register(UITableViewCell.self, forCellReuseIdentifier: "row")
        table.dataSource = self
        view.addSubview(table)
    }
    func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }
    func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
        let cell = table.dequeueReusableCell(withIdentifier: "row", for: path)
        var content = cell.defaultContentConfiguration()
        content.text = rows[path.row].text
        content.secondaryText = rows[path.row].note
        cell.contentConfiguration = content
        return cell
    }
}

private let lists = Plugin("test.lists", name: "lists", version: "1") {
    ScreenScenario("test.list", screen: "List") { ListController() }
        .model { ["textLabel": $0.rows.first?.text, "secondaryTextLabel": $0.rows.first?.note] }
        .event("replace") { screen, _ in
            screen.rows = [("b", nil)]
            screen.table.reloadData()
        }
}

// MARK: A diff base that is reset with the control, or not

private struct Person {
    var name = "Ada"
}

/// Remembers what it has written, and skips a value that is the same.
private final class GuardedCell: UITableViewCell {
    let label = UILabel()
    private var written: String?
    var isRepaired = false

    required init(style: CellStyle, reuseIdentifier: String?) {
        super.init(style: style, reuseIdentifier: reuseIdentifier)
        label.accessibilityIdentifier = "name"
        contentView.addSubview(label)
    }
    required init?(coder: NSCoder) { fatalError("made in code alone") }

    func show(_ name: String) {
        if written == name { return }
        written = name
        label.text = name
    }

    override func prepareForReuse() {
        super.prepareForReuse()
        label.text = nil
        if isRepaired { written = nil }
    }
}

private final class PeopleController: UIViewController, UITableViewDataSource {
    var person = Person()
    let isRepaired: Bool
    let table = UITableView()

    init(isRepaired: Bool) {
        self.isRepaired = isRepaired
        super.init(nibName: nil, bundle: nil)
    }
    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        table.register(GuardedCell.self, forCellReuseIdentifier: "person")
        table.dataSource = self
        view.addSubview(table)
    }
    func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int { 1 }
    func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
        let cell = table.dequeueReusableCell(withIdentifier: "person", for: path)
        (cell as? GuardedCell)?.isRepaired = isRepaired
        (cell as? GuardedCell)?.show(person.name)
        return cell
    }
}

@MainActor
private func people(_ id: String, isRepaired: Bool) -> ScreenScenario<PeopleController> {
    ScreenScenario(id, screen: "People") { PeopleController(isRepaired: isRepaired) }
        .model { ["name": $0.person.name] }
        .event("reload") { screen, _ in screen.table.reloadData() }
}

private let bases = Plugin("test.bases", name: "bases", version: "1") {
    people("test.base-kept", isRepaired: false)
    people("test.base-reset", isRepaired: true)
}

// MARK: A collection with snapshots

/// Items by their number; what they say lies elsewhere.
private class ShelfController: UIViewController {
    var titles = [1: "Milk", 2: "Bread"]
    var order = [1, 2]
    let collection = UICollectionView(
        frame: .zero,
        collectionViewLayout: UICollectionViewCompositionalLayout.list(using: .init(appearance: .plain)))
    private var source: UICollectionViewDiffableDataSource<String, Int>?

    override func viewDidLoad() {
        super.viewDidLoad()
        let registration = UICollectionView.CellRegistration<UICollectionViewListCell, Int> {
            [unowned self] cell, _, number in
            cell.contentConfiguration = UIHostingConfiguration {
                TaskRow(task: Task(id: number, title: titles[number] ?? ""))
            }
        }
        source = UICollectionViewDiffableDataSource(collectionView: collection) { collection, path, number in
            collection.dequeueConfiguredReusableCell(using: registration, for: path, item: number)
        }
        view.addSubview(collection)
        apply()
    }

    func apply(reconfiguring: [Int] = []) {
        var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
        snapshot.appendSections(["all"])
        snapshot.appendItems(order)
        snapshot.reconfigureItems(reconfiguring)
        source?.apply(snapshot, animatingDifferences: true)
    }

    func rename() {
        titles[1] = "Oat milk"
        apply()
    }
}

/// The repair: an item whose data has changed is configured again.
private final class ReconfiguringShelfController: ShelfController {
    override func rename() {
        titles[1] = "Oat milk"
        apply(reconfiguring: [1])
    }
}

@MainActor
private func shelf<Controller: ShelfController>(
    _ id: String, _ make: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario(id, screen: "Shelf", root: make)
        .model { ["TaskRow[1].text": $0.titles[1], "TaskRow[2].text": $0.titles[2]] }
        .fields("TaskRow[3].text", "TaskRow[3].text-2", "state3")
        .event("rename") { screen, _ in screen.rename() }
        .event("swap") { screen, _ in
            screen.order = [2, 1]
            screen.apply()
        }
        .event("replace") { screen, _ in
            screen.titles[3] = "Salt"
            screen.order = [2, 3]
            screen.apply()
        }
}

private let shelves = Plugin("test.shelves", name: "shelves", version: "1") {
    shelf("test.shelf") { ShelfController() }
    shelf("test.shelf-reconfigured") { ReconfiguringShelfController() }
}

@Suite @MainActor struct CellTests {
    @Test("R15, R49: a cell that is configured for another item keeps what the view before kept to itself")
    func carried() throws {
        let table = try Running(hosted)
        #expect(table.shown("TaskRow[1].text") == "Milk" && table.shown("state1") == "shut")
        _ = try table.tap("Open 1")
        #expect(table.shown("state1") == "open")
        let turn = try table.send("replace")
        #expect(turn.codes == ["identity-carried-state"])
        // The text is the new item's, and the state is that of the one before.
        #expect(table.shown("TaskRow[2].text") == "Bread" && table.verdict("TaskRow[2].text") == .matching)
        #expect(table.shown("TaskRow[1].text") == nil && table.shown("state1") == nil)
        #expect(table.shown("state2") == "open")
        table.end()
    }

    @Test("R49, R27: with an id of its item the state begins anew")
    func identified() throws {
        let table = try Running(hosted, 1)
        _ = try table.tap("Open 1")
        #expect(table.shown("state1") == "open")
        #expect(try table.send("replace").codes == [])
        #expect(table.shown("state2") == "shut" && table.shown("TaskRow[2].text") == "Bread")
        #expect(try table.send("back").codes == [])
        #expect(table.shown("state1") == "shut")
        table.end()
    }

    @Test("R53: the same item with another value is the same view: it is drawn again and keeps its state")
    func reconfigured() throws {
        for index in [0, 1] {
            let table = try Running(hosted, index)
            _ = try table.tap("Open 1")
            #expect(try table.send("rename").bodies == ["draw input"])
            #expect(table.shown("TaskRow[1].text") == "Milk!" && table.shown("state1") == "open")
            table.end()
        }
    }

    @Test("R54: what is in the queue is in no window, and shows nothing")
    func queued() throws {
        let table = try Running(hosted)
        #expect(try table.send("empty").codes == [])
        #expect(table.shown("TaskRow[1].text") == nil && table.shown("state1") == nil)
        table.end()
    }

    @Test("R15: another kind of content is another content view, with nothing of the one before")
    func otherKind() throws {
        let table = try Running(hosted, 2)
        _ = try table.tap("Open 1")
        #expect(try table.send("other").codes == [])
        #expect(table.shown("other") == "other" && table.shown("TaskRow[1].text") == nil)
        #expect(try table.send("back").codes == [])
        #expect(table.shown("state1") == "shut" && table.shown("other") == nil)
        table.end()
    }

    @Test("R49: a configuration says all that its view shows, so a reused cell has nothing left in it")
    func listContent() throws {
        let list = try Running(lists)
        #expect(list.shown("textLabel") == "a" && list.shown("secondaryTextLabel") == "new")
        #expect(try list.send("replace").codes == [])
        #expect(list.shown("textLabel") == "b" && list.shown("secondaryTextLabel") == nil)
        list.end()
    }

    @Test(
        "R49: a cell that is emptied, and whose memory of what it wrote is not, stays empty; with both it does not"
    )
    func diffBase() throws {
        let kept = try Running(bases)
        #expect(kept.verdict("name") == .matching)
        _ = try kept.send("reload")
        #expect(kept.verdict("name") == .missing)
        kept.end()
        let reset = try Running(bases, 1)
        #expect(try reset.send("reload").codes == [])
        #expect(reset.verdict("name") == .matching)
        reset.end()
    }

    @Test(
        "R53: an item of the same identity keeps its cell, so that its changed data arrives only where it is configured again"
    )
    func snapshots() throws {
        let kept = try Running(shelves)
        #expect(kept.shown("TaskRow[1].text") == "Milk" && kept.shown("TaskRow[2].text") == "Bread")
        #expect(try kept.send("rename").bodies == [])
        #expect(kept.verdict("TaskRow[1].text") == .stale)
        kept.end()
        let told = try Running(shelves, 1)
        #expect(try told.send("rename").bodies == ["draw input"])
        #expect(told.verdict("TaskRow[1].text") == .matching)
        told.end()
    }

    @Test(
        "R49, R53: a moved item keeps its cell and its state; a cell that goes to another item carries it there"
    )
    func moved() throws {
        let shelf = try Running(shelves)
        _ = try shelf.tap("Open 1")
        #expect(shelf.shown("state1") == "open")
        #expect(try shelf.send("swap").bodies == [])
        #expect(shelf.shown("state1") == "open" && shelf.shown("state2") == "shut")
        #expect(try shelf.send("replace").codes == ["identity-carried-state"])
        #expect(shelf.shown("state3") == "open" && shelf.shown("state1") == nil)
        #expect(shelf.shown("TaskRow[3].text") == "Salt" && shelf.verdict("TaskRow[1].text") == .missing)
        shelf.end()
    }
}

// MARK: Items without a name

private struct Drink: Identifiable {
    let id = UUID()
    var name: String
}

private final class Guest: Identifiable {
    let name: String
    init(_ name: String) { self.name = name }
}

private struct Order {
    var drinks = ["tea", "milk"].map { Drink(name: $0) }
    var guests = ["Ada", "Bob"].map(Guest.init)
}

private struct DrinkRow: View {
    let drink: Drink
    var body: some View { Text(drink.name) }
}

private struct OrderView: View {
    let order: Order
    var body: some View {
        ForEach(order.drinks) { DrinkRow(drink: $0) }
        ForEach(order.guests) { Text($0.name) }
    }
}

private let orders = Plugin("test.orders", name: "orders", version: "1") {
    ScreenScenario("test.orders", screen: "S", model: Order()) { $order in OrderView(order: order) }
        .event("turn round") { order, _ in order.drinks.reverse() }
        .event("more") { order, _ in order.drinks.append(Drink(name: "juice")) }
        .script(.check("start", ["DrinkRow[#1].text": .leftover]))
}

extension CellTests {
    @Test("items whose ids are others in each run have numbers, which stay theirs")
    func numbers() throws {
        let running = try Running(orders)
        defer { running.end() }
        #expect(
            running.fields == [
                "DrinkRow[#1].text", "DrinkRow[#2].text", "OrderView[#3].text", "OrderView[#4].text",
            ])
        _ = try running.send("turn round")
        #expect(running.shown("DrinkRow[#1].text") == "tea" && running.shown("DrinkRow[#2].text") == "milk")
        #expect(try running.send("more").codes == ["undeclared-field"])
    }
}
