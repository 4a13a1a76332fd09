import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `--memory`: what all simulations take together has a bound, and history gives way before values do.
@Suite struct MemoryTests {
    private func stats(_ client: TestClient) throws -> (values: Int, rings: Int, limit: Int, shed: Int) {
        let stats = try client.call("seam.stats")
        func number(_ name: String) throws -> Int { try #require(stats[name]?.integer, "\(name)") }
        return (
            try number("memoryValues"), try number("memoryRings"), try number("memoryLimit"),
            try number("ringEntriesShed")
        )
    }

    private func value(_ size: Int, _ letter: String = "v") -> String {
        String(repeating: letter, count: size)
    }

    @Test("values over it are refused with the option, change nothing, and pass once others are cleared")
    func values() throws {
        let daemon = try SeamProcess(["--memory", "2M"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        var count = 0
        var refusal: TestClient.Refusal?
        while refusal == nil && count < 100 {
            let params = #"{"sim":"a","screen":"S","values":{"f\#(count)":"\#(value(60_000))"}}"#
            do { try client.call("screen.set", params) } catch let said as TestClient.Refusal {
                refusal = said
            }
            count += 1
        }
        // Fifteen sixteenths of 2 MiB, in pieces of 60,000.
        #expect(count - 1 == 32)
        let said = try #require(refusal)
        #expect(said.code == -32008 && said.kind == "limit", "\(said)")
        #expect(said.json["data"]?["option"]?.text == "--memory")
        #expect(said.json["data"]?["what"]?.text == "memory")
        #expect(said.json["data"]?["limit"] == 2_097_152)
        #expect(try client.call("sim.get", #"{"sim":"a","from":32}"#)["fields"]?.elements?.count == 0)
        var now = try stats(client)
        #expect(now.values + now.rings <= now.limit && now.limit == 2 << 20)

        // A key without a field takes memory too, and so does one more simulation's.
        let big = #"{"sim":"a","values":{"k":"\#(value(60_000))"}}"#
        #expect(try client.refusal("model.set", big).code == -32008)
        try client.call("sim.create", #"{"scenario":"live","id":"b"}"#)
        #expect(
            try client.refusal("screen.set", #"{"sim":"b","screen":"S","values":{"x":"\#(value(60_000))"}}"#)
                .code
                == -32008)
        // What takes nothing more passes: the same size again, less, a clear, a look.
        try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"f0":"\#(value(60_000, "w"))"}}"#)
        try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"f0":"short"}}"#)
        try client.call("screen.clear", #"{"sim":"a","screen":"S","keys":["f1"]}"#)
        try client.call("model.set", big)
        try client.call("sim.destroy", #"{"sim":"a"}"#)
        now = try stats(client)
        #expect(now.values < 10_000, "\(now)")
        try client.call("screen.set", #"{"sim":"b","screen":"S","values":{"x":"\#(value(60_000))"}}"#)
    }

    @Test("patterns of subscriptions count, until the subscriptions end")
    func patterns() throws {
        let daemon = try SeamProcess(["--memory", "4M"])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let before = try stats(client).values
        let reader = try daemon.connect()
        let patterns = (10..<74).map { #""*\#(value(500, "a"))\#($0)*""# }.joined(separator: ",")
        let open = #"{"sim":"a","match":[\#(patterns)]}"#
        try reader.call("sub.open", open)
        // The text, its bytes, and a table of two bytes for each of them.
        let each = try stats(client).values - before
        #expect(each > 64 * 500 * 4, "\(each)")
        var count = 1
        var refusal: TestClient.Refusal?
        while refusal == nil && count < 200 {
            do { try reader.call("sub.open", open) } catch let error as TestClient.Refusal { refusal = error }
            if refusal == nil { count += 1 }
        }
        #expect(refusal?.code == -32008 && refusal?.json["data"]?["what"] == "memory", "\(count)")
        #expect(count * each <= 4 << 20 && (count + 1) * each > 3 << 20)
        // One without patterns takes none of it, and one that ends gives its own back.
        try reader.call("sub.open", #"{"sim":"a"}"#)
        try reader.call("sub.close", #"{"sub":1}"#)
        try reader.call("sub.open", open)
        reader.close()
        while try client.call("seam.stats")["subscriptions"] != 0 {}
        #expect(try stats(client).values == before)
    }

    @Test("a model value that a field shows counts once")
    func shared() throws {
        let client = try SeamProcess(["--memory", "1G"]).connect()
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        let text = value(60_000)
        try client.call("model.set", #"{"sim":"a","values":{"x":"\#(text)"}}"#)
        let once = try stats(client).values
        try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"x":"\#(text)"}}"#)
        #expect(try stats(client).values - once < 1000)
        try client.call("model.set", #"{"sim":"a","values":{"x":"1"}}"#)
        #expect(abs(try stats(client).values - once) < 1000)
        try client.call("screen.clear", #"{"sim":"a","screen":"S","keys":["x"]}"#)
        #expect(try stats(client).values < once - 59_000)
    }

    @Test(
        "rings shrink first, the oldest entries of all of them, and whoever resumes from there is told",
        arguments: [false, true])
    func rings(isWatched: Bool) throws {
        let daemon = try SeamProcess(["--memory", "1M"])
        let client = try daemon.connect()
        let reader = try daemon.connect()
        var epochs: [String: String] = [:]
        for sim in ["old", "new"] {
            epochs[sim] = try client.call("sim.create", #"{"scenario":"live","id":"\#(sim)"}"#)["epoch"]?.text
            try client.call("screen.set", #"{"sim":"\#(sim)","screen":"S","values":{"x":"0"}}"#)
            if isWatched { try reader.call("sub.open", #"{"sim":"\#(sim)","start":"now","mode":"all"}"#) }
        }
        func change(_ sim: String, until isEnough: () throws -> Bool) throws -> Int {
            var count = 0
            while try !isEnough() {
                var lines = ""
                for _ in 0..<50 {
                    count += 1
                    lines +=
                        #"{"jsonrpc":"2.0","method":"model.set","params":{"sim":"\#(sim)","values":{"x":"\#(value(40))\#(count)"}}}"#
                        + "\n"
                }
                try client.send(lines)
            }
            return count
        }
        func refusal(_ sim: String) throws -> TestClient.Refusal? {
            // From behind the change that made the field.
            let after = #"{"epoch":"\#(epochs[sim] ?? "")","seq":1}"#
            do {
                let sub = try reader.call("sub.open", #"{"sim":"\#(sim)","after":\#(after)}"#)["sub"]?.integer
                _ = try reader.events { $0.params?["sub"]?.integer == sub && $0.kind == "sync" }
                return nil
            } catch let said as TestClient.Refusal { return said }
        }
        // First the one, up to half of the memory, then the other.
        let first = try change("old") { try stats(client).rings > 400_000 }
        #expect(try stats(client).shed == 0)
        let more = try change("new") { try stats(client).shed > 0 }
        var now = try stats(client)
        #expect(now.values + now.rings <= now.limit)
        let gone = try #require(try refusal("old"))
        #expect(gone.kind == "gone")
        let oldest = try #require(gone.json["data"]?["oldest"]?.integer)
        #expect(oldest > 1 && oldest < first, "\(oldest) of \(first)")
        #expect(gone.json["data"]?["latest"]?.integer == first + 1)
        #expect(try refusal("new") == nil)
        // Nothing was refused, and it goes on for as long as one likes.
        let shed = now.shed
        _ = try change("new") { try stats(client).shed > shed + 2 * (first + more) }
        now = try stats(client)
        #expect(now.values + now.rings <= now.limit)
        #expect(try refusal("old")?.json["data"]?["oldest"]?.integer == first + 1)
        #expect(try refusal("new")?.kind == "gone")
    }

    @Test("what nobody watched is kept as it was: a late reader gets every change")
    func unread() throws {
        let client = try SeamProcess().connect()
        let epoch = try #require(
            try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)["epoch"]?.text)
        let values: [String] = [
            #""""#, #""1""#, "null", #""Grüße, 世界""#, #""\#(value(15))""#, #""\#(value(64))""#,
            #""\#(value(65))""#,
            #""\#(value(5000))""#, #""end""#,
        ]
        for text in values {
            try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"x":\#(text)}}"#)
            try client.call("model.set", #"{"sim":"a","values":{"x":\#(text)}}"#)
            try client.call("sim.advance", #"{"sim":"a","ms":7}"#)
        }
        // Each line as it would have come, byte for byte, to somebody who watched from the start.
        let watched = try client.call("sim.create", #"{"scenario":"live","id":"b"}"#)["epoch"]?.text
        try client.call("sub.open", #"{"sim":"b","after":{"epoch":"\#(watched ?? "")","seq":0}}"#)
        for text in values {
            try client.call("screen.set", #"{"sim":"b","screen":"S","values":{"x":\#(text)}}"#)
            try client.call("model.set", #"{"sim":"b","values":{"x":\#(text)}}"#)
            try client.call("sim.advance", #"{"sim":"b","ms":7}"#)
        }
        func isLast(_ message: TestClient.Message) -> Bool {
            message.params?["model"] == "end" && message.params?["shown"] == "end"
        }
        let live = try client.events(through: isLast).filter { $0.kind == "verdict" }.map(\.line)
        try client.call("sub.open", #"{"sim":"a","after":{"epoch":"\#(epoch)","seq":0}}"#)
        let late = try client.events(through: isLast).filter { $0.kind == "verdict" }.map(\.line)
        #expect(late.count > 15)
        #expect(
            late.map { $0.replacingOccurrences(of: #""sub":2,"sim":"a""#, with: #""sub":1,"sim":"b""#) }
                == live)
    }
}
