import SeamKit
import SwiftUI
import UIKit

struct Book {
    var titles = ["c1", "c2", "c3"]
    var page = "c1"
    var next: String? {
        guard let index = titles.firstIndex(of: page), titles.indices.contains(index + 1) else { return nil }
        return titles[index + 1]
    }
}

@MainActor
private func book<Pages: UIViewControllerRepresentable>(
    _ id: String, _ title: String, next verdict: Verdict,
    _ pages: @escaping @MainActor ([NamedPageController], Binding<String>) -> Pages
) -> ScreenScenario<Book> {
    ScreenScenario(id, title: title, screen: "Pager", model: Book()) { $book in
        pages(book.titles.map { NamedPageController(name: $0) }, $book.page)
    }
    .model { ["page": $0.page, "next": $0.next] }
    .bridge(Pages.self, "pager", inputs: ["page"])
    .event("reload", "Other pages are there") { book, _ in
        book = Book(titles: ["d1", "d2", "d3"], page: "d1")
    }
    .script(
        .send("reload"), .turn("pages", to: "next"),
        .check("swiped", ["page": .matching, "next": verdict]))
}

@MainActor let fc052 = book(
    "fieldcases.fc-052", "The coordinator looks a new page up in the old ones", next: .missing
) { NamedPages(controllers: $0, page: $1) }
@MainActor let fc052Fixed = book(
    "fieldcases.fc-052-fixed", "The coordinator's copy is renewed first", next: .matching
) { RenewingNamedPages(controllers: $0, page: $1) }

struct Diary {
    var events = ["rain", "sun"]
}

@MainActor
private func diary<Table: UIViewRepresentable>(
    _ id: String, _ title: String, rowCount verdict: Verdict,
    _ table: @escaping @MainActor ([String]) -> Table
) -> ScreenScenario<Diary> {
    ScreenScenario(id, title: title, screen: "Table", model: Diary()) { $diary in table(diary.events) }
        .model { ["rowCount": $0.events.count, "latest": $0.events.last] }
        // How many rows there are is what the table counts.
        .bridge(Table.self, "table", inputs: ["latest"])
        .fields("\(Table.self).textLabel-2", "\(Table.self).textLabel-3")
        .event("fetch", "Two more events are there") { diary, _ in diary.events += ["wind", "snow"] }
        .script(.send("fetch"), .check("reloaded", ["rowCount": verdict]))
}

@MainActor let fc054 = diary(
    "fieldcases.fc-054", "The table is reloaded from the old rows", rowCount: .stale
) { EventTable(events: $0) }
@MainActor let fc054Fixed = diary(
    "fieldcases.fc-054-fixed", "The coordinator's copy is renewed before the reload", rowCount: .matching
) { RenewingEventTable(events: $0) }
