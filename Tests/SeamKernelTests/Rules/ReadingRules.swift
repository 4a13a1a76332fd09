import SeamKernel
import Testing

/// R2–R4, R50, R60, R77, R79, R81: what the newest evaluation has read, and what is said of a call that never ran.
@Suite struct ReadingRules {
    @Test func `R4: what counts is what the newest evaluation has read`() throws {
        let stage = try Stage(.wrap, ["reads=update"])
        var reads = true
        stage.body.onUpdate = { simulation, _, _, _ in
            var text: String?
            if reads { _ = simulation.modelGet("other", &text) }
            return .ok
        }
        try stage.apply(.update(0, mount: nil))
        _ = stage.calls()
        try stage.set("other", "x")
        try stage.set("other", "y")
        #expect(stage.calls() == ["update 1 observed gen 3", "update 1 observed gen 4"])
        reads = false
        try stage.set("other", "z")
        #expect(stage.calls() == ["update 1 observed gen 5"])
        try stage.set("other", "w")
        #expect(stage.calls() == [])
        #expect(stage.simulation.sentence(about: 1).contains("no bridge carries other to S"))
        reads = true
        try stage.apply(.update(0, mount: nil))
        _ = stage.calls()
        try stage.set("other", "v")
        #expect(stage.calls() == ["update 1 observed gen 7"])
    }

    @Test func `R2: make and the update after it are one evaluation`() throws {
        let stage = try Stage(.wrap, ["reads=update"], isMounted: false)
        stage.body.onMake = { simulation, _, _ in
            var text: String?
            _ = simulation.modelGet("other", &text)
            return .ok
        }
        try stage.apply(.mount(0))
        _ = stage.calls()
        try stage.set("other", "x")
        #expect(stage.calls() == ["update 1 observed gen 2"])
        // That one has not read it.
        try stage.set("other", "y")
        #expect(stage.calls() == [])
    }

    @Test
    func `R3: an environment key that the newest evaluation left out causes no update, and was not found`()
        throws
    {
        let stage = try Stage(.wrap, keys: ["a"])
        var reads = true
        stage.body.onUpdate = { simulation, call, _, _ in
            var text: String?
            if reads { _ = simulation.environmentGet(call.mount, "a", &text) }
            return .ok
        }
        func root(_ value: String) throws {
            try stage.apply(.environment([("a", value)], bridge: nil, mount: nil))
        }
        try root("x")
        _ = stage.calls()
        try root("y")
        #expect(stage.calls().count == 1)
        reads = false
        try root("z")
        _ = stage.calls()
        // The input alone; its body finds nothing in an environment that it does not ask.
        #expect(stage.codes(["a"]) == ["empty-update"])
        #expect(!stage.simulation.sentence(about: 0).contains("in its environment"))
        try stage.apply(.environment([("a", "own")], bridge: 0, mount: nil))
        #expect(stage.calls() == [])
        #expect(stage.codes(["a"]) == ["empty-update"])
    }

    @Test func `R81: the reads of a nested body count for the one around it as long as they are made`() throws
    {
        let stage = try Stage(.wrap, ["reads=update"], bridges: 2, isMounted: false)
        var reads = true
        stage.body.onUpdate = { simulation, call, _, _ in
            var text: String?
            if call.bridge == 1, reads { _ = simulation.modelGet("other", &text) }
            return .ok
        }
        try stage.apply(.mount(0))
        try stage.handle { simulation in
            var inner: MountID = 0
            _ = simulation.mountIn(1, 1, &inner)
        }
        // An evaluation of the outer one alone changes nothing of that.
        try stage.apply(.update(0, mount: nil))
        _ = stage.calls()
        try stage.set("other", "x")
        #expect(stage.calls() == ["update 2 observed gen 2", "update 1 observed gen 3"])
        reads = false
        try stage.set("other", "y")
        _ = stage.calls()
        try stage.set("other", "z")
        #expect(stage.calls() == [])
    }

