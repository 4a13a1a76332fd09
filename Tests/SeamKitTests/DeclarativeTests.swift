import SeamKernel
import SeamKit
import Observation
import SwiftUI
import Testing
import UIKit

// Names of both sides of the border: here SeamKit's are meant.
private typealias State = SeamKit.State
private typealias Binding = SeamKit.Binding

private final class Store: ObservableObject {
    @Published var count = 0
    @Published var other = ""
    let name: String

    init(_ name: String = "store") { self.name = name }
}

@Observable private final class Modern {
    var title = "one"
    var unread = 0
}

private struct ModernForm: View {
    @Bindable var modern: Modern

    var body: some View {
        @Bindable var same = modern
        TextField("Title", text: $modern.title).accessibilityIdentifier("title")
        Text($same.title.wrappedValue).accessibilityIdentifier("copy")
        LabeledContent("Kind", value: "note")
        if modern.title.isEmpty { ContentUnavailableView("Nothing", systemImage: "tray") }
    }
}

private struct OwningView: View {
    @StateObject private var store = Store()
    let label: String

    var body: some View {
        Text("\(store.count)").accessibilityIdentifier("count")
        Text(label).accessibilityIdentifier("label")
        Button("Increase") { store.count += 1 }
    }
}

private struct LookingView: View {
    @ObservedObject var store: Store
    let label: String

    var body: some View {
        Text("\(store.count)").accessibilityIdentifier("count")
        Text(label).accessibilityIdentifier("label")
        Button("Increase") { store.count += 1 }
    }
}

/// Makes the object of the view below in each of its own evaluations.
private struct MakingView: View {
    @State private var label = "a"

    var body: some View {
        LookingView(store: Store(), label: label)
        Button("Rename") { label += "a" }
    }
}

private struct ParentOfOwner: View {
    @State private var label = "a"

    var body: some View {
        OwningView(label: label)
        Button("Rename") { label += "a" }
    }
}

private struct RowsView: View {
    @State private var names = ["ann", "bo"]

    var body: some View {
        ForEach(names, id: \.self) { RowView(name: $0) }
        Button("Reverse") { names.reverse() }
        Button("Drop") { names.removeFirst() }
    }
}

private struct RowView: View {
    let name: String
    @State private var presses = 0

    var body: some View {
        Text("\(name) \(presses)").accessibilityIdentifier("row \(name)")
        Button("Press \(name)") { presses += 1 }
    }
}

private struct BranchView: View {
    @State private var isOpen = true
    @State private var said: [String] = []

    var body: some View {
        if isOpen {
            RowView(name: "inner")
                .onAppear { said.append("came") }
                .onDisappear { said.append("went") }
        } else {
            Text("closed").accessibilityIdentifier("closed")
        }
        Text(said.joined(separator: ",")).accessibilityIdentifier("said")
        Button("Toggle") { isOpen.toggle() }
    }
}

private struct ChangingView: View {
    @State private var count = 0
    @State private var seen = ""

    var body: some View {
        Text(seen).accessibilityIdentifier("seen")
            .onChange(of: count) { old, new in seen = "\(old) to \(new)" }
        Button("Twice") {
            count += 1
            count += 1
        }
    }
}

private struct ModernView: View {
    let modern: Modern

    var body: some View { Text(modern.title).accessibilityIdentifier("title") }
}

private struct SheetHost: View {
    @State private var isOpen = false
    @State private var dismissals = 0

    var body: some View {
        Text("\(dismissals)").accessibilityIdentifier("dismissals")
        Button("Open") { isOpen = true }
            .sheet(isPresented: $isOpen, onDismiss: { dismissals += 1 }) {
                Text("over").accessibilityIdentifier("over")
            }
    }
}

/// The declarative side: what lives as long as what, and what causes an evaluation. Each test names its rule.
@MainActor @Suite struct DeclarativeTests {
    private func screen(_ make: @escaping @MainActor @Sendable () -> ScreenScenario<Void>) -> Plugin {
        Plugin("test.rule", name: "Rule", version: "1") { make() }
    }

