internal import CSeamBench
internal import Glibc

// Counts the instructions of an event under callgrind and compares them with what is recorded: time on a shared machine
// says little, instructions say the same each time. `run` is what callgrind is given to count.

let usage = """
    Usage: seam-bench-guard check FILE | record FILE | run
    Counts the instructions of one event in wire, kernel and encoder, under valgrind.

      check FILE   compare with what FILE holds: exit 1 when a stage is more than 2 % off
      record FILE  write what was counted to FILE
      run          do the work, uncounted

    """
let tolerance = 0.02

/// Not through `stderr`, a variable that Swift 6 rightly distrusts.
func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

func fail(_ text: String) -> Never {
    say("seam-bench-guard: \(text)\n")
    exit(1)
}

/// One run under callgrind for each stage, all at once where there are processors for it.
func count() -> Record {
    var path = [UInt8](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count)
    let program = String(decoding: path[..<max(0, length)], as: UTF8.self).replacing("'", with: "'\\''")
    let runs = Stage.allCases.map { stage in
        (
            stage,
            popen(
                "SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null"
                    + " --toggle-collect=bench_guard_\(stage.rawValue) '\(program)' run 2>&1", "re")
        )
    }
    var record = Record()
    for (stage, run) in runs {
        guard let run else { fail("valgrind cannot be started") }
        var output = ""
        var buffer = [CChar](repeating: 0, count: 1024)
        while fgets(&buffer, Int32(buffer.count), run) != nil {
            let line = String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            output += line
            if line.hasPrefix("processor: ") { record.processor = String(line.dropFirst(11).dropLast()) }
            if let found = line.firstRange(of: "Collected : "),
                let count = Double(line[found.upperBound...].prefix { $0.isNumber })
            {
                record.instructions[stage] = count / Double(Work.events)
            }
        }
        guard pclose(run) == 0, let instructions = record.instructions[stage], instructions > 0 else {
            fail("valgrind did not count \(stage.rawValue); it said:\n\(output)")
        }
    }
    return record
}

func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10) %"
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("run", 1):
    var text = [CChar](repeating: 0, count: 1024)
    let length = bench_processor_features(&text, text.count)
    print("processor: \(String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))")
    print("\(Work.run()) bytes out")
case ("record", 2):
    let counted = count()
    guard counted.write(arguments.last ?? "") else { fail("cannot write \(arguments.last ?? "")") }
    print("recorded: \(Int(counted.total.rounded())) instructions per event")
case ("check", 2):
    let counted = count()
    guard let recorded = Record.read(arguments.last ?? "") else {
        fail("\(arguments.last ?? "") holds no record; `seam-bench-guard record` writes one")
    }
    var isOff = false
    for stage in Stage.allCases {
        let (now, before) = (counted.instructions[stage] ?? 0, recorded.instructions[stage] ?? 0)
        let change = now / before - 1
        isOff = isOff || abs(change) > tolerance
        print(
            "\(stage.rawValue): \(Int(now.rounded())) instructions per event, recorded \(Int(before.rounded())),"
                + " \(percent(change))")
    }
    print("all: \(Int(counted.total.rounded())), recorded \(Int(recorded.total.rounded()))")
    if counted.processor != recorded.processor {
        print("not compared: this processor is another than the recorded one, and code is chosen by it")
        print("here: \(counted.processor)\nrecorded: \(recorded.processor)")
    } else if isOff {
        fail(
            "a stage is more than 2 % off. More: see which function grew (callgrind_annotate) and win it back. Less,"
                + " or a new compiler, or worth its price: `make bench-guard GUARD=record` and commit the record"
        )
    }
default:
    say(usage)
    exit(2)
}
