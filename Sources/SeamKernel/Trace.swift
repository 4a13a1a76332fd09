/// What happened in a simulation, call by call and request by request: a bounded history, the oldest given up first.
///
/// A record is packed as soon as the next one begins, in about 20 bytes; it becomes a `TraceRecord` when somebody
/// reads it. What is cheap to keep is kept always, so that whoever finds a field stale can ask afterwards.
final class Trace {
    /// Bytes of records that are kept.
    let limit: Int
    /// Records that gave way to newer ones.
    private(set) var dropped: UInt64 = 0

    private struct Block {
        var bytes: [UInt8]
        var firstTurn: UInt64
        var count: UInt64
    }

    /// Full blocks, the oldest first, each dropped as a whole.
    private var older: [Block] = []
    private var olderBytes = 0
    private var newest = PackedBytes()
    private var newestFirstTurn: UInt64 = 0
    private var newestCount: UInt64 = 0
    private let blockBytes: Int

    /// The record under way. Its numbers of control and coordinator are looked up when it is closed: only then has
    /// make returned them.
    private var draft = Draft()
    private var isOpen = false
    /// Places of fields, twice as large, and one more where the value went into a control off the screen.
    private var wrote: [Int32] = []
    private var set: [Int32] = []
    private var assigned: [UInt64] = []
    private var text: String?
    private var controls = Instances()
    private var coordinators = Instances()

    private struct Draft {
        var call = TraceCall(.settle)
        var cause: UInt8 = 0
        var origin: UInt8 = 0
        var event: Int32 = -1
        var moment = Moment.never
        var milliseconds: UInt64 = 0
        var round: UInt32 = 0
        var number: MountID = 0
        var mount: Mount?
        var source: Author?
    }

    init(limit: Int) {
        self.limit = limit
        blockBytes = max(limit / 16, 1024)
    }

    /// What it takes, with the room that the newest block has to grow.
    var bytes: Int { Self.ownBytes + olderBytes + newest.capacity }

    private static let ownBytes = 320
    private static let longestText = 512
    /// Fields, and keys, that one record names.
    private static let listedNames = 64

    // MARK: Recording

    /// Begins a record; the one before it is closed.
    /// - Parameter source: the call that asked for what is carried out now, in an earlier round or turn.
    func begin(
        _ call: TraceCall, mount: Mount?, number: MountID = 0, cause: UInt8 = 0, origin: TraceOrigin? = nil,
        event: Int32 = -1, from source: Author? = nil, round: Int, at moment: Moment, milliseconds: UInt64
    ) {
        close()
        isOpen = true
        draft.call = call
        draft.cause = cause
        draft.source = source
        draft.origin = origin?.rawValue ?? 0
        draft.event = event
        draft.moment = moment
        draft.milliseconds = milliseconds
        draft.round = UInt32(truncatingIfNeeded: round)
        draft.number = mount?.id ?? number
        draft.mount = mount
    }

    /// - Parameter isHeld: into a control that is off the screen, which shows it on its return.
    func wrote(_ field: FieldID, isHeld: Bool = false) {
        wrote.append(Int32(truncatingIfNeeded: 2 * field + (isHeld ? 1 : 0)))
    }
    func set(_ key: FieldStore.KeyID) { set.append(Int32(truncatingIfNeeded: key)) }
    func assigned(_ mount: MountID) { assigned.append(mount) }

    func note(_ text: String) {
        self.text = text.utf8.count <= Self.longestText ? text : "\(text.prefix(Self.longestText / 4))…"
    }

    /// Whether the record under way is of this call and turn, and of this mount and source where it has them.
    func isOpen(
        _ call: TraceCall, of mount: MountID = 0, from source: Author? = nil, in turn: UInt64, round: Int
    ) -> Bool {
        isOpen && draft.call == call && draft.moment.turn == turn && draft.number == mount
            && draft.round == UInt32(truncatingIfNeeded: round) && Author.isSame(draft.source, source)
    }

