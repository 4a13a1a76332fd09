import Foundation
import SeamKernel
@testable import SeamPluginHost
import SeamTestSupport
import Testing

extension PluginHost {
    /// Each service of the engine's tables, called by a plug-in in C: what it answers when all is well, and what a wrong
    /// argument, the wrong moment and the wrong thread come to. After each the simulation goes on.
    @MainActor @Suite struct Engine {
        nonisolated struct Service: Sendable, CustomTestStringConvertible {
            var name: String
            /// What the call with good arguments answers.
            var answer = 0
            /// Arguments that can be wrong: m(ount), n(ame), v(alue), o(ut), k(ey of the model), f(ield).
            var takes: String
            /// Where no body may call it.
            var isForEvents = false
            /// Something else that it takes: "object", "subscription", "binding".
            var handle: String?
            var testDescription: String { name }
        }

        nonisolated static let services = [
            Service(name: "mount_in", takes: "mnvo"),
            Service(name: "set_activity", takes: "m", isForEvents: true),
            Service(name: "activity_get", takes: "mo"),
            Service(name: "identify", takes: "mn"),
            Service(name: "set_items", takes: "mnv"),
            Service(name: "item_get", answer: 1, takes: "mo"),
            Service(name: "rebind", takes: "mnv", isForEvents: true),
            Service(name: "dismiss", takes: "m", isForEvents: true),
            Service(name: "build_root", takes: "m", isForEvents: true),
            Service(name: "assign_built", takes: "m", isForEvents: true),
            Service(name: "lift", takes: "mnvf"),
            Service(name: "measured", takes: "m"),
            Service(name: "screen_set_on", takes: "nvf"),
            Service(name: "native_change", takes: "mnvf", isForEvents: true),
            Service(name: "set_draft", takes: "mnvk", isForEvents: true),
            Service(name: "differs", takes: "mnvko"),
            Service(name: "forget_diff_base", takes: "mk"),
            Service(name: "transaction", takes: "", isForEvents: true),
            Service(name: "environment_set", takes: "mnv"),
            Service(name: "environment_get", answer: 1, takes: "mno"),
            Service(name: "environment_take", takes: "m"),
            Service(name: "state_start", takes: "mnvo"),
            Service(name: "state_get", answer: 1, takes: "mno"),
            Service(name: "state_set", takes: "mnv"),
            Service(name: "object_make", takes: "o"),
            Service(name: "object_hold", takes: "mno", handle: "object"),
            Service(name: "object_publish", takes: "", isForEvents: true, handle: "object"),
            Service(name: "object_drop", takes: "", handle: "object"),
            Service(name: "subscribe", takes: "mo", handle: "object"),
            Service(name: "unsubscribe", takes: "", handle: "subscription"),
            Service(name: "binding_make", takes: "mnvko"),
            Service(name: "binding_get", takes: "o", handle: "binding"),
            Service(name: "binding_set", takes: "v", handle: "binding"),
            Service(name: "binding_rebind", takes: "nk", handle: "binding"),
            Service(name: "binding_unbind", takes: "", handle: "binding"),
            Service(name: "ask", takes: "mnko"),
            Service(name: "write_later", takes: "mnvk"),
            Service(name: "in_flight", takes: "mnko"),
            Service(name: "watch", takes: "mnk"),
            Service(name: "command", takes: "m"),
        ]

        /// Calls the service in one variant; what it answered and what was found.
        private func call(
            _ service: Service, _ variant: String, in simulation: Simulation
        ) throws -> (answer: String?, said: [String]) {
            let turn = try simulation.act("engine \(service.name) \(variant)")
            // A tick that the service asked for may have written over it.
            _ = try simulation.act("answer")
            return (simulation.shown("Strip", "status"), turn.said)
        }

        /// The list of the plug-in writes on each update, whether there is anything new or not.
        private func isFault(_ said: String) -> Bool { !said.hasPrefix("redundant-write") }

