/// When the bodies of a bridge run: the kernel decides, the scenario only supplies them.
extension Simulation {
    // MARK: Noting, from inside a body or for an event

    /// A new placement; its bodies run in the next round.
    func place(_ bridge: BridgeID, in parent: Mount? = nil, item: Item? = nil, style: String? = nil) -> Mount
    {
        seam.isUnweighed = true
        seam.bridgeOfMount.append(Int32(bridge))
        let mount = Mount(id: UInt64(seam.bridgeOfMount.count), bridge: bridge)
        mounts[mount.id] = mount
        seam.bridges[bridge].mounts.append(mount)
        if let parent {
            mount.parent = parent.id
            mount.depth = parent.depth + 1
            parent.children.append(mount.id)
        }
        mount.owner = item?.id
        mount.item = item?.value
        mount.style = style
        mount.activity.hasSize = seam.bridges[bridge].ways.make != .needsSize
        mount.wasVisible = isVisible(mount)
        capture(mount)
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
        capture(mount)
        request(mount.captured == mount.drawn ? .repeat : .input, of: mount)
    }

    func capture(_ mount: Mount) {
        var values: [String?] = []
        swap(&values, &mount.spare)
        let count = seam.bridges[mount.bridge].inputs.count
        if values.count == count {
            for position in 0..<count {
                values[position] = store.keys[seam.bridges[mount.bridge].inputs[position]].model
            }
            mount.captured = values
        } else {
            mount.captured = self.values(of: mount.bridge)
        }
        mount.capturedAt = tickMoment()
        mount.assignedAt = mount.capturedAt
    }

    /// A builder makes a root view from the model of this moment. Nobody is told: that is no assignment (R17).
    func build(_ mount: Mount) { mount.built = (values(of: mount.bridge), tickMoment()) }

    func assignBuilt(_ mount: Mount) {
        guard let built = mount.built else { return assign(mount) }
        mount.captured = built.values
        mount.capturedAt = built.at
        mount.assignedAt = tickMoment()
        request(mount.captured == mount.drawn ? .repeat : .input, of: mount)
    }

    /// A draw or update to come. Several requests before it are one call, with the first cause (R20).
    /// - Parameter isTested: a changed input, which is no change if it is back to what was carried by then (R21).
    func request(_ cause: Cause, of mount: Mount, isTested: Bool = false) {
        // A custom bridge has neither body: its plug-in drives it.
        guard seam.bridges[mount.bridge].kind != .custom, mount.isMade, !mount.isFailed, !mount.isLeaving
        else { return }
        if mount.pending != nil {
            if !isTested { mount.isTested = false }
            return
        }
        mount.pending = cause
        if cause == .state || cause == .observed { mount.asked = seam.earlierAuthor ?? author }
        mount.isTested = isTested
        if seam.bridges[mount.bridge].ways.coalesce == .write { seal(mount) }
        enqueue(mount, cause)
    }

    private func enqueue(_ mount: Mount, _ cause: Cause) {
        let kind = seam.bridges[mount.bridge].kind
        // It has no body to run, whatever has changed.
        if kind == .custom {
            mount.pending = nil
            mount.sealed = []
            return
        }
        let work: Work = kind == .wrap ? .update(mount) : .draw(mount)
        if seam.bridges[mount.bridge].ways.inward == .nextTurn { return seam.laterTurn.append(work) }
        if kind == .embed {
            switch seam.bridges[mount.bridge].ways.draw {
            case .round: break
            case .layout: return seam.layout.append(work)
            case .frame: return seam.frame.append(work)
            }
        }
        if seam.bridges[mount.bridge].ways.flush == .inEvent, cause == .input || cause == .state {
            seam.urgent.append(work)
        } else {
            pending.append(work)
        }
    }

    /// Closes the call that waits: what is written from now on is another one.
    func seal(_ mount: Mount) {
        guard let cause = mount.pending else { return }
        mount.sealed.append((cause, values(of: mount.bridge)))
        mount.pending = nil
    }

