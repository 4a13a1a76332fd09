// One line a record on standard error. What others sent appears only escaped.

import CLibwebsockets
import Glibc
import SeamWire

enum Log {
    static func error(_ text: String) { write("error", text) }
    static func warning(_ text: String) { write("warning", text) }
    static func info(_ text: String) { if isVerbose { write("info", text) } }

    /// Whether what goes as it should is told as well.
    static var isVerbose = false

    private static func write(_ level: String, _ text: String) {
        let line = Array("seam-gate: \(level): \(oneLine(text))\n".utf8)
        // A log that cannot be written is no reason to stop serving.
        _ = Glibc.write(2, line, line.count)
    }

    /// Takes over what libwebsockets has to say. It logs what it does to its own standard error otherwise.
    static func takeOverLibrary() {
        lws_set_log_level(LLL_ERR | LLL_WARN, libraryLine)
    }

    /// Once it serves, the library speaks of what clients do wrong: anybody could fill the log.
    static var libraryIsServing = false

    /// What it complained of before that: told when nothing else says what is wrong.
    private static var complaints: [String] = []

    /// Tells what the library has complained of so far.
    static func tellComplaints() {
        for complaint in complaints { warning(complaint) }
        complaints = []
    }

    fileprivate static func library(_ level: Int32, _ line: String) {
        let text = line.drop { $0 == " " || $0 == "\n" }.split(separator: "\n").first.map(String.init) ?? ""
        if level == LLL_ERR && !libraryIsServing {
            complaints.append("libwebsockets: \(text)")
            if isVerbose { tellComplaints() }
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
