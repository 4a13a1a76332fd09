@_exported public import Foundation
public import SeamKit

/// A controller: its view is loaded when somebody asks for it, and is on the screen when its root is.
@MainActor
@preconcurrency
open class UIViewController: UIResponder, _NativeControl {
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { super.init() }
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    // MARK: Its view

    private var loadedView: UIView?

    // `!` as in UIKit: loading it leaves one there.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            loadedView?.owner = nil
            loadedView = newValue
            newValue?.owner = self
        }
    }

    public var isViewLoaded: Bool { loadedView != nil }
    public var viewIfLoaded: UIView? { loadedView }

    public func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        if loadedView == nil { view = UIView() }
        performEmbedSegues()
        viewDidLoad()
    }

    open func loadView() { view = UIView() }
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewIsAppearing(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}
    /// Nothing turns or resizes a screen here.
    open func viewWillTransition(
        to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator
    ) {}
    open func updateViewConstraints() {}
    open func didReceiveMemoryWarning() {}
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    // MARK: Appearance

    private enum Appearance { case away, coming, here, going }
    private var appearance = Appearance.away
    private var isAnimated = false

    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    /// The first half of appearing or disappearing, with all children whose views are in its own.
    public func beginAppearanceTransition(_ isAppearing: Bool, animated: Bool) {
        switch (isAppearing, appearance) {
        case (true, .away), (true, .going):
            appearance = .coming
            viewWillAppear(animated)
        case (false, .here), (false, .coming):
            appearance = .going
            viewWillDisappear(animated)
        default: return
        }
        isAnimated = animated
        forward { $0.beginAppearanceTransition(isAppearing, animated: animated) }
    }

    /// The second half.
    public func endAppearanceTransition() {
        switch appearance {
        case .coming:
            appearance = .here
            viewIsAppearing(isAnimated)
            viewDidAppear(isAnimated)
        case .going:
            appearance = .away
            viewDidDisappear(isAnimated)
        default: return
        }
        forward { $0.endAppearanceTransition() }
    }

    private func forward(_ half: (UIViewController) -> Void) {
        guard shouldAutomaticallyForwardAppearanceMethods, let view = viewIfLoaded else { return }
        for child in children where child.viewIfLoaded?.isDescendant(of: view) == true { half(child) }
    }

    var hasAppeared: Bool { appearance == .here || appearance == .coming }

    /// Its view has come, gone, or was hidden. One that is put into a window, or taken out of it, appears or disappears
    /// at once, unless whatever moves it says when; one that comes with its parent's view appears with the parent.
    func viewSettled(isMoved: Bool) {
        guard isMoved, let view = viewIfLoaded else { return }
        switch (appearance, view.window != nil && view.isAppearing) {
        case (.away, true):
            if let parent, !parent.hasAppeared { return }
            beginAppearanceTransition(true, animated: false)
            if parent?.appearance != .coming { endAppearanceTransition() }
        case (.here, false):
            beginAppearanceTransition(false, animated: false)
            endAppearanceTransition()
        default: break
        }
    }

    // MARK: Wrapped in a declarative screen

    public func _enter(_ surface: _ControlSurface) {
        loadViewIfNeeded()
        loadedView?._enter(surface)
    }

    public func _leave() { loadedView?._leave() }

    public func _hear(_ moment: Moment) { loadedView?._hear(moment) }

    public var _hasControllers: Bool { true }

    open func _control() -> Control? { loadedView?._control() }

    open override var next: UIResponder? { loadedView?.superview ?? parent }

    // MARK: Its bars

    open var title: String?
    private var ownNavigationItem: UINavigationItem?
    open var navigationItem: UINavigationItem {
        if let ownNavigationItem { return ownNavigationItem }
        let made = UINavigationItem(title: title ?? "")
        ownNavigationItem = made
        return made
    }
    // `!` as in UIKit: nil is for one without a tab.
    open var tabBarItem: UITabBarItem! = UITabBarItem()
    open var toolbarItems: [UIBarButtonItem]?
    open func setToolbarItems(_ items: [UIBarButtonItem]?, animated: Bool) { toolbarItems = items }
    open var hidesBottomBarWhenPushed = false

    open var isEditing = false
    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
        editButton?.title = editing ? "Done" : "Edit"
    }
    private var editButton: UIBarButtonItem?
    open var editButtonItem: UIBarButtonItem {
        if let editButton { return editButton }
        let made = UIBarButtonItem(
            title: "Edit", style: .plain, target: self, action: UIViewController.toggleEditing)
        editButton = made
        return made
    }
    private func toggleEditing() { setEditing(!isEditing, animated: true) }

    /// What a person can do in its bars: without a navigation controller its own items count as if there was one around it.
    var barControls: [Control] { navigationController == nil ? itemControls : [] }
    var itemControls: [Control] {
        (ownNavigationItem?.controls ?? []) + (toolbarItems ?? []).flatMap { $0.controls() }
    }

    // MARK: Said of the look: kept, and nothing shown of it

    open var preferredContentSize = CGSize.zero
    open var additionalSafeAreaInsets = UIEdgeInsets.zero
    open var edgesForExtendedLayout = UIRectEdge.all
    open var extendedLayoutIncludesOpaqueBars = false
    open var definesPresentationContext = false
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open var traitCollection: UITraitCollection { UITraitCollection() }
    open var prefersStatusBarHidden: Bool { false }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open func setNeedsStatusBarAppearanceUpdate() {}
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }

    // MARK: Presentation

    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    open var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    open var isModalInPresentation = false
    private var ownPresentation: UISheetPresentationController?
    /// What says how it is presented, and who hears that a person closes it.
    open var sheetPresentationController: UISheetPresentationController? {
        if ownPresentation == nil { ownPresentation = UISheetPresentationController(self) }
        return ownPresentation
    }
    open var presentationController: UIPresentationController? { sheetPresentationController }
    open var popoverPresentationController: UISheetPresentationController? { sheetPresentationController }
    var ownPresented: UIViewController?
    weak var presenter: UIViewController?
    /// Where its view was, while something that covers all is presented.
    var covered: _ControlSurface?
    public internal(set) var isBeingPresented = false
    public internal(set) var isBeingDismissed = false
    public internal(set) var isMovingToParent = false
    public internal(set) var isMovingFromParent = false

    // MARK: Containment

    public private(set) weak var parent: UIViewController?
    public private(set) var children: [UIViewController] = []

    open func addChild(_ child: UIViewController) {
        if child.parent === self { return }
        child.parent?.children.removeAll { $0 === child }
        child.willMove(toParent: self)
        children.append(child)
        child.parent = self
    }

    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
        didMove(toParent: nil)
    }

    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    /// Pushed where there is a stack to push to, else presented.
    open func show(_ viewController: UIViewController, sender: Any?) {
        if let navigationController {
            navigationController.show(viewController, sender: sender)
        } else {
            present(viewController, animated: true)
        }
    }

    // MARK: Segues

    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
    open func prepare(for segue: UIStoryboardSegue, sender: Any?) {}

    /// The storyboard that it came from.
    public internal(set) var storyboard: UIStoryboard?

    /// A segue of the storyboard, by its identifier.
    open func performSegue(withIdentifier identifier: String, sender: Any?) {
        guard let way = storyboard?.way(identifier, from: self) else {
            fatalError("\(type(of: self)) has no segue with identifier '\(identifier)'")
        }
        guard shouldPerformSegue(withIdentifier: identifier, sender: sender) else { return }
        perform(way, sender: sender)
    }

    /// Those that embed are performed while the view loads.
    private func performEmbedSegues() {
        for way in storyboard?.embeddings(of: self) ?? [] { perform(way, sender: nil) }
    }

    private func perform(_ way: UIStoryboard.Way, sender: Any?) {
        guard let destination = storyboard?.make(way.destination) else { return }
        prepare(
            for: UIStoryboardSegue(identifier: way.identifier, source: self, destination: destination),
            sender: sender)
        switch way.kind {
        case .embed:
            addChild(destination)
            loadedView?.addSubview(destination.view)
            destination.didMove(toParent: self)
        case .show: show(destination, sender: sender)
        case .present: present(destination, animated: true)
        }
    }
}

