import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam run`: what a learner types first, and what a CI job lives by.
@Suite struct RunTests {
    // MARK: The five lessons

    @Test("the lessons print the text of their document")
    func lessons() throws {
        try play(
            """
            $ seam run lessons.hosting-unassigned 2>/dev/null
            hosting-unassigned | HostingController.title: model=Tasks screen=Tasks -> matching
            hosting-unassigned | HostingController.openCount: model=5 screen=3 -> stale
            hosting-unassigned | HostingController.filter: model=open screen=open -> matching
            matching: 2
            stale: 1
            missing: 0
            leftover: 0
            $ seam run lessons.hosting-assigned
            hosting-assigned | HostingController.title: model=Tasks screen=Tasks -> matching
            hosting-assigned | HostingController.openCount: model=5 screen=5 -> matching
            hosting-assigned | HostingController.filter: model=open screen=open -> matching
            matching: 3
            stale: 0
            missing: 0
            leftover: 0
            $ seam run lessons.wrapping-empty 2>/dev/null
            wrapping-empty | LegacyListView.title: model=Tasks screen=Tasks -> matching
            wrapping-empty | LegacyListView.rowCount: model=5 screen=3 -> stale
            matching: 1
            stale: 1
            missing: 0
            leftover: 0
            $ seam run lessons.wrapping-filled
            wrapping-filled | LegacyListView.title: model=Tasks screen=Tasks -> matching
            wrapping-filled | LegacyListView.rowCount: model=5 screen=5 -> matching
            matching: 2
            stale: 0
            missing: 0
            leftover: 0
            $ seam run lessons.own-state
            own-state | HostingController.openCount: model=5 screen=5 -> matching
            own-state | HostingController.isExpanded: model=- screen=- -> out-of-scope
            matching: 1
            stale: 0
            missing: 0
            leftover: 0
            """)
    }

    @Test("the steps of a lesson name the call that ran and wrote nothing")
    func steps() throws {
        try play(
            """
            $ seam run --steps lessons.wrapping-empty
            lessons.wrapping-empty
            step 0: create
              the scenario set title, rowCount
              list.make (first) wrote LegacyListView.title, LegacyListView.rowCount
              list.update (first) ran and wrote nothing
              LegacyListView.title: model=Tasks screen=Tasks out-of-scope -> matching
              LegacyListView.rowCount: model=3 screen=3 out-of-scope -> matching
            step 1: set rowCount=5
              list.update (input) ran and wrote nothing
              LegacyListView.rowCount: model=5 screen=3 matching -> stale
            step 2: check wrapping-empty

            wrapping-empty | LegacyListView.title: model=Tasks screen=Tasks -> matching
            wrapping-empty | LegacyListView.rowCount: model=5 screen=3 -> stale
            matching: 1
            stale: 1
            missing: 0
            leftover: 0
            ! seam: empty-update: LegacyListView.rowCount: the model value of LegacyListView.rowCount changed in turn 2; update of list ran since, in turn 2, and did not write it
            """)
    }

    @Test("where no bridge was called, the steps say so")
    func missingCall() throws {
        let outcome = try run("seam", ["run", "--steps", "lessons.hosting-unassigned"])
        #expect(
            outcome.stdout.contains(
                """
                step 1: set openCount=5
                  no bridge was called
                  HostingController.openCount: model=5 screen=3 matching -> stale
                step 2: check hosting-unassigned
                """), "\(outcome)")
    }

    @Test(
        "the steps say what code of the scenario's own ran for: a timer, a change of the model, what it has put off"
    )
    func queued() throws {
        let outcome = try run("seam", ["run", "--steps", "pasted.task-not-cancelled"])
        #expect(
            outcome.stdout.contains(
                """
                step 3: advance 200 ms
                  a timer of the scenario ran and changed nothing
                  the scenario's watch on the model ran and changed nothing
                  what the scenario has put off to this round ran and changed nothing
                """), "\(outcome)")
        // What belongs to a mount is called by its bridge.
        #expect(outcome.stdout.contains("\n  draft.tick (timer) ran and changed nothing\n"), "\(outcome)")
    }

    // MARK: As a test

    @Test(
        "--fail-on decides over the exit code",
        arguments: [
            ("lessons.hosting-unassigned", 0), ("--fail-on none lessons.hosting-unassigned", 0),
            ("--fail-on stale lessons.hosting-unassigned", 1),
            ("--fail-on=missing,leftover lessons.hosting-unassigned", 0),
            ("--fail-on missing,stale lessons.hosting-unassigned", 1),
            ("--fail-on diagnostic lessons.hosting-unassigned", 1),
            ("--fail-on diagnostic,stale lessons.hosting-assigned", 0),
            ("--fail-on stale,missing,leftover,diagnostic lessons.own-state", 0),
            ("--fail-on stale lessons.hosting-assigned lessons.wrapping-empty", 1),
            ("--fail-on stale lessons.wrapping-empty lessons.hosting-assigned", 1),
        ] as [(String, Int32)])
    func failOn(line: String, code: Int32) throws {
        let outcome = try run("seam", ["run"] + line.split(separator: " ").map(String.init))
        #expect(outcome.code == code, "\(outcome)")
    }

    @Test("a check that is not as its scenario expects exits 1 and says what should have been")
    func unmet() throws {
        try play(
            """
            $ seam run lessons.hosting-unassigned -p openCount=5
            hosting-unassigned | HostingController.title: model=Tasks screen=Tasks -> matching
            hosting-unassigned | HostingController.openCount: model=5 screen=5 -> matching
            hosting-unassigned | HostingController.filter: model=open screen=open -> matching
            matching: 3
            stale: 0
            missing: 0
            leftover: 0
            ! seam: hosting-unassigned: HostingController.openCount should be stale, it is matching
            = 1
            $ seam run lessons.wrapping-filled --policy updates=manual
            wrapping-filled | LegacyListView.title: model=Tasks screen=Tasks -> matching
            wrapping-filled | LegacyListView.rowCount: model=5 screen=3 -> stale
            matching: 1
            stale: 1
            missing: 0
            leftover: 0
            ! seam: wrapping-filled: LegacyListView.rowCount should be matching, it is stale
            ! seam: update-never-arrived: LegacyListView.rowCount: the model value of
            = 1
            """)
    }

    @Test("--json: steps, checks and diagnostics are objects of their own, on stdout")
    func json() throws {
        try play(
            """
            $ seam --json run lessons.own-state
            {"scenario":"lessons.own-state","label":"own-state","fields":[{"screen":"HostingController","field":"openCount","verdict":"matching","model":"5","shown":"5","expected":"matching"},{"screen":"HostingController","field":"isExpanded","verdict":"out-of-scope","model":null,"shown":null,"expected":"out-of-scope"}],"counts":{"matching":1,"stale":0,"missing":0,"leftover":0},"met":true}
            """)
        let outcome = try run(
            "seam", ["run", "--json", "--steps", "lessons.wrapping-empty", "lessons.own-state"])
        #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")
        let kinds = try outcome.stdout.split(separator: "\n").map { line in
            let json = try JSON(parsing: String(line))
            let kind = ["step", "label", "code"].first { json[$0] != nil }
            return "\(json["scenario"]?.text ?? "?") \(kind ?? "?")"
        }
        let (empty, own) = ("lessons.wrapping-empty", "lessons.own-state")
        #expect(
            kinds == Array(repeating: "\(empty) step", count: 3) + ["\(empty) label", "\(empty) code"]
                + Array(repeating: "\(own) step", count: kinds.count - 6) + ["\(own) label"])
    }

    @Test("a glob stands for all that match it; what matches nothing, or is not there, exits 4")
    func names() throws {
        try play(
            """
            $ seam run 'lessons.hosting-*' 2>/dev/null | grep -c ' | '
            6
            $ seam run '*' 2>/dev/null | grep '^live'
            = 1
            $ seam run 'lesson.*'
            ! seam: no scenario matches 'lesson.*'; near it: lessons.
            = 4
            $ seam run 'nope*'
            ! seam: no scenario matches 'nope*'; `seam scenarios` names them all
            = 4
            $ seam run lessons.own-stat
            ! seam: There is no scenario lessons.own-stat; near it: lessons.own-state; `seam scenarios` names them all.
            = 4
            $ seam run lessons.nosuch lessons.own-state
            own-state | HostingController.openCount: model=5 screen=5 -> matching
            own-state | HostingController.isExpanded: model=- screen=- -> out-of-scope
            matching: 1
            stale: 0
            missing: 0
            leftover: 0
            ! seam: lessons.nosuch: There is no scenario lessons.nosuch
            = 4
            $ seam run lessons.own-state -p nosuch=1
            ! nosuch
            = 4
            $ seam run lessons.hosting-unassigned -p openCount=many
            ! openCount
            = 4
            $ seam run lessons.own-state --policy updates=never
            ! seam: The policy updates takes one of automatic, manual, restart, not never.
            = 4
            $ seam run lessons.own-state --profile nosuch
            ! nosuch
            = 4
            $ seam run lessons.own-state --profile lesson --seed 7 --clock real | head -n 1
            own-state | HostingController.openCount: model=5 screen=5 -> matching
            """)
    }

    // MARK: The daemon that plays it

    /// Folders of seam's own with nothing in them, where a private socket could be left behind.
    private func surroundings(_ folder: TemporaryFolder) -> [String: String?] {
        ["XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path, "SEAM_SOCKET": nil]
    }

    private func remains(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test("a private daemon leaves nothing behind, however the call comes out")
    func leavesNothing() throws {
        let folder = try TemporaryFolder()
        for (arguments, code) in [
            (["run", "lessons.own-state"], 0), (["run", "nosuch"], 4),
            (["run", "lessons.own-state", "--plugin", "/nosuch.so"], 4), (["scenarios"], 0),
            (["describe", "live"], 0), (["doctor"], 0),
        ] as [([String], Int32)] {
            let outcome = try run("seam", arguments, environment: surroundings(folder))
            #expect(outcome.code == code, "\(arguments): \(outcome)")
            #expect(try remains(folder) == [], "\(arguments)")
        }
    }

    /// A `seam` beside a `seamd` that starts and never listens: it says so and holds its standard error open, so
    /// that the end of that proves its own.
    private func besideStuckDaemon() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        // By other processes: a file that this one had open for writing could be busy in a child of another test.
        try run("cp", [Products.path("seam"), "\(folder.path)/seam"])
        try folder.writeProgram("echo private daemon started >&2\nexec tail -f /dev/null\n", to: "seamd")
        try run("mkdir", ["\(folder.path)/run"])
        return folder
    }

    @Test(
        "a call that a signal ends takes its daemon with it, and ends by that signal",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) throws {
        let folder = try besideStuckDaemon()
        let seam = try ChildProcess(
            "\(folder.path)/seam", ["run", "lessons.own-state"],
            environment: ["XDG_RUNTIME_DIR": "\(folder.path)/run"])
        try seam.errorLine(containing: "private daemon started")
        seam.send(signal: signal)
        #expect(try seam.outcome().ending == .signal(signal))
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/run") == [])
    }

    @Test("--timeout is for the start of a private daemon too")
    func late() throws {
        let folder = try besideStuckDaemon()
        let outcome = try run(
            "\(folder.path)/seam", ["run", "lessons.own-state", "--timeout", "100"],
            environment: ["XDG_RUNTIME_DIR": "\(folder.path)/run"])
        #expect(outcome.code == 5, "\(outcome)")
        #expect(
            outcome.stderr.contains("seam: \(folder.path)/seamd did not listen within 100 ms"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/run") == [])
    }

    @Test("not even SIGKILL leaves a private daemon running")
    func killed() throws {
        let folder = try besideStuckDaemon()
        let seam = try ChildProcess(
            "\(folder.path)/seam", ["run", "lessons.own-state"],
            environment: ["XDG_RUNTIME_DIR": "\(folder.path)/run"])
        try seam.errorLine(containing: "private daemon started")
        seam.send(signal: SIGKILL)
        // outcome() waits for the end of standard error, which the daemon holds as well.
        #expect(try seam.outcome().ending == .signal(SIGKILL))
    }

    @Test("a daemon that listens is asked, unless a plug-in is named")
    func whichDaemon() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        func requests() throws -> Int { try client.call("seam.stats")["turns"]?.integer ?? -1 }
        try play(
            on: daemon, "$ seam run --plugin \(Products.path("libLessons.so")) lessons.own-state | wc -l\n6")
        #expect(try requests() == 0)
        try play(on: daemon, "$ seam run lessons.own-state | wc -l\n6")
        #expect(try requests() > 0)
        // Played and gone.
        try play(on: daemon, "$ seam list")
    }

    @Test("a plug-in that cannot be loaded is told with its reason")
    func badPlugin() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("no library", to: "libtext.so")
        try play(
            """
            $ seam run --plugin \(folder.path)/nosuch.so lessons.own-state
            ! \(folder.path)/nosuch.so: it can't be found
            ! seamd does not listen: it exited with code 1
            = 4
            $ seam scenarios --plugin \(text) live
            ! \(text): 
            ! seamd does not listen: it exited with code 1
            = 4
            $ seam scenarios --plugin-dir \(folder.path) live
            live  Live screens
            ! \(text): 
            """)
    }
}
