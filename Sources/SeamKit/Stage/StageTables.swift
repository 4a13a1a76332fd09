/// What a screen scenario has been found to be made of, when its code ran for the first time: its bridges, its fields
/// and its controls. From then on it stays as it is, since the host has been told.
@MainActor
package final class StageTables {
    struct Naming {
        var id: String?
        var screen: String?
        var inputs: [String]?
        var echoes = false
        var policies: [String] = []
    }

    let owner: String
    let mainScreen: String
    var side: Screen.Side
    var isFrozen = false
    /// What the scenario says of a bridge before it is found.
    var namings: [ObjectIdentifier: Naming] = [:]
    /// Bridges that come into being later than at the start.
    var expected: [(type: Any.Type, isHost: Bool)] = []
    private(set) var bridges: [Bridge] = []
    /// Those that carry whatever the model says.
    private var carryAll: [Bridge] = []
    private var wraps: [ObjectIdentifier: WrapBridge] = [:]
    private var hosts: [ObjectIdentifier: HostBridge] = [:]
    private(set) var screens: [(id: String, side: Screen.Side, fields: [String])]
    var modelKeys: [String] = []
    /// Where the controls are: below a wrapping, or anywhere else.
    var acts: [(bridge: String?, act: Act, names: [String], titles: [String])] = []
    /// Wrappings that are declared and were not there at the start.
    private(set) var lateWraps: [(bridge: WrapBridge, typeName: String)] = []
    /// Something is declared that comes up later than at the start.
    private(set) var expectsMore = false

    init(owner: String, screen: String, side: Screen.Side) {
        self.owner = owner
        mainScreen = screen
        self.side = side
        screens = [(screen, side, [])]
    }

    func declare(_ key: String, on screen: Int) {
        if isFrozen || screens[screen].fields.contains(key) { return }
        screens[screen].fields.append(key)
    }

    /// Whose the fields are that were there at the start: the screen's own, by its name and the field's, or a bridge's.
    private var own: Set<String> = []
    private var carried: Set<String> = []

    /// - Parameter isCarried: it lies in a hosted tree or in a wrapped control.
    func noteField(_ key: String, on screen: Int, isCarried: Bool) {
        if isFrozen { return }
        let name = "\(screen).\(key)"
        if isCarried { carried.insert(name) } else { own.insert(name) }
    }

    /// A field that the controller's own view shows, and nothing that a bridge has put up: no bridge can be late with it.
    private func isOwn(_ key: String, _ bridge: Bridge) -> Bool {
        guard let screen = screens.firstIndex(where: { $0.id == bridge.screen.id }) else { return false }
        let name = "\(screen).\(key)"
        return own.contains(name) && !carried.contains(name)
    }

    func has(_ key: String, on screen: Int) -> Bool { screens[screen].fields.contains(key) }

    /// A field that comes up later.
    func expect(_ key: String, on screen: Int) {
        expectsMore = true
        declare(key, on: screen)
    }

    /// A bridge that may come up later.
    func expect(_ type: Any.Type, isHost: Bool) throws {
        let id = ObjectIdentifier(type)
        if isHost {
            if hosts[id] == nil { expectsMore = true }
            _ = try hostBridge(for: type, screen: nil)
        } else {
            let isLate = wraps[id] == nil
            let bridge = try wrapBridge(for: type, on: 0)
            if isLate {
                expectsMore = true
                lateWraps.append((bridge, shortName(of: type)))
            }
        }
    }

    /// Where the field is that a check names: by its key, on each screen that has one, or as Screen.key.
    func places(of name: String, _ who: String) throws -> [(screen: Int, key: String)] {
        // A derived key has a point of its own, and may begin as a screen is called: the whole goes before its parts.
        let whole = screens.indices.filter { has(name, on: $0) }
        if !whole.isEmpty { return whole.map { ($0, name) } }
        var advice = ".fields(\"\(name)\")"
        for (index, screen) in screens.enumerated() where name.hasPrefix("\(screen.id).") {
            let key = String(name.dropFirst(screen.id.count + 1))
            // What the model says may be shown by whatever comes up on that screen.
            if modelKeys.contains(key) { declare(key, on: index) }
            if has(key, on: index) { return [(index, key)] }
            if index > 0 { advice = ".fields(\"\(key)\", on: \"\(screen.id)\")" }
        }
        throw ScenarioError(
            "\(who) names the field \(name); there is \(listed(fieldNames, nearestTo: name)). One that comes up later than "
                + "at the start is named beside the script: \(advice)")
    }

    /// What the fields are called; with their screen where there are several.
    private var fieldNames: [String] {
        screens.flatMap { screen in screen.fields.map { screens.count == 1 ? $0 : "\(screen.id).\($0)" } }
    }

    func screen(_ id: String, side: Screen.Side) -> Int {
        if let known = screens.firstIndex(where: { $0.id == id }) { return known }
        screens.append((id, side, []))
        return screens.count - 1
    }

    var screenList: [Screen] { screens.map { Screen($0.id, $0.side, fields: $0.fields) } }

    func wrapBridge(for type: Any.Type, on screen: Int) throws -> WrapBridge {
        if let known = wraps[ObjectIdentifier(type)] { return known }
        try refuseLate(type, "bridge")
        let naming = namings[ObjectIdentifier(type)] ?? Naming()
        let place = naming.screen.map { self.screen($0, side: .declarative) } ?? screen
        let made = WrapBridge(
            type: type, id: unused(naming.id ?? shortName(of: type)),
            screen: Screen(screens[place].id, .declarative, fields: []),
            inputs: naming.inputs ?? modelKeys, echoes: naming.echoes, policies: naming.policies)
        wraps[ObjectIdentifier(type)] = made
        add(made, naming)
        return made
    }

    func hostBridge(for type: Any.Type, screen: String?) throws -> HostBridge {
        if let known = hosts[ObjectIdentifier(type)] { return known }
        try refuseLate(type, "bridge")
        let naming = namings[ObjectIdentifier(type)] ?? Naming()
        let place = (naming.screen ?? screen).map { self.screen($0, side: .imperative) } ?? 0
        let made = HostBridge(
            type: type, id: unused(naming.id ?? Self.name(ofHost: type)),
            screen: Screen(screens[place].id, .imperative, fields: []), inputs: naming.inputs ?? modelKeys,
            policies: naming.policies)
        hosts[ObjectIdentifier(type)] = made
        add(made, naming)
        return made
    }

    private func add(_ made: Bridge, _ naming: Naming) {
        bridges.append(made)
        if naming.inputs == nil { carryAll.append(made) }
    }

    /// A bridge may have come up before the model was known, with the object that the model is read from.
    func settleInputs() {
        for bridge in carryAll { bridge.inputs = modelKeys.filter { !isOwn($0, bridge) } }
    }

    private func refuseLate(_ type: Any.Type, _ what: String) throws {
        guard isFrozen else { return }
        throw ScenarioError(
            "\(type) came up later than the description of \(owner), which knows the bridges of the first screen: "
                + "name it there, .bridge(\(type).self)")
    }

    /// "UIHostingController<SummaryView>" is best called after its view; a root view after itself.
    private static func name(ofHost type: Any.Type) -> String {
        if type is any View.Type { return innermost(type) ?? shortName(of: type) }
        let name = "\(type)"
        guard let open = name.firstIndex(of: "<"), name.hasSuffix(">") else { return shortName(of: type) }
        let inside = String(name[name.index(after: open)...].dropLast())
        return inside.contains("<") ? String(name[..<open]) : inside
    }

    /// A view inside of modifiers is what they are told by.
    private static func innermost(_ type: Any.Type) -> String? {
        guard type is any Part.Type, !(type is any _Representable.Type) else { return nil }
        let name = "\(type)"
        guard let open = name.firstIndex(of: "<") else { return nil }
        let inside = name[name.index(after: open)...].prefix { $0 != "," && $0 != "<" && $0 != ">" }
        return inside.isEmpty ? nil : String(inside)
    }

    private func unused(_ name: String) -> String {
        let clean = String(name.map { "./=*;".contains($0) ? "-" : $0 })
        if !bridges.contains(where: { $0.id == clean }) { return clean }
        var number = 2
        while bridges.contains(where: { $0.id == "\(clean)-\(number)" }) { number += 1 }
        return "\(clean)-\(number)"
    }
}

