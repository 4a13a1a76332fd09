/// What can be seen of a pasted Swift file without a compiler: its types with their stored properties, initialisers and
/// methods, and the names that its views have.
struct PastedSource {
    struct Token {
        enum Kind { case word, text, number, symbol }
        let kind: Kind
        let text: String
        let line: Int
    }

    struct Property {
        let name: String
        /// As written, or as the initial value tells; empty when neither does.
        let type: String
        let attributes: [String]
        let isWritable: Bool
        let isPrivate: Bool
        let hasValue: Bool
        /// The value, where that is a literal.
        var literal: String?
        /// Whether a memberwise initialiser takes it although it has a value.
        let isVariable: Bool
    }

    struct Argument {
        /// None for `_`.
        let label: String?
        let name: String
        let type: String
        let hasValue: Bool
        var literal: String?
    }

    struct Method {
        let name: String
        let arguments: [Argument]
        let isCallable: Bool

        /// `init?(coder: NSCoder)`, whatever the archive is called inside.
        var isForStoryboard: Bool {
            name == "init" && arguments.first?.label == "coder" && arguments.first?.type == "NSCoder"
        }
    }

    struct Declared {
        let keyword: String
        let name: String
        let line: Int
        let inherits: [String]
        let isPrivate: Bool
        let isGeneric: Bool
        let attributes: [String]
        var properties: [Property] = []
        var initialisers: [Method] = []
        var methods: [Method] = []
        var cases: [String] = []
        /// Of the tokens between its braces.
        var body: Range<Int> = 0..<0

        func has(_ attribute: String) -> Bool { attributes.contains(attribute) }
    }

    let tokens: [Token]
    private(set) var types: [Declared] = []
    private(set) var imports: [(name: String, line: Int)] = []

    init(_ text: String) {
        var lexer = Lexer(text)
        tokens = lexer.read()
        var reader = Reader(tokens)
        reader.readMembers(until: tokens.count, into: nil)
        types = reader.types
        imports = reader.imports
        // What an extension adds belongs to the type that it extends.
        for extra in reader.extensions {
            guard let index = types.firstIndex(where: { $0.name == extra.name }) else { continue }
            types[index] = types[index].adding(extra)
        }
    }

    func type(_ name: String) -> Declared? { types.first { $0.name == name } }

    /// What it inherits from, of the frameworks: through the classes of the file.
    func ancestors(of type: Declared) -> [String] {
        var found: [String] = []
        var open = type.inherits
        while let next = open.popLast(), !found.contains(next) {
            found.append(next)
            let name = String(next.prefix { $0 != "<" })
            if let declared = self.type(name), declared.keyword == "class" { open += declared.inherits }
        }
        return found
    }

    /// The tokens of a line.
    func line(_ number: Int) -> [Token] { tokens.filter { $0.line == number } }
}

extension PastedSource.Declared {
    fileprivate func adding(_ other: Self) -> Self {
        var sum = Self(
            keyword: keyword, name: name, line: line, inherits: inherits + other.inherits,
            isPrivate: isPrivate,
            isGeneric: isGeneric, attributes: attributes)
        sum.properties = properties
        sum.initialisers = initialisers + other.initialisers
        sum.methods = methods + other.methods
        sum.cases = cases
        sum.body = body
        return sum
    }
}

// MARK: Words and signs

