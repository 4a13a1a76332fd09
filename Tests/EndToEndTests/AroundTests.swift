import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// `seam plugin new NAME --around FILE.swift`.
@Suite struct AroundTests {
    private static let hasSwift = (try? run("swift", ["--version"]))?.code == 0

    /// Types lines into a shell in a folder, with programs in front of PATH.
    private func type(
        _ lines: String, in folder: TemporaryFolder, programs: String = Products.folder
    ) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try run(
            "env", ["-C", folder.path, "sh", "-c", lines], environment: ["PATH": "\(programs):\(path)"],
            within: .seconds(600))
    }

    private func write(_ text: String, to name: String, in folder: TemporaryFolder) throws {
        try text.write(toFile: "\(folder.path)/\(name)", atomically: false, encoding: .utf8)
    }

    private func checks(_ outcome: Outcome) -> [String] {
        outcome.stdout.split(separator: "\n").map(String.init).filter { $0.contains(" | ") }
    }

    /// An editor of 40 lines, as it stands in an app; what came after the start is forgotten.
    private static let noteField = """
        import SwiftUI
        import UIKit

        /// A note's title in a text field of UIKit.
        struct NoteField: UIViewRepresentable {
            @Binding var text: String
            var isEnabled = true

            func makeCoordinator() -> Coordinator { Coordinator($text) }

            func makeUIView(context: Context) -> UITextField {
                let field = UITextField()
                field.accessibilityIdentifier = "title"
                field.delegate = context.coordinator
                field.text = text
                return field
            }

            func updateUIView(_ field: UITextField, context: Context) {
                context.coordinator.text = $text
                field.isEnabled = isEnabled
                // The text.
            }

            final class Coordinator: NSObject, UITextFieldDelegate {
                var text: Binding<String>

                init(_ text: Binding<String>) {
                    self.text = text
                }

                func textFieldDidChangeSelection(_ textField: UITextField) {
                    text.wrappedValue = textField.text ?? ""
                }
            }
        }

        """

    @Test(
        "a pasted representable is under measurement from nothing, and its repair is one line; as installed",
        .enabled("there is no swift in PATH to build a package with") { hasSwift })
    func representable() throws {
        let folder = try TemporaryFolder()
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
            .standardizedFileURL.path
        let installed = try run(
            "make",
            [
                "-C", repository, "install", "PREFIX=/usr", "DESTDIR=\(folder.path)/image",
                "BIN=\(Products.folder)",
            ], within: .seconds(120))
        #expect(installed.code == 0, "\(installed)")
        let programs = "\(folder.path)/image/usr/bin"
        try write(Self.noteField, to: "NoteField.swift", in: folder)

        let made = try type("seam plugin new notes --around NoteField.swift", in: folder, programs: programs)
        #expect(
            made.stdout == """
                notes: NoteField.swift with a scenario around NoteField, notes.note-field. Now:
                    cd notes
                    ${EDITOR:-vi} Sources/Notes/Scenarios.swift
                    swift build
                    seam run --plugin .build/debug/libNotes.so notes.note-field
                    ./test.sh

                """, "\(made)")
        #expect(
            made.stderr.contains(#"no field was found that shows \.isEnabled"#) && made.code == 0, "\(made)")
        let copy = try String(
            contentsOfFile: "\(folder.path)/notes/Sources/Notes/NoteField.swift", encoding: .utf8)
        #expect(copy == Self.noteField)
        let package = try String(contentsOfFile: "\(folder.path)/notes/Package.swift", encoding: .utf8)
        #expect(
            package.contains("?? \"\(folder.path)/image/usr/share/seam\""), "the installed one: \(package)")

        let measure = """
            cd notes; swift build >build.log 2>&1 || cat build.log
            seam run --plugin .build/debug/libNotes.so notes.note-field
            """
        let stale = try type(measure, in: folder, programs: programs)
        #expect(stale.code == 1, "\(stale)")
        #expect(
            checks(stale) == [
                "start | NoteField.title: model=one screen=one -> matching",
                "title-set | NoteField.title: model=two screen=one -> stale",
                "title-typed | NoteField.title: model=typed screen=typed -> matching",
            ], "\(stale)")

        let repaired = try type(
            """
            sed -i 's|// The text.|if field.text != text { field.text = text }|' notes/Sources/Notes/NoteField.swift
            \(measure)
            """, in: folder, programs: programs)
        #expect(repaired.code == 0, "\(repaired)")
        #expect(
            checks(repaired) == [
                "start | NoteField.title: model=one screen=one -> matching",
                "title-set | NoteField.title: model=two screen=two -> matching",
                "title-typed | NoteField.title: model=typed screen=typed -> matching",
            ], "\(repaired)")
        let tested = try type(
            "cd notes; ./test.sh --report junit=report.xml", in: folder, programs: programs)
        #expect(tested.code == 0, "\(tested)")
    }

    /// Roots of each kind, with what the script comes to. None needs a word more to build; what is stale then is what the
    /// file does not carry, or carries as another text.
    private static let roots: [(name: String, options: String, source: String, checks: [String])] = [
        (
            "held", "",
            """
            import UIKit

            struct Person { var name = "Ada"; var visits = 3 }

            class PersonController: UIViewController {
                var person = Person()
                private let nameLabel = UILabel()
                let visitsLabel = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    nameLabel.accessibilityIdentifier = "name"
                    view.addSubview(nameLabel)
                    view.addSubview(visitsLabel)
                    personDidChange()
                }

                func personDidChange() {
                    nameLabel.text = person.name
                    visitsLabel.text = String(person.visits)
                }
            }
            """,
            [
                "start | PersonController.name: model=Ada screen=Ada -> matching",
                "start | PersonController.visitsLabel: model=3 screen=3 -> matching",
                "name-set | PersonController.name: model=two screen=two -> matching",
                "visitsLabel-set | PersonController.visitsLabel: model=2 screen=2 -> matching",
            ]
        ),
        (
            "hosted", "",
            """
            import SwiftUI
            import UIKit

            struct CardView: View {
                let name: String
                let close: (Int) -> Void
                var body: some View { Text(name).accessibilityIdentifier("name") }
            }

            final class CardController: UIViewController {
                var name = "Ada"
                private var host: UIHostingController<CardView>!

                override func viewDidLoad() {
                    super.viewDidLoad()
                    host = UIHostingController(rootView: CardView(name: name) { _ in })
                    addChild(host)
                    view.addSubview(host.view)
                    host.didMove(toParent: self)
                }
            }
            """,
            [
                "start | CardController.name: model=Ada screen=Ada -> matching",
                "name-set | CardController.name: model=two screen=Ada -> stale",
            ]
        ),
        (
            "chosen", " --root CardView",
            """
            import SwiftUI

            enum Style { case plain, loud(Int) }

            struct CardView: View {
                let name: String
                var nickname: String?
                let style: Style
                let close: (Int) -> Bool
                @State private var isOpen = false

                var body: some View {
                    VStack {
                        Text(name)
                            .accessibilityIdentifier("title")
                        if let nickname { Text(nickname).accessibilityIdentifier("nickname") }
                    }
                }
            }

            struct Around: View {
                var body: some View { CardView(name: "Ada", style: .plain) { $0 > 0 } }
            }
            """,
            [
                "start | CardView.title: model=one screen=one -> matching",
                "title-set | CardView.title: model=two screen=two -> matching",
                "nickname-set | CardView.nickname: model=two screen=two -> matching",
            ]
        ),
        (
            "store", "",
            """
            import Combine
            import SwiftUI

            final class Store: ObservableObject {
                @Published var title = "Tasks"
                /// Whoever looks at the store does not hear of this one.
                var count = 1
                @Published var limit = 1
            }

            struct StoreView: View {
                @ObservedObject var store: Store
                var body: some View {
                    VStack {
                        Text(store.title).accessibilityIdentifier("title")
                        Text("at most \\(store.limit)").accessibilityIdentifier("most")
                        Text("\\(store.count)").accessibilityIdentifier("amount")
                    }
                }
            }
            """,
            [
                "start | StoreView.title: model=Tasks screen=Tasks -> matching",
                "start | StoreView.amount: model=1 screen=1 -> matching",
                "start | StoreView.most: model=at most 1 screen=at most 1 -> matching",
                "title-set | StoreView.title: model=two screen=two -> matching",
                "amount-set | StoreView.amount: model=2 screen=1 -> stale",
                "limit-set | StoreView.most: model=at most 2 screen=at most 2 -> matching",
            ]
        ),
        (
            "badge", "",
            """
            import SwiftUI
            import UIKit

            struct BadgeView: View {
                var count: Int
                var body: some View { Text("\\(count) unread").accessibilityIdentifier("badge") }
            }

            class BadgeController: UIHostingController<BadgeView> {
                var unread = 0 { didSet { rootView = BadgeView(count: unread) } }
                init() { super.init(rootView: BadgeView(count: 0)) }
                @MainActor required dynamic init?(coder aDecoder: NSCoder) { fatalError("made in code alone") }
            }
            """,
            [
                "start | BadgeController.badge: model=0 unread screen=0 unread -> matching",
                "unread-set | BadgeController.badge: model=2 unread screen=2 unread -> matching",
            ]
        ),
        (
            "profile", "",
            """
            import SwiftUI
            import UIKit

            struct Profile { var name: String; var followers: Int }

            struct ProfileView: View {
                let profile: Profile
                var body: some View {
                    VStack(alignment: .leading, spacing: 8) {
                        Text(profile.name).font(.headline)
                        Text("\\(profile.followers) followers").foregroundColor(.secondary)
                        Text(profile.name.uppercased())
                    }
                }
            }

            final class ProfileController: UIHostingController<ProfileView> {
                var profile = Profile(name: "Ann", followers: 12)
                required init?(coder aDecoder: NSCoder) {
                    super.init(coder: aDecoder, rootView: ProfileView(profile: Profile(name: "Ann", followers: 12)))
                }
            }
            """,
            [
                "start | ProfileController.ProfileView.text: model=Ann screen=Ann -> matching",
                "start | ProfileController.ProfileView.text-2: model=12 followers screen=12 followers -> matching",
                "ProfileView.text-set | ProfileController.ProfileView.text: model=two screen=Ann -> stale",
                "followers-set | ProfileController.ProfileView.text-2: model=2 followers screen=12 followers -> stale",
            ]
        ),
        (
            "own", "",
            """
            import SwiftUI

            struct NameForm: View {
                @State private var name = "Ann"
                @State private var visits = 3

                var body: some View {
                    VStack {
                        TextField("Name", text: $name)
                        Text("Hello, \\(name)").font(.headline)
                        Text("\\(visits)").accessibilityIdentifier("visits")
                        Button("Save") { visits += 1 }
                        Text("at \\(1.5, specifier: "%.2f")")
                    }
                }
            }
            """,
            [
                "start | NameForm.visits: model=3 screen=3 -> matching",
                "start | NameForm.NameForm.textField: model=Ann screen=Ann -> matching",
                "start | NameForm.NameForm.text: model=Hello, Ann screen=Hello, Ann -> matching",
            ]
        ),
        (
            "switched", "",
            """
            import SwiftUI
            import UIKit

            final class Settings: ObservableObject {
                @Published var caption = "Wi-Fi"
                @Published var isOn = false
            }

            struct SettingsRow: View {
                @ObservedObject var store: Settings
                var body: some View { LabeledSwitch(caption: store.caption, isOn: $store.isOn) }
            }

            struct LabeledSwitch: UIViewRepresentable {
                var caption: String
                @Binding var isOn: Bool
                func makeUIView(context: Context) -> LabeledSwitchView { LabeledSwitchView() }
                func updateUIView(_ view: LabeledSwitchView, context: Context) {
                    if view.label.text != caption { view.label.text = caption }
                    if view.toggle.isOn != isOn { view.toggle.setOn(isOn, animated: true) }
                }
            }

            final class LabeledSwitchView: UIView {
                let label = UILabel()
                let toggle = UISwitch()
                override init(frame: CGRect) {
                    super.init(frame: frame)
                    addSubview(label)
                    addSubview(toggle)
                }
                required init?(coder: NSCoder) { fatalError("made in code alone") }
            }
            """,
            [
                "start | SettingsRow.label: model=Wi-Fi screen=Wi-Fi -> matching",
                "start | SettingsRow.toggle: model=false screen=false -> matching",
                "label-set | SettingsRow.label: model=two screen=two -> matching",
                "toggle-set | SettingsRow.toggle: model=true screen=true -> matching",
            ]
        ),
    ]

    @Test(
        "roots of each kind build as they are drafted, and give their verdicts; in the tree",
        .enabled("there is no swift in PATH to build a package with") { hasSwift })
    func rootKinds() throws {
        let folder = try TemporaryFolder()
        for root in Self.roots {
            try write(root.source, to: "Pasted.swift", in: folder)
            // One folder for what is built, so that SeamKit is built once.
            let outcome = try type(
                """
                seam plugin new \(root.name) --around Pasted.swift\(root.options) >/dev/null || exit 9
                cd \(root.name)
                swift build --scratch-path ../build >build.log 2>&1 || { cat build.log; cat Sources/*/S*; exit 8; }
                seam run --plugin ../build/debug/lib*\(root.name.dropFirst()).so '\(root.name).*'
                """, in: folder)
            #expect(checks(outcome) == root.checks, "\(root.name): \(outcome)")
        }
    }

    @Test(
        "a draft that checks nothing builds, and its run is no success: it says what to write",
        .enabled("there is no swift in PATH to build a package with") { hasSwift })
    func nothingToCheck() throws {
        let folder = try TemporaryFolder()
        try write(
            """
            import UIKit

            final class PlainController: UIViewController {
                let label = UILabel()
                override func viewDidLoad() {
                    super.viewDidLoad()
                    label.text = "x"
                    view.addSubview(label)
                }
            }
            """, to: "Plain.swift", in: folder)
        let outcome = try type(
            """
            seam plugin new plain --around Plain.swift 2>notes >/dev/null || exit 9
            cd plain
            swift build >build.log 2>&1 || { cat build.log; exit 8; }
            seam run --plugin .build/debug/libPlain.so plain.plain-controller --report junit=report.xml
            """, in: folder)
        #expect(outcome.code == 1 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(
            outcome.stderr == """
                seam: plain.plain-controller: no check was made, so nothing is known of it: say in its script what ought to \
                be on the screen, .check("start", ["label": .matching]) in Swift, where the model has a value for it, SEAM_STEP_CHECK in C; its fields are label

                """)
        let notes = try String(contentsOfFile: "\(folder.path)/notes", encoding: .utf8)
        #expect(notes.contains("which checks nothing yet; `seam run` lists its fields"), "\(notes)")
        let report = try String(contentsOfFile: "\(folder.path)/plain/report.xml", encoding: .utf8)
        #expect(report.contains("<failure message=\"no check was made"), "\(report)")
    }

    @Test(
        "a file that no compiler reads is refused with its line, where there is a compiler",
        .enabled("there is no swift in PATH to build a package with") { hasSwift })
    func syntax() throws {
        let folder = try TemporaryFolder()
        let source = "import SwiftUI\nstruct V: View {\n var body: some View { Text(\"a\" }\n}\n"
        try write(source, to: "Bad file.swift", in: folder)
        let outcome = try type("seam plugin new made --around 'Bad file.swift'", in: folder)
        #expect(
            outcome.code == 1
                && outcome.stderr.hasPrefix(
                    "seam: Bad file.swift:3: the compiler can't read it: expected ',' separator. Nothing was made"
                ),
            "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/made"))
        let without = try run(
            "env",
            [
                "-C", folder.path, "\(Products.folder)/seam", "plugin", "new", "made", "--around",
                "Bad file.swift",
            ],
            environment: ["PATH": "/nowhere"])
        #expect(without.code == 0, "without a compiler it is drafted as far as it goes: \(without)")
    }

    @Test("which of several types is the root, and what Linux has not, is said with its line")
    func notes() throws {
        let folder = try TemporaryFolder()
        try write(
            """
            import SwiftUI
            import MapKit
            /* @objc in a comment, and "#selector" in a text, are neither. */
            final class SaveController: UIViewController {
                @IBOutlet weak var label: UILabel!
                let text = "@objc #selector(x)"
                override func viewDidLoad() {
                    button.addTarget(self, action: #selector(save), for: .touchUpInside)
                }
                @objc func save() {}
                @IBAction func fine(_ sender: UIButton) {}
            }
            struct Other: View { var body: some View { Text("a") } }
            """, to: "Save.swift", in: folder)
        let made = try type("seam plugin new saves --around Save.swift", in: folder)
        #expect(made.code == 0)
        let lines = made.stderr.split(separator: "\n").map(String.init)
        #expect(
            lines.first
                == "seam: the root is SaveController, a view controller; for another: --root TYPE (Other)",
            "\(made)")
        let named = lines.filter { $0.contains("Linux has no") }.map {
            $0.components(separatedBy: "; instead")[0]
        }
        #expect(
            named == [
                "seam: Sources/Saves/Save.swift:2: Linux has no import MapKit",
                "seam: Sources/Saves/Save.swift:5: Linux has no @IBOutlet",
                "seam: Sources/Saves/Save.swift:8: Linux has no #selector",
                "seam: Sources/Saves/Save.swift:10: Linux has no @objc",
            ], "\(made)")
        #expect(made.stderr.contains("instead: let label = UILabel(), added to the view in viewDidLoad"))
        #expect(made.stdout.contains("\n    ${EDITOR:-vi} +2 Sources/Saves/Save.swift\n"), "\(made)")
        let json = try JSON(
            parsing: type("seam plugin new again --around Save.swift --json 2>&1", in: folder).stdout)
        #expect(json["root"]?.text == "SaveController" && json["unavailable"]?.elements?.count == 4)
        #expect(
            json["unavailable"]?[1]?["line"]?.integer == 5
                && json["scenarios"]?[0]?.text == "again.save-controller")
    }

    @Test(
        "what can't be drafted is refused, and nothing is written",
        arguments: [
            ("", "--around none.swift", 2, "there is no file none.swift: No such file or directory"),
            ("", "--around .", 2, ". is no file"),
            ("x", "--around P.txt", 2, "P.txt is no Swift file: its name does not end in .swift"),
            ("struct A: View {}", "--around P.swift --language c", 2, "leave --language c out"),
            ("struct A: View {}", "--root A", 2, "--root is for `seam plugin new NAME --around FILE.swift`"),
            ("", "--around P.swift", 1, "it declares no type at all"),
            (
                "struct A {}\nenum B { case c }", "--around P.swift", 1,
                "no type in it can be the root of a screen, which is a view controller (UIViewController or "
                    + "UIHostingController), a View, or a UIViewRepresentable or UIViewControllerRepresentable; "
                    + "it has struct A (line 1), enum B (line 2)"
            ),
            (
                "private struct A: View {}", "--around P.swift", 1,
                "struct A (line 1) would be one, but is private: other files can't make it, so take the word away"
            ),
            ("struct A: View {}", "--around P.swift --root B", 1, "P.swift has no type B; the root can be A"),
            (
                "struct A: View {}\n\nclass B {}", "--around P.swift --root B", 1,
                "P.swift:3: class B can't be the root: it is not a view controller"
            ),
            ("\u{0}struct A: View {}", "--around P.swift", 2, "P.swift is no text in UTF-8"),
        ])
    func refused(_ source: String, _ options: String, _ code: Int32, _ said: String) throws {
        let folder = try TemporaryFolder()
        for name in ["P.swift", "P.txt"] { try write(source, to: name, in: folder) }
        let outcome = try type("seam plugin new made \(options)", in: folder)
        #expect(outcome.code == code && outcome.stderr.contains(said), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/made"))
    }
}
