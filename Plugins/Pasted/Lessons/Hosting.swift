import SwiftUI
import UIKit

struct SummaryState {
    var title = "Tasks"
    var openCount = 3
    var filter = "open"
}

/// The strip at the top of a task screen, with a copy of the state.
struct SummaryView: View {
    let state: SummaryState

    var body: some View {
        VStack {
            Text(state.title).accessibilityIdentifier("title")
            Text("\(state.openCount)").accessibilityIdentifier("openCount")
            Text(state.filter).accessibilityIdentifier("filter")
        }
    }
}

/// The screen below the strip, which has known the strip since it was loaded.
class TaskController: UIViewController {
    var summary = SummaryState()
    var host: UIHostingController<SummaryView>!

    override func viewDidLoad() {
        super.viewDidLoad()
        host = UIHostingController(rootView: SummaryView(state: summary))
        addChild(host)
        view.addSubview(host.view)
        host.didMove(toParent: self)
    }

    /// The line that would carry the value is not there.
    func summaryDidChange() {}
}

/// The repair.
final class AssigningTaskController: TaskController {
    override func summaryDidChange() {
        host.rootView = SummaryView(state: summary)
    }
}

/// The strip with a part that folds. Whether it is open is the strip's own affair: the screen below never said.
struct FoldingSummaryView: View {
    let state: SummaryState
    @State private var isExpanded = false

    var body: some View {
        VStack {
            SummaryView(state: state)
            Button {
                isExpanded.toggle()
            } label: {
                EmptyView()
            }
            .accessibilityIdentifier("fold")
            if isExpanded { Divider() }
        }
    }
}

final class FoldingTaskController: UIViewController {
    var summary = SummaryState(openCount: 5)

    override func viewDidLoad() {
        super.viewDidLoad()
        let host = UIHostingController(rootView: FoldingSummaryView(state: summary))
        addChild(host)
        view.addSubview(host.view)
        host.didMove(toParent: self)
    }
}
