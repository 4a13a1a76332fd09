import SwiftUI
import UIKit

struct CounterView: View {
    class State: ObservableObject {
        @Published var counter: Int?

        init(counter: Int?) { self.counter = counter }
    }

    @ObservedObject var state: State

    var body: some View {
        Text(state.counter.map { "Counter: \($0)" } ?? "No counter").accessibilityIdentifier("counter")
    }
}

class CounterHostingController: UIHostingController<CounterView> {
    var state = CounterView.State(counter: nil)

    required init?(coder: NSCoder) {
        super.init(coder: coder, rootView: CounterView(state: state))
    }

    func incrementCounter() {
        state.counter = state.counter.map { $0 + 1 } ?? 0
    }
}

class CounterScreen: UIViewController {
    // Captured while the segue is prepared, before anybody can press; as the storyboard's screens have it.
    var counterController: CounterHostingController!
    /// How often somebody has pressed: what the label should say.
    var count: Int?

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        switch segue.identifier {
        case "counterSegue": counterController = segue.destination as? CounterHostingController
        default: break
        }
    }

    func didPressIncreaseButton(_ sender: UIButton) {
        counterController.incrementCounter()
    }
}
