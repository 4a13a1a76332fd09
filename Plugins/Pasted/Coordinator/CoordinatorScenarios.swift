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
