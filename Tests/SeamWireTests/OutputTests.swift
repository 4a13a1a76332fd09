import Testing

@testable import SeamWire

@Suite("Output")
struct OutputTests {
    private func quoted(_ text: String) -> String {
        var buffer = ByteBuffer()
        buffer.value(text)
        return buffer.text
    }

    @Test("every character comes back, and none leaves the line raw that must not")
    func everyScalar() throws {
        let reader = JSONReader()
        var text = ""
        func check() throws {
            let written = quoted(text)
            let raw = written.unicodeScalars.dropFirst().dropLast()
            #expect(raw.allSatisfy { isHarmless($0) })
            #expect(try reader.read(written) == .string(text))
            text = ""
        }
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            text.unicodeScalars.append(scalar)
            if text.utf8.count > 100_000 { try check() }
        }
        try check()
    }

    private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: false
        default: true
        }
    }

    @Test(
        "escapes are the short ones where there are any",
        arguments: [
            ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
            ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#),
            ("\u{80}\u{85}\u{9F}\u{A0}", "\"\\u0080\\u0085\\u009f\u{A0}\""),
            ("\u{2027}\u{2028}\u{2029}\u{202A}", "\"\u{2027}\\u2028\\u2029\u{202A}\""),
            ("é€😀", "\"é€😀\""), ("", "\"\""),
        ])
    func escapes(_ text: String, _ written: String) {
        #expect(quoted(text) == written)
    }

    @Test(
        "a character to escape is found at every place of a run",
        arguments: ["\"", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}", "é"])
    func everyPlace(_ character: String) throws {
        for before in 0...20 {
            for after in 0...20 {
                let text =
                    String(repeating: "a", count: before) + character + String(repeating: "b", count: after)
                #expect(try JSON(parsing: quoted(text)) == .string(text))
            }
        }
    }

    @Test("commas stand between members and elements and nowhere else")
    func commas() throws {
        var buffer = ByteBuffer()
        buffer.object { object in
            object.member("a", 1)
            object.member("b", -2)
            object.member("c", "}" as String)
            object.member("d", orNull: nil)
            object.array("e") { array in
                array.value("[")
                array.value(1 as UInt64)
                array.array { _ in }
                array.object { _ in }
                array.value(true)
                array.null()
                array.raw("{\"x\":[]}")
            }
            object.object("f") { _ in }
            object.member("g", ["x", "y"])
            object.member("h", [])
            object.member("i", "word" as StaticString)
            object.member("j", true)
            object.key("k\"")
            object.null()
        }
        #expect(
            buffer.text
                == #"{"a":1,"b":-2,"c":"}","d":null,"e":["[",1,[],{},true,null,{"x":[]}],"f":{},"g":["x","y"],"h":[],"i":"word","j":true,"k\"":null}"#
        )
        #expect(try JSON(parsing: buffer.text).encoded == buffer.text)
    }

    @Test(
        "numbers are written whole", arguments: [0, 1, 9, 10, 99, 100, 12345, UInt64(Int64.max), UInt64.max])
    func numbers(_ number: UInt64) {
        var buffer = ByteBuffer()
        buffer.value(number)
        #expect(buffer.text == "\(number)")
    }

    @Test(
        "an epoch is 16 hexadecimal digits",
        arguments: [(0, "0000000000000000"), (0xABC, "0000000000000abc"), (UInt64.max, "ffffffffffffffff")]
            as [(UInt64, String)])
    func epochs(_ number: UInt64, _ text: String) {
        #expect(ByteBuffer.hexadecimal(number) == text)
    }

    @Test("bytes are taken from the front while more are appended")
    func consume() {
        var buffer = ByteBuffer()
        var written = ""
        var read = ""
        for round in 0..<2000 {
            let piece = "line \(round)\n"
            buffer.append(piece)
            written += piece
            let take = min(buffer.count, round % 3 == 0 ? 4 : 13)
            read += String(decoding: buffer.bytes.prefix(take), as: UTF8.self)
            buffer.consume(take)
        }
        read += buffer.text
        #expect(read == written)
        buffer.removeAll()
        #expect(buffer.count == 0)
        #expect(buffer.text == "")
    }

    @Test("what is handed over is whole, and the buffer goes on empty")
    func take() {
        var buffer = ByteBuffer()
        buffer.append("first")
        let taken = buffer.take()
        buffer.append("second")
        #expect(taken.text == "first")
        #expect(buffer.text == "second")
    }

    @Test("what was begun can be taken back")
    func truncate() {
        var buffer = ByteBuffer()
        buffer.append("0123456789")
        buffer.consume(2)
        buffer.truncate(to: 3)
        #expect(buffer.text == "234")
    }
}

