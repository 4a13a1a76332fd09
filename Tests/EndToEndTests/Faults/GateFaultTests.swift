import Foundation
import Glibc
import SeamTestSupport
import SeamWire
import Testing

/// The gate under many readers and many fields. Run by `make test-long`.
@Suite(.enabled(if: isLong)) struct GateFaultTests {
    /// The soft limit of this process, raised as far as it goes.
    private func raiseDescriptors() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(limit.rlim_cur)
    }

    @Test("5,000 idle streams are small and cost no time, and every one of them lives")
    func idle() throws {
        let count = 5000
        try #require(raiseDescriptors() > count + 200, "needs more open files: ulimit -n")
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try client.call("sim.create", #"{"scenario":"lessons.own-state","id":"s"}"#)
        try gate.waitUntilHealthy()
        let before = try residentKiB(gate.process.pid)
        var streams: [WebConnection] = []
        for _ in 0..<count {
            let stream = try gate.stream()
            try stream.event(named: "sync")
            streams.append(stream)
        }
        let grown = try residentKiB(gate.process.pid) - before
        // The marks of a quiet stream are the clock: one every five seconds.
        try client.call("sub.open", #"{"sim":"s"}"#)
        _ = try client.events(through: "sync")
        let ticks = try processorTicks(gate.process.pid)
        _ = try client.events(through: "mark")
        let idleTicks = try processorTicks(gate.process.pid) - ticks
        print("gate: \(count) idle streams take \(grown) KiB and \(idleTicks) hundredths of a second in 5 s")
        #expect(grown < 48 << 10)
        // One heartbeat in 15 s for each of them is part of it.
        #expect(idleTicks < 100)

        for value in 0..<20 {
            try client.call("model.set", #"{"sim":"s","values":{"openCount":"\#(value)"}}"#)
        }
        for stream in streams {
            while try stream.event(named: "verdict", within: .seconds(60))["model"] != "19" {}
        }
        #expect(try gate.probe())

        // 100 changes a second, to each of them: half a million events a second.
        let busy = try processorTicks(gate.process.pid)
        var tails = [[UInt8]](repeating: [], count: count)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        func drain() {
            for (index, stream) in streams.enumerated() {
                let read = recv(stream.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
                guard read > 0 else { continue }
                // An event may come in two pieces; what is copied is little, or the test would be what is measured.
                let before = read < 512 ? tails[index].suffix(512) : []
                tails[index] = Array(before) + chunk[max(0, read - 512)..<read]
            }
        }
        let changes = 500
        let start = ContinuousClock.now
        for change in 0..<changes {
            while ContinuousClock.now - start < .milliseconds(10) * change { drain() }
            try client.call("model.set", #"{"sim":"s","values":{"openCount":"load \#(change)."}}"#)
        }
        let lastOne = Array("load \(changes - 1).".utf8)[...]
        let deadline = ContinuousClock.now + .seconds(60)
        while !tails.allSatisfy({ $0.contains(lastOne) }), ContinuousClock.now < deadline { drain() }
        #expect(tails.allSatisfy { $0.contains(lastOne) })
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let share = try Double(processorTicks(gate.process.pid) - busy) / 100 / seconds
        let held = try residentKiB(gate.process.pid) - before
        print(
            "gate: \(count) streams and \(Int(Double(changes) / seconds)) changes/s take \(Int(share * 100)) % of a core,"
                + " \(held) KiB")
        #expect(share < 1)
        #expect(held < 64 << 10)
        for stream in streams { stream.close() }
        try gate.expectStreams(0, within: .seconds(60))
        #expect(try descriptors(of: gate.process.pid) < 64)
    }

    @Test("100,000 fields take little, and a snapshot of them is whole")
    func fields() throws {
        let gate = try GateProcess()
        let client = try #require(gate.daemon).connect()
        try gate.waitUntilHealthy()
        let before = try residentKiB(gate.process.pid)
        for sim in 0..<100 {
            try client.call("sim.create", #"{"scenario":"live","id":"sim\#(sim)"}"#)
            for screen in 0..<10 {
                let values = (0..<100).map { #""field\#($0)":"value \#($0)""# }.joined(separator: ",")
                try client.call(
                    "screen.set", #"{"sim":"sim\#(sim)","screen":"Screen\#(screen)","values":{\#(values)}}"#)
            }
        }
        try gate.expectFields(100_000)
        let start = ContinuousClock.now
        var streams = try (0..<3).map { _ in try gate.stream() }
        for stream in streams {
            var seen: Set<String> = []
            for event in try stream.events(through: "sync", within: .seconds(120)) where event.name == "state"
            {
                seen.insert(
                    "\(event["sim"]?.text ?? "")/\(event["screen"]?.text ?? "").\(event["field"]?.text ?? "")"
                )
            }
            #expect(seen.count == 100_000)
        }
        let grown = try residentKiB(gate.process.pid) - before
        print(
            "gate: 100,000 fields and a full ring take \(grown) KiB; 3 snapshots took \(ContinuousClock.now - start)"
        )
        // The ring's 16 MiB and its table are part of it.
        #expect(grown < 96 << 10)
        streams = []
        #expect(try gate.probe())
    }

    @Test("a daemon that is killed again and again is followed every time")
    func kills() throws {
        let folder = try TemporaryFolder()
        let socket = "\(folder.path)/seam.sock"
        let gate = try GateProcess(socket: socket)
        let stream = try gate.stream()
        for round in 0..<20 {
            let daemon = try ChildProcess("seamd", ["--socket", socket, "--log-level", "info"])
            try daemon.errorLine(containing: "listening on")
            let client = try TestClient(path: socket)
            try client.call("sim.create", #"{"scenario":"live","id":"s"}"#)
            try client.call("screen.set", #"{"sim":"s","screen":"A","values":{"n":"\#(round)"}}"#)
            while true {
                let event = try #require(try stream.nextEvent())
                if event["shown"]?.text == "\(round)" { break }
            }
            daemon.send(signal: SIGKILL)
            try daemon.waitForEnd()
            while try stream.event(named: "daemon")["state"] != "away" {}
        }
        #expect(try descriptors(of: gate.process.pid) < 64)
    }
}
