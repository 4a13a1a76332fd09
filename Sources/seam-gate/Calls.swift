// Requests that a browser hands through to the daemon. Each has a connection of its own: nobody's ids, limits or
// simulations bound to a connection get mixed up with another's, and a reply needs no looking at.

import CLibwebsockets
import SeamWire

/// Asks the daemon on behalf of browsers.
final class Calls {
    private let path: String
    private let loop: Loop
    private let allowsControl: Bool
    private let hub: Hub
    private let link: DaemonLink
    private let reader: JSONReader
    private let replies: JSONReader
    /// Names of the server for /metrics.
    var connectionCount: () -> Int = { 0 }
    private var underWay: [ObjectIdentifier: Call] = [:]

    /// At most so many at a time; the daemon has other clients too.
    private static let mostUnderWay = 64
    private static let patience = 30_000
    /// A scrape waits no longer: what the gate knows by itself must not be late.
    private static let metricsPatience = 2000

    /// What reads and changes nothing.
    private static let reading: Set<String> = [
        "seam.hello", "seam.ping", "seam.stats", "rpc.discover", "scenario.list", "scenario.describe",
        "sim.list",
        "sim.get", "sim.check", "sim.explain", "sim.trace", "policy.list", "bridge.list",
    ]

    /// What no browser may ask: a stream would end with its request, and others want the daemon too.
    private static func isNeverPassed(_ method: String) -> Bool {
        method.hasPrefix("sub.") || method == "seam.shutdown"
    }

    init(to path: String, on loop: Loop, hub: Hub, link: DaemonLink, allowsControl: Bool) {
        self.path = path
        self.loop = loop
        self.hub = hub
        self.link = link
        self.allowsControl = allowsControl
        var limits = Limits()
        limits.lineBytes = Routes.bodyBytes
        reader = JSONReader(limits: limits)
        limits.lineBytes = limits.replyBytesCeiling
        replies = JSONReader(limits: limits)
    }

    func close() {
        for call in underWay.values { call.socket.close() }
        underWay = [:]
    }

    /// Once a second: gives up what is not answered.
    func sweep(at now: Int) {
        for (id, call) in underWay where now - call.began > call.patience {
            underWay[id] = nil
            call.socket.close()
            call.failed("it has not answered within \(call.patience / 1000) s", .gatewayTimeout)
        }
    }

    // MARK: /rpc