@Suite("Pages")
struct PageTests {
    private func page(from: Int, total: Int, limit: Int? = nil, end: Int = .max) -> (text: String, next: Int?)
    {
        var buffer = ByteBuffer()
        var next: Int?
        buffer.object { object in
            next = object.page("list", from: from, total: total, limit: limit, end: end) { array, index in
                array.value(index)
            }
        }
        return (buffer.text, next)
    }

    @Test("pages join to the whole list, wherever they are cut")
    func joined() throws {
        for end in 0..<60 {
            var all: [Int] = []
            var from: Int? = 0
            while let start = from {
                let (text, next) = page(from: start, total: 30, end: end)
                let elements = try JSON(parsing: text)["list"]?.elements ?? []
                // One element at least, or nobody would get past it.
                #expect(!elements.isEmpty)
                all += elements.compactMap(\.integer)
                from = next
            }
            #expect(all == Array(0..<30))
        }
    }

    @Test("limits and ends")
    func limits() {
        #expect(page(from: 0, total: 0).text == #"{"list":[]}"#)
        #expect(page(from: 0, total: 3).next == nil)
        #expect(page(from: 1, total: 3, limit: 1).text == #"{"list":[1]}"#)
        #expect(page(from: 1, total: 3, limit: 1).next == 2)
        #expect(page(from: 1, total: 3, limit: 2).next == nil)
        #expect(page(from: 9, total: 3).text == #"{"list":[]}"#)
        #expect(page(from: 9, total: 3).next == nil)
        #expect(page(from: 1, total: 3, limit: .max).next == nil)
    }
}

