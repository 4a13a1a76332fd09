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

/// A scenario plug-in exports its entry and nothing else.
let entryAlone: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/entry.map"])
]

let package = Package(
    name: "seam",
    products: [
        .executable(name: "seamd", targets: ["seamd"]),
        .executable(name: "seam", targets: ["seam"]),
        .library(name: "SeamKitLibrary", targets: ["SeamKit"]),
        .library(name: "Lessons", type: .dynamic, targets: ["Lessons"]),
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

        // MARK: SeamKernel
        .target(name: "SeamKernel", swiftSettings: house + eventPath + [.strictMemorySafety()]),

        // MARK: SeamWire
        .target(name: "SeamWire", dependencies: ["CSimdjson"], swiftSettings: house + eventPath),

        // MARK: SeamPluginHost
        .target(
            name: "SeamPluginHost", dependencies: ["CSeamABI", "CSeamHost", "SeamKernel"],
            swiftSettings: house + eventPath),

        // MARK: SeamServer, seamd
        .target(
            name: "SeamServer",
            dependencies: ["CLibuv", "CSeamHost", "SeamKernel", "SeamWire", "SeamPluginHost"],
            swiftSettings: mainIsolated + eventPath),
        .executableTarget(
            name: "seamd", dependencies: ["SeamServer"], swiftSettings: mainIsolated),

        // MARK: SeamClient, seam
        .target(name: "SeamClient", dependencies: ["CSystem", "SeamWire"], swiftSettings: house),
        .executableTarget(
            name: "seam", dependencies: ["CSystem", "SeamClient", "SeamWire"], swiftSettings: house),

        // MARK: SeamKit and the plug-ins
        .target(name: "SeamKit", dependencies: ["CSeamABI"], swiftSettings: house),
        .target(
            name: "Lessons", dependencies: ["SeamKit", "CSeamABI"], path: "Plugins/Lessons",
            swiftSettings: house, linkerSettings: entryAlone),

        // MARK: Tests
        .target(
            name: "SeamTestSupport", dependencies: ["SeamWire"], path: "Tests/SeamTestSupport",
            swiftSettings: house),
        .testTarget(
            name: "SeamKernelTests", dependencies: ["SeamKernel"], swiftSettings: house),
        .testTarget(name: "SeamWireTests", dependencies: ["SeamWire"], swiftSettings: house),
        .testTarget(
            name: "SeamPluginHostTests",
            dependencies: ["SeamPluginHost", "SeamTestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "EndToEndTests", dependencies: ["SeamTestSupport", "SeamWire"], swiftSettings: house),
        .testTarget(
            name: "TidyTests", dependencies: ["SeamTestSupport", "SeamWire"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)
