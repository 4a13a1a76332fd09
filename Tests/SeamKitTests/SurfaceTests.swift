import Foundation
import PastedMainActor
import PastedSwift5
import PastedSwift6
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

/// Whole files with the surface that they bring along: they compile as they are, and what they say is measured.
@MainActor @Suite struct SurfaceTests {
    nonisolated static let modes = ["Swift 5", "Swift 6", "main actor"]

    private func run(_ id: String, _ mode: String) throws -> Running {
        let plugin = try #require(ModesTests.plugins[mode])
        let index = try #require(
            [
                "test.note", "test.account", "test.settings", "test.settings-forgotten", "test.profile",
                "test.pad",
            ]
            .firstIndex(of: id))
        return try Running(plugin, index)
    }

    private func turn(_ run: Running, _ control: String, _ value: String) throws -> Turn {
        try run.send("set", ["control": control, "value": value])
    }

    @Test(
        "a form in code, with a stack view, constraints, a segmented control, a stepper and an alert",
        arguments: modes)
    func accountForm(_ mode: String) throws {
        let form = try run("test.account", mode)
        defer { #expect(form.end() == []) }
        #expect(form.start.codes == [])
        #expect(form.shown("titleLabel") == "Account of Ada" && form.shown("plan") == "Team")
        #expect(form.shown("seats") == "2.0" && form.shown("billed") == "false")

        // Typed, and ended by the return key: the delegate hears of both.
        _ = try form.send("type", ["control": "name", "text": "Bea\n"])
        #expect(form.model("name") == "Bea" && form.shown("titleLabel") == "Account of Bea")
        _ = try turn(form, "plan", "Solo")
        #expect(form.model("plan") == "Solo" && form.verdict("plan") == .matching)
        // What an animation does is there at once, its completion in the same turn.
        _ = try form.tap("seats Increment")
        #expect(form.model("seats") == "3" && form.shown("seatsLabel") == "3 seats")
        _ = try turn(form, "seats", "9")
        #expect(form.model("seats") == "5")
        _ = try form.tap("billed")
        #expect(form.model("billed") == "true")
        #expect(try form.tap("Save").codes == [])

        // An alert lies over all the rest until it is answered.
        #expect(try form.tap("trash").codes == [])
        #expect(try form.tap("Save").codes == ["no-such-control"])
        #expect(try form.tap("Cancel").codes == [])
        #expect(form.model("name") == "Bea")
        _ = try form.tap("trash")
        #expect(try form.tap("Reset").codes == [])
        #expect(form.model("name") == "Ada" && form.shown("name") == "Ada" && form.shown("plan") == "Team")

        // What nobody writes stays as it is.
        _ = try form.set("name", "Cleo")
        #expect(form.verdict("name") == .stale)
        _ = try form.send("refresh")
        #expect(form.verdict("name") == .matching)
    }

    @Test("settings in a table, with a switch as the accessory of each row", arguments: modes)
    func settings(_ mode: String) throws {
        let table = try run("test.settings", mode)
        #expect(
            table.start.codes == [] && table.shown("Sounds") == "true" && table.shown("Badges") == "false")
        _ = try table.tap("Sounds")
        #expect(table.model("Sounds") == "false" && table.verdict("Sounds") == .matching)
        #expect(try table.send("settingsDidChange").codes == [])
        #expect(table.shown("Sounds") == "false")
        // The row goes, and its switch with it.
        _ = try table.tap("delete 1")
        #expect(table.shown("Badges") == nil)
        #expect(table.end() == [])

        let forgotten = try run("test.settings-forgotten", mode)
        _ = try forgotten.tap("Sounds")
        #expect(forgotten.shown("Sounds") == "false" && forgotten.verdict("Sounds") == .stale)
        forgotten.end()
    }

    @Test("a declarative form: picker, stepper, date, focus, storage, link, alert, sheet", arguments: modes)
    func profile(_ mode: String) throws {
        let form = try run("test.profile", mode)
        defer { #expect(form.end() == []) }
        #expect(form.start.codes == [])
        #expect(form.shown("nickname") == "ada" && form.shown("color") == "blue" && form.shown("age") == "36")
        #expect(form.shown("birthday") == "1970-01-01T00:00:00Z" && form.shown("focus") == "idle")

        // A picker is turned to a tag, or to what an option says.
        _ = try turn(form, "color", "red")
        #expect(form.model("color") == "red")
        _ = try turn(form, "color", "Green")
        #expect(form.model("color") == "green" && form.verdict("color") == .matching)
        _ = try form.tap("age Increment")
        _ = try turn(form, "birthday", "2001-02-03")
        #expect(form.model("age") == "37" && form.model("birthday") == "2001-02-03T00:00:00Z")

        _ = try form.send("type", ["control": "nickname", "text": "be"])
        #expect(form.model("nickname") == "be" && form.shown("focus") == "editing")
        // Return submits, and ends the editing.
        _ = try form.send("type", ["control": "nickname", "text": "bea\n"])
        #expect(
            form.model("nickname") == "bea" && form.shown("focus") == "idle" && form.shown("visits") == "1"
        )

        // A link pushes, `dismiss` inside of it goes back.
        #expect(try form.tap("Details").codes == [])
        #expect(form.shown("detail") == "bea")
        _ = try form.set("nickname", "cleo")
        #expect(form.shown("detail") == "cleo")
        _ = try form.tap("Leave")
        #expect(form.shown("detail") == nil)
        _ = try form.tap("Details")
        _ = try form.tap("Back")
        #expect(form.shown("detail") == nil)

        _ = try form.tap("More")
        _ = try form.tap("close")
        #expect(try form.tap("close").codes == ["no-such-control"])

        // The answer closes the alert; then the button is disabled.
        _ = try form.tap("Reset")
        _ = try form.tap("Yes")
        #expect(form.model("nickname") == "")
        #expect(try form.tap("Reset").bodies == [])
        #expect(try form.tap("Yes").codes == ["no-such-control"])
    }

    @Test(
        "R32: a coordinator that has a binding and no parent writes through the newest, whichever it was given",
        arguments: modes)
    func pad(_ mode: String) throws {
        let pad = try run("test.pad", mode)
        defer { #expect(pad.end() == []) }
        // A new copy of the representable, which its coordinator never hears of.
        #expect(try pad.set("marks", "5").codes == [])
        #expect(try pad.tap("marks").codes == [])
        #expect(pad.model("marks") == "6" && pad.verdict("marks") == .matching)
        #expect(try pad.tap("marks longPress").codes == [])
        #expect(pad.model("marks") == "0" && pad.shown("marks") == "0")
    }
}

