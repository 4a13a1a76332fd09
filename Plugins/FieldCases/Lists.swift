import SwiftUI
import UIKit

// Lists that find out for themselves what has changed.

// MARK: A grid that compares identities, and takes its look from somewhere else

struct Tile: Identifiable {
    let id: Int
}

struct TileView: View {
    let tile: Tile
    let isSelected: Bool
    let select: (Int) -> Void

    var body: some View {
        VStack {
            Text(isSelected ? "thick" : "none").accessibilityIdentifier("Cell\(tile.id).border")
            Button("Tile \(tile.id)") { select(tile.id) }.accessibilityIdentifier("Cell\(tile.id).button")
        }
    }
}

/// The visible part of a grid. A cell is configured when a tile comes into it.
final class TileGridView: UIView {
    var content: (Int) -> TileView
    private var visible: [Int: UIHostingController<TileView>] = [:]
    private var pool: [UIHostingController<TileView>] = []

    init(content: @escaping (Int) -> TileView) {
        self.content = content
        super.init(frame: .zero)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    /// Cells whose tile is still there stay as they are.
    func apply(_ ids: [Int]) {
        for id in visible.keys.sorted() where !ids.contains(id) {
            if let cell = visible.removeValue(forKey: id) { pool.append(cell) }
        }
        for id in ids where visible[id] == nil {
            if pool.isEmpty {
                let cell = UIHostingController(rootView: content(id))
                addSubview(cell.view)
                visible[id] = cell
            } else {
                let cell = pool.removeFirst()
                cell.rootView = content(id)
                visible[id] = cell
            }
        }
    }

    func reconfigureVisible() {
        for (id, cell) in visible.sorted(by: { $0.key < $1.key }) { cell.rootView = content(id) }
    }
}

struct TileGrid: UIViewRepresentable {
    let visible: [Int]
    let content: (Int) -> TileView

    func makeUIView(context: Context) -> TileGridView { TileGridView(content: content) }

    func updateUIView(_ grid: TileGridView, context: Context) {
        grid.content = content
        grid.apply(visible)
    }
}

struct ReconfiguringTileGrid: UIViewRepresentable {
    let visible: [Int]
    let content: (Int) -> TileView

    func makeUIView(context: Context) -> TileGridView { TileGridView(content: content) }

    func updateUIView(_ grid: TileGridView, context: Context) {
        grid.content = content
        grid.apply(visible)
        grid.reconfigureVisible()
    }
}

// MARK: A list whose items are the same when their values are

/// Hashed and compared by all that it says.
struct Arrival: Hashable {
    let id: Int
    var status: String
}

final class ArrivalListView: UIView {
    private var rows: [Arrival: UILabel] = [:]
    private(set) var arrivals: [Arrival] = []

    func apply(_ new: [Arrival]) {
        for row in rows.values { row.removeFromSuperview() }
        rows = [:]
        for arrival in new {
            let row = UILabel()
            row.accessibilityIdentifier = "status"
            addSubview(row)
            row.text = arrival.status
            rows[arrival] = row
        }
        arrivals = new
    }

    /// Another content for a row that is there.
    func reconfigure(_ arrival: Arrival) {
        guard let row = rows[arrival] else { return }
        row.text = arrival.status
    }

    /// The repair: a row is found by its id.
    func reconfigure(byID arrival: Arrival) {
        guard let known = rows.first(where: { $0.key.id == arrival.id }) else { return }
        rows[known.key] = nil
        rows[arrival] = known.value
        known.value.text = arrival.status
    }
}

struct ArrivalList: UIViewRepresentable {
    let arrivals: [Arrival]

    func makeUIView(context: Context) -> ArrivalListView {
        let list = ArrivalListView()
        list.apply(arrivals)
        return list
    }

    func updateUIView(_ list: ArrivalListView, context: Context) {
        // The same rows as before: their content alone can be another one.
        guard list.arrivals.map(\.id) == arrivals.map(\.id) else { return list.apply(arrivals) }
        for (old, new) in zip(list.arrivals, arrivals) where old != new { list.reconfigure(new) }
    }
}

struct IdentifyingArrivalList: UIViewRepresentable {
    let arrivals: [Arrival]

    func makeUIView(context: Context) -> ArrivalListView {
        let list = ArrivalListView()
        list.apply(arrivals)
        return list
    }

    func updateUIView(_ list: ArrivalListView, context: Context) {
        guard list.arrivals.map(\.id) == arrivals.map(\.id) else { return list.apply(arrivals) }
        for (old, new) in zip(list.arrivals, arrivals) where old != new { list.reconfigure(byID: new) }
    }
}
