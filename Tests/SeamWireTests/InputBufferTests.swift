import SeamWire
import Testing

@Suite("Line splitter")
struct InputBufferTests {
    /// What came out: lines as text, `TOO LONG`, `FLOODED`.
    private func split(
        _ chunks: [[UInt8]], limits: Limits = Limits(), block: ReadBlock = ReadBlock(), pause: Bool = false
    ) -> [String] {
        var input = InputBuffer(limits: limits)
        var found: [String] = []
        func note(_ line: InputLine) {
            switch line {
            case .line(let bytes): found.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong: found.append("TOO LONG")
            case .flooded: found.append("FLOODED")
            }
        }
        for chunk in chunks {
            var rest = chunk[...]
            while !rest.isEmpty {
                let space = input.space(block)
                let size = min(space.count, rest.count)
                space.copyBytes(from: rest.prefix(size))
                input.filled(size)
                rest = rest.dropFirst(size)
                while let line = input.nextLine() {
                    note(line)
                    guard pause else { continue }
                    // Another connection reads into the shared block meanwhile.
                    input.keepRest()
                    var other = InputBuffer()
                    let scribbled = other.space(block)
                    scribbled.initializeMemory(as: UInt8.self, repeating: 0x2A)
                }
            }
        }
        if let line = input.lastLine() { note(line) }
        return found
    }

    @Test(
        "every way of cutting the input gives the same lines",
        arguments: [
            ("a\nbc\n", ["a", "bc"]),
            ("\n\r\n\na\n", ["a"]),
            ("a\r\nb\r\r\n", ["a", "b\r"]),
            ("ab\n\ncd", ["ab", "cd"]),
            ("ab\ncd\r", ["ab", "cd\r"]),
            ("\r", []),
            ("abcdefgh\nx\n", ["abcdefgh", "x"]),
            ("abcdefgh\r\nx\n", ["abcdefgh", "x"]),
            ("abcdefghi\nx\n", ["TOO LONG", "x"]),
            ("abcdefgh\r", ["TOO LONG"]),
            ("abcdefghi", ["TOO LONG"]),
            ("abcdefghijkl\r\nx", ["TOO LONG", "x"]),
            ("é\n\u{2028}\n", ["é", "\u{2028}"]),
            ("a\u{0}b\n", ["a\u{0}b"]),
        ])
    func everyChunking(_ text: String, _ lines: [String]) {
        var limits = Limits()
        limits.lineBytes = 8
        let bytes = Array(text.utf8)
        let block = ReadBlock(bytes: 32)
        for cuts in 0..<(1 << (bytes.count - 1)) {
            var chunks: [[UInt8]] = [[]]
            for (index, byte) in bytes.enumerated() {
                chunks[chunks.count - 1].append(byte)
                if cuts >> index & 1 == 1 { chunks.append([]) }
            }
            if split(chunks, limits: limits, block: block) != lines
                || split(chunks, limits: limits, block: block, pause: true) != lines
            {
                Issue.record("\(chunks.map { String(decoding: $0, as: UTF8.self) })")
            }
        }
    }

    @Test("an over-long line is told once and its end is found in any later read")
    func resync() {
        var limits = Limits()
        limits.lineBytes = 100
        let long = [UInt8](repeating: 0x61, count: 250_000)
        #expect(split([long, Array("tail\nnext\n".utf8)], limits: limits) == ["TOO LONG", "next"])
    }

    @Test("a line that never ends is told as flooded once, and nothing follows")
    func flooded() {
        var limits = Limits()
        limits.lineBytes = 1000
        limits.discardBytes = 100_000
        let chunk = [UInt8](repeating: 0x61, count: 30_000)
        let chunks = [chunk, chunk, chunk, chunk, Array("\nx\n".utf8)]
        #expect(split(chunks, limits: limits) == ["TOO LONG", "FLOODED"])
    }

    @Test("the longest line passes whole, one byte more does not")
    func exactLimit() {
        let fits = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(split([fits + [0x0A]]).map(\.utf8.count) == [1 << 20])
        #expect(split([fits + [0x0D, 0x0A]]).map(\.utf8.count) == [1 << 20])
        #expect(split([fits + [0x61, 0x0A, 0x62, 0x0A]]) == ["TOO LONG", "b"])
    }

    @Test("a connection between two lines holds no memory")
    func idle() {
        let block = ReadBlock()
        var input = InputBuffer()
        func feed(_ text: String) {
            input.space(block).copyBytes(from: Array(text.utf8))
            input.filled(text.utf8.count)
            while input.nextLine() != nil {}
        }
        feed("a\nb")
        #expect(input.heldBytes > 0)
        feed("c\n")
        #expect(input.heldBytes == 0)
        feed(String(repeating: "x", count: 3000))
        feed("\n")
        #expect(input.heldBytes == 0)
    }

    @Test("a megabyte sent byte by byte takes the work of a megabyte")
    func linear() {
        // Quadratic work would be 5·10¹¹ steps and never end here; linear work is done at once.
        let block = ReadBlock()
        var input = InputBuffer()
        var lines = 0
        for index in 0...(1 << 20) {
            input.space(block)[0] = index == 1 << 20 ? 0x0A : 0x61
            input.filled(1)
            while let line = input.nextLine() {
                if case .line(let bytes) = line, bytes.count == 1 << 20 { lines += 1 }
            }
        }
        #expect(lines == 1)
    }

    @Test("what was put aside is found again without a read")
    func keepRest() {
        let block = ReadBlock()
        var input = InputBuffer()
        let text = Array("one\ntwo\nthr".utf8)
        input.space(block).copyBytes(from: text)
        input.filled(text.count)
        guard case .line(let first) = input.nextLine() else {
            Issue.record("no first line")
            return
        }
        #expect(String(decoding: first, as: UTF8.self) == "one")
        input.keepRest()
        #expect(input.hasUnread == true)
        block.overwrite()
        guard case .line(let second) = input.nextLine() else {
            Issue.record("no second line")
            return
        }
        #expect(String(decoding: second, as: UTF8.self) == "two")
        #expect(input.nextLine() == nil)
        #expect(input.hasUnread == false)
        guard case .line(let rest) = input.lastLine() else {
            Issue.record("no rest")
            return
        }
        #expect(String(decoding: rest, as: UTF8.self) == "thr")
    }
}

extension ReadBlock {
    /// What a read of another connection does to the block.
    fileprivate func overwrite() {
        var other = InputBuffer()
        other.space(self).initializeMemory(as: UInt8.self, repeating: 0x0A)
    }
}

extension InputLine? {
    fileprivate static func == (one: InputLine?, other: _OptionalNilComparisonType) -> Bool {
        if case .none = one { return true }
        return false
    }
}
