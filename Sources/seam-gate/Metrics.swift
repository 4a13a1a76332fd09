import SeamWire

/// What is counted since the gate's start.
final class Metrics {
    private(set) var changes = [Int](repeating: 0, count: Verdict.allCases.count)
    /// By code. Those that the kernel finds are there from the start: a counter that begins with its first event has no
    /// increase that a rate could see.
    private(set) var diagnostics = Dictionary(uniqueKeysWithValues: Metrics.kernelCodes.map { ($0, 0) })
    private(set) var collapsed: UInt64 = 0
    private(set) var lost: UInt64 = 0
    private(set) var staleSpells = Histogram(
        milliseconds: [1, 5, 10, 50, 100, 500, 1000, 5000, 15_000, 60_000, 300_000])
    /// Simulations that failed, by scenario.
    private var failures: [String: Int] = [:]
    /// The plug-in that each scenario comes from; empty until the daemon has told it.
    private var plugins: [String: String] = [:]

    /// The codes of the kernel. A test holds them to its own list.
    static let kernelCodes = [
        "callback-after-dismantle", "dangling-subscription", "diff-base-out-of-step", "empty-update",
        "environment-not-propagated", "feedback-loop", "identity-carried-state", "leaked-coordinator",
        "leaked-observer", "leaked-resource", "lost-edit", "no-control", "object-recreated", "plugin-failed",
        "plugin-misbehaving", "recreated-control", "redundant-write", "reuse-leak", "size-not-remeasured",
        "split-application", "stale-parent", "state-write-during-update", "transient-divergence",
        "unsettled-read", "untracked-read", "update-never-arrived", "write-once-input", "wrong-instance",
    ]
    /// A plug-in may use codes, and a daemon have scenarios, without end; a label may not.
    private static let mostCodes = 200
    private static let mostScenarios = 1000

    struct Histogram {
        let bounds: [Int]
        private(set) var counts: [Int]
        private(set) var sum = 0

        init(milliseconds bounds: [Int]) {
            self.bounds = bounds
            counts = [Int](repeating: 0, count: bounds.count + 1)
        }

        var count: Int { counts.reduce(0, +) }

        mutating func observe(_ value: Int) {
            counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
            sum += value
        }
    }

    func staleSpellEnded(milliseconds: Int) { staleSpells.observe(milliseconds) }

    func changed(_ event: DaemonEvent) {
        guard let to = Verdict(event.verdict) else { return }
        // A stale field that falls further behind has not gone stale once more.
        if Verdict(event.from) != to { changes[Int(to.rawValue)] += 1 }
    }

    func found(_ event: DaemonEvent) {
        guard let code = event.code?.unquoted else { return }
        let isKnown = diagnostics[code] != nil || diagnostics.count < Self.mostCodes
        diagnostics[isKnown ? code : "other", default: 0] += 1
    }

    func lagged(_ event: DaemonEvent) {
        collapsed += event.collapsed ?? 0
        lost += event.lost ?? 0
    }

    // MARK: plug-ins

    /// A simulation of this scenario is there; whether its plug-in should be asked for.
    func met(scenario: String) -> Bool {
        guard plugins[scenario] == nil, plugins.count < Self.mostScenarios else { return false }
        plugins[scenario] = ""
        return true
    }

    func told(plugin: String, of scenario: String) { plugins[scenario] = plugin }

    /// What was met is forgotten: another daemon may have other plug-ins.
    func forgetPlugins() { plugins = plugins.filter { failures[$0.key] != nil } }

    func failed(scenario: String) {
        failures[failures.count < Self.mostScenarios ? scenario : "other", default: 0] += 1
    }

    /// Failures by plug-in, also of those that had none.
    var faults: [(plugin: String, count: Int)] {
        var counts: [String: Int] = [:]
        for plugin in plugins.values where !plugin.isEmpty { counts[plugin] = 0 }
        for (scenario, count) in failures {
            let plugin = plugins[scenario] ?? ""
            counts[plugin.isEmpty ? "unknown" : plugin, default: 0] += count
        }
        return counts.map { ($0.key, $0.value) }.sorted { $0.plugin < $1.plugin }
    }
}
