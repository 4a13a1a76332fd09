/// The names closest to a mistaken one, nearest first: what an error offers as `data.known`.
///
/// Distance is the number of letters inserted, left out, replaced or swapped with their neighbour; among equals the
/// given order stays. Names that have nothing in common are listed too, since somebody who guessed wildly wants to see
/// what exists. Looks at no more than `considered` candidates, and compares no more than `mostSteps` pairs of letters,
/// so that a simulation of a million fields answers a typo as quickly as one of three: those whose letters are most
/// alike in whatever order come first, and the rest stays out when the steps are spent.
public func nearest(
    _ name: String, among candidates: some Sequence<String>, limit: Int = 20, considered: Int = 4096
) -> [String] {
    guard limit > 0 else { return [] }
    var steps = 0
    return nearest(name, among: candidates, limit: limit, considered: considered, counting: &steps)
}

/// The same, and adds how many pairs of letters it compared.
func nearest(
    _ name: String, among candidates: some Sequence<String>, limit: Int, considered: Int,
    counting steps: inout Int
) -> [String] {
    let wanted = Array(name.utf8.prefix(longestCompared))
    var letters = Letters(of: wanted)
    // No two names are nearer than their letters say, so nobody who stands behind the last of the best is compared.
    var order: [(atLeast: Int, place: Int, name: String)] = []
    // A key may stand on several screens.
    var given: Set<String> = []
    for candidate in candidates.prefix(considered) where given.insert(candidate).inserted {
        order.append((letters.difference(from: candidate), order.count, candidate))
    }
    order.sort { ($0.atLeast, $0.place) < ($1.atLeast, $1.place) }
    var best: [(distance: Int, place: Int, name: String)] = []
    best.reserveCapacity(limit + 1)
    var rows = EditRows()
    for (atLeast, place, candidate) in order {
        // One that is as far as the last of the best goes before it if it was given before it.
        let bound = best.count < limit ? Int.max : best[best.count - 1].distance + 1
        guard atLeast < bound, steps < mostSteps else { break }
        let other = Array(candidate.utf8.prefix(longestCompared))
        let distance = rows.distance(wanted, other, below: bound, counting: &steps)
        guard distance < bound else { continue }
        var at = best.count
        while at > 0 && (best[at - 1].distance, best[at - 1].place) > (distance, place) { at -= 1 }
        best.insert((distance, place, candidate), at: at)
        if best.count > limit { best.removeLast() }
    }
    return best.map(\.name)
}

/// Comparing is quadratic in the length; names end at 128 bytes, and of anything longer the beginning says enough.
private let longestCompared = 128

/// Pairs of letters that one search compares: about a millisecond.
let mostSteps = 400_000

/// How often each letter is in a name.
private struct Letters {
    private var counts: [Int16]
    private let size: Int

    init(of name: [UInt8]) {
        counts = Array(repeating: 0, count: 256)
        for byte in name { counts[Int(fold(byte))] += 1 }
        size = name.count
    }

    /// How many letters one name has more of than the other, the larger of the two: no fewer edits make one of the
    /// other, since none changes more than one letter for another, and swapping none.
    mutating func difference(from other: String) -> Int {
        counts.withUnsafeMutableBufferPointer { counts in
            var (common, length) = (0, 0)
            for byte in other.utf8.prefix(longestCompared) {
                let letter = Int(fold(byte))
                if counts[letter] > 0 { common += 1 }
                counts[letter] -= 1
                length += 1
            }
            for byte in other.utf8.prefix(longestCompared) { counts[Int(fold(byte))] += 1 }
            return max(size, length) - common
        }
    }
}

/// The three rows of the table that optimal string alignment needs, kept between candidates.
private struct EditRows {
    private var beforeLast: [Int] = []
    private var last: [Int] = []
    private var current: [Int] = []

    /// The distance between two names, or `bound` when it is not below that.
    mutating func distance(
        _ one: [UInt8], _ other: [UInt8], below bound: Int, counting steps: inout Int
    ) -> Int {
        if abs(one.count - other.count) >= bound { return bound }
        let width = other.count + 1
        last = Array(0..<width)
        current = Array(repeating: 0, count: width)
        beforeLast = current
        for row in 0..<one.count {
            current[0] = row + 1
            var least = current[0]
            steps += other.count
            for column in 0..<other.count {
                let isSame = fold(one[row]) == fold(other[column])
                var value = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0 && column > 0 && one[row] == other[column - 1] && one[row - 1] == other[column] {
                    value = min(value, beforeLast[column - 1] + 1)
                }
                current[column + 1] = value
                least = min(least, value)
            }
            if least >= bound { return bound }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return min(last[width - 1], bound)
    }
}

/// A letter of the wrong case is the most frequent slip of all and costs nothing.
private func fold(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// The candidate that a person most likely meant; nil when none is near.
public func nearMiss(_ word: String, among candidates: some Sequence<String>) -> String? {
    // A stand-in that is exactly as many edits away as a suggestion may be: what ranks behind it is too far.
    let edits = max(1, word.count / 3)
    let limit = String(repeating: "\u{0}", count: edits) + word.dropFirst(edits)
    let beginning = candidates.filter { word.count >= 2 && $0.hasPrefix(word) }
    guard let best = nearest(word, among: Array(candidates) + [limit], limit: 1).first else { return nil }
    if best != limit { return best }
    return beginning.count == 1 ? beginning[0] : nil
}
