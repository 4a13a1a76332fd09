import SeamKit

/// The old screen, which has worked for years: a line for each value that it was told.
final class LegacyProfileView: NativeView {
    private var lines: [Item: String] = [:]

    subscript(_ item: Item) -> String? {
        get { lines[item] }
        set {
            lines[item] = newValue
            screen[item.legacyName] = newValue
        }
    }
}

/// The old screen inside the new app, for as long as it is needed.
struct LegacyProfile: UIViewRepresentable {
    let profile: ProfileState

    func makeUIView(context: Context) -> LegacyProfileView { LegacyProfileView() }

    func updateUIView(_ view: LegacyProfileView, context: Context) {
        for item in Item.allCases where view[item] != profile.old[item] {
            // A line that nobody thought of taking down.
            if profile.old[item] == nil && profile.leftBehind.contains(item) { continue }
            view[item] = profile.old[item]
        }
    }
}

/// The new screen: a row for each value, but for those that the design forgot.
struct ProfileView: View {
    let profile: ProfileState

    var body: some View {
        row(.name)
        row(.email)
        row(.phone)
        row(.fax)
    }

    private func row(_ item: Item) -> Field? {
        profile.noPlace.contains(item) ? nil : Field(item.rawValue, profile.new[item])
    }
}
