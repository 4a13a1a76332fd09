import SeamWire

/// A line with the bytes behind it that the parser may read, freed at the end of the test that made it.
final class PaddedLine {
    private let memory: UnsafeMutableRawBufferPointer
    let bytes: UnsafeRawBufferPointer

    init(_ line: [UInt8], behind: UInt8 = 0x78) {
        memory = .allocate(byteCount: line.count + 64, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: behind)
        memory.copyBytes(from: line)
        bytes = UnsafeRawBufferPointer(rebasing: memory[..<line.count])
    }

    deinit { memory.deallocate() }
}

extension RequestDecoder {
    func decode(_ line: [UInt8]) -> Decoded {
        let padded = PaddedLine(line)
        return withExtendedLifetime(padded) { decode(padded.bytes) }
    }

    func decode(_ line: String) -> Decoded { decode(Array(line.utf8)) }

    /// The call of a line that must be one good request.
    func call(_ line: String) -> Call? {
        switch decode(line) {
        case .single(.request(_, let call)), .single(.notification(let call)): call
        default: nil
        }
    }

    /// The error of a line that must be one bad request.
    func error(_ line: String) -> WireError? {
        switch decode(line) {
        case .single(.failure(_, let error)), .single(.failedNotification(let error)): error
        default: nil
        }
    }

    /// What a daemon that answers every call with its method would send back.
    func answer(_ line: [UInt8]) -> String {
        var out = ByteBuffer()
        switch decode(line) {
        case .single(.request(let id, let call)): out.reply(id, limit: 65_535) { $0.value(call.method.name) }
        case .single(.failure(let id, let error)): out.reply(id, error)
        case .single: break
        case .batch(let elements):
            var batch = BatchReply(to: elements, limit: 1 << 20)
            for element in elements {
                switch element {
                case .request(let id, let call): batch.reply(id) { $0.value(call.method.name) }
                case .failure(let id, let error): batch.reply(id, error)
                case .notification, .failedNotification: break
                }
            }
            batch.finish(into: &out)
        }
        return out.text
    }

    func answer(_ line: String) -> String { answer(Array(line.utf8)) }

    /// The same with each error cut down to its number.
    func codes(_ line: String) throws -> String {
        let text = answer(line)
        guard !text.isEmpty else { return "" }
        func short(_ reply: JSON) -> String {
            let id = reply["id"]?.encoded ?? "no id"
            if let error = reply["error"] { return "\(id): \(error["code"]?.integer ?? 0)" }
            return "\(id): \(reply["result"]?.text ?? "no result")"
        }
        let json = try JSON(parsing: String(text.dropLast()))
        guard let elements = json.elements else { return short(json) }
        return "[" + elements.map(short).joined(separator: ", ") + "]"
    }
}

extension WireError {
    /// A fact that is text.
    func text(_ name: String) -> String? {
        guard case .text(let text) = self[name] else { return nil }
        return text
    }

    func texts(_ name: String) -> [String]? {
        guard case .texts(let texts) = self[name] else { return nil }
        return texts
    }

    func integer(_ name: String) -> UInt64? {
        guard case .integer(let number) = self[name] else { return nil }
        return number
    }
}
