import SeamKit
import SwiftUI
import UIKit

@MainActor
private func pager<Root: View>(
    _ id: String, _ title: String, @ViewBuilder _ root: @escaping @MainActor (PagerModel) -> Root
) -> ScreenScenario<PagerModel> {
    ScreenScenario(id, title: title, screen: "Pager", object: PagerModel(), root: root)
        .model(Key("page", \.page))
        .script(.check("started", ["page": .matching]))
}

@MainActor let fc057 =
    pager("fieldcases.fc-057", "The pager writes its page whenever it hears of one") { Pager(model: $0) }
@MainActor let fc057Fixed =
    pager("fieldcases.fc-057-fixed", "The pager writes its page when it is another one") {
        ComparingPager(model: $0)
    }

struct MapTabState {
    var style = "streets"
}

@MainActor
private func tab<Root: View>(
    _ id: String, _ title: String, @ViewBuilder _ root: @escaping (String) -> Root
) -> ScreenScenario<MapTabState> {
    ScreenScenario(id, title: title, screen: "Map", model: MapTabState()) { $tab in root(tab.style) }
        .model(Key("style", \.style))
        .bridge(Root.self, inputs: [])
        .bridge(MapTab.self, "map")
        .script(.check("shown", ["style": .matching]))
}

@MainActor let fc063 =
    tab("fieldcases.fc-063", "The tab is evaluated again after each layout") { TabContainer(style: $0) }
@MainActor let fc063Fixed =
    tab("fieldcases.fc-063-fixed", "A layout that comes out as before is none") {
        SettlingTabContainer(style: $0)
    }

struct Message {
    var text = ""
    var height = 0
}

@MainActor
private func composer<Root: UIViewRepresentable>(
    _ id: String, _ title: String, height verdict: Verdict,
    _ root: @escaping @MainActor (String, Binding<Int>) -> Root
) -> ScreenScenario<Message> {
    ScreenScenario(id, title: title, screen: "Composer", model: Message()) { $message in
        root(message.text, $message.height)
    }
    .model { ["height": $0.height] }
    .bridge(Root.self, "composer")
    // Cut off between an update and what it has written: a measure ahead of the model, as on each round before.
    .policies("round-limit=99")
    .event("write", "A long text is there") { message, _ in
        message.text = String(repeating: "long ", count: 10)
    }
    .script(.send("write"), .check("written", ["height": verdict]))
}

@MainActor let fc071 = composer(
    "fieldcases.fc-071", "The height that is measured is what is measured next", height: .stale
) { MeasuringComposer(text: $0, height: $1) }
@MainActor let fc071Fixed = composer(
    "fieldcases.fc-071-fixed", "The height is written later, once", height: .matching
) { DeferringComposer(text: $0, height: $1) }
