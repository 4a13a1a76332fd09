/// What can be wrong with a request. The raw value is `data.kind` on the wire and never changes its meaning; programs
/// tell errors apart by it, people by the message.
public enum ErrorKind: String, CaseIterable, Sendable {
    // The line
    case parse
    case tooDeep = "too-deep"
    case numberRange = "number-range"
    // The request around the call
    case invalidRequest = "invalid-request"
    case duplicateKey = "duplicate-key"
    case idType = "id-type"
    // The call
    case unknownMethod = "unknown-method"
    case missingParam = "missing-param"
    case unknownParam = "unknown-param"
    case wrongType = "wrong-type"
    case valueNotText = "value-not-text"
    case outOfRange = "out-of-range"
    case badName = "bad-name"
    case conflictingParams = "conflicting-params"
    case unknownBridge = "unknown-bridge"
    case unknownScreen = "unknown-screen"
    case unknownField = "unknown-field"
    case unknownEvent = "unknown-event"
    case unknownKey = "unknown-key"
    case unknownArg = "unknown-arg"
    case unknownPolicy = "unknown-policy"
    case unknownProfile = "unknown-profile"
    case whichMount = "which-mount"
    case notLive = "not-live"
    case notTraced = "not-traced"
    case badPath = "bad-path"
    case badRecording = "bad-recording"
    // The daemon
    case `internal`
    case unknownSim = "unknown-sim"
    case unknownScenario = "unknown-scenario"
    case unknownSub = "unknown-sub"
    case pluginFailed = "plugin-failed"
    case limit
    case tooLarge = "too-large"
    case gone
    case seqInFuture = "seq-in-future"
    case denied
    case shuttingDown = "shutting-down"
    case conflict
    case simExists = "sim-exists"
    case recorded
    case notRecorded = "not-recorded"
    case notRepeatable = "not-repeatable"
    case fileFailed = "file-failed"

    /// The JSON-RPC error number.
    public var code: Int {
        switch self {
        case .parse, .tooDeep, .numberRange: -32700
        case .invalidRequest, .duplicateKey, .idType: -32600
        case .unknownMethod: -32601
        case .missingParam, .unknownParam, .wrongType, .valueNotText, .outOfRange, .badName,
            .conflictingParams,
            .unknownBridge, .unknownScreen, .unknownField, .unknownEvent, .unknownKey, .unknownArg,
            .unknownPolicy, .unknownProfile, .whichMount, .notLive, .notTraced, .badPath, .badRecording:
            -32602
        case .internal: -32603
        case .unknownSim: -32001
        case .unknownScenario: -32002
        case .unknownSub: -32003
        case .pluginFailed: -32005
        case .limit: -32008
        case .tooLarge: -32009
        case .gone: -32010
        case .seqInFuture: -32011
        case .denied: -32012
        case .shuttingDown: -32013
        case .conflict, .simExists, .recorded, .notRecorded: -32014
        case .fileFailed: -32015
        case .notRepeatable: -32016
        }
    }

    /// What the kind means, for the document `rpc.discover` answers with.
    public var summary: StaticString {
        switch self {
        case .parse: "The line is not JSON."
        case .tooDeep: "The line is nested too deeply."
        case .numberRange: "A number in the line needs more than 64 bits."
        case .invalidRequest: "The line is JSON, but no request."
        case .duplicateKey: "An object names the same member twice."
        case .idType: "The id is neither a string, nor a number, nor null."
        case .unknownMethod: "There is no such method."
        case .missingParam: "A required parameter is left out."
        case .unknownParam: "The method has no such parameter."
        case .wrongType: "A parameter has the wrong type."
        case .valueNotText: "A value is an array or an object; values are text or null."
        case .outOfRange: "A parameter is outside of what it may be."
        case .badName: "A name is empty, too long, or holds characters a name cannot hold."
        case .conflictingParams: "Two parameters exclude each other."
        case .unknownBridge: "The scenario has no such bridge."
        case .unknownScreen: "The scenario has no such screen."
        case .unknownField: "The screen has no such field."
        case .unknownEvent: "The scenario has no such event."
        case .unknownKey: "The model has no such key."
        case .unknownArg: "The event or scenario takes no such argument."
        case .unknownPolicy: "There is no such policy."
        case .unknownProfile: "There is no such profile."
        case .whichMount: "The bridge has no such mount, or several and none was named."
        case .badPath: "No file can be made, or read, at this path."
        case .badRecording: "The file is no recording, or holds a line that none has."
        case .notLive: "Only a simulation of the scenario live takes this request."
        case .notTraced: "The simulation keeps no trace."
        case .internal: "The daemon failed; the request had no effect."
        case .unknownSim: "There is no such simulation."
        case .unknownScenario: "There is no such scenario."
        case .unknownSub: "The connection has no such subscription."
        case .pluginFailed: "The plug-in behind the simulation failed."
        case .limit: "A limit of the daemon is reached."
        case .tooLarge: "A line, a value or a reply is too large."
        case .gone: "The history asked for is no longer there."
        case .seqInFuture: "The seq asked for has not happened yet."
        case .denied: "The daemon does not serve this user."
        case .shuttingDown: "The daemon is shutting down and takes no new work."
        case .conflict: "The simulation has moved on from the seq named."
        case .simExists: "There is a simulation of this id already."
        case .recorded: "The simulation is being recorded already."
        case .notRecorded: "The simulation is not being recorded."
        case .notRepeatable: "The scenario did something else when its inputs were played to it again."
        case .fileFailed: "A file could not be written or read to its end."
        }
    }
}
