import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `sim.trace` and `sim.explain` over a real daemon.
@Suite struct TraceTests {
    /// All records of a simulation, page by page, as a client of the protocol reads them.
    private func records(_ client: TestClient, _ sim: String, more: String = "") throws -> [JSON] {
        var records: [JSON] = []
        var place: (turn: Int?, skip: Int)? = (nil, 0)
        while let here = place {
            let from = here.turn.map { #","from":\#($0)"# } ?? ""
            let page = try client.call(
                "sim.trace", #"{"sim":"\#(sim)"\#(from),"skip":\#(here.skip)\#(more)}"#)
            let some = page["records"]?.elements ?? []
            records += some
            if page["omitted"] != nil {
                place = (page["from"]?.integer, here.skip + some.count)
            } else {
                place = page["next"]?.integer.map { ($0, 0) }
            }
        }
        return records
    }

    // MARK: The same again

    private static let life = [
        ("sim.send", #""event":"type","args":{"text":"one"}"#), ("model.set", #""values":{"text":"two"}"#),
        ("bridge.update", #""bridge":"draft""#), ("bridge.mount", #""bridge":"draft""#),
        ("sim.advance", #""ms":250"#), ("sim.send", #""event":"type","mount":2,"args":{"text":"three"}"#),
        ("bridge.unmount", #""bridge":"draft","mount":1"#), ("sim.send", #""event":"resignActive""#),
        ("model.clear", #""keys":["text"]"#), ("bridge.mount", #""bridge":"draft""#),
    ]

    @Test(
        "the same seed and events give the same trace, byte for byte, in two daemons",
        arguments: [
            "coordinator.draft", "coordinator.draft-not-dismantled", "coordinator.draft-unguarded",
            "coordinator.draft-loop",
        ])
    func determinism(_ scenario: String) throws {
        func play() throws -> [String] {
            let daemon = try SeamProcess()
            let client = try daemon.connect()
            // Others before it, so that objects lie elsewhere and numbers have been used.
            for number in 0..<Int.random(in: 0...9) {
                try client.call("sim.create", #"{"scenario":"coordinator.label","id":"other\#(number)"}"#)
            }
            try client.call("sim.create", #"{"scenario":"\#(scenario)","id":"s","seed":7}"#)
            for (method, params) in Self.life { try client.call(method, #"{"sim":"s",\#(params)}"#) }
            try client.sendLine(#"{"id":"t","method":"sim.trace","params":{"sim":"s"}}"#)
            let trace = try client.readLine() ?? ""
            try client.sendLine(#"{"id":"e","method":"sim.explain","params":["s","NativeDraft","text"]}"#)
            return [trace, try client.readLine() ?? ""]
        }
        let first = try play()
        #expect(
            first[0].contains(#""call":"dismantle""#) && first[0].contains(#""control":2"#), "\(first[0])")
        #expect(!first[0].contains("0x") && first[1].contains(#""sentence":"#))
        for _ in 0..<3 { #expect(try play() == first) }
    }

    @Test("a whole run comes with its trace, to the last dismantle")
    func run() throws {
        let client = try SeamProcess().connect()
        let params = #"{"scenario":"coordinator.label-recreated","trace":true}"#
        let trace = try #require(try client.call("sim.run", params)["trace"]?.elements)
        #expect(trace.first?["call"]?.text == "start" && trace.first?["origin"]?.text == "client")
        #expect(trace.contains { $0["call"]?.text == "model.set" && $0["origin"]?.text == "script" })
        #expect(trace.last?["call"]?.text == "unmounted")
        let controls = trace.filter { $0["call"]?.text == "update" }.compactMap { $0["control"]?.integer }
        #expect(Set(controls).count > 1 && controls == controls.sorted(), "\(controls)")
        #expect(try client.call("sim.run", #"{"scenario":"coordinator.label"}"#)["trace"] == nil)
    }

    // MARK: Pages

    @Test("a long trace comes in pages of whole turns, none longer than a reply")
    func pages() throws {
        let client = try SeamProcess(["--trace-bytes", "1048576"]).connect()
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"w"}"#)
        for number in 0..<2_000 {
            try client.call("model.set", #"{"sim":"w","values":{"rowCount":\#(number)}}"#)
        }
        var from = 1
        var all: [JSON] = []
        var count = 0
        while true {
            try client.sendLine(#"{"id":1,"method":"sim.trace","params":{"sim":"w","from":\#(from)}}"#)
            let line = try #require(try client.readLine())
            #expect(line.utf8.count < 65_535)
            let page = try #require(try JSON(parsing: line)["result"])
            all += page["records"]?.elements ?? []
            count += 1
            guard let next = page["next"]?.integer else { break }
            #expect(all.last?["turn"]?.integer == next - 1 && page["omitted"] == nil)
            from = next
        }
        // start, make and update, then a request and an update each.
        #expect(count > 3 && all.count == 2_000 * 2 + 3, "\(count) pages, \(all.count) records")
        #expect(try records(client, "w") == all)
        #expect(try records(client, "w", more: #","limit":7"#) == all)
        #expect(all.map { $0["turn"]?.integer ?? 0 } == all.map { $0["turn"]?.integer ?? 0 }.sorted())
        let two = try client.call("sim.trace", #"["w",5,6]"#)
        #expect(
            two["records"]?.elements?.compactMap { $0["turn"]?.integer } == [5, 5, 6, 6] && two["next"] == nil
        )
    }

    @Test("a turn that does not fit into a reply is cut, said so, and had by skip")
    func longTurn() throws {
        let client = try SeamProcess(["--trace-bytes", "1048576"]).connect()
        try client.call(
            "sim.create",
            #"{"scenario":"coordinator.draft-loop","id":"loop","policies":{"round-limit":"3000"}}"#)
        try client.call("sim.send", #"{"sim":"loop","event":"type","args":{"text":"x"}}"#)
        let page = try client.call("sim.trace", #"{"sim":"loop","from":2}"#)
        let shown = page["records"]?.elements?.count ?? 0
        #expect(shown > 100 && (page["omitted"]?.integer ?? 0) > 1_000, "\(shown)")
        let all = try records(client, "loop")
        #expect(all.count(where: { $0["turn"]?.integer == 2 }) == shown + (page["omitted"]?.integer ?? 0))
        let rounds = all.filter { $0["turn"]?.integer == 2 }.compactMap { $0["round"]?.integer }
        #expect(rounds == rounds.sorted() && rounds.last.map { $0 >= 2_990 } == true)
    }

    @Test("the oldest records go, and what is left is said")
    func bounded() throws {
        let client = try SeamProcess(["--trace-bytes", "4096"]).connect()
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"w"}"#)
        for number in 0..<500 {
            try client.call("model.set", #"{"sim":"w","values":{"rowCount":\#(number)}}"#)
        }
        let page = try client.call("sim.trace", #"{"sim":"w"}"#)
        let oldest = try #require(page["oldest"]?.integer)
        let dropped = try #require(page["dropped"]?.integer)
        let kept = try records(client, "w")
        #expect(oldest > 300 && dropped + kept.count == 500 * 2 + 3)
        #expect(page["from"]?.integer == oldest && kept.first?["turn"]?.integer == oldest)
        // What is asked for and gone is not there, and `oldest` says so.
        let past = try client.call("sim.trace", #"{"sim":"w","from":1,"to":9}"#)
        #expect(past["records"]?.elements?.isEmpty == true && past["oldest"]?.integer == oldest)
        // The explanation needs no trace.
        let why = try client.call("sim.explain", #"["w","LegacyListView","title"]"#)
        #expect(why["sentence"]?.text?.contains("in turn 1") == true, "\(why.encoded)")
    }

    @Test("traces give way to the daemon's limit of memory, before the rings do")
    func memory() throws {
        let client = try SeamProcess(["--memory", "1M", "--trace-bytes", "1048576"]).connect()
        func number(_ name: String) throws -> Int {
            try #require(try client.call("seam.stats")[name]?.integer, "\(name)")
        }
        for sim in ["a", "b"] {
            try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"\#(sim)"}"#)
        }
        var most = 0
        var rounds = 0
        while try number("memoryTraces") >= most, rounds < 200 {
            most = try number("memoryTraces")
            rounds += 1
            for number in 0..<200 {
                try client.call(
                    "model.set",
                    #"{"sim":"\#(rounds % 2 == 0 ? "a" : "b")","values":{"rowCount":\#(number)}}"#)
            }
            let used = try number("memoryTraces") + number("memoryRings") + number("memoryValues")
            #expect(used <= 1 << 20)
        }
        #expect(rounds < 200 && most > 50_000, "the traces never shrank: \(most) bytes")
        #expect(try number("ringEntriesShed") == 0)
        #expect(try client.call("sim.trace", #"{"sim":"a"}"#)["dropped"]?.integer ?? 0 > 0)
        for sim in ["a", "b"] { try client.call("sim.destroy", #"{"sim":"\#(sim)"}"#) }
        #expect(try number("memoryTraces") == 0)
    }

    // MARK: Who keeps one

    @Test("a live simulation keeps a trace on request, a scenario unless it is told not to")
    func kept() throws {
        let client = try SeamProcess().connect()
        try client.call("sim.create", #"{"scenario":"live","id":"plain"}"#)
        try client.call("sim.create", #"{"scenario":"live","id":"traced","trace":true}"#)
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"untraced","trace":false}"#)
        for sim in ["plain", "traced"] {
            try client.call("screen.set", #"{"sim":"\#(sim)","screen":"S","values":{"a":"1","b":null}}"#)
            try client.call("model.set", #"{"sim":"\#(sim)","values":{"a":"2"}}"#)
        }
        #expect(
            try records(client, "traced").map(\.encoded) == [
                #"{"turn":2,"ms":0,"round":0,"call":"screen.set","origin":"client","wrote":["S.a","S.b"]}"#,
                #"{"turn":3,"ms":0,"round":0,"call":"model.set","origin":"client","set":["a"]}"#,
            ])
        for sim in ["plain", "untraced"] {
            let refusal = try client.refusal("sim.trace", #"{"sim":"\#(sim)"}"#)
            #expect(refusal.code == -32602 && refusal.kind == "not-traced", "\(refusal)")
        }
        // With a trace or without: the same facts.
        for sim in ["plain", "traced"] {
            let why = try client.call("sim.explain", #"["\#(sim)","S","a"]"#)
            #expect(
                why["sentence"]?.text
                    == "S.a is stale: the model changed in turn 3 (by a client), and the screen was last reported in "
                    + "turn 2, before that")
            #expect(why["shownWritten"]?.encoded == #"{"turn":2,"ms":0,"by":"client"}"#)
            #expect(why["calls"]?.elements?.count == (sim == "traced" ? 1 : 0))
        }
    }

    @Test("one call that writes thousands of fields names the first and counts the rest")
    func wide() throws {
        let client = try SeamProcess().connect()
        try client.call("sim.create", #"{"scenario":"live","id":"wide","trace":true}"#)
        let values = (0..<5_000).map { "\"f\($0)\":\"\($0)\"" }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"wide","screen":"S","values":{\#(values)}}"#)
        let record = try #require(try records(client, "wide").first)
        #expect(record["wrote"]?.elements?.count == 64 && record["omitted"]?.integer == 4_936)
    }

    // MARK: Why

    @Test("checks and runs come with the reason when it is asked for, and without when not")
    func why() throws {
        let client = try SeamProcess().connect()
        let reason =
            "HostingController.openCount is stale: the model changed in turn 2 (by the script), and no assignment of "
            + "host has run since turn 1"
        let run = #"{"scenario":"lessons.hosting-unassigned","why":true,"keep":true,"id":"demo"}"#
        let fields = try client.call("sim.run", run)["checks"]?[0]?["fields"]?.elements
        #expect(fields?.map { $0["why"]?.text } == [nil, reason, nil])
        let check = try client.call("sim.check", #"{"sim":"demo","why":true}"#)["fields"]?.elements
        #expect(check?.compactMap { $0["why"]?.text } == [reason])
        #expect(
            try client.call("sim.explain", #"["demo","HostingController","openCount"]"#)["sentence"]?.text
                == reason)
        let plain = try client.call("sim.check", #"{"sim":"demo"}"#)["fields"]?.elements
        #expect(plain?.contains { $0["why"] != nil } == false)
    }

    @Test("a simulation that has failed still tells its past")
    func failed() throws {
        let client = try SeamProcess().connect()
        try client.call(
            "sim.create", #"{"scenario":"counter.observed","id":"c","params":{"segue":"embedCounter"}}"#)
        try client.call("sim.send", #"{"sim":"c","event":"increase"}"#)
        #expect(try client.refusal("sim.advance", #"{"sim":"c","ms":1}"#).code == -32005)
        let last = try #require(try records(client, "c").last)
        #expect(last["call"]?.text == "event", "\(last.encoded)")
        #expect(last["text"]?.text?.contains("counterController is nil") == true, "\(last.encoded)")
        let why = try client.call("sim.explain", #"["c","CounterHostingController","counter"]"#)
        #expect(why["verdict"]?.text != nil && why["carriers"]?.elements?.isEmpty == false)
    }

    // MARK: Wrong input

    @Test(
        "what cannot be told says why, and the simulation goes on",
        arguments: [
            ("sim.trace", "{}", -32602, "missing-param", "sim", nil),
            ("sim.trace", #"{"sim":"dem"}"#, -32001, "unknown-sim", nil, "demo"),
            ("sim.trace", #"{"sim":"gone"}"#, -32001, "unknown-sim", nil, nil),
            ("sim.trace", #"{"sim":"app"}"#, -32602, "not-traced", "sim", nil),
            ("sim.trace", #"{"sim":"demo","from":2,"to":1}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","to":0}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","from":4}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","to":3}"#, -32602, "out-of-range", "to", nil),
            ("sim.trace", #"{"sim":"demo","from":9007199254740991}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","from":9007199254740992}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","from":-1}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","from":1.5}"#, -32602, "out-of-range", "from", nil),
            ("sim.trace", #"{"sim":"demo","from":"1"}"#, -32602, "wrong-type", "from", nil),
            ("sim.trace", #"{"sim":"demo","limit":0}"#, -32602, "out-of-range", "limit", nil),
            ("sim.trace", #"{"sim":"demo","turn":1}"#, -32602, "unknown-param", "turn", nil),
            (
                "sim.explain", #"{"sim":"demo","screen":"HostingController"}"#, -32602, "missing-param",
                "field", nil
            ),
            ("sim.explain", #"["demos","S","f"]"#, -32001, "unknown-sim", nil, "demo"),
            ("sim.explain", #"["gone","HostingController","title"]"#, -32001, "unknown-sim", nil, nil),
            (
                "sim.explain", #"["demo","HostingControler","title"]"#, -32602, "unknown-screen", "screen",
                "HostingController"
            ),
            (
                "sim.explain", #"["demo","HostingController","opencount"]"#, -32602, "unknown-field", "field",
                "openCount"
            ),
            ("sim.explain", #"["demo","HostingController",""]"#, -32602, "bad-name", "field", nil),
            ("sim.explain", #"["demo","Hosting.Controller","title"]"#, -32602, "bad-name", "screen", nil),
            ("sim.explain", #"["demo",1,"title"]"#, -32602, "wrong-type", "screen", nil),
            ("sim.check", #"{"sim":"demo","why":"yes"}"#, -32602, "wrong-type", "why", nil),
            ("sim.run", #"{"scenario":"live","why":1}"#, -32602, "wrong-type", "why", nil),
            ("sim.run", #"{"scenario":"live","trace":"all"}"#, -32602, "wrong-type", "trace", nil),
            ("sim.create", #"{"scenario":"live","trace":1}"#, -32602, "wrong-type", "trace", nil),
        ] as [(String, String, Int, String, String?, String?)])
    func refused(method: String, params: String, code: Int, kind: String, path: String?, nearest: String?)
        throws
    {
        let client = try SeamProcess().connect()
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"gone"}"#)
        try client.call("sim.destroy", #"{"sim":"gone"}"#)
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":7}}"#)
        let refusal = try client.refusal(method, params)
        #expect(refusal.code == code && refusal.kind == kind, "\(refusal)")
        #expect(refusal.json["data"]?["path"]?.text == path, "\(refusal)")
        if let nearest { #expect(refusal.json["data"]?["known"]?[0]?.text == nearest, "\(refusal)") }
        // A probe: what is right is answered as ever, and nothing has happened meanwhile.
        #expect(try records(client, "demo").count == 3)
        #expect(
            try client.call("sim.trace", #"{"sim":"demo","from":3}"#)["records"]?.elements?.isEmpty == true)
        #expect(
            try client.call("sim.explain", #"["demo","HostingController","openCount"]"#)["verdict"]?.text
                == "stale")
    }
}
