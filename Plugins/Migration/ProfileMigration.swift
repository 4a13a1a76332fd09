import SeamKit

/// Two screens of one profile, both on show: values go from the old one to the new one, one at a time.
///
/// The scenarios differ in where they begin and in what goes wrong; the code is this, whichever it is.
@MainActor
class ProfileMigration {
    @Model private var profile = ProfileState()
    private let moved: Items

    required init(_ parameters: Values) throws {
        moved = try Self.items("moved", of: parameters)
        profile.old = [
            .name: "Ada Lovelace", .email: "ada@example.org", .phone: "555 0100", .fax: "555 0101",
        ]
        profile.noPlace = try Self.items("noPlace", of: parameters)
        profile.leftBehind = try Self.items("leftBehind", of: parameters)
    }

    private static func items(_ name: String, of parameters: Values) throws -> Items {
        let text = parameters[name] ?? ""
        guard let items = Items(modelText: text) else {
            throw ScenarioError(
                "\(name) is \"\(text)\", expected some of \(Items(Set(Item.allCases)).modelText), with commas"
            )
        }
        return items
    }

    func move(_ item: Item) { profile.move(item) }

    /// What has moved before it begins was on the old screen once, or nothing could stay behind there.
    func moveWhatHasMoved() {
        later { [self] in
            for item in Item.allCases where moved.contains(item) { move(item) }
        }
    }
}

/// What all stages of the migration declare.
@MainActor
protocol Stage: ProfileMigration, Scenario {
    static var legacy: Wrapping<ProfileState, LegacyProfile> { get }
    static var host: Embedding<ProfileState, ProfileView> { get }
}

extension Stage {
    func start() throws {
        try Self.legacy.mount()
        try Self.host.mount()
        moveWhatHasMoved()
    }

    static var screens: [Screen] { [legacyScreen, profileScreen] }
    static var bridges: [Bridge] { [legacy, host] }
    static var events: [Event<Self>] {
        [
            Event(
                "move", "A value moves from the old screen to the new one",
                arguments: [.text("item", "Value", choices: Item.allCases.map(\.rawValue))]
            ) { stage, arguments in
                guard let item = arguments["item"].flatMap(Item.init(rawValue:)) else {
                    return diagnose("nothing-to-move", "move was sent without an item")
                }
                stage.move(item)
            }
        ]
    }

    static func choices(moved: Items, noPlace: Items = Items(), leftBehind: Items = Items()) -> [Parameter] {
        [
            .text("moved", "Values that have moved when it begins", initial: moved.modelText),
            .text("noPlace", "Values that the new screen has no row for", initial: noPlace.modelText),
            .text(
                "leftBehind", "Values that the old screen does not take down", initial: leftBehind.modelText),
        ]
    }

    static func makeLegacy() -> Wrapping<ProfileState, LegacyProfile> {
        Wrapping("legacy", title: "The old screen", on: legacyScreen, carrying: ProfileState.self) {
            LegacyProfile(profile: $0.state)
        }
    }

    static func makeHost() -> Embedding<ProfileState, ProfileView> {
        Embedding(
            "host", title: "The new screen", on: profileScreen, carrying: ProfileState.self, observed: true
        ) { ProfileView(profile: $0.state) }
    }
}
