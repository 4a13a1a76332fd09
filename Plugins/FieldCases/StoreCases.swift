import SeamKit
import SwiftUI
import UIKit

@MainActor
private func camera<State: Equatable, Root: View>(
    _ id: String, _ title: String, _ initial: @escaping @MainActor () -> State,
    reading mode: @escaping @MainActor (State) -> String,
    mode verdict: Verdict, _ root: @escaping @MainActor (Store<State>) -> Root
) -> ScreenScenario<Store<State>> {
    ScreenScenario(id, title: title, screen: "Screen", object: Store(initial())) { store in root(store) }
        .model { ["mode": mode($0.state)] }
        .bridge(Root.self, inputs: [])
        .bridge(ModeLabel.self, "modeLabel")
        .script(.tap("Video"), .check("video", ["mode": verdict]))
}

@MainActor let fc040 = camera(
    "fieldcases.fc-040", "The state holds a reference, and compares equal", { CameraState() },
    reading: { $0.camera.mode }, mode: .stale
) { CameraScreen(store: $0) }
@MainActor let fc040Fixed = camera(
    "fieldcases.fc-040-fixed", "The state holds the value", { CameraValue() }, reading: { $0.mode },
    mode: .matching
) { CameraValueScreen(store: $0) }
