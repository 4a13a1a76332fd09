internal import Glibc
internal import SeamClient
internal import SeamWire

/// What every command works with: its arguments, where it prints, and the way to a daemon.
final class Session {
    let arguments: Arguments
    let output: Output
    let style: Style
    /// Signals end waits, so that a private daemon is always ended in order.
    let interrupts: Interrupts
    /// A daemon that was started for this call; its own messages go to standard error.
    private(set) var privateDaemon: PrivateDaemon?
    /// Which run of a daemon was greeted last: another run knows nothing of what happened in this one.
    private(set) var daemonEpoch: String?
    /// From --timeout, which counts from the start, however many requests the command makes.
    private let givesUpAt: Deadline

    init(_ arguments: Arguments) {
        self.arguments = arguments
        givesUpAt = arguments.number(.timeout).map { .after(milliseconds: $0) }
        interrupts = Interrupts()
        output = Output(interrupts: interrupts.descriptor)
        style = Style(when: arguments.value(.color), environment: Environment.value)
    }

    var printsJSON: Bool { arguments.has(.json) }

    /// When to give up, from --timeout or else from the command's own patience.
    func deadline(orMilliseconds patience: Int? = nil) -> Deadline {
        givesUpAt ?? patience.map { .after(milliseconds: $0) }
    }

    // MARK: Telling

    /// One line for the person, on standard error.
    func note(_ text: String) {
        output.flush()
        _ = writeAll(Array("seam: \(printable(text))\n".utf8), to: STDERR_FILENO)
    }

    func print(_ line: String) { output.line(line) }
    func print(_ json: JSON) { output.line(json.encoded) }

    // MARK: Reaching a daemon

    func socketPath() throws -> SocketPath {
        try SocketPath.choose(option: arguments.value(.socket))
    }

    /// How long a daemon that was started a moment ago may take until it listens.
    private static let startMilliseconds = 400

    /// The daemon of the socket path; in `seamd & seam create …` it does not listen yet when this is called first.
    func connect() throws -> Client {
        let deadline = deadline()
        let patience = ContinuousClock.Instant.after(milliseconds: Self.startMilliseconds)
        while true {
            do {
                return try connect(until: deadline)
            } catch ClientFailure.cannotConnect(_, let error)
                where (error.number == ENOENT || error.number == ECONNREFUSED)
                && ContinuousClock.now < min(patience, deadline ?? patience)
            {
                if let signal = interrupts.sleep(until: .after(milliseconds: 10)) {
                    throw ClientFailure.interrupted(signal: signal)
                }
            }
        }
    }

    func connect(until deadline: Deadline) throws -> Client {
        try greet(Client(to: socketPath(), interrupts: interrupts, until: deadline), until: deadline)
    }

    /// The daemon of the socket path; a private one when nothing listens there or plug-ins are named. Who names a socket
    /// with --socket means that daemon and no other.
    func connectOrStart() throws -> Client {
        let plugins = PrivateDaemon.Plugins(
            files: arguments.values(.plugin), folders: arguments.values(.pluginFolder))
        if plugins.isEmpty {
            do {
                return try connect(until: deadline())
            } catch SocketPath.Failure.none {
            } catch ClientFailure.cannotConnect(let socket, let error)
                where socket.rule != .option && (error.number == ENOENT || error.number == ECONNREFUSED)
            {
            }
        }
        return try start(plugins)
    }

    /// A private daemon with these plug-ins besides those of its own folders.
    func start(_ plugins: PrivateDaemon.Plugins) throws -> Client {
        let daemon = try PrivateDaemon(
            plugins: plugins, messages: .standardError, interrupts: interrupts,
            patience: arguments.number(.timeout))
        privateDaemon = daemon
        return try greet(Client(to: daemon.socket, interrupts: interrupts), until: deadline())
    }

    /// Says hello: allows the longest replies, and finds out a daemon of another protocol before it confuses anyone.
    private func greet(_ client: Client, until deadline: Deadline) throws -> Client {
        let terms = try client.call(
            "seam.hello", ["client": "seam", "maxLine": .integer(Limits().replyBytesCeiling)],
            until: deadline)
        guard let major = terms["protocol"]?["major"]?.integer else {
            throw ClientFailure.notTheProtocol(excerpt: "seam.hello answered \(terms.encoded)")
        }
        guard major == protocolMajor else {
            throw OtherProtocol(path: client.path, major: major, terms: terms)
        }
        daemonEpoch = terms["daemonEpoch"]?.text
        return client
    }

    func end() {
        privateDaemon?.end()
        privateDaemon = nil
    }

    // MARK: Asking

    /// - Throws: also ``Refused``, which knows what was asked.
    func call(_ client: Client, _ method: String, _ params: JSON) throws -> JSON {
        do {
            return try client.call(method, params, until: deadline())
        } catch ClientFailure.refused(let failure) {
            throw Refused(failure: failure, params: params)
        }
    }

    /// A subscription, with the same errors as ``call(_:_:_:)``.
    func subscribe(_ request: SubscriptionRequest, on client: Client, until deadline: Deadline) throws
        -> Subscription
    {
        do {
            return try Subscription(request, on: client, until: deadline)
        } catch ClientFailure.refused(let failure) {
            throw Refused(failure: failure, params: request.params)
        }
    }

