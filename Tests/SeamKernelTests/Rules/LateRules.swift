import SeamKernel
import Testing

/// How a control, or its mount, comes to its end, or changes hands.
private enum End: String, CaseIterable {
    case unmounted, identity, identityNewFirst, disposed, returned, remade, failed, pooled, evicted, adopted,
        rebound

    var policies: [String] {
        switch self {
        case .unmounted, .identity, .failed, .rebound: []
        case .identityNewFirst: ["replace-order=new-first"]
        case .disposed, .returned: ["host-detach=dispose"]
        case .remade: ["update-body=absent"]
        case .pooled, .adopted: ["host-detach=pool"]
        case .evicted: ["host-detach=pool", "pool-limit=0"]
        }
    }

    /// What late work of the former owner is told as.
    var code: String { self == .adopted || self == .rebound ? "reuse-leak" : "callback-after-dismantle" }

    /// Behind the late value in its record: whose it was, where the mount does not say so.
    var whose: String {
        switch self {
        case .unmounted, .failed, .pooled, .evicted: ""
        case .identity, .identityNewFirst, .disposed, .returned, .remade:
            ", of control 1, dismantled in turn "
        case .adopted: ", of mount 1"
        case .rebound: ", of x"
        }
    }

    func happen(on stage: Stage) throws {
        switch self {
        case .unmounted, .pooled, .evicted: try stage.apply(.unmount(0, mount: nil))
        case .identity, .identityNewFirst: try stage.apply(.identify(0, mount: nil, id: "next"))
        case .disposed: try stage.host(ActivityChange(window: false))
        case .returned:
            try stage.host(ActivityChange(window: false))
            try stage.host(ActivityChange(window: true))
        case .remade: try stage.apply(.update(0, mount: nil, cause: .layout))
        case .failed:
            stage.body.onUpdate = { _, _, _, _ in .failed(status: -7, text: "broken") }
            try stage.apply(.update(0, mount: nil, cause: .layout))
        case .adopted:
            try stage.apply(.unmount(0, mount: nil))
            try stage.apply(.mount(0))
        case .rebound: try stage.apply(.rebind(0, mount: nil, owner: "y"))
        }
    }
}

/// Late work and whoever asked for it (R50, R74): delivered to the same living instance, or told apart.
@Suite struct LateRules {
    private static let cases = End.allCases.flatMap { end in ["deliver", "drop"].map { (end, $0) } }

    /// A control on the screen whose owner, where it is to have one, is x.
    private func stage(_ end: End, _ policy: String) throws -> Stage {
        let stage = try Stage(.wrap, ["queued-work=\(policy)"] + end.policies)
        stage.simulation.keepTrace(bytes: 1 << 16)
        if end == .rebound { try stage.apply(.rebind(0, mount: nil, owner: "x")) }
        if end == .identity || end == .identityNewFirst {
            try stage.apply(.identify(0, mount: nil, id: "first"))
        }
        // The first control that the trace sees is number 1. Where it goes after the next has come, it has to be seen.
        if end == .identityNewFirst { try stage.apply(.update(0, mount: nil, cause: .layout)) }
        return stage
    }

    private func records(_ stage: Stage, _ call: String) -> [TraceRecord] {
        var found: [TraceRecord] = []
        stage.simulation.forEachRecord(from: 1, to: .max) { record in
            if "\(record.call)" == call { found.append(record) }
            return true
        }
        return found
    }

    private func advance(_ stage: Stage) throws -> [Diagnostic] {
        var found: [Diagnostic] = []
        try stage.simulation.advance(to: 5_000_000) { found += $0.diagnostics }
        return found
    }

