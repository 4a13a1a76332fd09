import SeamKernel
import Testing

// Reports from the field, retold as the bridging code that they are about: the fault, and beside it the repair. The
// public source of each is named with it.

/// The value was never carried, or carried to the wrong place.
@Suite struct StaleCases {
    @Test(arguments: [false, true])
    func `adamfootdev/BottomSheet 10: the content is built again, the hosting controller is not told`(
        isRepaired: Bool
    ) throws {
        let sheet = try Stage(.embed, keys: ["label"])
        try sheet.handle { simulation in
            _ = simulation.modelSet("label", "item-1")
            _ = simulation.buildRoot(1)
            if isRepaired { _ = simulation.assignBuilt(1) }
        }
        #expect(sheet.verdict("label") == (isRepaired ? "matching" : "stale"))
        #expect(sheet.codes(["label"]) == (isRepaired ? [] : ["update-never-arrived"]))
    }

    @Test(arguments: [false, true])
    func `AndreaMiotto/PartialSheet 125: the sheet shows the closure of its presentation`(isRepaired: Bool)
        throws
    {
        let stage = try Stage(
            .embed,
            isRepaired
                ? ["b.observed-inputs=value", "b1.observed-inputs=value"] : ["b.observed-inputs=value"],
            keys: ["value"], bridges: 2, screens: ["Page", "Sheet"])
        try stage.apply(.mount(1))
        try stage.set("value", "2")
        #expect(stage.verdict("value", on: "Page") == "matching")
        #expect(stage.verdict("value", on: "Sheet") == (isRepaired ? "matching" : "stale"))
        #expect(stage.codes(["value"], on: "Sheet") == (isRepaired ? [] : ["update-never-arrived"]))
    }

    @Test(arguments: [false, true])
    func `blsage/iPages 7: the container's update skips its only page`(isRepaired: Bool) throws {
        let stage = try Stage(.embed, keys: ["text"])
        stage.body.onEvent = { simulation, _, _ in
            _ = simulation.modelSet("text", "two")
            let pages = simulation.mounts(of: 0)
            if pages.count > 1 || isRepaired { for page in pages { _ = simulation.assignRoot(page) } }
            return .ok
        }
        try stage.apply(.send(0, arguments: [], mount: nil))
        #expect(stage.verdict("text") == (isRepaired ? "matching" : "stale"))
        #expect(stage.codes(["text"]) == (isRepaired ? [] : ["update-never-arrived"]))
    }

    @Test(arguments: [false, true])
    func `scenee/FloatingPanel 675: the content host is made and forgotten`(isRepaired: Bool) throws {
        let panel = try Stage(.wrap, keys: ["body"])
        panel.body.onUpdate = { simulation, _, inputs, _ in
            if isRepaired { _ = simulation.screenSet(0, "body", inputs.values[0]) }
            return .ok
        }
        let turn = try panel.set("body", "B")
        #expect(turn.codes.isEmpty && panel.verdict("body") == (isRepaired ? "matching" : "stale"))
        #expect(panel.codes(["body"]) == (isRepaired ? [] : ["empty-update"]))
    }

    @Test(arguments: [false, true])
    func `airbnb/HorizonCalendar 265: a recycled day keeps what its appear callback derived`(isRepaired: Bool)
        throws
    {
        let cell = try Stage(.embed, ["hooks=told"], keys: ["text"])
        cell.body.onHook = { simulation, hook, call in
            guard hook == .appear else { return .ok }
            _ = simulation.stateSet(call.mount, "derived", simulation.modelValue("text"))
            _ = simulation.screenSet(0, "other", simulation.modelValue("text"))
            return .ok
        }
        try cell.apply(.identify(0, mount: nil, id: "day"))
        // Appears again under its identity, so that the state is there.
        try cell.apply(.identify(0, mount: nil, id: "day 3"))
        try cell.apply(.rebind(0, mount: nil, owner: "3"))
        try cell.apply(.modelWrite([("text", "19"), ("other", "19")]))
        let turn = try cell.apply(.rebind(0, mount: nil, owner: "19"))
        try cell.apply(.assign(0, mount: nil))
        if isRepaired { try cell.apply(.identify(0, mount: nil, id: "day 19")) }
        #expect(turn.codes == ["identity-carried-state"] && cell.verdict("text") == "matching")
        #expect(cell.verdict("other") == (isRepaired ? "matching" : "stale"))
    }

    @Test(arguments: [false, true])
    func `a diff by identity finds no change and configures no cell`(isRepaired: Bool) throws {
        let list = try Stage(
            .wrap, ["updates=manual", "change-test=\(isRepaired ? "value" : "identity")"], keys: ["border"],
            isMounted: false)
        try list.apply(.items(0, [Item(id: "2", value: "plain")]))
        try list.handle { simulation in
            _ = simulation.modelSet("border", "selected")
            _ = simulation.setItems(0, [Item(id: "2", value: "selected")])
        }
        #expect(list.verdict("border") == (isRepaired ? "matching" : "stale"))
        #expect(list.codes(["border"]) == (isRepaired ? [] : ["update-never-arrived"]))
        // Scrolled away and back, the cell is bound again.
        try list.apply(.items(0, []))
        try list.apply(.items(0, [Item(id: "2", value: "selected")]))
        #expect(list.verdict("border") == "matching")
    }

