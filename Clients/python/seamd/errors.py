"""What can go wrong. Everything that this package raises on purpose is a SeamError.

A refusal of the daemon is a CallError; each `data.kind` of the protocol has a subclass, named after it: `unknown-sim`
is UnknownSimError. A kind that this version does not know comes as CallError itself.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

__all__ = [
    "SeamError", "CallError", "ConnectError", "Interrupted", "Timeout", "ProtocolError", "Closed", "WrongLoop",
    "WrongProcess", "Unsettled",
]  # fmt: skip


class SeamError(Exception):
    """Base of all."""


class ConnectError(SeamError):
    """No daemon could be reached or started; the text says where it was looked for and what would help."""


class Interrupted(SeamError):
    """The connection ended under a call, or under a stream that does not reconnect.

    Whether the call was carried out is not known. The next call connects anew.
    """


class Timeout(SeamError, TimeoutError):
    """The time limit ran out. A reply that still comes is passed over."""


class ProtocolError(SeamError):
    """What is at the other end does not speak Seam's protocol, or broke a limit of it."""


class Closed(SeamError):
    """Used after its end: a closed client, a destroyed simulation, an ended daemon."""


class WrongLoop(SeamError, RuntimeError):
    """A client made in one event loop was used in another."""


class WrongProcess(SeamError, RuntimeError):
    """A client that was made before a fork was used in the child. The connection is the parent's: answers would mix."""


class Unsettled(SeamError):
    """A list of several pages changed each time it was read, so that no reading belongs to one moment."""


class CallError(SeamError):
    """The daemon said no. `message` is for a person, `kind` is the stable name, `code` is JSON-RPC's number."""

    kind: str = ""

    def __init__(self, code: int, kind: str, message: str, data: Mapping[str, Any], method: Optional[str] = None):
        super().__init__(message if method is None else f"{method}: {message}")
        self.code = code
        self.kind = kind
        self.message = message
        self.data = data
        self.method = method

    def __reduce__(self) -> Any:
        # Exceptions are pickled by their args, which here are not those of __init__; test runners send them around.
        return type(self), (self.code, self.kind, self.message, self.data, self.method)


BY_KIND: dict[str, type[CallError]] = {}


def _kind(cls: type[CallError]) -> type[CallError]:
    BY_KIND[cls.kind] = cls
    __all__.append(cls.__name__)
    return cls


@_kind
class ParseError(CallError):
    """The line is not JSON."""

    kind = "parse"


@_kind
class TooDeepError(CallError):
    """The line is nested too deeply."""

    kind = "too-deep"


@_kind
class NumberRangeError(CallError):
    """A number in the line needs more than 64 bits."""

    kind = "number-range"


@_kind
class InvalidRequestError(CallError):
    """The line is JSON, but no request."""

    kind = "invalid-request"


@_kind
class DuplicateKeyError(CallError):
    """An object names the same member twice."""

    kind = "duplicate-key"


@_kind
class IdTypeError(CallError):
    """The id is neither a string, nor a number, nor null."""

    kind = "id-type"


@_kind
class UnknownMethodError(CallError):
    """There is no such method."""

    kind = "unknown-method"


@_kind
class MissingParamError(CallError):
    """A required parameter is left out."""

    kind = "missing-param"


@_kind
class UnknownParamError(CallError):
    """The method has no such parameter."""

    kind = "unknown-param"


@_kind
class WrongTypeError(CallError):
    """A parameter has the wrong type."""

    kind = "wrong-type"


@_kind
class ValueNotTextError(CallError):
    """A value is an array or an object; values are text or null."""

    kind = "value-not-text"


@_kind
class OutOfRangeError(CallError):
    """A parameter is outside of what it may be."""

    kind = "out-of-range"


@_kind
class BadNameError(CallError):
    """A name is empty, too long, or holds characters a name cannot hold."""

    kind = "bad-name"


@_kind
class ConflictingParamsError(CallError):
    """Two parameters exclude each other."""

    kind = "conflicting-params"


