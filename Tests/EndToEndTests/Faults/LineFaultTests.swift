import SeamTestSupport
import SeamWire
import Testing

/// Lines that are wrong, strange, or too much: each has one answer, and the one after it is answered as ever.
@Suite struct LineFaultTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var what: String
        var line: [UInt8]
        var code: Int?
        var kind: String?
        var id = "null"
        var testDescription: String { what }

        init(_ what: String, _ line: String, _ code: Int? = nil, _ kind: String? = nil, id: String = "null") {
            self.init(what, bytes: Array(line.utf8), code, kind, id: id)
        }

        init(
            _ what: String, bytes: [UInt8], _ code: Int? = nil, _ kind: String? = nil, id: String = "null"
        ) {
            (self.what, line, self.code, self.kind, self.id) = (what, bytes, code, kind, id)
        }
    }

    private static func ping(_ inside: [UInt8]) -> [UInt8] {
        Array(#"{"id":1,"method":"seam.ping","x":""#.utf8) + inside + Array(#""}"#.utf8)
    }

    /// A request of exactly so many bytes.
    private static func padded(to size: Int) -> [UInt8] {
        ping(Array(repeating: 0x78, count: size - ping([]).count))
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }

    static let rows: [Row] = [
        Row("a line of exactly the limit", bytes: padded(to: 1 << 20), id: "1"),
        Row("one byte more", bytes: padded(to: 1 << 20 + 1), -32009, "too-large"),
        Row("100,000 brackets", String(repeating: "[", count: 100_000), -32700),
        Row("65 levels", nested(65), -32700, "too-deep"),
        Row("an overlong slash", bytes: ping([0xC0, 0xAF]), -32700, "parse"),
        Row("an overlong NUL", bytes: ping([0xC0, 0x80]), -32700, "parse"),
        Row("half a surrogate pair in UTF-8", bytes: ping([0xED, 0xA0, 0x80]), -32700, "parse"),
        Row("half a surrogate pair escaped", #"{"id":1,"method":"seam.ping","x":"\ud800"}"#, -32700, "parse"),
        Row("a scalar beyond Unicode", bytes: ping([0xF4, 0x90, 0x80, 0x80]), -32700, "parse"),
        Row("a character that breaks off", bytes: ping([0xE6, 0x97]), -32700, "parse"),
        Row("UTF-16", bytes: "{}".utf16.flatMap { [UInt8($0 & 0xFF), 0] }, -32700, "parse"),
        Row("a byte order mark", "\u{FEFF}{\"method\":\"seam.ping\"}", -32700, "parse"),
        Row("NUL outside of a string", "{\"method\":\u{0}\"seam.ping\"}", -32700, "parse"),
        Row("NUL behind the request", "{\"method\":\"seam.ping\"}\u{0}", -32700, "parse"),
        Row("a control byte in a string", bytes: ping([0x1F]), -32700, "parse"),
        Row("a trailing comma in an array", #"{"id":1,"method":"sim.get","params":["a",]}"#, -32700, "parse"),
        Row("a comment", #"{"id":1,/* hi */"method":"seam.ping"}"#, -32700, "parse"),
        Row("NaN", #"{"id":NaN,"method":"seam.ping"}"#, -32700, "parse"),
        Row("Infinity", #"{"id":-Infinity,"method":"seam.ping"}"#, -32700, "parse"),
        Row("a leading zero", #"{"id":01,"method":"seam.ping"}"#, -32700, "parse"),
        Row("a plus", #"{"id":+1,"method":"seam.ping"}"#, -32700, "parse"),
        Row("single quotes", "{'id':1,'method':'seam.ping'}", -32700, "parse"),
        Row("two requests on a line", #"{"method":"seam.ping"}{"method":"seam.ping"}"#, -32700, "parse"),
        Row(
            "a key twice, deep inside",
            #"{"id":1,"method":"model.set","params":{"sim":"a","values":{"x":"1","x":"2"}}}"#, -32600,
            "duplicate-key", id: "1"),
        Row(
            "a key twice, once escaped", #"{"id":1,"method":"seam.ping","m\u0065thod":"seam.ping"}"#, -32600,
            "duplicate-key", id: "1"),
        Row(
            "an id beyond a double", #"{"id":9007199254740993,"method":"seam.ping"}"#, id: "9007199254740993"),
        Row("an id with its zero", #"{"id":1.50,"method":"seam.ping"}"#, id: "1.50"),
        Row("an id that is an object", #"{"id":{},"method":"seam.ping"}"#, -32600, "id-type"),
        Row("an id that is false", #"{"id":false,"method":"seam.ping"}"#, -32600, "id-type"),
        Row(
            "an id of a million digits",
            #"{"id":\#(String(repeating: "7", count: 1_000_000)),"method":"seam.ping"}"#, -32700,
            "number-range"),
        Row(
            "an id of a million letters",
            #"{"id":"\#(String(repeating: "x", count: 1_000_000))","method":"seam.ping"}"#, -32009,
            "too-large"),
        Row(
            "a value of a million digits",
            #"{"id":1,"method":"model.set","params":{"sim":"a","values":{"x":\#(String(repeating: "7", count: 1_000_000))}}}"#,
            -32700, "number-range"),
        Row(
            "a value of a million letters",
            #"{"id":1,"method":"model.set","params":{"sim":"a","values":{"x":"\#(String(repeating: "x", count: 1_000_000))"}}}"#,
            -32009, "too-large", id: "1"),
        Row(
            "a number beyond the range of a parameter",
            #"{"id":1,"method":"sim.get","params":{"sim":"a","from":9007199254740993}}"#, -32602,
            "out-of-range", id: "1"),
        Row(
            "a result in a strict request", #"{"jsonrpc":"2.0","id":1,"method":"seam.ping","result":1}"#,
            -32600,
            "invalid-request", id: "1"),
        Row("a result in a relaxed one", #"{"id":1,"method":"seam.ping","result":1}"#, id: "1"),
        Row("the wrong version", #"{"jsonrpc":2.0,"id":1,"method":"seam.ping"}"#, -32600, id: "1"),
        Row("a reply", #"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600, "invalid-request", id: "1"),
        Row("a path as a method", #"{"id":1,"method":"../../etc/passwd"}"#, -32601, id: "1"),
        Row("NUL in a method", #"{"id":1,"method":"seam.ping\u0000"}"#, -32601, id: "1"),
        Row("a method from right to left", #"{"id":1,"method":"\u202Egnip.maes"}"#, -32601, id: "1"),
        Row(
            "a method of 64 KiB", #"{"id":1,"method":"\#(String(repeating: "x", count: 65_536))"}"#, -32601,
            id: "1"),
        Row(
            "a path as a simulation", #"{"id":1,"method":"sim.get","params":["../a"]}"#, -32602, "bad-name",
            id: "1"),
        Row(
            "NUL in a simulation", #"{"id":1,"method":"sim.get","params":["a\u0000"]}"#, -32602, "bad-name",
            id: "1"),
        Row(
            "a simulation from right to left", #"{"id":1,"method":"sim.get","params":["\u202Ea"]}"#, -32602,
            "bad-name", id: "1"),
        Row(
            "a simulation of 64 KiB",
            #"{"id":1,"method":"sim.get","params":["\#(String(repeating: "x", count: 65_536))"]}"#, -32602,
            "bad-name", id: "1"),
        Row(
            "an unknown name of 64 KiB",
            #"{"id":1,"method":"sim.get","params":{"\#(String(repeating: "x", count: 65_536))":1}}"#, -32602,
            "unknown-param", id: "1"),
    ]

    private func daemon(_ arguments: [String] = []) throws -> (SeamProcess, TestClient) {
        let daemon = try SeamProcess(arguments)
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        return (daemon, client)
    }

    private func probe(_ client: TestClient) throws {
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("each such line has one answer, short and printable")
    func rows() throws {
        let (daemon, client) = try daemon()
        for row in Self.rows {
            try client.send(bytes: row.line + [0x0A])
            let line = try #require(try client.readLine())
            let context = Comment(rawValue: "\(row.what): \(line.prefix(500))")
            #expect(line.hasPrefix(#"{"jsonrpc":"2.0","id":\#(row.id),"#), context)
            let reply = try JSON(parsing: line)
            #expect(reply["error"]?["code"]?.integer == row.code, context)
            if let kind = row.kind { #expect(reply["error"]?["data"]?["kind"]?.text == kind, context) }
            #expect(line.utf8.count < 4096, context)
            let isPrintable = line.unicodeScalars.allSatisfy {
                switch $0.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            #expect(isPrintable, context)
            try probe(client)
        }
        withExtendedLifetime(daemon) {}
    }

    @Test("two requests in one write are answered in their order, however the bytes are cut")
    func chunks() throws {
        let (_, client) = try daemon()
        let bytes = Array(
            #"{"id":1,"method":"seam.ping"}"#.utf8 + [0x0A] + #"{"id":2,"method":"seam.ping"}"#.utf8 + [0x0A])
        for cut in 0...bytes.count {
            try client.send(bytes: bytes[..<cut])
            try client.send(bytes: bytes[cut...])
            #expect(try client.nextReply()["id"] == 1)
            #expect(try client.nextReply()["id"] == 2)
        }
    }

    @Test("one id twice is two answers")
    func sameID() throws {
        let (_, client) = try daemon()
        try client.send(
            #"{"id":7,"method":"sim.get","params":["a"]}"# + "\n"
                + #"{"id":7,"method":"sim.get","params":["b"]}"#
                + "\n")
        #expect(try client.nextReply()["result"]?["sim"] == "a")
        let second = try client.nextReply()
        #expect(second["id"] == 7)
        #expect(second["error"]?["code"] == -32001)
        try probe(client)
    }

    @Test("a batch holds 256 and no more; a batch in a batch is no request")
    func batches() throws {
        let (_, client) = try daemon()
        let ping = #"{"id":1,"method":"seam.ping"}"#
        func batch(_ count: Int) -> String {
            "[" + Array(repeating: ping, count: count).joined(separator: ",") + "]"
        }
        #expect(try client.reply(to: batch(256)).json.elements?.count == 256)
        #expect(try client.reply(to: batch(257))["error"]?["code"] == -32008)
        let nested = try client.reply(to: "[[\(ping)],\(ping)]").json
        #expect(nested[0]?["error"]?["code"] == -32600)
        #expect(nested[1]?["result"] != nil)
        try probe(client)
    }

    @Test("a reply that would be too long is an error that says how to ask for less")
    func longReplies() throws {
        let (_, client) = try daemon()
        let values = (0..<3000).map { #""a-field-with-a-name-\#($0)":"1""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(values)}}"#)
        let refusal = try client.refusal("sim.check", #"{"sim":"a"}"#)
        #expect(refusal.code == -32009)
        #expect(
            refusal.message
                == "The reply would be longer than 65535 bytes; name fewer fields, or one screen, or raise maxLine with "
                + "seam.hello.")
        // As few lines, when one key is named again and again; and as long as it can be, when values are.
        let again = Array(repeating: #""a-field-with-a-name-1""#, count: 20_000).joined(separator: ",")
        #expect(try client.refusal("sim.check", #"{"sim":"a","fields":[\#(again)]}"#).code == -32009)
        let long = String(repeating: "v", count: 4000)
        let large = (0..<30).map { #""long\#($0)":"\#(long)""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Long","values":{\#(large)}}"#)
        #expect(try client.refusal("sim.check", #"{"sim":"a","screen":"Long"}"#).message == refusal.message)
        let inBatch = try client.reply(
            to: #"[{"id":1,"method":"sim.check","params":{"sim":"a","fields":[\#(again)]}}]"#)
        #expect(
            inBatch.json[0]?["error"]?["message"]?.text
                == "The reply would be longer than 1048576 bytes; name fewer fields, or one screen, or send fewer requests "
                + "in one batch.")
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["next"] != nil)
        try client.call("seam.hello", #"{"maxLine":16777216}"#)
        #expect(try client.call("sim.check", #"{"sim":"a"}"#)["fields"]?.elements?.count == 3030)
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["next"] == nil)

        // Every element of a batch is answered, and the line stays below 1 MiB.
        let gets = (1...64).map { #"{"id":\#($0),"method":"sim.get","params":["a"]}"# }.joined(separator: ",")
        try client.sendLine("[\(gets)]")
        let line = try #require(try client.readLine())
        #expect(line.utf8.count < 1 << 20)
        let answers = try JSON(parsing: line).elements ?? []
        #expect(answers.map { $0["id"]?.integer } == Array(1...64))
        #expect(answers[0]["result"] != nil)
        #expect(answers[63]["error"]?["code"] == -32009)
        try probe(client)
    }

    @Test("two long values that begin alike are read to their ends, in an answer that has room for them")
    func wholeValues() throws {
        let (_, client) = try daemon()
        let same = String(repeating: "é", count: 2500)
        let (model, shown) = (same + "1", same + "2")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{"long":"\#(shown)"}}"#)
        try client.call("model.set", #"{"sim":"a","values":{"long":"\#(model)"}}"#)
        let name = #""screen":"Main","fields":["long"]"#
        for (method, rest) in [("sim.get", #""screen":"Main","limit":1,"from":0"#), ("sim.check", name)] {
            let cut = try #require(try client.call(method, #"{"sim":"a",\#(rest)}"#)["fields"]?[0])
            #expect(cut["model"] == cut["shown"])
            #expect(cut["modelBytes"] == 5001)
            let answer = try client.call(method, #"{"sim":"a",\#(rest),"whole":true}"#)
            let whole = try #require(answer["fields"]?[0])
            #expect(whole["verdict"] == "stale")
            #expect(whole["model"]?.text == model)
            #expect(whole["shown"]?.text == shown)
            #expect(whole["modelBytes"] == nil)
            #expect(try client.refusal(method, #"{"sim":"a",\#(rest),"whole":1}"#).kind == "wrong-type")
            try probe(client)
        }
        // The longest there is has no room in a line of 64 KiB, and says what to do.
        let longest = String(repeating: "v", count: 65_536)
        try client.call("model.set", #"{"sim":"a","values":{"long":"\#(longest)"}}"#)
        for method in ["sim.get", "sim.check"] {
            let refusal = try client.refusal(method, #"{"sim":"a","screen":"Main","whole":true}"#)
            #expect(refusal.code == -32009)
            #expect(refusal.message.contains("raise maxLine with seam.hello"))
        }
        try client.call("seam.hello", #"{"maxLine":1048576}"#)
        let field = try client.call("sim.check", #"{"sim":"a",\#(name),"whole":true}"#)["fields"]?[0]
        #expect(field?["model"]?.text == longest)
        try probe(client)
    }

    @Test("what a client calls something is escaped and cut in the log")
    func log() throws {
        let (daemon, client) = try daemon(["--log-level", "debug"])
        let name = #"first\nsecond\u0000\u202E\u001b[31m"# + String(repeating: "x", count: 65_536)
        try client.sendLine(#"{"jsonrpc":"2.0","method":"\#(name)"}"#)
        try client.sendLine(#"{"jsonrpc":"2.0","method":"the end"}"#)
        try daemon.process.errorLine(containing: "the end")
        let lines = daemon.stderr.split(separator: "\n").filter { $0.contains("first") }
        #expect(lines.count == 1)
        #expect(lines[0].utf8.count < 1024)
        #expect(lines[0].unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        try probe(client)
    }

    // MARK: Patterns

    /// 64 patterns that begin to match a field's name at each of its bytes. The last one matches, when it ends in `k`.
    private static let hostile =
        (0..<63).map { "\"\(String(repeating: "*a", count: 100))*b\($0)\"" } + [
            "\"\(String(repeating: "*a", count: 100))*k\""
        ]
    private static let screen = String(repeating: "a", count: 100)

    /// As many fields, every other one wanted.
    private static func hostileFields(_ count: Int) -> String {
        let names = (0..<count).map {
            String(repeating: "a", count: 115) + "\($0)" + ($0 % 2 == 0 ? "k" : "x")
        }
        return names.map { "\"\($0)\":\"1\"" }.joined(separator: ",")
    }

    @Test("others are answered between while hostile patterns are matched with fields that there are")
    func hostilePatternsOverState() throws {
        let daemon = try SeamProcess()
        let probe = try daemon.connect()
        try probe.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let count = 4000
        try probe.call(
            "screen.set", #"{"sim":"a","screen":"\#(Self.screen)","values":{\#(Self.hostileFields(count))}}"#)
        for request in ["[%]", "%"] {
            let open =
                #"{"id":1,"method":"sub.open","params":{"sim":"a","match":[\#(Self.hostile.joined(separator: ","))]}}"#
            // What is asked takes a hundred rounds of the loop, and each probe a few: an answer that had not waited for
            // its turn would stand before all of these, every time. On a busy machine the rounds may be over before the
            // probes have been sent, so there are several attempts.
            var opening = try daemon.connect()
            var reply: TestClient.Message?
            for attempt in 0..<10 {
                if attempt > 0 { opening = try daemon.connect() }
                try opening.sendLine(request.replacing("%", with: open))
                for _ in 0..<3 { try probe.call("seam.ping") }
                reply = try? opening.nextReply(within: .zero)
                if reply == nil { break }
                opening.close()
            }
            #expect(reply == nil, "others were never answered between")
            if reply != nil { continue }
            // What happens meanwhile comes behind it.
            try probe.call(
                "model.set",
                #"{"sim":"a","values":{"\#(String(repeating: "a", count: 115))0k":"\#(request)"}}"#)
            let answer = try opening.nextReply(within: .seconds(120))
            #expect((answer["result"] ?? answer.json[0]?["result"])?["count"]?.integer == count / 2)
            let lines = try opening.events(within: .seconds(120)) { $0.kind == "verdict" }
            #expect(lines.count { $0.kind == "state" } == count / 2)
            #expect(lines.suffix(2).map(\.kind) == ["sync", "verdict"])
            opening.close()
        }
        // Who leaves before the answer takes the work along.
        let leaving = try daemon.connect()
        try leaving.sendLine(
            #"{"id":1,"method":"sub.open","params":{"sim":"a","match":[\#(Self.hostile.joined(separator: ","))]}}"#
        )
        leaving.close()
        while try probe.call("seam.stats")["connections"] != 1 {}
        #expect(try probe.call("seam.stats")["subscriptions"] == 0)
    }

    @Test(
        "others are answered between while hostile patterns are matched with new fields, and every wanted one is told",
        arguments: [[], ["--ring-entries", "100"]])
    func hostilePatternsOverNews(ring: [String]) throws {
        let daemon = try SeamProcess(ring)
        let probe = try daemon.connect()
        try probe.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let reader = try daemon.connect()
        for _ in 0..<8 {
            try reader.call("sub.open", #"{"sim":"a","match":[\#(Self.hostile.joined(separator: ","))]}"#)
        }
        for _ in 0..<8 { _ = try reader.events(through: "sync") }
        let count = 300
        var screens = 0
        var isBetween = false
        // Several attempts, since on a busy machine all may be told before the probes have been sent.
        while !isBetween && screens < 10 {
            screens += 1
            let before = try probe.call("seam.stats")["bytesOut"]?.integer ?? 0
            try probe.call(
                "screen.set",
                #"{"sim":"a","screen":"\#(Self.screen)\#(screens)","values":{\#(Self.hostileFields(count))}}"#
            )
            for _ in 0..<3 { try probe.call("seam.ping") }
            // Some of it has been told by now, and by far not all: a line has more than 400 bytes.
            let sent = try probe.call("seam.stats")["bytesOut"]?.integer ?? .max
            isBetween = sent - before < 400 * 8 * count / 2
        }
        #expect(isBetween, "others were never answered between")
        try probe.call("screen.set", #"{"sim":"a","screen":"Z\#(Self.screen)","values":{"k":"the end"}}"#)
        var told: [Int: [String]] = [:]
        var lags = 0
        var ends = 0
        while ends < 8 {
            let line = try reader.nextEvent(within: .seconds(120))
            if line.kind == "lag" { lags += 1 }
            guard let field = line.params?["field"]?.text, let number = line.params?["sub"]?.integer else {
                continue
            }
            #expect(field.hasSuffix("k"))
            told[number, default: []].append(field)
            if field == "k" { ends += 1 }
        }
        #expect(told.count == 8)
        for fields in told.values { #expect(Set(fields).count == count / 2 + 1) }
        if ring.isEmpty {
            #expect(lags == 0 && told.values.allSatisfy { $0.count == screens * count / 2 + 1 })
        } else {
            #expect(lags > 0)
        }
        try probe.call("seam.ping")
    }
}
