import SeamKit

/// Where the measurement ends: what a declarative view keeps for itself is on neither side.
final class OwnState: Scenario {
    /// The strip with a part that folds. Whether it is open is the view's own affair: the model never said.
    struct FoldingSummaryView: View {
        let state: SummaryState
        let isExpanded: Bool

        var body: some View {
            SummaryView(state: state)
            if isExpanded { EmptyView() }
        }
    }

    static let about = About(
        "lessons.own-state", title: "What the declarative view keeps for itself",
        summary: """
            The hosted strip can be folded open, which is the view's own state. The model has no value for it and no \
            code writes it to the screen, so isExpanded is out of scope and is not counted: a count of matching \
            fields speaks of the fields that were written, and of no others.
            """)
    static let parameters = [
        Parameter.integer("openCount", "Open tasks at the start", initial: 5, in: 0...1_000_000)
    ]

    static let screen = Screen(
        "HostingController", .imperative, fields: ["title", "openCount", "filter", "isExpanded"])
    static let embedding = Embedding(
        "host", title: "The hosted summary", on: screen, carrying: SummaryState.self
    ) { FoldingSummaryView(state: $0.state, isExpanded: false) }

    static let screens = [screen]
    static let bridges: [Bridge] = [embedding]
    static let events = [
        Event<OwnState>("toggle", "Somebody folds the strip open or shut") { screen, _ in screen.toggle() }
    ]
    static let script: [Step] = [.check("own-state")]
    static let checks = [
        Check("own-state", of: screen, expecting: ["openCount": .matching, "isExpanded": .outOfScope])
    ]

    @Model private var summary = SummaryState()
    private var host: HostingController<FoldingSummaryView>?

    init(_ parameters: Values) throws { summary.openCount = try parameters.value("openCount") }

    func start() throws {
        host = try HostingController(
            Self.embedding, rootView: FoldingSummaryView(state: summary, isExpanded: false))
    }

    func toggle() {
        guard let host else { return }
        host.rootView = FoldingSummaryView(state: host.rootView.state, isExpanded: !host.rootView.isExpanded)
    }
}
