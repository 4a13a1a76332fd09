@_exported public import Foundation

// What a view looks like. Nothing is drawn here: what is set is kept, and given back as it was set.

/// A colour, by its name or by its parts.
@preconcurrency
open class UIColor: NSObject, @unchecked Sendable {
    // Sendable: nothing of it changes after init.
    private let name: String?
    private let parts: [CGFloat]

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        (name, parts) = (nil, [red, green, blue, alpha])
    }
    public init(white: CGFloat, alpha: CGFloat) { (name, parts) = (nil, [white, white, white, alpha]) }
    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        func part(_ offset: CGFloat) -> CGFloat {
            let place = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return brightness * (1 - saturation * max(0, min(place, 4 - place, 1)))
        }
        (name, parts) = (nil, [part(5), part(3), part(1), alpha])
    }
    /// A colour of an asset catalogue: it is there, whatever it looks like.
    public init?(named name: String) { (self.name, parts) = (name, [0, 0, 0, 1]) }
    public init(cgColor: CGColor) { (name, parts) = (cgColor.color.name, cgColor.color.parts) }
    /// The colour of the traits that there are here.
    public convenience init(dynamicProvider: (UITraitCollection) -> UIColor) {
        self.init(cgColor: dynamicProvider(UITraitCollection()).cgColor)
    }
    private init(_ name: String?, _ parts: [CGFloat]) { (self.name, self.parts) = (name, parts) }

    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(name, parts.dropLast() + [alpha]) }
    public var cgColor: CGColor { CGColor(self) }

    /// A colour that has a name alone has no parts to give.
    @discardableResult
    open func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        if name != nil { return false }
        for (place, part) in zip([red, green, blue, alpha], parts) { place?.pointee = part }
        return true
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UIColor).map { $0.name == name && $0.parts == parts } ?? false
    }
    open override var hash: Int { name.hashValue ^ parts.hashValue }
    open override var description: String { name ?? "\(parts)" }

    private static func named(_ name: String = #function) -> UIColor { UIColor(name, [0, 0, 0, 1]) }
    public static var black: UIColor { named() }
    public static var blue: UIColor { named() }
    public static var brown: UIColor { named() }
    public static var clear: UIColor { named() }
    public static var cyan: UIColor { named() }
    public static var darkGray: UIColor { named() }
    public static var darkText: UIColor { named() }
    public static var gray: UIColor { named() }
    public static var green: UIColor { named() }
    public static var label: UIColor { named() }
    public static var lightGray: UIColor { named() }
    public static var lightText: UIColor { named() }
    public static var link: UIColor { named() }
    public static var magenta: UIColor { named() }
    public static var opaqueSeparator: UIColor { named() }
    public static var orange: UIColor { named() }
    public static var placeholderText: UIColor { named() }
    public static var purple: UIColor { named() }
    public static var quaternaryLabel: UIColor { named() }
    public static var red: UIColor { named() }
    public static var secondaryLabel: UIColor { named() }
    public static var secondarySystemBackground: UIColor { named() }
    public static var secondarySystemFill: UIColor { named() }
    public static var secondarySystemGroupedBackground: UIColor { named() }
    public static var separator: UIColor { named() }
    public static var systemBackground: UIColor { named() }
    public static var systemBlue: UIColor { named() }
    public static var systemBrown: UIColor { named() }
    public static var systemCyan: UIColor { named() }
    public static var systemFill: UIColor { named() }
    public static var systemGray: UIColor { named() }
    public static var systemGray2: UIColor { named() }
    public static var systemGray3: UIColor { named() }
    public static var systemGray4: UIColor { named() }
    public static var systemGray5: UIColor { named() }
    public static var systemGray6: UIColor { named() }
    public static var systemGreen: UIColor { named() }
    public static var systemGroupedBackground: UIColor { named() }
    public static var systemIndigo: UIColor { named() }
    public static var systemMint: UIColor { named() }
    public static var systemOrange: UIColor { named() }
    public static var systemPink: UIColor { named() }
    public static var systemPurple: UIColor { named() }
    public static var systemRed: UIColor { named() }
    public static var systemTeal: UIColor { named() }
    public static var systemYellow: UIColor { named() }
    public static var tertiaryLabel: UIColor { named() }
    public static var tertiarySystemBackground: UIColor { named() }
    public static var tertiarySystemFill: UIColor { named() }
    public static var tertiarySystemGroupedBackground: UIColor { named() }
    public static var tintColor: UIColor { named() }
    public static var white: UIColor { named() }
    public static var yellow: UIColor { named() }
}

