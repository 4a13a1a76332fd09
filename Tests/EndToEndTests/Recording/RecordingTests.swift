import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `rec.start`, `rec.stop`, `rec.replay` and `sim.create {record}`: what is in the file, and that it comes out the same.
@Suite struct RecordingTests {
    @Test("a recording holds each input as it was applied and each result in full, and replays the same")
    func file() throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call(
            "sim.create",
            #"{"scenario":"live","id":"a","seed":3,"record":"\#(bench.path("a.jsonl"))"}"#)
        try client.call("screen.declare", #"{"sim":"a","screen":"P","fields":["y"]}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"é\u2028\u0007","z":null}}"#)
        try client.call("sim.advance", #"{"sim":"a","ms":40}"#)
        try client.call("model.clear", #"{"sim":"a","keys":["x"]}"#)
        // Refused, and so not there.
        _ = try client.refusal("bridge.mount", #"{"sim":"a","bridge":"b"}"#)
        _ = try client.refusal("model.set", #"{"sim":"a","values":{"x":"1"},"ifSeq":99}"#)
        let stopped = try client.call("rec.stop", #"["a"]"#)
        let lines = try bench.lines("a.jsonl")
        #expect(
            lines == [
                #"{"seam":"recording","version":1,"scenario":"live","revision":0,"plugin":null,"params":{},"policies":{},"#
                    + #""profile":"lesson","seed":3,"clock":"virtual","turn":0}"#,
                #"{"in":"create","turn":1,"ms":0}"#,
                #"{"in":"screen.declare","turn":2,"ms":0,"screen":"P","fields":["y"]}"#,
                #"{"in":"screen.set","turn":3,"ms":0,"screen":"P","values":{"x":"é\u2028\u0007","z":null}}"#,
                #"{"out":"verdict","seq":1,"turn":3,"ms":0,"screen":"P","field":"x","from":"out-of-scope","#
                    + #""to":"leftover","model":null,"shown":"é\u2028\u0007"}"#,
                #"{"in":"sim.advance","turn":4,"ms":0,"to":40}"#,
                #"{"in":"model.set","turn":5,"ms":40,"values":{"x":null}}"#,
                #"{"out":"end","seq":1,"turn":5,"ms":40,"reason":"stopped"}"#,
            ])
        #expect(stopped["lines"]?.integer == lines.count)
        #expect(stopped["bytes"]?.integer == (try bench.bytes("a.jsonl").count))
        #expect(stopped["path"]?.text == bench.path("a.jsonl"))
        let replayed = try client.call("rec.replay", #"["\#(bench.path("a.jsonl"))"]"#)
        #expect(replayed == ["turns": 5, "lines": 7, "same": true])
        // Nobody else may read what a user's simulation shows.
        let mode = try FileManager.default.attributesOfItem(atPath: bench.path("a.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        // The replayed simulation is gone, and only one is there.
        #expect(try client.call("sim.list")["sims"]?.elements?.count == 1)
    }

    @Test("the place of a recording is told as the system has it, at its start as at its end")
    func place() throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call("sim.create", ##"{"scenario":"live","id":"a"}"##)
        let plain = bench.path("a.jsonl")
        let folder = plain.dropLast("/a.jsonl".count)
        let name = folder.split(separator: "/").last ?? ""
        let given = "\(folder)//.././\(name)/a.jsonl"
        let started = try client.call("rec.start", #"["a","\#(given)"]"#)
        #expect(started["path"]?.text == plain)
        #expect(try client.refusal("rec.start", #"["a","\#(given)2"]"#).message.contains("to \(plain);"))
        #expect(try client.call("rec.stop", #"["a"]"#)["path"]?.text == plain)
        // No file, and no other name for one.
        for path in ["\(folder)/", "\(folder)/missing/../b.jsonl", "a.jsonl", given] {
            _ = try client.refusal("rec.start", #"["a","\#(path)"]"#)
        }
        #expect(try client.call("seam.ping") != .null)
    }

    /// Eight hosts that a coordinator keeps by number end in the order of its dictionary.
    @Test("what pasted code keeps in a dictionary goes in the same order when it is replayed")
    func dictionary() throws {
        let bench = try RecordingBench()
        let client = bench.client
        for name in ["a", "b", "c"] {
            let path = bench.path("\(name).jsonl")
            try client.call(
                "sim.create", #"{"scenario":"fieldcases.fc-016","id":"\#(name)","record":"\#(path)"}"#)
            try client.call("bridge.items", #"{"sim":"\#(name)","bridge":"grid","items":["b"]}"#)
            try client.call("seam.ping")
            try client.call("rec.stop", #"["\#(name)"]"#)
            #expect(try client.call("rec.replay", #"["\#(path)"]"#)["same"] == true)
        }
        #expect(try bench.lines("a.jsonl") == bench.lines("b.jsonl"))
        #expect(try bench.lines("a.jsonl") == bench.lines("c.jsonl"))
    }

    @Test("one that begins later holds the inputs from before, and compares from where it began")
    func later() throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-empty","id":"a"}"#)
        try client.call("model.set", #"{"sim":"a","values":{"rowCount":5}}"#)
        let started = try client.call("rec.start", #"["a","\#(bench.path("a.jsonl"))"]"#)
        #expect(started == ["sim": "a", "path": .string(bench.path("a.jsonl")), "turn": 2])
        try client.call("model.set", #"{"sim":"a","values":{"rowCount":6}}"#)
        try client.call("sim.destroy", #"["a"]"#)
        // The end of the simulation is the end of the recording; what came of it is there, though nobody waited.
        var lines: [String] = []
        let deadline = ContinuousClock.now + .seconds(20)
        while lines.last?.contains(#""reason":"destroyed""#) != true && ContinuousClock.now < deadline {
            lines = try bench.lines("a.jsonl")
        }
        #expect(
            lines[0].contains(#""scenario":"lessons.wrapping-empty""#) && lines[0].hasSuffix(#""turn":2}"#))
        #expect(
            lines[1...3] == [
                #"{"in":"create"}"#, #"{"in":"model.set","values":{"rowCount":"5"}}"#,
                #"{"out":"begin","seq":3,"turn":2,"ms":0}"#,
            ])
        #expect(lines.contains(#"{"in":"sim.destroy","turn":4,"ms":0}"#))
        let path = bench.path("a.jsonl")
        let replayed = try client.call("rec.replay", #"["\#(path)"]"#)
        #expect(replayed["same"] == true && replayed["turns"] == 4, "\(replayed.encoded)")
        #expect(replayed["lines"]?.integer == lines.count - 1)
        // Kept, it is as it was before it was destroyed.
        let kept = try client.call("rec.replay", #"{"path":"\#(path)","keep":true,"id":"k"}"#)
        #expect(kept["sim"] == "k" && kept["turns"] == 3)
        let fields = try client.call("sim.get", #"["k"]"#)["fields"]?.elements
        #expect(fields?.last?["verdict"] == "stale" && fields?.last?["model"] == "6")
        // The prefix is compared where it ends: another past is found out.
        try bench.write(
            "b.jsonl", lines: lines.map { $0.replacing(#""rowCount":"5""#, with: #""rowCount":"3""#) })
        let other = try client.call("rec.replay", #"["\#(bench.path("b.jsonl"))"]"#)
        #expect(other["difference"]?["line"] == 4)
        #expect(other["difference"]?["got"]?.text == #"{"out":"begin","seq":2,"turn":2,"ms":0}"#)
    }

    static let scenarios: [String] = {
        guard let listed = try? SeamProcess().connect().call("scenario.list") else { return [] }
        // `pasted.late` works in real time, and tells so (`real-time`).
        return (listed["scenarios"]?.elements ?? []).compactMap { $0["id"]?.text }
            .filter { !["live", "pasted.late"].contains($0) }
    }()

    @Test("the plug-ins of this build are there")
    func plugins() {
        for prefix in ["coordinator.", "counter.", "lessons.", "migration.", "rules."] {
            #expect(Self.scenarios.contains { $0.hasPrefix(prefix) })
        }
    }

    @Test(
        "the same seed and events give the same bytes, in another simulation and in another daemon",
        arguments: scenarios)
    func sameBytes(scenario: String) throws {
        let (first, second) = (try RecordingBench(), try RecordingBench())
        var files: [[UInt8]] = []
        for (bench, id) in [(first, "a"), (first, "b"), (second, "c")] {
            let client = bench.client
            try client.call(
                "sim.create",
                #"{"scenario":"\#(scenario)","id":"\#(id)","seed":9,"record":"\#(bench.path("\(id).jsonl"))"}"#
            )
            var driver = try Driver(scenario, seed: 4, on: client)
            for _ in 0..<60 {
                let (method, params) = driver.next()
                _ = try client.outcome(method, id, params)
            }
            try client.call("rec.stop", #"["\#(id)"]"#)
            files.append(try bench.bytes("\(id).jsonl"))
        }
        #expect(files[0] == files[1])
        #expect(files[0] == files[2])
        let lines = files[0].split(separator: 0x0A).count
        // In the daemon that made it, and in one that did not.
        for client in [first.client, second.client] {
            let replayed = try client.call("rec.replay", #"["\#(first.path("a.jsonl"))"]"#)
            #expect(
                replayed["same"] == true && replayed["lines"]?.integer == lines - 1, "\(replayed.encoded)")
        }
    }

    @Test("a long recording replays byte for byte, and others are served meanwhile")
    func long() throws {
        let bench = try RecordingBench()
        let client = bench.client
        let events = isLong ? 100_000 : 5_000
        let path = bench.path("a.jsonl")
        try client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(path)"}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"0","y":"0","z":"0"}}"#)
        // Notifications: what is measured is the recording, not the answers.
        var sent = 0
        while sent < events {
            var block = ""
            for number in sent..<min(sent + 1000, events) {
                let key = ["x", "y", "z"][number % 3]
                let method = number % 2 == 0 ? "model.set" : "screen.set"
                let screen = number % 2 == 0 ? "" : #""screen":"P","#
                block +=
                    #"{"jsonrpc":"2.0","method":"\#(method)","params":{"sim":"a",\#(screen)"values":{"\#(key)":"v\#(number)"}}}"#
                block += "\n"
            }
            try client.send(block)
            sent += 1000
        }
        let stopped = try client.call("rec.stop", #"["a"]"#, within: .seconds(120))
        let lines = try #require(stopped["lines"]?.integer)
        #expect(lines > 2 * events)
        #expect(try bench.bytes("a.jsonl").filter { $0 == 0x0A }.count == lines)

        let other = try bench.daemon.connect()
        try client.sendLine(#"{"id":7,"method":"rec.replay","params":["\#(path)"]}"#)
        // A request of the same client waits, one of another does not.
        try client.sendLine(#"{"id":8,"method":"seam.ping"}"#)
        var pings = 0
        var slowest = Duration.zero
        let begin = ContinuousClock.now
        let watcher = try bench.daemon.connect()
        try watcher.sendLine(#"{"method":"sub.open"}"#)
        repeat {
            let before = ContinuousClock.now
            try other.call("seam.ping")
            slowest = max(slowest, ContinuousClock.now - before)
            pings += 1
        } while pings < 20
        let replayed = try client.nextReply(within: .seconds(300))
        #expect(replayed["id"] == 7 && replayed["result"]?["same"] == true, "\(replayed.line.prefix(500))")
        #expect(replayed["result"]?["lines"]?.integer == lines - 1)
        #expect(try client.nextReply()["id"] == 8)
        print(
            "replay: \(lines) lines in \(ContinuousClock.now - begin), the slowest of \(pings) pings took \(slowest)"
        )
        #expect(slowest < .seconds(1))
        // The history knows as much: any turn can be looked at.
        let half = try client.call(
            "sim.get", #"{"sim":"a","atTurn":\#(events / 2)}"#, within: .seconds(300))
        #expect(half["turn"]?.integer == events / 2)
        #expect(half["fields"]?.elements?.contains { $0["shown"]?.text == "v\(events / 2 - 3)" } == true)
    }

    // MARK: Differences

    @Test("the first line that comes out otherwise is told, with both")
    func difference() throws {
        let bench = try RecordingBench()
        let client = bench.client
        let path = bench.path("a.jsonl")
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"a","record":"\#(path)"}"#)
        try client.call("model.set", #"{"sim":"a","values":{"openCount":7}}"#)
        try client.call("model.set", #"{"sim":"a","values":{"openCount":8}}"#)
        try client.call("rec.stop", #"["a"]"#)
        let lines = try bench.lines("a.jsonl")
        func replay(_ changed: [String]) throws -> JSON {
            try bench.write("b.jsonl", lines: changed)
            return try client.call("rec.replay", #"["\#(bench.path("b.jsonl"))"]"#)
        }
        let place = try #require(lines.lastIndex { $0.contains(#""out":"verdict""#) })
        // Another value, a line too few, a line too many, the order, the turn of an input, the end.
        var changed = lines
        changed[place] = changed[place].replacing(#""model":"8""#, with: #""model":"9""#)
        var result = try replay(changed)
        #expect(result["same"] == false && result["difference"]?["line"]?.integer == place + 1)
        #expect(result["difference"]?["turn"] == 3)
        #expect(result["difference"]?["expected"]?.text == changed[place])
        #expect(result["difference"]?["got"]?.text == lines[place])
        changed = lines
        changed.remove(at: place)
        result = try replay(changed)
        #expect(result["difference"]?["line"]?.integer == place + 1)
        #expect(result["difference"]?["got"]?.text == lines[place])
        changed = lines
        changed.insert(lines[place], at: place)
        result = try replay(changed)
        #expect(result["difference"]?["line"]?.integer == place + 2)
        #expect(result["difference"]?["got"] == .null)
        changed = lines
        let input = try #require(lines.lastIndex { $0.contains(#""in":"model.set""#) })
        changed[input] = changed[input].replacing(#""turn":3"#, with: #""turn":4"#)
        result = try replay(changed)
        #expect(result["difference"]?["line"]?.integer == input + 1)
        #expect(result["difference"]?["got"]?.text == lines[input])
        changed = lines
        changed[lines.count - 1] = #"{"out":"end","seq":1,"turn":3,"ms":0,"reason":"stopped"}"#
        result = try replay(changed)
        #expect(result["difference"]?["line"]?.integer == lines.count)
        // An input that is refused today.
        changed = lines
        changed[input] = changed[input].replacing("openCount", with: "noSuchKey")
        result = try replay(changed)
        #expect(result["difference"]?["line"]?.integer == input + 1)
        #expect(result["difference"]?["got"] == .null)
        #expect(result["difference"]?["text"]?.text?.contains("no model key noSuchKey") == true)
        // With keep it stays as it was at the difference.
        let kept = try client.call("rec.replay", #"{"path":"\#(bench.path("b.jsonl"))","keep":true}"#)
        #expect(kept["sim"]?.text != nil && kept["same"] == false)
        #expect(try replay(lines)["same"] == true)
    }

    @Test(
        "a plug-in that is not deterministic is told by the difference", arguments: ["global", "own_random"])
    func notDeterministic(fault: String) throws {
        let planted = try Planted(fault)
        let bench = try RecordingBench(["--plugin", planted.file])
        let client = bench.client
        let path = bench.path("a.jsonl")
        try client.call("sim.create", #"{"scenario":"planted.first","id":"a","record":"\#(path)"}"#)
        for _ in 0..<3 { try client.call("sim.send", #"{"sim":"a","event":"rename","args":{"name":"x"}}"#) }
        try client.call("rec.stop", #"["a"]"#)
        let result = try client.call("rec.replay", #"["\#(path)"]"#)
        #expect(result["same"] == false && result["difference"]?["turn"] == 2, "\(result.encoded)")
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test(
        "posts of a plug-in's threads are recorded and waited for; what is not posted again is not brought to it"
    )
    func posts() throws {
        let folder = try TemporaryFolder()
        for flags in [[], ["-DADDRESS"]] {
            let bench = try RecordingBench(["--plugin", try RecordingBench.buildLater(flags, into: folder)])
            let client = bench.client
            let path = bench.path("a.jsonl")
            try client.call("sim.create", #"{"scenario":"later.desk","id":"a","seed":2,"record":"\#(path)"}"#)
            try client.call("sub.open", #"["a"]"#)
            for number in 1...8 {
                try client.call("sim.send", #"{"sim":"a","event":"fetch"}"#)
                _ = try client.events { $0.params?["model"]?.text == "errand \(number)" }
                try client.call("sim.send", #"{"sim":"a","event":"later","args":{"ms":\#(number * 7 % 40)}}"#)
                try client.call("sim.advance", #"{"sim":"a","ms":20}"#)
            }
            try client.call("rec.stop", #"["a"]"#)
            #expect(try bench.lines("a.jsonl").filter { $0.contains(#"{"in":"post""#) }.count == 8)
            let result = try client.call("rec.replay", #"["\#(path)"]"#)
            if flags.isEmpty {
                #expect(result["same"] == true, "\(result.encoded)")
            } else {
                // An address of then: the heap may give the same one again, which is then one of now.
                let text = result["difference"]?["text"]?.text ?? ""
                #expect(result["same"] == true || text.contains("has not posted"), "\(result.encoded)")
            }
            try client.call("seam.ping")
        }
    }

    @Test("the real clock is recorded with its moments")
    func realClock() throws {
        let folder = try TemporaryFolder()
        let bench = try RecordingBench(["--plugin", try RecordingBench.buildLater(into: folder)])
        let client = bench.client
        let path = bench.path("a.jsonl")
        try client.call(
            "sim.create", #"{"scenario":"later.desk","id":"a","clock":"real","record":"\#(path)"}"#)
        try client.call("sub.open", #"["a"]"#)
        for number in 1...4 {
            try client.call("sim.send", #"{"sim":"a","event":"later","args":{"ms":\#(number * 3)}}"#)
        }
        _ = try client.events { $0.params?["model"]?.text?.hasPrefix("4 drew") == true }
        try client.call("rec.stop", #"["a"]"#)
        let lines = try bench.lines("a.jsonl")
        #expect(lines[0].contains(#""clock":"real""#))
        #expect(lines.contains { $0.hasPrefix(#"{"in":"clock""#) && $0.contains(#""ns":"#) })
        let result = try client.call("rec.replay", #"["\#(path)"]"#)
        #expect(result["same"] == true && result["lines"]?.integer == lines.count - 1, "\(result.encoded)")
        // A fork goes on by the real clock, from there on.
        try client.call("sim.fork", #"{"sim":"a","id":"f"}"#)
        try client.call("sub.open", #"["f"]"#)
        #expect(try client.refusal("sim.advance", #"["f",1]"#).kind == "conflicting-params")
        try client.call("sim.send", #"{"sim":"f","event":"later","args":{"ms":5}}"#)
        _ = try client.events {
            $0.params?["sim"] == "f" && $0.params?["model"]?.text?.hasPrefix("5 drew") == true
        }
    }
}
