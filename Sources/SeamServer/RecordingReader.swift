import SeamWire

/// Hands out the lines of a recording, piece by piece from the file's queue; what is not there yet is waited for in
/// later rounds.
final class RecordingReader {
    enum Next {
        case line(UnsafeRawBufferPointer)
        /// The next piece is on its way.
        case waiting
        /// The end; `isTorn` when half a line was left over.
        case end(isTorn: Bool)
        case failed(WireError)
    }

    let file: ReadableFile
    /// The number of the line handed out last; the first has 1.
    private(set) var line: UInt64 = 0
    private let daemon: Daemon
    /// What was read and not handed out lies from `start` to `end`; the parser may look at the padding behind it.
    private var bytes: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// Where to go on looking for the end of a line.
    private var searched = 0
    private var isAsking = false
    private var isAtEnd = false
    private var problem: WireError?

    /// The longest line that a recording has: every byte of the longest request may have to be escaped with six.
    nonisolated static let lineBytes = 8 << 20

    /// `first` is what was read of the file already.
    init(_ file: ReadableFile, first: [UInt8] = [], daemon: Daemon) {
        self.file = file
        self.daemon = daemon
        bytes = .allocate(byteCount: linePadding, alignment: 8)
        append(first)
    }

    isolated deinit { bytes.deallocate() }

    /// Good until it is called again.
    func next() -> Next {
        if let problem { return .failed(problem) }
        if let feed = bytes[searched..<end].firstIndex(of: 0x0A) {
            let text = UnsafeRawBufferPointer(rebasing: bytes[start..<feed])
            start = feed + 1
            searched = start
            line += 1
            return .line(text)
        }
        searched = end
        if isAtEnd { return .end(isTorn: start < end) }
        if end - start > Self.lineBytes {
            return .failed(
                .badRecording(file.path, line: line + 1, "it is longer than \(Self.lineBytes) bytes"))
        }
        ask()
        return .waiting
    }

    private func ask() {
        if isAsking { return }
        isAsking = true
        let file = file
        daemon.offMain { () throws(FileProblem) in
            try file.read()
        } then: { [self] result in
            isAsking = false
            switch result {
            case .success(let piece): take(piece)
            case .failure(let problem): self.problem = problem.wireError(of: file.path, in: "path")
            }
        }
    }

    private func take(_ piece: [UInt8]) {
        if piece.isEmpty { isAtEnd = true } else { append(piece) }
    }

    private func append(_ piece: [UInt8]) {
        let rest = end - start
        let grown = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rest + piece.count + linePadding, alignment: 8)
        grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        UnsafeMutableRawBufferPointer(rebasing: grown[rest...]).copyBytes(from: piece)
        bytes.deallocate()
        bytes = grown
        searched -= start
        start = 0
        end = rest + piece.count
    }
}
