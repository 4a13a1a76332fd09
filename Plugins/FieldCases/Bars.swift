import SwiftUI
import UIKit

// A bar above that shows what a controller below has to offer.

final class InboxController: UIViewController {
    private let itemLabel = UILabel()
    /// Called with each item that comes to be there.
    var itemDidChange: ((String) -> Void)?

    private(set) var item = "none" {
        didSet {
            itemLabel.text = item
            itemDidChange?(item)
        }
    }

    var unread = 0 {
        didSet { if oldValue != unread { item = unread > 0 ? "mark-read" : "none" } }
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        itemLabel.accessibilityIdentifier = "navItem"
        itemLabel.text = item
        view.addSubview(itemLabel)
    }
}

/// The bar is told of the item once, when the controller is there.
struct Inbox: UIViewControllerRepresentable {
    let unread: Int
    let showItem: (String) -> Void

    func makeUIViewController(context: Context) -> InboxController {
        let controller = InboxController()
        DispatchQueue.main.async { showItem(controller.item) }
        return controller
    }

    func updateUIViewController(_ controller: InboxController, context: Context) {
        controller.unread = unread
    }
}

/// The repair: each item is handed up.
struct ObservedInbox: UIViewControllerRepresentable {
    let unread: Int
    let showItem: (String) -> Void

    func makeUIViewController(context: Context) -> InboxController {
        let controller = InboxController()
        controller.itemDidChange = { item in DispatchQueue.main.async { showItem(item) } }
        DispatchQueue.main.async { showItem(controller.item) }
        return controller
    }

    func updateUIViewController(_ controller: InboxController, context: Context) {
        controller.unread = unread
    }
}

struct Bar: UIViewRepresentable {
    let item: String

    func makeUIView(context: Context) -> UIButton {
        let button = UIButton(type: .system)
        button.accessibilityIdentifier = "navItem"
        return button
    }

    func updateUIView(_ button: UIButton, context: Context) {
        if button.title(for: .normal) != item { button.setTitle(item, for: .normal) }
    }
}

struct HubScreen<Child: View>: View {
    let unread: Int
    let child: (Int, @escaping (String) -> Void) -> Child
    @State private var item = "none"

    var body: some View {
        VStack {
            Bar(item: item)
            child(unread) { item = $0 }
        }
    }
}
