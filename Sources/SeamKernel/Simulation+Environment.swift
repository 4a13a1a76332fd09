/// The environment: a carrier of its own, beside the inputs. It is inherited, cut, captured early or late, and a value
/// that does not arrive leaves no trace on either side of the seam (R19).
extension Simulation {
    /// Sets or clears values at the root, or on one host. At the root it is what should be shown: a model key of the
    /// same name follows it.
    func setEnvironment(_ values: [(key: String, value: String?)], of mount: Mount?) {
        seam.isUnweighed = true
        if mount == nil { seam.environmentVersion += 1 }
        for (name, value) in values {
            if let mount {
                mount.traits[name] = value
                mount.traitTurns[name] = value == nil ? nil : turn
            } else {
                seam.rootEnvironment[name] = value
                if let key = store.key(named: name) {
                    noteSet(key)
                    writeModel(key, value)
                }
            }
        }
        let changed = Set(values.map(\.key))
        for other in mounts.values.sorted(by: { $0.id < $1.id }) where descends(other, from: mount) {
            switch seam.bridges[other.bridge].ways.environmentCapture {
            case .live:
                for read in other.environmentReads where changed.contains(read.name) { note(read, of: other) }
            case .layout:
                other.environmentIsDirty = true
                seam.hasDirtyEnvironment = true
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
    func note(_ read: EnvironmentRead, of mount: Mount) {
        if haveSameBytes(read.value, resolve(read.name, for: mount)) { return }
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
        mount.environment = everything(for: mount)
        let isShared = mount.traits.isEmpty && mounts[mount.parent] == nil
        mount.environmentVersion = isShared ? seam.environmentVersion : nil
        seam.isUnweighed = true
    }

    /// All that a host sees now. Without traits on the way it is the one dictionary of the root, shared by all hosts.
    private func everything(for mount: Mount) -> [String: String] {
        let ways = seam.bridges[mount.bridge].ways
        var above: [String: String] = [:]
        if ways.environment == .inherit {
            above = mounts[mount.parent].map(everythingRead) ?? seam.rootEnvironment
        }
        return merge(mount.traits, above, ways)
    }

    private func everythingRead(by mount: Mount) -> [String: String] {
        let ways = seam.bridges[mount.bridge].ways
        if ways.environmentCapture == .live { return everything(for: mount) }
        return merge(mount.traits, mount.environment, ways)
    }

    private func merge(_ own: [String: String], _ above: [String: String], _ ways: Ways) -> [String: String] {
        if own.isEmpty { return above }
        return above.merging(own) { above, own in ways.environmentPrecedence == .native ? own : above }
    }

    /// The layout pass: hosts that wait for it, and environments whose ancestors changed (R77).
    func layOut() -> Bool {
        let isDirty = seam.hasDirtyEnvironment && captureDirtyEnvironments()
        return Seam.move(&seam.layout, into: &pending) || isDirty && !pending.isEmpty
    }

    private func captureDirtyEnvironments() -> Bool {
        seam.hasDirtyEnvironment = false
        var isDirty = false
        for mount in mounts.values.filter(\.environmentIsDirty).sorted(by: { $0.id < $1.id }) {
            mount.environmentIsDirty = false
            isDirty = true
            captureEnvironment(mount)
            for read in mount.environmentReads { note(read, of: mount) }
        }
        return isDirty
    }

    /// What a body reads: its own traits and what it has inherited, in the order of its policy.
    private func resolve(_ name: String, for mount: Mount) -> String? {
        switch seam.bridges[mount.bridge].ways.environmentCapture {
        case .live: return inherited(name, by: mount)
        case .creation, .layout, .request:
            let own = mount.traits[name]
            let taken = mount.environment[name]
            return seam.bridges[mount.bridge].ways.environmentPrecedence == .native
                ? own ?? taken : taken ?? own
        }
    }

    private func inherited(_ name: String, by mount: Mount) -> String? {
        let ways = seam.bridges[mount.bridge].ways
        let own = mount.traits[name]
        let above = ways.environment == .own ? nil : above(mount, name)
        return ways.environmentPrecedence == .native ? own ?? above : above ?? own
    }

    private func above(_ mount: Mount, _ name: String) -> String? {
        if let parent = mounts[mount.parent] { return resolve(name, for: parent) }
        return seam.rootEnvironment[name]
    }

    /// What would have arrived had nothing been cut and nothing been captured too early, in the order that each host on
    /// the way says (R77).
    private func uncut(_ name: String, for mount: Mount) -> String? {
        let own = mount.traits[name]
        let isNative = seam.bridges[mount.bridge].ways.environmentPrecedence == .native
        if isNative, own != nil { return own }
        let above = mounts[mount.parent].map { uncut(name, for: $0) } ?? seam.rootEnvironment[name]
        return above ?? own
    }

    /// A read from inside a body, tracked; one that misses what an ancestor holds is reported.
    func readEnvironment(_ name: String, of mount: Mount) -> String? {
        let value = resolve(name, for: mount)
        var read = EnvironmentRead(name: name, value: value, generation: mount.generation)
        if value != nil, let holder = holder(of: name, for: mount) {
            read.holder = holder.id
            read.setIn = holder.traitTurns[name] ?? 0
        }
        let before = mount.environmentReads.first { $0.name == name }
        let meant = uncut(name, for: mount)
        if meant != nil, !haveSameBytes(meant, value) {
            read.reportedIn = turn
            // Make and the update after it read the same.
            if before?.reportedIn != turn || !haveSameBytes(before?.value, value) {
                reportCut(name, value, meant, of: mount)
            }
        }
        mount.environmentReads.removeAll { $0.name == name }
        mount.environmentReads.append(read)
        return value
    }

    private func reportCut(_ name: String, _ value: String?, _ meant: String?, of mount: Mount) {
        let capture = seam.bridges[mount.bridge].ways.environmentCapture
        // What would have arrived live was handed on, and taken before it changed.
        let isOld = capture != .live && haveSameBytes(inherited(name, by: mount), meant)
        let advice =
            isOld
            ? "it was handed on, and taken before that (environment-capture=\(capture.rawValue)): take the "
                + "environment again when it changes" : "hand it on where the host is made"
        let field = store.key(named: name).flatMap {
            store.field(screen: seam.bridges[mount.bridge].screen, key: $0)
        }
        let isOwn = haveSameBytes(meant, mount.traits[name])
        report(
            DiagnosticCode.environmentNotPropagated, .warning,
            "\(scenario.bridges[mount.bridge].id) read the environment value \(name) and found "
                + "\(value ?? "none"), \(isOwn ? "it holds itself" : "an ancestor holds") \(meant ?? "none"): \(advice)",
            field: field, bridge: mount.bridge, mount: mount.id)
    }

    /// The mount whose own trait a body reads; nil for the root's value, and for one out of a captured environment.
    private func holder(of name: String, for mount: Mount) -> Mount? {
        let ways = seam.bridges[mount.bridge].ways
        let own = mount.traits[name] == nil ? nil : mount
        let above: Mount?
        if ways.environmentCapture == .live {
            if ways.environment == .own { return own }
            above = mounts[mount.parent].flatMap { holder(of: name, for: $0) }
            if ways.environmentPrecedence != .native, above == nil, self.above(mount, name) != nil {
                return nil
            }
        } else {
            above = nil
            if ways.environmentPrecedence != .native, mount.environment[name] != nil { return nil }
        }
        return ways.environmentPrecedence == .native ? own ?? above : above ?? own
    }
}
