// What is said of the look. Nothing is drawn here, so none of it changes what is shown; what is a view is there.

public nonisolated struct Font: Hashable, Sendable {
    let name: String
    var size: Double?

    public enum TextStyle: String, CaseIterable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption,
            caption2
    }
    public enum Weight: Sendable {
        case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
    }
    public enum Design: Sendable { case `default`, serif, rounded, monospaced }

    private static func style(_ name: String = #function) -> Font { Font(name: name) }
    public static var largeTitle: Font { style() }
    public static var title: Font { style() }
    public static var title2: Font { style() }
    public static var title3: Font { style() }
    public static var headline: Font { style() }
    public static var subheadline: Font { style() }
    public static var body: Font { style() }
    public static var callout: Font { style() }
    public static var footnote: Font { style() }
    public static var caption: Font { style() }
    public static var caption2: Font { style() }
    public static func system(size: Double, weight: Weight? = nil, design: Design? = nil) -> Font {
        Font(name: "system", size: size)
    }
    public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font {
        Font(name: style.rawValue)
    }
    public static func custom(_ name: String, size: Double) -> Font { Font(name: name, size: size) }
    public func bold() -> Font { self }
    public func italic() -> Font { self }
    public func monospaced() -> Font { self }
    public func monospacedDigit() -> Font { self }
    public func weight(_ weight: Weight) -> Font { self }
}

/// What an area is filled with.
public nonisolated protocol ShapeStyle: Sendable {}

public nonisolated struct Color: Part, ShapeStyle, Hashable {
    public enum RGBColorSpace: Sendable { case sRGB, sRGBLinear, displayP3 }

    let name: String
    var parts: [Double] = []

    public init(_ name: String) { self.name = name }
    public init(
        _ space: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) { (name, parts) = ("", [red, green, blue, opacity]) }
    public init(_ space: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
        (name, parts) = ("", [white, white, white, opacity])
    }
    package init(name: String) { self.name = name }

    @MainActor public static func _render(_ view: Color, in node: _Node) { node.become(Color.self) }

    public func opacity(_ opacity: Double) -> Color {
        var color = self
        color.parts = (parts.count == 4 ? Array(parts.dropLast()) : parts) + [opacity]
        return color
    }

    private static func named(_ name: String = #function) -> Color { Color(name: name) }
    public static var accentColor: Color { named() }
    public static var black: Color { named() }
    public static var blue: Color { named() }
    public static var brown: Color { named() }
    public static var clear: Color { named() }
    public static var cyan: Color { named() }
    public static var gray: Color { named() }
    public static var green: Color { named() }
    public static var indigo: Color { named() }
    public static var mint: Color { named() }
    public static var orange: Color { named() }
    public static var pink: Color { named() }
    public static var primary: Color { named() }
    public static var purple: Color { named() }
    public static var red: Color { named() }
    public static var secondary: Color { named() }
    public static var teal: Color { named() }
    public static var white: Color { named() }
    public static var yellow: Color { named() }
}

extension ShapeStyle where Self == Color {
    public static var black: Color { Color(name: "black") }
    public static var blue: Color { Color(name: "blue") }
    public static var brown: Color { Color(name: "brown") }
    public static var clear: Color { Color(name: "clear") }
    public static var cyan: Color { Color(name: "cyan") }
    public static var gray: Color { Color(name: "gray") }
    public static var green: Color { Color(name: "green") }
    public static var indigo: Color { Color(name: "indigo") }
    public static var mint: Color { Color(name: "mint") }
    public static var orange: Color { Color(name: "orange") }
    public static var pink: Color { Color(name: "pink") }
    public static var purple: Color { Color(name: "purple") }
    public static var red: Color { Color(name: "red") }
    public static var teal: Color { Color(name: "teal") }
    public static var white: Color { Color(name: "white") }
    public static var yellow: Color { Color(name: "yellow") }
}

public nonisolated struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: Self { .init() }
    public static var secondary: Self { .init() }
    public static var tertiary: Self { .init() }
    public static var quaternary: Self { .init() }
}

