internal import SeamWire

/// `; did you mean 'x'?` for the candidate that a person most likely meant; nothing when none is near.
func didYouMean(_ word: String, among candidates: some Sequence<String>) -> String {
    // A stand-in that is exactly as many edits away as a suggestion may be: what ranks behind it is too far.
    let edits = max(1, word.count / 3)
    let limit = String(repeating: "\u{0}", count: edits) + word.dropFirst(edits)
    let beginning = candidates.filter { word.count >= 2 && $0.hasPrefix(word) }
    guard let best = nearest(word, among: Array(candidates) + [limit], limit: 1).first else { return "" }
    if best != limit { return "; did you mean '\(best)'?" }
    return beginning.count == 1 ? "; did you mean '\(beginning[0])'?" : ""
}
