internal import CSystem
internal import Glibc

/// Tells when a file in one of some folders may have changed.
///
/// The kernel's word for it (inotify) makes it quick and is not relied upon: it is lost with a folder that is made anew
/// and never comes from a network. So a wait has a deadline, after which one looks all the same.
public final class FolderWatch {
    private let descriptor: CInt
    private let folders: [String]

    public init(_ folders: [String]) {
        self.folders = folders
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits until something may have changed or the deadline has passed; gives the signal that ended the wait.
    public func wait(until deadline: Deadline, _ interrupts: Interrupts) -> CInt? {
        // Adding what is watched already changes nothing; a folder that was made anew is watched from now on.
        for folder in folders { inotify_add_watch(descriptor, folder, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)) }
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = waitForAny(&descriptors, until: deadline)
        var events = [UInt8](repeating: 0, count: 4096)
        // What happened is seen by looking; here it is only taken away.
        while read(descriptor, &events, events.count) > 0 {}
        return descriptors[1].revents != 0 ? interrupts.take() : nil
    }
}

extension FileStatus {
    /// Why a plug-in of this name must not be loaded: it, or a folder above it, could have been changed by others.
    /// seamd says the same of the files that it opens itself; a copy would hide it.
    public static func reasonNotToTrust(_ path: String) -> String? {
        var name = path[...]
        var isNearest = true
        while !name.isEmpty {
            guard let status = FileStatus(of: String(name), followingLink: true) else {
                return "\(name) can't be examined: \(errorText(errno))"
            }
            let isSticky = status.kind == .folder && status.mode & 0o1000 != 0 && !isNearest
            if status.owner != 0 && status.owner != Environment.uid {
                return "\(name) belongs to user \(status.owner)"
            }
            if status.mode & 0o022 != 0 && !isSticky {
                return "\(name) can be written by others (mode \(String(status.mode & 0o7777, radix: 8)))"
            }
            if name == "/" { break }
            isNearest = status.kind == .file
            let slash = name.lastIndex(of: "/") ?? name.startIndex
            name = slash == name.startIndex ? "/" : name[..<slash]
        }
        return nil
    }
}
