// The one description of the command line. Parsing, --help, completion scripts, suggestions and man pages
// all read it; none of them knows a command or an option by itself.

/// What a word on the command line means: how it is checked, and what completion offers for it.
enum WordKind: Sendable {
    case text
    case scenario, simulation, bridge, screen, event, field, key, method, command
    /// `k=v`; the first `=` divides. What stands before it is one of these.
    case assignment(AssignedTo)
    /// `FIELD=VERDICT`; the last `=` divides, since a field key may hold one.
    case condition
    case number(from: Int, to: Int = .max)
    case choice([String])
    /// `on` or `off`, or what else says the same.
    case onOff
    /// `NAME=WORD`: one of these names, with one of its words.
    case setting([Setting])
    /// Several of the words, divided by commas.
    case list([String])
    /// An item's id, alone or as `ID=VALUE`; the first `=` divides.
    case item
    case profile
    /// Several of the numbers, divided by commas.
    case numbers(ClosedRange<Int>)
    case json
    case file, folder
}

/// What a `k=v` word gives a value to.
enum AssignedTo: String, Sendable { case key, parameter, argument, policy, environment }

/// A name with the words that it may be given.
struct Setting: Sendable {
    let name: String
    let words: [String]

    init(_ name: String, _ words: [String] = OnOff.words) {
        self.name = name
        self.words = words
    }

    var isSwitch: Bool { words == OnOff.words }
}

/// What people write for yes and no.
enum OnOff {
    /// Those that help and completion show.
    static let words = ["on", "off"]
    static let expected = "on or off (also true or false, yes or no)"

    static func isOn(_ word: String) -> Bool? {
        switch word {
        case "on", "true", "yes": true
        case "off", "false", "no": false
        default: nil
        }
    }
}

struct Option: Sendable {
    let name: String
    let short: Character?
    /// The placeholder of its value; nil for a switch.
    let value: String?
    let kind: WordKind
    let repeats: Bool
    let summary: String

    /// A switch.
    init(_ name: String, short: Character? = nil, _ summary: String) {
        self.init(name, short: short, value: nil, .text, repeats: false, summary)
    }

    init(
        _ name: String, short: Character? = nil, value: String?, _ kind: WordKind, repeats: Bool = false,
        _ summary: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.kind = kind
        self.repeats = repeats
        self.summary = summary
    }
}

struct Positional: Sendable {
    enum Count: Sendable { case one, optional, any, some }

    let name: String
    let kind: WordKind
    let count: Count
    let summary: String
    private let ownUsage: String?

    /// Exactly one word.
    init(_ name: String, _ kind: WordKind, _ summary: String) {
        self.init(name, kind, .one, summary)
    }

    /// `usage` is how it stands in a usage line when its count does not tell.
    init(_ name: String, _ kind: WordKind, _ count: Count, usage: String? = nil, _ summary: String) {
        self.name = name
        self.kind = kind
        self.count = count
        self.summary = summary
        ownUsage = usage
    }

    /// As it stands in a usage line.
    var usage: String {
        if let ownUsage { return ownUsage }
        return switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        case .some: "\(name)…"
        }
    }
}

struct Example: Sendable {
    let line: String
    let says: String

    init(_ line: String, _ says: String) {
        self.line = line
        self.says = says
    }
}

struct Command: Sendable {
    let name: String
    let summary: String
    let positionals: [Positional]
    let options: [Option]
    /// Another way to call it, which takes other words; without the program's and the command's name.
    let otherForm: String?
    /// Paragraphs of the help text; a line that begins with a space is set as it stands.
    let details: [String]
    let examples: [Example]
    let exits: [Exit]
    /// Made for completion scripts; not shown to people.
    let isHidden: Bool
    let run: @Sendable (Session) throws -> Exit

    init(
        _ name: String, _ summary: String, _ positionals: [Positional] = [], options: [Option] = [],
        otherForm: String? = nil, details: [String] = [], examples: [Example] = [],
        exits: [Exit] = [.noConnection, .refused],
        isHidden: Bool = false, run: @escaping @Sendable (Session) throws -> Exit
    ) {
        self.name = name
        self.summary = summary
        self.positionals = positionals
        self.options = options
        self.otherForm = otherForm
        self.details = details
        self.examples = examples
        // Whatever asks a daemon takes --timeout.
        let exits = exits + (exits.contains(.noConnection) ? [.timedOut] : []) + [.fine, .usage]
        self.exits = Exit.all.filter(exits.contains)
        self.isHidden = isHidden
        self.run = run
    }

