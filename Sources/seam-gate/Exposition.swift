// What Prometheus reads. Two formats of one table.

import CLibwebsockets
import Glibc
import SeamWire

enum Exposition {
    static let textType = "text/plain; version=0.0.4; charset=utf-8"
    static let openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    static func wantsOpenMetrics(_ accept: String?) -> Bool {
        accept?.contains("application/openmetrics-text") ?? false
    }

    /// - Parameters:
    ///   - isUp: whether the daemon is followed and answers. While it does not, how things are there is not known, and
    ///     what is not known has no sample.
    ///   - statistics: the daemon's own counters; nil when it is away.
    static func text(
        _ hub: Hub, isUp: Bool, statistics: JSON?, connections: Int, asOpenMetrics: Bool
    ) -> [UInt8] {
        var out = Writer(isOpenMetrics: asOpenMetrics)
        let metrics = hub.metrics

        out.family("seam_up", .gauge, "Whether the gate follows the daemon, and it answers: 1 or 0.")
        out.sample("seam_up", isUp ? 1 : 0)
        out.family("seam_build_info", .gauge, "The version of the gate, and of the daemon that it last met.")
        out.sample("seam_build_info", 1, [("version", seamVersion), ("daemon", hub.daemonVersion)])

        if isUp { state(of: hub.board, &out) }
        out.family("seam_verdict_changes", .counter, "Changes of a verdict, by what it changed to.")
        for verdict in Verdict.allCases {
            out.sample(
                "seam_verdict_changes_total", metrics.changes[Int(verdict.rawValue)],
                [("to", "\(verdict.word)")])
        }
        out.family("seam_diagnostics", .counter, "Findings that end states cannot show, by code.")
        for (code, count) in metrics.diagnostics.sorted(by: { $0.key < $1.key }) {
            out.sample("seam_diagnostics_total", count, [("code", code)])
        }
        out.family("seam_plugin_faults", .counter, "Simulations that ended because their plug-in failed.")
        for fault in metrics.faults {
            out.sample("seam_plugin_faults_total", fault.count, [("plugin", fault.plugin)])
        }
        out.histogram(
            "seam_field_stale_seconds", "How long fields were stale, observed when they no longer are.",
            metrics.staleSpells)
        out.family(
            "seam_subscribers", .gauge, "Open streams: of browsers here, and subscriptions at the daemon.")
        out.sample("seam_subscribers", hub.streams.count, [("transport", "sse")])
        if let count = statistics?["subscriptions"]?.integer {
            out.sample("seam_subscribers", count, [("transport", "socket")])
        }
        out.family("seam_subscriber_lag", .counter, "Events that the gate itself was too slow for.")
        out.sample("seam_subscriber_lag_total", Int(clamping: metrics.collapsed), [("action", "collapsed")])
        out.sample("seam_subscriber_lag_total", Int(clamping: metrics.lost), [("action", "lost")])
        out.family("seam_ring_events", .gauge, "Events kept for streams that come back.")
        out.sample("seam_ring_events", hub.ring.count)
        out.family("seam_connections", .gauge, "Open connections: of browsers here, and at the daemon.")
        out.sample("seam_connections", connections, [("transport", "http")])
        if let count = statistics?["connections"]?.integer {
            out.sample("seam_connections", count, [("transport", "socket")])
        }
        if let statistics { daemon(statistics, &out) }
        process(&out)
        if asOpenMetrics { out.end() }
        return out.bytes
    }

    /// How things are at this moment.
    private static func state(of board: Board, _ out: inout Writer) {
        out.family("seam_simulations", .gauge, "Simulations by state.")
        out.sample("seam_simulations", board.simulationCount - board.failedCount, [("state", "running")])
        out.sample("seam_simulations", board.failedCount, [("state", "failed")])
        out.family("seam_fields", .gauge, "Fields of all simulations by verdict.")
        for verdict in Verdict.allCases {
            out.sample(
                "seam_fields", board.counts[Int(verdict.rawValue)], [("verdict", "\(verdict.word)")])
        }
        out.family(
            "seam_oldest_stale_age_seconds", .gauge,
            "For how long the field that is stale longest has been so.")
        out.sample(
            "seam_oldest_stale_age_seconds", seconds(board.oldestStaleAge(at: monotonicMilliseconds())))
    }

    private static func daemon(_ statistics: JSON, _ out: inout Writer) {
        // The daemon counts since its own start.
        let counters: [(name: String, help: String, member: String)] = [
            ("seam_rpc_requests", "Requests that the daemon has taken.", "requests"),
            ("seam_rpc_errors", "Requests that it has refused.", "errors"),
            ("seam_turns", "Turns of all simulations.", "turns"),
            ("seam_changes", "Changes of fields, whether or not their verdict changed.", "changes"),
            ("seam_connections_refused", "Connections beyond the limit.", "connectionsRefused"),
            (
                "seam_connections_stalled", "Connections given up because nothing was taken.",
                "connectionsStalled"
            ),
            (
                "seam_subscriptions_slow", "Subscriptions ended because their ring overtook them.",
                "subscriptionsSlow"
            ),
            ("seam_received_bytes", "Bytes from clients.", "bytesIn"),
            ("seam_sent_bytes", "Bytes to clients.", "bytesOut"),
            ("seam_ring_entries_shed", "Changes that gave way to the memory limit.", "ringEntriesShed"),
        ]
        for counter in counters {
            guard let value = statistics[counter.member]?.integer else { continue }
            out.family(counter.name, .counter, counter.help)
            out.sample("\(counter.name)_total", value)
        }
        out.family(
            "seam_memory_bytes", .gauge, "What the daemon holds for values, and for the rings of changes.")
        for (what, member) in [("values", "memoryValues"), ("rings", "memoryRings")] {
            if let value = statistics[member]?.integer {
                out.sample("seam_memory_bytes", value, [("what", what)])
            }
        }
        if let limit = statistics["memoryLimit"]?.integer {
            out.family("seam_memory_limit_bytes", .gauge, "What both may take together.")
            out.sample("seam_memory_limit_bytes", limit)
        }
    }

