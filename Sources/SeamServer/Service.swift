// The manners of a service under systemd, by hand: three variables of the environment and a datagram need no
// library.

import CLibuv
import Glibc
import SeamOptions

/// What the service manager hands in and wants to hear. Without one, nothing happens.
enum Service {
    /// Descriptors of sockets that already listen (`LISTEN_FDS`), from 3 on; only if they are meant for this
    /// process. Refuses anything that is no listening Unix socket.
    static func inheritedSockets() throws(SocketFile.Refusal) -> [Int32] {
        guard let given = environment("LISTEN_FDS") else {
            if let pid = environment("LISTEN_PID"), Int32(pid) == getpid() {
                Log.warning("LISTEN_PID names this process and LISTEN_FDS is not set; \(manners)")
            }
            return []
        }
        guard let pid = environment("LISTEN_PID").map({ Int32($0) ?? -1 }), pid > 0 else {
            let seen = environment("LISTEN_PID").map { "is \(quoted($0))" } ?? "is not set"
            Log.warning(
                "LISTEN_FDS is \(quoted(given)) and LISTEN_PID \(seen): no socket is taken over; \(manners)")
            return []
        }
        // Left over from a service that started whoever started this.
        if pid != getpid() { return [] }
        guard let count = Int(given), (0...mostSockets).contains(count) else {
            throw SocketFile.Refusal(
                "LISTEN_FDS is \(quoted(given)); expected how many sockets were handed in, from 0 to \(mostSockets); "
                    + manners)
        }
        var sockets: [Int32] = []
        for descriptor in 3..<(3 + Int32(count)) {
            guard seam_is_listener(descriptor) == 1 else {
                throw SocketFile.Refusal(
                    "descriptor \(descriptor) of LISTEN_FDS is no listening Unix stream socket; "
                        + "the socket unit needs ListenStream= with a path")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            sockets.append(descriptor)
        }
        return sockets
    }

    private static let mostSockets = 1024
    private static let manners =
        "whoever hands sockets in sets LISTEN_FDS to their number and LISTEN_PID to the process that takes them"

    static func ready() { tell("READY=1") }
    static func stopping() { tell("STOPPING=1") }

    /// Feeds the watchdog from the loop, so that a loop that hangs is seen; twice in the time that it allows.
    static func feedWatchdog(on loop: Loop) {
        guard let given = environment("WATCHDOG_USEC") else { return }
        if let pid = environment("WATCHDOG_PID"), Int32(pid) != getpid() {
            if Int32(pid) == nil {
                Log.warning("WATCHDOG_PID is \(quoted(pid)), no process: the watchdog is not fed")
            }
            return
        }
        guard let microseconds = UInt64(given), microseconds > 0 else {
            Log.warning(
                "WATCHDOG_USEC is \(quoted(given)); expected microseconds: the watchdog is not fed")
            return
        }
        let period = max(1, microseconds / 2_000)
        let timer = LoopTimer(on: loop) { tell("WATCHDOG=1") }
        timer.start(after: 0, every: period)
    }

    private static func tell(_ text: String) {
        guard let path = environment("NOTIFY_SOCKET") else { return }
        let status = seam_notify(path, text)
        if status < 0 { Log.warning("cannot tell the service manager \(text): \(describe(status))") }
    }
}
