import SwiftUI
import UIKit

/// The old list, which has worked for years: it shows what it was told last.
final class LegacyListView: UIView {
    private let titleLabel = UILabel()
    private let countLabel = UILabel()

    init(title: String, rows: [String]) {
        super.init(frame: .zero)
        titleLabel.accessibilityIdentifier = "title"
        countLabel.accessibilityIdentifier = "rowCount"
        addSubview(titleLabel)
        addSubview(countLabel)
        titleLabel.text = title
        reloadData(rows: rows)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    func reloadData(rows: [String]) {
        countLabel.text = "\(rows.count)"
    }
}

struct EmptyListRepresentable: UIViewRepresentable {
    let title: String
    let rows: [String]

    func makeUIView(context: Context) -> LegacyListView {
        LegacyListView(title: title, rows: rows)
    }

    func updateUIView(_ list: LegacyListView, context: Context) {
        // The line that would carry the value is not there.
    }
}

/// The repair.
struct ListRepresentable: UIViewRepresentable {
    let title: String
    let rows: [String]

    func makeUIView(context: Context) -> LegacyListView {
        LegacyListView(title: title, rows: rows)
    }

    func updateUIView(_ list: LegacyListView, context: Context) {
        list.reloadData(rows: rows)
    }
}
