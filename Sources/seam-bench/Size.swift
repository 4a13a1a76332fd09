internal import Glibc
internal import SeamWire

/// A million fields in one simulation: what they take, what they cost the others, and what a snapshot of them takes.
final class Large: Section {
    static let lines = ["fields", "memory", "snapshot"]
    private var memory = Samples()
    private var rates = TimedRates()
    private var lines = Samples()
    private var probes = Samples()
    private var growth = Samples()
    private var quiet = Samples()
    private static let sim = "big"

    func round(_ bench: Bench) throws(Failure) {
        try bench.withSeam { seam throws(Failure) in
            let count = bench.amount(1_000_000)
            let small = try seam.oneToOne(replies: true)
            try seam.check(small.run(.events(bench.amount(100_000))))
            if bench.wants("fields") {
                try seam.check(rates.add("100 fields", small, bench.amount(500_000), on: seam))
            }
            try fill(seam, count)
            if bench.wants("fields") { try measureRate(seam, count, bench) }
            if bench.wants("snapshot") { try measureSnapshot(seam, count) }
        }
    }

    private func fill(_ seam: Seam, _ count: Int) throws(Failure) {
        let before = try seam.server.memory().now
        try seam.call("sim.create", ["scenario": "live", "id": .string(Self.sim)])
        let each = 1000
        for start in stride(from: 0, to: count, by: each) {
            let fields = start..<min(count, start + each)
            let values = JSON.object(fields.map { JSON.Member(Self.field($0), .string(Self.value($0))) })
            try seam.call("screen.set", ["sim": .string(Self.sim), "screen": "Screen", "values": values])
            try seam.call("model.set", ["sim": .string(Self.sim), "values": values])
        }
        memory.add("seam", Double(try seam.server.memory().now - before) / Double(count))
    }

    private static func field(_ index: Int) -> String { "field\(1_000_000 + index)" }

    /// Twenty bytes, on both sides.
    private static func value(_ index: Int) -> String { "value-\(20_000_000_000_000 + index)" }

    private func measureRate(_ seam: Seam, _ count: Int, _ bench: Bench) throws(Failure) {
        let subscriber = try seam.connect()
        try seam.subscribe(subscriber, to: Self.sim)
        // Anywhere: a step that has no divisor with the count comes round to every field.
        let requests = Requests(count: count / 10) { index, out in
            Seam.writeModelSet(
                Self.sim, Self.field(index * 7_368_787 % count), Work.value(index), id: index, into: &out)
        }
        let load = Load(
            publisher: try seam.connect(), requests: requests, subscribers: [subscriber], feedsPerReply: 1)
        let before = try seam.currentSeq(of: Self.sim)
        let outcome = try rates.add("1 M fields", load, count / 10, on: seam)
        try Seam.expect(outcome.lastLines[0], toBeChange: before + UInt64(outcome.events))
    }

    private func measureSnapshot(_ seam: Seam, _ count: Int) throws(Failure) {
        let probe = try makeProbe(seam)
        let idle = Load(
            publisher: try seam.connect(), requests: Seam.modelSets("s", replies: true), subscribers: [],
            probe: probe)
        // Nothing to send: only the probe asks.
        var nothing = idle
        nothing.window = 0
        quiet.add("seam", percentile(0.99, of: try nothing.run(.seconds(0.3)).latencies) / 1e6)
        let reader = try seam.connect()
        let open = Requests(count: 1) { _, out in
            out.append(
                contentsOf: Seam.line(
                    "sub.open", ["sim": .string(Self.sim), "mode": "all", "start": "state"]))
        }
        try seam.server.forgetPeak()
        let before = try seam.server.memory().now
        let load = Load(
            publisher: reader, requests: open, subscribers: [reader], feedsPerEvent: count + 2, probe: probe)
        let outcome = try load.run(.events(1))
        guard outcome.lastLines[0].contains("\"kind\":\"sync\"") else {
            throw Failure("the snapshot ends with \(outcome.lastLines[0])")
        }
        lines.add("seam", Double(count) / outcome.seconds)
        probes.add("seam", percentile(0.99, of: outcome.latencies) / 1e6)
        growth.add("seam", Double(try seam.server.memory().peak - before) / 1_048_576)
    }

    func rows(_ bench: Bench) -> [Row] {
        let size = bench.options.isQuick ? "100 k" : "1 M"
        return [
            Row(
                line: "fields", title: "events, \(size) fields", unit: .perSecond,
                series: rates.series, target: .atLeast(0.7, times: "100 fields"),
                note: "events touch all of the \(size) fields in no order; \(rates.note)"),
            Row(
                line: "memory", title: "memory per field", unit: .bytes, series: memory.series,
                target: .atMost(200),
                note:
                    "\(size) fields with names of 12 bytes and values of 20 on both sides; the full ring is in it"
            ),
            Row(
                line: "snapshot", title: "snapshot of \(size) fields, lines", unit: .perSecond,
                series: lines.series,
                target: .atLeast(2e6)),
            Row(
                line: "snapshot", title: "another client's p99 meanwhile", unit: .milliseconds,
                series: probes.series,
                target: .atMost(5),
                note: quiet.series.first.map { "\(Report.number($0.median)) ms before it" }),
            Row(
                line: "snapshot", title: "growth of memory meanwhile", unit: .mebibytes,
                series: growth.series,
                target: .atMost(16)),
        ]
    }
}

/// Rates of one server with the processor time that it took per event: on a busy machine the one that still says
/// something.
struct TimedRates {
    private var rates = Samples()
    private var times = Samples()

