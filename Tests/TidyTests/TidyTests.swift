import Foundation
import SeamTestSupport
import Testing

/// Reads this checkout and holds it to the rules that no compiler knows. That each of them can fail is shown in
/// `CheckTests`.
@Suite struct TidyTests {
    private func expectNothing(
        in files: [String], sourceLocation: SourceLocation = #_sourceLocation,
        _ check: (_ file: String, _ source: String) throws -> [Finding]
    ) rethrows {
        // A check that looks at no file finds nothing: then the listing is broken.
        #expect(!files.isEmpty, sourceLocation: sourceLocation)
        for file in files {
            let source: String
            do { source = try Repository.text(file) } catch {
                Issue.record("\(file) cannot be read: \(error)", sourceLocation: sourceLocation)
                continue
            }
            for finding in try check(file, source) {
                Issue.record("\(finding)", sourceLocation: sourceLocation)
            }
        }
    }

    private func files(in folders: String..., suffix: String = "") -> [String] {
        Repository.files.filter { file in
            folders.contains { file.hasPrefix("\($0)/") } && file.hasSuffix(suffix)
        }
    }

    @Test("imports point down only")
    func arrows() throws {
        // What the tutorial shows is a plug-in's, and no part of the target that it lies in.
        let sources = files(in: "Sources", "Plugins", "Tests/SeamTestSupport", suffix: ".swift")
            .filter { !$0.contains(".docc/") }
        expectNothing(in: sources) { file, source in
            Check.arrows(target: String(file.split(separator: "/")[1]), file: file, source: source)
        }
        // A row for a target that is gone would be a rule that nobody can break.
        let targets = Set(try ["Sources", "Plugins", "Tests"].flatMap(Repository.targets))
        for target in Check.arrows.keys where !targets.contains(target) {
            Issue.record("Check.arrows speaks of \(target), which does not exist")
        }
    }

    @Test("no test imports a plug-in")
    func testImports() throws {
        let plugins = try Repository.targets(in: "Plugins")
        #expect(!plugins.isEmpty)
        expectNothing(in: files(in: "Tests", suffix: ".swift")) { file, source in
            Check.testImports(file: file, source: source, plugins: plugins)
        }
    }

    @Test("no file is longer than one can read")
    func sizes() {
        expectNothing(in: Repository.files) { Check.size(file: $0, source: $1) }
    }

    @Test("no test and no client waits by the clock")
    func sleeps() {
        expectNothing(in: files(in: "Tests", "Clients")) { Check.sleeps(file: $0, source: $1) }
    }

    @Test("nothing is marked as unfinished")
    func unfinished() {
        expectNothing(in: Repository.files) { Check.unfinished(file: $0, source: $1) }
    }

    @Test("whatever switches a check off says why it holds")
    func unexplained() {
        expectNothing(in: Repository.files.filter { $0.hasSuffix(".swift") }) {
            Check.unexplained(file: $0, source: $1)
        }
    }

    @Test("nothing names a folder of the machine it was written on")
    func machinePaths() {
        expectNothing(in: Repository.files) { Check.machinePaths(file: $0, source: $1) }
    }

    @Test(
        "the three documents exist and name only commands that exist",
        arguments: ["README.md", "protocol.md", "ARCHITECTURE.md"])
    func documents(_ file: String) throws {
        try #require(Repository.exists(file))
        let makefile = try Repository.text("Makefile")
        expectNothing(in: [file]) { Check.makeTargets(file: $0, source: $1, makefile: makefile) }
    }

    @Test("each mutation of the kernel still finds the source that it breaks")
    func mutations() throws {
        let outcome = try run(
            "python3", [Repository.root.appending(path: "Tests/mutate.py").path, "--check"])
        #expect(outcome.code == 0, "\(outcome.stdout)\(outcome.stderr)")
    }

    @Test("each command that `make help` lists exists, and each command is listed")
    func help() throws {
        let makefile = try Repository.text("Makefile")
        let listed = makefile.matches(of: /#     make ([a-z-]+)/.anchorsMatchLineEndings()).map {
            String($0.1)
        }
        let phony = try #require(makefile.firstMatch(of: /\.PHONY: (.*)/)).1.split(separator: " ").map(
            String.init)
        #expect(Set(listed) == Set(phony).subtracting(["help", "toolchain"]))
    }
}
