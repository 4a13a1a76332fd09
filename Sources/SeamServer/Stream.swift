import SeamKernel
import SeamWire

/// One sequence of changes and everybody who reads it: a simulation's, or the daemon's over all of them.
///
/// A subscription owns no queue. It is a cursor into the ring, so memory does not grow with readers and the
/// writer never waits for one.
final class Stream {
    let ring: Ring
    /// Subscriptions that take everything, and those that are asked field by field.
    private(set) var open: [Subscription] = []
    private(set) var filtered: [Subscription] = []
    /// Changes whenever `filtered` does.
    private(set) var filterVersion = 0
    /// Subscriptions with a cursor behind the head.
    private var behind: [Subscription] = []
    /// Subscriptions that still owe somebody the state as it was.
    private(set) var copying: [Subscription] = []
    /// Entries since `spread` was last called.
    private(set) var newsCount = 0

    init(limits: Limits) {
        ring = Ring(limits: limits)
    }

    var isWatched: Bool { !open.isEmpty || !filtered.isEmpty }

    func add(_ subscription: Subscription) {
        if subscription.filter.isOpen {
            subscription.place = open.count
            open.append(subscription)
        } else {
            subscription.place = filtered.count
            filtered.append(subscription)
            filterVersion += 1
        }
        if subscription.snapshot != nil { copying.append(subscription) }
    }

    func startCopying(_ subscription: Subscription) {
        copying.append(subscription)
    }

    func remove(_ subscription: Subscription) {
        if subscription.filter.isOpen {
            Self.remove(subscription, from: &open)
        } else {
            Self.remove(subscription, from: &filtered)
            filterVersion += 1
        }
        // In `behind` it stays until the next `spread`, which drops what is not behind: sixty thousand readers that
        // leave together would be sought there one by one.
        if !copying.isEmpty { stopCopying(subscription) }
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
        copying.removeAll { $0 === subscription }
    }

    /// Takes an entry in and notes who waits for it. Answers whether this is the first one since the last
    /// `spread`.
    func enter(_ entry: consuming RingEntry, from hosted: HostedSimulation) -> Bool {
        let position = ring.next
        let field = Int(entry.field)
        let keepsVerdict = entry.keepsVerdict
        ring.append(entry)
        if !filtered.isEmpty {
            let interested = field < 0 ? filtered : hosted.interested(in: field, on: self)
            for subscription in interested where !(keepsVerdict && subscription.filter.onlyVerdicts) {
                subscription.hasNews(at: position)
            }
        }
        guard isWatched else { return false }
        newsCount += 1
        return newsCount == 1
    }

    /// Tells the subscriptions what came since the last time. Once a round, so that a burst costs each reader
    /// one visit.
    func spread() {
        let firstNew = ring.next - UInt64(newsCount)
        newsCount = 0
        for subscription in open { subscription.hasNews(at: firstNew) }
        // A loop and not `removeAll(where:)`: a closure of the main actor handed to the standard library is
        // checked at each call, which took more time than all the rest here.
        var kept = 0
        for index in behind.indices {
            let subscription = behind[index]
            subscription.isListedBehind = subscription.isBehind
            guard subscription.isBehind else { continue }
            subscription.keepUp()
            behind[kept] = subscription
            kept += 1
        }
        behind.removeLast(behind.count - kept)
    }

    /// No more changes come: every subscription ends with the reason once it has sent what there is.
    func finish(_ reason: EndReason) {
        // What came last is news to them still, and stands before the end.
        if newsCount > 0 { spread() }
        for subscription in open + filtered { subscription.finish(reason) }
    }

    func isBehind(_ subscription: Subscription) {
        guard !subscription.isListedBehind else { return }
        subscription.isListedBehind = true
        behind.append(subscription)
    }
}
