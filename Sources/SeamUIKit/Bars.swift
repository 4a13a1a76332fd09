@_exported public import Foundation
public import SeamKit

// What stands in the bars around a screen. The items of a controller are in reach wherever it is on the screen, unless the
// bar of its navigation controller is hidden; a script taps one by its identifier, its title, or what it is for ("done").

@MainActor
@preconcurrency
open class UIBarItem: NSObject {
    open var title: String?
    open var image: UIImage?
    open var isEnabled = true
    open var tag = 0
    open var accessibilityIdentifier: String?
    open var accessibilityLabel: String?
    public override init() { super.init() }
}

@MainActor
@preconcurrency
open class UIBarButtonItem: UIBarItem {
    public enum Style: Sendable { case plain, done }
    public enum SystemItem: String, Sendable {
        case done, cancel, edit, save, add, flexibleSpace, fixedSpace, compose, reply, action, organize
        case bookmarks, search, refresh, stop, camera, trash, play, pause, rewind, fastForward, undo, redo,
            close
    }

    open var style = Style.plain
    open var width: CGFloat = 0
    // `!` as in UIKit: nil stands for the colour of the bar.
    open var tintColor: UIColor!
    open var customView: UIView?
    open var menu: UIMenu?
    open var primaryAction: UIAction?
    private var systemItem: SystemItem?
    private var target: TargetAction?

    public override init() { super.init() }

    public convenience init(
        title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil
    ) {
        self.init()
        (self.title, self.image) = (title ?? primaryAction?.title, image ?? primaryAction?.image)
        (self.primaryAction, self.menu) = (primaryAction, menu)
    }
    public convenience init(
        systemItem: SystemItem, primaryAction: UIAction? = nil, menu: UIMenu? = nil
    ) {
        self.init()
        self.systemItem = systemItem
        (self.primaryAction, self.menu) = (primaryAction, menu)
    }
    public convenience init(customView: UIView) {
        self.init()
        self.customView = customView
    }

    // What these are with a selector: the method by its name in Swift.
    public convenience init<Target: AnyObject>(
        barButtonSystemItem item: SystemItem, target: Target,
        action: @escaping @MainActor (Target) -> () -> Void
    ) {
        self.init(systemItem: item)
        self.target = TargetAction(target, action)
    }
    public convenience init<Target: AnyObject, Sender>(
        barButtonSystemItem item: SystemItem, target: Target,
        action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) {
        self.init(systemItem: item)
        self.target = TargetAction(target, action)
    }
    public convenience init<Target: AnyObject>(
        title: String?, style: Style, target: Target, action: @escaping @MainActor (Target) -> () -> Void
    ) {
        self.init(title: title)
        self.style = style
        self.target = TargetAction(target, action)
    }
    public convenience init<Target: AnyObject, Sender>(
        title: String?, style: Style, target: Target,
        action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) {
        self.init(title: title)
        self.style = style
        self.target = TargetAction(target, action)
    }
    public convenience init<Target: AnyObject>(
        image: UIImage?, style: Style, target: Target, action: @escaping @MainActor (Target) -> () -> Void
    ) {
        self.init(image: image)
        self.style = style
        self.target = TargetAction(target, action)
    }
    public convenience init<Target: AnyObject, Sender>(
        image: UIImage?, style: Style, target: Target,
        action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) {
        self.init(image: image)
        self.style = style
        self.target = TargetAction(target, action)
    }
    /// One that does nothing: a title, or space.
    public convenience init(barButtonSystemItem item: SystemItem) { self.init(systemItem: item) }

    public static func flexibleSpace() -> UIBarButtonItem { UIBarButtonItem(systemItem: .flexibleSpace) }
    public static func fixedSpace(_ width: CGFloat) -> UIBarButtonItem {
        let item = UIBarButtonItem(systemItem: .fixedSpace)
        item.width = width
        return item
    }

    func controls() -> [Control] {
        if let customView { return customView._control().map { [$0] } ?? [] }
        let menu = menu?.controls() ?? []
        guard target != nil || primaryAction != nil else { return menu }
        let control = Control()
        control.names = [
            accessibilityIdentifier, title, systemItem?.rawValue, accessibilityLabel, image?.description,
        ]
        .compactMap { $0 }
        control.tap = { [weak self] in
            guard let self, isEnabled else { return }
            primaryAction?.perform(self)
            target?.perform(self)
        }
        return [control] + menu
    }
}

/// What a controller has in the bar of its navigation controller.
@MainActor
@preconcurrency
open class UINavigationItem: NSObject {
    public enum LargeTitleDisplayMode: Sendable { case automatic, always, never, inline }

