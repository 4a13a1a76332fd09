/// What a plug-in describes, before anything is created: the static side of a simulation.
///
/// Every index in here (screens, bridges, events) has been checked by whoever built the value, so that the
/// kernel may use them without asking again.
public struct Scenario: Sendable {
    public var id: String
    public var title: String
    public var summary: String
    public var revision: UInt32 = 0
    public var parameters: [Parameter] = []
    public var screens: [Screen] = []
    public var bridges: [Bridge] = []
    public var events: [Event] = []
    /// The scenario's own demonstration, played by `sim.run` alone.
    public var script: [Step] = []
    public var checks: [Check] = []
    /// Settings as "name=value"; what a client, then a bridge says comes before them.
    public var policies: [String] = []
    /// The main queue is drained inside this scenario's turns (`SEAM_SCENARIO_MAIN_QUEUE`).
    public var drainsMainQueue = false
    /// Clients declare screens and write both sides; there is no plug-in.
    public var isLive = false

    public init(id: String, title: String, summary: String) {
        self.id = id
        self.title = title
        self.summary = summary
    }

    /// The built-in scenario in which clients write both sides, so that any program can be watched.
    public static var live: Scenario {
        var scenario = Scenario(
            id: "live", title: "Live screens",
            summary: "No plug-in: clients declare screens and write both the model and what is shown.")
        scenario.isLive = true
        return scenario
    }

    /// A named value given at creation, or an argument of an event.
    public struct Parameter: Sendable {
        public var id: String
        public var title: String
        public var kind: String
        public var initial: String?
        public var minimum: String?
        public var maximum: String?
        public var choices: [String]?

        public init(
            id: String, title: String, kind: String, initial: String? = nil, minimum: String? = nil,
            maximum: String? = nil, choices: [String]? = nil
        ) {
            self.id = id
            self.title = title
            self.kind = kind
            self.initial = initial
            self.minimum = minimum
            self.maximum = maximum
            self.choices = choices
        }
    }

    public struct Field: Sendable {
        public var key: String
        public var title: String
        public var kind: String

        public init(key: String, title: String, kind: String = "text") {
            self.key = key
            self.title = title
            self.kind = kind
        }
    }

    public enum Side: UInt8, Sendable { case imperative, declarative }

    public struct Screen: Sendable {
        public var id: String
        public var title: String
        public var side: Side
        public var fields: [Field]

        public init(id: String, title: String, side: Side, fields: [Field]) {
            self.id = id
            self.title = title
            self.side = side
            self.fields = fields
        }
    }

    public enum BridgeKind: UInt8, Sendable {
        /// A declarative view inside an imperative screen: a hosting controller holds a root view.
        case embed
        /// An imperative view inside a declarative one: a representable makes, updates and dismantles it.
        case wrap
        /// Driven by the plug-in through the primitives alone.
        case custom
    }

    public struct Bridge: Sendable {
        public var id: String
        public var title: String
        public var kind: BridgeKind
        /// Index of the screen it draws on.
        public var screen: Int
        /// Model keys carried across the seam.
        public var inputs: [String]
        /// The input is a shared, published object: the host redraws by itself (R16).
        public var isObserved: Bool
        /// What the program writes into the native view comes back as a native event (R38).
        public var echoes: Bool
        public var policies: [String]
        /// Whether it has a body that makes a coordinator.
        public var hasCoordinator = true

        public init(
            id: String, title: String, kind: BridgeKind, screen: Int, inputs: [String],
            isObserved: Bool = false,
            echoes: Bool = false, policies: [String] = []
        ) {
            self.id = id
            self.title = title
            self.kind = kind
            self.screen = screen
            self.inputs = inputs
            self.isObserved = isObserved
            self.echoes = echoes
            self.policies = policies
        }
    }

    public enum Origin: UInt8, Sendable { case model, native, lifecycle }

    public struct Event: Sendable {
        public var id: String
        public var title: String
        public var origin: Origin
        /// Index of the bridge whose native view it comes from; none for the events of the model.
        public var bridge: Int?
        public var arguments: [Parameter]

        public init(
            id: String, title: String, origin: Origin, bridge: Int? = nil, arguments: [Parameter] = []
        ) {
            self.id = id
            self.title = title
            self.origin = origin
            self.bridge = bridge
            self.arguments = arguments
        }
    }

    /// One line of the script. A mount label names what a `mount` step made; none is the bridge's only mount.
    public enum Step: Sendable {
        case modelSet(key: String, value: String)
        case modelClear(key: String)
        case event(Int, arguments: [String?], mount: String?)
        case assign(bridge: Int, mount: String?)
        case update(bridge: Int, mount: String?, cause: Cause = .repeat)
        case mount(bridge: Int, label: String?)
        case unmount(bridge: Int, mount: String?)
        case advance(nanoseconds: Int64)
        /// With a label that begins with "@" it looks into the step before it (`interimLabel`).
        case check(label: String)
        case activity(bridge: Int, mount: String?, ActivityChange)
        case identify(bridge: Int, mount: String?, id: String)
        case items(bridge: Int, [Item])
        case rebind(bridge: Int, mount: String?, owner: String)
        case dismiss(bridge: Int, mount: String?)
        /// Of the root without a bridge.
        case environment(key: String, value: String?, bridge: Int?, mount: String?)
        case build(bridge: Int, mount: String?)
        case assignBuilt(bridge: Int, mount: String?)

        /// What the step sends into its simulation; nil for `advance` and `check`, which are no events.
        /// - Parameter placed: the mount behind a label.
        public func event(placed: (String?) -> MountID?) -> SeamKernel.Event? {
            switch self {
            case .modelSet(let key, let value): .modelWrite([(key, value)])
            case .modelClear(let key): .modelWrite([(key, nil)])
            case .event(let event, let arguments, let mount):
                .send(event, arguments: arguments, mount: placed(mount))
            case .assign(let bridge, let mount): .assign(bridge, mount: placed(mount))
            case .update(let bridge, let mount, let cause):
                .update(bridge, mount: placed(mount), cause: cause)
            case .mount(let bridge, _): .mount(bridge)
            case .unmount(let bridge, let mount): .unmount(bridge, mount: placed(mount))
            case .activity(let bridge, let mount, let change):
                .activity(bridge, mount: placed(mount), change)
            case .identify(let bridge, let mount, let id): .identify(bridge, mount: placed(mount), id: id)
            case .items(let bridge, let items): .items(bridge, items)
            case .rebind(let bridge, let mount, let owner):
                .rebind(bridge, mount: placed(mount), owner: owner)
            case .dismiss(let bridge, let mount): .dismiss(bridge, mount: placed(mount))
            case .environment(let key, let value, let bridge, let mount):
                .environment([(key, value)], bridge: bridge, mount: placed(mount))
            case .build(let bridge, let mount): .build(bridge, mount: placed(mount))
            case .assignBuilt(let bridge, let mount): .assignBuilt(bridge, mount: placed(mount))
            case .advance, .check: nil
            }
        }

        /// The label of a check that is an interim read: it sees what the step before it has applied, and no round
        /// of that turn (R25).
        public var interimLabel: String? {
            if case .check(let label) = self, label.hasPrefix("@") { label } else { nil }
        }
    }

    /// Fields of one screen, judged together under a label. Checks with the same label are one check.
    public struct Check: Sendable {
        public var label: String
        public var screen: Int
        public var keys: [String]
        public var expected: [Verdict]?

        public init(label: String, screen: Int, keys: [String], expected: [Verdict]? = nil) {
            self.label = label
            self.screen = screen
            self.keys = keys
            self.expected = expected
        }
    }
}
