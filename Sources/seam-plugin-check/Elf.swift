internal import Glibc

/// The dynamic section and symbols of a shared library, read from its file: looked at before anything of it runs, and
/// without trusting a single number in it.
struct Elf {
    /// Names that it defines for others, sorted.
    private(set) var exports: [String] = []
    /// Libraries that it needs, as it names them.
    private(set) var needed: [String] = []
    /// Folders that it has them looked for in.
    private(set) var searchPaths: [String] = []

    private let bytes: [UInt8]

    private enum Number {
        static let symbols: UInt32 = 11  // SHT_DYNSYM
        static let dynamic: UInt32 = 6  // SHT_DYNAMIC
        static let needed: UInt64 = 1  // DT_NEEDED
        static let rpath: UInt64 = 15  // DT_RPATH
        static let runpath: UInt64 = 29  // DT_RUNPATH
    }

    private struct Section {
        var type: UInt32
        var offset: Int
        var size: Int
        var link: Int
        var entrySize: Int
    }

    /// nil for what is no 64-bit little-endian ELF file, or has no section headers to find things by.
    init?(contentsOf path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size >= 64, status.st_size < 1 << 31 else { return nil }
        let size = Int(status.st_size)
        bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // There is a base: the capacity is not 0.
                let got = read(file, buffer.baseAddress! + count, size - count)
                if got <= 0 { break }
                count += got
            }
        }
        guard bytes.count == size, bytes.prefix(6) == [0x7f, 0x45, 0x4c, 0x46, 2, 1] else { return nil }
        guard let sections = sections() else { return nil }
        for section in sections {
            guard sections.indices.contains(section.link) else { continue }
            let texts = sections[section.link]
            if section.type == Number.symbols { readSymbols(section, texts) }
            if section.type == Number.dynamic { readDynamic(section, texts) }
        }
        exports.sort()
    }

    private func sections() -> [Section]? {
        guard let table = number(at: 0x28, 8), let stride = number(at: 0x3a, 2),
            let count = number(at: 0x3c, 2),
            stride >= 64, count > 0
        else { return nil }
        var sections: [Section] = []
        for index in 0..<count {
            let (start, overflows) = table.addingReportingOverflow(index * stride)
            guard !overflows, let type = number(at: start &+ 4, 4), let offset = number(at: start &+ 24, 8),
                let size = number(at: start &+ 32, 8), let link = number(at: start &+ 40, 4),
                let entrySize = number(at: start &+ 56, 8)
            else { return nil }
            sections.append(
                Section(type: UInt32(type), offset: offset, size: size, link: link, entrySize: entrySize))
        }
        return sections
    }

    private mutating func readSymbols(_ section: Section, _ texts: Section) {
        guard section.entrySize >= 24, section.size <= bytes.count else { return }
        for index in 1..<max(section.size / section.entrySize, 1) {
            let start = section.offset &+ index &* section.entrySize
            guard let name = number(at: start, 4), let info = number(at: start &+ 4, 1),
                let other = number(at: start &+ 5, 1), let home = number(at: start &+ 6, 2)
            else { return }
            // Defined; global, weak or unique; of default or protected visibility.
            guard home != 0, [1, 2, 10].contains(info >> 4), [0, 3].contains(other & 3) else { continue }
            if let text = text(name, in: texts) { exports.append(text) }
        }
    }

    private mutating func readDynamic(_ section: Section, _ texts: Section) {
        guard section.size <= bytes.count else { return }
        for index in 0..<section.size / 16 {
            let start = section.offset &+ index &* 16
            guard let tag = number(at: start, 8), let value = number(at: start &+ 8, 8), tag != 0 else {
                return
            }
            switch UInt64(tag) {
            case Number.needed: if let text = text(value, in: texts) { needed.append(text) }
            case Number.rpath, Number.runpath:
                searchPaths += (text(value, in: texts) ?? "").split(separator: ":").map(String.init)
            default: break
            }
        }
    }

    /// nil outside of the file, and for numbers that lead there.
    private func number(at offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - width else { return nil }
        var value: UInt64 = 0
        for index in 0..<width { value |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
        return Int(exactly: value)
    }

    private func text(_ offset: Int, in section: Section) -> String? {
        let (start, overflows) = section.offset.addingReportingOverflow(offset)
        guard !overflows, bytes.indices.contains(start) else { return nil }
        return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
    }
}
