import SwiftUI
import UIKit

// A field whose owner has a say in what is typed, on the other side of an asynchronous bridge.

struct FieldState {
    var text = "A"
    /// Counts the events of the native side, so that an answer is told from another one with the same text.
    var eventCount = 0
}

struct AsynchronousField: UIViewRepresentable {
    @Binding var state: FieldState

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.addTarget(context.coordinator, action: Coordinator.changed, for: .editingChanged)
        return field
    }

    func updateUIView(_ field: UITextField, context: Context) {
        context.coordinator.parent = self
        if field.text != state.text { field.text = state.text }
    }

    @MainActor
    final class Coordinator {
        var parent: AsynchronousField

        init(_ parent: AsynchronousField) { self.parent = parent }

        /// The owner takes no digits.
        func changed(_ field: UITextField) {
            let text = (field.text ?? "").filter { !$0.isNumber }
            parent.state = FieldState(text: text, eventCount: parent.state.eventCount + 1)
        }
    }
}

/// The repair: the native side knows what its owner takes, and does not show the rest.
struct FilteringField: UIViewRepresentable {
    @Binding var state: FieldState

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextField {
        let field = UITextField()
        field.delegate = context.coordinator
        field.addTarget(context.coordinator, action: Coordinator.changed, for: .editingChanged)
        return field
    }

    func updateUIView(_ field: UITextField, context: Context) {
        context.coordinator.parent = self
        if field.text != state.text { field.text = state.text }
    }

    @MainActor
    final class Coordinator: UITextFieldDelegate {
        var parent: FilteringField

        init(_ parent: FilteringField) { self.parent = parent }

        func textField(
            _ field: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
        ) -> Bool { !string.contains(where: \.isNumber) }

        func changed(_ field: UITextField) {
            parent.state = FieldState(text: field.text ?? "", eventCount: parent.state.eventCount + 1)
        }
    }
}
