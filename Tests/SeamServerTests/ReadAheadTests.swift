import SeamWire
import Testing

@testable import SeamServer

/// Lines that were decoded before the first of them is performed.
@MainActor @Suite struct ReadAheadTests {
    private func line(_ number: UInt64) -> ReadAhead.Line {
        .decoded(.single(.notification(.subClose(sub: number))))
    }

    private func number(_ line: ReadAhead.Line) -> UInt64? {
        guard case .decoded(.single(.notification(.subClose(let sub)))) = line else { return nil }
        return sub
    }

    @Test("come out in their order, as often as the room is filled", arguments: 1...RequestDecoder.mostAhead)
    func order(count: Int) {
        var ahead = ReadAhead()
        for round in 0..<3 {
            let numbers = (0..<UInt64(count)).map { 100 * UInt64(round) + $0 }
            for number in numbers { ahead.append(line(number)) }
            let isFull = ahead.isFull
            #expect(isFull == (count == RequestDecoder.mostAhead))
            var taken: [UInt64?] = []
            while !ahead.isEmpty { taken.append(number(ahead.take())) }
            #expect(taken == numbers)
        }
    }

    @Test("a line that is none keeps its place among the others")
    func kinds() {
        var ahead = ReadAhead()
        ahead.append(line(1))
        ahead.append(.tooLong)
        ahead.append(line(2))
        ahead.append(.flooded)
        let first = number(ahead.take())
        #expect(first == 1)
        guard case .tooLong = ahead.take() else {
            Issue.record("the second line was too long")
            return
        }
        let third = number(ahead.take())
        #expect(third == 2)
        guard case .flooded = ahead.take() else {
            Issue.record("the last line went on and on")
            return
        }
        let isEmpty = ahead.isEmpty
        #expect(isEmpty)
    }
}
