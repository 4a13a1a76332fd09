import CSeamABI
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State

// MARK: What is described

private struct Counting: View {
    var count = 1
    var body: some View {
        VStack {
            Text("one")
            Text("\(count)")
        }
    }
}

/// Puts a second screen up when somebody taps.
private final class ListController: UIViewController {
    var saved = "none"
    let addButton = UIButton()
    let hideButton = UIButton()
    let savedLabel = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        addButton.setTitle("Add", for: .normal)
        addButton.addAction(UIAction { [weak self] _ in self?.add() }, for: .touchUpInside)
        hideButton.setTitle("Hide", for: .normal)
        savedLabel.text = saved
        for view in [addButton, hideButton, savedLabel] { self.view.addSubview(view) }
    }

    private func add() {
        let editor = EditorController()
        editor.save = { [weak self] title in
            self?.saved = title
            self?.savedLabel.text = title
        }
        present(editor, animated: true)
    }
}

private final class EditorController: UIViewController {
    var save: ((String) -> Void)?
    let titleField = UITextField()
    let doneSwitch = UISwitch()
    let saveButton = UIButton()
    private lazy var host = UIHostingController(rootView: NoteField(text: .constant("x")))

    override func viewDidLoad() {
        super.viewDidLoad()
        saveButton.setTitle("Save", for: .normal)
        saveButton.addAction(
            UIAction { [weak self] _ in
                guard let self else { return }
                save?("\(titleField.text ?? "") \(doneSwitch.isOn)")
                dismiss(animated: true)
            }, for: .touchUpInside)
        for view in [titleField, doneSwitch, saveButton] { self.view.addSubview(view) }
    }
}

private struct NoteField: UIViewRepresentable {
    @Binding var text: String
    func makeCoordinator() -> Coordinator { Coordinator(text: $text) }
    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.delegate = context.coordinator
        field.text = text
        return field
    }
    func updateUIView(_ field: UITextField, context: Context) { if field.text != text { field.text = text } }

    final class Coordinator: NSObject, UITextFieldDelegate {
        @Binding var text: String
        init(text: Binding<String>) { _text = text }
        func textFieldDidChangeSelection(_ field: UITextField) { text = field.text ?? "" }
    }
}

/// Its name is nobody else's.
private struct NameForm: View {
    @State private var name = "Ann"
    var body: some View {
        VStack {
            TextField("Name", text: $name)
            Text("Hello, \(name)")
        }
    }
}

/// A wrapped field that is there when somebody has opened it.
private struct Opening: View {
    @State private var isOpen = false
    @Binding var text: String
    var body: some View {
        VStack {
            Button("Open") { isOpen = true }
            Text(text).accessibilityIdentifier("text")
            if isOpen { NoteField(text: $text) }
        }
    }
}

private struct Note { var text = "a" }

@MainActor
private func opening(_ steps: Step...) -> ScreenScenario<Note> {
    var scenario = ScreenScenario("test.opening", screen: "S", model: Note()) { $note in
        Opening(text: $note.text)
    }
    .model(Key("text", \.text)).bridge(NoteField.self)
    for step in steps { scenario = scenario.script(step) }
    return scenario
}

@MainActor
private func list(_ steps: Step...) -> ScreenScenario<ListController> {
    var scenario = ScreenScenario("test.list") { ListController() }.model(Key("savedLabel", \.saved))
    for step in steps { scenario = scenario.script(step) }
    return scenario
}

/// What a script is refused with; nil for one that is taken.
@MainActor
private func refusal(_ scenario: any AnyScreenScenario) -> String? {
    final class Box { var text: String? }
    let box = Box()
    let plugin = Plugin("test.script", name: "script", version: "1") { scenario }
    var offer = seam_offer_v1(
        magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_offer_v1>.size), abi_min: 1, abi_max: 1,
        host_name: nil, host_version: nil, library_path: nil, self: Unmanaged.passUnretained(box).toOpaque(),
        explain: { box, why in
            guard let box else { return }
            Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().text = String(
                decoding: UnsafeRawBufferPointer(start: why.ptr, count: why.len), as: UTF8.self)
        })
    return plugin.answer(&offer) == nil ? box.text ?? "" : nil
}

