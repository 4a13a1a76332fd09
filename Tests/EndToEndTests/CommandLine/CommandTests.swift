import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Each command once as it is meant, and with what people get wrong. The streams and `run` have suites of their own.
@Suite struct CommandTests {
    @Test("simulations: create, list, destroy")
    func simulations() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam list
            $ seam create lessons.hosting-unassigned --id demo
            demo
            $ seam create live
            s1
            $ seam create lessons.wrapping-filled --id w -p rowCount=9 --policy updates=manual --seed 3 --clock virtual
            w
            $ seam list
            demo  lessons.hosting-unassigned  running  seq=3  EPOCH
            s1    live                        running  seq=0  EPOCH
            w     lessons.wrapping-filled     running  seq=2  EPOCH
            $ seam list --json | head -n 1
            {"sim":"demo","scenario":"lessons.hosting-unassigned","epoch":"EPOCH","seq":3,"turn":1,"status":"running"}
            $ seam check w
            w | LegacyListView.title: model=Tasks screen=Tasks -> matching
            w | LegacyListView.rowCount: model=9 screen=9 -> matching
            matching: 2
            stale: 0
            missing: 0
            leftover: 0
            $ seam create lessons.own-state --json
            {"sim":"s2","epoch":"EPOCH","seq":3,"turn":1}
            $ seam destroy s2
            $ seam destroy w --json
            {"sim":"w","seq":4}
            $ seam create live --id demo
            ! seam: There is a simulation demo already; choose another --id, or end it first: seam destroy demo
            = 4
            $ seam create live --id a.b
            ! seam: id holds .; expected a name of 1 to 128 printable bytes
            = 4
            $ seam create live -p nosuch=1
            ! nosuch
            = 4
            $ seam create nosuch
            ! seam: There is no scenario nosuch; `seam scenarios` names those that there are.
            = 4
            $ seam create
            ! seam: create needs SCENARIO; usage: seam create SCENARIO [options]; try 'seam create --help'
            = 2
            $ seam create live -p count
            ! seam: --param is written name=value, not 'count'; usage: seam create SCENARIO
            = 2
            $ seam create live --clock sundial
            ! seam: --clock is one of virtual, real, not 'sundial'; usage:
            = 2
            $ seam create live --seed -1
            ! seam: --seed takes a whole number from 0, not '-1'; usage:
            = 2
            $ seam create live --id a --id b
            ! seam: --id may be given once; usage:
            = 2
            $ seam list everything
            ! seam: list has no use for 'everything'; usage: seam list; try
            = 2
            $ seam destroy w
            ! seam: There is no simulation w; there are s1, demo. Make one with: seam create SCENARIO --id w
            = 4
            $ seam destroy demo --if-seq 1
            ! seam: there is no option '--if-seq' here; usage: seam destroy SIM; try
            = 2
            """)
    }

    @Test("driving a scenario: set, clear, assign, update, mount, unmount, send, advance, check")
    func driving() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create lessons.hosting-unassigned --id demo && seam create lessons.wrapping-filled --id list
            demo
            list
            $ seam set demo openCount=7 filter=all
            seq=5 turn=2 changes=2 diagnostics=0
            $ seam check demo
            demo | HostingController.title: model=Tasks screen=Tasks -> matching
            demo | HostingController.openCount: model=7 screen=3 -> stale
            demo | HostingController.filter: model=all screen=open -> stale
            matching: 1
            stale: 2
            missing: 0
            leftover: 0
            ! seam: update-never-arrived: HostingController.openCount: the model value of
            ! seam: update-never-arrived: HostingController.filter: the model value of
            = 1
            $ seam assign demo host
            seq=7 turn=3 changes=2 diagnostics=0
            $ seam clear demo filter
            seq=8 turn=4 changes=1 diagnostics=0
            $ seam set demo title= --json
            {"seq":9,"turn":5,"changes":1,"diagnostics":0}
            $ seam check demo --label L --screen HostingController title filter --fail-on none 2>/dev/null
            L | HostingController.title: model= screen=Tasks -> stale
            L | HostingController.filter: model=- screen=all -> leftover
            matching: 0
            stale: 1
            missing: 0
            leftover: 1
            $ seam check demo HostingController.openCount
            demo | HostingController.openCount: model=7 screen=7 -> matching
            matching: 1
            stale: 0
            missing: 0
            leftover: 0
            $ seam check demo openCount --json
            {"label":"demo","fields":[{"screen":"HostingController","field":"openCount","verdict":"matching","model":"7","shown":"7"}],"counts":{"matching":1,"stale":0,"missing":0,"leftover":0}}
            $ seam send demo summaryDidChange
            seq=9 turn=6 changes=0 diagnostics=0
            $ seam mount list list
            mount=2 seq=2 turn=2 changes=0 diagnostics=0
            $ seam update list list
            ! seam: The bridge list has mounts 1 and 2; say which with --mount N.
            = 4
            $ seam update list list --mount 2
            seq=3 turn=3 changes=0 diagnostics=1
            $ seam unmount list list --mount 2
            seq=3 turn=4 changes=0 diagnostics=0
            $ seam set list rowCount=4 --if-seq 4
            ! seam: The simulation list is at seq 3, not 4; nothing was changed. Look at it again: seam check list
            = 4
            $ seam set list rowCount=4 --if-seq 3
            seq=4 turn=5 changes=1 diagnostics=0
            $ seam advance list 300
            seq=4 turn=6 changes=0 diagnostics=0
            $ seam advance list 007
            seq=4 turn=7 changes=0 diagnostics=0
            $ seam call sim.get '["list","LegacyListView",0,1]'
            {"sim":"list","scenario":"lessons.wrapping-filled","epoch":"EPOCH","seq":4,"turn":7,"ms":307,"status":"running","counts":{"mounts":1,"controls":1,"coordinators":0,"objects":0,"subscriptions":0,"registrations":0,"pooled":0},"fields":[{"screen":"LegacyListView","field":"title","verdict":"matching","model":"Tasks","shown":"Tasks"}],"next":1}
            """)
    }

    @Test("driving with wrong names and words")
    func drivingWrongly() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create lessons.hosting-unassigned --id demo
            demo
            $ seam set demo opencount=1
            ! seam: opencount is not a model key of the simulation demo (lessons.hosting-unassigned); near it: openCount
            = 4
            $ seam set dem openCount=1
            ! seam: There is no simulation dem; the only one is demo. Make one with: seam create SCENARIO --id dem
            = 4
            $ seam set demo openCount
            ! seam: K=V is written name=value, not 'openCount'; usage: seam set SIM K=V… [options]; try 'seam set --help'
            = 2
            $ seam set demo =1
            ! seam: K=V is written name=value, not '=1'; usage:
            = 2
            $ seam set demo
            ! seam: set needs K=V; usage:
            = 2
            $ seam set demo a=1 a=2
            ! seam: K=V gives 'a' twice; usage:
            = 2
            $ seam clear demo nosuch
            ! nosuch
            = 4
            $ seam clear demo
            ! seam: clear needs KEY; usage:
            = 2
            $ seam clear demo --screen HostingController title
            ! seam: The simulation demo plays lessons.hosting-unassigned, whose screens are drawn by its plug-in
            = 4
            $ seam show demo HostingController title=x
            ! seam: The simulation demo plays lessons.hosting-unassigned, whose screens are drawn by its plug-in
            = 4
            $ seam send demo nosuch
            ! nosuch
            = 4
            $ seam send demo summaryDidChange a=1
            ! a
            = 4
            $ seam assign demo hots
            ! seam: hots is not a bridge of the simulation demo (lessons.hosting-unassigned); the only one is host.
            = 4
            $ seam update demo host
            ! seam: The bridge host cannot be updated, since it is no wrapping; try: seam assign demo host
            = 4
            $ seam mount demo nosuch
            ! nosuch
            = 4
            $ seam unmount demo host --mount 7
            ! seam: The bridge host has no mount 7; it has mount 1.
            = 4
            $ seam unmount demo host --mount 0
            ! seam: --mount takes a whole number from 1, not '0'; usage:
            = 2
            $ seam advance demo soon
            ! seam: MS takes a whole number from 0, not 'soon'; usage: seam advance SIM MS [options]
            = 2
            $ seam advance demo 99999999999999999999
            ! seam: MS takes a whole number from 0, not '99999999999999999999'; usage:
            = 2
            $ seam check demo nosuch
            ! nosuch
            = 4
            $ seam check demo --screen nosuch
            ! nosuch
            = 4
            $ seam check demo --fail-on stal
            ! seam: --fail-on is one of stale, missing, leftover, diagnostic, none, not 'stal'; did you mean 'stale'? usage:
            = 2
            $ seam check demo --fail-on ''
            ! seam: --fail-on is one of stale, missing, leftover, diagnostic, none, not ''; usage:
            = 2
            $ seam list
            demo  lessons.hosting-unassigned  running  seq=3  EPOCH
            """)
    }

    @Test("a live screen: show, set, clear, declare")
    func live() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create live --id door
            door
            $ seam set door light=on
            seq=0 turn=2 changes=0 diagnostics=0
            $ seam show door Panel light=off
            seq=1 turn=3 changes=1 diagnostics=0
            $ seam show door Panel --declare lock --declare bell
            seq=1 turn=4 changes=0 diagnostics=0
            $ seam check door
            door | Panel.light: model=on screen=off -> stale
            door | Panel.lock: model=- screen=- -> out-of-scope
            door | Panel.bell: model=- screen=- -> out-of-scope
            matching: 0
            stale: 1
            missing: 0
            leftover: 0
            = 1
            $ seam clear door light --if-seq 1
            seq=2 turn=5 changes=1 diagnostics=0
            $ seam clear door --screen Panel light
            seq=3 turn=6 changes=1 diagnostics=0
            $ seam show door Panel
            ! seam: show needs K=V: what the screen shows; usage: seam show SIM SCREEN [K=V…] [options]
            = 2
            $ seam show door A.B light=on
            ! seam: screen holds .; expected a name of 1 to 128 printable bytes
            = 4
            $ seam clear door --screen Nosuch light
            ! Nosuch
            = 4
            """)
    }

    @Test("show with --declare under --if-seq: its own first turn does not stand in the way of the second")
    func declareAndShow() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam create live --id door && seam set door light=on
            door
            seq=0 turn=2 changes=0 diagnostics=0
            $ seam show door Panel --declare light light=on --if-seq 0
            seq=1 turn=3 changes=1 diagnostics=0
            seq=2 turn=4 changes=1 diagnostics=0
            $ seam show door Panel --declare bell light=off --if-seq 0
            ! seam: The simulation door is at seq 2, not 0; nothing was changed.
            = 4
            """)
    }

    @Test("what a scenario is made of: scenarios, describe")
    func scenarios() throws {
        let library = Products.path("libLessons.so")
        try play(
            on: SeamProcess(["--plugin", library]),
            """
            $ seam scenarios 'lessons.*' live
            lessons.hosting-assigned    The root view is assigned again
            lessons.hosting-unassigned  The root view is not assigned again
            lessons.own-state           What the declarative view keeps for itself
            lessons.wrapping-empty      The update has an empty body
            lessons.wrapping-filled     The update reloads the list
            live                        Live screens
            $ seam scenarios 'zz*' nosuch
            ! seam: no scenario matches 'zz*'
            ! seam: no scenario matches 'nosuch'
            = 1
            $ seam scenarios 'zz*' live
            live  Live screens
            ! seam: no scenario matches 'zz*'
            $ seam scenarios live --json
            {"id":"live","title":"Live screens","summary":"No plug-in: clients declare screens and write both the model and what is shown.","plugin":null}
            $ seam describe lessons.wrapping-empty
            lessons.wrapping-empty: The update has an empty body
            A list made by imperative code sits in a declarative screen. It is made with three rows; when the model has more, update is called as it should be, and writes nothing. rowCount is stale, though no call is missing.
            plug-in Lessons 1.0.0, \(library)

            parameters
              rowCount  integer 0…10000, at first 3  Rows at the start

            screens
              LegacyListView  declarative
                .title        text
                .rowCount     text

            bridges
              list  wrap on LegacyListView, inputs title rowCount  The wrapped list

            script
              set rowCount=5
              check wrapping-empty

            checks
              wrapping-empty  LegacyListView: title matching, rowCount stale
            $ seam describe live --json
            {"id":"live","title":"Live screens","summary":"No plug-in: clients declare screens and write both the model and what is shown.","revision":0,"plugin":null,"params":[],"screens":[],"bridges":[],"events":[],"script":[],"checks":[],"policies":[]}
            $ seam describe lessons.hosting
            ! seam: There is no scenario lessons.hosting; near it: lessons.hosting-assigned, lessons.hosting-unassigned
            = 4
            $ seam describe
            ! seam: describe needs SCENARIO; usage:
            = 2
            """)
    }

    @Test("the daemon itself: call, ping, stats, shutdown")
    func daemon() throws {
        let daemon = try SeamProcess()
        try play(
            on: daemon,
            """
            $ seam ping | sed 's/[0-9.]* ms/N ms/'
            \(daemon.socket) answers in N ms
            $ seam ping --json | sed 's/:[0-9.]*,/:N,/'
            {"socket":"\(daemon.socket)","ms":N,"daemonEpoch":"EPOCH"}
            $ seam stats | grep -E '^(pid|simulations|clients.0) '
            pid                  \(daemon.pid)
            clients.0            seam
            simulations          0
            $ seam stats --json | grep -c '^{"uptimeMs":'
            1
            $ seam call seam.ping
            {"daemonEpoch":"EPOCH"}
            $ seam call sim.create '{"scenario":"live","id":"a"}'
            {"sim":"a","epoch":"EPOCH","seq":0,"turn":1}
            $ seam call sim.destroy '["a"]'
            {"sim":"a","seq":0}
            $ seam call rpc.discover | grep -c '^{"openrpc":"1.2.6",'
            1
            $ seam call seam.pong
            ! seam: There is no method seam.pong; near it: seam.ping. `seam call rpc.discover` describes them all.
            = 4
            $ seam call sub.open | sed 's/"count":[0-9]*/"count":N/'
            {"sub":1,"epoch":"EPOCH","dseq":0,"count":N}
            ! seam: a subscription ends with its connection, which is this call's; `seam watch` keeps one
            $ seam call sim.get '{"sim":"a"'
            ! seam: the params are not JSON: expected 
            = 2
            $ seam call sim.get '"a"'
            ! seam: JSON is an object or an array of params, not "a"; usage: seam call METHOD [JSON]
            = 2
            $ seam --json call sim.get '["a"]'
            ! {"error":{"code":-32001,"message":"There is no simulation a
            = 4
            $ seam shutdown
            $ seam ping
            ! seam: nothing can be reached at \(daemon.socket) (from $SEAM_SOCKET): No such file or directory; start a daemon with: seamd --socket \(daemon.socket) &
            = 3
            """)
        #expect(try daemon.process.waitForEnd() == .exit(0))
    }

    // MARK: Exit codes

    @Test("each exit code, as the table says")
    func exitCodes() throws {
        let folder = try TemporaryFolder()
        try play(
            on: SeamProcess(),
            """
            $ seam create live --id a
            a
            $ seam ping >/dev/null
            $ seam show a S k=v >/dev/null; seam check a >/dev/null
            = 1
            $ seam wait a k=missing --timeout 50
            ! seam: k was not missing within 50 ms; it is leftover, model=- screen=v
            = 5
            $ seam destroy
            ! seam: destroy needs SIM
            = 2
            $ seam --socket \(folder.path)/none list
            ! seam: nothing can be reached at \(folder.path)/none (from --socket): No such file or directory; start
            = 3
            $ seam destroy nosuch
            ! seam: There is no simulation nosuch
            = 4
            """)
    }

    @Test("without a place for a socket, and with one that is too long")
    func noPlace() throws {
        let long = "/tmp/" + String(repeating: "d", count: 103)
        try play(
            """
            $ env -u SEAM_SOCKET XDG_RUNTIME_DIR=relative seam ping
            ! $XDG_RUNTIME_DIR is not an absolute path (relative)
            = 3
            $ SEAM_SOCKET=\(long) seam ping
            ! seam: the socket path from $SEAM_SOCKET has 108 bytes, the system allows 107: \(long); start a daemon with:
            = 3
            $ seam --socket '' ping
            ! seam: --socket may not be empty; usage: seam ping
            = 2
            """)
    }

    @Test("a file where a socket should be is said to be one, whichever command asks")
    func noSocket() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("text", to: "file")
        for command in ["ping", "list", "run lessons.own-state", "watch --reconnect"] {
            try play(
                """
                $ seam --socket \(file) \(command)
                ! seam: \(file) (from --socket) is a file, no socket: name the socket that a daemon listens at
                = 3
                $ seam --socket \(folder.path) \(command)
                ! seam: \(folder.path) (from --socket) is a folder, no socket: name the socket
                = 3
                """)
        }
    }

    @Test("a call that names a socket gets no other daemon than the one there")
    func namedSocket() throws {
        let folder = try TemporaryFolder()
        let none = "\(folder.path)/none"
        for command in ["run lessons.own-state", "scenarios", "describe live"] {
            try play(
                """
                $ seam \(command) --socket \(none)
                ! seam: nothing can be reached at \(none) (from --socket): No such file or directory; start
                = 3
                $ SEAM_SOCKET=\(none) seam \(command) >/dev/null
                """)
        }
    }

    @Test("an argument that is no UTF-8 is refused by every command, and nothing is stored")
    func notUTF8() throws {
        try play(
            on: SeamProcess(),
            #"""
            $ seam create live --id demo
            demo
            $ seam set demo openCount=$'\xff'
            ! seam: argument 3 is not UTF-8: 'openCount=\xff'; try 'seam --help'
            = 2
            $ seam call sim.get $'{"sim":"\xc3("}'
            ! seam: argument 3 is not UTF-8: '{"sim":"\xc3("}'
            = 2
            $ seam --socket $'/tmp/\xfe' list
            ! seam: argument 2 is not UTF-8: '/tmp/\xfe'
            = 2
            $ seam __words scenario $'\xff'
            ! seam: argument 3 is not UTF-8
            = 2
            $ seam list
            demo  live  running  seq=0  EPOCH
            """#)
    }

    @Test("what the daemon says no to comes in words of the command line")
    func refusals() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam destroy demo
            ! seam: There is no simulation demo; there is none. Make one with: seam create SCENARIO --id demo
            = 4
            $ seam create lessons.wrapping-filled --id w
            w
            $ seam assign w list
            ! seam: The bridge list cannot be assigned, since it is no embedding; try: seam update w list
            = 4
            $ seam unmount w list
            seq=4 turn=2 changes=2 diagnostics=0
            $ seam update w list
            ! seam: The bridge list is not mounted; mount it first: seam mount w list
            = 4
            $ seam unmount w list --mount 1
            ! seam: The bridge list is not mounted; mount it first: seam mount w list
            = 4
            $ seam create nope
            ! seam: There is no scenario nope; `seam scenarios` names those that there are.
            = 4
            $ seam create counter.observd
            ! seam: There is no scenario counter.observd; near it: counter.observed
            = 4
            $ seam create live --policy updats=manual
            ! seam: updats is not a policy of Seam; near it: updates.
            = 4
            $ seam check w LegacyListView.rowCuont
            ! seam: LegacyListView.rowCuont is not a field of the simulation w (lessons.wrapping-filled); near it: LegacyListView.rowCount
            = 4
            $ seam --json update w list
            ! bridge.mount first
            = 4
            $ seam call bridge.update '["w","list"]'
            ! seam: The bridge list is not mounted; mount it with bridge.mount first.
            = 4
            """)
    }

    @Test("a daemon of another protocol, and what is no daemon at all")
    func otherSpeakers() throws {
        let folder = try TemporaryFolder()
        let impostor = try Impostor(
            in: folder, saying: #"{"jsonrpc":"2.0","id":1,"result":{"protocol":{"major":9},"version":"9.1"}}"#
        )
        try play(
            """
            $ seam --socket \(impostor.socket) list
            ! seam: the daemon at \(impostor.socket) (9.1) speaks protocol 9, this seam \(seamVersion) speaks 1: use the seam
            = 3
            """)
        let webServer = try Impostor(in: folder, saying: "HTTP/1.1 400 Bad Request")
        try play(
            """
            $ seam --socket \(webServer.socket) list
            ! seam: what listens there does not speak Seam's protocol: HTTP/1.1 400 Bad Request
            = 3
            """)
        let silent = try Impostor(in: folder, saying: nil)
        try play(
            """
            $ seam --socket \(silent.socket) ping --timeout 50
            ! seam: timed out
            = 5
            """)
    }

    @Test("a daemon that does not take its connections: --timeout and Ctrl-C end the waiting")
    func fullBacklog() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/s"
        let busy = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import socket, sys
                server = socket.socket(socket.AF_UNIX)
                server.bind(sys.argv[1])
                server.listen(0)
                held = [socket.socket(socket.AF_UNIX) for _ in range(2)]
                for client in held: client.setblocking(False)
                for client in held: client.connect_ex(sys.argv[1])
                print("listening", flush=True)
                sys.stdin.read()
                """, socket,
            ])
        try busy.readLine(containing: "listening")
        try play(
            """
            $ seam --socket \(socket) ping --timeout 100
            ! seam: timed out
            = 5
            $ seam --socket \(socket) list --timeout 100
            ! seam: timed out
            = 5
            $ timeout --preserve-status -s INT 0.2 seam --socket \(socket) list
            = 130
            """)
    }

    // MARK: Help and words

    @Test("help, version and usage")
    func help() throws {
        try play(
            """
            $ seam --version
            seam \(seamVersion)
            $ seam
            ! seam: which command? try 'seam --help'
            = 2
            $ seam wacth
            ! seam: there is no command 'wacth'; did you mean 'watch'? try 'seam --help'
            = 2
            $ seam --soket /tmp/x list
            ! seam: there is no option '--soket' here; did you mean '--socket'? try 'seam --help'
            = 2
            $ seam watch --verdict --nosuch
            ! seam: there is no option '--nosuch' here; usage: seam watch 
            = 2
            $ seam check demo --lable x
            ! seam: there is no option '--lable' here; did you mean '--label'? usage:
            = 2
            $ seam run --p x y
            ! seam: --p could be --param or --policy or --profile or --plugin or --plugin-dir; usage:
            = 2
            $ seam list --json=yes
            ! seam: --json takes no value; usage: seam list
            = 2
            $ seam --socket
            ! seam: --socket needs a value; try 'seam --help'
            = 2
            $ seam help nosuch
            ! seam: there is no command 'nosuch'; try 'seam --help'
            = 2
            $ diff <(seam help watch) <(seam watch -h)
            $ diff <(seam help) <(seam --help)
            $ seam --help | head -n 1
            usage: seam [--socket PATH] [--json] [--color WHEN] COMMAND …
            $ seam --help | grep __
            = 1
            """)
    }

    @Test("options stand anywhere, in every spelling that getopt knows")
    func spellings() throws {
        let daemon = try SeamProcess()
        try play(
            """
            $ seam --socket \(daemon.socket) create --id a live
            a
            $ seam create live --id=b --sock=\(daemon.socket)
            b
            $ seam --json --socket=\(daemon.socket) set b -- k=v
            {"seq":0,"turn":2,"changes":0,"diagnostics":0}
            $ seam run -popenCount=9 lessons.hosting-assigned | grep openCount
            hosting-assigned | HostingController.openCount: model=5 screen=5 -> matching
            """)
    }

    // MARK: What is printed

    @Test("no value can drive the terminal")
    func controlCharacters() throws {
        let daemon = try SeamProcess()
        try daemon.connect().call("sim.create", #"{"scenario":"live","id":"a"}"#)
        try daemon.connect().call(
            "screen.set",
            #"{"sim":"a","screen":"S","values":{"k":"a\nb\tc\u001b[31m\u0000\u007f\u0085\u2028\u2029\u202e\u200fé"}}"#
        )
        let shown = #"a\nb\tc\u{1b}[31m\u{0}\u{7f}\u{85}\u{2028}\u{2029}\u{202e}\u{200f}é"#
        let check = try daemon.seam("check", "a", "--fail-on", "none")
        #expect(check.stdout.hasPrefix(#"a | S.k: model=- screen=\#(shown) -> leftover"#), "\(check)")
        let watch = try daemon.start("watch", "a")
        #expect(try watch.readLine()?.hasSuffix("screen=\(shown)") == true)
        // In JSON the line is escaped as on the wire.
        let json = try daemon.seam("check", "a", "--json")
        #expect(json.stdout.contains(#"a\nb\tc\u001b[31m\u0000\u007f\u0085\u2028\u2029"#), "\(json)")
        // Nor can what was typed.
        let typed = try daemon.seam("destroy", "a\u{1b}[2J")
        #expect(typed.code == 4 && !typed.stderr.contains("\u{1b}"), "\(typed)")
        #expect(try daemon.seam("set", "a", "b\u{1b}").stderr.contains(#"'b\u{1b}'"#))
    }

    @Test("colour is for terminals, or when it is asked for")
    func colours() throws {
        try play(
            #"""
            $ seam run lessons.own-state | grep -c $'\e'
            0
            = 1
            $ seam run lessons.own-state --color always | head -n 1
            own-state | HostingController.openCount: model=5 screen=5 -> \#u{1b}[32mmatching\#u{1b}[0m
            $ seam run lessons.own-state --color sometimes
            ! seam: --color is one of auto, always, never, not 'sometimes'; usage:
            = 2
            """#)
    }

    @Test("standard output that is closed, full, or no longer read")
    func outputFails() throws {
        try play(
            on: SeamProcess(),
            """
            $ seam list --json >&-
            $ seam scenarios live >&-
            ! seam: standard output: Bad file descriptor
            = 1
            $ seam scenarios live >/dev/full
            ! seam: standard output: No space left on device
            = 1
            $ set -o pipefail; seam call rpc.discover | true
            $ set -o pipefail; seam help | head -n 0
            $ seam scenarios nosuch 2>&-
            = 1
            $ seam destroy nosuch 2>&-
            = 4
            """)
    }
}

/// Something else that listens where a daemon is expected: answers each line with the same one, or never.
final class Impostor {
    let socket: String
    private let process: ChildProcess

    init(in folder: TemporaryFolder, saying answer: String?) throws {
        socket = "\(folder.path)/impostor.sock"
        let script = """
            import os, socket, sys
            if os.path.exists(sys.argv[1]): os.unlink(sys.argv[1])
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen(16)
            print("listening", flush=True)
            held = []
            while True:
                client = server.accept()[0]
                held.append(client)
                if len(sys.argv) > 2 and client.recv(65536): client.sendall(sys.argv[2].encode() + b"\\n")
            """
        process = try ChildProcess("python3", ["-c", script, socket] + (answer.map { [$0] } ?? []))
        try process.readLine(containing: "listening")
    }
}
