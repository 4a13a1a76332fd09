import CSimdjson

/// The parameters of one request on their way from nodes to a `Call`: each finds its place in the method's row of the
/// table, is checked by its kind, and only then becomes a Swift value.
struct Arguments {
    let nodes: JSONNodes
    let params: UnsafeBufferPointer<ParamSpec>
    /// By place in the row: where the value lies; 0 is left out. Like the limits it belongs to the decoder, since this
    /// struct is copied on its way and has to stay small.
    private let slots: UnsafeMutablePointer<Int>
    private let shared: UnsafeMutablePointer<Workspace.Shared>

    /// What arguments need beside the line, kept between requests. One thread.
    final class Workspace {
        fileprivate struct Shared {
            let limits: Limits
            /// What the last requests set that set one key: when nobody holds such a request any more, the value of
            /// a later one takes the place of this without an allocation.
            var singles = (0..<RequestDecoder.mostAhead).map { _ in [KeyValue(key: "", value: nil)] }
            var nextSingle = 0
        }

        fileprivate let slots: UnsafeMutablePointer<Int>
        fileprivate let shared: UnsafeMutablePointer<Shared>

        init(limits: Limits) {
            slots = .allocate(capacity: MethodTable.specs.map(\.params.count).max() ?? 0)
            shared = .allocate(capacity: 1)
            shared.initialize(to: Shared(limits: limits))
        }

        deinit {
            slots.deallocate()
            shared.deinitialize(count: 1)
            shared.deallocate()
        }
    }

    /// Valid until the workspace is used for the next request.
    init(nodes: JSONNodes, params: UnsafeBufferPointer<ParamSpec>, workspace: Workspace) {
        self.nodes = nodes
        self.params = params
        slots = workspace.slots
        shared = workspace.shared
        slots.update(repeating: 0, count: params.count)
    }

    private var limits: Limits {
        shared.pointee.limits
    }

    // MARK: finding

    func takeNamed(_ object: Int, _ method: Method) throws(WireError) {
        var key = object + 1
        let end = nodes.after(object)
        // Clients write parameters in order more often than not: the search begins where the last one ended.
        var next = 0
        while key < end {
            guard let slot = slot(of: WireText(nodes.bytes(key)), from: next) else {
                throw unknownParam(nodes.text(key), method)
            }
            place(key + 1, in: slot)
            next = slot + 1
            key = nodes.after(key + 1)
        }
    }

    func takePositional(_ array: Int, _ method: Method) throws(WireError) {
        let count = nodes.count(array)
        if count > params.count {
            let expected = params.isEmpty ? "no parameters" : "at most \(params.count): \(paramList)"
            throw .badParam(
                .unknownParam, path: "params[\(params.count)]", expected: expected,
                "\(method.name) takes \(expected); the request has \(count).")
        }
        var element = array + 1
        for slot in 0..<count {
            place(element, in: slot)
            element = nodes.after(element)
        }
    }

    private func slot(of name: WireText, from first: Int) -> Int? {
        for slot in first..<max(first, params.count) where name.equals(params[slot].wireName) { return slot }
        for slot in 0..<min(first, params.count) where name.equals(params[slot].wireName) { return slot }
        return nil
    }

    /// An optional parameter that is null counts as left out: in an array there is no other way to pass one over.
    private func place(_ position: Int, in slot: Int) {
        if nodes.kind(position) == SEAM_JSON_NULL && !params[slot].isRequired { return }
        slots[slot] = position
    }

    private var paramList: String { params.map { "\($0.name)" }.joined(separator: ", ") }

    private func unknownParam(_ name: String, _ method: Method) -> WireError {
        let known = nearest(name, among: params.lazy.map { "\($0.name)" })
        let remedy = known.isEmpty ? "it takes none" : "it takes \(paramList)"
        return .badParam(
            .unknownParam, path: WireError.excerpt(name),
            expected: known.isEmpty ? "no parameters" : paramList,
            "\(method.name) has no parameter \(WireError.excerpt(name)); \(remedy).", known: known)
    }

    // MARK: checking

    func check(_ method: Method) throws(WireError) {
        for slot in 0..<params.count {
            let param = params[slot]
            let position = slots[slot]
            if position != 0 {
                try check(position, param)
            } else if param.isRequired {
                throw .badParam(
                    .missingParam, path: "\(param.name)", expected: describe(param.kind),
                    "\(method.name) needs the parameter \(param.name): \(describe(param.kind)).")
            }
        }
    }

