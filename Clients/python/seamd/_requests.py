"""The methods of the protocol: what is sent, and what the answer becomes. Both twins send the same."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    TypedDict,
    TypeVar,
    Union,
)

from . import results
from .errors import ProtocolError
from .events import Cursor

T = TypeVar("T")

# How often a list is read again whose pages do not join up.
ATTEMPTS = 8

Item = Union[str, Mapping[str, Any]]
"""An item of a list: its id, or {"id": …, "value": …}."""

Value = Union[str, int, float, bool, None]
"""A value of a field: a text, or None for none. A number, True or False is taken as it is written in JSON."""

Match = Union[str, Sequence[str], None]
"""Globs over Screen.field, or over sim/Screen.field in a stream of the whole daemon."""

Mode = Literal["latest", "all"]
"""What a slow reader gets: the newest value of each field, or every change for as long as the daemon's ring has them."""

Only = Literal["verdicts"]
"""Leaves out changes whose verdict stays."""

Clock = Literal["virtual", "real"]
Lifetime = Literal["daemon", "connection"]
Scene = Literal["active", "inactive"]


class Interim(TypedDict, total=False):
    """A check in the middle of a turn's work; the result has it as `interim`."""

    label: str
    fields: List[str]
    after: str


CALL_SECONDS = 10.0
"""The time limit of a call, unless it, or its client, has another."""

RECONNECT_SECONDS = 30.0
"""How long a stream waits for a daemon that has gone."""


@dataclass(frozen=True)
class Request(Generic[T]):
    method: str
    params: Mapping[str, Any]
    parse: Callable[[Any], T]


class Recorder(Protocol):
    """Has every simulation that a client creates recorded, but for those that name a file themselves."""

    def file(self) -> str:
        """Where the next one is recorded."""
        ...

    def began(self, file: str, sim: str) -> None: ...


def _params(**all: Any) -> Dict[str, Any]:
    """Those that are given: what is left out is left to the daemon."""
    return {name: value for name, value in all.items() if value is not None}


def merged(given: Optional[Mapping[str, Any]], named: Mapping[str, Any], what: str) -> Dict[str, Any]:
    """What was given as a mapping and what by name, together."""
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{what} are given by name, x=1, or as a mapping, {{'x': 1}}; not as {given!r:.80}")
    for name in given or ():
        if not isinstance(name, str):
            raise TypeError(f"the names of {what} are texts; {name!r:.80} is {_sort(name)}")
    twice = [name for name in named if name in (given or ())]
    if twice:
        raise TypeError(f"{what} have {twice[0]!r:.80} twice: in the mapping, and by name")
    return dict(given or {}, **named)


def _values(given: Optional[Mapping[str, Value]], named: Mapping[str, Value], call: str) -> Dict[str, Value]:
    values = merged(given, named, "values")
    if not values:
        raise ValueError(f"no value is given; name at least one: {call}")
    return values


def _sort(value: object) -> str:
    return f"of type {type(value).__name__}"


def seconds(value: Any, name: str = "timeout") -> Optional[float]:
    """A time limit, None for none."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0):
        # What is too long for the system's clocks is no limit either.
        return None if value is None or value > 1e8 else float(value)
    raise (TypeError if not isinstance(value, (int, float)) or isinstance(value, bool) else ValueError)(
        f"{name} is {value!r:.80}; it is a number of seconds from 0 on, or None for no limit"
    )


def paths_of(value: Any, name: str) -> List[str]:
    """A list that somebody may have given one text for, whose letters would then be taken for its elements."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is one text, {value!r:.80}; it is a list of them: {name}=[{value!r:.80}]")
    return [os.fsdecode(one) for one in value]


def not_a_subscription(method: str) -> None:
    if method == "sub.open":
        raise ValueError("a subscription has a connection of its own: use watch()")


def batched(requests: Any) -> "List[tuple[str, Dict[str, Any]]]":
    """The requests of a batch, each a method and its params."""
    found = []
    for number, one in enumerate(requests):
        if not (isinstance(one, (tuple, list)) and len(one) == 2 and isinstance(one[0], str)):
            raise TypeError(
                f"requests[{number}] is {one!r:.80}; it is a method and its params: ('sim.get', {{'sim': 'a'}})"
            )
        not_a_subscription(one[0])
        found.append((one[0], merged(one[1], {}, "params")))
    return found


