import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam top` under more than eyes can follow: many fields, many changes, and whoever types meanwhile. `make test-long`
/// has 100,000 fields and changes for ten seconds.
@Suite struct TopFaultTests {
    private static let fields = isLong ? 100_000 : 5_000
    private static let changes = isLong ? 100_000 : 20_000

    /// Screens of 100 fields each, all of them stale.
    private func fill(_ client: TestClient) throws {
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        for screen in 0..<(Self.fields / 100) {
            let values = (0..<100).map { #""f\#(screen)-\#($0)":"old""# }.joined(separator: ",")
            try client.call("screen.set", #"{"sim":"app","screen":"S\#(screen)","values":{\#(values)}}"#)
        }
    }

    @Test("keys are answered while it rains, and at the end the screen is right", .timeLimit(.minutes(8)))
    func rain() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try fill(client)
        let terminal = try TerminalProcess("seam", ["top", "--socket", daemon.socket])
        try terminal.wait(line: "live", isLong ? "100,000 fields" : "5000 fields", within: .seconds(120))
        let before = terminal.screen.writes

        let writer = try daemon.connect()
        let start = ContinuousClock.now
        // Ten thousand a second, or as many as this machine can.
        var sent = 0
        var typed = 0
        while sent < Self.changes {
            let lines = (sent..<(sent + 100)).map { number in
                let field = number % Self.fields
                return
                    #"{"jsonrpc":"2.0","method":"screen.set","params":{"sim":"app","screen":"S\#(field / 100)","values":{"f\#(field / 100)-\#(field % 100)":"new \#(number)"}}}"#
            }
            try writer.send(lines.joined(separator: "\n") + "\n")
            sent += 100
            // Nothing is read from here; the pings keep this writer in step with the daemon.
            try writer.call("seam.ping")
            if sent % (Self.changes / 5) == 0 {
                typed += 1
                try terminal.type("!")
                let isWrong = typed % 2 == 1
                try terminal.wait(for: "an answer to the key, \(sent) changes in") {
                    ($0.line(containing: "only what is wrong") != nil) == isWrong
                }
            }
        }
        let took = ContinuousClock.now - start
        // Whatever was passed over, the newest of each field is there.
        try terminal.type("/new \(Self.changes - 1)\r")
        let last = (Self.changes - 1) % Self.fields
        let screen = try terminal.wait(for: "the last change", within: .seconds(120)) {
            $0.line(
                containing: "> app", "f\(last / 100)-\(last % 100)", "+ leftover", "new \(Self.changes - 1)")
                != nil
        }
        #expect(screen.unknown.isEmpty)
        // A picture is a few writes, and there are no more than some fifteen a second: nothing near one for each change.
        let writes = screen.writes - before
        #expect(Double(writes) < 20 + 15 * 10 * (took / .seconds(1) + 10), "\(writes) writes in \(took)")
        #expect(try residentKiB(terminal.pid) < 600_000)
        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
    }

    @Test("a terminal that takes nothing stops neither the daemon nor a signal; it goes on where it is then")
    func halted() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        try client.call("screen.set", #"{"sim":"app","screen":"S","values":{"n":"0"}}"#)
        let terminal = try TerminalProcess("seam", ["top", "--socket", daemon.socket])
        try terminal.wait(line: "+ leftover", "0")
        // Ctrl-S: the terminal itself stands still.
        try terminal.type("\u{13}")
        for value in 1...500 {
            try client.call("screen.set", #"{"sim":"app","screen":"S","values":{"n":"v\#(value)"}}"#)
        }
        #expect(terminal.screen.line(containing: "v500") == nil)
        try terminal.type("\u{11}")
        try terminal.wait(line: "+ leftover", "v500")
        try terminal.type("\u{13}")
        try client.call("screen.set", #"{"sim":"app","screen":"S","values":{"n":"later"}}"#)
        terminal.send(signal: SIGTERM)
        // What it writes to give the terminal back waits for the terminal.
        try terminal.type("\u{11}")
        #expect(try terminal.waitForEnd() == .signal(SIGTERM))
        #expect(!terminal.screen.isAlternate && terminal.isLineByLine)
    }
}
