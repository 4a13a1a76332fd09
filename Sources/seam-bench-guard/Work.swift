internal import CSeamBench
internal import Glibc
internal import SeamKernel
internal import SeamWire

/// The fixed work: requests in chunks that end where they happen to end, as from a socket, and each of them through
/// wire, kernel and encoder as the daemon sends it. A stage is one call, so that each can be counted alone.
final class Work {
    static let events = 8_000
    private static let fields = 100
    private static let chunkBytes = 16 << 10

    private let limits = Limits()
    private let block = ReadBlock()
    private var input = InputBuffer()
    private let decoder = RequestDecoder()
    private let simulation = Simulation(id: "s", scenario: .live)
    /// What the stages hand on.
    private var fresh = 0
    private var hasRequest = false
    private var id = RequestID.null
    private var values: [KeyValue] = []
    private var turn: Turn?
    private var tail = ByteBuffer(reserving: 4 << 10)
    private var out = ByteBuffer(reserving: 1 << 20)

    /// Does all of it and answers how many bytes came out.
    static func run() -> Int {
        let work = Work()
        // The first pass fills the caches of the allocator and of the runtime; it is not counted.
        _ = work.pass(work.bytes(from: 0, count: 1_000)) { _, body in body(work) }
        return work.pass(work.bytes(from: 1_000, count: events)) { stage, body in
            let context = Unmanaged.passUnretained(work).toOpaque()
            // Each takes a function without context of its own, hence the three literals.
            switch stage {
            case .wire: bench_guard_wire({ Work.of($0).decode() }, context)
            case .kernel: bench_guard_kernel({ Work.of($0).apply() }, context)
            case .encoder: bench_guard_encoder({ Work.of($0).encode() }, context)
            }
        }
    }

    private init() {
        do {
            _ = try simulation.start(parameters: [])
            let keys = (0..<Self.fields).map { "f\($0)" }
            _ = try simulation.apply(.screenWrite(screen: "Screen", keys.map { ($0, "0") }))
            _ = try simulation.apply(.modelWrite(keys.map { ($0, "0") }))
        } catch {
            fatalError("the live scenario refused its fields: \(error)")
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Work {
        // `run` passes it, and holds it meanwhile.
        Unmanaged<Work>.fromOpaque(context!).takeUnretainedValue()
    }

    private func bytes(from first: Int, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in first..<first + count {
            let values = "{\"f\(index % Self.fields)\":\"\(1_000_000_000 + index)\"}"
            bytes.append(
                contentsOf:
                    "{\"jsonrpc\":\"2.0\",\"id\":\(index),\"method\":\"model.set\",\"params\":{\"sim\":\"s\",\"values\":\(values)}}\n"
                    .utf8)
        }
        return bytes
    }

    private func pass(_ bytes: [UInt8], _ perform: (Stage, (Work) -> Void) -> Void) -> Int {
        var written = 0
        var start = 0
        while start < bytes.count {
            let space = input.space(block)
            fresh = min(bytes.count - start, min(space.count, Self.chunkBytes))
            space.copyBytes(from: bytes[start..<start + fresh])
            start += fresh
            while true {
                perform(.wire) { $0.decode() }
                if !hasRequest { break }
                perform(.kernel) { $0.apply() }
                perform(.encoder) { $0.encode() }
            }
            written += out.count
            out.removeAll(keeping: 1 << 20)
        }
        return written
    }

    /// Stops 2 and 3 of an event's path. No request: the chunk is used up.
    private func decode() {
        if fresh > 0 { input.filled(fresh) }
        fresh = 0
        hasRequest = false
        guard case .line(let line) = input.nextLine() else { return }
        guard case .single(.request(let id, .modelSet(let set))) = decoder.decode(line) else {
            fatalError("a request of the fixed work was not understood")
        }
        hasRequest = true
        self.id = id
        values = set.values
    }

    /// Stop 5.
    private func apply() {
        do {
            turn = try simulation.apply(.modelWrite(values))
            // Gone with the request, as in the daemon.
            values = []
        } catch {
            fatalError("a request of the fixed work was refused: \(error)")
        }
    }

    /// What stops 6 and 7 write: the line, encoded once and copied behind the head of a subscriber, and the reply.
    /// Reads of the turn are spelled out, since a copy of it would be counted.
    private func encode() {
        guard let number = turn?.number, let nanoseconds = turn?.nanoseconds, let changes = turn?.changes,
            let findings = turn?.diagnostics.count
        else { return }
        for change in changes {
            let names = simulation.names(of: change.field)
            tail.removeAll(keeping: 4 << 10)
            tail.verdictTail(
                sim: simulation.id, seq: change.seq, turn: number, ms: UInt64(nanoseconds / 1_000_000),
                screen: names.screen, field: names.key, from: change.from.word, to: change.to.word,
                model: change.model, shown: change.shown, limits: limits)
            out.eventHead(sub: 1)
            out.append(tail.bytes)
        }
        let seq = simulation.seq
        out.reply(id, limit: limits.replyBytes) {
            $0.change(seq: seq, turn: number, changes: changes.count, diagnostics: findings)
        }
        self.turn = nil
    }
}

/// What is counted on its own.
enum Stage: String, CaseIterable {
    case wire
    case kernel
    case encoder
}
