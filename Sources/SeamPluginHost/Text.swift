internal import CSeamABI

/// A status that ends a host service early.
struct Refused: Error {
    var status: seam_status
}

/// The statuses as the type that the tables use; C enumerators come in as `Int`.
enum Status {
    static var ok: seam_status { seam_status(SEAM_OK) }
    static var absent: seam_status { seam_status(SEAM_ABSENT) }
    static var argument: seam_status { seam_status(SEAM_E_ARG) }
    static var state: seam_status { seam_status(SEAM_E_STATE) }
    static var thread: seam_status { seam_status(SEAM_E_THREAD) }
    static var limit: seam_status { seam_status(SEAM_E_LIMIT) }
    static var unsupported: seam_status { seam_status(SEAM_E_UNSUPPORTED) }
    static var plugin: seam_status { seam_status(SEAM_E_PLUGIN) }

    /// "SEAM_E_DATA (-6)", or the number alone.
    static func name(_ status: seam_status) -> String {
        let names = [
            "SEAM_E_ARG", "SEAM_E_STATE", "SEAM_E_THREAD", "SEAM_E_LIMIT", "SEAM_E_UNSUPPORTED",
            "SEAM_E_DATA",
            "SEAM_E_PLUGIN", "SEAM_E_HOST",
        ]
        let index = Int(-1) - Int(status)
        return names.indices.contains(index) ? "\(names[index]) (\(status))" : "status \(status)"
    }
}

/// Sizes of section 3 of the header, in bytes.
enum TextLimit {
    static let name = 128
    static let title = 256
    static let text = 4_096
    static let value = 65_536
}

extension seam_str_v1 {
    var isNone: Bool { ptr == nil }

    /// The text, copied. Up to 15 bytes cost no allocation.
    /// - Throws: `SEAM_E_LIMIT` over `limit` bytes, `SEAM_E_ARG` for none and for bytes that are not UTF-8.
    @inline(__always)
    func text(limit: Int) throws(Refused) -> String {
        guard let ptr else { throw Refused(status: Status.argument) }
        guard len <= limit else { throw Refused(status: Status.limit) }
        let bytes = UnsafeRawBufferPointer(start: ptr, count: len)
        // Nearly every text is ASCII and then needs no validation; `validating` alone looks its generic types
        // up at run time, a tenth of a bridged event.
        if bytes.isASCII {
            return String(unsafeUninitializedCapacity: len) {
                $0.update(fromContentsOf: bytes.bindMemory(to: UInt8.self))
            }
        }
        guard let text = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
            throw Refused(status: Status.argument)
        }
        return text
    }

    /// The same where no value is a value.
    @inline(__always)
    func value(limit: Int = TextLimit.value) throws(Refused) -> String? {
        isNone ? nil : try text(limit: limit)
    }

    /// As much of the text as fits, repaired where it is not UTF-8: for people, who want to read it all the
    /// same.
    func readable(limit: Int) -> String {
        guard let ptr else { return "" }
        var count = min(len, limit)
        let bytes = UnsafeRawBufferPointer(start: ptr, count: count)
        if count < len {
            while count > 0, bytes[count - 1] & 0xC0 == 0x80 { count -= 1 }
            if count > 0, bytes[count - 1] >= 0xC0 { count -= 1 }
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate var isASCII: Bool {
        var index = 0
        while index + 8 <= count {
            if loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
                return false
            }
            index += 8
        }
        while index < count {
            if self[index] & 0x80 != 0 { return false }
            index += 1
        }
        return true
    }
}

/// Bytes that live until the callback under way returns: arguments, and what `model_get` answers.
///
/// One block, used again for every callback; a callback that needs more gets further blocks, since what was
/// handed out may not move. Callbacks never nest, so one arena serves all simulations.
struct Arena {
    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0
    private var outgrown: [UnsafeMutableRawPointer] = []

    private static let initialCapacity = 4_096
    private static let keptCapacity = 262_144

    init() {
        capacity = Self.initialCapacity
        block = .allocate(byteCount: capacity, alignment: 16)
    }

    func free() {
        for block in outgrown { block.deallocate() }
        block.deallocate()
    }

    mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let rounded = (count + 7) & ~7
        if used + rounded > capacity { grow(rounded) }
        defer { used += rounded }
        return block + used
    }

    private mutating func grow(_ needed: Int) {
        outgrown.append(block)
        capacity = max(capacity * 2, needed)
        block = .allocate(byteCount: capacity, alignment: 16)
        used = 0
    }

    /// A view of the text. The empty text gets an address, since without one it would be no value.
    mutating func view(_ text: String?) -> seam_str_v1 {
        guard var text else { return seam_str_v1(ptr: nil, len: 0) }
        return text.withUTF8 { bytes in
            let copy = allocate(bytes.count)
            if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
            return seam_str_v1(ptr: copy.assumingMemoryBound(to: CChar.self), len: bytes.count)
        }
    }

    /// Values in a row, for `seam_args_v1`. Room is made at once: the views may not lie in another block by
    /// then, but each stays where it is.
    mutating func views(_ texts: [String?]) -> UnsafePointer<seam_str_v1>? {
        if texts.isEmpty { return nil }
        let row = allocate(texts.count * MemoryLayout<seam_str_v1>.stride)
        for (index, text) in texts.enumerated() {
            let at = row + index * MemoryLayout<seam_str_v1>.stride
            at.assumingMemoryBound(to: seam_str_v1.self).pointee = view(text)
        }
        return UnsafePointer(row.assumingMemoryBound(to: seam_str_v1.self))
    }

    /// The callback has returned.
    @inline(__always)
    mutating func reset() {
        if used == 0 && outgrown.isEmpty { return }
        if !outgrown.isEmpty { giveBack() }
        used = 0
    }

    private mutating func giveBack() {
        for block in outgrown { block.deallocate() }
        outgrown.removeAll()
        if capacity > Self.keptCapacity {
            block.deallocate()
            self = Arena()
        }
    }
}
