import SeamKernel
import SeamWire
import Testing

@testable import SeamServer

/// What came into a simulation, packed and as lines: both read back what was written.
@Suite struct InputTests {
    static let scenario: Scenario = {
        var scenario = Scenario(id: "test", title: "", summary: "")
        let screen = Scenario.Screen(id: "S", title: "", side: .imperative, fields: [])
        scenario.screens = [screen]
        scenario.bridges = ["one", "two"].map {
            Scenario.Bridge(id: $0, title: "", kind: .wrap, screen: 0, inputs: [])
        }
        scenario.events = [
            Scenario.Event(id: "tap", title: "", origin: .native),
            Scenario.Event(
                id: "type", title: "", origin: .model,
                arguments: ["a", "b", "c"].map { .init(id: $0, title: "", kind: "text") }),
        ]
        return scenario
    }()

    static let long = String(repeating: "é\u{1F600}\u{0}", count: 9_000)
    static let texts = ["", "x", "\"\\\n\u{7F}\u{2028}", "exactly fifteen", "sixteen bytes in", long]

    /// What can be the name of a key, a field or an item.
    static let names = [
        "x", "é", "a b.c", "exactly fifteen", "sixteen bytes in", String(repeating: "n", count: 128),
    ]

    static var inputs: [Input] {
        [
            .event(.modelWrite([])), .event(.modelWrite(zip(names, texts).map { ($0, $1) })),
            .event(.modelWrite([("a", nil), ("b", "")])),
            .event(.screenDeclare(screen: "S", keys: [])), .event(.screenDeclare(screen: "é", keys: names)),
            .event(.screenWrite(screen: "S", [("a", "1"), ("b", nil)])),
            .event(.send(0, arguments: [], mount: nil)),
            .event(.send(1, arguments: ["", nil, long], mount: .max)),
            .event(.assign(0, mount: nil)), .event(.assign(1, mount: 1)), .event(.update(1, mount: 200)),
            .event(.mount(1)), .event(.unmount(0, mount: nil)), .event(.settle), .event(.tick(0)),
            .event(.tick(.max)), .event(.note(code: "c", severity: .error, text: "t")),
            .event(.note(code: "d", severity: .info, text: "")),
            .event(.build(1, mount: nil)), .event(.assignBuilt(1, mount: 9)), .event(.dismiss(0, mount: 3)),
            .event(.identify(1, mount: nil, id: "i")), .event(.identify(0, mount: .max, id: names[5])),
            .event(.rebind(1, mount: 5, owner: "é")), .event(.rebind(0, mount: nil, owner: names[5])),
            .event(.items(1, [])), .event(.items(0, zip(names, texts).map { Item(id: $0, value: $1) })),
            .event(.items(1, [Item(id: "i", value: nil), Item(id: names[5], value: long)])),
            .event(.environment([], bridge: nil, mount: nil)),
            .event(.environment([("a", nil), ("b", "")], bridge: nil, mount: nil)),
            .event(.environment(zip(names, texts).map { ($0, $1) }, bridge: 0, mount: nil)),
            .event(.environment([("a", "b")], bridge: 1, mount: .max)),
        ]
            + Cause.allCases.map { .event(.update(1, mount: 2, cause: $0)) }
            + [nil, false, true].flatMap { flag -> [Input] in
                // Each member alone, then all of them.
                let scene = flag.map { $0 ? Activity.Scene.active : .inactive }
                return [
                    ActivityChange(window: flag), ActivityChange(scene: scene), ActivityChange(hidden: flag),
                    ActivityChange(size: flag), ActivityChange(parked: flag),
                    ActivityChange(window: flag, scene: scene, hidden: flag, size: flag, parked: flag),
                ].map { .event(.activity(0, mount: 70_000, $0)) }
            }
            + [0, 1, 127, 128, 999_999, 1_000_000, 9_223_372_036_854_775_807].flatMap { moment in
                [
                    Input.advance(Advance(moment: moment, isRequest: true)),
                    .advance(Advance(moment: moment, isRequest: false, turns: 300)),
                ]
            }
    }

    private func line(_ input: Input, at moment: InputMoment? = nil) -> String {
        var out = ByteBuffer()
        out.inputLine(input, at: moment, of: Self.scenario)
        return out.text
    }