    @Test(arguments: [false, true])
    func `the bar copied the child's item when the child had none`(isRepaired: Bool) throws {
        let stage = try Stage(.embed, [isRepaired ? "upward=carried" : "upward=cut"], keys: ["unread"])
        stage.body.onDraw = { simulation, call, inputs in
            let item = inputs.values[0] == "1" ? nil : "mark-read"
            _ = simulation.screenSet(0, "title", item)
            _ = simulation.lift(call.mount, screen: 1, key: "title", value: item)
            return .ok
        }
        try stage.apply(.modelWrite([("unread", "2"), ("title", "mark-read")]))
        try stage.apply(.assign(0, mount: nil))
        #expect(stage.verdict("title") == "matching")
        #expect(stage.verdict("title", on: "Above") == (isRepaired ? "matching" : "missing"))
    }

    @Test(arguments: [false, true])
    func `one half of the application applies at once, the other at the next start`(isRepaired: Bool) throws {
        let stage = try Stage(
            .wrap, isRepaired ? [] : ["b1.updates=restart"], keys: ["direction"], bridges: 2,
            screens: ["SwiftUI", "UIKit"])
        try stage.apply(.mount(1))
        try stage.set("direction", "off")
        #expect(stage.verdict("direction", on: "SwiftUI") == "matching")
        #expect(stage.verdict("direction", on: "UIKit") == (isRepaired ? "matching" : "stale"))
        #expect(stage.codes(["direction"], on: "UIKit") == (isRepaired ? [] : ["split-application"]))
    }

    @Test(arguments: [false, true])
    func `an editor whose update writes nothing, then loses what came from outside`(isRepaired: Bool) throws {
        let editor = try Stage(.wrap, keys: ["text"])
        editor.body.onUpdate = { simulation, _, inputs, _ in
            if isRepaired { _ = simulation.screenSet(0, "text", inputs.values[0]) }
            return .ok
        }
        editor.body.onNative = { simulation, call, _, arguments in
            _ = simulation.nativeChange(call.mount, "text", arguments[0])
            _ = simulation.bind(call.mount, generation: 2, key: "text", value: arguments[0])
            return .ok
        }
        try editor.set("text", "B")
        #expect(editor.verdict("text") == (isRepaired ? "matching" : "stale"))
        #expect(editor.codes(["text"]) == (isRepaired ? [] : ["empty-update"]))
        try editor.apply(.send(1, arguments: [isRepaired ? "B1" : "11"], mount: nil))
        #expect(editor.simulation.modelValue("text") == (isRepaired ? "B1" : "11"))
    }

    @Test(arguments: [false, true])
    func `an update that carries some fields and not the one that matters`(isRepaired: Bool) throws {
        let editor = try Stage(.wrap, keys: ["code", "cursor"])
        editor.body.onUpdate = { simulation, _, inputs, _ in
            if isRepaired { _ = simulation.screenSet(0, "code", inputs.values[0]) }
            if inputs.values[1] != simulation.shown("cursor") {
                _ = simulation.screenSet(0, "cursor", inputs.values[1])
            }
            return .ok
        }
        try editor.apply(.modelWrite([("code", "ab"), ("cursor", "2")]))
        #expect(editor.verdict("cursor") == "matching")
        #expect(editor.verdict("code") == (isRepaired ? "matching" : "stale"))
        #expect(editor.codes(["code"]) == (isRepaired ? [] : ["empty-update"]))
    }

    @Test(arguments: ["listEmpty", "html", "surface"])
    func `an input that make alone applies is written once`(key: String) throws {
        let once = try Stage(.wrap, ["once-inputs=\(key)"], keys: [key])
        once.body.onUpdate = { _, _, _, _ in .ok }
        try once.set(key, "2")
        #expect(once.verdict(key) == "stale" && once.codes([key]) == ["write-once-input"])
        // The repair by an id: made again, and said why.
        let turn = try once.handle { simulation in _ = simulation.identify(1, as: "2") }
        #expect(turn.codes.isEmpty)
        let again = try once.set(key, "3")
        #expect(again.codes.isEmpty)
        let remade = try once.apply(.identify(0, mount: nil, id: "3"))
        #expect(remade.trace.contains("make identity") && once.verdict(key) == "matching")
    }

    @Test(arguments: [false, true])
    func `a reference inside the state: old and new compare equal`(isRepaired: Bool) throws {
        let screen = try Stage(
            .wrap, [isRepaired ? "change-test=publish" : "change-test=identity"], keys: ["mode"])
        try screen.set("mode", "video")
        #expect(screen.verdict("mode") == (isRepaired ? "matching" : "stale"))
        #expect(screen.codes(["mode"]) == (isRepaired ? [] : ["update-never-arrived"]))
    }

