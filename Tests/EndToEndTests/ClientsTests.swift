import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The samples under Clients/ do what the README says they do.
@Suite struct ClientsTests {
    private func client(_ path: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Clients/\(path)").standardizedFileURL.path
    }

    @Test("what set.py sets, seam watch shows")
    func python() throws {
        let daemon = try SeamProcess()
        try daemon.connect().call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        let watch = try daemon.start("watch", "demo")
        try watch.readLine(containing: "openCount", "matching")

        let outcome = try run(
            "python3", [client("python/set.py"), "demo", "openCount=7", "title=a = \"b\" é"],
            environment: ["SEAM_SOCKET": daemon.socket])
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.stdout.split(separator: "\n").map {
            $0.split(separator: " -> ", maxSplits: 1).map(String.init)
        }
        #expect(lines.map(\.first) == ["openCount=7", "title=a = \"b\" é"])
        let turns = try lines.map { try #require(try JSON(parsing: $0.last ?? "")["turn"]?.integer) }
        #expect(turns.count == 2 && turns[0] + 1 == turns[1])

        try watch.readLine(containing: "openCount", "7", "stale")
        try watch.readLine(containing: "title", "a = \"b\" é", "stale")
    }

    @Test("set.py says in one line what went wrong")
    func pythonErrors() throws {
        let daemon = try SeamProcess()
        func set(_ arguments: String..., socket: String) throws -> Outcome {
            try run("python3", [client("python/set.py")] + arguments, environment: ["SEAM_SOCKET": socket])
        }
        for (outcome, part) in [
            (try set("nosuch", "a=1", socket: daemon.socket), "nosuch"),
            (try set("demo", "a", socket: daemon.socket), "usage: set.py"),
            (try set("demo", "a=1", socket: daemon.socket + "x"), "seamd --socket \(daemon.socket)x"),
        ] {
            #expect(outcome.code == 1)
            #expect(
                outcome.stderr.contains(part) && outcome.stderr.split(separator: "\n").count == 1,
                "\(outcome)")
            #expect(outcome.stdout.isEmpty)
        }
    }

    @Test("the tour plays five lessons, shows one going stale and back, and leaves nothing behind")
    func tour() throws {
        let folder = try TemporaryFolder()
        let outcome = try run(
            client("shell/tour.sh"), [Products.folder], environment: ["TMPDIR": folder.path])
        #expect(outcome.code == 0, "\(outcome)")
        // The two faults are told beside the checks, and nothing else is.
        let findings = outcome.stderr.split(separator: "\n")
        #expect(
            findings.map { $0.hasPrefix("seam: update-never-arrived") || $0.hasPrefix("seam: empty-update") }
                == [true, true])
        for lesson in [
            "hosting-unassigned", "hosting-assigned", "wrapping-empty", "wrapping-filled", "own-state",
        ] {
            #expect(outcome.stdout.contains("\n\(lesson) | "))
        }
        let changes = outcome.stdout.split(separator: "\n").filter {
            $0.contains("HostingController.openCount")
        }
        #expect(changes.contains { $0.contains(" stale ") && $0.contains("model=7 screen=3") })
        #expect(
            changes.last?.contains(" matching ") == true && changes.last?.contains("model=7 screen=7") == true
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("the tour cleans up when it is broken off")
    func tourInterrupted() throws {
        let folder = try TemporaryFolder()
        let tour = try ChildProcess(
            client("shell/tour.sh"), [Products.folder], environment: ["TMPDIR": folder.path])
        try tour.readLine(containing: "hosting-assigned | ")
        tour.send(signal: SIGINT)
        #expect(try tour.waitForEnd() == .exit(130))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("the tour says why when there is nothing to show")
    func tourWithoutProducts() throws {
        let folder = try TemporaryFolder()
        try folder.writeProgram("echo no such plug-in >&2\nexit 1\n", to: "seamd")
        let outcome = try run(client("shell/tour.sh"), [folder.path])
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("seamd did not start.\n    seamd: no such plug-in"))
    }
}
