import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Whatever comes in, one clear error goes out, and the connection and the daemon live on.
@Suite final class BadInputTests {
    /// Lives as long as the test: a daemon that nobody holds is killed.
    private var running: SeamProcess?

    private func daemon() throws -> (SeamProcess, TestClient) {
        let daemon = try SeamProcess()
        running = daemon
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{"x":"1"}}"#)
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        return (daemon, client)
    }

    @Test("each bad line is answered once, and a probe after it as ever")
    func badLines() throws {
        let (_, client) = try daemon()
        let rows: [(line: [UInt8], code: Int, kind: String)] = [
            (Array("nonsense".utf8), -32700, "parse"),
            (Array(#"{"method":"seam.ping","#.utf8), -32700, "parse"),
            ([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D], -32700, "parse"),
            (Array(#"{"a":""#.utf8) + [0] + Array(#""}"#.utf8), -32700, "parse"),
            (Array("{\"method\":\"seam.ping\u{1}\"}".utf8), -32700, "parse"),
            (Array(#"{"method":"seam.ping",}"#.utf8), -32700, "parse"),
            (Array("\u{FEFF}{}".utf8), -32700, "parse"),
            (Array(#"{"id":1e400,"method":"seam.ping"}"#.utf8), -32700, "number-range"),
            (
                Array((String(repeating: "[", count: 65) + String(repeating: "]", count: 65)).utf8), -32700,
                "too-deep"
            ),
            (Array(#"{"method":"seam.ping","method":"seam.ping"}"#.utf8), -32600, "duplicate-key"),
            (Array(#"{"id":[1],"method":"seam.ping"}"#.utf8), -32600, "id-type"),
            (Array(#"{"id":true,"method":"seam.ping"}"#.utf8), -32600, "id-type"),
            (Array("[]".utf8), -32600, "invalid-request"),
            (Array("5".utf8), -32600, "invalid-request"),
            (Array(#"{"jsonrpc":"1.0","method":"seam.ping","id":1}"#.utf8), -32600, "invalid-request"),
            (Array(#"{"jsonrpc":"2.0","method":"seam.ping","id":1,"x":1}"#.utf8), -32600, "invalid-request"),
            (
                Array(("[" + Array(repeating: "1", count: 257).joined(separator: ",") + "]").utf8), -32008,
                "limit"
            ),
        ]
        for row in rows {
            try client.send(bytes: row.line + [0x0A])
            let reply = try client.nextReply()
            #expect(reply["error"]?["code"]?.integer == row.code, "\(reply)")
            #expect(reply["error"]?["data"]?["kind"]?.text == row.kind, "\(reply)")
            #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        }
    }

    @Test(
        "each request that cannot be done says why, with a kind for programs",
        arguments: [
            ("seam.pong", "{}", -32601, "unknown-method", nil),
            ("sim.get", "{}", -32602, "missing-param", "sim"),
            ("sim.get", #"{"sim":"a","x":1}"#, -32602, "unknown-param", "x"),
            ("sim.get", #"{"sim":5}"#, -32602, "wrong-type", "sim"),
            ("sim.get", #"{"sim":"nope"}"#, -32001, "unknown-sim", nil),
            ("sim.get", #"{"sim":"a","screen":"Nope"}"#, -32602, "unknown-screen", "screen"),
            ("sim.check", #"{"sim":"a","fields":["x","y"]}"#, -32602, "unknown-field", "fields[1]"),
            ("sim.create", #"{"scenario":"nope"}"#, -32002, "unknown-scenario", nil),
            ("sim.create", #"{"scenario":"live","id":"a"}"#, -32014, "sim-exists", nil),
            ("sim.create", #"{"scenario":"live","id":"a/b"}"#, -32602, "bad-name", "id"),
            ("sim.create", #"{"scenario":"live","params":{"x":"1"}}"#, -32602, "unknown-arg", "params.x"),
            (
                "sim.create", #"{"scenario":"live","policies":{"x":"1"}}"#, -32602, "unknown-policy",
                "policies.x"
            ),
            ("sim.create", #"{"scenario":"live","profile":"x"}"#, -32602, "unknown-profile", "profile"),
            ("model.set", #"{"sim":"a","values":{"x":[1]}}"#, -32602, "value-not-text", "values.x"),
            ("model.set", #"{"sim":"a","values":{"x":{}}}"#, -32602, "value-not-text", "values.x"),
            ("model.set", #"{"sim":"a","values":{"x":"1"},"ifSeq":7}"#, -32014, "conflict", nil),
            ("model.set", #"{"sim":"demo","values":{"nope":"1"}}"#, -32602, "unknown-key", "values.nope"),
            ("model.clear", #"{"sim":"demo","keys":["title","nope"]}"#, -32602, "unknown-key", "keys[1]"),
            ("screen.set", #"{"sim":"demo","screen":"S","values":{"x":"1"}}"#, -32602, "not-live", "sim"),
            (
                "screen.clear", #"{"sim":"a","screen":"Main","keys":["y"]}"#, -32602, "unknown-field",
                "keys[0]"
            ),
            (
                "screen.clear", #"{"sim":"a","screen":"Nope","keys":["y"]}"#, -32602, "unknown-screen",
                "screen"
            ),
            ("sim.send", #"{"sim":"demo","event":"nope"}"#, -32602, "unknown-event", "event"),
            ("bridge.assign", #"{"sim":"demo","bridge":"nope"}"#, -32602, "unknown-bridge", "bridge"),
            ("bridge.assign", #"{"sim":"demo","bridge":"host","mount":9}"#, -32602, "which-mount", "mount"),
            ("bridge.update", #"{"sim":"demo","bridge":"host"}"#, -32602, "unknown-bridge", "bridge"),
            ("sub.open", #"{"sim":"nope"}"#, -32001, "unknown-sim", nil),
            ("sub.close", #"{"sub":77}"#, -32003, "unknown-sub", nil),
            ("sim.advance", #"{"sim":"a","ms":9007199254740991}"#, -32602, "out-of-range", "ms"),
            ("seam.hello", #"{"protocol":2}"#, -32602, "out-of-range", "protocol"),
        ] as [(String, String, Int, String, String?)])
    func badRequests(method: String, params: String, code: Int, kind: String, path: String?) throws {
        let (_, client) = try daemon()
        let refusal = try client.refusal(method, params)
        #expect(refusal.code == code, "\(refusal)")
        #expect(refusal.kind == kind, "\(refusal)")
        #expect(refusal.json["data"]?["path"]?.text == path, "\(refusal)")
        #expect(!refusal.message.isEmpty)
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["seq"] == 1)
    }

    @Test("the nearest names come first")
    func known() throws {
        let (_, client) = try daemon()
        let refusal = try client.refusal("model.set", #"{"sim":"demo","values":{"opencount":"1"}}"#)
        #expect(refusal.json["data"]?["known"]?[0] == "openCount")
        #expect(try client.refusal("sim.get", #"{"sim":"dem"}"#).json["data"]?["known"]?[0] == "demo")
    }

    @Test("a refused event changes nothing: not even the names before the wrong one")
    func allOrNothing() throws {
        let (_, client) = try daemon()
        let before = try client.call("sim.get", #"{"sim":"demo"}"#)
        _ = try client.refusal("model.set", #"{"sim":"demo","values":{"title":"new","nope":"1"}}"#)
        #expect(try client.call("sim.get", #"{"sim":"demo"}"#) == before)
    }

    // MARK: Strict and relaxed

    @Test("with jsonrpc a request without id is not answered; without it, it is")
    func strictAndRelaxed() throws {
        let (_, client) = try daemon()
        try client.sendLine(#"{"jsonrpc":"2.0","method":"seam.ping"}"#)
        try client.sendLine(#"{"jsonrpc":"2.0","method":"nope"}"#)
        try client.sendLine(#"{"method":"seam.ping","comment":"typed by hand","params":null}"#)
        try client.sendLine("\r")
        try client.sendLine("")
        try client.sendLine(#"{"id":1.50,"method":"seam.ping"}"# + "\r")
        #expect(try client.readLine()?.hasPrefix(#"{"jsonrpc":"2.0","id":null,"result""#) == true)
        #expect(try client.readLine()?.hasPrefix(#"{"jsonrpc":"2.0","id":1.50,"result""#) == true)
    }

    // MARK: Lines that do not end

    @Test("a line over the limit is answered once and passed over; the next one is taken")
    func longLine() throws {
        let (daemon, client) = try daemon()
        let before = try residentKiB(daemon.pid)
        for _ in 0..<3 {
            try client.send(bytes: Array(repeating: UInt8(ascii: "x"), count: 3 << 20) + [0x0A])
            #expect(try client.nextReply()["error"]?["code"] == -32009)
            #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        }
        #expect(try residentKiB(daemon.pid) - before < 4 << 10)
    }

    @Test("who never ends a line is closed after 16 MiB, and nobody else notices")
    func endlessLine() throws {
        let (daemon, client) = try daemon()
        let endless = try daemon.connect()
        let block = Array(repeating: UInt8(ascii: "["), count: 1 << 20)
        // The daemon may close while the last blocks are under way.
        for _ in 0..<18 { try? endless.send(bytes: block, within: .seconds(5)) }
        #expect(try endless.nextReply()["error"]?["code"] == -32009)
        #expect(try endless.readLine() == nil)
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("one byte at a time is a request all the same")
    func slowly() throws {
        let (_, client) = try daemon()
        for byte in Array("{\"id\":1,\"method\":\"seam.ping\"}\n{\"id\":2,\"method\":\"seam.ping\"}\n".utf8) {
            try client.send(bytes: [byte])
        }
        #expect(try client.nextReply()["id"] == 1)
        #expect(try client.nextReply()["id"] == 2)
    }

    @Test("the last line may lack its end; half a line is answered before the close")
    func endOfInput() throws {
        let (daemon, client) = try daemon()
        let whole = try daemon.connect()
        try whole.send(#"{"id":1,"method":"seam.ping"}"#)
        whole.endSending()
        #expect(try whole.nextReply()["id"] == 1)
        #expect(try whole.readLine() == nil)
        let half = try daemon.connect()
        try half.send(#"{"id":1,"method":"seam."#)
        half.endSending()
        #expect(try half.nextReply()["error"]?["code"] == -32700)
        #expect(try half.readLine() == nil)
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("who has only stopped sending still gets what it subscribed to")
    func halfClose() throws {
        let (daemon, client) = try daemon()
        let reader = try daemon.connect()
        try reader.sendLine(#"{"method":"sub.open","params":{"sim":"a"}}"#)
        reader.endSending()
        _ = try reader.events(through: "sync")
        try client.call("model.set", #"{"sim":"a","values":{"x":"2"}}"#)
        #expect(try reader.events(through: "verdict").last?.params?["model"] == "2")
    }

    @Test("a client that dies in the middle of a line, or of a stream, is forgotten")
    func killed() throws {
        let (daemon, client) = try daemon()
        for _ in 0..<50 {
            let dying = try daemon.connect()
            try dying.send(#"{"method":"sub.open","params":{"sim":"a"}}"# + "\n" + #"{"method":"model.se"#)
            dying.close()
        }
        for value in 2..<10 { try client.call("model.set", #"{"sim":"a","values":{"x":"\#(value)"}}"#) }
        var stats = try client.call("seam.stats")
        // The daemon sees the last of them go in its own time.
        for _ in 0..<1000 where stats["connections"] != 1 { stats = try client.call("seam.stats") }
        #expect(stats["connections"] == 1)
        #expect(stats["subscriptions"] == 0)
    }

    // MARK: Limits

    @Test("one more than the limit is told which option raises it")
    func limits() throws {
        let daemon = try SeamProcess([
            "--max-simulations", "1", "--max-fields", "2", "--max-subscriptions-per-connection", "1",
            "--max-connections", "2",
        ])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        func option(_ method: String, _ params: String) throws -> String? {
            let refusal = try client.refusal(method, params)
            #expect(refusal.code == -32008, "\(refusal)")
            return refusal.json["data"]?["option"]?.text
        }
        #expect(try option("sim.create", #"{"scenario":"live"}"#) == "--max-simulations")
        try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"x":"1","y":"1"}}"#)
        #expect(try option("screen.set", #"{"sim":"a","screen":"S","values":{"z":"1"}}"#) == "--max-fields")
        try client.call("sub.open", #"{"sim":"a"}"#)
        #expect(try option("sub.open", #"{"sim":"a"}"#) == "--max-subscriptions-per-connection")
        let second = try daemon.connect()
        try second.call("seam.ping")
        let third = try daemon.connect()
        let refusal = try third.nextReply()
        #expect(refusal["error"]?["data"]?["option"]?.text == "--max-connections")
        #expect(try third.readLine() == nil)
        second.close()
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("a client that never reads its replies is not read from; others are")
    func neverReads() throws {
        let (daemon, client) = try daemon()
        let greedy = try daemon.connect()
        let line = #"{"method":"sim.get","params":{"sim":"a"}}"# + "\n"
        let before = try residentKiB(daemon.pid)
        // Until the daemon takes no more: its own memory stays small.
        let requests = Array(String(repeating: line, count: 200_000).utf8)
        #expect(throws: (any Error).self) { try greedy.send(bytes: requests, within: .seconds(2)) }
        #expect(try residentKiB(daemon.pid) - before < 8 << 10)
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }
}
