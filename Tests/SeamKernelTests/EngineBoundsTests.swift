import Foundation
import SeamKernel
import Testing

/// A wrapping whose control shows what its item is.
private func list(
    policies: [(name: String, value: String)] = [], limit: Int = .max
) throws -> (Simulation, ScriptedBody) {
    let body = ScriptedBody()
    body.onStart = { simulation in
        var mount: MountID = 0
        _ = simulation.mount(0, &mount)
        return .ok
    }
    let simulation = Simulation(
        id: "s", scenario: scenario(.wrap, fields: ["text"]), settings: .init(policies: policies), body: body)
    simulation.mountLimit = limit
    _ = try simulation.started()
    body.log = []
    return (simulation, body)
}

extension Simulation {
    /// The limit of mounts that refuses the event; none when it is taken, or refused for another reason.
    fileprivate func limitMet(by event: Event) -> Int? {
        do throws(Refusal) {
            _ = try apply(event)
            return nil
        } catch {
            if case .tooManyMounts(let limit) = error { return limit }
            return nil
        }
    }

    fileprivate func owners() -> [String] {
        mounts(of: 0).compactMap { mount($0) }.map { "\($0.id)\($0.owner.map { ":\($0)" } ?? "")" }
    }
}

@Suite struct EngineBoundsTests {
    @Test func `a custom bridge has neither update nor draw, whatever happens to it`() throws {
        let body = ScriptedBody()
        let simulation = Simulation(id: "s", scenario: scenario(.custom, fields: ["text"]), body: body)
        _ = try simulation.started()
        _ = try simulation.apply(.mount(0))
        for cause in Cause.allCases {
            #expect(throws: Refusal.self) { try simulation.apply(.update(0, mount: nil, cause: cause)) }
        }
        _ = try simulation.apply(.rebind(0, mount: nil, owner: "a"))
        _ = try simulation.apply(.identify(0, mount: nil, id: "x"))
        _ = try simulation.apply(.identify(0, mount: nil, id: "y"))
        _ = try simulation.apply(.items(0, [Item(id: "a", value: "1"), Item(id: "b")]))
        _ = try simulation.apply(.items(0, [Item(id: "a", value: "2")]))
        for isThere in [false, true] {
            _ = try simulation.apply(
                .activity(0, mount: nil, ActivityChange(window: isThere, parked: !isThere)))
        }
        #expect(body.log == ["create()"])
        #expect(simulation.owners() == ["1:a"])
    }

    @Test func `the limit of mounts holds for events, refused before anything has happened`() throws {
        let (simulation, body) = try list(limit: 3)
        _ = try simulation.apply(.items(0, ["a", "b", "c"].map { Item(id: $0) }))
        let before = simulation.owners()
        body.log = []
        for event in [Event.mount(0), .items(0, ["a", "b", "c", "d"].map { Item(id: $0) })] {
            #expect(simulation.limitMet(by: event) == 3)
        }
        #expect(simulation.owners() == before && body.log.isEmpty)
        // Those of the list itself make room for the new ones.
        _ = try simulation.apply(.items(0, ["x", "y", "z"].map { Item(id: $0) }))
        #expect(simulation.owners().map { $0.suffix(1) } == ["x", "y", "z"])
    }

    @Test func `a plug-in that goes on mounting is stopped at the limit, and told`() throws {
        let (simulation, body) = try list(limit: 3)
        var results: [CallResult] = []
        body.onEvent = { simulation, _, _ in
            for _ in 0..<4 {
                var mount: MountID = 0
                results.append(simulation.mountIn(0, 0, &mount))
            }
            results.append(
                simulation.setItems(0, [Item(id: "a"), Item(id: "b"), Item(id: "c"), Item(id: "d")]))
            return .ok
        }
        let turn = try simulation.apply(.send(0, arguments: [], mount: nil))
        #expect(results == [.ok, .ok, .limit, .limit, .limit])
        #expect(turn.codes == Array(repeating: "plugin-misbehaving", count: 3))
        #expect(simulation.mountCount == 3)
    }

    @Test func `what mounts, items and environment take is counted, and given back`() throws {
        let (simulation, _) = try list()
        let before = simulation.bytes
        let long = String(repeating: "v", count: 50_000)
        let items = Event.items(0, [Item(id: "a", value: long), Item(id: "b", value: long)])
        #expect(simulation.growth(by: items) > 100_000)
        _ = try simulation.apply(items)
        #expect(simulation.bytes > before + 100_000)
        // The same once more takes nothing more.
        #expect(simulation.growth(by: items) <= 0)
        _ = try simulation.apply(.environment([("x", long)], bridge: nil, mount: nil))
        #expect(simulation.bytes > before + 150_000)
        _ = try simulation.apply(.environment([("x", nil)], bridge: nil, mount: nil))
        _ = try simulation.apply(.items(0, []))
        #expect(simulation.bytes < before)
        #expect(simulation.mountCount == 0 && simulation.liveCounts.controls == 0)
    }

