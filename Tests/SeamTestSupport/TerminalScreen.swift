/// What a terminal shows of the bytes that were written to it: the part of xterm and of the Linux console that ncurses
/// uses. What it does not know it keeps for the test to complain about, so nothing strange can pass for text.
public struct TerminalScreen: Sendable {
    public struct Look: Equatable, Sendable {
        public var isBold = false
        public var isDim = false
        public var isReverse = false
        public var isUnderlined = false
        /// 0 to 7 of the foreground; nil is the terminal's own.
        public var color: Int?
    }

    struct Cell: Equatable {
        /// Empty in the second column of a wide character.
        var text = " "
        var look = Look()
    }

    public private(set) var columns: Int
    public private(set) var rows: Int
    public private(set) var isAlternate = false
    public private(set) var showsCursor = true
    /// Whether any colour was ever asked for.
    public private(set) var hasUsedColors = false
    /// Sequences and control characters that are none of those that a drawing program sends.
    public private(set) var unknown: [String] = []
    /// How many pieces of output have come.
    public internal(set) var writes = 0
    /// Whether the terminal may reorder right-to-left text (BDSM).
    public private(set) var reordersText = true

    /// Whether what is there is half of a picture, whose rest is to come (DEC private mode 2026).
    public private(set) var isDrawing = false

