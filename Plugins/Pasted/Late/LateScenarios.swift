import SeamKit
import UIKit

@MainActor let late =
    ScreenScenario("pasted.late", title: "Late work: what belongs to the turn, and what is real time") {
        LateController()
    }
    .model {
        ["queueLabel": $0.word, "taskLabel": $0.word, "timedLabel": $0.word, "sleptLabel": $0.word]
    }
    .event("change", "The word is another, and the screen is told") { screen, _ in
        screen.word = "two"
        screen.wordDidChange()
    }
    .event("wait", "Two pieces of work are given to the clock") { screen, _ in screen.wait() }
    .script(
        .check("late-start", ["queueLabel": .matching, "taskLabel": .matching, "timedLabel": .missing]),
        .send("change"), .check("late-changed", ["queueLabel": .matching, "taskLabel": .matching]))

@MainActor let loading =
    ScreenScenario("pasted.loading", title: "A task begins with each appearance of its view") {
        VisitsController()
    }
    .model { ["loads": $0.visits.appearances] }
    .event("openDetails", "Another screen is pushed over this one") { screen, _ in screen.openDetails() }
    .event("goBack", "The other screen is taken off") { screen, _ in screen.popViewController(animated: true)
    }
    .script(
        .check("loading-start", ["loads": .matching]), .send("openDetails"),
        .check("loading-covered", ["loads": .missing]), .send("goBack"),
        .check("loading-back", ["loads": .matching]))
