import SeamKernel
import Testing

/// One line a record, as a person would say it.
private func lines(_ simulation: Simulation, from: UInt64 = 0, to: UInt64 = .max) -> [String] {
    var lines: [String] = []
    simulation.forEachRecord(from: from, to: to) { record in
        var line = "\(record.turn).\(record.round) \(record.call)"
        if let bridge = record.bridge { line += " \(simulation.scenario.bridges[bridge].id)" }
        if let mount = record.mount { line += "#\(mount)" }
        if let cause = record.cause { line += " \(cause)" }
        if let origin = record.origin { line += " <\(origin.word)" }
        if let control = record.control { line += " control \(control)" }
        if let coordinator = record.coordinator { line += " coordinator \(coordinator)" }
        if !record.wrote.isEmpty { line += " wrote \(record.wrote)" }
        if !record.held.isEmpty { line += " held \(record.held)" }
        if !record.set.isEmpty { line += " set \(record.set)" }
        if !record.assigned.isEmpty { line += " assigned \(record.assigned)" }
        if let source = record.source { line += " from \(source.by)#\(source.mount ?? 0) in \(source.turn)" }
        if let text = record.text { line += " \"\(text)\"" }
        lines.append(line)
        return true
    }
    return lines
}

/// A text field that is made once, and whose edits go to the model.
private func editor(
    update: @escaping (Simulation, BridgeCall, Inputs, inout ObjectID) -> Outcome = {
        simulation, _, inputs, _ in
        var shown: String?
        _ = simulation.screenGet(0, "text", &shown)
        if shown != inputs.values[0] { _ = simulation.screenSet(0, "text", inputs.values[0]) }
        return .ok
    }, bytes: Int = 1 << 16
) throws -> (Simulation, ScriptedBody) {
    let body = ScriptedBody()
    body.onStart = { simulation in
        _ = simulation.modelSet("text", "a")
        var mount: MountID = 0
        _ = simulation.mount(0, &mount)
        return .ok
    }
    body.onMake = { simulation, _, inputs in
        _ = simulation.screenSet(0, "text", inputs.values[0])
        return .ok
    }
    body.onUpdate = update
    body.onNative = { simulation, call, _, arguments in
        _ = simulation.screenSet(0, "text", arguments[0])
        return simulation.bind(call.mount, generation: 99, key: "text", value: arguments[0]) == .ok
            ? .ok : .failed(status: 1, text: "bind")
    }
    let simulation = Simulation(id: "s", scenario: scenario(.wrap, fields: ["text"]), body: body)
    simulation.keepTrace(bytes: bytes)
    _ = try simulation.started()
    return (simulation, body)
}

