import SeamKit
import SwiftUI
import UIKit

struct TextState {
    var text = "Dear Ada"
}

@MainActor
private func label<Label: UIViewRepresentable>(
    _ name: String, _ title: String, _ make: @escaping @MainActor (String) -> Label
) -> ScreenScenario<TextState> {
    ScreenScenario(
        "pasted.\(name)", title: title, screen: "NativeLabel", model: TextState(text: "Good morning")
    ) { $state in make(state.text).accessibilityIdentifier("text") }
    .model(Key("text", \.text))
    .bridge(Label.self, "label")
    .script(
        .check("label-made", ["text": .matching]), .set("text", "Good evening"),
        .check("label-changed", ["text": .matching]), .update("label"),
        .check("label-repeated", ["text": .matching]))
}

@MainActor let labelMadeOnce = label("label", "The label is made once") { NativeLabel(text: $0) }
@MainActor let labelRecreated =
    label("label-recreated", "Each update makes another label") { RecreatedLabel(text: $0) }

@MainActor
private func draft<Draft: UIViewRepresentable>(
    _ name: String, _ title: String, _ make: @escaping @MainActor (Binding<String>) -> Draft
) -> ScreenScenario<TextState> {
    ScreenScenario("pasted.\(name)", title: title, screen: "NativeDraft", model: TextState()) { $state in
        make($state.text).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text))
    // A text view that reports what the program writes too: not every control does, and a good bridge works with both.
    .bridge(Draft.self, "draft", echoes: true)
    .event("resignActive", "The app goes to the background") { _, _ in
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
    }
}

@MainActor let draftGood =
    draft("draft", "An editor that carries both ways") { NativeDraft(text: $0) }
    .script(
        .check("draft-made", ["text": .matching]),
        .type("Dear Ada, thank you"), .check("draft-typed", ["text": .matching]),
        .set("text", "Dear Grace"), .check("draft-replaced", ["text": .matching]),
        .update("draft"), .check("draft-repeated", ["text": .matching]),
        .send("resignActive"), .unmount("draft"), .send("resignActive"))

@MainActor let draftStaleParent =
    draft("draft-stale-parent", "The coordinator keeps the first value") { StaleParentDraft(text: $0) }
    .script(
        .set("text", "Dear Grace"), .type("Dear Grace, thank you"),
        .check("draft-stale-parent", ["text": .matching]))

@MainActor let draftUnguarded =
    draft("draft-unguarded", "The editor is written to at each update") { UnguardedDraft(text: $0) }
    .script(.type("Dear Ada, thank you"), .check("draft-unguarded", ["text": .matching]))

@MainActor let draftNotDismantled =
    draft("draft-not-dismantled", "The editor goes, its observer stays") { UndismantledDraft(text: $0) }
    .script(
        .send("resignActive"), .check("draft-not-dismantled", ["text": .matching]), .unmount("draft"),
        .send("resignActive"))

@MainActor let draftLoop =
    draft("draft-loop", "Each change causes the next") { LoopingDraft(text: $0) }
    .policies("round-limit=25")
    .script(.type("Thank you"), .check("draft-loop", ["text": .matching]))

// MARK: Done, or given up

@MainActor
private func kept<Draft: UIViewRepresentable>(
    _ name: String, _ title: String, afterGivingUp: Verdict,
    _ make: @escaping @MainActor (Binding<String>) -> Draft
) -> ScreenScenario<TextState> {
    ScreenScenario("pasted.\(name)", title: title, screen: "NativeDraft", model: TextState()) { $state in
        make($state.text).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text))
    .bridge(Draft.self, "draft", echoes: true)
    .script(
        .type("Dear Ada, thank you"), .tap("tick"), .check("cancel-committed", ["text": .matching]),
        .type("Dear Ada, no thank you"), .tap("cross"),
        .check("cancel-cancelled", ["text": afterGivingUp]))
}

@MainActor let cancel =
    kept("cancel", "A cancelled draft leaves the screen", afterGivingUp: .matching) { KeptDraft(text: $0) }
@MainActor let cancelNotShown = kept(
    "cancel-not-shown", "A cancelled draft stays on the screen", afterGivingUp: .stale
) { UnrestoredDraft(text: $0) }

// MARK: Something under way

extension ScreenScenario {
    /// Typed, settled, typed again, and taken away before it has settled.
    fileprivate func timerScript() -> Self {
        script(
            .type("Dear Ada, thank you"), .advance(milliseconds: 300),
            .check("timer-settled", ["text": .matching]),
            .type("Dear Ada, thank you for"), .unmount("draft"), .set("text", "Dear Grace"),
            .advance(milliseconds: 300), .mount("draft"), .check("timer-back", ["text": .matching]))
    }

    /// Taken away before the answer is there, and put up again.
    fileprivate func taskScript() -> Self {
        script(
            .unmount("draft"), .set("text", "Dear Grace"), .advance(milliseconds: 200), .mount("draft"),
            .check("task-back", ["text": .matching]), .advance(milliseconds: 200),
            .check("task-answered", ["text": .matching]))
    }
}

