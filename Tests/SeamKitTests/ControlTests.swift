import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State
private typealias Binding = SeamKit.Binding

// MARK: Imperative controls

/// One of each, which all tell of themselves in the same list.
private final class PanelController: UIViewController, UISearchBarDelegate, UIScrollViewDelegate,
    UISearchResultsUpdating, UITableViewDataSource, UITableViewDelegate
{
    private(set) var heard: [String] = []
    private let slider = UISlider()
    private let stepper = UIStepper()
    private let segments = UISegmentedControl(items: ["One", "Two"])
    private let picker = UIDatePicker()
    private let pages = UIPageControl()
    private let search = UISearchBar()
    private let scroll = UIScrollView()
    private let plain = UIButton(type: .system)
    private let table = UITableView()
    private let pad = UIView()
    private let finder = UISearchController(searchResultsController: nil)
    var isEnabled = true {
        didSet { for case let control as UIControl in view.subviews { control.isEnabled = isEnabled } }
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let all: [UIView] = [slider, stepper, segments, picker, pages, search, scroll, plain, table, pad]
        for view in all { self.view.addSubview(view) }
        for (control, name) in [
            (slider, "slider"), (stepper, "stepper"), (segments, "segments"), (picker, "picker"),
            (pages, "pages"),
        ] as [(UIControl, String)] {
            control.addAction(UIAction { [weak self] _ in self?.heard.append(name) }, for: .valueChanged)
        }
        slider.maximumValue = 10
        stepper.maximumValue = 3
        segments.setEnabled(false, forSegmentAt: 1)
        segments.insertSegment(withTitle: "Three", at: 2, animated: false)
        pages.numberOfPages = 3
        picker.maximumDate = Date(modelText: "2020-01-01")
        search.delegate = self
        scroll.delegate = self
        scroll.accessibilityIdentifier = "scroll"
        table.dataSource = self
        table.delegate = self
        pad.accessibilityIdentifier = "pad"
        pad.addGestureRecognizer(
            UISwipeGestureRecognizer(target: self, action: PanelController.swiped))
        plain.setTitle("Menu", for: .normal)
        plain.menu = UIMenu(children: [
            UIAction(title: "Copy") { [weak self] _ in self?.heard.append("copy") },
            UIAction(title: "Paste", attributes: .disabled) { [weak self] _ in self?.heard.append("paste") },
        ])
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            barButtonSystemItem: .save, target: self, action: PanelController.save)
        navigationItem.leftBarButtonItem = editButtonItem
        finder.searchResultsUpdater = self
        finder.searchBar.placeholder = "Find"
        navigationItem.searchController = finder
    }

    private func swiped(_ recognizer: UISwipeGestureRecognizer) { heard.append("swipe \(recognizer.state)") }
    private func save() { heard.append("save") }
    override func setEditing(_ editing: Bool, animated: Bool) {
        super.setEditing(editing, animated: animated)
        heard.append("editing \(editing)")
    }
    func searchBar(_ searchBar: UISearchBar, textDidChange text: String) { heard.append("search \(text)") }
    func searchBarSearchButtonClicked(_ searchBar: UISearchBar) { heard.append("go") }
    func updateSearchResults(for searchController: UISearchController) {
        heard.append("find \(searchController.searchBar.text ?? "")")
    }
    func scrollViewDidScroll(_ scrollView: UIScrollView) {
        heard.append("scroll \(scrollView.contentOffset.y)")
    }
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? {
        indexPath.row == 0 ? nil : indexPath
    }
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        heard.append("row \(indexPath.row)")
    }
    func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        UISwipeActionsConfiguration(actions: [
            UIContextualAction(style: .normal, title: "Archive") { [weak self] _, _, done in
                self?.heard.append("archive \(indexPath.row)")
                done(true)
            }
        ])
    }
}

private let panels = Plugin("test.panels", name: "panels", version: "1") {
    ScreenScenario("test.panel") { PanelController() }
        .model { ["heard": $0.heard.joined(separator: ", ")] }
        .event("disable") { screen, _ in screen.isEnabled = false }
}

// MARK: Declarative ones

private final class Shelf: ObservableObject {
    @Published var path: [Int] = []
    @Published var query = ""
    @Published var answer = ""
    @Published var books = ["a", "b", "c"]
    @Published var isLocked = false
}

private struct ShelfView: View {
    @ObservedObject var shelf: Shelf
    @State private var isAsking = false
    @State private var isOpen = false

    var body: some View {
        NavigationStack(path: $shelf.path) {
            List {
                ForEach(shelf.books, id: \.self) { book in
                    Text(book).contextMenu { Button("Mark \(book)") { shelf.answer = book } }
                }
                .onDelete { shelf.books.remove(atOffsets: $0) }
                NavigationLink("First", value: 1)
                Text("ask").onTapGesture { isAsking = true }
                Text("hidden").accessibilityIdentifier("unseen").hidden()
                Button("Open") { isOpen = true }.disabled(shelf.isLocked)
            }
            .navigationDestination(for: Int.self) { number in
                Text("book \(number)").accessibilityIdentifier("book")
                NavigationLink("Next", value: number + 1)
            }
            .searchable(text: $shelf.query)
            .confirmationDialog("Sure?", isPresented: $isAsking) {
                Button("Burn", role: .destructive) { shelf.answer = "burnt" }
            }
            .sheet(isPresented: $isOpen) { HeldSheet(shelf: shelf) }
        }
    }
}

