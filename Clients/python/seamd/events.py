"""The lines of a stream, as frozen dataclasses.

The protocol only ever adds: a line of a kind unknown here is an Unknown, and members unknown here are in `line`.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as _field
from typing import Any, Callable, Dict, FrozenSet, Literal, Mapping, Optional, Union

from . import _wire
from .errors import ProtocolError

Verdict = Literal["matching", "stale", "missing", "leftover", "out-of-scope"]
"""What Seam says of a field."""

VERDICTS: tuple[Verdict, ...] = ("matching", "stale", "missing", "leftover", "out-of-scope")


@dataclass(frozen=True)
class Cursor:
    """A place in a stream from which it can be resumed: a simulation's `seq`, or the `dseq` of all."""

    epoch: str
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}:{self.seq}"

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Reads EPOCH:SEQ, as `seam watch` prints it."""
        epoch, _, seq = text.partition(":")
        if not seq.isdecimal() or len(epoch) != 16:
            raise ValueError(f"{text!r} is no cursor; it has the form EPOCH:SEQ")
        return cls(epoch, int(seq))


@dataclass(frozen=True)
class _Event:
    line: bytes = _field(default=b"", repr=False, compare=False)
    """The line as it came, without its line feed; empty for what the client itself has to say."""


@dataclass(frozen=True)
class State(_Event):
    """A field as it was when the subscription opened."""

    sim: str = ""
    seq: int = 0
    screen: str = ""
    field: str = ""
    verdict: Verdict = "out-of-scope"
    model: Optional[str] = None
    shown: Optional[str] = None
    modelBytes: Optional[int] = None
    shownBytes: Optional[int] = None
    dseq: Optional[int] = None

    @property
    def cut(self) -> bool:
        """Whether a value is cut: `modelBytes`, `shownBytes` then have its full size."""
        return self.modelBytes is not None or self.shownBytes is not None

    @property
    def name(self) -> str:
        return f"{self.screen}.{self.field}"


@dataclass(frozen=True)
class Change(_Event):
    """A field changed. `from_` equal to `to` is news too: the values moved on and the verdict did not."""

    sim: str = ""
    seq: int = 0
    turn: int = 0
    ms: int = 0
    screen: str = ""
    field: str = ""
    from_: Verdict = "out-of-scope"
    to: Verdict = "out-of-scope"
    model: Optional[str] = None
    shown: Optional[str] = None
    modelBytes: Optional[int] = None
    shownBytes: Optional[int] = None
    dseq: Optional[int] = None

    @property
    def cut(self) -> bool:
        """Whether a value is cut: `modelBytes`, `shownBytes` then have its full size."""
        return self.modelBytes is not None or self.shownBytes is not None

    @property
    def name(self) -> str:
        return f"{self.screen}.{self.field}"

    @property
    def verdict(self) -> Verdict:
        return self.to


@dataclass(frozen=True)
class Sync(_Event):
    """The snapshot is complete; what follows is later."""

    sim: Optional[str] = None
    seq: Optional[int] = None
    dseq: Optional[int] = None


@dataclass(frozen=True)
class Mark(_Event):
    """Everything up to here was sent."""

    sim: Optional[str] = None
    seq: Optional[int] = None
    dseq: Optional[int] = None


@dataclass(frozen=True)
class Diagnostic(_Event):
    """A finding that end states cannot show."""

    sim: str = ""
    seq: int = 0
    turn: int = 0
    ms: int = 0
    code: str = ""
    severity: str = ""
    text: str = ""
    screen: Optional[str] = None
    field: Optional[str] = None
    bridge: Optional[str] = None
    mount: Optional[int] = None
    dseq: Optional[int] = None


@dataclass(frozen=True)
class Lag(_Event):
    """The reader was too slow: lines were merged (`collapsed`) or left out (`lost`). In a stream of the whole daemon the
    bounds are `fromDseq` and `toDseq`."""

    sim: Optional[str] = None
    fromSeq: Optional[int] = None
    toSeq: Optional[int] = None
    fromDseq: Optional[int] = None
    toDseq: Optional[int] = None
    collapsed: Optional[int] = None
    lost: Optional[int] = None


@dataclass(frozen=True)
class End(_Event):
    """The stream is over: `closed`, `destroyed`, `failed`, `slow`, `shutdown`."""

    reason: str = ""
    sim: Optional[str] = None
    seq: Optional[int] = None
    dseq: Optional[int] = None
    resume: Optional[Cursor] = None


@dataclass(frozen=True)
class SimulationEvent(_Event):
    """In a stream of the whole daemon: a simulation `exists` (in the snapshot), was `created`, `destroyed` or `failed`."""

    sim: str = ""
    what: str = ""
    scenario: str = ""
    epoch: str = ""
    dseq: Optional[int] = None
    #: `running` or `failed`, of one that `exists`.
    status: Optional[str] = None


GapReason = Literal["history", "slow", "snapshot"]
"""Why changes are lost: the daemon's history is shorter, this reader was slow, or a snapshot broke off half way."""


