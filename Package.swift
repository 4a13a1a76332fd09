// swift-tools-version: 6.2
import PackageDescription

/// One set of settings for every Swift target: what is not an error here is not seen.
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]
let mainIsolated: [SwiftSetting] = house + [.defaultIsolation(MainActor.self)]
/// Debug builds, and so all tests, check exclusive access; on the event path of a release that costs a quarter
/// of an event (perf: 37 % of an event in swift_beginAccess and its kin before).
let eventPath: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]
let cHouse: [CSetting] = [.treatAllWarnings(as: .error)]

/// `make install` lays the Swift runtime where these paths lead, for machines without the toolchain that built it.
/// The toolchain's folder, which SwiftPM enters by itself, comes before them.
func installedRuntime(_ path: String) -> [LinkerSetting] {
    [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/\(path)"])]
}

/// A scenario plug-in exports its entry and nothing else.
let entryAlone: [LinkerSetting] =
    [.unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/entry.map"])]
    + installedRuntime("../swift")

let package = Package(
    name: "seam",
    products: [
        .executable(name: "seamd", targets: ["seamd"]),
        .executable(name: "seam", targets: ["seam"]),
        .executable(name: "seam-gate", targets: ["seam-gate"]),
        .executable(name: "seam-plugin-check", targets: ["seam-plugin-check"]),
        .library(name: "SeamKitLibrary", targets: ["SeamKit"]),
        // For code with `import SwiftUI`, `import UIKit` and `import Combine` at its top.
        .library(name: "SeamUILibrary", targets: ["SeamKit", "SwiftUI", "UIKit", "Combine"]),
        .library(name: "SeamTestingLibrary", targets: ["_Testing_UIKit", "_Testing_AppKit"]),
        .library(name: "Lessons", type: .dynamic, targets: ["Lessons"]),
        .library(name: "Counter", type: .dynamic, targets: ["Counter"]),
        .library(name: "Coordinator", type: .dynamic, targets: ["Coordinator"]),
        .library(name: "Pasted", type: .dynamic, targets: ["Pasted"]),
        .library(name: "FieldCases", type: .dynamic, targets: ["FieldCases"]),
        .library(name: "Migration", type: .dynamic, targets: ["Migration"]),
        .library(name: "Rules", type: .dynamic, targets: ["Rules"]),
    ],
    targets: [
        // MARK: C borders
        .target(name: "CSeamABI", cSettings: cHouse),
        .target(name: "CSeamHost", dependencies: ["CSeamABI"], cSettings: cHouse),
        .target(name: "CLibuv", cSettings: cHouse, linkerSettings: [.linkedLibrary("uv")]),
        .target(
            name: "CSimdjson",
            cxxSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
        .target(name: "CSystem", cSettings: cHouse),
        .target(
            name: "CCurses", cSettings: cHouse,
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),

        // MARK: SeamKernel
        .target(name: "SeamKernel", swiftSettings: house + eventPath + [.strictMemorySafety()]),

        // MARK: SeamWire
        .target(name: "SeamWire", dependencies: ["CSimdjson"], swiftSettings: house + eventPath),

        // MARK: SeamOptions
        .target(name: "SeamOptions", dependencies: ["CSystem", "SeamWire"], swiftSettings: house),

        // MARK: SeamPluginHost
        .target(
            name: "SeamPluginHost", dependencies: ["CSeamABI", "CSeamHost", "SeamKernel"],
            swiftSettings: house + eventPath),

        // MARK: SeamServer, seamd
        .target(
            name: "SeamServer",
            dependencies: [
                "CLibuv", "CSeamHost", "SeamKernel", "SeamOptions", "SeamWire", "SeamPluginHost",
            ],
            swiftSettings: mainIsolated + eventPath),
        .executableTarget(
            name: "seamd", dependencies: ["SeamServer"], exclude: ["Manual", "systemd"],
            swiftSettings: mainIsolated, linkerSettings: installedRuntime("../lib/seam/swift")),

        // MARK: SeamClient, seam
        .target(name: "SeamClient", dependencies: ["CSystem", "SeamWire"], swiftSettings: house),
        .executableTarget(
            name: "seam", dependencies: ["CCurses", "CSystem", "SeamClient", "SeamWire"],
            swiftSettings: house,
            linkerSettings: installedRuntime("../lib/seam/swift")),

        // MARK: seam-gate
        // An ordinary client of the daemon that browsers talk to: a fault in it takes no simulation down.
        .target(
            name: "CLibwebsockets", dependencies: ["CLibuv"], cSettings: cHouse,
            linkerSettings: [.linkedLibrary("websockets")]),
        .target(name: "CGatePage", cSettings: cHouse),
        .executableTarget(
            name: "seam-gate",
            dependencies: ["CGatePage", "CLibwebsockets", "SeamClient", "SeamOptions", "SeamWire"],
            exclude: ["Manual", "page", "systemd"], swiftSettings: mainIsolated,
            // CLibuv can lend Dispatch's main queue, which nothing here uses.
            linkerSettings: [.linkedLibrary("dispatch")] + installedRuntime("../lib/seam/swift")),

        // MARK: seam-plugin-check
        // A program of its own, since it opens plug-ins: seam starts one for each check, and outlives what they do.
        .target(
            name: "CSeamCheck", dependencies: ["CSeamABI", "CSeamHost"], cSettings: cHouse),
        .executableTarget(
            name: "seam-plugin-check",
            dependencies: [
                "CSeamABI", "CSeamCheck", "CSeamHost", "SeamKernel", "SeamPluginHost", "SeamWire",
            ],
            swiftSettings: house, linkerSettings: installedRuntime("../lib/seam/swift")),

        // MARK: seam-bench
        // The plug-in is built by `make bench`: in the folder of seamd every seamd would load it.
        .target(
            name: "CSeamBench", exclude: ["plugin"], cSettings: cHouse, linkerSettings: [.linkedLibrary("uv")]
        ),
        .executableTarget(
            name: "seam-bench", dependencies: ["CSeamBench", "SeamOptions", "SeamWire"],
            swiftSettings: mainIsolated),
        .executableTarget(
            name: "seam-bench-guard", dependencies: ["CSeamBench", "SeamKernel", "SeamWire"],
            exclude: ["recorded.json"], swiftSettings: house + eventPath,
            // Debian's valgrind gives up at the debug information that clang writes; it needs the names alone.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),

        // MARK: SeamKit and the plug-ins
        .target(
            name: "SeamKit", dependencies: ["CSeamABI"], exclude: ["Package.swift.installed"],
            swiftSettings: house + eventPath),
        .target(name: "SeamUIKit", dependencies: ["SeamKit"], swiftSettings: house + eventPath),
        // What pasted code imports: names alone.
        .target(name: "SwiftUI", dependencies: ["SeamKit", "SeamUIKit"], swiftSettings: house),
        .target(name: "UIKit", dependencies: ["SeamKit", "SeamUIKit"], swiftSettings: house),
        .target(name: "Combine", dependencies: ["SeamKit"], swiftSettings: house),
        .target(name: "_Testing_UIKit", swiftSettings: house),
        .target(name: "_Testing_AppKit", swiftSettings: house),
        .target(
            name: "Lessons", dependencies: ["SeamKit", "CSeamABI"], path: "Plugins/Lessons",
            swiftSettings: house, linkerSettings: entryAlone),
        .target(
            name: "Counter", dependencies: ["CSeamABI"], path: "Plugins/Counter", publicHeadersPath: ".",
            cSettings: cHouse, linkerSettings: entryAlone),
        .target(
            name: "Coordinator", dependencies: ["SeamKit", "CSeamABI"], path: "Plugins/Coordinator",
            swiftSettings: house, linkerSettings: entryAlone),
        .target(
            name: "Pasted", dependencies: ["SeamKit", "SwiftUI", "UIKit", "Combine", "CSeamABI"],
            path: "Plugins/Pasted", swiftSettings: house, linkerSettings: entryAlone),
        .target(
            name: "FieldCases", dependencies: ["SeamKit", "SwiftUI", "UIKit", "Combine", "CSeamABI"],
            path: "Plugins/FieldCases", swiftSettings: house, linkerSettings: entryAlone),
        .target(
            name: "Migration", dependencies: ["SeamKit", "CSeamABI"], path: "Plugins/Migration",
            swiftSettings: house, linkerSettings: entryAlone),
        .target(
            name: "Rules", dependencies: ["CSeamABI"], path: "Plugins/Rules", publicHeadersPath: ".",
            cSettings: cHouse, linkerSettings: entryAlone),

        // MARK: Tests
        .target(
            name: "PastedSwift5", dependencies: ["SeamKit", "SwiftUI", "UIKit", "Combine"],
            path: "Tests/PastedSources/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .target(
            name: "PastedSwift6", dependencies: ["SeamKit", "SwiftUI", "UIKit", "Combine"],
            path: "Tests/PastedSources/Swift6", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "PastedMainActor", dependencies: ["SeamKit", "SwiftUI", "UIKit", "Combine"],
            path: "Tests/PastedSources/MainActor",
            swiftSettings: [
                .treatAllWarnings(as: .error), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        .testTarget(
            name: "SeamKitTests",
            dependencies: [
                "CSeamABI", "Combine", "PastedMainActor", "PastedSwift5", "PastedSwift6", "SeamKernel",
                "SeamKit",
                "SeamPluginHost", "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house),
        .target(
            name: "SeamTestSupport", dependencies: ["SeamWire"], path: "Tests/SeamTestSupport",
            swiftSettings: house),
        .testTarget(
            name: "SeamKernelTests", dependencies: ["SeamKernel"], swiftSettings: house),
        .testTarget(name: "SeamWireTests", dependencies: ["SeamWire"], swiftSettings: house),
        .testTarget(
            name: "SeamPluginHostTests",
            dependencies: ["CSeamABI", "SeamKernel", "SeamKit", "SeamPluginHost", "SeamTestSupport"],
            exclude: ["BadPlugins"],
            swiftSettings: house),
        .testTarget(
            name: "SeamCLITests", dependencies: ["seam", "SeamClient", "SeamWire"], swiftSettings: house),
        .testTarget(
            name: "SeamServerTests", dependencies: ["SeamKernel", "SeamServer", "SeamWire"],
            swiftSettings: house),
        .testTarget(
            name: "EndToEndTests", dependencies: ["SeamKernel", "SeamTestSupport", "SeamWire"],
            exclude: ["PlantedFaults"], swiftSettings: house),
        .testTarget(
            name: "TidyTests", dependencies: ["SeamTestSupport", "SeamWire"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)
