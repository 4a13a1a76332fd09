/// A scenario around code as it stands: a screen, what the model wants of it, and a script.
///
///     ScreenScenario("mine.stale", title: "Nobody assigns the root view") { TaskController() }
///         .model(Key("openCount", \.summary.openCount))
///         .script(.set("openCount", 5), .check("stale", ["openCount": .stale]))
///
/// The code runs once when the plug-in is described, without a host: so its bridges, fields and controls are found, and
/// need not be listed. In a simulation the host decides when a body runs, and judges.
@MainActor
public struct ScreenScenario<Source>: AnyScreenScenario {
    private let id: String
    private let title: String
    private let summary: String
    private let screen: String
    private let side: Screen.Side
    private let make: @MainActor () throws -> Source
    private let put: @MainActor (StateBox<Source>, Instance, Stage) throws -> Void

    private var keys: [Key<Source>] = []
    /// Keys that are found in the state of now.
    private var wholes: [@MainActor (StateBox<Source>) throws -> [Stage.ModelKey]] = []
    private var reads: [@MainActor (Source) -> KeyValuePairs<String, (any ModelText)?>] = []
    private var steps: [Step] = []
    private var parameters: [Parameter] = []
    private var apply: (@MainActor (inout Source, Values) throws -> Void)?
    private var events:
        [(
            id: String, title: String, arguments: [Parameter],
            perform: @MainActor (inout Source, Values) throws -> Void
        )] = []
    private var moreFields: [(screen: String?, key: String)] = []
    private var namings: [ObjectIdentifier: StageTables.Naming] = [:]
    private var expected: [(type: Any.Type, isHost: Bool)] = []
    private var settings: [String] = []

    package init(
        _ id: String, title: String?, summary: String, screen: String, side: Screen.Side,
        make: @escaping @MainActor () throws -> Source,
        put: @escaping @MainActor (StateBox<Source>, Instance, Stage) throws -> Void
    ) {
        self.id = id
        self.title = title ?? id
        self.summary = summary.isEmpty ? title ?? id : summary
        self.screen = screen
        self.side = side
        self.make = make
        self.put = put
    }

    // MARK: What is said of it

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// What the model says: keys of it, each with the property that stands for it. A client's write reaches the property.
    public func model(_ keys: Key<Source>...) -> Self { with { $0.keys += keys } }

    func adding(_ whole: @escaping @MainActor (StateBox<Source>) throws -> [Stage.ModelKey]) -> Self {
        with { $0.wholes.append(whole) }
    }

    /// What the model says, as values read from the state. A client can change the model; the state does not hear of it.
    public func model(
        _ read: @escaping @MainActor (Source) -> KeyValuePairs<String, (any ModelText)?>
    ) -> Self { with { $0.reads.append(read) } }

    /// The demonstration that `seam run` plays.
    public func script(_ steps: Step...) -> Self { with { $0.steps += steps } }

    /// Values chosen when a simulation is made.
    public func parameters(
        _ parameters: Parameter..., apply: @escaping @MainActor (inout Source, Values) throws -> Void
    ) -> Self {
        with {
            $0.parameters += parameters
            $0.apply = apply
        }
    }

    /// Something that happens to the screen, beside what people do with its controls.
    public func event(
        _ id: String, _ title: String? = nil, arguments: [Parameter] = [],
        perform: @escaping @MainActor (inout Source, Values) throws -> Void
    ) -> Self { with { $0.events.append((id, title ?? id, arguments, perform)) } }

    /// Fields that come up later than at the start.
    public func fields(_ keys: String..., on screen: String? = nil) -> Self {
        with { $0.moreFields += keys.map { (screen, $0) } }
    }

    /// What a bridge is called, which screen it is on, and its settings.
    ///
    /// - Parameters:
    ///   - type: the representable, or the class of the hosting controller, or the root view.
    ///   - name: what scripts and clients call it; after the type when left out.
    ///   - screen: where its fields are; the main screen when left out.
    ///   - inputs: the keys of the model that it carries; all of them when left out.
    ///   - echoes: what the program writes into the wrapped control comes back as if somebody had done it.
    ///   - policies: where frameworks differ, as "name=value".
    public func bridge(
        _ type: Any.Type, _ name: String? = nil, on screen: String? = nil, inputs: [String]? = nil,
        echoes: Bool = false, policies: [String] = []
    ) -> Self {
        with {
            $0.namings[ObjectIdentifier(type)] = StageTables.Naming(
                id: name, screen: screen, inputs: inputs, echoes: echoes, policies: policies)
            $0.expected.append((type, !(type is any _Representable.Type)))
        }
    }

    /// Settings where frameworks differ, as "name=value".
    public func policies(_ settings: String...) -> Self { with { $0.settings += settings } }

    // MARK: Description

    public func _describe() throws -> _ScreenDescription {
        do { return _ScreenDescription(description: try rehearsed()) } catch {
            throw ScenarioError("scenario \(id): \(error)")
        }
    }