/// A colour as a layer takes it.
public final class CGColor: Hashable, Sendable {
    let color: UIColor
    init(_ color: UIColor) { self.color = color }
    public static func == (one: CGColor, other: CGColor) -> Bool { one.color == other.color }
    public func hash(into hasher: inout Hasher) { hasher.combine(color) }
}

/// A font, by its name and size. Nothing is measured with it.
@preconcurrency
open class UIFont: NSObject, @unchecked Sendable {
    // Sendable: nothing of it changes after init.
    public let fontName: String
    public let pointSize: CGFloat

    public init?(name: String, size: CGFloat) { (fontName, pointSize) = (name, size) }
    private init(_ name: String, _ size: CGFloat) { (fontName, pointSize) = (name, size) }

    public struct Weight: Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public static let ultraLight = Weight(rawValue: -0.8)
        public static let thin = Weight(rawValue: -0.6)
        public static let light = Weight(rawValue: -0.4)
        public static let regular = Weight(rawValue: 0)
        public static let medium = Weight(rawValue: 0.23)
        public static let semibold = Weight(rawValue: 0.3)
        public static let bold = Weight(rawValue: 0.4)
        public static let heavy = Weight(rawValue: 0.56)
        public static let black = Weight(rawValue: 0.62)
    }

    /// The styles, with the sizes that they have unless somebody asks for larger type.
    public struct TextStyle: Hashable, Sendable {
        public let rawValue: String
        let size: CGFloat
        public static let largeTitle = TextStyle(rawValue: "largeTitle", size: 34)
        public static let title1 = TextStyle(rawValue: "title1", size: 28)
        public static let title2 = TextStyle(rawValue: "title2", size: 22)
        public static let title3 = TextStyle(rawValue: "title3", size: 20)
        public static let headline = TextStyle(rawValue: "headline", size: 17)
        public static let subheadline = TextStyle(rawValue: "subheadline", size: 15)
        public static let body = TextStyle(rawValue: "body", size: 17)
        public static let callout = TextStyle(rawValue: "callout", size: 16)
        public static let footnote = TextStyle(rawValue: "footnote", size: 13)
        public static let caption1 = TextStyle(rawValue: "caption1", size: 12)
        public static let caption2 = TextStyle(rawValue: "caption2", size: 11)
    }

    public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont("system", size) }
    public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont("system-\(weight.rawValue)", size)
    }
    public static func boldSystemFont(ofSize size: CGFloat) -> UIFont {
        systemFont(ofSize: size, weight: .bold)
    }
    public static func italicSystemFont(ofSize size: CGFloat) -> UIFont { UIFont("system-italic", size) }
    public static func monospacedSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont("monospaced-\(weight.rawValue)", size)
    }
    public static func monospacedDigitSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont("digits-\(weight.rawValue)", size)
    }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont {
        UIFont(style.rawValue, style.size)
    }
    public static var systemFontSize: CGFloat { 14 }
    public static var labelFontSize: CGFloat { 17 }
    public static var smallSystemFontSize: CGFloat { 12 }

    open func withSize(_ size: CGFloat) -> UIFont { UIFont(fontName, size) }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UIFont).map { $0.fontName == fontName && $0.pointSize == pointSize } ?? false
    }
    open override var hash: Int { fontName.hashValue ^ pointSize.hashValue }
}

/// A font that grows with the type that somebody asks for. Nobody does here, so each stays as it is.
public struct UIFontMetrics: Sendable {
    public static let `default` = UIFontMetrics(forTextStyle: .body)
    public init(forTextStyle style: UIFont.TextStyle) {}
    public func scaledFont(for font: UIFont) -> UIFont { font }
    public func scaledFont(for font: UIFont, maximumPointSize: CGFloat) -> UIFont { font }
    public func scaledValue(for value: CGFloat) -> CGFloat { value }
}

