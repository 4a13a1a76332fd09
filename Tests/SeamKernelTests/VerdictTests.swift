import SeamKernel
import Testing

@Suite struct VerdictTests {
    @Test(
        arguments: [
            (nil, nil, "out-of-scope"), (nil, "3", "leftover"), ("3", nil, "missing"), ("3", "3", "matching"),
            ("5", "3", "stale"), ("", nil, "missing"), (nil, "", "leftover"), ("", "", "matching"),
            ("", " ", "stale"),
            ("3", "3 ", "stale"), ("a", "A", "stale"),
            // A person reads the same letters.
            ("\u{e9}", "e\u{301}", "matching"),
        ] as [(String?, String?, String)])
    func `two values and no cause`(model: String?, shown: String?, word: String) {
        #expect("\(Verdict.of(model: model, shown: shown).word)" == word)
    }

    @Test func `a change of bytes alone is a change, with the same verdict`() throws {
        let live = Simulation(id: "s", scenario: .live)
        _ = try live.apply(.screenWrite(screen: "A", [("k", "\u{e9}")]))
        _ = try live.apply(.modelWrite([("k", "\u{e9}")]))
        let turn = try live.apply(.screenWrite(screen: "A", [("k", "e\u{301}")]))
        #expect(turn.verdicts == ["matching>matching"])
        #expect(turn.changes[0].shown?.utf8.count == 3)
    }
}

@Suite struct LiveTests {
    @Test func `a model value alone makes no field`() throws {
        let live = Simulation(id: "s", scenario: .live)
        let turn = try live.apply(.modelWrite([("a", "1")]))
        #expect(turn.changes.isEmpty && live.fieldCount == 0 && live.keyNames == ["a"])
        let declared = try live.apply(.screenDeclare(screen: "A", keys: ["a", "b"]))
        // It is news to whoever watches, and comes from out of scope: it was no field before.
        #expect(declared.verdicts == ["out-of-scope>missing"] && live.verdict("A", "a") == "missing")
        _ = try live.apply(.modelWrite([("c", "1")]))
        #expect(try live.apply(.screenWrite(screen: "A", [("c", "2")])).verdicts == ["out-of-scope>stale"])
    }

