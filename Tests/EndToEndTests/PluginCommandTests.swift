import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// PlantedFaults/planted.c, built with one fault.
struct Planted {
    let folder: TemporaryFolder
    let file: String

    init(_ fault: String = "none", _ extra: [String] = []) throws {
        folder = try TemporaryFolder()
        file = "\(folder.path)/libplanted.so"
        try Self.build(fault, extra, into: file)
    }

    static func build(_ fault: String, _ extra: [String] = [], into file: String) throws {
        let source = Checkout.path("Tests/EndToEndTests/PlantedFaults/planted.c")
        try compile(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Wno-unused-function", "-shared", "-fPIC",
                "-fvisibility=hidden",
            ]
                + ["-pthread", "-I\(Checkout.header)", "-DFAULT=\(fault)", source, "-o", file] + extra)
    }
}

/// `seam plugin check`.
@Suite struct PluginCheckTests {
    /// What is planted, the number of the check that has to find it, and words of what it then says.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var check: Int
        var words: String
        var extra: [String] = []
        var isWarning = false
        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "unresolved", check: 1, words: "undefined symbol: nobody_defines_this",
            extra: ["-DUNRESOLVED"]),
        Fault(name: "no_entry", check: 2, words: "it exports no seam_plugin_entry", extra: ["-DNO_ENTRY"]),
        Fault(
            name: "exports_more", check: 2, words: "one_more_name", extra: ["-DEXPORTS_MORE"], isWarning: true
        ),
        Fault(
            name: "needs_library", check: 3, words: "it needs libuv.so.1",
            extra: ["-Wl,--no-as-needed", "-luv"]),
        Fault(
            name: "foreign_runpath", check: 3, words: "its RUNPATH holds /nowhere",
            extra: ["-Dforeign_runpath=none", "-Wl,-rpath,/nowhere"], isWarning: true),
        Fault(name: "slow_constructor", check: 4, words: "at most 100 is allowed"),
        Fault(name: "other_answer", check: 5, words: "answers another description"),
        Fault(name: "any_major", check: 6, words: "ABI major 99 alone"),
        Fault(name: "any_magic", check: 6, words: "whose magic is wrong", isWarning: true),
        Fault(name: "signal_handler", check: 7, words: "SIGSEGV"),
        Fault(name: "prints", check: 7, words: "it printed 6 bytes"),
        Fault(name: "starts_thread", check: 7, words: "threads: 1 started"),
        Fault(name: "sets_locale", check: 7, words: "the locale, from C to C.UTF-8"),
        Fault(name: "sets_umask", check: 7, words: "the umask"),
        Fault(name: "sets_environment", check: 7, words: "the environment variable PLANTED"),
        Fault(name: "any_interface", check: 8, words: "seam.nothing/1"),
        Fault(name: "any_table", check: 8, words: "get_interface of seam_inst_v1 answers a table for \"\""),
        Fault(
            name: "hooks_size", check: 8,
            words: "planted.first: size of its seam_hooks_v1 is 8, expected 16 (sizeof)"),
        Fault(name: "hooks_missing", check: 8, words: "hook of seam_hooks_v1 is missing (NULL)"),
        Fault(name: "size", check: 9, words: "size of bridge 0 is 8"),
        Fault(name: "flags", check: 9, words: "flags of the scenario are 0x40"),
        Fault(name: "bad_utf8", check: 10, words: "is not UTF-8"),
        Fault(name: "same_ids", check: 10, words: "scenario ids are not unique"),
        Fault(name: "blank_id", check: 10, words: "holds a blank"),
        Fault(name: "initial", check: 11, words: "expected an integer of at most 10"),
        Fault(name: "bad_bound", check: 11, words: "the bound \"nothing\", which is no number"),
        Fault(name: "bridge_screen", check: 12, words: "the screen of bridge host is index 5"),
        Fault(name: "no_draw", check: 12, words: "draw of bridge host is missing (NULL)"),
        Fault(name: "step_activity", check: 12, words: "step 1 of the script changes \"window=maybe\""),
        Fault(name: "step_interim", check: 12, words: "stands after no step whose event it could look into"),
        Fault(name: "edits_itself", check: 13, words: "has changed during a run"),
        Fault(name: "leaks", check: 14, words: "112 each"),
        Fault(name: "leaks_files", check: 14, words: "1000 descriptors open"),
        Fault(name: "global", check: 15, words: "beside another instance"),
        Fault(
            name: "null_parameter", check: 16,
            words: "inside create of planted.first; it was at: planted.first: create with kind=no value"),
        Fault(name: "silent_create", check: 16, words: "did not say why"),
        Fault(name: "null_argument", check: 17, words: "send rename name=no value right after start"),
        Fault(
            name: "hangs", check: 17,
            words:
                "did not come to an end within 2000 ms and was killed; it was at: planted.first: send rename name=\"\""
        ),
        Fault(name: "exits", check: 17, words: "it ended the process (exit), inside event of planted.first"),
        Fault(name: "after_unmount", check: 17, words: "random sequence"),
        Fault(
            name: "hook_fails", check: 17,
            words: "hook of bridge host returned SEAM_E_PLUGIN (-7) and did not say why", isWarning: true),
        Fault(name: "misbehaves", check: 17, words: "there is no registration 12345 to disown"),
        Fault(name: "crashes_on_failure", check: 18, words: "service call 2 answers SEAM_E_LIMIT"),
        Fault(name: "ignores_failure", check: 18, words: "own in start", isWarning: true),
        Fault(name: "any_event", check: 19, words: "answers SEAM_OK for index 1"),
        Fault(name: "unknown_event", check: 19, words: "event 1, which it does not declare"),
        Fault(name: "off_thread", check: 20, words: "it called model_set from another thread"),
        Fault(name: "late", check: 20, words: "it called log after destroy"),
        Fault(name: "thread_left", check: 20, words: "1 threads run on after destroy", isWarning: true),
        Fault(name: "undeclared", check: 21, words: "screen_set of \"colour\""),
        Fault(name: "wall_clock", check: 22, words: "in a second run"),
        Fault(name: "own_random", check: 22, words: "in a second run"),
        Fault(name: "by_address", check: 22, words: "in another process"),
    ]

    private func check(_ arguments: String...) throws -> (outcome: Outcome, results: [JSON]) {
        let outcome = try run("seam", ["plugin", "check", "--json"] + arguments, within: .seconds(1500))
        let lines = try outcome.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        return (outcome, lines.filter { $0["result"] != nil })
    }

    private func texts(_ result: JSON, _ member: String) -> [String] {
        result[member]?.elements?.compactMap(\.text) ?? []
    }

    @Test("each planted fault is found by its check", arguments: faults)
    func planted(_ fault: Fault) throws {
        let planted = try Planted(fault.name, fault.extra)
        // Whoever hangs does so however long one waits; a busy machine needs its time for the others.
        let limit = fault.name == "hangs" ? "2000" : "60000"
        let (outcome, results) = try check(planted.file, "--only", "\(fault.check)", "--timeout", limit)
        let result = try #require(results.first, "\(outcome)")
        #expect(results.count == 1 && outcome.stderr.isEmpty, "\(outcome)")
        #expect(result["result"]?.text == (fault.isWarning ? "warning" : "failed"), "\(result.encoded)")
        #expect(outcome.code == (fault.isWarning ? 0 : 1))
        let said = texts(result, fault.isWarning ? "warnings" : "errors")
        #expect(said.contains { $0.contains(fault.words) }, "\(said)")
    }

    @Test("without a fault every check is ok, and so it is in one process")
    func clean() throws {
        let planted = try Planted()
        for arguments in [[], ["--in-process"]] {
            let outcome = try run(
                "seam", ["plugin", "check", planted.file] + arguments, within: .seconds(180))
            #expect(outcome.code == 0, "\(outcome)")
            let lines = outcome.stdout.split(separator: "\n")
            #expect(lines.count == 23 && lines.last == "\(planted.file): 22 ok", "\(outcome)")
        }
    }

    @Test(
        "our own plug-ins pass",
        arguments: ["Lessons", "Counter", "Coordinator", "Pasted", "Migration", "Rules"])
    func ours(_ name: String) throws {
        let (outcome, results) = try check(Products.path("lib\(name).so"))
        #expect(outcome.code == 0 && results.count == 22, "\(outcome)")
        for result in results { expectOK(result, of: name) }
    }

    // Sixty scenarios, of which some checks play each a thousand times; and a build for debugging takes its time to
    // describe them.
    @Test("the field cases pass; all of the checks in the long run")
    func fieldCases() throws {
        let isLong = ProcessInfo.processInfo.environment["SEAM_LONG"] == "1"
        let slow = isLong ? [4] : [4, 14, 15, 16, 17, 18, 20]
        let numbers = (1...22).filter { !slow.contains($0) }.map(String.init).joined(separator: ",")
        let (outcome, results) = try check(
            Products.path("libFieldCases.so"), "--only", numbers, "--timeout", "1200000")
        #expect(outcome.code == 0 && results.count == 22 - slow.count, "\(outcome)")
        for result in results { expectOK(result, of: "FieldCases") }
    }

    private func expectOK(_ result: JSON, of name: String) {
        switch result["check"]?.integer {
        // SwiftPM writes where the toolchain lies.
        case 3: break
        // Of a task that sleeps the runtime keeps its threads for a while.
        case 20 where name == "Pasted":
            let warnings = texts(result, "warnings")
            #expect(texts(result, "errors").isEmpty, "\(result.encoded)")
            #expect(
                warnings.allSatisfy { $0.hasPrefix("pasted.late: ") && $0.contains(" threads run on ") },
                "\(result.encoded)")
        default: #expect(result["result"]?.text == "ok", "\(result.encoded)")
        }
    }

    @Test("in one process a crash ends it, and the rest is skipped and said so")
    func inProcess() throws {
        let planted = try Planted("null_parameter")
        let (outcome, results) = try check(planted.file, "--in-process", "--only", "1,13,16,20,22")
        #expect(outcome.code == 1)
        #expect(
            results.map { "\($0["check"]?.integer ?? 0) \($0["result"]?.text ?? "")" }
                == ["1 ok", "13 ok", "16 failed", "20 skipped", "22 skipped"], "\(outcome)")
    }

    @Test("what the host refuses for one reason is skipped where that is not the matter")
    func notReached() throws {
        let planted = try Planted("bad_utf8")
        let (_, results) = try check(planted.file, "--only", "9,10,11,17")
        #expect(results.map { $0["result"]?.text } == ["skipped", "failed", "skipped", "skipped"])
        #expect(results[3]["reason"]?.text?.contains("is not UTF-8") == true)
    }

    @Test("no file, no library, a file that others can write")
    func files() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("hello\n", to: "libtext.so")
        let planted = try Planted()
        let (outcome, results) = try check(text, "--only", "1,2,14")
        #expect(outcome.code == 1)
        #expect(texts(results[0], "errors") == ["it can't be opened: file too short"], "\(outcome)")
        #expect(results.dropFirst().allSatisfy { $0["result"]?.text == "skipped" })
        // What is not there is a wrong word, and one line says so.
        for action in ["check", "describe"] {
            try play(
                """
                $ cd \(folder.path) && seam plugin \(action) none.so
                ! seam: there is no plug-in none.so: No such file or directory; usage: seam plugin
                = 2
                $ seam plugin \(action) \(folder.path)
                ! seam: \(folder.path) is no file, so it is no plug-in; usage: seam plugin
                = 2
                """)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: planted.file)
        let (_, open) = try check(planted.file, "--only", "1")
        #expect(texts(open[0], "errors").first?.contains("can be written by others") == true)
    }

    @Test("the name comes before the check, and Ctrl-C ends it and what it started")
    func interrupted() throws {
        let planted = try Planted("hangs")
        let seam = try ChildProcess("seam", ["plugin", "check", planted.file, "--json", "--only", "17"])
        let line = try #require(try seam.readLine())
        #expect(line.hasPrefix(#"{"check":17,"name":"every event"#))
        seam.send(signal: SIGINT)
        #expect(try seam.waitForEnd() == .signal(SIGINT))
    }

    @Test("usage")
    func usage() throws {
        try play(
            """
            $ seam plugin
            ! seam: plugin needs ACTION; usage: seam plugin ACTION NAME|FILE [options]
            = 2
            $ seam plugin chekc x
            ! seam: ACTION is one of new, describe, check, not 'chekc'; did you mean 'check'? usage
            = 2
            $ seam plugin check x --only 1,23
            ! seam: --only takes numbers from 1 to 22, with commas between, not '23'; usage
            = 2
            $ seam plugin check x --only 1,
            ! seam: --only takes numbers from 1 to 22, with commas between, not ''; usage
            = 2
            $ seam plugin describe x --only 1
            ! seam: --only is for `seam plugin check`; usage
            = 2
            """)
    }
}

