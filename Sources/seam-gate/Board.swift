// What every field is, now: one row for each, from which a browser that comes gets its snapshot and a scrape its counts.

import SeamWire

/// The state of all simulations as the daemon told it.
final class Board {
    /// A field in 96 bytes and its texts. The values are JSON as it came, so that a row is written by copying.
    struct Field {
        /// `sim/Screen.field`; empty where no field is.
        var name = ""
        var model = "null"
        var shown = "null"
        var seq: UInt64 = 0
        /// When it went stale, in monotonic milliseconds; said of stale ones alone.
        var staleSince = 0
        /// When it changed last, in milliseconds since 1970; 0 when the gate has not seen it change.
        var changed: UInt64 = 0
        var band = Band()
        var simulation: Int32 = -1
        var simulationBytes: UInt8 = 0
        var screenBytes: UInt8 = 0
        var verdict = Verdict.outOfScope
        /// Whether `sizes` has the full sizes of its values.
        var isCut = false
        var isThere: Bool { simulation >= 0 }
    }

    /// The last 32 verdicts of a field, half a byte each: 0 is none, else the verdict and one.
    struct Band {
        private var newer: UInt64 = 0
        private var older: UInt64 = 0

        var isEmpty: Bool { newer == 0 }
        var hasSeveral: Bool { newer >> 4 != 0 }

        mutating func push(_ verdict: Verdict) {
            older = older << 4 | newer >> 60
            newer = newer << 4 | UInt64(verdict.rawValue + 1)
        }

        /// A digit for each, the oldest first.
        func write(to out: inout ByteBuffer) {
            for half in [older, newer] {
                for place in stride(from: 60, through: 0, by: -4) {
                    let digit = UInt8(half >> UInt64(place) & 0xF)
                    if digit > 0 { out.append(decimal: UInt64(digit - 1)) }
                }
            }
        }
    }

    /// What a line has changed, and what was there before where that is another: JSON as it came.
    struct Taken {
        let row: Int32
        /// Nobody knew of the field.
        let isNew: Bool
        var model: String?
        var shown: String?
        var sizes = Sizes()
    }

    /// The full sizes of values that the daemon has cut, as decimal numbers.
    struct Sizes {
        var model: String?
        var shown: String?
        var isEmpty: Bool { model == nil && shown == nil }

        func write(to out: inout ByteBuffer) {
            if let model {
                out.key("modelBytes")
                out.append(model)
            }
            if let shown {
                out.key("shownBytes")
                out.append(shown)
            }
        }
    }

    struct Simulation {
        var id: String
        /// As JSON, like the values of fields.
        var scenario: String
        var epoch: String
        var hasFailed = false
        var fields: [Int32] = []
    }

    /// Rows stay where they are until their simulation goes, then the place is free for another field.
    private(set) var fields: [Field] = []
    private(set) var simulations: [Simulation?] = []
    /// Fields with each verdict.
    private(set) var counts = [Int](repeating: 0, count: Verdict.allCases.count)
    private(set) var simulationCount = 0
    private(set) var failedCount = 0

    private var freeFields: [Int32] = []
    private var freeSimulations: [Int32] = []
    private var fieldByName: [String: Int32] = [:]
    private var simulationByID: [String: Int32] = [:]
    /// For values that the daemon has cut.
    private var sizes: [Int32: Sizes] = [:]
    private var nameBytes: [UInt8] = []

    /// A stale spell is over, after so many milliseconds.
    var spellEnded: (Int) -> Void = { _ in }

    var fieldCount: Int { fields.count - freeFields.count }

    func removeAll() {
        fields = []
        simulations = []
        counts = [Int](repeating: 0, count: Verdict.allCases.count)
        simulationCount = 0
        failedCount = 0
        freeFields = []
        freeSimulations = []
        fieldByName = [:]
        simulationByID = [:]
        sizes = [:]
    }

    // MARK: changes

