internal import Glibc
internal import SeamClient

/// A request to a server on this machine, for `seam doctor`, which asks a few things of a gate.
struct LocalHTTP {
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]
    }

    /// Whether a port of this machine can be listened at.
    enum Port: Equatable { case free, taken, refused(CInt) }

    private static let longest = 16 << 20

    let port: UInt16

    init(port: UInt16) { self.port = port }

    private var address: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func call(
        _ descriptor: CInt, _ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = address
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            // Safe: sockaddr_in begins with the members of sockaddr, and both functions read what `size` says.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, size) }
        }
    }

    /// Takes the port for a moment.
    func look() -> Port {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .refused(errno) }
        defer { close(descriptor) }
        // As a server does: connections that are only on their way out do not count.
        var on: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        if call(descriptor, bind) == 0 && listen(descriptor, 1) == 0 { return .free }
        return errno == EADDRINUSE ? .taken : .refused(errno)
    }

    /// nil when no answer came in time, or what came is no HTTP.
    func get(_ path: String, headers: [String] = [], milliseconds: Int) -> Answer? {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard call(descriptor, connect) == 0 else { return nil }
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"] + headers
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        guard send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
            return nil
        }

        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let deadline: Deadline = .after(milliseconds: milliseconds)
        while bytes.count < Self.longest, let deadline, deadline > .now {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            bytes += chunk[..<count]
        }
        let end = Array("\r\n\r\n".utf8)
        guard let head = bytes.firstRange(of: end) else { return nil }
        let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        return Answer(status: status, head: text, body: Array(bytes[head.upperBound...]))
    }
}
