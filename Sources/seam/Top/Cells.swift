internal import CCurses

// Text as a terminal's columns hold it.

/// What takes one place in a line and is never divided: a character with its marks, or the escape of one that a terminal
/// must not see.
struct Cell: Equatable {
    var text: String
    var columns: Int
}

extension Cell {
    /// How many marks may stand on a character; ncurses has no room for more, and would drop them in silence.
    private static let mostMarks = 4

    /// Text in cells, safe for any terminal. What drives a terminal, what has no width of its own, what is no character
    /// (yet), blanks that look like another, and what terminals join in ways of their own come as `\n`, `\t` or `\u{…}`;
    /// without Unicode, everything that is not ASCII does.
    static func cells(_ text: String, hasUnicode: Bool) -> [Cell] {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
            return text.utf8.map { Cell(text: String(Unicode.Scalar($0)), columns: 1) }
        }
        var cells: [Cell] = []
        cells.reserveCapacity(text.utf8.count)
        // Marks that the last cell carries; nil when it can carry none.
        var marks: Int?
        for scalar in text.unicodeScalars {
            switch place(of: scalar, hasUnicode: hasUnicode) {
            case 0:
                if let count = marks, count < mostMarks {
                    cells[cells.count - 1].text.unicodeScalars.append(scalar)
                    marks = count + 1
                } else {
                    cells.append(escape(scalar))
                    marks = nil
                }
            case let columns?:
                cells.append(Cell(text: String(scalar), columns: columns))
                marks = 0
            case nil:
                cells.append(escape(scalar))
                marks = nil
            }
        }
        return cells
    }

    /// The columns that a scalar takes as it is, nil for one that is to be escaped.
    private static func place(of scalar: Unicode.Scalar, hasUnicode: Bool) -> Int? {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7f ? 1 : nil }
        guard hasUnicode else { return nil }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return nil
        default: break
        }
        // Flags, skin tones and the choice of a picture: how wide the whole becomes, each terminal decides for itself.
        if properties.isVariationSelector || properties.isEmojiModifier || properties.isRegionalIndicator
            || properties.isDefaultIgnorableCodePoint
        {
            return nil
        }
        let columns = Int(ccurses_width(Int32(bitPattern: scalar.value)))
        return columns < 0 ? nil : columns
    }

    private static func escape(_ scalar: Unicode.Scalar) -> Cell {
        let text =
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        return Cell(text: text, columns: text.utf8.count)
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isRegionalIndicator: Bool { isEmoji && name?.hasPrefix("REGIONAL INDICATOR") == true }
}

/// How a piece of text looks.
struct Look: OptionSet, Hashable {
    let rawValue: UInt32

    static let bold = Look(rawValue: UInt32(CCURSES_BOLD))
    static let dim = Look(rawValue: UInt32(CCURSES_DIM))
    static let reverse = Look(rawValue: UInt32(CCURSES_REVERSE))
    static let underline = Look(rawValue: UInt32(CCURSES_UNDERLINE))

    /// The colours of the command line.
    init(_ color: Style.Color) {
        self =
            switch color {
            case .red: Look(rawValue: UInt32(CCURSES_RED))
            case .green: Look(rawValue: UInt32(CCURSES_GREEN))
            case .yellow: Look(rawValue: UInt32(CCURSES_YELLOW))
            case .magenta: Look(rawValue: UInt32(CCURSES_MAGENTA))
            case .dim: .dim
            case .bold: .bold
            }
    }

    init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A line of the screen, put together from the left; what does not fit is not there.
struct ScreenLine: Equatable {
    struct Piece: Equatable {
        var text: String
        var columns: Int
        var look: Look
    }

    let width: Int
    private(set) var pieces: [Piece] = []
    private(set) var columns = 0

    init(width: Int) { self.width = width }

    var left: Int { width - columns }
    var text: String { pieces.map(\.text).joined() }

    mutating func add(_ cells: some Sequence<Cell>, _ look: Look = []) {
        var piece = Piece(text: "", columns: 0, look: look)
        for cell in cells {
            guard cell.columns <= width - columns else { break }
            piece.text += cell.text
            piece.columns += cell.columns
            columns += cell.columns
        }
        if piece.text.isEmpty { return }
        if pieces.last?.look == look {
            pieces[pieces.count - 1].text += piece.text
            pieces[pieces.count - 1].columns += piece.columns
        } else {
            pieces.append(piece)
        }
    }

    /// Text of this program's own, in ASCII or in characters of one column.
    mutating func add(_ text: String, _ look: Look = []) {
        add(text.map { Cell(text: String($0), columns: 1) }, look)
    }

    /// Blanks up to a column.
    mutating func fill(to column: Int, _ look: Look = []) {
        let count = min(column, width) - columns
        if count > 0 { add(String(repeating: " ", count: count), look) }
    }

    /// All of it in reverse.
    mutating func select() {
        fill(to: width)
        for at in pieces.indices { pieces[at].look.formUnion(.reverse) }
    }
}

extension Collection where Element == Cell {
    var columns: Int { reduce(0) { $0 + $1.columns } }
}

/// A part of a text that fits a width: the beginning, or, when what matters lies further behind, the part around it.
struct Excerpt {
    var cells: ArraySlice<Cell>
    var isCutBefore = false
    var isCutBehind = false

    /// - Parameter place: the cell that has to be seen, if it is there.
    init(_ all: [Cell], columns: Int, showing place: Int?) {
        cells = all[...]
        guard all.columns > columns else { return }
        let place = min(place ?? 0, all.count - 1)
        var start = 0
        // One column is for the sign that something was cut, at either end.
        if place > 0, all[...place].columns > columns - 1 {
            isCutBefore = true
            // A third of the width for what stands before it, as far as it leaves room for the place itself.
            start = place
            let most = min(columns / 3, columns - 2 - all[place].columns)
            var before = 0
            while start > 0, before + all[start - 1].columns <= most {
                start -= 1
                before += all[start].columns
            }
        }
        var room = columns - (isCutBefore ? 1 : 0)
        isCutBehind = all[start...].columns > room
        if isCutBehind { room -= 1 }
        var end = start
        while end < all.count, all[end].columns <= room {
            room -= all[end].columns
            end += 1
        }
        // At the end of the text there may be room for more of what is before.
        while start > 0, all[start - 1].columns <= room {
            start -= 1
            room -= all[start].columns
        }
        cells = all[start..<end]
    }
}
