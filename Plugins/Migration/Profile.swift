import SeamKit

/// A value of a person's profile, which each screen has its own name for.
enum Item: String, CaseIterable, ModelText {
    case name, email, phone, fax

    /// What the old screen has always called it.
    var legacyName: String {
        switch self {
        case .name: "userName"
        case .email: "eMail"
        case .phone: "telNo"
        case .fax: "faxNo"
        }
    }

    init?(modelText: String) { self.init(rawValue: modelText) }
    var modelText: String { rawValue }
}

/// Some items, as one text: "name,email".
struct Items: ModelText, Equatable {
    var all: Set<Item> = []

    init(_ all: Set<Item> = []) { self.all = all }

    init?(modelText: String) {
        for name in modelText.split(separator: ",") {
            guard let item = Item(rawValue: String(name)) else { return nil }
            all.insert(item)
        }
    }

    var modelText: String { Item.allCases.filter(all.contains).map(\.rawValue).joined(separator: ",") }

    func contains(_ item: Item) -> Bool { all.contains(item) }
}

/// What each of the two screens should show. A value is on one of them: moving it takes it off the old one's list and
/// puts it on the new one's.
struct ProfileState: ModelState {
    var old: [Item: String] = [:]
    var new: [Item: String] = [:]
    /// What the new screen was not given a place for.
    var noPlace = Items()
    /// What the old screen was not told to take down.
    var leftBehind = Items()

    static var keys: [Key<Self>] {
        Item.allCases.map { Key($0.legacyName, \.old[$0]) }
            + Item.allCases.map { Key($0.rawValue, \.new[$0]) }
            + [Key("noPlace", \.noPlace), Key("leftBehind", \.leftBehind)]
    }

    mutating func move(_ item: Item) {
        guard let value = old.removeValue(forKey: item) else { return }
        new[item] = value
    }
}

let legacyScreen = Screen("LegacyProfile", .imperative, fields: Item.allCases.map(\.legacyName))
let profileScreen = Screen("Profile", .declarative, fields: Item.allCases.map(\.rawValue))
