internal import CSeamABI
internal import CSeamHost
internal import Dispatch
internal import Glibc
internal import SeamKernel

/// What plug-ins' own threads hand to the main thread: posts, log lines, and breaches to be reported.
///
/// One block on the main queue for all that came in since the last, not one each: the poster pays a lock and
/// an append. What one thread hands over keeps its order.
final class Inbox: @unchecked Sendable {
    // Sendable: every stored member but `wake` is read and written under the lock alone.
    static let shared = Inbox()

    enum Item {
        case post(context: UInt, token: UInt64)
        case log(context: UInt, level: Int32, text: String)
        case breach(context: UInt, text: String)
    }

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var items: [Item] = []
    private var spare: [Item] = []

    /// Asks the main thread to call `deliver` soon. A test process, whose main queue is not run by the thread
    /// that plays the host, sets it to nothing before the first plug-in is opened and delivers by hand.
    nonisolated(unsafe) var wake: @Sendable () -> Void = {
        DispatchQueue.main.async { Inbox.shared.deliver() }
    }

    /// Items that may wait, from all plug-ins together; each context may have 65,536 posts waiting.
    private static let limit = 1_048_576

    private init() {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    /// - Returns: false when too many wait already; the item is not taken.
    func put(_ item: Item) -> Bool {
        pthread_mutex_lock(lock)
        let isFirst = items.isEmpty
        let hasRoom = items.count < Self.limit
        if hasRoom { items.append(item) }
        pthread_mutex_unlock(lock)
        if isFirst { wake() }
        return hasRoom
    }

    /// Hands everything on to the instances that are still there. [main thread]
    func deliver() {
        pthread_mutex_lock(lock)
        var taken: [Item] = []
        swap(&taken, &items)
        swap(&items, &spare)
        pthread_mutex_unlock(lock)

        for item in taken {
            switch item {
            case .post(let context, let token):
                PluginInstance.of(context)?.deliverPost(token)
            case .log(let context, let level, let text):
                PluginInstance.of(context)?.deliverLog(level, text)
            case .breach(let context, let text):
                seam_ctx_report_end(OpaquePointer(bitPattern: context))
                PluginInstance.of(context)?.simulation?.misbehaved(text)
            }
        }

        taken.removeAll(keepingCapacity: taken.capacity <= 4_096)
        pthread_mutex_lock(lock)
        if spare.capacity < taken.capacity { swap(&spare, &taken) }
        pthread_mutex_unlock(lock)
    }
}