@MainActor
@preconcurrency
public protocol UIViewControllerTransitionCoordinator: AnyObject {
    @discardableResult
    func animate(alongsideTransition animation: (() -> Void)?, completion: (() -> Void)?) -> Bool
}

/// What a storyboard says, said in Swift: which controllers it makes, with `init(coder:)`, and the segues between them.
@MainActor
public final class UIStoryboard {
    struct Way {
        let identifier: String?
        let source: UIViewController.Type
        let destination: UIViewController.Type
        let kind: Kind
    }

    /// What a segue does with the screen that it leads to.
    public enum Kind: Sendable { case embed, show, present }

    private var ways: [Way] = []

    public init() {}

    /// A container in the source's view: its segue is performed while that view loads.
    public func embed(
        _ destination: UIViewController.Type, in source: UIViewController.Type, segue identifier: String?
    ) -> UIStoryboard {
        ways.append(Way(identifier: identifier, source: source, destination: destination, kind: .embed))
        return self
    }

    /// A segue that `performSegue(withIdentifier:sender:)` performs.
    public func segue(
        _ identifier: String, from source: UIViewController.Type, to destination: UIViewController.Type,
        kind: Kind = .show
    ) -> UIStoryboard {
        ways.append(Way(identifier: identifier, source: source, destination: destination, kind: kind))
        return self
    }

    public func instantiate<Controller: UIViewController>(_ type: Controller.Type) -> Controller {
        guard let made = make(type) as? Controller else { fatalError("init(coder:) of \(type) gave nil") }
        return made
    }

    func make(_ type: UIViewController.Type) -> UIViewController? {
        let made = type.init(coder: StoryboardCoder())
        made?.storyboard = self
        return made
    }

    func way(_ identifier: String, from source: UIViewController) -> Way? {
        ways.first { $0.identifier == identifier && $0.source == type(of: source) }
    }

    func embeddings(of source: UIViewController) -> [Way] {
        ways.filter { $0.kind == .embed && $0.source == type(of: source) }
    }
}

/// What a storyboard hands to `init(coder:)`. It holds nothing.
private final class StoryboardCoder: NSCoder {
    override var allowsKeyedCoding: Bool { true }
    override func containsValue(forKey key: String) -> Bool { false }
    override func decodeObject(forKey key: String) -> Any? { nil }
}

/// A way from one controller to another, as the storyboard has it.
@MainActor
@preconcurrency
open class UIStoryboardSegue: NSObject {
    public let identifier: String?
    public let source: UIViewController
    public let destination: UIViewController

    public init(identifier: String?, source: UIViewController, destination: UIViewController) {
        self.identifier = identifier
        self.source = source
        self.destination = destination
        super.init()
    }
}
