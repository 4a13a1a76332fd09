// libuv on the main thread: the daemon's sockets, the browsers' and the timers are all served by one loop.
//
// Whatever is stored into a C struct or may be called by another thread is a `nonisolated func`; a callback that only
// this loop calls is a closure literal passed as an argument, which carries a check. Handles live on the heap and are
// freed in their close callback, never before.
//
// For each `!` in here: libuv hands a callback the handle that was started, and its `data` is what we put there.

import CLibwebsockets
import Glibc

/// The one loop of the process.
final class Loop {
    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    /// Called when everything of one round was read, before the loop sleeps.
    var endOfRound: () -> Void = {}

    private let beforePoll = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)

    init() {
        check(uv_loop_init(uv), "uv_loop_init")
        check(uv_prepare_init(uv, beforePoll), "uv_prepare_init")
        // The loop outlives its handles: it is never freed.
        beforePoll.pointee.data = Unmanaged.passRetained(self).toOpaque()
        check(
            uv_prepare_start(beforePoll) { handle in
                Unmanaged<Loop>.fromOpaque(handle!.pointee.data).takeUnretainedValue().endOfRound()
            }, "uv_prepare_start")
    }

    func run() { uv_run(uv, UV_RUN_DEFAULT) }

    /// Has `run` come back once nothing is open any more.
    func closeOwnHandles() {
        uv_close(UnsafeMutableRawPointer(beforePoll).assumingMemoryBound(to: uv_handle_t.self), nil)
    }
}

/// A timer on the loop.
final class LoopTimer {
    private let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    private let fire: () -> Void
    private var isClosed = false

    init(on loop: Loop, fire: @escaping () -> Void) {
        self.fire = fire
        check(uv_timer_init(loop.uv, handle), "uv_timer_init")
        // Released in the close callback.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Fires after `milliseconds`, then every `period` unless that is 0. Starting again replaces what was set.
    func start(after milliseconds: UInt64, every period: UInt64 = 0) {
        guard !isClosed else { return }
        uv_timer_start(
            handle,
            { handle in Unmanaged<LoopTimer>.fromOpaque(handle!.pointee.data).takeUnretainedValue().fire() },
            milliseconds, period)
    }

    func stop() {
        guard !isClosed else { return }
        uv_timer_stop(handle)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            let timer = Unmanaged<LoopTimer>.fromOpaque(handle!.pointee.data).takeRetainedValue()
            timer.handle.deallocate()
        }
    }
}

/// A signal on the loop, until it is closed.
final class LoopSignal {
    private let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
    private let caught: () -> Void

    init(_ number: Int32, on loop: Loop, caught: @escaping () -> Void) {
        self.caught = caught
        check(uv_signal_init(loop.uv, handle), "uv_signal_init")
        // Released in the close callback.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        check(
            uv_signal_start(
                handle,
                { handle, _ in
                    Unmanaged<LoopSignal>.fromOpaque(handle!.pointee.data).takeUnretainedValue().caught()
                }, number), "uv_signal_start of signal \(number)")
    }

    func close() {
        uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            let signal = Unmanaged<LoopSignal>.fromOpaque(handle!.pointee.data).takeRetainedValue()
            signal.handle.deallocate()
        }
    }
}

/// Ends the process when libuv refuses what can only fail for want of memory or descriptors at start.
func check(_ status: Int32, _ call: @autoclosure () -> String) {
    guard status < 0 else { return }
    fatalError("\(call()): \(describe(status))")
}

/// The text of a negative errno, as libuv and the C shims answer it.
func describe(_ status: Int32) -> String {
    String(cString: strerror(-status))
}

/// Milliseconds that only grow.
func monotonicMilliseconds() -> Int { Int(seam_monotonic_milliseconds()) }

/// Milliseconds since 1970, as a browser has them.
func wallMilliseconds() -> UInt64 { UInt64(max(0, seam_wall_milliseconds())) }