    /// A border between writes that are told apart, whatever is coalesced otherwise (R20).
    func sealAll() {
        for bridge in seam.bridges.indices { for mount in seam.bridges[bridge].mounts { seal(mount) } }
    }

    func values(of bridge: BridgeID) -> [String?] {
        seam.bridges[bridge].inputs.map { store.keys[$0].model }
    }

    /// Before a value is stored: whoever draws at the signal sees the old one (R22).
    func signal(_ key: FieldStore.KeyID) {
        for position in seam.carriers[key] where seam.bridges[position].ways.capture == .signal {
            guard seam.bridges[position].kind == .embed, seam.bridges[position].observes(key) else {
                continue
            }
            for mount in seam.bridges[position].mounts { mount.captured = values(of: position) }
        }
    }

    /// After a value is stored: who is told of it.
    func carry(_ key: FieldStore.KeyID, isNew: Bool) {
        for position in seam.carriers[key] {
            let test = seam.bridges[position].ways.changeTest
            if !isNew && test != .publish || test == .identity { continue }
            switch seam.bridges[position].kind {
            case .custom: continue
            case .embed: if !seam.bridges[position].observes(key) { continue }
            case .wrap: if seam.bridges[position].ways.updates != .automatic { continue }
            }
            for mount in seam.bridges[position].mounts {
                request(.input, of: mount, isTested: test == .value)
            }
        }
        if !isNew { return }
        for position in seam.closureBridges {
            for mount in seam.bridges[position].mounts { request(.unrelated, of: mount) }
        }
        if let readers = seam.readers[key] { for mount in readers { requestOutwards(from: mount) } }
        callWatches(of: key)
    }

    func callWatches(of key: FieldStore.KeyID) {
        for watch in seam.watches where watch.key == key { call(watch) }
    }

    /// What a nested body reads counts for the bodies around it as well (R81).
    private func requestOutwards(from reader: Mount) {
        var next: Mount? = reader
        while let mount = next {
            request(.observed, of: mount)
            next = mounts[mount.parent]
        }
    }

    /// An evaluation has ended: what it did not read causes no other one (R3, R4).
    func dropOldReads(of mount: Mount) {
        mount.environmentReads.removeAll { $0.generation != mount.generation }
        for read in mount.reads where read.generation != mount.generation {
            seam.readers[read.key]?.removeAll { $0 === mount }
        }
        mount.reads.removeAll { $0.generation != mount.generation }
    }

    // MARK: Running, one piece of work in its round

    func run(_ work: Work) {
        switch work {
        case .make(let mount): make(mount)
        case .arrive(let mount): arrive(mount)
        case .draw(let mount): draw(mount)
        case .update(let mount): update(mount)
        case .attach(let mount): attach(mount)
        case .activity(let mount, let change): if !mount.isLeaving { move(mount, to: change) }
        case .moved(let mount): moved(mount)
        case .dismantle(let mount): leaveTree(mount)
        case .write(let key, let value, let author):
            traceLate(
                .writeBack, of: MountID(author.mount), .deferred, assignment(store.keys[key].name, value),
                by: author)
            trace?.set(key)
            seam.earlierAuthor = late(author, as: .writeBack)
            writeModel(key, value)
            seam.earlierAuthor = nil
        case .writeBack(let number): deliverWriteBack(number)
        case .state(let mount, let life, let name, let value, let author):
            // Of a view that is gone, or of another identity by now, there is no state to write (R10).
            let isHere = mounts[mount.id] === mount && mount.life == life
            let text = assignment(name, value) + (isHere ? "" : " was dropped: its view is gone")
            traceLate(.state, of: mount.id, .deferred, text, by: author)
            guard isHere else { return }
            seam.earlierAuthor = author
            storeState(name, value, of: mount)
            seam.earlierAuthor = nil
        case .lift(let field, let value, let author): lift(value, to: field, by: author)
        case .tick(let token, let why, let author, let life): tick(token, why, by: author, of: life)
        case .echo(let mount, let life, let value):
            // It comes from the control, and from no other one in its place.
            if let event = bridges[mount.bridge].echoEvent, mounts[mount.id] === mount, mount.life == life {
                seam.arrival = Arrival(event: Int32(event), origin: .echo)
                callNative(mount, event: event, arguments: [value])
                // A mount that has failed meanwhile was not called, and the next call is not the event's.
                seam.arrival = Arrival()
            }
        }
    }