    open var title: String?
    open var prompt: String?
    open var titleView: UIView?
    open var backButtonTitle: String?
    open var backBarButtonItem: UIBarButtonItem?
    open var hidesBackButton = false
    open func setHidesBackButton(_ hides: Bool, animated: Bool) { hidesBackButton = hides }
    open var largeTitleDisplayMode = LargeTitleDisplayMode.automatic
    open var leftItemsSupplementBackButton = false
    open var leftBarButtonItems: [UIBarButtonItem]?
    open var rightBarButtonItems: [UIBarButtonItem]?
    open var searchController: UISearchController?
    open var hidesSearchBarWhenScrolling = true
    open var standardAppearance: UINavigationBarAppearance?
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?

    public init(title: String = "") { self.title = title.isEmpty ? nil : title }

    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = newValue.map { [$0] } }
    }
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
    open func setLeftBarButton(_ item: UIBarButtonItem?, animated: Bool) { leftBarButtonItem = item }
    open func setRightBarButton(_ item: UIBarButtonItem?, animated: Bool) { rightBarButtonItem = item }
    open func setLeftBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) {
        leftBarButtonItems = items
    }
    open func setRightBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) {
        rightBarButtonItems = items
    }

    var controls: [Control] {
        let items = (leftBarButtonItems ?? []) + (rightBarButtonItems ?? [])
        return items.flatMap { $0.controls() } + (titleView?._control().map { [$0] } ?? [])
            + (searchController?.searchBar._control().map { [$0] } ?? [])
    }
}

/// How a bar looks: kept, and nothing shown of it.
@MainActor
@preconcurrency
open class UINavigationBarAppearance: NSObject {
    open var backgroundColor: UIColor?
    open var shadowColor: UIColor?
    open var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any] = [:]
    public override nonisolated init() { super.init() }
    open func configureWithDefaultBackground() {}
    open func configureWithOpaqueBackground() {}
    open func configureWithTransparentBackground() {}
}

@MainActor
@preconcurrency
open class UINavigationBar: UIView {
    open var prefersLargeTitles = false
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open var titleTextAttributes: [NSAttributedString.Key: Any]?
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any]?
    open var standardAppearance = UINavigationBarAppearance()
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?
}

@MainActor
@preconcurrency
open class UIToolbar: UIView {
    open var barTintColor: UIColor?
    open var isTranslucent = true
    open var items: [UIBarButtonItem]?
    open func setItems(_ items: [UIBarButtonItem]?, animated: Bool) { self.items = items }

    open override func _fill(_ control: Control) {
        control.parts = { [weak self] in self?.items?.flatMap { $0.controls() } ?? [] }
    }
}

/// What a controller has in a tab bar.
@MainActor
@preconcurrency
open class UITabBarItem: UIBarItem {
    open var badgeValue: String?
    open var badgeColor: UIColor?
    open var selectedImage: UIImage?
    public convenience init(title: String?, image: UIImage?, tag: Int) {
        self.init()
        (self.title, self.image, self.tag) = (title, image, tag)
    }
    public convenience init(title: String?, image: UIImage?, selectedImage: UIImage?) {
        self.init()
        (self.title, self.image, self.selectedImage) = (title, image, selectedImage)
    }
}

@MainActor
@preconcurrency
open class UITabBar: UIView {
    open var barTintColor: UIColor?
    open var unselectedItemTintColor: UIColor?
    open var isTranslucent = true
}

// MARK: Searching

@MainActor
@preconcurrency
public protocol UISearchResultsUpdating: AnyObject {
    func updateSearchResults(for searchController: UISearchController)
}

/// A search bar, and who hears what is typed into it. Its results are shown by whoever updates them.
@MainActor
@preconcurrency
open class UISearchController: UIViewController {
    open weak var searchResultsUpdater: (any UISearchResultsUpdating)?
    open private(set) lazy var searchBar = bar()
    open var obscuresBackgroundDuringPresentation = true
    open var hidesNavigationBarDuringPresentation = true
    public let searchResultsController: UIViewController?
    open var isActive = false {
        didSet { if oldValue != isActive { searchResultsUpdater?.updateSearchResults(for: self) } }
    }

    public init(searchResultsController: UIViewController?) {
        self.searchResultsController = searchResultsController
        super.init(nibName: nil, bundle: nil)
    }
    public required init?(coder: NSCoder) {
        searchResultsController = nil
        super.init(coder: coder)
    }

    private func bar() -> UISearchBar {
        let bar = UISearchBar()
        bar.didType = { [weak self] in
            guard let self else { return }
            if isActive { searchResultsUpdater?.updateSearchResults(for: self) } else { isActive = true }
        }
        bar.didCancel = { [weak self, weak bar] in
            bar?.text = ""
            bar?.resignFirstResponder()
            self?.isActive = false
        }
        return bar
    }
}
