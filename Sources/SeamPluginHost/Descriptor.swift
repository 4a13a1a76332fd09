internal import CSeamABI
internal import Glibc
internal import SeamKernel

/// What is wrong with a description, for its author.
struct DescriptorProblem: Error {
    var text: String
    var part = LoadFailure.Part.reference
}

/// A plug-in's description, checked and turned into kernel values.
///
/// After this nobody has to ask again whether an index is in range, a text is UTF-8 or a needed callback is
/// there. A pointer to nowhere can't be told from a good one: the breadcrumb names the plug-in when it
/// crashes here.
///
/// Elements are reached by `element`, never by subscript: Swift keeps one layout per C tag in a process, and
/// a debug build asks that record, which an unclean plug-in may have set, for the stride.
struct Descriptor {
    let info: PluginInfo
    private(set) var scenarios: [ScenarioTable] = []

    init(
        _ plugin: UnsafePointer<seam_plugin_v1>, path: UnsafePointer<CChar>, file: String
    ) throws(DescriptorProblem) {
        let head = plugin.pointee
        info = PluginInfo(
            id: try Read.name(head.id, "the id of the plug-in", without: "/=*"),
            name: try Read.text(head.name, "the name of the plug-in", limit: TextLimit.title),
            version: try Read.text(head.version, "the version of the plug-in", limit: TextLimit.title),
            vendor: try Read.optional(head.vendor, "the vendor of the plug-in") ?? "",
            license: try Read.optional(head.license, "the license of the plug-in") ?? "",
            url: try Read.optional(head.url, "the url of the plug-in") ?? "", file: file)
        try Read.count(head.scenario_count, head.scenarios != nil, "scenarios", limit: 10_000)
        guard head.scenario_count > 0 else {
            throw DescriptorProblem(text: "it has no scenario", part: .layout)
        }
        _ = try Read.list(head.interfaces, "interfaces", limit: 1_000)
        for index in 0..<Int(head.scenario_count) {
            // Checked by `count`: there are elements, so there is an array.
            guard let pointer = pointee(head.scenarios!, index) else {
                throw DescriptorProblem(text: "scenario \(index) is NULL")
            }
            var reader = ScenarioReader(pointer, index: index)
            scenarios.append(try reader.read(info: info, path: path))
        }
        try Read.unique(scenarios.map(\.scenario.id), "scenario ids")
    }
}

private func element<T>(_ base: UnsafePointer<T>, _ index: Int, stride: Int) -> UnsafePointer<T> {
    UnsafeRawPointer(base).advanced(by: index * stride).assumingMemoryBound(to: T.self)
}

/// An element of an array of pointers.
private func pointee<T>(_ base: UnsafePointer<UnsafePointer<T>?>, _ index: Int) -> UnsafePointer<T>? {
    base[index]
}

