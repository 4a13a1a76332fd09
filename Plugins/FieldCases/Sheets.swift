import SwiftUI
import UIKit

// Sheets, and when their content is made.

// MARK: A sheet whose host is made when the page below it is drawn first

struct PlaceList: View {
    @Binding var selection: String?
    @Binding var isSheetShown: Bool

    var body: some View {
        VStack {
            Button("item-1") {
                selection = "item-1"
                isSheetShown = true
            }
        }
    }
}

struct PlaceSheet: View {
    let label: String

    var body: some View { Text(label).accessibilityIdentifier("label") }
}

struct BottomSheet<Content: View>: UIViewControllerRepresentable {
    let isPresented: Bool
    let content: Content

    init(isPresented: Bool, @ViewBuilder content: () -> Content) {
        self.isPresented = isPresented
        self.content = content()
    }

    func makeCoordinator() -> SheetCoordinator<Content> { SheetCoordinator(content) }

    func makeUIViewController(context: Context) -> UIViewController { UIViewController() }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        context.coordinator.show(isPresented, over: controller)
    }
}

/// The repair: what the builder has made is handed on.
struct AssigningBottomSheet<Content: View>: UIViewControllerRepresentable {
    let isPresented: Bool
    let content: Content

    init(isPresented: Bool, @ViewBuilder content: () -> Content) {
        self.isPresented = isPresented
        self.content = content()
    }

    func makeCoordinator() -> SheetCoordinator<Content> { SheetCoordinator(content) }

    func makeUIViewController(context: Context) -> UIViewController { UIViewController() }

    func updateUIViewController(_ controller: UIViewController, context: Context) {
        context.coordinator.host.rootView = content
        context.coordinator.show(isPresented, over: controller)
    }
}

@MainActor
final class SheetCoordinator<Content: View> {
    let host: UIHostingController<Content>

    init(_ content: Content) { host = UIHostingController(rootView: content) }

    func show(_ isPresented: Bool, over controller: UIViewController) {
        if isPresented, host.parent == nil {
            controller.addChild(host)
            controller.view.addSubview(host.view)
            host.didMove(toParent: controller)
        }
    }
}

// MARK: A manager that keeps what was to be shown when it was shown

@MainActor
final class SheetManager: ObservableObject {
    private var window: UIWindow?

    func show(@ViewBuilder _ content: () -> some View) {
        let window = UIWindow(frame: .zero)
        window.rootViewController = UIHostingController(rootView: AnyView(content()))
        window.makeKeyAndVisible()
        self.window = window
    }
}

final class TallyCounter: ObservableObject {
    @Published var value = 0
}

struct TallySheet: View {
    let value: Int
    let increment: () -> Void

    var body: some View {
        VStack {
            Text("\(value)").accessibilityIdentifier("value")
            Button("More") { increment() }
        }
    }
}

struct TallyPage: View {
    @ObservedObject var counter: TallyCounter
    @StateObject private var sheets = SheetManager()

    var body: some View {
        VStack {
            Text("\(counter.value)").accessibilityIdentifier("value")
            Button("Show") {
                sheets.show { TallySheet(value: counter.value) { counter.value += 1 } }
            }
        }
    }
}

/// The repair: the sheet looks at the counter by itself.
struct ObservingTallySheet: View {
    @ObservedObject var counter: TallyCounter

    var body: some View { TallySheet(value: counter.value) { counter.value += 1 } }
}

struct ObservingTallyPage: View {
    @ObservedObject var counter: TallyCounter
    @StateObject private var sheets = SheetManager()

    var body: some View {
        VStack {
            Text("\(counter.value)").accessibilityIdentifier("value")
            Button("Show") { sheets.show { ObservingTallySheet(counter: counter) } }
        }
    }
}

// MARK: A help sheet that is made from what there was before its handler wrote

struct HelpText: Identifiable {
    let id: String
    let title: String
    let body: String
}

struct HelpSheet: View {
    let title: String?
    let text: String?

    var body: some View {
        VStack {
            if let title { Text(title).accessibilityIdentifier("title") }
            if let text { Text(text).accessibilityIdentifier("body") }
        }
    }
}

struct HelpState {
    var title: String?
    var body: String?
    var isPresented = false
    var item: HelpText?
}

struct HelpScreen: View {
    @Binding var help: HelpState
    @StateObject private var sheets = SheetManager()

    var body: some View {
        let sheet = HelpSheet(title: help.title, text: help.body)
        Button("Help") {
            help.title = "T"
            help.body = "B"
            help.isPresented = true
            if help.isPresented { sheets.show { sheet } }
        }
    }
}

/// The repair: one value says that there is a sheet and what is in it.
struct ItemHelpScreen: View {
    @Binding var help: HelpState
    @StateObject private var sheets = SheetManager()

    var body: some View {
        Button("Help") {
            help.item = HelpText(id: "help", title: "T", body: "B")
            if let item = help.item { sheets.show { HelpSheet(title: item.title, text: item.body) } }
        }
    }
}
