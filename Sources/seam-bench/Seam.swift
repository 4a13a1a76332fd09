internal import CSeamBench
internal import SeamWire

/// `seamd` with its default limits.
final class Seam: Rival {
    let name = "seam"
    let server: Server
    let path: String
    private let control: Socket
    private let reader: JSONReader
    /// The simulation of the common work, and where it stood when the last check ended.
    private var seq: UInt64 = 0
    private static let sim = "s"

    init(_ bench: Bench, plugin: Bool = false) throws(Failure) {
        path = "\(bench.place.folder)/seam.sock"
        var arguments = [bench.options.seamd, "--socket", path]
        if plugin { arguments += ["--plugin", bench.options.plugin] }
        server = try Server("seamd", arguments, sockets: [path], in: bench.place)
        control = try Socket(path)
        var limits = Limits()
        limits.lineBytes = 1 << 22
        reader = JSONReader(limits: limits)
    }

    func connect() throws(Failure) -> Socket { try Socket(path) }

    // MARK: one request

    /// Asks on the bench's own connection and gives back the result.
    @discardableResult
    func call(_ method: String, _ params: JSON) throws(Failure) -> JSON {
        try Self.result(of: control.exchange(Self.line(method, params), lineFeeds: 1), method, reader)
    }

    /// Asks on a client's connection, which gets `lines` more lines with the answer.
    @discardableResult
    func call(_ method: String, _ params: JSON, on socket: Socket, lines: Int) throws(Failure) -> JSON {
        let answer = try socket.exchange(Self.line(method, params), lineFeeds: 1 + lines)
        return try Self.result(of: answer, method, reader)
    }

    /// Many requests at once, each of which must succeed.
    func callMany(_ count: Int, _ make: (Int) -> (String, JSON)) throws(Failure) {
        var lines: [UInt8] = []
        for index in 0..<count {
            let (method, params) = make(index)
            lines.append(contentsOf: Self.line(method, params))
        }
        let answer = try control.exchange(lines, lineFeeds: count)
        if let error = answer.split(separator: "\n").first(where: { $0.contains("\"error\":") }) {
            throw Failure("seamd answered \(error)")
        }
    }

    static func line(_ method: String, _ params: JSON, id: Int? = 1) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.request(id.map { RequestID(UInt64($0)) }, method, params)
        return Array(buffer.bytes)
    }

    private static func result(of answer: String, _ method: String, _ reader: JSONReader) throws(Failure)
        -> JSON
    {
        guard let line = answer.split(separator: "\n").first, let reply = try? reader.read(String(line)),
            let result = reply["result"]
        else { throw Failure("\(method): seamd answered \(answer.prefix(500))") }
        return result
    }

    // MARK: simulations

    /// A live simulation whose fields match, at values that no work sets.
    func makeSimulation(_ sim: String, fields: Int) throws(Failure) {
        try call("sim.create", ["scenario": "live", "id": .string(sim)])
        let values = JSON.object((0..<fields).map { JSON.Member("f\($0)", "0") })
        try call("screen.set", ["sim": .string(sim), "screen": "Screen", "values": values])
        try call("model.set", ["sim": .string(sim), "values": values])
    }

    /// Opens a subscription and reads its beginning. `all`: every change, or the bench fails.
    func subscribe(_ socket: Socket, to sim: String, mode: String = "all") throws(Failure) {
        try call(
            "sub.open", ["sim": .string(sim), "mode": .string(mode), "start": "now"], on: socket, lines: 1)
    }

    func currentSeq(of sim: String) throws(Failure) -> UInt64 {
        let state = try call("sim.get", ["sim": .string(sim), "limit": 1])
        guard let seq = state["seq"]?.unsigned else { throw Failure("sim.get told no seq") }
        return seq
    }

    // MARK: the common work

    func oneToOne(replies: Bool) throws(Failure) -> Load {
        let work = try fanOut(to: 1, lineBytes: 0, replies: replies)
        return work
    }

    func fanOut(to count: Int, lineBytes: Int) throws(Failure) -> Load {
        try fanOut(to: count, lineBytes: lineBytes, replies: true)
    }

    private var hasSimulation = false

    private func fanOut(to count: Int, lineBytes: Int, replies: Bool) throws(Failure) -> Load {
        if !hasSimulation { try makeSimulation(Self.sim, fields: Work.fieldCount) }
        hasSimulation = true
        var subscribers: [Socket] = []
        for _ in 0..<count {
            let subscriber = try connect()
            try subscribe(subscriber, to: Self.sim)
            subscribers.append(subscriber)
        }
        seq = try currentSeq(of: Self.sim)
        return Load(
            publisher: try connect(), requests: Self.modelSets(Self.sim, replies: replies),
            subscribers: subscribers,
            feedsPerReply: replies ? 1 : 0)
    }

    /// The common work's requests.
    static func modelSets(_ sim: String, replies: Bool) -> Requests {
        Requests(count: Work.requestCount) { index, out in
            writeModelSet(sim, Work.field(index), Work.value(index), id: replies ? index : nil, into: &out)
        }
    }

    static func writeModelSet(
        _ sim: String, _ field: String, _ value: String, id: Int?, into out: inout [UInt8]
    ) {
        let id = id.map { "\"id\":\($0)," } ?? ""
        out.append(
            "{\"jsonrpc\":\"2.0\",\(id)\"method\":\"model.set\",\"params\":{\"sim\":\"\(sim)\",\"values\":{\"\(field)\":\"\(value)\"}}}\n"
        )
    }

    /// So many changes, so many lines, and the last line is the last change: then nothing was merged, lost or ended.
    func check(_ outcome: Load.Outcome) throws(Failure) {
        let now = try currentSeq(of: Self.sim)
        guard now == seq + UInt64(outcome.events) else {
            throw Failure("\(outcome.events) events made \(now - seq) changes")
        }
        seq = now
        for line in outcome.lastLines { try Self.expect(line, toBeChange: now) }
    }

    static func expect(_ line: String, toBeChange seq: UInt64) throws(Failure) {
        guard line.contains("\"kind\":\"verdict\",\"seq\":\(seq),") else {
            throw Failure("a subscriber's last line is not the last change (\(seq)): \(line)")
        }
    }
}
