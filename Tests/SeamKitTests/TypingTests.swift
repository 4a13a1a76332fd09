import SeamKernel
import SeamKit
import Testing
import UIKit

/// Two fields and a view to type into, and what is heard of them.
private final class FormController: UIViewController, UITextFieldDelegate, UITextViewDelegate {
    let first = UITextField()
    let second = UITextField()
    let notes = UITextView()
    let heard = UILabel()
    var endsAtReturn = false
    private var lines: [String] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        for field in [first, second] {
            field.delegate = self
            view.addSubview(field)
        }
        notes.delegate = self
        view.addSubview(notes)
        view.addSubview(heard)
    }

    private func name(_ view: UIView) -> String {
        view === first ? "first" : view === second ? "second" : "notes"
    }
    private func note(_ what: String) {
        lines.append(what)
        heard.text = lines.joined(separator: ", ")
    }

    func textFieldDidBeginEditing(_ field: UITextField) { note("\(name(field)) begins") }
    func textFieldDidEndEditing(_ field: UITextField) { note("\(name(field)) ends") }
    func textFieldShouldReturn(_ field: UITextField) -> Bool {
        note("return")
        if endsAtReturn { field.resignFirstResponder() }
        return true
    }
    func textViewDidEndEditing(_ view: UITextView) { note("notes end") }

    func hearExit() {
        first.addAction(UIAction { [weak self] _ in self?.note("exit") }, for: .editingDidEndOnExit)
    }
    func take() {
        lines = []
        heard.text = ""
    }
}

private let forms = Plugin("test.form", name: "form", version: "1") {
    ScreenScenario("test.form") { FormController() }
        .event("take") { screen, _ in screen.take() }
        .event("hear exit") { screen, _ in screen.hearExit() }
        .event("end at return") { screen, _ in screen.endsAtReturn = true }
}

@MainActor @Suite struct TypingTests {
    private func type(_ text: String, into control: String, _ running: Running) throws -> String? {
        _ = try running.send("take")
        _ = try running.send("type", ["control": control, "text": text])
        return running.shown("heard")
    }

    @Test("one control is typed into at a time: the other hears the end of its editing")
    func one() throws {
        let running = try Running(forms)
        defer { running.end() }
        #expect(try type("a", into: "first", running) == "first begins")
        #expect(try type("ab", into: "first", running) == "")
        #expect(try type("c", into: "second", running) == "first ends, second begins")
        #expect(try type("d", into: "notes", running) == "second ends")
        #expect(try type("e", into: "first", running) == "notes end, first begins")
        #expect(
            running.shown("first") == "e" && running.shown("second") == "c" && running.shown("notes") == "d")
    }

    @Test("a line end at the end of what is typed is the key Return in a field, and text in a view")
    func lineEnd() throws {
        let running = try Running(forms)
        defer { running.end() }
        #expect(try type("a\n", into: "first", running) == "first begins, return")
        #expect(running.shown("first") == "a")
        #expect(try type("\n", into: "first", running) == "return")
        #expect(running.shown("first") == "a")
        _ = try running.send("hear exit")
        #expect(try type("b\n", into: "first", running) == "return, exit, first ends")
        #expect(try type("c\n", into: "notes", running) == "" && running.shown("notes") == "c\n")
        _ = try running.send("end at return")
        #expect(try type("d\n", into: "second", running) == "notes end, second begins, return, second ends")
    }
}
