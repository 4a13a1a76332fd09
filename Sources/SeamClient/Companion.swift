internal import CSystem
internal import Glibc

/// A program of this installation that runs beside the calling one until it is ended: it tells one line on its
/// descriptor 3 when it is ready. Dies with the calling thread, like a private daemon. Belongs to the thread that made it.
public final class Companion {
    public enum Failure: Error, CustomStringConvertible {
        case cannotStart(program: String, SystemError)
        /// It ended before it was ready; what is wrong it has said on standard error.
        case notReady(program: String, ending: String)
        case late(program: String, milliseconds: Int)
        case interrupted(signal: CInt)

        public var description: String {
            switch self {
            case .cannotStart(let program, let error): "\(program) cannot be started: \(error)"
            case .notReady(let program, let ending): "\(program) does not serve: \(ending)"
            case .late(let program, let milliseconds): "\(program) was not ready within \(milliseconds) ms"
            case .interrupted(let signal): "interrupted by signal \(signal)"
            }
        }
    }

    /// How a wait for its end came out.
    public enum Wait { case ended(String), interrupted(signal: CInt), other }

    /// How long an ending may take before it is made.
    private static let endMilliseconds = 3_000

    /// What it told, without the line end.
    public private(set) var line = ""
    private let program: String
    private var child: pid_t = 0
    private var ended: CInt = -1
    private var errors: Pipe?

    /// Starts it and waits for its line.
    /// - Parameter capturesErrors: what it says on standard error is not shown; when it fails, its last line is told
    ///   with the failure.
    public init(
        _ program: String, _ arguments: [String], interrupts: Interrupts, patience: Int,
        capturesErrors: Bool = false
    ) throws(Failure) {
        self.program = program
        // Whoever started this program may have had it ignored, and then no ending could be told.
        signal(SIGCHLD, SIG_DFL)
        let ready = Pipe()
        let errors = capturesErrors ? Pipe() : nil
        var list: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        let started = csystem_spawn_bound_to_parent(program, &list, ready.writeEnd, errors?.writeEnd ?? -1)
        list.forEach { free($0) }
        ready.closeWriteEnd()
        errors?.closeWriteEnd()
        self.errors = errors
        guard started > 0 else { throw .cannotStart(program: program, SystemError(-started)) }
        child = started
        ended = csystem_pidfd(started)

        let deadline = ContinuousClock.Instant.after(milliseconds: patience)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            var descriptors = [
                pollfd(fd: ready.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard waitForAny(&descriptors, until: deadline) else {
                end()
                throw .late(program: program, milliseconds: patience)
            }
            if descriptors[1].revents != 0, let signal = interrupts.take() {
                end()
                throw .interrupted(signal: signal)
            }
            var chunk = [UInt8](repeating: 0, count: 1024)
            let count = read(ready.readEnd, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw .notReady(
                    program: program,
                    ending: [end(), lastError()].compactMap(\.self).joined(separator: "; it says: "))
            }
            bytes += chunk[..<count]
        }
        line = String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    deinit {
        end()
    }

    /// The last line of what it said on standard error; it has ended.
    private func lastError() -> String? {
        guard let errors else { return nil }
        _ = fcntl(errors.readEnd, F_SETFL, O_NONBLOCK)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(errors.readEnd, &chunk, chunk.count)
        guard count > 0 else { return nil }
        return String(decoding: chunk[..<count], as: UTF8.self).split(separator: "\n").last.map(String.init)
    }

    /// Waits until it has ended by itself, a signal has come, or `other` can be read.
    public func wait(_ interrupts: Interrupts, or other: CInt = -1) -> Wait {
        while true {
            var descriptors = [
                pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            _ = waitForAny(&descriptors, until: nil)
            if descriptors[1].revents != 0, let signal = interrupts.take() {
                return .interrupted(signal: signal)
            }
            if descriptors[0].revents != 0 { return .ended(end()) }
            if descriptors[2].revents != 0 { return .other }
        }
    }

    /// Ends it and says how that was; harmless when done twice.
    @discardableResult
    public func end() -> String {
        guard child > 0 else { return "it has ended" }
        // Ending by itself it may be about to: then the signal comes too late and changes nothing.
        kill(child, SIGTERM)
        var descriptors = [pollfd(fd: ended, events: Int16(POLLIN), revents: 0)]
        if ended >= 0, !waitForAny(&descriptors, until: .after(milliseconds: Self.endMilliseconds)) {
            kill(child, SIGKILL)
        }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        child = 0
        if ended >= 0 { close(ended) }
        ended = -1
        // The macros WIFEXITED and its like are not visible to Swift; these are their bits on Linux.
        let signal = status & 0x7f
        return signal == 0 ? "it exited with code \(status >> 8 & 0xff)" : "it was ended by signal \(signal)"
    }
}
