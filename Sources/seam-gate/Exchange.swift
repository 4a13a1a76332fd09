import SeamWire

/// A request as far as the gate looks at it.
struct Request {
    enum Method { case get, head, post, other }

    var method: Method
    var path: String
    /// Its arguments, percent-decoded: `name=value`.
    var query: [String]
    var host: String?
    var origin: String?
    var contentLength: String?
    var transferEncoding: String?
    var authorization: String?
    var cookie: String?
    /// `Seam-Page`: the half of the key that the page keeps.
    var page: String?
    var accept: String?
    var ifNoneMatch: String?
    var lastEventID: String?
}

/// What a request is answered with.
enum Answer {
    /// At once.
    case response(Response)
    /// When its body is there: up to so many bytes, and what to do with them. The closure calls `answer` of the
    /// exchange, at once or later.
    case body(most: Int, ([UInt8]) -> Void)
    /// Later, by `answer` of the exchange.
    case later
    /// With events, for as long as both sides live.
    case stream((@escaping () -> Void) -> Stream)
}

/// One connection of a browser, which is one request at a time.
final class Exchange {
    /// What became of a turn to write.
    enum Turn { case waiting, more, complete, last }

    private enum State {
        case idle
        case reading(body: [UInt8], most: Int, (([UInt8]) -> Void))
        case working
        case writing(Response, Int)
        case streaming(Stream, isBegun: Bool)
    }

    /// A body, or an answer of the daemon, takes this long at most.
    private static let patience = 30_000
    private static let bodyPatience = 10_000

    private let askToWrite: () -> Void
    private var state = State.idle
    private var began = monotonicMilliseconds()
    private var bodiesTold = 0
    /// What to give up when the browser goes before it is answered.
    var abandon: (() -> Void)?

    init(askToWrite: @escaping () -> Void) {
        self.askToWrite = askToWrite
    }

    var isStreaming: Bool { if case .streaming = state { true } else { false } }
    var isAnswered: Bool { if case .writing = state { true } else { false } }

    func begin(_ answer: Answer) {
        began = monotonicMilliseconds()
        bodiesTold = 0
        switch answer {
        case .response(let response): state = .writing(response, 0)
        case .body(let most, let act): state = .reading(body: [], most: most, act)
        case .later: if case .idle = state { state = .working }
        case .stream(let open):
            state = .streaming(open(askToWrite), isBegun: false)
        }
    }

    func take(body bytes: UnsafeRawBufferPointer) {
        guard case .reading(var body, let most, let act) = state else { return }
        // Out of the state while it grows, or each piece would copy all before it.
        state = .working
        if body.count < most { body.append(contentsOf: bytes.prefix(most - body.count)) }
        state = .reading(body: body, most: most, act)
    }

    /// False when it was said of this body before.
    func bodyIsComplete() -> Bool {
        bodiesTold += 1
        // What was refused by its head is being answered already.
        guard case .reading(let body, _, let act) = state else { return bodiesTold == 1 }
        state = .working
        began = monotonicMilliseconds()
        act(body)
        return true
    }

    /// Answers a request that waits for it.
    func answer(_ response: Response) {
        abandon = nil
        switch state {
        case .idle, .working:
            state = .writing(response, 0)
            askToWrite()
        case .reading, .writing, .streaming: break
        }
    }

    func isLate(at now: Int) -> Bool {
        switch state {
        case .reading: now - began > Self.bodyPatience
        case .working: now - began > 2 * Self.patience
        case .idle, .writing, .streaming: false
        }
    }

    /// Whether what comes in now has not been looked at for longer than it takes.
    func isBehind(at now: Int) -> Bool {
        switch state {
        case .idle, .working, .writing: now - began > 2000
        case .streaming: true
        case .reading: false
        }
    }

    func close() {
        if case .streaming(let stream, _) = state { stream.close() }
        state = .idle
        abandon?()
        abandon = nil
    }

    func fill(_ out: inout ByteBuffer, limit: Int) -> Turn {
        switch state {
        case .idle, .reading, .working: return .waiting
        case .streaming(let stream, let isBegun):
            if !isBegun {
                out.append(Response.streamHead)
                state = .streaming(stream, isBegun: true)
            }
            stream.fill(&out, limit: limit)
            return .waiting
        case .writing(let response, let done):
            let end = min(response.bytes.count, done + limit)
            response.bytes[done..<end].withUnsafeBytes { out.append($0) }
            guard end == response.bytes.count else {
                state = .writing(response, end)
                return .more
            }
            state = .idle
            return response.endsConnection ? .last : .complete
        }
    }
}

/// A whole response, ready to be written.
struct Response {
    let bytes: [UInt8]
    let endsConnection: Bool

    /// - Parameters:
    ///   - headers: whole lines, each with its CRLF.
    ///   - isHead: the headers of the answer to a GET, without its body.
    init(
        _ status: Status, type: String = "text/plain; charset=utf-8", headers: String = "", body: [UInt8],
        endsConnection: Bool = false, isHead: Bool = false
    ) {
        var head = "HTTP/1.1 \(status.rawValue)\r\n\(Self.everywhere)\(headers)"
        if status.hasBody {
            head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
            if !headers.contains("Cache-Control:") { head += "Cache-Control: no-store\r\n" }
        }
        if endsConnection { head += "Connection: close\r\n" }
        bytes = Array((head + "\r\n").utf8) + (isHead || !status.hasBody ? [] : body)
        self.endsConnection = endsConnection
    }

    init(
        _ status: Status, _ text: String, headers: String = "", endsConnection: Bool = false,
        isHead: Bool = false
    ) {
        self.init(
            status, headers: headers, body: Array((text + "\n").utf8), endsConnection: endsConnection,
            isHead: isHead)
    }

    /// Nothing from elsewhere, nothing inside of others, nothing told to others.
    static let everywhere =
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'\r\n"
        + "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
        + "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"

    static let streamHead =
        "HTTP/1.1 200 OK\r\n\(everywhere)Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        + "X-Accel-Buffering: no\r\nConnection: close\r\n\r\n"

    enum Status: String {
        case ok = "200 OK"
        case noContent = "204 No Content"
        case notModified = "304 Not Modified"
        case badRequest = "400 Bad Request"
        case unauthorized = "401 Unauthorized"
        case forbidden = "403 Forbidden"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case lengthRequired = "411 Length Required"
        case contentTooLarge = "413 Content Too Large"
        case unavailable = "503 Service Unavailable"
        case gatewayTimeout = "504 Gateway Timeout"

        var hasBody: Bool { self != .noContent && self != .notModified }
    }
}
