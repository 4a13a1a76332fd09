internal import Glibc
public import SeamWire

/// A connection that does no more than a person with socat: lines out, lines in. It sorts what comes in into
/// replies and event lines and checks nothing, so that a test can also say things that are wrong.
///
/// For one thread at a time. Every wait has a deadline, and none of them sleeps.
public final class TestClient {
    /// A line as it came, without its LF, and what it says.
    public struct Message: Sendable, CustomStringConvertible {
        public let line: String
        public let json: JSON
        public subscript(_ member: String) -> JSON? { json[member] }
        /// The params of an event line.
        public var params: JSON? { json["params"] }
        /// The `kind` of an event line; nil for a reply.
        public var kind: String? { isEvent ? params?["kind"]?.text : nil }
        var isEvent: Bool { json["method"]?.text == "seam.event" }
        public var description: String { line }
    }

    /// The daemon said no.
    public struct Refusal: Error, CustomStringConvertible {
        public let code: Int
        public let kind: String
        public let message: String
        /// The whole error object.
        public let json: JSON
        public var description: String { json.encoded }
    }

    /// The descriptor, for tests that set socket options. -1 after `close`.
    public private(set) var descriptor: Int32
    private var received: [UInt8] = []
    /// Where in `received` the first unread byte lies.
    private var taken = 0
    private var ended = false
    private var replies: [Message] = []
    private var events: [Message] = []
    private var lastID = 0

    /// The daemon that it talks to: one that nobody else holds would be killed under the conversation.
    private let daemon: SeamProcess?

    public init(path: String, of daemon: SeamProcess? = nil) throws {
        self.daemon = daemon
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Unmet("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Unmet.system("making a socket") }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            defer { _ = Glibc.close(descriptor) }
            throw Unmet.system("connecting to \(path)")
        }
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Closes at once, whatever is still on its way. Harmless when done twice.
    public func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    // MARK: Sending

    /// Sends these bytes and nothing else.
    public func send(bytes: some Collection<UInt8>, within patience: Duration = .seconds(20)) throws {
        let deadline = Deadline(in: patience)
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            guard wait(for: POLLOUT, until: deadline) else {
                throw Unmet("the daemon took nothing for \(patience); \(rest.count) bytes are left")
            }
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
            guard count >= 0 else { throw Unmet.system("sending") }
            rest = rest.dropFirst(count)
        }
    }

    public func send(_ text: String) throws { try send(bytes: text.utf8) }
    public func sendLine(_ line: String) throws { try send(line + "\n") }

    /// No more from this side, as at the end of `echo … | socat`; the other side may still answer.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// The next line as it came, of either sort; nil when the daemon has closed. Half a line before that is a failure.
    public func readLine(within patience: Duration = .seconds(20)) throws -> String? {
        try readLine(until: Deadline(in: patience), patience)
    }

    /// The next line that is no event.
    public func nextReply(within patience: Duration = .seconds(20)) throws -> Message {
        let deadline = Deadline(in: patience)
        while replies.isEmpty { try take(until: deadline, patience, waitingFor: "reply") }
        return replies.removeFirst()
    }

    /// The next event line, of all since the connection was made.
    public func nextEvent(within patience: Duration = .seconds(20)) throws -> Message {
        let deadline = Deadline(in: patience)
        while events.isEmpty { try take(until: deadline, patience, waitingFor: "event") }
        return events.removeFirst()
    }

    /// Event lines up to and with the first that fits.
    public func events(
        within patience: Duration = .seconds(20), through last: (Message) -> Bool
    ) throws -> [Message] {
        let deadline = Deadline(in: patience)
        var taken: [Message] = []
        while true {
            while events.isEmpty { try take(until: deadline, patience, waitingFor: "event", after: taken) }
            taken.append(events.removeFirst())
            if last(taken[taken.count - 1]) { return taken }
        }
    }

    /// Event lines up to and with the first of a kind: `events(through: "sync")`.
    public func events(through kind: String, within patience: Duration = .seconds(20)) throws -> [Message] {
        try events(within: patience) { $0.kind == kind }
    }

    /// The event lines that came while something else was awaited. What is still on its way is not among them: to be
    /// sure, `call("seam.ping")` first, since lines and replies keep their order.
    public func takeEvents() -> [Message] {
        defer { events = [] }
        return events
    }

    // MARK: Calling

