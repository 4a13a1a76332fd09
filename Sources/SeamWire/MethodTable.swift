/// The contract, as data. Requests are decoded by it and `rpc.discover` is written from it, so that what the document
/// says and what the daemon takes cannot part. A new method is a case of `Method`, a row here, a case of `Call` and its
/// line in `Arguments.call`; the compiler asks for the last two.
public enum MethodTable {
    /// One row a method, in the order of `Method`.
    public static let specs: [MethodSpec] = Method.allCases.map(spec)

    /// What any request can be answered with.
    public static let commonErrors: [ErrorKind] = [
        .parse, .tooDeep, .numberRange, .invalidRequest, .duplicateKey, .idType, .unknownMethod,
        .missingParam,
        .unknownParam, .wrongType, .outOfRange, .badName, .internal, .limit, .tooLarge, .denied,
        .shuttingDown,
    ]

    // A switch and not a literal array: it cannot miss a method or have one twice.
    private static func spec(_ method: Method) -> MethodSpec {
        switch method {
        case .hello:
            row(
                method, "seam.hello", "Names the two sides to each other and tells the limits of the daemon.",
                [
                    .optional("client", .label, "What the client calls itself, for logs and seam.stats."),
                    .optional(
                        "protocol", .integer(from: 1, to: 1),
                        "The major version of the protocol the client speaks; another one than the daemon's is refused."
                    ),
                    .optional(
                        "maxLine", .integer(from: 65_535, to: 16 << 20),
                        "The longest line in bytes the client takes as a reply; raises limits.replyBytes."),
                ],
                result: Schemas.hello)
        case .ping:
            row(
                method, "seam.ping", "Answers when the requests before it are answered.", [],
                result: Schemas.ping)
        case .stats:
            row(method, "seam.stats", "Counters of the daemon since its start.", [], result: Schemas.stats)
        case .shutdown:
            row(
                method, "seam.shutdown", "Ends every subscription, then the daemon.", [],
                result: Schemas.nothing)
        case .discover:
            row(method, "rpc.discover", "This document.", [], result: Schemas.openRPC)
        case .scenarioList:
            row(
                method, "scenario.list",
                "Lists the scenarios there are, and the plug-ins that could not be read.",
                [from, limit], result: Schemas.scenarioList)
        case .scenarioDescribe:
            row(
                method, "scenario.describe",
                "Describes a scenario: parameters, screens, bridges, events, script and checks.",
                [.required("scenario", .name, "The id of the scenario.")],
                result: Schemas.scenarioDescribe, errors: [.unknownScenario, .pluginFailed])
        case .simCreate:
            row(
                method, "sim.create",
                "Creates a simulation: started, mounted and drawn, its script not played.",
                creation + [
                    .optional(
                        "lifetime", .word(.lifetime),
                        """
                        Whether the simulation lives until it is destroyed (daemon, the default) or until this\
                         connection closes.
                        """),
                    .optional(
                        "history", .integer(from: 0, to: 1 << 34),
                        """
                        How many bytes of its inputs are kept, for earlier moments and forks; left out, what seamd's\
                         --history-bytes says.
                        """),
                    .optional("record", .path, "The new file to record it to, from its first turn on."),
                ],
                result: Schemas.simCreate, errors: creationErrors + fileErrors)
        case .simList:
            row(
                method, "sim.list", "Lists the simulations there are.", [from, limit], result: Schemas.simList
            )
        case .simGet:
            row(
                method, "sim.get", "Shows a simulation and its fields, as they are now or were.",
                [sim, .optional("screen", .plainName, "Only the fields of this screen."), from, limit, at],
                result: Schemas.simGet, errors: [.unknownSim, .unknownScreen] + pastErrors)
        case .simDestroy:
            row(
                method, "sim.destroy", "Destroys a simulation; its subscriptions end.", [sim],
                result: Schemas.simDestroy, errors: [.unknownSim])
        case .simSend:
            row(
                method, "sim.send", "Sends an event that the scenario declares.",
                [
                    sim, .required("event", .name, "The id of the event."),
                    .optional(
                        "args", .values, "The arguments by name; those left out take their initial value."),
                    mount, ifSeq,
                ],
                result: Schemas.change,
                errors: changeErrors + [.unknownEvent, .unknownArg, .valueNotText, .whichMount])
        case .simAdvance:
            row(
                method, "sim.advance", "Moves the virtual clock on; what falls due happens in order.",
                [
                    sim,
                    .required("ms", .integer(from: 0, to: 1_000_000_000_000), "How many milliseconds."),
                    ifSeq,
                ],
                result: Schemas.change, errors: changeErrors)
        case .simCheck:
            row(
                method, "sim.check",
                "Judges fields: their verdicts, the counts, and findings about the bridges.",
                [
                    sim,
                    .optional(
                        "label", .label, "What the check is called; the id of the simulation if left out."),
                    .optional("screen", .plainName, "Only the fields of this screen."),
                    .optional(
                        "fields", .fieldNames,
                        """
                        Only these: keys of the screen named, else "Screen.field", or a key of every screen that\
                         has it.
                        """),
                    at,
                ],
                result: Schemas.check, errors: [.unknownSim, .unknownScreen, .unknownField] + pastErrors)
        case .simRun:
            row(
                method, "sim.run",
                "Creates a simulation, plays the script of its scenario and judges its checks.",
                creation + [
                    .optional(
                        "keep", .boolean, "Whether the simulation stays afterwards; false if left out."),
                    .optional("steps", .boolean, "Whether each step is reported; false if left out."),
                ],
                result: Schemas.simRun, errors: creationErrors)
        case .simFork:
            row(
                method, "sim.fork",
                "Makes a simulation that goes on from where another one is, or was.",
                [
                    sim,
                    .optional("id", .plainName, "The id of the new simulation; left out, one is made up."),
                    at,
                ],
                result: Schemas.simCreate, errors: [.unknownSim, .simExists] + pastErrors)
        case .modelSet:
            row(
                method, "model.set", "Sets values of the model in one turn.",
                [sim, .required("values", .values, "The values by key; null clears one."), ifSeq],
                result: Schemas.change, errors: changeErrors + [.unknownKey, .valueNotText])
        case .modelClear:
            row(
                method, "model.clear", "Clears values of the model in one turn.",
                [sim, .required("keys", .names, "The keys to clear."), ifSeq],
                result: Schemas.change, errors: changeErrors + [.unknownKey])
        case .screenDeclare:
            row(
                method, "screen.declare", "Declares fields of a live screen before they show anything.",
                [sim, screen, .required("fields", .names, "The keys of the fields."), ifSeq],
                result: Schemas.change, errors: changeErrors + [.notLive])
        case .screenSet:
            row(
                method, "screen.set", "Tells what a live screen shows.",
                [
                    sim, screen,
                    .required("values", .values, "The texts shown by key; null shows nothing there."), ifSeq,
                ],
                result: Schemas.change, errors: changeErrors + [.notLive, .valueNotText])
        case .screenClear:
            row(
                method, "screen.clear", "Tells that a live screen no longer shows something.",
                [sim, screen, .required("keys", .names, "The keys of the fields."), ifSeq],
                result: Schemas.change, errors: changeErrors + [.notLive, .unknownScreen, .unknownField])
        case .bridgeAssign:
            row(
                method, "bridge.assign", "Assigns the root view of an embedding again.",
                [sim, bridge, mount, ifSeq], result: Schemas.change, errors: bridgeErrors)
        case .bridgeUpdate:
            row(
                method, "bridge.update", "Calls the update of a wrapping once more.",
                [sim, bridge, mount, ifSeq], result: Schemas.change, errors: bridgeErrors)
        case .bridgeUnmount:
            row(
                method, "bridge.unmount", "Takes a mount of a bridge off the screen: dismantles it.",
                [sim, bridge, mount, ifSeq], result: Schemas.change, errors: bridgeErrors)
        case .bridgeMount:
            row(
                method, "bridge.mount", "Puts a bridge on its screen once more.",
                [sim, bridge, ifSeq], result: Schemas.bridgeMount, errors: bridgeErrors)
        case .subOpen:
            row(
                method, "sub.open",
                "Opens a stream of event lines: the state now, then every change, with nothing between lost.",
                [
                    .optional(
                        "sim", .plainName, "The simulation; left out, every simulation, also later ones."),
                    .optional(
                        "match", .globs,
                        """
                        Only fields that one of these globs matches: over "Screen.field", or without sim over\
                         "sim/Screen.field".
                        """),
                    .optional(
                        "mode", .word(.mode),
                        """
                        What a reader that falls behind gets: the newest change of each field (latest, the default),\
                         or every change and in the end none (all).
                        """),
                    .optional("only", .word(.only), "Leaves out changes that keep the verdict."),
                    .optional(
                        "after", .resumePoint,
                        "Goes on behind this point, which excludes start: {epoch, seq}, or without sim {epoch, dseq}."
                    ),
                    .optional(
                        "start", .word(.start),
                        """
                        Whether the stream begins with the state of every field (state, the default) or with what\
                         changes from now on.
                        """),
                ],
                result: Schemas.subOpen,
                errors: [.unknownSim, .gone, .seqInFuture, .conflictingParams])
        case .subClose:
            row(
                method, "sub.close", "Closes a stream; its end line comes before this reply.",
                [
                    .required(
                        "sub", .integer(from: 0, to: Limits.largestInteger), "The number of the subscription."
                    )
                ],
                result: Schemas.subClose, errors: [.unknownSub])
        case .recStart:
            row(
                method, "rec.start", "Records a simulation: what came into it, and what came of it.",
                [sim, path],
                result: Schemas.recStart, errors: [.unknownSim, .pluginFailed, .recorded, .gone] + fileErrors)
        case .recStop:
            row(
                method, "rec.stop", "Ends a recording, once all of it is in its file.", [sim],
                result: Schemas.recStop, errors: [.unknownSim, .notRecorded, .fileFailed])
        case .recReplay:
            row(
                method, "rec.replay",
                "Plays a recording to a new simulation, and tells the first line that comes out otherwise.",
                [
                    .required("path", .path, "The file of the recording."),
                    .optional("id", .plainName, "The id of the new simulation; left out, one is made up."),
                    .optional(
                        "keep", .boolean, "Whether the simulation stays afterwards; false if left out."),
                ],
                result: Schemas.recReplay,
                errors: [.unknownScenario, .simExists, .badRecording, .pluginFailed] + fileErrors)
        }
    }