@Suite struct TraceTests {
    @Test func `a life from start to unmount, call by call`() throws {
        let (simulation, _) = try editor()
        _ = try simulation.apply(.modelWrite([("text", "b")]))
        _ = try simulation.apply(.send(1, arguments: ["c"], mount: nil))
        _ = try simulation.apply(.update(0, mount: nil))
        _ = try simulation.apply(.mount(0))
        _ = try simulation.apply(.unmount(0, mount: 1))
        #expect(
            lines(simulation) == [
                "1.0 start <client set [\"text\"]",
                "1.1 coordinator b#1 first coordinator 1",
                "1.1 make b#1 first control 1 coordinator 1 wrote [0]",
                "1.1 update b#1 first control 1 coordinator 1",
                "2.0 model.set <client set [\"text\"]",
                "2.1 update b#1 input control 1 coordinator 1 wrote [0]",
                "3.0 native b#1 <client control 1 coordinator 1 wrote [0] set [\"text\"] \"edit\"",
                "3.1 update b#1 input control 1 coordinator 1",
                "4.0 bridge.update b#1 <client",
                "4.1 update b#1 repeat control 1 coordinator 1",
                "5.0 bridge.mount b#2 <client",
                "5.1 coordinator b#2 first coordinator 2",
                "5.1 make b#2 first control 2 coordinator 2 wrote [0]",
                "5.1 update b#2 first control 2 coordinator 2",
                "6.0 bridge.unmount b#1 <client",
                "6.1 dismantle b#1 removed control 1 coordinator 1",
                "6.1 unmounted b#1 removed",
            ])
        #expect(simulation.oldestTracedTurn == 1 && simulation.droppedRecords == 0)
    }

    @Test func `another control is another number, at the same address too once the first is gone`() throws {
        let (simulation, _) = try editor(update: { _, _, _, view in
            view = 0x500
            return .ok
        })
        #expect(lines(simulation).last == "1.1 update b#1 first control 2 coordinator 1")
        _ = try simulation.apply(.unmount(0, mount: nil))
        _ = try simulation.apply(.mount(0))
        // make's own, then again 0x500, which nobody holds any more.
        #expect(
            lines(simulation, from: 3) == [
                "3.0 bridge.mount b#2 <client",
                "3.1 coordinator b#2 first coordinator 2",
                "3.1 make b#2 first control 3 coordinator 2 wrote [0]",
                "3.1 update b#2 first control 4 coordinator 2",
            ])
    }

    @Test func `two mounts that share a control have one number`() throws {
        let (simulation, _) = try editor(update: { _, _, _, view in
            view = 0x500
            return .ok
        })
        _ = try simulation.apply(.mount(0))
        #expect(lines(simulation).last == "2.1 update b#2 first control 2 coordinator 2")
    }

    @Test func `what came from outside: script, timers, posts, the main queue`() throws {
        let body = ScriptedBody()
        body.onEvent = { simulation, _, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(5_000_000, 1, &timer)
            return .ok
        }
        body.onTick = { simulation, token in
            _ = simulation.modelSet("text", "\(token)")
            return .ok
        }
        var described = scenario(.embed, fields: ["text"])
        described.drainsMainQueue = true
        let simulation = Simulation(id: "s", scenario: described, body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        simulation.requester = .script
        body.queue = [{ _ = $0.modelSet("text", "queued") }, { _ = $0.screenSet(0, "text", "drawn") }]
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        simulation.requester = .client
        try simulation.advance(to: 9_000_000) { _ in }
        try simulation.advance(to: 9_000_000) { _ in }
        _ = try simulation.apply(.tick(8))
        _ = try simulation.apply(.modelWrite([("text", nil)]))
        #expect(
            lines(simulation) == [
                "1.0 start <client",
                "2.0 event <script \"go\"",
                "2.0 main-queue wrote [0] set [\"text\"]",
                "3.0 sim.advance <client",
                "3.1 tick timer set [\"text\"] from go#0 in 2",
                "4.0 sim.advance <client",
                "5.0 post <plugin",
                "5.1 tick post set [\"text\"]",
                "6.0 model.clear <client set [\"text\"]",
            ])
    }

    @Test func `an echo is told from an edit (R38)`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            _ = simulation.modelSet("text", "a")
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onMake = { simulation, _, inputs in
            _ = simulation.screenSet(0, "text", inputs.values[0])
            return .ok
        }
        let simulation = Simulation(
            id: "s", scenario: scenario(.wrap, fields: ["text"], echoes: true), body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        #expect(lines(simulation).last == "1.2 native b#1 <echo control 1 coordinator 1 \"edit\"")
    }

    @Test func `an echo that finds its mount failed leaves its event to nobody`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            _ = simulation.modelSet("text", "a")
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onUpdate = { simulation, call, inputs, _ in
            if call.mount == 1, call.cause == .first { return .ok }
            _ = simulation.screenSet(0, "text", inputs.values[0])
            return call.mount == 1 ? .failed(status: 1, text: "no room") : .ok
        }
        let simulation = Simulation(
            id: "s", scenario: scenario(.wrap, fields: ["text"], echoes: true), body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        _ = try simulation.apply(.modelWrite([("text", "b")]))
        _ = try simulation.apply(.mount(0))
        #expect(
            lines(simulation, from: 2) == [
                "2.0 model.set <client set [\"text\"]",
                "2.1 update b#1 input control 1 coordinator 1 wrote [0] \"no room\"",
                "3.0 bridge.mount b#2 <client", "3.1 coordinator b#2 first coordinator 2",
                "3.1 make b#2 first control 2 coordinator 2",
                "3.1 update b#2 first control 2 coordinator 2 wrote [0]",
                "3.2 native b#2 <echo control 2 coordinator 2 \"edit\"",
            ])
    }

    @Test func `a failure stands at the call that failed`() throws {
        let (simulation, body) = try editor(update: { _, call, _, _ in
            call.cause == .first ? .ok : .failed(status: 1, text: "no room")
        })
        _ = try simulation.apply(.modelWrite([("text", "b")]))
        body.onEvent = { _, _, _ in .failed(status: 1, text: "broken") }
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            lines(simulation, from: 2) == [
                "2.0 model.set <client set [\"text\"]",
                "2.1 update b#1 input control 1 coordinator 1 \"no room\"",
                "3.0 event <client \"go: broken\"",
            ])
    }

    @Test func `a late write stands where it arrives, with its value and the call that made it (R23)`() throws
    {
        let (simulation, body) = try editor()
        var isReread = false
        body.onNative = { simulation, call, _, arguments in
            _ = simulation.screenSet(0, "text", arguments[0])
            _ = simulation.writeLater(
                call.mount, "text", captured: arguments[0], isReread: isReread, delay: 5_000_000)
            return .ok
        }
        for typed in ["c", "cd"] {
            _ = try simulation.apply(.send(1, arguments: [typed], mount: nil))
            isReread = true
        }
        try simulation.advance(to: 5_000_000) { _ in }
        #expect(
            lines(simulation, from: 4) == [
                "4.0 sim.advance <client",
                "4.1 write-back b#1 captured <client control 1 coordinator 1 set [\"text\"] from edit#1 in 2 \"text=c\"",
                "4.1 write-back b#1 reread <client control 1 coordinator 1 set [\"text\"] from edit#1 in 3 \"text=cd\"",
                "4.2 update b#1 input control 1 coordinator 1",
            ])
        _ = try simulation.apply(.send(1, arguments: [","], mount: nil))
        _ = try simulation.apply(.unmount(0, mount: nil))
        _ = try simulation.apply(.modelWrite([("text", nil)]))
        try simulation.advance(to: 10_000_000) { _ in }
        #expect(
            lines(simulation, from: 8) == [
                "8.0 sim.advance <client",
                "8.1 write-back b#1 reread <client from edit#1 in 5 \"text=\",\" was dropped: the key is gone\"",
            ])
    }

    @Test func `what is deferred, lifted or assigned is told with the call that asked for it`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            _ = simulation.modelSet("text", "a")
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onDraw = { simulation, call, inputs in
            _ = simulation.screenSet(0, "text", inputs.values[0])
            if call.cause == .first {
                _ = simulation.modelSet("text", "b")
                _ = simulation.stateSet(call.mount, "open", nil)
                _ = simulation.lift(call.mount, screen: 0, key: "text", value: "up")
            }
            return .ok
        }
        body.onEvent = { simulation, _, _ in
            simulation.assignRoot(1) == .ok ? .ok : .failed(status: 1, text: "")
        }
        let simulation = Simulation(
            id: "s", scenario: scenario(.embed, fields: ["text"]),
            settings: .init(policies: [("upward", "carried")]), body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        _ = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(
            lines(simulation)
                == [
                    "1.0 start <client \"upward=carried\"",
                    "1.1 draw b#1 first wrote [0] set [\"text\"]",
                    "1.2 write-back b#1 deferred set [\"text\"] from draw#1 in 1 \"text=b\"",
                    "1.2 state b#1 deferred from draw#1 in 1 \"open=-\"",
                    "1.3 draw b#1 state wrote [0] from draw#1 in 1",
                    "1.4 lifted b#1 deferred wrote [0] from draw#1 in 1 \"S.text=up\"",
                    "2.0 event <client assigned [1] \"go\"", "2.1 draw b#1 input wrote [0]",
                ].map { $0.replacing("1.0 start <client", with: "1.0 start <client set [\"text\"]") })
    }

    @Test func `a request says what it has set`() throws {
        let (simulation, _) = try editor()
        let events: [(Event, String)] = [
            (
                .activity(0, mount: nil, .init(window: true, scene: .inactive, hidden: false)),
                "host.set b#1 <client \"window=true, scene=inactive, hidden=false\""
            ),
            (
                .activity(0, mount: nil, .init(size: true, parked: false)),
                "host.set b#1 <client \"size=true, parked=false\""
            ),
            (
                .environment(
                    [("locale", "de"), ("x", nil), ("y", ""), ("z", "a, b")], bridge: nil, mount: nil),
                "environment.set <client \"locale=de, x=-, y=\"\", z=\"a, b\"\""
            ),
            (
                .environment([("text", "a")], bridge: nil, mount: nil),
                "environment.set <client set [\"text\"] \"text=a\""
            ),
            (
                .environment([("locale", "en")], bridge: 0, mount: nil),
                "environment.set b#1 <client \"locale=en\""
            ),
            (.update(0, mount: nil, cause: .layout), "bridge.update b#1 <client \"layout\""),
            (.rebind(0, mount: nil, owner: "bo"), "bridge.rebind b#1 <client \"bo\""),
            (.identify(0, mount: nil, id: "i"), "bridge.identify b#1 <client \"i\""),
            (
                .items(0, [Item(id: "bo"), Item(id: "cy", value: "Cy")]),
                "bridge.items <client \"b: bo, cy=Cy\""
            ),
            (.items(0, []), "bridge.items <client \"b: none\""),
        ]
        for (event, line) in events {
            let turn = try simulation.apply(event)
            #expect(lines(simulation, from: turn.number).first == "\(turn.number).0 \(line)")
        }
        _ = simulation.destroy()
        #expect(lines(simulation, from: simulation.turn).first == "\(simulation.turn).0 sim.destroy <client")
    }

    @Test func `off the screen and back, into the pool and out of it`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            _ = simulation.modelSet("text", "a")
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        body.onMake = { simulation, _, inputs in
            _ = simulation.screenSet(0, "text", inputs.values[0])
            return .ok
        }
        body.onUpdate = { simulation, call, inputs, _ in
            if call.cause == .input { _ = simulation.screenSet(0, "text", inputs.values[0]) }
            return .ok
        }
        let simulation = Simulation(
            id: "s", scenario: scenario(.wrap, fields: ["text"]),
            settings: .init(policies: [("host-detach", "pool")]), body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        _ = try simulation.apply(.activity(0, mount: nil, .init(hidden: true)))
        _ = try simulation.apply(.modelWrite([("text", "b")]))
        _ = try simulation.apply(.activity(0, mount: nil, .init(hidden: false)))
        _ = try simulation.apply(.unmount(0, mount: nil))
        _ = try simulation.apply(.mount(0))
        #expect(
            lines(simulation, from: 2) == [
                "2.0 host.set b#1 <client \"hidden=true\"",
                "2.0 hidden b#1 control 1 coordinator 1 wrote [0] \"is hidden\"",
                "3.0 model.set <client set [\"text\"]",
                "3.1 update b#1 input control 1 coordinator 1 held [0]",
                "4.0 host.set b#1 <client \"hidden=false\"",
                "4.0 revealed b#1 control 1 coordinator 1 wrote [0] from update#1 in 3",
                "5.0 bridge.unmount b#1 <client",
                "5.1 hidden b#1 control 1 coordinator 1 wrote [0] \"is parked\"",
                "5.1 pooled b#1 removed control 1 coordinator 1",
                "6.0 bridge.mount b#2 <client",
                "6.1 revealed b#2 control 1 coordinator 1 wrote [0] from update#1 in 3",
                "6.1 update b#2 returned control 1 coordinator 1",
            ])
    }

    @Test func `an event that finds no control leaves its name to nobody`() throws {
        let body = ScriptedBody()
        body.onStart = { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            return .ok
        }
        let simulation = Simulation(
            id: "s", scenario: scenario(.wrap, fields: ["text"]),
            settings: .init(policies: [("host-detach", "dispose")]), body: body)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        _ = try simulation.apply(.activity(0, mount: nil, .init(window: false)))
        #expect(try simulation.apply(.send(1, arguments: ["x"], mount: nil)).codes == ["no-control"])
        _ = try simulation.apply(.tick(7))
        #expect(lines(simulation, from: 3) == ["4.0 post <plugin", "4.1 tick post"])
    }

    @Test func `a request that is refused leaves nothing`() throws {
        let (simulation, _) = try editor()
        let before = lines(simulation)
        #expect(throws: Refusal.self) { try simulation.apply(.modelWrite([("nope", "1")])) }
        #expect(throws: Refusal.self) { try simulation.apply(.assign(0, mount: nil)) }
        #expect(throws: Refusal.self) { try simulation.apply(.update(0, mount: 9)) }
        #expect(lines(simulation) == before)
    }

    @Test func `a live simulation keeps a trace when it is asked to`() throws {
        let simulation = Simulation(id: "s", scenario: .live)
        #expect(!simulation.keepsTrace && simulation.traceBytes == 0)
        simulation.keepTrace(bytes: 1 << 16)
        _ = try simulation.started()
        _ = try simulation.apply(.screenDeclare(screen: "S", keys: ["a", "b"]))
        _ = try simulation.apply(.screenWrite(screen: "S", [("b", "1"), ("c", nil)]))
        _ = try simulation.apply(.modelWrite([("b", "1")]))
        _ = try simulation.apply(.screenWrite(screen: "S", [("b", nil)]))
        #expect(
            lines(simulation) == [
                "2.0 screen.declare <client \"S.a, S.b\"", "3.0 screen.set <client wrote [1, 2]",
                "4.0 model.set <client set [\"b\"]", "5.0 screen.clear <client wrote [1]",
            ])
    }

    @Test func `turns are picked, also across the blocks that the history is kept in`() throws {
        let (simulation, _) = try editor(bytes: 1 << 20)
        for number in 0..<20_000 { _ = try simulation.apply(.modelWrite([("text", "\(number)")])) }
        #expect(simulation.droppedRecords == 0 && lines(simulation).count == 40_004)
        for turn: UInt64 in [1, 2, 777, 10_000, 19_999, 20_001] {
            let picked = lines(simulation, from: turn, to: turn)
            #expect(picked.count == (turn == 1 ? 4 : 2) && picked.allSatisfy { $0.hasPrefix("\(turn).") })
        }
        #expect(lines(simulation, from: 9_000, to: 9_999).count == 2_000)
    }

    @Test func `the oldest goes first, and what is kept stays within its bytes`() throws {
        let limit = 1 << 14
        let (simulation, _) = try editor(bytes: limit)
        for number in 0..<5_000 { _ = try simulation.apply(.modelWrite([("text", "\(number)")])) }
        let kept = lines(simulation)
        #expect(simulation.droppedRecords > 0 && UInt64(kept.count) + simulation.droppedRecords == 10_004)
        #expect(kept.last == "5001.1 update b#1 input control 1 coordinator 1 wrote [0]")
        #expect(kept.first.map { $0.hasPrefix("\(simulation.oldestTracedTurn).") } == true)
        #expect(simulation.traceBytes < limit + limit / 2)
        // About 20 bytes a record: the bound is one of records too.
        #expect(kept.count > limit / 24)
    }

    @Test func `a trace gives up its older half when memory is needed`() throws {
        let (simulation, _) = try editor(bytes: 1 << 16)
        for number in 0..<2_000 { _ = try simulation.apply(.modelWrite([("text", "\(number)")])) }
        let (bytes, count) = (simulation.traceBytes, lines(simulation).count)
        let hadSome = simulation.shedTrace()
        #expect(hadSome && simulation.traceBytes < bytes && lines(simulation).count < count)
        var rounds = 0
        while simulation.shedTrace() { rounds += 1 }
        #expect(rounds < 12 && lines(simulation).isEmpty && simulation.droppedRecords == UInt64(count))
        #expect(simulation.oldestTracedTurn == 2_002)
        _ = try simulation.apply(.modelWrite([("text", "more")]))
        #expect(lines(simulation).count == 2 && simulation.oldestTracedTurn == 2_002)
    }

    @Test func `the same events twice are the same trace`() throws {
        func run() throws -> [String] {
            let (simulation, _) = try editor(update: { simulation, _, inputs, view in
                view = ObjectID(simulation.random() % 1_000 + 10)
                _ = simulation.screenSet(0, "text", inputs.values[0])
                return .ok
            })
            for number in 0..<200 { _ = try simulation.apply(.modelWrite([("text", "\(number % 7)")])) }
            return lines(simulation)
        }
        let first = try run()
        #expect(try run() == first && first.count > 400)
    }
}