/// `seam plugin new` and `describe`.
@Suite struct PluginNewTests {
    /// Types lines into a shell in a folder, with this build's programs in PATH.
    private func type(_ lines: String, in folder: TemporaryFolder) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            "env", ["-C", folder.path, "sh", "-e", "-c", lines],
            environment: ["PATH": "\(Products.folder):\(path)"], within: .seconds(300))
    }

    private static let verdicts = [
        "renamed | CardScreen.name: model=Anna screen=Anna -> matching",
        "renamed | CardScreen.name: model=Anna screen=Ann -> stale",
    ]

    @Test("the C one builds with make, runs, and passes its test")
    func c() throws {
        let folder = try TemporaryFolder()
        let made = try type("seam plugin new my-plugin --language c", in: folder)
        #expect(
            made.stdout == """
                my-plugin: a plug-in with a fault, my-plugin.forgotten, and its repair, my-plugin.carried. Now:
                    cd my-plugin
                    make
                    seam run --plugin libMyPlugin.so 'my-plugin.*'
                    make test

                """, "\(made)")
        let outcome = try type(
            "cd my-plugin; make test CFLAGS='-Wall -Wextra -Wpedantic -Werror'", in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.contains(" | ") } == Self.verdicts)
        #expect(lines.last?.hasPrefix("/") == true && lines.last?.hasSuffix("/libMyPlugin.so: 22 ok") == true)
    }

    @Test(
        "the Swift one builds with swift build from nothing, runs, and passes its test",
        .enabled("there is no swift in PATH to build a package with") {
            (try? run("swift", ["--version"]))?.code == 0
        })
    func swift() throws {
        let folder = try TemporaryFolder()
        let outcome = try type(
            """
            seam plugin new Demo >/dev/null; cd Demo
            swift build >build.log 2>&1 || cat build.log
            seam run --plugin .build/debug/libDemo.so 'demo.*'
            ./test.sh --report junit=report.xml | tail -n 1
            """, in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.contains(" | ") } == Self.verdicts, "\(outcome)")
        // SwiftPM writes where the toolchain lies.
        #expect(lines.last?.hasSuffix("libDemo.so: 21 ok, 1 warning") == true, "\(outcome)")
        let report = try String(contentsOfFile: "\(folder.path)/Demo/report.xml", encoding: .utf8)
        #expect(report.contains(#"<testsuites name="seam" tests="2" failures="0" errors="0""#))
    }

    @Test("names: what is there is left alone, what can't be one is refused")
    func names() throws {
        let folder = try TemporaryFolder()
        let there = try type("mkdir demo; touch demo/mine; seam plugin new demo", in: folder)
        #expect(
            there.code == 1 && there.stderr == "seam: demo: it exists already; nothing was changed\n",
            "\(there)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/demo") == ["mine"])
        for bad in ["'a;b'", "'../a\"b'", "9lives", "-", "''", "ü", "SeamKit", "seam", "$(printf 'a\\nb')"] {
            let outcome = try type("seam plugin new -- \(bad)", in: folder)
            #expect(outcome.code == 2, "\(bad): \(outcome)")
        }
        let nowhere = try type("seam plugin new none/there", in: folder)
        #expect(nowhere.code == 1 && nowhere.stderr.contains("No such file or directory"))
        let json = try type("mkdir sub; seam plugin new sub/a_b --language c --json", in: folder)
        let made = try JSON(parsing: json.stdout)
        #expect(
            made["scenarios"]?[0]?.text == "a-b.forgotten" && made["files"]?[1]?.text == "a-b.c", "\(json)")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/sub/a_b/include/seam_plugin.h"))
    }

    @Test("describe prints all that a plug-in says, and nothing of the others")
    func describe() throws {
        let planted = try Planted()
        let text = try run("seam", ["plugin", "describe", planted.file])
        #expect(text.code == 0 && text.stderr.isEmpty, "\(text)")
        #expect(
            text.stdout.hasPrefix("Planted 1 (planted)\n  file  \(planted.file)\n\nplanted.first: First\n"))
        #expect(text.stdout.contains("\nplanted.second: First\n") && !text.stdout.contains("lessons."))
        let json = try JSON(parsing: run("seam", ["plugin", "describe", planted.file, "--json"]).stdout)
        #expect(json["id"]?.text == "planted" && json["scenarios"]?.elements?.count == 2)
        #expect(json["scenarios"]?[1]?["params"]?[0]?["id"]?.text == "kind")
        let bad = try Planted("no_draw")
        let refused = try run("seam", ["plugin", "describe", bad.file])
        #expect(
            refused.code == 4 && refused.stderr.contains("draw of bridge host is missing (NULL)"),
            "\(refused)")
    }
}

