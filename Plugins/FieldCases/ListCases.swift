import SeamKit
import SwiftUI
import UIKit

struct Board {
    var selected: Int?
    var visible = Array(0...5)
    func border(_ id: Int) -> String { selected == id ? "thick" : "none" }
}

@MainActor
private func board<Grid: UIViewRepresentable>(
    _ id: String, _ title: String, tapped verdict: Verdict,
    _ grid: @escaping @MainActor ([Int], @escaping (Int) -> TileView) -> Grid
) -> ScreenScenario<Board> {
    ScreenScenario(id, title: title, screen: "Grid", model: Board()) { $board in
        grid(board.visible) { [selected = board.selected] id in
            TileView(tile: Tile(id: id), isSelected: selected == id) { board.selected = $0 }
        }
    }
    .model { board in
        [
            "Cell0.border": board.border(0), "Cell1.border": board.border(1), "Cell2.border": board.border(2),
            "Cell3.border": board.border(3), "Cell4.border": board.border(4), "Cell5.border": board.border(5),
        ]
    }
    .bridge(Grid.self, "grid", inputs: [])
    .bridge(UIHostingController<TileView>.self, "cell")
    .event("scroll-away", "The first cells are off the screen") { board, _ in board.visible = Array(3...5) }
    .event("scroll-back", "The first cells are on the screen again") { board, _ in
        board.visible = Array(0...5)
    }
    .script(
        .tap("Cell2.button"), .check("turn1", ["Cell2.border": verdict]), .send("scroll-away"),
        .send("scroll-back"), .check("turn2", ["Cell2.border": .matching]))
}

@MainActor let fc016 = board(
    "fieldcases.fc-016", "The tiles are the same, so no cell is configured", tapped: .stale
) { TileGrid(visible: $0, content: $1) }
@MainActor let fc016Fixed = board(
    "fieldcases.fc-016-fixed", "The cells on the screen are configured again", tapped: .matching
) { ReconfiguringTileGrid(visible: $0, content: $1) }

struct Departures {
    var arrivals = [Arrival(id: 1, status: "on-time")]
    var status: String {
        get { arrivals[0].status }
        set { arrivals[0].status = newValue }
    }
}

@MainActor
private func arrivals<List: UIViewRepresentable>(
    _ id: String, _ title: String, status verdict: Verdict, _ list: @escaping @MainActor ([Arrival]) -> List
) -> ScreenScenario<Departures> {
    ScreenScenario(id, title: title, screen: "Row1", model: Departures()) { $departures in
        list(departures.arrivals)
    }
    .model(Key("status", \.status))
    .bridge(List.self, "list")
    .script(.set("status", "late"), .check("late", ["status": verdict]))
}

@MainActor let fc018 = arrivals(
    "fieldcases.fc-018", "A changed item is looked up as another one", status: .stale
) { ArrivalList(arrivals: $0) }
@MainActor let fc018Fixed = arrivals(
    "fieldcases.fc-018-fixed", "A changed item is looked up by its id", status: .matching
) { IdentifyingArrivalList(arrivals: $0) }
