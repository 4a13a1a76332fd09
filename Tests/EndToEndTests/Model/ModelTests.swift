import Foundation
import SeamTestSupport
import SeamWire
import Testing

/// Several clients talk to a daemon at random, and a small model of protocol.md foretells every line.
///
/// The seed is printed, and the same seed makes the same conversation: `SEAM_MODEL_SEED=N` plays it again,
/// `SEAM_MODEL_REQUESTS=N` says how long it is.
@Suite struct ModelTests {
    @Test("every reply and every line of every stream is what the page says")
    func conversation() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed =
            environment["SEAM_MODEL_SEED"].flatMap { UInt64($0) }
            ?? (isLong ? UInt64.random(in: 1...(1 << 32)) : 1)
        let requests =
            environment["SEAM_MODEL_REQUESTS"].flatMap { Int($0) } ?? (isLong ? 100_000 : 5_000)
        print("model: seed \(seed), \(requests) requests")
        let conversation = try Conversation(seed: seed)
        try conversation.run(requests: requests)
        print("model: \(conversation.summary)")
    }
}

/// Something came that was not foretold.
private struct Difference: Error, CustomStringConvertible {
    var description: String
}

/// One client of the conversation, and what it still has to get.
private final class Talker {
    struct Answer {
        let id: String
        let planned: Planned
    }

    let number: Int
    let client: TestClient
    var subscriptions: [ReferenceSubscription] = []
    /// A line each; several answers are a batch's.
    var answers: [[Answer]] = []

    init(_ number: Int, _ client: TestClient) {
        self.number = number
        self.client = client
    }
}

private final class Conversation {
    private let seed: UInt64
    private let daemon: SeamProcess
    private let source: RequestSource
    /// The first one watches everything from the beginning to the end and never leaves.
    private var talkers: [Talker] = []
    private var talkerCount = 0
    private let reader = JSONReader()
    private var requestCount = 0
    private var sent = ""
    private var (lines, replies, leavings) = (0, 0, 0)

    private static let clients = 5

    init(seed: UInt64) throws {
        self.seed = seed
        daemon = try SeamProcess(["--ring-entries", "\(RequestSource.ringEntries)"])
        let epoch = try daemon.connect().call("seam.ping")["daemonEpoch"]?.text ?? ""
        source = RequestSource(seed: seed, daemonEpoch: epoch)
        for _ in 0..<Self.clients { try join() }
        try watchEverything()
    }

    var summary: String {
        "\(requestCount) requests, \(replies) replies, \(lines) event lines, \(leavings) clients that left"
    }

    private var reference: Reference { source.reference }

    private func join() throws {
        talkerCount += 1
        talkers.append(Talker(talkerCount, try daemon.connect()))
    }

