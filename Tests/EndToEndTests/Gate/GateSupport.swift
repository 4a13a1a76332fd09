import Foundation
import Glibc
import SeamTestSupport
import SeamWire

/// A real seam-gate of this build beside a real seamd.
final class GateProcess {
    private(set) var daemon: SeamProcess?
    let process: ChildProcess
    /// As it printed it.
    let address: String
    let port: UInt16
    let token: String

    /// - Parameter socket: where a daemon is, or will be; without it one is started.
    init(_ arguments: [String] = [], socket: String? = nil) throws {
        if socket == nil { daemon = try SeamProcess() }
        process = try ChildProcess(
            "seam-gate", ["--port", "0", "--socket", socket ?? daemon?.socket ?? ""] + arguments)
        address = try process.readLine() ?? ""
        guard let found = address.wholeMatch(of: /http:\/\/[0-9.]+:([0-9]+)\/#token=([0-9a-f]{32})/),
            let port = UInt16(found.1)
        else { throw WebProblem("this is no address: \(address)\n\(process.stderr)") }
        self.port = port
        token = String(found.2)
        if socket == nil { try waitUntilHealthy() }
    }

    var host: String { "127.0.0.1:\(port)" }
    var bearer: String { "Authorization: Bearer \(token)" }

    func connect() throws -> WebConnection { try WebConnection(port: port) }

    /// One request on a connection of its own; `host` and what is left out are those of a friendly client.
    func ask(
        _ method: String, _ path: String, _ headers: [String] = [], host: String? = nil, body: String? = nil
    ) throws -> WebResponse {
        let connection = try connect()
        var lines =
            ["\(method) \(path) HTTP/1.1", "Host: \(host ?? self.host)", "Connection: close"] + headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        try connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
        return try connection.response(isHead: method == "HEAD")
    }

    /// A request to the daemon, with the key.
    func call(_ body: String) throws -> WebResponse { try ask("POST", "/rpc", [bearer], body: body) }

    /// An open stream of events.
    func stream(_ query: String = "", lastID: String? = nil) throws -> WebConnection {
        let connection = try connect()
        let resume = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try connection.send("GET /events\(query) HTTP/1.1\r\nHost: \(host)\r\n\(bearer)\r\n\(resume)\r\n")
        let head = try connection.head()
        guard head.status == 200 else { throw WebProblem("no stream: \(head)") }
        return connection
    }

    /// Whether it still answers as it should.
    func probe() throws -> Bool {
        let answer = try ask("GET", "/healthz")
        return answer.status == 200 && answer.body == "ok\n"
    }

    /// Returns when so many streams are open.
    func expectStreams(_ count: Int, within patience: Duration = .seconds(20)) throws {
        let deadline = ContinuousClock.now + patience
        while try ask("GET", "/info", [bearer]).json?["gate"]?["streams"]?.integer != count {
            guard ContinuousClock.now < deadline else { throw WebProblem("never were \(count) streams open") }
        }
    }

    /// Returns when it has heard of so many fields: what one connection to the daemon has done, another hears later.
    func expectFields(_ count: Int, within patience: Duration = .seconds(60)) throws {
        let deadline = ContinuousClock.now + patience
        while true {
            let metrics = try ask("GET", "/metrics").body
            let found = metrics.matches(of: /\nseam_fields\{.*\} ([0-9]+)/).reduce(0) {
                $0 + (Int($1.1) ?? 0)
            }
            if found == count { return }
            guard ContinuousClock.now < deadline else {
                throw WebProblem("it has \(found) fields, not \(count)")
            }
        }
    }

    /// Returns when it follows the daemon.
    func waitUntilHealthy(within patience: Duration = .seconds(20)) throws {
        let stream = try stream("?snapshot=no")
        try stream.event(named: "sync", within: patience)
    }
}

struct WebProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

struct WebResponse: CustomStringConvertible {
    var status = 0
    var headers: [(name: String, value: String)] = []
    var body = ""
    /// The other side closed before there was a whole response.
    var isCut = false

    subscript(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
    var json: JSON? { try? JSON(parsing: body.trimmingCharacters(in: .newlines)) }
    var description: String { "\(status) \(headers)\n\(body.prefix(500))" }
}

/// What an `EventSource` would hand to its page.
struct StreamEvent: CustomStringConvertible {
    var id: String?
    var name: String
    var data: JSON
    var text: String
    subscript(_ member: String) -> JSON? { data[member] }
    var description: String { "\(name) \(id ?? "-") \(text)" }
}

/// A TCP connection that sends what it is told, right or wrong. For one thread; every wait has a deadline.
final class WebConnection {
    private(set) var descriptor: Int32
    private var received: [UInt8] = []
    private var taken = 0
    private(set) var hasEnded = false