    @Test(arguments: cases)
    fileprivate func `R50: a tick of a former owner is told, or dropped, however it ended`(
        end: End, policy: String
    ) throws {
        let stage = try stage(end, policy)
        try stage.handle { simulation in
            var token: UInt64 = 0
            var timer: UInt64 = 0
            _ = simulation.own(1, "load", &token)
            _ = simulation.atTime(5_000_000, token, &timer)
        }
        try end.happen(on: stage)
        _ = stage.calls()
        let found = try advance(stage)
        #expect(found.map(\.code) == (policy == "deliver" ? [end.code] : []))
        #expect(stage.calls().filter { $0 == "tick" }.count == (policy == "deliver" ? 1 : 0))
        #expect(found.allSatisfy { $0.mount == (end == .adopted ? 2 : 1) })
        let tick = try #require(records(stage, "tick").last)
        #expect(tick.source?.by == "go" && tick.source?.mount == nil, "\(tick)")
        #expect(tick.mount == (end == .adopted ? 2 : 1))
        // The next control has no part in what the former one asked for.
        if end.code == "callback-after-dismantle", policy == "deliver" { #expect(tick.control == nil) }
        let text = try #require(tick.text)
        #expect(text.hasPrefix(policy == "deliver" ? "load\(end.whose)" : "load was dropped: "), "\(text)")
    }

    @Test(arguments: cases)
    fileprivate func `R50: a deferred write of a former owner is told, or dropped, however it ended`(
        end: End, policy: String
    ) throws {
        for isReread in [false, true] {
            let stage = try stage(end, policy)
            try stage.handle { simulation in
                _ = simulation.nativeChange(1, "a", "typed")
                _ = simulation.writeLater(1, "a", captured: "late", isReread: isReread, delay: 5_000_000)
            }
            try end.happen(on: stage)
            let found = try advance(stage)
            #expect(found.map(\.code) == (policy == "deliver" ? [end.code] : []), "reread: \(isReread)")
            let record = try #require(records(stage, "write-back").last)
            let value = isReread && end != .rebound && end != .adopted ? "typed" : isReread ? "" : "late"
            let text = try #require(record.text)
            #expect(text.contains("was dropped") == (policy == "drop"), "\(text)")
            let isNumbered = end.whose.hasPrefix(", of control 1")
            #expect(text.hasPrefix("a=\(value)"), "\(text)")
            #expect(
                text.contains(policy == "deliver" ? end.whose : isNumbered ? ": its control 1 was" : ": the"),
                "\(text)")
            if policy == "deliver" {
                #expect(stage.simulation.modelValue("a") == String(text.dropFirst(2).prefix { $0 != "," }))
            } else {
                #expect(stage.simulation.modelValue("a") == "1")
            }
            // The record is of the place as it is, and names the former control beside it.
            if end == .returned || end == .identity { #expect(record.control == 2) }
        }
    }

    @Test func `R50: what a former control asked for is told with the turn of its end`() throws {
        let stage = try Stage(.wrap)
        try stage.apply(.identify(0, mount: nil, id: "first"))
        try stage.handle { _ = $0.writeLater(1, "a", captured: "late", isReread: false, delay: 5_000_000) }
        try stage.apply(.identify(0, mount: nil, id: "second"))
        let found = try advance(stage)
        #expect(
            found.map(\.text) == [
                "a control of mount 1 of b was dismantled in turn 4, and its deferred write of a came afterwards: stop it "
                    + "in dismantle"
            ])
        #expect(found.first?.mount == 1 && found.first?.bridge == 0 && found.first?.severity == .error)
    }

    @Test func `R50: work of the control that is there now is its own, however many were there before`()
        throws
    {
        let stage = try Stage(.wrap, ["host-detach=dispose"])
        for _ in 0..<12 {
            try stage.host(ActivityChange(window: false))
            try stage.host(ActivityChange(window: true))
        }
        try stage.handle { _ = $0.writeLater(1, "a", captured: "late", isReread: false, delay: 5_000_000) }
        #expect(try advance(stage).isEmpty && stage.simulation.modelValue("a") == "late")
        // And asked for while there is none, it is of the one to come.
        try stage.host(ActivityChange(window: false))
        try stage.handle { _ = $0.writeLater(1, "a", captured: "later", isReread: false, delay: -1) }
        #expect(try stage.host(ActivityChange(window: true)).codes.isEmpty)
        #expect(stage.simulation.modelValue("a") == "later")
    }