@Suite("Replies")
struct ReplyTests {
    @Test("a result, and the counts of a change")
    func result() {
        var out = ByteBuffer()
        out.reply(RequestID(7), limit: 1000) { $0.change(seq: 42, turn: 17, changes: 2, diagnostics: 1) }
        out.reply(RequestID(8), limit: 1000) {
            $0.change(seq: 43, turn: 18, changes: 0, diagnostics: 0, mount: 3)
        }
        out.reply(.null, limit: 1000) { $0.object { _ in } }
        #expect(
            out.text == """
                {"jsonrpc":"2.0","id":7,"result":{"seq":42,"turn":17,"changes":2,"diagnostics":1}}
                {"jsonrpc":"2.0","id":8,"result":{"seq":43,"turn":18,"changes":0,"diagnostics":0,"mount":3}}
                {"jsonrpc":"2.0","id":null,"result":{}}

                """)
    }

    @Test("an error with its facts")
    func error() {
        var out = ByteBuffer()
        out.reply(RequestID(1), .unknownSim("s9", among: ["s1", "s2"]))
        out.reply(RequestID(2), .conflict(sim: "s1", asked: 4, seq: 5))
        #expect(
            out.text == """
                {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"There is no simulation s9; the nearest are s1, \
                s2. Make one with sim.create.","data":{"kind":"unknown-sim","sim":"s9","known":["s1","s2"]}}}
                {"jsonrpc":"2.0","id":2,"error":{"code":-32014,"message":"The simulation s1 is at seq 5, not 4; nothing \
                was changed. Read it again.","data":{"kind":"conflict","seq":5}}}

                """)
    }

    @Test("a reply one byte too long becomes an error, and what came before it stays")
    func tooLong() throws {
        var out = ByteBuffer()
        out.append("before\n")
        let text = String(repeating: "x", count: 100)
        #expect(out.reply(RequestID(1), limit: 137) { $0.value(text) })
        #expect(out.count == 7 + 137)
        #expect(!out.reply(RequestID(1), limit: 136) { $0.value(text) })
        let lines = out.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        let error = try JSON(parsing: lines[2])["error"]
        #expect(error?["code"]?.integer == -32009)
        #expect(error?["data"]?["limit"]?.integer == 136)
    }

    @Test("a field shows none as null, and cuts what is long")
    func field() throws {
        var out = ByteBuffer()
        out.field(
            screen: "Main", field: "a", verdict: "missing", model: "", shown: nil, expected: "matching",
            limits: Limits())
        #expect(
            out.text
                == #"{"screen":"Main","field":"a","verdict":"missing","model":"","shown":null,"expected":"matching"}"#
        )
        for (size, cut) in [(4096, 4096), (4097, 4096), (65_536, 4096)] {
            var out = ByteBuffer()
            let value = String(repeating: "v", count: size)
            out.field(screen: "M", field: "a", verdict: "stale", model: value, shown: "v", limits: Limits())
            let json = try JSON(parsing: out.text)
            #expect(json["model"]?.text?.utf8.count == cut)
            #expect(json["modelBytes"]?.integer == (size > 4096 ? size : nil))
            #expect(json["shownBytes"] == nil)
        }
    }

    @Test("the limits of the daemon are told")
    func limits() throws {
        var out = ByteBuffer()
        out.limits(Limits(), replyBytes: 1 << 20)
        let json = try JSON(parsing: out.text)
        #expect(json["lineBytes"]?.integer == 1 << 20)
        #expect(json["replyBytes"]?.integer == 1 << 20)
        #expect(json["mounts"]?.integer == 10_000)
        #expect(json["memoryBytes"]?.integer == 1 << 30)
        #expect(
            json.members?.map(\.name) == [
                "lineBytes", "depth", "batch", "replyBytes", "batchReplyBytes", "valueBytes",
                "shownValueBytes",
                "nameBytes", "connections", "subscriptionsPerConnection", "subscriptions", "simulations",
                "fields", "mounts",
                "ringEntries", "ringBytes", "memoryBytes", "traceBytes", "historyBytes", "roundLimit",
            ])
    }
}

@Suite("Batch replies")
struct BatchReplyTests {
    private func requests(_ count: Int, id: (Int) -> String = { "\($0)" }) -> [Incoming] {
        (0..<count).map { .request(RequestID(json: id($0)), .ping) }
    }

    @Test("are one line in the order they were answered")
    func order() {
        var batch = BatchReply(to: requests(2) + [.notification(.ping)], limit: 1000)
        #expect(batch.unanswered == 2)
        batch.reply(RequestID(1)) { $0.value(1) }
        batch.reply(RequestID(0), .shuttingDown())
        #expect(batch.unanswered == 0)
        var out = ByteBuffer()
        batch.finish(into: &out)
        #expect(
            out.text.hasPrefix(#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":0,"error":{"#))
        #expect(out.text.hasSuffix("}]\n"))
    }

    @Test("of notifications alone are no line")
    func nothing() {
        let batch = BatchReply(to: [.notification(.ping), .failedNotification(.shuttingDown())], limit: 1000)
        var out = ByteBuffer()
        batch.finish(into: &out)
        #expect(out.count == 0)
    }

    @Test("never pass the limit, and everything is answered")
    func limit() throws {
        let limit = 1 << 20
        // The worst there is: the longest ids, and results as long as a reply may be.
        for id in ["short", "long"] {
            let elements = requests(256) {
                id == "long" ? "\"\(String(repeating: "x", count: 1018))\($0 + 1000)\"" : "\($0)"
            }
            var batch = BatchReply(to: elements, limit: limit)
            var refused = 0
            for element in elements {
                guard case .request(let request, _) = element else { continue }
                if !batch.reply(request, { $0.value(String(repeating: "y", count: 60_000)) }) { refused += 1 }
            }
            var out = ByteBuffer()
            batch.finish(into: &out)
            #expect(out.count <= limit)
            #expect(out.count > limit - 400_000)
            let json = try JSON(parsing: String(out.text.dropLast()))
            #expect(json.elements?.count == 256)
            #expect(json.elements?.filter { $0["error"]?["code"]?.integer == -32009 }.count == refused)
            #expect(refused > 200)
        }
    }
}

@Suite("Event lines")
struct EventLineTests {
    private let limits = Limits()