    /// - Parameter receiveBytes: how much the kernel takes in while nobody reads.
    init(port: UInt16, receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var bytes = receiveBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard status == 0 else {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw WebProblem("connecting to port \(port): \(reason)")
        }
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) throws { try send(bytes: Array(text.utf8)) }

    /// Sends; a peer that has had enough may close meanwhile, which is seen when reading.
    func send(bytes: [UInt8], within patience: Duration = .seconds(20)) throws {
        let deadline = ContinuousClock.now + patience
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(POLLOUT, until: deadline) else {
                throw WebProblem("nothing was taken for \(patience)")
            }
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func wait(_ event: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let left = deadline - ContinuousClock.now
            let milliseconds = max(0, left / .milliseconds(1))
            let count = poll(&poller, 1, Int32(milliseconds.rounded(.up)))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// Reads once; false at the end.
    private func more(until deadline: ContinuousClock.Instant, _ what: String) throws -> Bool {
        guard wait(POLLIN, until: deadline) else {
            throw WebProblem(
                "no \(what) in time; so far: \(String(decoding: received[taken...].suffix(500), as: UTF8.self))"
            )
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count <= 0 {
            hasEnded = true
            return false
        }
        if taken > 1 << 20 {
            received.removeFirst(taken)
            taken = 0
        }
        received += chunk[..<count]
        return true
    }

    /// Up to the next empty line, which is consumed; nil when the other side closed before it.
    private func block(_ divider: [UInt8], until deadline: ContinuousClock.Instant, _ what: String) throws
        -> String?
    {
        var searched = taken
        while true {
            var index = searched
            while index + divider.count <= received.count {
                if received[index] == divider[0],
                    received[index..<(index + divider.count)].elementsEqual(divider)
                {
                    defer { taken = index + divider.count }
                    return String(decoding: received[taken..<index], as: UTF8.self)
                }
                index += 1
            }
            let left = received.count - taken
            if hasEnded { return nil }
            _ = try more(until: deadline, what)
            searched = taken + max(0, left - divider.count)
        }
    }

    /// The head of a response.
    func head(within patience: Duration = .seconds(20)) throws -> WebResponse {
        var response = WebResponse()
        guard let text = try block([13, 10, 13, 10], until: .now + patience, "response") else {
            response.isCut = true
            return response
        }
        let lines = text.components(separatedBy: "\r\n")
        response.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        response.headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return (parts.first?.lowercased() ?? "", parts.count > 1 ? parts[1] : "")
        }
        return response
    }

    /// A whole response: as long as it says, else to the end of the connection.
    func response(isHead: Bool = false, within patience: Duration = .seconds(20)) throws -> WebResponse {
        let deadline = ContinuousClock.now + patience
        var response = try head(within: patience)
        if response.isCut || isHead || response.status == 204 || response.status == 304 { return response }
        let length = response["content-length"].flatMap { Int($0) }
        while received.count - taken < length ?? .max, !hasEnded { _ = try more(until: deadline, "body") }
        let bytes = received[taken...].prefix(length ?? .max)
        response.isCut = bytes.count < length ?? 0
        response.body = String(decoding: bytes, as: UTF8.self)
        taken += bytes.count
        return response
    }

    /// Waits until the other side has closed, whatever it says before.
    func waitForEnd(within patience: Duration) throws {
        let deadline = ContinuousClock.now + patience
        while !hasEnded { _ = try more(until: deadline, "end of the connection") }
    }

    /// The next event; comments and `retry` are passed over. nil when the stream is over.
    func nextEvent(within patience: Duration = .seconds(20)) throws -> StreamEvent? {
        let deadline = ContinuousClock.now + patience
        while let text = try block([10, 10], until: deadline, "event") {
            var (id, name, data): (String?, String?, String?) = (nil, nil, nil)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") {
                    guard data == nil else { throw WebProblem("two data lines: \(text)") }
                    data = String(line.dropFirst(6))
                }
            }
            guard let name, let data else { continue }
            // A raw CR would be a line end to a browser.
            guard !data.contains("\r"), let json = try? JSON(parsing: data) else {
                throw WebProblem("this is no JSON on one line: \(text)")
            }
            return StreamEvent(id: id, name: name, data: json, text: data)
        }
        return nil
    }

    /// Events up to and with the first of this name.
    @discardableResult
    func events(
        through name: String, within patience: Duration = .seconds(20)
    ) throws -> [StreamEvent] {
        let deadline = ContinuousClock.now + patience
        var all: [StreamEvent] = []
        while let event = try nextEvent(within: deadline - .now) {
            all.append(event)
            if event.name == name { return all }
        }
        throw WebProblem("the stream ended without \(name): \(all)")
    }

    /// The first event of this name.
    @discardableResult
    func event(named name: String, within patience: Duration = .seconds(20)) throws -> StreamEvent {
        try events(through: name, within: patience)[...].last!  // Safe: the last one has the name.
    }
}
