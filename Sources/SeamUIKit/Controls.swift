@_exported public import Foundation
public import SeamKit

/// A label: its text is a field.
@MainActor
@preconcurrency
open class UILabel: UIView {
    open var text: String? { didSet { _show() } }
    public var numberOfLines = 1
    public var textColor: UIColor?

    open override var _shown: String? { text }
    open override var _isField: Bool { true }
}

/// A control with targets: closures, since there are no selectors here.
@MainActor
@preconcurrency
open class UIControl: UIView {
    public struct Event: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        public static let editingChanged = Event(rawValue: 1 << 17)
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
    }

    public struct State: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal: State = []
        public static let highlighted = State(rawValue: 1)
        public static let disabled = State(rawValue: 2)
        public static let selected = State(rawValue: 4)
    }

    open var isEnabled = true
    open var isSelected = false
    private var actions: [(events: Event, identifier: UIAction.Identifier, perform: @MainActor () -> Void)] =
        []

    open func addAction(_ action: UIAction, for events: Event) {
        actions.removeAll { $0.identifier == action.identifier && $0.events == events }
        actions.append((events, action.identifier, { [weak self] in action.perform(self) }))
    }

    open func removeAction(_ action: UIAction, for events: Event) {
        actions.removeAll { $0.identifier == action.identifier && $0.events == events }
    }

    /// What `addTarget(_:action:for:)` is with a selector: the method by its name in Swift. The target is not kept alive.
    open func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping @MainActor (Target) -> () -> Void, for events: Event
    ) {
        let identifier = UIAction.Identifier(UUID().uuidString)
        actions.append((events, identifier, { [weak target] in if let target { action(target)() } }))
    }

    open func addTarget<Target: AnyObject, Sender>(
        _ target: Target, action: @escaping @MainActor (Target) -> (Sender) -> Void, for events: Event
    ) {
        let identifier = UIAction.Identifier(UUID().uuidString)
        actions.append(
            (
                events, identifier,
                { [weak self, weak target] in
                    if let target, let sender = self as? Sender { action(target)(sender) }
                }
            ))
    }

    func hears(_ event: Event) -> Bool { actions.contains { $0.events.contains(event) } }

    open func sendActions(for events: Event) {
        guard isEnabled else { return }
        for action in actions where !action.events.isDisjoint(with: events) { action.perform() }
    }
}

/// Something to do, with what it is called.
@MainActor
@preconcurrency
public final class UIAction {
    public struct Identifier: Hashable, Sendable {
        let rawValue: String
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    public let title: String
    public let identifier: Identifier
    public private(set) weak var sender: UIControl?
    private let handler: @MainActor (UIAction) -> Void

    public init(
        title: String = "", identifier: Identifier? = nil, handler: @escaping @MainActor (UIAction) -> Void
    ) {
        self.title = title
        self.identifier = identifier ?? Identifier(UUID().uuidString)
        self.handler = handler
    }

    func perform(_ sender: UIControl?) {
        self.sender = sender
        handler(self)
    }
}

/// A button: its title is a field.
@MainActor
@preconcurrency
open class UIButton: UIControl {
    public enum ButtonType: Sendable { case custom, system }

    private var titles: [UInt: String] = [:]

    public convenience init(type: ButtonType) { self.init(frame: .zero) }
    public convenience init(type: ButtonType, primaryAction: UIAction?) {
        self.init(frame: .zero)
        if let primaryAction {
            setTitle(primaryAction.title, for: .normal)
            addAction(primaryAction, for: .primaryActionTriggered)
        }
    }

    open func setTitle(_ title: String?, for state: State) {
        titles[state.rawValue] = title
        _show()
    }
    open func title(for state: State) -> String? { titles[state.rawValue] ?? titles[0] }
    public var currentTitle: String? { title(for: isEnabled ? .normal : .disabled) }

    open override var _shown: String? { currentTitle }
    open override var _isField: Bool { currentTitle != nil }

    open override func _fill(_ control: Control) {
        if let title = currentTitle { control.names.append(title) }
        if control.names.isEmpty { control.names.append(_kind) }
        control.tap = { [weak self] in self?.sendActions(for: [.touchUpInside, .primaryActionTriggered]) }
    }
}

/// A switch: "true" or "false".
@MainActor
@preconcurrency
open class UISwitch: UIControl {
    open var isOn = false { didSet { _show() } }
    open func setOn(_ on: Bool, animated: Bool) { isOn = on }

    open override var _shown: String? { isOn ? "true" : "false" }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] value in self?.turn(value == "true") }
        control.tap = { [weak self] in if let self { turn(!isOn) } }
    }

    private func turn(_ on: Bool) {
        guard isEnabled else { return }
        isOn = on
        sendActions(for: .valueChanged)
    }
}

/// A value on a scale.
@MainActor
@preconcurrency
open class UISlider: UIControl {
    open var value: Float = 0 { didSet { _show() } }
    public var minimumValue: Float = 0
    public var maximumValue: Float = 1
    open func setValue(_ value: Float, animated: Bool) { self.value = value }

