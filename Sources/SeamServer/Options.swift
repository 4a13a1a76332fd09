// The command line of seamd.

import Glibc
public import SeamOptions
public import SeamWire

/// What the command line asks for.
public struct Options {
    public var socket: String?
    public var plugins: [String] = []
    public var pluginFolders: [String] = []
    public var logLevel = Log.Level.warning
    /// An inherited descriptor that gets one LF and is closed once the socket listens.
    public var readyDescriptor: Int32?
    /// Members of this group may connect as well, beside this user and root.
    public var allowedGroup: UInt32?
    /// After how many seconds in one plug-in callback that is said; 0 is never.
    public var stallSeconds = 5
    public var limits = Limits()

    private static let table = OptionTable<Options>(
        "seamd",
        about: "Serves simulations of bridged screens on a Unix socket, one JSON-RPC message a line.",
        closing: """
            SIGTERM and SIGINT end it in order, SIGHUP looks through the plug-in folders again.
            Exit status: 0 ended in order, 1 could not serve, 2 wrong usage.
            """,
        rows)

    private typealias Row = OptionTable<Options>.Row

    private static let rows: [Row] = [
        Row(
            "socket", value: "PATH",
            "where to listen; else $SEAM_SOCKET, $XDG_RUNTIME_DIR/seam/seam.sock, /run/user/UID/seam/seam.sock"
        ) { options, value throws(Misuse) in options.socket = value },
        Row("plugin", value: "FILE", "load this plug-in or exit 1; can be given again") {
            options, value throws(Misuse) in options.plugins.append(value)
        },
        Row(
            "plugin-dir", value: "DIR",
            "serve the plug-ins in this folder too; can be given again"
        ) {
            options, value throws(Misuse) in options.pluginFolders.append(value)
        },
        Row("log-level", value: "LEVEL", "error, warning (default), info or debug") {
            options, value throws(Misuse) in
            guard let level = Log.Level(value) else {
                throw Misuse("--log-level takes error, warning, info or debug, not \(quoted(value))")
            }
            options.logLevel = level
        },
        Row(
            "ready-fd", value: "N", "write LF to this open descriptor once the socket listens"
        ) {
            options, value throws(Misuse) in
            options.readyDescriptor = try writableDescriptor(value, of: "--ready-fd")
        },
        Row(
            "allow-group", value: "GROUP",
            "let the members of this group connect, by name or number"
        ) {
            options, value throws(Misuse) in
            if let found = getgrnam(value) {
                options.allowedGroup = found.pointee.gr_gid
            } else if let number = UInt32(value) {
                options.allowedGroup = number
            } else {
                throw Misuse("--allow-group: there is no group \(quoted(value))")
            }
        },
        count("max-connections", "connections at a time", \.connections, in: 1...1_000_000),
        count("max-subscriptions", "subscriptions of all connections", \.subscriptions, in: 1...10_000_000),
        count(
            "max-subscriptions-per-connection", "subscriptions of one connection",
            \.subscriptionsPerConnection,
            in: 1...1_000_000),
        count("max-simulations", "simulations at a time", \.simulations, in: 1...10_000_000),
        count("max-fields", "fields of all simulations", \.fields, in: 1...1_000_000_000),
        count("max-mounts", "mounts of one simulation, items of one list", \.mounts, in: 1...1_000_000),
        count(
            "ring-entries", "changes one simulation keeps for its subscribers", \.ringEntries,
            in: 1...16_777_216),
        count(
            "ring-bytes", "bytes one simulation keeps for its subscribers", \.ringBytes,
            in: 65_536...(1 << 34)),
        count(
            "history-bytes", "bytes one simulation keeps of its inputs, for earlier moments and forks",
            \.historyBytes, in: 0...(1 << 34)),
        count(
            "trace-bytes", "bytes one simulation keeps of its calls and writes", \.traceBytes,
            in: 4_096...(1 << 34)),
        Row(
            "memory", value: "BYTES",
            "what all simulations may take together, also 512M or 2G (default \(size(Limits().memory)))"
        ) { options, value throws(Misuse) in options.limits.memory = try bytes(value, of: "--memory") },
        Row(
            "stall-seconds", value: "N",
            "name a plug-in that does not come back for N seconds, 0: never (default \(Options().stallSeconds))"
        ) {
            options, value throws(Misuse) in
            options.stallSeconds = try number(value, of: "--stall-seconds", in: 0...86_400)
        },
    ]

    private static func count(
        _ name: String, _ what: String, _ limit: WritableKeyPath<Limits, Int>,
        in range: ClosedRange<Int>
    ) -> Row {
        Row(name, value: "N", "\(what) (default \(Limits()[keyPath: limit]))") {
            options, value throws(Misuse) in
            options.limits[keyPath: limit] = try number(value, of: "--\(name)", in: range)
        }
    }

    /// Reads the command line; `arguments` are argc and argv as `main` got them.
    public static func parse(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>)
        throws(Misuse) -> OptionTable<Options>.Request
    {
        try table.parse(into: Options(), count, arguments)
    }

    private static let units: [(letter: Character, shift: Int)] = [("K", 10), ("M", 20), ("G", 30)]
    /// Below this not even one line of values would fit.
    private static let leastMemory = 1 << 20
    private static let mostMemory = 1 << 46

    /// A number of bytes; K, M and G behind it are powers of 1,024.
    private static func bytes(_ text: String, of option: String) throws(Misuse) -> Int {
        let unit = units.first { text.hasSuffix(String($0.letter)) || text.hasSuffix($0.letter.lowercased()) }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let count = Int(digits), count >= 0, count <= mostMemory >> (unit?.shift ?? 0),
            count << (unit?.shift ?? 0) >= leastMemory
        else {
            throw Misuse(
                "\(option) takes bytes from \(size(leastMemory)) on, also with K, M or G, not \(quoted(text))"
            )
        }
        return count << (unit?.shift ?? 0)
    }

    private static func size(_ bytes: Int) -> String {
        let unit = units.last { bytes % (1 << $0.shift) == 0 }
        return unit.map { "\(bytes >> $0.shift)\($0.letter)" } ?? "\(bytes)"
    }
}
