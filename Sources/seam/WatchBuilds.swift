internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam watch --plugin-dir DIR --reload SCENARIO…`: save, build, and see the verdicts change.
func watchBuilds(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    for option in [Option.match, .mode, .after, .reconnect, .verdicts, .strict] where arguments.has(option) {
        throw UsageFailure(
            message: "--\(option.name) is for a simulation's stream, not for --reload",
            command: arguments.command)
    }
    let folders = try arguments.values(.pluginFolder).map { given in
        guard FileStatus.isFolder(given), let path = resolvedPath(given) else {
            throw UsageFailure(message: "--plugin-dir \(given) is no folder", command: arguments.command)
        }
        return path
    }
    guard !folders.isEmpty else {
        throw UsageFailure(
            message: "--reload needs --plugin-dir: the folder that the build writes into",
            command: arguments.command)
    }
    guard !arguments.words("SIM").isEmpty else {
        throw UsageFailure(
            message: "--reload needs scenarios, such as 'mine.*'", command: arguments.command)
    }
    var watcher = try BuildWatcher(session, folders: folders, scenarios: arguments.words("SIM"))
    defer { watcher.end() }
    return try watcher.run()
}

private struct BuildWatcher {
    /// How a file looks from outside; another look is another build.
    private struct Version: Equatable {
        let inode: UInt
        let size: Int
        let modified: timespec

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            modified = status.st_mtim
        }

        static func == (one: Version, other: Version) -> Bool {
            one.inode == other.inode && one.size == other.size
                && one.modified.tv_sec == other.modified.tv_sec
                && one.modified.tv_nsec == other.modified.tv_nsec
        }
    }

    let session: Session
    let folders: [String]
    let scenarios: [String]
    private let watch: FolderWatch
    /// Where the copies lie that the daemon loads: libMine-1.so, libMine-2.so.
    private let store: String
    private var versions: [String: Version] = [:]
    /// The newest copy of each file.
    private var copies: [String: String] = [:]
    private var builds = 0
    private var client: Client?
    /// What each field was after the build before, by scenario, label and name.
    private var verdicts: [String: String] = [:]

    /// A change that no event told is seen after so long.
    private static let lookMilliseconds = 1_000
    /// A file that has not changed for so long is whole.
    private static let restMilliseconds = 60
    private static let loadMilliseconds = 10_000

    init(_ session: Session, folders: [String], scenarios: [String]) throws {
        self.session = session
        self.folders = folders
        self.scenarios = scenarios
        watch = FolderWatch(folders)
        // Not the runtime folder: where that may not hold programs, it may not hold libraries either.
        let parent = Environment.value("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/seam-builds-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ReportFailure(path: "\(parent)/seam-builds-…", number: errno)
        }
        store = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func end() {
        session.end()
        for name in folderEntries(store) { unlink("\(store)/\(name)") }
        rmdir(store)
    }

    mutating func run() throws -> Exit {
        var isWaiting = false
        let deadline = session.deadline()
        while true {
            do {
                if let changed = try changedFiles() {
                    try load(changed)
                    try play()
                } else if builds == 0 && !isWaiting {
                    isWaiting = true
                    session.note(
                        "no library in \(folders.joined(separator: ", ")) yet; waiting for the first build")
                }
            } catch ClientFailure.lost {
                lost()
            } catch ClientFailure.interrupted {
                return .fine
            }
            session.output.flush()
            if session.output.isClosed { return .fine }
            if let deadline, deadline <= .now { return .timedOut }
            let look = ContinuousClock.Instant.after(milliseconds: Self.lookMilliseconds)
            if watch.wait(until: min(look, deadline ?? look), session.interrupts) != nil { return .fine }
        }
    }

    // MARK: Builds

    /// The libraries that are new or not what they were; nil when there are none.
    private mutating func changedFiles() throws -> [String]? {
        func look() -> [String: Version] {
            var found: [String: Version] = [:]
            for folder in folders {
                for name in folderEntries(folder) where name.hasSuffix(".so") && !name.hasPrefix(".") {
                    found["\(folder)/\(name)"] = Version("\(folder)/\(name)")
                }
            }
            return found
        }
        var found = look()
        guard found.contains(where: { versions[$0.key] != $0.value }) else { return nil }
        // A linker may still be at it.
        while true {
            if let signal = session.interrupts.sleep(until: .after(milliseconds: Self.restMilliseconds)) {
                throw ClientFailure.interrupted(signal: signal)
            }
            let again = look()
            if again == found { break }
            found = again
        }
        let changed = found.filter { versions[$0.key] != $0.value }.keys.sorted()
        versions = found
        return changed
    }

    /// Loads copies under new names, so that nothing has to be unloaded.
    private mutating func load(_ files: [String]) throws {
        builds += 1
        var loaded: [String] = []
        for file in files {
            let name = file.split(separator: "/").last ?? ""
            if let reason = FileStatus.reasonNotToTrust(file) {
                session.note("\(file) is not loaded: \(reason); a plug-in is code that runs as you")
                continue
            }
            let copy = "\(store)/\(name.dropLast(3))-\(builds).so"
            if let number = copyFile(file, to: copy) {
                session.note("\(file) can't be copied: \(errorText(number))")
                continue
            }
            let isFirst = copies.updateValue(copy, forKey: file) == nil
            loaded.append(copy)
            session.note(
                isFirst
                    ? "build \(builds): \(name)"
                    : "build \(builds): \(name), loaded beside the one before; new simulations are made of it"
            )
        }
        if client == nil {
            for name in folderEntries(store) where !copies.values.contains("\(store)/\(name)") {
                unlink("\(store)/\(name)")
            }
            client = try session.start(PrivateDaemon.Plugins(folders: [store]))
        } else {
            session.privateDaemon?.rescan()
            try wait(for: loaded)
        }
    }

    /// The library that a copy was made of: the one that its author knows.
    private func original(of copy: String) -> String {
        copies.first { $0.value == copy }?.key ?? copy
    }

    /// Nothing tells when the daemon has looked through its folders: what it lists does.
    private func wait(for copies: [String]) throws {
        guard let client else { return }
        let deadline = ContinuousClock.now + .milliseconds(Self.loadMilliseconds)
        var pause = 2
        var waiting = Set(copies)
        while true {
            let page = try session.call(client, "scenario.list", ["limit": 1])
            for failed in page["failed"]?.elements ?? [] {
                guard let file = failed["file"]?.text, waiting.remove(file) != nil else { continue }
                session.note("\(original(of: file)): \(failed["reason"]?.text ?? "it can't be loaded")")
            }
            if waiting.isEmpty { return }
            for scenario in try session.list(client, "scenario.list", "scenarios") {
                guard scenario["plugin"]?.text != nil else { continue }
                let description = try session.call(
                    client, "scenario.describe", ["scenario": scenario["id"] ?? .null])
                if let file = description["plugin"]?["file"]?.text { waiting.remove(file) }
            }
            if waiting.isEmpty { return }
            if ContinuousClock.now > deadline {
                let names = waiting.map(original(of:)).sorted()
                return session.note("the daemon has not loaded \(names.joined(separator: ", "))")
            }
            if let signal = session.interrupts.sleep(until: .after(milliseconds: pause)) {
                throw ClientFailure.interrupted(signal: signal)
            }
            pause = min(pause * 2, 100)
        }
    }

    /// The daemon is gone, and has said why on standard error.
    private mutating func lost() {
        session.note("the daemon ended with this build; the next one gets another daemon")
        session.end()
        client = nil
    }

    // MARK: Verdicts

    private mutating func play() throws {
        guard let client else { return }
        let ids: [String]
        do {
            ids = try expand(scenarios, client, session)
        } catch let nothing as NothingMatches {
            return session.note(nothing.message)
        }
        for id in ids {
            do {
                let result = try session.call(client, "sim.run", ["scenario": .string(id)])
                show(RunReport(scenario: id, result: result))
            } catch let refused as Refused {
                session.note(refused, about: id)
            }
            session.output.flush()
        }
    }

    private mutating func show(_ report: RunReport) {
        for check in report.checks {
            for field in check["fields"]?.elements ?? [] {
                let verdict = field["verdict"]?.text ?? "?"
                let name = "\(report.scenario) \(check["label"]?.text ?? "") \(fieldName(field))"
                let before = verdicts.updateValue(verdict, forKey: name)
                let was = before.flatMap { $0 == verdict ? nil : $0 }
                if session.printsJSON {
                    let line: JSON = ["build": .integer(builds), "scenario": .string(report.scenario)]
                    session.print(
                        line.adding("label", check["label"]).adding(field).adding(
                            "was", was.map { .string($0) }))
                } else {
                    session.print(
                        "\(printable(report.scenario)): \(session.verdictLine(field, of: check, paints: true))"
                            + (was.map { "  (was \(printable($0)))" } ?? ""))
                }
            }
        }
        report.note(session)
    }
}

/// Copies a file, for its owner alone; the error number that stopped it.
private func copyFile(_ source: String, to target: String) -> CInt? {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return errno }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
    guard output >= 0 else { return errno }
    defer { close(output) }
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while true {
        let count = read(input, &chunk, chunk.count)
        if count < 0 && errno != EINTR { return errno }
        if count == 0 { return nil }
        if count > 0, let number = writeAll(Array(chunk[..<count]), to: output) { return number }
    }
}
