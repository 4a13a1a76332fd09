import SeamWire
import Testing

/// What is JSON and what is not, judged through the reader, and that a request line is judged the same way.
@Suite("JSON text")
struct JSONTextTests {
    @Test(
        "texts of RFC 8259 are read",
        arguments: [
            "null", "true", "false", "0", "-0", "-1", "1.5", "1e5", "1E+5", "1e-5", "123456789012345678",
            "18446744073709551615", "-9223372036854775808", "0.1e1", "1e-400", "\"\"", "\"a\"", "[]", "{}",
            " [ 1 , 2 ] ", "\t{\"a\" :\r 1 }", "[[[[]]]]", "{\"\":0}", "{\"a\":{\"a\":1}}",
            #""\"\\\/\b\f\n\r\t""#,
            #""\u0000""#, #""\u00e9""#, #""\uD83D\uDE00""#, "\"\u{7F}\"",
            "\"\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}\"",
            "\"\u{2028}\u{2029}\u{85}\"", "[null,1,\"2\",{}]",
        ])
    func accepted(_ text: String) throws {
        _ = try JSON(parsing: text)
        // As a request it is judged as one, not as bad JSON.
        let codes = try RequestDecoder().codes(text)
        #expect(codes.contains("-32600") && !codes.contains("-32700"))
    }

    static let refused: [(text: [UInt8], offset: UInt64, expected: String)] = [
        ("", 0, "a value"), (" ", 1, "a value"), ("[1,]", 3, "a value"), ("[,1]", 1, "a value"),
        ("{\"a\":1,}", 7, "a key in double quotes"), ("{,}", 1, "a key in double quotes"),
        ("{\"a\"}", 4, "':'"), ("{\"a\" 1}", 5, "':'"), ("{1:2}", 1, "a key in double quotes"),
        ("{'a':1}", 1, "a key in double quotes"), ("{a:1}", 1, "a key in double quotes"),
        ("[1 2]", 3, "',' or ']'"), ("[1}", 2, "',' or ']'"), ("{\"a\":1]", 6, "',' or '}'"),
        ("[1", 2, "',' or ']'"), ("{\"a\":1", 6, "',' or '}'"),
        ("[", 1, "a value, or the end of what was opened"),
        ("1 2", 2, "the end of the line"), ("{}{}", 2, "the end of the line"),
        ("[]]", 2, "the end of the line"),
        ("{} // x", 3, "the end of the line"), ("/* x */ 1", 0, "a value"), ("# x", 0, "a value"),
        ("NaN", 0, "a value"), ("-NaN", 1, "a digit"), ("Infinity", 0, "a value"),
        ("-Infinity", 1, "a digit"),
        ("+1", 0, "a value"), (".5", 0, "a value"), ("1.", 2, "a digit"), ("1.e1", 2, "a digit"),
        ("1e", 2, "a digit"), ("1e+", 3, "a digit"), ("-", 1, "a digit"),
        ("01", 1, "a number without a leading zero"), ("-01", 2, "a number without a leading zero"),
        ("0x1", 1, "the end of the value"), ("1a", 1, "the end of the value"),
        ("1_000", 1, "the end of the value"),
        ("True", 0, "a value"), ("nul", 0, "a value"), ("nulll", 4, "the end of the value"),
        ("undefined", 0, "a value"), ("\"a", 2, "the closing quote of a string"), ("'a'", 0, "a value"),
        ("\"\\a\"", 1, "an escape such as \\n or \\u00e9"), ("\"\\", 1, "an escape such as \\n or \\u00e9"),
        ("\"\\u12\"", 1, "four hexadecimal digits after \\u"),
        ("\"\\u12g4\"", 1, "four hexadecimal digits after \\u"),
        ("\"\\ud800\"", 1, "a surrogate pair, not its first half alone"),
        ("\"\\ud800x\"", 1, "a surrogate pair, not its first half alone"),
        ("\"\\ud800\\ud800\"", 1, "a surrogate pair, not its first half alone"),
        ("\"\\udc00\"", 1, "a surrogate pair, not its second half alone"),
        ("\"\t\"", 1, "no raw control character in a string (write \\n, \\t, \\u00XX)"),
        ("\"\u{0}\"", 1, "no raw control character in a string (write \\n, \\t, \\u00XX)"),
        ("\u{0}", 0, "a value"), ("[1\u{0}]", 2, "the end of the value"), ("\u{0C}1", 0, "a value"),
        ("\u{FEFF}{}", 0, "a value"), ("\u{A0}1", 0, "a value"), ("[é]", 1, "a value"),
    ].map { (Array($0.0.utf8), $0.1, $0.2) }

