@_exported public import Foundation

/// The app, as far as a screen hears of it.
@MainActor
@preconcurrency
public final class UIApplication {
    public static let shared = UIApplication()

    /// Nobody leaves the app: no place is opened.
    public func canOpenURL(_ url: URL) -> Bool { false }
    public func open(
        _ url: URL, options: [String: Any] = [:], completionHandler: (@MainActor (Bool) -> Void)? = nil
    ) {
        if let completionHandler { UIView.later { completionHandler(false) } }
    }
    public var isIdleTimerDisabled = false

    public nonisolated static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    public nonisolated static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
    public nonisolated static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
}

extension UIResponder {
    // Nobody posts these here but the code itself: there is no keyboard on the screen.
    public nonisolated static let keyboardWillShowNotification = Notification.Name(
        "UIKeyboardWillShowNotification")
    public nonisolated static let keyboardDidShowNotification = Notification.Name(
        "UIKeyboardDidShowNotification")
    public nonisolated static let keyboardWillHideNotification = Notification.Name(
        "UIKeyboardWillHideNotification")
    public nonisolated static let keyboardDidHideNotification = Notification.Name(
        "UIKeyboardDidHideNotification")
    public nonisolated static let keyboardFrameEndUserInfoKey = "UIKeyboardFrameEndUserInfoKey"
    public nonisolated static let keyboardAnimationDurationUserInfoKey =
        "UIKeyboardAnimationDurationUserInfoKey"
}

// What a hand feels: nothing here.

@MainActor
@preconcurrency
open class UIFeedbackGenerator: NSObject {
    public override init() { super.init() }
    open func prepare() {}
}

@MainActor
@preconcurrency
public final class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackStyle: Sendable { case light, medium, heavy, soft, rigid }
    public convenience init(style: FeedbackStyle) { self.init() }
    public func impactOccurred() {}
}

@MainActor
@preconcurrency
public final class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    public func selectionChanged() {}
}

@MainActor
@preconcurrency
public final class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackType: Sendable { case success, warning, error }
    public func notificationOccurred(_ type: FeedbackType) {}
}

/// The device: a phone.
@MainActor
@preconcurrency
public final class UIDevice {
    public static let current = UIDevice()
    public var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
}