    /// Packs the record under way.
    func close() {
        guard isOpen else { return }
        isOpen = false
        if newest.isEmpty { newestFirstTurn = draft.moment.turn }
        newestCount += 1
        // What most records do not have takes no byte in them.
        var parts: Parts = []
        if text != nil { parts.insert(.text) }
        if draft.source != nil { parts.insert(.source) }
        if !assigned.isEmpty { parts.insert(.assigned) }
        if !wrote.isEmpty || !set.isEmpty { parts.insert(.writes) }
        let listed =
            min(wrote.count, Self.listedNames) + min(set.count, Self.listedNames)
            + min(assigned.count, Self.listedNames)
        // Four bytes; a number for all the rest: eight in each, three counts, three of a source, and the text's length.
        newest.makeRoom(
            for: 4 + (15 + listed) * PackedBytes.longestNumber + (text?.utf8.count ?? 0), upTo: blockBytes)
        newest.put(draft.call.raw)
        newest.put(draft.cause)
        newest.put(draft.origin | parts.rawValue)
        newest.put(number: draft.moment.turn)
        newest.put(number: draft.moment.step)
        newest.put(number: draft.milliseconds)
        newest.put(number: UInt64(draft.round))
        newest.put(number: UInt64(draft.event + 1))
        newest.put(number: draft.number)
        if let mount = draft.mount.take() {
            controls.look(at: mount.view, &mount.tracedView)
            coordinators.look(at: mount.coordinator, &mount.tracedCoordinator)
            newest.put(number: UInt64(mount.tracedView.number))
            newest.put(number: UInt64(mount.tracedCoordinator.number))
        } else {
            newest.put(0)
            newest.put(0)
        }
        if parts.contains(.writes) {
            put(&wrote)
            put(&set)
        }
        if parts.contains(.assigned) { put(&assigned) }
        if let source = draft.source.take() {
            newest.put(number: source.turn)
            newest.put(source.call.raw)
            newest.put(number: UInt64(source.event + 1))
            newest.put(number: UInt64(source.mount))
        }
        if let text = text.take() {
            newest.put(number: UInt64(text.utf8.count))
            for byte in text.utf8 { newest.put(byte) }
        }
        if newest.count >= blockBytes { turnOver() }
    }

    /// The parts of a record that not all have, in the byte of its origin.
    struct Parts: OptionSet {
        var rawValue: UInt8
        static let text = Parts(rawValue: 0x80)
        static let source = Parts(rawValue: 0x40)
        static let assigned = Parts(rawValue: 0x20)
        static let writes = Parts(rawValue: 0x10)
        static let all: Parts = [.text, .source, .assigned, .writes]
    }

    /// The mount is gone, and so are its objects: another one at the same address is another instance.
    /// - Returns: the control's number.
    @discardableResult
    func forget(_ mount: Mount) -> UInt32 {
        close()
        defer { forgetObjects(of: mount) }
        return mount.tracedView.number
    }

    private func forgetObjects(of mount: Mount) {
        controls.release(&mount.tracedView)
        coordinators.release(&mount.tracedCoordinator)
    }

    /// All are counted, the first are listed: one call may write a million fields.
    @inline(__always)
    private func put(_ places: inout [some FixedWidthInteger]) {
        if places.isEmpty { return newest.put(0) }
        newest.put(number: UInt64(places.count))
        for place in places.prefix(Self.listedNames) { newest.put(number: UInt64(place)) }
        places.removeAll(keepingCapacity: true)
    }

    private func turnOver() {
        olderBytes += newest.count
        older.append(Block(bytes: newest.array, firstTurn: newestFirstTurn, count: newestCount))
        newest = PackedBytes()
        newestCount = 0
        while olderBytes > limit, !older.isEmpty { dropOldest() }
    }

    private func dropOldest() {
        let block = older.removeFirst()
        olderBytes -= block.bytes.count
        dropped += block.count
    }