    @Test(arguments: [false, true])
    func `the style goes to a map that the struct owns, not to the one on screen`(isRepaired: Bool) throws {
        let map = try Stage(.wrap, keys: ["style"])
        map.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(on: isRepaired ? call.view : 77, 0, "style", inputs.values[0])
            return .ok
        }
        let turn = try map.set("style", "dark")
        #expect(turn.codes == (isRepaired ? [] : ["wrong-instance"]))
        #expect(map.verdict("style") == (isRepaired ? "matching" : "stale"))
        // It was written, if not where it is seen: no call is missing, and none came in vain.
        #expect(map.codes(["style"]).isEmpty)
        // A later change that nobody writes anywhere is a missing one again.
        map.body.onUpdate = { _, _, _, _ in .ok }
        try map.set("style", "light")
        #expect(map.codes(["style"]) == ["empty-update"])
    }

    @Test(arguments: [false, true])
    func `the element is subscribed to the context of the first render`(isRepaired: Bool) throws {
        let element = try Stage(.wrap, ["change-test=identity"], keys: ["destination"])
        var second: UInt64 = 0
        try element.handle { simulation in
            var first: UInt64 = 0
            var held: UInt64 = 0
            var subscription: UInt64 = 0
            _ = simulation.objectMake(&first)
            _ = simulation.objectHold(1, "context", first, isOwned: false, &held)
            _ = simulation.subscribe(1, first, &subscription)
            _ = simulation.objectMake(&second)
            _ = simulation.objectHold(1, "context", second, isOwned: false, &held)
            if isRepaired { _ = simulation.unsubscribe(subscription) }
        }
        let turn = try element.handle { simulation in
            _ = simulation.modelSet("destination", "detail")
            _ = simulation.objectPublish(isRepaired ? second : 1)
        }
        #expect(turn.codes == (isRepaired ? [] : ["dangling-subscription"]))
        #expect(element.verdict("destination") == (isRepaired ? "matching" : "stale"))
        #expect(element.codes(["destination"]) == (isRepaired ? [] : ["update-never-arrived"]))
    }
}

/// Right calls, wrong moment.
@Suite struct OrderingCases {
    @Test(arguments: [Interim.After.event, .frame])
    func `airbnb/epoxy-ios 77: a height asked for in the same step is that of the content before`(
        after: Interim.After
    ) throws {
        let cell = try Stage(.embed, ["draw=layout"], keys: ["height"])
        try cell.set("height", "20")
        let turn = try cell.simulation.apply(
            .assign(0, mount: nil), interim: Interim(after: after, fields: [0]))
        let isEarly = after == .event
        #expect(turn.interim?.fields.map(\.verdict) == [isEarly ? .stale : .matching])
        #expect(turn.interim?.diagnostics.map(\.code) == (isEarly ? ["unsettled-read"] : []))
        #expect(cell.verdict("height") == "matching")
    }

    @Test func `an asynchronous bridge shows the native value first`() throws {
        let field = try Stage(.wrap, ["inward=next-turn"], keys: ["text"])
        field.body.onNative = { simulation, call, _, arguments in
            _ = simulation.nativeChange(call.mount, "text", arguments[0])
            _ = simulation.modelSet("text", "A")
            return .ok
        }
        let first = try field.apply(.send(1, arguments: ["A1"], mount: nil))
        #expect(field.verdict("text") == "stale" && first.codes == ["transient-divergence"])
        let second = try field.apply(.settle)
        #expect(field.verdict("text") == "matching" && second.codes.isEmpty)
    }

    @Test(arguments: [Interim.After.event, .frame])
    func `PocketShell 2402: the platform is idle, the frame clock has not moved`(after: Interim.After) throws
    {
        let screen = try Stage(.embed, ["draw=frame"], keys: ["banner"], observed: true)
        let turn = try screen.simulation.apply(
            .modelWrite([("banner", nil)]), interim: Interim(after: after, fields: [0]))
        let isEarly = after == .event
        #expect(turn.interim?.fields.map(\.verdict) == [isEarly ? .leftover : .outOfScope])
        #expect(turn.interim?.diagnostics.map(\.code) == (isEarly ? ["unsettled-read"] : []))
    }

    @Test(arguments: [false, true])
    func `a control that is registered gets none first and its value after`(isRepaired: Bool) throws {
        let control = try Stage(.wrap, keys: ["value"], isMounted: false)
        control.body.onMake = { simulation, _, inputs in
            if !isRepaired { _ = simulation.screenSet(0, "value", nil) }
            _ = simulation.screenSet(0, "value", inputs.values[0])
            return .ok
        }
        let turn = try control.simulation.apply(.mount(0), interim: Interim(after: .event, fields: [0]))
        #expect(turn.interim?.fields.map(\.verdict) == [.missing] && control.verdict("value") == "matching")
    }
}

@Suite struct LoopCases {
    @Test(arguments: [false, true])
    func `a pager writes its page on every refresh, and the object publishes every write`(isRepaired: Bool)
        throws
    {
        let pager = try Stage(.wrap, ["change-test=\(isRepaired ? "value" : "publish")"], keys: ["page"])
        pager.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.writeLater(
                call.mount, "page", captured: inputs.values[0], isReread: false, delay: 0)
            return .ok
        }
        let turn = try pager.set("page", "2")
        #expect(turn.codes == (isRepaired ? [] : ["feedback-loop"]))
        if !isRepaired { #expect(turn.diagnostics[0].text.contains("b.update -> model.page -> b.update")) }
        #expect(pager.simulation.status == .running)
    }

