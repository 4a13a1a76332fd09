import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// What can lie in the way of a daemon: other daemons, other users, odd files, odd descriptors, odd clocks.
@Suite(.serialized) struct ServiceFaultTests {
    private static let isRoot = geteuid() == 0
    private static let nobody = 65_534

    private func refused(_ arguments: String..., environment: [String: String?] = [:]) throws -> Outcome {
        try run("seamd", arguments, environment: environment, within: .seconds(20))
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        let daemon = try ChildProcess("seamd", arguments + ["--log-level", "info"], environment: [:])
        _ = try daemon.errorLine(containing: "listening")
        return daemon
    }

    private func probe(_ socket: String) throws {
        #expect(try TestClient(path: socket).call("seam.ping")["daemonEpoch"] != nil)
    }

    private func python(_ script: String, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess("python3", ["-uc", script] + arguments, environment: [:])
    }

    // MARK: Two daemons

    @Test("of many daemons started at once exactly one serves, also over what a killed one left")
    func together() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        for _ in 0..<(isLong ? 50 : 4) {
            let daemons = try (0..<6).map { _ in
                try ChildProcess("seamd", ["--socket", socket, "--log-level", "info"], environment: [:])
            }
            var serving: [ChildProcess] = []
            for daemon in daemons {
                // Whoever finds an old socket holds the lock, and will serve.
                let first = try daemon.errorLine(containing: socket)
                if first.contains("listening") || first.contains("removed the stale") {
                    _ = try daemon.errorLine(containing: "listening")
                    serving.append(daemon)
                } else {
                    #expect(first.contains("another seamd"), "\(first)")
                    #expect(try daemon.waitForEnd() == .exit(1))
                }
            }
            #expect(serving.count == 1)
            guard let winner = serving.first else { return }
            let pid = try TestClient(path: socket).call("seam.hello")["pid"]?.integer
            #expect(pid == Int(winner.pid))
            winner.send(signal: SIGKILL)
            #expect(try winner.waitForEnd() == .signal(SIGKILL))
        }
    }

    @Test("a daemon that ends leaves alone what somebody else has put at its path")
    func replacedSocket() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        let daemon = try start("--socket", socket)
        try FileManager.default.removeItem(atPath: socket)
        try folder.write("precious", to: "seam.sock")
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
        #expect(try String(contentsOfFile: socket, encoding: .utf8) == "precious")
    }

    // MARK: Planted files

    @Test("a folder, a pipe and a link to nowhere at the path are left alone, each with its reason")
    func planted() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/folder", withIntermediateDirectories: false)
        mkfifo("\(folder.path)/pipe", 0o600)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/nowhere")
        for name in ["folder", "pipe", "link"] {
            let outcome = try refused("--socket", "\(folder.path)/\(name)")
            #expect(outcome.code == 1)
            #expect(
                outcome.stderr.contains(name == "link" ? "symbolic link" : "is not a socket"), "\(outcome)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains(name))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/nowhere"))
        let file = try folder.write("", to: "file")
        let outcome = try refused("--socket", "\(file)/seam.sock")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains(file), "\(outcome)")
        let missing = try refused("--socket", "\(folder.path)/no/such/seam.sock")
        #expect(missing.code == 1)
        #expect(missing.stderr.contains("\(folder.path)/no/such"), "\(missing)")
    }

    @Test("a lock that is a link or a pipe is not followed, and nothing hangs")
    func plantedLock() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("precious", to: "file")
        let lock = "\(folder.path)/seam.sock.lock"
        try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: file)
        let outcome = try refused("--socket", "\(folder.path)/seam.sock")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains(lock), "\(outcome)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        try FileManager.default.removeItem(atPath: lock)
        mkfifo(lock, 0o600)
        // Refused or replaced: both are an answer.
        let daemon = try ChildProcess(
            "seamd", ["--socket", "\(folder.path)/seam.sock", "--log-level", "info"], environment: [:])
        let line = try daemon.errorLine(containing: folder.path)
        if line.contains("listening") {
            try probe("\(folder.path)/seam.sock")
            daemon.send(signal: SIGTERM)
            #expect(try daemon.waitForEnd() == .exit(0))
        } else {
            #expect(try daemon.waitForEnd() == .exit(1))
        }
    }

    @Test("a stale socket or a folder of somebody else is left alone", .enabled(if: isRoot))
    func foreign() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        let daemon = try start("--socket", socket)
        daemon.send(signal: SIGKILL)
        #expect(try daemon.waitForEnd() == .signal(SIGKILL))
        chown(socket, UInt32(Self.nobody), UInt32.max)
        let outcome = try refused("--socket", socket)
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("uid \(Self.nobody)"), "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: socket))

        let theirs = try TemporaryFolder()
        chown(theirs.path, UInt32(Self.nobody), UInt32.max)
        let second = try refused("--socket", "\(theirs.path)/seam.sock")
        #expect(second.code == 1)
        #expect(second.stderr.contains("uid \(Self.nobody)"), "\(second)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: theirs.path) == [])
    }

    // MARK: Other users

    /// What a client of another user gets. It sends nothing unless it is to be served: socat would take the broken
    /// pipe for the whole answer.
    private func session(
        _ socket: String, gid: Int, groups: String = "--clear-groups", asks: Bool = false
    ) throws -> Outcome {
        let user = ["--reuid=\(Self.nobody)", "--regid=\(gid)", groups]
        let listen =
            asks ? ["-t", "2", "-", "UNIX-CONNECT:\(socket)"] : ["-u", "UNIX-CONNECT:\(socket)", "-"]
        return try run(
            "setpriv", user + ["socat"] + listen, input: asks ? #"{"method":"seam.ping"}"# + "\n" : "")
    }

    @Test("another user is turned away, even where somebody has opened the socket", .enabled(if: isRoot))
    func otherUser() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        let daemon = try start("--socket", socket)
        #expect(try session(socket, gid: Self.nobody).code != 0)
        chmod(folder.path, 0o755)
        #expect(try session(socket, gid: Self.nobody).code != 0)
        chmod(socket, 0o666)
        for _ in 0..<3 {
            let outcome = try session(socket, gid: Self.nobody)
            let lines = outcome.stdout.split(separator: "\n")
            #expect(lines.count == 1, "\(outcome)")
            let reply = try JSON(parsing: String(lines.first ?? "{}"))
            #expect(reply["error"]?["code"] == -32012, "\(outcome)")
            #expect(reply["error"]?["message"]?.text?.contains("uid \(Self.nobody)") == true)
            try probe(socket)
        }
        try daemon.errorLine(containing: "turned away uid \(Self.nobody)")
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    @Test("with --allow-group its members come in, and nobody else", .enabled(if: isRoot))
    func group() throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        let socket = "\(folder.path)/seam.sock"
        let daemon = try start("--socket", socket, "--allow-group", "12345")
        #expect(try session(socket, gid: 12345, asks: true).stdout.contains("daemonEpoch"))
        let member = try session(socket, gid: Self.nobody, groups: "--groups=12345", asks: true)
        #expect(member.stdout.contains("daemonEpoch"), "\(member)")
        #expect(try session(socket, gid: Self.nobody).code != 0)
        chmod(socket, 0o666)
        #expect(try session(socket, gid: Self.nobody).stdout.contains("-32012"))
        try probe(socket)
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    // MARK: Time

    @Test("a wall clock that jumps moves nothing")
    func jumpingClock() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <sys/time.h>
            #include <time.h>
            static unsigned calls;
            static long jump(void) { return (calls++ % 7 - 3) * 86400L * 365; }
            int clock_gettime(clockid_t clock, struct timespec *t) {
                int (*next)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
                int status = next(clock, t);
                if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) t->tv_sec += jump();
                return status;
            }
            int gettimeofday(struct timeval *t, void *zone) {
                int (*next)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
                int status = next(t, zone);
                if (t) t->tv_sec += jump();
                return status;
            }
            """, to: "jump.c")
        let library = "\(folder.path)/jump.so"
        let built = try run("gcc", ["-shared", "-fPIC", "-w", "-o", library, source, "-ldl"])
        try #require(built.code == 0, "\(built)")
        let daemon = try SeamProcess([], environment: ["LD_PRELOAD": library])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a","clock":"real"}"#)
        try client.call("sub.open", #"{"sim":"a"}"#)
        var last = 0
        for value in 0..<200 {
            try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{"x":"\#(value)"}}"#)
            let ms = try #require(try client.events(through: "verdict").last?.params?["ms"]?.integer)
            #expect(ms >= last && ms < 60_000)
            last = ms
        }
        #expect(try client.events(through: "mark").last?.params?["seq"] == 200)
        #expect(try daemon.stop() == .exit(0))
    }

    @Test("a machine that has been up for 49 days is as good as a new one", .enabled(if: hasTimeNamespaces))
    func longUptime() throws {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // Two seconds before milliseconds no longer fit into 32 bits.
        let offset = (1 << 32) / 1000 - 2 - now.tv_sec
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        // unshare goes into the new time only with a child, which has to go with it.
        let daemon = try ChildProcess(
            "unshare",
            [
                "--time", "--monotonic", "\(offset)", "--fork", "--kill-child=SIGKILL",
                Products.path("seamd"), "--socket", socket, "--log-level", "info",
            ])
        _ = try daemon.errorLine(containing: "listening")
        let client = try TestClient(path: socket)
        try client.call("sim.create", #"{"scenario":"live","id":"a","clock":"real"}"#)
        try client.call("sub.open", #"{"sim":"a"}"#)
        let begin = ContinuousClock.now
        #expect(try client.events(through: "mark").last?.params?["seq"] == 0)
        #expect(ContinuousClock.now - begin > .seconds(3))
        let ms = try #require(try client.call("sim.get", #"{"sim":"a"}"#)["ms"]?.integer)
        #expect(ms > 3_000 && ms < 60_000)
        try client.call("seam.shutdown")
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    private static let hasTimeNamespaces =
        (try? run("unshare", ["--time", "--monotonic", "1", "--fork", "true"]).code) == 0

    @Test("a virtual clock counts beyond 49 days and stops where it must")
    func longSimulation() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        try client.call("sim.advance", #"{"sim":"a","ms":4294967301}"#)
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["ms"] == 4_294_967_301)
        var refused = 0
        for _ in 0..<20 {
            if try client.request("sim.advance", #"{"sim":"a","ms":1000000000000}"#)["error"]?["code"]
                == -32602
            {
                refused += 1
            }
        }
        #expect(refused > 0)
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    // MARK: The end

    @Test("SIGTERM in the middle of a snapshot: who reads on gets all of it, and the end")
    func snapshotAtTheEnd() throws {
        let (daemon, reader) = try snapshotUnderWay(fields: 10_000)
        daemon.process.send(signal: SIGTERM)
        let lines = try reader.events(through: "end")
        #expect(lines.count { $0.kind == "state" } == 9_999)
        #expect(lines.last?.params?["reason"] == "shutdown")
        #expect(try reader.readLine() == nil)
        #expect(try daemon.process.waitForEnd() == .exit(0))
    }

    @Test(
        "SIGTERM in a snapshot that takes longer than two seconds: it ends all the same", .enabled(if: isLong)
    )
    func longSnapshotAtTheEnd() throws {
        let (daemon, reader) = try snapshotUnderWay(fields: 1_000_000)
        let begin = ContinuousClock.now
        daemon.process.send(signal: SIGTERM)
        // As fast as it can; what is cut off is cut between two lines, or in the last one.
        var count = 1
        while let line = try? reader.readLine() {
            #expect(line.hasSuffix("}}"))
            count += 1
        }
        #expect(try daemon.process.waitForEnd() == .exit(0))
        let lasted = ContinuousClock.now - begin
        print("snapshot: \(count) lines in \(lasted) after the signal")
        #expect(lasted < .seconds(10))
    }

    /// A reader whose snapshot of so many fields has begun.
    private func snapshotUnderWay(fields: Int) throws -> (SeamProcess, TestClient) {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        for start in stride(from: 0, to: fields, by: 10_000) {
            let keys = (start..<(start + 10_000)).map { #""field-\#($0)":"1""# }.joined(separator: ",")
            try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(keys)}}"#)
        }
        let reader = try daemon.connect()
        #expect(try reader.call("sub.open", #"{"sim":"a"}"#)["count"]?.integer == fields)
        _ = try reader.nextEvent()
        return (daemon, reader)
    }

    @Test("who does not read holds a second signal up no longer")
    func secondSignal() throws {
        let daemon = try SeamProcess(["--log-level", "info"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let keys = (0..<20_000).map { #""field-\#($0)":"1""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(keys)}}"#)
        let stubborn = try daemon.connect()
        try stubborn.sendLine(#"{"method":"sub.open","params":{"sim":"a"}}"#)
        try client.call("seam.ping")
        daemon.process.send(signal: SIGTERM)
        try daemon.process.errorLine(containing: "shutting down")
        let begin = ContinuousClock.now
        daemon.process.send(signal: SIGTERM)
        #expect(try daemon.process.waitForEnd() == .exit(1))
        #expect(ContinuousClock.now - begin < .seconds(1))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    // MARK: Descriptors

    /// Puts something at the descriptors from 3 on, as a service manager does, and becomes seamd.
    private static let activate = """
        import os, socket, sys
        seamd, count, kinds, path = sys.argv[1:5]
        made = []
        for index, kind in enumerate(kinds.split(",")):
            if kind == "file": made.append(os.open(path + ".file", os.O_CREAT | os.O_RDWR))
            elif kind == "none": pass
            else:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == "datagrams" else socket.SOCK_STREAM)
                s.bind(path + str(index))
                if kind == "listener": s.listen()
                made.append(os.dup(s.fileno()))
        high = [os.dup2(fd, 100 + index, inheritable=False) for index, fd in enumerate(made)]
        os.closerange(3, 100)
        for index, fd in enumerate(high): os.dup2(fd, 3 + index, inheritable=True)
        os.environ.update(LISTEN_FDS=count, LISTEN_PID=str(os.getpid()))
        os.execv(seamd, [seamd, "--log-level", "info"] + sys.argv[5:])
        """

    @Test(
        "what is no listening socket is refused by its number",
        arguments: [("1", "file"), ("1", "datagrams"), ("1", "deaf"), ("2", "listener,file"), ("1", "none")])
    func wrongDescriptors(count: String, kinds: String) throws {
        let folder = try TemporaryFolder()
        let daemon = try python(
            Self.activate, Products.path("seamd"), count, kinds, "\(folder.path)/s", "--socket",
            "\(folder.path)/own.sock")
        let outcome = try daemon.outcome()
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("descriptor \(count == "2" ? 4 : 3)"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/own.sock"))
    }

    @Test(
        "a count that is no number of sockets, meant for this process, ends the start: clients would wait there",
        arguments: ["-1", "x", "1x", "99999999999", "2147483647", "1025", " 1"])
    func wrongCounts(count: String) throws {
        let folder = try TemporaryFolder()
        let daemon = try python(
            Self.activate, Products.path("seamd"), count, "listener", "\(folder.path)/s", "--socket",
            "\(folder.path)/own.sock")
        let outcome = try daemon.outcome()
        #expect(outcome.code == 1)
        #expect(
            outcome.stderr.contains(
                "LISTEN_FDS is “\(count)”; expected how many sockets were handed in, from 0 to 1024"),
            "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/own.sock"))
    }

    @Test(
        "a count without a process, or a process without a count: what was seen is said, and nothing taken over",
        arguments: [
            ("unset LISTEN_PID; LISTEN_FDS=1", "LISTEN_FDS is “1” and LISTEN_PID is not set"),
            ("LISTEN_PID=abc; LISTEN_FDS=1", "LISTEN_FDS is “1” and LISTEN_PID is “abc”"),
            ("LISTEN_PID=-5; LISTEN_FDS=abc", "LISTEN_FDS is “abc” and LISTEN_PID is “-5”"),
            ("LISTEN_PID=; LISTEN_FDS=1", "LISTEN_FDS is “1” and LISTEN_PID is not set"),
            ("LISTEN_PID=$$; unset LISTEN_FDS", "LISTEN_PID names this process and LISTEN_FDS is not set"),
            ("LISTEN_PID=$$; LISTEN_FDS=", "LISTEN_PID names this process and LISTEN_FDS is not set"),
            // Nothing was handed in, or to another process: that is how it should be.
            ("LISTEN_PID=$$; LISTEN_FDS=0", nil), ("LISTEN_PID=1; LISTEN_FDS=1", nil),
            ("LISTEN_PID=1; LISTEN_FDS=x", nil), ("LISTEN_PID=1; unset LISTEN_FDS", nil),
            ("WATCHDOG_USEC=abc", "WATCHDOG_USEC is “abc”; expected microseconds"),
            ("WATCHDOG_USEC=-1", "WATCHDOG_USEC is “-1”"), ("WATCHDOG_USEC=0", "WATCHDOG_USEC is “0”"),
            ("WATCHDOG_USEC=1000000 WATCHDOG_PID=x", "WATCHDOG_PID is “x”, no process"),
            ("WATCHDOG_USEC=abc WATCHDOG_PID=1", nil),
        ] as [(String, String?)])
    func halfActivation(variables: String, says: String?) throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/own.sock"
        let daemon = try ChildProcess(
            "sh",
            [
                "-c",
                "\(variables); export LISTEN_PID LISTEN_FDS WATCHDOG_USEC WATCHDOG_PID; "
                    + "exec \"$0\" --socket \"$1\" --ready-fd 7 7>&1", Products.path("seamd"), socket,
            ], environment: [:])
        #expect(try daemon.readLine() == "")
        try probe(socket)
        daemon.send(signal: SIGTERM)
        let outcome = try daemon.outcome()
        #expect(outcome.code == 0)
        if let says {
            #expect(outcome.stderr.contains("seamd: warning: \(says)"), "\(outcome)")
        } else {
            #expect(outcome.stderr.isEmpty)
        }
    }

    @Test("two inherited sockets are both served, and both stay")
    func twoSockets() throws {
        let folder = try TemporaryFolder()
        let daemon = try python(
            Self.activate, Products.path("seamd"), "2", "listener,listener", "\(folder.path)/s")
        _ = try daemon.errorLine(containing: "2 inherited sockets")
        for name in ["s0", "s1", "s0"] { try probe("\(folder.path)/\(name)") }
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
        for name in ["s0", "s1"] { #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(name)")) }
    }

    @Test(
        "a log that cannot be written, and descriptors that are closed, stop nothing",
        arguments: ["2>/dev/full", ">/dev/full 2>&1 <&-", "2>&-", "<&- >&-", "2> >(exec true)"])
    func brokenLog(redirection: String) throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        // The pipe to `ready` ends with the daemon: it tells when it listens, since the log may not.
        let shell = try ChildProcess(
            "bash",
            [
                "-c",
                "exec 7>&1; exec \"$0\" --socket \"$1\" --ready-fd 7 --log-level debug \(redirection)",
                Products.path("seamd"), socket,
            ], environment: [:])
        #expect(try shell.readLine() == "")
        let client = try TestClient(path: socket)
        for _ in 0..<50 {
            try client.sendLine("nonsense")
            #expect(try client.nextReply()["error"]?["code"] == -32700)
            try client.sendLine(#"{"jsonrpc":"2.0","method":"nope"}"#)
        }
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        shell.send(signal: SIGTERM)
        #expect(try shell.waitForEnd() == .exit(0))
    }
}
