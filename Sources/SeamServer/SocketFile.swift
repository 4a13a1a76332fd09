// Where the socket lies, and whose it is.
//
// Three things are refused that other daemons do without asking: a folder that somebody else could swap the
// socket in, a file at the path that is not our own socket, and a socket that still answers. The mode is
// right from birth (umask before bind); a chmod afterwards would leave a moment for others.

import CLibuv
import Glibc

/// The socket's file, its folder and its lock; all three are given up by `remove`.
struct SocketFile {
    let path: String
    /// A bound socket, not yet listening.
    let descriptor: Int32

    private let lock: Int32
    private let identity: FileIdentity

    /// What is in the way, in words for the person who started the daemon.
    struct Refusal: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    /// The longest path that fits into a Unix socket's address; libuv would cut a longer one silently.
    static let longestPath = 107

    /// Binds the socket at `given`, or where the environment says, or at the user's runtime folder.
    ///
    /// Fails with the reason when there is no safe place, when another daemon serves there, or when something
    /// lies there that is not ours to remove.
    /// Members of `group` may connect as well, if they can enter the folder.
    static func claim(_ given: String?, group: UInt32?) throws(Refusal) -> SocketFile {
        let place = try place(given)
        let path = place.path
        guard path.utf8.count <= longestPath else {
            throw Refusal(
                "the socket path has \(path.utf8.count) bytes and a Unix socket's address holds \(longestPath): "
                    + "give a shorter one with --socket; the path was \(path)")
        }
        try prepareFolder(folder(of: path), isDefault: place.isDefault)
        let lock = try lock(path)
        do throws(Refusal) {
            try clearStaleSocket(path)
            let descriptor = seam_bind(path)
            guard descriptor >= 0 else {
                throw Refusal("cannot bind the socket \(path): \(describe(descriptor))")
            }
            guard let identity = FileIdentity(path) else {
                throw Refusal("the socket \(path) vanished while it was being made: \(lastError())")
            }
            // Opened to the group after it is the group's: at no moment to anybody else.
            if let group, chown(path, .max, group) != 0 || chmod(path, 0o660) != 0 {
                throw Refusal("cannot give the socket \(path) to the group \(group): \(lastError())")
            }
            return SocketFile(path: path, descriptor: descriptor, lock: lock, identity: identity)
        } catch {
            unlink(path + ".lock")
            close(lock)
            throw error
        }
    }

    /// Unlinks the socket if it is still the one that was bound, then gives up the lock.
    func remove() {
        if FileIdentity(path) == identity { unlink(path) }
        unlink(path + ".lock")
        close(lock)
    }

    // MARK: The place

    private static func place(_ given: String?) throws(Refusal) -> (path: String, isDefault: Bool) {
        if let given {
            guard !given.isEmpty else { throw Refusal("--socket needs a path") }
            return (given, false)
        }
        if let named = environment("SEAM_SOCKET") { return (named, false) }
        if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
            return ("\(runtime)/seam/seam.sock", true)
        }
        let runtime = "/run/user/\(geteuid())"
        if FileIdentity(runtime) != nil { return ("\(runtime)/seam/seam.sock", true) }
        // No fallback in /tmp: anybody could have made the folder first.
        throw Refusal(
            "no place for the socket: $SEAM_SOCKET and $XDG_RUNTIME_DIR are not set and \(runtime) does not exist; "
                + "for example: export SEAM_SOCKET=$HOME/.seam/seam.sock, which seam reads too, or --socket PATH"
        )
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A default folder is ours alone; one that was named may be shared as long as nobody can swap files in
    /// it.
    private static func prepareFolder(_ folder: String, isDefault: Bool) throws(Refusal) {
        var info = stat()
        if mkdir(folder, 0o700) != 0 && errno != EEXIST {
            let reason = lastError()
            let parent = self.folder(of: folder)
            // Some file systems refuse a new folder with the same number, though theirs is there.
            if errno == ENOENT, stat(parent, &info) == 0 {
                throw Refusal(
                    "cannot make the socket's folder \(folder), since no folder can be made in \(parent); name another "
                        + "place with --socket")
            }
            if errno == ENOENT, !isDefault {
                throw Refusal(
                    "cannot make the socket's folder \(folder), since \(parent) does not exist: make "
                        + "that first (mkdir -p), or name another place with --socket")
            }
            throw Refusal("cannot make the socket's folder \(folder): \(reason)")
        }
        guard (isDefault ? lstat(folder, &info) : stat(folder, &info)) == 0 else {
            throw Refusal("cannot look at the socket's folder \(folder): \(lastError())")
        }
        if info.st_mode & S_IFMT == S_IFLNK {
            throw Refusal(
                "the socket's folder \(folder) is a symbolic link; remove it, or name another with --socket")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            throw Refusal("the socket's folder \(folder) is not a folder")
        }
        let mode = info.st_mode & 0o7777
        if isDefault {
            guard info.st_uid == geteuid() else {
                throw Refusal(
                    "the socket's folder \(folder) belongs to uid \(info.st_uid), not to uid \(geteuid())")
            }
            guard mode & 0o077 == 0 else {
                throw Refusal(
                    "the socket's folder \(folder) has mode \(octal(mode)) and must not be open to others: "
                        + "chmod 700 \(folder)")
            }
        } else {
            guard info.st_uid == geteuid() || info.st_uid == 0 else {
                throw Refusal(
                    "the socket's folder \(folder) belongs to uid \(info.st_uid), who could replace the socket; "
                        + "use a folder of your own")
            }
            guard mode & 0o002 == 0 || mode & 0o1000 != 0 else {
                throw Refusal(
                    "everybody can write to the socket's folder \(folder) (mode \(octal(mode)), no sticky bit) and "
                        + "replace the socket; use a folder of your own")
            }
        }
    }

