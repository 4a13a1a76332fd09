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

/// The same in a declarative screen: which field has the focus, and what its fields hear.
private struct FormView: View {
    enum Place { case name, mail }
    @State private var name = ""
    @State private var mail = ""
    @State private var heard: [String] = []
    @FocusState private var place: Place?

    var body: some View {
        TextField("Name", text: $name, onEditingChanged: { heard.append($0 ? "begins" : "ends") }) {
            heard.append("commits")
        }
        .focused($place, equals: .name)
        .onSubmit { if name == "on" { place = .mail } }
        .accessibilityIdentifier("name")
        TextField("Mail", text: $mail).focused($place, equals: .mail).accessibilityIdentifier("mail")
        Text(heard.joined(separator: ", ")).accessibilityIdentifier("heard")
        Text(place.map { "\($0)" } ?? "none").accessibilityIdentifier("place")
    }
}

private let views = Plugin("test.formview", name: "formview", version: "1") {
    ScreenScenario("test.formview") { FormView() }
        .script(
            .type("a", into: "name"), .check("typing", ["place": .leftover]), .endEditing("name"),
            .endEditing("mail"), .type("b", into: "mail"), .endEditing())
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

    @Test("somebody leaves a text: by its name, or whichever is typed into")
    func leaving() throws {
        let running = try Running(forms)
        defer { running.end() }
        _ = try type("a", into: "first", running)
        _ = try running.send("take")
        #expect(try running.send("endEditing", ["control": "first"]).codes == [])
        #expect(running.shown("heard") == "first ends")
        #expect(try type("b", into: "notes", running) == "")
        #expect(try running.send("endEditing").codes == [])
        #expect(running.shown("heard") == "notes end")
        // Nobody types anywhere; into this one; of that name there is none.
        for control in [[:], ["control": "second"], ["control": "third"]] {
            let turn = try running.send("endEditing", control)
            #expect(turn.codes == ["no-such-control"] && running.shown("heard") == "notes end")
        }
        #expect(try type("c", into: "second", running) == "second begins")
        #expect(try running.send("endEditing", ["control": "first"]).codes == ["no-such-control"])
        #expect(try running.send("endEditing", ["control": "second"]).codes == [])
    }

    @Test("a focus comes with typing and goes with its end, by Return, elsewhere or into another field")
    func focus() throws {
        let running = try Running(views)
        defer { running.end() }
        #expect(running.shown("place") == "none")
        _ = try running.send("type", ["control": "name", "text": "a"])
        #expect(running.shown("place") == "name" && running.shown("heard") == "begins")
        _ = try running.send("endEditing", ["control": "name"])
        #expect(running.shown("place") == "none" && running.shown("heard") == "begins, ends")
        _ = try running.send("type", ["control": "name", "text": "b\n"])
        #expect(running.shown("place") == "none" && running.shown("name") == "b")
        #expect(running.shown("heard") == "begins, ends, begins, commits, ends")
        // The view moves the focus on by itself.
        _ = try running.send("type", ["control": "name", "text": "on\n"])
        #expect(running.shown("place") == "mail")
        _ = try running.send("type", ["control": "mail", "text": "c"])
        _ = try running.send("type", ["control": "name", "text": "d"])
        #expect(running.shown("place") == "name" && running.shown("heard")?.hasSuffix("ends, begins") == true)
        _ = try running.send("type", ["control": "mail", "text": "e"])
        #expect(running.shown("place") == "mail" && running.shown("heard")?.hasSuffix("begins, ends") == true)
        #expect(try running.send("endEditing", ["control": "name"]).codes == ["no-such-control"])
        #expect(try running.send("endEditing").codes == [] && running.shown("place") == "none")
    }
}