// MARK: What is no whole file

private final class TwoFieldsController: UIViewController, UITextFieldDelegate {
    let first = UITextField()
    let second = UITextField()
    var refuses = false
    var log: [String] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        for field in [first, second] {
            field.delegate = self
            view.addSubview(field)
        }
        first.accessibilityIdentifier = "first"
        second.accessibilityIdentifier = "second"
    }

    func textFieldShouldEndEditing(_ field: UITextField) -> Bool { !refuses }
    func textFieldDidBeginEditing(_ field: UITextField) {
        log.append("+\(field.accessibilityIdentifier ?? "")")
    }
    func textFieldDidEndEditing(_ field: UITextField) {
        log.append("-\(field.accessibilityIdentifier ?? "")")
    }
}

private final class FramesController: UIViewController {
    let framesLabel = UILabel()
    private var link: CADisplayLink?
    private(set) var frames = 0

    func start() {
        view.addSubview(framesLabel)
        link = CADisplayLink(target: self, action: FramesController.step)
        link?.add(to: .main, forMode: .common)
    }
    func stop() {
        link?.invalidate()
        link = nil
    }
    private func step(_ link: CADisplayLink) { frames += 1 }
}

/// Holds each look that somebody has set.
private final class LookController: UIViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        let (label, stack) = (UILabel(), UIStackView())
        label.font = .boldSystemFont(ofSize: 20)
        label.textColor = UIColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        label.attributedText = NSAttributedString(
            string: "rich", attributes: [.font: UIFont.systemFont(ofSize: 9)])
        label.setContentHuggingPriority(.required, for: .horizontal)
        #expect(label.font == .systemFont(ofSize: 20, weight: .bold) && label.font != .systemFont(ofSize: 20))
        #expect(label.textColor == UIColor(red: 1, green: 0, blue: 0, alpha: 0.5))
        #expect(UIColor.red != .blue && UIColor.red.withAlphaComponent(0.5) != .red)
        #expect(label.text == "rich" && label.attributedText?.string == "rich")
        label.text = "plain"
        #expect(label.attributedText?.string == "plain")
        #expect(label.contentHuggingPriority(for: .horizontal) == .required)
        #expect(label.contentHuggingPriority(for: .vertical) == .defaultLow)
        label.frame = CGRect(x: 10, y: 10, width: 20, height: 10)
        #expect(label.center == CGPoint(x: 20, y: 15) && label.bounds.origin == .zero)

        // What is arranged is a subview; removed from the stack alone it still is.
        stack.addArrangedSubview(label)
        let other = UIView()
        stack.insertArrangedSubview(other, at: 0)
        #expect(stack.arrangedSubviews == [other, label] && label.superview === stack)
        stack.removeArrangedSubview(other)
        #expect(stack.arrangedSubviews == [label] && other.superview === stack)
        label.removeFromSuperview()
        #expect(stack.arrangedSubviews.isEmpty && stack.subviews == [other])

        let constraint = label.widthAnchor.constraint(equalTo: stack.heightAnchor, multiplier: 2, constant: 3)
        #expect(!constraint.isActive && constraint.multiplier == 2 && constraint.constant == 3)
        #expect(constraint.firstItem === label && constraint.secondAttribute == .height)
        NSLayoutConstraint.activate([constraint])
        #expect(constraint.isActive && constraint.priority == .required)
        #expect(label.intrinsicContentSize.width == UIView.noIntrinsicMetric)
    }
}