    /// The gate's own process, by the names that every exporter uses.
    private static func process(_ out: inout Writer) {
        guard let own = ProcessFigures() else { return }
        out.family("process_cpu_seconds", .counter, "Processor time of the gate.", unit: "seconds")
        out.sample("process_cpu_seconds_total", hundredths(own.cpuHundredths))
        out.family("process_resident_memory_bytes", .gauge, "Resident memory of the gate.")
        out.sample("process_resident_memory_bytes", own.residentBytes)
        out.family("process_virtual_memory_bytes", .gauge, "Address space of the gate.")
        out.sample("process_virtual_memory_bytes", own.virtualBytes)
        out.family("process_start_time_seconds", .gauge, "When the gate was started, in seconds since 1970.")
        out.sample("process_start_time_seconds", hundredths(own.startHundredths))
        out.family("process_open_fds", .gauge, "Open descriptors of the gate.")
        out.sample("process_open_fds", own.openDescriptors)
        out.family("process_max_fds", .gauge, "Descriptors that it may have.")
        out.sample("process_max_fds", own.mostDescriptors)
    }

    fileprivate static func seconds(_ milliseconds: Int) -> String {
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)"
    }

    private static func hundredths(_ value: Int) -> String {
        let fraction = String(value % 100 + 100).dropFirst()
        return "\(value / 100).\(fraction)"
    }
}

/// Writes families; both formats differ in little.
private struct Writer {
    enum Kind: String { case gauge, counter, histogram }

    let isOpenMetrics: Bool
    private var text = ""

    init(isOpenMetrics: Bool) {
        self.isOpenMetrics = isOpenMetrics
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// - Parameter name: without `_total`, which OpenMetrics gives to samples and the older format to families as well.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, unit: String? = nil) {
        let name = kind == .counter && !isOpenMetrics ? "\(name)_total" : name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        if let unit, isOpenMetrics { text += "# UNIT \(name) \(unit)\n" }
    }

    mutating func sample(
        _ name: String, _ value: some CustomStringConvertible, _ labels: [(String, String)] = []
    ) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Metrics.Histogram) {
        family(name, .histogram, help)
        var count = 0
        for (index, bound) in histogram.bounds.enumerated() {
            count += histogram.counts[index]
            sample("\(name)_bucket", count, [("le", Self.bound(bound, isOpenMetrics))])
        }
        sample("\(name)_bucket", histogram.count, [("le", "+Inf")])
        sample("\(name)_sum", Exposition.seconds(histogram.sum))
        sample("\(name)_count", histogram.count)
    }

    mutating func end() { text += "# EOF\n" }

    /// Milliseconds as seconds in the canonical form of OpenMetrics: 0.001, 1.0, 300.0.
    private static func bound(_ milliseconds: Int, _ isOpenMetrics: Bool) -> String {
        var text = Exposition.seconds(milliseconds)
        while text.hasSuffix("0") && !text.hasSuffix(".0") { text.removeLast() }
        if !isOpenMetrics && text.hasSuffix(".0") { text.removeLast(2) }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// What /proc says of this process.
private struct ProcessFigures {
    let cpuHundredths: Int
    let residentBytes: Int
    let virtualBytes: Int
    let startHundredths: Int
    let openDescriptors: Int
    let mostDescriptors: Int

    init?() {
        guard let stat = Self.read("/proc/self/stat"), let boot = Self.read("/proc/stat"),
            let parenthesis = stat.lastIndex(of: ")")
        else { return nil }
        // The name, the second field, may hold anything but ends with the last parenthesis; the third is the first here.
        let fields = stat[stat.index(after: parenthesis)...].split(separator: " ")
        let bootLine = boot.split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard fields.count > 21, let user = Int(fields[11]), let system = Int(fields[12]),
            let start = Int(fields[19]), let virtual = Int(fields[20]), let pages = Int(fields[21]),
            let bootSeconds = bootLine.flatMap({ Int($0.dropFirst("btime ".count)) })
        else { return nil }
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        cpuHundredths = (user + system) * 100 / ticks
        residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        virtualBytes = virtual
        startHundredths = bootSeconds * 100 + start * 100 / ticks
        openDescriptors = Self.descriptorCount()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        mostDescriptors = Int(clamping: limit.rlim_cur)
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = Glibc.read(descriptor, &chunk, chunk.count), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without the two dots and the folder itself.
        return count - 3
    }
}
