import Dispatch
import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

private typealias State = SeamKit.State
private typealias Binding = SeamKit.Binding

private struct Draft {
    var text = "one"
    var other = "else"
}

private struct LabelView: UIViewRepresentable {
    let text: String
    var store: AnyObject?
    var onTap: (() -> Void)?

    func makeUIView(context: Context) -> UILabel { UILabel() }
    func updateUIView(_ label: UILabel, context: Context) { label.text = text }
}

private final class Box {
    var text = "one"
}

private struct EditorView: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }
    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        return view
    }
    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: EditorView
        init(_ parent: EditorView) { self.parent = parent }
        func textViewDidChange(_ textView: UITextView) { parent.text = textView.text }
    }
}

private struct ToneKey: EnvironmentKey {
    static let defaultValue = "plain"
}
private struct SizeKey: EnvironmentKey {
    static let defaultValue = 1
}
extension EnvironmentValues {
    fileprivate var tone: String {
        get { self[ToneKey.self] }
        set { self[ToneKey.self] = newValue }
    }
    fileprivate var size: Int {
        get { self[SizeKey.self] }
        set { self[SizeKey.self] = newValue }
    }
}

/// Reads the tone of its environment, and never its size.
private struct ToneView: UIViewRepresentable {
    func makeUIView(context: Context) -> UILabel { UILabel() }
    func updateUIView(_ label: UILabel, context: Context) { label.text = context.environment.tone }
}

private struct WritingView: UIViewRepresentable {
    @Binding var text: String
    func makeUIView(context: Context) -> UILabel { UILabel() }
    func updateUIView(_ label: UILabel, context: Context) {
        if text == "one" { text = "written" }
        if label.text != text { label.text = text }
    }
}

/// A slider whose value is written back when it has come to rest; the level is saved meanwhile.
private struct LevelView: UIViewRepresentable {
    @Binding var level: Double
    @Binding var note: String
    let guardsEdit: Bool

    func makeCoordinator() -> Coordinator { Coordinator(self) }
    func makeUIView(context: Context) -> UISlider {
        let slider = UISlider()
        slider.addTarget(context.coordinator, action: Coordinator.moved, for: .valueChanged)
        return slider
    }
    func updateUIView(_ slider: UISlider, context: Context) {
        context.coordinator.parent = self
        if guardsEdit, context.coordinator.inFlight > 0 { return }
        if slider.value != Float(level) { slider.value = Float(level) }
    }

    @MainActor final class Coordinator: NSObject {
        var parent: LevelView
        /// Values that are on their way to the model.
        var inFlight = 0
        init(_ parent: LevelView) { self.parent = parent }

        func moved(_ slider: UISlider) {
            inFlight += 1
            after(milliseconds: 300) { [self] in
                inFlight -= 1
                parent.level = Double(slider.value)
            }
        }
    }
}

private struct Levels {
    var level = 0.25
    var note = ""
}

private struct ScreenView: UIViewControllerRepresentable {
    let title: String
    func makeUIViewController(context: Context) -> TitleController { TitleController() }
    func updateUIViewController(_ controller: TitleController, context: Context) {
        controller.titleLabel.text = title
    }
}

private final class TitleController: UIViewController {
    let titleLabel = UILabel()
    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(titleLabel)
    }
}

/// A screen that leaves its work to others.
private final class LateController: UIViewController {
    let countLabel = UILabel()
    var count = 0

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(countLabel)
        show()
    }

    func show() { countLabel.text = "\(count)" }
}

/// The seam itself: when a representable is updated, what its bindings do, what comes of writes in the wrong place.
@MainActor @Suite struct BridgingTests {
    private func draft<Root: View>(
        _ root: @escaping (Binding<Draft>) -> Root
    ) -> ScreenScenario<Draft> {
        ScreenScenario("test.draft", model: Draft(), root: root)
            .model(Key("text", \.text), Key("other", \.other))
            .fields("text")
    }

    private func run<Root: View>(
        @ViewBuilder _ root: @escaping @MainActor @Sendable (Binding<Draft>) -> Root
    ) throws -> Running {
        try Running(Plugin("test.draft", name: "Draft", version: "1") { draft(root) })
    }

    @Test("R3: an update comes for a changed value of the representable, and for no other key of the parent")
    func changedValue() throws {
        let run = try run { LabelView(text: $0.wrappedValue.text).accessibilityIdentifier("text") }
        #expect(try run.set("text", "two").bodies == ["update input"])
        #expect(run.shown("text") == "two")
        #expect(try run.set("other", "new").bodies == [])
        run.end()
    }

    @Test(
        "R5: a held reference is unchanged as long as it is the same object; a closure is another one each time"
    )
    func referencesAndClosures() throws {
        let box = Box()
        var run = try run { LabelView(text: "x", store: $0.wrappedValue.other == "" ? nil : box) }
        #expect(try run.set("other", "new").bodies == [])
        #expect(try run.set("other", "").bodies == ["update input"])
        run.end()
        run = try self.run { _ in LabelView(text: "x", onTap: {}) }
        #expect(try run.set("other", "new").bodies == ["update input"])
        run.end()
    }