    @Test func `items are told apart by the bytes of their ids`() throws {
        let (simulation, _) = try list()
        _ = try simulation.apply(.items(0, [Item(id: "\u{E9}"), Item(id: "e\u{301}")]))
        let mounts = simulation.mounts(of: 0)
        #expect(mounts.count == 2)
        _ = try simulation.apply(.items(0, [Item(id: "e\u{301}")]))
        #expect(simulation.mounts(of: 0) == [mounts[1]])
    }

    @Test func `many items come, turn round and go in a moment`() throws {
        let (simulation, _) = try list()
        let ids = (0..<4000).map { "item \($0)" }
        let clock = ContinuousClock()
        let time = try clock.measure {
            _ = try simulation.apply(.items(0, ids.map { Item(id: $0) }))
            let mounts = simulation.mounts(of: 0)
            _ = try simulation.apply(.items(0, ids.reversed().map { Item(id: $0) }))
            #expect(simulation.mounts(of: 0) == mounts.reversed())
            _ = try simulation.apply(.items(0, []))
        }
        // By the square it was minutes in a debug build.
        #expect(time < .seconds(60))
    }

    @Test func `an interim read of every field has those that its own event declares`() throws {
        let simulation = Simulation(id: "s", scenario: .live)
        _ = try simulation.started()
        let turn = try simulation.apply(
            .screenWrite(screen: "S", [("a", "1"), ("b", nil)]), interim: Interim(fields: nil))
        #expect(turn.interim?.fields.map(\.key) == ["a", "b"])
        #expect(turn.interim?.fields.map { "\($0.verdict.word)" } == ["leftover", "out-of-scope"])
        #expect(turn.interim?.diagnostics.isEmpty == true)
    }

    @Test func `a mount is seen with what happens to it`() throws {
        let (simulation, body) = try list()
        #expect(simulation.mount(1)?.isMade == true && simulation.mount(1)?.isAttached == true)
        #expect(simulation.mount(2) == nil && simulation.mount(0) == nil)
        _ = try simulation.apply(.activity(0, mount: 1, ActivityChange(window: false, scene: .inactive)))
        _ = try simulation.apply(.modelWrite([("text", "1")]))
        let away = try #require(simulation.mount(1))
        #expect(!away.activity.hasWindow && away.activity.scene == .inactive && !away.isAttached)
        #expect(away.withheld == .input && away.failure == nil)
        body.onUpdate = { _, _, _, _ in .failed(status: 1, text: "no") }
        _ = try simulation.apply(.activity(0, mount: 1, ActivityChange(window: true)))
        #expect(simulation.mount(1)?.failure == "no")
        _ = try simulation.apply(.unmount(0, mount: 1))
        #expect(simulation.mount(1) == nil && simulation.mountCount == 0)
    }
}

/// The tables of protocol.md are those of the kernel, row by row.
@Suite struct ProtocolTableTests {
    /// The cells of the rows below a heading line of a table, without the marks of code.
    private func rows(below heading: String) throws -> [[String]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("protocol.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading }, "no table \(heading)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "")
            }
        }
    }

    @Test func `every policy stands there, with its values and its meaning`() throws {
        let told = try rows(below: "| policy | values, the default first | says |")
        let expected = Policy.all.map { policy in
            var values =
                switch policy.values {
                case .words(let words):
                    ([policy.initial] + words.filter { $0 != policy.initial }).joined(separator: ", ")
                case .integer(let range): "\(policy.initial); \(range.lowerBound) to \(range.upperBound)"
                case .names: "names; none"
                }
            if policy.scope == .simulation { values += " (simulation)" }
            return [policy.name, values, policy.meaning]
        }
        #expect(told == expected)
    }

    @Test func `every profile stands there with what it sets`() throws {
        let expected = Policy.profiles.map { profile in
            let settings = Policy.settings(of: profile).map { "\($0.name)=\($0.value)" }
            return [profile, settings.isEmpty ? "every default" : settings.joined(separator: ", ")]
        }
        #expect(try rows(below: "| profile | sets |") == expected)
        #expect(Policy.settings(of: "nosuch").isEmpty)
    }

    @Test func `every setting of a profile is one that its policy takes`() {
        for profile in Policy.profiles {
            for (name, value) in Policy.settings(of: profile) {
                let policy = Policy.all.first { $0.name == name }
                #expect(policy?.accepts(value) == true, "\(profile) \(name)")
                #expect(policy?.initial != value, "\(profile) sets \(name) to what it is anyway")
            }
        }
    }

    @Test func `every call, cause and code stands there, with words`() throws {
        let calls = try rows(below: "| call | of |")
        #expect(Set(calls.map { $0[0] }) == Set(CallRecord.Kind.allCases.map { "\($0.word)" }))
        let hooks = calls.filter { $0[1].hasPrefix("hook: ") }.map { $0[0] }
        #expect(hooks.count == Hook.allCases.count)
        let causes = try rows(below: "| cause | says |")
        #expect(causes.map { $0[0] } == Cause.allCases.map { "\($0.word)" })
        let codes = try rows(below: "| code | says | usual repair |")
        #expect(codes.map { $0[0] } == DiagnosticCode.allCases.map(\.rawValue))
        #expect((calls + causes).allSatisfy { $0.count == 2 && $0[1].count > 5 })
        #expect(codes.allSatisfy { $0.count == 3 && $0[1].count > 10 && $0[2].count > 10 })
    }
}
