import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Clients that are slow, gone, too many or everywhere at once. Another one never notices.
@Suite(.serialized) final class ClientFaultTests {
    /// Lives as long as the test: a daemon that nobody holds is killed.
    private var running: SeamProcess?

    /// A daemon with a live simulation `a`, whose screen `Main` has these many fields that match.
    private func live(_ fields: Int = 1, _ arguments: [String] = []) throws -> (SeamProcess, TestClient) {
        let daemon = try SeamProcess(arguments)
        running = daemon
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let values = (0..<fields).map { #""k\#($0)":"0""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(values)}}"#)
        try client.call("model.set", #"{"sim":"a","values":{\#(values)}}"#)
        return (daemon, client)
    }

    private func changes(_ range: ClosedRange<Int>, fields: Int) -> String {
        range.map {
            #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"k\#($0 % fields)":"v\#($0)"}}}"#
                + "\n"
        }.joined()
    }

    private func probe(_ client: TestClient) throws {
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    /// Asks until the daemon has seen what it sees in its own time; the last answer is the result.
    private func stats(
        _ client: TestClient, within patience: Duration = .seconds(20), until fits: (JSON) -> Bool
    ) throws -> JSON {
        let begin = ContinuousClock.now
        var stats = try client.call("seam.stats")
        while !fits(stats) && ContinuousClock.now - begin < patience {
            stats = try client.call("seam.stats")
        }
        return stats
    }

    // MARK: Slow readers

    @Test("a subscriber that is stopped costs the others nothing, and is current when it goes on")
    func stopped() throws {
        let (daemon, client) = try live(50)
        let reader = try ChildProcess("socat", ["-", "UNIX-CONNECT:\(daemon.socket)"])
        try reader.write(#"{"method":"sub.open","params":{"sim":"a"}}"# + "\n")
        try reader.readLine(containing: #""kind":"sync""#)
        reader.send(signal: SIGSTOP)
        while try !String(contentsOfFile: "/proc/\(reader.pid)/stat", encoding: .utf8).contains(") T ") {}
        // Ten seconds at most: after thirty without progress the daemon gives a reader up.
        let count = isLong ? 500_000 : 50_000
        let stopped = ContinuousClock.now
        var slowest = Duration.zero
        for start in stride(from: 1, to: count, by: 1000)
        where start < 50_000 || ContinuousClock.now - stopped < .seconds(10) {
            try client.send(changes(start...(start + 999), fields: 50))
            let begin = ContinuousClock.now
            try probe(client)
            slowest = max(slowest, ContinuousClock.now - begin)
        }
        try client.call("screen.set", #"{"sim":"a","screen":"Other","values":{"last":"the end"}}"#)
        #expect(slowest < .seconds(2))
        reader.send(signal: SIGCONT)
        var shown: [String: String] = [:]
        var lagged = false
        while true {
            let line = try JSON(parsing: try #require(try reader.readLine()))
            if line["params"]?["kind"] == "lag" { lagged = true }
            if line["params"]?["shown"] == "the end" { break }
            shown[line["params"]?["field"]?.text ?? ""] = line["params"]?["model"]?.text
        }
        #expect(lagged)
        for field in try client.call("sim.get", #"{"sim":"a","screen":"Main"}"#)["fields"]?.elements ?? [] {
            #expect(shown[field["field"]?.text ?? ""] == field["model"]?.text)
        }
    }

    @Test("a reader of few lines a second stays current in latest")
    func slow() throws {
        let (daemon, client) = try live(20)
        let reader = try daemon.connect()
        try reader.call("sub.open", #"{"sim":"a","mode":"latest"}"#)
        _ = try reader.events(through: "sync")
        var shown: [String: String] = [:]
        func take(_ line: TestClient.Message) {
            if line.kind == "verdict" || line.kind == "state" {
                shown[line.params?["field"]?.text ?? ""] = line.params?["model"]?.text
            }
        }
        for start in stride(from: 1, to: 60_000, by: 600) {
            try client.send(changes(start...(start + 599), fields: 20))
            try probe(client)
            take(try reader.nextEvent())
        }
        try client.call("screen.set", #"{"sim":"a","screen":"Other","values":{"last":"the end"}}"#)
        let rest = try reader.events { $0.params?["shown"] == "the end" }
        for line in rest { take(line) }
        #expect(rest.contains { $0.kind == "lag" })
        for field in try client.call("sim.get", #"{"sim":"a","screen":"Main"}"#)["fields"]?.elements ?? [] {
            #expect(shown[field["field"]?.text ?? ""] == field["model"]?.text)
        }
        try probe(client)
    }

    @Test("a client that never reads is given up after half a minute", .enabled(if: isLong))
    func neverReads() throws {
        let (daemon, client) = try live()
        let greedy = try daemon.connect()
        let line = #"{"method":"sim.get","params":{"sim":"a"}}"# + "\n"
        #expect(throws: (any Error).self) {
            try greedy.send(
                bytes: Array(String(repeating: line, count: 200_000).utf8), within: .seconds(2))
        }
        // The marks of a quiet stream are the clock: one every five seconds.
        try client.call("sub.open", #"{"sim":"a"}"#)
        _ = try client.events(through: "sync")
        for _ in 0..<4 {
            _ = try client.events(through: "mark")
            #expect(try client.call("seam.stats")["connectionsStalled"] == 0)
        }
        for _ in 0..<4 { _ = try client.events(through: "mark") }
        let stats = try client.call("seam.stats")
        #expect(stats["connectionsStalled"] == 1)
        #expect(stats["connections"] == 1)
        while (try? greedy.readLine()) ?? nil != nil {}
        try probe(client)
    }

    @Test("one byte a second is a request all the same, and holds nobody up", .enabled(if: isLong))
    func byteASecond() throws {
        let (daemon, client) = try live()
        let slow = try daemon.connect()
        for byte in Array(#"{"id":1,"method":"seam.ping"}"#.utf8) + Array("     \n".utf8) {
            try slow.send(bytes: [byte])
            // Until the second is over others are served, as often as they ask.
            let begin = ContinuousClock.now
            while ContinuousClock.now - begin < .seconds(1) { try probe(client) }
        }
        #expect(try slow.nextReply()["id"] == 1)
    }

    // MARK: Clients that go

    @Test("of a client that is gone nothing is left, though nothing was to be told to it")
    func goneInSilence() throws {
        let (daemon, client) = try live()
        for garbage in ["", #"{"method":"model.se"#] {
            let leaving = try daemon.connect()
            try leaving.call("sim.create", #"{"scenario":"live","id":"mine","lifetime":"connection"}"#)
            try leaving.call("sub.open", #"{"sim":"mine"}"#)
            _ = try leaving.events(through: "sync")
            try leaving.send(garbage)
            leaving.close()
            // Well before the next mark, whose writing would fail.
            let stats = try stats(client, within: .seconds(2)) { $0["connections"] == 1 }
            #expect(stats["connections"] == 1)
            #expect(stats["subscriptions"] == 0)
            #expect(try client.refusal("sim.get", #"{"sim":"mine"}"#).kind == "unknown-sim")
        }
    }

    @Test("a client that is killed with much on its way to it is forgotten")
    func killedWhileWrittenTo() throws {
        let (daemon, client) = try live(50)
        for _ in 0..<5 {
            let reader = try ChildProcess("socat", ["-", "UNIX-CONNECT:\(daemon.socket)"])
            try reader.write(#"{"method":"sub.open","params":{"sim":"a","mode":"all"}}"# + "\n")
            try reader.readLine(containing: #""kind":"sync""#)
            reader.send(signal: SIGSTOP)
            try client.send(changes(1...5000, fields: 50))
            try probe(client)
            reader.send(signal: SIGKILL)
            #expect(try reader.waitForEnd() == .signal(SIGKILL))
        }
        let stats = try stats(client) { $0["connections"] == 1 }
        #expect(stats["connections"] == 1)
        #expect(stats["subscriptions"] == 0)
        try probe(client)
    }

    @Test("a client that shuts its ears is closed at the next line")
    func deaf() throws {
        let (daemon, client) = try live()
        let deaf = try daemon.connect()
        try deaf.call("sub.open", #"{"sim":"a"}"#)
        _ = try deaf.events(through: "sync")
        shutdown(deaf.descriptor, Int32(SHUT_RD))
        try client.call("model.set", #"{"sim":"a","values":{"k0":"1"}}"#)
        #expect(try stats(client) { $0["connections"] == 1 }["subscriptions"] == 0)
    }

    @Test("who stays hears everything, whoever goes")
    func othersGo() throws {
        let (daemon, client) = try live(4)
        var readers: [(client: TestClient, sub: Int)] = []
        for index in 0..<6 {
            let reader = try daemon.connect()
            let opened = try reader.call(
                "sub.open", #"{"sim":"a","start":"now","match":["Main.k\#(index % 2)","Main.k3"]}"#)
            readers.append((reader, try #require(opened["sub"]?.integer)))
        }
        while readers.count > 1 {
            let leaving = readers.remove(at: readers.count / 3)
            try leaving.client.call("sub.close", #"{"sub":\#(leaving.sub)}"#)
            try client.call("model.set", #"{"sim":"a","values":{"k3":"\#(readers.count)"}}"#)
            for reader in readers {
                let line = try reader.client.events(through: "verdict", within: .seconds(4)).last
                #expect(line?.params?["model"]?.text == "\(readers.count)")
            }
        }
        try probe(client)
    }

    // MARK: Many clients

    @Test("a client has 256 subscriptions; a thousand tries make no more")
    func manySubscriptions() throws {
        let (_, client) = try live()
        for _ in 0..<256 { try client.call("sub.open", #"{"sim":"a","start":"now"}"#) }
        for _ in 256..<1000 {
            let refusal = try client.refusal("sub.open", #"{"sim":"a"}"#)
            #expect(refusal.code == -32008)
            #expect(refusal.json["data"]?["option"] == "--max-subscriptions-per-connection")
        }
        let first = try #require(try client.nextEvent().params?["sub"]?.integer)
        try client.call("sub.close", #"{"sub":\#(first)}"#)
        try client.call("sub.open", #"{"sim":"a","start":"now"}"#)
        #expect(try client.call("seam.stats")["subscriptions"] == 256)
    }

    @Test("a subscription that is closed leaves nothing behind, globs and all", .enabled(if: !isSanitized))
    func closedSubscriptions() throws {
        let (daemon, client) = try live()
        let globs = (0..<64).map { #""\#(String(repeating: "g", count: 500))\#($0)""# }.joined(separator: ",")
        func openAndClose() throws {
            for _ in 0..<(isLong ? 2_000 : 300) {
                let opened = try client.call("sub.open", #"{"sim":"a","match":[\#(globs)]}"#)
                try client.call("sub.close", #"{"sub":\#(opened["sub"]?.integer ?? 0)}"#)
            }
        }
        try openAndClose()
        let before = try residentKiB(daemon.pid)
        try openAndClose()
        #expect(try residentKiB(daemon.pid) - before < 4096)
        #expect(try client.call("seam.stats")["subscriptions"] == 0)
    }

    @Test(
        "a simulation that is destroyed leaves nothing behind, whoever watched it", .enabled(if: !isSanitized)
    )
    func destroyedSimulations() throws {
        let (daemon, client) = try live()
        let reader = try daemon.connect()
        func round() throws {
            try client.call("sim.create", #"{"scenario":"live","id":"b"}"#)
            for (one, match) in [(client, "[]"), (reader, "[]"), (reader, #"["Main.*"]"#)] {
                try one.call("sub.open", #"{"sim":"b","match":\#(match)}"#)
            }
            let values = (0..<1000).map {
                #"{"jsonrpc":"2.0","method":"screen.set","params":["b","Main",{"x":"a value of some length \#($0)"}]}"#
                    + "\n"
            }
            try client.send(values.joined())
            try client.call("sim.destroy", #"{"sim":"b"}"#)
            for one in [client, reader, reader] { _ = try one.events(through: "end") }
        }
        for _ in 0..<5 { try round() }
        let before = try residentKiB(daemon.pid)
        for _ in 0..<(isLong ? 200 : 30) { try round() }
        #expect(try residentKiB(daemon.pid) - before < 4096)
        try probe(client)
    }

    @Test("a storm of connections leaves no descriptor behind")
    func storm() throws {
        let (daemon, client) = try live()
        try probe(try daemon.connect())
        #expect(try stats(client) { $0["connections"] == 1 }["connections"] == 1)
        let before = try descriptors(of: daemon.pid)
        // The first storm sets how many there are at one time, and with that how much memory the daemon has had.
        try storm(daemon, isLong ? 50_000 : 1_000)
        #expect(try stats(client) { $0["connections"] == 1 }["connections"] == 1)
        let memory = try residentKiB(daemon.pid)
        try storm(daemon, isLong ? 50_000 : 1_000)
        #expect(try stats(client) { $0["connections"] == 1 }["connections"] == 1)
        #expect(try descriptors(of: daemon.pid) == before)
        if !isSanitized { #expect(try residentKiB(daemon.pid) - memory < 4096) }
        try probe(client)
    }

    private func storm(_ daemon: SeamProcess, _ count: Int) throws {
        for round in 1...count {
            let passing = try TestClient(path: daemon.socket)
            // Faster than the daemon lets go, it is over its limit of connections now and then, and closes first.
            switch round % 4 {
            case 0: try? passing.sendLine(#"{"method":"seam.ping"}"#)
            case 1: try? passing.send(#"{"method":"sub.open","params":{"sim":"a"}}"# + "\n{")
            case 2: passing.endSending()
            default: break
            }
            passing.close()
        }
    }

    @Test("without a free descriptor nobody is served anew, everybody else is, and the processor rests")
    func noDescriptors() throws {
        let (daemon, client) = try live()
        let free = 5
        // The limit is one of numbers, and what lies below it may have holes.
        let used = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").compactMap {
            Int($0)
        }
        let limit = (used.max() ?? 0) + 1 + free
        let holes = limit - free - used.count
        let lowered = try run("prlimit", ["--pid", "\(daemon.pid)", "--nofile=\(limit):\(limit + 100)"])
        #expect(lowered.code == 0, "\(lowered)")
        let crowd = try (0..<40).map { _ in try TestClient(path: daemon.socket) }
        var served = 0
        for one in crowd {
            // Either it is answered or it is told why not; nobody is left waiting.
            try? one.sendLine(#"{"method":"seam.ping"}"#)
            let reply = try one.nextReply()
            if reply["result"] != nil {
                served += 1
            } else {
                #expect(reply["error"]?["code"] == -32008, "\(reply)")
                #expect(reply["error"]?["message"]?.text?.contains("ulimit -n") == true, "\(reply)")
            }
            try probe(client)
        }
        #expect(served >= 1 && served < free + holes)
        // The marks of a quiet stream are the clock: one every five seconds.
        try client.call("sub.open", #"{"sim":"a"}"#)
        _ = try client.events(through: "sync")
        let before = try processorTicks(daemon.pid)
        _ = try client.events(through: "mark")
        #expect(try processorTicks(daemon.pid) - before <= 10)
        for one in crowd { one.close() }
        #expect(try stats(client) { $0["connections"] == 1 }["connections"] == 1)
        try probe(try daemon.connect())
    }

    // MARK: Turns

    /// What is sent while the daemon stands still lies there when it goes on, the first one's lines first.
    private func standing<Result>(_ daemon: SeamProcess, _ body: () throws -> Result) throws -> Result {
        daemon.process.send(signal: SIGSTOP)
        defer { daemon.process.send(signal: SIGCONT) }
        return try body()
    }

    /// A daemon with as many simulations of long names as it takes for a request of an unknown one to be work.
    private func crowded() throws -> (SeamProcess, TestClient) {
        let (daemon, client) = try live()
        let name = String(repeating: "q", count: 100)
        let lines = (0..<8).map {
            #"{"jsonrpc":"2.0","method":"sim.create","params":["live","\#(name)\#($0)"]}"# + "\n"
        }
        try client.send(lines.joined())
        try probe(client)
        return (daemon, client)
    }

    private func wrong(_ count: Int) -> [String] {
        (1...count).map {
            #"{"id":\#($0),"method":"sim.get","params":["\#(String(repeating: "b", count: 128))"]}"#
        }
    }

    @Test(
        "who asks for much work in one line, or in many, is one of many in each round",
        arguments: [true, false])
    func turns(isBatch: Bool) throws {
        let (daemon, client) = try crowded()
        let busy = try daemon.connect()
        try probe(busy)
        let requests = wrong(40)
        let before = try #require(try client.call("seam.stats")["requests"]?.integer)
        try standing(daemon) {
            let lines = requests.joined(separator: isBatch ? "," : "\n")
            try busy.send(isBatch ? "[\(lines)]\n" : lines + "\n")
            try client.sendLine(#"{"method":"seam.stats"}"#)
        }
        // Each takes a good part of the two milliseconds of a turn.
        let after = try #require(try client.nextReply()["result"]?["requests"]?.integer)
        #expect(after - before < 16, "\(after - before) requests before the other client's turn")
        let replies =
            isBatch
            ? try busy.nextReply().json.elements ?? []
            : try requests.map { _ in try busy.nextReply().json }
        #expect(replies.map { $0["id"]?.integer } == Array(1...40))
        #expect(replies.allSatisfy { $0["error"]?["code"] == -32001 })
        try probe(busy)
    }

    @Test("a batch of several rounds is answered as one line, where it belongs")
    func longBatch() throws {
        let (daemon, client) = try crowded()
        let busy = try daemon.connect()
        try busy.call("sub.open", #"{"sim":"a","start":"now"}"#)
        _ = try busy.events(through: "sync")
        func set(_ value: Int) -> String {
            #"{"id":"set","method":"model.set","params":["a",{"k0":"\#(value)"}]}"#
        }
        let much = wrong(5).joined(separator: ",")
        let past = #"{"id":"past","method":"sim.get","params":{"sim":"a","atTurn":1}}"#
        let open = #"{"id":"open","method":"sub.open","params":{"sim":"a","start":"now"}}"#
        let batch = [much, set(1), past, much, open, set(2), much].joined(separator: ",")
        try busy.send("[\(batch)]\n" + #"{"id":"next","method":"seam.ping"}"# + "\n")
        // Lines of the subscription that was there, the answer, lines of the one that was opened.
        var lines: [JSON] = []
        while lines.last?["id"]?.text != "next" {
            lines.append(try JSON(parsing: try #require(try busy.readLine())))
        }
        let answer = try #require(lines.firstIndex { $0.elements != nil })
        let own = lines[..<answer].compactMap { $0["params"] }
        #expect(own.allSatisfy { $0["sub"] == 1 } && own.compactMap { $0["model"]?.text } == ["1", "2"])
        let ids = lines[answer].elements?.map { $0["id"] ?? .null } ?? []
        #expect(ids.count == 19 && ids.contains(JSON.string("past")) && ids.contains(JSON.string("open")))
        var opened = lines[(answer + 1)...].compactMap { $0["params"] }
        while opened.last?["kind"]?.text != "verdict" {
            opened.append(try #require(try busy.nextEvent().params))
        }
        #expect(opened.filter { $0["sub"] == 2 }.compactMap { $0["model"]?.text } == ["2"])
        try probe(client)
    }

    @Test("a batch of several rounds ends with its client, and with the daemon")
    func endOfLongBatch() throws {
        let (daemon, client) = try crowded()
        let gone = try daemon.connect()
        try gone.send("[\(wrong(40).joined(separator: ","))]\n")
        gone.close()
        #expect(try stats(client) { $0["connections"] == 1 }["connections"] == 1)

        // The last line has no LF, and nothing comes behind it.
        let last = try daemon.connect()
        try last.send("[\(wrong(20).joined(separator: ","))]")
        last.endSending()
        #expect(try last.nextReply().json.elements?.count == 20)
        #expect(try last.readLine() == nil)

        let end = try daemon.connect()
        let much = wrong(15).joined(separator: ",")
        try end.send(#"[\#(much),{"id":"end","method":"seam.shutdown"},\#(much)]"# + "\n")
        let answers = try end.nextReply().json.elements ?? []
        #expect(answers.count == 31)
        #expect(answers.prefix(15).allSatisfy { $0["error"]?["code"] == -32001 })
        #expect(answers.suffix(15).allSatisfy { $0["error"]?["code"] == -32013 })
        #expect(try daemon.process.waitForEnd() == .exit(0))
    }

    @Test("clients that connect and hang up again and again keep nobody waiting, and take nobody's place")
    func passersBy() throws {
        let (daemon, client) = try live(1, ["--max-connections", "200"])
        let queue = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
        try #require((Int(queue.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 700)
        let before = try #require(try client.call("seam.stats")["connectionsTaken"]?.integer)
        try standing(daemon) {
            for _ in 0..<600 { try TestClient(path: daemon.socket).close() }
            try client.sendLine(#"{"method":"seam.stats"}"#)
        }
        let taken = try #require(try client.nextReply()["result"]?["connectionsTaken"]?.integer)
        #expect(taken - before <= 200, "\(taken - before) connections before a client's turn")
        let stats = try stats(client) {
            $0["connectionsTaken"]?.integer == before + 600 && $0["connections"] == 1
        }
        #expect(stats["connectionsTaken"]?.integer == before + 600, "\(stats)")
        #expect(stats["connectionsRefused"] == 0, "\(stats)")
        try probe(try daemon.connect())
    }

    // MARK: Races

    @Test("a subscription opened among changes and the end sees the state and every change, and one end")
    func race() throws {
        let (daemon, writer) = try live(3)
        let reader = try daemon.connect()
        var random = SeededGenerator(seed: 1)
        var (met, late) = (0, 0)
        for round in 1...(isLong ? 10_000 : 300) {
            try writer.call("sim.create", #"{"scenario":"live","id":"r"}"#)
            // Long enough now and then that the daemon takes it in several turns of its loop.
            let count = Int.random(in: 1...20, using: &random) * (round % 3 == 0 ? 1 : 30)
            var lines = ""
            var final: [String: String] = [:]
            for change in 1...count {
                let key = "k\(change % 3)"
                final[key] = "\(round).\(change)"
                lines +=
                    #"{"jsonrpc":"2.0","method":"screen.set","params":["r","Main",{"\#(key)":"\#(round).\#(change)"}]}"#
                    + "\n"
            }
            lines += #"{"id":"destroyed","method":"sim.destroy","params":["r"]}"# + "\n"
            let mode = Bool.random(using: &random) ? "all" : "latest"
            let open = #"{"id":"opened","method":"sub.open","params":{"sim":"r","mode":"\#(mode)"}}"# + "\n"
            let bytes = Array(lines.utf8)
            let cut = Bool.random(using: &random) ? 0 : Int.random(in: 0...bytes.count, using: &random)
            try writer.send(bytes: bytes[..<cut])
            try reader.send(open)
            try writer.send(bytes: bytes[cut...])

            let opened = try reader.nextReply()
            let destroyed = try writer.nextReply()
            guard let seq = opened["result"]?["seq"]?.integer,
                let states = opened["result"]?["count"]?.integer
            else {
                #expect(opened["error"]?["code"] == -32001)
                late += 1
                continue
            }
            met += 1
            let stream = try reader.events(through: "end")
            let what = Comment(rawValue: "round \(round): \(stream.map(\.line))")
            #expect(stream.prefix(states).allSatisfy { $0.kind == "state" }, what)
            #expect(stream.dropFirst(states).first?.kind == "sync", what)
            let changes = stream.dropFirst(states + 1).dropLast()
            #expect(
                changes.map { $0.params?["seq"]?.integer } == Array((seq + 1)..<(seq + 1 + changes.count)),
                what)
            #expect(destroyed["result"]?["seq"]?.integer == seq + changes.count, what)
            #expect(stream.last?.params?["reason"] == "destroyed", what)
            var shown: [String: String] = [:]
            for line in stream {
                if let field = line.params?["field"]?.text { shown[field] = line.params?["shown"]?.text }
            }
            #expect(shown == final, what)
            if !reader.takeEvents().isEmpty { Issue.record("lines behind the end in round \(round)") }
        }
        print("race: \(met) in time, \(late) too late")
        try probe(reader)
        #expect(try stats(writer) { $0["subscriptions"] == 0 }["subscriptions"] == 0)
    }
}
