// From the command line to the loop, top to bottom.

import CLibuv
import Glibc
import SeamOptions
import SeamPluginHost
import SeamWire

/// The whole of `seamd`.
public enum Server {
    /// Serves until a signal or a client ends it. The exit status: 0 ended in order, 1 could not serve, 2
    /// wrong usage. First thing in the process, on its main thread.
    public static func run(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>)
        -> Int32
    {
        // Before anything opens a file: no socket may become the standard error of a library.
        if seam_reopen_standard_descriptors() < 0 { return 1 }
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is an error of the write, not the end of the daemon.
        signal(SIGXFSZ, SIG_IGN)
        MainThread.claim()
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
        Log.level = options.logLevel
        do {
            try serve(options)
            return 0
        } catch let refusal as SocketFile.Refusal {
            Log.error(refusal.text)
        } catch {
            Log.error("\(error)")
        }
        return 1
    }

    private static func serve(_ options: Options) throws {
        var limits = options.limits
        let descriptors = raiseDescriptors()
        limits.connections = min(limits.connections, max(1, descriptors - otherDescriptors))
        if limits.connections < options.limits.connections {
            let enough = options.limits.connections + otherDescriptors
            Log.warning(
                "the limit of open files (ulimit -n) is \(descriptors) and leaves room for \(limits.connections) of "
                    + "\(options.limits.connections) connections at a time; raise it to \(enough) (ulimit -n \(enough), or "
                    + "LimitNOFILE=\(enough) in the unit), or give --max-connections \(limits.connections)")
        }
        if let number = CrashReports.install() {
            Log.warning("no report will be written if a plug-in crashes: \(describe(-number))")
        }
        // It speaks in warnings.
        if options.stallSeconds > 0, options.logLevel.rawValue >= Log.Level.warning.rawValue,
            let number = StallWatch.start(seconds: options.stallSeconds)
        {
            Log.warning("a plug-in that does not come back will not be named: \(describe(-number))")
        }
        let loop = Loop()
        let hooks = PluginHooks()
        let catalogue = PluginCatalogue(
            sources: .standard(
                files: options.plugins, folders: options.pluginFolders,
                pluginPath: environment("SEAM_PLUGIN_PATH")),
            hooks: hooks, hostVersion: seamVersion)
        let daemon = Daemon(
            loop: loop, limits: limits, catalogue: catalogue, hooks: hooks, allowedGroup: options.allowedGroup
        )
        try catalogue.openNamedFiles()
        // Folders are read at the first request that needs a scenario; a slip of the pen in one is told at once.
        for folder in options.pluginFolders where FileIdentity(folder) == nil {
            Log.warning("--plugin-dir \(folder): there is no such folder")
        }

        let place = try Place(options)
        takeSignals(daemon, place)
        for descriptor in place.descriptors { try daemon.listen(on: descriptor) }
        Log.info("listening on \(place.name)")
        Service.ready()
        Service.feedWatchdog(on: loop)
        if let descriptor = options.readyDescriptor {
            if write(descriptor, "\n", 1) != 1 {
                Log.warning("cannot write to --ready-fd \(descriptor): \(lastError())")
            }
            close(descriptor)
        }
        loop.run()
        place.file?.remove()
        Log.info("stopped")
    }

    /// Where clients connect: sockets that were handed in, or one of our own.
    private struct Place {
        let file: SocketFile?
        let descriptors: [Int32]
        let name: String

        init(_ options: Options) throws(SocketFile.Refusal) {
            let inherited = try Service.inheritedSockets()
            if inherited.isEmpty {
                let claimed = try SocketFile.claim(options.socket, group: options.allowedGroup)
                file = claimed
                descriptors = [claimed.descriptor]
                name = claimed.path
            } else {
                // Whoever made these sockets removes their files.
                file = nil
                descriptors = inherited
                name = "\(inherited.count) inherited socket\(inherited.count == 1 ? "" : "s")"
            }
        }
    }

    private static func takeSignals(_ daemon: Daemon, _ place: Place) {
        for number in [SIGTERM, SIGINT] {
            _ = LoopSignal(number, on: daemon.loop) {
                if daemon.shutdown == nil {
                    daemon.shutdown = Shutdown(of: daemon, because: "signal \(number)")
                } else {
                    // Asked twice: whoever waits for a client that does not read has waited enough.
                    place.file?.remove()
                    _exit(1)
                }
            }
        }
        _ = LoopSignal(SIGHUP, on: daemon.loop) {
            daemon.catalogue.rescan()
            Log.info("looked through the plug-in folders: \(daemon.catalogue.entries.count) scenarios")
        }
    }

    /// Descriptors that are left for plug-ins, files and the daemon's own.
    private static let otherDescriptors = 64

    /// Raises the limit of open files as far as this user may, and answers where it stands then.
    private static func raiseDescriptors() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        return Int(clamping: limit.rlim_cur)
    }
}