    @Test(arguments: [false, true])
    func `a container that evaluates its child at each layout never settles`(isRepaired: Bool) throws {
        let stage = try Stage(.wrap, keys: ["a"])
        stage.body.onTick = { simulation, _ in
            _ = simulation.invalidate(1, cause: UInt32(Cause.container.rawValue))
            return .ok
        }
        stage.body.onUpdate = { simulation, _, _, _ in
            if !isRepaired { _ = simulation.nextTurn(4) }
            return .ok
        }
        let turn = try stage.apply(.update(0, mount: nil, cause: .container))
        #expect(turn.codes == (isRepaired ? [] : ["feedback-loop"]))
        #expect(turn.calls.filter { $0.kind == .update }.allSatisfy { $0.cause == .container })
    }

    @Test(arguments: [false, true])
    func `a height is measured in the update and written into the state that the layout reads`(
        isRepaired: Bool
    ) throws {
        let composer = try Stage(.wrap, ["round-limit=30"], keys: ["height"])
        var measured = 40
        composer.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(0, "height", inputs.values[0])
            measured += 1
            if isRepaired {
                // Deferred, and only when it differs: the last value wins.
                if inputs.values[0] == "long" {
                    _ = simulation.writeLater(call.mount, "height", captured: "41", isReread: false, delay: 0)
                }
            } else {
                _ = simulation.modelSet("height", "\(measured)")
            }
            return .ok
        }
        let turn = try composer.set("height", "long")
        #expect(turn.codes == (isRepaired ? [] : ["state-write-during-update", "feedback-loop"]))
        #expect(composer.verdict("height") == (isRepaired ? "matching" : "stale"))
    }
}

@Suite struct RecreationCases {
    @Test(arguments: [false, true])
    func `each struct value allocates a map, update writes into the newest`(isRepaired: Bool) throws {
        let map = try Stage(.wrap, keys: ["annotations"])
        map.body.onUpdate = { simulation, call, inputs, view in
            let target = isRepaired ? call.view : call.view + 50
            _ = simulation.screenSet(on: target, 0, "annotations", inputs.values[0])
            view = target
            return .ok
        }
        let turn = try map.set("annotations", "2")
        #expect(turn.codes == (isRepaired ? [] : ["wrong-instance", "recreated-control"]))
        #expect(map.verdict("annotations") == (isRepaired ? "matching" : "stale"))
    }

    @Test(arguments: [false, true])
    func `a label constructed in the body is adopted once and set for ever elsewhere`(isRepaired: Bool) throws
    {
        let label = try Stage(.wrap, keys: ["text"])
        label.body.onTick = { simulation, _ in
            _ = simulation.modelSet("text", "n=1")
            return .ok
        }
        label.body.onUpdate = { simulation, call, inputs, _ in
            _ = simulation.screenSet(on: isRepaired ? call.view : 99, 0, "text", inputs.values[0])
            return .ok
        }
        try label.handle { simulation in
            var timer: UInt64 = 0
            _ = simulation.atTime(1_000_000, 1, &timer)
        }
        var codes: [String] = []
        try label.simulation.advance(to: 1_000_000) { codes += $0.codes }
        #expect(codes == (isRepaired ? [] : ["wrong-instance"]))
        #expect(label.verdict("text") == (isRepaired ? "matching" : "stale"))
    }

    @Test(arguments: [false, true])
    func `a key per render is an editor per render`(isRepaired: Bool) throws {
        let editor = try Stage(.wrap, keys: ["html"])
        try editor.apply(.identify(0, mount: nil, id: "k1"))
        var codes: [String] = []
        for render in 2...4 {
            codes += try editor.set("html", "v\(render)").codes
            codes += try editor.apply(.identify(0, mount: nil, id: isRepaired ? "k1" : "k\(render)")).codes
        }
        #expect(codes == (isRepaired ? [] : Array(repeating: "recreated-control", count: 3)))
        #expect(editor.verdict("html") == "matching" && editor.simulation.liveCounts.controls == 1)
    }
}

@Suite struct MissingCases {
    @Test(arguments: [false, true])
    func `gh123man/SwiftUI-LazyPager 14: the page below a UIKit container finds no theme`(isRepaired: Bool)
        throws
    {
        let page = try Stage(.wrap, ["environment=own"], keys: ["a"], isMounted: false)
        page.body.onUpdate = { simulation, call, _, _ in
            var theme: String?
            _ = simulation.environmentGet(call.mount, "other", &theme)
            _ = simulation.screenSet(0, "other", theme)
            return .ok
        }
        try page.apply(.environment([("other", "dark")], bridge: nil, mount: nil))
        let turn = try page.handle { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            if isRepaired { _ = simulation.environmentSet(mount, "other", "dark") }
        }
        #expect(turn.codes == (isRepaired ? [] : ["environment-not-propagated"]))
        #expect(page.verdict("other") == (isRepaired ? "matching" : "missing"))
    }

