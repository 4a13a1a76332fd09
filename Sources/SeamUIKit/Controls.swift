@_exported public import Foundation
public import SeamKit

/// A label: its text is a field.
@MainActor
@preconcurrency
open class UILabel: UIView {
    open var text: String? {
        didSet {
            attributes = nil
            _show()
        }
    }
    private var attributes: NSAttributedString?
    open var attributedText: NSAttributedString? {
        get { attributes ?? text.map { NSAttributedString(string: $0) } }
        set {
            text = newValue?.string
            attributes = newValue
        }
    }

    // `!` as in UIKit: nil stands for what it has by default.
    open var font: UIFont! = UILabel.plainFont
    open var textColor: UIColor! = UILabel.plainColor
    private static let (plainFont, plainColor) = (UIFont.systemFont(ofSize: 17), UIColor.label)
    open var textAlignment = NSTextAlignment.natural
    open var numberOfLines = 1
    open var lineBreakMode = NSLineBreakMode.byTruncatingTail
    open var adjustsFontSizeToFitWidth = false
    open var adjustsFontForContentSizeCategory = false
    open var minimumScaleFactor: CGFloat = 0
    open var baselineAdjustment = UIBaselineAdjustment.alignBaselines
    open var allowsDefaultTighteningForTruncation = false
    open var preferredMaxLayoutWidth: CGFloat = 0
    open var isEnabled = true
    open var isHighlighted = false
    open var highlightedTextColor: UIColor?
    open var shadowColor: UIColor?
    open var shadowOffset = CGSize(width: 0, height: -1)

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
        public static let touchDown = Event(rawValue: 1)
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let touchUpOutside = Event(rawValue: 1 << 7)
        public static let touchCancel = Event(rawValue: 1 << 8)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        public static let editingChanged = Event(rawValue: 1 << 17)
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        public static let allEditingEvents = Event(rawValue: 15 << 16)
        public static let allEvents = Event(rawValue: .max)
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
    open var isHighlighted = false
    open var contentHorizontalAlignment = ContentHorizontalAlignment.center
    open var contentVerticalAlignment = ContentVerticalAlignment.center
    open var showsMenuAsPrimaryAction = false

    public enum ContentHorizontalAlignment: Sendable { case center, left, right, fill, leading, trailing }
    public enum ContentVerticalAlignment: Sendable { case center, top, bottom, fill }

    open var state: State {
        var state: State = []
        if !isEnabled { state.insert(.disabled) }
        if isSelected { state.insert(.selected) }
        if isHighlighted { state.insert(.highlighted) }
        return state
    }

    // `final` here and below: with a closure in its signature, a method that can be overridden has one name in this file
    // and another where a subclass in another file refers to it (swiftc 6.3.1).
    private final var actions:
        [(events: Event, identifier: UIAction.Identifier, perform: @MainActor () -> Void)] = []

    open func addAction(_ action: UIAction, for events: Event) {
        actions.removeAll { $0.identifier == action.identifier && $0.events == events }
        actions.append((events, action.identifier, { [weak self] in action.perform(self) }))
    }

    open func removeAction(_ action: UIAction, for events: Event) {
        actions.removeAll { $0.identifier == action.identifier && $0.events == events }
    }

    /// What `addTarget(_:action:for:)` is with a selector: the method by its name in Swift. The target is not kept alive.
    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping @MainActor (Target) -> () -> Void, for events: Event
    ) {
        add(TargetAction(target, action), of: target, for: events)
    }

    public final func addTarget<Target: AnyObject, Sender>(
        _ target: Target, action: @escaping @MainActor (Target) -> (Sender) -> Void, for events: Event
    ) {
        add(TargetAction(target, action), of: target, for: events)
    }

    private func add(_ action: TargetAction, of target: AnyObject, for events: Event) {
        let identifier = UIAction.Identifier("\u{1}target \(ObjectIdentifier(target))")
        actions.append((events, identifier, { [weak self] in if let self { action.perform(self) } }))
    }

    /// All that the target was added for: there is no selector to tell its methods apart by.
    open func removeTarget(_ target: AnyObject?, for events: Event) {
        let identifier = target.map { "\u{1}target \(ObjectIdentifier($0))" }
        actions.removeAll { action in
            let name = action.identifier.rawValue
            return !action.events.isDisjoint(with: events)
                && (identifier.map { $0 == name } ?? name.hasPrefix("\u{1}target"))
        }
    }

    func hears(_ event: Event) -> Bool { actions.contains { $0.events.contains(event) } }

    open func sendActions(for events: Event) {
        guard isEnabled else { return }
        for action in actions where !action.events.isDisjoint(with: events) { action.perform() }
    }
}

