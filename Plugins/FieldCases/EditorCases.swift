import SeamKit
import SwiftUI
import UIKit

struct Note {
    var text = "A"
}

@MainActor
private func note<Editor: UIViewRepresentable>(
    _ id: String, _ title: String, text verdict: Verdict,
    _ editor: @escaping @MainActor (Binding<String>) -> Editor
) -> ScreenScenario<Note> {
    ScreenScenario(id, title: title, screen: "Editor", model: Note()) { $note in
        editor($note.text).accessibilityIdentifier("text")
    }
    .model(Key("text", \.text))
    .script(.set("text", "B"), .check("set-from-outside", ["text": verdict]))
}

@MainActor let fc031 =
    note("fieldcases.fc-031", "The editor's update is empty", text: .stale) { RichTextEditor(text: $0) }
@MainActor let fc031Fixed =
    note("fieldcases.fc-031-fixed", "The editor's update writes what differs", text: .matching) {
        GuardedRichTextEditor(text: $0)
    }

struct SourceFile {
    var code = "a"
    var cursor = CursorPosition()
}

@MainActor
private func source<Editor: UIViewRepresentable>(
    _ id: String, _ title: String, code verdict: Verdict,
    _ editor: @escaping (Binding<String>, CursorPosition) -> Editor
) -> ScreenScenario<SourceFile> {
    ScreenScenario(id, title: title, screen: "Editor", model: SourceFile()) { $file in
        SourceScreen(code: $file.code) { [cursor = file.cursor] code in editor(code, cursor) }
    }
    .model { ["code": $0.code] }
    .bridge(SourceScreen<Editor>.self, inputs: [])
    .bridge(Editor.self, "editor")
    .script(.tap("Append"), .check("appended", ["code": verdict]))
}

@MainActor let fc033 =
    source("fieldcases.fc-033", "The update carries the cursor alone", code: .stale) {
        SourceEditor(code: $0, cursor: $1, wrapsLines: true)
    }
@MainActor let fc033Fixed =
    source("fieldcases.fc-033-fixed", "The update carries the code as well", code: .matching) {
        CompleteSourceEditor(code: $0, cursor: $1, wrapsLines: true)
    }
