import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// A plug-in that does not come back keeps everybody waiting: it is named while it does.
@Suite struct StallTests {
    private let plain: PlainPlugin
    private let gate: String

    init() throws {
        plain = try PlainPlugin()
        gate = "\(plain.folder.path)/gate"
        try #require(mkfifo(gate, 0o600) == 0)
    }

    private func daemon(_ seconds: Int, environment: [String: String?] = [:]) throws -> (
        SeamProcess, TestClient
    ) {
        let daemon = try SeamProcess(
            ["--plugin", plain.file, "--stall-seconds", "\(seconds)"],
            environment: environment.merging(["SEAM_TEST_GATE": gate]) { $1 })
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        return (daemon, client)
    }

    private func wait(_ client: TestClient) throws {
        try client.sendLine(
            #"{"id":1,"method":"sim.send","params":{"sim":"p","event":"do","args":{"what":"wait"}}}"#)
    }

    /// Lets the plug-in come back. It has opened its end, so this does not wait.
    private func open() throws {
        try #require(FileHandle(forWritingAtPath: gate)).close()
    }

    @Test("a call that does not come back is named while it lasts, again later, and when it is over")
    func named() throws {
        let (daemon, client) = try daemon(1)
        try wait(client)
        let stalled = try daemon.process.errorLine(containing: "nobody is served")
        let said =
            "seamd: warning: nobody is served: the plug-in \(plain.file) has been in its callback event "
            + "of the scenario plain.first, turn 2, for "
        #expect(stalled.hasPrefix(said + "1."), "\(stalled)")
        let again = try daemon.process.errorLine(containing: "still nobody is served")
        #expect(again.contains("callback event of the scenario plain.first, turn 2, for "), "\(again)")
        #expect(!again.contains("for 1."), "\(again)")
        try open()
        _ = try daemon.process.errorLine(
            containing: "the plug-in \(plain.file) came back from its callback event after at least ")
        #expect(try client.nextReply()["result"]?["turn"] == 2)
        #expect(try plain.answer(client, to: "nothing") == "0")
        #expect(try daemon.stop() == .exit(0))
        let outcome = try daemon.process.outcome()
        #expect(outcome.stderr.components(separatedBy: "came back").count == 2, "\(outcome.stderr)")
    }

    @Test("the service manager's watchdog is fed by the loop alone, and not while a call lasts")
    func notFed() throws {
        let notify = "\(plain.folder.path)/notify.sock"
        let manager = try ChildProcess(
            "python3",
            [
                "-uc",
                """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                s.bind(sys.argv[1])
                print("bound")
                while True: print(s.recv(100).decode())
                """, notify,
            ], environment: [:])
        #expect(try manager.readLine() == "bound")
        func mark(_ text: String) throws {
            let script =
                "import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.argv[2].encode(), sys.argv[1])"
            #expect(try run("python3", ["-c", script, notify, text]).code == 0)
        }
        let (daemon, client) = try daemon(
            1, environment: ["NOTIFY_SOCKET": notify, "WATCHDOG_USEC": "100000"])
        _ = try manager.readLine(containing: "WATCHDOG=1")
        try wait(client)
        _ = try daemon.process.errorLine(containing: "nobody is served")
        try mark("from here")
        // A second later, in which it would have been fed twenty times.
        _ = try daemon.process.errorLine(containing: "still nobody is served")
        try mark("to here")
        try open()
        _ = try manager.readLine(containing: "from here")
        #expect(try manager.readLine() == "to here")
        _ = try manager.readLine(containing: "WATCHDOG=1")
    }

    @Test("it sleeps while no plug-in is called, and with 0 there is no such thread")
    func asleep() throws {
        func switches(_ pid: Int32) throws -> Int? {
            for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
                let status = try String(contentsOfFile: "/proc/\(pid)/task/\(task)/status", encoding: .utf8)
                guard status.hasPrefix("Name:\tstall watch\n") else { continue }
                return status.firstMatch(of: /voluntary_ctxt_switches:\t(\d+)/).flatMap { Int($0.1) }
            }
            return nil
        }
        let (daemon, client) = try daemon(1)
        #expect(try plain.answer(client, to: "nothing") == "0")
        // It lies down in three looks, four a second. Sleeping is what the test is about, and not to wait for anything.
        usleep(2_000_000)
        let before = try #require(try switches(daemon.pid))
        usleep(1_000_000)
        #expect(try switches(daemon.pid) == before)
        // The next call wakes it.
        try wait(client)
        _ = try daemon.process.errorLine(containing: "nobody is served")
        try open()
        #expect(try client.nextReply()["result"]?["turn"] != nil)
        #expect(try switches(try SeamProcess(["--stall-seconds", "0"]).pid) == nil)
    }
}
