internal import CSystem
internal import Glibc

/// A `seamd` of one's own: on a socket in a new folder that only this user can enter, gone when it is ended.
///
/// The kernel ends the child when the starting thread dies, so not even SIGKILL leaves one behind (its empty
/// folder stays then). Belongs to the thread that made it.
public final class PrivateDaemon {
    /// The plug-ins to load besides the default folders.
    public struct Plugins: Sendable {
        public var files: [String]
        public var folders: [String]
        public init(files: [String] = [], folders: [String] = []) {
            self.files = files
            self.folders = folders
        }
        public var isEmpty: Bool { files.isEmpty && folders.isEmpty }
    }

    public enum Failure: Error {
        /// `beside` is where it would have been beside this program.
        case noProgram(beside: String)
        case noFolder(reasons: [String])
        case cannotStart(program: String, SystemError)
        /// It ended, or did not listen in time; `errors` is what it wrote, when that was captured.
        case notListening(program: String, ending: String, errors: String)
        /// It did not listen within the time that the caller gave it.
        case late(program: String, milliseconds: Int)
        case interrupted(signal: CInt)
    }

    /// Where the child's messages go.
    public enum Messages: Sendable { case standardError, captured }

    /// How long a start may take unless the caller says so; reading many plug-ins from a cold disk is well below.
    static let startMilliseconds = 30_000
    /// How long an ending may take before it is made: the daemon gives its readers 2 s.
    static let endMilliseconds = 3_000

    public let socket: SocketPath
    private let folder: String
    /// Kept open as long as the daemon lives, which would otherwise write into a broken pipe.
    private let errors: Pipe?
    private var child: pid_t
    /// Can be read once the daemon has ended.
    public private(set) var endDescriptor: CInt = -1

    /// - Parameter patience: in milliseconds, how long the start may take.
    public init(
        plugins: Plugins, messages: Messages, interrupts: Interrupts?, patience: Int? = nil
    ) throws(Failure) {
        let program = try Self.findProgram()
        folder = try Self.makeFolder()
        socket = SocketPath(path: "\(folder)/seam.sock", rule: .option)
        child = 0

        let ready = Pipe()
        errors = messages == .captured ? Pipe() : nil
        var arguments = [program, "--socket", socket.path, "--ready-fd", "3", "--log-level", "warning"]
        for file in plugins.files { arguments += ["--plugin", absolute(file)] }
        for folder in plugins.folders { arguments += ["--plugin-dir", absolute(folder)] }

        // The ending is waited for with sigtimedwait(), which only sees a blocked signal.
        var childSignals = sigset_t()
        sigemptyset(&childSignals)
        sigaddset(&childSignals, SIGCHLD)
        sigprocmask(SIG_BLOCK, &childSignals, nil)
        // Whoever started this program may have had it ignored, and then it would never come.
        signal(SIGCHLD, SIG_DFL)

        var list: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let started = csystem_spawn_bound_to_parent(program, &list, ready.writeEnd, errors?.writeEnd ?? -1)
        list.forEach { free($0) }
        ready.closeWriteEnd()
        errors?.closeWriteEnd()
        guard started > 0 else {
            rmdir(folder)
            throw .cannotStart(program: program, SystemError(-started))
        }
        child = started
        endDescriptor = csystem_pidfd(started)

        switch Self.wait(for: ready, interrupts, patience: patience ?? Self.startMilliseconds) {
        case .listening: return
        case .interrupted(let signal):
            end()
            throw .interrupted(signal: signal)
        case .late:
            end()
            throw .late(program: program, milliseconds: patience ?? Self.startMilliseconds)
        case .silent:
            // A daemon that closed the pipe is about to end by itself with the code worth telling.
            let ending = Self.describe(status: reap(within: Self.endMilliseconds))
            end()
            throw .notListening(program: program, ending: ending, errors: errors?.readAll() ?? "")
        }
    }

    deinit {
        end()
    }

    /// How it has ended by itself.
    public func ending() -> String { Self.describe(status: reap(within: Self.endMilliseconds)) }

    /// How it has ended, and what it wrote until then when that was captured.
    public func lastWords() -> (ending: String, errors: String) {
        let ending = ending()
        // One that runs on would never close its end of the pipe.
        end()
        return (ending, errors?.readAll() ?? "")
    }

