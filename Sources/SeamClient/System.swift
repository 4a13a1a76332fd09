internal import CSystem
internal import Glibc

// The system calls of this module, in the shape in which the rest of it wants to read them.

/// The process's environment.
public enum Environment {
    public static func value(_ name: String) -> String? {
        // getenv() gives memory that setenv() may free; the text is copied at once, and no other thread calls that.
        getenv(name).map { String(cString: $0) }
    }

    /// The user that this process acts for.
    public static var uid: UInt32 { geteuid() }
}

/// What the file system says of a path.
public struct FileStatus: Sendable {
    public enum Kind: Sendable { case file, folder, socket, link, other }

    public let kind: Kind
    public let owner: UInt32
    /// The lower twelve bits of the mode.
    public let mode: UInt32

    /// nil when there is no such path or it cannot be looked at; then `errno` says why.
    public init?(of path: String, followingLink: Bool = false) {
        var status = stat()
        guard (followingLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            default: .other
            }
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }

    /// Whether the path is a folder, through symbolic links.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The text of an error number of the system, without a final period.
public func errorText(_ number: CInt) -> String {
    // strerror() shares one buffer between threads for numbers it does not know only; the text is copied at once.
    String(cString: strerror(number))
}

/// An error number of the system.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    public let number: CInt
    public init(_ number: CInt) { self.number = number }
    public var description: String { errorText(number) }
}

/// A moment on the monotonic clock until which to wait; nil waits without end.
public typealias Deadline = ContinuousClock.Instant?

extension ContinuousClock.Instant {
    public static func after(milliseconds: Int) -> ContinuousClock.Instant {
        ContinuousClock.now + .milliseconds(milliseconds)
    }
}

/// Waits until one of the descriptors is ready or the deadline has passed; ready ones have `revents` set.
///
/// A signal that only interrupts the call is not told: the wait goes on.
func waitForAny(_ descriptors: inout [pollfd], until deadline: Deadline) -> Bool {
    while true {
        let timeout: CInt
        if let deadline {
            let left = deadline - ContinuousClock.now
            // Rounded up: a poll that ends a fraction too soon would spin through its last millisecond.
            let milliseconds =
                left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            timeout = left <= .zero ? 0 : CInt(clamping: milliseconds + 1)
        } else {
            timeout = -1
        }
        let count = poll(&descriptors, nfds_t(descriptors.count), timeout)
        if count > 0 { return true }
        if count == 0, let deadline, ContinuousClock.now >= deadline { return false }
        precondition(count >= 0 || errno == EINTR, "poll: \(errorText(errno))")
    }
}

/// SIGINT, SIGTERM and SIGHUP as something that a wait can see, so that no code ever runs inside a handler.
///
/// The first signal is taken in order; from then on they have their default effect, so that a second Ctrl-C
/// ends a program that does not come to its end. Made once, before the first wait.
public final class Interrupts {
    public let descriptor: CInt
    private var watched: sigset_t

    public init() {
        watched = sigset_t()
        sigemptyset(&watched)
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            sigaction(signal, nil, &action)
            // Under nohup a hang-up is to be ignored; blocked and polled it would not be. A script's shell has its
            // background jobs ignore SIGINT too, but a script that sends one means it.
            if signal != SIGHUP || !isIgnored(action) { sigaddset(&watched, signal) }
        }
        sigprocmask(SIG_BLOCK, &watched, nil)
        descriptor = signalfd(-1, &watched, CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK))
        precondition(descriptor >= 0, "signalfd: \(errorText(errno))")
    }

    /// Waits for a moment, or for a signal, which it then gives.
    public func sleep(until deadline: Deadline) -> CInt? {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return waitForAny(&descriptors, until: deadline) ? take() : nil
    }

    /// Waits for a moment, a signal, or until `other` can be read; the signal, if one has come.
    public func wait(also other: CInt, until deadline: Deadline) -> CInt? {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        return waitForAny(&descriptors, until: deadline) && descriptors[0].revents != 0 ? take() : nil
    }

    /// The signal that has come, if one has.
    public func take() -> CInt? {
        var info = signalfd_siginfo()
        guard read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 else { return nil }
        sigprocmask(SIG_UNBLOCK, &watched, nil)
        return CInt(info.ssi_signo)
    }
}

private func isIgnored(_ action: sigaction) -> Bool {
    // SIG_IGN is the address 1; a Swift function value cannot be compared, its bits can.
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}
