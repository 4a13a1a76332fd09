// The command line of seam-gate. One table: what getopt_long reads is what --help prints.

import CLibwebsockets
import Glibc
import SeamWire

/// What the command line asks for.
struct Options {
    var socket: String?
    var port = 7333
    var routes = Routes.Settings()
    /// An inherited descriptor that gets the address as a line and is closed.
    var readyDescriptor: Int32?
    var isVerbose = false

    enum Request {
        case serve(Options)
        /// Text for standard output, and nothing else to do.
        case print(String)
    }

    /// One line for the person who typed it.
    struct Misuse: Error { var text: String }

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
                "the daemon's; else $SEAM_SOCKET, $XDG_RUNTIME_DIR/seam/seam.sock, /run/user/UID/seam/seam.sock"
        ) { options, value throws(Misuse) in options.socket = value },
        Switch(
            name: "port", argument: "N",
            help: "where to listen, 0: any that is free (default \(Options().port))"
        ) {
            options, value throws(Misuse) in options.port = try number(value, of: "--port", in: 0...65_535)
        },
        Switch(
            name: "listen", argument: "ADDR",
            help: "an IPv4 address of this machine (default 127.0.0.1: this machine alone)"
        ) { options, value throws(Misuse) in
            var address = in_addr()
            guard inet_pton(AF_INET, value, &address) == 1 else {
                throw Misuse(
                    text: "--listen takes an IPv4 address, such as 127.0.0.1 or 0.0.0.0, not \(quoted(value))"
                )
            }
            options.routes.host = value
        },
        Switch(name: "allow-control", argument: nil, help: "let browsers change simulations, not only read") {
            options, _ throws(Misuse) in options.routes.allowsControl = true
        },
        Switch(
            name: "max-streams", argument: "N",
            help: "open /events streams at a time (default \(Routes.Settings().mostStreams))"
        ) { options, value throws(Misuse) in
            options.routes.mostStreams = try number(value, of: "--max-streams", in: 1...1_000_000)
        },
        Switch(
            name: "ready-fd", argument: "N",
            help: "write the address to this open descriptor too, and close it"
        ) {
            options, value throws(Misuse) in
            options.readyDescriptor = Int32(try number(value, of: "--ready-fd", in: 0...Int(Int32.max)))
        },
        Switch(name: "verbose", argument: nil, help: "tell on standard error also what goes as it should") {
            options, _ throws(Misuse) in options.isVerbose = true
        },
        Switch(name: "version", argument: nil, help: "print the version and exit") { _, _ throws(Misuse) in },
        Switch(name: "help", argument: nil, help: "print this and exit") { _, _ throws(Misuse) in },
    ]

    /// Reads the command line; `arguments` are argc and argv as `main` got them.
    static func parse(
        _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(Misuse) -> Request {
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
                guard found.next == count else {
                    throw Misuse(
                        text:
                            "seam-gate takes options only, not \(quoted(argument(Int(found.next), arguments)))"
                    )
                }
                return .serve(options)
            case 0:
                let row = table[Int(found.index)]
                switch "\(row.name)" {
                case "help": return .print(help)
                case "version": return .print("seam-gate \(seamVersion)\n")
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

    private static func number(
        _ text: String, of option: String, in range: ClosedRange<Int>
    ) throws(Misuse) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw Misuse(
                text:
                    "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))"
            )
        }
        return number
    }

    private static func quoted(_ text: String) -> String { "\u{201C}\(Log.escaped(text))\u{201D}" }

    private static var help: String {
        var text = """
            Usage: seam-gate [OPTION]…
            Serves the state of a Seam daemon to browsers: a page, a stream of events, metrics.
            Prints the address with its key, and stays.


            """
        for row in table {
            let left = "  --\(row.name)\(row.argument.map { " \($0)" } ?? "")"
            text += "\(left)\(String(repeating: " ", count: max(2, 22 - left.count)))\(row.help)\n"
        }
        return text + """

            SIGTERM and SIGINT end it in order.
            Exit status: 0 ended in order, 1 could not serve, 2 wrong usage.

            """
    }
}
