import SeamKit
import SwiftUI
import UIKit

struct PageState {
    var text = "one"
}

@MainActor
private func pages<Container: UIViewControllerRepresentable>(
    _ id: String, _ title: String, text verdict: Verdict,
    _ container: @escaping @MainActor ([TextPage]) -> Container
) -> ScreenScenario<PageState> {
    ScreenScenario(id, title: title, screen: "Page", model: PageState()) { $state in
        container([TextPage(text: $state.text)])
    }
    .model(Key("text", \.text))
    .bridge(UIHostingController<TextPage>.self, "page")
    .bridge(Container.self, "pages", inputs: [])
    .script(.tap("Next text"), .check("next-text", ["text": verdict]))
}

@MainActor let fc006 =
    pages("fieldcases.fc-006", "The container's update skips its only page", text: .stale) {
        Pages(pages: $0)
    }
@MainActor let fc006Fixed =
    pages("fieldcases.fc-006-fixed", "The container's update gives each page what is new", text: .matching) {
        CompletePages(pages: $0)
    }

struct PanelState {
    var body = "A"
}

@MainActor
private func panel<Panel: UIViewControllerRepresentable>(
    _ id: String, _ title: String, body verdict: Verdict,
    _ panel: @escaping @MainActor (PanelContent) -> Panel
) -> ScreenScenario<PanelState> {
    ScreenScenario(id, title: title, screen: "Panel", model: PanelState()) { $state in
        panel(PanelContent(text: state.body))
    }
    .model(Key("body", \.body))
    .bridge(Panel.self, "panel")
    .bridge(UIHostingController<PanelContent>.self, "content", inputs: [])
    .script(.set("body", "B"), .check("other-content", ["body": verdict]))
}

@MainActor let fc008 =
    panel("fieldcases.fc-008", "The panel forgets the host that it has made", body: .stale) {
        FloatingPanel(content: $0)
    }
@MainActor let fc008Fixed =
    panel("fieldcases.fc-008-fixed", "The coordinator keeps the host", body: .matching) {
        KeepingFloatingPanel(content: $0)
    }

struct SandwichState {
    var text = "A"
}

@MainActor
private func sandwich<Stub: View, Content: View>(
    _ id: String, _ title: String, leaf verdict: Verdict, _ content: Content.Type,
    _ stub: @escaping (String) -> Stub
) -> ScreenScenario<SandwichState> {
    ScreenScenario(id, title: title, screen: "Root", model: SandwichState()) { $state in
        Sandwich(text: state.text, stub: stub)
    }
    .model(Key("text", \.text))
    .bridge(Sandwich<Stub>.self, "root")
    .bridge(Stub.self, "stub", inputs: [])
    .bridge(UIHostingController<Content>.self, "leaf", on: "Leaf")
    // The framework of the report draws once a frame, and its views read what they read in their update.
    .policies("draw=frame", "reads=update", "on-return=attach-first", "teardown-order=disappear-first")
    .script(.set("text", "B"), .check("rendered", ["Root.text": .matching, "Leaf.text": verdict]))
}

@MainActor let fc029 = sandwich(
    "fieldcases.fc-029", "The innermost tree does not hear of a rendering", leaf: .stale, Leaf.self
) { ViewStub(text: $0) }
@MainActor let fc029Fixed = sandwich(
    "fieldcases.fc-029-fixed", "The innermost tree observes its rendering", leaf: .matching,
    ObservingLeaf.self
) { LinkedViewStub(text: $0) }