    private func check(_ position: Int, _ param: ParamSpec) throws(WireError) {
        let kind = nodes.kind(position)
        switch param.kind {
        case .plainName, .name:
            guard kind == SEAM_JSON_STRING else { throw wrongType(position, param) }
            if let fault = limits.fault(inName: nodes.bytes(position), isPlain: param.kind == .plainName) {
                throw badName(position, path: "\(param.name)", fault, param.kind)
            }
        case .label:
            guard kind == SEAM_JSON_STRING else { throw wrongType(position, param) }
            try checkLabel(position, path: "\(param.name)")
        case .integer(let from, let to):
            guard kind == SEAM_JSON_NUMBER else { throw wrongType(position, param) }
            guard let value = nodes.integer(position), value >= from, value <= to else {
                throw .badParam(
                    .outOfRange, path: "\(param.name)", expected: describe(param.kind),
                    "\(param.name) is \(WireError.excerpt(nodes.text(position))); expected \(describe(param.kind))."
                )
            }
        case .boolean:
            guard kind == SEAM_JSON_TRUE || kind == SEAM_JSON_FALSE else { throw wrongType(position, param) }
        case .word(let list):
            guard kind == SEAM_JSON_STRING else { throw wrongType(position, param) }
            let bytes = nodes.bytes(position)
            guard list.words.contains(where: { bytes.equals($0) }) else {
                throw noWord(
                    position, path: "\(param.name)", of: list.words.map { "\($0)" },
                    expected: describe(param.kind))
            }
        case .values: try checkValues(position, param, allowsNull: true)
        case .settings: try checkValues(position, param, allowsNull: false)
        case .names: try checkNames(position, path: "\(param.name)", param.kind)
        case .fieldNames: try checkNames(position, path: "\(param.name)", param.kind)
        case .globs: try checkGlobs(position, param)
        case .resumePoint: try checkResumePoint(position, param)
        case .path:
            guard kind == SEAM_JSON_STRING else { throw wrongType(position, param) }
            if let fault = pathFault(nodes.bytes(position)) {
                throw .badParam(
                    .badPath, path: "\(param.name)", expected: describe(param.kind),
                    "\(param.name) \(fault); expected \(describe(param.kind)).")
            }
        case .items: try checkItems(position, param)
        case .interim: try checkInterim(position, param)
        }
    }

    private func checkLabel(_ position: Int, path: String) throws(WireError) {
        let bytes = nodes.bytes(position)
        if bytes.isEmpty || bytes.count > limits.labelBytes || !bytes.isPrintable {
            throw badName(
                position, path: path, "is not printable text of 1 to \(limits.labelBytes) bytes", .label)
        }
    }

