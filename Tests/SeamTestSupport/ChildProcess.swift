internal import Foundation
internal import Glibc

/// How a process ended.
public enum Ending: Equatable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    init(waitStatus: Int32) {
        // Swift does not see the macros WIFEXITED and its like; these are their bits on Linux.
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exit(waitStatus >> 8 & 0xff) : .signal(signal)
    }

    /// As a shell shows it: the exit code, or 128 + the signal.
    public var code: Int32 {
        switch self {
        case .exit(let code): code
        case .signal(let number): 128 + number
        }
    }

    public var description: String {
        switch self {
        case .exit(let code): "exit code \(code)"
        case .signal(let number): "signal \(number) (\(String(cString: strsignal(number))))"
        }
    }
}

/// Where the products of this build lie: beside the test binary, plug-in libraries too.
public enum Products {
    public static let folder: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        precondition(count > 0, "/proc/self/exe cannot be read: is /proc mounted?")
        let file = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
    }()

    public static func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// The life of one child: who waits for it, and who may still send it a signal.
final class Life: @unchecked Sendable {  // `ending` is only touched inside `monitor`
    let pid: Int32
    private let monitor = Monitor()
    private var ending: Ending?

    init(_ pid: Int32) {
        self.pid = pid
        Thread.detachNewThread { [self] in
            // First only look: as long as the dead child is not reaped, its number belongs to no other process.
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
            monitor.change {
                var status: Int32 = 0
                waitpid(pid, &status, 0)
                ending = Ending(waitStatus: status)
            }
        }
    }

    func send(_ signal: Int32) {
        monitor.withLock { if ending == nil { kill(pid, signal) } }
    }

    func end(until deadline: Deadline) -> Ending? { monitor.wait(until: deadline) { ending } }
}

/// A program under test, with pipes at its standard descriptors. Killed, by its number, when the last reference
/// goes away while it still runs. Any thread may use it.
public final class ChildProcess: @unchecked Sendable {
    // Sendable holds: `input` is only touched inside `monitor`, the rest is constant and does so itself.
    public let tool: String
    private let life: Life
    private let output: Drain
    private let errors: Drain
    private let monitor = Monitor()
    private var input: Int32?

    /// Starts a program: `seam` and `seamd` are those of this build, other names are looked up in PATH. To start
    /// one in another folder: `("env", ["-C", folder, Products.path("seam"), …])`.
    ///
    /// - Parameter environment: is put over that of the test; a nil removes the variable.
    public convenience init(
        _ tool: String, _ arguments: [String] = [], environment: [String: String?] = [:]
    ) throws {
        try self.init(tool, arguments, environment: environment, readyDescriptor: nil)
    }

    /// - Parameter readyDescriptor: arrives in the child as descriptor 3.
    init(
        _ tool: String, _ arguments: [String], environment: [String: String?], readyDescriptor: Int32?
    ) throws {
        let (stdin, stdout, stderr) = (try Pipe(), try Pipe(), try Pipe())

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdin.readEnd, 0)
        posix_spawn_file_actions_adddup2(&actions, stdout.writeEnd, 1)
        posix_spawn_file_actions_adddup2(&actions, stderr.writeEnd, 2)
        if let readyDescriptor { posix_spawn_file_actions_adddup2(&actions, readyDescriptor, 3) }

