@_exported public import Foundation
internal import SeamKit

// An animation takes no time here: what it changes is changed at once, and its completion comes in the next round.

extension UIView {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let layoutSubviews = AnimationOptions(rawValue: 1)
        public static let allowUserInteraction = AnimationOptions(rawValue: 2)
        public static let beginFromCurrentState = AnimationOptions(rawValue: 4)
        public static let `repeat` = AnimationOptions(rawValue: 8)
        public static let autoreverse = AnimationOptions(rawValue: 16)
        public static let curveEaseInOut: AnimationOptions = []
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        public static let transitionFlipFromLeft = AnimationOptions(rawValue: 1 << 20)
        public static let transitionFlipFromRight = AnimationOptions(rawValue: 2 << 20)
    }
    public enum AnimationCurve: Sendable { case easeInOut, easeIn, easeOut, linear }
    public typealias AnimationCompletion = (Bool) -> Void

    public static func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void,
        completion: AnimationCompletion? = nil
    ) { carryOut(animations, completion) }

    public static func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: AnimationCompletion? = nil
    ) { carryOut(animations, completion) }

    public static func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping damping: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: AnimationCompletion? = nil
    ) { carryOut(animations, completion) }

    public static func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [],
        animations: (() -> Void)?, completion: AnimationCompletion? = nil
    ) { carryOut(animations ?? {}, completion) }

    public static func performWithoutAnimation(_ actions: () -> Void) { actions() }

    public static var areAnimationsEnabled: Bool { false }
    public static func setAnimationsEnabled(_ enabled: Bool) {}

    fileprivate static func carryOut(_ animations: () -> Void, _ completion: AnimationCompletion?) {
        animations()
        guard let completion else { return }
        later { completion(true) }
    }

    /// In the next round, where there is one.
    static func later(_ action: @escaping @MainActor () -> Void) {
        guard let instance = Instance.current, instance.isStaged else { return action() }
        instance.runAfterBody(action)
    }
}

public enum UIViewAnimatingPosition: Sendable { case end, start, current }
public enum UIViewAnimatingState: Sendable { case inactive, active, stopped }

/// An animation that is begun by hand.
@MainActor
@preconcurrency
open class UIViewPropertyAnimator: NSObject {
    public private(set) var state = UIViewAnimatingState.inactive
    open var fractionComplete: CGFloat = 0
    public let duration: TimeInterval
    private var animations: [() -> Void] = []
    private var completions: [(UIViewAnimatingPosition) -> Void] = []

    public init(duration: TimeInterval, curve: UIView.AnimationCurve, animations: (() -> Void)? = nil) {
        self.duration = duration
        self.animations = animations.map { [$0] } ?? []
    }
    public convenience init(
        duration: TimeInterval, dampingRatio ratio: CGFloat, animations: (() -> Void)? = nil
    ) { self.init(duration: duration, curve: .easeInOut, animations: animations) }

    open func addAnimations(_ animation: @escaping () -> Void) { animations.append(animation) }
    open func addCompletion(_ completion: @escaping (UIViewAnimatingPosition) -> Void) {
        completions.append(completion)
    }

    open func startAnimation() {
        guard state == .inactive else { return }
        state = .active
        let begun = animations
        animations = []
        for animation in begun { animation() }
        UIView.later { [self] in if state == .active { end(at: .end) } }
    }
    open func startAnimation(afterDelay delay: TimeInterval) { startAnimation() }
    open func stopAnimation(_ withoutFinishing: Bool) { state = withoutFinishing ? .inactive : .stopped }
    open func finishAnimation(at position: UIViewAnimatingPosition) {
        if state == .stopped { end(at: position) }
    }

    private func end(at position: UIViewAnimatingPosition) {
        state = .inactive
        for completion in completions { completion(position) }
    }
}

/// Frames by the clock of the simulation, sixty a second. It holds its target until it is invalidated.
@MainActor
@preconcurrency
public final class CADisplayLink: NSObject {
    public private(set) var timestamp: CFTimeInterval = 0
    public var duration: CFTimeInterval { 1 / Double(framesPerSecond) }
    public var targetTimestamp: CFTimeInterval { timestamp + duration }
    public var preferredFramesPerSecond = 0
    public var isPaused = false { didSet { if oldValue != isPaused { isPaused ? stop() : goOn() } } }
    private var perform: (@MainActor (CADisplayLink) -> Void)?
    private var next: PendingWork?
    private var isAdded = false
    private var framesPerSecond: Int { preferredFramesPerSecond > 0 ? preferredFramesPerSecond : 60 }

    /// What `init(target:selector:)` is with a selector: the method by its name in Swift.
    public init<Target: AnyObject>(
        target: Target, action: @escaping @MainActor (Target) -> (CADisplayLink) -> Void
    ) { perform = { action(target)($0) } }
    public init<Target: AnyObject>(target: Target, action: @escaping @MainActor (Target) -> () -> Void) {
        perform = { _ in action(target)() }
    }

    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        isAdded = true
        goOn()
    }

    public func invalidate() {
        stop()
        perform = nil
    }

    private func stop() {
        next?.cancel()
        next = nil
    }

    private func goOn() {
        guard isAdded, !isPaused, perform != nil, next == nil, Instance.current?.isStaged == true else {
            return
        }
        // Whole milliseconds, whose sum stays with the frames.
        let frame = (timestamp * Double(framesPerSecond)).rounded() + 1
        let milliseconds = Int(
            (frame * 1000 / Double(framesPerSecond)).rounded() - (timestamp * 1000).rounded())
        next = after(milliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            next = nil
            timestamp = frame / Double(framesPerSecond)
            perform?(self)
            goOn()
        }
    }
}

public typealias CFTimeInterval = Double
