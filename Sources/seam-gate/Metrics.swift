import SeamWire

/// What is counted since the gate's start.
final class Metrics {
    private(set) var changes = [Int](repeating: 0, count: Verdict.allCases.count)
    private(set) var diagnostics: [String: Int] = [:]
    private(set) var collapsed: UInt64 = 0
    private(set) var lost: UInt64 = 0
    private(set) var staleSpells = Histogram(
        milliseconds: [1, 5, 10, 50, 100, 500, 1000, 5000, 15_000, 60_000, 300_000])
    private(set) var requests: [String: Int] = [:]
    private(set) var simulationsFailed = 0

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
        diagnostics[code, default: 0] += 1
    }

    func lagged(_ event: DaemonEvent) {
        collapsed += event.collapsed ?? 0
        lost += event.lost ?? 0
    }

    func simulationChanged(_ event: DaemonEvent) {
        if event.what?.unquoted == "failed" { simulationsFailed += 1 }
    }
}
