import Foundation
import SeamTestSupport
import Testing

/// What `node --test` has to say of test files, every test in which has to pass.
struct NodeReport {
    static let hasNode: Bool = {
        // "v18.20.4"
        guard let said = try? run("node", ["--version"]), said.code == 0 else { return false }
        return (said.stdout.dropFirst().split(separator: ".").first.flatMap { Int($0) } ?? 0) >= 18
    }()
    static let hasBrowser = ["chromium", "chromium-browser", "google-chrome"].contains {
        (try? run($0, ["--version"]))?.code == 0
    }

    let text: String

    /// The files `….test.js` and `….test.mjs` of a folder.
    init(ofTestsIn folder: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.contains(".test.") }.sorted().map { "\(folder)/\($0)" }
        try self.init(of: files)
    }

    init(of files: [String], within patience: Duration = .seconds(240)) throws {
        try #require(!files.isEmpty)
        let outcome = try run(
            "node", ["--test"] + files, environment: ["SEAMD": Products.path("seamd")], within: patience)
        try #require(outcome.code == 0, "\(outcome.stdout)\n\(outcome.stderr)")
        text = outcome.stdout
    }

    /// "# pass 68", with another mark in front where Node's reporter has one.
    func count(_ word: String) -> Int? {
        for line in text.split(separator: "\n").reversed() {
            let words = line.split(separator: " ")
            if words.count == 3, words[1] == word { return Int(words[2]) }
        }
        return nil
    }
}
