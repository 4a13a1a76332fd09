@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UIScrollViewDelegate: AnyObject {
    func scrollViewDidScroll(_ scrollView: UIScrollView)
    func scrollViewWillBeginDragging(_ scrollView: UIScrollView)
    func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool)
    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
    func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView)
    func viewForZooming(in scrollView: UIScrollView) -> UIView?
}

extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    public func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {}
    public func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndScrollingAnimation(_ scrollView: UIScrollView) {}
    public func viewForZooming(in scrollView: UIScrollView) -> UIView? { nil }
}

/// Tables, collections and text views have a delegate of their own kind under the same name, which is found before this.
@MainActor
@preconcurrency
public protocol _Scrolling: AnyObject {}

extension _Scrolling where Self: UIScrollView {
    public var delegate: (any UIScrollViewDelegate)? {
        get { plainDelegate }
        set { plainDelegate = newValue }
    }
}

/// What can be scrolled. Nothing is laid out, so no content is out of sight: a script turns it to "120" to scroll there.
@MainActor
@preconcurrency
open class UIScrollView: UIView, _Scrolling {
    public enum KeyboardDismissMode: Sendable { case none, onDrag, interactive }
    public enum ContentInsetAdjustmentBehavior: Sendable { case automatic, scrollableAxes, never, always }

    fileprivate weak var plainDelegate: (any UIScrollViewDelegate)?
    var scrollDelegate: (any UIScrollViewDelegate)? { plainDelegate }

    /// Told to the delegate, whoever sets it.
    open var contentOffset = CGPoint.zero {
        didSet { if oldValue != contentOffset { scrollDelegate?.scrollViewDidScroll(self) } }
    }
    open func setContentOffset(_ offset: CGPoint, animated: Bool) {
        let isOther = offset != contentOffset
        contentOffset = offset
        if animated, isOther {
            UIView.later { [weak self] in
                if let self { scrollDelegate?.scrollViewDidEndScrollingAnimation(self) }
            }
        }
    }
    open var contentSize = CGSize.zero
    open var contentInset = UIEdgeInsets.zero
    open var scrollIndicatorInsets = UIEdgeInsets.zero
    open var verticalScrollIndicatorInsets = UIEdgeInsets.zero
    open var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
    open var isScrollEnabled = true
    open var isPagingEnabled = false
    open var bounces = true
    open var alwaysBounceVertical = false
    open var alwaysBounceHorizontal = false
    open var showsVerticalScrollIndicator = true
    open var showsHorizontalScrollIndicator = true
    open var keyboardDismissMode = KeyboardDismissMode.none
    open var delaysContentTouches = true
    open var zoomScale: CGFloat = 1
    open var minimumZoomScale: CGFloat = 1
    open var maximumZoomScale: CGFloat = 1
    open var isDragging: Bool { false }
    open var isDecelerating: Bool { false }
    open private(set) lazy var contentLayoutGuide = UILayoutGuide()
    open private(set) lazy var frameLayoutGuide = UILayoutGuide()
    open var refreshControl: UIRefreshControl? {
        didSet {
            oldValue?.removeFromSuperview()
            if let refreshControl { addSubview(refreshControl) }
        }
    }

    open override func _fill(_ control: Control) {
        guard scrollDelegate != nil else { return }
        if control.names.isEmpty { control.names.append(_kind) }
        control.set = { [weak self] text in if let y = Double(text) { self?.drag(to: y) } }
    }

    private func drag(to y: Double) {
        guard isScrollEnabled else { return }
        scrollDelegate?.scrollViewWillBeginDragging(self)
        contentOffset.y = CGFloat(y)
        scrollDelegate?.scrollViewDidEndDragging(self, willDecelerate: false)
    }
}
