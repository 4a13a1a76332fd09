internal import SeamClient
internal import SeamWire

// What `seam doctor` finds out about the gate, which `seam dashboard` starts.

/// Looks at the seam-gate that there is, by having it serve a daemon for a moment.
struct GateExamination {
    typealias Tell = (_ isProblem: Bool?, _ subject: String, _ text: String, _ remedy: String?) -> Void

    static let usualPort = 7333
    private static let patience = 5000

    let session: Session
    /// Told with true for a problem, nil for something to know, false where all is well.
    let tell: Tell

    /// - Parameter daemonVersion: of the daemon that listens, or of the seamd that would be started.
    func examine(daemon socket: SocketPath, daemonVersion: String) throws {
        let program: String
        do {
            program = try HelperProcess.find("seam-gate")
        } catch {
            // Checks and scripts need none, so this is no fault of the set-up.
            return tell(
                nil, "gate", "\(error); `seam dashboard` needs it",
                "install seam-gate beside seam, or put it in PATH")
        }
        try examine(program, daemon: socket, daemonVersion: daemonVersion)
        examinePort()
    }

    private func examine(_ program: String, daemon socket: SocketPath, daemonVersion: String) throws {
        let gate: Companion
        do throws(Companion.Failure) {
            gate = try Companion(
                program, ["--socket", socket.path, "--port", "0", "--ready-fd", "3"],
                interrupts: session.interrupts, patience: session.arguments.number(.timeout) ?? Self.patience,
                capturesErrors: true)
        } catch {
            if case .interrupted(let signal) = error { throw ClientFailure.interrupted(signal: signal) }
            return tell(true, "gate", "\(error)", "install the seam-gate that came with this seam")
        }
        defer { gate.end() }
        let parts = gate.line.split(separator: "/#token=")
        let authority = parts.first?.split(separator: ":").last.flatMap { UInt16($0) }
        guard parts.count == 2, let port = authority else {
            return tell(
                true, "gate", "\(program) is no gate of Seam's; it said: \(gate.line)",
                "install the seam-gate that came with this seam")
        }
        let http = LocalHTTP(port: port)
        let info = http.get(
            "/info", headers: ["Authorization: Bearer \(parts[1])"], milliseconds: Self.patience)
        guard let info, info.status == 200,
            let version = (try? JSON(parsing: String(decoding: info.body, as: UTF8.self)))?["version"]?.text
        else {
            return tell(
                true, "gate", "\(program) listens and does not answer as it should",
                "install the seam-gate that came with this seam")
        }
        if version != daemonVersion || version != seamVersion {
            tell(
                true, "version",
                "\(program) has version \(version), the daemon \(daemonVersion), this seam \(seamVersion)",
                "install seam, seamd and seam-gate of one version, or put theirs first in PATH")
            return
        }
        let page = Page(http)
        if let missing = page.missing {
            tell(
                true, "gate", "\(program) does not serve \(missing), a part of its page",
                "build or install it anew")
        } else {
            tell(false, "gate", "\(program) serves the page, \(page.files) files: version \(version)", nil)
        }
    }

    /// The port that `seam dashboard` would take.
    private func examinePort() {
        let port = session.arguments.number(.port) ?? Self.usualPort
        guard port > 0 else { return }
        let other = "seam dashboard --port 0 takes any that is free"
        let http = LocalHTTP(port: UInt16(port))
        switch http.look() {
        case .free: tell(false, "port", "\(port) is free for `seam dashboard`", nil)
        case .refused(let error):
            tell(true, "port", "\(port) cannot be listened at: \(errorText(error))", other)
        case .taken:
            let metrics = http.get("/metrics", milliseconds: 1000)
            let isGate =
                metrics.map { String(decoding: $0.body, as: UTF8.self).contains("seam_build_info") } ?? false
            if isGate {
                tell(nil, "port", "a gate serves at \(port) already; for a second one, \(other)", nil)
            } else {
                tell(
                    true, "port", "\(port) is taken by something else, and `seam dashboard` would want it",
                    other)
            }
        }
    }

    /// The page of a gate with everything that it loads.
    private struct Page {
        private(set) var files = 0
        /// The first part that is not there.
        private(set) var missing: String?

        init(_ http: LocalHTTP) {
            var waiting = ["/"]
            var seen: Set<String> = ["/"]
            while let path = waiting.popLast() {
                guard let answer = http.get(path, milliseconds: GateExamination.patience),
                    answer.status == 200,
                    !answer.body.isEmpty
                else {
                    missing = path
                    return
                }
                files += 1
                let text = String(decoding: answer.body, as: UTF8.self)
                var parts = text.matches(of: /from "\.(\/[^"]+\.js)"/).map { String($0.1) }
                if path == "/" {
                    parts += text.matches(of: /(?:src|href)="(\/[a-z]+\.(?:js|css|svg))"/).map {
                        String($0.1)
                    }
                }
                waiting += parts.filter { seen.insert($0).inserted }
            }
        }
    }
}
