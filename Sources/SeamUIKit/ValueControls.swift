@_exported public import Foundation
public import SeamKit

// Controls with a value: it is a field, and turning it tells the targets what a person's finger would. What the program
// writes tells nobody.

/// A value on a scale.
@MainActor
@preconcurrency
open class UISlider: UIControl {
    open var value: Float = 0 { didSet { _show() } }
    open var minimumValue: Float = 0
    open var maximumValue: Float = 1
    open var isContinuous = true
    open var minimumTrackTintColor: UIColor?
    open var maximumTrackTintColor: UIColor?
    open var thumbTintColor: UIColor?
    open var minimumValueImage: UIImage?
    open var maximumValueImage: UIImage?
    open func setValue(_ value: Float, animated: Bool) { self.value = value }

    open override var _shown: String? { "\(value)" }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, isEnabled, let new = Float(text) else { return }
            value = min(max(new, minimumValue), maximumValue)
            sendActions(for: .valueChanged)
        }
    }
}

/// A number that goes up and down by steps: turned to a value, or by a tap on "Increment" or "Decrement".
@MainActor
@preconcurrency
open class UIStepper: UIControl {
    open var value: Double = 0 { didSet { _show() } }
    open var minimumValue: Double = 0
    open var maximumValue: Double = 100
    open var stepValue: Double = 1
    open var wraps = false
    open var autorepeat = true
    open var isContinuous = true

    open override var _shown: String? { "\(value)" }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in if let new = Double(text) { self?.turn(to: new) } }
        control.parts = { [weak self, names = control.names] in
            [("Increment", 1.0), ("Decrement", -1.0)].map { name, direction in
                let part = Control()
                part.names = names.map { "\($0) \(name)" } + [name]
                part.tap = { [weak self] in if let self { turn(to: value + direction * stepValue) } }
                return part
            }
        }
    }

    private func turn(to new: Double) {
        guard isEnabled else { return }
        let (low, high) = (minimumValue, maximumValue)
        let inside = new > high ? (wraps ? low : high) : new < low ? (wraps ? high : low) : new
        // At the end of the scale nothing happens, and nobody is told.
        if inside == value { return }
        value = inside
        sendActions(for: .valueChanged)
    }
}

/// One of several segments: its field is the title of the one that is chosen, or its number where that has none.
@MainActor
@preconcurrency
open class UISegmentedControl: UIControl {
    public static let noSegment = -1

    private struct Segment {
        var title: String?
        var image: UIImage?
        var action: UIAction?
        var isEnabled = true
    }

    private var segments: [Segment] = []
    open var selectedSegmentIndex = UISegmentedControl.noSegment { didSet { _show() } }
    open var selectedSegmentTintColor: UIColor?
    open var isMomentary = false
    open var apportionsSegmentWidthsByContent = false

    public convenience init(items: [Any]?) {
        self.init(frame: .zero)
        segments = (items ?? []).map { item in
            (item as? UIImage).map { Segment(image: $0) } ?? Segment(title: "\(item)")
        }
    }
    public convenience init(frame: CGRect, actions: [UIAction]) {
        self.init(frame: frame)
        segments = actions.map { Segment(title: $0.title, image: $0.image, action: $0) }
    }

    public var numberOfSegments: Int { segments.count }
    open func titleForSegment(at index: Int) -> String? { segments[index].title }
    open func imageForSegment(at index: Int) -> UIImage? { segments[index].image }
    open func setTitle(_ title: String?, forSegmentAt index: Int) {
        segments[index].title = title
        if index == selectedSegmentIndex { _show() }
    }
    open func setImage(_ image: UIImage?, forSegmentAt index: Int) { segments[index].image = image }
    open func setEnabled(_ enabled: Bool, forSegmentAt index: Int) { segments[index].isEnabled = enabled }
    open func isEnabledForSegment(at index: Int) -> Bool { segments[index].isEnabled }
    open func insertSegment(withTitle title: String?, at index: Int, animated: Bool) {
        insert(Segment(title: title), at: index)
    }
    open func insertSegment(with image: UIImage?, at index: Int, animated: Bool) {
        insert(Segment(image: image), at: index)
    }
    open func insertSegment(action: UIAction, at index: Int, animated: Bool) {
        insert(Segment(title: action.title, image: action.image, action: action), at: index)
    }
    open func removeSegment(at index: Int, animated: Bool) {
        segments.remove(at: index)
        if selectedSegmentIndex == index { selectedSegmentIndex = UISegmentedControl.noSegment }
        if selectedSegmentIndex > index { selectedSegmentIndex -= 1 }
    }
    open func removeAllSegments() {
        segments = []
        selectedSegmentIndex = UISegmentedControl.noSegment
    }
    private func insert(_ segment: Segment, at index: Int) {
        segments.insert(segment, at: min(index, segments.count))
        if selectedSegmentIndex >= index { selectedSegmentIndex += 1 }
    }