    /// Sends one line and gives the next reply, whatever it answers.
    public func reply(to line: String, within patience: Duration = .seconds(20)) throws -> Message {
        try sendLine(line)
        return try nextReply(within: patience)
    }

    /// A request in strict form, and the whole reply to it.
    public func request(
        _ method: String, _ params: String = "{}", within patience: Duration = .seconds(20)
    ) throws -> Message {
        lastID += 1
        let id = lastID
        try sendLine(
            #"{"jsonrpc":"2.0","id":\#(id),"method":\#(JSON.string(method).encoded),"params":\#(params)}"#)
        let deadline = Deadline(in: patience)
        while true {
            if let index = replies.firstIndex(where: { $0["id"]?.integer == id }) {
                return replies.remove(at: index)
            }
            try take(until: deadline, patience, waitingFor: "reply to \(method) \(params)")
        }
    }

    /// A request and its result: `call("model.set", #"{"sim":"a","values":{"k":"v"}}"#)`. Throws `Refusal` for an error.
    @discardableResult
    public func call(
        _ method: String, _ params: String = "{}", within patience: Duration = .seconds(20)
    ) throws -> JSON {
        let reply = try request(method, params, within: patience)
        if let result = reply["result"] { return result }
        let error = reply["error"] ?? .null
        throw Refusal(
            code: error["code"]?.integer ?? 0, kind: error["data"]?["kind"]?.text ?? "",
            message: error["message"]?.text ?? "", json: error)
    }

    /// All scenarios that there are, page by page.
    public func scenarios() throws -> [JSON] {
        var all: [JSON] = []
        var next: Int? = 0
        while let from = next {
            let page = try call("scenario.list", #"{"from":\#(from)}"#)
            all += page["scenarios"]?.elements ?? []
            next = page["next"]?.integer.map { Int($0) }
        }
        return all
    }

    /// A request that must be refused.
    public func refusal(
        _ method: String, _ params: String = "{}", within patience: Duration = .seconds(20)
    ) throws -> Refusal {
        do {
            let result = try call(method, params, within: patience)
            throw Unmet("\(method) \(params) was to be refused and gave \(result.encoded)")
        } catch let refusal as Refusal {
            return refusal
        }
    }

    // MARK: -

    /// Reads one line and puts it where it belongs.
    private func take(
        until deadline: Deadline, _ patience: Duration, waitingFor what: String, after before: [Message] = []
    ) throws {
        func context() -> String {
            (before + events + replies).map { "\n    \($0.line.prefix(300))" }.joined()
        }
        let line: String?
        do { line = try readLine(until: deadline, patience) } catch {
            throw Unmet("no \(what): \(error)\nlines since:\(context())")
        }
        guard let line else {
            throw Unmet("no \(what): the daemon closed the connection\nlines since:\(context())")
        }
        let message: Message
        do { message = Message(line: line, json: try JSON(parsing: line)) } catch {
            throw Unmet("this line of the daemon is no JSON (\(error.message)): \(line)")
        }
        if message.isEvent { events.append(message) } else { replies.append(message) }
    }

    private func readLine(until deadline: Deadline, _ patience: Duration) throws -> String? {
        var searched = taken
        while true {
            if let feed = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { drop(through: feed) }
                // Lossy decoding would hide it if the daemon cut a character in two.
                guard let line = String(validating: received[taken..<feed], as: UTF8.self) else {
                    throw Unmet("the daemon sent a line that is not UTF-8: \(Array(received[taken..<feed]))")
                }
                return line
            }
            searched = received.count
            if ended {
                guard taken == received.count else {
                    throw Unmet(
                        "the daemon closed after half a line: \(String(decoding: received[taken...], as: UTF8.self))"
                    )
                }
                return nil
            }
            guard wait(for: POLLIN, until: deadline) else { throw Unmet("no line came within \(patience)") }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0 && errno == EINTR { continue }
            // A reset is an end too, when this side had sent more than the other wanted to read.
            if count <= 0 { ended = true } else { received += chunk[..<count] }
        }
    }

    private func drop(through feed: Int) {
        taken = feed + 1
        // Now and then, not for each line: that would be work by the square for many lines in one read.
        if taken > 1 << 20 || taken == received.count {
            received.removeFirst(taken)
            taken = 0
        }
    }

    private func wait(for event: Int32, until deadline: Deadline) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let count = poll(&poller, 1, deadline.milliseconds)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
