import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam top` at a real terminal, against a real daemon.
@Suite struct TopCommandTests {
    private func top(
        _ daemon: SeamProcess, _ arguments: String..., columns: Int = 100, rows: Int = 24,
        environment: [String: String?] = [:]
    ) throws -> TerminalProcess {
        try TerminalProcess(
            "seam", ["top", "--socket", daemon.socket] + arguments, columns: columns, rows: rows,
            environment: environment)
    }

    /// A daemon with the lesson of the forgotten assignment, one of whose three fields is stale.
    private func lesson() throws -> SeamProcess {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":7}}"#)
        return daemon
    }

    private func expectRestored(
        _ terminal: TerminalProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let screen = terminal.screen
        #expect(!screen.isAlternate, sourceLocation: sourceLocation)
        #expect(screen.showsCursor, sourceLocation: sourceLocation)
        #expect(screen.reordersText, sourceLocation: sourceLocation)
        #expect(terminal.isLineByLine, sourceLocation: sourceLocation)
        #expect(screen.unknown.isEmpty, "\(screen.unknown)", sourceLocation: sourceLocation)
    }

    // MARK: The table

    @Test(
        "a row for each field with its verdict in sign and word, counters, the daemon; a change is there at once"
    )
    func table() throws {
        let daemon = try lesson()
        let terminal = try top(daemon)
        let screen = try terminal.wait(line: "openCount", "≠ stale", "7", "3")
        #expect(screen.isAlternate && !screen.showsCursor && !screen.reordersText)
        #expect(screen.line(containing: "seam top", "live", "1 simulation", "3 fields", seamVersion) != nil)
        #expect(
            screen.line(
                containing: "1✓ matching 2", "2≠ stale 1", "3○ missing 0", "4+ leftover 0",
                "5– out-of-scope 0") != nil)
        #expect(
            screen.line(containing: "SIMULATION", "SCREEN", "FIELD", "VERDICT", "MODEL", "SHOWN", "AGE")
                != nil)
        #expect(screen.line(containing: "> demo", "HostingController", "filter", "✓ matching", "open") != nil)
        #expect(screen.line(containing: "demo", "title", "✓ matching", "Tasks", " >") != nil)
        #expect(!terminal.isLineByLine)
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")

        let client = try daemon.connect()
        try client.call("bridge.assign", #"{"sim":"demo","bridge":"host"}"#)
        let after = try terminal.wait(line: "openCount", "✓ matching", "7", "7")
        #expect(after.line(containing: "openCount")?.contains(">") == false)
        #expect(after.line(containing: "matching 3", "stale 0") != nil)
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        try client.call("screen.set", #"{"sim":"app","screen":"Bar","values":{"n":1}}"#)
        try terminal.wait(line: "app", "Bar", "n", "+ leftover", "-", "1")
        try terminal.wait(line: "2 simulations", "4 fields")
        try client.call("sim.destroy", #"{"sim":"demo"}"#)
        try terminal.wait(for: "one row less") {
            $0.line(containing: "demo") == nil && $0.line(containing: "1 field ") != nil
        }

        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
        expectRestored(terminal)
    }

    @Test("the first difference is marked in both values, and in sight when it lies far behind")
    func difference() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        let same = String(repeating: "same", count: 50)
        try client.call(
            "screen.set",
            #"{"sim":"app","screen":"S","values":{"far":"\#(same)X","near":"abcd","short":"ab"}}"#)
        try client.call(
            "model.set", #"{"sim":"app","values":{"far":"\#(same)Y","near":"abCd","short":"abc"}}"#)
        let terminal = try top(daemon)
        let screen = try terminal.wait(line: "near", "abCd", "abcd")
        let lines = screen.lines
        let near = try #require(lines.firstIndex { $0.contains("near") })
        #expect(screen.marked(in: near) == "Cc")
        let short = try #require(lines.firstIndex { $0.contains("short") })
        #expect(screen.marked(in: short) == "c")
        let far = try #require(lines.firstIndex { $0.contains(" far ") })
        #expect(screen.marked(in: far) == "YX", "\(screen.text)")
        #expect(lines[far].contains("…") && lines[far].contains("sameY") && lines[far].contains("sameX"))
    }

    @Test(
        "with colours where they are allowed, none under NO_COLOR and --color never; signs and words always")
    func colors() throws {
        let daemon = try lesson()
        for (environment, arguments, hasColors) in [
            (["NO_COLOR": nil], [], true), (["NO_COLOR": "1"], [], false),
            (["NO_COLOR": nil], ["--color", "never"], false),
            (["NO_COLOR": "1"], ["--color", "always"], true),
        ] as [([String: String?], [String], Bool)] {
            let terminal = try TerminalProcess(
                "seam", ["top", "--socket", daemon.socket] + arguments, environment: environment)
            let screen = try terminal.wait(line: "openCount", "≠ stale")
            #expect(screen.hasUsedColors == hasColors, "\(environment) \(arguments)")
            #expect(screen.look(of: "≠ stale ")?.color == (hasColors ? 1 : nil))
            // Which row is selected is told by a sign and in reverse, never by a colour.
            #expect(screen.look(of: "> demo")?.isReverse == true)
        }
    }

    @Test("where text is not UTF-8 signs and values are ASCII")
    func ascii() throws {
        let daemon = try lesson()
        let client = try daemon.connect()
        try client.call("model.set", #"{"sim":"demo","values":{"title":"é日"}}"#)
        let terminal = try top(daemon, environment: ["LC_ALL": "C", "TERM": "vt100"])
        let screen = try terminal.wait(line: "title", "x stale", #"\u{e9}\u{65e5}"#)
        #expect(screen.text.utf8.allSatisfy { $0 < 0x80 }, "\(screen.text)")
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
    }

    // MARK: Filters

    @Test("! only what is wrong, digits and letters for verdicts, what is hidden is counted, Esc shows all")
    func filters() throws {
        let daemon = try lesson()
        let terminal = try top(daemon)
        try terminal.wait(line: "title", "✓ matching")
        try terminal.type("!")
        let wrong = try terminal.wait(line: "2 hidden by filter", "only what is wrong")
        #expect(
            wrong.line(containing: "[2≠ stale 1]") != nil && wrong.line(containing: " 1✓ matching 2 ") != nil)
        #expect(wrong.line(containing: "title") == nil && wrong.line(containing: "openCount") != nil)
        // It stops being wrong, and is gone; the counters still count all.
        let client = try daemon.connect()
        try client.call("bridge.assign", #"{"sim":"demo","bridge":"host"}"#)
        try terminal.wait(line: "3 hidden by filter")
        try terminal.wait(line: "no field passes the filter")
        try client.call("model.set", #"{"sim":"demo","values":{"title":"new"}}"#)
        try terminal.wait(line: "title", "≠ stale", "new")
        try terminal.type("!")
        try terminal.wait(for: "nothing hidden") {
            $0.line(containing: "hidden by filter") == nil && $0.line(containing: "openCount") != nil
        }

        try terminal.type("1")
        try terminal.wait(line: "1 hidden by filter", "only matching")
        try terminal.type("s")
        try terminal.wait(line: "only matching, stale")
        try terminal.type("m")
        try terminal.wait(line: "2 hidden by filter", "only stale")
        try terminal.type("\u{1b}")
        try terminal.wait(for: "no filter") {
            $0.line(containing: "only stale") == nil && $0.line(containing: "openCount") != nil
        }
    }

    @Test("--only begins with a filter")
    func only() throws {
        let daemon = try lesson()
        for (words, condition) in [
            ("wrong", "only what is wrong"), ("stale,missing", "only stale, missing"),
            ("leftover", "only leftover"),
        ] {
            let terminal = try top(daemon, "--only", words)
            let hidden = words == "leftover" ? 3 : 2
            try terminal.wait(line: "\(hidden) hidden by filter", condition)
        }
        let outcome = try daemon.seam("top", "--only", "rong")
        #expect(outcome.code == 2 && outcome.stderr.contains("did you mean 'wrong'"), "\(outcome)")
    }

    @Test(
        "/ searches names and values while it is typed, a pattern with *; Enter keeps it, Esc takes it back")
    func search() throws {
        let daemon = try lesson()
        let terminal = try top(daemon)
        try terminal.wait(line: "title", "✓ matching")
        try terminal.type("/")
        try terminal.wait(for: "a cursor behind the slash") { $0.showsCursor && $0.lines[2] == "/" }
        try terminal.type("OPE")
        // openCount by its name, filter by its value.
        try terminal.wait(line: "/OPE", "1 hidden by filter")
        try terminal.type("nC")
        let one = try terminal.wait(line: "/OPEnC", "2 hidden by filter")
        #expect(one.line(containing: "openCount") != nil && one.line(containing: " title ") == nil)
        try terminal.type("\u{7f}\u{7f}")
        try terminal.wait(line: "/OPE", "1 hidden by filter")
        try terminal.type("\r")
        let kept = try terminal.wait(for: "the search to be kept") { !$0.showsCursor }
        #expect(kept.line(containing: "1 hidden by filter", "/OPE") != nil)
        // A key that was part of the text while it was typed is a key again.
        try terminal.type("/")
        try terminal.wait(for: "the cursor") { $0.showsCursor }
        try terminal.type("\u{15}demo/*.t*q")
        try terminal.wait(line: "/demo/*.t*q", "3 hidden by filter")
        try terminal.type("\u{7f}")
        let glob = try terminal.wait(line: "/demo/*.t*", "2 hidden by filter")
        #expect(glob.line(containing: " title ") != nil)
        try terminal.type("\u{1b}")
        try terminal.wait(line: "1 hidden by filter", "/OPE")
        try terminal.type("\u{1b}")
        try terminal.wait(for: "no search") {
            $0.line(containing: "hidden") == nil && $0.line(containing: " title ") != nil
        }
        try terminal.type("/日本é")
        try terminal.wait(line: "/日本é", "3 hidden by filter")
    }

    @Test("space stops the table and counts what comes meanwhile; space again shows all of it")
    func pause() throws {
        let daemon = try lesson()
        let client = try daemon.connect()
        let terminal = try top(daemon)
        try terminal.wait(line: "openCount", "≠ stale", "7")
        try terminal.type(" ")
        try terminal.wait(line: "paused, +0")
        for value in 8...12 {
            try client.call("model.set", #"{"sim":"demo","values":{"openCount":\#(value)}}"#)
        }
        try client.call("model.set", #"{"sim":"demo","values":{"title":"new"}}"#)
        let paused = try terminal.wait(line: "paused, +6")
        #expect(paused.line(containing: "openCount", "≠ stale", " 7 ") != nil)
        #expect(paused.line(containing: "matching 2", "stale 1") != nil)
        // What is paused can be filtered and sorted.
        try terminal.type("!")
        try terminal.wait(line: "paused, +6", "2 hidden by filter")
        try terminal.type("! ")
        let after = try terminal.wait(line: "openCount", "≠ stale", " 12 ")
        #expect(after.line(containing: "title", "≠ stale", "new") != nil)
        #expect(after.line(containing: "paused") == nil && after.line(containing: "stale 2") != nil)
    }

    @Test("sorting: by the keys of columns, the other way round, and the selected row stays selected")
    func sorting() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        try client.call("screen.set", #"{"sim":"app","screen":"S","values":{"f2":"x","f10":"y","f1":"z"}}"#)
        try client.call("model.set", #"{"sim":"app","values":{"f10":"y","f2":"b"}}"#)
        let terminal = try top(daemon, "app")
        func fields(_ screen: TerminalScreen) -> [String] {
            screen.lines.compactMap { $0.firstMatch(of: /\bf[0-9]+\b/).map { String($0.0) } }
        }
        try terminal.wait(for: "names in the order of their numbers") { fields($0) == ["f1", "f2", "f10"] }
        try terminal.type("j")
        try terminal.wait(line: "> S", "f2")
        try terminal.type("V")
        let sorted = try terminal.wait(for: "the worst first") { fields($0) == ["f2", "f1", "f10"] }
        #expect(sorted.line(containing: "> S", "f2") != nil && sorted.line(containing: "VERDICT▴") != nil)
        try terminal.type("r")
        try terminal.wait(for: "the worst last") {
            fields($0) == ["f10", "f1", "f2"] && $0.line(containing: "VERDICT▾") != nil
                && $0.line(containing: "> S", "f2") != nil
        }
        try terminal.type(">>")
        try terminal.wait(for: "by what is shown") {
            fields($0) == ["f2", "f10", "f1"] && $0.line(containing: "SHOWN▴") != nil
        }
        try terminal.type("A")
        try terminal.wait(for: "by age") { $0.line(containing: "AGE▴") != nil }
        try client.call("model.set", #"{"sim":"app","values":{"f10":"new"}}"#)
        try terminal.wait(for: "the newest first") { fields($0).first == "f10" }
    }

    // MARK: Details

    @Test("Enter shows why, which calls, the history and the diagnostics of a row; it goes on living")
    func details() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let terminal = try top(daemon, "--only", "wrong", columns: 170, rows: 40)
        try terminal.wait(line: "no field yet")
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-empty","id":"w"}"#)
        try client.call("model.set", #"{"sim":"w","values":{"rowCount":5}}"#)
        try terminal.wait(line: "> w", "rowCount", "≠ stale")
        try terminal.type("\r")
        let screen = try terminal.wait(
            line: "LegacyListView.rowCount is stale: the model changed in turn 2", "did not write it")
        #expect(screen.line(containing: "w/LegacyListView.rowCount") != nil)
        #expect(screen.line(containing: "of the scenario lessons.wrapping-empty") != nil)
        #expect(screen.line(containing: "they part at character 1") != nil)
        #expect(
            screen.line(containing: "carried by list", "update", "1x since the model changed") != nil,
            "\(screen.text)")
        #expect(screen.line(containing: "turn 2.1", "list.update (input)", "wrote nothing") != nil)
        #expect(screen.line(containing: "ago", "✓ matching -> ≠ stale", "model=5 shown=3") != nil)
        // A call that changes nothing is told as well.
        try client.call("bridge.update", #"{"sim":"w","bridge":"list"}"#)
        try terminal.wait(line: "turn 3.1", "list.update (repeat)", "wrote nothing")
        // Also when it no longer passes the filter it is still the one that is looked at.
        try client.call("model.set", #"{"sim":"w","values":{"rowCount":3}}"#)
        try terminal.wait(line: "≠ stale -> ✓ matching", "model=3 shown=3")
        try terminal.wait(line: "LegacyListView.rowCount matches")
        try client.call("sim.destroy", #"{"sim":"w"}"#)
        try terminal.wait(line: "the field is gone")
        try terminal.type("\u{1b}")
        try terminal.wait(line: "no field yet")
        try terminal.type("?")
        let help = try terminal.wait(line: "seam top: keys")
        for key in ["only stale, missing and leftover", "pause", "search", "sort", "Esc", "Ctrl-L", "quit"] {
            #expect(help.line(containing: key) != nil, "\(key)")
        }
        try terminal.type("x")
        try terminal.wait(line: "no field yet")
        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
    }

    @Test("diagnostics of the field are among its details, and long ones can be scrolled in a small window")
    func diagnostics() throws {
        let daemon = try lesson()
        let terminal = try top(daemon, "demo", columns: 60, rows: 12)
        try terminal.wait(line: "≠ stale")
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"rules.park","id":"other"}"#)
        try terminal.type("j\r")
        try terminal.wait(line: "demo/HostingController.openCount")
        try terminal.type("G")
        let end = try terminal.wait(line: "no change since this began to look")
        #expect(end.line(containing: "demo/HostingController.openCount") == nil, "\(end.text)")
        try terminal.type("g")
        try terminal.wait(line: "demo/HostingController.openCount")
        try terminal.type("\u{1b}")
        // The other simulation is not watched.
        let table = try terminal.wait(line: "3 fields")
        #expect(table.line(containing: "other") == nil)
    }

    // MARK: Hostile text

    @Test(
        "nothing in names or values drives the terminal; wide and combining characters keep the columns straight"
    )
    func hostile() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"app"}"#)
        let values = [
            ("esc", #"\u001b[2J\u001b]0;title\u0007"#), ("ctrl", #"a\u0000\u0008\u007f\u009b31mb\r\n\tc"#),
            ("bidi", #"\u202eevil\u2066\u200f"#), ("rtl", "שלום"), ("wide", "日本語テスト"),
            ("comb", #"e\u0301a\u0308\u20dd"#),
            ("zalgo", "z" + String(repeating: #"\u0301"#, count: 9)), ("lead", #"\u0301x"#),
            ("join", #"\ud83d\udc69\u200d\ud83d\udc67"#), ("emoji", "🙂"), ("nbsp", #"a\u00a0b"#),
            ("empty", ""),
            ("long", String(repeating: "日", count: 3000)),
        ]
        for (name, value) in values {
            try client.call("screen.set", #"{"sim":"app","screen":"画面","values":{"\#(name)":"\#(value)"}}"#)
        }
        let terminal = try top(daemon, "app")
        try terminal.wait(line: " zalgo ")
        let screen = try terminal.wait(line: "13 fields")
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
        for (name, shown) in [
            ("esc", #"\u{1b}[2J\u{1b}]0;title\u{7}"#), ("ctrl", #"a\u{0}\u{8}\u{7f}\u{9b}31mb\u{d}\n\tc"#),
            ("bidi", #"\u{202e}evil\u{2066}\u{200f}"#), ("rtl", "שלום"), ("wide", "日本語テスト"),
            ("comb", "e\u{301}a\u{308}\u{20dd}"),
            ("zalgo", "z\u{301}\u{301}\u{301}\u{301}" + #"\u{301}\u{301}"#),
            ("lead", #"\u{301}x"#), ("join", #"👩\u{200d}👧"#), ("emoji", "🙂"), ("nbsp", #"a\u{a0}b"#),
            ("empty", #""""#),
            ("long", "日日日"),
        ] {
            let line = try #require(screen.line(containing: " \(name) "), "\(screen.text)")
            #expect(
                line.unicodeScalars.map(\.value).split(separator: 0x20).contains { part in
                    part.starts(with: shown.unicodeScalars.map(\.value).prefix(12))
                }, "\(name): \(line)")
            // The age stands at the edge whatever is before it.
            #expect(line.hasSuffix("s"), "\(line)")
        }
        // All details of it, in pieces as wide as the screen.
        try terminal.type("/long\r\r")
        let details = try terminal.wait(line: "app/画面.long")
        #expect(
            details.unknown.isEmpty && details.line(containing: "shown", "日日日日") != nil, "\(details.text)")
    }

    // MARK: The window

    @Test("it follows the window: narrow, wide, too small, and back", .timeLimit(.minutes(2)))
    func resize() throws {
        let daemon = try lesson()
        let terminal = try top(daemon)
        try terminal.wait(line: "SIMULATION", "AGE")
        terminal.resize(columns: 40, rows: 10)
        let narrow = try terminal.wait(for: "a narrow table") {
            $0.line(containing: "FIELD", "VERDICT", "MODEL", "SHOWN") != nil
                && $0.line(containing: "AGE") == nil
                && $0.line(containing: "openCount", "≠ stale", "7", "3") != nil
        }
        #expect(narrow.line(containing: "✓2", "≠1", "○0", "+0", "–0") != nil, "\(narrow.text)")
        #expect(narrow.lines.allSatisfy { $0.count <= 40 })
        terminal.resize(columns: 12, rows: 3)
        try terminal.wait(line: "12x3")
        terminal.resize(columns: 300, rows: 90)
        let wide = try terminal.wait(for: "a wide table") {
            $0.line(containing: "SIMULATION", "AGE") != nil
                && $0.line(containing: "HostingController", "openCount") != nil
        }
        #expect(wide.lines[89].contains("help"), "\(wide.text)")
        #expect(wide.lines[3].hasSuffix("AGE"), "\(wide.text)")
        terminal.resize(columns: 80, rows: 24)
        try terminal.wait(for: "the keys in the last line") {
            $0.lines[23].contains("help") && $0.line(containing: "openCount") != nil
        }
        #expect(terminal.screen.unknown.isEmpty)
    }

    @Test(
        "other terminals: the Linux console, screen, vt220", arguments: ["linux", "screen", "vt220", "xterm"])
    func terminals(type: String) throws {
        let daemon = try lesson()
        let terminal = try top(daemon, environment: ["TERM": type, "NO_COLOR": nil])
        try terminal.wait(line: "openCount", "≠ stale", "7", "3")
        try terminal.type("\u{1b}[B")
        try terminal.wait(line: "> demo", "openCount")
        try terminal.type("\u{1b}OB")
        try terminal.wait(line: "> demo", "title")
        try terminal.type("\u{1b}[H")
        try terminal.wait(line: "> demo", "filter")
        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
        #expect(terminal.isLineByLine && terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
    }

    @Test(
        "the terminal is given back by every way out",
        arguments: [(SIGTERM, false), (SIGINT, true), (SIGHUP, false)])
    func signals(signal: Int32, isQuit: Bool) throws {
        let daemon = try lesson()
        let terminal = try top(daemon)
        try terminal.wait(line: "openCount")
        terminal.send(signal: signal)
        #expect(try terminal.waitForEnd() == (isQuit ? .exit(0) : .signal(signal)))
        expectRestored(terminal)
    }

    @Test("also when it dies of something else", arguments: [SIGQUIT, SIGABRT, SIGSEGV])
    func death(signal: Int32) throws {
        let daemon = try lesson()
        for type in ["xterm-256color", "vt100"] {
            let terminal = try top(daemon, environment: ["TERM": type])
            try terminal.wait(line: "openCount")
            terminal.send(signal: signal)
            #expect(try terminal.waitForEnd() == .signal(signal))
            expectRestored(terminal)
        }
    }

    @Test("Ctrl-C quits, Ctrl-Z stops it with the terminal as it was, fg brings the table back")
    func jobs() throws {
        let daemon = try lesson()
        let shell = try TerminalProcess(
            "bash", ["--norc", "--noprofile", "-i"],
            environment: [
                "PS1": "ready> ", "SEAM_SOCKET": daemon.socket, "PROMPT_COMMAND": nil,
                "PATH":
                    "\(Products.folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
            ])
        try shell.wait(line: "ready>")
        try shell.type("seam top demo\n")
        try shell.wait(for: "the table") {
            $0.isAlternate && $0.line(containing: "openCount", "≠ stale") != nil
        }
        try shell.type("\u{1a}")
        let stopped = try shell.wait(for: "the prompt") {
            !$0.isAlternate && $0.line(containing: "Stopped", "seam top demo") != nil
        }
        #expect(stopped.showsCursor && stopped.reordersText)
        let client = try daemon.connect()
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":99}}"#)
        shell.resize(columns: 90, rows: 20)
        try shell.type("fg\n")
        let again = try shell.wait(for: "the table, with what came meanwhile") {
            $0.isAlternate && $0.line(containing: "openCount", "≠ stale", "99") != nil
                && $0.lines[19].contains("help")
        }
        #expect(!again.showsCursor)
        try shell.type("\u{3}")
        let ended = try shell.wait(for: "the prompt") {
            !$0.isAlternate && $0.lines.last { !$0.isEmpty } == "ready>"
        }
        #expect(ended.showsCursor)
        try shell.type("echo code=$?\n")
        try shell.wait(line: "code=0")
    }

    // MARK: The daemon goes

    @Test("kill -9 of the daemon: it says so, waits, and shows the new one's state when that comes")
    func restart() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/s"
        let first = try SeamProcess(["--socket", socket])
        let client = try TestClient(path: socket, of: first)
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        let terminal = try TerminalProcess("seam", ["top", "--socket", socket])
        try terminal.wait(line: "openCount", "✓ matching")
        first.process.send(signal: SIGKILL)
        try first.process.waitForEnd()
        let away = try terminal.wait(line: "seam top", "the daemon is gone; waiting")
        // What was known last is still there to be looked at.
        #expect(away.line(containing: "openCount", "✓ matching") != nil)
        try terminal.type("/title\r")
        try terminal.wait(line: "2 hidden by filter")
        try terminal.type("\r")
        try terminal.wait(line: "the daemon is away")
        try terminal.type("\u{1b}\u{1b}")

        let second = try SeamProcess(["--socket", socket])
        let other = try TestClient(path: socket, of: second)
        try terminal.wait(line: "live", "0 fields")
        try terminal.wait(line: "the daemon was restarted: this is its new state")
        try other.call("sim.create", #"{"scenario":"lessons.wrapping-empty","id":"w"}"#)
        let back = try terminal.wait(line: "w", "rowCount", "✓ matching")
        #expect(back.line(containing: "openCount") == nil)
        try second.stop()
        try terminal.wait(line: "waiting")
        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
        expectRestored(terminal)
    }

    @Test("a connection that breaks while the daemon lives on is resumed, and no change is missed")
    func resume() throws {
        let daemon = try lesson()
        let folder = try TemporaryFolder()
        func relay() throws -> ChildProcess {
            let relay = try ChildProcess(
                "socat",
                ["-d", "-d", "UNIX-LISTEN:\(folder.path)/s,unlink-early", "UNIX-CONNECT:\(daemon.socket)"])
            try relay.errorLine(containing: "listening on")
            return relay
        }
        let first = try relay()
        let terminal = try TerminalProcess("seam", ["top", "demo", "--socket", "\(folder.path)/s"])
        try terminal.wait(line: "openCount", "≠ stale", "7")
        first.send(signal: SIGKILL)
        try terminal.wait(line: "the daemon is gone; waiting")
        let client = try daemon.connect()
        for value in 8...10 {
            try client.call("model.set", #"{"sim":"demo","values":{"openCount":\#(value)}}"#)
        }
        let second = try relay()
        try terminal.wait(line: "resumed, nothing was missed")
        let screen = try terminal.wait(line: "openCount", "≠ stale", "10")
        #expect(screen.line(containing: "seam top", "live", "demo", "3 fields") != nil)
        // Each of the three is in the history.
        try terminal.type("j\r")
        let details = try terminal.wait(line: "History")
        for value in 8...10 {
            #expect(details.line(containing: "ago", "model=\(value) shown=3") != nil, "\(details.text)")
        }
        try terminal.type("q")
        #expect(try terminal.waitForEnd() == .exit(0))
        _ = second
    }

    @Test("one simulation that goes is waited for, and is there again when somebody makes it")
    func destroyed() throws {
        let daemon = try lesson()
        let terminal = try top(daemon, "demo")
        try terminal.wait(line: "openCount", "≠ stale")
        let client = try daemon.connect()
        try client.call("sim.destroy", #"{"sim":"demo"}"#)
        try terminal.wait(line: "demo is not there; waiting for it")
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        try terminal.wait(line: "openCount", "✓ matching")
    }

    // MARK: Where it can't be

    @Test(
        "no terminal, one that can't draw, one that nobody knows: it says so, names seam watch, exit code 2")
    func noTerminal() throws {
        let daemon = try lesson()
        try play(
            on: daemon,
            """
            $ seam top
            ! seam: top needs a terminal that it can draw on, and standard output is none; for lines instead: seam watch
            = 2
            $ seam top demo --only wrong >/dev/null
            ! standard output is none; for lines instead: seam watch demo
            = 2
            $ seam top --json
            ! top draws on a terminal and prints nothing; for lines of JSON there is seam watch --json; usage: seam top [SIM] [options]
            = 2
            $ seam top a b
            ! seam: top has no use for 'b'; usage: seam top [SIM] [options]
            = 2
            """)
        for (type, reason) in [
            ("dumb", "TERM=dumb says that this one can print and no more"),
            ("", "TERM does not say what this one is"),
            ("nosuch-terminal", "this system does not know TERM=nosuch-terminal"),
        ] {
            let terminal = try top(daemon, columns: 200, environment: ["TERM": type])
            #expect(try terminal.waitForEnd() == .exit(2))
            #expect(terminal.screen.line(containing: reason, "seam watch") != nil, "\(terminal.screen.text)")
            #expect(terminal.isLineByLine)
        }
        let input = try TerminalProcess(
            "sh", ["-c", "exec \(Products.path("seam")) top --socket \(daemon.socket) </dev/null"],
            columns: 200)
        #expect(try input.waitForEnd() == .exit(2))
        #expect(input.screen.line(containing: "standard input is none") != nil, "\(input.screen.text)")
    }

    @Test("no daemon is exit code 3, no such simulation 4, in the words of the other commands")
    func refused() throws {
        let folder = try TemporaryFolder()
        let nobody = try TerminalProcess("seam", ["top", "--socket", "\(folder.path)/s"], columns: 200)
        #expect(try nobody.waitForEnd() == .exit(3))
        #expect(nobody.screen.line(containing: "nothing can be reached at", "start a daemon with") != nil)
        let daemon = try lesson()
        let unknown = try top(daemon, "dmo", columns: 200)
        #expect(try unknown.waitForEnd() == .exit(4))
        #expect(
            unknown.screen.line(containing: "There is no simulation dmo", "demo") != nil,
            "\(unknown.screen.text)")
        #expect(!unknown.screen.isAlternate)
    }
}
