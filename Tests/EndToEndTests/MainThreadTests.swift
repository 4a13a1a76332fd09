import SeamTestSupport
import SeamWire
import Testing

/// Whatever a plug-in does is done on the daemon's one main thread, and the daemon holds it to that. The plug-ins
/// look for themselves: the number of the thread they run on is that of the process, or it is not.
@Suite struct MainThreadTests {
    // MARK: Callbacks

    @Test("each callback runs on the main thread, in the first turn as after many")
    func callbacks() throws {
        let plain = try PlainPlugin()
        let client = try SeamProcess(["--plugin", plain.file]).connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        for _ in 0..<3 {
            // start, make, update and draw have run before the first event, which asks; then update and edit again.
            #expect(try plain.answer(client, to: "main-thread") == "0")
            try client.call("model.set", #"{"sim":"p","values":{"count":"4"}}"#)
            try client.call("bridge.assign", #"{"sim":"p","bridge":"strip"}"#)
            try client.call("bridge.update", #"{"sim":"p","bridge":"list"}"#)
            try client.call("sim.send", #"{"sim":"p","event":"edit","args":{"what":"5"}}"#)
        }
    }

    // MARK: Tasks, await, blocks

    /// Tasks.swift is in Swift and on the header alone, for the SDK not to be what keeps it on the right thread.
    private static let tasks = Result { () throws -> (folder: TemporaryFolder, file: String) in
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/libTasks.so"
        try compile(
            "swiftc",
            [
                "-swift-version", "6", "-emit-library", "-import-objc-header",
                "\(Checkout.header)/seam_plugin.h",
                Checkout.path("Tests/SeamPluginHostTests/BadPlugins/Tasks.swift"), "-o", file,
            ])
        return (folder, file)
    }

    /// A simulation of this scenario, watched from its start, and told to go.
    /// - Returns: the reply to the event.
    private func go(_ scenario: String) throws -> (client: TestClient, reply: JSON) {
        let client = try SeamProcess(["--plugin", Self.tasks.get().file]).connect()
        try client.call("sim.create", #"{"scenario":"\#(scenario)","id":"t"}"#)
        try client.call("sub.open", #"{"sim":"t","mode":"all","start":"now"}"#)
        return (client, try client.call("sim.send", #"{"sim":"t","event":"go"}"#))
    }

    /// What each piece of work wrote down: its thread, and what the host answered to a write. The piece that comes
    /// last is awaited.
    private func pieces(_ client: TestClient) throws -> (found: [String: String], lines: [TestClient.Message])
    {
        let lines = try client.events {
            $0.kind == "verdict" && $0.params?["field"]?.text == "resumed"
        }
        var found: [String: String] = [:]
        for line in lines where line.kind == "verdict" {
            guard let params = line.params, let field = params["field"]?.text else { continue }
            found[field] = params["shown"]?.text
        }
        return (found, lines)
    }

    @Test(
        "a task, what follows its await, and a block run on the main thread too; between turns they may post")
    func late() throws {
        let (client, reply) = try go("tasks.late")
        let (found, lines) = try pieces(client)
        // Each of them posted, or its tick would not have shown it.
        #expect(
            found.filter { $0.key != "k" } == [
                "callback": "main 0", "block": "main -2", "task": "main -2", "resumed": "main -2",
            ])
        let written = lines.filter { $0.params?["field"]?.text == "k" }
        #expect(written.map { $0.params?["model"]?.text } == ["callback"])
        #expect(written.first?.params?["turn"]?.integer == reply["turn"]?.integer)
        let findings = lines.filter { $0.kind == "diagnostic" }
        #expect(findings.count == 3)
        for finding in findings {
            #expect(finding.params?["code"]?.text == "plugin-misbehaving")
            #expect(finding.params?["severity"]?.text == "error")
            let text = finding.params?["text"]?.text ?? ""
            #expect(text.contains("model_set was called between two turns"), "\(text)")
        }
        #expect(reply["diagnostics"]?.integer == 0)
        #expect(try client.call("sim.get", #"{"sim":"t"}"#)["status"]?.text == "running")
    }

    @Test("a scenario that has its main-queue work in its turns may call the host from there")
    func turn() throws {
        let (client, reply) = try go("tasks.turn")
        let (found, lines) = try pieces(client)
        #expect(found["callback"] == "main 0" && found["block"] == "main 0" && found["task"] == "main 0")
        // A yield passes through another thread, so what follows it comes back in time for this turn, or for that of
        // a tick, or between turns; then it is told like anything else there.
        #expect(["main 0", "main -2"].contains(found["resumed"]))
        #expect(lines.count { $0.kind == "diagnostic" } == (found["resumed"] == "main 0" ? 0 : 1))
        // One change in the one turn: what the callback and the block had written was no longer there when it
        // settled.
        let written = lines.filter {
            $0.params?["field"]?.text == "k" && $0.params?["turn"]?.integer == reply["turn"]?.integer
        }
        #expect(written.count == 1)
        #expect(["task", "resumed"].contains(written.first?.params?["model"]?.text))
    }

    @Test("a SeamKit task goes on in the turn that it waited for, and ends with its simulation")
    func waiting() throws {
        let daemon = try SeamProcess()
        let client = try daemon.connect()
        for round in 0..<20 {
            try client.call("sim.create", #"{"scenario":"coordinator.task","id":"t"}"#)
            try client.call("sim.advance", #"{"sim":"t","ms":199}"#)
            if round % 2 == 0 {
                let turn = try client.call("sim.advance", #"{"sim":"t","ms":1}"#)
                #expect(turn["changes"]?.integer == 1 && turn["diagnostics"]?.integer == 0, "\(turn.encoded)")
                let field = try client.call("sim.get", #"{"sim":"t"}"#)["fields"]?[0]
                #expect(field?["shown"]?.text == "Dear Ada, yours sincerely")
            }
            try client.call("sim.destroy", #"{"sim":"t"}"#)
        }
        #expect(try daemon.stop() == .exit(0))
        // Swift would complain here of a continuation that nobody resumed.
        #expect(daemon.stderr.isEmpty, "\(daemon.stderr)")
    }

    @Test("log and post are open to every thread, and their ticks come back on the main one")
    func otherThread() throws {
        let plain = try PlainPlugin()
        let daemon = try SeamProcess(["--log-level", "info", "--plugin", plain.file])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        try client.call("sub.open", #"{"sim":"p","mode":"all","match":["Strip.status"],"start":"now"}"#)
        try client.call("sim.send", #"{"sim":"p","event":"do","args":{"what":"thread-post"}}"#)
        let shown = try client.events { $0.params?["shown"]?.text == "tick 77" }
            .compactMap { $0.params?["shown"]?.text }
        #expect(shown == ["0", "tick 77"])
        try daemon.process.errorLine(containing: "a line from a thread")
        #expect(try plain.answer(client, to: "main-thread") == "0")

        // Anything else from there does nothing, and is told in a turn of its own.
        #expect(try plain.answer(client, to: "thread") == "-3")
        let finding = try #require(try client.events(through: "diagnostic").last?.params)
        #expect(finding["code"]?.text == "plugin-misbehaving")
        #expect(finding["text"]?.text?.contains("off the main thread") == true)
        let fields = try client.call("sim.get", #"{"sim":"p"}"#)["fields"]?.elements ?? []
        #expect(fields.first { $0["field"]?.text == "count" }?["model"]?.text == "3")
        #expect(try plain.answer(client, to: "nothing") == "0")
    }
}