    /// What a piece of work is called in the report of a cycle.
    func label(of work: Work) -> String {
        switch work {
        case .make(let mount), .arrive(let mount): "\(scenario.bridges[mount.bridge].id).make"
        case .draw(let mount): "\(scenario.bridges[mount.bridge].id).draw"
        case .update(let mount): "\(scenario.bridges[mount.bridge].id).update"
        case .attach(let mount), .activity(let mount, _): "\(scenario.bridges[mount.bridge].id).attach"
        case .moved(let mount): "\(scenario.bridges[mount.bridge].id).move"
        case .dismantle(let mount): "\(scenario.bridges[mount.bridge].id).dismantle"
        case .echo(let mount, _, _): "\(scenario.bridges[mount.bridge].id).native"
        case .write(let key, _, _): "model.\(store.keys[key].name)"
        case .writeBack(let number): "model.\(seam.writeBacks[number].map { store.keys[$0.key].name } ?? "")"
        case .state(let mount, _, let name, _, _): "\(scenario.bridges[mount.bridge].id).state.\(name)"
        case .lift(let field, _, _): "\(store.name(of: field)) from below"
        case .tick: "tick"
        }
    }

    /// The mount that a piece of work is about, and the key.
    func subject(of work: Work) -> (mount: MountID?, key: FieldStore.KeyID?) {
        switch work {
        case .make(let mount), .arrive(let mount), .draw(let mount), .update(let mount), .attach(let mount),
            .activity(let mount, _), .moved(let mount), .dismantle(let mount), .echo(let mount, _, _),
            .state(let mount, _, _, _, _):
            (mount.id, nil)
        case .write(let key, _, let author): (author.mount == 0 ? nil : MountID(author.mount), key)
        case .writeBack(let number):
            (seam.writeBacks[number]?.owner.life.mount, seam.writeBacks[number]?.key)
        case .lift(let field, _, let author):
            (author.mount == 0 ? nil : MountID(author.mount), Int(store.fields[field].key))
        case .tick(let token, _, let author, let life):
            // A token may be the plug-in's own, and the watch is a mount's all the same.
            (
                [registrations[token]?.owner.life.mount, life.mount, author.map { MountID($0.mount) }]
                    .lazy.compactMap { $0 == 0 ? nil : $0 }.first, nil
            )
        }
    }

    /// First evaluation: coordinator, make, then update straight after it (R1, R2); an embedding draws.
    private func make(_ mount: Mount) {
        if let cause = mount.remake {
            mount.remake = nil
            return replace(mount, cause)
        }
        guard !mount.isLeaving, !mount.isMade, !mount.isArriving else { return }
        makeNow(mount, mount.makeCause)
    }

    private func makeNow(_ mount: Mount, _ cause: Cause) {
        guard let body else { return }
        takeEnvironment(mount)
        mount.makeCause = .first
        mount.controlIdentity = mount.identity
        switch seam.bridges[mount.bridge].kind {
        case .custom:
            mount.isMade = true
            attach(mount)
        case .embed:
            mount.isMade = true
            mount.pending = cause
            mount.isTested = false
            draw(mount)
            attach(mount)
        case .wrap:
            let ways = seam.bridges[mount.bridge].ways
            if ways.make == .needsSize, !mount.activity.hasSize {
                mount.waitsForSize = true
                mount.makeCause = cause
                return
            }
            if adoptFromPool(mount) { return }
            mount.isMade = true
            mount.generation &+= 1
            var coordinator: ObjectID = 0
            if scenario.bridges[mount.bridge].hasCoordinator {
                enter(.coordinator, mount, cause: cause, phase: .bridging)
                leave(body.coordinator(call(mount, cause), out: &coordinator))
            }
            mount.coordinator = coordinator
            if coordinator != 0 { seam.coordinatorCount += 1 }
            guard !mount.isFailed, status == .running else { return }
            let inputs = Inputs(values: values(of: mount.bridge), generation: mount.generation)
            if ways.make == .measuring { measure(mount, inputs) }
            guard !mount.isFailed, status == .running else { return }
            enter(.make, mount, cause: cause, phase: .bridging)
            var view: ObjectID = 0
            leave(body.make(call(mount, cause), inputs: inputs, view: &view))
            mount.view = view
            mount.hasControl = true
            seam.controlCount += 1
            mount.lastCall = tickMoment()
            mount.lastBody = .make
            mount.lastMake = mount.lastCall
            mount.drawn = inputs.values
            mount.remember(inputs)
            guard !mount.isFailed, status == .running else { return }
            if ways.make == .async {
                mount.isMade = false
                mount.isArriving = true
                mount.makeCause = cause
                seam.laterTurn.append(.arrive(mount))
                return
            }
            settleIn(mount, cause, inputs)
        }
    }

