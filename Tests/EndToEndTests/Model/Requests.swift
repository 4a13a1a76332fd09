import SeamWire

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A line as far as it can be foretold: text, and the places of numbers that the daemon draws. Those are learned
/// from the first line that has them.
struct Foretold {
    enum Part {
        case text(String)
        case epoch(ReferenceSimulation)
        case number(ReferenceSubscription)
    }

    var parts: [Part] = []
    init(_ parts: Part...) { self.parts = parts }

    mutating func add(_ text: String) { parts.append(.text(text)) }
    mutating func add(epochOf simulation: ReferenceSimulation) { parts.append(.epoch(simulation)) }

    /// Byte for byte.
    func matches(_ line: String) -> Bool {
        var rest = Array(line.utf8)[...]
        for part in parts {
            switch part {
            case .text(let text):
                guard rest.starts(with: text.utf8) else { return false }
                rest = rest.dropFirst(text.utf8.count)
            case .epoch(let simulation):
                let epoch = String(decoding: rest.prefix(16), as: UTF8.self)
                guard epoch.wholeMatch(of: /[0-9a-f]{16}/) != nil, simulation.epoch ?? epoch == epoch else {
                    return false
                }
                simulation.epoch = epoch
                rest = rest.dropFirst(16)
            case .number(let subscription):
                let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
                guard let number = Int(String(decoding: digits, as: UTF8.self)),
                    subscription.number ?? number == number
                else { return false }
                subscription.number = number
                rest = rest.dropFirst(digits.count)
            }
        }
        return rest.isEmpty
    }

    var description: String {
        parts.map {
            switch $0 {
            case .text(let text): text
            case .epoch(let simulation): simulation.epoch ?? "<epoch>"
            case .number(let subscription): subscription.number.map { "\($0)" } ?? "<sub>"
            }
        }.joined()
    }
}

/// What a request has to be answered with.
enum Promise {
    case result(Foretold)
    /// Of methods that tell more than the page promises.
    case fitting(String, (JSON) -> Bool)
    case error(Int, String, path: String? = nil, facts: [(String, Int)] = [])
}

/// One request, what comes of it, and what it did.
struct Planned {
    var method: String
    /// In the order of the table.
    var params: [(name: String, value: JSON?)]
    var promise: Promise
    /// Lines about this turn come before the reply.
    var turn: ReferenceTurn?
    var opens: ReferenceSubscription?
    /// Goes out as it stands.
    var raw: String?
}

/// Draws requests and carries each out on the reference as it draws it.
final class RequestSource {
    var random: SeededGenerator
    let reference = Reference()
    let daemonEpoch: String
    private var namedCount = 0

    init(seed: UInt64, daemonEpoch: String) {
        random = SeededGenerator(seed: seed)
        self.daemonEpoch = daemonEpoch
    }