@dataclass(frozen=True)
class Gap(_Event):
    """What came behind `after` is lost to this reader. A new snapshot follows."""

    after: Optional[Cursor] = None
    """None where the snapshot before was not complete."""
    oldest: Optional[int] = None
    latest: Optional[int] = None
    reason: GapReason = "history"


@dataclass(frozen=True)
class Restarted(_Event):
    """The daemon, or the simulation, is another than the one this stream began with. A new snapshot follows."""

    old: str = ""
    """The epoch that went."""
    new: Optional[str] = None
    """The epoch that follows. None where another daemon has no such simulation yet: the snapshot follows once somebody
    makes it, and the watch's cursor has the epoch then."""


@dataclass(frozen=True)
class Unknown(_Event):
    """A line of a kind that this version does not know."""

    kind: str = ""
    params: Mapping[str, Any] = _field(default_factory=dict)


Event = Union[
    State, Change, Sync, Mark, Diagnostic, Lag, End, SimulationEvent, Gap, Restarted, Unknown
]

_KINDS: Dict[str, tuple[type[Any], FrozenSet[str]]] = {
    "state": (State, frozenset({"sim", "seq", "screen", "field", "verdict", "model", "shown"})),
    "verdict": (Change, frozenset({"sim", "seq", "turn", "ms", "screen", "field", "from", "to", "model", "shown"})),
    "sync": (Sync, frozenset()),
    "mark": (Mark, frozenset()),
    "diagnostic": (Diagnostic, frozenset({"sim", "seq", "turn", "ms", "code", "severity", "text"})),
    "lag": (Lag, frozenset()),
    "end": (End, frozenset({"reason"})),
    "sim": (SimulationEvent, frozenset({"sim", "what", "scenario", "epoch"})),
}

_new = object.__new__
_assign: Callable[[Any, str, Any], None] = object.__setattr__


def event(line: bytes, params: Any) -> Event:
    """The event of a line whose `params` these are; the object is taken over."""
    if not isinstance(params, dict) or not isinstance(params.get("kind"), str):
        raise ProtocolError(f"an event line without a kind: {line[:80]!r}")
    cls, required = _KINDS.get(params["kind"], (Unknown, frozenset()))
    if cls is Unknown:
        return Unknown(line=line, kind=params["kind"], params=params)
    if not required <= params.keys():
        lacking = ", ".join(sorted(required - params.keys()))
        raise ProtocolError(f"an event line of kind {params['kind']} lacks {lacking}: {line[:80]!r}")
    for place in ("seq", "dseq"):
        if type(params.get(place, 0)) is not int:
            raise ProtocolError(f"an event line whose {place} is no number: {line[:80]!r}")
    if "from" in params:
        params["from_"] = params.pop("from")
    if "resume" in params:
        params["resume"] = cursor(params["resume"])
    params["line"] = line
    # The way through __init__ sets each field of a frozen class by a call of its own, which took half the time of
    # reading a line. The members of the line are the fields by their names; what it lacks has its default in the class.
    made = _new(cls)
    _assign(made, "__dict__", params)
    return made  # type: ignore[no-any-return]


def cursor(value: Any) -> Optional[Cursor]:
    """`{epoch, seq}` or `{epoch, dseq}` of the wire."""
    if not isinstance(value, dict):
        return None
    seq = value.get("seq", value.get("dseq"))
    if not isinstance(value.get("epoch"), str) or not isinstance(seq, int):
        return None
    return Cursor(value["epoch"], seq)


def read(line: bytes) -> Event:
    """The event of a whole line, such as one of a recorded stream."""
    message = _wire.message(line)
    if not _wire.is_event(message):
        raise ProtocolError(f"not an event line: {line[:80]!r}")
    return event(line, message.get("params"))