    mutating func add(_ name: String, _ load: Load, _ events: Int, on seam: Seam) throws(Failure)
        -> Load.Outcome
    {
        let before = seam.server.time
        let outcome = try load.run(.events(events))
        times.add(name, Double(seam.server.time - before) / Double(outcome.events))
        rates.add(name, outcome.perSecond)
        return outcome
    }

    /// The last that was measured first.
    var series: [Row.Series] { rates.series.reversed() }

    var note: String {
        let parts = times.series.map { "\($0.name) \(Int($0.median.rounded())) ns" }
        return "server CPU: \(parts.joined(separator: ", "))"
    }
}

/// Another client: one simulation of its own, one change at a time, until its line and its reply are there.
func makeProbe(_ seam: Seam) throws(Failure) -> Load.Probe {
    try seam.makeSimulation("probe", fields: 1)
    let socket = try seam.connect()
    try seam.subscribe(socket, to: "probe")
    let requests = Requests(count: 2) { index, out in
        Seam.writeModelSet("probe", "f0", Work.value(index), id: index, into: &out)
    }
    return Load.Probe(socket: socket, requests: requests, feeds: 2)
}

/// Ten thousand simulations.
final class ManySimulations: Section {
    static let lines = ["simulations"]
    private static let fields = 3
    /// What one connection may subscribe to, and a few less.
    private static let watched = 250
    private var memory = Samples()
    private var created = Samples()
    private var rates = TimedRates()

    func round(_ bench: Bench) throws(Failure) {
        try bench.withSeam { seam throws(Failure) in
            let count = bench.amount(10_000)
            let watched = min(Self.watched, count)
            let small = try seam.oneToOne(replies: true)
            try seam.check(small.run(.events(bench.amount(100_000))))
            let before = try seam.server.memory().now
            let values = JSON.object((0..<Self.fields).map { JSON.Member("f\($0)", "0") })
            try seam.callMany(count) { ("sim.create", ["scenario": "live", "id": .string("sim\($0)")]) }
            created.add("seam", Double(try seam.server.memory().now - before) / Double(count))
            try seam.callMany(count) {
                ("screen.set", ["sim": .string("sim\($0)"), "screen": "Screen", "values": values])
            }
            try seam.callMany(count) { ("model.set", ["sim": .string("sim\($0)"), "values": values]) }
            memory.add("seam", Double(try seam.server.memory().now - before) / Double(count))

            try seam.check(rates.add("one simulation", small, bench.amount(500_000), on: seam))

            let subscriber = try seam.connect()
            for index in 0..<watched {
                try seam.subscribe(subscriber, to: "sim\(index * (count / watched))")
            }
            let sets = Requests(count: 50_000) { index, out in
                let sim = "sim\(index * 7_919 % watched * (count / watched))"
                let field = "f\(index / watched % Self.fields)"
                Seam.writeModelSet(sim, field, Work.value(index), id: index, into: &out)
            }
            let load = Load(
                publisher: try seam.connect(), requests: sets, subscribers: [subscriber], feedsPerReply: 1)
            try expectVerdict(load.run(.events(bench.amount(100_000))))
            try expectVerdict(rates.add("10 k simulations", load, bench.amount(500_000), on: seam))
        }
    }

    private func expectVerdict(_ outcome: Load.Outcome) throws(Failure) {
        // As many lines as events came, so a merged or lost one would be missing; an `end` would be the last.
        guard outcome.lastLines[0].contains("\"kind\":\"verdict\"") else {
            throw Failure("the last line is \(outcome.lastLines[0])")
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        [
            Row(
                line: "simulations", title: "events, \(bench.options.isQuick ? "1 k" : "10 k") simulations",
                unit: .perSecond, series: rates.series,
                target: .atLeast(0.8, times: "one simulation"),
                note: "events go round \(Self.watched) of them, all watched by one connection; \(rates.note)"),
            Row(
                line: "simulations", title: "memory per small simulation", unit: .bytes,
                series: memory.series,
                target: .atMost(1024),
                note: "live, one screen, \(Self.fields) fields, both sides set; just created"
                    + " \(Int(Row.median(created.series.first?.samples ?? []).rounded())) B"),
        ]
    }
}

/// A thousand subscriptions to which no event is of interest.
final class OtherSubscriptions: Section {
    static let lines = ["subscriptions"]
    private static let connections = 4
    private static let each = 250
    private var rates = TimedRates()

    func round(_ bench: Bench) throws(Failure) {
        try bench.withSeam { seam throws(Failure) in
            let load = try seam.oneToOne(replies: true)
            try seam.check(load.run(.events(bench.amount(100_000))))
            try seam.check(rates.add("one subscription", load, bench.amount(500_000), on: seam))
            var others: [Socket] = []
            for _ in 0..<Self.connections {
                let other = try seam.connect()
                for index in 0..<Self.each {
                    try seam.call(
                        "sub.open",
                        ["sim": "s", "mode": "all", "start": "now", "match": [.string("Other.f\(index)*")]],
                        on: other, lines: 1)
                }
                others.append(other)
            }
            try seam.check(load.run(.events(bench.amount(20_000))))
            try seam.check(rates.add("and 1,000 others", load, bench.amount(500_000), on: seam))
            for other in others {
                let rest = try other.readQuiet(milliseconds: 0, capacity: 4096)
                // A mark every five seconds is all that they may get.
                if rest.contains(where: { $0 == UInt8(ascii: "\n") }),
                    String(decoding: rest, as: UTF8.self).contains("\"verdict\"")
                {
                    throw Failure("a subscription got a line that it does not match")
                }
            }
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        [
            Row(
                line: "subscriptions", title: "events, 1,000 subscriptions besides", unit: .perSecond,
                series: rates.series, target: .atLeast(0.9, times: "one subscription"),
                note: "on \(Self.connections) connections, to fields that no event touches; \(rates.note)")
        ]
    }
}
