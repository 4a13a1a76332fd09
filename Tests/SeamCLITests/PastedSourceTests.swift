import Testing

@testable import seam

/// What is seen of a pasted file without a compiler.
@Suite struct PastedSourceTests {
    /// A property as "var name: Type = literal", with what else is known of it.
    private func said(_ property: PastedSource.Property) -> String {
        var words = property.attributes.map { "@\($0)" }
        if property.isPrivate { words.append("private") }
        words.append(property.isWritable ? "var" : "let")
        words.append("\(property.name): \(property.type)")
        if let literal = property.literal {
            words.append("= \(literal)")
        } else if property.hasValue {
            words.append("= …")
        }
        return words.joined(separator: " ")
    }

    private func said(_ arguments: [PastedSource.Argument]) -> String {
        arguments.map { "\($0.label ?? "_") \($0.name): \($0.type)\($0.hasValue ? " = …" : "")" }
            .joined(separator: ", ")
    }

    @Test(
        "a stored property, with its type as written or as its value tells",
        arguments: [
            ("var a = 1", "var a: Int = 1"), ("var a = -1", "var a: Int = …"),
            ("var a = 1.5", "var a: Double = 1.5"),
            ("var a = \"x\"", "var a: String = \"x\""), ("var a = true", "var a: Bool = true"),
            ("let a: Int", "let a: Int"), ("var a: Int?", "var a: Int? = …"),
            ("var a: View!", "var a: View! = …"),
            ("let a: Int? = nil", "let a: Int? = nil"), ("var a = Store()", "var a: Store = …"),
            ("var a = store.value", "var a:  = …"), ("var a: [String: Int] = [:]", "var a: [String:Int] = …"),
            ("var a: Map<Key, [Int]>", "var a: Map<Key,[Int]>"),
            ("let a: (Int, String) -> Void", "let a: (Int, String) -> Void"),
            ("let a: @MainActor () -> Bool", "let a: () -> Bool"), ("var a: any P & Q", "var a: any P&Q"),
            ("@State private var a = false", "@State private let a: Bool = false"),
            ("@Environment(\\.locale) var a", "@Environment var a: "),
            ("@Binding var a: String", "@Binding var a: String"),
            ("private(set) var a = 1", "let a: Int = 1"), ("fileprivate var a = 1", "private let a: Int = 1"),
            ("weak var a: Store?", "var a: Store? = …"), ("public var a = 1", "var a: Int = 1"),
            ("var a = 1 { didSet { show() } }", "var a: Int = 1"),
            ("var a: Int { didSet { b = 1 } }", "var a: Int"),
            ("var `class` = 1", "var class: Int = 1"), ("var a = \"\"\"\n  x\n  \"\"\"", "var a: String = …"),
            ("var a = #\"\\(x)\"#", "var a: String = \"\\(x)\""),
            ("var a = b\n    .map { $0 }\n    .first", "var a:  = …"),
            ("var a = { () -> Int in let b = 1; return b }()", "var a:  = …"),
        ])
    func property(_ source: String, _ found: String) {
        let type = PastedSource("struct T { \(source)\nlet last: Int }").types.first
        #expect(type?.properties.map(said) == [found, "let last: Int"], "\(source)")
    }

    @Test(
        "what is not stored in each value is no property",
        arguments: [
            "var a: Int { 1 }", "var a: Int { get { b } set { b = newValue } }", "static var a = 1",
            "static let a: Int = 1",
            "lazy var a = 1", "class var a: Int { 1 }", "func f() { var a = 1 }", "init() { let a = 1 }",
            "// var a = 1", "/* var a = 1 /* var b */ var c */", "typealias A = Int",
            "subscript(i: Int) -> Int { 1 }",
            "var body: some View { let a = 1; return Text(\"\\(a)\") }", "struct Inner { var a = 1 }",
            "enum E { case a }",
        ])
    func notStored(_ source: String) {
        let type = PastedSource("struct T {\n\(source)\nlet last: Int }").types.first
        #expect(type?.properties.map(said) == ["let last: Int"])
    }

    @Test(
        "a type, with what it inherits from and who may make it",
        arguments: [
            ("struct A {}", "struct A"), ("class A: B, C {}", "class A: B, C"),
            ("final class A: Host<View<Int>> {}", "class A: Host<View<Int>>"),
            ("private struct A {}", "private struct A"), ("fileprivate final class A {}", "private class A"),
            ("struct A<T: P>: View where T: Q {}", "struct A<>: View"),
            ("@MainActor class A: @unchecked Sendable {}", "class A: Sendable"),
            ("public actor A {}", "actor A"), ("enum A: String { case b }", "enum A: String"),
            ("protocol A: B {}", "protocol A: B"),
            ("struct `default` {}", "struct default"), ("indirect enum A { case b(A) }", "enum A"),
            ("#if os(iOS)\nstruct A {}\n#endif", "struct A"), ("let a = 1\nstruct A {}", "struct A"),
        ])
    func type(_ source: String, _ found: String) {
        let said = PastedSource(source).types.map { type in
            (type.isPrivate ? "private " : "") + "\(type.keyword) \(type.name)" + (type.isGeneric ? "<>" : "")
                + (type.inherits.isEmpty ? "" : ": \(type.inherits.joined(separator: ", "))")
        }
        #expect(said == [found])
    }

