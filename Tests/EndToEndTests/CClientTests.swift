import Foundation
import Glibc
import SeamTestSupport
import SeamWire
import Testing

/// Clients/c: what a program in C or C++ copies into itself to report what it shows. Whatever happens to the daemon,
/// to the memory, or to the arguments, the program goes on; so nearly every test ends with a probe that it does.
@Suite struct CClientTests {
    /// As in seam_client.h.
    enum Status: Int {
        case ok, misuse, badName, tooLarge, full, memory, noSocket, noDaemon, lost, timeout, refused,
            notTheProtocol
    }

    private static func path(_ file: String) -> String { Checkout.path("Clients/c/\(file)") }

    /// The clang of the toolchain that runs the tests: a machine set up for Swift alone has no other.
    private static let clang: String = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let swift = folders.map { "\($0)/swift" }.first(where: FileManager.default.isExecutableFile)
        guard let swift else { return "clang" }
        return URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent().path
            + "/clang"
    }()

    static let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic"]

    // MARK: Compiling

    @Test(
        "compiles without a word, as C99 and as C++11",
        arguments: ["gcc", clang], ["seam_client.c", "report.c", "compare.c"])
    func compiles(_ compiler: String, _ file: String) throws {
        for language in [["-xc", "-std=c99"], ["-xc", "-std=c11"], ["-xc++", "-std=c++11"]] {
            try compile(compiler, Self.strict + ["-fsyntax-only"] + language + [Self.path(file)])
        }
    }

    @Test(
        "the header stands beside that of the plug-ins, and may be included twice", arguments: ["gcc", clang])
    func header(_ compiler: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "#include \"seam_client.h\"\n#include \"seam_plugin.h\"\n#include \"seam_client.h\"\n",
            to: "both.c")
        for language in [["-xc", "-std=c99"], ["-xc++", "-std=c++11"]] {
            try compile(
                compiler,
                Self.strict + ["-fsyntax-only", "-I\(Checkout.header)", "-I\(Self.path(""))"] + language + [
                    file
                ])
        }
    }

    // MARK: The driver

    /// client_driver.c built with a sanitizer; it does what it is told, line by line.
    private final class Driver: Sendable {
        let process: ChildProcess
        private let folder: TemporaryFolder

        private struct Build: Sendable {
            var folder: TemporaryFolder
            var program: String
            init(_ compiler: String, _ sanitizer: String) throws {
                folder = try TemporaryFolder()
                program = "\(folder.path)/driver"
                try compile(
                    compiler,
                    CClientTests.strict + ["-std=c99", "-g", "-O1", "-pthread", "-fno-sanitize-recover=all"]
                        + ["-fsanitize=\(sanitizer)", "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"]
                        + [CClientTests.path("client_driver.c"), CClientTests.path("seam_client.c")]
                        // Not gold, which clang would take: it talks about every function of the sanitizer.
                        + ["-fuse-ld=bfd", "-o", program])
            }
        }

        private static let usual = Result { try Build("gcc", "address,undefined") }

        init(
            _ compiler: String? = nil, sanitizer: String = "address,undefined",
            environment: [String: String?] = [:]
        )
            throws
        {
            let build = try compiler.map { try Build($0, sanitizer) } ?? Self.usual.get()
            folder = build.folder
            process = try ChildProcess(build.program, environment: environment)
        }

        /// One command and what comes of it.
        @discardableResult
        func answer(_ command: [String?], within patience: Duration = .seconds(60)) throws -> JSON {
            try process.write(JSON.array(command.map { $0.map(JSON.string) ?? .null }).encoded + "\n")
            return try JSON(parsing: try process.readLine(within: patience) ?? "null")
        }

        func status(_ command: String?...) throws -> Status? {
            try answer(command)["status"]?.integer.flatMap(Status.init)
        }

        func expect(
            _ expected: Status, _ command: String?..., sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let answer = try answer(command)
            let status = answer["status"]?.integer.flatMap(Status.init)
            #expect(
                status == expected, "\(command.prefix(4)) gave \(answer.encoded)",
                sourceLocation: sourceLocation)
        }

        func state() throws -> JSON { try answer(["state"]) }

        /// Reports once more, and the daemon has it: the end of nearly every test.
        func probe(
            _ daemon: SeamProcess, sim: String = "app", sourceLocation: SourceLocation = #_sourceLocation
        )
            throws
        {
            let value = "probe \(UInt32.random(in: 0 ... .max))"
            try expect(.ok, "set", "Probe", "field", value, sourceLocation: sourceLocation)
            try expect(.ok, "flush", "20000", sourceLocation: sourceLocation)
            let state = try state().encoded
            #expect(
                try shown(daemon, "Probe.field", sim: sim) == value, "\(state)",
                sourceLocation: sourceLocation)
        }

        /// It ends by itself and in good order: no signal, no report of a sanitizer.
        func end(sourceLocation: SourceLocation = #_sourceLocation) throws {
            process.closeInput()
            let outcome = try process.outcome()
            #expect(
                outcome.ending == .exit(0) && outcome.stderr.isEmpty, "\(outcome)",
                sourceLocation: sourceLocation)
        }
    }

    /// A path that leads to one daemon after the other, as a socket of one name does.
    private struct Place {
        let folder: TemporaryFolder
        var path: String { "\(folder.path)/seam.sock" }
        init() throws { folder = try TemporaryFolder() }
        func lead(to daemon: SeamProcess) throws {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: daemon.socket)
        }
    }

    // MARK: Reporting

    @Test("what is reported arrives, with its verdicts", arguments: ["gcc", clang])
    func reports(_ compiler: String) throws {
        let daemon = try SeamProcess()
        let driver = try Driver(compiler)
        let watcher = try daemon.connect()
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.expect(.ok, "model", "count", "3")
        try driver.expect(.ok, "set", "Toolbar", "count", "3")
        try driver.expect(.ok, "flush", "20000")
        try watcher.call("sub.open", #"{"sim":"app","start":"now"}"#)
        try driver.expect(.ok, "model", "count", "5")
        try driver.expect(.ok, "set", "Toolbar", "count", "5")
        try driver.expect(.ok, "set", "Toolbar", "count", "5")  // the same: not sent
        try driver.expect(.ok, "set", "Toolbar", "title", "")
        try driver.expect(.ok, "set", "Toolbar", "subtitle", nil)
        try driver.expect(.ok, "clear", "Toolbar")
        try driver.expect(.ok, "model", "count", nil)
        try driver.expect(.ok, "set", "Toolbar", "count", "again")
        try driver.expect(.ok, "flush", "20000")
        try watcher.call("seam.ping")
        let verdicts = watcher.takeEvents().filter { $0.kind == "verdict" }.map {
            "\($0.params?["field"]?.text ?? "") \($0.params?["to"]?.text ?? "")"
        }
        #expect(
            verdicts == [
                "count stale", "count matching", "title leftover", "count missing", "title out-of-scope",
                "count out-of-scope", "count leftover",
            ])
        let state = try driver.state()
        #expect(state["sent"] == 10 && state["answered"] == 10, "\(state.encoded)")
        #expect(state["refused"] == 0 && state["merged"] == 0 && state["waiting"] == 0, "\(state.encoded)")
        // Whoever closes takes the simulation away.
        try driver.expect(.ok, "close")
        _ = try watcher.events { $0.params?["reason"] == "destroyed" }
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.probe(daemon)
        try driver.end()
    }

    @Test("a text arrives as it is, and what is no UTF-8 as U+FFFD")
    func texts() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket)
        for text in [
            "", " ", "\"quotes\" and \\ and /", "„heute“ 📋 日本", "line\nfeed\rreturn\ttab\u{8}\u{c}",
            "\u{1}\u{1f}\u{7f}\u{80}\u{85}\u{2028}\u{2029}\u{feff}", "{\"a\":[1,2]}", "e\u{301}",
        ] {
            try driver.expect(.ok, "set", "Texts", "t", text)
            try driver.expect(.ok, "flush", "20000")
            let shown = try shown(daemon, "Texts.t") ?? "none"
            #expect(shown.utf8.elementsEqual(text.utf8), "\(text.prefix(40)) came as \(shown.prefix(40))")
        }
        for (bytes, text) in [
            ("41ff42", "A\u{fffd}B"), ("c080", "\u{fffd}\u{fffd}"), ("c3", "\u{fffd}"),
            ("e282", "\u{fffd}\u{fffd}"),
            ("eda080", "\u{fffd}\u{fffd}\u{fffd}"), ("f4908080", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("f09f938b", "📋"), ("c3a9", "é"), ("f8888080", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            try driver.expect(.ok, "bytes", "Texts", "t", bytes)
            try driver.expect(.ok, "flush", "20000")
            #expect(try shown(daemon, "Texts.t") == text, "\(bytes)")
        }
        // Too long to be shown whole: the model gets the same by another way, and the two are compared.
        let client = try daemon.connect()
        for text in [String(repeating: "\u{1}", count: 65536), String(repeating: "é", count: 32768)] {
            try driver.expect(.ok, "set", "Texts", "t", text)
            try driver.expect(.ok, "flush", "20000")
            try client.call("model.set", #"{"sim":"app","values":{"t":\#(JSON.string(text).encoded)}}"#)
            let field = try client.call("sim.get", #"{"sim":"app"}"#)["fields"]?[0]
            #expect(field?["verdict"] == "matching" && field?["shownBytes"] == 65536)
        }
        try driver.probe(daemon)
        #expect(try driver.state()["refused"] == 0)
        try driver.end()
    }

    @Test("wrong use is refused and counted, and harms nothing")
    func wrongUse() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        // Before anything is open.
        for command in ["model", "set", "clear", "poll", "flush", "state"] {
            try driver.expect(.misuse, command, "a", "b", "c")
        }
        try driver.expect(.ok, "close")
        // What cannot work.
        let long = "/" + String(repeating: "s", count: 107)
        try driver.expect(.noSocket, "open", "app", long)
        for sim in ["", "a.b", "a/b", "a*", "a=b", "a\nb", String(repeating: "x", count: 129)] {
            try driver.expect(.badName, "open", sim, daemon.socket)
        }
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.expect(.ok, "set", "Main", "f", "kept")
        var refused = 0
        let names = [nil, "", "a\u{1}b", "a\u{85}b", String(repeating: "x", count: 129)]
        for name in names {
            try driver.expect(.badName, "model", name, "1")
            try driver.expect(.badName, "set", name, "f", "1")
            try driver.expect(.badName, "set", "Main", name, "1")
            refused += 3
        }
        for screen in ["Main.Sub", "a/b", "a=b", "a*b"] {
            try driver.expect(.badName, "set", screen, "f", "1")
            refused += 1
        }
        let largest = String(repeating: "v", count: 65536)
        try driver.expect(.ok, "set", "Main", "long", largest)
        for text in [largest + "w", String(repeating: "v", count: 2_000_000)] {
            try driver.expect(.tooLarge, "set", "Main", "long", text)
            try driver.expect(.tooLarge, "model", "long", text)
            refused += 2
        }
        try driver.probe(daemon)
        #expect(try shown(daemon, "Main.f") == "kept")
        let fields = try daemon.connect().call("sim.get", #"{"sim":"app"}"#)["fields"]?.elements
        #expect(fields?.first { $0["field"] == "long" }?["shownBytes"] == 65536)
        let state = try driver.state()
        #expect(state["refused"]?.integer == refused, "\(state.encoded)")
        #expect(state["last"]?.text?.contains("65536 bytes") == true)
        try driver.end()
    }

    @Test("what is kept has a bound")
    func bounds() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket, nil, nil, "3", "1000")
        try driver.expect(.ok, "set", "Main", "a", String(repeating: "a", count: 600))
        try driver.expect(.full, "set", "Main", "b", String(repeating: "b", count: 600))
        try driver.expect(.ok, "set", "Main", "a", "short")
        try driver.expect(.ok, "set", "Main", "b", String(repeating: "b", count: 600))
        try driver.expect(.full, "set", "Main", "b", String(repeating: "b", count: 996))
        try driver.expect(.ok, "model", "a", "short")
        try driver.expect(.full, "model", "b", "no room for a fourth")
        try driver.expect(.ok, "clear", nil)
        try driver.expect(.ok, "set", "Main", "a", String(repeating: "a", count: 900))
        try driver.expect(.ok, "flush", "20000")
        #expect(try shown(daemon, "Main.a")?.count == 900)
        #expect(try shown(daemon, "Main.b") == nil)
        #expect(try driver.state()["refused"] == 3)
        try driver.end()
    }

    @Test("a daemon that is killed and comes back is told everything again")
    func killed() throws {
        let place = try Place()
        var daemon = try SeamProcess()
        let driver = try Driver()
        // Before there is any.
        try driver.expect(.ok, "open", "app", place.path, nil, "1")
        try driver.expect(.ok, "set", "Main", "both", "same")
        try driver.expect(.ok, "model", "both", "same")
        try driver.expect(.ok, "set", "Early", "f", "before any daemon")
        #expect(try driver.state()["last"]?.text?.contains("seamd --socket \(place.path)") == true)
        for round in 1...3 {
            let watcher = try daemon.connect()
            try watcher.call("sub.open", #"{"start":"now"}"#)
            try place.lead(to: daemon)
            try driver.expect(.ok, "model", "round", "\(round)")
            try driver.expect(.ok, "set", "Main", "round", "\(round)")
            try driver.probe(daemon)
            #expect(try shown(daemon, "Early.f") == "before any daemon")
            #expect(try shown(daemon, "Main.round") == "\(round)")
            #expect(try driver.state()["connections"]?.integer == round)
            // The model comes first: a field whose two sides come has no verdict that was never true.
            try watcher.call("seam.ping")
            let verdicts = watcher.takeEvents().filter { $0.params?["field"] == "both" }.map {
                $0.params?["to"]?.text
            }
            #expect(verdicts == ["matching"])
            let last = daemon
            daemon = try SeamProcess()
            last.process.send(signal: SIGKILL)
            #expect(try last.process.waitForEnd() == .signal(SIGKILL))
            // Into the socket of a dead daemon, and past it.
            for value in 1...50 { try driver.expect(.ok, "set", "Main", "f", "\(value)") }
            #expect(try driver.state()["connected"] == false)
            try driver.expect(.timeout, "flush", "30")
        }
        try place.lead(to: daemon)
        try driver.probe(daemon)
        #expect(try shown(daemon, "Main.f") == "50")
        #expect(try driver.state()["slowest"]?.integer ?? .max < 2000)
        try driver.end()
    }

    @Test("a daemon that stands still holds nothing up; what it missed is merged and counted")
    func stopped() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.probe(daemon)
        daemon.process.send(signal: SIGSTOP)
        // Twenty times what the socket and the client hold together.
        try driver.expect(.ok, "often", "Main", "f", "20000", "1000")
        try driver.expect(.ok, "set", "Main", "g", "the last")
        try driver.expect(.timeout, "flush", "50")
        var state = try driver.state()
        #expect(state["connected"] == true)
        #expect(state["merged"]?.integer ?? 0 > 15_000 && state["waiting"] == 2, "\(state.encoded)")
        #expect(state["slowest"]?.integer ?? .max < 2000, "\(state.encoded)")
        daemon.process.send(signal: SIGCONT)
        try driver.expect(.ok, "flush", "20000")
        #expect(try shown(daemon, "Main.f")?.hasSuffix("x20000") == true)
        #expect(try shown(daemon, "Main.g") == "the last")
        state = try driver.state()
        #expect(state["sent"] == state["answered"] && state["refused"] == 0, "\(state.encoded)")
        try driver.probe(daemon)

        // A program that ends beside a daemon that stands still ends all the same.
        daemon.process.send(signal: SIGSTOP)
        try driver.expect(.ok, "set", "Main", "g", "never heard")
        try driver.end()
        daemon.process.send(signal: SIGCONT)
        try daemon.connect().call("seam.ping")
    }

    @Test("a simulation that somebody destroys is made again; one that is there is joined")
    func destroyed() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        try driver.expect(.ok, "open", "app", daemon.socket, nil, "1")
        try driver.expect(.ok, "set", "Main", "f", "1")
        try driver.probe(daemon)
        for _ in 1...3 {
            try client.call("sim.destroy", #"{"sim":"app"}"#)
            try driver.probe(daemon)
            #expect(try shown(daemon, "Main.f") == "1")
        }
        #expect(try driver.state()["connections"] == 1)
        try driver.expect(.ok, "close")
        // With `keeps` it stays when the program goes.
        try driver.expect(.ok, "open", "stays", daemon.socket, "1")
        try driver.probe(daemon, sim: "stays")
        try driver.end()
        #expect(try shown(daemon, "Probe.field", sim: "stays") != nil)
    }

    @Test("what the daemon refuses is counted, and its words are kept")
    func refused() throws {
        let daemon = try SeamProcess(["--max-fields", "2"])
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.expect(.ok, "set", "Main", "a", "1")
        try driver.expect(.ok, "set", "Main", "b", "1")
        try driver.expect(.ok, "set", "Main", "c", "1")
        try driver.expect(.ok, "flush", "20000")
        let state = try driver.state()
        #expect(state["refused"] == 1 && state["code"] == -32008, "\(state.encoded)")
        #expect(state["last"]?.text?.contains("fields") == true, "\(state.encoded)")
        #expect(try shown(daemon, "Main.b") == "1")
        try driver.end()
    }

    @Test("a connection that is not taken is tried again")
    func turnedAway() throws {
        let daemon = try SeamProcess(["--max-connections", "1"])
        var holder: TestClient? = try daemon.connect()
        try holder?.call("seam.ping")
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket, nil, "1")
        try driver.expect(.ok, "set", "Main", "f", "1")
        try driver.expect(.timeout, "flush", "100")
        #expect(try driver.state()["code"] == -32008)
        holder?.close()
        holder = nil
        try driver.expect(.ok, "flush", "20000")
        try driver.expect(.ok, "close")
        #expect(try driver.state()["status"]?.integer == Status.misuse.rawValue)
        try driver.end()
    }

    @Test("something else behind the socket is found out and costs nothing")
    func noDaemon() throws {
        let folder = try TemporaryFolder()
        for (name, speech) in [("endless", "yes | tr -d '\\n'"), ("words", "yes"), ("silent", "true")] {
            let path = "\(folder.path)/\(name).sock"
            let server = try ChildProcess(
                "socat", ["-d", "-d", "UNIX-LISTEN:\(path),fork", "SYSTEM:\(speech)"])
            try server.errorLine(containing: "listening on")
            let driver = try Driver()
            try driver.expect(.ok, "open", "app", path, nil, "1")
            try driver.expect(.ok, "set", "Main", "f", "1")
            try driver.expect(.timeout, "flush", "200")
            for value in 1...20 { try driver.expect(.ok, "set", "Main", "f", "\(value)") }
            let state = try driver.state()
            #expect(
                state["answered"] == 0 && state["last"]?.text?.isEmpty == false, "\(name): \(state.encoded)")
            #expect(state["slowest"]?.integer ?? .max < 2000, "\(name): \(state.encoded)")
            // The calling half gives up as well, each in its own way.
            try driver.expect(.ok, "connect", path, "1000")
            let status = try driver.status("call", "seam.ping", "{}", "200")
            #expect(
                status == .timeout || status == .lost || status == .full || status == .tooLarge,
                "\(name): \(String(describing: status))")
            try driver.end()
            server.send(signal: SIGTERM)
        }
    }

    @Test("memory that ends is a refusal, and no more")
    func memory() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        for count in 0...6 {
            try driver.expect(.ok, "memory", "\(count)")
            let status = try driver.status("open", "app", daemon.socket)
            if status == .ok { try driver.expect(.ok, "close") }
        }
        try driver.expect(.ok, "memory", "-1")
        try driver.expect(.ok, "open", "app", daemon.socket, nil, "1")
        var refusals = 0
        for count in 0...30 {
            try driver.expect(.ok, "memory", "\(count)")
            let status = try driver.status(
                "set", "Main", "field \(count)", String(repeating: "x", count: 5000 + count * 2000))
            if status != .ok { refusals += 1 }
            try driver.expect(.ok, "memory", "-1")
        }
        #expect(refusals > 0)
        try driver.probe(daemon)
        #expect(try shown(daemon, "Main.field 30") != nil)
        for count in 0...20 {
            try driver.expect(.ok, "memory", "\(count)")
            _ = try driver.status("connect", daemon.socket, "1000")
            _ = try driver.status("call", "sim.list", "{}", "5000")
            _ = try driver.status("next", "0")
            try driver.expect(.ok, "disconnect")
            try driver.expect(.ok, "memory", "-1")
        }
        try driver.probe(daemon)
        try driver.end()
    }

    @Test("several threads report at once", arguments: ["address,undefined", "thread"])
    func threads(_ sanitizer: String) throws {
        let daemon = try SeamProcess()
        let driver = try Driver("gcc", sanitizer: sanitizer)
        let open = try? driver.answer(["open", "app", daemon.socket])
        if open == nil, driver.process.stderr.contains("unexpected memory mapping") {
            try Test.cancel(
                "NOT TESTED: this kernel places memory where the thread sanitizer of gcc cannot be")
        }
        try driver.expect(.ok, "threads", "8", "1000")
        try driver.expect(.ok, "flush", "30000")
        for thread in 0..<8 { #expect(try shown(daemon, "Threads.field\(thread)") == "1000") }
        let state = try driver.state()
        #expect(
            (state["sent"]?.integer ?? 0) + (state["merged"]?.integer ?? 0) == 16000, "\(state.encoded)")
        try driver.probe(daemon)
        try driver.end()
    }

    @Test("the child of a fork reports nothing and takes nothing away")
    func fork() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.ok, "open", "app", daemon.socket)
        try driver.probe(daemon)
        try driver.expect(.misuse, "child")
        try driver.probe(daemon)
        try driver.end()
    }

    @Test("without a path it finds the daemon as seam does")
    func socketPath() throws {
        let daemon = try SeamProcess()
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: "\(place.folder.path)/seam", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(place.folder.path)/seam/seam.sock", withDestinationPath: daemon.socket)
        let environments: [[String: String?]] = [
            ["SEAM_SOCKET": daemon.socket, "XDG_RUNTIME_DIR": "/nosuch"],
            ["SEAM_SOCKET": "", "XDG_RUNTIME_DIR": place.folder.path],
            ["SEAM_SOCKET": nil, "XDG_RUNTIME_DIR": place.folder.path],
        ]
        for environment in environments {
            let driver = try Driver(environment: environment)
            try driver.expect(.ok, "open", "app", nil)
            try driver.probe(daemon)
            try driver.expect(.ok, "connect", nil, "1000")
            try driver.end()
        }
        // The first rule that applies decides, even if nobody listens there.
        let driver = try Driver(environment: [
            "SEAM_SOCKET": "/nosuch/a", "XDG_RUNTIME_DIR": place.folder.path,
        ])
        try driver.expect(.noDaemon, "connect", nil, "1000")
        try driver.end()
        // A relative folder is none.
        let relative = try Driver(environment: ["SEAM_SOCKET": nil, "XDG_RUNTIME_DIR": "run"])
        let answer = try relative.answer(["connect", nil, "1000"])
        let text = answer["text"]?.text ?? ""
        #expect(text.contains("/run/user/"), "\(answer.encoded)")
        try relative.end()
    }

    // MARK: Calling

    @Test("JSON that is cut off anywhere, or is none, is taken apart within its bounds")
    func malformed() throws {
        let driver = try Driver()
        for text in [
            #"{"jsonrpc":"2.0","id":12,"error":{"code":-32601,"message":"a \"b\" \\ \u00e9 \ud83d\udccb","data":{"kind":"x"}}}"#,
            #"[1,"\ud83d",[2,[3]],{"id":[null]},-1e9]"#, #"{"id":"\ud83d\u0041","error":"\udccb\uD83D"}"#,
            "{{{{[[[[", "}]}]", #"{"id""#, #"{"id":}"#, #"{"id"  :  }"#, #"{:1}"#, #"{"a":1 "id":2}"#,
            "[,,,]", "[[],[}",
            #""\u12"#, #""\"#, #""\uzzzz""#, #"{"":""}"#, "\"", "",
        ] {
            try driver.expect(.ok, "apart", text)
        }
        try driver.end()
    }

    @Test("calls, event lines between them, and errors in their three parts")
    func calls() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.ok, "connect", daemon.socket, "1000")
        let made = try driver.answer(["call", "sim.create", #"{"scenario":"live","id":"app"}"#, "5000"])
        #expect(made["sim"] == "app")
        _ = try driver.answer(["call", "sub.open", #"{"sim":"app"}"#, "5000"])
        let turn = try driver.answer([
            "call", "screen.set", #"{"sim":"app","screen":"Main","values":{"a":"1"}}"#, "5000",
        ])
        #expect(turn["seq"] == 1)
        let unknown = try driver.answer(["call", "sim.get", #"{"sim":"none"}"#, "5000"])
        #expect(unknown["status"]?.integer == Status.refused.rawValue && unknown["code"] == -32001)
        #expect(unknown["text"]?.text?.contains("none") == true)
        for (params, status) in [
            ("{}}", Status.refused), ("7", .refused), ("{\"a\":1,\"a\":2}", .refused), ("{\n}", .misuse),
            ("", .refused),
            (String(repeating: "[", count: 70), .refused),
            (String(repeating: " ", count: 1 << 20), .tooLarge),
        ] {
            try driver.expect(status, "call", "seam.ping", params, "5000")
        }
        for method in ["", "a\"b", "a\\b", "a\nb"] {
            try driver.expect(.badName, "call", method, "{}", "5000")
        }
        try driver.expect(.refused, "call", "no.method", nil, "5000")
        try driver.expect(.misuse, "call", nil, "{}", "5000")
        // All the while these were kept, in their order.
        #expect(try driver.answer(["next", "1000"])["params"]?["kind"] == "sync")
        #expect(try driver.answer(["next", "1000"])["params"]?["to"] == "leftover")
        try driver.expect(.timeout, "next", "0")
        // A line as it stands, and its reply as a line.
        try driver.expect(.ok, "line", #"{"id":1.50,"method":"seam.ping"}"#, "1000")
        try driver.process.write("[\"next\",\"5000\"]\n")
        #expect(try driver.process.readLine()?.hasPrefix(#"{"jsonrpc":"2.0","id":1.50,"result""#) == true)
        try driver.expect(.misuse, "line", "a\nb", "1000")
        try driver.expect(.tooLarge, "line", String(repeating: "x", count: 1 << 21), "1000")
        #expect(try driver.answer(["call", "seam.ping", nil, "5000"])["daemonEpoch"] != nil)
        try driver.end()
    }

    @Test("a daemon that does not answer in time, and one that is gone")
    func patience() throws {
        let daemon = try SeamProcess()
        let driver = try Driver()
        try driver.expect(.noDaemon, "connect", daemon.socket + "x", "100")
        for command in [["call", "seam.ping", "{}", "10"], ["line", "{}", "10"], ["next", "10"]] {
            #expect(try driver.answer(command)["status"]?.integer == Status.misuse.rawValue)
        }
        try driver.expect(.ok, "connect", daemon.socket, "1000")
        daemon.process.send(signal: SIGSTOP)
        try driver.expect(.timeout, "call", "sim.list", "{}", "30")
        try driver.expect(.timeout, "call", "sim.list", "{}", "30")
        daemon.process.send(signal: SIGCONT)
        // The late replies are not taken for that of a later call, nor for lines of a stream.
        #expect(try driver.answer(["call", "seam.ping", "{}", "20000"])["daemonEpoch"] != nil)
        try driver.expect(.timeout, "next", "0")
        daemon.process.send(signal: SIGKILL)
        try daemon.process.waitForEnd()
        try driver.expect(.lost, "call", "seam.ping", "{}", "20000")
        try driver.expect(.lost, "next", "20000")
        let other = try SeamProcess()
        try driver.expect(.ok, "disconnect")
        try driver.expect(.ok, "connect", other.socket, "1000")
        #expect(try driver.answer(["call", "seam.ping", "{}", "20000"])["daemonEpoch"] != nil)
        try driver.end()
    }
}

/// What the daemon says that a field shows; nil for nothing, and for a field that it does not know.
private func shown(_ daemon: SeamProcess, _ field: String, sim: String = "app") throws -> String? {
    let params: JSON = ["sim": .string(sim), "fields": [.string(field)]]
    do {
        return try daemon.connect().call("sim.check", params.encoded)["fields"]?[0]?["shown"]?.text
    } catch let refusal as TestClient.Refusal where refusal.kind == "unknown-field" {
        return nil
    }
}
