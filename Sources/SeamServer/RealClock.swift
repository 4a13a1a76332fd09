import CLibuv

/// Wakes the simulations that follow the monotonic clock: one timer, set to the earliest of their deadlines.
///
/// The earliest is looked for among all of them when the timer has run. A heap would do it in less, for
/// thousands of simulations with timers of their own; nobody has shown one yet.
final class RealClock {
    private var simulations: [HostedSimulation] = []
    private var timer: LoopTimer?
    private let due: (HostedSimulation) -> Void
    /// In the clock's nanoseconds.
    private var next = UInt64.max

    init(on loop: Loop, due: @escaping (HostedSimulation) -> Void) {
        self.due = due
        timer = LoopTimer(on: loop) { [unowned self] in fire() }
    }

    /// A simulation may have set or lost a timer.
    func look(at hosted: HostedSimulation) {
        guard hosted.realStart != nil, let deadline = hosted.realDeadline else { return }
        if !hosted.isInRealClock {
            hosted.isInRealClock = true
            simulations.append(hosted)
        }
        if deadline < next { set(deadline) }
    }

    func forget(_ hosted: HostedSimulation) {
        guard hosted.isInRealClock else { return }
        hosted.isInRealClock = false
        simulations.removeAll { $0 === hosted }
    }

    private func fire() {
        next = .max
        let now = uv_hrtime()
        for hosted in simulations where hosted.realDeadline.map({ $0 <= now }) ?? false { due(hosted) }
        simulations.removeAll { hosted in
            hosted.isInRealClock = hosted.realDeadline != nil
            return !hosted.isInRealClock
        }
        if let earliest = simulations.compactMap(\.realDeadline).min() { set(earliest) }
    }

    private func set(_ deadline: UInt64) {
        next = deadline
        let now = uv_hrtime()
        // Rounded up: a timer that runs early would only have to be set again.
        timer?.start(after: deadline > now ? (deadline - now + 999_999) / 1_000_000 : 0)
    }
}