    @Test(
        arguments: [(["p"], []), (["p", "q"], ["reuse-leak"]), (["p", "q", "p"], [])]
            as [([String], [String])])
    func `R50: what was asked for before the first owner was asked for that one`(
        owners: [String], codes: [String]
    ) throws {
        let stage = try Stage(.wrap)
        try stage.handle { _ = $0.writeLater(1, "a", captured: "late", isReread: false, delay: 5_000_000) }
        for owner in owners { try stage.apply(.rebind(0, mount: nil, owner: owner)) }
        #expect(try advance(stage).map(\.code) == codes)
    }

    @Test
    func `R50: a control from the pool takes the first owner's work along, and the place keeps its own`()
        throws
    {
        let stage = try Stage(.wrap, ["host-detach=pool"])
        var tokens: [UInt64] = [0, 0]
        try stage.handle { simulation in
            _ = simulation.own(1, "load", &tokens[0])
            _ = simulation.writeLater(1, "a", captured: "late", isReread: false, delay: 5_000_000)
        }
        try stage.apply(.rebind(0, mount: nil, owner: "p"))
        try stage.apply(.unmount(0, mount: nil))
        var counts = [0, 0]
        try stage.handle { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            _ = simulation.own(mount, "watch", &tokens[1])
            _ = simulation.writeLater(mount, "a", captured: "early", isReread: false, delay: 4_000_000)
            _ = simulation.rebind(mount, to: "p")
        }
        try stage.handle { _ = $0.inFlight(2, "a", &counts[0]) }
        // Both are on their way, and both are the same item's.
        #expect(try advance(stage).isEmpty && counts[0] == 2)
        try stage.handle { _ = $0.inFlight(2, "a", &counts[1]) }
        #expect(counts[1] == 0)
        try stage.apply(.unmount(0, mount: nil))
        #expect(stage.simulation.destroy().codes == ["leaked-resource", "leaked-resource"])
    }

    @Test func `R50: a registration that was undone brings nothing any more`() throws {
        let stage = try Stage(.wrap)
        stage.simulation.keepTrace(bytes: 1 << 16)
        try stage.handle { simulation in
            var token: UInt64 = 0
            var timer: UInt64 = 0
            _ = simulation.own(1, "load", &token)
            _ = simulation.atTime(5_000_000, token, &timer)
            _ = simulation.disown(token)
        }
        _ = stage.calls()
        #expect(try advance(stage).isEmpty && stage.calls().isEmpty)
        #expect(records(stage, "tick").map(\.text) == ["late work was dropped: its registration was undone"])
    }

    @Test(arguments: ["old-first", "new-first"])
    func `R50: what a hook asks for on the way out belongs to the control that goes`(order: String) throws {
        let stage = try Stage(.wrap, ["hooks=told", "replace-order=\(order)"])
        try stage.apply(.identify(0, mount: nil, id: "first"))
        stage.body.onHook = { simulation, hook, call in
            var token: UInt64 = 0
            guard hook == .disappear else { return .ok }
            _ = simulation.own(call.mount, "save", &token)
            _ = simulation.nextTurn(token)
            return .ok
        }
        let turn = try stage.apply(.identify(0, mount: nil, id: "second"))
        #expect(turn.codes.filter { $0 == "leaked-resource" }.count == 1)
        #expect(turn.codes.filter { $0 == "callback-after-dismantle" }.count == 1)
    }

