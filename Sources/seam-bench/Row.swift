/// One line of the table: what each server did in each round, and what is asked of it.
struct Row {
    var line: String
    var title: String
    var unit: Unit
    /// The first is Seam, or what is compared with the others.
    var series: [Series] = []
    var target: Target?
    /// Said below the table; nil when there is nothing to say.
    var note: String?

    struct Series {
        var name: String
        var samples: [Double]

        var median: Double { Row.median(samples) }
    }

    enum Unit: String {
        case perSecond = "/s"
        case nanoseconds = "ns"
        case microseconds = "us"
        case milliseconds = "ms"
        case bytes = "B"
        case mebibytes = "MiB"
    }

    struct Target {
        enum Bound { case atLeast, atMost }
        var bound: Bound
        var limit: Double
        /// The series that the first is divided by; nil: its own median is judged.
        var other: String?

        static func atLeast(_ limit: Double, times other: String? = nil) -> Target {
            Target(bound: .atLeast, limit: limit, other: other)
        }

        static func atMost(_ limit: Double, times other: String? = nil) -> Target {
            Target(bound: .atMost, limit: limit, other: other)
        }
    }

    /// Ratio of the medians of the first series and the one the target names, and of single rounds: rounds lie close
    /// together in time, so their ratios spread less than the numbers do.
    var ratio: (median: Double, rounds: [Double])? {
        guard let name = target?.other, let mine = series.first, !mine.samples.isEmpty,
            let other = series.first(where: { $0.name == name }), other.samples.count == mine.samples.count
        else { return nil }
        return (mine.median / other.median, zip(mine.samples, other.samples).map { $0 / $1 })
    }

    /// Nil: nothing is asked, or it could not be measured.
    var isMet: Bool? {
        guard let target, let mine = series.first, !mine.samples.isEmpty else { return nil }
        let value: Double
        if target.other != nil {
            guard let ratio else { return nil }
            value = ratio.median
        } else {
            value = mine.median
        }
        return target.bound == .atLeast ? value >= target.limit : value <= target.limit
    }

    static func median(_ samples: [Double]) -> Double {
        let sorted = samples.sorted()
        if sorted.isEmpty { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// The value that a share of the samples is not above.
func percentile(_ share: Double, of samples: [Int64]) -> Double {
    let sorted = samples.sorted()
    if sorted.isEmpty { return 0 }
    let place = Int((Double(sorted.count) * share).rounded(.up)) - 1
    return Double(sorted[min(sorted.count - 1, max(0, place))])
}

/// The samples of each round under names, for one row after the other.
struct Samples {
    private var names: [String] = []
    private var samples: [String: [Double]] = [:]

    mutating func add(_ name: String, _ value: Double) {
        if samples[name] == nil { names.append(name) }
        samples[name, default: []].append(value)
    }

    var series: [Row.Series] { names.map { Row.Series(name: $0, samples: samples[$0] ?? []) } }
}