@_kind
class UnknownBridgeError(CallError):
    """The scenario has no such bridge."""

    kind = "unknown-bridge"


@_kind
class UnknownScreenError(CallError):
    """The scenario has no such screen."""

    kind = "unknown-screen"


@_kind
class UnknownFieldError(CallError):
    """The screen has no such field."""

    kind = "unknown-field"


@_kind
class UnknownEventError(CallError):
    """The scenario has no such event."""

    kind = "unknown-event"


@_kind
class UnknownKeyError(CallError):
    """The model has no such key."""

    kind = "unknown-key"


@_kind
class UnknownArgError(CallError):
    """The event or scenario takes no such argument."""

    kind = "unknown-arg"


@_kind
class UnknownPolicyError(CallError):
    """There is no such policy."""

    kind = "unknown-policy"


@_kind
class UnknownProfileError(CallError):
    """There is no such profile."""

    kind = "unknown-profile"


@_kind
class WhichMountError(CallError):
    """The bridge has no such mount, or several and none was named."""

    kind = "which-mount"


@_kind
class NotLiveError(CallError):
    """Only a simulation of the scenario live takes this request."""

    kind = "not-live"


@_kind
class InternalError(CallError):
    """The daemon failed; the request had no effect."""

    kind = "internal"


@_kind
class UnknownSimError(CallError):
    """There is no such simulation."""

    kind = "unknown-sim"


@_kind
class UnknownScenarioError(CallError):
    """There is no such scenario."""

    kind = "unknown-scenario"


@_kind
class UnknownSubError(CallError):
    """The connection has no such subscription."""

    kind = "unknown-sub"


@_kind
class PluginFailedError(CallError):
    """The plug-in behind the simulation failed."""

    kind = "plugin-failed"


@_kind
class LimitError(CallError):
    """A limit of the daemon is reached."""

    kind = "limit"


@_kind
class TooLargeError(CallError):
    """A line, a value or a reply is too large."""

    kind = "too-large"


@_kind
class GoneError(CallError):
    """The history asked for is no longer there."""

    kind = "gone"


@_kind
class SeqInFutureError(CallError):
    """The seq asked for has not happened yet."""

    kind = "seq-in-future"


@_kind
class DeniedError(CallError):
    """The daemon does not serve this user."""

    kind = "denied"


@_kind
class ShuttingDownError(CallError):
    """The daemon is shutting down and takes no new work."""

    kind = "shutting-down"


@_kind
class ConflictError(CallError):
    """The simulation has moved on from the seq named."""

    kind = "conflict"


@_kind
class SimExistsError(CallError):
    """There is a simulation of this id already."""

    kind = "sim-exists"


@_kind
class BadPathError(CallError):
    """No file can be made, or read, at this path."""

    kind = "bad-path"


@_kind
class BadRecordingError(CallError):
    """The file is no recording, or holds a line that none has."""

    kind = "bad-recording"


@_kind
class RecordedError(CallError):
    """The simulation is being recorded already."""

    kind = "recorded"


@_kind
class NotRecordedError(CallError):
    """The simulation is not being recorded."""

    kind = "not-recorded"


@_kind
class NotRepeatableError(CallError):
    """The scenario did something else when its inputs were played to it again."""

    kind = "not-repeatable"


@_kind
class FileFailedError(CallError):
    """A file could not be written or read to its end."""

    kind = "file-failed"


@_kind
class NotTracedError(CallError):
    """The simulation keeps no trace."""

    kind = "not-traced"


def refusal(error: Any, method: Optional[str]) -> CallError:
    """The exception for the `error` member of a reply."""
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        raise ProtocolError(f"an error reply without a code: {error!r:.80}")
    data = error.get("data")
    data = data if isinstance(data, dict) else {}
    kind = str(data.get("kind", ""))
    return BY_KIND.get(kind, CallError)(error["code"], kind, str(error.get("message", "")), data, method)
