/// Event lines. What follows `"sub":N,` is the same for every subscriber, so it is written once, as a *tail*, and copied
/// behind the head of each.
///
///     buffer.eventHead(sub: 1)            {"jsonrpc":"2.0","method":"seam.event","params":{"sub":1,
///     buffer.eventHead(sub: 1, dseq: 9)   … "sub":1,"dseq":9,
///     buffer.append(tail)                 "sim":"s1","kind":"verdict", … }}⏎
///
/// Member order is part of the contract: a line can be told by its beginning.
extension ByteBuffer {
    /// The beginning of a line for one subscription; `dseq` for those that watch the daemon.
    public mutating func eventHead(sub: UInt64, dseq: UInt64? = nil) {
        literal("{\"jsonrpc\":\"2.0\",\"method\":\"seam.event\",\"params\":{\"sub\":")
        append(decimal: sub)
        if let dseq {
            literal(",\"dseq\":")
            append(decimal: dseq)
        }
        append(0x2C)
    }

    private mutating func tail(_ sim: String, _ kind: StaticString) {
        literal("\"sim\":")
        quoted(sim)
        literal(",\"kind\":\"")
        append(kind)
        append(0x22)
    }

    private mutating func endTail() {
        literal("}}\n")
    }

    // MARK: lines of a simulation

    /// A field as it was when the subscription opened.
    public mutating func stateTail(
        sim: String, seq: UInt64, screen: String, field: String, verdict: StaticString, model: String?,
        shown: String?,
        limits: Limits
    ) {
        tail(sim, "state")
        member("seq", seq)
        member("screen", screen)
        member("field", field)
        member("verdict", verdict)
        modelAndShown(model, shown, limit: limits.shownValueBytes)
        endTail()
    }

    /// Every state line was sent: the snapshot of `seq` is complete.
    public mutating func syncTail(sim: String, seq: UInt64) {
        tail(sim, "sync")
        member("seq", seq)
        endTail()
    }

    /// A field changed.
    public mutating func verdictTail(
        sim: String, seq: UInt64, turn: UInt64, ms: UInt64, screen: String, field: String, from: StaticString,
        to: StaticString, model: String?, shown: String?, limits: Limits
    ) {
        tail(sim, "verdict")
        literal(",\"seq\":")
        append(decimal: seq)
        literal(",\"turn\":")
        append(decimal: turn)
        literal(",\"ms\":")
        append(decimal: ms)
        literal(",\"screen\":")
        quoted(screen)
        literal(",\"field\":")
        quoted(field)
        literal(",\"from\":\"")
        append(from)
        literal("\",\"to\":\"")
        append(to)
        append(0x22)
        modelAndShown(model, shown, limit: limits.shownValueBytes)
        endTail()
    }

    /// A finding. `text` is cut like a value, since a line has to stay one.
    public mutating func diagnosticTail(
        sim: String, seq: UInt64, turn: UInt64, ms: UInt64, code: String, severity: StaticString,
        screen: String?,
        field: String?, bridge: String?, mount: UInt64?, text: String, limits: Limits
    ) {
        tail(sim, "diagnostic")
        member("seq", seq)
        member("turn", turn)
        member("ms", ms)
        diagnosticMembers(
            code: code, severity: severity, screen: screen, field: field, bridge: bridge, mount: mount,
            text: text,
            limits: limits)
        endTail()
    }

    /// Everything up to `seq` was sent.
    public mutating func markTail(sim: String, seq: UInt64) {
        tail(sim, "mark")
        member("seq", seq)
        endTail()
    }

    /// The reader fell behind.
    public mutating func lagTail(sim: String, fromSeq: UInt64, toSeq: UInt64, _ what: Lag) {
        tail(sim, "lag")
        member("fromSeq", fromSeq)
        member("toSeq", toSeq)
        lag(what)
        endTail()
    }

