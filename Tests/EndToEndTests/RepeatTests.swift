import SeamTestSupport
import SeamWire
import Testing

/// The same seed and events give the same bytes: changes, diagnostics and trace, whenever the requests arrive and whatever
/// the policies do to the turns.
@Suite struct RepeatTests {
    /// The requests that a scenario's own script stands for, then some that are drawn.
    private struct Script {
        private let steps: [JSON]
        private var driver: Driver
        private var mounts: [String: Int] = [:]

        init(_ scenario: String, on client: TestClient) throws {
            steps = try client.call("scenario.describe", #"["\#(scenario)"]"#)["script"]?.elements ?? []
            driver = try Driver(scenario, seed: 5, on: client)
        }

        /// Plays it one request at a time, each answered before the next one goes out; the lines that were sent.
        mutating func play(_ sim: String, on client: TestClient) throws -> [String] {
            var lines: [String] = []
            func play(_ method: String, _ params: String) throws -> TestClient.Message {
                lines.append(
                    #"{"id":0,"method":"\#(method)","params":{"sim":"\#(sim)",\#(params)}}"# + "\n")
                let reply = try client.reply(to: String(lines[lines.count - 1].dropLast()))
                try client.call("seam.ping")
                return reply
            }
            for step in steps {
                guard let (method, params) = request(step) else { continue }
                let reply = try play(method, params)
                if let label = step["label"]?.text { mounts[label] = reply["result"]?["mount"]?.integer }
            }
            for _ in 0..<20 {
                let (method, params) = driver.next()
                _ = try play(method, params)
            }
            return lines
        }

        private func request(_ step: JSON) -> (method: String, params: String)? {
            var params: [String] = []
            func take(_ names: String...) {
                for name in names {
                    if let value = step[name] { params.append(#""\#(name)":\#(value.encoded)"#) }
                }
            }
            let word = step["step"]?.text ?? ""
            if let bridge = step["bridge"] { params.append(#""bridge":\#(bridge.encoded)"#) }
            if let label = step["mount"]?.text, let mount = mounts[label] {
                params.append(#""mount":\#(mount)"#)
            }
            switch word {
            case "model_set", "environment":
                let (key, value) = (step["key"]?.encoded ?? "", step["value"]?.encoded ?? "")
                params.append(#""values":{\#(key):\#(value)}"#)
                return (word == "model_set" ? "model.set" : "environment.set", params.joined(separator: ","))
            case "model_clear": return ("model.clear", #""keys":[\#(step["key"]?.encoded ?? "")]"#)
            case "event":
                take("event", "args")
                params.removeAll { $0.hasPrefix(#""bridge""#) }
                return ("sim.send", params.joined(separator: ","))
            case "advance":
                take("ms")
                return ("sim.advance", params.joined(separator: ","))
            case "activity":
                take("window", "scene", "hidden", "size", "parked")
                return ("host.set", params.joined(separator: ","))
            case "identify": params.append(#""identity":\#(step["id"]?.encoded ?? "")"#)
            case "items": take("items")
            case "rebind": take("owner")
            case "update": take("cause")
            case "assign_built":
                params.append(#""built":true"#)
                return ("bridge.assign", params.joined(separator: ","))
            case "assign", "unmount", "mount", "dismiss", "build": break
            default: return nil
            }
            return ("bridge.\(word)", params.joined(separator: ","))
        }
    }

    /// All that came of a simulation, without what names it.
    private func told(_ sim: String, _ events: [TestClient.Message], _ client: TestClient) throws -> [String]
    {
        var lines = events.filter { $0.kind == "verdict" || $0.kind == "diagnostic" }.map(\.line)
        var from = 1
        while true {
            let page = try client.call("sim.trace", #"{"sim":"\#(sim)","from":\#(from)}"#)
            lines += (page["records"]?.elements ?? []).map(\.encoded)
            guard let next = page["next"]?.integer else { break }
            from = next
        }
        lines.append(try client.call("sim.get", #"["\#(sim)"]"#)["fields"]?.encoded ?? "")
        return lines.map { $0.replacing(#/"sub":\d+,"sim":"[^"]*",/#, with: "") }
    }

    @Test(
        "any scenario, cut off early or late: one request at a time, or all of them in one write",
        arguments: [1, 2, 3, 10], ["lessons", "counter", "coordinator", "migration", "rules"])
    func cutOff(limit: Int, plugin: String) throws {
        let daemon = try SeamProcess()
        let list = try daemon.connect().scenarios()
        let scenarios = list.compactMap { $0["id"]?.text }.filter { $0.hasPrefix(plugin + ".") }
        #expect(!scenarios.isEmpty)
        for scenario in scenarios {
            for line in try bothWays(scenario, #""round-limit":\#(limit)"#, daemon)
            where line.contains(#""code":"feedback-loop""#) {
                let words = limit == 1 ? "in 1 round, " : "in \(limit) rounds, "
                #expect(line.contains(words) && line.contains(" -> "), "\(scenario): \(line)")
            }
        }
    }

    /// What a control takes along when it ends is gone in the same turn: no request finds it half gone.
    @Test(
        "pasted code whose controls end and come again: one request at a time, or all of them in one write",
        arguments: ["fieldcases", "pasted"],
        [
            #""host-detach":"dispose""#, #""host-detach":"end-of-turn""#, #""host-detach":"pool""#,
            #""replace-order":"new-first""#, #""make":"async""#,
        ])
    func ends(plugin: String, policies: String) throws {
        let daemon = try SeamProcess()
        let list = try daemon.connect().scenarios()
        // What runs after an `await` has a turn of its own, at a moment that the machine chooses.
        let scenarios = list.compactMap { $0["id"]?.text }.filter {
            $0.hasPrefix(plugin + ".") && $0 != "pasted.late"
        }
        #expect(scenarios.count > 20)
        for scenario in scenarios { try bothWays(scenario, policies, daemon) }
    }

    /// - Returns: all that came of it.
    @discardableResult
    private func bothWays(_ scenario: String, _ policies: String, _ daemon: SeamProcess) throws -> [String] {
        var ways: [[String]] = []
        var lines: [String] = []
        for isSlow in [true, false] {
            let client = try daemon.connect()
            try client.call(
                "sim.create", #"{"scenario":"\#(scenario)","id":"a","seed":3,"policies":{\#(policies)}}"#)
            try client.call("sub.open", #"{"sim":"a","start":"now","mode":"all"}"#)
            if isSlow {
                var script = try Script(scenario, on: client)
                lines = try script.play("a", on: client)
            } else {
                try client.send(lines.joined())
                for _ in lines { _ = try client.nextReply() }
            }
            try client.call("seam.ping")
            ways.append(try told("a", client.takeEvents(), client))
            try client.call("sim.destroy", #"["a"]"#)
        }
        let difference = zip(ways[0], ways[1]).first { $0 != $1 }
        #expect(
            ways[0].count == ways[1].count && difference == nil,
            "\(scenario) \(policies): \(difference ?? ("", ""))")
        return ways[0]
    }
}