    private func pathFault(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        if bytes.isEmpty { return "is empty" }
        if bytes.count > limits.pathBytes { return "has \(bytes.count) bytes" }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "holds a control character" }
        let text = WireError.excerpt(String(decoding: bytes, as: UTF8.self))
        if bytes[0] != 0x2F {
            return "is \(text), which is relative to a folder that the daemon does not know"
        }
        return bytes[bytes.count - 1] == 0x2F ? "is \(text), a folder" : nil
    }

    private func checkValues(_ object: Int, _ param: ParamSpec, allowsNull: Bool) throws(WireError) {
        guard nodes.kind(object) == SEAM_JSON_OBJECT else { throw wrongType(object, param) }
        var key = object + 1
        let end = nodes.after(object)
        while key < end {
            let value = key + 1
            if let fault = limits.fault(inName: nodes.bytes(key), isPlain: false) {
                throw badName(key, path: memberPath(param, key), fault, .name)
            }
            switch nodes.kind(value) {
            case SEAM_JSON_ARRAY, SEAM_JSON_OBJECT:
                throw notText(value, path: memberPath(param, key), allowsNull: allowsNull)
            case SEAM_JSON_NULL where !allowsNull:
                throw notText(value, path: memberPath(param, key), allowsNull: false)
            default:
                let size = nodes.bytes(value).count
                if size > limits.valueBytes {
                    throw .valueTooLarge(path: memberPath(param, key), bytes: size, limit: limits.valueBytes)
                }
            }
            key = nodes.after(value)
        }
    }

    private func checkNames(_ array: Int, path list: String, _ kind: ParamKind) throws(WireError) {
        guard nodes.kind(array) == SEAM_JSON_ARRAY else { throw wrongType(array, path: list, kind) }
        if kind == .names && nodes.count(array) == 0 {
            throw .badParam(
                .outOfRange, path: list, expected: describe(kind),
                "\(list) is empty; expected \(describe(kind)).")
        }
        // "Screen.field" is two names and the dot between them.
        let longest = kind == .fieldNames ? 2 * limits.nameBytes + 1 : limits.nameBytes
        var element = array + 1
        for index in 0..<nodes.count(array) {
            let path = { "\(list)[\(index)]" }
            guard nodes.kind(element) == SEAM_JSON_STRING else {
                throw .badParam(
                    .wrongType, path: path(), expected: "a text",
                    "\(path()) is \(nodes.typeName(element)); expected a text.")
            }
            if let fault = limits.fault(inName: nodes.bytes(element), isPlain: false, longest: longest) {
                throw badName(element, path: path(), fault, .name)
            }
            element = nodes.after(element)
        }
    }

    private func checkGlobs(_ array: Int, _ param: ParamSpec) throws(WireError) {
        guard nodes.kind(array) == SEAM_JSON_ARRAY else { throw wrongType(array, param) }
        if nodes.count(array) > limits.globs {
            throw .badParam(
                .outOfRange, path: "\(param.name)", expected: describe(param.kind),
                "\(param.name) has \(nodes.count(array)) globs; expected \(describe(param.kind)).")
        }
        var element = array + 1
        for index in 0..<nodes.count(array) {
            let path = "\(param.name)[\(index)]"
            guard nodes.kind(element) == SEAM_JSON_STRING else {
                throw .badParam(
                    .wrongType, path: path, expected: "a glob",
                    "\(path) is \(nodes.typeName(element)); expected a glob.")
            }
            if let fault = limits.fault(
                inName: nodes.bytes(element), isPlain: false, longest: limits.globBytes)
            {
                let expected = "a glob of 1 to \(limits.globBytes) printable bytes"
                throw .badParam(
                    .badName, path: path, expected: expected, "\(path) \(fault); expected \(expected).")
            }
            element = nodes.after(element)
        }
    }

    /// The members of a resume point: where the values lie, 0 if left out.
    private func resumeMembers(_ object: Int) throws(WireError) -> (epoch: Int, seq: Int, dseq: Int) {
        var found = (epoch: 0, seq: 0, dseq: 0)
        var key = object + 1
        while key < nodes.after(object) {
            let name = nodes.bytes(key)
            if name.equals("epoch") {
                found.epoch = key + 1
            } else if name.equals("seq") {
                found.seq = key + 1
            } else if name.equals("dseq") {
                found.dseq = key + 1
            } else {
                let shown = WireError.excerpt(nodes.text(key))
                throw .badParam(
                    .unknownParam, path: "after.\(shown)", expected: "epoch and seq, or epoch and dseq",
                    "after has no member \(shown); it is {epoch, seq} for a simulation, {epoch, dseq} for the daemon.",
                    known: nearest(shown, among: ["epoch", "seq", "dseq"]))
            }
            key = nodes.after(key + 1)
        }
        return found
    }

    private func checkResumePoint(_ object: Int, _ param: ParamSpec) throws(WireError) {
        guard nodes.kind(object) == SEAM_JSON_OBJECT else { throw wrongType(object, param) }
        let members = try resumeMembers(object)
        guard members.epoch != 0 else {
            throw .badParam(
                .missingParam, path: "after.epoch", expected: "the epoch, 16 hexadecimal digits",
                "after has no epoch; the reply to sub.open named it.")
        }
        guard nodes.kind(members.epoch) == SEAM_JSON_STRING else {
            throw .badParam(
                .wrongType, path: "after.epoch", expected: "a text of 16 hexadecimal digits",
                "after.epoch is \(nodes.typeName(members.epoch)); expected a text of 16 hexadecimal digits.")
        }
        let epoch = nodes.bytes(members.epoch)
        let isHexadecimal = epoch.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
        guard epoch.count == 16, isHexadecimal else {
            throw .badParam(
                .outOfRange, path: "after.epoch", expected: "16 lower-case hexadecimal digits",
                "after.epoch is \(WireError.excerpt(nodes.text(members.epoch))); expected 16 lower-case hexadecimal"
                    + " digits.")
        }
        for (name, position) in [("seq", members.seq), ("dseq", members.dseq)] where position != 0 {
            let expected = "an integer from 0 to \(Limits.largestInteger)"
            guard nodes.kind(position) == SEAM_JSON_NUMBER else {
                throw .badParam(
                    .wrongType, path: "after.\(name)", expected: expected,
                    "after.\(name) is \(nodes.typeName(position)); expected \(expected).")
            }
            guard nodes.integer(position) != nil else {
                throw .badParam(
                    .outOfRange, path: "after.\(name)", expected: expected,
                    "after.\(name) is \(WireError.excerpt(nodes.text(position))); expected \(expected).")
            }
        }
    }

    // MARK: items

    private static let itemMembers = ["id", "value"]

    /// The members of an item: where the values lie, 0 if left out.
    private func itemMembers(_ object: Int, path: String) throws(WireError) -> (id: Int, value: Int) {
        var found = (id: 0, value: 0)
        var key = object + 1
        while key < nodes.after(object) {
            let name = nodes.bytes(key)
            if name.equals("id") {
                found.id = key + 1
            } else if name.equals("value") {
                found.value = key + 1
            } else {
                throw unknownMember(key, of: path, among: Self.itemMembers)
            }
            key = nodes.after(key + 1)
        }
        return found
    }

    private func checkItems(_ array: Int, _ param: ParamSpec) throws(WireError) {
        guard nodes.kind(array) == SEAM_JSON_ARRAY else { throw wrongType(array, param) }
        let count = nodes.count(array)
        if count > limits.mounts { throw .tooManyMounts(limits.mounts) }
        var places: [[UInt8]: Int] = [:]
        places.reserveCapacity(count)
        var element = array + 1
        for index in 0..<count {
            let path = "\(param.name)[\(index)]"
            var (id, idPath) = (element, path)
            if nodes.kind(element) == SEAM_JSON_OBJECT {
                let members = try itemMembers(element, path: path)
                guard members.id != 0 else {
                    throw .badParam(
                        .missingParam, path: "\(path).id", expected: describe(.name),
                        "\(path) has no id; it is {id, value}, or the id alone.")
                }
                (id, idPath) = (members.id, "\(path).id")
                if members.value != 0 { try checkValue(members.value, path: "\(path).value") }
            }
            guard nodes.kind(id) == SEAM_JSON_STRING else {
                let expected = id == element ? "an id, or an object {id, value}" : "a text"
                throw .badParam(
                    .wrongType, path: idPath, expected: expected,
                    "\(idPath) is \(nodes.typeName(id)); expected \(expected).")
            }
            if let fault = limits.fault(inName: nodes.bytes(id), isPlain: false) {
                throw badName(id, path: idPath, fault, .name)
            }
            if let first = places.updateValue(index, forKey: Array(nodes.bytes(id))) {
                throw .badParam(
                    .conflictingParams, path: idPath, expected: "an id that no other item has",
                    "\(idPath) is \(WireError.excerpt(nodes.text(id))), and so is \(param.name)[\(first)]; the id decides "
                        + "which control an item keeps, so give each item its own.")
            }
            element = nodes.after(element)
        }
    }

    private func checkValue(_ value: Int, path: String) throws(WireError) {
        switch nodes.kind(value) {
        case SEAM_JSON_ARRAY, SEAM_JSON_OBJECT: throw notText(value, path: path, allowsNull: true)
        default:
            let size = nodes.bytes(value).count
            if size > limits.valueBytes {
                throw .valueTooLarge(path: path, bytes: size, limit: limits.valueBytes)
            }
        }
    }

    // MARK: interim reads

    private static let interimMembers = ["label", "fields", "after"]

    /// The members of an interim read: where the values lie, 0 if left out.
    private func interimMembers(_ object: Int) throws(WireError) -> (label: Int, fields: Int, after: Int) {
        var found = (label: 0, fields: 0, after: 0)
        var key = object + 1
        while key < nodes.after(object) {
            let name = nodes.bytes(key)
            // What may be left out may also be null.
            let isNull = nodes.kind(key + 1) == SEAM_JSON_NULL
            if name.equals("label") {
                found.label = key + 1
            } else if name.equals("fields") {
                found.fields = isNull ? 0 : key + 1
            } else if name.equals("after") {
                found.after = isNull ? 0 : key + 1
            } else {
                throw unknownMember(key, of: "interim", among: Self.interimMembers)
            }
            key = nodes.after(key + 1)
        }
        return found
    }

    private func checkInterim(_ object: Int, _ param: ParamSpec) throws(WireError) {
        guard nodes.kind(object) == SEAM_JSON_OBJECT else { throw wrongType(object, param) }
        let members = try interimMembers(object)
        guard members.label != 0 else {
            throw .badParam(
                .missingParam, path: "interim.label", expected: describe(.label),
                "interim has no label; give it one, so that the look is told from the settled state.")
        }
        guard nodes.kind(members.label) == SEAM_JSON_STRING else {
            throw wrongType(members.label, path: "interim.label", .label)
        }
        try checkLabel(members.label, path: "interim.label")
        if members.fields != 0 { try checkNames(members.fields, path: "interim.fields", .fieldNames) }
        if members.after != 0 {
            let words = InterimRead.Moment.allCases.map(\.rawValue)
            let expected = words.map { "\"\($0)\"" }.joined(separator: " or ")
            guard nodes.kind(members.after) == SEAM_JSON_STRING else {
                throw .badParam(
                    .wrongType, path: "interim.after", expected: expected,
                    "interim.after is \(nodes.typeName(members.after)); expected \(expected).")
            }
            guard InterimRead.Moment(rawValue: nodes.text(members.after)) != nil else {
                throw noWord(members.after, path: "interim.after", of: words, expected: expected)
            }
        }
    }

    // MARK: faults

    private func unknownMember(_ key: Int, of path: String, among members: [String]) -> WireError {
        let shown = WireError.excerpt(nodes.text(key))
        let list = members.joined(separator: ", ")
        return .badParam(
            .unknownParam, path: "\(path).\(shown)", expected: list,
            "\(path) has no member \(shown); it is {\(list)}.", known: nearest(shown, among: members))
    }

    private func noWord(_ position: Int, path: String, of words: [String], expected: String) -> WireError {
        .badParam(
            .outOfRange, path: path, expected: expected,
            "\(path) is \(WireError.excerpt(nodes.text(position))); expected \(expected).",
            known: nearest(nodes.text(position), among: words))
    }

    private func memberPath(_ param: ParamSpec, _ key: Int) -> String {
        "\(param.name).\(WireError.excerpt(nodes.text(key), limit: limits.nameBytes))"
    }

    private func wrongType(_ position: Int, _ param: ParamSpec) -> WireError {
        wrongType(position, path: "\(param.name)", param.kind)
    }

    private func wrongType(_ position: Int, path: String, _ kind: ParamKind) -> WireError {
        .badParam(
            .wrongType, path: path, expected: describe(kind),
            "\(path) is \(nodes.typeName(position)); expected \(describe(kind)).")
    }

    private func notText(_ value: Int, path: String, allowsNull: Bool) -> WireError {
        let expected =
            allowsNull ? "a text, a number, true, false or null" : "a text, a number, true or false"
        return .badParam(
            .valueNotText, path: path, expected: expected,
            "The value at \(path) is \(nodes.typeName(value)); expected \(expected).")
    }

    private func badName(_ position: Int, path: String, _ fault: String, _ kind: ParamKind) -> WireError {
        .badParam(
            .badName, path: path, expected: describe(kind),
            "\(path) \(fault); expected \(describe(kind)).")
    }

    /// What a parameter may be, for people.
    private func describe(_ kind: ParamKind) -> String {
        switch kind {
        case .plainName: "a name of 1 to \(limits.nameBytes) printable bytes without . / = *"
        case .name: "a name of 1 to \(limits.nameBytes) printable bytes"
        case .label: "a text of 1 to \(limits.labelBytes) printable bytes"
        case .integer(let from, let to):
            from == to ? "the integer \(from)" : "an integer from \(from) to \(to)"
        case .boolean: "true or false"
        case .word(let list): list.words.map { "\"\($0)\"" }.joined(separator: " or ")
        case .values: "an object of names and texts, like {\"openCount\": \"5\"}"
        case .settings: "an object of names and texts, like {\"updates\": \"manual\"}"
        case .names: "an array of at least one name"
        case .fieldNames: "an array of field names"
        case .globs: "an array of at most \(limits.globs) globs"
        case .resumePoint: "an object {epoch, seq}, or without sim {epoch, dseq}"
        case .path: "an absolute path of at most \(limits.pathBytes) bytes"
        case .items: "an array of ids, or of objects {id, value}"
        case .interim: "an object {label, fields, after}"
        }
    }
}