private struct HeldSheet: View {
    @ObservedObject var shelf: Shelf
    @Environment(\.dismiss) private var dismiss
    var body: some View {
        Text("over").accessibilityIdentifier("over")
        Button("Done") { dismiss() }.accessibilityIdentifier("done")
            .interactiveDismissDisabled(shelf.query == "held")
    }
}

private let shelves = Plugin("test.shelves", name: "shelves", version: "1") {
    ScreenScenario("test.shelf", object: Shelf()) { ShelfView(shelf: $0) }
        .model(Key("query", \.query), Key("answer", \.answer), Key("isLocked", \.isLocked))
        .model { ["depth": $0.path.count, "books": $0.books.joined()] }
        .fields("book", "over", "done", "ShelfView.text-6")
}

@MainActor @Suite struct ControlTests {
    @Test(
        "a control that a person turns shows its value and tells who asked; what it does not take changes nothing",
        arguments: [
            ("slider", "4", "4.0", "slider"), ("slider", "99", "10.0", "slider"), ("slider", "x", "0.0", ""),
            ("stepper", "2", "2.0", "stepper"), ("stepper", "9", "3.0", "stepper"),
            ("stepper", "0", "0.0", ""),
            ("segments", "One", "One", "segments"), ("segments", "2", "Three", "segments"),
            ("segments", "Two", nil, ""), ("segments", "7", nil, ""),
            ("picker", "2001-02-03", "2001-02-03T00:00:00Z", "picker"),
            ("picker", "2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "picker"),
            ("picker", "soon", "1970-01-01T00:00:00Z", ""),
            ("pages", "2", "2", "pages"), ("pages", "3", "0", ""),
            ("scroll", "120", nil, "scroll 120.0"), ("tableView", "1", nil, "row 1"),
            ("tableView", "0", nil, ""),
            ("tableView", "5", nil, ""),
        ] as [(String, String, String?, String)])
    func turned(_ control: String, _ value: String, _ shown: String?, _ heard: String) throws {
        let run = try Running(panels)
        _ = try run.send("set", ["control": control, "value": value])
        #expect(run.shown(control) == shown)
        #expect(run.model("heard") == heard)
        #expect(run.end() == [])
    }

    @Test(
        "a disabled control takes nothing", arguments: ["slider", "stepper", "segments", "picker", "pages"])
    func disabled(_ control: String) throws {
        let run = try Running(panels)
        _ = try run.send("disable")
        _ = try run.send("set", ["control": control, "value": control == "picker" ? "2001-01-01" : "1"])
        #expect(run.model("heard") == "")
        run.end()
    }

    @Test("bars, menus, gestures and swiped rows are tapped by their names")
    func tapped() throws {
        let run = try Running(panels)
        for name in ["save", "Edit", "Done", "Copy", "Paste", "pad swipe", "Archive 1", "stepper Increment"] {
            #expect(try run.tap(name).codes == [], "\(name)")
        }
        #expect(
            run.model("heard")
                == "save, editing true, editing false, copy, swipe ended, archive 1, stepper")
        run.end()
    }

    @Test("a search bar tells of what is typed and of its button; a search controller of what it finds")
    func search() throws {
        let run = try Running(panels)
        _ = try run.send("type", ["control": "search", "text": "tea\n"])
        #expect(run.model("heard") == "search tea, go" && run.shown("search") == "tea")
        _ = try run.send("type", ["control": "Find", "text": "cup"])
        _ = try run.tap("Cancel")
        #expect(run.model("heard") == "search tea, go, find cup, find ")
        run.end()
    }

    @Test("a path pushes and is pushed to; what is covered stays, and Back takes one away")
    func path() throws {
        let run = try Running(shelves)
        #expect(run.start.codes == [])
        _ = try run.tap("First")
        #expect(run.shown("book") == "book 1" && run.model("depth") == "1")
        _ = try run.tap("Next")
        #expect(run.shown("book") == "book 2" && run.model("depth") == "2")
        _ = try run.tap("Back")
        #expect(run.shown("book") == "book 1" && run.model("depth") == "1")
        _ = try run.tap("Back")
        #expect(run.shown("book") == nil && run.model("depth") == "0")
        #expect(try run.tap("Back").codes == ["no-such-control"])
        run.end()
    }

    @Test("menus, dialogs and rows: what is out of sight is tapped all the same, and is no field")
    func rows() throws {
        let run = try Running(shelves)
        _ = try run.tap("Mark b")
        #expect(run.model("answer") == "b")
        _ = try run.tap("delete 0")
        #expect(run.model("books") == "bc")
        #expect(try run.tap("Burn").codes == ["no-such-control"])
        _ = try run.tap("ask")
        _ = try run.tap("Burn")
        #expect(run.model("answer") == "burnt")
        #expect(try run.tap("Burn").codes == ["no-such-control"])
        #expect(!run.fields.contains("unseen"))
        run.end()
    }

    @Test("a sheet that is held is closed by the code alone; a disabled button opens none")
    func held() throws {
        let run = try Running(shelves)
        _ = try run.tap("Open")
        _ = try run.tap("dismiss")
        #expect(run.shown("over") == nil)
        _ = try run.set("query", "held")
        _ = try run.tap("Open")
        _ = try run.tap("dismiss")
        #expect(run.shown("over") == "over")
        _ = try run.tap("done")
        #expect(run.shown("over") == nil)
        _ = try run.set("isLocked", "true")
        _ = try run.tap("Open")
        #expect(run.shown("over") == nil)
        run.end()
    }
}
