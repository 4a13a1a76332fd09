/// A check: looks at the plug-in and says what it found.
typealias Check = (Subject, inout Findings) throws(NotReached) -> Void

/// The checks by their numbers; what they are called is known to `seam plugin check`, which also says what they mean.
enum Checks {
    static var all: [Int: Check] {
        [
            1: opens, 2: exports, 3: dependencies, 4: startTime, 5: sameAnswer, 6: declines, 7: surroundings,
            8: interfaces, 9: layout, 10: texts, 11: values, 12: references, 13: constancy, 14: leaks,
            15: separation,
            16: parameters, 17: events, 18: refusedServices, 19: unknown, 20: threads, 21: declared,
            22: determinism,
        ]
    }
}