    private static func row(
        _ method: Method, _ name: StaticString, _ summary: StaticString, _ params: [ParamSpec],
        result: StaticString,
        errors: [ErrorKind] = []
    ) -> MethodSpec {
        MethodSpec(
            method: method, name: name, summary: summary, params: params, result: result, errors: errors,
            since: "1.0")
    }

    // MARK: what several methods take

    private static let sim = ParamSpec.required("sim", .plainName, "The id of the simulation.")
    private static let screen = ParamSpec.required(
        "screen", .plainName, "The screen; named first here, it exists.")
    private static let bridge = ParamSpec.required("bridge", .plainName, "The id of the bridge.")
    private static let mount = ParamSpec.optional(
        "mount", .integer(from: 1, to: Limits.largestInteger),
        "Which mount of the bridge; left out, the only one it has.")
    private static let ifSeq = ParamSpec.optional(
        "ifSeq", .integer(from: 0, to: Limits.largestInteger),
        "Nothing is done unless the simulation is at this seq.")
    private static let from = ParamSpec.optional(
        "from", .integer(from: 0, to: Limits.largestInteger), "The first element, counted from 0.")
    private static let limit = ParamSpec.optional(
        "limit", .integer(from: 1, to: Limits.largestInteger),
        "The most elements to answer with; left out, as many as a reply holds.")
    private static let creation: [ParamSpec] = [
        .required("scenario", .name, "The id of the scenario."),
        .optional("id", .plainName, "The id of the simulation; left out, one is made up."),
        .optional("params", .values, "Parameters of the scenario by name."),
        .optional("policies", .settings, "Policies by name, before those of bridge, scenario and profile."),
        .optional("profile", .name, "The profile to take policies from."),
        .optional(
            "seed", .integer(from: 0, to: Limits.largestInteger),
            "What everything random in it is derived from."),
        .optional(
            "clock", .word(.clock),
            "Whether time moves by sim.advance alone (virtual, the default) or by itself."),
    ]

    private static let at = ParamSpec.optional(
        "at", .integer(from: 0, to: Limits.largestInteger),
        "The moment of this seq: the end of the turn that it belongs to; left out, now.")
    private static let path = ParamSpec.required("path", .path, "The new file.")

    private static let creationErrors: [ErrorKind] = [
        .unknownScenario, .unknownArg, .unknownPolicy, .unknownProfile, .valueNotText, .pluginFailed,
        .simExists,
    ]
    private static let fileErrors: [ErrorKind] = [.badPath, .fileFailed]
    private static let pastErrors: [ErrorKind] = [.gone, .seqInFuture, .notRepeatable]
    private static let changeErrors: [ErrorKind] = [.unknownSim, .pluginFailed, .conflict]
    private static let bridgeErrors: [ErrorKind] = changeErrors + [.unknownBridge, .whichMount]
}
