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

    static var inputs: [Input] {
        [
            .event(.modelWrite([])), .event(.modelWrite(texts.map { ($0 + "k", $0) })),
            .event(.modelWrite([("a", nil), ("", "")])),
            .event(.screenDeclare(screen: "S", keys: [])), .event(.screenDeclare(screen: "é", keys: texts)),
            .event(.screenWrite(screen: "S", [("a", "1"), ("b", nil)])),
            .event(.send(0, arguments: [], mount: nil)),
            .event(.send(1, arguments: ["", nil, long], mount: .max)),
            .event(.assign(0, mount: nil)), .event(.assign(1, mount: 1)), .event(.update(1, mount: 200)),
            .event(.mount(1)), .event(.unmount(0, mount: nil)), .event(.settle), .event(.tick(0)),
            .event(.tick(.max)), .event(.note(code: "c", severity: .error, text: "t")),
            .event(.note(code: "", severity: .info, text: "")),
        ]
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
                let read = try Input.read(json, of: Self.scenario)
                #expect(line(read, at: moment) == text)
            }
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
