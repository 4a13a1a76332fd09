/// Rows in an order, kept while they come, go and move: a list of short lists, so that a change touches one of them, and
/// the n-th row is found by adding their lengths.
///
/// It knows rows by number alone; what comes before what the caller says, and a row that is to move has to be taken out
/// while it is still where it was. A value: a copy shares what does not change afterwards.
struct SortedRows {
    private static let mostInPart = 512

    private var parts: [[Int32]] = []
    private(set) var count = 0

    init() {}

    /// Of rows that are in order already.
    init(inOrder rows: some Collection<Int32>) {
        var rest = rows[...]
        while !rest.isEmpty {
            // Half full, so that the next ones find room.
            let part = rest.prefix(Self.mostInPart / 2)
            parts.append(Array(part))
            rest = rest.dropFirst(part.count)
        }
        count = rows.count
    }

    /// Up to `count` rows from a position on.
    func rows(from position: Int, count: Int) -> [Int32] {
        var rows: [Int32] = []
        var skip = position
        for part in parts {
            if rows.count == count { break }
            if skip >= part.count {
                skip -= part.count
            } else {
                rows += part[skip...].prefix(count - rows.count)
                skip = 0
            }
        }
        return rows
    }

    func filter(_ isIn: (Int32) -> Bool) -> SortedRows {
        var rows: [Int32] = []
        for part in parts { for row in part where isIn(row) { rows.append(row) } }
        return SortedRows(inOrder: rows)
    }

    mutating func insert(_ row: Int32, _ precedes: (Int32, Int32) -> Bool) {
        count += 1
        guard !parts.isEmpty else {
            parts.append([row])
            return
        }
        let at = max(0, partition(parts.count) { !precedes(row, parts[$0][0]) } - 1)
        let place = partition(parts[at].count) { precedes(parts[at][$0], row) }
        parts[at].insert(row, at: place)
        guard parts[at].count > Self.mostInPart else { return }
        // The last part grows at its end as rows come in order: then it stays full, and a new one begins.
        let isGrowing = at == parts.count - 1 && place == parts[at].count - 1
        let keep = isGrowing ? Self.mostInPart : Self.mostInPart / 2
        let moved = Array(parts[at][keep...])
        parts[at].removeSubrange(keep...)
        parts.insert(moved, at: at + 1)
    }

    mutating func remove(_ row: Int32, _ precedes: (Int32, Int32) -> Bool) {
        guard let (at, place) = find(row, precedes) else { return }
        count -= 1
        parts[at].remove(at: place)
        if parts[at].isEmpty { parts.remove(at: at) }
    }

    /// Where a row stands; nil when it is not among them.
    func position(of row: Int32, _ precedes: (Int32, Int32) -> Bool) -> Int? {
        guard let (at, place) = find(row, precedes) else { return nil }
        return parts[..<at].reduce(0) { $0 + $1.count } + place
    }

    private func find(_ row: Int32, _ precedes: (Int32, Int32) -> Bool) -> (part: Int, place: Int)? {
        let at = partition(parts.count) { !precedes(row, parts[$0][0]) } - 1
        guard at >= 0 else { return nil }
        let place = partition(parts[at].count) { precedes(parts[at][$0], row) }
        return place < parts[at].count && parts[at][place] == row ? (at, place) : nil
    }

    /// How many of the first numbers are true, when all that are come before all that are not.
    private func partition(_ count: Int, _ isTrue: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isTrue(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
