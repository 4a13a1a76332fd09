import SwiftUI
import UIKit

/// Made once, then written into.
struct NativeLabel: UIViewRepresentable {
    let text: String

    func makeUIView(context: Context) -> UILabel {
        let label = UILabel()
        label.numberOfLines = 0
        return label
    }

    func updateUIView(_ label: UILabel, context: Context) {
        guard label.text != text else { return }
        label.text = text
    }
}

/// Making and updating are one thing here: each update has a label of its own.
struct RecreatedLabel: UIViewRepresentable {
    let text: String

    func makeUIView(context: Context) -> UIView {
        let container = UIView()
        container.addSubview(makeLabel())
        return container
    }

    func updateUIView(_ container: UIView, context: Context) {
        guard (container.subviews.first as? UILabel)?.text != text else { return }
        container.subviews.forEach { $0.removeFromSuperview() }
        container.addSubview(makeLabel())
    }

    private func makeLabel() -> UILabel {
        let label = UILabel()
        label.text = text
        return label
    }
}