    /// Takes a `state` or `verdict` line in: with `wall`, the time since 1970, as a change. nil when it names no field.
    func take(_ event: DaemonEvent, at now: Int, wall: UInt64? = nil) -> Taken? {
        guard let sim = event.sim, let screen = event.screen, let name = event.field,
            let verdict = Verdict(event.verdict), let place = row(sim, screen, name)
        else { return nil }
        let index = Int(place)
        let before = fields[index].verdict
        let isNew = fields[index].band.isEmpty
        if isNew || wall != nil || verdict != before { fields[index].band.push(verdict) }
        if let wall { fields[index].changed = wall }
        let (model, shown) = (event.model?.text ?? "null", event.shown?.text ?? "null")
        var taken = Taken(row: place, isNew: isNew)
        if !isNew {
            if fields[index].model != model { taken.model = fields[index].model }
            if fields[index].shown != shown { taken.shown = fields[index].shown }
            if fields[index].isCut { taken.sizes = sizes[place] ?? Sizes() }
        }
        counts[Int(before.rawValue)] -= 1
        counts[Int(verdict.rawValue)] += 1
        if before == .stale && verdict != .stale { spellEnded(now - fields[index].staleSince) }
        if before != .stale && verdict == .stale { fields[index].staleSince = now }
        fields[index].verdict = verdict
        fields[index].seq = event.seq
        fields[index].model = model
        fields[index].shown = shown
        if event.modelBytes != nil || event.shownBytes != nil {
            sizes[place] = Sizes(model: event.modelBytes?.text, shown: event.shownBytes?.text)
            fields[index].isCut = true
        } else if fields[index].isCut {
            sizes[place] = nil
            fields[index].isCut = false
        }
        return taken
    }

    /// Takes a `sim` line in. Whether it is news: that a simulation exists, or has failed, may be told again.
    func takeSimulation(_ event: DaemonEvent, at now: Int) -> Bool {
        guard let id = event.sim?.unquoted, let what = event.what?.unquoted else { return false }
        switch what {
        case "exists", "created", "failed":
            let isNew = simulationByID[id] == nil
            let place = Int(simulation(id))
            simulations[place]?.scenario = event.scenario?.text ?? "null"
            simulations[place]?.epoch = event.epoch?.text ?? "null"
            guard what == "failed" || event.status?.unquoted == "failed" else {
                return isNew || what == "created"
            }
            if simulations[place]?.hasFailed == true { return false }
            simulations[place]?.hasFailed = true
            failedCount += 1
        case "destroyed":
            remove(id, at: now)
        default: return false
        }
        return true
    }

    /// Takes out what a snapshot did not name, and gives each of them as the event that tells of it, still open.
    func removeAll(but present: Set<String>, at now: Int, _ tell: (inout ByteBuffer) -> Void) {
        var line = ByteBuffer()
        for simulation in simulations.compactMap({ $0 }) where !present.contains(simulation.id) {
            line.removeAll()
            writeSimulation(simulation, "destroyed", to: &line)
            remove(simulation.id, at: now)
            tell(&line)
        }
    }

    private func remove(_ id: String, at now: Int) {
        guard let place = simulationByID.removeValue(forKey: id), let gone = simulations[Int(place)] else {
            return
        }
        for field in gone.fields {
            let row = fields[Int(field)]
            counts[Int(row.verdict.rawValue)] -= 1
            if row.verdict == .stale { spellEnded(now - row.staleSince) }
            fieldByName[row.name] = nil
            sizes[field] = nil
            fields[Int(field)] = Field()
            freeFields.append(field)
        }
        simulations[Int(place)] = nil
        freeSimulations.append(place)
        simulationCount -= 1
        if gone.hasFailed { failedCount -= 1 }
    }

    private func simulation(_ id: String) -> Int32 {
        if let place = simulationByID[id] { return place }
        let made = Simulation(id: id, scenario: "null", epoch: "null")
        let place: Int32
        if let free = freeSimulations.popLast() {
            place = free
            simulations[Int(free)] = made
        } else {
            place = Int32(simulations.count)
            simulations.append(made)
        }
        simulationByID[id] = place
        simulationCount += 1
        return place
    }

