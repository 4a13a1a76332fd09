// Files of recordings. Everything in here that touches a disk runs on one serial queue, never on the main thread: a disk
// may take its time, or hang, and the simulations go on.

import Dispatch
import Glibc
import SeamKernel
import SeamWire
import Synchronization

/// What is wrong with a file, in words that stand behind its path.
nonisolated struct FileProblem: Error {
    enum Kind {
        /// The client named a path where no file can be made or read; what one is like.
        case path(expected: String)
        /// The system could not go on.
        case system
        /// There is no file any more.
        case deleted
    }
    var kind: Kind
    var text: String

    static func path(_ text: String, expected: String = "a new file in a folder of your own") -> FileProblem {
        FileProblem(kind: .path(expected: expected), text: text)
    }

    static func system(_ text: String) -> FileProblem { FileProblem(kind: .system, text: text) }

    /// `param` is what the path came in.
    func wireError(of path: String, in param: String) -> WireError {
        switch kind {
        case .path(let expected): .badPath(path, text, in: param, expected: expected)
        case .system, .deleted: .fileFailed(path, text)
        }
    }
}

/// The one queue for files.
nonisolated let fileQueue = DispatchQueue(label: "seam.files")

/// A file that a recording is written to.
///
/// Sendable: `backlog` is atomic, what is not changed may be read by anybody, and the rest is touched on `fileQueue`
/// alone, until the last was written: whoever is told so may read it.
nonisolated final class RecordingFile: @unchecked Sendable {
    let path: String
    /// Bytes that were handed over and are not written yet.
    let backlog = Atomic<Int>(0)
    private let descriptor: Int32
    /// Bytes and lines that are in the file, all of them whole.
    private(set) var end: Int = 0
    private(set) var lines: UInt64 = 0
    private(set) var problem: FileProblem?
    /// Called once, when nothing more can be written.
    private let failed: @Sendable (FileProblem, RecordingFile) -> Void

    private init(
        path: String, descriptor: Int32, failed: @escaping @Sendable (FileProblem, RecordingFile) -> Void
    ) {
        self.path = path
        self.descriptor = descriptor
        self.failed = failed
    }

    deinit { close(descriptor) }

    /// Makes the file. Its folder is opened first and asked who may write there: others could put a file of theirs in
    /// the place of this one. On the queue.
    static func make(
        _ path: String, failed: @escaping @Sendable (FileProblem, RecordingFile) -> Void
    ) throws(FileProblem) -> RecordingFile {
        guard let slash = path.lastIndex(of: "/") else { throw .path("the path is not absolute") }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        let name = String(path[path.index(after: slash)...])
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { throw .path("the folder \(folder) cannot be opened: \(lastError())") }
        defer { close(place) }
        var info = stat()
        guard fstat(place, &info) == 0 else { throw .path("the folder cannot be looked at: \(lastError())") }
        guard info.st_uid == geteuid() else {
            throw .path(
                "the folder \(folder) belongs to uid \(info.st_uid), and the daemon, uid \(geteuid()), records into "
                    + "its user's own folders alone")
        }
        guard info.st_mode & 0o022 == 0 else {
            throw .path(
                "others may write into the folder \(folder) (mode \(String(info.st_mode & 0o7777, radix: 8))); "
                    + "take that right away or choose another")
        }
        let descriptor = openat(place, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            switch errno {
            case EEXIST:
                throw .path("it exists already, and is not written over; remove it or choose another name")
            case ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE: throw .system("cannot be made: \(lastError())")
            default: throw .path("cannot be made: \(lastError())")
            }
        }
        // Told as the system has it, without `..` and links, as it is told at the end.
        return RecordingFile(
            path: Self.place(of: descriptor) ?? path, descriptor: descriptor, failed: failed)
    }

    /// Appends whole lines. What does not fit is cut off again: a file ends with a full line. On the queue.
    func write(_ bytes: UnsafeRawBufferPointer, lines count: UInt64) {
        guard problem == nil else { return }
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let result = pwrite(descriptor, rest.baseAddress, rest.count, off_t(end + written))
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else {
                let reason = result < 0 ? lastError() : "the disk takes nothing"
                keepWholeLines(of: bytes, written)
                return fail(.system("cannot be written: \(reason)"))
            }
            written += result
        }
        end += bytes.count
        lines += count
        failIfDeleted()
    }

    /// A file without a name takes what is written and is gone when it is closed.
    private func failIfDeleted() {
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_nlink == 0 else { return }
        fail(FileProblem(kind: .deleted, text: "was deleted while it was being written"))
    }

    /// Where the file is now: whoever owns the folder may have moved it. On the queue.
    func place() -> String { Self.place(of: descriptor) ?? path }

    private static func place(of descriptor: Int32) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
    }

    func write(_ header: RecordingHeader) {
        var line = ByteBuffer()
        header.write(to: &line)
        write(line.bytes, lines: 1)
    }

    private func keepWholeLines(of bytes: UnsafeRawBufferPointer, _ written: Int) {
        for index in 0..<written where bytes[index] == 0x0A { lines += 1 }
        let whole = bytes[..<written].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        end += whole
        // Whoever reads it drops half a line too, should this fail as well.
        ftruncate(descriptor, off_t(end))
    }

    private func fail(_ problem: FileProblem) {
        self.problem = problem
        failed(problem, self)
    }

    /// The last: what was written is on the disk when this returns. On the queue.
    func sync() {
        guard problem == nil else { return }
        // A pipe or a device could not, and none of them was made here.
        if fdatasync(descriptor) != 0 {
            return fail(.system("cannot be brought to the disk: \(lastError())"))
        }
        failIfDeleted()
    }

    /// Takes the file away again, when what it was made for did not come about. On the queue.
    func remove() { unlink(path) }

    /// What was handed over until now, to be read while more comes.
    func readable() -> ReadableFile {
        ReadableFile(path: path, descriptor: descriptor, end: nil, owner: self)
    }
}