/// The parts that every description is made of.
private enum Read {
    static func text(
        _ pointer: UnsafePointer<CChar>?, _ what: String, limit: Int = TextLimit.text
    ) throws(DescriptorProblem) -> String {
        guard let pointer else { throw DescriptorProblem(text: "\(what) is missing (NULL)", part: .text) }
        let count = strnlen(pointer, limit + 1)
        guard count <= limit else {
            throw DescriptorProblem(text: "\(what) is longer than \(limit) bytes", part: .text)
        }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: count)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let readable = String(decoding: bytes, as: UTF8.self)
            throw DescriptorProblem(text: "\(what), \"\(readable)\", is not UTF-8", part: .text)
        }
        return text
    }

    static func optional(
        _ pointer: UnsafePointer<CChar>?, _ what: String, limit: Int = TextLimit.text
    ) throws(DescriptorProblem) -> String? {
        pointer == nil ? nil : try text(pointer, what, limit: limit)
    }

    static func name(
        _ pointer: UnsafePointer<CChar>?, _ what: String, without forbidden: String = ""
    ) throws(DescriptorProblem) -> String {
        let name = try text(pointer, what, limit: TextLimit.name)
        if name.isEmpty { throw DescriptorProblem(text: "\(what) is empty", part: .text) }
        for scalar in name.unicodeScalars
        where !isPrintable(scalar) || forbidden.unicodeScalars.contains(scalar) {
            let shown = isPrintable(scalar) ? "\"\(scalar)\"" : "U+\(String(scalar.value, radix: 16))"
            throw DescriptorProblem(
                text: "\(what), \"\(name)\", holds \(shown), which is not allowed in it", part: .text)
        }
        return name
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }

    /// Texts ended by NULL.
    static func list(
        _ base: UnsafePointer<UnsafePointer<CChar>?>?, _ what: String, limit: Int,
        read: (UnsafePointer<CChar>, String) throws(DescriptorProblem) -> String = {
            (pointer, what) throws(DescriptorProblem) in try name(pointer, what)
        }
    ) throws(DescriptorProblem) -> [String] {
        var texts: [String] = []
        guard let base else { return texts }
        while let pointer = base[texts.count] {
            guard texts.count < limit else {
                throw DescriptorProblem(
                    text: "\(what) has more than \(limit) elements; is the NULL at its end missing?",
                    part: .layout)
            }
            texts.append(try read(pointer, "element \(texts.count) of \(what)"))
        }
        return texts
    }

    static func count(
        _ count: UInt32, _ isThere: Bool, _ what: String, limit: UInt32
    ) throws(DescriptorProblem) {
        if count > limit {
            throw DescriptorProblem(text: "it counts \(count) \(what), more than \(limit)", part: .layout)
        }
        if count > 0 && !isThere {
            throw DescriptorProblem(text: "it counts \(count) \(what), but the array is NULL", part: .layout)
        }
    }

    static func unique(_ names: [String], _ what: String) throws(DescriptorProblem) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw DescriptorProblem(text: "\(what) are not unique: \"\(name)\" is there twice", part: .text)
        }
    }

    static func size(_ size: UInt32, _ expected: Int, _ what: String) throws(DescriptorProblem) {
        if Int(size) != expected {
            throw DescriptorProblem(
                text: "size of \(what) is \(size), expected \(expected) (sizeof)", part: .layout)
        }
    }

    static func zero(_ value: UInt32, _ what: String) throws(DescriptorProblem) {
        if value != 0 {
            throw DescriptorProblem(text: "\(what) is \(value); major 1 has it 0", part: .layout)
        }
    }

    static func flags(_ flags: UInt32, known: UInt32, _ what: String) throws(DescriptorProblem) {
        if flags & ~known != 0 {
            throw DescriptorProblem(
                text: "flags of \(what) are \(hex(flags)); major 1 knows \(hex(known))", part: .layout)
        }
    }
}

/// One scenario. Every message begins with its id, as soon as that is known.
private struct ScenarioReader {
    private let pointer: UnsafePointer<seam_scenario_v1>
    private var head: seam_scenario_v1 { pointer.pointee }
    private var who: String
    private var scenario = Scenario(id: "", title: "", summary: "")
    private var bridges: [UnsafePointer<seam_bridge_v1>] = []

    private static let listLimit: UInt32 = 65_536

    init(_ pointer: UnsafePointer<seam_scenario_v1>, index: Int) {
        self.pointer = pointer
        who = "scenario \(index)"
    }

    mutating func read(
        info: PluginInfo, path: UnsafePointer<CChar>
    ) throws(DescriptorProblem) -> ScenarioTable {
        do {
            try Read.size(head.size, MemoryLayout<seam_scenario_v1>.size, "its seam_scenario_v1")
            scenario.id = try Read.name(head.id, "its id", without: "/=*")
            who = "scenario \(scenario.id)"
            return try readRest(info: info, path: path)
        } catch {
            throw DescriptorProblem(text: "\(who): \(error.text)", part: error.part)
        }
    }