    /// All items of a paged list.
    func list(_ client: Client, _ method: String, _ member: String, _ params: JSON = [:]) throws -> [JSON] {
        var items: [JSON] = []
        var from: Int? = 0
        while let start = from {
            let page = try call(client, method, params.adding("from", .integer(start)))
            items += page[member]?.elements ?? []
            from = page["next"]?.integer
        }
        return items
    }
}

/// The protocol version that this program speaks.
let protocolMajor = 1

struct OtherProtocol: Error {
    let path: SocketPath
    let major: Int
    let terms: JSON
}

// MARK: From failures to words and exit codes

/// A socket that is free and the user's own, for whoever has no other: seamd makes the folder.
private let ownSocket = "SEAM_SOCKET=~/.seam/seam.sock"

extension Session {
    /// Tells a failure and gives its exit code.
    func tell(_ error: any Error) -> Exit {
        switch error {
        case let failure as UsageFailure:
            note(failure.message)
            return .usage
        case let failure as ClientFailure:
            return tell(failure)
        case let refused as Refused:
            note(refused)
            return .refused
        case let failure as SocketPath.Failure:
            note("\(failure); start a daemon with: export \(ownSocket); seamd &")
            return .noConnection
        case let failure as PrivateDaemon.Failure:
            return tell(failure)
        case let other as OtherProtocol:
            let version = other.terms["version"]?.text ?? "of unknown version"
            note(
                "the daemon at \(other.path.path) (\(version)) speaks protocol \(other.major), "
                    + "this seam \(seamVersion) speaks \(protocolMajor): use the seam that came with that daemon"
            )
            return .noConnection
        case HelperProcess.Failure.interrupted(let signal):
            end(bySignal: signal)
        case let nothing as NothingMatches:
            note(nothing.message)
            return .refused
        default:
            note("\(error)")
            return .finding
        }
    }

    private func tell(_ failure: ClientFailure) -> Exit {
        switch failure {
        case .cannotConnect(let socket, let error):
            if let status = FileStatus(of: socket.path, followingLink: true), status.kind != .socket {
                note(
                    "\(socket.path) (from \(socket.rule.rawValue)) is \(status.kind == .folder ? "a folder" : "a file"), "
                        + "no socket: name the socket that a daemon listens at, or is to listen at")
                return .noConnection
            }
            let isFree = error.number == ENOENT || error.number == ECONNREFUSED
            let start =
                isFree ? "seamd --socket \(shellQuoted(socket.path)) &" : "export \(ownSocket); seamd &"
            note(
                "nothing can be reached at \(socket.path) (from \(socket.rule.rawValue)): "
                    + "\(reason(error, socket)); start a daemon with: \(start)")
            return .noConnection
        case .lost(let socket):
            note("the daemon at \(socket.path) closed the connection")
            return .noConnection
        case .notTheProtocol(let excerpt):
            note("what listens there does not speak Seam's protocol: \(excerpt)")
            return .noConnection
        case .timedOut:
            note("timed out")
            return .timedOut
        case .refused(let refusal):
            note(Refused(failure: refusal, params: [:]))
            return .refused
        case .interrupted(let signal):
            end(bySignal: signal)
        case .readerGone:
            return .fine
        }
    }

    private func tell(_ failure: PrivateDaemon.Failure) -> Exit {
        switch failure {
        case .interrupted(let signal):
            end(bySignal: signal)
        case .notListening(_, _, let errors):
            // seamd has said why on standard error; when that was captured it is passed on here.
            if !errors.isEmpty { _ = writeAll(Array(errors.utf8), to: STDERR_FILENO) }
            note("\(failure)")
            return .refused
        case .late:
            note("\(failure)")
            return .timedOut
        case .noProgram, .noFolder, .cannotStart:
            note("\(failure)")
            return .noConnection
        }
    }

    /// `subject` says what it is about when the command asked for several things.
    func note(_ refused: Refused, about subject: String? = nil) {
        if printsJSON {
            output.flush()
            let line: JSON = ["error": refused.failure.json]
            _ = writeAll(Array("\(line.encoded)\n".utf8), to: STDERR_FILENO)
            return
        }
        note((subject.map { "\($0): " } ?? "") + sentence(of: refused))
    }

    /// A refusal in the words of the command line.
    func sentence(of refused: Refused) -> String {
        let sentence = Refusal(failure: refused.failure, params: refused.params, arguments: arguments)
            .sentence
        // A message names the nearest itself; the list is for one that does not.
        let known = refused.failure.known
        let isOwn = sentence != refused.failure.message
        if isOwn || known.isEmpty || known.contains(where: sentence.contains) { return sentence }
        return "\(sentence) (known: \(known.joined(separator: ", ")))"
    }

    private func reason(_ error: SystemError, _ socket: SocketPath) -> String {
        guard error.number == EACCES, let status = FileStatus(of: socket.path) else {
            return error.description
        }
        return "\(error) (the socket belongs to uid \(status.owner), its mode is "
            + "\(String(status.mode, radix: 8)), you are uid \(Environment.uid))"
    }

    /// Ends as the signal would have ended this program, so that a shell sees what happened.
    func end(bySignal number: CInt) -> Never {
        output.flush()
        end()
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }
}

/// A word as a shell would need it.
func shellQuoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/._-:=+,@%".utf8.contains($0)
        }
    }
    return plain && !word.isEmpty ? word : quoted(word)
}

/// A text in single quotes, for any of the usual shells.
func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
