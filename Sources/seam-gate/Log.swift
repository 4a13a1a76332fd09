// One line a record on standard error. What others sent appears only escaped.

import CLibwebsockets
import Glibc

enum Log {
    static func error(_ text: String) { write("error", text) }
    static func warning(_ text: String) { write("warning", text) }
    static func info(_ text: String) { if isVerbose { write("info", text) } }

    /// Whether what goes as it should is told as well.
    static var isVerbose = false

    private static func write(_ level: String, _ text: String) {
        let line = Array("seam-gate: \(level): \(escaped(text))\n".utf8)
        // A log that cannot be written is no reason to stop serving.
        _ = Glibc.write(2, line, line.count)
    }

    /// The text with control characters spelled out, so that one record is one line and nobody's bytes drive a terminal.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Takes over what libwebsockets has to say. It logs what it does to its own standard error otherwise.
    static func takeOverLibrary() {
        lws_set_log_level(LLL_ERR | LLL_WARN, libraryLine)
    }

    /// Once it serves, the library speaks of what clients do wrong: anybody could fill the log.
    static var libraryIsServing = false

    fileprivate static func library(_ level: Int32, _ line: String) {
        let text = line.drop { $0 == " " || $0 == "\n" }.split(separator: "\n").first.map(String.init) ?? ""
        if level == LLL_ERR && !libraryIsServing {
            warning("libwebsockets: \(text)")
        } else {
            info("libwebsockets: \(text)")
        }
    }
}

/// Called by libwebsockets, on the one thread that there is.
nonisolated private func libraryLine(_ level: Int32, _ line: UnsafePointer<CChar>?) {
    guard let line else { return }
    let text = String(cString: line)
    MainActor.assumeIsolated { Log.library(level, text) }
}