    /// Checks a body and hands it through.
    func call(_ body: [UInt8], for exchange: Exchange) {
        let text = String(decoding: body, as: UTF8.self)
        let message: JSON
        do {
            message = try reader.read(text)
        } catch {
            // As the daemon would have answered.
            var out = ByteBuffer()
            out.reply(.null, error)
            return exchange.answer(Response(.ok, type: Self.json, body: Array(out.bytes)))
        }
        let requests = message.elements ?? [message]
        for request in requests {
            // What has no method, or none that is a text, is the daemon's to refuse.
            guard let method = request["method"]?.text else { continue }
            if Self.isNeverPassed(method) || !allowsControl && !Self.reading.contains(method) {
                return exchange.answer(
                    Self.refusal(of: method, id: request["id"], allowsControl: allowsControl))
            }
        }
        if hub.isSilent, let trouble = link.trouble {
            // It would lie there and be done some time, when nobody expects it any more.
            return exchange.answer(Self.unavailable(trouble, .unavailable))
        }
        var line = ByteBuffer()
        // One line: a line end between two tokens is as good as a blank, and inside a text there can be none.
        for byte in body { line.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
        // Requests without an id in strict form have no answer. This one has, and comes behind theirs.
        line.append("\n{\"id\":\"seam-gate\",\"method\":\"seam.ping\"}\n")
        start(
            line, for: exchange,
            answered: { [unowned exchange, replies] line in
                if (try? replies.read(line))?["id"]?.text == "seam-gate" {
                    exchange.answer(Response(.noContent, body: []))
                } else {
                    exchange.answer(Response(.ok, type: Self.json, body: Array(line) + [0x0A]))
                }
            },
            failed: { [unowned exchange] reason, status in
                exchange.answer(Self.unavailable(reason, status))
            })
    }

    private static func unavailable(_ reason: String, _ status: Response.Status) -> Response {
        Response(
            status, type: json,
            body: error(-32603, "unavailable", "The daemon cannot be asked: \(reason).", id: nil))
    }

    private static let json = "application/json"

    private static func refusal(of method: String, id: JSON?, allowsControl: Bool) -> Response {
        if isNeverPassed(method) {
            return Response(
                .forbidden, type: json,
                body: error(
                    -32012, "read-only",
                    "\(method) is not for browsers; \(method.hasPrefix("sub.") ? "read /events" : "use seam, or a signal").",
                    id: id))
        }
        return Response(
            .forbidden, type: json,
            body: error(
                -32012, "read-only",
                "This gate only reads, and \(method) is none of the methods that do. Start seam-gate with --allow-control.",
                id: id))
    }

    private static func error(_ code: Int, _ kind: StaticString, _ message: String, id: JSON?) -> [UInt8] {
        var out = ByteBuffer()
        out.object { out in
            out.member("jsonrpc", "2.0" as StaticString)
            out.key("id")
            switch id {
            case .string?, .number?: out.value(id ?? .null)
            default: out.append("null")
            }
            out.object("error") {
                $0.member("code", code)
                $0.member("message", message)
                $0.object("data") { $0.member("kind", kind) }
            }
        }
        out.append("\n")
        return Array(out.bytes)
    }

    // MARK: /metrics

    /// Asks the daemon for its counters and answers with them and the gate's own.
    func metrics(for exchange: Exchange, asOpenMetrics: Bool, isHead: Bool) {
        func answer(_ statistics: JSON?, isUp: Bool) -> Response {
            let text = Exposition.text(
                hub, isUp: isUp, statistics: statistics, connections: connectionCount(),
                asOpenMetrics: asOpenMetrics)
            return Response(
                .ok, type: asOpenMetrics ? Exposition.openMetricsType : Exposition.textType, body: text,
                isHead: isHead)
        }
        // What the gate knows by itself is worth having most when the daemon is away.
        guard hub.isLive else { return exchange.answer(answer(nil, isUp: false)) }
        var line = ByteBuffer()
        line.request(RequestID(1), "seam.stats")
        start(
            line, for: exchange, patience: Self.metricsPatience,
            answered: { [unowned self, unowned exchange, replies] line in
                exchange.answer(answer((try? replies.read(line))?["result"], isUp: hub.isLive))
            },
            failed: { [unowned self, unowned exchange] _, status in
                exchange.answer(answer(nil, isUp: hub.isLive && status != .gatewayTimeout))
            })
    }

    // MARK: -

    private final class Call {
        let socket: DaemonSocket
        let began = monotonicMilliseconds()
        let patience: Int
        let failed: (String, Response.Status) -> Void

        init(
            _ socket: DaemonSocket, patience: Int, failed: @escaping (String, Response.Status) -> Void
        ) {
            self.socket = socket
            self.patience = patience
            self.failed = failed
        }
    }

    /// One connection, one line back.
    private func start(
        _ lines: borrowing ByteBuffer, for exchange: Exchange, patience: Int = Calls.patience,
        answered: @escaping (UnsafeRawBufferPointer) -> Void,
        failed: @escaping (String, Response.Status) -> Void
    ) {
        guard underWay.count < Self.mostUnderWay else {
            return failed("\(Self.mostUnderWay) requests are under way; try again", .unavailable)
        }
        let socket = DaemonSocket(path: path, on: loop)
        let call = Call(socket, patience: patience, failed: failed)
        let id = ObjectIdentifier(call)
        underWay[id] = call
        socket.send(lines)
        socket.received = { [unowned self] line in
            guard underWay.removeValue(forKey: id) != nil else { return }
            answered(line)
            socket.close()
        }
        socket.ended = { [unowned self] reason in
            guard underWay.removeValue(forKey: id) != nil else { return }
            failed(reason, .unavailable)
        }
        exchange.abandon = { [unowned self] in
            guard underWay.removeValue(forKey: id) != nil else { return }
            socket.close()
        }
    }
}
