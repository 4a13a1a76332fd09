internal import SeamClient
internal import SeamWire

// What `seam top` knows of the daemon's fields, and which of them are seen in which order: values without a clock, a
// connection or a terminal.

/// A moment, in milliseconds since the program began.
typealias Moment = Int

/// A text that is what its bytes are: names that only look the same are different ones.
struct Bytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: Bytes, other: Bytes) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A value of one side, as the daemon told it.
struct ShownValue: Equatable {
    /// nil is none.
    var text: String?
    /// Its full size, when the daemon has cut it.
    var bytes: Int?

    init(_ text: String?, bytes: Int? = nil) {
        self.text = text
        self.bytes = bytes
    }

    /// A member of an event line.
    init(_ params: JSON, _ member: String) {
        self.init(params[member]?.text, bytes: params["\(member)Bytes"]?.integer)
    }
}

/// A field.
struct Row {
    /// A change that was seen.
    struct Change {
        var moment: Moment
        var seq: UInt64
        var from: Verdict
        var to: Verdict
        var model: ShownValue
        var shown: ShownValue
    }

    /// How many changes of a field are kept.
    static let mostChanges = 10

    /// `sim/Screen.field`; ids of simulations and screens hold neither of the two dividers.
    let name: String
    var verdict: Verdict
    var model: ShownValue
    var shown: ShownValue
    var seq: UInt64
    /// When it changed last; as it was found, when that was before anybody looked.
    var moment: Moment
    var wasFound: Bool
    /// The newest changes, the oldest of them first.
    var changes: [Change] = []

    var parts: (simulation: Substring, screen: Substring, field: Substring) {
        let name = name.utf8
        let slash = name.firstIndex(of: UInt8(ascii: "/")) ?? name.endIndex
        let screen = name[slash...].dropFirst()
        let dot = screen.firstIndex(of: UInt8(ascii: ".")) ?? screen.endIndex
        return (
            Substring(name[..<slash]), Substring(screen[..<dot]), Substring(screen[dot...].dropFirst())
        )
    }
}

/// Which rows are seen.
struct RowFilter: Equatable {
    /// Empty lets every verdict pass.
    var verdicts: Set<Verdict> = []
    /// With a `*` a glob over `sim/Screen.field`, else a part of that or of a value, in whatever case.
    var search = ""

    static let wrong: Set<Verdict> = [.stale, .missing, .leftover]

    var isEmpty: Bool { verdicts.isEmpty && search.isEmpty }
}

/// A filter that is ready for many rows.
struct RowMatcher {
    private let verdicts: Set<Verdict>
    private let glob: Glob?
    private let part: [UInt8]

    init(_ filter: RowFilter) {
        verdicts = filter.verdicts
        let isGlob = filter.search.contains("*")
        glob = isGlob ? Glob(filter.search) : nil
        part = isGlob ? [] : Array(filter.search.lowercased().utf8)
    }

    func matches(_ row: Row) -> Bool {
        if !verdicts.isEmpty && !verdicts.contains(row.verdict) { return false }
        if let glob { return glob.matches(row.name) }
        return part.isEmpty || holds(row.name) || row.model.text.map(holds) == true
            || row.shown.text.map(holds) == true
    }

    private func holds(_ text: String) -> Bool {
        var text = text
        // Bytes of ASCII are enough for nearly all; what has others is compared as Unicode lowers it.
        if !text.utf8.allSatisfy({ $0 < 0x80 }) { text = text.lowercased() }
        return text.withUTF8 { bytes in
            guard bytes.count >= part.count else { return false }
            return part.withUnsafeBufferPointer { part in
                for start in 0...(bytes.count - part.count) {
                    var at = 0
                    while at < part.count, lowered(bytes[start + at]) == part[at] { at += 1 }
                    if at == part.count { return true }
                }
                return false
            }
        }
    }

    private func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

/// In which order rows are seen.
struct RowOrder: Equatable {
    enum Key: String, CaseIterable { case simulation, screen, field, verdict, model, shown, age }

    var key = Key.simulation
    var isReversed = false

    /// Whether one row stands before another. Rows that are alike in the key stand in the order of their names.
    func precedes(_ one: Row, _ other: Row) -> Bool {
        let result = compared(one, other)
        if result != 0 { return (result < 0) != isReversed }
        return naturally(one.name, other.name) < 0
    }

