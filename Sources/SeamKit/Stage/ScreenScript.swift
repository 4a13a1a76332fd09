/// The script of a screen scenario, with its acts as the events that the host is told of.
@MainActor
struct ScreenScript {
    struct Act {
        let id: String
        let title: String
        let arguments: [Parameter]
    }

    let tables: StageTables
    private var taken: Set<String> = []
    /// What people can do outside of wrapped controls.
    private(set) var ownActs: [Act] = []
    private(set) var checks: [Check] = []
    private struct Found {
        /// None for what lies outside of all wrappings.
        let bridge: String?
        let act: SeamKit.Act
        let event: String
        /// All that its controls are called, and what each is called first.
        let names: [String]
        let titles: [String]
        let hasName: Bool
    }
    private var found: [Found] = []

    init(tables: StageTables) { self.tables = tables }

    mutating func reserve(_ id: String) { taken.insert(id) }

    /// An event for each kind of act and each bridge that has a control for it.
    mutating func nameActs() {
        for entry in tables.acts {
            add(entry.act, bridge: entry.bridge, names: entry.names, titles: entry.titles)
        }
    }

    @discardableResult
    private mutating func add(
        _ act: SeamKit.Act, bridge: String?, names: [String], titles: [String]
    ) -> Found {
        let plain = act.rawValue
        let others =
            tables.acts.contains { $0.act == act && $0.bridge != bridge }
            || found.contains { $0.event == plain }
        let isAlone = !others && !taken.contains(plain)
        let id =
            isAlone ? plain : bridge.map { "\($0).\(plain)" } ?? (isFree(plain) ? plain : "screen.\(plain)")
        let hasName = bridge == nil || titles.count != 1
        var arguments: [Parameter] = []
        if hasName {
            // Whose editing ends is known: it is where somebody types.
            let first = act == .endEditing ? "" : titles.first
            arguments.append(.text("control", "Which one, by its name", initial: first))
        }
        switch act {
        case .tap, .endEditing: break
        case .type: arguments.append(.text("text", "What the text is then", initial: ""))
        case .set: arguments.append(.text("value", "What its value is then", initial: ""))
        }
        let title = "Somebody \(act.present) \(bridge ?? "a control")"
        if let bridge {
            for case let wrap as WrapBridge in tables.bridges where wrap.id == bridge {
                // What the program writes comes back as the first of them, which has to be one that writes: a tap, found
                // before the others, stays the last.
                let isTapThere = tables.acts.contains { $0.act == .tap && $0.bridge == bridge }
                let place = wrap.events.count - (wrap.echoes && act != .tap && isTapThere ? 1 : 0)
                wrap.events.insert((id, title, arguments), at: place)
            }
        } else {
            ownActs.append(Act(id: id, title: title, arguments: arguments))
        }
        let made = Found(
            bridge: bridge, act: act, event: id, names: names, titles: titles, hasName: hasName)
        found.append(made)
        return made
    }

    private func isFree(_ event: String) -> Bool {
        !taken.contains(event) && !found.contains { $0.event == event }
    }

    mutating func resolve(_ steps: [Step]) throws -> [Step] {
        var resolved: [Step] = []
        for (index, step) in steps.enumerated() {
            let who = "step \(index + 1) of the script"
            switch step {
            case .tap(let name): resolved.append(try send(.tap, name, [:], who))
            case .type(let text, let name): resolved.append(try send(.type, name, ["text": text], who))
            case .endEditing(let name): resolved.append(try send(.endEditing, name, [:], who))
            case .turn(let name, let value):
                resolved.append(try send(.set, name, ["value": value.modelText], who))
            case .expect(let label, let fields):
                try add(label, fields, who)
                resolved.append(.check(label))
            default: resolved.append(step)
            }
        }
        return resolved
    }

    private mutating func send(
        _ act: SeamKit.Act, _ name: String?, _ values: [String: String], _ who: String
    ) throws -> Step {
        let able = found.filter { $0.act == act }
        let known = name.map { name in able.first { $0.names.contains(name) } } ?? able.first
        var values: [String: any ModelText & Sendable] = values
        if let known {
            if known.hasName, let name { values["control"] = name }
            return .send(known.event, values)
        }
        if let name { values["control"] = name }
        // A title may change, a row come in, a screen be presented: it is looked for when the step runs.
        if let later = lateBridge(of: name) { return .send(lateEvent(act, of: later), values) }
        if let own = able.first(where: { $0.bridge == nil }) { return .send(own.event, values) }
        if tables.expectsMore { return .send(lateEvent(act, of: nil), values) }
        let what = name.map { "is called \($0) and" } ?? "is there that"
        throw ScenarioError(
            "\(who): nothing at the start \(what) can be \(act.past); there is "
                + "\(listed(able.flatMap(\.names), nearestTo: name ?? "")). If it comes up later, name it or what it lies "
                + "in beside the script: .fields(\"\(name ?? "NAME")\"), .bridge(TYPE.self)")
    }

    /// The wrapping that is declared and not there at the start, when a name is one of its derived ones.
    private func lateBridge(of name: String?) -> WrapBridge? {
        let late = tables.lateWraps
        guard let name else { return tables.expectsMore && late.count == 1 ? late[0].bridge : nil }
        let scope = name.prefix { $0 != "." && $0 != "[" }
        return late.first { [$0.typeName, $0.bridge.id].contains(String(scope)) }?.bridge
    }

    /// An event for controls that come up later.
    private mutating func lateEvent(_ act: SeamKit.Act, of bridge: WrapBridge?) -> String {
        let known = found.first { $0.act == act && $0.bridge == bridge?.id }
        return (known ?? add(act, bridge: bridge?.id, names: [], titles: [])).event
    }

    /// A check over all screens that have such a field.
    private mutating func add(
        _ label: String, _ fields: [(key: String, expected: Verdict?)], _ who: String
    ) throws {
        if fields.isEmpty { throw ScenarioError("\(who): the check \(label) names no field") }
        if checks.contains(where: { $0.label == label }) {
            throw ScenarioError("\(who): there is a check \(label) already")
        }
        let places = try fields.map { try tables.places(of: $0.key, "\(who): the check \(label)") }
        for (index, screen) in tables.screens.enumerated() {
            var here: [(key: String, expected: Verdict?)] = []
            for (field, places) in zip(fields, places) {
                for place in places where place.screen == index { here.append((place.key, field.expected)) }
            }
            if !here.isEmpty { checks.append(Check(label, screen: screen.id, fields: here)) }
        }
    }
}

extension Act {
    fileprivate var present: String {
        switch self {
        case .tap: "taps"
        case .type: "types into"
        case .set: "sets"
        case .endEditing: "ends editing in"
        }
    }
}