    @Test("what extensions and enclosing types add is found; lines are those of the file")
    func extensions() {
        let source = PastedSource(
            """
            import UIKit
            import struct Foundation.Date

            class Outer: Base {
                enum Kind { case one, two(Int) }
                func show(_ text: String, at line: Int = 0) {}
            }
            extension Outer: Delegate { func more() {}; convenience init(x: Int) { self.init() } }
            class Base: UIViewController {}
            extension Missing { func none() {} }
            """)
        #expect(source.imports.map { "\($0.line) \($0.name)" } == ["1 UIKit", "2 Foundation"])
        #expect(source.types.map { "\($0.line) \($0.name)" } == ["4 Outer", "5 Kind", "9 Base"])
        let outer = source.type("Outer")
        #expect(outer?.inherits == ["Base", "Delegate"])
        #expect(outer.map(source.ancestors) == ["Delegate", "Base", "UIViewController"])
        #expect(
            outer?.methods.map { "\($0.name)(\(said($0.arguments)))" }
                == ["show(_ text: String, line: Int = …)", "more()"].map {
                    $0.replacing(", line: Int", with: ", at line: Int")
                })
        #expect(outer?.initialisers.map { said($0.arguments) } == ["x x: Int"])
        #expect(source.type("Kind")?.cases == ["one"])
        #expect(source.type("Missing") == nil)
    }

    @Test(
        "arguments, with labels, attributes and values",
        arguments: [
            ("", ""), ("a: Int", "a a: Int"), ("_ a: Int", "_ a: Int"), ("to a: Int", "to a: Int"),
            ("a: Int = 1, b: [Int] = [1, 2]", "a a: Int = …, b b: [Int] = …"),
            ("_ a: @escaping (Int, Int) -> Void", "_ a: (Int, Int) -> Void"),
            ("@ViewBuilder content: () -> Content", "content content: () -> Content"),
            ("a: inout Int, b: any P", "a a: inout Int, b b: any P"),
            ("a: A.B = .c(1, 2), d: D?", "a a: A.B = …, d d: D?"),
            ("a: Int...", "a a: Int..."),
        ])
    func arguments(_ source: String, _ found: String) {
        let type = PastedSource("struct T { init(\(source)) {}; private func f(\(source)) -> Int { 1 } }")
            .types.first
        #expect(type?.initialisers.map { said($0.arguments) } == [found])
        #expect(type?.methods.map { said($0.arguments) } == [found])
        #expect(type?.methods.map(\.isCallable) == [false])
    }

    @Test(
        "brackets, quotes and keywords in texts and comments are none",
        arguments: [
            "let a = \"struct X {\"", "let a = \"\\\"struct X {\"", "let a = #\"\"struct X {\"#",
            "// struct X {",
            "/* struct X { /* } */ class Y { */", "let a = \"\"\"\n struct X {\n \"\"\"", "let a = \"\\\\\"",
        ])
    func texts(_ source: String) {
        #expect(PastedSource("struct A {\n\(source)\n}\nstruct B {}").types.map(\.name) == ["A", "B"])
    }

    /// A field as "name = what it shows".
    private func said(_ field: PastedField) -> String {
        switch field.shows {
        case .value(let names): "\(field.name) = \(names.joined(separator: "."))"
        case .constant(let text): "\(field.name) = \"\(text)\""
        case .text(let literal, let values):
            "\(field.name) = \"\(literal)\" of \(values.map { $0.joined(separator: ".") }.joined(separator: ", "))"
        case .other(let text): "\(field.name) = ? \(text)"
        }
    }

    @Test(
        "what a text shows: a value as it is, a text with values in it, or more than can be told",
        arguments: [
            ("name", "name"), ("self.name", "name"), ("store.note.title", "store.note.title"),
            ("\"\\(count)\"", "count"), ("\"\\(self.count)\"", "count"), ("String(count)", "count"),
            ("verbatim: name", "name"), ("name ?? \"none\"", "name"), ("name!", "name"),
            ("\"Hello\"", "\"Hello\""), ("\"\"", "\"\""),
            ("\"\\(count) unread\"", "\"\\(count) unread\" of count"),
            ("\"\\(a.b) of \\(self.c)\"", "\"\\(a.b) of \\(self.c)\" of a.b, c"),
            ("\"\\(count + 1) left\"", "? \"\\(count + 1) left\""),
            ("\"\\(price, specifier: \"%.2f\")\"", "? \"\\(price, specifier: \"%.2f\")\""),
            ("name.uppercased()", "? name.uppercased()"),
            ("isOn ? \"On\" : \"Off\"", "? isOn ? \"On\" : \"Off\""),
            ("text.isEmpty ? placeholder : text", "text"), ("!text.isEmpty ? self.text : \"none\"", "text"),
            ("s.name == nil ? \"none\" : s.name!", "s.name"),
            ("a.isEmpty ? \"x\" : b", "? a.isEmpty ? \"x\" : b"),
            ("\"Hello, \" + name", "? \"Hello, \" + name"),
            ("String(format: \"%d\", count)", "? String(format: \"%d\", count)"),
            ("name ?? \"\\(other)\"", "? name ?? \"\\(other)\""), ("names[0]", "? names[0]"),
            ("-count", "? - count"),
        ])
    func shows(_ argument: String, _ found: String) {
        let source = PastedSource("struct V: View { var body: some View { Text(\(argument)).font(.body) } }")
        #expect(source.types.first.map(source.derivedFields)?.map(said) == ["V.text = \(found)"])
        let label = PastedSource("class C: UIViewController { func f() { label.text = \(argument) } }")
        if argument.hasPrefix("verbatim") { return }
        #expect(
            label.types.first.map {
                said(PastedField(name: "l", words: [], shows: label.shows(in: "label", of: $0)))
            } == "l = \(found)")
    }

    @Test(
        "a derived name has its number as long as what stands before it is always there, and once",
        arguments: [
            ("Text(a); Text(b)", ["V.text = a", "V.text-2 = b"]),
            ("VStack { Text(a).bold() }; Text(b)", ["V.text = a", "V.text-2 = b"]),
            ("Text(a).accessibilityIdentifier(\"a\"); Text(b)", ["V.text = b"]),
            ("Text(a)\n  .font(.title)\n  .accessibilityIdentifier(\"a\")\nText(b)", ["V.text = b"]),
            ("Button(\"Add\") { n += 1 }; Text(b)", ["V.text = \"Add\"", "V.text-2 = b"]),
            ("Toggle(\"On\", isOn: $s.on); Text(b)", ["V.text = \"On\"", "V.toggle = s.on", "V.text-2 = b"]),
            ("TextField(\"T\", text: $t); Slider(value: $x)", ["V.textField = t", "V.slider = x"]),
            ("Text(a); if b { Text(c) }; Text(d)", ["V.text = a"]),
            ("ForEach(rows) { Text($0.a) }", []), ("List { Text(a) }", ["V.text = a"]),
            ("Label(a, image: b); Text(c); Toggle(isOn: $d) { Text(e) }", ["V.toggle = d"]),
            (
                "Form { Section(header: Text(a)) { TextField(\"B\", text: $b) } }; Text(c)",
                ["V.textField = b"]
            ),
            ("let x = 1; return Text(a)", ["V.text = a"]), ("Text()", []), ("Text(", []), ("", []),
        ])
    func derived(_ body: String, _ found: [String]) {
        let source = PastedSource("struct V: View { let z = 1; var body: some View { \(body) } }")
        #expect(source.types.first.map(source.derivedFields)?.map(said) == found)
    }

    @Test("a hosting controller's initialiser for a storyboard is told by its label")
    func storyboard() {
        for (text, isIt) in [
            ("init?(coder: NSCoder) {}", true), ("init?(coder aDecoder: NSCoder) {}", true),
            ("required dynamic init?(coder decoder: NSCoder) {}", true), ("init(coder: Int) {}", false),
            ("init(_ coder: NSCoder) {}", false), ("init() {}", false),
            ("init(aDecoder coder: NSCoder) {}", false),
        ] {
            let found = PastedSource("class C: UIHostingController<V> { \(text) }").types.first?.initialisers
            #expect(found?.map(\.isForStoryboard) == [isIt], "\(text)")
        }
    }

    @Test(
        "what to write instead of a selector is said for the call that it stands in",
        arguments: [
            (
                "b.addTarget(self, action: #selector(save), for: .touchUpInside)",
                "addTarget(self, action: C.save, for:"
            ),
            (
                "b.addTarget(self, action: #selector(C.save(_:)), for: .valueChanged)",
                "addTarget(self, action: C.save, for:"
            ),
            (
                "NotificationCenter.default.addObserver(self, selector: #selector(changed), name: x, object: nil)",
                "addObserver(self, action: C.changed, name: …, object: nil)"
            ),
            (
                "Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
                "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in self?.tick() }"
            ),
            (
                "Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
                "Timer.scheduledTimer(withTimeInterval: 1,"
            ),
            (
                "perform(#selector(tick), with: nil, afterDelay: 1)",
                "after(milliseconds: 0) { [weak self] in self?.tick() }"
            ),
            (
                "x = UIBarButtonItem(barButtonSystemItem: .add, target: self, action: #selector(tick))",
                "the method itself: UIBarButtonItem(…, target: self, action: C.tick)"
            ),
            (
                "v.addGestureRecognizer(UITapGestureRecognizer(target: self, action: #selector(tick)))",
                "the method itself: UITapGestureRecognizer(target: self, action: C.tick)"
            ),
            (
                "v.addGestureRecognizer(UIPanGestureRecognizer.init(target: self, action: #selector(pan(_:))))",
                "the method itself: UIPanGestureRecognizer(target: self, action: C.pan)"
            ),
            ("let s = #selector(tick)", "let the scenario call it, .event(\"tick\")"),
            ("link = CADisplayLink(target: self, selector: #selector(tick))", ".send(\"tick\")"),
        ])
    func selectors(_ statement: String, _ said: String) {
        let source = PastedSource(
            "class C: UIViewController { func tick() {}; func pan(_ g: G) {}; func f() { \(statement) } }")
        #expect(source.impossible.map(\.what) == ["#selector"])
        #expect(source.impossible.first?.instead.contains(said) == true, "\(source.impossible)")
    }

    @Test(
        "a type that is not here is named where it first stands, with what to write instead; one of the file's own is not"
    )
    func absentTypes() {
        let source = PastedSource(
            """
            import SwiftUI
            struct Map: UIViewRepresentable {
                func makeUIView(context: Context) -> MKMapView { MKMapView() }
                func updateUIView(_ view: MKMapView, context: Context) { _ = UIScreen.main.bounds }
            }
            class WKWebView: UIView {}
            struct Page: View { @Entry var tone = 1; var body: some View { WKWebView(); Canvas { _, _ in } } }
            """)
        #expect(source.impossible.map(\.what) == ["MKMapView", "UIScreen", "@Entry", "Canvas"])
        #expect(source.impossible.map(\.line) == [3, 4, 7, 7])
        #expect(source.impossible.first?.instead.contains("class MKMapView: UIView { … }") == true)
        let stored = PastedSource(
            "struct S: View { @AppStorage(\"n\") var n = 0; let d = UserDefaults.standard }")
        #expect(stored.impossible.map(\.what) == ["UserDefaults"])
        #expect(PastedSource("let d = UserDefaults.standard").impossible.isEmpty)
    }

    private static let whole = """
        import SwiftUI
        @MainActor final class Screen<T: P>: UIViewController, @preconcurrency Delegate where T: Q {
            @Published private(set) var title: String? = "a \\(b("c")) d" { didSet { show(title) } }
            private let items: [String: (Int) -> Void] = [:], other = #"raw "text""#
            init?(coder: NSCoder, @ViewBuilder _ make: @escaping () -> some View = { Text("x") }) { super.init() }
            override func viewDidLoad() { super.viewDidLoad(); label.accessibilityIdentifier = "name" }
            enum Kind: String { case one = "1", two; case three(Int) }
            /* a /* nested */ comment */ var `class`: any P & Q
            var body: some View { VStack { Text(\"\"\"
                long {
                \"\"\").accessibilityIdentifier("long") } }
        }
        extension Screen.Kind: Sendable { subscript(at: Int) -> Int { get { 1 } set {} } }
        """

    @Test("no file is too broken to be read: cut off anywhere, and with any character left out or doubled")
    func broken() {
        let characters = Array(Self.whole)
        for place in characters.indices {
            for text in [
                characters[..<place], characters[place...], characters[..<place] + characters[(place + 1)...],
                characters[...place] + characters[place...],
            ] {
                let source = PastedSource(String(text))
                // What is made of the types takes far longer than to read them.
                if place % 7 != 0 { continue }
                for type in source.types {
                    _ = (source.identifiedFields(in: type), source.derivedFields(of: type), source.impossible)
                }
            }
        }
        for text in [
            "", "\n", "\"", "\"\"\"", "#", "#\"", "`", "@", "/*", "//", "\\", "{", "}", ")", "struct",
            "struct {",
            "var", "let a", "func", "func f", "init", "init(", "case", "import", "extension", "extension A.",
            "class func",
            "@a(", "struct A<", "struct A: ", "struct A { var a:", "struct A { var a =", "struct A { init(a",
            "é", "\u{0}",
        ] {
            _ = PastedSource(text)
        }
        #expect(PastedSource(Self.whole).types.map(\.name) == ["Screen", "Kind"])
    }
}
