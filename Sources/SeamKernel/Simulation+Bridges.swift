/// When the bodies of a bridge run: the kernel decides, the scenario only supplies them.
extension Simulation {
    // MARK: Noting, from inside a body or for an event

    /// A new placement; its bodies run in the next round.
    func place(_ bridge: BridgeID) -> Mount {
        bridgeOfMount.append(Int32(bridge))
        let mount = Mount(id: UInt64(bridgeOfMount.count), bridge: bridge)
        mounts[mount.id] = mount
        bridges[bridge].mounts.append(mount)
        mount.captured = values(of: bridge)
        pending.append(.make(mount))
        return mount
    }

    func remove(_ mount: Mount) {
        if mount.isLeaving { return }
        mount.isLeaving = true
        pending.append(.dismantle(mount))
    }

    /// `rootView = …`: takes a copy of the model as it is at this moment; drawing comes later in the turn (R13).
    func assign(_ mount: Mount) {
        mount.captured = values(of: mount.bridge)
        request(mount.captured == mount.drawn ? .repeat : .input, of: mount)
    }

    /// A draw or update in the next round. Several requests before it are one call, with the first cause (R20).
    func request(_ cause: Cause, of mount: Mount) {
        guard mount.pending == nil, mount.isMade, !mount.isFailed, !mount.isLeaving else { return }
        mount.pending = cause
        pending.append(bridges[mount.bridge].kind == .wrap ? .update(mount) : .draw(mount))
    }

    private func values(of bridge: BridgeID) -> [String?] {
        bridges[bridge].inputs.map { store.keys[$0].model }
    }

    // MARK: Running, one piece of work in its round

    func run(_ work: Work) {
        switch work {
        case .make(let mount): make(mount)
        case .draw(let mount): draw(mount)
        case .update(let mount): update(mount)
        case .dismantle(let mount): dismantle(mount)
        case .write(let key, let value, let author):
            earlierAuthor = author
            writeModel(key, value)
            earlierAuthor = nil
        case .tick(let token): tick(token)
        case .echo(let mount, let value):
            if let event = bridges[mount.bridge].echoEvent, mounts[mount.id] != nil {
                arrival = Arrival(event: Int32(event), origin: .echo)
                callNative(mount, event: event, arguments: [value])
                // A mount that has failed meanwhile was not called, and the next call is not the event's.
                arrival = Arrival()
            }
        }
    }

    /// What a piece of work is called in the report of a cycle.
    func label(of work: Work) -> String {
        switch work {
        case .make(let mount): "\(scenario.bridges[mount.bridge].id).make"
        case .draw(let mount): "\(scenario.bridges[mount.bridge].id).draw"
        case .update(let mount): "\(scenario.bridges[mount.bridge].id).update"
        case .dismantle(let mount): "\(scenario.bridges[mount.bridge].id).dismantle"
        case .echo(let mount, _): "\(scenario.bridges[mount.bridge].id).native"
        case .write(let key, _, _): "model.\(store.keys[key].name)"
        case .tick: "tick"
        }
    }

    /// First evaluation: coordinator, make, then update straight after it (R1, R2); an embedding draws.
    private func make(_ mount: Mount) {
        guard let body, !mount.isLeaving, !mount.isMade else { return }
        mount.isMade = true
        switch bridges[mount.bridge].kind {
        case .custom: return
        case .embed:
            mount.pending = .first
            draw(mount)
        case .wrap:
            mount.generation = 1
            enter(.coordinator, mount, cause: .first, phase: .bridging)
            var coordinator: ObjectID = 0
            leave(body.coordinator(call(mount, .first), out: &coordinator))
            mount.coordinator = coordinator
            guard !mount.isFailed, status == .running else { return }
            let inputs = Inputs(values: values(of: mount.bridge), generation: mount.generation)
            enter(.make, mount, cause: .first, phase: .bridging)
            var view: ObjectID = 0
            leave(body.make(call(mount, .first), inputs: inputs, view: &view))
            mount.view = view
            mount.lastCall = tickMoment()
            guard !mount.isFailed, status == .running else { return }
            runUpdate(mount, .first, inputs)
        }
    }

    private func draw(_ mount: Mount) {
        guard let body, let cause = mount.pending else { return }
        mount.pending = nil
        guard !mount.isLeaving, !mount.isFailed else { return }
        if bridges[mount.bridge].isObserved { mount.captured = values(of: mount.bridge) }
        mount.drawn = mount.captured
        mount.generation &+= 1
        mount.lastCall = tickMoment()
        enter(.draw, mount, cause: cause, phase: .bridging)
        leave(
            body.draw(
                call(mount, cause), inputs: Inputs(values: mount.captured, generation: mount.generation)))
    }

    private func update(_ mount: Mount) {
        guard let cause = mount.pending else { return }
        mount.pending = nil
        guard !mount.isLeaving, !mount.isFailed else { return }
        mount.generation &+= 1
        runUpdate(mount, cause, Inputs(values: values(of: mount.bridge), generation: mount.generation))
    }

    private func runUpdate(_ mount: Mount, _ cause: Cause, _ inputs: Inputs) {
        guard let body else { return }
        mount.lastCall = tickMoment()
        enter(.update, mount, cause: cause, phase: .bridging)
        var view = mount.view
        leave(body.update(call(mount, cause), inputs: inputs, view: &view))
        if view != mount.view {
            mount.view = view
            report(
                DiagnosticCode.recreatedControl, .warning,
                "update of \(scenario.bridges[mount.bridge].id) put another control in the place of the one that "
                    + "make returned: make it once, then write into it",
                bridge: mount.bridge, mount: mount.id)
        }
    }

