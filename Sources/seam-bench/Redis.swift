internal import Glibc

/// Redis at the same work: SET, and a keyspace notification to who subscribes to the keys.
final class Redis: Rival {
    let name = "redis"
    let server: Server
    private let path: String

    init(_ bench: Bench) throws(Failure) {
        path = "\(bench.place.folder)/redis.sock"
        server = try Server(
            "redis-server",
            [
                bench.options.redis, "--port", "0", "--unixsocket", path, "--unixsocketperm", "700", "--save",
                "",
                "--appendonly", "no", "--notify-keyspace-events", "K$", "--dir", bench.place.folder,
            ], sockets: [path], in: bench.place)
    }

    func version() throws(Failure) -> String {
        let lines = try Socket(path).exchange(Self.command(["INFO", "server"]), lineFeeds: 3)
        let version = lines.split(whereSeparator: \.isNewline).first { $0.hasPrefix("redis_version:") }
        return version.map { String($0.dropFirst("redis_version:".count)) } ?? "unknown version"
    }

    func oneToOne(replies: Bool) throws(Failure) -> Load {
        let publisher = try Socket(path)
        let subscriber = try Socket(path)
        // Channel by channel: a pattern would cost Redis a comparison per event.
        let channels = (0..<Work.fieldCount).map { "__keyspace@0__:\(Work.field($0))" }
        try subscriber.exchange(Self.command(["SUBSCRIBE"] + channels), lineFeeds: 6 * channels.count)
        if !replies { try publisher.exchange(Self.command(["CLIENT", "REPLY", "OFF"]), lineFeeds: 0) }
        let requests = Requests(count: Work.requestCount) { index, out in
            out.append(contentsOf: Self.command(["SET", Work.field(index), Work.value(index)]))
        }
        // An event is an array of "message", the channel and "set", each with its length on a line of its own.
        return Load(
            publisher: publisher, requests: requests, subscribers: [subscriber], feedsPerEvent: 7,
            feedsPerReply: replies ? 1 : 0)
    }

    func fanOut(to count: Int, lineBytes: Int) throws(Failure) -> Load {
        var subscribers: [Socket] = []
        for _ in 0..<count {
            let subscriber = try Socket(path)
            try subscriber.exchange(Self.command(["SUBSCRIBE", "c"]), lineFeeds: 6)
            subscribers.append(subscriber)
        }
        let line = String(repeating: "x", count: lineBytes)
        let requests = Requests(count: 100) { _, out in
            out.append(contentsOf: Self.command(["PUBLISH", "c", line]))
        }
        return Load(
            publisher: try Socket(path), requests: requests, subscribers: subscribers, feedsPerEvent: 7,
            feedsPerReply: 1)
    }

    func check(_ outcome: Load.Outcome) throws(Failure) {
        // What is not sent is missing in the count of line feeds; Redis has no other kind of line here.
    }

    private static func command(_ words: [String]) -> [UInt8] {
        var text = "*\(words.count)\r\n"
        for word in words { text += "$\(word.utf8.count)\r\n\(word)\r\n" }
        return Array(text.utf8)
    }
}

/// The floor: this program as a libuv relay that passes lines on and understands nothing.
final class Relay: Rival {
    let name = "relay"
    let server: Server
    private let input: String
    private let output: String

    init(_ bench: Bench) throws(Failure) {
        input = "\(bench.place.folder)/in.sock"
        output = "\(bench.place.folder)/out.sock"
        server = try Server(
            "the relay", ["/proc/self/exe", "relay", input, output], sockets: [output, input], in: bench.place
        )
    }

    func oneToOne(replies: Bool) throws(Failure) -> Load {
        try load(to: 1, Seam.modelSets("s", replies: replies))
    }

    func fanOut(to count: Int, lineBytes: Int) throws(Failure) -> Load {
        let line = String(repeating: "x", count: lineBytes - 1) + "\n"
        return try load(to: count, Requests(count: 100) { _, out in out.append(line) })
    }

    private func load(to count: Int, _ requests: Requests) throws(Failure) -> Load {
        var subscribers: [Socket] = []
        for _ in 0..<count { subscribers.append(try Socket(output)) }
        // The relay knows its readers once it has accepted them, which it does before it reads what comes later.
        return Load(publisher: try Socket(input), requests: requests, subscribers: subscribers)
    }

    func check(_ outcome: Load.Outcome) throws(Failure) {}
}
