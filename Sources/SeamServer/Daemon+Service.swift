// The daemon about itself.

import CLibuv
import Glibc
import SeamKernel
import SeamWire

extension Daemon {
    private static let protocolMajor = 1
    private static let protocolMinor = 1

    /// What a client may count on beyond the methods; words are added, never taken away.
    private static let capabilities = [
        "after", "at", "batch", "bridge-engine", "daemon-wide", "fork", "if-seq", "interim", "latest", "live",
        "recordings", "relaxed", "trace", "verdicts-only",
    ]

    func sayHello(_ hello: Hello, _ ticket: Ticket) throws(WireError) {
        let connection = ticket.connection
        if let major = hello.protocolMajor, major != Self.protocolMajor {
            throw .badParam(
                .outOfRange, path: "protocol", expected: "\(Self.protocolMajor)",
                "This daemon speaks protocol \(Self.protocolMajor), not \(major).")
        }
        if let client = hello.client { connection.clientName = client }
        if let maxLine = hello.maxLine {
            connection.replyLimit = min(max(maxLine, limits.replyBytes), limits.replyBytesCeiling)
        }
        ticket.answer { out in
            out.object { out in
                out.object("protocol") {
                    $0.member("major", Self.protocolMajor)
                    $0.member("minor", Self.protocolMinor)
                }
                out.member("server", "seamd" as StaticString)
                out.member("version", seamVersion)
                out.member("daemonEpoch", epoch)
                out.member("pid", Int(getpid()))
                out.member("capabilities", Self.capabilities)
                out.key("limits")
                out.limits(limits, replyBytes: connection.replyLimit)
            }
        }
    }

    func discover(_ ticket: Ticket) {
        guard let id = ticket.id else { return }
        if ticket.batch != nil {
            ticket.answer { $0.openRPC(limits: limits) }
        } else {
            ticket.connection.reply(id, limit: max(limits.documentBytes, ticket.connection.replyLimit)) {
                $0.openRPC(limits: limits)
            }
        }
    }

    func tellStatistics(_ ticket: Ticket) {
        let clients = Set(connections.values.compactMap(\.clientName)).sorted().prefix(100)
        ticket.answer { out in
            out.object { out in
                out.member("uptimeMs", (uv_hrtime() - started) / 1_000_000)
                out.member("pid", Int(getpid()))
                out.member("connections", connectionCount)
                out.member("connectionsTaken", statistics.connections)
                out.member("connectionsRefused", statistics.refusedConnections)
                out.member("connectionsStalled", statistics.stalledConnections)
                out.member("clients", clients)
                out.member("subscriptions", subscriptionCount)
                out.member("subscriptionsSlow", statistics.slowEnds)
                out.member("simulations", simulationCount)
                out.member("fields", fieldCount)
                out.member("replays", replays.count)
                out.member("requests", statistics.requests)
                out.member("errors", statistics.errors)
                out.member("notificationsFailed", statistics.failedNotifications)
                out.member("turns", statistics.turns)
                out.member("changes", statistics.changes)
                out.member("diagnostics", statistics.diagnostics)
                out.member("bytesIn", statistics.bytesIn)
                out.member("bytesOut", statistics.bytesOut)
                out.member("memoryLimit", memory.limit)
                out.member("memoryValues", memory.values)
                out.member("memoryRings", memory.rings)
                out.member("memoryTraces", memory.traces)
                out.member("memoryHistories", memory.histories)
                out.member("ringEntriesShed", memory.shed)
            }
        }
    }

    func requestShutdown(_ ticket: Ticket) {
        ticket.answer { $0.object { _ in } }
        shutdown = Shutdown(of: self, because: "a client asked for it")
    }
}
