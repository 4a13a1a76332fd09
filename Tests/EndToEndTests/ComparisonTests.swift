import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The scripted comparison: Clients/comparison.jsonl sent by every client there is, each to a daemon of its own. Each
/// has to hand out the same stream, byte for byte: that of Clients/comparison-stream.jsonl.
@Suite struct ComparisonTests {
    struct Client: Sendable, CustomTestStringConvertible {
        var name: String
        /// What has to be there for it: the file, and what runs it.
        var file: String
        var tool: String
        var arguments: [String] = []
        var testDescription: String { name }

        /// Why it cannot be run here; nil if it can.
        var obstacle: String? {
            if !FileManager.default.fileExists(atPath: Checkout.path(file)) { return "there is no \(file)" }
            if (try? run("which", [tool]))?.code != 0 { return "there is no \(tool) to run \(file) with" }
            return nil
        }
    }

    static let clients = [
        Client(name: "C", file: "Clients/c/compare.c", tool: "gcc"),
        Client(name: "bash and socat", file: "Clients/shell/compare.sh", tool: "socat"),
        Client(name: "Python", file: "Clients/python/compare.py", tool: "python3"),
        Client(
            name: "Python, blocking", file: "Clients/python/compare.py", tool: "python3",
            arguments: ["--blocking"]),
        Client(name: "Node", file: "Clients/node/compare.mjs", tool: "node"),
    ]

    private static func recorded() throws -> String {
        try String(contentsOfFile: Checkout.path("Clients/comparison-stream.jsonl"), encoding: .utf8)
    }

    /// A mark comes every 5 s by the clock: on a machine that is busy enough, between any two lines.
    private static func withoutMarks(_ stream: String) -> String {
        stream.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.contains(#""kind":"mark""#)
        }.joined(separator: "\n")
    }

    private static func outcome(of client: Client, socket: String) throws -> Outcome {
        let file = Checkout.path(client.file)
        switch client.tool {
        case "gcc":
            let folder = try TemporaryFolder()
            let program = "\(folder.path)/compare"
            try compile(
                "gcc",
                ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-pthread", "-o", program, file]
                    + [Checkout.path("Clients/c/seam_client.c")])
            return try run(program, [socket, Checkout.path("Clients/comparison.jsonl")])
        case "socat": return try run(file, [socket])
        default: return try run(client.tool, [file, socket] + client.arguments)
        }
    }

    @Test("a client hands out the recorded stream", arguments: clients.filter { $0.obstacle == nil })
    func compare(_ client: Client) throws {
        let daemon = try SeamProcess()
        let outcome = try Self.outcome(of: client, socket: daemon.socket)
        #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
        let came = Self.withoutMarks(outcome.stdout)
        let expected = try Self.recorded()
        for (index, pair) in zip(came.split(separator: "\n"), expected.split(separator: "\n")).enumerated()
        where !pair.0.utf8.elementsEqual(pair.1.utf8) {
            Issue.record("line \(index + 1) of \(client)\n  came \(pair.0)\n  not  \(pair.1)")
            return
        }
        // As bytes: to a String, two forms of one letter are the same.
        #expect(came.utf8.elementsEqual(expected.utf8), "\(came)")
    }

    @Test(
        "what has no daemon says so, and where it was looked for",
        arguments: clients.filter { $0.obstacle == nil })
    func withoutDaemon(_ client: Client) throws {
        let folder = try TemporaryFolder()
        let outcome = try Self.outcome(of: client, socket: "\(folder.path)/none.sock")
        #expect(outcome.code != 0 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(outcome.stderr.contains("none.sock"), "\(outcome)")
    }

    /// A client that is not there is named here, since a test of it that is not run would be a line that nobody misses.
    static let missing = Set(clients.compactMap(\.obstacle)).sorted()

    @Test(
        "every client is there to be compared",
        .enabled(if: missing.isEmpty, Comment(rawValue: "NOT TESTED: \(missing.joined(separator: "; "))")))
    func all() {
        #expect(Self.clients.count == 5)
    }

    @Test("the two that need no other program than the tests do are always there")
    func own() {
        #expect(Self.clients.prefix(2).allSatisfy { $0.obstacle == nil })
    }

    @Test("the stream says something of every kind that the requests bring about")
    func kinds() throws {
        let lines = try Self.recorded().split(separator: "\n").map { try JSON(parsing: String($0)) }
        let verdicts = lines.compactMap { $0["params"]?["to"]?.text }
        #expect(
            Set(verdicts) == ["matching", "stale", "missing", "leftover", "out-of-scope"], "\(verdicts)")
        #expect(lines.last?["params"]?["kind"] == "end")
    }
}

/// Report.* under Clients: one small story in several languages, and nothing but what comes with each.
@Suite struct ReportSampleTests {
    static let story = """
        Toolbar.openCount: model=3 screen=3 -> matching
        Toolbar.openCount: model=5 screen=3 -> stale
        Toolbar.openCount: model=5 screen=5 -> matching

        """

