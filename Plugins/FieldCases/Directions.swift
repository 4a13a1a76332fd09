import SwiftUI
import UIKit

// A direction that one half of the app takes at once, and the other one later or never.

/// The half that UIKit draws. It takes the setting when the app is launched.
struct LegacyHalf: UIViewRepresentable {
    let direction: String

    func makeUIView(context: Context) -> UILabel {
        let label = UILabel()
        label.accessibilityIdentifier = "direction"
        label.text = direction
        return label
    }

    func updateUIView(_ label: UILabel, context: Context) {}
}

struct AppearanceScreen: View {
    @Binding var isRightToLeft: Bool

    var body: some View {
        VStack {
            Text(isRightToLeft ? "on" : "off").accessibilityIdentifier("direction")
            LegacyHalf(direction: isRightToLeft ? "on" : "off")
            Toggle("Right to left", isOn: $isRightToLeft)
        }
    }
}

/// The repair: neither half changes before the next launch.
struct LaunchedAppearanceScreen: View {
    let isRightToLeft: Bool
    @Binding var isRightToLeftAtLaunch: Bool

    var body: some View {
        VStack {
            Text(isRightToLeft ? "on" : "off").accessibilityIdentifier("direction")
            LegacyHalf(direction: isRightToLeft ? "on" : "off")
            Toggle("Right to left", isOn: $isRightToLeftAtLaunch)
        }
    }
}