/// What a menu is made of.
@MainActor
@preconcurrency
open class UIMenuElement: NSObject {
    public enum State: Sendable { case off, on, mixed }
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let disabled = Attributes(rawValue: 1)
        public static let destructive = Attributes(rawValue: 2)
        public static let hidden = Attributes(rawValue: 4)
    }

    open var title: String
    open var image: UIImage?

    init(title: String, image: UIImage?) { (self.title, self.image) = (title, image) }

    /// What somebody who has opened the menu can do.
    func controls() -> [Control] { [] }
}

/// Actions, and menus of more of them. In a script each action is tapped by its title, with no need to open the menu.
@MainActor
@preconcurrency
public final class UIMenu: UIMenuElement {
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let displayInline = Options(rawValue: 1)
        public static let destructive = Options(rawValue: 2)
        public static let singleSelection = Options(rawValue: 32)
    }

    public let children: [UIMenuElement]
    public let options: Options

    public init(
        title: String = "", image: UIImage? = nil, options: Options = [], children: [UIMenuElement] = []
    ) {
        (self.children, self.options) = (children, options)
        super.init(title: title, image: image)
    }

    override func controls() -> [Control] { children.flatMap { $0.controls() } }
}

/// Something to do, with what it is called.
@MainActor
@preconcurrency
public final class UIAction: UIMenuElement {
    public struct Identifier: Hashable, Sendable {
        let rawValue: String
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    public let identifier: Identifier
    public var attributes: Attributes
    public var state: State
    public private(set) weak var sender: AnyObject?
    private let handler: @MainActor (UIAction) -> Void

    public init(
        title: String = "", image: UIImage? = nil, identifier: Identifier? = nil,
        attributes: Attributes = [], state: State = .off, handler: @escaping @MainActor (UIAction) -> Void
    ) {
        self.identifier = identifier ?? Identifier(UUID().uuidString)
        self.attributes = attributes
        self.state = state
        self.handler = handler
        super.init(title: title, image: image)
    }

    func perform(_ sender: AnyObject?) {
        if attributes.contains(.disabled) { return }
        self.sender = sender
        handler(self)
    }

    override func controls() -> [Control] {
        if attributes.contains(.hidden) { return [] }
        let control = Control()
        control.names = [title]
        control.tap = { [weak self] in self?.perform(self) }
        return [control]
    }
}

/// A button: its title is a field.
@MainActor
@preconcurrency
open class UIButton: UIControl {
    public enum ButtonType: Sendable {
        case custom, system, detailDisclosure, infoLight, infoDark, contactAdd, close
    }

    /// What a button is like, as one value.
    public struct Configuration {
        public enum CornerStyle: Sendable { case fixed, dynamic, small, medium, large, capsule }
        public enum Size: Sendable { case mini, small, medium, large }

        public var title: String?
        public var subtitle: String?
        public var attributedTitle: AttributedString?
        public var image: UIImage?
        public var imagePlacement = NSDirectionalRectEdge.leading
        public var imagePadding: CGFloat = 0
        public var titlePadding: CGFloat = 1
        public var contentInsets = NSDirectionalEdgeInsets()
        public var cornerStyle = CornerStyle.dynamic
        public var buttonSize = Size.medium
        public var baseForegroundColor: UIColor?
        public var baseBackgroundColor: UIColor?
        public var showsActivityIndicator = false

        public static func plain() -> Configuration { Configuration() }
        public static func gray() -> Configuration { Configuration() }
        public static func tinted() -> Configuration { Configuration() }
        public static func filled() -> Configuration { Configuration() }
        public static func bordered() -> Configuration { Configuration() }
        public static func borderedProminent() -> Configuration { Configuration() }
        public static func borderedTinted() -> Configuration { Configuration() }
        public static func borderless() -> Configuration { Configuration() }

        var shownTitle: String? { title ?? attributedTitle.map { String($0.characters) } }
    }

    private var titles: [UInt: String] = [:]
    private var images: [UInt: UIImage] = [:]
    private var titleColors: [UInt: UIColor] = [:]
    /// For its font and the like; what it says is the button's.
    open private(set) lazy var titleLabel: UILabel? = UILabel()
    open private(set) lazy var imageView: UIImageView? = UIImageView()
    open var configuration: Configuration? { didSet { if configuration?.shownTitle != nil { _show() } } }
    open var contentEdgeInsets = UIEdgeInsets.zero
    open var titleEdgeInsets = UIEdgeInsets.zero
    open var imageEdgeInsets = UIEdgeInsets.zero
    open var menu: UIMenu?
    public private(set) var buttonType = ButtonType.custom

