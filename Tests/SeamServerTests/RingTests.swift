import SeamKernel
import SeamWire
import Testing

@testable import SeamServer

/// The history that cursors read.
@Suite struct RingTests {
    private func ring(entries: Int = 8, bytes: Int = 1 << 20) -> Ring {
        var limits = Limits()
        limits.ringEntries = entries
        limits.ringBytes = bytes
        return Ring(limits: limits)
    }

    private func finding(_ seq: UInt64, _ text: String = "a finding") -> RingEntry {
        RingEntry(
            Diagnostic(seq: seq, code: "code", severity: .info, text: text), turn: 1, nanoseconds: 0,
            source: nil)
    }

    private func fill(_ ring: Ring, _ count: UInt64, text: String = "a finding") {
        for _ in 0..<count { ring.append(finding(ring.next, text)) }
    }

    private func line(_ ring: Ring, _ position: UInt64, encode: () -> String) -> String {
        var out = ByteBuffer()
        out.append("head ")
        ring.append(lineOf: position, to: &out) { _, out in out.append(encode()) }
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
}
