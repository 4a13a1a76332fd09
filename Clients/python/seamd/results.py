"""What calls answer with, as frozen dataclasses. `raw` is the result as it came, for members not named here."""

from __future__ import annotations

from dataclasses import dataclass, field as _field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar

from .errors import ProtocolError
from .events import Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class _Result:
    raw: Mapping[str, Any] = _field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Field(_Result):
    """A field of a screen as it is now."""

    screen: str = ""
    field: str = ""
    verdict: Verdict = "out-of-scope"
    model: Optional[str] = None
    shown: Optional[str] = None
    modelBytes: Optional[int] = None
    """The full size of a value that was cut at 4,096 bytes; None when it is whole."""
    shownBytes: Optional[int] = None
    expected: Optional[Verdict] = None
    why: Optional[str] = None
    """The sentence of explain(), where `why` asked for it and the field does not match."""

    @property
    def cut(self) -> bool:
        """Whether a value is cut: `modelBytes`, `shownBytes` then have its full size."""
        return self.modelBytes is not None or self.shownBytes is not None

    @property
    def name(self) -> str:
        return f"{self.screen}.{self.field}"


@dataclass(frozen=True)
class Finding(_Result):
    """A diagnostic of a check or a run."""

    code: str = ""
    severity: str = ""
    text: str = ""
    screen: Optional[str] = None
    field: Optional[str] = None
    bridge: Optional[str] = None
    mount: Optional[int] = None


@dataclass(frozen=True)
class Check(_Result):
    """What a check says. `met` is None when nothing was expected."""

    label: str = ""
    fields: Tuple[Field, ...] = ()
    counts: Mapping[str, int] = _field(default_factory=dict)
    diagnostics: Tuple[Finding, ...] = ()
    met: Optional[bool] = None

    def __getitem__(self, name: str) -> Field:
        """The field of this name: its key, or Screen.key."""
        for one in self.fields:
            if name in (one.name, one.field):
                return one
        raise KeyError(f"{name}; the check {self.label} has {', '.join(one.name for one in self.fields) or 'no fields'}")


@dataclass(frozen=True)
class Turn(_Result):
    """What a changing call caused."""

    seq: int = 0
    turn: int = 0
    changes: int = 0
    diagnostics: int = 0
    mount: Optional[int] = None
    """The number of the new mount, after mount()."""
    interim: Optional[Check] = None
    """What the check asked for by `interim` said, before the turn settled."""


@dataclass(frozen=True)
class Run(_Result):
    """A scenario played to its end."""

    checks: Tuple[Check, ...] = ()
    diagnostics: Tuple[Finding, ...] = ()
    steps: Tuple[Mapping[str, Any], ...] = ()
    sim: Optional[str] = None

    @property
    def met(self) -> bool:
        """Whether every check came out as its scenario expects."""
        return all(check.met is not False for check in self.checks)


@dataclass(frozen=True)
class Record(_Result):
    """One call of a simulation's history."""

    turn: int = 0
    ms: int = 0
    round: int = 0
    call: str = ""
    bridge: Optional[str] = None
    mount: Optional[int] = None
    control: Optional[int] = None
    coordinator: Optional[int] = None
    cause: Optional[str] = None
    origin: Optional[str] = None
    wrote: Tuple[str, ...] = ()
    held: Tuple[str, ...] = ()
    set: Tuple[str, ...] = ()
    assigned: Tuple[int, ...] = ()
    source: Optional[Mapping[str, Any]] = None
    text: Optional[str] = None


@dataclass(frozen=True)
class Explanation(_Result):
    """Why a field has the verdict it has; `sentence` says it to a person."""

    sim: str = ""
    screen: str = ""
    field: str = ""
    verdict: Verdict = "out-of-scope"
    model: Optional[str] = None
    shown: Optional[str] = None
    modelBytes: Optional[int] = None
    """The full size of a value that was cut at 4,096 bytes; None when it is whole."""
    shownBytes: Optional[int] = None
    sentence: str = ""
    modelChanged: Optional[Mapping[str, Any]] = None
    shownWritten: Optional[Mapping[str, Any]] = None
    carriers: Tuple[Mapping[str, Any], ...] = ()
    calls: Tuple[Record, ...] = ()


@dataclass(frozen=True)
class Recording(_Result):
    """A recording that was begun or ended."""

    sim: str = ""
    path: str = ""
    turn: Optional[int] = None
    lines: Optional[int] = None
    bytes: Optional[int] = None


@dataclass(frozen=True)
class Mount(_Result):
    """A bridge in its place."""

    mount: int = 0
    bridge: str = ""
    parent: Optional[int] = None
    owner: Optional[str] = None
    item: Optional[str] = None
    identity: Optional[str] = None
    window: bool = True
    scene: str = ""
    hidden: bool = False
    size: bool = True
    parked: bool = False
    made: bool = False
    attached: bool = False
    withheld: Optional[str] = None
    failure: Optional[str] = None


@dataclass(frozen=True)
class SimulationInfo(_Result):
    """A simulation in the list of them."""

    sim: str = ""
    scenario: str = ""
    epoch: str = ""
    seq: int = 0
    turn: int = 0
    status: str = ""


_NAMES: Dict[type, Tuple[str, ...]] = {}


def _make(cls: Callable[..., T], value: Any, **converted: Any) -> T:
    if not isinstance(value, dict):
        raise ProtocolError(f"an object was to come, not {value!r:.80}")
    names = _NAMES.setdefault(cls, tuple(cls.__dataclass_fields__))  # type: ignore
    members = {name: value[name] for name in names if name in value and name not in converted}
    return cls(raw=value, **{**members, **converted})


def _all(parse: Callable[[Any], T], value: Any) -> Tuple[T, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ProtocolError(f"an array was to come, not {value!r:.80}")
    return tuple(parse(one) for one in value)


def field(value: Any) -> Field:
    return _make(Field, value)


def finding(value: Any) -> Finding:
    return _make(Finding, value)


def check(value: Any) -> Check:
    value = mapping(value)
    return _make(
        Check, value, fields=_all(field, value.get("fields")), diagnostics=_all(finding, value.get("diagnostics"))
    )


def turn(value: Any) -> Turn:
    interim = value.get("interim") if isinstance(value, dict) else None
    return _make(Turn, value, interim=None if interim is None else check(interim))


def run(value: Any) -> Run:
    value = mapping(value)
    return _make(
        Run,
        value,
        checks=_all(check, value.get("checks")),
        diagnostics=_all(finding, value.get("diagnostics")),
        steps=_all(dict, value.get("steps")),
    )


def record(value: Any) -> Record:
    lists = ("wrote", "held", "set", "assigned")
    known = {name: tuple(value.get(name, ())) for name in lists} if isinstance(value, dict) else {}
    return _make(Record, value, **known)


def explanation(value: Any) -> Explanation:
    value = mapping(value)
    return _make(
        Explanation, value, carriers=_all(dict, value.get("carriers")), calls=_all(record, value.get("calls"))
    )


def recording(value: Any) -> Recording:
    return _make(Recording, value)


def mount(value: Any) -> Mount:
    return _make(Mount, value)


def simulation(value: Any) -> SimulationInfo:
    return _make(SimulationInfo, value)


def as_it_is(value: Any) -> Any:
    return value


def mapping(value: Any) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolError(f"an object was to come, not {value!r:.80}")
    return value


def items(name: str, parse: Callable[[Any], T]) -> Callable[[Any], List[T]]:
    """For a page of a list."""
    return lambda value: list(_all(parse, mapping(value).get(name)))
