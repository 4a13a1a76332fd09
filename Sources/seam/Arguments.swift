// getopt_long() tells its findings in global variables; this program parses on one thread before it does
// anything else, which is what makes them safe.
@preconcurrency internal import CSystem
@preconcurrency internal import Glibc
internal import SeamWire

/// A command line that has been understood.
struct Arguments {
    let command: Command
    private var options: [String: [String]] = [:]
    private var words: [String: [String]] = [:]

    func has(_ option: Option) -> Bool { options[option.name] != nil }
    func values(_ option: Option) -> [String] { options[option.name] ?? [] }
    func value(_ option: Option) -> String? { options[option.name]?.last }
    func number(_ option: Option) -> Int? { value(option).flatMap { Int($0) } }

    func words(_ positional: String) -> [String] { words[positional] ?? [] }
    func optionalWord(_ positional: String) -> String? { words[positional]?.first }
    /// The word of a positional of which the table says that there is one.
    func word(_ positional: String) -> String {
        guard let word = words[positional]?.first else {
            preconditionFailure("the table of '\(command.name)' has no single positional \(positional)")
        }
        return word
    }

    /// The same command line again, as a shell needs it. `giving` are options with a value that takes the place of those
    /// that were given.
    func line(giving: [(option: Option, value: String)] = []) -> String {
        var optionWords: [String] = []
        for option in command.options + Option.global
        where !giving.contains(where: { $0.option.name == option.name }) {
            for value in values(option) {
                optionWords += option.value == nil ? ["--\(option.name)"] : ["--\(option.name)", value]
            }
        }
        for (option, value) in giving { optionWords += ["--\(option.name)", value] }
        let others = command.positionals.flatMap { words($0.name) }
        let rest =
            others.contains { $0.hasPrefix("-") } ? optionWords + ["--"] + others : others + optionWords
        return (["seam", command.name] + rest).map(shellQuoted).joined(separator: " ")
    }

    /// `k=v` words as pairs.
    static func pairs(_ words: [String]) -> [(name: String, value: String)] {
        words.map { word in
            // The word was checked for a '=' that is not its first character.
            let divider = word.firstIndex(of: "=") ?? word.endIndex
            return (String(word[..<divider]), String(word[divider...].dropFirst()))
        }
    }
}

/// What is wrong with a command line, in one sentence.
struct UsageFailure: Error {
    let message: String
    var command: Command?
}

extension Arguments {
    /// What the user asked for when it is not a command's work.
    enum Parsed {
        case run(Arguments)
        case help(Command?)
        case version
        case nothing
    }

    /// The words that this program was called with, its name first. `CommandLine.arguments` would put U+FFFD in the place
    /// of bytes that are no UTF-8, and the daemon would be asked for, or keep, what nobody has typed.
    static func words(of argv: UnsafePointer<UnsafeMutablePointer<CChar>?>) throws(UsageFailure) -> [String] {
        var words: [String] = []
        // The system ends the list with a null pointer, and each word with NUL.
        while let word = argv[words.count] {
            guard let text = String(validatingCString: word) else {
                let bytes = UnsafeBufferPointer(start: word, count: strlen(word)).map {
                    UInt8(bitPattern: $0)
                }
                throw UsageFailure(message: "argument \(words.count) is not UTF-8: '\(escaped(bytes))'")
            }
            words.append(text)
        }
        return words
    }