    /// A hidden control, made only to be measured: what it wrote was never on the screen (R78).
    private func measure(_ mount: Mount, _ inputs: Inputs) {
        guard let body else { return }
        let held = mount.held
        mount.isMeasured = true
        enter(.make, mount, cause: .measure, phase: .bridging)
        var view: ObjectID = 0
        leave(body.make(call(mount, .measure), inputs: inputs, view: &view))
        enter(.dismantle, mount, cause: .measure, phase: .dismantling)
        var last = call(mount, .measure)
        last.view = view
        // The coordinator is that of the control that is shown, and lives on.
        last.coordinator = 0
        body.dismantle(last)
        leave(.ok)
        mount.isMeasured = false
        mount.held = held
    }

    /// A make that ends after the removal is dismantled at once (R60).
    private func arrive(_ mount: Mount) {
        guard mount.isArriving else { return }
        mount.isArriving = false
        mount.isMade = true
        if mount.isLeaving { return tearDown(mount, .removed) }
        let cause = mount.makeCause
        mount.makeCause = .first
        if mount.isParked || !mount.activity.hasWindow { return arriveAway(mount, cause) }
        settleIn(mount, cause, Inputs(values: values(of: mount.bridge), generation: mount.generation))
    }

    /// Its place has gone from the window, or into parking, since the make began: what would have become of the control
    /// then becomes of it now, and its first update waits for the return (R56, R59, R60).
    private func arriveAway(_ mount: Mount, _ cause: Cause) {
        restoreNativeState(mount)
        if updatesFirst(mount) {
            mount.isSettlingIn = true
            mount.withheld = cause
        }
        if mount.activity.hasWindow { return }
        switch seam.bridges[mount.bridge].ways.hostDetach {
        case .keep, .pool: break
        case .dispose: dispose(mount)
        case .endOfTurn: seam.leaving.append(mount)
        }
    }

    /// Whether an update follows on the make (R2): a bridge without one has none there either (R79).
    private func updatesFirst(_ mount: Mount) -> Bool {
        let ways = seam.bridges[mount.bridge].ways
        return ways.firstUpdate == .yes && ways.updateBody != .absent
    }

    private func settleIn(_ mount: Mount, _ cause: Cause, _ inputs: Inputs) {
        restoreNativeState(mount)
        if updatesFirst(mount) {
            mount.isSettlingIn = true
            runUpdate(mount, cause, inputs)
        } else {
            dropOldReads(of: mount)
            // What has changed while it was made is a change like any other.
            if seam.bridges[mount.bridge].ways.updates == .automatic, inputs.values != mount.drawn {
                request(.input, of: mount)
            }
        }
        attach(mount)
        giveCommands(to: mount)
    }

    /// A command given during the mount comes after make and attach (R84).
    func giveCommands(to mount: Mount) {
        let life = life(of: mount)
        for (token, author) in mount.commands {
            pending.append(.tick(token, .command, by: author, of: life))
        }
        mount.commands = []
    }

    func attach(_ mount: Mount) {
        guard mount.isMade, !mount.isAttached, !mount.isLeaving, mount.activity.hasWindow, !mount.isParked
        else {
            return
        }
        mount.isAttached = true
        hook(.attach, mount)
        if mount.appeared { return }
        mount.appeared = true
        hook(.appear, mount)
    }

