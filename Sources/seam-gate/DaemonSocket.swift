// One connection to the daemon: lines out, lines in. Opened for the subscription, and for each request that a browser
// makes.
//
// For each `!` in here: libuv hands a callback the handle or request that was started, and its `data` is what we put
// there; a buffer that is not empty has an address.

import CLibwebsockets
import Glibc
import SeamWire

/// A connection to the daemon's socket, from the attempt to its end. Exactly one call of `ended`, unless `close` was
/// called before.
final class DaemonSocket {
    /// What is read goes through one block: reads happen one after the other.
    private static let block = ReadBlock()

    var opened: () -> Void = {}
    /// A line without its LF; 64 bytes behind it can be read. Valid during the call alone.
    var received: (UnsafeRawBufferPointer) -> Void = { _ in }
    /// Why it is over, as a sentence.
    var ended: (String) -> Void = { _ in }

    private let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
    private let connectRequest = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    private let writeRequest = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    private var input: InputBuffer
    private var out = ByteBuffer()
    /// What libuv is writing; its memory must not move meanwhile.
    private var sending = ByteBuffer()
    private var isWriting = false
    private(set) var isConnected = false
    private(set) var isOpen = true

    /// Begins to connect; `path` has at most 107 bytes.
    init(path: String, on loop: Loop) {
        var limits = Limits()
        limits.lineBytes = limits.replyBytesCeiling
        input = InputBuffer(limits: limits)
        check(uv_pipe_init(loop.uv, pipe, 0), "uv_pipe_init")
        // Released in the close callback, after which libuv calls nothing with it.
        pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
        connectRequest.pointee.data = pipe.pointee.data
        writeRequest.pointee.data = pipe.pointee.data
        uv_pipe_connect(connectRequest, pipe, path) { request, status in
            DaemonSocket.of(request!.pointee.data).didConnect(status)
        }
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> DaemonSocket {
        // Set by init and valid until the close callback has run.
        Unmanaged<DaemonSocket>.fromOpaque(data!).takeUnretainedValue()
    }

    private var stream: UnsafeMutablePointer<uv_stream_t> {
        // Every libuv handle type begins with the members of the one it extends.
        UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
    }

    /// Sends bytes once there is a connection. They hold whole lines.
    func send(_ bytes: borrowing ByteBuffer) {
        out.append(bytes)
        flush()
    }

    func send(_ id: Int, _ method: String, _ params: JSON = [:]) {
        out.request(RequestID(UInt64(id)), method, params)
        flush()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        uv_close(UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_handle_t.self)) { handle in
            let socket = Unmanaged<DaemonSocket>.fromOpaque(handle!.pointee.data).takeRetainedValue()
            socket.pipe.deallocate()
            socket.connectRequest.deallocate()
            socket.writeRequest.deallocate()
            // They may hold the socket itself.
            socket.opened = {}
            socket.received = { _ in }
            socket.ended = { _ in }
        }
    }

    private func end(_ reason: String) {
        guard isOpen else { return }
        close()
        ended(reason)
    }

    private func didConnect(_ status: Int32) {
        guard isOpen else { return }
        if status < 0 { return end(describe(status)) }
        isConnected = true
        uv_read_start(
            stream,
            { handle, _, buffer in
                let space = DaemonSocket.of(handle!.pointee.data).input.space(DaemonSocket.block)
                buffer!.pointee = uv_buf_init(
                    space.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(space.count))
            },
            { handle, count, _ in DaemonSocket.of(handle!.pointee.data).didRead(count) })
        flush()
        opened()
    }

    private func didRead(_ count: Int) {
        guard isOpen else { return }
        if count > 0 { input.filled(count) }
        if count == 0 { return input.keepRest() }
        while isOpen, count > 0 {
            switch input.nextLine() {
            case .line(let bytes): received(bytes)
            case .tooLong, .flooded: end("it sent a line longer than any reply")
            case nil: return
            }
        }
        if count < 0 {
            end(count == Int(UV_EOF.rawValue) ? "it closed the connection" : describe(Int32(count)))
        }
    }

    private func flush() {
        guard isConnected, isOpen, !isWriting, !out.isEmpty else { return }
        sending = out.take()
        isWriting = true
        var buffer = uv_buf_init(
            // libuv only reads from it.
            UnsafeMutableRawPointer(mutating: sending.bytes.baseAddress!).assumingMemoryBound(to: CChar.self),
            UInt32(sending.count))
        let status = uv_write(writeRequest, stream, &buffer, 1) { request, status in
            DaemonSocket.of(request!.pointee.data).didWrite(status)
        }
        if status < 0 { end(describe(status)) }
    }

    private func didWrite(_ status: Int32) {
        isWriting = false
        sending.removeAll()
        guard isOpen else { return }
        // A failed write is told by the read that follows: what the daemon said before it went still lies there.
        if status >= 0 { flush() }
    }
}
