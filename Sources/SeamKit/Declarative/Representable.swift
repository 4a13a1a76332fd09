/// What a representable of either kind is to the tree: something imperative that is made once, updated and dismantled.
@MainActor
@preconcurrency
public protocol _Representable: View where Body == Never {
    associatedtype Coordinator = Void

    func makeCoordinator() -> Coordinator
    func _make(_ placement: _RepresentablePlacement<Self>) -> any _NativeControl
    /// The control is the one that `_make` returned, or that was put in its place.
    func _update(_ native: any _NativeControl, _ placement: _RepresentablePlacement<Self>)
    static func _dismantle(_ native: any _NativeControl, coordinator: Coordinator)
}

extension _Representable {
    public var body: Never { fatalError("a part without a body was asked for one") }

    public static func _render(_ view: Self, in node: _Node) throws {
        try node.wrap(view)
    }
}

extension _Representable where Coordinator == Void {
    public func makeCoordinator() {}
}

/// What a representable is told about its placement, whichever kind it is.
@MainActor
public struct _RepresentablePlacement<Content: _Representable> {
    @usableFromInline let coordinator: Content.Coordinator
    @usableFromInline let environment: EnvironmentValues
    @usableFromInline let control: ControlBox<Content>
}

/// An imperative view inside a declarative screen: made once, updated when the state changes, dismantled at
/// the end. The value itself is made anew for each of these calls.
@MainActor
@preconcurrency
public protocol UIViewRepresentable: _Representable {
    associatedtype UIViewType: _NativeControl
    typealias Context = UIViewRepresentableContext<Self>

    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
}

extension UIViewRepresentable {
    public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) {}

    // Inlined where a representable conforms: there its types are known.
    @inlinable public func _make(_ placement: _RepresentablePlacement<Self>) -> any _NativeControl {
        makeUIView(context: Context(placement))
    }
    @inlinable public func _update(
        _ native: any _NativeControl, _ placement: _RepresentablePlacement<Self>
    ) {
        if let view = native as? UIViewType { updateUIView(view, context: Context(placement)) }
    }
    public static func _dismantle(_ native: any _NativeControl, coordinator: Coordinator) {
        if let view = native as? UIViewType { dismantleUIView(view, coordinator: coordinator) }
    }
}

/// What a representable is told about its placement.
@MainActor
@preconcurrency
public struct UIViewRepresentableContext<Content: UIViewRepresentable> {
    public let coordinator: Content.Coordinator
    public let environment: EnvironmentValues
    public let transaction: Transaction
    @usableFromInline let control: ControlBox<Content>

    @inlinable init(_ placement: _RepresentablePlacement<Content>) {
        coordinator = placement.coordinator
        environment = placement.environment
        transaction = Transaction()
        control = placement.control
    }

    /// Puts another view in the place of the one on screen, as wrappers do that build their control anew on
    /// each update. The fault is reported; nothing in this call hides it.
    public func replaceView(with view: Content.UIViewType) { control.view = view }
}

/// An imperative screen inside a declarative one, as a view is that is wrapped.
@MainActor
@preconcurrency
public protocol UIViewControllerRepresentable: _Representable {
    associatedtype UIViewControllerType: _NativeControl
    typealias Context = UIViewControllerRepresentableContext<Self>

    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
    static func dismantleUIViewController(
        _ uiViewController: UIViewControllerType, coordinator: Coordinator)
}

extension UIViewControllerRepresentable {
    public static func dismantleUIViewController(
        _ uiViewController: UIViewControllerType, coordinator: Coordinator
    ) {}

    public func _make(_ placement: _RepresentablePlacement<Self>) -> any _NativeControl {
        makeUIViewController(context: Context(placement))
    }
    public func _update(_ native: any _NativeControl, _ placement: _RepresentablePlacement<Self>) {
        guard let controller = native as? UIViewControllerType else { return }
        updateUIViewController(controller, context: Context(placement))
    }
    public static func _dismantle(_ native: any _NativeControl, coordinator: Coordinator) {
        guard let controller = native as? UIViewControllerType else { return }
        dismantleUIViewController(controller, coordinator: coordinator)
    }
}

/// What a representable is told about its placement.
@MainActor
@preconcurrency
public struct UIViewControllerRepresentableContext<Content: UIViewControllerRepresentable> {
    public let coordinator: Content.Coordinator
    public let environment: EnvironmentValues
    public let transaction = Transaction()

    init(_ placement: _RepresentablePlacement<Content>) {
        coordinator = placement.coordinator
        environment = placement.environment
    }
}

/// What an update belongs to.
public struct Transaction: Sendable {
    public var disablesAnimations = false
    @inlinable public init() {}
}

