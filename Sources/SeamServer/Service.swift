// The manners of a service under systemd, by hand: three variables of the environment and a datagram need no
// library.

import CLibuv
import Glibc

/// What the service manager hands in and wants to hear. Without one, nothing happens.
enum Service {
    /// Descriptors of sockets that already listen (`LISTEN_FDS`), from 3 on; only if they are meant for this
    /// process. Refuses anything that is no listening Unix socket.
    static func inheritedSockets() throws(SocketFile.Refusal) -> [Int32] {
        guard let pid = environment("LISTEN_PID").flatMap({ Int32($0) }), pid == getpid(),
            let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), count > 0
        else { return [] }
        var sockets: [Int32] = []
        for descriptor in 3..<(3 + count) {
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

    static func ready() { tell("READY=1") }
    static func stopping() { tell("STOPPING=1") }

    /// Feeds the watchdog from the loop, so that a loop that hangs is seen; twice in the time that it allows.
    static func feedWatchdog(on loop: Loop) {
        guard let microseconds = environment("WATCHDOG_USEC").flatMap({ UInt64($0) }), microseconds > 0 else {
            return
        }
        if let pid = environment("WATCHDOG_PID").flatMap({ Int32($0) }), pid != getpid() { return }
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