@MainActor let timerCancelled =
    draft("timer", "The timer goes with the editor") { PausingDraft(text: $0) }.timerScript()
@MainActor let timerNotCancelled =
    draft("timer-not-cancelled", "The timer outlives the editor") { UnstoppedPausingDraft(text: $0) }
    .timerScript()
@MainActor let taskCancelled =
    draft("task", "The task goes with the editor") { ClosingDraft(text: $0) }.taskScript()
@MainActor let taskNotCancelled =
    draft("task-not-cancelled", "The task outlives the editor") { UncancelledClosingDraft(text: $0) }
    .taskScript()

// MARK: Something beside the text

struct LetterState {
    var text = "Dear Ada"
    var isEdited = false
}

@MainActor
private func letter<Draft: UIViewRepresentable>(
    _ name: String, _ title: String, text: Verdict = .matching, mark: Verdict = .matching,
    _ make: @escaping @MainActor (Binding<LetterState>) -> Draft
) -> ScreenScenario<LetterState> {
    ScreenScenario("pasted.\(name)", title: title, screen: "NativeDraft", model: LetterState()) { $letter in
        make($letter).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text), Key("isEdited", \.isEdited))
    .bridge(Draft.self, "draft", echoes: true)
    .event("reload", "The file has changed on disk", arguments: [.text("text", "Text", initial: "")]) {
        letter, values in
        letter.text = values["text"] ?? ""
        letter.isEdited = false
    }
    .script(
        .send("reload", ["text": "Dear Grace"]),
        .check("origin-reloaded", ["text": .matching, "isEdited": mark]), .update("draft"),
        .type("Dear Grace, thank you"), .check("origin-typed", ["text": text, "isEdited": .matching]))
}

@MainActor let originAsked = letter("origin", "A change by the program is told from one by a person") {
    LetterDraft(text: $0.text, isEdited: $0.isEdited)
}
@MainActor let originSuppressed = letter(
    "origin-suppressed", "A flag swallows what somebody types", text: .stale
) { SuppressedLetterDraft(text: $0.text, isEdited: $0.isEdited) }
@MainActor let originUnknown = letter(
    "origin-unknown", "Every change counts as a person's", mark: .stale
) { UnaskingLetterDraft(text: $0.text, isEdited: $0.isEdited) }

@MainActor
private func subject<Draft: UIViewRepresentable>(
    _ name: String, _ title: String, ahead: Verdict, problem: Verdict,
    _ make: @escaping @MainActor (Binding<Subject>) -> Draft
) -> ScreenScenario<Subject> {
    ScreenScenario("pasted.\(name)", title: title, screen: "NativeDraft", model: Subject()) { $subject in
        make($subject).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text), Key("problem", \.problem))
    .bridge(Draft.self, "draft", echoes: true)
    .event("send", "The subject is sent, and the model looks at it") { subject, _ in subject.send() }
    .script(
        .type("Thank you for all of it"), .check("validation-typed", ["text": .matching]),
        .type("Thank you for all of!"), .check("validation-typed-on", ["text": ahead]), .send("send"),
        .check("validation-sent", ["text": ahead, "problem": problem]))
}

@MainActor let validation = subject(
    "validation", "The model judges, the callback carries", ahead: .matching, problem: .matching
) { SubjectDraft(text: $0.text, problem: $0.wrappedValue.problem) }
@MainActor let validationInCallback = subject(
    "validation-in-callback", "The callback cuts what is typed", ahead: .stale, problem: .outOfScope
) { CuttingSubjectDraft(text: $0.text, problem: $0.wrappedValue.problem) }

// MARK: An editor that comes and goes

@MainActor
private func outbox<Controller: OutboxController>(
    _ name: String, _ title: String, expecting verdict: Verdict,
    _ root: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario("pasted.\(name)", title: title, screen: "NativeDraft", root: root)
        .model(Key("text", \.outbox.draft))
        .bridge(UIHostingController<OutboxRow>.self, "row", on: "OutboxRow")
        .bridge(UIHostingController<OutboxEditor>.self, "editor")
        .bridge(OutboxDraft.self, "draft", echoes: true)
        .event("collapse", "The editor folds up into the list") { screen, _ in screen.collapse() }
        .event("expand", "The editor unfolds") { screen, _ in screen.expand() }
        .script(
            .type("Dear Ada, thank you"), .send("collapse"),
            .check("model-collapsed", ["OutboxRow.text": verdict]), .send("expand"),
            .check("model-expanded", ["NativeDraft.text": verdict, "OutboxRow.text": verdict]))
}

@MainActor let modelKept = outbox("model", "The draft outlives its editor", expecting: .matching) {
    OutboxController()
}
@MainActor let modelDiscarded = outbox(
    "model-discarded", "The draft goes with its editor", expecting: .leftover
) { DiscardingOutboxController() }
