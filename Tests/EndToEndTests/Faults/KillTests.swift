import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// The daemon is killed in the middle of its work. What it leaves behind stops nobody.
@Suite(.serialized) struct KillTests {
    @Test("killed under load again and again, it listens within a second each time, as another daemon")
    func killed() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        var random = SeededGenerator(seed: 1)
        var epochs: Set<String> = []
        var cursor: (daemon: String, sim: String)?
        var slowest = Duration.zero
        for _ in 0..<(isLong ? 200 : 5) {
            let begin = ContinuousClock.now
            let daemon = try ChildProcess(
                "seamd", ["--socket", socket, "--log-level", "info"], environment: [:])
            _ = try daemon.errorLine(containing: "listening")
            let client = try TestClient(path: socket)
            let epoch = try #require(try client.call("seam.ping")["daemonEpoch"]?.text)
            slowest = max(slowest, ContinuousClock.now - begin)
            #expect(epochs.insert(epoch).inserted)
            let sim = try client.call("sim.create", #"{"scenario":"live","id":"a"}"#)["epoch"]?.text ?? ""
            if let old = cursor {
                let daemonWide = #"{"after":{"epoch":"\#(old.daemon)","dseq":0}}"#
                #expect(try client.refusal("sub.open", daemonWide).code == -32010)
                let one = #"{"sim":"a","after":{"epoch":"\#(old.sim)","seq":0}}"#
                #expect(try client.refusal("sub.open", one).code == -32010)
            }
            cursor = (epoch, sim)
            try overload(socket, random: &random)
            daemon.send(signal: SIGKILL)
            #expect(try daemon.waitForEnd() == .signal(SIGKILL))
            #expect(FileManager.default.fileExists(atPath: socket))
        }
        print("killed: \(epochs.count) starts, the slowest took \(slowest)")
        #expect(slowest < .seconds(1))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "seam.sock", "seam.sock.lock",
            ])
    }

    /// Returns while the daemon is in the middle of more than it can have done.
    private func overload(_ socket: String, random: inout SeededGenerator) throws {
        let readers = try (0..<3).map { _ in try TestClient(path: socket) }
        for reader in readers { try reader.sendLine(#"{"method":"sub.open","params":{"mode":"all"}}"#) }
        let writer = try TestClient(path: socket)
        let line = #"{"method":"screen.set","params":["a","Main",{"x":"1","y":"2","z":"3"}]}"# + "\n"
        try writer.send(bytes: Array(String(repeating: line, count: 2_500).utf8))
        for _ in 0..<Int.random(in: 1...200, using: &random) { _ = try writer.nextReply() }
    }
}
