import Foundation
import Testing

/// The names that a shared library defines for others, read with binutils' nm.
struct SymbolTable {
    let exported: [String]

    init(of file: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["nm", "--dynamic", "--extern-only", "--defined-only", "--format=posix", file]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        exported = text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }
}
