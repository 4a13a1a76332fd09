// Styles by their names. They say how something looks, and change nothing that is shown; but for a button style of
// somebody's own, which makes the button's content.

public protocol PrimitiveButtonStyle {}
public protocol ListStyle {}
public protocol PickerStyle {}
public protocol TextFieldStyle {}
public protocol ToggleStyle {}
public protocol LabelStyle {}
public protocol ProgressViewStyle {}
public protocol FormStyle {}
public protocol DatePickerStyle {}
public protocol NavigationViewStyle {}

public struct DefaultButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == DefaultButtonStyle {
    public static var automatic: Self { .init() }
}
public struct PlainButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: Self { .init() } }
public struct BorderlessButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: Self { .init() }
}
public struct BorderedButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: Self { .init() }
}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: Self { .init() }
}

public struct DefaultListStyle: ListStyle { public init() {} }
extension ListStyle where Self == DefaultListStyle { public static var automatic: Self { .init() } }
public struct PlainListStyle: ListStyle { public init() {} }
extension ListStyle where Self == PlainListStyle { public static var plain: Self { .init() } }
public struct GroupedListStyle: ListStyle { public init() {} }
extension ListStyle where Self == GroupedListStyle { public static var grouped: Self { .init() } }
public struct InsetListStyle: ListStyle { public init() {} }
extension ListStyle where Self == InsetListStyle { public static var inset: Self { .init() } }
public struct InsetGroupedListStyle: ListStyle { public init() {} }
extension ListStyle where Self == InsetGroupedListStyle { public static var insetGrouped: Self { .init() } }
public struct SidebarListStyle: ListStyle { public init() {} }
extension ListStyle where Self == SidebarListStyle { public static var sidebar: Self { .init() } }

public struct DefaultPickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == DefaultPickerStyle { public static var automatic: Self { .init() } }
public struct MenuPickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == MenuPickerStyle { public static var menu: Self { .init() } }
public struct SegmentedPickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == SegmentedPickerStyle { public static var segmented: Self { .init() } }
public struct WheelPickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == WheelPickerStyle { public static var wheel: Self { .init() } }
public struct InlinePickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == InlinePickerStyle { public static var inline: Self { .init() } }
public struct NavigationLinkPickerStyle: PickerStyle { public init() {} }
extension PickerStyle where Self == NavigationLinkPickerStyle {
    public static var navigationLink: Self { .init() }
}

public struct DefaultTextFieldStyle: TextFieldStyle { public init() {} }
extension TextFieldStyle where Self == DefaultTextFieldStyle { public static var automatic: Self { .init() } }
public struct PlainTextFieldStyle: TextFieldStyle { public init() {} }
extension TextFieldStyle where Self == PlainTextFieldStyle { public static var plain: Self { .init() } }
public struct RoundedBorderTextFieldStyle: TextFieldStyle { public init() {} }
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    public static var roundedBorder: Self { .init() }
}

public struct DefaultToggleStyle: ToggleStyle { public init() {} }
extension ToggleStyle where Self == DefaultToggleStyle { public static var automatic: Self { .init() } }
public struct SwitchToggleStyle: ToggleStyle { public init() {} }
extension ToggleStyle where Self == SwitchToggleStyle { public static var `switch`: Self { .init() } }
public struct ButtonToggleStyle: ToggleStyle { public init() {} }
extension ToggleStyle where Self == ButtonToggleStyle { public static var button: Self { .init() } }

public struct DefaultLabelStyle: LabelStyle { public init() {} }
extension LabelStyle where Self == DefaultLabelStyle { public static var automatic: Self { .init() } }
public struct IconOnlyLabelStyle: LabelStyle { public init() {} }
extension LabelStyle where Self == IconOnlyLabelStyle { public static var iconOnly: Self { .init() } }
public struct TitleOnlyLabelStyle: LabelStyle { public init() {} }
extension LabelStyle where Self == TitleOnlyLabelStyle { public static var titleOnly: Self { .init() } }
public struct TitleAndIconLabelStyle: LabelStyle { public init() {} }
extension LabelStyle where Self == TitleAndIconLabelStyle { public static var titleAndIcon: Self { .init() } }

public struct DefaultProgressViewStyle: ProgressViewStyle { public init() {} }
extension ProgressViewStyle where Self == DefaultProgressViewStyle {
    public static var automatic: Self { .init() }
}
public struct LinearProgressViewStyle: ProgressViewStyle { public init() {} }
extension ProgressViewStyle where Self == LinearProgressViewStyle {
    public static var linear: Self { .init() }
}
public struct CircularProgressViewStyle: ProgressViewStyle {
    public init() {}
    public init(tint: Color) {}
}
extension ProgressViewStyle where Self == CircularProgressViewStyle {
    public static var circular: Self { .init() }
}

public struct AutomaticFormStyle: FormStyle { public init() {} }
extension FormStyle where Self == AutomaticFormStyle { public static var automatic: Self { .init() } }
public struct GroupedFormStyle: FormStyle { public init() {} }
extension FormStyle where Self == GroupedFormStyle { public static var grouped: Self { .init() } }
public struct ColumnsFormStyle: FormStyle { public init() {} }
extension FormStyle where Self == ColumnsFormStyle { public static var columns: Self { .init() } }

public struct DefaultDatePickerStyle: DatePickerStyle { public init() {} }
extension DatePickerStyle where Self == DefaultDatePickerStyle {
    public static var automatic: Self { .init() }
}
public struct CompactDatePickerStyle: DatePickerStyle { public init() {} }
extension DatePickerStyle where Self == CompactDatePickerStyle { public static var compact: Self { .init() } }
public struct GraphicalDatePickerStyle: DatePickerStyle { public init() {} }
extension DatePickerStyle where Self == GraphicalDatePickerStyle {
    public static var graphical: Self { .init() }
}
public struct WheelDatePickerStyle: DatePickerStyle { public init() {} }
extension DatePickerStyle where Self == WheelDatePickerStyle { public static var wheel: Self { .init() } }

public struct DefaultNavigationViewStyle: NavigationViewStyle { public init() {} }
extension NavigationViewStyle where Self == DefaultNavigationViewStyle {
    public static var automatic: Self { .init() }
}
public struct StackNavigationViewStyle: NavigationViewStyle { public init() {} }
extension NavigationViewStyle where Self == StackNavigationViewStyle {
    public static var stack: Self { .init() }
}

/// A button's content, made by somebody's own hand.
@MainActor
@preconcurrency
public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// A button as its style sees it. Nobody holds a finger on it.
public struct ButtonStyleConfiguration {
    public typealias Label = AnyView
    public let label: AnyView
    public let role: ButtonRole?
    public let isPressed = false
}

extension View {
    public func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { self }
    public func buttonStyle<Style: ButtonStyle>(_ style: Style) -> some View {
        ModifiedView(content: self) {
            $0.environment.around.buttonStyle = { AnyView(style.makeBody(configuration: $0)) }
        }
    }
    public func listStyle(_ style: some ListStyle) -> some View { self }
    public func pickerStyle(_ style: some PickerStyle) -> some View { self }
    public func textFieldStyle(_ style: some TextFieldStyle) -> some View { self }
    public func toggleStyle(_ style: some ToggleStyle) -> some View { self }
    public func labelStyle(_ style: some LabelStyle) -> some View { self }
    public func progressViewStyle(_ style: some ProgressViewStyle) -> some View { self }
    public func formStyle(_ style: some FormStyle) -> some View { self }
    public func datePickerStyle(_ style: some DatePickerStyle) -> some View { self }
    public func navigationViewStyle(_ style: some NavigationViewStyle) -> some View { self }
}
