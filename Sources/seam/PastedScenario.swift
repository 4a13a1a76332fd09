/// The scenario around a pasted file: which of its types is the screen, what the model knows of it, which fields show
/// that, and a script with a step for each.
///
/// It is a draft, made without a compiler: where the file does not say enough there is an editor's placeholder, at which
/// the compiler stops, and the notes say what to write.
struct PastedScenario {
    /// What can be the root of a screen, from what nothing is around to what is a part of something.
    enum Role: Int {
        case controller, hosting, view, representable

        var title: String {
            switch self {
            case .controller: "a view controller"
            case .hosting: "a hosting controller"
            case .view: "a view"
            case .representable: "a representable"
            }
        }
    }

    let source: PastedSource
    let file: String
    let root: PastedSource.Declared
    let role: Role
    /// Of the model: its key and where the value lies.
    private var keys: [Key] = []
    private var events: [(name: String, call: String)] = []
    /// What the reader is to be told: what was guessed, and what is to be filled in.
    private(set) var notes: [String] = []

    private struct Key {
        var name: String
        let path: String
        let sample: Sample
        /// The last name of its path.
        var word: String { String(path.split(separator: ".").last ?? "") }
    }

    /// A field whose text is made of values.
    private struct Made {
        let field: String
        let text: String
        let keys: [Key]
    }
    private var made: [Made] = []

    /// A field that is left out, and why.
    private struct Remark {
        let field: String
        let text: String
        let words: Set<String>
    }
    private var remarks: [Remark] = []
    /// What the object is called that the root view is given.
    private var objectName: String?
    /// What a view shows of state that nobody else has.
    private var own: [(field: String, text: String)] = []

    /// A value of a type, and another one.
    private struct Sample {
        let type: String
        let first: String
        let second: String?
    }

    // MARK: Which type

    static func candidates(_ source: PastedSource) -> [(type: PastedSource.Declared, role: Role)] {
        source.types.compactMap { type in role(of: type, in: source).map { (type, $0) } }
    }

    private static func role(of type: PastedSource.Declared, in source: PastedSource) -> Role? {
        let ancestors = source.ancestors(of: type).map { String($0.prefix { $0 != "<" }) }
        if type.keyword == "class" {
            if ancestors.contains("UIHostingController") { return .hosting }
            return ancestors.contains { $0.hasPrefix("UI") && $0.hasSuffix("ViewController") }
                ? .controller : nil
        }
        let wrapping = ["UIViewRepresentable", "UIViewControllerRepresentable"]
        if ancestors.contains(where: wrapping.contains) { return .representable }
        return ancestors.contains("View") ? .view : nil
    }

