import SeamTestSupport
import SeamWire
import Testing

/// The tools that other tests trust. What speaks to seamd is shown where seamd is tested.
@Suite struct SupportTests {
    @Test("what goes in comes out, and both sides of the output are kept apart")
    func streams() throws {
        let outcome = try run("sh", ["-c", "cat; echo oh >&2; exit 3"], input: "a\nb")
        #expect(outcome.ending == .exit(3))
        #expect(outcome.stdout == "a\nb")
        #expect(outcome.stderr == "oh\n")
    }

    @Test("more than a pipe holds passes through in both directions")
    func large() throws {
        let text = String(repeating: "seam ", count: 200_000)
        let outcome = try run("tee", ["/dev/stderr"], input: text)
        #expect(outcome.ending == .exit(0))
        #expect(outcome.stdout == text)
        #expect(outcome.stderr == text)
    }

    @Test("a program that never reads its input is no trouble")
    func unread() throws {
        #expect(try run("true", input: String(repeating: "a", count: 1_000_000)).ending == .exit(0))
    }

    @Test("an end by a signal is told apart from an exit")
    func signals() throws {
        let outcome = try run("sh", ["-c", "kill -SEGV $$"])
        #expect(outcome.ending == .signal(11))
        #expect(outcome.code == 139)
    }

    @Test("a program that is not there is an error at once")
    func missing() {
        #expect { try run("no-such-program") } throws: { "\($0)".contains("cannot start no-such-program") }
    }

    @Test("a program that does not end in time is killed, and what it said is told")
    func patience() throws {
        let child = try ChildProcess("sh", ["-c", "echo before; exec sleep 1000"])
        #expect(try child.readLine() == "before")
        #expect { try child.waitForEnd(within: .milliseconds(10)) } throws: { "\($0)".contains("before") }
        #expect(try child.waitForEnd() == .signal(9))
    }