    @Test(arguments: [false, true])
    func `the sheet is built from the snapshot before the writes of the same handler`(isRepaired: Bool) throws
    {
        let sheet = try Stage(.embed, keys: ["head", "body"], isMounted: false)
        try sheet.apply(.modelWrite([("head", nil), ("body", nil)]))
        try sheet.apply(.mount(0))
        try sheet.handle { simulation in
            if !isRepaired { _ = simulation.buildRoot(1) }
            _ = simulation.modelSet("head", "T")
            _ = simulation.modelSet("body", "B")
            if isRepaired { _ = simulation.assignRoot(1) } else { _ = simulation.assignBuilt(1) }
        }
        for key in ["head", "body"] { #expect(sheet.verdict(key) == (isRepaired ? "matching" : "missing")) }
    }

    @Test(arguments: [false, true])
    func `a value set before the element is defined meets nobody`(isRepaired: Bool) throws {
        let element = try Stage(.embed, keys: ["head"], isMounted: false)
        try element.apply(.modelWrite([("head", nil)]))
        try element.handle { simulation in
            var mount: MountID = 0
            if isRepaired {
                _ = simulation.modelSet("head", "T")
                _ = simulation.mount(0, &mount)
            } else {
                _ = simulation.mount(0, &mount)
                _ = simulation.modelSet("head", "T")
            }
        }
        #expect(element.verdict("head") == (isRepaired ? "matching" : "missing"))
        #expect(element.codes(["head"]) == (isRepaired ? [] : ["update-never-arrived"]))
    }
}

@Suite struct OverUpdateCases {
    @Test(arguments: [false, true])
    func `a cell state replaces the configuration, and so the content`(isRepaired: Bool) throws {
        let cell = try Stage(.wrap, keys: ["item"])
        cell.body.onUpdate = { simulation, call, inputs, view in
            if !isRepaired {
                view = call.view + 10
                _ = simulation.screenSet(0, "item", inputs.values[0])
            }
            return .ok
        }
        var codes: [String] = []
        for _ in 0..<2 { codes += try cell.apply(.update(0, mount: nil, cause: .focus)).codes }
        #expect(Set(codes) == (isRepaired ? [] : ["redundant-write", "recreated-control"]))
        #expect(cell.verdict("item") == "matching")
    }

    @Test(arguments: [false, true])
    func `an unrelated key loads the page again`(isRepaired: Bool) throws {
        let web = try Stage(.wrap, ["change-test=closure"], keys: ["url"])
        web.body.onUpdate = { simulation, call, inputs, _ in
            var differs = true
            if isRepaired { _ = simulation.differs(call.mount, "url", inputs.values[0], &differs) }
            if differs && !(isRepaired && simulation.shown("url") == inputs.values[0]) {
                _ = simulation.screenSet(0, "url", inputs.values[0])
                _ = simulation.screenSet(0, "title", nil)
            }
            return .ok
        }
        try web.handle { _ = $0.nativeChange(1, "title", "30 s") }
        let turn = try web.set("other", "x")
        #expect(turn.codes == (isRepaired ? [] : ["redundant-write"]) && web.verdict("url") == "matching")
        #expect(web.verdict("title") == (isRepaired ? "leftover" : "out-of-scope"))
    }

    @Test func `a container evaluates its child without a change: each update says so`() throws {
        let child = try Stage(.wrap, keys: ["a"])
        let causes = try (0..<3).map { _ in try child.apply(.update(0, mount: nil, cause: .container)).trace }
        #expect(
            causes == Array(repeating: ["update container"], count: 3) && child.verdict("a") == "matching")
    }
}

@Suite struct StaleParentCases {
    @Test(arguments: [false, true])
    func `nachonavarro/Pages 3: the coordinator looks the new page up in the old pages`(isRepaired: Bool)
        throws
    {
        let pager = try Stage(.wrap, keys: ["page"])
        var generation: UInt32 = 1
        pager.body.onUpdate = { simulation, _, inputs, _ in
            if isRepaired { generation = inputs.generation }
            _ = simulation.screenSet(0, "page", inputs.values[0])
            return .ok
        }
        pager.body.onNative = { simulation, call, _, _ in
            var pages: String?
            _ = simulation.ask(call.mount, generation: generation, "page", &pages)
            _ = simulation.screenSet(0, "other", pages == "d1" ? "d2" : nil)
            return .ok
        }
        try pager.apply(.modelWrite([("page", "d1"), ("other", "d2")]))
        let turn = try pager.apply(.send(1, arguments: ["swipe"], mount: nil))
        #expect(turn.codes == (isRepaired ? [] : ["stale-parent"]) && pager.verdict("page") == "matching")
        #expect(pager.verdict("other") == (isRepaired ? "matching" : "missing"))
    }

