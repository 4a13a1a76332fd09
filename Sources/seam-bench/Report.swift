internal import CSeamBench
internal import Glibc
internal import SeamWire

/// The table, or the same as JSON.
struct Report {
    var bench: Bench
    var rows: [Row]
    var failures: [String]
    var seconds: Double

    var missed: [Row] { rows.filter { $0.isMet == false } }

    // MARK: text

    var text: String {
        var out = header.map { "\($0.0): \($0.1)\n" }.joined() + "\n"
        let cells = rows.enumerated().map { columns($1, number: $0 + 1) }
        let titles = [
            "line", "unit", "seam (min … max)", "compared with (min … max)", "ratio (rounds)", "target",
            "met",
        ]
        let widths = titles.indices.map { column in
            ([titles] + cells).map { $0[column].count }.max() ?? 0
        }
        for row in [titles] + cells {
            var line = ""
            for (index, cell) in row.enumerated() {
                line += cell
                if index < row.count - 1 {
                    line += String(repeating: " ", count: widths[index] - cell.count + 2)
                }
            }
            out += line + "\n"
        }
        out += "\n"
        for (index, row) in rows.enumerated() {
            if let note = row.note { out += "(\(index + 1)) \(row.title): \(note)\n" }
        }
        for failure in failures { out += "FAILED \(failure)\n" }
        let judged = rows.compactMap(\.isMet)
        return out
            + "\(judged.filter { $0 }.count) of \(judged.count) targets met, in \(Self.number(seconds)) s\n"
    }

    private func columns(_ row: Row, number: Int) -> [String] {
        let others = row.series.dropFirst().map { "\($0.name) \(Self.spread($0.samples))" }
        var target = "-"
        if let asked = row.target {
            target = "\(asked.bound == .atLeast ? "≥" : "≤") \(Self.number(asked.limit))"
            if let other = asked.other { target += " × \(other)" }
        }
        var met = row.isMet.map { $0 ? "yes" : "no" } ?? "-"
        if row.target?.other == "redis" && bench.redisIsMissing != nil { met = "no Redis" }
        let ratio = row.ratio.map {
            "\(Self.number($0.median)) (\(Self.number($0.rounds.min() ?? 0)) … \(Self.number($0.rounds.max() ?? 0)))"
        }
        let title = row.note == nil ? row.title : "\(row.title) (\(number))"
        return [
            title, row.unit.rawValue, row.series.first.map { Self.spread($0.samples) } ?? "not measured",
            others.isEmpty ? "-" : others.joined(separator: ", "), ratio ?? "-", target, met,
        ]
    }

    private static func spread(_ samples: [Double]) -> String {
        if samples.count < 2 { return samples.first.map(number) ?? "-" }
        return
            "\(number(Row.median(samples))) (\(number(samples.min() ?? 0)) … \(number(samples.max() ?? 0)))"
    }

    /// Three digits that count.
    static func number(_ value: Double) -> String {
        func digits(_ value: Double) -> String {
            let decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2
            let scale = [1.0, 10, 100][decimals]
            let whole = Int((abs(value) * scale).rounded())
            if decimals == 0 { return "\(whole)" }
            let (integer, fraction) = whole.quotientAndRemainder(dividingBy: Int(scale))
            return "\(integer).\(fraction < 10 && decimals == 2 ? "0" : "")\(fraction)"
        }
        let size = abs(value)
        let sign = value < 0 ? "-" : ""
        if size >= 999_500 { return sign + digits(size / 1e6) + " M" }
        if size >= 9_995 { return sign + digits(size / 1e3) + " k" }
        return sign + digits(size)
    }

    // MARK: what it was measured on

    private var header: [(String, String)] {
        var lines = [
            ("seam-bench", seamVersion + (bench.options.isQuick ? ", quick: a hint, no result" : ""))
        ]
        var time = time(nil)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        lines.append(
            (
                "date",
                "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):"
                    + "\(two(parts.tm_min)) UTC"
            ))
        lines.append(("machine", Self.machine))
        let place = bench.place
        lines.append(
            (
                "processors",
                place.serverProcessor < 0
                    ? "one, shared by server and client"
                    : "every server on \(place.serverProcessor), the client on \(place.clientProcessor)"
            ))
        lines.append(("redis", bench.redisIsMissing.map { "none (\($0))" } ?? bench.redisVersion))
        lines.append(
            ("rounds", "\(bench.options.rounds), medians; load of the machine before it \(bench.loadBefore)"))
        return lines
    }

    private static var machine: String {
        var name = utsname()
        uname(&name)
        let release = withUnsafeBytes(of: name.release) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let processor = firstLine(of: "/proc/cpuinfo", beginning: "model name").map {
            $0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        }
        return "\(processor ?? "unknown processor"), Linux \(release)"
    }

    // MARK: JSON

    /// An object for the run, one for each row, one for each failure.
    var json: String {
        var out = ByteBuffer()
        func line(_ json: JSON) {
            out.value(json)
            out.append(UInt8(ascii: "\n"))
        }
        line(.object(header.map { JSON.Member($0.0, .string($0.1)) }))
        for row in rows {
            var members = [
                JSON.Member("line", .string(row.line)), JSON.Member("title", .string(row.title)),
                JSON.Member("unit", .string(row.unit.rawValue)),
            ]
            members.append(
                JSON.Member(
                    "series",
                    .array(
                        row.series.map { series in
                            [
                                "name": .string(series.name), "min": Self.json(series.samples.min() ?? 0),
                                "median": Self.json(series.median),
                                "max": Self.json(series.samples.max() ?? 0),
                                "samples": .array(series.samples.map(Self.json)),
                            ]
                        })))
            if let ratio = row.ratio {
                members.append(JSON.Member("ratio", Self.json(ratio.median)))
                members.append(JSON.Member("ratios", .array(ratio.rounds.map(Self.json))))
            }
            if let target = row.target {
                members.append(
                    JSON.Member(
                        "target",
                        [
                            "bound": target.bound == .atLeast ? "at least" : "at most",
                            "limit": Self.json(target.limit),
                            "times": target.other.map { .string($0) } ?? .null,
                        ]))
                members.append(JSON.Member("met", row.isMet.map { .bool($0) } ?? .null))
            }
            if let note = row.note { members.append(JSON.Member("note", .string(note))) }
            line(.object(members))
        }
        for failure in failures { line(["failed": .string(failure)]) }
        line(["seconds": Self.json(seconds)])
        return out.text
    }

    private static func json(_ value: Double) -> JSON { .number("\(value)") }
}

/// The first line of a file that begins so.
func firstLine(of path: String, beginning: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 512)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
        let line = String(
            decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if line.hasPrefix(beginning) { return line }
    }
    return nil
}
