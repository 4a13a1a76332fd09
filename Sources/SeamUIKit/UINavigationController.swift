@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UINavigationControllerDelegate: AnyObject {
    func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController,
        animated: Bool)
    func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController,
        animated: Bool)
}

extension UINavigationControllerDelegate {
    public func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController,
        animated: Bool
    ) {}
    public func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController,
        animated: Bool
    ) {}
}

/// A stack of screens, the last of which is in the window. Somebody who taps "Back" takes that one off.
@MainActor
@preconcurrency
open class UINavigationController: UIViewController {
    private var stack: [UIViewController] = []
    public weak var delegate: (any UINavigationControllerDelegate)?
    open private(set) lazy var navigationBar = UINavigationBar()
    open private(set) lazy var toolbar = UIToolbar()
    open private(set) lazy var interactivePopGestureRecognizer: UIGestureRecognizer? = UIGestureRecognizer()
    open var isToolbarHidden = true
    open func setToolbarHidden(_ hidden: Bool, animated: Bool) { isToolbarHidden = hidden }
    open var isNavigationBarHidden = false
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) { isNavigationBarHidden = hidden }

    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        addChild(rootViewController)
        stack = [rootViewController]
        rootViewController.didMove(toParent: self)
    }

    public override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open override func loadView() {
        super.loadView()
        if let top = topViewController { viewIfLoaded?.addSubview(top.view) }
    }

    open var viewControllers: [UIViewController] {
        get { stack }
        set { setViewControllers(newValue, animated: false) }
    }
    public var topViewController: UIViewController? { stack.last }
    public var visibleViewController: UIViewController? {
        presentedLast ?? topViewController
    }

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        guard !stack.contains(where: { $0 === viewController }) else { return }
        change(to: stack + [viewController], animated: animated)
    }

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard stack.count > 1 else { return nil }
        return change(to: Array(stack.dropLast()), animated: animated).last
    }

    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        change(to: Array(stack.prefix(1)), animated: animated)
    }

    @discardableResult
    open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
        guard let place = stack.firstIndex(where: { $0 === viewController }) else { return nil }
        return change(to: Array(stack[...place]), animated: animated)
    }

    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        change(to: viewControllers, animated: animated)
    }

    open override func show(_ viewController: UIViewController, sender: Any?) {
        pushViewController(viewController, animated: true)
    }

    /// The former top goes and the new one comes, each half of the one before the same half of the other. Both are
    /// in the window until the end.
    @discardableResult
    private func change(to new: [UIViewController], animated: Bool) -> [UIViewController] {
        Instance.current?.finishMoves()
        let (old, former) = (stack, topViewController)
        let leaving = old.filter { one in !new.contains { $0 === one } }
        let coming = new.filter { one in !old.contains { $0 === one } }
        stack = new
        for one in coming {
            one.isMovingToParent = true
            addChild(one)
        }
        for one in leaving {
            one.isMovingFromParent = true
            one.willMove(toParent: nil)
        }
        let top = topViewController
        let isOther = former !== top
        let isShowing = isOther && hasAppeared
        if let top, isOther, isViewLoaded {
            top.loadViewIfNeeded()
            delegate?.navigationController(self, willShow: top, animated: animated)
        }
        if isShowing {
            former?.beginAppearanceTransition(false, animated: animated)
            top?.beginAppearanceTransition(true, animated: animated)
        }
        if isOther, let view = viewIfLoaded, let top { view.addSubview(top.view) }
        let finish: @MainActor () -> Void = { [self] in
            if isOther { former?.viewIfLoaded?.removeFromSuperview() }
            if isShowing {
                former?.endAppearanceTransition()
                top?.endAppearanceTransition()
            }
            for one in leaving {
                one.removeFromParent()
                one.isMovingFromParent = false
            }
            for one in coming {
                one.didMove(toParent: self)
                one.isMovingToParent = false
            }
            if let top, isOther, isViewLoaded {
                delegate?.navigationController(self, didShow: top, animated: animated)
            }
        }
        if isShowing, let instance = Instance.current { instance.finishLater(finish) } else { finish() }
        return leaving
    }

    override var barControls: [Control] {
        guard !isNavigationBarHidden, let item = topViewController?.navigationItem else { return [] }
        let isReplaced = item.leftBarButtonItems?.isEmpty == false && !item.leftItemsSupplementBackButton
        guard stack.count > 1, !item.hidesBackButton, !isReplaced else {
            return topViewController?.itemControls ?? []
        }
        let back = Control()
        back.names = ["Back"]
        back.tap = { [weak self] in self?.popViewController(animated: true) }
        return [back] + (topViewController?.itemControls ?? [])
    }
}

