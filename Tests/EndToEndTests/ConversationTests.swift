import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// One file of Tests/Conversations. Lines are kept as bytes: to a String, an accent of its own is the same as one
/// in the letter.
struct GoldenConversation: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case send(line: [UInt8])
        case sendText(String)
        case endSending
        case read(line: [UInt8])
        case readEnd
    }

    struct Line: Sendable {
        var number: Int
        var client: String
        var step: Step
    }

    var file: String
    var lines: [Line]
    var testDescription: String { URL(fileURLWithPath: file).lastPathComponent }

    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    init(file: String) throws {
        try self.init(file: file, text: String(contentsOfFile: file, encoding: .utf8))
    }

    init(file: String, text: String) throws {
        self.file = file
        var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard rows.popLast() == "" else { throw Broken(description: "\(file) does not end with a line feed") }
        guard rows.first?.hasPrefix(#"{"conversation":""#) == true else {
            throw Broken(description: "\(file) does not begin with a title")
        }
        lines = try zip(2..., rows.dropFirst()).map { number, row in
            guard let line = Self.line(number, row) else {
                throw Broken(description: "\(file):\(number): this is no line of a conversation: \(row)")
            }
            return line
        }
    }

    private static func line(_ number: Int, _ row: String) -> Line? {
        guard let parts = row.wholeMatch(of: /\{"(from|to)":"([a-z]+)","(line|text|end)":(.*)\}/)?.output
        else { return nil }
        let step: Step
        switch (parts.1, parts.3) {
        case ("from", "line"): step = .send(line: Array(parts.4.utf8))
        case ("to", "line"): step = .read(line: Array(parts.4.utf8))
        case ("from", "text"):
            // Not for a line: some are deeper, or have longer numbers, than this reader takes.
            guard let text = try? JSON(parsing: row)["text"]?.text else { return nil }
            step = .sendText(text)
        case ("from", "end") where parts.4 == "true": step = .endSending
        case ("to", "end") where parts.4 == "true": step = .readEnd
        default: return nil
        }
        return Line(number: number, client: String(parts.2), step: step)
    }

    static let all: [GoldenConversation] = {
        let folder = Checkout.path("Tests/Conversations")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".jsonl") }.sorted().map { name in
            do { return try GoldenConversation(file: "\(folder)/\(name)") } catch {
                // A file that cannot be read must be a failed test, and not one less.
                return GoldenConversation(unreadable: "\(folder)/\(name)")
            }
        }
    }()

    private init(unreadable file: String) {
        self.file = file
        lines = []
    }
}

/// What the words of a conversation stand for.
struct Words {
    private(set) var bound: [String: [UInt8]] = [:]

    /// The word that begins at `index`, with its marks and quotes, and where it ends.
    private static func word(_ line: [UInt8], at index: Int) -> (name: String, end: Int)? {
        guard line[index...].starts(with: #""<"#.utf8) else { return nil }
        var end = index + 2
        func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): end == index + 2
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): end > index + 2
            default: false
            }
        }
        while end < line.count, isWord(line[end]) { end += 1 }
        guard end > index + 2, line[end...].starts(with: #">""#.utf8) else { return nil }
        return (String(decoding: line[(index + 2)..<end], as: UTF8.self), end + 2)
    }

    /// The string, number or list of strings at the start.
    private static func value(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        // Bytes beyond ASCII are passed over one by one, and never cut: a quote is none of them.
        let text = String(decoding: line, as: UTF8.self)
        let string = #/"(?:[^"\\]|\\.)*"/#
        let number = /-?[0-9][0-9.eE+\-]*/
        let list = #/\[(?:"(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*)?\]/#
        guard
            let found = text.prefixMatch(of: string)?.output ?? text.prefixMatch(of: number)?.output
                ?? text.prefixMatch(of: list)?.output
        else { return nil }
        return line.prefix(found.utf8.count)
    }

    /// Whether `line` is the expected one; binds what it has that is new.
    mutating func matches(_ line: [UInt8], _ expected: [UInt8]) -> Bool {
        var rest = line[...]
        var index = 0
        while index < expected.count {
            if let (name, end) = Self.word(expected, at: index) {
                guard let value = Self.value(rest) else { return false }
                if let known = bound[name], known != Array(value) { return false }
                bound[name] = Array(value)
                rest = rest.dropFirst(value.count)
                index = end
            } else {
                guard rest.first == expected[index] else { return false }
                rest = rest.dropFirst()
                index += 1
            }
        }
        return rest.isEmpty
    }

    /// The line with each word as it was bound; nil when one was not.
    func filled(_ line: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        while index < line.count {
            if let (name, end) = Self.word(line, at: index) {
                guard let value = bound[name] else { return nil }
                result += value
                index = end
            } else {
                result.append(line[index])
                index += 1
            }
        }
        return result
    }
}