    private func line(sub: UInt64 = 1, dseq: UInt64? = nil, _ tail: (inout ByteBuffer) -> Void) -> String {
        var encoded = ByteBuffer()
        tail(&encoded)
        var out = ByteBuffer()
        out.eventHead(sub: sub, dseq: dseq)
        out.append(encoded)
        return out.text
    }

    @Test("verdict")
    func verdict() {
        func tail(_ out: inout ByteBuffer) {
            out.verdictTail(
                sim: "s1", seq: 42, turn: 17, ms: 0, screen: "HostingController", field: "openCount",
                from: "matching",
                to: "stale", model: "5", shown: "3", limits: limits)
        }
        #expect(
            line { tail(&$0) }
                == #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"s1","kind":"verdict","seq":42,"turn":17,"ms":0,"screen":"HostingController","field":"openCount","from":"matching","to":"stale","model":"5","shown":"3"}}"#
                + "\n")
        #expect(
            line(sub: 12, dseq: 900) { tail(&$0) }
                == #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":12,"dseq":900,"sim":"s1","kind":"verdict","seq":42,"turn":17,"ms":0,"screen":"HostingController","field":"openCount","from":"matching","to":"stale","model":"5","shown":"3"}}"#
                + "\n")
    }

    private let head = #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"#

    @Test("state")
    func state() {
        #expect(
            line {
                $0.stateTail(
                    sim: "s1", seq: 9, screen: "M\"", field: "a\nb", verdict: "missing", model: "é",
                    shown: nil,
                    limits: limits)
            } == head
                + #""sim":"s1","kind":"state","seq":9,"screen":"M\"","field":"a\nb","verdict":"missing","model":"é","shown":null}}"#
                + "\n")
    }

    @Test("sync, mark, lag, end, sim")
    func others() {
        #expect(
            line { $0.syncTail(sim: "s1", seq: 9) } == head + #""sim":"s1","kind":"sync","seq":9}}"# + "\n")
        #expect(
            line { $0.markTail(sim: "s1", seq: 9) } == head + #""sim":"s1","kind":"mark","seq":9}}"# + "\n")
        #expect(
            line { $0.lagTail(sim: "s1", fromSeq: 1, toSeq: 9, .collapsed(7)) }
                == head + #""sim":"s1","kind":"lag","fromSeq":1,"toSeq":9,"collapsed":7}}"# + "\n")
        #expect(
            line { $0.lagTail(sim: "s1", fromSeq: 1, toSeq: 9, .lost(8)) }
                == head + #""sim":"s1","kind":"lag","fromSeq":1,"toSeq":9,"lost":8}}"# + "\n")
        #expect(
            line { $0.endTail(sim: "s1", reason: .closed, seq: 9) }
                == head + #""sim":"s1","kind":"end","reason":"closed","seq":9}}"# + "\n")
        #expect(
            line { $0.endTail(sim: "s1", reason: .slow, seq: 9, resume: ("00000000000000ff", 4)) }
                == head
                + #""sim":"s1","kind":"end","reason":"slow","seq":9,"resume":{"epoch":"00000000000000ff","seq":4}}}"#
                + "\n")
        #expect(
            line(dseq: 5) {
                $0.simTail(sim: "s1", what: .created, scenario: "live", epoch: "00000000000000ff")
            }
                == head
                + #""dseq":5,"sim":"s1","kind":"sim","what":"created","scenario":"live","epoch":"00000000000000ff"}}"#
                + "\n")
        for (hasFailed, status) in [(false, "running"), (true, "failed")] {
            #expect(
                line(dseq: 5) {
                    $0.simTail(
                        existing: "s1", scenario: "live", epoch: "00000000000000ff", hasFailed: hasFailed)
                }
                    == head
                    + #""dseq":5,"sim":"s1","kind":"sim","what":"exists","scenario":"live","epoch":"00000000000000ff","#
                    + #""status":"\#(status)"}}"# + "\n")
        }
    }

    @Test("lines of the daemon")
    func daemon() {
        #expect(line(dseq: 5) { $0.daemonSyncTail() } == head + #""dseq":5,"kind":"sync"}}"# + "\n")
        #expect(line(dseq: 5) { $0.daemonMarkTail() } == head + #""dseq":5,"kind":"mark"}}"# + "\n")
        #expect(
            line { $0.daemonLagTail(fromDseq: 1, toDseq: 5, .lost(3)) }
                == head + #""kind":"lag","fromDseq":1,"toDseq":5,"lost":3}}"# + "\n")
        #expect(
            line(dseq: 5) { $0.daemonEndTail(reason: .shutdown) }
                == head + #""dseq":5,"kind":"end","reason":"shutdown"}}"# + "\n")
        #expect(
            line(dseq: 5) { $0.daemonEndTail(reason: .slow, resume: ("00000000000000ff", 4)) }
                == head
                + #""dseq":5,"kind":"end","reason":"slow","resume":{"epoch":"00000000000000ff","dseq":4}}}"#
                + "\n")
    }

    @Test("diagnostic, with all that it can name and with nothing")
    func diagnostic() {
        #expect(
            line {
                $0.diagnosticTail(
                    sim: "s1", seq: 3, turn: 2, ms: 1, code: "feedback-loop", severity: "error", screen: "M",
                    field: "a",
                    bridge: "host", mount: 4, text: "round and round", limits: limits)
            } == head
                + #""sim":"s1","kind":"diagnostic","seq":3,"turn":2,"ms":1,"code":"feedback-loop","severity":"error","screen":"M","field":"a","bridge":"host","mount":4,"text":"round and round"}}"#
                + "\n")
        #expect(
            line {
                $0.diagnosticTail(
                    sim: "s1", seq: 3, turn: 2, ms: 1, code: "x", severity: "info", screen: nil, field: nil,
                    bridge: nil,
                    mount: nil, text: "", limits: limits)
            } == head
                + #""sim":"s1","kind":"diagnostic","seq":3,"turn":2,"ms":1,"code":"x","severity":"info","text":""}}"#
                + "\n")
        var out = ByteBuffer()
        out.diagnostic(
            turn: 6, code: "x", severity: "info", screen: nil, field: nil, bridge: "b", mount: nil, text: "t",
            limits: limits)
        #expect(out.text == #"{"code":"x","severity":"info","bridge":"b","text":"t","turn":6}"#)
    }

    @Test(
        "a long value is cut between two characters, and its size told",
        arguments: ["a", "é", "€", "😀"], [4094, 4095, 4096, 4097, 4098, 4099, 4100, 9000])
    func cut(_ character: String, _ size: Int) throws {
        let width = character.utf8.count
        let value =
            String(repeating: "a", count: size % width) + String(repeating: character, count: size / width)
        let text = line {
            $0.verdictTail(
                sim: "s1", seq: 1, turn: 1, ms: 0, screen: "M", field: "a", from: "matching", to: "stale",
                model: nil,
                shown: value, limits: limits)
        }
        let params = try JSON(parsing: String(text.dropLast()))["params"]
        let shown = params?["shown"]?.text ?? ""
        #expect(value.hasPrefix(shown))
        if size <= 4096 {
            #expect(shown == value)
            #expect(params?["shownBytes"] == nil)
        } else {
            #expect(shown.utf8.count <= 4096 && shown.utf8.count > 4096 - width)
            #expect(params?["shownBytes"]?.integer == size)
        }
        #expect(params?["modelBytes"] == nil)
        #expect(params?["model"]?.isNull == true)
    }

    @Test("the worst line there can be is shorter than a reply may be")
    func longest() {
        let name = String(repeating: "\u{9F}", count: 64)
        let value = String(repeating: "\u{1}", count: 65_536)
        let text = line(sub: .max, dseq: .max) {
            $0.verdictTail(
                sim: name, seq: .max, turn: .max, ms: .max, screen: name, field: name, from: "out-of-scope",
                to: "out-of-scope", model: value, shown: value, limits: limits)
        }
        #expect(text.utf8.count < limits.replyBytes)
    }
}
