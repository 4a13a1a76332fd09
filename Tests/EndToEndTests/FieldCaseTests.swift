import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Plugins/FieldCases: reports from the field as the bridging code that they are about, each with its repair. What they
/// have to give is said in Tests/Cases.
@Suite struct FieldCaseTests {
    /// A line of Tests/Cases/field-cases.jsonl.
    struct Case: Sendable, CustomTestStringConvertible {
        var id: String
        var source: String
        /// Each check by its label: "Screen.field" and verdict.
        var checks: [String: [String: String]]
        var found: [String]

        var testDescription: String { "\(id), \(source)" }
        var scenario: String { "fieldcases.\(id)" }
    }

    static let cases: [Case] = {
        let file = Checkout.path("Tests/Cases/field-cases.jsonl")
        let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.map { line in
            let json = try? JSON(parsing: String(line))
            var checks: [String: [String: String]] = [:]
            for check in json?["checks"]?.members ?? [] {
                checks[check.name] = Dictionary(
                    (check.value.members ?? []).map { ($0.name, $0.value.text ?? "?") },
                    uniquingKeysWith: { $1 })
            }
            return Case(
                id: json?["case"]?.text ?? "a line that can't be read", source: json?["source"]?.text ?? "",
                checks: checks, found: (json?["found"]?.elements ?? []).compactMap(\.text))
        }
    }()

    private struct Played {
        var checks: [String: [String: String]] = [:]
        var found: Set<String> = []
        var isMet = true
    }

    private func play(_ scenario: String, _ client: TestClient) throws -> Played {
        let answer = try client.call("sim.run", #"{"scenario":"\#(scenario)"}"#)
        var played = Played()
        var findings = answer["diagnostics"]?.elements ?? []
        for check in answer["checks"]?.elements ?? [] {
            let label = check["label"]?.text ?? "?"
            for field in check["fields"]?.elements ?? [] {
                let name = "\(field["screen"]?.text ?? "?").\(field["field"]?.text ?? "?")"
                played.checks[label, default: [:]][name] = field["verdict"]?.text
            }
            if check["met"]?.boolean != true { played.isMet = false }
            findings += check["diagnostics"]?.elements ?? []
        }
        played.found = Set(findings.compactMap { $0["code"]?.text })
        return played
    }

    @Test("the fault of a report gives the report's verdicts, and is called what it is", arguments: cases)
    func fault(_ one: Case) throws {
        let daemon = try SeamProcess()
        let played = try play(one.scenario, daemon.connect())
        #expect(played.checks == one.checks)
        #expect(played.found == Set(one.found))
        #expect(played.isMet)
        #expect(daemon.stderr.isEmpty)
    }

    @Test("with the report's repair everything matches, and nothing is found", arguments: cases)
    func repair(_ one: Case) throws {
        let daemon = try SeamProcess()
        let played = try play("\(one.scenario)-fixed", daemon.connect())
        #expect(played.checks == one.checks.mapValues { $0.mapValues { _ in "matching" } })
        #expect(played.found.isEmpty)
        #expect(played.isMet)
        #expect(daemon.stderr.isEmpty)
    }

    @Test("each report has a line, a scenario and a repair")
    func complete() throws {
        let list = try SeamProcess().connect().scenarios()
        let ids = list.compactMap { $0["id"]?.text }.filter { $0.hasPrefix("fieldcases.") }
        #expect(ids.sorted() == Self.cases.flatMap { [$0.scenario, "\($0.scenario)-fixed"] }.sorted())
        #expect(Self.cases.count == 30)
        #expect(Self.cases.allSatisfy { $0.source.contains("#") && !$0.found.isEmpty && !$0.checks.isEmpty })
    }

    /// What a case gives is to come of its code alone.
    @Test("nothing outside of the cases knows their names")
    func unknown() throws {
        var readers: [String] = []
        for folder in ["Sources", "Plugins"] {
            let root = Checkout.path(folder)
            for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
                guard path.hasSuffix(".swift") || path.hasSuffix(".c") || path.hasSuffix(".h"),
                    !path.hasPrefix("FieldCases/"),
                    let text = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
                else { continue }
                if text.firstMatch(of: /fieldcases\.|\bfc-?[0-9]{3}\b/) != nil { readers.append(path) }
            }
        }
        #expect(readers.isEmpty)
    }
}
