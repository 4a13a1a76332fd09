import Testing

@testable import SeamWire

@Suite("OpenRPC document")
struct DocumentTests {
    private func document() throws -> JSON {
        var out = ByteBuffer()
        out.openRPC(limits: Limits())
        #expect(out.count < Limits().documentBytes)
        return try JSON(parsing: out.text)
    }

    @Test("has every method with every parameter, in order")
    func methods() throws {
        let document = try document()
        #expect(document["openrpc"]?.text == "1.2.6")
        #expect(document["info"]?["title"]?.text == "Seam")
        #expect(document["info"]?["version"]?.text == seamVersion)
        let methods = document["methods"]?.elements ?? []
        #expect(methods.compactMap { $0["name"]?.text } == Method.allCases.map(\.name))
        for (method, spec) in zip(methods, MethodTable.specs) {
            #expect(method["summary"]?.text?.hasSuffix(".") == true)
            #expect(method["paramStructure"]?.text == "either")
            let params = method["params"]?.elements ?? []
            #expect(params.compactMap { $0["name"]?.text } == spec.params.map { "\($0.name)" })
            #expect(params.compactMap { $0["required"]?.boolean } == spec.params.map(\.isRequired))
            #expect(
                params.allSatisfy {
                    $0["summary"]?.text?.hasSuffix(".") == true && $0["schema"]?.members != nil
                })
            #expect(method["result"]?["schema"]?.members != nil)
            let errors = method["errors"]?.elements ?? []
            let codes = errors.compactMap { $0["code"]?.integer }
            #expect(Set(codes).count == codes.count)
            let kinds = errors.flatMap { $0["data"]?["kinds"]?.elements ?? [] }.compactMap(\.text)
            #expect(Set(kinds) == Set(spec.errors.map(\.rawValue)))
        }
    }

    @Test("refers only to what is there")
    func references() throws {
        let document = try document()
        var references = 0
        func walk(_ json: JSON) {
            if let target = json["$ref"]?.text {
                references += 1
                var place: JSON? = document
                for part in target.split(separator: "/").dropFirst() { place = place?[String(part)] }
                #expect(place != nil, "\(target)")
            }
            for member in json.members ?? [] { walk(member.value) }
            for element in json.elements ?? [] { walk(element) }
        }
        walk(document)
        #expect(references > 50)
    }

    @Test("lists every error with its number")
    func errors() throws {
        let errors = try document()["components"]?["errors"]
        #expect(errors?.members?.map(\.name) == ErrorKind.allCases.map(\.rawValue))
        for kind in ErrorKind.allCases { #expect(errors?[kind.rawValue]?["code"]?.integer == kind.code) }
    }

    @Test("says of each kind of event line, and of an error, which members it has")
    func lines() throws {
        let document = try document()
        let schemas = try #require(document["components"]?["schemas"])
        var kinds: [String] = []
        for reference in schemas["EventLine"]?["oneOf"]?.elements ?? [] {
            let name = try #require(reference["$ref"]?.text?.split(separator: "/").last.map(String.init))
            let line = try #require(schemas[name], "\(name)")
            kinds.append(line["properties"]?["kind"]?["const"]?.text ?? "")
            let properties = Set(line["properties"]?.members?.map(\.name) ?? [])
            let required = line["required"]?.elements?.compactMap(\.text) ?? []
            #expect(required.starts(with: ["sub", "kind"]) && properties.isSuperset(of: required), "\(name)")
        }
        #expect(kinds == ["state", "sync", "verdict", "diagnostic", "mark", "lag", "end", "sim"])
        let facts = Set(schemas["Error"]?["properties"]?["data"]?["properties"]?.members?.map(\.name) ?? [])
        for (error, _, _) in ErrorTests.made {
            #expect(facts.isSuperset(of: error.facts.map { "\($0.name)" }), "\(error.kind)")
        }
        let common = document["x-errors"]?["ofEveryMethod"]?.elements?.compactMap(\.text)
        #expect(common == MethodTable.commonErrors.map(\.rawValue))
    }

    @Test("follows the limits it is given")
    func limits() throws {
        var limits = Limits()
        limits.nameBytes = 77
        var out = ByteBuffer()
        out.openRPC(limits: limits)
        #expect(out.text.contains(#""maxLength":77"#))
        #expect(!out.text.contains(#""maxLength":128"#))
    }
}

