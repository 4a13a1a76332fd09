// The command line of seam-gate.

import Glibc
import SeamOptions

/// What the command line asks for.
struct Options {
    var socket: String?
    var port = 7333
    var routes = Routes.Settings()
    /// An inherited descriptor that gets the address as a line and is closed.
    var readyDescriptor: Int32?
    var isVerbose = false

    private static let table = OptionTable<Options>(
        "seam-gate",
        about: """
            Serves the state of a Seam daemon to browsers: a page, a stream of events, metrics.
            Prints the address with its key, and stays.
            """,
        closing: """
            SIGTERM and SIGINT end it in order.
            Exit status: 0 ended in order, 1 could not serve, 2 wrong usage.
            """,
        rows)

    private typealias Row = OptionTable<Options>.Row

    private static let rows: [Row] = [
        Row(
            "socket", value: "PATH",
            "the daemon's; else $SEAM_SOCKET, $XDG_RUNTIME_DIR/seam/seam.sock, /run/user/UID/seam/seam.sock"
        ) { options, value throws(Misuse) in options.socket = value },
        Row(
            "port", value: "N",
            "where to listen, 0: any that is free (default \(Options().port))"
        ) {
            options, value throws(Misuse) in options.port = try number(value, of: "--port", in: 0...65_535)
        },
        Row(
            "listen", value: "ADDR",
            "an IPv4 address of this machine (default 127.0.0.1: this machine alone)"
        ) { options, value throws(Misuse) in
            var address = in_addr()
            guard inet_pton(AF_INET, value, &address) == 1 else {
                throw Misuse(
                    "--listen takes an IPv4 address, such as 127.0.0.1 or 0.0.0.0, not \(quoted(value))"
                )
            }
            options.routes.host = value
        },
        Row("allow-control", value: nil, "let browsers change simulations, not only read") {
            options, _ throws(Misuse) in options.routes.allowsControl = true
        },
        Row(
            "max-streams", value: "N",
            "open /events streams at a time (default \(Routes.Settings().mostStreams))"
        ) { options, value throws(Misuse) in
            options.routes.mostStreams = try number(value, of: "--max-streams", in: 1...1_000_000)
        },
        Row(
            "ready-fd", value: "N",
            "write the address to this open descriptor too, and close it"
        ) {
            options, value throws(Misuse) in
            options.readyDescriptor = try writableDescriptor(value, of: "--ready-fd")
        },
        Row("verbose", value: nil, "tell on standard error also what goes as it should") {
            options, _ throws(Misuse) in options.isVerbose = true
        },
    ]

    /// Reads the command line; `arguments` are argc and argv as `main` got them.
    static func parse(
        _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(Misuse) -> OptionTable<Options>.Request {
        try table.parse(into: Options(), count, arguments)
    }
}
