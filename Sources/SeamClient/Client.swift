public import SeamWire

/// One connection to a daemon, for a thread that may wait: calls in order, pipelined requests, event lines.
///
/// Event lines that arrive while a reply is awaited are kept and come out of ``nextEvent(until:)`` in the order
/// of the wire. Belongs to the thread that made it.
public final class Client {
    /// A message as it comes off the wire.
    public enum Arrival {
        case reply(id: Int, Result<JSON, WireFailure>)
        case event(Event)
    }

    public let path: SocketPath
    private let socket: LineSocket
    private let interrupts: Interrupts?
    /// A descriptor whose reader's end also ends any wait, with ``ClientFailure/readerGone``.
    public var output: CInt?
    private var lastID = 0
    private var events: [Event] = []
    private var eventsTaken = 0

    /// Connects. When `interrupts` is given, a signal ends any wait with ``ClientFailure/interrupted(signal:)``.
    public init(to path: SocketPath, interrupts: Interrupts? = nil, until deadline: Deadline = nil) throws {
        self.path = path
        self.interrupts = interrupts
        do throws(LineSocket.ConnectFailure) {
            socket = try LineSocket(
                path: path.path, interrupts: interrupts?.descriptor ?? -1, until: deadline)
        } catch {
            switch error {
            case .system(let error): throw ClientFailure.cannotConnect(path, error)
            case .timedOut: throw ClientFailure.timedOut
            case .interrupted: throw ClientFailure.interrupted(signal: interrupts?.take() ?? 0)
            }
        }
    }

    /// One request and its reply.
    public func call(
        _ method: String, _ params: JSON = [:], until deadline: Deadline = nil
    ) throws -> JSON {
        let id = send(method, params)
        while true {
            while let arrival = try nextArrival() {
                switch arrival {
                case .event(let event): events.append(event)
                case .reply(let replied, let result) where replied == id:
                    switch result {
                    case .success(let value): return value
                    case .failure(let failure): throw ClientFailure.refused(failure)
                    }
                case .reply: break  // of an earlier call that ran out of time
                }
            }
            try wait(until: deadline)
        }
    }

    /// Queues a request without waiting; its reply arrives under the returned id.
    @discardableResult
    public func send(_ method: String, _ params: JSON) -> Int {
        lastID += 1
        socket.queue(RequestID(UInt64(lastID)), method, params)
        return lastID
    }

    /// Bytes of requests that the daemon has not taken yet.
    public var unsentBytes: Int { socket.unsentBytes }

    /// The next message that has already been read; nil when another wait is needed.
    public func nextArrival() throws -> Arrival? {
        while let message = try socket.nextMessage() {
            if let arrival = try Self.arrival(in: message) { return arrival }
        }
        return nil
    }

    /// Waits until something was sent or received, or `other` can be read; says whether it can.
    @discardableResult
    public func wait(also other: CInt? = nil, until deadline: Deadline = nil) throws -> Bool {
        let companions = LineSocket.Companions(
            other: other ?? -1, interrupts: interrupts?.descriptor ?? -1, output: output ?? -1)
        switch socket.pump(companions, until: deadline) {
        case .moved(let otherIsReady): return otherIsReady
        case .timedOut: throw ClientFailure.timedOut
        case .closed: throw ClientFailure.lost(path)
        case .readerGone: throw ClientFailure.readerGone
        case .interrupted: throw ClientFailure.interrupted(signal: interrupts?.take() ?? 0)
        }
    }

    /// The next event line in the order of the wire.
    public func nextEvent(until deadline: Deadline = nil) throws -> Event {
        while true {
            if let event = try nextEventRead() { return event }
            try wait(until: deadline)
        }
    }

    /// The next event line, if it has been read already; nil when another wait is needed.
    public func nextEventRead() throws -> Event? {
        if eventsTaken < events.count {
            eventsTaken += 1
            return events[eventsTaken - 1]
        }
        if eventsTaken > 0 {
            events.removeAll(keepingCapacity: true)
            eventsTaken = 0
        }
        while let arrival = try nextArrival() {
            if case .event(let event) = arrival { return event }
        }
        return nil
    }

    /// nil for a message that this version does not know, which the protocol tells clients to pass over.
    private static func arrival(in message: JSON) throws -> Arrival? {
        if message["method"]?.text == "seam.event", let params = message["params"] {
            return .event(Event(params))
        }
        if let error = message["error"] {
            let failure = WireFailure(error)
            // An error without id is about the connection itself, such as one too many.
            guard let id = message["id"]?.integer else { throw ClientFailure.refused(failure) }
            return .reply(id: id, .failure(failure))
        }
        guard let id = message["id"]?.integer, let result = message["result"] else { return nil }
        return .reply(id: id, .success(result))
    }
}

/// Why a client could not do what it was asked; the only errors that ``Client`` throws.
///
/// Not as a typed throw: the 6.3 compiler crashes (silgen cleanup, a lifetime check) on a `do` around such calls
/// whose `catch` clauses match single cases.
public enum ClientFailure: Error {
    case cannotConnect(SocketPath, SystemError)
    /// The daemon closed the connection, or is gone.
    case lost(SocketPath)
    case timedOut
    /// What listens there speaks something else.
    case notTheProtocol(excerpt: String)
    /// The daemon said no.
    case refused(WireFailure)
    case interrupted(signal: CInt)
    /// Nobody reads any more what the client's work was for.
    case readerGone
}

/// An error reply.
public struct WireFailure: Error {
    public let code: Int
    /// The stable name of the error, such as `unknown-sim`.
    public let kind: String
    /// One sentence for a person.
    public let message: String
    public let data: JSON
    /// The error as it came.
    public let json: JSON

    init(_ json: JSON) {
        self.json = json
        code = json["code"]?.integer ?? 0
        message = json["message"]?.text ?? ""
        data = json["data"] ?? .null
        kind = data["kind"]?.text ?? ""
    }

    /// The names that would have been valid, nearest first; empty when the daemon gives none.
    public var known: [String] { data["known"]?.elements?.compactMap(\.text) ?? [] }

    /// The history asked for is gone: resume is impossible, a new snapshot is needed.
    public static let gone = -32010
    public static let unknownSimulation = -32001
    /// The daemon takes no more requests; the next one will.
    public static let shuttingDown = -32013
}