@Suite("Errors")
struct ErrorTests {
    @Test("kinds and numbers are the contract's")
    func numbers() {
        let numbers: [Int: [ErrorKind]] = [
            -32700: [.parse, .tooDeep, .numberRange],
            -32600: [.invalidRequest, .duplicateKey, .idType],
            -32601: [.unknownMethod],
            -32602: [
                .missingParam, .unknownParam, .wrongType, .valueNotText, .outOfRange, .badName,
                .conflictingParams,
                .unknownBridge, .unknownScreen, .unknownField, .unknownEvent, .unknownKey, .unknownArg,
                .unknownPolicy,
                .unknownProfile, .whichMount, .notLive, .notTraced, .badPath, .badRecording,
            ],
            -32603: [.internal], -32001: [.unknownSim], -32002: [.unknownScenario], -32003: [.unknownSub],
            -32005: [.pluginFailed], -32008: [.limit], -32009: [.tooLarge], -32010: [.gone],
            -32011: [.seqInFuture],
            -32012: [.denied], -32013: [.shuttingDown],
            -32014: [.conflict, .simExists, .recorded, .notRecorded],
            -32015: [.fileFailed], -32016: [.notRepeatable],
        ]
        for (code, kinds) in numbers { #expect(kinds.allSatisfy { $0.code == code }) }
        #expect(numbers.values.reduce(0) { $0 + $1.count } == ErrorKind.allCases.count)
    }

    static let made: [(error: WireError, kind: ErrorKind, facts: [String])] = [
        (.lineTooLong(limits: Limits()), .tooLarge, ["limit"]),
        (.unknownSim("x", among: []), .unknownSim, ["sim", "known"]),
        (.unknownScenario("x", among: ["y"]), .unknownScenario, ["scenario", "known"]),
        (.unknownSub(4), .unknownSub, ["sub"]),
        (
            .unknown(
                .unknownBridge, what: "bridge", "hots", of: "the scenario counter.copied", path: "bridge",
                among: ["host"]),
            .unknownBridge, ["path", "expected", "known"]
        ),
        (
            .whichMount(bridge: "host", asked: nil, mounts: [1, 2]), .whichMount,
            ["path", "expected", "known"]
        ),
        (.whichMount(bridge: "host", asked: 3, mounts: [1, 2]), .whichMount, ["path", "expected", "known"]),
        (.whichMount(bridge: "host", asked: nil, mounts: []), .whichMount, ["path", "expected", "known"]),
        (.notLive(sim: "s1", scenario: "counter.copied"), .notLive, ["path", "expected"]),
        (.internalFault("the ring is broken"), .internal, []),
        (.pluginFailed(sim: "s1", text: "start said no"), .pluginFailed, ["sim", "text"]),
        (.pluginFailed(sim: nil, text: "no entry"), .pluginFailed, ["text"]),
        (.limit("subscriptions", 256, option: nil), .limit, ["limit"]),
        (.limit("connections", 4096, option: "--max-connections"), .limit, ["limit", "option"]),
        (.replyTooLarge(limit: 65_535), .tooLarge, ["limit"]),
        (
            .pastGone("s1", "it is gone", latest: 9, epoch: "00000000000000ff"), .gone,
            ["oldest", "latest", "epoch"]
        ),
        (.recorded("s1", path: "/a"), .recorded, ["sim", "path"]),
        (.notRecorded("s1"), .notRecorded, ["sim"]),
        (
            .badPath("/a", "it exists already", in: "record", expected: "a file"), .badPath,
            ["path", "expected"]
        ),
        (.fileFailed("/a", "the disk is full"), .fileFailed, ["file"]),
        (.badRecording("/a", line: 3, "it is not JSON"), .badRecording, ["path", "expected", "line"]),
        (.notRepeatable("s1", "no"), .notRepeatable, ["sim", "text"]),
        (
            .gone(asked: "e", oldest: 5, latest: 9, epoch: "00000000000000ff"), .gone,
            ["oldest", "latest", "epoch"]
        ),
        (.seqInFuture(asked: 10, latest: 9, epoch: "00000000000000ff"), .seqInFuture, ["latest", "epoch"]),
        (.denied("Only the user who started seamd is served."), .denied, []),
        (.shuttingDown(), .shuttingDown, []),
        (.conflict(sim: "s1", asked: 1, seq: 2), .conflict, ["seq"]),
        (.simExists("s1"), .simExists, ["sim"]),
    ]

    @Test("say what happened in a sentence and why in facts", arguments: made)
    func factories(_ error: WireError, _ kind: ErrorKind, _ facts: [String]) throws {
        #expect(error.kind == kind)
        #expect(error.facts.map { "\($0.name)" } == facts)
        #expect(error.message.hasSuffix(".") && !error.message.hasSuffix("..") && error.message.count > 20)
        var out = ByteBuffer()
        out.reply(RequestID(1), error)
        let data = try JSON(parsing: String(out.text.dropLast()))["error"]?["data"]
        #expect(data?.members?.map(\.name) == ["kind"] + facts)
    }

    @Test("messages name the thing, the nearest, and the way out")
    func texts() {
        #expect(
            WireError.unknown(
                .unknownBridge, what: "bridge", "hots", of: "the scenario counter.copied", path: "bridge",
                among: ["list", "host"]
            ).message == "The scenario counter.copied has no bridge hots; the nearest are host, list.")
        #expect(
            WireError.whichMount(bridge: "host", asked: nil, mounts: []).message
                == "The bridge host is not mounted; mount it with bridge.mount first.")
        #expect(
            WireError.limit("connections", 4096, option: "--max-connections").message
                == "The daemon keeps no more than 4096 connections; close some, or start seamd with a larger"
                + " --max-connections.")
    }
}

