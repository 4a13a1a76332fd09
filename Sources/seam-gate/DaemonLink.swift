// The gate's own place among the daemon's clients: one connection with one subscription to everything, opened again
// whenever it breaks, from where it was.

import SeamClient
import SeamWire

/// Keeps the hub supplied.
final class DaemonLink {
    let path: SocketPath
    /// Why there is no connection; nil while there is one.
    private(set) var trouble: String? = "not connected yet"

    private let hub: Hub
    private let loop: Loop
    private let reader: JSONReader
    private var socket: DaemonSocket?
    private lazy var retry = LoopTimer(on: loop) { [unowned self] in connect() }
    private var pause = DaemonLink.firstPause
    private var isClosed = false

    private static let firstPause: UInt64 = 50
    private static let longestPause: UInt64 = 1000
    /// The ids of the requests of a connection.
    private static let (hello, subscribe, subscribeAnew, ping) = (1, 2, 3, 4)
    /// After so many seconds without a word, each of which began with a question, the daemon counts as silent.
    private static let patience = 5
    /// Above these: questions about scenarios, which are answered in any order.
    private var asked: [Int: String] = [:]
    private var lastID = DaemonLink.ping
    /// Seconds since the daemon has said anything.
    private var quiet = 0
    /// What `trouble` was before it fell silent.
    private var troubleBefore: String?
    private var isSilent = false

    init(to path: SocketPath, feeding hub: Hub, on loop: Loop) {
        self.path = path
        self.hub = hub
        self.loop = loop
        var limits = Limits()
        limits.lineBytes = limits.replyBytesCeiling
        reader = JSONReader(limits: limits)
        hub.askForPlugin = { [unowned self] in askForPlugin(of: $0) }
        connect()
    }

    func close() {
        isClosed = true
        retry.close()
        socket?.close()
        socket = nil
    }

    /// Once a second: asks for a word when nothing was said. Seconds are counted, not measured: a gate that stood still
    /// itself has not been waiting.
    func listen() {
        guard let socket, socket.isConnected else { return }
        quiet += 1
        if quiet == 2, trouble == nil { socket.send(Self.ping, "seam.ping") }
        guard quiet > Self.patience else { return }
        if !isSilent {
            isSilent = true
            troubleBefore = trouble
            Log.info("the daemon at \(path.path) is silent: it has not answered for \(Self.patience) s")
            hub.fellSilent()
        }
        trouble = "it is silent: it has not answered for \(quiet) s"
    }

    private func heard() {
        quiet = 0
        guard isSilent else { return }
        isSilent = false
        trouble = troubleBefore
        hub.spoke()
    }

    private func connect() {
        guard !isClosed else { return }
        let made = DaemonSocket(path: path.path, on: loop)
        socket = made
        made.received = { [unowned self] in take($0) }
        made.ended = { [unowned self] in lost($0) }
        made.opened = { [unowned made] in
            // The description of a scenario has no pages.
            let longest = JSON.number("\(Limits().replyBytesCeiling)")
            made.send(Self.hello, "seam.hello", ["client": "seam-gate", "maxLine": longest])
        }
    }

    private func askForPlugin(of scenario: String) {
        lastID += 1
        asked[lastID] = scenario
        socket?.send(lastID, "scenario.describe", ["scenario": .string(scenario)])
    }

    private func lost(_ reason: String) {
        if trouble == nil || isSilent {
            Log.info("the daemon at \(path.path) is away: \(reason)")
            pause = Self.firstPause
        }
        trouble = reason
        (quiet, isSilent) = (0, false)
        socket = nil
        asked = [:]
        hub.lost()
        retry.start(after: pause)
        pause = min(pause * 2, Self.longestPause)
    }

    private func drop(_ reason: String) {
        socket?.close()
        lost(reason)
    }

    private func take(_ line: UnsafeRawBufferPointer) {
        heard()
        if DaemonEvent.begins(line) {
            // An event of a kind that is not known is passed over.
            guard let event = DaemonEvent(line) else { return }
            if !hub.take(event) { drop("it ended the subscription") }
            return
        }
        guard let reply = try? reader.read(line) else {
            return drop("what listens there does not speak Seam's protocol")
        }
        let result = reply["result"] ?? .null
        if let id = reply["id"]?.integer, let scenario = asked.removeValue(forKey: id) {
            // A scenario of the daemon's own has no plug-in, and one that is gone has no answer.
            if let plugin = result["plugin"]?["id"]?.text { hub.metrics.told(plugin: plugin, of: scenario) }
            return
        }
        switch reply["id"]?.integer {
        case Self.hello where !result.isNull: meet(result)
        case Self.subscribe where !result.isNull:
            trouble = nil
            hub.resumed()
        case Self.subscribe:
            // What lies in between is gone: everything from the start.
            hub.beginAnew(epoch: hub.epoch)
            socket?.send(Self.subscribeAnew, "sub.open")
        case Self.subscribeAnew where !result.isNull:
            trouble = nil
        case Self.ping: break
        default:
            let message = reply["error"]?["message"]?.text
            drop(message.map { "it said no: \($0)" } ?? "what listens there does not speak Seam's protocol")
        }
    }

    private func meet(_ terms: JSON) {
        guard let epoch = terms["daemonEpoch"]?.text, terms["protocol"]?["major"]?.integer == 1 else {
            return drop("it speaks another protocol than this seam-gate \(seamVersion)")
        }
        let version = terms["version"]?.text ?? ""
        if let cursor = hub.met(epoch: epoch, version: version, pid: terms["pid"]?.integer ?? 0) {
            let after: JSON = ["epoch": .string(cursor.epoch), "dseq": .number("\(cursor.dseq)")]
            socket?.send(Self.subscribe, "sub.open", ["after": after])
        } else {
            socket?.send(Self.subscribeAnew, "sub.open")
        }
        pause = Self.firstPause
    }
}