    open override var _shown: String? { "\(value)" }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, let new = Float(text) else { return }
            value = min(max(new, minimumValue), maximumValue)
            sendActions(for: .valueChanged)
        }
    }
}

@MainActor
@preconcurrency
public protocol UITextFieldDelegate: AnyObject {
    func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool
    func textFieldDidBeginEditing(_ textField: UITextField)
    func textFieldDidEndEditing(_ textField: UITextField)
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
    func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool
    func textFieldDidChangeSelection(_ textField: UITextField)
}

extension UITextFieldDelegate {
    public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldDidBeginEditing(_ textField: UITextField) {}
    public func textFieldDidEndEditing(_ textField: UITextField) {}
    public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
    public func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool { true }
    public func textFieldDidChangeSelection(_ textField: UITextField) {}
}

/// A field to type into. What the program writes is no event; what a person types is.
@MainActor
@preconcurrency
open class UITextField: UIControl {
    open var text: String? = "" {
        didSet {
            isWritten = true
            _show()
        }
    }
    /// A field that nobody has written anything into shows nothing, which is not the empty text.
    private var isWritten = false
    public var placeholder: String?
    public weak var delegate: (any UITextFieldDelegate)?

    open override var _shown: String? { isWritten ? text : nil }
    open override var _isField: Bool { true }
    open override var canBecomeFirstResponder: Bool { true }

    open override func _fill(_ control: Control) {
        if let placeholder { control.names.append(placeholder) }
        control.type = { [weak self] text in self?.type(text) }
    }

    /// A line end at the end is the key Return.
    private func type(_ typed: String) {
        guard isEnabled else { return }
        if !isFirstResponder {
            guard delegate?.textFieldShouldBeginEditing(self) ?? true, becomeFirstResponder() else { return }
            delegate?.textFieldDidBeginEditing(self)
            sendActions(for: .editingDidBegin)
        }
        let returns = typed.hasSuffix("\n")
        if typed != "\n" { enter(returns ? String(typed.dropLast()) : typed) }
        guard returns, delegate?.textFieldShouldReturn(self) ?? true else { return }
        sendActions(for: [.primaryActionTriggered, .editingDidEndOnExit])
        // Whoever waits for the end by this key has it end there.
        if hears(.editingDidEndOnExit) { resignFirstResponder() }
    }

    private func enter(_ typed: String) {
        let range = NSRange(location: 0, length: (text ?? "").utf16.count)
        guard
            delegate?.textField(self, shouldChangeCharactersIn: range, replacementString: typed) ?? true
        else { return }
        text = typed
        // What is typed moves the caret.
        delegate?.textFieldDidChangeSelection(self)
        sendActions(for: .editingChanged)
    }

    @discardableResult
    open override func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        super.resignFirstResponder()
        delegate?.textFieldDidEndEditing(self)
        sendActions(for: .editingDidEnd)
        return true
    }
}

@MainActor
@preconcurrency
public protocol UITextViewDelegate: AnyObject {
    func textViewShouldBeginEditing(_ textView: UITextView) -> Bool
    func textViewDidBeginEditing(_ textView: UITextView)
    func textViewDidChange(_ textView: UITextView)
    func textViewDidChangeSelection(_ textView: UITextView)
    func textViewDidEndEditing(_ textView: UITextView)
    func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String)
        -> Bool
}

extension UITextViewDelegate {
    public func textViewShouldBeginEditing(_ textView: UITextView) -> Bool { true }
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    public func textViewDidChange(_ textView: UITextView) {}
    public func textViewDidChangeSelection(_ textView: UITextView) {}
    public func textViewDidEndEditing(_ textView: UITextView) {}
    public func textView(
        _ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String
    ) -> Bool { true }
}

/// A text to edit. A text that the program writes is not told to the delegate; one that a person types is (R38).
@MainActor
@preconcurrency
open class UITextView: UIView {
    // `!` as in UIKit: nil is taken for the empty text, and never given back.
    open var text: String! = "" {
        didSet {
            if text == nil { text = "" }
            isWritten = true
            _show()
        }
    }
    /// A text view that nobody has written anything into shows nothing, which is not the empty text.
    private var isWritten = false
    public weak var delegate: (any UITextViewDelegate)?
    public var isEditable = true

    open override var _shown: String? { isWritten ? text : nil }
    open override var _isField: Bool { true }
    open override var canBecomeFirstResponder: Bool { true }

    open override func _fill(_ control: Control) {
        control.type = { [weak self] text in self?.type(text) }
    }

    private func type(_ typed: String) {
        guard isEditable else { return }
        if !isFirstResponder {
            guard delegate?.textViewShouldBeginEditing(self) ?? true, becomeFirstResponder() else { return }
            delegate?.textViewDidBeginEditing(self)
        }
        let range = NSRange(location: 0, length: text.utf16.count)
        guard delegate?.textView(self, shouldChangeTextIn: range, replacementText: typed) ?? true else {
            return
        }
        text = typed
        // What is typed moves the caret.
        delegate?.textViewDidChangeSelection(self)
        delegate?.textViewDidChange(self)
    }

    @discardableResult
    open override func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        super.resignFirstResponder()
        delegate?.textViewDidEndEditing(self)
        return true
    }
}
