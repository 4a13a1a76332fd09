import SeamKernel
import SeamWire

/// One sequence of changes and everybody who reads it: a simulation's, or the daemon's over all of them.
///
/// A subscription owns no queue. It is a cursor into the ring, so memory does not grow with readers and the
/// writer never waits for one.
final class Stream {
    let ring: Ring
    /// Nil until the first one comes: of ten thousand simulations few are watched.
    private var readers: Readers?
    /// Entries since `spread` was last called.
    private(set) var newsCount = 0
    /// A line that it has passed is of no use to anybody: kept, each would take more memory than its entry, and be written
    /// where nothing was for a long time.
    private(set) var hasLoneReader = false

    private final class Readers {
        /// Subscriptions that take everything, and those that are asked field by field.
        var open: [Subscription] = []
        var filtered: [Subscription] = []
        /// The first of the news of which it is not known yet who of `filtered` wants it.
        var firstUnasked = UInt64.max
        /// What the news take in the ring.
        var newsBytes = 0
        /// Changes whenever `filtered` does.
        var filterVersion = 0
        /// Subscriptions with a cursor behind the head.
        var behind: [Subscription] = []
        /// Subscriptions that still owe somebody the state as it was.
        var copying: [Subscription] = []
    }

    init(in memory: Memory) {
        ring = Ring(in: memory)
    }

    /// The readers have to be told before more comes in.
    var isFullOfNews: Bool { ring.isTooMuch(entries: newsCount, bytes: readers?.newsBytes ?? 0) }

    var isWatched: Bool {
        guard let readers else { return false }
        return !readers.open.isEmpty || !readers.filtered.isEmpty
    }

    var isCopied: Bool {
        guard let readers else { return false }
        return !readers.copying.isEmpty
    }

    var filtered: [Subscription] { readers?.filtered ?? [] }
    var filterVersion: Int { readers?.filterVersion ?? 0 }
    var copying: [Subscription] { readers?.copying ?? [] }

    private var madeReaders: Readers {
        if let readers { return readers }
        let made = Readers()
        readers = made
        return made
    }

    func add(_ subscription: Subscription) {
        let readers = madeReaders
        if subscription.filter.isOpen {
            subscription.place = readers.open.count
            readers.open.append(subscription)
        } else {
            subscription.place = readers.filtered.count
            readers.filtered.append(subscription)
            readers.filterVersion += 1
        }
        if subscription.snapshot != nil { readers.copying.append(subscription) }
        hasLoneReader = readers.open.count + readers.filtered.count == 1
    }

    func startCopying(_ subscription: Subscription) {
        madeReaders.copying.append(subscription)
    }

    func remove(_ subscription: Subscription) {
        guard let readers else { return }
        if subscription.filter.isOpen {
            Self.remove(subscription, from: &readers.open)
        } else {
            Self.remove(subscription, from: &readers.filtered)
            readers.filterVersion += 1
        }
        hasLoneReader = readers.open.count + readers.filtered.count == 1
        // In `behind` it stays until the next `spread`, which drops what is not behind: sixty thousand readers that
        // leave together would be sought there one by one.
        if !readers.copying.isEmpty { stopCopying(subscription) }
        // The last one may be followed by no other `spread`, and each of them holds its simulation.
        if !isWatched { readers.behind.removeAll() }
    }

    /// The last one takes the place of the one that goes: nobody is promised an order among readers.
    private static func remove(_ subscription: Subscription, from list: inout [Subscription]) {
        let place = subscription.place
        guard list.indices.contains(place), list[place] === subscription else { return }
        let last = list.removeLast()
        if last === subscription { return }
        last.place = place
        list[place] = last
    }

    func stopCopying(_ subscription: Subscription) {
        readers?.copying.removeAll { $0 === subscription }
    }

    /// Takes an entry in and notes who waits for it. Answers whether this is the first one since the last
    /// `spread`.
    func enter(_ entry: consuming RingEntry, from hosted: HostedSimulation, within steps: inout Int) -> Bool {
        guard let readers, !readers.open.isEmpty || !readers.filtered.isEmpty else {
            ring.append(entry, isRead: false)
            return false
        }
        let position = ring.next
        let field = Int(entry.field)
        let keepsVerdict = entry.keepsVerdict
        readers.newsBytes += Int(entry.bytes)
        ring.append(entry)
        if !readers.filtered.isEmpty {
            let interested =
                field < 0 ? readers.filtered : hosted.interested(in: field, on: self, within: &steps)
            // Who wants it is not known yet: all of them will look.
            if interested == nil { readers.firstUnasked = min(readers.firstUnasked, position) }
            for subscription in interested ?? [] where !(keepsVerdict && subscription.filter.onlyVerdicts) {
                subscription.hasNews(at: min(position, readers.firstUnasked))
            }
        }
        newsCount += 1
        return newsCount == 1
    }

    /// Tells the subscriptions what came since the last time. Once a round, so that a burst costs each reader
    /// one visit.
    func spread() {
        let firstNew = ring.next - UInt64(newsCount)
        newsCount = 0
        guard let readers else { return }
        readers.newsBytes = 0
        for subscription in readers.open { subscription.hasNews(at: firstNew) }
        if readers.firstUnasked < .max {
            for subscription in readers.filtered { subscription.hasNews(at: readers.firstUnasked) }
            readers.firstUnasked = .max
        }
        // A loop and not `removeAll(where:)`: a closure of the main actor handed to the standard library is
        // checked at each call, which took more time than all the rest here.
        var kept = 0
        for index in readers.behind.indices {
            let subscription = readers.behind[index]
            subscription.isListedBehind = subscription.isBehind
            guard subscription.isBehind else { continue }
            subscription.keepUp()
            readers.behind[kept] = subscription
            kept += 1
        }
        readers.behind.removeLast(readers.behind.count - kept)
    }

    /// No more changes come: every subscription ends with the reason once it has sent what there is.
    func finish(_ reason: EndReason) {
        // What came last is news to them still, and stands before the end.
        if newsCount > 0 { spread() }
        guard let readers else { return }
        for subscription in readers.open + readers.filtered { subscription.finish(reason) }
    }

    func isBehind(_ subscription: Subscription) {
        guard !subscription.isListedBehind else { return }
        let readers = madeReaders
        // Those that came and went while nothing happened are swept out before they are many.
        if readers.behind.count > 64 + 2 * (readers.open.count + readers.filtered.count) {
            readers.behind.removeAll { listed in
                listed.isListedBehind = listed.isBehind
                return !listed.isBehind
            }
        }
        subscription.isListedBehind = true
        readers.behind.append(subscription)
    }
}
