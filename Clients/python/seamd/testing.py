"""Assertions whose failure shows the verdicts, and why they are what they are. Needs no test framework.

For simulations of `seamd.sync`; those that begin with `async_` are for the asyncio client.
"""

from __future__ import annotations

import inspect
import unicodedata
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._requests import split
from .errors import CallError, Timeout
from .events import VERDICTS, Change, State, Verdict
from .results import Check, Field

if TYPE_CHECKING:
    from . import client, sync

__all__ = [
    "assert_becomes", "assert_matching", "assert_verdict", "async_assert_becomes", "async_assert_matching",
    "async_assert_verdict", "verdict_table",
]  # fmt: skip

# What a failure shows: more is read by nobody, and a report of all that a large simulation has is a file by itself.
ROWS = 40
WIDTH = 40


def assert_matching(sim: "sync.Simulation", *fields: str) -> Check:
    """Every field named, or every field that is in scope, shows what the model says."""
    __tracebackhide__ = True
    _blocking(sim, "assert_matching")
    check = sim.check(*fields)
    wrong = _not_matching(check, fields)
    if wrong or not _judged(check):
        raise AssertionError(_report(sim.id, check, wrong, "matching", _whys(sim, wrong)))
    return check


def assert_verdict(sim: "sync.Simulation", field: str, verdict: Verdict) -> Field:
    """Screen.field has this verdict."""
    __tracebackhide__ = True
    _blocking(sim, "assert_verdict")
    _checked(field, verdict)
    check = sim.check(field)
    if check[field].verdict != verdict:
        raise AssertionError(_report(sim.id, check, check.fields, verdict, _whys(sim, check.fields)))
    return check[field]


def assert_becomes(
    sim: "sync.Simulation", field: str, verdict: Verdict = "matching", *, timeout: Optional[float] = 10.0
) -> Union[State, Change]:
    """Screen.field has this verdict now, or has it before so many seconds are over."""
    __tracebackhide__ = True
    _blocking(sim, "assert_becomes")
    _checked(field, verdict)
    try:
        return sim.wait_for(field, verdict, timeout=timeout)
    except Timeout as found:
        in_vain = found
    try:
        check = sim.check(field)
    except CallError:
        # Such as a field that there never was: what the waiting found out says more.
        raise AssertionError(str(in_vain)) from None
    raise AssertionError(_too_late(in_vain, check, _whys(sim, check.fields)))


async def async_assert_matching(sim: "client.Simulation", *fields: str) -> Check:
    """assert_matching() for the asyncio client."""
    __tracebackhide__ = True
    _asynchronous(sim, "assert_matching")
    check = await sim.check(*fields)
    wrong = _not_matching(check, fields)
    if wrong or not _judged(check):
        raise AssertionError(_report(sim.id, check, wrong, "matching", await _async_whys(sim, wrong)))
    return check


async def async_assert_verdict(sim: "client.Simulation", field: str, verdict: Verdict) -> Field:
    """assert_verdict() for the asyncio client."""
    __tracebackhide__ = True
    _asynchronous(sim, "assert_verdict")
    _checked(field, verdict)
    check = await sim.check(field)
    if check[field].verdict != verdict:
        raise AssertionError(_report(sim.id, check, check.fields, verdict, await _async_whys(sim, check.fields)))
    return check[field]


async def async_assert_becomes(
    sim: "client.Simulation", field: str, verdict: Verdict = "matching", *, timeout: Optional[float] = 10.0
) -> Union[State, Change]:
    """assert_becomes() for the asyncio client."""
    __tracebackhide__ = True
    _asynchronous(sim, "assert_becomes")
    _checked(field, verdict)
    try:
        return await sim.wait_for(field, verdict, timeout=timeout)
    except Timeout as found:
        in_vain = found
    try:
        check = await sim.check(field)
    except CallError:
        raise AssertionError(str(in_vain)) from None
    raise AssertionError(_too_late(in_vain, check, await _async_whys(sim, check.fields)))


def verdict_table(fields: Sequence[Field], below: Mapping[str, Sequence[str]] = {}) -> str:
    """Field, verdict, model and screen in columns; under a row, what is known of it. All fields, however many."""
    rows: List[Tuple[str, ...]] = [("field", "verdict", "model", "screen")]
    rows += [(one.name, one.verdict, *_values(one.model, one.shown)) for one in fields]
    widths = [max(_columns(row[column]) for row in rows) for column in range(4)]
    lines = []
    for number, row in enumerate(rows):
        cells = [cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths)]
        lines.append("  " + "  ".join(cells).rstrip())
        if number > 0:
            known = [*_cut(fields[number - 1]), *below.get(row[0], ())]
            lines += [f"      {sentence}" for sentence in known]
    return "\n".join(lines)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(one) or unicodedata.category(one) in ("Mn", "Me", "Cf") else
        2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )  # fmt: skip


def _values(model: Optional[str], shown: Optional[str]) -> Tuple[str, str]:
    """Both values, each recognisable as a text or none, cut where they do not differ."""
    differs = 0
    if model is not None and shown is not None and model != shown:
        differs = next((n for n, (one, other) in enumerate(zip(model, shown)) if one != other), min(len(model), len(shown)))
        if unicodedata.normalize("NFKC", model) == unicodedata.normalize("NFKC", shown):
            # Two spellings of what looks the same.
            return _value(model, differs, ascii), _value(shown, differs, ascii)
    return _value(model, differs, repr), _value(shown, differs, repr)