extension UIViewController {
    /// The one that it lies in, nearest first.
    public var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }
    public var tabBarController: UITabBarController? {
        (parent as? UITabBarController) ?? parent?.tabBarController
    }
}

@MainActor
@preconcurrency
public protocol UITabBarControllerDelegate: AnyObject {
    func tabBarController(
        _ tabBarController: UITabBarController, shouldSelect viewController: UIViewController
    )
        -> Bool
    func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController)
}

extension UITabBarControllerDelegate {
    public func tabBarController(
        _ tabBarController: UITabBarController, shouldSelect viewController: UIViewController
    ) -> Bool { true }
    public func tabBarController(
        _ tabBarController: UITabBarController, didSelect viewController: UIViewController
    ) {}
}

/// Screens beside each other, one of which is in the window. Somebody turns "tabs" to the number of another one.
@MainActor
@preconcurrency
open class UITabBarController: UIViewController {
    public weak var delegate: (any UITabBarControllerDelegate)?
    open private(set) lazy var tabBar = UITabBar()
    private var tabs: [UIViewController] = []
    private var selected = 0

    open override func loadView() {
        super.loadView()
        if let shown = selectedViewController { viewIfLoaded?.addSubview(shown.view) }
    }

    open var viewControllers: [UIViewController]? {
        get { tabs }
        set { setViewControllers(newValue, animated: false) }
    }

    open func setViewControllers(_ viewControllers: [UIViewController]?, animated: Bool) {
        let new = viewControllers ?? []
        let former = selectedViewController
        for tab in tabs where !new.contains(where: { $0 === tab }) { tab.willMove(toParent: nil) }
        let leaving = tabs.filter { one in !new.contains { $0 === one } }
        for tab in new where tab.parent !== self {
            addChild(tab)
            tab.didMove(toParent: self)
        }
        tabs = new
        selected = new.firstIndex { $0 === former } ?? 0
        exchange(former)
        for tab in leaving { tab.removeFromParent() }
    }

    public var selectedViewController: UIViewController? {
        get { tabs.indices.contains(selected) ? tabs[selected] : nil }
        set { if let place = tabs.firstIndex(where: { $0 === newValue }) { selectedIndex = place } }
    }

    open var selectedIndex: Int {
        get { selected }
        set {
            guard tabs.indices.contains(newValue), newValue != selected else { return }
            let former = selectedViewController
            selected = newValue
            exchange(former)
        }
    }

    /// What comes begins first, and ends last.
    private func exchange(_ former: UIViewController?) {
        let now = selectedViewController
        guard former !== now, let view = viewIfLoaded else { return }
        now?.loadViewIfNeeded()
        if hasAppeared {
            now?.beginAppearanceTransition(true, animated: false)
            former?.beginAppearanceTransition(false, animated: false)
        }
        if let now { view.addSubview(now.view) }
        former?.viewIfLoaded?.removeFromSuperview()
        if hasAppeared {
            former?.endAppearanceTransition()
            now?.endAppearanceTransition()
        }
    }

    private func choose(_ text: String) {
        guard let place = Int(text), tabs.indices.contains(place),
            delegate?.tabBarController(self, shouldSelect: tabs[place]) ?? true
        else { return }
        selectedIndex = place
        delegate?.tabBarController(self, didSelect: tabs[place])
    }

    open override func _control() -> Control? {
        let control = Control()
        control.names = ["tabs"]
        control.set = { [weak self] text in self?.choose(text) }
        control.parts = { [weak self] in self?.viewIfLoaded?._control().map { [$0] } ?? [] }
        return control
    }
}