    /// The row of a field, made when there is none.
    private func row(
        _ sim: UnsafeRawBufferPointer, _ screen: UnsafeRawBufferPointer, _ field: UnsafeRawBufferPointer
    ) -> Int32? {
        nameBytes.removeAll(keepingCapacity: true)
        guard append(sim) else { return nil }
        let simulationBytes = nameBytes.count
        nameBytes.append(UInt8(ascii: "/"))
        guard append(screen) else { return nil }
        let screenBytes = nameBytes.count - simulationBytes - 1
        nameBytes.append(UInt8(ascii: "."))
        // Names have 128 bytes at most.
        guard append(field), simulationBytes <= 255, screenBytes <= 255 else { return nil }
        let name = String(decoding: nameBytes, as: UTF8.self)
        if let place = fieldByName[name] { return place }

        let owner = simulation(String(decoding: nameBytes[..<simulationBytes], as: UTF8.self))
        let made = Field(
            name: name, simulation: owner, simulationBytes: UInt8(simulationBytes),
            screenBytes: UInt8(screenBytes))
        let place: Int32
        if let free = freeFields.popLast() {
            place = free
            fields[Int(free)] = made
        } else {
            place = Int32(fields.count)
            fields.append(made)
        }
        fieldByName[name] = place
        simulations[Int(owner)]?.fields.append(place)
        counts[Int(Verdict.outOfScope.rawValue)] += 1
        return place
    }

    private func append(_ raw: UnsafeRawBufferPointer) -> Bool {
        guard raw.count >= 2 else { return false }
        if raw.contains(UInt8(ascii: "\\")) {
            guard let text = raw.unquoted else { return false }
            nameBytes.append(contentsOf: text.utf8)
        } else {
            nameBytes.append(contentsOf: raw[1..<(raw.count - 1)])
        }
        return true
    }

    // MARK: reading

    /// `sim/Screen.field` of a diagnostic that names one.
    func name(of event: DaemonEvent) -> String? {
        guard let sim = event.sim?.unquoted, let screen = event.screen?.unquoted,
            let field = event.field?.unquoted
        else { return nil }
        return "\(sim)/\(screen).\(field)"
    }

    /// For how many milliseconds the field that is stale longest has been so; 0 when none is.
    func oldestStaleAge(at now: Int) -> Int {
        guard counts[Int(Verdict.stale.rawValue)] > 0 else { return 0 }
        var oldest = now
        for field in fields where field.isThere && field.verdict == .stale {
            oldest = min(oldest, field.staleSince)
        }
        return now - oldest
    }

    /// A row as the event `state`.
    func writeState(_ place: Int, to out: inout ByteBuffer) {
        let field = fields[place]
        let name = field.name.utf8
        let screenStart = name.index(name.startIndex, offsetBy: Int(field.simulationBytes) + 1)
        let screenEnd = name.index(screenStart, offsetBy: Int(field.screenBytes))
        out.append("event: state\ndata: {")
        out.member("sim", String(Substring(name.prefix(Int(field.simulationBytes)))))
        out.key("scenario")
        out.append(simulations[Int(field.simulation)]?.scenario ?? "null")
        out.member("screen", String(Substring(name[screenStart..<screenEnd])))
        out.member("field", String(Substring(name[name.index(after: screenEnd)...])))
        out.member("verdict", field.verdict.word)
        out.key("model")
        out.append(field.model)
        out.key("shown")
        out.append(field.shown)
        out.member("seq", field.seq)
        if field.isCut { sizes[Int32(place)]?.write(to: &out) }
        if field.changed > 0 { out.member("changed", field.changed) }
        if field.band.hasSeveral {
            out.key("band")
            out.append("\"")
            field.band.write(to: &out)
            out.append("\"")
        }
        out.append("}\n\n")
    }

    /// A simulation as the event `sim`.
    func writeSimulation(_ place: Int, to out: inout ByteBuffer) {
        guard let simulation = simulations[place] else { return }
        writeSimulation(simulation, "exists", to: &out)
        out.member("status", simulation.hasFailed ? "failed" : "running" as StaticString)
        out.append("}\n\n")
    }

    private func writeSimulation(_ simulation: Simulation, _ what: StaticString, to out: inout ByteBuffer) {
        out.append("event: sim\ndata: {")
        out.member("sim", simulation.id)
        out.member("kind", "sim" as StaticString)
        out.member("what", what)
        out.key("scenario")
        out.append(simulation.scenario)
        out.key("epoch")
        out.append(simulation.epoch)
    }
}
