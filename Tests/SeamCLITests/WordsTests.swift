import SeamClient
import SeamWire
import Testing

@testable import seam

@Suite struct WordsTests {
    @Test(
        "what a terminal would act on comes as an escape",
        arguments: [
            ("plain", "plain"), ("", ""), ("é 日本 👩‍👩‍👧", "é 日本 👩‍👩‍👧"), ("a\nb\tc\r", #"a\nb\tc\u{d}"#),
            ("\u{0}\u{1b}[2J\u{7f}\u{9b}", #"\u{0}\u{1b}[2J\u{7f}\u{9b}"#),
            ("\u{85}\u{2028}\u{2029}", #"\u{85}\u{2028}\u{2029}"#),
            ("\u{202e}\u{2066}\u{200e}\u{61c}", #"\u{202e}\u{2066}\u{200e}\u{61c}"#),
            ("e\u{301}", "e\u{301}"), (#"\n"#, #"\n"#),
        ])
    func printableText(text: String, printed: String) {
        #expect(printable(text).unicodeScalars.elementsEqual(printed.unicodeScalars))
        // A text that was made printable is not changed again.
        #expect(printable(printable(text)) == printable(text))
    }

    @Test(
        "a near miss is answered with what was meant, a far one with nothing",
        arguments: [
            ("wacth", "watch"), ("lits", "list"), ("sceanrios", "scenarios"), ("chek", "check"),
            ("desc", "describe"),
            ("x", nil), ("", nil), ("frobnicate", nil), ("s", nil),
        ] as [(String, String?)])
    func suggestion(word: String, meant: String?) {
        let answer = didYouMean(word, among: Commands.shown.map(\.name))
        #expect(answer == (meant.map { "; did you mean '\($0)'?" } ?? ""))
    }

    @Test("files of one folder with the same fault are told of together")
    func alikeFailures() {
        let told = alike([
            ("/a/1.so", "cut off"), ("/a/2.so", "cut off"), ("/b/1.so", "cut off"), ("/a/3.so", "no entry"),
            ("/a/4.so", "cut off"),
        ])
        #expect(
            told.map { "\($0.files): \($0.reason)" } == [
                "/a/1.so and 2 more in /a: cut off", "/b/1.so: cut off", "/a/3.so: no entry",
            ])
        #expect(alike([]).isEmpty)
    }

    @Test(
        "of what a process says at its end the message is told, and not where it was",
        arguments: [
            (
                """
                Badge/Badge.swift:7: Fatal error: boom
                Current stack trace:
                0    libswiftCore.so                    0x00007f4142a4524a <unavailable> + 160330
                40                                      0x0000561981f879d1 <unavailable> + 174545
                """, "Badge/Badge.swift:7: Fatal error: boom"
            ),
            (
                """
                Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range

                *** Signal 4: Backtracing from 0x7fd14e8f9361... done ***

                rip 0x00007fd14e8f9361  0f 0b 48 83 ec 08 48
                Backtrace took 0.18s
                """, "Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range"
            ),
            (
                "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no table\n",
                "terminate called after throwing an instance of 'std::runtime_error' what():  no table"
            ),
            (
                "thread '<unnamed>' panicked at src/lib.rs:3:5:\nno row 4\nnote: run with `RUST_BACKTRACE=1`",
                "thread '<unnamed>' panicked at src/lib.rs:3:5: no row 4"
            ),
            (
                "mine: mine.c:40: event: Assertion `row < 3' failed.",
                "mine: mine.c:40: event: Assertion `row < 3' failed."
            ),
            (
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x5\n    #0 0x4 in event mine.c:4\n",
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x5"
            ),
            (
                "the database is not there\n    #0 0x4 in event\n 3  libX.so 0x5 <a>",
                "the database is not there"
            ),
            ("#0 0x4 in event", nil), ("", nil),
        ] as [(String, String?)])
    func endings(_ text: String, _ message: String?) {
        #expect(lastWords(text.split(separator: "\n").map(String.init)) == message)
    }

    @Test(
        "only names that are near are offered: few edits away, or sharing a beginning or a part",
        arguments: [
            ("nope", []), ("nope*", []), ("lesson.*", ["lessons.hosting", "lessons.own-state"]),
            ("live", ["live"]), ("lvie", ["live"]),
            ("lessons.own-stat", ["lessons.own-state"]),
            ("own-state", ["lessons.own-state"]), ("observed", ["counter.observed"]), ("", []), ("*", []),
            ("COUNTER.observd", ["counter.observed"]), ("zz", []),
        ] as [(String, [String])])
    func near(word: String, names: [String]) {
        let known = ["counter.observed", "lessons.hosting", "lessons.own-state", "live", "migration.tabs"]
        #expect(nearOnes(word, among: known) == names)
        #expect(nearOnes(word, among: []) == [])
    }

    @Test("five are offered at most, the nearest first")
    func fewNear() {
        let known = (1...9).map { "group.\($0)" }
        #expect(nearOnes("group.7", among: known).count == 5)
        #expect(nearOnes("group.7", among: known).first == "group.7")
    }

    @Test(
        "a word that is shown to be typed again is quoted as a shell needs it",
        arguments: [
            ("plain-1.2/x:y", "plain-1.2/x:y"), ("", "''"), ("*.openCount", "'*.openCount'"),
            ("a b", "'a b'"),
            ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("é", "'é'"), ("~", "'~'"),
        ])
    func quoting(word: String, typed: String) {
        #expect(shellQuoted(word) == typed)
    }

    @Test("what --fail-on names, and what it leaves")
    func failOn() throws {
        let check = try JSON(
            parsing: #"{"fields":[{"verdict":"stale"},{"verdict":"out-of-scope"}],"met":true}"#)
        let unmet = try JSON(parsing: #"{"fields":[],"met":false}"#)
        func isHit(_ words: String?) -> Bool {
            FailOn(words, default: ["missing", "stale"]).isHit(by: check)
        }
        #expect(isHit(nil) && isHit("stale") && isHit("none,stale") && isHit("leftover,stale"))
        #expect(!isHit("none") && !isHit("missing") && !isHit("diagnostic"))
        #expect(FailOn("none", default: []).isHit(by: unmet))
        for (severity, isCounted) in [("info", false), ("warning", true), ("error", true)] {
            let diagnostic = try JSON(parsing: #"{"severity":"\#(severity)"}"#)
            #expect(FailOn("diagnostic", default: []).isHit(byDiagnostic: diagnostic) == isCounted)
            #expect(!FailOn("stale", default: []).isHit(byDiagnostic: diagnostic))
        }
    }

    @Test(
        "a cursor is an epoch of 16 digits and a number",
        arguments: [
            ("0123456789abcdef:7", true), ("0123456789ABCDEF:0", true), ("0123456789abcdef", false),
            ("0123456789abcdef:", false), ("0123456789abcde:7", false), ("0123456789abcdeg:7", false),
            ("0123456789abcdef:-1", false), ("0123456789abcdef:7:8", false),
            ("0123456789abcdef:99999999999999999999", false), ("", false),
        ])
    func cursor(text: String, isOne: Bool) {
        #expect((Cursor(text) != nil) == isOne)
        if isOne { #expect(Cursor(text)?.description == text) }
    }
}

@Suite struct SocketPathTests {
    private func choose(
        _ option: String? = nil, _ environment: [String: String] = [:], userFolder: Bool = true
    ) throws(SocketPath.Failure) -> SocketPath {
        try SocketPath.choose(
            option: option, environment: { environment[$0] }, uid: 7,
            isFolder: { userFolder && $0 == "/run/user/7" })
    }

    @Test("the first rule that applies decides")
    func rules() throws {
        let all = ["SEAM_SOCKET": "env", "XDG_RUNTIME_DIR": "/x"]
        #expect(try choose("given", all) == SocketPath(path: "given", rule: .option))
        #expect(try choose(nil, all) == SocketPath(path: "env", rule: .seamSocket))
        #expect(
            try choose(nil, ["SEAM_SOCKET": "", "XDG_RUNTIME_DIR": "/x"])
                == SocketPath(path: "/x/seam/seam.sock", rule: .runtimeFolder))
        let user = SocketPath(path: "/run/user/7/seam/seam.sock", rule: .userFolder)
        #expect(try choose() == user)
        // By the rules of XDG a relative path counts as none.
        #expect(try choose(nil, ["XDG_RUNTIME_DIR": "x"]) == user)
        #expect(try choose(nil, ["XDG_RUNTIME_DIR": ""]) == user)
        #expect(
            user.rule.isDefault && !SocketPath.Rule.seamSocket.isDefault && !SocketPath.Rule.option.isDefault)
    }

    @Test("where no rule applies each says why")
    func none() {
        let failure = #expect(throws: SocketPath.Failure.self) {
            try choose(nil, ["XDG_RUNTIME_DIR": "x"], userFolder: false)
        }
        #expect(
            failure?.description
                == "no socket path: --socket is not given, $SEAM_SOCKET is not set, $XDG_RUNTIME_DIR is not an absolute "
                + "path (x), /run/user/7 does not exist")
    }

    @Test("a path has 107 bytes at most, whoever gave it; the next rule is not tried")
    func length() throws {
        let longest = String(repeating: "é", count: 53) + "e"
        #expect(try choose(longest).path == longest)
        #expect(
            throws: SocketPath.Failure.tooLong(SocketPath(path: longest + "e", rule: .option), bytes: 108)
        ) {
            try choose(longest + "e")
        }
        let folder = "/" + String(repeating: "d", count: 93)
        #expect(throws: SocketPath.Failure.self) { try choose(nil, ["XDG_RUNTIME_DIR": folder]) }
    }
}
