internal import CSeamABI
internal import CSeamHost
internal import SeamKernel
internal import SeamPluginHost

// 9 to 13: what it says of itself.

extension Checks {
    /// What the host says of the parts that a check is about. It stops at the first thing that is wrong, so one that is
    /// about another part was not reached.
    private static func host(
        _ subject: Subject, _ findings: inout Findings, _ parts: [LoadFailure.Part: Int], _ number: Int
    ) throws(NotReached) {
        _ = try subject.plugin()
        guard let refusal = subject.refusal else { return }
        if parts[refusal.part] == number { return findings.fail(refusal.reason) }
        // Texts and indexes are only believed of what has the right size, and so on.
        throw NotReached(
            reason: "the host stops before it (\(parts[refusal.part] ?? 1)): \(refusal.reason)")
    }

    private static let parts: [LoadFailure.Part: Int] = [
        .file: 1, .library: 1, .entry: 2, .answer: 5, .layout: 9, .text: 10, .value: 11, .reference: 12,
        .taken: 10,
    ]

    static func layout(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        try host(subject, &findings, parts, 9)
    }

    static func texts(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        try host(subject, &findings, parts, 10)
        guard findings.errors.isEmpty else { return }
        func judge(_ what: String, _ id: String) {
            if id.contains(where: \.isWhitespace) {
                findings.fail("\(what) \"\(id)\" holds a blank: no shell can name it without quotes")
            }
        }
        for scenario in try subject.scenarios() {
            judge("the scenario id", scenario.id)
            if !scenario.id.contains(".") {
                findings.warn("the scenario id \(scenario.id) has no group: call it \"group.\(scenario.id)\"")
            }
            for screen in scenario.screens { judge("\(scenario.id): the screen", screen.id) }
            for bridge in scenario.bridges { judge("\(scenario.id): the bridge", bridge.id) }
            for event in scenario.events { judge("\(scenario.id): the event", event.id) }
            for parameter in scenario.parameters { judge("\(scenario.id): the parameter", parameter.id) }
        }
    }

    static func values(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        try host(subject, &findings, parts, 11)
        guard findings.errors.isEmpty else { return }
        for scenario in try subject.scenarios() {
            let arguments = scenario.events.flatMap { event in
                event.arguments.map { ("argument \($0.id) of \(event.id)", $0) }
            }
            for (what, parameter) in scenario.parameters.map({ ("parameter \($0.id)", $0) }) + arguments {
                guard ["integer", "number"].contains(parameter.kind) else { continue }
                let bounds = [parameter.minimum, parameter.maximum].map { bound in
                    bound.map { (text: $0, number: Double($0)) }
                }
                for case let bound? in bounds where bound.number == nil {
                    findings.fail(
                        "\(scenario.id): \(what) has the bound \"\(bound.text)\", which is no number")
                }
                if let low = bounds[0]?.number, let high = bounds[1]?.number, low > high {
                    findings.fail("\(scenario.id): \(what) has a minimum above its maximum")
                }
            }
        }
    }

    static func references(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        try host(subject, &findings, parts, 12)
    }

    static func constancy(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let plugin = try subject.plugin()
        let scenarios = try subject.scenarios()
        let before = Memory(plugin, scenarios)
        for scenario in scenarios {
            subject.doing("\(scenario.id): playing the script")
            guard let stage = try? Stage(scenario, of: subject) else { continue }
            stage.play()
            stage.destroy()
        }
        let after = Memory(plugin, scenarios)
        for (one, other) in zip(before.parts, after.parts) where one.bytes != other.bytes {
            findings.fail("\(one.name) has changed during a run: descriptions are constant")
        }
        // The texts too, which lie elsewhere.
        switch subject.anotherCatalogue() {
        case .failure(let failure):
            findings.fail("after a run the host does not take it any more: \(failure.reason)")
        case .success(let catalogue):
            let now = catalogue.entries.filter { $0.plugin != nil }.map(\.scenario)
            for (old, new) in zip(scenarios, now) where "\(old)" != "\(new)" {
                findings.fail(
                    "the description of \(old.id) has changed during a run: descriptions are constant")
            }
        }
    }

    /// The structs of the description, byte by byte.
    private struct Memory {
        var parts: [(name: String, bytes: [UInt8])] = []

        init(_ plugin: UnsafePointer<seam_plugin_v1>, _ scenarios: [Scenario]) {
            // Each `!` is on a pointer that the host has found to be there.
            add("seam_plugin_v1", plugin, MemoryLayout<seam_plugin_v1>.size)
            for index in 0..<Int(plugin.pointee.scenario_count) {
                let scenario = plugin.pointee.scenarios![index]!
                let id = scenario.pointee.id.map { String(cString: $0) } ?? "?"
                add("seam_scenario_v1 of \(id)", scenario, MemoryLayout<seam_scenario_v1>.size)
                add("seam_inst_v1 of \(id)", scenario.pointee.calls!, MemoryLayout<seam_inst_v1>.size)
                for bridge in 0..<Int(scenario.pointee.bridge_count) {
                    add(
                        "seam_bridge_v1 \(bridge) of \(id)", scenario.pointee.bridges![bridge]!,
                        MemoryLayout<seam_bridge_v1>.size)
                }
            }
        }

        private mutating func add(_ name: String, _ pointer: UnsafeRawPointer, _ size: Int) {
            parts.append((name, Array(UnsafeRawBufferPointer(start: pointer, count: size))))
        }
    }
}