def _value(value: Optional[str], differs: int, spell: Any) -> str:
    """A text in quotes, since "5" and "5 " are not the same, nor are "none" and none."""
    if value is None:
        return "none"
    if _columns(value) <= WIDTH:
        return str(spell(value))
    # So that what differs stands behind a few characters that do not.
    start = 0 if differs < WIDTH - 10 else differs - 10
    end, width = start, 0
    while end < len(value) and width < WIDTH - 2:
        width += _columns(value[end])
        end += 1
    return f"{'…' if start else ''}{spell(value[start:end])}{'…' if end < len(value) else ''}"


def _cut(field: Field) -> List[str]:
    """What the daemon kept back of a long value."""
    told = [
        f"{what} has {size:,} bytes, of which the daemon gives the first {len(value.encode()):,}"
        for what, size, value in (
            ("the model's value", field.modelBytes, field.model), ("the screen's value", field.shownBytes, field.shown)
        )
        if size is not None and value is not None
    ]  # fmt: skip
    if told and field.model == field.shown and field.verdict not in ("matching", "out-of-scope"):
        told.append("they differ behind that")
    return told


def _checked(field: str, verdict: str) -> None:
    split(field)
    if verdict not in VERDICTS:
        raise ValueError(f"{verdict!r} is no verdict; there are {', '.join(VERDICTS)}")


def _blocking(sim: Any, name: str) -> None:
    if inspect.iscoroutinefunction(getattr(type(sim), "check", None)):
        raise TypeError(
            f"{name}() is for simulations of seamd.sync, and this is one of the asyncio client: "
            f"await async_{name}(…)"
        )


def _asynchronous(sim: Any, name: str) -> None:
    method = getattr(type(sim), "check", None)
    if method is not None and not inspect.iscoroutinefunction(method):
        raise TypeError(
            f"async_{name}() is for simulations of the asyncio client, and this is one of seamd.sync: {name}(…)"
        )


def _judged(check: Check) -> List[Field]:
    return [one for one in check.fields if one.verdict != "out-of-scope"]


def _not_matching(check: Check, named: Sequence[str]) -> List[Field]:
    # Who names a field means it, also when it is out of scope.
    return [one for one in (check.fields if named else _judged(check)) if one.verdict != "matching"]


def _asked(fields: Sequence[Field]) -> List[str]:
    """The fields that are shown, and so explained."""
    return [one.name for one in fields[:ROWS]]


def _whys(sim: "sync.Simulation", fields: Sequence[Field]) -> Dict[str, str]:
    """Why each has its verdict: in one request, however many they are."""
    if not fields:
        return {}
    try:
        return _sentences(sim.check(*_asked(fields), why=True))
    except CallError:
        return {}  # one that keeps no trace knows none, and is no less wrong


async def _async_whys(sim: "client.Simulation", fields: Sequence[Field]) -> Dict[str, str]:
    if not fields:
        return {}
    try:
        return _sentences(await sim.check(*_asked(fields), why=True))
    except CallError:
        return {}


def _sentences(check: Check) -> Dict[str, str]:
    return {one.name: one.why for one in check.fields if one.why}


def _report(sim: str, check: Check, wrong: Sequence[Field], verdict: str, sentences: Dict[str, str]) -> str:
    if not check.fields:
        return f"{sim} has no field, so nothing of it is {verdict}"
    if not wrong:
        return f"no field of {sim} is in scope, so nothing of it is {verdict}:\n\n{_table(check, wrong, {})}"
    if len(check.fields) == 1:
        head = f"{wrong[0].name} of {sim} is {wrong[0].verdict}, not {verdict}:"
    else:
        head = f"{len(wrong):,} of {len(check.fields):,} fields of {sim} are not {verdict}:"
    return f"{head}\n\n{_table(check, wrong, sentences)}"


def _too_late(in_vain: Timeout, check: Check, sentences: Dict[str, str]) -> str:
    return f"{in_vain}\n\n{_table(check, check.fields, sentences)}"


def _table(check: Check, wrong: Sequence[Field], sentences: Dict[str, str]) -> str:
    """The first of those that are wrong, then of the others: a long table is cut at its end."""
    below: Dict[str, List[str]] = {name: [sentence] for name, sentence in sentences.items()}
    for finding in check.diagnostics:
        name = f"{finding.screen}.{finding.field}"
        if finding.field is not None and name not in sentences:
            below.setdefault(name, []).append(f"{finding.code}: {finding.text}")
    told = {id(one) for one in wrong}
    rest = [one for one in check.fields if id(one) not in told]
    shown = [*wrong, *rest][:ROWS]
    lines = [verdict_table(shown, below)]
    left = [(len(wrong) - ROWS, "that are wrong"), (len(rest) - max(0, ROWS - len(wrong)), "others")]
    more = [f"{count:,} {what}" for count, what in left if count > 0]
    if more:
        lines.append(f"  … and {' and '.join(more)}")
    return "\n".join(lines)