    var usage: String {
        (["seam", name] + positionals.map(\.usage) + (options.isEmpty ? [] : ["[options]"])).joined(
            separator: " ")
    }

    /// All ways to call it.
    var usages: [String] { [usage] + (otherForm.map { ["seam \(name) \($0)"] } ?? []) }
}

/// The exit codes; scripts rely on them.
enum Exit: Int32, Sendable {
    case fine = 0
    case finding = 1
    case usage = 2
    case noConnection = 3
    case refused = 4
    case timedOut = 5
    case lostEvents = 6

    static let all: [Exit] = [.fine, .finding, .usage, .noConnection, .refused, .timedOut, .lostEvents]

    var meaning: String {
        switch self {
        case .fine: "done"
        case .finding:
            "done, and the answer is no: --fail-on hit, a check not as expected or none, a wait in vain, a bad line, nothing "
                + "to list, a misconfiguration; or output could not be written"
        case .usage: "the command line is wrong"
        case .noConnection: "no connection to a daemon"
        case .refused: "the daemon said no, or has nothing by that name or glob"
        case .timedOut: "timed out"
        case .lostEvents: "the stream lost events under --strict"
        }
    }
}

extension Option {
    // MARK: Every command
    static let socket = Option("socket", value: "PATH", .file, "talk to the daemon at this socket")
    static let json = Option("json", "print one JSON object per line")
    static let color = Option(
        "color", value: "WHEN", .choice(["auto", "always", "never"]),
        "colour the output: auto, always or never")
    static let timeout = Option(
        "timeout", value: "MS", .number(from: 0), "give up after so many milliseconds (exit code 5)")
    static let version = Option("version", "print the version")
    static let help = Option("help", short: "h", "print this help")
    static let global: [Option] = [socket, json, color, timeout, version, help]

    // MARK: Making simulations
    static let parameter = Option(
        "param", short: "p", value: "K=V", .assignment(.parameter), repeats: true,
        "give a parameter of the scenario a value")
    static let policy = Option(
        "policy", value: "K=V", .assignment(.policy), repeats: true, "set a policy, such as updates=manual")
    static let profile = Option("profile", value: "NAME", .profile, "take the policies of this profile")
    static let seed = Option("seed", value: "N", .number(from: 0), "the seed of the simulation's randomness")
    static let clock = Option(
        "clock", value: "KIND", .choice(["virtual", "real"]), "virtual (moved by `seam advance`) or real")
    static let identifier = Option("id", value: "ID", .text, "the simulation's name; else s1, s2, …")
    static let creation = [parameter, policy, profile, seed, clock]

    // MARK: Private daemons
    static let plugin = Option(
        "plugin", value: "FILE", .file, repeats: true, "load this plug-in into a private daemon")
    static let pluginFolder = Option(
        "plugin-dir", value: "DIR", .folder, repeats: true,
        "load the plug-ins of this folder into a private daemon")
    static let plugins = [plugin, pluginFolder]

    // MARK: The dashboard
    static let port = Option(
        "port", value: "N", .number(from: 0, to: 65_535),
        "the port to serve at; 0 is any that is free, else 7333")
    static let doctorPort = Option(
        "port", value: "N", .number(from: 0, to: 65_535),
        "the port that the dashboard is to have; else 7333")
    static let allowControl = Option("allow-control", "let the page change simulations, not only show them")

    // MARK: The table at the terminal
    static let onlyVerdicts = Option(
        "only", value: "WORDS", .list(["wrong"] + Verdict.words),
        "show these verdicts at first, divided by commas; wrong is stale, missing and leftover")

    // MARK: Judging
    static let failWords = ["stale", "missing", "leftover", "diagnostic", "none"]
    static let failOn = Option(
        "fail-on", value: "WORDS", .list(failWords),
        "exit 1 when one of these occurs: stale, missing, leftover, diagnostic; none switches a default off")
    static let steps = Option(
        "steps", "show each step, the calls that it caused, and the fields that changed")

    static let why = Option(
        "why",
        "under each field that does not match, why: which call would have carried it, and when it last ran")

    static let report = Option(
        "report", value: "FORM=FILE", .text, repeats: true,
        "write a test report: junit=FILE, tap=FILE, or both divided by a comma; - is standard output")

