import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Where the daemon listens, and how it begins and ends.
@Suite struct ServiceTests {
    /// Runs a seamd that is expected not to start, and says how it ended.
    private func refused(_ arguments: String..., environment: [String: String?] = [:]) throws -> Outcome {
        try run("seamd", arguments, environment: environment, within: .seconds(20))
    }

    // MARK: The socket

    @Test("the socket is 0600, its new folder 0700, and both are gone afterwards")
    func modes() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/new/seam.sock"
        let daemon = try ChildProcess("seamd", ["--socket", socket, "--log-level", "info"], environment: [:])
        _ = try daemon.errorLine(containing: "listening")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(socket) == 0o600)
        #expect(try mode("\(folder.path)/new") == 0o700)
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/new") == [])
    }

    @Test("without --socket it is $SEAM_SOCKET, then the runtime folder")
    func places() throws {
        let folder = try TemporaryFolder()
        for (environment, path) in [
            (["SEAM_SOCKET": "\(folder.path)/named.sock"], "\(folder.path)/named.sock"),
            (["XDG_RUNTIME_DIR": folder.path], "\(folder.path)/seam/seam.sock"),
        ] {
            let daemon = try ChildProcess("seamd", ["--log-level", "info"], environment: environment)
            _ = try daemon.errorLine(containing: "listening on \(path)")
            #expect(try TestClient(path: path).call("seam.ping")["daemonEpoch"] != nil)
            daemon.send(signal: SIGINT)
            #expect(try daemon.waitForEnd() == .exit(0))
        }
    }

    @Test("of two daemons on one path the second says who is there and exits 1")
    func two() throws {
        let daemon = try SeamProcess()
        let outcome = try refused("--socket", daemon.socket)
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("pid \(daemon.pid)"), "\(outcome)")
        #expect(try daemon.connect().call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("the socket that a killed daemon left is replaced")
    func stale() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        for _ in 0..<5 {
            let daemon = try ChildProcess(
                "seamd", ["--socket", socket, "--log-level", "info"], environment: [:])
            _ = try daemon.errorLine(containing: "listening")
            #expect(try TestClient(path: socket).call("seam.ping")["daemonEpoch"] != nil)
            daemon.send(signal: SIGKILL)
            #expect(try daemon.waitForEnd() == .signal(SIGKILL))
            #expect(FileManager.default.fileExists(atPath: socket))
        }
    }

    @Test("what lies at the path and is no stale socket of ours is left alone")
    func planted() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("precious", to: "file")
        var outcome = try refused("--socket", file)
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("is not a socket"), "\(outcome)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")

        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: file)
        outcome = try refused("--socket", "\(folder.path)/link")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("symbolic link"), "\(outcome)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    }

    @Test("a socket that somebody else serves is left alone")
    func foreign() throws {
        let daemon = try SeamProcess()
        let folder = try TemporaryFolder()
        // The same socket under a second name: no lock of ours lies beside it.
        try FileManager.default.linkItem(atPath: daemon.socket, toPath: "\(folder.path)/other.sock")
        let outcome = try refused("--socket", "\(folder.path)/other.sock")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("pid \(daemon.pid)"), "\(outcome)")
        #expect(try daemon.connect().call("seam.ping")["daemonEpoch"] != nil)
    }

    @Test("a folder whose parent does not exist is not made, and what to do is said")
    func missingParent() throws {
        let folder = try TemporaryFolder()
        let outcome = try refused("--socket", "\(folder.path)/no/such/seam.sock")
        #expect(outcome.stderr.contains("\(folder.path)/no does not exist"), "\(outcome)")
        #expect(outcome.stderr.contains("mkdir -p"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/no"))
    }

    @Test("a folder that takes no new ones is not said to be missing")
    func noFolders() throws {
        let outcome = try refused("--socket", "/proc/seam-test/seam.sock")
        #expect(
            outcome.stderr.contains("since no folder can be made in /proc; name another place"), "\(outcome)")
    }

    @Test("a folder in which others could swap the socket is refused")
    func openFolders() throws {
        let folder = try TemporaryFolder()
        func make(_ name: String, _ mode: Int) throws -> String {
            let path = "\(folder.path)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }
        var outcome = try refused("--socket", "\(try make("open", 0o777))/seam.sock")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("everybody can write"), "\(outcome)")

        let runtime = try make("runtime", 0o700)
        try FileManager.default.createDirectory(atPath: "\(runtime)/seam", withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: "\(runtime)/seam")
        outcome = try refused(environment: ["XDG_RUNTIME_DIR": runtime])
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("chmod 700"), "\(outcome)")

        let linked = try make("linked", 0o700)
        try FileManager.default.createSymbolicLink(
            atPath: "\(linked)/seam", withDestinationPath: "\(runtime)/seam")
        outcome = try refused(environment: ["XDG_RUNTIME_DIR": linked])
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("symbolic link"), "\(outcome)")
    }

    @Test("a path that the kernel would cut is refused with its length")
    func longPath() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "x", count: 108 - folder.path.utf8.count - 1)
        let outcome = try refused("--socket", "\(folder.path)/\(name)")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("108 bytes"), "\(outcome)")
        let daemon = try ChildProcess(
            "seamd", ["--socket", "\(folder.path)/\(name.dropLast())", "--log-level", "info"],
            environment: [:])
        _ = try daemon.errorLine(containing: "listening")
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    // MARK: The command line

    @Test(
        "wrong usage exits 2 with one line",
        arguments: [
            (["--sokcet", "x"], "“--sokcet”; did you mean --socket? see seamd --help"),
            (["--bogus"], "there is no option “--bogus”; see seamd --help"),
            (["--bogus=1"], "there is no option “--bogus”; see seamd --help"),
            (["-x"], "there is no option “-x”; see seamd --help"),
            (["--", "x"], "seamd takes options alone, not “x”; see seamd --help"),
            (["--version=1"], "--version takes no value"),
            (["--max", "5"], "“--max” could be --max-connections or --max-subscriptions or"),
            (["--socket"], "--socket needs a value"),
            (["--socket", ""], "--socket may not be empty; see seamd --help"),
            (["--socket="], "--socket may not be empty"), (["--plugin", ""], "--plugin may not be empty"),
            (["--plugin-dir", ""], "--plugin-dir may not be empty"), (["--memory", ""], "--memory may not"),
            (["--log-level", ""], "--log-level may not be empty"),
            (["--allow-group", ""], "--allow-group may not be empty"),
            (["--ready-fd", ""], "--ready-fd may not be empty"),
            (
                ["--ready-fd", "99"],
                "--ready-fd 99: this descriptor is not open; expected one that the caller"
            ),
            (["--ready-fd", "2147483647"], "this descriptor is not open"),
            (["--ready-fd", "x"], "--ready-fd takes a number from 0 to 2147483647, not “x”"),
            (["--log-level", "loud"], "debug"),
            (["extra"], "extra"), (["--max-fields", "none"], "--max-fields"),
            (["--ready-fd", "-1"], "--ready-fd takes a number from 0"), (["--memory", "1000"], "1M"),
            (["--memory", "5X"], "K, M or G"),
            (["--memory", "99999999999999999999G"], "--memory"), (["--stall-seconds", "-1"], "from 0 to"),
        ])
    func usage(arguments: [String], says: String) throws {
        let outcome = try run("seamd", arguments, within: .seconds(20))
        #expect(outcome.code == 2)
        #expect(outcome.stderr.contains(says), "\(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count == 1)
    }

    @Test(
        "a descriptor to write to that is open for reading alone is wrong usage, and one that is open is written to"
    )
    func readyDescriptor() throws {
        let folder = try TemporaryFolder()
        let (seamd, socket) = (Products.path("seamd"), "\(folder.path)/seam.sock")
        let command = "exec '\(seamd)' --socket '\(socket)' --ready-fd 7"
        let outcome = try run("bash", ["-c", "\(command) 7</dev/null"])
        #expect(outcome.code == 2)
        #expect(
            outcome.stderr.contains("--ready-fd 7: this descriptor is open for reading alone"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: socket))
        let daemon = try ChildProcess("bash", ["-c", "\(command) 7>&1"], environment: [:])
        #expect(try daemon.readLine() == "")
        #expect(try TestClient(path: socket).call("seam.ping")["daemonEpoch"] != nil)
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    @Test(
        "few open files: how many connections they leave is said at the start, with what to do",
        arguments: [("40", "1 of 4096", "4160"), ("100", "36 of 4096", "4160")])
    func fewDescriptors(limit: String, says: String, enough: String) throws {
        let folder = try TemporaryFolder()
        let daemon = try ChildProcess(
            "bash",
            [
                "-c", "ulimit -n \(limit); exec \"$0\" --socket \"$1\" --ready-fd 7 7>&1",
                Products.path("seamd"),
                "\(folder.path)/seam.sock",
            ], environment: [:])
        let line = try daemon.errorLine(containing: "ulimit -n")
        #expect(line.contains("open files (ulimit -n) is \(limit) and leaves room for \(says) connections"))
        #expect(line.contains("raise it to \(enough) (ulimit -n \(enough)"), "\(line)")
        #expect(try daemon.readLine() == "")
        let client = try TestClient(path: "\(folder.path)/seam.sock")
        let connections = try client.call("seam.hello")["limits"]?["connections"]
        #expect(connections?.integer == Int(says.prefix { $0 != " " }))
        if says.hasPrefix("1 ") {
            let refusal = try TestClient(path: "\(folder.path)/seam.sock").nextReply()
            #expect(refusal["error"]?["code"] == -32008)
            #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        }
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    @Test("the soft limit of open files is raised to what --max-connections needs, in silence")
    func softLimit() throws {
        let folder = try TemporaryFolder()
        let daemon = try ChildProcess(
            "bash",
            [
                "-c", "ulimit -Sn 70; exec \"$0\" --socket \"$1\" --max-connections 100 --ready-fd 7 7>&1",
                Products.path("seamd"), "\(folder.path)/seam.sock",
            ], environment: [:])
        #expect(try daemon.readLine() == "")
        let clients = try (0..<100).map { _ in try TestClient(path: "\(folder.path)/seam.sock") }
        for client in clients { #expect(try client.call("seam.ping")["daemonEpoch"] != nil) }
        daemon.send(signal: SIGTERM)
        let outcome = try daemon.outcome()
        #expect(outcome.code == 0)
        #expect(outcome.stderr.isEmpty)
    }

    @Test("help and version go to standard output")
    func help() throws {
        let version = try run("seamd", ["--version"], within: .seconds(20))
        #expect(version.stdout == "seamd \(seamVersion)\n")
        let help = try run("seamd", ["--help"], within: .seconds(20))
        #expect(help.code == 0)
        #expect(help.stdout.contains("--plugin-dir"))
    }

    @Test("a plug-in named on the command line that is not there ends the start")
    func missingPlugin() throws {
        let folder = try TemporaryFolder()
        let outcome = try refused(
            "--socket", "\(folder.path)/seam.sock", "--plugin", "\(folder.path)/nothing.so")
        #expect(outcome.code == 1)
        #expect(outcome.stderr.contains("nothing.so"), "\(outcome)")
    }

    // MARK: The end

    @Test("SIGTERM ends each subscription, even of a client that sends on, and exits 0")
    func termination() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        try client.call("sub.open", #"{"sim":"a"}"#)
        try client.call("sub.open", "{}")
        #expect(try daemon.stop() == .exit(0))
        var ends = 0
        while ends < 2 {
            let end = try #require(try client.events(through: "end").last)
            #expect(end.params?["reason"] == "shutdown")
            ends += 1
        }
        #expect(try client.readLine() == nil)
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test("a client that does not read delays the end by two seconds and no more")
    func stubbornClient() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let keys = (0..<20_000).map { #""field-\#($0)":"1""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(keys)}}"#)
        let stubborn = try daemon.connect()
        try stubborn.sendLine(#"{"method":"sub.open","params":{"sim":"a"}}"#)
        try client.call("seam.ping")
        #expect(try daemon.stop(within: .seconds(10)) == .exit(0))
    }

    @Test("a client may ask for the end")
    func requested() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.send(
            #"{"id":1,"method":"seam.shutdown"}"# + "\n" + #"{"id":2,"method":"seam.ping"}"# + "\n")
        #expect(try client.nextReply()["result"] == [:])
        #expect(try client.nextReply()["error"]?["code"] == -32013)
        #expect(try daemon.process.waitForEnd() == .exit(0))
    }

    // MARK: Under a service manager

    /// Makes the listening socket and the one for notifications, as systemd does, and becomes seamd.
    private static let activate = """
        import os, socket, sys
        seamd, path, notify, pid = sys.argv[1:5]
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        if listener.fileno() == 3: os.set_inheritable(3, True)
        else: os.dup2(listener.fileno(), 3, inheritable=True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=pid or str(os.getpid()), NOTIFY_SOCKET=notify)
        os.execv(seamd, [seamd, "--log-level", "info"] + sys.argv[5:])
        """

    @Test("an inherited socket is served and left in place; the manager hears of start and end")
    func activation() throws {
        let folder = try TemporaryFolder()
        let (socket, notify) = ("\(folder.path)/seam.sock", "\(folder.path)/notify.sock")
        let manager = try ChildProcess(
            "python3",
            [
                "-uc",
                """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                s.bind(sys.argv[1])
                print("bound")
                for _ in range(2): print(s.recv(100).decode())
                """, notify,
            ], environment: [:])
        #expect(try manager.readLine() == "bound")
        let daemon = try ChildProcess(
            "python3", ["-c", Self.activate, Products.path("seamd"), socket, notify, ""], environment: [:])
        _ = try daemon.errorLine(containing: "inherited")
        #expect(try manager.readLine() == "READY=1")
        #expect(try TestClient(path: socket).call("seam.ping")["daemonEpoch"] != nil)
        daemon.send(signal: SIGTERM)
        #expect(try manager.readLine() == "STOPPING=1")
        #expect(try daemon.waitForEnd() == .exit(0))
        #expect(FileManager.default.fileExists(atPath: socket))
    }

    @Test("sockets meant for another process are not touched")
    func foreignActivation() throws {
        let folder = try TemporaryFolder()
        let daemon = try ChildProcess(
            "python3",
            [
                "-c", Self.activate, Products.path("seamd"), "\(folder.path)/theirs.sock", "", "1",
                "--socket",
                "\(folder.path)/ours.sock",
            ], environment: [:])
        _ = try daemon.errorLine(containing: "listening on \(folder.path)/ours.sock")
        #expect(try TestClient(path: "\(folder.path)/ours.sock").call("seam.ping")["daemonEpoch"] != nil)
        daemon.send(signal: SIGTERM)
        #expect(try daemon.waitForEnd() == .exit(0))
    }

    @Test(
        "the unit files are what systemd takes, and say where seamd lies once it is installed",
        arguments: ["system", "user"])
    func units(manager: String) throws {
        let folder = try TemporaryFolder()
        var files: [String] = []
        let gate = manager == "user" ? ["seam-gate.service"] : []
        for name in ["seamd.service", "seamd.socket"] + gate {
            let program = name.prefix { $0 != "." }
            let unit = try Checkout.text("Sources/\(program)/systemd/\(manager)/\(name)")
            for line in unit.split(separator: "\n") {
                #expect(
                    line.wholeMatch(of: /#.*|\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.*/) != nil, "\(name): \(line)")
            }
            files.append(
                try folder.write(
                    unit.replacingOccurrences(of: "@bindir@", with: Products.folder), to: name))
            if name.hasSuffix(".service") { #expect(unit.contains("ExecStart=\"@bindir@/\(program)\"\n")) }
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") else { return }
        let outcome = try run(
            "systemd-analyze", ["--\(manager)", "--man=no", "verify"] + files,
            environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
    }

    // MARK: At rest

    @Test("idle it is small and takes no processor time")
    func idle() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("seam.ping")
        #expect(try residentKiB(daemon.pid) < 16 << 10)
        let before = try processorTicks(daemon.pid)
        // Sleeping is what the test is about, and not to wait for anything.
        usleep(1_000_000)
        #expect(try processorTicks(daemon.pid) - before <= 1)
    }

    @Test("it listens soon after it is started")
    func start() throws {
        let begin = ContinuousClock.now
        let daemon = try SeamProcess()
        // Ten times what is promised: other tests run meanwhile.
        #expect(ContinuousClock.now - begin < .milliseconds(500))
        #expect(try daemon.stop() == .exit(0))
    }

    @Test("closed standard descriptors do not become sockets")
    func closedDescriptors() throws {
        let folder = try TemporaryFolder()
        let seamd = Products.path("seamd")
        let socket = "\(folder.path)/seam.sock"
        // The three are closed; a fourth tells when it listens, by its end if it never does.
        let fifo = "\(folder.path)/ready"
        try run("mkfifo", [fifo])
        let ready = try ChildProcess("cat", [fifo])
        let shell = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "exec '\(seamd)' --socket '\(socket)' --log-level debug --ready-fd 3 3>'\(fifo)' <&- >&- 2>&-",
            ],
            environment: [:])
        #expect(try ready.waitForEnd() == .exit(0))
        let connected = try TestClient(path: socket)
        try connected.sendLine("nonsense")
        #expect(try connected.nextReply()["error"]?["code"] == -32700)
        try connected.call("seam.ping")
        shell.send(signal: SIGTERM)
        #expect(try shell.waitForEnd() == .exit(0))
    }
}
