import Testing

@testable import SeamWire

/// Pages of whole turns: whoever goes on with `next`, and with `skip` where a turn was cut, sees every record once.
@Suite("Pages of turns")
struct TurnPageTests {
    /// The records of a page as numbers, what comes next, and how many are missing.
    private func page(
        _ turns: [UInt64], from: UInt64 = 0, skip: Int = 0, limit: Int? = nil, end: Int = .max
    ) -> (records: [Int], next: UInt64?, omitted: Int, bytes: Int) {
        var out = ByteBuffer()
        var page = TurnPage(limit: limit, end: end)
        var skipped = 0
        out.array("records") { out in
            for (number, turn) in turns.enumerated() where turn >= from {
                if turn == from && skipped < skip {
                    skipped += 1
                    continue
                }
                if !page.take(turn: turn, into: &out, { $0.value(number) }) { break }
            }
        }
        let list = out.text.drop { $0 != "[" }.dropFirst().dropLast()
        return (list.split(separator: ",").compactMap { Int($0) }, page.next, page.omitted, out.count)
    }

    @Test("everything, when it fits")
    func everything() {
        let all = page([1, 1, 2, 5])
        #expect(all.records == [0, 1, 2, 3] && all.next == nil && all.omitted == 0)
        #expect(page([]).records == [] && page([]).next == nil)
    }

    @Test(
        "a limit ends before the turn that would pass it",
        arguments: [
            (limit: 1, records: [0], next: 2 as UInt64?, omitted: 1),
            (limit: 2, records: [0, 1], next: 2, omitted: 0),
            (limit: 3, records: [0, 1, 2], next: 3, omitted: 0),
            (limit: 4, records: [0, 1, 2], next: 3, omitted: 0),
            (limit: 6, records: [0, 1, 2, 3, 4, 5], next: nil, omitted: 0),
            (limit: 9, records: [0, 1, 2, 3, 4, 5], next: nil, omitted: 0),
        ])
    func limit(_ limit: Int, _ records: [Int], _ next: UInt64?, _ omitted: Int) {
        let page = page([1, 1, 2, 3, 3, 3], limit: limit)
        #expect(page.records == records && page.next == next && page.omitted == omitted)
    }

    @Test("a turn that is too long by itself is cut, and skip reaches the rest")
    func cut() {
        let turns: [UInt64] = Array(repeating: 7, count: 10) + [8]
        var seen: [Int] = []
        var place: (turn: UInt64, skip: Int)? = (7, 0)
        while let here = place {
            let page = page(turns, from: here.turn, skip: here.skip, limit: 4)
            seen += page.records
            place = page.omitted > 0 ? (here.turn, here.skip + page.records.count) : page.next.map { ($0, 0) }
        }
        #expect(seen == Array(0...10))
    }

    @Test("no page is longer than the reply, whatever the records", arguments: 1...40)
    func bytes(_ end: Int) {
        var turns: [UInt64] = []
        for number in 0..<60 { turns.append(UInt64(number / (number % 7 + 1))) }
        turns.sort()
        var seen: [Int] = []
        var place: (turn: UInt64, skip: Int)? = (turns[0], 0)
        while let here = place {
            let page = page(turns, from: here.turn, skip: here.skip, end: end)
            // The first is written in any case, and the bracket behind the last.
            #expect(page.records.count == 1 || page.bytes <= end + 1)
            seen += page.records
            place = page.omitted > 0 ? (here.turn, here.skip + page.records.count) : page.next.map { ($0, 0) }
        }
        #expect(seen == Array(0..<60))
    }
}
