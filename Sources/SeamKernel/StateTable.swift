/// Where a simulation stands between calls into its body.
public enum Phase: UInt8, Sendable, CaseIterable {
    case creating, created, idle
    /// Inside start, event, tick, native, and while the main queue is drained for the turn.
    case dispatching
    /// Inside coordinator, make, update, draw.
    case bridging
    case dismantling
    /// Inside destroy.
    case destroying
    case failed
    case destroyed
}

/// What a plug-in may ask of its host.
public enum HostCall: UInt8, Sendable, CaseIterable {
    case modelSet, modelClear, modelGet, screenSet, screenClear, screenGet, mount, unmount, assignRoot,
        invalidate
    case bind, own, disown, nextTurn, atTime, cancel, now, random, log, post, diagnose, fail, getInterface
    case mountIn, setActivity, activityGet, identify, setItems, itemGet, rebind, dismiss, buildRoot,
        assignBuilt, lift, measured
    case screenSetOn, nativeChange, setDraft, differs, forgetDiffBase, transaction
    case environmentSet, environmentGet, environmentTake, stateStart, stateGet, stateSet
    case objectMake, objectHold, objectPublish, objectDrop, subscribe, unsubscribe
    case bindingMake, bindingGet, bindingSet, bindingRebind, bindingUnbind
    case ask, writeLater, inFlight, watch, command

    /// As the C header spells it, which is the name that an author knows.
    public var name: String {
        var name = ""
        for character in "\(self)" {
            name += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
        }
        return name
    }
}

/// The published table of what may be called when. A call outside it does nothing, answers "state" and is
/// reported as `plugin-misbehaving`; it never traps.
public enum StateTable {
    public static func permits(_ call: HostCall, in phase: Phase) -> Bool {
        table[Int(phase.rawValue)] & bit(call) != 0
    }

    private static let table: [UInt64] = Phase.allCases.map { phase in
        allowed(in: phase).reduce(0) { $0 | bit($1) }
    }

    private static func bit(_ call: HostCall) -> UInt64 { 1 << UInt64(call.rawValue) }

    private static func allowed(in phase: Phase) -> [HostCall] {
        let anyThread: [HostCall] = [.log, .post]
        return switch phase {
        case .creating: [.log, .fail, .now, .random, .getInterface]
        case .created, .idle: anyThread
        case .dispatching: HostCall.allCases
        case .bridging:
            // A write to the model from a body is taken, and carried out in the next round (R7).
            anyThread + [
                .screenSet, .screenClear, .screenGet, .modelGet, .modelSet, .modelClear, .bind, .own, .disown,
                .nextTurn, .atTime, .cancel, .now, .random, .diagnose, .fail, .getInterface,
                // A body makes and arranges what lies inside it; that only notes.
                .mountIn, .activityGet, .identify, .setItems, .itemGet, .lift, .measured, .screenSetOn,
                .differs, .forgetDiffBase,
                .environmentSet, .environmentGet, .environmentTake, .stateStart, .stateGet, .stateSet,
                .objectMake, .objectHold, .objectDrop, .subscribe, .unsubscribe, .bindingMake, .bindingGet,
                .bindingSet, .bindingRebind, .bindingUnbind, .ask, .writeLater, .inFlight, .watch, .command,
            ]
        case .dismantling:
            // The end of a mount is inside the update phase as well: a write is reported and goes by policy (R7).
            anyThread + [
                .disown, .cancel, .screenClear, .diagnose, .now, .modelSet, .modelClear, .bind, .activityGet,
                .itemGet, .stateGet, .objectDrop, .unsubscribe, .bindingSet, .bindingUnbind, .getInterface,
            ]
        case .destroying: anyThread + [.disown, .cancel, .screenClear, .diagnose, .now]
        case .failed: [.log]
        case .destroyed: []
        }
    }
}
