internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam feed`: makes whatever a program prints visible as a live simulation.
func feed(_ session: Session) throws -> Exit {
    let simulation = session.arguments.word("SIM")
    let client = try session.connect()
    try createIfMissing(simulation, client, session)
    var feeder = Feeder(simulation, client, session)
    return try feeder.run()
}

private func createIfMissing(_ simulation: String, _ client: Client, _ session: Session) throws {
    do {
        _ = try session.call(
            client, "sim.create", ["scenario": "live", "id": .string(simulation)])
    } catch let refused as Refused where refused.failure.kind == "sim-exists" {
        // Each line's own answer would tell whether it is a live one; but there may never be a line.
        let state = try session.call(client, "sim.get", JSON.texts([("sim", simulation)]).adding("limit", 1))
        guard let scenario = state["scenario"]?.text, scenario != "live" else { return }
        throw NothingMatches(
            message:
                "the simulation \(simulation) plays \(scenario), and feed needs one of the scenario live; "
                + "choose another id, which feed then makes")
    }
}

/// One line of the input, understood.
///
///     model KEY VALUE            the model's value
///     screen SCREEN KEY VALUE    what the screen shows
///     declare SCREEN KEY         a field that is not shown yet
///
/// VALUE is the rest of the line as it stands, and may be empty when the blank before it is there; without that
/// blank the value becomes none. A word or value that begins with a double quote is a JSON string instead, for
/// blanks in names and for line ends in values. Blank lines and lines that begin with # are passed over.
private struct FeedLine {
    struct Failure: Error { let message: String }

    let method: String
    let params: JSON

    /// nil for a line that says nothing.
    init?(_ line: ArraySlice<UInt8>) throws(Failure) {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw Failure(message: "it is not UTF-8")
        }
        var words = Words(rest: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        let isBlank = words.rest.allSatisfy { $0 == blank || $0 == UInt8(ascii: "\t") }
        if isBlank || words.rest.first == UInt8(ascii: "#") { return nil }
        let kind = try words.next("a kind of line")
        switch kind {
        case "model":
            let key = try words.next("KEY")
            if let value = try words.value() {
                (method, params) = ("model.set", ["values": .texts([(key, value)])])
            } else {
                (method, params) = ("model.clear", ["keys": .texts([key])])
            }
        case "screen":
            let screen = try words.next("SCREEN")
            let key = try words.next("KEY")
            if let value = try words.value() {
                method = "screen.set"
                params = ["screen": .string(screen), "values": .texts([(key, value)])]
            } else {
                method = "screen.clear"
                params = ["screen": .string(screen), "keys": .texts([key])]
            }
        case "declare":
            let screen = try words.next("SCREEN")
            let key = try words.next("KEY")
            guard words.rest.isEmpty else {
                throw Failure(message: "declare takes SCREEN and KEY and no more")
            }
            (method, params) = ("screen.declare", ["screen": .string(screen), "fields": .texts([key])])
        default:
            let kinds = ["model", "screen", "declare"]
            throw Failure(
                message:
                    "it begins with '\(kind)', not with model, screen or declare\(didYouMean(kind, among: kinds))"
            )
        }
    }

    /// Bytes, not characters: a blank before a combining accent is still the blank that divides.
    private struct Words {
        var rest: ArraySlice<UInt8>

        /// The next word; the one blank behind it stays, since it decides whether a value follows.
        mutating func next(_ name: String) throws(Failure) -> String {
            rest = rest.drop { $0 == blank }
            if rest.first == quote { return try quoted() }
            let word = rest.prefix { $0 != blank }
            guard !word.isEmpty else { throw Failure(message: "\(name) is missing") }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }

        /// The value behind the blank; nil when there is none.
        mutating func value() throws(Failure) -> String? {
            guard rest.first == blank else { return nil }
            rest = rest.dropFirst()
            guard rest.first == quote else { return String(decoding: rest, as: UTF8.self) }
            let value = try quoted()
            guard rest.allSatisfy({ $0 == blank }) else {
                throw Failure(
                    message:
                        "something follows the closing quote; a value that begins with \" is a JSON string")
            }
            return value
        }

        private mutating func quoted() throws(Failure) -> String {
            var isEscaped = false
            let end = rest.dropFirst().firstIndex { byte in
                defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
                return !isEscaped && byte == quote
            }
            guard let end, let text = try? JSON(parsing: String(decoding: rest[...end], as: UTF8.self)).text
            else {
                throw Failure(message: "what begins with \" is not a JSON string")
            }
            rest = rest[(end + 1)...]
            return text
        }
    }
}

private let blank = UInt8(ascii: " ")
private let quote = UInt8(ascii: "\"")

/// Reads lines and sends each as a request of its own, many under way at once: every line is a turn, so a watcher
/// sees each value that was printed.
private struct Feeder {
    /// Enough to hide the way there and back; small enough that a refusal comes soon after its line.
    static let requestsMax = 1024
    static let unsentBytesMax = 256 << 10
    /// A value has at most 64 KiB; a line that is longer than all its parts could be is not kept.
    static let lineBytesMax = 1 << 20

    let simulation: String
    let client: Client
    let session: Session
    /// The line number of each request under way, and what it is about.
    var underWay: [Int: (line: Int, params: JSON)] = [:]
    /// What is wrong with lines, while the answer to an earlier one is still to come.
    var complaints: [(line: Int, text: String)] = []
    var input: [UInt8] = []
    var lineNumber = 0
    var isSkipping = false
    var hasEnded = false
    var isUnreadable = false
    var badLines = 0

    init(_ simulation: String, _ client: Client, _ session: Session) {
        self.simulation = simulation
        self.client = client
        self.session = session
    }

    mutating func run() throws -> Exit {
        do {
            try takeLines()
        } catch {
            tellComplaints(before: .max)
            throw error
        }
        if badLines > 0 {
            session.note("\(badLines) of \(lineNumber) lines were not taken")
            return .finding
        }
        return isUnreadable ? .finding : .fine
    }

    private mutating func takeLines() throws {
        while true {
            try takeReplies()
            if !complaints.isEmpty { tellComplaints(before: underWay.values.lazy.map(\.line).min() ?? .max) }
            if hasEnded && input.isEmpty && underWay.isEmpty { return }
            sendLines()
            // Where nothing was sent no answer is waited for.
            if underWay.isEmpty { tellComplaints(before: .max) }
            if hasEnded && input.isEmpty && underWay.isEmpty { return }
            let wantsInput = !hasEnded && input.count < Self.lineBytesMax && hasRoom
            if try client.wait(also: wantsInput ? STDIN_FILENO : nil, until: session.deadline()) {
                readInput()
            }
        }
    }

    private var hasRoom: Bool {
        underWay.count < Self.requestsMax && complaints.count < Self.requestsMax
            && client.unsentBytes < Self.unsentBytesMax
    }

    private mutating func readInput() {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(STDIN_FILENO, &chunk, chunk.count)
        if count > 0 {
            input += chunk[..<count]
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            if count < 0 {
                session.note("standard input: \(errorText(errno))")
                isUnreadable = true
            }
            // The last line may lack its end.
            if !input.isEmpty { input.append(UInt8(ascii: "\n")) }
            hasEnded = true
        }
    }

    /// Sends the lines that have been read, as far as there is room.
    private mutating func sendLines() {
        var start = input.startIndex
        while hasRoom, let end = input[start...].firstIndex(of: UInt8(ascii: "\n")) {
            send(input[start..<end])
            start = end + 1
        }
        input.removeSubrange(..<start)
        if input.count >= Self.lineBytesMax && !input.contains(UInt8(ascii: "\n")) {
            if !isSkipping { complain(lineNumber + 1, "it is longer than \(Self.lineBytesMax) bytes") }
            isSkipping = true
            input.removeAll()
        }
    }

    private mutating func send(_ line: ArraySlice<UInt8>) {
        lineNumber += 1
        if isSkipping {
            isSkipping = false
            return
        }
        do {
            guard let line = try FeedLine(line) else { return }
            let id = client.send(line.method, JSON.texts([("sim", simulation)]).adding(line.params))
            // A value may be long, and no refusal needs it.
            underWay[id] = (
                lineNumber, JSON.texts([("sim", simulation)]).adding(line.params.removing("values"))
            )
        } catch {
            complain(lineNumber, error.message)
        }
    }

    private mutating func takeReplies() throws {
        while let arrival = try client.nextArrival() {
            guard case .reply(let id, let result) = arrival, let asked = underWay.removeValue(forKey: id)
            else { continue }
            guard case .failure(let failure) = result else { continue }
            let refused = Refused(failure: failure, params: asked.params)
            // Without its simulation no line can be taken any more, so the first answer speaks for all.
            if failure.code == WireFailure.unknownSimulation || failure.kind == "not-live" { throw refused }
            complain(asked.line, session.sentence(of: refused))
        }
    }

    private mutating func complain(_ line: Int, _ text: String) {
        badLines += 1
        complaints.append((line, text))
    }

    /// Tells what is wrong with the lines before one whose answer is still to come, in their order.
    private mutating func tellComplaints(before line: Int) {
        guard !complaints.isEmpty else { return }
        for complaint in complaints.sorted(by: { $0.line < $1.line }) where complaint.line < line {
            session.note("line \(complaint.line): \(complaint.text)")
        }
        complaints.removeAll { $0.line < line }
    }
}