    @Test(arguments: [false, true])
    func `a table reloads in update and asks a coordinator that was not refreshed`(isRepaired: Bool) throws {
        let table = try Stage(.wrap, keys: ["rowCount"])
        var generation: UInt32 = 1
        table.body.onUpdate = { simulation, call, inputs, _ in
            if isRepaired { generation = inputs.generation }
            var rows: String?
            _ = simulation.ask(call.mount, generation: generation, "rowCount", &rows)
            if rows != simulation.shown("rowCount") { _ = simulation.screenSet(0, "rowCount", rows) }
            generation = inputs.generation
            return .ok
        }
        let turn = try table.set("rowCount", "4")
        #expect(turn.codes == (isRepaired ? [] : ["stale-parent"]))
        #expect(table.verdict("rowCount") == (isRepaired ? "matching" : "stale"))
    }

    @Test(arguments: [false, true])
    func `a coordinator writes through the binding of its first parent`(isRepaired: Bool) throws {
        let editor = try Stage(.wrap, keys: ["text"])
        var generation: UInt32 = 1
        editor.body.onUpdate = { simulation, _, inputs, _ in
            if isRepaired { generation = inputs.generation }
            _ = simulation.screenSet(0, "text", inputs.values[0])
            return .ok
        }
        editor.body.onNative = { simulation, call, _, arguments in
            _ = simulation.bind(call.mount, generation: generation, key: "text", value: arguments[0])
            return .ok
        }
        try editor.set("text", "outside")
        let turn = try editor.apply(.send(1, arguments: ["typed"], mount: nil))
        #expect(turn.codes == (isRepaired ? [] : ["stale-parent"]) && editor.verdict("text") == "matching")
    }
}

@Suite struct LeftoverCases {
    @Test(arguments: [false, true])
    func `mrousavy/nitro-image 168: the next owner of a pooled view inherits its resize mode`(
        isRepaired: Bool
    ) throws {
        let image = try Stage(.wrap, ["host-detach=pool", "hooks=told"], keys: ["image"], isMounted: false)
        var owner = 0
        image.body.onMake = { _, _, _ in .ok }
        image.body.onUpdate = { simulation, _, inputs, _ in
            owner += 1
            _ = simulation.screenSet(0, "image", inputs.values[0])
            if owner == 1 { _ = simulation.screenSet(0, "other", "stretch") }
            return .ok
        }
        image.body.onHook = { simulation, hook, _ in
            guard hook == .reset else { return .ok }
            _ = simulation.screenSet(0, "image", nil)
            if isRepaired { _ = simulation.screenSet(0, "other", nil) }
            return .ok
        }
        try image.apply(.items(0, [Item(id: "1")]))
        try image.apply(.items(0, []))
        try image.set("image", "I2")
        let turn = try image.apply(.items(0, [Item(id: "2")]))
        #expect(turn.codes == (isRepaired ? [] : ["reuse-leak"]) && image.verdict("image") == "matching")
        #expect(image.verdict("other") == (isRepaired ? "out-of-scope" : "leftover"))
    }

    @Test(arguments: [false, true])
    func `a composition that outlives its row hands its memory to the next`(isRepaired: Bool) throws {
        let row = try Stage(.embed, keys: ["name"])
        try row.apply(.identify(0, mount: nil, id: "C1"))
        try row.apply(.rebind(0, mount: nil, owner: "C1"))
        row.body.onDraw = { simulation, call, inputs in
            var expanded: String?
            _ = simulation.stateGet(call.mount, "expanded", &expanded)
            _ = simulation.screenSet(0, "name", inputs.values[0])
            _ = simulation.screenSet(0, "other", expanded)
            return .ok
        }
        try row.handle { _ = $0.stateSet(1, "expanded", "true") }
        try row.set("name", "C2")
        if isRepaired { try row.apply(.identify(0, mount: nil, id: "C2")) }
        let turn = try row.apply(.rebind(0, mount: nil, owner: "C2"))
        try row.apply(.assign(0, mount: nil))
        #expect(
            turn.codes == (isRepaired ? [] : ["identity-carried-state"]) && row.verdict("name") == "matching")
        #expect(row.verdict("other") == (isRepaired ? "out-of-scope" : "leftover"))
    }

    @Test(arguments: [false, true])
    func `a recycled row shows the page of its former item until the load is done`(isRepaired: Bool) throws {
        let row = try Stage(
            .wrap, ["host-detach=pool", "hooks=told", "updates=manual"], keys: ["page"], isMounted: false)
        row.body.onMake = { simulation, _, inputs in
            _ = simulation.screenSet(0, "page", inputs.values[0])
            return .ok
        }
        row.body.onUpdate = { simulation, _, _, _ in
            var timer: UInt64 = 0
            _ = simulation.atTime(simulation.now() + 1_000_000, 8, &timer)
            return .ok
        }
        row.body.onTick = { simulation, _ in
            _ = simulation.screenSet(0, "page", simulation.modelValue("page"))
            return .ok
        }
        row.body.onHook = { simulation, hook, _ in
            if hook == .reset, isRepaired { _ = simulation.screenSet(0, "page", nil) }
            return .ok
        }
        try row.apply(.items(0, [Item(id: "1")]))
        try row.apply(.items(0, []))
        try row.set("page", "P9")
        let turn = try row.apply(.items(0, [Item(id: "9")]))
        #expect(turn.codes == (isRepaired ? [] : ["reuse-leak"]))
        #expect(row.verdict("page") == (isRepaired ? "missing" : "stale"))
        try row.simulation.advance(to: 1_000_000) { _ in }
        #expect(row.verdict("page") == "matching")
    }
}

