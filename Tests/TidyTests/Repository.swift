import Foundation

/// The files of this checkout that people wrote.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let folders = ["Sources", "Plugins", "Tests", "Clients", ".ci"]
    private static let suffixes = ["swift", "c", "h", "cpp", "sh", "py", "js", "md", "map", "json"]

    /// Paths below the root, sorted. Fixtures with odd content on purpose (`.jsonl`) are not among them.
    static let files: [String] = {
        var found = ["Makefile", "Package.swift", "README.md", "ARCHITECTURE.md", "protocol.md"].filter(
            exists)
        for folder in folders {
            let inside = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            while let path = inside?.nextObject() as? String {
                let name = path.split(separator: "/").last ?? ""
                if suffixes.contains(where: { name.hasSuffix(".\($0)") }) || folder == ".ci" {
                    found.append("\(folder)/\(path)")
                }
            }
        }
        return found.sorted()
    }()

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    /// The folders directly inside of one, which by SwiftPM's rule are its targets.
    static func targets(in folder: String) throws -> Set<String> {
        let entries = try FileManager.default.contentsOfDirectory(
            at: root.appending(path: folder), includingPropertiesForKeys: [.isDirectoryKey])
        return Set(
            try entries.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
                .map(\.lastPathComponent))
    }
}
