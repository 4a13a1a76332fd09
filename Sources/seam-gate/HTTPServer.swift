// libwebsockets on the gate's loop: from its callbacks to `Exchange`, and nothing of it beyond this file.
//
// For each `!` in here: libwebsockets hands a callback the connection that it is about, and the context and vhost are
// there between `listen` and `close`.

import CLibwebsockets
import Glibc
import SeamWire

/// Listens, and makes an `Exchange` of each connection.
final class HTTPServer {
    /// What cannot be gone on with, as a sentence.
    struct Failure: Error { let text: String }

    fileprivate static var only: HTTPServer?

    private let loop: Loop
    private let routes: Routes
    private let mostConnections: Int
    private var context: OpaquePointer?
    private var protocols: UnsafeMutablePointer<lws_protocols>?
    private var vhost: OpaquePointer?
    fileprivate var exchanges: [OpaquePointer: Exchange] = [:]
    /// The address, kept as long as libwebsockets may look at it.
    private var address: UnsafeMutablePointer<CChar>?
    /// What is written goes through one buffer: writes happen one after the other.
    private var out = ByteBuffer()

    /// Headers of one request.
    static let headerBytes = 16 << 10
    /// What the kernel holds for one peer, each way.
    private static let bufferBytes: Int32 = 64 << 10
    /// At most so much is handed over in one write; what the socket does not take of it is kept by libwebsockets.
    private static let writeBytes = 32 << 10
    private static let heldBytes = 16 << 20

    init(_ routes: Routes, on loop: Loop, mostConnections: Int) {
        self.routes = routes
        self.loop = loop
        self.mostConnections = mostConnections
        HTTPServer.only = self
    }

    var connectionCount: Int { exchanges.count }

