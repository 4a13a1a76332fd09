import SeamWire
import Testing

/// A small generator of our own: the same seed gives the same lines on every machine.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Broken lines")
struct MutationTests {
    private static let seeds: [String] =
        CallTests.rows.map { row in
            let params = row.params.isEmpty ? "" : #","params":\#(row.params)"#
            return #"{"jsonrpc":"2.0","id":1,"method":"\#(row.method)"\#(params)}"#
        } + [
            "["
                + #"{"method":"seam.ping"},{"id":2,"method":"sim.list"},{"jsonrpc":"2.0","method":"seam.ping"}"#
                + "]"
        ]

    private static let letters =
        Array("{}[]\",:\\u0123456789eE+-.truefalsn \t\u{0}é€😀*/=".utf8) + [0xFF, 0xC0, 0xED]

    /// A good line to which so many things were done.
    private static func broken(changes: ClosedRange<Int>, using random: inout SplitMix) -> [UInt8] {
        var line = Array(seeds.randomElement(using: &random)?.utf8 ?? "".utf8)
        for _ in 0..<Int.random(in: changes, using: &random) {
            let place = Int.random(in: 0...line.count, using: &random)
            let letter = letters.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: line.insert(letter, at: place)
            case 1 where place < line.count: line.remove(at: place)
            case 2 where place < line.count: line[place] = letter
            default: line.insert(contentsOf: line.suffix(Int.random(in: 0...8, using: &random)), at: place)
            }
        }
        return line
    }

    @Test(
        "every line is answered with at most one line of JSON, whatever was done to it",
        arguments: [1, 2, 3, 4] as [UInt64])
    func answered(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let decoder = RequestDecoder()
        let reader = JSONReader()
        for _ in 0..<5000 {
            let line = Self.broken(changes: 1...4, using: &random)
            let answer = decoder.answer(line)
            guard !answer.isEmpty else { continue }
            #expect(answer.hasSuffix("\n"))
            let json = try reader.read(String(answer.dropLast()))
            for reply in json.elements ?? [json] {
                #expect(reply["jsonrpc"]?.text == "2.0" && reply["id"] != nil)
                #expect((reply["result"] == nil) != (reply["error"] == nil))
            }
        }
    }

    @Test(
        "a plain line is read as one that holds something out of the plain, good or bad",
        arguments: [5, 6, 7, 8] as [UInt64])
    func plain(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        let decoder = RequestDecoder()
        let reader = JSONReader()
        var readable = 0
        for _ in 0..<5000 {
            let line = Self.broken(changes: 0...2, using: &random)
            // The shim has a way of its own for lines of ASCII, integers and strings without escapes; 1.5 leads off it.
            let plain = PaddedLine(Array("[".utf8) + line + Array(",1]".utf8), behind: 0x22)
            let other = PaddedLine(Array("[".utf8) + line + Array(",1.5]".utf8))
            let text = String(decoding: line, as: UTF8.self)
            let (one, two) = (try? reader.read(plain.bytes), try? reader.read(other.bytes))
            #expect((one == nil) == (two == nil), "\(text)")
            guard let elements = one?.elements, let others = two?.elements else { continue }
            #expect(elements.dropLast() == others.dropLast(), "\(text)")
            #expect(decoder.decode(plain.bytes) == decoder.decode(other.bytes), "\(text)")
            readable += 1
        }
        #expect((1000..<4999).contains(readable), "both kinds of line are among them")
    }
}
