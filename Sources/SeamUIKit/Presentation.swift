@_exported public import Foundation
internal import SeamKit

/// How much of the screen below a presented one covers.
public enum UIModalPresentationStyle: Sendable {
    case automatic, none, fullScreen, pageSheet, formSheet, currentContext, custom, overFullScreen
    case overCurrentContext, popover

    /// Whether what lies below leaves the window.
    var covers: Bool { self == .fullScreen || self == .currentContext }
    /// Whether a person gets rid of it by pulling it down, or by a tap beside it.
    var isPulledDown: Bool { [.automatic, .pageSheet, .formSheet, .popover].contains(self) }
}

public enum UIModalTransitionStyle: Sendable {
    case coverVertical, flipHorizontal, crossDissolve, partialCurl
}
public enum UIStatusBarStyle: Sendable { case `default`, lightContent, darkContent }
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let portrait = UIInterfaceOrientationMask(rawValue: 2)
    public static let landscape = UIInterfaceOrientationMask(rawValue: 24)
    public static let allButUpsideDown = UIInterfaceOrientationMask(rawValue: 26)
    public static let all = UIInterfaceOrientationMask(rawValue: 30)
}

/// Hears of it when a person closes what is presented. When the code dismisses it nobody is told: it knows.
@MainActor
@preconcurrency
public protocol UIAdaptivePresentationControllerDelegate: AnyObject {
    func presentationControllerShouldDismiss(_ presentationController: UIPresentationController) -> Bool
    func presentationControllerWillDismiss(_ presentationController: UIPresentationController)
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController)
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController)
    func adaptivePresentationStyle(for controller: UIPresentationController) -> UIModalPresentationStyle
}

extension UIAdaptivePresentationControllerDelegate {
    public func presentationControllerShouldDismiss(_ presentationController: UIPresentationController)
        -> Bool
    { true }
    public func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {}
    public func presentationControllerDidAttemptToDismiss(
        _ presentationController: UIPresentationController
    ) {}
    public func adaptivePresentationStyle(for controller: UIPresentationController)
        -> UIModalPresentationStyle
    { .automatic }
}

/// How a controller is presented.
@MainActor
@preconcurrency
open class UIPresentationController: NSObject {
    /// Who presents it holds it.
    public private(set) weak var presented: UIViewController?
    open weak var delegate: (any UIAdaptivePresentationControllerDelegate)?

    init(_ presented: UIViewController) { self.presented = presented }

    // `!` as in UIKit: whoever asks has the controller.
    open var presentedViewController: UIViewController! { presented }
    // `!` as in UIKit: nil before it is presented.
    open var presentingViewController: UIViewController! { presented?.presentingViewController }

    /// A person pulls it down, or taps beside it.
    func pullDown() {
        guard let presented, let presenter = presented.presentingViewController else { return }
        guard !presented.isModalInPresentation, delegate?.presentationControllerShouldDismiss(self) ?? true
        else {
            delegate?.presentationControllerDidAttemptToDismiss(self)
            return
        }
        delegate?.presentationControllerWillDismiss(self)
        presenter.dismiss(animated: true) { [self] in delegate?.presentationControllerDidDismiss(self) }
    }
}

/// A sheet's heights and the anchor of a popover: kept, and nothing shown of them.
@MainActor
@preconcurrency
public final class UISheetPresentationController: UIPresentationController {
    public struct Detent: Hashable, Sendable {
        public struct Identifier: Hashable, Sendable {
            public let rawValue: String
            public init(_ rawValue: String) { self.rawValue = rawValue }
            public static let medium = Identifier("medium")
            public static let large = Identifier("large")
        }
        public let identifier: Identifier
        public static func medium() -> Detent { Detent(identifier: .medium) }
        public static func large() -> Detent { Detent(identifier: .large) }
    }