// MARK: - calls

extension Arguments {
    /// Makes the call. The numbers are places in the method's row of the table; `check` has been through, so that what
    /// is there has the right type, and what is required is there.
    func call(_ method: Method) throws(WireError) -> Call {
        switch method {
        case .hello:
            .hello(
                Hello(
                    client: text(0), protocolMajor: integer(1).map(Int.init),
                    maxLine: integer(2).map(Int.init)))
        case .ping: .ping
        case .stats: .stats
        case .shutdown: .shutdown
        case .discover: .discover
        case .scenarioList: .scenarioList(page(0))
        case .scenarioDescribe: .scenarioDescribe(scenario: name(0))
        case .simCreate:
            .simCreate(
                creation(
                    lifetime: isWord(7, "connection") ? .connection : .daemon,
                    keepsTrace: slots[8] == 0 ? nil : flag(8), history: integer(9).map(Int.init),
                    record: text(10)))
        case .simList: .simList(page(0))
        case .simGet:
            .simGet(
                SimGet(
                    sim: name(0), screen: text(1), page: page(2), at: try moment(4, turn: 5),
                    atTurn: integer(5), isWhole: flag(6)))
        case .simDestroy: .simDestroy(sim: name(0))
        case .simSend:
            .simSend(
                SimSend(
                    sim: name(0), event: name(1), arguments: entries(2), mount: integer(3), ifSeq: integer(4),
                    interim: interim(5)))
        case .simAdvance: .simAdvance(SimAdvance(sim: name(0), ms: integer(1) ?? 0, ifSeq: integer(2)))
        case .simCheck:
            .simCheck(
                SimCheck(
                    sim: name(0), label: text(1), screen: text(2), fields: slots[3] == 0 ? nil : names(3),
                    explains: flag(4), at: try moment(5, turn: 6), atTurn: integer(6), isWhole: flag(7)))
        case .simRun:
            .simRun(
                SimRun(
                    create: creation(lifetime: .daemon), keeps: flag(7), reportsSteps: flag(8),
                    explains: flag(9),
                    reportsTrace: flag(10)))
        case .simFork:
            .simFork(
                SimFork(sim: name(0), id: text(1), at: try moment(2, turn: 3), atTurn: integer(3)))
        case .simTrace:
            .simTrace(
                SimTrace(
                    sim: name(0), from: integer(1), to: integer(2), limit: integer(3).map(Int.init),
                    skip: integer(4).map(Int.init) ?? 0))
        case .simExplain: .simExplain(SimExplain(sim: name(0), screen: name(1), field: name(2)))
        case .modelSet:
            .modelSet(
                ModelSet(sim: name(0), values: keyValues(1), ifSeq: integer(2), interim: interim(3)))
        case .modelClear:
            .modelClear(ModelClear(sim: name(0), keys: names(1), ifSeq: integer(2), interim: interim(3)))
        case .screenDeclare: .screenDeclare(screenNames())
        case .screenSet:
            .screenSet(
                ScreenSet(
                    sim: name(0), screen: name(1), values: keyValues(2), ifSeq: integer(3),
                    interim: interim(4)))
        case .screenClear: .screenClear(screenNames())
        case .bridgeAssign: .bridgeAssign(bridgeCall(), built: flag(5))
        case .bridgeUpdate:
            .bridgeUpdate(bridgeCall(), cause: text(5).flatMap(UpdateCause.init(rawValue:)) ?? .repeat)
        case .bridgeUnmount: .bridgeUnmount(bridgeCall())
        case .bridgeMount:
            .bridgeMount(
                BridgeMount(sim: name(0), bridge: name(1), ifSeq: integer(2), interim: interim(3)))
        case .bridgeBuild: .bridgeBuild(bridgeCall())
        case .bridgeIdentify: .bridgeIdentify(bridgeCall(mount: 3), identity: name(2))
        case .bridgeRebind: .bridgeRebind(bridgeCall(mount: 3), owner: name(2))
        case .bridgeItems:
            .bridgeItems(
                BridgeItems(
                    sim: name(0), bridge: name(1), items: try items(2), ifSeq: integer(3),
                    interim: interim(4)))
        case .bridgeDismiss: .bridgeDismiss(bridgeCall())
        case .bridgeList: .bridgeList(BridgeList(sim: name(0), bridge: text(1), page: page(2)))
        case .hostSet: .hostSet(bridgeCall(ifSeq: 8), try hostChange())
        case .environmentSet: .environmentSet(try environmentSet())
        case .policyList: .policyList
        case .subOpen: .subOpen(try subOpen())
        case .subClose: .subClose(sub: integer(0) ?? 0)
        case .recStart: .recStart(RecStart(sim: name(0), path: name(1)))
        case .recStop: .recStop(sim: name(0))
        case .recReplay: .recReplay(RecReplay(path: name(0), id: text(1), keeps: flag(2)))
        }
    }

