import SeamKit
import SwiftUI
import UIKit

struct Tour {
    var annotations: [String] = []
}

@MainActor
private func tour<Map: UIViewRepresentable>(
    _ id: String, _ title: String, annotations verdict: Verdict, _ map: @escaping @MainActor ([String]) -> Map
) -> ScreenScenario<Tour> {
    ScreenScenario(id, title: title, screen: "Map", model: Tour()) { $tour in map(tour.annotations) }
        .model { ["annotations": $0.annotations.count] }
        .bridge(Map.self, "map")
        .event("mark", "Two places are marked") { tour, _ in tour.annotations = ["harbour", "museum"] }
        .script(.send("mark"), .check("marked", ["annotations": verdict]))
}

@MainActor let fc042 = tour(
    "fieldcases.fc-042", "Each value makes a map, and writes into its own", annotations: .stale
) { StoredMap(annotations: $0) }
@MainActor let fc042Fixed = tour(
    "fieldcases.fc-042-fixed", "The map is made once, and is what the update writes into",
    annotations: .matching
) { MadeMap(annotations: $0) }

/// The map is made once, outside the representable, for each simulation one.
@MainActor struct StyledTour {
    var style = "streets"
    let mapView = MapView(frame: .zero)
}

@MainActor
private func styled<Map: UIViewRepresentable>(
    _ id: String, _ title: String, style verdict: Verdict,
    _ map: @escaping @MainActor (String, MapView) -> Map
) -> ScreenScenario<StyledTour> {
    ScreenScenario(id, title: title, screen: "Map", model: StyledTour()) { $tour in
        map(tour.style, tour.mapView)
    }
    .model(Key("style", \.style))
    .bridge(Map.self, "map", inputs: ["style"])
    .script(.set("style", "dark"), .check("restyled", ["style": verdict]))
}

@MainActor let fc043 = styled(
    "fieldcases.fc-043", "The update writes into a map that is not on screen", style: .stale
) { GivenMap(style: $0, mapView: $1) }
@MainActor let fc043Fixed = styled(
    "fieldcases.fc-043-fixed", "The update writes into the map that it is given", style: .matching
) { StyledMap(style: $0, mapView: $1) }

struct Seconds {
    var count = 0
}

@MainActor
private func counter<Root: View>(
    _ id: String, _ title: String, _ bridge: Any.Type, text verdict: Verdict,
    @ViewBuilder _ root: @escaping (Int) -> Root
) -> ScreenScenario<Seconds> {
    ScreenScenario(id, title: title, screen: "Label", model: Seconds()) { $seconds in root(seconds.count) }
        .model { ["text": "n=\($0.count)"] }
        .bridge(Root.self, inputs: [])
        .bridge(bridge, "label")
        .event("second", "The timer fires") { seconds, _ in seconds.count += 1 }
        .script(.send("second"), .check("one-second", ["text": verdict]))
}

@MainActor let fc045 = counter(
    "fieldcases.fc-045", "Each evaluation makes a label, the first one is shown", InlineControl<UILabel>.self,
    text: .stale
) { InlineCounter(count: $0) }
@MainActor let fc045Fixed = counter(
    "fieldcases.fc-045-fixed", "The label is made once", DescribedControl<UILabel>.self, text: .matching
) { DescribedCounter(count: $0) }