    @Test(
        arguments: [
            ("disappear-first", "typed"), ("end-editing-first", "typed"), ("dismantle-first", "1"),
        ])
    func `R50: what a hook asks for on the way out reads what is there still`(order: String, model: String)
        throws
    {
        let stage = try Stage(.wrap, ["hooks=told", "teardown-order=\(order)"])
        stage.simulation.keepTrace(bytes: 1 << 16)
        try stage.apply(.identify(0, mount: nil, id: "first"))
        try stage.handle { _ = $0.nativeChange(1, "a", "typed") }
        stage.body.onHook = { simulation, hook, call in
            if hook == .disappear {
                _ = simulation.writeLater(call.mount, "a", captured: nil, isReread: true, delay: 5_000_000)
            }
            return .ok
        }
        try stage.apply(.identify(0, mount: nil, id: "second"))
        _ = try advance(stage)
        #expect(stage.simulation.modelValue("a") == model)
        let text =
            model == "1"
            ? "a=-, of control 1, dismantled in turn 4 was dropped: there is no control to read"
            : "a=typed, of control 1, dismantled in turn 4"
        #expect(records(stage, "write-back").map(\.text) == [text])
    }

    // MARK: What else comes from a former control

    @Test(arguments: [true, false])
    func `R73: what a control watches ends with it, what others watch is the mount's`(isOwn: Bool) throws {
        let stage = try Stage(.wrap, ["host-detach=dispose"])
        if isOwn {
            stage.body.onNative = { simulation, call, _, _ in
                _ = simulation.watch(call.mount, "other", 3)
                return .ok
            }
            try stage.apply(.send(1, arguments: ["x"], mount: nil))
        } else {
            try stage.handle { _ = $0.watch(1, "other", 3) }
        }
        try stage.set("other", "1")
        #expect(stage.calls().contains("tick"))
        try stage.host(ActivityChange(window: false))
        try stage.host(ActivityChange(window: true))
        _ = stage.calls()
        #expect(try stage.set("other", "2").codes.isEmpty)
        #expect(stage.calls() == (isOwn ? [] : ["tick"]))
    }

    @Test(arguments: [("deliver", ["callback-after-dismantle"]), ("drop", [])])
    func `R74: a watch whose mount goes in the same turn comes too late`(policy: String, codes: [String])
        throws
    {
        let stage = try Stage(.wrap, ["queued-work=\(policy)", "callback-phase=post"])
        try stage.handle { _ = $0.watch(1, "other", 3) }
        _ = stage.calls()
        let turn = try stage.handle { simulation in
            _ = simulation.modelSet("other", "2")
            _ = simulation.unmount(1)
        }
        #expect(turn.codes == codes && stage.calls().contains("tick") == !codes.isEmpty)
    }

    @Test func `R73: a mount that has failed watches nothing`() throws {
        let stage = try Stage(.wrap)
        try stage.handle { _ = $0.watch(1, "other", 3) }
        try End.failed.happen(on: stage)
        _ = stage.calls()
        #expect(try stage.set("other", "2").codes.isEmpty && stage.calls().isEmpty)
    }

    @Test(arguments: [("deliver", ["callback-after-dismantle"]), ("drop", [])])
    func `R84: a command to a control that goes before it comes is told, or dropped`(
        policy: String, codes: [String]
    ) throws {
        let stage = try Stage(.wrap, ["queued-work=\(policy)"])
        try stage.apply(.identify(0, mount: nil, id: "first"))
        _ = stage.calls()
        let turn = try stage.handle { simulation in
            _ = simulation.identify(1, as: "second")
            _ = simulation.command(1, 3)
        }
        #expect(turn.codes == ["recreated-control"] + codes)
        #expect(stage.calls().contains("tick") == !codes.isEmpty)
    }

