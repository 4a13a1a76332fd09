// From the kernel's facts to the bytes of an event line: one of the two places where kernel and wire meet.

import SeamKernel
import SeamWire

extension ByteBuffer {
    /// The line of a ring's entry from behind its head: the same bytes for every subscriber.
    mutating func tail(of entry: UnsafePointer<RingEntry>, in hosted: HostedSimulation, limits: Limits) {
        switch entry.pointee.content {
        case .values(let model, let shown):
            let names = hosted.simulation.names(of: Int(entry.pointee.field))
            verdictTail(
                sim: hosted.id, seq: entry.pointee.seq, turn: entry.pointee.turn,
                ms: milliseconds(entry.pointee.nanoseconds),
                screen: names.screen, field: names.key, from: entry.pointee.from.word,
                to: entry.pointee.to.word, model: model,
                shown: shown, limits: limits)
        case .finding(let finding):
            let diagnostic = finding.diagnostic
            let names = diagnostic.field.map { hosted.simulation.names(of: $0) }
            diagnosticTail(
                sim: hosted.id, seq: entry.pointee.seq, turn: entry.pointee.turn,
                ms: milliseconds(entry.pointee.nanoseconds),
                code: diagnostic.code, severity: diagnostic.severity.word, screen: names?.screen,
                field: names?.key,
                bridge: diagnostic.bridge.map { hosted.simulation.scenario.bridges[$0].id },
                mount: diagnostic.mount,
                text: diagnostic.text, limits: limits)
        case .none:
            simTail(
                sim: hosted.id, what: what(entry.pointee.kind), scenario: hosted.simulation.scenario.id,
                epoch: hosted.epoch)
        case .line:
            preconditionFailure("a line is encoded once")
        }
    }

    private func what(_ kind: RingEntry.Kind) -> SimChange {
        switch kind {
        case .created: .created
        case .destroyed: .destroyed
        case .failed: .failed
        case .change, .finding: preconditionFailure("a change or finding without content")
        }
    }
}

/// Whole milliseconds of a simulation's clock, which never runs below 0.
nonisolated func milliseconds(_ nanoseconds: Int64) -> UInt64 {
    UInt64(nanoseconds) / 1_000_000
}
