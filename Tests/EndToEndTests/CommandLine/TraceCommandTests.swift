import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam trace`, `seam explain`, `seam diff` and `--why`: the past, for a person.
@Suite struct TraceCommandTests {
    @Test("trace prints a line for each call and write, in columns")
    func trace() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create lessons.hosting-unassigned --id demo
            demo
            $ seam set demo openCount=7
            seq=4 turn=2 changes=1 diagnostics=0
            $ seam assign demo host
            seq=5 turn=3 changes=1 diagnostics=0
            $ seam trace demo --from 2
            turn 2.0  0 ms  model.set (client)                    set openCount
            turn 3.0  0 ms  bridge.assign host (client)  mount 1
            turn 3.1  0 ms  host.draw (input)            mount 1  wrote HostingController.title, HostingController.openCount, HostingController.filter
            $ seam trace demo --from 2 --to 2 --json
            {"turn":2,"ms":0,"round":0,"call":"model.set","origin":"client","set":["openCount"]}
            $ seam trace demo --from 4
            $ seam trace demo --from 5
            ! seam: The simulation demo is at turn 3; turn 5 is yet to come.
            = 4
            $ seam trace demo --from 3 --to 2
            ! seam: The turns from 3 to 2 are none; from comes before to.
            = 4
            $ seam trace demo --to 9
            ! seam: The simulation demo is at turn 3; turn 9 is yet to come.
            = 4
            $ seam trace demo --from now
            ! seam: --from takes a whole number from 0, not 'now'; usage: seam trace SIM [options]
            = 2
            $ seam trace demo --follow --to 3
            ! seam: --to is an end, and --follow has none: leave one of them out; usage: seam trace SIM [options]
            = 2
            $ seam trace
            ! seam: trace needs SIM; usage: seam trace SIM [options]
            = 2
            $ seam trace dem
            ! seam: There is no simulation dem; the only one is demo.
            = 4
            $ seam create live --id app
            app
            $ seam trace app
            ! seam: The simulation app keeps no trace; make one that does: seam create SCENARIO --id app --trace on
            = 4
            $ seam create live --id app2 --trace on && seam set app2 x=1 && seam trace app2
            app2
            seq=0 turn=2 changes=0 diagnostics=0
            turn 2.0  0 ms  model.set (client)    set x
            $ seam create lessons.own-state --id none --trace off && seam trace none
            none
            ! seam: The simulation none keeps no trace
            = 4
            $ seam create live --trace maybe
            ! seam: --trace is on or off (also true or false, yes or no), not 'maybe'; usage:
            = 2
            """)
    }

    @Test("a trace whose beginning is gone says so")
    func loss() throws {
        let daemon = try SeamProcess(["--trace-bytes", "4096"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"w"}"#)
        for number in 0..<500 {
            try client.call("model.set", #"{"sim":"w","values":{"rowCount":\#(number)}}"#)
        }
        try play(
            on: daemon,
            """
            $ seam trace w | tail -n 1
            turn 501.1  0 ms  list.update (input)  mount 1, control 1  wrote LegacyListView.rowCount
            ! older records are no longer kept; the trace begins in turn
            $ seam trace w --from 501
            turn 501.0  0 ms  model.set (client)                       set rowCount
            turn 501.1  0 ms  list.update (input)  mount 1, control 1  wrote LegacyListView.rowCount
            """)
    }

    @Test("trace --follow prints each turn as it comes, and ends with the simulation")
    func follow() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        let trace = try daemon.start("trace", "demo", "--follow", "--json")
        func next() throws -> JSON { try JSON(parsing: try #require(try trace.readLine())) }
        #expect(try next()["call"]?.text == "start")
        #expect(try next()["call"]?.text == "draw")
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":7}}"#)
        #expect(try next()["call"]?.text == "model.set")
        try client.call("bridge.assign", #"{"sim":"demo","bridge":"host"}"#)
        let calls = [try next(), try next()]
        #expect(calls.map { $0["call"]?.text } == ["bridge.assign", "draw"])
        #expect(calls.map { $0["turn"]?.integer } == [3, 3])
        // Whoever reads no more ends it, and so does Ctrl-C.
        try play(on: daemon, "$ set -o pipefail; seam trace demo -f | head -n 1 | cut -c 1-8\nturn 1.0")
        let interrupted = try daemon.start("trace", "demo", "--from", "3", "-f")
        #expect(try interrupted.readLine()?.hasPrefix("turn 3.0") == true)
        interrupted.send(signal: SIGINT)
        #expect(try interrupted.outcome().code == 0)
        try client.call("sim.destroy", #"{"sim":"demo"}"#)
        let outcome = try trace.outcome()
        #expect(outcome.code == 0 && outcome.stderr.contains("has ended"), "\(outcome)")
    }

    @Test("explain says why, who and when; without a field, of all that does not match")
    func explain() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create lessons.hosting-unassigned --id demo
            demo
            $ seam set demo openCount=7
            seq=4 turn=2 changes=1 diagnostics=0
            $ seam explain demo
            HostingController.openCount is stale: the model changed in turn 2 (by a client), and no assignment of host has run since turn 1
              model   7  turn 2 (0 ms) by client
              screen  3  turn 1 (0 ms) by draw of host, mount 1
              carried by host  assign  mount 1  last ran in turn 1  not since the model changed
              since then:
                turn 2.0  0 ms  model.set (client)    set openCount
            $ seam assign demo host
            seq=5 turn=3 changes=1 diagnostics=0
            $ seam explain demo
            ! seam: every field of demo matches, or is out of scope
            $ seam explain demo HostingController.openCount
            HostingController.openCount matches: draw of host wrote it in turn 3, after the model changed in turn 2 (by a client)
              model   7  turn 2 (0 ms) by client
              screen  7  turn 3 (0 ms) by draw of host, mount 1
              carried by host  assign  mount 1  last ran in turn 3  1x since the model changed
              since then:
                turn 2.0  0 ms  model.set (client)                    set openCount
                turn 3.0  0 ms  bridge.assign host (client)  mount 1
                turn 3.1  0 ms  host.draw (input)            mount 1  wrote HostingController.title, HostingController.openCount, HostingController.filter
            $ seam explain demo title filter --json | grep -o '"field":"[a-z]*","verdict":"[a-z]*"'
            "field":"title","verdict":"matching"
            "field":"filter","verdict":"matching"
            $ seam explain demo opencount
            ! seam: opencount is not a field of the simulation demo (lessons.hosting-unassigned)
            = 4
            $ seam explain nosuch
            ! seam: There is no simulation nosuch
            = 4
            $ seam create live --id app
            app
            $ seam show app Panel light=on
            seq=1 turn=2 changes=1 diagnostics=0
            $ seam explain app light
            Panel.light is leftover: the model has never had a value for it, and a client wrote it in turn 2
              model   -   never changed
              screen  on  turn 2 (0 ms) by client
              no bridge carries it
            """)
    }

    @Test("check and run say why under each field that does not match")
    func why() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create lessons.wrapping-empty --id w
            w
            $ seam set w rowCount=5
            seq=3 turn=2 changes=1 diagnostics=0
            $ seam check w --why --fail-on none 2>/dev/null
            w | LegacyListView.title: model=Tasks screen=Tasks -> matching
            w | LegacyListView.rowCount: model=5 screen=3 -> stale
              LegacyListView.rowCount is stale: the model changed in turn 2 (by a client), and update of list ran since, last in turn 2, and did not write it
            matching: 1
            stale: 1
            missing: 0
            leftover: 0
            $ seam run --why lessons.own-state counter.copied 2>/dev/null
            own-state | HostingController.openCount: model=5 screen=5 -> matching
            own-state | HostingController.isExpanded: model=- screen=- -> out-of-scope
              HostingController.isExpanded is out of scope: the model has never had a value for it, and the screen was never written
            matching: 1
            stale: 0
            missing: 0
            leftover: 0
            copied | CounterHostingController.counter: model=Counter: 1 screen=No counter -> stale
              CounterHostingController.counter is stale: the model changed in turn 3 (by increase), and no assignment of host has run since turn 1
            matching: 0
            stale: 1
            missing: 0
            leftover: 0
            $ seam run --why --json lessons.wrapping-empty | grep -o '"why":"[^"]*"'
            "why":"LegacyListView.rowCount is stale: the model changed in turn 2 (by the script), and update of list ran since, last in turn 2, and did not write it"
            """)
    }

    @Test("a failed test case says why")
    func report() throws {
        try play(
            """
            $ seam run lessons.hosting-unassigned --fail-on stale --report tap=- 2>/dev/null | grep 'is stale: '
                HostingController.openCount is stale: the model changed in turn 2 (by the script), and no assignment of host has run since turn 1
            $ seam run lessons.hosting-unassigned --fail-on stale --report junit=- 2>/dev/null | grep -c 'is stale: the model changed in turn 2 (by the script), and no assignment of host has run since turn 1'
            1
            """)
    }

    @Test("diff names the first call that only one of two scenarios makes")
    func diff() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam diff lessons.hosting-unassigned lessons.hosting-assigned
            --- lessons.hosting-unassigned
            +++ lessons.hosting-assigned
            after 3 calls and writes that both make:
            + turn 3.0  0 ms  bridge.assign host (script)  mount 1
            at the checks:
            - HostingController.openCount: model=5 screen=3 -> stale
            -   HostingController.openCount is stale: the model changed in turn 2 (by the script), and no assignment of host has run since turn 1
            + HostingController.openCount: model=5 screen=5 -> matching
            diagnostics:
            - update-never-arrived: HostingController.openCount: the model value of HostingController.openCount changed in turn 2, and no assignment of host has run since turn 1
            = 1
            $ seam diff lessons.hosting-assigned lessons.hosting-unassigned | sed -n 4,5p
            - turn 3.0  0 ms  bridge.assign host (script)  mount 1
            at the checks:
            $ seam diff lessons.wrapping-empty lessons.wrapping-filled | sed -n 3,6p
            after 2 calls and writes that both make:
            - turn 1.1  0 ms  list.update (first)  mount 1, control 1  wrote nothing
            + turn 1.1  0 ms  list.update (first)  mount 1, control 1  wrote LegacyListView.rowCount
            at the checks:
            $ seam diff lessons.own-state lessons.own-state
            no difference: 4 calls and writes, 2 checked fields
            $ seam diff -p openCount=3 lessons.hosting-assigned lessons.hosting-assigned --json
            {"first":"lessons.hosting-assigned","second":"lessons.hosting-assigned","common":7,"call":null,"fields":[],"diagnostics":{"first":[],"second":[]}}
            $ seam diff lessons.hosting-assigned lessons.hosting-asigned
            ! seam: There is no scenario lessons.hosting-asigned; near it: lessons.hosting-assigned
            = 4
            $ seam diff lessons.own-state
            ! seam: diff needs OTHER; usage: seam diff SCENARIO OTHER [options]
            = 2
            $ seam list
            """)
    }

    @Test("every fault that comes with Seam differs from its repair, and no repair from itself")
    func everyFault() throws {
        let daemon = try SeamProcess()
        for (fault, repair) in [
            ("counter.copied", "counter.observed"), ("coordinator.label-recreated", "coordinator.label"),
            ("coordinator.draft-stale-parent", "coordinator.draft"),
            ("coordinator.draft-unguarded", "coordinator.draft"),
            ("coordinator.timer-not-cancelled", "coordinator.timer"),
            ("coordinator.model-discarded", "coordinator.model"),
        ] {
            let outcome = try daemon.seam("diff", fault, repair, "--json")
            #expect(outcome.code == 1, "\(fault): \(outcome)")
            let json = try JSON(parsing: outcome.stdout.trimmingCharacters(in: .newlines))
            #expect(json["call"] != .null || json["diagnostics"]?["first"]?.elements?.isEmpty == false)
            #expect(try daemon.seam("diff", repair, repair).code == 0, "\(repair)")
        }
    }
}