/// The names that a script has for fields and controls.
@MainActor @Suite struct ScriptTests {
    @Test(
        "a derived name begins as its screen is called: the check is of that field, and no other is made up")
    func derived() throws {
        let plugin = Plugin("test.derived", name: "derived", version: "1") {
            ScreenScenario("test.derived", model: Counting()) { $counting in counting }
                .model { ["Counting.text-2": "\($0.count)"] }
                .script(
                    .check("plain", ["Counting.text": .outOfScope, "Counting.text-2": .matching]),
                    .check("full", ["Counting.Counting.text-2": .matching]))
        }
        let running = try Running(plugin)
        defer { running.end() }
        #expect(running.fields == ["Counting.text", "Counting.text-2"])
        let checks = running.simulation.scenario.checks
        #expect(checks.map(\.keys) == [["Counting.text", "Counting.text-2"], ["Counting.text-2"]])
    }

    @Test("a check of what can't be there is refused, with the names that there are, the nearest first")
    func noField() {
        let scenario = ScreenScenario("test.none") { Counting() }
        #expect(
            refusal(
                scenario.script(.advance(milliseconds: 1), .check("start", ["Counting.txt-2": .matching])))
                == "scenario test.none: step 2 of the script: the check start names the field Counting.txt-2; there is "
                + "Counting.text-2, Counting.text. One that comes up later than at the start is named beside the "
                + "script: .fields(\"Counting.txt-2\")")
        #expect(
            refusal(scenario.script(.check("start", ["text-2": .matching])))?.contains(
                "there is Counting.text-2,")
                == true)
        #expect(
            refusal(scenario.script(.check("start", ["Other.text": .matching])))?.contains("Other.text;")
                == true)
        #expect(
            refusal(scenario.script(.check("start", [:])))
                == "scenario test.none: step 1 of the script: the check start names no field")
        #expect(
            refusal(
                scenario.script(
                    .check("one", ["Counting.text": .outOfScope]),
                    .check("one", ["Counting.text": .outOfScope])))
                == "scenario test.none: step 2 of the script: there is a check one already")
        #expect(refusal(scenario.fields("later").script(.check("start", ["later": .outOfScope]))) == nil)
        #expect(refusal(scenario.script(.check("start", ["Counting.text": .outOfScope]))) == nil)
    }

    @Test("a key has one value: of two the reader would not know which")
    func twoValues() {
        let scenario = ScreenScenario("test.twice", model: Note()) { $note in Text(note.text) }
            .model(Key("text", \.text)).model { ["text": $0.text] }
        #expect(
            refusal(scenario)
                == "scenario test.twice: the model has two values for the key text; a key has one")
        let both = ScreenScenario("test.both", model: Note()) { $note in Text(note.text) }
            .model { ["a": $0.text] }.model { ["b": $0.text] }
        #expect(refusal(both) == nil)
    }

    @Test("of a view that keeps its state to itself the script says what ought to be shown")
    func ownState() throws {
        let plugin = Plugin("test.own", name: "own", version: "1") {
            ScreenScenario("test.own") { NameForm() }
                .model { _ in ["NameForm.text": "Hello, Ann"] }
                .script(
                    .check("start", ["NameForm.text": .matching]), .type("Bob"),
                    .set("NameForm.text", "Hello, Bob"), .check("typed", ["NameForm.text": .matching]))
        }
        let running = try Running(plugin)
        defer { running.end() }
        #expect(running.verdict("NameForm.text") == .matching)
        _ = try running.send("type", ["text": "Bob"])
        #expect(running.verdict("NameForm.text") == .stale && running.shown("NameForm.text") == "Hello, Bob")
        _ = try running.set("NameForm.text", "Hello, Bob")
        #expect(running.verdict("NameForm.text") == .matching)
    }

    @Test("a number is shown as its specifier says")
    func specifier() throws {
        let plugin = Plugin("test.price", name: "price", version: "1") {
            ScreenScenario("test.price", screen: "S") {
                VStack {
                    Text("\(1.5, specifier: "%.2f") of \(3, specifier: "%03ld")").accessibilityIdentifier(
                        "price")
                    Text("\(Text("a")) and \("b") \(String?.none as Any)").accessibilityIdentifier("texts")
                }
            }
        }
        let running = try Running(plugin)
        defer { running.end() }
        #expect(running.shown("price") == "1.50 of 003" && running.shown("texts") == "a and b nil")
    }

    @Test("a control of a screen that is presented later is used when it is there")
    func presented() throws {
        let plugin = Plugin("test.presented", name: "presented", version: "1") {
            list(
                .tap("Add"), .type("Milk", into: "titleField"), .turn("doneSwitch", to: true), .tap("Save"),
                .check("saved", ["savedLabel": .matching])
            ).fields("titleField", "doneSwitch", "saveButton")
        }
        let running = try Running(plugin)
        defer { running.end() }
        for step in running.simulation.scenario.script {
            guard case .event(let index, let arguments, _) = step else { continue }
            let turn = try running.simulation.apply(.send(index, arguments: arguments, mount: nil))
            #expect(turn.codes == [], "\(step)")
        }
        #expect(running.model("savedLabel") == "Milk true" && running.verdict("savedLabel") == .matching)
    }

    @Test("a control that is not there when the step runs is told of, with those that are")
    func notThereYet() throws {
        let plugin = Plugin("test.early", name: "early", version: "1") {
            list(.type("Milk", into: "titleField")).fields("titleField")
        }
        let running = try Running(plugin)
        defer { running.end() }
        let turn = try running.send("type", ["control": "titleField", "text": "Milk"])
        #expect(turn.codes == ["no-such-control"])
        #expect(
            turn.diagnostics.first?.text
                == "nothing on the screen is called titleField and can be typed into now; there is none")
        let tap = try running.send("tap", ["control": "Hidden"])
        #expect(
            tap.diagnostics.first?.text
                == "nothing on the screen is called Hidden and can be tapped now; there is Hide, Add, hideButton, addButton"
        )
    }

    @Test("a wrapped control that comes up later is used as one: in its mount, by its derived name or alone")
    func wrappedLater() throws {
        for step in [Step.type("typed", into: "NoteField.textField"), .type("typed")] {
            let plugin = Plugin("test.opening", name: "opening", version: "1") { opening(.tap("Open"), step) }
            let running = try Running(plugin)
            defer { running.end() }
            _ = try running.tap("Open")
            guard case .event(let index, let arguments, _) = running.simulation.scenario.script[1] else {
                Issue.record("\(running.simulation.scenario.script)")
                return
            }
            #expect(running.simulation.scenario.events[index].bridge != nil)
            #expect(try running.simulation.apply(.send(index, arguments: arguments, mount: nil)).codes == [])
            #expect(running.shown("text") == "typed" && running.model("text") == "typed")
        }
    }

    @Test("where nothing comes up later, a control that is not there is refused with its step")
    func noControl() {
        #expect(
            refusal(opening(.tap("Open"), .turn("sound", to: true))) == nil,
            "the wrapped field comes up later")
        let scenario = ScreenScenario("test.none") { Counting() }
        #expect(
            refusal(scenario.script(.check("a", ["Counting.text": .outOfScope]), .tap("Save")))
                == "scenario test.none: step 2 of the script: nothing at the start is called Save and can be tapped; "
                + "there is none. If it comes up later, name it or what it lies in beside the script: "
                + ".fields(\"Save\"), .bridge(TYPE.self)")
        #expect(
            refusal(scenario.script(.type("x")))?.contains(
                "nothing at the start is there that can be typed into") == true)
        let field = ScreenScenario("test.field", model: Note()) { $note in NoteField(text: $note.text) }
        #expect(
            refusal(field.script(.type("x", into: "NoteField.textfield")))?
                .contains("can be typed into; there is NoteField.textField. If") == true)
        #expect(refusal(field.script(.type("x", into: "NoteField.textField"))) == nil)
        #expect(refusal(field.script(.type("x"))) == nil)
    }
}
