/// Two-way values: what a control reads and writes through, when the write arrives, and whose copy it was made from.
extension Simulation {
    /// What a binding gives now.
    func value(of binding: Binding) -> String? {
        switch binding.kind {
        case .live, .derived: store.keys[binding.key].model
        case .snapshot: binding.memory
        case .unwrapped: store.keys[binding.key].model ?? binding.memory
        case .enumCase:
            payload(of: store.keys[binding.key].model, when: binding.argument) ?? binding.memory
        case .constant: binding.argument
        }
    }

    private func payload(of value: String?, when name: String?) -> String? {
        guard let value, let name, let colon = value.firstIndex(of: ":"), value[..<colon] == name else {
            return nil
        }
        return String(value[value.index(after: colon)...])
    }

    /// Writes through; whether there was anything to write into. A constant, an unwrapped value that is gone and another
    /// case take nothing (R80).
    func write(_ value: String?, through id: UInt64, _ binding: Binding) -> Bool {
        switch binding.kind {
        case .live, .derived, .snapshot: write(binding.key, value)
        case .constant: return false
        case .unwrapped:
            guard store.keys[binding.key].model != nil else { return false }
            seam.bindings[id]?.memory = value
            write(binding.key, value)
        case .enumCase:
            guard let name = binding.argument, payload(of: store.keys[binding.key].model, when: name) != nil
            else {
                return false
            }
            seam.bindings[id]?.memory = value
            write(binding.key, value.map { "\(name):\($0)" })
        }
        return true
    }

    /// Remembers what an unwrapped binding or one of a case would go on giving.
    func noteBinding(_ id: UInt64, _ value: String?) {
        guard let kind = seam.bindings[id]?.kind, kind == .unwrapped || kind == .enumCase, let value else {
            return
        }
        seam.bindings[id]?.memory = value
    }
}

/// What a control reads and writes through (R32, R80).
struct Binding {
    var life: Life
    var kind: BindingKind
    var key: FieldStore.KeyID
    /// The name of a case, the value of a constant.
    var argument: String?
    /// What a snapshot captured, what an unwrapped value or a case gave last.
    var memory: String?
}

public enum BindingKind: UInt32, CaseIterable, Sendable {
    /// The storage itself.
    case live = 1
    /// Another key of the model than the one the control is named after.
    case derived
    /// A getter over a captured copy: it lies until the parent is evaluated again.
    case snapshot
    /// Of an optional: gives the last value once there is none, and takes nothing then.
    case unwrapped
    /// Of one case of an enumeration, in a model value "case:payload".
    case enumCase
    case constant
}

/// A deferred write on its way.
struct WriteBack {
    enum When {
        case round, nextTurn
        /// Nanoseconds of the simulation's clock.
        case at(Int64)
    }

    var owner: WorkOwner
    var key: FieldStore.KeyID
    var value: String?
    /// Takes what the control holds when it arrives, in place of `value`.
    var isReread: Bool
    /// The control is gone, and `value` is what it held last.
    var isKept = false
    var madeAt: Moment
    var author: Author
}

extension Mount {
    func count(_ key: FieldStore.KeyID, by step: Int) {
        guard let position = inFlight.firstIndex(where: { $0.key == key }) else {
            inFlight.append((key, step))
            return
        }
        inFlight[position].count += step
        if inFlight[position].count == 0 { inFlight.remove(at: position) }
    }
}