        @Test("with good arguments it does its work, and no finding is made", arguments: services)
        func good(_ service: Service) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                let (answer, said) = try call(service, "good", in: simulation)
                #expect(answer == "\(service.answer)", "\(said)")
                #expect(said.filter(isFault).isEmpty, "\(said)")
                #expect(try simulation.act("nothing").said.isEmpty)
                let end = simulation.destroy()
                #expect(end.said.isEmpty, "\(end.said)")
                #expect(simulation.liveCounts.mounts == 0 && simulation.liveCounts.objects == 0)
            }
        }

        @Test("with a wrong argument nothing happens, and it is reported", arguments: services)
        func wrong(_ service: Service) throws {
            var rows: [(variant: String, answer: Int, words: String)] = []
            let name = service.name
            if service.takes.contains("m") { rows.append(("mount", -1, "there is no mount 99")) }
            if service.takes.contains("o") {
                rows.append(("out", -1, "\(name) was given NULL for the place of its answer"))
            }
            if service.takes.contains("n") {
                rows.append(("name", -4, "\(name) was given a text that is longer than allowed"))
                rows.append(("utf8", -1, "\(name) was given a text that is missing (NULL) or not UTF-8"))
                rows.append(("null", -1, "\(name) was given a text that is missing (NULL) or not UTF-8"))
            }
            if service.takes.contains("v") {
                rows.append(("value", -4, "\(name) was given a text that is longer than allowed"))
            }
            if service.takes.contains("k") {
                rows.append(("key", -1, "the model key \"colour\" is neither a field nor an input"))
            }
            if service.takes.contains("f") { rows.append(("key", -1, "declares no field \"colour\"")) }
            if let handle = service.handle { rows.append((handle, -1, "there is no \(handle) 99")) }

            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                for (variant, status, words) in rows {
                    let (answer, said) = try call(service, variant, in: simulation)
                    #expect(answer == "\(status)", "\(name) \(variant)")
                    #expect(said.count == 1 && said[0].contains(words), "\(name) \(variant): \(said)")
                    #expect(said[0].hasPrefix("plugin-misbehaving"))
                    #expect(try simulation.act("nothing").said.isEmpty)
                }
                #expect(simulation.status == .running && simulation.shown("List", "rows") == "3")
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        @Test("in a body it follows the state table", arguments: services)
        func bodies(_ service: Service) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                let turn = try simulation.act("engine \(service.name) draw")
                _ = try simulation.act("answer")
                let answer = simulation.shown("Strip", "status")
                let refused =
                    "plugin-misbehaving: \(service.name) was called inside draw of strip: not allowed there"
                if service.isForEvents {
                    #expect(answer == "-2" && turn.said == [refused], "\(turn.said)")
                } else {
                    #expect(answer == "\(service.answer)", "\(turn.said)")
                    #expect(!turn.said.contains { $0.hasPrefix("plugin-misbehaving") }, "\(turn.said)")
                }
                #expect(try simulation.act("nothing").said.isEmpty)
            }
        }

        @Test("in destroy it is refused", arguments: services)
        func destruction(_ service: Service) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                _ = try simulation.act("engine \(service.name) destroy")
                let said = simulation.destroy().said
                #expect(
                    said == [
                        "plugin-misbehaving: \(service.name) was called inside destroy: not allowed there"
                    ])
            }
        }

        @Test("from another thread it is refused and reported", arguments: services)
        func threads(_ service: Service) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                let (answer, said) = try call(service, "thread", in: simulation)
                #expect(answer == "-3" && said.isEmpty, "\(said)")
                Inbox.shared.deliver()
                let later = try simulation.act("nothing").said
                #expect(
                    later.count == 1 && later[0].contains("\(service.name) was called from thread"),
                    "\(later)")
                #expect(simulation.shown("List", "rows") == "3")
            }
        }

        @Test("a word, a count and a flag out of their range")
        func ranges() throws {
            let rows: [(service: String, variant: String, answer: Int, words: String)] = [
                ("set_activity", "word", -1, "set_activity was given hidden = 9, expected 1 (SEAM_NO"),
                ("set_activity", "reserved", -1, "set_activity was given "),
                ("set_activity", "out", -1, "set_activity was given NULL for the change"),
                ("set_items", "word", -4, "items, at most 65536 are allowed"),
                ("set_items", "out", -1, "set_items was given NULL for 2 items"),
                ("object_hold", "word", -1, "object_hold was given owned = 9, expected 0 or 1"),
                ("binding_make", "word", -1, "binding_make was given the kind 9, expected 1 to 6"),
                (
                    "write_later", "word", -1,
                    "write_later was given how = 9, expected 1 (SEAM_WRITE_CAPTURED)"
                ),
            ]
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                for row in rows {
                    let service = Service(name: row.service, takes: "")
                    let (answer, said) = try call(service, row.variant, in: simulation)
                    #expect(answer == "\(row.answer)", "\(row)")
                    #expect(said.count == 1 && said[0].contains(row.words), "\(row): \(said)")
                    #expect(try simulation.act("nothing").said.isEmpty)
                }
            }
        }

        @Test("the tables are found by their ids, the same each time; others are not there")
        func interfaces() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                for (what, finding) in [
                    ("tables", nil), ("unknown-interface", nil), ("next-interface", nil),
                    ("null-interface", "get_interface was given NULL for the id"),
                ] as [(String, String?)] {
                    let said = try simulation.act(what).said
                    #expect(simulation.shown("Strip", "status") == "0", "\(what)")
                    #expect(said == (finding.map { ["plugin-misbehaving: \($0)"] } ?? []), "\(what)")
                }
            }
        }

        @Test("without a tick neither watch nor command can be asked for")
        func noTick() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin("no_tick")
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                for name in ["watch", "command"] {
                    let (answer, said) = try call(Service(name: name, takes: ""), "good", in: simulation)
                    #expect(answer == "-5")
                    #expect(said.first?.contains("\(name) was called, but seam_inst_v1 has no tick") == true)
                }
            }
        }

        // MARK: Hooks

        @Test("a plug-in hears of the life of its controls where the policy says so")
        func hooks() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                for (policy, heard) in [("told", "ADCBAB"), ("silent", nil)] as [(String, String?)] {
                    let (simulation, _) = try Desk([file]).simulation(
                        "plain.first", policies: [("hooks", policy)])
                    let changes = [
                        ActivityChange(parked: true), ActivityChange(parked: false),
                        ActivityChange(window: false),
                    ]
                    for change in changes {
                        let said = try simulation.apply(.activity(1, mount: nil, change)).said
                        #expect(said.filter(isFault).isEmpty, "\(said)")
                    }
                    _ = try simulation.act("hooks")
                    // attach appear; reset detach; attach; detach.
                    #expect(simulation.shown("Strip", "title") == heard ?? "", "\(policy)")
                }
            }
        }

        @Test("after its dismantle a control's hooks are told without it")
        func lateHooks() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation(
                    "plain.first", policies: [("hooks", "told")])
                #expect(try simulation.apply(.unmount(1, mount: nil)).said.isEmpty)
                _ = try simulation.act("hooks")
                #expect(simulation.shown("Strip", "title") == "ADBe")
            }
        }

        @Test("a hook that fails ends its mount, with the reason")
        func hookFails() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin("hook_fails")
            try asHost {
                let (simulation, _) = try Desk([file]).simulation(
                    "plain.first", policies: [("hooks", "told")])
                let turn = try simulation.apply(.activity(1, mount: nil, ActivityChange(window: false)))
                #expect(
                    turn.said == [
                        "plugin-failed: hook of bridge list: it can't be detached; this mount gets no more calls but "
                            + "dismantle"
                    ])
                #expect(simulation.status == .running)
                #expect(try simulation.act("nothing").said.isEmpty)
                #expect(simulation.destroy().said.isEmpty)
                #expect(simulation.liveCounts.controls == 0)
            }
        }

        @Test("a table of hooks that can't be used refuses the simulation, and nothing is left of it")
        func badHooks() throws {
            let rows = [
                ("hooks_size", "size of its seam_hooks_v1 is 8, expected 16 (sizeof)"),
                ("hooks_reserved", "reserved of seam_hooks_v1 is 1; major 1 has it 0"),
                ("hooks_missing", "hook of seam_hooks_v1 is missing (NULL)"),
            ]
            let workshop = try Workshop()
            for (fault, words) in rows {
                let file = try workshop.plugin(fault)
                asHost {
                    let failure = #expect(throws: Simulation.CreateFailure.self) {
                        try Desk([file]).simulation("plain.first")
                    }
                    #expect(failure?.text == words)
                }
            }
        }
    }
}
