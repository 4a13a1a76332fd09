import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The session that the README opens with, and what makes a simulation worth recording: the same again each time.
@Suite struct SessionTests {
    @Test("typed into socat: the snapshot, the field going stale, the field matching")
    func socat() throws {
        let daemon = try SeamProcess()
        let socat = try ChildProcess("socat", ["-", "UNIX-CONNECT:\(daemon.socket)"])
        func typed(_ line: String, answers count: Int) throws -> [String] {
            try socat.write(line + "\n")
            return try (0..<count).map { _ in masked(try #require(try socat.readLine())) }
        }
        func event(_ params: String) -> String {
            #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"demo",\#(params)}}"#
        }
        func field(_ name: String, _ value: String) -> String {
            event(
                #""kind":"state","seq":3,"screen":"HostingController","field":"\#(name)","verdict":"matching","model":"\#(value)","shown":"\#(value)""#
            )
        }
        #expect(
            try typed(
                #"{"method":"sim.create","params":{"scenario":"lessons.hosting-unassigned","id":"demo"}}"#,
                answers: 1)
                == [#"{"jsonrpc":"2.0","id":null,"result":{"sim":"demo","epoch":"EPOCH","seq":3,"turn":1}}"#])
        #expect(
            try typed(#"{"method":"sub.open","params":{"sim":"demo"}}"#, answers: 5) == [
                #"{"jsonrpc":"2.0","id":null,"result":{"sub":1,"epoch":"EPOCH","seq":3,"count":3}}"#,
                field("title", "Tasks"), field("openCount", "3"), field("filter", "open"),
                event(#""kind":"sync","seq":3"#),
            ])
        #expect(
            try typed(#"{"method":"model.set","params":{"sim":"demo","values":{"openCount":7}}}"#, answers: 2)
                == [
                    event(
                        #""kind":"verdict","seq":4,"turn":2,"ms":0,"screen":"HostingController","field":"openCount","from":"matching","to":"stale","model":"7","shown":"3""#
                    ),
                    #"{"jsonrpc":"2.0","id":null,"result":{"seq":4,"turn":2,"changes":1,"diagnostics":0}}"#,
                ])
        #expect(
            try typed(#"{"method":"bridge.assign","params":{"sim":"demo","bridge":"host"}}"#, answers: 2) == [
                event(
                    #""kind":"verdict","seq":5,"turn":3,"ms":0,"screen":"HostingController","field":"openCount","from":"stale","to":"matching","model":"7","shown":"7""#
                ), #"{"jsonrpc":"2.0","id":null,"result":{"seq":5,"turn":3,"changes":1,"diagnostics":0}}"#,
            ])
        socat.closeInput()
        #expect(try socat.waitForEnd() == .exit(0))
    }

    // MARK: The same bytes

    /// Plays a script in a daemon of its own and gives every line of the change stream.
    private func stream() throws -> [String] {
        let daemon = try SeamProcess()
        let watcher = try daemon.connect()
        try watcher.call("sub.open", #"{"mode":"all"}"#)
        for line in [
            "create lessons.hosting-unassigned --id a --seed 5", "set a openCount=7", "assign a host",
            "set a title=x filter=y", "send a summaryDidChange", "clear a title", "unmount a host",
            "mount a host",
            "create lessons.wrapping-filled --id b -p rowCount=8", "set b rowCount=9", "mount b list",
            "update b list --mount 2", "unmount b list --mount 1", "advance b 1500",
            "create counter.observed --id c",
            "send c increase", "send c increase", "create counter.copied --id d", "send d increase",
            "assign d host",
            "create live --id e", "set e k=1", "show e S k=2 other=3", "clear e k", "clear e --screen S k",
            "destroy b", "destroy a",
        ] {
            let outcome = try run(
                "seam", line.split(separator: " ").map(String.init),
                environment: ["SEAM_SOCKET": daemon.socket])
            try #require(outcome.code == 0, "\(line): \(outcome)")
        }
        try watcher.call("seam.ping")
        return watcher.takeEvents().map(\.line)
    }

    @Test("two daemons that are driven alike send the same bytes")
    func sameStream() throws {
        let (one, other) = (try stream(), try stream())
        #expect(one.count > 40)
        #expect(one.map(masked) == other.map(masked))
        // Only what tells one simulation from its namesake differs, and that stands where a simulation is made or ends.
        for (line, twin) in zip(one, other) where line != twin {
            #expect(line.contains(#""kind":"sim""#) && line.contains(#""epoch":"#), "\(line)")
        }
    }

    @Test("two runs of the same script print the same bytes")
    func sameRuns() throws {
        for arguments in [
            ["run", "--json", "--steps", "lessons.*", "counter.*"],
            ["run", "--steps", "lessons.*", "counter.*"],
        ] {
            let (one, other) = (try run("seam", arguments), try run("seam", arguments))
            #expect(one.code == 0 && !one.stdout.isEmpty)
            #expect(one == other)
        }
    }
}