public nonisolated struct TintShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == TintShapeStyle {
    public static var tint: Self { .init() }
    public static var background: Self { .init() }
    public static var foreground: Self { .init() }
}

public nonisolated struct Material: ShapeStyle {}
extension ShapeStyle where Self == Material {
    public static var ultraThinMaterial: Self { .init() }
    public static var thinMaterial: Self { .init() }
    public static var regularMaterial: Self { .init() }
    public static var thickMaterial: Self { .init() }
    public static var ultraThickMaterial: Self { .init() }
    public static var bar: Self { .init() }
}

public nonisolated struct UnitPoint: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    public static let zero = UnitPoint(x: 0, y: 0)
    public static let center = UnitPoint(x: 0.5, y: 0.5)
    public static let leading = UnitPoint(x: 0, y: 0.5)
    public static let trailing = UnitPoint(x: 1, y: 0.5)
    public static let top = UnitPoint(x: 0.5, y: 0)
    public static let bottom = UnitPoint(x: 0.5, y: 1)
    public static let topLeading = UnitPoint(x: 0, y: 0)
    public static let topTrailing = UnitPoint(x: 1, y: 0)
    public static let bottomLeading = UnitPoint(x: 0, y: 1)
    public static let bottomTrailing = UnitPoint(x: 1, y: 1)
}

public nonisolated struct LinearGradient: Part, ShapeStyle {
    public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {}
    @MainActor public static func _render(_ view: LinearGradient, in node: _Node) {
    }
}

// MARK: Shapes

public nonisolated protocol Shape: Part, Sendable {}

extension Shape {
    @MainActor public static func _render(_ view: Self, in node: _Node) { node.become(Self.self) }
    @MainActor public func fill(_ style: some ShapeStyle) -> some View { self }
    @MainActor public func stroke(_ style: some ShapeStyle, lineWidth: Double = 1) -> some View { self }
    @MainActor public func strokeBorder(_ style: some ShapeStyle, lineWidth: Double = 1) -> some View { self }
}

public enum RoundedCornerStyle: Sendable { case circular, continuous }
public nonisolated struct Rectangle: Shape { public init() {} }
public nonisolated struct Circle: Shape { public init() {} }
public nonisolated struct Ellipse: Shape { public init() {} }
public nonisolated struct Capsule: Shape { public init(style: RoundedCornerStyle = .continuous) {} }
public nonisolated struct RoundedRectangle: Shape {
    public init(cornerRadius: Double, style: RoundedCornerStyle = .continuous) {}
}

// `.clipShape(.rect(cornerRadius: 8))` and its kin.
extension Shape where Self == Rectangle { public static var rect: Self { .init() } }
extension Shape where Self == Circle { public static var circle: Self { .init() } }
extension Shape where Self == Capsule { public static var capsule: Self { .init() } }
extension Shape where Self == RoundedRectangle {
    public static func rect(cornerRadius: Double, style: RoundedCornerStyle = .continuous) -> Self {
        .init(cornerRadius: cornerRadius, style: style)
    }
}

// MARK: Animations: they take no time

public nonisolated struct Animation: Hashable, Sendable {
    public static let `default` = Animation()
    public static let linear = Animation()
    public static let easeIn = Animation()
    public static let easeOut = Animation()
    public static let easeInOut = Animation()
    public static let spring = Animation()
    public static let bouncy = Animation()
    public static let smooth = Animation()
    public static let snappy = Animation()
    public static func linear(duration: Double) -> Animation { Animation() }
    public static func easeIn(duration: Double) -> Animation { Animation() }
    public static func easeOut(duration: Double) -> Animation { Animation() }
    public static func easeInOut(duration: Double) -> Animation { Animation() }
    public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: Double = 0
    ) -> Animation { Animation() }
    public static func spring(duration: Double, bounce: Double = 0) -> Animation { Animation() }
    public static func interactiveSpring() -> Animation { Animation() }
    public func delay(_ delay: Double) -> Animation { self }
    public func speed(_ speed: Double) -> Animation { self }
    public func repeatCount(_ count: Int, autoreverses: Bool = true) -> Animation { self }
    public func repeatForever(autoreverses: Bool = true) -> Animation { self }
}

