/// Something that is not as it should be. Says where, what, and what to do.
struct Finding: CustomStringConvertible, Equatable {
    let file: String
    var line: Int?
    let text: String

    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(text)" }
}

/// Each check is a pure function from text to findings, so that it can be shown to fail.
enum Check {
    // MARK: Arrows

    /// Who may import whom. A name that is not in the list of its target is an arrow upwards or sidewards, or
    /// something heavy that would come along: with Foundation seamd takes 18 MB instead of 8.
    static let arrows: [String: Set<String>] = [
        "SeamKernel": [],
        "SeamWire": ["CSimdjson", "Glibc"],
        "SeamOptions": ["CSystem", "SeamWire", "Glibc"],
        "SeamPluginHost": ["CSeamABI", "CSeamHost", "SeamKernel", "Dispatch", "Glibc"],
        "SeamServer": [
            "CLibuv", "CSeamHost", "SeamKernel", "SeamOptions", "SeamWire", "SeamPluginHost", "Dispatch",
            "Glibc", "Synchronization",
        ],
        "seamd": ["SeamServer", "Glibc"],
        "SeamClient": ["CSystem", "SeamWire", "Dispatch", "Foundation", "Glibc"],
        "seam": ["CCurses", "CSystem", "SeamClient", "SeamWire", "Dispatch", "Foundation", "Glibc"],
        "seam-gate": ["CGatePage", "CLibwebsockets", "SeamClient", "SeamOptions", "SeamWire", "Glibc"],
        "seam-plugin-check": [
            "CSeamABI", "CSeamCheck", "CSeamHost", "SeamKernel", "SeamPluginHost", "SeamWire", "Glibc",
        ],
        "seam-bench": ["CSeamBench", "SeamOptions", "SeamWire", "Glibc"],
        "seam-bench-guard": ["CSeamBench", "SeamKernel", "SeamWire", "Glibc"],
        // A plug-in is loaded into seamd: what it links, seamd holds.
        "SeamKit": ["CSeamABI", "Dispatch", "Glibc", "Observation", "Swift"],
        "Lessons": ["CSeamABI", "SeamKit", "Dispatch", "Glibc"],
        "Coordinator": ["CSeamABI", "SeamKit", "Dispatch", "Glibc"],
        "Migration": ["CSeamABI", "SeamKit", "Dispatch", "Glibc"],
        // What pasted code imports, and so what is loaded with it and with nothing else.
        "SeamUIKit": ["SeamKit", "Foundation"],
        "SwiftUI": ["SeamKit", "SeamUIKit", "Foundation", "Observation"],
        "UIKit": ["SeamKit", "SeamUIKit", "Foundation"],
        "Combine": ["SeamKit"],
        "_Testing_UIKit": [],
        "_Testing_AppKit": [],
        "Pasted": ["CSeamABI", "SeamKit", "SwiftUI", "UIKit", "Combine", "Foundation"],
        "FieldCases": ["CSeamABI", "SeamKit", "SwiftUI", "UIKit", "Combine"],
        "SeamTestSupport": ["SeamWire", "Foundation", "Glibc"],
    ]

    static func arrows(target: String, file: String, source: String) -> [Finding] {
        guard var allowed = arrows[target] else {
            return [
                Finding(file: file, text: "\(target) is not in Check.arrows: say there what it may import")
            ]
        }
        if allowed.contains("Glibc") { allowed.insert("Musl") }  // the same, where Swift links statically
        return SourceLines(source).imports.filter { !allowed.contains($0.module) }.map {
            let list = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
            return Finding(
                file: file, line: $0.line, text: "\(target) imports \($0.module); its arrows go to \(list)")
        }
    }

    /// Two plug-ins in one program have the same entry symbol twice, and a test of one has to go through seamd.
    static func testImports(file: String, source: String, plugins: Set<String>) -> [Finding] {
        SourceLines(source).imports.filter { plugins.contains($0.module) }.map {
            Finding(
                file: file, line: $0.line,
                text: "a test imports the plug-in \($0.module); load it into a real seamd instead")
        }
    }

    // MARK: Sizes

    /// A file that is longer holds two things. The generous bound is for the one file that *is* the system.
    static func size(file: String, source: String) -> [Finding] {
        let limit =
            switch file {
            case "ARCHITECTURE.md": 150  // two pages, or nobody reads it
            case "README.md": 300
            case "protocol.md": 2000
            case "Clients/c/seam_client.c": 1400  // copied into other programs, so it is one file
            default: 1000
            }
        let count = source.split(separator: "\n", omittingEmptySubsequences: false).count
        guard count > limit else { return [] }
        return [Finding(file: file, text: "\(count) lines, at most \(limit): divide it by what it is about")]
    }

    // MARK: Waiting

