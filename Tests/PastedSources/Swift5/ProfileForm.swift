import SwiftUI

// A form, as a screen of its own.

final class Profile: ObservableObject {
    @Published var nickname = "ada"
    @Published var color = "blue"
    @Published var age = 36
    @Published var isPublic = true
    @Published var birthday = Date(timeIntervalSince1970: 0)
}

struct CardModifier: ViewModifier {
    var radius: CGFloat = 12
    @State private var isRaised = false

    func body(content: Content) -> some View {
        content
            .padding(.horizontal, radius)
            .background(isRaised ? Color.blue : Color(red: 0.9, green: 0.9, blue: 0.95))
            .clipShape(RoundedRectangle(cornerRadius: radius))
            .shadow(radius: 2)
    }
}

struct WideButtonStyle: ButtonStyle {
    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .frame(maxWidth: .infinity)
            .opacity(configuration.isPressed ? 0.5 : 1)
    }
}

struct ProfileForm: View {
    private enum Field: Hashable { case nickname }

    @ObservedObject var profile: Profile
    @State private var draft = ""
    @State private var isConfirming = false
    @State private var isSheetShown = false
    @FocusState private var focus: Field?
    @AppStorage("visits") private var visits = 0
    @ScaledMetric private var spacing: CGFloat = 8
    @Environment(\.colorScheme) private var colorScheme

    private let colors = ["red", "green", "blue"]

    var body: some View {
        NavigationStack {
            Form {
                Section(header: Text("Profile").font(.headline).foregroundStyle(.secondary)) {
                    TextField("Nickname", text: $profile.nickname)
                        .textFieldStyle(.roundedBorder)
                        .textInputAutocapitalization(.never)
                        .autocorrectionDisabled()
                        .focused($focus, equals: .nickname)
                        .submitLabel(.done)
                        .onSubmit { visits += 1 }
                        .accessibilityIdentifier("nickname")
                    Picker("Colour", selection: $profile.color) {
                        ForEach(colors, id: \.self) { Text($0.capitalized) }
                    }
                    .pickerStyle(.segmented)
                    .accessibilityIdentifier("color")
                    Stepper("Age", value: $profile.age, in: 0...120)
                        .accessibilityIdentifier("age")
                    DatePicker("Birthday", selection: $profile.birthday, displayedComponents: [.date])
                        .accessibilityIdentifier("birthday")
                    Toggle(isOn: $profile.isPublic) { Label("Public", systemImage: "eye") }
                        .tint(.green)
                        .accessibilityIdentifier("isPublic")
                }
                Section {
                    NavigationLink("Details") { ProfileDetail(profile: profile) }
                    Button("Reset", role: .destructive) { isConfirming = true }
                        .buttonStyle(WideButtonStyle())
                        .disabled(profile.nickname.isEmpty)
                    HStack(spacing: spacing) {
                        Image(systemName: "person").accessibilityIdentifier("icon")
                        Spacer()
                        Text(focus == .nickname ? "editing" : "idle").bold().accessibilityIdentifier("focus")
                    }
                    .modifier(CardModifier())
                } footer: {
                    Text("\(visits)").font(.caption).accessibilityIdentifier("visits")
                }
            }
            .navigationTitle("Profile")
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .topBarTrailing) {
                    Button("More") { withAnimation(.easeInOut(duration: 0.2)) { isSheetShown = true } }
                }
            }
            .alert("Reset?", isPresented: $isConfirming) {
                Button("Yes", role: .destructive) { profile.nickname = "" }
                Button("No", role: .cancel) {}
            } message: {
                Text("Everything goes.")
            }
            .sheet(isPresented: $isSheetShown) { MoreSheet().presentationDetents([.medium]) }
        }
        .animation(.default, value: profile.isPublic)
        .preferredColorScheme(colorScheme)
    }
}

struct ProfileDetail: View {
    @ObservedObject var profile: Profile
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        GeometryReader { _ in
            VStack(alignment: .leading, spacing: 8) {
                Text(profile.nickname).lineLimit(1).accessibilityIdentifier("detail")
                Button("Leave") { dismiss() }.buttonStyle(.borderedProminent)
            }
            .overlay(alignment: .topTrailing) { Circle().fill(.red).frame(width: 8, height: 8) }
        }
    }
}

struct MoreSheet: View {
    @Environment(\.presentationMode) private var presentationMode

    var body: some View {
        Button("Close") { presentationMode.wrappedValue.dismiss() }.accessibilityIdentifier("close")
    }
}

struct ProfileForm_Previews: PreviewProvider {
    static var previews: some View { ProfileForm(profile: Profile()) }
}