    /// Begins to listen and gives the port.
    func listen(on host: String, port: Int) throws(Failure) -> Int {
        Log.takeOverLibrary()
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        table.initialize(repeating: lws_protocols(), count: 2)
        // The only one that is looked for is the first; its name is seen nowhere.
        table[0].name = UnsafeRawPointer(protocolName.utf8Start).assumingMemoryBound(to: CChar.self)
        table[0].callback = connectionCallback
        protocols = table
        address = strdup(host)

        var info = lws_context_creation_info()
        info.port = Int32(port)
        // Without this option a host's address would be ignored and every address listened on (libwebsockets 4.1).
        info.options =
            UInt64(LWS_SERVER_OPTION_LIBUV) | UInt64(LWS_SERVER_OPTION_DISABLE_IPV6)
            | UInt64(LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN) | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
            | UInt64(LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND)
        info.iface = UnsafePointer(address)
        info.protocols = UnsafePointer(table)
        info.gid = -1
        info.uid = -1
        info.max_http_header_data = UInt16(Self.headerBytes)
        // A request that is not complete by then is not answered.
        info.timeout_secs = 10
        info.keepalive_timeout = 30
        info.ka_time = 60
        info.ka_probes = 3
        info.ka_interval = 10
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(loop.uv)]
        context = loops.withUnsafeMutableBufferPointer { loops in
            info.foreign_loops = loops.baseAddress
            return lws_create_context(&info)
        }
        guard context != nil else {
            Log.tellComplaints()
            throw Failure(
                text: "libwebsockets does not start; is its libuv plug-in installed (libwebsockets-evlib-uv)?"
            )
        }
        vhost = lws_create_vhost(context, &info)
        guard vhost != nil else {
            throw Failure(
                text:
                    "cannot listen on \(host) port \(port): \(port == 0 ? "no address of this machine" : "the port is taken, or it is no address of this machine")"
            )
        }
        Log.tellComplaints()
        Log.libraryIsServing = true
        return Int(lws_get_vhost_listen_port(vhost))
    }

    /// Ends every connection. The loop then runs until libwebsockets has closed what it had on it; after that comes
    /// `release`.
    func close() {
        guard context != nil else { return }
        lws_context_destroy(context)
    }

    /// The second half of the end: under libuv the first only begins it.
    func release() {
        guard context != nil else { return }
        lws_context_destroy(context)
        context = nil
        protocols?.deallocate()
        free(address)
    }

    /// Once a second: ends what has taken too long, and whoever has gone, or sends on, while an answer is under way.
    /// libwebsockets does not read meanwhile: it would notice at the next write, and not sleep until then.
    func sweep(at now: Int) {
        for (connection, exchange) in exchanges
        where exchange.isLate(at: now)
            || exchange.isBehind(at: now) && seam_has_input(lws_get_socket_fd(connection)) != 0
        {
            // Not at once: libwebsockets may be in the middle of a list.
            lws_set_timeout(connection, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
        }
    }

    // MARK: callbacks

    /// Nonzero ends the connection.
    fileprivate func handle(
        _ connection: OpaquePointer, _ reason: lws_callback_reasons, _ data: UnsafeMutableRawPointer?,
        _ count: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
            return exchanges.count >= mostConnections ? -1 : 0
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
            seam_bound_buffers(lws_get_socket_fd(connection), Self.bufferBytes)
            exchanges[connection] = Exchange { lws_callback_on_writable(connection) }
        case LWS_CALLBACK_HTTP:
            return begin(connection)
        case LWS_CALLBACK_HTTP_BODY:
            exchanges[connection]?.take(body: UnsafeRawBufferPointer(start: data, count: count))
        case LWS_CALLBACK_HTTP_BODY_COMPLETION:
            lws_set_timeout(connection, NO_PENDING_TIMEOUT, 0)
            // Told again about the same body: something lies behind it, and libwebsockets 4.1 would go on telling for ever,
            // inside one loop of its own. Who sends the next request before the answer is cut off.
            if exchanges[connection]?.bodyIsComplete() != true { return -1 }
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return write(connection)
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            // Neither WebSocket nor HTTP/2 is spoken here.
            return -1
        case LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_WSI_DESTROY:
            exchanges.removeValue(forKey: connection)?.close()
        default:
            break
        }
        return 0
    }

    private func begin(_ connection: OpaquePointer) -> Int32 {
        guard let exchange = exchanges[connection] else { return -1 }
        exchange.begin(routes.answer(to: request(on: connection), of: exchange))
        // The table of headers is one of a pool; nothing is read from it any more.
        if exchange.isStreaming {
            lws_http_headers_detach(connection)
            lws_set_timeout(connection, NO_PENDING_TIMEOUT, 0)
        } else if exchange.isAnswered {
            lws_set_timeout(connection, PENDING_TIMEOUT_HTTP_CONTENT, 30)
        }
        lws_callback_on_writable(connection)
        return 0
    }

    /// What a stream gets at once. The library keeps what the kernel does not take of it, so that many readers who all
    /// stand still would make it hold as many whole writes.
    private var streamBytes: Int {
        max(4 << 10, min(Self.writeBytes, Self.heldBytes / max(1, exchanges.count)))
    }

    private func write(_ connection: OpaquePointer) -> Int32 {
        guard let exchange = exchanges[connection] else { return -1 }
        out.removeAll(keeping: 2 * Self.writeBytes)
        for _ in 0..<seam_lws_pre() { out.append(0) }
        let head = out.count
        let state = exchange.fill(&out, limit: exchange.isStreaming ? streamBytes : Self.writeBytes)
        let size = out.count - head
        if size > 0, let start = out.bytes.baseAddress {
            // lws_write() uses the bytes in front of what it is given, and they are ours.
            let text = UnsafeMutableRawPointer(mutating: start + head).assumingMemoryBound(to: UInt8.self)
            if lws_write(connection, text, size, LWS_WRITE_HTTP) < 0 { return -1 }
        }
        switch state {
        case .waiting: return 0
        case .more:
            lws_callback_on_writable(connection)
            return 0
        case .complete:
            return lws_http_transaction_completed(connection) == 0 ? 0 : -1
        case .last: return -1
        }
    }

    // MARK: requests

    private func request(on connection: OpaquePointer) -> Request {
        var path: UnsafeMutablePointer<CChar>?
        var pathBytes: Int32 = 0
        let method: Request.Method =
            switch lws_http_get_uri_and_method(connection, &path, &pathBytes) {
            case Int32(LWSHUMETH_GET): .get
            case Int32(LWSHUMETH_POST): .post
            case Int32(LWSHUMETH_HEAD): .head
            default: .other
            }
        let text = path.map {
            String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(pathBytes)), as: UTF8.self)
        }
        return Request(
            method: method, path: text ?? "", query: arguments(of: connection),
            host: header(WSI_TOKEN_HOST, of: connection), origin: header(WSI_TOKEN_ORIGIN, of: connection),
            contentLength: header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: connection),
            transferEncoding: header(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: connection),
            authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION, of: connection),
            cookie: header(WSI_TOKEN_HTTP_COOKIE, of: connection), page: header("seam-page:", of: connection),
            accept: header(WSI_TOKEN_HTTP_ACCEPT, of: connection),
            ifNoneMatch: header(WSI_TOKEN_HTTP_IF_NONE_MATCH, of: connection),
            lastEventID: header("last-event-id:", of: connection))
    }

    private func header(_ token: lws_token_indexes, of connection: OpaquePointer) -> String? {
        let size = lws_hdr_total_length(connection, token)
        guard size > 0 else { return nil }
        return Self.text(of: size) { lws_hdr_copy(connection, $0, $1, token) }
    }

    private func header(_ name: String, of connection: OpaquePointer) -> String? {
        let size = lws_hdr_custom_length(connection, name, Int32(name.utf8.count))
        guard size > 0 else { return nil }
        return Self.text(of: size) { lws_hdr_custom_copy(connection, $0, $1, name, Int32(name.utf8.count)) }
    }

    private func arguments(of connection: OpaquePointer) -> [String] {
        var found: [String] = []
        while true {
            let size = lws_hdr_fragment_length(connection, WSI_TOKEN_HTTP_URI_ARGS, Int32(found.count))
            guard size > 0 else { return found }
            let index = Int32(found.count)
            guard
                let text = Self.text(
                    of: size, { lws_hdr_copy_fragment(connection, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, index) })
            else { return found }
            found.append(text)
        }
    }

    private static func text(
        of size: Int32, _ copy: (UnsafeMutablePointer<CChar>?, Int32) -> Int32
    ) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(size) + 2)
        let count = bytes.withUnsafeMutableBufferPointer { copy($0.baseAddress, Int32($0.count)) }
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<Int(count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The name of the one protocol; a static string ends with NUL and lives as long as the process.
private let protocolName: StaticString = "http"

/// Called by libwebsockets from the loop, which runs on the main thread: there is no other.
nonisolated private func connectionCallback(
    _ connection: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ data: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    guard let connection else { return 0 }
    // What is handed over here stays on the one thread that there is.
    nonisolated(unsafe) let (place, bytes) = (connection, data)
    return MainActor.assumeIsolated {
        HTTPServer.only?.handle(place, reason, bytes, count) ?? 0
    }
}
