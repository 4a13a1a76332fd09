import CSeamABI
import Foundation
import SeamKernel
import SeamKit
@testable import SeamPluginHost
import Testing

/// A screen scenario in a simulation, with the real host and no daemon: a synchronous test on the main actor is the
/// host's one thread for as long as it lasts.
@MainActor
final class Running {
    let simulation: Simulation
    let start: Turn
    private let hooks = PluginHooks()
    private var posts: [UInt64] = []
    private var now: Int64 = 0

    /// - Parameter index: which of the plug-in's scenarios.
    init(
        _ plugin: Plugin, _ index: Int = 0, parameters: [String?] = [],
        policies: [(name: String, value: String)] = []
    ) throws {
        Inbox.shared.wake = {}
        MainThread.claim()
        var offer = seam_offer_v1(
            magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_offer_v1>.size), abi_min: 1, abi_max: 1,
            host_name: nil, host_version: nil, library_path: nil, self: nil,
            explain: { _, why in
                Issue.record(
                    "\(String(decoding: UnsafeRawBufferPointer(start: why.ptr, count: why.len), as: UTF8.self))"
                )
            })
        let answer = try #require(plugin.answer(&offer))
        let descriptor: Descriptor
        do { descriptor = try Descriptor(answer, path: PathText.of("/test/kit"), file: "/test/kit") } catch {
            Issue.record("\(error.text)")
            throw error
        }
        let table = descriptor.scenarios[index]
        simulation = Simulation(
            id: "s", scenario: table.scenario, settings: Simulation.Settings(policies: policies),
            body: PluginInstance(table: table, hooks: hooks))
        simulation.recordsCalls = true
        start = try simulation.start(parameters: parameters)
    }

    /// The end, with its findings.
    @discardableResult
    func end() -> [String] {
        let codes = simulation.destroy().diagnostics.map(\.code)
        MainThread.release()
        return codes
    }

    /// No further call: what is left of it runs by itself.
    func leave() { MainThread.release() }

    // MARK: What happens

    func set(_ key: String, _ value: String?) throws -> Turn {
        try simulation.apply(.modelWrite([(key, value)]))
    }

    func send(_ event: String, _ arguments: [String: String] = [:]) throws -> Turn {
        let index = try #require(
            simulation.scenario.events.firstIndex { $0.id == event },
            "there is no event \(event) but \(simulation.scenario.events.map(\.id))")
        let given = simulation.scenario.events[index].arguments.map { arguments[$0.id] ?? $0.initial }
        return try simulation.apply(.send(index, arguments: given, mount: nil))
    }

    func tap(_ control: String) throws -> Turn { try send("tap", ["control": control]) }

    /// The clock of the simulation goes on, with a turn for each thing that is due.
    func advance(milliseconds: Int) throws -> [Turn] {
        var turns: [Turn] = []
        now += Int64(milliseconds) * 1_000_000
        try simulation.advance(to: now) { turns.append($0) }
        return turns
    }

    /// What other threads have asked for, each in a turn of its own.
    func deliverPosts() throws -> [Turn] {
        hooks.post = { [weak self] _, token in self?.posts.append(token) }
        Inbox.shared.deliver()
        defer { posts = [] }
        return try posts.map { try simulation.apply(.tick($0)) }
    }

    // MARK: What came of it

    func shown(_ key: String, on screen: String? = nil) -> String? { field(key, on: screen)?.shown }
    func model(_ key: String) -> String? { field(key)?.model }
    func verdict(_ key: String, on screen: String? = nil) -> SeamKernel.Verdict? {
        field(key, on: screen)?.verdict
    }

    /// What a check of the field says of it.
    func findings(_ key: String) -> [String] {
        let ids = (0..<simulation.fieldCount).filter { simulation.field($0).key == key }
        return simulation.check(ids).map(\.code)
    }

    private func field(_ key: String, on screen: String? = nil) -> FieldView? {
        (0..<simulation.fieldCount).map(simulation.field)
            .first { $0.key == key && (screen == nil || $0.screen == screen) }
    }

    var fields: [String] { (0..<simulation.fieldCount).map { simulation.field($0).key } }
}

extension Turn {
    var codes: [String] { diagnostics.map(\.code) }
    /// The calls of bodies as "update input".
    var bodies: [String] {
        calls.filter { $0.bridge != nil }.map { "\($0.kind.word)" + ($0.cause.map { " \($0.word)" } ?? "") }
    }
}
