import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State

// MARK: A host that comes into a window, and leaves it

private struct NoteView: View {
    let title: String
    var log: Log?

    var body: some View {
        Text(title).accessibilityIdentifier("title")
            .onAppear { log?.lines.append("onAppear") }
            .onDisappear { log?.lines.append("onDisappear") }
    }
}

@MainActor
private final class Log {
    var lines: [String] = []

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// Makes its host at the start, and puts its view up when somebody says so.
private class NoteController: UIViewController {
    var title2 = "one"
    let log = Log()
    lazy var host: UIHostingController<NoteView>? = UIHostingController(
        rootView: NoteView(title: title2, log: log))

    override func viewDidLoad() {
        super.viewDidLoad()
        _ = host
    }

    func attach() {
        guard let host else { return }
        addChild(host)
        view.addSubview(host.view)
        host.didMove(toParent: self)
    }

    func detach() {
        host?.willMove(toParent: nil)
        host?.view.removeFromSuperview()
        host?.removeFromParent()
    }

    func assign(_ title: String) {
        title2 = title
        host?.rootView = NoteView(title: title, log: log)
    }
}

@MainActor
private func note(_ id: String) -> ScreenScenario<NoteController> {
    ScreenScenario(id, screen: "Note") { NoteController() }
        .model { ["title": $0.title2] }
        .fields("onScreen")
        .event("attach") { screen, _ in screen.attach() }
        .event("detach") { screen, _ in screen.detach() }
        .event("assign", arguments: [.text("title", "The new title", initial: "two")]) { screen, values in
            screen.assign(values["title"] ?? "")
        }
        .event("hide") { screen, _ in screen.host?.view.isHidden = true }
        .event("unhide") { screen, _ in screen.host?.view.isHidden = false }
        .event("drop") { screen, _ in screen.host = nil }
        .event("put up and down") { screen, _ in
            screen.attach()
            screen.detach()
        }
        .event("log") { screen, _ in screen.view.accessibilityLabel = screen.log.take().joined(separator: " ")
        }
}

private let notes = Plugin("test.places", name: "places", version: "1") { note("test.place") }

// MARK: What screens hear

/// Says what it hears, under its own name.
private class HearingController: UIViewController {
    let name: String
    let log: Log
    let label = UILabel()

    init(_ name: String, _ log: Log) {
        self.name = name
        self.log = log
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    private func note(_ what: String) { log.lines.append("\(name) \(what)") }

    override func viewDidLoad() {
        super.viewDidLoad()
        note("load")
        label.accessibilityIdentifier = name
        view.addSubview(label)
        label.text = name
    }
    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note(isMovingToParent || isBeingPresented ? "will come" : "will appear")
    }
    override func viewDidAppear(_ animated: Bool) { note("did appear") }
    override func viewWillDisappear(_ animated: Bool) {
        note(isMovingFromParent || isBeingDismissed ? "will go" : "will disappear")
    }
    override func viewDidDisappear(_ animated: Bool) { note("did disappear") }
    override func willMove(toParent parent: UIViewController?) {
        note(parent == nil ? "will leave" : "will join")
    }
    override func didMove(toParent parent: UIViewController?) { note(parent == nil ? "left" : "joined") }
    deinit { log.gone(name) }
}

extension Log {
    fileprivate nonisolated func gone(_ name: String) {
        MainActor.assumeIsolated { lines.append("\(name) gone") }
    }
}

private final class ListScreen: UIViewController {
    let list = UILabel()
    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(list)
        list.text = "list"
    }
    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        (segue.destination as? DetailScreen)?.number = sender as? Int ?? 0
    }
}

private final class DetailScreen: UIViewController {
    var number = 0
    let detail = UILabel()
    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(detail)
        detail.text = "\(number)"
    }
}

@MainActor
private final class WindowBox {
    var window: UIWindow?
}

/// The root of a screen, and what a test does with it: the closure runs as code of the screen.
@MainActor
private final class Director {
    let log = Log()
    var act: @MainActor (Director) -> Void = { _ in }
    var root: UIViewController?
}

/// One screen scenario whose only event runs what the test says.
@MainActor
private struct Directed {
    let director = Director()
    let run: Running

    init<Root: UIViewController>(
        fields: [String] = [], _ root: @escaping @MainActor (Log) -> Root
    ) throws {
        let director = director
        run = try Running(
            Plugin("test.directed", name: "directed", version: "1") {
                fields.reduce(
                    ScreenScenario("test.directed", screen: "S") {
                        // That of the rehearsal goes first.
                        director.root = nil
                        director.log.lines = []
                        let made = root(director.log)
                        director.root = made
                        return made
                    }
                    .event("act") { _, _ in director.act(director) }
                ) { $0.fields($1) }
            })
    }

