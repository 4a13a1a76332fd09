// What can be simulated, as a client reads it.

import SeamKernel
import SeamPluginHost
import SeamWire

extension Daemon {
    func listScenarios(_ page: Page, _ ticket: Ticket) {
        let entries = catalogue.entries
        let failures = catalogue.failures
        ticket.answer { out in
            // Half of the reply is for the scenarios, the rest for the files that failed.
            let middle = (out.count + ticket.pageEnd(out)) / 2
            let end = ticket.pageEnd(out)
            out.object { out in
                let next = out.page(
                    "scenarios", from: page.from, total: entries.count, limit: page.limit, end: middle
                ) {
                    out, index in
                    let scenario = entries[index].scenario
                    out.object {
                        $0.member("id", scenario.id)
                        $0.member("title", scenario.title)
                        $0.member("summary", scenario.summary)
                        $0.member("plugin", orNull: entries[index].plugin?.id)
                    }
                }
                _ = out.page("failed", from: 0, total: failures.count, end: end) { out, index in
                    out.object {
                        $0.member("file", failures[index].file)
                        $0.member("reason", failures[index].reason)
                    }
                }
                if let next { out.member("next", next) }
            }
        }
    }

    func describe(_ id: String, _ ticket: Ticket) throws(WireError) {
        guard let entry = catalogue.entry(id) else {
            throw .unknownScenario(id, among: catalogue.entries.map(\.scenario.id))
        }
        ticket.answer { $0.scenario(entry) }
    }
}

extension ByteBuffer {
    fileprivate mutating func scenario(_ entry: CatalogueEntry) {
        let scenario = entry.scenario
        object { out in
            out.member("id", scenario.id)
            out.member("title", scenario.title)
            out.member("summary", scenario.summary)
            out.member("revision", UInt64(scenario.revision))
            out.plugin(entry.plugin)
            out.parameters("params", scenario.parameters)
            out.array("screens") { for screen in scenario.screens { $0.screen(screen) } }
            out.array("bridges") { for bridge in scenario.bridges { $0.bridge(bridge, of: scenario) } }
            out.array("events") { for event in scenario.events { $0.event(event, of: scenario) } }
            out.array("script") { for step in scenario.script { $0.step(step, of: scenario) } }
            out.array("checks") { out in
                for check in scenario.checks {
                    out.object {
                        $0.member("label", check.label)
                        $0.member("screen", scenario.screens[check.screen].id)
                        $0.member("fields", check.keys)
                        if let expected = check.expected {
                            $0.member("expected", expected.map { "\($0.word)" })
                        } else {
                            $0.key("expected")
                            $0.null()
                        }
                    }
                }
            }
            out.member("policies", scenario.policies)
        }
    }

    private mutating func plugin(_ plugin: PluginInfo?) {
        key("plugin")
        guard let plugin else { return null() }
        object {
            $0.member("id", plugin.id)
            $0.member("name", plugin.name)
            $0.member("version", plugin.version)
            $0.member("vendor", plugin.vendor)
            $0.member("license", plugin.license)
            $0.member("url", plugin.url)
            $0.member("file", plugin.file)
        }
    }

    private mutating func parameters(_ name: StaticString, _ parameters: [Scenario.Parameter]) {
        array(name) { out in
            for parameter in parameters {
                out.object {
                    $0.member("id", parameter.id)
                    $0.member("title", parameter.title)
                    $0.member("kind", parameter.kind)
                    $0.member("initial", orNull: parameter.initial)
                    $0.bound("minimum", parameter.minimum)
                    $0.bound("maximum", parameter.maximum)
                    if let choices = parameter.choices {
                        $0.member("choices", choices)
                    } else {
                        $0.key("choices")
                        $0.null()
                    }
                }
            }
        }
    }

    /// A bound as the number that it is.
    private mutating func bound(_ name: StaticString, _ text: String?) {
        if let number = text.flatMap({ Int($0) }) {
            member(name, number)
        } else {
            member(name, orNull: text)
        }
    }

    private mutating func screen(_ screen: Scenario.Screen) {
        object { out in
            out.member("id", screen.id)
            out.member("title", screen.title)
            out.member("side", screen.side == .imperative ? "imperative" : "declarative" as StaticString)
            out.array("fields") { out in
                for field in screen.fields {
                    out.object {
                        $0.member("key", field.key)
                        $0.member("title", field.title)
                        $0.member("kind", field.kind)
                    }
                }
            }
        }
    }

