// The command line of seamd. One table: what getopt_long reads is what --help prints.

import CLibuv
import Glibc
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

    public enum Request {
        case serve(Options)
        /// Text for standard output, and nothing else to do.
        case print(String)
    }

    /// One line for the person who typed it.
    public struct Misuse: Error {
        public var text: String
    }

    private struct Switch {
        var name: StaticString
        var argument: String?
        var help: String
        var take: (inout Options, String) throws(Misuse) -> Void
    }

    private static let table: [Switch] = [
        Switch(
            name: "socket", argument: "PATH",
            help:
                "where to listen; else $SEAM_SOCKET, $XDG_RUNTIME_DIR/seam/seam.sock, /run/user/UID/seam/seam.sock"
        ) { options, value throws(Misuse) in options.socket = value },
        Switch(name: "plugin", argument: "FILE", help: "load this plug-in or exit 1; can be given again") {
            options, value throws(Misuse) in options.plugins.append(value)
        },
        Switch(
            name: "plugin-dir", argument: "DIR",
            help: "serve the plug-ins in this folder too; can be given again"
        ) {
            options, value throws(Misuse) in options.pluginFolders.append(value)
        },
        Switch(name: "log-level", argument: "LEVEL", help: "error, warning (default), info or debug") {
            options, value throws(Misuse) in
            guard let level = Log.Level(value) else {
                throw Misuse(text: "--log-level takes error, warning, info or debug, not \(quoted(value))")
            }
            options.logLevel = level
        },
        Switch(
            name: "ready-fd", argument: "N", help: "write LF to this open descriptor once the socket listens"
        ) {
            options, value throws(Misuse) in
            options.readyDescriptor = Int32(try number(value, of: "--ready-fd", in: 0...Int(Int32.max)))
        },
        Switch(
            name: "allow-group", argument: "GROUP",
            help: "let the members of this group connect, by name or number"
        ) {
            options, value throws(Misuse) in
            if let found = getgrnam(value) {
                options.allowedGroup = found.pointee.gr_gid
            } else if let number = UInt32(value) {
                options.allowedGroup = number
            } else {
                throw Misuse(text: "--allow-group: there is no group \(quoted(value))")
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
        Switch(
            name: "memory", argument: "BYTES",
            help: "what all simulations may take together, also 512M or 2G (default \(size(Limits().memory)))"
        ) { options, value throws(Misuse) in options.limits.memory = try bytes(value, of: "--memory") },
        Switch(
            name: "stall-seconds", argument: "N",
            help:
                "name a plug-in that does not come back for N seconds, 0: never (default \(Options().stallSeconds))"
        ) {
            options, value throws(Misuse) in
            options.stallSeconds = try number(value, of: "--stall-seconds", in: 0...86_400)
        },
        Switch(name: "version", argument: nil, help: "print the version and exit") { _, _ throws(Misuse) in },
        Switch(name: "help", argument: nil, help: "print this and exit") { _, _ throws(Misuse) in },
    ]

    private static func count(
        _ name: StaticString, _ what: String, _ limit: WritableKeyPath<Limits, Int>,
        in range: ClosedRange<Int>
    ) -> Switch {
        Switch(name: name, argument: "N", help: "\(what) (default \(Limits()[keyPath: limit]))") {
            options, value throws(Misuse) in
            options.limits[keyPath: limit] = try number(value, of: "--\(name)", in: range)
        }
    }

    /// Reads the command line; `arguments` are argc and argv as `main` got them.
    public static func parse(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>)
        throws(Misuse) -> Request
    {
        var longs = table.map { row in
            // A static string ends with NUL and lives as long as the process.
            option(
                name: UnsafeRawPointer(row.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: row.argument == nil ? 0 : 1, flag: nil, val: 0)
        }
        longs.append(option())
        var options = Options()
        while true {
            let found = seam_next_option(count, arguments, longs)
            switch found.code {
            case -1:
                if found.next < count {
                    let stray = argument(Int(found.next), arguments)
                    throw Misuse(text: "seamd takes options alone, not \(quoted(stray))")
                }
                return .serve(options)
            case 0:
                let row = table[Int(found.index)]
                switch "\(row.name)" {
                case "help": return .print(help)
                case "version": return .print("seamd \(seamVersion)\n")
                default: try row.take(&options, found.value.map { String(cString: $0) } ?? "")
                }
            case Int32(UInt8(ascii: ":")):
                throw Misuse(text: "\(argument(Int(found.at), arguments)) needs a value")
            default:
                throw unknown(argument(Int(found.at), arguments))
            }
        }
    }

    private static func unknown(_ given: String) -> Misuse {
        let name = given.prefix { $0 != "=" }.drop { $0 == "-" }
        let nearest = nearest(String(name), among: table.map { "\($0.name)" }, limit: 1)
        return Misuse(text: "no option \(quoted(given)); did you mean --\(nearest[0])?")
    }

    private static func argument(
        _ index: Int, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> String {
        arguments[index].map { String(cString: $0) } ?? ""
    }

    private static func number(_ text: String, of option: String, in range: ClosedRange<Int>) throws(Misuse)
        -> Int
    {
        guard let number = Int(text), range.contains(number) else {
            throw Misuse(
                text:
                    "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))"
            )
        }
        return number
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
                text:
                    "\(option) takes bytes from \(size(leastMemory)) on, also with K, M or G, not \(quoted(text))"
            )
        }
        return count << (unit?.shift ?? 0)
    }

    private static func size(_ bytes: Int) -> String {
        let unit = units.last { bytes % (1 << $0.shift) == 0 }
        return unit.map { "\(bytes >> $0.shift)\($0.letter)" } ?? "\(bytes)"
    }

    private static func quoted(_ text: String) -> String {
        "\u{201C}\(Log.escaped(text))\u{201D}"
    }

    private static var help: String {
        var text = """
            Usage: seamd [OPTION]…
            Serves simulations of bridged screens on a Unix socket, one JSON-RPC message a line.


            """
        for row in table {
            let left = "  --\(row.name)\(row.argument.map { " \($0)" } ?? "")"
            let gap = String(repeating: " ", count: max(2, 40 - left.count))
            text += "\(left)\(gap)\(row.help)\n"
        }
        return text + """

            SIGTERM and SIGINT end it in order, SIGHUP looks through the plug-in folders again.
            Exit status: 0 ended in order, 1 could not serve, 2 wrong usage.

            """
    }
}
