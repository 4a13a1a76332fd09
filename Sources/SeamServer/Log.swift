// One line a record on standard error. What a client sent appears only escaped and cut.

import Glibc
import SeamWire

/// What the daemon tells its operator.
public enum Log {
    public enum Level: Int, CaseIterable, Sendable {
        case error, warning, info, debug

        public init?(_ word: String) {
            guard let level = Level.allCases.first(where: { "\($0)" == word }) else { return nil }
            self = level
        }
    }

    /// Records above this level are not written.
    public static var level = Level.warning

    static func error(_ text: @autoclosure () -> String) { write(.error, text) }
    static func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
    static func info(_ text: @autoclosure () -> String) { write(.info, text) }
    static func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

    private static func write(_ level: Level, _ text: () -> String) {
        guard level.rawValue <= self.level.rawValue else { return }
        let line = "seamd: \(level): \(oneLine(text()))\n"
        // A log that cannot be written is no reason to stop serving.
        _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
