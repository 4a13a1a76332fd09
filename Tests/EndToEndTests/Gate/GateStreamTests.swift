import Foundation
import Glibc
import SeamTestSupport
import SeamWire
import Testing

/// Streams of events: nothing is lost, nothing comes twice, and nobody costs more than a place in the ring.
@Suite struct GateStreamTests {
    /// What a page would show: the last value of each field by its name.
    private struct Page {
        private(set) var fields: [String: JSON] = [:]
        private(set) var changes = 0

        mutating func take(_ event: StreamEvent) {
            switch event.name {
            case "gap": fields = [:]
            case "state", "verdict":
                let name =
                    "\(event["sim"]?.text ?? "")/\(event["screen"]?.text ?? "").\(event["field"]?.text ?? "")"
                fields[name] = [
                    "verdict": event["to"] ?? event["verdict"] ?? .null, "model": event["model"] ?? .null,
                    "shown": event["shown"] ?? .null,
                ]
                if event.name == "verdict" { changes += 1 }
            case "sim" where event["what"] == "destroyed":
                fields = fields.filter { !$0.key.hasPrefix("\(event["sim"]?.text ?? "")/") }
            default: break
            }
        }
    }

    @Test("a stream begins with the state of everything, and goes on with each change")
    func beginning() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"empty"}"#)
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        try gate.expectFields(3)
        let stream = try gate.stream()
        let start = try stream.events(through: "sync")
        #expect(start.first?.name == "hello" && start.first?["connected"] == true)
        #expect(start.map(\.name) == ["hello", "sim", "sim", "state", "state", "state", "sync"])
        #expect(
            start.dropLast().allSatisfy { $0.id == nil }, "nobody may resume from the middle of a snapshot")
        let state = try #require(start.first { $0["field"] == "openCount" })
        let changed = try #require(state["changed"]?.unsigned)
        #expect(
            state.text
                == #"{"sim":"demo","scenario":"lessons.hosting-unassigned","screen":"HostingController","field":"openCount","verdict":"matching","model":"3","shown":"3","seq":2,"changed":\#(changed)}"#
        )
        #expect(abs(Double(changed) - Date().timeIntervalSince1970 * 1000) < 60_000)
        let epoch = try #require(start[0]["daemonEpoch"]?.text)
        let sync = try #require(start.last)
        #expect(sync.id == "\(epoch)-\(sync["dseq"]?.unsigned ?? 0)")

        try client.call("model.set", #"{"sim":"demo","values":{"openCount":7}}"#)
        let verdict = try #require(try stream.nextEvent())
        #expect(verdict.name == "verdict" && verdict["from"] == "matching" && verdict["to"] == "stale")
        #expect(verdict.id == "\(epoch)-\(verdict["dseq"]?.unsigned ?? 0)")
        let at = try #require(verdict["at"]?.double)
        #expect(abs(at - Date().timeIntervalSince1970 * 1000) < 60_000)
        // What it has replaced; the screen still shows what it did.
        #expect(verdict["was"]?.encoded == #"{"model":"3"}"#)
        let late = try #require(
            try gate.stream().events(through: "sync").first { $0["field"] == "openCount" })
        #expect(late["band"] == "01" && late["changed"]?.double == at, "\(late)")
        try client.call("sim.destroy", #"{"sim":"demo"}"#)
        let last = try stream.events(through: "sim").last
        #expect(last?["what"] == "destroyed" && last?["sim"] == "demo")
        let again = try gate.stream().events(through: "sync")
        #expect(again.map(\.name) == ["hello", "sim", "sync"], "\(again)")
    }

    @Test("globs choose fields, and snapshot=no leaves the state out")
    func filters() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        for sim in ["a", "b"] {
            try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"\#(sim)"}"#)
        }
        // Those that have a value.
        try gate.expectFields(6)
        let some = try gate.stream("?match=a%2F*.openCount&match=b/*.title")
        let names = try some.events(through: "sync").filter { $0.name == "state" }.compactMap { event in
            event["sim"]?.text.map { "\($0).\(event["field"]?.text ?? "")" }
        }
        #expect(names == ["a.openCount", "b.title"])
        let none = try gate.stream("?snapshot=no")
        #expect(try none.events(through: "sync").map(\.name) == ["hello", "sync"])
        for (sim, key) in [("a", "title"), ("b", "openCount"), ("b", "title"), ("a", "openCount")] {
            try client.call("model.set", #"{"sim":"\#(sim)","values":{"\#(key)":"new"}}"#)
        }
        #expect(try some.event(named: "verdict")["sim"] == "b")
        #expect(try some.event(named: "verdict")["sim"] == "a")
        #expect(try none.event(named: "verdict")["field"] == "title")
    }

    @Test(
        "whatever a value holds, it arrives as JSON on one line",
        arguments: [
            "<script>alert(1)</script>", "</script><!--", "a\nb\r\nc\rd",
            "\n\ndata: {\"x\":1}\n\nevent: gap\n\n",
            "\u{202E}txt.exe\u{2066}", "\u{2028}\u{2029}\u{85}", "\u{0}\u{1}\u{1B}[2J\u{7F}", "\"\\\"",
            "é日本👩‍👩‍👧", "",
            "id: 0-0", String(repeating: "\u{1}", count: 4096), String(repeating: "é", count: 32 << 10),
        ])
    func hostileValues(value: String) throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        let stream = try gate.stream()
        try stream.event(named: "sync")
        let encoded = JSON.string(value).encoded
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"a":\#(encoded)}}"#)
        let live = try stream.event(named: "verdict")
        // Cut at a character, with its size beside it.
        let isCut = value.utf8.count > 4096
        let cut = isCut ? String(value.prefix(2048)) : value
        #expect(live["shown"]?.text == cut)
        #expect(live["shownBytes"]?.integer == (isCut ? value.utf8.count : nil))
        let state = try gate.stream().event(named: "state")
        #expect(state["shown"]?.text == cut)
        #expect(state["shownBytes"]?.integer == (isCut ? value.utf8.count : nil))
        #expect(try gate.probe())
    }

    @Test("names with quotes and backslashes come as they are, and can be chosen")
    func hostileNames() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        let (sim, screen, field) = (#"s"1\"#, #"<b>\"x"#, #"f.g/"h\é"#)
        func quoted(_ text: String) -> String { JSON.string(text).encoded }
        try client.call("sim.create", #"{"scenario":"live","id":\#(quoted(sim))}"#)
        try client.call(
            "screen.set",
            #"{"sim":\#(quoted(sim)),"screen":\#(quoted(screen)),"values":{\#(quoted(field)):"v"}}"#)
        try gate.expectFields(1)
        let stream = try gate.stream("?match=*%2F*h%5Cé")
        let state = try stream.event(named: "state")
        #expect(state["sim"]?.text == sim && state["screen"]?.text == screen && state["field"]?.text == field)
        try stream.event(named: "sync")
        try client.call("model.set", #"{"sim":\#(quoted(sim)),"values":{\#(quoted(field)):"v"}}"#)
        #expect(try stream.event(named: "verdict")["to"] == "matching")
    }

    // MARK: The past

    /// Verdicts of a stream as one would write them down.
    private func changes(_ events: [StreamEvent]) -> [String] {
        events.filter { $0.name == "verdict" }.map { event in
            let was = event["was"].map { " was \($0.encoded)" } ?? ""
            return "\(event["from"]?.text ?? "") \(event["to"]?.text ?? "") \(event["model"]?.encoded ?? "") "
                + "\(event["shown"]?.encoded ?? "")\(was)"
        }
    }

    @Test("who asks for the history gets it before the snapshot, each change with what it replaced")
    func history() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"1"}}"#)
        let long = String(repeating: "x", count: 5000)
        for value in ["1", "2", long, "2"] {
            try client.call("model.set", #"{"sim":"s","values":{"n":"\#(value)"}}"#)
        }
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":null}}"#)
        let reader = try gate.stream()
        try reader.event(named: "sync")
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"2"}}"#)
        try reader.event(named: "verdict")

        let events = try gate.stream("?history=1000").events(through: "sync")
        let names = events.map(\.name)
        #expect(names.prefix(2) == ["hello", "past"])
        #expect(names.suffix(4) == ["present", "sim", "state", "sync"])
        #expect(events.dropLast().allSatisfy { $0.id == nil }, "nobody may resume from the past")
        #expect(events[1]["events"] == 8 && names.count == 14, "\(names)")
        let cut = String(long.prefix(4096))
        let told = changes(events)
        #expect(
            told == [
                #"out-of-scope leftover null "1" was null"#,
                #"leftover matching "1" "1" was {"model":null}"#,
                #"matching stale "2" "1" was {"model":"1"}"#,
                #"stale stale "\#(cut)" "1" was {"model":"2"}"#,
                #"stale stale "2" "1" was {"model":"\#(cut)","modelBytes":5000}"#,
                #"stale missing "2" null was {"shown":"1"}"#,
                #"missing matching "2" "2" was {"shown":null}"#,
            ], "\(told)")
        // The state has the verdicts as digits, the oldest first.
        #expect(events.first { $0.name == "state" }?["band"] == "3011120")
        // Less is the newest of it; none is as ever; what is past is not told again to one who resumes.
        let few = try gate.stream("?history=2").events(through: "sync")
        #expect(changes(few) == Array(told.suffix(2)) && few[1]["events"] == 2)
        let none = try gate.stream("?history=0").events(through: "sync")
        #expect(none.map(\.name) == ["hello", "sim", "state", "sync"])
        let last = try #require(events.last?.id)
        let again = try gate.stream("?history=1000", lastID: last)
        #expect(try again.nextEvent()?.name == "resumed")
        // Globs hold for the past too.
        let other = try gate.stream("?history=1000&match=other/*").events(through: "sync")
        #expect(changes(other).isEmpty && other[1]["events"] == 8)
    }

    @Test("the last 32 verdicts of a field are kept, whatever the ring has forgotten")
    func band() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"1"}}"#)
        let reader = try gate.stream()
        try reader.event(named: "sync")
        for value in 1...40 {
            try client.call("model.set", #"{"sim":"s","values":{"n":"\#(value % 3 == 0 ? 1 : value)"}}"#)
            try reader.event(named: "verdict")
        }
        let expected = (9...40).map { $0 % 3 == 0 || $0 == 1 ? "0" : "1" }.joined()
        let state = try gate.stream().event(named: "state")
        #expect(state["band"]?.text == expected)
        // Another field of the same name has none of it.
        try client.call("sim.destroy", #"{"sim":"s"}"#)
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"1"}}"#)
        try reader.event(named: "verdict")
        #expect(try gate.stream().event(named: "state")["band"] == nil)
    }

    // MARK: Resuming

    @Test("coming back with Last-Event-ID loses nothing and doubles nothing")
    func resume() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"0"}}"#)
        try gate.expectFields(1)
        var stream = try gate.stream()
        var last = try #require(try stream.event(named: "sync").id)
        var seen: [String] = []
        for round in 0..<20 {
            for step in 1...10 {
                let value = round * 10 + step
                try client.call("model.set", #"{"sim":"s","values":{"n":"\#(value)"}}"#)
            }
            // Some are read, some are on their way when the connection breaks, some happen while there is none.
            for _ in 0..<(round % 7) {
                guard let event = try stream.nextEvent() else { break }
                try #require(event.name == "verdict")
                seen.append(event["model"]?.text ?? "")
                last = try #require(event.id)
            }
            stream.close()
            stream = try gate.stream(lastID: last)
            let resumed = try #require(try stream.nextEvent())
            try #require(resumed.name == "resumed" && resumed.id == nil, "\(resumed)")
            // The gate may have heard less than has happened.
            let missed = try #require(resumed["missed"]?.integer)
            #expect((0...((round + 1) * 10 - seen.count)).contains(missed))
        }
        while seen.last != "200" {
            let event = try #require(try stream.nextEvent())
            try #require(event.name == "verdict", "\(event)")
            seen.append(event["model"]?.text ?? "")
        }
        #expect(seen == (1...200).map { "\($0)" })
    }

    @Test(
        "an id that cannot be gone on from is answered by a gap and a snapshot",
        arguments: [
            ("nonsense", "restarted"), ("", "restarted"), ("0123456789abcdef-5", "restarted"),
            ("EPOCH-", "restarted"),
            ("EPOCH--1", "restarted"), ("EPOCH-99999999", "aged-out"),
            ("EPOCH-18446744073709551616", "restarted"),
            ("EPOCH-0", "aged-out"),
        ])
    func unusableIDs(id: String, reason: String) throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"s"}"#)
        // The daemon counts since somebody watches; a gate that comes later has not seen what was before.
        let earlier = try GateProcess(socket: daemon.socket)
        try earlier.waitUntilHealthy()
        try client.call("model.set", #"{"sim":"s","values":{"openCount":"9"}}"#)
        let gate = try GateProcess(socket: daemon.socket)
        try gate.waitUntilHealthy()
        let epoch = try #require(try client.call("seam.ping")["daemonEpoch"]?.text)
        let sent = id.replacingOccurrences(of: "EPOCH", with: epoch)
        let stream = try gate.stream(lastID: sent)
        let events = try stream.events(through: "sync")
        if id.isEmpty {
            // An empty header is none.
            #expect(events.first?.name == "hello")
        } else {
            #expect(events.first?.name == "gap" && events.first?["reason"]?.text == reason, "\(events)")
        }
        #expect(events.filter { $0.name == "state" }.count == 4)
    }

    @Test("the daemon is killed and comes back: streams hear of it, and show what is true")
    func restart() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        func start() throws -> ChildProcess {
            let daemon = try ChildProcess("seamd", ["--socket", socket, "--log-level", "info"])
            try daemon.errorLine(containing: "listening on")
            return daemon
        }
        let first = try start()
        var client = try TestClient(path: socket)
        try client.call("sim.create", #"{"scenario":"live","id":"old"}"#)
        try client.call("screen.set", #"{"sim":"old","screen":"A","values":{"n":"0"}}"#)
        let gate = try GateProcess(socket: socket)
        let streams = try (0..<5).map { _ in try gate.stream() }
        var pages = [Page](repeating: Page(), count: streams.count)
        for (index, stream) in streams.enumerated() {
            for event in try stream.events(through: "sync") { pages[index].take(event) }
        }
        let lastID = try #require(try gate.stream().event(named: "sync").id)

        first.send(signal: SIGKILL)
        try first.waitForEnd()
        for stream in streams { #expect(try stream.event(named: "daemon")["state"] == "away") }
        #expect(try gate.ask("GET", "/healthz").status == 503)
        // Who comes now sees what was, and that it is past.
        let late = try gate.stream()
        let shown = try late.events(through: "sync")
        #expect(shown[0]["connected"] == false && shown.contains { $0["sim"] == "old" })

        let second = try start()
        client = try TestClient(path: socket)
        try client.call("sim.create", #"{"scenario":"live","id":"new"}"#)
        try client.call("screen.set", #"{"sim":"new","screen":"B","values":{"m":"1"}}"#)
        for (index, stream) in (streams + [late]).enumerated() {
            // Who came while it was away was told so first.
            let events = Array(try stream.events(through: "sync").drop { $0["state"] == "away" })
            let told = events.prefix(2).map(\.name)
            #expect(told == ["daemon", "gap"] && events[0]["state"] == "restarted", "\(events)")
            guard index < pages.count else { continue }
            for event in events { pages[index].take(event) }
        }
        // What happened between the restart and the gate's return is in the snapshot or behind it.
        try client.call("model.set", #"{"sim":"new","values":{"m":"1"}}"#)
        for (index, stream) in streams.enumerated() {
            while pages[index].fields["new/B.m"]?["verdict"] != "matching" {
                pages[index].take(try #require(try stream.nextEvent()))
            }
            #expect(pages[index].fields.keys.sorted() == ["new/B.m"])
        }
        let resumed = try gate.stream(lastID: lastID).events(through: "sync")
        #expect(resumed.first?["reason"] == "restarted", "\(resumed)")
        second.send(signal: SIGTERM)
        #expect(try streams[0].event(named: "daemon")["state"] == "away")
        #expect(try second.waitForEnd() == .exit(0))
    }

    /// One connection at a time is let through to a daemon, for as long as this lives.
    private func tunnel(from socket: String, to daemon: SeamProcess) throws -> ChildProcess {
        let tunnel = try ChildProcess(
            "socat", ["-d", "-d", "UNIX-LISTEN:\(socket),unlink-early", "UNIX-CONNECT:\(daemon.socket)"])
        try tunnel.errorLine(containing: "listening on")
        return tunnel
    }

    @Test("the connection breaks and the daemon lives: what happened meanwhile comes, and no snapshot")
    func reconnect() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"0"}}"#)
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/tunnel"
        var tunnel = try tunnel(from: socket, to: daemon)
        let gate = try GateProcess(socket: socket)
        try gate.waitUntilHealthy()
        let stream = try gate.stream()
        try stream.event(named: "sync")
        for round in 1...5 {
            tunnel.send(signal: SIGKILL)
            try tunnel.waitForEnd()
            #expect(try stream.event(named: "daemon")["state"] == "away")
            for step in 0..<3 {
                try client.call("model.set", #"{"sim":"s","values":{"n":"\#(round).\#(step)"}}"#)
            }
            tunnel = try self.tunnel(from: socket, to: daemon)
            let events = try (0..<4).map { _ in try #require(try stream.nextEvent()) }
            #expect(events[0].name == "daemon" && events[0]["state"] == "back", "\(events)")
            #expect(events[0]["resumed"] == true)
            #expect(events.dropFirst().map { $0["model"]?.text } == (0..<3).map { "\(round).\($0)" })
        }
    }

    @Test("the connection breaks for longer than the daemon remembers: a gap, and a snapshot")
    func reconnectTooLate() throws {
        let daemon = try SeamProcess(["--ring-entries", "100"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"0"}}"#)
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/tunnel"
        let first = try tunnel(from: socket, to: daemon)
        let gate = try GateProcess(socket: socket)
        try gate.waitUntilHealthy()
        let stream = try gate.stream()
        let lastID = try #require(try stream.event(named: "sync").id)
        first.send(signal: SIGKILL)
        try first.waitForEnd()
        try stream.event(named: "daemon")
        for value in 0..<300 { try client.call("model.set", #"{"sim":"s","values":{"n":"\#(value)"}}"#) }
        let second = try tunnel(from: socket, to: daemon)
        let events = try stream.events(through: "sync")
        #expect(events.map(\.name) == ["daemon", "gap", "sim", "state", "sync"], "\(events)")
        #expect(events[0]["state"] == "back" && events[1]["reason"] == "aged-out")
        #expect(events[0]["resumed"] == nil, "it is no going on")
        #expect(events[3]["model"] == "299")
        let resumed = try gate.stream(lastID: lastID).events(through: "sync")
        #expect(resumed.first?["reason"] == "aged-out")
        second.send(signal: SIGKILL)
    }

    @Test("a gate that stood still says that it has skipped, and shows what is true")
    func lag() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"0","m":"0"}}"#)
        try gate.expectFields(2)
        let stream = try gate.stream()
        var last = try #require(try stream.event(named: "sync").id)
        gate.process.send(signal: SIGSTOP)
        let (count, batch) = (30_000, 100)
        for start in stride(from: 0, to: count, by: batch) {
            let lines = (start..<(start + batch)).map { value in
                #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"s","values":{"\#(value % 2 == 0 ? "n" : "m")":"\#(value)"}}}"#
            }
            try client.send(lines.joined(separator: "\n") + "\n")
            try client.call("seam.ping")
        }
        gate.process.send(signal: SIGCONT)
        var page = Page()
        var skipped = 0
        while page.fields["s/A.n"]?["model"]?.text != "\(count - 2)"
            || page.fields["s/A.m"]?["model"]?.text != "\(count - 1)"
        {
            let event = try #require(try stream.nextEvent())
            page.take(event)
            if event.name == "lag" { skipped += event["collapsed"]?.integer ?? 0 }
            if let id = event.id { last = id }
        }
        #expect(skipped > 0)
        #expect(try gate.ask("GET", "/metrics").body.contains("action=\"collapsed\"} \(skipped)\n"))
        // Behind the newest there is nothing left to be sent.
        let resumed = try gate.stream(lastID: last)
        try client.call("model.set", #"{"sim":"s","values":{"n":"end"}}"#)
        #expect(try resumed.nextEvent()?.name == "resumed")
        #expect(try #require(try resumed.nextEvent())["model"] == "end")
    }

    // MARK: Many and slow readers

    @Test("seven streams of one client all live, and others still get in")
    func seven() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"s"}"#)
        let streams = try (0..<7).map { _ in try gate.stream() }
        for stream in streams { try stream.event(named: "sync") }
        try client.call("model.set", #"{"sim":"s","values":{"openCount":"9"}}"#)
        for stream in streams { while try stream.event(named: "verdict")["model"] != "9" {} }
        #expect(try gate.probe())
    }

    @Test("one stream too many is told so, and a place that is left is free again")
    func tooMany() throws {
        let gate = try GateProcess(["--max-streams", "3"])
        try gate.expectStreams(0)
        var streams = try (0..<3).map { _ in try gate.stream() }
        for stream in streams { try stream.event(named: "sync") }
        let refused = try gate.ask("GET", "/events", [gate.bearer])
        #expect(refused.status == 503 && refused.body.contains("--max-streams"), "\(refused)")
        #expect(refused["retry-after"] == "5")
        #expect(try gate.probe())
        // That one has gone is noticed without anything being said to it.
        streams.removeFirst().close()
        try gate.expectStreams(2)
        try gate.stream().event(named: "sync")
    }

    @Test("a reader that stops costs nothing beyond the ring, and hears of the gap when it reads again")
    func stalled() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
        // So that the ring is passed over soon: 4 KiB an event, 16 MiB in the ring.
        let filler = String(repeating: "x", count: 4000)
        try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"0"}}"#)
        let reader = try gate.stream()
        try reader.event(named: "sync")
        let stalled = try WebConnection(port: gate.port, receiveBytes: 16 << 10)
        try stalled.send("GET /events HTTP/1.1\r\nHost: \(gate.host)\r\n\(gate.bearer)\r\n\r\n")
        _ = try stalled.head()
        try stalled.event(named: "sync")

        func set(_ value: Int) throws {
            try client.call("model.set", #"{"sim":"s","values":{"n":"\#(value) \#(filler)"}}"#)
            while try reader.event(named: "verdict")["model"]?.text?.hasPrefix("\(value) ") != true {}
        }
        // Once around the ring, so that its own memory is there.
        for value in 0..<5000 { try set(value) }
        let before = try residentKiB(gate.process.pid)
        for value in 5000..<10_000 { try set(value) }
        if !isSanitized { #expect(try residentKiB(gate.process.pid) - before < 2048) }

        let events = try stalled.events(through: "gap", within: .seconds(60))
        #expect(events.last?["reason"] == "aged-out")
        // Those that it has read, and those that nobody tells it any more, are all that there were.
        let read = events.filter { $0.name == "verdict" }.count
        #expect(read + (events.last?["missed"]?.integer ?? 0) == 10_000, "\(read) \(events.last as Any)")
        let anew = try stalled.events(through: "sync")
        #expect(anew.contains { $0.name == "state" && $0["model"]?.text?.hasPrefix("9999 ") == true })
        try set(10_000)
        #expect(try stalled.event(named: "verdict")["model"]?.text?.hasPrefix("10000 ") == true)
    }

    @Test("a snapshot that is taken while everything changes ends up true")
    func snapshotUnderLoad() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        let (sims, fields) = (20, 100)
        for sim in 0..<sims {
            try client.call("sim.create", #"{"scenario":"live","id":"s\#(sim)"}"#)
            let values = (0..<fields).map { #""f\#($0)":"0""# }.joined(separator: ",")
            try client.call("screen.set", #"{"sim":"s\#(sim)","screen":"A","values":{\#(values)}}"#)
        }
        let watcher = try gate.stream("?snapshot=no")
        try watcher.event(named: "sync")
        // Small windows, so that the snapshot takes many turns; writes and a simulation that comes and goes meanwhile.
        var streams: [WebConnection] = []
        var pages = [Page](repeating: Page(), count: 4)
        for _ in pages.indices {
            let stream = try WebConnection(port: gate.port, receiveBytes: 4 << 10)
            try stream.send("GET /events HTTP/1.1\r\nHost: \(gate.host)\r\n\(gate.bearer)\r\n\r\n")
            _ = try stream.head()
            streams.append(stream)
        }
        for round in 0..<400 {
            let (sim, field) = (round * 7 % sims, round * 31 % fields)
            try client.call("model.set", #"{"sim":"s\#(sim)","values":{"f\#(field)":"\#(round)"}}"#)
            if round % 20 == 0 {
                try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"passing"}"#)
                try client.call("sim.destroy", #"{"sim":"passing"}"#)
            }
            for (index, stream) in streams.enumerated() {
                for _ in 0..<5 { pages[index].take(try #require(try stream.nextEvent())) }
            }
        }
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"last"}"#)
        for (index, stream) in streams.enumerated() {
            while pages[index].fields["last/HostingController.openCount"] == nil
                || pages[index].fields["s0/A.f0"] == nil
            {
                pages[index].take(try #require(try stream.nextEvent()))
            }
        }
        // Where each stream has arrived, the daemon says what is so.
        var truth = Page()
        let fresh = try gate.stream()
        for event in try fresh.events(through: "sync") { truth.take(event) }
        // One of the four fields of the last simulation has no value, and so no line yet.
        #expect(truth.fields.count == sims * fields + 3)
        for sim in 0..<sims {
            var from: Int? = 0
            while let start = from {
                let page = try client.call("sim.get", #"{"sim":"s\#(sim)","from":\#(start)}"#)
                for field in page["fields"]?.elements ?? [] {
                    let name = "s\(sim)/A.\(field["field"]?.text ?? "")"
                    #expect(truth.fields[name]?["model"] == field["model"], "\(name)")
                }
                from = page["next"]?.integer
            }
        }
        for (index, stream) in streams.enumerated() {
            // One more change, which each of them waits for, so that all that came before it has been read.
            try client.call("model.set", #"{"sim":"s1","values":{"f1":"end \#(index)"}}"#)
            while pages[index].fields["s1/A.f1"]?["model"]?.text != "end \(index)" {
                pages[index].take(try #require(try stream.nextEvent()))
            }
            truth.take(try fresh.event(named: "verdict"))
            #expect(pages[index].fields == truth.fields)
        }
    }
}
