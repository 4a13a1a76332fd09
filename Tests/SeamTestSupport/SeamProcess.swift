internal import Glibc

/// A real `seamd` of this build, on a socket in a folder of its own. Listens when `init` returns; killed when the
/// last reference goes away. Any thread may use it.
public final class SeamProcess: Sendable {
    private let folder: TemporaryFolder
    public let process: ChildProcess
    public let socket: String

    /// - Parameters:
    ///   - arguments: come after `--socket` and `--ready-fd`.
    ///   - patience: for the start. A start that fails is told with what seamd wrote to stderr.
    public init(
        _ arguments: [String] = [], environment: [String: String?] = [:],
        within patience: Duration = .seconds(30)
    ) throws {
        folder = try TemporaryFolder()
        socket = "\(folder.path)/seam.sock"
        let ready = try Pipe()
        defer { close(ready.readEnd) }
        do {
            defer { close(ready.writeEnd) }
            process = try ChildProcess(
                "seamd", ["--socket", socket, "--ready-fd", "3"] + arguments, environment: environment,
                readyDescriptor: ready.writeEnd)
        }

        // seamd writes one byte when it listens; without one, the end of the pipe says that it will not.
        var descriptor = pollfd(fd: ready.readEnd, events: Int16(POLLIN), revents: 0)
        let deadline = Deadline(in: patience)
        while poll(&descriptor, 1, deadline.milliseconds) < 0 && errno == EINTR {}
        var byte: UInt8 = 0
        guard descriptor.revents != 0 else {
            throw Unmet("seamd does not listen within \(patience).\nstderr: \(process.stderr)")
        }
        guard read(ready.readEnd, &byte, 1) == 1 else {
            let outcome = try process.outcome()
            throw Unmet("seamd did not start (\(outcome.ending)).\nstderr: \(outcome.stderr)")
        }
    }

    public var pid: Int32 { process.pid }
    public var stderr: String { process.stderr }

    public func connect() throws -> TestClient { try TestClient(path: socket, of: self) }

    /// Runs `seam` against this daemon.
    @discardableResult
    public func seam(
        _ arguments: String..., input: String = "", environment: [String: String?] = [:],
        within patience: Duration = .seconds(60)
    ) throws -> Outcome {
        let all = environment.merging(["SEAM_SOCKET": socket]) { given, _ in given }
        return try run("seam", arguments, input: input, environment: all, within: patience)
    }

    /// Starts a `seam` against this daemon that goes on, as `watch` does.
    public func start(_ arguments: String..., environment: [String: String?] = [:]) throws -> ChildProcess {
        let all = environment.merging(["SEAM_SOCKET": socket]) { given, _ in given }
        return try ChildProcess("seam", arguments, environment: all)
    }

    /// Ends it in good order, as init systems do.
    @discardableResult
    public func stop(within patience: Duration = .seconds(20)) throws -> Ending {
        process.send(signal: SIGTERM)
        return try process.waitForEnd(within: patience)
    }
}
