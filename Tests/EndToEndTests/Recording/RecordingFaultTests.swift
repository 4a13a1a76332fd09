import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Recordings and what can go wrong with them: paths, disks, power cuts, lines that nobody has written. After each, a
/// probe is answered.
@Suite struct RecordingFaultTests {
    private func recorded(_ bench: RecordingBench, _ name: String = "a.jsonl") throws -> [UInt8] {
        let client = bench.client
        try client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(bench.path(name))"}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"é","y":"\"\n"}}"#)
        try client.call("sim.advance", #"{"sim":"a","ms":5}"#)
        try client.call("model.set", #"{"sim":"a","values":{"x":"é","y":null}}"#)
        try client.call("rec.stop", #"["a"]"#)
        return try bench.bytes(name)
    }

    @Test("cut off at any byte, it replays to its last full line")
    func cuts() throws {
        let bench = try RecordingBench()
        let whole = try recorded(bench)
        let header = try #require(whole.firstIndex(of: 0x0A))
        let request = #"["\#(bench.path("cut.jsonl"))"]"#
        for count in 0...whole.count {
            try bench.write("cut.jsonl", whole[..<count])
            if count <= header {
                let refusal = try bench.client.refusal("rec.replay", request)
                #expect(refusal.kind == "bad-recording" && refusal.json["data"]?["line"] == 1, "\(count)")
                continue
            }
            let result = try bench.client.call("rec.replay", request)
            let lines = whole[..<count].filter { $0 == 0x0A }.count
            #expect(
                result["same"] == true && result["lines"]?.integer == lines - 1, "\(count): \(result.encoded)"
            )
            #expect((result["torn"] == true) == (whole[count - 1] != 0x0A), "\(count)")
            // A cut between two lines looks like a whole file, but for the end.
            let isUnfinished = whole[count - 1] == 0x0A && count < whole.count
            #expect((result["unfinished"] == true) == isUnfinished, "\(count)")
        }
    }

    @Test("killed while recording, it leaves a file that replays to its last full line")
    func killed() throws {
        let bench = try RecordingBench()
        for round in 0..<(isLong ? 30 : 3) {
            let daemon = try SeamProcess()
            let client = try daemon.connect()
            let path = bench.path("k\(round).jsonl")
            try client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(path)"}"#)
            let line = #"{"method":"screen.set","params":["a","P",{"x":"1","y":"2","z":"3"}]}"# + "\n"
            let other = line.replacing("3", with: "4")
            try client.send(String(repeating: line + other, count: 1_500))
            for _ in 0..<(50 + 97 * round) { _ = try client.nextReply() }
            // The file is written off the main thread: a reply does not say that its turn is on the disk.
            let patience = ContinuousClock.now + .seconds(20)
            while try bench.lines("k\(round).jsonl").count < 3 {
                try #require(.now < patience)
                sched_yield()
            }
            daemon.process.send(signal: SIGKILL)
            _ = try daemon.process.waitForEnd()
            let result = try bench.client.call("rec.replay", #"["\#(path)"]"#)
            #expect(result["same"] == true, "\(result.encoded)")
            #expect(try #require(result["turns"]?.integer) >= 1)
        }
    }

    @Test("ended with the daemon, it is whole")
    func shutDown() throws {
        let bench = try RecordingBench()
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let path = bench.path("a.jsonl")
        try client.call("sim.create", #"{"scenario":"counter.observed","id":"a","record":"\#(path)"}"#)
        try client.call("sim.advance", #"["a",10]"#)
        #expect(try daemon.stop() == .exit(0))
        #expect(try bench.lines("a.jsonl").last?.contains(#""reason":"shutdown""#) == true)
        #expect(try bench.client.call("rec.replay", #"["\#(path)"]"#)["same"] == true)
    }

    // MARK: Disks

    /// Writes until the recording has stopped; the file is then whole up to a full line, and the simulation goes on.
    private func fill(_ client: TestClient, _ path: String, replayedBy other: TestClient) throws {
        try client.call("sub.open", #"["a"]"#)
        let value = String(repeating: "v", count: 2_000)
        var said: TestClient.Message?
        for number in 0..<400 where said == nil {
            try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"\#(value)\#(number)"}}"#)
            said = client.takeEvents().first { $0.kind == "diagnostic" }
        }
        if said == nil { said = try client.events { $0.kind == "diagnostic" }.last }
        #expect(said?.params?["code"] == "recording-stopped")
        #expect(said?.params?["severity"] == "warning")
        #expect(said?.params?["text"]?.text?.contains(path) == true, "\(said?.line ?? "")")
        // Whoever comes late is told when and why, and what there is.
        let ended = try client.refusal("rec.stop", #"["a"]"#)
        let data = try #require(ended.json["data"])
        #expect(ended.code == -32014 && ended.kind == "not-recorded" && data["file"]?.text == path)
        let endedIn = try #require(data["turn"]?.integer)
        #expect(try endedIn <= #require(said?.params?["turn"]?.integer) && endedIn > 10)
        #expect(data["reason"]?.text.map { said?.params?["text"]?.text?.contains($0) == true } == true)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        #expect(bytes.last == 0x0A && data["bytes"]?.integer == bytes.count)
        let lines = bytes.count { $0 == 0x0A }
        #expect(data["lines"]?.integer == lines)
        #expect(
            ended.message.contains("ended by itself in turn \(endedIn), since it ")
                && ended.message.contains("holds \(lines) whole lines"))
        let turn = try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"goes on"}}"#)
        #expect(turn["changes"] == 1)
        let replayed = try other.call("rec.replay", #"["\#(path)"]"#, within: .seconds(60))
        #expect(replayed["same"] == true && replayed["torn"] == nil, "\(replayed.encoded.prefix(400))")
        // Earlier moments count the finding as well: it came in like anything else.
        let seq = try #require(turn["seq"]?.integer)
        let fork = try client.call("sim.fork", #"{"sim":"a","id":"f"}"#)
        #expect(fork["seq"]?.integer == seq)
        try client.call("sim.destroy", #"["f"]"#)
    }

    @Test("a file that may not grow ends the recording with a diagnostic, and the simulation goes on")
    func fileSize() throws {
        let bench = try RecordingBench()
        let path = bench.path("a.jsonl")
        try bench.client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(path)"}"#)
        let limited = try run("prlimit", ["--pid", "\(bench.daemon.pid)", "--fsize=100003:"])
        #expect(limited.code == 0, "\(limited)")
        try fill(bench.client, path, replayedBy: bench.client)
        let size = try bench.bytes("a.jsonl").count
        #expect(size <= 100_003 && size > 90_000)
    }

    @Test(
        "where no header can be written nothing is begun: an error says why, and there is no file and no finding"
    )
    func begun() throws {
        let bench = try RecordingBench()
        let (client, path) = (bench.client, bench.path("a.jsonl"))
        try client.call("sim.create", #"{"scenario":"counter.observed","id":"a"}"#)
        let seq = try client.call("sim.get", #"["a"]"#)["seq"]
        for size in [0, 10] {
            #expect(try run("prlimit", ["--pid", "\(bench.daemon.pid)", "--fsize=\(size):"]).code == 0)
            for (method, params) in [
                ("rec.start", #"["a","\#(path)"]"#),
                ("sim.create", #"{"scenario":"live","id":"b","record":"\#(path)"}"#),
            ] {
                let refusal = try client.refusal(method, params)
                #expect(refusal.code == -32015 && refusal.kind == "file-failed", "\(refusal)")
                #expect(refusal.message == "\(path): cannot be written: File too large.")
                #expect(refusal.json["data"]?["file"]?.text == path)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
        #expect(
            try client.refusal("rec.stop", #"["a"]"#).message.contains("is not being recorded; rec.start"))
        #expect(try client.call("sim.list")["sims"]?.elements?.count == 1)
        #expect(try client.call("sim.get", #"["a"]"#)["seq"] == seq)
        #expect(try run("prlimit", ["--pid", "\(bench.daemon.pid)", "--fsize=unlimited:"]).code == 0)
        try client.call("rec.start", #"["a","\#(path)"]"#)
        // What it began with is in the file when it is answered.
        let begun = try bench.lines("a.jsonl")
        #expect(begun.count == 3 && begun[2].hasPrefix(#"{"out":"begin""#))
        try client.call("sim.advance", #"["a",5]"#)
        try client.call("rec.stop", #"["a"]"#)
        #expect(try client.call("rec.replay", #"["\#(path)"]"#)["same"] == true)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var call: String
        var errno: Int32
        var words: String
        var testDescription: String { "\(call): \(words)" }
    }

    @Test(
        "whatever the disk says: at the start it is an error, later a diagnostic, and rec.stop knows of it",
        arguments: [
            Fault(call: "pwrite", errno: ENOSPC, words: "cannot be written: No space left on device"),
            Fault(call: "pwrite", errno: EDQUOT, words: "cannot be written: Disk quota exceeded"),
            Fault(call: "pwrite", errno: EFBIG, words: "cannot be written: File too large"),
            Fault(call: "pwrite", errno: EIO, words: "cannot be written: Input/output error"),
            Fault(call: "pwrite", errno: ESTALE, words: "cannot be written: Stale file handle"),
            Fault(call: "fdatasync", errno: EIO, words: "cannot be brought to the disk: Input/output error"),
            Fault(
                call: "fdatasync", errno: ENOSPC,
                words: "cannot be brought to the disk: No space left on device"),
        ])
    func disk(_ fault: Fault) throws {
        let folder = try TemporaryFolder()
        let (library, order, path) = (
            "\(folder.path)/disk.so", "\(folder.path)/order", "\(folder.path)/a.jsonl"
        )
        try compile(
            "gcc",
            [
                "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                Checkout.path("Tests/EndToEndTests/PlantedFaults/disk.c"), "-o", library, "-ldl",
            ])
        let daemon = try SeamProcess(environment: ["LD_PRELOAD": library, "DISK_FAULT": order])
        let client = try daemon.connect()
        func breakDisk(_ isBroken: Bool) throws {
            try Data((isBroken ? "\(fault.call) \(fault.errno)\n" : "").utf8).write(to: URL(filePath: order))
        }
        try client.call("sim.create", #"["live","a"]"#)
        try client.call("sub.open", #"{"sim":"a","start":"now"}"#)
        try breakDisk(true)
        for (method, params) in [
            ("rec.start", #"["a","\#(path)"]"#),
            ("sim.create", #"{"scenario":"live","id":"b","record":"\#(path)"}"#),
        ] {
            let refusal = try client.refusal(method, params)
            #expect(
                refusal.kind == "file-failed" && refusal.message == "\(path): \(fault.words).", "\(refusal)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        try breakDisk(false)
        try client.call("rec.start", #"["a","\#(path)"]"#)
        try client.call("screen.set", #"["a","P",{"x":"1"}]"#)
        try breakDisk(true)
        try client.call("screen.set", #"["a","P",{"x":"2"}]"#)
        if fault.call == "pwrite" {
            let said = try client.events { $0.kind == "diagnostic" }.last
            #expect(
                said?.params?["text"]?.text
                    == "the recording to \(path) has stopped: \(fault.words); the simulation goes on")
            let ended = try client.refusal("rec.stop", #"["a"]"#)
            #expect(ended.kind == "not-recorded" && ended.message.contains(fault.words), "\(ended)")
            // Another one begins with a clean slate.
            try breakDisk(false)
            try client.call("rec.start", #"["a","\#(path)2"]"#)
            #expect(try client.call("rec.stop", #"["a"]"#)["path"]?.text == path + "2")
            #expect(!(try client.refusal("rec.stop", #"["a"]"#).message.contains("by itself")))
        } else {
            // Only its end waits for the disk.
            let refusal = try client.refusal("rec.stop", #"["a"]"#)
            #expect(refusal.kind == "file-failed" && refusal.message == "\(path): \(fault.words).")
        }
        #expect(try client.call("rec.replay", #"["\#(path)"]"#)["same"] == true)
    }

    @Test(
        "a file that is deleted under it, or with its folder, ends the recording; one that is moved is followed"
    )
    func deleted() throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call("sim.create", #"["live","a"]"#)
        try client.call("sub.open", #"{"sim":"a","start":"now"}"#)
        let folder = bench.path("inner")
        let manager = FileManager.default
        for isFolderGone in [false, true] {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = "\(folder)/\(isFolderGone ? "b" : "a").jsonl"
            try client.call("rec.start", #"["a","\#(path)"]"#)
            try manager.removeItem(atPath: isFolderGone ? folder : path)
            try client.call("screen.set", #"["a","P",{"x":"\#(path)"}]"#)
            let said = try client.events { $0.kind == "diagnostic" }.last?.params?["text"]?.text
            #expect(said?.contains("\(path) has stopped: was deleted while it was being written") == true)
            #expect(try client.refusal("rec.stop", #"["a"]"#).message.contains("was deleted"))
        }
        // Nothing came since: the end notices.
        try client.call("rec.start", #"["a","\#(bench.path("c.jsonl"))"]"#)
        try manager.removeItem(atPath: bench.path("c.jsonl"))
        let refusal = try client.refusal("rec.stop", #"["a"]"#)
        #expect(refusal.kind == "file-failed" && refusal.message.contains("was deleted while"), "\(refusal)")
        try client.call("rec.start", #"["a","\#(bench.path("d.jsonl"))"]"#)
        try manager.moveItem(atPath: bench.path("d.jsonl"), toPath: bench.path("e.jsonl"))
        let stopped = try client.call("rec.stop", #"["a"]"#)
        #expect(stopped["path"]?.text == bench.path("e.jsonl"))
        #expect(try client.call("rec.replay", #"["\#(bench.path("e.jsonl"))"]"#)["same"] == true)
        #expect(try bench.bytes("e.jsonl").count == stopped["bytes"]?.integer)
    }

    /// A file system of 128 KiB needs a mount of one's own.
    static let canMount =
        (try? run("unshare", ["-Urm", "sh", "-c", "mount -t tmpfs -o size=128k tmpfs /mnt"]))?.code == 0

    @Test(
        "a full disk ends the recording with a diagnostic, and the simulation goes on", .enabled(if: canMount)
    )
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        let disk = "\(folder.path)/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        let script =
            "mount -t tmpfs -o size=128k,mode=700 tmpfs \"$1\" && exec \"$2\" --socket \"$3\" --log-level info"
        let daemon = try ChildProcess(
            "unshare", ["-Urm", "sh", "-c", script, "sh", disk, Products.path("seamd"), socket])
        _ = try daemon.errorLine(containing: "listening")
        let client = try TestClient(path: socket)
        // Seen from outside of its mounts.
        let outside = "/proc/\(daemon.pid)/root\(disk)/a.jsonl"
        try client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(disk)/a.jsonl"}"#)
        try client.call("sub.open", #"["a"]"#)
        let value = String(repeating: "v", count: 2_000)
        var said: TestClient.Message?
        for number in 0..<400 where said == nil {
            try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"\#(value)\#(number)"}}"#)
            said = client.takeEvents().first { $0.kind == "diagnostic" }
        }
        if said == nil { said = try client.events { $0.kind == "diagnostic" }.last }
        #expect(said?.params?["code"] == "recording-stopped")
        #expect(said?.params?["text"]?.text?.contains("No space left on device") == true)
        #expect(
            try client.call("screen.set", #"{"sim":"a","screen":"P","values":{"x":"goes on"}}"#)["changes"]
                == 1)
        #expect([UInt8](try Data(contentsOf: URL(filePath: outside))).last == 0x0A)
        let replayed = try client.call("rec.replay", #"["\#(disk)/a.jsonl"]"#)
        #expect(replayed["same"] == true && replayed["torn"] == nil)
        let ended = try client.refusal("rec.stop", #"["a"]"#)
        #expect(ended.message.contains("cannot be written: No space left on device"), "\(ended)")
        // The disk is full to the last block: nothing else begins there.
        _ = try run(
            "sh", ["-c", "head -c 200000 /dev/zero >\"$1\"", "sh", "/proc/\(daemon.pid)/root\(disk)/full"])
        let refusal = try client.refusal("rec.start", #"["a","\#(disk)/b.jsonl"]"#)
        #expect(refusal.code == -32015 && refusal.kind == "file-failed", "\(refusal)")
        #expect(refusal.message == "\(disk)/b.jsonl: cannot be written: No space left on device.")
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(daemon.pid)/root\(disk)/b.jsonl"))
        try client.call("seam.ping")
    }

    // MARK: Paths

    @Test("wrong paths are told, make no file, and leave the simulation as it was")
    func paths() throws {
        let bench = try RecordingBench()
        let client = bench.client
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let manager = FileManager.default
        try manager.createDirectory(atPath: bench.path("open"), withIntermediateDirectories: false)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.path("open"))
        try manager.createDirectory(atPath: bench.path("group"), withIntermediateDirectories: false)
        try manager.setAttributes([.posixPermissions: 0o770], ofItemAtPath: bench.path("group"))
        try bench.write("there", "x".utf8)
        try manager.createSymbolicLink(atPath: bench.path("link"), withDestinationPath: bench.path("target"))
        let rows: [(path: String, words: String)] = [
            (bench.path("no/such/a.jsonl"), "No such file or directory"),
            (bench.path("there"), "it exists already"), (bench.path("there/a.jsonl"), "Not a directory"),
            (bench.path("link"), "it exists already"), (bench.path("open/a.jsonl"), "others may write"),
            (bench.path("group/a.jsonl"), "others may write"), (bench.path("."), "it exists already"),
            (bench.path(".."), "it exists already"), ("/tmp/a.jsonl", "the folder /tmp"),
            ("/proc/a.jsonl", "cannot be made"),
            ("/\(String(repeating: "a", count: 300))", "File name too long"),
            (bench.path(String(repeating: "n", count: 256)), "File name too long"),
        ]
        for (path, words) in rows {
            let refusal = try client.refusal("rec.start", #"{"sim":"a","path":"\#(path)"}"#)
            #expect(refusal.code == -32602 && refusal.kind == "bad-path", "\(path): \(refusal)")
            #expect(refusal.message.contains(words), "\(refusal.message)")
            #expect(refusal.json["data"]?["path"] == "path")
            let created = try client.refusal(
                "sim.create", #"{"scenario":"live","id":"b","record":"\#(path)"}"#)
            #expect(created.kind == "bad-path" && created.json["data"]?["path"] == "record", "\(created)")
            try client.call("seam.ping")
        }
        #expect(!manager.fileExists(atPath: bench.path("target")))
        #expect(try bench.bytes("there") == Array("x".utf8))
        #expect(try client.call("sim.list")["sims"]?.elements?.count == 1)
        // What is wrong otherwise leaves no file either.
        let unmade = bench.path("unmade.jsonl")
        #expect(
            try client.refusal("sim.create", #"{"scenario":"nosuch","record":"\#(unmade)"}"#).kind
                == "unknown-scenario")
        #expect(try client.refusal("rec.start", #"["nosuch","\#(unmade)"]"#).kind == "unknown-sim")
        #expect(try client.refusal("rec.stop", #"["nosuch"]"#).kind == "unknown-sim")
        #expect(try client.refusal("rec.stop", #"["a"]"#).kind == "not-recorded")
        try client.call("rec.start", #"["a","\#(bench.path("a.jsonl"))"]"#)
        let twice = try client.refusal("rec.start", #"["a","\#(unmade)"]"#)
        #expect(twice.code == -32014 && twice.kind == "recorded")
        #expect(twice.json["data"]?["path"]?.text == bench.path("a.jsonl"))
        #expect(!manager.fileExists(atPath: unmade))
    }

    @Test("two who start at once: one records, the other's file is gone")
    func race() throws {
        let bench = try RecordingBench()
        try bench.client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let clients = try (0..<4).map { _ in try bench.daemon.connect() }
        for (index, client) in clients.enumerated() {
            try client.sendLine(#"{"id":1,"method":"rec.start","params":["a","\#(bench.path("\(index)"))"]}"#)
        }
        let replies = try clients.map { try $0.nextReply() }
        #expect(replies.filter { $0["result"] != nil }.count == 1)
        #expect(replies.allSatisfy { $0["result"] != nil || $0["error"]?["data"]?["kind"] == "recorded" })
        // Files are removed on a queue in order, so one more use of it comes behind.
        try bench.client.call("rec.stop", #"["a"]"#)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).count == 1)
    }

    // MARK: Files that nobody recorded

    @Test("what is no recording is refused with its line, and nothing is left of it")
    func badFiles() throws {
        let bench = try RecordingBench()
        let client = bench.client
        let good = String(decoding: try recorded(bench), as: UTF8.self).split(separator: "\n").map(
            String.init)
        func header(_ from: String, _ to: String) -> [String] {
            [good[0].replacing(from, with: to)] + good[1...]
        }
        typealias Row = (lines: [String], kind: String, line: Int?)
        func row(_ lines: [String], _ kind: String = "bad-recording", _ line: Int? = 1) -> Row {
            (lines, kind, line)
        }
        /// A third line, behind the header and the creation.
        func third(_ line: String) -> Row { row(Array(good[..<2]) + [line], "bad-recording", 3) }
        var rows: [Row] = [row([]), row([""]), row(["{}"]), row(["[1]"]), row(["not json"])]
        rows.append(row(header("recording", "lullaby")))
        rows.append(row(header(#""version":1"#, #""version":2"#)))
        rows.append(row(header(#""version":1,"#, "")))
        rows.append(row(header(#""seed":0"#, #""seed":"0""#)))
        rows.append(row(header(#""params":{}"#, #""params":[]"#)))
        rows.append(row(header(#""turn":0"#, #""turn":-1"#)))
        rows.append(row(header(#""clock":"virtual""#, #""clock":"sundial""#)))
        rows.append(row(header("live", "nosuch"), "unknown-scenario", nil))
        rows.append(row(header(#""params":{}"#, #""params":{"nosuch":"1"}"#), "unknown-arg", nil))
        rows.append(row(header(#""policies":{}"#, #""policies":{"nosuch":"1"}"#), "unknown-policy", nil))
        rows.append(row(header("lesson", "nosuch"), "unknown-profile", nil))
        for line in [
            "not json", "{}", #"{"in":"nosuch","turn":2,"ms":0}"#, #"{"in":"model.set","turn":2,"ms":0}"#,
            #"{"in":"model.set","turn":2,"ms":0,"values":{"a":1}}"#,
            #"{"in":"model.set","turn":2,"ms":0,"values":{"a":"1","a":"2"}}"#,
            #"{"in":"bridge.mount","turn":2,"ms":0,"bridge":"b"}"#,
            #"{"in":"sim.send","turn":2,"ms":0,"event":"e","args":{}}"#,
            #"{"in":"sim.advance","turn":2,"ms":0,"to":18446744073709551615}"#,
            #"{"in":"sim.advance","turn":2,"ms":0,"to":-1}"#, #"{"in":"post","turn":2,"ms":0,"token":"x"}"#,
            // What no request could have brought in.
            #"{"in":"screen.set","turn":2,"ms":0,"screen":"","values":{"a":"1"}}"#,
            #"{"in":"screen.set","turn":2,"ms":0,"screen":"A.B","values":{"a":"1"}}"#,
            #"{"in":"screen.set","turn":2,"ms":0,"screen":"A\u001b[31m","values":{"a":"1"}}"#,
            #"{"in":"screen.set","turn":2,"ms":0,"screen":"A","values":{"":"1"}}"#,
            #"{"in":"screen.set","turn":2,"ms":0,"screen":"A","values":{"a\u2028":"1"}}"#,
            #"{"in":"screen.declare","turn":2,"ms":0,"screen":"A","fields":["a","b\u0000"]}"#,
            #"{"in":"model.set","turn":2,"ms":0,"values":{"\#(String(repeating: "k", count: 129))":"1"}}"#,
            #"{"in":"model.set","turn":2,"ms":0,"values":{"a":"\#(String(repeating: "v", count: 65_537))"}}"#,
            String(repeating: "[", count: 100_000), String(repeating: " ", count: 9 << 20),
        ] { rows.append(third(line)) }
        for (lines, kind, line) in rows {
            try bench.write("bad.jsonl", lines: lines)
            let refusal = try client.refusal("rec.replay", #"["\#(bench.path("bad.jsonl"))"]"#)
            #expect(refusal.kind == kind, "\(lines.last?.prefix(80) ?? ""): \(refusal)")
            #expect(refusal.json["data"]?["line"]?.integer == line, "\(refusal)")
            try client.call("seam.ping")
        }
        // Inputs before there is a simulation, and after it, are differences.
        for lines in [[good[0]] + good[2...], good[..<2] + good[1...]] {
            try bench.write("bad.jsonl", lines: Array(lines))
            #expect(try client.call("rec.replay", #"["\#(bench.path("bad.jsonl"))"]"#)["same"] == false)
        }
        #expect(try client.call("sim.list")["sims"]?.elements?.count == 1)
    }

    @Test("what is kept of a recording has room, also where it ends at a difference")
    func room() throws {
        let bench = try RecordingBench(["--max-fields", "50"])
        let client = bench.client
        let good = String(decoding: try recorded(bench), as: UTF8.self).split(separator: "\n").map(
            String.init)
        let many = (0..<60).map { #""f\#($0)":"1""# }.joined(separator: ",")
        // The blank behind the colon is what nobody has written.
        let line = #"{"in": "screen.set","turn":2,"ms":0,"screen":"A","values":{\#(many)}}"#
        try bench.write("many.jsonl", lines: Array(good[..<2]) + [line])
        let refusal = try client.refusal(
            "rec.replay", #"{"path":"\#(bench.path("many.jsonl"))","id":"k","keep":true}"#)
        #expect(refusal.code == -32008, "\(refusal)")
        #expect(try client.call("seam.stats")["fields"] == 2)
    }

    @Test("a clock does not go back")
    func backwards() throws {
        let bench = try RecordingBench()
        let good = String(decoding: try recorded(bench), as: UTF8.self).split(separator: "\n").map(
            String.init)
        let forth = #"{"in":"sim.advance","turn":2,"ms":0,"to":10}"#
        let back = #"{"in":"sim.advance","turn":3,"ms":10,"to":5}"#
        try bench.write("back.jsonl", lines: Array(good[..<2]) + [forth, back])
        let result = try bench.client.call("rec.replay", #"["\#(bench.path("back.jsonl"))"]"#)
        #expect(result["same"] == false, "\(result.encoded)")
        let text = result["difference"]?["text"]?.text ?? ""
        #expect(text.contains("lies before 10 ms"), "\(result.encoded)")
    }

    @Test("what is no file, or not the daemon's user's, is not opened or waited for")
    func badReplayPaths() throws {
        let bench = try RecordingBench()
        let client = bench.client
        #expect(mkfifo(bench.path("fifo"), 0o600) == 0)
        let rows = [
            (bench.path("nosuch"), "No such file"), (bench.folder.path, "is not a file"),
            (bench.path("fifo"), "is not a file"), ("/dev/null", "is not a file"),
            ("/dev/zero", "is not a file"),
        ]
        for (path, words) in rows {
            let refusal = try client.refusal("rec.replay", #"["\#(path)"]"#)
            #expect(refusal.kind == "bad-path" && refusal.message.contains(words), "\(refusal)")
        }
        if geteuid() == 0 {
            try bench.write("theirs", "{}\n".utf8)
            #expect(chown(bench.path("theirs"), 12_345, 12_345) == 0)
            let refusal = try client.refusal("rec.replay", #"["\#(bench.path("theirs"))"]"#)
            #expect(refusal.message.contains("belongs to uid 12345"), "\(refusal)")
        }
        // Not even a word of a file that is none.
        try bench.write("secret", "hunter2\n".utf8)
        #expect(
            !(try client.refusal("rec.replay", #"["\#(bench.path("secret"))"]"#).json.encoded.contains(
                "hunter2")))
    }

    @Test("an id that is taken is refused, also by a replay that is under way")
    func ids() throws {
        let bench = try RecordingBench()
        _ = try recorded(bench)
        let path = bench.path("a.jsonl")
        #expect(try bench.client.refusal("rec.replay", #"["\#(path)","a"]"#).kind == "sim-exists")
        #expect(try bench.client.refusal("rec.replay", #"["\#(path)","a/b"]"#).kind == "bad-name")
        try bench.client.sendLine(#"{"id":1,"method":"rec.replay","params":["\#(path)","k",true]}"#)
        #expect(try bench.client.nextReply()["result"]?["sim"] == "k")
        #expect(try bench.client.refusal("sim.create", #"["live","k"]"#).kind == "sim-exists")
    }

    @Test("a client that goes ends its replay")
    func gone() throws {
        let bench = try RecordingBench()
        let client = bench.client
        let path = bench.path("a.jsonl")
        try client.call("sim.create", #"{"scenario":"live","id":"a","record":"\#(path)"}"#)
        let line = #"{"jsonrpc":"2.0","method":"screen.set","params":["a","P",{"x":"1"}]}"# + "\n"
        let other = line.replacing("1\"}]", with: "2\"}]")
        for _ in 0..<20 { try client.send(String(repeating: line + other, count: 1000)) }
        try client.call("rec.stop", #"["a"]"#, within: .seconds(60))
        let leaving = try bench.daemon.connect()
        try leaving.sendLine(#"{"id":1,"method":"rec.replay","params":["\#(path)","k",true]}"#)
        func replays() throws -> Int? { try client.call("seam.stats")["replays"]?.integer }
        let deadline = ContinuousClock.now + .seconds(20)
        while try replays() != 1 && ContinuousClock.now < deadline {}
        #expect(try replays() == 1)
        #expect(try client.refusal("sim.create", #"["live","k"]"#).kind == "sim-exists")
        leaving.close()
        while try replays() != 0 && ContinuousClock.now < deadline {}
        try client.call("sim.create", #"["live","k"]"#)
        #expect(try client.call("seam.stats")["connections"] == 1)
    }
}
