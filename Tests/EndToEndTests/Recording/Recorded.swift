import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// A daemon, a client of it, and a folder that its recordings may go to.
struct RecordingBench {
    let folder: TemporaryFolder
    let daemon: SeamProcess
    let client: TestClient

    init(_ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        daemon = try SeamProcess(arguments)
        client = try daemon.connect()
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path(name)))) }

    func lines(_ name: String) throws -> [String] {
        String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    func write(_ name: String, lines: [String]) throws {
        try write(name, lines.map { $0 + "\n" }.joined().utf8)
    }

    /// The plug-in whose work comes back later, from threads and timers.
    static func buildLater(_ flags: [String] = [], into folder: TemporaryFolder) throws -> String {
        let file = "\(folder.path)/liblater.so"
        try compile(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
                "-pthread",
            ]
                + [
                    "-I\(Checkout.header)", Checkout.path("Tests/EndToEndTests/PlantedFaults/later.c"), "-o",
                    file,
                ]
                + flags)
        return file
    }
}

/// Requests that drive a simulation of any scenario, drawn from what it says of itself.
struct Driver {
    private var random: SeededGenerator
    private let events: [(id: String, args: [String])]
    private let bridges: [(id: String, kind: String)]
    private let keys: [String]

    init(_ scenario: String, seed: UInt64, on client: TestClient) throws {
        random = SeededGenerator(seed: seed)
        let description = try client.call("scenario.describe", #"["\#(scenario)"]"#)
        func list(_ json: JSON?) -> [JSON] { json?.elements ?? [] }
        events = list(description["events"]).map { event in
            (event["id"]?.text ?? "", list(event["args"]).map { $0["id"]?.text ?? "" })
        }
        bridges = list(description["bridges"]).map { ($0["id"]?.text ?? "", $0["kind"]?.text ?? "") }
        let inputs = list(description["bridges"]).flatMap { list($0["inputs"]).compactMap(\.text) }
        let fields = list(description["screens"]).flatMap { screen in
            list(screen["fields"]).compactMap { $0["key"]?.text }
        }
        keys = Set(inputs + fields).sorted()
    }

    /// What a host does to the views of a bridge.
    private mutating func engine(_ bridge: String) -> (method: String, params: String) {
        let flag = Bool.random(using: &random)
        let word = draw(["a", "b", "c", "\u{E9}"]) ?? "a"
        let of = #""bridge":"\#(bridge)""#
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return ("bridge.build", of)
        case 1: return ("bridge.assign", of + #","built":\#(flag)"#)
        case 2:
            let cause = draw(["repeat", "layout", "focus", "unrelated", "container"]) ?? "repeat"
            return ("bridge.update", of + #","cause":"\#(cause)""#)
        case 3: return ("bridge.identify", of + #","identity":"\#(word)""#)
        case 4: return ("bridge.rebind", of + #","owner":"\#(word)""#)
        case 5:
            let items = ["a", "b", "c", "d"].shuffled(using: &random).prefix(
                Int.random(in: 0...4, using: &random))
            let list = items.map { flag ? #""\#($0)""# : #"{"id":"\#($0)","value":"\#(word)"}"# }
            return ("bridge.items", of + #","items":[\#(list.joined(separator: ","))]"#)
        case 6: return ("bridge.dismiss", of)
        case 7: return ("environment.set", of + #","values":{"locale":"\#(word)","theme":null}"#)
        case 8: return ("environment.set", #""values":{"locale":"\#(word)"}"#)
        default:
            let name = draw(["window", "hidden", "size", "parked", "scene"]) ?? "window"
            let value = name == "scene" ? (flag ? #""active""# : #""inactive""#) : "\(flag)"
            return ("host.set", of + #","\#(name)":\#(value)"#)
        }
    }

    private mutating func draw<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &random) }

    /// A method and its params behind `"sim":…`. Some are refused: that changes nothing, the second time either.
    mutating func next() -> (method: String, params: String) {
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1:
            if let key = draw(keys) {
                let value = draw(["\"a\"", "\"\"", "null", "\"é\\u2028\\\"\"", "7", "\"b\""]) ?? "1"
                return ("model.set", #""values":{"\#(key)":\#(value)}"#)
            }
        case 2, 3, 4:
            if let event = draw(events) {
                let args = event.args.map { #""\#($0)":"\#(Int.random(in: 0...60, using: &random))""# }
                return ("sim.send", #""event":"\#(event.id)","args":{\#(args.joined(separator: ","))}"#)
            }
        case 5:
            if let bridge = draw(bridges) {
                let method = draw(["assign", "update", "mount", "unmount"]) ?? "update"
                return ("bridge.\(method)", #""bridge":"\#(bridge.id)""#)
            }
        case 6:
            if let bridge = draw(bridges) {
                return (
                    bridge.kind == "embed" ? "bridge.assign" : "bridge.update", #""bridge":"\#(bridge.id)""#
                )
            }
        case 7, 8:
            if let bridge = draw(bridges)?.id { return engine(bridge) }
        case 9:
            // What is looked at before the turn has settled is no input.
            if let key = draw(keys) {
                let after = draw(["event", "layout", "frame"]) ?? "event"
                return (
                    "model.set",
                    #""values":{"\#(key)":"c"},"interim":{"label":"l","after":"\#(after)"}"#
                )
            }
        default: break
        }
        return ("sim.advance", #""ms":\#(Int.random(in: 0...150, using: &random))"#)
    }
}

extension TestClient {
    /// What came of a request, refusals included, without what names the simulation.
    func outcome(_ method: String, _ sim: String, _ params: String) throws -> String {
        try sendLine(#"{"id":0,"method":"\#(method)","params":{"sim":"\#(sim)",\#(params)}}"#)
        return try nextReply().line.replacing("simulation \(sim) ", with: "simulation ? ")
    }
}
