import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam feed`: any program that can print becomes a live simulation.
@Suite struct FeedTests {
    /// The fields of a simulation as `Screen.field model shown verdict`, none as null.
    private func fields(of simulation: String, _ daemon: SeamProcess) throws -> [String] {
        let state = try daemon.connect().call("sim.get", #"{"sim":"\#(simulation)"}"#)
        return (state["fields"]?.elements ?? []).map { field in
            func value(_ name: String) -> String { field[name]?.encoded ?? "?" }
            return "\(field["screen"]?.text ?? "?").\(field["field"]?.text ?? "?") "
                + "\(value("model")) \(value("shown")) \(field["verdict"]?.text ?? "?")"
        }
    }

    @Test("lines become model values and what screens show; the simulation is made when it is missing")
    func lines() throws {
        let daemon = try SeamProcess()
        try play(
            on: daemon,
            """
            $ printf 'model light on\\nscreen Panel light off\\ndeclare Panel lock\\n' | seam feed door
            $ seam list
            door  live  running  seq=1  EPOCH
            $ printf 'screen Panel light on' | seam feed door
            """)
        #expect(
            try fields(of: "door", daemon) == [
                #"Panel.light "on" "on" matching"#, "Panel.lock null null out-of-scope",
            ])
    }

    @Test("a value is the rest of the line; it may be empty, none, or a JSON string")
    func values() throws {
        let daemon = try SeamProcess()
        let input = """
            # a comment, then a blank line

            model a  two  blanks before and behind\u{20}
            model b\u{20}
            model c x
            model c
            model "d e" "line\\nend \\u00e9 \\" quote\\\\"
            model f = a "quote" inside
            screen S a one
            screen S b two
            screen S b
            screen "S T" "d e" x
            model i é́ — 日本語
            model h cr\r

            """
        let outcome = try daemon.seam("feed", "a", input: input)
        #expect(outcome.code == 0 && outcome.stderr.isEmpty && outcome.stdout.isEmpty, "\(outcome)")
        let client = try daemon.connect()
        let keys = ["a", "b", "c", "d e", "f", "h", "i"].map { #""\#($0)":"-""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"All","values":{\#(keys)}}"#)
        let shown = try fields(of: "a", daemon)
        for line in [
            #"All.a " two  blanks before and behind " "-" stale"#, #"All.b "" "-" stale"#,
            #"All.c null "-" leftover"#, #"All.d e "line\nend é \" quote\\" "-" stale"#,
            #"All.f "= a \"quote\" inside" "-" stale"#, #"All.h "cr" "-" stale"#,
            #"All.i "é́ — 日本語" "-" stale"#, #"S.b "" null missing"#,
            #"S T.d e "line\nend é \" quote\\" "x" stale"#,
        ] {
            #expect(shown.contains(line), "\(line) is not in \(shown)")
        }
    }

    @Test("a bad line is told with its number, the others go on, and the exit code is 1")
    func badLines() throws {
        let daemon = try SeamProcess()
        let input = """
            model good 1
            modle good 2
            screen Panel
            model
            declare Panel a b
            model "open
            model k "closed" more
            screen A.B k v
            model \(String(repeating: "n", count: 129)) x
            model good 3
            model k\tv

            """
        let outcome = try daemon.seam("feed", "a", input: input)
        #expect(outcome.code == 1)
        let said = outcome.stderr.split(separator: "\n").map(String.init)
        // In the order of the lines, whether this program or the daemon has seen what is wrong.
        let parts = [
            "line 2: it begins with 'modle', not with model, screen or declare; did you mean 'model'?",
            "line 3: KEY is missing", "line 4: KEY is missing",
            "line 5: declare takes SCREEN and KEY and no more",
            "line 6: what begins with \" is not a JSON string",
            "line 7: something follows the closing quote", "line 8: ", "line 9: ",
            "line 11: keys[0] holds a control character", "9 of 11 lines were not taken",
        ]
        #expect(
            said.count == parts.count && zip(said, parts).allSatisfy { $0.hasPrefix("seam: \($1)") },
            "\(said)")
        try daemon.seam("show", "a", "S", "good=3")
        #expect(try fields(of: "a", daemon) == [#"S.good "3" "3" matching"#])
    }

    @Test("bytes that are no UTF-8 and a line without end are bad lines like any other")
    func bytes() throws {
        let daemon = try SeamProcess()
        try play(
            on: daemon,
            """
            $ printf 'model a \\377\\nmodel b 1\\n' | seam feed a
            ! seam: line 1: it is not UTF-8
            ! seam: 1 of 2 lines were not taken
            = 1
            $ (printf 'model c 1\\n'; head -c 3000000 /dev/zero | tr '\\0' x; printf '\\nmodel d 1\\n') | seam feed a
            ! seam: line 2: it is longer than 1048576 bytes
            ! seam: 1 of 3 lines were not taken
            = 1
            $ (printf 'model e '; head -c 70000 /dev/zero | tr '\\0' x) | seam feed a
            ! seam: line 1: 
            ! seam: 1 of 1 lines were not taken
            = 1
            $ printf 'modle k v' | timeout 20 seam feed a
            ! seam: line 1: it begins with 'modle'
            ! seam: 1 of 1 lines were not taken
            = 1
            $ seam feed a </dev/null
            $ seam feed a <&-
            ! seam: standard input: Bad file descriptor
            = 1
            """)
        try daemon.connect().call(
            "screen.set", #"{"sim":"a","screen":"S","values":{"a":"1","b":"1","c":"1","d":"1","e":"1"}}"#)
        #expect(
            try fields(of: "a", daemon).map { $0.split(separator: " ").last } == [
                "leftover", "matching", "matching", "matching", "leftover",
            ])
    }

    @Test("what is no live simulation takes no lines: the first answer speaks for all")
    func notLive() throws {
        let daemon = try SeamProcess()
        try play(
            on: daemon,
            """
            $ seam create lessons.own-state --id demo
            demo
            $ printf 'screen Panel light off\\nscreen Panel light on\\n' | seam feed demo
            ! seam: the simulation demo plays lessons.own-state, and feed needs one of the scenario live; choose another id
            = 4
            $ seam feed demo </dev/null
            ! seam: the simulation demo plays lessons.own-state, and feed needs one of the scenario live
            = 4
            $ seam feed a.b </dev/null
            ! seam: 
            = 4
            $ seam feed </dev/null
            ! seam: feed needs SIM; usage: seam feed SIM; try
            = 2
            """)
    }

    @Test("each line is a turn: a watcher sees every value, as soon as it is printed")
    func live() throws {
        let daemon = try SeamProcess()
        let feed = try daemon.start("feed", "a")
        try feed.write("screen S k first\n")
        try daemon.untilSeen("S.k", in: "a")
        let watch = try daemon.start("watch", "a", "--mode", "all")
        try watch.readLine(containing: "screen=first")
        try feed.write("screen S k second\nmodel k 2")
        try watch.readLine(containing: "screen=second")
        // The last line may lack its end.
        feed.closeInput()
        #expect(try watch.readLine()?.contains("model=2 screen=second") == true)
        #expect(try feed.outcome().code == 0)

        let many = (0..<10_000).map { "model k v\($0)\n" }.joined()
        #expect(try daemon.seam("feed", "a", input: many).code == 0)
        for number in 0..<10_000 {
            let line = try watch.readLine()
            try #require(line?.contains("model=v\(number) screen=second") == true, "\(line ?? "the end")")
        }
    }

    @Test("the end of the daemon or of the simulation ends the feed")
    func ends() throws {
        let daemon = try SeamProcess()
        let feed = try daemon.start("feed", "a")
        try feed.write("screen S k v\n")
        try daemon.untilSeen("S.k", in: "a")
        try daemon.seam("destroy", "a")
        try feed.write("screen S k w\n")
        #expect(try feed.outcome().code == 4)

        let other = try daemon.start("feed", "b")
        try other.write("screen S k v\n")
        try daemon.untilSeen("S.k", in: "b")
        daemon.process.send(signal: SIGKILL)
        let outcome = try other.outcome()
        #expect(outcome.code == 3 && outcome.stderr.contains("closed the connection"), "\(outcome)")
        let none = try daemon.seam("feed", "b", input: "model a 1\n")
        #expect(none.code == 3, "\(none)")
    }
}

extension SeamProcess {
    /// Waits until a simulation exists and shows something in a field.
    fileprivate func untilSeen(_ field: String, in simulation: String) throws {
        let client = try connect()
        // Watching the daemon tells of simulations that are yet to be made; the snapshot of those that are there.
        try client.call("sub.open", #"{"match":["\#(simulation)/\#(field)"]}"#)
        _ = try client.events { $0.params?["screen"] != nil }
    }
}
