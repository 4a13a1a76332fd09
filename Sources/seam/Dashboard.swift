internal import SeamClient

/// `seam dashboard`: a gate for browsers beside this program, until Ctrl-C.
func dashboard(_ session: Session) throws -> Exit {
    let program = try HelperProcess.find("seam-gate")
    // The connection was only to find the daemon, or to start one.
    let socket = try session.connectOrStart().path.path
    var arguments = ["--socket", socket, "--ready-fd", "3"]
    if let port = session.arguments.number(.port) { arguments += ["--port", "\(port)"] }
    if session.arguments.has(.allowControl) { arguments.append("--allow-control") }

    let gate: Companion
    do throws(Companion.Failure) {
        gate = try Companion(
            program, arguments, interrupts: session.interrupts,
            patience: session.arguments.number(.timeout) ?? 10_000)
    } catch {
        switch error {
        case .interrupted(let signal): throw ClientFailure.interrupted(signal: signal)
        case .late:
            session.note("\(error)")
            return .timedOut
        case .notReady, .cannotStart:
            // What is in its way, such as a port that is taken, it has said itself.
            session.note("\(error)")
            return .finding
        }
    }
    session.print(gate.line)
    session.output.flush()
    if session.privateDaemon != nil {
        session.note("no daemon listened, so this one is its own; talk to it with --socket \(socket)")
    }
    session.note("Ctrl-C ends it")
    switch gate.wait(session.interrupts, or: session.privateDaemon?.endDescriptor ?? -1) {
    case .interrupted(let signal):
        gate.end()
        throw ClientFailure.interrupted(signal: signal)
    case .ended(let ending):
        session.note("\(program) is gone: \(ending)")
        return .finding
    case .other:
        // Its simulations went with it: another one would show nothing of what was there.
        session.note("the daemon of its own is gone: \(session.privateDaemon?.ending() ?? "it has ended")")
        gate.end()
        return .finding
    }
}
