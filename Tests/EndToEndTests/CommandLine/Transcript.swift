import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// A session at a shell prompt, with what it must come to:
///
///     $ seam set demo openCount=7          a line for bash, with this build's programs in PATH
///     seq=4 turn=2 changes=1 diagnostics=0     what it prints, byte for byte
///     ! part of a line                     what it says on standard error, a line each, in this order
///     = 4                                  its exit code, unless that is 0
///
/// `EPOCH` stands for any sixteen hex digits and `PID` for a process's number. Every command has to say all that is
/// written and nothing else, so a warning that nobody expected fails the test as well.
func play(
    _ transcript: String, environment: [String: String?] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var entries: [Entry] = []
    for line in transcript.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("$ ") {
            entries.append(Entry(command: String(line.dropFirst(2))))
        } else {
            try #require(
                !entries.isEmpty, "a transcript begins with a command", sourceLocation: sourceLocation)
            let last = entries.count - 1
            if line.hasPrefix("! ") {
                entries[last].errors.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("= ") {
                entries[last].code = try #require(Int32(line.dropFirst(2)), sourceLocation: sourceLocation)
            } else {
                entries[last].output.append(String(line))
            }
        }
    }
    let path = "\(Products.folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    for entry in entries {
        let outcome = try run(
            "bash", ["-c", entry.command], environment: ["PATH": path].merging(environment) { $1 })
        entry.compare(outcome, sourceLocation)
    }
}

/// The same against a daemon.
func play(
    on daemon: SeamProcess, _ transcript: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try play(transcript, environment: ["SEAM_SOCKET": daemon.socket], sourceLocation: sourceLocation)
}

private struct Entry {
    let command: String
    var output: [String] = []
    var errors: [String] = []
    var code: Int32 = 0

    func compare(_ outcome: Outcome, _ sourceLocation: SourceLocation) {
        let printed = masked(outcome.stdout)
        // An empty line before the next command only parts the two.
        var expected = output
        while expected.last == "" { expected.removeLast() }
        let said = outcome.stderr.split(separator: "\n").map(String.init)
        let isSaid = said.count == errors.count && zip(said, errors).allSatisfy { $0.contains($1) }
        let isPrinted = printed == expected.map { $0 + "\n" }.joined()
        guard outcome.code == code && isPrinted && isSaid else {
            Issue.record(
                """
                $ \(command)
                \(printed)\(said.map { "! \($0)\n" }.joined())= \(outcome.code)
                was to come to
                \(expected.map { "\($0)\n" }.joined())\(errors.map { "! \($0)\n" }.joined())= \(code)
                """, sourceLocation: sourceLocation)
            return
        }
    }
}

/// Without what is another in each run.
func masked(_ text: String) -> String {
    text.replacing(/\b[0-9a-f]{16}\b/, with: "EPOCH").replacing(/process [0-9]+/, with: "process PID")
}

extension SeamProcess {
    /// Waits until so many subscriptions are open: then what happens next is seen by each of them.
    func untilSubscribed(_ count: Int = 1) throws {
        let client = try connect()
        while try client.call("seam.stats")["subscriptions"]?.integer != count {}
    }
}
