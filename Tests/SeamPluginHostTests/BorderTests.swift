import Foundation
import SeamKernel
@testable import SeamPluginHost
import SeamTestSupport
import Testing

extension PluginHost {
    /// A plug-in written against the header alone, running: what it does right, and what each breach comes
    /// to.
    @MainActor @Suite struct Border {
        @Test("a C plug-in runs its script and is dismantled")
        func runs() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, start) = try Desk([file]).simulation("plain.first")
                #expect(start.said.isEmpty && start.failure == nil)
                #expect(simulation.shown("Strip", "count") == "3")
                let (lines, findings, isMet) = try simulation.play()
                #expect(lines.first == "strip | Strip.count: model=5 screen=3 -> stale")
                #expect(findings == ["update-never-arrived"] && isMet)
                #expect(simulation.shown("List", "rows") == "5")
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        nonisolated struct Breach: Sendable {
            var what: String
            /// What the call answered, as the plug-in shows it.
            var answer: Int
            /// Part of the finding; nil for none.
            var finding: String?
        }

        nonisolated static let breaches = [
            Breach(what: "nothing", answer: 0),
            Breach(
                what: "undeclared-field", answer: -1, finding: "screen Strip declares no field \"colour\""),
            Breach(
                what: "unknown-key", answer: -1,
                finding: "the model key \"colour\" is neither a field nor an input"),
            Breach(what: "unknown-screen", answer: -1, finding: "there is no screen 7"),
            Breach(what: "unknown-mount", answer: -1, finding: "there is no mount 99"),
            Breach(what: "unknown-token", answer: -1, finding: "there is no registration 5"),
            Breach(what: "unknown-bridge", answer: -1, finding: "there is no bridge 9"),
            Breach(
                what: "not-utf8", answer: -1,
                finding: "model_set was given a text that is missing (NULL) or not UTF-8"),
            Breach(
                what: "null-key", answer: -1,
                finding: "model_set was given a text that is missing (NULL) or not UTF-8"),
            Breach(
                what: "null-out", answer: -1, finding: "model_get was given NULL for the place of its answer"),
            Breach(what: "long-name", answer: -4, finding: "longer than allowed"),
            Breach(what: "big-value", answer: 0),
            Breach(what: "too-big-value", answer: -4, finding: "longer than allowed"),
            Breach(what: "empty-value", answer: 0),
            Breach(what: "clear", answer: 1),
            Breach(what: "views-last", answer: 0),
            Breach(what: "unknown-interface", answer: 0),
            Breach(what: "null-context", answer: -2),
            Breach(what: "made-up-context", answer: -2),
            Breach(what: "diagnose", answer: 0, finding: "3 is odd"),
        ]

