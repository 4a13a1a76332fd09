@_exported public import Foundation
public import SeamKit

/// What hears of events; here the base of views and controllers.
@MainActor
@preconcurrency
open class UIResponder: NSObject {
    public override init() { super.init() }

    open var next: UIResponder? { nil }
    open var canBecomeFirstResponder: Bool { false }
    open private(set) var isFirstResponder = false

    @discardableResult
    open func becomeFirstResponder() -> Bool {
        guard canBecomeFirstResponder else { return false }
        if isFirstResponder { return true }
        // There is one at a time: the other hears that its editing has ended, and may refuse.
        if let other = Instance.current?.firstResponder as? UIResponder, !other.resignFirstResponder() {
            return false
        }
        isFirstResponder = true
        Instance.current?.firstResponder = self
        return true
    }
    @discardableResult
    open func resignFirstResponder() -> Bool {
        isFirstResponder = false
        if Instance.current?.firstResponder === self { Instance.current?.firstResponder = nil }
        return true
    }
}

/// A view of the imperative side. What it shows is a field of the screen as long as it is there to be seen: in a window,
/// not hidden, and nothing above it hidden.
@MainActor
@preconcurrency
open class UIView: UIResponder, _NativeControl {
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    public convenience override init() { self.init(frame: .zero) }

    // MARK: The hierarchy

    public private(set) weak var superview: UIView?
    public private(set) var subviews: [UIView] = []
    /// The controller whose view this is.
    weak var owner: UIViewController?
    /// Where it shows what it shows; only the outermost view of a screen or of a wrapping has one of its own.
    private var ownSurface: _ControlSurface?
    public var window: UIWindow? { ownSurface != nil ? (self as? UIWindow) ?? .main : superview?.window }
    private var wasInWindow = false

    open override var next: UIResponder? { owner ?? superview }

    open func addSubview(_ view: UIView) { insert(view, at: subviews.count) }

    open func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

