// Bridges as a client drives and reads them: what is asked of a mount, the look before a turn has settled, the mounts
// there are, and the policies a simulation can be made with.

import SeamKernel
import SeamWire

extension Daemon {
    /// Hands over an event of one mount of a bridge.
    func drive(
        _ call: SeamWire.BridgeCall, _ ticket: Ticket, _ event: (BridgeID, MountID?) -> Event
    ) throws(WireError) {
        let hosted = try find(call.sim, call.ifSeq)
        let bridge = try bridge(call.bridge, of: hosted)
        hand(event(bridge, call.mount), to: hosted, interim: call.interim, ticket)
    }

    func setEnvironment(_ set: EnvironmentSet, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(set.sim, set.ifSeq)
        var host: BridgeID?
        if let name = set.bridge { host = try bridge(name, of: hosted) }
        hand(
            .environment(set.values.map { ($0.name, $0.value) }, bridge: host, mount: set.mount), to: hosted,
            naming: "values", interim: set.interim, ticket)
    }

    // MARK: Interim reads

    /// The fields of an interim read, before the event: one that it declares itself cannot be named, but comes when
    /// none is.
    func read(_ interim: InterimRead, of hosted: HostedSimulation) throws(WireError) -> Interim {
        let after: Interim.After =
            switch interim.after {
            case .event: .event
            case .layout: .layout
            case .frame: .frame
            }
        guard interim.fields != nil else { return Interim(after: after, fields: nil) }
        let most = limits.replyBytesCeiling / Self.leastFieldBytes
        guard
            let fields = try fields(
                named: interim.fields, in: hosted, atMost: most, path: "interim.fields")
        else {
            throw .replyTooLarge(limit: limits.replyBytesCeiling, hint: "name fewer fields in interim")
        }
        return Interim(after: after, fields: fields)
    }

    /// The turn with what its interim read saw. The turn has run, so an answer that is too long is no way out: what does
    /// not fit is counted.
    func answer(_ turn: Turn, of hosted: HostedSimulation, _ interim: InterimRead, _ ticket: Ticket) {
        let simulation = hosted.simulation
        let seq = simulation.seq
        ticket.answer(after: hosted) { out in
            let end = ticket.certainEnd(out)
            out.object { out in
                out.member("seq", seq)
                out.member("turn", turn.number)
                out.member("changes", turn.changes.count)
                out.member("diagnostics", turn.diagnostics.count)
                if let mount = turn.mount { out.member("mount", mount) }
                if let view = turn.interim, out.count + Self.leastInterim <= end {
                    out.key("interim")
                    out.interim(view, label: interim.label, in: simulation, limits: limits, end: end)
                }
            }
        }
    }

    /// Label and counts with no field. Less is left only at the end of a batch that is full.
    private static let leastInterim = 1024

    // MARK: What there is

    func listMounts(_ list: BridgeList, _ ticket: Ticket) throws(WireError) {
        let hosted = try find(list.sim)
        let simulation = hosted.simulation
        var bridges = Array(simulation.scenario.bridges.indices)
        if let name = list.bridge { bridges = [try bridge(name, of: hosted)] }
        let mounts = bridges.flatMap { simulation.mounts(of: $0) }
        ticket.answer { out in
            let end = ticket.pageEnd(out)
            out.object { out in
                let next = out.page(
                    "mounts", from: list.page.from, total: mounts.count, limit: list.page.limit, end: end
                ) { out, index in
                    guard let mount = simulation.mount(mounts[index]) else { return out.null() }
                    out.mount(mount, in: simulation, limits: limits)
                }
                if let next { out.member("next", next) }
            }
        }
    }

