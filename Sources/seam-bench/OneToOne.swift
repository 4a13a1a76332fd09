/// One publisher, one subscriber, 100 fields: as fast as it goes, and one event at a time.
final class OneToOne: Section {
    static let lines = ["pipelined", "latency"]
    private var rates = [true: Samples(), false: Samples()]
    private var times = [true: Samples(), false: Samples()]
    private var busy = [true: Samples(), false: Samples()]
    private var medians = Samples()
    private var tails = Samples()

    func round(_ bench: Bench) throws(Failure) {
        try bench.eachRival { rival throws(Failure) in
            if bench.wants("pipelined") {
                for replies in [true, false] {
                    // The relay has no replies to leave out.
                    if !replies && rival is Relay { continue }
                    let load = try rival.oneToOne(replies: replies)
                    try rival.check(load.run(.events(bench.amount(100_000))))
                    let before = rival.server.time
                    let outcome = try load.run(.events(bench.amount(600_000)))
                    let spent = Double(rival.server.time - before)
                    try rival.check(outcome)
                    rates[replies]?.add(rival.name, outcome.perSecond)
                    times[replies]?.add(rival.name, spent / Double(outcome.events))
                    busy[replies]?.add("\(rival.name)", spent / 1e7 / outcome.seconds)
                    busy[replies]?.add("client at \(rival.name)", outcome.clientBusy * 100)
                }
            }
            if bench.wants("latency") {
                let load = try rival.oneToOne(replies: true)
                try rival.check(load.runOneByOne(bench.amount(1_000)))
                let outcome = try load.runOneByOne(bench.amount(10_000))
                try rival.check(outcome)
                medians.add(rival.name, percentile(0.5, of: outcome.latencies) / 1000)
                tails.add(rival.name, percentile(0.99, of: outcome.latencies) / 1000)
            }
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        var rows: [Row] = []
        for replies in [true, false] {
            let with = replies ? "with replies" : "without replies"
            let busy = busy[replies]?.series.map { "\($0.name) \(Int($0.median.rounded())) %" } ?? []
            rows.append(
                Row(
                    line: "pipelined", title: "events, \(with)", unit: .perSecond,
                    series: rates[replies]?.series ?? [],
                    target: .atLeast(replies ? 1.2 : 1.4, times: "redis"),
                    note: "processor busy: \(busy.joined(separator: ", "))"))
            rows.append(
                Row(
                    line: "pipelined", title: "server CPU per event, \(with)", unit: .nanoseconds,
                    series: times[replies]?.series ?? [], target: .atMost(0.75, times: "redis")))
        }
        rows.append(
            Row(
                line: "latency", title: "one event to its line, p50", unit: .microseconds,
                series: medians.series,
                target: .atMost(1.1, times: "redis")))
        rows.append(
            Row(
                line: "latency", title: "the same against the relay", unit: .microseconds,
                series: medians.series,
                target: .atMost(1.15, times: "relay")))
        rows.append(
            Row(
                line: "latency", title: "one event to its line, p99", unit: .microseconds,
                series: tails.series,
                target: .atMost(1.3, times: "redis")))
        return rows
    }
}

/// Many subscribers of everything.
final class FanOut: Section {
    static let lines = ["fan-out"]
    static let readers = 1000
    private var rates = Samples()
    private var times = Samples()
    private var lineBytes = 0

    func round(_ bench: Bench) throws(Failure) {
        try bench.eachRival { rival throws(Failure) in
            var load = try rival.fanOut(to: Self.readers, lineBytes: lineBytes)
            // Within the 5,000 of the rule. Further ahead, what waits for 1,000 readers fills the machine's memory with
            // lines, and the speed of that memory is measured.
            load.window = 250
            let first = try load.run(.events(bench.amount(200)))
            try rival.check(first)
            if rival is Seam { lineBytes = (first.lastLines.first?.utf8.count ?? 0) + 1 }
            let before = rival.server.time
            let outcome = try load.run(.events(bench.amount(1_500)))
            try rival.check(outcome)
            rates.add(rival.name, outcome.perSecond * Double(Self.readers))
            times.add(rival.name, Double(rival.server.time - before) / Double(outcome.events * Self.readers))
        }
    }

    func rows(_ bench: Bench) -> [Row] {
        [
            Row(
                line: "fan-out", title: "deliveries to \(Self.readers) readers", unit: .perSecond,
                series: rates.series,
                target: .atLeast(3, times: "redis"), note: "a line of \(lineBytes) bytes"),
            Row(
                line: "fan-out", title: "server CPU per delivery", unit: .nanoseconds, series: times.series),
        ]
    }
}
