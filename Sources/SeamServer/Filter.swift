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

    func wants(_ field: FieldView, of hosted: HostedSimulation) -> Bool {
        if globs.isEmpty { return true }
        if watchesDaemon {
            let sim = hosted.id
            return globs.contains { $0.matches(sim: sim, screen: field.screen, field: field.key) }
        }
        return globs.contains { $0.matches(screen: field.screen, field: field.key) }
    }
}
