/// The model and the screens of one simulation: what should be shown, and what is shown.
///
/// Keys stand in one array, fields in another, with one index from name to position. A key's fields are a chain
/// through the field array, since few screens show one key. An equal shown value shares the model's buffer.
/// Nothing is ever removed: a name once declared stays, and a cleared one has no value.
/// A class, since a struct of three arrays is retained and released whole at each look into it (150 ns an event).
final class FieldStore {
    typealias KeyID = Int

    struct Key {
        var name: String
        var model: String?
        /// When the model value last changed; 0 is never.
        var changedAt = Moment.never
        var firstField: Int32 = -1
        var fieldCount: Int32 = 0
    }

    struct Field {
        var shown: String?
        var key: Int32
        var screen: Int32
        var nextOfKey: Int32
        /// Position in the turn's list of touched fields plus one; 0 is untouched.
        var touched: Int32 = 0
        /// When the field was last written, also with an equal value.
        var writtenAt = Moment.never
        /// The mount whose body wrote it last, 0 for none.
        var writer: UInt32 = 0
        /// Position plus one; 0 is the last one. Here, where it fills up the last eight of 48 bytes.
        var nextOfScreen: Int32 = 0
    }

    /// Its fields are a chain through theirs, like those of a key: a list of them took 60 bytes of each small simulation.
    struct Screen {
        var name: String
        /// Positions plus one; 0 without a field.
        var firstField: Int32 = 0
        var lastField: Int32 = 0
    }

    private(set) var keys = Table<Key>()
    private(set) var fields = Table<Field>()
    private(set) var screens = Table<Screen>()
    /// What names, places and values take, near enough for a limit: kept along, never counted anew. A value that both
    /// sides share counts on each.
    private(set) var bytes = 0
    private var keyIndex = NameIndex()
    private var screenIndex = NameIndex()
    /// Only once a key has many fields: until then the chain is shorter than a look-up.
    private var pairIndex: [Pair: Int32]?

    private struct Pair: Hashable { var screen, key: Int32 }
    private static let chainLimit: Int32 = 16

    // MARK: Names

    func key(named name: String) -> KeyID? {
        keyIndex.position(of: name) { keys[$0].name.hasSameBytes(as: name) }
    }

    func screen(named name: String) -> ScreenID? {
        screenIndex.position(of: name) { screens[$0].name.hasSameBytes(as: name) }
    }

    func field(screen: ScreenID, key: KeyID) -> FieldID? {
        if let pairIndex { return pairIndex[Pair(screen: Int32(screen), key: Int32(key))].map(Int.init) }
        var position = keys[key].firstField
        while position >= 0 {
            if fields[Int(position)].screen == Int32(screen) { return Int(position) }
            position = fields[Int(position)].nextOfKey
        }
        return nil
    }

    func declareKey(_ name: String) -> KeyID {
        if let known = key(named: name) { return known }
        let position = keys.count
        keys.append(Key(name: name))
        bytes += placeBytes + heapBytes(name)
        keyIndex.insert(name, at: position) { keys[$0].name }
        return position
    }

    func declareScreen(_ name: String) -> ScreenID {
        if let known = screen(named: name) { return known }
        let position = screens.count
        screens.append(Screen(name: name))
        bytes += placeBytes + heapBytes(name)
        screenIndex.insert(name, at: position) { screens[$0].name }
        return position
    }

    func declareField(screen: ScreenID, key: KeyID) -> FieldID {
        if let known = field(screen: screen, key: key) { return known }
        let position = Int32(fields.count)
        fields.append(Field(key: Int32(key), screen: Int32(screen), nextOfKey: keys[key].firstField))
        bytes += placeBytes
        keys[key].firstField = position
        keys[key].fieldCount += 1
        let last = screens[screen].lastField
        if last == 0 {
            screens[screen].firstField = position + 1
        } else {
            fields[Int(last) - 1].nextOfScreen = position + 1
        }
        screens[screen].lastField = position + 1
        if pairIndex != nil {
            pairIndex?[Pair(screen: Int32(screen), key: Int32(key))] = position
        } else if keys[key].fieldCount > Self.chainLimit {
            pairIndex = Dictionary(
                uniqueKeysWithValues: fields.indices.map {
                    (Pair(screen: fields[$0].screen, key: fields[$0].key), Int32($0))
                })
        }
        return Int(position)
    }

    /// The fields of a screen in the order in which they were declared.
    func fields(of screen: ScreenID) -> [FieldID] {
        var found: [FieldID] = []
        var next = screens[screen].firstField
        while next != 0 {
            found.append(Int(next) - 1)
            next = fields[Int(next) - 1].nextOfScreen
        }
        return found
    }

    // MARK: Values

    func model(of field: FieldID) -> String? { keys[Int(fields[field].key)].model }

    func shown(of field: FieldID) -> String? { fields[field].shown }

    func isTouched(_ field: FieldID) -> Bool { fields[field].touched != 0 }

    func verdict(of field: FieldID) -> Verdict {
        Verdict.of(model: model(of: field), shown: fields[field].shown)
    }

    func names(of field: FieldID) -> (screen: String, key: String) {
        let (screen, key) = (Int(fields[field].screen), Int(fields[field].key))
        return (screens[screen].name, keys[key].name)
    }

    func name(of field: FieldID) -> String {
        "\(screens[Int(fields[field].screen)].name).\(keys[Int(fields[field].key)].name)"
    }