        // What the test process ignores or blocks is its own affair: a child starts as from a shell.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let own = Products.path(tool)
        let file = !tool.contains("/") && access(own, X_OK) == 0 ? own : tool
        var argv = ([tool] + arguments).map { strdup($0) } + [nil]
        var envp = Surroundings.environment(with: environment).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }

        var pid: pid_t = 0
        let failure = Pipe.making.withLock { posix_spawnp(&pid, file, &actions, &attributes, &argv, &envp) }
        for end in [stdin.readEnd, stdout.writeEnd, stderr.writeEnd] { close(end) }
        guard failure == 0 else {
            for end in [stdin.writeEnd, stdout.readEnd, stderr.readEnd] { close(end) }
            throw Unmet("cannot start \(file): \(String(cString: strerror(failure)))")
        }
        self.tool = tool
        life = Life(pid)
        output = Drain(stdout.readEnd)
        errors = Drain(stderr.readEnd)
        input = stdin.writeEnd
    }

    deinit {
        life.send(SIGKILL)
        if let input { close(input) }
    }

    public var pid: Int32 { life.pid }
    /// What it has written to stdout, and to stderr, so far.
    public var stdout: String { output.text }
    public var stderr: String { errors.text }

    /// Writes to its stdin; a program that no longer reads is an error.
    public func write(_ text: String) throws {
        Surroundings.ignoreBrokenPipes
        try monitor.withLock {
            guard let input else { throw Unmet("the input of \(tool) is closed already") }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw Unmet.system("writing to \(tool)") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// The end of its input, Ctrl-D at a terminal.
    public func closeInput() {
        monitor.withLock {
            if let input { close(input) }
            input = nil
        }
    }

    /// The next line of its stdout, or nil at the end of it.
    public func readLine(within patience: Duration = .seconds(20)) throws -> String? {
        switch output.nextLine(until: Deadline(in: patience)) {
        case .text(let line): return line
        case .end: return nil
        case nil: throw Unmet("\(tool) printed no further line within \(patience).\(said)")
        }
    }

    /// Reads lines of stdout up to the first that holds all of `parts`; that one is the result.
    @discardableResult
    public func readLine(containing parts: String..., within patience: Duration = .seconds(20)) throws
        -> String
    {
        let deadline = Deadline(in: patience)
        while true {
            switch output.nextLine(until: deadline) {
            case .text(let line) where parts.allSatisfy(line.contains): return line
            case .text: continue
            case .end: throw Unmet("\(tool) closed its stdout without a line with \(parts).\(said)")
            case nil: throw Unmet("\(tool) printed no line with \(parts) within \(patience).\(said)")
            }
        }
    }

    /// The first line with `part` on stderr, of all since the start.
    @discardableResult
    public func errorLine(containing part: String, within patience: Duration = .seconds(20)) throws -> String
    {
        guard let line = errors.line(containing: part, until: Deadline(in: patience)) else {
            throw Unmet("\(tool) wrote no line with \"\(part)\" to stderr within \(patience).\(said)")
        }
        return line
    }

    /// Nothing happens if it has ended.
    public func send(signal: Int32) { life.send(signal) }

    /// Waits for its end; when that does not come, kills it and says what it had to say.
    @discardableResult
    public func waitForEnd(within patience: Duration = .seconds(20)) throws -> Ending {
        if let ending = life.end(until: Deadline(in: patience)) { return ending }
        life.send(SIGKILL)
        throw Unmet("\(tool) did not end within \(patience) and was killed.\(said)")
    }

    /// Its end and all that it wrote. A grandchild that keeps stdout open counts as not having ended.
    public func outcome(within patience: Duration = .seconds(60)) throws -> Outcome {
        let deadline = Deadline(in: patience)
        let ending = try waitForEnd(within: patience)
        guard let stdout = output.all(until: deadline), let stderr = errors.all(until: deadline) else {
            throw Unmet(
                "\(tool) ended with \(ending), but something it started holds its output open.\(said)")
        }
        return Outcome(ending: ending, stdout: stdout, stderr: stderr)
    }

    private var said: String { "\nstdout: \(stdout)\nstderr: \(stderr)" }
}

public struct Outcome: Equatable, Sendable {
    public let ending: Ending
    public let stdout: String
    public let stderr: String
    /// As a shell shows it.
    public var code: Int32 { ending.code }
}

/// Runs a program to its end: `run("gcc", ["-shared", …])`, `run("seam", ["run", …])`, `run("socat", […], input: "…\n")`.
@discardableResult
public func run(
    _ tool: String, _ arguments: [String] = [], input: String = "", environment: [String: String?] = [:],
    within patience: Duration = .seconds(60)
) throws -> Outcome {
    let child = try ChildProcess(tool, arguments, environment: environment)
    // A tool may well end without reading what it is given; its outcome says whether that was right.
    // More than a pipe holds goes in while the drains empty the other side, so neither waits for the other.
    try? child.write(input)
    child.closeInput()
    return try child.outcome(within: patience)
}