/// New builds: `seam watch --reload`, and SIGHUP.
@Suite struct ReloadTests {
    private func words(_ line: String?) -> String { line ?? "the end" }

    @Test("save, build, and see the verdicts change; a build that crashes costs its daemon and nothing else")
    func watch() throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/libplanted.so"
        let watch = try ChildProcess(
            "seam", ["watch", "--plugin-dir", folder.path, "--reload", "planted.first"])
        try watch.errorLine(containing: "waiting for the first build")

        try Planted.build("none", into: file)
        let line = "planted.first: renamed | Card.name: model=1 screen="
        #expect(words(try watch.readLine()) == "\(line)1 -> matching")
        try watch.errorLine(containing: "build 1: libplanted.so")
        try Planted.build("forgets", into: file)
        #expect(words(try watch.readLine()) == "\(line)Ann -> stale  (was matching)")
        try watch.errorLine(containing: "build 2: libplanted.so, loaded beside the one before")
        try watch.errorLine(containing: "renamed: Card.name should be matching, it is stale")
        try Planted.build("crashes", into: file)
        try watch.errorLine(containing: "the daemon ended with this build")
        try Planted.build("none", into: file)
        #expect(words(try watch.readLine()) == "\(line)1 -> matching  (was stale)")
        // One that does not load leaves the one before in service.
        try Planted.build("no_draw", into: file)
        let refusal = try watch.errorLine(containing: "seam: \(file): ")
        #expect(refusal.contains("draw of bridge host is missing (NULL)"), "\(refusal)")

