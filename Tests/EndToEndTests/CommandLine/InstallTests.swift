import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `make install` and `make uninstall`, into a folder that stands for the root of a machine.
@Suite struct InstallTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.path

    /// What was built for the tests is what is installed: a build inside of a test would wait for this one's lock.
    private func make(_ target: String, _ root: String, _ variables: String...) throws -> Outcome {
        try run(
            "make",
            ["-C", Self.repository, target, "PREFIX=/usr", "DESTDIR=\(root)", "BIN=\(Products.folder)"]
                + variables, within: .seconds(120))
    }

    private func files(below root: String) throws -> Set<String> {
        let outcome = try run("find", [root, "-type", "f", "-printf", "%P\n"])
        return Set(outcome.stdout.split(separator: "\n").map(String.init))
    }

    @Test("what is installed works where it lies, is complete, and can be taken away")
    func install() throws {
        let folder = try TemporaryFolder()
        let root = "\(folder.path)/root"
        let installed = try make("install", root)
        #expect(installed.code == 0, "\(installed)")
        let bin = "\(root)/usr/bin"

        let all = try files(below: root)
        for file in [
            "usr/bin/seam", "usr/bin/seamd", "usr/bin/seam-gate", "usr/bin/seam-plugin-check",
            "usr/share/man/man8/seam-gate.8", "usr/lib/systemd/user/seam-gate.service",
            "usr/share/seam/Dashboards/alerts.yml",
            "usr/lib/seam/plugins/libLessons.so",
            "usr/include/seam_plugin.h",
            "usr/lib/seam/swift/libswiftCore.so", "usr/share/man/man1/seam.1", "usr/share/man/man8/seamd.8",
            "usr/share/bash-completion/completions/seam", "usr/share/zsh/site-functions/_seam",
            "usr/share/fish/vendor_completions.d/seam.fish", "usr/share/seam/installed",
            "usr/share/seam/Package.swift", "usr/share/seam/Sources/SeamKit/Scenario/Scenario.swift",
            "usr/share/seam/Sources/CSeamABI/include/seam_plugin.h",
            "usr/lib/systemd/system/seamd.service", "usr/lib/systemd/system/seamd.socket",
            "usr/lib/systemd/user/seamd.service", "usr/lib/systemd/user/seamd.socket",
        ] {
            #expect(all.contains(file), "\(file)")
        }
        let unit = try String(contentsOfFile: "\(root)/usr/lib/systemd/user/seamd.service", encoding: .utf8)
        #expect(unit.contains("\nExecStart=\"/usr/bin/seamd\"\n"))
        let foreign = try run("find", [root, "-type", "f", "-perm", "/022"])
        #expect(foreign.stdout.isEmpty, "others can write to \(foreign.stdout)")

        // The private daemon is the installed one, and finds the installed plug-ins.
        try play(
            """
            $ \(bin)/seam run lessons.own-state
            own-state | HostingController.openCount: model=5 screen=5 -> matching
            own-state | HostingController.isExpanded: model=- screen=- -> out-of-scope
            matching: 1
            stale: 0
            missing: 0
            leftover: 0
            $ \(bin)/seam describe lessons.own-state | grep -o '^plug-in.*'
            plug-in Lessons 1.0.0, \(root)/usr/lib/seam/plugins/libLessons.so
            $ \(bin)/seam doctor --socket \(folder.path)/s | grep -o '^problem.*'
            = 1
            $ swift package --scratch-path \(folder.path)/build --package-path \(root)/usr/share/seam describe --type json | grep -c '"name" : "SeamKit'
            2
            $ (echo '#include <seam_plugin.h>'; echo '#include <seam_plugin.h>') | gcc -fsyntax-only -I \(root)/usr/include -x c -
            """)

        // Installed over: the same files, and what an older version had is taken away.
        try run("install", ["-D", "-m", "644", "/dev/null", "\(root)/usr/lib/seam/plugins/libOld.so"])
        try run("bash", ["-c", "echo lib/seam/plugins/libOld.so >>\(root)/usr/share/seam/installed"])
        #expect(try make("install", root).code == 0)
        #expect(try files(below: root) == all)

        try folder.write("", to: "root/usr/lib/seam/plugins/libMine.so")
        let removed = try make("uninstall", root)
        #expect(removed.code == 0 && removed.stderr.isEmpty, "\(removed)")
        #expect(try files(below: root) == ["usr/lib/seam/plugins/libMine.so"])
        let again = try make("uninstall", root)
        #expect(again.code != 0 && again.stderr.contains("nothing to take away"), "\(again)")
    }

    @Test("a machine without the toolchain has the Swift runtime all the same")
    func runtime() throws {
        let folder = try TemporaryFolder()
        try #require(try make("install", folder.path).code == 0)
        let usr = "\(folder.path)/usr"
        let swift = "\(usr)/lib/seam/swift"
        let plugins = try FileManager.default.contentsOfDirectory(atPath: "\(usr)/lib/seam/plugins")
        for (file, origin) in ["seam", "seamd", "seam-gate", "seam-plugin-check"].map({
            ("\(usr)/bin/\($0)", "$ORIGIN/../lib/seam/swift")
        })
            + plugins.map({ ("\(usr)/lib/seam/plugins/\($0)", "$ORIGIN/../swift") })
        {
            // The way is entered, and at its end lies all that is not the system's.
            let header = try run("readelf", ["-d", file])
            #expect(header.stdout.contains(origin), "\(file): \(header)")
            let needs = try run("ldd", [file], environment: ["LD_LIBRARY_PATH": swift])
            let paths = needs.stdout.split(separator: "\n").compactMap { line in
                line.components(separatedBy: "=> ").dropFirst().first?.split(separator: " ").first
            }
            #expect(needs.code == 0 && !paths.isEmpty)
            for path in paths
            where !["/lib/", "/usr/lib/", "\(swift)/"].contains(where: { path.hasPrefix($0) }) {
                Issue.record("\(file) needs \(path)")
            }
        }
    }

    @Test("wrong words are said before anything is placed")
    func wrong() throws {
        let folder = try TemporaryFolder()
        for (variable, part) in [
            ("PREFIX=usr", "PREFIX is an absolute path, not 'usr'"),
            ("PREFIX=/a|b", "PREFIX is '/a|b'; letters, digits, blanks and / . _ + @ ~ , : = - can be in it"),
            ("PREFIX=/a%b", "PREFIX is '/a%b'; letters"),
            ("BIN=\(folder.path)", "there is no \(folder.path)/seamd"),
        ] {
            let outcome = try make("install", "\(folder.path)/root", variable)
            #expect(outcome.code != 0 && outcome.stderr.contains(part), "\(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    // MARK: The manual

    @Test("the pages are well-formed and have every command and option")
    func manual() throws {
        let folder = try TemporaryFolder()
        for (page, source) in [
            ("seam.1", try run("seam", ["__manual"]).stdout),
            ("seamd.8", try Checkout.text("Sources/seamd/Manual/seamd.8.scd")),
            ("seam-gate.8", try Checkout.text("Sources/seam-gate/Manual/seam-gate.8.scd")),
        ] {
            let formatted = try run("scdoc", input: source)
            #expect(formatted.code == 0 && formatted.stderr.isEmpty, "\(formatted)")
            try folder.write(formatted.stdout, to: page)
        }
        let seam = try String(contentsOfFile: "\(folder.path)/seam.1", encoding: .utf8)
        let help = try run("seam", ["--help"]).stdout
        let commands = help.matches(of: /\n  ([a-z]+) {2,}/).map { String($0.1) }
        #expect(commands.count > 20)
        for command in commands {
            #expect(seam.contains("\n.SS \(command)"), "\(command)")
            for match in try run("seam", ["help", command]).stdout.matches(of: /\n  (?:-., )?(--[a-z-]+)/) {
                #expect(
                    seam.contains("\\fB\(match.1)") || seam.contains(" \(match.1)"), "\(command) \(match.1)")
            }
        }
        // The other pages are written by hand: they must keep up with their programs.
        func options(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<String> {
            Set(text.matches(of: pattern).map { String($0.1) })
        }
        for (program, least) in [("seamd", 10), ("seam-gate", 7)] {
            let page = try String(contentsOfFile: "\(folder.path)/\(program).8", encoding: .utf8)
            let told = options(try run(program, ["--help"]).stdout, /\n  (--[a-z-]+)/)
            #expect(told.count > least)
            #expect(told == options(page, /\n\\fB(--[a-z-]+)\\fR/), "\(program)")
        }
    }
}
