import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Plugins/Counter: six ways for a press of the button to reach the label, and what becomes of each.
@Suite struct CounterTests {
    // MARK: As its script tells it

    struct Row: Sendable, CustomTestStringConvertible {
        var scenario: String
        /// Each check as "model|shown|verdict".
        var checks: [String]
        var finding: String?
        var testDescription: String { scenario }
    }

    private static let followed = ["Counter: 0|Counter: 0|matching", "Counter: 1|Counter: 1|matching"]
    static let table = [
        Row(scenario: "counter.observed", checks: followed),
        Row(
            scenario: "counter.copied", checks: ["Counter: 1|No counter|stale"],
            finding: "update-never-arrived"),
        Row(
            scenario: "counter.not-captured", checks: ["Counter: 1|No counter|stale"],
            finding: "update-never-arrived"),
        Row(scenario: "counter.notification", checks: followed),
        Row(scenario: "counter.environment", checks: followed),
        Row(scenario: "counter.controller", checks: followed),
    ]

    /// The findings are those of the whole run with its end: an observer left behind would be one.
    @Test("a scenario's own script has the result of the table", arguments: table)
    func script(_ row: Row) throws {
        let client = try Client()
        let result = try client.run(row.scenario)
        #expect(result.checks == row.checks)
        #expect(result.findings == (row.finding.map { [$0] } ?? []))
        #expect(result.areMet)
    }

