internal import Glibc
internal import SeamWire

/// A connected Unix socket that speaks lines of JSON: never blocks by itself, buffers both ways.
///
/// Everything waits in ``pump(_:until:)``, which writes and reads together. A client that wrote until all was
/// out before it read would deadlock against a daemon that stops reading while its replies lie unread.
final class LineSocket {
    /// How a wait ended.
    enum Outcome { case moved(otherIsReady: Bool), timedOut, interrupted, readerGone, closed }

    /// What a wait looks at besides the socket; -1 stands for nothing, as in poll().
    struct Companions {
        /// A descriptor that ends the wait when it can be read.
        var other: CInt = -1
        /// Signals, as a descriptor. One that has come stays to be taken.
        var interrupts: CInt = -1
        /// Where the results go: no use in waiting on when nobody reads them any more.
        var output: CInt = -1
    }

    private let descriptor: CInt
    private let block = ReadBlock()
    private var incoming: InputBuffer
    private var outgoing = ByteBuffer()
    private let reader: JSONReader
    private var isClosed = false

    /// Why there is no connection.
    enum ConnectFailure: Error { case system(SystemError), timedOut, interrupted }

    /// Connects. A daemon that does not take its connections lets this wait, but not beyond the deadline, nor when
    /// `interrupts` has a signal, which stays to be taken.
    init(path: String, interrupts: CInt = -1, until deadline: Deadline = nil) throws(ConnectFailure) {
        var limits = Limits()
        // What a daemon may be asked to send is longer than what it reads.
        limits.lineBytes = limits.replyBytesCeiling
        incoming = InputBuffer(limits: limits)
        reader = JSONReader(limits: limits)
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(SystemError(errno)) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        precondition(bytes.count <= SocketPath.bytesMax, "a socket path was not checked for its length")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        // While the backlog is full connect() waits, and no descriptor tells when it would not: a non-blocking one
        // fails with EAGAIN at once. So it waits in slices, as long as anybody may want it to.
        var slice = timeval(tv_sec: 0, tv_usec: 50_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &slice, socklen_t(MemoryLayout<timeval>.size))
        while true {
            let connected = withUnsafePointer(to: &address) {
                // Safe: sockaddr_un begins with the members of sockaddr, and connect() reads what `size` says.
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            if connected == 0 { break }
            // deinit closes the descriptor: by now every stored property has its value.
            guard errno == EAGAIN || errno == EINTR else { throw .system(SystemError(errno)) }
            var signals = [pollfd(fd: interrupts, events: Int16(POLLIN), revents: 0)]
            if waitForAny(&signals, until: .now) { throw .interrupted }
            if let deadline, deadline <= .now { throw .timedOut }
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
    }

    var unsentBytes: Int { outgoing.count }

    func queue(_ id: RequestID, _ method: String, _ params: JSON) {
        outgoing.request(id, method, params)
    }

    /// The next message that has been read; nil when another wait is needed.
    func nextMessage() throws -> JSON? {
        switch incoming.nextLine() {
        case .line(let line):
            do {
                return try reader.read(line)
            } catch {
                throw ClientFailure.notTheProtocol(excerpt: String(decoding: line.prefix(80), as: UTF8.self))
            }
        case .tooLong, .flooded: throw ClientFailure.notTheProtocol(excerpt: "a line longer than any reply")
        case nil: return nil
        }
    }

    /// Waits until bytes came in or went out, or a companion has something to tell. To be called when
    /// ``nextMessage()`` has nothing left.
    func pump(_ companions: Companions, until deadline: Deadline) -> Outcome {
        writeSome()
        if isClosed { return .closed }
        var descriptors = [
            pollfd(
                fd: descriptor, events: Int16(POLLIN) | (outgoing.isEmpty ? 0 : Int16(POLLOUT)), revents: 0),
            pollfd(fd: companions.interrupts, events: Int16(POLLIN), revents: 0),
            // No events: an error or hang-up is told unasked, and a terminal's keys are not ours to wait for.
            pollfd(fd: companions.output, events: 0, revents: 0),
            pollfd(fd: companions.other, events: Int16(POLLIN), revents: 0),
        ]
        guard waitForAny(&descriptors, until: deadline) else { return .timedOut }
        if descriptors[1].revents != 0 { return .interrupted }
        writeSome()
        if descriptors[0].revents & ~Int16(POLLOUT) != 0 {
            readSome()
            if isClosed { return .closed }
        } else if descriptors[2].revents != 0 {
            return .readerGone
        }
        return .moved(otherIsReady: descriptors[3].revents != 0)
    }

    private func readSome() {
        let space = incoming.space(block)
        let count = read(descriptor, space.baseAddress, space.count)
        if count > 0 {
            incoming.filled(count)
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            // A reset is an end like any other here: all that came before it has been handed out.
            isClosed = true
        }
    }

    private func writeSome() {
        guard !outgoing.isEmpty else { return }
        let bytes = outgoing.bytes
        let count = send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        if count > 0 {
            outgoing.consume(count)
        } else if errno != EAGAIN && errno != EINTR {
            // The peer has gone. What it said before it went may still lie there, so reading finds the end.
            outgoing.removeAll()
        }
    }
}