    struct Sample: Sendable, CustomTestStringConvertible {
        var file: String
        /// Each has to succeed, or the sample is not run.
        var needs: [[String]]
        /// The compiler's, when there is one; the program's path comes behind.
        var build: [String] = []
        var run: [String] = []
        var testDescription: String { "\(file) (\(build.first ?? needs[0][0]))" }

        var obstacle: String? {
            needs.first { (try? SeamTestSupport.run($0[0], Array($0.dropFirst())))?.code != 0 }.map {
                "`\($0.joined(separator: " "))` does not succeed here, so Clients/\(file) is not run"
            }
        }
    }

    static let samples = [
        Sample(
            file: "c/report.c", needs: [["gcc", "--version"]],
            build: [
                "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-pthread",
                Checkout.path("Clients/c/seam_client.c"), "-o",
            ]),
        Sample(
            file: "c/report.c", needs: [["g++", "--version"]],
            build: [
                "g++", "-xc++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-pthread",
                Checkout.path("Clients/c/seam_client.c"), "-o",
            ]),
        Sample(file: "shell/report.sh", needs: [["socat", "-V"], ["jq", "--version"]]),
        Sample(
            file: "rust/report.rs", needs: [["rustc", "--version"]],
            build: ["rustc", "--edition", "2021", "-D", "warnings", "-o"]),
        Sample(
            file: "perl/report.pl", needs: [["perl", "-MJSON::PP", "-MIO::Socket::UNIX", "-e", "1"]],
            run: ["perl", "-w"]),
    ]

    static let missing = samples.compactMap(\.obstacle)

    @Test(
        "every sample can be run",
        .enabled(if: missing.isEmpty, Comment(rawValue: "NOT TESTED: \(missing.joined(separator: "; "))")))
    func all() {
        #expect(Self.samples.count == 5)
    }

    /// Builds it, if need be, and gives what to run.
    private func program(_ sample: Sample, in folder: TemporaryFolder) throws -> [String] {
        let file = Checkout.path("Clients/\(sample.file)")
        guard let compiler = sample.build.first else { return sample.run + [file] }
        let program = "\(folder.path)/report"
        try compile(compiler, sample.build.dropFirst() + [program, file])
        return [program]
    }

    @Test(
        "a sample tells its story, whatever way it finds the daemon",
        arguments: samples.filter { $0.obstacle == nil })
    func story(_ sample: Sample) throws {
        let folder = try TemporaryFolder()
        let command = try program(sample, in: folder)
        let daemon = try SeamProcess()
        let watcher = try daemon.connect()
        try watcher.call("sub.open", "{}")
        let outcome = try run(
            command[0], Array(command.dropFirst()), environment: ["SEAM_SOCKET": daemon.socket])
        #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
        #expect(outcome.stdout == Self.story)
        // Whoever watches has seen the same, and that nothing is left.
        let events = try watcher.events { $0.params?["what"] == "destroyed" }
        let verdicts = events.compactMap { $0.params?["to"]?.text }
        #expect(verdicts == ["matching", "stale", "matching"])
        #expect(try watcher.call("sim.list")["sims"] == [])

        // And by the folder that a session gives.
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/seam", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/seam/seam.sock", withDestinationPath: daemon.socket)
        let found = try run(
            command[0], Array(command.dropFirst()),
            environment: ["SEAM_SOCKET": "", "XDG_RUNTIME_DIR": folder.path])
        #expect(found.stdout == Self.story, "\(found)")
        #expect(try daemon.stop() == .exit(0))
    }

    @Test(
        "a sample without a daemon says in one line where it looked",
        arguments: samples.filter { $0.obstacle == nil })
    func withoutDaemon(_ sample: Sample) throws {
        let folder = try TemporaryFolder()
        let command = try program(sample, in: folder)
        let socket = "\(folder.path)/none.sock"
        let outcome = try run(command[0], Array(command.dropFirst()), environment: ["SEAM_SOCKET": socket])
        #expect(outcome.code == 1 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(
            outcome.stderr.split(separator: "\n").count == 1
                && outcome.stderr.contains("seamd --socket \(socket)"), "\(outcome)")
    }

    @Test(
        "a sample whose daemon says no passes on its words", arguments: samples.filter { $0.obstacle == nil })
    func refused(_ sample: Sample) throws {
        let folder = try TemporaryFolder()
        let command = try program(sample, in: folder)
        let daemon = try SeamProcess(["--max-simulations", "1"])
        try daemon.connect().call("sim.create", #"{"scenario":"live","id":"full"}"#)
        let outcome = try run(
            command[0], Array(command.dropFirst()), environment: ["SEAM_SOCKET": daemon.socket])
        #expect(outcome.code == 1 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(outcome.stderr.contains("simulation"), "\(outcome)")
        #expect(try daemon.stop() == .exit(0))
    }
}