    /// The subscription is over. `resume` is where another can go on.
    public mutating func endTail(
        sim: String, reason: EndReason, seq: UInt64, resume: (epoch: String, seq: UInt64)? = nil
    ) {
        tail(sim, "end")
        member("reason", reason.rawValue)
        member("seq", seq)
        if let resume {
            object("resume") {
                $0.member("epoch", resume.epoch)
                $0.member("seq", resume.seq)
            }
        }
        endTail()
    }

    /// A simulation came, went or failed; only for those that watch the daemon.
    public mutating func simTail(sim: String, what: SimChange, scenario: String, epoch: String) {
        tail(sim, "sim")
        member("what", what.rawValue)
        member("scenario", scenario)
        member("epoch", epoch)
        endTail()
    }

    /// In a snapshot of the daemon: there is this simulation, and its fields follow.
    public mutating func simTail(existing sim: String, scenario: String, epoch: String, hasFailed: Bool) {
        tail(sim, "sim")
        member("what", "exists" as StaticString)
        member("scenario", scenario)
        member("epoch", epoch)
        member("status", hasFailed ? "failed" : "running" as StaticString)
        endTail()
    }

    // MARK: lines of the daemon

    // Their dseq stands in the head; `lag` and `end.resume` have their own, and none has a sim.

    public mutating func daemonSyncTail() { literal("\"kind\":\"sync\"}}\n") }

    public mutating func daemonMarkTail() { literal("\"kind\":\"mark\"}}\n") }

    /// Goes behind a head without `dseq`.
    public mutating func daemonLagTail(fromDseq: UInt64, toDseq: UInt64, _ what: Lag) {
        literal("\"kind\":\"lag\"")
        member("fromDseq", fromDseq)
        member("toDseq", toDseq)
        lag(what)
        endTail()
    }

    public mutating func daemonEndTail(reason: EndReason, resume: (epoch: String, dseq: UInt64)? = nil) {
        literal("\"kind\":\"end\"")
        member("reason", reason.rawValue)
        if let resume {
            object("resume") {
                $0.member("epoch", resume.epoch)
                $0.member("dseq", resume.dseq)
            }
        }
        endTail()
    }

    // MARK: pieces

    /// A finding as `sim.check` and `sim.run` report it; `turn` only where it is told.
    public mutating func diagnostic(
        turn: UInt64? = nil, code: String, severity: StaticString, screen: String?, field: String?,
        bridge: String?,
        mount: UInt64?, text: String, limits: Limits
    ) {
        object { result in
            result.diagnosticMembers(
                code: code, severity: severity, screen: screen, field: field, bridge: bridge, mount: mount,
                text: text,
                limits: limits)
            if let turn { result.member("turn", turn) }
        }
    }

    private mutating func diagnosticMembers(
        code: String, severity: StaticString, screen: String?, field: String?, bridge: String?,
        mount: UInt64?,
        text: String, limits: Limits
    ) {
        member("code", code)
        member("severity", severity)
        if let screen { member("screen", screen) }
        if let field { member("field", field) }
        if let bridge { member("bridge", bridge) }
        if let mount { member("mount", mount) }
        key("text")
        _ = cut(text, limit: limits.shownValueBytes)
    }

    private mutating func lag(_ what: Lag) {
        switch what {
        case .collapsed(let count): member("collapsed", count)
        case .lost(let count): member("lost", count)
        }
    }
}

/// What became of the lines a reader was too slow for.
public enum Lag: Equatable, Sendable {
    /// So many were replaced by newer ones of the same field.
    case collapsed(UInt64)
    /// So many are gone.
    case lost(UInt64)
}

/// Why a subscription is over.
public enum EndReason: String, Sendable, CaseIterable {
    case closed
    case destroyed
    case failed
    case slow
    case shutdown
}

/// What happened to a simulation.
public enum SimChange: String, Sendable, CaseIterable {
    case created
    case destroyed
    case failed
}
