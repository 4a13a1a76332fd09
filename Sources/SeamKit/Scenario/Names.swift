/// Names in an error: those that there are, the nearest to the mistaken one first.
func listed(_ names: [String], nearestTo mistaken: String, limit: Int = 12) -> String {
    if names.isEmpty { return "none" }
    let wanted = Array(mistaken.lowercased())
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    let ranked = names.enumerated().map { index, name in
        (name: name, distance: distance(wanted, Array(name.lowercased())), index: index)
    }.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.map(\.name)
    let rest = ranked.count - limit
    return ranked.prefix(limit).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

/// Letters to put in, take out or change until one word is the other; a word that holds the other is near to it.
private func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (place, candidate) in other.enumerated() {
            let above = row[place + 1]
            row[place + 1] = min(above + 1, row[place] + 1, diagonal + (letter == candidate ? 0 : 1))
            diagonal = above
        }
    }
    // `text` for `NoteView.text`: the end of a derived name is what people remember.
    let isEnd = other.count > one.count && other.suffix(one.count) == one[...]
    return isEnd ? 1 : row[other.count]
}