    private func creation(
        lifetime: Lifetime, keepsTrace: Bool? = nil, history: Int? = nil, record: String? = nil
    ) -> SimCreate {
        SimCreate(
            scenario: name(0), id: text(1), params: entries(2),
            policies: entries(3).map { Setting($0.name, $0.value ?? "") }, profile: text(4), seed: integer(5),
            clock: isWord(6, "real") ? .real : .virtual, lifetime: lifetime, keepsTrace: keepsTrace,
            history: history, record: record)
    }

    private func screenNames() -> ScreenNames {
        ScreenNames(
            sim: name(0), screen: name(1), names: names(2), ifSeq: integer(3), interim: interim(4))
    }

    /// The places where the mount and, behind it or further on, ifSeq and interim stand.
    private func bridgeCall(mount: Int = 2, ifSeq: Int? = nil) -> BridgeCall {
        let ifSeq = ifSeq ?? mount + 1
        return BridgeCall(
            sim: name(0), bridge: name(1), mount: integer(mount), ifSeq: integer(ifSeq),
            interim: interim(ifSeq + 1))
    }

    private func hostChange() throws(WireError) -> HostChange {
        guard (3...7).contains(where: { slots[$0] != 0 }) else {
            let names = (3...7).map { "\(params[$0].name)" }.joined(separator: ", ")
            throw .badParam(
                .missingParam, path: "window", expected: "at least one of \(names)",
                "host.set changes nothing without at least one of \(names).")
        }
        return HostChange(
            window: optionalFlag(3), sceneIsActive: slots[4] == 0 ? nil : isWord(4, "active"),
            hidden: optionalFlag(5), size: optionalFlag(6), parked: optionalFlag(7))
    }

