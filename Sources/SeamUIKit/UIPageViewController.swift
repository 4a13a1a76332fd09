@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UIPageViewControllerDataSource: AnyObject {
    func pageViewController(
        _ pageViewController: UIPageViewController, viewControllerBefore viewController: UIViewController
    ) -> UIViewController?
    func pageViewController(
        _ pageViewController: UIPageViewController, viewControllerAfter viewController: UIViewController
    ) -> UIViewController?
}

@MainActor
@preconcurrency
public protocol UIPageViewControllerDelegate: AnyObject {
    func pageViewController(
        _ pageViewController: UIPageViewController, didFinishAnimating finished: Bool,
        previousViewControllers: [UIViewController], transitionCompleted completed: Bool)
}

extension UIPageViewControllerDelegate {
    public func pageViewController(
        _ pageViewController: UIPageViewController, didFinishAnimating finished: Bool,
        previousViewControllers: [UIViewController], transitionCompleted completed: Bool
    ) {}
}

/// One page at a time. Which page comes next is asked of the data source: when a page is there, and when somebody swipes.
@MainActor
@preconcurrency
open class UIPageViewController: UIViewController {
    public enum TransitionStyle: Sendable { case pageCurl, scroll }
    public enum NavigationOrientation: Sendable { case horizontal, vertical }
    public enum NavigationDirection: Sendable { case forward, reverse }
    public struct OptionsKey: Hashable, Sendable {
        let rawValue: String
        public static let interPageSpacing = OptionsKey(rawValue: "interPageSpacing")
    }

    public weak var dataSource: (any UIPageViewControllerDataSource)?
    public weak var delegate: (any UIPageViewControllerDelegate)?
    public private(set) var viewControllers: [UIViewController]? = []

    public init(
        transitionStyle style: TransitionStyle, navigationOrientation: NavigationOrientation,
        options: [OptionsKey: Any]? = nil
    ) { super.init(nibName: nil, bundle: nil) }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open func setViewControllers(
        _ viewControllers: [UIViewController]?, direction: NavigationDirection, animated: Bool,
        completion: ((Bool) -> Void)? = nil
    ) {
        show(viewControllers ?? [])
        completion?(true)
    }

    private func show(_ pages: [UIViewController]) {
        for page in viewControllers ?? [] where !pages.contains(where: { $0 === page }) {
            page.willMove(toParent: nil)
            page.viewIfLoaded?.removeFromSuperview()
            page.removeFromParent()
        }
        for page in pages where page.parent !== self {
            addChild(page)
            view.addSubview(page.view)
            page.didMove(toParent: self)
        }
        viewControllers = pages
        // The pages beside it are made ready.
        _ = neighbour(after: true)
        _ = neighbour(after: false)
    }

    private func neighbour(after: Bool) -> UIViewController? {
        guard let dataSource, let page = viewControllers?.last else { return nil }
        viewIfLoaded?.surface?.asks(dataSource)
        return after
            ? dataSource.pageViewController(self, viewControllerAfter: page)
            : dataSource.pageViewController(self, viewControllerBefore: page)
    }

    /// Somebody swipes: "next" or "previous".
    private func swipe(_ direction: String) {
        let before = viewControllers ?? []
        guard let page = neighbour(after: direction != "previous") else { return }
        show([page])
        delegate?.pageViewController(
            self, didFinishAnimating: true, previousViewControllers: before, transitionCompleted: true)
    }

    open override func _control() -> Control? {
        let control = Control()
        control.names = [viewIfLoaded?.accessibilityIdentifier, "pages"].compactMap { $0 }
        control.set = { [weak self] direction in self?.swipe(direction) }
        control.parts = { [weak self] in self?.viewIfLoaded?._control().map { [$0] } ?? [] }
        return control
    }
}
