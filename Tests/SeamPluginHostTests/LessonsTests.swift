import SeamKernel
import SeamPluginHost
import SeamTestSupport
import Testing

extension PluginHost {
    /// The real library, as it lies beside the test binary.
    @MainActor @Suite struct Lessons {
        static let file = Products.path("libLessons.so")

        nonisolated struct Result: Sendable {
            var id: String
            var lines: [String]
            var findings: [String]
        }

        nonisolated static let results = [
            Result(
                id: "lessons.hosting-unassigned",
                lines: [
                    "hosting-unassigned | HostingController.title: model=Tasks screen=Tasks -> matching",
                    "hosting-unassigned | HostingController.openCount: model=5 screen=3 -> stale",
                    "hosting-unassigned | HostingController.filter: model=open screen=open -> matching",
                    "matching: 2", "stale: 1", "missing: 0", "leftover: 0",
                ],
                findings: ["update-never-arrived"]),
            Result(
                id: "lessons.hosting-assigned",
                lines: [
                    "hosting-assigned | HostingController.title: model=Tasks screen=Tasks -> matching",
                    "hosting-assigned | HostingController.openCount: model=5 screen=5 -> matching",
                    "hosting-assigned | HostingController.filter: model=open screen=open -> matching",
                    "matching: 3", "stale: 0", "missing: 0", "leftover: 0",
                ],
                findings: []),
            Result(
                id: "lessons.wrapping-empty",
                lines: [
                    "wrapping-empty | LegacyListView.title: model=Tasks screen=Tasks -> matching",
                    "wrapping-empty | LegacyListView.rowCount: model=5 screen=3 -> stale",
                    "matching: 1", "stale: 1", "missing: 0", "leftover: 0",
                ],
                findings: ["empty-update"]),
            Result(
                id: "lessons.wrapping-filled",
                lines: [
                    "wrapping-filled | LegacyListView.title: model=Tasks screen=Tasks -> matching",
                    "wrapping-filled | LegacyListView.rowCount: model=5 screen=5 -> matching",
                    "matching: 2", "stale: 0", "missing: 0", "leftover: 0",
                ],
                findings: []),
            Result(
                id: "lessons.own-state",
                lines: [
                    "own-state | HostingController.openCount: model=5 screen=5 -> matching",
                    "own-state | HostingController.isExpanded: model=- screen=- -> out-of-scope",
                    "matching: 1", "stale: 0", "missing: 0", "leftover: 0",
                ],
                findings: []),
        ]

        @Test("gives the result of its document", arguments: results)
        func result(_ wanted: Result) throws {
            try asHost {
                let desk = Desk([Self.file])
                let (simulation, start) = try desk.simulation(wanted.id)
                #expect(start.diagnostics.isEmpty && start.failure == nil)
                let (lines, findings, isMet) = try simulation.play()
                #expect(lines == wanted.lines)
                #expect(findings == wanted.findings)
                #expect(isMet)
                #expect(simulation.destroy().diagnostics.isEmpty)
                #expect(desk.lines.isEmpty)
            }
        }