extension GoldenConversation {
    /// A client in the middle of it.
    private struct Peer {
        var client: TestClient
        var sends = true
        var isOver = false
    }

    /// Plays it with a daemon that has just been started. The first difference, or nil.
    func replay(with daemon: SeamProcess, within patience: Duration = .seconds(20)) throws -> String? {
        var peers: [String: Peer] = [:]
        var words = Words()

        func read(_ name: String, _ client: TestClient, expected: [UInt8]?) throws -> [UInt8]? {
            while let line = try client.readLine(within: patience) {
                let isMark = line.contains(#""kind":"mark""#)
                let marksAreAwaited = expected.map {
                    String(decoding: $0, as: UTF8.self).contains(#""kind":"mark""#)
                }
                // A mark comes by the clock, so no conversation can foretell it.
                if !isMark || marksAreAwaited == true { return Array(line.utf8) }
            }
            return nil
        }
        func difference(_ number: Int, _ client: String, _ came: [UInt8]?, _ expected: String) -> String {
            """
            \(file):\(number): to \(client)
              came \(came.map { String(decoding: $0, as: UTF8.self) } ?? "the end")
              not  \(expected)
            """
        }

        for line in lines {
            if peers[line.client] == nil { peers[line.client] = Peer(client: try daemon.connect()) }
            guard let peer = peers[line.client] else { continue }
            switch line.step {
            case .send(let bytes):
                guard let filled = words.filled(bytes) else {
                    return "\(file):\(line.number): a word that nothing has bound yet"
                }
                try peer.client.send(bytes: filled + [UInt8(ascii: "\n")])
            case .sendText(let text): try peer.client.sendLine(text)
            case .endSending:
                peer.client.endSending()
                peers[line.client]?.sends = false
            case .read(let expected):
                let came = try read(line.client, peer.client, expected: expected)
                guard let came, words.matches(came, expected) else {
                    return difference(
                        line.number, line.client, came, String(decoding: expected, as: UTF8.self))
                }
            case .readEnd:
                let came = try read(line.client, peer.client, expected: nil)
                guard came == nil else { return difference(line.number, line.client, came, "the end") }
                peers[line.client]?.isOver = true
            }
        }

        for (name, peer) in peers where !peer.isOver {
            if peer.sends { try peer.client.sendLine(#"{"id":"the end","method":"seam.ping"}"#) }
            let came = try read(name, peer.client, expected: nil)
            let isRight =
                peer.sends
                ? came?.starts(with: #"{"jsonrpc":"2.0","id":"the end","#.utf8) == true : came == nil
            guard isRight else { return difference(lines.count + 1, name, came, "the end") }
        }
        return nil
    }
}

/// Tests/Conversations: what two sides say to each other, byte for byte.
@Suite struct ConversationTests {
    private static let script = Checkout.path("Tests/Conversations/replay.sh")
    private static let hasTools = ["socat", "jq"].allSatisfy { tool in
        (try? run("which", [tool]))?.code == 0
    }

    @Test("a conversation comes true", arguments: GoldenConversation.all)
    func replay(_ conversation: GoldenConversation) throws {
        try #require(conversation.lines.count >= 2, "\(conversation.file) is no conversation, or empty")
        let difference = try conversation.replay(with: SeamProcess())
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test(
        "a conversation comes true over bash, socat and jq",
        .enabled("NOT TESTED: there is no socat or no jq here to replay the conversations with") {
            hasTools
        }, arguments: GoldenConversation.all)
    func socat(_ conversation: GoldenConversation) throws {
        let folder = try TemporaryFolder()
        let daemon = try SeamProcess()
        let outcome = try run(
            Self.script, [daemon.socket, conversation.file], environment: ["TMPDIR": folder.path])
        #expect(outcome.code == 0 && outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("there are conversations about everything that the protocol has")
    func coverage() throws {
        #expect(GoldenConversation.all.count >= 14)
        let texts = try GoldenConversation.all.map { try String(contentsOfFile: $0.file, encoding: .utf8) }
            .joined()
        let page = try String(contentsOfFile: Checkout.path("protocol.md"), encoding: .utf8)
        // The table of errors: every code that a conversation can bring about, and every kind of bad parameters.
        let rows = page.split(separator: "\n").compactMap {
            $0.wholeMatch(of: /\| (-32\d\d\d) \| (.*?) \|.*/)
        }
        #expect(rows.count >= 16)
        // An internal error is a fault, another user is more than a test can be, and a conversation has neither a folder
        // for files nor a plug-in that does something else the second time.
        for row in rows where !["-32603", "-32012", "-32015", "-32016"].contains(row.1) {
            #expect(texts.contains(#""code":\#(row.1),"#), "no conversation has the error \(row.1)")
        }
        for kind in rows.flatMap({ $0.2.matches(of: /`([a-z-]+)`/).map(\.1) })
        where !["internal", "denied", "recorded", "bad-recording", "file-failed", "not-repeatable"].contains(
            kind)
        {
            #expect(texts.contains(#""kind":"\#(kind)""#), "no conversation has an error of kind \(kind)")
        }
    }

    @Test(
        "whoever reads of a conversation finds it",
        arguments: ["protocol.md", "Tests/Conversations/README.md"])
    func links(_ page: String) throws {
        let file = URL(fileURLWithPath: Checkout.path(page))
        let text = try String(contentsOf: file, encoding: .utf8)
        let links = text.matches(of: /\]\(([^)#]*\.jsonl)\)/).map { String($0.1) }
        #expect(links.count >= 10, "\(links)")
        for link in links {
            let target = file.deletingLastPathComponent().appending(path: link).path
            #expect(FileManager.default.fileExists(atPath: target), "\(page) leads to \(link)")
        }
    }
}

/// A conversation that is not true must fail, whoever plays it.
@Suite struct PlantedConversationTests {
    static let conversation = #"""
        {"conversation":"Two simulations","about":"True as it stands."}
        {"from":"a","line":{"id":1,"method":"sim.create","params":{"scenario":"live","id":"one"}}}
        {"to":"a","line":{"jsonrpc":"2.0","id":1,"result":{"sim":"one","epoch":"<one>","seq":0,"turn":1}}}
        {"from":"b","line":{"id":1,"method":"sim.create","params":{"scenario":"live","id":"two"}}}
        {"to":"b","line":{"jsonrpc":"2.0","id":1,"result":{"sim":"two","epoch":"<two>","seq":0,"turn":1}}}
        {"from":"a","line":{"id":2,"method":"sub.open","params":{"sim":"one","after":{"epoch":"<one>","seq":0}}}}
        {"to":"a","line":{"jsonrpc":"2.0","id":2,"result":{"sub":1,"epoch":"<one>","seq":0,"count":0}}}
        {"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"sync","seq":0}}}
        {"from":"b","line":{"id":2,"method":"screen.set","params":{"sim":"one","screen":"Main","values":{"é":"*[a]\\ $1"}}}}
        {"to":"b","line":{"jsonrpc":"2.0","id":2,"result":{"seq":1,"turn":2,"changes":1,"diagnostics":0}}}
        {"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"verdict","seq":1,"turn":2,"ms":0,"screen":"Main","field":"é","from":"out-of-scope","to":"leftover","model":null,"shown":"*[a]\\ $1"}}}
        {"from":"b","end":true}
        {"to":"b","end":true}

        """#

    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var old: String
        var new: String
        /// Where it has to be noticed.
        var line: Int?
    }

    static let changes = [
        Change(testDescription: "a value differs", old: #""to":"leftover""#, new: #""to":"stale""#, line: 11),
        Change(
            testDescription: "a number differs", old: #""turn":2,"changes""#, new: #""turn":3,"changes""#,
            line: 10),
        Change(
            testDescription: "members are in another order", old: #""seq":1,"turn":2,"changes""#,
            new: #""turn":2,"seq":1,"changes""#, line: 10),
        Change(testDescription: "a member is missing", old: #","diagnostics":0"#, new: "", line: 10),
        Change(testDescription: "a member more", old: #""count":0"#, new: #""count":0,"more":1"#, line: 7),
        Change(testDescription: "a space more", old: #""count":0"#, new: #""count": 0"#, line: 7),
        Change(testDescription: "a number is a text", old: #""ms":0"#, new: #""ms":"0""#, line: 11),
        Change(
            testDescription: "a letter in another form", old: #""field":"é""#, new: #""field":"e\#u{301}""#,
            line: 11),
        Change(
            testDescription: "what looks like a pattern is one", old: #""shown":"*[a]\\ $1""#,
            new: #""shown":"*.*""#, line: 11),
        Change(
            testDescription: "the lines are in another order",
            old:
                #"{"to":"a","line":{"jsonrpc":"2.0","id":2,"result":{"sub":1,"epoch":"<one>","seq":0,"count":0}}}"#
                + "\n"
                + #"{"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"sync","seq":0}}}"#,
            new:
                #"{"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"sync","seq":0}}}"#
                + "\n"
                + #"{"to":"a","line":{"jsonrpc":"2.0","id":2,"result":{"sub":1,"epoch":"<one>","seq":0,"count":0}}}"#,
            line: 7),
        Change(
            testDescription: "a line in the middle is missing",
            old:
                #"{"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"sync","seq":0}}}"#
                + "\n",
            new: "", line: 10),
        Change(
            testDescription: "the last line to a client is missing",
            old:
                #"{"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"verdict","seq":1,"turn":2,"ms":0,"screen":"Main","field":"é","from":"out-of-scope","to":"leftover","model":null,"shown":"*[a]\\ $1"}}}"#
                + "\n",
            new: "", line: nil),
        Change(
            testDescription: "a line comes twice", old: #"{"from":"b","end":true}"#,
            new:
                #"{"to":"b","line":{"jsonrpc":"2.0","id":2,"result":{"seq":1,"turn":2,"changes":1,"diagnostics":0}}}"#
                + "\n"
                + #"{"from":"b","end":true}"#,
            line: 12),
        Change(
            testDescription: "a line behind the end", old: #"{"to":"b","end":true}"#,
            new: #"{"to":"b","line":{"jsonrpc":"2.0","id":2,"result":{}}}"#, line: 13),
        Change(
            testDescription: "an end that does not come",
            old: #"{"from":"b","end":true}"# + "\n" + #"{"to":"b","end":true}"#,
            new: #"{"to":"a","end":true}"#, line: 12),
        Change(
            testDescription: "a line to another client",
            old:
                #"{"to":"a","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"verdict""#,
            new:
                #"{"to":"b","line":{"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,"sim":"one","kind":"verdict""#,
            line: 11),
        Change(testDescription: "a word stands for two values", old: "<two>", new: "<one>", line: 5),
        Change(
            testDescription: "a word is sent before it is bound", old: #"{"epoch":"<one>","seq":0}"#,
            new: #"{"epoch":"<none>","seq":0}"#, line: 6),
        Change(
            testDescription: "a word stands for more than one value", old: #""sim":"two","epoch":"<two>""#,
            new: #""sim":"<two>""#, line: 5),
        Change(
            testDescription: "what is no word is taken as it stands", old: #""sim":"two","epoch":"<two>""#,
            new: #""sim":"two","epoch":"<Two words>""#, line: 5),
    ]

    private static func file(_ change: Change?) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        var text = conversation
        if let change {
            #expect(text.contains(change.old), "\(change) changes nothing")
            text = text.replacing(change.old, with: change.new, maxReplacements: 1)
        }
        return (folder, try folder.write(text, to: "planted.jsonl"))
    }

    @Test("as it stands it is true")
    func unchanged() throws {
        let (_folder, file) = try Self.file(nil)
        let difference = try GoldenConversation(file: file).replay(with: SeamProcess())
        #expect(difference == nil)
        withExtendedLifetime(_folder) {}
    }

    @Test("a difference is found", arguments: changes)
    func found(_ change: Change) throws {
        let (folder, file) = try Self.file(change)
        defer { withExtendedLifetime(folder) {} }
        let daemon = try SeamProcess()
        let difference: String?
        // A line that never comes is waited for, so not for as long as one that does.
        do {
            difference = try GoldenConversation(file: file).replay(with: daemon, within: .seconds(2))
        } catch {
            difference = "\(file):\(change.line ?? 0): \(error)"
        }
        let place = "\(file):" + (change.line.map { "\($0):" } ?? "")
        #expect(difference?.hasPrefix(place) == true, "\(difference ?? "nothing was found")")
    }

    @Test(
        "a difference is found over socat",
        .enabled("NOT TESTED: there is no socat here") { (try? run("which", ["socat"]))?.code == 0 },
        arguments: changes)
    func foundOverSocat(_ change: Change) throws {
        let (folder, file) = try Self.file(change)
        defer { withExtendedLifetime(folder) {} }
        let daemon = try SeamProcess()
        let outcome = try run(
            Checkout.path("Tests/Conversations/replay.sh"), [daemon.socket, file],
            environment: ["SEAM_PATIENCE": "2"])
        let place = "\(file):" + (change.line.map { "\($0):" } ?? "")
        #expect([1, 2].contains(outcome.code) && outcome.stderr.contains(place), "\(outcome)")
        // And the daemon has not been harmed by it.
        try daemon.connect().call("seam.ping")
    }

    @Test(
        "what is no conversation is not taken for one",
        arguments: [
            "", "\n", "{}\n", #"{"from":"a","line":{}}"# + "\n",
            #"{"conversation":"a","about":"b"}"# + "\n" + #"{"to":"a"}"# + "\n",
            #"{"conversation":"a","about":"b"}"# + "\n" + #"{"from":"a","end":false}"# + "\n",
            #"{"conversation":"a","about":"b"}"# + "\n" + #"{"to":"a","text":"b"}"# + "\n",
        ])
    func broken(_ text: String) throws {
        #expect(throws: GoldenConversation.Broken.self) {
            try GoldenConversation(file: "planted", text: text)
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "planted.jsonl")
        let daemon = try SeamProcess()
        let outcome = try run(Checkout.path("Tests/Conversations/replay.sh"), [daemon.socket, file])
        #expect(outcome.code == 2, "\(outcome)")
    }
}
