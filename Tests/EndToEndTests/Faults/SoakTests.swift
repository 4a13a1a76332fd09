import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Subscribers stopped for ten seconds while events come as fast as the daemon takes them.
@Suite(.serialized, .enabled(if: isLong)) struct SoakTests {
    private static let fields = 100

    @Test(
        "a stopped subscriber costs under 2 MB and loses nothing that lag does not announce",
        arguments: ["latest", "all"])
    func stopped(mode: String) throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        // Inputs kept for earlier moments would go on filling their 4 MiB meanwhile, whoever reads.
        try client.call("sim.create", #"{"scenario":"live","id":"a","history":0}"#)
        let values = (0..<Self.fields).map { #""k\#($0)":"0""# }.joined(separator: ",")
        try client.call("screen.set", #"{"sim":"a","screen":"Main","values":{\#(values)}}"#)
        try client.call("model.set", #"{"sim":"a","values":{\#(values)}}"#)
        var sent = 0

        // Once round the ring, with a reader that keeps up: its history is no cost of the one that stops.
        let reader = try daemon.connect()
        let opened = try reader.call("sub.open", #"{"sim":"a","mode":"\#(mode)"}"#)
        var stream = StreamCheck(seq: try #require(opened["seq"]?.integer))
        for line in try reader.events(through: "sync") { stream.take(line) }
        while sent < 150_000 {
            try publish(&sent, client)
            for line in try reader.events(through: { $0.params?["model"]?.text == "v\(sent)" }) {
                stream.take(line)
            }
        }

        let before = try residentKiB(daemon.pid)
        let begin = ContinuousClock.now
        let first = sent
        while ContinuousClock.now - begin < .seconds(10) { try publish(&sent, client) }
        let rate = (sent - first) / 10
        let grown = try residentKiB(daemon.pid) - before
        print("soak: \(mode), \(rate) events/s for 10 s, \(grown) KiB more")
        #expect(grown < 2 * 1024)

        try client.call("screen.set", #"{"sim":"a","screen":"Other","values":{"last":"the end"}}"#)
        let final = try client.call("sim.get", #"{"sim":"a","screen":"Main"}"#)
        // In `all` the ring has gone on without it: a lag, and an end that says where to go on.
        for line in try reader.events(
            within: .seconds(60),
            through: {
                $0.params?["shown"] == "the end" || $0.kind == "end"
            })
        {
            stream.take(line)
        }
        #expect(stream.faults.isEmpty, "\(stream.faults.prefix(5))")
        #expect(stream.lags > 0)
        if mode == "latest" {
            #expect(!stream.isOver)
            for field in final["fields"]?.elements ?? [] {
                #expect(stream.models[field["field"]?.text ?? ""] == field["model"]?.text)
            }
        } else {
            #expect(stream.isOver)
            let resume = #"{"sim":"a","mode":"all","after":\#(stream.resume?.encoded ?? "null")}"#
            try reader.call("sub.open", resume)
            for line in try reader.events(within: .seconds(60), through: { $0.params?["shown"] == "the end" })
            {
                stream.take(line)
            }
            #expect(stream.faults.isEmpty, "\(stream.faults.prefix(5))")
        }
        print("soak: \(mode), \(stream.lines) lines read, \(stream.lags) lags")
        #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
    }

    /// 2,000 changes, none of them like another.
    private func publish(_ sent: inout Int, _ client: TestClient) throws {
        var lines = ""
        for _ in 0..<2_000 {
            sent += 1
            lines +=
                #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"a","values":{"k\#(sent % Self.fields)":"v\#(sent)"}}}"#
                + "\n"
        }
        try client.send(lines)
        try client.call("seam.ping")
    }
}

/// Follows the numbers of one subscription: whatever is missing has to be in a `lag`.
private struct StreamCheck {
    private var next: Int
    /// Up to here a `lag` has spoken: the newest of each field comes with its old number.
    private var lagged = 0
    private(set) var models: [String: String] = [:]
    private(set) var lines = 0
    private(set) var lags = 0
    private(set) var isOver = false
    private(set) var resume: JSON?
    private(set) var faults: [String] = []

    init(seq: Int) { next = seq + 1 }

    mutating func take(_ line: TestClient.Message) {
        lines += 1
        guard let params = line.params else { return }
        switch line.kind {
        case "lag":
            lags += 1
            guard let from = params["fromSeq"]?.integer, let to = params["toSeq"]?.integer else { return }
            if from > next { faults.append("\(line) leaves out \(next)") }
            next = max(next, to + 1)
            lagged = to
        case "end":
            isOver = true
            resume = params["resume"]
        case "verdict", "state":
            if let field = params["field"]?.text { models[field] = params["model"]?.text }
            guard line.kind == "verdict", let seq = params["seq"]?.integer else { return }
            if seq == next {
                next += 1
            } else if seq > next || seq > lagged {
                faults.append("\(line) where \(next) was to come")
                next = max(next, seq + 1)
            }
        case "sync", "mark":
            if let seq = params["seq"]?.integer, line.kind == "mark", seq >= next {
                faults.append("\(line) where \(next) was to come")
            }
        default: faults.append("\(line)")
        }
    }
}