    init(_ source: PastedSource, file: String, rootNamed: String?) throws(PluginNewFailure) {
        let candidates = Self.candidates(source)
        let usable = candidates.filter { !$0.type.isPrivate }
        func listed(_ types: [PastedSource.Declared]) -> String {
            types.map { "\($0.keyword) \($0.name) (line \($0.line))" }.joined(separator: ", ")
        }
        let kinds =
            "a view controller (UIViewController or UIHostingController), a View, or a UIViewRepresentable or "
            + "UIViewControllerRepresentable"
        let chosen: (type: PastedSource.Declared, role: Role)
        var note: String?
        if let rootNamed {
            guard let type = source.type(rootNamed) else {
                let names = candidates.map(\.type.name).joined(separator: ", ")
                throw PluginNewFailure(
                    message: "\(file) has no type \(rootNamed); "
                        + (names.isEmpty ? "nor one that can be the root" : "the root can be \(names)"))
            }
            guard let found = candidates.first(where: { $0.type.name == rootNamed }) else {
                throw PluginNewFailure(
                    message:
                        "\(file):\(type.line): \(type.keyword) \(rootNamed) can't be the root: it is not \(kinds)"
                )
            }
            chosen = found
        } else if usable.isEmpty {
            let others = source.types.filter { $0.keyword != "protocol" }
            let hidden = candidates.map(\.type)
            let found =
                !hidden.isEmpty
                ? "\(listed(hidden)) would be one, but is private: other files can't make it, so take the word away"
                : others.isEmpty ? "it declares no type at all" : "it has \(listed(others))"
            throw PluginNewFailure(
                message: "\(file): no type in it can be the root of a screen, which is \(kinds); \(found)")
        } else {
            // The outermost: what none of the others makes.
            let outer = usable.filter { one in
                !usable.contains { other in
                    other.type.name != one.type.name
                        && source.tokens[other.type.body].contains { $0.text == one.type.name }
                }
            }
            let pool = outer.isEmpty ? usable : outer
            let first = pool.map(\.role.rawValue).min()
            let best = pool.first { $0.role.rawValue == first && !$0.type.isGeneric }
            chosen = best ?? pool.first { $0.role.rawValue == first } ?? pool[0]
            if usable.count > 1 {
                let others = usable.map(\.type.name).filter { $0 != chosen.type.name }.joined(separator: ", ")
                note =
                    "the root is \(chosen.type.name), \(chosen.role.title); for another: --root TYPE (\(others))"
            }
        }
        if chosen.type.isPrivate {
            throw PluginNewFailure(
                message:
                    "\(file):\(chosen.type.line): \(chosen.type.name) is private, so that other files can't make "
                    + "it; take the word away")
        }
        self.source = source
        self.file = file
        root = chosen.type
        role = chosen.role
        if let note { notes.append(note) }
    }

    // MARK: Its text

    var identifier: String {
        var words = ""
        var wasUppercase = true
        for character in root.name {
            if character.isUppercase, !wasUppercase { words += "-" }
            wasUppercase = character.isUppercase
            words += character.lowercased()
        }
        return words
    }

    mutating func text(_ name: PluginName) -> String {
        let id = "\(name.group).\(identifier)"
        var model = ""
        let screen: String
        switch role {
        case .controller, .hosting:
            screen = "ScreenScenario(\"\(id)\", title: \"\(title)\") { \(makeController()) }"
            for property in root.properties {
                addKeys(property, at: "\\.\(property.name)")
                noteIfHidden(property)
            }
            addEvents()
        case .view, .representable:
            (model, screen) = declarativeRoot(id)
        }
        let modifier = nameFields()
        // What is said of it stands below its first line, or below the bracket that ends it.
        let indent = screen.hasSuffix("\n}") ? "" : "    "
        var lines = [
            screen.replacing("/*NAME*/", with: modifier)
                // A view in a modifier has no name that a screen could be called after.
                .replacing("/*SCREEN*/", with: modifier.isEmpty ? "" : ", screen: \"\(root.name)\"")
        ]
        if !keys.isEmpty {
            let each = keys.map { "Key(\"\($0.name)\", \($0.path))" }
            lines.append(indent + ".model(\(each.joined(separator: ", ")))")
        }
        if !made.isEmpty {
            lines.append(
                indent
                    + "// A field is compared as it is: of a text with values in it the model says the whole text."
            )
            let each = made.map { "\"\($0.field)\": \($0.text)" }
            lines.append(indent + ".model { source in [\(each.joined(separator: ", "))] }")
        }
        if !own.isEmpty {
            lines.append(
                indent
                    + "// Its state is its own: what it ought to show is said here, and later by .set(FIELD, TEXT)."
            )
            let each = own.map { "\"\($0.field)\": \($0.text)" }
            lines.append(indent + ".model { _ in [\(each.joined(separator: ", "))] }")
        }
        for remark in remarks {
            lines.append(
                indent
                    + "// \(remark.field) shows \(remark.text): what it ought to show is for you to say, with"
            )
            lines.append(indent + "// .model { source in [\"\(remark.field)\": …] } and a check of it.")
        }
        if keys.isEmpty && made.isEmpty && own.isEmpty && remarks.isEmpty {
            lines.append(
                indent + "// .model(Key(\"FIELD\", \\.property)) says what the model knows, for each field.")
        }
        for event in events {
            lines.append(indent + ".event(\"\(event.name)\") { screen, _ in screen.\(event.call) }")
        }
        for (key, second) in writtenKeys {
            lines.append(
                indent
                    + ".event(\"set-\(key.word)\") { source, _ in source\(key.path.dropFirst()) = \(second) }"
            )
        }
        lines.append(indent + ".script(")
        lines += script().map { indent + "    " + $0 }
        let scenario = lines.joined(separator: "\n").replacing("\n", with: "\n    ")
        return """
            public import CSeamABI
            import SeamKit
            import SwiftUI
            import UIKit

            // The scenario around \(file): what the model knows, and what is to be on the screen after each step.
            // A step more is a line more: .set(KEY, VALUE), .tap(CONTROL), .type(TEXT, into: CONTROL),
            // .turn(CONTROL, to: VALUE), .send(EVENT), .advance(milliseconds:), .check(LABEL, [FIELD: VERDICT]).
            \(model)
            private let plugin = Plugin("\(name.group)", name: "\(name.module)", version: "0.1.0") {
                \(scenario)
            }

            @c @implementation
            public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
                plugin.answer(offer)
            }

            """
    }

