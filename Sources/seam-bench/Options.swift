internal import CSeamBench
internal import Glibc
internal import SeamWire

/// What the command line asks for.
struct Options {
    var rounds = 5
    var isQuick = false
    var isStrict = false
    var isJSON = false
    var only: Set<String> = []
    /// Empty: beside this program.
    var seamd = ""
    var plugin = ""
    var redis = "redis-server"

    enum Request {
        case measure(Options)
        case print(String)
    }

    private struct Switch {
        var name: StaticString
        var argument: String?
        var help: String
        var take: (inout Options, String) throws(Failure) -> Void
    }

    private static let table: [Switch] = [
        Switch(name: "only", argument: "LINE", help: "measure this line alone; can be given again") {
            options, value throws(Failure) in
            guard Bench.lineNames.contains(value) else {
                throw Failure("--only takes one of \(Bench.lineNames.joined(separator: ", ")), not \(value)")
            }
            options.only.insert(value)
        },
        Switch(name: "quick", argument: nil, help: "one round with a tenth of the work: a hint, no result") {
            options, _ throws(Failure) in
            options.isQuick = true
            options.rounds = 1
        },
        Switch(name: "rounds", argument: "N", help: "rounds of every line (default 5)") {
            options, value throws(Failure) in
            guard let rounds = Int(value), (1...100).contains(rounds) else {
                throw Failure("--rounds takes a number from 1 to 100, not \(value)")
            }
            options.rounds = rounds
        },
        Switch(name: "strict", argument: nil, help: "exit 1 when a target is missed") {
            options, _ throws(Failure) in options.isStrict = true
        },
        Switch(name: "json", argument: nil, help: "one JSON object per line") {
            options, _ throws(Failure) in options.isJSON = true
        },
        Switch(
            name: "seamd", argument: "FILE",
            help: "the daemon to measure (default: the one beside seam-bench)"
        ) {
            options, value throws(Failure) in options.seamd = value
        },
        Switch(
            name: "plugin", argument: "FILE",
            help: "the bench's plug-in (default: bench/libseam-bench.so there)"
        ) {
            options, value throws(Failure) in options.plugin = value
        },
        Switch(name: "redis", argument: "FILE", help: "the Redis to compare with (default: the one in PATH)")
        {
            options, value throws(Failure) in options.redis = value
        },
        Switch(name: "version", argument: nil, help: "print the version and exit") { _, _ throws(Failure) in
        },
        Switch(name: "help", argument: nil, help: "print this and exit") { _, _ throws(Failure) in },
    ]

    static func parse() throws(Failure) -> Request {
        var longs = table.map { row in
            // A static string ends with NUL and lives as long as the process.
            option(
                name: UnsafeRawPointer(row.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: row.argument == nil ? 0 : 1, flag: nil, val: 0)
        }
        longs.append(option())
        var options = Options()
        let directory = ownFolder
        while true {
            var index: Int32 = 0
            // getopt_long says itself what is wrong with an option.
            switch getopt_long(CommandLine.argc, CommandLine.unsafeArgv, "", longs, &index) {
            case -1:
                let rest = Int(CommandLine.argc) - Int(bench_option_index())
                if rest > 0 { throw Failure("seam-bench takes options alone") }
                if options.seamd.isEmpty { options.seamd = "\(directory)/seamd" }
                if options.plugin.isEmpty { options.plugin = "\(directory)/bench/libseam-bench.so" }
                return .measure(options)
            case 0:
                let row = table[Int(index)]
                switch "\(row.name)" {
                case "help": return .print(help)
                case "version": return .print("seam-bench \(seamVersion)\n")
                default: try row.take(&options, bench_option_value().map { String(cString: $0) } ?? "")
                }
            default:
                throw Failure("see seam-bench --help")
            }
        }
    }

    private static var help: String {
        var text = """
            Usage: seam-bench [OPTION]…
            Measures seamd, and Redis and a bare libuv relay at the same work, in turn. Every server is started by
            it, on a socket of its own. Lines: \(Bench.lineNames.joined(separator: ", ")).


            """
        for row in table {
            let left = "  --\(row.name)\(row.argument.map { " \($0)" } ?? "")"
            text += "\(left)\(String(repeating: " ", count: max(2, 18 - left.count)))\(row.help)\n"
        }
        return text + """

            Exit status: 0 measured, whether targets were met or not; 1 something could not be measured, or with
            --strict a target was missed; 2 wrong usage.

            """
    }
}

/// The folder this program lies in.
var ownFolder: String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer[..<max(0, length)], as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
}
