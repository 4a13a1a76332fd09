import SeamKit

/// The repair of `HostingUnassigned`: one line.
final class HostingAssigned: Scenario {
    static let about = About(
        "lessons.hosting-assigned", title: "The root view is assigned again",
        summary: """
            The same screen and the same change of the model as in lessons.hosting-unassigned. This time the hosting \
            controller is given a new root view with the new state, and every field matches.
            """)
    static let parameters = HostingUnassigned.parameters

    static let screen = HostingUnassigned.screen
    static let embedding = Embedding(
        "host", title: "The hosted summary", on: screen, carrying: SummaryState.self
    ) { SummaryView(state: $0.state) }

    static let screens = [screen]
    static let bridges: [Bridge] = [embedding]
    static let events = [
        Event<HostingAssigned>("summaryDidChange", "The state changed, and the screen is told") { screen, _ in
            screen.summaryDidChange()
        }
    ]
    static let script: [Step] = [.set("openCount", 5), .assign("host"), .check("hosting-assigned")]
    static let checks = [
        Check(
            "hosting-assigned", of: screen,
            expecting: ["title": .matching, "openCount": .matching, "filter": .matching])
    ]

    @Model private var summary = SummaryState()
    private var host: HostingController<SummaryView>?

    init(_ parameters: Values) throws { summary.openCount = try parameters.value("openCount") }

    func start() throws {
        host = try HostingController(Self.embedding, rootView: SummaryView(state: summary))
    }

    func summaryDidChange() {
        host?.rootView = SummaryView(state: summary)
    }
}