    /// What is heard while that runs, and in the rest of its turn.
    func hear(_ act: @escaping @MainActor (Director) -> Void) throws -> [String] {
        _ = director.log.take()
        director.act = act
        _ = try run.send("act")
        return director.log.take()
    }

    func end() {
        director.root = nil
        director.act = { _ in }
        run.end()
    }
}

@Suite @MainActor struct PlaceTests {
    @Test(
        "R14: a host in no window draws nothing, and what is assigned meanwhile arrives when it comes into one"
    )
    func noWindow() throws {
        let note = try Running(notes)
        #expect(note.start.bodies == [] && note.shown("title") == nil && note.verdict("title") == .missing)
        var turn = try note.send("assign", ["title": "two"])
        #expect(turn.bodies == [] && turn.codes == [] && note.findings("title") == ["update-never-arrived"])
        turn = try note.send("attach")
        #expect(turn.bodies == ["draw first"] && note.shown("title") == "two")
        turn = try note.send("detach")
        #expect(turn.bodies == [] && note.shown("title") == nil && note.verdict("title") == .missing)
        _ = try note.send("assign", ["title": "three"])
        turn = try note.send("attach")
        #expect(turn.bodies == ["draw input"] && note.verdict("title") == .matching)
        note.end()
    }

    @Test("R13: what comes up and goes within one piece of code was never in a window")
    func comesAndGoes() throws {
        let note = try Running(notes)
        #expect(try note.send("put up and down").bodies == [])
        #expect(note.shown("title") == nil)
        note.end()
    }

    @Test("R14: a host whose view is hidden draws when it is shown again; it appears with the window alone")
    func hidden() throws {
        let note = try Running(notes)
        _ = try note.send("attach")
        #expect(try note.send("hide").bodies == [])
        #expect(note.shown("title") == nil)
        #expect(try note.send("assign").bodies == [])
        #expect(try note.send("unhide").bodies == ["draw input"])
        #expect(note.shown("title") == "two")
        note.end()
    }

    @Test("a host that nobody holds any more is unmounted; one whose view is on the screen stays")
    func dropped() throws {
        let note = try Running(notes)
        let dropped = try note.send("drop")
        #expect(dropped.codes == [] && note.simulation.mounts(of: 0).isEmpty)
        note.end()
        let other = try Running(notes)
        _ = try other.send("attach")
        _ = try other.send("drop")
        #expect(other.shown("title") == "one" && other.simulation.mounts(of: 0).count == 1)
        other.end()
    }

    // MARK: Order