    /// Gives up the older half of the records; whether there were any.
    func shed() -> Bool {
        close()
        if older.isEmpty {
            guard newestCount > 0 else { return false }
            dropped += newestCount
            newest = PackedBytes()
            newestCount = 0
            return true
        }
        for _ in 0..<(older.count + 1) / 2 { dropOldest() }
        return true
    }

    // MARK: Reading

    /// Turn of the oldest record that is kept; nil when there is none.
    var oldestTurn: UInt64? {
        close()
        if let first = older.first { return first.firstTurn }
        return newestCount > 0 ? newestFirstTurn : nil
    }

    /// The records of these turns in their order, until `body` answers false.
    func forEach(from first: UInt64, to last: UInt64, _ body: (PackedRecord) -> Bool) {
        close()
        for (position, block) in older.enumerated() {
            // A turn may begin in one block and end in the next.
            let next = position + 1 < older.count ? older[position + 1].firstTurn : newestFirstTurn
            if newestCount > 0 || position + 1 < older.count, next < first { continue }
            if block.firstTurn > last { return }
            if !Self.read(block.bytes, from: first, to: last, body) { return }
        }
        _ = Self.read(newest.array, from: first, to: last, body)
    }

    private static func read(
        _ bytes: [UInt8], from first: UInt64, to last: UInt64, _ body: (PackedRecord) -> Bool
    ) -> Bool {
        var reader = Reader(bytes: bytes)
        while reader.place < bytes.count {
            let record = reader.record()
            if record.turn < first { continue }
            if record.turn > last || !body(record) { return false }
        }
        return true
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func byte() -> UInt8 {
            defer { place += 1 }
            return bytes[place]
        }

        mutating func number() -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while true {
                let byte = byte()
                value |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
        }

        /// The listed ones, and how many are not.
        mutating func numbers(_ omitted: inout Int) -> [Int] {
            let count = Int(number())
            let listed = min(count, Trace.listedNames)
            omitted += count - listed
            return (0..<listed).map { _ in Int(number()) }
        }

        mutating func record() -> PackedRecord {
            var record = PackedRecord(call: TraceCall(raw: byte()), cause: byte())
            let packed = byte()
            let parts = Parts(rawValue: packed & Parts.all.rawValue)
            record.origin = packed & ~Parts.all.rawValue
            record.turn = number()
            record.step = number()
            record.milliseconds = number()
            record.round = Int(number())
            record.event = Int(number()) - 1
            record.mount = number()
            record.control = number()
            record.coordinator = number()
            if parts.contains(.writes) {
                for place in numbers(&record.omitted) {
                    if place & 1 == 0 {
                        record.wrote.append(place / 2)
                    } else {
                        record.held.append(place / 2)
                    }
                }
                record.set = numbers(&record.omitted)
            }
            if parts.contains(.assigned) { record.assigned = numbers(&record.omitted).map(UInt64.init) }
            if parts.contains(.source) {
                var source = Author(milliseconds: 0)
                source.turn = number()
                source.call = TraceCall(raw: byte())
                source.event = Int32(truncatingIfNeeded: number()) - 1
                source.mount = UInt32(truncatingIfNeeded: number())
                record.source = source
            }
            if parts.contains(.text) {
                let length = Int(number())
                record.text = String(decoding: bytes[place..<place + length], as: UTF8.self)
                place += length
            }
            return record
        }
    }
}

// For each `unsafe` of `PackedBytes`: whoever writes has made room before, so that there is a block with a free place in
// it; the first `count` places are written.

/// Bytes of one owner, written one by one. An array is asked for each byte whether it is shared and whether it is full:
/// 40 instructions a byte, where this takes six.
@safe private struct PackedBytes: ~Copyable {
    private var block: UnsafeMutablePointer<UInt8>?
    private(set) var count = 0
    private(set) var capacity = 0

    /// Bytes of the longest number.
    static let longestNumber = 10
    private static let smallestBlock = 64
    /// Room that a record without many names asks for.
    private static let usualRecord = 256

