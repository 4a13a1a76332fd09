#!/usr/bin/env python3
"""A list of tasks in a terminal, which tells Seam what its model says and what really stands on the screen.

    seamd --ready-fd 1 | { read -r _ && seam watch; }     # in one terminal
    Clients/examples/terminal/tasks.py                    # in another; type: add Buy milk

The first line waits until the daemon listens, and watches all that is to come; where a daemon runs already, `seam watch`
is enough. Ctrl-C ends both.

Comment out the call marked below, start it again, add a task: `seam watch` says at once that openCount is stale. The
program itself has no error to show, and its tests of the model pass.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TextIO

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import seamd  # noqa: E402
import seamd.sync  # noqa: E402


class Model:
    """What the program knows. Tells Seam each time that it changes, and nothing of any screen."""

    def __init__(self, sim: seamd.sync.Simulation) -> None:
        self._sim = sim
        self.title = "Tasks"
        self.open: list[str] = []
        self._changed()

    def _changed(self) -> None:
        newest = self.open[-1] if self.open else None
        self._sim.set(title=self.title, openCount=len(self.open), newest=newest)

    def rename(self, title: str) -> None:
        self.title = title
        self._changed()

    def add(self, task: str) -> None:
        self.open.append(task)
        self._changed()

    def finish(self) -> None:
        if self.open:
            self.open.pop()
            self._changed()


class Screen:
    """Rows of a terminal. Remembers what it has written to each, since that is what stands there."""

    def __init__(self, terminal: TextIO, sim: seamd.sync.Simulation) -> None:
        self._terminal = terminal
        self._sim = sim
        self._rows: dict[int, str] = {}
        self._write("\x1b[2J")

    def draw_title(self, title: str) -> None:
        self._put(1, f"== {title} ==")

    def draw_count(self, count: int) -> None:
        self._put(2, f"{count} open")

    def draw_newest(self, task: str | None) -> None:
        self._put(3, f"newest: {task}" if task else "")

    def draw_prompt(self) -> None:
        self._put(5, "add TASK, done, rename TITLE, quit > ")

    def _put(self, row: int, text: str) -> None:
        self._write(f"\x1b[{row};1H\x1b[2K{text}")
        self._rows[row] = text

    def _write(self, text: str) -> None:
        self._terminal.write(text)
        self._terminal.flush()

    def report(self) -> None:
        """Tells Seam what can be read on the screen now: read off it, and not what was meant to be drawn."""
        self._sim.show(
            "Terminal",
            title=self._read(1, r"== (.*) =="),
            openCount=self._read(2, r"(\d+) open"),
            newest=self._read(3, r"newest: (.*)"),
        )

    def _read(self, row: int, form: str) -> str | None:
        found = re.fullmatch(form, self._rows.get(row, ""))
        return found.group(1) if found else None


class Program:
    def __init__(self, model: Model, screen: Screen) -> None:
        self.model = model
        self.screen = screen
        self.draw_all()

    def draw_all(self) -> None:
        self.screen.draw_title(self.model.title)
        self.screen.draw_count(len(self.model.open))
        self.screen.draw_newest(self.model.open[-1] if self.model.open else None)
        self.screen.draw_prompt()
        self.screen.report()

    def tasks_changed(self) -> None:
        self.screen.draw_count(len(self.model.open))  # the call to comment out
        self.screen.draw_newest(self.model.open[-1] if self.model.open else None)

    def obey(self, line: str) -> bool:
        """Carries out what was typed; False to end."""
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return False
        if word == "add" and rest:
            self.model.add(rest)
            self.tasks_changed()
        elif word == "done":
            self.model.finish()
            self.tasks_changed()
        elif word == "rename" and rest:
            self.model.rename(rest)
            self.screen.draw_title(self.model.title)
        self.screen.draw_prompt()
        self.screen.report()
        return True


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "tasks"
    try:
        with seamd.sync.connect() as client, client.create("live", name, lifetime="connection") as sim:
            program = Program(Model(sim), Screen(sys.stdout, sim))
            for line in sys.stdin:
                if not program.obey(line):
                    break
    except seamd.SeamError as problem:
        print(f"tasks.py: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who read this has seen enough. What Python still holds for them goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main())
