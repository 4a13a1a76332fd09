import SeamKit

/// An imperative screen hosts a declarative strip, and whoever changes the state forgets the root view.
final class HostingUnassigned: Scenario {
    static let about = About(
        "lessons.hosting-unassigned", title: "The root view is not assigned again",
        summary: """
            A hosting controller shows a summary of three open tasks. The model moves on to another count, and \
            nobody gives the controller a new root view: the strip keeps drawing the copy it was made with. No \
            error is raised anywhere; openCount is stale until the bridge "host" is assigned.
            """)
    static let parameters = [
        Parameter.integer("openCount", "Open tasks at the start", initial: 3, in: 0...1_000_000)
    ]

    static let screen = Screen("HostingController", .imperative, fields: ["title", "openCount", "filter"])
    static let embedding = Embedding(
        "host", title: "The hosted summary", on: screen, carrying: SummaryState.self
    ) { SummaryView(state: $0.state) }

    static let screens = [screen]
    static let bridges: [Bridge] = [embedding]
    static let events = [
        Event<HostingUnassigned>("summaryDidChange", "The state changed, and the screen is told") {
            screen, _ in
            screen.summaryDidChange()
        }
    ]
    static let script: [Step] = [.set("openCount", 5), .check("hosting-unassigned")]
    static let checks = [
        Check(
            "hosting-unassigned", of: screen,
            expecting: ["title": .matching, "openCount": .stale, "filter": .matching])
    ]

    @Model private var summary = SummaryState()
    private var host: HostingController<SummaryView>?

    init(_ parameters: Values) throws { summary.openCount = try parameters.value("openCount") }

    func start() throws {
        host = try HostingController(Self.embedding, rootView: SummaryView(state: summary))
    }

    func summaryDidChange() {
        // The line that carries the value is not there: host?.rootView = SummaryView(state: summary)
    }
}
