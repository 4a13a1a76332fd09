import SwiftUI
import UIKit

// Cells that are given to one item after another.

// MARK: A day that keeps what its appearing derived

struct Day: Identifiable {
    let id: Int
}

struct DayView: View {
    let day: Day
    @State private var derived = ""

    var body: some View {
        VStack {
            Text("\(day.id)").accessibilityIdentifier("text")
            Text(derived).accessibilityIdentifier("derived")
        }
        .onAppear { derived = "\(day.id)" }
    }
}

/// The repair: another day is another view.
struct IdentifiedDayView: View {
    let day: Day

    var body: some View { DayView(day: day).id(day.id) }
}

/// One visible cell of a calendar, which keeps its host for whatever day comes next.
final class CalendarController<Content: View>: UIViewController {
    private(set) var day: Day
    private let content: (Day) -> Content
    private let cell: UIHostingController<Content>

    init(day: Day, content: @escaping (Day) -> Content) {
        self.day = day
        self.content = content
        cell = UIHostingController(rootView: content(day))
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        addChild(cell)
        view.addSubview(cell.view)
        cell.didMove(toParent: self)
    }

    func scroll(to day: Day) {
        self.day = day
        cell.rootView = content(day)
    }
}

// MARK: A cell that measures its content when that is assigned

struct Row: Identifiable {
    let id: Int
    let text: String
    let height: Int
}

struct RowView: View {
    let row: Row

    var body: some View {
        Text(row.text).accessibilityIdentifier("text").frame(height: Double(row.height))
    }
}

class MeasuringCell: UIView {
    fileprivate let host: UIHostingController<RowView>
    private let heightLabel = UILabel()

    init(row: Row) {
        host = UIHostingController(rootView: RowView(row: row))
        super.init(frame: .zero)
        heightLabel.accessibilityIdentifier = "height"
        addSubview(host.view)
        addSubview(heightLabel)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func layoutSubviews() {
        super.layoutSubviews()
        measure()
    }

    fileprivate func measure() {
        let height = Int(host.sizeThatFits(in: CGSize(width: 320, height: 0)).height)
        heightLabel.text = "\(height)"
    }

    func configure(with row: Row) {
        host.rootView = RowView(row: row)
        measure()
    }
}

/// The repair: what is assigned is laid out before it is measured.
final class LaidOutCell: MeasuringCell {
    override func configure(with row: Row) {
        host.rootView = RowView(row: row)
        host.view.setNeedsLayout()
        host.view.layoutIfNeeded()
        measure()
    }
}

final class FeedController: UIViewController {
    private(set) var row: Row
    private let cell: MeasuringCell

    init(row: Row, cell: (Row) -> MeasuringCell) {
        self.row = row
        self.cell = cell(row)
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(cell)
    }

    func recycle(for row: Row) {
        self.row = row
        cell.configure(with: row)
    }
}

// MARK: A chat cell that puts its content together again for each state that it is in

struct ChatMessage: Equatable {
    let id: Int
}

final class BubbleView: UIView {
    private let itemLabel = UILabel()

    init(message: ChatMessage) {
        super.init(frame: .zero)
        itemLabel.accessibilityIdentifier = "item"
        addSubview(itemLabel)
        itemLabel.text = "\(message.id)"
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }
}

extension UIView {
    /// A cell has one content: the former one goes when the new one is there.
    fileprivate func setContent(_ content: UIView) {
        let former = subviews
        addSubview(content)
        for view in former { view.removeFromSuperview() }
    }
}

struct ChatCell: UIViewRepresentable {
    let message: ChatMessage

    func makeUIView(context: Context) -> UIView {
        let cell = UIView()
        cell.setContent(BubbleView(message: message))
        return cell
    }

    /// Called for highlight and focus as well.
    func updateUIView(_ cell: UIView, context: Context) {
        cell.setContent(BubbleView(message: message))
    }
}

struct RememberingChatCell: UIViewRepresentable {
    let message: ChatMessage

    func makeCoordinator() -> Coordinator { Coordinator(message) }

    func makeUIView(context: Context) -> UIView {
        let cell = UIView()
        cell.setContent(BubbleView(message: message))
        return cell
    }

    func updateUIView(_ cell: UIView, context: Context) {
        if context.coordinator.shown == message { return }
        context.coordinator.shown = message
        cell.setContent(BubbleView(message: message))
    }

    @MainActor
    final class Coordinator {
        var shown: ChatMessage

        init(_ message: ChatMessage) { shown = message }
    }
}
