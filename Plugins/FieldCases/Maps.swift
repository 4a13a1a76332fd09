import SwiftUI
import UIKit

// Which control is written into: the one on screen, or another.

final class MapView: UIView {
    private let annotationLabel = UILabel()
    private let styleLabel = UILabel()

    override init(frame: CGRect) {
        super.init(frame: frame)
        annotationLabel.accessibilityIdentifier = "annotations"
        styleLabel.accessibilityIdentifier = "style"
        addSubview(annotationLabel)
        addSubview(styleLabel)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    var annotations: [String] = [] { didSet { annotationLabel.text = "\(annotations.count)" } }
    var style: String? { didSet { styleLabel.text = style } }
}

// MARK: The map is a stored property, and so made with each value

struct StoredMap: UIViewRepresentable {
    let annotations: [String]
    private let mapView = MapView(frame: .zero)

    init(annotations: [String]) { self.annotations = annotations }

    func makeUIView(context: Context) -> MapView { mapView }

    func updateUIView(_ map: MapView, context: Context) {
        mapView.annotations = annotations
    }
}

struct MadeMap: UIViewRepresentable {
    let annotations: [String]

    func makeUIView(context: Context) -> MapView { MapView(frame: .zero) }

    func updateUIView(_ map: MapView, context: Context) {
        if map.annotations != annotations { map.annotations = annotations }
    }
}

// MARK: The update writes into the map that the value was given, not into the one that it gets

struct GivenMap: UIViewRepresentable {
    let style: String
    /// The screen's own, which it takes pictures of.
    let mapView: MapView

    func makeUIView(context: Context) -> MapView {
        let map = MapView(frame: .zero)
        map.style = style
        return map
    }

    func updateUIView(_ map: MapView, context: Context) {
        if mapView.style != style { mapView.style = style }
    }
}

struct StyledMap: UIViewRepresentable {
    let style: String
    let mapView: MapView

    func makeUIView(context: Context) -> MapView {
        let map = MapView(frame: .zero)
        map.style = style
        return map
    }

    func updateUIView(_ map: MapView, context: Context) {
        if map.style != style { map.style = style }
    }
}

// MARK: A control written inline in a body

/// Puts any control into a body, with what is set on it.
struct InlineControl<Control: UIView>: UIViewRepresentable {
    let control: Control
    let settings: [(Control) -> Void]

    init(_ control: Control, settings: [(Control) -> Void] = []) {
        self.control = control
        self.settings = settings
    }

    func with(_ setting: @escaping (Control) -> Void) -> InlineControl {
        InlineControl(control, settings: settings + [setting])
    }

    func makeUIView(context: Context) -> Control { control }

    func updateUIView(_ view: Control, context: Context) {
        for setting in settings { setting(control) }
    }
}

/// The repair: the body says how the control is made, and what is on screen is set.
struct DescribedControl<Control: UIView>: UIViewRepresentable {
    let make: () -> Control
    let settings: [(Control) -> Void]

    init(_ make: @autoclosure @escaping () -> Control, settings: [(Control) -> Void] = []) {
        self.init(make: make, settings: settings)
    }

    private init(make: @escaping () -> Control, settings: [(Control) -> Void]) {
        self.make = make
        self.settings = settings
    }

    func with(_ setting: @escaping (Control) -> Void) -> DescribedControl {
        DescribedControl(make: make, settings: settings + [setting])
    }

    func makeUIView(context: Context) -> Control { make() }

    func updateUIView(_ view: Control, context: Context) {
        for setting in settings { setting(view) }
    }
}

struct InlineCounter: View {
    let count: Int

    var body: some View {
        InlineControl(UILabel())
            .with { $0.accessibilityIdentifier = "text" }
            .with { $0.text = "n=\(count)" }
    }
}

struct DescribedCounter: View {
    let count: Int

    var body: some View {
        DescribedControl(UILabel())
            .with { $0.accessibilityIdentifier = "text" }
            .with { label in
                let text = "n=\(count)"
                if label.text != text { label.text = text }
            }
    }
}