    public convenience init(type: ButtonType) {
        self.init(frame: .zero)
        buttonType = type
    }
    public convenience init(type: ButtonType, primaryAction: UIAction?) {
        self.init(frame: .zero, primaryAction: primaryAction)
        buttonType = type
    }
    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) {
        self.init(frame: .zero, primaryAction: primaryAction)
        self.configuration = configuration
    }
    public convenience init(primaryAction: UIAction?) {
        self.init(frame: .zero, primaryAction: primaryAction)
    }
    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction {
            if !primaryAction.title.isEmpty { setTitle(primaryAction.title, for: .normal) }
            addAction(primaryAction, for: .primaryActionTriggered)
        }
    }

    open func setTitle(_ title: String?, for state: State) {
        titles[state.rawValue] = title
        _show()
    }
    open func title(for state: State) -> String? { titles[state.rawValue] ?? titles[0] }
    open func setAttributedTitle(_ title: NSAttributedString?, for state: State) {
        setTitle(title?.string, for: state)
    }
    public var currentTitle: String? { title(for: state) }
    open func setImage(_ image: UIImage?, for state: State) { images[state.rawValue] = image }
    open func image(for state: State) -> UIImage? { images[state.rawValue] ?? images[0] }
    open func setTitleColor(_ color: UIColor?, for state: State) { titleColors[state.rawValue] = color }
    open func titleColor(for state: State) -> UIColor? { titleColors[state.rawValue] ?? titleColors[0] }

    // Each state may have a title of its own.
    open override var isSelected: Bool { didSet { showOther(oldValue, isSelected) } }
    open override var isEnabled: Bool { didSet { showOther(oldValue, isEnabled) } }
    private func showOther(_ old: Bool, _ new: Bool) { if old != new, titles.count > 1 { _show() } }

    open override var _shown: String? { configuration?.shownTitle ?? currentTitle }
    open override var _isField: Bool { _shown != nil }

    open override func _fill(_ control: Control) {
        if let title = _shown { control.names.append(title) }
        if control.names.isEmpty { control.names.append(_kind) }
        control.tap = { [weak self] in self?.sendActions(for: [.touchUpInside, .primaryActionTriggered]) }
        if let menu { control.parts = { menu.controls() } }
    }
}

public struct NSDirectionalRectEdge: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let top = NSDirectionalRectEdge(rawValue: 1)
    public static let leading = NSDirectionalRectEdge(rawValue: 2)
    public static let bottom = NSDirectionalRectEdge(rawValue: 4)
    public static let trailing = NSDirectionalRectEdge(rawValue: 8)
    public static let all: NSDirectionalRectEdge = [.top, .leading, .bottom, .trailing]
}

/// A switch: "true" or "false".
@MainActor
@preconcurrency
open class UISwitch: UIControl {
    open var isOn = false { didSet { _show() } }
    open func setOn(_ on: Bool, animated: Bool) { isOn = on }
    open var onTintColor: UIColor?
    open var thumbTintColor: UIColor?

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

@MainActor
@preconcurrency
public protocol UITextFieldDelegate: AnyObject {
    func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool
    func textFieldDidBeginEditing(_ textField: UITextField)
    func textFieldShouldEndEditing(_ textField: UITextField) -> Bool
    func textFieldShouldClear(_ textField: UITextField) -> Bool
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
    public func textFieldShouldEndEditing(_ textField: UITextField) -> Bool { true }
    public func textFieldShouldClear(_ textField: UITextField) -> Bool { true }
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
open class UITextField: UIControl, UITextInputTraits {
    open var text: String? = "" {
        didSet {
            isWritten = true
            _show()
        }
    }
    /// A field that nobody has written anything into shows nothing, which is not the empty text.
    private var isWritten = false
    open weak var delegate: (any UITextFieldDelegate)?

    open var attributedText: NSAttributedString? {
        get { text.map { NSAttributedString(string: $0) } }
        set { text = newValue?.string }
    }
    open var placeholder: String?
    open var attributedPlaceholder: NSAttributedString? {
        get { placeholder.map { NSAttributedString(string: $0) } }
        set { placeholder = newValue?.string }
    }
    open var isEditing: Bool { isFirstResponder }
    open var hasText: Bool { text?.isEmpty == false }

