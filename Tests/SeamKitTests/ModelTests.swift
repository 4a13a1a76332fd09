import Combine
import Foundation
import Observation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

// MARK: Values

private enum Rank: String, Codable { case low, high }

private struct Address: Codable {
    var city = "Paris"
    var zip: Int? = nil
}

private struct Profile: Codable {
    var name = "Ada"
    var age = 36
    var share = 0.5
    var isOpen = false
    var note: String? = nil
    var rank = Rank.low
    var address = Address()
    var tags = ["a", "b"]
    var counts = ["x": 1]

    enum CodingKeys: String, CodingKey {
        case name = "full-name", age, share, isOpen, note, rank, address, tags, counts
    }
}

private let profiles = Plugin("test.profiles", name: "profiles", version: "1") {
    ScreenScenario("test.profile", screen: "S", model: Profile()) { $profile in
        VStack {
            Text(profile.name).accessibilityIdentifier("full-name")
            Text("\(profile.age)").accessibilityIdentifier("age")
            Text(profile.note ?? "none").accessibilityIdentifier("note")
            Text(profile.rank.rawValue).accessibilityIdentifier("rank")
            Text(profile.address.city).accessibilityIdentifier("address.city")
            Text(profile.tags.joined(separator: ",")).accessibilityIdentifier("joined")
            Button("Grow") { profile.age += 1 }
        }
    }
    .model(\.self)
}

private final class ProfileController: UIViewController {
    var profile = Profile()
    let name = UILabel()
    private lazy var host = UIHostingController(rootView: Text("x"))

    override func viewDidLoad() {
        super.viewDidLoad()
        name.accessibilityIdentifier = "full-name"
        view.addSubview(name)
        refresh()
    }
    func refresh() { name.text = profile.name }
}

private let held = Plugin("test.held", name: "held", version: "1") {
    ScreenScenario("test.held", screen: "S") { ProfileController() }
        .model(\.profile)
        .event("refresh") { screen, _ in screen.refresh() }
}

// MARK: Objects

private final class Store: ObservableObject {
    @Published var title = "Tasks"
    @Published var count = 3
    @Published var note: String?
    @Published var items = ["a"]
    var unpublished = "kept"
    let store = NSObject()
}

private struct StoreView: View {
    @ObservedObject var store: Store
    var body: some View {
        VStack {
            Text(store.title).accessibilityIdentifier("title")
            Text("\(store.count)").accessibilityIdentifier("count")
            Text(store.note ?? "none").accessibilityIdentifier("note")
            Button("More") { store.count += 1 }
        }
    }
}

@Observable private final class Watched {
    var title = "one"
}

private struct WatchedView: View {
    let watched: Watched
    var body: some View { Text(watched.title).accessibilityIdentifier("title") }
}

private let objects = Plugin("test.objects", name: "objects", version: "1") {
    ScreenScenario("test.store", screen: "S", object: Store()) { store in StoreView(store: store) }
        .model(\.self)
    ScreenScenario("test.watched", screen: "S", object: Watched()) { watched in WatchedView(watched: watched)
    }
    .model(\.self)
    .event("rename") { watched, _ in watched.title = "two" }
}

private struct Lists: Codable {
    var items = ["a"]
}

/// Encodes itself to something that it can't be made from.
private struct OneWay: Codable {
    var name = "a"
    init() {}
    init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "made by init() alone"))
    }
}

private final class Plain {
    let other = NSObject()
}