    /// Bytes as a person can tell which they are: all but those of ASCII as `\xNN`.
    private static func escaped(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(64).map { byte in
            byte < 0x80 ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16)
        }
        return shown.joined() + (bytes.count > 64 ? "…" : "")
    }

    /// Understands `arguments` (with the program's name first); options may stand anywhere.
    static func parse(_ arguments: [String]) throws(UsageFailure) -> Parsed {
        // The first word that is no option and no option's value names the command. Which options take a value
        // is the same in all commands, so the union of their tables finds it wherever it stands.
        var names = Set<String>()
        let everything = (Option.global + Commands.all.flatMap(\.options)).filter {
            names.insert($0.name).inserted
        }
        let head = scan(arguments, everything, stopsAtWord: true)
        let commandAt = head.wordsAt
        guard commandAt < arguments.count else {
            let found = scan(arguments, Option.global, stopsAtWord: false)
            if let problem = found.problem { throw UsageFailure(message: problem, command: nil) }
            if found.options[Option.help.name] != nil { return .help(nil) }
            return found.options[Option.version.name] != nil ? .version : .nothing
        }
        let name = arguments[commandAt]
        guard let command = Commands.all.first(where: { $0.name == name }) else {
            // Behind an option that there is not, its value looks like the command.
            if let problem = head.problem { throw UsageFailure(message: problem, command: nil) }
            let names = Commands.shown.map(\.name)
            throw UsageFailure(
                message: "there is no command '\(name)'\(didYouMean(name, among: names))", command: nil)
        }

        var rest = arguments
        rest.remove(at: commandAt)
        let found = scan(rest, Option.global + command.options, stopsAtWord: false)
        if found.options[Option.help.name] != nil { return .help(command) }
        if found.options[Option.version.name] != nil { return .version }
        if let problem = found.problem { throw UsageFailure(message: problem, command: command) }

        var parsed = Arguments(command: command)
        parsed.options = found.options
        for option in Option.global + command.options {
            let values = parsed.values(option)
            if values.count > 1 && !option.repeats && option.value != nil {
                throw UsageFailure(message: "--\(option.name) may be given once", command: command)
            }
            for value in values where option.value != nil {
                if let problem = problem(of: value, as: option.kind) {
                    throw UsageFailure(message: "--\(option.name) \(problem)", command: command)
                }
            }
            if let name = repeatedName(in: values, option.kind) {
                throw UsageFailure(message: "--\(option.name) gives '\(name)' twice", command: command)
            }
        }
        try parsed.take(words: found.words)
        return .run(parsed)
    }

    private mutating func take(words: [String]) throws(UsageFailure) {
        var left = words[...]
        for (index, positional) in command.positionals.enumerated() {
            // Only the last positional may take several, so those before it take what is next.
            let isLast = index == command.positionals.count - 1
            let taken: ArraySlice<String> =
                switch positional.count {
                case .one, .optional: left.prefix(1)
                case .any, .some: isLast ? left : left.prefix(1)
                }
            if taken.isEmpty && (positional.count == .one || positional.count == .some) {
                throw UsageFailure(message: "\(command.name) needs \(positional.name)", command: command)
            }
            for word in taken {
                if let problem = Self.problem(of: word, as: positional.kind) {
                    throw UsageFailure(message: "\(positional.name) \(problem)", command: command)
                }
            }
            if let name = Self.repeatedName(in: Array(taken), positional.kind) {
                throw UsageFailure(message: "\(positional.name) gives '\(name)' twice", command: command)
            }
            if !taken.isEmpty { self.words[positional.name] = Array(taken) }
            left = left.dropFirst(taken.count)
        }
        if let extra = left.first {
            throw UsageFailure(message: "\(command.name) has no use for '\(extra)'", command: command)
        }
    }

    /// A name that several `k=v` give a value: which of them counts, nobody could tell.
    private static func repeatedName(in words: [String], _ kind: WordKind) -> String? {
        switch kind {
        case .assignment, .item, .setting: break
        default: return nil
        }
        // Bytes, as the daemon compares: two spellings of an accent are two names.
        var seen: Set<[UInt8]> = []
        return pairs(words).map(\.name).first { !seen.insert(Array($0.utf8)).inserted }
    }

    /// What is wrong with a word, as the rest of a sentence that begins with its name.
    private static func problem(of word: String, as kind: WordKind) -> String? {
        switch kind {
        case .text, .scenario, .simulation, .bridge, .screen, .event, .field, .key, .method, .command, .json,
            .profile, .file, .folder:
            return word.isEmpty ? "may not be empty" : nil
        case .item:
            return word.isEmpty || word.hasPrefix("=") ? "is an id, or ID=VALUE, not '\(word)'" : nil
        case .assignment:
            return (word.firstIndex(of: "=") ?? word.startIndex) == word.startIndex
                ? "is written name=value, not '\(word)'" : nil
        case .condition:
            let verdicts = Verdict.words.joined(separator: ", ")
            guard let divider = word.lastIndex(of: "="), divider != word.startIndex else {
                let field =
                    word.isEmpty || word.hasPrefix("=") || Verdict.words.contains(word) ? "openCount" : word
                return "is a field and a verdict, one of \(verdicts), such as \(field)=stale; not '\(word)'"
            }
            let verdict = String(word[divider...].dropFirst())
            return Verdict.words.contains(verdict)
                ? nil
                : "ends in a verdict, one of \(verdicts), not in '\(verdict)'"
                    + didYouMean(verdict, among: Verdict.words)
        case .number(let from, let to):
            guard let number = Int(word), number >= from, number <= to else {
                return "takes a whole number from \(from)\(to == .max ? "" : " to \(to)"), not '\(word)'"
            }
            return nil
        case .choice(let words):
            return words.contains(word)
                ? nil
                : "is one of \(words.joined(separator: ", ")), not '\(word)'\(didYouMean(word, among: words))"
        case .onOff:
            return OnOff.isOn(word) == nil ? "is \(OnOff.expected), not '\(word)'" : nil
        case .setting(let settings):
            let name = String(word.prefix { $0 != "=" })
            let value = String(word.dropFirst(name.count + 1))
            guard let setting = settings.first(where: { $0.name == name }) else {
                let usages = settings.map { "\($0.name)=\($0.words.joined(separator: "|"))" }
                let meant =
                    nearMiss(name, among: settings.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
                return "is one of \(usages.joined(separator: ", ")), not '\(word)'\(meant)"
            }
            if setting.isSwitch {
                return OnOff.isOn(value) == nil ? "\(name) is \(OnOff.expected), not '\(value)'" : nil
            }
            return problem(of: value, as: .choice(setting.words)).map { "\(name) \($0)" }
        case .numbers(let range):
            let pieces = word.split(separator: ",", omittingEmptySubsequences: false)
            guard let bad = pieces.first(where: { Int($0).map(range.contains) != true }) else { return nil }
            return
                "takes numbers from \(range.lowerBound) to \(range.upperBound), with commas between, not '\(bad)'"
        case .list(let words):
            return word.split(separator: ",", omittingEmptySubsequences: false).lazy
                .compactMap { problem(of: String($0), as: .choice(words)) }.first
        }
    }

    private struct Scan {
        var options: [String: [String]] = [:]
        var words: [String] = []
        /// Where the first word stands that is no option; the count when there is none.
        var wordsAt = 0
        var problem: String?
    }

    /// One pass of getopt_long(). The first problem is kept and the pass goes on, so that --help is still found.
    private static func scan(_ arguments: [String], _ options: [Option], stopsAtWord: Bool) -> Scan {
        // "+" stops at the first word, ":" tells a missing value apart from an unknown option.
        var shorts = stopsAtWord ? "+:" : ":"
        for option in options {
            if let short = option.short { shorts += option.value == nil ? "\(short)" : "\(short):" }
        }
        let names = options.map { strdup($0.name) }
        // Different codes above every character: glibc takes two options of the same code for spellings of one,
        // and would then find no abbreviation ambiguous.
        let codes = 256...
        var table = zip(zip(options, names), codes).map { option, code in
            CSystem.option(
                name: option.1, has_arg: option.0.value == nil ? no_argument : required_argument, flag: nil,
                val: CInt(code))
        }
        table.append(CSystem.option())
        // getopt_long() moves the words behind the options, in this array only.
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let owned = argv
        defer {
            names.forEach { free($0) }
            owned.forEach { free($0) }
        }

        var scan = Scan()
        opterr = 0
        optind = 0  // glibc: begin anew
        while case let found = getopt_long(CInt(arguments.count), &argv, shorts, table, nil), found != -1 {
            let option =
                found >= codes.lowerBound
                ? options[Int(found) - codes.lowerBound]
                : options.first { $0.short.map { CInt($0.asciiValue ?? 0) } == found }
            if let option {
                // A value given to getopt is NUL-terminated and lies in argv, which outlives the loop.
                scan.options[option.name, default: []].append(optarg.map { String(cString: $0) } ?? "")
                continue
            }
            let word = argv[Int(optind) - 1].map { String(cString: $0) } ?? ""
            scan.problem =
                scan.problem ?? problem(with: word, missesValue: found == CInt(UInt8(ascii: ":")), options)
        }
        scan.wordsAt = Int(optind)
        scan.words = argv[Int(optind)...].compactMap { $0.map { String(cString: $0) } }
        return scan
    }

    private static func problem(with word: String, missesValue: Bool, _ options: [Option]) -> String {
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        if missesValue { return "\(word) needs a value" }
        guard word.hasPrefix("--") else { return "there is no option '\(word)' here" }
        let beginning = options.filter { $0.name.hasPrefix(name) }
        if let exact = options.first(where: { $0.name == name }), exact.value == nil {
            return "--\(name) takes no value"
        }
        if beginning.count > 1 {
            return "--\(name) could be \(beginning.map { "--\($0.name)" }.joined(separator: " or "))"
        }
        return
            "there is no option '--\(name)' here\(didYouMean("--\(name)", among: options.map { "--\($0.name)" }))"
    }
}
