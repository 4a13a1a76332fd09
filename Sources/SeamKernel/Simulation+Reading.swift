/// One field as it is now.
public struct FieldView {
    public var screen: String
    public var key: String
    public var model: String?
    public var shown: String?
    public var verdict: Verdict
}

/// What can be asked of a simulation between turns.
extension Simulation {
    /// Nanoseconds of the simulation's clock since it was created.
    public var nanoseconds: Int64 { clock.now }
    /// The earliest timer, in the simulation's time.
    public var nextDeadline: Int64? { clock.nextDeadline }

    public var fieldCount: Int { store.fields.count }
    public var keyCount: Int { store.keys.count }

    public func field(_ id: FieldID) -> FieldView {
        let field = store.fields[id]
        let model = store.model(of: id)
        return FieldView(
            screen: store.screens[Int(field.screen)].name, key: store.keys[Int(field.key)].name, model: model,
            shown: field.shown, verdict: Verdict.of(model: model, shown: field.shown))
    }

    /// A field's names alone, without judging it.
    public func names(of id: FieldID) -> (screen: String, key: String) {
        let field = store.fields[id]
        return (store.screens[Int(field.screen)].name, store.keys[Int(field.key)].name)
    }

    public var screenNames: [String] { store.screens.map(\.name) }
    public var keyNames: [String] { store.keys.map(\.name) }

    public func screen(named name: String) -> ScreenID? { store.screen(named: name) }

    /// The fields of a screen in order of declaration.
    public func fields(of screen: ScreenID) -> [FieldID] { store.screens[screen].fields.map(Int.init) }

    public func field(screen: ScreenID, key: String) -> FieldID? {
        store.key(named: key).flatMap { store.field(screen: screen, key: $0) }
    }

    /// The fields of a key on every screen, in order of declaration; none when there is no such key.
    public func fields(ofKey name: String) -> [FieldID] {
        guard let key = store.key(named: name) else { return [] }
        var fields: [FieldID] = []
        store.forEachField(of: key) { fields.append($0) }
        return fields.reversed()
    }

    /// The live mounts of a bridge, in order of mounting.
    public func mounts(of bridge: BridgeID) -> [MountID] { bridges[bridge].mounts.map(\.id) }

    /// Which bridge a mount belongs to, also when it is gone.
    public func bridge(of mount: MountID) -> BridgeID? {
        guard mount > 0, mount <= UInt64(bridgeOfMount.count) else { return nil }
        return Int(bridgeOfMount[Int(mount) - 1])
    }

    /// What only a check can tell: between two requests nobody knows whether the call is still to come. The
    /// findings answer the check; they take no seq and never stream.
    public func check(_ fields: [FieldID]) -> [Diagnostic] {
        fields.compactMap(missedCarry)
    }

    /// The call that should have carried a stale or missing field across, and did not.
    private func missedCarry(_ id: FieldID) -> Diagnostic? {
        let verdict = store.verdict(of: id)
        guard verdict == .stale || verdict == .missing, !carriers.isEmpty else { return nil }
        let field = store.fields[id]
        let key = store.keys[Int(field.key)]
        let bearing = carriers[Int(field.key)].filter { bridges[$0].screen == Int(field.screen) }
        // Written after the model changed: the value went astray, no call is missing.
        guard let first = bearing.first, field.writtenAt < key.changedAt else { return nil }
        let name = store.name(of: id)
        let since = "the model value of \(name) changed in turn \(key.changedAt.turn)"
        for position in bearing {
            guard let mount = bridges[position].mounts.first(where: { $0.lastCall > key.changedAt }) else {
                continue
            }
            return Diagnostic(
                code: DiagnosticCode.emptyUpdate, severity: .warning, field: id, bridge: position,
                mount: mount.id,
                text: "\(since); \(verb(of: position)) of \(scenario.bridges[position].id) ran since, "
                    + "in turn \(mount.lastCall.turn), and did not write it")
        }
        let last = bridges[first].mounts.map(\.lastCall).max() ?? .never
        let before = last == .never ? "it has never run" : "it last ran in turn \(last.turn)"
        return Diagnostic(
            code: DiagnosticCode.updateNeverArrived, severity: .warning, field: id, bridge: first,
            mount: bridges[first].mounts.first?.id,
            text:
                "\(since) and no \(verb(of: first)) of \(scenario.bridges[first].id) has run since; \(before)"
        )
    }

    private func verb(of bridge: BridgeID) -> String {
        switch bridges[bridge].kind {
        case .embed: bridges[bridge].isObserved ? "draw" : "assignment"
        case .wrap: "update"
        case .custom: "call"
        }
    }
}
