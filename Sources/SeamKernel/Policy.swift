/// A named setting where frameworks differ, so that no contradiction is decided in code.
///
/// Who may say it, from first to last: the client, the bridge, the scenario, the profile, the default.
public struct Policy: Sendable {
    public enum Scope: Sendable { case bridge, simulation }
    public enum Values: Sendable {
        case words([String])
        case integer(ClosedRange<Int>)
    }

    public var name: String
    public var scope: Scope
    public var values: Values
    /// What holds when nobody says anything: the `lesson` profile.
    public var initial: String
    public var meaning: String

    /// Whether a wrapping's update runs by itself when an input changed (BR2).
    static let updates = Policy(
        name: "updates", scope: .bridge, values: .words(["automatic", "manual"]), initial: "automatic",
        meaning:
            "whether update runs by itself in the turn that changed an input (BR2), or by bridge.update alone"
    )
    /// What becomes of the fields of a bridge that is unmounted (R54).
    static let unmounted = Policy(
        name: "unmounted", scope: .bridge, values: .words(["clear", "keep"]), initial: "clear",
        meaning:
            "whether what a mount wrote is cleared when it is unmounted, since a view that is gone shows "
            + "nothing (R54), or kept")
    /// Rounds after which a turn that does not settle is cut off.
    static let roundLimit = Policy(
        name: "round-limit", scope: .simulation, values: .integer(1...1_000_000), initial: "100",
        meaning: "rounds of one turn after which it is cut off as a feedback-loop")

    public static let all = [updates, unmounted, roundLimit]
    /// Sets of policies by name. `lesson` is every default: BR1 and BR2 as the lesson states them.
    public static let profiles = ["lesson"]

    public func accepts(_ value: String) -> Bool {
        switch values {
        case .words(let words): words.contains(value)
        case .integer(let range): Int(value).map(range.contains) ?? false
        }
    }

    /// What the value may be, for a person.
    public var expected: String {
        switch values {
        case .words(let words): "one of " + words.joined(separator: ", ")
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

/// Why settings do not fit a scenario.
public enum PolicyProblem: Equatable, Sendable {
    case unknownPolicy(String, known: [String])
    case unknownBridge(String, known: [String])
    case badValue(policy: String, value: String, expected: String)
    case unknownProfile(String, known: [String])
}

/// The policies of one simulation, asked once at creation.
struct PolicyBook {
    private var client: [(name: String, value: String)]
    private var scenario: [(name: String, value: String)]

    init(client: [(name: String, value: String)], scenario: Scenario) {
        self.client = client
        self.scenario = scenario.policies.compactMap(Self.pair)
    }

    func value(of policy: Policy, bridge: Scenario.Bridge? = nil) -> String {
        if let bridge {
            if let said = last(of: "\(bridge.id).\(policy.name)", in: client) { return said }
        }
        if let said = last(of: policy.name, in: client) { return said }
        if let bridge, let said = last(of: policy.name, in: bridge.policies.compactMap(Self.pair)) {
            return said
        }
        return last(of: policy.name, in: scenario) ?? policy.initial
    }

    private func last(of name: String, in pairs: [(name: String, value: String)]) -> String? {
        pairs.last { $0.name == name }?.value
    }

    /// Splits "name=value"; nil for a text without "=".
    static func pair(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// The first setting that names no policy, or gives it no value of its kind.
    static func problem(client: [(name: String, value: String)], profile: String, scenario: Scenario)
        -> PolicyProblem?
    {
        if !Policy.profiles.contains(profile) { return .unknownProfile(profile, known: Policy.profiles) }
        for (name, value) in client {
            var policyName = name
            if let dot = name.lastIndex(of: ".") {
                let bridge = String(name[..<dot])
                policyName = String(name[name.index(after: dot)...])
                if !scenario.bridges.contains(where: { $0.id == bridge }) {
                    return .unknownBridge(bridge, known: scenario.bridges.map(\.id))
                }
            }
            guard let policy = Policy.all.first(where: { $0.name == policyName }) else {
                return .unknownPolicy(name, known: Policy.all.map(\.name))
            }
            if !policy.accepts(value) {
                return .badValue(policy: name, value: value, expected: policy.expected)
            }
        }
        return nil
    }
}
