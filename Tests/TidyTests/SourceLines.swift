/// A Swift or C file taken apart into what is code and what is comment, line by line. Texts are left out of the
/// code: a checker that looks for a word must not find it in a message that speaks of it.
///
/// Not a parser, and swift-syntax cannot be fetched. What it knows suffices to tell the three apart: nested block
/// comments, raw and multi-line texts, code inside `\(…)`. It does not know regex literals: a quote in one hides
/// the rest of that line.
struct SourceLines {
    struct Line {
        var code = ""
        var comment = ""
    }

    let lines: [Line]

    init(_ source: String, isC: Bool = false) {
        var reader = Reader(bytes: Array(source.utf8), isC: isC)
        while reader.step() {}
        lines = reader.lines
    }

    /// The modules that the file imports, with the line's number from 1.
    var imports: [(line: Int, module: String)] {
        lines.enumerated().compactMap { index, line in
            // The pattern is slow, and one line in fifty is an import.
            guard line.code.contains("import "), let match = line.code.firstMatch(of: Self.importLine) else {
                return nil
            }
            return (index + 1, String(match.1))
        }
    }

    private static var importLine: Regex<(Substring, Substring)> {
        #/
            ^\s* (?:@\w+(?:\([^)]*\))?\s+)*
            (?:(?:public|package|internal|fileprivate|private)\s+)?
            import\s+ (?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)? (\w+)
        /#
    }

    /// On bytes: everything that matters here is ASCII, and on characters the whole checkout took seven seconds.
    private struct Reader {
        let bytes: [UInt8]
        let isC: Bool
        var lines: [Line] = []

        private var at = 0
        private var code: [UInt8] = []
        private var comment: [UInt8] = []
        private var modes: [Mode] = []

        private enum Mode {
            case lineComment
            case blockComment(depth: Int)
            case text(quote: UInt8, quotes: Int, hashes: Int)
            /// Code inside `\(…)`; `parentheses` are those still open, one too many ends it.
            case interpolation(parentheses: Int)
        }

        init(bytes: [UInt8], isC: Bool) {
            self.bytes = bytes
            self.isC = isC
        }

        /// Takes the next thing; false when there is none and the last line is in.
        mutating func step() -> Bool {
            guard at < bytes.count else {
                endLine()
                return false
            }
            if bytes[at] == UInt8(ascii: "\n") {
                endLine()
                at += 1
                switch modes.last {
                case .lineComment, .text(_, quotes: 1, _): modes.removeLast()
                default: break
                }
                return true
            }
            switch modes.last {
            case .lineComment: take(into: \.comment)
            case .blockComment(let depth): readBlockComment(depth)
            case .text(let quote, let quotes, let hashes): readText(quote, quotes, hashes)
            case .interpolation(let parentheses): readCode(open: parentheses)
            case nil: readCode(open: nil)
            }
            return true
        }

        private mutating func endLine() {
            lines.append(
                Line(
                    code: String(decoding: code, as: UTF8.self),
                    comment: String(decoding: comment, as: UTF8.self)))
            code = []
            comment = []
        }

        private mutating func take(into part: WritableKeyPath<Reader, [UInt8]>) {
            self[keyPath: part].append(bytes[at])
            at += 1
        }

        /// Whether `count` bytes from `position` are all `byte`.
        private func run(of byte: UInt8, _ count: Int, at position: Int) -> Bool {
            position + count <= bytes.count && bytes[position..<position + count].allSatisfy { $0 == byte }
        }

        private func starts(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
            bytes[at] == UInt8(ascii: first) && at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: second)
        }

        private mutating func readBlockComment(_ depth: Int) {
            if starts("*", "/") {
                modes.removeLast()
                if depth > 1 { modes.append(.blockComment(depth: depth - 1)) }
                at += 2
            } else if !isC && starts("/", "*") {
                modes[modes.count - 1] = .blockComment(depth: depth + 1)
                at += 2
            } else {
                take(into: \.comment)
            }
        }

        private mutating func readText(_ quote: UInt8, _ quotes: Int, _ hashes: Int) {
            let hash = UInt8(ascii: "#")
            if bytes[at] == UInt8(ascii: "\\") && run(of: hash, hashes, at: at + 1) {
                at += 1 + hashes
                guard at < bytes.count else { return }
                if !isC && bytes[at] == UInt8(ascii: "(") {
                    modes.append(.interpolation(parentheses: 0))
                    take(into: \.code)
                } else if bytes[at] != UInt8(ascii: "\n") {
                    // The escaped one cannot end the text.
                    at += 1
                }
            } else if run(of: quote, quotes, at: at) && run(of: hash, hashes, at: at + quotes) {
                modes.removeLast()
                code.append(UInt8(ascii: "\""))
                at += quotes + hashes
            } else {
                at += 1
            }
        }

        private mutating func readCode(open parentheses: Int?) {
            let hashes = isC ? 0 : bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count
            let double = UInt8(ascii: "\"")
            if starts("/", "/") {
                modes.append(.lineComment)
                at += 2
            } else if starts("/", "*") {
                modes.append(.blockComment(depth: 1))
                at += 2
            } else if run(of: double, 1, at: at + hashes) || (isC && bytes[at] == UInt8(ascii: "'")) {
                let quotes = !isC && run(of: double, 3, at: at + hashes) ? 3 : 1
                modes.append(.text(quote: isC ? bytes[at] : double, quotes: quotes, hashes: hashes))
                code.append(double)
                at += hashes + quotes
            } else {
                if let parentheses, bytes[at] == UInt8(ascii: "(") {
                    modes[modes.count - 1] = .interpolation(parentheses: parentheses + 1)
                } else if let parentheses, bytes[at] == UInt8(ascii: ")") {
                    modes.removeLast()
                    if parentheses > 0 { modes.append(.interpolation(parentheses: parentheses - 1)) }
                }
                take(into: \.code)
            }
        }
    }
}
