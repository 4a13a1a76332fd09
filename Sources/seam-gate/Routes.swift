// Who may ask what, and where it is answered. One table: path, then method, then right.

import CLibwebsockets
import SeamClient
import SeamWire

/// The gate as its browsers see it.
final class Routes {
    struct Settings {
        var allowsControl = false
        /// The address that is listened on.
        var host = "127.0.0.1"
        var mostStreams = 8192
    }

    private let settings: Settings
    private let hub: Hub
    private let link: DaemonLink
    private let calls: Calls
    private let doors: Doors
    private var keys: Keys { doors.keys }

    /// The longest body.
    static let bodyBytes = 1 << 20
    private static let sessionBytes = 4096
    private static let globBytes = 512
    private static let globs = 64

    init(_ settings: Settings, hub: Hub, link: DaemonLink, calls: Calls, doors: Doors) {
        self.settings = settings
        self.hub = hub
        self.link = link
        self.calls = calls
        self.doors = doors
    }

    func answer(to request: Request, of exchange: Exchange) -> Answer {
        if let refusal = refusal(of: request) { return .response(refusal) }
        let isHead = request.method == .head
        switch request.path {
        case "/session":
            guard request.method == .post else { return notAllowed("POST", request) }
            if request.contentLength == nil { return .response(Self.lengthRequired) }
            return .body(most: Self.sessionBytes) { [unowned self, weak exchange] body in
                exchange?.answer(session(body))
            }
        case "/rpc":
            guard request.method == .post else { return notAllowed("POST", request) }
            if request.contentLength == nil { return .response(Self.lengthRequired) }
            let mayAsk = keys.open(request)
            return .body(most: mayAsk ? Self.bodyBytes : 0) { [unowned self, weak exchange] body in
                guard let exchange else { return }
                if mayAsk { calls.call(body, for: exchange) } else { exchange.answer(Self.unauthorized) }
            }
        case "/events", "/info", "/healthz", "/metrics":
            guard request.method == .get || isHead && request.path != "/events" else {
                return notAllowed(request.path == "/events" ? "GET" : "GET, HEAD", request)
            }
            return get(request, of: exchange, isHead: isHead)
        default:
            guard let asset = Asset.all[request.path] else {
                return .response(
                    Response(
                        .notFound, "There is nothing at this path.", endsConnection: hasBody(request),
                        isHead: isHead))
            }
            guard request.method == .get || isHead else { return notAllowed("GET, HEAD", request) }
            return .response(asset.response(ifNoneMatch: request.ifNoneMatch, isHead: isHead))
        }
    }

    private func get(_ request: Request, of exchange: Exchange, isHead: Bool) -> Answer {
        switch request.path {
        case "/healthz":
            guard let trouble = link.trouble ?? (hub.isLive ? nil : "the snapshot is not complete yet") else {
                return .response(Response(.ok, "ok", isHead: isHead))
            }
            return .response(
                Response(
                    .unavailable, "no connection to the daemon at \(link.path.path): \(trouble)",
                    isHead: isHead))
        case "/metrics":
            calls.metrics(
                for: exchange, asOpenMetrics: Exposition.wantsOpenMetrics(request.accept), isHead: isHead)
            return .later
        case "/info":
            guard keys.open(request) else { return .response(Self.unauthorized) }
            return .response(Response(.ok, type: "application/json", body: info(), isHead: isHead))
        default:
            guard keys.open(request) else { return .response(Self.unauthorized) }
            return events(request)
        }
    }

    // MARK: refusals

    private static let unauthorized = Response(
        .unauthorized,
        "Open the address that seam-gate printed: it holds the key. Programs send it as Authorization: Bearer KEY.",
        headers: "WWW-Authenticate: Bearer\r\n")

    private static let lengthRequired = Response(
        .lengthRequired, "Send a Content-Length.", endsConnection: true)

    private func hasBody(_ request: Request) -> Bool { (request.contentLength ?? "0") != "0" }

    private func notAllowed(_ methods: String, _ request: Request) -> Answer {
        .response(
            Response(
                .methodNotAllowed, "\(request.path) takes \(methods).", headers: "Allow: \(methods)\r\n",
                // The body of what is refused is not read.
                endsConnection: hasBody(request), isHead: request.method == .head))
    }

    /// What holds for every request, whatever it asks for.
    private func refusal(of request: Request) -> Response? {
        // A name that another's DNS leads here makes that other's page one of ours: only names that nobody else gives.
        guard let host = request.host, isOurs(host) else {
            return Response(
                .forbidden,
                "This gate is reached as localhost or 127.0.0.1\(settings.host == "127.0.0.1" ? "" : " or \(settings.host)"), by no other name.",
                endsConnection: true)
        }
        if let origin = request.origin, origin != "http://\(host)" {
            return Response(.forbidden, "Pages of other origins get nothing here.", endsConnection: true)
        }
        if request.transferEncoding != nil {
            return Response(
                .lengthRequired, "Send the body whole, with its Content-Length.", endsConnection: true)
        }
        if let length = request.contentLength {
            guard length.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let bytes = Int(length) else {
                return Response(.badRequest, "The Content-Length is no number.", endsConnection: true)
            }
            if bytes > Self.bodyBytes {
                return Response(
                    .contentTooLarge, "A body has at most \(Self.bodyBytes) bytes.", endsConnection: true)
            }
        }
        return nil
    }

