@_exported public import Foundation
public import SeamKit

/// Holds the root view of a declarative tree in an imperative screen. The view has what it was made with; assigning the
/// root view is what carries something newer across.
@MainActor
@preconcurrency
open class UIHostingController<Content: View>: UIViewController {
    private var root: Content
    /// Held by the view as well: what is on a screen stays there without its controller.
    private var place: HostedPlace<Content>?
    private var hosted: HostedRoot<Content>? { place?.root }

    public init(rootView: Content) {
        root = rootView
        super.init(nibName: nil, bundle: nil)
        host()
    }

    public init?(coder: NSCoder, rootView: Content) {
        root = rootView
        super.init(coder: coder)
        host()
    }

    /// A storyboard can't make a root view: a subclass calls `init(coder:rootView:)`.
    public required init?(coder: NSCoder) {
        fatalError("\(Self.self) has no root view: call super.init(coder:rootView:) in its init(coder:)")
    }

    open var rootView: Content {
        get { root }
        set {
            root = newValue
            hosted?.assign(newValue)
        }
    }

    private func host() {
        guard let instance = Instance.current, instance.isStaged else { return }
        do {
            let hosted = try HostedRoot(root, instance: instance, type: type(of: self))
            place = HostedPlace(hosted)
            hosted.didResize = { [weak self] in self?.superviewNeedsLayout() }
            try instance.place { [weak place] in if let place { try place.root.place() } }
            tellWhereItIs()
        } catch {
            instance.report(error)
        }
    }

    // MARK: Sizes

    public var sizingOptions: UIHostingControllerSizingOptions = []

    open override func loadView() { view = HostingView(host: self, keeping: place) }

    /// As far as the code gives sizes, by `frame(width:height:)`: nothing is laid out here. It is that of the content that
    /// was drawn last; what is assigned is drawn later, unless `view.layoutIfNeeded()` forces it.
    open func sizeThatFits(in size: CGSize) -> CGSize {
        guard let hosted else { return .zero }
        return CGSize(width: hosted.size.width ?? 0, height: hosted.size.height ?? 0)
    }

    func layOutNow() {
        do { try hosted?.layOutNow() } catch { Instance.current?.report(error) }
    }

    private func superviewNeedsLayout() {
        viewIfLoaded?.superview?.layoutSubviews()
        parent?.viewDidLayoutSubviews()
    }

    // MARK: Where it is

    override func viewSettled(isMoved: Bool) {
        super.viewSettled(isMoved: isMoved)
        tellWhereItIs()
    }

    /// Without a view that is in a window it draws nothing (R14).
    private func tellWhereItIs() {
        let view = viewIfLoaded
        hosted?.move(isInWindow: view?.window != nil, isHidden: view?.isConcealed ?? false)
    }
}

/// The view of a hosting controller.
@MainActor
private protocol LaidOutHost: AnyObject { func layOutNow() }

extension UIHostingController: LaidOutHost {}

private final class HostingView: UIView {
    private weak var host: (any LaidOutHost)?
    private let content: AnyObject?

    init(host: any LaidOutHost, keeping content: AnyObject?) {
        self.host = host
        self.content = content
        super.init(frame: .zero)
    }

    required init?(coder: NSCoder) {
        content = nil
        super.init(coder: coder)
    }

    override func layoutIfNeeded() {
        host?.layOutNow()
        super.layoutIfNeeded()
    }
}

/// Which sizes follow the content: kept, and nothing laid out by it.
public struct UIHostingControllerSizingOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let preferredContentSize = UIHostingControllerSizingOptions(rawValue: 1)
    public static let intrinsicContentSize = UIHostingControllerSizingOptions(rawValue: 2)
}
