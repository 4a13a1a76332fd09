internal import Foundation
internal import Glibc

/// What a test was waiting for and did not get, with what was there instead.
public struct Unmet: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }

    static func system(_ doing: String) -> Unmet {
        let number = errno
        return Unmet("\(doing): \(String(cString: strerror(number))) (errno \(number))")
    }
}

/// A pipe that no child inherits by accident: children are started from several threads at once, and one that
/// held the other's write end would keep its reader waiting for an end that never comes.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// Held while a pipe is not yet close-on-exec, and while a child is started. (pipe2 would do it without; it is
    /// one of those that Swift's Glibc module leaves out.)
    static let making = Monitor()

    init() throws {
        var high: [Int32] = []
        try Self.making.withLock {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Unmet.system("making a pipe") }
            // Out of the way of 0 to 3, the numbers at which a child gets its copies.
            high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
            ends.forEach { close($0) }
        }
        guard !high.contains(-1) else { throw Unmet.system("moving a pipe out of the way") }
        (readEnd, writeEnd) = (high[0], high[1])
    }
}

/// What comes out of a descriptor, read by a thread of its own until the end. A child never stands still
/// because nobody reads what it has to say, and what it said can be waited for and looked at from any thread.
final class Drain: @unchecked Sendable {  // `bytes` and `ended` are only touched inside `monitor`
    private let monitor = Monitor()
    private var bytes: [UInt8] = []
    private var ended = false
    /// Up to where `nextLine` has handed out.
    private var taken = 0

    /// Takes the descriptor over and closes it at its end.
    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { break }
                monitor.change { bytes += chunk[..<count] }
            }
            close(descriptor)
            monitor.change { ended = true }
        }
    }

    /// Everything so far.
    var text: String { monitor.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// Everything, once the other side has closed; nil if that did not happen in time.
    func all(until deadline: Deadline) -> String? {
        monitor.wait(until: deadline) { ended ? String(decoding: bytes, as: UTF8.self) : nil }
    }

    enum Line { case text(String), end }

    /// The next line without its LF; what stands behind the last LF counts as one. nil when the time is over.
    func nextLine(until deadline: Deadline) -> Line? {
        monitor.wait(until: deadline) {
            if let feed = bytes[taken...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { taken = feed + 1 }
                return .text(String(decoding: bytes[taken..<feed], as: UTF8.self))
            }
            guard ended else { return nil }
            guard taken < bytes.count else { return .end }
            defer { taken = bytes.count }
            return .text(String(decoding: bytes[taken...], as: UTF8.self))
        }
    }

    /// The first line that holds `part`, of all that was ever said; nil if none came in time or can come any more.
    func line(containing part: String, until deadline: Deadline) -> String? {
        let found: Line? = monitor.wait(until: deadline) {
            let lines = String(decoding: bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            // Without its LF the last line may be half a line.
            if let line = (ended ? lines[...] : lines.dropLast()).first(where: { $0.contains(part) }) {
                return .text(String(line))
            }
            return ended ? .end : nil
        }
        if case .text(let line)? = found { return line }
        return nil
    }
}
