import SwiftUI
import UIKit

// Hosts inside a container of UIKit, inside a declarative screen.

// MARK: A pager whose update has nothing to do for a single page

struct TextPage: View {
    @Binding var text: String

    var body: some View {
        VStack {
            Text(text).accessibilityIdentifier("text")
            Button("Next text") { text = "two" }
        }
    }
}

final class PagesController<Page: View>: UIViewController {
    let hosts: [UIHostingController<Page>]

    init(pages: [Page]) {
        hosts = pages.map { UIHostingController(rootView: $0) }
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        for host in hosts {
            addChild(host)
            view.addSubview(host.view)
            host.didMove(toParent: self)
        }
    }
}

struct Pages<Page: View>: UIViewControllerRepresentable {
    let pages: [Page]

    func makeUIViewController(context: Context) -> PagesController<Page> { PagesController(pages: pages) }

    func updateUIViewController(_ controller: PagesController<Page>, context: Context) {
        // Nowhere to page to.
        guard pages.count > 1 else { return }
        for (host, page) in zip(controller.hosts, pages) { host.rootView = page }
    }
}

struct CompletePages<Page: View>: UIViewControllerRepresentable {
    let pages: [Page]

    func makeUIViewController(context: Context) -> PagesController<Page> { PagesController(pages: pages) }

    func updateUIViewController(_ controller: PagesController<Page>, context: Context) {
        for (host, page) in zip(controller.hosts, pages) { host.rootView = page }
    }
}

// MARK: A panel that forgets the host that it has made

struct PanelContent: View {
    let text: String

    var body: some View { Text(text).accessibilityIdentifier("body") }
}

final class PanelController: UIViewController {
    func set(contentViewController content: UIViewController) {
        children.forEach { $0.removeFromParent() }
        addChild(content)
        view.addSubview(content.view)
        content.didMove(toParent: self)
    }
}

struct FloatingPanel: UIViewControllerRepresentable {
    let content: PanelContent

    func makeUIViewController(context: Context) -> PanelController {
        let panel = PanelController()
        panel.set(contentViewController: UIHostingController(rootView: content))
        return panel
    }

    func updateUIViewController(_ panel: PanelController, context: Context) {}
}

struct KeepingFloatingPanel: UIViewControllerRepresentable {
    let content: PanelContent

    func makeCoordinator() -> Coordinator { Coordinator() }

    func makeUIViewController(context: Context) -> PanelController {
        let panel = PanelController()
        let host = UIHostingController(rootView: content)
        context.coordinator.host = host
        panel.set(contentViewController: host)
        return panel
    }

    func updateUIViewController(_ panel: PanelController, context: Context) {
        context.coordinator.host?.rootView = content
    }

    @MainActor
    final class Coordinator {
        var host: UIHostingController<PanelContent>?
    }
}

// MARK: A tree of the new kind in a view of the old kind in a tree of the new kind

/// What the innermost tree draws. Nobody has linked the two: a write is no change to it.
final class Rendering {
    var text = ""
}

struct Leaf: View {
    let rendering: Rendering

    var body: some View { Text(rendering.text).accessibilityIdentifier("text") }
}

struct ViewStub: UIViewControllerRepresentable {
    let text: String

    func makeCoordinator() -> Rendering { Rendering() }

    func makeUIViewController(context: Context) -> UIViewController {
        context.coordinator.text = text
        return UIHostingController(rootView: Leaf(rendering: context.coordinator))
    }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        context.coordinator.text = text
    }
}

/// The repair: a rendering that is observed.
final class ObservedRendering: ObservableObject {
    @Published var text = ""
}

struct ObservingLeaf: View {
    @ObservedObject var rendering: ObservedRendering

    var body: some View { Text(rendering.text).accessibilityIdentifier("text") }
}

struct LinkedViewStub: UIViewControllerRepresentable {
    let text: String

    func makeCoordinator() -> ObservedRendering { ObservedRendering() }

    func makeUIViewController(context: Context) -> UIViewController {
        context.coordinator.text = text
        return UIHostingController(rootView: ObservingLeaf(rendering: context.coordinator))
    }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        if context.coordinator.text != text { context.coordinator.text = text }
    }
}

struct Sandwich<Stub: View>: View {
    let text: String
    let stub: (String) -> Stub

    var body: some View {
        VStack {
            Text(text).accessibilityIdentifier("text")
            stub(text)
        }
    }
}
