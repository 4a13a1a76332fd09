import SeamKit
import SwiftUI
import UIKit

@MainActor
private func calendar<Content: View>(
    _ id: String, _ title: String, derived verdict: Verdict, _ content: @escaping @MainActor (Day) -> Content
) -> ScreenScenario<CalendarController<Content>> {
    ScreenScenario(id, title: title, screen: "Cell") {
        CalendarController(day: Day(id: 3)) { content($0) }
    }
    .model { ["text": $0.day.id, "derived": $0.day.id] }
    // What a view derives for itself is carried by nobody.
    .bridge(UIHostingController<Content>.self, "day", inputs: ["text"])
    .event("scroll", "The cell is given to another day") { calendar, _ in calendar.scroll(to: Day(id: 19)) }
    .script(
        .check("first-day", ["text": .matching, "derived": .matching]), .send("scroll"),
        .check("recycled", ["text": .matching, "derived": verdict]))
}

@MainActor let fc010 = calendar(
    "fieldcases.fc-010", "A recycled cell keeps what its appearing derived", derived: .stale
) { DayView(day: $0) }
@MainActor let fc010Fixed = calendar(
    "fieldcases.fc-010-fixed", "Each day is a view of its own", derived: .matching
) { IdentifiedDayView(day: $0) }

@MainActor
private func feed(
    _ id: String, _ title: String, sameStep verdict: Verdict,
    _ cell: @escaping @MainActor (Row) -> MeasuringCell
) -> ScreenScenario<FeedController> {
    ScreenScenario(id, title: title, screen: "Cell") {
        FeedController(row: Row(id: 1, text: "long", height: 80)) { cell($0) }
    }
    .model { ["text": $0.row.text, "height": $0.row.height] }
    .bridge(UIHostingController<RowView>.self, "row", inputs: ["text"], policies: ["draw=layout"])
    .event("recycle", "The cell is given to a short row") { feed, _ in
        feed.recycle(for: Row(id: 2, text: "short", height: 20))
    }
    .script(
        .send("recycle"), .check("@same-step", ["height": verdict]),
        .check("turn-end", ["text": .matching, "height": .matching]))
}

@MainActor let fc011 = feed(
    "fieldcases.fc-011", "The size is asked for before the content is drawn", sameStep: .stale
) { MeasuringCell(row: $0) }
@MainActor let fc011Fixed = feed(
    "fieldcases.fc-011-fixed", "The content is laid out before its size is asked for", sameStep: .matching
) { LaidOutCell(row: $0) }

struct Chat {
    var message = ChatMessage(id: 7)
}

@MainActor
private func chat<Cell: UIViewRepresentable>(
    _ id: String, _ title: String, _ cell: @escaping @MainActor (ChatMessage) -> Cell
) -> ScreenScenario<Chat> {
    ScreenScenario(id, title: title, screen: "Cell", model: Chat()) { $chat in cell(chat.message) }
        .model { ["item": $0.message.id] }
        .bridge(Cell.self, "cell")
        .script(
            .updateFor("cell", reason: "unrelated"), .updateFor("cell", reason: "focus"),
            .check("focused", ["item": .matching]))
}

@MainActor let fc012 = chat("fieldcases.fc-012", "Each state of the cell has a content of its own") {
    ChatCell(message: $0)
}
@MainActor let fc012Fixed = chat("fieldcases.fc-012-fixed", "Another item alone has another content") {
    RememberingChatCell(message: $0)
}
