import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam run --report`: what CI makes of a run.
@Suite struct ReportTests {
    @Test("a field whose verdict is expected is a test case; the report fails where the exit code does")
    func forms() throws {
        let planted = try Planted("forgets")
        let file = "\(planted.folder.path)/report.xml"
        let outcome = try run(
            "seam", ["run", "--plugin", planted.file, "planted.*", "--report", "junit=\(file),tap=-"])
        #expect(outcome.code == 1, "\(outcome)")
        let why =
            "Card.name is stale: the model changed in turn 2 (by rename), and no assignment of host has run since turn 1"
        let because =
            "update-never-arrived: Card.name: the model value of Card.name changed in turn 2, and no "
            + "assignment of host has run since turn 1"
        #expect(
            outcome.stdout == """
                TAP version 13
                1..2
                not ok 1 - planted.first: renamed | Card.name
                  ---
                  message: "should be matching, it is stale"
                  severity: fail
                  details: |
                    renamed | Card.name: model=1 screen=Ann -> stale
                    \(why)
                    \(because)
                  ...
                not ok 2 - planted.second: renamed | Card.name
                  ---
                  message: "should be matching, it is stale"
                  severity: fail
                  details: |
                    renamed | Card.name: model=1 screen=Ann -> stale
                    \(why)
                    \(because)
                  ...

                """)
        let xml = try String(contentsOfFile: file, encoding: .utf8).replacing(/time="[0-9.]+"/, with: "time")
        #expect(
            xml.hasPrefix(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="seam" tests="2" failures="2" errors="0" skipped="0" time>
                  <testsuite name="planted.first" tests="1" failures="1" errors="0" skipped="0" time>
                    <testcase classname="planted.first" name="renamed | Card.name">
                      <failure message="should be matching, it is stale">renamed | Card.name: model=1 screen=Ann -&gt; stale
                \(why)
                \(because)</failure>
                    </testcase>
                    <system-err>\(because)</system-err>
                  </testsuite>

                """), "\(xml)")
        // What a person reads is still there.
        #expect(outcome.stderr.contains("seam: renamed: Card.name should be matching, it is stale"))
    }

    @Test("a lesson that shows its fault as expected passes; --fail-on adds to what is expected")
    func lessons() throws {
        try play(
            """
            $ seam run lessons.hosting-unassigned --report tap=- 2>/dev/null
            TAP version 13
            1..3
            ok 1 - lessons.hosting-unassigned: hosting-unassigned | HostingController.title
            ok 2 - lessons.hosting-unassigned: hosting-unassigned | HostingController.openCount
            ok 3 - lessons.hosting-unassigned: hosting-unassigned | HostingController.filter
            $ seam run lessons.hosting-unassigned --report tap=- --fail-on stale,diagnostic 2>/dev/null | grep -v '^  '
            TAP version 13
            1..4
            ok 1 - lessons.hosting-unassigned: hosting-unassigned | HostingController.title
            not ok 2 - lessons.hosting-unassigned: hosting-unassigned | HostingController.openCount
            ok 3 - lessons.hosting-unassigned: hosting-unassigned | HostingController.filter
            not ok 4 - lessons.hosting-unassigned: diagnostics
            """)
    }

    @Test("values that break out of XML and YAML don't")
    func hostile() throws {
        let value = #""<a href=\"x\">&]]><!-- \x01\x1b[31m\n# \\ \xef\xbf\xbf \xe2\x80\xae: '%s'""#
        let planted = try Planted("forgets", ["-DVALUE=\(value)"])
        let (xml, tap) = ("\(planted.folder.path)/a,b.xml", "\(planted.folder.path)/t.tap")
        let outcome = try run(
            "seam",
            ["run", "--plugin", planted.file, "planted.first", "--report", "tap=\(tap),junit=\(xml)"])
        #expect(outcome.code == 1, "\(outcome)")
        let read = try run(
            "python3",
            [
                "-c",
                "import sys, xml.etree.ElementTree as e; print(e.parse(sys.argv[1]).find('.//failure').text, end='')",
                xml,
            ])
        #expect(read.code == 0, "\(read)")
        #expect(
            read.stdout.hasPrefix(
                #"renamed | Card.name: model=<a href="x">&]]><!-- \u{1}\u{1b}[31m\n# \ \u{ffff} \u{202e}: '%s' screen=Ann -> stale"#
            ), "\(read.stdout)")
        let lines = try String(contentsOfFile: tap, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 11 && lines.allSatisfy { !$0.utf8.contains { $0 < 0x20 } }, "\(lines)")
        if let judged = try? run("prove", ["-e", "cat", tap]) {
            #expect(
                judged.stdout.contains("Failed 1/1 subtests") && !judged.stdout.contains("Parse errors"),
                "\(judged)")
        }
    }

    @Test("what could not be run is an error in the report, also what a crash kept from its turn")
    func errors() throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/r.xml"
        func report() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
        let unknown = try run("seam", ["run", "lessons.own-state", "nosuch", "--report", "junit=\(file)"])
        #expect(unknown.code == 4)
        #expect(try report().contains(#"tests="3" failures="0" errors="1""#))
        #expect(try report().contains(#"<testcase classname="nosuch" name="run">"#))
        let none = try run("seam", ["run", "nosuch.*", "--report", "junit=\(file)"])
        #expect(none.code == 4)
        #expect(try report().contains(#"<error message="it was not played">"#))

        let planted = try Planted("crashes")
        let crash = try run(
            "seam",
            ["run", "--plugin", planted.file, "lessons.own-state", "planted.first", "planted.second"]
                + ["--report", "junit=\(file)"])
        #expect(crash.code == 3, "\(crash)")
        #expect(try report().contains(#"tests="4" failures="0" errors="2""#))
        #expect(try report().contains(#"<error message="it did not come to its end">"#))
    }

    @Test("usage")
    func usage() throws {
        try play(
            """
            $ seam run lessons.own-state --report xml=a
            ! seam: --report is written junit=FILE or tap=FILE, - for standard output, not 'xml=a'; usage
            = 2
            $ seam run lessons.own-state --report tap=
            ! seam: --report tap= needs a file, or - for standard output; usage
            = 2
            $ seam run lessons.own-state --report tap=-,junit=-
            ! seam: --report tap=- and junit=- would both write to standard output: name a file for one; usage
            = 2
            $ seam run lessons.own-state --report tap=- --json
            ! seam: --report and --json have one standard output between them: name a file; usage
            = 2
            $ seam run lessons.own-state --report tap=/nosuch/folder/a
            ! seam: the report /nosuch/folder/a can't be written: No such file or directory
            = 1
            """)
    }
}
