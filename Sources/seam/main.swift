internal import Glibc
internal import SeamClient
internal import SeamWire

// Understands the command line, runs the one command, and turns how it went into an exit code.

openStandardDescriptors()
let parsed: Arguments.Parsed
do {
    parsed = try Arguments.parse(Arguments.words(of: CommandLine.unsafeArgv))
} catch {
    tellUsage(error)
    exit(Exit.usage.rawValue)
}

switch parsed {
case .run(let arguments):
    // Writing to a reader that has gone is seen where it happens.
    signal(SIGPIPE, SIG_IGN)
    exit(perform(arguments).rawValue)
case .help(let command):
    printAndExit(command.map(help(for:)) ?? generalHelp())
case .version:
    printAndExit("seam \(seamVersion)\n")
case .nothing:
    tellUsage(UsageFailure(message: "which command?"))
    exit(Exit.usage.rawValue)
}

/// A descriptor of this program must never take the number of a standard one that the caller closed. What takes
/// it instead is open the wrong way round, so that reading or writing there still fails as it should.
func openStandardDescriptors() {
    for standard in STDIN_FILENO...STDERR_FILENO where fcntl(standard, F_GETFD) == -1 {
        // open() gives the lowest free number, and all below this one are taken.
        _ = open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

/// Runs the command; whatever happens, a private daemon is ended and output is written.
func perform(_ arguments: Arguments) -> Exit {
    let session = Session(arguments)
    var result: Exit
    do {
        result = try arguments.command.run(session)
    } catch let failure as UsageFailure {
        tellUsage(failure)
        result = .usage
    } catch {
        result = session.tell(error)
    }
    session.output.flush()
    if session.output.isInterrupted, let signal = session.interrupts.take() { session.end(bySignal: signal) }
    session.end()
    if let failure = session.output.failure {
        session.note("standard output: \(errorText(failure))")
        if result == .fine { result = .finding }
    }
    return result
}

func tellUsage(_ failure: UsageFailure) {
    let divider = failure.message.hasSuffix("?") ? "" : ";"
    let text = "seam: \(printable(failure.message))\(divider) \(usageHint(for: failure.command))\n"
    _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
}

func printAndExit(_ text: String) -> Never {
    signal(SIGPIPE, SIG_IGN)
    let failure = writeAll(Array(text.utf8), to: STDOUT_FILENO)
    exit(failure == nil || failure == EPIPE ? Exit.fine.rawValue : Exit.finding.rawValue)
}
