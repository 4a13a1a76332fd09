import SeamKernel
import Testing

/// A small reference: both sides as dictionaries, judged from scratch after every turn.
private struct Reference {
    var model: [String: String] = [:]
    var shown: [String: [String: String]] = [:]
    var declared: Set<String> = []

    func verdict(_ screen: String, _ key: String) -> Verdict {
        Verdict.of(model: model[key], shown: shown[screen]?[key])
    }
}

@Suite struct RandomTests {
    @Test(arguments: UInt64(1)...20)
    func `verdicts equal a full recomputation after each turn`(seed: UInt64) throws {
        var generator = Seeded(state: seed)
        let live = Simulation(id: "s", scenario: .live)
        var reference = Reference()
        let values: [String?] = [nil, "", "1", "2", "a longer text than fits inline", "\u{e9}", "e\u{301}"]
        var seq: UInt64 = 0
        for _ in 0..<500 {
            let before = reference
            var pairs: [(key: String, value: String?)] = []
            for _ in 0...generator.below(3) {
                pairs.append((key: "k\(generator.below(6))", value: values[generator.below(values.count)]))
            }
            let screen = "S\(generator.below(3))"
            let event: Event
            if generator.below(2) == 0 {
                event = .modelWrite(pairs)
                for (key, value) in pairs { reference.model[key] = value }
            } else {
                event = .screenWrite(screen: screen, pairs)
                for (key, value) in pairs {
                    reference.shown[screen, default: [:]][key] = value
                    reference.declared.insert("\(screen).\(key)")
                }
            }
            let turn = try live.apply(event)
            for id in 0..<live.fieldCount {
                let field = live.field(id)
                #expect(field.verdict == reference.verdict(field.screen, field.key), "seed \(seed)")
                // What is no field yet is out of scope, whatever the model holds.
                let isNew = !before.declared.contains("\(field.screen).\(field.key)")
                let modelBefore = isNew ? nil : before.model[field.key]
                let from = isNew ? .outOfScope : before.verdict(field.screen, field.key)
                let differs =
                    !same(modelBefore, reference.model[field.key])
                    || !same(
                        before.shown[field.screen]?[field.key], reference.shown[field.screen]?[field.key])
                let told = turn.changes.filter { $0.field == id }
                #expect(told.count == (differs ? 1 : 0), "seed \(seed)")
                #expect(
                    told.allSatisfy { $0.from == from }, "seed \(seed)")
            }
            #expect(live.fieldCount == reference.declared.count)
            for change in turn.changes {
                seq += 1
                #expect(change.seq == seq)
            }
        }
    }

    private func same(_ one: String?, _ other: String?) -> Bool {
        one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
    }
}

private struct Seeded {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