public nonisolated struct AnyTransition: Sendable {
    public static let identity = AnyTransition()
    public static let opacity = AnyTransition()
    public static let scale = AnyTransition()
    public static let slide = AnyTransition()
    public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
    public static func push(from edge: Edge) -> AnyTransition { AnyTransition() }
    public static func scale(scale: Double, anchor: UnitPoint = .center) -> AnyTransition { AnyTransition() }
    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
        AnyTransition()
    }
    public func combined(with other: AnyTransition) -> AnyTransition { self }
    public func animation(_ animation: Animation?) -> AnyTransition { self }
}

public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result { try body() }

public func withTransaction<Result>(
    _ transaction: Transaction, _ body: () throws -> Result
) rethrows -> Result { try body() }

// MARK: Words

public enum TextAlignment: Sendable { case leading, center, trailing }
public enum ContentMode: Sendable { case fit, fill }
public enum Axis: Sendable {
    case horizontal, vertical
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
    }
}
public enum SubmitLabel: Sendable { case done, go, send, join, route, search, `return`, next, `continue` }
public struct TextInputAutocapitalization: Sendable {
    public static let never = TextInputAutocapitalization()
    public static let words = TextInputAutocapitalization()
    public static let sentences = TextInputAutocapitalization()
    public static let characters = TextInputAutocapitalization()
}
public struct AccessibilityTraits: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let isButton = AccessibilityTraits(rawValue: 1)
    public static let isHeader = AccessibilityTraits(rawValue: 2)
    public static let isSelected = AccessibilityTraits(rawValue: 4)
    public static let isImage = AccessibilityTraits(rawValue: 8)
    public static let isStaticText = AccessibilityTraits(rawValue: 16)
}
public enum AccessibilityChildBehavior: Sendable { case ignore, contain, combine }
public struct PresentationDetent: Hashable, Sendable {
    let height: Double
    public static let medium = PresentationDetent(height: 0.5)
    public static let large = PresentationDetent(height: 1)
    public static func height(_ height: Double) -> PresentationDetent { .init(height: height) }
    public static func fraction(_ fraction: Double) -> PresentationDetent { .init(height: fraction) }
}
public enum NavigationBarTitleDisplayMode: Sendable { case automatic, inline, large }
public struct ToolbarPlacement: Sendable {
    public static let automatic = ToolbarPlacement()
    public static let navigationBar = ToolbarPlacement()
    public static let tabBar = ToolbarPlacement()
    public static let bottomBar = ToolbarPlacement()
}
public struct SafeAreaRegions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let all = SafeAreaRegions(rawValue: .max)
    public static let container = SafeAreaRegions(rawValue: 1)
    public static let keyboard = SafeAreaRegions(rawValue: 2)
}

/// Distances from the edges of a view.
public struct EdgeInsets: Hashable, Sendable {
    public var top, leading, bottom, trailing: Double
    public init(top: Double = 0, leading: Double = 0, bottom: Double = 0, trailing: Double = 0) {
        (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
    }
}

extension Text {
    public enum TruncationMode: Sendable { case head, tail, middle }
    public enum Case: Sendable { case uppercase, lowercase }
}
public enum TextSelectability: Sendable { case enabled, disabled }
public enum ControlSize: Sendable { case mini, small, regular, large }
public enum SymbolRenderingMode: Sendable { case monochrome, hierarchical, palette, multicolor }
public enum ScrollDismissesKeyboardMode: Sendable { case automatic, immediately, interactively, never }
public enum KeyboardShortcut: Sendable { case defaultAction, cancelAction }
public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let placeholder = RedactionReasons(rawValue: 1)
    public static let privacy = RedactionReasons(rawValue: 2)
}
public struct Angle: Hashable, Sendable {
    public var radians: Double
    public var degrees: Double { radians * 180 / .pi }
    public static let zero = Angle(radians: 0)
    public init(radians: Double) { self.radians = radians }
    public init(degrees: Double) { radians = degrees * .pi / 180 }
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }
    public static func radians(_ radians: Double) -> Angle { Angle(radians: radians) }
}

