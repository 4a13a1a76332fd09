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
    private var found: [(bridge: String?, act: SeamKit.Act, event: String, names: [String], hasName: Bool)] =
        []

    init(tables: StageTables) { self.tables = tables }

    mutating func reserve(_ id: String) { taken.insert(id) }

    /// An event for each kind of act and each bridge that has a control for it.
    mutating func nameActs() {
        for entry in tables.acts {
            let plain = entry.act.rawValue
            let isAlone = tables.acts.filter { $0.act == entry.act }.count == 1 && !taken.contains(plain)
            let id = isAlone || entry.bridge == nil ? plain : "\(entry.bridge ?? "").\(plain)"
            let hasName = entry.bridge == nil || entry.names.count > 1
            var arguments: [Parameter] = []
            if hasName {
                arguments.append(.text("control", "Which one, by its name", initial: entry.names.first))
            }
            switch entry.act {
            case .tap: break
            case .type: arguments.append(.text("text", "What the text is then", initial: ""))
            case .set: arguments.append(.text("value", "What its value is then", initial: ""))
            }
            let title = "Somebody \(entry.act.present) \(entry.bridge ?? "a control")"
            if let bridge = entry.bridge {
                for case let wrap as WrapBridge in tables.bridges where wrap.id == bridge {
                    // What the program writes comes back as the first of them, which has to be one that writes: a tap, found
                    // before the others, stays the last.
                    let goesBefore =
                        wrap.echoes && entry.act != .tap
                        && tables.acts.contains { $0.act == .tap && $0.bridge == bridge }
                    wrap.events.insert(
                        (id, title, arguments), at: wrap.events.count - (goesBefore ? 1 : 0))
                }
            } else {
                ownActs.append(Act(id: id, title: title, arguments: arguments))
            }
            found.append((entry.bridge, entry.act, id, entry.names, hasName))
        }
    }

    mutating func resolve(_ steps: [Step]) throws -> [Step] {
        var resolved: [Step] = []
        for (index, step) in steps.enumerated() {
            let who = "step \(index) of the script"
            switch step {
            case .tap(let name): resolved.append(try send(.tap, name, [:], who))
            case .type(let text, let name): resolved.append(try send(.type, name, ["text": text], who))
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

    private func send(
        _ act: SeamKit.Act, _ name: String?, _ values: [String: String], _ who: String
    ) throws -> Step {
        let able = found.filter { $0.act == act }
        let entry =
            name.flatMap { name in able.first { $0.names.contains(name) } }
            ?? (name == nil || able.count == 1 ? able.first : nil)
        guard let entry else {
            let names = able.flatMap(\.names)
            throw ScenarioError(
                "\(who): nothing at the start is called \(name ?? "anything") and can be \(act.past); there is "
                    + (names.isEmpty ? "none" : names.joined(separator: ", ")))
        }
        var values: [String: any ModelText & Sendable] = values
        if entry.hasName, let name { values["control"] = name }
        return .send(entry.event, values)
    }

    /// A check over all screens that have such a field.
    private mutating func add(
        _ label: String, _ fields: [(key: String, expected: Verdict?)], _ who: String
    ) throws {
        for (index, screen) in tables.screens.enumerated() {
            var here: [(key: String, expected: Verdict?)] = []
            for (key, expected) in fields {
                if let dot = key.firstIndex(of: "."), tables.screens.contains(where: { $0.id == key[..<dot] })
                {
                    guard key[..<dot] == screen.id else { continue }
                    let own = String(key[key.index(after: dot)...])
                    tables.declare(own, on: index)
                    here.append((own, expected))
                } else if tables.has(key, on: index)
                    || index == 0 && !tables.screens.contains(where: { $0.fields.contains(key) })
                {
                    // A field that comes up later is known by the check that names it.
                    tables.declare(key, on: index)
                    here.append((key, expected))
                }
            }
            if here.isEmpty { continue }
            let known = checks.contains { $0.label == label && $0.screen == screen.id }
            if known { throw ScenarioError("\(who): there is a check \(label) already") }
            checks.append(
                Check(label, screen: screen.id, fields: here))
        }
    }
}

extension Act {
    fileprivate var present: String {
        switch self {
        case .tap: "taps"
        case .type: "types into"
        case .set: "sets"
        }
    }
}