    private func compared(_ one: Row, _ other: Row) -> Int {
        switch key {
        case .simulation: naturally(one.name, other.name)
        case .screen: naturally(one.parts.screen, other.parts.screen)
        case .field: naturally(one.parts.field, other.parts.field)
        case .verdict: one.verdict.urgency - other.verdict.urgency
        case .model: compared(one.model, other.model)
        case .shown: compared(one.shown, other.shown)
        // The newest change first; what was found is older than what was seen.
        case .age:
            one.wasFound != other.wasFound ? (one.wasFound ? 1 : -1) : other.moment - one.moment
        }
    }

    /// None before any text.
    private func compared(_ one: ShownValue, _ other: ShownValue) -> Int {
        guard let text = one.text, let otherText = other.text else {
            return (one.text == nil ? 0 : 1) - (other.text == nil ? 0 : 1)
        }
        return naturally(text, otherText)
    }
}

extension Verdict {
    /// The worst first.
    fileprivate var urgency: Int {
        switch self {
        case .stale: 0
        case .missing: 1
        case .leftover: 2
        case .matching: 3
        case .outOfScope: 4
        }
    }
}

/// Texts by their bytes, but numbers within them by their value: s2 before s10. Below zero when the first comes first.
func naturally(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
    let compare: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int = { one, other in
        var (at, there) = (0, 0)
        while at < one.count && there < other.count {
            if isDigit(one[at]) && isDigit(other[there]) {
                let (start, startThere) = (at, there)
                // Noughts in front change no value.
                while at < one.count && one[at] == UInt8(ascii: "0") { at += 1 }
                while there < other.count && other[there] == UInt8(ascii: "0") { there += 1 }
                let (first, firstThere) = (at, there)
                var difference = 0
                while at < one.count && there < other.count && isDigit(one[at]) && isDigit(other[there]) {
                    if difference == 0 { difference = Int(one[at]) - Int(other[there]) }
                    at += 1
                    there += 1
                }
                while at < one.count && isDigit(one[at]) { at += 1 }
                while there < other.count && isDigit(other[there]) { there += 1 }
                let longer = (at - first) - (there - firstThere)
                if longer != 0 { return longer }
                if difference != 0 { return difference }
                let noughts = (at - start) - (there - startThere)
                if noughts != 0 { return noughts }
            } else if one[at] != other[there] {
                return Int(one[at]) - Int(other[there])
            } else {
                at += 1
                there += 1
            }
        }
        return (one.count - at) - (other.count - there)
    }
    let result = one.utf8.withContiguousStorageIfAvailable { bytes in
        other.utf8.withContiguousStorageIfAvailable { compare(bytes, $0) }
    }
    if let result, let result { return result }
    // Texts of this program are contiguous; a bridged one would be copied.
    let (copy, otherCopy) = (Array(one.utf8), Array(other.utf8))
    return copy.withUnsafeBufferPointer { bytes in otherCopy.withUnsafeBufferPointer { compare(bytes, $0) } }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// All fields, and the ones that are seen, in their order. A value: a copy stays as it is.
struct Board {
    /// Rows stay at their number until they go; then it is free for another field.
    private var rows: [Row?] = []
    private var free: [Int32] = []
    private var numbers: [Bytes: Int32] = [:]
    private var all = SortedRows()
    private var seen = SortedRows()
    private var rowsOfSimulation: [Bytes: [Int32]] = [:]
    private var matcher = RowMatcher(RowFilter())

    private(set) var filter = RowFilter()
    private(set) var order = RowOrder()
    private(set) var counts: [Verdict: Int] = [:]

    init() {}

    var count: Int { all.count }
    /// Rows that the filter lets pass.
    var seenCount: Int { seen.count }
    var hiddenCount: Int { all.count - seen.count }

    func row(_ number: Int32) -> Row? {
        rows.indices.contains(Int(number)) ? rows[Int(number)] : nil
    }

    func number(of name: String) -> Int32? { numbers[Bytes(name)] }

    /// Numbers of seen rows from a position on.
    func seenRows(from position: Int, count: Int) -> [Int32] { seen.rows(from: position, count: count) }

    /// Where a row stands among those that are seen.
    func position(of number: Int32) -> Int? {
        row(number) == nil ? nil : seen.position(of: number, precedence)
    }

    // MARK: What is seen

    mutating func show(_ filter: RowFilter) {
        if filter == self.filter { return }
        self.filter = filter
        matcher = RowMatcher(filter)
        let (rows, matcher) = (rows, matcher)
        seen = filter.isEmpty ? all : all.filter { rows[Int($0)].map(matcher.matches) == true }
    }

    mutating func sort(by order: RowOrder) {
        if order == self.order { return }
        self.order = order
        let precedes = precedence
        all = SortedRows(inOrder: all.rows(from: 0, count: all.count).sorted(by: precedes))
        let (rows, matcher) = (rows, matcher)
        seen = filter.isEmpty ? all : all.filter { rows[Int($0)].map(matcher.matches) == true }
    }

    /// Of rows as they are now.
    private var precedence: (Int32, Int32) -> Bool {
        let (rows, order) = (rows, order)
        return { one, other in
            guard let row = rows[Int(one)], let otherRow = rows[Int(other)] else { return one < other }
            return order.precedes(row, otherRow)
        }
    }

    // MARK: What changes

    /// A field as it is, or as it has become.
    mutating func set(
        _ name: String, _ verdict: Verdict, model: ShownValue, shown: ShownValue, seq: UInt64,
        at moment: Moment, isChange: Bool
    ) {
        let number = numbers[Bytes(name)]
        if let number, var row = rows[Int(number)] {
            let wasSeen = matcher.matches(row)
            // A line of the snapshot tells again what is known already, when it was asked for anew.
            let isNews = isChange || row.verdict != verdict || row.model != model || row.shown != shown
            if isNews {
                row.changes.append(
                    .init(
                        moment: moment, seq: seq, from: row.verdict, to: verdict, model: model, shown: shown))
                if row.changes.count > Row.mostChanges { row.changes.removeFirst() }
                row.moment = moment
                row.wasFound = false
            }
            let before = row.verdict
            row.verdict = verdict
            row.model = model
            row.shown = shown
            row.seq = seq
            replace(number, with: row, before: before, wasSeen: wasSeen)
            return
        }
        var row = Row(
            name: name, verdict: verdict, model: model, shown: shown, seq: seq, moment: moment,
            wasFound: !isChange)
        if isChange {
            row.changes = [
                .init(
                    moment: moment, seq: seq, from: .outOfScope, to: verdict, model: model, shown: shown)
            ]
        }
        add(row)
    }

    private mutating func add(_ row: Row) {
        let number: Int32
        if let place = free.popLast() {
            number = place
            rows[Int(place)] = row
        } else {
            number = Int32(rows.count)
            rows.append(row)
        }
        numbers[Bytes(row.name)] = number
        rowsOfSimulation[Bytes(String(row.parts.simulation)), default: []].append(number)
        counts[row.verdict, default: 0] += 1
        let precedes = precedence
        all.insert(number, precedes)
        if matcher.matches(row) { seen.insert(number, precedes) }
    }

    private mutating func replace(_ number: Int32, with row: Row, before: Verdict, wasSeen: Bool) {
        counts[before, default: 0] -= 1
        counts[row.verdict, default: 0] += 1
        let isSeen = matcher.matches(row)
        // Where it stands can only be found while it is what it was.
        let moves = rows[Int(number)].map { order.precedes($0, row) || order.precedes(row, $0) } ?? false
        if moves { all.remove(number, precedence) }
        if wasSeen && (moves || !isSeen) { seen.remove(number, precedence) }
        rows[Int(number)] = row
        if moves { all.insert(number, precedence) }
        if isSeen && (moves || !wasSeen) { seen.insert(number, precedence) }
    }

    mutating func removeSimulation(_ id: String) {
        for number in rowsOfSimulation.removeValue(forKey: Bytes(id)) ?? [] {
            guard let row = rows[Int(number)] else { continue }
            // Made for each call: one that was kept would hold the rows, and they would be copied to be changed.
            all.remove(number, precedence)
            if matcher.matches(row) { seen.remove(number, precedence) }
            counts[row.verdict, default: 0] -= 1
            numbers[Bytes(row.name)] = nil
            rows[Int(number)] = nil
            free.append(number)
        }
    }

    /// Forgets every field; what is seen of those that come stays as it was.
    mutating func removeAll() {
        var empty = Board()
        empty.filter = filter
        empty.matcher = matcher
        empty.order = order
        self = empty
    }
}
