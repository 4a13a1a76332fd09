@_exported public import Foundation
public import SeamKit

extension UIResponder: Responding {}

/// What hears of events; here the base of views and controllers.
@MainActor
@preconcurrency
open class UIResponder: NSObject {
    public override init() { super.init() }

    open var next: UIResponder? { nil }
    open var canBecomeFirstResponder: Bool { false }
    open var canResignFirstResponder: Bool { true }
    open private(set) var isFirstResponder = false
    open var inputView: UIView?
    open var inputAccessoryView: UIView?

    @discardableResult
    open func becomeFirstResponder() -> Bool {
        if isFirstResponder { return true }
        guard canBecomeFirstResponder else { return false }
        guard Instance.current?.makeFirst(self) ?? true else { return false }
        isFirstResponder = true
        return true
    }
    @discardableResult
    open func resignFirstResponder() -> Bool {
        isFirstResponder = false
        if Instance.current?.firstResponder === self { Instance.current?.firstResponder = nil }
        return true
    }

    /// Somebody taps elsewhere, or puts the keyboard away; false when it is not being edited.
    final func leave() -> Bool {
        if !isFirstResponder { return false }
        // Who may not be left keeps the keyboard: that is no fault of whoever tries.
        resignFirstResponder()
        return true
    }

    /// Nothing comes from a nib here.
    open func awakeFromNib() {}

    // Of touches themselves nobody hears here: scripts tap, type and turn.
    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
}

/// A view of the imperative side. What it shows is a field of the screen as long as it is there to be seen: in a window,
/// not hidden, and nothing above it hidden.
@MainActor
@preconcurrency
open class UIView: UIResponder, _NativeControl, _Anchored {
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

    open func insertSubview(_ view: UIView, aboveSubview other: UIView) {
        insert(view, at: (subviews.firstIndex(of: other) ?? subviews.count - 1) + 1)
    }
    open func insertSubview(_ view: UIView, belowSubview other: UIView) {
        insert(view, at: subviews.firstIndex(of: other) ?? subviews.count)
    }

    open func bringSubviewToFront(_ view: UIView) { move(view, to: subviews.count) }
    open func sendSubviewToBack(_ view: UIView) { move(view, to: 0) }

    private func move(_ view: UIView, to index: Int) {
        guard let place = subviews.firstIndex(of: view) else { return }
        subviews.remove(at: place)
        subviews.insert(view, at: min(index, subviews.count))
    }

    private func insert(_ view: UIView, at index: Int) {
        view.willMove(toSuperview: self)
        view.removeFromSuperview()
        subviews.insert(view, at: min(index, subviews.count))
        view.superview = self
        view.placeChanged(isMoved: true)
        view.didMoveToSuperview()
    }

    open func removeFromSuperview() {
        guard let superview else { return }
        superview.willLose(self)
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        placeChanged(isMoved: true)
        didMoveToSuperview()
    }

    public func isDescendant(of view: UIView) -> Bool {
        self === view || superview?.isDescendant(of: view) ?? false
    }

    func willLose(_ subview: UIView) {}

    open func viewWithTag(_ tag: Int) -> UIView? {
        if self.tag == tag { return self }
        for view in subviews { if let found = view.viewWithTag(tag) { return found } }
        return nil
    }

    /// Whoever is typed into in here is left.
    @discardableResult
    open func endEditing(_ force: Bool) -> Bool {
        if isFirstResponder, force || canResignFirstResponder { return resignFirstResponder() }
        for view in subviews where view.endEditing(force) { return true }
        return false
    }

    open func willMove(toSuperview superview: UIView?) {}
    open func didMoveToSuperview() {}
    open func didMoveToWindow() {}
    open func layoutSubviews() {}
    open func setNeedsLayout() {}
    open func layoutIfNeeded() { layoutSubviews() }
    open func setNeedsDisplay() {}

    open var isHidden = false {
        didSet { if oldValue != isHidden { placeChanged(isMoved: false) } }
    }

    // MARK: Said of the look: kept, and nothing shown of it

