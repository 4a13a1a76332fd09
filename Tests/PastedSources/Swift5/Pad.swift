import SwiftUI
import UIKit

// A view of one's own with gestures, wrapped: as maps and drawing areas are.

final class PadView: UIView {
    var onMark: ((Int) -> Void)?
    private let countLabel = UILabel()

    var marks = 0 {
        didSet {
            countLabel.text = "\(marks)"
            setNeedsLayout()
        }
    }

    override init(frame: CGRect) {
        super.init(frame: frame)
        backgroundColor = UIColor.secondarySystemBackground.withAlphaComponent(0.5)
        layer.cornerRadius = 12
        layer.masksToBounds = true
        isAccessibilityElement = true
        countLabel.font = .monospacedDigitSystemFont(ofSize: 20, weight: .semibold)
        countLabel.translatesAutoresizingMaskIntoConstraints = false
        addSubview(countLabel)
        countLabel.centerXAnchor.constraint(equalTo: centerXAnchor).isActive = true
        countLabel.centerYAnchor.constraint(equalTo: centerYAnchor).isActive = true
        addGestureRecognizer(UITapGestureRecognizer(target: self, action: PadView.tapped))
        let press = UILongPressGestureRecognizer(target: self, action: PadView.pressed)
        press.minimumPressDuration = 1
        addGestureRecognizer(press)
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) is not used") }

    override var intrinsicContentSize: CGSize { CGSize(width: 200, height: 200) }

    private func tapped(_ recognizer: UITapGestureRecognizer) {
        guard recognizer.state == .ended else { return }
        onMark?(marks + 1)
    }

    private func pressed(_ recognizer: UILongPressGestureRecognizer) {
        guard recognizer.state == .began else { return }
        onMark?(0)
    }
}

struct Pad: UIViewRepresentable {
    @Binding var marks: Int

    func makeCoordinator() -> Coordinator { Coordinator(marks: $marks) }

    func makeUIView(context: Context) -> PadView {
        let pad = PadView(frame: .zero)
        pad.onMark = { [coordinator = context.coordinator] in coordinator.marks.wrappedValue = $0 }
        return pad
    }

    func updateUIView(_ pad: PadView, context: Context) {
        pad.alpha = context.environment.isEnabled ? 1 : 0.5
        pad.marks = marks
    }

    /// Has the binding, and nothing else of the representable.
    final class Coordinator {
        var marks: Binding<Int>
        init(marks: Binding<Int>) { self.marks = marks }
    }
}

struct PadState {
    var marks = 1
    var note = "a"
}

struct PadScreen: View {
    @Binding var state: PadState

    var body: some View {
        VStack {
            Pad(marks: $state.marks)
                .frame(width: 200, height: 200)
                .cornerRadius(8)
                .accessibilityIdentifier("marks")
            Text(state.note).multilineTextAlignment(.center).accessibilityIdentifier("note")
        }
        .padding()
        .background(.thinMaterial, in: RoundedRectangle(cornerRadius: 12))
    }
}