private struct Lexer {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var tokens: [PastedSource.Token] = []

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() -> [PastedSource.Token] {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                at += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): at += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while let next = peek(), next != UInt8(ascii: "\n") { at += 1 }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): comment()
            case UInt8(ascii: "\""): string(hashes: 0)
            case UInt8(ascii: "#") where isRawString: string(hashes: hashes)
            case UInt8(ascii: "`"): quotedWord()
            case let byte where Self.isWord(byte): word()
            case UInt8(ascii: "-") where peek(1) == UInt8(ascii: ">"): sign(length: 2)
            default: sign(length: 1)
            }
        }
        return tokens
    }

    private func peek(_ ahead: Int = 0) -> UInt8? { at + ahead < bytes.count ? bytes[at + ahead] : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private var hashes: Int { bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count }
    private var isRawString: Bool { peek(hashes) == UInt8(ascii: "\"") }

    private mutating func add(_ kind: PastedSource.Token.Kind, _ range: Range<Int>, line: Int? = nil) {
        tokens.append(
            PastedSource.Token(
                kind: kind, text: String(decoding: bytes[range], as: UTF8.self), line: line ?? self.line))
    }

    /// Comments nest.
    private mutating func comment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                at += 2
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                at += 2
            } else {
                if peek() == UInt8(ascii: "\n") { line += 1 }
                at += 1
            }
        } while depth > 0 && at < bytes.count
    }

    /// A text of any form, with what it interpolates.
    private mutating func string(hashes: Int) {
        let first = line
        let range = passString(hashes: hashes)
        add(.text, range, line: first)
    }

    /// - Returns: what stands between the quotes.
    private mutating func passString(hashes: Int) -> Range<Int> {
        at += hashes
        let isLong = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        at = min(at + quotes, bytes.count)
        let start = at
        while let byte = peek() {
            if byte == UInt8(ascii: "\\"), hashes == 0, peek(1) == UInt8(ascii: "(") {
                interpolation(isLong: isLong)
            } else if byte == UInt8(ascii: "\\"), hashes == 0 {
                at = min(at + 2, bytes.count)
            } else if byte == UInt8(ascii: "\n"), !isLong {
                break
            } else if ends(quotes: quotes, hashes: hashes) {
                let end = at
                at += quotes + hashes
                return start..<end
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                at += 1
            }
        }
        return start..<at
    }

    /// An expression in a text: brackets and texts of its own.
    private mutating func interpolation(isLong: Bool) {
        at += 1
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                _ = passString(hashes: 0)
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\n"):
                if !isLong { return }
                line += 1
            default: break
            }
            at += 1
            if depth == 0 { return }
        }
    }

    private func ends(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private mutating func quotedWord() {
        let start = at + 1
        at = start
        while let byte = peek(), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") { at += 1 }
        add(.word, start..<at)
        at += 1
    }

    private mutating func word() {
        let start = at
        let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at])
        while let byte = peek() {
            let isPoint =
                isNumber && byte == UInt8(ascii: ".")
                && peek(1).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
            guard Self.isWord(byte) || isPoint else { break }
            at += 1
        }
        add(isNumber ? .number : .word, start..<at)
    }

    private mutating func sign(length: Int) {
        add(.symbol, at..<at + length)
        at += length
    }
}

// MARK: Declarations

private struct Reader {
    private let tokens: [PastedSource.Token]
    private var at = 0
    var types: [PastedSource.Declared] = []
    var extensions: [PastedSource.Declared] = []
    var imports: [(name: String, line: Int)] = []

