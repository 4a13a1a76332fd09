import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam watch` and `seam wait`: what is printed, when it ends, and how it goes on.
@Suite struct WatchTests {
    private func line(_ seq: Int, _ verdict: String, _ name: String, _ rest: String) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let number = String(repeating: " ", count: 6 - "\(seq)".count) + "\(seq)"
        return "\(number)  \(padded(verdict, 12))  \(padded(name, 28))  \(rest)"
    }

    private func openCount(_ seq: Int, _ verdict: String, _ rest: String) -> String {
        line(seq, verdict, "HostingController.openCount", rest)
    }

    private func readLines(_ count: Int, of watch: ChildProcess) throws -> [String] {
        try (0..<count).map { _ in try #require(try watch.readLine()) }
    }

    /// What `seam watch` says to resume with, after the words that end it.
    private func resumption(_ watch: ChildProcess) throws -> [String] {
        let line = try watch.errorLine(containing: "ended; to resume: seam watch ")
        return line.split(separator: " ").drop { $0 != "watch" }.map(String.init)
    }

    // MARK: --timeout

    @Test("--timeout ends it when nothing comes, with a place to resume from and exit code 5")
    func timeoutInSilence() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        for arguments in [["watch", "demo"], ["watch"], ["watch", "demo", "--strict", "--reconnect"]] {
            let outcome = try run(
                "seam", arguments + ["--timeout", "3000"], environment: ["SEAM_SOCKET": daemon.socket])
            #expect(outcome.code == 5, "\(outcome)")
            #expect(outcome.stdout.contains("openCount"))
            #expect(outcome.stderr.contains("seam: ended; to resume: seam watch "), "\(outcome)")
        }
        let trace = try daemon.seam("trace", "demo", "--follow", "--timeout", "3000")
        #expect(trace.code == 5, "\(trace)")
        #expect(trace.stdout.contains("start"))
        #expect(try daemon.connect().call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("--timeout ends it though lines never stop coming, and what was read is printed")
    func timeoutInNoise() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "app", "--trace", "on")
        let noise = try ChildProcess(
            "bash",
            [
                "-c", "while echo model a 1 && echo model a 2; do :; done | \"$0\" feed app --socket \"$1\"",
                Products.path("seam"), daemon.socket,
            ], environment: [:])
        try daemon.seam("show", "app", "S", "a=0")
        for command in [["watch", "app", "--mode", "all"], ["trace", "app", "--follow"]] {
            let outcome = try run(
                "seam", command + ["--timeout", "5000"], environment: ["SEAM_SOCKET": daemon.socket])
            #expect(outcome.code == 5, "\(outcome.stderr)")
            #expect(outcome.stdout.split(separator: "\n").count > 2)
        }
        // Without a daemon the feed ends, and so does what fed it.
        try daemon.seam("shutdown")
        _ = try noise.waitForEnd()
    }

    @Test("--timeout ends the waiting for a daemon that has gone, or does not answer")
    func timeoutWithoutDaemon() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "app")
        let watch = try daemon.start("watch", "app", "--reconnect", "--timeout", "10000")
        let alone = try daemon.connect()
        while try alone.call("seam.stats")["subscriptions"] != 1 {}
        _ = try daemon.stop()
        _ = try watch.errorLine(containing: "waiting for it to come back")
        let outcome = try watch.outcome()
        #expect(outcome.code == 5, "\(outcome)")

        let stuck = try SeamProcess()
        stuck.process.send(signal: SIGSTOP)
        let unheard = try stuck.seam("watch", "--timeout", "300")
        stuck.process.send(signal: SIGCONT)
        #expect(unheard.code == 5)
        #expect(unheard.stderr == "seam: timed out\n")
        #expect(try stuck.connect().call("seam.ping")["daemonEpoch"] != nil)
    }

    // MARK: Every change

    @Test("watch shows every change that set, assign, clear and a Python script make")
    func everyChange() throws {
        let daemon = try SeamProcess()
        try play(on: daemon, "$ seam create lessons.hosting-unassigned --id demo\ndemo")
        let watch = try daemon.start("watch", "demo")
        #expect(
            try readLines(3, of: watch) == [
                line(3, "matching", "HostingController.title", "model=Tasks screen=Tasks"),
                openCount(3, "matching", "model=3 screen=3"),
                line(3, "matching", "HostingController.filter", "model=open screen=open"),
            ])

        try daemon.seam("set", "demo", "openCount=7")
        #expect(try watch.readLine() == openCount(4, "stale", "model=7 screen=3  (was matching)"))
        try daemon.seam("set", "demo", "openCount=8")
        #expect(try watch.readLine() == openCount(5, "stale", "model=8 screen=3"))
        try daemon.seam("assign", "demo", "host")
        #expect(try watch.readLine() == openCount(6, "matching", "model=8 screen=8  (was stale)"))

        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Clients/python/set.py").standardizedFileURL.path
        let python = try run(
            "python3", [script, "demo", "openCount=9", "openCount=10", "filter=done"],
            environment: ["SEAM_SOCKET": daemon.socket])
        #expect(python.code == 0, "\(python)")
        #expect(
            try readLines(3, of: watch) == [
                openCount(7, "stale", "model=9 screen=8  (was matching)"),
                openCount(8, "stale", "model=10 screen=8"),
                line(9, "stale", "HostingController.filter", "model=done screen=open  (was matching)"),
            ])

        try daemon.seam("clear", "demo", "filter")
        let cleared = try watch.readLine()
        #expect(
            cleared
                == line(10, "leftover", "HostingController.filter", "model=- screen=open  (was stale)"))
        try daemon.seam("destroy", "demo")
        try watch.errorLine(containing: "the stream ended: the simulation was destroyed")
        let outcome = try watch.outcome()
        #expect(outcome.code == 0 && !outcome.stderr.contains("resume"), "\(outcome)")
    }

    @Test("without SIM watch shows every simulation, also those to come and those that go")
    func everything() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=1")
        let watch = try daemon.start("watch")
        let first = try #require(try watch.readLine())
        #expect(first.contains("exists") && first.contains("a ") && first.hasSuffix("live"))
        try watch.readLine(containing: "leftover", "a/S.k ")
        try daemon.seam("create", "lessons.own-state", "--id", "b")
        try watch.readLine(containing: "created", "b ", "lessons.own-state")
        try watch.readLine(containing: "matching", "b/HostingController.openCount", "(was out-of-scope)")
        try daemon.seam("set", "a", "k=2")
        try watch.readLine(containing: "stale", "a/S.k", "model=2 screen=1  (was leftover)")
        try daemon.seam("destroy", "a")
        try watch.readLine(containing: "destroyed", "a ", "live")
        watch.send(signal: SIGINT)
        let outcome = try watch.outcome()
        #expect(outcome.code == 0, "\(outcome)")
        let again = try resumption(watch)
        #expect(again.dropLast() == ["watch", "--socket", daemon.socket, "--after"], "\(again)")
    }

    @Test("--match, --verdicts and --json narrow and shape the stream")
    func shapes() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        let matching = try daemon.start("watch", "demo", "--match", "*.openCount", "--match", "*.filter")
        #expect(try readLines(2, of: matching).allSatisfy { !$0.contains("title") })
        let verdicts = try daemon.start("watch", "demo", "--verdicts", "--json")
        let kinds = try readLines(4, of: verdicts).map { try JSON(parsing: $0)["kind"]?.text }
        #expect(kinds == ["state", "state", "state", "sync"])
        try daemon.seam("set", "demo", "title=x")
        try daemon.seam("set", "demo", "openCount=4")
        try daemon.seam("set", "demo", "openCount=5")
        try daemon.seam("assign", "demo", "host")
        #expect(
            try readLines(3, of: matching) == [
                openCount(5, "stale", "model=4 screen=3  (was matching)"),
                openCount(6, "stale", "model=5 screen=3"),
                openCount(8, "matching", "model=5 screen=5  (was stale)"),
            ])
        let seqs = try readLines(4, of: verdicts).map { try JSON(parsing: $0)["seq"]?.integer }
        #expect(seqs == [4, 5, 7, 8])
    }

    @Test("a diagnostic stands in the stream with its severity")
    func diagnostics() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.wrapping-filled", "--id", "w")
        let watch = try daemon.start("watch", "w")
        _ = try readLines(2, of: watch)
        try daemon.seam("mount", "w", "list")
        try daemon.seam("update", "w", "list", "--mount", "2")
        let warning = try #require(try watch.readLine())
        #expect(warning.contains("warning") && warning.contains("redundant-write: "), "\(warning)")
    }

    @Test("a value that was cut says how long it is")
    func longValues() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=" + String(repeating: "é", count: 3000))
        let watch = try daemon.start("watch", "a")
        let line = try #require(try watch.readLine())
        #expect(line.hasSuffix("é… (6000 bytes)") && line.utf8.count < 4300)
    }

    // MARK: Ends

    @Test("Ctrl-C ends it in order and prints the place to resume from, which loses and doubles nothing")
    func interruptAndResume() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        let watch = try daemon.start("watch", "demo", "--mode", "all", "--match", "*.openCount")
        try watch.readLine(containing: "matching")
        try daemon.seam("set", "demo", "openCount=7")
        try watch.readLine(containing: "stale")
        watch.send(signal: SIGINT)
        let outcome = try watch.outcome()
        #expect(outcome.code == 0, "\(outcome)")
        let again = try resumption(watch)
        #expect(
            again.dropLast() == [
                "watch", "demo", "--match", "'*.openCount'", "--mode", "all", "--socket", daemon.socket,
                "--after",
            ])
        #expect(masked(again.last ?? "") == "EPOCH:4")

        try daemon.seam("set", "demo", "openCount=8", "title=x")
        try daemon.seam("assign", "demo", "host")
        let resumed = try daemon.start("watch", "demo", "--after", again.last ?? "")
        #expect(
            try readLines(4, of: resumed).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
                == ["5 stale", "6 stale", "7 matching", "8 matching"])
        resumed.send(signal: SIGTERM)
        #expect(try resumed.outcome().code == 0)
        #expect(masked(try resumption(resumed).last ?? "") == "EPOCH:8")
    }

    @Test("the line to resume with can be pasted: nothing that was given is missing")
    func pasted() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "it's")
        try daemon.seam("show", "it's", "S", "k=1")
        let given = [
            "it's", "--json", "--strict", "--match", "*.k", "--color", "never", "--socket", daemon.socket,
        ]
        let watch = try ChildProcess("seam", ["watch"] + given)
        try watch.readLine(containing: "sync")
        watch.send(signal: SIGINT)
        #expect(try watch.outcome().code == 0)
        let hint = try watch.errorLine(containing: "ended; to resume: ")
        let line = String(hint[(hint.firstRange(of: "resume: ")?.upperBound ?? hint.startIndex)...])
        for word in ["--json", "--strict", "'*.k'", "--color never", "--socket \(daemon.socket)"] {
            #expect(line.contains(word), "\(line)")
        }
        try daemon.seam("show", "it's", "S", "k=2", "other=3")
        let again = try ChildProcess("bash", ["-c", line], environment: ["PATH": Products.folder])
        try again.readLine(
            containing: #""field":"k","from":"leftover","to":"leftover","model":null,"shown":"2""#)
        again.send(signal: SIGINT)
        #expect(try again.outcome().ending == .exit(0))
    }

    @Test("--after with a place that is wrong, gone or yet to come")
    func wrongPlaces() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let epoch = try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)["epoch"]?.text ?? ""
        try play(
            on: daemon,
            """
            $ seam watch a --after 7
            ! seam: --after is written EPOCH:SEQ (16 hex digits, then a number), not '7'; usage: seam watch
            = 2
            $ seam watch a --after \(epoch):x
            ! seam: --after is written EPOCH:SEQ
            = 2
            $ seam watch a --after 0123456789abcdef:0
            ! seam: There are no changes behind 0123456789abcdef:0: what is here now is of the epoch \(epoch), begun since; watch
            = 4
            $ seam watch a --after \(epoch):99
            ! seam: --after names a place that is yet to come; the stream is at \(epoch):0.
            = 4
            $ seam watch b
            ! seam: There is no simulation b
            = 4
            $ seam watch a --mode some
            ! seam: --mode is one of latest, all, not 'some'; usage:
            = 2
            """)
    }

    @Test("the end of the daemon: exit 0 when it said so, 3 when it did not")
    func daemonGoes() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        let told = try daemon.start("watch", "a")
        try daemon.untilSubscribed()
        try daemon.stop()
        try told.errorLine(containing: "the stream ended: the daemon is shutting down")
        // Its history has gone with it, so there is nothing to resume with.
        let end = try told.outcome()
        #expect(end.code == 0 && !end.stderr.contains("resume"), "\(end)")

        let other = try SeamProcess()
        try other.seam("create", "live", "--id", "a")
        try other.seam("show", "a", "S", "k=v")
        let left = try other.start("watch", "a")
        try left.readLine(containing: "leftover")
        other.process.send(signal: SIGKILL)
        let outcome = try left.outcome()
        #expect(outcome.code == 3, "\(outcome)")
        #expect(outcome.stderr.contains("the daemon at \(other.socket) closed the connection"), "\(outcome)")
        #expect(!outcome.stderr.contains("resume"), "\(outcome)")
    }

    @Test("nobody reads any more: it ends by itself, without waiting for another change")
    func readerGone() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=v")
        try play(
            on: daemon,
            """
            $ set -o pipefail; seam watch a | head -n 1 | cut -c 1-16
                 1  leftover
            """)
    }

    @Test(
        "a reader that only stands still keeps no signal from ending it, and no line counts that it did not get"
    )
    func stalledReader() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=v")
        let folder = try TemporaryFolder()
        let pipe = "\(folder.path)/pipe"
        try run("mkfifo", [pipe])
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let watch = try ChildProcess(
            "bash", ["-c", "exec \"$0\" watch a --mode all >\(pipe)", Products.path("seam")],
            environment: ["SEAM_SOCKET": daemon.socket])
        try daemon.untilSubscribed()
        let client = try daemon.connect()
        for number in 0..<3000 {
            try client.call("model.set", #"{"sim":"a","values":{"k":"\#(number)"}}"#)
        }
        // Once nobody could write any more, the watcher stands in a write.
        let writer = open(pipe, O_WRONLY | O_NONBLOCK)
        var state = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        while poll(&state, 1, 0) == 1 {}
        close(writer)
        watch.send(signal: SIGTERM)
        #expect(try watch.outcome().code == 0)
        var got = [UInt8](repeating: 0, count: 128 << 10)
        got.removeLast(got.count - max(0, read(reader, &got, got.count)))
        let lines = String(decoding: got, as: UTF8.self).components(separatedBy: "\n").dropLast()
        let last = try #require(lines.last?.split(separator: " ").first.flatMap { Int($0) })
        let cursor = try #require(
            try resumption(watch).last?.split(separator: ":").last.flatMap { Int($0) })
        #expect(cursor <= last && last < 3000, "of \(got.count) bytes")
    }

    // MARK: Coming back

    @Test("--reconnect over a restart after kill -9: it waits, says what it lost, and begins anew")
    func restart() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        func start() throws -> SeamProcess { try SeamProcess(["--socket", socket]) }
        func seam(_ arguments: String...) throws {
            let outcome = try run("seam", ["--socket", socket] + arguments)
            #expect(outcome.code == 0, "\(outcome)")
        }
        let first = try start()
        try seam("create", "lessons.hosting-unassigned", "--id", "demo")
        let watch = try ChildProcess("seam", ["watch", "demo", "--reconnect", "--socket", socket])
        let all = try ChildProcess("seam", ["watch", "--reconnect", "--socket", socket])
        _ = try (readLines(3, of: watch), readLines(3, of: all))
        try seam("set", "demo", "openCount=7")
        _ = try (readLines(1, of: watch), readLines(1, of: all))

        first.process.send(signal: SIGKILL)
        try first.process.waitForEnd()
        for one in [watch, all] {
            try one.errorLine(containing: "the daemon at \(socket) is gone; waiting for it to come back")
        }
        let second = try start()
        try watch.errorLine(containing: "the daemon is back without demo; waiting for it to be created")
        try all.errorLine(containing: "began anew, with a snapshot")
        try seam("create", "lessons.hosting-unassigned", "--id", "demo")
        try watch.errorLine(containing: "is gone; what happened since is not known")
        try watch.errorLine(containing: "began anew, with a snapshot")
        #expect(try readLines(3, of: watch)[1] == openCount(3, "matching", "model=3 screen=3"))
        try seam("set", "demo", "openCount=8")
        #expect(try watch.readLine() == openCount(4, "stale", "model=8 screen=3  (was matching)"))
        try all.readLine(containing: "created", "demo")
        try all.readLine(containing: "stale", "demo/HostingController.openCount", "model=8 screen=3")

        // In order this time, and Ctrl-C while it waits.
        try second.stop()
        try watch.errorLine(containing: "the stream ended: the daemon is shutting down")
        for one in [watch, all] {
            one.send(signal: SIGINT)
            let outcome = try one.outcome()
            #expect(outcome.code == 0 && !outcome.stderr.contains("to resume:"), "\(outcome)")
        }
        try watch.errorLine(containing: "ended; the daemon has gone, and nothing can be resumed from another")
    }

    @Test("--reconnect over a lost connection resumes behind the last line: nothing is lost or doubled")
    func lostConnection() throws {
        let daemon = try SeamProcess()
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/relay.sock"
        func relay() throws -> ChildProcess {
            let relay = try ChildProcess(
                "socat", ["-d", "-d", "UNIX-LISTEN:\(socket),unlink-early", "UNIX-CONNECT:\(daemon.socket)"])
            try relay.errorLine(containing: "listening on")
            return relay
        }
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        let first = try relay()
        let watch = try ChildProcess(
            "seam", ["watch", "demo", "--reconnect", "--strict", "--socket", socket])
        _ = try readLines(3, of: watch)
        try daemon.seam("set", "demo", "openCount=7")
        _ = try readLines(1, of: watch)

        first.send(signal: SIGKILL)
        try watch.errorLine(containing: "is gone; waiting for it to come back")
        try daemon.seam("set", "demo", "openCount=8")
        try daemon.seam("assign", "demo", "host")
        let second = try relay()
        #expect(
            try readLines(2, of: watch) == [
                openCount(5, "stale", "model=8 screen=3"),
                openCount(6, "matching", "model=8 screen=8  (was stale)"),
            ])
        let resumed = try watch.errorLine(containing: "resumed behind ")
        #expect(masked(resumed).hasSuffix("resumed behind EPOCH:4"))
        #expect(try second.waitsFor(watch))
    }

    @Test("a daemon that closes the connection and is there is not said to be gone")
    func closedConnection() throws {
        let daemon = try SeamProcess()
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/relay.sock"
        let relay = try ChildProcess(
            "socat", ["-d", "-d", "UNIX-LISTEN:\(socket),fork", "UNIX-CONNECT:\(daemon.socket)"])
        try relay.errorLine(containing: "listening on")
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        let watch = try ChildProcess("seam", ["watch", "demo", "--reconnect", "--socket", socket])
        _ = try readLines(3, of: watch)

        // The process that stands between the two; the one that listens goes on.
        let between = try String(
            contentsOfFile: "/proc/\(relay.pid)/task/\(relay.pid)/children", encoding: .utf8)
        kill(try #require(pid_t(between.trimmingCharacters(in: .whitespaces))), SIGKILL)
        try watch.errorLine(containing: "the daemon at \(socket) closed this connection; connected again")
        try watch.errorLine(containing: "resumed behind ")
        try daemon.seam("set", "demo", "openCount=7")
        #expect(try watch.readLine() == openCount(4, "stale", "model=7 screen=3  (was matching)"))
        watch.send(signal: SIGINT)
        #expect(!(try watch.outcome().stderr.contains("is gone")))
    }

    @Test("without --reconnect, and where no daemon was to begin with, it does not wait")
    func noDaemon() throws {
        let folder = try TemporaryFolder()
        try play(
            """
            $ seam watch --reconnect --socket \(folder.path)/none
            ! seam: nothing can be reached at \(folder.path)/none (from --socket): No such file or directory; start
            = 3
            """)
    }

    // MARK: Loss

    /// Stops a watcher, makes more changes than anyone keeps for it, and lets it go on.
    private func overtake(_ watch: ChildProcess, _ daemon: SeamProcess, changes: Int) throws {
        watch.send(signal: SIGSTOP)
        let client = try daemon.connect()
        let lines = (0..<changes).map {
            #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"k":"\#($0)"}}}"# + "\n"
        }
        try client.send(lines.joined())
        try client.call("seam.ping")
        watch.send(signal: SIGCONT)
    }

    @Test("a reader that was too slow is told; under --strict that is exit 6")
    func loss() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=v")
        let latest = try daemon.start("watch", "a")
        let strict = try daemon.start("watch", "a", "--strict")
        _ = try (latest.readLine(), strict.readLine())
        try daemon.untilSubscribed(2)
        strict.send(signal: SIGSTOP)
        try overtake(latest, daemon, changes: 30_000)
        strict.send(signal: SIGCONT)
        try latest.errorLine(containing: "changes became the newest of each field")
        try latest.readLine(containing: "model=29999 screen=v")
        let outcome = try strict.outcome()
        #expect(outcome.code == 6, "\(outcome.ending): \(outcome.stderr)")
        #expect(outcome.stderr.contains("events were lost, and --strict allows none"))
        #expect(outcome.stderr.contains("to resume: seam watch a --strict --socket "))
    }

    @Test(
        "in mode all a reader that was too slow ends, exit 1, or 6 under --strict; with --reconnect it goes on"
    )
    func slow() throws {
        let daemon = try SeamProcess(["--ring-entries", "1000"])
        try daemon.seam("create", "live", "--id", "a")
        try daemon.seam("show", "a", "S", "k=v")
        let plain = try daemon.start("watch", "a", "--mode", "all")
        let strict = try daemon.start("watch", "a", "--mode", "all", "--strict")
        let patient = try daemon.start("watch", "a", "--mode", "all", "--reconnect")
        for one in [plain, strict, patient] { _ = try one.readLine() }
        try daemon.untilSubscribed(3)
        for one in [plain, strict] { one.send(signal: SIGSTOP) }
        try overtake(patient, daemon, changes: 30_000)
        for one in [plain, strict] { one.send(signal: SIGCONT) }
        let ended = try plain.outcome()
        #expect(ended.code == 1 && ended.stderr.contains("this reader was too slow"), "\(ended.ending)")
        #expect(try strict.outcome().code == 6)
        try patient.errorLine(containing: "this reader was too slow")
        try patient.readLine(containing: "model=29999 screen=v")
    }

    // MARK: wait

    @Test("wait: met already, met later, in vain, wrong")
    func wait() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        try play(
            on: daemon,
            """
            $ seam wait demo HostingController.openCount=matching
            $ seam wait demo openCount=matching --json | sed 's/"sub":[0-9]*/"sub":N/'
            {"sub":N,"sim":"demo","kind":"state","seq":3,"screen":"HostingController","field":"openCount","verdict":"matching","model":"3","shown":"3"}
            $ seam wait demo openCount=stale --timeout 50
            ! seam: openCount was not stale within 50 ms; it is matching, model=3 screen=3
            = 5
            $ seam wait demo openCuont=stale
            ! seam: demo has no field openCuont (it has HostingController.title, HostingController.openCount, HostingController.filter)
            = 4
            $ seam wait demo HostingController.openCuont=stale
            ! seam: demo has no field HostingController.openCuont; did you mean 'HostingController.openCount'? (it has
            = 4
            $ seam wait demo openCount=stael
            ! seam: FIELD=VERDICT ends in a verdict, one of matching, stale, missing, leftover, out-of-scope, not in 'stael'; did you mean 'stale'? usage:
            = 2
            $ seam wait demo openCount
            ! seam: FIELD=VERDICT is a field and a verdict, one of matching, stale, missing, leftover, out-of-scope, such as openCount=stale; not 'openCount'; usage:
            = 2
            $ seam wait nosuch openCount=stale
            ! seam: There is no simulation nosuch
            = 4
            """)

        // The connections of the calls above may not have been missed yet.
        try daemon.untilSubscribed(0)
        let later = try daemon.start("wait", "demo", "openCount=stale")
        try daemon.untilSubscribed()
        try daemon.seam("set", "demo", "openCount=7")
        #expect(try later.outcome().code == 0)

        try daemon.untilSubscribed(0)
        let inVain = try daemon.start("wait", "demo", "openCount=leftover")
        try daemon.untilSubscribed()
        try daemon.seam("destroy", "demo")
        let outcome = try inVain.outcome()
        #expect(outcome.code == 1, "\(outcome)")
        #expect(
            outcome.stderr.hasPrefix(
                "seam: demo ended before openCount was leftover; it is missing, model=7 screen=-"),
            "\(outcome)")
    }

    @Test("wait for a field of a live simulation that nobody has shown yet")
    func waitForNewField() throws {
        let daemon = try SeamProcess()
        try daemon.seam("create", "live", "--id", "a")
        let waiting = try daemon.start("wait", "a", "Panel.light=leftover")
        try daemon.untilSubscribed()
        try daemon.seam("show", "a", "Panel", "other=1")
        try daemon.seam("show", "a", "Panel", "light=on")
        #expect(try waiting.outcome().code == 0)
        let unseen = try daemon.seam("wait", "a", "nosuch=stale", "--timeout", "50")
        #expect(unseen.code == 5 && unseen.stderr.contains("it was never seen"), "\(unseen)")
    }
}

extension ChildProcess {
    /// Whether this relay ends once its client has: it held the connection, and nothing else.
    fileprivate func waitsFor(_ client: ChildProcess) throws -> Bool {
        client.send(signal: SIGINT)
        return try client.outcome().code == 0 && waitForEnd() == .exit(0)
    }
}
