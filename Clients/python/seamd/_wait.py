"""What waiting for a verdict looks at, in both twins."""

from __future__ import annotations

import difflib
from typing import List, Optional, Union

from ._requests import seconds, split
from .errors import Interrupted, Timeout
from .events import VERDICTS, Change, End, Event, Restarted, State, Sync, Verdict


class Waiting:
    def __init__(self, sim: str, field: str, verdict: Verdict, timeout: Optional[float]) -> None:
        split(field)
        if "*" in field:
            raise ValueError(f"{field!r} is a pattern; wait_for() waits for one field, Screen.field")
        if verdict not in VERDICTS:
            raise ValueError(f"{verdict!r} is no verdict; there are {', '.join(VERDICTS)}")
        self._sim = sim
        self._fields: Optional[List[str]] = None
        self._field = field
        self._verdict = verdict
        self._timeout = seconds(timeout)
        self._last: Union[State, Change, None] = None
        # Whether another daemon came, which has no such simulation.
        self._is_away = False

    def take(self, event: Optional[Event]) -> Union[State, Change, None]:
        """The event, if it is what is waited for."""
        if event is None or isinstance(event, End):
            reason = event.reason if event is not None else "closed"
            raise Interrupted(f"the simulation {self._sim} ended ({reason}) before {self._field} was {self._verdict}")
        if isinstance(event, Restarted):
            self._last = self._fields = None
            self._is_away = event.new is None
        if isinstance(event, Sync):
            self._is_away = False
        if isinstance(event, (State, Change)) and event.name == self._field:
            self._last = event
            if event.verdict == self._verdict:
                return event
        return None

    def wants_names(self, event: Optional[Event]) -> bool:
        """Whether the snapshot is complete and lacks the field, so that the others are worth looking at."""
        return isinstance(event, Sync) and self._last is None

    def names(self, fields: List[str]) -> None:
        self._fields = fields

    def in_vain(self) -> Timeout:
        if self._last is not None:
            last = self._last
            has = f"it is {last.verdict} (model={_shown(last.model)} screen={_shown(last.shown)})"
        elif self._is_away:
            has = f"the daemon was started anew, and there is no simulation {self._sim} in it"
        elif self._fields is None:
            has = "the daemon said nothing of it in that time"
        else:
            near = difflib.get_close_matches(self._field, self._fields, 3, 0.4)
            has = "there is no such field" + (f"; did you mean {' or '.join(near)}?" if near else "")
        return Timeout(f"{self._field} did not become {self._verdict} within {self._timeout:g} s: {has}")


def _shown(value: Optional[str]) -> str:
    return "none" if value is None else value