@Suite("Globs")
struct GlobTests {
    @Test(
        "only the star is special",
        arguments: [
            ("*", "", true), ("*", "a.b/c", true), ("a", "a", true), ("a", "b", false), ("a", "", false),
            ("a*", "a", true), ("a*", "abc", true), ("a*", "ba", false), ("*a", "a", true),
            ("*a", "bba", true),
            ("*a", "ab", false), ("a*b", "ab", true), ("a*b", "axxb", true), ("a*b", "axxbx", false),
            ("a*b*c", "a1b2c", true), ("a*b*c", "acb", false), ("*ab*", "xxaabxx", true),
            ("*aab", "aaaab", true),
            ("**", "x", true), ("a**b", "ab", true), ("?", "a", false), ("?", "?", true), ("[a]", "a", false),
            ("[a]", "[a]", true), ("Main.*", "Main.title", true), ("Main.*", "Mainx.title", false),
            ("*.title", "Main.title", true), ("s1/*", "s1/Main.a.b", true), ("a.b", "axb", false),
            ("*", "😀", true), ("*😀", "x😀", true), ("\\*", "\\x", true),
        ])
    func matches(_ pattern: String, _ name: String, _ wanted: Bool) {
        let glob = Glob(pattern)
        #expect(glob.matches(name) == wanted)
        #expect(glob.pattern == pattern)
    }

    @Test("bytes decide: a letter and its accent are another name than the accented letter")
    func bytes() {
        #expect(Glob("\u{E9}*").matches("\u{E9}cole"))
        #expect(!Glob("\u{E9}*").matches("e\u{301}cole"))
    }