    private func environmentSet() throws(WireError) -> EnvironmentSet {
        if slots[2] == 0 && slots[3] != 0 {
            throw .badParam(
                .missingParam, path: "bridge", expected: describe(.plainName),
                "A mount is one of a bridge; name the bridge as well, or leave mount out for the root.")
        }
        return EnvironmentSet(
            sim: name(0), values: entries(1), bridge: text(2), mount: integer(3), ifSeq: integer(4),
            interim: interim(5))
    }

    private func items(_ slot: Int) throws(WireError) -> [Entry] {
        let array = slots[slot]
        var items: [Entry] = []
        items.reserveCapacity(nodes.count(array))
        var element = array + 1
        for _ in 0..<nodes.count(array) {
            if nodes.kind(element) == SEAM_JSON_OBJECT {
                // Its members were found before, by the check.
                let members = try itemMembers(element, path: "")
                let hasValue = members.value != 0 && nodes.kind(members.value) != SEAM_JSON_NULL
                items.append(Entry(nodes.text(members.id), hasValue ? nodes.text(members.value) : nil))
            } else {
                items.append(Entry(nodes.text(element), nil))
            }
            element = nodes.after(element)
        }
        return items
    }

    private func interim(_ slot: Int) -> InterimRead? {
        // Its members were found before, by the check.
        guard slots[slot] != 0, let members = try? interimMembers(slots[slot]) else { return nil }
        return InterimRead(
            label: nodes.text(members.label), fields: members.fields == 0 ? nil : names(in: members.fields),
            after: members.after == 0
                ? .event : InterimRead.Moment(rawValue: nodes.text(members.after)) ?? .event)
    }

