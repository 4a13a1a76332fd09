/// A page of what happened, turn by turn: whole turns, so that a reader goes on with the next. A turn that does not fit
/// by itself is cut, and what is missing counted.
public struct TurnPage {
    private let limit: Int
    private let end: Int
    private var written = 0
    private var turn: UInt64?
    /// Where the turn under way began, in the buffer and among the records.
    private var start = (bytes: 0, written: 0)
    /// The turn with which the next page begins.
    public private(set) var next: UInt64?
    /// Records of the only turn that did not fit.
    public private(set) var omitted = 0

    /// At most `limit` records, and none that would take the buffer beyond `end` bytes; the first is written in any
    /// case.
    public init(limit: Int?, end: Int) {
        self.limit = limit ?? .max
        self.end = end
    }

    /// Takes one more record, of this turn or a later one; false when the page is full.
    public mutating func take(
        turn: UInt64, into out: inout ByteBuffer, _ write: (inout ByteBuffer) -> Void
    ) -> Bool {
        if turn != self.turn {
            if omitted > 0 {
                next = turn
                return false
            }
            self.turn = turn
            start = (out.count, written)
        }
        if omitted == 0 && written < limit {
            let mark = out.count
            write(&out)
            written += 1
            if out.count <= end || written == 1 { return true }
            out.truncate(to: mark)
            written -= 1
        }
        if start.written > 0 {
            out.truncate(to: start.bytes)
            written = start.written
            next = turn
            return false
        }
        omitted += 1
        return true
    }
}
