internal import CSystem
internal import Glibc

/// A program of this installation that does something for the running one that may go wrong in any way: it answers in
/// lines on its descriptor 3, has a limit of time, and takes nothing with it when it crashes.
public enum HelperProcess {
    public enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
        /// It ran out of time and was killed.
        case timedOut
    }

    public enum Failure: Error, CustomStringConvertible {
        /// `beside` is where it would have been beside this program.
        case noProgram(beside: String)
        case cannotStart(program: String, SystemError)
        case interrupted(signal: CInt)

        public var description: String {
            switch self {
            case .noProgram(let beside): "there is no \(beside), and none in PATH"
            case .cannotStart(let program, let error): "\(program) cannot be started: \(error)"
            case .interrupted(let signal): "interrupted by signal \(signal)"
            }
        }
    }

    /// How much of its standard error is kept, from the end: a program may write without end.
    private static let errorBytes = 64 << 10

    /// The program of that name beside the running one, else the first one in PATH.
    public static func find(_ name: String) throws(Failure) -> String {
        let beside = "\(folderOfRunningProgram() ?? ".")/\(name)"
        let path = (Environment.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let program = ([beside] + path.map { "\($0)/\(name)" }).first {
            !FileStatus.isFolder($0) && access($0, X_OK) == 0
        }
        guard let program else { throw .noProgram(beside: beside) }
        return program
    }

    /// Runs it to its end.
    /// - Parameters:
    ///   - milliseconds: its limit.
    ///   - each: is given every line as it comes.
    /// - Returns: how it ended, and the last that it wrote on standard error.
    public static func run(
        _ program: String, _ arguments: [String], milliseconds: Int, interrupts: Interrupts?,
        each line: (String) -> Void
    ) throws(Failure) -> (ending: Ending, errors: String) {
        // Whoever started this program may have had it ignored, and then no ending could be told.
        signal(SIGCHLD, SIG_DFL)
        let (results, errors) = (Pipe(), Pipe())
        var list: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        let child = csystem_spawn_bound_to_parent(program, &list, results.writeEnd, errors.writeEnd)
        list.forEach { free($0) }
        results.closeWriteEnd()
        errors.closeWriteEnd()
        guard child > 0 else { throw .cannotStart(program: program, SystemError(-child)) }
        let ended = csystem_pidfd(child)
        defer { close(ended) }
        for end in [results.readEnd, errors.readEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }

        var lines = LineBuffer()
        var said: [UInt8] = []
        func drain() {
            for chunk in chunks(of: results.readEnd) { lines.take(chunk).forEach(line) }
            for chunk in chunks(of: errors.readEnd) {
                said += chunk
                if said.count > 2 * errorBytes { said.removeFirst(said.count - errorBytes) }
            }
        }
        let deadline: Deadline = .after(milliseconds: milliseconds)
        var isOver = false
        var descriptors = [results.readEnd, errors.readEnd, ended, interrupts?.descriptor ?? -1].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Where a kernel has no such descriptor, the end of the results has to do.
        while descriptors[2].revents == 0 && (ended >= 0 || descriptors[0].fd >= 0) {
            // What has come to its end would be ready for ever.
            for index in 0..<2
            where descriptors[index].revents & Int16(POLLIN) == 0 && descriptors[index].revents != 0 {
                descriptors[index].fd = -1
            }
            guard waitForAny(&descriptors, until: deadline) else {
                isOver = true
                break
            }
            drain()
            if descriptors[3].revents != 0, let signal = interrupts?.take() {
                _ = end(child)
                throw .interrupted(signal: signal)
            }
        }
        let status = end(child)
        drain()
        let text = String(decoding: said.suffix(errorBytes), as: UTF8.self)
        // The macros WIFEXITED and its like are not visible to Swift; these are their bits on Linux.
        let signal = status & 0x7f
        let ending: Ending = isOver ? .timedOut : signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
        return (ending, text)
    }

    /// Ends the child, if it has not ended, with all that it started in its process group; its wait status.
    private static func end(_ child: pid_t) -> CInt {
        // Not yet reaped, so the number is still this child's and its group's.
        kill(-child, SIGKILL)
        kill(child, SIGKILL)
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    private static func chunks(of descriptor: CInt) -> AnyIterator<ArraySlice<UInt8>> {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        return AnyIterator {
            let count = read(descriptor, &chunk, chunk.count)
            return count > 0 ? chunk[..<count] : nil
        }
    }

    /// Bytes in, whole lines out.
    private struct LineBuffer {
        private var bytes: [UInt8] = []

        mutating func take(_ chunk: ArraySlice<UInt8>) -> [String] {
            // A line without end is none that was meant for anybody.
            if bytes.count > 64 << 20 { bytes.removeAll() }
            bytes += chunk
            guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
            let whole = bytes[..<last].split(separator: UInt8(ascii: "\n")).map {
                String(decoding: $0, as: UTF8.self)
            }
            bytes.removeFirst(last + 1)
            return whole
        }
    }
}
