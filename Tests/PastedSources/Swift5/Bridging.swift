import Combine
import Foundation
import SwiftUI
import UIKit

// One file in three targets: as Swift 5, as Swift 6, and as Swift 6 that is on the main actor unless it says otherwise.
// What it does is what bridging code does; none of the three may need a word more.

final class Note: ObservableObject {
    @Published var title = "Draft"
    @Published var isPinned = false
    private var cancellables = Set<AnyCancellable>()
    private(set) var renames = 0

    init() {
        $title.dropFirst().sink { [weak self] _ in self?.renames += 1 }.store(in: &cancellables)
    }
}

struct NoteView: View {
    @ObservedObject var note: Note
    @State private var presses = 0
    @Environment(\.isShort) private var isShort

    var body: some View {
        VStack {
            Text(isShort ? String(note.title.prefix(3)) : note.title).accessibilityIdentifier("title")
            TextField("Title", text: $note.title).accessibilityIdentifier("editor")
            Toggle("Pinned", isOn: $note.isPinned).accessibilityIdentifier("pinned")
            Button("Press") { presses += 1 }.accessibilityIdentifier("press")
            if presses > 0 {
                Text("\(presses)").accessibilityIdentifier("presses")
            }
            NativeField(text: $note.title).accessibilityIdentifier("native")
        }
    }
}

private struct IsShortKey: EnvironmentKey {
    static let defaultValue = false
}

extension EnvironmentValues {
    var isShort: Bool {
        get { self[IsShortKey.self] }
        set { self[IsShortKey.self] = newValue }
    }
}

struct NativeField: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.delegate = context.coordinator
        return field
    }

    func updateUIView(_ field: UITextField, context: Context) {
        context.coordinator.parent = self
        if field.text != text { field.text = text }
    }

    static func dismantleUIView(_ field: UITextField, coordinator: Coordinator) {
        field.delegate = nil
    }

    final class Coordinator: NSObject, UITextFieldDelegate {
        var parent: NativeField

        init(_ parent: NativeField) { self.parent = parent }

        func textField(
            _ textField: UITextField, shouldChangeCharactersIn range: NSRange,
            replacementString string: String
        ) -> Bool {
            parent.text = string
            return true
        }
    }
}

final class NoteController: UIViewController {
    let note = Note()
    private let pinLabel = UILabel()
    // Made in viewDidLoad, before anything asks for it.
    private var host: UIHostingController<NoteView>!

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(pinLabel)
        pinLabel.text = "loose"
        host = UIHostingController(rootView: NoteView(note: note))
        addChild(host)
        view.addSubview(host.view)
        host.didMove(toParent: self)
    }

    func pinDidChange() { pinLabel.text = note.isPinned ? "pinned" : "loose" }
}
