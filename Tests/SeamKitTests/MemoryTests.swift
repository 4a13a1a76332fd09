import Combine
import Foundation
import SeamKernel
import SeamKit
import SwiftUI
import Testing
import UIKit

/// What goes is let go of: objects that each evaluation makes anew, and whatever an event leaves behind.
@MainActor @Suite struct MemoryTests {
    @MainActor private final class Store: ObservableObject {
        private struct Weak { weak var store: Store? }
        private static var made: [Weak] = []
        static var alive: Int { made.count { $0.store != nil } }

        @Published var count = 0
        init() { Self.made.append(Weak(store: self)) }
    }

    private struct StoreView: View {
        @ObservedObject var store: Store
        var body: some View { Text("\(store.count)").accessibilityIdentifier("count") }
    }

    private struct MakingView: View {
        @State private var times = 0
        var body: some View {
            StoreView(store: Store())
            Button("Again") { times += 1 }
            Text("\(times)").accessibilityIdentifier("times")
        }
    }

    @Test(
        "R28: objects that each evaluation makes anew are found out, and neither they nor their numbers are kept"
    )
    func recreated() throws {
        let run = try Running(
            Plugin("test.making", name: "Making", version: "1") {
                ScreenScenario("test.making") { MakingView() }
            })
        var codes: [String] = []
        for _ in 0..<1_000 { codes += try run.tap("Again").codes }
        #expect(run.shown("times") == "1000")
        #expect(codes.contains("object-recreated"))
        #expect(Store.alive <= 2, "the one that is shown, and the one before it")
        #expect(run.simulation.liveCounts.objects < 300)
        run.end()
        #expect(Store.alive == 0)
    }

    private final class TitleController: UIViewController {
        var title1 = "0"
        // Made when the view is loaded, which is before anybody can read it.
        private(set) var host: UIHostingController<TitleView>!

        override func viewDidLoad() {
            super.viewDidLoad()
            host = UIHostingController(rootView: TitleView(title: title1))
            addChild(host)
            view.addSubview(host.view)
            host.didMove(toParent: self)
        }

        func titleDidChange() { host.rootView = TitleView(title: title1) }
    }

    private struct TitleView: View {
        let title: String
        var body: some View { Text(title).accessibilityIdentifier("title") }
    }

    private struct TitleLabel: UIViewRepresentable {
        let title: String
        func makeUIView(context: Context) -> UILabel { UILabel() }
        func updateUIView(_ label: UILabel, context: Context) { label.text = title }
    }

    private struct TitleModel { var title = "0" }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test(
        "a million events through a hosting controller and through a representable leave nothing behind",
        .enabled("SEAM_LONG=1 runs it: minutes") { ProcessInfo.processInfo.environment["SEAM_LONG"] == "1" },
        arguments: ["hosting", "representable"])
    func million(_ way: String) throws {
        let run = try Running(
            Plugin("test.million", name: "Million", version: "1") {
                ScreenScenario("test.hosting") { TitleController() }
                    .model(Key("title", \.title1))
                    .event("changed") { screen, _ in screen.titleDidChange() }
                ScreenScenario("test.representable", model: TitleModel()) { $model in
                    TitleLabel(title: model.title).accessibilityIdentifier("title")
                }
                .model(Key("title", \.title))
            }, way == "hosting" ? 0 : 1)
        func play(_ numbers: Range<Int>) throws {
            for number in numbers {
                _ = try run.set("title", "\(number)")
                if way == "hosting" { _ = try run.send("changed") }
            }
            #expect(run.shown("title") == "\(numbers.upperBound - 1)" && run.verdict("title") == .matching)
        }
        // What there is to be filled at first is full after these.
        try play(1..<100_000)
        let before = try Self.residentBytes()
        try play(100_000..<1_000_000)
        let growth = try Self.residentBytes() - before
        #expect(growth < 8 << 20, "\(growth) bytes more")
        run.end()
    }
}
