import SeamTestSupport
import SeamWire
import Testing

/// The worked examples of the JSON-RPC 2.0 specification (§7), with Seam's methods in the place of the invented ones:
/// `sim.check` takes two names in an order that matters, as `subtract` does, `model.set` is the `update` that wants
/// no answer, `scenario.list` the one that gives data.
@Suite struct SpecificationTests {
    /// What has to come back. Of an error the specification fixes the code and the id alone.
    enum Answer: Sendable {
        case result(id: JSON, JSON)
        case error(id: JSON, Int)
        case batch([Answer])
        case nothing
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var title: String
        var sent: [String]
        var answers: [Answer]
        var testDescription: String { title }
    }

    private static func check(_ label: String) -> JSON {
        [
            "label": .string(label), "fields": [],
            "counts": ["matching": 0, "stale": 0, "missing": 0, "leftover": 0],
            "diagnostics": [],
        ]
    }

    static let examples = [
        Example(
            title: "positional parameters",
            sent: [
                #"{"jsonrpc": "2.0", "method": "sim.check", "params": ["a", "b"], "id": 1}"#,
                #"{"jsonrpc": "2.0", "method": "sim.check", "params": ["b", "a"], "id": 2}"#,
            ],
            answers: [.result(id: 1, check("b")), .result(id: 2, check("a"))]),
        Example(
            title: "named parameters",
            sent: [
                #"{"jsonrpc": "2.0", "method": "sim.check", "params": {"label": "b", "sim": "a"}, "id": 3}"#,
                #"{"jsonrpc": "2.0", "method": "sim.check", "params": {"sim": "a", "label": "b"}, "id": 4}"#,
            ],
            answers: [.result(id: 3, check("b")), .result(id: 4, check("b"))]),
        Example(
            title: "a notification",
            sent: [
                #"{"jsonrpc": "2.0", "method": "model.set", "params": ["a", {"x": 1, "y": 2, "z": 3}]}"#,
                #"{"jsonrpc": "2.0", "method": "foobar"}"#,
            ],
            answers: [.nothing, .nothing]),
        Example(
            title: "a method that does not exist",
            sent: [#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#],
            answers: [.error(id: "1", -32601)]),
        Example(
            title: "invalid JSON",
            sent: [#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#],
            answers: [.error(id: .null, -32700)]),
        Example(
            title: "an invalid request",
            sent: [#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#],
            answers: [.error(id: .null, -32600)]),
        Example(
            title: "a batch of invalid JSON",
            sent: [
                #"[{"jsonrpc": "2.0", "method": "sim.check", "params": ["a", "b"], "id": "1"},{"jsonrpc": "2.0", "method"]"#
            ],
            answers: [.error(id: .null, -32700)]),
        Example(title: "an empty batch", sent: ["[]"], answers: [.error(id: .null, -32600)]),
        Example(
            title: "a batch that is invalid but not empty", sent: ["[1]"],
            answers: [.batch([.error(id: .null, -32600)])]),
        Example(
            title: "an invalid batch", sent: ["[1,2,3]"],
            answers: [.batch(Array(repeating: .error(id: .null, -32600), count: 3))]),
        Example(
            title: "a batch of everything",
            sent: [
                #"""
                [{"jsonrpc": "2.0", "method": "sim.check", "params": ["a", "b"], "id": "1"},\#
                {"jsonrpc": "2.0", "method": "model.set", "params": ["a", {"x": 7}]},\#
                {"jsonrpc": "2.0", "method": "sim.check", "params": ["b", "a"], "id": "2"},\#
                {"foo": "boo"},\#
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},\#
                {"jsonrpc": "2.0", "method": "sim.destroy", "params": ["c"], "id": "9"}]
                """#
            ],
            answers: [
                .batch([
                    .result(id: "1", check("b")), .result(id: "2", check("a")), .error(id: .null, -32600),
                    .error(id: "5", -32601), .result(id: "9", ["sim": "c", "seq": 0]),
                ])
            ]),
        Example(
            title: "a batch of notifications alone",
            sent: [
                #"[{"jsonrpc": "2.0", "method": "model.set", "params": ["a", {"x": 1}]},{"jsonrpc": "2.0", "method": "foobar", "params": [7]}]"#
            ],
            answers: [.nothing]),
    ]

    @Test("an example of the specification", arguments: examples)
    func example(_ example: Example) throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        for id in ["a", "b", "c"] { try client.call("sim.create", #"{"scenario":"live","id":"\#(id)"}"#) }
        for (line, answer) in zip(example.sent, example.answers) {
            try client.sendLine(line)
            if case .nothing = answer { continue }
            let reply = try client.nextReply()
            expect(reply.json, is: answer, "\(reply)")
        }
        // Nothing is left over, and nothing is broken.
        let probe = try client.reply(to: #"{"jsonrpc":"2.0","method":"seam.ping","id":"probe"}"#)
        #expect(probe["id"] == "probe")
        #expect(probe["result"] != nil)
    }

    @Test("a notification is carried out though nobody hears of it")
    func notification() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        try client.sendLine(
            #"{"jsonrpc":"2.0","method":"screen.set","params":["a","Main",{"x":"1"}]}"#)
        #expect(try client.call("sim.get", #"{"sim":"a"}"#)["fields"]?[0]?["shown"] == "1")
    }

    private func expect(_ reply: JSON, is answer: Answer, _ line: Comment) {
        switch answer {
        case .nothing: Issue.record("something came: \(line)")
        case .batch(let answers):
            #expect(reply.elements?.count == answers.count, line)
            for (element, answer) in zip(reply.elements ?? [], answers) { expect(element, is: answer, line) }
        case .result(let id, let result):
            #expect(reply.members?.map(\.name) == ["jsonrpc", "id", "result"], line)
            #expect(reply["jsonrpc"] == "2.0", line)
            #expect(reply["id"] == id, line)
            #expect(reply["result"] == result, line)
        case .error(let id, let code):
            #expect(reply.members?.map(\.name) == ["jsonrpc", "id", "error"], line)
            #expect(reply["jsonrpc"] == "2.0", line)
            #expect(reply["id"] == id, line)
            #expect(reply["error"]?["code"]?.integer == code, line)
            #expect(reply["error"]?["message"]?.text?.isEmpty == false, line)
        }
    }
}
