internal import CSeamCheck
internal import CSeamHost
internal import Glibc
internal import SeamPluginHost

// seam-plugin-check FILE SEED NUMBER…: opens a plug-in and puts it through checks, as `seam plugin check` asks for,
// which starts one of these for each and waits no longer than its limit. Results are lines of JSON on descriptor 3, or
// on standard output when it is not open: what a plug-in prints is a finding, not a result.

let words = CommandLine.arguments
guard words.count >= 4, let seed = UInt64(words[2]) else {
    stop("usage: seam-plugin-check FILE SEED NUMBER…; for people there is `seam plugin check FILE`")
}
signal(SIGPIPE, SIG_IGN)
MainThread.claim()
_ = CrashReports.install()
let inherited = check_begin(3)
// Standard output is about to become something else.
let results = Results(descriptor: inherited >= 0 ? inherited : dup(STDOUT_FILENO))
let subject = Subject(path: words[1], seed: seed, results: results)
for word in words[3...] {
    guard let number = Int(word), let check = Checks.all[number] else {
        stop("seam-plugin-check: there is no check \(word)")
    }
    results.begin(number)
    var findings = Findings()
    do throws(NotReached) {
        try check(subject, &findings)
        results.end(number, findings)
    } catch {
        results.skip(number, error.reason)
    }
}
// Neither the plug-in's exit handlers nor its destructors are what was asked about, and they may never return.
_exit(0)

/// What is wrong with the command line, and the end.
func stop(_ text: String) -> Never {
    let line = text + "\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
}
