internal import CSeamBench
internal import Glibc
internal import SeamOptions

// Reads the command line, measures, prints the table.

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "relay" {
    // This program started itself, as the server that knows nothing.
    let status = bench_relay(CommandLine.arguments[2], CommandLine.arguments[3])
    say("the relay: \(String(cString: strerror(-status)))")
    exit(1)
}

// What a person has set for a daemon of theirs is not for the one that is measured.
for name in ["SEAM_PLUGIN_PATH", "SEAM_SOCKET", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID"] {
    unsetenv(name)
}

do {
    switch try Options.parse() {
    case .print(let text):
        if !isWritten(text) { exit(1) }
    case .run(let options):
        guard access(options.seamd, X_OK) == 0 else {
            throw Failure("there is no seamd at \(options.seamd); build it, or say where with --seamd")
        }
        let place = try Place.make()
        let bench = Bench(options, place)
        let begin = bench_now()
        let (rows, failures) = bench.measure()
        place.remove()
        let report = Report(
            bench: bench, rows: rows, failures: failures, seconds: Double(bench_now() - begin) / 1e9)
        print(options.isJSON ? report.json : report.text, terminator: "")
        exit(failures.isEmpty && (!options.isStrict || report.missed.isEmpty) ? 0 : 1)
    }
} catch let error as Misuse {
    say(error.text)
    exit(2)
} catch let error as Failure {
    say(error.text)
    exit(2)
}
