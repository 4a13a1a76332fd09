import SwiftUI
import UIKit

/// How often a screen has appeared, and how often its task has begun.
@MainActor
final class Visits: ObservableObject {
    var appearances = 0
    @Published var loads = 0
}

struct VisitedView: View {
    @ObservedObject var visits: Visits

    var body: some View {
        Text("\(visits.loads)").accessibilityIdentifier("loads")
            .onAppear { visits.appearances += 1 }
            .task { visits.loads += 1 }
    }
}

/// Pushes another screen over the one that loads.
final class VisitsController: UINavigationController {
    let visits = Visits()

    init() {
        super.init(nibName: nil, bundle: nil)
        viewControllers = [UIHostingController(rootView: VisitedView(visits: visits))]
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    func openDetails() { pushViewController(UIViewController(), animated: true) }
}
