import SeamKit
import SwiftUI
import UIKit

@MainActor
private func pager<Page: View>(
    _ id: String, _ title: String, theme verdict: Verdict, _ page: @escaping (Theme) -> Page
) -> ScreenScenario<Theme> {
    ScreenScenario(id, title: title, screen: "Pager", object: Theme(name: "dark")) { theme in
        LazyPager { _ in page(theme) }.environment(theme)
    }
    .model { ["theme": $0.name] }
    .bridge(LazyPager<Page>.self, "pager", inputs: [])
    .bridge(UIHostingController<Page>.self, "page", on: "Page", inputs: [], policies: ["environment=own"])
    .script(.tap("Turn"), .check("turned", ["Page.theme": verdict]))
}

@MainActor let fc005 = pager(
    "fieldcases.fc-005", "A page below a view of UIKit finds no theme", theme: .missing
) { _ in ThemedPage() }
@MainActor let fc005Fixed = pager(
    "fieldcases.fc-005-fixed", "The page is given the theme again", theme: .matching
) { theme in ThemedPage().environment(theme) }

@MainActor
private func windows<Controller: WindowsController>(
    _ id: String, _ title: String, _ about: Verdict, _ replaced: Verdict,
    _ controller: @escaping @MainActor () -> Controller
) -> ScreenScenario<Controller> {
    ScreenScenario(id, title: title, screen: "Windows", root: controller)
        .model(Key("direction", \.direction))
        // Each hosting root begins an environment of its own.
        .bridge(SettingsHost.self, "hostA", on: "HostA", policies: ["environment=own"])
        .bridge(AboutHost.self, "hostB", on: "HostB", policies: ["environment=own"])
        .event("open", "The windows come up") { controller, _ in controller.open() }
        .event("other-settings", "Other settings are shown") { controller, _ in controller.showOtherSettings()
        }
        .script(
            .environment("direction", "rtl"), .send("open"),
            .check("opened", ["HostA.direction": .matching, "HostB.direction": about]),
            .send("other-settings"),
            .check("replaced", ["HostA.direction": replaced, "HostB.direction": about]))
}

@MainActor let fc024 = windows(
    "fieldcases.fc-024", "A root view is replaced without its direction", .stale, .stale
) { WindowsController() }
@MainActor let fc024Fixed = windows(
    "fieldcases.fc-024-fixed", "Each root view comes with its direction", .matching, .matching
) { DirectingWindowsController() }
