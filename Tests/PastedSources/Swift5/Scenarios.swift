public import SeamKit
import SwiftUI
import UIKit

/// The same scenario around each of the three.
public enum Pasted {
    public static let plugin = Plugin("test.pasted", name: "Pasted", version: "1") {
        ScreenScenario("test.note", title: "A note") { NoteController() }
            .model(Key("title", \.note.title), Key("pinned", \.note.isPinned))
            .event("pinDidChange") { screen, _ in screen.pinDidChange() }
            .fields("presses")
            .script(
                .set("title", "Final"), .tap("press"), .check("note", ["title": .matching]),
                .type("Last", into: "native"), .turn("pinned", to: true))
        ScreenScenario("test.account", title: "A form in code") { AccountFormController() }
            .model(
                Key("name", \.account.name), Key("seats", \.account.seats), Key("plan", \.account.plan),
                Key("billed", \.account.isBilled)
            )
            .event("refresh") { screen, _ in screen.refresh() }
        ScreenScenario("test.settings", title: "Settings") { SettingsTableController() }
            .model { ["Sounds": $0.soundsText] }
            .event("settingsDidChange") { screen, _ in screen.settingsDidChange() }
        ScreenScenario("test.settings-forgotten", title: "Forgotten settings") {
            ForgetfulSettingsController()
        }
        .model { ["Sounds": $0.soundsText] }
        ScreenScenario("test.profile", title: "A profile", object: Profile()) { ProfileForm(profile: $0) }
            .model(
                Key("nickname", \.nickname), Key("color", \.color), Key("age", \.age),
                Key("isPublic", \.isPublic), Key("birthday", \.birthday)
            )
            .fields("detail", "close", "ProfileDetail.text")
            .fields("MoreSheet.text", "close")
        ScreenScenario("test.pad", title: "A pad", model: PadState()) { PadScreen(state: $0) }
            .model(Key("marks", \.marks), Key("note", \.note))
    }
}