    private func rehearsed() throws -> ScenarioDescription {
        let tables = StageTables(owner: id, screen: screen, side: side)
        tables.namings = namings
        tables.modelKeys = keys.map(\.name)
        let rehearsal = Rehearsal(tables)
        try rehearsal.play { instance in
            let box = StateBox(try make())
            let stage = try stage(box)
            tables.modelKeys = stage.keys.map(\.name)
            try put(box, instance, stage)
            return stage
        }
        for (screen, key) in moreFields {
            tables.expect(key, on: screen.map { tables.screen($0, side: side) } ?? 0)
        }
        for key in tables.modelKeys where !tables.screens.contains(where: { $0.fields.contains(key) }) {
            tables.declare(key, on: 0)
        }
        for (type, isHost) in expected { try tables.expect(type, isHost: isHost) }
        tables.settleInputs()
        return try finish(tables)
    }

    private func stage(_ box: StateBox<Source>) throws -> Stage {
        let stage = Stage()
        for key in keys {
            var write: (@MainActor (String?) -> Bool)?
            if let change = key.write { write = { text in change(&box.value, text) } }
            let read: @MainActor () -> String? = { key.read(box.value) }
            let known = Stage.ModelKey(name: key.name, read: read, write: write)
            (known.says, known.state) = (key.says, box.address)
            stage.keys.append(known)
        }
        for whole in wholes { stage.keys += try whole(box) }
        for read in reads {
            for name in read(box.value).map(\.key) {
                stage.keys.append(
                    Stage.ModelKey(
                        name: name,
                        read: { (read(box.value).first { $0.key == name }?.value)?.modelText }, write: nil)
                )
            }
        }
        var names: Set<String> = []
        for key in stage.keys where !names.insert(key.name).inserted {
            throw ScenarioError("the model has two values for the key \(key.name); a key has one")
        }
        return stage
    }

    private func finish(_ tables: StageTables) throws -> ScenarioDescription {
        var script = ScreenScript(tables: tables)
        for event in events { script.reserve(event.id) }
        script.nameActs()
        let steps = try script.resolve(steps)
        tables.isFrozen = true
        let (make, put, apply) = (make, put, apply)
        let names = parameters.map(\.id)
        let own = events
        let perform = own.map(\.perform)
        let acts = script.ownActs
        let arguments = own.map { $0.arguments.map(\.id) }
        var described: [ScenarioDescription.EventDescription] = []
        for event in own {
            described.append(
                .init(id: event.id, title: event.title, isLifecycle: false, arguments: event.arguments))
        }
        for act in acts {
            described.append(
                .init(id: act.id, title: act.title, isLifecycle: false, arguments: act.arguments))
        }
        return ScenarioDescription(
            about: About(id, title: title, summary: summary, drainsMainQueue: true), parameters: parameters,
            screens: tables.screenList, bridges: tables.bridges,
            events: described,
            script: steps, checks: script.checks, policies: settings, stageTables: tables,
            create: { texts in StateBox<Source>(parameters: Values(names: names, texts: texts)) },
            // Each `unsafeDowncast` gets an object that `create` made, so it is such a box.
            start: { object in
                let box = unsafeDowncast(object, to: StateBox<Source>.self)
                guard let instance = Instance.current else { throw Unexpected.callback }
                try instance.begin {
                    var value = try make()
                    try apply?(&value, box.parameters)
                    box.fill(value)
                    let stage = try stage(box)
                    try put(box, instance, stage)
                    return stage
                }
            },
            send: { object, index, texts in
                // As above: `unsafeDowncast` of what `create` made.
                let box = unsafeDowncast(object, to: StateBox<Source>.self)
                guard let instance = Instance.current else { throw Unexpected.callback }
                if index < perform.count {
                    try perform[index](&box.value, Values(names: arguments[index], texts: texts))
                    return
                }
                let act = acts[index - perform.count]
                try instance.perform(act.id, Values(names: act.arguments.map(\.id), texts: texts), in: nil)
            })
    }
}

/// What a plug-in takes as a screen scenario, whatever its state is.
@MainActor
public protocol AnyScreenScenario {
    func _describe() throws -> _ScreenDescription
}

extension AnyScreenScenario {
    func describe() throws -> ScenarioDescription { try _describe().description }
}

@MainActor
public struct _ScreenDescription {
    let description: ScenarioDescription
}

@MainActor
@resultBuilder
public enum ScreenScenarios {
    public static func buildBlock(_ scenarios: (any AnyScreenScenario)...) -> [any AnyScreenScenario] {
        scenarios
    }
}

