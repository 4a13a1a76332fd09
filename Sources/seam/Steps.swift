internal import SeamClient
internal import SeamWire

// `seam run --steps`: what a script did, for somebody who looks for the call that is missing.

extension Session {
    func printStep(_ step: JSON, number: Int) {
        print(style.paint("step \(number): \(Self.stepTitle(step["step"] ?? .null))", .bold))
        let calls = step["calls"]?.elements ?? []
        for call in calls { print("  \(sentence(for: call))") }
        let changes = step["changes"]?.elements ?? []
        // The lesson is often exactly this line: the model moved on and nobody carried it over.
        if calls.isEmpty && canCauseCalls(step["step"] ?? .null) { print("  no bridge was called") }
        for change in changes {
            let word = change["to"]?.text ?? "?"
            print(
                "  \(fieldName(change)): model=\(shownValue(change["model"])) screen=\(shownValue(change["shown"])) "
                    + "\(change["from"]?.text ?? "?") -> \(style.paint(word, Verdict(rawValue: word)?.color))"
            )
        }
        for diagnostic in step["diagnostics"]?.elements ?? [] {
            // Only where it happened; its text comes on standard error with all the others.
            print(
                "  ! \(printable(diagnostic["code"]?.text ?? ""))\(place(of: diagnostic).map { ": \($0)" } ?? "")"
            )
        }
    }

    private func canCauseCalls(_ step: JSON) -> Bool {
        step["step"]?.text != "check"
    }

    /// A step of a script as the command that would do the same.
    static func stepTitle(_ step: JSON) -> String {
        let kind = step["step"]?.text ?? step.text ?? "?"
        func word(_ member: String) -> String { printable(step[member]?.text ?? "") }
        let mount = step["mount"]?.integer.map { " mount \($0)" } ?? ""
        switch kind {
        case "model_set": return "set \(word("key"))=\(word("value"))"
        case "model_clear": return "clear \(word("key"))"
        case "event":
            let args = (step["args"]?.members ?? []).map { " \(printable($0.name))=\(shownValue($0.value))" }
                .joined()
            return "send \(word("event"))\(args)\(mount)"
        case "update":
            return "update \(word("bridge"))\(mount)"
                + (step["cause"].map { _ in " for \(word("cause"))" } ?? "")
        case "assign", "unmount", "dismiss", "build": return "\(kind) \(word("bridge"))\(mount)"
        case "assign_built": return "assign \(word("bridge"))\(mount) what was built"
        case "activity":
            let changes = ["window", "scene", "hidden", "size", "parked"].compactMap { name in
                step[name].map { " \(name)=\($0.text.map(printable) ?? ($0.boolean == true ? "yes" : "no"))" }
            }
            return "host \(word("bridge"))\(mount)\(changes.joined())"
        case "identify": return "identify \(word("bridge"))\(mount) as \(word("id"))"
        case "rebind": return "rebind \(word("bridge"))\(mount) to \(word("owner"))"
        case "items":
            let items = (step["items"]?.elements ?? []).map { " \(printable($0["id"]?.text ?? ""))" }
            return "items \(word("bridge"))\(items.joined())"
        case "environment":
            let place = step["bridge"].map { _ in " of \(word("bridge"))\(mount)" } ?? ""
            return "environment \(word("key"))=\(shownValue(step["value"]))\(place)"
        case "mount":
            return "mount \(word("bridge"))" + (step["label"]?.text.map { " as \(printable($0))" } ?? "")
        case "advance": return "advance \(step["ms"]?.scalar ?? "?") ms"
        case "check": return "check \(word("label"))"
        default: return printable(kind)
        }
    }

    /// One call of a bridge or of the plug-in, and what came of it.
    private func sentence(for call: JSON) -> String {
        let kind = call["call"]?.text ?? "?"
        let bridge = call["bridge"]?.text.map { "\(printable($0))." } ?? ""
        let cause = call["why"]?.text
        let wrote = texts(call["wrote"])
        let set = texts(call["set"])
        var results: [String] = []
        if !wrote.isEmpty { results.append("wrote \(wrote.joined(separator: ", "))") }
        if !set.isEmpty { results.append("set \(set.joined(separator: ", "))") }
        if results.isEmpty {
            switch kind {
            case "make", "update", "draw": results.append("ran and wrote nothing")
            case "coordinator", "dismantle": results.append("ran")
            default: results.append("ran and changed nothing")
            }
        }
        // What no bridge was called for is the scenario's own code: its start, an event, or what it has queued.
        if bridge.isEmpty && (kind == "event" || kind == "tick") {
            let name = kind == "tick" ? Self.queued(cause) : "the scenario"
            return "\(name) \(results.joined(separator: ", "))"
        }
        let why = cause.map { " (\(printable($0)))" } ?? ""
        return "\(bridge)\(kind)\(why) \(results.joined(separator: ", "))"
    }

    /// What a tick is the arrival of.
    static func queued(_ why: String?) -> String {
        switch why {
        case "timer": "a timer of the scenario"
        case "next-turn": "what the scenario has put off to this round"
        case "post": "what the scenario was handed from outside a turn"
        case "watch": "the scenario's watch on the model"
        case "command": "a command for a control"
        default: "the scenario's own work"
        }
    }

    private func texts(_ json: JSON?) -> [String] {
        json?.elements?.compactMap { $0.text.map(printable) } ?? []
    }
}