@Suite struct AfterDismantleCases {
    @Test(arguments: [false, true])
    func `KSPlayer 354: dismantle drops the player before disappear can pause it`(isRepaired: Bool) throws {
        let player = try Stage(
            .wrap,
            [
                "hooks=told", "unmounted=keep",
                "teardown-order=\(isRepaired ? "disappear" : "dismantle")-first",
            ],
            keys: ["a"])
        var resource: UInt64 = 0
        player.body.onHook = { simulation, hook, call in
            // Whoever has lost the coordinator has nothing to pause.
            if hook == .disappear, call.coordinator != 0 { _ = simulation.disown(resource) }
            return .ok
        }
        try player.handle { _ = $0.own(1, "player", &resource) }
        #expect(try player.apply(.unmount(0, mount: nil)).codes == (isRepaired ? [] : ["leaked-resource"]))
    }

    @Test(arguments: [false, true])
    func `a rotation makes the view anew, and the observers of the old ones stay`(isRepaired: Bool) throws {
        let editor = try Stage(.wrap, keys: ["state"], isMounted: false)
        var tokens: [MountID: UInt64] = [:]
        editor.body.onMake = { simulation, call, inputs in
            var token: UInt64 = 0
            _ = simulation.own(call.mount, "observer", &token)
            tokens[call.mount] = token
            _ = simulation.screenSet(0, "state", inputs.values[0])
            return .ok
        }
        editor.body.onDismantle = { simulation, call in
            if isRepaired, let token = tokens.removeValue(forKey: call.mount) { _ = simulation.disown(token) }
        }
        var codes: [String] = []
        for rotation in 1...3 {
            codes += try editor.apply(.mount(0)).codes
            if rotation < 3 { codes += try editor.apply(.unmount(0, mount: nil)).codes }
        }
        #expect(codes == (isRepaired ? [] : ["leaked-observer", "leaked-observer"]))
        let late = try editor.handle { simulation in
            for mount in tokens.keys.sorted() { _ = simulation.nextTurn(tokens[mount] ?? 0) }
        }
        #expect(late.codes == (isRepaired ? [] : ["callback-after-dismantle", "callback-after-dismantle"]))
        #expect(tokens.count == (isRepaired ? 1 : 3) && editor.verdict("state") == "matching")
    }

    @Test(arguments: [false, true])
    func `a coordinator is held by its own data source`(isRepaired: Bool) throws {
        let stage = try Stage(.wrap, isMounted: false)
        var token: UInt64 = 0
        stage.body.onMake = { simulation, call, _ in
            _ = simulation.own(call.mount, "coordinator", &token)
            return .ok
        }
        stage.body.onDismantle = { simulation, _ in if isRepaired { _ = simulation.disown(token) } }
        var codes: [String] = []
        for _ in 0..<2 {
            codes += try stage.apply(.mount(0)).codes
            codes += try stage.apply(.unmount(0, mount: nil)).codes
        }
        #expect(codes == (isRepaired ? [] : ["leaked-coordinator", "leaked-coordinator"]))
        #expect(stage.simulation.liveCounts.registrations == (isRepaired ? 0 : 2))
    }

    @Test(arguments: [false, true])
    func `an effect keeps the handle of the instance before`(isRepaired: Bool) throws {
        let slider = try Stage(.wrap, keys: ["index"])
        try slider.apply(.unmount(0, mount: nil))
        try slider.apply(.mount(0))
        slider.body.onUpdate = { _, _, _, _ in .ok }
        let turn = try slider.handle { simulation in
            _ = simulation.bind(isRepaired ? 2 : 1, generation: 1, key: "index", value: "5")
        }
        #expect(turn.codes == (isRepaired ? [] : ["callback-after-dismantle"]))
    }
}

/// Something that the user did is gone; model and screen mostly agree.
@Suite struct LostEditCases {
    @Test(arguments: [false, true])
    func `matteopuc/swiftui-navigation-stack 3: what was typed goes with the screen that owned it`(
        isRepaired: Bool
    )
        throws
    {
        let screen = try Stage(.wrap, keys: ["text"])
        try screen.set("text", nil)
        screen.body.onNative = { simulation, call, _, arguments in
            _ = simulation.nativeChange(call.mount, "text", arguments[0])
            // The text is the view's own, or the model's.
            if isRepaired {
                _ = simulation.bind(call.mount, generation: 1, key: "text", value: arguments[0])
            } else {
                _ = simulation.setDraft(call.mount, "text", arguments[0])
            }
            return .ok
        }
        try screen.apply(.send(1, arguments: ["hello"], mount: nil))
        let away = try screen.apply(.unmount(0, mount: nil))
        try screen.apply(.mount(0))
        #expect(away.codes == (isRepaired ? [] : ["lost-edit"]))
        #expect(screen.verdict("text") == (isRepaired ? "matching" : "out-of-scope"))
    }