    // MARK: Writing plug-ins
    static let language = Option(
        "language", value: "LANGUAGE", .choice(["swift", "c"]), "new: what it is written in; else swift")
    static let around = Option(
        "around", value: "FILE.swift", .file,
        "new: copy this file of an app into the package, and write a scenario around it")
    static let root = Option(
        "root", value: "TYPE", .text, "new --around: which type of the file is the screen; else the outermost"
    )
    static let only = Option(
        "only", value: "N,…", .numbers(1...PluginCheck.all.count),
        "check: only these checks, by number")
    static let inProcess = Option("in-process", "check: all in one process, which the first crash ends")
    static let checkSeed = Option(
        "seed", value: "N", .number(from: 0), "check: another seed tries other random events; else 1")
    static let reload = Option(
        "reload", "play scenarios of the plug-ins in --plugin-dir, and again after each build")

    // MARK: Driving
    static let ifSeq = Option(
        "if-seq", value: "N", .number(from: 0), "only when the simulation's seq is still N; else exit code 4")
    static let mount = Option(
        "mount", value: "N", .number(from: 1), "which mount; needed when the bridge has several")
    static let interim = Option(
        "interim", value: "LABEL[:FIELD,…]", .text,
        "read these fields, else all, before the turn has settled, and print them as a check")
    static let moment = Option(
        "after", value: "MOMENT", .choice(["event", "layout", "frame"]),
        "when --interim reads: after the event, before its first round (the default), or after that pass")
    /// What every command takes that is one turn.
    static let turn = [ifSeq, interim, moment]
    static let cause = Option(
        "cause", value: "CAUSE", .choice(["repeat", "layout", "focus", "unrelated", "container"]),
        "why: the same inputs again (repeat, the default), or something that is none of them")
    static let built = Option("built", "assign what `seam build` has made, not the model as it is now")
    static let host = Option(
        "bridge", value: "BRIDGE", .bridge, "of the host of this bridge; else of the root")
    static let unset = Option(
        "unset", value: "KEY", .key, repeats: true, "take a value of the environment away")
    static let label = Option("label", value: "TEXT", .text, "the label to print; else the simulation's id")
    static let screen = Option("screen", value: "SCREEN", .screen, "the fields of this screen")
    static let ofLiveScreen = Option(
        "screen", value: "SCREEN", .screen, "clear what this live screen shows instead")
    static let declare = Option(
        "declare", value: "KEY", .key, repeats: true, "declare a field that is not shown yet")

    // MARK: Recordings and earlier moments
    static let at = Option(
        "at", value: "SEQ", .number(from: 0), "as it was at this seq, not as it is now")
    static let atTurn = Option(
        "at-turn", value: "TURN", .number(from: 1),
        "as it was at the end of this turn, as the trace counts them")
    static let stop = Option("stop", "end the recording, once all of it is on the disk")
    static let keep = Option("keep", "let the simulation stay in the daemon")
    static let recordTo = Option(
        "record", value: "PATH", .file, "record it to this new file from its first turn on")
    static let history = Option(
        "history", value: "BYTES", .number(from: 0), "keep so much of its inputs for --at and `seam fork`")

    // MARK: The past
    static let trace = Option(
        "trace", value: "WHEN", .onOff,
        "keep what `seam trace` prints: on or off; else on, but for the scenario live")
    static let from = Option(
        "from", value: "TURN", .number(from: 0), "the first turn; else the oldest that is kept")
    static let to = Option("to", value: "TURN", .number(from: 0), "the last turn; else the newest")
    static let follow = Option("follow", short: "f", "go on with what happens from now on, until Ctrl-C")

    // MARK: Streams
    static let match = Option(
        "match", value: "GLOB", .text, repeats: true,
        "only fields whose Screen.field matches; * stands for any characters")
    static let mode = Option(
        "mode", value: "MODE", .choice(["latest", "all"]),
        "latest: a slow reader skips to the newest; all: every change or the end")
    static let after = Option(
        "after", value: "EPOCH:SEQ", .text, "resume behind this place instead of beginning with a snapshot")
    static let reconnect = Option("reconnect", "when the daemon goes, wait for it and resume")
    static let verdicts = Option("verdicts", "only changes of a verdict, not of values alone")
    static let strict = Option("strict", "exit 6 as soon as the stream skips or loses anything")
}