    @Test("seam run prints them")
    func print() throws {
        let outcome = try run("seam", ["run", "counter.copied", "counter.controller"])
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.stdout == """
                copied | CounterHostingController.counter: model=Counter: 1 screen=No counter -> stale
                matching: 0
                stale: 1
                missing: 0
                leftover: 0
                controller-once | CounterHostingController.counter: model=Counter: 0 screen=Counter: 0 -> matching
                matching: 1
                stale: 0
                missing: 0
                leftover: 0
                controller-twice | CounterHostingController.counter: model=Counter: 1 screen=Counter: 1 -> matching
                matching: 1
                stale: 0
                missing: 0
                leftover: 0

                """)
        #expect(outcome.stderr.contains("update-never-arrived"))
    }

    @Test("everything is described before anything is created")
    func description() throws {
        let client = try Client()
        let ids = try client.call("scenario.list", "{}")["scenarios"]?.elements?.compactMap { $0["id"]?.text }
        #expect(ids?.filter { $0.hasPrefix("counter.") } == Self.table.map(\.scenario).sorted())
        for row in Self.table {
            let told = try client.call("scenario.describe", #"{"scenario":"\#(row.scenario)"}"#)
            #expect(told["screens"]?[0]?["id"]?.text == "CounterHostingController")
            #expect(told["screens"]?[0]?["fields"]?[0]?["key"]?.text == "counter")
            #expect(told["bridges"]?.elements?.count == 1)
            #expect(told["bridges"]?[0]?["id"]?.text == "host")
            let isObserved = ["counter.observed", "counter.environment", "counter.controller"]
                .contains(row.scenario)
            #expect(told["bridges"]?[0]?["observed"]?.boolean == isObserved, "\(row.scenario)")
            #expect(told["events"]?[0]?["id"]?.text == "increase")
            #expect((told["summary"]?.text ?? "").count > 100, "\(row.scenario) says too little of itself")
        }
    }

    // MARK: Driven by hand

    @Test("a new simulation stands at the start, and each press comes to one turn", arguments: table)
    func byHand(_ row: Row) throws {
        let client = try Client()
        let sim = try client.create(row.scenario)
        #expect(try client.field(sim) == "No counter|No counter|matching")
        let turn = try client.press(sim)["turn"]?.integer
        #expect(try client.press(sim)["turn"]?.integer == turn.map { $0 + 1 })
        #expect(try client.field(sim) == row.checks.last)
    }

    @Test("the count starts where the parameter says", arguments: table)
    func start(_ row: Row) throws {
        let client = try Client()
        let sim = try client.create(row.scenario, #","params":{"start":41}"#)
        #expect(try client.field(sim) == "Counter: 41|Counter: 41|matching")
        try client.press(sim)
        let isFollowed = row.finding == nil
        #expect(
            try client.field(sim)
                == "Counter: 42|Counter: \(isFollowed ? 42 : 41)|\(isFollowed ? "matching" : "stale")")
    }

    @Test(
        "a start that is no count is refused before anything is made",
        arguments: ["-1", "1000000001", "many", "1.5"])
    func badStart(_ start: String) throws {
        let refusal = try Client().connection.refusal(
            "sim.create", #"{"scenario":"counter.copied","params":{"start":"\#(start)"}}"#)
        #expect(refusal.code == -32602)
        #expect(refusal.message.contains("0 to 1000000000"))
    }

    @Test("a copy is repaired by assigning the root view, once")
    func assign() throws {
        let client = try Client()
        let sim = try client.create("counter.copied")
        try client.press(sim)
        try client.call("bridge.assign", #"{"sim":"\#(sim)","bridge":"host"}"#)
        #expect(try client.field(sim) == "Counter: 0|Counter: 0|matching")
        try client.press(sim)
        #expect(try client.field(sim) == "Counter: 1|Counter: 0|stale")
    }

    @Test("an observed view follows whoever writes the model, a copy nobody")
    func written() throws {
        let client = try Client()
        for (scenario, after) in [
            ("counter.observed", "Counter: 7|Counter: 7|matching"),
            ("counter.controller", "Counter: 7|Counter: 7|matching"),
            ("counter.copied", "Counter: 7|No counter|stale"),
        ] {
            let sim = try client.create(scenario)
            try client.call("model.set", #"{"sim":"\#(sim)","values":{"counter":"Counter: 7"}}"#)
            #expect(try client.field(sim) == after, "\(scenario)")
        }
    }

    @Test(
        "a press counts on from what the model says, and from nothing where that is no count",
        arguments: [
            (#""Counter: 7""#, "Counter: 8"), ("7", "Counter: 8"), (#""No counter""#, "Counter: 0"),
            ("null", "Counter: 0"), (#""""#, "Counter: 0"), (#""Counter: ""#, "Counter: 0"),
            (#""Counter: -1""#, "Counter: 0"), (#""many""#, "Counter: 0"), (#""0x10""#, "Counter: 0"),
            ("999999999999999999", "Counter: 1000000000000000000"), ("1000000000000000000", "Counter: 0"),
        ])
    func countedOn(_ written: String, after: String) throws {
        let client = try Client()
        let sim = try client.create("counter.observed")
        try client.call("model.set", #"{"sim":"\#(sim)","values":{"counter":\#(written)}}"#)
        try client.press(sim)
        #expect(try client.field(sim) == "\(after)|\(after)|matching")
    }

    // MARK: The segue

    @Test("a controller captured late gets the presses from then on; the lost ones stay lost")
    func capturedLate() throws {
        let client = try Client()
        let sim = try client.create("counter.not-captured")
        try client.press(sim)
        try client.press(sim)
        try client.send(sim, "prepare", #"{"segue":"embedCounter"}"#)
        try client.press(sim)
        #expect(try client.field(sim) == "Counter: 2|No counter|stale")
        try client.send(sim, "prepare")
        try client.press(sim)
        #expect(try client.field(sim) == "Counter: 3|Counter: 0|stale")
        // What arrived is behind, but it did arrive: the finding is gone.
        #expect(try client.findings(sim).isEmpty)
    }

    @Test(
        "either repair of not-captured works from the start",
        arguments: [#"{"segue":"counterSegue"}"#, #"{"holder":"shared"}"#])
    func captured(_ params: String) throws {
        let client = try Client()
        let result = try client.run("counter.not-captured", #","params":\#(params)"#)
        #expect(result.checks == ["Counter: 1|Counter: 1|matching"])
        #expect(!result.areMet, "the script expects the fault")
        #expect(result.findings.isEmpty)
    }

    @Test(
        "to send to an implicitly unwrapped nil stops the app, and says why",
        arguments: ["counter.observed", "counter.copied", "counter.controller"])
    func unwrapped(_ scenario: String) throws {
        let client = try Client()
        let sim = try client.create(scenario, #","params":{"segue":"embedCounter"}"#)
        try client.press(sim)
        let state = try client.call("sim.get", #"{"sim":"\#(sim)"}"#)
        #expect(state["status"]?.text == "failed")
        let refusal = try client.connection.refusal("sim.send", #"{"sim":"\#(sim)","event":"increase"}"#)
        #expect(refusal.code == -32005)
        #expect(refusal.json.encoded.contains("counterController is nil"))
        #expect(refusal.json.encoded.contains("counterSegue"))
        try client.call("sim.destroy", #"{"sim":"\#(sim)"}"#)
    }

    @Test("a controller that was captured stays so when another segue comes by")
    func otherSegue() throws {
        let client = try Client()
        let sim = try client.create("counter.observed")
        try client.send(sim, "prepare", #"{"segue":"showSettings"}"#)
        try client.press(sim)
        #expect(try client.field(sim) == "Counter: 0|Counter: 0|matching")
    }

    @Test("state that both sides reach needs no controller, and a copy of it is a copy all the same")
    func shared() throws {
        let client = try Client()
        for (scenario, after) in [
            ("counter.observed", "Counter: 0|Counter: 0|matching"),
            ("counter.copied", "Counter: 0|No counter|stale"),
        ] {
            let sim = try client.create(scenario, #","params":{"segue":"","holder":"shared"}"#)
            try client.press(sim)
            #expect(try client.field(sim) == after, "\(scenario)")
        }
    }

    // MARK: What the rejected ways cost

    @Test("an environment that nobody filled stops the body, and nothing is shown")
    func environment() throws {
        let client = try Client()
        let sim = try client.create("counter.environment", #","params":{"provided":false}"#)
        #expect(try client.field(sim) == "No counter|none|missing")
        let result = try client.run("counter.environment", #","params":{"provided":false}"#)
        #expect(result.checks.last == "Counter: 1|none|missing")
        #expect(result.findings.contains("plugin-failed"))
        #expect(result.texts.contains { $0.contains("environmentObject(_:)") })
    }

    @Test("an observer that outlives its view is found out, and harms nobody")
    func observerLeft() throws {
        let client = try Client()
        let sim = try client.create("counter.notification")
        try client.call("bridge.unmount", #"{"sim":"\#(sim)","bridge":"host"}"#)
        try client.connection.call("sub.open", #"{"sim":"\#(sim)","start":"now"}"#)
        try client.press(sim)
        let finding = try #require(try client.connection.events(through: "diagnostic").last)
        #expect(finding.params?["code"]?.text == "callback-after-dismantle")
        #expect(try client.call("sim.get", #"{"sim":"\#(sim)"}"#)["status"]?.text == "running")
    }

    // MARK: The library

    @Test("it exports its entry and nothing else")
    func exports() throws {
        #expect(try exported(by: Products.path("libCounter.so")) == ["seam_plugin_entry"])
    }

    @Test("gcc and the header alone build it, and it works")
    func gcc() throws {
        let folder = try TemporaryFolder()
        let library = try build(folder, "libGcc.so")
        #expect(try exported(by: library) == ["seam_plugin_entry"])
        let client = try Client(["--plugin", library])
        let told = try client.call("scenario.describe", #"{"scenario":"counter.copied"}"#)
        #expect(told["plugin"]?["file"]?.text == library)
        #expect(try client.run("counter.copied").checks == ["Counter: 1|No counter|stale"])
    }

    @Test(
        "no memory error and no leak, whatever end a simulation takes",
        .enabled("gcc's leak sanitizer is not at work here, or seamd has one of its own") { Leaks.canBeFound }
    )
    func memory() throws {
        let folder = try TemporaryFolder()
        func report(_ library: String) throws -> String {
            let daemon = try SeamProcess(
                ["--plugin", library],
                environment: ["LD_PRELOAD": Leaks.library, "ASAN_OPTIONS": "exitcode=0"])
            let client = try Client(daemon)
            for row in Self.table {
                _ = try client.run(row.scenario)
                let left = try client.create(row.scenario)
                try client.press(left)
                let gone = try client.create(row.scenario)
                try client.call("bridge.unmount", #"{"sim":"\#(gone)","bridge":"host"}"#)
                try client.press(gone)
                try client.call("sim.destroy", #"{"sim":"\#(gone)"}"#)
            }
            let failed = try client.create("counter.observed", #","params":{"segue":""}"#)
            try client.press(failed)
            try daemon.stop()
            return daemon.stderr
        }
        let flags = ["-g", "-fsanitize=address,undefined"]
        #expect(!(try report(try build(folder, "libAsan.so", flags))).contains("counter.c"))

        // That this finds anything at all: the same without its free.
        let source = try String(
            contentsOfFile: "\(Checkout.path("Plugins/Counter"))/counter.c", encoding: .utf8)
        #expect(source.contains("    free(self);\n"))
        let leaky = try folder.write(source.replacing("    free(self);\n", with: ""), to: "counter.c")
        let planted = try build(folder, "libLeaky.so", flags, instead: leaky)
        #expect(try report(planted).contains("counter.c"))
    }

    private func build(
        _ folder: TemporaryFolder, _ name: String, _ flags: [String] = [], instead counter: String? = nil
    ) throws -> String {
        let sources = Checkout.path("Plugins/Counter")
        let library = "\(folder.path)/\(name)"
        try compile(
            "gcc",
            [
                "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC",
                "-fvisibility=hidden",
            ]
                + ["-I\(Checkout.header)", "-I\(sources)"] + flags
                + [
                    counter ?? "\(sources)/counter.c", "\(sources)/ways.c", "\(sources)/scenarios.c", "-o",
                    library,
                ])
        return library
    }
}

/// A connection that asks for counters.
private struct Client {
    let daemon: SeamProcess
    let connection: TestClient

    init(_ arguments: [String] = []) throws { try self.init(try SeamProcess(arguments)) }

    init(_ daemon: SeamProcess) throws {
        self.daemon = daemon
        connection = try daemon.connect()
    }

    @discardableResult
    func call(_ method: String, _ params: String) throws -> JSON { try connection.call(method, params) }

    func create(_ scenario: String, _ more: String = "") throws -> String {
        try #require(try call("sim.create", #"{"scenario":"\#(scenario)"\#(more)}"#)["sim"]?.text)
    }

    @discardableResult
    func send(_ sim: String, _ event: String, _ args: String = "{}") throws -> JSON {
        try call("sim.send", #"{"sim":"\#(sim)","event":"\#(event)","args":\#(args)}"#)
    }

    @discardableResult
    func press(_ sim: String) throws -> JSON { try send(sim, "increase") }

    /// The only field, as "model|shown|verdict".
    func field(_ sim: String) throws -> String {
        let fields = try call("sim.get", #"{"sim":"\#(sim)"}"#)["fields"]?.elements ?? []
        try #require(fields.count == 1)
        return Self.words(fields[0])
    }

    func findings(_ sim: String) throws -> [String] {
        try call("sim.check", #"{"sim":"\#(sim)"}"#)["diagnostics"]?.elements?.compactMap { $0["code"]?.text }
            ?? []
    }

    func run(
        _ scenario: String, _ more: String = ""
    ) throws -> (checks: [String], findings: [String], texts: [String], areMet: Bool) {
        let result = try call("sim.run", #"{"scenario":"\#(scenario)"\#(more)}"#)
        let checks = try #require(result["checks"]?.elements)
        let found =
            checks.flatMap { $0["diagnostics"]?.elements ?? [] } + (result["diagnostics"]?.elements ?? [])
        return (
            checks.flatMap { $0["fields"]?.elements ?? [] }.map(Self.words),
            found.compactMap { $0["code"]?.text },
            found.compactMap { $0["text"]?.text }, checks.allSatisfy { $0["met"]?.boolean == true }
        )
    }

    private static func words(_ field: JSON) -> String {
        ["model", "shown", "verdict"].map { field[$0]?.text ?? "none" }.joined(separator: "|")
    }
}

/// Whether a leak in a plug-in would show.
private enum Leaks {
    /// To be loaded before seamd, which is not built for it.
    static let library =
        (try? run("gcc", ["-print-file-name=libasan.so"]).stdout)
        .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""

    static let canBeFound: Bool = {
        // Two sanitizers in one process do not go together.
        guard let seamd = FileManager.default.contents(atPath: Products.path("seamd")),
            !["__asan_init", "__tsan_init"].contains(where: { seamd.range(of: Data($0.utf8)) != nil }),
            let folder = try? TemporaryFolder()
        else { return false }
        let program =
            "#include <stdlib.h>\nchar *volatile kept;\nint main(void) { kept = malloc(9); kept = 0; return 0; }"
        guard let source = try? folder.write(program, to: "leak.c"),
            let built = try? run("gcc", ["-fsanitize=address", source, "-o", "\(folder.path)/leak"]),
            built.code == 0, let outcome = try? run("\(folder.path)/leak")
        else { return false }
        return outcome.code != 0 && outcome.stderr.contains("LeakSanitizer: detected memory leaks")
    }()
}