    static let refusedBytes: [(text: [UInt8], offset: UInt64, expected: String)] = [
        ([0xFF], 0, "a value"),
        ([0x22, 0x80, 0x22], 1, "UTF-8"),  // a continuation alone
        ([0x22, 0xC3, 0x22], 1, "UTF-8"),  // cut off
        ([0x22, 0xC0, 0xAF, 0x22], 1, "UTF-8"),  // overlong
        ([0x22, 0xC1, 0xBF, 0x22], 1, "UTF-8"),
        ([0x22, 0xE0, 0x80, 0xAF, 0x22], 1, "UTF-8"),
        ([0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], 1, "UTF-8"),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], 1, "UTF-8"),  // a surrogate
        ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1, "UTF-8"),  // beyond U+10FFFF
        ([0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], 1, "UTF-8"),  // five bytes
        ([0x22, 0x61, 0xE2, 0x82, 0x22], 2, "UTF-8"),
        ([0x7B, 0x22, 0xFE, 0x22, 0x3A, 0x31, 0x7D], 2, "UTF-8"),  // in a key
        (Array("[\"ok\",\"".utf8) + [0xE9, 0x22, 0x5D], 7, "UTF-8"),  // Latin-1
        ([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], 0, "a value"),  // UTF-16
    ]

    @Test(
        "everything else is refused, and the place and the reason are told", arguments: refused + refusedBytes
    )
    func refusal(_ text: [UInt8], _ offset: UInt64, _ expected: String) throws {
        let decoder = RequestDecoder()
        guard case .single(.failure(let id, let error)) = decoder.decode(text) else {
            Issue.record("accepted")
            return
        }
        #expect(id == .null)
        #expect(error.kind == .parse)
        #expect(error.code == -32700)
        #expect(error.integer("offset") == offset)
        #expect(error.text("expected") == expected)
        #expect(error.message.contains(expected))
        // The line after a bad one is read as if nothing had been.
        #expect(decoder.call(#"{"id":1,"method":"seam.ping"}"#) == .ping)
    }

    @Test("a byte order mark is called by its name, before whatever it stands")
    func byteOrderMark() {
        let decoder = RequestDecoder()
        for line in ["{\"id\":1,\"method\":\"seam.ping\"}", "", "{"] {
            let error = decoder.error("\u{FEFF}" + line)
            #expect(error?.kind == .parse && error?.code == -32700 && error?.integer("offset") == 0)
            #expect(error?.message.contains("UTF-8 byte order mark (EF BB BF)") == true)
        }
        // In a text it is a character like any other; elsewhere it is what is not JSON.
        #expect(decoder.call("{\"method\":\"sim.get\",\"params\":{\"sim\":\"a\u{FEFF}b\"}}") == nil)
        #expect(decoder.error(" \u{FEFF}{}")?.message.contains("byte order mark") == false)
        #expect(decoder.call(#"{"id":1,"method":"seam.ping"}"#) == .ping)
    }

    @Test(
        "a number that no 64 bits hold is told apart",
        arguments: [
            ("[1e400]", 1), ("[-1e999]", 1), ("[0, 18446744073709551616]", 4), ("[-9223372036854775809]", 1),
            ("[1, 123456789012345678901234567890]", 4),
        ])
    func numberRange(_ text: String, _ offset: UInt64) {
        let error = RequestDecoder().error(text)
        #expect(error?.kind == .numberRange)
        #expect(error?.code == -32700)
        #expect(error?.integer("offset") == offset)
    }

    @Test("a number of a million digits is refused like any other that does not fit")
    func millionDigits() {
        let line = "[" + String(repeating: "7", count: 1_000_000) + "]"
        #expect(RequestDecoder().error(line)?.kind == .numberRange)
    }

    private func nested(_ depth: Int, _ inside: String, open: String = "[", close: String = "]") -> String {
        String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
    }

    @Test(
        "64 levels pass, empty or not; 65 are too deep, empty or not", arguments: ["", "1", "\"x\"", "null"])
    func depth(_ inside: String) throws {
        _ = try JSON(parsing: nested(64, inside))
        let error = #expect(throws: WireError.self) { try JSON(parsing: nested(65, inside)) }
        #expect(error?.kind == .tooDeep)
        #expect(error?.integer("offset") == 64)
        if !inside.isEmpty {
            _ = try JSON(parsing: nested(64, inside, open: "{\"a\":", close: "}"))
            let error = #expect(throws: WireError.self) {
                try JSON(parsing: nested(65, inside, open: "{\"a\":", close: "}"))
            }
            #expect(error?.kind == .tooDeep)
        }
    }

    @Test("nesting that never closes is no JSON, however deep")
    func neverCloses() {
        #expect(RequestDecoder().error(String(repeating: "[", count: 100_000))?.kind == .parse)
        #expect(RequestDecoder().error(String(repeating: "{\"a\":", count: 100_000))?.kind == .parse)
        #expect(RequestDecoder().error(nested(300_000, ""))?.kind == .tooDeep)
        #expect(RequestDecoder().error(nested(100, "]"))?.kind == .parse)
    }

    @Test("what is shown of a bad line is safe to print")
    func near() {
        let line: [UInt8] = Array("{\"a\":\"\u{1B}[31m".utf8) + [0xFF, 0x00] + Array("\u{202E}evil\"}".utf8)
        guard case .single(.failure(_, let error)) = RequestDecoder().decode(line) else {
            Issue.record("accepted")
            return
        }
        let near = error.text("near") ?? ""
        #expect(!near.isEmpty)
        #expect(near.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E && $0.value != 0x7F })
    }

    @Test(
        "what lies behind a line is never looked at",
        arguments: [0x00, 0x22, 0x30, 0x5D, 0x7B, 0x7D, 0xFF] as [UInt8])
    func padding(_ behind: UInt8) {
        let decoder = RequestDecoder()
        for line in ["{\"id\":1,\"method\":\"seam.ping\"}", "12", "[1", "\"a", "tru", "true", "1."] {
            let plain = PaddedLine(Array(line.utf8), behind: 0)
            let other = PaddedLine(Array(line.utf8), behind: behind)
            #expect(decoder.decode(plain.bytes) == decoder.decode(other.bytes))
        }
    }

    @Test("a line as long as a line may be is read, and the parser serves on")
    func longLine() {
        let decoder = RequestDecoder()
        let start = #"{"id":1,"method":"seam.ping","params":{},"more":""#
        for _ in 0..<3 {
            let line = start + String(repeating: "x", count: (1 << 20) - start.utf8.count - 2) + "\"}"
            #expect(line.utf8.count == 1 << 20)
            #expect(decoder.call(line) == .ping)
            #expect(decoder.call(#"{"id":1,"method":"seam.ping"}"#) == .ping)
        }
        #expect(decoder.error(String(repeating: "1", count: 1 << 20) + " ")?.kind == .tooLarge)
    }
}