    @Test func `R79: a make without an update is no empty update`() throws {
        let stage = try Stage(.wrap, ["first-update=no"], isMounted: false)
        stage.body.onMake = { _, _, _ in .ok }
        try stage.apply(.mount(0))
        let field = try #require(stage.simulation.fields(ofKey: "a").first)
        let found = stage.simulation.check([field])
        #expect(found.map(\.code) == ["update-never-arrived"])
        #expect(
            found.first?.text
                == "the model value of S.a changed in turn 1, and make of b ran since, last in turn 2, and did not "
                + "write it, and no update has run since")
        let carrier = try #require(stage.simulation.explain(field).carriers.first)
        #expect("\(carrier.call)" == "update" && carrier.lastTurn == nil && carrier.since == 0)
        try stage.apply(.update(0, mount: nil))
        #expect(stage.codes(["a"]) == [])
        #expect(stage.simulation.explain(field).carriers.first?.lastTurn == 3)
        let anew = try Stage(.wrap, ["update-body=absent"])
        let made = try #require(anew.simulation.explain(field).carriers.first)
        #expect("\(made.call)" == "make" && made.lastTurn == 1)
    }

    @Test func `R60: nothing is missing while an asynchronous make is under way`() throws {
        let stage = try Stage(.wrap, ["make=async"], isMounted: false)
        stage.body.onMake = { _, _, _ in .ok }
        try stage.apply(.mount(0))
        #expect(stage.codes(["a"]) == [])
        #expect(
            stage.simulation.sentence(about: 0).hasSuffix(
                "has not run since make in turn 2: the control of mount 1 is still being made"))
        try stage.apply(.settle)
        #expect(stage.verdict("a") == "matching")
    }

    @Test func `R77: a value that the order of the policy leaves behind is not cut`() throws {
        for precedence in ["native", "inherited"] {
            let stage = try Stage(.wrap, ["environment-precedence=\(precedence)"])
            var found: String?
            stage.body.onUpdate = { simulation, call, _, _ in
                _ = simulation.environmentGet(call.mount, "theme", &found)
                return .ok
            }
            try stage.apply(.environment([("theme", "root")], bridge: nil, mount: nil))
            try stage.apply(.environment([("theme", "own")], bridge: 0, mount: nil))
            #expect(try stage.apply(.update(0, mount: nil)).codes == [], "\(precedence)")
            #expect(found == (precedence == "native" ? "own" : "root"))
        }
        let cut = try Stage(.wrap, ["environment-precedence=inherited", "environment=own"])
        cut.body.onUpdate = { simulation, call, _, _ in
            var text: String?
            _ = simulation.environmentGet(call.mount, "theme", &text)
            return .ok
        }
        try cut.apply(.environment([("theme", "root")], bridge: nil, mount: nil))
        try cut.apply(.environment([("theme", "own")], bridge: 0, mount: nil))
        let turn = try cut.apply(.update(0, mount: nil))
        #expect(turn.codes == ["environment-not-propagated"])
        #expect(turn.diagnostics.first?.text.contains("found own, an ancestor holds root") == true)
    }

    @Test func `R77: a value that the view itself holds is no ancestor's`() throws {
        let stage = try Stage(
            .wrap, ["environment-precedence=inherited", "environment-capture=creation"])
        stage.body.onUpdate = { simulation, call, _, _ in
            var text: String?
            _ = simulation.environmentGet(call.mount, "theme", &text)
            return .ok
        }
        try stage.apply(.environment([("theme", "en")], bridge: 0, mount: nil))
        try stage.handle { _ = $0.environmentTake(1) }
        try stage.apply(.environment([("theme", "jp")], bridge: 0, mount: nil))
        let turn = try stage.apply(.update(0, mount: nil))
        #expect(turn.diagnostics.first?.text.contains("found en, it holds itself jp") == true)
    }

    @Test func `R22: what was drawn at the signal, or was not, is told by a check, and why`() throws {
        let stage = try Stage(.embed, ["capture=signal"], observed: true)
        func expect(_ change: String, _ clause: String) {
            let found = stage.simulation.check([0])
            #expect(found.map(\.code) == ["update-never-arrived"] && found.first?.mount == 1)
            #expect(found.first?.text == "the model value of S.a \(change), and \(clause)")
            #expect(
                stage.simulation.sentence(about: 0)
                    == "S.a is stale: the model \(change) (by a client), and \(clause)")
        }
        try stage.set("a", "2")
        expect(
            "changed in turn 2",
            "draw of b has not run since turn 1: the change was signalled before it was stored, with what is drawn "
                + "already (capture=signal)")
        try stage.set("a", "3")
        #expect(stage.simulation.shown("a") == "2")
        expect(
            "changed in turn 3",
            "draw of b wrote it in turn 3 from a copy of the model that is older than that, taken when the change was "
                + "signalled (capture=signal)")
    }

    @Test func `R50: a tick has no origin, dropped or delivered`() throws {
        for policy in ["deliver", "drop"] {
            let stage = try Stage(.wrap, ["queued-work=\(policy)"])
            stage.simulation.keepTrace(bytes: 1 << 16)
            try stage.handle { simulation in
                var token: UInt64 = 0
                var timer: UInt64 = 0
                _ = simulation.own(1, "load", &token)
                _ = simulation.atTime(5, token, &timer)
            }
            try stage.apply(.unmount(0, mount: nil))
            try stage.simulation.advance(to: 5) { _ in }
            var ticks: [TraceRecord] = []
            stage.simulation.forEachRecord(from: 1, to: .max) {
                if "\($0.call)" == "tick" { ticks.append($0) }
                return true
            }
            #expect(ticks.count == 1 && ticks.allSatisfy { $0.origin == nil }, "\(policy)")
        }
    }

    @Test(arguments: ["request", "creation"])
    func `R77: what was taken is drawn where it reads differently now, and nowhere else`(capture: String)
        throws
    {
        let stage = try Stage(.wrap, ["environment-capture=\(capture)"], isMounted: false)
        stage.body.onUpdate = { simulation, call, _, _ in
            var theme: String?
            _ = simulation.environmentGet(call.mount, "other", &theme)
            _ = simulation.screenSet(0, "other", theme)
            return .ok
        }
        try stage.apply(.mount(0))
        for value in ["dark", "light", nil] {
            let was = stage.simulation.shown("other")
            let set = try stage.apply(.environment([("other", value)], bridge: nil, mount: nil)).number
            try stage.apply(.update(0, mount: nil))
            #expect(stage.simulation.shown("other") == was)
            if value != nil {
                let found = stage.simulation.check([1])
                #expect(found.map(\.code) == ["environment-not-propagated"] && found.first?.mount == 1)
                let read = was.map { "found \($0) in its environment" } ?? "found none in its environment"
                #expect(
                    found.first?.text
                        == "the model value of S.other changed in turn \(set), and update of b ran since, in turn "
                        + "\(set + 1), and \(read)")
                #expect(stage.simulation.sentence(about: 1).hasSuffix("in turn \(set + 1): it \(read)"))
            }
            _ = stage.calls()
            #expect(try stage.handle { _ = $0.environmentTake(1) }.trace == ["event", "update environment"])
            #expect(stage.simulation.shown("other") == value)
            // Nothing has changed since.
            #expect(try stage.handle { _ = $0.environmentTake(1) }.trace == ["event"])
        }
    }

    @Test func `R79: an update that failed is no empty one, whichever bridge is asked first`() throws {
        let stage = try Stage(.wrap, bridges: 2, isMounted: false)
        stage.body.onUpdate = { _, _, inputs, _ in
            inputs.values[0] == "2" ? .failed(status: -7, text: "broken") : .ok
        }
        try stage.apply(.mount(1))
        try stage.set("a", "2")
        let found = stage.simulation.check([0])
        #expect(found.map(\.code) == ["plugin-failed"] && found.first?.bridge == 1 && found.first?.mount == 1)
        #expect(found.first?.text.hasPrefix("mount 1 of b1 failed in turn 3 and gets no more calls") == true)
        try stage.set("a", "3")
        #expect(stage.codes(["a"]) == ["plugin-failed"])
    }

    /// What happens to one of two mounts, and which one a check names then.
    private static let blamed: [(String, MountID, @Sendable (Stage) throws -> Void)] = [
        (
            "no update of b for its 2 mounts, which bridge.update alone calls (updates=manual), has run since",
            2, { _ in }
        ),
        ("mount 1 has no window", 1, { _ = try $0.host(ActivityChange(window: false), mount: 1) }),
        ("mount 2 has no window", 2, { _ = try $0.host(ActivityChange(window: false), mount: 2) }),
        ("did not write it", 1, { _ = try $0.apply(.update(0, mount: 1)) }),
        ("did not write it", 2, { _ = try $0.apply(.update(0, mount: 2)) }),
    ]

    @Test(arguments: blamed.indices)
    func `R14: of two mounts a check names the one that its words are about`(place: Int) throws {
        let (words, mount, happen) = Self.blamed[place]
        let stage = try Stage(.wrap, ["updates=manual"])
        try stage.apply(.mount(0))
        stage.body.onUpdate = { _, _, _, _ in .ok }
        try stage.set("a", "2")
        try happen(stage)
        let found = stage.simulation.check([0])
        #expect(found.map(\.mount) == [mount], "\(found.map(\.text))")
        #expect(found.first?.text.contains(words) == true, "\(found.map(\.text))")
    }

    @Test func `R79: a make with the update that follows on it is one call, a control from the pool another`()
        throws
    {
        let made = try Stage(.wrap, ["update-body=absent"])
        made.simulation.keepTrace(bytes: 1 << 16)
        for value in ["2", "3"] {
            try made.set("a", value)
            let carrier = made.simulation.explain(0).carriers[0]
            #expect(
                "\(carrier.call)" == "make" && carrier.since == 1 && carrier.lastTurn == made.simulation.turn)
        }
        try made.apply(.update(0, mount: nil, cause: .layout))
        #expect(made.simulation.explain(0).carriers[0].since == 2)
        let pooled = try Stage(.wrap, ["updates=restart", "host-detach=pool"])
        pooled.simulation.keepTrace(bytes: 1 << 16)
        try pooled.set("a", "2")
        for _ in 0..<2 {
            try pooled.apply(.unmount(0, mount: nil))
            try pooled.apply(.mount(0))
            let carrier = pooled.simulation.explain(0).carriers[0]
            #expect(
                // This mount's control was never made: it came from the pool.
                "\(carrier.call)" == "make" && carrier.since == 1 && carrier.lastTurn == nil)
        }
        // One place takes two controls from the pool, one after the other.
        let reset = try Stage(.wrap, ["updates=restart", "host-detach=pool"])
        reset.simulation.keepTrace(bytes: 1 << 16)
        for _ in 0..<2 { try reset.apply(.mount(0)) }
        for mount in [MountID(2), 3] { try reset.apply(.unmount(0, mount: mount)) }
        try reset.set("a", "2")
        _ = reset.calls()
        for id in ["x", "y", "z"] { try reset.apply(.identify(0, mount: 1, id: id)) }
        #expect(reset.calls().allSatisfy { !$0.hasPrefix("make") })
        #expect(reset.simulation.explain(0).carriers[0].since == 2)
    }
}