    private var cells: [[Cell]]
    /// What is under the alternate screen.
    private var main: [[Cell]] = []
    private var row = 0
    private var column = 0
    private var wraps = false
    private var look = Look()
    private var region: ClosedRange<Int>
    private var saved = (row: 0, column: 0)
    private var last: Unicode.Scalar = " "
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Self.blank(columns, rows)
        region = 0...(rows - 1)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[Cell]] {
        [[Cell]](repeating: [Cell](repeating: Cell(), count: columns), count: rows)
    }

    // MARK: What it shows

    /// The lines, without the blanks at their ends.
    public var lines: [String] {
        cells.map { line in
            let text = line.map(\.text).joined()
            return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
        }
    }

    public var text: String { lines.joined(separator: "\n") }

    /// The first line with all of the parts.
    public func line(containing parts: String...) -> String? {
        lines.first { line in parts.allSatisfy(line.contains) }
    }

    /// How the text looks where it first stands on the screen; nil when it is not there, or not of one look.
    public func look(of text: String) -> Look? {
        for line in cells {
            var joined = ""
            var looks: [Look] = []
            for cell in line {
                joined += cell.text
                looks += [Look](repeating: cell.look, count: cell.text.unicodeScalars.count)
            }
            guard let range = joined.firstRange(of: text) else { continue }
            let start = joined[..<range.lowerBound].unicodeScalars.count
            let found = looks[start..<(start + text.unicodeScalars.count)]
            return found.allSatisfy { $0 == found.first } ? found.first : nil
        }
        return nil
    }

    /// The text of a line that is underlined and bold.
    public func marked(in line: Int) -> String {
        cells[line].filter { $0.look.isUnderlined && $0.look.isBold }.map(\.text).joined()
    }

    // MARK: What is written to it

    mutating func resize(columns: Int, rows: Int) {
        cells = (0..<rows).map { row in
            let line = row < cells.count ? cells[row] : []
            return (0..<columns).map { $0 < line.count ? line[$0] : Cell() }
        }
        self.columns = columns
        self.rows = rows
        region = 0...(rows - 1)
        row = min(row, rows - 1)
        column = min(column, columns - 1)
        wraps = false
    }

    mutating func write(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        var at = 0
        while at < pending.count {
            guard let length = take(at) else { break }
            at += length
        }
        pending.removeFirst(at)
    }

    /// Deals with what begins there and gives its length; nil when the rest of it is still to come.
    private mutating func take(_ start: Int) -> Int? {
        let byte = pending[start]
        if byte == 0x1b { return takeEscape(start) }
        if byte < 0x80 {
            byte < 0x20 || byte == 0x7f ? control(byte) : put(Unicode.Scalar(byte))
            return 1
        }
        let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
        guard start + length <= pending.count else { return nil }
        let text = String(decoding: pending[start..<(start + length)], as: UTF8.self)
        text.unicodeScalars.forEach { put($0) }
        return length
    }

    private mutating func control(_ byte: UInt8) {
        wraps = false
        switch byte {
        case 8: column = max(0, column - 1)
        case 9: column = min(columns - 1, column / 8 * 8 + 8)
        case 10: feed()
        case 13: column = 0
        // Shift in and out, of terminals with a second set of characters.
        case 14, 15: break
        default: unknown.append("control \(byte)")
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = Self.width(scalar)
        if width == 0 {
            let before = wraps ? column : column - 1
            if before >= 0 { cells[row][before].text.unicodeScalars.append(scalar) }
            return
        }
        // Invisible, or a way to change the direction: nothing that this screen could show as it is.
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            unknown.append("character \(String(scalar.value, radix: 16))")
        default: break
        }
        if wraps || column + width > columns {
            column = 0
            feed()
        }
        cells[row][column] = Cell(text: String(scalar), look: look)
        if width == 2 { cells[row][column + 1] = Cell(text: "", look: look) }
        last = scalar
        column += width
        wraps = column >= columns
        if wraps { column = columns - 1 }
    }

    private mutating func feed() {
        if row == region.upperBound { scroll(region, by: 1) } else { row = min(rows - 1, row + 1) }
        wraps = false
    }

    /// Upwards, or with a negative count downwards.
    private mutating func scroll(_ lines: ClosedRange<Int>, by count: Int) {
        let blank = [Cell](repeating: Cell(look: background), count: columns)
        for _ in 0..<min(abs(count), lines.count) {
            if count > 0 {
                cells.remove(at: lines.lowerBound)
                cells.insert(blank, at: lines.upperBound)
            } else {
                cells.remove(at: lines.upperBound)
                cells.insert(blank, at: lines.lowerBound)
            }
        }
    }

    /// What an erased place looks like.
    private var background: Look { Look() }

    private mutating func takeEscape(_ start: Int) -> Int? {
        guard start + 1 < pending.count else { return nil }
        switch pending[start + 1] {
        case UInt8(ascii: "["): return takeSequence(start)
        case UInt8(ascii: "("), UInt8(ascii: ")"): return start + 2 < pending.count ? 3 : nil
        case UInt8(ascii: "7"): saved = (row, column)
        case UInt8(ascii: "8"): (row, column) = saved
        case UInt8(ascii: "="), UInt8(ascii: ">"): break
        case UInt8(ascii: "M"):
            if row == region.lowerBound { scroll(region, by: -1) } else { row = max(0, row - 1) }
        case UInt8(ascii: "c"): break
        case let other: unknown.append("escape \(other)")
        }
        return 2
    }

    private mutating func takeSequence(_ start: Int) -> Int? {
        guard let end = pending[(start + 2)...].firstIndex(where: { $0 >= 0x40 && $0 <= 0x7e }) else {
            return nil
        }
        let body = String(decoding: pending[(start + 2)..<end], as: UTF8.self)
        let isPrivate = body.hasPrefix("?")
        let numbers = body.drop { "?>".contains($0) }.split(
            separator: ";", omittingEmptySubsequences: false
        ).map { Int($0) ?? 0 }
        perform(Character(Unicode.Scalar(pending[end])), numbers, isPrivate: isPrivate, body)
        return end - start + 1
    }

    private mutating func perform(_ final: Character, _ numbers: [Int], isPrivate: Bool, _ body: String) {
        let count = max(1, numbers.first ?? 1)
        if !"mb".contains(final) { wraps = false }
        switch final {
        case "A": row = max(0, row - count)
        case "B": row = min(rows - 1, row + count)
        case "C": column = min(columns - 1, column + count)
        case "D": column = max(0, column - count)
        case "G": column = min(columns, count) - 1
        case "d": row = min(rows, count) - 1
        case "H", "f":
            row = min(rows, count) - 1
            column = min(columns, max(1, numbers.count > 1 ? numbers[1] : 1)) - 1
        case "J": erase(numbers.first ?? 0, lines: true)
        case "K": erase(numbers.first ?? 0, lines: false)
        case "L": if region.contains(row) { scroll(row...region.upperBound, by: -count) }
        case "M": if region.contains(row) { scroll(row...region.upperBound, by: count) }
        case "S": scroll(region, by: count)
        case "T": scroll(region, by: -count)
        case "P":
            cells[row].removeSubrange(column..<min(columns, column + count))
            while cells[row].count < columns { cells[row].append(Cell()) }
        case "@":
            for _ in 0..<min(count, columns - column) { cells[row].insert(Cell(), at: column) }
            cells[row].removeSubrange(columns...)
        case "X": for at in column..<min(columns, column + count) { cells[row][at] = Cell() }
        case "b": for _ in 0..<count { put(last) }
        case "r":
            let bottom = numbers.count > 1 && numbers[1] > 0 ? numbers[1] : rows
            region = (count - 1)...(min(rows, bottom) - 1)
            (row, column) = (0, 0)
        case "m": select(numbers)
        case "h", "l": setModes(numbers, on: final == "h", isPrivate: isPrivate)
        // The title of the window, and questions about the terminal.
        case "t", "c", "n": break
        default: unknown.append("sequence \(body)\(final)")
        }
    }

    private mutating func erase(_ what: Int, lines: Bool) {
        func blank(_ row: Int, _ range: Range<Int>) { for at in range { cells[row][at] = Cell() } }
        blank(row, what == 0 ? column..<columns : 0..<(what == 1 ? column + 1 : columns))
        guard lines else { return }
        let others = what == 0 ? (row + 1)..<rows : what == 1 ? 0..<row : 0..<rows
        for other in others { blank(other, 0..<columns) }
    }

    private mutating func setModes(_ numbers: [Int], on: Bool, isPrivate: Bool) {
        for number in numbers {
            switch (isPrivate, number) {
            case (true, 1049), (true, 1047):
                if on && !isAlternate { main = cells }
                if on { cells = Self.blank(columns, rows) }
                if !on && isAlternate {
                    let under = main
                    cells = (0..<rows).map { row in
                        (0..<columns).map {
                            row < under.count && $0 < under[row].count ? under[row][$0] : Cell()
                        }
                    }
                }
                isAlternate = on
            case (true, 25): showsCursor = on
            case (true, 2026): isDrawing = on
            // Keys, wrapping, insertion, and how the cursor looks.
            case (true, 1), (true, 7), (true, 12), (true, 1034), (true, 2004), (false, 4), (false, 34): break
            case (false, 8): reordersText = on
            default: unknown.append("mode \(number)")
            }
        }
    }

    private mutating func select(_ numbers: [Int]) {
        for number in numbers {
            switch number {
            case 0: look = Look()
            case 1: look.isBold = true
            case 2: look.isDim = true
            case 4: look.isUnderlined = true
            case 7: look.isReverse = true
            case 22: (look.isBold, look.isDim) = (false, false)
            case 24: look.isUnderlined = false
            case 27: look.isReverse = false
            case 30...37:
                look.color = number - 30
                hasUsedColors = true
            case 39: look.color = nil
            case 40...47: hasUsedColors = true
            // The terminal's own background, and the normal set of characters of the Linux console.
            case 49, 10: break
            default: unknown.append("look \(number)")
            }
        }
    }

    /// Its own judgement, not that of the program under test.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