    @Test("R27: an owned object is the first of its identity, whatever is constructed later")
    func owned() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { ParentOfOwner() } })
        _ = try run.tap("Increase")
        #expect(try run.tap("Rename").codes == [])
        #expect(run.shown("count") == "1" && run.shown("label") == "aa")
        run.end()
    }

    @Test("R28: an observed object is the one that came last, and one made in each evaluation is found out")
    func observed() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { MakingView() } })
        #expect(try run.tap("Increase").codes == [])
        #expect(run.shown("count") == "1")
        #expect(try run.tap("Rename").codes == ["object-recreated"])
        #expect(run.shown("count") == "0" && run.shown("label") == "aa")
        #expect(try run.tap("Increase").bodies == ["draw observed"])
        #expect(run.shown("count") == "1")
        run.end()
    }

    @Test("R20: several writes of one event are one evaluation, with the last values")
    func coalesced() throws {
        let store = Store()
        let plugin = Plugin("test.rule", name: "Rule", version: "1") {
            ScreenScenario("test.rule", object: store) { LookingView(store: $0, label: "a") }
                .event("both") { store, _ in
                    store.count = 1
                    store.other = "x"
                    store.count = 2
                }
        }
        let run = try Running(plugin)
        #expect(try run.send("both").bodies == ["draw observed"])
        #expect(run.shown("count") == "2")
        run.end()
    }

    @Test("R22: publishing an equal value signals as well; an equal value of a state does not")
    func equalValues() throws {
        let store = Store()
        let plugin = Plugin("test.rule", name: "Rule", version: "1") {
            ScreenScenario("test.rule", object: store) { LookingView(store: $0, label: "a") }
                .event("same") { store, _ in store.count = store.count }
        }
        let run = try Running(plugin)
        #expect(try run.send("same").bodies == ["draw observed"])
        run.end()
    }

    @Test("an @Observable object evaluates those who have read what changes, and nobody else")
    func observation() throws {
        let modern = Modern()
        let plugin = Plugin("test.rule", name: "Rule", version: "1") {
            ScreenScenario("test.rule", object: modern) { ModernView(modern: $0) }
                .event("title") { modern, _ in modern.title = "two" }
                .event("unread") { modern, _ in modern.unread += 1 }
        }
        let run = try Running(plugin)
        #expect(try run.send("unread").bodies == [])
        #expect(try run.send("title").bodies == ["draw observed"])
        #expect(run.shown("title") == "two")
        #expect(try run.send("unread").bodies == [])
        run.end()
    }

    @Test(
        "R4: a binding of an @Observable object reads and writes the property that it leads to, and no other")
    func bindable() throws {
        let modern = Modern()
        let plugin = Plugin("test.rule", name: "Rule", version: "1") {
            ScreenScenario("test.rule", object: modern) { ModernForm(modern: $0) }
                .model { ["title": $0.title] }
                .event("title") { modern, _ in modern.title = "two" }
                .event("unread") { modern, _ in modern.unread += 1 }
        }
        let run = try Running(plugin)
        #expect(run.verdict("title") == .matching && run.shown("copy") == "one")
        _ = try run.send("type", ["text": "typed"])
        #expect(run.model("title") == "typed" && run.shown("copy") == "typed")
        #expect(try run.send("unread").bodies == [])
        #expect(try run.send("title").bodies == ["draw observed"])
        #expect(run.shown("title") == "two" && run.verdict("title") == .matching)
        run.end()
    }

    @Test("R53: a row's identity is its id: its state goes where the id goes, and ends with it")
    func rows() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { RowsView() } })
        _ = try run.tap("Press ann")
        _ = try run.tap("Reverse")
        #expect(run.shown("row ann") == "ann 1" && run.shown("row bo") == "bo 0")
        _ = try run.tap("Drop")
        #expect(run.shown("row bo") == nil && run.shown("row ann") == "ann 1")
        run.end()
    }

    @Test("R29: a view that leaves takes its state with it; appearing and disappearing are told once each")
    func branches() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { BranchView() }.fields("closed") })
        #expect(run.shown("said") == "came")
        _ = try run.tap("Press inner")
        #expect(run.shown("row inner") == "inner 1" && run.shown("said") == "came")
        _ = try run.tap("Toggle")
        #expect(run.shown("row inner") == nil && run.shown("closed") == "closed")
        #expect(run.shown("said") == "came,went")
        _ = try run.tap("Toggle")
        #expect(run.shown("row inner") == "inner 0" && run.shown("closed") == nil)
        #expect(run.shown("said") == "came,went,came")
        run.end()
    }

    @Test("onChange hears of the value before the evaluation and of the one after it")
    func change() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { ChangingView() } })
        _ = try run.tap("Twice")
        #expect(run.shown("seen") == "0 to 2")
        run.end()
    }

    @Test("R89: a sheet that a person closes writes what presents it")
    func sheet() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { SheetHost() }.fields("over") })
        _ = try run.tap("Open")
        #expect(run.shown("over") == "over")
        _ = try run.tap("dismiss")
        #expect(run.shown("over") == nil && run.shown("dismissals") == "1")
        _ = try run.tap("Open")
        #expect(run.shown("over") == "over")
        run.end()
    }

    @Test("a control that is not there is reported, with those that are")
    func noControl() throws {
        let run = try Running(screen { ScreenScenario("test.rule") { ChangingView() } })
        let turn = try run.tap("Nowhere")
        #expect(turn.codes == ["no-such-control"])
        #expect(turn.diagnostics[0].text.contains("Twice"))
        run.end()
    }
}