    private func page(_ slot: Int) -> Page {
        Page(from: integer(slot).map(Int.init) ?? 0, limit: integer(slot + 1).map(Int.init))
    }

    /// A moment by its seq, which leaves no place for one by its turn.
    private func moment(_ seq: Int, turn: Int) throws(WireError) -> UInt64? {
        if slots[seq] != 0 && slots[turn] != 0 {
            throw .badParam(
                .conflictingParams, path: "atTurn", expected: "at or atTurn, not both",
                "at says which moment is meant, and so does atTurn; leave one of them out.")
        }
        return integer(seq)
    }

    private func subOpen() throws(WireError) -> SubOpen {
        let sim = text(0)
        var start = isWord(5, "now") ? SubOpen.Start.now : .state
        if slots[4] != 0 {
            if slots[5] != 0 {
                throw .badParam(
                    .conflictingParams, path: "start", expected: "after or start, not both",
                    "after says where the stream begins, and so does start; leave one of them out.")
            }
            let members = try resumeMembers(slots[4])
            let (wanted, other) = sim == nil ? (members.dseq, members.seq) : (members.seq, members.dseq)
            let (name, otherName) = sim == nil ? ("dseq", "seq") : ("seq", "dseq")
            let subject = sim == nil ? "the whole daemon" : "one simulation"
            if other != 0 {
                throw .badParam(
                    .conflictingParams, path: "after.\(otherName)", expected: "{epoch, \(name)}",
                    "A stream of \(subject) counts in \(name); after names \(otherName).")
            }
            guard let number = wanted == 0 ? nil : nodes.integer(wanted) else {
                throw .badParam(
                    .missingParam, path: "after.\(name)",
                    expected: "an integer from 0 to \(Limits.largestInteger)",
                    "A stream of \(subject) counts in \(name), and after has none.")
            }
            start = .after(epoch: nodes.text(members.epoch), seq: number)
        }
        return SubOpen(
            sim: sim, match: slots[1] == 0 ? [] : names(1).map(Glob.init),
            mode: isWord(2, "all") ? .all : .latest,
            onlyVerdicts: slots[3] != 0, start: start)
    }

