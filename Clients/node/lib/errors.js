// What can go wrong, as classes: one for each way a connection fails, and one for each `data.kind` of the protocol.
//
// An abort is none of these: it rejects with the signal's own reason, as everywhere in Node.

/** Whatever this package throws, except aborts and mistakes in the arguments (TypeError, RangeError). */
export class SeamError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** Nothing answers at the socket, or nobody said where it is. */
export class ConnectError extends SeamError {
  constructor(message, { path, code, cause } = {}) {
    super(message, { cause });
    this.path = path;
    this.code = code;
  }
}

/** The connection ended while something was waited for; whether a request was carried out is not known. */
export class ConnectionLostError extends SeamError {
  constructor(message, { path, method, cause } = {}) {
    super(message, { cause });
    this.path = path;
    this.method = method;
  }
}

/** The client, the stream or the simulation was closed here, by this program. */
export class ClosedError extends SeamError {}

/** What listens there does not speak the protocol. */
export class ProtocolError extends SeamError {}

/** A line longer than the client takes. */
export class LineTooLongError extends ProtocolError {}

/** No answer within the time limit; a late one is ignored. Whether the request was carried out is not known. */
export class TimeoutError extends SeamError {
  constructor(message, { method, timeout } = {}) {
    super(message);
    this.method = method;
    this.timeout = timeout;
  }
}

/** The stream ended before what was waited for came: `reason` as in the protocol's `end`. */
export class StreamEndedError extends SeamError {
  constructor(sim, reason, state) {
    super(`The stream of ${sim} has ended (${reason}); ${state}.`);
    this.sim = sim;
    this.reason = reason;
  }
}

/** The daemon could not be started. */
export class DaemonError extends SeamError {}

/** The daemon said no. `kind` is the stable name, `data` what it knows: `path`, `expected`, `known`, … */
export class CallError extends SeamError {
  constructor({ code, message, data }, method) {
    super(message);
    this.code = code;
    this.data = data && typeof data === "object" ? data : {};
    this.kind = typeof this.data.kind === "string" ? this.data.kind : "";
    this.method = method;
  }

  /** The names that would have been valid, the nearest first. */
  get known() {
    return Array.isArray(this.data.known) ? this.data.known : [];
  }
}

// By code, so that a program may catch a whole row of the protocol's table.
export class UnreadableLineError extends CallError {}
export class RequestError extends CallError {}
export class MethodError extends CallError {}
export class ParamsError extends CallError {}

// -32700
export class ParseError extends UnreadableLineError {}
export class TooDeepError extends UnreadableLineError {}
export class NumberRangeError extends UnreadableLineError {}
// -32600
export class InvalidRequestError extends RequestError {}
export class DuplicateKeyError extends RequestError {}
export class IdTypeError extends RequestError {}
// -32601
export class UnknownMethodError extends MethodError {}
// -32602
export class MissingParamError extends ParamsError {}
export class UnknownParamError extends ParamsError {}
export class WrongTypeError extends ParamsError {}
export class ValueNotTextError extends ParamsError {}
export class OutOfRangeError extends ParamsError {}
export class BadNameError extends ParamsError {}
export class UnknownBridgeError extends ParamsError {}
export class UnknownScreenError extends ParamsError {}
export class UnknownFieldError extends ParamsError {}
export class UnknownEventError extends ParamsError {}
export class UnknownKeyError extends ParamsError {}
export class UnknownArgError extends ParamsError {}
export class UnknownPolicyError extends ParamsError {}
export class UnknownProfileError extends ParamsError {}
export class WhichMountError extends ParamsError {}
export class NotLiveError extends ParamsError {}
export class NotTracedError extends ParamsError {}
export class ConflictingParamsError extends ParamsError {}
export class BadPathError extends ParamsError {}
export class BadRecordingError extends ParamsError {}
// the daemon's own
export class InternalError extends CallError {}
export class UnknownSimError extends CallError {}
export class UnknownScenarioError extends CallError {}
export class UnknownSubError extends CallError {}
export class PluginFailedError extends CallError {}
export class LimitError extends CallError {}
export class TooLargeError extends CallError {}
export class GoneError extends CallError {}
export class SeqInFutureError extends CallError {}
export class DeniedError extends CallError {}
export class ShuttingDownError extends CallError {}
export class ConflictError extends CallError {}
export class SimExistsError extends CallError {}
export class RecordedError extends CallError {}
export class NotRecordedError extends CallError {}
export class FileFailedError extends CallError {}
export class NotRepeatableError extends CallError {}

/** `data.kind` to class; a kind of a later daemon comes as its code's class, or as a plain CallError. */
export const errorClasses = Object.freeze({
  "parse": ParseError,
  "too-deep": TooDeepError,
  "number-range": NumberRangeError,
  "invalid-request": InvalidRequestError,
  "duplicate-key": DuplicateKeyError,
  "id-type": IdTypeError,
  "unknown-method": UnknownMethodError,
  "missing-param": MissingParamError,
  "unknown-param": UnknownParamError,
  "wrong-type": WrongTypeError,
  "value-not-text": ValueNotTextError,
  "out-of-range": OutOfRangeError,
  "bad-name": BadNameError,
  "unknown-bridge": UnknownBridgeError,
  "unknown-screen": UnknownScreenError,
  "unknown-field": UnknownFieldError,
  "unknown-event": UnknownEventError,
  "unknown-key": UnknownKeyError,
  "unknown-arg": UnknownArgError,
  "unknown-policy": UnknownPolicyError,
  "unknown-profile": UnknownProfileError,
  "which-mount": WhichMountError,
  "not-live": NotLiveError,
  "not-traced": NotTracedError,
  "conflicting-params": ConflictingParamsError,
  "bad-path": BadPathError,
  "bad-recording": BadRecordingError,
  "internal": InternalError,
  "unknown-sim": UnknownSimError,
  "unknown-scenario": UnknownScenarioError,
  "unknown-sub": UnknownSubError,
  "plugin-failed": PluginFailedError,
  "limit": LimitError,
  "too-large": TooLargeError,
  "gone": GoneError,
  "seq-in-future": SeqInFutureError,
  "denied": DeniedError,
  "shutting-down": ShuttingDownError,
  "conflict": ConflictError,
  "sim-exists": SimExistsError,
  "recorded": RecordedError,
  "not-recorded": NotRecordedError,
  "file-failed": FileFailedError,
  "not-repeatable": NotRepeatableError,
});