    static let ids = ["a", "b", "c", "d", "Ünï"].map { Text($0) }
    static let screens = ["Main", "Other", "Bär", "Ba\u{308}r"].map { Text($0) }
    // é twice: as one scalar and as two.
    static let keys = ["x", "y", "x.y", "a*b", "\u{E9}", "e\u{301}", "k=1", "日本", "long"].map { Text($0) }
    static let values: [JSON] = [
        "0", "1", "2", "", "\u{E9}", "e\u{301}", "a\u{2028}b\u{85}", "\u{1F600}", "tab\tquote\"back\\slash",
        .number("1.50"), .number("-0.0"), .number("1E5"), true, false,
    ]
    static let globs = [
        "*", "Main.*", "*.x", "*x*", "Other.y", "*.a*b", "nothing", "a/*", "*/Main.x", "Bär.*",
    ].map { Text($0) }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &random)]
    }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func value() -> JSON {
        if chance(10) { return .null }
        guard chance(1) else { return pick(Self.values) }
        // Around the size that a line shows, with a character across the border.
        return .string(
            String(repeating: "x", count: number(4088...4096)) + pick(["", "é", "日本", "\u{1F600}"]))
    }

    private func text(_ value: JSON) -> Text? {
        switch value {
        case .string(let text), .number(let text): Text(text)
        case .bool(let flag): Text(flag ? "true" : "false")
        default: nil
        }
    }

    private func json(_ text: Text) -> JSON { .string(text.string) }

    private func some(_ list: [Text], _ count: ClosedRange<Int> = 1...3) -> [Text] {
        Array(list.shuffled(using: &random).prefix(number(count)))
    }

    private func ifSeq(_ simulation: ReferenceSimulation?) -> JSON? {
        guard chance(10) else { return nil }
        let seq = simulation?.seq ?? 0
        return .number("\(chance(60) ? seq : seq + number(1...3))")
    }

    /// An id, and the simulation of it if there is one.
    private func simulation() -> (id: Text, found: ReferenceSimulation?) {
        if !reference.simulations.isEmpty && chance(93) {
            let found = pick(reference.simulations)
            return (found.id, found)
        }
        let id = pick(Self.ids)
        return (id, reference.find(id))
    }

    // MARK: Drawing

    /// A request of a client, with the numbers of its subscriptions.
    func next(client: Int, subscriptions: [ReferenceSubscription]) -> Planned {
        switch number(1...100) {
        case 1...28: return modelSet()
        case 29...52: return screenSet()
        case 53...57: return clear("model.clear")
        case 58...61: return clear("screen.clear")
        case 62...65: return declare()
        case 66...68: return advance()
        case 69...71: return get()
        case 72: return explain()
        case 73...76: return check()
        case 77...80: return create(client)
        case 81: return destroy()
        case 82: return run()
        case 83...86: return open(subscriptions)
        case 87...89: return close(subscriptions)
        case 90...91: return about()
        case 92: return list()
        case 93...94: return bridge()
        default: return fault()
        }
    }

    private func change(
        _ method: String, _ params: [(String, JSON?)], _ id: Text, _ found: ReferenceSimulation?,
        refused: Promise? = nil, _ body: (ReferenceSimulation) -> Void
    ) -> Planned {
        let ifSeq = ifSeq(found)
        var planned = Planned(
            method: method, params: [("sim", json(id))] + params + [("ifSeq", ifSeq)],
            promise: .error(-32001, "unknown-sim"))
        guard let found else { return planned }
        if let ifSeq = ifSeq?.integer, ifSeq != found.seq {
            planned.promise = .error(-32014, "conflict", facts: [("seq", found.seq)])
            return planned
        }
        if let refused {
            planned.promise = refused
            return planned
        }
        let turn = reference.apply(to: found, body)
        planned.turn = turn
        planned.promise = .result(
            Foretold(
                .text(
                    #"{"seq":\#(found.seq),"turn":\#(turn.number),"changes":\#(turn.changes.count),"diagnostics":0}"#
                )))
        return planned
    }

    private func pairs() -> [(key: Text, value: JSON)] {
        some(Self.keys).map { ($0, value()) }
    }

    private func object(_ pairs: [(key: Text, value: JSON)]) -> JSON {
        .object(pairs.map { JSON.Member($0.key.string, $0.value) })
    }

    private func modelSet() -> Planned {
        let (id, found) = simulation()
        let pairs = pairs()
        return change("model.set", [("values", object(pairs))], id, found) { simulation in
            for pair in pairs { simulation.setModel(pair.key, text(pair.value)) }
        }
    }

    private func screenSet() -> Planned {
        let (id, found) = simulation()
        let (screen, pairs) = (pick(Self.screens), pairs())
        let params: [(String, JSON?)] = [("screen", json(screen)), ("values", object(pairs))]
        return change("screen.set", params, id, found) { simulation in
            for pair in pairs {
                simulation.setShown(FieldName(screen: screen, key: pair.key), text(pair.value))
            }
        }
    }

    private func declare() -> Planned {
        let (id, found) = simulation()
        let (screen, keys) = (pick(Self.screens), some(Self.keys))
        let params: [(String, JSON?)] = [("screen", json(screen)), ("fields", .array(keys.map(json)))]
        return change("screen.declare", params, id, found) { simulation in
            for key in keys { simulation.declare(FieldName(screen: screen, key: key)) }
        }
    }

    private func clear(_ method: String) -> Planned {
        let (id, found) = simulation()
        let keys = some(Self.keys)
        if method == "model.clear" {
            return change(method, [("keys", .array(keys.map(json)))], id, found) { simulation in
                for key in keys { simulation.setModel(key, nil) }
            }
        }
        let screen = pick(Self.screens)
        var refused: Promise?
        if let found, !found.screens.contains(screen) {
            refused = .error(-32602, "unknown-screen", path: "screen")
        } else if let found,
            let strange = keys.firstIndex(where: {
                !found.fields.contains(FieldName(screen: screen, key: $0))
            })
        {
            refused = .error(-32602, "unknown-field", path: "keys[\(strange)]")
        }
        let params: [(String, JSON?)] = [("screen", json(screen)), ("keys", .array(keys.map(json)))]
        return change(method, params, id, found, refused: refused) { simulation in
            for key in keys { simulation.setShown(FieldName(screen: screen, key: key), nil) }
        }
    }

    private func advance() -> Planned {
        let (id, found) = simulation()
        let span = number(0...100_000)
        return change("sim.advance", [("ms", .number("\(span)"))], id, found) { $0.advance(span) }
    }

    private func get() -> Planned {
        let (id, found) = simulation()
        let screen = chance(30) ? pick(Self.screens) : nil
        let (from, limit) = (chance(30) ? number(0...8) : nil, chance(30) ? number(1...5) : nil)
        var planned = Planned(
            method: "sim.get",
            params: [
                ("sim", json(id)), ("screen", screen.map(json)), ("from", from.map { .number("\($0)") }),
                ("limit", limit.map { .number("\($0)") }),
            ], promise: .error(-32001, "unknown-sim"))
        guard let found else { return planned }
        if let screen, !found.screens.contains(screen) {
            planned.promise = .error(-32602, "unknown-screen", path: "screen")
            return planned
        }
        let all = found.fields.filter { screen == nil || $0.screen == screen }
        let page = all.dropFirst(from ?? 0).prefix(limit ?? .max)
        var text = Foretold(
            .text(#"{"sim":\#(found.id.quoted),"scenario":"live","epoch":""#), .epoch(found),
            .text(
                #"","seq":\#(found.seq),"turn":\#(found.turn),"ms":\#(found.ms),"status":"running","fields":["#
            ))
        text.add(page.map { "{\(found.members(of: $0))}" }.joined(separator: ","))
        let end = (from ?? 0) + page.count
        text.add(end < all.count ? #"],"next":\#(end)}"# : "]}")
        planned.promise = .result(text)
        return planned
    }

    private func explain() -> Planned {
        let (id, found) = simulation()
        if chance(15) {
            return Planned(
                method: "sim.trace", params: [("sim", json(id)), ("from", nil), ("to", nil)],
                promise: found == nil
                    ? .error(-32001, "unknown-sim") : .error(-32602, "not-traced", path: "sim"))
        }
        var (screen, key) = (pick(Self.screens), pick(Self.keys))
        if let found, let field = found.fields.randomElement(using: &random), chance(80) {
            (screen, key) = (field.screen, field.key)
        }
        var planned = Planned(
            method: "sim.explain",
            params: [("sim", json(id)), ("screen", json(screen)), ("field", json(key))],
            promise: .error(-32001, "unknown-sim"))
        guard let found else { return planned }
        let field = FieldName(screen: screen, key: key)
        guard found.screens.contains(screen) else {
            planned.promise = .error(-32602, "unknown-screen", path: "screen")
            return planned
        }
        guard found.fields.contains(field) else {
            planned.promise = .error(-32602, "unknown-field", path: "field")
            return planned
        }
        func write(_ name: String, _ moment: ReferenceSimulation.Moment?) -> String {
            let value = moment.map { #"{"turn":\#($0.turn),"ms":\#($0.ms),"by":"client"}"# } ?? "null"
            return #","\#(name)":\#(value)"#
        }
        planned.promise = .result(
            Foretold(
                .text(
                    #"{"sim":\#(found.id.quoted),\#(found.members(of: field)),"sentence":\#(Text(found.reason(field)).quoted)"#
                        + write("modelChanged", found.changed[key])
                        + write("shownWritten", found.written[field])
                        + #","carriers":[],"calls":[]}"#)))
        return planned
    }

    private func check() -> Planned {
        let (id, found) = simulation()
        let label = chance(30) ? Text("ein Häkchen") : nil
        let screen = chance(30) ? pick(Self.screens) : nil
        let names = chance(60) ? some(Self.keys) : nil
        // Without a screen some of them name one.
        let written = names?.map { key in
            screen == nil && chance(40) ? FieldName(screen: pick(Self.screens), key: key).path : key
        }
        var planned = Planned(
            method: "sim.check",
            params: [
                ("sim", json(id)), ("label", label.map(json)), ("screen", screen.map(json)),
                ("fields", written.map { .array($0.map(json)) }),
            ], promise: .error(-32001, "unknown-sim"))
        guard let found else { return planned }
        if let screen, !found.screens.contains(screen) {
            planned.promise = .error(-32602, "unknown-screen", path: "screen")
            return planned
        }
        var fields: [FieldName] = []
        if let written {
            for (index, name) in written.enumerated() {
                let named = found.fields.filter {
                    screen == nil ? $0.path == name || $0.key == name : $0.screen == screen && $0.key == name
                }
                if named.isEmpty {
                    planned.promise = .error(-32602, "unknown-field", path: "fields[\(index)]")
                    return planned
                }
                fields += named
            }
        } else {
            fields = found.fields.filter { screen == nil || $0.screen == screen }
        }
        let verdicts = fields.map { verdict(found.model(of: $0), found.shown[$0]) }
        let counts = ["matching", "stale", "missing", "leftover"].map { word in
            #""\#(word)":\#(verdicts.count { $0 == word })"#
        }
        planned.promise = .result(
            Foretold(
                .text(
                    #"{"label":\#((label ?? found.id).quoted),"fields":["#
                        + fields.map { "{\(found.members(of: $0))}" }.joined(separator: ",")
                        + #"],"counts":{\#(counts.joined(separator: ","))},"diagnostics":[]}"#)))
        return planned
    }

    // MARK: What exists

    /// `s1`, `s2`, …: the first that is free.
    private func generatedID() -> Text {
        repeat { namedCount += 1 } while reference.find(Text("s\(namedCount)")) != nil
        return Text("s\(namedCount)")
    }

    private func create(_ client: Int) -> Planned {
        // Few enough that they meet, and some that end with their client.
        let given = chance(80) || reference.simulations.count > 7 ? pick(Self.ids) : nil
        let isOwned = chance(20)
        var planned = Planned(
            method: "sim.create",
            params: [
                ("scenario", "live"), ("id", given.map(json)), ("params", chance(10) ? [:] : nil),
                ("policies", chance(10) ? ["updates": "manual"] : nil),
                ("profile", chance(10) ? "lesson" : nil),
                ("seed", chance(10) ? 7 : nil), ("clock", chance(10) ? "virtual" : nil),
                ("lifetime", isOwned ? "connection" : nil),
            ], promise: .error(-32014, "sim-exists"))
        if let given, reference.find(given) != nil { return planned }
        let created = reference.create(given ?? generatedID(), owner: isOwned ? client : nil)
        planned.promise = .result(
            Foretold(
                .text(#"{"sim":\#(created.id.quoted),"epoch":""#), .epoch(created),
                .text(#"","seq":0,"turn":1}"#)))
        return planned
    }

    private func destroy() -> Planned {
        let (id, found) = simulation()
        guard let found else {
            return Planned(
                method: "sim.destroy", params: [("sim", json(id))], promise: .error(-32001, "unknown-sim"))
        }
        reference.destroy(found)
        return Planned(
            method: "sim.destroy", params: [("sim", json(id))],
            promise: .result(Foretold(.text(#"{"sim":\#(id.quoted),"seq":\#(found.seq)}"#))))
    }

    private func run() -> Planned {
        let given = chance(50) ? pick(Self.ids) : nil
        let keeps = chance(30) && reference.simulations.count < 10
        var planned = Planned(
            method: "sim.run",
            params: [
                ("scenario", "live"), ("id", given.map(json)), ("params", nil), ("policies", nil),
                ("profile", nil), ("seed", nil), ("clock", nil), ("keep", keeps ? true : nil),
                ("steps", nil),
            ], promise: .error(-32014, "sim-exists"))
        if let given, reference.find(given) != nil { return planned }
        let created = reference.create(given ?? generatedID(), owner: nil)
        if !keeps { reference.destroy(created) }
        let kept = keeps ? #""sim":\#(created.id.quoted),"# : ""
        planned.promise = .result(Foretold(.text(#"{\#(kept)"checks":[],"diagnostics":[]}"#)))
        return planned
    }

    private func list() -> Planned {
        let (from, limit) = (chance(50) ? number(0...6) : nil, chance(50) ? number(1...4) : nil)
        let all = reference.simulations
        let page = all.dropFirst(from ?? 0).prefix(limit ?? .max)
        var text = Foretold(.text(#"{"sims":["#))
        for (index, simulation) in page.enumerated() {
            text.add(#"\#(index > 0 ? "," : ""){"sim":\#(simulation.id.quoted),"scenario":"live","epoch":""#)
            text.add(epochOf: simulation)
            text.add(#"","seq":\#(simulation.seq),"turn":\#(simulation.turn),"status":"running"}"#)
        }
        let end = (from ?? 0) + page.count
        text.add(end < all.count ? #"],"next":\#(end)}"# : "]}")
        return Planned(
            method: "sim.list",
            params: [("from", from.map { .number("\($0)") }), ("limit", limit.map { .number("\($0)") })],
            promise: .result(text))
    }

    private func about() -> Planned {
        let counts = (
            reference.simulations.count, reference.simulations.reduce(0) { $0 + $1.fields.count }
        )
        let epoch = daemonEpoch
        switch number(1...6) {
        case 1:
            return Planned(
                method: "seam.hello",
                params: [
                    ("client", chance(50) ? "model" : nil), ("protocol", chance(50) ? 1 : nil),
                    ("maxLine", nil),
                ],
                promise: .fitting("the daemon's epoch and protocol 1") {
                    $0["daemonEpoch"]?.text == epoch && $0["protocol"]?["major"] == 1
                })
        case 2:
            return Planned(
                method: "seam.stats", params: [],
                promise: .fitting("simulations \(counts.0), fields \(counts.1)") {
                    $0["simulations"]?.integer == counts.0 && $0["fields"]?.integer == counts.1
                })
        case 3:
            return Planned(
                method: "scenario.describe", params: [("scenario", "live")],
                promise: .fitting("the description of live") { $0["id"] == "live" && $0["plugin"] == .null })
        case 4 where chance(20):
            return Planned(
                method: "rpc.discover", params: [],
                promise: .fitting("every method") {
                    $0["methods"]?.elements?.count == Method.allCases.count
                })
        case 5:
            return Planned(
                method: "scenario.list", params: [("from", 0), ("limit", 1)],
                promise: .fitting("one scenario") { $0["scenarios"]?.elements?.count == 1 })
        default:
            return Planned(
                method: "seam.ping", params: [],
                promise: .result(Foretold(.text(#"{"daemonEpoch":"\#(daemonEpoch)"}"#))))
        }
    }

    private func bridge() -> Planned {
        let (id, found) = simulation()
        switch number(1...5) {
        case 1:
            return change(
                "sim.send", [("event", "tapped"), ("args", nil), ("mount", nil)], id, found,
                refused: .error(-32602, "unknown-event", path: "event")
            ) { _ in }
        case 2:
            return change(
                "bridge.mount", [("bridge", "host")], id, found,
                refused: .error(-32602, "unknown-bridge", path: "bridge")
            ) { _ in }
        default:
            return change(
                pick(["bridge.assign", "bridge.update", "bridge.unmount"]),
                [("bridge", "host"), ("mount", chance(50) ? 1 : nil)], id, found,
                refused: .error(-32602, "unknown-bridge", path: "bridge")
            ) { _ in }
        }
    }

    // MARK: Streams

    private func open(_ mine: [ReferenceSubscription]) -> Planned {
        let isDaemonWide = chance(25)
        let (id, found) = isDaemonWide ? (Text(""), nil) : simulation()
        let globs = chance(50) ? some(Self.globs) : []
        let onlyVerdicts = chance(25)
        var start = chance(20) ? "now" : chance(20) ? "state" : nil
        var after: JSON?
        let match: JSON? = globs.isEmpty && chance(50) ? nil : .array(globs.map(json))
        let mode: JSON? = chance(50) ? .string(pick(["latest", "all"])) : nil
        func tried(_ promise: Promise, opens: ReferenceSubscription? = nil) -> Planned {
            let params: [(String, JSON?)] = [
                ("sim", isDaemonWide ? nil : json(id)), ("match", match), ("mode", mode),
                ("only", onlyVerdicts ? "verdicts" : nil), ("after", after),
                ("start", start.map { .string($0) }),
            ]
            return Planned(method: "sub.open", params: params, promise: promise, opens: opens)
        }
        // Enough is enough: each costs a line per change.
        if mine.count >= 6 { start = "now" }
        guard isDaemonWide || found != nil else { return tried(.error(-32001, "unknown-sim")) }
        let opened = ReferenceSubscription(
            of: found, globs: globs.contains(Text("*")) ? [] : globs, onlyVerdicts: onlyVerdicts,
            burst: reference.burst)
        let word = isDaemonWide ? "dseq" : "seq"
        let last = found?.seq ?? reference.dseq
        var from = last
        if chance(30), let epoch = isDaemonWide ? daemonEpoch : found?.epoch {
            start = nil
            let oldest = max(0, last - Self.ringEntries)
            let seen = found?.seenSeq ?? reference.seenDseq
            let isStrange = chance(5)
            // Only what was seen: until then nobody knows which change of a turn has which number.
            from = chance(10) ? last + number(1...3) : chance(5) ? 0 : max(0, seen - number(0...60))
            let name = isStrange ? "0123456789abcdef" : epoch
            after = .object([
                JSON.Member("epoch", .string(name)), JSON.Member(word, .number("\(from)")),
            ])
            if isStrange || from < oldest {
                return tried(.error(-32010, "gone", facts: [("oldest", oldest), ("latest", last)]))
            }
            if from > last {
                return tried(.error(-32011, "seq-in-future", facts: [("latest", last)]))
            }
        }
        var count = 0
        if after == nil && start != "now" {
            for owner in found.map({ [$0] }) ?? reference.simulations {
                if isDaemonWide { opened.queue.append(.sim(owner, what: "exists", dseq: last)) }
                for field in owner.fields where opened.wants(field, of: owner) {
                    let head = isDaemonWide ? #""dseq":\#(last),"# : ""
                    opened.queue.append(
                        .line(
                            head + #""sim":\#(owner.id.quoted),"kind":"state","seq":\#(owner.seq),"#
                                + owner.members(of: field) + "}}"))
                    count += 1
                }
            }
        }
        opened.lastSeen = from
        let sim = found.map { #""sim":\#($0.id.quoted),"# } ?? #""dseq":\#(from),"#
        let seq = isDaemonWide ? "" : #","seq":\#(from)"#
        opened.queue.append(.line(sim + #""kind":"sync"\#(seq)}}"#))
        if after != nil { resume(opened, from: from) }
        reference.subscriptions.append(opened)
        var text = Foretold(.text(#"{"sub":"#), .number(opened), .text(#","epoch":""#))
        if let found { text.add(epochOf: found) } else { text.add(daemonEpoch) }
        text.add(#"","\#(word)":\#(from),"count":\#(count)}"#)
        return tried(.result(text), opens: opened)
    }

    static let ringEntries = 4096

    private func resume(_ opened: ReferenceSubscription, from: Int) {
        for entry in reference.history {
            switch entry {
            case .turn(let turn):
                if let simulation = opened.simulation {
                    if turn.simulation === simulation && turn.lastSeq > from {
                        opened.enter(turn, from: from + 1)
                    }
                    continue
                }
                let end = turn.firstDseq + turn.changes.count - 1
                if end > from { opened.enter(turn, from: turn.firstSeq + max(0, from + 1 - turn.firstDseq)) }
            case .sim(let simulation, let what, let dseq):
                if opened.simulation == nil && dseq > from {
                    opened.queue.append(.sim(simulation, what: what, dseq: dseq))
                }
            }
        }
    }

    private func close(_ mine: [ReferenceSubscription]) -> Planned {
        // The one that watches everything stays: by it the order of everything is known.
        let known = mine.filter { $0.number != nil && !$0.isOver && $0.burst > 0 }
        guard let closing = known.randomElement(using: &random), chance(90) else {
            let over = mine.first { $0.isOver && $0.queue.isEmpty }?.number ?? 900_000_000
            return Planned(
                method: "sub.close", params: [("sub", .number("\(over)"))],
                promise: .error(-32003, "unknown-sub"))
        }
        closing.isOver = true
        closing.queue.append(.end(reason: "closed", seq: closing.simulation?.seq ?? reference.dseq))
        let number = closing.number ?? 0
        return Planned(
            method: "sub.close", params: [("sub", .number("\(number)"))],
            promise: .result(Foretold(.text(#"{"sub":\#(number)}"#))))
    }

    // MARK: Faults

    /// Wrong whatever exists. `#` stands for what would do.
    static let faults: [(method: String, params: [(String, JSON?)], code: Int, kind: String, path: String?)] =
        [
            ("seam.pong", [], -32601, "unknown-method", nil),
            ("sim.get", [], -32602, "missing-param", "sim"),
            ("sim.get", [("sim", "a"), ("x", 1)], -32602, "unknown-param", "x"),
            ("sim.get", [("sim", 5)], -32602, "wrong-type", "sim"),
            ("sim.get", [("sim", "a"), ("limit", 0)], -32602, "out-of-range", "limit"),
            ("sim.get", [("sim", "a"), ("from", -1)], -32602, "out-of-range", "from"),
            ("sim.get", [("sim", "")], -32602, "bad-name", "sim"),
            ("sim.get", [("sim", "a/b")], -32602, "bad-name", "sim"),
            ("sim.get", [("sim", "a"), ("screen", "a.b")], -32602, "bad-name", "screen"),
            ("sim.create", [("scenario", "nope")], -32002, "unknown-scenario", nil),
            ("sim.create", [("scenario", "live"), ("id", "a=b")], -32602, "bad-name", "id"),
            ("sim.create", [("scenario", "live"), ("clock", "wall")], -32602, "out-of-range", "clock"),
            ("sim.create", [("scenario", "live"), ("seed", .number("1.5"))], -32602, "out-of-range", "seed"),
            (
                "sim.create", [("scenario", "live"), ("id", "new"), ("params", ["x": "1"])], -32602,
                "unknown-arg", "params.x"
            ),
            (
                "sim.create", [("scenario", "live"), ("id", "new"), ("policies", ["x": "1"])], -32602,
                "unknown-policy", "policies.x"
            ),
            (
                "sim.create", [("scenario", "live"), ("id", "new"), ("profile", "x")], -32602,
                "unknown-profile", "profile"
            ),
            ("sim.run", [("scenario", "nope")], -32002, "unknown-scenario", nil),
            ("sim.run", [("scenario", "live"), ("keep", 1)], -32602, "wrong-type", "keep"),
            ("scenario.describe", [("scenario", "nope")], -32002, "unknown-scenario", nil),
            ("model.set", [("sim", "a"), ("values", ["x": [1]])], -32602, "value-not-text", "values.x"),
            ("model.set", [("sim", "a"), ("values", ["x": [:]])], -32602, "value-not-text", "values.x"),
            ("model.set", [("sim", "a"), ("values", [])], -32602, "wrong-type", "values"),
            ("model.set", [("sim", "a"), ("values", ["\u{1}": "1"])], -32602, "bad-name", "values.\u{FFFD}"),
            ("model.clear", [("sim", "a"), ("keys", [])], -32602, "out-of-range", "keys"),
            ("model.clear", [("sim", "a"), ("keys", [1])], -32602, "wrong-type", "keys[0]"),
            (
                "screen.set", [("sim", "a"), ("screen", "a*b"), ("values", [:])], -32602, "bad-name",
                "screen"
            ),
            ("sim.advance", [("sim", "a"), ("ms", -1)], -32602, "out-of-range", "ms"),
            (
                "model.set", [("sim", "a"), ("values", [:]), ("interim", [:])], -32602, "missing-param",
                "interim.label"
            ),
            (
                "screen.set",
                [("sim", "a"), ("screen", "S"), ("values", [:]), ("interim", ["label": "l", "after": "x"])],
                -32602,
                "out-of-range", "interim.after"
            ),
            (
                "bridge.items", [("sim", "a"), ("bridge", "b"), ("items", ["x", "x"])], -32602,
                "conflicting-params", "items[1]"
            ),
            (
                "bridge.identify", [("sim", "a"), ("bridge", "b"), ("identity", "")], -32602, "bad-name",
                "identity"
            ),
            (
                "bridge.update", [("sim", "a"), ("bridge", "b"), ("cause", "x")], -32602, "out-of-range",
                "cause"
            ),
            ("host.set", [("sim", "a"), ("bridge", "b")], -32602, "missing-param", "window"),
            (
                "environment.set", [("sim", "a"), ("values", [:]), ("mount", 1)], -32602, "missing-param",
                "bridge"
            ),
            ("policy.list", [("x", 1)], -32602, "unknown-param", "x"),
            ("sub.open", [("mode", "fast")], -32602, "out-of-range", "mode"),
            ("sub.open", [("match", "*")], -32602, "wrong-type", "match"),
            (
                "sub.open",
                [("start", "now"), ("after", ["epoch": "0123456789abcdef", "dseq": 0])], -32602,
                "conflicting-params", "start"
            ),
            ("sub.open", [("after", ["epoch": "x", "dseq": 0])], -32602, "out-of-range", "after.epoch"),
            ("sub.close", [("sub", "1")], -32602, "wrong-type", "sub"),
            ("seam.hello", [("protocol", 2)], -32602, "out-of-range", "protocol"),
        ]

    /// No request at all.
    static let badLines: [(line: String, code: Int, kind: String)] = [
        ("nonsense", -32700, "parse"), (#"{"method":"seam.ping","#, -32700, "parse"),
        (#"{"method":"seam.ping",}"#, -32700, "parse"),
        (#"{"id":1e400,"method":"x"}"#, -32700, "number-range"),
        ("[]", -32600, "invalid-request"), ("5", -32600, "invalid-request"),
        (#"{"id":[1],"method":"seam.ping"}"#, -32600, "id-type"),
        (#"{"method":"seam.ping","method":"seam.ping"}"#, -32600, "duplicate-key"),
        (#"{"method":5}"#, -32600, "invalid-request"),
        (#"{"method":"seam.ping","params":7}"#, -32600, "invalid-request"),
        (#"{"jsonrpc":"1.0","method":"seam.ping"}"#, -32600, "invalid-request"),
    ]

    private func fault() -> Planned {
        if chance(25) {
            let bad = pick(Self.badLines)
            return Planned(method: "", params: [], promise: .error(bad.code, bad.kind), raw: bad.line)
        }
        let row = pick(Self.faults)
        return Planned(
            method: row.method, params: row.params.map { ($0.0, $0.1) },
            promise: .error(row.code, row.kind, path: row.path))
    }
}
