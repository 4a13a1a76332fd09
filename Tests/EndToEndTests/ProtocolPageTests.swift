import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Every example of protocol.md is a conversation with a real daemon: what is typed is sent, what stands below it
/// has to come back, byte for byte, and nothing else.
@Suite struct ProtocolPageTests {
    struct Exchange: Sendable {
        var sent: String
        var answers: [String] = []
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var line: Int
        var exchanges: [Exchange]
        var testDescription: String { "protocol.md:\(line)" }
    }

    static let examples = read(page: "protocol.md") + read(page: "README.md")

    @Test(arguments: examples) func `an example comes true`(example: Example) throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let folder = try TemporaryFolder()
        for exchange in example.exchanges {
            try client.send(exchange.sent.replacing("<folder>", with: folder.path) + "\n")
            for expected in exchange.answers {
                let answer = (try client.readLine() ?? "(closed)").replacing(folder.path, with: "<folder>")
                #expect(
                    matches(answer, expected), "to \(exchange.sent)\n  came \(answer)\n  not  \(expected)")
            }
        }
        try client.send(#"{"id":"the end","method":"seam.ping"}"# + "\n")
        let last = try client.readLine() ?? "(closed)"
        #expect(last.contains(#""id":"the end""#), "an answer that the page does not show: \(last)")
    }

    @Test func `the page has examples, each with an answer`() {
        #expect(Self.examples.count >= 10)
        #expect(Self.examples.allSatisfy { $0.exchanges.contains { !$0.answers.isEmpty } })
    }

    @Test func `an answer that differs in one byte is found`() {
        #expect(matches(#"{"epoch":"00ff00ff00ff00ff","pid":12}"#, #"{"epoch":"<epoch>","pid":<pid>}"#))
        #expect(!matches(#"{"epoch":"00ff00ff00ff00f","pid":12}"#, #"{"epoch":"<epoch>","pid":<pid>}"#))
        #expect(!matches(#"{"seq":4}"#, #"{"seq":5}"#))
        #expect(!matches(#"{"seq":4} "#, #"{"seq":4}"#))
    }

    @Test func `the table of methods is the one that rpc.discover gives`() throws {
        let document = try SeamProcess().connect().call("rpc.discover")
        var expected: [String] = []
        for method in document["methods"]?.elements ?? [] {
            let params = (method["params"]?.elements ?? []).map {
                ($0["name"]?.text ?? "") + ($0["required"]?.boolean == true ? "" : "?")
            }
            expected.append("`\(method["name"]?.text ?? "")` | \(params.joined(separator: ", "))")
        }
        let rows = try Self.text(of: "protocol.md").split(separator: "\n").filter {
            $0.wholeMatch(of: /\| `[a-z]+\.[a-z]+` \|.*/) != nil
        }
        let told = rows.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return "\(cells[0]) | \(cells.count > 2 ? cells[1].replacingOccurrences(of: "`", with: "") : "")"
        }
        #expect(told == expected)
    }

    private static func text(of page: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    }

    /// The blocks marked `seam`: `>` is sent, `<` comes back.
    private static func read(page: String) -> [Example] {
        guard let text = try? text(of: page) else { return [] }
        var examples: [Example] = []
        var isInside = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line == "```seam" {
                isInside = true
                examples.append(Example(line: number + 1, exchanges: []))
            } else if line.hasPrefix("```") {
                isInside = false
            } else if isInside, line.hasPrefix("> ") {
                examples[examples.count - 1].exchanges.append(Exchange(sent: String(line.dropFirst(2))))
            } else if isInside, line.hasPrefix("< "), let last = examples.last?.exchanges.indices.last {
                examples[examples.count - 1].exchanges[last].answers.append(String(line.dropFirst(2)))
            }
        }
        return examples
    }

    private func matches(_ answer: String, _ expected: String) -> Bool {
        let forms = [
            "<epoch>": "[0-9a-f]{16}", "<pid>": "[0-9]+", "<version>": #"[0-9]+\.[0-9]+\.[0-9]+"#,
            "<path>": #"/[^"]+"#,
        ]
        var pattern = NSRegularExpression.escapedPattern(for: expected)
        for (name, form) in forms { pattern = pattern.replacingOccurrences(of: name, with: form) }
        guard let expression = try? NSRegularExpression(pattern: "\\A\(pattern)\\z") else { return false }
        return expression.firstMatch(in: answer, range: NSRange(answer.startIndex..., in: answer)) != nil
    }
}
