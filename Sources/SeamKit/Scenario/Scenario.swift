/// One scenario of a plug-in: two worlds, the bridge between them, and what to check.
///
/// The static members describe it before anything is created. An object of the type is one running instance:
/// `init` gets the parameters, `start` puts up the bridges, events call its methods. All on the main thread.
///
/// The host owns the model, the screens and the bridges. It decides when a body runs and judges what the
/// screens show. A scenario says *that* something changed: by assigning a root view, by writing the model.
@MainActor
public protocol Scenario: AnyObject, SendableMetatype {
    static var about: About { get }
    static var parameters: [Parameter] { get }
    static var screens: [Screen] { get }
    static var bridges: [Bridge] { get }
    static var events: [Event<Self>] { get }
    /// The demonstration that `seam run` plays.
    static var script: [Step] { get }
    static var checks: [Check] { get }
    /// Settings where frameworks differ, as "name=value".
    static var policies: [String] { get }

    /// Makes an instance. The model is not there yet: what is set in a `@Model` here is published before
    /// `start`.
    init(_ parameters: Values) throws
    /// Puts up the bridges. Without one of its own, a scenario mounts each bridge once, in order.
    func start() throws
}

extension Scenario {
    public static var parameters: [Parameter] { [] }
    public static var bridges: [Bridge] { [] }
    public static var events: [Event<Self>] { [] }
    public static var script: [Step] { [] }
    public static var checks: [Check] { [] }
    public static var policies: [String] { [] }

    public func start() throws {
        for bridge in Self.bridges { try bridge.mount() }
    }
}

/// What a scenario is called and what it shows.
public struct About: Sendable {
    public var id: String
    public var title: String
    public var summary: String
    /// Main-queue blocks and tasks of this scenario run inside the turn that put them there.
    public var drainsMainQueue: Bool

    public init(_ id: String, title: String, summary: String, drainsMainQueue: Bool = false) {
        self.id = id
        self.title = title
        self.summary = summary
        self.drainsMainQueue = drainsMainQueue
    }
}

/// A value chosen when an instance is created, or an argument of an event.
public struct Parameter: Sendable {
    public var id: String
    public var title: String
    var kind: String
    var initial: String?
    var minimum: String?
    var maximum: String?
    var choices: [String]?

    public static func text(
        _ id: String, _ title: String, initial: String? = nil, choices: [String]? = nil
    ) -> Parameter {
        Parameter(id: id, title: title, kind: "text", initial: initial, choices: choices)
    }

    public static func integer(
        _ id: String, _ title: String, initial: Int? = nil, in range: ClosedRange<Int>? = nil
    ) -> Parameter {
        Parameter(
            id: id, title: title, kind: "integer", initial: initial.map(String.init),
            minimum: range.map { String($0.lowerBound) }, maximum: range.map { String($0.upperBound) })
    }

    public static func boolean(_ id: String, _ title: String, initial: Bool? = nil) -> Parameter {
        Parameter(id: id, title: title, kind: "boolean", initial: initial.map(String.init))
    }
}

/// A screen and the fields that it can show.
public struct Screen: Sendable {
    /// The world that owns a screen.
    public enum Side: Sendable { case imperative, declarative }

    public var id: String
    public var title: String
    public var side: Side
    public var fields: [String]

    /// - Parameters:
    ///   - id: what scripts and clients call it.
    ///   - side: the world that owns it.
    ///   - title: the id when left out.
    ///   - fields: the keys of what it can show.
    public init(_ id: String, _ side: Side, title: String? = nil, fields: [String]) {
        self.id = id
        self.title = title ?? id
        self.side = side
        self.fields = fields
    }
}

/// Something that happens to the whole scenario; what happens inside a native view is a `NativeEvent`.
@MainActor
public struct Event<Owner: Scenario> {
    let id: String
    let title: String
    let isLifecycle: Bool
    let arguments: [Parameter]
    let perform: @MainActor (Owner, Values) throws -> Void

    public init(
        _ id: String, _ title: String, lifecycle: Bool = false, arguments: [Parameter] = [],
        perform: @escaping @MainActor (Owner, Values) throws -> Void
    ) {
        self.id = id
        self.title = title
        isLifecycle = lifecycle
        self.arguments = arguments
        self.perform = perform
    }
}

/// Somebody did something in a native view.
@MainActor
public struct NativeEvent<View: _NativeControl> {
    let id: String
    let title: String
    let arguments: [Parameter]
    let perform: @MainActor (View, Values) throws -> Void

