import CSimdjson

/// One element of what a client sent, ready to be acted on.
public enum Incoming: Equatable, Sendable {
    /// To be performed and answered with this id.
    case request(RequestID, Call)
    /// To be performed and not answered.
    case notification(Call)
    /// To be answered with the error.
    case failure(RequestID, WireError)
    /// A notification that cannot be performed. JSON-RPC forbids an answer; worth counting.
    case failedNotification(WireError)
}

/// What one line holds.
public enum Decoded: Equatable, Sendable {
    case single(Incoming)
    /// To be answered with one line, see `BatchReply`. Never empty.
    case batch([Incoming])
}

/// Lines in, calls out. A bad line becomes an answer here and goes no further.
///
/// With `"jsonrpc":"2.0"` JSON-RPC holds to the letter. Without that member the daemon is forgiving, for lines typed by
/// hand: a request without id is answered too, members it does not know are ignored, and `params` may be null. Each
/// element of a batch is judged by its own.
///
/// One decoder serves every connection of a thread; nothing of a line outlives `decode`.
public final class RequestDecoder {
    /// Requests that are decoded before the first of them is performed, at the most: for so many it keeps what it gives
    /// out from one line to the next.
    public static let mostAhead = 16

    private let parser: JSONLineParser
    private let limits: Limits
    private let methods: MethodIndex
    private let workspace: Arguments.Workspace
    private let memberNames = (
        version: WireName("jsonrpc"), id: WireName("id"), method: WireName("method"),
        params: WireName("params")
    )

    public init(limits: Limits = Limits()) {
        self.limits = limits
        parser = JSONLineParser(limits: limits)
        methods = MethodIndex()
        workspace = Arguments.Workspace(limits: limits)
    }

    /// Decodes one line as `InputBuffer` hands it out: 64 bytes behind it are readable.
    public func decode(_ line: UnsafeRawBufferPointer) -> Decoded {
        defer { parser.trim() }
        let nodes: JSONNodes
        do throws(WireError) {
            nodes = try parser.parse(line)
        } catch {
            return .single(.failure(.null, error))
        }
        guard nodes.kind(0) == SEAM_JSON_ARRAY else { return .single(element(nodes, 0)) }
        let count = nodes.count(0)
        if count == 0 {
            return .single(
                .failure(
                    .null,
                    .invalidRequest(
                        "The batch is empty; send at least one request in it.",
                        expected: "at least one request")))
        }
        if count > limits.batch { return .single(.failure(.null, .batchTooLong(count, limits: limits))) }
        var elements: [Incoming] = []
        elements.reserveCapacity(count)
        var position = 1
        while position < nodes.after(0) {
            elements.append(element(nodes, position))
            position = nodes.after(position)
        }
        return .batch(elements)
    }

    /// The members of a request, by where their values lie; 0 is nowhere, since there lies the request or its batch.
    private struct Members {
        var version = 0
        var id = 0
        var method = 0
        var params = 0
        /// The key of the first member that is none of these.
        var stranger = 0
    }

    private func element(_ nodes: JSONNodes, _ position: Int) -> Incoming {
        guard nodes.kind(position) == SEAM_JSON_OBJECT else {
            return .failure(
                .null,
                .invalidRequest(
                    "A request is an object with a method, not \(nodes.typeName(position)).",
                    expected: "an object"))
        }
        let members = findMembers(nodes, position)
        if nodes.repeatedKeys > 0, let repeated = nodes.repeatedKey(in: position) {
            let isID = repeated.isOwnMember && repeated.path == "id"
            let id = isID ? nil : try? requestID(nodes, members.id)
            return .failure(
                id ?? .null,
                WireError(
                    .duplicateKey, "The member \(repeated.path) is there twice; send it once.",
                    [("path", .text(repeated.path))]))
        }
        let id: RequestID
        do throws(WireError) {
            id = try requestID(nodes, members.id)
        } catch {
            return .failure(.null, error)
        }
        var isStrict = false
        if members.version != 0 {
            guard nodes.kind(members.version) == SEAM_JSON_STRING, nodes.bytes(members.version).equals("2.0")
            else {
                return .failure(
                    id,
                    .invalidRequest(
                        "The member jsonrpc is \(shown(nodes, members.version)); the daemon speaks \"2.0\". Leave it out"
                            + " when typing by hand.", expected: "\"2.0\""))
            }
            isStrict = true
            if members.stranger != 0 {
                let name = WireError.excerpt(nodes.text(members.stranger))
                return .failure(
                    id,
                    WireError(
                        .invalidRequest,
                        "A JSON-RPC 2.0 request has no member \(name); parameters belong into params.",
                        [
                            ("path", .text(name)), ("expected", .text("jsonrpc, id, method, params")),
                        ]))
            }
        }
        guard members.method != 0, nodes.kind(members.method) == SEAM_JSON_STRING else {
            let found =
                members.method == 0 ? "has no method" : "has \(nodes.typeName(members.method)) as its method"
            return .failure(
                id,
                .invalidRequest(
                    "The request \(found); name one as text.", expected: "method: the name of a method"))
        }
        if members.params != 0 {
            let kind = nodes.kind(members.params)
            if kind == SEAM_JSON_NULL && !isStrict {
                // As if it were left out.
            } else if kind != SEAM_JSON_OBJECT && kind != SEAM_JSON_ARRAY {
                return .failure(
                    id,
                    .invalidRequest(
                        "params is \(nodes.typeName(members.params)); send an object, or an array in the order of the"
                            + " method.", expected: "params: an object or an array"))
            }
        }
        let isNotification = isStrict && members.id == 0
        do throws(WireError) {
            guard let method = methods.find(nodes.bytes(members.method)) else {
                throw .unknownMethod(nodes.text(members.method))
            }
            let call = try call(method, nodes, members.params)
            return isNotification ? .notification(call) : .request(id, call)
        } catch {
            return isNotification ? .failedNotification(error) : .failure(id, error)
        }
    }

