import SeamKit

/// Before: the new screen is there, and empty.
final class Start: ProfileMigration, Stage {
    static let about = About(
        "migration.start", title: "Nothing has moved yet",
        summary: """
            A profile with four values on an old screen, and beside it the screen that is to take its place. The old \
            one follows the model as ever; of the new one nothing is expected, and nothing is shown.
            """)
    static let parameters: [Parameter] = choices(moved: Items())
    static let legacy = makeLegacy()
    static let host = makeHost()

    static let script: [Step] = [.set("telNo", "555 0199"), .check("start")]
    static let checks = [
        Check(
            "start", of: legacyScreen,
            expecting: ["userName": .matching, "eMail": .matching, "telNo": .matching, "faxNo": .matching]),
        Check(
            "start", of: profileScreen,
            expecting: ["name": .outOfScope, "email": .outOfScope, "phone": .outOfScope, "fax": .outOfScope]),
    ]
}

/// In the middle: each screen has its half.
final class HalfWay: ProfileMigration, Stage {
    static let about = About(
        "migration.half-way", title: "Two values have moved, and both screens are in use",
        summary: """
            Name and address are on the new screen, the two numbers still on the old one, and both follow the model. A \
            third value moves while both are on show: it leaves the old screen and appears on the new one in the same \
            turn.
            """)
    static let parameters: [Parameter] = choices(moved: Items([.name, .email]))
    static let legacy = makeLegacy()
    static let host = makeHost()

    static let script: [Step] = [
        .set("name", "Ada King"), .set("faxNo", "555 0198"), .check("half-way"),
        .send("move", ["item": "phone"]), .check("one-more"),
    ]
    static let checks = [
        Check(
            "half-way", of: legacyScreen,
            expecting: [
                "userName": .outOfScope, "eMail": .outOfScope, "telNo": .matching, "faxNo": .matching,
            ]),
        Check(
            "half-way", of: profileScreen,
            expecting: ["name": .matching, "email": .matching, "phone": .outOfScope, "fax": .outOfScope]),
        Check("one-more", of: legacyScreen, expecting: ["telNo": .outOfScope, "faxNo": .matching]),
        Check("one-more", of: profileScreen, expecting: ["phone": .matching, "fax": .outOfScope]),
    ]
}

/// A value that the new screen was never drawn with.
final class NoPlace: ProfileMigration, Stage {
    static let about = About(
        "migration.no-place", title: "A value finds no place on the new screen",
        summary: """
            The last value moves, and nobody had thought of it when the new screen was designed. The old screen takes \
            it down as it should, the new one has no row for it: the value is missing. Its repair is migration.done.
            """)
    static let parameters: [Parameter] = choices(
        moved: Items([.name, .email, .phone]), noPlace: Items([.fax]))
    static let legacy = makeLegacy()
    static let host = makeHost()

    static let script: [Step] = [.send("move", ["item": "fax"]), .check("no-place")]
    static let checks = [
        Check("no-place", of: legacyScreen, expecting: ["telNo": .outOfScope, "faxNo": .outOfScope]),
        Check(
            "no-place", of: profileScreen,
            expecting: ["name": .matching, "email": .matching, "phone": .matching, "fax": .missing]),
    ]
}

/// A value that the old screen was not told to give up.
final class LeftBehind: ProfileMigration, Stage {
    static let about = About(
        "migration.left-behind", title: "A value stays behind on the old screen",
        summary: """
            The phone number moves, and the new screen shows it; the old one was not told to take its line down. Both \
            screens show a number now, and when it changes only one of them follows: the other is left over from \
            before the move. Its repair is migration.done.
            """)
    static let parameters: [Parameter] = choices(moved: Items([.name, .email]), leftBehind: Items([.phone]))
    static let legacy = makeLegacy()
    static let host = makeHost()

    static let script: [Step] = [
        .send("move", ["item": "phone"]), .set("phone", "555 0199"), .check("left-behind"),
    ]
    static let checks = [
        Check("left-behind", of: legacyScreen, expecting: ["telNo": .leftover, "faxNo": .matching]),
        Check("left-behind", of: profileScreen, expecting: ["phone": .matching, "fax": .outOfScope]),
    ]
}

/// After: the old screen has nothing left to show and goes.
final class Done: ProfileMigration, Stage {
    static let about = About(
        "migration.done", title: "Everything has moved, and the old screen is gone",
        summary: """
            The last two values move, one after the other, and find their places. The old screen shows nothing any \
            more and is taken away; the new one follows the model alone.
            """)
    static let parameters: [Parameter] = choices(moved: Items([.name, .email]))
    static let legacy = makeLegacy()
    static let host = makeHost()

    static let script: [Step] = [
        .send("move", ["item": "phone"]), .send("move", ["item": "fax"]), .check("moved"),
        .unmount("legacy"), .set("fax", "555 0198"), .check("done"),
    ]
    static let checks = [
        Check(
            "moved", of: legacyScreen,
            expecting: [
                "userName": .outOfScope, "eMail": .outOfScope, "telNo": .outOfScope, "faxNo": .outOfScope,
            ]),
        Check(
            "moved", of: profileScreen,
            expecting: ["name": .matching, "email": .matching, "phone": .matching, "fax": .matching]),
        Check(
            "done", of: profileScreen,
            expecting: ["name": .matching, "email": .matching, "phone": .matching, "fax": .matching]),
    ]
}
