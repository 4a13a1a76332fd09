import Combine
import SwiftUI
import UIKit

// Turns that never settle.

// MARK: A pager that writes its page whenever it hears of one

final class PagerModel: ObservableObject {
    @Published var page = 0
}

struct Pager: View {
    @ObservedObject var model: PagerModel

    var body: some View {
        Text("\(model.page)").accessibilityIdentifier("page")
            .onReceive(model.objectWillChange) { _ in DispatchQueue.main.async { snap() } }
            .onAppear { snap() }
    }

    /// To the nearest page that there is.
    private func snap() {
        model.page = max(0, min(model.page, 9))
    }
}

struct ComparingPager: View {
    @ObservedObject var model: PagerModel

    var body: some View {
        Text("\(model.page)").accessibilityIdentifier("page")
            .onReceive(model.objectWillChange) { _ in DispatchQueue.main.async { snap() } }
            .onAppear { snap() }
    }

    private func snap() {
        let page = max(0, min(model.page, 9))
        if page != model.page { model.page = page }
    }
}

// MARK: A container that evaluates its tab again whenever that was laid out

struct MapTab: UIViewRepresentable {
    let style: String
    let didLayOut: (Int) -> Void

    func makeUIView(context: Context) -> MapView { MapView(frame: .zero) }

    func updateUIView(_ map: MapView, context: Context) {
        if map.style != style { map.style = style }
        DispatchQueue.main.async { didLayOut(640) }
    }
}

struct TabContainer: View {
    let style: String
    @State private var layout = Layout()

    struct Layout {
        var height = 0
        var passes = 0
    }

    var body: some View {
        MapTab(style: style) { height in layout = Layout(height: height, passes: layout.passes + 1) }
            .frame(height: Double(layout.height))
    }
}

/// The repair: a layout that comes out as before is none.
struct SettlingTabContainer: View {
    let style: String
    @State private var layout = TabContainer.Layout()

    var body: some View {
        MapTab(style: style) { height in
            if height != layout.height {
                layout = TabContainer.Layout(height: height, passes: layout.passes + 1)
            }
        }
        .frame(height: Double(layout.height))
    }
}

// MARK: A composer that measures itself and writes the height into what it is laid out by

final class ComposerView: UIView {
    private let heightLabel = UILabel()
    var text = ""

    override init(frame: CGRect) {
        super.init(frame: frame)
        heightLabel.accessibilityIdentifier = "height"
        addSubview(heightLabel)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    var height = 0 { didSet { heightLabel.text = "\(height)" } }

    /// One line is forty high, and a text fills more of them the longer it is.
    var lineHeight: Int { 40 * (1 + text.count / 80) }
    /// As tall as the frame and the line below the text, which moves with the frame.
    func fittingHeight(in frame: Int) -> Int { max(lineHeight, frame + 1) }
}

struct MeasuringComposer: UIViewRepresentable {
    let text: String
    @Binding var height: Int

    func makeUIView(context: Context) -> ComposerView { ComposerView(frame: .zero) }

    func updateUIView(_ view: ComposerView, context: Context) {
        view.text = text
        guard !text.isEmpty else { return }
        let measured = view.fittingHeight(in: height)
        view.height = measured
        height = measured
    }
}

/// The repair: what is measured does not depend on what is written, is written in the next turn of the main queue, and the
/// last one counts.
struct DeferringComposer: UIViewRepresentable {
    let text: String
    @Binding var height: Int

    func makeCoordinator() -> Coordinator { Coordinator() }

    func makeUIView(context: Context) -> ComposerView { ComposerView(frame: .zero) }

    func updateUIView(_ view: ComposerView, context: Context) {
        view.text = text
        guard !text.isEmpty else { return }
        let measured = view.lineHeight
        if view.height != measured { view.height = measured }
        context.coordinator.propose(measured, to: $height)
    }

    @MainActor
    final class Coordinator {
        private var pending: Int?

        func propose(_ measured: Int, to height: Binding<Int>) {
            let isWaiting = pending != nil
            pending = measured
            if isWaiting { return }
            DispatchQueue.main.async { [self] in
                if let pending, pending != height.wrappedValue { height.wrappedValue = pending }
                pending = nil
            }
        }
    }
}
