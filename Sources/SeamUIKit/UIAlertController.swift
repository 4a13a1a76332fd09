@_exported public import Foundation
public import SeamKit

/// Something to choose in an alert: a script taps it by its title.
@MainActor
@preconcurrency
open class UIAlertAction: NSObject {
    public enum Style: Sendable { case `default`, cancel, destructive }

    public let title: String?
    public let style: Style
    open var isEnabled = true
    fileprivate let handler: ((UIAlertAction) -> Void)?

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        (self.title, self.style, self.handler) = (title, style, handler)
    }
}

/// A question over a screen. Whoever taps one of its actions closes it, and then the action's handler runs.
@MainActor
@preconcurrency
open class UIAlertController: UIViewController {
    public enum Style: Sendable { case actionSheet, alert }

    open var message: String?
    public let preferredStyle: Style
    public private(set) var actions: [UIAlertAction] = []
    open var preferredAction: UIAlertAction?
    public private(set) var textFields: [UITextField]?

    public init(title: String?, message: String?, preferredStyle: Style) {
        self.preferredStyle = preferredStyle
        super.init(nibName: nil, bundle: nil)
        (self.title, self.message) = (title, message)
    }

    public required init?(coder: NSCoder) {
        preferredStyle = .alert
        super.init(coder: coder)
    }

    open func addAction(_ action: UIAlertAction) { actions.append(action) }

    /// Typed into by its placeholder or its identifier. What is in it is no field of the screen below.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        let field = UITextField()
        configurationHandler?(field)
        textFields = (textFields ?? []) + [field]
    }

    open override func _control() -> Control? {
        let control = Control()
        control.parts = { [weak self] in
            guard let self else { return [] }
            return (textFields ?? []).compactMap { $0._control() } + actions.map(control(for:))
        }
        return control
    }

    private func control(for action: UIAlertAction) -> Control {
        let control = Control()
        control.names = [action.title ?? ""]
        control.tap = { [weak self] in
            guard action.isEnabled else { return }
            self?.presentingViewController?.dismiss(animated: true) { action.handler?(action) }
        }
        return control
    }
}
