internal import Glibc

/// A lock with a condition to wait for: what two threads of a test share is only touched inside of it.
///
/// Written on pthread because the thread sanitizer takes `Synchronization.Mutex` for a race every time, and
/// because waiting with a deadline needs the condition, which `Mutex` does not have.
final class Monitor: @unchecked Sendable {  // the two pthread objects are made for use by several threads
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        // The wall clock, which is the default, may be set while a test waits.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// As `withLock`, and wakes everyone in `wait`.
    func change<Result>(_ body: () throws -> Result) rethrows -> Result {
        try withLock {
            defer { pthread_cond_broadcast(changed) }
            return try body()
        }
    }

    /// The first value that `condition` gives, asked now and after each change; nil when the deadline passes.
    func wait<Result>(until deadline: Deadline, for condition: () -> Result?) -> Result? {
        withLock {
            while true {
                if let result = condition() { return result }
                let left = deadline.left
                if left <= .zero { return nil }
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                let nanoseconds = time.tv_nsec + Int(left.components.attoseconds / 1_000_000_000)
                time.tv_sec += Int(left.components.seconds) + nanoseconds / 1_000_000_000
                time.tv_nsec = nanoseconds % 1_000_000_000
                pthread_cond_timedwait(changed, mutex, &time)
            }
        }
    }
}

/// The moment after which waiting is given up. A test that passes never gets there, so it can be far away.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    init(in duration: Duration) { instant = .now + duration }

    var left: Duration { instant - .now }

    /// For `poll`: rounded up, so that the last wait does not end just short of the deadline and spin.
    var milliseconds: Int32 {
        let left = max(.zero, left)
        return Int32(
            clamping: left.components.seconds * 1000 + (left.components.attoseconds + 999_999_999_999_999)
                / 1_000_000_000_000_000)
    }
}