/// The state of one running screen scenario: none before its start.
@MainActor
package final class StateBox<Value> {
    /// Not an optional: taking a value of any type out of one costs 500 instructions, and each key is read through here.
    private let stored: UnsafeMutablePointer<Value> = .allocate(capacity: 1)
    private var isFilled = false
    let parameters: Values
    var onChange: (@MainActor () -> Void)?

    init(_ value: Value) {
        parameters = Values(names: [], texts: [])
        fill(value)
    }

    init(parameters: Values) { self.parameters = parameters }

    isolated deinit {
        if isFilled { stored.deinitialize(count: 1) }
        stored.deallocate()
    }

    func fill(_ value: Value) {
        if isFilled { stored.pointee = value } else { stored.initialize(to: value) }
        isFilled = true
    }

    /// Where the state lies as long as there is the box.
    var address: UnsafeRawPointer { UnsafeRawPointer(stored) }

    package var value: Value {
        unsafeAddress {
            if !isFilled { fatalError("the state of a scenario before its start") }
            return UnsafePointer(stored)
        }
        _modify {
            if !isFilled { fatalError("the state of a scenario before its start") }
            defer { onChange?() }
            yield &stored.pointee
        }
    }
}

/// The state of a scenario, as a binding for its root view.
private final class StateBoxLocation<Value>: BindingLocation<Value>, @unchecked Sendable {
    // Sendable: the box is looked into on the main thread alone.
    private let box: StateBox<Value>
    /// What other threads get.
    private let first: Value

    @MainActor init(_ box: StateBox<Value>) {
        self.box = box
        first = box.value
    }

    override func get() -> Value { onMain("the state of the scenario") { box.value } ?? first }
    override func set(_ value: Value) {
        onMain("the state of the scenario", with: (box, value)) { box, value in box.value = value }
    }
}

extension ScreenScenario {
    /// A declarative screen on a state of the scenario's, which is a value: the root view is made again when that
    /// changes.
    public init<Root: View>(
        _ id: String, title: String? = nil, summary: String = "", screen: String? = nil,
        model: @autoclosure @escaping @MainActor () -> Source,
        @ViewBuilder root: @escaping (Binding<Source>) -> Root
    ) {
        self.init(
            id, title: title, summary: summary, screen: screen ?? screenName(of: Root.self),
            side: .declarative,
            make: model
        ) { box, instance, stage in
            let location = StateBoxLocation(box)
            try instance.putRoot(
                stage, root: { root(Binding(location: location)) }, changes: { box.onChange = $0 })
        }
    }
}

/// A screen is called after its root view.
private func screenName(of root: any View.Type) -> String {
    root is any Part.Type && !(root is any _Representable.Type) ? "Screen" : shortName(of: root)
}

extension ScreenScenario where Source: AnyObject {
    /// A declarative screen on a model object.
    public init<Root: View>(
        _ id: String, title: String? = nil, summary: String = "", screen: String? = nil,
        object: @autoclosure @escaping @MainActor () -> Source,
        @ViewBuilder root: @escaping @MainActor (Source) -> Root
    ) {
        self.init(
            id, title: title, summary: summary, screen: screen ?? screenName(of: Root.self),
            side: .declarative, make: object
        ) { box, instance, stage in
            try instance.putRoot(stage, root: { root(box.value) }, changes: { box.onChange = $0 })
        }
    }
}

extension ScreenScenario where Source == Void {
    /// A declarative screen that keeps its state to itself.
    public init<Root: View>(
        _ id: String, title: String? = nil, summary: String = "", screen: String? = nil,
        @ViewBuilder root: @escaping @MainActor () -> Root
    ) {
        self.init(
            id, title: title, summary: summary, screen: screen ?? screenName(of: Root.self),
            side: .declarative, make: {}
        ) {
            _, instance, stage in
            try instance.putRoot(stage, root: root, changes: { _ in })
        }
    }
}

extension Instance {
    /// Makes the state and the root of the screen, then the model, then whatever the root put up.
    func begin(_ make: () throws -> Stage) throws {
        let stage = try make()
        self.stage = stage
        isModelThere = true
        try publishModel()
        watchModel()
        for place in early.take() { try place() }
        try stage.begin()
    }

    /// The root of a declarative screen: a view with a body of its own is hosted; a representable is what the screen
    /// itself wraps.
    func putRoot<Root: View>(
        _ stage: Stage, root: @escaping @MainActor () -> Root,
        changes: @escaping @MainActor (@escaping @MainActor () -> Void) -> Void
    ) throws {
        if !isBare(Root.self) {
            stage.begin = { [unowned self] in
                let host = try HostedRoot(root(), instance: self, type: Root.self)
                try host.place()
                stage.refresh = { host.offer(root()) }
                stage.ending = { host.endHosted() }
            }
        } else {
            let tree = Tree(instance: self, screen: 0, scope: "")
            stage.tree = tree
            stage.begin = {
                try tree.draw(root())
                stage.refresh = { try tree.draw(root()) }
            }
        }
        changes { [unowned stage] in stage.needsRefresh = true }
    }
}
