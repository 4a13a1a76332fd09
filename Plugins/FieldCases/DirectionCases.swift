import SeamKit
import SwiftUI
import UIKit

struct Appearance {
    var isRightToLeft = true
    var isRightToLeftAtLaunch = true
}

@MainActor
private func appearance<Root: View>(
    _ id: String, _ title: String, uikit verdict: Verdict,
    @ViewBuilder _ root: @escaping (Binding<Appearance>) -> Root
) -> ScreenScenario<Appearance> {
    ScreenScenario(id, title: title, screen: "SwiftUI", model: Appearance(), root: root)
        .model { ["direction": $0.isRightToLeft ? "on" : "off"] }
        .bridge(Root.self, "screen", policies: ["observed-inputs=direction"])
        .bridge(LegacyHalf.self, "legacy", on: "UIKit", policies: ["updates=restart"])
        .script(
            .turn("Right to left", to: false),
            .check("turned-off", ["SwiftUI.direction": .matching, "UIKit.direction": verdict]))
}

@MainActor let fc025 = appearance(
    "fieldcases.fc-025", "One half turns at once, the other at the next launch", uikit: .stale
) { $appearance in AppearanceScreen(isRightToLeft: $appearance.isRightToLeft) }
@MainActor let fc025Fixed = appearance(
    "fieldcases.fc-025-fixed", "Both halves wait for the next launch", uikit: .matching
) { $appearance in
    LaunchedAppearanceScreen(
        isRightToLeft: appearance.isRightToLeft, isRightToLeftAtLaunch: $appearance.isRightToLeftAtLaunch)
}
