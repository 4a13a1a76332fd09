import SeamKernel
import SeamWire

/// Which fields a subscription wants to hear of.
struct Filter {
    /// Any of them will do; none wants everything.
    let globs: [Glob]
    /// Lines that tell no new verdict are left out.
    let onlyVerdicts: Bool
    /// The globs are over "sim/Screen.field", and not "Screen.field".
    let watchesDaemon: Bool

    init(_ globs: [Glob], onlyVerdicts: Bool, watchesDaemon: Bool) {
        self.globs = globs.contains(where: \.matchesAll) ? [] : globs
        self.onlyVerdicts = onlyVerdicts
        self.watchesDaemon = watchesDaemon
    }

    /// Nothing is filtered: such a subscription is never asked about a field.
    var isOpen: Bool { globs.isEmpty && !onlyVerdicts }

    /// What its patterns take; at the limits those of all subscriptions would take gigabytes.
    var memoryBytes: Int { globs.reduce(0) { $0 + $1.memoryBytes } }

    /// Adds to `steps` what the answer took.
    func wants(_ field: FieldView, of hosted: HostedSimulation, counting steps: inout Int) -> Bool {
        steps += Self.stepsOfLook * (1 + globs.count)
        return matchesAny(
            of: globs, sim: watchesDaemon ? hosted.id : nil, screen: field.screen, field: field.key,
            counting: &steps)
    }

    /// To look at a field, or take up a glob, takes as long as to compare so many bytes.
    private static let stepsOfLook = 8
    /// Steps of all filters in one round of the loop: a millisecond or two. What is left waits for the next.
    static let stepsPerRound = 1 << 19
}
