import SeamWire

/// What all simulations of a daemon take together, their values and what is kept of their past, against one limit.
///
/// Kept along and never counted anew: whoever takes or gives back bytes says so. Values may fill all but a sixteenth
/// of the limit, so that there is always room for some of the past; what is left belongs to traces, to histories of inputs
/// and to rings, and when they have filled it they give way in this order, until a thirty-second of the limit is free
/// again: the older half of every trace, the longest histories, then the oldest entries of all rings, whoever's they are.
/// Traces and histories go before rings: what a reader may resume by is worth more than what somebody may ask some day.
/// So rings are looked through once in many thousand events, and an event pays two additions.
nonisolated final class Memory {
    let limit: Int
    /// What one ring keeps at the most.
    let ringEntries: UInt64
    let ringBytes: Int
    /// Entries that a stream takes in before its readers are written to in the middle of a round, and bytes of them: a
    /// burst of many publishers must not run over readers who keep up, nor the ring of one.
    let newsEntries: Int
    let newsBytes: Int
    /// Names, values, the simulations themselves, and the patterns of subscriptions.
    var values = 0
    private(set) var rings = 0
    /// What came into simulations, for earlier moments and forks.
    private(set) var histories = 0
    /// Calls and writes of the past.
    var traces = 0
    /// Goes up whenever rings took in a thousandth of the limit: how old an entry is, near enough.
    private(set) var age: UInt32 = 0
    /// Ring entries that gave way to the limit.
    var shed: UInt64 = 0

    private let bytesOfAge: Int
    private var recorded = 0
    /// With more than this in values, growth is counted before an event is applied: no event that a line can carry
    /// makes more.
    private let valueAlarm: Int

    private static let mostOfOneEvent = 48 << 20

    init(_ limits: Limits) {
        limit = limits.memory
        ringEntries = UInt64(limits.ringEntries)
        ringBytes = limits.ringBytes
        newsEntries = min(2048, max(1, limits.ringEntries / 16))
        newsBytes = limits.ringBytes / 16
        bytesOfAge = max(limit / 1024, 1024)
        valueAlarm = limit - limit / 16 - Self.mostOfOneEvent
    }

    var used: Int { values + rings + traces + histories }
    var valueLimit: Int { limit - limit / 16 }
    /// Down to where rings shrink.
    var target: Int { limit - limit / 32 }

    var isFull: Bool { used > limit }
    var isTight: Bool { values > valueAlarm }

    func hasRoom(for growth: Int) -> Bool { values + growth <= valueLimit }

    /// A ring took or gave back so much.
    func ringsGrew(by bytes: Int) { rings += bytes }

    /// The same for the inputs of a simulation.
    func historiesGrew(by bytes: Int) { histories += bytes }

    /// An entry of this size was recorded: time goes by.
    func recorded(_ bytes: Int) {
        recorded += bytes
        if recorded >= bytesOfAge {
            recorded = 0
            age &+= 1
        }
    }
}

/// Rings by the age of their oldest entry.
nonisolated struct RingsByAge {
    /// A heap: the oldest first, each before the two that stand at twice its place.
    private var heap: [(age: UInt32, ring: Ring)] = []

    init(_ rings: some Sequence<Ring>) {
        heap = rings.compactMap { ring in ring.oldestAge.map { ($0, ring) } }.sorted { $0.age < $1.age }
    }

    /// Takes the ring with the oldest entry out.
    mutating func next() -> (age: UInt32, ring: Ring)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return first }
        heap[0] = last
        var place = 0
        while true {
            var oldest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].age < heap[oldest].age { oldest = child }
            }
            if oldest == place { return first }
            heap.swapAt(place, oldest)
            place = oldest
        }
    }

    /// Puts a ring in, at the age that its oldest entry has now.
    mutating func put(_ ring: Ring) {
        guard let age = ring.oldestAge else { return }
        heap.append((age, ring))
        var place = heap.count - 1
        while place > 0, heap[place].age < heap[(place - 1) / 2].age {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }
}
