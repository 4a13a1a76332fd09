internal import CSeamBench
internal import Glibc

/// Where this run's sockets lie, and which processors it uses.
struct Place {
    /// 0700, and gone afterwards.
    var folder: String
    /// -1: with one processor there is nothing to choose.
    var serverProcessor: Int32 = -1
    var clientProcessor: Int32 = -1

    static func make() throws(Failure) -> Place {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/seam-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("no folder in \(parent)", Int(-errno)) }
        var place = Place(
            folder: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        try checked(bench_clean_up_on_signal(place.folder), "the folder \(place.folder)")
        var (first, last): (Int32, Int32) = (0, 0)
        if try checked(bench_processors(&first, &last), "which processors there are") > 1 {
            place.serverProcessor = first
            place.clientProcessor = last
            try checked(bench_pin(last), "running on processor \(last)")
        }
        return place
    }

    func remove() {
        unlink("\(folder)/log")
        rmdir(folder)
    }
}

/// A server's process: started, listening, measured, ended.
final class Server {
    let pid: pid_t
    /// From before the fork until a connection was accepted, in nanoseconds.
    let startNanoseconds: Int64
    private let name: String
    private let sockets: [String]

    /// Starts it and waits until it listens at each of `sockets`.
    init(_ name: String, _ arguments: [String], sockets: [String], in place: Place) throws(Failure) {
        self.name = name
        self.sockets = sockets
        let log = "\(place.folder)/log"
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try checked(output < 0 ? -errno : 0, "cannot write \(log)")
        defer { close(output) }
        var vector = arguments.map { strdup($0) }
        vector.append(nil)
        defer { for argument in vector { free(argument) } }
        let begin = bench_now()
        pid = try checked(
            bench_spawn(arguments[0], vector, place.serverProcessor, output), "cannot start \(name)")
        for socket in sockets {
            while true {
                let status = bench_connect(socket)
                if status >= 0 {
                    close(status)
                    break
                }
                let ended = bench_wait(pid, 0)
                // 127: it could not be executed at all.
                if ended == 127 << 8 { throw Failure("\(arguments[0]) cannot be run") }
                if ended != -ETIMEDOUT { throw Failure("\(name) ended at once\(Server.said(log))") }
                if bench_now() - begin > 10_000_000_000 {
                    kill(pid, SIGKILL)
                    _ = bench_wait(pid, 1000)
                    throw Failure("\(name) does not listen at \(socket)\(Server.said(log))")
                }
                usleep(50)
            }
        }
        startNanoseconds = bench_now() - begin
    }

    func stop() {
        kill(pid, SIGTERM)
        if bench_wait(pid, 5000) == -ETIMEDOUT {
            kill(pid, SIGKILL)
            _ = bench_wait(pid, 5000)
        }
        for socket in sockets {
            unlink(socket)
            unlink("\(socket).lock")
        }
    }

    /// Processor time so far, of all its threads, in nanoseconds.
    var time: Int64 { bench_process_time(pid) }

    /// Resident bytes now, and the most since `forgetPeak`.
    func memory() throws(Failure) -> (now: Int64, peak: Int64) {
        var (now, peak): (Int64, Int64) = (0, 0)
        try checked(bench_memory(pid, &now, &peak), "the memory of \(name)")
        return (now, peak)
    }

    func forgetPeak() throws(Failure) {
        try checked(bench_reset_peak(pid), "the memory of \(name)")
    }

    /// The last words of a server that did not start.
    private static func said(_ log: String) -> String {
        let file = open(log, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 2000)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? ": \(String(decoding: bytes[..<count], as: UTF8.self))" : ""
    }
}

/// A server that can be given the work that all of them can do.
protocol Rival: AnyObject {
    var name: String { get }
    var server: Server { get }
    /// One publisher and one subscriber at 100 fields. Without replies where `replies` is false.
    func oneToOne(replies: Bool) throws(Failure) -> Load
    /// One publisher and many subscribers, each of which gets a line of `lineBytes` per event (0: what comes).
    func fanOut(to count: Int, lineBytes: Int) throws(Failure) -> Load
    /// Throws when not every line of the load that has just been run was an ordinary one.
    func check(_ outcome: Load.Outcome) throws(Failure)
}

/// The fields of the common work, and what they are set to: field after field, a value that no field has had in the
/// round before.
enum Work {
    static let fieldCount = 100
    static let requestCount = 10_000

    static func field(_ index: Int) -> String { "f\(index % fieldCount)" }

    /// Ten digits.
    static func value(_ index: Int) -> String { "\(1_000_000_000 + index)" }
}