    open var frame: CGRect
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }
    open var transform = CGAffineTransform.identity
    open var tag = 0
    open var alpha: CGFloat = 1
    open var isOpaque = true
    open var clipsToBounds = false
    open var contentMode = ContentMode.scaleToFill
    open var backgroundColor: UIColor?
    // `!` as in UIKit: nil stands for the colour of what it lies in.
    open var tintColor: UIColor! = UIView.plainTint
    private static let plainTint = UIColor.tintColor
    open var isUserInteractionEnabled = true
    open var isMultipleTouchEnabled = false
    open var isExclusiveTouch = false
    open var semanticContentAttribute = UISemanticContentAttribute.unspecified
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open var traitCollection: UITraitCollection { UITraitCollection() }
    open private(set) lazy var layer = CALayer()

    public enum ContentMode: Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
        case topLeft, topRight, bottomLeft, bottomRight
    }
    public enum TintAdjustmentMode: Sendable { case automatic, normal, dimmed }
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
    }

    // MARK: Said of the layout: kept, and nothing laid out by it

    open var translatesAutoresizingMaskIntoConstraints = true
    open var autoresizingMask: AutoresizingMask = []
    open var layoutMargins = UIEdgeInsets(top: 8, left: 8, bottom: 8, right: 8)
    open var directionalLayoutMargins = NSDirectionalEdgeInsets(top: 8, leading: 8, bottom: 8, trailing: 8)
    open var preservesSuperviewLayoutMargins = false
    open var insetsLayoutMarginsFromSafeArea = true
    open var safeAreaInsets: UIEdgeInsets { .zero }
    open private(set) lazy var layoutMarginsGuide = UILayoutGuide()
    open private(set) lazy var safeAreaLayoutGuide = UILayoutGuide()
    open private(set) lazy var readableContentGuide = UILayoutGuide()
    public private(set) var layoutGuides: [UILayoutGuide] = []
    private var hugging: [NSLayoutConstraint.Axis: UILayoutPriority] = [:]
    private var resistance: [NSLayoutConstraint.Axis: UILayoutPriority] = [:]

    public static let noIntrinsicMetric: CGFloat = -1
    open var intrinsicContentSize: CGSize {
        CGSize(width: UIView.noIntrinsicMetric, height: UIView.noIntrinsicMetric)
    }
    /// As it is: what it needs is not known.
    open func sizeThatFits(_ size: CGSize) -> CGSize { frame.size }
    open func sizeToFit() {}
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }
    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
        isUserInteractionEnabled && !isHidden && self.point(inside: point, with: event) ? self : nil
    }
    open func invalidateIntrinsicContentSize() {}
    open func setNeedsUpdateConstraints() {}
    open func updateConstraints() {}
    open func updateConstraintsIfNeeded() { updateConstraints() }
    open func addConstraint(_ constraint: NSLayoutConstraint) { constraint.isActive = true }
    open func addConstraints(_ constraints: [NSLayoutConstraint]) { NSLayoutConstraint.activate(constraints) }
    open func removeConstraint(_ constraint: NSLayoutConstraint) { constraint.isActive = false }
    open func removeConstraints(_ constraints: [NSLayoutConstraint]) {
        NSLayoutConstraint.deactivate(constraints)
    }
    open func addLayoutGuide(_ guide: UILayoutGuide) {
        guide.owningView = self
        layoutGuides.append(guide)
    }
    open func setContentHuggingPriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis) {
        hugging[axis] = priority
    }
    open func contentHuggingPriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        hugging[axis] ?? .defaultLow
    }
    open func setContentCompressionResistancePriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) { resistance[axis] = priority }
    open func contentCompressionResistancePriority(for axis: NSLayoutConstraint.Axis) -> UILayoutPriority {
        resistance[axis] ?? .defaultHigh
    }

    // Drawn is nothing, and no trait changes.
    open func draw(_ rect: CGRect) {}
    open func tintColorDidChange() {}
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    // MARK: Gestures

    open private(set) var gestureRecognizers: [UIGestureRecognizer]?

    open func addGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        recognizer.view?.removeGestureRecognizer(recognizer)
        gestureRecognizers = (gestureRecognizers ?? []) + [recognizer]
        recognizer.view = self
    }
    open func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        guard recognizer.view === self else { return }
        gestureRecognizers?.removeAll { $0 === recognizer }
        recognizer.view = nil
    }

    /// A plain tap is one on the view; each other gesture has a name of its own.
    private func fillGestures(_ control: Control) -> [Control] {
        guard let gestureRecognizers, !gestureRecognizers.isEmpty else { return [] }
        if control.names.isEmpty { control.names.append(_kind) }
        let plain = gestureRecognizers.first { ($0 as? UITapGestureRecognizer)?.isPlain ?? false }
        if let plain, control.tap == nil { control.tap = { [weak plain] in plain?.recognize() } }
        return gestureRecognizers.filter { $0 !== plain }.map { $0.control(named: control.names) }
    }

    // MARK: Names

    public var accessibilityIdentifier: String? {
        didSet { if oldValue != accessibilityIdentifier { reveal() } }
    }
    open var accessibilityLabel: String?
    open var accessibilityValue: String?
    open var accessibilityHint: String?
    open var accessibilityTraits: UIAccessibilityTraits = .none
    open var isAccessibilityElement = false
    open var accessibilityElementsHidden = false
    open var accessibilityViewIsModal = false
    open var accessibilityElements: [Any]?

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
        // A wrapped view is also called what its representable is.
        control.names = [accessibilityIdentifier, fieldName, ownSurface?.identifier, accessibilityLabel]
            .compactMap { $0 }
        _fill(control)
        let own = control.parts() + fillGestures(control)
        control.parts = { [weak self] in
            own + (self?.subviews.filter { !$0.isHidden }.compactMap { $0._control() } ?? [])
                + (self?.owner?.barControls ?? [])
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
            return rootViewController?.controlsOnTop ?? []
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

public enum UISemanticContentAttribute: Sendable {
    case unspecified, playback, spatial, forceLeftToRight, forceRightToLeft
}

public struct UIAccessibilityTraits: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let none: UIAccessibilityTraits = []
    public static let button = UIAccessibilityTraits(rawValue: 1)
    public static let link = UIAccessibilityTraits(rawValue: 2)
    public static let image = UIAccessibilityTraits(rawValue: 4)
    public static let selected = UIAccessibilityTraits(rawValue: 8)
    public static let staticText = UIAccessibilityTraits(rawValue: 64)
    public static let searchField = UIAccessibilityTraits(rawValue: 1 << 10)
    public static let header = UIAccessibilityTraits(rawValue: 1 << 16)
    public static let adjustable = UIAccessibilityTraits(rawValue: 1 << 12)
    public static let notEnabled = UIAccessibilityTraits(rawValue: 1 << 8)
    public static let updatesFrequently = UIAccessibilityTraits(rawValue: 1 << 9)
}