    private func findMembers(_ nodes: JSONNodes, _ position: Int) -> Members {
        var members = Members()
        var key = position + 1
        let end = nodes.after(position)
        while key < end {
            let name = WireText(nodes.bytes(key))
            let value = key + 1
            if name.equals(memberNames.version) {
                members.version = value
            } else if name.equals(memberNames.id) {
                members.id = value
            } else if name.equals(memberNames.method) {
                members.method = value
            } else if name.equals(memberNames.params) {
                members.params = value
            } else if members.stranger == 0 {
                members.stranger = key
            }
            key = nodes.after(value)
        }
        return members
    }

    private func requestID(_ nodes: JSONNodes, _ position: Int) throws(WireError) -> RequestID {
        if position == 0 { return .null }
        switch nodes.kind(position) {
        case SEAM_JSON_STRING, SEAM_JSON_NUMBER, SEAM_JSON_NULL:
            let raw = nodes.raw(position)
            if raw.count > limits.idBytes {
                throw WireError(
                    .tooLarge, "The id has \(raw.count) bytes; an id has at most \(limits.idBytes).",
                    [("path", .text("id")), ("limit", .integer(UInt64(limits.idBytes)))])
            }
            return RequestID(raw)
        default:
            throw WireError(
                .idType, "The id is \(nodes.typeName(position)); send a text or a number.",
                [("path", .text("id")), ("expected", .text("a text, a number or null"))])
        }
    }

    private func shown(_ nodes: JSONNodes, _ position: Int) -> String {
        WireError.excerpt(String(decoding: nodes.raw(position), as: UTF8.self))
    }

    private func call(_ method: Method, _ nodes: JSONNodes, _ params: Int) throws(WireError) -> Call {
        let arguments = Arguments(nodes: nodes, params: methods.params(of: method), workspace: workspace)
        if params != 0 {
            switch nodes.kind(params) {
            case SEAM_JSON_OBJECT: try arguments.takeNamed(params, method)
            case SEAM_JSON_ARRAY: try arguments.takePositional(params, method)
            default: break
            }
        }
        try arguments.check(method)
        return try arguments.call(method)
    }
}

/// Finds a method by the bytes of its name, without making a text of them.
private final class MethodIndex {
    private struct Name {
        let name: WireName
        let method: Method
    }

    /// By length, then in the order of the table: names of one length are few.
    private let names: [[Name]]
    /// The parameters of all methods in one block, so that decoding touches no array.
    private let allParams: UnsafeMutableBufferPointer<ParamSpec>
    private let ranges: [Range<Int>]

    init() {
        var names: [[Name]] = []
        var ranges: [Range<Int>] = []
        let params = MethodTable.specs.flatMap(\.params)
        allParams = .allocate(capacity: params.count)
        _ = allParams.initialize(from: params)
        var start = 0
        for spec in MethodTable.specs {
            let length = spec.name.utf8CodeUnitCount
            while names.count <= length { names.append([]) }
            names[length].append(Name(name: WireName(spec.name), method: spec.method))
            ranges.append(start..<start + spec.params.count)
            start += spec.params.count
        }
        self.names = names
        self.ranges = ranges
    }

    deinit {
        allParams.deallocate()
    }

    func find(_ name: UnsafeBufferPointer<UInt8>) -> Method? {
        guard name.count < names.count else { return nil }
        let text = WireText(name)
        return names[name.count].first { text.equals($0.name) }?.method
    }

    func params(of method: Method) -> UnsafeBufferPointer<ParamSpec> {
        UnsafeBufferPointer(rebasing: allParams[ranges[method.rawValue]])
    }
}