    @Test(arguments: [false, true])
    func `meshtastic/Meshtastic-Apple 2003: each new position pulls the map back under the finger`(
        isRepaired: Bool
    )
        throws
    {
        let map = try Stage(.wrap, ["change-test=closure"], keys: ["region"])
        map.body.onUpdate = { simulation, _, inputs, _ in
            // The repair applies a command of the model once; the region itself only ever goes out.
            if !isRepaired, simulation.shown("region") != inputs.values[0] {
                _ = simulation.screenSet(0, "region", inputs.values[0])
            }
            return .ok
        }
        var codes: [String] = []
        for step in ["R1", "R2"] {
            codes += try map.handle { simulation in
                _ = simulation.nativeChange(1, "region", step)
                _ = simulation.setDraft(1, "region", step)
            }.codes
            // Another node reports its position.
            codes += try map.set("other", "node \(step)").codes
        }
        codes += try map.handle { simulation in
            _ = simulation.setDraft(1, "region", nil)
            _ = simulation.bind(1, generation: 2, key: "region", value: simulation.shown("region"))
        }.codes.filter { $0 != "stale-parent" }
        #expect(codes == (isRepaired ? [] : ["lost-edit", "lost-edit"]))
        #expect(map.verdict("region") == "matching")
        #expect(map.simulation.shown("region") == (isRepaired ? "R2" : "1"))
    }

    @Test(arguments: [false, true])
    func `tangem/tangem-app-ios-old 2102: update acts on the focus before the tap and undoes it`(
        isRepaired: Bool
    )
        throws
    {
        let field = try Stage(.wrap, ["change-test=closure"], keys: ["focused"])
        try field.set("focused", "false")
        field.body.onUpdate = { simulation, call, inputs, _ in
            var waiting = 0
            _ = simulation.inFlight(call.mount, "focused", &waiting)
            // The repair looks whether the model is still to hear of it.
            if isRepaired && waiting > 0 { return .ok }
            if simulation.shown("focused") != inputs.values[0] {
                _ = simulation.screenSet(0, "focused", inputs.values[0])
            }
            return .ok
        }
        try field.handle { simulation in
            _ = simulation.nativeChange(1, "focused", "true")
            _ = simulation.setDraft(1, "focused", "true")
            _ = simulation.writeLater(1, "focused", captured: "true", isReread: false, delay: 1_000_000)
        }
        var codes = try field.set("other", "x").codes
        field.body.onUpdate = { _, _, _, _ in .ok }
        try field.simulation.advance(to: 1_000_000) { codes += $0.codes }
        #expect(codes == (isRepaired ? [] : ["lost-edit"]))
        #expect(field.verdict("focused") == (isRepaired ? "matching" : "stale"))
    }
}

@Suite struct OtherCases {
    @Test(arguments: [false, true])
    func `a root view replaced in place drops the modifier that carried the direction`(isRepaired: Bool)
        throws
    {
        let host = try Stage(.wrap, ["environment=own"], keys: ["a"], isMounted: false)
        host.body.onUpdate = { simulation, call, _, _ in
            var direction: String?
            _ = simulation.environmentGet(call.mount, "other", &direction)
            // Direction always has a default: the verdict is stale, not missing.
            let shown = direction ?? "ltr"
            if simulation.shown("other") != shown { _ = simulation.screenSet(0, "other", shown) }
            return .ok
        }
        try host.apply(.environment([("other", "rtl")], bridge: nil, mount: nil))
        try host.handle { simulation in
            var mount: MountID = 0
            _ = simulation.mount(0, &mount)
            _ = simulation.environmentSet(mount, "other", "rtl")
        }
        #expect(host.verdict("other") == "matching")
        let turn = try host.handle { simulation in
            _ = simulation.environmentSet(1, "other", isRepaired ? "rtl" : nil)
            _ = simulation.invalidate(1, cause: UInt32(Cause.input.rawValue))
        }
        #expect(turn.codes == (isRepaired ? [] : ["environment-not-propagated"]))
        #expect(host.verdict("other") == (isRepaired ? "matching" : "stale"))
    }

    @Test(arguments: [false, true])
    func `tinycast 722: a cell is bound to the next key over an edit that nobody committed`(isRepaired: Bool)
        throws
    {
        let cell = try Stage(.wrap, ["draft=\(isRepaired ? "commit" : "drop")"], keys: ["alias"])
        try cell.apply(.rebind(0, mount: nil, owner: "A"))
        try cell.handle { _ = $0.setDraft(1, "alias", "xy") }
        let turn = try cell.apply(.rebind(0, mount: nil, owner: "B"))
        #expect(turn.codes == (isRepaired ? [] : ["lost-edit"]) && cell.verdict("alias") == "matching")
        #expect(cell.simulation.modelValue("alias") == (isRepaired ? "xy" : "1"))
    }

    @Test func `a size that was asked for before the content changed`() throws {
        let host = try Stage(.embed)
        try host.handle { _ = $0.measured(1) }
        #expect(host.codes(["a"]).isEmpty)
        try host.set("a", "a much longer text")
        try host.apply(.assign(0, mount: nil))
        #expect(host.codes(["a"]) == ["size-not-remeasured"])
        try host.handle { _ = $0.measured(1) }
        #expect(host.codes(["a"]).isEmpty)
    }
}
