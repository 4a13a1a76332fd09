import SeamKit
import SwiftUI
import UIKit

@MainActor
private func words(_ count: Int?) -> String { count.map { "Counter: \($0)" } ?? "No counter" }

@MainActor
private func counting<Screen: CounterScreen>(
    _ name: String, _ title: String, _ host: UIViewController.Type, segue: String = "counterSegue",
    _ screen: Screen.Type
) -> ScreenScenario<Screen> {
    ScreenScenario("pasted.counter-\(name)", title: title, screen: "CounterHostingController") {
        UIStoryboard().embed(host, in: Screen.self, segue: segue).instantiate(Screen.self)
    }
    .model { ["counter": words($0.count)] }
    .bridge(host, "host")
    .event("increase", "The button is pressed") { screen, _ in
        screen.count = screen.count.map { $0 + 1 } ?? 0
        screen.didPressIncreaseButton(UIButton())
    }
}

@MainActor let counterObserved =
    counting("observed", "The view observes the state", CounterHostingController.self, CounterScreen.self)
    .script(
        .send("increase"), .check("observed-once", ["counter": .matching]), .send("increase"),
        .check("observed-twice", ["counter": .matching]))
