import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The bridge engine as a client with a socket has it.
@Suite struct BridgeMethodTests {
    private func client(_ options: [String] = []) throws -> TestClient {
        let client = try SeamProcess(options).connect()
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"h"}"#)
        try client.call("sim.create", #"{"scenario":"lessons.wrapping-filled","id":"w"}"#)
        try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)
        return client
    }

    private func fields(_ client: TestClient, _ sim: String) throws -> [String] {
        try client.call("sim.get", #"{"sim":"\#(sim)"}"#)["fields"]?.elements?.map(Self.field) ?? []
    }

    private static func field(_ json: JSON) -> String {
        "\(json["field"]?.text ?? "") \(json["model"]?.text ?? "-") \(json["shown"]?.text ?? "-") "
            + (json["verdict"]?.text ?? "")
    }

    /// `mount:owner`, in the order of the list.
    private func mounts(_ client: TestClient, _ sim: String = "w") throws -> [String] {
        try client.call("bridge.list", #"{"sim":"\#(sim)"}"#)["mounts"]?.elements?.map {
            "\($0["mount"]?.integer ?? 0):\($0["owner"]?.text ?? "-")"
        } ?? []
    }

    // MARK: What they do

    @Test("a root view is built and assigned in two steps")
    func buildAndAssign() throws {
        let client = try client()
        try client.call("model.set", #"{"sim":"h","values":{"openCount":5}}"#)
        #expect(try client.call("bridge.build", #"["h","host"]"#)["changes"] == 0)
        try client.call("model.set", #"{"sim":"h","values":{"openCount":6}}"#)
        #expect(
            try client.call("bridge.assign", #"{"sim":"h","bridge":"host","built":true}"#)["changes"] == 1)
        #expect(try fields(client, "h")[1] == "openCount 6 5 stale")
        // For a reason that is none of the inputs it draws what it holds.
        #expect(
            try client.call("bridge.update", #"{"sim":"h","bridge":"host","cause":"layout"}"#)["changes"] == 0
        )
        try client.call("bridge.assign", #"["h","host"]"#)
        #expect(try fields(client, "h")[1] == "openCount 6 6 matching")
    }

    @Test("a list keeps the controls of its ids, or its places", arguments: ["id", "place"])
    func items(identity: String) throws {
        let client = try client()
        try client.call(
            "sim.create",
            #"{"scenario":"lessons.wrapping-filled","id":"l","policies":{"list.identity":"\#(identity)"}}"#)
        try client.call("bridge.items", #"{"sim":"l","bridge":"list","items":[]}"#)
        try client.call("bridge.items", #"["l","list",["a",{"id":"b","value":1},"c"]]"#)
        #expect(try mounts(client, "l") == ["2:a", "3:b", "4:c"])
        try client.call("bridge.items", #"["l","list",["c",{"id":"b","value":2}]]"#)
        #expect(try mounts(client, "l") == (identity == "id" ? ["4:c", "3:b"] : ["2:c", "3:b"]))
        let list = try client.call("bridge.list", #"{"sim":"l","bridge":"list","from":1,"limit":1}"#)
        #expect(list["mounts"]?[0]?["item"] == "2" && list["next"] == nil)
        try client.call("bridge.items", #"["l","list",[]]"#)
        let counts = try client.call("sim.get", #"{"sim":"l"}"#)["counts"]
        #expect(counts?["mounts"] == 0 && counts?["controls"] == 0)
        #expect(try fields(client, "l") == ["title Tasks - missing", "rowCount 3 - missing"])
    }

    @Test("another id is another control, another owner is the same one")
    func identityAndOwner() throws {
        let client = try client()
        try client.call("sub.open", #"{"sim":"w","start":"now"}"#)
        #expect(try client.call("bridge.identify", #"["w","list","x"]"#)["diagnostics"] == 0)
        #expect(try client.call("bridge.identify", #"["w","list","x"]"#)["diagnostics"] == 0)
        #expect(try client.call("bridge.identify", #"["w","list","y"]"#)["diagnostics"] == 1)
        #expect(client.takeEvents().compactMap { $0.params?["code"]?.text } == ["recreated-control"])
        try client.call("bridge.rebind", #"{"sim":"w","bridge":"list","owner":"task 7"}"#)
        let mount = try client.call("bridge.list", #"["w"]"#)["mounts"]?[0]
        #expect(mount?["owner"] == "task 7" && mount?["identity"] == "y" && mount?["mount"] == 1)
    }

    @Test("a dismissal clears what presents the view, unless it is silent", arguments: ["writes", "silent"])
    func dismiss(way: String) throws {
        let client = try client()
        try client.call(
            "sim.create",
            #"{"scenario":"lessons.hosting-unassigned","id":"d","policies":{"host.presented-by":"filter","dismissal":"\#(way)"}}"#
        )
        try client.call("bridge.dismiss", #"["d","host"]"#)
        #expect(
            try fields(client, "d")[2]
                == (way == "writes" ? "filter - - out-of-scope" : "filter open - missing"))
        #expect(try client.refusal("bridge.dismiss", #"["d","host"]"#).kind == "which-mount")
    }

    @Test("what is off the window shows nothing, and what it missed comes on return")
    func host() throws {
        let client = try client()
        try client.call("host.set", #"{"sim":"w","bridge":"list","window":false}"#)
        try client.call("model.set", #"{"sim":"w","values":{"rowCount":5}}"#)
        #expect(try fields(client, "w")[1] == "rowCount 5 - missing")
        let away = try client.call("bridge.list", #"["w"]"#)["mounts"]?[0]
        #expect(away?["window"] == false && away?["attached"] == false && away?["withheld"] == "input")
        try client.call("host.set", #"{"sim":"w","bridge":"list","window":true,"scene":"active"}"#)
        #expect(try fields(client, "w")[1] == "rowCount 5 5 matching")
        // An embedding in an inactive scene keeps what it has drawn.
        try client.call("host.set", #"{"sim":"h","bridge":"host","scene":"inactive"}"#)
        try client.call("model.set", #"{"sim":"h","values":{"openCount":9}}"#)
        try client.call("bridge.assign", #"["h","host"]"#)
        #expect(try fields(client, "h")[1] == "openCount 9 3 stale")
        try client.call("host.set", #"{"sim":"h","bridge":"host","scene":"active"}"#)
        #expect(try fields(client, "h")[1] == "openCount 9 9 matching")
    }

    @Test("a value of the root's environment is what should be shown")
    func environment() throws {
        let client = try client()
        #expect(
            try client.call("environment.set", #"{"sim":"w","values":{"title":"Inbox","tint":"red"}}"#)[
                "changes"]
                == 1)
        #expect(try fields(client, "w")[0].hasPrefix("title Inbox "))
        #expect(
            try client.call("environment.set", #"{"sim":"w","values":{"title":"x"},"bridge":"list"}"#)[
                "changes"]
                == 0)
        try client.call("environment.set", #"["w",{"title":null}]"#)
        #expect(try fields(client, "w")[0].hasPrefix("title - "))
    }

    // MARK: Interim reads

    @Test("a look before the turn has settled comes with the answer, and in no stream")
    func interim() throws {
        let client = try client()
        try client.call("sub.open", #"{"sim":"h","start":"now"}"#)
        try client.call("model.set", #"{"sim":"h","values":{"openCount":5}}"#)
        let early = try client.call(
            "bridge.assign",
            #"{"sim":"h","bridge":"host","interim":{"label":"early","fields":["openCount","HostingController.title"]}}"#
        )[
            "interim"]
        #expect(early?["label"] == "early")
        #expect(
            early?["fields"]?.elements?.map(Self.field) == [
                "openCount 5 3 stale", "title Tasks Tasks matching",
            ])
        #expect(early?["counts"]?["stale"] == 1 && early?["counts"]?["matching"] == 1)
        #expect(early?["diagnostics"]?.elements?.compactMap { $0["code"]?.text } == ["unsettled-read"])
        // After the frame pass it has been drawn: the look holds.
        try client.call("model.set", #"{"sim":"h","values":{"openCount":6}}"#)
        let late = try client.call(
            "bridge.assign", #"{"sim":"h","bridge":"host","interim":{"label":"late","after":"frame"}}"#)[
                "interim"]
        #expect(late?["counts"]?["matching"] == 3 && late?["diagnostics"] == [])
        #expect(client.takeEvents().allSatisfy { ["sync", "verdict"].contains($0.kind) })
    }

    @Test(
        "an embedding that draws in a pass is seen before and behind it",
        arguments: ["event", "layout", "frame"])
    func interimOfPasses(after: String) throws {
        let client = try client()
        try client.call(
            "sim.create",
            #"{"scenario":"lessons.hosting-unassigned","id":"p","policies":{"draw":"frame"}}"#)
        try client.call("model.set", #"{"sim":"p","values":{"openCount":5}}"#)
        let view = try client.call(
            "bridge.assign",
            #"{"sim":"p","bridge":"host","interim":{"label":"l","fields":["openCount"],"after":"\#(after)"}}"#
        )
        let isDrawn = after == "frame"
        #expect(
            view["interim"]?["fields"]?[0]?["verdict"]?.text == (isDrawn ? "matching" : "stale"),
            "\(view.encoded)")
    }

    @Test("each changing request takes an interim read, alone, in a batch and as a notification")
    func interimEverywhere() throws {
        let client = try client()
        let look = #""interim":{"label":"l"}"#
        try client.call("screen.set", #"{"sim":"a","screen":"S","values":{"x":"1"}}"#)
        let requests = [
            ("screen.declare", #"{"sim":"a","screen":"S","fields":["y"],\#(look)}"#),
            ("screen.set", #"{"sim":"a","screen":"S","values":{"z":"1"},\#(look)}"#),
            ("screen.clear", #"{"sim":"a","screen":"S","keys":["z"],\#(look)}"#),
            ("model.set", #"{"sim":"a","values":{"x":"1"},\#(look)}"#),
            ("model.clear", #"{"sim":"a","keys":["x"],\#(look)}"#),
            ("sim.send", #"{"sim":"h","event":"summaryDidChange",\#(look)}"#),
            ("bridge.assign", #"{"sim":"h","bridge":"host",\#(look)}"#),
            ("bridge.build", #"{"sim":"h","bridge":"host",\#(look)}"#),
            ("bridge.update", #"{"sim":"w","bridge":"list",\#(look)}"#),
            ("bridge.identify", #"{"sim":"w","bridge":"list","identity":"x",\#(look)}"#),
            ("bridge.rebind", #"{"sim":"w","bridge":"list","owner":"x",\#(look)}"#),
            ("host.set", #"{"sim":"w","bridge":"list","hidden":true,\#(look)}"#),
            ("environment.set", #"{"sim":"w","values":{"x":"1"},\#(look)}"#),
            ("bridge.dismiss", #"{"sim":"w","bridge":"list",\#(look)}"#),
            ("bridge.items", #"{"sim":"w","bridge":"list","items":["a"],\#(look)}"#),
            ("bridge.mount", #"{"sim":"w","bridge":"list",\#(look)}"#),
            ("bridge.unmount", #"{"sim":"w","bridge":"list","mount":2,\#(look)}"#),
        ]
        for (method, params) in requests {
            #expect(try client.call(method, params)["interim"]?["label"] == "l", "\(method)")
        }
        let lines = requests.prefix(5).enumerated().map {
            #"{"jsonrpc":"2.0","id":\#($0),"method":"\#($1.0)","params":\#($1.1)}"#
        }
        let batch = try client.reply(to: "[\(lines.joined(separator: ","))]")
        #expect(
            batch.json.elements?.map { $0["result"]?["interim"]?["label"]?.text }
                == Array(repeating: "l", count: 5))
        try client.sendLine(
            #"{"jsonrpc":"2.0","method":"screen.set","params":{"sim":"a","screen":"S","values":{"x":"9"},\#(look)}}"#
        )
        #expect(try fields(client, "a")[0] == "x - 9 leftover")
    }

    @Test("what an answer has no room for is counted; the turn has run all the same")
    func interimTooLong() throws {
        let client = try client()
        let long = String(repeating: "v", count: 4000)
        let values = (0..<40).map { #""k\#($0)":"\#(long)""# }.joined(separator: ",")
        let answer = try client.call(
            "screen.set", #"{"sim":"a","screen":"S","values":{\#(values)},"interim":{"label":"l"}}"#)
        #expect(answer["changes"] == 40)
        let listed = answer["interim"]?["fields"]?.elements?.count ?? 0
        #expect(listed > 10 && listed < 40)
        #expect(answer["interim"]?["omitted"]?.integer == 40 - listed)
        #expect(answer["interim"]?["counts"]?["leftover"] == 40)
        // In a batch there is less and less room, and never an error in the place of a turn.
        let one =
            #"{"id":"\#(String(repeating: "i", count: 1000))","method":"screen.set","params":{"sim":"a","screen":"S","values":{"k0":"w"},"interim":{"label":"l"}}}"#
        let batch = try client.reply(to: "[\(Array(repeating: one, count: 200).joined(separator: ","))]")
        let results = batch.json.elements ?? []
        #expect(results.count == 200 && results.allSatisfy { $0["result"]?["seq"] != nil })
        #expect(results.contains { $0["result"]?["interim"] != nil })
        #expect(batch.line.utf8.count < 1 << 20)
    }

    // MARK: Limits

    @Test("mounts and items are bounded; what goes makes room")
    func mountLimit() throws {
        let client = try client(["--max-mounts", "3"])
        try client.call("bridge.mount", #"["w","list"]"#)
        try client.call("bridge.mount", #"["w","list"]"#)
        for (method, params) in [
            ("bridge.mount", #"["w","list"]"#), ("bridge.items", #"["w","list",["a","b","c","d"]]"#),
        ] {
            let refusal = try client.refusal(method, params)
            #expect(refusal.code == -32008 && refusal.kind == "limit")
            #expect(refusal.json["data"]?["limit"] == 3)
            #expect(refusal.json["data"]?["option"] == "--max-mounts")
            #expect(try mounts(client) == ["1:-", "2:-", "3:-"])
        }
        try client.call("bridge.items", #"["w","list",["a","b","c"]]"#)
        try client.call("bridge.unmount", #"["w","list",4]"#)
        try client.call("bridge.mount", #"["w","list"]"#)
        #expect(try client.call("seam.hello")["limits"]?["mounts"] == 3)
    }

    @Test("the values of items count as memory: full is said, and emptying passes")
    func memory() throws {
        let client = try client(["--memory", "1M"])
        let value = String(repeating: "v", count: 64_000)
        var refusal: TestClient.Refusal?
        for count in 1...16 {
            let items = (0..<count).map { #"{"id":"\#($0)","value":"\#(value)"}"# }.joined(separator: ",")
            do {
                try client.call("bridge.items", #"{"sim":"w","bridge":"list","items":[\#(items)]}"#)
            } catch let error as TestClient.Refusal {
                refusal = error
                break
            }
        }
        #expect(refusal?.code == -32008 && refusal?.json["data"]?["what"] == "memory")
        #expect(refusal?.json["data"]?["option"] == "--memory")
        try client.call("bridge.items", #"{"sim":"w","bridge":"list","items":[]}"#)
        try client.call(
            "bridge.items", #"{"sim":"w","bridge":"list","items":[{"id":"0","value":"\#(value)"}]}"#)
        let big = try client.call("bridge.list", #"["w"]"#)["mounts"]?[0]
        #expect(big?["itemBytes"] == 64_000 && big?["item"]?.text?.utf8.count == 4096)
    }

    @Test("a long list is read in pages")
    func pages() throws {
        let client = try client()
        let ids = (0..<600).map { "item-\($0)" }
        try client.call(
            "bridge.items",
            #"{"sim":"w","bridge":"list","items":\#(JSON.array(ids.map { .string($0) }).encoded)}"#)
        var read: [String] = []
        var from: Int? = 0
        var pages = 0
        while let start = from {
            let page = try client.call("bridge.list", #"{"sim":"w","from":\#(start)}"#)
            read += page["mounts"]?.elements?.compactMap { $0["owner"]?.text } ?? []
            from = page["next"]?.integer
            pages += 1
        }
        #expect(read == ids && pages > 1)
    }

    // MARK: Policies

    @Test("what policy.list offers is taken, word by word and profile by profile")
    func policies() throws {
        let client = try client()
        let book = try client.call("policy.list")
        var offered: [(String, String)] = []
        for policy in book["policies"]?.elements ?? [] {
            let name = policy["name"]?.text ?? ""
            let words = policy["words"]?.elements?.compactMap(\.text) ?? []
            let bounds = [policy["minimum"], policy["maximum"]].compactMap { $0?.integer.map { "\($0)" } }
            #expect((policy["meaning"]?.text?.count ?? 0) > 20)
            #expect(words.isEmpty || words.contains(policy["default"]?.text ?? ""))
            offered += (words + bounds + [policy["default"]?.text ?? ""]).map { (name, $0) }
        }
        #expect(offered.count > 90)
        for (name, value) in offered {
            let created = try client.call(
                "sim.create",
                #"{"scenario":"lessons.wrapping-filled","policies":{"\#(name)":"\#(value)"}}"#)
            try client.call("sim.destroy", #"["\#(created["sim"]?.text ?? "")"]"#)
        }
        let profiles = book["profiles"]?.elements?.compactMap { $0["name"]?.text } ?? []
        #expect(profiles.first == "lesson" && profiles.count == 12)
        for profile in profiles {
            let result = try client.call(
                "sim.run", #"{"scenario":"lessons.wrapping-filled","profile":"\#(profile)"}"#)
            #expect(result["checks"]?.elements?.count == 1, "\(profile)")
        }
    }

    // MARK: What is wrong

    static let wrong: [(method: String, params: String, code: Int, kind: String, path: String?)] = [
        ("bridge.build", #"{"sim":"no","bridge":"host"}"#, -32001, "unknown-sim", nil),
        ("bridge.build", #"{"sim":"h","bridge":"hots"}"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.build", #"{"sim":"w","bridge":"list"}"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.build", #"{"sim":"h","bridge":"host","mount":2}"#, -32602, "which-mount", "mount"),
        ("bridge.build", #"{"sim":"h","bridge":"host","ifSeq":99}"#, -32014, "conflict", nil),
        ("bridge.assign", #"{"sim":"w","bridge":"list","built":true}"#, -32602, "unknown-bridge", "bridge"),
        (
            "bridge.update", #"{"sim":"h","bridge":"host","cause":"repeat"}"#, -32602, "unknown-bridge",
            "bridge"
        ),
        (
            "bridge.update", #"{"sim":"w","bridge":"list","cause":"rotation"}"#, -32602, "out-of-range",
            "cause"
        ),
        ("bridge.update", #"["w","list",1,null,null,"layout",1]"#, -32602, "unknown-param", "params[6]"),
        (
            "bridge.identify", #"{"sim":"w","bridge":"list","identity":"x","mount":7}"#, -32602,
            "which-mount", "mount"
        ),
        ("bridge.identify", #"["w","nope","x"]"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.rebind", #"{"sim":"a","bridge":"list","owner":"x"}"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.rebind", #"{"sim":"w","bridge":"list","owner":null}"#, -32602, "wrong-type", "owner"),
        ("bridge.items", #"{"sim":"w","bridge":"lsit","items":[]}"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.items", #"{"sim":"a","bridge":"list","items":[]}"#, -32602, "unknown-bridge", "bridge"),
        (
            "bridge.items", #"{"sim":"w","bridge":"list","items":["a","a"]}"#, -32602, "conflicting-params",
            "items[1]"
        ),
        (
            "bridge.items", #"{"sim":"w","bridge":"list","items":[{"id":"a","vlaue":1}]}"#, -32602,
            "unknown-param", "items[0].vlaue"
        ),
        (
            "bridge.items", #"{"sim":"w","bridge":"list","mount":1,"items":[]}"#, -32602, "unknown-param",
            "mount"
        ),
        ("bridge.dismiss", #"{"sim":"h","bridge":"host","mount":3}"#, -32602, "which-mount", "mount"),
        ("bridge.list", #"{"sim":"w","bridge":"nope"}"#, -32602, "unknown-bridge", "bridge"),
        ("bridge.list", #"{"sim":"nope"}"#, -32001, "unknown-sim", nil),
        ("host.set", #"{"sim":"w","bridge":"list"}"#, -32602, "missing-param", "window"),
        ("host.set", #"{"sim":"w","bridge":"list","scene":"off"}"#, -32602, "out-of-range", "scene"),
        ("host.set", #"{"sim":"w","bridge":"list","mount":5,"window":true}"#, -32602, "which-mount", "mount"),
        ("host.set", #"{"sim":"w","bridge":"host","window":true}"#, -32602, "unknown-bridge", "bridge"),
        ("environment.set", #"{"sim":"a","values":{"x":"1"}}"#, -32602, "unknown-bridge", "sim"),
        (
            "environment.set", #"{"sim":"w","values":{"x":"1"},"bridge":"nope"}"#, -32602, "unknown-bridge",
            "bridge"
        ),
        ("environment.set", #"{"sim":"w","values":{"x":"1"},"mount":1}"#, -32602, "missing-param", "bridge"),
        (
            "environment.set", #"{"sim":"w","values":{"x":"1"},"bridge":"list","mount":9}"#, -32602,
            "which-mount", "mount"
        ),
        ("environment.set", #"{"sim":"w","values":{"x":[1]}}"#, -32602, "value-not-text", "values.x"),
        (
            "sim.create", #"{"scenario":"lessons.wrapping-filled","policies":{"list.round-limit":"5"}}"#,
            -32602,
            "unknown-policy", "policies.list.round-limit"
        ),
        (
            "sim.create", #"{"scenario":"lessons.wrapping-filled","policies":{"lsit.updates":"manual"}}"#,
            -32602,
            "unknown-bridge", "policies.lsit"
        ),
        (
            "sim.create", #"{"scenario":"lessons.wrapping-filled","policies":{"list.pool-limit":"-1"}}"#,
            -32602,
            "out-of-range", "policies.list.pool-limit"
        ),
        ("policy.list", #"{"name":"x"}"#, -32602, "unknown-param", "name"),
        (
            "model.set",
            #"{"sim":"h","values":{"openCount":"9"},"interim":{"label":"l","fields":["title","opneCount"]}}"#,
            -32602, "unknown-field", "interim.fields[1]"
        ),
        (
            "screen.set",
            #"{"sim":"a","screen":"S","values":{"x":"1"},"interim":{"label":"l","fields":["x"]}}"#, -32602,
            "unknown-field", "interim.fields[0]"
        ),
        (
            "model.set", #"{"sim":"h","values":{"openCount":"9"},"interim":{"label":"l","after":"draw"}}"#,
            -32602, "out-of-range", "interim.after"
        ),
        ("sim.advance", #"{"sim":"h","ms":1,"interim":{"label":"l"}}"#, -32602, "unknown-param", "interim"),
    ]

    @Test("each request that cannot be done says why and does nothing, and a probe after it is answered")
    func refused() throws {
        let client = try client()
        func state() throws -> [JSON] {
            try ["h", "w", "a"].map { try client.call("sim.get", #"{"sim":"\#($0)"}"#) }
        }
        let before = try state()
        for row in Self.wrong {
            let refusal = try client.refusal(row.method, row.params)
            #expect(
                refusal.code == row.code && refusal.kind == row.kind,
                "\(row.method) \(row.params): \(refusal)")
            #expect(
                refusal.json["data"]?["path"]?.text == row.path, "\(row.method) \(row.params): \(refusal)")
            #expect(refusal.message.hasSuffix("."), "\(refusal)")
            #expect(try client.call("seam.ping")["daemonEpoch"] != nil)
        }
        #expect(try state() == before)
        #expect(
            try client.refusal("host.set", #"{"sim":"w","bridge":"lsit","window":true}"#).json["data"]?[
                "known"] == ["list"])
        let cause = try client.refusal("bridge.update", #"{"sim":"w","bridge":"list","cause":"contaner"}"#)
        #expect(cause.json["data"]?["known"]?[0] == "container")
        let field = try client.refusal(
            "model.clear", #"{"sim":"h","keys":["title"],"interim":{"label":"l","fields":["opneCount"]}}"#)
        #expect(field.json["data"]?["known"]?[0] == "openCount")
    }

    @Test("a simulation that is gone is unknown, and a live one has no mounts")
    func goneAndLive() throws {
        let client = try client()
        try client.call("sim.destroy", #"["w"]"#)
        #expect(try client.refusal("bridge.items", #"["w","list",[]]"#).kind == "unknown-sim")
        #expect(try client.call("bridge.list", #"["a"]"#)["mounts"] == [])
        #expect(try client.call("sim.get", #"["a"]"#)["counts"] == nil)
    }
}
