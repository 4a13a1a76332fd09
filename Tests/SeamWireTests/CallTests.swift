import Testing

@testable import SeamWire

@Suite("Calls")
struct CallTests {
    static let long = String(repeating: "v", count: 40)

    static let rows: [(method: String, params: String, call: Call)] = [
        ("seam.hello", "", .hello(Hello())),
        (
            "seam.hello", #"{"client":"test 1.0","protocol":1,"maxLine":1048576}"#,
            .hello(Hello(client: "test 1.0", protocolMajor: 1, maxLine: 1_048_576))
        ),
        ("seam.hello", #"["test"]"#, .hello(Hello(client: "test"))),
        ("seam.ping", "{}", .ping),
        ("seam.ping", "[]", .ping),
        ("seam.stats", "", .stats),
        ("seam.shutdown", "", .shutdown),
        ("rpc.discover", "", .discover),
        ("scenario.list", "", .scenarioList(Page())),
        ("scenario.list", #"{"limit":5}"#, .scenarioList(Page(from: 0, limit: 5))),
        ("scenario.list", "[3,5]", .scenarioList(Page(from: 3, limit: 5))),
        (
            "scenario.describe", #"{"scenario":"counter.copied"}"#,
            .scenarioDescribe(scenario: "counter.copied")
        ),
        ("sim.create", #"["live"]"#, .simCreate(SimCreate(scenario: "live"))),
        (
            "sim.create",
            #"{"scenario":"live","id":"s-1","params":{"a":1,"b":null,"c":true},"policies":{"updates":"manual"},"#
                + #""profile":"strict","seed":7,"clock":"real","lifetime":"connection"}"#,
            .simCreate(
                SimCreate(
                    scenario: "live", id: "s-1",
                    params: [Entry("a", "1"), Entry("b", nil), Entry("c", "true")],
                    policies: [Setting("updates", "manual")], profile: "strict", seed: 7, clock: .real,
                    lifetime: .connection))
        ),
        (
            "sim.create", #"["live",null,null,null,null,null,"virtual","daemon"]"#,
            .simCreate(SimCreate(scenario: "live"))
        ),
        ("sim.list", "", .simList(Page())),
        ("sim.list", "[100,10]", .simList(Page(from: 100, limit: 10))),
        ("sim.get", #"{"sim":"s1"}"#, .simGet(SimGet(sim: "s1"))),
        (
            "sim.get", #"["s1","Main",4,5]"#,
            .simGet(SimGet(sim: "s1", screen: "Main", page: Page(from: 4, limit: 5)))
        ),
        ("sim.destroy", #"["s1"]"#, .simDestroy(sim: "s1")),
        ("sim.send", #"{"sim":"s1","event":"increase"}"#, .simSend(SimSend(sim: "s1", event: "increase"))),
        (
            "sim.send", #"["s1","type",{"text":"","n":1.50},2,9]"#,
            .simSend(
                SimSend(
                    sim: "s1", event: "type", arguments: [Entry("text", ""), Entry("n", "1.50")], mount: 2,
                    ifSeq: 9))
        ),
        ("sim.advance", #"{"sim":"s1","ms":0}"#, .simAdvance(SimAdvance(sim: "s1", ms: 0))),
        ("sim.advance", #"["s1",16.0,3]"#, .simAdvance(SimAdvance(sim: "s1", ms: 16, ifSeq: 3))),
        ("sim.advance", #"["s1",1e3]"#, .simAdvance(SimAdvance(sim: "s1", ms: 1000))),
        ("sim.check", #"{"sim":"s1"}"#, .simCheck(SimCheck(sim: "s1"))),
        ("sim.check", #"{"sim":"s1","fields":[]}"#, .simCheck(SimCheck(sim: "s1", fields: []))),
        (
            "sim.check", #"["s1","after the tap","Main",["title","a.b"]]"#,
            .simCheck(SimCheck(sim: "s1", label: "after the tap", screen: "Main", fields: ["title", "a.b"]))
        ),
        ("sim.check", #"{"sim":"s1","why":true}"#, .simCheck(SimCheck(sim: "s1", explains: true))),
        (
            "sim.create", #"{"scenario":"live","trace":true}"#,
            .simCreate(SimCreate(scenario: "live", keepsTrace: true))
        ),
        (
            "sim.create", #"["x",null,null,null,null,null,"virtual","daemon",false]"#,
            .simCreate(SimCreate(scenario: "x", keepsTrace: false))
        ),
        ("sim.trace", #"["s1"]"#, .simTrace(SimTrace(sim: "s1"))),
        (
            "sim.trace", #"{"sim":"s1","to":9,"from":2,"limit":1,"skip":4}"#,
            .simTrace(SimTrace(sim: "s1", from: 2, to: 9, limit: 1, skip: 4))
        ),
        (
            "sim.explain", #"["s1","Main","a.b"]"#,
            .simExplain(SimExplain(sim: "s1", screen: "Main", field: "a.b"))
        ),
        (
            "sim.run", #"{"scenario":"x","why":true,"trace":true}"#,
            .simRun(SimRun(create: SimCreate(scenario: "x"), explains: true, reportsTrace: true))
        ),
        (
            "sim.run", #"["lessons.own-state"]"#,
            .simRun(SimRun(create: SimCreate(scenario: "lessons.own-state")))
        ),
        (
            "sim.run", #"{"scenario":"x","keep":true,"steps":true,"seed":0,"clock":"virtual"}"#,
            .simRun(SimRun(create: SimCreate(scenario: "x", seed: 0), keeps: true, reportsSteps: true))
        ),
        (
            "sim.run", #"["x","id",{},{},"p",1,"real",false,true]"#,
            .simRun(
                SimRun(
                    create: SimCreate(scenario: "x", id: "id", profile: "p", seed: 1, clock: .real),
                    keeps: false,
                    reportsSteps: true))
        ),
        (
            "model.set", #"{"sim":"s1","values":{"openCount":"5"}}"#,
            .modelSet(ModelSet(sim: "s1", values: [("openCount", "5")]))
        ),
        (
            "model.set",
            #"{"ifSeq":4,"values":{"a":5,"b":-1.50,"c":true,"d":false,"e":null,"f":"","g.h":"\#(long)"},"sim":"s1"}"#,
            .modelSet(
                ModelSet(
                    sim: "s1",
                    values: [
                        ("a", "5"), ("b", "-1.50"), ("c", "true"), ("d", "false"),
                        ("e", nil),
                        ("f", ""), ("g.h", long),
                    ], ifSeq: 4))
        ),
        ("model.set", #"["s1",{}]"#, .modelSet(ModelSet(sim: "s1", values: []))),
        (
            "model.set", #"["s1",{"é 😀":"\n"},null]"#,
            .modelSet(ModelSet(sim: "s1", values: [("é 😀", "\n")]))
        ),
        (
            "model.clear", #"["s1",["a","b"],1]"#,
            .modelClear(ModelClear(sim: "s1", keys: ["a", "b"], ifSeq: 1))
        ),
        (
            "screen.declare", #"{"sim":"s1","screen":"Main","fields":["a"]}"#,
            .screenDeclare(ScreenNames(sim: "s1", screen: "Main", names: ["a"]))
        ),
        (
            "screen.set", #"["s1","Main",{"a":null},0]"#,
            .screenSet(ScreenSet(sim: "s1", screen: "Main", values: [("a", nil)], ifSeq: 0))
        ),
        (
            "screen.clear", #"{"sim":"s1","screen":"Main","keys":["a"],"ifSeq":2}"#,
            .screenClear(ScreenNames(sim: "s1", screen: "Main", names: ["a"], ifSeq: 2))
        ),
        (
            "bridge.assign", #"["s1","host"]"#,
            .bridgeAssign(BridgeCall(sim: "s1", bridge: "host"), built: false)
        ),
        (
            "bridge.update", #"{"sim":"s1","bridge":"list","mount":3}"#,
            .bridgeUpdate(BridgeCall(sim: "s1", bridge: "list", mount: 3), cause: .repeat)
        ),
        (
            "bridge.update", #"["s1","list",null,8,{"label":"l"},"container"]"#,
            .bridgeUpdate(
                BridgeCall(sim: "s1", bridge: "list", ifSeq: 8, interim: InterimRead(label: "l")),
                cause: .container)
        ),
        (
            "bridge.assign", #"{"built":true,"sim":"s1","bridge":"host"}"#,
            .bridgeAssign(BridgeCall(sim: "s1", bridge: "host"), built: true)
        ),
        (
            "model.set",
            #"{"sim":"s1","values":{},"interim":{"after":"frame","fields":["a","S.b"],"label":"early look"}}"#,
            .modelSet(
                ModelSet(
                    sim: "s1", values: [],
                    interim: InterimRead(label: "early look", fields: ["a", "S.b"], after: .frame)))
        ),
        (
            "screen.set", #"["s1","Main",{},null,{"label":"é","fields":[],"after":"layout"}]"#,
            .screenSet(
                ScreenSet(
                    sim: "s1", screen: "Main", values: [],
                    interim: InterimRead(label: "é", fields: [], after: .layout)))
        ),
        ("bridge.build", #"["s1","host",2]"#, .bridgeBuild(BridgeCall(sim: "s1", bridge: "host", mount: 2))),
        (
            "bridge.identify", #"["s1","list","task.7",2,9]"#,
            .bridgeIdentify(BridgeCall(sim: "s1", bridge: "list", mount: 2, ifSeq: 9), identity: "task.7")
        ),
        (
            "bridge.rebind", #"{"owner":"b","bridge":"list","sim":"s1"}"#,
            .bridgeRebind(BridgeCall(sim: "s1", bridge: "list"), owner: "b")
        ),
        (
            "bridge.items",
            #"{"sim":"s1","bridge":"list","items":["a",{"id":"b"},{"value":5,"id":"c"},{"id":"d","value":null}]}"#,
            .bridgeItems(
                BridgeItems(
                    sim: "s1", bridge: "list",
                    items: [Entry("a", nil), Entry("b", nil), Entry("c", "5"), Entry("d", nil)]))
        ),
        (
            "bridge.items", #"["s1","list",["é","e\u0301"],4]"#,
            .bridgeItems(
                BridgeItems(
                    sim: "s1", bridge: "list", items: [Entry("é", nil), Entry("e\u{301}", nil)], ifSeq: 4))
        ),
        (
            "bridge.items", #"["s1","list",[]]"#,
            .bridgeItems(BridgeItems(sim: "s1", bridge: "list", items: []))
        ),
        ("bridge.dismiss", #"["s1","host"]"#, .bridgeDismiss(BridgeCall(sim: "s1", bridge: "host"))),
        ("bridge.list", #"["s1"]"#, .bridgeList(BridgeList(sim: "s1"))),
        (
            "bridge.list", #"{"sim":"s1","bridge":"list","from":2,"limit":3}"#,
            .bridgeList(BridgeList(sim: "s1", bridge: "list", page: Page(from: 2, limit: 3)))
        ),
        (
            "host.set", #"{"sim":"s1","bridge":"host","window":false,"scene":"inactive","ifSeq":3}"#,
            .hostSet(
                BridgeCall(sim: "s1", bridge: "host", ifSeq: 3),
                HostChange(window: false, sceneIsActive: false))
        ),
        (
            "host.set", #"["s1","host",1,null,"active",true,false,true]"#,
            .hostSet(
                BridgeCall(sim: "s1", bridge: "host", mount: 1),
                HostChange(sceneIsActive: true, hidden: true, size: false, parked: true))
        ),
        (
            "environment.set", #"{"sim":"s1","values":{"locale":"de","tint":null}}"#,
            .environmentSet(EnvironmentSet(sim: "s1", values: [Entry("locale", "de"), Entry("tint", nil)]))
        ),
        (
            "environment.set", #"["s1",{"locale":1},"host",2,3]"#,
            .environmentSet(
                EnvironmentSet(sim: "s1", values: [Entry("locale", "1")], bridge: "host", mount: 2, ifSeq: 3))
        ),
        ("policy.list", "", .policyList),
        (
            "bridge.unmount", #"["s1","list",null,8]"#,
            .bridgeUnmount(BridgeCall(sim: "s1", bridge: "list", ifSeq: 8))
        ),
        ("bridge.mount", #"["s1","list",8]"#, .bridgeMount(BridgeMount(sim: "s1", bridge: "list", ifSeq: 8))),
        ("sub.open", "", .subOpen(SubOpen())),
        ("sub.open", #"["s1"]"#, .subOpen(SubOpen(sim: "s1"))),
        (
            "sub.open", #"{"sim":"s1","match":["Main.*","*"],"mode":"all","only":"verdicts","start":"now"}"#,
            .subOpen(
                SubOpen(
                    sim: "s1", match: [Glob("Main.*"), Glob("*")], mode: .all, onlyVerdicts: true, start: .now
                ))
        ),
        (
            "sub.open", #"{"sim":"s1","after":{"epoch":"00ff00ff00ff00ff","seq":41}}"#,
            .subOpen(SubOpen(sim: "s1", start: .after(epoch: "00ff00ff00ff00ff", seq: 41)))
        ),
        (
            "sub.open", #"{"after":{"dseq":0,"epoch":"0123456789abcdef"},"mode":"latest"}"#,
            .subOpen(SubOpen(start: .after(epoch: "0123456789abcdef", seq: 0)))
        ),
        ("sub.open", #"{"start":"state","match":[]}"#, .subOpen(SubOpen())),
        ("sub.close", #"{"sub":3}"#, .subClose(sub: 3)),
        ("sub.close", "[0]", .subClose(sub: 0)),
        (
            "sim.create", #"["live",null,null,null,null,null,null,null,null,0,"/a/b"]"#,
            .simCreate(SimCreate(scenario: "live", history: 0, record: "/a/b"))
        ),
        ("sim.get", #"{"sim":"s1","at":7}"#, .simGet(SimGet(sim: "s1", at: 7))),
        ("sim.check", #"["s1",null,null,null,null,0]"#, .simCheck(SimCheck(sim: "s1", at: 0))),
        ("sim.fork", #"["s1"]"#, .simFork(SimFork(sim: "s1"))),
        ("sim.fork", #"["s1","s2",null,4]"#, .simFork(SimFork(sim: "s1", id: "s2", atTurn: 4))),
        ("sim.get", #"{"sim":"s1","at":null,"atTurn":1}"#, .simGet(SimGet(sim: "s1", atTurn: 1))),
        ("sim.check", #"{"sim":"s1","atTurn":8}"#, .simCheck(SimCheck(sim: "s1", atTurn: 8))),
        ("sim.get", #"{"sim":"s1","whole":true}"#, .simGet(SimGet(sim: "s1", isWhole: true))),
        ("sim.check", #"{"sim":"s1","whole":true}"#, .simCheck(SimCheck(sim: "s1", isWhole: true))),
        (
            "sim.fork", #"{"sim":"s1","id":"s2","at":9}"#,
            .simFork(SimFork(sim: "s1", id: "s2", at: 9))
        ),
        ("rec.start", #"["s1","/a/b.jsonl"]"#, .recStart(RecStart(sim: "s1", path: "/a/b.jsonl"))),
        ("rec.stop", #"["s1"]"#, .recStop(sim: "s1")),
        ("rec.replay", #"["/a"]"#, .recReplay(RecReplay(path: "/a"))),
        (
            "rec.replay", #"{"path":"/é\u0041","id":"r","keep":true}"#,
            .recReplay(RecReplay(path: "/éA", id: "r", keeps: true))
        ),
    ]

    @Test("each method is decoded, by name and by position", arguments: rows)
    func decoded(_ method: String, _ params: String, _ call: Call) {
        let decoder = RequestDecoder()
        let members = params.isEmpty ? "" : #","params":\#(params)"#
        #expect(decoder.call(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(members)}"#) == call)
        #expect(decoder.call(#"{"jsonrpc":"2.0","method":"\#(method)"\#(members)}"#) == call)
        #expect(decoder.call(#"{"method":"\#(method)"\#(members)}"#) == call)
        #expect(call.method.name == method)
    }

    @Test("what one request sets stays its own, however many are decoded before it is performed")
    func ahead() {
        let decoder = RequestDecoder()
        func line(_ number: Int) -> String {
            #"{"method":"model.set","params":{"sim":"s","values":{"k\#(number)":"v\#(number)"}}}"#
        }
        // Each of them is held: beyond the number for which room is kept, too.
        let calls = (0..<3 * RequestDecoder.mostAhead).map { decoder.call(line($0)) }
        for (number, call) in calls.enumerated() {
            guard case .modelSet(let set) = call else {
                Issue.record("\(line(number)) is \(String(describing: call))")
                continue
            }
            #expect(set.values.count == 1)
            #expect(set.values[0].key == "k\(number)" && set.values[0].value == "v\(number)")
        }
    }

    @Test("the rows above leave out no method")
    func complete() {
        let tested = Set(Self.rows.map(\.method))
        #expect(Method.allCases.map(\.name).filter { !tested.contains($0) } == [])
    }

    @Test("the table has one row a method, in order, and no parameter twice")
    func table() {
        #expect(MethodTable.specs.map(\.method) == Method.allCases)
        #expect(Set(Method.allCases.map(\.name)).count == Method.allCases.count)
        for spec in MethodTable.specs {
            #expect(Set(spec.params.map { "\($0.name)" }).count == spec.params.count)
            #expect(Method(name: "\(spec.name)") == spec.method)
            // A required parameter behind an optional one could not be given by position alone.
            let required = spec.params.map(\.isRequired)
            #expect(required == required.sorted { $0 && !$1 })
        }
        #expect(Method(name: "seam.pin") == nil)
    }

    @Test("each word of a list that becomes a value is one")
    func wordValues() {
        #expect(WordList.cause.words.map { "\($0)" } == UpdateCause.allCases.map(\.rawValue))
    }

    @Test("texts of every length arrive whole")
    func lengths() {
        let decoder = RequestDecoder()
        for length in 0...70 {
            let value = String(("abcdefghij" + "é€😀").prefix(1)) + String(repeating: "é", count: length)
            let line = #"["s1",{"k":"\#(value)"}]"#
            #expect(
                decoder.call(#"{"method":"model.set","params":\#(line)}"#)
                    == .modelSet(ModelSet(sim: "s1", values: [("k", value)])))
        }
    }

    @Test("the limits are met exactly")
    func limits() {
        let decoder = RequestDecoder()
        let name = String(repeating: "n", count: 128)
        #expect(decoder.call(#"{"method":"sim.destroy","params":["\#(name)"]}"#) == .simDestroy(sim: name))
        #expect(decoder.error(#"{"method":"sim.destroy","params":["\#(name)n"]}"#)?.kind == .badName)
        let value = String(repeating: "v", count: 65_536)
        #expect(
            decoder.call(#"{"method":"model.set","params":["s1",{"k":"\#(value)"}]}"#)
                == .modelSet(ModelSet(sim: "s1", values: [("k", value)])))
        let error = decoder.error(#"{"method":"model.set","params":["s1",{"k":"\#(value)v"}]}"#)
        #expect(error?.code == -32009)
        #expect(error?.text("path") == "values.k")
        #expect(error?.integer("limit") == 65_536)
        let itemError = decoder.error(
            #"{"method":"bridge.items","params":["s1","b",[{"id":"a","value":"\#(value)v"}]]}"#)
        #expect(itemError?.code == -32009)
        #expect(itemError?.text("path") == "items[0].value")
        var few = Limits()
        few.mounts = 2
        let strict = RequestDecoder(limits: few)
        #expect(strict.call(#"{"method":"bridge.items","params":["s1","b",["x","y"]]}"#) != nil)
        let tooMany = strict.error(#"{"method":"bridge.items","params":["s1","b",["x","y","z"]]}"#)
        #expect(tooMany?.code == -32008)
        #expect(tooMany?.integer("limit") == 2)
        #expect(tooMany?.text("option") == "--max-mounts")
        // Judged in bytes of the text itself, not of how it was escaped.
        let escaped = String(repeating: "\\u0061", count: 65_536)
        #expect(decoder.call(#"{"method":"model.set","params":["s1",{"k":"\#(escaped)"}]}"#) != nil)
    }
}

@Suite("Wrong parameters")
struct ParameterErrorTests {
    struct Row: CustomTestStringConvertible {
        let method: String
        let params: String
        let kind: ErrorKind
        let path: String?

        init(_ method: String, _ params: String, _ kind: ErrorKind, _ path: String?) {
            self.method = method
            self.params = params
            self.kind = kind
            self.path = path
        }

        var testDescription: String { "\(method) \(params.prefix(60))" }
    }

    static let long = String(repeating: "n", count: 129)
    static let epoch = "0123456789abcdef"

    static let rows: [Row] = [
        // Left out
        Row("sim.get", "{}", .missingParam, "sim"), Row("sim.get", "[]", .missingParam, "sim"),
        Row("model.set", #"{"sim":"s1"}"#, .missingParam, "values"),
        Row("model.set", #"["s1"]"#, .missingParam, "values"),
        Row("sim.advance", #"{"sim":"s1"}"#, .missingParam, "ms"),
        Row("sub.close", "", .missingParam, "sub"),
        Row("rec.start", #"{"sim":"s1"}"#, .missingParam, "path"),
        Row("rec.replay", "", .missingParam, "path"),
        Row("sim.fork", "", .missingParam, "sim"),
        // Paths
        Row("rec.start", #"["s1",""]"#, .badPath, "path"), Row("rec.start", #"["s1","a"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","./a"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","~/a"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","/"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","/a/"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","/a\u0000b"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","/a\nb"]"#, .badPath, "path"),
        Row("rec.start", #"["s1","/a\u007f"]"#, .badPath, "path"),
        Row("rec.start", "[\"s1\",\"/\(String(repeating: "a", count: 4095))\"]", .badPath, "path"),
        Row("rec.start", #"["s1",1]"#, .wrongType, "path"),
        Row("rec.start", #"["s1",["/a"]]"#, .wrongType, "path"),
        Row("rec.replay", #"{"path":null}"#, .wrongType, "path"),
        Row("sim.create", #"{"scenario":"live","record":"a"}"#, .badPath, "record"),
        Row("sim.create", #"{"scenario":"live","record":true}"#, .wrongType, "record"),
        Row("sim.create", #"{"scenario":"live","history":-1}"#, .outOfRange, "history"),
        Row("sim.create", #"{"scenario":"live","history":17179869185}"#, .outOfRange, "history"),
        Row("sim.create", #"{"scenario":"live","history":"4M"}"#, .wrongType, "history"),
        Row("sim.run", #"{"scenario":"live","record":"/a"}"#, .unknownParam, "record"),
        // Earlier moments
        Row("sim.get", #"{"sim":"s1","at":"7"}"#, .wrongType, "at"),
        Row("sim.get", #"{"sim":"s1","at":-1}"#, .outOfRange, "at"),
        Row("sim.get", #"{"sim":"s1","atTurn":0}"#, .outOfRange, "atTurn"),
        Row("sim.fork", #"{"sim":"s1","atTurn":"2"}"#, .wrongType, "atTurn"),
        Row("sim.get", #"{"sim":"s1","at":1,"atTurn":1}"#, .conflictingParams, "atTurn"),
        Row("sim.check", #"{"sim":"s1","atTurn":1,"at":0}"#, .conflictingParams, "atTurn"),
        Row("sim.fork", #"["s1",null,1,1]"#, .conflictingParams, "atTurn"),
        Row("sim.fork", #"{"sim":"s1","at":1.5}"#, .outOfRange, "at"),
        Row("sim.check", #"{"sim":"s1","at":9007199254740992}"#, .outOfRange, "at"),
        Row("sim.fork", #"{"sim":"s1","id":"a/b"}"#, .badName, "id"),
        Row("rec.replay", #"{"path":"/a","keep":1}"#, .wrongType, "keep"),
        // Too many, or none that is known
        Row("seam.ping", #"{"a":1}"#, .unknownParam, "a"),
        Row("seam.ping", "[1]", .unknownParam, "params[0]"),
        Row("sim.destroy", #"["s1",2]"#, .unknownParam, "params[1]"),
        Row("sim.get", #"{"sim":"s1","scren":"Main"}"#, .unknownParam, "scren"),
        Row("sim.get", #"{"Sim":"s1"}"#, .unknownParam, "Sim"),
        Row("sim.run", #"{"scenario":"x","lifetime":"daemon"}"#, .unknownParam, "lifetime"),
        Row("sim.create", #"{"scenario":"x","ifSeq":1}"#, .unknownParam, "ifSeq"),
        Row("bridge.mount", #"{"sim":"s1","bridge":"b","mount":1}"#, .unknownParam, "mount"),
        // Wrong type
        Row("sim.get", #"{"sim":1}"#, .wrongType, "sim"), Row("sim.get", #"{"sim":null}"#, .wrongType, "sim"),
        Row("sim.get", #"[null]"#, .wrongType, "sim"), Row("sim.get", #"{"sim":["s1"]}"#, .wrongType, "sim"),
        Row("sim.get", #"{"sim":"s1","from":"0"}"#, .wrongType, "from"),
        Row("sim.get", #"{"sim":"s1","from":true}"#, .wrongType, "from"),
        Row("sim.advance", #"["s1","16"]"#, .wrongType, "ms"),
        Row("sim.advance", #"["s1",null]"#, .wrongType, "ms"),
        Row("sim.run", #"{"scenario":"x","keep":1}"#, .wrongType, "keep"),
        Row("sim.run", #"{"scenario":"x","keep":"true"}"#, .wrongType, "keep"),
        Row("sim.create", #"{"scenario":"x","clock":1}"#, .wrongType, "clock"),
        Row("model.set", #"{"sim":"s1","values":[]}"#, .wrongType, "values"),
        Row("model.set", #"{"sim":"s1","values":"x"}"#, .wrongType, "values"),
        Row("model.set", #"{"sim":"s1","values":null}"#, .wrongType, "values"),
        Row("model.clear", #"{"sim":"s1","keys":"a"}"#, .wrongType, "keys"),
        Row("model.clear", #"{"sim":"s1","keys":{"a":1}}"#, .wrongType, "keys"),
        Row("model.clear", #"{"sim":"s1","keys":["a",1]}"#, .wrongType, "keys[1]"),
        Row("model.clear", #"{"sim":"s1","keys":[null]}"#, .wrongType, "keys[0]"),
        Row("sim.check", #"{"sim":"s1","fields":[["a"]]}"#, .wrongType, "fields[0]"),
        Row("sub.open", #"{"match":"*"}"#, .wrongType, "match"),
        Row("sub.open", #"{"match":[1]}"#, .wrongType, "match[0]"),
        Row("sub.open", #"{"after":7}"#, .wrongType, "after"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":7,"seq":1}}"#, .wrongType, "after.epoch"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)","seq":"1"}}"#, .wrongType, "after.seq"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)","seq":null}}"#, .wrongType, "after.seq"),
        Row("seam.hello", #"{"client":7}"#, .wrongType, "client"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":"a"}"#, .wrongType, "items"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":{"a":1}}"#, .wrongType, "items"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":["a",1]}"#, .wrongType, "items[1]"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":[null]}"#, .wrongType, "items[0]"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":[["a"]]}"#, .wrongType, "items[0]"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":[{"id":1}]}"#, .wrongType, "items[0].id"),
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":[{"value":"a"}]}"#, .missingParam,
            "items[0].id"),
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":["a",{"id":"b","valeu":1}]}"#, .unknownParam,
            "items[1].valeu"),
        Row("bridge.identify", #"{"sim":"s1","bridge":"b"}"#, .missingParam, "identity"),
        Row("bridge.identify", #"{"sim":"s1","bridge":"b","identity":7}"#, .wrongType, "identity"),
        Row("bridge.rebind", #"["s1","b",null]"#, .wrongType, "owner"),
        Row("bridge.build", #"{"sim":"s1"}"#, .missingParam, "bridge"),
        Row("bridge.build", #"{"sim":"s1","bridge":"b","built":true}"#, .unknownParam, "built"),
        Row("bridge.assign", #"{"sim":"s1","bridge":"b","built":"yes"}"#, .wrongType, "built"),
        Row("bridge.update", #"{"sim":"s1","bridge":"b","cause":7}"#, .wrongType, "cause"),
        Row("bridge.list", #"{"sim":"s1","bridge":["b"]}"#, .wrongType, "bridge"),
        Row("host.set", #"{"sim":"s1","bridge":"b"}"#, .missingParam, "window"),
        Row("host.set", #"{"sim":"s1","bridge":"b","mount":1,"window":null}"#, .missingParam, "window"),
        Row("host.set", #"{"sim":"s1","bridge":"b","window":1}"#, .wrongType, "window"),
        Row("host.set", #"{"sim":"s1","bridge":"b","hidden":"on"}"#, .wrongType, "hidden"),
        Row("host.set", #"{"sim":"s1","bridge":"b","scene":true}"#, .wrongType, "scene"),
        Row("host.set", #"{"sim":"s1","bridge":"b","visible":true}"#, .unknownParam, "visible"),
        Row("environment.set", #"{"sim":"s1"}"#, .missingParam, "values"),
        Row("environment.set", #"{"sim":"s1","values":["a"]}"#, .wrongType, "values"),
        Row("environment.set", #"{"sim":"s1","values":{},"mount":1}"#, .missingParam, "bridge"),
        Row("policy.list", #"{"profile":"react"}"#, .unknownParam, "profile"),
        Row("model.set", #"{"sim":"s1","values":{},"interim":"x"}"#, .wrongType, "interim"),
        Row("model.set", #"["s1",{},null,[]]"#, .wrongType, "interim"),
        Row("model.set", #"{"sim":"s1","values":{},"interim":{}}"#, .missingParam, "interim.label"),
        Row("model.set", #"{"sim":"s1","values":{},"interim":{"label":1}}"#, .wrongType, "interim.label"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","fields":"a"}}"#, .wrongType,
            "interim.fields"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","fields":["a",2]}}"#, .wrongType,
            "interim.fields[1]"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","after":1}}"#, .wrongType,
            "interim.after"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","screen":"S"}}"#, .unknownParam,
            "interim.screen"),
        Row("sim.advance", #"{"sim":"s1","ms":1,"interim":{"label":"l"}}"#, .unknownParam, "interim"),
        Row("sim.check", #"{"sim":"s1","interim":{"label":"l"}}"#, .unknownParam, "interim"),
        // Values
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":[{"id":"a","value":[1]}]}"#, .valueNotText,
            "items[0].value"),
        Row("environment.set", #"{"sim":"s1","values":{"a":{}}}"#, .valueNotText, "values.a"),
        Row(
            "model.set", #"{"sim":"s1","values":{"a":"1","openCount":[]}}"#, .valueNotText, "values.openCount"
        ),
        Row("model.set", #"{"sim":"s1","values":{"a":{}}}"#, .valueNotText, "values.a"),
        Row("sim.send", #"{"sim":"s1","event":"e","args":{"x":[1]}}"#, .valueNotText, "args.x"),
        Row("sim.create", #"{"scenario":"x","params":{"p":{"a":1}}}"#, .valueNotText, "params.p"),
        Row("sim.create", #"{"scenario":"x","policies":{"p":null}}"#, .valueNotText, "policies.p"),
        Row("screen.set", #"{"sim":"s1","screen":"M","values":{"a.b":[]}}"#, .valueNotText, "values.a.b"),
        // Ranges
        Row("sim.advance", #"["s1",-1]"#, .outOfRange, "ms"),
        Row("sim.advance", #"["s1",0.5]"#, .outOfRange, "ms"),
        Row("sim.advance", #"["s1",1e300]"#, .outOfRange, "ms"),
        Row("sim.advance", #"["s1",1000000000001]"#, .outOfRange, "ms"),
        Row("sim.get", #"{"sim":"s1","from":-1}"#, .outOfRange, "from"),
        Row("sim.get", #"{"sim":"s1","limit":0}"#, .outOfRange, "limit"),
        Row("sim.get", #"{"sim":"s1","limit":9007199254740992}"#, .outOfRange, "limit"),
        Row("model.set", #"{"sim":"s1","values":{},"ifSeq":-1}"#, .outOfRange, "ifSeq"),
        Row("model.set", #"{"sim":"s1","values":{},"ifSeq":18446744073709551615}"#, .outOfRange, "ifSeq"),
        Row("bridge.assign", #"{"sim":"s1","bridge":"b","mount":0}"#, .outOfRange, "mount"),
        Row("bridge.update", #"{"sim":"s1","bridge":"b","cause":"Layout"}"#, .outOfRange, "cause"),
        Row("bridge.update", #"{"sim":"s1","bridge":"b","cause":"input"}"#, .outOfRange, "cause"),
        Row("host.set", #"{"sim":"s1","bridge":"b","scene":"background"}"#, .outOfRange, "scene"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","after":"draw"}}"#, .outOfRange,
            "interim.after"),
        Row("sim.create", #"{"scenario":"x","clock":"Real"}"#, .outOfRange, "clock"),
        Row("sim.create", #"{"scenario":"x","lifetime":"forever"}"#, .outOfRange, "lifetime"),
        Row("sim.create", #"{"scenario":"x","seed":1.5}"#, .outOfRange, "seed"),
        Row("sub.open", #"{"mode":"newest"}"#, .outOfRange, "mode"),
        Row("sub.open", #"{"only":""}"#, .outOfRange, "only"),
        Row("sub.open", #"{"start":"later"}"#, .outOfRange, "start"),
        Row(
            "sub.open", #"{"match":[\#(Array(repeating: "\"*\"", count: 65).joined(separator: ","))]}"#,
            .outOfRange, "match"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":"xyz","seq":1}}"#, .outOfRange, "after.epoch"),
        Row(
            "sub.open", #"{"sim":"s","after":{"epoch":"0123456789ABCDEF","seq":1}}"#, .outOfRange,
            "after.epoch"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)","seq":-1}}"#, .outOfRange, "after.seq"),
        Row("model.clear", #"{"sim":"s1","keys":[]}"#, .outOfRange, "keys"),
        Row("seam.hello", #"{"protocol":2}"#, .outOfRange, "protocol"),
        Row("seam.hello", #"{"maxLine":100}"#, .outOfRange, "maxLine"),
        Row("seam.hello", #"{"maxLine":99999999999}"#, .outOfRange, "maxLine"),
        // Names
        Row("sim.get", #"{"sim":""}"#, .badName, "sim"), Row("sim.get", #"{"sim":"a.b"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a/b"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a=b"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a*"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"../../etc"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"\#(long)"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\u0000"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\nb"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\u007f"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\u0085"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\u2028"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"a\u202eb"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"\ufeffa"}"#, .badName, "sim"),
        Row("sim.get", #"{"sim":"s1","screen":"a.b"}"#, .badName, "screen"),
        Row("sim.create", #"{"scenario":"x","id":"a/b"}"#, .badName, "id"),
        Row("sim.create", #"{"scenario":""}"#, .badName, "scenario"),
        Row("bridge.assign", #"{"sim":"s1","bridge":"a=b"}"#, .badName, "bridge"),
        Row("model.set", #"{"sim":"s1","values":{"":"1"}}"#, .badName, #"values."""#),
        Row("model.set", #"{"sim":"s1","values":{"a\tb":"1"}}"#, .badName, "values.a\u{FFFD}b"),
        Row("model.clear", #"{"sim":"s1","keys":["a",""]}"#, .badName, "keys[1]"),
        Row("screen.declare", #"{"sim":"s1","screen":"M","fields":["\#(long)"]}"#, .badName, "fields[0]"),
        Row("sub.open", #"{"match":[""]}"#, .badName, "match[0]"),
        Row("sim.check", #"{"sim":"s1","label":"a\u001b[31m"}"#, .badName, "label"),
        Row("seam.hello", #"{"client":""}"#, .badName, "client"),
        Row("bridge.identify", #"{"sim":"s1","bridge":"b","identity":""}"#, .badName, "identity"),
        Row("bridge.identify", #"{"sim":"s1","bridge":"b","identity":"\#(long)"}"#, .badName, "identity"),
        Row("bridge.rebind", #"{"sim":"s1","bridge":"b","owner":"a\u0007"}"#, .badName, "owner"),
        Row("bridge.items", #"{"sim":"s1","bridge":"b","items":["a",""]}"#, .badName, "items[1]"),
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":[{"id":"\#(long)"}]}"#, .badName, "items[0].id"
        ),
        Row("environment.set", #"{"sim":"s1","values":{"":"1"}}"#, .badName, #"values."""#),
        Row("environment.set", #"{"sim":"s1","values":{},"bridge":"a/b"}"#, .badName, "bridge"),
        Row("bridge.list", #"{"sim":"s1","bridge":""}"#, .badName, "bridge"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":""}}"#, .badName, "interim.label"),
        Row(
            "model.set", #"{"sim":"s1","values":{},"interim":{"label":"l","fields":[""]}}"#, .badName,
            "interim.fields[0]"),
        // The same id twice, byte for byte
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":["a","b","a"]}"#, .conflictingParams,
            "items[2]"),
        Row(
            "bridge.items", #"{"sim":"s1","bridge":"b","items":["a",{"id":"a","value":"1"}]}"#,
            .conflictingParams, "items[1].id"),
        // Points to go on from
        Row(
            "sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)","seq":1},"start":"now"}"#,
            .conflictingParams, "start"),
        Row(
            "sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)","dseq":1}}"#, .conflictingParams,
            "after.dseq"),
        Row("sub.open", #"{"after":{"epoch":"\#(epoch)","seq":1}}"#, .conflictingParams, "after.seq"),
        Row(
            "sub.open", #"{"after":{"epoch":"\#(epoch)","seq":1,"dseq":1}}"#, .conflictingParams, "after.seq"),
        Row("sub.open", #"{"sim":"s","after":{"seq":1}}"#, .missingParam, "after.epoch"),
        Row("sub.open", #"{"sim":"s","after":{"epoch":"\#(epoch)"}}"#, .missingParam, "after.seq"),
        Row("sub.open", #"{"after":{"epoch":"\#(epoch)"}}"#, .missingParam, "after.dseq"),
        Row("sub.open", #"{"after":{"epoch":"\#(epoch)","sec":1}}"#, .unknownParam, "after.sec"),
    ]

    @Test("are refused with kind and path, and the next request is served", arguments: rows)
    func refused(_ row: Row) {
        let decoder = RequestDecoder()
        let members = row.params.isEmpty ? "" : #","params":\#(row.params)"#
        let line = #"{"jsonrpc":"2.0","id":"q","method":"\#(row.method)"\#(members)}"#
        guard case .single(.failure(let id, let error)) = decoder.decode(line) else {
            Issue.record("accepted: \(line)")
            return
        }
        #expect(id.description == "\"q\"")
        #expect(error.kind == row.kind)
        #expect(error.code == -32602)
        #expect(error.text("path") == row.path)
        #expect(error.text("expected")?.isEmpty == false)
        #expect(error.message.hasSuffix("."))
        #expect(decoder.call(#"{"id":1,"method":"seam.ping"}"#) == .ping)
    }

    @Test("every kind the decoder can answer with has a row here or above")
    func everyKind() {
        let tested = Set(Self.rows.map(\.kind))
        let decoders: Set<ErrorKind> = [
            .missingParam, .unknownParam, .wrongType, .valueNotText, .outOfRange, .badName,
            .conflictingParams, .badPath,
        ]
        #expect(tested == decoders)
    }

    @Test(
        "names that nearly are one are offered, nearest first",
        arguments: [
            ("model.sett", "model.set"), ("MODEL.SET", "model.set"), ("sim.creat", "sim.create"),
            ("sub.opne", "sub.open"), ("bridge.asign", "bridge.assign"), ("discover", "rpc.discover"),
            ("", "seam.ping"),
        ])
    func unknownMethods(_ name: String, _ nearest: String) {
        let error = RequestDecoder().error(#"{"id":1,"method":"\#(name)"}"#)
        #expect(error?.kind == .unknownMethod)
        #expect(error?.code == -32601)
        #expect(error?.texts("known")?.count == 20)
        if !name.isEmpty { #expect(error?.texts("known")?.first == nearest) }
    }

    @Test("an unknown parameter is answered with those there are")
    func unknownParameters() {
        let error = RequestDecoder().error(#"{"method":"sub.open","params":{"macth":["*"]}}"#)
        #expect(error?.texts("known") == ["match", "mode", "after", "start", "sim", "only"])
        #expect(
            error?.message
                == "sub.open has no parameter macth; it takes sim, match, mode, only, after, start.")
    }

    @Test("what a client wrote comes back short and printable")
    func excerpts() {
        let name = String(repeating: "\\u001b", count: 60_000)
        let error = RequestDecoder().error(#"{"id":1,"method":"\#(name)"}"#)
        #expect((error?.message.utf8.count ?? 0) < 400)
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
        var out = ByteBuffer()
        if let error { out.reply(.null, error) }
        #expect(out.count < 2000)
    }
}

@Suite("Nearest names")
struct NearestTests {
    @Test(
        "letters left out, added, replaced, swapped or of the wrong case",
        arguments: [
            ("openCount", "openCount"), ("opencount", "openCount"), ("openCuont", "openCount"),
            ("openCoun", "openCount"),
            ("oppenCount", "openCount"), ("titel", "title"), ("Filter", "filter"), ("", "filter"),
        ])
    func typo(_ name: String, _ found: String) {
        let known = nearest(name, among: ["filter", "title", "openCount", "isExpanded"])
        #expect(name.isEmpty || known.first == found)
        #expect(known.count == 4)
    }

    @Test("twenty at most, and equals in the order given")
    func order() {
        let names = (0..<50).map { "field\($0 + 10)" }
        #expect(nearest("field", among: names) == Array(names.prefix(20)))
        #expect(nearest("field42", among: names).first == "field42")
        #expect(nearest("x", among: [String]()) == [])
        #expect(nearest("x", among: names, limit: 0) == [])
    }

    @Test("a million names answer no slower than a few thousand")
    func bounded() {
        var asked = 0
        let names = (0..<1_000_000).lazy.map { number in
            asked += 1
            return "f\(number)"
        }
        _ = nearest("f1", among: names)
        #expect(asked <= 4096)
    }

    @Test("long names are compared as far as there are steps, the likeliest first")
    func steps() {
        func name(_ number: Int) -> String {
            let filling = String(repeating: "abcdefghij\(number * 7919)", count: 12)
            return String("session-\(number)-\(filling)".prefix(128))
        }
        let names = (0..<4096).map(name)
        for wanted in [17, 2048, 4095] {
            var slip = Array(name(wanted).utf8)
            slip.swapAt(40, 41)
            slip.remove(at: 90)
            var steps = 0
            let known = nearest(
                String(decoding: slip, as: UTF8.self), among: names, limit: 20, considered: 4096,
                counting: &steps
            )
            #expect(known.first == name(wanted))
            #expect(steps <= mostSteps + 128 * 128)
        }
        // Nothing in common with any of them: each comparison is as long as it can be.
        var steps = 0
        let known = nearest(
            String(repeating: "!", count: 128), among: names, limit: 20, considered: 4096, counting: &steps)
        #expect(known.count == 20 && steps <= mostSteps + 128 * 128)
    }

    @Test("the shortest way to find them finds what comparing all finds")
    func same() {
        func all(_ name: String, _ names: [String]) -> [String] {
            names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map {
                (distance(Array(name.utf8), Array($1.utf8)), $0, $1)
            }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(5).map(\.2)
        }
        func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
            func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
            var table = Array(repeating: Array(repeating: 0, count: other.count + 1), count: one.count + 1)
            for row in 0...one.count { table[row][0] = row }
            for column in 0...other.count { table[0][column] = column }
            for row in 0..<one.count {
                for column in 0..<other.count {
                    let same = lower(one[row]) == lower(other[column]) ? 0 : 1
                    var value = min(
                        table[row][column + 1] + 1, table[row + 1][column] + 1, table[row][column] + same)
                    if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                        value = min(value, table[row - 1][column - 1] + 1)
                    }
                    table[row + 1][column + 1] = value
                }
            }
            return table[one.count][other.count]
        }
        var random = SystemRandomNumberGenerator()
        func word() -> String {
            String((0..<Int.random(in: 0...8, using: &random)).compactMap { _ in "aAbBcdé".randomElement() })
        }
        for _ in 0..<200 {
            let (name, names) = (word(), (0..<40).map { _ in word() })
            #expect(nearest(name, among: names, limit: 5) == all(name, names), "\(name) \(names)")
        }
    }
}
