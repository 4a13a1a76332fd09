// What goes into the kernel, and its refusals as errors of the protocol: the other place where kernel and
// wire meet.

import SeamKernel
import SeamWire

extension Daemon {
    /// What a client is told when its event was refused. `names` is the parameter in which it named keys.
    func wireError(
        _ refusal: Refusal, _ event: Event, naming names: StaticString, in hosted: HostedSimulation
    ) -> WireError {
        let simulation = hosted.simulation
        let scenario = simulation.scenario
        switch refusal {
        case .unknownKey(let key):
            return .unknown(
                .unknownKey, what: "model key", key, of: owner(hosted), path: path(to: key, in: names, event),
                among: simulation.keyNames)
        case .unknownScreen(let screen):
            return unknownScreen(screen, of: hosted)
        case .unknownField(let screen, let key):
            return unknownField(key, on: screen, of: hosted, path: path(to: key, in: names, event))
        case .whichMount(let bridge, let mounts):
            return .whichMount(bridge: scenario.bridges[bridge].id, asked: mount(of: event), mounts: mounts)
        case .failedMount(let bridge, let mount):
            return .badParam(
                .whichMount, path: "mount", expected: "a mount whose calls have not failed",
                "Mount \(mount) of the bridge \(scenario.bridges[bridge].id) has failed and gets no more calls; "
                    + "bridge.list says why, bridge.unmount and bridge.mount place it anew.")
        case .wrongBridgeKind(let bridge, let kind):
            return wrongKind(scenario.bridges[bridge].id, kind, event, among: scenario.bridges)
        case .notLive:
            if case .environment = event {
                return .badParam(
                    .unknownBridge, path: "sim", expected: "a simulation with bridges",
                    "The simulation \(hosted.id) (\(scenario.id)) has no bridges, so nothing in it reads an "
                        + "environment; write its model with model.set.", known: [])
            }
            return .notLive(sim: hosted.id, scenario: scenario.id)
        case .tooManyMounts(let limit):
            return .tooManyMounts(limit)
        case .tooManyFields:
            return .limit("fields", limits.fields, option: "--max-fields")
        case .failed(let text):
            return .pluginFailed(sim: hosted.id, text: text)
        }
    }

    /// The bridge is there, and of a kind that has no such call.
    private func wrongKind(
        _ id: String, _ kind: Scenario.BridgeKind, _ event: Event, among bridges: [Scenario.Bridge]
    ) -> WireError {
        // What was asked for, the kinds that can do it, and what this kind has in its place.
        let (verb, kinds, expected, other): (String, [Scenario.BridgeKind], String, String) =
            switch event {
            case .assign, .assignBuilt: ("assigned", [.embed], "an embedding", "call bridge.update on it")
            case .build: ("built", [.embed], "an embedding", "its update reads the model by itself")
            case .update(_, _, let cause) where cause != .repeat:
                ("updated", [.embed, .wrap], "an embedding or a wrapping", "")
            default: ("updated", [.wrap], "a wrapping", "call bridge.assign on it")
            }
        return .badParam(
            .unknownBridge, path: "bridge", expected: "the bridge of \(expected)",
            "The bridge \(id) cannot be \(verb), since it is no \(expected.split(separator: " ", maxSplits: 1).last ?? ""); "
                + "\(kind == .custom ? "its plug-in drives it" : other).",
            known: bridges.filter { kinds.contains($0.kind) }.map(\.id))
    }

    func unknownScreen(_ screen: String, of hosted: HostedSimulation) -> WireError {
        .unknown(
            .unknownScreen, what: "screen", screen, of: owner(hosted), path: "screen",
            among: hosted.simulation.screenNames)
    }

    func unknownField(_ key: String, on screen: String, of hosted: HostedSimulation, path: String)
        -> WireError
    {
        let simulation = hosted.simulation
        let fields = simulation.screen(named: screen).map(simulation.fields(of:)) ?? []
        return .unknown(
            .unknownField, what: "field", key, of: "the screen \(screen)", path: path,
            among: fields.lazy.map { simulation.names(of: $0).key })
    }

    /// What has a name or has it not, for a message: a simulation, by the scenario that it plays.
    func owner(_ hosted: HostedSimulation) -> String {
        "the simulation \(hosted.id) (\(hosted.simulation.scenario.id))"
    }

    /// Where in the params a key was named.
    private func path(to key: String, in names: StaticString, _ event: Event) -> String {
        let keys: [String] =
            switch event {
            case .modelWrite(let values): values.map(\.key)
            case .screenWrite(_, let values): values.map(\.key)
            case .screenDeclare(_, let keys): keys
            default: []
            }
        if "\(names)" == "values" { return "values.\(WireError.excerpt(key))" }
        return "\(names)[\(keys.firstIndex(of: key) ?? 0)]"
    }

    private func mount(of event: Event) -> MountID? {
        switch event {
        case .assign(_, let mount), .update(_, let mount, _), .unmount(_, let mount), .send(_, _, let mount),
            .build(_, let mount), .assignBuilt(_, let mount), .activity(_, let mount, _),
            .identify(_, let mount, _), .rebind(_, let mount, _), .dismiss(_, let mount),
            .environment(_, _, let mount):
            mount
        case .modelWrite, .screenDeclare, .screenWrite, .mount, .items, .tick, .settle, .note: nil
        }
    }

    /// Why settings of a new simulation are not taken.
    func wireError(_ problem: PolicyProblem) -> WireError {
        switch problem {
        case .unknownPolicy(let name, let known):
            .unknown(
                .unknownPolicy, what: "policy", name, of: "Seam", path: "policies.\(WireError.excerpt(name))",
                among: known)
        case .unknownBridge(let name, let known):
            .unknown(
                .unknownBridge, what: "bridge", name, of: "the scenario",
                path: "policies.\(WireError.excerpt(name))",
                among: known)
        case .badValue(let policy, let value, let expected):
            .badParam(
                .outOfRange, path: "policies.\(WireError.excerpt(policy))", expected: expected,
                "The policy \(WireError.excerpt(policy)) takes \(expected), not \(WireError.excerpt(value)).")
        case .notOfBridge(let name, let policy):
            .badParam(
                .unknownPolicy, path: "policies.\(WireError.excerpt(name))",
                expected: "\(policy), without a bridge",
                "The policy \(policy) is of the whole simulation and of no bridge; set it by its name alone.",
                known: [policy])
        case .unknownInput(let name, let policy, let bridge, let known):
            .unknown(
                .unknownKey, what: "input", name, of: bridge.map { "the bridge \($0)" } ?? "the scenario",
                path: "policies.\(policy)", among: known)
        case .unknownKey(let name, let policy, let known):
            .unknown(
                .unknownKey, what: "model key", name, of: "the scenario", path: "policies.\(policy)",
                among: known)
        case .unknownProfile(let name, let known):
            .unknown(.unknownProfile, what: "profile", name, of: "Seam", path: "profile", among: known)
        }
    }
}

// A loop, and not of the main actor: a closure of the main actor handed to `map` is checked for each element.

nonisolated extension [String] {
    /// Each of these with no value.
    var cleared: [(key: String, value: String?)] {
        var pairs: [(key: String, value: String?)] = []
        pairs.reserveCapacity(count)
        for key in self { pairs.append((key, nil)) }
        return pairs
    }
}