    @Test func `R84: a command that waits for a control which never comes is not lost in silence`() throws {
        let stage = try Stage(.wrap, ["make=needs-size"])
        stage.simulation.keepTrace(bytes: 1 << 16)
        try stage.handle { _ = $0.command(1, 3) }
        let turn = try stage.apply(.unmount(0, mount: nil))
        #expect(
            turn.diagnostics.map(\.text) == [
                "a command that go gave in turn 2 was dropped: mount 1 of b went before its control was made"
            ])
        #expect(turn.codes == ["no-control"] && !stage.calls().contains("tick"))
        #expect(records(stage, "tick").map(\.text) == ["a command was dropped: there was no control to come"])
        // Nor does the end of the simulation lose anything.
        let other = try Stage(.wrap, ["make=needs-size"])
        try other.handle { _ = $0.command(1, 3) }
        #expect(other.simulation.destroy().codes.isEmpty)
    }

    @Test func `R10: a deferred write of view state does not reach another identity`() throws {
        for isReset in [false, true] {
            let stage = try Stage(.wrap)
            stage.simulation.keepTrace(bytes: 1 << 16)
            try stage.apply(.identify(0, mount: nil, id: "first"))
            stage.body.onUpdate = { simulation, call, _, _ in
                if call.cause == .layout { _ = simulation.stateSet(call.mount, "text", "old") }
                return .ok
            }
            try stage.handle { simulation in
                _ = simulation.invalidate(1, cause: UInt32(Cause.layout.rawValue))
                if isReset { _ = simulation.identify(1, as: "second") }
            }
            var state: String?
            try stage.handle { _ = $0.stateGet(1, "text", &state) }
            #expect(state == (isReset ? nil : "old"))
            #expect(
                records(stage, "state").map(\.text)
                    == [isReset ? "text=old was dropped: its view is gone" : "text=old"])
        }
    }

    @Test func `R28: a subscription of a former control is no business of the next one`() throws {
        let stage = try Stage(.wrap)
        var object: UInt64 = 0
        try stage.apply(.identify(0, mount: nil, id: "first"))
        try stage.handle { simulation in
            var subscription: UInt64 = 0
            _ = simulation.objectMake(&object)
            _ = simulation.subscribe(1, object, &subscription)
        }
        try stage.apply(.identify(0, mount: nil, id: "second"))
        _ = stage.calls()
        let turn = try stage.handle { _ = $0.objectPublish(object) }
        #expect(turn.codes == ["callback-after-dismantle"] && stage.calls().isEmpty)
        #expect(
            turn.diagnostics.first?.text.contains("a control of mount 1 of b was dismantled in turn 4")
                == true)
    }

    @Test func `R32: a binding that a former control holds writes, and is told`() throws {
        let stage = try Stage(.wrap, ["host-detach=dispose"])
        var binding: UInt64 = 0
        try stage.handle { _ = $0.bindingMake(1, .live, "a", nil, &binding) }
        #expect(try stage.handle { _ = $0.bindingSet(binding, "2") }.codes.isEmpty)
        try stage.host(ActivityChange(window: false))
        let turn = try stage.handle { _ = $0.bindingSet(binding, "3") }
        #expect(turn.codes == ["callback-after-dismantle"] && stage.simulation.modelValue("a") == "3")
        #expect(
            turn.diagnostics.first?.text.hasPrefix("a control of mount 1 of b was dismantled in turn 4")
                == true)
    }

    @Test func `R38: an echo comes from the control that was written, and from no other in its place`() throws
    {
        let body = ScriptedBody()
        let simulation = Simulation(
            id: "s", scenario: scenario(.wrap, fields: ["a"], echoes: true), body: body)
        var echoes: [String?] = []
        body.onStart = { simulation in
            var mount: MountID = 0
            _ = simulation.modelSet("a", "1")
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onUpdate = { simulation, _, inputs, _ in
            _ = simulation.screenSet(0, "a", inputs.values[0])
            return .ok
        }
        body.onNative = { _, _, _, arguments in
            echoes.append(arguments[0])
            return .ok
        }
        body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("a", "2")
            _ = simulation.identify(1, as: "second")
            return .ok
        }
        _ = try simulation.start(parameters: [])
        _ = try simulation.apply(.identify(0, mount: nil, id: "first"))
        echoes = []
        // The update writes the old control, which is replaced in the same round.
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            body.log.suffix(5) == [
                "dismantle 1", "coordinator 1", "make 1", "update 1 identity gen 3", "native 1",
            ])
        #expect(echoes == ["2"])
    }
}
