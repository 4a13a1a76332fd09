internal import Glibc
internal import SeamWire

/// What was counted: instructions per event and stage, and on what.
struct Record {
    /// What the processor that valgrind plays can do: simdjson and libc choose their code by it.
    var processor = ""
    var instructions: [Stage: Double] = [:]

    var total: Double { instructions.values.reduce(0, +) }

    static func read(_ path: String) -> Record? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        guard let json = try? JSON(parsing: String(decoding: bytes[..<count], as: UTF8.self)),
            let processor = json["processor"]?.text
        else { return nil }
        var record = Record(processor: processor)
        for stage in Stage.allCases {
            guard let number = json["instructionsPerEvent"]?[stage.rawValue]?.double else { return nil }
            record.instructions[stage] = number
        }
        return record
    }

    func write(_ path: String) -> Bool {
        let stages = Stage.allCases.map {
            "    \"\($0.rawValue)\": \(Int((instructions[$0] ?? 0).rounded()))"
        }
        let text = """
            {
              "processor": "\(processor)",
              "events": \(Work.events),
              "instructionsPerEvent": {
            \(stages.joined(separator: ",\n"))
              }
            }

            """
        guard let file = fopen(path, "we") else { return false }
        let isWritten = fputs(text, file) >= 0
        return fclose(file) == 0 && isWritten
    }
}