    private func watchEverything() throws {
        let everything = ReferenceSubscription(of: nil, globs: [], onlyVerdicts: false, burst: 0)
        everything.queue.append(.line(#""dseq":0,"kind":"sync"}}"#))
        reference.subscriptions.append(everything)
        talkers[0].subscriptions.append(everything)
        let result = try talkers[0].client.call("sub.open", #"{"mode":"all"}"#)
        everything.number = result["sub"]?.integer
    }

    // MARK: The conversation

    func run(requests: Int) throws {
        while requestCount < requests {
            reference.burst += 1
            let talker = source.pick(talkers)
            try speak(talker)
            try hear(talker)
            if reference.burst % 6 == 0 { try catchUp() }
            if source.chance(2) { try leave() }
        }
        try catchUp()
        try end()
    }

    /// One to eight lines in one go.
    private func speak(_ talker: Talker) throws {
        sent = ""
        for _ in 0..<source.number(1...8) {
            if source.chance(8) { batch(talker) } else { single(talker) }
        }
        // What comes last may be a notification: only an answer says that it was carried out before anybody speaks.
        ask(talker)
        let bytes = Array(sent.utf8)
        guard source.chance(10) else { return try talker.client.send(bytes: bytes) }
        // In pieces, wherever they break.
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(source.number(1...200))
            try talker.client.send(bytes: piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    private func ask(_ talker: Talker) {
        let ping = Planned(
            method: "seam.ping", params: [],
            promise: .result(Foretold(.text(#"{"daemonEpoch":"\#(source.daemonEpoch)"}"#))))
        talker.answers.append([Talker.Answer(id: #""done""#, planned: ping)])
        sent += #"{"id":"done","method":"seam.ping"}"# + "\n"
    }

    private func single(_ talker: Talker) {
        let (text, answer) = request(of: talker, inBatch: false)
        sent += text + source.pick(["\n", "\n", "\n", "\r\n", "\n\n"])
        if let answer { talker.answers.append([answer]) }
    }

    private func batch(_ talker: Talker) {
        var (texts, answers): ([String], [Talker.Answer]) = ([], [])
        for _ in 0..<source.number(1...6) {
            let (text, answer) = request(of: talker, inBatch: true)
            texts.append(text)
            if let answer { answers.append(answer) }
        }
        sent += "[" + texts.joined(separator: ",") + "]\n"
        if !answers.isEmpty { talker.answers.append(answers) }
    }

    private func request(of talker: Talker, inBatch: Bool) -> (String, Talker.Answer?) {
        var planned: Planned
        // In a batch a bad line would be the whole batch, and a close may cut off what the batch itself caused.
        repeat {
            planned = source.next(
                client: talker.number, subscriptions: inBatch ? [] : talker.subscriptions)
        } while inBatch && planned.raw != nil
        requestCount += 1
        if let opened = planned.opens { talker.subscriptions.append(opened) }
        if let raw = planned.raw { return (raw, Talker.Answer(id: "null", planned: planned)) }
        let (text, id) = encode(planned)
        return (text, id.map { Talker.Answer(id: $0, planned: planned) })
    }

    /// The line, and the id of its answer; nil for a notification.
    private func encode(_ planned: Planned) -> (String, String?) {
        // What was opened needs its reply: it names the subscription.
        let isStrict = source.chance(60)
        let isNotification = isStrict && planned.opens == nil && source.chance(12)
        let id =
            isNotification || (!isStrict && source.chance(30))
            ? nil
            : source.pick(["\(requestCount)", "\"r\(requestCount)\"", "\(requestCount).50", "-7", "1E3"])
        var members: [String] = [#""method":\#(JSON.string(planned.method).encoded)"#]
        if isStrict { members.append(#""jsonrpc":"2.0""#) }
        if let id { members.append(#""id":\#(id)"#) }
        if !isStrict && source.chance(20) { members.append(#""comment":["by hand",{}]"#) }
        if let params = params(planned, isStrict: isStrict) { members.append(#""params":\#(params)"#) }
        members.shuffle(using: &source.random)
        return ("{" + members.joined(separator: ",") + "}", isNotification ? nil : id ?? "null")
    }

    private func params(_ planned: Planned, isStrict: Bool) -> String? {
        var params = planned.params
        while let last = params.last, last.value == nil { params.removeLast() }
        if params.isEmpty {
            return source.pick(isStrict ? [nil, "{}", "[]"] : [nil, "{}", "[]", "null"])
        }
        // The wrong ones are no rows of the table.
        if case .result = planned.promise, source.chance(30) {
            return JSON.array(params.map { $0.value ?? .null }).encoded
        }
        params.removeAll { $0.value == nil }
        params.shuffle(using: &source.random)
        return JSON.object(params.map { JSON.Member($0.name, $0.value ?? .null) }).encoded
    }

    // MARK: Listening

    /// Reads until every request of this client is answered.
    private func hear(_ talker: Talker) throws {
        while !talker.answers.isEmpty { try take(try line(talker, "a reply"), talker) }
    }

    /// Everybody reads everything that is foretold, and nothing else is there.
    private func catchUp() throws {
        for talker in talkers {
            sent = ""
            ask(talker)
            try talker.client.send(sent)
            try hear(talker)
            while talker.subscriptions.contains(where: { !$0.queue.isEmpty }) {
                try take(try line(talker, "a line of a stream"), talker)
            }
            talker.subscriptions.removeAll { $0.isOver }
        }
        reference.subscriptions.removeAll { $0.isOver }
        for simulation in reference.simulations { simulation.seenSeq = simulation.seq }
        reference.seenDseq = reference.dseq
    }

    private func line(_ talker: Talker, _ what: String) throws -> String {
        do {
            guard let line = try talker.client.readLine() else {
                throw difference(talker, "the daemon closed; expected \(what)\(expected(talker))")
            }
            return line
        } catch let difference as Difference {
            throw difference
        } catch {
            throw difference(talker, "\(error); expected \(what)\(expected(talker))")
        }
    }

    private func expected(_ talker: Talker) -> String {
        let next = talker.answers.first?.map { "\($0.planned.method) \($0.planned.promise)" } ?? []
        let queues = talker.subscriptions.filter { !$0.queue.isEmpty }.map {
            "sub \($0.number ?? 0): \($0.queue.count) entries, first \($0.queue[0].description)"
        }
        return "\n  answers: \(next)\n  streams: \(queues)"
    }

    private func take(_ line: String, _ talker: Talker) throws {
        if line.hasPrefix(#"{"jsonrpc":"2.0","method":"seam.event","#) {
            lines += 1
            try takeEvent(line, talker)
        } else {
            replies += 1
            try takeReply(line, talker)
        }
    }

    // MARK: Replies

    private func takeReply(_ line: String, _ talker: Talker) throws {
        guard !talker.answers.isEmpty else { throw difference(talker, "nobody asked for this: \(line)") }
        let answers = talker.answers.removeFirst()
        for answer in answers { try expectLinesFirst(answer, of: talker, line) }
        if answers.count == 1 && !line.hasPrefix("[") {
            return try compare(line, answers[0], talker)
        }
        guard let elements = try? reader.read(line).elements, elements.count == answers.count else {
            throw difference(talker, "a batch of \(answers.count) answers was expected, not \(line)")
        }
        // Each as its own text: between the elements stands nothing but a comma.
        guard "[" + elements.map(\.encoded).joined(separator: ",") + "]" == line else {
            throw difference(talker, "this batch is not written as its elements: \(line)")
        }
        for (element, answer) in zip(elements, answers) { try compare(element.encoded, answer, talker) }
    }

    private func compare(_ line: String, _ answer: Talker.Answer, _ talker: Talker) throws {
        func differs(_ expected: String) -> Difference {
            difference(talker, "to \(answer.planned.method)\n  came     \(line)\n  expected \(expected)")
        }
        let head = #"{"jsonrpc":"2.0","id":\#(answer.id),"#
        guard line.hasPrefix(head) else { throw differs("\(head)…") }
        switch answer.planned.promise {
        case .result(var text):
            text.parts.insert(.text(head + #""result":"#), at: 0)
            text.add("}")
            guard text.matches(line) else { throw differs(text.description) }
        case .fitting(let what, let fits):
            guard let result = try? reader.read(line)["result"], fits(result) else { throw differs(what) }
        case .error(let code, let kind, let path, let facts):
            guard let error = try? reader.read(line)["error"], error["code"]?.integer == code,
                error["data"]?["kind"]?.text == kind,
                path == nil || error["data"]?["path"]?.text == path,
                facts.allSatisfy({ error["data"]?[$0.0]?.integer == $0.1 }),
                error["message"]?.text?.isEmpty == false
            else { throw differs("\(code) \(kind) \(path ?? "") \(facts)") }
        }
    }

    /// The lines that a request caused come before its reply, on all subscriptions whose own reply has come.
    private func expectLinesFirst(
        _ answer: Talker.Answer, of talker: Talker, _ line: String
    ) throws {
        guard let turn = answer.planned.turn else { return }
        for subscription in talker.subscriptions
        where subscription.number != nil {
            let late = subscription.queue.contains {
                guard case .turn(let other, _) = $0 else { return false }
                return other.simulation === turn.simulation && other.number <= turn.number
            }
            if late {
                throw difference(
                    talker,
                    "the reply came before its lines on sub \(subscription.number ?? 0): \(line)\(expected(talker))"
                )
            }
        }
    }

    // MARK: Event lines

    private func takeEvent(_ line: String, _ talker: Talker) throws {
        guard let params = try? reader.read(line)["params"], let number = params["sub"]?.integer,
            let subscription = talker.subscriptions.first(where: { $0.number == number })
        else { throw difference(talker, "a line of no subscription of this client: \(line)") }
        let head = #"{"jsonrpc":"2.0","method":"seam.event","params":{"sub":\#(number),"#
        func differs(_ expected: String) -> Difference {
            difference(talker, "on sub \(number)\n  came     \(line)\n  expected \(expected)")
        }
        if params["kind"] == "mark" { return try takeMark(params, subscription, differs) }
        if params["kind"] == "end" && params["reason"] == "closed" { dropUnsent(of: subscription) }
        guard let next = subscription.queue.first else { throw differs("nothing") }
        switch next {
        case .line(let tail):
            guard sameBytes(line, head + tail) else { throw differs(head + tail) }
            subscription.queue.removeFirst()
        case .turn(let turn, var remaining):
            let tail = try verdictTail(params, subscription, turn, remaining, differs)
            guard sameBytes(line, head + tail.text) else { throw differs(head + tail.text) }
            remaining.remove(tail.place)
            if remaining.isEmpty {
                subscription.queue.removeFirst()
            } else {
                subscription.queue[0] = .turn(turn, remaining: remaining)
            }
        case .sim(let simulation, let what, let dseq):
            let text = Foretold(
                .text(
                    head + #""dseq":\#(dseq),"sim":\#(simulation.id.quoted),"kind":"sim","what":"\#(what)""#
                        + #","scenario":"live","epoch":""#), .epoch(simulation),
                .text(what == "exists" ? #"","status":"running"}}"# : #""}}"#))
            guard text.matches(line) else { throw differs(text.description) }
            subscription.queue.removeFirst()
        case .end(let reason, let seq):
            let tail =
                subscription.simulation.map {
                    #""sim":\#($0.id.quoted),"kind":"end","reason":"\#(reason)","seq":"#
                } ?? #""dseq":"#
            let isEnd = params["kind"] == "end" && params["reason"]?.text == reason
            // What happened in the same burst may have been cut off by the close.
            let last = params["seq"]?.integer ?? params["dseq"]?.integer ?? -1
            guard isEnd, line.hasPrefix(head + tail), last == seq || (reason == "closed" && last < seq)
            else { throw differs(head + tail + "\(seq)…") }
            subscription.queue.removeFirst()
        }
    }

    private func verdictTail(
        _ params: JSON, _ subscription: ReferenceSubscription, _ turn: ReferenceTurn, _ remaining: Set<Int>,
        _ differs: (String) -> Difference
    ) throws -> (text: String, place: Int) {
        guard let seq = params["seq"]?.integer, let screen = params["screen"]?.text,
            let key = params["field"]?.text,
            let place = turn.place(seq, FieldName(screen: Text(screen), key: Text(key))),
            remaining.contains(place)
        else {
            let fields = remaining.map { turn.tail($0, seq: -1) }
            throw differs("one of \(turn.firstSeq)...\(turn.lastSeq): \(fields)")
        }
        var text = turn.tail(place, seq: seq)
        var position = seq
        if subscription.simulation == nil {
            position = turn.firstDseq + seq - turn.firstSeq
            text = #""dseq":\#(position),"# + text
        }
        guard position > subscription.lastSeen else {
            throw differs("a number after \(subscription.lastSeen)")
        }
        subscription.lastSeen = position
        return (text, place)
    }

    /// Everything up to its number was sent.
    private func takeMark(
        _ params: JSON, _ subscription: ReferenceSubscription, _ differs: (String) -> Difference
    ) throws {
        let position = params["seq"]?.integer ?? params["dseq"]?.integer ?? -1
        let isTrue = subscription.queue.allSatisfy {
            switch $0 {
            case .line: false
            case .turn(let turn, _):
                (subscription.simulation == nil ? turn.firstDseq : turn.firstSeq) > position
            case .sim(_, _, let dseq): dseq > position
            case .end: true
            }
        }
        guard isTrue else { throw differs("what comes before it") }
    }

    /// A close takes back what this very burst, or a snapshot that was still on its way, had to send.
    private func dropUnsent(of subscription: ReferenceSubscription) {
        while let next = subscription.queue.first {
            switch next {
            case .line where subscription.burst > reference.burst - 6: break
            case .turn(let turn, _) where turn.burst == reference.burst: break
            case .sim(_, "exists", _) where subscription.burst <= reference.burst - 6: return
            case .sim: break
            case .line, .turn, .end: return
            }
            subscription.queue.removeFirst()
        }
    }

    private func sameBytes(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    // MARK: Coming and going

    private func leave() throws {
        let leaving = talkers.remove(at: source.number(1...talkers.count - 1))
        leavings += 1
        // With or without what is still unread.
        if source.chance(50) { _ = try leaving.client.call("seam.ping") }
        // In the middle of a line.
        if source.chance(40) { try leaving.client.send(source.pick([#"{"method":"model.se"#, "[", "\""])) }
        leaving.client.close()
        for subscription in leaving.subscriptions { subscription.isOver = true }
        reference.subscriptions.removeAll { gone in leaving.subscriptions.contains { $0 === gone } }
        try awaitLeaving()
        for simulation in reference.simulations where simulation.owner == leaving.number {
            reference.destroy(simulation)
        }
        try join()
    }

    /// The daemon sees a client go in its own time.
    private func awaitLeaving() throws {
        let asking = try daemon.connect()
        defer { asking.close() }
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(20) {
            if try asking.call("seam.stats")["connections"]?.integer == talkers.count + 1 { return }
        }
        let stats = try asking.call("seam.stats")
        throw difference(
            talkers[0],
            "\(talkers.count) clients are left and one that asks, and the daemon says \(stats.encoded)")
    }

    /// The daemon ends, and tells everybody.
    private func end() throws {
        let answer = try talkers[1].client.request("seam.shutdown")
        guard answer["result"] == [:] else { throw difference(talkers[1], "shutdown gave \(answer)") }
        for talker in talkers {
            for _ in talker.subscriptions {
                let end = try talker.client.nextEvent()
                guard end.kind == "end", end.params?["reason"] == "shutdown" else {
                    throw difference(talker, "instead of an end came \(end)")
                }
            }
            if let more = try talker.client.readLine() { throw difference(talker, "behind the end: \(more)") }
        }
        guard try daemon.process.waitForEnd() == .exit(0) else {
            throw difference(talkers[0], "seamd did not end with 0: \(daemon.stderr)")
        }
    }

    private func difference(_ talker: Talker, _ text: String) -> Difference {
        Difference(
            description: """
                seed \(seed), request \(requestCount), client \(talker.number): \(text)
                the last burst was
                \(sent.prefix(6000))
                """)
    }
}
