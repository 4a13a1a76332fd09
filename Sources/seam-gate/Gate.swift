// From the command line to the loop, top to bottom.

import CLibwebsockets
import Glibc
import SeamClient
import SeamOptions
import SeamWire

/// The whole of `seam-gate`.
enum Gate {
    /// Beside the streams: pages, scrapes, requests.
    private static let otherConnections = 512
    /// Standard ones, the loop's, and a connection to the daemon for each request under way.
    private static let otherDescriptors = 128

    /// Serves until a signal ends it, and gives the exit status.
    static func run(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    {
        // Before anything opens a file: no socket may become the standard error of a library.
        if seam_reopen_standard_descriptors() < 0 { return 1 }
        signal(SIGPIPE, SIG_IGN)
        // libwebsockets reads it for connections that the gate never makes, and complains about its form.
        unsetenv("http_proxy")
        let options: Options
        do throws(Misuse) {
            switch try Options.parse(count, arguments) {
            case .run(let parsed): options = parsed
            case .print(let text):
                return isWritten(text) ? 0 : 1
            }
        } catch {
            Log.error(error.text)
            return 2
        }
        Log.isVerbose = options.isVerbose
        let path: SocketPath
        do {
            path = try SocketPath.choose(option: options.socket)
        } catch {
            Log.error("\(error)")
            return 1
        }
        do {
            try serve(options, path)
            return 0
        } catch {
            Log.error(error.text)
            return 1
        }
    }

    private static func serve(_ options: Options, _ path: SocketPath) throws(HTTPServer.Failure) {
        var settings = options.routes
        settings.mostStreams = min(settings.mostStreams, streamsByDescriptors(wanted: settings.mostStreams))
        if settings.mostStreams < options.routes.mostStreams {
            Log.warning("the limit of open files (ulimit -n) allows \(settings.mostStreams) streams")
        }
        let loop = Loop()
        let hub = Hub(metrics: Metrics())
        let link = DaemonLink(to: path, feeding: hub, on: loop)
        let calls = Calls(
            to: path.path, on: loop, hub: hub, link: link, allowsControl: settings.allowsControl)
        let doors = Doors()
        let routes = Routes(settings, hub: hub, link: link, calls: calls, doors: doors)
        let server = HTTPServer(
            routes, on: loop, mostConnections: settings.mostStreams + Self.otherConnections)
        calls.connectionCount = { [unowned server] in server.connectionCount }
        let port = try server.listen(on: settings.host, port: options.port)
        doors.keys = Keys(port: port)
        loop.endOfRound = { hub.spread() }

        let clock = LoopTimer(on: loop) {
            let now = monotonicMilliseconds()
            link.listen()
            hub.beat(silentSince: now - 15_000)
            calls.sweep(at: now)
            server.sweep(at: now)
        }
        clock.start(after: 1000, every: 1000)

        var signals: [LoopSignal] = []
        for number in [SIGTERM, SIGINT] {
            signals.append(
                LoopSignal(number, on: loop) {
                    if signals.isEmpty { _exit(1) }
                    for signal in signals { signal.close() }
                    signals = []
                    clock.close()
                    calls.close()
                    link.close()
                    server.close()
                    loop.closeOwnHandles()
                })
        }

        let address = "http://\(settings.host):\(port)/#token=\(doors.keys.token)\n"
        tell(address, to: 1)
        if let descriptor = options.readyDescriptor {
            tell(address, to: descriptor)
            close(descriptor)
        }
        loop.run()
        server.release()
    }

    private static func tell(_ address: String, to descriptor: Int32) {
        let bytes = Array(address.utf8)
        if write(descriptor, bytes, bytes.count) != bytes.count {
            Log.warning("cannot write the address to descriptor \(descriptor): \(describe(-errno))")
        }
    }

    /// Raises the limit of open files to what is wanted, and no further: libwebsockets keeps a table of that size.
    private static func streamsByDescriptors(wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        let others = otherConnections + otherDescriptors
        let needed = rlim_t(wanted + others)
        limit.rlim_cur = min(needed, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(1, Int(limit.rlim_cur) - others)
    }
}

/// Holds the keys, which are named after the port, which is known once somebody listens there.
final class Doors {
    var keys = Keys(port: 0)
}
