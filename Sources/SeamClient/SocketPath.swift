/// Where a daemon listens, chosen by the rules that `seamd` itself follows.
///
/// The first rule that applies decides, whether or not something listens there: a client that looked further
/// would talk to another daemon than the one its user named. There is no default below /tmp, where anybody
/// could have put a socket first.
public struct SocketPath: Sendable, Equatable {
    /// The rule that gave a path.
    public enum Rule: String, Sendable, CaseIterable {
        case option = "--socket"
        case seamSocket = "$SEAM_SOCKET"
        case runtimeFolder = "$XDG_RUNTIME_DIR"
        case userFolder = "/run/user"

        /// Whether nobody named the path: then its folder must be this user's alone.
        public var isDefault: Bool { self == .runtimeFolder || self == .userFolder }
    }

    /// Why no path could be chosen, or the chosen one cannot be used.
    public enum Failure: Error, Equatable {
        /// No rule applies; one sentence for each says why.
        case none(tried: [String])
        case tooLong(SocketPath, bytes: Int)
    }

    /// `sun_path` has 108 bytes, the last of them NUL; libuv would cut a longer name silently.
    public static let bytesMax: Int = 107

    public let path: String
    public let rule: Rule

    public init(path: String, rule: Rule) {
        self.path = path
        self.rule = rule
    }

    /// Chooses the path; `option` is what `--socket` gave. An empty variable counts as unset.
    public static func choose(
        option: String?,
        environment: (String) -> String? = Environment.value,
        uid: UInt32 = Environment.uid,
        isFolder: (String) -> Bool = FileStatus.isFolder
    ) throws(Failure) -> SocketPath {
        var tried = ["--socket is not given"]
        if let option { return try checked(option, .option) }

        if let path = environment("SEAM_SOCKET"), !path.isEmpty { return try checked(path, .seamSocket) }
        tried.append("$SEAM_SOCKET is not set")

        if let folder = environment("XDG_RUNTIME_DIR"), !folder.isEmpty {
            // The XDG base directory rules say that a relative path is to be ignored.
            if folder.hasPrefix("/") { return try checked("\(folder)/seam/seam.sock", .runtimeFolder) }
            tried.append("$XDG_RUNTIME_DIR is not an absolute path (\(folder))")
        } else {
            tried.append("$XDG_RUNTIME_DIR is not set")
        }

        if isFolder("/run/user/\(uid)") {
            return try checked("/run/user/\(uid)/seam/seam.sock", .userFolder)
        }
        tried.append("/run/user/\(uid) does not exist")
        throw .none(tried: tried)
    }

    private static func checked(_ path: String, _ rule: Rule) throws(Failure) -> SocketPath {
        let chosen = SocketPath(path: path, rule: rule)
        if path.utf8.count > bytesMax { throw .tooLong(chosen, bytes: path.utf8.count) }
        return chosen
    }
}

extension SocketPath.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none(let tried):
            "no socket path: \(tried.joined(separator: ", "))"
        case .tooLong(let socket, let bytes):
            "the socket path from \(socket.rule.rawValue) has \(bytes) bytes, the system allows "
                + "\(SocketPath.bytesMax): \(socket.path)"
        }
    }
}
