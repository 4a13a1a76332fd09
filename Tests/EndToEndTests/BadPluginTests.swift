import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The plug-in of Tests/SeamPluginHostTests/BadPlugins, built once. Under the name of a fault it has that fault.
struct PlainPlugin {
    private static let built = Result { () throws -> (folder: TemporaryFolder, file: String) in
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/plugin.so"
        try compile(
            "gcc",
            [
                "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-I\(Checkout.header)",
                Checkout.path("Tests/SeamPluginHostTests/BadPlugins/plugin.c"), "-o", file,
            ])
        return (folder, file)
    }

    let folder: TemporaryFolder
    let file: String

    init(_ fault: String = "plugin") throws {
        folder = try TemporaryFolder()
        file = "\(folder.path)/lib\(fault).so"
        try FileManager.default.copyItem(atPath: Self.built.get().file, toPath: file)
    }

    /// What the plug-in of the simulation `p` shows after it has done this.
    func answer(_ client: TestClient, to what: String) throws -> String? {
        try client.call("sim.send", #"{"sim":"p","event":"do","args":{"what":"\#(what)"}}"#)
        let fields = try client.call("sim.get", #"{"sim":"p","screen":"Strip"}"#)["fields"]?.elements ?? []
        return fields.first { $0["field"]?.text == "status" }?["shown"]?.text
    }
}

/// What a plug-in can do to the daemon, and what becomes of it.
@Suite struct BadPluginTests {
    // MARK: Crashes

    @Test("a plug-in that crashes takes the daemon with it, and is named: file, scenario, callback, turn")
    func crash() throws {
        let plain = try PlainPlugin("update_crashes")
        let daemon = try SeamProcess(["--plugin", plain.file])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"plain.second","id":"p"}"#)
        #expect(try plain.answer(client, to: "nothing") == "0")
        try client.sendLine(#"{"id":1,"method":"model.set","params":{"sim":"p","values":{"count":"9"}}}"#)
        let outcome = try daemon.process.outcome()
        #expect(outcome.ending == .signal(SIGSEGV))
        #expect(
            outcome.stderr.contains(
                """
                seamd: SIGSEGV inside a plug-in
                  plug-in:  \(plain.file)
                  scenario: plain.second
                  callback: update
                  turn:     3

                """), "\(outcome.stderr)")
        // Nobody is left waiting.
        #expect(throws: (any Error).self) { try client.nextReply() }
    }

    @Test(
        "so is one that ends the process",
        arguments: [("abort", Ending.signal(SIGABRT)), ("exit", .exit(70))])
    func ends(_ what: String, _ ending: Ending) throws {
        let plain = try PlainPlugin()
        let daemon = try SeamProcess(["--plugin", plain.file])
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        try client.sendLine(
            #"{"id":1,"method":"sim.send","params":{"sim":"p","event":"do","args":{"what":"\#(what)"}}}"#)
        let outcome = try daemon.process.outcome()
        #expect(outcome.ending == ending)
        #expect(
            outcome.stderr.contains("  scenario: plain.first\n  callback: event\n  turn:     2\n"),
            "\(outcome.stderr)")
    }

    // MARK: Errors

    @Test("a create that says no is an error for whoever asked, and leaves nothing behind")
    func createFails() throws {
        let plain = try PlainPlugin("create_fails")
        let client = try SeamProcess(["--plugin", plain.file]).connect()
        for method in ["sim.create", "sim.run"] {
            let refusal = try client.refusal(method, #"{"scenario":"plain.first","id":"p"}"#)
            #expect(refusal.code == -32005 && refusal.kind == "plugin-failed", "\(refusal)")
            #expect(
                refusal.json["data"]?["text"]?.text?.contains("no room for one more") == true, "\(refusal)")
        }
        #expect(try client.call("sim.list")["sims"]?.elements?.isEmpty == true)
        try client.call("sim.create", #"{"scenario":"live","id":"p"}"#)
    }

    @Test("a start that says no leaves a simulation that has failed: it can be read and destroyed")
    func startFails() throws {
        let plain = try PlainPlugin("start_fails")
        let client = try SeamProcess(["--plugin", plain.file]).connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        #expect(try client.call("sim.get", #"{"sim":"p"}"#)["status"]?.text == "failed")
        try client.call("sub.open")
        let named = try client.events(through: "sync").filter { $0.kind == "sim" }
        #expect(named.map { $0.params?["status"] } == ["failed"])
        let refusal = try client.refusal("model.set", #"{"sim":"p","values":{"count":"4"}}"#)
        #expect(refusal.code == -32005, "\(refusal)")
        #expect(
            refusal.json["data"]?["text"]?.text?.contains("the model can't be read") == true, "\(refusal)")
        try client.call("sim.destroy", #"{"sim":"p"}"#)
        #expect(try client.call("sim.list")["sims"]?.elements?.isEmpty == true)
    }

    @Test("a field that was not declared, a mount that is not there: told, and nothing happens")
    func breaches() throws {
        let plain = try PlainPlugin()
        let client = try SeamProcess(["--plugin", plain.file]).connect()
        try client.call("sim.create", #"{"scenario":"plain.first","id":"p"}"#)
        try client.call("sub.open", #"{"sim":"p","start":"now"}"#)
        for (what, said) in [
            ("undeclared-field", #"screen Strip declares no field "colour""#),
            ("unknown-mount", "there is no mount 99"),
            ("not-utf8", "missing (NULL) or not UTF-8"),
        ] {
            #expect(try plain.answer(client, to: what) == "-1")
            let finding = try #require(try client.events(through: "diagnostic").last?.params)
            #expect(finding["code"]?.text == "plugin-misbehaving")
            #expect(finding["text"]?.text?.contains(said) == true, "\(finding.encoded)")
        }
    }

    // MARK: Files

    @Test(
        "a --plugin that can't be loaded ends the start with one line that says why",
        arguments: [
            ("nothing", "it can't be found"), ("text", "it can't be opened as a shared library"),
            ("bare", "it exports no seam_plugin_entry, so it is no plug-in"),
            ("major", "it is built for ABI major 2, this seamd works with major 1"),
            ("size", "its seam_plugin_v1 has 200 bytes, expected 104"),
        ])
    func named(_ fault: String, _ said: String) throws {
        let plain = try PlainPlugin(fault)
        switch fault {
        case "nothing": try FileManager.default.removeItem(atPath: plain.file)
        case "text": try plain.folder.write("hello\n", to: "libtext.so")
        case "bare": try compile("gcc", ["-shared", "-x", "c", "/dev/null", "-o", plain.file])
        default: break
        }
        let outcome = try run(
            "seamd", ["--socket", "\(plain.folder.path)/seam.sock", "--plugin", plain.file])
        #expect(outcome.code == 1, "\(outcome)")
        let lines = outcome.stderr.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.stderr)")
        #expect(
            lines.first.map { $0.contains(plain.file) && $0.contains(said) } == true, "\(outcome.stderr)")
        #expect(!FileManager.default.fileExists(atPath: "\(plain.folder.path)/seam.sock"))
    }

    @Test("a bad file in a --plugin-dir is listed with its reason, and the rest serves")
    func folder() throws {
        let plain = try PlainPlugin()
        let bad = "\(plain.folder.path)/libmajor.so"
        try FileManager.default.copyItem(atPath: plain.file, toPath: bad)
        let daemon = try SeamProcess(["--plugin-dir", plain.folder.path])
        let client = try daemon.connect()
        let list = try client.call("scenario.list")
        let failed = try #require(list["failed"]?.elements)
        #expect(failed.map { $0["file"]?.text } == [bad])
        #expect(failed.first?["reason"]?.text?.contains("ABI major 2") == true)
        try daemon.process.errorLine(containing: bad)
        let ids = list["scenarios"]?.elements?.compactMap { $0["id"]?.text } ?? []
        #expect(ids.contains("plain.first") && ids.contains("lessons.own-state"))
        let result = try client.call("sim.run", #"{"scenario":"plain.first"}"#)
        #expect(result["checks"]?[0]?["met"]?.boolean == true)
    }
}
