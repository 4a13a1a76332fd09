@_exported public import Foundation

// How views are to be laid out. Nothing is: what is asked for is kept, and no view gets a frame by it.

public struct UILayoutPriority: Hashable, Sendable, ExpressibleByFloatLiteral {
    public let rawValue: Float
    public init(_ rawValue: Float) { self.rawValue = rawValue }
    public init(rawValue: Float) { self.rawValue = rawValue }
    public init(floatLiteral value: Float) { rawValue = value }
    public static let required = UILayoutPriority(1000)
    public static let defaultHigh = UILayoutPriority(750)
    public static let defaultLow = UILayoutPriority(250)
    public static let fittingSizeLevel = UILayoutPriority(50)
}

/// What an anchor belongs to: a view, or an area of one.
@MainActor
@preconcurrency
public protocol _Anchored: AnyObject {}

extension _Anchored {
    public var leadingAnchor: NSLayoutXAxisAnchor { .init(self, .leading) }
    public var trailingAnchor: NSLayoutXAxisAnchor { .init(self, .trailing) }
    public var leftAnchor: NSLayoutXAxisAnchor { .init(self, .left) }
    public var rightAnchor: NSLayoutXAxisAnchor { .init(self, .right) }
    public var centerXAnchor: NSLayoutXAxisAnchor { .init(self, .centerX) }
    public var topAnchor: NSLayoutYAxisAnchor { .init(self, .top) }
    public var bottomAnchor: NSLayoutYAxisAnchor { .init(self, .bottom) }
    public var centerYAnchor: NSLayoutYAxisAnchor { .init(self, .centerY) }
    public var firstBaselineAnchor: NSLayoutYAxisAnchor { .init(self, .firstBaseline) }
    public var lastBaselineAnchor: NSLayoutYAxisAnchor { .init(self, .lastBaseline) }
    public var widthAnchor: NSLayoutDimension { .init(self, .width) }
    public var heightAnchor: NSLayoutDimension { .init(self, .height) }
}

/// An area of a view.
@MainActor
@preconcurrency
open class UILayoutGuide: NSObject, _Anchored {
    open weak var owningView: UIView?
    open var identifier = ""
    public override nonisolated init() { super.init() }
}

/// An edge or a size that a constraint can be about.
@MainActor
@preconcurrency
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    weak var item: AnyObject?
    let attribute: NSLayoutConstraint.Attribute

    init(_ item: any _Anchored, _ attribute: NSLayoutConstraint.Attribute) {
        (self.item, self.attribute) = (item, attribute)
    }

    private func constraint(
        _ relation: NSLayoutConstraint.Relation, _ other: NSLayoutAnchor<AnchorType>, _ constant: CGFloat
    ) -> NSLayoutConstraint { made(relation, other, 1, constant) }

    fileprivate func made(
        _ relation: NSLayoutConstraint.Relation, _ other: NSLayoutAnchor<AnchorType>?, _ multiplier: CGFloat,
        _ constant: CGFloat
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(
            item: item as Any, attribute: attribute, relatedBy: relation, toItem: other?.item,
            attribute: other?.attribute ?? .notAnAttribute, multiplier: multiplier, constant: constant)
    }

    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0)
        -> NSLayoutConstraint
    { constraint(.equal, anchor, constant) }
    public func constraint(greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0)
        -> NSLayoutConstraint
    { constraint(.greaterThanOrEqual, anchor, constant) }
    public func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0)
        -> NSLayoutConstraint
    { constraint(.lessThanOrEqual, anchor, constant) }
}

@MainActor
@preconcurrency
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {
    public func constraint(
        equalToSystemSpacingAfter anchor: NSLayoutXAxisAnchor, multiplier: CGFloat = 1
    ) -> NSLayoutConstraint { made(.equal, anchor, multiplier, 0) }
}

@MainActor
@preconcurrency
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {
    public func constraint(
        equalToSystemSpacingBelow anchor: NSLayoutYAxisAnchor, multiplier: CGFloat = 1
    ) -> NSLayoutConstraint { made(.equal, anchor, multiplier, 0) }
}

