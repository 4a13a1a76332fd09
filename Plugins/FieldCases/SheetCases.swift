import SeamKit
import SwiftUI
import UIKit

struct Places {
    var selection: String?
    var isSheetShown = false
    var label: String { selection ?? "none-selected" }
}

@MainActor
private func places<Sheet: View>(
    _ id: String, _ title: String, label verdict: Verdict, _ sheet: @escaping (Places) -> Sheet
) -> ScreenScenario<Places> {
    ScreenScenario(id, title: title, screen: "Page", model: Places()) { $places in
        ZStack {
            PlaceList(selection: $places.selection, isSheetShown: $places.isSheetShown)
            sheet(places)
        }
    }
    .model { ["label": $0.label] }
    .bridge(UIHostingController<PlaceSheet>.self, "sheet", on: "Sheet")
    .script(.tap("item-1"), .check("opened", ["Sheet.label": verdict]))
}

@MainActor let fc001 =
    places("fieldcases.fc-001", "The content is made again, its host is not told", label: .stale) { places in
        BottomSheet(isPresented: places.isSheetShown) { PlaceSheet(label: places.label) }
    }
@MainActor let fc001Fixed =
    places("fieldcases.fc-001-fixed", "The content that is made again is assigned", label: .matching) {
        places in
        AssigningBottomSheet(isPresented: places.isSheetShown) { PlaceSheet(label: places.label) }
    }

@MainActor
private func tally<Page: View>(
    _ id: String, _ title: String, sheet verdict: Verdict,
    @ViewBuilder _ page: @escaping @MainActor (TallyCounter) -> Page
) -> ScreenScenario<TallyCounter> {
    ScreenScenario(id, title: title, screen: "Page", object: TallyCounter(), root: page)
        .model(Key("value", \.value))
        .bridge(UIHostingController<AnyView>.self, "sheet", on: "Sheet")
        .fields("TallySheet.text", on: "Sheet")
        .script(
            .tap("Show"), .tap("More"),
            .check("more", ["Page.value": .matching, "Sheet.value": verdict]))
}

@MainActor let fc003 =
    tally("fieldcases.fc-003", "The sheet shows the closure of its presentation", sheet: .stale) {
        TallyPage(counter: $0)
    }
@MainActor let fc003Fixed =
    tally("fieldcases.fc-003-fixed", "The sheet looks at the counter by itself", sheet: .matching) {
        ObservingTallyPage(counter: $0)
    }

@MainActor
private func help<Root: View>(
    _ id: String, _ title: String, _ verdict: Verdict,
    @ViewBuilder _ root: @escaping (Binding<HelpState>) -> Root
) -> ScreenScenario<HelpState> {
    ScreenScenario(id, title: title, screen: "Page", model: HelpState(), root: root)
        .model { ["title": $0.item?.title ?? $0.title, "body": $0.item?.body ?? $0.body] }
        .bridge(UIHostingController<AnyView>.self, "sheet", on: "Sheet")
        .script(.tap("Help"), .check("asked", ["Sheet.title": verdict, "Sheet.body": verdict]))
}

@MainActor let fc026 = help(
    "fieldcases.fc-026", "The sheet is what was captured before the handler wrote", .missing
) { HelpScreen(help: $0) }
@MainActor let fc026Fixed = help(
    "fieldcases.fc-026-fixed", "One item presents the sheet and is its content", .matching
) { ItemHelpScreen(help: $0) }