    open override var _shown: String? {
        guard segments.indices.contains(selectedSegmentIndex) else { return nil }
        return segments[selectedSegmentIndex].title ?? "\(selectedSegmentIndex)"
    }
    open override var _isField: Bool { true }

    /// By its title or its number.
    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, isEnabled,
                let place = segments.firstIndex(where: { $0.title == text }) ?? Int(text),
                segments.indices.contains(place), segments[place].isEnabled, place != selectedSegmentIndex
            else { return }
            selectedSegmentIndex = place
            segments[place].action?.perform(self)
            sendActions(for: [.valueChanged, .primaryActionTriggered])
            if isMomentary { selectedSegmentIndex = UISegmentedControl.noSegment }
        }
    }
}

/// A date: its field is that in ISO 8601.
@MainActor
@preconcurrency
open class UIDatePicker: UIControl {
    public enum Mode: Sendable { case time, date, dateAndTime, countDownTimer, yearAndMonth }

    open var date = Date(timeIntervalSince1970: 0) { didSet { _show() } }
    open var minimumDate: Date?
    open var maximumDate: Date?
    open var datePickerMode = Mode.dateAndTime
    open var preferredDatePickerStyle = UIDatePickerStyle.automatic
    open var minuteInterval = 1
    open var countDownDuration: TimeInterval = 0
    open var locale: Locale?
    open var calendar: Calendar?
    open var timeZone: TimeZone?
    open func setDate(_ date: Date, animated: Bool) { self.date = date }

    open override var _shown: String? { date.modelText }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, isEnabled, let new = Date(modelText: text) else { return }
            date = min(max(new, minimumDate ?? new), maximumDate ?? new)
            sendActions(for: [.valueChanged, .primaryActionTriggered])
        }
    }
}

public enum UIDatePickerStyle: Sendable { case automatic, wheels, compact, inline }

/// Which of several pages is shown: its field is the page's number, from 0.
@MainActor
@preconcurrency
open class UIPageControl: UIControl {
    open var currentPage = 0 {
        didSet {
            let inside = min(max(currentPage, 0), max(numberOfPages - 1, 0))
            if inside != currentPage { currentPage = inside }
            _show()
        }
    }
    open var numberOfPages = 0 {
        didSet { if currentPage >= numberOfPages { currentPage = numberOfPages - 1 } }
    }
    open var hidesForSinglePage = false
    open var pageIndicatorTintColor: UIColor?
    open var currentPageIndicatorTintColor: UIColor?

    open override var _shown: String? { "\(currentPage)" }
    open override var _isField: Bool { true }

    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, isEnabled, let page = Int(text), (0..<numberOfPages).contains(page),
                page != currentPage
            else { return }
            currentPage = page
            sendActions(for: .valueChanged)
        }
    }
}

/// How far something is: a field, of which nobody turns the value.
@MainActor
@preconcurrency
open class UIProgressView: UIView {
    public enum Style: Sendable { case `default`, bar }

    open var progress: Float = 0 { didSet { _show() } }
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
    open var progressTintColor: UIColor?
    open var trackTintColor: UIColor?

    public convenience init(progressViewStyle style: Style) { self.init(frame: .zero) }

    open override var _shown: String? { "\(progress)" }
    open override var _isField: Bool { true }
}

/// Whether something is going on: "true" or "false".
@MainActor
@preconcurrency
open class UIActivityIndicatorView: UIView {
    public enum Style: Sendable { case medium, large }

    open private(set) var isAnimating = false { didSet { _show() } }
    open var hidesWhenStopped = true
    open var style = Style.medium
    // `!` as in UIKit: nil stands for the colour that it has by default.
    open var color: UIColor!

    public convenience init(style: Style) {
        self.init(frame: .zero)
        self.style = style
    }

    open func startAnimating() { isAnimating = true }
    open func stopAnimating() { isAnimating = false }

    open override var _shown: String? { isAnimating ? "true" : "false" }
    open override var _isField: Bool { true }
}