        @Test("says who it is and what it has")
        func description() throws {
            try asHost {
                let catalogue = Desk([Self.file]).catalogue
                try catalogue.openNamedFiles()
                #expect(
                    catalogue.entries.map(\.scenario.id) == [
                        "lessons.hosting-assigned", "lessons.hosting-unassigned", "lessons.own-state",
                        "lessons.wrapping-empty", "lessons.wrapping-filled", "live",
                    ])
                #expect(catalogue.entry("live")?.plugin == nil)
                #expect(catalogue.makeBody("live") == nil)
                let entry = try #require(catalogue.entry("lessons.wrapping-empty"))
                let plugin = try #require(entry.plugin)
                #expect(plugin.id == "seam.lessons" && plugin.name == "Lessons" && plugin.file == Self.file)
                let scenario = entry.scenario
                #expect(scenario.parameters.map(\.id) == ["rowCount"])
                #expect(scenario.parameters[0].kind == "integer" && scenario.parameters[0].initial == "3")
                #expect(
                    scenario.screens.map(\.id) == ["LegacyListView"]
                        && scenario.screens[0].side == .declarative)
                #expect(scenario.screens[0].fields.map(\.key) == ["title", "rowCount"])
                #expect(scenario.bridges.map(\.id) == ["list"] && scenario.bridges[0].kind == .wrap)
                #expect(scenario.bridges[0].inputs == ["title", "rowCount"])
                #expect(scenario.checks[0].expected == [.matching, .stale])
                let hosting = try #require(catalogue.entry("lessons.hosting-assigned")).scenario
                #expect(hosting.bridges.map(\.id) == ["host"] && hosting.bridges[0].kind == .embed)
                #expect(
                    hosting.events.map(\.id) == ["summaryDidChange"] && hosting.events[0].origin == .model)
                #expect(catalogue.failures.isEmpty)
            }
        }

        @Test("starts from its parameters and refuses one that is none")
        func parameters() throws {
            try asHost {
                let desk = Desk([Self.file])
                let (simulation, _) = try desk.simulation(
                    "lessons.hosting-unassigned", parameters: ["openCount": "41"])
                #expect(simulation.shown("HostingController", "openCount") == "41")
                #expect(throws: Simulation.CreateFailure.self) {
                    try desk.simulation("lessons.hosting-unassigned", parameters: ["openCount": "many"])
                }
            }
        }

        @Test("the event that should tell the screen does so in the repair alone")
        func event() throws {
            try asHost {
                let desk = Desk([Self.file])
                for (id, shown) in [("lessons.hosting-unassigned", "3"), ("lessons.hosting-assigned", "8")] {
                    let (simulation, _) = try desk.simulation(id)
                    _ = try simulation.apply(.modelWrite([("openCount", "8")]))
                    #expect(simulation.shown("HostingController", "openCount") == "3")
                    let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
                    #expect(turn.diagnostics.isEmpty)
                    #expect(simulation.shown("HostingController", "openCount") == shown)
                    // The host can assign the root view too, whatever the code forgot.
                    _ = try simulation.apply(.modelWrite([("openCount", "9")]))
                    _ = try simulation.apply(.assign(0, mount: nil))
                    #expect(simulation.shown("HostingController", "openCount") == "9")
                }
            }
        }

        @Test("the state a view keeps for itself stays out of scope")
        func toggle() throws {
            try asHost {
                let (simulation, _) = try Desk([Self.file]).simulation("lessons.own-state")
                for _ in 1...3 {
                    let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
                    #expect(turn.changes.isEmpty && turn.diagnostics.isEmpty)
                }
                #expect(simulation.shown("HostingController", "isExpanded") == nil)
            }
        }

        @Test("a text its state has no value for is reported, and the property has its initial value")
        func unreadable() throws {
            try asHost {
                let (simulation, _) = try Desk([Self.file]).simulation(
                    "lessons.wrapping-filled", parameters: ["rowCount": "7"])
                let turn = try simulation.apply(.modelWrite([("rowCount", "many")]))
                #expect(turn.diagnostics.map(\.code) == ["unreadable-value"])
                #expect(simulation.shown("LegacyListView", "rowCount") == "3")
                #expect(try simulation.apply(.modelWrite([("rowCount", "4")])).diagnostics.isEmpty)
                #expect(simulation.shown("LegacyListView", "rowCount") == "4")
            }
        }

        @Test("mounted twice, unmounted once: one list is left")
        func mounts() throws {
            try asHost {
                let (simulation, _) = try Desk([Self.file]).simulation("lessons.wrapping-filled")
                let second = try simulation.apply(.mount(0)).mount
                #expect(second == 2)
                _ = try simulation.apply(.unmount(0, mount: 1))
                _ = try simulation.apply(.modelWrite([("rowCount", "6")]))
                #expect(simulation.shown("LegacyListView", "rowCount") == "6")
                #expect(simulation.destroy().diagnostics.isEmpty)
            }
        }

        @Test("the library exports its entry and nothing else")
        func exports() throws {
            let process = try SymbolTable(of: Self.file)
            #expect(process.exported == ["seam_plugin_entry"])
        }
    }
}
