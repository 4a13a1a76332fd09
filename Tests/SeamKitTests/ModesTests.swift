import PastedMainActor
import PastedSwift5
import PastedSwift6
import SeamKernel
import SeamKit
import Testing

/// Sources as they were written for three languages: Swift 5, Swift 6, and Swift 6 with the main actor as default.
@MainActor @Suite struct ModesTests {
    static let plugins = [
        "Swift 5": PastedSwift5.Pasted.plugin, "Swift 6": PastedSwift6.Pasted.plugin,
        "main actor": PastedMainActor.Pasted.plugin,
    ]

    @Test("one file does the same in each language mode", arguments: ["Swift 5", "Swift 6", "main actor"])
    func modes(_ mode: String) throws {
        let note = try Running(try #require(Self.plugins[mode]))
        defer { #expect(note.end() == []) }
        #expect(note.start.codes == [])
        #expect(note.shown("title") == "Draft" && note.shown("native") == "Draft")
        #expect(note.shown("pinLabel") == "loose")

        #expect(try note.set("title", "Final").codes == [])
        #expect(note.shown("title") == "Final" && note.shown("editor") == "Final")
        #expect(note.shown("native") == "Final")

        // The view's own state: on no model, and kept from one evaluation to the next.
        _ = try note.tap("press")
        #expect(try note.tap("press").bodies == ["draw state"])
        #expect(note.shown("presses") == "2")

        _ = try note.send("NativeField.type", ["text": "Last"])
        #expect(note.model("title") == "Last" && note.shown("title") == "Last")

        _ = try note.send("set", ["control": "pinned", "value": "true"])
        #expect(note.model("pinned") == "true" && note.verdict("pinned") == .matching)
        #expect(note.shown("pinLabel") == "loose")
        _ = try note.send("pinDidChange")
        #expect(note.shown("pinLabel") == "pinned")
    }
}
