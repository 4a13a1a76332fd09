import SeamWire
import Testing

/// Numbers are most of what differs between two event lines.
@Suite struct DecimalTests {
    @Test("numbers of every length are written as Swift writes them")
    func lengths() {
        var numbers = Array(UInt64(0)...12_345)
        var power: UInt64 = 1
        for _ in 0..<19 {
            power *= 10
            numbers += [power - 1, power, power + 1, power * 1 + power / 7]
        }
        numbers += [.max, .max - 1, UInt64(Int64.max), 1 << 53]
        for number in numbers {
            var buffer = ByteBuffer()
            buffer.append(decimal: number)
            #expect(buffer.text == "\(number)")
        }
    }
}