def _change(method: str, sim: str, *, if_seq: Optional[int], interim: Any, **rest: Any) -> Request[results.Turn]:
    return Request(method, dict(_params(sim=sim, **rest), **_params(ifSeq=if_seq, interim=interim)), results.turn)


def split(field: str) -> tuple[str, str]:
    """Screen and key of Screen.key; a screen's name has no dot."""
    screen, dot, key = field.partition(".")
    if not (screen and dot and key):
        raise ValueError(f"{field!r} names no field; it has the form Screen.field")
    return screen, key


def hello(client: str, longest: int) -> Request[Dict[str, Any]]:
    return Request("seam.hello", {"client": client, "protocol": 1, "maxLine": longest}, results.mapping)


def discover() -> Request[Dict[str, Any]]:
    return Request("rpc.discover", {}, results.mapping)


def create(scenario: str, id: Optional[str], **rest: Any) -> Request[Dict[str, Any]]:
    return Request("sim.create", _params(scenario=scenario, id=id, **rest), results.mapping)


def run(scenario: str, **rest: Any) -> Request[results.Run]:
    return Request("sim.run", _params(scenario=scenario, **rest), results.run)


def describe(scenario: str) -> Request[Dict[str, Any]]:
    return Request("scenario.describe", {"scenario": scenario}, results.mapping)


def plain(method: str) -> Request[Dict[str, Any]]:
    return Request(method, {}, results.mapping)


def destroy(sim: str) -> Request[Dict[str, Any]]:
    return Request("sim.destroy", {"sim": sim}, results.mapping)


def get(sim: str, **rest: Any) -> Request[Dict[str, Any]]:
    return Request("sim.get", _params(sim=sim, **rest), results.mapping)


def send(
    sim: str, event: str, args: Optional[Mapping[str, Value]], named: Mapping[str, Value], mount: Optional[int],
    if_seq: Optional[int], interim: Any,
) -> Request[results.Turn]:  # fmt: skip
    all_args = merged(args, named, "arguments") or None
    return _change("sim.send", sim, event=event, args=all_args, mount=mount, if_seq=if_seq, interim=interim)


def advance(sim: str, ms: int, if_seq: Optional[int]) -> Request[results.Turn]:
    return _change("sim.advance", sim, ms=ms, if_seq=if_seq, interim=None)


_SET = "set(openCount=3), or set({'open-count': 3})"


