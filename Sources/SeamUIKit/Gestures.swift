@_exported public import Foundation
internal import SeamKit

/// A method of an object, as a selector names it elsewhere. The object is not kept alive.
@MainActor
struct TargetAction {
    /// With whatever it is told of.
    let perform: @MainActor (AnyObject) -> Void

    init<Target: AnyObject>(_ target: Target, _ action: @escaping @MainActor (Target) -> () -> Void) {
        perform = { [weak target] _ in if let target { action(target)() } }
    }

    init<Target: AnyObject, Sender>(
        _ target: Target, _ action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) {
        perform = { [weak target] sender in
            if let target, let sender = sender as? Sender { action(target)(sender) }
        }
    }
}

@MainActor
@preconcurrency
public protocol UIGestureRecognizerDelegate: AnyObject {
    func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool
    func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer,
        shouldRecognizeSimultaneouslyWith other: UIGestureRecognizer
    ) -> Bool
    func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool
}

extension UIGestureRecognizerDelegate {
    public func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { true }
    public func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer,
        shouldRecognizeSimultaneouslyWith other: UIGestureRecognizer
    ) -> Bool { false }
    public func gestureRecognizer(
        _ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch
    ) -> Bool { true }
}

/// Hears of a gesture on its view: a script taps the view's name, or the name with the kind behind it ("map longPress").
@MainActor
@preconcurrency
open class UIGestureRecognizer: NSObject {
    public enum State: Sendable {
        case possible, began, changed, ended, cancelled, failed
        public static var recognized: State { .ended }
    }

    public internal(set) weak var view: UIView?
    open var state = State.possible
    open var isEnabled = true
    open var cancelsTouchesInView = true
    open var delaysTouchesBegan = false
    open var delaysTouchesEnded = true
    open var name: String?
    open weak var delegate: (any UIGestureRecognizerDelegate)?
    private var targets: [TargetAction] = []
    /// What it goes through while it is recognised.
    var course: [State] { [.ended] }

    public override init() { super.init() }

    /// What `init(target:action:)` is with a selector: the method by its name in Swift.
    public convenience init<Target: AnyObject>(
        target: Target, action: @escaping @MainActor (Target) -> () -> Void
    ) {
        self.init()
        addTarget(target, action: action)
    }
    public convenience init<Target: AnyObject, Sender>(
        target: Target, action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) {
        self.init()
        addTarget(target, action: action)
    }

    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping @MainActor (Target) -> () -> Void
    ) { targets.append(TargetAction(target, action)) }
    public final func addTarget<Target: AnyObject, Sender>(
        _ target: Target, action: @escaping @MainActor (Target) -> (Sender) -> Void
    ) { targets.append(TargetAction(target, action)) }

    /// Nothing is laid out here, so a touch is at the origin of every view.
    open func location(in view: UIView?) -> CGPoint { .zero }
    open var numberOfTouches: Int { 1 }
    open func require(toFail other: UIGestureRecognizer) {}

    /// Somebody makes the gesture.
    func recognize() {
        guard isEnabled, view?.isUserInteractionEnabled ?? false,
            delegate?.gestureRecognizer(self, shouldReceive: UITouch()) ?? true,
            delegate?.gestureRecognizerShouldBegin(self) ?? true
        else { return }
        for state in course {
            self.state = state
            for target in targets { target.perform(self) }
        }
        state = .possible
    }

    var kind: String { "gesture" }

    func control(named names: [String]) -> Control {
        let control = Control()
        control.names = (name.map { [$0] } ?? []) + names.map { "\($0) \(kind)" }
        control.tap = { [weak self] in self?.recognize() }
        return control
    }
}

@MainActor
@preconcurrency
open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1
    override var kind: String { numberOfTapsRequired == 1 ? "tap" : "doubleTap" }
    /// What a plain tap on its view is.
    var isPlain: Bool { numberOfTapsRequired == 1 && numberOfTouchesRequired == 1 }
}

@MainActor
@preconcurrency
open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var minimumPressDuration: TimeInterval = 0.5
    open var allowableMovement: CGFloat = 10
    override var kind: String { "longPress" }
    override var course: [State] { [.began, .ended] }
}

@MainActor
@preconcurrency
open class UIPanGestureRecognizer: UIGestureRecognizer {
    open var minimumNumberOfTouches = 1
    open var maximumNumberOfTouches = Int.max
    private var moved = CGPoint.zero
    open func translation(in view: UIView?) -> CGPoint { moved }
    open func setTranslation(_ translation: CGPoint, in view: UIView?) { moved = translation }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
    override var kind: String { "pan" }
    override var course: [State] { [.began, .changed, .ended] }
}

@MainActor
@preconcurrency
open class UIPinchGestureRecognizer: UIGestureRecognizer {
    open var scale: CGFloat = 1
    open var velocity: CGFloat { 0 }
    override var kind: String { "pinch" }
    override var course: [State] { [.began, .changed, .ended] }
}

@MainActor
@preconcurrency
open class UIRotationGestureRecognizer: UIGestureRecognizer {
    open var rotation: CGFloat = 0
    open var velocity: CGFloat { 0 }
    override var kind: String { "rotation" }
    override var course: [State] { [.began, .changed, .ended] }
}

@MainActor
@preconcurrency
open class UISwipeGestureRecognizer: UIGestureRecognizer {
    public struct Direction: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let right = Direction(rawValue: 1)
        public static let left = Direction(rawValue: 2)
        public static let up = Direction(rawValue: 4)
        public static let down = Direction(rawValue: 8)
    }
    open var direction = Direction.right
    open var numberOfTouchesRequired = 1
    override var kind: String { "swipe" }
}

/// A finger on the screen. Nothing is laid out here, so it is at the origin of every view.
@MainActor
@preconcurrency
open class UITouch: NSObject {
    public override init() { super.init() }
    open func location(in view: UIView?) -> CGPoint { .zero }
}

@MainActor
@preconcurrency
open class UIEvent: NSObject {}