        watch.send(signal: SIGINT)
        #expect(try watch.waitForEnd() == .exit(0))
    }

    @Test("what --reload needs, and what it can't be used with")
    func usage() throws {
        let folder = try TemporaryFolder()
        try play(
            """
            $ seam watch --reload x
            ! seam: --reload needs --plugin-dir: the folder that the build writes into; usage
            = 2
            $ seam watch --reload --plugin-dir \(folder.path)
            ! seam: --reload needs scenarios, such as 'mine.*'; usage
            = 2
            $ seam watch --reload --plugin-dir \(folder.path)/none x
            ! seam: --plugin-dir \(folder.path)/none is no folder; usage
            = 2
            $ seam watch --reload --plugin-dir \(folder.path) x --strict
            ! seam: --strict is for a simulation's stream, not for --reload; usage
            = 2
            $ seam watch --plugin-dir \(folder.path) x
            ! seam: --plugin-dir is for --reload; usage
            = 2
            $ seam watch a b
            ! seam: watch has no use for 'b': one simulation, or all; several words are scenarios for --reload; usage: seam watch [SIM] [options], or seam watch --reload --plugin-dir DIR SCENARIO…; try
            = 2
            $ seam watch --help | head -n 2
            usage: seam watch [SIM] [options]
               or: seam watch --reload --plugin-dir DIR SCENARIO…
            """)
    }

    @Test("SIGHUP: a new build beside the old one takes over, and what runs keeps its own")
    func hangUp() throws {
        let planted = try Planted("forgets")
        let daemon = try SeamProcess(["--plugin-dir", planted.folder.path, "--log-level", "info"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"planted.first","id":"old"}"#)
        try Planted.build("none", into: "\(planted.folder.path)/libplanted-2.so")
        daemon.process.send(signal: SIGHUP)
        try daemon.process.errorLine(containing: "looked through the plug-in folders")

        try client.call("sim.create", #"{"scenario":"planted.first","id":"new"}"#)
        for sim in ["old", "new"] {
            try client.call("sim.send", #"{"sim":"\#(sim)","event":"rename"}"#)
        }
        func verdict(_ sim: String) throws -> String? {
            try client.call("sim.get", #"{"sim":"\#(sim)"}"#)["fields"]?[0]?["verdict"]?.text
        }
        #expect(try verdict("old") == "stale")
        #expect(try verdict("new") == "matching")
        #expect(try client.call("scenario.list")["failed"]?.elements?.isEmpty == true)
        let file = try client.call("scenario.describe", #"{"scenario":"planted.first"}"#)["plugin"]?["file"]?
            .text
        #expect(file?.hasSuffix("/libplanted-2.so") == true)
    }
}
