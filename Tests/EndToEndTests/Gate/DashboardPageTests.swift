import SeamTestSupport
import Testing

/// The dashboard in a real browser: Tests/Browser, run over the daemon and the gate of this build.
@Suite struct DashboardPageTests {
    @Test(
        "every view of the dashboard, by mouse and by keyboard, through kills and hostile values",
        .enabled("NOT TESTED: there is no chromium, or no node, so the dashboard is not run") {
            NodeReport.hasNode && NodeReport.hasBrowser
        })
    func views() throws {
        let report = try NodeReport(of: [Checkout.path("Tests/Browser/page.test.mjs")])
        #expect(try #require(report.count("pass")) >= 52)
        #expect(report.count("fail") == 0)
        #expect(report.count("skipped") == 0)
    }
}

/// The same with much to show.
@Suite struct DashboardLoadTests {
    @Test(
        "100,000 fields at 10,000 changes a second",
        .enabled("SEAM_LONG=1 runs it: a minute, and a machine with nothing else to do") { isLong },
        .enabled("NOT TESTED: there is no chromium, or no node, so the dashboard is not run") {
            NodeReport.hasNode && NodeReport.hasBrowser
        })
    func load() throws {
        let report = try NodeReport(of: [Checkout.path("Tests/Browser/load.test.mjs")])
        #expect(report.count("pass") == 1)
        // The figures that the run has measured.
        for line in report.text.split(separator: "\n") where line.contains("changes/s") { print(line) }
    }
}