    @Test("a child appears with its parent, after it; one that is added later at once")
    func containment() throws {
        let stage = try Directed(fields: ["late"]) { log in
            let root = HearingController("root", log)
            let child = HearingController("child", log)
            root.loadViewIfNeeded()
            root.addChild(child)
            root.view.addSubview(child.view)
            child.didMove(toParent: root)
            return root
        }
        #expect(
            stage.director.log.take() == [
                "root load", "child will join", "child load", "child joined", "root will appear",
                "child will appear", "root did appear", "child did appear",
            ])
        let added = try stage.hear { director in
            guard let root = director.root else { return }
            let late = HearingController("late", director.log)
            root.addChild(late)
            root.view.addSubview(late.view)
            late.didMove(toParent: root)
        }
        #expect(
            added == ["late will join", "late load", "late will appear", "late did appear", "late joined"])
        #expect(stage.run.shown("late") == "late")
        let removed = try stage.hear { director in
            guard let late = director.root?.children.last else { return }
            late.willMove(toParent: nil)
            late.view.removeFromSuperview()
            late.removeFromParent()
        }
        #expect(
            removed == [
                "late will leave", "late will disappear", "late did disappear", "late left", "late gone",
            ])
        #expect(stage.run.shown("late") == nil)
        stage.end()
    }

    @Test("a push and a pop: each half of what goes comes before the same half of what comes")
    func navigation() throws {
        let stage = try Directed(fields: ["b"]) { log in
            UINavigationController(rootViewController: HearingController("a", log))
        }
        #expect(
            stage.director.log.take() == [
                "a will join", "a joined", "a load", "a will appear", "a did appear",
            ])
        let pushed = try stage.hear { director in
            guard let stack = director.root as? UINavigationController else { return }
            stack.pushViewController(HearingController("b", director.log), animated: true)
            director.log.lines.append("pushed")
        }
        #expect(
            pushed == [
                "b will join", "b load", "a will disappear", "b will come", "pushed", "a did disappear",
                "b did appear", "b joined",
            ])
        #expect(stage.run.shown("a") == nil && stage.run.shown("b") == "b")
        let popped = try stage.hear { director in
            let stack = director.root as? UINavigationController
            #expect(stack?.topViewController?.navigationController === stack)
            stack?.popViewController(animated: true)
        }
        #expect(
            popped == [
                "b will leave", "b will go", "a will appear", "b did disappear", "a did appear", "b left",
                "b gone",
            ])
        #expect(stage.run.shown("a") == "a" && stage.run.shown("b") == nil)
        #expect(
            try stage.hear { ($0.root as? UINavigationController)?.popViewController(animated: true) } == [])
        stage.end()
    }

    @Test("several moves in one piece of code: each begins when the one before has ended")
    func severalMoves() throws {
        let stage = try Directed(fields: ["b", "c"]) { log in
            UINavigationController(rootViewController: HearingController("a", log))
        }
        _ = try stage.hear { director in
            guard let stack = director.root as? UINavigationController else { return }
            stack.pushViewController(HearingController("b", director.log), animated: true)
            stack.pushViewController(HearingController("c", director.log), animated: true)
            director.log.lines = []
        }
        #expect(stage.run.shown("c") == "c" && stage.run.shown("b") == nil)
        let home = try stage.hear {
            ($0.root as? UINavigationController)?.popToRootViewController(animated: true)
        }
        #expect(
            home == [
                "b will leave", "c will leave", "c will go", "a will appear", "c did disappear",
                "a did appear",
                "b left", "c left", "b gone", "c gone",
            ])
        stage.end()
    }

    @Test(
        "what is presented over the whole screen takes it away, and a sheet does not",
        arguments: [UIModalPresentationStyle.fullScreen, .automatic])
    func presentation(_ style: UIModalPresentationStyle) throws {
        let covers = style == .fullScreen
        let stage = try Directed(fields: ["b"]) { HearingController("a", $0) }
        let presented = try stage.hear { director in
            let sheet = HearingController("b", director.log)
            sheet.modalPresentationStyle = style
            director.root?.present(sheet, animated: true) { director.log.lines.append("completed") }
            #expect(sheet.presentingViewController === director.root)
        }
        #expect(
            presented
                == ["b load"] + (covers ? ["a will disappear"] : []) + ["b will come", "b did appear"]
                + (covers ? ["a did disappear"] : []) + ["completed"])
        #expect(stage.run.shown("b") == "b" && stage.run.shown("a") == (covers ? nil : "a"))
        let dismissed = try stage.hear { director in
            director.root?.presentedViewController?.dismiss(animated: true) {
                director.log.lines.append("completed")
            }
        }
        #expect(
            dismissed
                == ["b will go"] + (covers ? ["a will appear", "a did appear"] : [])
                + ["b did disappear", "completed", "b gone"])
        #expect(stage.run.shown("a") == "a" && stage.run.shown("b") == nil)
        stage.end()
    }

    @Test("what can't be presented is said, and nothing comes of it")
    func notPresented() throws {
        let stage = try Directed(fields: ["b"]) { HearingController("a", $0) }
        func present(_ act: @escaping @MainActor (Director) -> Void) throws -> [String] {
            stage.director.act = act
            return try stage.run.send("act").diagnostics.map { "\($0.code): \($0.text)" }
        }
        let twice = try present { director in
            director.root?.present(HearingController("b", director.log), animated: false)
            director.root?.present(HearingController("c", director.log), animated: false)
        }
        #expect(
            twice.count == 1 && twice[0].contains("not-presented")
                && twice[0].contains("presents HearingController already"))
        let nowhere = try present { director in
            HearingController("d", director.log).present(
                HearingController("e", director.log), animated: false)
        }
        #expect(nowhere.count == 1 && nowhere[0].contains("is in no window"))
        #expect(stage.run.shown("b") == "b")
        stage.end()
    }

    @Test("another window shows its root from when it is made visible, as long as somebody holds it")
    func windows() throws {
        let log = Log()
        let box = WindowBox()
        let stage = try Running(
            Plugin("test.window", name: "window", version: "1") {
                ScreenScenario("test.window", screen: "S") { HearingController("a", log) }
                    .model { _ in ["title": "over"] }
                    .fields("title", "over").bridge(UIHostingController<NoteView>.self)
                    .event("make") { _, _ in
                        box.window = UIWindow(frame: .zero)
                        box.window?.rootViewController = UIHostingController(
                            rootView: NoteView(title: "over", log: log))
                    }
                    .event("other") { _, _ in
                        box.window = UIWindow(frame: .zero)
                        box.window?.rootViewController = HearingController("over", log)
                        box.window?.makeKeyAndVisible()
                    }
                    .event("show") { _, _ in box.window?.makeKeyAndVisible() }
                    .event("hide") { _, _ in box.window?.isHidden = true }
                    .event("close") { _, _ in box.window = nil }
            })
        #expect(try stage.send("make").bodies == [] && stage.shown("title") == nil)
        #expect(try stage.send("show").bodies == ["draw first"] && stage.shown("title") == "over")
        _ = try stage.send("hide")
        #expect(stage.shown("title") == nil)
        _ = try stage.send("show")
        #expect(stage.shown("title") == "over")
        #expect(try stage.send("close").codes == [] && stage.simulation.mounts(of: 0).isEmpty)
        // What UIKit shows goes with its window too, and a window that outlives the screen harms nobody.
        _ = try stage.send("other")
        #expect(stage.shown("over") == "over")
        _ = try stage.send("close")
        #expect(stage.shown("over") == nil)
        _ = try stage.send("other")
        stage.end()
        box.window = nil
    }

    @Test("tabs: what comes begins first and ends last; a screen that is not there has no view yet")
    func tabs() throws {
        let stage = try Directed(fields: ["b"]) { log in
            let tabs = UITabBarController()
            tabs.viewControllers = [HearingController("a", log), HearingController("b", log)]
            return tabs
        }
        #expect(!stage.director.log.take().contains("b load"))
        _ = try stage.run.send("set", ["control": "tabs", "value": "1"])
        #expect(
            stage.director.log.take() == [
                "b load", "b will appear", "a will disappear", "a did disappear", "b did appear",
            ])
        #expect(stage.run.shown("a") == nil && stage.run.shown("b") == "b")
        stage.end()
    }

    @Test(
        "a segue shows or presents what it leads to, as the storyboard says",
        arguments: [UIStoryboard.Kind.show, .present])
    func segues(_ kind: UIStoryboard.Kind) throws {
        let stage = try Directed(fields: ["detail"]) { _ in
            UINavigationController(
                rootViewController: UIStoryboard()
                    .segue("detail", from: ListScreen.self, to: DetailScreen.self, kind: kind)
                    .instantiate(ListScreen.self))
        }
        _ = try stage.hear { director in
            let top = (director.root as? UINavigationController)?.topViewController
            top?.performSegue(withIdentifier: "detail", sender: 7)
        }
        #expect(stage.run.shown("detail") == "7")
        #expect(stage.run.shown("list") == (kind == .show ? nil : "list"))
        stage.end()
    }

    @Test("somebody who taps Back takes the last screen off, and the host on it with it")
    func back() throws {
        let log = Log()
        let stage = try Running(
            Plugin("test.back", name: "back", version: "1") {
                ScreenScenario("test.back", screen: "S") {
                    UINavigationController(rootViewController: HearingController("a", log))
                }
                .model { ["depth": $0.viewControllers.count] }
                .fields("title").bridge(UIHostingController<NoteView>.self)
                .event("push") { stack, _ in
                    stack.pushViewController(
                        UIHostingController(rootView: NoteView(title: "pushed", log: log)), animated: true)
                }
                .event("cover") { stack, _ in
                    stack.pushViewController(HearingController("a", log), animated: true)
                }
                .event("tap", arguments: [.text("control", "Which one", initial: "Back")]) { stack, _ in
                    stack.popViewController(animated: true)
                }
            })
        #expect(try stage.send("push").bodies == ["draw first"])
        #expect(stage.shown("title") == "pushed" && stage.model("depth") == "2")
        _ = log.take()
        #expect(try stage.send("cover").bodies == [] && stage.shown("title") == nil)
        #expect(log.take().contains("onDisappear"))
        #expect(try stage.send("tap").bodies == [] && stage.shown("title") == "pushed")
        #expect(log.take().contains("onAppear"))
        _ = try stage.send("tap")
        #expect(stage.shown("title") == nil && stage.simulation.mounts(of: 0).isEmpty)
        #expect(stage.model("depth") == "1")
        stage.end()
    }
}
