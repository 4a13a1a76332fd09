import SeamKernel
import SeamWire
import Testing

@testable import SeamServer

/// The history that cursors read.
@Suite struct RingTests {
    private func memory(entries: Int = 8, bytes: Int = 1 << 20, limit: Int = 1 << 30) -> Memory {
        var limits = Limits()
        limits.ringEntries = entries
        limits.ringBytes = bytes
        limits.memory = limit
        return Memory(limits)
    }

    private func ring(entries: Int = 8, bytes: Int = 1 << 20) -> Ring {
        Ring(in: memory(entries: entries, bytes: bytes))
    }

    private func change(_ seq: UInt64, _ model: String?, _ shown: String?, field: Int = 3) -> RingEntry {
        RingEntry(
            model: model, shown: shown, from: .missing, to: Verdict.of(model: model, shown: shown),
            field: Int32(field), age: 0, seq: seq, turn: seq * 1000, nanoseconds: Int64(seq) * 1_000_000_007)
    }

    /// Values of every length and kind, drawn by a seeded generator.
    private func changes(_ count: Int, seed: UInt64) -> [RingEntry] {
        var state = seed
        func draw(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        func text() -> String? {
            switch draw(6) {
            case 0: nil
            case 1: ""
            case 2: String(repeating: "\u{E9}", count: draw(9))
            case 3: "e\u{301}"
            case 4: String(repeating: "x", count: draw(70))
            default: "\(draw(1000))"
            }
        }
        return (1...count).map { seq in
            let model = text()
            return change(UInt64(seq), model, draw(3) == 0 ? model : text(), field: draw(100_000))
        }
    }

    private func expectSame(_ ring: Ring, _ position: UInt64, _ wanted: RingEntry) {
        let kept = ring.entry(at: position).pointee
        guard case .values(let model, let shown) = kept.content,
            case .values(let wished, let seen) = wanted.content
        else {
            Issue.record("no change at \(position)")
            return
        }
        func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
        #expect(bytes(model) == bytes(wished) && bytes(shown) == bytes(seen))
        #expect(kept.from == wanted.from && kept.to == wanted.to && kept.field == wanted.field)
        #expect(kept.seq == position && kept.turn == wanted.turn && kept.nanoseconds == wanted.nanoseconds)
        #expect(kept.bytes == wanted.bytes)
    }

    private func finding(_ seq: UInt64, _ text: String = "a finding") -> RingEntry {
        RingEntry(
            Diagnostic(seq: seq, code: "code", severity: .info, text: text), turn: 1, nanoseconds: 0,
            source: nil)
    }

    private func fill(_ ring: Ring, _ count: UInt64, text: String = "a finding") {
        for _ in 0..<count { ring.append(finding(ring.next, text)) }
    }

    private func line(
        _ ring: Ring, _ position: UInt64, keeps: Bool = true, encode: () -> String
    ) -> String {
        var out = ByteBuffer()
        out.append("head ")
        ring.append(lineOf: position, to: &out, keeps: keeps) { _, out in out.append(encode()) }
        return out.text
    }

    @Test("positions have no holes, and the oldest entries give way", arguments: [1, 2, 3, 7, 8, 100])
    func bounds(limit: Int) {
        let ring = ring(entries: limit)
        for count in 1...UInt64(3 * limit) {
            fill(ring, 1)
            #expect(ring.last == count)
            #expect(ring.next - ring.first == min(count, UInt64(limit)))
            for position in ring.first..<ring.next {
                #expect(ring.entry(at: position).pointee.seq == position)
            }
        }
    }

    @Test("a line is encoded when the first cursor passes, and copied after that")
    func onceEncoded() {
        let ring = ring()
        fill(ring, 5)
        var encodings = 0
        for _ in 0..<3 {
            for position in ring.first..<ring.next {
                let text = line(ring, position) {
                    encodings += 1
                    return "line \(position)\n"
                }
                #expect(text == "head line \(position)\n")
            }
        }
        #expect(encodings == 5)
    }

    @Test("what a lone reader passes stays an entry, and is encoded for whoever comes later")
    func notKept() {
        let ring = ring()
        fill(ring, 5)
        let bytes = ring.bytes
        var encodings = 0
        for (pass, keeps) in [false, false, true, false].enumerated() {
            for position in ring.first..<ring.next {
                let text = line(ring, position, keeps: keeps) {
                    encodings += 1
                    return "line \(position)\n"
                }
                #expect(text == "head line \(position)\n")
            }
            if pass < 2 { #expect(ring.bytes == bytes) }
        }
        // Two times for the lone reader, once for the others, and what is kept then serves it too.
        #expect(encodings == 15)
        #expect(ring.bytes != bytes)
    }

    @Test("bytes are bounded: by values at first, by lines once there are some")
    func byteBound() {
        let ring = ring(entries: 1000, bytes: 10_000)
        fill(ring, 100, text: String(repeating: "x", count: 1000))
        #expect(ring.bytes <= 10_000)
        #expect(ring.next - ring.first < 10)
        let before = ring.bytes
        _ = line(ring, ring.last) { "short\n" }
        #expect(ring.bytes < before - 900)
        fill(ring, 1, text: String(repeating: "x", count: 20_000))
        #expect(ring.next - ring.first == 1)
    }

    @Test("lines of every size survive until their entry goes, in whatever order they were encoded")
    func lines() {
        let ring = ring(entries: 300, bytes: 64 << 20)
        var random = SystemRandomNumberGenerator()
        var lines: [UInt64: String] = [:]
        for round in 0..<2000 {
            fill(ring, 1)
            let position = UInt64.random(in: ring.first..<ring.next, using: &random)
            let size = round % 50 == 0 ? 70_000 : Int.random(in: 1...900, using: &random)
            let fresh = String(repeating: "\(position % 10)", count: size) + "\n"
            let text = line(ring, position) { fresh }
            #expect(text == "head " + (lines[position] ?? fresh))
            lines[position] = String(text.dropFirst(5))
        }
        for position in ring.first..<ring.next {
            guard let known = lines[position] else { continue }
            #expect(line(ring, position) { "encoded twice\n" } == "head " + known)
        }
    }

    @Test("what is forgotten leaves a hole that nobody resumes across")
    func forget() {
        let ring = ring()
        fill(ring, 3)
        ring.forget(skipping: 1)
        #expect(ring.isEmpty)
        #expect(ring.first == 5)
        fill(ring, 1)
        #expect(ring.last == 5)
        #expect(ring.entry(at: 5).pointee.seq == 5)
    }

    // MARK: Packed

    @Test("what nobody reads is packed, and comes back as it was", arguments: [1, 7, 300, 5000])
    func packed(limit: Int) {
        let memory = memory(entries: limit, bytes: 64 << 20)
        let all = changes(1000, seed: UInt64(limit))
        do {
            let (quiet, read) = (Ring(in: memory), ring(entries: limit, bytes: 64 << 20))
            for entry in all {
                quiet.append(entry, isRead: false)
                read.append(entry)
                #expect(quiet.first == read.first && quiet.next == read.next && quiet.bytes == read.bytes)
            }
            for position in quiet.first..<quiet.next { expectSame(quiet, position, all[Int(position) - 1]) }
            // Entries from now on, also what comes behind them.
            quiet.append(change(1001, "a", "b"), isRead: false)
            expectSame(quiet, 1001, change(1001, "a", "b"))
        }
        #expect(memory.rings == 0)
    }

    @Test("a short change takes a tenth of an entry")
    func packedSize() {
        let memory = memory(entries: 100_000, bytes: 64 << 20)
        let quiet = Ring(in: memory)
        for seq in 1...1000 { quiet.append(change(UInt64(seq), "\(seq)", "\(seq)"), isRead: false) }
        #expect(memory.rings < 30_000)
        #expect(Int(RingEntry.stride) * 1000 < quiet.bytes + 1)
    }

    @Test("read while there is something packed before it: both parts hold, and both give way")
    func packedThenRead() {
        let memory = memory(entries: 50, bytes: 64 << 20)
        do {
            let ring = Ring(in: memory)
            let all = changes(500, seed: 5)
            for (index, entry) in all.enumerated() {
                // The first half of each hundred unread; none of it is looked at before the last fifty.
                ring.append(entry, isRead: index % 100 >= 50)
            }
            for position in ring.first..<ring.next { expectSame(ring, position, all[Int(position) - 1]) }
            let fresh = Ring(in: memory)
            for entry in all.prefix(30) { fresh.append(entry, isRead: false) }
            for entry in all[30..<40] { fresh.append(entry) }
            expectSame(fresh, 35, all[34])
            #expect(line(fresh, 36) { "line\n" } == "head line\n")
            expectSame(fresh, 2, all[1])
            #expect(line(fresh, 36) { "again\n" } == "head line\n")
            for position in UInt64(1)...30 { expectSame(fresh, position, all[Int(position) - 1]) }
        }
        #expect(memory.rings == 0)
    }

    // MARK: The memory of all

    @Test("what the rings hold is counted, and all of it is given back")
    func counted() {
        let memory = memory(entries: 1000, bytes: 64 << 20)
        do {
            let ring = Ring(in: memory)
            fill(ring, 3000, text: String(repeating: "x", count: 500))
            #expect(memory.rings > 500_000 && memory.rings < 2_000_000)
            for position in ring.first..<ring.next { _ = line(ring, position) { "line \(position)\n" } }
            #expect(memory.rings < 400_000)
            ring.forget(upTo: memory.age)
            #expect(ring.isEmpty && memory.rings == 0)
            fill(ring, 10)
            #expect(ring.last == 3010 && memory.rings > 0)
        }
        #expect(memory.rings == 0)
    }

    @Test("the oldest entries of all rings go first")
    func oldestFirst() {
        // An age is 1,024 bytes.
        let memory = memory(entries: 100_000, bytes: 64 << 20, limit: 1 << 20)
        let rings = (0..<20).map { _ in Ring(in: memory) }
        // In turns of a hundred entries, so that each ring has old and new ones.
        var order: [(ring: Int, position: UInt64)] = []
        for turn in 0..<200 {
            let index = turn * 7 % 20
            for _ in 0..<100 {
                order.append((index, rings[index].next))
                fill(rings[index], 1)
            }
        }
        let before = memory.rings
        var byAge = RingsByAge(rings)
        while memory.rings > before / 2, let (age, ring) = byAge.next() {
            ring.forget(upTo: age)
            byAge.put(ring)
        }
        let gone = order.map { $0.position < rings[$0.ring].first }
        // All that went came before all that stayed, but for those of one age.
        let firstKept = gone.firstIndex(of: false) ?? gone.count
        let lastGone = gone.lastIndex(of: true) ?? 0
        #expect(firstKept > 2000 && firstKept < 18_000)
        #expect(lastGone - firstKept < 30)
    }
}
