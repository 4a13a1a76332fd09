import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam doctor`: each thing that can be wrong is planted, and has to be named with a remedy.
@Suite struct DoctorTests {
    /// What it finds, as `result subject text`, and the remedies.
    private func examine(
        _ arguments: String..., environment: [String: String?] = [:], program: String = "seam"
    ) throws -> (code: Int32, findings: [String], remedies: [String]) {
        let outcome = try run(program, ["doctor", "--json"] + arguments, environment: environment)
        #expect(outcome.stderr.isEmpty, "\(outcome.stderr)")
        let lines = try outcome.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        return (
            outcome.code,
            lines.map { line in
                ["result", "subject", "text"].map { line[$0]?.text ?? "?" }.joined(separator: " ")
            },
            lines.compactMap { $0["remedy"]?.text }
        )
    }

    /// Expects a problem that begins so, exit code 1, and a remedy with these words.
    private func expect(
        _ finding: String, remedy: String? = nil,
        in report: (code: Int32, findings: [String], remedies: [String]),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isFound = report.findings.contains { $0.hasPrefix("problem \(finding)") }
        let isRemedied = remedy.map { words in report.remedies.contains { $0.contains(words) } } ?? true
        #expect(isFound && isRemedied && report.code == 1, "\(report)", sourceLocation: sourceLocation)
    }

    @Test("where all is well it says so and exits 0")
    func well() throws {
        let daemon = try SeamProcess()
        let folder = String(daemon.socket.dropLast("/seam.sock".count))
        let seamd = try #require(realpath(Products.path("seamd"), nil).map { String(cString: $0) })
        try play(
            on: daemon,
            """
            $ seam doctor --port 0 | sed 's/finds [0-9]* scenarios/finds N scenarios/; s/page, [0-9]* files/page, N files/'
            ok       socket    \(daemon.socket), from $SEAM_SOCKET
            ok       folder    \(folder) (mode 700)
            ok       daemon    the daemon answers: version \(seamVersion), protocol 1, process PID
            ok       program   \(seamd) answers: version \(seamVersion), protocol 1, process PID
            ok       plug-ins  \(seamd) finds N scenarios
            ok       gate      \(seamd.dropLast("seamd".count))seam-gate serves the page, N files: version \(seamVersion)
            """)
    }

    @Test("no daemon is no fault: it says how to start one")
    func noDaemon() throws {
        let folder = try TemporaryFolder()
        let report = try examine("--socket", "\(folder.path)/s")
        #expect(report.code == 0, "\(report)")
        #expect(report.findings.contains("note daemon nothing listens: there is no \(folder.path)/s"))
        #expect(report.remedies.contains("start one with: seamd --socket \(folder.path)/s &"))
        // The folder of a default path is made by seamd.
        let runtime = try examine(environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(
            runtime.findings.contains("note folder \(folder.path)/seam does not exist yet; seamd makes it"))
    }

    // MARK: Socket and folder

    @Test("the socket path: none, too long, a file, a link, a folder, left by a daemon that is gone")
    func paths() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/s"
        expect(
            "socket the socket path from --socket has 108 bytes", remedy: "short path",
            in: try examine("--socket", "/tmp/" + String(repeating: "d", count: 103)))
        try folder.write("", to: "s")
        expect(
            "socket \(path) is a file, no socket", remedy: "move it away", in: try examine("--socket", path))
        try run("ln", ["-sf", "elsewhere", path])
        expect("socket \(path) is a symbolic link", remedy: "move it away", in: try examine("--socket", path))
        try run("rm", [path])
        try run("mkdir", [path])
        expect("socket \(path) is a folder", remedy: "move it away", in: try examine("--socket", path))
        try run("rmdir", [path])

        let daemon = try SeamProcess(["--socket", path])
        daemon.process.send(signal: SIGKILL)
        try daemon.process.waitForEnd()
        let stale = try examine("--socket", path)
        #expect(
            stale.findings.contains("note daemon nothing listens: \(path) was left by a daemon that is gone"),
            "\(stale)")
        #expect(stale.code == 0)
        // Nobody listens there, so nobody is let in: the next daemon puts its own in its place.
        try run("chmod", ["755", path])
        let open = try examine("--socket", path)
        #expect(open.findings.contains("note socket \(path) is open to everybody (mode 755)"), "\(open)")
        #expect(open.code == 0)
    }

    @Test(
        "no place at all",
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/run/user/\(geteuid())"),
            "a runtime folder is a place"))
    func noPlace() throws {
        expect(
            "socket no socket path: --socket is not given, $SEAM_SOCKET is not set, $XDG_RUNTIME_DIR is not",
            remedy: "set SEAM_SOCKET", in: try examine(environment: ["XDG_RUNTIME_DIR": nil]))
    }

    @Test("the folder: not there, a file, open to everybody, open to others where it must not be, a link")
    func folders() throws {
        let folder = try TemporaryFolder()
        let inner = "\(folder.path)/seam"
        func socket() throws -> (Int32, [String], [String]) { try examine("--socket", "\(inner)/s") }
        func byDefault() throws -> (Int32, [String], [String]) {
            try examine(environment: ["XDG_RUNTIME_DIR": folder.path])
        }
        expect(
            "folder \(inner)/deeper: No such file or directory", remedy: "make it, or choose another path",
            in: try examine("--socket", "\(inner)/deeper/s"))
        try folder.write("", to: "seam")
        expect("folder \(inner) is not a folder", remedy: "remove it", in: try socket())
        try run("rm", [inner])
        try run("mkdir", ["-m", "777", inner])
        expect(
            "folder everybody can write to \(inner) and replace the socket (mode 777)",
            remedy: "chmod 700 \(inner)", in: try socket())
        try run("chmod", ["750", inner])
        expect(
            "folder \(inner) is open to others (mode 750)", remedy: "chmod 700 \(inner)", in: try byDefault())
        #expect(try socket().0 == 0)
        try run("rmdir", [inner])
        try run("ln", ["-s", "/tmp", inner])
        expect("folder \(inner) is a symbolic link", remedy: "remove it", in: try byDefault())
        // What seamd itself says of each is the subject of ServiceTests; here only that the two agree.
        let refused = try run("seamd", environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(refused.code == 1 && refused.stderr.contains("symbolic link"), "\(refused)")
    }

    @Test("a plug-in that ends the daemon is named, with what it was doing")
    func deadlyPlugin() throws {
        let folder = try TemporaryFolder()
        let made = try run(
            "gcc", ["-shared", "-fPIC", "-x", "c", "-", "-o", "\(folder.path)/libDeadly.so"],
            input: """
                void seam_plugin_entry(void) {}
                __attribute__((constructor)) static void die(void) { *(volatile int *)0 = 0; }
                """)
        #expect(made.code == 0, "\(made)")
        let report = try examine(
            "--socket", "\(folder.path)/s", environment: ["SEAM_PLUGIN_PATH": folder.path])
        expect("plug-in ", remedy: "move that plug-in out of its folder", in: report)
        expect("plug-in it says:   plug-in:  \(folder.path)/libDeadly.so", in: report)
        expect("plug-in it says:   callback: constructors (dlopen)", in: report)
    }

    @Test("a folder and a socket of another user", .enabled(if: geteuid() == 0, "chown needs root"))
    func otherOwner() throws {
        let folder = try TemporaryFolder()
        let inner = "\(folder.path)/seam"
        try run("install", ["-d", "-m", "700", "-o", "12345", inner])
        expect(
            "folder \(inner) belongs to uid 12345, you are uid 0", remedy: "a folder of your own",
            in: try examine("--socket", "\(inner)/s"))
        try run("chown", ["0", inner])
        let daemon = try SeamProcess(["--socket", "\(inner)/s"])
        try run("chown", ["12345", "\(inner)/s"])
        expect(
            "socket \(inner)/s belongs to uid 12345, you are uid 0", remedy: "a socket path of your own",
            in: try examine("--socket", "\(inner)/s"))
        try run("chown", ["0", "\(inner)/s"])
        try run("chmod", ["666", "\(inner)/s"])
        expect(
            "socket \(inner)/s is open to everybody (mode 666)", remedy: "chmod 600 \(inner)/s",
            in: try examine("--socket", "\(inner)/s"))
        try daemon.stop()
    }

    @Test(
        "a socket that one may not connect to",
        .enabled(if: geteuid() == 0, "to become another user needs root"))
    func noPermission() throws {
        let folder = try TemporaryFolder()
        try run("chmod", ["755", folder.path])
        let daemon = try SeamProcess(["--socket", "\(folder.path)/s"])
        // The products may lie where another user cannot go, so only what needs no program of theirs is looked at.
        let other = try run(
            "python3",
            [
                "-c",
                """
                import os, sys
                program = os.open(sys.argv[1], os.O_RDONLY)
                os.setgid(12345)
                os.setuid(12345)
                os.execve(program, ["seam"] + sys.argv[2:], os.environ)
                """, Products.path("seam"), "--socket", "\(folder.path)/s", "list",
            ])
        #expect(other.code == 3, "\(other)")
        #expect(
            other.stderr.contains("(the socket belongs to uid 0, its mode is 600, you are uid 12345)"),
            "\(other)")
        try daemon.stop()
    }

    // MARK: The daemon

    @Test(
        "what listens: another protocol, another version, no seamd, one that never answers, one that hangs up"
    )
    func listeners() throws {
        let folder = try TemporaryFolder()
        func hello(_ major: Int, _ version: String) -> String {
            #"{"jsonrpc":"2.0","id":1,"result":{"protocol":{"major":\#(major)},"version":"\#(version)"}}"#
        }
        func report(_ answer: String?, _ arguments: String...) throws -> (Int32, [String], [String]) {
            let impostor = try Impostor(in: folder, saying: answer)
            return try examine("--socket", impostor.socket, "--timeout", "2000")
        }
        expect(
            "version the daemon (version 9.0) speaks protocol 9, this seam speaks 1",
            remedy: "restart the daemon", in: try report(hello(9, "9.0")))
        expect(
            "version the daemon has version 0.0.1, this seam \(seamVersion)", remedy: "restart the daemon",
            in: try report(hello(1, "0.0.1")))
        expect(
            "daemon what listens at \(folder.path)/impostor.sock is not seamd; it said: HTTP/1.1 400",
            remedy: "another socket path", in: try report("HTTP/1.1 400"))
        expect("daemon it takes connections and does not answer", remedy: "a signal", in: try report(nil))
        expect(
            "daemon it said no: another user's",
            in: try report(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32012,"message":"another user's"}}"#)
        )
    }

    @Test("too few open files")
    func descriptors() throws {
        let outcome = try run(
            "bash", ["-c", "ulimit -n 64; exec \"$0\" doctor --socket /tmp/none.sock", Products.path("seam")])
        #expect(outcome.code == 1, "\(outcome)")
        #expect(
            outcome.stdout.contains("problem  limits    \(Products.path("seamd")) takes 1 connection at a"))
        #expect(outcome.stdout.contains("ulimit -n 4096"))
        // The soft limit is no limit: seamd raises it.
        let soft = try run(
            "bash",
            ["-c", "ulimit -Sn 64; exec \"$0\" doctor --socket /tmp/none.sock", Products.path("seam")])
        #expect(!soft.stdout.contains("limits"), "\(soft)")
        // A daemon that was told to take few is no mistake.
        let daemon = try SeamProcess(["--max-connections", "7"])
        let few = try run("seam", ["doctor", "--socket", daemon.socket])
        #expect(few.stdout.contains("note     limits    the daemon takes 7 connections at a time"), "\(few)")
    }

    // MARK: Plug-ins and the program

    @Test("plug-ins: not there, no library, open to everybody, one that the running daemon cannot use")
    func plugins() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/none"
        let bad = try folder.write("no library", to: "libbad.so")
        expect(
            "plug-in it says: seamd: error: /nosuch.so: it can't be found",
            in: try examine("--plugin", "/nosuch.so", "--socket", socket))
        expect(
            "plug-in it says: seamd: error: \(bad): ", in: try examine("--plugin", bad, "--socket", socket))
        expect("plug-in \(bad): ", in: try examine("--plugin-dir", folder.path, "--socket", socket))
        expect(
            "plug-in \(bad): ",
            in: try examine("--socket", socket, environment: ["SEAM_PLUGIN_PATH": folder.path]))

        let daemon = try SeamProcess(["--plugin-dir", folder.path])
        expect(
            "plug-in the daemon cannot use \(bad): ", remedy: "restart the daemon",
            in: try examine("--socket", daemon.socket))

        let open = try TemporaryFolder()
        try run("cp", [Products.path("libLessons.so"), "\(open.path)/libLessons.so"])
        try run("chmod", ["666", "\(open.path)/libLessons.so"])
        expect(
            "plug-in \(open.path)/libLessons.so: ",
            in: try examine("--plugin-dir", open.path, "--socket", socket))
    }

    @Test("no seamd to start, and one that is another version, ends at once or never answers")
    func programs() throws {
        let folder = try TemporaryFolder()
        // By another process: a program that this one had open for writing could be busy in a child of another test.
        try run("cp", [Products.path("seam"), "\(folder.path)/seam"])
        func report(_ script: String?) throws -> (Int32, [String], [String]) {
            if let script { try folder.writeProgram(script, to: "seamd") }
            return try examine(
                "--socket", "\(folder.path)/none", "--timeout", "2000",
                environment: ["PATH": "/usr/bin:/bin"],
                program: "\(folder.path)/seam")
        }
        expect(
            "program no seamd to start: neither \(folder.path)/seamd nor one in PATH",
            remedy: "install seamd beside seam", in: try report(nil))
        let ended = try report("echo seamd: it is broken >&2; exit 9\n")
        expect("program \(folder.path)/seamd does not listen: it exited with code 9", in: ended)
        expect("program it says: seamd: it is broken", in: ended)
        // A script that serves as an old version would: $2 is the socket, 3 the descriptor to be ready on.
        let old = """
            exec python3 -c '
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen(1)
            os.write(3, b"\\n")
            client = server.accept()[0]
            while client.recv(65536):
                client.sendall(b"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{\\"protocol\\":{\\"major\\":1},\\"version\\":\\"0.0.1\\"}}\\n")
                client.shutdown(socket.SHUT_RDWR)
            ' "$2"

            """
        expect(
            "version \(folder.path)/seamd has version 0.0.1, this seam \(seamVersion)",
            remedy: "install seam and seamd of one version", in: try report(old))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["seam", "seamd"])
    }

    // MARK: The gate

    @Test(
        "the gate: not installed, another version, one that ends at once, one that is none, a page with a part missing"
    )
    func gate() throws {
        let folder = try TemporaryFolder()
        // By another process: a program that this one had open for writing could be busy in a child of another test.
        try run("cp", [Products.path("seam"), "\(folder.path)/seam"])
        try run("ln", ["-s", Products.path("seamd"), "\(folder.path)/seamd"])
        let gate = "\(folder.path)/seam-gate"
        func report(_ script: String?) throws -> (code: Int32, findings: [String], remedies: [String]) {
            if let script {
                try run("install", ["-m", "755", "/dev/stdin", gate], input: "#!/bin/sh\n" + script)
            }
            return try examine(
                "--socket", "\(folder.path)/none", "--port", "0", environment: ["PATH": "/usr/bin:/bin"],
                program: "\(folder.path)/seam")
        }
        // Who only runs checks needs none: it is told, and no problem.
        let none = try report(nil)
        #expect(none.code == 0, "\(none)")
        #expect(
            none.findings.contains(
                "note gate there is no \(gate), and none in PATH; `seam dashboard` needs it"), "\(none)")
        #expect(none.remedies.contains { $0.contains("install seam-gate beside seam") })

        expect(
            "gate \(gate) does not serve: it exited with code 9; it says: seam-gate: it is broken",
            remedy: "came with this seam", in: try report("echo seam-gate: it is broken >&2; exit 9\n"))
        expect(
            "gate \(gate) is no gate of Seam's; it said: hello", remedy: "came with this seam",
            in: try report("echo hello >&3; exec cat\n"))
        // Serves as a gate of another version would, or as one that was built without a part of its page.
        func server(_ version: String, _ page: String) -> String {
            #"""
            exec python3 -c '
            import http.server, os
            class Gate(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    body = {"/info": b"{\"version\":\"\#(version)\"}", "/": b"""\#(page)"""}.get(self.path)
                    self.send_response(200 if body else 404)
                    self.end_headers()
                    self.wfile.write(body or b"")
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Gate)
            os.write(3, b"http://127.0.0.1:%d/#token=00\n" % server.server_port)
            server.serve_forever()
            '

            """#
        }
        expect(
            "version \(gate) has version 0.0.1, the daemon \(seamVersion), this seam \(seamVersion)",
            remedy: "of one version", in: try report(server("0.0.1", "page")))
        expect(
            "gate \(gate) does not serve /app.js, a part of its page", remedy: "anew",
            in: try report(server(seamVersion, #"<script src="/app.js"></script>"#)))
        expect(
            "gate \(gate) listens and does not answer as it should", remedy: "came with this seam",
            in: try report("echo http://127.0.0.1:1/#token=00 >&3; exec cat\n"))
    }

    @Test("the port of the dashboard: free, a gate's, taken by something else, none at all")
    func port() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/none"
        let gate = try GateProcess()
        let served = try examine("--socket", socket, "--port", "\(gate.port)")
        #expect(served.code == 0, "\(served)")
        #expect(
            served.findings.contains {
                $0.hasPrefix(
                    "note port a gate serves at \(gate.port) already; for a second one, seam dashboard --port 0"
                )
            }, "\(served)")
        let other = try ChildProcess("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        let line = try other.readLine(containing: "port ")
        let port = try #require(line.firstMatch(of: /port ([0-9]+)/)).1
        expect(
            "port \(port) is taken by something else", remedy: "--port 0 takes any that is free",
            in: try examine("--socket", socket, "--port", "\(port)"))
        let wrong = try run("seam", ["doctor", "--socket", socket, "--port", "65536"])
        #expect(wrong.code == 2 && wrong.stderr.contains("--port takes a whole number"), "\(wrong)")
        other.send(signal: SIGKILL)
        try other.waitForEnd()
        let free = try examine("--socket", socket, "--port", "\(port)")
        #expect(free.findings.contains("ok port \(port) is free for `seam dashboard`"), "\(free)")
    }

    @Test("it has no use for words, and ends by a signal as any other")
    func usage() throws {
        try play(
            """
            $ seam doctor everything
            ! seam: doctor has no use for 'everything'; usage: seam doctor [options]
            = 2
            """)
    }
}