    public init(
        _ id: String, _ title: String, arguments: [Parameter] = [],
        perform: @escaping @MainActor (View, Values) throws -> Void
    ) {
        self.id = id
        self.title = title
        self.arguments = arguments
        self.perform = perform
    }
}

/// One step of a script. Bridges, events and checks are named; a wrong name is told when the plug-in is
/// opened.
public enum Step: Sendable {
    case set(String, any ModelText & Sendable)
    case clear(String)
    case send(String, [String: any ModelText & Sendable] = [:], mount: String? = nil)
    /// `rootView = …` of an embedding, by the host.
    case assign(String, mount: String? = nil)
    /// One more update of a wrapping.
    case update(String, mount: String? = nil)
    case mount(String, label: String? = nil)
    case unmount(String, mount: String? = nil)
    case advance(milliseconds: Int)
    /// With a name that begins with "@" an interim read: it looks into the step before it, after that step's event
    /// is applied and before its first round.
    case check(String)
    /// Where the view of this mount is, from now on; what is left out stays as it is.
    case activity(
        String, window: Bool? = nil, scene: Activity.Scene? = nil, hidden: Bool? = nil, size: Bool? = nil,
        parked: Bool? = nil, mount: String? = nil)
    case identify(String, as: String, mount: String? = nil)
    case items(String, [Item])
    case rebind(String, to: String, mount: String? = nil)
    case dismiss(String, mount: String? = nil)
    /// An environment value of the root, or of one bridge's host; nil clears it.
    case environment(String, (any ModelText & Sendable)?, bridge: String? = nil, mount: String? = nil)
    case build(String, mount: String? = nil)
    case assignBuilt(String, mount: String? = nil)
    /// One more call, for another reason than an input: "layout", "focus", "unrelated", "container".
    case updateFor(String, reason: String, mount: String? = nil)

    // Of a screen scenario, whose controls are known by name.
    /// Somebody taps a control: by its identifier, its property, or what it says.
    case tap(String)
    /// Somebody types: this is the text then. Without a name into the only control that takes text.
    case type(String, into: String? = nil)
    /// Somebody leaves a text: taps elsewhere, or puts the keyboard away. Without a name whichever is typed into. The key
    /// Return is a line break at the end of what is typed.
    case endEditing(String? = nil)
    /// Somebody sets a control: a switch to true or false, a slider to a number.
    case turn(String, to: any ModelText & Sendable)
    case expect(String, [(key: String, expected: Verdict?)])

    /// Fields with the verdicts that they are expected to have; of a screen scenario, whose checks stand in its script.
    public static func check(_ label: String, _ fields: KeyValuePairs<String, Verdict>) -> Step {
        .expect(label, fields.map { ($0.key, $0.value) })
    }

    /// Fields without an expectation.
    public static func check(_ label: String, fields: String...) -> Step {
        .expect(label, fields.map { ($0, nil) })
    }
}

/// The judgement of one field, as a check expects it.
public enum Verdict: String, Sendable {
    case matching, stale, missing, leftover
    case outOfScope = "out-of-scope"
}

/// Fields of one screen judged together, in the order given.
public struct Check: Sendable {
    var label: String
    var screen: String
    var fields: [(key: String, expected: Verdict?)]

    /// Fields with the verdict that this scenario is expected to have: a fault that shows as it should is
    /// met.
    public init(_ label: String, of screen: Screen, expecting fields: KeyValuePairs<String, Verdict>) {
        self.label = label
        self.screen = screen.id
        self.fields = fields.map { ($0.key, $0.value) }
    }

    init(_ label: String, screen: String, fields: [(key: String, expected: Verdict?)]) {
        self.label = label
        self.screen = screen
        self.fields = fields
    }

    /// Fields without an expectation.
    public init(_ label: String, of screen: Screen, fields: [String]) {
        self.label = label
        self.screen = screen.id
        self.fields = fields.map { ($0, nil) }
    }
}

/// Values by name: the parameters of an instance, the arguments of an event.
public struct Values {
    let names: [String]
    let texts: [String?]

    /// The text, nil for no value and for a name that was not declared.
    public subscript(_ name: String) -> String? { names.firstIndex(of: name).flatMap { texts[$0] } }

    /// The value as what it is.
    /// - Throws: when there is none, or it cannot be read as one.
    public func value<Value: ModelText>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        guard let text = self[name] else { throw ScenarioError("\(name) has no value") }
        guard let value = Value(modelText: text) else {
            throw ScenarioError("\(name) is \"\(text)\", expected \(type)")
        }
        return value
    }
}

/// Why a scenario can't go on, for whoever reads the diagnostic.
public struct ScenarioError: Error, CustomStringConvertible {
    public var description: String
    public init(_ text: String) { description = text }
}
