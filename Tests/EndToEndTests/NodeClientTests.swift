import Foundation
import SeamTestSupport
import Testing

/// Clients/node and the example that is built upon it: their own tests, run over the daemon of this build.
@Suite struct NodeClientTests {
    private static let hasNode: Bool = {
        // "v18.20.4"
        guard let said = try? run("node", ["--version"]), said.code == 0 else { return false }
        return (said.stdout.dropFirst().split(separator: ".").first.flatMap { Int($0) } ?? 0) >= 18
    }()
    private static let hasCompiler = (try? run("tsc", ["--version"]))?.code == 0
    private static let hasBrowser = ["chromium", "chromium-browser", "google-chrome"].contains {
        (try? run($0, ["--version"]))?.code == 0
    }

    /// Runs the files `….test.js` and `….test.mjs` of a folder; every test in them has to pass.
    private func runTests(in folder: String) throws -> String {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.contains(".test.") }.sorted().map { "\(folder)/\($0)" }
        try #require(!files.isEmpty)
        let outcome = try run(
            "node", ["--test"] + files, environment: ["SEAMD": Products.path("seamd")],
            within: .seconds(240))
        try #require(outcome.code == 0, "\(outcome.stdout)\n\(outcome.stderr)")
        return outcome.stdout
    }

    /// "# pass 68", with another mark in front where Node's reporter has one.
    private func count(_ word: String, in report: String) -> Int? {
        for line in report.split(separator: "\n").reversed() {
            let words = line.split(separator: " ")
            if words.count == 3, words[1] == word { return Int(words[2]) }
        }
        return nil
    }

    @Test(
        "the Node client: calls, streams, kills, nonsense, conversations, its page",
        .enabled("NOT TESTED: there is no node 18 or later here, so Clients/node is not run") { hasNode })
    func client() throws {
        let report = try runTests(in: Checkout.path("Clients/node/test"))
        #expect(try #require(count("pass", in: report)) > 60)
        #expect(count("fail", in: report) == 0)
        #expect(count("skipped", in: report) == 0)
    }

    @Test(
        "its types hold for a program that uses all of it",
        .enabled("NOT TESTED: there is no tsc here, so Clients/node/index.d.ts is not checked") {
            hasCompiler
        })
    func types() throws {
        let outcome = try run(
            "tsc", ["-p", Checkout.path("Clients/node/test/types")], within: .seconds(120))
        #expect(outcome.code == 0, "\(outcome.stdout)")
    }

    @Test(
        "the web page in a browser: right as it is, stale on seam watch with one call taken out",
        .enabled("NOT TESTED: there is no chromium, or no node, so Clients/examples/web is not run") {
            hasNode && hasBrowser
        })
    func web() throws {
        let report = try runTests(in: Checkout.path("Clients/examples/web"))
        #expect(count("pass", in: report) == 4)
        #expect(count("skipped", in: report) == 0)
    }
}