/// A class whose objects can stand in a declarative tree.
@MainActor
@preconcurrency
public protocol _NativeControl: AnyObject {
    /// It got its place: what it shows are fields of this surface from now on.
    func _enter(_ surface: _ControlSurface)
    /// Its place is gone, and its fields with it: others may have their names.
    func _leave()
    func _hear(_ moment: Moment) throws
    /// The object that the host tells apart from others.
    var _identity: AnyObject { get }
    /// Whether it is on the screen.
    var _isSeen: Bool { get }
    /// What a person can do in it.
    func _control() -> Control?
    /// Whether there are view controllers in it, which hear that they appear whether or not the host tells moments.
    var _hasControllers: Bool { get }
}

extension Instance {
    /// What a body wrote off the screen: some of it has come on the screen since, and is none of the rest.
    func settleOffScreen() {
        if offScreen.isEmpty { return }
        let written = offScreen
        offScreen = []
        for (screen, name, value, view) in written where !view._isSeen {
            show(on: view._identity, screen, name, value)
        }
    }
}

extension _NativeControl {
    public var _isSeen: Bool { true }
    public func _enter(_ surface: _ControlSurface) {}
    public func _leave() {}
    public func _hear(_ moment: Moment) throws {}
    public var _identity: AnyObject { self }
    public func _control() -> Control? { nil }
    public var _hasControllers: Bool { false }
}

/// Where the controls below one native view show what they show.
@MainActor
public struct _ControlSurface {
    package let instance: Instance
    package let screen: UInt32
    package let mount: UInt64
    package let scope: String
    package let identifier: String?
}

extension _ControlSurface {
    package static var ofRunningCode: _ControlSurface? {
        guard let instance = Instance.current, instance.stageTables != nil else { return nil }
        return _ControlSurface(
            instance: instance, screen: Instance.currentScreen, mount: Instance.currentMount, scope: "",
            identifier: nil)
    }

    /// Shows a field, written into this particular view.
    package func show(_ name: String, _ value: String?, by view: any _NativeControl) {
        instance.fieldOwners["\(screen).\(name)"] = .init(view: ObjectIdentifier(view), mount: mount)
        instance.show(screen, name, value)
    }

    /// Nothing is cleared where another view shows the field by now.
    package func clear(_ name: String, by view: any _NativeControl) {
        if let owner = instance.fieldOwners["\(screen).\(name)"], owner.view != ObjectIdentifier(view) {
            return
        }
        free(name)
        instance.show(screen, name, nil)
    }

    package func isFree(_ name: String) -> Bool { instance.fieldOwners["\(screen).\(name)"] == nil }

    /// The same screen, outside of whatever is wrapped there.
    package var onScreen: _ControlSurface {
        _ControlSurface(instance: instance, screen: screen, mount: 0, scope: "", identifier: nil)
    }

    /// The name is nobody's now; what is shown under it is the host's to clear.
    package func free(_ name: String) {
        instance.fieldOwners["\(screen).\(name)"] = nil
        for (key, taken) in instance.identifiersTaken where taken.name == name {
            instance.identifiersTaken[key] = nil
        }
    }

    /// Another control takes this one's place while it is still there: what it shows goes under the same names.
    func handOverNames() {
        for (key, owner) in instance.fieldOwners where owner.mount == mount {
            instance.fieldOwners[key] = nil
        }
        for key in instance.identifiersTaken.keys where key.hasPrefix("\(mount).") {
            instance.identifiersTaken[key] = nil
        }
    }

    /// A write into a view that is not on the screen, while one of that name is.
    package func showElsewhere(_ name: String, _ value: String?, in view: any _NativeControl) {
        // Inside an update alone: what a body makes and does not show yet is nobody's other instance.
        guard instance.phase == .body, instance.placements[Instance.currentMount] is AnyWrap,
            let owner = instance.fieldOwners["\(screen).\(name)"], owner.view != ObjectIdentifier(view)
        else { return }
        instance.offScreen.append((screen, name, value, view))
    }

    /// A control asks somebody something. Whoever keeps a copy of the representable answers from that copy (R31, R34).
    package func asks(_ answerer: AnyObject) {
        (instance.placements[mount] as? AnyWrap)?.noteQuestion(to: answerer)
    }

    package func declare(_ name: String) { instance.declare(name, on: screen, isCarried: mount != 0) }

    /// A name for a view without one: the property that holds it, or its kind, and a number where there are several.
    package func unused(_ property: String?, _ kind: String) -> String {
        if let property, instance.fieldOwners["\(screen).\(property)"] == nil { return property }
        let kind = property ?? kind
        let plain = scope.isEmpty ? kind : "\(scope).\(kind)"
        var name = plain
        var number = 1
        while instance.fieldOwners["\(screen).\(name)"] != nil {
            number += 1
            name = "\(plain)-\(number)"
        }
        return name
    }

    package func take(identifierFor view: ObjectIdentifier) -> Bool {
        guard let identifier else { return false }
        let key = "\(mount).\(identifier)"
        if let taken = instance.identifiersTaken[key] { return taken.view == view }
        instance.identifiersTaken[key] = (view, identifier)
        return true
    }
}