    private func insert(_ view: UIView, at index: Int) {
        view.removeFromSuperview()
        subviews.insert(view, at: min(index, subviews.count))
        view.superview = self
        view.placeChanged(isMoved: true)
        view.didMoveToSuperview()
    }

    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        placeChanged(isMoved: true)
        didMoveToSuperview()
    }

    public func isDescendant(of view: UIView) -> Bool {
        self === view || superview?.isDescendant(of: view) ?? false
    }

    open func didMoveToSuperview() {}
    open func didMoveToWindow() {}
    open func layoutSubviews() {}
    open func setNeedsLayout() {}
    open func layoutIfNeeded() { layoutSubviews() }
    open func setNeedsDisplay() {}

    public var isHidden = false {
        didSet { if oldValue != isHidden { placeChanged(isMoved: false) } }
    }

    // MARK: Said of the look: kept, and nothing shown of it

    public var frame: CGRect
    public var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    public var tag = 0
    public var alpha: CGFloat = 1
    public var isUserInteractionEnabled = true
    public var backgroundColor: UIColor?
    public var translatesAutoresizingMaskIntoConstraints = true

    // MARK: Names

    public var accessibilityIdentifier: String? {
        didSet { if oldValue != accessibilityIdentifier { reveal() } }
    }
    public var accessibilityLabel: String?

    /// What a view of this kind is called that has no name of its own.
    open var _kind: String {
        let name = "\(type(of: self))".split(separator: "<").first.map(String.init) ?? "view"
        let plain = name.hasPrefix("UI") ? String(name.dropFirst(2)) : name
        return plain.prefix(1).lowercased() + plain.dropFirst()
    }

    // MARK: Fields

    /// What it shows; nil for a view that shows nothing by itself.
    open var _shown: String? { nil }
    /// Whether it is a field also while it shows nothing.
    open var _isField: Bool { false }
    private var fieldName: String?
    private var identifiedAs: String?
    /// Where its field is, also when the view itself has left.
    private var shownOn: _ControlSurface?

    var surface: _ControlSurface? { ownSurface ?? superview?.surface }

    public var _isSeen: Bool { isSeen }

    var isSeen: Bool {
        if isHidden { return false }
        return ownSurface != nil ? true : superview?.isSeen ?? false
    }

    /// Wrapped, it appears when the host says so.
    private var isHeardOf = true

    public func _enter(_ surface: _ControlSurface) {
        ownSurface = surface
        isHeardOf = surface.mount == 0
        placeChanged(isMoved: true)
    }

    public func _leave() {
        ownSurface = nil
        forgetFields()
        settle(isMoved: true)
    }

    var hasOwnSurface: Bool { ownSurface != nil }

    /// Out of the window without anything that wraps it: what it shows is shown no more.
    @discardableResult
    func leaveScreen() -> _ControlSurface? {
        let left = ownSurface
        ownSurface = nil
        placeChanged(isMoved: true)
        return left
    }

    /// What was over it is gone, and what that showed under the same names.
    func comeToLight() {
        if let fieldName, shownOn?.isFree(fieldName) == true { show(isWrite: false) }
        for view in subviews { view.comeToLight() }
    }

    public func _hear(_ moment: Moment) {
        switch moment {
        case .appear: isHeardOf = true
        case .disappear: isHeardOf = false
        default: return
        }
        settleOwners(isMoved: true)
    }

    public var _hasControllers: Bool { owner != nil || subviews.contains(where: \._hasControllers) }

    private func settleOwners(isMoved: Bool) {
        owner?.viewSettled(isMoved: isMoved)
        for view in subviews { view.settleOwners(isMoved: owner == nil && isMoved) }
    }

    /// Whether what stands in it has appeared: in a window, and with what is wrapped.
    var isAppearing: Bool { ownSurface != nil ? isHeardOf : superview?.isAppearing ?? false }

    private func forgetFields() {
        if let fieldName { shownOn?.free(fieldName) }
        (fieldName, shownOn) = (nil, nil)
        for view in subviews { view.forgetFields() }
    }

    /// It came, went, or was hidden: with all that lies in it.
    private func placeChanged(isMoved: Bool) {
        reveal()
        settle(isMoved: isMoved)
    }

    /// - Parameter isMoved: it is this view that came or went, and not one around it.
    private func settle(isMoved: Bool) {
        let isInWindow = window != nil
        if isInWindow != wasInWindow {
            wasInWindow = isInWindow
            didMoveToWindow()
        }
        settled()
        owner?.viewSettled(isMoved: isMoved)
        for view in subviews { view.settle(isMoved: false) }
    }

    /// Its window may be another one now, or it may be hidden or shown.
    func settled() {}

    /// Hidden itself, or in something that is.
    var isConcealed: Bool { isHidden || superview?.isConcealed ?? false }

    func reveal() {
        if _isField { isSeen ? show(isWrite: false) : conceal() }
        for view in subviews { view.reveal() }
    }

    /// Called by each setter of what it shows: an assignment is a write, also of an equal value.
    public func _show() {
        // The compiler keeps most code off other threads, and not all of it.
        onMain("\(type(of: self))") { showHere() }
    }

    private func showHere() { if isSeen { show(isWrite: true) } else { showOffScreen() } }

    /// - Parameter isWrite: else it has only come to be seen, and may have nothing to show yet.
    private func show(isWrite: Bool) {
        guard let surface else { return }
        if fieldName == nil || identifiedAs != accessibilityIdentifier {
            conceal()
            identifiedAs = accessibilityIdentifier
            fieldName = surface.name(of: self)
            shownOn = surface
        }
        if let fieldName, isWrite || _shown != nil { surface.show(fieldName, _shown, by: self) }
    }

    private func conceal() {
        guard let name = fieldName else { return }
        fieldName = nil
        shownOn?.clear(name, by: self)
        shownOn = nil
    }

    /// A write into a view that nobody sees: if one of its name is on the screen, it went to the wrong one.
    private func showOffScreen() {
        guard let name = accessibilityIdentifier else { return }
        _ControlSurface.current?.showElsewhere(name, _shown, in: self)
    }

    // MARK: For the host

    /// A plain view is what stands in it: one label in a container is the label.
    public var _identity: AnyObject {
        var here = self
        while type(of: here) == UIView.self, here.subviews.count == 1 { here = here.subviews[0] }
        return here
    }

    public func _control() -> Control? {
        let control = Control()
        control.names = [accessibilityIdentifier, fieldName, accessibilityLabel].compactMap { $0 }
        _fill(control)
        control.parts = { [weak self] in
            self?.subviews.filter { !$0.isHidden }.compactMap { $0._control() } ?? []
        }
        return control
    }

    /// What a person can do with it.
    open func _fill(_ control: Control) {}
}

/// A window. Every screen is in one already; one more lies over it, from when it is made visible.
@MainActor
@preconcurrency
open class UIWindow: UIView {
    static let main = UIWindow(frame: .zero)

    public var rootViewController: UIViewController? {
        didSet {
            if oldValue === rootViewController { return }
            contents.root = rootViewController
            oldValue?.viewIfLoaded?.removeFromSuperview()
            if isOnScreen, let root = rootViewController { addSubview(root.view) }
        }
    }
    private let contents = WindowContents()
    private var isOnScreen: Bool { hasOwnSurface }
    private var controlName: String { "\u{1}window \(ObjectIdentifier(self))" }

    open func makeKeyAndVisible() {
        isHidden = false
        guard let instance = Instance.current, instance.isStaged, !isOnScreen else { return }
        if let root = rootViewController {
            root.loadViewIfNeeded()
            root.beginAppearanceTransition(true, animated: false)
            addSubview(root.view)
        }
        _enter(instance.surface)
        rootViewController?.endAppearanceTransition()
        let control = Control()
        control.parts = { [weak self] in
            guard let self, !isHidden else { return [] }
            return (rootViewController?.presentedLast ?? rootViewController)?._control().map { [$0] } ?? []
        }
        instance.controls[controlName] = control
    }
}

/// What goes with a window that nobody holds any more.
@MainActor
private final class WindowContents {
    var root: UIViewController?

    deinit { onMain("a window that goes") { [root] in root?.viewIfLoaded?.leaveScreen() } }
}

public struct UIColor: Sendable, Hashable {
    let name: String
    public static let red = UIColor(name: "red")
    public static let black = UIColor(name: "black")
    public static let white = UIColor(name: "white")
    public static let clear = UIColor(name: "clear")
    public static let systemBackground = UIColor(name: "systemBackground")
    public static let label = UIColor(name: "label")
}
