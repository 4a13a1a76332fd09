import Testing

/// Each check on planted samples: what it must find, and the nearest thing that it must let pass.
@Suite struct CheckTests {
    // MARK: Taking sources apart

    @Test(
        "code, comment and text are told apart",
        arguments: [
            ("let a = 1 // why", "let a = 1 ", " why"),
            (#"print("// no comment") // one"#, #"print("") "#, " one"),
            (##"let a = #"a " b"#; b"##, #"let a = ""; b"#, ""),
            (#"print("\(value!) text!")"#, #"print(""(value!)")"#.replacing("\"\"(", with: "\"("), ""),
            (#"print("\(f("a!")(b))", c)"#, #"print("(f("")(b))", c)"#, ""),
            (#"a("\\") // b"#, #"a("") "#, " b"),
            ("a /* b /* c */ d */ e", "a  e", " b  c  d "),
        ])
    func parts(_ source: String, code: String, comment: String) {
        let lines = SourceLines(source).lines
        #expect(lines.count == 1)
        #expect(lines[0].code == code)
        #expect(lines[0].comment == comment)
    }

    @Test("a text of several lines is text to its end")
    func longText() {
        let lines = SourceLines("let a = \"\"\"\n  say \"b!\" // c\n  \\(d!)\n  \"\"\" // e").lines
        #expect(lines.map(\.code) == ["let a = \"", "", "(d!)", "\" "])
        #expect(lines.map(\.comment) == ["", "", "", " e"])
    }

    @Test("C has no nested comments, but characters")
    func c() {
        let lines = SourceLines("a /* b /* c */ d '\"' e // f", isC: true).lines
        #expect(lines[0].code == "a  d \"\" e ")
        #expect(lines[0].comment == " b /* c  f")
    }

    // MARK: Imports

    @Test(
        "an import is found however it is written",
        arguments: [
            "import SeamServer", "public import SeamServer", "  @testable import SeamServer",
            "@_spi(Tests) @preconcurrency internal import SeamServer", "import struct SeamServer.Loop",
        ])
    func findsImport(_ line: String) {
        let findings = Check.arrows(target: "seam", file: "f.swift", source: "import SeamWire\n\(line)\n")
        #expect(findings.map(\.line) == [2])
    }

    @Test(
        "what only looks like an import is none",
        arguments: ["// import SeamServer", "let a = \"import SeamServer\"", "let important = 1"])
    func noImport(_ line: String) {
        #expect(Check.arrows(target: "seam", file: "f.swift", source: line).isEmpty)
    }

    @Test(
        "the arrows that matter most are closed",
        arguments: [
            ("SeamKernel", "Glibc"), ("SeamKernel", "Foundation"), ("SeamKernel", "SeamWire"),
            ("SeamWire", "SeamKernel"), ("SeamWire", "FoundationEssentials"),
            ("SeamPluginHost", "SeamKit"), ("SeamPluginHost", "SeamWire"), ("SeamPluginHost", "Foundation"),
            ("SeamServer", "Foundation"), ("SeamServer", "SeamClient"), ("seamd", "Foundation"),
            ("SeamClient", "SeamServer"), ("SeamClient", "SeamKernel"), ("seam", "SeamServer"),
            ("seam", "SeamKernel"),
            ("SeamKit", "SeamKernel"), ("SeamKit", "Foundation"), ("Lessons", "SeamServer"),
        ])
    func closed(_ target: String, _ module: String) {
        let findings = Check.arrows(target: target, file: "f.swift", source: "import \(module)")
        #expect(findings.count == 1)
        #expect(findings.first?.description.contains("\(target) imports \(module)") == true)
    }

    @Test("a target that the table does not know is told")
    func unknownTarget() {
        #expect(Check.arrows(target: "SeamNew", file: "f.swift", source: "").count == 1)
    }

    @Test("a test that imports a plug-in is found")
    func testImport() {
        let source = "import SeamWire\nimport Lessons"
        #expect(Check.testImports(file: "f.swift", source: source, plugins: ["Lessons"]).map(\.line) == [2])
    }

    // MARK: Sizes, waiting, words

    @Test(
        "a file over its limit is found, one at it is not",
        arguments: [("a.swift", 1000), ("ARCHITECTURE.md", 150)])
    func size(_ file: String, _ limit: Int) {
        let source = String(repeating: "a\n", count: limit - 1) + "a"
        #expect(Check.size(file: file, source: source).isEmpty)
        #expect(Check.size(file: file, source: source + "\n").count == 1)
    }

    @Test(
        "waiting by the clock is found",
        arguments: [
            ("a.swift", "try await Task.sleep(for: .seconds(1))"), ("a.swift", "usleep(100)"),
            ("a.swift", "Thread.sleep(forTimeInterval: 1)"),
            ("a.c", "nanosleep(&time, NULL);"), ("a.sh", "make && sleep 1"), ("a.py", "    time.sleep(1)"),
        ])
    func waiting(_ file: String, _ line: String) {
        #expect(Check.sleeps(file: file, source: "a\n\(line)").map(\.line) == [2])
    }

    @Test(
        "talking about sleep is allowed, and sleeping when it is the subject",
        arguments: [
            ("a.swift", "// never sleep() here"), ("a.swift", #"print("sleep(1)")"#),
            ("a.swift", "asleep(1)"),
            ("a.swift", "Task.sleep(for: .zero)  // the timer under test, not to wait for something"),
            ("a.sh", "# no sleep 1"),
        ])
    func noWaiting(_ file: String, _ line: String) {
        #expect(Check.sleeps(file: file, source: line).isEmpty)
    }

    @Test("unfinished work is found", arguments: ["TO" + "DO: later", "// FIX" + "ME", "# X" + "XX: see"])
    func unfinished(_ line: String) {
        #expect(Check.unfinished(file: "a", source: "a\n\(line)").map(\.line) == [2])
    }

    @Test(
        "a folder of one machine is found",
        arguments: ["see /ho" + "me/ann/seam", "`/ro" + "ot/x`", "cd /wo" + "rk/main"])
    func machinePath(_ line: String) {
        #expect(Check.machinePaths(file: "a.md", source: "a\n\(line)").map(\.line) == [2])
    }

    @Test(
        "a folder that everyone has is not",
        arguments: ["$XDG_RUNTIME_DIR/seam/seam.sock", "build/wo" + "rk/a", "../lib/seam/plugins", "~/.seam"])
    func anyPath(_ line: String) {
        #expect(Check.machinePaths(file: "a.md", source: line).isEmpty)
    }

    @Test("a make command that does not exist is found")
    func makeTargets() {
        let makefile = "run: build\n\t@a\ntest-long:\n"
        let text = "`make run` and `make test-long`\n    make nothing\nthey make sense; $ make tests"
        #expect(Check.makeTargets(file: "a.md", source: text, makefile: makefile).map(\.line) == [2, 3])
    }

    // MARK: Reasons

    @Test(
        "a switched-off check without a reason is found",
        arguments: [
            "final class A: @unchecked Sendable {", "nonisolated(unsafe) var a = 1",
            "unsafeBitCast(a, to: Int.self)", "let a = unsafe b.c",
            "a = b!", "a![0]", "f()!.g", "try! f()", "a as! Int", "var a: Int!", "x = a[1]!",
            #"print("\(a!)")"#, "(a!, b)",
        ])
    func marker(_ line: String) {
        #expect(Check.unexplained(file: "a.swift", source: "let before = 1\n\(line)").map(\.line) == [2])
        #expect(Check.unexplained(file: "a.swift", source: "// True because …\n\(line)").isEmpty)
        #expect(Check.unexplained(file: "a.swift", source: "\(line)  // true because …").isEmpty)
        #expect(Check.unexplained(file: "a.swift", source: "// MARK: B\n\(line)").count == 1)
        #expect(Check.unexplained(file: "a.swift", source: "// of something else\n\n\(line)").count == 1)
    }

    @Test(
        "what only looks like one is none",
        arguments: [
            "if !a {", "a != b", "a!=b", "f(!a)", "// a!", #"print("a!")"#, "a && !b", "withUnsafeBytes(a)",
            "let unsafeName = 1", "[!a]",
        ])
    func noMarker(_ line: String) {
        #expect(Check.unexplained(file: "a.swift", source: line).isEmpty)
    }

    @Test("a group shares one reason, but not for ever")
    func group() {
        let group = "// Both are set in init.\na = b!\nc = d!\ne = f!\ng = h!\n"
        #expect(Check.unexplained(file: "a.swift", source: group).isEmpty)
        #expect(
            Check.unexplained(file: "a.swift", source: "// B.\nlet a = 1\nlet b = 2\nlet c = 3\nd = e!").count
                == 1)
    }

    @Test("one sentence can stand for all that follow, but only for what it names")
    func each() {
        let source =
            "a = b!\n// The host fills its table: each `!` stands on that.\n\nlet c = 1\n\na = d!\na as! Int"
        #expect(Check.unexplained(file: "a.swift", source: source).map(\.line) == [1, 7])
    }
}