    init() { unsafe block = nil }

    deinit { unsafe block?.deallocate() }

    var isEmpty: Bool { count == 0 }

    var array: [UInt8] { unsafe Array(UnsafeBufferPointer(start: block, count: count)) }

    /// Room for so many bytes more. The block grows twice as large, and hardly beyond `limit`: there it is handed over, and
    /// what it had too much counts until then.
    @inline(__always)
    mutating func makeRoom(for size: Int, upTo limit: Int) {
        if count + size > capacity { grow(by: size, upTo: limit) }
    }

    private mutating func grow(by size: Int, upTo limit: Int) {
        capacity = max(Self.smallestBlock, count + size, min(capacity * 2, limit + Self.usualRecord))
        let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        if let block = unsafe block { unsafe grown.initialize(from: block, count: count) }
        unsafe block?.deallocate()
        unsafe block = grown
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        unsafe block.unsafelyUnwrapped[count] = byte
        count &+= 1
    }

    /// Seven bits a byte, the lowest first.
    @inline(__always)
    mutating func put(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }
}

/// A record as it was packed: numbers where a reader wants names.
struct PackedRecord {
    var call: TraceCall
    var cause: UInt8
    var origin: UInt8 = 0
    var turn: UInt64 = 0
    var step: UInt64 = 0
    var milliseconds: UInt64 = 0
    var round = 0
    var event = -1
    var mount: MountID = 0
    var control: UInt64 = 0
    var coordinator: UInt64 = 0
    var wrote: [Int] = []
    /// Fields written into a control that was off the screen.
    var held: [Int] = []
    var set: [Int] = []
    var assigned: [MountID] = []
    var omitted = 0
    var source: Author?
    var text: String?
}

/// The objects that make and coordinator returned, counted in the order in which they were first seen, so that the same
/// events give the same numbers wherever the objects lie.
private struct Instances {
    private struct Known {
        var number: UInt32
        var holders: Int
    }

    private var count: UInt32 = 0
    private var known: [ObjectID: Known] = [:]

    /// Brings a mount's number up to date with the object that it holds now; 0 for none.
    mutating func look(at object: ObjectID, _ held: inout TracedObject) {
        if object == held.object { return }
        release(&held)
        if object == 0 { return }
        // Two mounts may share one: the same object, the same number.
        if let number = known[object]?.number {
            known[object]?.holders += 1
            held = TracedObject(object: object, number: number)
        } else {
            count += 1
            known[object] = Known(number: count, holders: 1)
            held = TracedObject(object: object, number: count)
        }
    }

    /// Once nobody holds it, another object at its address is another instance.
    mutating func release(_ held: inout TracedObject) {
        if held.object == 0 { return }
        if let holders = known[held.object]?.holders, holders > 1 {
            known[held.object]?.holders = holders - 1
        } else {
            known[held.object] = nil
        }
        held = TracedObject()
    }
}

/// An object that a mount holds, and its number in the trace.
struct TracedObject {
    var object: ObjectID = 0
    var number: UInt32 = 0
}

/// What a record is of: a body that ran, or what came into the simulation from outside.
struct TraceCall: Equatable {
    /// What has no body of its own.
    enum Other: UInt8 {
        case start = 200
        case modelSet, modelClear, screenDeclare, screenSet, screenClear, assign, update, mount, unmount,
            advance
        case clock, post, settle, mainQueue, unmounted
        case build, activity, identify, rebind, items, dismiss, environment, note
        // What the kernel carries out for a call that came before.
        case writeBack, state, lifted, committed
        // What becomes of a mount's fields with no call of its own.
        case hidden, revealed, cleared, pooled
        case destroy
    }

    let raw: UInt8

    init(raw: UInt8) { self.raw = raw }
    init(_ kind: CallRecord.Kind) { raw = kind.rawValue }
    init(_ other: Other) { raw = other.rawValue }

