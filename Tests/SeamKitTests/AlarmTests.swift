import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State

// MARK: A label that is no bridge's business

private struct Dish: Identifiable {
    let id: Int
    var name: String
}

private struct DishRow: View {
    let dish: Dish
    var body: some View { Text(dish.name) }
}

/// Rows in hosted cells, and a label of the controller's own above them.
private class MenuController: UIViewController, UITableViewDataSource {
    var dishes = [Dish(id: 1, name: "Soup")]
    var count: Int { dishes.count }
    private let countLabel = UILabel()
    private let table = UITableView()

    override func viewDidLoad() {
        super.viewDidLoad()
        countLabel.accessibilityIdentifier = "count"
        view.addSubview(countLabel)
        countLabel.text = "\(count)"
        table.register(UITableViewCell.self, forCellReuseIdentifier: "dish")
        table.dataSource = self
        view.addSubview(table)
    }

    func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int { dishes.count }

    func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
        let cell = table.dequeueReusableCell(withIdentifier: "dish", for: path)
        cell.contentConfiguration = UIHostingConfiguration { DishRow(dish: dishes[path.row]) }
        return cell
    }

    func addDish() {
        dishes.append(Dish(id: 2, name: "Bread"))
        table.reloadData()
    }

    func countDishes() { countLabel.text = "\(count)" }
}

private final class CountingMenuController: MenuController {
    override func addDish() {
        super.addDish()
        countDishes()
    }
}

@MainActor
private func menu<Controller: MenuController>(
    _ id: String, _ make: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario(id, screen: "Menu", root: make)
        .model { ["count": $0.count, "DishRow[1].text": $0.dishes.first?.name] }
        .fields("DishRow[2].text")
        .event("add") { screen, _ in screen.addDish() }
        .event("rename") { screen, _ in screen.dishes[0].name = "Stew" }
}

private let menus = Plugin("test.menus", name: "menus", version: "1") {
    menu("test.menu") { MenuController() }
    menu("test.menu-counting") { CountingMenuController() }
}

// MARK: Observers that end by themselves, and those that do not

private struct Draft {
    var text = "one"
    var other = "two"
    var isShown = true
    var picksOther = false
}

private struct ObservingField: UIViewRepresentable {
    let text: String
    let byBlock: Bool
    let log: Log

    func makeCoordinator() -> Coordinator { Coordinator(byBlock: byBlock, log: log) }
    func makeUIView(context: Context) -> UILabel { UILabel() }
    func updateUIView(_ label: UILabel, context: Context) { label.text = text }

    @MainActor
    final class Coordinator: NSObject {
        private let log: Log

        init(byBlock: Bool, log: Log) {
            self.log = log
            super.init()
            if byBlock {
                NotificationCenter.default.addObserver(forName: changed, object: nil, queue: nil) { _ in }
            } else {
                NotificationCenter.default.addObserver(
                    self, action: Coordinator.heard, name: changed, object: nil)
            }
        }

        func heard(_ notification: Notification) { log.lines.append("heard") }
    }
}

private let changed = Notification.Name("test.changed")

@MainActor
private final class Log {
    var lines: [String] = []
}

@MainActor
private func observing(_ id: String, byBlock: Bool, _ log: Log) -> ScreenScenario<Draft> {
    ScreenScenario(id, model: Draft()) { draft in
        VStack {
            if draft.wrappedValue.isShown {
                ObservingField(text: draft.wrappedValue.text, byBlock: byBlock, log: log)
                    .accessibilityIdentifier("text")
            }
        }
    }
    .model(Key("text", \.text), Key("isShown", \.isShown))
    .event("post") { _, _ in NotificationCenter.default.post(name: changed, object: nil) }
}

// MARK: Coordinators with a binding, with a parent, and with a binding of before

private struct BoundField: UIViewRepresentable {
    @Binding var text: String
    let note: String

    func makeCoordinator() -> Coordinator { Coordinator(text: $text) }
    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.delegate = context.coordinator
        return field
    }
    func updateUIView(_ field: UITextField, context: Context) {
        if field.text != text { field.text = text }
    }

    final class Coordinator: NSObject, UITextFieldDelegate {
        let text: Binding<String>
        init(text: Binding<String>) { self.text = text }
        func textFieldDidChangeSelection(_ field: UITextField) { text.wrappedValue = field.text ?? "" }
    }
}

private struct ParentField: UIViewRepresentable {
    @Binding var text: String
    let note: String
    var isRenewed = false