    @Test("all small patterns over all small names agree with the plain definition")
    func exhaustive() {
        func plain(_ pattern: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first == "*" {
                return plain(pattern.dropFirst(), name) || (!name.isEmpty && plain(pattern, name.dropFirst()))
            }
            return name.first == first && plain(pattern.dropFirst(), name.dropFirst())
        }
        func words(_ letters: [Character], _ longest: Int) -> [[Character]] {
            var all: [[Character]] = [[]]
            var last = all
            for _ in 0..<longest {
                last = last.flatMap { word in letters.map { word + [$0] } }
                all += last
            }
            return all
        }
        let names = words(["a", "b"], 5)
        for pattern in words(["a", "b", "*"], 5) {
            let glob = Glob(String(pattern))
            for name in names where glob.matches(String(name)) != plain(pattern[...], name[...]) {
                Issue.record("\(String(pattern)) over \(String(name))")
            }
        }
    }

    @Test("the parts are joined as the names are written")
    func parts() {
        func matches(_ globs: [String], _ sim: String?, _ screen: String, _ field: String) -> Bool {
            var steps = 0
            return matchesAny(
                of: globs.map(Glob.init), sim: sim, screen: screen, field: field, counting: &steps)
        }
        #expect(matches(["Main.a.b"], nil, "Main", "a.b"))
        #expect(!matches(["Main"], nil, "Main", "a"))
        #expect(matches(["s1/Main.*"], "s1", "Main", "a"))
        #expect(!matches(["Main.*"], "s1", "Main", "a"))
        #expect(matches(["*"], "s1", "Main", "a"))
        #expect(matches([], "s1", "Main", "a"))
        #expect(matches(["nosuch", "*/\u{E9}.a"], "s1", "\u{E9}", "a"))
        #expect(!matches(["nosuch", "*/\u{E9}.a"], "s1", "e\u{301}", "a"))
        #expect(matches(["*"], nil, "", ""))
        #expect(!matches(["."], "", "", "x"))
        #expect(matches(["/."], "", "", ""))
    }

