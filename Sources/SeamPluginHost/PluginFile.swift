internal import CSeamHost
internal import Glibc

/// A plug-in that can't be used, and why.
public struct LoadFailure: Error, Sendable, CustomStringConvertible {
    /// What was wrong, for whoever sorts failures: the first thing that was, since what comes behind it was not
    /// looked at.
    public enum Part: Sendable {
        /// The file or its folder: not there, or not to be trusted.
        case file
        /// It could not be opened as a library.
        case library
        /// It has no entry.
        case entry
        /// The entry declined.
        case answer
        /// Magic, major, sizes, counts, flags, reserved members.
        case layout
        /// Texts and names: missing, too long, not UTF-8, not unique.
        case text
        /// Initial values.
        case value
        /// Indexes, keys and labels that lead nowhere; callbacks that are missing.
        case reference
        /// Ids that somebody else had first.
        case taken
    }

    /// Absolute, or as it was given when it could not be found.
    public let file: String
    /// What is wrong, what was expected, what to do.
    public let reason: String
    public let part: Part

    init(file: String, reason: String, part: Part = .file) {
        self.file = file
        self.reason = reason
        self.part = part
    }

    public var description: String { "\(file): \(reason)" }
}

/// Which file may be opened as a plug-in: only one that nobody else can have changed, since opening it runs
/// it.
struct PluginFile: Hashable {
    /// Absolute, symbolic links resolved.
    var path: String
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modified: Int64

    static func == (one: PluginFile, other: PluginFile) -> Bool {
        one.device == other.device && one.inode == other.inode
    }

    func hash(into hasher: inout Hasher) { hasher.combine(inode) }

    init(_ given: String) throws(LoadFailure) {
        func refuse(_ reason: String) -> LoadFailure { LoadFailure(file: given, reason: reason) }
        guard let resolved = realpath(given, nil) else {
            throw refuse(
                "it can't be found (\(String(cString: strerror(errno)))): name an existing shared library")
        }
        defer { free(resolved) }
        path = String(cString: resolved)

        var status = stat()
        guard stat(path, &status) == 0 else {
            throw refuse("it can't be examined: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & Mode.kind == Mode.regular else {
            throw refuse("it is no file: name a shared library, or give a folder of them with --plugin-dir")
        }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)

        if let reason = Self.reasonNotToTrust(status, isFolder: false) { throw refuse("the file \(reason)") }
        try Self.checkFolders(above: path, file: given)
    }

    /// Every folder down to the file. One further up that is sticky, like /tmp, does not count: what lies in
    /// it can't be renamed by others. The folder of the file itself does, since files can still be added to
    /// it.
    private static func checkFolders(above path: String, file: String) throws(LoadFailure) {
        var folder = Substring(path)
        var isNearest = true
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let name = folder.isEmpty ? "/" : String(folder)
            if let reason = reasonNotToTrustFolder(name, isNearest: isNearest) {
                throw LoadFailure(file: file, reason: reason)
            }
            isNearest = false
        }
    }

    /// What is wrong with a folder that plug-ins are looked for in; nil when it and all above it are safe.
    static func reasonNotToTrustFolder(_ folder: String, isNearest: Bool) -> String? {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            return "the folder \(folder) can't be examined: \(String(cString: strerror(errno)))"
        }
        if !isNearest && status.st_mode & Mode.sticky != 0 { return nil }
        return reasonNotToTrust(status, isFolder: true).map { "the folder \(folder) \($0)" }
    }

    private static func reasonNotToTrust(_ status: stat, isFolder: Bool) -> String? {
        if status.st_uid != 0 && status.st_uid != geteuid() {
            return
                "belongs to user \(status.st_uid): a plug-in is code that runs as you, so it has to be yours or "
                + "root's; copy it to a place of your own"
        }
        if status.st_mode & Mode.writableByOthers != 0 {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            return "can be written by others (mode \(mode)): take that away with chmod go-w"
                + (isFolder ? ", or keep plug-ins elsewhere" : "")
        }
        return nil
    }

    /// The C macros are expressions that Swift does not import.
    private enum Mode {
        static let kind: mode_t = 0o170000
        static let regular: mode_t = 0o100000
        static let sticky: mode_t = 0o1000
        static let writableByOthers: mode_t = 0o022
    }

    /// Whether the name of the entry occurs in the file at all. Found without opening it as a library, which
    /// would run the constructors of something that is no plug-in.
    static func mentionsEntry(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0 else { return false }
        let size = Int(status.st_size)
        guard let bytes = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), bytes != MAP_FAILED else {
            return false
        }
        defer { munmap(bytes, size) }
        // As the symbol table has it, between two NULs.
        let name = Array("\0\(Library.entryName)\0".utf8)
        return seam_find_bytes(bytes, size, name, name.count)
    }

    /// The names in a folder that end like a shared library, sorted.
    static func libraries(in folder: String) throws(LoadFailure) -> [String] {
        guard let listing = opendir(folder) else {
            throw LoadFailure(
                file: folder, reason: "the folder can't be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".so") && !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
