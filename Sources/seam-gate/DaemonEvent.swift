import SeamWire

/// An event line of the daemon-wide subscription, its members where they lie. Valid as long as the line.
struct DaemonEvent {
    enum Kind: String, CaseIterable {
        case state, sync, verdict, diagnostic, mark, lag, end, sim

        var name: StaticString {
            switch self {
            case .state: "state"
            case .sync: "sync"
            case .verdict: "verdict"
            case .diagnostic: "diagnostic"
            case .mark: "mark"
            case .lag: "lag"
            case .end: "end"
            case .sim: "sim"
            }
        }
    }

    /// nil for a kind that this version does not know, which clients pass over.
    private(set) var kind: Kind?
    private(set) var dseq: UInt64?
    private(set) var seq: UInt64 = 0
    private(set) var sim: UnsafeRawBufferPointer?
    private(set) var screen: UnsafeRawBufferPointer?
    private(set) var field: UnsafeRawBufferPointer?
    private(set) var verdict: UnsafeRawBufferPointer?
    private(set) var from: UnsafeRawBufferPointer?
    private(set) var model: UnsafeRawBufferPointer?
    private(set) var shown: UnsafeRawBufferPointer?
    private(set) var modelBytes: UnsafeRawBufferPointer?
    private(set) var shownBytes: UnsafeRawBufferPointer?
    private(set) var code: UnsafeRawBufferPointer?
    private(set) var what: UnsafeRawBufferPointer?
    private(set) var status: UnsafeRawBufferPointer?
    private(set) var scenario: UnsafeRawBufferPointer?
    private(set) var epoch: UnsafeRawBufferPointer?
    private(set) var reason: UnsafeRawBufferPointer?
    private(set) var collapsed: UInt64?
    private(set) var lost: UInt64?
    /// What browsers get: the members behind `sub` with their commas, without braces.
    let members: UnsafeRawBufferPointer

    private static let head: StaticString = #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":"#

    /// Whether a line is an event line: the order of its members is part of the protocol.
    static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > head.utf8CodeUnitCount
            && UnsafeRawBufferPointer(rebasing: line[..<head.utf8CodeUnitCount]).equals(head)
    }

    init?(_ line: UnsafeRawBufferPointer) {
        guard Self.begins(line), line.count >= 2, line[line.count - 1] == UInt8(ascii: "}"),
            line[line.count - 2] == UInt8(ascii: "}")
        else { return nil }
        let rest = line[Self.head.utf8CodeUnitCount..<(line.count - 2)]
        // A raw line end would begin another line of what browsers read.
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")), !rest.contains(0x0D) else { return nil }
        members = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
        var scan = LineScan(members)
        while let member = scan.next() { take(member) }
        guard kind != nil else { return nil }
    }

    private mutating func take(_ member: LineScan.Member) {
        let value = member.value
        if member.isNamed("dseq") {
            dseq = value.number
        } else if member.isNamed("sim") {
            sim = value
        } else if member.isNamed("kind") {
            guard let word = value.unquoted else { return }
            kind = Kind(rawValue: word)
        } else if member.isNamed("seq") {
            seq = value.number ?? 0
        } else if member.isNamed("screen") {
            screen = value
        } else if member.isNamed("field") {
            field = value
        } else if member.isNamed("verdict") || member.isNamed("to") {
            verdict = value
        } else if member.isNamed("from") {
            from = value
        } else if member.isNamed("model") {
            model = value
        } else if member.isNamed("shown") {
            shown = value
        } else if member.isNamed("modelBytes") {
            modelBytes = value
        } else if member.isNamed("shownBytes") {
            shownBytes = value
        } else if member.isNamed("code") {
            code = value
        } else if member.isNamed("what") {
            what = value
        } else if member.isNamed("status") {
            status = value
        } else if member.isNamed("scenario") {
            scenario = value
        } else if member.isNamed("epoch") {
            epoch = value
        } else if member.isNamed("reason") {
            reason = value
        } else if member.isNamed("collapsed") {
            collapsed = value.number
        } else if member.isNamed("lost") {
            lost = value.number
        }
    }
}
