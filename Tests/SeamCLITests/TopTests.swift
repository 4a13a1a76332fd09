import SeamWire
import Testing

@testable import SeamClient
@testable import seam

private let style = {
    var style = Style(when: "never", environment: { _ in nil })
    style.hasUnicode = true
    return style
}()

private func cells(_ text: String, hasUnicode: Bool = true) -> [Cell] {
    Cell.cells(text, hasUnicode: hasUnicode)
}
private func text(_ cells: some Sequence<Cell>) -> String { cells.map(\.text).joined() }

@Suite struct CellTests {
    @Test(
        "what a terminal would act on, or could show in a way of its own, comes as an escape; the rest in its columns",
        arguments: [
            ("plain ~", "plain ~", 7), ("", "", 0), ("日本", "日本", 4), ("é", "é", 1),
            ("e\u{301}", "e\u{301}", 1),
            ("a\nb\tc\r", #"a\nb\tc\u{d}"#, 12), ("\u{1b}[2J", #"\u{1b}[2J"#, 9),
            ("\u{0}\u{7f}\u{9b}", #"\u{0}\u{7f}\u{9b}"#, 17), ("\u{2028}\u{85}", #"\u{2028}\u{85}"#, 14),
            ("\u{202e}x", #"\u{202e}x"#, 9), ("\u{301}x", #"\u{301}x"#, 8), ("שלום", "שלום", 4),
            ("\u{a0}\u{2003}", #"\u{a0}\u{2003}"#, 14), ("\u{200b}\u{feff}", #"\u{200b}\u{feff}"#, 16),
            ("\u{1f469}\u{200d}\u{1f467}", "\u{1f469}" + #"\u{200d}"# + "\u{1f467}", 12),
            ("\u{2764}\u{fe0f}", "\u{2764}" + #"\u{fe0f}"#, 9),
            ("\u{1f44b}\u{1f3fd}", "\u{1f44b}" + #"\u{1f3fd}"#, 11),
            ("\u{1f1e9}\u{1f1ea}", #"\u{1f1e9}\u{1f1ea}"#, 18),
            ("\u{e000}\u{10ffff}", #"\u{e000}\u{10ffff}"#, 18),
            ("a\u{301}\u{301}\u{301}\u{301}\u{301}b", "a\u{301}\u{301}\u{301}\u{301}" + #"\u{301}b"#, 9),
            ("\u{0}\u{301}", #"\u{0}\u{301}"#, 12), ("\u{3164}", #"\u{3164}"#, 8),
        ])
    func escapes(given: String, shown: String, columns: Int) {
        let cells = cells(given)
        #expect(text(cells).unicodeScalars.elementsEqual(shown.unicodeScalars), "\(text(cells))")
        #expect(cells.columns == columns)
    }

    @Test("without Unicode everything but ASCII is an escape")
    func ascii() {
        #expect(text(cells("aé日", hasUnicode: false)) == #"a\u{e9}\u{65e5}"#)
    }

    @Test("no scalar at all reaches a terminal as a control, a blank or a direction")
    func everyScalar() {
        for value in 0...UInt32(0x10ffff) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for shown in text(cells("x\(scalar)")).unicodeScalars where !shown.isASCII {
                let category = shown.properties.generalCategory
                let isSafe =
                    ![
                        .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned,
                        .privateUse,
                    ]
                    .contains(category) && !shown.properties.isBidiControl
                    && !shown.properties.isVariationSelector
                if !isSafe { Issue.record("\(String(value, radix: 16)) is shown as it is") }
            }
        }
    }

    @Test(
        "an excerpt begins at the beginning, unless what matters lies behind; a wide character is never halved",
        arguments: [
            ("abcdef", 6, nil, "abcdef", false, false), ("abcdef", 4, nil, "abc", false, true),
            ("abcdef", 4, 2, "abc", false, true), ("abcdefghij", 5, 9, "ghij", true, false),
            ("abcdefghij", 5, 5, "efg", true, true), ("日本語", 4, nil, "日", false, true),
            ("日本語", 5, nil, "日本", false, true),
            ("日本語", 1, nil, "", false, true), ("abc", 0, nil, "", false, true),
        ] as [(String, Int, Int?, String, Bool, Bool)])
    func excerpts(given: String, columns: Int, place: Int?, shown: String, before: Bool, behind: Bool) {
        let excerpt = Excerpt(cells(given), columns: columns, showing: place)
        #expect(excerpt.isCutBefore == before && excerpt.isCutBehind == behind, "\(excerpt)")
        #expect(text(excerpt.cells) == shown)
    }

    @Test("an excerpt fits, and what has to be seen is in it, for every width and place")
    func everyExcerpt() {
        let all = cells("ab日c本de語f") + cells("\u{1b}") + cells("xyz")
        for columns in 8...20 {
            for place in all.indices {
                let excerpt = Excerpt(all, columns: columns, showing: place)
                let used =
                    excerpt.cells.columns + (excerpt.isCutBefore ? 1 : 0) + (excerpt.isCutBehind ? 1 : 0)
                #expect(used <= columns && excerpt.cells.indices.contains(place), "\(columns) \(place)")
            }
        }
    }

    @Test("a line holds what fits, and pieces of one look together")
    func lines() {
        var line = ScreenLine(width: 6)
        line.add("ab", .bold)
        line.add("c", .bold)
        line.add(cells("日本"))
        #expect(line.text == "abc日" && line.left == 1 && line.pieces.map(\.columns) == [3, 2])
        line.fill(to: 99)
        #expect(line.columns == 6)
        line.select()
        #expect(line.pieces.allSatisfy { $0.look.contains(.reverse) })
    }

    @Test("lines are divided at blanks, and where there is none at the edge")
    func wrapping() {
        func wrapped(_ text: String, _ width: Int) -> [String] {
            TopScreen.wrapped(cells(text), width).map { $0.map(\.text).joined() }
        }
        #expect(wrapped("one two three", 7) == ["one two", "three"])
        #expect(wrapped("one two", 20) == ["one two"])
        #expect(wrapped("abcdefgh", 3) == ["abc", "def", "gh"])
        #expect(wrapped("日本語", 3) == ["日", "本", "語"])
        #expect(wrapped("  indented", 6) == ["  inde", "  nted"])
        #expect(wrapped("  one two three", 9) == ["  one two", "  three"])
        #expect(wrapped("    ", 3) == ["   "] && wrapped("     x", 6) == ["     x"])
        #expect(wrapped("", 5) == [""])
        #expect(wrapped("日", 1) == ["日"])
    }
}

@Suite struct SortedRowsTests {
    @Test("as an array that is sorted anew each time, whatever comes, goes and moves")
    func reference() {
        var random = SystemRandomNumberGenerator()
        var keys: [Int32: Int] = [:]
        var rows = SortedRows()
        func precedes(_ one: Int32, _ other: Int32) -> Bool {
            (keys[one] ?? 0, one) < (keys[other] ?? 0, other)
        }
        for step in 0..<6000 {
            let row = Int32.random(in: 0..<2000, using: &random)
            if keys[row] != nil {
                rows.remove(row, precedes)
                keys[row] = nil
            }
            if Bool.random(using: &random) || step < 3000 {
                keys[row] = Int.random(in: 0..<300, using: &random)
                rows.insert(row, precedes)
            }
            if step % 500 == 499 {
                let expected = keys.keys.sorted(by: precedes)
                #expect(rows.count == expected.count && rows.rows(from: 0, count: .max) == expected)
                #expect(rows.rows(from: 700, count: 40) == Array(expected.dropFirst(700).prefix(40)))
                for place in stride(from: 0, to: expected.count, by: 97) {
                    #expect(
                        rows.rows(from: place, count: 1) == [expected[place]]
                            && rows.position(of: expected[place], precedes) == place)
                }
                #expect(
                    rows.filter { $0 % 3 == 0 }.rows(from: 0, count: .max) == expected.filter { $0 % 3 == 0 })
            }
        }
        #expect(rows.position(of: 5000, precedes) == nil)
    }

    @Test("rows that come in order fill their parts, and a copy stays as it was")
    func inOrder() {
        var rows = SortedRows()
        for row in Int32(0)..<3000 { rows.insert(row, <) }
        let copy = rows
        rows.remove(7, <)
        #expect(copy.rows(from: 7, count: 1) == [7] && rows.rows(from: 7, count: 1) == [8])
        #expect(copy.count == 3000 && rows.count == 2999)
    }
}

@Suite struct BoardTests {
    private func value(_ text: String?) -> ShownValue { ShownValue(text) }

    private func board(_ rows: [(String, Verdict, String?, String?)]) -> Board {
        var board = Board()
        for (index, row) in rows.enumerated() {
            board.set(
                row.0, row.1, model: value(row.2), shown: value(row.3), seq: UInt64(index), at: index,
                isChange: false)
        }
        return board
    }

    private func names(_ board: Board) -> [String] {
        board.seenRows(from: 0, count: .max).compactMap { board.row($0)?.name }
    }

    @Test("names in the order of their bytes, numbers by their value; different bytes are different fields")
    func order() {
        #expect(naturally("s2/a", "s10/a") < 0 && naturally("a01", "a1") != 0 && naturally("a", "a") == 0)
        #expect(naturally("a9", "a10") < 0 && naturally("a010", "a9") > 0 && naturally("", "a") < 0)
        #expect(naturally("123456789012345678901234567890", "123456789012345678901234567891") < 0)
        let board = board([
            ("s10/A.x", .matching, "1", "1"), ("s2/B.x", .stale, "1", "2"), ("s2/A.x", .matching, "1", "1"),
            ("s2/A.é", .matching, "1", "1"), ("s2/A.e\u{301}", .matching, "1", "1"),
        ])
        #expect(board.count == 5)
        #expect(
            names(board).map { Array($0.utf8).count }
                == ["s2/A.e\u{301}", "s2/A.x", "s2/A.é", "s2/B.x", "s10/A.x"].map { $0.utf8.count })
    }

    @Test(
        "every order, both ways, under changes: as if sorted anew", arguments: RowOrder.Key.allCases,
        [false, true])
    func sorting(key: RowOrder.Key, isReversed: Bool) throws {
        var board = Board()
        let order = RowOrder(key: key, isReversed: isReversed)
        board.sort(by: order)
        var filter = RowFilter()
        filter.verdicts = [.stale, .missing]
        var random = SystemRandomNumberGenerator()
        var known: Set<String> = []
        for step in 0..<1500 {
            let name =
                "s\(Int.random(in: 0..<3, using: &random))/S\(Int.random(in: 0..<4, using: &random)).f\(Int.random(in: 0..<30, using: &random))"
            known.insert(name)
            board.set(
                name, Verdict.allCases.randomElement(using: &random) ?? .stale,
                model: value(Bool.random(using: &random) ? "\(Int.random(in: 0..<20, using: &random))" : nil),
                shown: value("\(Int.random(in: 0..<20, using: &random))"), seq: UInt64(step), at: step,
                isChange: step % 3 > 0)
            if step == 700 { board.show(filter) }
            if step == 1000 {
                board.removeSimulation("s1")
                known = known.filter { !$0.hasPrefix("s1/") }
            }
        }
        let rows = try known.map { name in try #require(board.number(of: name).flatMap(board.row)) }
        let expected = rows.sorted(by: order.precedes).filter { filter.verdicts.contains($0.verdict) }.map(
            \.name)
        #expect(names(board) == expected)
        #expect(board.count == known.count && board.hiddenCount == known.count - expected.count)
        for verdict in Verdict.allCases {
            #expect(board.counts[verdict] ?? 0 == rows.count { $0.verdict == verdict })
        }
        for (place, name) in expected.enumerated() {
            #expect(board.number(of: name).flatMap(board.position) == place)
        }
    }

    @Test(
        "a search is a part of a name or a value in any case, or a pattern over the whole name",
        arguments: [
            ("", ["a/Bar.count", "a/Bar.title", "b/Foo.x"]), ("bar", ["a/Bar.count", "a/Bar.title"]),
            ("A/BAR.C", ["a/Bar.count"]), ("tasks", ["a/Bar.title"]), ("ÉTÉ", ["b/Foo.x"]), ("nowhere", []),
            ("*.x", ["b/Foo.x"]), ("*.X", []), ("a/*", ["a/Bar.count", "a/Bar.title"]),
            ("*", ["a/Bar.count", "a/Bar.title", "b/Foo.x"]),
            ("7", ["a/Bar.count"]),
        ])
    func search(search: String, found: [String]) {
        var board = board([
            ("a/Bar.count", .stale, "7", "3"), ("a/Bar.title", .matching, "Tasks", "Tasks"),
            ("b/Foo.x", .missing, "été", nil),
        ])
        board.show(RowFilter(search: search))
        #expect(names(board) == found)
    }

    @Test("the history of a field: what changed, the newest ten; what was found is no change")
    func history() throws {
        var board = board([("a/S.f", .matching, "0", "0")])
        let number = try #require(board.number(of: "a/S.f"))
        #expect(board.row(number)?.wasFound == true && board.row(number)?.changes.isEmpty == true)
        // The snapshot again, after a new connection: nothing has changed.
        board.set("a/S.f", .matching, model: value("0"), shown: value("0"), seq: 9, at: 50, isChange: false)
        #expect(board.row(number)?.wasFound == true && board.row(number)?.moment == 0)
        for step in 1...12 {
            board.set(
                "a/S.f", .stale, model: value("\(step)"), shown: value("0"), seq: UInt64(step),
                at: 100 + step, isChange: true)
        }
        let row = try #require(board.row(number))
        #expect(
            row.changes.count == 10 && row.changes.first?.model.text == "3"
                && row.changes.last?.model.text == "12")
        #expect(row.moment == 112 && !row.wasFound)
    }
}

@Suite struct TopModelTests {
    private func event(_ json: String) throws -> Event { Event(try JSON(parsing: json)) }

    /// Three fields, one of them stale.
    private func model(simulation: String? = nil) throws -> TopModel {
        var model = TopModel(simulation: simulation, verdicts: [])
        model.beginAnew(fields: 3, isRestart: false, at: 0)
        for (field, verdict, model_, shown) in [
            ("a", "matching", "1", "1"), ("b", "stale", "7", "3"), ("c", "missing", "x", nil),
        ] as [(String, String, String, String?)] {
            model.take(
                try event(
                    #"{"kind":"state","sim":"s","seq":3,"screen":"S","field":"\#(field)","verdict":"\#(verdict)","model":"\#(model_)","shown":\#(shown.map { "\"\($0)\"" } ?? "null")}"#
                ), at: 0)
        }
        model.take(try event(#"{"kind":"sync","dseq":3}"#), at: 0)
        model.listed([try JSON(parsing: #"{"sim":"s","scenario":"live"}"#)])
        return model
    }

    private func change(_ field: String, _ from: String, _ to: String, _ value: String, seq: Int = 9) throws
        -> Event
    {
        try event(
            #"{"kind":"verdict","sim":"s","seq":\#(seq),"turn":1,"ms":0,"screen":"S","field":"\#(field)","from":"\#(from)","to":"\#(to)","model":"\#(value)","shown":"1"}"#
        )
    }

    private func press(_ model: inout TopModel, _ keys: String, at now: Moment = 0) -> TopModel.Effect {
        var effect = TopModel.Effect.nothing
        for scalar in keys.unicodeScalars { effect = model.press(.character(scalar), page: 10, at: now) }
        return effect
    }

    private func screen(_ model: TopModel, columns: Int = 100, rows: Int = 24, now: Moment = 0) -> [String] {
        var model = model
        model.settle(height: TopScreen.tableHeight(rows: rows))
        let lines = TopScreen(model: model, style: style, columns: columns, rows: rows, now: now).draw().lines
        return lines.map(\.text)
    }

    @Test("what is shown while paused is as it was, what came is counted, and is there afterwards")
    func pause() throws {
        var model = try model()
        _ = press(&model, " ", at: 1000)
        #expect(model.isPaused && model.heldBack == 0)
        model.take(try change("a", "matching", "stale", "2"), at: 2000)
        model.take(try change("d", "out-of-scope", "stale", "2"), at: 2000)
        model.take(try event(#"{"kind":"mark","dseq":9}"#), at: 2000)
        #expect(model.heldBack == 2 && model.board.count == 3 && model.board.counts[.stale] == 1)
        #expect(screen(model, now: 9000).contains { $0.contains("paused, +2") })
        // Ages stand still as well.
        #expect(screen(model, now: 60_000).contains { $0.contains(" a ") && $0.hasSuffix(">1s") })
        _ = press(&model, "s")
        #expect(model.board.seenCount == 1)
        _ = press(&model, " ", at: 9000)
        #expect(!model.isPaused && model.board.seenCount == 3 && model.board.count == 4)
        // A second pause begins at nought, also in the middle of a search.
        _ = press(&model, " ", at: 9000)
        #expect(model.heldBack == 0 && model.isPaused)
    }

    @Test(
        "keys of verdicts add up and take back; ! and 0 set all at once",
        arguments: [
            ("", 3), ("s", 1), ("si", 2), ("ss", 3), ("2", 1), ("23", 2), ("!", 2), ("!!", 3), ("!s", 1),
            ("m0", 3),
            ("ma", 3), ("o", 0), ("l", 0), ("12345", 3), ("1234", 3),
        ])
    func verdicts(keys: String, seen: Int) throws {
        var model = try model()
        _ = press(&model, keys)
        #expect(model.board.seenCount == seen && model.board.count == 3)
    }

    @Test("the selected row stays selected as it moves; the first row is whichever is first")
    func selection() throws {
        var model = try model()
        _ = press(&model, "V")
        #expect(model.selectedRow?.name == "s/S.b")
        _ = press(&model, "j")
        #expect(model.selectedRow?.name == "s/S.c" && model.position == 1)
        model.take(try change("a", "matching", "stale", "2"), at: 10)
        model.settle(height: 10)
        #expect(model.selectedRow?.name == "s/S.c" && model.position == 2)
        // Gone from sight: the one that took its place.
        _ = press(&model, "s")
        #expect(model.selectedRow?.name == "s/S.b" && model.position == 1)
        _ = press(&model, "0")
        #expect(model.selectedRow?.name == "s/S.c")
        _ = press(&model, "g")
        model.take(try change("zero", "out-of-scope", "stale", "2"), at: 10)
        #expect(model.position == 0)
        _ = press(&model, "G")
        #expect(model.position == model.board.seenCount - 1)
        #expect(model.press(.pageUp, page: 100, at: 0) == .nothing && model.position == 0)
        _ = model.press(.pageDown, page: 2, at: 0)
        #expect(model.position == 2)
        _ = model.press(.up, page: 2, at: 0)
        _ = model.press(.character("\u{4}"), page: 2, at: 0)
        #expect(model.position == 2)
        var empty = TopModel(simulation: nil, verdicts: [])
        _ = press(&empty, "jkGg \r")
        _ = empty.press(.enter, page: 1, at: 0)
        #expect(empty.position == nil && empty.selectedRow == nil && empty.mode == .table)
    }

    @Test("many rows: the selected one is always on the screen, and no place below the last is wasted")
    func scrolling() throws {
        var model = TopModel(simulation: nil, verdicts: [])
        for field in 0..<100 { model.take(try change("f\(field)", "out-of-scope", "stale", "1"), at: 0) }
        for (key, top, position) in [
            (TopModel.Key.pageDown, 1, 10), (.pageDown, 11, 20), (.up, 11, 19), (.end, 90, 99),
            (.pageUp, 89, 89),
            (.home, 0, 0),
        ] {
            _ = model.press(key, page: 10, at: 0)
            model.settle(height: 10)
            #expect(model.top == top && model.position == position, "\(key)")
        }
        _ = model.press(.end, page: 10, at: 0)
        model.settle(height: 10)
        // A larger window, and then fewer rows than it has lines.
        model.settle(height: 60)
        #expect(model.top == 40)
        model.take(
            try event(#"{"kind":"sim","sim":"s","what":"destroyed","scenario":"live","epoch":"0"}"#), at: 0)
        model.settle(height: 60)
        #expect(model.top == 0 && model.position == nil && model.board.count == 0)
    }

    @Test("the keys of the search, and that no other key means anything while it is typed")
    func typing() throws {
        var model = try model()
        _ = press(&model, "/q!s ")
        #expect(
            model.isTyping && model.board.filter.search == "q!s " && !model.isPaused
                && model.board.seenCount == 0)
        for _ in 0..<4 { _ = model.press(.backspace, page: 1, at: 0) }
        #expect(model.isTyping && model.board.seenCount == 3)
        _ = model.press(.backspace, page: 1, at: 0)
        #expect(!model.isTyping)
        _ = press(&model, "/S.b")
        _ = model.press(.enter, page: 1, at: 0)
        #expect(!model.isTyping && model.selectedRow?.name == "s/S.b")
        _ = press(&model, "/x\u{15}\u{7}")
        #expect(model.board.filter.search.isEmpty)
        _ = model.press(.escape, page: 1, at: 0)
        #expect(model.board.filter.search == "S.b")
        _ = press(&model, "s")
        _ = model.press(.escape, page: 1, at: 0)
        #expect(model.board.filter.search.isEmpty && model.board.filter.verdicts == [.stale])
        _ = model.press(.escape, page: 1, at: 0)
        #expect(model.board.filter.isEmpty)
        #expect(press(&model, "q") == .quit)
        #expect(press(&model, "\u{c}") == .redraw)
    }

    @Test("what is known stays while the daemon is away, and goes with a new snapshot, which is told")
    func links() throws {
        var model = try model()
        #expect(model.link == .live && model.shownNotice(0) == nil)
        model.lost("the daemon is gone", at: 1000)
        model.lost("the daemon is gone", at: 4000)
        #expect(screen(model, now: 6000)[0].contains("the daemon is gone; waiting, 5s"))
        #expect(model.board.count == 3)
        model.connected()
        model.resumed(at: 7000)
        #expect(model.board.count == 3 && screen(model, now: 7000)[2].contains("resumed, nothing was missed"))
        model.beginAnew(fields: 1234567, isRestart: true, at: 8000)
        #expect(model.board.count == 0 && screen(model, now: 8000)[0].contains("loading 0 of 1,234,567"))
        #expect(screen(model, now: 8000)[2].contains("the daemon was restarted"))
        #expect(model.shownNotice(60_000) == nil)
        model.take(try event(#"{"kind":"lag","fromDseq":1,"toDseq":9,"collapsed":77}"#), at: 9000)
        #expect(model.shownNotice(9000)?.contains("77 changes became the newest") == true)
    }

    @Test("a daemon that says nothing, not even that it is there, is told as silent")
    func silence() throws {
        var model = try model()
        #expect(screen(model, now: 12_000)[0].contains("  live  "))
        #expect(screen(model, now: 13_000)[0].contains("the daemon is silent, 13s"))
        model.take(try event(#"{"kind":"mark","dseq":9}"#), at: 20_000)
        #expect(screen(model, now: 21_000)[0].contains("  live  "))
    }

    @Test("lines of other kinds, of no field, with verdicts of another time: passed over")
    func strangers() throws {
        var model = try model(simulation: "s")
        for line in [
            #"{"kind":"news"}"#, #"{"kind":"verdict"}"#, #"{"kind":"state","sim":"s","screen":"S"}"#,
            #"{"kind":"verdict","sim":"s","screen":"S","field":"n","to":"odd","model":null,"shown":null}"#,
            #"{"kind":"sim","sim":"other","what":"created","scenario":"live"}"#, #"{"kind":"end"}"#,
        ] { model.take(try event(line), at: 0) }
        #expect(model.board.count == 3 && model.simulationCount == 1)
    }

    @Test("diagnostics of a field: its own and those of no field, of its simulation alone")
    func diagnostics() throws {
        var model = try model()
        for (sim, place, code) in [
            ("s", #""screen":"S","field":"b","#, "own"), ("s", #""screen":"S","field":"a","#, "others"),
            ("s", "", "general"),
            ("t", #""screen":"S","field":"b","#, "elsewhere"),
        ] {
            model.take(
                try event(
                    #"{"kind":"diagnostic","sim":"\#(sim)","seq":4,\#(place)"code":"\#(code)","severity":"warning","text":"t"}"#
                ),
                at: 0)
        }
        let row = try #require(model.board.number(of: "s/S.b").flatMap(model.board.row))
        #expect(model.diagnostics(of: row).map(\.code) == ["general", "own"])
        for _ in 0..<5000 {
            model.take(
                try event(#"{"kind":"diagnostic","sim":"s","code":"many","severity":"info","text":""}"#),
                at: 0)
        }
        #expect(model.diagnostics.count <= 2 * TopModel.mostDiagnostics)
    }

    @Test("events a second: of the whole seconds before, nought after a pause")
    func rate() {
        var rate = Rate()
        #expect(rate.perSecond(at: 0) == 0)
        for moment in stride(from: 5000, to: 9000, by: 10) { rate.count(at: moment) }
        #expect(rate.perSecond(at: 9000) == 100)
        #expect(rate.perSecond(at: 60_000) == 0)
        for moment in stride(from: 60_000, to: 61_000, by: 100) { rate.count(at: moment) }
        #expect(rate.perSecond(at: 61_001) == 3)
    }

    @Test(
        "no line is wider than the window, none is below it, and what is selected is seen, for every size",
        arguments: [TopModel.Key.other, .enter, .character("?"), .character("/")])
    func sizes(key: TopModel.Key) throws {
        for simulation in [nil, "s"] {
            var model = try model(simulation: simulation)
            model.take(try change("日本語日本語日本語日本語", "out-of-scope", "stale", "e\u{301}日\\u001b[2J"), at: 0)
            _ = model.press(.end, page: 1, at: 0)
            _ = model.press(key, page: 1, at: 0)
            for columns in 1...130 {
                for rows in [1, 5, 6, 7, 10, 11, 12, 24, 100] {
                    model.settle(height: TopScreen.tableHeight(rows: rows))
                    let screen = TopScreen(model: model, style: style, columns: columns, rows: rows, now: 0)
                    let (lines, cursor) = screen.draw()
                    #expect(
                        lines.count <= rows && lines.allSatisfy { $0.columns <= columns },
                        "\(columns)x\(rows)")
                    if let cursor { #expect(cursor.row < rows && cursor.column < columns) }
                    if key == .other && !TopScreen.isTooSmall(columns: columns, rows: rows) {
                        #expect(lines.contains { $0.text.hasPrefix("> ") }, "\(columns)x\(rows)")
                        #expect(lines.contains { $0.text.contains("≠") }, "\(columns)x\(rows)")
                    }
                }
            }
        }
    }

    @Test("ages and numbers as people write them")
    func words() {
        #expect(
            [0, 99_000, 100_000, 5_999_000, 6_000_000, 172_800_000].map(TopScreen.duration) == [
                "0s", "99s", "1m", "99m", "1h", "2d",
            ])
        #expect(
            [0, 999, 1234, 12_345, 1_234_567].map(grouped) == ["0", "999", "1234", "12,345", "1,234,567"])
    }
}