    private mutating func bridge(_ bridge: Scenario.Bridge, of scenario: Scenario) {
        let kind: StaticString =
            switch bridge.kind {
            case .embed: "embed"
            case .wrap: "wrap"
            case .custom: "custom"
            }
        object {
            $0.member("id", bridge.id)
            $0.member("title", bridge.title)
            $0.member("kind", kind)
            $0.member("screen", scenario.screens[bridge.screen].id)
            $0.member("inputs", bridge.inputs)
            $0.member("observed", bridge.isObserved)
            $0.member("echo", bridge.echoes)
            $0.member("policies", bridge.policies)
        }
    }

    private mutating func event(_ event: Scenario.Event, of scenario: Scenario) {
        let origin: StaticString =
            switch event.origin {
            case .model: "model"
            case .native: "native"
            case .lifecycle: "lifecycle"
            }
        object {
            $0.member("id", event.id)
            $0.member("title", event.title)
            $0.member("origin", origin)
            $0.member("bridge", orNull: event.bridge.map { scenario.bridges[$0].id })
            $0.parameters("args", event.arguments)
        }
    }

    /// One step of a script.
    mutating func step(_ step: Scenario.Step, of scenario: Scenario) {
        object { out in
            switch step {
            case .modelSet(let key, let value):
                out.member("step", "model_set" as StaticString)
                out.member("key", key)
                out.member("value", value)
            case .modelClear(let key):
                out.member("step", "model_clear" as StaticString)
                out.member("key", key)
            case .event(let index, let arguments, let mount):
                let event = scenario.events[index]
                out.member("step", "event" as StaticString)
                out.member("event", event.id)
                out.object("args") { out in
                    for (argument, value) in zip(event.arguments, arguments) {
                        guard let value else { continue }
                        out.key(argument.id)
                        out.value(value)
                    }
                }
                if let mount { out.member("mount", mount) }
            case .assign(let bridge, let mount): out.bridgeStep("assign", bridge, mount, of: scenario)
            case .update(let bridge, let mount, let cause):
                out.bridgeStep("update", bridge, mount, of: scenario)
                if cause != .repeat { out.member("cause", cause.word) }
            case .unmount(let bridge, let mount): out.bridgeStep("unmount", bridge, mount, of: scenario)
            case .mount(let bridge, let label):
                out.member("step", "mount" as StaticString)
                out.member("bridge", scenario.bridges[bridge].id)
                if let label { out.member("label", label) }
            case .advance(let nanoseconds):
                out.member("step", "advance" as StaticString)
                out.member("ms", milliseconds(nanoseconds))
            case .check(let label):
                out.member("step", "check" as StaticString)
                out.member("label", label)
            case .activity(let bridge, let mount, let change):
                out.bridgeStep("activity", bridge, mount, of: scenario)
                if let window = change.window { out.member("window", window) }
                if let scene = change.scene { out.member("scene", scene.rawValue) }
                if let hidden = change.hidden { out.member("hidden", hidden) }
                if let size = change.size { out.member("size", size) }
                if let parked = change.parked { out.member("parked", parked) }
            case .identify(let bridge, let mount, let id):
                out.bridgeStep("identify", bridge, mount, of: scenario)
                out.member("id", id)
            case .items(let bridge, let items):
                out.bridgeStep("items", bridge, nil, of: scenario)
                out.array("items") { out in
                    for item in items {
                        out.object {
                            $0.member("id", item.id)
                            if let value = item.value { $0.member("value", value) }
                        }
                    }
                }
            case .rebind(let bridge, let mount, let owner):
                out.bridgeStep("rebind", bridge, mount, of: scenario)
                out.member("owner", owner)
            case .dismiss(let bridge, let mount): out.bridgeStep("dismiss", bridge, mount, of: scenario)
            case .environment(let key, let value, let bridge, let mount):
                out.member("step", "environment" as StaticString)
                out.member("key", key)
                out.member("value", orNull: value)
                if let bridge { out.member("bridge", scenario.bridges[bridge].id) }
                if let mount { out.member("mount", mount) }
            case .build(let bridge, let mount): out.bridgeStep("build", bridge, mount, of: scenario)
            case .assignBuilt(let bridge, let mount):
                out.bridgeStep("assign_built", bridge, mount, of: scenario)
            }
        }
    }

    private mutating func bridgeStep(
        _ word: StaticString, _ bridge: BridgeID, _ mount: String?, of scenario: Scenario
    ) {
        member("step", word)
        member("bridge", scenario.bridges[bridge].id)
        if let mount { member("mount", mount) }
    }
}
