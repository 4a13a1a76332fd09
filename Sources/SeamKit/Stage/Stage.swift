internal import CSeamABI

/// What one running screen scenario is made of: the state that the model is read from, and the root of its screen.
@MainActor
package final class Stage {
    /// One key of the model, as the state of the scenario gives and takes it.
    @MainActor
    final class ModelKey {
        let name: String
        let read: @MainActor () -> String?
        /// Whether the state says this text: of a property, which is sooner asked than read.
        var says: (@MainActor (UnsafeRawPointer, String?) -> Bool)?
        /// Where the state lies that `says` is asked of; `read` keeps it there.
        var state: UnsafeRawPointer?
        /// Whether the text could be taken over.
        let write: (@MainActor (String?) -> Bool)?
        /// What the state said last.
        var published: String?
        /// Through which copy of a parent it was written, until the host can be told.
        var stamp: BindingStamp?
        /// What the host held when it was looked at last: another text since then came from outside.
        var held: String?

        init(
            name: String, read: @escaping @MainActor () -> String?,
            write: (@MainActor (String?) -> Bool)?
        ) {
            self.name = name
            self.read = read
            self.write = write
        }
    }

    var keys: [ModelKey] = []
    /// Puts the root up, after the model is there.
    package var begin: @MainActor () throws -> Void = {}
    /// The root is made of the state: evaluated again when that has changed.
    var refresh: (@MainActor () throws -> Void)?
    /// The state that the root is made of was written.
    var needsRefresh = false
    var ending: @MainActor () -> Void = {}
    /// The root object of the scenario: what keys are read from, or the view controller.
    package var root: AnyObject?
    var tree: Tree?

    package init() {}

    /// What differs now was written through this copy of a parent.
    func stampChanges(_ stamp: BindingStamp) {
        for key in keys where key.read() != key.published { key.stamp = stamp }
    }

    func end() {
        ending()
        tree?.clear()
        tree = nil
        root = nil
        refresh = nil
        keys = []
        begin = {}
        ending = {}
    }
}

extension Instance {
    nonisolated static let flushToken: UInt64 = 1 << 62
    nonisolated static let watchToken: UInt64 = 1 << 62 | 1
    nonisolated static let strayToken: UInt64 = 1 << 62 | 2

    package var isInBody: Bool { phase == .body || phase == .dismantling }

    // MARK: Asking for evaluations

    /// A tree wants to be evaluated. From inside a body that can only be said in the next round.
    func ask(for tree: Tree, _ why: Why) {
        if tree.mount != 0, phase == .dispatching { return invalidate(tree.mount, why) }
        waitingTrees.append((tree, why))
        askForFlush()
    }

    /// What another thread has touched, told on this one.
    func reportStrays() {
        for what in Strays.take() {
            report(
                3, "off-main-access",
                "\(what) was touched off the main thread, where nothing came of it: go to the main actor first"
            )
        }
    }

    /// A piece of code of SeamKit's own, in the next round, or between two turns in a turn of its own.
    func askForFlush() {
        if hasAskedForFlush || isOver { return }
        hasAskedForFlush = true
        if phase == .dismantling {
            // Nothing that belongs to the turn may be asked for there.
            post(Self.flushToken)
        } else if isTurnOpen {
            nextTurn(Self.flushToken)
        } else {
            isRealTime = isRealTime ?? false
            post(Self.flushToken)
        }
    }

    /// Said once: what comes of such a simulation depends on the machine too.
    private func reportRealTime() {
        guard isRealTime == false else { return }
        isRealTime = true
        report(
            1, "real-time",
            "code ran between two turns (asyncAfter, a Timer, Task.sleep, or what follows an await): it has a turn of its "
                + "own, at a moment that the machine chooses, so that another run may differ. For such code a simulation "
                + "has clock \"real\"; after(milliseconds:) keeps to the clock of the simulation")
    }

    func flush() throws {
        hasAskedForFlush = false
        reportRealTime()
        let shows = lateShows
        lateShows = []
        for (screen, key, value) in shows { show(screen, key, value) }
        let waiting = waitingTrees
        waitingTrees = []
        for (tree, why) in waiting {
            if tree.mount != 0 { invalidate(tree.mount, why) } else { try tree.redraw() }
        }
        for work in afterFlush.take() { try work() }
    }

    /// After what runs now, in the same turn where there is one.
    package func performInNextRound(_ work: @escaping @MainActor () throws -> Void) {
        afterFlush.append(work)
        askForFlush()
    }

