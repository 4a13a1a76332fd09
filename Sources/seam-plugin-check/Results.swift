internal import Glibc
internal import SeamWire

/// What a check found.
struct Findings {
    private(set) var errors: [String] = []
    private(set) var warnings: [String] = []
    /// What the runs of each scenario did, for a comparison with another process.
    var traces: [(scenario: String, lines: [String])] = []

    /// More of the same kind says no more.
    private static let limit = 10

    mutating func fail(_ text: String) {
        if errors.count < Self.limit && !errors.contains(text) { errors.append(text) }
    }

    mutating func warn(_ text: String) {
        if warnings.count < Self.limit && !warnings.contains(text) { warnings.append(text) }
    }
}

/// Another check has the reason why this one can't be made.
struct NotReached: Error {
    var reason: String
}

/// The lines to whoever started this process.
final class Results {
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    func begin(_ number: Int) { write(.object([.init("check", .number("\(number)"))])) }

    /// What is about to happen: the last of these lines is what a crash or a hang is about.
    func doing(_ text: String) { write(.object([.init("doing", .string(text))])) }

    func end(_ number: Int, _ findings: Findings) {
        let word = findings.errors.isEmpty ? findings.warnings.isEmpty ? "ok" : "warning" : "failed"
        write(
            .object([
                .init("check", .number("\(number)")), .init("result", .string(word)),
                .init("errors", .array(findings.errors.map { .string($0) })),
                .init("warnings", .array(findings.warnings.map { .string($0) })),
                .init(
                    "traces",
                    .object(
                        findings.traces.map { .init($0.scenario, .array($0.lines.map { .string($0) })) })),
            ]))
    }

    func skip(_ number: Int, _ reason: String) {
        write(
            .object([
                .init("check", .number("\(number)")), .init("result", .string("skipped")),
                .init("reason", .string(reason)),
            ]))
    }

    private func write(_ json: JSON) {
        var left = Array("\(json.encoded)\n".utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            left = left.dropFirst(max(count, 0))
        }
    }
}