@Suite("Repeated keys")
struct RepeatedKeyTests {
    @Test(
        "are found at any level, and the id still answers",
        arguments: [
            (#"{"id":7,"method":"seam.ping","method":"seam.ping"}"#, "7", "method"),
            (#"{"id":7,"id":7,"method":"seam.ping"}"#, "null", "id"),
            (
                #"{"id":7,"method":"model.set","params":{"sim":"s","values":{"a":"1","b":"2","a":"3"}}}"#,
                "7", "params.values.a"
            ),
            (#"{"id":"x","method":"seam.ping","more":[0,{"a":[{"b":1,"b":2}]}]}"#, "\"x\"", "more[1].a[0].b"),
            (#"{"id":7,"method":"seam.ping","params":{"id":1,"id":2}}"#, "7", "params.id"),
            (#"{"id":7,"method":"seam.ping","\u0061":1,"a":2}"#, "7", "a"),
            (#"{"id":7,"method":"seam.ping","":1,"":2}"#, "7", #""""#),
        ])
    func found(_ line: String, _ id: String, _ path: String) {
        guard case .single(.failure(let answered, let error)) = RequestDecoder().decode(line) else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .duplicateKey)
        #expect(error.code == -32600)
        #expect(error.text("path") == path)
        #expect(answered.description == id)
    }

    @Test("of one batch element are that element's alone")
    func batch() throws {
        let line =
            #"[{"id":1,"method":"seam.ping"},{"id":2,"method":"seam.ping","a":1,"a":1},{"id":3,"method":"seam.ping"}]"#
        #expect(try RequestDecoder().codes(line) == "[1: seam.ping, 2: -32600, 3: seam.ping]")
    }

    @Test("keys that only look alike are not repeated")
    func different() throws {
        _ = try JSON(
            parsing: #"{"a":1,"A":2,"a ":3,"aa":4,"a\u0000":5,"":6,"\u00e1":7,"a\u0301":8}"#)
    }

    @Test("in a huge object are found, and none where there are none", arguments: [13, 100, 5000, 60_000])
    func huge(_ count: Int) {
        let keys = (0..<count).map { "\"key\($0 &* 7919 % 1_000_003)\":1" }
        let decoder = RequestDecoder()
        #expect(decoder.error("{" + keys.joined(separator: ",") + "}")?.kind == .invalidRequest)
        for place in [0, count / 2, count - 1] {
            let line = "{" + (keys + [keys[place]]).joined(separator: ",") + "}"
            #expect(decoder.error(line)?.kind == .duplicateKey)
        }
    }

    @Test("long keys that differ only at their end are told apart")
    func commonBeginnings() {
        let start = String(repeating: "k", count: 40)
        let keys = (0..<2000).map { "\"\(start)\($0)\":0" }
        #expect(RequestDecoder().error("{" + keys.joined(separator: ",") + "}")?.kind == .invalidRequest)
        #expect(
            RequestDecoder().error("{" + (keys + [keys[1999]]).joined(separator: ",") + "}")?.kind
                == .duplicateKey)
    }
}
