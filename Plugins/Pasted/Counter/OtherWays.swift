import SwiftUI
import UIKit

// The other ways for a press to reach the label: one that forgets the view, one that never gets there, and three that
// work at a price. Each `!` is a controller that is captured while the segue is prepared, before anybody can press.

// MARK: The view got a copied value

struct CopiedCounterView: View {
    var counter: Int?

    var body: some View {
        Text(counter.map { "Counter: \($0)" } ?? "No counter").accessibilityIdentifier("counter")
    }
}

class CopiedCounterController: UIHostingController<CopiedCounterView> {
    var counter: Int?

    required init?(coder: NSCoder) {
        super.init(coder: coder, rootView: CopiedCounterView(counter: nil))
    }

    /// The line that would carry the number is not there: rootView = CopiedCounterView(counter: counter)
    func incrementCounter() { counter = counter.map { $0 + 1 } ?? 0 }
}

final class CopiedCounterScreen: CounterScreen {
    private var copied: CopiedCounterController!

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        copied = segue.destination as? CopiedCounterController
    }

    override func didPressIncreaseButton(_ sender: UIButton) { copied.incrementCounter() }
}

// MARK: The controller was never captured

final class UncapturedCounterScreen: CounterScreen {
    override func didPressIncreaseButton(_ sender: UIButton) { counterController?.incrementCounter() }
}

// MARK: The count is sent by notification

extension Notification.Name {
    static let counterIncreased = Notification.Name("counterIncreased")
}

final class NotifiedCounterController: CopiedCounterController {
    private var observer: (any NSObjectProtocol)?

    required init?(coder: NSCoder) {
        super.init(coder: coder)
        observer = NotificationCenter.default.addObserver(
            forName: .counterIncreased, object: nil, queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.incrementCounter() }
        }
    }

    isolated deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    override func incrementCounter() {
        super.incrementCounter()
        rootView = CopiedCounterView(counter: counter)
    }
}

final class NotifyingCounterScreen: CounterScreen {
    override func didPressIncreaseButton(_ sender: UIButton) {
        NotificationCenter.default.post(name: .counterIncreased, object: nil)
    }
}

// MARK: The state comes from the environment

struct EnvironmentCounterView: View {
    @EnvironmentObject var state: CounterView.State

    var body: some View {
        Text(state.counter.map { "Counter: \($0)" } ?? "No counter").accessibilityIdentifier("counter")
    }
}

final class EnvironmentCounterController: UIHostingController<AnyView> {
    required init?(coder: NSCoder) { super.init(coder: coder, rootView: AnyView(EmptyView())) }
}

final class ProvidingCounterScreen: CounterScreen {
    private let state = CounterView.State(counter: nil)

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        guard let destination = segue.destination as? EnvironmentCounterController else { return }
        destination.rootView = AnyView(EnvironmentCounterView().environmentObject(state))
    }

    override func didPressIncreaseButton(_ sender: UIButton) {
        state.counter = state.counter.map { $0 + 1 } ?? 0
    }
}

// MARK: The view is handed the controller

struct ControllerCounterView: View {
    @ObservedObject var controller: ObservedCounterController

    var body: some View {
        Text(controller.counter.map { "Counter: \($0)" } ?? "No counter").accessibilityIdentifier("counter")
    }
}

final class ObservedCounterController: UIHostingController<AnyView>, ObservableObject {
    @Published var counter: Int?

    required init?(coder: NSCoder) {
        super.init(coder: coder, rootView: AnyView(EmptyView()))
        rootView = AnyView(ControllerCounterView(controller: self))
    }
}

final class ControllerCounterScreen: CounterScreen {
    private var observed: ObservedCounterController!

    // The controller holds the view, and the view the controller.
    isolated deinit { observed?.rootView = AnyView(EmptyView()) }

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        observed = segue.destination as? ObservedCounterController
    }

    override func didPressIncreaseButton(_ sender: UIButton) {
        observed.counter = observed.counter.map { $0 + 1 } ?? 0
    }
}