    @Test("what matches everything says so")
    func everything() {
        #expect(Glob("*").matchesAll && Glob("***").matchesAll)
        for pattern in ["", "*x", "x*", "*x*", "x"] { #expect(!Glob(pattern).matchesAll) }
    }

    private func steps(_ pattern: String, _ name: String) -> (matches: Bool, steps: Int) {
        var (name, steps) = (name, 0)
        let matches = name.withUTF8 { Glob(pattern).matches(UnsafeRawBufferPointer($0), counting: &steps) }
        return (matches, steps)
    }

    @Test(
        "no pattern takes more than two steps a byte of the name, whatever is repeated in it",
        arguments: ["*a", "*ab", "*aab", "*aaaaaaaaaaaaaaab", "a*", "aaaa", "*aaaabaaaa", "*a*b"])
    func hostile(part: String) {
        for length in [1, 2, 64, 257, 386, 5000] {
            let a = String(repeating: "a", count: length)
            let ab = String(String(repeating: "aaaab", count: length).prefix(length))
            let names: [String] = [a, "\(a)b", "b\(a)", ab, "\(ab)c"]
            for name in names {
                let most = 2 * name.utf8.count + 1
                for count in [1, 2, 17, 512 / part.utf8.count] {
                    let parts = String(repeating: part, count: count)
                    let patterns: [String] = [parts, "\(parts)*", "\(parts)c", "\(parts)*c", "*\(parts)"]
                    for pattern in patterns {
                        let took = steps(pattern, name).steps
                        #expect(took <= most, "\(pattern) over \(name): \(took) steps")
                    }
                }
            }
        }
        // The worst of 64 patterns over the longest name: what one field costs one subscription.
        let name = String(repeating: "a", count: 386)
        let parts = String(repeating: part, count: 500 / part.utf8.count)
        let all = (0..<64).reduce(0) { sum, number in sum + steps("\(parts)*\(number)", name).steps }
        #expect(all <= 64 * 773)
    }

    @Test(
        "long patterns and names of few letters, drawn by a seeded generator, agree with the plain definition"
    )
    func drawn() {
        var state: UInt64 = 7
        func draw(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        /// What may be left of the pattern, for each byte of the name: no step is ever taken back.
        func plain(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
            func skips(_ places: Set<Int>) -> Set<Int> {
                var all = places
                for place in places.sorted() {
                    var place = place
                    while place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                        place += 1
                        all.insert(place)
                    }
                }
                return all
            }
            var places = skips([0])
            for byte in name {
                var next: Set<Int> = []
                for place in places where place < pattern.count {
                    if pattern[place] == UInt8(ascii: "*") { next.insert(place) }
                    if pattern[place] == byte { next.insert(place + 1) }
                }
                places = skips(next)
            }
            return places.contains(pattern.count)
        }
        var (found, missed) = (0, 0)
        for _ in 0..<5000 {
            let letters = ["a", "a", "a", "b", "*"]
            let pattern = (0..<draw(30)).map { _ in letters[draw(5)] }.joined()
            // Often the pattern itself, with something in the place of its stars.
            let filled = pattern.map { $0 == "*" ? String(repeating: "ab", count: draw(4)) : String($0) }
                .joined()
            let name = draw(2) == 0 ? filled : (0..<draw(60)).map { _ in letters[draw(4)] }.joined()
            let (matches, took) = steps(pattern, name)
            #expect(matches == plain(Array(pattern.utf8), Array(name.utf8)), "\(pattern) over \(name)")
            let most = 2 * name.utf8.count + 1
            #expect(took <= most, "\(pattern) over \(name): \(took) steps")
            if matches { found += 1 } else { missed += 1 }
        }
        #expect(found > 1000)
        #expect(missed > 1000)
    }
}

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "reading and writing gives the same line",
        arguments: [
            "null", "true", "[1.50,1e5,-0]", #"{"b":1,"a":{"z":[],"y":{}}}"#, #""é\n\u2028""#,
            "18446744073709551615",
            "[]", "{}", #"[null,false,"",{"":""}]"#,
        ])
    func roundTrip(_ text: String) throws {
        #expect(try JSON(parsing: text).encoded == text)
    }

    @Test("values are found, and what is not there is nil")
    func access() throws {
        let json = try JSON(parsing: #"{"a":[1,{"b":"x"}],"c":true,"d":1.5,"e":null,"f":-3}"#)
        #expect(json["a"]?[1]?["b"]?.text == "x")
        #expect(json["a"]?[0]?.integer == 1)
        #expect(json["a"]?[2] == nil)
        #expect(json["a"]?[-1] == nil)
        #expect(json["a"]?["b"] == nil)
        #expect(json["c"]?.boolean == true)
        #expect(json["d"]?.double == 1.5)
        #expect(json["d"]?.integer == nil)
        #expect(json["e"]?.isNull == true)
        #expect(json["f"]?.unsigned == nil)
        #expect(json["f"]?.integer == -3)
        #expect(json["g"] == nil)
        #expect(json.members?.map(\.name) == ["a", "c", "d", "e", "f"])
    }

    @Test("requests are written as the daemon reads them")
    func requests() {
        var out = ByteBuffer()
        out.request(
            RequestID(3), "model.set", ["sim": "s1", "values": ["a": "5", "b": nil, "c": 1, "d": true]])
        #expect(
            out.text
                == #"{"jsonrpc":"2.0","id":3,"method":"model.set","params":{"sim":"s1","values":{"a":"5","b":null,"c":1,"d":true}}}"#
                + "\n")
        #expect(
            RequestDecoder().call(String(out.text.dropLast()))
                == .modelSet(
                    ModelSet(
                        sim: "s1",
                        values: [("a", "5"), ("b", nil), ("c", "1"), ("d", "true")])))
        out.removeAll()
        out.request(nil, "seam.ping")
        #expect(out.text == #"{"jsonrpc":"2.0","method":"seam.ping"}"# + "\n")
    }

    @Test("a client refuses repeated keys too")
    func repeated() {
        let error = #expect(throws: WireError.self) { try JSON(parsing: #"{"a":{"b":1,"b":2}}"#) }
        #expect(error?.kind == .duplicateKey)
        #expect(error?.text("path") == "a.b")
    }
}