    /// Stores a model value; whether any byte of it differs from before.
    func setModel(_ key: KeyID, _ value: String?, at moment: Moment) -> Bool {
        let before = keys[key].model
        if haveSameBytes(before, value) { return false }
        bytes += heapBytes(value) - heapBytes(before)
        keys[key].changedAt = moment
        // The shown value of the first field stands for all: one screen shows one key as a rule.
        let first = keys[key].firstField
        if let value, first >= 0, let shown = fields[Int(first)].shown, shown.hasSameBytes(as: value) {
            keys[key].model = shown
        } else {
            keys[key].model = value
        }
        return true
    }

    /// Stores a shown value; whether any byte of it differs from before.
    func setShown(_ field: FieldID, _ value: String?, at moment: Moment, writer: UInt32) -> Bool {
        fields[field].writtenAt = moment
        fields[field].writer = writer
        if haveSameBytes(fields[field].shown, value) { return false }
        bytes += heapBytes(value) - heapBytes(fields[field].shown)
        if let value, let model = model(of: field), model.hasSameBytes(as: value) {
            fields[field].shown = model
        } else {
            fields[field].shown = value
        }
        return true
    }

    func setTouched(_ field: FieldID, _ position: Int32) { fields[field].touched = position }

    func forEachField(of key: KeyID, _ body: (FieldID) -> Void) {
        var position = keys[key].firstField
        while position >= 0 {
            body(Int(position))
            position = fields[Int(position)].nextOfKey
        }
    }
}

// For each `unsafe` of `Table`: the first `near` places of `base` are filled, and behind them the first `far` of the
// blocks, of which there are as many as it takes.

/// An array with one owner that only grows. A look into it is a bounds check and a load: an `Array` in a class is
/// retained for it, or hands out a copy of the whole element to be asked for one member, and is asked before each write
/// whether it is shared (490 instructions an event).
/// A large one goes on in further blocks, so that nothing of it is moved and the one who asked for a place more does not
/// wait for a million.
@safe struct Table<Element>: ~Copyable {
    /// All places of a small one. How many there are follows from how many are filled.
    private var base: UnsafeMutablePointer<Element>?
    private var near: Int32 = 0
    private var far: Int32 = 0
    private var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>?

    init() {
        unsafe base = nil
        unsafe blocks = nil
    }

    deinit {
        unsafe base?.deinitialize(count: Int(near))
        unsafe base?.deallocate()
        var rest = Int(far)
        while rest > 0 {
            let block = unsafe blocks.unsafelyUnwrapped[(Int(far) - rest) >> blockShift]
            unsafe block.deinitialize(count: min(rest, blockPlaces))
            unsafe block.deallocate()
            rest -= blockPlaces
        }
        unsafe blocks?.deallocate()
    }

    var count: Int { Int(near) + Int(far) }
    var isEmpty: Bool { near == 0 }
    var indices: Range<Int> { 0..<count }

    subscript(position: Int) -> Element {
        @inline(__always) _read { yield unsafe place(position).pointee }
        @inline(__always) _modify { yield unsafe &place(position).pointee }
    }

    @inline(__always)
    private func place(_ position: Int) -> UnsafeMutablePointer<Element> {
        // One comparison: a negative position is a huge one.
        if UInt(bitPattern: position) < UInt(near) { return unsafe base.unsafelyUnwrapped + position }
        return unsafe farPlace(position)
    }

    // In place as well: a call that is never made would have each look save its registers.
    @inline(__always)
    private func farPlace(_ position: Int) -> UnsafeMutablePointer<Element> {
        let rest = position - blockPlaces
        precondition(rest >= 0 && rest < Int(far), "no such place")
        return unsafe blocks.unsafelyUnwrapped[rest >> blockShift] + (rest & (blockPlaces - 1))
    }

    mutating func append(_ element: Element) {
        if Int(near) < blockPlaces {
            if near < 4 || near & (near - 1) == 0 { grow() }
            unsafe (base.unsafelyUnwrapped + Int(near)).initialize(to: element)
            near += 1
        } else {
            if Int(far) & (blockPlaces - 1) == 0 { addBlock() }
            far += 1
            unsafe farPlace(count - 1).initialize(to: element)
        }
    }

    private mutating func grow() {
        // One by one at first: many simulations have three fields, and a place takes 48 bytes.
        let capacity = near < 4 ? near + 1 : near * 2
        let block = UnsafeMutablePointer<Element>.allocate(capacity: Int(capacity))
        unsafe base.map { unsafe block.moveInitialize(from: $0, count: Int(near)) }
        unsafe base?.deallocate()
        unsafe base = block
    }

    private mutating func addBlock() {
        let count = Int(far) >> blockShift
        if count & (count - 1) == 0 {
            let list = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(
                capacity: max(1, count * 2))
            unsafe blocks.map { unsafe list.moveInitialize(from: $0, count: count) }
            unsafe blocks?.deallocate()
            unsafe blocks = list
        }
        unsafe (blocks.unsafelyUnwrapped + count).initialize(to: .allocate(capacity: blockPlaces))
    }
}

/// Places of a block of full size: of fields 786 kB.
private let blockPlaces = 1 << blockShift
private let blockShift = 14

/// A place in the order of everything that happened in a simulation: the turn, and the step within it.
struct Moment: Comparable {
    private var raw: UInt64

    static let never = Moment(raw: 0)
    private init(raw: UInt64) { self.raw = raw }

    /// The moment at which a turn begins.
    init(turn: UInt64) { raw = turn << 24 }

    init(turn: UInt64, step: UInt64) { raw = turn << 24 | step & 0xFF_FFFF }

    var turn: UInt64 { raw >> 24 }
    var step: UInt64 { raw & 0xFF_FFFF }

    /// The next step. A turn of more than 16 million steps shares its last one.
    mutating func advance() { if raw & 0xFF_FFFF != 0xFF_FFFF { raw += 1 } }

    static func < (one: Moment, other: Moment) -> Bool { one.raw < other.raw }
}
