internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam doctor`: looks at everything that must be right before a call can work, and says what to do about
/// what is not. Changes nothing.
func doctor(_ session: Session) throws -> Exit {
    var examination = Examination(session)
    try examination.run()
    return examination.foundProblem ? .finding : .fine
}

private struct Examination {
    enum Result: String { case fine = "ok", note, problem }

    /// How long a daemon may take for an answer before it counts as stuck.
    static let patienceMilliseconds = 5000

    let session: Session
    private(set) var foundProblem = false
    /// Of the daemon that listens.
    private var daemonVersion: String?

    init(_ session: Session) {
        self.session = session
    }

    private mutating func tell(_ result: Result, _ subject: String, _ text: String, remedy: String? = nil) {
        if result == .problem { foundProblem = true }
        if session.printsJSON {
            session.print(
                [
                    "result": .string(result.rawValue), "subject": .string(subject), "text": .string(text),
                    "remedy": remedy.map { .string($0) } ?? .null,
                ])
            return
        }
        let color: Style.Color =
            switch result {
            case .fine: .green
            case .note: .yellow
            case .problem: .red
            }
        let word = session.style.paint(padded(result.rawValue, to: 7), color)
        session.print("\(word)  \(padded(subject, to: 8))  \(printable(text))")
        if let remedy { session.print("\(padded("", to: 19))\(printable(remedy))") }
    }

    mutating func run() throws {
        var socket: SocketPath?
        do {
            let chosen = try session.socketPath()
            tell(.fine, "socket", "\(chosen.path), from \(chosen.rule.rawValue)")
            socket = chosen
        } catch let failure as SocketPath.Failure {
            tell(
                .problem, "socket", "\(failure)",
                remedy: "give --socket PATH, or set SEAM_SOCKET to a short path in a folder of your own")
        }
        if let socket {
            examineFolder(of: socket)
            if examineFile(socket) { try examineDaemon(socket) }
        }
        try examineProgram()
    }

    // MARK: The socket

    /// By the rules of seamd: a default folder is the user's alone; one that was named may be shared as long as
    /// nobody can swap files in it.
    private mutating func examineFolder(of socket: SocketPath) {
        let folder = parent(of: socket.path)
        let choose = "choose another path with --socket or SEAM_SOCKET, in a folder of your own"
        let makePrivate = "chmod 700 \(shellQuoted(folder))"
        guard let status = FileStatus(of: folder, followingLink: !socket.rule.isDefault) else {
            if errno == ENOENT && FileStatus.isFolder(parent(of: folder)) {
                tell(.note, "folder", "\(folder) does not exist yet; seamd makes it")
            } else {
                tell(.problem, "folder", "\(folder): \(errorText(errno))", remedy: "make it, or \(choose)")
            }
            return
        }
        let isOurs = status.owner == Environment.uid
        let mode = "mode \(octal(status.mode))"
        if status.kind == .link {
            tell(
                .problem, "folder", "\(folder) is a symbolic link, which seamd refuses",
                remedy: "remove it, or \(choose)")
        } else if status.kind != .folder {
            tell(.problem, "folder", "\(folder) is not a folder", remedy: "remove it, or \(choose)")
        } else if !isOurs && (socket.rule.isDefault || status.owner != 0) {
            tell(
                .problem, "folder",
                "\(folder) belongs to uid \(status.owner), you are uid \(Environment.uid)",
                remedy: choose)
        } else if socket.rule.isDefault && status.mode & 0o077 != 0 {
            tell(.problem, "folder", "\(folder) is open to others (\(mode))", remedy: makePrivate)
        } else if status.mode & 0o1002 == 0o0002 {
            tell(
                .problem, "folder", "everybody can write to \(folder) and replace the socket (\(mode))",
                remedy: isOurs ? makePrivate : choose)
        } else if access(folder, W_OK | X_OK) != 0 {
            // Only somebody who starts a daemon needs to; a group's member may be a client of another's.
            let isServed = FileStatus(of: socket.path) != nil
            tell(
                isServed ? .note : .problem, "folder", "you may not write to \(folder) (\(mode))",
                remedy: isOurs ? makePrivate : isServed ? nil : choose)
        } else if status.mode & 0o022 != 0 {
            tell(.note, "folder", "others can write to \(folder) (\(mode)); a folder of your own is safer")
        } else {
            tell(.fine, "folder", "\(folder) (\(mode))")
        }
    }

    /// Whether it is worth connecting.
    private mutating func examineFile(_ socket: SocketPath) -> Bool {
        guard let status = FileStatus(of: socket.path) else {
            switch errno {
            case ENOENT:
                tell(
                    .note, "daemon", "nothing listens: there is no \(socket.path)",
                    remedy: "start one with: seamd --socket \(shellQuoted(socket.path)) &")
            case let error:
                tell(
                    .problem, "socket", "\(socket.path): \(errorText(error))", remedy: "see the folder above")
            }
            return false
        }
        guard status.kind == .socket else {
            let what =
                switch status.kind {
                case .link: "a symbolic link"
                case .folder: "a folder"
                case .file, .socket, .other: "a file, no socket"
                }
            tell(
                .problem, "socket", "\(socket.path) is \(what); seamd will not touch it",
                remedy: "move it away, or choose another path")
            return false
        }
        if status.owner != Environment.uid && status.owner != 0 {
            tell(
                .problem, "socket",
                "\(socket.path) belongs to uid \(status.owner), you are uid \(Environment.uid)",
                remedy: "choose a socket path of your own")
        } else if status.mode & 0o007 != 0 {
            // The next daemon puts its own in the place of one that nobody listens at.
            tell(
                isListening(socket) ? .problem : .note, "socket",
                "\(socket.path) is open to everybody (mode \(octal(status.mode)))",
                remedy: "chmod 600 \(shellQuoted(socket.path)), or restart seamd")
        } else if access(socket.path, W_OK) != 0 {
            tell(
                .problem, "socket", "you may not connect to \(socket.path) (mode \(octal(status.mode)))",
                remedy: "chmod 600 \(shellQuoted(socket.path)), or restart seamd")
        }
        return true
    }

    private func isListening(_ socket: SocketPath) -> Bool {
        let deadline = session.deadline(orMilliseconds: Self.patienceMilliseconds)
        return (try? Client(to: socket, interrupts: session.interrupts, until: deadline)) != nil
    }

    private mutating func examineDaemon(_ socket: SocketPath) throws {
        let deadline = session.deadline(orMilliseconds: Self.patienceMilliseconds)
        do {
            let client = try Client(to: socket, interrupts: session.interrupts, until: deadline)
            let terms = try client.call("seam.hello", ["client": "seam doctor"], until: deadline)
            daemonVersion = terms["version"]?.text
            examine(
                terms: terms, of: "the daemon", as: "daemon",
                remedy: "restart the daemon: seam shutdown, then seamd")
            // Fewer may be what its user wants.
            examineConnections(terms, of: "the daemon", .note)
            for failed in try failedPlugins(client, until: deadline) {
                tell(
                    .problem, "plug-in", "the daemon cannot use \(failed.files): \(failed.reason)",
                    remedy: "when it is mended, restart the daemon")
            }
        } catch ClientFailure.cannotConnect(_, let error) where error.number == ECONNREFUSED {
            tell(
                .note, "daemon", "nothing listens: \(socket.path) was left by a daemon that is gone",
                remedy: "start one with: seamd --socket \(shellQuoted(socket.path)) &")
        } catch ClientFailure.cannotConnect(_, let error) {
            tell(.problem, "daemon", "no connection to \(socket.path): \(error)")
        } catch ClientFailure.timedOut {
            tell(
                .problem, "daemon", "it takes connections and does not answer; a plug-in may be stuck",
                remedy: "look at its messages; end it with a signal and start it again")
        } catch ClientFailure.lost {
            tell(
                .problem, "daemon", "it closed the connection at once",
                remedy: "look at its messages; another user's daemon refuses you so")
        } catch ClientFailure.notTheProtocol(let excerpt) {
            tell(
                .problem, "daemon", "what listens at \(socket.path) is not seamd; it said: \(excerpt)",
                remedy: "choose another socket path")
        } catch ClientFailure.refused(let refusal) {
            tell(.problem, "daemon", "it said no: \(refusal.message)")
        }
    }

    /// Whether the two programs belong together.
    private mutating func examine(terms: JSON, of who: String, as subject: String, remedy: String) {
        let version = terms["version"]?.text ?? "?"
        let major = terms["protocol"]?["major"]?.integer
        if major != protocolMajor {
            tell(
                .problem, "version",
                "\(who) (version \(version)) speaks protocol \(major.map(String.init) ?? "unknown"), "
                    + "this seam speaks \(protocolMajor)",
                remedy: remedy)
        } else if version != seamVersion {
            tell(
                .problem, "version", "\(who) has version \(version), this seam \(seamVersion)", remedy: remedy
            )
        } else {
            let pid = terms["pid"]?.scalar.map { ", process \($0)" } ?? ""
            tell(.fine, subject, "\(who) answers: version \(version), protocol \(protocolMajor)\(pid)")
        }
    }

    /// A daemon takes as many connections as its limit of open files leaves; a terminal that watches and the programs
    /// that are watched are some.
    private mutating func examineConnections(_ terms: JSON, of who: String, _ result: Result) {
        guard let connections = terms["limits"]?["connections"]?.integer, connections < 192 else { return }
        tell(
            result, "limits",
            "\(who) takes \(connections) connection\(connections == 1 ? "" : "s") at a time, since few open files are "
                + "allowed, or by --max-connections",
            remedy: "before seamd starts: ulimit -n 4096 (as root when the hard limit is lower), or "
                + "LimitNOFILE=4096 in its unit")
    }

    private func failedPlugins(
        _ client: Client, until deadline: Deadline
    ) throws -> [(files: String, reason: String)] {
        let list = try client.call("scenario.list", ["limit": 1], until: deadline)
        return alike(
            (list["failed"]?.elements ?? []).map { ($0["file"]?.text ?? "?", $0["reason"]?.text ?? "?") })
    }

    // MARK: Plug-ins and the program

    private var givenPlugins: PrivateDaemon.Plugins {
        .init(files: session.arguments.values(.plugin), folders: session.arguments.values(.pluginFolder))
    }

    /// Starts the seamd that `seam run` would start, and asks it about its plug-ins.
    private mutating func examineProgram() throws {
        let program: String
        do {
            program = try PrivateDaemon.findProgram()
        } catch {
            return tell(
                .problem, "program", "\(error)", remedy: "install seamd beside seam, or put it in PATH")
        }
        do {
            let daemon = try PrivateDaemon(
                plugins: givenPlugins, messages: .captured, interrupts: session.interrupts,
                patience: session.arguments.number(.timeout))
            defer { daemon.end() }
            do {
                try examine(daemon, of: program)
            } catch ClientFailure.lost {
                tellEnd(of: daemon, program)
            }
        } catch let failure as PrivateDaemon.Failure {
            if case .interrupted(let signal) = failure { throw ClientFailure.interrupted(signal: signal) }
            // The usual reason for not starting is a file that was given with --plugin.
            let subject = givenPlugins.files.isEmpty ? "program" : "plug-in"
            tell(.problem, subject, "\(failure)")
            if case .notListening(_, _, let errors) = failure {
                for line in errors.split(separator: "\n") { tell(.problem, subject, "it says: \(line)") }
            }
        } catch let failure as ClientFailure {
            if case .interrupted = failure { throw failure }
            tell(
                .problem, "program",
                "\(program) starts and does not answer as it should: \(words(for: failure))")
        }
    }

    private mutating func examine(_ daemon: PrivateDaemon, of program: String) throws {
        let deadline = session.deadline(orMilliseconds: Self.patienceMilliseconds)
        let client = try Client(to: daemon.socket, interrupts: session.interrupts)
        let terms = try client.call("seam.hello", ["client": "seam doctor"], until: deadline)
        examine(
            terms: terms, of: program, as: "program",
            remedy: "install seam and seamd of one version, or put theirs first in PATH")
        examineConnections(terms, of: program, .problem)
        let failed = try failedPlugins(client, until: deadline)
        for plugin in failed { tell(.problem, "plug-in", "\(plugin.files): \(plugin.reason)") }
        let count = try session.list(client, "scenario.list", "scenarios").count
        tell(.fine, "plug-ins", "\(program) finds \(count) scenarios")
        try examineGate(daemon: daemon.socket, version: terms["version"]?.text ?? "?")
    }

    /// A daemon that does not live to answer has most often been ended by a plug-in, and has said by which.
    private mutating func tellEnd(of daemon: PrivateDaemon, _ program: String) {
        let (ending, errors) = daemon.lastWords()
        // Behind the blank line come registers and addresses.
        let lines = errors.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        let isPlugin = errors.contains("inside a plug-in")
        let subject = isPlugin ? "plug-in" : "program"
        tell(
            .problem, subject, "\(program) does not live to answer: \(ending)",
            remedy: isPlugin ? "move that plug-in out of its folder, build it anew, and put it back" : nil)
        for line in lines { tell(.problem, subject, "it says: \(line)") }
    }

    private func words(for failure: ClientFailure) -> String {
        switch failure {
        case .cannotConnect(let socket, let error): "no connection to \(socket.path): \(error)"
        case .lost: "it closed the connection"
        case .timedOut: "it gave no answer in time"
        case .notTheProtocol(let excerpt): "it said: \(excerpt)"
        case .refused(let refusal): refusal.message
        case .interrupted, .readerGone: "nobody waits for its answer"
        }
    }
}

extension Examination {
    /// With the daemon that was started for it: what the gate does to one that is in use, it need not do here.
    private mutating func examineGate(daemon: SocketPath, version: String) throws {
        var found: [(Bool?, String, String, String?)] = []
        let gate = GateExamination(session: session) { found.append(($0, $1, $2, $3)) }
        try gate.examine(daemon: daemon, daemonVersion: daemonVersion ?? version)
        for (isProblem, subject, text, remedy) in found {
            tell(isProblem.map { $0 ? .problem : .fine } ?? .note, subject, text, remedy: remedy)
        }
    }
}

/// Files of one folder with the same fault are told of together: the first of them, and how many more there are.
func alike(_ failures: [(file: String, reason: String)]) -> [(files: String, reason: String)] {
    var groups: [(folder: String, files: [String], reason: String)] = []
    for (file, reason) in failures {
        let folder = parent(of: file)
        if let index = groups.firstIndex(where: { $0.folder == folder && $0.reason == reason }) {
            groups[index].files.append(file)
        } else {
            groups.append((folder, [file], reason))
        }
    }
    return groups.map { group in
        let rest = group.files.count - 1
        return (group.files[0] + (rest > 0 ? " and \(rest) more in \(group.folder)" : ""), group.reason)
    }
}

private func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

private func octal(_ mode: UInt32) -> String {
    String(mode, radix: 8)
}
