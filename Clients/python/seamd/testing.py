"""Assertions whose failure shows the verdicts, and why they are what they are. Needs no test framework.

For simulations of `seamd.sync`; those that begin with `async_` are for the asyncio client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Sequence

from ._requests import split
from .events import VERDICTS, Verdict
from .results import Check, Field

if TYPE_CHECKING:
    from . import client, sync

__all__ = ["assert_matching", "assert_verdict", "async_assert_matching", "async_assert_verdict", "verdict_table"]


def assert_matching(sim: "sync.Simulation", *fields: str) -> Check:
    """Every field named, or every field that is in scope, shows what the model says."""
    __tracebackhide__ = True
    check = sim.check(*fields)
    wrong = _not_matching(check, fields)
    if wrong or not _judged(check):
        raise AssertionError(_report(sim.id, check, wrong, "matching", _explain(sim, wrong)))
    return check


def assert_verdict(sim: "sync.Simulation", field: str, verdict: Verdict) -> Field:
    """Screen.field has this verdict."""
    __tracebackhide__ = True
    _checked(field, verdict)
    check = sim.check(field)
    if check[field].verdict != verdict:
        raise AssertionError(_report(sim.id, check, [check[field]], verdict, _explain(sim, [check[field]])))
    return check[field]


async def async_assert_matching(sim: "client.Simulation", *fields: str) -> Check:
    """assert_matching() for the asyncio client."""
    __tracebackhide__ = True
    check = await sim.check(*fields)
    wrong = _not_matching(check, fields)
    if wrong or not _judged(check):
        raise AssertionError(_report(sim.id, check, wrong, "matching", await _async_explain(sim, wrong)))
    return check


async def async_assert_verdict(sim: "client.Simulation", field: str, verdict: Verdict) -> Field:
    """assert_verdict() for the asyncio client."""
    __tracebackhide__ = True
    _checked(field, verdict)
    check = await sim.check(field)
    if check[field].verdict != verdict:
        sentences = await _async_explain(sim, [check[field]])
        raise AssertionError(_report(sim.id, check, [check[field]], verdict, sentences))
    return check[field]


def verdict_table(fields: Sequence[Field], below: Dict[str, List[str]] = {}) -> str:
    """Field, verdict, model and screen in columns; under a row, what is known of it."""
    rows = [("field", "verdict", "model", "screen")]
    rows += [(one.name, one.verdict, _value(one.model), _value(one.shown)) for one in fields]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        lines.append("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        lines += [f"      {sentence}" for sentence in below.get(row[0], [])]
    return "\n".join(lines)


def _value(value: object) -> str:
    if value is None:
        return "none"
    text = repr(value)[1:-1] if isinstance(value, str) else str(value)
    return text if 0 < len(text) <= 40 else f"{text[:37]}..." if text else "(empty)"


def _checked(field: str, verdict: str) -> None:
    split(field)
    if verdict not in VERDICTS:
        raise ValueError(f"{verdict!r} is no verdict; there are {', '.join(VERDICTS)}")


def _judged(check: Check) -> List[Field]:
    return [one for one in check.fields if one.verdict != "out-of-scope"]


def _not_matching(check: Check, named: Sequence[str]) -> List[Field]:
    # Who names a field means it, also when it is out of scope.
    return [one for one in (check.fields if named else _judged(check)) if one.verdict != "matching"]


def _explain(sim: "sync.Simulation", fields: Sequence[Field]) -> Dict[str, str]:
    if not sim.client.offers("sim.explain"):
        return {}
    return {one.name: sim.explain(one.name).sentence for one in fields}


async def _async_explain(sim: "client.Simulation", fields: Sequence[Field]) -> Dict[str, str]:
    if not await sim.client.offers("sim.explain"):
        return {}
    return {one.name: (await sim.explain(one.name)).sentence for one in fields}


def _report(sim: str, check: Check, wrong: Sequence[Field], verdict: str, sentences: Dict[str, str]) -> str:
    if not check.fields:
        return f"{sim} has no field, so nothing of it is {verdict}"
    if not wrong:
        return f"no field of {sim} is in scope, so nothing of it is {verdict}:\n\n{verdict_table(check.fields)}"
    below: Dict[str, List[str]] = {name: [sentence] for name, sentence in sentences.items() if sentence}
    for finding in check.diagnostics:
        name = f"{finding.screen}.{finding.field}"
        if finding.field is not None and name not in sentences:
            below.setdefault(name, []).append(f"{finding.code}: {finding.text}")
    if len(check.fields) == 1:
        head = f"{wrong[0].name} of {sim} is {wrong[0].verdict}, not {verdict}:"
    else:
        head = f"{len(wrong)} of {len(check.fields)} fields of {sim} are not {verdict}:"
    # Those that are wrong first: a long table is cut at its end.
    rest = [one for one in check.fields if one not in wrong]
    return f"{head}\n\n{verdict_table([*wrong, *rest], below)}"
