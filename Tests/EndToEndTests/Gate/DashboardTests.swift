import Foundation
import Glibc
import SeamTestSupport
import SeamWire
import Testing

/// `seam dashboard`, and what it leaves behind: nothing.
@Suite struct DashboardTests {
    /// The processes that a process has started, by name.
    private func children(of pid: Int32) throws -> [String: Int32] {
        let text = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        var found: [String: Int32] = [:]
        for child in text.split(separator: " ").compactMap({ Int32($0) }) {
            let name = try String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
            found[name.trimmingCharacters(in: .newlines)] = child
        }
        return found
    }

    private func isGone(_ pid: Int32) -> Bool { kill(pid, 0) != 0 && errno == ESRCH }

    /// The stream behind an address that was printed.
    private func open(_ address: String) throws -> WebConnection {
        let found = try #require(address.wholeMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/#token=([0-9a-f]+)/))
        let connection = try WebConnection(port: try #require(UInt16(found.1)))
        try connection.send(
            "GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(found.2)\r\n\r\n")
        #expect(try connection.head().status == 200)
        return connection
    }

    @Test("it shows the daemon that runs, prints one line, and Ctrl-C ends the gate alone")
    func running() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.own-state", "--id", "s")
        let dashboard = try daemon.start("dashboard", "--port", "0")
        let address = try #require(try dashboard.readLine())
        let stream = try open(address)
        #expect(try stream.events(through: "sync").contains { $0["sim"] == "s" })
        let children = try children(of: dashboard.pid)
        #expect(Set(children.keys) == ["seam-gate"])
        dashboard.send(signal: SIGINT)
        #expect(try dashboard.waitForEnd() == .signal(SIGINT))
        #expect(try stream.nextEvent() == nil && isGone(try #require(children["seam-gate"])))
        #expect(try dashboard.outcome().stdout == "\(address)\n")
        try daemon.connect().call("seam.ping")
    }

    @Test("without a daemon it starts one, and ends both")
    func alone() throws {
        let dashboard = try ChildProcess("seam", ["dashboard", "--port", "0", "--allow-control"])
        let stream = try open(try #require(try dashboard.readLine()))
        #expect(try stream.event(named: "hello")["allowControl"] == true)
        try stream.event(named: "sync")
        let note = try dashboard.errorLine(containing: "--socket ")
        let socket = try #require(note.split(separator: " ").last.map(String.init))
        #expect(try run("seam", ["create", "live", "--id", "mine", "--socket", socket]).code == 0)
        #expect(try stream.event(named: "sim")["sim"] == "mine")
        let children = try children(of: dashboard.pid)
        #expect(Set(children.keys) == ["seam-gate", "seamd"])
        dashboard.send(signal: SIGTERM)
        #expect(try dashboard.waitForEnd() == .signal(SIGTERM))
        for child in children.values { #expect(isGone(child)) }
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("a daemon of its own that is killed ends the dashboard, which says so")
    func ownDaemonKilled() throws {
        let dashboard = try ChildProcess("seam", ["dashboard", "--port", "0"])
        let stream = try open(try #require(try dashboard.readLine()))
        try stream.event(named: "sync")
        let children = try children(of: dashboard.pid)
        kill(try #require(children["seamd"]), SIGKILL)
        let outcome = try dashboard.outcome()
        #expect(
            outcome.code == 1
                && outcome.stderr.contains("the daemon of its own is gone: it was ended by signal 9"),
            "\(outcome)")
        #expect(isGone(try #require(children["seam-gate"])))
        let socket = try #require(outcome.stderr.firstMatch(of: /--socket (\S+)/)?.1)
        #expect(!FileManager.default.fileExists(atPath: String(socket)))
    }

    @Test(
        "what is in the way is said: a port that is taken, a gate that is killed, a daemon that is not there")
    func refusals() throws {
        let gate = try GateProcess()
        let daemon = try #require(gate.daemon)
        let taken = try daemon.seam("dashboard", "--port", "\(gate.port)")
        #expect(
            taken.code == 1 && taken.stderr.contains("the port is taken") && taken.stdout == ""
                && !taken.stderr.contains("libwebsockets"), "\(taken)")
        let none = try run("seam", ["dashboard", "--socket", "/nowhere/seam.sock"])
        #expect(none.code == 3, "\(none)")
        let wrong = try daemon.seam("dashboard", "--port", "70000")
        #expect(wrong.code == 2 && wrong.stderr.contains("from 0 to 65535"), "\(wrong)")

        let dashboard = try daemon.start("dashboard", "--port", "0")
        _ = try dashboard.readLine()
        kill(try #require(try children(of: dashboard.pid)["seam-gate"]), SIGKILL)
        let outcome = try dashboard.outcome()
        #expect(outcome.code == 1 && outcome.stderr.contains("ended by signal 9"), "\(outcome)")
    }
}