extension Instance {
    func wrapBridge(for type: Any.Type, on screen: UInt32) throws -> WrapBridge {
        guard let stageTables else {
            throw ScenarioError("\(type) stands in a view that no ScreenScenario put up")
        }
        return try stageTables.wrapBridge(for: type, on: Int(screen))
    }

    func hostBridge(for type: Any.Type, screen: String?) throws -> HostBridge {
        guard let stageTables else {
            throw ScenarioError("\(type) was made in a scenario that is no ScreenScenario")
        }
        return try stageTables.hostBridge(for: type, screen: screen)
    }

    /// A field that the host has not been told of can't be shown: said once, with what to write.
    package func declare(_ key: String, on screen: UInt32, isCarried: Bool = true) {
        guard let stageTables else { return }
        stageTables.noteField(key, on: Int(screen), isCarried: isCarried)
        if !stageTables.isFrozen { return stageTables.declare(key, on: Int(screen)) }
        if stageTables.has(key, on: Int(screen)) || !undeclared.insert("\(screen).\(key)").inserted { return }
        report(
            2, "undeclared-field",
            "\(stageTables.screens[Int(screen)].id).\(key) came up later than the description of \(stageTables.owner), "
                + "which knows the fields of the first screen: name it there, .fields(\"\(key)\")")
    }
}
