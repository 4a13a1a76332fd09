import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// SeamKit's pages: the files that the tutorial shows are the ones that are built and played here, in its order.
@Suite struct TutorialTests {
    private static let hasSwift = (try? run("swift", ["--version"]))?.code == 0
    private static let catalog = "Sources/SeamKit/SeamKit.docc"
    private static let tutorial = "\(catalog)/Tutorials/From-a-report-to-a-check.tutorial"

    private func resource(_ name: String) throws -> String {
        try Checkout.text("\(Self.catalog)/Resources/\(name)")
    }

    private func type(_ lines: String, in folder: String) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            "env", ["-C", folder, "sh", "-ec", lines], environment: ["PATH": "\(Products.folder):\(path)"],
            within: .seconds(600))
    }

    @Test("each file of the tutorial is shown in it, and none is missing")
    func files() throws {
        let shown = try Checkout.text(Self.tutorial).matches(of: /[fF]ile: "([^"]+)"/).map { String($0.1) }
        let there = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.path("\(Self.catalog)/Resources"))
        #expect(Set(shown) == Set(there).subtracting(["seam.svg", ".swift-format"]))
    }

    @Test("what Linux has not is told in the same words as in the plug-ins' README")
    func table() throws {
        func rows(_ text: String) -> [Substring] {
            text.split(separator: "\n").drop { $0 != "| there | here |" }.prefix { $0.hasPrefix("|") }
                .map { $0 }
        }
        let told = rows(try Checkout.text("\(Self.catalog)/What-Linux-has-not.md"))
        let readme = rows(try Checkout.text("Plugins/README.md"))
        #expect(told.count > 5 && told == readme)
    }

    @Test(
        "from the report to the check in CI, as the tutorial has it",
        .enabled("there is no swift in PATH to build a package with") { hasSwift })
    func walk() throws {
        let folder = try TemporaryFolder()
        let shop = "\(folder.path)/shop"
        let sources = "\(shop)/Sources/Shop"
        func put(_ name: String, as file: String) throws {
            try resource(name).write(toFile: file, atomically: false, encoding: .utf8)
        }
        // Drafted around the file.
        try put("BasketController.swift", as: "\(folder.path)/BasketController.swift")
        let made = try type(resource("new.sh"), in: folder.path)
        #expect(made.code == 0, "\(made)")
        #expect(
            try String(contentsOfFile: "\(sources)/Scenarios.swift", encoding: .utf8)
                == resource("Scenarios-drafted.swift"))
        // The report as a script: it fails.
        try put("Scenarios.swift", as: "\(sources)/Scenarios.swift")
        let play = try resource("run.sh").replacing(
            "swift build\n", with: "swift build >build.log 2>&1 || { cat build.log; exit 9; }\n")
        let stale = try type(play, in: shop)
        let reported = try resource("stale.txt")
        #expect(stale.code == 1 && stale.stdout == reported, "\(stale)")
        // The repair is one line.
        let before = try resource("BasketController.swift").split(separator: "\n")
        let after = try resource("BasketController-repaired.swift").split(separator: "\n")
        #expect(after.difference(from: before).count == 1)
        try put("BasketController-repaired.swift", as: "\(sources)/BasketController.swift")
        let matching = try type(play, in: shop)
        let followed = try resource("matching.txt")
        #expect(matching.code == 0 && matching.stdout == followed, "\(matching)")
        // What CI runs.
        let commands = try resource("shop.yml").matches(of: /- run: (.+)\n/).map { String($0.1) }
        #expect(commands.count == 1)
        let tested = try type(commands.joined(separator: "\n"), in: shop)
        #expect(tested.code == 0, "\(tested)")
        let report = try String(contentsOfFile: "\(shop)/report.xml", encoding: .utf8)
        #expect(report.matches(of: /<testcase\b/).count == 4, "\(report)")
    }

    @Test(
        "`make docs` makes the pages without a warning",
        .enabled("there is no docc beside swift") {
            hasSwift && (try? run("docc", ["--version"])) != nil
        })
    func pages() throws {
        let folder = try TemporaryFolder()
        let made = try run(
            "make", ["-C", Checkout.path("."), "docs", "BIN=\(Products.folder)", "DOCS=\(folder.path)/docs"],
            within: .seconds(300))
        #expect(made.code == 0, "\(made)")
        for page in [
            "documentation/seamkit", "documentation/seamkit/modules",
            "documentation/seamkit/what-linux-has-not",
            "documentation/seamkit/screenscenario", "tutorials/seamkit/from-a-report-to-a-check",
        ] {
            #expect(
                FileManager.default.fileExists(atPath: "\(folder.path)/docs/\(page)/index.html"), "\(page)")
        }
    }
}