    @Test func `names of every length are told apart, few and many, and by their bytes`() throws {
        let live = Simulation(id: "s", scenario: .live)
        var names = ["\u{e9}", "e\u{301}", "", "a"]
        for length in 1...40 {
            for last in "bcdefghi\u{e9}\u{1F600}" {
                names.append(String(repeating: "a", count: length) + String(last))
                names.append(String(last) + String(repeating: "a", count: length))
            }
        }
        for number in 0..<5_000 { names.append("k\(number)") }
        for (position, name) in names.enumerated() {
            #expect(live.field(screen: 0, key: name) == nil)
            _ = try live.apply(.screenWrite(screen: "A", [(name, "1")]))
            // The index begins as a list and grows: what is in stays where it is.
            let known = Int.random(in: 0...position)
            #expect(live.field(screen: 0, key: names[known]) == known)
        }
        #expect(live.keyNames.elementsEqual(names) { $0.utf8.elementsEqual($1.utf8) })
        for (position, name) in names.enumerated() { #expect(live.field(screen: 0, key: name) == position) }
        #expect(live.screen(named: "B") == nil)
    }

    @Test func `each verdict is reached and each change is numbered`() throws {
        let live = Simulation(id: "s", scenario: .live)
        let steps: [(Event, [String])] = [
            (.screenWrite(screen: "A", [("a", "1")]), ["out-of-scope>leftover"]),
            (.modelWrite([("a", "1")]), ["leftover>matching"]),
            (.modelWrite([("a", "2")]), ["matching>stale"]),
            (.modelWrite([("a", "3")]), ["stale>stale"]),
            (.screenWrite(screen: "A", [("a", nil)]), ["stale>missing"]),
            (.modelWrite([("a", nil)]), ["missing>out-of-scope"]),
            (.modelWrite([("a", nil)]), []),
        ]
        var seq: UInt64 = 0
        for (position, step) in steps.enumerated() {
            let turn = try live.apply(step.0)
            #expect(turn.verdicts == step.1)
            #expect(turn.number == UInt64(position) + 1)
            for change in turn.changes {
                seq += 1
                #expect(change.seq == seq)
            }
        }
        #expect(live.seq == seq)
    }

    @Test func `what a turn repairs is no change`() throws {
        let live = Simulation(id: "s", scenario: .live)
        _ = try live.apply(.screenWrite(screen: "A", [("a", "1")]))
        _ = try live.apply(.modelWrite([("a", "1")]))
        #expect(try live.apply(.modelWrite([("a", "2"), ("a", "1")])).changes.isEmpty)
    }

    @Test func `several screens show one key`() throws {
        let live = Simulation(id: "s", scenario: .live)
        for number in 0..<40 {
            _ = try live.apply(.screenWrite(screen: "S\(number)", [("a", "1"), ("b", "x")]))
        }
        let turn = try live.apply(.modelWrite([("a", "1")]))
        #expect(turn.changes.count == 40 && turn.verdicts.allSatisfy { $0 == "leftover>matching" })
        #expect(live.fields(ofKey: "a").count == 40 && live.verdict("S39", "b") == "leftover")
        #expect(live.fields(of: 3) == [6, 7])
        #expect(try live.apply(.screenWrite(screen: "S20", [("a", "2")])).verdicts == ["matching>stale"])
    }

    @Test func `simulations that share what a turn needs keep nothing of each other`() throws {
        let scratch = Simulation.Scratch()
        let one = Simulation(id: "a", scenario: .live, scratch: scratch)
        let other = Simulation(id: "b", scenario: .live, scratch: scratch)
        // No plug-in is there to call, and still it may not leave anything where both look.
        #expect(one.modelSet("k", "1") == .badState)
        one.mountLimit = 1
        #expect(one.check([]).isEmpty && other.check([]).isEmpty && other.mountLimit == Int.max)
        let first = try one.apply(.screenWrite(screen: "S", [("k", "1")]))
        #expect(first.diagnostics.map(\.code) == ["plugin-misbehaving"] && first.interim == nil)
        let second = try other.apply(.modelWrite([("k", "2")]), interim: Interim(fields: nil))
        #expect(
            second.interim?.fields.isEmpty == true && second.changes.isEmpty && second.diagnostics.isEmpty)
        let third = try one.apply(.modelWrite([("k", "1")]))
        #expect(third.interim == nil && third.verdicts == ["leftover>matching"])
        #expect(one.turn == 2 && other.turn == 1 && other.fieldCount == 0)
    }

    @Test func `work is only done for the fields touched`() throws {
        let live = Simulation(id: "s", scenario: .live)
        _ = try live.apply(.screenDeclare(screen: "A", keys: (0..<5_000).map { "k\($0)" }))
        #expect(try live.apply(.modelWrite([("k7", "1")])).changes.count == 1)
        #expect(live.fields(of: 0).count == 5_000 && live.field(4_999).key == "k4999")
    }

    @Test func `a limit on fields refuses and changes nothing`() throws {
        let live = Simulation(id: "s", scenario: .live)
        live.fieldLimit = 2
        _ = try live.apply(.screenWrite(screen: "A", [("a", "1"), ("b", "1")]))
        #expect(throws: Refusal.self) { try live.apply(.screenWrite(screen: "A", [("c", "1")])) }
        #expect(live.fieldCount == 2 && live.turn == 1)
    }
}

@Suite struct FieldLimitTests {
    @Test func `a screen at its limit can still be written and cleared, and takes no new field`() throws {
        let live = Simulation(id: "s", scenario: .live)
        live.fieldLimit = 2
        _ = try live.apply(.screenWrite(screen: "S", [("a", "1"), ("b", "1")]))
        #expect(try live.apply(.screenWrite(screen: "S", [("a", "2"), ("b", nil)])).changes.count == 2)
        #expect(try live.apply(.screenDeclare(screen: "S", keys: ["a", "b"])).changes.isEmpty)
        for (screen, key) in [("S", "c"), ("T", "a")] {
            #expect(throws: Refusal.self) { _ = try live.apply(.screenWrite(screen: screen, [(key, "1")])) }
        }
        #expect(live.fieldCount == 2)
    }
}
