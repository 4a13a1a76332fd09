import Foundation
import SeamTestSupport
import Testing

/// `seam record`, `replay`, `fork`, and `check --at`.
@Suite struct RecordTests {
    @Test("a recording, its replay, and what a person gets wrong")
    func recordings() throws {
        let folder = try TemporaryFolder()
        let at = folder.path
        try play(
            on: SeamProcess(),
            """
            $ cd \(at) && seam create lessons.hosting-unassigned --id demo --record first.jsonl
            demo
            $ seam record demo \(at)/second.jsonl
            ! seam: The simulation demo is being recorded already, to \(at)/first.jsonl; end that with: seam record demo --stop
            = 4
            $ seam set demo openCount=7
            seq=4 turn=2 changes=1 diagnostics=0
            $ seam record demo --stop | sed 's/[0-9]* bytes/N bytes/'
            \(at)/first.jsonl: 8 lines, N bytes
            $ seam record demo --stop
            ! seam: The simulation demo is not being recorded; begin with: seam record demo FILE
            = 4
            $ cd \(at) && seam replay first.jsonl
            first.jsonl: same, 7 lines, 2 turns
            $ cd \(at) && seam replay first.jsonl --json
            {"turns":2,"lines":7,"same":true}
            $ cd \(at) && SEAM_SOCKET=\(at)/none seam replay first.jsonl
            first.jsonl: same, 7 lines, 2 turns
            $ cd \(at) && seam replay first.jsonl --keep --id again
            first.jsonl: same, 7 lines, 2 turns
            kept as again
            $ cd \(at) && sed '7s/"model":"7"/"model":"8"/' first.jsonl >changed.jsonl; seam replay changed.jsonl
            changed.jsonl: differs in line 7, turn 2
              recorded: HostingController.openCount matching -> stale, model=8 screen=3 (turn 2, seq 4, ms 0)
              now:      HostingController.openCount matching -> stale, model=7 screen=3 (turn 2, seq 4, ms 0)
            = 1
            $ cd \(at) && sed 's/"values":{"openCount":"7"}/"values":{"nosuch":"7"}/' first.jsonl >changed.jsonl; seam replay changed.jsonl
            changed.jsonl: differs in line 6, turn 1
              recorded: model.set values={"nosuch":"7"} (turn 2, ms 0)
              now:      nothing
              since it is refused: there is no model key nosuch
            = 1
            $ cd \(at) && sed '1s/lessons.hosting/elsewhere.hosting/' first.jsonl >other.jsonl; seam replay other.jsonl 2>&1 | sed -n '1s/the plug-in .*;/the plug-in FILE;/p'
            seam: other.jsonl was recorded with the plug-in FILE; load it with --plugin
            $ cd \(at) && head -c -10 first.jsonl >torn.jsonl; seam replay torn.jsonl
            torn.jsonl: same, 6 lines, 2 turns
            ! seam: torn.jsonl: the last line was cut off, and is left out
            $ cd \(at) && sed '$d' first.jsonl >cut.jsonl; seam replay cut.jsonl
            cut.jsonl: same, 6 lines, 2 turns
            ! seam: cut.jsonl: its end is missing: it was cut off after a full line, or is still being made
            $ cd \(at) && (cat first.jsonl; tail -n 1 first.jsonl) >twice.jsonl; seam replay twice.jsonl
            twice.jsonl: differs in line 9, turn 2
              recorded: the end (turn 2, seq 4, ms 0)
              now:      nothing
              since the recording has ended before it
            = 1
            $ cd \(at) && seam replay nosuch.jsonl
            ! seam: \(at)/nosuch.jsonl: cannot be opened: No such file or directory.
            = 4
            $ cd \(at) && echo hello >hello && seam replay hello
            ! seam: \(at)/hello, line 1: it is not the header of a recording.
            = 4
            $ cd \(at) && seam record demo first.jsonl
            ! seam: \(at)/first.jsonl: it exists already, and is not written over; remove it or choose another name.
            = 4
            $ cd \(at) && seam record demo second.jsonl --json
            {"sim":"demo","path":"\(at)/second.jsonl","turn":2}
            $ seam record demo --stop --json | sed 's/"bytes":[0-9]*/"bytes":N/'
            {"sim":"demo","path":"\(at)/second.jsonl","lines":5,"bytes":N}
            $ cd \(at) && seam record demo third.jsonl && rm third.jsonl && seam set demo openCount=8
            recording to \(at)/third.jsonl
            seq=5 turn=3 changes=1 diagnostics=0
            $ until seam list --json | grep -q '"seq":6'; do :; done; seam record demo --stop
            ! seam: The recording of demo to \(at)/third.jsonl ended by itself in turn 3, since it was deleted while it was being written. Begin another with: seam record demo FILE
            = 4
            $ seam record demo
            ! seam: record needs PATH, the new file, or --stop; usage: seam record SIM PATH [options]
            = 2
            $ seam record demo a --stop
            ! seam: --stop has no use for 'a': a simulation has one recording; usage:
            = 2
            $ seam record nosuch \(at)/a
            ! seam: There is no simulation nosuch
            = 4
            $ seam replay
            ! seam: replay needs PATH
            = 2
            $ seam create live --record \(at)/first.jsonl
            ! it exists already
            = 4
            """)
    }

    @Test("a fork, and a look back")
    func forks() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create live --id door && seam create live --id short --history 0
            door
            short
            $ seam show door Panel light=off && seam set door light=on && seam show door Panel light=on
            seq=1 turn=2 changes=1 diagnostics=0
            seq=2 turn=3 changes=1 diagnostics=0
            seq=3 turn=4 changes=1 diagnostics=0
            $ seam check door --at 2
            door | Panel.light: model=on screen=off -> stale
            matching: 0
            stale: 1
            missing: 0
            leftover: 0
            = 1
            $ seam set door light=on && seam check door --at-turn 5 --fail-on none | head -n 1
            seq=3 turn=5 changes=0 diagnostics=0
            door | Panel.light: model=on screen=on -> matching
            $ seam fork door --at-turn 2 --json
            {"sim":"s1","epoch":"EPOCH","seq":1,"turn":2}
            $ seam check door --at-turn 6
            ! seam: The simulation door is at turn 5; turn 6 is yet to come.
            = 4
            $ seam fork door --at 2 --at-turn 3
            ! seam: --at and --at-turn each name a moment; give one of them; usage: seam fork SIM [options]
            = 2
            $ seam fork door --at 2 --id other
            other
            $ seam check other Panel.light | head -n 1
            other | Panel.light: model=on screen=off -> stale
            $ seam fork door
            s2
            $ seam fork door --json
            {"sim":"s3","epoch":"EPOCH","seq":3,"turn":5}
            $ seam fork door --id other
            ! seam: There is a simulation other already; choose another --id, or end it first: seam destroy other
            = 4
            $ seam check door --at 9
            ! seam: --at names a moment that is yet to come; the simulation is at seq 3.
            = 4
            $ seam fork door --at now
            ! seam: --at takes a whole number from 0, not 'now'; usage: seam fork SIM [options]
            = 2
            $ seam fork short
            ! seam: What came into the simulation short is no longer known from its creation on: it was created with history 0.
            = 4
            """)
    }
}