    // MARK: The lock and what lies at the path

    /// One daemon per path: the lock is held for life, by a descriptor, so that a crash gives it up.
    private static func lock(_ path: String) throws(Refusal) -> Int32 {
        let lockPath = path + ".lock"
        while true {
            let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw Refusal("cannot open the lock \(lockPath): \(lastError())") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let holder = holder(of: descriptor) ?? listener(at: path)
                close(descriptor)
                throw Refusal(
                    "another seamd\(holder.map { " (pid \($0))" } ?? "") serves \(path); "
                        + "stop it, or give this one a path of its own with --socket")
            }
            // The last holder unlinks the lock as it goes: then this descriptor locks a file that nobody else
            // sees.
            guard let named = FileIdentity(lockPath), FileIdentity(descriptor: descriptor) == named else {
                close(descriptor)
                continue
            }
            ftruncate(descriptor, 0)
            let pid = "\(getpid())\n"
            _ = pid.utf8.withContiguousStorageIfAvailable { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            return descriptor
        }
    }

    private static func holder(of lock: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<count].prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self))
    }

    /// The pid of whoever answers at the path.
    private static func listener(at path: String) -> Int32? {
        let probe = seam_connect(path)
        guard probe >= 0 else { return nil }
        defer { close(probe) }
        var (uid, gid, pid): (UInt32, UInt32, Int32) = (0, 0, 0)
        return seam_peer(probe, &uid, &gid, &pid) == 0 ? pid : nil
    }

    /// Removes a socket of ours that nobody serves any more, and nothing else.
    private static func clearStaleSocket(_ path: String) throws(Refusal) {
        var info = stat()
        guard lstat(path, &info) == 0 else {
            guard errno == ENOENT else { throw Refusal("cannot look at \(path): \(lastError())") }
            return
        }
        switch info.st_mode & S_IFMT {
        case S_IFSOCK: break
        case S_IFLNK:
            throw Refusal(
                "\(path) is a symbolic link, not a socket; remove it, or name another path with --socket")
        default:
            throw Refusal(
                "\(path) is not a socket and is left alone; remove it, or name another path with --socket")
        }
        guard info.st_uid == geteuid() else {
            throw Refusal(
                "the socket \(path) belongs to uid \(info.st_uid), not to uid \(geteuid()), and is left alone"
            )
        }
        let probe = seam_connect(path)
        if probe >= 0 {
            var (uid, gid, pid): (UInt32, UInt32, Int32) = (0, 0, 0)
            let known = seam_peer(probe, &uid, &gid, &pid) == 0
            close(probe)
            throw Refusal(
                "another program\(known ? " (pid \(pid))" : "") serves \(path); stop it, or name another path with --socket"
            )
        }
        guard probe == -ECONNREFUSED else {
            throw Refusal("cannot tell whether somebody serves \(path): \(describe(probe))")
        }
        guard unlink(path) == 0 else {
            throw Refusal("cannot remove the stale socket \(path): \(lastError())")
        }
        Log.info("removed the stale socket \(path)")
    }

    private static func octal(_ mode: mode_t) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Which file a name means, whatever the name is; a symbolic link is itself.
struct FileIdentity: Equatable {
    private let device: UInt
    private let inode: UInt

    init?(_ path: String) {
        var info = stat()
        guard lstat(path, &info) == 0 else { return nil }
        (device, inode) = (info.st_dev, info.st_ino)
    }

    init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        (device, inode) = (info.st_dev, info.st_ino)
    }
}

/// A variable of the environment; an empty one counts as not set.
func environment(_ name: String) -> String? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return String(cString: value)
}

/// The text of errno.
nonisolated func lastError() -> String {
    String(cString: strerror(errno))
}
