import Foundation
import SeamKernel
import SeamKit
import Testing
import UIKit

extension Notification.Name {
    fileprivate static let nameChanged = Notification.Name("nameChanged")
}

/// Registers its methods, as a file of an app does with selectors.
private final class NameController: UIViewController {
    var name = "Ann"
    let label = UILabel()
    let count = UILabel()
    private var heard = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(label)
        view.addSubview(count)
        NotificationCenter.default.addObserver(
            self, action: NameController.show, name: .nameChanged, object: nil)
        NotificationCenter.default.addObserver(
            self, action: NameController.changed, name: .nameChanged, object: nil)
    }

    private func show() { label.text = name }

    private func changed(_ notification: Notification) {
        heard += 1
        count.text = "\(heard) of \(notification.name.rawValue)"
    }

    func rename() {
        name = "Bob"
        NotificationCenter.default.post(name: .nameChanged, object: nil)
    }

    func leave() { NotificationCenter.default.removeObserver(self) }
}

private let names = Plugin("test.notified", name: "notified", version: "1") {
    ScreenScenario("test.notified") { NameController() }
        .event("rename") { screen, _ in screen.rename() }
        .event("leave") { screen, _ in screen.leave() }
}

@MainActor @Suite struct NotificationTests {
    @Test("an observer's method may take the notification or nothing, and both go with the observer")
    func methods() throws {
        let running = try Running(names)
        defer { running.end() }
        _ = try running.send("rename")
        #expect(running.shown("label") == "Bob" && running.shown("count") == "1 of nameChanged")
        _ = try running.send("leave")
        _ = try running.send("rename")
        #expect(running.shown("count") == "1 of nameChanged")
    }
}