    func makeCoordinator() -> Coordinator { Coordinator(parent: self) }
    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.delegate = context.coordinator
        return field
    }
    func updateUIView(_ field: UITextField, context: Context) {
        if isRenewed { context.coordinator.parent = self }
        if field.text != text { field.text = text }
    }

    final class Coordinator: NSObject, UITextFieldDelegate {
        var parent: ParentField
        init(parent: ParentField) { self.parent = parent }
        func textFieldDidChangeSelection(_ field: UITextField) { parent.text = field.text ?? "" }
    }
}

@MainActor
private func writing<Root: View>(
    _ id: String, @ViewBuilder _ root: @escaping (Binding<Draft>) -> Root
) -> ScreenScenario<Draft> {
    ScreenScenario(id, model: Draft(), root: root)
        .model(Key("text", \.text), Key("other", \.other), Key("picksOther", \.picksOther))
}

private let writers = Plugin("test.writers", name: "writers", version: "1") {
    writing("test.bound") { draft in
        BoundField(text: draft.text, note: draft.wrappedValue.other).accessibilityIdentifier("text")
    }
    writing("test.parent") { draft in
        ParentField(text: draft.text, note: draft.wrappedValue.other).accessibilityIdentifier("text")
    }
    writing("test.parent-renewed") { draft in
        ParentField(text: draft.text, note: draft.wrappedValue.other, isRenewed: true)
            .accessibilityIdentifier("text")
    }
    writing("test.rebound") { draft in
        BoundField(text: draft.wrappedValue.picksOther ? draft.other : draft.text, note: "")
            .accessibilityIdentifier("text")
    }
}

// MARK: Sheets that a person closes

private final class PickerController: UIViewController {}

private class OpeningController: UIViewController, UIAdaptivePresentationControllerDelegate {
    var isOpen = false
    var log: [String] = []
    var isOpenText: String { "\(isOpen)" }
    let openLabel = UILabel()
    var isHeld = false

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(openLabel)
        refresh()
        view.addSubview(
            UIButton(type: .system, primaryAction: UIAction(title: "Open") { [weak self] _ in self?.open() }))
    }

    func open() {
        let picker = PickerController()
        picker.isModalInPresentation = isHeld
        picker.presentationController?.delegate = self
        present(picker, animated: true)
        isOpen = true
        refresh()
    }

    func close() { dismiss(animated: true) }
    func refresh() { openLabel.text = isOpenText }

    func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {
        log.append("will")
    }
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {
        log.append("did")
    }
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {
        log.append("attempt")
    }
}

/// The repair: what the sheet stands for ends with it, whoever closes it.
private final class HearingController: OpeningController {
    override func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {
        super.presentationControllerDidDismiss(presentationController)
        isOpen = false
        refresh()
    }
}

@MainActor
private func opening<Controller: OpeningController>(
    _ id: String, _ make: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario(id, screen: "Opening", root: make)
        .model {
            [
                "openLabel": $0.presentedViewController != nil ? "true" : "false",
                "log": $0.log.joined(separator: " "),
            ]
        }
        .event("hold") { screen, _ in screen.isHeld = true }
        .event("close") { screen, _ in screen.close() }
}

private let sheets = Plugin("test.sheets", name: "sheets", version: "1") {
    opening("test.sheet") { OpeningController() }
    opening("test.sheet-heard") { HearingController() }
}

// MARK: Tasks that begin and end with appearing

private struct LoadingView: View {
    let log: Log
    var body: some View {
        Text("loading").accessibilityIdentifier("title")
            .task { log.lines.append(Task.isCancelled ? "cancelled" : "running") }
    }
}

@MainActor @Suite struct AlarmTests {
    private func inputs(_ run: Running, _ bridge: String) -> [String]? {
        run.simulation.scenario.bridges.first { $0.id == bridge }?.inputs
    }

    @Test(
        "a label of the controller's own is no input of the cells beside it: nobody missed a call of theirs")
    func ownLabel() throws {
        let fault = try Running(menus)
        #expect(fault.shown("count") == "1" && fault.shown("DishRow[1].text") == "Soup")
        #expect(inputs(fault, "DishRow") == ["DishRow[1].text"])
        _ = try fault.send("add")
        #expect(fault.verdict("count") == .stale && fault.findings("count") == [])
        let id = try #require(
            (0..<fault.simulation.fieldCount).first { fault.simulation.field($0).key == "count" })
        #expect(fault.simulation.explain(id).sentence.contains("no bridge carries count to Menu"))
        // What the cells do carry is looked for there, as before.
        _ = try fault.send("rename")
        #expect(fault.verdict("DishRow[1].text") == .stale)
        #expect(fault.findings("DishRow[1].text") == ["update-never-arrived"])
        fault.end()