def model_set(
    sim: str, values: Optional[Mapping[str, Value]], named: Mapping[str, Value], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change("model.set", sim, values=_values(values, named, _SET), if_seq=if_seq, interim=interim)


def model_clear(sim: str, keys: Sequence[str], if_seq: Optional[int], interim: Any) -> Request[results.Turn]:
    return _change("model.clear", sim, keys=list(keys), if_seq=if_seq, interim=interim)


def screen_declare(
    sim: str, screen: str, fields: Sequence[str], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change("screen.declare", sim, screen=screen, fields=list(fields), if_seq=if_seq, interim=interim)


def screen_set(
    sim: str, screen: str, values: Optional[Mapping[str, Value]], named: Mapping[str, Value], if_seq: Optional[int],
    interim: Any,
) -> Request[results.Turn]:  # fmt: skip
    call = f"show({screen!r}, openCount=3), or show({screen!r}, {{'open-count': 3}})"
    return _change(
        "screen.set", sim, screen=screen, values=_values(values, named, call), if_seq=if_seq, interim=interim
    )


def screen_clear(
    sim: str, screen: str, keys: Sequence[str], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change("screen.clear", sim, screen=screen, keys=list(keys), if_seq=if_seq, interim=interim)


def bridge(
    what: str, sim: str, bridge: str, mount: Optional[int], if_seq: Optional[int], interim: Any, **rest: Any
) -> Request[results.Turn]:
    return _change(f"bridge.{what}", sim, bridge=bridge, mount=mount, if_seq=if_seq, interim=interim, **rest)


def host_set(
    sim: str, bridge: str, mount: Optional[int], if_seq: Optional[int], interim: Any, **rest: Any
) -> Request[results.Turn]:
    return _change("host.set", sim, bridge=bridge, mount=mount, if_seq=if_seq, interim=interim, **rest)


def environment_set(
    sim: str, values: Mapping[str, Value], bridge: Optional[str], mount: Optional[int], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    values = _values(values, {}, "set_environment({'locale': 'de'})")
    return _change(
        "environment.set", sim, values=values, bridge=bridge, mount=mount, if_seq=if_seq, interim=interim
    )


def mounts(sim: str, bridge: Optional[str], start: Optional[int]) -> Request[Dict[str, Any]]:
    return Request("bridge.list", _params(sim=sim, bridge=bridge, **{"from": start}), results.mapping)


def check(
    sim: str, fields: Sequence[str], screen: Optional[str], label: Optional[str], at: Optional[int],
    at_turn: Optional[int], why: Optional[bool], whole: Optional[bool],
) -> Request[results.Check]:  # fmt: skip
    params = _params(
        sim=sim, label=label, screen=screen, fields=list(fields) or None, at=at, atTurn=at_turn, why=why, whole=whole
    )
    return Request("sim.check", params, results.check)


def explain(sim: str, field: str) -> Request[results.Explanation]:
    screen, key = split(field)
    return Request("sim.explain", {"sim": sim, "screen": screen, "field": key}, results.explanation)


def trace(
    sim: str, first: Optional[int], last: Optional[int], limit: Optional[int], skip: Optional[int]
) -> Request[Dict[str, Any]]:
    params = _params(sim=sim, **{"from": first, "to": last}, limit=limit, skip=skip)
    return Request("sim.trace", params, results.mapping)


def fork(sim: str, id: Optional[str], at: Optional[int], at_turn: Optional[int]) -> Request[Dict[str, Any]]:
    return Request("sim.fork", _params(sim=sim, id=id, at=at, atTurn=at_turn), results.mapping)


def record(sim: str, path: str) -> Request[results.Recording]:
    return Request("rec.start", {"sim": sim, "path": path}, results.recording)


def stop_recording(sim: str) -> Request[results.Recording]:
    return Request("rec.stop", {"sim": sim}, results.recording)


def replay(path: str, id: Optional[str], keep: Optional[bool]) -> Request[Dict[str, Any]]:
    return Request("rec.replay", _params(path=path, id=id, keep=keep), results.mapping)


def listed_items(items: Any) -> List[Any]:
    if isinstance(items, (str, bytes, Mapping)):
        raise TypeError(f"items is {items!r:.80}; it is a list of ids, or of {{'id': …, 'value': …}}")
    return list(items)


class Pages:
    """Reads a list that is paged by position, of which an element may go meanwhile.

    Each page begins with the last element of the one before; if it does not, elements have moved, and one may have been
    passed over.
    """

    def __init__(self, method: str, name: str) -> None:
        self._method = method
        self._name = name
        self._from: Optional[int] = None
        self.found: List[Any] = []
        self.is_torn = False

    def request(self) -> Request[Dict[str, Any]]:
        return Request(self._method, _params(**{"from": self._from}), results.mapping)

    def take(self, page: Dict[str, Any]) -> bool:
        """Whether that was the last page."""
        came = results.items(self._name, results.as_it_is)(page)
        if self.found:
            if not came or _identity(came[0]) != _identity(self.found[-1]):
                self.is_torn = True
                return False
            del came[0]
            if not came and page.get("next") is not None:
                raise ProtocolError(f"{self._method} answered with a page of nothing that goes on")
        self.found += came
        self._from = None if page.get("next") is None else page["next"] - 1
        return self._from is None


def _identity(element: Any) -> Any:
    """What stays the same while a simulation runs on."""
    if not isinstance(element, dict):
        return element
    return element.get("sim"), element.get("epoch"), element.get("id")


def globs(match: Match) -> Optional[List[str]]:
    if match is None or isinstance(match, str):
        return None if match is None else [match]
    if not isinstance(match, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in match):
        raise TypeError(f"match is {match!r:.80}; it is a glob such as 'Toolbar.*', or a list of them")
    return list(match)


def subscribe(
    sim: Optional[str], match: Match, mode: Optional[Mode], only: Optional[Only], after: Optional[Cursor],
    snapshot: bool,
) -> Dict[str, Any]:  # fmt: skip
    if after is not None and not isinstance(after, Cursor):
        raise TypeError(
            f"after is {after!r:.80}; it is a Cursor: the cursor of another watch, or Cursor.parse('EPOCH:SEQ')"
        )
    if not isinstance(snapshot, bool):
        raise TypeError(f"snapshot is {snapshot!r:.80}; it is True or False")
    if after is not None and not snapshot:
        raise ValueError("after and snapshot=False exclude each other: behind a place there is no snapshot")
    start = None if snapshot else "now"
    place = None if after is None else {"epoch": after.epoch, "dseq" if sim is None else "seq": after.seq}
    return _params(sim=sim, match=globs(match), mode=mode, only=only, after=place, start=start)
