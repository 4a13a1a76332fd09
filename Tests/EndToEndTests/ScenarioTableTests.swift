import SeamTestSupport
import SeamWire
import Testing

/// Every scenario that comes with Seam, played on a real daemon: what each of its checks says, and what was found.
/// A fault has its findings and no others; a repair has none.
@Suite struct ScenarioTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var id: String
        /// Each check: its label, then the verdict of each field by its screen and key, `=` being matching.
        var checks: [String]
        /// The codes of all findings, each once, in order of the alphabet.
        var findings: [String] = []
        var testDescription: String { id }
    }

    // MARK: The table

    static let lessons = [
        Row(
            id: "lessons.hosting-unassigned",
            checks: [
                "hosting-unassigned HostingController.title=, HostingController.openCount stale, "
                    + "HostingController.filter="
            ], findings: ["update-never-arrived"]),
        Row(
            id: "lessons.hosting-assigned",
            checks: [
                "hosting-assigned HostingController.title=, HostingController.openCount=, "
                    + "HostingController.filter="
            ]),
        Row(
            id: "lessons.wrapping-empty",
            checks: ["wrapping-empty LegacyListView.title=, LegacyListView.rowCount stale"],
            findings: ["empty-update"]),
        Row(
            id: "lessons.wrapping-filled",
            checks: ["wrapping-filled LegacyListView.title=, LegacyListView.rowCount="]),
        Row(
            id: "lessons.own-state",
            checks: ["own-state HostingController.openCount=, HostingController.isExpanded out-of-scope"]),
    ]

    static let counter = [
        Row(id: "counter.observed", checks: counted("observed")),
        Row(
            id: "counter.copied", checks: ["copied CounterHostingController.counter stale"],
            findings: ["update-never-arrived"]),
        Row(
            id: "counter.not-captured", checks: ["not-captured CounterHostingController.counter stale"],
            findings: ["update-never-arrived"]),
        Row(id: "counter.notification", checks: counted("notification")),
        Row(id: "counter.environment", checks: counted("environment")),
        Row(id: "counter.controller", checks: counted("controller")),
    ]

    private static func counted(_ way: String) -> [String] {
        ["\(way)-once CounterHostingController.counter=", "\(way)-twice CounterHostingController.counter="]
    }

    static let coordinator = [
        Row(id: "coordinator.label", checks: label),
        Row(id: "coordinator.label-recreated", checks: label, findings: ["recreated-control"]),

        Row(
            id: "coordinator.draft",
            checks: ["draft-made", "draft-typed", "draft-replaced", "draft-repeated"].map {
                "\($0) NativeDraft.text="
            }),
        Row(
            id: "coordinator.draft-stale-parent", checks: ["draft-stale-parent NativeDraft.text="],
            findings: ["stale-parent"]),
        Row(
            id: "coordinator.draft-unguarded", checks: ["draft-unguarded NativeDraft.text="],
            findings: ["redundant-write"]),
        Row(
            id: "coordinator.draft-not-dismantled", checks: ["draft-not-dismantled NativeDraft.text="],
            findings: ["callback-after-dismantle", "leaked-observer"]),
        Row(
            id: "coordinator.draft-loop", checks: ["draft-loop NativeDraft.text="],
            findings: ["feedback-loop"]),

        Row(id: "coordinator.timer", checks: timer),
        Row(
            id: "coordinator.timer-not-cancelled", checks: timer,
            findings: ["callback-after-dismantle", "leaked-resource"]),
        Row(id: "coordinator.task", checks: task),
        Row(
            id: "coordinator.task-not-cancelled", checks: task,
            findings: ["callback-after-dismantle", "leaked-resource"]),

        Row(
            id: "coordinator.origin",
            checks: [
                "origin-reloaded NativeDraft.text=, NativeDraft.isEdited=",
                "origin-typed NativeDraft.text=, NativeDraft.isEdited=",
            ]),
        Row(
            id: "coordinator.origin-unknown",
            checks: [
                "origin-reloaded NativeDraft.text=, NativeDraft.isEdited stale",
                "origin-typed NativeDraft.text=, NativeDraft.isEdited=",
            ]),
        Row(
            id: "coordinator.origin-suppressed",
            checks: [
                "origin-reloaded NativeDraft.text=, NativeDraft.isEdited=",
                "origin-typed NativeDraft.text stale, NativeDraft.isEdited=",
            ]),

        Row(
            id: "coordinator.cancel",
            checks: ["cancel-committed NativeDraft.text=", "cancel-cancelled NativeDraft.text="]),
        Row(
            id: "coordinator.cancel-not-shown",
            checks: ["cancel-committed NativeDraft.text=", "cancel-cancelled NativeDraft.text stale"]),

        Row(
            id: "coordinator.model",
            checks: ["model-collapsed OutboxRow.text=", "model-expanded NativeDraft.text=, OutboxRow.text="]),
        Row(
            id: "coordinator.model-discarded",
            checks: [
                "model-collapsed OutboxRow.text leftover",
                "model-expanded NativeDraft.text leftover, OutboxRow.text leftover",
            ]),

        Row(
            id: "coordinator.validation",
            checks: [
                "validation-typed NativeDraft.text=", "validation-typed-on NativeDraft.text=",
                "validation-sent NativeDraft.text=, NativeDraft.problem=",
            ]),
        Row(
            id: "coordinator.validation-in-callback",
            checks: [
                "validation-typed NativeDraft.text=", "validation-typed-on NativeDraft.text stale",
                "validation-sent NativeDraft.text stale, NativeDraft.problem out-of-scope",
            ]),
    ]

    private static let label = ["made", "changed", "repeated"].map { "label-\($0) NativeLabel.text=" }
    private static let timer = ["settled", "back"].map { "timer-\($0) NativeDraft.text=" }
    private static let task = ["back", "answered"].map { "task-\($0) NativeDraft.text=" }

    static let migration = [
        Row(
            id: "migration.start",
            checks: [
                "start LegacyProfile.userName=, LegacyProfile.eMail=, LegacyProfile.telNo=, LegacyProfile.faxNo=, "
                    + "Profile.name out-of-scope, Profile.email out-of-scope, Profile.phone out-of-scope, "
                    + "Profile.fax out-of-scope"
            ]),
        Row(
            id: "migration.half-way",
            checks: [
                "half-way LegacyProfile.userName out-of-scope, LegacyProfile.eMail out-of-scope, "
                    + "LegacyProfile.telNo=, LegacyProfile.faxNo=, Profile.name=, Profile.email=, "
                    + "Profile.phone out-of-scope, Profile.fax out-of-scope",
                "one-more LegacyProfile.telNo out-of-scope, LegacyProfile.faxNo=, Profile.phone=, "
                    + "Profile.fax out-of-scope",
            ]),
        Row(
            id: "migration.no-place",
            checks: [
                "no-place LegacyProfile.telNo out-of-scope, LegacyProfile.faxNo out-of-scope, Profile.name=, "
                    + "Profile.email=, Profile.phone=, Profile.fax missing"
            ], findings: ["empty-update"]),
        Row(
            id: "migration.left-behind",
            checks: [
                "left-behind LegacyProfile.telNo leftover, LegacyProfile.faxNo=, Profile.phone=, "
                    + "Profile.fax out-of-scope"
            ]),
        Row(
            id: "migration.done",
            checks: [
                "moved LegacyProfile.userName out-of-scope, LegacyProfile.eMail out-of-scope, "
                    + "LegacyProfile.telNo out-of-scope, LegacyProfile.faxNo out-of-scope, Profile.name=, "
                    + "Profile.email=, Profile.phone=, Profile.fax=",
                "done Profile.name=, Profile.email=, Profile.phone=, Profile.fax=",
            ]),
    ]

    static let rules = [
        Row(
            id: "rules.park",
            checks: ["park-mounted Row.text=", "park-parked Row.text missing", "park-back Row.text="],
            findings: ["update-never-arrived"]),
        Row(
            id: "rules.identity",
            checks: ["written", "opened"].map { "identity-\($0) Detail.contact=, Detail.note=" }),
        Row(
            id: "rules.identity-kept",
            checks: [
                "identity-written Detail.contact=, Detail.note=",
                "identity-opened Detail.contact=, Detail.note stale",
            ], findings: ["empty-update", "identity-carried-state", "reuse-leak"]),
        Row(id: "rules.pool-reset", checks: ["pool-reset Cell.title=, Cell.badge out-of-scope"]),
        Row(
            id: "rules.pool-leak", checks: ["pool-leak Cell.title=, Cell.badge leftover"],
            findings: ["reuse-leak"]),
        Row(
            id: "rules.environment-handed-on",
            checks: ["environment-first Inner.locale=", "environment-changed Inner.locale="]),
        Row(
            id: "rules.environment-cut",
            checks: ["environment-first Inner.locale missing", "environment-changed Inner.locale missing"],
            findings: ["environment-not-propagated", "update-never-arrived"]),
        Row(
            id: "rules.binding-live",
            checks: ["binding-laid-out Switch.isOn=", "binding-updated Switch.isOn="]),
        Row(
            id: "rules.binding-snapshot",
            checks: ["binding-laid-out Switch.isOn stale", "binding-updated Switch.isOn stale"],
            findings: ["empty-update", "update-never-arrived"]),
        Row(id: "rules.object-owned", checks: ["object-owned Profile.visits="]),
        Row(
            id: "rules.object-recreated", checks: ["object-recreated Profile.visits stale"],
            findings: ["object-recreated", "update-never-arrived"]),
        Row(
            id: "rules.write-back-reread",
            checks: ["write-back-waiting SearchField.query stale", "write-back-arrived SearchField.query="]),
        Row(
            id: "rules.write-back-captured",
            checks: [
                "write-back-waiting SearchField.query stale", "write-back-arrived SearchField.query stale",
            ], findings: ["empty-update"]),
        Row(
            id: "rules.layout-pass",
            checks: [
                "@before HostingController.title stale", "layout-settled HostingController.title=",
            ], findings: ["unsettled-read"]),
        Row(
            id: "rules.root-built",
            checks: [
                "root-built HostingController.title stale", "root-drawn HostingController.title stale",
                "root-assigned HostingController.title=",
            ], findings: ["update-never-arrived"]),
        Row(
            id: "rules.async",
            checks: ["async-sent NativeTitle.title stale", "async-arrived NativeTitle.title="],
            findings: ["transient-divergence"]),
        Row(
            id: "rules.list-by-id",
            checks: [
                "list-expanded List.ann=, List.bo=, List.cy=",
                "list-removed List.ann out-of-scope, List.bo=, List.cy=",
            ]),
        Row(
            id: "rules.list-by-place",
            checks: [
                "list-expanded List.ann=, List.bo=, List.cy=",
                "list-removed List.ann out-of-scope, List.bo stale, List.cy stale",
            ], findings: ["identity-carried-state"]),
        Row(
            id: "rules.dismissal",
            checks: ["dismissal-up Sheet.sheet=", "dismissal-closed Sheet.sheet out-of-scope"]),
        Row(
            id: "rules.dismissal-silent",
            checks: ["dismissal-up Sheet.sheet=", "dismissal-closed Sheet.sheet missing"]),
        Row(
            id: "rules.replace-order",
            checks: ["first", "next"].map { "replace-\($0) Preview.source=, Preview.state=" }),
        Row(
            id: "rules.replace-order-overlap",
            checks: [
                "replace-first Preview.source=, Preview.state=",
                "replace-next Preview.source=, Preview.state stale",
            ]),
    ]

    /// The same ones as ordinary code: what is true of the one is true of the other.
    static let pasted = PastedTests.pairs.compactMap { pair in
        (lessons + counter + coordinator).first { $0.id == pair.byHand }.map {
            Row(id: pair.pasted, checks: $0.checks, findings: $0.findings)
        }
    }

    static let late = [
        Row(
            id: "pasted.late",
            checks: [
                "late-start LateController.queueLabel=, LateController.taskLabel=, "
                    + "LateController.timedLabel missing",
                "late-changed LateController.queueLabel=, LateController.taskLabel=",
            ]),
        Row(
            id: "pasted.loading",
            checks: [
                "loading-start VisitsController.loads=", "loading-covered VisitsController.loads missing",
                "loading-back VisitsController.loads=",
            ]),
    ]

    static let table = lessons + counter + coordinator + migration + rules + pasted + late

    // MARK: The test

    @Test("each scenario comes out as the table says, and the table has each scenario")
    func table() throws {
        let client = try SeamProcess().connect()
        let list = try client.scenarios()
        // The reports from the field have a table of their own: `FieldCaseTests`.
        let ids = Set(list.compactMap { $0["id"]?.text }.filter { !$0.hasPrefix("fieldcases.") })
            .subtracting(["live"])
        #expect(ids == Set(Self.table.map(\.id)))

        var lines: [String] = []
        for row in Self.table where ids.contains(row.id) {
            let came = try play(row.id, client)
            #expect(came.checks == row.checks, "\(row.id)")
            #expect(came.findings == row.findings, "\(row.id)")
            // The scenario says the same of itself.
            #expect(came.isMet, "\(row.id)")
            lines.append(Self.line(row.id, came))
        }
        print(([Self.head] + lines).joined(separator: "\n"))
    }

    @Test(
        "the same script gives the same answer each time",
        arguments: ["coordinator.task", "coordinator.draft-loop"])
    func again(_ id: String) throws {
        let client = try SeamProcess().connect()
        func answer() throws -> String {
            try client.call("sim.run", #"{"scenario":"\#(id)","steps":true}"#).encoded
        }
        let first = try answer()
        for _ in 0..<50 { #expect(try answer() == first) }
    }

    @Test("whoever creates a migration says how far it is and what goes wrong with it")
    func migrationParameters() throws {
        let client = try SeamProcess().connect()
        let params = #"{"moved":"name,phone","noPlace":"name","leftBehind":"phone"}"#
        try client.call("sim.create", #"{"scenario":"migration.start","id":"m","params":\#(params)}"#)
        var verdicts: [String: String] = [:]
        for field in try client.call("sim.get", #"{"sim":"m"}"#)["fields"]?.elements ?? [] {
            verdicts[field["field"]?.text ?? "?"] = field["verdict"]?.text
        }
        #expect(
            verdicts == [
                "userName": "out-of-scope", "eMail": "matching", "telNo": "leftover", "faxNo": "matching",
                "name": "missing", "email": "out-of-scope", "phone": "matching", "fax": "out-of-scope",
            ])
        let refusal = try client.refusal(
            "sim.create", #"{"scenario":"migration.start","params":{"moved":"name,colour"}}"#)
        #expect(refusal.code == -32005)
        #expect(refusal.message.contains(#"moved is "name,colour", expected some of name,email,phone,fax"#))
    }

    private struct Result {
        var checks: [String] = []
        var findings: [String] = []
        var counts: [String: Int] = [:]
        var isMet = true
    }

    private func play(_ id: String, _ client: TestClient) throws -> Result {
        let answer = try client.call("sim.run", #"{"scenario":"\#(id)"}"#)
        var result = Result()
        var codes = (answer["diagnostics"]?.elements ?? []).compactMap { $0["code"]?.text }
        for check in answer["checks"]?.elements ?? [] {
            let fields = (check["fields"]?.elements ?? []).map { field in
                let verdict = field["verdict"]?.text ?? "?"
                return "\(field["screen"]?.text ?? "?").\(field["field"]?.text ?? "?")"
                    + (verdict == "matching" ? "=" : " \(verdict)")
            }
            result.checks.append("\(check["label"]?.text ?? "?") \(fields.joined(separator: ", "))")
            for member in check["counts"]?.members ?? [] {
                result.counts[member.name, default: 0] += member.value.integer ?? 0
            }
            if check["met"]?.boolean == false { result.isMet = false }
            codes += (check["diagnostics"]?.elements ?? []).compactMap { $0["code"]?.text }
        }
        result.findings = Set(codes).sorted()
        return result
    }

    // MARK: For people

    private static let words = ["matching", "stale", "missing", "leftover"]
    private static let head = line("scenario", words, "found")

    private static func line(_ id: String, _ result: Result) -> String {
        line(
            id, words.map { result.counts[$0].flatMap { $0 == 0 ? nil : "\($0)" } ?? "-" },
            result.findings.joined(separator: ", "))
    }

    private static func line(_ id: String, _ counts: [String], _ found: String) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return padded(id, 36) + counts.map { padded($0, 10) }.joined() + (found.isEmpty ? "-" : found)
    }
}
