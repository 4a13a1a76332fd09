import SeamKit

/// The strip at the top of a task screen: what the model says it should show.
struct SummaryState: ModelState {
    var title = "Tasks"
    var openCount = 3
    var filter = "open"

    static var keys: [Key<Self>] {
        [Key("title", \.title), Key("openCount", \.openCount), Key("filter", \.filter)]
    }
}

/// The same strip, drawn. It holds a copy of the state: a later change reaches it only as another
/// `SummaryView`.
struct SummaryView: View {
    let state: SummaryState

    var body: some View {
        Field("title", state.title)
        Field("openCount", state.openCount)
        Field("filter", state.filter)
    }
}
