import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `sim.fork`, and `at` of `sim.get` and `sim.check`: a simulation as it was, and one that goes on from there.
@Suite struct PastTests {
    /// The stream of a simulation, without what names it.
    private func stream(_ events: [TestClient.Message]) -> [String] {
        events.compactMap { event in
            guard event.kind == "verdict" || event.kind == "diagnostic" else { return nil }
            return event.line.replacing(#/"sub":\d+,"sim":"[^"]*",/#, with: "")
        }
    }

    @Test(
        "forked anywhere, the same inputs give the same stream and the same answers",
        arguments: RecordingTests.scenarios)
    func forks(scenario: String) throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"\#(scenario)","id":"a","seed":7}"#)
        try client.call("sub.open", #"{"sim":"a","start":"now","mode":"all"}"#)
        var driver = try Driver(scenario, seed: 21, on: client)
        var steps: [(method: String, params: String, outcome: String, lines: [String], seq: Int)] = []
        for _ in 0..<40 {
            let (method, params) = driver.next()
            let outcome = try client.outcome(method, "a", params)
            let seq = try #require(try client.call("sim.get", #"{"sim":"a","limit":1}"#)["seq"]?.integer)
            steps.append((method, params, outcome, stream(client.takeEvents()), seq))
        }
        let end = try client.call("sim.get", #"["a"]"#)["fields"]
        let check = try client.call("sim.check", #"{"sim":"a","label":"x"}"#)
        var forks = 0
        for place in steps.indices where steps[place].seq > (place == 0 ? 0 : steps[place - 1].seq) {
            // The rest of an advance is not part of the moment of its first timer.
            if steps[place].method == "sim.advance" { continue }
            let fork = try client.call("sim.fork", #"{"sim":"a","id":"f","at":\#(steps[place].seq)}"#)
            #expect(fork["seq"]?.integer == steps[place].seq)
            try client.call("sub.open", #"{"sim":"f","start":"now","mode":"all"}"#)
            for step in steps[(place + 1)...] {
                #expect(try client.outcome(step.method, "f", step.params) == step.outcome)
                try client.call("seam.ping")
                #expect(
                    stream(client.takeEvents()) == step.lines, "from \(place), \(step.method) \(step.params)")
            }
            #expect(try client.call("sim.get", #"["f"]"#)["fields"] == end)
            #expect(try client.call("sim.check", #"{"sim":"f","label":"x"}"#) == check)
            try client.call("sim.destroy", #"["f"]"#)
            _ = client.takeEvents()
            forks += 1
        }
        #expect(forks > 0)
        // Now, and a fork of the fork.
        try client.call("sim.fork", #"["a","f"]"#)
        try client.call("sim.fork", #"["f","g"]"#)
        let now = try ["a", "f", "g"].map { try client.call("sim.get", #"["\#($0)"]"#) }
        for other in now[1...] {
            #expect(other["fields"] == now[0]["fields"] && other["turn"] == now[0]["turn"])
            #expect(other["ms"] == now[0]["ms"] && other["epoch"] != now[0]["epoch"])
        }
    }

    @Test(
        "what a script did is repeated too, interim reads and all, and the trace of the fork tells it",
        arguments: RecordingTests.scenarios)
    func scripts(scenario: String) throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call("sim.run", #"{"scenario":"\#(scenario)","id":"a","keep":true}"#)
        try client.call("sim.fork", #"["a","f"]"#)
        let (original, fork) = (
            try client.call("sim.get", #"["a"]"#), try client.call("sim.get", #"["f"]"#)
        )
        for name in ["fields", "seq", "turn", "ms", "counts", "status"] {
            #expect(fork[name] == original[name], "\(name)")
        }
        func trace(_ sim: String) throws -> [String] {
            let answer = try client.call("sim.trace", #"["\#(sim)"]"#)
            // Whoever sent an event the first time, it is the history that does now.
            return (answer["records"]?.elements ?? []).map {
                $0.encoded.replacing(#""origin":"script""#, with: #""origin":"client""#)
            }
        }
        let told = try trace("f")
        #expect(try told == trace("a") && !told.isEmpty)
        // The recording has the script's steps from before it began; its replay stands where the original stood.
        try client.call("rec.start", #"["f","\#(bench.path("f.jsonl"))"]"#)
        try client.call("rec.stop", #"["f"]"#)
        let replayed = try client.call(
            "rec.replay", #"{"path":"\#(bench.path("f.jsonl"))","id":"r","keep":true}"#)
        #expect(replayed["same"] == true && replayed["turns"] == original["turn"], "\(replayed.encoded)")
        #expect(try client.call("sim.get", #"["r"]"#)["fields"] == original["fields"])
        #expect(try trace("r") == told)
    }

    @Test("a simulation without a trace has forks without one")
    func untraced() throws {
        let client = try SeamProcess().connect()
        for (id, trace) in [("a", "false"), ("b", "true")] {
            try client.call(
                "sim.create", #"{"scenario":"counter.observed","id":"\#(id)","trace":\#(trace)}"#)
            try client.call("sim.fork", #"["\#(id)","\#(id)f"]"#)
        }
        #expect(try client.refusal("sim.trace", #"["af"]"#).kind == "not-traced")
        #expect(try client.call("sim.trace", #"["bf"]"#)["records"]?.elements?.isEmpty == false)
    }

    @Test("each seq of a stream is a moment that can be read again")
    func at() throws {
        let client = try SeamProcess().connect()
        let created = try client.call("sim.create", #"{"scenario":"migration.half-way","id":"a"}"#)
        try client.call("sub.open", #"{"sim":"a","start":"now"}"#)
        var driver = try Driver("migration.half-way", seed: 3, on: client)
        for _ in 0..<40 {
            let (method, params) = driver.next()
            _ = try client.outcome(method, "a", params)
        }
        try client.call("seam.ping")
        let events = client.takeEvents().filter { $0.kind != "sync" }
        var fields: [String: JSON] = [:]
        let first = try client.call("sim.get", #"{"sim":"a","at":0}"#)
        #expect(first["seq"] == created["seq"] && first["turn"] == 1 && first["epoch"] == created["epoch"])
        for field in first["fields"]?.elements ?? [] {
            fields["\(field["screen"]?.text ?? "").\(field["field"]?.text ?? "")"] = field
        }
        for (place, event) in events.enumerated() {
            guard let params = event.params else { continue }
            if event.kind == "verdict" {
                fields["\(params["screen"]?.text ?? "").\(params["field"]?.text ?? "")"] = .object([
                    .init("screen", params["screen"] ?? .null), .init("field", params["field"] ?? .null),
                    .init("verdict", params["to"] ?? .null), .init("model", params["model"] ?? .null),
                    .init("shown", params["shown"] ?? .null),
                ])
            }
            // In the middle of a turn it is the end of the turn.
            let isLast = place == events.count - 1 || events[place + 1].params?["turn"] != params["turn"]
            let then = try client.call("sim.get", #"{"sim":"a","at":\#(params["seq"]?.integer ?? 0)}"#)
            #expect(then["turn"] == params["turn"] && then["ms"] == params["ms"])
            guard isLast else { continue }
            #expect(then["seq"] == params["seq"])
            for field in then["fields"]?.elements ?? [] {
                #expect(field == fields["\(field["screen"]?.text ?? "").\(field["field"]?.text ?? "")"])
            }
            let check = try client.call("sim.check", #"{"sim":"a","at":\#(params["seq"]?.integer ?? 0)}"#)
            #expect(check["fields"] == then["fields"] && check["label"] == "a")
        }
        #expect(events.count > 10)
        // Looking back changes nothing.
        #expect(try client.call("sim.get", #"["a"]"#)["seq"] == events.last?.params?["seq"])
    }

    @Test("each turn is a moment too, also one that told nothing, and each turn of an advance")
    func atTurn() throws {
        let folder = try TemporaryFolder()
        let client = try SeamProcess(["--plugin", try RecordingBench.buildLater(into: folder)]).connect()
        try client.call("sim.create", #"{"scenario":"later.desk","id":"a","seed":11}"#)
        try client.call("sim.send", #"{"sim":"a","event":"later","args":{"ms":10}}"#)
        try client.call("sim.send", #"{"sim":"a","event":"later","args":{"ms":30}}"#)
        try client.call("sim.advance", #"["a",5]"#)
        try client.call("sim.advance", #"["a",50]"#)
        let now = try client.call("sim.get", #"["a"]"#)
        let turns = try #require(now["turn"]?.integer)
        // Creation, two events that change nothing yet, an advance to nowhere, and the two timers of the second one.
        #expect(turns == 6)
        var states: [String] = []
        for turn in 1...turns {
            let then = try client.call("sim.get", #"{"sim":"a","atTurn":\#(turn)}"#)
            #expect(then["turn"]?.integer == turn && then["epoch"] == now["epoch"])
            let check = try client.call("sim.check", #"{"sim":"a","atTurn":\#(turn)}"#)
            #expect(check["fields"] == then["fields"])
            let fork = try client.call("sim.fork", #"{"sim":"a","id":"f","atTurn":\#(turn)}"#)
            #expect(fork["turn"]?.integer == turn && fork["seq"] == then["seq"])
            // The trace of the fork ends with the turn that was asked for.
            let records = try client.call("sim.trace", #"["f"]"#)["records"]?.elements ?? []
            #expect(
                try records.map(\.encoded)
                    == (client.call("sim.trace", #"["a",1,\#(turn)]"#)["records"]?.elements ?? [])
                    .map(\.encoded))
            try client.call("sim.destroy", #"["f"]"#)
            states.append("\(then["seq"]?.integer ?? -1) \(then["ms"]?.integer ?? -1)")
        }
        // The rest of the advance is not part of its last turn.
        #expect(states.last == "\(now["seq"]?.integer ?? 0) 30" && now["ms"] == 55, "\(states)")
        #expect(
            states[1].hasSuffix(" 0") && states[3].hasSuffix(" 5") && states[4].hasSuffix(" 10"), "\(states)")
        for method in ["sim.get", "sim.check", "sim.fork"] {
            let refusal = try client.refusal(method, #"{"sim":"a","atTurn":7}"#)
            #expect(refusal.kind == "out-of-range" && refusal.json["data"]?["path"] == "atTurn")
            #expect(refusal.message == "The simulation a is at turn 6; turn 7 is yet to come.")
            #expect(refusal.json["data"]?["expected"] == "a turn up to 6")
            #expect(
                try client.refusal(method, #"{"sim":"a","at":1,"atTurn":1}"#).kind == "conflicting-params")
        }
    }

    @Test("a fork in the middle of an advance has the rest of it before it: timers and random numbers")
    func timers() throws {
        let folder = try TemporaryFolder()
        let client = try SeamProcess(["--plugin", try RecordingBench.buildLater(into: folder)]).connect()
        try client.call("sim.create", #"{"scenario":"later.desk","id":"a","seed":11}"#)
        for ms in [30, 10, 10, 50] {
            try client.call("sim.send", #"{"sim":"a","event":"later","args":{"ms":\#(ms)}}"#)
        }
        try client.call("sub.open", #"{"sim":"a","start":"now"}"#)
        try client.call("sim.advance", #"["a",100]"#)
        let lines = client.takeEvents().filter { $0.kind == "verdict" }
        // Two are due at once: one turn.
        #expect(lines.map { $0.params?["ms"]?.integer ?? 0 } == [10, 30, 50])
        let end = try client.call("sim.get", #"["a"]"#)["fields"]
        for (place, line) in lines.enumerated() {
            let seq = line.params?["seq"]?.integer ?? 0
            let fork = try client.call("sim.fork", #"{"sim":"a","id":"f\#(place)","at":\#(seq)}"#)
            #expect(fork["turn"] == line.params?["turn"])
            let then = try client.call("sim.get", #"["f\#(place)"]"#)
            #expect(then["ms"] == line.params?["ms"])
            #expect(then["fields"]?[1]?["model"] == line.params?["model"])
            // A fork of that fork is the same again, and then both go on.
            try client.call("sim.fork", #"["f\#(place)","g\#(place)"]"#)
            #expect(try client.call("sim.get", #"["g\#(place)"]"#)["ms"] == line.params?["ms"])
            for id in ["f\(place)", "g\(place)"] {
                try client.call("sim.advance", #"["\#(id)",\#(100 - (line.params?["ms"]?.integer ?? 0))]"#)
                #expect(try client.call("sim.get", #"["\#(id)"]"#)["fields"] == end)
            }
        }
    }

    @Test("what is kept has a bound, and a recording knows more")
    func history() throws {
        let bench = try RecordingBench()
        let client = bench.client
        func fill(_ sim: String) throws {
            for number in 0..<40 {
                try client.call("screen.set", #"{"sim":"\#(sim)","screen":"P","values":{"x":"\#(number)"}}"#)
            }
        }
        for (params, why) in [
            (#""history":0"#, "it was created with history 0"),
            (#""history":300"#, "it is more than the 300 bytes that are kept"),
        ] {
            try client.call("sim.create", #"{"scenario":"live","id":"a",\#(params)}"#)
            try fill("a")
            for (method, rest) in [
                ("sim.get", #","at":3"#), ("sim.check", #","at":3"#), ("sim.fork", #","at":3"#),
                ("sim.fork", ""),
                ("rec.start", #","path":"\#(bench.path("a.jsonl"))""#),
            ] {
                let refusal = try client.refusal(method, #"{"sim":"a"\#(rest)}"#)
                #expect(refusal.code == -32010 && refusal.kind == "gone", "\(method): \(refusal)")
                #expect(refusal.message.contains(why))
                #expect(refusal.json["data"]?["latest"] == 40)
            }
            try client.call("sim.destroy", #"["a"]"#)
        }
        #expect(!FileManager.default.fileExists(atPath: bench.path("a.jsonl")))
        #expect(try client.call("seam.stats")["memoryHistories"] == 0)

        // Recorded from its creation: the file is read while it is being written.
        try client.call(
            "sim.create", #"{"scenario":"live","id":"a","history":0,"record":"\#(bench.path("a.jsonl"))"}"#)
        try fill("a")
        #expect(try client.call("sim.get", #"{"sim":"a","at":5}"#)["fields"]?[0]?["shown"] == "4")
        try client.call("sim.fork", #"{"sim":"a","id":"f","at":7}"#)
        #expect(try client.call("sim.get", #"["f"]"#)["fields"]?[0]?["shown"] == "6")
        try client.call("sim.fork", #"{"sim":"a","id":"now"}"#)
        #expect(try client.call("sim.get", #"["now"]"#)["fields"]?[0]?["shown"] == "39")
        try client.call("rec.stop", #"["a"]"#)
        #expect(try client.refusal("sim.fork", #"["a"]"#).kind == "gone")
        // A fork keeps what its original keeps.
        #expect(try client.refusal("sim.fork", #"["f"]"#).kind == "gone")
    }

    @Test("histories give way to the daemon's memory before changes that somebody may resume from")
    func memory() throws {
        let client = try SeamProcess(["--memory", "4M", "--history-bytes", "3000000"]).connect()
        let value = String(repeating: "v", count: 20_000)
        for id in ["a", "b"] {
            try client.call("sim.create", #"{"scenario":"live","id":"\#(id)"}"#)
            for number in 0..<(id == "a" ? 100 : 10) {
                let params = #"{"sim":"\#(id)","screen":"P","values":{"x":"\#(value)\#(number)"}}"#
                try client.call("screen.set", params)
            }
        }
        let full = try client.call("seam.stats")
        let histories = try #require(full["memoryHistories"]?.integer)
        let rings = try #require(full["memoryRings"]?.integer)
        #expect(histories > 0 && histories + rings <= 4 << 20)
        // The longest went first.
        #expect(try client.refusal("sim.fork", #"["a","f"]"#).message.contains("gave way"))
        #expect(try client.call("sim.fork", #"["b","f"]"#)["seq"] == 10)
    }

    @Test("the trace of a simulation that is being made again counts, and gives way with the others'")
    func traces() throws {
        let limit = 1 << 20
        let daemon = try SeamProcess(["--memory", "1M", "--trace-bytes", "600000"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"a"}"#)
        for hundred in 0..<90 {
            let lines = (0..<100).map { number in
                let values = #"{"rowCount":\#(hundred * 100 + number)}"#
                return #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":\#(values)}}"#
            }
            try client.send(lines.joined(separator: "\n") + "\n")
            try client.call("seam.ping")
        }
        func number(_ name: String, _ stats: JSON) throws -> Int {
            try #require(stats[name]?.integer, "\(name)")
        }
        let before = try client.call("seam.stats")
        // Two of these traces, with the two histories of their inputs, are more than there is beside the ring.
        let rings = try number("memoryRings", before)
        let kept = try number("memoryTraces", before) + number("memoryHistories", before)
        #expect(2 * kept + rings > limit, "\(before.encoded)")
        let other = try daemon.connect()
        try other.sendLine(#"{"id":1,"method":"sim.fork","params":["a","f"]}"#)
        var (highest, looks) = (0, 0)
        while true {
            let stats = try client.call("seam.stats")
            if try number("simulations", stats) == 2 { break }
            if try number("replays", stats) == 1 { looks += 1 }
            let used = try ["memoryValues", "memoryTraces", "memoryHistories", "memoryRings"]
                .reduce(0) { try $0 + number($1, stats) }
            highest = max(highest, used)
        }
        #expect(looks > 0)
        // What one piece of the work adds before anybody looks.
        #expect(highest < limit + limit / 8, "\(highest)")
        _ = try other.nextReply()
        for sim in ["a", "f"] {
            let trace = try client.call("sim.trace", #"{"sim":"\#(sim)","from":9001}"#)
            #expect(try number("dropped", trace) > 0, "\(sim)")
            #expect(trace["records"]?.elements?.isEmpty == false, "\(sim)")
        }
    }

    @Test("wrong moments and names are told")
    func refusals() throws {
        let client = try SeamProcess().connect()
        try client.call("sim.create", #"["live","a"]"#)
        try client.call("screen.set", #"["a","P",{"x":1}]"#)
        for method in ["sim.get", "sim.check", "sim.fork"] {
            let refusal = try client.refusal(method, #"{"sim":"a","at":2}"#)
            #expect(refusal.code == -32011 && refusal.json["data"]?["latest"] == 1, "\(refusal)")
            #expect(try client.refusal(method, #"{"sim":"b","at":1}"#).kind == "unknown-sim")
            try client.call("seam.ping")
        }
        #expect(try client.refusal("sim.fork", #"["a","a"]"#).kind == "sim-exists")
        #expect(try client.refusal("sim.get", #"{"sim":"a","screen":"Q","at":1}"#).kind == "unknown-screen")
        #expect(
            try client.refusal("sim.check", #"{"sim":"a","fields":["y"],"at":1}"#).kind == "unknown-field")
        // P was not there yet: nobody had named it.
        #expect(try client.refusal("sim.get", #"{"sim":"a","screen":"P","at":0}"#).kind == "unknown-screen")
        let one = try SeamProcess(["--max-simulations", "1"]).connect()
        try one.call("sim.create", #"["live","a"]"#)
        #expect(try one.refusal("sim.fork", #"["a"]"#).json["data"]?["option"] == "--max-simulations")
    }

    @Test("a fork of a plug-in that is not deterministic is refused or told by its state, and harms nobody")
    func notDeterministic() throws {
        let folder = try TemporaryFolder()
        let client = try SeamProcess(["--plugin", try RecordingBench.buildLater(["-DADDRESS"], into: folder)])
            .connect()
        try client.call("sim.create", #"{"scenario":"later.desk","id":"a"}"#)
        try client.call("sub.open", #"["a"]"#)
        for number in 1...3 {
            try client.call("sim.send", #"{"sim":"a","event":"fetch"}"#)
            _ = try client.events { $0.params?["model"]?.text == "errand \(number)" }
        }
        do {
            try client.call("sim.fork", #"["a","f"]"#)
            #expect(
                try client.call("sim.get", #"["f"]"#)["fields"] == client.call("sim.get", #"["a"]"#)["fields"]
            )
        } catch let refusal as TestClient.Refusal {
            #expect(refusal.code == -32016 && refusal.kind == "not-repeatable")
            #expect(refusal.message.contains("has not posted"))
        }
        try client.call("sim.send", #"{"sim":"a","event":"fetch"}"#)
        _ = try client.events { $0.params?["model"]?.text == "errand 4" }
    }

    @Test("who watches the daemon sees a fork come with its fields")
    func watchers() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"["lessons.own-state","a"]"#)
        let watcher = try daemon.connect()
        try watcher.call("sub.open", #"{"start":"now"}"#)
        _ = try watcher.events(through: "sync")
        try client.call("sim.fork", #"["a","f"]"#)
        let seen = try watcher.events { $0.params?["field"] == "filter" }
        #expect(seen.map { $0.kind } == ["sim", "verdict", "verdict", "verdict"])
        #expect(seen.allSatisfy { $0.params?["sim"] == "f" })
        #expect(
            seen.dropFirst().allSatisfy { $0.params?["from"] == "out-of-scope" && $0.params?["seq"] == 3 })
        try client.call("model.set", #"["f",{"openCount":9}]"#)
        #expect(try watcher.nextEvent().params?["seq"] == 4)
        // Its stream begins behind what it has in common with the other.
        let epoch = try client.call("sim.get", #"["f"]"#)["epoch"]?.text ?? ""
        let gone = try client.refusal("sub.open", #"{"sim":"f","after":{"epoch":"\#(epoch)","seq":2}}"#)
        #expect(gone.kind == "gone" && gone.json["data"]?["oldest"] == 3)
        #expect(
            try client.call("sub.open", #"{"sim":"f","after":{"epoch":"\#(epoch)","seq":3}}"#)["count"] == 0)
        _ = try client.events(through: "sync")
        #expect(try client.nextEvent().params?["seq"] == 4)
    }

    @Test("in a batch and before other requests, answers keep their order")
    func order() throws {
        let client = try SeamProcess().connect()
        try client.call("sim.create", #"["live","a"]"#)
        for number in 0..<50 { try client.call("screen.set", #"["a","P",{"x":\#(number)}]"#) }
        try client.send(
            #"{"id":1,"method":"sim.get","params":{"sim":"a","at":10}}"# + "\n"
                + #"{"id":2,"method":"screen.set","params":["a","P",{"x":"later"}]}"# + "\n"
                + #"[{"id":3,"method":"sim.fork","params":["a","f",20]},{"id":4,"method":"sim.get","params":["a"]},"#
                + #"{"id":5,"method":"sim.get","params":{"sim":"a","at":30}}]"# + "\n"
                + #"{"id":6,"method":"sim.get","params":["f"]}"# + "\n")
        client.endSending()
        #expect(try client.nextReply()["result"]?["fields"]?[0]?["shown"] == "9")
        #expect(try client.nextReply()["id"] == 2)
        let batch = try client.nextReply().json.elements ?? []
        #expect(Set(batch.compactMap { $0["id"]?.integer }) == [3, 4, 5])
        let third = batch.first { $0["id"] == 5 }
        #expect(third?["result"]?["fields"]?[0]?["shown"] == "29")
        #expect(try client.nextReply()["result"]?["fields"]?[0]?["shown"] == "19")
        #expect(try client.readLine() == nil)
    }
}
