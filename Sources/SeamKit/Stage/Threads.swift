internal import CSeamABI
internal import Glibc

/// What is around the code that runs, as SeamKit sees it: which services it may ask for.
package enum CodePhase {
    /// No callback is under way: a timer, a late task, or the main queue of the turn.
    case between
    case dispatching
    /// Inside make, update, draw or a coordinator.
    case body
    case dismantling
}

/// Written by the entry, on the thread that the host calls its plug-ins on, before any code of a scenario runs.
nonisolated(unsafe) var mainThread: pthread_t = 0

/// Code that belongs to the main thread, from code that may be anywhere. On another thread nothing happens but a
/// finding, `off-main-access`.
///
/// - Parameter what: what was touched, for whoever reads the finding.
@discardableResult
package func onMain<Result>(_ what: String, _ body: @MainActor () throws -> Result) rethrows -> Result? {
    guard pthread_equal(pthread_self(), mainThread) != 0 else {
        Strays.note(what)
        return nil
    }
    return try onMainThread(()) { try body() }
}

/// Whether this is the host's one thread.
package var isHostThread: Bool { pthread_equal(pthread_self(), mainThread) != 0 }

/// The same with something that is not `Sendable`: it is handed over within one call, on one thread.
@discardableResult
package func onMain<Input, Result>(
    _ what: String, with input: Input, _ body: @MainActor (Input) throws -> Result
) rethrows -> Result? {
    guard pthread_equal(pthread_self(), mainThread) != 0 else {
        Strays.note(what)
        return nil
    }
    return try onMainThread(input, body)
}

/// What threads that are not the main one have touched, until the main thread tells of it.
enum Strays {
    /// Where to post: the instance whose code ran last. A thread that SeamKit did not start says no more about itself.
    nonisolated(unsafe) private static var context: OpaquePointer?
    nonisolated(unsafe) private static var host: UnsafePointer<seam_host_v1>?
    nonisolated(unsafe) private static var touched: [String] = []
    // Each of the three is looked at with the lock held.
    nonisolated(unsafe) private static var lock: pthread_mutex_t = {
        var lock = pthread_mutex_t()
        pthread_mutex_init(&lock, nil)
        return lock
    }()

    private static func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        return body()
    }

    static func expect(_ newContext: OpaquePointer?, _ newHost: UnsafePointer<seam_host_v1>) {
        locked { (context, host) = (newContext, newHost) }
    }

    static func note(_ what: String) {
        let (context, host) = locked {
            if touched.count < 100 { touched.append(what) }
            return (Self.context, Self.host)
        }
        // A frozen table has every function; `post` may be called from any thread, also after the instance has gone.
        _ = host?.pointee.post!(context, Instance.strayToken)
    }

    static func take() -> [String] {
        locked {
            defer { touched = [] }
            return touched
        }
    }
}