/// Pulled by whoever taps "refreshControl"; it is refreshing until the code says that it has ended.
@MainActor
@preconcurrency
open class UIRefreshControl: UIControl {
    open private(set) var isRefreshing = false
    open var attributedTitle: NSAttributedString?
    open func beginRefreshing() { isRefreshing = true }
    open func endRefreshing() { isRefreshing = false }

    open override func _fill(_ control: Control) {
        if control.names.isEmpty { control.names.append(_kind) }
        control.tap = { [weak self] in
            guard let self, isEnabled, !isRefreshing else { return }
            isRefreshing = true
            sendActions(for: .valueChanged)
        }
    }
}

@MainActor
@preconcurrency
public protocol UISearchBarDelegate: AnyObject {
    func searchBarShouldBeginEditing(_ searchBar: UISearchBar) -> Bool
    func searchBarTextDidBeginEditing(_ searchBar: UISearchBar)
    func searchBarTextDidEndEditing(_ searchBar: UISearchBar)
    func searchBar(_ searchBar: UISearchBar, textDidChange searchText: String)
    func searchBarSearchButtonClicked(_ searchBar: UISearchBar)
    func searchBarCancelButtonClicked(_ searchBar: UISearchBar)
}

extension UISearchBarDelegate {
    public func searchBarShouldBeginEditing(_ searchBar: UISearchBar) -> Bool { true }
    public func searchBarTextDidBeginEditing(_ searchBar: UISearchBar) {}
    public func searchBarTextDidEndEditing(_ searchBar: UISearchBar) {}
    public func searchBar(_ searchBar: UISearchBar, textDidChange searchText: String) {}
    public func searchBarSearchButtonClicked(_ searchBar: UISearchBar) {}
    public func searchBarCancelButtonClicked(_ searchBar: UISearchBar) {}
}

/// A field to search by: typed into, with a line break at the end for its search button; cancelled by a tap on "Cancel".
@MainActor
@preconcurrency
open class UISearchBar: UIView {
    public enum Style: Sendable { case `default`, prominent, minimal }

    open var text: String? = "" { didSet { _show() } }
    open weak var delegate: (any UISearchBarDelegate)?
    open var placeholder: String?
    open var prompt: String?
    open var showsCancelButton = false
    open func setShowsCancelButton(_ shows: Bool, animated: Bool) { showsCancelButton = shows }
    open var searchBarStyle = Style.default
    open var barTintColor: UIColor?
    open var isTranslucent = true
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var autocorrectionType = UITextAutocorrectionType.default
    open var returnKeyType = UIReturnKeyType.search
    open var keyboardType = UIKeyboardType.default
    /// What a search controller does when somebody has typed, and when somebody cancels.
    final var didType: (@MainActor () -> Void)?
    final var didCancel: (@MainActor () -> Void)?

    open override var _shown: String? { text }
    open override var _isField: Bool { true }
    open override var canBecomeFirstResponder: Bool { true }

    open override func _fill(_ control: Control) {
        if let placeholder { control.names.append(placeholder) }
        control.type = { [weak self] text in self?.type(text) }
        control.endEditing = { [weak self] in self?.leave() ?? false }
        guard showsCancelButton || didCancel != nil else { return }
        control.parts = { [weak self] in
            let cancel = Control()
            cancel.names = ["Cancel"]
            cancel.tap = { [weak self] in self?.cancel() }
            return [cancel]
        }
    }

    private func type(_ typed: String) {
        if !isFirstResponder {
            guard delegate?.searchBarShouldBeginEditing(self) ?? true else { return }
            guard becomeFirstResponder() else { return }
            delegate?.searchBarTextDidBeginEditing(self)
        }
        let isSearch = typed.last == "\n"
        let new = isSearch ? String(typed.dropLast()) : typed
        if new != text {
            text = new
            delegate?.searchBar(self, textDidChange: new)
            didType?()
        }
        if isSearch { delegate?.searchBarSearchButtonClicked(self) }
    }

    private func cancel() {
        delegate?.searchBarCancelButtonClicked(self)
        didCancel?()
    }

    @discardableResult
    open override func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        super.resignFirstResponder()
        delegate?.searchBarTextDidEndEditing(self)
        return true
    }
}

// MARK: Dates

/// A date in ISO 8601, which other clients read as well.
extension Date: ModelText {
    public init?(modelText: String) {
        let text = modelText.contains("T") ? modelText : modelText + "T00:00:00Z"
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        self = date
    }
    public var modelText: String { formatted(.iso8601) }
}
