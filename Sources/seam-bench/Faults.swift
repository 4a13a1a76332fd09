internal import CSeamBench
internal import Glibc
internal import SeamWire

/// A turn with a plug-in in it: the model changes, the root view is assigned, the plug-in's body draws.
final class PluginBridge: Section {
    static let lines = ["bridge", "seamkit", "hosting", "representable"]

    private struct Pair {
        var line: String
        var scenario: String
        var key: String
        var author: String
        var target: Double
        /// The request behind each `model.set`.
        var method = "bridge.assign"
        var params = #""bridge":"host""#
        /// How many changes the two make.
        var changes = 2
        var rates = [true: TimedRates(), false: TimedRates()]
    }
    private var pairs = [
        Pair(line: "bridge", scenario: "bench.bridge", key: "count", author: "a C plug-in", target: 500_000),
        // Its body draws three fields, and it lies beside seamd as every built plug-in does.
        Pair(
            line: "seamkit", scenario: "lessons.hosting-unassigned", key: "openCount",
            author: "a plug-in on SeamKit", target: 150_000),
        // Code with `import SwiftUI` and `import UIKit`: the model's write reaches a property of the view controller, and
        // the event has it assign a root view with three texts.
        Pair(
            line: "hosting", scenario: "pasted.hosting-assigned", key: "openCount",
            author: "pasted code", target: 150_000, method: "sim.send", params: #""event":"summaryDidChange""#
        ),
        // A value reaches a representable by itself: its update runs for the write, and once more for the request.
        Pair(
            line: "representable", scenario: "pasted.label", key: "text", author: "pasted code",
            target: 150_000,
            method: "bridge.update", params: #""bridge":"label""#, changes: 1),
    ]

    func round(_ bench: Bench) throws(Failure) {
        guard access(bench.options.plugin, R_OK) == 0 else {
            throw Failure("there is no \(bench.options.plugin); `make bench` builds it")
        }
        for index in pairs.indices where bench.wants(pairs[index].line) {
            try bench.withSeam(plugin: true) { seam throws(Failure) in try measure(index, bench, seam) }
        }
    }

    private func measure(_ place: Int, _ bench: Bench, _ seam: Seam) throws(Failure) {
        let pair = pairs[place]
        try seam.call("sim.create", ["scenario": .string(pair.scenario), "id": "b"])
        for replies in [true, false] {
            let subscriber = try seam.connect()
            try seam.subscribe(subscriber, to: "b")
            let id = { (index: Int) in replies ? "\"id\":\(index)," : "" }
            let requests = Requests(count: Work.requestCount) { index, out in
                Seam.writeModelSet("b", pair.key, Work.value(index), id: replies ? index : nil, into: &out)
                out.append(
                    "{\"jsonrpc\":\"2.0\",\(id(index))\"method\":\"\(pair.method)\",\"params\":{\"sim\":\"b\",\(pair.params)}}\n"
                )
            }
            let load = Load(
                publisher: try seam.connect(), requests: requests, subscribers: [subscriber],
                feedsPerEvent: pair.changes,
                feedsPerReply: replies ? 2 : 0, window: 2500)
            _ = try load.run(.events(bench.amount(50_000)))
            let before = try seam.currentSeq(of: "b")
            guard
                let outcome = try pairs[place].rates[replies]?.add(
                    "seam", load, bench.amount(250_000), on: seam)
            else {
                continue
            }
            let last = before + UInt64(outcome.events * pair.changes)
            try Seam.expect(outcome.lastLines[0], toBeChange: last)
            guard outcome.lastLines[0].contains("\"to\":\"matching\"") else {
                throw Failure("the plug-in did not draw: \(outcome.lastLines[0])")
            }
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        pairs.filter { bench.wants($0.line) }.flatMap { pair in
            [true, false].map { replies in
                Row(
                    line: pair.line,
                    title:
                        "\(pair.scenario): model.set + \(pair.method), \(replies ? "with" : "without") replies",
                    unit: .perSecond, series: pair.rates[replies]?.series ?? [],
                    target: .atLeast(pair.target),
                    note:
                        "pairs: two requests, \(pair.changes) lines, calls of \(pair.author); \(pair.rates[replies]?.note ?? "")"
                )
            }
        }
    }
}

/// From the fork until a client is connected.
final class Start: Section {
    static let lines = ["start"]
    private var times = Samples()

    func round(_ bench: Bench) throws(Failure) {
        for _ in 0..<3 {
            try bench.eachRival(relay: false) { rival throws(Failure) in
                times.add(rival.name, Double(rival.server.startNanoseconds) / 1e6)
            }
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        [
            Row(
                line: "start", title: "start to listening", unit: .milliseconds, series: times.series,
                target: .atMost(30))
        ]
    }
}

/// A subscriber that does not read for ten seconds while events come as fast as they can.
final class StoppedReader: Section {
    static let lines = ["stopped"]
    /// It takes a quarter of a minute; what it costs does not depend on the round.
    let roundLimit = 1
    private var cost = Samples()
    private var probes = Samples()
    private var idle = Samples()
    private var rates = Samples()
    private var loss = ""

    func round(_ bench: Bench) throws(Failure) {
        try bench.withSeam { seam throws(Failure) in
            let reader = try seam.connect()
            var load = try seam.oneToOne(replies: true)
            load.probe = try makeProbe(seam)
            var nothing = load
            nothing.window = 0
            idle.add("idle", percentile(0.99, of: try nothing.run(.seconds(1)).latencies) / 1e6)
            try seam.subscribe(reader, to: "s", mode: "latest")

            // Everybody reads: the ring is full afterwards, and the memory what it is with this load.
            load.bystanders = [reader]
            let reading = try load.run(.seconds(options(bench, 3)))
            probes.add("all read", percentile(0.99, of: reading.latencies) / 1e6)
            rates.add("all read", reading.perSecond)
            _ = try reader.readQuiet(milliseconds: 100, capacity: 64 << 20)
            let before = try seam.server.memory().peak
            let from = try seam.currentSeq(of: "s")

            try seam.server.forgetPeak()
            load.bystanders = []
            let stopped = try load.run(.seconds(options(bench, 10)))
            probes.add("one stopped", percentile(0.99, of: stopped.latencies) / 1e6)
            rates.add("one stopped", stopped.perSecond)
            cost.add("seam", Double(try seam.server.memory().peak - before) / 1_048_576)
            try seam.check(
                Load.Outcome(events: reading.events + stopped.events, lastLines: stopped.lastLines))

            let rest = try reader.readQuiet(milliseconds: 300, capacity: 64 << 20)
            loss = try audit(rest, after: from, seam)
        }
    }

    private func options(_ bench: Bench, _ seconds: Double) -> Double {
        bench.options.isQuick ? seconds / 10 : seconds
    }

    /// Every change is there or lies in what a `lag` announced, and the last line of each field is its state.
    private func audit(_ bytes: [UInt8], after start: UInt64, _ seam: Seam) throws(Failure) -> String {
        var seen = 0
        var announced: [ClosedRange<UInt64>] = []
        var collapsed: UInt64 = 0
        var shown: [String: (seq: UInt64, model: String?)] = [:]
        var single = Set<UInt64>()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let params = (try? JSON(parsing: String(decoding: line, as: UTF8.self)))?["params"],
                let kind = params["kind"]?.text
            else {
                throw Failure("the stopped reader got \(String(decoding: line.prefix(300), as: UTF8.self))")
            }
            switch kind {
            case "verdict":
                guard let seq = params["seq"]?.unsigned, let field = params["field"]?.text else { continue }
                seen += 1
                single.insert(seq)
                if shown[field].map({ $0.seq < seq }) ?? true { shown[field] = (seq, params["model"]?.text) }
            case "lag":
                guard let from = params["fromSeq"]?.unsigned, let to = params["toSeq"]?.unsigned, from <= to
                else {
                    throw Failure("a lag without its bounds")
                }
                announced.append(from...to)
                collapsed += params["collapsed"]?.unsigned ?? 0
            case "mark": break
            default: throw Failure("the stopped reader got a line of kind \(kind)")
            }
        }
        let last = try seam.currentSeq(of: "s")
        var missing = 0
        if last > start {
            for seq in start + 1...last
            where !single.contains(seq) && !announced.contains(where: { $0.contains(seq) }) {
                missing += 1
            }
        }
        if missing > 0 { throw Failure("the stopped reader misses \(missing) changes that no lag announced") }
        let state = try seam.call("sim.get", ["sim": "s"])
        for field in state["fields"]?.elements ?? [] {
            guard let key = field["field"]?.text else { continue }
            if shown[key]?.model != field["model"]?.text {
                throw Failure("the stopped reader ends with \(key)=\(shown[key]?.model ?? "nothing")")
            }
        }
        return "\(seen) lines, \(announced.count) lag, \(collapsed) collapsed of \(last - start) changes"
    }

    func rows(_ bench: Bench) -> [Row] {
        let rates = rates.series.map { "\($0.name) \(Report.number($0.median))" }.joined(separator: ", ")
        let idle = idle.series.first.map { Report.number($0.median) } ?? "-"
        return [
            Row(
                line: "stopped", title: "a reader stopped for 10 s, memory", unit: .mebibytes,
                series: cost.series,
                target: .atMost(2), note: "nothing lost unannounced, ends with the state of sim.get: \(loss)"),
            Row(
                line: "stopped", title: "another client's p99 meanwhile", unit: .milliseconds,
                series: probes.series.reversed(), target: .atMost(3, times: "all read"),
                note: "events/s: \(rates); p99 of the same client at an idle daemon: \(idle) ms"),
        ]
    }
}