/// What views that are one picture have in common.
@propertyWrapper
public struct Namespace: DynamicProperty {
    public struct ID: Hashable, Sendable {}
    public var wrappedValue: ID { ID() }
    public init() {}
    @MainActor public mutating func _link(_ place: _Place) {}
}

// MARK: Views

/// A view for a canvas of Xcode, which nobody looks at here.
@MainActor
@preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}

extension Text {
    // Of the look, and still a text.
    public func font(_ font: Font?) -> Text { self }
    public func fontWeight(_ weight: Font.Weight?) -> Text { self }
    public func fontDesign(_ design: Font.Design?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }
    public func foregroundStyle(_ style: some ShapeStyle) -> Text { self }
    public func bold(_ isActive: Bool = true) -> Text { self }
    public func italic(_ isActive: Bool = true) -> Text { self }
    public func underline(_ isActive: Bool = true, color: Color? = nil) -> Text { self }
    public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text { self }
    public func monospacedDigit() -> Text { self }
    public func kerning(_ kerning: Double) -> Text { self }
}

extension Image {
    public enum TemplateRenderingMode: Sendable { case template, original }
    public enum Scale: Sendable { case small, medium, large }
    public func resizable() -> Image { self }
    public func renderingMode(_ mode: TemplateRenderingMode?) -> Image { self }
}

extension View {
    // MARK: Before and behind

    public func background<Other: View>(alignment: Alignment = .center, @ViewBuilder content: () -> Other)
        -> some View
    { LayeredView(content: self, other: content()) }
    @_disfavoredOverload
    public func background<Other: View>(_ other: Other, alignment: Alignment = .center) -> some View {
        LayeredView(content: self, other: other)
    }
    public func overlay<Other: View>(alignment: Alignment = .center, @ViewBuilder content: () -> Other)
        -> some View
    { LayeredView(content: self, other: content()) }
    @_disfavoredOverload
    public func overlay<Other: View>(_ other: Other, alignment: Alignment = .center) -> some View {
        LayeredView(content: self, other: other)
    }

    // MARK: Area and colour

