import SeamKit
import SwiftUI
import UIKit

@MainActor
private func field<Root: UIViewRepresentable>(
    _ id: String, _ title: String, first verdict: Verdict,
    _ root: @escaping @MainActor (Binding<FieldState>) -> Root
) -> ScreenScenario<FieldState> {
    ScreenScenario(id, title: title, screen: "Field", model: FieldState()) { $state in
        root($state).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text))
    // The bridge of the report: what the owner says is on the other side a turn later.
    .bridge(Root.self, "field", policies: ["inward=next-turn", "callback-phase=post"])
    .script(
        .type("A1"), .check("turn1", ["text": verdict]), .advance(milliseconds: 16),
        .check("turn2", ["text": .matching]))
}

@MainActor let fc074 = field(
    "fieldcases.fc-074", "A digit is shown until its owner has answered", first: .stale
) { AsynchronousField(state: $0) }
@MainActor let fc074Fixed = field(
    "fieldcases.fc-074-fixed", "The native side takes no digit", first: .matching
) { FilteringField(state: $0) }
