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
    }
}
