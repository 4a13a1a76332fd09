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
        isFirstResponder = canBecomeFirstResponder
        return isFirstResponder
    }
    @discardableResult
    open func resignFirstResponder() -> Bool {
        isFirstResponder = false
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
    public var window: UIWindow? { superview?.window ?? (isRootOfScreen ? .main : nil) }
    var isRootOfScreen = false

    open override var next: UIResponder? { owner ?? superview }

    open func addSubview(_ view: UIView) { insert(view, at: subviews.count) }

    open func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

    private func insert(_ view: UIView, at index: Int) {
        view.removeFromSuperview()
        subviews.insert(view, at: min(index, subviews.count))
        view.superview = self
        view.placeChanged()
        view.didMoveToSuperview()
    }

    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        placeChanged()
        didMoveToSuperview()
    }

    open func didMoveToSuperview() {}
    open func didMoveToWindow() {}
    open func layoutSubviews() {}
    open func setNeedsLayout() {}
    open func layoutIfNeeded() { layoutSubviews() }
    open func setNeedsDisplay() {}

    public var isHidden = false {
        didSet { if oldValue != isHidden { placeChanged() } }
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

    public func _enter(_ surface: _ControlSurface) {
        ownSurface = surface
        reveal()
    }

    public func _leave() {
        ownSurface = nil
        forgetFields()
    }

    private func forgetFields() {
        if let fieldName { shownOn?.free(fieldName) }
        (fieldName, shownOn) = (nil, nil)
        for view in subviews { view.forgetFields() }
    }

    /// It came, went, or was hidden: with all that lies in it.
    private func placeChanged() {
        reveal()
        didMoveToWindow()
        owner?.viewMoved()
    }

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

/// The window that every screen is in.
@MainActor
@preconcurrency
open class UIWindow: UIView {
    static let main = UIWindow(frame: .zero)
    public var rootViewController: UIViewController?
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