/// A picture, by its name. There are no bytes of it, so it has no size.
@preconcurrency
open class UIImage: NSObject, @unchecked Sendable {
    // Sendable: nothing of it changes after init.
    private let name: String

    public enum RenderingMode: Sendable { case automatic, alwaysOriginal, alwaysTemplate }
    public enum SymbolScale: Sendable { case `default`, unspecified, small, medium, large }

    /// The weight and size of a symbol.
    public class Configuration: NSObject, @unchecked Sendable {}
    public final class SymbolConfiguration: Configuration, @unchecked Sendable {
        public override init() {}
        public init(pointSize: CGFloat) {}
        public init(pointSize: CGFloat, weight: UIFont.Weight) {}
        public init(pointSize: CGFloat, weight: UIFont.Weight, scale: SymbolScale) {}
        public init(textStyle: UIFont.TextStyle) {}
        public init(scale: SymbolScale) {}
        public init(hierarchicalColor: UIColor) {}
    }

    public override init() { name = "" }
    public init?(named name: String) { self.name = name }
    public init?(systemName name: String) { self.name = name }
    public init?(systemName name: String, withConfiguration configuration: Configuration?) {
        self.name = name
    }

    open func withRenderingMode(_ mode: RenderingMode) -> UIImage { self }
    open func withTintColor(_ color: UIColor) -> UIImage { self }
    open func withTintColor(_ color: UIColor, renderingMode: RenderingMode) -> UIImage { self }
    open func withConfiguration(_ configuration: Configuration) -> UIImage { self }
    open func applyingSymbolConfiguration(_ configuration: SymbolConfiguration) -> UIImage? { self }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UIImage).map { $0.name == name } ?? false
    }
    open override var hash: Int { name.hashValue }
    open override var description: String { name }
}

/// Shows a picture, of which nothing is a field.
@MainActor
@preconcurrency
open class UIImageView: UIView {
    open var image: UIImage?
    open var highlightedImage: UIImage?
    open var isHighlighted = false
    open var preferredSymbolConfiguration: UIImage.SymbolConfiguration?

    public convenience init(image: UIImage?) {
        self.init(frame: .zero)
        self.image = image
        isUserInteractionEnabled = false
    }
}

// MARK: Layers

public struct CACornerMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let layerMinXMinYCorner = CACornerMask(rawValue: 1)
    public static let layerMaxXMinYCorner = CACornerMask(rawValue: 2)
    public static let layerMinXMaxYCorner = CACornerMask(rawValue: 4)
    public static let layerMaxXMaxYCorner = CACornerMask(rawValue: 8)
}

public struct CALayerCornerCurve: Hashable, Sendable {
    let name: String
    public static let circular = CALayerCornerCurve(name: "circular")
    public static let continuous = CALayerCornerCurve(name: "continuous")
}

/// What a view is drawn into, elsewhere.
@MainActor
@preconcurrency
open class CALayer: NSObject {
    open var name: String?
    open var frame = CGRect.zero
    open var opacity: Float = 1
    open var isHidden = false
    open var backgroundColor: CGColor?
    open var cornerRadius: CGFloat = 0
    open var cornerCurve = CALayerCornerCurve.circular
    open var maskedCorners: CACornerMask = [
        .layerMinXMinYCorner, .layerMaxXMinYCorner, .layerMinXMaxYCorner, .layerMaxXMaxYCorner,
    ]
    open var masksToBounds = false
    open var borderWidth: CGFloat = 0
    open var borderColor: CGColor?
    open var shadowColor: CGColor?
    open var shadowOpacity: Float = 0
    open var shadowOffset = CGSize(width: 0, height: -3)
    open var shadowRadius: CGFloat = 3
    open var zPosition: CGFloat = 0
    open private(set) var sublayers: [CALayer]?
    open private(set) weak var superlayer: CALayer?

    public override nonisolated init() { super.init() }

