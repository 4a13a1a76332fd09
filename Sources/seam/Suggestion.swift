internal import SeamWire

/// `; did you mean 'x'?` for the candidate that a person most likely meant; nothing when none is near.
func didYouMean(_ word: String, among candidates: some Sequence<String>) -> String {
    nearMiss(word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
}
