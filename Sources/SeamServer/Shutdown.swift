import SeamKernel
import SeamPluginHost
import SeamWire

/// The end in order: no new clients, an `end` to each subscription, and as long as the clients need to take
/// what is written for them, but no longer than two seconds. It never waits for anybody beyond that.
final class Shutdown {
    private let daemon: Daemon
    private var timer: LoopTimer?
    private var isOver = false

    private static let patienceMilliseconds: UInt64 = 2_000

    init(of daemon: Daemon, because reason: String) {
        self.daemon = daemon
        Log.info("shutting down: \(reason)")
        Service.stopping()
        daemon.stopListening()
        daemon.replays.stopAll(.shuttingDown())
        for hosted in daemon.simulationsInOrder { hosted.stream.finish(.shutdown) }
        daemon.everything.finish(.shutdown)
        for connection in daemon.connections.values { connection.leave() }
        timer = LoopTimer(on: daemon.loop) { [unowned self] in finish() }
        timer?.start(after: Self.patienceMilliseconds)
    }

    /// Asked at the end of each round.
    func look() {
        if daemon.connections.isEmpty { finish() }
    }

    private func finish() {
        guard !isOver else { return }
        isOver = true
        if daemon.connectionCount > 0 {
            Log.info("\(daemon.connectionCount) clients have not taken everything; not waiting for them")
        }
        daemon.recordings.endAll()
        // Plug-ins see the end of their instances, then their own.
        for hosted in daemon.simulationsInOrder { _ = hosted.simulation.destroy() }
        daemon.catalogue.shutdown()
        daemon.loop.stop()
    }
}
