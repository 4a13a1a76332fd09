import SeamKernel

/// The state of all fields at one moment, handed out piece by piece while the simulations go on.
///
/// Nothing is copied when it is taken. The first change of a field that has not been handed out yet saves
/// what the field was; so the cost is that of the changes meanwhile and not that of the fields.
final class Snapshot {
    struct Part {
        let hosted: HostedSimulation
        /// Fields that there were at the moment.
        var fields: Int
        /// The simulation's seq at the moment.
        var seq: UInt64
        var hasFailed: Bool
        /// It is told that there is this simulation before its fields are.
        var isOwed: Bool
    }

    enum Item {
        /// A simulation that there is; its fields follow.
        case simulation(HostedSimulation, hasFailed: Bool)
        case field(State)
    }

    struct State {
        let hosted: HostedSimulation
        let view: FieldView
        let seq: UInt64
    }

    private var parts: [Part]
    private var part = 0
    private var field = 0
    private var saved: [FieldKey: (model: String?, shown: String?)] = [:]

    /// - Parameter namesSimulations: whether each simulation is told of as well, as to who watches the daemon.
    init(of simulations: [HostedSimulation], namesSimulations: Bool) {
        parts = simulations.map {
            Part(
                hosted: $0, fields: $0.simulation.fieldCount, seq: $0.simulation.seq,
                hasFailed: $0.failure != nil, isOwed: namesSimulations)
        }
    }

    /// Counts the fields that the filter picks.
    func counting(_ filter: Filter) -> Counting { Counting(parts: parts, filter: filter) }

    /// How many fields of the snapshot a filter picks, found out in pieces: names never change, so it does not matter
    /// what happens meanwhile.
    struct Counting {
        fileprivate let parts: [Part]
        let filter: Filter
        private var (part, field) = (0, 0)
        private var count = 0

        fileprivate init(parts: [Part], filter: Filter) {
            self.parts = parts
            self.filter = filter
        }

        /// Goes on as far as `steps` go; the number once all have been looked at.
        mutating func next(within steps: inout Int) -> Int? {
            while part < parts.count {
                let (hosted, fields) = (parts[part].hosted, parts[part].fields)
                if filter.globs.isEmpty {
                    count += fields
                } else {
                    while field < fields {
                        if steps <= 0 { return nil }
                        var taken = 0
                        if filter.wants(hosted.simulation.field(field), of: hosted, counting: &taken) {
                            count += 1
                        }
                        steps -= taken
                        field += 1
                    }
                }
                part += 1
                field = 0
            }
            return count
        }
    }

    /// The next field, or simulation; nil when all have been handed out.
    func next() -> Item? {
        while part < parts.count {
            let current = parts[part]
            if current.isOwed {
                parts[part].isOwed = false
                return .simulation(current.hosted, hasFailed: current.hasFailed)
            }
            guard field < current.fields else {
                part += 1
                field = 0
                continue
            }
            var view = current.hosted.simulation.field(field)
            if !saved.isEmpty, let before = saved.removeValue(forKey: FieldKey(current.hosted, Int32(field)))
            {
                view.model = before.model
                view.shown = before.shown
                view.verdict = Verdict.of(model: before.model, shown: before.shown)
            }
            field += 1
            return .field(State(hosted: current.hosted, view: view, seq: current.seq))
        }
        return nil
    }

    /// Keeps what the field was before its first change, if it is still to be handed out.
    func save(_ change: Change, of hosted: HostedSimulation) {
        guard owes(change.field, of: hosted) else { return }
        let key = FieldKey(hosted, Int32(truncatingIfNeeded: change.field))
        if saved[key] == nil { saved[key] = (change.previousModel, change.previousShown) }
    }

    /// Whether the field is part of the snapshot and not handed out yet.
    func owes(_ field: Int, of hosted: HostedSimulation) -> Bool {
        guard let place = place(of: hosted), field < parts[place].fields else { return false }
        return place > part || (place == part && field >= self.field)
    }

    /// Moves the moment to now, for the fields that have not been handed out.
    func moveToNow() {
        saved.removeAll()
        for place in part..<parts.count {
            let hosted = parts[place].hosted
            parts[place].seq = hosted.simulation.seq
            parts[place].hasFailed = hosted.failure != nil
            // Its end is among what was passed over, and stands before what is left of the snapshot.
            if hosted.isDestroyed {
                parts[place].fields = 0
                parts[place].isOwed = false
            }
        }
    }

    /// Parts stand in the order of creation.
    private func place(of hosted: HostedSimulation) -> Int? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].hosted.ordinal < hosted.ordinal { low = middle + 1 } else { high = middle }
        }
        return low < parts.count && parts[low].hosted === hosted ? low : nil
    }
}
