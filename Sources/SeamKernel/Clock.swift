/// The timers of one simulation in its own time. The kernel reads no clock: somebody else says what time it is.
struct Clock {
    struct Timer {
        var id: UInt64
        var due: Int64
        var token: UInt64
    }

    /// Nanoseconds since the simulation was created.
    private(set) var now: Int64 = 0
    /// By due time, then by the order in which they were set.
    private var timers: [Timer] = []
    private var lastTimer: UInt64 = 0

    var nextDeadline: Int64? { timers.first?.due }
    var timerCount: Int { timers.count }

    mutating func set(token: UInt64, due: Int64) -> UInt64 {
        lastTimer += 1
        let timer = Timer(id: lastTimer, due: due, token: token)
        // From the back: a timer that is set later is due later as a rule.
        var position = timers.count
        while position > 0, timers[position - 1].due > due { position -= 1 }
        timers.insert(timer, at: position)
        return timer.id
    }

    /// Whether there was such a timer. One that has run is no longer there.
    mutating func cancel(_ id: UInt64) -> Bool {
        guard let position = timers.firstIndex(where: { $0.id == id }) else { return false }
        timers.remove(at: position)
        return true
    }

    func everSet(_ id: UInt64) -> Bool { id > 0 && id <= lastTimer }

    /// Moves on, never back.
    mutating func move(to moment: Int64) { now = max(now, moment) }

    /// All timers due by now, in order; they are gone afterwards.
    mutating func takeDue() -> [Timer] {
        let due = Array(timers.prefix { $0.due <= now })
        timers.removeFirst(due.count)
        return due
    }
}

/// Seeded numbers (SplitMix64, Steele, Lea and Flood 2014), so that the same seed gives the same run.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
