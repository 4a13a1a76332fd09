extension String {
    /// Byte equality, where `==` asks for canonical equivalence: decides whether a field changed.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        // No other text of the same length is canonically equivalent to an ASCII one: what folds to ASCII
        // (the Kelvin sign) is longer.
        return utf8Span.isKnownASCII || utf8.elementsEqual(other.utf8)
    }
}

func haveSameBytes(_ one: String?, _ other: String?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): one.hasSameBytes(as: other)
    default: false
    }
}

/// From a name to its position in an array that the owner keeps.
///
/// Open addressing over positions alone: 8 bytes a name at half load, where a dictionary with its own copy of
/// the name takes 40 (measured on a million fields). What is left of a slot beside its position holds bits of the
/// hash, so that a name is looked at only where it is likely to be the right one: each look is a cache miss once
/// there are many. Nothing is ever removed; order never comes from here.
struct NameIndex {
    /// Empty as long as so few names are filed that they are compared one by one.
    private var slots: [UInt32] = []
    private var count = 0

    /// Position plus one in the low bits, as many as the slots have numbers: positions are dense, and half the slots
    /// stay empty.
    private static let empty: UInt32 = 0
    private static let longestList = 8

    /// The position filed under the name. `isAt` compares it with a name of the owner's array where that lies: handed out
    /// it would be retained.
    @inline(__always)
    func position(of name: String, isAt: (Int) -> Bool) -> Int? {
        if slots.isEmpty {
            for position in 0..<count where isAt(position) { return position }
            return nil
        }
        let hash = hash(of: name)
        let mask = UInt32(slots.count - 1)
        var slot = hash.place & mask
        while slots[Int(slot)] != Self.empty {
            let entry = slots[Int(slot)]
            if (entry ^ hash.tag) & ~mask == 0 {
                let position = Int(entry & mask) - 1
                if isAt(position) { return position }
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Files a name that is not in yet, at the position behind the last one.
    mutating func insert(_ name: String, at position: Int, nameAt: (Int) -> String) {
        precondition(position == count, "names are filed in the order of their positions")
        count += 1
        if count <= Self.longestList { return }
        if count * 2 > slots.count {
            grow(nameAt: nameAt)
        } else {
            place(name, position)
        }
    }

    private mutating func place(_ name: String, _ position: Int) {
        let hash = hash(of: name)
        let mask = UInt32(slots.count - 1)
        var slot = hash.place & mask
        while slots[Int(slot)] != Self.empty { slot = (slot + 1) & mask }
        slots[Int(slot)] = hash.tag & ~mask | UInt32(position + 1)
    }

    /// Makes room and files all names anew.
    private mutating func grow(nameAt: (Int) -> String) {
        slots = Array(repeating: Self.empty, count: max(4 * Self.longestList, slots.count * 2))
        for position in 0..<count { place(nameAt(position), position) }
    }
}

// For each `unsafe` of the hash: a load lies inside the bytes, by the count that was asked before it.

/// Where a name is sought, and what else is known of it. Keyed by a number that differs from process to process, since
/// names are a client's to choose. Swift's own hash of a short name takes five times as long.
private func hash(of name: String) -> (place: UInt32, tag: UInt32) {
    let mixed =
        unsafe name.utf8.withContiguousStorageIfAvailable { unsafe hash(of: UnsafeRawBufferPointer($0)) }
        // Every string of Linux lies in one piece; should one not, its hash is of its first bytes and as good as any.
        ?? hashKey.0
    return (UInt32(truncatingIfNeeded: mixed), UInt32(truncatingIfNeeded: mixed >> 32))
}

@inline(__always)
private func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var state = hashKey.0 ^ UInt64(count)
    let (head, tail): (UInt64, UInt64)
    if count >= 8 {
        var at = 0
        while at + 16 < count {
            state = unsafe fold(
                bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ state,
                bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self) ^ hashKey.1)
            at += 16
        }
        head = unsafe bytes.loadUnaligned(fromByteOffset: min(at, count - 8), as: UInt64.self)
        tail = unsafe bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
        head = unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
        tail = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else if count > 0 {
        head = unsafe UInt64(bytes[0]) | UInt64(bytes[count / 2]) << 8
        tail = unsafe UInt64(bytes[count - 1])
    } else {
        (head, tail) = (0, 0)
    }
    let mixed = fold(head ^ state, tail ^ hashKey.1)
    return fold(mixed ^ hashKey.0, hashKey.1)
}

private let hashKey = (UInt64(truncatingIfNeeded: 1.hashValue), UInt64(truncatingIfNeeded: 2.hashValue) | 1)

/// Both halves of a product in one: each bit of it depends on all bits of both factors.
@inline(__always)
private func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (high, low) = one.multipliedFullWidth(by: other)
    return high ^ low
}