extension SurfaceTests {
    @Test("a look that is set reads back, and claims no geometry")
    func looks() throws {
        let run = try Running(
            Plugin("test.looks", name: "looks", version: "1") {
                ScreenScenario("test.looks") { LookController() }
            })
        #expect(run.start.codes == [] && run.end() == [])
    }

    @Test("one field at a time is typed into: the one before is left first, unless it refuses")
    func firstResponder() throws {
        let run = try Running(
            Plugin("test.fields", name: "fields", version: "1") {
                ScreenScenario("test.fields") { TwoFieldsController() }
                    .model { ["log": $0.log.joined(separator: " ")] }
                    .event("refuse") { screen, _ in screen.refuses = true }
                    .event("end") { screen, _ in _ = screen.view.endEditing(true) }
            })
        _ = try run.send("type", ["control": "first", "text": "a"])
        _ = try run.send("type", ["control": "second", "text": "b"])
        #expect(run.model("log") == "+first -first +second")
        _ = try run.send("end")
        #expect(run.model("log") == "+first -first +second -second")
        _ = try run.send("type", ["control": "second", "text": "c"])
        _ = try run.send("refuse")
        _ = try run.send("type", ["control": "first", "text": "d"])
        #expect(run.model("log") == "+first -first +second -second +second" && run.shown("first") == "a")
        run.end()
    }

    @Test("a display link has the frames of the simulation's clock, until it is invalidated")
    func frames() throws {
        let run = try Running(
            Plugin("test.frames", name: "frames", version: "1") {
                ScreenScenario("test.frames") { FramesController() }
                    .model { ["frames": $0.frames] }
                    .event("start") { screen, _ in screen.start() }
                    .event("stop") { screen, _ in screen.stop() }
            })
        _ = try run.send("start")
        #expect(try run.advance(milliseconds: 1000).count == 60)
        #expect(run.model("frames") == "60")
        _ = try run.send("stop")
        // The clock alone moves on.
        #expect(try run.advance(milliseconds: 1000).count == 1 && run.model("frames") == "60")
        #expect(run.end() == [])
    }
}