    @Test("lines come one by one while the program runs, and nil at the end")
    func lines() throws {
        let child = try ChildProcess(
            "sh", ["-c", "while read a; do echo got $a; echo noted $a >&2; done; printf end"])
        try child.write("1\n")
        #expect(try child.readLine() == "got 1")
        #expect(try child.errorLine(containing: "noted") == "noted 1")
        try child.write("2\n3\n")
        #expect(try child.readLine(containing: "got", "3") == "got 3")
        #expect { try child.readLine(within: .milliseconds(10)) } throws: {
            "\($0)".contains("no further line")
        }
        child.closeInput()
        #expect(try child.readLine() == "end")
        #expect(try child.readLine() == nil)
        #expect(try child.waitForEnd() == .exit(0))
    }

    @Test("a child goes when nobody holds it any more")
    func abandoned() throws {
        var child: ChildProcess? = try ChildProcess("sleep", ["1000"])
        let pid = try #require(child?.pid)
        child = nil
        // Until it is reaped its number is still taken; `tail --pid` waits for that, without a clock in this test.
        #expect(try run("tail", ["--pid=\(pid)", "-f", "/dev/null"]).ending == .exit(0))
    }

    @Test("a child holds no end of another child's pipes")
    func descriptors() throws {
        let reader = try ChildProcess("cat")
        let bystander = try ChildProcess("sleep", ["1000"])
        reader.closeInput()
        #expect(try reader.waitForEnd() == .exit(0))
        bystander.send(signal: 15)
        #expect(try bystander.waitForEnd() == .signal(15))
    }

    @Test("the variables of the developer's own daemon do not come along; given ones do")
    func environment() throws {
        let outcome = try run(
            "sh", ["-c", "echo ${SEAM_SOCKET-none} ${SEAM_PLUGIN_PATH-none} ${HOME-none} $GIVEN"],
            environment: ["GIVEN": "yes", "HOME": nil])
        #expect(outcome.stdout == "none none none yes\n")
    }

    @Test("a temporary folder is private and goes with its last reference")
    func folder() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.write("a", to: "b")
        #expect(try run("sh", ["-c", "stat -c %a '\(path)'; cat '\(path)/b'"]).stdout == "700\na")
        folder = nil
        #expect(try run("ls", ["-d", path]).code == 2)
    }

    @Test("a client reads lines and halves of them, sends, and sees the end")
    func client() throws {
        // socat stands in for a daemon: it sends whatever it is told, and shows what it gets.
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/s"
        let daemon = try ChildProcess("socat", ["-d", "-d", "UNIX-LISTEN:\(path)", "STDIO"])
        try daemon.errorLine(containing: "listening on")
        let client = try TestClient(path: path)

        let verdict = #"{"method":"seam.event","params":{"sub":1,"kind":"verdict"}}"#
        let sync = #"{"method":"seam.event","params":{"sub":1,"kind":"sync"}}"#
        try daemon.write(#"{"id":1,"result":{"a":"é"#)
        #expect { try client.readLine(within: .milliseconds(10)) } throws: { "\($0)".contains("no line") }
        try daemon.write("\"}}\n\(verdict)\n\(verdict)\n\(sync)\n")
        #expect(try client.call("seam.ping")["a"]?.text == "é")
        #expect(try daemon.readLine() == #"{"jsonrpc":"2.0","id":1,"method":"seam.ping","params":{}}"#)
        #expect(try client.nextEvent().line == verdict)
        #expect(try client.events(through: "sync").map(\.kind) == ["verdict", "sync"])

        try daemon.write(
            #"{"id":2,"error":{"code":-32001,"message":"no","data":{"kind":"unknown-sim"}}}"# + "\n")
        #expect(try client.refusal("sim.get", #"{"sim":"b"}"#).kind == "unknown-sim")

        try daemon.write("half")
        daemon.closeInput()
        #expect { try client.readLine() } throws: { "\($0)".contains("half a line: half") }
    }

    @Test("a terminal shows what was drawn, where, and how; what it does not know it says")
    func terminal() throws {
        func screen(_ bytes: String) throws -> TerminalScreen {
            let terminal = try TerminalProcess("printf", [bytes], columns: 10, rows: 4)
            #expect(try terminal.waitForEnd() == .exit(0))
            return terminal.screen
        }
        #expect(try screen(#"one\r\ntwo\b\bW"#).lines == ["one", "tWo", "", ""])
        #expect(try screen(#"0123456789ab"#).lines == ["0123456789", "ab", "", ""])
        #expect(try screen(#"a\r\nb\r\nc\r\nd\r\ne"#).lines == ["b", "c", "d", "e"])
        #expect(try screen(#"日本\033[1;6Hé\033[3;2Hx\033[A\033[2Dy"#).lines == ["日本 é", "y", " x", ""])
        #expect(try screen(#"abcdef\033[1;3H\033[K\033[2;1Hgone\033[2K"#).lines == ["ab", "", "", ""])
        #expect(try screen(#"a\r\nb\r\nc\r\nd\033[2;3r\033[3;1H\nz"#).lines == ["a", "c", "z", "d"])
        #expect(
            try screen(#"abcd\033[1;2H\033[2P\033[@-\033[4;1H=\033[3b"#).lines == ["a-d", "", "", "===="])

        let looks = try screen(#"\033[1;4mm\033[m \033[31mred\033[39m \033[7mre\033[27m"#)
        #expect(looks.marked(in: 0) == "m" && looks.hasUsedColors && looks.look(of: "red")?.color == 1)
        #expect(
            looks.look(of: "re")?.color == 1 && looks.look(of: "m red") == nil
                && looks.look(of: "none") == nil)
        let under = try screen(#"under\033[?1049h\033[?25l\033[8lover"#)
        #expect(
            under.isAlternate && !under.showsCursor && !under.reordersText && under.lines[0].hasSuffix("over")
        )
        #expect(try screen(#"under\033[?1049h\033[2Jover\033[?1049l"#).lines[0] == "under")
        #expect(
            try screen(#"\007\033[5q\033[?9h\033[35;5m\033Zx"#).unknown
                == ["control 7", "sequence 5q", "mode 9", "look 5", "escape 90"])
        // What has no place on a screen as it is: a direction, nothing visible.
        #expect(try screen("\u{202e}\u{200b}x").unknown == ["character 202e", "character 200b"])
    }

    @Test("a terminal is typed at, changes its size, and tells how it is set")
    func keyboard() throws {
        let terminal = try TerminalProcess(
            "sh", ["-c", "stty size; read word; stty size; stty -icanon; cat"], columns: 30, rows: 7)
        try terminal.wait(line: "7 30")
        #expect(terminal.isLineByLine)
        terminal.resize(columns: 40, rows: 9)
        try terminal.type("word\n")
        try terminal.wait(line: "9 40")
        try terminal.type("x")
        try terminal.wait(for: "an x that came without a line's end") { $0.text.contains("xx") }
        #expect(!terminal.isLineByLine)
        try terminal.type("\u{3}")
        #expect(try terminal.waitForEnd() == .signal(2))
        #expect(throws: (any Error).self) { try terminal.wait(for: "nothing", within: .zero) { _ in false } }
    }
}
