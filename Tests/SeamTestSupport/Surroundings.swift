internal import Foundation
internal import Glibc

/// A new folder that only this user can enter, removed with all that it holds when the last reference goes.
/// Short, since a socket's whole path has 107 bytes.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        _ = Self.sweepsAtExit
        var name = Array("/tmp/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw Unmet.system("making a folder in /tmp") }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static let prefix = "seam-test.\(getpid())."

    /// What a suite holds in a `static let` is never released, and a child that crashes on purpose releases nothing:
    /// their folders, known by the process in their names, go with the run.
    private static let sweepsAtExit: Void = {
        atexit {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
            for name in names where name.hasPrefix("seam-test.") {
                let parts = name.split(separator: ".")
                guard parts.count == 3, let pid = pid_t(parts[1]) else { continue }
                if pid != getpid(), kill(pid, 0) == 0 || errno != ESRCH { continue }
                try? FileManager.default.removeItem(atPath: "/tmp/\(name)")
            }
        }
    }()

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes a shell script that can be run and gives its path. By another process: one that this one had open for
    /// writing is busy for whoever runs it while a child of another test, forked meanwhile, still holds it.
    @discardableResult
    public func writeProgram(_ script: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        let outcome = try run("install", ["-m", "755", "/dev/stdin", file], input: "#!/bin/sh\n" + script)
        guard outcome.code == 0 else { throw Unmet("writing \(file): \(outcome)") }
        return file
    }
}

/// What every child gets around it: the variables of the test run less those that would lead it to the
/// developer's own daemon, plug-ins or colours.
enum Surroundings {
    /// Empty, and there for the same reason: without it, seam would look for a daemon in /run/user.
    private static let runtimeFolder: String = {
        // Made once and kept for the whole run, so it is removed at the exit of the process.
        var name = Array("/tmp/seam-run.XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil, "no folder can be made in /tmp")
        atexit { rmdir(Surroundings.runtimeFolder) }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// A program that ends early must be an error of the write, not the end of the whole test run.
    static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    static func environment(with changes: [String: String?]) -> [String: String] {
        var result = ProcessInfo.processInfo.environment
        for name in ["SEAM_SOCKET", "SEAM_PLUGIN_PATH"] { result[name] = nil }
        // Under `make test` a make that a test runs would take itself for a part of it, and say so line by line.
        for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"] { result[name] = nil }
        result["XDG_RUNTIME_DIR"] = runtimeFolder
        result["NO_COLOR"] = "1"
        // A crash is sometimes the thing under test. The backtrace of the toolchain takes seconds, and its
        // process holds the pipes open meanwhile.
        result["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { result[name] = value }
        return result
    }
}
