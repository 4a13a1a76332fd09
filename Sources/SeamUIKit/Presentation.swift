@_exported public import Foundation
internal import SeamKit

/// How much of the screen below a presented one covers.
public enum UIModalPresentationStyle: Sendable {
    case automatic, none, fullScreen, pageSheet, formSheet, currentContext, custom, overFullScreen
    case overCurrentContext, popover

    /// Whether what lies below leaves the window.
    var covers: Bool { self == .fullScreen || self == .currentContext }
}

/// A screen over another one. Nothing is animated here, so a transition takes no time; its second half, with what
/// is called at its end, comes after the code that began it.
extension UIViewController {
    /// What it, or what it lies in, has presented.
    public var presentedViewController: UIViewController? { ownPresented ?? parent?.presentedViewController }
    public var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }

    var presentedLast: UIViewController? { ownPresented.map { $0.presentedLast ?? $0 } }
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
