import SeamTestSupport
import SeamWire
import Testing

/// What a subscriber sees: the state at one moment, then every change, in order and once.
@Suite final class StreamTests {
    /// Lives as long as the test: a daemon that nobody holds is killed.
    private var running: SeamProcess?

    /// A daemon with a live simulation `a`, whose screen `Main` shows what these keys should be.
    private func live(_ keys: [String] = ["x"], _ arguments: [String] = []) throws -> (
        SeamProcess, TestClient
    ) {
        let daemon = try SeamProcess(arguments)
        running = daemon
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        if !keys.isEmpty {
            try client.call("screen.set", #"{"sim":"a","screen":"Main","values":\#(object(keys, "0"))}"#)
            try client.call("model.set", #"{"sim":"a","values":\#(object(keys, "0"))}"#)
        }
        return (daemon, client)
    }

    private func object(_ keys: [String], _ value: String) -> String {
        "{" + keys.map { #""\#($0)":"\#(value)""# }.joined(separator: ",") + "}"
    }

    private func set(_ client: TestClient, _ key: String, _ value: Int) throws {
        try client.call("model.set", #"{"sim":"a","values":{"\#(key)":"\#(value)"}}"#)
    }

    // MARK: Readers that go

    @Test("a reader that is gone gives up its place at once, half a close goes on reading")
    func goneReader() throws {
        let (daemon, client) = try live(["x"])
        // One after the other, as a page that is loaded again and again does.
        for _ in 0..<300 {
            let reader = try daemon.connect()
            try reader.call("sub.open", #"{"sim":"a"}"#)
            reader.close()
        }
        let half = try daemon.connect()
        try half.call("sub.open", #"{"sim":"a","start":"now"}"#)
        half.endSending()
        // The daemon hears of the ends in the order in which it comes to them, within a round or two.
        var left = 300
        for _ in 0..<1000 where left > 2 {
            left = try #require(try client.call("seam.stats")["connections"]?.integer)
        }
        #expect(left == 2)
        try set(client, "x", 7)
        #expect(try half.events(through: "verdict").last?.params?["model"]?.text == "7")
    }

    // MARK: Snapshot and changes

    @Test("a field goes stale and matches again, in these very lines")
    func verdictPath() throws {
        let (_, client) = try live(["x", "y"])
        #expect(try client.call("sub.open", #"{"sim":"a"}"#)["count"] == 2)
        let head = #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"a","kind":"#
        let field = #""screen":"Main","field":"x","#
        #expect(
            try client.events(through: "sync").map(\.line) == [
                head
                    + #""state","seq":4,"screen":"Main","field":"x","verdict":"matching","model":"0","shown":"0"}}"#,
                head
                    + #""state","seq":4,"screen":"Main","field":"y","verdict":"matching","model":"0","shown":"0"}}"#,
                head + #""sync","seq":4}}"#,
            ])
        try client.call("model.set", #"{"sim":"a","values":{"x":1}}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{"x":"1"}}"#)
        #expect(
            try [client.nextEvent().line, client.nextEvent().line] == [
                head + #""verdict","seq":5,"turn":4,"ms":0,"# + field
                    + #""from":"matching","to":"stale","model":"1","shown":"0"}}"#,
                head + #""verdict","seq":6,"turn":5,"ms":0,"# + field
                    + #""from":"stale","to":"matching","model":"1","shown":"1"}}"#,
            ])
    }

    @Test("a value that a line cannot show in full comes cut at a character, with its size")
    func longValue() throws {
        let (_, client) = try live([])
        try client.call("sub.open", #"{"sim":"a"}"#)
        let value = "x" + String(repeating: "é", count: 3000)
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{"x":"\#(value)"}}"#)
        let line = try #require(try client.events(through: "verdict").last?.params)
        #expect(line["shown"]?.text == "x" + String(repeating: "é", count: 2047))
        #expect(line["shownBytes"] == 6001)
        #expect(line["modelBytes"] == nil)
    }

    @Test("start now gives no state; only verdicts leaves out what keeps its verdict")
    func startNowAndOnlyVerdicts() throws {
        let (_, client) = try live()
        #expect(try client.call("sub.open", #"{"sim":"a","start":"now","only":"verdicts"}"#)["count"] == 0)
        for value in 1...3 { try set(client, "x", value) }
        try set(client, "x", 0)
        let kinds = try client.events { $0.params?["to"] == "matching" }.map { $0.kind }
        #expect(kinds == ["sync", "verdict", "verdict"])
    }

    @Test(
        "a glob picks fields; only * is special",
        arguments: [
            ("*", "abc"), ("Main.*", "abc"), ("Main.a", "a"), ("*.c", "c"), ("M*.b", "b"), ("Main.?", ""),
            ("main.a", ""), ("Main*", "abc"),
        ])
    func globs(glob: String, expected: String) throws {
        let (_, client) = try live(["a", "b", "c"])
        #expect(
            try client.call("sub.open", #"{"sim":"a","match":["\#(glob)"]}"#)["count"]?.integer
                == expected.count)
        #expect(
            try client.events(through: "sync").compactMap { $0.params?["field"]?.text }.joined() == expected)
        for key in ["a", "b", "c"] { try set(client, key, 1) }
        #expect(client.takeEvents().compactMap { $0.params?["field"]?.text }.joined() == expected)
    }

    @Test("a filter follows fields that come later")
    func laterFields() throws {
        let (_, client) = try live(["a"])
        try client.call("sub.open", #"{"sim":"a","match":["*.b*"]}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"Other","values":{"c":"1","b.c":"1","b":"1"}}"#)
        #expect(client.takeEvents().compactMap { $0.params?["field"]?.text } == ["b.c", "b"])
    }

    @Test("a snapshot of many fields shows the moment of the cut, whatever changes while it is sent")
    func snapshotUnderWrites() throws {
        let keys = (0..<4000).map { "field\($0)" }
        let (daemon, client) = try live(keys)
        let reader = try daemon.connect()
        let opened = try reader.call("sub.open", #"{"sim":"a"}"#)
        #expect(opened["count"]?.integer == keys.count)
        // The reader does not read on yet: most of the snapshot waits for it while the fields change.
        try client.call("model.set", #"{"sim":"a","values":\#(object(keys, "1"))}"#)
        let lines = try reader.events(through: "sync")
        #expect(lines.count == keys.count + 1)
        #expect(
            lines.dropLast().allSatisfy { $0.params?["model"] == "0" && $0.params?["seq"] == opened["seq"] })
        let changes = try (0..<keys.count).map { _ in try reader.nextEvent() }
        #expect(Set(changes.compactMap { $0.params?["field"]?.text }) == Set(keys))
        #expect(changes.first?.params?["seq"]?.integer == (opened["seq"]?.integer).map { $0 + 1 })
    }

    // MARK: Order

    @Test("event lines come before the reply to what caused them")
    func linesBeforeReply() throws {
        let (_, client) = try live()
        try client.call("sub.open", #"{"sim":"a"}"#)
        try client.send(
            (1...200).map {
                #"{"id":\#($0),"method":"model.set","params":{"sim":"a","values":{"x":"\#($0)"}}}"# + "\n"
            }
            .joined())
        _ = try client.events(through: "sync")
        for value in 1...200 {
            let event = try JSON(parsing: try #require(try client.readLine()))
            #expect(event["params"]?["model"]?.text == "\(value)")
            let reply = try JSON(parsing: try #require(try client.readLine()))
            #expect(reply["id"]?.integer == value)
        }
    }

    @Test("a reply waits behind its event lines even when there is no room for them")
    func replyBehindAFullBuffer() throws {
        let keys = (0..<2000).map { "a-field-with-quite-a-long-name-\($0)" }
        let (_, client) = try live(keys)
        try client.call("sub.open", #"{"sim":"a","mode":"all","start":"now"}"#)
        try client.sendLine(
            #"{"id":"set","method":"model.set","params":{"sim":"a","values":\#(object(keys, "1"))}}"#)
        try client.sendLine(#"{"id":"ping","method":"seam.ping"}"#)
        var order: [String] = []
        while order.last != "ping" {
            let line = try JSON(parsing: try #require(try client.readLine()))
            order.append(line["id"]?.text ?? line["params"]?["kind"]?.text ?? "")
        }
        #expect(order == ["sync"] + keys.map { _ in "verdict" } + ["set", "ping"])
    }

    @Test("a batch is one line; the lines of a subscription that it opens follow it")
    func batch() throws {
        let (_, client) = try live()
        try client.call("sub.open", #"{"sim":"a"}"#)
        _ = try client.events(through: "sync")
        try client.sendLine(
            #"""
            [{"id":1,"method":"sub.open","params":{"sim":"a"}},\#
            {"id":2,"method":"model.set","params":{"sim":"a","values":{"x":"1"}}},\#
            {"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"x":"2"}}},\#
            {"id":3,"method":"no.such"}]
            """#)
        func next() throws -> JSON { try JSON(parsing: try #require(try client.readLine())) }
        #expect(try next()["params"]?["seq"] == 3)
        #expect(try next()["params"]?["seq"] == 4)
        let answer = try next()
        #expect(answer.elements?.map { $0["id"]?.integer } == [1, 2, 3])
        #expect(answer[2]?["error"]?["code"] == -32601)
        let after = try (0..<4).map { _ in try next() }.map { $0["params"]?["kind"]?.text }
        #expect(after == ["state", "sync", "verdict", "verdict"])
    }

    @Test("a batch of notifications alone is answered with nothing")
    func silentBatch() throws {
        let (_, client) = try live()
        try client.sendLine(
            #"[{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"x":"9"}}},{"jsonrpc":"2.0","method":"nope"}]"#
        )
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["fields"]?[0]?["model"] == "9")
    }

    // MARK: Ends

    @Test("close: the end line comes before the reply, and nothing after it")
    func close() throws {
        let (_, client) = try live()
        try client.call("sub.open", #"{"sim":"a"}"#)
        try client.sendLine(#"{"id":1,"method":"sub.close","params":{"sub":1}}"#)
        #expect(try client.events(through: "end").last?.params?["reason"] == "closed")
        #expect(try client.nextReply()["result"]?["sub"] == 1)
        try set(client, "x", 1)
        #expect(client.takeEvents().isEmpty)
        #expect(try client.refusal("sub.close", #"{"sub":1}"#).code == -32003)
    }

    @Test("destroying a simulation ends its subscriptions after their last change")
    func destroyed() throws {
        let (daemon, client) = try live()
        let reader = try daemon.connect()
        try reader.call("sub.open", #"{"sim":"a"}"#)
        try set(client, "x", 1)
        try client.call("sim.destroy", #"{"sim":"a"}"#)
        let lines = try reader.events(through: "end")
        #expect(lines.map { $0.kind } == ["state", "sync", "verdict", "end"])
        #expect(lines.last?.params?["reason"] == "destroyed")
        #expect(try reader.refusal("sim.get", #"{"sim":"a"}"#).code == -32001)
    }

    @Test("a quiet stream says every few seconds how far it is")
    func mark() throws {
        let (_, client) = try live()
        try client.call("sub.open", #"{"sim":"a"}"#)
        #expect(try client.events(through: "mark").last?.params?["seq"] == 2)
    }

    @Test("a simulation made for a connection goes with it")
    func lifetime() throws {
        let daemon = try SeamProcess()
        let watcher = try daemon.connect()
        try watcher.call("sub.open", "{}")
        let owner = try daemon.connect()
        try owner.call("sim.create", #"{"scenario":"live","id":"mine","lifetime":"connection"}"#)
        owner.close()
        let lines = try watcher.events { $0.params?["what"] == "destroyed" }
        #expect(lines.last?.params?["sim"] == "mine")
        #expect(try watcher.call("sim.list")["sims"]?.elements == [])
    }

    // MARK: Resume

    @Test("after gives exactly the changes that were missed")
    func resume() throws {
        let (_, client) = try live()
        let first = try client.call("sub.open", #"{"sim":"a"}"#)
        let epoch = try #require(first["epoch"]?.text)
        try client.call("sub.close", #"{"sub":1}"#)
        for value in 1...10 { try set(client, "x", value) }
        _ = client.takeEvents()
        let again = try client.call("sub.open", #"{"sim":"a","after":{"epoch":"\#(epoch)","seq":5}}"#)
        #expect(again["seq"] == 5)
        #expect(again["count"] == 0)
        try set(client, "x", 99)
        let lines = try client.events { $0.params?["model"] == "99" }
        #expect(lines.map { $0.params?["seq"]?.integer } == [5, 6, 7, 8, 9, 10, 11, 12, 13])
        #expect(lines.first?.kind == "sync")
    }

    @Test("a cursor from the future, from another epoch or from before the ring is told so")
    func refusedResume() throws {
        let (_, client) = try live(["x"], ["--ring-entries", "4"])
        for value in 1...10 { try set(client, "x", value) }
        let epoch = try #require(try client.call("sim.get", #"{"sim":"a"}"#)["epoch"]?.text)
        func refusal(_ after: String) throws -> TestClient.Refusal {
            try client.refusal("sub.open", #"{"sim":"a","after":\#(after)}"#)
        }
        let future = try refusal(#"{"epoch":"\#(epoch)","seq":13}"#)
        #expect(future.code == -32011)
        #expect(future.json["data"]?["latest"] == 12)
        let gone = try refusal(#"{"epoch":"\#(epoch)","seq":7}"#)
        #expect(gone.code == -32010)
        #expect(gone.json["data"]?["oldest"] == 8)
        #expect(try refusal(#"{"epoch":"0123456789abcdef","seq":12}"#).code == -32010)
        #expect(try refusal(#"{"epoch":"\#(epoch)","seq":-1}"#).code == -32602)
        #expect(try refusal(#"{"epoch":"\#(epoch)","seq":9007199254740992}"#).code == -32602)
        let tooBig =
            #"{"method":"sub.open","params":{"sim":"a","after":{"epoch":"\#(epoch)","seq":18446744073709551616}}}"#
        #expect(try client.reply(to: tooBig)["error"]?["data"]?["kind"] == "number-range")
        #expect(
            try client.refusal(
                "sub.open", #"{"sim":"a","start":"now","after":{"epoch":"\#(epoch)","seq":9}}"#
            ).code
                == -32602)
        try client.call("sub.open", #"{"sim":"a","mode":"all","after":{"epoch":"\#(epoch)","seq":8}}"#)
        #expect(try client.events { $0.params?["seq"] == 12 }.count == 5)
    }

    // MARK: The daemon's stream

    @Test("without sim a subscription sees every simulation, with a number of its own")
    func daemonWide() throws {
        let (daemon, client) = try live()
        let watcher = try daemon.connect()
        let opened = try watcher.call("sub.open", #"{"match":["a/*","b/*.y"]}"#)
        #expect(opened["count"] == 1)
        let snapshot = try watcher.events(through: "sync")
        #expect(snapshot.map { $0.params?["dseq"]?.integer } == [0, 0, 0])
        #expect(snapshot.map(\.kind) == ["sim", "state", "sync"])
        #expect(snapshot[1].params?["seq"] == 2)
        try client.call("sim.create", #"{"scenario":"live","id":"b"}"#)
        try client.call("screen.set", #"{"sim":"b","screen":"S","values":{"y":"1","z":"1"}}"#)
        try set(client, "x", 1)
        try client.call("sim.destroy", #"{"sim":"b"}"#)
        let lines = try watcher.events { $0.params?["what"] == "destroyed" }
        #expect(
            lines.map { $0.line.split(separator: ",\"turn").first.map(String.init) } == [
                #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"dseq":1,"sim":"b","kind":"sim","what":"created","scenario":"live","epoch":"\#(lines[0].params?["epoch"]?.text ?? "")"}}"#,
                #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"dseq":2,"sim":"b","kind":"verdict","seq":1"#,
                #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"dseq":4,"sim":"a","kind":"verdict","seq":3"#,
                #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"dseq":5,"sim":"b","kind":"sim","what":"destroyed","scenario":"live","epoch":"\#(lines[0].params?["epoch"]?.text ?? "")"}}"#,
            ])
        // Its number can be resumed from while somebody watches, or has just stopped to.
        let epoch = try #require(opened["epoch"]?.text)
        watcher.close()
        try set(client, "x", 2)
        let again = try daemon.connect()
        try again.call("sub.open", #"{"after":{"epoch":"\#(epoch)","dseq":4}}"#)
        #expect(try again.events { $0.params?["dseq"] == 6 }.map { $0.kind } == ["sync", "sim", "verdict"])
    }

    @Test("a cursor into what nobody recorded is refused, also the first of all")
    func neverWatched() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let epoch = try #require(try client.call("seam.hello")["daemonEpoch"]?.text)
        let after = #"{"after":{"epoch":"\#(epoch)","dseq":0}}"#
        // Nothing has happened, so nothing is missed.
        let early = try daemon.connect()
        #expect(try early.call("sub.open", after)["dseq"] == 0)
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        #expect(try early.events { $0.kind == "sim" }.last?.params?["dseq"] == 1)
        #expect(try client.call("sub.open", after)["dseq"] == 0)

        let late = try SeamProcess()
        let reader = try late.connect()
        try reader.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let its = try #require(try reader.call("seam.hello")["daemonEpoch"]?.text)
        let refusal = try reader.refusal("sub.open", #"{"after":{"epoch":"\#(its)","dseq":0}}"#)
        #expect(refusal.code == -32010, "\(refusal)")
        #expect(try reader.call("sub.open")["dseq"] == 0)
        #expect(try reader.call("sub.open", #"{"after":{"epoch":"\#(its)","dseq":0}}"#)["dseq"] == 0)
    }

    @Test("the snapshot of the daemon names every simulation before its fields, those without fields too")
    func daemonSnapshot() throws {
        let (daemon, client) = try live()
        try client.call("sim.create", #"{"scenario":"live","id":"empty"}"#)
        let failing = try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"c"}"#)
        let watcher = try daemon.connect()
        func snapshot(_ params: String) throws -> [String] {
            let opened = try watcher.call("sub.open", params)
            let lines = try watcher.events(through: "sync")
            #expect(opened["count"]?.integer == lines.count { $0.kind == "state" })
            #expect(lines.allSatisfy { $0.params?["dseq"] == opened["dseq"] })
            for line in lines where line.kind == "sim" {
                #expect(line.params?["what"] == "exists" && line.params?["status"] == "running")
                let epoch = try client.call("sim.get", #"{"sim":"\#(line.params?["sim"]?.text ?? "")"}"#)[
                    "epoch"]
                #expect(line.params?["epoch"] == epoch && epoch != nil)
            }
            try watcher.call("sub.close", #"{"sub":\#(opened["sub"]?.integer ?? 0)}"#)
            _ = watcher.takeEvents()
            return lines.dropLast().map {
                "\($0.kind ?? "") \($0.params?["sim"]?.text ?? "") \($0.params?["scenario"]?.text ?? $0.params?["field"]?.text ?? "")"
            }
        }
        #expect(failing["sim"] == "c")
        let sims = ["sim a live", "sim empty live", "sim c lessons.own-state"]
        let own = ["title", "openCount", "filter", "isExpanded"].map { "state c \($0)" }
        #expect(try snapshot("{}") == [sims[0], "state a x", sims[1], sims[2]] + own)
        #expect(try snapshot(#"{"match":["nosuch/*"]}"#) == sims)
        #expect(
            try snapshot(#"{"match":["c/*.title"],"only":"verdicts","mode":"all"}"#) == sims + own.prefix(1))
        // Without a snapshot nobody is named, and of one simulation's own stream nothing is said of others.
        #expect(try snapshot(#"{"start":"now"}"#) == [])
        try client.call("sim.destroy", #"{"sim":"empty"}"#)
        try client.call("sim.destroy", #"{"sim":"c"}"#)
        try client.call("sim.destroy", #"{"sim":"a"}"#)
        #expect(try snapshot("{}") == [])
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    // MARK: Slow readers

    /// Opens a subscription on a connection that then reads nothing, and makes `changes` changes to `keys`.
    private func stopped(
        mode: String, keys: [String], changes: Int, _ arguments: [String] = []
    ) throws -> (SeamProcess, TestClient, TestClient) {
        let (daemon, client) = try live(keys, arguments)
        let reader = try daemon.connect()
        try reader.call("sub.open", #"{"sim":"a","mode":"\#(mode)"}"#)
        _ = try reader.events(through: "sync")
        var lines = ""
        for change in 1...changes {
            lines +=
                #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"\#(keys[change % keys.count])":"\#(change)"}}}"#
                + "\n"
        }
        try client.send(lines)
        try client.call("seam.ping")
        return (daemon, client, reader)
    }

    @Test("latest: a reader that stops gets one lag and then the newest of each field")
    func slowLatest() throws {
        let keys = (0..<50).map { "k\($0)" }
        let changes = 100_000
        let (daemon, client, reader) = try stopped(mode: "latest", keys: keys, changes: changes)
        let final = try client.call("sim.get", #"{"sim":"a"}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"Other","values":{"last":"the end"}}"#)
        let lines = try reader.events { $0.params?["shown"] == "the end" }
        #expect(lines.count < changes / 2)
        var shown: [String: String] = [:]
        var last = 0
        for line in lines.compactMap(\.params) where line["kind"] == "verdict" {
            let seq = try #require(line["seq"]?.integer)
            #expect(seq > last)
            last = seq
            shown[line["field"]?.text ?? ""] = line["model"]?.text
        }
        for field in final["fields"]?.elements ?? [] {
            #expect(shown[field["field"]?.text ?? ""] == field["model"]?.text)
        }
        let lags = lines.filter { $0.kind == "lag" }
        #expect(!lags.isEmpty)
        // Every hole in the numbers is announced.
        var expected = 2 * keys.count + 1
        for line in lines.compactMap(\.params) where line["kind"] != "sync" {
            if let from = line["fromSeq"]?.integer, let to = line["toSeq"]?.integer {
                #expect(from <= expected)
                expected = max(expected, to + 1)
            } else if let seq = line["seq"]?.integer {
                #expect(seq <= expected)
                if seq == expected { expected += 1 }
            }
        }
        #expect(try daemon.connect().call("seam.stats")["subscriptionsSlow"] == 0)
    }

    @Test("all: a reader that the ring overtakes is told what it lost and where to go on")
    func slowAll() throws {
        let (_, client, reader) = try stopped(
            mode: "all", keys: ["x"], changes: 20_000, ["--ring-entries", "1000"])
        let lines = try reader.events(through: "end")
        let lag = try #require(lines.dropLast().last?.params)
        let end = try #require(lines.last?.params)
        let from = try #require(lag["fromSeq"]?.integer)
        let to = try #require(lag["toSeq"]?.integer)
        #expect(lag["lost"]?.integer == to - from + 1)
        #expect(end["reason"] == "slow")
        #expect(end["resume"]?["seq"]?.integer == to)
        // Nothing is missing before the lag.
        let seqs = lines.dropLast(2).compactMap { $0.params?["seq"]?.integer }
        #expect(seqs == Array(3..<from))
        let epoch = try #require(end["resume"]?["epoch"]?.text)
        // It may go on at once: the ring still holds what follows.
        try reader.call("sub.open", #"{"sim":"a","mode":"all","after":{"epoch":"\#(epoch)","seq":\#(to)}}"#)
        try client.call("model.set", #"{"sim":"a","values":{"x":"the end"}}"#)
        let rest = try reader.events { $0.params?["model"] == "the end" }
        #expect(rest.dropFirst().compactMap { $0.params?["seq"]?.integer } == Array((to + 1)...20_003))
        #expect(try client.call("seam.stats")["subscriptionsSlow"] == 1)
    }

    @Test(
        "the ring turns over many times while a reader takes its snapshot: nothing is told anew without a lag",
        arguments: [
            // Of the ring's entries, and of its bytes: then 16 values of 64 KB turn it over.
            (mode: "latest", ring: ["--ring-entries", "1000"], valueBytes: 10, rounds: 30),
            ("latest", ["--ring-bytes", "2097152"], 64_000, 30), ("all", ["--ring-entries", "1000"], 10, 30),
            // Smaller than what comes between two looks at it.
            ("latest", ["--ring-entries", "1"], 10, 30), ("latest", ["--ring-bytes", "65536"], 64_000, 30),
        ])
    func ringTurnsOver(mode: String, ring: [String], valueBytes: Int, rounds: Int) throws {
        let fields = 20_000
        let daemon = try SeamProcess(ring)
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let long = String(repeating: "v", count: 100)
        for part in 0..<20 {
            let values = (0..<(fields / 20)).map { #""k\#(part * 1000 + $0)":"\#(long)""# }
            let params = #"{"sim":"a","screen":"Main","values":{\#(values.joined(separator: ","))}}"#
            try client.call("screen.set", params)
        }
        let writer = try daemon.connect()
        func turnOver(_ count: Int, _ tag: String) throws {
            let value = String(repeating: "w", count: valueBytes)
            let lines = (0..<count).map { number in
                #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"k\#(number * 7919 % fields)":"\#(tag)\#(value)"}}}"#
                    + "\n"
            }
            try writer.send(bytes: Array(lines.joined().utf8), within: .seconds(60))
            try writer.call("seam.ping")
        }
        let count = valueBytes > 1000 ? 100 : 2500
        // The seq is many times what the ring holds before anybody looks.
        try turnOver(count, "before")
        let reader = try daemon.connect()
        try reader.sendLine(#"{"id":1,"method":"sub.open","params":{"sim":"a","mode":"\#(mode)"}}"#)
        while try client.call("seam.stats")["subscriptions"] != 1 {}
        for round in 1...rounds { try turnOver(count, "\(round)-") }
        let final = try client.call("sim.get", #"{"sim":"a","limit":1}"#)
        let seq = try #require(final["seq"]?.integer)
        try client.call("model.set", #"{"sim":"a","values":{"k0":"the end"}}"#)

        let opened = try #require(try reader.nextReply()["result"])
        #expect(opened["count"]?.integer == fields)
        // Its answer stands behind all lines that were due before.
        try reader.sendLine(
            #"{"id":2,"method":"model.set","params":{"sim":"a","values":{"k0":"the very end"}}}"#)
        _ = try reader.nextReply(within: .seconds(120))
        let lines = reader.takeEvents()
        var told: [String: String] = [:]
        var (states, syncs, hasLagged) = (0, 0, true)
        for line in lines {
            switch line.kind {
            case "state":
                #expect(hasLagged, "a state line behind sync with no lag before it: \(line.line.prefix(200))")
                states += 1
                told[line.params?["field"]?.text ?? ""] = line.params?["model"]?.text
            case "sync":
                syncs += 1
                hasLagged = false
            case "lag": hasLagged = true
            case "verdict": told[line.params?["field"]?.text ?? ""] = line.params?["model"]?.text
            default: break
            }
        }
        if mode == "all" {
            #expect(lines.last?.params?["reason"] == "slow" && lines.dropLast().last?.kind == "lag")
            #expect(states < fields && syncs == 0)
            let resume = try #require(lines.last?.params?["resume"]?["seq"]?.integer)
            #expect(resume <= seq && resume > seq - 1002)
            return
        }
        // A ring that holds more than what comes between two looks never loses a reader in this mode.
        let holdsEnough = !ring.contains("1") && !ring.contains("65536")
        if holdsEnough { #expect(syncs == 1 && states <= fields + count) }
        #expect(syncs >= 1 && lines.contains { $0.kind == "lag" })
        var from: Int? = 0
        while let start = from {
            let page = try client.call("sim.get", #"{"sim":"a","from":\#(start)}"#)
            for field in page["fields"]?.elements ?? [] {
                // A line shows 4,096 bytes of a value.
                let model = field["model"]?.text.map { String($0.prefix(4096)) }
                #expect(told[field["field"]?.text ?? ""] == model)
            }
            from = page["next"]?.integer
        }
        #expect(try reader.call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("a stopped reader costs the daemon little, and the others nothing")
    func stoppedReaderIsCheap() throws {
        let keys = (0..<100).map { "k\($0)" }
        let (daemon, client, _) = try stopped(mode: "latest", keys: keys, changes: 70_000)
        let before = try residentKiB(daemon.pid)
        var readers: [TestClient] = []
        for _ in 0..<20 {
            let reader = try daemon.connect()
            try reader.call("sub.open", #"{"sim":"a","start":"now"}"#)
            readers.append(reader)
        }
        var lines = ""
        for change in 1...70_000 {
            lines +=
                #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"k\#(change % 100)":"n\#(change)"}}}"#
                + "\n"
        }
        try client.send(bytes: lines.utf8, within: .seconds(60))
        try client.call("seam.ping")
        #expect(try residentKiB(daemon.pid) - before < 20 * 2048)
    }
}