    init(_ tokens: [PastedSource.Token]) { self.tokens = tokens }

    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "open", "package", "static", "final", "lazy", "weak",
        "unowned", "override", "required", "convenience", "mutating", "nonmutating", "nonisolated",
        "indirect",
        "dynamic", "optional", "isolated", "prefix", "postfix", "infix",
    ]
    private static let typeKeywords: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "extension",
    ]

    private func text(_ ahead: Int = 0) -> String { at + ahead < tokens.count ? tokens[at + ahead].text : "" }
    private func isSign(_ sign: String, _ ahead: Int = 0) -> Bool {
        at + ahead < tokens.count && tokens[at + ahead].kind == .symbol && tokens[at + ahead].text == sign
    }

    /// Passes over a bracket and all that is in it.
    private mutating func skipBrackets() {
        var depth = 0
        repeat {
            if tokens[at].kind == .symbol {
                switch tokens[at].text {
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                default: break
                }
            }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    private var opens: Bool { isSign("(") || isSign("[") || isSign("{") }

    /// The declarations up to a place, those of a type's body into that type.
    mutating func readMembers(until end: Int, into owner: Int?, inExtension: Bool = false) {
        var attributes: [String] = []
        var modifiers: [String] = []
        func clear() {
            attributes = []
            modifiers = []
        }
        while at < end {
            if isSign("@") {
                at += 1
                attributes.append(text())
                at += 1
                if isSign("(") { skipBrackets() }
                continue
            }
            guard tokens[at].kind == .word else {
                if opens { skipBrackets() } else { at += 1 }
                clear()
                continue
            }
            let word = text()
            switch word {
            case "import":
                let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
                let ahead = kinds.contains(text(1)) ? 2 : 1
                imports.append((text(ahead), tokens[at].line))
                at += ahead + 1
                clear()
            case _ where Self.typeKeywords.contains(word) && !["func", "var", "let"].contains(text(1)):
                readType(attributes, modifiers, until: end)
                clear()
            case _ where Self.modifiers.contains(word) || word == "class":
                at += 1
                if isSign("("), text(1) == "set" || text(1) == "safe" || text(1) == "unsafe" {
                    modifiers.append("\(word)(\(text(1)))")
                    skipBrackets()
                } else {
                    modifiers.append(word)
                }
            case "var", "let":
                let property = readProperty(attributes, modifiers, until: end)
                if let property, !inExtension { change(owner, false) { $0.properties.append(property) } }
                clear()
            case "func":
                at += 1
                let name = text()
                at += 1
                skipGenerics()
                let arguments = isSign("(") ? readArguments() : []
                skipBody(until: end)
                let hidden: Set<String> = [
                    "private", "fileprivate", "static", "class", "override", "mutating",
                ]
                let method = PastedSource.Method(
                    name: name, arguments: arguments, isCallable: hidden.isDisjoint(with: modifiers))
                change(owner, inExtension) { $0.methods.append(method) }
                clear()
            case "init":
                at += 1
                if isSign("?") || isSign("!") { at += 1 }
                skipGenerics()
                let arguments = isSign("(") ? readArguments() : []
                skipBody(until: end)
                let isOpen = !modifiers.contains("private") && !modifiers.contains("fileprivate")
                let method = PastedSource.Method(name: "init", arguments: arguments, isCallable: isOpen)
                change(owner, inExtension) { $0.initialisers.append(method) }
                clear()
            case "case":
                if text(2) != "(" || !isSign("(", 2) {
                    let name = text(1)
                    change(owner, inExtension) { $0.cases.append(name) }
                }
                at += 2
                clear()
            default:
                at += 1
                clear()
            }
        }
    }

    private mutating func change(
        _ owner: Int?, _ inExtension: Bool, _ change: (inout PastedSource.Declared) -> Void
    ) {
        guard let owner else { return }
        if inExtension { change(&extensions[owner]) } else { change(&types[owner]) }
    }

    private mutating func readType(_ attributes: [String], _ modifiers: [String], until end: Int) {
        let keyword = text()
        let line = tokens[at].line
        at += 1
        var name = text()
        at += 1
        while isSign("."), keyword == "extension" {
            name = text(1)
            at += 2
        }
        let isGeneric = isSign("<")
        skipGenerics()
        var inherits: [String] = []
        if isSign(":") {
            at += 1
            var current = ""
            var depth = 0
            while at < end, !(isSign("{") && depth == 0), text() != "where" {
                if isSign("<") { depth += 1 }
                if isSign(">") { depth -= 1 }
                if isSign("@") {
                    at += 2
                    continue
                }
                if isSign(","), depth == 0 {
                    inherits.append(current)
                    current = ""
                } else {
                    current += text()
                }
                at += 1
            }
            inherits.append(current)
        }
        while at < end, !isSign("{") { at += 1 }
        guard at < end else { return }
        let open = at
        skipBrackets()
        let close = at
        at = open + 1
        var declared = PastedSource.Declared(
            keyword: keyword, name: name, line: line, inherits: inherits,
            isPrivate: modifiers.contains("private") || modifiers.contains("fileprivate"),
            isGeneric: isGeneric,
            attributes: attributes)
        declared.body = open..<close
        if keyword == "extension" {
            extensions.append(declared)
            readMembers(until: close - 1, into: extensions.count - 1, inExtension: true)
        } else {
            types.append(declared)
            readMembers(until: close - 1, into: types.count - 1)
        }
        at = close
    }

    private mutating func skipGenerics() {
        guard isSign("<") else { return }
        var depth = 0
        repeat {
            if isSign("<") { depth += 1 }
            if isSign(">") { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    /// The body of a function, of which no more is said here.
    private mutating func skipBody(until end: Int) {
        while at < end, !isSign("{") {
            // In a protocol there is none.
            if tokens[at].kind == .word,
                ["func", "var", "let", "init", "case", "struct", "class"].contains(text())
            {
                return
            }
            if isSign("(") || isSign("[") { skipBrackets() } else { at += 1 }
        }
        if at < end { skipBrackets() }
    }

    /// A type as it is written, up to what can't belong to it.
    private mutating func readTypeName(until end: Int) -> String {
        var name = ""
        var line = at < end ? tokens[at].line : 0
        var angles = 0
        while at < end {
            let token = tokens[at]
            if token.kind == .symbol, angles == 0, ["=", "{", ",", ")", ";"].contains(token.text) { break }
            if token.line != line, angles == 0, !["->", "&", "."].contains(token.text), !name.hasSuffix("->")
            {
                break
            }
            if isSign("<") { angles += 1 }
            if isSign(">") { angles -= 1 }
            if isSign("@") {
                at += 2
                line = at < end ? tokens[at].line : line
                continue
            }
            if isSign("(") || isSign("[") {
                let start = at
                skipBrackets()
                name += tokens[start..<at].map { $0.text == "->" || $0.text == "," ? "\($0.text) " : $0.text }
                    .joined()
                line = tokens[at - 1].line
                continue
            }
            name +=
                token.text == "->"
                ? " -> " : ["any", "some", "inout"].contains(token.text) ? "\(token.text) " : token.text
            line = token.line
            at += 1
        }
        return name
    }

    private mutating func readProperty(
        _ attributes: [String], _ modifiers: [String], until end: Int
    ) -> PastedSource.Property? {
        let isVariable = text() == "var"
        at += 1
        guard at < end, tokens[at].kind == .word else { return nil }
        let name = text()
        at += 1
        var type = ""
        if isSign(":") {
            at += 1
            type = readTypeName(until: end)
        }
        var hasValue = false
        var literal: String?
        if isSign("=") {
            at += 1
            hasValue = true
            if type.isEmpty { type = typeOfValue() }
            let start = at
            skipValue(until: end)
            if at == start + 1 { literal = Self.literal(tokens[start]) }
        }
        if isSign("{") {
            let isStored = ["didSet", "willSet"].contains(text(1))
            skipBrackets()
            if !isStored { return nil }
        }
        let isStatic =
            modifiers.contains("static") || modifiers.contains("class") || modifiers.contains("lazy")
        if isStatic { return nil }
        let isPrivate = modifiers.contains("private") || modifiers.contains("fileprivate")
        return PastedSource.Property(
            name: name, type: type, attributes: attributes,
            isWritable: isVariable && !isPrivate && !modifiers.contains { $0.hasSuffix("(set)") },
            isPrivate: isPrivate,
            hasValue: hasValue || isVariable && (type.hasSuffix("?") || type.hasSuffix("!")),
            literal: literal,
            isVariable: isVariable)
    }

    private static func literal(_ token: PastedSource.Token) -> String? {
        switch token.kind {
        case .text: token.text.contains("\n") ? nil : "\"\(token.text)\""
        case .number: token.text
        default: ["true", "false", "nil"].contains(token.text) ? token.text : nil
        }
    }

    private func typeOfValue() -> String {
        guard at < tokens.count else { return "" }
        let token = tokens[at]
        switch token.kind {
        case .text: return "String"
        case .number: return token.text.contains(".") ? "Double" : "Int"
        case .word where token.text == "true" || token.text == "false": return "Bool"
        case .word where isSign("(", 1) && token.text.first?.isUppercase == true: return token.text
        case .symbol where token.text == "-" && at + 1 < tokens.count && tokens[at + 1].kind == .number:
            return tokens[at + 1].text.contains(".") ? "Double" : "Int"
        default: return ""
        }
    }

    /// Up to the end of the expression: the line, unless the next one goes on with it.
    private mutating func skipValue(until end: Int) {
        var line = tokens[min(at, tokens.count - 1)].line
        var isFirst = true
        while at < end {
            let token = tokens[at]
            let goesOn = token.kind == .symbol && [".", "?", "&", "|", "+", "*", "="].contains(token.text)
            if !isFirst, token.line != line, !goesOn { return }
            if token.kind == .symbol, [";", "}"].contains(token.text) { return }
            // `= 3 { didSet { … } }`
            if isSign("{"), ["didSet", "willSet"].contains(text(1)) { return }
            if opens { skipBrackets() } else { at += 1 }
            line = tokens[at - 1].line
            isFirst = false
        }
    }

    private mutating func readArguments() -> [PastedSource.Argument] {
        let open = at
        skipBrackets()
        let close = at - 1
        defer { at = close + 1 }
        at = open + 1
        var arguments: [PastedSource.Argument] = []
        while at < close {
            if isSign("@") {
                at += 2
                if isSign("(") { skipBrackets() }
                continue
            }
            guard tokens[at].kind == .word else {
                at += 1
                continue
            }
            let label = text()
            at += 1
            var name = label
            if at < close, tokens[at].kind == .word {
                name = text()
                at += 1
            }
            guard isSign(":") else { continue }
            at += 1
            let type = readTypeName(until: close)
            var hasValue = false
            if isSign("=") {
                hasValue = true
                while at < close, !isSign(",") { if opens { skipBrackets() } else { at += 1 } }
            }
            arguments.append(
                PastedSource.Argument(
                    label: label == "_" ? nil : label, name: name, type: type, hasValue: hasValue))
            if isSign(",") { at += 1 }
        }
        return arguments
    }
}
