import SeamKit
import SwiftUI
import UIKit

struct ListState {
    var title = "Tasks"
    var rowCount = 3
    var rows: [String] { (0..<min(max(0, rowCount), 10_000)).map { "task \($0 + 1)" } }
}

@MainActor
private func hosting<Controller: TaskController>(
    _ name: String, _ title: String, _ root: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario("pasted.\(name)", title: title, screen: "HostingController", root: root)
        .model(
            Key("title", \.summary.title), Key("openCount", \.summary.openCount),
            Key("filter", \.summary.filter)
        )
        .bridge(UIHostingController<SummaryView>.self, "host")
        .event("summaryDidChange", "The state changed, and the screen is told") { screen, _ in
            screen.summaryDidChange()
        }
}

@MainActor let hostingUnassigned =
    hosting("hosting-unassigned", "The root view is not assigned again") { TaskController() }
    .script(
        .set("openCount", 5),
        .check("hosting-unassigned", ["title": .matching, "openCount": .stale, "filter": .matching]))

@MainActor let hostingAssigned =
    hosting("hosting-assigned", "The root view is assigned again") { AssigningTaskController() }
    .script(
        .set("openCount", 5), .send("summaryDidChange"),
        .check("hosting-assigned", ["title": .matching, "openCount": .matching, "filter": .matching]))

@MainActor let ownState =
    ScreenScenario(
        "pasted.own-state", title: "What the declarative view keeps for itself", screen: "HostingController"
    ) { FoldingTaskController() }
    .model(
        Key("title", \.summary.title), Key("openCount", \.summary.openCount), Key("filter", \.summary.filter)
    )
    .bridge(UIHostingController<FoldingSummaryView>.self, "host")
    .fields("isExpanded")
    .script(.check("own-state", ["openCount": .matching, "isExpanded": .outOfScope]))

@MainActor let wrappingEmpty =
    ScreenScenario(
        "pasted.wrapping-empty", title: "The update has an empty body", screen: "LegacyListView",
        model: ListState()
    ) { $list in EmptyListRepresentable(title: list.title, rows: list.rows) }
    .model(Key("title", \.title), Key("rowCount", \.rowCount))
    .bridge(EmptyListRepresentable.self, "list")
    .script(.set("rowCount", 5), .check("wrapping-empty", ["title": .matching, "rowCount": .stale]))

@MainActor let wrappingFilled =
    ScreenScenario(
        "pasted.wrapping-filled", title: "The update reloads the list", screen: "LegacyListView",
        model: ListState()
    ) { $list in ListRepresentable(title: list.title, rows: list.rows) }
    .model(Key("title", \.title), Key("rowCount", \.rowCount))
    .bridge(ListRepresentable.self, "list")
    .script(.set("rowCount", 5), .check("wrapping-filled", ["title": .matching, "rowCount": .matching]))
