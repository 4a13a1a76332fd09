// For each `!` in here: libuv hands a callback the handle that was started, and its `data` is what we put there.

import CLibuv
import Glibc
import SeamWire

/// Takes clients in: those of this user and of root, as many as the limit says. Anybody else gets one line
/// that says why, and is closed.
///
/// One descriptor is always left over: whoever takes the last one is told so and gives it back, since libuv can only
/// close without a word whoever comes when there is none.
final class Listener {
    private let daemon: Daemon
    private let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
    private var isOpen = true
    /// How many came in this round of the loop.
    private var accepted = 0
    /// libuv holds a connection that is not taken yet, and asks for no other before it is.
    private var isPutOff = false

    /// Connections that are taken in one round: libuv would go on as long as more are waiting, and who connects and
    /// hangs up again and again would keep everybody else waiting, even the news that they have hung up.
    private static let acceptedPerRound = 64

    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 1024

    /// Listens on a bound socket. Throws the reason in words.
    init(_ descriptor: Int32, daemon: Daemon) throws(SocketFile.Refusal) {
        self.daemon = daemon
        check(uv_pipe_init(daemon.loop.uv, pipe, 0), "uv_pipe_init")
        // Released in the close callback.
        pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var status = uv_pipe_open(pipe, descriptor)
        if status == 0 {
            status = uv_listen(stream, Self.backlog) { stream, status in
                // Valid until the close callback has run.
                Unmanaged<Listener>.fromOpaque(stream!.pointee.data).takeUnretainedValue().accept(status)
            }
        }
        guard status == 0 else {
            throw SocketFile.Refusal("cannot listen on the socket: \(describe(status))")
        }
    }

    private var stream: UnsafeMutablePointer<uv_stream_t> {
        // Every libuv handle type begins with the members of the one it extends.
        UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        uv_close(UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            // Balances init.
            Unmanaged<Listener>.fromOpaque(handle!.pointee.data).takeRetainedValue().pipe.deallocate()
        }
    }

    private func accept(_ status: Int32) {
        guard status == 0 else {
            Log.warning("cannot take a connection: \(describe(status))")
            return
        }
        guard accepted < Self.acceptedPerRound else {
            isPutOff = true
            return
        }
        accepted += 1
        accept()
    }

    /// A new round: goes on with what the last one put off.
    func beginRound() {
        accepted = 0
        guard isPutOff, isOpen else { return }
        isPutOff = false
        accept()
    }

    private func accept() {
        let client = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        check(uv_pipe_init(daemon.loop.uv, client, 0), "uv_pipe_init")
        let end = UnsafeMutableRawPointer(client).assumingMemoryBound(to: uv_stream_t.self)
        let accepted = uv_accept(stream, end)
        guard accepted == 0 else {
            Log.warning("cannot take a connection: \(describe(accepted))")
            return Self.close(client)
        }
        if let refusal = refusal(of: client) {
            daemon.statistics.refusedConnections += 1
            Self.turnAway(client, with: refusal)
        } else {
            daemon.take(client)
        }
    }

    private func refusal(of client: UnsafeMutablePointer<uv_pipe_t>) -> WireError? {
        var descriptor: Int32 = -1
        let handle = UnsafeMutableRawPointer(client).assumingMemoryBound(to: uv_handle_t.self)
        var (uid, gid, pid): (UInt32, UInt32, Int32) = (0, 0, 0)
        guard uv_fileno(handle, &descriptor) == 0, seam_peer(descriptor, &uid, &gid, &pid) == 0 else {
            return .denied("The daemon cannot tell who is connecting.")
        }
        guard uid == geteuid() || uid == 0 || isAllowed(descriptor, gid) else {
            Log.warning("turned away uid \(uid) (pid \(pid)): this daemon serves uid \(geteuid()) and root")
            return .denied(
                "This daemon serves uid \(geteuid()) and root, not uid \(uid); start one of your own.")
        }
        guard daemon.connectionCount < daemon.limits.connections else {
            return .limit("connections", daemon.limits.connections, option: "--max-connections")
        }
        guard seam_has_descriptor() != 0 else {
            Log.warning(
                "turned a client away: all descriptors are in use; raise the limit of open files (ulimit -n)")
            return WireError(
                .limit,
                "All descriptors of the daemon are in use, by \(daemon.connectionCount) connections, its plug-ins and "
                    + "files; close some, or start seamd with a higher limit of open files (ulimit -n).",
                [("limit", .integer(UInt64(daemon.connectionCount)))])
        }
        return nil
    }

    private func isAllowed(_ descriptor: Int32, _ gid: UInt32) -> Bool {
        guard let allowed = daemon.allowedGroup else { return false }
        return gid == allowed || seam_peer_has_group(descriptor, allowed) == 1
    }

    /// One line, without a connection being made of it.
    private static func turnAway(_ client: UnsafeMutablePointer<uv_pipe_t>, with error: WireError) {
        var line = ByteBuffer()
        line.reply(.null, error)
        // A fresh socket has room for a line; what it does not take now is not worth waiting for.
        var buffer = uv_buf_init(
            UnsafeMutableRawPointer(mutating: line.bytes.baseAddress!).assumingMemoryBound(to: CChar.self),
            UInt32(line.count))
        uv_try_write(UnsafeMutableRawPointer(client).assumingMemoryBound(to: uv_stream_t.self), &buffer, 1)
        close(client)
    }

    private static func close(_ client: UnsafeMutablePointer<uv_pipe_t>) {
        uv_close(UnsafeMutableRawPointer(client).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_pipe_t.self).deallocate()
        }
    }
}