    func detach(_ mount: Mount) {
        guard mount.isAttached else { return }
        mount.isAttached = false
        hook(.detach, mount)
    }

    /// The call that is next: one that was closed, else the one that waits. Nil when it was dropped meanwhile.
    private func nextCall(of mount: Mount) -> (cause: Cause, values: [String?]?)? {
        if !mount.sealed.isEmpty {
            let first = mount.sealed.removeFirst()
            return (first.cause, first.values)
        }
        guard let cause = mount.pending else { return nil }
        mount.pending = nil
        return (cause, nil)
    }

    /// Nothing is called without a window or parked, nothing drawn in an inactive scene or hidden: the mark stays (R14,
    /// R56).
    private func isWithheld(_ mount: Mount, _ cause: Cause) -> Bool {
        if mount.displays(seam.bridges[mount.bridge].kind) { return false }
        mount.withheld = mount.withheld ?? cause
        return true
    }

    private func draw(_ mount: Mount) {
        guard let body, let next = nextCall(of: mount) else { return }
        guard !mount.isLeaving, !mount.isFailed, !isWithheld(mount, next.cause) else { return }
        if let values = next.values {
            if seam.bridges[mount.bridge].isObserved { mount.captured = values }
        } else {
            refreshObserved(mount, next.cause)
        }
        if mount.isTested, next.values == nil, mount.captured == mount.drawn { return }
        mount.drawn = mount.captured
        mount.generation &+= 1
        mount.lastCall = tickMoment()
        mount.lastBody = .draw
        let inputs = Inputs(values: mount.captured, generation: mount.generation)
        mount.remember(inputs)
        enter(.draw, mount, cause: next.cause, phase: .bridging)
        leave(body.draw(call(mount, next.cause), inputs: inputs))
        finishEvaluation(mount)
    }

    private func refreshObserved(_ mount: Mount, _ cause: Cause) {
        let bridge = mount.bridge
        guard seam.bridges[bridge].ways.capture == .settle || cause == .first else { return }
        for position in seam.bridges[bridge].inputs.indices where seam.bridges[bridge].observes[position] {
            mount.captured[position] = store.keys[seam.bridges[bridge].inputs[position]].model
        }
    }

    private func update(_ mount: Mount) {
        guard let next = nextCall(of: mount) else { return }
        guard !mount.isLeaving, !mount.isFailed, !isWithheld(mount, next.cause) else { return }
        // What is applied when the control is made waits for the next make, whoever asks.
        if seam.bridges[mount.bridge].ways.updates == .restart { return }
        let values = next.values ?? values(of: mount.bridge)
        if mount.isTested, values == mount.drawn { return }
        if seam.bridges[mount.bridge].ways.updateBody == .absent { return replace(mount, next.cause) }
        mount.generation &+= 1
        runUpdate(mount, next.cause, Inputs(values: values, generation: mount.generation))
    }

    func runUpdate(_ mount: Mount, _ cause: Cause, _ inputs: Inputs) {
        guard let body else { return }
        mount.drawn = inputs.values
        mount.lastCall = tickMoment()
        mount.lastBody = .update
        mount.lastUpdate = mount.lastCall
        mount.remember(inputs)
        enter(.update, mount, cause: cause, phase: .bridging)
        if recordsCalls { current?.inFlight = mount.inFlight.reduce(0) { $0 + $1.count } }
        var view = mount.view
        let result = body.update(call(mount, cause), inputs: inputs, view: &view)
        // One that failed has not said what it leaves to the native side.
        if case .ok = result, !mount.nativeEdits.isEmpty, rollsBack(mount) { rollBack(mount) }
        leave(result)
        if view != mount.view {
            mount.view = view
            report(
                DiagnosticCode.recreatedControl, .warning,
                "update of \(scenario.bridges[mount.bridge].id) put another control in the place of the one that "
                    + "make returned: make it once, then write into it",
                bridge: mount.bridge, mount: mount.id)
        }
        finishEvaluation(mount)
    }