    /// Exactly once for each make, then what the mount wrote is gone from the screen (R54).
    func dismantle(_ mount: Mount) {
        guard mounts.removeValue(forKey: mount.id) != nil else { return }
        mount.isLeaving = true
        mount.pending = nil
        bridges[mount.bridge].mounts.removeAll { $0 === mount }
        let bridge = bridges[mount.bridge]
        if bridge.kind == .wrap, mount.isMade, let body {
            enter(.dismantle, mount, cause: .removed, phase: .dismantling)
            body.dismantle(call(mount, .removed))
            leave(.ok)
        }
        reportLeaks(of: mount)
        var cleared: [FieldID] = []
        defer { traceUnmounted(mount, cleared: cleared) }
        if bridge.keepsWhenUnmounted { return }
        for position in store.screens[bridge.screen].fields {
            let field = Int(position)
            guard store.fields[field].writer == UInt32(truncatingIfNeeded: mount.id) else { continue }
            touch(field)
            _ = store.setShown(field, nil, at: tickMoment(), writer: 0)
            noteCleared(field, of: mount)
            cleared.append(field)
        }
    }

    /// What was registered and never undone. Nothing is unhooked for the plug-in: it may still be called (R9).
    func reportLeaks(of mount: Mount?) {
        var tokens: [UInt64] = []
        if let mount {
            tokens = mount.tokens
        } else {
            for (token, registration) in registrations where registration.mount == 0 { tokens.append(token) }
            tokens.sort()
        }
        for token in tokens {
            guard let left = registrations[token] else { continue }
            let owner = mount.map { "dismantle of \(scenario.bridges[$0.bridge].id)" } ?? "destroy"
            report(
                left.leak, .warning, "\(owner) left a registration behind: \(left.what); undo it there",
                bridge: mount?.bridge, mount: mount?.id)
        }
    }

    private func tick(_ token: UInt64) {
        guard let body else { return }
        var mount: Mount?
        if let registration = registrations[token], registration.mount != 0 {
            mount = mounts[registration.mount]
            if mount == nil {
                reportLateCallback(registration.mount, "its \(registration.what) was delivered")
            }
        }
        // What it writes is the mount's, and goes when the mount does.
        enter(.tick, mount, phase: .dispatching)
        leave(body.tick(token))
    }

    func callNative(_ mount: Mount, event: Int, arguments: [String?]) {
        guard let body, !mount.isFailed else { return }
        enter(.native, mount, cause: nil, phase: .dispatching)
        leave(body.native(call(mount, .input), event: event, arguments: arguments))
    }

    func reportLateCallback(_ mount: MountID, _ what: String) {
        let bridge = bridge(of: mount)
        let name = bridge.map { scenario.bridges[$0].id } ?? "a bridge"
        report(
            DiagnosticCode.callbackAfterDismantle, .error,
            "mount \(mount) of \(name) was dismantled, and \(what) afterwards: stop it in dismantle",
            bridge: bridge, mount: mount)
    }

    // MARK: Entering and leaving a body

    private func call(_ mount: Mount, _ cause: Cause) -> BridgeCall {
        BridgeCall(
            bridge: mount.bridge, mount: mount.id, coordinator: mount.coordinator, view: mount.view,
            cause: cause)
    }

    func enter(_ kind: CallRecord.Kind, _ mount: Mount? = nil, cause: Cause? = nil, phase: Phase) {
        self.phase = phase
        currentMount = mount
        let call = CallRecord(kind: kind, round: round, bridge: mount?.bridge, mount: mount?.id, cause: cause)
        current = call
        traceCall(call, mount)
    }

    func leave(_ outcome: Outcome) {
        let call = current
        let mount = currentMount
        current = nil
        currentMount = nil
        arrival = Arrival()
        settlePhase()
        if recordsCalls, let call { records.append(call) }
        if case .failed(_, let text) = outcome, let call { fail(call, mount, text) }
    }

    /// A body of a bridge that fails takes its mount with it; anything else takes the simulation.
    private func fail(_ call: CallRecord, _ mount: Mount?, _ text: String) {
        traceFailure(text)
        let endsMount = mount != nil && call.kind != .native && call.kind != .tick
        if endsMount { mount?.failure = (turn, text) }
        report(
            DiagnosticCode.pluginFailed, .error,
            text
                + (endsMount
                    ? "; this mount gets no more calls but dismantle" : "; the simulation has failed"),
            bridge: call.bridge, mount: call.mount)
        if endsMount { return }
        status = .failed(text)
        failure = text
        settlePhase()
    }

    func settlePhase() {
        if phase == .destroying || phase == .destroyed { return }
        phase = status == .running ? .idle : .failed
    }

    // MARK: Findings

    /// Findings of one turn that are listed one by one.
    private static let findingLimit = 1_000

    func report(
        _ code: String, _ severity: Severity, _ text: String, field: FieldID? = nil, bridge: BridgeID? = nil,
        mount: MountID? = nil
    ) {
        if findings.count == Self.findingLimit {
            droppedFindings += 1
            return
        }
        findings.append(
            Diagnostic(code: code, severity: severity, field: field, bridge: bridge, mount: mount, text: text)
        )
    }
}
