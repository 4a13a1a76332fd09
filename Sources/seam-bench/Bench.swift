internal import CSeamBench
internal import Glibc

/// Something that is measured in rounds and gives lines of the table.
protocol Section: AnyObject {
    /// Names of the lines, as `--only` knows them.
    static var lines: [String] { get }
    /// Rounds it takes part in at most.
    var roundLimit: Int { get }
    init()
    func round(_ bench: Bench) throws(Failure)
    func rows(_ bench: Bench) -> [Row]
}

extension Section {
    var roundLimit: Int { .max }
}

/// The whole run.
final class Bench {
    let options: Options
    let place: Place
    /// Why Redis is not measured; nil when it is.
    private(set) var redisIsMissing: String?
    private(set) var redisVersion = ""
    /// How busy the machine was in the minute before: numbers taken on a busy one are worth little.
    let loadBefore: String

    private static let sections: [any Section.Type] = [
        OneToOne.self, FanOut.self, Large.self, ManySimulations.self, OtherSubscriptions.self,
        PluginBridge.self,
        Start.self, StoppedReader.self,
    ]
    static var lineNames: [String] { sections.flatMap { $0.lines } }

    init(_ options: Options, _ place: Place) {
        self.options = options
        self.place = place
        loadBefore =
            firstLine(of: "/proc/loadavg", beginning: "").map { String($0.prefix { $0 != " " }) } ?? "unknown"
        do throws(Failure) {
            let redis = try Redis(self)
            defer { redis.server.stop() }
            redisVersion = try redis.version()
        } catch {
            redisIsMissing = error.text
        }
    }

    /// Amounts of work: a tenth with --quick.
    func amount(_ full: Int) -> Int { options.isQuick ? max(1, full / 10) : full }

    func wants(_ line: String) -> Bool { options.only.isEmpty || options.only.contains(line) }

    /// The rows of every section, and what went wrong.
    func measure() -> (rows: [Row], failures: [String]) {
        var rows: [Row] = []
        var failures: [String] = []
        for type in Self.sections where type.lines.contains(where: wants) {
            let section = type.init()
            let name = type.lines.filter(wants).joined(separator: ", ")
            let rounds = min(options.rounds, section.roundLimit)
            var hasFailed = false
            for round in 1...rounds {
                tell("\(name): round \(round) of \(rounds)")
                do throws(Failure) {
                    try section.round(self)
                } catch {
                    failures.append("\(name), round \(round): \(error.text)")
                    hasFailed = true
                    break
                }
            }
            for var row in section.rows(self) where wants(row.line) {
                // A server that lost something in one round has not done the work in the others either.
                if hasFailed { (row.series, row.note) = ([], nil) }
                rows.append(row)
            }
        }
        return (rows, failures)
    }

    /// Seam, Redis and the relay one after the other, each in a process of its own.
    func eachRival(relay: Bool = true, _ body: (any Rival) throws(Failure) -> Void) throws(Failure) {
        try with(Seam(self), body)
        if redisIsMissing == nil { try with(Redis(self), body) }
        if relay { try with(Relay(self), body) }
    }

    private func with(_ rival: any Rival, _ body: (any Rival) throws(Failure) -> Void) throws(Failure) {
        defer { rival.server.stop() }
        do throws(Failure) { try body(rival) } catch { throw Failure("\(rival.name): \(error.text)") }
    }

    func withSeam(plugin: Bool = false, _ body: (Seam) throws(Failure) -> Void) throws(Failure) {
        let seam = try Seam(self, plugin: plugin)
        defer { seam.server.stop() }
        try body(seam)
    }

    /// Progress, where a person looks on.
    func tell(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { say(text) }
    }
}