    public enum BorderStyle: Sendable { case none, line, bezel, roundedRect }
    public enum ViewMode: Sendable { case never, whileEditing, unlessEditing, always }
    open var font: UIFont?
    open var textColor: UIColor?
    open var textAlignment = NSTextAlignment.natural
    open var borderStyle = BorderStyle.none
    open var clearButtonMode = ViewMode.never
    open var leftView: UIView?
    open var leftViewMode = ViewMode.never
    open var rightView: UIView?
    open var rightViewMode = ViewMode.never
    open var adjustsFontSizeToFitWidth = false
    open var adjustsFontForContentSizeCategory = false
    open var minimumFontSize: CGFloat = 0
    open var clearsOnBeginEditing = false

    open var keyboardType = UIKeyboardType.default
    open var keyboardAppearance = UIKeyboardAppearance.default
    open var returnKeyType = UIReturnKeyType.default
    open var enablesReturnKeyAutomatically = false
    open var autocorrectionType = UITextAutocorrectionType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var spellCheckingType = UITextSpellCheckingType.default
    open var smartQuotesType = UITextSmartQuotesType.default
    open var smartDashesType = UITextSmartDashesType.default
    // `!` as in UIKit: nil says that there is none.
    open var textContentType: UITextContentType!
    open var isSecureTextEntry = false

    open override var _shown: String? { isWritten ? text : nil }
    open override var _isField: Bool { true }
    open override var canBecomeFirstResponder: Bool { true }

    open override func _fill(_ control: Control) {
        if let placeholder { control.names.append(placeholder) }
        control.type = { [weak self] text in self?.type(text) }
        control.endEditing = { [weak self] in self?.leave() ?? false }
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
        guard delegate?.textFieldShouldEndEditing(self) ?? true else { return false }
        super.resignFirstResponder()
        delegate?.textFieldDidEndEditing(self)
        sendActions(for: .editingDidEnd)
        return true
    }
}

@MainActor
@preconcurrency
public protocol UITextViewDelegate: UIScrollViewDelegate {
    func textViewShouldBeginEditing(_ textView: UITextView) -> Bool
    func textViewDidBeginEditing(_ textView: UITextView)
    func textViewShouldEndEditing(_ textView: UITextView) -> Bool
    func textViewDidChange(_ textView: UITextView)
    func textViewDidChangeSelection(_ textView: UITextView)
    func textViewDidEndEditing(_ textView: UITextView)
    func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String)
        -> Bool
}

extension UITextViewDelegate {
    public func textViewShouldBeginEditing(_ textView: UITextView) -> Bool { true }
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    public func textViewShouldEndEditing(_ textView: UITextView) -> Bool { true }
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
open class UITextView: UIScrollView, UITextInputTraits {
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
    open weak var delegate: (any UITextViewDelegate)?
    override var scrollDelegate: (any UIScrollViewDelegate)? { delegate }

    // `!` as in UIKit: a text view gives back a text, also where nil was set.
    open var attributedText: NSAttributedString! {
        get { NSAttributedString(string: text) }
        set { text = newValue?.string }
    }
    open var hasText: Bool { !text.isEmpty }
    open var isEditable = true
    open var isSelectable = true
    open var selectedRange = NSRange(location: 0, length: 0)
    open var font: UIFont?
    open var textColor: UIColor?
    open var textAlignment = NSTextAlignment.natural
    open var textContainerInset = UIEdgeInsets(top: 8, left: 0, bottom: 8, right: 0)
    open var dataDetectorTypes: UIDataDetectorTypes = []
    open var adjustsFontForContentSizeCategory = false
    open var allowsEditingTextAttributes = false

    open var keyboardType = UIKeyboardType.default
    open var keyboardAppearance = UIKeyboardAppearance.default
    open var returnKeyType = UIReturnKeyType.default
    open var enablesReturnKeyAutomatically = false
    open var autocorrectionType = UITextAutocorrectionType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var spellCheckingType = UITextSpellCheckingType.default
    open var smartQuotesType = UITextSmartQuotesType.default
    open var smartDashesType = UITextSmartDashesType.default
    // `!` as in UIKit: nil says that there is none.
    open var textContentType: UITextContentType!
    open var isSecureTextEntry = false

    open override var _shown: String? { isWritten ? text : nil }
    open override var _isField: Bool { true }
    open override var canBecomeFirstResponder: Bool { true }

    open override func _fill(_ control: Control) {
        control.type = { [weak self] text in self?.type(text) }
        control.endEditing = { [weak self] in self?.leave() ?? false }
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
        guard delegate?.textViewShouldEndEditing(self) ?? true else { return false }
        super.resignFirstResponder()
        delegate?.textViewDidEndEditing(self)
        return true
    }
}
