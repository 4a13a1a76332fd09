internal import Glibc
internal import SeamClient
internal import SeamWire

// The commands about the daemon itself, and the one that says any request as it is.

/// `seam call`: any method of the protocol; its result on one line.
func callMethod(_ session: Session) throws -> Exit {
    let arguments = session.arguments
    var params: JSON = [:]
    if let text = arguments.optionalWord("JSON") {
        do {
            params = try JSON(parsing: text)
        } catch {
            var problem = error.message
            if case .text(let expected) = error["expected"], case .integer(let offset) = error["offset"] {
                problem = "expected \(expected) at byte \(offset)"
            }
            throw UsageFailure(message: "the params are not JSON: \(problem)", command: arguments.command)
        }
        guard params.members != nil || params.elements != nil else {
            throw UsageFailure(
                message: "JSON is an object or an array of params, not \(text)", command: arguments.command)
        }
    }
    let client = try session.connect()
    let method = arguments.word("METHOD")
    session.print(try session.call(client, method, params))
    if method == "sub.open" {
        session.note("a subscription ends with its connection, which is this call's; `seam watch` keeps one")
    }
    return .fine
}

/// `seam ping`: whether the daemon answers, and how fast.
func ping(_ session: Session) throws -> Exit {
    let deadline = session.deadline(orMilliseconds: 5000)
    let client = try Client(to: session.socketPath(), interrupts: session.interrupts, until: deadline)
    let start = ContinuousClock.now
    let answer = try client.call("seam.ping", until: deadline)
    let microseconds = (ContinuousClock.now - start) / .microseconds(1)
    let milliseconds = "\(Int(microseconds) / 1000).\(padding(Int(microseconds) % 1000))"
    if session.printsJSON {
        let timing: JSON = ["socket": .string(client.path.path), "ms": .number(milliseconds)]
        session.print(timing.adding(answer))
    } else {
        session.print("\(printable(client.path.path)) answers in \(milliseconds) ms")
    }
    return .fine
}

private func padding(_ thousandths: Int) -> String {
    String("\(1000 + thousandths)".dropFirst())
}

/// `seam stats`: the daemon's counters, one a line.
func stats(_ session: Session) throws -> Exit {
    let client = try session.connect()
    let counters = try session.call(client, "seam.stats", [:])
    if session.printsJSON {
        session.print(counters)
    } else {
        session.printTable(flattened(counters, under: ""))
    }
    return .fine
}

/// Nested members as rows `a.b  value`.
private func flattened(_ json: JSON, under prefix: String) -> [[String]] {
    if let members = json.members {
        return members.flatMap {
            flattened($0.value, under: prefix.isEmpty ? $0.name : "\(prefix).\($0.name)")
        }
    }
    if let items = json.elements {
        return items.enumerated().flatMap { flattened($0.element, under: "\(prefix).\($0.offset)") }
    }
    return [[printable(prefix), printable(json.scalar ?? "-")]]
}

/// `seam shutdown`: returns when the daemon has closed, so that its socket is free for the next one.
func shutDown(_ session: Session) throws -> Exit {
    let client = try session.connect()
    _ = try session.call(client, "seam.shutdown", [:])
    let deadline = session.deadline(orMilliseconds: 10_000)
    var isOpen = true
    while isOpen {
        do {
            try client.wait(until: deadline)
            while try client.nextArrival() != nil {}
        } catch ClientFailure.lost {
            isOpen = false
        }
    }
    return .fine
}