    private var title: String { "\(root.name) under measurement" }

    /// Keys that no field shows as they are: the script changes them through an event of their own.
    private var writtenKeys: [(key: Key, second: String)] {
        var found: [(key: Key, second: String)] = []
        for key in made.flatMap(\.keys) {
            guard let second = key.sample.second, !keys.contains(where: { $0.path == key.path }),
                !found.contains(where: { $0.key.path == key.path })
            else { continue }
            found.append((key, second))
        }
        return found
    }

    private mutating func script() -> [String] {
        func check(_ label: String, _ fields: [String]) -> String {
            ".check(\"\(label)\", [\(fields.map { "\"\($0)\": .matching" }.joined(separator: ", "))])"
        }
        func texts(of key: Key) -> [String] {
            made.filter { $0.keys.contains { $0.path == key.path } }.map(\.field)
        }
        func isKnown(_ key: Key) -> Bool { key.sample.first != "nil" && !key.sample.first.contains("<#") }
        // What has no value at the start is not to be seen then, or as whatever the view shows in its place.
        let known =
            keys.filter(isKnown).map(\.name) + made.filter { $0.keys.allSatisfy(isKnown) }.map(\.field)
            + own.map(\.field)
        var steps = known.isEmpty ? [] : [check("start", known)]
        let news = events.count == 1 ? ".send(\"\(events[0].name)\"), " : ""
        for key in keys {
            guard let second = key.sample.second else { continue }
            steps.append(
                ".set(\"\(key.name)\", \(second)), \(news)"
                    + check("\(key.name)-set", [key.name] + texts(of: key)))
        }
        for (key, _) in writtenKeys {
            steps.append(".send(\"set-\(key.word)\"), \(news)" + check("\(key.word)-set", texts(of: key)))
        }
        if let typed = typedStep(check) { steps.append(typed) }
        if steps.isEmpty {
            notes.append(
                "nothing in \(root.name) says what the model knows: fill in .model and .script in the scenario, which "
                    + "checks nothing yet; `seam run` lists its fields")
            steps = [
                "// No check yet, so `seam run` ends with 1; it lists the fields for one: .check(\"start\", [FIELD: .matching]).",
                ".advance(milliseconds: 0)",
            ]
        }
        return steps.enumerated().map { index, step in
            step + (index == steps.count - 1 ? ")" : step.hasPrefix("//") ? "" : ",")
        }
    }

    /// Somebody types, when there is one control for it and one text that it is bound to.
    private func typedStep(_ check: (String, [String]) -> String) -> String? {
        guard role == .representable || role == .view else { return nil }
        let fields = source.tokens[root.body].indices.filter { index in
            ["UITextField", "UITextView", "TextField"].contains(source.tokens[index].text)
                && index + 1 < source.tokens.count && source.tokens[index + 1].text == "("
        }
        let bound = root.properties.filter { isBinding($0) && bare($0) == "String" }
        guard fields.count == 1, bound.count == 1,
            let key = keys.first(where: { $0.path == "\\.\(bound[0].name)" })
        else { return nil }
        return ".type(\"typed\"), " + check("\(key.name)-typed", [key.name])
    }

    // MARK: Values

    private func isBinding(_ property: PastedSource.Property) -> Bool {
        property.attributes.contains("Binding") || property.type.hasPrefix("Binding<")
    }

    /// Its type, without what is around that.
    private func bare(_ property: PastedSource.Property) -> String { bare(property.type) }

    private func bare(_ type: String) -> String {
        var type = type
        if type.hasPrefix("Binding<"), type.hasSuffix(">") { type = String(type.dropFirst(8).dropLast()) }
        return type.hasSuffix("!") ? String(type.dropLast()) : type
    }

    /// A value of a type; an editor's placeholder when it can't be known.
    private func sample(_ type: String, depth: Int = 0) -> Sample {
        let type = bare(type)
        func plain(_ first: String, _ second: String? = nil) -> Sample {
            Sample(type: type, first: first, second: second)
        }
        switch type {
        case "String": return plain("\"one\"", "\"two\"")
        case "Int": return plain("1", "2")
        case "Double": return plain("1.0", "2.0")
        case "Bool": return plain("false", "true")
        case "CGFloat", "Float", "TimeInterval": return plain("1")
        case "Date", "UUID": return plain("\(type)()")
        default: break
        }
        if type.hasSuffix("?") {
            let inner = sample(String(type.dropLast()), depth: depth + 1)
            return plain("nil", inner.second)
        }
        if type.contains("->") {
            let ends = type.range(of: "->")
            let result = ends.map { type[$0.upperBound...].filter { $0 != " " } } ?? ""
            let inside = (ends.map { type[..<$0.lowerBound] } ?? "").filter { !" ()".contains($0) }
            let count = inside.isEmpty ? 0 : inside.split(separator: ",").count
            let names = count == 0 ? "" : "\(Array(repeating: "_", count: count).joined(separator: ", ")) in "
            let value = ["Void", "()"].contains(result) ? "" : sample(result, depth: depth + 1).first + " "
            return plain("{ \(names)\(value)}")
        }
        if type.hasPrefix("["), type.hasSuffix("]") {
            let element = String(type.dropFirst().dropLast())
            if element.contains(":") { return plain("[:]") }
            return plain("[\(sample(element, depth: depth + 1).first)]")
        }
        if depth < 4, let declared = source.type(type), !declared.isPrivate {
            if declared.keyword == "enum", let first = declared.cases.first { return plain(".\(first)") }
            if declared.keyword == "struct" || declared.keyword == "class",
                let arguments = arguments(of: declared, depth: depth + 1)
            {
                return plain("\(type)(\(arguments))")
            }
        }
        return plain("<#\(type.isEmpty ? "value" : type)#>")
    }

    /// What its initialiser is given, from samples; nil when it has none that could be called.
    private func arguments(of type: PastedSource.Declared, depth: Int) -> String? {
        parameters(of: type)?.filter { !$0.hasValue }.map { argument in
            (argument.label.map { "\($0): " } ?? "") + sample(argument.type, depth: depth).first
        }.joined(separator: ", ")
    }

    /// Of the initialiser that others may call: a declared one, else the memberwise one.
    private func parameters(of type: PastedSource.Declared) -> [PastedSource.Argument]? {
        let declared = type.initialisers.filter { !$0.isForStoryboard }
        if let first = declared.first(where: \.isCallable) { return first.arguments }
        if !declared.isEmpty { return nil }
        if type.keyword == "class" { return [] }
        var arguments: [PastedSource.Argument] = []
        for property in type.properties {
            let provided: Set<String> = [
                "Environment", "EnvironmentObject", "FocusState", "StateObject", "AppStorage", "SceneStorage",
                "Namespace", "GestureState", "FetchRequest", "Query", "ScaledMetric",
            ]
            if property.attributes.contains(where: provided.contains) { continue }
            if property.hasValue && (!property.isVariable || property.attributes.contains("State")) {
                continue
            }
            if property.isPrivate {
                if property.attributes.isEmpty || !property.hasValue { return nil }
                continue
            }
            arguments.append(
                PastedSource.Argument(
                    label: property.name, name: property.name,
                    type: property.attributes.contains("Binding")
                        ? "Binding<\(property.type)>" : property.type,
                    hasValue: property.hasValue, literal: property.literal))
        }
        return arguments
    }

    private static let modelTexts: Set<String> = ["String", "Int", "Double", "Bool"]

    /// A key for a value that is a text in the model, or one for each such value of a struct of the file.
    private mutating func addKeys(_ property: PastedSource.Property, at path: String, nested: Bool = false) {
        let type = bare(property)
        // What lies in an object can be written also where the object stays.
        let isObject = !nested && !property.isPrivate && source.type(type)?.keyword == "class"
        guard property.isWritable || isObject || !nested && role.rawValue > Role.hosting.rawValue else {
            return
        }
        let isOptional = type.hasSuffix("?")
        let inner = isOptional ? String(type.dropLast()) : type
        if Self.modelTexts.contains(inner) {
            let usual = sample(type)
            let second = property.literal == usual.second ? usual.first : usual.second
            keys.append(
                Key(
                    name: property.name, path: path,
                    sample: Sample(type: type, first: property.literal ?? usual.first, second: second)))
        } else if !nested, !isOptional, let declared = source.type(inner),
            declared.keyword == "struct" || declared.keyword == "class",
            Self.role(of: declared, in: source) == nil
        {
            for member in declared.properties { addKeys(member, at: "\(path).\(member.name)", nested: true) }
        }
    }

    /// An object whose values are what the screen is about, and that no other file may ask.
    private mutating func noteIfHidden(_ property: PastedSource.Property) {
        guard property.isPrivate, let type = source.type(bare(property)), type.keyword == "class",
            Self.role(of: type, in: source) == nil,
            type.properties.contains(where: { Self.modelTexts.contains(bare($0)) })
        else { return }
        notes.append(
            "\(root.name).\(property.name) is private, so the model can't be read from it: take the word away, and run this "
                + "again, for a Key of each of its values")
    }

    // MARK: Roots

    private mutating func makeController() -> String {
        let own = root.initialisers
        let onlyFromStoryboard = !own.isEmpty && own.allSatisfy(\.isForStoryboard)
        if role == .hosting, own.isEmpty {
            let content = root.inherits.first { $0.hasPrefix("UIHostingController<") }?.dropFirst(20)
                .dropLast()
            let value = content.map { sample(String($0)).first } ?? "<#root view#>"
            notePlaceholders(in: value)
            return "\(root.name)(rootView: \(value))"
        }
        if onlyFromStoryboard { return "UIStoryboard().instantiate(\(root.name).self)" }
        let value = arguments(of: root, depth: 0) ?? "<#arguments#>"
        notePlaceholders(in: value)
        return "\(root.name)(\(value))"
    }

    private mutating func addEvents() {
        for method in root.methods where method.isCallable {
            let frameworks: Set<String> = ["loadView", "viewDidLoad", "prepare"]
            if frameworks.contains(method.name) || events.contains(where: { $0.name == method.name }) {
                continue
            }
            if method.arguments.isEmpty {
                events.append((method.name, "\(method.name)()"))
            } else if method.arguments.count == 1, let only = method.arguments.first,
                ["UIButton", "Any", "Any?", "UIControl"].contains(only.type)
            {
                events.append(
                    (method.name, "\(method.name)(\(only.label.map { "\($0): " } ?? "")UIButton())"))
            }
        }
    }

    private mutating func declarativeRoot(_ id: String) -> (model: String, screen: String) {
        let head = "ScreenScenario(\n    \"\(id)\", title: \"\(title)\"/*SCREEN*/"
        guard let parameters = parameters(of: root) else {
            notes.append(
                "\(file):\(root.line): \(root.name) has no initialiser that another file may call, since a stored property "
                    + "without a wrapper is private: give it an init")
            return ("", "\(head)\n) { \(root.name)(<#arguments#>)/*NAME*/ }")
        }
        // An object that the view is given, or that is in its environment.
        let providers: Set<String> = ["ObservedObject", "EnvironmentObject", "Bindable"]
        let object = root.properties.first { property in
            property.attributes.contains(where: providers.contains)
                || source.type(property.type).map { $0.keyword == "class" && $0.has("Observable") } == true
        }
        if let object {
            objectName = object.name
            let store = source.type(object.type)
            let made = sample(object.type).first
            notePlaceholders(in: made)
            let call = parameters.filter { $0.name == object.name || !$0.hasValue }.map { argument in
                (argument.label.map { "\($0): " } ?? "")
                    + (argument.name == object.name ? object.name : constant(argument.type))
            }.joined(separator: ", ")
            let environment =
                object.attributes.contains("EnvironmentObject")
                ? ".environmentObject(\(object.name))"
                : object.attributes.contains("Environment") ? ".environment(\(object.name))" : ""
            for member in store?.properties ?? [] {
                addKeys(member, at: "\\.\(member.name)", nested: true)
            }
            return (
                "",
                "\(head), object: \(made)\n) { \(object.name) in\n    \(root.name)(\(call))/*NAME*/\(environment)\n}"
            )
        }
        var state: [String] = []
        var call: [String] = []
        for argument in parameters {
            let type = bare(argument.type)
            let isBinding = argument.type.hasPrefix("Binding<")
            let label = argument.label.map { "\($0): " } ?? ""
            if type.contains("->") || type.hasPrefix("some ") {
                if !argument.hasValue { call.append(label + constant(argument.type)) }
                continue
            }
            var value = sample(argument.type)
            if let literal = argument.literal {
                // A change is a change from that.
                value = Sample(
                    type: type, first: literal, second: literal == value.second ? value.first : value.second)
            }
            if value.first.contains("<#"), argument.hasValue { continue }
            notePlaceholders(in: value.first)
            state.append("    var \(argument.name): \(type.isEmpty ? "<#Type#>" : type) = \(value.first)")
            call.append("\(label)\(isBinding ? "$" : "")model.\(argument.name)")
            addKeys(
                PastedSource.Property(
                    name: argument.name, type: type, attributes: [], isWritable: true, isPrivate: false,
                    hasValue: true, literal: argument.literal, isVariable: true), at: "\\.\(argument.name)")
        }
        let made = "\(root.name)(\(call.joined(separator: ", ")))/*NAME*/"
        if state.isEmpty { return ("", "\(head)\n) { \(made) }") }
        let model = """

            /// What the model knows: what \(root.name) is given.
            struct \(root.name)Model {
            \(state.joined(separator: "\n"))
            }

            """
        return (model, "\(head), model: \(root.name)Model()\n) { $model in\n    \(made)\n}")
    }

    private func constant(_ type: String) -> String {
        type.hasPrefix("Binding<") ? ".constant(\(sample(type).first))" : sample(type).first
    }

    private mutating func notePlaceholders(in text: String) {
        guard let open = text.range(of: "<#"), let close = text.range(of: "#>") else { return }
        notes.append(
            "the scenario has a placeholder where a value of \(text[open.upperBound..<close.lowerBound]) is to be filled in"
        )
    }

    // MARK: Fields

    /// The fields that show the keys: each key is then called after its field.
    ///
    /// - Returns: a modifier that names the first field of a representable whose controls have no names.
    private mutating func nameFields() -> String {
        let fields = fields()
        if role == .representable, !keys.isEmpty, !fields.contains(where: { !$0.isDerived }) {
            return nameFirstControl()
        }
        let all = keys
        var open = fields.filter(\.shows.isValue)
        var paired: [Key] = []
        var left: [Key] = []
        for key in keys {
            if let index = open.firstIndex(where: { $0.name.lowercased() == key.name.lowercased() }) {
                paired.append(Key(name: open.remove(at: index).name, path: key.path, sample: key.sample))
            } else {
                left.append(key)
            }
        }
        for key in left {
            let index =
                open.firstIndex { $0.words.contains(key.word) }
                ?? (left.count == 1 && fields.count == 1 && open.count == 1 ? 0 : nil)
            if let index {
                paired.append(Key(name: open.remove(at: index).name, path: key.path, sample: key.sample))
            }
        }
        // A view that keeps its state to itself is measured by what is said here; any other by its keys.
        if objectName == nil, all.isEmpty { showOwnState(fields) }
        let others = fields.filter { field in !own.contains { $0.field == field.name } }
        makeTexts(others, all, left: all.filter { key in !paired.contains { $0.path == key.path } })
        leaveOut(
            all.filter { key in
                !paired.contains { $0.path == key.path }
                    && !made.contains { $0.keys.contains { $0.path == key.path } }
                    && !remarks.contains { $0.words.contains(key.word) }
            })
        keys = all.compactMap { key in paired.first { $0.path == key.path } }
        return ""
    }

    /// The first control of a representable is the one that shows something, as far as the file tells.
    private mutating func nameFirstControl() -> String {
        let shown = keys.firstIndex { source.words(beside: "", in: root).contains($0.word) } ?? 0
        let key = keys[shown]
        let field = PastedField(
            name: key.word, words: source.words(beside: "", in: root), shows: source.shows(in: "", of: root))
        makeTexts([field], keys, left: [key])
        let isMade = !made.isEmpty || !remarks.isEmpty
        leaveOut(keys.filter { key in key.word != field.name })
        keys = isMade ? [] : [key]
        return ".accessibilityIdentifier(\"\(field.name)\")"
    }

    /// What is known of the fields, those with a name of their own first.
    private func fields() -> [PastedField] {
        var fields = source.identifiedFields(in: root)
        let kinds: Set<String> = ["UILabel", "UITextField", "UITextView", "UISwitch", "UISlider"]
        // A control without an identifier is called after the property that holds it.
        for holder in source.types where holder.name == root.name || isViewOfItsOwn(holder) {
            for property in holder.properties where kinds.contains(bare(property)) {
                let words = source.words(beside: property.name, in: root)
                if !fields.contains(where: { words.contains($0.name) || $0.name == property.name }) {
                    fields.append(
                        PastedField(
                            name: property.name, words: words,
                            shows: source.shows(in: property.name, of: root)))
                }
            }
        }
        if role != .representable {
            for type in source.types where Self.role(of: type, in: source) == .view && !type.isGeneric {
                if type.name == root.name || source.isMadeOnce(type) {
                    fields += source.derivedFields(of: type)
                }
            }
            for type in source.types
            where Self.role(of: type, in: source) == .representable && !type.isGeneric
                && source.isMadeOnce(type)
            {
                if let field = source.wrappedField(of: type) { fields.append(field) }
            }
        }
        return fields
    }

    /// A class of the file that lays out controls, and is there once; of cells there are several.
    private func isViewOfItsOwn(_ type: PastedSource.Declared) -> Bool {
        let ancestors = source.ancestors(of: type)
        return ancestors.contains { ["UIView", "UIControl", "UIStackView"].contains($0) }
            && source.isMadeOnce(type)
    }

    /// Texts that values stand in: the model says the same text, since a field is compared with it as it is.
    private mutating func makeTexts(_ fields: [PastedField], _ all: [Key], left: [Key]) {
        let texts = fields.filter { if case .text = $0.shows { true } else { false } }
        for field in fields {
            switch field.shows {
            case .value, .constant: continue
            case .text(let literal, let values):
                let only = Set(values).count == 1 && left.count == 1 && texts.count == 1 ? left[0] : nil
                var used: [Key] = []
                var isPlain = true
                var text = ""
                for piece in PastedSource.pieces(of: literal) ?? [] {
                    guard let names = piece.names else {
                        text += piece.text
                        continue
                    }
                    if let key = key(of: names, among: all) ?? only {
                        if !used.contains(where: { $0.path == key.path }) { used.append(key) }
                        text += "\\(source\(key.path.dropFirst()))"
                    } else if names.count > 1, names[0] == objectName {
                        text += "\\(source.\(names.dropFirst().joined(separator: ".")))"
                    } else {
                        isPlain = false
                    }
                }
                if isPlain {
                    made.append(Made(field: field.name, text: "\"\(text)\"", keys: used))
                } else {
                    remark(field, "\"\(literal)\"", all)
                }
            case .other(let text): remark(field, text, all)
            }
        }
    }

    /// A field whose text is worked out: the file does not say plainly from what.
    private mutating func remark(_ field: PastedField, _ text: String, _ all: [Key]) {
        if field.words.isDisjoint(with: all.map(\.word)) && !all.isEmpty && field.isDerived { return }
        remarks.append(Remark(field: field.name, text: text, words: field.words))
        notes.append(
            "\(field.name) shows \(text), which is more than a value of the model as it is: it is left out, until "
                + ".model { source in [\"\(field.name)\": …] } says what it ought to show")
    }

    private func key(of names: [String], among all: [Key]) -> Key? {
        if let whole = all.first(where: { $0.path == "\\.\(names.joined(separator: "."))" }) { return whole }
        let same = all.filter { $0.word == names.last }
        return same.count == 1 ? same[0] : nil
    }

    /// A view that keeps its state to itself shows what that is at the start, as far as the file says it.
    private mutating func showOwnState(_ fields: [PastedField]) {
        guard role == .view else { return }
        for field in fields {
            switch field.shows {
            case .value(let names):
                if let value = ownValue(names) { own.append((field.name, "\"\(value)\"")) }
            case .text(let literal, _):
                var text = ""
                for piece in PastedSource.pieces(of: literal) ?? [] {
                    guard let value = piece.names.map(ownValue) ?? piece.text else {
                        text = ""
                        break
                    }
                    text += value
                }
                if !text.isEmpty { own.append((field.name, "\"\(text)\"")) }
            case .constant, .other: continue
            }
        }
        if own.isEmpty {
            for field in fields {
                if case .constant(let text) = field.shows { own.append((field.name, "\"\(text)\"")) }
            }
        }
    }

    /// The literal that a property of the root begins with, or one of an object that it makes, as it is shown.
    private func ownValue(_ names: [String]) -> String? {
        guard let first = names.first, let property = root.properties.first(where: { $0.name == first })
        else { return nil }
        var literal = property.literal
        if names.count == 2 {
            literal = source.type(property.type)?.properties.first { $0.name == names[1] }?.literal
        } else if names.count > 2 {
            return nil
        }
        guard let literal, literal != "nil" else { return nil }
        return literal.hasPrefix("\"") ? String(literal.dropFirst().dropLast()) : literal
    }

    private mutating func leaveOut(_ left: [Key]) {
        for key in left {
            notes.append(
                "no field was found that shows \(key.path); if one does, give that .accessibilityIdentifier(\"\(key.name)\"), "
                    + "and .model a Key(\"\(key.name)\", \(key.path))")
        }
    }
}

extension StringProtocol {
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
