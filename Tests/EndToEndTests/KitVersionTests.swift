import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Several plug-ins on SeamKit in one daemon: each has a SeamKit of its own, whose types have the same names.
@Suite struct KitVersionTests {
    private static let isLong = ProcessInfo.processInfo.environment["SEAM_LONG"] == "1"

    /// What two simulations show, after each step of one of them.
    private func shown(_ client: TestClient, _ sim: String) throws -> [String] {
        let fields = try client.call("sim.get", #"{"sim":"\#(sim)"}"#)["fields"]?.elements ?? []
        return fields.map {
            "\($0["field"]?.text ?? "?")=\($0["shown"]?.text ?? "-") \($0["verdict"]?.text ?? "?")"
        }
    }

    @Test("the lesson by hand and as pasted code, event by event in turn, each with a SeamKit of its own")
    func shipped() throws {
        let client = try SeamProcess().connect()
        for scenario in [
            "lessons.hosting-assigned", "pasted.hosting-assigned", "pasted.label", "pasted.draft",
        ] {
            try client.call(
                "sim.create",
                #"{"scenario":"\#(scenario)","id":"\#(scenario.split(separator: ".").joined(separator: "-"))"}"#
            )
        }
        for number in 10..<60 {
            for sim in ["lessons-hosting-assigned", "pasted-hosting-assigned"] {
                try client.call("model.set", #"{"sim":"\#(sim)","values":{"openCount":"\#(number)"}}"#)
            }
            try client.call(
                "sim.send", #"{"sim":"pasted-draft","event":"type","args":{"text":"\#(number)"}}"#)
            try client.call("model.set", #"{"sim":"pasted-label","values":{"text":"\#(number)"}}"#)
            try client.call("bridge.assign", #"{"sim":"lessons-hosting-assigned","bridge":"host"}"#)
            try client.call("sim.send", #"{"sim":"pasted-hosting-assigned","event":"summaryDidChange"}"#)
            let lesson = try shown(client, "lessons-hosting-assigned")
            #expect(lesson.contains("openCount=\(number) matching"), "\(lesson)")
            #expect(try shown(client, "pasted-hosting-assigned") == lesson)
            for sim in ["pasted-label", "pasted-draft"] {
                #expect(try shown(client, sim) == ["text=\(number) matching"])
            }
        }
    }

    /// Everything that SeamKit finds out by asking the runtime: what is a view, a representable, a dynamic property, an
    /// observable object, equal, an object, an optional; what an environment key's value is.
    private static let source = """
        public import CSeamABI
        import Combine
        import SeamKit
        import SwiftUI
        import UIKit

        struct Note: Equatable { var title = "Draft" }

        final class Store: ObservableObject { @Published var count = 0 }

        struct LocaleKey: EnvironmentKey { static let defaultValue = "en" }
        extension EnvironmentValues {
            var locale: String { get { self[LocaleKey.self] } set { self[LocaleKey.self] = newValue } }
        }

        struct TitleField: UIViewRepresentable {
            let note: Note
            var subtitle: String?
            @Binding var text: String
            func makeCoordinator() -> Coordinator { Coordinator(self) }
            func makeUIView(context: Context) -> UITextField {
                let field = UITextField()
                field.delegate = context.coordinator
                return field
            }
            func updateUIView(_ field: UITextField, context: Context) {
                context.coordinator.parent = self
                if field.text != note.title { field.text = note.title }
            }
            final class Coordinator: NSObject, UITextFieldDelegate {
                var parent: TitleField
                init(_ parent: TitleField) { self.parent = parent }
                func textFieldDidChangeSelection(_ field: UITextField) { parent.text = field.text ?? "" }
            }
        }

        struct CountView: View {
            @ObservedObject var store: Store
            @Environment(\\.locale) private var locale
            @State private var taps = 0
            var body: some View {
                Text("\\(store.count)")
                Text(locale).accessibilityIdentifier("locale")
                Button("More") { taps += 1; store.count += 1 }
                if taps > 1 { Text("\\(taps)").accessibilityIdentifier("taps") }
            }
        }

        struct RootView: View {
            @Binding var note: Note
            @StateObject private var store = Store()
            var body: some View {
                TitleField(note: note, subtitle: nil, text: $note.title).accessibilityIdentifier("title")
                CountView(store: store).environment(\\.locale, note.title)
            }
        }

        private let plugin = Plugin("NAME", name: "NAME", version: "1") {
            ScreenScenario("NAME.note", model: Note()) { $note in RootView(note: $note) }
                .model(Key("title", \\.title))
                .fields("taps")
                .script(
                    .set("title", "Final"), .check("set", ["title": .matching]),
                    .type("Typed", into: "title"), .check("typed", ["title": .matching]),
                    .tap("More"), .tap("More"), .check("tapped", ["title": .matching]))
        }

        @c @implementation
        public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
            plugin.answer(offer)
        }

        """

    /// A package in a module that is called the same in each, with its SeamKit.
    private func build(_ name: String, kit: String, hidesNames: Bool, in folder: TemporaryFolder) throws
        -> String
    {
        let package = "\(folder.path)/\(name)"
        let map =
            hidesNames
            ? #", linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\#(package)/entry.map"])]"#
            : ""
        try FileManager.default.createDirectory(
            atPath: "\(package)/Sources/Notes", withIntermediateDirectories: true)
        try folder.write("{ global: seam_plugin_entry; local: *; };\n", to: "\(name)/entry.map")
        try folder.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "notes", products: [.library(name: "Notes", type: .dynamic, targets: ["Notes"])],
                dependencies: [.package(name: "seam", path: "\(kit)")],
                targets: [
                    .target(
                        name: "Notes", dependencies: [.product(name: "SeamUILibrary", package: "seam")]\(map))
                ])

            """, to: "\(name)/Package.swift")
        try folder.write(
            Self.source.replacing("NAME", with: name), to: "\(name)/Sources/Notes/Notes.swift")
        let built = try run("swift", ["build", "-j", "2", "--package-path", package], within: .seconds(900))
        try #require(built.code == 0, "\(built)")
        let file = "\(folder.path)/lib\(name).so"
        try FileManager.default.copyItem(atPath: "\(package)/.build/debug/libNotes.so", toPath: file)
        return file
    }

    @Test(
        "two versions of SeamKit, whose types have the same names and another layout, with names that leave the library and without",
        .enabled("SEAM_LONG=1 runs it: SeamKit is built twice") { isLong }, arguments: [true, false])
    func versions(hidesNames: Bool) throws {
        let folder = try TemporaryFolder()
        let installed = try run(
            "make",
            [
                "-C", Checkout.path("."), "install", "PREFIX=/usr", "DESTDIR=\(folder.path)/image",
                "BIN=\(Products.folder)",
            ], within: .seconds(120))
        try #require(installed.code == 0, "\(installed)")
        let now = "\(folder.path)/image/usr/share/seam"
        let then = "\(folder.path)/then"
        try FileManager.default.copyItem(atPath: now, toPath: then)
        // More in front of what the objects have, and names of fields that tell by whom they were made.
        func change(_ file: String, _ old: String, _ new: String) throws {
            let text = try String(contentsOfFile: "\(then)/Sources/\(file)", encoding: .utf8)
            try #require(text.contains(old), "\(file): \(old)")
            try text.replacing(old, with: new)
                .write(toFile: "\(then)/Sources/\(file)", atomically: true, encoding: .utf8)
        }
        let more = "let older: (Int, String, Double) = (1, \"older\", 2)\n"
        try change(
            "SeamKit/Scenario/Instance.swift", "    let context: OpaquePointer?",
            "    \(more)    let context: OpaquePointer?")
        try change(
            "SeamKit/Declarative/Node.swift", "    package unowned let tree: Tree",
            "    \(more)    package unowned let tree: Tree")
        try change(
            "SeamKit/Declarative/Tree.swift", "    package let instance: Instance",
            "    \(more)    package let instance: Instance")
        try change(
            "SeamUIKit/UIView.swift", "    public private(set) weak var superview",
            "    \(more)    public private(set) weak var superview")
        try change("SeamKit/Declarative/Parts.swift", "node.show(\"text\"", "node.show(\"olderText\"")

        let files = try [("present", now), ("older", then)].map {
            try build($0.0, kit: $0.1, hidesNames: hidesNames, in: folder)
        }
        let names = try run("nm", ["-D", "--defined-only", "--extern-only", files[0]]).stdout.split(
            separator: "\n")
        #expect(hidesNames ? names.count == 1 : names.count > 1_000, "\(names.prefix(60))")
        for order in [files, files.reversed()] {
            let client = try SeamProcess(order.flatMap { ["--plugin", $0] }).connect()
            for name in ["older", "present"] {
                try client.call("sim.create", #"{"scenario":"\#(name).note","id":"\#(name)"}"#)
            }
            for number in 0..<50 {
                for (name, text) in [("present", "text"), ("older", "olderText")] {
                    try client.call("model.set", #"{"sim":"\#(name)","values":{"title":"set \#(number)"}}"#)
                    #expect(try shown(client, name).contains("title=set \(number) matching"))
                    try client.call(
                        "sim.send",
                        #"{"sim":"\#(name)","event":"type","args":{"text":"typed \#(number)"}}"#
                    )
                    try client.call(
                        "sim.send", #"{"sim":"\#(name)","event":"tap"}"#)
                    let fields = try shown(client, name)
                    #expect(fields.contains("title=typed \(number) matching"), "\(fields)")
                    #expect(fields.contains { $0.hasPrefix("CountView.\(text)=\(number + 1) ") }, "\(fields)")
                    #expect(fields.contains { $0.hasPrefix("locale=typed \(number) ") }, "\(fields)")
                    if number > 0 {
                        #expect(fields.contains { $0.hasPrefix("taps=\(number + 1) ") }, "\(fields)")
                    }
                }
            }
            for name in ["older", "present"] {
                try client.call("sim.destroy", #"{"sim":"\#(name)"}"#)
            }
            let played = try run(
                "seam", ["run"] + order.flatMap { ["--plugin", $0] } + ["present.*", "older.*"],
                within: .seconds(120))
            #expect(played.code == 0, "\(played)")
        }
    }
}
