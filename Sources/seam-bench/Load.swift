internal import CSeamBench
internal import Glibc

/// A connection that never waits; closed with its last owner.
final class Socket {
    let descriptor: Int32

    init(_ path: String) throws(Failure) {
        descriptor = try checked(bench_connect(path), "cannot connect to \(path)")
    }

    deinit { close(descriptor) }

    /// Sends all of it, reads that many line feeds, and gives back up to `capacity` bytes of the answer.
    @discardableResult
    func exchange(_ bytes: some Sequence<UInt8>, lineFeeds: Int, keeping capacity: Int = 1 << 20)
        throws(Failure) -> String
    {
        let bytes = ContiguousArray(bytes)
        var answer = [CChar](repeating: 0, count: capacity)
        let length = bytes.withUnsafeBytes { raw in
            // An empty array may have no address; bench_exchange then looks at none.
            raw.withMemoryRebound(to: CChar.self) { chars in
                var nothing: CChar = 0
                return withUnsafePointer(to: &nothing) { fallback in
                    bench_exchange(
                        descriptor, chars.baseAddress ?? fallback, chars.count, Int64(lineFeeds), &answer,
                        capacity)
                }
            }
        }
        try checked(length, "no answer from the server")
        return String(decoding: answer[..<Int(length)].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What comes until nothing came for that long.
    func readQuiet(milliseconds: Int32, capacity: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: capacity)
        let length = bytes.withUnsafeMutableBytes {
            $0.withMemoryRebound(to: CChar.self) {
                // The array is not empty, so it has an address.
                bench_read_quiet(descriptor, milliseconds, $0.baseAddress!, capacity)
            }
        }
        return Array(bytes[..<Int(try checked(length, "reading what is left"))])
    }
}

/// Requests made before the clock starts: one block, sent round and round. A load goes on where the last one stopped,
/// since a value that is set again changes nothing.
final class Requests {
    fileprivate var next = 0
    private let bytes: UnsafeMutableBufferPointer<CChar>
    private let offsets: UnsafeMutableBufferPointer<UInt32>

    /// `make` writes request `i`; what it writes is sent as one event.
    init(count: Int, _ make: (Int, inout [UInt8]) -> Void) {
        var block: [UInt8] = []
        var places: [UInt32] = [0]
        places.reserveCapacity(count + 1)
        for index in 0..<count {
            make(index, &block)
            places.append(UInt32(block.count))
        }
        bytes = .allocate(capacity: block.count)
        _ = bytes.initialize(from: block.lazy.map { CChar(bitPattern: $0) })
        offsets = .allocate(capacity: places.count)
        _ = offsets.initialize(from: places)
    }

    isolated deinit {
        bytes.deallocate()
        offsets.deallocate()
    }

    /// Valid as long as this object.
    var pointers: bench_requests {
        bench_requests(
            bytes: bytes.baseAddress, offsets: offsets.baseAddress, count: offsets.count - 1, next: next)
    }
}

/// Work for a server: who sends what, and who reads how much of it.
struct Load {
    var publisher: Socket
    var requests: Requests
    var subscribers: [Socket]
    /// Read as well, but neither waited for nor counted.
    var bystanders: [Socket] = []
    var feedsPerEvent = 1
    /// 0: there are no replies.
    var feedsPerReply = 0
    var window = 5000
    var probe: Probe?

    /// Another client that asks one thing at a time while the load runs.
    struct Probe {
        var socket: Socket
        var requests: Requests
        var feeds: Int
        var pauseMicroseconds = 500
        var capacity = 100_000
    }

    enum Extent {
        case events(Int)
        case seconds(Double)
    }

    struct Outcome {
        var events = 0
        var seconds = 0.0
        /// Share of the time in which the client's thread ran.
        var clientBusy = 0.0
        /// The last line each subscriber read.
        var lastLines: [String] = []
        /// Nanoseconds, of the probe or of every event.
        var latencies: [Int64] = []

        var perSecond: Double { Double(events) / seconds }
    }

    /// Everything as fast as the window allows.
    func run(_ extent: Extent) throws(Failure) -> Outcome {
        try carryOut(extent) { load, _ in bench_run(&load) }
    }

    /// One event at a time; `latencies` has the time of each to its line.
    func runOneByOne(_ count: Int) throws(Failure) -> Outcome {
        var samples = [Int64](repeating: 0, count: count)
        var outcome = try carryOut(.events(count)) { load, _ in bench_latency(&load, &samples) }
        outcome.latencies = samples
        return outcome
    }

    private func carryOut(_ extent: Extent, _ body: (inout bench_load, Load) -> Int32) throws(Failure)
        -> Outcome
    {
        let readers = subscribers + bystanders
        let states = UnsafeMutableBufferPointer<bench_subscriber>.allocate(capacity: max(1, readers.count))
        states.initialize(repeating: bench_subscriber())
        let capacity = probe?.capacity ?? 1
        let samples = UnsafeMutableBufferPointer<Int64>.allocate(capacity: capacity)
        samples.initialize(repeating: 0)
        defer {
            states.deallocate()
            samples.deallocate()
        }
        for (index, reader) in readers.enumerated() { states[index].fd = reader.descriptor }
        var load = bench_load()
        load.publisher = publisher.descriptor
        load.requests = requests.pointers
        switch extent {
        case .events(let events): load.events = Int64(events)
        case .seconds(let seconds): load.duration = Int64(seconds * 1e9)
        }
        load.window = Int64(window)
        load.line_feeds_per_event = Int64(feedsPerEvent)
        load.line_feeds_per_reply = Int64(feedsPerReply)
        load.subscribers = states.baseAddress
        load.subscriber_count = readers.count
        load.bystander_count = bystanders.count
        load.probe.fd = -1
        if let probe {
            load.probe.fd = probe.socket.descriptor
            load.probe.requests = probe.requests.pointers
            load.probe.line_feeds = Int64(probe.feeds)
            load.probe.pause = Int64(probe.pauseMicroseconds) * 1000
            load.probe.samples = samples.baseAddress
            load.probe.capacity = capacity
        }
        let status = body(&load, self)
        requests.next = load.requests.next
        probe?.requests.next = load.probe.requests.next
        try checked(status, "after \(load.sent) events")
        var outcome = Outcome(events: Int(load.sent), seconds: Double(load.elapsed) / 1e9)
        outcome.clientBusy = Double(load.client_time) / Double(max(1, load.elapsed))
        outcome.latencies = Array(samples[..<load.probe.count])
        outcome.lastLines = states[..<subscribers.count].indices.map { index in
            withUnsafePointer(to: states[index]) { state in
                let tail = UnsafeRawBufferPointer(start: bench_tail(state), count: state.pointee.tail_length)
                let lines = tail.split(separator: UInt8(ascii: "\n"))
                return lines.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
        }
        return outcome
    }
}

extension [UInt8] {
    mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}