@MainActor @Suite struct ModelTests {
    @Test("a Codable value is the model: each stored property is a key, also one that has no value yet")
    func value() throws {
        let run = try Running(profiles)
        #expect(run.model("full-name") == "Ada" && run.model("age") == "36" && run.model("share") == "0.5")
        #expect(run.model("isOpen") == "false" && run.model("rank") == "low" && run.model("note") == nil)
        #expect(run.model("address.city") == "Paris" && run.fields.contains("address.zip"))
        #expect(run.model("counts.x") == "1")
        #expect(
            !run.fields.contains("tags") && !run.fields.contains("counts") && !run.fields.contains("address"))
        _ = try run.tap("Grow")
        #expect(run.model("age") == "37" && run.verdict("age") == .matching)
        run.end()
    }

    @Test(
        "a client's write reaches the property",
        arguments: [
            ("full-name", "Eve"), ("age", "40"), ("note", "new"), ("rank", "high"), ("address.city", "Rome"),
        ])
    func written(_ key: String, _ value: String) throws {
        let run = try Running(profiles)
        #expect(try run.set(key, value).codes == [])
        #expect(run.shown(key) == value && run.model(key) == value && run.verdict(key) == .matching)
        // What is no text of the model is as it was.
        #expect(run.shown("joined") == "a,b")
        run.end()
    }

    @Test(
        "a text that the property has no value for is reported, and changes nothing",
        arguments: [
            ("age", "many"), ("age", ""), ("rank", "middle"), ("isOpen", "yes"), ("share", "half"),
            ("address.zip", "x"),
        ])
    func unreadable(_ key: String, _ value: String) throws {
        let run = try Running(profiles)
        #expect(try run.set(key, value).codes.contains("unreadable-value"))
        _ = try run.tap("Grow")
        #expect(run.shown("age") == "37" && run.shown("rank") == "low")
        run.end()
    }

    @Test("a value that is cleared is none where the property has one, and kept where it has not")
    func cleared() throws {
        let run = try Running(profiles)
        _ = try run.set("note", "new")
        #expect(run.shown("note") == "new")
        _ = try run.set("note", nil)
        #expect(run.shown("note") == "none")
        _ = try run.set("age", nil)
        #expect(run.shown("age") == "36")
        run.end()
    }

    @Test("a value that a controller holds is read and written there")
    func heldValue() throws {
        let run = try Running(held)
        _ = try run.set("full-name", "Eve")
        #expect(run.verdict("full-name") == .stale)
        _ = try run.send("refresh")
        #expect(run.shown("full-name") == "Eve" && run.verdict("full-name") == .matching)
        run.end()
    }

    @Test("the state object itself: published properties both ways, none that is no text")
    func object() throws {
        let run = try Running(objects)
        #expect(run.model("title") == "Tasks" && run.model("count") == "3" && run.model("note") == nil)
        #expect(run.model("unpublished") == "kept")
        #expect(!run.fields.contains("items") && !run.fields.contains("store"))
        #expect(try run.set("title", "Done").codes == [])
        _ = try run.set("note", "new")
        #expect(run.shown("title") == "Done" && run.shown("note") == "new")
        #expect(try run.set("count", "many").codes.contains("unreadable-value"))
        _ = try run.tap("More")
        #expect(run.model("count") == "4" && run.shown("count") == "4")
        run.end()
    }

    @Test("an observable object is read under the names of its properties")
    func observable() throws {
        let run = try Running(objects, 1)
        #expect(run.model("title") == "one" && run.verdict("title") == .matching)
        _ = try run.send("rename")
        #expect(run.model("title") == "two" && run.shown("title") == "two")
        run.end()
    }

    @Test("what can't be a model is refused when the plug-in is described, with what to write instead")
    func refused() throws {
        func problem(_ scenario: any AnyScreenScenario) -> String {
            do {
                _ = try scenario._describe()
                return "described"
            } catch { return "\(error)" }
        }
        #expect(
            problem(
                ScreenScenario("test.lists", model: Lists()) { $lists in Text(lists.items.joined()) }
                    .model(\.self)
            ).contains("Lists has no stored property that is one text"))
        #expect(
            problem(
                ScreenScenario("test.one-way", model: OneWay()) { $one in Text(one.name) }.model(\.self)
            ).contains("OneWay can't be made again from what it was encoded to"))
        #expect(
            problem(
                ScreenScenario("test.plain", object: Plain()) { _ in Text("a") }.model(\.self)
            ).contains("Plain has no stored property that is a text, a number or a flag"))
    }
}
