internal import SeamKernel
internal import SeamPluginHost

/// Values, events and states that a plug-in has to live with: all that a client can bring about, and the host lets
/// through. Wrong counts, other kinds and text that is not UTF-8 never reach a plug-in.
enum Trial {
    enum State: String, CaseIterable {
        case started = "right after start"
        case played = "after the script"
        case cleared = "with an empty model"
        case remounted = "with every bridge mounted anew"
    }

    static func bring(_ stage: Stage, to state: State) {
        let simulation = stage.simulation
        switch state {
        case .started: break
        case .played: stage.play()
        case .cleared: stage.apply(.modelWrite(simulation.keyNames.map { ($0, nil) }))
        case .remounted:
            for bridge in stage.scenario.bridges.indices {
                for mount in simulation.mounts(of: bridge) { stage.apply(.unmount(bridge, mount: mount)) }
                stage.apply(.mount(bridge))
            }
        }
    }

    /// Every live mount is moved, parked and taken back, renamed and taken away.
    static func tellHooks(_ stage: Stage) {
        for bridge in stage.scenario.bridges.indices {
            for mount in stage.simulation.mounts(of: bridge) {
                for change in [
                    ActivityChange(window: false), ActivityChange(window: true), ActivityChange(parked: true),
                    ActivityChange(parked: false), ActivityChange(hidden: true, size: false),
                    ActivityChange(hidden: false, size: true),
                ] { stage.apply(.activity(bridge, mount: mount, change)) }
                for id in ["one", "two"] { stage.apply(.identify(bridge, mount: mount, id: id)) }
                stage.apply(.unmount(bridge, mount: mount))
            }
        }
    }

    /// None, the usual, the borders, and what somebody may have typed: those that the declaration allows.
    static func values(for parameter: Scenario.Parameter) -> [String?] {
        let candidates: [String?] =
            [nil, parameter.initial, parameter.minimum, parameter.maximum] + (parameter.choices ?? []) + [
                "", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "true", "false",
                "e\u{301}",
                "a\nb\u{0}c", "%s%n", String(repeating: "\u{1f980}", count: 16_000),
            ]
        var seen: Set<String?> = []
        return candidates.filter {
            ParameterRule.expectation(for: parameter, unmetBy: $0) == nil && seen.insert($0).inserted
        }
    }

    /// One value after the other, the rest as they are at first; an event without arguments has one list. Every value
    /// is tried in the first state, in the others what is usual and what is missing.
    static func arguments(for event: Scenario.Event, _ state: State) -> [[String?]] {
        let initial = event.arguments.map(\.initial)
        guard !initial.isEmpty else { return [[]] }
        if state != .started { return [initial, initial.map { _ in nil }] }
        return event.arguments.enumerated().flatMap { index, argument in
            values(for: argument).map { value in
                var arguments = initial
                arguments[index] = value
                return arguments
            }
        }
    }

    static func shown(_ value: String?) -> String {
        guard let value else { return "no value" }
        return value.utf8.count > 40
            ? "\(value.utf8.count) bytes"
            : "\"\(value.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
    }

    /// The next thing that happens to a simulation; without an event its clock moves.
    static func random(in stage: Stage, _ random: inout SplitMix) -> (what: String, event: Event?) {
        let (scenario, simulation) = (stage.scenario, stage.simulation)
        func pick<Element>(_ list: [Element]) -> Element? {
            list.isEmpty ? nil : list[Int(random.next() % UInt64(list.count))]
        }
        let bridge = pick(Array(scenario.bridges.indices))
        let mount = bridge.flatMap { pick(simulation.mounts(of: $0)) }
        switch random.next() % 21 {
        case 0...5:
            guard let index = pick(Array(scenario.events.indices)) else { break }
            let event = scenario.events[index]
            let arguments = event.arguments.map { pick(values(for: $0)) ?? nil }
            let list = arguments.map { " \(shown($0))" }.joined()
            let place = event.bridge.flatMap { pick(simulation.mounts(of: $0)) }
            return ("send \(event.id)\(list)", .send(index, arguments: arguments, mount: place))
        case 6...8:
            guard let key = pick(simulation.keyNames) else { break }
            let any = Scenario.Parameter(id: "", title: "", kind: "text")
            let value = pick(values(for: any)) ?? nil
            return ("set \(key)=\(shown(value))", .modelWrite([(key, value)]))
        case 9, 10:
            guard let bridge, let mount else { break }
            return scenario.bridges[bridge].kind == .wrap
                ? ("update \(scenario.bridges[bridge].id)", .update(bridge, mount: mount))
                : ("assign \(scenario.bridges[bridge].id)", .assign(bridge, mount: mount))
        case 11, 12:
            guard let bridge, simulation.mounts(of: bridge).count < 4 else { break }
            return ("mount \(scenario.bridges[bridge].id)", .mount(bridge))
        case 13:
            guard let bridge, let mount else { break }
            return ("unmount \(scenario.bridges[bridge].id)", .unmount(bridge, mount: mount))
        case 14, 15:
            guard let bridge, let mount else { break }
            func flag() -> Bool? { [nil, true, false][Int(random.next() % 3)] }
            let change = ActivityChange(
                window: flag(), scene: flag().map { $0 ? .active : .inactive }, hidden: flag(), size: flag(),
                parked: flag())
            return (
                "host \(scenario.bridges[bridge].id) \(change)", .activity(bridge, mount: mount, change)
            )
        case 16:
            guard let bridge, let mount else { break }
            let id = pick(["a", "b"]) ?? ""
            return (
                "identify \(scenario.bridges[bridge].id) \(id)", .identify(bridge, mount: mount, id: id)
            )
        case 17:
            guard let bridge, let mount else { break }
            let owner = pick(["a", "b"]) ?? ""
            return (
                "rebind \(scenario.bridges[bridge].id) \(owner)",
                .rebind(bridge, mount: mount, owner: owner)
            )
        case 18:
            guard let bridge else { break }
            let items = ["a", "b", "c"].filter { _ in random.next() % 2 == 0 }.map { Item(id: $0) }
            return (
                "items \(scenario.bridges[bridge].id) \(items.map(\.id))", .items(bridge, items)
            )
        default: break
        }
        return ("advance 100 ms", nil)
    }
}

/// Seeded numbers (SplitMix64, Steele, Lea and Flood 2014): the same seed tries the same things.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