        @Test("a call with a wrong argument is answered and reported", arguments: breaches)
        func breach(_ breach: Breach) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                let turn = try simulation.act(breach.what)
                #expect(simulation.shown("Strip", "status") == "\(breach.answer)")
                #expect(turn.diagnostics.count == (breach.finding == nil ? 0 : 1), "\(turn.said)")
                if let finding = breach.finding {
                    #expect(turn.said.first?.contains(finding) == true, "\(turn.said)")
                }
                #expect(simulation.status == .running)
                #expect(simulation.destroy().said.isEmpty)
            }
        }

        @Test("create says no, with and without a reason, and its context is over")
        func createFails() throws {
            let workshop = try Workshop()
            let cases = [
                ("create_fails", -6, "create: no room for one more"),
                ("create_fails_silently", -4, "create returned SEAM_E_LIMIT (-4) and did not say why (fail)"),
            ]
            for (fault, status, text) in cases {
                let file = try workshop.plugin(fault)
                asHost {
                    let failure = #expect(throws: Simulation.CreateFailure.self) {
                        try Desk([file]).simulation("plain.first")
                    }
                    #expect(failure?.status == Int32(status))
                    #expect(failure?.text == text)
                }
            }
        }

        @Test("an error from start or an event fails the simulation, one from a body its mount")
        func failures() throws {
            let workshop = try Workshop()
            let start = try workshop.plugin("start_fails")
            let draw = try workshop.plugin("draw_fails")
            let good = try workshop.plugin("good")
            try asHost {
                let (failed, turn) = try Desk([start]).simulation("plain.first")
                #expect(turn.failure == "start: the model can't be read")
                #expect(failed.status == .failed("start: the model can't be read"))

                let (running, first) = try Desk([draw]).simulation("plain.first")
                #expect(running.status == .running)
                #expect(
                    first.said.first?.contains("draw of bridge strip returned SEAM_E_PLUGIN (-7)") == true)
                #expect(running.shown("List", "rows") == "3")

                let words = [
                    ("fail", "event: the file is empty"), ("fail-ok", "event: no error code"),
                    ("fail-silently", "event returned SEAM_E_LIMIT (-4) and did not say why (fail)"),
                    ("fail-strangely", "event returned status -99 and did not say why (fail)"),
                ]
                for (what, text) in words {
                    let (simulation, _) = try Desk([good]).simulation("plain.first")
                    #expect(try simulation.act(what).failure == text)
                    #expect(simulation.destroy().failure == nil)
                }
            }
        }

        @Test("calls out of their state are refused: in create, draw, dismantle, destroy")
        func states() throws {
            let workshop = try Workshop()
            let cases = [
                ("create_writes", "model_set was called inside create"),
                ("draw_mounts", "mount was called inside draw of strip"),
                ("dismantle_writes", "screen_set was called inside dismantle of list"),
                ("destroy_writes", "model_set was called inside destroy"),
            ]
            for (fault, words) in cases {
                let file = try workshop.plugin(fault)
                try asHost {
                    let (simulation, start) = try Desk([file]).simulation("plain.first")
                    let said = start.said + simulation.destroy().said
                    #expect(said.count == 1 && said[0].hasPrefix("plugin-misbehaving: \(words)"), "\(said)")
                }
            }
        }

        @Test("a call from another thread is refused, reported, and leaves the simulation alone")
        func threads() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                #expect(try simulation.act("thread").said.isEmpty)
                #expect(simulation.shown("Strip", "status") == "-3")
                Inbox.shared.deliver()
                let turn = try simulation.act("nothing")
                #expect(turn.said.count == 1)
                #expect(turn.said.first?.contains("model_set was called from thread") == true, "\(turn.said)")
                #expect(simulation.shown("Strip", "count") == "3")
            }
        }

        @Test("log and post come from any thread, in order")
        func posts() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let desk = Desk([file])
                let (simulation, _) = try desk.simulation("plain.first")
                _ = try simulation.act("thread-post")
                #expect(simulation.shown("Strip", "status") == "0")
                #expect(desk.posts.isEmpty)
                Inbox.shared.deliver()
                #expect(desk.lines == ["s1 1 a line from a thread"])
                #expect(desk.posts == [77])
                _ = try simulation.apply(.tick(77))
                #expect(simulation.shown("Strip", "status") == "tick 77")
            }
        }

        @Test("posts have a limit, and places come back with the ticks")
        func flood() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let desk = Desk([file])
                let (simulation, _) = try desk.simulation("plain.first")
                _ = try simulation.act("post-flood")
                #expect(simulation.shown("Strip", "status") == "-4")
                Inbox.shared.deliver()
                #expect(desk.posts.count == 65_536)
                for token in desk.posts { _ = try simulation.apply(.tick(token)) }
                desk.posts.removeAll()
                _ = try simulation.act("post-flood")
                Inbox.shared.deliver()
                #expect(desk.posts.count == 65_536)
            }
        }

        @Test("what a thread hands over for a simulation that is gone reaches nobody")
        func late() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let desk = Desk([file])
                let (first, _) = try desk.simulation("plain.first")
                _ = try first.act("thread-post")
                _ = try first.act("thread")
                _ = first.destroy()
                let (second, _) = try desk.simulation("plain.first")
                Inbox.shared.deliver()
                #expect(desk.posts.isEmpty && desk.lines.isEmpty)
                #expect(try second.act("nothing").said.isEmpty)
            }
        }

        @Test("registrations, timers, bindings and a control made anew")
        func services() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            let anew = try workshop.plugin("recreates")
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                _ = try simulation.act("timer")
                try simulation.advance(to: 1_000_000) { _ in }
                #expect(simulation.shown("Strip", "status") == "tick 42")
                _ = try simulation.act("own")
                // The list was updated once since it was made, so its first copy of the parent is an old one.
                _ = try simulation.apply(.modelWrite([("count", "4")]))
                let edit = try simulation.apply(.send(1, arguments: ["6"], mount: nil))
                #expect(edit.diagnostics.map(\.code) == ["stale-parent"])
                #expect(simulation.shown("List", "rows") == "6")
                #expect(try simulation.act("unmount-list").diagnostics.map(\.code) == ["leaked-observer"])

                let (other, _) = try Desk([anew]).simulation("plain.first")
                let turn = try other.apply(.modelWrite([("count", "4")]))
                #expect(turn.diagnostics.map(\.code) == ["recreated-control"])
            }
        }

        @Test("without a tick nothing can be asked to come back")
        func noTick() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin("no_tick")
            try asHost {
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                let turn = try simulation.act("timer")
                #expect(simulation.shown("Strip", "status") == "-5")
                #expect(turn.said.first?.contains("at_time was called, but seam_inst_v1 has no tick") == true)
            }
        }

        @Test("two instances of one scenario do not know each other")
        func two() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                let desk = Desk([file])
                let (one, _) = try desk.simulation("plain.first")
                let (other, _) = try desk.simulation("plain.second")
                _ = try one.apply(.modelWrite([("count", "8")]))
                #expect(one.shown("List", "rows") == "8" && other.shown("List", "rows") == "3")
                _ = one.destroy()
                _ = try other.apply(.modelWrite([("count", "9")]))
                #expect(other.shown("List", "rows") == "9")
            }
        }
    }
}
