import SwiftUI
import UIKit

// Values that a tree inherits, and hosts where the inheritance ends.

// MARK: Pages that a view of UIKit makes when they are needed

@Observable
final class Theme {
    var name: String

    init(name: String) { self.name = name }
}

struct ThemedPage: View {
    @Environment(Theme.self) private var theme: Theme?

    var body: some View {
        if let theme { Text(theme.name).accessibilityIdentifier("theme") }
    }
}

final class LazyPagerView: UIView {
    let turn = UIButton(type: .system)

    override init(frame: CGRect) {
        super.init(frame: frame)
        turn.setTitle("Turn", for: .normal)
        addSubview(turn)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// A pager that makes a page when it is turned to.
struct LazyPager<Page: View>: UIViewRepresentable {
    let page: (Int) -> Page

    func makeCoordinator() -> Coordinator { Coordinator(page: page) }

    func makeUIView(context: Context) -> LazyPagerView {
        let view = LazyPagerView(frame: .zero)
        context.coordinator.view = view
        view.turn.addAction(
            UIAction { [coordinator = context.coordinator] _ in coordinator.load() }, for: .touchUpInside)
        return view
    }

    func updateUIView(_ view: LazyPagerView, context: Context) { context.coordinator.page = page }

    @MainActor
    final class Coordinator {
        var page: (Int) -> Page
        weak var view: LazyPagerView?
        private var hosts: [UIHostingController<Page>] = []

        init(page: @escaping (Int) -> Page) { self.page = page }

        func load() {
            let host = UIHostingController(rootView: page(hosts.count))
            hosts.append(host)
            view?.addSubview(host.view)
        }
    }
}

// MARK: A root view that is replaced in place

struct DirectionKey: EnvironmentKey {
    static let defaultValue = "ltr"
}

extension EnvironmentValues {
    var direction: String {
        get { self[DirectionKey.self] }
        set { self[DirectionKey.self] = newValue }
    }
}

struct DirectedText: View {
    @Environment(\.direction) private var direction

    var body: some View { Text(direction).accessibilityIdentifier("direction") }
}

/// The two windows of an app whose language is a setting of its own.
class WindowsController: UIViewController {
    var direction = "ltr"
    fileprivate var settings: SettingsHost?
    private var windows: [UIWindow] = []

    func open() {
        show(
            settings: SettingsHost(rootView: AnyView(DirectedText().environment(\.direction, direction))),
            about: AboutHost(rootView: AnyView(DirectedText())))
    }

    fileprivate func show(settings: SettingsHost, about: AboutHost) {
        self.settings = settings
        windows = [settings, about].map { root in
            let window = UIWindow(frame: .zero)
            window.rootViewController = root
            window.makeKeyAndVisible()
            return window
        }
    }

    func showOtherSettings() { settings?.rootView = AnyView(DirectedText()) }
}

final class SettingsHost: UIHostingController<AnyView> {}
final class AboutHost: UIHostingController<AnyView> {}

/// The repair: wherever a root view is handed over, it is handed over with the direction.
final class DirectingWindowsController: WindowsController {
    private func directed() -> AnyView { AnyView(DirectedText().environment(\.direction, direction)) }

    override func open() {
        show(settings: SettingsHost(rootView: directed()), about: AboutHost(rootView: directed()))
    }

    override func showOtherSettings() { settings?.rootView = directed() }
}
