import Foundation
import SeamKernel
import SeamTestSupport
import SeamWire
import Testing

/// What Prometheus gets, and what is built on it.
@Suite struct GateMetricsTests {
    /// Samples by name with labels, as they stand.
    private func samples(_ text: String) -> [String: Double] {
        var found: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let blank = line.lastIndex(of: " ") else { continue }
            found[String(line[..<blank])] = Double(line[line.index(after: blank)...])
        }
        return found
    }

    /// Holds a text to the rules that both formats share: every family has HELP and TYPE before its samples, no family and
    /// no sample comes twice, every value is a number.
    private func expectWellFormed(_ text: String, isOpenMetrics: Bool) throws {
        var kind: [String: String] = [:]
        var helped: Set<String> = []
        var seen: Set<String> = []
        var current = ""
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.removeLast() == "")
        if isOpenMetrics { #expect(lines.removeLast() == "# EOF") }
        for line in lines {
            if let match = line.wholeMatch(of: /# HELP ([a-z_]+) (.+\.)/) {
                #expect(helped.insert(String(match.1)).inserted, "\(line)")
            } else if let match = line.wholeMatch(of: /# TYPE ([a-z_]+) (gauge|counter|histogram)/) {
                current = String(match.1)
                #expect(helped.contains(current) && kind[current] == nil, "\(line)")
                kind[current] = String(match.2)
            } else if line.hasPrefix("# UNIT ") {
                #expect(isOpenMetrics)
            } else {
                let match = try #require(
                    line.wholeMatch(of: /([a-z_]+)(?:\{([^}]*)\})? ([0-9.]+)/), "\(line)")
                #expect(seen.insert("\(match.1){\(match.2 ?? "")}").inserted, "\(line)")
                let suffixes =
                    switch kind[current] {
                    case "histogram": ["_bucket", "_sum", "_count"]
                    case "counter": [isOpenMetrics ? "_total" : ""]
                    default: [""]
                    }
                #expect(suffixes.contains { match.1 == current + $0 }, "\(line) is not of \(current)")
                for label in (match.2 ?? "").split(separator: ",") {
                    #expect(label.wholeMatch(of: /[a-z]+="[^"]*"/) != nil, "\(line)")
                }
            }
        }
        #expect(kind.count > 20)
    }

    @Test("the counters are there at 0, count what happens, and no field has a series of its own")
    func counting() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try gate.waitUntilHealthy()
        let start = try samples(gate.ask("GET", "/metrics").body)
        for verdict in ["matching", "stale", "missing", "leftover", "out-of-scope"] {
            #expect(start[#"seam_verdict_changes_total{to="\#(verdict)"}"#] == 0)
            #expect(start[#"seam_fields{verdict="\#(verdict)"}"#] == 0)
        }
        for action in ["collapsed", "lost"] {
            #expect(start[#"seam_subscriber_lag_total{action="\#(action)"}"#] == 0)
        }
        #expect(start["seam_field_stale_seconds_count"] == 0 && start["seam_up"] == 1)

        let stream = try gate.stream()
        try stream.event(named: "sync")
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        for value in [7, 8] {
            try client.call("model.set", #"{"sim":"demo","values":{"openCount":\#(value)}}"#)
        }
        while try stream.event(named: "verdict")["model"] != "8" {}
        let stale = try samples(gate.ask("GET", "/metrics").body)
        #expect(
            stale[#"seam_fields{verdict="matching"}"#] == 2 && stale[#"seam_fields{verdict="stale"}"#] == 1)
        #expect(
            stale[#"seam_verdict_changes_total{to="stale"}"#] == 1,
            "falling further behind is not going stale again")
        #expect(try #require(stale["seam_oldest_stale_age_seconds"]) >= 0)
        #expect(stale[#"seam_simulations{state="running"}"#] == 1)
        #expect(stale[#"seam_subscribers{transport="sse"}"#] == 1)
        #expect(stale[#"seam_subscribers{transport="socket"}"#] == 1)
        #expect(stale[#"seam_plugin_faults_total{plugin="seam.lessons"}"#] ?? 0 == 0)

        try client.call("bridge.assign", #"{"sim":"demo","bridge":"host"}"#)
        try stream.event(named: "verdict")
        let repaired = try gate.ask("GET", "/metrics")
        let values = samples(repaired.body)
        #expect(values["seam_field_stale_seconds_count"] == 1)
        #expect(values[#"seam_field_stale_seconds_bucket{le="+Inf"}"#] == 1)
        #expect(values["seam_oldest_stale_age_seconds"] == 0)
        #expect(values[#"seam_verdict_changes_total{to="matching"}"#] == 4)
        #expect(!repaired.body.contains("openCount") && !repaired.body.contains("demo"))

        // What goes with its simulation is no longer counted, and a stale field that goes was stale so long.
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":9}}"#)
        try client.call("sim.destroy", #"{"sim":"demo"}"#)
        while try stream.event(named: "sim")["what"] != "destroyed" {}
        let gone = try samples(gate.ask("GET", "/metrics").body)
        #expect(
            gone[#"seam_fields{verdict="stale"}"#] == 0 && gone[#"seam_simulations{state="running"}"#] == 0)
        #expect(gone["seam_field_stale_seconds_count"] == 2)
    }

    @Test("both formats are well-formed, and which one comes is the scraper's choice")
    func formats() throws {
        let gate = try GateProcess()
        try gate.waitUntilHealthy()
        let plain = try gate.ask("GET", "/metrics")
        #expect(plain["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        try expectWellFormed(plain.body, isOpenMetrics: false)
        // As Prometheus asks.
        let accept =
            "Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        let open = try gate.ask("GET", "/metrics", [accept])
        #expect(open["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        try expectWellFormed(open.body, isOpenMetrics: true)
        #expect(
            try gate.ask("GET", "/metrics", ["Accept: text/html"])["content-type"] == plain["content-type"])
        let head = try gate.ask("HEAD", "/metrics")
        #expect(head.status == 200 && head.body.isEmpty)
    }

    @Test("every diagnostic of the kernel has its counter from the start")
    func codes() throws {
        let gate = try GateProcess()
        let values = try samples(gate.ask("GET", "/metrics").body)
        for code in DiagnosticCode.allCases {
            #expect(values[#"seam_diagnostics_total{code="\#(code.rawValue)"}"#] == 0, "\(code)")
        }
        let told = values.keys.filter { $0.hasPrefix("seam_diagnostics_total{") }
        #expect(told.count == DiagnosticCode.allCases.count, "\(told)")
    }

    @Test("the dashboard and the rules ask only for metrics that there are")
    func dashboards() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"s"}"#)
        // A plug-in's counter comes when a scenario of it has been met and asked about.
        let deadline = ContinuousClock.now + .seconds(20)
        var metrics = ""
        while !metrics.contains("seam_plugin_faults_total{"), ContinuousClock.now < deadline {
            metrics = try gate.ask("GET", "/metrics").body
        }
        let known = Set(samples(metrics).keys.map { $0.prefix { $0 != "{" } })
        let board = try JSON(parsing: Checkout.text("Dashboards/grafana.json"))
        let queries = (board["panels"]?.elements ?? []).flatMap { $0["targets"]?.elements ?? [] }.compactMap {
            $0["expr"]?.text
        }
        let rules = try Checkout.text("Dashboards/alerts.yml").matches(of: /expr: (.+)/).map { String($0.1) }
        #expect(queries.count > 10 && rules.count == 3)
        for query in queries + rules {
            let names = query.matches(of: /(?:seam|process)_[a-z_]+/).map { $0.0 }
            #expect(!names.isEmpty, "\(query)")
            for name in names { #expect(known.contains(name), "\(query)") }
        }
        // Fixed colours, as the page has them: whoever sees both sees one thing.
        let ids = (board["panels"]?.elements ?? []).compactMap { $0["id"]?.integer }
        #expect(Set(ids).count == ids.count)
    }

    /// Whether the tools of Prometheus are there; `make test-long` installs them.
    static let hasPromtool = FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool")

    @Test("promtool has nothing to say", .enabled(if: hasPromtool))
    func promtool() throws {
        let gate = try GateProcess()
        try gate.waitUntilHealthy()
        let outcome = try run("promtool", ["check", "metrics"], input: gate.ask("GET", "/metrics").body)
        #expect(outcome.code == 0 && outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome)")
        let rules = try run("promtool", ["check", "rules", Checkout.path("Dashboards/alerts.yml")])
        #expect(rules.code == 0 && rules.stdout.contains("3 rules found"), "\(rules)")
        let tests = try run("promtool", ["test", "rules", Checkout.path("Dashboards/alerts.test.yml")])
        #expect(tests.code == 0, "\(tests)")
    }
}
