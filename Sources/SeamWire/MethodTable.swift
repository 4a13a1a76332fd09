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
                        "trace", .boolean,
                        """
                        Whether sim.trace can tell its calls and writes; left out, it can unless the scenario is\
                         live.
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
                [
                    sim, .optional("screen", .plainName, "Only the fields of this screen."), from, limit, at,
                    atTurn, whole,
                ],
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
                    mount, ifSeq, interim,
                ],
                result: Schemas.change,
                errors: interimErrors + [
                    .unknownEvent, .unknownArg, .valueNotText, .whichMount, .conflictingParams,
                ])
        case .simAdvance:
            row(
                method, "sim.advance", "Moves the virtual clock on; what falls due happens in order.",
                [
                    sim,
                    .required("ms", .integer(from: 0, to: 1_000_000_000_000), "How many milliseconds."),
                    ifSeq,
                ],
                result: Schemas.change, errors: changeErrors + [.conflictingParams])
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
                    why,
                    at,
                    atTurn,
                    whole,
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
                    why,
                    .optional(
                        "trace", .boolean,
                        "Whether every call and write comes with the result, to the end; false if left out."),
                ],
                result: Schemas.simRun, errors: creationErrors)
        case .simFork:
            row(
                method, "sim.fork",
                "Makes a simulation that goes on from where another one is, or was.",
                [
                    sim,
                    .optional("id", .plainName, "The id of the new simulation; left out, one is made up."),
                    at, atTurn,
                ],
                result: Schemas.simCreate, errors: [.unknownSim, .simExists] + pastErrors, since: "1.1")
        case .simTrace:
            row(
                method, "sim.trace", "Lists what happened in a simulation: every call and every write.",
                [
                    sim,
                    .optional(
                        "from", .integer(from: 0, to: Limits.largestInteger),
                        "The first turn; left out, the oldest that is kept."),
                    .optional(
                        "to", .integer(from: 0, to: Limits.largestInteger),
                        "The last turn; left out, the newest."),
                    .optional(
                        "limit", .integer(from: 1, to: Limits.largestInteger),
                        "The most records to answer with, in whole turns; left out, as many as a reply holds."
                    ),
                    .optional(
                        "skip", .integer(from: 0, to: Limits.largestInteger),
                        "How many records of the first turn to pass over; 0 if left out."),
                ],
                result: Schemas.simTrace, errors: [.unknownSim, .notTraced], since: "1.1")
        case .simExplain:
            row(
                method, "sim.explain",
                "Says why a field is as it is: who wrote both sides, and which call carries its value.",
                [
                    sim, .required("screen", .plainName, "The screen of the field."),
                    .required("field", .name, "The key of the field."),
                ],
                result: Schemas.simExplain, errors: [.unknownSim, .unknownScreen, .unknownField], since: "1.1"
            )
        case .modelSet:
            row(
                method, "model.set", "Sets values of the model in one turn.",
                [sim, .required("values", .values, "The values by key; null clears one."), ifSeq, interim],
                result: Schemas.change, errors: interimErrors + [.unknownKey, .valueNotText])
        case .modelClear:
            row(
                method, "model.clear", "Clears values of the model in one turn.",
                [sim, .required("keys", .names, "The keys to clear."), ifSeq, interim],
                result: Schemas.change, errors: interimErrors + [.unknownKey])
        case .screenDeclare:
            row(
                method, "screen.declare", "Declares fields of a live screen before they show anything.",
                [sim, screen, .required("fields", .names, "The keys of the fields."), ifSeq, interim],
                result: Schemas.change, errors: interimErrors + [.notLive])
        case .screenSet:
            row(
                method, "screen.set", "Tells what a live screen shows.",
                [
                    sim, screen,
                    .required("values", .values, "The texts shown by key; null shows nothing there."), ifSeq,
                    interim,
                ],
                result: Schemas.change, errors: interimErrors + [.notLive, .valueNotText])
        case .screenClear:
            row(
                method, "screen.clear", "Tells that a live screen no longer shows something.",
                [sim, screen, .required("keys", .names, "The keys of the fields."), ifSeq, interim],
                result: Schemas.change, errors: interimErrors + [.notLive, .unknownScreen])
        case .bridgeAssign:
            row(
                method, "bridge.assign", "Assigns the root view of an embedding again.",
                [
                    sim, bridge, mount, ifSeq, interim,
                    .optional(
                        "built", .boolean,
                        "Assigns what bridge.build has made, not the model as it is now; false if left out."),
                ],
                result: Schemas.change, errors: bridgeErrors)
        case .bridgeUpdate:
            row(
                method, "bridge.update", "Calls the update of a wrapping once more, or draws an embedding.",
                [
                    sim, bridge, mount, ifSeq, interim,
                    .optional(
                        "cause", .word(.cause),
                        """
                        Why: the same inputs again (repeat, the default), or something that is none of the inputs. An\
                         embedding draws for the others only.
                        """),
                ],
                result: Schemas.change, errors: bridgeErrors)
        case .bridgeUnmount:
            row(
                method, "bridge.unmount", "Takes a mount of a bridge off the screen: dismantles it.",
                [sim, bridge, mount, ifSeq, interim], result: Schemas.change, errors: bridgeErrors)
        case .bridgeMount:
            row(
                method, "bridge.mount", "Puts a bridge on its screen once more.",
                [sim, bridge, ifSeq, interim], result: Schemas.bridgeMount, errors: bridgeErrors)
        case .bridgeBuild:
            row(
                method, "bridge.build",
                "Makes a root view from the model as it is now and assigns it to nobody.",
                [sim, bridge, mount, ifSeq, interim], result: Schemas.change, errors: bridgeErrors,
                since: "1.1")
        case .bridgeIdentify:
            row(
                method, "bridge.identify",
                "Gives what stands in a place an id: another than before is another view.",
                [
                    sim, bridge, .required("identity", .name, "The id."), mount, ifSeq, interim,
                ],
                result: Schemas.change, errors: bridgeErrors, since: "1.1")
        case .bridgeRebind:
            row(
                method, "bridge.rebind",
                "Gives a control to another item, as a recycled cell is; its view state stays.",
                [
                    sim, bridge, .required("owner", .name, "The id of the item."), mount, ifSeq, interim,
                ],
                result: Schemas.change, errors: bridgeErrors, since: "1.1")
        case .bridgeItems:
            row(
                method, "bridge.items", "Says what a list shows: a mount of the bridge for each item.",
                [
                    sim, bridge,
                    .required(
                        "items", .items,
                        """
                        The items in their order, none for an empty list: the id decides which control stays, the\
                         value whether it is updated.
                        """),
                    ifSeq, interim,
                ],
                result: Schemas.change,
                errors: interimErrors + [.unknownBridge, .valueNotText, .conflictingParams],
                since: "1.1")
        case .bridgeDismiss:
            row(
                method, "bridge.dismiss", "Closes a view as its user does: the model did not ask for it.",
                [sim, bridge, mount, ifSeq, interim], result: Schemas.change, errors: bridgeErrors,
                since: "1.1")
        case .bridgeList:
            row(
                method, "bridge.list", "Lists the mounts of a simulation, those of a list in its order.",
                [
                    sim, .optional("bridge", .plainName, "Only the mounts of this bridge."), from, limit,
                ],
                result: Schemas.bridgeList, errors: [.unknownSim, .unknownBridge], since: "1.1")
        case .hostSet:
            row(
                method, "host.set",
                "Says where the system has put a mounted view; at least one of the five is given.",
                [
                    sim, bridge, mount,
                    .optional("window", .boolean, "Whether it is in a window."),
                    .optional("scene", .word(.scene), "Whether the scene of its window is active."),
                    .optional("hidden", .boolean, "Whether it is hidden, its content kept."),
                    .optional("size", .boolean, "Whether its size is other than zero."),
                    .optional("parked", .boolean, "Whether it waits in a pool for its next use."),
                    ifSeq, interim,
                ],
                result: Schemas.change, errors: bridgeErrors, since: "1.1")
        case .environmentSet:
            row(
                method, "environment.set",
                "Sets values of the environment in one turn: of the root, or of one host.",
                [
                    sim, .required("values", .values, "The values by name; null clears one."),
                    .optional("bridge", .plainName, "The bridge whose host is meant; left out, the root."),
                    mount, ifSeq, interim,
                ],
                result: Schemas.change, errors: bridgeErrors + [.valueNotText], since: "1.1")
        case .policyList:
            row(
                method, "policy.list",
                "Lists the policies that a simulation can be made with, and the profiles that set several.",
                [], result: Schemas.policyList, since: "1.1")
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
        errors: [ErrorKind] = [], since: StaticString = "1.0"
    ) -> MethodSpec {
        MethodSpec(
            method: method, name: name, summary: summary, params: params, result: result, errors: errors,
            since: since)
    }

    // MARK: what several methods take

    private static let sim = ParamSpec.required("sim", .plainName, "The id of the simulation.")
    private static let screen = ParamSpec.required(
        "screen", .plainName, "The screen; named first here, it exists.")
    private static let why = ParamSpec.optional(
        "why", .boolean,
        "Whether each field that does not match comes with the reason, a sentence; false if left out.")
    private static let bridge = ParamSpec.required("bridge", .plainName, "The id of the bridge.")
    private static let mount = ParamSpec.optional(
        "mount", .integer(from: 1, to: Limits.largestInteger),
        "Which mount of the bridge; left out, the only one it has.")
    private static let ifSeq = ParamSpec.optional(
        "ifSeq", .integer(from: 0, to: Limits.largestInteger),
        "Nothing is done unless the simulation is at this seq.")
    private static let interim = ParamSpec.optional(
        "interim", .interim,
        """
        Fields to read before the turn has settled: {label, fields, after}, answered as interim. after is event (the\
         event is applied and no round has run, the default), layout or frame.
        """)
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
    private static let atTurn = ParamSpec.optional(
        "atTurn", .integer(from: 1, to: Limits.largestInteger),
        "The end of this turn, also of one that changed nothing; not together with at.")
    private static let whole = ParamSpec.optional(
        "whole", .boolean,
        "Whether values are shown to their end; false if left out: at most shownValueBytes of each.")
    private static let path = ParamSpec.required("path", .path, "The new file.")

    private static let creationErrors: [ErrorKind] = [
        .unknownScenario, .unknownArg, .unknownPolicy, .unknownProfile, .unknownBridge, .unknownKey,
        .valueNotText, .pluginFailed, .simExists,
    ]
    private static let fileErrors: [ErrorKind] = [.badPath, .fileFailed]
    private static let pastErrors: [ErrorKind] = [.gone, .seqInFuture, .conflictingParams, .notRepeatable]
    private static let changeErrors: [ErrorKind] = [.unknownSim, .pluginFailed, .conflict]
    private static let interimErrors: [ErrorKind] = changeErrors + [.unknownField]
    private static let bridgeErrors: [ErrorKind] = interimErrors + [.unknownBridge, .whichMount]
}