    private mutating func readRest(
        info: PluginInfo, path: UnsafePointer<CChar>
    ) throws(DescriptorProblem) -> ScenarioTable {
        try Read.flags(head.flags, known: UInt32(SEAM_SCENARIO_MAIN_QUEUE), "the scenario")
        try Read.zero(head.reserved, "reserved")
        scenario.title = try Read.text(head.title, "its title", limit: TextLimit.title)
        scenario.summary = try Read.text(head.summary, "its summary")
        scenario.revision = head.revision
        scenario.drainsMainQueue = head.flags & UInt32(SEAM_SCENARIO_MAIN_QUEUE) != 0
        scenario.policies = try policies(head.policies, "its policies")
        scenario.parameters = try parameters(head.params, head.param_count, "parameter")

        try Read.count(head.screen_count, head.screens != nil, "screens", limit: Self.listLimit)
        for index in 0..<Int(head.screen_count) { scenario.screens.append(try screen(index)) }
        try Read.unique(scenario.screens.map(\.id), "ids of screens")

        try Read.count(head.bridge_count, head.bridges != nil, "bridges", limit: Self.listLimit)
        for index in 0..<Int(head.bridge_count) { try readBridge(index) }
        try Read.unique(scenario.bridges.map(\.id), "ids of bridges")
        if let (bridge, problem) = scenario.policyProblem {
            let what = bridge.map { "policies of bridge \($0)" } ?? "its policies"
            throw DescriptorProblem(text: "\(what): \(words(for: problem))")
        }

        try Read.count(head.event_count, head.events != nil, "events", limit: Self.listLimit)
        for index in 0..<Int(head.event_count) { scenario.events.append(try event(index)) }
        try Read.unique(scenario.events.map(\.id), "ids of events")

        try Read.count(head.check_count, head.checks != nil, "checks", limit: Self.listLimit)
        for index in 0..<Int(head.check_count) { scenario.checks.append(try check(index)) }
        try Read.count(head.script_count, head.script != nil, "steps", limit: Self.listLimit)
        var labels: [String: Int] = [:]
        for index in 0..<Int(head.script_count) { scenario.script.append(try step(index, &labels)) }
        for check in scenario.checks where check.label.hasPrefix("@") {
            guard !scenario.script.contains(where: { $0.interimLabel == check.label }) else { continue }
            throw DescriptorProblem(
                text: "check \(check.label) is an interim read (@), and no step of the script reads it")
        }

        guard let calls = head.calls else { throw DescriptorProblem(text: "calls is missing (NULL)") }
        try Read.size(calls.pointee.size, MemoryLayout<seam_inst_v1>.size, "its seam_inst_v1")
        try Read.zero(calls.pointee.reserved, "reserved of seam_inst_v1")
        if head.create == nil { throw DescriptorProblem(text: "create is missing (NULL)") }
        if calls.pointee.event == nil, let event = scenario.events.first(where: { $0.bridge == nil }) {
            throw DescriptorProblem(
                text: "event of seam_inst_v1 is missing (NULL), and the event \(event.id) needs it")
        }
        if calls.pointee.snapshot != nil && calls.pointee.restore == nil {
            throw DescriptorProblem(text: "snapshot of seam_inst_v1 is there, but restore is missing (NULL)")
        }
        return ScenarioTable(
            scenario: scenario, info: info, descriptor: pointer, calls: calls, bridges: bridges, path: path)
    }

