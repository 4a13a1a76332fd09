import SeamKit
import SwiftUI
import UIKit

struct Hub {
    var unread = 0
}

@MainActor
private func hub<Child: View>(
    _ id: String, _ title: String, bar verdict: Verdict,
    _ child: @escaping (Int, @escaping (String) -> Void) -> Child
) -> ScreenScenario<Hub> {
    ScreenScenario(id, title: title, screen: "Hub", model: Hub()) { $hub in
        HubScreen(unread: hub.unread, child: child)
    }
    .model { ["navItem": $0.unread > 0 ? "mark-read" : "none"] }
    .bridge(HubScreen<Child>.self, inputs: [])
    .bridge(Child.self, "inbox", on: "Child")
    .bridge(Bar.self, "bar", on: "Bar")
    .event("receive", "Two messages come") { hub, _ in hub.unread += 2 }
    .script(
        .check("empty", ["Child.navItem": .matching, "Bar.navItem": .matching]), .send("receive"),
        .check("received", ["Child.navItem": .matching, "Bar.navItem": verdict]))
}

@MainActor let fc020 =
    hub("fieldcases.fc-020", "The bar has copied the item once", bar: .stale) {
        Inbox(unread: $0, showItem: $1)
    }
@MainActor let fc020Fixed =
    hub("fieldcases.fc-020-fixed", "The bar is handed each item", bar: .matching) {
        ObservedInbox(unread: $0, showItem: $1)
    }
