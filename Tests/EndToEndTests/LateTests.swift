import SeamTestSupport
import SeamWire
import Testing

/// Late work in code as it stands: the main queue and the start of a task belong to the turn; what waits for the clock of
/// the machine has turns of its own.
@Suite struct LateTests {
    @Test(
        "asyncAfter and Task.sleep: a turn for each piece, and the simulation is told of as not deterministic, once"
    )
    func realTime() throws {
        let daemon = try SeamProcess()
        let client = try TestClient(path: daemon.socket, of: daemon)
        try client.call("sim.create", #"{"scenario":"pasted.late","id":"late","clock":"real"}"#)
        _ = try client.call("sub.open", #"{"sim":"late","start":"now"}"#)

        func calls(from turn: Int) throws -> [JSON] {
            try client.call("sim.trace", #"{"sim":"late","from":\#(turn)}"#)["records"]?.elements ?? []
        }
        func fields(_ turn: Int, _ call: String) throws -> [String] {
            try calls(from: turn).filter { $0["turn"]?.integer == turn && $0["call"]?.text == call }
                .flatMap { $0["wrote"]?.elements?.compactMap(\.text) ?? [] }
        }
        #expect(try fields(1, "main-queue") == ["LateController.queueLabel", "LateController.taskLabel"])

        let sent = try client.call("sim.send", #"{"sim":"late","event":"wait"}"#)
        let turn = try #require(sent["turn"]?.integer)
        // The two pieces come when the machine's clock says so; each is waited for.
        var codes: [String] = []
        var changed: [String] = []
        while changed.count < 2 {
            let event = try client.nextEvent()
            if event.kind == "diagnostic" { codes.append(event.params?["code"]?.text ?? "") }
            if event.kind == "verdict" { changed.append(event.params?["field"]?.text ?? "") }
        }
        #expect(changed == ["timedLabel", "sleptLabel"])
        #expect(codes == ["real-time"], "told once, in the first of them")
        for (offset, field) in ["timedLabel", "sleptLabel"].enumerated() {
            #expect(try fields(turn + 1 + offset, "tick") == ["LateController.\(field)"])
            let post = try calls(from: turn).filter { $0["turn"]?.integer == turn + 1 + offset }
            #expect(post.first?["call"]?.text == "post")
        }
    }
}
