import CLibuv
import SeamKernel
import SeamWire

/// One simulation in the daemon: the kernel's instance, its stream, and who it belongs to.
final class HostedSimulation {
    let simulation: Simulation
    /// How it was made.
    let origin: Origin
    /// What came into it since.
    var history: History
    /// The file that it is recorded to.
    var recording: Recording?
    /// The last one, when it has ended by itself.
    var endedRecording: RecordingEnd?
    let stream: Stream
    /// Counts the simulations of a daemon: the order of creation.
    let ordinal: UInt32
    /// It goes when this connection closes.
    weak var owner: Connection?
    /// When its time 0 was, on the monotonic clock that it follows, in nanoseconds; nil is the virtual clock.
    private(set) var realStart: UInt64?
    /// Known to the real clock, since it has a timer.
    var isInRealClock = false
    let isLive: Bool
    private(set) var isDestroyed = false
    /// Something outside a turn waits for one.
    var wantsTurn = false
    /// In the daemon's list of those that want a turn.
    var isListed = false

    /// What the memory of the daemon counts for it.
    private var counted = 0
    private var countedTrace = 0
    /// What its matching fields share with the model, which the kernel counts on both sides.
    private var shared = 0

    /// What plug-ins posted since the loop last looked.
    var posted: [UInt64] = []

    /// Which filtered subscriptions want which of its fields. Nil until one is there: most simulations of many never
    /// have any.
    private var interest: Interest?

    private final class Interest {
        var own = FieldInterest()
        /// Of those that watch the daemon.
        var daemon = FieldInterest()
    }

    /// Findings of the daemon that wait for a turn of their own.
    var notes: [Event] = []

    /// What was posted until now, for whoever starts the turns.
    func takePosted() -> [UInt64] {
        defer { posted.removeAll() }
        return posted
    }

    /// Whether something waits for a turn; asked by whoever starts that turn.
    func takeWaiting() -> Bool {
        defer { wantsTurn = false }
        return wantsTurn
    }

    init(_ simulation: Simulation, origin: Origin, history: History, ordinal: UInt32, in memory: Memory) {
        self.simulation = simulation
        self.origin = origin
        self.history = history
        self.ordinal = ordinal
        isLive = simulation.scenario.isLive
        stream = Stream(in: memory)
    }

    var id: String { simulation.id }
    var epoch: String { ByteBuffer.hexadecimal(simulation.epoch) }

    var failure: String? {
        if case .failed(let text) = simulation.status { text } else { nil }
    }

    /// What the real clock says, in the simulation's nanoseconds.
    var realNanoseconds: Int64? {
        realStart.map { Int64(uv_hrtime() - $0) }
    }

    /// When its earliest timer is due, in the clock's nanoseconds.
    var realDeadline: UInt64? {
        guard let realStart, let deadline = simulation.nextDeadline else { return nil }
        return realStart + UInt64(deadline)
    }

    /// From now on its clock is the real one, and goes on from where it stands.
    func startRealClock() {
        realStart = uv_hrtime() - UInt64(simulation.nanoseconds)
    }

    /// The filtered subscriptions of `stream` that want a field: its own stream, or the daemon's. Nil as long as they
    /// have not been asked; asks them as far as `steps` go, which it takes from.
    func interested(in field: Int, on stream: Stream, within steps: inout Int) -> [Subscription]? {
        let interest = interest ?? Interest()
        self.interest = interest
        return stream === self.stream
            ? interest.own.subscriptions(of: stream, for: field, in: self, within: &steps)
            : interest.daemon.subscriptions(of: stream, for: field, in: self, within: &steps)
    }

    // MARK: Memory

    /// A field that matches holds the model's own text: this one no longer, or from now on.
    @inline(__always)
    func shares(less text: String?) { shared -= heapBytes(text) }
    @inline(__always)
    func shares(more text: String?) { shared += heapBytes(text) }

    /// Counts what its fields share, once: of one that was made again nobody has heard their changes.
    func countShared() {
        shared = 0
        for field in 0..<simulation.fieldCount {
            let view = simulation.field(field)
            if view.verdict == .matching { shares(more: view.model) }
        }
    }

    /// Counts what it takes now.
    func count(in memory: Memory) {
        let bytes = isDestroyed ? 0 : simulation.bytes - shared
        memory.values += bytes - counted
        counted = bytes
        if simulation.keepsTrace { countTrace(in: memory) }
    }

    private func countTrace(in memory: Memory) {
        let bytes = isDestroyed ? 0 : simulation.traceBytes
        memory.traces += bytes - countedTrace
        countedTrace = bytes
    }

    /// Gives up the older half of its trace; whether there was any.
    func shedTrace(in memory: Memory) -> Bool {
        guard simulation.shedTrace() else { return false }
        countTrace(in: memory)
        return true
    }

    func markDestroyed() {
        isDestroyed = true
    }

    /// Lets go of the subscriptions that it knows: they know it too.
    func forgetInterest() {
        interest = nil
    }
}

/// A field among all simulations of the daemon.
struct FieldKey: Hashable {
    private let packed: UInt64

    /// `field` -1 is the simulation itself.
    init(_ hosted: HostedSimulation, _ field: Int32) {
        packed = UInt64(hosted.ordinal) << 32 | UInt64(UInt32(bitPattern: field))
    }
}

/// For each field the filtered subscriptions that want it, asked once per field and kept until a subscription
/// comes or goes: an event that nobody's filter matches costs one look into an array.
struct FieldInterest {
    private var version = -1
    private var wanting: [[Subscription]?] = []
    /// Of fields that not all have been asked about: how many were, and who of them wants it.
    private var asking: [Int: (asked: Int, found: [Subscription])] = [:]

    /// The subscriptions of `stream` that want the field, in the order of their numbers. Nil when `steps` were used up
    /// before all had been asked: a call that has any left goes on, by one subscription at the least.
    mutating func subscriptions(
        of stream: Stream, for field: Int, in hosted: HostedSimulation, within steps: inout Int
    ) -> [Subscription]? {
        if version != stream.filterVersion {
            version = stream.filterVersion
            wanting.removeAll()
            asking.removeAll()
        }
        if field < wanting.count, let known = wanting[field] { return known }
        if steps <= 0 { return nil }
        while wanting.count <= field { wanting.append(nil) }
        var (asked, found) = asking.removeValue(forKey: field) ?? (0, [])
        let view = hosted.simulation.field(field)
        let filtered = stream.filtered
        while asked < filtered.count {
            if steps <= 0 {
                asking[field] = (asked, found)
                return nil
            }
            var taken = 0
            if filtered[asked].filter.wants(view, of: hosted, counting: &taken) {
                found.append(filtered[asked])
            }
            steps -= taken
            asked += 1
        }
        // Whoever goes leaves its place to another: by number again, since that is how one is sought here.
        found.sort { $0.number < $1.number }
        wanting[field] = found
        return found
    }
}
