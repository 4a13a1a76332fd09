/// What a mounted view owns or observes: state, objects, subscriptions, and how long each of them lives.
extension Simulation {
    /// Forgets who reads and watches for a mount that is going. What the plug-in subscribed by itself stays (R9).
    func forget(_ mount: Mount) {
        mount.pending = nil
        mount.sealed = []
        for (key, _) in mount.reads { seam.readers[key]?.removeAll { $0 === mount } }
        mount.reads = []
        seam.watches.removeAll { $0.life.mount == mount.id }
    }

    /// State and slots end with the identity (R10, R29).
    func dropView(_ mount: Mount) {
        mount.state = []
        mount.environmentReads = []
        mount.diffBase = []
        mount.astray = []
        mount.nativeEdits = []
        for slot in mount.slots { release(slot, of: mount) }
        mount.slots = []
    }

    private func release(_ slot: Slot, of mount: Mount) {
        if let subscription = slot.subscription { seam.subscriptions[subscription] = nil }
        if slot.isOwned { seam.objects[slot.object] = nil }
    }

    // MARK: State

    /// The initial value counts once for each identity; it may be constructed at each evaluation and is thrown away (R27).
    func startState(_ name: String, _ initial: String?, of mount: Mount) -> String? {
        if let known = mount.state.first(where: { $0.name == name }) { return known.value }
        mount.state.append((name, initial))
        return initial
    }

    func storeState(_ name: String, _ value: String?, of mount: Mount) {
        if let position = mount.state.firstIndex(where: { $0.name == name }) {
            if haveSameBytes(mount.state[position].value, value) { return }
            mount.state[position].value = value
        } else {
            mount.state.append((name, value))
        }
        // A dynamic property of its own: the value of the parent need not have changed (R3).
        request(.state, of: mount)
    }

    // MARK: Objects

    func makeObject(for mount: Mount?) -> UInt64 {
        seam.objectCount += 1
        seam.objects[seam.objectCount] = SharedObject(maker: mount?.id ?? 0, turn: turn)
        return seam.objectCount
    }

    /// The object that the view's value holds in this evaluation. An owned one is the first of its identity, whatever
    /// comes later (R27); an observed one is whatever came last, and its subscription moves with it (R28).
    /// - Returns: the object that the view goes on with.
    func hold(_ object: UInt64, in name: String, isOwned: Bool, of mount: Mount) -> UInt64 {
        guard let position = mount.slots.firstIndex(where: { $0.name == name }) else {
            mount.slots.append(
                Slot(name: name, object: object, isOwned: isOwned, subscription: subscribe(mount, object)))
            return object
        }
        let slot = mount.slots[position]
        if slot.object == object { return object }
        if slot.isOwned {
            // The one that was constructed for nothing.
            if seam.objects[object]?.maker == mount.id { seam.objects[object] = nil }
            return slot.object
        }
        if seam.objects[object]?.maker == mount.id, seam.objects[slot.object]?.maker == mount.id {
            report(
                DiagnosticCode.objectRecreated, .warning,
                "\(scenario.bridges[mount.bridge].id) made a new object for \(name) in an evaluation "
                    + "(\(current?.cause.map { "\($0.word)" } ?? "event")) and lost what the old one held: own it, "
                    + "or have it made once outside",
                bridge: mount.bridge, mount: mount.id)
        }
        if let subscription = slot.subscription { seam.subscriptions[subscription] = nil }
        mount.slots[position].object = object
        mount.slots[position].subscription = subscribe(mount, object)
        // Another object is a change, also to a test by identity (R5).
        if phase != .bridging || currentMount !== mount { request(.input, of: mount) }
        return object
    }

    /// - Parameter isManual: made by the plug-in for itself: it ends by `unsubscribe` alone.
    func subscribe(_ mount: Mount, _ object: UInt64, isManual: Bool = false) -> UInt64 {
        seam.subscriptionCount += 1
        seam.subscriptions[seam.subscriptionCount] = Subscription(
            life: life(of: mount), object: object, isManual: isManual)
        return seam.subscriptionCount
    }

    /// The object signals: each subscription is one request, once per turn and mount (R20, R28).
    func publish(_ object: UInt64) {
        for (_, subscription) in seam.subscriptions.sorted(by: { $0.key < $1.key })
        where subscription.object == object {
            guard let mount = mounts[subscription.life.mount], mount.life == subscription.life.number else {
                reportLateCallback(subscription.life, "an object that it had subscribed to signalled")
                continue
            }
            if subscription.isManual, !mount.slots.isEmpty,
                !mount.slots.contains(where: { $0.object == object })
            {
                reportDangling(mount)
                continue
            }
            request(.observed, of: mount)
        }
    }

    private func reportDangling(_ mount: Mount) {
        report(
            DiagnosticCode.danglingSubscription, .warning,
            "a subscription of \(scenario.bridges[mount.bridge].id) is on an object that it does not hold any more: end it "
                + "when the object is replaced, and subscribe to the new one",
            bridge: mount.bridge, mount: mount.id)
    }

    // MARK: Watches

    /// A callback for a model value, in the phase that the bridge's policy names (R73).
    func call(_ watch: Watch) {
        if watch.life.mount == 0 {
            // What the code wrote itself, now or in an earlier round, is no news to it.
            if current == nil, seam.earlierAuthor == nil {
                seam.prior.append(.tick(watch.token, .watch, by: watch.author))
            }
            return
        }
        guard let mount = mounts[watch.life.mount] else { return }
        let life = watch.life.number == 0 ? Life(mount: mount.id, number: mount.life) : watch.life
        let work = Work.tick(watch.token, .watch, by: watch.author, of: life)
        switch seam.bridges[mount.bridge].ways.callbackPhase {
        case .sync: seam.urgent.append(work)
        case .pre: seam.prior.append(work)
        case .post: seam.post.append(work)
        }
    }
}

/// Something with an identity of its own that a view holds: a model object, a store.
struct SharedObject {
    /// The mount in whose evaluation it was made, 0 for none.
    var maker: MountID
    var turn: UInt64
}

/// A place in a view's value that holds an object.
struct Slot {
    var name: String
    var object: UInt64
    var isOwned: Bool
    var subscription: UInt64?
}

struct Subscription {
    var life: Life
    var object: UInt64
    var isManual: Bool
}

struct Watch {
    /// The control with which it ends; number 0: it ends with the mount. Mount 0 is the instance, which hears of changes
    /// from outside alone.
    var life: Life
    var key: FieldStore.KeyID
    var token: UInt64
    var author: Author
}