    open func addSublayer(_ layer: CALayer) { insertSublayer(layer, at: UInt32(sublayers?.count ?? 0)) }
    open func insertSublayer(_ layer: CALayer, at index: UInt32) {
        layer.removeFromSuperlayer()
        sublayers = sublayers ?? []
        sublayers?.insert(layer, at: min(Int(index), sublayers?.count ?? 0))
        layer.superlayer = self
    }
    open func removeFromSuperlayer() {
        superlayer?.sublayers?.removeAll { $0 === self }
        superlayer = nil
    }
    open func setNeedsDisplay() {}
}

@MainActor
@preconcurrency
open class CAGradientLayer: CALayer {
    open var colors: [Any]?
    open var locations: [NSNumber]?
    open var startPoint = CGPoint(x: 0.5, y: 0)
    open var endPoint = CGPoint(x: 0.5, y: 1)
}

// MARK: Geometry that code gives

public struct UIEdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var left: CGFloat
    public var bottom: CGFloat
    public var right: CGFloat
    public static let zero = UIEdgeInsets()
    public init(top: CGFloat = 0, left: CGFloat = 0, bottom: CGFloat = 0, right: CGFloat = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

public struct NSDirectionalEdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat
    public static let zero = NSDirectionalEdgeInsets()
    public init(top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0) {
        (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
    }
}

extension CGRect {
    public func inset(by insets: UIEdgeInsets) -> CGRect {
        CGRect(
            x: minX + insets.left, y: minY + insets.top, width: width - insets.left - insets.right,
            height: height - insets.top - insets.bottom)
    }
}

public struct UIRectEdge: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let top = UIRectEdge(rawValue: 1)
    public static let left = UIRectEdge(rawValue: 2)
    public static let bottom = UIRectEdge(rawValue: 4)
    public static let right = UIRectEdge(rawValue: 8)
    public static let all: UIRectEdge = [.top, .left, .bottom, .right]
}

/// How a view is turned, moved and scaled.
public struct CGAffineTransform: Hashable, Sendable {
    public var a, b, c, d, tx, ty: CGFloat
    public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }
    public init(scaleX x: CGFloat, y: CGFloat) { self.init(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0) }
    public init(translationX x: CGFloat, y: CGFloat) { self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y) }
    public init(rotationAngle angle: CGFloat) {
        self.init(a: cos(angle), b: sin(angle), c: -sin(angle), d: cos(angle), tx: 0, ty: 0)
    }

    public var isIdentity: Bool { self == .identity }
    public func concatenating(_ next: CGAffineTransform) -> CGAffineTransform {
        CGAffineTransform(
            a: a * next.a + b * next.c, b: a * next.b + b * next.d,
            c: c * next.a + d * next.c, d: c * next.b + d * next.d,
            tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
    }
    public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
        CGAffineTransform(scaleX: x, y: y).concatenating(self)
    }
    public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
        CGAffineTransform(translationX: x, y: y).concatenating(self)
    }
    public func rotated(by angle: CGFloat) -> CGAffineTransform {
        CGAffineTransform(rotationAngle: angle).concatenating(self)
    }
}

// MARK: Traits

public enum UIUserInterfaceStyle: Sendable { case unspecified, light, dark }
public enum UIUserInterfaceSizeClass: Sendable { case unspecified, compact, regular }
public enum UIUserInterfaceIdiom: Sendable { case unspecified, phone, pad, mac }
public enum UIUserInterfaceLayoutDirection: Sendable { case leftToRight, rightToLeft }

/// The traits of a phone that is held upright, by day.
@preconcurrency
public final class UITraitCollection: NSObject, Sendable {
    public let userInterfaceStyle = UIUserInterfaceStyle.light
    public let horizontalSizeClass = UIUserInterfaceSizeClass.compact
    public let verticalSizeClass = UIUserInterfaceSizeClass.regular
    public let userInterfaceIdiom = UIUserInterfaceIdiom.phone
    public let layoutDirection = UIUserInterfaceLayoutDirection.leftToRight
    public let displayScale: CGFloat = 1
    public func hasDifferentColorAppearance(comparedTo other: UITraitCollection?) -> Bool { false }
}
