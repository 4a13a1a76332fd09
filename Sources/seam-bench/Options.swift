internal import Glibc
internal import SeamOptions

/// What the command line asks for.
struct Options {
    var rounds = 5
    var isQuick = false
    var isStrict = false
    var isJSON = false
    var only: Set<String> = []
    var seamd = ""
    var plugin = ""
    var redis = "redis-server"

    private static let table = OptionTable<Options>(
        "seam-bench",
        about: """
            Measures seamd, and Redis and a bare libuv relay at the same work, in turn. Every server is started by
            it, on a socket of its own. Lines: \(Bench.lineNames.joined(separator: ", ")).
            """,
        closing: """
            Exit status: 0 measured, whether targets were met or not; 1 something could not be measured, or with
            --strict a target was missed; 2 wrong usage.
            """,
        rows)

    private typealias Row = OptionTable<Options>.Row

    private static let rows: [Row] = [
        Row("only", value: "LINE", "measure this line alone; can be given again") {
            options, value throws(Misuse) in
            guard Bench.lineNames.contains(value) else {
                throw Misuse("--only takes one of \(Bench.lineNames.joined(separator: ", ")), not \(value)")
            }
            options.only.insert(value)
        },
        Row("quick", value: nil, "one round with a tenth of the work: a hint, no result") {
            options, _ throws(Misuse) in
            options.isQuick = true
            options.rounds = 1
        },
        Row("rounds", value: "N", "rounds of every line (default 5)") {
            options, value throws(Misuse) in
            options.rounds = try number(value, of: "--rounds", in: 1...100)
        },
        Row("strict", value: nil, "exit 1 when a target is missed") {
            options, _ throws(Misuse) in options.isStrict = true
        },
        Row("json", value: nil, "one JSON object per line") {
            options, _ throws(Misuse) in options.isJSON = true
        },
        Row(
            "seamd", value: "FILE",
            "the daemon to measure (default: the one beside seam-bench)"
        ) {
            options, value throws(Misuse) in options.seamd = value
        },
        Row(
            "plugin", value: "FILE",
            "the bench's plug-in (default: bench/libseam-bench.so there)"
        ) {
            options, value throws(Misuse) in options.plugin = value
        },
        Row("redis", value: "FILE", "the Redis to compare with (default: the one in PATH)") {
            options, value throws(Misuse) in options.redis = value
        },
    ]

    static func parse() throws(Misuse) -> OptionTable<Options>.Request {
        var options = Options()
        options.seamd = "\(ownFolder)/seamd"
        options.plugin = "\(ownFolder)/bench/libseam-bench.so"
        return try table.parse(into: options, CommandLine.argc, CommandLine.unsafeArgv)
    }
}

/// The folder this program lies in.
var ownFolder: String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer[..<max(0, length)], as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
}
