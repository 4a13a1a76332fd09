/// What views hand to those inside of them, beside the values of the environment: how to close, to go on, to be heard.
struct Around {
    var dismiss: DismissAction?
    /// Closes the dialog that a button stands in, whatever the button does.
    var endDialog: (@MainActor () -> Void)?
    /// Somebody types into a field here.
    var didFocus: (@MainActor () -> Void)?
    var didBlur: (@MainActor () -> Void)?
    var submit: (@MainActor () -> Void)?
    var refresh: RefreshAction?
    var navigator: Navigator?
    /// What is presented around it.
    var sheet: PresentedSheet?
    var buttonStyle: (@MainActor (ButtonStyleConfiguration) -> AnyView)?
}

/// Shared until somebody says something else: most trees have nothing in it.
final class AroundBox {
    let around: Around
    init(_ around: Around) { self.around = around }
}

extension EnvironmentValues {
    var around: Around {
        get { aroundBox?.around ?? Around() }
        set { aroundBox = AroundBox(newValue) }
    }

    /// Closes what the view is presented in, or goes back from where it was pushed.
    public var dismiss: DismissAction { around.dismiss ?? DismissAction { _ in } }
    public var isPresented: Bool { around.dismiss != nil }
    public var refresh: RefreshAction? { around.refresh }
    public var presentationMode: Binding<PresentationMode> {
        let dismiss = around.dismiss
        return Binding(
            get: { PresentationMode(isPresented: dismiss != nil) },
            set: { mode in onMain("a presentation") { if !mode.isPresented { dismiss?() } } })
    }
}

public struct DismissAction: Sendable {
    private let close: @MainActor @Sendable (()) -> Void
    init(_ close: @escaping @MainActor @Sendable (()) -> Void) { self.close = close }
    @MainActor public func callAsFunction() { close(()) }
}

public struct RefreshAction: Sendable {
    let perform: @MainActor @Sendable () async -> Void
    @MainActor public func callAsFunction() async { await perform() }
}

/// Whether a view is presented, for those who close it by writing that it is not.
public struct PresentationMode: Sendable {
    public private(set) var isPresented: Bool
    public mutating func dismiss() { isPresented = false }
}

// MARK: Values that each environment has

private struct IsEnabledKey: EnvironmentKey { static let defaultValue = true }
private struct ColorSchemeKey: EnvironmentKey { static let defaultValue = ColorScheme.light }
private struct ScenePhaseKey: EnvironmentKey { static let defaultValue = ScenePhase.active }
private struct LayoutDirectionKey: EnvironmentKey { static let defaultValue = LayoutDirection.leftToRight }
private struct HorizontalSizeClassKey: EnvironmentKey {
    static let defaultValue: UserInterfaceSizeClass? = .compact
}
private struct VerticalSizeClassKey: EnvironmentKey {
    static let defaultValue: UserInterfaceSizeClass? = .regular
}
private struct DynamicTypeSizeKey: EnvironmentKey { static let defaultValue = DynamicTypeSize.large }

public enum ColorScheme: String, CaseIterable, Sendable, ModelText { case light, dark }
public enum ScenePhase: String, Sendable, ModelText { case background, inactive, active }
public enum LayoutDirection: String, CaseIterable, Sendable, ModelText { case leftToRight, rightToLeft }
public enum UserInterfaceSizeClass: String, Sendable, ModelText { case compact, regular }
public enum DynamicTypeSize: String, CaseIterable, Sendable, ModelText {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
}

extension ModelText where Self: RawRepresentable<String> {
    public init?(modelText: String) { self.init(rawValue: modelText) }
    public var modelText: String { rawValue }
}

extension EnvironmentValues {
    public var isEnabled: Bool {
        get { self[IsEnabledKey.self] }
        set { self[IsEnabledKey.self] = newValue }
    }
    public var colorScheme: ColorScheme {
        get { self[ColorSchemeKey.self] }
        set { self[ColorSchemeKey.self] = newValue }
    }
    public var scenePhase: ScenePhase {
        get { self[ScenePhaseKey.self] }
        set { self[ScenePhaseKey.self] = newValue }
    }
    public var layoutDirection: LayoutDirection {
        get { self[LayoutDirectionKey.self] }
        set { self[LayoutDirectionKey.self] = newValue }
    }
    public var horizontalSizeClass: UserInterfaceSizeClass? {
        get { self[HorizontalSizeClassKey.self] }
        set { self[HorizontalSizeClassKey.self] = newValue }
    }
    public var verticalSizeClass: UserInterfaceSizeClass? {
        get { self[VerticalSizeClassKey.self] }
        set { self[VerticalSizeClassKey.self] = newValue }
    }
    public var dynamicTypeSize: DynamicTypeSize {
        get { self[DynamicTypeSizeKey.self] }
        set { self[DynamicTypeSizeKey.self] = newValue }
    }
}

extension _Node {
    /// Nobody gets at what is disabled.
    var isEnabled: Bool { environment.isEnabled }

    /// Something that a person did here; what was shown before is looked at again.
    package func act(_ action: () throws -> Void) rethrows {
        guard isEnabled else { return }
        try action()
        enclosingView?.invalidate(.input)
    }
}