@MainActor
@preconcurrency
public final class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
        made(.equal, nil, 1, constant)
    }
    public func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        made(.greaterThanOrEqual, nil, 1, constant)
    }
    public func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        made(.lessThanOrEqual, nil, 1, constant)
    }
    public func constraint(
        equalTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
    ) -> NSLayoutConstraint { made(.equal, anchor, multiplier, constant) }
    public func constraint(
        greaterThanOrEqualTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
    ) -> NSLayoutConstraint { made(.greaterThanOrEqual, anchor, multiplier, constant) }
    public func constraint(
        lessThanOrEqualTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
    ) -> NSLayoutConstraint { made(.lessThanOrEqual, anchor, multiplier, constant) }
}

/// What is asked of two edges or sizes. It holds neither of the views.
@MainActor
@preconcurrency
open class NSLayoutConstraint: NSObject {
    public enum Relation: Sendable { case lessThanOrEqual, equal, greaterThanOrEqual }
    public enum Axis: Sendable { case horizontal, vertical }
    public enum Attribute: Sendable {
        case left, right, top, bottom, leading, trailing, width, height, centerX, centerY, firstBaseline
        case lastBaseline, notAnAttribute
    }

    public private(set) weak var firstItem: AnyObject?
    public private(set) weak var secondItem: AnyObject?
    public let firstAttribute: Attribute
    public let secondAttribute: Attribute
    public let relation: Relation
    public let multiplier: CGFloat
    open var constant: CGFloat
    open var priority = UILayoutPriority.required
    open var identifier: String?
    open var isActive = false

    public init(
        item: Any, attribute: Attribute, relatedBy relation: Relation, toItem other: Any?,
        attribute otherAttribute: Attribute, multiplier: CGFloat, constant: CGFloat
    ) {
        firstItem = item as AnyObject
        secondItem = other.map { $0 as AnyObject }
        (firstAttribute, secondAttribute, self.relation) = (attribute, otherAttribute, relation)
        (self.multiplier, self.constant) = (multiplier, constant)
    }

    public static func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = true }
    }
    public static func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = false }
    }
}

/// Views in a row. Those that are arranged are subviews; one that is arranged no more is still a subview.
@MainActor
@preconcurrency
open class UIStackView: UIView {
    public enum Distribution: Sendable {
        case fill, fillEqually, fillProportionally, equalSpacing, equalCentering
    }
    public enum Alignment: Sendable {
        case fill, leading, firstBaseline, center, trailing, lastBaseline
        public static var top: Alignment { .leading }
        public static var bottom: Alignment { .trailing }
    }

    open var axis = NSLayoutConstraint.Axis.horizontal
    open var distribution = Distribution.fill
    open var alignment = Alignment.fill
    open var spacing: CGFloat = 0
    open var isBaselineRelativeArrangement = false
    open var isLayoutMarginsRelativeArrangement = false
    public private(set) var arrangedSubviews: [UIView] = []
    private var customSpacings: [ObjectIdentifier: CGFloat] = [:]
    public static let spacingUseDefault = CGFloat.greatestFiniteMagnitude
    public static let spacingUseSystem = -CGFloat.greatestFiniteMagnitude

    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    open func addArrangedSubview(_ view: UIView) {
        insertArrangedSubview(view, at: arrangedSubviews.count - (arrangedSubviews.contains(view) ? 1 : 0))
    }

    open func insertArrangedSubview(_ view: UIView, at index: Int) {
        arrangedSubviews.removeAll { $0 === view }
        arrangedSubviews.insert(view, at: min(index, arrangedSubviews.count))
        if view.superview !== self { addSubview(view) }
    }

    open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }

    override func willLose(_ subview: UIView) { removeArrangedSubview(subview) }

    open func setCustomSpacing(_ spacing: CGFloat, after view: UIView) {
        customSpacings[ObjectIdentifier(view)] = spacing
    }
    open func customSpacing(after view: UIView) -> CGFloat {
        customSpacings[ObjectIdentifier(view)] ?? UIStackView.spacingUseDefault
    }
}
