import Combine
import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private final class Account: ObservableObject {
    @Published var name = "ada"
}

/// Carries a name into a label by way of a scheduler.
private class AccountController<Main: Scheduler>: UIViewController {
    let account = Account()
    let label = UILabel()
    private let main: Main
    private var subscriptions: Set<AnyCancellable> = []

    init(_ main: Main) {
        self.main = main
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        label.text = "nobody"
        view.addSubview(label)
        account.$name.receive(on: main).sink { [weak self] in self?.label.text = "Hello, \($0)" }
            .store(in: &subscriptions)
    }

    func leave() {
        account.name = "late"
        subscriptions = []
    }
}

@MainActor
private func plugin(_ main: some Scheduler) -> Plugin {
    // Sendable: both are used in this test's one thread.
    nonisolated(unsafe) let main = main
    return Plugin("test.schedulers", name: "schedulers", version: "1") {
        ScreenScenario("test.scheduler", screen: "S") { AccountController(main) }
            .model { ["label": "Hello, \($0.account.name)"] }
            .event("rename", arguments: [.text("name", "The new one", initial: "bob")]) { screen, values in
                screen.account.name = values["name"] ?? ""
            }
            .event("leave") { screen, _ in screen.leave() }
    }
}

private struct Sections: View {
    var body: some View {
        Form {
            Section(header: Text("Account")) { Text("a").accessibilityIdentifier("a") }
            Section("Plain") { Text("b").accessibilityIdentifier("b") }
            Section {
                Text("c").accessibilityIdentifier("c")
            } header: {
                Text("Head").accessibilityIdentifier("head")
            } footer: {
                Text("Foot").accessibilityIdentifier("foot")
            }
            Section(footer: Text("Below").accessibilityIdentifier("below")) { Text("d") }
        }
    }
}

@MainActor @Suite struct SchedulerTests {
    @Test("what is received on the main queue comes in the same turn, after what has sent it")
    func mainQueue() throws {
        func check(_ main: some Scheduler, _ shown: String, _ rounds: Bool) throws {
            let running = try Running(plugin(main))
            defer { running.end() }
            #expect(running.shown("label") == "Hello, ada")
            let turn = try running.send("rename", ["name": shown])
            #expect(running.shown("label") == "Hello, \(shown)" && turn.codes == [])
            // A write in the round of the event itself, or in the next one.
            #expect(turn.calls.contains { $0.round > 0 } == rounds)
            _ = try running.send("leave")
            #expect(running.shown("label") == (rounds ? "Hello, \(shown)" : "Hello, late"))
        }
        try check(DispatchQueue.main, "one", true)
        try check(OperationQueue.main, "two", true)
        try check(RunLoop.main, "three", true)
        try check(ImmediateScheduler.shared, "four", false)
    }

    @Test("a section has a header and a footer, in each way of writing one")
    func sections() throws {
        let running = try Running(
            Plugin("test.sections", name: "sections", version: "1") {
                ScreenScenario("test.sections") { Sections() }
            })
        defer { running.end() }
        for (key, text) in [
            ("a", "a"), ("b", "b"), ("c", "c"), ("head", "Head"), ("foot", "Foot"), ("below", "Below"),
        ] {
            #expect(running.shown(key) == text)
        }
        #expect(running.shown("Sections.text") == "Account" && running.shown("Sections.text-2") == "Plain")
        #expect(running.shown("Sections.text-3") == "d")
    }
}
