import SeamWire

/// A text as its bytes. Swift takes é and e + U+0301 for the same, a name or a value of Seam does not.
struct Text: Hashable {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    var string: String { String(decoding: bytes, as: UTF8.self) }
    /// In quotes, as JSON has it.
    var quoted: String { JSON.string(string).encoded }
}

struct FieldName: Hashable {
    let screen: Text
    let key: Text
    var path: Text { Text(screen.bytes + [UInt8(ascii: ".")] + key.bytes) }
}

/// What protocol.md says of a simulation of `live`, in the plainest way: dictionaries, and a comparison of
/// every field after every turn. It shares nothing with the daemon but the page.
final class ReferenceSimulation {
    let id: Text
    /// The client that it goes with.
    let owner: Int?
    /// Drawn by the daemon: learned from the first line that names it, and compared from then on.
    var epoch: String?
    private(set) var seq = 0
    private(set) var turn = 1
    private(set) var ms = 0
    private(set) var model: [Text: Text] = [:]
    /// In order of declaration.
    private(set) var screens: [Text] = []
    private(set) var fields: [FieldName] = []
    private(set) var shown: [FieldName: Text] = [:]
    /// When each key last changed, and each field was last written.
    private(set) var changed: [Text: Moment] = [:]
    private(set) var written: [FieldName: Moment] = [:]
    /// Every seq up to here has been seen on a stream, so that it is known which change it is.
    var seenSeq = 0

    init(id: Text, owner: Int?) {
        self.id = id
        self.owner = owner
    }

    func model(of field: FieldName) -> Text? { model[field.key] }

    /// One turn: `body` happens, then every field is compared with what it was.
    func apply(burst: Int, _ body: (ReferenceSimulation) -> Void) -> ReferenceTurn {
        let before = Dictionary(uniqueKeysWithValues: fields.map { ($0, (model[$0.key], shown[$0])) })
        body(self)
        turn += 1
        var changes: [ReferenceTurn.Change] = []
        for field in fields {
            let (oldModel, oldShown) = before[field] ?? (nil, nil)
            let (newModel, newShown) = (model[field.key], shown[field])
            guard oldModel != newModel || oldShown != newShown else { continue }
            changes.append(
                ReferenceTurn.Change(
                    field: field, from: verdict(oldModel, oldShown), to: verdict(newModel, newShown),
                    model: newModel, shown: newShown))
        }
        let record = ReferenceTurn(
            of: self, number: turn, ms: ms, firstSeq: seq + 1, changes: changes, burst: burst)
        seq += changes.count
        return record
    }

    struct Moment {
        let turn: Int
        let ms: Int
    }

    /// Of the turn that is being made.
    private var now: Moment { Moment(turn: turn + 1, ms: ms) }

    func setModel(_ key: Text, _ value: Text?) {
        if model[key] != value { changed[key] = now }
        model[key] = value
    }

    func declare(_ field: FieldName) {
        if !screens.contains(field.screen) { screens.append(field.screen) }
        if !fields.contains(field) { fields.append(field) }
    }

    func setShown(_ field: FieldName, _ value: Text?) {
        declare(field)
        shown[field] = value
        written[field] = now
    }

    func advance(_ span: Int) { ms += span }

    /// The sentence of `sim.explain`. A turn writes one side alone, so that turns tell what came first.
    func reason(_ field: FieldName) -> String {
        let name = field.path.string
        let (model, shown) = (model[field.key], shown[field])
        let (changed, written) = (changed[field.key], written[field])
        let clause =
            changed.map {
                "the model \(model == nil ? "was cleared" : "changed") in turn \($0.turn) (by a client)"
            }
            ?? "the model has never had a value for it"
        let isLater = (written?.turn ?? 0) > (changed?.turn ?? 0)
        let turn = written?.turn ?? 0
        switch verdict(model, shown) {
        case "out-of-scope":
            return "\(name) is out of scope: \(clause), and "
                + (written == nil
                    ? "the screen was never written" : "a client cleared it on the screen in turn \(turn)")
        case "matching":
            return "\(name) matches: "
                + (isLater
                    ? "a client wrote it in turn \(turn), after \(clause)"
                    : "\(clause) to what a client had written in turn \(turn)")
        case "leftover":
            let cause =
                changed == nil
                ? "a client wrote it in turn \(turn)"
                : isLater
                    ? "a client wrote it in turn \(turn) all the same"
                    : "the screen was last reported in turn \(turn), before that"
            return "\(name) is leftover: \(clause), and \(cause)"
        case "missing":
            let cause =
                written == nil
                ? "nothing was ever reported of the screen"
                : "a client cleared it on the screen in turn \(turn)" + (isLater ? "" : ", before that")
            return "\(name) is missing: \(clause), and \(cause)"
        default:
            let cause =
                isLater
                ? "a client wrote something else in turn \(turn)"
                : "the screen was last reported in turn \(turn), before that"
            return "\(name) is stale: \(clause), and \(cause)"
        }
    }

