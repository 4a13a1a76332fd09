internal import CSystem
internal import Glibc
internal import SeamWire

/// What is wrong with a command line: one line for the person who typed it.
public struct Misuse: Error {
    public let text: String

    public init(_ text: String) { self.text = text }
}

/// Writes help or a version to standard output; whether all of it could be written.
public func isWritten(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}

/// The command line of a program that takes long options and no words. One table: what getopt_long reads is what
/// --help prints.
public struct OptionTable<Options> {
    public struct Row {
        let name: String
        /// The placeholder of its value; nil for a switch.
        let value: String?
        let help: String
        let take: (inout Options, String) throws(Misuse) -> Void

        public init(
            _ name: String, value: String?, _ help: String,
            _ take: @escaping (inout Options, String) throws(Misuse) -> Void
        ) {
            self.name = name
            self.value = value
            self.help = help
            self.take = take
        }
    }

    public enum Request {
        case run(Options)
        /// Text for standard output, and nothing else to do.
        case print(String)
    }

    private let program: String
    private let about: String
    private let closing: String
    private let rows: [Row]

    /// - Parameters:
    ///   - about: what the program does, above the options in its help.
    ///   - closing: signals and exit statuses, below them.
    public init(_ program: String, about: String, closing: String, _ rows: [Row]) {
        self.program = program
        self.about = about
        self.closing = closing
        self.rows =
            rows + [
                Row("version", value: nil, "print the version and exit") { _, _ throws(Misuse) in },
                Row("help", value: nil, "print this and exit") { _, _ throws(Misuse) in },
            ]
    }

    /// Reads the command line into `options`; `arguments` are argc and argv as `main` got them.
    public func parse(
        into options: Options, _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(Misuse) -> Request {
        do throws(Misuse) {
            return try read(into: options, count, arguments)
        } catch {
            let divider = error.text.hasSuffix("?") ? "" : ";"
            throw Misuse("\(error.text)\(divider) see \(program) --help")
        }
    }

    private func read(
        into start: Options, _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(Misuse) -> Request {
        let names = rows.map { strdup($0.name) }
        defer { names.forEach { free($0) } }
        // Different codes above every character: glibc takes two options of the same code for spellings of one,
        // and would then find no abbreviation ambiguous.
        let codes = 256...
        var table = zip(zip(rows, names), codes).map { row, code in
            option(
                name: row.1, has_arg: row.0.value == nil ? no_argument : required_argument, flag: nil,
                val: CInt(code))
        }
        table.append(option())
        var options = start
        while true {
            let found = csystem_next_option(count, arguments, table)
            let word = arguments[Int(found.at)].map { String(cString: $0) } ?? ""
            switch found.code {
            case -1:
                if found.next < count {
                    let stray = arguments[Int(found.next)].map { String(cString: $0) } ?? ""
                    throw Misuse("\(program) takes options alone, not \(quoted(stray))")
                }
                return .run(options)
            case CInt(codes.lowerBound)...:
                let row = rows[Int(found.code) - codes.lowerBound]
                let value = found.value.map { String(cString: $0) } ?? ""
                if row.value != nil && value.isEmpty { throw Misuse("--\(row.name) may not be empty") }
                switch row.name {
                case "help": return .print(help)
                case "version": return .print("\(program) \(seamVersion)\n")
                default: try row.take(&options, value)
                }
            case CInt(UInt8(ascii: ":")):
                throw Misuse("\(word) needs a value")
            default:
                throw unknown(word)
            }
        }
    }

    private func unknown(_ word: String) -> Misuse {
        guard word.hasPrefix("--") else { return Misuse("there is no option \(quoted(word))") }
        let name = String(word.dropFirst(2).prefix { $0 != "=" })
        let names = rows.map(\.name)
        let beginning = names.filter { $0.hasPrefix(name) }
        if beginning.count == 1 || beginning.contains(name) {
            return Misuse("--\(beginning.contains(name) ? name : beginning[0]) takes no value")
        }
        if beginning.count > 1 && !name.isEmpty {
            return Misuse(
                "\(quoted("--\(name)")) could be \(beginning.map { "--\($0)" }.joined(separator: " or "))")
        }
        let meant = nearMiss(name, among: names).map { "; did you mean --\($0)?" } ?? ""
        return Misuse("there is no option \(quoted("--\(name)"))\(meant)")
    }

    /// For the person who asked what there is.
    private var help: String {
        let left = rows.map { "  --\($0.name)\($0.value.map { " \($0)" } ?? "")" }
        let width = (left.map(\.count).max() ?? 0) + 2
        let lines = zip(left, rows).map { left, row in
            left + String(repeating: " ", count: width - left.count) + row.help
        }
        return "Usage: \(program) [OPTION]…\n\(about)\n\n\(lines.joined(separator: "\n"))\n\n\(closing)\n"
    }
}

/// A whole number within the range, for `--option`.
public func number(_ text: String, of option: String, in range: ClosedRange<Int>) throws(Misuse) -> Int {
    guard let number = Int(text), range.contains(number) else {
        throw Misuse(
            "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))")
    }
    return number
}

/// A descriptor that whoever started the program has left open, for something to be written there.
public func writableDescriptor(_ text: String, of option: String) throws(Misuse) -> CInt {
    let descriptor = CInt(try number(text, of: option, in: 0...Int(CInt.max)))
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
        let state = flags >= 0 ? "open for reading alone" : "not open"
        throw Misuse(
            "\(option) \(descriptor): this descriptor is \(state); expected one that the caller has opened for "
                + "writing, such as 3 in: \(option) 3 3>FILE")
    }
    return descriptor
}

/// What somebody typed, within a sentence.
public func quoted(_ text: String) -> String { "\u{201C}\(oneLine(text))\u{201D}" }