    @Test("R10: another id in the same place dismantles the control and makes it anew; the same id does not")
    func identity() throws {
        let run = try run { LabelView(text: $0.wrappedValue.text).id($0.wrappedValue.other) }
        #expect(try run.set("text", "two").bodies == ["update input"])
        let turn = try run.set("other", "new")
        #expect(turn.codes == [])
        #expect(
            turn.bodies.filter { !$0.hasPrefix("update") } == [
                "dismantle identity", "coordinator identity", "make identity",
            ])
        run.end()
    }

    @Test("R3: a key of the environment that was read before causes an update, another one does not")
    func environment() throws {
        let run = try run { state in
            ToneView().environment(\.tone, state.wrappedValue.text)
                .environment(\.size, state.wrappedValue.other.count).accessibilityIdentifier("text")
        }
        #expect(run.shown("text") == "one")
        #expect(try run.set("other", "longer").bodies == [])
        #expect(try run.set("text", "two").bodies.contains("update environment"))
        #expect(run.shown("text") == "two")
        run.end()
    }

    @Test("R32: a live binding gives and takes the value of now; one over a captured copy lies")
    func bindings() throws {
        var run = try run { EditorView(text: $0.text).accessibilityIdentifier("text") }
        _ = try run.set("text", "two")
        #expect(run.shown("text") == "two")
        #expect(try run.send("type", ["text": "three"]).codes == [])
        #expect(run.model("text") == "three" && run.verdict("text") == .matching)
        run.end()

        run = try self.run { state in
            let captured = "one"
            EditorView(text: Binding(get: { captured }, set: { state.wrappedValue.text = $0 }))
                .accessibilityIdentifier("text")
        }
        _ = try run.set("text", "two")
        #expect(run.verdict("text") == .stale && run.shown("text") == "one")
        run.end()
    }

    @Test("R33: a control that is given a binding to another key writes there from then on")
    func derived() throws {
        let run = try run { state in
            EditorView(text: state.wrappedValue.other == "else" ? state.text : state.other)
                .accessibilityIdentifier("text")
        }
        _ = try run.set("other", "elsewhere")
        _ = try run.send("type", ["text": "typed"])
        #expect(run.model("text") == "one")
        _ = try run.set("text", "two")
        #expect(run.shown("text") == "typed")
        run.end()
    }

    @Test("R7: a write in an update is reported, and carried out in the next round")
    func writeInUpdate() throws {
        let run = try run { WritingView(text: $0.text).accessibilityIdentifier("text") }
        #expect(run.start.codes == ["state-write-during-update"])
        #expect(run.model("text") == "written" && run.shown("text") == "written")
        run.end()
    }

    @Test(
        "R24: an update while a write-back is under way looks at an old model, and takes the edit back unless it is held off",
        arguments: [false, true])
    func inFlight(isRepaired: Bool) throws {
        let run = try Running(
            Plugin("test.level", name: "Level", version: "1") {
                ScreenScenario("test.level", model: Levels()) { $levels in
                    LevelView(level: $levels.level, note: $levels.note, guardsEdit: isRepaired)
                        .accessibilityIdentifier("level")
                }
                .model(Key("level", \.level), Key("note", \.note))
            })
        #expect(run.shown("level") == "0.25")
        _ = try run.send("set", ["value": "0.75"])
        #expect(run.shown("level") == "0.75" && run.model("level") == "0.25")
        // Something else of the parent, before the value has arrived.
        #expect(try run.set("note", "saving").bodies == ["update input"])
        #expect(run.shown("level") == (isRepaired ? "0.75" : "0.25"))
        let turns = try run.advance(milliseconds: 300)
        #expect(turns.flatMap(\.codes) == [])
        // Both sides agree in the end, also where what somebody did is gone.
        #expect(run.verdict("level") == .matching && run.model("level") == (isRepaired ? "0.75" : "0.25"))
        run.end()
    }

    @Test("a view controller is wrapped as a view is")
    func controller() throws {
        let run = try run { ScreenView(title: $0.wrappedValue.text) }
        #expect(run.shown("titleLabel") == "one")
        _ = try run.set("text", "two")
        #expect(run.shown("titleLabel") == "two")
        run.end()
    }

    @Test("what touches a control off the main thread is found out, and nothing comes of it")
    func offMain() throws {
        let run = try Running(
            Plugin("test.late", name: "Late", version: "1") {
                ScreenScenario("test.late") { LateController() }
                    .model { ["countLabel": "\($0.count)"] }
                    .event("stray") { screen, _ in
                        let label = Unsafe(screen.countLabel)
                        let isDone = DispatchSemaphore(value: 0)
                        Thread.detachNewThread {
                            label.write("stray")
                            isDone.signal()
                        }
                        isDone.wait()
                    }
            })
        _ = try run.send("stray")
        #expect(run.shown("countLabel") == "0")
        let turns = try run.deliverPosts()
        #expect(turns.flatMap(\.codes) == ["off-main-access"])
        #expect(turns.first?.diagnostics.first?.text.contains("UILabel") == true)
        run.end()
    }

    /// What a program does that does not mind the main actor.
    private struct Unsafe: @unchecked Sendable {
        // Sendable: that it is not is the point.
        private let label: UILabel
        init(_ label: UILabel) { self.label = label }
        func write(_ text: String) {
            typealias Write = @MainActor () -> Void
            let write: Write = { label.text = text }
            unsafeBitCast(write, to: (() -> Void).self)()  // the two differ in the actor's name alone
        }
    }
}
