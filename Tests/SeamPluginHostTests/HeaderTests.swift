import Foundation
import SeamTestSupport
import Testing

extension PluginHost {
    @Suite struct Header {
        /// The clang of the toolchain that runs the tests: a machine set up for Swift alone has no other.
        static let clang: String = {
            let swift = Bundle.allPaths(of: "swift").first ?? "/usr/bin/swift"
            let folder = URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent()
                .path
            return "\(folder)/clang"
        }()

        // Weverything contradicts itself between dialects; what is off here is about styles, not about the
        // header.
        static let strict = ["-Weverything", "-Wno-unknown-warning-option", "-Wno-unsafe-buffer-usage"]
        static let compilers: [[String]] = [
            ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wpadded", "-xc"],
            ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wpadded", "-xc"],
            ["g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wpadded", "-xc++"],
            [clang, "-std=c99"] + strict + ["-xc"],
            [clang, "-std=c11", "-Wno-pre-c11-compat"] + strict + ["-xc"],
            [clang, "-std=c++11", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic"] + strict + ["-xc++"],
        ]

        @Test("compiles without a word", arguments: compilers)
        func compiles(_ command: [String]) throws {
            try Workshop.run(
                command[0], command.dropFirst() + ["-Werror", "-fsyntax-only", "-I\(Workshop.header)", "-"],
                input: "#include \"seam_plugin.h\"\n#include \"seam_plugin.h\"\n")
        }

        @Test(
            "the layout is asserted member by member, and holds under both compilers",
            arguments: ["gcc", clang])
        func layout(_ compiler: String) throws {
            let source = "\(Workshop.header)/../seam_plugin.c"
            try Workshop.run(
                compiler,
                ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I\(Workshop.header)", source])
            let header = try String(contentsOfFile: "\(Workshop.header)/seam_plugin.h", encoding: .utf8)
            let asserted = try String(contentsOfFile: source, encoding: .utf8)
            let structs = header.matches(of: /struct (\w+_v1) \{/).map { String($0.1) }
            #expect(structs.count == 26)
            for name in structs { #expect(asserted.contains("SIZE(struct \(name), ")) }
        }
    }
}

extension Bundle {
    /// Where a program is found in PATH.
    static func allPaths(of program: String) -> [String] {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(program)" }
            .filter { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