/// A recording to be read.
///
/// Sendable: `place` and `end` are touched on `fileQueue` alone, the rest is not changed.
nonisolated final class ReadableFile: @unchecked Sendable {
    let path: String
    private let descriptor: Int32
    /// Where it ends; of a file that is being written that is known on the queue alone, behind what was handed over.
    private var end: Int?
    private var place = 0
    /// Who closes the descriptor; nobody: this does.
    private let owner: RecordingFile?

    private static let pieceBytes = 256 << 10

    fileprivate init(path: String, descriptor: Int32, end: Int?, owner: RecordingFile?) {
        self.path = path
        self.descriptor = descriptor
        self.end = end
        self.owner = owner
    }

    deinit { if owner == nil { close(descriptor) } }

    /// On the queue.
    static func open(_ path: String) throws(FileProblem) -> ReadableFile {
        let expected = "a recording of the daemon's user"
        // Without O_NONBLOCK a FIFO would be waited for.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .path("cannot be opened: \(lastError())", expected: expected) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .path("is not a file", expected: expected)
        }
        // Whoever may only connect shall not read by way of the daemon what its user may not show them.
        guard info.st_uid == geteuid() else {
            close(descriptor)
            throw .path(
                "belongs to uid \(info.st_uid), and the daemon, uid \(geteuid()), replays its user's recordings alone",
                expected: expected)
        }
        return ReadableFile(path: path, descriptor: descriptor, end: Int(info.st_size), owner: nil)
    }

    /// As much as holds the first line, or what there is. On the queue.
    func readFirstLine() throws(FileProblem) -> [UInt8] {
        var first = try read()
        while !first.contains(0x0A) && first.count <= RecordingReader.lineBytes {
            let more = try read()
            if more.isEmpty { break }
            first += more
        }
        return first
    }

    /// The next piece; empty at the end. On the queue.
    func read() throws(FileProblem) -> [UInt8] {
        let end = end ?? owner?.end ?? 0
        self.end = end
        var piece = [UInt8](repeating: 0, count: min(Self.pieceBytes, end - place))
        while !piece.isEmpty {
            let result = pread(descriptor, &piece, piece.count, off_t(place))
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system("cannot be read: \(lastError())") }
            place += result
            piece.removeLast(piece.count - result)
            break
        }
        return piece
    }
}