    /// Whether a write to a view's own state or object may be carried out: inside a body that is the host's to say.
    func admitsWrite(to name: String, _ text: @autoclosure () -> String) -> Bool {
        guard phase == .body, let ownership else { return true }
        let status = name.withSeam { name in
            // The value that differs is what the host goes by; what it is makes no difference there.
            text().withSeam { ownership.pointee.state_set!(context, Instance.currentMount, name, $0) }
        }
        return status != SEAM_ABSENT
    }

    /// State that goes with the identity of the host's mount, and with nothing inside of it: the host keeps it in mind for
    /// when the mount is given to another item.
    func noteState(of node: _Node, _ name: String, _ text: @autoclosure () -> String) {
        guard phase == .dispatching, node.tree.mount != 0, !node.isKeyed, let ownership else { return }
        // A frozen table has every function.
        name.withSeam { name in
            text().withSeam { _ = ownership.pointee.state_set!(context, node.tree.mount, name, $0) }
        }
    }

    // MARK: The model

    /// What the state of the scenario says now goes to the host; called after each piece of the scenario's code.
    func publishModel() throws {
        guard let stage, isModelThere else { return }
        // Beside the callbacks a turn may be open or not: in the flush it is.
        if phase == .between, !isTurnOpen {
            if let currentStamp { stage.stampChanges(currentStamp) }
            return askForFlush()
        }
        for key in stage.keys {
            if let says = key.says, let state = key.state, says(state, key.published) { continue }
            let text = key.read()
            if text == key.published { continue }
            key.published = text
            stage.needsRefresh = true
            let stamp = currentStamp ?? key.stamp
            key.stamp = nil
            try write(key.name, text, stamp)
            if !isInBody { key.held = text }
        }
        try refreshRoot(stage)
    }

    private func write(_ key: String, _ text: String?, _ stamp: BindingStamp?) throws {
        if let stamp, let text {
            bind(stamp.mount.id, stamp.generation, key, text)
        } else {
            try setModel(key, text)
        }
    }

    /// The root is a value made of the state. It is compared there: an equal one is no change.
    private func refreshRoot(_ stage: Stage) throws {
        guard stage.needsRefresh, let refresh = stage.refresh else { return }
        stage.needsRefresh = false
        if phase != .dispatching {
            askForFlush()
            afterFlush.append(refresh)
        } else {
            try refresh()
        }
    }

    /// Somebody outside has changed the model: the state takes it over.
    func pullModel() throws {
        guard let stage else { return }
        for key in stage.keys {
            let text = model(key.name)
            if text == key.held { continue }
            key.held = text
            if text == key.published { continue }
            guard let write = key.write else { continue }
            if write(text) {
                key.published = key.read()
            } else if let text {
                reportUnreadable(key.name, text)
            }
        }
    }

    /// One that somebody outside has unmounted, whose place in its tree is still there.
    func outWrap(of bridge: WrapBridge) -> AnyWrap? {
        placements.values.lazy.compactMap { $0 as? AnyWrap }.first {
            $0.bridge === bridge && $0.isOut && !$0.isGone
        }
    }

    /// Changes of the model from outside are heard of, for keys that the state can take.
    func watchModel() {
        for key in stage?.keys ?? [] where key.write != nil {
            key.name.withSeam { _ = late?.pointee.watch!(context, 0, $0, Self.watchToken) }
        }
    }
}

extension BindingStamp {
    /// A write that came through this copy of a parent; whatever it changes of the model is told as such.
    @MainActor func write(_ body: () -> Void) {
        let instance = mount.instance
        let outer = instance.currentStamp
        instance.currentStamp = self
        body()
        try? instance.publishModel()
        instance.currentStamp = outer
    }
}

extension [@MainActor () throws -> Void] {
    mutating func take() -> Self {
        defer { self = [] }
        return self
    }
}

extension Instance {
    /// Whether the code that runs is that of a screen scenario.
    package var isStaged: Bool { stageTables != nil }

    /// Something that a bridge puts up: at once, or when the model is there.
    package func place(_ work: @escaping @MainActor () throws -> Void) throws {
        if isModelThere { try work() } else { early.append(work) }
    }

    package func report(_ error: any Error) { report(3, "screen-failed", "\(error)") }

    /// The surface of what the screen itself puts up.
    package var surface: _ControlSurface {
        _ControlSurface(instance: self, screen: 0, mount: 0, scope: "", identifier: nil)
    }
}