    /// `{"screen", "field", "verdict", "model", "shown"}`, without its braces.
    func members(of field: FieldName) -> String {
        let (model, shown) = (model[field.key], shown[field])
        return
            #""screen":\#(field.screen.quoted),"field":\#(field.key.quoted),"verdict":"\#(verdict(model, shown))""#
            + sides(model, shown)
    }
}

/// The table of the five verdicts. The same letters match, however their accents are written; that it is the same
/// text, and so no change, is another question.
func verdict(_ model: Text?, _ shown: Text?) -> String {
    switch (model, shown) {
    case (nil, nil): "out-of-scope"
    case (nil, _?): "leftover"
    case (_?, nil): "missing"
    case (let model?, let shown?): model.string == shown.string ? "matching" : "stale"
    }
}

/// `,"model":…,"shown":…` as a line shows them: cut at a character, with the whole size behind.
func sides(_ model: Text?, _ shown: Text?) -> String {
    let sides = [("model", model), ("shown", shown)]
    let limit = 4096
    let values = sides.map { name, value in
        guard let value else { return #","\#(name)":null"# }
        var end = min(limit, value.bytes.count)
        // A byte 10xxxxxx goes on a character that began before it.
        while end < value.bytes.count && value.bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return #","\#(name)":\#(Text(Array(value.bytes[..<end])).quoted)"#
    }
    let sizes = sides.compactMap { name, value in
        value.flatMap { $0.bytes.count > limit ? #","\#(name)Bytes":\#($0.bytes.count)"# : nil }
    }
    return (values + sizes).joined()
}

/// The changes of one turn. Which of them comes first is the daemon's choice: whoever sees one on a stream
/// first fixes its number, and every other stream has to agree.
final class ReferenceTurn {
    struct Change {
        let field: FieldName
        let from: String
        let to: String
        let model: Text?
        let shown: Text?
    }

    let simulation: ReferenceSimulation
    let number: Int
    let ms: Int
    let firstSeq: Int
    let changes: [Change]
    /// The burst of requests in which it happened.
    let burst: Int
    /// The number of its first change among all changes of the daemon.
    var firstDseq = 0
    /// By seq: which change that is, once seen.
    private var places: [Int?]

    init(
        of simulation: ReferenceSimulation, number: Int, ms: Int, firstSeq: Int, changes: [Change], burst: Int
    ) {
        self.simulation = simulation
        self.number = number
        self.ms = ms
        self.firstSeq = firstSeq
        self.changes = changes
        self.burst = burst
        places = Array(repeating: nil, count: changes.count)
    }

    var lastSeq: Int { firstSeq + changes.count - 1 }

    /// The change with this seq, which names this field; nil when it cannot be that one.
    func place(_ seq: Int, _ field: FieldName) -> Int? {
        guard seq >= firstSeq, seq <= lastSeq else { return nil }
        if let known = places[seq - firstSeq] { return changes[known].field == field ? known : nil }
        guard let found = changes.indices.first(where: { changes[$0].field == field }),
            !places.contains(found)
        else { return nil }
        places[seq - firstSeq] = found
        return found
    }

    /// The changes from this seq on. When it is in the middle, the turn has to be one that was seen in full.
    func places(from seq: Int) -> [Int] {
        seq <= firstSeq ? Array(changes.indices) : places[(seq - firstSeq)...].compactMap { $0 }
    }

    /// The line of a change from behind `"sub":N,` on.
    func tail(_ place: Int, seq: Int) -> String {
        let change = changes[place]
        return #""sim":\#(simulation.id.quoted),"kind":"verdict","seq":\#(seq),"turn":\#(number),"ms":\#(ms)"#
            + #","screen":\#(change.field.screen.quoted),"field":\#(change.field.key.quoted)"#
            + #","from":"\#(change.from)","to":"\#(change.to)""# + sides(change.model, change.shown) + "}}"
    }
}

/// What one subscription still has to be sent.
final class ReferenceSubscription {
    enum Expected {
        /// This very line, from behind `"sub":N,` on.
        case line(String)
        /// These changes of a turn, in the order of their numbers.
        case turn(ReferenceTurn, remaining: Set<Int>)
        case sim(ReferenceSimulation, what: String, dseq: Int)
        case end(reason: String, seq: Int)

        var description: String {
            switch self {
            case .line(let tail): tail
            case .turn(let turn, let remaining):
                "turn \(turn.number) of \(turn.simulation.id.string), seq \(turn.firstSeq)...\(turn.lastSeq),"
                    + " dseq from \(turn.firstDseq): \(remaining.map { turn.changes[$0].field.path.string })"
            case .sim(let simulation, let what, let dseq): "\(simulation.id.string) \(what), dseq \(dseq)"
            case .end(let reason, let seq): "end \(reason) \(seq)"
            }
        }
    }

    /// Nil watches the daemon.
    let simulation: ReferenceSimulation?
    let globs: [Text]
    let onlyVerdicts: Bool
    let burst: Int
    /// Drawn by the daemon, known from the reply on.
    var number: Int?
    var queue: [Expected] = []
    var lastSeen = 0
    /// Its end was told, or is in the queue.
    var isOver = false

    init(of simulation: ReferenceSimulation?, globs: [Text], onlyVerdicts: Bool, burst: Int) {
        self.simulation = simulation
        self.globs = globs
        self.onlyVerdicts = onlyVerdicts
        self.burst = burst
    }

    func wants(_ field: FieldName, of owner: ReferenceSimulation) -> Bool {
        if globs.isEmpty { return true }
        let slash = [UInt8(ascii: "/")]
        let name = simulation == nil ? owner.id.bytes + slash + field.path.bytes : field.path.bytes
        return globs.contains { matches($0.bytes[...], name[...]) }
    }

    func enter(_ turn: ReferenceTurn, from seq: Int? = nil) {
        guard !isOver else { return }
        let places = seq.map { turn.places(from: $0) } ?? Array(turn.changes.indices)
        let wanted = places.filter {
            let change = turn.changes[$0]
            return wants(change.field, of: turn.simulation) && !(onlyVerdicts && change.from == change.to)
        }
        if !wanted.isEmpty { queue.append(.turn(turn, remaining: Set(wanted))) }
    }
}

/// Only `*` is special: any bytes.
private func matches(_ glob: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
    guard let first = glob.first else { return name.isEmpty }
    if first == UInt8(ascii: "*") {
        return matches(glob.dropFirst(), name) || (!name.isEmpty && matches(glob, name.dropFirst()))
    }
    return first == name.first && matches(glob.dropFirst(), name.dropFirst())
}

/// Everything that exists in the daemon.
final class Reference {
    enum Entry {
        case turn(ReferenceTurn)
        case sim(ReferenceSimulation, what: String, dseq: Int)
    }

    /// In order of creation.
    private(set) var simulations: [ReferenceSimulation] = []
    /// Of all clients.
    var subscriptions: [ReferenceSubscription] = []
    /// Number of the last entry of the daemon's own stream, and what it held since somebody watches it.
    private(set) var dseq = 0
    private(set) var history: [Entry] = []
    /// Everything up to here has been seen by who watches the daemon.
    var seenDseq = 0
    var burst = 0

    func find(_ id: Text) -> ReferenceSimulation? { simulations.first { $0.id == id } }

    func create(_ id: Text, owner: Int?) -> ReferenceSimulation {
        let simulation = ReferenceSimulation(id: id, owner: owner)
        simulations.append(simulation)
        announce(simulation, "created")
        return simulation
    }

    func destroy(_ simulation: ReferenceSimulation) {
        simulations.removeAll { $0 === simulation }
        announce(simulation, "destroyed")
        for subscription in subscriptions where subscription.simulation === simulation && !subscription.isOver
        {
            subscription.queue.append(.end(reason: "destroyed", seq: simulation.seq))
            subscription.isOver = true
        }
    }

    private func announce(_ simulation: ReferenceSimulation, _ what: String) {
        dseq += 1
        history.append(.sim(simulation, what: what, dseq: dseq))
        for subscription in subscriptions where subscription.simulation == nil && !subscription.isOver {
            subscription.queue.append(.sim(simulation, what: what, dseq: dseq))
        }
    }

    func apply(
        to simulation: ReferenceSimulation, _ body: (ReferenceSimulation) -> Void
    ) -> ReferenceTurn {
        let turn = simulation.apply(burst: burst, body)
        turn.firstDseq = dseq + 1
        dseq += turn.changes.count
        guard !turn.changes.isEmpty else { return turn }
        history.append(.turn(turn))
        for subscription in subscriptions
        where subscription.simulation === simulation || subscription.simulation == nil {
            subscription.enter(turn)
        }
        return turn
    }
}
