import Foundation
import SeamTestSupport
import Testing

/// The commands that drive bridges, hosts, lists and the environment.
@Suite struct BridgeCommandTests {
    @Test("build, assign, update, items, identify, rebind, host, dismiss, env, mounts and policies")
    func driving() throws {
        try play(
            on: SeamProcess(),
            #"""
            $ seam create lessons.hosting-unassigned --id h && seam create lessons.wrapping-filled --id w
            h
            w
            $ seam set h openCount=7 --interim early:openCount
            seq=4 turn=2 changes=1 diagnostics=0
            early | HostingController.openCount: model=7 screen=3 -> stale
            matching: 0
            stale: 1
            missing: 0
            leftover: 0
            $ seam build h host
            seq=4 turn=3 changes=0 diagnostics=0
            $ seam set h openCount=9
            seq=5 turn=4 changes=1 diagnostics=0
            $ seam assign h host --built
            seq=6 turn=5 changes=1 diagnostics=0
            $ seam check h openCount --fail-on none
            h | HostingController.openCount: model=9 screen=7 -> stale
            matching: 0
            stale: 1
            missing: 0
            leftover: 0
            ! seam: update-never-arrived: HostingController.openCount: 
            $ seam update h host --cause layout
            seq=6 turn=6 changes=0 diagnostics=0
            $ seam assign h host --interim now:openCount,HostingController.title --after event
            seq=7 turn=7 changes=1 diagnostics=0
            now | HostingController.openCount: model=9 screen=7 -> stale
            now | HostingController.title: model=Tasks screen=Tasks -> matching
            matching: 1
            stale: 1
            missing: 0
            leftover: 0
            ! seam: unsettled-read: HostingController.openCount: HostingController.openCount was read before the turn had settled: stale then, matching at settle; wait for settle before reading
            $ seam assign h host --interim now --after frame --json
            {"seq":7,"turn":8,"changes":0,"diagnostics":0,"interim":{"label":"now","fields":[{"screen":"HostingController","field":"title","verdict":"matching","model":"Tasks","shown":"Tasks"},{"screen":"HostingController","field":"openCount","verdict":"matching","model":"9","shown":"9"},{"screen":"HostingController","field":"filter","verdict":"matching","model":"open","shown":"open"}],"counts":{"matching":3,"stale":0,"missing":0,"leftover":0},"diagnostics":[]}}
            $ seam items w list a=1 b=2 c
            seq=2 turn=2 changes=0 diagnostics=0
            $ seam items w list c a=9
            seq=3 turn=3 changes=0 diagnostics=1
            $ seam mounts w
            list  mount 4  c
            list  mount 2  a=9
            $ seam identify w list x --mount 2
            seq=3 turn=4 changes=0 diagnostics=0
            $ seam rebind w list task-7 --mount 2
            seq=3 turn=5 changes=0 diagnostics=0
            $ seam host w list --mount 4 window=off scene=inactive
            seq=3 turn=6 changes=0 diagnostics=0
            $ seam update w list --mount 4
            seq=3 turn=7 changes=0 diagnostics=0
            $ seam mounts w list
            list  mount 4  c       window=off scene=inactive waiting=repeat
            list  mount 2  task-7  id=x
            $ seam mounts w --json | head -n 1
            {"mount":4,"bridge":"list","parent":null,"owner":"c","item":null,"identity":null,"window":false,"scene":"inactive","hidden":false,"size":true,"parked":false,"made":true,"attached":false,"withheld":"repeat","failure":null}
            $ seam dismiss w list --mount 4
            seq=3 turn=8 changes=0 diagnostics=0
            $ seam env w locale=de title=Aufgaben
            seq=6 turn=9 changes=1 diagnostics=2
            $ seam env w --bridge list --unset locale
            seq=6 turn=10 changes=0 diagnostics=0
            $ seam items w list
            seq=8 turn=11 changes=2 diagnostics=0
            $ seam mounts w
            $ seam policies vue
            hooks=told        else silent
            queued-work=drop  else deliver
            $ seam policies lesson
            every policy has its default
            $ seam policies | head -n 2
            round-limit: 100, from 1 to 10000, for the whole simulation
                rounds of one turn after which it is cut off as a feedback-loop
            $ seam policies --json | grep -c meaning
            37
            $ seam create live --profile vue --policy callback-phase=post
            s1
            """#)
    }

    @Test("the README's two commands show two profiles in two orders (R55)")
    func twoProfiles() throws {
        let page = try String(contentsOfFile: Checkout.path("README.md"), encoding: .utf8)
        let block = try #require(
            page.split(separator: "```\n").first { $0.hasPrefix("$ for p in uikit compose; do ") })
        #expect(block.split(separator: "\n").count { $0.hasPrefix("$ ") } == 2)
        try play(on: SeamProcess(), String(block))
    }

    @Test("with wrong names and words, each says what would do")
    func wrong() throws {
        try play(
            on: SeamProcess(),
            #"""
            $ seam create lessons.hosting-unassigned --id h && seam create lessons.wrapping-filled --id w
            h
            w
            $ seam build w list
            ! seam: The bridge list cannot be built, since it is no embedding; try: seam update w list
            = 4
            $ seam assign w list --built
            ! seam: The bridge list cannot be assigned, since it is no embedding; try: seam update w list
            = 4
            $ seam update h host
            ! seam: The bridge host cannot be updated, since it is no wrapping; try: seam assign h host
            = 4
            $ seam update h host --cause layuot
            ! seam: --cause is one of repeat, layout, focus, unrelated, container, not 'layuot'; did you mean 'layout'? usage:
            = 2
            $ seam host h host windw=off
            ! seam: STATE is one of window=on|off, scene=active|inactive, hidden=on|off, size=on|off, parked=on|off, not 'windw=off'; did you mean 'window'? usage:
            = 2
            $ seam host h host window
            ! seam: STATE window is on or off (also true or false, yes or no), not ''; usage:
            = 2
            $ seam host h host window=maybe
            ! seam: STATE window is on or off (also true or false, yes or no), not 'maybe'; usage:
            = 2
            $ seam host h host scene=actve
            ! seam: STATE scene is one of active, inactive, not 'actve'; did you mean 'active'? usage:
            = 2
            $ seam host h host frobnicate=on
            ! seam: STATE is one of window=on|off, scene=active|inactive, hidden=on|off, size=on|off, parked=on|off, not 'frobnicate=on'; usage:
            = 2
            $ seam host h host =on
            ! seam: STATE is one of window=on|off, scene=active|inactive, hidden=on|off, size=on|off, parked=on|off, not '=on'; usage:
            = 2
            $ seam host h host window=false parked=yes && seam mounts h host
            seq=6 turn=2 changes=3 diagnostics=0
            host  mount 1  -  window=off parked=on waiting=returned
            $ seam host h host window=true parked=no && seam mounts h host
            seq=9 turn=3 changes=3 diagnostics=0
            host  mount 1  -
            $ seam create live --id traced --trace yes && seam call sim.trace '{"sim":"traced","limit":1}' >/dev/null && seam create live --trace maybe
            traced
            ! seam: --trace is on or off (also true or false, yes or no), not 'maybe'; usage:
            = 2
            $ seam host h host window=on window=off
            ! seam: STATE gives 'window' twice; usage:
            = 2
            $ seam host h host
            ! seam: host needs STATE; usage:
            = 2
            $ seam env h
            ! seam: env needs K=V, or --unset KEY; usage:
            = 2
            $ seam env h a=1 --unset a
            ! seam: env gives 'a' a value and takes it away; usage:
            = 2
            $ seam env h a=1 --mount 1
            ! seam: --mount needs --bridge; usage:
            = 2
            $ seam items w list a b a
            ! seam: ITEM gives 'a' twice; usage:
            = 2
            $ seam items w list =x
            ! seam: ITEM is an id, or ID=VALUE, not '=x'; usage:
            = 2
            $ seam set h openCount=1 --interim :openCount
            ! seam: --interim is a label, alone or with fields behind it, such as at-once:openCount,title; not ':openCount'; usage:
            = 2
            $ seam set h openCount=1 --interim x:
            ! seam: --interim is a label, alone or with fields behind it, such as at-once:openCount,title; not 'x:'; usage:
            = 2
            $ seam set h openCount=1 --after frame
            ! seam: --after says when --interim reads; give that as well; usage:
            = 2
            $ seam set h openCount=1 --interim x:opneCount
            ! seam: opneCount is not a field of the simulation h (lessons.hosting-unassigned); near it: openCount; `seam check h --fail-on none` names them all.
            = 4
            $ seam advance h 1 --interim x
            ! seam: there is no option '--interim' here; usage:
            = 2
            $ seam identify w lsit x
            ! seam: lsit is not a bridge of the simulation w (lessons.wrapping-filled); the only one is list.
            = 4
            $ seam mounts h hots
            ! seam: hots is not a bridge of the simulation h (lessons.hosting-unassigned); the only one is host.
            = 4
            $ seam mounts nosuch
            ! seam: There is no simulation nosuch; there are h, traced, w. Make one with: seam create SCENARIO --id nosuch
            = 4
            $ seam policies recat
            ! seam: there is no profile 'recat'; there are lesson, uikit, appkit, compose, react, react-native, vue, flutter, elm, workflow, blueprint, prosemirror
            = 4
            $ seam create lessons.own-state --profile recat
            ! seam: recat is not a profile of Seam; near it: react.
            = 4
            $ seam create lessons.own-state --policy draw=never
            ! seam: The policy draw takes one of round, layout, frame, not never.
            = 4
            """#)
    }
}
