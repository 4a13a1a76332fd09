/// The environment: a carrier of its own, beside the inputs. It is inherited, cut, captured early or late, and a value
/// that does not arrive leaves no trace on either side of the seam (R19).
extension Simulation {
    /// Sets or clears a value at the root, or on one host. At the root it is what should be shown: a model key of the
    /// same name follows it.
    func setEnvironment(_ name: String, _ value: String?, of mount: Mount?) {
        seam.isUnweighed = true
        if let mount {
            mount.traits.set(name, value)
        } else {
            seam.rootEnvironment.set(name, value)
            if let key = store.key(named: name) { writeModel(key, value) }
        }
        for other in mounts.values.sorted(by: { $0.id < $1.id }) where descends(other, from: mount) {
            switch seam.bridges[other.bridge].ways.environmentCapture {
            case .live: noteEnvironment(name, of: other)
            case .layout: other.environmentIsDirty = true
            case .creation, .request: continue
            }
        }
    }

    private func descends(_ mount: Mount, from ancestor: Mount?) -> Bool {
        guard let ancestor else { return true }
        var next: Mount? = mount
        while let here = next {
            if here === ancestor { return true }
            next = mounts[here.parent]
        }
        return false
    }

    /// A key that was read before, and reads differently now, causes an update; no other does (R3).
    private func noteEnvironment(_ name: String, of mount: Mount) {
        guard let read = mount.environmentReads.first(where: { $0.name == name }) else { return }
        if haveSameBytes(read.value, resolve(name, for: mount)) { return }
        request(.environment, of: mount)
    }

    /// At creation, and whenever the plug-in asks.
    func takeEnvironment(_ mount: Mount) {
        switch seam.bridges[mount.bridge].ways.environmentCapture {
        case .live, .request: return
        case .creation, .layout: captureEnvironment(mount)
        }
    }

    func captureEnvironment(_ mount: Mount) {
        var names = seam.rootEnvironment.map(\.name)
        var next: Mount? = mount
        while let here = next {
            names.append(contentsOf: here.traits.map(\.name))
            next = mounts[here.parent]
        }
        mount.environment = []
        for name in names where mount.environment.value(of: name) == nil {
            if let value = inherited(name, by: mount) { mount.environment.append((name, value)) }
        }
    }

    /// The layout pass: hosts that wait for it, and environments whose ancestors changed (R77).
    func layOut() -> Bool {
        var isDirty = false
        for mount in mounts.values.filter(\.environmentIsDirty).sorted(by: { $0.id < $1.id }) {
            mount.environmentIsDirty = false
            isDirty = true
            captureEnvironment(mount)
            for read in mount.environmentReads { noteEnvironment(read.name, of: mount) }
        }
        return seam.take(\.layout, into: &pending) || isDirty && !pending.isEmpty
    }

    /// What a body reads: its own traits and what it has inherited, in the order of its policy.
    private func resolve(_ name: String, for mount: Mount) -> String? {
        switch seam.bridges[mount.bridge].ways.environmentCapture {
        case .live: return inherited(name, by: mount)
        case .creation, .layout, .request:
            let own = mount.traits.value(of: name)
            let taken = mount.environment.value(of: name)
            return seam.bridges[mount.bridge].ways.environmentPrecedence == .native
                ? own ?? taken : taken ?? own
        }
    }

    private func inherited(_ name: String, by mount: Mount) -> String? {
        let ways = seam.bridges[mount.bridge].ways
        let own = mount.traits.value(of: name)
        let above = ways.environment == .own ? nil : above(mount, name)
        return ways.environmentPrecedence == .native ? own ?? above : above ?? own
    }

    private func above(_ mount: Mount, _ name: String) -> String? {
        if let parent = mounts[mount.parent] { return resolve(name, for: parent) }
        return seam.rootEnvironment.value(of: name)
    }

    /// What would have arrived had nothing been cut and nothing been captured too early.
    private func uncut(_ name: String, for mount: Mount) -> String? {
        var next: Mount? = mount
        while let here = next {
            if let value = here.traits.value(of: name) { return value }
            next = mounts[here.parent]
        }
        return seam.rootEnvironment.value(of: name)
    }

    /// A read from inside a body, tracked; one that misses what an ancestor holds is reported.
    func readEnvironment(_ name: String, of mount: Mount) -> String? {
        let value = resolve(name, for: mount)
        mount.environmentReads.removeAll { $0.name == name }
        mount.environmentReads.append((name, value))
        let meant = uncut(name, for: mount)
        if meant != nil, !haveSameBytes(meant, value) {
            report(
                DiagnosticCode.environmentNotPropagated, .warning,
                "\(scenario.bridges[mount.bridge].id) read the environment value \(name) and found "
                    + "\(value ?? "none"), an ancestor holds \(meant ?? "none"): hand it on where the host is made",
                bridge: mount.bridge, mount: mount.id)
        }
        return value
    }
}

extension [(name: String, value: String)] {
    func value(of name: String) -> String? { first { $0.name == name }?.value }

    mutating func set(_ name: String, _ value: String?) {
        removeAll { $0.name == name }
        if let value { append((name, value)) }
    }
}