    public var detents = [Detent.large()]
    public var selectedDetentIdentifier: Detent.Identifier?
    public var largestUndimmedDetentIdentifier: Detent.Identifier?
    public var prefersGrabberVisible = false
    public var prefersScrollingExpandsWhenScrolledToEdge = true
    public var preferredCornerRadius: CGFloat?
    public var sourceView: UIView?
    public var sourceRect = CGRect.null
    public var barButtonItem: UIBarButtonItem?
    public var permittedArrowDirections: UIRectEdge = .all
    public func animateChanges(_ changes: () -> Void) { changes() }
}

/// A screen over another one. Nothing is animated here, so a transition takes no time; its second half, with what
/// is called at its end, comes after the code that began it.
extension UIViewController {
    /// What it, or what it lies in, has presented.
    public var presentedViewController: UIViewController? { ownPresented ?? parent?.presentedViewController }
    public var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }

    var presentedLast: UIViewController? { ownPresented.map { $0.presentedLast ?? $0 } }

    /// What is presented is over all the rest: nobody gets at what lies below before it has gone.
    var controlsOnTop: [Control] {
        guard let top = presentedLast else { return _control().map { [$0] } ?? [] }
        let own = top._control().map { [$0] } ?? []
        guard top.modalPresentationStyle.isPulledDown, !(top is UIAlertController) else { return own }
        let away = Control()
        away.names = ["dismiss"]
        away.tap = { [weak top] in top?.presentationController?.pullDown() }
        return own + [away]
    }

    private var outermost: UIViewController { parent?.outermost ?? self }

    public func present(
        _ controller: UIViewController, animated: Bool, completion: (@MainActor () -> Void)? = nil
    ) {
        guard let instance = Instance.current else { return }
        instance.finishMoves()
        let below = outermost
        func refuse(_ why: String) {
            instance.report(
                2, "not-presented", "\(type(of: controller)) was not presented by \(type(of: below)), \(why)")
        }
        if let there = below.ownPresented {
            return refuse("which presents \(type(of: there)) already: dismiss that first")
        }
        guard let surface = below.viewIfLoaded?.surface, below.viewIfLoaded?.window != nil else {
            return refuse(
                "which is in no window: present it from viewDidAppear, or from what is on the screen")
        }
        if controller.presenter != nil || controller.parent != nil {
            return refuse("since it is on a screen already: dismiss it there, or make another one")
        }
        below.ownPresented = controller
        controller.presenter = below
        controller.isBeingPresented = true
        controller.loadViewIfNeeded()
        let covers = controller.modalPresentationStyle.covers && below.viewIfLoaded?.hasOwnSurface == true
        if covers { below.beginAppearanceTransition(false, animated: animated) }
        controller.beginAppearanceTransition(true, animated: animated)
        controller.viewIfLoaded?._enter(surface.onScreen)
        instance.finishLater {
            controller.endAppearanceTransition()
            controller.isBeingPresented = false
            if covers {
                below.covered = below.viewIfLoaded?.leaveScreen()
                below.endAppearanceTransition()
            }
            completion?()
        }
    }

    /// What it presents goes, with all that is over that; without any, it goes itself.
    public func dismiss(animated: Bool, completion: (@MainActor () -> Void)? = nil) {
        guard let instance = Instance.current else { return }
        instance.finishMoves()
        guard let below = presentedViewController?.presenter ?? presentingViewController,
            let above = below.ownPresented
        else {
            completion?()
            return
        }
        var leaving: [UIViewController] = []
        var next: UIViewController? = above
        while let one = next {
            leaving.insert(one, at: 0)
            next = one.ownPresented
        }
        for one in leaving {
            one.isBeingDismissed = true
            one.beginAppearanceTransition(false, animated: animated)
        }
        if let surface = below.covered {
            below.covered = nil
            below.beginAppearanceTransition(true, animated: animated)
            below.viewIfLoaded?._enter(surface)
            instance.finishLater { below.endAppearanceTransition() }
        }
        below.ownPresented = nil
        instance.finishLater {
            for one in leaving {
                one.presenter = nil
                one.ownPresented = nil
                one.viewIfLoaded?.leaveScreen()
                one.endAppearanceTransition()
                one.isBeingDismissed = false
            }
            below.viewIfLoaded?.comeToLight()
            completion?()
        }
    }
}