    @Test("each kind of input is read back from its line")
    func lines() throws {
        for input in Self.inputs + [.create, .destroy] {
            for moment in [nil, InputMoment(turn: 7, nanoseconds: 2_000_001)] {
                let text = line(input, at: moment)
                #expect(
                    text.hasPrefix(#"{"in":""#) && text.hasSuffix("}\n")
                        && text.dropLast().firstIndex(of: "\n") == nil)
                let json = try JSON(parsing: String(text.dropLast()))
                #expect(
                    json["turn"]?.integer == (moment == nil ? nil : 7)
                        && json["ms"]?.integer == (moment == nil ? nil : 2))
                let read = try Input.read(json, of: Self.scenario, within: Limits())
                #expect(line(read, at: moment) == text)
            }
        }
    }

    @Test("a line says what was asked for, by the name of the method")
    func words() {
        let rows: [(Event, String)] = [
            (.update(1, mount: nil), #"{"in":"bridge.update","bridge":"two"}"#),
            (
                .update(1, mount: 4, cause: .layout),
                #"{"in":"bridge.update","bridge":"two","mount":4,"cause":"layout"}"#
            ),
            (.build(0, mount: nil), #"{"in":"bridge.build","bridge":"one"}"#),
            (.assign(0, mount: 2), #"{"in":"bridge.assign","bridge":"one","mount":2}"#),
            (.assignBuilt(0, mount: 2), #"{"in":"bridge.assign","bridge":"one","mount":2,"built":true}"#),
            (
                .identify(0, mount: 2, id: "i"),
                #"{"in":"bridge.identify","bridge":"one","mount":2,"identity":"i"}"#
            ),
            (.rebind(0, mount: nil, owner: "o"), #"{"in":"bridge.rebind","bridge":"one","owner":"o"}"#),
            (
                .items(1, [Item(id: "a", value: "1"), Item(id: "b")]),
                #"{"in":"bridge.items","bridge":"two","items":[{"id":"a","value":"1"},{"id":"b","value":null}]}"#
            ),
            (.dismiss(1, mount: nil), #"{"in":"bridge.dismiss","bridge":"two"}"#),
            (
                .activity(0, mount: 1, ActivityChange(window: false, scene: .inactive, parked: true)),
                #"{"in":"host.set","bridge":"one","mount":1,"window":false,"scene":"inactive","parked":true}"#
            ),
            (
                .activity(0, mount: nil, ActivityChange(scene: .active, hidden: false, size: true)),
                #"{"in":"host.set","bridge":"one","scene":"active","hidden":false,"size":true}"#
            ),
            (
                .environment([("k", "v"), ("l", nil)], bridge: nil, mount: nil),
                #"{"in":"environment.set","values":{"k":"v","l":null}}"#
            ),
            (
                .environment([("k", "v")], bridge: 1, mount: 3),
                #"{"in":"environment.set","bridge":"two","mount":3,"values":{"k":"v"}}"#
            ),
        ]
        for (event, expected) in rows { #expect(line(.event(event)) == expected + "\n") }
    }

    @Test(
        "a line that nobody could have written is refused, with what is wrong in it",
        arguments: [
            (#"{"in":"bridge.update","bridge":"one","cause":"boredom"}"#, "there is no cause boredom"),
            (#"{"in":"bridge.update","bridge":"one","cause":7}"#, "bridge.update has no text cause"),
            (#"{"in":"bridge.update","bridge":"three"}"#, "the scenario test has no bridge three"),
            (#"{"in":"bridge.update"}"#, "bridge.update has no text bridge"),
            (#"{"in":"bridge.build","bridge":"one","mount":-1}"#, "bridge.build has no number mount"),
            (
                #"{"in":"bridge.assign","bridge":"one","built":"yes"}"#,
                "built of bridge.assign is neither true nor false"
            ),
            (#"{"in":"bridge.identify","bridge":"one"}"#, "bridge.identify has no text identity"),
            (#"{"in":"bridge.rebind","bridge":"one","owner":null}"#, "bridge.rebind has no text owner"),
            (#"{"in":"bridge.items","bridge":"one"}"#, "bridge.items has no list items"),
            (#"{"in":"bridge.items","bridge":"one","items":["a"]}"#, "an item of bridge.items has no id"),
            (
                #"{"in":"bridge.items","bridge":"one","items":[{"id":"a"}]}"#,
                "the value of the item a is no text"
            ),
            (
                #"{"in":"bridge.items","bridge":"one","items":[{"id":"a","value":1}]}"#,
                "the value of the item a is no text"
            ),
            (#"{"in":"host.set","bridge":"one","scene":"asleep"}"#, "there is no scene asleep"),
            (
                #"{"in":"host.set","bridge":"one","window":1}"#,
                "window of host.set is neither true nor false"
            ),
            (#"{"in":"environment.set"}"#, "environment.set has no object values"),
            (#"{"in":"environment.set","values":{"k":1}}"#, "k in environment.set is no text"),
            (
                #"{"in":"environment.set","bridge":7,"values":{}}"#, "environment.set has no text bridge"
            ),
            (
                #"{"in":"bridge.identify","bridge":"one","identity":""}"#,
                "bridge.identify holds a name that is empty"
            ),
            (
                #"{"in":"bridge.items","bridge":"one","items":[{"id":"a","value":null},{"id":"a","value":null}]}"#,
                "two items of bridge.items have the id a"
            ),
            (
                #"{"in":"screen.set","screen":"A/B","values":{}}"#,
                "screen.set holds a name that holds /: A/B"
            ),
            (#"{"in":"bridge.vanish"}"#, "there is no input bridge.vanish"),
        ])
    func refused(text: String, problem: String) throws {
        let json = try JSON(parsing: text)
        do throws(Unreadable) {
            let read = try Input.read(json, of: Self.scenario, within: Limits())
            Issue.record("read as \(read)")
        } catch {
            #expect(error.text == problem)
        }
    }

    @Test("each kind of input is read back from a history, in order, whatever the sizes of its blocks")
    func packed() throws {
        let memory = Memory(Limits())
        var history = History(limit: 64 << 20)
        var expected: [String] = []
        for _ in 0..<5 {
            for input in Self.inputs {
                switch input {
                case .event(let event): history.append(event, in: memory)
                case .advance(let advance): history.append(advance, in: memory)
                case .create, .destroy: continue
                }
                expected.append(line(input))
                // A reader sees what was there when it was made.
                var reader = history.reader
                var count = 0
                while reader.next() != nil { count += 1 }
                #expect(count == expected.count)
            }
        }
        #expect(history.count == UInt64(expected.count))
        var reader = history.reader
        var read: [String] = []
        while let input = reader.next() { read.append(line(input)) }
        #expect(read == expected)
        #expect(memory.histories == history.bytes && history.bytes > 0)
        history.close(in: memory)
        #expect(memory.histories == 0 && history.bytes == 0)
    }

    @Test(
        "a history is kept whole up to its limit, and not at all beyond it",
        arguments: [0, 1, 63, 64, 65, 1000, 70_000])
    func limit(_ limit: Int) {
        let memory = Memory(Limits())
        var history = History(limit: limit)
        #expect(history.state == (limit == 0 ? .off : .kept))
        var reader = history.reader
        for count in 0..<10_000 {
            history.append(.modelWrite([("key", "value")]), in: memory)
            #expect(history.bytes <= limit && memory.histories == history.bytes)
            if history.state != .kept {
                #expect(history.bytes == 0)
                break
            }
            if count == 0 { reader = history.reader }
        }
        #expect(history.state == (limit == 0 ? .off : .outgrown))
        // Whoever was reading has what it was given.
        if limit >= 64 { #expect(reader.next() != nil && reader.next() == nil) }
        history.append(.settle, in: memory)
        #expect(memory.histories == 0 && history.reader.isEmpty)
    }

    @Test("a short event takes few bytes more than its texts")
    func size() {
        let memory = Memory(Limits())
        var history = History(limit: 64 << 20)
        for number in 0..<100_000 { history.append(.modelWrite([("count", "\(number)")]), in: memory) }
        // A tag, a count, a length for each: 4 bytes beside the texts.
        #expect(history.bytes < 100_000 * 16)
    }
}