    // MARK: values

    private func name(_ slot: Int) -> String { nodes.text(slots[slot]) }

    private func text(_ slot: Int) -> String? { slots[slot] == 0 ? nil : nodes.text(slots[slot]) }

    private func integer(_ slot: Int) -> UInt64? { slots[slot] == 0 ? nil : nodes.integer(slots[slot]) }

    private func flag(_ slot: Int) -> Bool { slots[slot] != 0 && nodes.kind(slots[slot]) == SEAM_JSON_TRUE }

    private func optionalFlag(_ slot: Int) -> Bool? { slots[slot] == 0 ? nil : flag(slot) }

    private func isWord(_ slot: Int, _ word: StaticString) -> Bool {
        slots[slot] != 0 && nodes.bytes(slots[slot]).equals(word)
    }

    private func names(_ slot: Int) -> [String] { names(in: slots[slot]) }

    private func names(in array: Int) -> [String] {
        var names: [String] = []
        names.reserveCapacity(nodes.count(array))
        for element in array + 1..<nodes.after(array) { names.append(nodes.text(element)) }
        return names
    }

    private func entries(_ slot: Int) -> [Entry] { keyValues(slot).map { Entry($0.key, $0.value) } }

    private func keyValues(_ slot: Int) -> [KeyValue] {
        let object = slots[slot]
        if object == 0 { return [] }
        let count = nodes.count(object)
        if count == 1 {
            let place = shared.pointee.nextSingle
            shared.pointee.nextSingle = (place + 1) % RequestDecoder.mostAhead
            shared.pointee.singles[place][0] = keyValue(object + 1)
            return shared.pointee.singles[place]
        }
        var values: [KeyValue] = []
        values.reserveCapacity(count)
        // Values are scalars: key and value lie side by side.
        for key in stride(from: object + 1, to: object + 1 + 2 * count, by: 2) {
            values.append(keyValue(key))
        }
        return values
    }

    @inline(__always)
    private func keyValue(_ key: Int) -> KeyValue {
        (nodes.text(key), nodes.kind(key + 1) == SEAM_JSON_NULL ? nil : nodes.text(key + 1))
    }
}