    /// A test that sleeps is slow on a fast machine and wrong on a slow one.
    static func sleeps(file: String, source: String) -> [Finding] {
        if file.hasSuffix(".sh") || file.hasSuffix(".py") {
            let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.enumerated().filter { $0.element.contains(/^(?:[^#]*\W)?sleep[ (]/) }.map {
                Finding(file: file, line: $0.offset + 1, text: "waits by the clock; wait for a line instead")
            }
        }
        let source = SourceLines(source, isC: !file.hasSuffix(".swift"))
        return source.lines.indices.filter { index in
            source.lines[index].code.contains(/(?:^|\W)(?:u|nano|clock_nano)?sleep\s*\(/)
                // When sleeping is what the test is about, as for a plug-in's timer, it says so.
                && !reasons(source, index).contains { $0.contains("not to wait") }
        }.map {
            Finding(
                file: file, line: $0 + 1,
                text: "waits by the clock; wait for a line (or say why this is \"not to wait\")")
        }
    }

    // MARK: Words

    /// What is left to do stands in an issue, where somebody looks.
    static func unfinished(file: String, source: String) -> [Finding] {
        // Put together here, or this file would be its own finding.
        let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
        return lines(of: source) { line in
            words.contains { word in
                // A word of its own: mktemp's templates end in many X.
                line.split { !$0.isLetter }.contains { $0 == word }
            }
        }.map {
            Finding(file: file, line: $0, text: "unfinished: do it, or take the note out")
        }
    }

    /// A path that exists on one machine alone tells a reader nothing, and a script that names it works nowhere else.
    static func machinePaths(file: String, source: String) -> [Finding] {
        let paths = [
            "/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/", "/wo" + "rk/", "/opt/sw" + "ift", "/tmp/se" + "am/",
        ]
        return lines(of: source) { line in
            paths.contains { path in
                guard line.contains("/"), let range = line.firstRange(of: path) else { return false }
                guard range.lowerBound > line.startIndex else { return true }
                // Behind one of these it is the middle of another path: $HOME/…, ./…, ~/….
                let before = line[line.index(before: range.lowerBound)]
                return !(before.isLetter || before.isNumber || ".}~_-*".contains(before))
            }
        }.map {
            Finding(
                file: file, line: $0,
                text: "names a folder of one machine; write it so that it holds anywhere")
        }
    }

    /// `make X` in a text is a promise that the Makefile has X.
    static func makeTargets(file: String, source: String, makefile: String) -> [Finding] {
        let targets = Set(
            lines(of: makefile) { $0.contains(/^[a-z-]+:/) }.map { number in
                String(
                    makefile.split(separator: "\n", omittingEmptySubsequences: false)[number - 1].prefix {
                        $0 != ":"
                    })
            })
        let all = source.split(separator: "\n", omittingEmptySubsequences: false)
        return all.enumerated().flatMap { index, line in
            line.matches(of: /(?:^|`|\$ )\s*make ([a-z-]+)/).filter { !targets.contains(String($0.1)) }.map {
                Finding(file: file, line: index + 1, text: "there is no `make \($0.1)` in the Makefile")
            }
        }
    }

    // MARK: Reasons

    /// What the compiler is told not to check needs the sentence that makes it true: on its line, above it, or once
    /// for all that follow in the file, in a comment that says "each `!`".
    static func unexplained(file: String, source: String) -> [Finding] {
        let source = SourceLines(source)
        var spokenFor: Set<String> = []
        var findings: [Finding] = []
        for index in source.lines.indices {
            let comment = source.lines[index].comment
            if comment.contains("ach `") {
                for match in comment.matches(of: /\b[Ee]ach `([^`]+)`/) { spokenFor.insert(String(match.1)) }
            }
            guard let marker = marker(source.lines[index].code), !spokenFor.contains(marker),
                reasons(source, index).isEmpty
            else { continue }
            findings.append(
                Finding(
                    file: file, line: index + 1,
                    text: "`\(marker)` without the sentence that makes it true, on the line or above it"
                        + " (or once before all of them, with the words: each `\(marker)`)"))
        }
        return findings
    }

    /// The first thing in a line of code that switches a check of the compiler off.
    static func marker(_ code: String) -> String? {
        // Patterns are slow, and most lines hold neither.
        guard code.utf8.contains(UInt8(ascii: "!")) || code.contains("un") else { return nil }
        for word in [
            "@unchecked", "nonisolated(unsafe)", "unowned(unsafe)", "unsafeBitCast", "unsafeDowncast",
        ] {
            if code.contains(word) { return word }
        }
        // The expression marker of strict memory safety, not a name that begins with it.
        if code.contains(/(?:^|[\s(=,])unsafe\s/) { return "unsafe" }
        if code.contains(/(?:^|\W)try!/) { return "try!" }
        if code.contains(/(?:^|\W)as!/) { return "as!" }
        // A `!` behind a value or a type; before one it is "not", before `=` it is "unequal".
        if code.contains(/[\w)\]}>"`?]!(?!=)/) { return "!" }
        return nil
    }

    /// The comments that speak of a line: its own, or the nearest one above within the same paragraph, three lines
    /// up at most. Lines that hold a marker too do not count, so a group shares one reason.
    private static func reasons(_ source: SourceLines, _ index: Int) -> [String] {
        var found: [String] = []
        func take(_ line: SourceLines.Line) -> Bool {
            let comment = line.comment.drop { $0 == "/" || $0 == " " || $0 == "*" }
            guard !comment.isEmpty, !comment.hasPrefix("MARK:"), !comment.hasPrefix("swift-format-ignore")
            else {
                return false
            }
            found.append(String(comment))
            return true
        }
        if take(source.lines[index]) { return found }
        var above = index - 1
        var passed = 0
        while above >= 0 && passed < 3 {
            let line = source.lines[above]
            if take(line) {
                // The rest of the same comment.
                while above > 0 && source.lines[above - 1].code.allSatisfy(\.isWhitespace)
                    && take(source.lines[above - 1])
                {
                    above -= 1
                }
                return found
            }
            if line.code.allSatisfy(\.isWhitespace) { break }
            if marker(line.code) == nil { passed += 1 }
            above -= 1
        }
        return found
    }

    private static func lines(of source: String, where condition: (Substring) -> Bool) -> [Int] {
        source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { condition($0.element) }.map { $0.offset + 1 }
    }
}
