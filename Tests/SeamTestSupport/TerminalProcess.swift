internal import Foundation
internal import Glibc

/// A program at a terminal of its own: what it draws is on a screen that can be waited for, keys are typed, the window
/// changes its size. Killed, by its number, when the last reference goes away. Any thread may use it.
public final class TerminalProcess: Sendable {
    /// What was drawn, by a thread that reads until the other side has gone.
    private final class Picture: @unchecked Sendable {  // both variables are only touched inside `monitor`
        let monitor = Monitor()
        var screen: TerminalScreen
        var hasEnded = false

        init(_ screen: TerminalScreen) { self.screen = screen }
    }

    public let tool: String
    private let life: Life
    private let terminal: Int32
    private let picture: Picture

    /// - Parameter environment: is put over that of the test, which is one without colours; a nil removes the variable.
    public init(
        _ tool: String, _ arguments: [String] = [], columns: Int = 100, rows: Int = 24,
        environment: [String: String?] = [:]
    ) throws {
        Surroundings.ignoreBrokenPipes
        var terminal: Int32 = -1
        Pipe.making.withLock { terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) }
        guard terminal >= 0 else { throw Unmet.system("making a terminal") }
        var (lock, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, for unlockpt() and ptsname(), which Swift's Glibc module leaves out.
        guard ioctl(terminal, 0x4004_5431, &lock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0 else {
            throw Unmet.system("making a terminal")
        }
        picture = Picture(TerminalScreen(columns: columns, rows: rows))
        Self.setSize(of: terminal, columns: columns, rows: rows)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Opened by the leader of a new session, it becomes the session's terminal.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // 0x80 is POSIX_SPAWN_SETSID.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80))

        let own = Products.path(tool)
        let file = !tool.contains("/") && access(own, X_OK) == 0 ? own : tool
        let usual: [String: String?] = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
        let all = Surroundings.environment(with: usual.merging(environment) { $1 })
        var argv = ([tool] + arguments).map { strdup($0) } + [nil]
        var envp = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid: pid_t = 0
        let failure = Pipe.making.withLock { posix_spawnp(&pid, file, &actions, &attributes, &argv, &envp) }
        guard failure == 0 else {
            close(terminal)
            throw Unmet("cannot start \(file) at a terminal: \(String(cString: strerror(failure)))")
        }
        self.tool = tool
        self.terminal = terminal
        life = Life(pid)
        // The thread has a descriptor of its own, which no other can take the number of meanwhile.
        let (output, picture) = (fcntl(terminal, F_DUPFD_CLOEXEC, 10), picture)
        Thread.detachNewThread {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(output, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                // An error is how the other side's end is told here.
                if count <= 0 { break }
                picture.monitor.change {
                    picture.screen.write(chunk[..<count])
                    picture.screen.writes += 1
                }
            }
            close(output)
            picture.monitor.change { picture.hasEnded = true }
        }
    }

    deinit {
        life.send(SIGKILL)
        close(terminal)
    }

    public var pid: Int32 { life.pid }
    public var screen: TerminalScreen { picture.monitor.withLock { picture.screen } }

    /// Waits until the screen is as it should be, and gives it: a whole picture, not half of one.
    @discardableResult
    public func wait(
        for what: String, within patience: Duration = .seconds(30), until isSo: (TerminalScreen) -> Bool
    ) throws -> TerminalScreen {
        let found: TerminalScreen? = picture.monitor.wait(until: Deadline(in: patience)) {
            !picture.screen.isDrawing && isSo(picture.screen) ? picture.screen : nil
        }
        guard let found else {
            let screen = screen
            throw Unmet(
                "\(tool) did not show \(what) within \(patience); its screen was, \(screen.columns)x\(screen.rows):\n"
                    + screen.lines.map { "|\($0)\n" }.joined() + "\(screen.unknown.prefix(5))")
        }
        return found
    }

    /// Waits for a line with all of the parts, and gives the screen.
    @discardableResult
    public func wait(line parts: String..., within patience: Duration = .seconds(30)) throws -> TerminalScreen
    {
        try wait(for: "a line with \(parts)", within: patience) { screen in
            screen.lines.contains { line in parts.allSatisfy(line.contains) }
        }
    }

    /// Types on its keyboard.
    public func type(_ keys: String) throws {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Unmet.system("typing to \(tool)") }
            rest = rest.dropFirst(count)
        }
    }

    public func resize(columns: Int, rows: Int) {
        picture.monitor.change { picture.screen.resize(columns: columns, rows: rows) }
        Self.setSize(of: terminal, columns: columns, rows: rows)
    }

    private static func setSize(of terminal: Int32, columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    public func send(signal: Int32) { life.send(signal) }

    /// How the terminal is set: line by line with echo as a shell leaves it, or key by key.
    public var isLineByLine: Bool {
        var settings = termios()
        tcgetattr(terminal, &settings)
        return settings.c_lflag & tcflag_t(ICANON) != 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    @discardableResult
    public func waitForEnd(within patience: Duration = .seconds(30)) throws -> Ending {
        guard let ending = life.end(until: Deadline(in: patience)) else {
            throw Unmet(
                "\(tool) did not end within \(patience); its screen was:\n\(screen.text)\n\(screen.unknown)")
        }
        // All that it wrote is on the screen.
        _ = picture.monitor.wait(until: Deadline(in: patience)) { picture.hasEnded ? true : nil }
        return ending
    }
}
