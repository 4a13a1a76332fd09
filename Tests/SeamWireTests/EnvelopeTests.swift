import SeamWire
import Testing

@Suite("Requests")
struct EnvelopeTests {
    /// The examples of section 7 of the JSON-RPC 2.0 specification, with methods of Seam in the places of theirs.
    @Test(
        "the examples of the specification hold",
        arguments: [
            // Positional and named parameters
            (#"{"jsonrpc":"2.0","method":"sim.advance","params":["s1",23],"id":1}"#, "1: sim.advance"),
            (#"{"jsonrpc":"2.0","method":"sim.advance","params":["s1",42],"id":2}"#, "2: sim.advance"),
            (
                #"{"jsonrpc":"2.0","method":"sim.advance","params":{"ms":23,"sim":"s1"},"id":3}"#,
                "3: sim.advance"
            ),
            (
                #"{"jsonrpc":"2.0","method":"sim.advance","params":{"sim":"s1","ms":23},"id":4}"#,
                "4: sim.advance"
            ),
            // Notifications
            (#"{"jsonrpc":"2.0","method":"sim.destroy","params":["s1"]}"#, ""),
            (#"{"jsonrpc":"2.0","method":"seam.ping"}"#, ""),
            (#"{"jsonrpc":"2.0","method":"foobar"}"#, ""),
            // A method that is not there
            (#"{"jsonrpc":"2.0","method":"foobar","id":"1"}"#, "\"1\": -32601"),
            // Invalid JSON
            (#"{"jsonrpc":"2.0","method":"foobar,"params":"bar","baz]"#, "null: -32700"),
            // An invalid request
            (#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "null: -32600"),
            // A batch of invalid JSON
            (
                #"[{"jsonrpc":"2.0","method":"seam.ping","params":[1,2,4],"id":"1"},{"jsonrpc":"2.0","method"]"#,
                "null: -32700"
            ),
            // An empty batch
            ("[]", "null: -32600"),
            // Invalid batches
            ("[1]", "[null: -32600]"),
            ("[1,2,3]", "[null: -32600, null: -32600, null: -32600]"),
            // A mixed batch
            (
                #"[{"jsonrpc":"2.0","method":"seam.ping","id":"1"},{"jsonrpc":"2.0","method":"sim.destroy","params":[7]},"#
                    + #"{"jsonrpc":"2.0","method":"sim.destroy","params":["s1"],"id":"2"},{"foo":"boo"},"#
                    + #"{"jsonrpc":"2.0","method":"foo.get","params":{"name":"myself"},"id":"5"},"#
                    + #"{"jsonrpc":"2.0","method":"seam.stats","id":"9"}]"#,
                "[\"1\": seam.ping, \"2\": sim.destroy, null: -32600, \"5\": -32601, \"9\": seam.stats]"
            ),
            // A batch of notifications
            (
                #"[{"jsonrpc":"2.0","method":"sim.destroy","params":["s1"]},{"jsonrpc":"2.0","method":"seam.ping"}]"#,
                ""
            ),
        ])
    func specification(_ line: String, _ answer: String) throws {
        #expect(try RequestDecoder().codes(line) == answer)
    }

    @Test(
        "without jsonrpc the daemon is forgiving",
        arguments: [
            (#"{"method":"seam.ping"}"#, "null: seam.ping"),
            (#"{"method":"seam.ping","id":1}"#, "1: seam.ping"),
            (#"{"method":"seam.ping","id":null}"#, "null: seam.ping"),
            (#"{"method":"seam.ping","params":null}"#, "null: seam.ping"),
            (#"{"method":"seam.ping","params":{}}"#, "null: seam.ping"),
            (#"{"method":"seam.ping","params":[]}"#, "null: seam.ping"),
            (#"{"method":"seam.ping","comment":"by hand","result":1}"#, "null: seam.ping"),
            (#"{"method":"foobar"}"#, "null: -32601"),
            (#"{"method":"seam.ping","params":7,"id":1}"#, "1: -32600"),
            (#"{"method":"sim.get"}"#, "null: -32602"),
            (#"{"id":5}"#, "5: -32600"),
        ])
    func relaxed(_ line: String, _ answer: String) throws {
        #expect(try RequestDecoder().codes(line) == answer)
    }

    @Test(
        "with jsonrpc it is not",
        arguments: [
            (#"{"jsonrpc":"2.0","method":"seam.ping","id":1,"extra":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","method":"seam.ping","id":1,"result":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","method":"seam.ping","extra":1}"#, "null: -32600"),
            (#"{"jsonrpc":"2.0","method":"seam.ping","params":null,"id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","method":"seam.ping","params":"x","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","method":"seam.ping","id":null}"#, "null: seam.ping"),
            (#"{"jsonrpc":"2.0","method":null,"id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0","result":1,"id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"1.0","method":"seam.ping","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":2.0,"method":"seam.ping","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":2,"method":"seam.ping","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":null,"method":"seam.ping","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2.0 ","method":"seam.ping","id":1}"#, "1: -32600"),
            (#"{"jsonrpc":"2\u002e0","method":"seam.ping","id":1}"#, "1: seam.ping"),
            (#"{"jsonrpc":"2.0","method":"seam\u002eping","id":1}"#, "1: seam.ping"),
            (#"{"jsonrpc":"2.0","\u006dethod":"seam.ping","id":1}"#, "1: seam.ping"),
        ])
    func strict(_ line: String, _ answer: String) throws {
        #expect(try RequestDecoder().codes(line) == answer)
    }

    @Test("a failed notification is not answered, but known")
    func failedNotification() {
        guard
            case .single(.failedNotification(let error)) =
                RequestDecoder().decode(#"{"jsonrpc":"2.0","method":"sim.get","params":[]}"#)
        else {
            Issue.record("answered or performed")
            return
        }
        #expect(error.kind == .missingParam)
    }

    @Test("each element of a batch is judged by its own jsonrpc")
    func mixedStrictness() throws {
        let line =
            #"[{"method":"seam.ping","x":1},{"jsonrpc":"2.0","method":"seam.ping","x":1,"id":2},"#
            + #"{"jsonrpc":"2.0","method":"seam.ping"},[],"x",null,[{"method":"seam.ping"}]]"#
        #expect(
            try RequestDecoder().codes(line)
                == "[null: seam.ping, 2: -32600, null: -32600, null: -32600, null: -32600, null: -32600]")
    }

    @Test(
        "lines that are no request", arguments: ["1", "\"seam.ping\"", "null", "true", "{}", "{\"id\":{}}"])
    func noRequest(_ line: String) throws {
        #expect(try RequestDecoder().codes(line) == "null: -32600")
    }

    @Test(
        "ids go back as they came",
        arguments: [
            "0", "-0", "1", "-1", "1.50", "1E2", "9007199254740993", "18446744073709551615", "0.1", "1e-7",
            "\"\"",
            "\"a\"", #""\u0061\/""#, #""\"""#, "\"é\"", #""\ud83d\ude00""#, "\"\u{2028}\"", "null",
            "\"" + String(repeating: "x", count: 1022) + "\"",
        ])
    func ids(_ id: String) {
        let decoder = RequestDecoder()
        for line in [
            #"{"jsonrpc":"2.0","method":"seam.ping","id":\#(id)}"#, #"{"id":  \#(id) ,"method":"seam.ping"}"#,
            #" { "method" : "seam.ping" , "id" : \#(id) } "#,
        ] {
            #expect(decoder.answer(line) == #"{"jsonrpc":"2.0","id":\#(id),"result":"seam.ping"}"# + "\n")
        }
        guard case .single(.failure(let answered, _)) = decoder.decode(#"{"id":\#(id),"method":"nope"}"#)
        else {
            Issue.record("accepted")
            return
        }
        #expect(answered.description == id)
    }

    @Test("other ids are refused", arguments: ["true", "false", "[]", "[1]", "{}", "{\"a\":1}"])
    func badIDs(_ id: String) {
        let decoder = RequestDecoder()
        #expect(decoder.error(#"{"id":\#(id),"method":"seam.ping"}"#)?.kind == .idType)
        #expect(decoder.error(#"{"jsonrpc":"2.0","id":\#(id),"method":"seam.ping"}"#)?.kind == .idType)
    }

    @Test("an id is no place to keep things")
    func longID() {
        let id = "\"" + String(repeating: "x", count: 1023) + "\""
        let error = RequestDecoder().error(#"{"id":\#(id),"method":"seam.ping"}"#)
        #expect(error?.kind == .tooLarge)
        #expect(error?.integer("limit") == 1024)
    }

    @Test("a batch of 256 is taken, one of 257 refused whole")
    func batchLimit() throws {
        let one = #"{"id":1,"method":"seam.ping"}"#
        func batch(_ count: Int) -> String {
            "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
        }
        guard case .batch(let elements) = RequestDecoder().decode(batch(256)) else {
            Issue.record("refused")
            return
        }
        #expect(elements.count == 256)
        let error = RequestDecoder().error(batch(257))
        #expect(error?.code == -32008)
        #expect(error?.integer("limit") == 256)
    }
}
