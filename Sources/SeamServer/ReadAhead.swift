// For each `unsafelyUnwrapped` in here: a line lies in the block, so there is one.

import SeamWire

/// Lines of one client that have been decoded and wait to be performed, in their order.
///
/// Short lines are decoded several at a time: decoding and performing in turn, the code of each drives that of the other
/// out of the processor's first cache. In a block of its own, from which lines are moved: an array hands out copies, which
/// takes 500 instructions a line.
struct ReadAhead: ~Copyable {
    enum Line {
        case decoded(Decoded)
        case tooLong
        case flooded
    }

    /// Of `RequestDecoder.mostAhead` places, of which those from `next` to before `end` are filled.
    private var block: UnsafeMutablePointer<Line>?
    private var next = 0
    private var end = 0

    deinit {
        if let block {
            (block + next).deinitialize(count: end - next)
            block.deallocate()
        }
    }

    var isEmpty: Bool { next == end }
    var isFull: Bool { end == RequestDecoder.mostAhead }

    mutating func append(_ line: consuming Line) {
        precondition(!isFull, "lines were read ahead for which there is no room")
        if block == nil { block = .allocate(capacity: RequestDecoder.mostAhead) }
        (block.unsafelyUnwrapped + end).initialize(to: line)
        end += 1
    }

    /// The oldest. There has to be one.
    mutating func take() -> Line {
        precondition(!isEmpty, "no line was read ahead")
        let line = (block.unsafelyUnwrapped + next).move()
        next += 1
        if isEmpty {
            next = 0
            end = 0
        }
        return line
    }
}