        let repair = try Running(menus, 1)
        _ = try repair.send("add")
        #expect(repair.verdict("count") == .matching && repair.end() == [])
    }

    @Test("an observer by a block goes on until it is removed; one by a method ends with its object")
    func observers() throws {
        let log = Log()
        let plugin = Plugin("test.observing", name: "observing", version: "1") {
            observing("test.block", byBlock: true, log)
            observing("test.method", byBlock: false, log)
        }
        let fault = try Running(plugin)
        #expect(try fault.set("isShown", "false").codes == ["leaked-observer"])
        fault.end()

        log.lines = []
        let repair = try Running(plugin, 1)
        _ = try repair.send("post")
        #expect(log.lines == ["heard"])
        #expect(try repair.set("isShown", "false").codes == [])
        #expect(try repair.send("post").codes == [])
        #expect(log.lines == ["heard"], "the coordinator has gone, and its registration with it")
        // A new coordinator is another observer.
        _ = try repair.set("isShown", "true")
        _ = try repair.send("post")
        #expect(log.lines == ["heard", "heard"] && repair.end() == [])
    }

    @Test(
        "R31, R32: an old copy of the parent is stale when somebody writes through it; a binding of its own is live",
        arguments: [(0, []), (1, ["stale-parent"]), (2, [])])
    func parents(_ index: Int, _ codes: [String]) throws {
        let run = try Running(writers, index)
        // Another copy of the representable, for a reason that has nothing to do with the text.
        _ = try run.set("other", "three")
        #expect(try run.send("type", ["text": "typed"]).codes == codes)
        #expect(run.model("text") == "typed" && run.verdict("text") == .matching)
        run.end()
    }

    @Test("R33: a binding of one's own to what the parent has no binding to any more is an old one")
    func rebound() throws {
        let run = try Running(writers, 3)
        #expect(try run.send("type", ["text": "first"]).codes == [])
        #expect(run.model("text") == "first")
        _ = try run.set("picksOther", "true")
        #expect(run.shown("text") == "two")
        #expect(try run.send("type", ["text": "second"]).codes == ["stale-parent"])
        #expect(run.model("text") == "second" && run.model("other") == "two")
        run.end()
    }

    @Test("a sheet that a person closes is told to the delegate, one that the code dismisses is not")
    func closedSheet() throws {
        let fault = try Running(sheets)
        _ = try fault.tap("Open")
        #expect(fault.model("openLabel") == "true" && fault.verdict("openLabel") == .matching)
        #expect(try fault.tap("dismiss").codes == [])
        #expect(fault.model("log") == "will did")
        #expect(fault.model("openLabel") == "false" && fault.verdict("openLabel") == .stale)
        _ = try fault.tap("Open")
        _ = try fault.send("close")
        #expect(fault.model("log") == "will did", "the code that dismisses knows")
        // Held, it stays, and the delegate hears of the attempt.
        _ = try fault.send("hold")
        _ = try fault.tap("Open")
        _ = try fault.tap("dismiss")
        #expect(fault.model("log") == "will did attempt" && fault.model("openLabel") == "true")
        fault.end()

        let repair = try Running(sheets, 1)
        _ = try repair.tap("Open")
        _ = try repair.tap("dismiss")
        #expect(repair.model("openLabel") == "false" && repair.verdict("openLabel") == .matching)
        repair.end()
    }

    @Test("a view's task is cancelled when the view is covered, and begins anew when it is back")
    func tasks() async throws {
        let log = Log()
        let plugin = Plugin("test.loading", name: "loading", version: "1") {
            ScreenScenario("test.loading") {
                UINavigationController(
                    rootViewController: UIHostingController(rootView: LoadingView(log: log)))
            }
            .event("push") { screen, _ in screen.pushViewController(UIViewController(), animated: true) }
            .event("pop") { screen, _ in screen.popViewController(animated: true) }
        }
        let run = try Running(plugin)
        _ = try run.send("push")
        _ = try run.send("pop")
        // Nothing here has drained the main queue: both tasks wait for this test to do so. Nobody calls the host after that.
        run.leave()
        while log.lines.count < 3 { await _Concurrency.Task.yield() }
        // The first is of the run that found out what there is to describe.
        #expect(log.lines == ["cancelled", "cancelled", "running"])
    }
}
