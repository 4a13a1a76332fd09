// What comes into a simulation, in the two forms in which it is kept: packed into bytes in memory, and as lines of a
// recording. A new kind of event has its case in each of the four switches below, and nowhere else.
//
// For each `unsafelyUnwrapped` in here: a buffer that is not empty has an address, and a writer with room a start.

import Glibc
import SeamKernel
import SeamWire

/// One thing that came into a simulation from outside, as it was applied. All of them in order, with how it was created
/// and its seed, make the same simulation again.
nonisolated enum Input {
    case create
    case event(Event)
    case advance(Advance)
    case destroy

    var isCreation: Bool { if case .create = self { true } else { false } }
}

/// The clock was moved.
nonisolated struct Advance {
    /// In nanoseconds of the simulation.
    var moment: Int64
    /// Somebody asked for it; else it was the real clock.
    var isRequest: Bool
    /// A fork may begin in the middle of one: after so many turns. 0 is the whole of it.
    var turns: UInt64 = 0
}

// MARK: - packed

/// Inputs as bytes: a tag, then numbers of variable length and texts behind their length.
nonisolated enum PackedInput {
    private enum Tag: UInt8 {
        case modelWrite, screenDeclare, screenWrite, send, assign, update, mount, unmount, settle, tick, note
        case request, clock
        case build, assignBuilt, activity, identify, items, rebind, dismiss, environment
    }

    /// What most events are.
    @inline(__always)
    static func writeModel(_ values: [KeyValue], to writer: inout Writer) {
        writer.put(Tag.modelWrite.rawValue)
        writer.put(values)
    }

    @inline(__always)
    static func write(_ event: Event, to writer: inout Writer) {
        switch event {
        case .modelWrite(let values): writeModel(values, to: &writer)
        case .screenDeclare(let screen, let keys):
            writer.put(Tag.screenDeclare.rawValue)
            writer.put(screen)
            writer.put(number: UInt64(keys.count))
            for key in keys { writer.put(key) }
        case .screenWrite(let screen, let values):
            writer.put(Tag.screenWrite.rawValue)
            writer.put(screen)
            writer.put(values)
        case .send(let event, let arguments, let mount):
            writer.put(Tag.send.rawValue)
            writer.put(number: UInt64(event))
            writer.put(number: UInt64(arguments.count))
            for argument in arguments { writer.put(argument) }
            writer.put(number: mount ?? 0)
        case .assign(let bridge, let mount): put(.assign, bridge, mount, to: &writer)
        case .update(let bridge, let mount, let cause):
            put(.update, bridge, mount, to: &writer)
            writer.put(cause.rawValue)
        case .build(let bridge, let mount): put(.build, bridge, mount, to: &writer)
        case .assignBuilt(let bridge, let mount): put(.assignBuilt, bridge, mount, to: &writer)
        case .activity(let bridge, let mount, let change):
            put(.activity, bridge, mount, to: &writer)
            writer.put(number: change.bits)
        case .identify(let bridge, let mount, let id):
            put(.identify, bridge, mount, to: &writer)
            writer.put(id)
        case .rebind(let bridge, let mount, let owner):
            put(.rebind, bridge, mount, to: &writer)
            writer.put(owner)
        case .dismiss(let bridge, let mount): put(.dismiss, bridge, mount, to: &writer)
        case .items(let bridge, let items):
            writer.put(Tag.items.rawValue)
            writer.put(number: UInt64(bridge))
            writer.put(number: UInt64(items.count))
            for item in items {
                writer.put(item.id)
                writer.put(item.value)
            }
        case .environment(let values, let bridge, let mount):
            writer.put(Tag.environment.rawValue)
            // 0 is the root.
            writer.put(number: UInt64(bridge.map { $0 + 1 } ?? 0))
            writer.put(number: mount ?? 0)
            writer.put(values)
        case .mount(let bridge): put(.mount, bridge, nil, to: &writer)
        case .unmount(let bridge, let mount): put(.unmount, bridge, mount, to: &writer)
        case .settle: writer.put(Tag.settle.rawValue)
        case .tick(let token):
            writer.put(Tag.tick.rawValue)
            writer.put(number: token)
        case .note(let code, let severity, let text):
            writer.put(Tag.note.rawValue)
            writer.put(code)
            writer.put(severity.rawValue)
            writer.put(text)
        }
    }

    @inline(__always)
    static func write(_ advance: Advance, to writer: inout Writer) {
        writer.put(advance.isRequest ? Tag.request.rawValue : Tag.clock.rawValue)
        writer.put(number: UInt64(bitPattern: advance.moment))
        writer.put(number: advance.turns)
    }

    private static func put(
        _ tag: Tag, _ bridge: BridgeID, _ mount: MountID?, to writer: inout Writer
    ) {
        writer.put(tag.rawValue)
        writer.put(number: UInt64(bridge))
        writer.put(number: mount ?? 0)
    }

    /// Reads what `write` wrote.
    static func read(from reader: inout Reader) -> Input {
        guard let tag = Tag(rawValue: reader.byte()) else { preconditionFailure("no input begins so") }
        switch tag {
        case .modelWrite: return .event(.modelWrite(reader.values()))
        case .screenDeclare:
            let screen = reader.text() ?? ""
            return .event(
                .screenDeclare(screen: screen, keys: (0..<reader.number()).map { _ in reader.text() ?? "" }))
        case .screenWrite:
            let screen = reader.text() ?? ""
            return .event(.screenWrite(screen: screen, reader.values()))
        case .send:
            let event = Int(reader.number())
            let arguments = (0..<reader.number()).map { _ in reader.text() }
            return .event(.send(event, arguments: arguments, mount: reader.mount()))
        case .assign: return .event(.assign(Int(reader.number()), mount: reader.mount()))
        case .update:
            let (bridge, mount) = (Int(reader.number()), reader.mount())
            return .event(.update(bridge, mount: mount, cause: Cause(rawValue: reader.byte()) ?? .repeat))
        case .build: return .event(.build(Int(reader.number()), mount: reader.mount()))
        case .assignBuilt: return .event(.assignBuilt(Int(reader.number()), mount: reader.mount()))
        case .activity:
            let (bridge, mount) = (Int(reader.number()), reader.mount())
            return .event(.activity(bridge, mount: mount, ActivityChange(bits: reader.number())))
        case .identify:
            let (bridge, mount) = (Int(reader.number()), reader.mount())
            return .event(.identify(bridge, mount: mount, id: reader.text() ?? ""))
        case .rebind:
            let (bridge, mount) = (Int(reader.number()), reader.mount())
            return .event(.rebind(bridge, mount: mount, owner: reader.text() ?? ""))
        case .dismiss: return .event(.dismiss(Int(reader.number()), mount: reader.mount()))
        case .items:
            let bridge = Int(reader.number())
            let items = (0..<reader.number()).map { _ in Item(id: reader.text() ?? "", value: reader.text()) }
            return .event(.items(bridge, items))
        case .environment:
            let host = Int(reader.number())
            let mount = reader.mount()
            let bridge = host == 0 ? nil : host - 1
            return .event(.environment(reader.values(), bridge: bridge, mount: mount))
        case .mount:
            let bridge = Int(reader.number())
            _ = reader.mount()
            return .event(.mount(bridge))
        case .unmount: return .event(.unmount(Int(reader.number()), mount: reader.mount()))
        case .settle: return .event(.settle)
        case .tick: return .event(.tick(reader.number()))
        case .note:
            let code = reader.text() ?? ""
            let severity = Severity(rawValue: reader.byte()) ?? .error
            return .event(.note(code: code, severity: severity, text: reader.text() ?? ""))
        case .request, .clock:
            let moment = Int64(bitPattern: reader.number())
            return .advance(Advance(moment: moment, isRequest: tag == .request, turns: reader.number()))
        }
    }

    /// Writes into a block as far as there is room, and counts on beyond it: one pass over the input is enough where it
    /// fits, and where it does not it has been measured.
    struct Writer {
        private let start: UnsafeMutablePointer<UInt8>?
        private let room: Int
        private(set) var count = 0

        /// - Parameter start: where there is `room`; nil for none.
        @inline(__always)
        init(at start: UnsafeMutablePointer<UInt8>?, room: Int) {
            self.start = start
            self.room = room
        }

        /// Whether all of it was written.
        @inline(__always)
        var fits: Bool { count <= room }

        // Wrapping: nothing that is in memory is as long as a number can count.

        @inline(__always)
        mutating func put(_ byte: UInt8) {
            if count < room { start.unsafelyUnwrapped[count] = byte }
            count &+= 1
        }

        /// Seven bits a byte, the lowest first.
        @inline(__always)
        mutating func put(number: UInt64) {
            if number > 0x7F { return put(long: number) }
            put(UInt8(truncatingIfNeeded: number))
        }

        @inline(never)
        private mutating func put(long number: UInt64) {
            var rest = number
            while rest > 0x7F {
                put(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            put(UInt8(truncatingIfNeeded: rest))
        }

        /// The length and one, then the bytes; 0 is no text.
        @inline(__always)
        mutating func put(_ text: String?) {
            if let text { put(text) } else { put(0) }
        }

        @inline(__always)
        mutating func put(_ text: String) {
            let length = text.utf8.count
            // A short one that fits, with its length: looked at once.
            guard length < 0x7F, count &+ length < room else { return put(text, length) }
            let place = start.unsafelyUnwrapped + count
            place.pointee = UInt8(truncatingIfNeeded: length &+ 1)
            Self.copy(text, length, to: place + 1)
            count &+= 1 &+ length
        }

        @inline(never)
        private mutating func put(_ text: String, _ length: Int) {
            put(number: UInt64(truncatingIfNeeded: length &+ 1))
            if count &+ length <= room {
                Self.copy(text, length, to: start.unsafelyUnwrapped + count)
            }
            count &+= length
        }

        @inline(__always)
        private static func copy(_ text: String, _ length: Int, to place: UnsafeMutablePointer<UInt8>) {
            // Contiguous but for a string that came from Foundation, of which there is none in seamd.
            let copied: Void? = text.utf8.withContiguousStorageIfAvailable { bytes in
                if let base = bytes.baseAddress { memcpy(place, base, length) }
            }
            if copied == nil { copyByBytes(text, to: place) }
        }

        @inline(never)
        private static func copyByBytes(_ text: String, to place: UnsafeMutablePointer<UInt8>) {
            for (offset, byte) in text.utf8.enumerated() { place[offset] = byte }
        }

        @inline(__always)
        mutating func put(_ values: [KeyValue]) {
            put(number: UInt64(values.count))
            // Through a span: whole elements would be copied, with a retain and a release for each text.
            let values = values.span
            for index in values.indices {
                put(values[index].key)
                put(values[index].value)
            }
        }
    }

    struct Reader {
        var place: UnsafePointer<UInt8>

        mutating func byte() -> UInt8 {
            defer { place += 1 }
            return place.pointee
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

        mutating func text() -> String? {
            let length = number()
            if length == 0 { return nil }
            let count = Int(length - 1)
            defer { place += count }
            return String(decoding: UnsafeBufferPointer(start: place, count: count), as: UTF8.self)
        }

        mutating func mount() -> MountID? {
            let mount = number()
            return mount == 0 ? nil : mount
        }

        mutating func values() -> [KeyValue] {
            (0..<number()).map { _ in (text() ?? "", text()) }
        }
    }
}

extension ActivityChange {
    /// Two bits for each member: whether it is given, and what it is.
    fileprivate nonisolated var bits: UInt64 {
        var bits: UInt64 = 0
        for (place, value) in [window, scene.map { $0 == .active }, hidden, size, parked].enumerated() {
            if let value { bits |= (value ? 3 : 1) << (2 * place) }
        }
        return bits
    }

    fileprivate nonisolated init(bits: UInt64) {
        func value(_ place: Int) -> Bool? {
            let pair = bits >> (2 * place)
            return pair & 1 == 0 ? nil : pair & 2 != 0
        }
        self.init(
            window: value(0), scene: value(1).map { $0 ? .active : .inactive }, hidden: value(2),
            size: value(3), parked: value(4))
    }
}

// MARK: - as a line

/// Where the simulation stood when an input came: the turn that it began, and the clock.
nonisolated struct InputMoment {
    var turn: UInt64
    var nanoseconds: Int64
}

nonisolated extension ByteBuffer {
    /// The line of an input. Of those from before the recording began nobody knows the moment.
    mutating func inputLine(_ input: Input, at moment: InputMoment?, of scenario: Scenario) {
        object { out in
            switch input {
            case .create: out.inputHead("create", moment)
            case .event(let event): out.members(of: event, moment, scenario)
            case .advance(let advance):
                out.inputHead(advance.isRequest ? "sim.advance" : "clock", moment)
                out.member("to", milliseconds(advance.moment))
                // Two numbers, since a double does not hold all nanoseconds of a year.
                let rest = UInt64(advance.moment) % 1_000_000
                if rest > 0 { out.member("ns", rest) }
                if advance.turns > 0 { out.member("turns", advance.turns) }
            case .destroy: out.inputHead("sim.destroy", moment)
            }
        }
        append(0x0A)
    }

    private mutating func inputHead(_ name: StaticString, _ moment: InputMoment?) {
        member("in", name)
        guard let moment else { return }
        member("turn", moment.turn)
        member("ms", milliseconds(moment.nanoseconds))
    }

    private mutating func members(of event: Event, _ moment: InputMoment?, _ scenario: Scenario) {
        switch event {
        case .modelWrite(let values):
            inputHead("model.set", moment)
            inputValues("values", values)
        case .screenDeclare(let screen, let keys):
            inputHead("screen.declare", moment)
            member("screen", screen)
            member("fields", keys)
        case .screenWrite(let screen, let values):
            inputHead("screen.set", moment)
            member("screen", screen)
            inputValues("values", values)
        case .send(let event, let arguments, let mount):
            inputHead("sim.send", moment)
            member("event", scenario.events[event].id)
            let names = scenario.events[event].arguments.lazy.map(\.id)
            inputValues("args", Array(zip(names, arguments)))
            if let mount { member("mount", mount) }
        case .assign(let bridge, let mount): bridgeInput("bridge.assign", moment, bridge, mount, scenario)
        case .update(let bridge, let mount, let cause):
            bridgeInput("bridge.update", moment, bridge, mount, scenario)
            if cause != .repeat { member("cause", cause.word) }
        case .build(let bridge, let mount): bridgeInput("bridge.build", moment, bridge, mount, scenario)
        case .assignBuilt(let bridge, let mount):
            bridgeInput("bridge.assign", moment, bridge, mount, scenario)
            member("built", true)
        case .activity(let bridge, let mount, let change):
            bridgeInput("host.set", moment, bridge, mount, scenario)
            if let window = change.window { member("window", window) }
            if let scene = change.scene { member("scene", scene.rawValue) }
            if let hidden = change.hidden { member("hidden", hidden) }
            if let size = change.size { member("size", size) }
            if let parked = change.parked { member("parked", parked) }
        case .identify(let bridge, let mount, let id):
            bridgeInput("bridge.identify", moment, bridge, mount, scenario)
            member("identity", id)
        case .rebind(let bridge, let mount, let owner):
            bridgeInput("bridge.rebind", moment, bridge, mount, scenario)
            member("owner", owner)
        case .dismiss(let bridge, let mount): bridgeInput("bridge.dismiss", moment, bridge, mount, scenario)
        case .items(let bridge, let items):
            bridgeInput("bridge.items", moment, bridge, nil, scenario)
            array("items") { out in
                for item in items {
                    out.object {
                        $0.member("id", item.id)
                        $0.member("value", orNull: item.value)
                    }
                }
            }
        case .environment(let values, let bridge, let mount):
            inputHead("environment.set", moment)
            if let bridge { member("bridge", scenario.bridges[bridge].id) }
            if let mount { member("mount", mount) }
            inputValues("values", values)
        case .mount(let bridge): bridgeInput("bridge.mount", moment, bridge, nil, scenario)
        case .unmount(let bridge, let mount): bridgeInput("bridge.unmount", moment, bridge, mount, scenario)
        case .settle: inputHead("settle", moment)
        case .tick(let token):
            inputHead("post", moment)
            // As text: all 64 bits belong to the plug-in.
            member("token", "\(token)")
        case .note(let code, let severity, let text):
            inputHead("note", moment)
            member("code", code)
            member("severity", severity.word)
            member("text", text)
        }
    }

    private mutating func bridgeInput(
        _ name: StaticString, _ moment: InputMoment?, _ bridge: BridgeID, _ mount: MountID?,
        _ scenario: Scenario
    ) {
        inputHead(name, moment)
        member("bridge", scenario.bridges[bridge].id)
        if let mount { member("mount", mount) }
    }

    mutating func inputValues(_ name: StaticString, _ values: [KeyValue]) {
        object(name) { out in
            for (key, value) in values {
                out.key(key)
                if let value { out.value(value) } else { out.null() }
            }
        }
    }
}

/// What is wrong with a line of a recording, for a person.
nonisolated struct Unreadable: Error {
    var text: String

    init(_ text: String) { self.text = text }
}

nonisolated extension Input {
    /// Reads what `inputLine` writes. A file may come from anywhere, so what a request could not have brought in, a name
    /// or a value beyond its limit, a recording does not either.
    static func read(_ line: JSON, of scenario: Scenario, within limits: Limits) throws(Unreadable) -> Input {
        guard let name = line["in"]?.text else {
            throw Unreadable("the line is neither an input nor a result")
        }
        let members = InputMembers(line: line, name: name, limits: limits)
        switch name {
        case "create": return .create
        case "sim.destroy": return .destroy
        case "sim.advance", "clock":
            let rest = line["ns"] == nil ? 0 : try members.number("ns")
            let (whole, isTooLong) = try members.number("to").multipliedReportingOverflow(by: 1_000_000)
            guard !isTooLong, rest < 1_000_000, let moment = Int64(exactly: whole + rest) else {
                throw Unreadable("\(name) names a moment that no clock reaches")
            }
            let turns = line["turns"] == nil ? 0 : try members.number("turns")
            return .advance(Advance(moment: moment, isRequest: name == "sim.advance", turns: turns))
        default: return .event(try event(name, members, of: scenario))
        }
    }

    private static func event(
        _ name: String, _ members: InputMembers, of scenario: Scenario
    ) throws(Unreadable) -> Event {
        switch name {
        case "model.set": return .modelWrite(try members.values("values"))
        case "screen.declare":
            return .screenDeclare(screen: try members.screen(), keys: try members.names("fields"))
        case "screen.set":
            return .screenWrite(screen: try members.screen(), try members.values("values"))
        case "sim.send":
            let id = try members.text("event")
            guard let event = scenario.events.firstIndex(where: { $0.id == id }) else {
                throw Unreadable("the scenario \(scenario.id) has no event \(WireError.excerpt(id))")
            }
            let given = try members.values("args")
            let declared = scenario.events[event].arguments
            guard given.count == declared.count, zip(given, declared).allSatisfy({ $0.key == $1.id }) else {
                throw Unreadable("the event \(id) takes other arguments now")
            }
            return .send(event, arguments: given.map(\.value), mount: try members.mount())
        case "bridge.assign":
            let (bridge, mount) = (try members.bridge(of: scenario), try members.mount())
            return try members.flag("built") == true
                ? .assignBuilt(bridge, mount: mount) : .assign(bridge, mount: mount)
        case "bridge.update":
            let (bridge, mount) = (try members.bridge(of: scenario), try members.mount())
            return .update(bridge, mount: mount, cause: try members.cause())
        case "bridge.build": return .build(try members.bridge(of: scenario), mount: try members.mount())
        case "host.set":
            return .activity(
                try members.bridge(of: scenario), mount: try members.mount(), try members.activity())
        case "bridge.identify":
            return .identify(
                try members.bridge(of: scenario), mount: try members.mount(),
                id: try members.named("identity")
            )
        case "bridge.rebind":
            return .rebind(
                try members.bridge(of: scenario), mount: try members.mount(),
                owner: try members.named("owner")
            )
        case "bridge.dismiss": return .dismiss(try members.bridge(of: scenario), mount: try members.mount())
        case "bridge.items": return .items(try members.bridge(of: scenario), try members.items())
        case "environment.set":
            let bridge = members.line["bridge"] == nil ? nil : try members.bridge(of: scenario)
            return .environment(try members.values("values"), bridge: bridge, mount: try members.mount())
        case "bridge.mount": return .mount(try members.bridge(of: scenario))
        case "bridge.unmount": return .unmount(try members.bridge(of: scenario), mount: try members.mount())
        case "settle": return .settle
        case "post":
            guard let token = UInt64(try members.text("token")) else { throw Unreadable("post has no token") }
            return .tick(token)
        case "note":
            let word = try members.text("severity")
            guard let severity = [Severity.info, .warning, .error].first(where: { "\($0.word)" == word })
            else {
                throw Unreadable("there is no severity \(WireError.excerpt(word))")
            }
            return .note(
                code: try members.named("code"), severity: severity, text: try members.value("text"))
        default: throw Unreadable("there is no input \(WireError.excerpt(name))")
        }
    }
}

/// The members of an input's line, by what they have to be.
private nonisolated struct InputMembers {
    let line: JSON
    let name: String
    let limits: Limits

    private func check(name text: String, isPlain: Bool = false) throws(Unreadable) {
        var text = text
        if let fault = text.withUTF8({ limits.fault(inName: $0, isPlain: isPlain) }) {
            throw Unreadable(
                "\(name) holds a name that \(fault)\(text.isEmpty ? "" : ": \(WireError.excerpt(text))")")
        }
    }

    private func check(value: String?, of member: String) throws(Unreadable) {
        guard let size = value?.utf8.count, size > limits.valueBytes else { return }
        throw Unreadable(
            "the value of \(WireError.excerpt(member)) in \(name) has \(size) bytes, where at most \(limits.valueBytes) "
                + "can be")
    }

    func named(_ member: String) throws(Unreadable) -> String {
        let text = try text(member)
        try check(name: text)
        return text
    }

    func screen() throws(Unreadable) -> String {
        let text = try text("screen")
        try check(name: text, isPlain: true)
        return text
    }

    func value(_ member: String) throws(Unreadable) -> String {
        let text = try text(member)
        try check(value: text, of: member)
        return text
    }

    func text(_ member: String) throws(Unreadable) -> String {
        guard let text = line[member]?.text else { throw Unreadable("\(name) has no text \(member)") }
        return text
    }

    func names(_ member: String) throws(Unreadable) -> [String] {
        guard let elements = line[member]?.elements else { throw Unreadable("\(name) has no list \(member)") }
        let texts = elements.compactMap(\.text)
        guard texts.count == elements.count else { throw Unreadable("\(member) of \(name) holds no texts") }
        for text in texts { try check(name: text) }
        return texts
    }

    func number(_ member: String) throws(Unreadable) -> UInt64 {
        guard let number = line[member]?.unsigned else { throw Unreadable("\(name) has no number \(member)") }
        return number
    }

    func values(_ member: String) throws(Unreadable) -> [KeyValue] {
        guard let members = line[member]?.members else { throw Unreadable("\(name) has no object \(member)") }
        var values: [KeyValue] = []
        for entry in members {
            guard entry.value.isNull || entry.value.text != nil else {
                throw Unreadable("\(WireError.excerpt(entry.name)) in \(name) is no text")
            }
            try check(name: entry.name)
            try check(value: entry.value.text, of: entry.name)
            values.append((entry.name, entry.value.text))
        }
        return values
    }

    func flag(_ member: String) throws(Unreadable) -> Bool? {
        switch line[member] {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw Unreadable("\(member) of \(name) is neither true nor false")
        }
    }

    func cause() throws(Unreadable) -> Cause {
        guard line["cause"] != nil else { return .repeat }
        let word = try text("cause")
        guard let cause = Cause.allCases.first(where: { "\($0.word)" == word }) else {
            throw Unreadable("there is no cause \(WireError.excerpt(word))")
        }
        return cause
    }

    func activity() throws(Unreadable) -> ActivityChange {
        var scene: Activity.Scene?
        if line["scene"] != nil {
            let word = try text("scene")
            scene = Activity.Scene(rawValue: word)
            if scene == nil { throw Unreadable("there is no scene \(WireError.excerpt(word))") }
        }
        return ActivityChange(
            window: try flag("window"), scene: scene, hidden: try flag("hidden"), size: try flag("size"),
            parked: try flag("parked"))
    }

    func items() throws(Unreadable) -> [Item] {
        guard let elements = line["items"]?.elements else { throw Unreadable("\(name) has no list items") }
        var items: [Item] = []
        var ids: Set<String> = []
        for element in elements {
            guard let id = element["id"]?.text else { throw Unreadable("an item of \(name) has no id") }
            guard let value = element["value"], value.isNull || value.text != nil else {
                throw Unreadable("the value of the item \(WireError.excerpt(id)) is no text")
            }
            try check(name: id)
            try check(value: value.text, of: id)
            guard ids.insert(id).inserted else {
                throw Unreadable("two items of \(name) have the id \(WireError.excerpt(id))")
            }
            items.append(Item(id: id, value: value.text))
        }
        return items
    }

    func mount() throws(Unreadable) -> MountID? { line["mount"] == nil ? nil : try number("mount") }

    func bridge(of scenario: Scenario) throws(Unreadable) -> BridgeID {
        let id = try text("bridge")
        guard let bridge = scenario.bridges.firstIndex(where: { $0.id == id }) else {
            throw Unreadable("the scenario \(scenario.id) has no bridge \(WireError.excerpt(id))")
        }
        return bridge
    }
}