    /// Ends the daemon and removes its folder; harmless when done twice.
    public func end() {
        if child > 0 {
            kill(child, SIGTERM)
            if reap(within: Self.endMilliseconds) == nil {
                kill(child, SIGKILL)
                _ = reap(within: Self.endMilliseconds)
            }
        }
        if endDescriptor >= 0 { close(endDescriptor) }
        endDescriptor = -1
        // Flat and ours alone: what a killed daemon left there is a socket and its lock.
        for name in folderEntries(folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// Has it look through its folders again. When it has is seen by what it lists.
    public func rescan() {
        if child > 0 { kill(child, SIGHUP) }
    }

    /// The wait status of the child once it has ended; nil when it has not within the time.
    private func reap(within milliseconds: Int) -> CInt? {
        guard child > 0 else { return nil }
        let deadline = ContinuousClock.Instant.after(milliseconds: milliseconds)
        var childSignals = sigset_t()
        sigemptyset(&childSignals)
        sigaddset(&childSignals, SIGCHLD)
        while true {
            var status: CInt = 0
            let reaped = waitpid(child, &status, WNOHANG)
            if reaped == child {
                child = 0
                return status
            }
            let left = deadline - ContinuousClock.now
            if left <= .zero { return nil }
            var time = timespec(
                tv_sec: Int(left.components.seconds),
                tv_nsec: Int(left.components.attoseconds / 1_000_000_000))
            sigtimedwait(&childSignals, nil, &time)
        }
    }

    private enum Start { case listening, interrupted(CInt), late, silent }

    private static func wait(for ready: Pipe, _ interrupts: Interrupts?, patience: Int) -> Start {
        var descriptors = [
            pollfd(fd: ready.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupts?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard waitForAny(&descriptors, until: .after(milliseconds: patience)) else { return .late }
        if descriptors[1].revents != 0, let signal = interrupts?.take() { return .interrupted(signal) }
        var byte: UInt8 = 0
        return read(ready.readEnd, &byte, 1) == 1 ? .listening : .silent
    }

    private static func describe(status: CInt?) -> String {
        guard let status else { return "it says no more and runs on" }
        // The macros WIFEXITED and its like are not visible to Swift; these are their bits on Linux.
        let signal = status & 0x7f
        return signal == 0 ? "it exited with code \(status >> 8 & 0xff)" : "it was ended by signal \(signal)"
    }

    /// `seamd` beside the running program, else the first one in PATH.
    public static func findProgram() throws(Failure) -> String {
        let beside = "\(folderOfRunningProgram() ?? ".")/seamd"
        let path = (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        guard let program = ([beside] + path.map { "\($0)/seamd" }).first(where: isProgram) else {
            throw .noProgram(beside: beside)
        }
        return program
    }

    private static func isProgram(_ path: String) -> Bool {
        !FileStatus.isFolder(path) && access(path, X_OK) == 0
    }

    /// A new folder with mode 0700, where a socket's name still fits.
    private static func makeFolder() throws(Failure) -> String {
        var reasons: [String] = []
        for name in ["XDG_RUNTIME_DIR", "TMPDIR"] + [""] {
            let parent = name.isEmpty ? "/tmp" : Environment.value(name) ?? ""
            guard parent.hasPrefix("/") else { continue }
            var template = Array("\(parent)/seam-XXXXXX".utf8CString)
            if template.count + "/seam.sock".utf8.count > SocketPath.bytesMax {
                reasons.append("\(parent): too long for a socket")
            } else if mkdtemp(&template) != nil {
                // Safe: the template is never empty, and mkdtemp() leaves its NUL where it was.
                return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            } else {
                reasons.append("\(parent): \(errorText(errno))")
            }
        }
        throw .noFolder(reasons: reasons)
    }
}

extension PrivateDaemon.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noProgram(let beside):
            "no seamd to start: neither \(beside) nor one in PATH"
        case .noFolder(let reasons):
            "no folder for a private socket: \(reasons.joined(separator: "; "))"
        case .cannotStart(let program, let error):
            "\(program) cannot be started: \(error)"
        case .notListening(let program, let ending, _):
            "\(program) does not listen: \(ending)"
        case .late(let program, let milliseconds):
            "\(program) did not listen within \(milliseconds) ms"
        case .interrupted(let signal):
            "interrupted by signal \(signal)"
        }
    }
}

/// A path from the root, so that the daemon's messages about it are true wherever they are read. Nothing is resolved: what
/// is not there keeps the name that it was given.
private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), !path.isEmpty, let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    let relative = path.hasPrefix("./") ? path.dropFirst(2) : Substring(path)
    return "\(String(cString: folder))/\(relative)"
}

/// The folder of the running program, its symbolic links resolved.
public func folderOfRunningProgram() -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // Safe: the buffer is not empty.
    let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
    guard count > 0, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return String(decoding: buffer[..<slash], as: UTF8.self)
}

/// The names in a folder without the two dots, sorted; none when it cannot be read.
public func folderEntries(_ path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            // d_name ends with NUL within its 256 bytes, readdir() says so.
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// Both ends of a pipe, closed with it and on exec.
final class Pipe {
    let readEnd: CInt
    private(set) var writeEnd: CInt

    init() {
        var ends: [CInt] = [-1, -1]
        precondition(pipe(&ends) == 0, "pipe: \(errorText(errno))")
        (readEnd, writeEnd) = (ends[0], ends[1])
        // pipe2() is not visible to Swift; no other thread could start a program in between.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// All that was written, once every write end is closed.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = read(readEnd, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