    // MARK: Going

    /// Out of the tree: into the pool, or to its end.
    private func leaveTree(_ mount: Mount) {
        guard mounts[mount.id] === mount else { return }
        if seam.bridges[mount.bridge].ways.hostDetach == .pool, seam.bridges[mount.bridge].kind == .wrap,
            mount.isMade, !mount.isFailed
        {
            return putIntoPool(mount)
        }
        tearDown(mount, .removed)
    }

    /// Exactly once for each make, then what the mount wrote is gone from the screen (R54).
    func tearDown(_ mount: Mount, _ cause: Cause) {
        guard mounts[mount.id] === mount else { return }
        mount.isLeaving = true
        seam.bridges[mount.bridge].take(mount)
        seam.authors?.unmounted[mount.bridge] = turn
        // The make has begun and will be dismantled when its view comes.
        if mount.isArriving, phase != .destroyed, seam.laterTurn.contains(where: { $0.isArrival(of: mount) })
        {
            return
        }
        mount.isArriving = false
        seam.isUnweighed = true
        endChildren(mount.children, cause)
        mounts.removeValue(forKey: mount.id)
        mounts[mount.parent]?.children.removeAll { $0 == mount.id }
        forget(mount)
        endControl(mount, cause)
    }

    /// What lies in a control ends with it, the last one placed first: before it, as a tree is taken down.
    func endChildren(_ children: [MountID], _ cause: Cause) {
        for child in children.reversed() { if let child = mounts[child] { tearDown(child, cause) } }
    }

    /// The end of a control, not of its place: what a removal, a detach that disposes and another identity share.
    /// - Parameter isSucceeded: another control is in its place already, and shows what it does not write.
    func endControl(_ mount: Mount, _ cause: Cause, isSucceeded: Bool = false) {
        if !mount.drafts.isEmpty { loseDrafts(of: mount) }
        if !isSucceeded { saveNativeState(mount) }
        let control: UInt32
        switch seam.bridges[mount.bridge].ways.teardownOrder {
        case .dismantleFirst:
            detach(mount)
            control = dismantle(mount, cause)
            disappear(mount)
            endEditing(mount)
        case .disappearFirst:
            disappear(mount)
            endEditing(mount)
            detach(mount)
            control = dismantle(mount, cause)
        case .endEditingFirst:
            endEditing(mount)
            disappear(mount)
            detach(mount)
            control = dismantle(mount, cause)
        }
        reportLeaks(of: mount)
        if !mount.commands.isEmpty { loseCommands(of: mount) }
        dropView(mount)
        let clears = seam.bridges[mount.bridge].ways.unmounted == .clear && !isSucceeded
        let cleared = clears ? clearFields(of: mount) : []
        traceUnmounted(mount, cause, cleared: cleared)
        endLife(of: mount, in: mounts[mount.id], control: control)
        for field in cleared { fallBack(field) }
    }

    /// - Returns: the control's number in the trace.
    private func dismantle(_ mount: Mount, _ cause: Cause) -> UInt32 {
        // What was asked for until now, also in a hook on the way out, reads what is there still.
        if !mount.inFlight.isEmpty { keepRereads(of: mount) }
        let wasMade = mount.isMade || mount.hasControl
        mount.isMade = false
        guard seam.bridges[mount.bridge].kind == .wrap, wasMade, let body else { return 0 }
        enter(.dismantle, mount, cause: cause, phase: .dismantling)
        body.dismantle(call(mount, cause))
        leave(.ok)
        if mount.coordinator != 0 { seam.coordinatorCount -= 1 }
        if mount.hasControl { seam.controlCount -= 1 }
        mount.hasControl = false
        let control = trace?.forget(mount) ?? 0
        // Both references are dropped; whoever asks afterwards finds nothing (R9).
        mount.coordinator = 0
        mount.view = 0
        return control
    }

    func disappear(_ mount: Mount) {
        guard mount.appeared else { return }
        mount.appeared = false
        hook(.disappear, mount)
    }

    func endEditing(_ mount: Mount) {
        guard mount.isEditing else { return }
        mount.isEditing = false
        hook(.endEditing, mount)
    }

