import SeamTestSupport
import SeamWire
import Testing

/// Plugins/Rules on a real daemon: what each rule looks like in calls, by profile and by policy. What their checks say
/// is in `ScenarioTableTests`.
@Suite struct RulesTests {
    /// One playing of a script, step by step: the step's own words, then the calls that it made.
    private struct Steps {
        var calls: [[String]] = []
        var words: [String] = []

        init(_ id: String, profile: String? = nil, policies: String? = nil, _ client: TestClient) throws {
            var params = #""scenario":"\#(id)","steps":true"#
            if let profile { params += #","profile":"\#(profile)""# }
            if let policies { params += #","policies":\#(policies)"# }
            let answer = try client.call("sim.run", "{\(params)}")
            for step in answer["steps"]?.elements ?? [] {
                words.append(step["step"]?.encoded ?? "?")
                calls.append(
                    (step["calls"]?.elements ?? []).map { call in
                        (call["call"]?.text ?? "?") + (call["why"]?.text.map { " \($0)" } ?? "")
                    })
            }
        }

        /// All that is no coordinator, which these bridges do not have.
        func calls(at step: Int) -> [String] {
            calls.indices.contains(step) ? calls[step].filter { !$0.hasPrefix("coordinator") } : []
        }
    }

    struct Order: Sendable, CustomTestStringConvertible {
        var profile: String
        var onReturn: [String]
        var testDescription: String { profile }
    }

    @Test(
        "a first mount is make, update, attach; a return from parking is reset, detach, then the profile's order",
        arguments: [
            Order(profile: "lesson", onReturn: ["update returned", "attach"]),
            Order(profile: "uikit", onReturn: ["update returned", "attach"]),
            Order(profile: "appkit", onReturn: ["update returned", "attach"]),
            Order(profile: "compose", onReturn: ["attach", "update returned"]),
        ])
    func park(_ order: Order) throws {
        let client = try SeamProcess().connect()
        let steps = try Steps("rules.park", profile: order.profile, client)
        // The scenario's own start is the event that comes first.
        #expect(steps.calls(at: 0) == ["event", "make first", "update first", "attach", "appear"])
        #expect(steps.calls(at: 2) == ["reset", "detach"])
        #expect(steps.calls(at: 3) == [])
        #expect(steps.calls(at: 5) == order.onReturn)
    }

    @Test("a policy of the client's goes before the profile's and before the scenario's")
    func policies() throws {
        let client = try SeamProcess().connect()
        let steps = try Steps(
            "rules.park", profile: "compose", policies: #"{"row.on-return":"update-first"}"#, client)
        #expect(steps.calls(at: 5) == ["update returned", "attach"])
        let silent = try Steps("rules.park", policies: #"{"hooks":"silent"}"#, client)
        #expect(silent.calls(at: 0) == ["event", "make first", "update first"])
        #expect(silent.calls(at: 2) == [])
    }

    @Test("another identity: the old control goes first, or the new one comes first")
    func replacement() throws {
        let client = try SeamProcess().connect()
        let oldFirst = try Steps("rules.replace-order", client)
        #expect(
            oldFirst.calls(at: 3) == [
                "detach", "dismantle identity", "disappear", "make identity", "update identity", "attach",
                "appear",
            ])
        let newFirst = try Steps("rules.replace-order-overlap", client)
        #expect(
            newFirst.calls(at: 3) == [
                "make identity", "update identity", "attach", "appear", "detach", "dismantle identity",
                "disappear",
            ])
    }

    @Test("an interim read sees what is assigned and not drawn, and leaves no trace in the stream")
    func interim() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        let answer = try client.call("sim.run", #"{"scenario":"rules.layout-pass","keep":true,"id":"l"}"#)
        let checks = answer["checks"]?.elements ?? []
        #expect(checks.map { $0["label"]?.text } == ["@before", "layout-settled"])
        let before = checks.first?["fields"]?.elements?.first
        #expect(before?["model"]?.text == "Final" && before?["shown"]?.text == "Draft")
        #expect(before?["verdict"]?.text == "stale")
        #expect(checks.first?["diagnostics"]?.elements?.first?["code"]?.text == "unsettled-read")
        #expect(checks.last?["diagnostics"]?.elements?.isEmpty == true)
        #expect(answer["diagnostics"]?.elements?.isEmpty == true)
        // Drawn in a round: then nothing is pending once the rounds are over, and before them it still is.
        let round = try client.call(
            "sim.run", #"{"scenario":"rules.layout-pass","policies":{"host.draw":"round"}}"#)
        #expect(round["checks"]?.elements?.first?["fields"]?.elements?.first?["verdict"]?.text == "stale")
    }

    @Test("with another policy a repair is a fault, and a fault a repair")
    func crossed() throws {
        let client = try SeamProcess().connect()
        let rows = [
            ("rules.dismissal", #"{"dismissal":"silent"}"#, ["matching", "missing"]),
            ("rules.dismissal-silent", #"{"dismissal":"writes"}"#, ["matching", "out-of-scope"]),
            ("rules.list-by-id", #"{"row.identity":"place"}"#, ["matching", "out-of-scope"]),
            ("rules.environment-cut", #"{"inner.environment":"inherit"}"#, ["matching", "matching"]),
            ("rules.async", #"{"inward":"same-turn"}"#, ["matching", "matching"]),
            ("rules.replace-order", #"{"replace-order":"new-first"}"#, ["matching", "matching"]),
        ]
        for (id, policies, verdicts) in rows {
            let answer = try client.call("sim.run", #"{"scenario":"\#(id)","policies":\#(policies)}"#)
            let first = (answer["checks"]?.elements ?? []).map {
                $0["fields"]?.elements?.first?["verdict"]?.text ?? "?"
            }
            #expect(first == verdicts, "\(id) with \(policies)")
        }
        // The row that is open is another one, by place; the camera is busy, where two overlap.
        let list = try client.call(
            "sim.run", #"{"scenario":"rules.list-by-id","policies":{"row.identity":"place"}}"#)
        #expect(list["checks"]?.elements?.last?["counts"]?["stale"]?.integer == 2)
    }

    @Test("the steps of a script are described as they are played")
    func steps() throws {
        let client = try SeamProcess().connect()
        let expected = [
            ("rules.park", #"{"step":"activity","bridge":"row","parked":true}"#),
            ("rules.replace-order", #"{"step":"identify","bridge":"preview","id":"back"}"#),
            ("rules.dismissal", #"{"step":"dismiss","bridge":"sheet"}"#),
            ("rules.environment-cut", #"{"step":"environment","key":"locale","value":"de"}"#),
            ("rules.layout-pass", #"{"step":"check","label":"@before"}"#),
            ("rules.root-built", #"{"step":"build","bridge":"host"}"#),
            ("rules.root-built", #"{"step":"update","bridge":"host","cause":"unrelated"}"#),
            ("rules.root-built", #"{"step":"assign_built","bridge":"host"}"#),
        ]
        for (id, step) in expected {
            let described = try client.call("scenario.describe", #"{"scenario":"\#(id)"}"#)
            let script = (described["script"]?.elements ?? []).map(\.encoded)
            #expect(script.contains(step), "\(id): \(script)")
            #expect(try Steps(id, client).words.contains(step), "\(id)")
        }
    }

    @Test("what a script does can be done by hand, and nothing is left when the simulation is gone")
    func clean() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        for row in ScenarioTableTests.rules {
            let answer = try client.call("sim.run", #"{"scenario":"\#(row.id)","steps":true}"#)
            let codes = (answer["diagnostics"]?.elements ?? []).compactMap { $0["code"]?.text }
            #expect(!codes.contains("plugin-misbehaving") && !codes.contains("plugin-failed"), "\(row.id)")
            #expect(!codes.contains { $0.hasPrefix("leaked") }, "\(row.id)")
        }
        #expect(daemon.stderr.isEmpty)
    }
}
