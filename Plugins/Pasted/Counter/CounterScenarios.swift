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

@MainActor let counterCopied =
    counting("copied", "The view got a copied value", CopiedCounterController.self, CopiedCounterScreen.self)
    .script(.send("increase"), .send("increase"), .check("copied", ["counter": .stale]))

@MainActor let counterNotCaptured =
    counting(
        "not-captured", "The controller was never captured", CounterHostingController.self,
        segue: "embedCounter", UncapturedCounterScreen.self
    )
    .script(.send("increase"), .send("increase"), .check("not-captured", ["counter": .stale]))

@MainActor let counterNotification = twice(
    "notification", "The count is sent by notification", NotifiedCounterController.self,
    NotifyingCounterScreen.self)
@MainActor let counterEnvironment = twice(
    "environment", "The state comes from the environment", EnvironmentCounterController.self,
    ProvidingCounterScreen.self)
@MainActor let counterController = twice(
    "controller", "The view is handed the controller", ObservedCounterController.self,
    ControllerCounterScreen.self)

@MainActor
private func twice<Screen: CounterScreen>(
    _ name: String, _ title: String, _ host: UIViewController.Type, _ screen: Screen.Type
) -> ScreenScenario<Screen> {
    counting(name, title, host, screen)
        .script(
            .send("increase"), .check("\(name)-once", ["counter": .matching]), .send("increase"),
            .check("\(name)-twice", ["counter": .matching]))
}
