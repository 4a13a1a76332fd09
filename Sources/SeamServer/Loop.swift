// The one loop of the process: libuv on the main thread, and Dispatch's main queue drained by it.
//
// So libuv's callbacks, `DispatchQueue.main.async`, `Task { @MainActor }` and `Task.sleep` all run on the
// real main thread and need no lock between them. Rejected: `dispatchMain()` and an async `main`, which on
// Linux leave main-actor work to any thread (swiftlang/swift#90851); and a second thread for IO, which
// measured no faster and cost a hand-over per event.
//
// Rules for everything that hands a function to C: (1) a callback that only this loop calls may be a closure
// literal passed as an argument: it carries a check; (2) whatever another thread may call, and whatever is
// stored into a C struct, is a `nonisolated func`: a
//     literal stored into a struct gets no check at all;
// (3) handles live on the heap and are freed in their close callback, never before.
//
// For each `!` in here: libuv hands a callback the handle that was started, and its `data` is what we put there.

import CLibuv
import Glibc

/// libuv's loop on the process's main thread; it also runs what Dispatch's main queue holds.
public final class Loop {
    /// What the callbacks of one round of the loop only noted: started by the loop itself, never inside a
    /// block of the main queue. Answers whether work is left, and the loop then does not sleep.
    var endOfRound: () -> Bool = { false }

    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    private let beforePoll = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    private let afterPoll = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    private let busy = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
    private let queuePoll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    private let queueHandle: Int32
    private var isBusy = false

    /// A loop that lives as long as the process. Main thread, once.
    public init() {
        queueHandle = seam_main_queue_handle()
        check(uv_loop_init(uv), "uv_loop_init")
        check(uv_prepare_init(uv, beforePoll), "uv_prepare_init")
        check(uv_check_init(uv, afterPoll), "uv_check_init")
        check(uv_idle_init(uv, busy), "uv_idle_init")
        check(uv_poll_init(uv, queuePoll, queueHandle), "uv_poll_init of the main queue's handle")
        // The loop outlives its handles: it is never freed.
        let me = Unmanaged.passRetained(self).toOpaque()
        beforePoll.pointee.data = me
        afterPoll.pointee.data = me
        queuePoll.pointee.data = me
    }

    /// Runs until `stop`. Main thread.
    public func run() {
        // Before the poll as well as after it: timers run ahead of the first, sockets ahead of the second.
        check(uv_prepare_start(beforePoll) { Loop.of($0!.pointee.data).finishRound() }, "uv_prepare_start")
        check(uv_check_start(afterPoll) { Loop.of($0!.pointee.data).finishRound() }, "uv_check_start")
        check(
            uv_poll_start(queuePoll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
                Loop.of(handle!.pointee.data).runMainQueue()
            }, "uv_poll_start of the main queue's handle")
        uv_run(uv, UV_RUN_DEFAULT)
    }

    /// Makes `run` return after this round.
    func stop() {
        uv_stop(uv)
    }

    /// Monotonic milliseconds, as they were when this round began.
    var milliseconds: UInt64 { uv_now(uv) }

    /// Runs what the main queue held when this was called; whether it held anything. A block that queues
    /// another makes the handle readable again.
    @discardableResult
    func drainMainQueue() -> Bool {
        seam_main_queue_may_hold() != 0 && runMainQueue()
    }

    /// The same where the handle is known to be readable, or has to be asked: what another thread queues just now may
    /// have made it so before it can be known otherwise.
    @discardableResult
    private func runMainQueue() -> Bool {
        var wakes: UInt64 = 0
        guard read(queueHandle, &wakes, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size else {
            return false
        }
        seam_main_queue_run()
        return true
    }

    private func finishRound() {
        let isBusyNow = endOfRound()
        guard isBusyNow != isBusy else { return }
        isBusy = isBusyNow
        // An idle handle is libuv's way to say: look for IO, but do not wait for it.
        if isBusyNow {
            uv_idle_start(busy) { _ in }
        } else {
            uv_idle_stop(busy)
        }
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> Loop {
        // `data` was set by init, from a reference that is never released.
        Unmanaged<Loop>.fromOpaque(data!).takeUnretainedValue()
    }
}

/// A timer on the loop. `close` ends it; one that is not closed lives as long as the process.
final class LoopTimer {
    private let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    private let fire: () -> Void

    init(on loop: Loop, fire: @escaping () -> Void) {
        self.fire = fire
        check(uv_timer_init(loop.uv, handle), "uv_timer_init")
        // Balanced in the close callback.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    var isRunning: Bool {
        uv_is_active(UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) != 0
    }

    /// Fires after `milliseconds`, then every `period` if that is not 0. Starting again replaces what was
    /// set.
    func start(after milliseconds: UInt64, every period: UInt64 = 0) {
        uv_timer_start(
            handle,
            { handle in
                // Alive: `close` alone releases it, and no timer fires after its close.
                Unmanaged<LoopTimer>.fromOpaque(handle!.pointee.data).takeUnretainedValue().fire()
            }, milliseconds, period)
    }

    func stop() {
        uv_timer_stop(handle)
    }
}

/// A signal on the loop, for as long as the process lives.
final class LoopSignal {
    private let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
    private let caught: () -> Void

    init(_ number: Int32, on loop: Loop, caught: @escaping () -> Void) {
        self.caught = caught
        check(uv_signal_init(loop.uv, handle), "uv_signal_init")
        // Never released: a signal handler stays for the life of the process.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        check(
            uv_signal_start(
                handle,
                { handle, _ in
                    Unmanaged<LoopSignal>.fromOpaque(handle!.pointee.data).takeUnretainedValue().caught()
                },
                number), "uv_signal_start of signal \(number)")
    }
}

/// Ends the process when libuv refuses what can only fail for want of memory or descriptors at start.
func check(_ status: Int32, _ call: @autoclosure () -> String) {
    guard status < 0 else { return }
    fatalError("\(call()): \(describe(status))")
}

/// The text of a negative errno, as libuv and the C shim answer it.
func describe(_ status: Int32) -> String {
    String(cString: strerror(-status))
}
