import SeamKit
import SwiftUI
import UIKit

struct SearchState {
    var listEmpty = true
}

@MainActor
private func search<Bar: UIViewRepresentable>(
    _ id: String, _ title: String, listEmpty verdict: Verdict, policies: [String] = [],
    _ bar: @escaping @MainActor (@escaping (SearchBarView) -> Void) -> Bar
) -> ScreenScenario<SearchState> {
    ScreenScenario(id, title: title, screen: "SearchBar", model: SearchState()) { $search in
        bar { [listEmpty = search.listEmpty] bar in
            let text = listEmpty ? "true" : "false"
            if bar.emptyLabel.text != text { bar.emptyLabel.text = text }
        }
    }
    .model(Key("listEmpty", \.listEmpty))
    .bridge(Bar.self, "searchBar", policies: policies)
    .script(.set("listEmpty", false), .check("list-filled", ["listEmpty": verdict]))
}

@MainActor let fc036 = search(
    "fieldcases.fc-036", "The customisation runs when the bar is made", listEmpty: .stale,
    policies: ["once-inputs=listEmpty"]
) { IntrospectedSearchBar(customize: $0) }
@MainActor let fc036Fixed = search(
    "fieldcases.fc-036-fixed", "The customisation runs at each update", listEmpty: .matching
) { UpdatedSearchBar(customize: $0) }

struct Article {
    var html = "H1"
}

@MainActor
private func web<Content: UIViewRepresentable>(
    _ id: String, _ title: String, html verdict: Verdict, policies: [String] = [],
    _ content: @escaping @MainActor (String) -> Content
) -> ScreenScenario<Article> {
    ScreenScenario(id, title: title, screen: "Web", model: Article()) { $article in content(article.html) }
        .model(Key("html", \.html))
        .bridge(Content.self, "web", policies: policies)
        .script(.set("html", "H2"), .check("other-article", ["html": verdict]))
}

@MainActor let fc038 = web(
    "fieldcases.fc-038", "The page is loaded when its view is made", html: .stale,
    policies: ["once-inputs=html"]
) { HTMLText(html: $0) }
@MainActor let fc038Fixed = web(
    "fieldcases.fc-038-fixed", "Another page is loaded by the update", html: .matching
) { ReloadingHTMLText(html: $0) }

struct Preview {
    var surface = "collapsed"
}

@MainActor
private func notification<Root: View>(
    _ id: String, _ title: String, surface verdict: Verdict, @ViewBuilder _ root: @escaping (String) -> Root
) -> ScreenScenario<Preview> {
    ScreenScenario(id, title: title, screen: "Notification", model: Preview()) { $preview in
        root(preview.surface)
    }
    .model(Key("surface", \.surface))
    .bridge(
        NotificationPreview.self, "notification",
        // The framework of the report: there the factory is all that reads this parameter.
        policies: ["once-inputs=surface", "host-detach=dispose", "teardown-order=disappear-first"]
    )
    .script(.set("surface", "expanded"), .check("expanded", ["surface": verdict]))
}

@MainActor let fc049 = notification(
    "fieldcases.fc-049", "The factory alone reads the parameter", surface: .stale
) { NotificationPreview(surface: $0) }
@MainActor let fc049Fixed = notification(
    "fieldcases.fc-049-fixed", "The parameter is the view's identity", surface: .matching
) { NotificationPreview(surface: $0).id($0) }