    private func isOurs(_ host: String) -> Bool {
        let name = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = name.first,
            name.count == 1 || (Int(name[1]).map { (1...65_535).contains($0) } ?? false)
        else { return false }
        let text = first.lowercased()
        if text == "localhost" || text == "127.0.0.1" || text == settings.host { return true }
        // Listening everywhere, it has as many names as the machine has addresses. An address is given by nobody's DNS.
        return settings.host == "0.0.0.0" && Self.isAddress(text)
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    // MARK: answers

    private func session(_ body: [UInt8]) -> Response {
        let token = (try? JSON(parsing: String(decoding: body, as: UTF8.self)))?["token"]?.text
        guard let token, keys.isToken(token) else {
            return Response(
                .forbidden, "This is not the key that seam-gate printed; it prints a new one at each start.")
        }
        var out = ByteBuffer()
        out.object { $0.member("page", keys.page) }
        return Response(
            .ok, type: "application/json", headers: "Set-Cookie: \(keys.cookie)\r\n", body: Array(out.bytes))
    }

    private func info() -> [UInt8] {
        var out = ByteBuffer()
        out.object { out in
            out.member("version", seamVersion)
            out.member("allowControl", settings.allowsControl)
            out.object("daemon") {
                $0.member("version", hub.daemonVersion)
                $0.member("epoch", hub.epoch)
                $0.member("pid", hub.daemonPID)
                $0.member("connected", hub.isLive)
                $0.member("socket", link.path.path)
            }
            out.object("gate") {
                $0.member("epoch", keys.epoch)
                $0.member("streams", hub.streams.count)
            }
        }
        return Array(out.bytes)
    }

    private func events(_ request: Request) -> Answer {
        guard hub.streams.count < settings.mostStreams else {
            return .response(
                Response(
                    .unavailable,
                    "\(settings.mostStreams) streams are open, as many as --max-streams allows. Close one, or start another gate.",
                    headers: "Retry-After: 5\r\n"))
        }
        var wanted = Stream.Request()
        wanted.allowsControl = settings.allowsControl
        wanted.lastID = request.lastEventID
        for argument in request.query {
            if argument.hasPrefix("match=") {
                let glob = argument.dropFirst("match=".count)
                guard glob.utf8.count <= Self.globBytes, wanted.globs.count < Self.globs else {
                    return .response(
                        Response(
                            .badRequest,
                            "/events takes up to \(Self.globs) match arguments of \(Self.globBytes) bytes each."
                        ))
                }
                wanted.globs.append(Glob(String(glob)))
            } else if argument == "snapshot=no" {
                wanted.wantsSnapshot = false
            } else if argument.hasPrefix("history="), let count = Int(argument.dropFirst("history=".count)),
                (0...EventRing.mostEntries).contains(count)
            {
                wanted.history = count
            } else if argument != "snapshot=yes" {
                return .response(
                    Response(
                        .badRequest,
                        "/events takes match=GLOB, over sim/Screen.field, snapshot=no, and history=N up to "
                            + "\(EventRing.mostEntries).")
                )
            }
        }
        return .stream { [hub] askToWrite in Stream(wanted, of: hub, askToWrite: askToWrite) }
    }
}

/// The secrets of this run.
struct Keys {
    /// In the address that is printed.
    let token: String
    /// The two halves of what a browser has instead. Cookies go to every port of a host, so that whatever else listens on
    /// this machine is sent the first by a browser that opens it; the second is known to the page alone, whose storage
    /// belongs to its port. A page of another port, and a program that has got the cookie, have one half at most.
    private let session: String
    let page: String
    /// Tells a gate from the one before it.
    let epoch: String
    private let name: String

    init(port: Int) {
        token = Self.random(16)
        session = Self.random(16)
        page = Self.random(16)
        epoch = Self.random(8)
        // Cookies are kept by host alone: two gates on one machine would take each other's.
        name = "seam-\(port)"
    }

    var cookie: String { "\(name)=\(session); HttpOnly; SameSite=Strict; Path=/" }

    func isToken(_ text: String) -> Bool { Self.isSame(text, token) }

    /// Whether a request brings one of them.
    func open(_ request: Request) -> Bool {
        if let text = request.authorization {
            let parts = text.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "bearer" && isToken(String(parts[1]))
        }
        guard let cookie = request.cookie, let half = request.page, Self.isSame(half, page) else {
            return false
        }
        return cookie.split(separator: ";").contains { pair in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix("\(name)=") else { return false }
            return Self.isSame(String(pair.dropFirst(name.count + 1)), session)
        }
    }

    /// In a time that does not say how much of it was right.
    private static func isSame(_ given: String, _ right: String) -> Bool {
        let (given, right) = (Array(given.utf8), Array(right.utf8))
        guard given.count == right.count else { return false }
        return lws_timingsafe_bcmp(given, right, UInt32(right.count)) == 0
    }

    private static func random(_ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = seam_random(&bytes, count)
        // Without them anybody could guess the key.
        guard status == 0 else { fatalError("getrandom: \(describe(status))") }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
