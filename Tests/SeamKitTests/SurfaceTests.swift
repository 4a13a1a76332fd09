import PastedMainActor
import PastedSwift5
import PastedSwift6
import SeamKernel
import SeamKit
import Testing

/// Whole files with the surface that they bring along: they compile as they are, and what they say is measured.
@MainActor @Suite struct SurfaceTests {
    nonisolated static let modes = ["Swift 5", "Swift 6", "main actor"]

    private func run(_ id: String, _ mode: String) throws -> Running {
        let plugin = try #require(ModesTests.plugins[mode])
        let index = try #require(
            [
                "test.note", "test.account", "test.settings", "test.settings-forgotten", "test.profile",
                "test.pad",
            ]
            .firstIndex(of: id))
        return try Running(plugin, index)
    }

    private func turn(_ run: Running, _ control: String, _ value: String) throws -> Turn {
        try run.send("set", ["control": control, "value": value])
    }

    @Test(
        "a form in code, with a stack view, constraints, a segmented control, a stepper and an alert",
        arguments: modes)
    func accountForm(_ mode: String) throws {
        let form = try run("test.account", mode)
        defer { #expect(form.end() == []) }
        #expect(form.start.codes == [])
        #expect(form.shown("titleLabel") == "Account of Ada" && form.shown("plan") == "Team")
        #expect(form.shown("seats") == "2.0" && form.shown("billed") == "false")

        // Typed, and ended by the return key: the delegate hears of both.
        _ = try form.send("type", ["control": "name", "text": "Bea\n"])
        #expect(form.model("name") == "Bea" && form.shown("titleLabel") == "Account of Bea")
        _ = try turn(form, "plan", "Solo")
        #expect(form.model("plan") == "Solo" && form.verdict("plan") == .matching)
        // What an animation does is there at once, its completion in the same turn.
        _ = try form.tap("seats Increment")
        #expect(form.model("seats") == "3" && form.shown("seatsLabel") == "3 seats")
        _ = try turn(form, "seats", "9")
        #expect(form.model("seats") == "5")
        _ = try form.tap("billed")
        #expect(form.model("billed") == "true")
        #expect(try form.tap("Save").codes == [])

        // An alert lies over all the rest until it is answered.
        #expect(try form.tap("trash").codes == [])
        #expect(try form.tap("Save").codes == ["no-such-control"])
        #expect(try form.tap("Cancel").codes == [])
        #expect(form.model("name") == "Bea")
        _ = try form.tap("trash")
        #expect(try form.tap("Reset").codes == [])
        #expect(form.model("name") == "Ada" && form.shown("name") == "Ada" && form.shown("plan") == "Team")

        // What nobody writes stays as it is.
        _ = try form.set("name", "Cleo")
        #expect(form.verdict("name") == .stale)
        _ = try form.send("refresh")
        #expect(form.verdict("name") == .matching)
    }

    @Test("settings in a table, with a switch as the accessory of each row", arguments: modes)
    func settings(_ mode: String) throws {
        let table = try run("test.settings", mode)
        #expect(
            table.start.codes == [] && table.shown("Sounds") == "true" && table.shown("Badges") == "false")
        _ = try table.tap("Sounds")
        #expect(table.model("Sounds") == "false" && table.verdict("Sounds") == .matching)
        #expect(try table.send("settingsDidChange").codes == [])
        #expect(table.shown("Sounds") == "false")
        // The row goes, and its switch with it.
        _ = try table.tap("delete 1")
        #expect(table.shown("Badges") == nil)
        #expect(table.end() == [])

        let forgotten = try run("test.settings-forgotten", mode)
        _ = try forgotten.tap("Sounds")
        #expect(forgotten.shown("Sounds") == "false" && forgotten.verdict("Sounds") == .stale)
        forgotten.end()
    }

    @Test("a declarative form: picker, stepper, date, focus, storage, link, alert, sheet", arguments: modes)
    func profile(_ mode: String) throws {
        let form = try run("test.profile", mode)
        defer { #expect(form.end() == []) }
        #expect(form.start.codes == [])
        #expect(form.shown("nickname") == "ada" && form.shown("color") == "blue" && form.shown("age") == "36")
        #expect(form.shown("birthday") == "1970-01-01T00:00:00Z" && form.shown("focus") == "idle")

        // A picker is turned to a tag, or to what an option says.
        _ = try turn(form, "color", "red")
        #expect(form.model("color") == "red")
        _ = try turn(form, "color", "Green")
        #expect(form.model("color") == "green" && form.verdict("color") == .matching)
        _ = try form.tap("age Increment")
        _ = try turn(form, "birthday", "2001-02-03")
        #expect(form.model("age") == "37" && form.model("birthday") == "2001-02-03T00:00:00Z")

        _ = try form.send("type", ["control": "nickname", "text": "bea\n"])
        #expect(
            form.model("nickname") == "bea" && form.shown("focus") == "editing" && form.shown("visits") == "1"
        )

        // A link pushes, `dismiss` inside of it goes back.
        #expect(try form.tap("Details").codes == [])
        #expect(form.shown("detail") == "bea")
        _ = try form.set("nickname", "cleo")
        #expect(form.shown("detail") == "cleo")
        _ = try form.tap("Leave")
        #expect(form.shown("detail") == nil)
        _ = try form.tap("Details")
        _ = try form.tap("Back")
        #expect(form.shown("detail") == nil)

        _ = try form.tap("More")
        _ = try form.tap("close")
        #expect(try form.tap("close").codes == ["no-such-control"])

        // The answer closes the alert; then the button is disabled.
        _ = try form.tap("Reset")
        _ = try form.tap("Yes")
        #expect(form.model("nickname") == "")
        #expect(try form.tap("Reset").bodies == [])
        #expect(try form.tap("Yes").codes == ["no-such-control"])
    }

    @Test(
        "R32: a coordinator that has a binding and no parent writes through the newest, whichever it was given",
        arguments: modes)
    func pad(_ mode: String) throws {
        let pad = try run("test.pad", mode)
        defer { #expect(pad.end() == []) }
        // A new copy of the representable, which its coordinator never hears of.
        #expect(try pad.set("marks", "5").codes == [])
        #expect(try pad.tap("marks").codes == [])
        #expect(pad.model("marks") == "6" && pad.verdict("marks") == .matching)
        #expect(try pad.tap("marks longPress").codes == [])
        #expect(pad.model("marks") == "0" && pad.shown("marks") == "0")
    }
}