    func listPolicies(_ ticket: Ticket) {
        ticket.answer { out in
            out.object { out in
                out.array("policies") { for policy in Policy.all { $0.policy(policy) } }
                out.array("profiles") { out in
                    for profile in Policy.profiles {
                        out.object { out in
                            out.member("name", profile)
                            out.object("policies") { out in
                                for (name, value) in Policy.settings(of: profile) {
                                    out.key(name)
                                    out.value(value)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension UpdateCause {
    nonisolated var kernel: Cause {
        switch self {
        case .repeat: .repeat
        case .layout: .layout
        case .focus: .focus
        case .unrelated: .unrelated
        case .container: .container
        }
    }
}

extension HostChange {
    nonisolated var kernel: ActivityChange {
        ActivityChange(
            window: window, scene: sceneIsActive.map { $0 ? .active : .inactive }, hidden: hidden, size: size,
            parked: parked)
    }
}

extension ByteBuffer {
    fileprivate mutating func interim(
        _ view: InterimView, label: String, in simulation: Simulation, limits: Limits, end: Int
    ) {
        // The counts are of all fields, also of those that are not listed.
        var counts: [Verdict: Int] = [:]
        for field in view.fields { counts[field.verdict, default: 0] += 1 }
        let room = end - 256
        object { out in
            out.member("label", label)
            let fields = out.beginning("fields", of: view.fields.count, end: room) {
                $0.field(view.fields[$1], limits: limits)
            }
            out.object("counts") {
                $0.member("matching", counts[.matching] ?? 0)
                $0.member("stale", counts[.stale] ?? 0)
                $0.member("missing", counts[.missing] ?? 0)
                $0.member("leftover", counts[.leftover] ?? 0)
            }
            let diagnostics = out.beginning("diagnostics", of: view.diagnostics.count, end: room) {
                $0.finding(view.diagnostics[$1], in: simulation, limits: limits)
            }
            let omitted = view.fields.count - fields + view.diagnostics.count - diagnostics
            if omitted > 0 { out.member("omitted", omitted) }
        }
    }

    fileprivate mutating func mount(_ mount: MountView, in simulation: Simulation, limits: Limits) {
        object { out in
            out.member("mount", mount.id)
            out.member("bridge", simulation.scenario.bridges[mount.bridge].id)
            if let parent = mount.parent {
                out.member("parent", parent)
            } else {
                out.member("parent", orNull: nil)
            }
            out.member("owner", orNull: mount.owner)
            out.member("item", mount.item, size: "itemBytes", limits: limits)
            out.member("identity", orNull: mount.identity)
            out.member("window", mount.activity.hasWindow)
            out.member("scene", mount.activity.scene.rawValue)
            out.member("hidden", mount.activity.isHidden)
            out.member("size", mount.activity.hasSize)
            out.member("parked", mount.isParked)
            out.member("made", mount.isMade)
            out.member("attached", mount.isAttached)
            out.member("withheld", orNull: mount.withheld.map { "\($0.word)" })
            out.member("failure", mount.failure, size: "failureBytes", limits: limits)
        }
    }

    fileprivate mutating func policy(_ policy: Policy) {
        object { out in
            out.member("name", policy.name)
            out.member("scope", policy.scope == .bridge ? "bridge" : "simulation" as StaticString)
            switch policy.values {
            case .words(let words):
                out.member("kind", "words" as StaticString)
                out.member("words", words)
            case .integer(let range):
                out.member("kind", "integer" as StaticString)
                out.member("minimum", range.lowerBound)
                out.member("maximum", range.upperBound)
            case .names: out.member("kind", "names" as StaticString)
            }
            out.member("default", policy.initial)
            out.member("meaning", policy.meaning)
        }
    }

    mutating func liveCounts(_ counts: LiveCounts) {
        object("counts") {
            $0.member("mounts", counts.mounts)
            $0.member("controls", counts.controls)
            $0.member("coordinators", counts.coordinators)
            $0.member("objects", counts.objects)
            $0.member("subscriptions", counts.subscriptions)
            $0.member("registrations", counts.registrations)
            $0.member("pooled", counts.pooled)
        }
    }
}
