import SeamKit

/// What the model knows of a draft.
struct DraftState: ModelState {
    var text = ""

    static var keys: [Key<Self>] { [Key("text", \.text)] }
}

/// The screen with the editor, which most of the scenarios share.
let draftScreen = Screen("NativeDraft", .declarative, fields: ["text"])
let draftParameters = [Parameter.text("text", "Text at the start", initial: "Dear Ada")]

/// The editor and its place on that screen.
@MainActor
func editor<Content: UIViewRepresentable>(
    _ content: @escaping @MainActor (Carried<DraftState>) -> Content
) -> Wrapping<DraftState, Content> where Content.UIViewType == TextView {
    Wrapping(
        "draft", title: "The wrapped editor", on: draftScreen, carrying: DraftState.self, echoes: true,
        events: typing, content: content)
}

/// An app on its way to the background, which open editors want to know of.
@MainActor
func resigning<Owner: Scenario>() -> [Event<Owner>] {
    [
        Event("resignActive", "The app goes to the background", lifecycle: true) { _, _ in
            post(notification: "willResignActive")
        }
    ]
}
