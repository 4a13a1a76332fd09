import Combine
import SwiftUI
import UIKit

// What counts as a change, and who is told of it.

/// The state of a screen: a change is one when the state is not equal to the one before.
final class Store<State: Equatable>: ObservableObject {
    @Published private(set) var state: State

    init(_ state: State) { self.state = state }

    func send(_ change: (inout State) -> Void) {
        var changed = state
        change(&changed)
        if changed != state { state = changed }
    }
}

struct ModeLabel: UIViewRepresentable {
    let mode: () -> String

    func makeUIView(context: Context) -> UILabel { UILabel() }

    func updateUIView(_ label: UILabel, context: Context) {
        if label.text != mode() { label.text = mode() }
    }
}

// MARK: A reference inside the state

final class CameraController {
    var mode = "photo"
}

struct CameraState: Equatable {
    let camera = CameraController()

    static func == (one: CameraState, other: CameraState) -> Bool { one.camera === other.camera }
}

struct CameraScreen: View {
    @ObservedObject var store: Store<CameraState>

    var body: some View {
        VStack {
            ModeLabel { [camera = store.state.camera] in camera.mode }.accessibilityIdentifier("mode")
            Button("Video") { store.send { $0.camera.mode = "video" } }
        }
    }
}

/// The repair: what changes is a value in the state.
struct CameraValue: Equatable {
    var mode = "photo"
}

struct CameraValueScreen: View {
    @ObservedObject var store: Store<CameraValue>

    var body: some View {
        VStack {
            ModeLabel { [mode = store.state.mode] in mode }.accessibilityIdentifier("mode")
            Button("Video") { store.send { $0.mode = "video" } }
        }
    }
}