    private func policies(
        _ base: UnsafePointer<UnsafePointer<CChar>?>?, _ what: String
    ) throws(DescriptorProblem) -> [String] {
        try Read.list(base, what, limit: 1_000) { (pointer, what) throws(DescriptorProblem) in
            let text = try Read.text(pointer, what, limit: TextLimit.title)
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw DescriptorProblem(text: "\(what) is \"\(text)\", expected \"name=value\"")
            }
            return text
        }
    }

    private func words(for problem: PolicyProblem) -> String {
        func listed(_ names: [String]) -> String {
            names.isEmpty ? "there is none" : "there are \(names.prefix(40).joined(separator: ", "))"
        }
        switch problem {
        case .unknownPolicy(let name, let known): return "there is no policy \(name); \(listed(known))"
        case .badValue(let policy, let value, let expected):
            return "\(policy) takes \(expected), not \"\(value)\""
        case .notOfBridge(_, let policy):
            return
                "\(policy) is of the whole simulation and of no bridge: it belongs into the scenario's policies"
        case .unknownInput(let name, let policy, _, let known):
            return "\(policy) names \"\(name)\", which is no input; \(listed(known))"
        case .unknownKey(let name, let policy, let known):
            return "\(policy) names \"\(name)\", which is no model key; \(listed(known))"
        case .unknownBridge(let name, _), .unknownProfile(let name, _): return "there is no \(name)"
        }
    }

    private func parameters(
        _ base: UnsafePointer<seam_param_v1>?, _ count: UInt32, _ noun: String
    ) throws(DescriptorProblem) -> [Scenario.Parameter] {
        try Read.count(count, base != nil, "\(noun)s", limit: 1_000)
        var parameters: [Scenario.Parameter] = []
        guard let base else { return parameters }
        for index in 0..<Int(count) {
            let raw = element(base, index, stride: MemoryLayout<seam_param_v1>.stride).pointee
            let id = try Read.name(raw.id, "the id of \(noun) \(index)", without: "=")
            let who = "\(noun) \(id)"
            let parameter = Scenario.Parameter(
                id: id, title: try Read.text(raw.title, "the title of \(who)", limit: TextLimit.title),
                kind: try Read.name(raw.kind, "the kind of \(who)"),
                initial: try Read.optional(raw.initial, "initial of \(who)", limit: TextLimit.value),
                minimum: try Read.optional(raw.minimum, "minimum of \(who)"),
                maximum: try Read.optional(raw.maximum, "maximum of \(who)"),
                choices: raw.choices == nil
                    ? nil
                    : try Read.list(raw.choices, "choices of \(who)", limit: 1_000) {
                        (pointer, what) throws(DescriptorProblem) in try Read.text(pointer, what)
                    })
            if parameter.initial != nil,
                let expected = ParameterRule.expectation(for: parameter, unmetBy: parameter.initial)
            {
                throw DescriptorProblem(
                    text: "initial of \(who) is \"\(parameter.initial ?? "")\", expected \(expected)",
                    part: .value)
            }
            parameters.append(parameter)
        }
        try Read.unique(parameters.map(\.id), "ids of \(noun)s")
        return parameters
    }

    private func screen(_ index: Int) throws(DescriptorProblem) -> Scenario.Screen {
        // The count was checked against the pointer.
        let raw = element(head.screens!, index, stride: MemoryLayout<seam_screen_v1>.stride).pointee
        let id = try Read.name(raw.id, "the id of screen \(index)", without: "./=*")
        let who = "screen \(id)"
        let sides: [Int: Scenario.Side] = [
            SEAM_SIDE_IMPERATIVE: .imperative, SEAM_SIDE_DECLARATIVE: .declarative,
        ]
        guard let side = sides[Int(raw.side)] else {
            throw DescriptorProblem(
                text: "the side of \(who) is \(raw.side), expected 1 (imperative) or 2 (declarative)")
        }
        let title = try Read.text(raw.title, "the title of \(who)", limit: TextLimit.title)
        try Read.count(raw.field_count, raw.fields != nil, "fields of \(who)", limit: 1_000_000)
        var fields: [Scenario.Field] = []
        if let base = raw.fields {
            for position in 0..<Int(raw.field_count) {
                let field = element(base, position, stride: MemoryLayout<seam_field_v1>.stride).pointee
                let key = try Read.name(field.key, "the key of field \(position) of \(who)")
                try Read.zero(field.flags, "flags of field \(key) of \(who)")
                try Read.zero(field.reserved, "reserved of field \(key) of \(who)")
                fields.append(
                    Scenario.Field(
                        key: key,
                        title: try Read.text(
                            field.title, "the title of field \(key)", limit: TextLimit.title),
                        kind: try Read.name(field.kind, "the kind of field \(key)")))
            }
        }
        try Read.unique(fields.map(\.key), "keys of \(who)")
        return Scenario.Screen(id: id, title: title, side: side, fields: fields)
    }

    private mutating func readBridge(_ index: Int) throws(DescriptorProblem) {
        guard let pointer = pointee(head.bridges!, index) else {  // the count was checked against the pointer
            throw DescriptorProblem(text: "bridge \(index) is NULL")
        }
        let raw = pointer.pointee
        try Read.size(raw.size, MemoryLayout<seam_bridge_v1>.size, "bridge \(index)")
        let id = try Read.name(raw.id, "the id of bridge \(index)", without: "./=*")
        let who = "bridge \(id)"
        let title = try Read.text(raw.title, "the title of \(who)", limit: TextLimit.title)
        let kind: Scenario.BridgeKind
        switch Int(raw.kind) {
        case SEAM_BRIDGE_EMBED:
            kind = .embed
            if raw.draw == nil {
                throw DescriptorProblem(text: "draw of \(who) is missing (NULL): an embedding needs it")
            }
        case SEAM_BRIDGE_WRAP:
            kind = .wrap
            if raw.make == nil {
                throw DescriptorProblem(text: "make of \(who) is missing (NULL): a wrapping needs it")
            }
            if raw.update == nil {
                throw DescriptorProblem(
                    text:
                        "update of \(who) is missing (NULL): a wrapping needs it, also one that writes nothing"
                )
            }
        case SEAM_BRIDGE_CUSTOM: kind = .custom
        default:
            throw DescriptorProblem(
                text: "the kind of \(who) is \(raw.kind), expected 1 (embed), 2 (wrap) or 3 (custom)")
        }
        try Read.flags(raw.flags, known: UInt32(SEAM_BRIDGE_OBSERVED | SEAM_BRIDGE_ECHO), who)
        guard Int(raw.screen) < scenario.screens.count else {
            throw DescriptorProblem(
                text:
                    "the screen of \(who) is index \(raw.screen); there are \(scenario.screens.count), from 0"
            )
        }
        let inputs = try Read.list(raw.inputs, "inputs of \(who)", limit: 10_000)
        try Read.unique(inputs, "inputs of \(who)")
        scenario.bridges.append(
            Scenario.Bridge(
                id: id, title: title, kind: kind, screen: Int(raw.screen), inputs: inputs,
                isObserved: raw.flags & UInt32(SEAM_BRIDGE_OBSERVED) != 0,
                echoes: raw.flags & UInt32(SEAM_BRIDGE_ECHO) != 0,
                policies: try policies(raw.policies, "policies of \(who)")))
        scenario.bridges[scenario.bridges.count - 1].hasCoordinator = raw.coordinator != nil
        bridges.append(pointer)
    }

    private func event(_ index: Int) throws(DescriptorProblem) -> Scenario.Event {
        // The count was checked against the pointer.
        let raw = element(head.events!, index, stride: MemoryLayout<seam_event_v1>.stride).pointee
        let id = try Read.name(raw.id, "the id of event \(index)", without: "=")
        let who = "event \(id)"
        try Read.zero(raw.reserved, "reserved of \(who)")
        let origins: [Int: Scenario.Origin] = [
            SEAM_FROM_MODEL: .model, SEAM_FROM_NATIVE: .native, SEAM_FROM_LIFECYCLE: .lifecycle,
        ]
        guard let origin = origins[Int(raw.origin)] else {
            throw DescriptorProblem(
                text: "the origin of \(who) is \(raw.origin), expected 1 (model), 2 (native) or 3 (lifecycle)"
            )
        }
        var bridge: Int?
        if raw.bridge != SEAM_NONE {
            guard Int(raw.bridge) < bridges.count else {
                throw DescriptorProblem(
                    text:
                        "the bridge of \(who) is index \(raw.bridge); there are \(bridges.count), from 0, and "
                        + "SEAM_NONE for none")
            }
            bridge = Int(raw.bridge)
            if bridges[Int(raw.bridge)].pointee.native == nil {
                throw DescriptorProblem(
                    text:
                        "native of bridge \(scenario.bridges[Int(raw.bridge)].id) is missing (NULL): \(who) needs it"
                )
            }
        }
        if origin == .native && bridge == nil {
            throw DescriptorProblem(
                text: "\(who) comes from the native side, so its bridge can't be SEAM_NONE")
        }
        if origin == .model && bridge != nil {
            throw DescriptorProblem(text: "\(who) comes from the model, so its bridge has to be SEAM_NONE")
        }
        return Scenario.Event(
            id: id, title: try Read.text(raw.title, "the title of \(who)", limit: TextLimit.title),
            origin: origin,
            bridge: bridge, arguments: try parameters(raw.args, raw.arg_count, "argument"))
    }

    private func check(_ index: Int) throws(DescriptorProblem) -> Scenario.Check {
        // The count was checked against the pointer.
        let raw = element(head.checks!, index, stride: MemoryLayout<seam_check_v1>.stride).pointee
        let label = try Read.name(raw.label, "the label of check \(index)")
        let who = "check \(label)"
        guard Int(raw.screen) < scenario.screens.count else {
            throw DescriptorProblem(
                text:
                    "the screen of \(who) is index \(raw.screen); there are \(scenario.screens.count), from 0"
            )
        }
        let screen = scenario.screens[Int(raw.screen)]
        try Read.count(raw.key_count, raw.keys != nil, "keys of \(who)", limit: Self.listLimit)
        if raw.key_count == 0 { throw DescriptorProblem(text: "\(who) has no keys") }
        var keys: [String] = []
        var expected: [Verdict]?
        for position in 0..<Int(raw.key_count) {
            let key = try Read.name(raw.keys![position], "key \(position) of \(who)")  // checked by `count`
            if !screen.fields.contains(where: { $0.key == key }) {
                throw DescriptorProblem(
                    text: "\(who) names \(key), which screen \(screen.id) does not declare")
            }
            keys.append(key)
            guard let words = raw.expected else { continue }
            let word = try Read.text(words[position], "expected \(position) of \(who)")
            guard let verdict = Verdict.allCases.first(where: { $0.word.description == word }) else {
                let known = Verdict.allCases.map(\.word.description).joined(separator: ", ")
                throw DescriptorProblem(
                    text: "\(who) expects \"\(word)\" of \(key), expected one of \(known)")
            }
            expected = (expected ?? []) + [verdict]
        }
        return Scenario.Check(label: label, screen: Int(raw.screen), keys: keys, expected: expected)
    }

    // MARK: The script

    private func step(_ index: Int, _ labels: inout [String: Int]) throws(DescriptorProblem) -> Scenario.Step
    {
        // The count was checked against the pointer.
        let raw = element(head.script!, index, stride: MemoryLayout<seam_step_v1>.stride).pointee
        let who = "step \(index + 1) of the script"
        switch Int(raw.kind) {
        case SEAM_STEP_MODEL_SET:
            return .modelSet(
                key: try modelKey(raw.key, who),
                value: try Read.text(raw.value, "the value of \(who)", limit: TextLimit.value))
        case SEAM_STEP_MODEL_CLEAR:
            return .modelClear(key: try modelKey(raw.key, who))
        case SEAM_STEP_EVENT:
            return try sendStep(raw, who, labels)
        case SEAM_STEP_ASSIGN:
            let bridge = try bridge(raw.bridge, who, kind: .embed)
            return .assign(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_UPDATE:
            let bridge = try bridge(raw.bridge, who, kind: .wrap)
            return .update(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_UPDATE_FOR:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            if scenario.bridges[bridge].kind == .custom {
                throw DescriptorProblem(
                    text: "\(who) updates \(scenario.bridges[bridge].id), which has no body to call")
            }
            return .update(
                bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels),
                cause: try cause(raw.value, who))
        case SEAM_STEP_ACTIVITY:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .activity(
                bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels),
                try activity(raw.value, who))
        case SEAM_STEP_IDENTIFY:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .identify(
                bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels),
                id: try Read.name(raw.value, "the id in \(who)"))
        case SEAM_STEP_ITEMS:
            return .items(bridge: try bridge(raw.bridge, who, kind: nil), try items(raw, who))
        case SEAM_STEP_REBIND:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .rebind(
                bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels),
                owner: try Read.name(raw.value, "the owner in \(who)"))
        case SEAM_STEP_DISMISS:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .dismiss(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_ENVIRONMENT:
            let key = try Read.name(raw.key, "the key of \(who)")
            let value = try Read.optional(raw.value, "the value of \(who)", limit: TextLimit.value)
            if raw.bridge == SEAM_NONE {
                return .environment(key: key, value: value, bridge: nil, mount: nil)
            }
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .environment(
                key: key, value: value, bridge: bridge,
                mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_BUILD:
            let bridge = try bridge(raw.bridge, who, kind: .embed)
            return .build(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_ASSIGN_BUILT:
            let bridge = try bridge(raw.bridge, who, kind: .embed)
            return .assignBuilt(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_MOUNT:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            guard raw.mount != nil else { return .mount(bridge: bridge, label: nil) }
            let label = try Read.name(raw.mount, "the mount label of \(who)")
            labels[label] = bridge
            return .mount(bridge: bridge, label: label)
        case SEAM_STEP_UNMOUNT:
            let bridge = try bridge(raw.bridge, who, kind: nil)
            return .unmount(bridge: bridge, mount: try mount(raw.mount, of: bridge, who, labels))
        case SEAM_STEP_ADVANCE:
            guard raw.virtual_ns >= 0 else {
                throw DescriptorProblem(
                    text: "\(who) advances by \(raw.virtual_ns) ns; the clock moves forward only")
            }
            return .advance(nanoseconds: raw.virtual_ns)
        case SEAM_STEP_CHECK:
            let label = try Read.name(raw.key, "the label of \(who)")
            if !scenario.checks.contains(where: { $0.label == label }) {
                throw DescriptorProblem(text: "\(who) names the check \(label), which is not there")
            }
            let step = Scenario.Step.check(label: label)
            if step.interimLabel != nil { try precededByEvent(label, who) }
            return step
        default:
            throw DescriptorProblem(text: "the kind of \(who) is \(raw.kind), expected 1 to 18 (SEAM_STEP_)")
        }
    }

    /// An interim read looks into the turn of the step before it, which has to have one of its own.
    private func precededByEvent(_ label: String, _ who: String) throws(DescriptorProblem) {
        switch scenario.script.last {
        case nil, .advance?, .check?:
            throw DescriptorProblem(
                text:
                    "\(who), the interim read \(label), stands after no step whose event it could look into "
                    + "(any but ADVANCE and CHECK)")
        default: break
        }
    }

    private func cause(_ pointer: UnsafePointer<CChar>?, _ who: String) throws(DescriptorProblem) -> Cause {
        let word = try Read.text(pointer, "the reason in \(who)")
        if let cause = Cause.reasons.first(where: { $0.word.description == word }) { return cause }
        let known = Cause.reasons.map(\.word.description).joined(separator: ", ")
        throw DescriptorProblem(text: "\(who) gives the reason \"\(word)\", expected one of \(known)")
    }

    /// "window=no,scene=inactive".
    private func activity(
        _ pointer: UnsafePointer<CChar>?, _ who: String
    ) throws(DescriptorProblem) -> ActivityChange {
        var change = ActivityChange()
        for part in try Read.text(pointer, "the activity in \(who)").split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            let word = sides.count == 2 ? sides[1] : ""
            let flag: Bool? = word == "yes" ? true : word == "no" ? false : nil
            switch (sides.first, flag) {
            case ("window", let flag?): change.window = flag
            case ("hidden", let flag?): change.hidden = flag
            case ("size", let flag?): change.size = flag
            case ("parked", let flag?): change.parked = flag
            default:
                guard sides.first == "scene", let scene = Activity.Scene(rawValue: word) else {
                    throw DescriptorProblem(
                        text:
                            "\(who) changes \"\(part)\", expected window, hidden, size or parked = yes or no, or "
                            + "scene = active or inactive")
                }
                change.scene = scene
            }
        }
        return change
    }

    /// "id" or "id=value".
    private func items(_ raw: seam_step_v1, _ who: String) throws(DescriptorProblem) -> [Item] {
        try Read.count(raw.arg_count, raw.args != nil, "items in \(who)", limit: Self.listLimit)
        var items: [Item] = []
        guard let base = raw.args else { return items }
        for position in 0..<Int(raw.arg_count) {
            let text = try Read.text(base[position], "item \(position) of \(who)", limit: TextLimit.value)
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard !sides[0].isEmpty, sides[0].utf8.count <= TextLimit.name else {
                throw DescriptorProblem(
                    text:
                        "item \(position) of \(who) has an id of \(sides[0].utf8.count) bytes, expected 1 to "
                        + "\(TextLimit.name)")
            }
            items.append(Item(id: String(sides[0]), value: sides.count == 2 ? String(sides[1]) : nil))
        }
        return items
    }

    private func sendStep(
        _ raw: seam_step_v1, _ who: String, _ labels: [String: Int]
    ) throws(DescriptorProblem) -> Scenario.Step {
        guard Int(raw.event) < scenario.events.count else {
            throw DescriptorProblem(
                text: "\(who) names event index \(raw.event); there are \(scenario.events.count), from 0")
        }
        let event = scenario.events[Int(raw.event)]
        guard Int(raw.arg_count) == event.arguments.count else {
            throw DescriptorProblem(
                text:
                    "\(who) gives event \(event.id) \(raw.arg_count) arguments, expected \(event.arguments.count)"
            )
        }
        try Read.count(raw.arg_count, raw.args != nil, "arguments in \(who)", limit: 1_000)
        var arguments: [String?] = []
        if let base = raw.args {
            for position in 0..<Int(raw.arg_count) {
                arguments.append(
                    try Read.optional(
                        base[position], "argument \(event.arguments[position].id) of \(who)",
                        limit: TextLimit.value))
            }
        }
        var mountLabel: String?
        if let bridge = event.bridge { mountLabel = try mount(raw.mount, of: bridge, who, labels) }
        return .event(Int(raw.event), arguments: arguments, mount: mountLabel)
    }

    private func modelKey(_ pointer: UnsafePointer<CChar>?, _ who: String) throws(DescriptorProblem) -> String
    {
        let key = try Read.name(pointer, "the key of \(who)")
        let isKnown =
            scenario.screens.contains { $0.fields.contains { $0.key == key } }
            || scenario.bridges.contains { $0.inputs.contains(key) }
        if !isKnown {
            throw DescriptorProblem(
                text: "\(who) names the model key \(key), which no field and no input declares")
        }
        return key
    }

    private func bridge(
        _ index: UInt32, _ who: String, kind: Scenario.BridgeKind?
    ) throws(DescriptorProblem) -> Int {
        guard Int(index) < bridges.count else {
            throw DescriptorProblem(
                text: "\(who) names bridge index \(index); there are \(bridges.count), from 0")
        }
        let bridge = scenario.bridges[Int(index)]
        if let kind, bridge.kind != kind {
            throw DescriptorProblem(
                text: kind == .embed
                    ? "\(who) assigns the root view of \(bridge.id), which is no embedding"
                    : "\(who) updates \(bridge.id), which is no wrapping")
        }
        return Int(index)
    }

    private func mount(
        _ pointer: UnsafePointer<CChar>?, of bridge: Int, _ who: String, _ labels: [String: Int]
    ) throws(DescriptorProblem) -> String? {
        guard pointer != nil else { return nil }
        let label = try Read.name(pointer, "the mount label of \(who)")
        if labels[label] != bridge {
            throw DescriptorProblem(
                text:
                    "\(who) names the mount \(label) of \(scenario.bridges[bridge].id); no earlier step gave it"
            )
        }
        return label
    }
}