    public func background(_ style: some ShapeStyle, ignoresSafeAreaEdges: Edge.Set = .all) -> some View {
        self
    }
    public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { self }
    public func overlay(_ style: some ShapeStyle) -> some View { self }
    public func padding(_ length: Double) -> some View { self }
    public func padding(_ insets: EdgeInsets) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: Double? = nil) -> some View { self }
    public func frame(
        minWidth: Double? = nil, idealWidth: Double? = nil, maxWidth: Double? = nil, minHeight: Double? = nil,
        idealHeight: Double? = nil, maxHeight: Double? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func offset(x: Double = 0, y: Double = 0) -> some View { self }
    public func position(x: Double = 0, y: Double = 0) -> some View { self }
    public func fixedSize() -> some View { self }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    public func layoutPriority(_ value: Double) -> some View { self }
    public func zIndex(_ value: Double) -> some View { self }
    public func aspectRatio(_ ratio: Double? = nil, contentMode: ContentMode) -> some View { self }
    public func scaledToFit() -> some View { self }
    public func scaledToFill() -> some View { self }
    public func scaleEffect(_ scale: Double) -> some View { self }
    public func clipped() -> some View { self }
    public func clipShape(_ shape: some Shape) -> some View { self }
    public func contentShape(_ shape: some Shape) -> some View { self }
    public func cornerRadius(_ radius: Double) -> some View { self }
    public func border(_ style: some ShapeStyle, width: Double = 1) -> some View { self }
    public func shadow(color: Color = .black, radius: Double, x: Double = 0, y: Double = 0) -> some View {
        self
    }
    public func opacity(_ opacity: Double) -> some View { self }
    public func blur(radius: Double) -> some View { self }
    public func tint(_ tint: Color?) -> some View { self }
    public func accentColor(_ color: Color?) -> some View { self }
    public func foregroundColor(_ color: Color?) -> some View { self }
    public func foregroundStyle(_ style: some ShapeStyle) -> some View { self }
    public func ignoresSafeArea(_ regions: SafeAreaRegions = .all, edges: Edge.Set = .all) -> some View {
        self
    }
    public func edgesIgnoringSafeArea(_ edges: Edge.Set) -> some View { self }
    public func preferredColorScheme(_ scheme: ColorScheme?) -> some View { self }

    // MARK: Texts

    public func font(_ font: Font?) -> some View { self }
    public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    public func bold(_ isActive: Bool = true) -> some View { self }
    public func italic(_ isActive: Bool = true) -> some View { self }
    public func lineLimit(_ number: Int?) -> some View { self }
    public func lineLimit(_ range: ClosedRange<Int>) -> some View { self }
    public func lineSpacing(_ spacing: Double) -> some View { self }
    public func minimumScaleFactor(_ factor: Double) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func imageScale(_ scale: Image.Scale) -> some View { self }
    public func labelsHidden() -> some View { self }
    public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func disableAutocorrection(_ isDisabled: Bool?) -> some View { self }
    public func textInputAutocapitalization(_ kind: TextInputAutocapitalization?) -> some View { self }
    public func submitLabel(_ label: SubmitLabel) -> some View { self }

    public func truncationMode(_ mode: Text.TruncationMode) -> some View { self }
    public func textCase(_ kind: Text.Case?) -> some View { self }
    public func textSelection(_ selectability: TextSelectability) -> some View { self }

    // MARK: What else is seen or felt

    public func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View { self }
    public func redacted(reason: RedactionReasons) -> some View { self }
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View { self }
    public func controlSize(_ size: ControlSize) -> some View { self }
    public func keyboardShortcut(_ shortcut: KeyboardShortcut) -> some View { self }
    public func allowsHitTesting(_ isEnabled: Bool) -> some View { self }
    public func badge(_ count: Int) -> some View { self }
    public func badge(_ label: LocalizedStringKey?) -> some View { self }
    public func help(_ text: LocalizedStringKey) -> some View { self }
    public func statusBar(hidden: Bool) -> some View { self }
    public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View { self }
    public func scrollDisabled(_ isDisabled: Bool) -> some View { self }
    public func matchedGeometryEffect(id: some Hashable, in namespace: Namespace.ID) -> some View { self }

    // MARK: Lists and bars

    public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
    public func listRowSeparator(_ visibility: Visibility) -> some View { self }
    public func listRowBackground<Other: View>(_ view: Other?) -> some View { self }
    public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
    public func scrollIndicators(_ visibility: Visibility) -> some View { self }
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
    public func navigationTitle(_ title: Text) -> some View { self }
    @_disfavoredOverload
    public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { self }
    public func navigationBarTitle(
        _ title: LocalizedStringKey, displayMode: NavigationBarTitleDisplayMode = .automatic
    ) -> some View { self }
    public func navigationBarTitleDisplayMode(_ mode: NavigationBarTitleDisplayMode) -> some View { self }
    public func navigationBarHidden(_ isHidden: Bool) -> some View { self }
    public func navigationBarBackButtonHidden(_ isHidden: Bool = true) -> some View { self }
    public func toolbar(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View { self }
    public func toolbarBackground(_ style: some ShapeStyle, for bars: ToolbarPlacement...) -> some View {
        self
    }
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { self }
    public func presentationDragIndicator(_ visibility: Visibility) -> some View { self }

    // MARK: Animations

    public func animation<Value: Equatable>(_ animation: Animation?, value: Value) -> some View { self }
    public func animation(_ animation: Animation?) -> some View { self }
    public func transition(_ transition: AnyTransition) -> some View { self }

    // MARK: Accessibility, beside the name

    public func accessibilityLabel(_ label: Text) -> some View { self }
    public func accessibilityLabel(_ label: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func accessibilityLabel<Label: StringProtocol>(_ label: Label) -> some View { self }
    public func accessibilityValue(_ value: Text) -> some View { self }
    public func accessibilityValue(_ value: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func accessibilityValue<Value: StringProtocol>(_ value: Value) -> some View { self }
    public func accessibilityHint(_ hint: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func accessibilityHint<Hint: StringProtocol>(_ hint: Hint) -> some View { self }
    public func accessibilityHidden(_ isHidden: Bool) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { self }
}