    static let tick = TraceCall(CallRecord.Kind.tick)

    var kind: CallRecord.Kind? { CallRecord.Kind(rawValue: raw) }

    /// Whether it is of a body that can carry a value to a screen.
    var carries: Bool { kind == .draw || kind == .update || kind == .make }

    /// As the protocol spells it: a request by the name of its method.
    var word: StaticString {
        if let kind { return kind.word }
        return switch Other(rawValue: raw) {
        case .start: "start"
        case .modelSet: "model.set"
        case .modelClear: "model.clear"
        case .screenDeclare: "screen.declare"
        case .screenSet: "screen.set"
        case .screenClear: "screen.clear"
        case .assign: "bridge.assign"
        case .update: "bridge.update"
        case .mount: "bridge.mount"
        case .unmount: "bridge.unmount"
        case .advance: "sim.advance"
        case .clock: "clock"
        case .post: "post"
        case .mainQueue: "main-queue"
        case .unmounted: "unmounted"
        case .build: "bridge.build"
        case .activity: "host.set"
        case .identify: "bridge.identify"
        case .rebind: "bridge.rebind"
        case .items: "bridge.items"
        case .dismiss: "bridge.dismiss"
        case .environment: "environment.set"
        case .note: "note"
        case .writeBack: "write-back"
        case .state: "state"
        case .lifted: "lifted"
        case .committed: "committed"
        case .hidden: "hidden"
        case .revealed: "revealed"
        case .cleared: "cleared"
        case .pooled: "pooled"
        case .destroy: "sim.destroy"
        case .settle, nil: "settle"
        }
    }
}

/// Why something came later than the call that asked for it, where that is no `Cause` of a body.
enum Lateness: UInt8 {
    // Of a tick.
    case timer = 128
    case nextTurn, post, watch, command
    // Of a write into the model or into view state.
    case deferred, captured, reread

    var word: StaticString {
        switch self {
        case .timer: "timer"
        case .nextTurn: "next-turn"
        case .post: "post"
        case .watch: "watch"
        case .command: "command"
        case .deferred: "deferred"
        case .captured: "captured"
        case .reread: "reread"
        }
    }
}

/// Where what came into a simulation came from.
public enum TraceOrigin: UInt8, Sendable {
    /// A request.
    case client = 1
    /// A step of the scenario's own script.
    case script
    /// Handed over by the plug-in, from outside a turn.
    case plugin
    /// The real clock.
    case clock
    /// A program's own write into a native view, come back as an event (R38).
    case echo

    public var word: StaticString {
        switch self {
        case .client: "client"
        case .script: "script"
        case .plugin: "plugin"
        case .clock: "clock"
        case .echo: "echo"
        }
    }
}

/// One thing that happened in a simulation, and what it wrote.
public struct TraceRecord {
    public var turn: UInt64
    public var milliseconds: UInt64
    /// Round of the turn, from 0: what began it.
    public var round: Int
    public var call: StaticString
    public var bridge: BridgeID?
    public var mount: MountID?
    /// The native control that the mount held after the call: counted in the simulation, a new object is a new number.
    public var control: UInt64?
    public var coordinator: UInt64?
    public var cause: StaticString?
    public var origin: TraceOrigin?
    /// Fields written, also with an equal value.
    public var wrote: [FieldID]
    /// Fields written into a control that was off the screen: it shows them on its return.
    public var held: [FieldID]
    /// Model keys set, cleared or bound.
    public var set: [String]
    /// Mounts whose root view the call assigned.
    public var assigned: [MountID]
    /// The call that asked for this one, in an earlier round or turn.
    public var source: Source?
    /// Fields and keys beyond those that are named.
    public var omitted: Int
    /// The event's id, what was set, or why the call failed.
    public var text: String?

    /// A call by its turn, and by an event's id or the call's own word.
    public struct Source {
        public var turn: UInt64
        public var by: String
        public var bridge: BridgeID?
        public var mount: MountID?
    }
}
