/// A field of a pasted view: what it is called, and what is put into it.
struct PastedField {
    enum Shows: Equatable {
        /// A value as it is, or nothing that could be seen.
        case value([String])
        /// Always the same text.
        case constant(String)
        /// A text that values stand in: its literal as written, and the names of the values.
        case text(String, [[String]])
        /// Whatever else is worked out, as written.
        case other(String)

        var isValue: Bool { if case .value = self { true } else { false } }
    }

    let name: String
    /// The words beside it in the file.
    let words: Set<String>
    let shows: Shows
    /// Whether its name comes from its place, as the name of a view without an identifier does.
    var isDerived = false
}

extension PastedSource {
    private func isSign(_ index: Int, _ sign: String) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .symbol && tokens[index].text == sign
    }

    private func isWord(_ index: Int, _ word: String) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .word && tokens[index].text == word
    }

    /// The place of the bracket that ends what this one opens.
    private func closing(of open: Int) -> Int? {
        var depth = 0
        for index in open..<tokens.count where tokens[index].kind == .symbol {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }

    /// The first argument of a call whose bracket is here.
    private func firstArgument(of open: Int) -> Range<Int>? {
        guard isSign(open, "("), let close = closing(of: open) else { return nil }
        var start = open + 1
        if isSign(start + 1, ":"), isWord(start, "verbatim") { start += 2 }
        var depth = 0
        for index in start..<max(start, close) where tokens[index].kind == .symbol {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "," where depth == 0: return start..<index
            default: break
            }
        }
        return start < close ? start..<close : nil
    }

    // MARK: What an expression shows

    /// What is shown by an expression.
    func shows(_ range: Range<Int>) -> PastedField.Shows {
        var part = tokens[range]
        // `String(count)` is the value as a text.
        if part.count > 3, part.first?.text == "String", isSign(range.lowerBound + 1, "("),
            closing(of: range.lowerBound + 1) == range.upperBound - 1, !isSign(range.lowerBound + 3, ":")
        {
            part = part.dropFirst(2).dropLast()
        }
        if part.count == 1, let only = part.first, only.kind == .text {
            return Self.shows(literal: only.text)
        }
        if let names = Self.names(part) { return .value(names) }
        // Whatever stands in for a value that is not there: the value itself is shown as it is.
        if part.count > 3, let last = part.last, last.kind == .text, !last.text.contains("\\("),
            part.dropLast().suffix(2).allSatisfy({ $0.text == "?" }), let names = Self.names(part.dropLast(3))
        {
            return .value(names)
        }
        if let names = Self.nameUnlessEmpty(part) { return .value(names) }
        return .other(Self.written(part))
    }

    /// `text.isEmpty ? placeholder : text` is the text, and `name == nil ? "none" : name!` the name.
    private static func nameUnlessEmpty(_ part: ArraySlice<Token>) -> [String]? {
        let signs = part.indices.filter { part[$0].kind == .symbol }
        guard
            let question = signs.first(where: {
                part[$0].text == "?" && part[$0 + 1 < part.endIndex ? $0 + 1 : $0].text != "?"
            }),
            let colon = signs.last(where: { part[$0].text == ":" }), colon > question
        else { return nil }
        let condition = part[..<question].filter { $0.kind == .word }.map(\.text).filter { $0 != "self" }
        for branch in [part[(question + 1)..<colon], part[(colon + 1)...]] {
            guard let names = names(branch) else { continue }
            if condition == names + ["isEmpty"] || condition == names + ["nil"] { return names }
        }
        return nil
    }

    /// Tokens as somebody would write them.
    private static func written(_ part: ArraySlice<Token>) -> String {
        var text = ""
        var last: Token?
        for token in part {
            let isTight =
                last.map { $0.kind == .symbol && [".", "(", "[", "!", "@", "\\"].contains($0.text) } ?? true
                || token.kind == .symbol
                    && ([".", ",", ")", "]"].contains(token.text)
                        || token.text == ":" && !part.contains { $0.text == "?" }
                        || ["(", "["].contains(token.text) && last?.kind == .word
                        || token.text == "?" && last?.text == "?")
            if !isTight { text += " " }
            text += token.kind == .text ? "\"\(token.text)\"" : token.text
            last = token
        }
        return text
    }

    /// `self.store.count`, `$store.count` or `host!.count` as its names.
    private static func names(_ part: ArraySlice<Token>) -> [String]? {
        var names: [String] = []
        var isName = true
        for token in part {
            if token.kind == .word {
                guard isName, let first = token.text.unicodeScalars.first else { return nil }
                if token.text != "self" {
                    names.append(first == "$" ? String(token.text.dropFirst()) : token.text)
                }
                isName = false
            } else if token.kind == .symbol, token.text == "." {
                guard !isName else { return nil }
                isName = true
            } else if token.kind != .symbol || !["!", "?"].contains(token.text) || isName {
                return nil
            }
        }
        return names.isEmpty || isName ? nil : names
    }

    static func shows(literal: String) -> PastedField.Shows {
        guard let pieces = pieces(of: literal) else { return .other("\"\(literal)\"") }
        let values = pieces.compactMap(\.names)
        if values.isEmpty { return .constant(literal) }
        if pieces.count == 1 { return .value(values[0]) }
        return .text(literal, values)
    }

    /// A literal as texts and the names that it interpolates; nil when more than names stand in it.
    static func pieces(of literal: String) -> [(text: String, names: [String]?)]? {
        if literal.contains("\n") { return nil }
        var pieces: [(text: String, names: [String]?)] = []
        var rest = literal[...]
        while let open = rest.firstRange(of: "\\(") {
            if open.lowerBound > rest.startIndex { pieces.append((String(rest[..<open.lowerBound]), nil)) }
            guard let close = rest[open.upperBound...].firstIndex(of: ")") else { return nil }
            let inside = rest[open.upperBound..<close]
            let names = inside.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let arePlain = names.allSatisfy { name in
                name.first.map { $0.isLetter || $0 == "_" } == true
                    && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            }
            guard arePlain else { return nil }
            let own = names.first == "self" ? Array(names.dropFirst()) : names
            if own.isEmpty { return nil }
            pieces.append((String(rest[open.lowerBound...close]), own))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append((String(rest), nil)) }
        return pieces
    }

    // MARK: Fields with a name of their own

    /// What has an identifier, in the order of the file.
    func identifiedFields(in root: Declared) -> [PastedField] {
        var found: [PastedField] = []
        for index in tokens.indices
        where tokens[index].text == "accessibilityIdentifier" && index + 2 < tokens.count {
            let name = tokens[index + 2]
            guard name.kind == .text, !found.contains(where: { $0.name == name.text }) else { continue }
            if tokens[index + 1].text == "=", index >= 2 {
                let control = tokens[index - 2].text
                found.append(
                    PastedField(
                        name: name.text, words: words(beside: control, in: root),
                        shows: shows(in: control, of: root)))
            } else if tokens[index + 1].text == "(" {
                // A chain of modifiers goes back to a line that does not begin with a point.
                var line = tokens[index].line
                var words: Set<String> = []
                while line > 0 {
                    let those = self.line(line)
                    words.formUnion(those.flatMap(\.words))
                    if those.first?.text != ".", !those.isEmpty { break }
                    line -= 1
                }
                let text = tokens[..<index].lastIndex {
                    $0.kind == .word && $0.text == "Text" && $0.line >= line
                }
                found.append(
                    PastedField(
                        name: name.text, words: words,
                        shows: text.flatMap { firstArgument(of: $0 + 1) }.map(shows) ?? .value([])))
            }
        }
        return found
    }

    private static let setters: Set<String> = [
        "text", "isOn", "value", "setTitle", "setOn", "setValue", "attributedText", "title",
    ]

    /// Where something is put into a control.
    private func writes(to control: String, in root: Declared) -> [Int] {
        var names: Set<String> = [control]
        // In a representable's update the same view has another name.
        for method in root.methods where method.name.hasPrefix("updateUI") {
            if let view = method.arguments.first { names.insert(view.name) }
        }
        return tokens.indices.dropLast(2).filter { index in
            names.contains(tokens[index].text) && tokens[index + 1].text == "."
                && Self.setters.contains(tokens[index + 2].text)
        }
    }

    /// The words in statements that put something into a control.
    func words(beside control: String, in root: Declared) -> Set<String> {
        writes(to: control, in: root).reduce(into: [control]) { words, index in
            words.formUnion(line(tokens[index].line).flatMap(\.words))
        }
    }

    /// What is put into a control; where that is different things, a value goes before what is made of one.
    func shows(in control: String, of root: Declared) -> PastedField.Shows {
        let all = writes(to: control, in: root).compactMap { index -> PastedField.Shows? in
            if isSign(index + 3, "("), let argument = firstArgument(of: index + 3) { return shows(argument) }
            guard isSign(index + 3, "="), !isSign(index + 4, "=") else { return nil }
            return shows(index + 4..<endOfStatement(from: index + 4))
        }
        return all.first(where: \.isValue)
            ?? all.last { if case .constant = $0 { false } else { true } } ?? all.last ?? .value([])
    }

    private func endOfStatement(from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < tokens.count {
            let token = tokens[index]
            if depth == 0, index > start, token.line != tokens[index - 1].line, token.text != ".",
                !["?", ":", "+"].contains(token.text), !["?", ":", "+"].contains(tokens[index - 1].text)
            {
                return index
            }
            if token.kind == .symbol {
                if ["(", "[", "{"].contains(token.text) { depth += 1 }
                if [")", "]", "}"].contains(token.text) { depth -= 1 }
                if depth < 0 || depth == 0 && token.text == ";" { return index }
            }
            index += 1
        }
        return index
    }

    // MARK: Fields that are called after their place

    /// Parts that come and go, or are there more than once: what comes after them is of a number that can't be told.
    private static let uncounted: Set<String> = [
        "if", "switch", "for", "guard", "ForEach", "TabView", "AnyView", "GeometryReader", "ViewThatFits",
    ]
    /// Parts with texts that are not seen here: what comes after them is of a number that can't be told, where it is a text.
    private static let texts: Set<String> = [
        "Label", "Link", "NavigationLink", "Menu", "Picker", "Stepper", "Section", "LabeledContent",
        "DisclosureGroup",
    ]

    /// Texts and controls without an identifier in the body of a view, `NoteView.text` and `NoteView.text-2`: as far down
    /// as what stands there is always there, and once.
    func derivedFields(of view: Declared) -> [PastedField] {
        let own = tokens[view.body].indices
        guard
            let body = own.first(where: { isWord($0, "body") && $0 > 0 && isWord($0 - 1, "var") }),
            let open = own.first(where: { $0 > body && isSign($0, "{") }), let close = closing(of: open)
        else { return [] }
        let kinds = [
            "Text": "text", "TextField": "textField", "SecureField": "secureField",
            "TextEditor": "textEditor",
            "Toggle": "toggle", "Slider": "slider",
        ]
        var found: [PastedField] = []
        var counts: [String: Int] = [:]
        var countsTexts = true
        func add(_ kind: String, _ words: Set<String>, _ shows: PastedField.Shows) {
            if kind == "text", !countsTexts { return }
            counts[kind, default: 0] += 1
            let number = counts[kind, default: 1]
            found.append(
                PastedField(
                    name: "\(view.name).\(kind)" + (number == 1 ? "" : "-\(number)"), words: words,
                    shows: shows,
                    isDerived: true))
        }
        for index in open + 1..<close where tokens[index].kind == .word {
            let word = tokens[index].text
            if Self.uncounted.contains(word), !isSign(index - 1, ".") { return found }
            if Self.texts.contains(word), !isSign(index - 1, ".") { countsTexts = false }
            guard isSign(index + 1, "("), let end = closing(of: index + 1), !isSign(index - 1, ".") else {
                continue
            }
            if word == "Button" || word == "Toggle", index + 2 < end, tokens[index + 2].kind == .text {
                add("text", [], Self.shows(literal: tokens[index + 2].text))
            }
            guard let kind = kinds[word], !hasIdentifier(after: end) else { continue }
            let words = Set(
                tokens[index + 1..<end].flatMap(\.words).map {
                    $0.hasPrefix("$") ? String($0.dropFirst()) : $0
                })
            if kind == "text" {
                guard let argument = firstArgument(of: index + 1) else { return found }
                add(kind, words, shows(argument))
            } else {
                add(kind, words, .value(boundNames(index + 2..<end)))
            }
        }
        return found
    }

    /// The control that a representable makes, `NoteField.textField`, when that is one of UIKit's and has no identifier.
    func wrappedField(of type: Declared) -> PastedField? {
        let kinds = [
            "UITextField": "textField", "UITextView": "textView", "UILabel": "label", "UISwitch": "switch",
            "UISlider": "slider",
        ]
        let made = tokens[type.body].indices.dropLast(4).filter { index in
            isWord(index, "let") && isSign(index + 2, "=") && kinds[tokens[index + 3].text] != nil
                && isSign(index + 4, "(")
        }
        guard made.count == 1, let kind = kinds[tokens[made[0] + 3].text] else { return nil }
        let control = tokens[made[0] + 1].text
        let isNamed = tokens[type.body].contains { $0.text == "accessibilityIdentifier" }
        if isNamed { return nil }
        return PastedField(
            name: "\(type.name).\(kind)", words: words(beside: control, in: type),
            shows: shows(in: control, of: type), isDerived: true)
    }

    /// What a control is bound to: the names in `text: $store.title`.
    private func boundNames(_ arguments: Range<Int>) -> [String] {
        let label = arguments.first { index in
            ["text", "isOn", "value"].contains(tokens[index].text) && isSign(index + 1, ":")
        }
        guard let start = label.map({ $0 + 2 }) else { return [] }
        let end = (start..<arguments.upperBound).first { isSign($0, ",") } ?? arguments.upperBound
        return Self.names(tokens[start..<max(start, end)]) ?? []
    }

    /// Whether the modifiers after a view give it an identifier.
    private func hasIdentifier(after end: Int) -> Bool {
        var at = end + 1
        while isSign(at, "."), at + 1 < tokens.count {
            if tokens[at + 1].text == "accessibilityIdentifier" { return true }
            at += 2
            while isSign(at, "(") || isSign(at, "{") {
                guard let close = closing(of: at) else { return false }
                at = close + 1
            }
        }
        return false
    }

    /// Whether a type of the file is made at one place of it alone, and not once for each of several values.
    func isMadeOnce(_ view: Declared) -> Bool {
        let places = tokens.indices.filter { index in
            isWord(index, view.name) && isSign(index + 1, "(") && !view.body.contains(index)
        }
        guard places.count > 1 else { return places.count == 1 }
        // Made anew for the same host: `rootView = NoteView(…)`.
        return places.allSatisfy { index in
            isSign(index - 1, "=") && isWord(index - 2, "rootView")
                || isSign(index - 1, ":") && isWord(index - 2, "rootView")
        }
    }
}

extension PastedSource.Token {
    /// The word itself, or those that a text interpolates: "\(store.count) of \(all)" has store, count and all.
    var words: [String] {
        if kind != .text { return kind == .word ? [text] : [] }
        return text.split(separator: "\\(").dropFirst(text.hasPrefix("\\(") ? 0 : 1).flatMap { part in
            part.prefix { $0 != ")" }.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
    }
}
