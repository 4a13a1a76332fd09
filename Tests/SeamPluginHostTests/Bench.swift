import Foundation
import SeamKernel
@testable import SeamPluginHost
import SeamTestSupport
import Testing

/// Everything here shares one process-wide main-thread flag and inbox, so the suites take turns.
@Suite(.serialized) enum PluginHost {}

/// The thread that plays the host for the length of a test: tests are synchronous, so it stays the same one.
/// Their suites are on the main actor, since a closure in a Swift plug-in asks for it.
func asHost<Result>(_ body: () throws -> Result) rethrows -> Result {
    // The main queue of a test process is run by another thread: what threads hand over is delivered by hand.
    Inbox.shared.wake = {}
    MainThread.claim()
    defer {
        for simulation in opened { _ = simulation.destroy() }
        opened.removeAll()
        MainThread.release()
    }
    return try body()
}

/// What a test has started: destroyed after it, as a daemon would, for a plug-in to give its memory back.
nonisolated(unsafe) var opened: [Simulation] = []  // the suites take turns

/// Compiles the C plug-in of this folder the way its author would: gcc and the header.
final class Workshop {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    static let header = URL(fileURLWithPath: here).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/CSeamABI/include").path

    /// The plug-in under this name, which says what is wrong with it.
    /// - Parameter flags: for the compiler; without any, one build serves for all names.
    func plugin(_ name: String = "plugin", _ flags: String...) throws -> String {
        let file = "\(folder.path)/lib\(name).so"
        if flags.isEmpty {
            try? FileManager.default.removeItem(atPath: file)
            try FileManager.default.copyItem(atPath: Workshop.common.get(), toPath: file)
        } else {
            try Workshop.compile(to: file, flags)
        }
        return file
    }

    private static let shared = Result { try TemporaryFolder() }
    private static let common = Result {
        let file = try "\(shared.get().path)/common.so"
        try compile(to: file, [])
        return file
    }

    private static func compile(to file: String, _ flags: [String]) throws {
        try run(
            "gcc",
            ["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-I\(header)"] + flags
                + ["\(here)/BadPlugins/plugin.c", "-o", file])
    }

    /// Runs a compiler; it has to say nothing and succeed.
    static func run(_ tool: String, _ arguments: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        let said = Pipe()
        let asked = Pipe()
        process.standardError = said
        process.standardInput = asked
        try process.run()
        asked.fileHandleForWriting.write(Data(input.utf8))
        try asked.fileHandleForWriting.close()
        let words = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0 && words.isEmpty, "\(tool) \(arguments): \(words)")
    }
}

/// A catalogue of some files, and what it logged and was posted.
final class Desk {
    let hooks = PluginHooks()
    let catalogue: PluginCatalogue
    var lines: [String] = []
    var posts: [UInt64] = []

    init(_ files: [String] = [], folders: [String] = [], own: String? = nil) {
        catalogue = PluginCatalogue(
            sources: .init(files: files, folders: folders, ownFolder: own), hooks: hooks, hostVersion: "test")
        hooks.log = { [unowned self] in lines.append("\($0?.id ?? "-") \($1) \($2)") }
        hooks.post = { [unowned self] in posts.append($1) }
    }

    /// Why the files named can't be used.
    func refusal() -> String? {
        do {
            try catalogue.openNamedFiles()
            return nil
        } catch {
            return error.reason
        }
    }

    /// A started simulation.
    func simulation(
        _ id: String, parameters: [String: String] = [:], policies: [(String, String)] = []
    ) throws -> (Simulation, Turn) {
        let scenario = try #require(catalogue.entry(id)).scenario
        let simulation = Simulation(
            id: "s1", scenario: scenario,
            settings: Simulation.Settings(policies: policies.map { (name: $0.0, value: $0.1) }),
            body: catalogue.makeBody(id))
        opened.append(simulation)
        let turn = try simulation.start(
            parameters: scenario.parameters.map { parameters[$0.id] ?? $0.initial })
        return (simulation, turn)
    }
}

extension Simulation {
    /// Plays the scenario's own script; each check becomes its lines, then its counts.
    func play() throws -> (lines: [String], findings: [String], isMet: Bool) {
        var lines: [String] = []
        var findings: [String] = []
        var isMet = true
        for step in scenario.script {
            switch step {
            case .advance(let length): try advance(to: nanoseconds + length) { note($0, &findings) }
            case .check(let label):
                if step.interimLabel != nil { continue }
                var counts: [Verdict: Int] = [:]
                for check in scenario.checks where check.label == label {
                    let fields = check.keys.compactMap { field(screen: check.screen, key: $0) }
                    for (position, id) in fields.enumerated() {
                        let view = field(id)
                        counts[view.verdict, default: 0] += 1
                        lines.append(
                            "\(label) | \(view.screen).\(view.key): model=\(view.model ?? "-") "
                                + "screen=\(view.shown ?? "-") -> \(view.verdict.word)")
                        if let expected = check.expected, expected[position] != view.verdict { isMet = false }
                    }
                    findings += self.check(fields).map(\.code)
                }
                for verdict in [Verdict.matching, .stale, .missing, .leftover] {
                    lines.append("\(verdict.word): \(counts[verdict] ?? 0)")
                }
            default:
                let event = try #require(step.event { _ in nil })
                note(try apply(event), &findings)
            }
        }
        return (lines, findings, isMet)
    }

    private func note(_ turn: Turn, _ findings: inout [String]) { findings += turn.diagnostics.map(\.code) }

    /// What the field shows.
    func shown(_ screen: String, _ key: String) -> String? {
        self.screen(named: screen).flatMap { field(screen: $0, key: key) }.flatMap { field($0).shown }
    }

    /// Sends the C plug-in's event "do".
    func act(_ what: String) throws -> Turn { try apply(.send(0, arguments: [what], mount: nil)) }
}

extension Turn {
    var said: [String] { diagnostics.map { "\($0.code): \($0.text)" } }
}