    private func clearFields(of mount: Mount) -> [FieldID] {
        var cleared: [FieldID] = []
        for field in store.fields(of: seam.bridges[mount.bridge].screen) {
            guard store.fields[field].writer == UInt32(truncatingIfNeeded: mount.id) else { continue }
            touch(field)
            _ = store.setShown(field, nil, at: tickMoment(), writer: 0)
            noteCleared(field, of: mount)
            cleared.append(field)
        }
        mount.held = []
        return cleared
    }

    /// A body's own write.
    func show(_ value: String?, in field: FieldID, writer: Mount?) {
        touch(field)
        let number = UInt32(truncatingIfNeeded: writer?.id ?? 0)
        if let writer, !writer.held.isEmpty {
            writer.held.removeAll { $0.key == Int(store.fields[field].key) }
        }
        let top = store.fields[field].writer
        if top != number {
            // Who clears what another one shows clears its own control, and that one is not on top.
            if value == nil, writer != nil, mounts[MountID(top)] != nil { return noteHeld(field) }
            if value != nil { cover(field, by: writer?.id ?? 0) }
        }
        let isNew = store.setShown(field, value, at: tickMoment(), writer: value == nil ? 0 : number)
        noteShown(field, isNew: isNew)
    }

    /// A value from below arrives on the screen above, where it belongs to no mount (R18).
    private func lift(_ value: String?, to field: FieldID, by author: Author) {
        traceLate(
            .lifted, of: MountID(author.mount), .deferred, assignment(store.name(of: field), value),
            by: author)
        touch(field)
        let isNew = store.setShown(field, value, at: tickMoment(), writer: 0)
        trace?.wrote(field)
        guard let authors = seam.authors else { return }
        var author = late(author, as: .lifted)
        author.isIdle = !isNew
        authors.ofShown[field] = author
    }

    /// Another control in the same place (R10): by another identity, or for want of an update (R79).
    private func replace(_ mount: Mount, _ cause: Cause) {
        guard mount.isMade, !mount.isFailed, !mount.isLeaving else { return }
        mount.pending = nil
        mount.sealed = []
        if seam.bridges[mount.bridge].kind != .wrap {
            endChildren(mount.children, .removed)
            endControl(mount, cause)
            capture(mount)
            return makeNow(mount, cause)
        }
        switch seam.bridges[mount.bridge].ways.replaceOrder {
        case .oldFirst:
            endChildren(mount.children, .removed)
            endControl(mount, cause)
            makeNow(mount, cause)
        case .newFirst:
            // The old control lives on until the new one has appeared (R76), and so does what lies in it.
            let children = mount.children
            saveNativeState(mount)
            if !mount.inFlight.isEmpty { keepRereads(of: mount) }
            let old = Mount(id: mount.id, bridge: mount.bridge)
            old.takeControl(of: mount)
            old.takeView(of: mount)
            old.life = mount.life
            mount.life += 1
            makeNow(mount, cause)
            endChildren(children, .removed)
            endControl(old, cause, isSucceeded: true)
        }
    }

    /// A control that is off its window, when its host does not keep it (R59): once.
    func dispose(_ mount: Mount) {
        guard mount.isMade, !mount.isLeaving else { return }
        mount.pending = nil
        mount.sealed = []
        mount.withheld = nil
        mount.makeCause = .restore
        endChildren(mount.children, .removed)
        endControl(mount, .removed)
    }

    // MARK: Hooks

    func hook(_ hook: Hook, _ mount: Mount) {
        guard let body, seam.bridges[mount.bridge].ways.hooks == .told, !mount.isFailed, status == .running
        else { return }
        let isCallback = hook == .appear || hook == .disappear || hook == .endEditing
        enter(hook.kind, mount, phase: isCallback ? .dispatching : .bridging)
        leave(body.hook(hook, call(mount, .input)))
    }

