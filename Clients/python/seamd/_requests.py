"""The methods of the protocol: what is sent, and what the answer becomes. Both twins send the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar, Union

from . import results
from .events import Cursor

T = TypeVar("T")

Value = Union[str, int, float, bool, None]
"""A value of a field: a text, or None for none. A number, True or False is taken as it is written in JSON."""

Match = Union[str, Sequence[str], None]
"""Globs over Screen.field, or over sim/Screen.field in a stream of the whole daemon."""


@dataclass(frozen=True)
class Request(Generic[T]):
    method: str
    params: Mapping[str, Any]
    parse: Callable[[Any], T]


def _params(**all: Any) -> Dict[str, Any]:
    """Those that are given: what is left out is left to the daemon."""
    return {name: value for name, value in all.items() if value is not None}


def _values(given: Optional[Mapping[str, Value]], named: Mapping[str, Value]) -> Dict[str, Value]:
    values = dict(given or {}, **named)
    if not values:
        raise ValueError("no value is given; name at least one: set(openCount=3), or set({'open-count': 3})")
    return values


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
    all_args = dict(args or {}, **named) or None
    return _change("sim.send", sim, event=event, args=all_args, mount=mount, if_seq=if_seq, interim=interim)


def advance(sim: str, ms: int, if_seq: Optional[int], interim: Any) -> Request[results.Turn]:
    return _change("sim.advance", sim, ms=ms, if_seq=if_seq, interim=interim)


def model_set(
    sim: str, values: Optional[Mapping[str, Value]], named: Mapping[str, Value], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change("model.set", sim, values=_values(values, named), if_seq=if_seq, interim=interim)


def model_clear(sim: str, keys: Sequence[str], if_seq: Optional[int], interim: Any) -> Request[results.Turn]:
    return _change("model.clear", sim, keys=list(keys), if_seq=if_seq, interim=interim)


def screen_declare(sim: str, screen: str, fields: Sequence[str], if_seq: Optional[int]) -> Request[results.Turn]:
    return _change("screen.declare", sim, screen=screen, fields=list(fields), if_seq=if_seq, interim=None)


def screen_set(
    sim: str, screen: str, values: Optional[Mapping[str, Value]], named: Mapping[str, Value], if_seq: Optional[int],
    interim: Any,
) -> Request[results.Turn]:  # fmt: skip
    return _change(
        "screen.set", sim, screen=screen, values=_values(values, named), if_seq=if_seq, interim=interim
    )


def screen_clear(
    sim: str, screen: str, keys: Sequence[str], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change("screen.clear", sim, screen=screen, keys=list(keys), if_seq=if_seq, interim=interim)


def bridge(
    what: str, sim: str, bridge: str, mount: Optional[int], if_seq: Optional[int], interim: Any
) -> Request[results.Turn]:
    return _change(f"bridge.{what}", sim, bridge=bridge, mount=mount, if_seq=if_seq, interim=interim)


def check(
    sim: str, fields: Sequence[str], screen: Optional[str], label: Optional[str], at: Optional[int], why: Optional[bool]
) -> Request[results.Check]:
    params = _params(sim=sim, label=label, screen=screen, fields=list(fields) or None, at=at, why=why)
    return Request("sim.check", params, results.check)


def explain(sim: str, field: str) -> Request[results.Explanation]:
    screen, key = split(field)
    return Request("sim.explain", {"sim": sim, "screen": screen, "field": key}, results.explanation)


def trace(
    sim: str, first: Optional[int], last: Optional[int], limit: Optional[int], skip: Optional[int]
) -> Request[Dict[str, Any]]:
    params = _params(sim=sim, **{"from": first, "to": last}, limit=limit, skip=skip)
    return Request("sim.trace", params, results.mapping)


def fork(sim: str, id: Optional[str], at: Optional[int]) -> Request[Dict[str, Any]]:
    return Request("sim.fork", _params(sim=sim, id=id, at=at), results.mapping)


def record(sim: str, path: str) -> Request[results.Recording]:
    return Request("rec.start", {"sim": sim, "path": path}, results.recording)


def stop_recording(sim: str) -> Request[results.Recording]:
    return Request("rec.stop", {"sim": sim}, results.recording)


def replay(path: str, id: Optional[str], keep: Optional[bool]) -> Request[Dict[str, Any]]:
    return Request("rec.replay", _params(path=path, id=id, keep=keep), results.mapping)


def globs(match: Match) -> Optional[List[str]]:
    return None if match is None else [match] if isinstance(match, str) else list(match)


def subscribe(
    sim: Optional[str], match: Match, mode: Optional[str], only: Optional[str], after: Optional[Cursor],
    start: Optional[str],
) -> Dict[str, Any]:  # fmt: skip
    place = None if after is None else {"epoch": after.epoch, "dseq" if sim is None else "seq": after.seq}
    return _params(sim=sim, match=globs(match), mode=mode, only=only, after=place, start=start)
