internal import Glibc

/// Standard output, gathered into few writes.
///
/// A reader that has gone away is no error: what would have been printed is dropped, and `isClosed` lets a
/// stream end. Any other failure of a write is kept in `failure` for the end of the program to tell. A signal ends
/// a write that nobody reads as it ends any other wait; it stays to be taken.
final class Output {
    private var buffer: [UInt8] = []
    private(set) var isClosed = false
    private(set) var isInterrupted = false
    private(set) var failure: CInt?
    /// Can be read when a signal has come.
    private let interrupts: CInt

    init(interrupts: CInt) {
        self.interrupts = interrupts
    }

    func line(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 64 << 10 { flush() }
    }

    /// Text that has its line ends already.
    func text(_ text: String) {
        buffer.append(contentsOf: text.utf8)
    }

    func flush() {
        guard !isClosed else {
            buffer.removeAll(keepingCapacity: true)
            return
        }
        if let error = writeAll(buffer, to: STDOUT_FILENO, unless: interrupts) {
            isClosed = true
            isInterrupted = error == EINTR
            if error != EPIPE && error != EINTR { failure = error }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes everything, or gives the error number that stopped it: EINTR when `interrupts` could be read before all
/// was out.
func writeAll(_ bytes: [UInt8], to descriptor: CInt, unless interrupts: CInt = -1) -> CInt? {
    var left = bytes[...]
    while !left.isEmpty {
        // Signals are blocked and polled, so a write must never wait. For a pipe that can be written, POSIX promises
        // as much for PIPE_BUF bytes and no more. The descriptor is not made non-blocking, since others share it.
        var targets = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: interrupts, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&targets, 2, -1) < 0 && errno != EINTR { return errno }
        if targets[0].revents == 0 {
            if targets[1].revents != 0 { return EINTR }
            continue
        }
        let count = left.prefix(Int(PIPE_BUF)).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            left = left.dropFirst(count)
        } else if errno != EINTR && errno != EAGAIN {
            return errno
        }
    }
    return nil
}

/// Text that cannot drive a terminal: control characters, line separators and the characters that reverse
/// the direction of writing come as \n, \t or \u{…}.
func printable(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": result += "\\n"
        case "\t": result += "\\t"
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                result += escape(scalar)
            default:
                if scalar.properties.isBidiControl {
                    result += escape(scalar)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
    }
    return result
}

private func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
}

/// Whether and how output is decorated for eyes. Colour never stands alone: the word is always there, and live
/// lines have a sign beside it.
struct Style {
    enum Color: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case magenta = "35"
        case dim = "2"
        case bold = "1"
    }

    /// Signs in live lines: for a person at a terminal; a program that reads lines should not meet ornaments.
    let hasSigns: Bool
    /// Whether signs may be other than ASCII.
    var hasUnicode: Bool
    let hasColors: Bool

    /// `when` is the value of --color; `NO_COLOR` with any text switches the automatic off.
    init(when: String?, environment: (String) -> String?) {
        let isTerminal = isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb"
        hasSigns = isTerminal || when == "always"
        hasColors =
            switch when {
            case "always": true
            case "never": false
            default: isTerminal && (environment("NO_COLOR") ?? "").isEmpty
            }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        hasUnicode = ["UTF-8", "utf8", "UTF8", "utf-8"].contains { locale.hasSuffix($0) }
    }

    func paint(_ text: String, _ color: Color?) -> String {
        guard hasColors, let color else { return text }
        return "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m"
    }
}

/// The text with blanks behind it up to a width in columns; wide characters are not measured.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