    /// What was registered and never undone. Nothing is unhooked for the plug-in: it may still be called (R9).
    func reportLeaks(of mount: Mount?) {
        var tokens: [UInt64] = []
        if let mount {
            tokens = mount.tokens
            mount.tokens = []
        } else {
            for (token, registration) in registrations where registration.owner.life.mount == 0 {
                tokens.append(token)
            }
            tokens.sort()
        }
        for token in tokens {
            guard let left = registrations[token] else { continue }
            let owner = mount.map { "dismantle of \(scenario.bridges[$0.bridge].id)" } ?? "destroy"
            report(
                left.leak, .warning, "\(owner) left a registration behind: \(left.what); undo it there",
                bridge: mount?.bridge, mount: mount?.id)
        }
        if mount == nil { registrations = [:] }
    }

    func callNative(_ mount: Mount, event: Int, arguments: [String?]) {
        guard let body, !mount.isFailed else { return }
        guard mount.isMade else {
            report(
                .noControl, .warning,
                "\(scenario.events[event].id) came for mount \(mount.id) of \(scenario.bridges[mount.bridge].id), which has "
                    + "no control now: it is still to be made, or was dismantled off its window; nobody can have "
                    + "done that",
                bridge: mount.bridge, mount: mount.id)
            return
        }
        mount.isEditing = true
        enter(.native, mount, cause: nil, phase: .dispatching)
        leave(body.native(call(mount, .input), event: event, arguments: arguments))
    }

    // MARK: Entering and leaving a body

    func call(_ mount: Mount, _ cause: Cause) -> BridgeCall {
        BridgeCall(
            bridge: mount.bridge, mount: mount.id, coordinator: mount.coordinator, view: mount.view,
            cause: cause, owner: mount.owner)
    }

    func enter(_ kind: CallRecord.Kind, _ mount: Mount? = nil, cause: Cause? = nil, phase: Phase) {
        self.phase = phase
        currentMount = mount
        if recordsCalls {
            seam.wrote.removeAll(keepingCapacity: true)
            seam.set.removeAll(keepingCapacity: true)
        }
        let call = OpenCall(kind: kind, round: round, bridge: mount?.bridge, mount: mount?.id, cause: cause)
        seam.current = call
        traceCall(call, mount)
    }

    func leave(_ outcome: Outcome) {
        let call = seam.current
        let mount = seam.currentMount
        seam.current = nil
        seam.currentMount = nil
        settlePhase()
        if recordsCalls, let call {
            seam.records.append(
                CallRecord(
                    kind: call.kind, round: call.round, bridge: call.bridge, mount: call.mount,
                    cause: call.cause, lateness: seam.arrival.lateness, wrote: seam.wrote, set: seam.set,
                    inFlight: call.inFlight))
        }
        seam.arrival = Arrival()
        if case .failed(_, let text) = outcome, let call { fail(call, mount, text) }
    }

    /// A body of a bridge that fails takes its mount with it; anything else takes the simulation.
    private func fail(_ call: OpenCall, _ mount: Mount?, _ text: String) {
        traceFailure(text)
        let endsMount = mount != nil && call.kind != .native && call.kind != .tick
        if endsMount, let mount {
            mount.failure = (turn, text)
            seam.watches.removeAll { $0.life.mount == mount.id }
        }
        report(
            DiagnosticCode.pluginFailed, .error,
            text
                + (endsMount
                    ? "; this mount gets no more calls but dismantle" : "; the simulation has failed"),
            bridge: call.bridge, mount: call.mount)
        if endsMount { return }
        status = .failed(text)
        seam.failure = text
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
        _ code: DiagnosticCode, _ severity: Severity, _ text: String, field: FieldID? = nil,
        bridge: BridgeID? = nil, mount: MountID? = nil
    ) {
        report(code.rawValue, severity, text, field: field, bridge: bridge, mount: mount)
    }

    func report(
        _ code: String, _ severity: Severity, _ text: String, field: FieldID? = nil, bridge: BridgeID? = nil,
        mount: MountID? = nil
    ) {
        if findings.count == Self.findingLimit {
            if hasSeam { seam.droppedFindings += 1 }
            return
        }
        findings.append(
            Diagnostic(code: code, severity: severity, field: field, bridge: bridge, mount: mount, text: text)
        )
    }
}
